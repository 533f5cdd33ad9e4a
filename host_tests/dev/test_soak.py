"""Thousands of frames leak no memory: a short version of scripts/dev/soak_test.py, on a real MicroPython."""

from __future__ import annotations

import os
import runpy
import subprocess
from pathlib import Path

import pytest
import vm
from commands import script

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "scripts" / "device" / "soak_test.py"
SOAK = runpy.run_path(str(ROOT / "scripts" / "dev" / "soak_test.py"))


@pytest.mark.proof(
    "scripts/dev/soak_test.py", "scripts/device/soak_test.py", "lib/n6post/**/*.py", "host_tests/micropython/**/*.py"
)
def test_1200_frames_of_tracks_zones_and_json_do_not_leak() -> None:
    vm.module()  # skipped without node
    done = script("dev/soak_test.py", "--frames", "1200", "--block", "200")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("No memory leak.\n")


def test_a_memory_leak_is_noticed(tmp_path: Path) -> None:
    """A leak of 16 bytes every fifty frames is found."""
    leaking = tmp_path / "soak_test.py"
    line = "        scenes.prepare()\n"
    text = DEVICE.read_text(encoding="utf-8")
    assert line in text
    leak = "        if number % 50 == 0:\n            script.left = [getattr(script, 'left', 0)]\n"
    leaking.write_text(text.replace(line, line + leak), encoding="utf-8")
    report = SOAK["on_npms_micropython"](leaking, 300, 50)
    assert report["growth"] >= 16 * 4 and not SOAK["judged"](report)


def test_no_family_leaks_memory_on_micropython_with_ulab() -> None:
    binary = vm.with_ulab()
    done = script("dev/soak_test.py", "--frames", "1200", "--block", "200", "--micropython", binary)
    assert done.returncode == 0, done.stdout + done.stderr


def test_frames_after_a_memory_error_are_right_on_micropython() -> None:
    binary = vm.with_ulab()
    words = [binary, "-X", "heapsize=8m", str(ROOT / "scripts" / "device" / "oom_test.py"), "0", "9999", "6"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"MICROPYPATH": str(ROOT / "lib")})
    assert done.stdout.splitlines()[-1].endswith(" passed, 0 failed"), done.stdout + done.stderr


def test_the_files_for_a_camera_run_are_written(tmp_path: Path) -> None:
    done = script("dev/soak_test.py", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "boxes" / "yolov8n_seg_320_astronaut.bin").stat().st_size == 116 * 2100 + 80 * 80 * 32
    assert (tmp_path / "maps" / "soak.json").is_file()
