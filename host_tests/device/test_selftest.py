"""scripts/device/selftest.py passes here, contains what make_selftest.py writes, and fails if something is broken."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import re
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import _host
import image
import machine
import n6post
import pytest
import vm
from commands import script
from fakes import RECORDED_FAMILIES, replace_kernel
from n6post.kernels import boxes, maps
from n6post_pc.build.command import compile_file
from n6post_pc.camera import command as camera
from PIL import Image as PilImage

_host.install()  # time.ticks_ms

ROOT = Path(__file__).parents[2]
SELFTEST = ROOT / "scripts" / "device" / "selftest.py"
of_its_own = pytest.mark.proof("scripts/device/selftest.py")  # what it does about a wrong library


@pytest.fixture
def selftest() -> ModuleType:
    spec = importlib.util.spec_from_file_location("selftest", SELFTEST)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_self_test_passes_on_the_stubs_and_ends_with_one_line() -> None:
    done = script("camera.py", "selftest")
    assert done.returncode == 0, done.stdout + done.stderr
    passed, failed = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1]).groups()  # type: ignore[union-attr]
    assert int(passed) >= 50 and int(failed) == 0
    assert "FAILED" not in done.stdout
    assert "no image module" not in done.stdout  # drawing is checked here


def test_the_self_test_passes_on_the_stubs_as_firmware_4_8_1(tmp_path: Path) -> None:
    blank = tmp_path / "blank.png"
    PilImage.new("RGB", (64, 48)).save(blank)
    done = script("run_on_host.py", SELFTEST, "--picture", blank, "--firmware", "4.8.1", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    passed, failed = re.fullmatch(r"(\d+) passed, (\d+) failed", done.stdout.splitlines()[-1]).groups()  # type: ignore[union-attr]
    assert int(passed) >= 50 and int(failed) == 0, done.stdout
    assert "no image module" not in done.stdout


def test_the_self_test_passes_on_micropython_and_counts_skips() -> None:
    binary = vm.with_ulab()
    done = script("camera.py", "selftest", "--micropython", binary)
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^skipped \d+: there is no image module$", done.stdout, re.MULTILINE)


def test_the_self_tests_tensors_and_results_are_up_to_date() -> None:
    done = script("dev/generating/make_selftest.py", "--check")
    assert done.returncode == 0, done.stderr


def test_the_self_test_is_small_enough_for_a_camera() -> None:
    assert SELFTEST.stat().st_size < 130_000


def test_every_kernel_is_compared(selftest: ModuleType) -> None:
    compared = {name for name, _, _ in selftest.KERNELS + selftest.DRAWING_KERNELS}
    for kind in ("helium", "m7"):
        files = [file.read_text(encoding="utf-8") for file in (Path(boxes.__file__).parents[1] / kind).glob("*.py")]
        kernels = {name for text in files for name in re.findall(r"asm_thumb\ndef (\w+)", text)}
        assert compared == kernels and len(kernels) >= 15


def test_every_recorded_family_is_checked(selftest: ModuleType) -> None:
    assert set(selftest.RECORDED) == RECORDED_FAMILIES


def outcome(selftest: ModuleType, capsys: pytest.CaptureFixture[str], *about: str) -> tuple[int, str]:
    """The number of failed checks, and the printed text, of the checks that have one of these words in their names."""
    checks = [check for check in selftest.checks() if not about or any(word in check[0] for word in about)]
    vars(selftest)["checks"] = lambda: checks
    _, failed, _ = selftest.run()
    return failed, capsys.readouterr().out


@of_its_own
def test_a_wrong_result_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_pixel_off(block: Any, values: Any, labels: Any, table: Any, right: Any = boxes.boxes_to_frame) -> None:
        right(block, values, labels, table)
        table[0] += 1

    replace_kernel(monkeypatch, "boxes_to_frame", one_pixel_off, selftest)
    failed, printed = outcome(selftest, capsys, "YoloV8", "kernel boxes_to_frame")
    assert failed >= 4
    assert "FAILED  YoloV8Seg detects what numpy detects, int8" in printed
    assert "FAILED  kernel boxes_to_frame equals the portable one" in printed


@of_its_own
def test_a_kernel_that_writes_past_its_end_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def one_too_many(protos: Any, head: Any, block: Any, out: Any, right: Any = boxes.prototype_mask) -> None:
        right(protos, head, block, out)
        if 0 < block[12] * block[13] < len(out):  # not in the calls that make one row after the other
            out[block[12] * block[13]] = 7

    replace_kernel(monkeypatch, "prototype_mask", one_too_many, selftest)
    failed, printed = outcome(selftest, capsys, "YoloV8Seg", "mask")
    assert failed == 1 and "FAILED  kernel prototype_mask equals the portable one" in printed


@of_its_own
def test_a_wrong_track_id_or_crossing_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    tracker, zones = (importlib.import_module(f"n6post.tracking.{name}") for name in ("tracker", "line_zone"))
    monkeypatch.setattr(tracker, "_COVERED", 0.01)  # no track for a person who walks past another
    monkeypatch.setattr(zones.LineZone, "_between", lambda *arguments: False)
    failed, printed = outcome(selftest, capsys, "track", "line", "zone")
    assert "FAILED  a tracker assigns the ids of the reference" in printed
    assert "FAILED  line crossings are those that supervision counted" in printed
    assert failed <= 5


@of_its_own
def test_a_missing_family_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(vars(n6post), "DeepLab", raising=False)
    monkeypatch.setitem(sys.modules, "n6post.families.maps.deeplab", None)
    failed, printed = outcome(selftest, capsys, "DeepLab", "class map")
    assert failed >= 5 and "FAILED  DeepLab has the class map of numpy, int8" in printed


# ---- interrupts: a fake timer fires where a test wants it, in the middle of a kernel ----


class Interrupt:
    """machine.Timer of firmware 5.0, without a clock."""

    fire: Callable[[Any], None] | None = None

    def __init__(self, id: int, *, period: int, callback: Callable[[Any], None], hard: bool = False) -> None:
        assert id == -1 and period == 1  # a camera has no others
        Interrupt.fire = callback

    def deinit(self) -> None:
        Interrupt.fire = None


class OldInterrupt(Interrupt):
    """machine.Timer of firmware 4.8.1, which has no `hard`."""

    def __init__(self, id: int, *, period: int, callback: Callable[[Any], None]) -> None:
        super().__init__(id, period=period, callback=callback)


def interrupted(
    patch: pytest.MonkeyPatch, selftest: ModuleType, name: str, stand_in: Any, timer: type[Interrupt] | None = Interrupt
) -> None:
    """As on a camera with Helium: `stand_in` is its kernel."""
    replace_kernel(patch, name, stand_in, selftest)
    patch.setattr(n6post.kernels, "active", "helium")
    patch.setattr(machine, "Timer", timer) if timer else patch.delattr(machine, "Timer")


def count_with_interrupts(broken: int = 0, count: Any = maps.class_histogram) -> Callable[..., Any]:
    """The kernel with an interrupt in each call; broken: the number of the interrupt that spoils the registers."""
    fired = 0

    def kernel(classes: Any, block: Any, out: Any) -> None:
        nonlocal fired
        count(classes, block, out)
        if Interrupt.fire is not None:
            Interrupt.fire(None)
            fired += 1
            out[7] += bool(broken) and fired == broken

    return kernel


COUNT = ("class_histogram", ((1,), (333,)))


def check_count(selftest: ModuleType, calls: int = 60) -> str:
    vars(selftest)["CALLS"] = calls  # portable kernels are slow
    note: str = selftest.check_interrupted(COUNT[0], selftest.class_histogram_case, COUNT[1])
    return note


def test_every_kernel_is_called_with_interrupts(selftest: ModuleType) -> None:
    names = {name for name, _, _ in selftest.checks()}
    for name, _, _ in selftest.KERNELS + selftest.DRAWING_KERNELS:
        assert f"kernel {name} survives interrupts" in names


def test_a_kernel_that_survives_interrupts_passes_with_their_number(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    interrupted(monkeypatch, selftest, "class_histogram", count_with_interrupts())
    assert check_count(selftest, selftest.CALLS) == "1000 calls, 1000 timer interrupts in them"


def test_a_single_wrong_result_after_an_interrupt_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(monkeypatch, selftest, "class_histogram", count_with_interrupts(broken=119))
    vars(selftest)["CALLS"] = 120
    arguments = COUNT[0], selftest.class_histogram_case, COUNT[1]
    count = ("kernel class_histogram survives interrupts", selftest.check_interrupted, arguments)
    monkeypatch.setattr(selftest, "checks", lambda: [count])
    failed, printed = outcome(selftest, capsys)
    assert failed == 1 and "FAILED  kernel class_histogram survives interrupts" in printed
    assert "class_histogram(333,): call 59 gave another result than without interrupts" in printed


def test_a_wrong_kernel_result_within_the_interrupt_is_a_failure(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    def class_map(logits: Any, block: Any, out: Any, right: Any = maps.class_map) -> None:
        right(logits, block, out)
        if Interrupt.fire is not None:
            out[5] ^= 1

    replace_kernel(monkeypatch, "class_map", class_map, selftest)
    interrupted(monkeypatch, selftest, "class_histogram", count_with_interrupts())
    monkeypatch.setattr(selftest, "MOST", 1_000_000)  # ms: a slow PC must not end the check before its 100th interrupt
    with pytest.raises(ValueError, match="100 of 100 interrupts computed a wrong result"):
        check_count(selftest)


def test_without_interrupts_the_check_is_skipped_with_a_reason(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(selftest.Skipped, match="the portable kernels are the active ones here"):
        check_count(selftest)
    interrupted(monkeypatch, selftest, "class_histogram", maps.class_histogram, timer=None)
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


def test_a_timer_without_hard_callbacks_is_reported(selftest: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyb", None)  # its timers have hard callbacks
    interrupted(monkeypatch, selftest, "class_histogram", count_with_interrupts(), timer=OldInterrupt)
    assert check_count(selftest, 100) == "100 calls, 100 timer interrupts between bytecodes"


# ---- a heap of 1 MiB ----


@of_its_own
def test_no_check_reads_the_bytes_of_an_image_that_is_freed(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a camera a view of an image does not keep it: its pixels begin inside of a block of the heap."""
    made: list[int] = []
    freed: list[bool] = []

    class Freed(image.Image):
        def __init__(self, *arguments: Any, **options: Any) -> None:
            super().__init__(*arguments, **options)
            self.own = len(arguments) > 1 and len(arguments) + len(options) == 3  # no `buffer`
            made.append(self.size())

        def __del__(self) -> None:
            freed.append(self.own)
            if self.own:
                self._memory[:] = 0xA5

    monkeypatch.setattr(image, "Image", Freed)
    drawing = "agree", "drawn", "scaled", "image", "glyphs", "widths", "kernel box"
    failed, printed = outcome(selftest, capsys, *drawing)
    assert not failed, printed
    assert len(made) > 20 and sum(freed) > 20
    # A heap of 1 MiB has no larger piece after a few hundred checks.
    assert max(made) <= 65_536


def copied_to(folder: Path, name: str, data: bytes) -> None:
    (folder / "n6post").mkdir(parents=True)
    (folder / "n6post" / name).write_bytes(data)


def test_other_copies_of_the_library_are_listed_with_their_version(
    selftest: ModuleType, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    rom, flash, unclear = tmp_path / "rom", tmp_path / "flash", tmp_path / "unclear"
    compile_file(ROOT / "lib" / "n6post" / "__init__.py", tmp_path / "init.mpy", "n6post/__init__.py", None)
    copied_to(rom, "__init__.mpy", (tmp_path / "init.mpy").read_bytes())
    copied_to(flash, "__init__.py", b'"""Older."""\n__version__ = "0.10.12"\n')
    copied_to(unclear, "__init__.py", b"")
    used, *_ = n6post.__path__
    monkeypatch.setattr(sys, "path", [str(Path(used).parent), ".frozen", str(rom), str(flash), str(flash), str(unclear), ""])
    monkeypatch.chdir(rom)  # a folder that is there twice is listed once
    assert selftest.other_copies() == [
        f"WARNING {rom}/n6post holds n6post {n6post.__version__}, which is not imported",
        f"WARNING {flash}/n6post holds n6post 0.10.12, which is not imported",
        f"WARNING {unclear}/n6post holds n6post of an unknown version, which is not imported",
    ]


def test_the_first_line_says_which_library_is_tested(selftest: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert f"n6post {n6post.__version__}, from {n6post.__path__[0]}, portable kernels" in selftest.machine_line()
    monkeypatch.setattr(n6post, "__path__", ".frozen/n6post")  # a str, as on MicroPython
    assert f"n6post {n6post.__version__}, frozen into the firmware, " in selftest.machine_line()


def test_the_command_fails_if_a_run_stops_midway(tmp_path: Path) -> None:
    fake = tmp_path / "micropython"
    outcomes = {"ok\n3 passed, 0 failed": 0, "3 passed, 1 failed": 1, "0 passed, 0 failed": 1, "ok  one": 1}
    for text, code in outcomes.items():
        fake.write_text(f"#!/bin/sh\nprintf '{text}\\n'\n", encoding="utf-8")
        fake.chmod(0o755)
        assert script("camera.py", "selftest", "--micropython", fake).returncode == code, text


def test_a_camera_runs_this_checkouts_library_or_its_own() -> None:
    arguments = argparse.Namespace(port="/dev/ttyACM0", installed=False, micropython=None)
    words, _ = camera.command(arguments)
    at = words.index("mpremote")
    connected = ["mpremote", "connect", "/dev/ttyACM0"]
    assert words[at:] == [*connected, "mount", str(ROOT / "lib"), "run", str(SELFTEST)]
    arguments.installed = True
    assert camera.command(arguments)[0][at:] == [*connected, "run", str(SELFTEST)]
