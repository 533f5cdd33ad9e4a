"""scripts/camera/selftest.py passes here, carries what make_selftest.py makes, and notices what is broken."""

from __future__ import annotations

import argparse
import ast
import importlib
import importlib.util
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import _host
import machine
import n6post
import pytest
from commands import script
from fakes import replace_kernel
from n6post.kernels import boxes, maps
from n6post_pc import camera
from PIL import Image as PilImage

_host.install()  # time.ticks_ms

ROOT = Path(__file__).parents[1]
SELFTEST = ROOT / "scripts" / "camera" / "selftest.py"


@pytest.fixture
def selftest() -> ModuleType:
    spec = importlib.util.spec_from_file_location("selftest", SELFTEST)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_it_passes_on_the_stubs_and_ends_with_its_one_line() -> None:
    done = script("camera.py", "selftest")
    assert done.returncode == 0, done.stdout + done.stderr
    passed, failed = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1]).groups()  # type: ignore[union-attr]
    assert int(passed) >= 50 and int(failed) == 0
    assert "FAILED" not in done.stdout
    assert "no image module" not in done.stdout  # the drawing is checked here


def test_it_passes_on_the_stubs_as_firmware_4_8_1(tmp_path: Path) -> None:
    blank = tmp_path / "blank.png"
    PilImage.new("RGB", (64, 48)).save(blank)
    done = script("run_on_host.py", SELFTEST, "--picture", blank, "--firmware", "4.8.1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    passed, failed = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1]).groups()  # type: ignore[union-attr]
    assert int(passed) >= 50 and int(failed) == 0, done.stdout
    assert "no image module" not in done.stdout


def test_it_passes_on_micropython_where_drawing_is_skipped_and_counted() -> None:
    binary = os.environ.get("N6POST_MICROPYTHON")
    if not binary:
        pytest.skip("needs a MicroPython with ulab: its path in the environment variable N6POST_MICROPYTHON")
    done = script("camera.py", "selftest", "--micropython", binary)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^skipped \d+: there is no image module$", done.stdout, re.MULTILINE)


def test_its_tensors_and_results_are_those_that_make_selftest_writes() -> None:
    done = script("dev/make_selftest.py", "--check")
    assert done.returncode == 0, done.stderr


def test_it_is_small_enough_for_a_camera() -> None:
    assert SELFTEST.stat().st_size < 84_000


def test_every_kernel_is_compared(selftest: ModuleType) -> None:
    compared = {name for name, _, _ in selftest.KERNELS + selftest.DRAWING_KERNELS}
    for kind in ("helium", "thumb"):
        files = [file.read_text() for file in Path(boxes.__file__).parent.glob(f"{kind}_*.py")]
        kernels = {name for text in files for name in re.findall(r"asm_thumb\ndef (\w+)", text)}
        assert compared == kernels and len(kernels) >= 15


def test_every_family_is_checked(selftest: ModuleType) -> None:
    assert set(selftest.RECORDED) == {"YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab"}


def outcome(selftest: ModuleType, capsys: pytest.CaptureFixture[str]) -> tuple[int, str]:
    """How many checks fail now, and what was printed."""
    _, failed, _ = selftest.run()
    return failed, capsys.readouterr().out


def test_a_wrong_result_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_pixel_off(plan: Any, values: Any, labels: Any, table: Any, place: Any = boxes.place) -> None:
        place(plan, values, labels, table)
        table[0] += 1

    replace_kernel(monkeypatch, "place", one_pixel_off)
    failed, printed = outcome(selftest, capsys)
    assert failed >= 4
    assert "FAILED  YoloV8Seg finds what numpy finds, int8" in printed
    assert "FAILED  kernel place equals the portable one" in printed


def test_a_kernel_that_writes_past_its_end_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_too_many(protos: Any, head: Any, plan: Any, out: Any, mask: Any = boxes.prototype_mask) -> None:
        mask(protos, head, plan, out)
        if 0 < plan[12] * plan[13] < len(out):  # not those that call it row by row
            out[plan[12] * plan[13]] = 7

    replace_kernel(monkeypatch, "prototype_mask", one_too_many)
    failed, printed = outcome(selftest, capsys)
    assert failed == 1 and "FAILED  kernel prototype_mask equals the portable one" in printed


def test_a_number_or_a_crossing_that_is_not_the_references_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tracker, zones = (importlib.import_module(f"n6post.{name}") for name in ("tracker", "zones"))
    monkeypatch.setattr(tracker, "_COVERED", 0.01)  # who walks past somebody gets no number
    monkeypatch.setattr(zones.LineZone, "_between", lambda *arguments: False)
    failed, printed = outcome(selftest, capsys)
    assert "FAILED  a tracker gives the reference's numbers" in printed
    assert "FAILED  who crosses a line is what supervision counted" in printed
    assert failed <= 5


def test_a_missing_family_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(vars(n6post), "DeepLab", raising=False)
    monkeypatch.setitem(sys.modules, "n6post.deeplab", None)
    failed, printed = outcome(selftest, capsys)
    assert failed >= 5 and "FAILED  DeepLab finds what numpy finds, int8" in printed


# ---- interrupts: here a stand-in of the timer fires where a test says, in the middle of a kernel ----


class Interrupt:
    """machine.Timer of firmware 5.0, but for the clock."""

    fire: Callable[[Any], None] | None = None

    def __init__(self, id: int, *, period: int, callback: Callable[[Any], None], hard: bool = False) -> None:
        assert id == -1 and period == 1  # all that there is on a camera
        Interrupt.fire = callback

    def deinit(self) -> None:
        Interrupt.fire = None


class OldInterrupt(Interrupt):
    """That of firmware 4.8.1, which knows no `hard`."""

    def __init__(self, id: int, *, period: int, callback: Callable[[Any], None]) -> None:
        super().__init__(id, period=period, callback=callback)


def interrupted(
    patch: pytest.MonkeyPatch, name: str, stand_in: Callable[..., Any], timer: type[Interrupt] | None = Interrupt
) -> None:
    """As on a camera with Helium, whose kernel is this one."""
    replace_kernel(patch, name, stand_in)
    patch.setattr(n6post.kernels, "active", "helium")
    patch.setattr(machine, "Timer", timer) if timer else patch.delattr(machine, "Timer")


def count_with_interrupts(broken: int = 0, count: Any = maps.count) -> Callable[..., Any]:
    """The kernel with an interrupt in each call; `broken`: after so many of them one comes back to other registers."""
    fired = 0

    def kernel(classes: Any, plan: Any, out: Any) -> None:
        nonlocal fired
        count(classes, plan, out)
        if Interrupt.fire is not None:
            Interrupt.fire(None)
            fired += 1
            out[7] += bool(broken) and fired == broken

    return kernel


COUNT = ("count", ((1,), (333,)))


def check_count(selftest: ModuleType, calls: int = 60) -> str:
    vars(selftest)["CALLS"] = calls  # the plain kernels are slow, and what they notice they notice in the first ones
    said: str = selftest.check_interrupted(COUNT[0], selftest.count_case, COUNT[1])
    return said


def test_every_kernel_is_called_with_interrupts(selftest: ModuleType) -> None:
    names = {name for name, _, _ in selftest.checks()}
    for name, _, _ in selftest.KERNELS + selftest.DRAWING_KERNELS:
        assert f"kernel {name} bears interrupts" in names


def test_a_kernel_that_bears_interrupts_passes_and_says_how_many_there_were(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(monkeypatch, "count", count_with_interrupts())
    assert check_count(selftest, selftest.CALLS) == "1000 calls, 1000 timer interrupts in them"


def test_a_single_wrong_result_after_an_interrupt_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(monkeypatch, "count", count_with_interrupts(broken=119))
    vars(selftest)["CALLS"] = 120
    count = ("kernel count bears interrupts", selftest.check_interrupted, (COUNT[0], selftest.count_case, COUNT[1]))
    monkeypatch.setattr(selftest, "checks", lambda: [count])
    failed, printed = outcome(selftest, capsys)
    assert failed == 1 and "FAILED  kernel count bears interrupts" in printed
    assert "count(333,): call 59 gave another result than the quiet one" in printed


def test_a_kernel_within_the_interrupt_that_goes_wrong_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def class_map(logits: Any, plan: Any, out: Any, right: Any = maps.class_map) -> None:
        right(logits, plan, out)
        if Interrupt.fire is not None:
            out[5] ^= 1

    replace_kernel(monkeypatch, "class_map", class_map)
    interrupted(monkeypatch, "count", count_with_interrupts())
    with pytest.raises(ValueError, match="100 of 100 interrupts computed wrongly"):
        check_count(selftest)


def test_without_interrupts_the_check_is_skipped_with_the_reason(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(selftest.Skipped, match="the portable kernels are the active ones here"):
        check_count(selftest)
    interrupted(monkeypatch, "count", maps.count, timer=None)
    with pytest.raises(selftest.Skipped, match=r"there is no machine\.Timer"):
        check_count(selftest)
    monkeypatch.setattr(machine, "Timer", Interrupt, raising=False)
    monkeypatch.setattr(selftest, "MOST", 10)
    with pytest.raises(selftest.Skipped, match="no timer interrupt came"):
        check_count(selftest)


def test_a_core_that_saves_no_vectors_is_a_failure(selftest: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(n6post.kernels, "active", "helium")
    registers = {0xE000ED00: 0x411FD221, 0xE000ED14: 0x00070201, 0xE000EF34: 0xC0000000}
    monkeypatch.setattr(machine, "mem32", registers)
    assert selftest.check_core() == "CPUID 411fd221, CCR 00070201, FPCCR c0000000"
    registers[0xE000EF34] = 0x40000000
    with pytest.raises(ValueError, match="interrupts do not save vectors: .*FPCCR 40000000"):
        selftest.check_core()


def test_a_timer_without_hard_callbacks_is_told_apart(selftest: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyb", None)  # whose timers would be hard ones
    interrupted(monkeypatch, "count", count_with_interrupts(), timer=OldInterrupt)
    assert check_count(selftest, 100) == "100 calls, 100 timer interrupts between their lines"


def test_the_command_tells_a_run_that_stops_midway_from_one_that_passes(tmp_path: Path) -> None:
    fake = tmp_path / "micropython"
    outcomes = {"ok\n3 passed, 0 failed": 0, "3 passed, 1 failed": 1, "0 passed, 0 failed": 1, "ok  one": 1}
    for said, code in outcomes.items():
        fake.write_text(f"#!/bin/sh\nprintf '{said}\\n'\n")
        fake.chmod(0o755)
        assert script("camera.py", "selftest", "--micropython", fake).returncode == code, said


def test_a_camera_is_shown_this_checkouts_library_unless_its_own_is_asked_for() -> None:
    arguments = argparse.Namespace(port="/dev/ttyACM0", installed=False, micropython=None)
    words, _ = camera.command(arguments)
    at = words.index("mpremote")
    connected = ["mpremote", "connect", "/dev/ttyACM0"]
    assert words[at:] == [*connected, "mount", str(ROOT / "lib"), "run", str(SELFTEST)]
    arguments.installed = True
    assert camera.command(arguments)[0][at:] == [*connected, "run", str(SELFTEST)]


def test_camera_scripts_use_no_syntax_that_micropython_lacks() -> None:
    for path in sorted((ROOT / "scripts" / "camera").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            where = f"{path.name}:{getattr(node, 'lineno', '')}"
            if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
                assert not any(isinstance(element, ast.Starred) for element in node.elts), where
            if isinstance(node, ast.Dict):
                assert None not in node.keys, where
            if isinstance(node, ast.arguments):
                assert not node.posonlyargs, where
            assert not isinstance(node, (ast.Match, ast.TryStar)), where
