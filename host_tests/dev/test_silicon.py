"""scripts/dev/silicon: the plugin counts a known program exactly, and the model's sums agree with sums made by hand."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SILICON = ROOT / "scripts" / "dev" / "silicon"
HERE = Path(__file__).parent


def loaded(name: str) -> Any:
    """A module of scripts/dev/silicon under its own name: model imports counts."""
    spec = importlib.util.spec_from_file_location(name, SILICON / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


counts = loaded("counts")
loaded("figures")
model = loaded("model")

NO_LINES = dict.fromkeys((*counts.FILLS, *counts.LINES, "instructions"), 0)


def stage(name: str = "x", **changes: Any) -> Any:
    return counts.Stage(**{"name": name, "instructions": {"alu": 10}, **changes})


def line(name: str, alu: int, **changes: Any) -> str:
    """A line as the plugin writes it."""
    return json.dumps({
        "stage": name, "depth": 0, "instructions": {"alu": alu}, **dict.fromkeys(counts.NUMBERS, 0),
        "regions": {"code": {**NO_LINES, "code_fills": 1}}, "device_accesses": 0, **changes,
    })  # fmt: skip


# --- what the plugin wrote ---


def test_stages_are_read_in_their_order() -> None:
    stages = counts.read([line("a", 3, gather_lanes=16), line("b", 4, bytes_read=2)])
    assert [(s.name, s.total, s.gather_lanes, s.bytes_read) for s in stages] == [("a", 3, 16, 0), ("b", 4, 0, 2)]
    assert stages[0].lines("code_fills", "read_fills") == 1


@pytest.mark.parametrize("wrong", ["", "{", "[]", '{"stage": "a"}', '"a"'])
def test_a_line_that_is_no_stage_is_named(wrong: str) -> None:
    with pytest.raises(ValueError, match="line 2 is not a stage of count_lines"):
        counts.read([line("a", 1), wrong])


def test_the_cost_of_the_marks_is_subtracted_and_never_below_0() -> None:
    stages = counts.read([line("empty", n) for n in (900, 100, 110)] + [line("a", 150), line("a", 50)])
    assert [s.total for s in counts.by_name(stages)["a"]] == [40, 0]
    assert list(counts.by_name(stages)) == ["a"]


def test_the_typical_stage_has_the_median_of_the_instructions() -> None:
    assert counts.typical(counts.read([line("a", n) for n in (9, 1, 5, 7, 100)])).total == 7


def test_the_table_shows_the_first_stage_and_the_median_of_the_others() -> None:
    text = counts.table(counts.read([line("a", n) for n in (5000, 30, 20, 40)]), by_region=False).splitlines()
    assert [row.split("|")[1:3] for row in text[2:]] == [[" a, first ", " 5,000 "], [" a, median of 3 more ", " 30 "]]


def elf(sections: dict[str, tuple[int, int, int]]) -> bytes:
    """A 32-bit ELF file with these sections: {name: (flags, address, size)}."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in sections) + b".shstrtab\0"
    start = 52 + len(names)
    headers = [bytes(40)]
    for name, (flags, address, size) in sections.items():
        headers.append(struct.pack("<10I", names.index(name.encode() + b"\0"), 1, flags, address, 0, size, 0, 0, 0, 0))
    headers.append(struct.pack("<10I", names.index(b".shstrtab"), 3, 0, 0, 52, len(names), 0, 0, 0, 0))
    last = len(headers) - 1
    head = struct.pack("<HHIIIIIHHHHHH", 2, 40, 1, 0, 0, start, 0, 52, 0, 0, 40, len(headers), last)
    return b"\x7fELF\x01\x01" + bytes(10) + head + names + b"".join(headers)


def test_regions_are_named_after_the_sections_of_the_firmware(tmp_path: Path) -> None:
    image = tmp_path / "firmware.elf"
    sections = {".text": (6, 0x66000000, 0x100), ".gc.block0": (3, 0x21000000, 0x40), ".comment": (0, 0, 9), ".x": (2, 1, 1)}
    image.write_bytes(elf(sections))
    expected = {"code": (0x66000000, 0x66000100), "heap": (0x21000000, 0x21000040), "romfs": counts.ROMFS}
    assert counts.regions(image) == expected
    with pytest.raises(ValueError, match="32-bit"):
        counts.sections(b"MZ" + bytes(60))


def test_qemu_gets_the_regions_and_their_kinds() -> None:
    words = counts.option(Path("p.so"), Path("o"), {"code": (16, 32), "stack": (32, 48)}, {"stack": "tcm"}, ("code_ways=4",))
    assert words == "p.so,out=o,mark=0x67fff000,region=code:10:20,region=stack:20:30:tcm,code_ways=4"


# --- marks on the camera ---


def test_marks_store_to_the_addresses_that_the_plugin_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    stored: list[int] = []

    class Memory:
        def __setitem__(self, address: int, value: int) -> None:
            stored.append(address - counts.MARK)

    machine = ModuleType("machine")
    machine.mem8 = Memory()  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "machine", machine)
    marks = loaded("marks")
    assert marks.stage("ab", lambda: 7) == 7
    assert stored == [0, ord("a"), ord("b"), 256, 257]
    stored.clear()
    marks.region("t", 0x1234ABCD, 0x10)
    digits = [272 + int(digit, 16) for digit in "1234ABCD"] + [258] + [272 + int(digit, 16) for digit in "1234ABDD"] + [259]
    assert stored == [0, ord("t"), *digits]
    stored.clear()
    marks.begin("x")
    marks.cold(code=False)
    marks.cold()
    marks.end()
    assert stored == [0, ord("x"), 256, 260, 260, 261, 257]


# --- the model ---


def test_cycles_are_the_sum_of_firmware_vectors_scalars_and_lanes() -> None:
    """50 instructions, of them 20 the firmware's: the expected sums are written out with the numbers of model.py."""
    counted = stage(
        instructions={"alu": 39, "vector": 4, "vector_load": 3, "vector_store": 1, "gather": 2, "scatter": 1},
        gather_lanes=16, scatter_lanes=8, regions={"code": {**NO_LINES, "instructions": 20}, "heap": NO_LINES},
    )  # fmt: skip
    scalars = 50 - 20 - 8 - 3  # a gather or scatter costs its lanes
    result = model.executing(counted)
    assert result.low == pytest.approx(20 * 1.6 + 8 * 1.25 + scalars * 0.88 + 24 * 1)
    assert result.high == pytest.approx(20 * 3.1 + 8 * 2.5 + scalars * 1.48 + 24 * 1.5)


def test_vector_instructions_of_the_firmware_cost_what_its_others_do() -> None:
    counted = stage(instructions={"alu": 6, "vector": 4}, regions={"code": {**NO_LINES, "instructions": 10}})
    assert model.executing(counted) == model.FIRMWARE * 10


def test_the_marks_instructions_are_no_instructions_of_the_firmware() -> None:
    marks, work = ({"code": {**NO_LINES, "instructions": n}} for n in (30, 100))
    (found,) = counts.by_name([stage("empty", regions=marks), stage("a", regions=work)])["a"]
    assert found.regions["code"]["instructions"] == 70


def test_waiting_is_lines_times_the_cycles_of_their_memory() -> None:
    counted = stage(regions={
        "code": {**NO_LINES, "code_fills": 10, "read_fills": 5},
        "heap": {**NO_LINES, "read_fills": 3, "write_fills": 2, "written_back": 4},
        "head": {**NO_LINES, "read_fills": 100}, "img": {**NO_LINES, "write_fills": 7},
        "stack": {**NO_LINES, "read_fills": 1},
    })  # fmt: skip
    # flash 64 to 230, AXISRAM 12 to 50 (written back 0 to 16), NPU RAM 12 to 80, PSRAM 40 to 180; low: no store waits
    low = 15 * 64 + 3 * 12 + 100 * 12 + 1 * 12
    high = 15 * 230 + (3 + 2) * 50 + 4 * 16 + 100 * 80 + 7 * 180 + 1 * 50
    assert model.waiting(counted, model.N6) == model.Range(low, high)
    # MRAM 10 to 80, SRAM 8 to 40 (written back 0 to 10), the stack in a TCM
    assert model.waiting(counted, model.AE3) == model.Range(
        15 * 10 + 3 * 8 + 100 * 8, 15 * 80 + 5 * 40 + 4 * 10 + 100 * 40 + 7 * 40
    )


def test_tensors_are_missed_once_at_least_because_the_driver_drops_them() -> None:
    counted = stage(regions={
        "head": {**NO_LINES, "read_fills": 2, "data_lines": 9}, "protos": {**NO_LINES, "read_fills": 20, "data_lines": 9},
        "heap": {**NO_LINES, "read_fills": 2, "data_lines": 9}, "img": {**NO_LINES, "read_fills": 2, "data_lines": 9},
    })  # fmt: skip
    filled = {name: lines["read_fills"] for name, lines in model.tensors_missed(counted, model.N6).regions.items()}
    assert filled == {"head": 9, "protos": 20, "heap": 2, "img": 2}


def test_the_low_end_is_warm_and_the_high_end_has_empty_caches() -> None:
    warm = {"code": {**NO_LINES, "code_fills": 1}}
    cold = {"code": {**NO_LINES, "code_fills": 5}}
    stages = [stage(regions=cold), stage(regions=warm), stage(regions=warm), stage("x cold", regions=cold)]
    (shown, result), = model.estimates(stages, model.N6).values()
    assert shown.lines("code_fills") == 1
    assert result.waiting == model.Range(64, 5 * 230) and result.executing == model.SCALAR * 10
    milliseconds, share = result.milliseconds(model.N6), result.share_of_waiting
    assert (milliseconds.low, milliseconds.high) == pytest.approx((72.8 / 800_000, 1164.8 / 800_000))
    assert (share.low, share.high) == pytest.approx((64 / 72.8, 1150 / 1164.8))


def test_without_a_cold_stage_the_first_one_is_the_high_end() -> None:
    stages = [stage(instructions={"alu": n}) for n in (100, 10, 10, 10)]
    assert model.estimates(stages, model.N6)["x"][1].cycles == model.Range(8.8, 148)


def test_the_table_has_a_row_for_each_stage() -> None:
    rows = model.table([stage("a"), stage("a"), stage("a cold"), stage("b")], model.AE3).splitlines()
    assert "AE3: ms" in rows[0] and [row.split("|")[1].strip() for row in rows[2:]] == ["a", "b"]


@pytest.mark.parametrize(("low", "high"), [(2, 1), (-1, 1)])
def test_a_range_refuses_bounds_in_the_wrong_order(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="expected 0 <= low <= high"):
        model.Range(low, high)


# Measured on an STM32N657 in its TCMs, or published by ST: cycles, and what the same code counts in this model. The sources
# are in docs/internals/performance.md.
SILICON_CYCLES = {
    "CoreMark, an iteration (gcc -O3 here, another compiler there)": (
        238_095,
        {"alu": 132515, "multiply": 9396, "load": 54892, "store": 13287, "load_multiple": 1298,
         "store_multiple": 1298, "branch": 48781, "loop_start": 792, "loop_end": 6552, "vector": 80, "vector_load": 72,
         "vector_store": 72, "other": 336},
    ),
    "Keccak-f[1600], scalar assembler": (
        9_623, {"alu": 5179, "load": 2619, "store": 1327, "load_multiple": 1, "store_multiple": 1, "branch": 5},
    ),
    "ML-DSA's inverse NTT in C": (
        34_049,
        {"alu": 11803, "multiply": 2560, "load": 3839, "store": 2814, "load_multiple": 1, "store_multiple": 1, "branch": 517,
         "loop_start": 255, "loop_end": 1280, "other": 1},
    ),
    "ML-DSA's NTT in Helium": (
        2_716,
        {"alu": 27, "load": 61, "load_multiple": 1, "store_multiple": 1, "branch": 4, "loop_end": 57, "float_load": 1,
         "float_store": 1, "vector": 1280, "vector_load": 352, "vector_store": 256, "other": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SILICON_CYCLES)
def test_cycles_that_were_measured_on_silicon_lie_in_the_range(name: str) -> None:
    cycles, instructions = SILICON_CYCLES[name]
    result = model.executing(stage(instructions=instructions))
    assert result.low <= cycles <= result.high


def test_the_bounds_are_those_of_the_points_on_the_page() -> None:
    page = (ROOT / "docs" / "internals" / "performance.md").read_text(encoding="utf-8")
    for span in (model.FIRMWARE, model.SCALAR, model.VECTOR, model.LANE):
        assert f"| {span.low:g} to {span.high:g} |".replace("| 0.", "| .") in page
    rows = re.findall(r"^\| FOMO \| (\d) \|.* ([\d.]+) \|$", page, re.MULTILINE)
    left = {int(candidates): float(high_waiting) for candidates, high_waiting in rows}
    assert (model.FIRMWARE.low, model.FIRMWARE.high) == (round(left[4], 1), round(left[1], 1))
    assert 2.04 * model.VECTOR.low < 2.716 and model.SCALAR.high == round(34049 / 23070, 2)
    assert model.SCALAR.low == math.floor(800e6 / 3360 / 269371 * 100) / 100  # CoreMark


# --- the plugin itself ---


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What the plugin counts in count_lines_known.s."""
    programs = ("gcc", "arm-none-eabi-gcc", "qemu-system-arm")
    if absent := [program for program in programs if shutil.which(program) is None]:
        pytest.skip(f"needs {', '.join(absent)}")
    folder = tmp_path_factory.mktemp("silicon")
    plugin = counts.build(folder / "count_lines.so")
    flags = ["-march=armv8.1-m.main+mve.fp", "-mthumb", "-mfloat-abi=hard", "-nostdlib", "-nostartfiles"]
    program, script = HERE / "count_lines_known.s", HERE / "count_lines_known.ld"
    subprocess.run(["arm-none-eabi-gcc", *flags, "-T", script, program, "-o", folder / "known.elf"], check=True)
    spans = {"itcm": (0, 0x80000), "ram": (0x60000000, 0x61000000), "uncached": (0x60040000, 0x60041000)}
    option = counts.option(plugin, folder / "out", spans, {"itcm": "tcm", "uncached": "uncached"})
    command = ["qemu-system-arm", "-machine", "mps3-an547", "-display", "none", "-monitor", "none", "-serial", "none"]
    command += ["-semihosting", "-icount", "shift=5", "-kernel", str(folder / "known.elf"), "-plugin", option]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if "API version" in done.stderr or "invalid option" in done.stderr:
        pytest.skip(f"this QEMU takes no plugins of version 1: {done.stderr.strip()[:100]}")
    lines = [json.loads(text) for text in (folder / "out").read_text(encoding="utf-8").splitlines()]
    assert [entry["stage"] for entry in lines] == ["v", "g", "f", "s", "c", "k", "b", "i", "n"], done.stderr
    return {entry["stage"]: entry for entry in lines}


def test_the_plugin_counts_vectors_and_low_overhead_loops(known: dict[str, Any]) -> None:
    """64 turns of a load, two vector operations and a store; the one store besides is the mark."""
    assert known["v"]["instructions"] == {
        "store": 1, "loop_start": 1, "loop_end": 64, "vector": 128, "vector_load": 64, "vector_store": 64,
    }  # fmt: skip
    assert (known["v"]["bytes_read"], known["v"]["bytes_written"]) == (1024, 1024)


def test_the_plugin_counts_the_instructions_of_each_region(known: dict[str, Any]) -> None:
    """The whole program lies in the ITCM, and its data in other regions."""
    for entry in known.values():
        counted = {name: lines["instructions"] for name, lines in entry["regions"].items() if lines["instructions"]}
        assert counted == {"itcm": sum(entry["instructions"].values())}


def test_the_plugin_counts_the_lines_of_helper_made_vector_accesses(known: dict[str, Any]) -> None:
    """1,024 bytes are read and 1,024 written: 32 lines of 32 bytes each."""
    assert known["v"]["regions"]["ram"] == {**NO_LINES, "read_fills": 32, "write_fills": 32, "data_lines": 64}


def test_the_plugin_counts_each_lane_of_gathers_and_scatters(known: dict[str, Any]) -> None:
    assert known["g"]["instructions"] == {
        "alu": 16, "store": 1, "loop_start": 1, "loop_end": 16, "vector_load": 80, "vector_store": 16, "gather": 32,
        "scatter": 16,
    }  # fmt: skip
    assert (known["g"]["gather_lanes"], known["g"]["scatter_lanes"]) == (16 * 16 + 16 * 4, 16 * 16)


def test_the_plugin_tells_scalar_floats_from_vectors(known: dict[str, Any]) -> None:
    assert known["f"]["instructions"] == {
        "store": 1, "loop_start": 1, "loop_end": 10, "float": 80, "float_divide": 20, "float_load": 30, "float_store": 20,
        "move": 80, "vector": 200,
    }  # fmt: skip


def test_the_plugin_counts_scalar_classes(known: dict[str, Any]) -> None:
    assert known["s"]["instructions"] == {
        "alu": 56, "multiply": 21, "divide": 14, "load": 28, "store": 22, "load_multiple": 14, "store_multiple": 14,
        "branch": 28, "prefetch": 7, "other": 14,
    }  # fmt: skip


def test_the_plugin_counts_every_access_where_nothing_is_cached(known: dict[str, Any]) -> None:
    """Seven turns: LDR, LDRB, LDRSH, LDRD (one or two accesses), LDM of 3; STR, STRD, STRH, STM of 3. None in a TCM."""
    lines = known["s"]["regions"]["uncached"]
    assert lines["read_fills"] in (7 * 7, 7 * 8) and lines["write_fills"] in (7 * 6, 7 * 7)
    assert all(entry["regions"].get("itcm", NO_LINES)["code_fills"] == 0 for entry in known.values())


def test_what_fits_into_the_cache_is_filled_once(known: dict[str, Any]) -> None:
    """The lines written back are those that earlier stages wrote to."""
    lines = known["c"]["regions"]["ram"]
    assert lines == {**NO_LINES, "read_fills": 1024, "data_lines": 1024, "written_back": lines["written_back"]}


def test_a_set_with_more_lines_than_ways_is_filled_each_time(known: dict[str, Any]) -> None:
    assert known["k"]["regions"]["ram"] == {**NO_LINES, "read_fills": 15, "data_lines": 5}


def test_lines_that_were_written_to_are_written_back_once(known: dict[str, Any]) -> None:
    assert known["b"]["regions"]["ram"] == {
        **NO_LINES, "read_fills": 1024, "write_fills": 1024, "written_back": 1024, "data_lines": 2048,
    }  # fmt: skip


def test_a_stage_in_a_stage_counts_its_own_lines(known: dict[str, Any]) -> None:
    assert known["i"]["regions"]["ram"] == {**NO_LINES, "read_fills": 4, "data_lines": 4}
    assert known["n"]["regions"]["ram"] == {**NO_LINES, "read_fills": 8, "data_lines": 8}
    assert (known["i"]["depth"], known["n"]["depth"]) == (1, 0)
