"""Nothing is left behind by thousands of frames: a short version of scripts/dev/soak_test.py, on a genuine MicroPython."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
import vm
from commands import script

ROOT = Path(__file__).parents[2]
DEVICE = ROOT / "scripts" / "device" / "soak_test.py"


def test_1200_frames_of_tracks_zones_and_json_do_not_leak() -> None:
    vm.module()  # skipped without node
    done = script("dev/soak_test.py", "--frames", "1200", "--block", "200")
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("No memory leak.\n")


def test_a_memory_leak_is_noticed(tmp_path: Path) -> None:
    """Sixteen bytes every fifty frames are enough."""
    leaking = tmp_path / "soak_test.py"
    line = "        scenes.prepare()\n"
    text = DEVICE.read_text()
    assert line in text
    leak = "        if number % 50 == 0:\n            script.left = [getattr(script, 'left', 0)]\n"
    leaking.write_text(text.replace(line, line + leak))
    words = [vm.node(), str(ROOT / "host_tests" / "soak_vm.mjs"), str(vm.module()), str(ROOT / "lib"), str(leaking)]
    done = subprocess.run([*words, "300", "50"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    growth = int(done.stdout.split('"growth": ')[1].split(",")[0].rstrip("}\n"))
    assert growth >= 16 * 4


def test_all_families_leave_nothing_on_micropython_with_ulab() -> None:
    binary = os.environ.get("N6POST_MICROPYTHON")
    if not binary:
        pytest.skip("needs a MicroPython with ulab: its path in the environment variable N6POST_MICROPYTHON")
    done = script("dev/soak_test.py", "--frames", "1200", "--block", "200", "--micropython", binary)
    assert done.returncode == 0, done.stdout + done.stderr


def test_frames_after_a_memory_error_are_right_on_micropython() -> None:
    binary = os.environ.get("N6POST_MICROPYTHON")
    if not binary:
        pytest.skip("needs a MicroPython with ulab: its path in the environment variable N6POST_MICROPYTHON")
    words = [binary, "-X", "heapsize=8m", str(ROOT / "scripts" / "device" / "oom_test.py"), "0", "9999", "6"]
    done = subprocess.run(words, capture_output=True, text=True, env=os.environ | {"MICROPYPATH": str(ROOT / "lib")})
    assert done.stdout.splitlines()[-1].endswith(" passed, 0 failed"), done.stdout + done.stderr


def test_what_a_camera_reads_for_it_is_written(tmp_path: Path) -> None:
    done = script("dev/soak_test.py", "--folder", tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "boxes" / "yolov8n_seg_320_astronaut.bin").stat().st_size == 116 * 2100 + 80 * 80 * 32
    assert (tmp_path / "maps" / "soak.json").is_file()
