"""scripts/device/benchmark.py reads the core's counters where there are any, and leaves every register as it was."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import _host
import pytest

ROOT = Path(__file__).parents[2]
BENCHMARK = ROOT / "scripts" / "device" / "benchmark.py"

M55, M7, M4 = 0x411FD220, 0x411FC271, 0x410FC241
CPUID, CCR, DEMCR, DWT, PMU = 0xE000ED00, 0xE000ED14, 0xE000EDFC, 0xE0001000, 0xE0003000
TRCENA = 1 << 24
EVTYPER, CNTENSET, CNTENCLR, TYPE, CONTROL = PMU + 0x400, PMU + 0xC00, PMU + 0xC20, PMU + 0xE00, PMU + 0xE04
INSTRUCTIONS, CODE_MISSES, DATA_MISSES, WRITE_BACKS, CHAIN = 0x08, 0x01, 0x03, 0x15, 0x1E


class Core:
    """machine.mem32 of a core with a cycle counter and, if it has `counters`, event counters of Armv8.1-M.

    Each access to a register takes 10 cycles. `run` is code that takes cycles and causes events.
    """

    def __init__(self, cpuid: int = M55, counters: int = 8, locked: bool = False, secret: bool = False) -> None:
        self.words = {CPUID: cpuid, CCR: 0x30201, DEMCR: 0, DWT: 0x40000000, DWT + 4: 4_000_000_000}
        self.words.update({TYPE: counters, CONTROL: 0})
        for n in range(counters):
            self.words[PMU + 4 * n] = 1000 + n
            self.words[EVTYPER + 4 * n] = 0x77
        self.words[CNTENSET] = 0
        self.counters, self.locked, self.secret = counters, locked, secret
        self.touched: list[int] = []

    def run(self, cycles: int, **events: int) -> None:
        words = self.words
        if words[DEMCR] & TRCENA and words[DWT] & 1:
            words[DWT + 4] = (words[DWT + 4] + cycles) & 0xFFFFFFFF
        if self.secret or not words[DEMCR] & TRCENA or not words[CONTROL] & 1:
            return
        kinds = {INSTRUCTIONS: cycles // 2, **{int(name[1:], 16): number for name, number in events.items()}}
        counting = [n for n in range(self.counters) if words[CNTENSET] >> n & 1]
        for n in counting:
            if words[EVTYPER + 4 * n] in kinds:
                total = words[PMU + 4 * n] + kinds[words[EVTYPER + 4 * n]]
                words[PMU + 4 * n] = total & 0xFFFF
                if n % 2 == 0 and n + 1 in counting and words[EVTYPER + 4 * n + 4] == CHAIN:
                    words[PMU + 4 * n + 4] = (words[PMU + 4 * n + 4] + (total >> 16)) & 0xFFFF

    def __getitem__(self, address: int) -> int:
        self.touched.append(address)
        self.run(10)
        return self.words.get(address, 0)

    def __setitem__(self, address: int, value: int) -> None:
        self.touched.append(address)
        self.run(10)
        if address == DWT and self.locked:
            return
        if address == CNTENSET:
            self.words[CNTENSET] |= value
        elif address == CNTENCLR:
            self.words[CNTENSET] &= ~value
        else:
            self.words[address] = value


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    _host.install()
    monkeypatch.setattr(sys, "argv", ["benchmark.py"])
    return runpy.run_path(str(BENCHMARK))


def settings(core: Core) -> dict[int, int]:
    """All registers except the cycle counter, which is never set."""
    return {address: value for address, value in core.words.items() if address != DWT + 4}


def spent(benchmark: dict[str, Any], core: Core, call: Callable[[], None]) -> tuple[dict[str, int], dict[str, int]]:
    """What a call and an empty call cost."""
    counters = benchmark["Counters"](core)
    try:
        empty = counters.spent(lambda: None)
        return dict(zip(counters.names, counters.spent(call))), dict(zip(counters.names, empty))
    finally:
        counters.off()


def test_a_cortex_m55_counts_cycles_instructions_and_misses(benchmark: dict[str, Any]) -> None:
    core = Core()
    counted, empty = spent(benchmark, core, lambda: core.run(3_000_000, e01=70_000, e03=200_000, e15=5))
    difference = {name: counted[name] - empty[name] for name in counted}
    assert difference == {
        "cycles": 3_000_000, "instructions": 1_500_000, "I misses": 70_000, "D misses": 200_000, "written back": 5,
    }  # fmt: skip


def test_the_counters_are_left_as_they_were(benchmark: dict[str, Any]) -> None:
    core = Core()
    before = settings(core)
    spent(benchmark, core, lambda: core.run(1000, e03=7))
    assert settings(core) == before


def test_the_cycle_counter_is_never_set(benchmark: dict[str, Any]) -> None:
    """The firmware measures time with it; it also overflows while the benchmark runs."""
    core = Core()
    core.words[DWT + 4] = 0xFFFFFF00
    counted, empty = spent(benchmark, core, lambda: core.run(5000))
    assert counted["cycles"] - empty["cycles"] == 5000


def test_a_counter_that_the_firmware_has_switched_on_keeps_counting(benchmark: dict[str, Any]) -> None:
    core = Core()
    core.words.update({DEMCR: TRCENA, DWT: 0x40000001, CONTROL: 1})
    core.words[CNTENSET] = 0b100
    core.words[EVTYPER + 8] = DATA_MISSES
    before = settings(core)
    counted, empty = spent(benchmark, core, lambda: core.run(100, e03=9))
    assert list(counted) == ["cycles", "instructions", "I misses", "D misses"]  # three free pairs of counters
    assert counted["D misses"] - empty["D misses"] == 9
    assert settings(core) == {**before, PMU + 8: before[PMU + 8] + 9}


def test_a_cortex_m7_counts_cycles_only(benchmark: dict[str, Any]) -> None:
    core = Core(M7, 0)
    before = settings(core)
    counted, empty = spent(benchmark, core, lambda: core.run(1234))
    assert list(counted) == ["cycles"] and counted["cycles"] - empty["cycles"] == 1234
    assert settings(core) == before and not any(PMU <= address < PMU + 0x1000 for address in core.touched)


@pytest.mark.parametrize("broken", [{"locked": True}, {"cpuid": M4, "counters": 0}])
def test_a_counter_that_does_not_count_is_not_shown(benchmark: dict[str, Any], broken: dict[str, Any]) -> None:
    core = Core(**broken)
    if not broken.get("locked"):
        core.words[DWT] |= 1 << 25  # no cycle counter
    before = settings(core)
    counters = benchmark["Counters"](core)
    assert counters.names == () and counters.megahertz() is None and settings(core) == before


def test_events_that_a_secure_core_hides_are_not_shown(benchmark: dict[str, Any]) -> None:
    core = Core(secret=True)
    before = settings(core)
    counted, _ = spent(benchmark, core, lambda: core.run(100, e03=9))
    assert list(counted) == ["cycles"] and settings(core) == before


def test_an_emulator_without_counters_reads_zeros(benchmark: dict[str, Any]) -> None:
    """QEMU's Cortex-M55: every register of the counters is 0 and keeps nothing."""

    class Zeros(Core):
        def __getitem__(self, address: int) -> int:
            return self.words[CPUID] if address == CPUID else 0

        def __setitem__(self, address: int, value: int) -> None:
            pass

    counters = benchmark["Counters"](Zeros())
    assert counters.names == ()
    assert benchmark["core"](Zeros()) == "Cortex-M55 r1p0, clock unknown, caches off, branch cache off"


def test_without_mem32_only_time_is_measured(benchmark: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "machine", ModuleType("machine"))
    assert benchmark["registers"]() is None
    assert benchmark["Counters"](None).names == () and benchmark["core"](None) == "unknown core"


def test_a_pc_has_no_core_by_arm(benchmark: dict[str, Any]) -> None:
    assert benchmark["registers"]() is None


def test_the_clock_is_measured(benchmark: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    core = Core()
    core.words[CCR] |= 1 << 19
    counters = benchmark["Counters"](core)
    clock = iter(range(0, 10_000_000, 1000))

    def ticks_us() -> int:
        core.run(800_000)
        return next(clock)

    time = benchmark["time"]
    monkeypatch.setattr(time, "ticks_us", ticks_us)
    monkeypatch.setattr(time, "ticks_diff", lambda end, start: end - start)
    assert counters.megahertz() == pytest.approx(800, rel=0.1)
    benchmark["core"].__globals__["counters"] = counters
    words = benchmark["core"](core)
    assert words.startswith("Cortex-M55 r1p0 at ") and words.endswith(" MHz, caches on, branch cache on")


def test_each_row_has_the_counts_of_one_more_frame(benchmark: dict[str, Any], capsys: pytest.CaptureFixture[str]) -> None:
    core = Core()
    counters = benchmark["Counters"](core)
    benchmark["row"].__globals__["counters"] = counters
    frames: list[int] = []

    def frame() -> None:
        frames.append(1)
        core.run(2_468_000, e03=12_345)

    benchmark["row"]("work", "ms", "in kernels", "the rest", *counters.names)
    benchmark["line"]("a frame", *benchmark["measured"](frame))
    benchmark["row"]("too large", "MemoryError")
    counters.off()
    head, row, missing = (
        [cell.strip() for cell in line.strip("|\n").split("|")] for line in capsys.readouterr().out.splitlines()
    )
    assert head[4:] == ["cycles", "instructions", "I misses", "D misses", "written back"]
    assert row[0] == "a frame" and row[4:] == ["2,468,000", "1,234,000", "0", "12,345", "0"]
    assert missing == ["too large", "MemoryError"] + [""] * 7
    assert len(frames) == 3 + benchmark["FRAMES"] + 2


def test_the_sizes_of_the_caches_are_read_from_the_core(benchmark: dict[str, Any]) -> None:
    """CCSIDR: line size, ways - 1 and sets - 1 of the cache that CSSELR selects."""
    clidr, ccsidr, csselr = 0xE000ED78, 0xE000ED80, 0xE000ED84

    class Caches(Core):
        def __getitem__(self, address: int) -> int:
            if address == ccsidr:
                return (511 << 13 | 1 << 3 | 1) if self.words[csselr] & 1 else (255 << 13 | 3 << 3 | 1)
            return super().__getitem__(address)

    core = Caches(M7, 0)
    core.words.update({clidr: 3, csselr: 1})
    words = benchmark["core"](core)
    assert words == "Cortex-M7 r1p1, clock unknown, caches on (data 32 KB in 4 ways, code 32 KB in 2 ways)"
    assert core.words[csselr] == 1


def test_the_walk_reads_every_line_once_in_any_order(benchmark: dict[str, Any]) -> None:
    space: dict[str, Any] = {}
    exec("class micropython:\n    viper = staticmethod(lambda f: f)\nptr32 = int\n" + benchmark["CHASE"], space)
    read: list[int] = []

    class Words:
        def __getitem__(self, at: int) -> int:
            read.append(at)
            return -1  # whatever is there, `zero` leaves nothing of it

    assert space["walk"](Words(), 8192, 8192, 0) == 0
    assert sorted(read) == list(range(0, 8 * 8192, 8))
    assert sum(abs(b - a) > 64 for a, b in zip(read, read[1:])) > 8000


def test_the_path_of_the_cpu_lies_beside_the_true_place(benchmark: dict[str, Any]) -> None:
    """The stand-in scales as the firmware's CPU does: the first of four pixels, 1.5 before their middle."""
    import n6post

    benchmark["shift"].__globals__["n6post"] = n6post
    assert benchmark["shift"]() == pytest.approx(-1.5 / 4, abs=0.01)


def test_a_frame_that_is_averaged_lies_at_its_true_place(
    benchmark: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    import n6post

    class Averaged:
        def __init__(self, frame: Any) -> None:
            self.memory = frame.bytearray()

        def __call__(self, buffer: bytearray, shape: Any, dtype: int) -> None:
            for y in range(shape[1]):
                for x in range(shape[2]):
                    buffer[160 * y + x] = round(sum(self.memory[4 * x : 4 * x + 4]) / 4)

    monkeypatch.setattr(n6post, "Stretch", Averaged)
    benchmark["shift"].__globals__["n6post"] = n6post
    assert benchmark["shift"]() == pytest.approx(0, abs=0.05)


def test_networks_of_the_rom_are_measured_and_others_are_left_out(
    benchmark: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ml
    import n6post

    for name in ("a.tflite", "b.tflite", "c.tflite", "d.tflite", "e.tflite", "labels.txt"):
        (tmp_path / name).write_bytes(b"")
    ran: list[str] = []

    class Model:
        def __init__(self, path: str) -> None:
            if path.endswith("b.tflite"):
                raise MemoryError
            self.name = path[-8:]
            self.input_shape = ((1, 40),) if path.endswith("a.tflite") else ((1, 8, 8, 3),)

        def predict(self, inputs: list[Any], callback: Any) -> None:
            ran.append(self.name)
            inputs[0](bytearray(192), self.input_shape[0], ord("B"))

    monkeypatch.setattr(ml, "Model", Model)
    space = benchmark["networks"].__globals__
    space.update(n6post=n6post, MODELS=str(tmp_path), MOST_MODELS=2)
    benchmark["networks"]()
    rows = [line.split("|")[1].strip() for line in capsys.readouterr().out.splitlines()]
    assert rows == ["network b.tflite", "network c.tflite", "network d.tflite"]
    assert set(ran) == {"c.tflite", "d.tflite"} and len(ran) == 2 * (3 + benchmark["FRAMES"] + 1)
