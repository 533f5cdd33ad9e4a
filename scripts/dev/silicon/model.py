"""From counted instructions and cache lines to milliseconds on a camera, as a range from low to high.

    python3 scripts/dev/silicon/model.py N6 COUNTS.jsonl     # counted with the cached regions of that camera

cycles = instructions x cycles of their kind (firmware, vector, other) + lines x cycles of their memory.
Low and high are bounds that we argue for, not measurements; docs/internals/performance.md names the source of each number.
Not modelled: other masters on the bus (NPU, camera, GPU, DMA), the write buffer, the prefetcher, speculative fetches, and
interrupts. `low` stands for a core that hides what it can behind these, `high` for one that hides nothing.
"""

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import counts
import figures

COLD = " cold"  # a stage of this name was measured with empty caches


@dataclass(frozen=True)
class Range:
    """A number between two bounds."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not 0 <= self.low <= self.high:
            raise ValueError(f"expected 0 <= low <= high, got {self.low} and {self.high}")

    def __add__(self, other: "Range") -> "Range":
        return Range(self.low + other.low, self.high + other.high)

    def __mul__(self, factor: float) -> "Range":
        return Range(self.low * factor, self.high * factor)


NOTHING = Range(0, 0)

# Cycles of an instruction, without cache misses. docs/internals/performance.md names the point behind each bound.
FIRMWARE = Range(1.6, 3.1)  # the interpreter and what it calls: OpenMV's own classes on an N6, a Cortex-M4's Python
SCALAR = Range(0.88, 1.48)  # other code: CoreMark, ML-DSA's inverse NTT
VECTOR = Range(1.25, 2.5)  # two beats a cycle are two cycles; a neighbor on another unit overlaps by one
LANE = Range(1, 1.5)  # of a gather or scatter: one look-up of the cache a cycle


@dataclass(frozen=True)
class Memory:
    """Core cycles for a line of 32 bytes (for an access, where nothing is cached)."""

    fill: Range
    write_back: Range


@dataclass(frozen=True)
class Board:
    """A camera: its core's clock, and the memory of each region of the emulated firmware."""

    name: str
    megahertz: float
    memories: dict[str, Memory]
    addresses: dict[str, tuple[int, int]]  # memory: its first address, and the first one behind it
    places: dict[str, str]  # region: memory; regions of tensors and images, which scripts name, are under TENSORS, IMAGES
    cache_options: dict[str, str]  # region: "tcm" or "uncached", for count_lines


TENSORS, IMAGES = "tensors", "images"
SPREAD = 1.25  # a measured cost of a line, times and divided by this: other rows, refreshes and masters of the bus
FREE = Memory(NOTHING, NOTHING)

N6 = Board(
    "N6",
    800,
    {
        "AXISRAM": Memory(Range(12, 50), Range(0, 16)),
        "NPU RAM": Memory(Range(12, 80), Range(0, 20)),
        "PSRAM": Memory(Range(40, 180), Range(0, 120)),
        "flash": Memory(Range(64, 230), NOTHING),
    },
    # recalled: the memory map of the STM32N6 (RM0486)
    {"AXISRAM": (0x34000000, 0x34200000), "NPU RAM": (0x34200000, 0x343C0000), "PSRAM": (0x90000000, 0xA0000000),
     "flash": (0x70000000, 0x80000000)},
    {
        "code": "flash", "romfs": "flash", "heap": "AXISRAM", "heap2": "PSRAM", "stack": "AXISRAM", "bss": "AXISRAM",
        "bss2": "AXISRAM", "c_heap": "AXISRAM", "frames": "PSRAM", "uma_fast": "AXISRAM", "uma_dtcm": "AXISRAM",
        TENSORS: "NPU RAM", IMAGES: "PSRAM", "elsewhere": "AXISRAM",
    },
    {},
)  # fmt: skip
AE3 = Board(
    "AE3",
    400,
    {
        "TCM": FREE,
        "SRAM": Memory(Range(8, 40), Range(0, 10)),
        "MRAM": Memory(Range(10, 80), NOTHING),
        "OSPI flash": Memory(Range(10, 120), NOTHING),
    },
    # recalled: the memory map of the Ensemble E3
    {"SRAM": (0x02000000, 0x08280000), "MRAM": (0x80000000, 0x80580000), "OSPI flash": (0xA0000000, 0xE0000000)},
    {
        "code": "MRAM", "romfs": "OSPI flash", "heap": "SRAM", "heap2": "SRAM", "stack": "TCM", "bss": "TCM", "bss2": "TCM",
        "c_heap": "TCM", "frames": "SRAM", "uma_fast": "TCM", "uma_dtcm": "TCM", TENSORS: "SRAM", IMAGES: "SRAM",
        "elsewhere": "SRAM",
    },
    {"romfs": "uncached", "stack": "tcm", "bss": "tcm", "bss2": "tcm", "c_heap": "tcm"},
)  # fmt: skip
BOARDS = {board.name: board for board in (N6, AE3)}


def with_measured(board: Board, costs: dict[int, float]) -> Board:
    """The board with the costs of lines that cameras have measured: {address: cycles}."""
    memories = dict(board.memories)
    for name, (begin, end) in board.addresses.items():
        found = [cost for address, cost in costs.items() if begin <= address < end]
        if found:
            memories[name] = replace(memories[name], fill=Range(min(found) / SPREAD, max(found) * SPREAD))
    return replace(board, memories=memories)


@dataclass(frozen=True)
class Estimate:
    """Cycles of a stage: what executing takes, and what waiting for memory takes."""

    executing: Range
    waiting: Range

    @property
    def cycles(self) -> Range:
        return self.executing + self.waiting

    def milliseconds(self, board: Board) -> Range:
        return self.cycles * (1 / (board.megahertz * 1000))

    @property
    def share_of_waiting(self) -> Range:
        """Of all cycles, at both ends."""
        parts = [w / max(1, t) for w, t in ((self.waiting.low, self.cycles.low), (self.waiting.high, self.cycles.high))]
        return Range(min(parts), max(parts))


def executing(stage: counts.Stage) -> Range:
    """Cycles of a stage's instructions if every access finds its line in a cache."""
    firmware = stage.regions.get("code", {}).get("instructions", 0)
    vectors = min(stage.of("vector", "vector_load", "vector_store"), stage.total - firmware)  # the rest are the firmware's
    scalars = max(0, stage.total - firmware - vectors - stage.of("gather", "scatter"))
    lanes = stage.gather_lanes + stage.scatter_lanes
    return FIRMWARE * firmware + VECTOR * vectors + SCALAR * scalars + LANE * lanes


def memory_of(region: str, board: Board) -> Memory:
    """The memory of a region; names that scripts gave: "img..." is an image, all others are tensors."""
    place = board.places.get(region) or board.places[IMAGES if region.startswith("img") else TENSORS]
    return board.memories[place]


def waiting(stage: counts.Stage, board: Board) -> Range:
    """Cycles for the lines that a stage fills and writes back. Low: no store waits."""
    total = NOTHING
    for region, lines in stage.regions.items():
        memory = memory_of(region, board)
        reads = lines["code_fills"] + lines["read_fills"]
        total += memory.fill * reads
        total += Range(0, memory.fill.high * lines["write_fills"])
        total += memory.write_back * lines["written_back"]
    return total


def tensors_missed(stage: counts.Stage, board: Board) -> counts.Stage:
    """The stage as on a camera, where the driver has invalidated the tensors: each line of them is filled once at least."""
    regions = {}
    for region, lines in stage.regions.items():
        if region not in board.places and not region.startswith("img"):
            lines = {**lines, "read_fills": max(lines["read_fills"], lines["data_lines"])}
        regions[region] = lines
    return counts.Stage(**{**vars(stage), "regions": regions})


def estimate(warm: counts.Stage, cold: counts.Stage, board: Board) -> Estimate:
    """Low: caches as the stage left them the last time, but no tensor in them. High: empty caches."""
    warm = tensors_missed(warm, board)
    low, high = executing(warm), executing(cold)
    wait_low, wait_high = waiting(warm, board), waiting(cold, board)
    return Estimate(
        Range(min(low.low, high.low), max(low.high, high.high)),
        Range(min(wait_low.low, wait_high.low), max(wait_low.high, wait_high.high)),
    )


def estimates(stages: list[counts.Stage], board: Board) -> dict[str, tuple[counts.Stage, Estimate]]:
    """{name: (typical stage, estimate)}. A stage "x cold" is the high end of "x"; without it, the first "x" is."""
    grouped = counts.by_name(stages)
    result = {}
    for name, group in grouped.items():
        if name.endswith(COLD):
            continue
        warm = counts.typical(group[1:] or group)
        cold = counts.typical(grouped[name + COLD]) if name + COLD in grouped else group[0]
        result[name] = warm, estimate(warm, cold, board)
    return result


def text(span: Range, decimals: int) -> str:
    return f"{span.low:.{decimals}f} to {span.high:.{decimals}f}"


def table(stages: list[counts.Stage], board: Board) -> str:
    lines = [
        f"| stage | instructions | lines filled | executing, k cycles | waiting, k cycles | {board.name}: ms | waiting |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, (stage, result) in estimates(stages, board).items():
        share = result.share_of_waiting * 100
        lines.append(
            f"| {name} | {round(stage.total):,} | {round(stage.lines('code_fills', 'read_fills', 'write_fills')):,} "
            f"| {text(result.executing * 1e-3, 0)} | {text(result.waiting * 1e-3, 0)} "
            f"| {text(result.milliseconds(board), 2)} | {text(share, 0)} % |"
        )
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description="Cycles and milliseconds of the stages that count_lines counted.")
    parser.add_argument("board", choices=BOARDS)
    parser.add_argument("counts", type=Path, help="what count_lines wrote: a line of JSON for each stage")
    parser.add_argument("--place", action="append", default=[], metavar="REGION=MEMORY", help="for example tensors=PSRAM")
    parser.add_argument("--measured", action="store_true", help="take the costs of lines in figures.jsonl")
    options = parser.parse_args()
    board = BOARDS[options.board]
    if options.measured:
        board = with_measured(board, figures.line_costs(figures.load(), board.name))
    places = dict(place.split("=", 1) for place in options.place)
    if unknown := [name for name in places.values() if name not in board.memories]:
        parser.error(f"{board.name} has {', '.join(board.memories)}, not {unknown[0]}")
    board = replace(board, places={**board.places, **places})
    try:
        stages = counts.read(options.counts.read_text(encoding="utf-8").splitlines())
    except (OSError, ValueError, KeyError) as error:
        parser.error(f"{options.counts}: {error}")
    if not stages:
        parser.error(f"{options.counts}: no stage was counted")
    print(table(stages, board))


if __name__ == "__main__":
    main()
