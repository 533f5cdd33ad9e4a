"""What count_lines.c counted: builds the plugin, names its regions, reads and prints its lines.

    python3 scripts/dev/silicon/counts.py COUNTS.jsonl   # the table of the stages in such a file
"""

import json
import struct
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

HERE = Path(__file__).resolve().parent
MARK = 0x67FFF000  # marks.py stores here
FILLS = ("code_fills", "read_fills", "write_fills", "written_back")
LINES = ("code_lines", "data_lines")
NUMBERS = ("gather_lanes", "scatter_lanes", "bytes_read", "bytes_written")  # of a Stage
# Sections of OpenMV's firmware for its emulated board: what lies in each.
SECTIONS = {
    ".text": "code", ".data": "bss", ".bss": "bss2", ".gc.block0": "heap", ".gc.block1": "heap2", ".stack": "stack",
    ".heap": "c_heap", ".uma.block0": "frames", ".uma.block1": "uma_fast", ".uma.block2": "uma_dtcm", ".fb_memory": "frames",
}  # fmt: skip
ROMFS = 0x68000000, 0x70000000
VECTORS = ("vector", "vector_load", "vector_store", "gather", "scatter")


@dataclass
class Stage:
    """One stage that ended: instructions by class, and lines by region."""

    name: str
    instructions: dict[str, float]
    regions: dict[str, dict[str, float]] = field(default_factory=dict)
    gather_lanes: float = 0
    scatter_lanes: float = 0
    bytes_read: float = 0
    bytes_written: float = 0

    @property
    def total(self) -> float:
        return sum(self.instructions.values())

    def of(self, *classes: str) -> float:
        return sum(self.instructions.get(name, 0) for name in classes)

    def lines(self, *kinds: str) -> float:
        """Lines of these kinds (FILLS, LINES) in all regions."""
        return sum(region.get(kind, 0) for region in self.regions.values() for kind in kinds)


def build(target: Path, compiler: str = "gcc") -> Path:
    """Compile the plugin. Needs a C compiler for this computer."""
    source = HERE / "count_lines.c"
    command = [compiler, "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-fvisibility=hidden"]
    subprocess.run([*command, "-o", str(target), str(source)], check=True)
    return target


def sections(elf: bytes) -> dict[str, tuple[int, int]]:
    """{name: (first address, end)} of a 32-bit ELF file's sections that take memory."""
    if elf[:6] != b"\x7fELF\x01\x01":
        raise ValueError("expected a 32-bit little-endian ELF file")
    start, size, count, names = *struct.unpack_from("<I", elf, 32), *struct.unpack_from("<3H", elf, 46)
    headers = [struct.unpack_from("<10I", elf, start + size * i) for i in range(count)]
    text = headers[names][4]
    result = {}
    for name, _kind, flags, address, _offset, length, *_ in headers:
        if flags & 2 and length:
            at = text + name
            result[elf[at : elf.index(b"\0", at)].decode()] = (address, address + length)
    return result


def regions(elf: Path) -> dict[str, tuple[int, int]]:
    """The regions of OpenMV's firmware on its emulated board."""
    found = {SECTIONS[name]: span for name, span in sections(elf.read_bytes()).items() if name in SECTIONS}
    return {**found, "romfs": ROMFS}


def option(
    plugin: Path,
    out: Path,
    spans: dict[str, tuple[int, int]],
    kinds: dict[str, str] | None = None,
    extra: tuple[str, ...] = (),
) -> str:
    """QEMU's option -plugin. `kinds` are regions that are no cached memory: {name: "tcm" or "uncached"}."""
    parts = [str(plugin), f"out={out}", f"mark={MARK:#x}"]
    for name, (start, end) in spans.items():
        kind = (kinds or {}).get(name)
        parts.append(f"region={name}:{start:x}:{end:x}" + (f":{kind}" if kind else ""))
    return ",".join([*parts, *extra])


def read(lines: list[str]) -> list[Stage]:
    """The stages of a file of the plugin, in the order of their ends."""
    stages = []
    for number, line in enumerate(lines, 1):
        try:
            entry = json.loads(line)
            stages.append(
                Stage(
                    entry["stage"], entry["instructions"], entry["regions"],
                    *[entry[name] for name in NUMBERS],
                )
            )  # fmt: skip
        except (json.JSONDecodeError, KeyError, TypeError) as error:
            raise ValueError(f"line {number} is not a stage of count_lines: {line[:60]!r}") from error
    return stages


def minus(stage: Stage, less: Stage) -> Stage:
    """A stage without what another one counted, for example the marks' own instructions; nothing is below 0."""

    def difference(a: dict[str, float], b: dict[str, float]) -> dict[str, float]:
        return {key: max(0, value - b.get(key, 0)) for key, value in a.items()}

    return Stage(
        stage.name,
        difference(stage.instructions, less.instructions),
        {  # the marks' lines are there all the same
            name: {**lines, **difference({"instructions": lines["instructions"]}, less.regions.get(name, {}))}
            for name, lines in stage.regions.items()
        },
        *[max(0, getattr(stage, name) - getattr(less, name)) for name in NUMBERS],
    )


def typical(stages: list[Stage]) -> Stage:
    """The stage whose number of instructions is the median."""
    middle = median(stage.total for stage in stages)
    return min(stages, key=lambda stage: abs(stage.total - middle))


def by_name(stages: list[Stage]) -> dict[str, list[Stage]]:
    """Stages of each name, without the cost of the marks if there is a stage "empty"."""
    grouped: dict[str, list[Stage]] = {}
    for stage in stages:
        grouped.setdefault(stage.name, []).append(stage)
    empty = grouped.pop("empty", None)
    if empty:
        less = typical(empty)
        grouped = {name: [minus(stage, less) for stage in group] for name, group in grouped.items()}
    return grouped


def row(stage: Stage, label: str) -> str:
    numbers = [
        stage.total, stage.of(*VECTORS), stage.gather_lanes + stage.scatter_lanes,
        *[stage.lines(kind) for kind in (*FILLS, *LINES)],
    ]  # fmt: skip
    return f"| {label} | " + " | ".join(f"{round(number):,}" for number in numbers) + " |"


def table(stages: list[Stage], by_region: bool = True) -> str:
    """A Markdown table: for each stage the first and, of the later ones, the median; then the lines of each region."""
    heads = "instructions", "vector", "lanes", "I filled", "D filled: read", "written", "written back", "I lines", "D lines"
    result = ["| stage | " + " | ".join(heads) + " |", "| --- |" + " ---: |" * len(heads)]
    grouped = by_name(stages)
    for name, group in grouped.items():
        if len(group) == 1:
            result.append(row(group[0], name))
        else:
            result += [row(group[0], f"{name}, first"), row(typical(group[1:]), f"{name}, median of {len(group) - 1} more")]
    if by_region:
        result += ["", "| stage | region | " + " | ".join(heads[3:]) + " |", "| --- | --- |" + " ---: |" * 6]
        for name, group in grouped.items():
            for region, counts in typical(group[1:] or group).regions.items():
                numbers = " | ".join(f"{round(counts.get(kind, 0)):,}" for kind in (*FILLS, *LINES))
                result.append(f"| {name} | {region} | {numbers} |")
    return "\n".join(result)


if __name__ == "__main__":
    print(table(read(Path(sys.argv[1]).read_text(encoding="utf-8").splitlines())))
