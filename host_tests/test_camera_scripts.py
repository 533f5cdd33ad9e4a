"""The scripts in scripts/camera run as they are on a PC, with real models where ../shared has them."""

from __future__ import annotations

import ctypes
import itertools
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import _host
import csi
import image
import n6post
import numpy as np
import pytest
import recorded
from commands import script
from n6post.detection import with_keypoints
from PIL import Image as PilImage
from PIL import ImageOps
from ulab import _host as ulab_host

ROOT = Path(__file__).parents[1]
CAMERA = ROOT / "scripts" / "camera"

# example: model, picture, and what it prints of that picture
EXAMPLES = {
    "yolov8_seg": (
        "yolov8n_320_quant_pc_ii_seg_coco-st.tflite",
        "bus.jpg",
        r"bus 0\.\d\d at .*: \d+ pixels around \(",
    ),
    "yolov8": ("yolov8n_192.tflite", "person.bmp", r"\S+ 0\.\d\d, middle at \d+, \d+"),
    "yolov8_pose": ("yolov8n_256_quant_pc_uf_pose_coco-st.tflite", "bus.jpg", r"[1-4] people, "),
    "movenet": ("movenet_singlepose_192.tflite", "person.bmp", r"score 0\.\d\d, head at \d+, \d+ \(0"),
    "deeplab": (
        "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx",
        "person.bmp",
        r"1: \d+\.\d % of the frame",
    ),
    "privacy": ("yolov8n_320_quant_pc_ii_seg_coco-st.tflite", "bus.jpg", r"[3-5] people hidden, "),
    "background": ("yolov8n_320_quant_pc_ii_seg_coco-st.tflite", "bus.jpg", r"[3-5] people before it, "),
}
MOST_CHANGED = {"background": 0.97}  # of the picture; else .7


def run(folder: Path, camera_script: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    return script("run_on_host.py", CAMERA / camera_script, *arguments, cwd=folder)


@pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])
@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_finds_and_draws_on_a_real_photograph(
    example: str, firmware: str, shared: Path, tmp_path: Path
) -> None:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("onnxruntime")
    model, picture, says = EXAMPLES[example]
    out, photo, file = tmp_path / "out.png", shared / "pictures" / picture, shared / "models" / model
    options = ("--picture", photo, "--model", file, "--firmware", firmware, "--frames", 2, "--out", out)
    done = run(tmp_path, f"{example}.py", *options)
    assert done.returncode == 0, done.stderr
    assert re.search(says, done.stdout), done.stdout
    assert len(re.findall(r"[\d.]+ fps", done.stdout)) == 2
    assert "output 0:" not in done.stdout  # a finding of diagnose
    with PilImage.open(out) as drawn:
        assert drawn.size == (640, 480)
        with PilImage.open(photo) as plain:
            expected = np.asarray(ImageOps.pad(plain.convert("RGB"), drawn.size, PilImage.Resampling.LANCZOS))
        changed = np.abs(np.asarray(drawn.convert("RGB")).astype(int) - expected).max(axis=2) > 40
        assert 0.002 < changed.mean() < MOST_CHANGED.get(example, 0.7)


# example over time: model, what its .txt says, and what it prints of the first eight seconds of the street
STREET = {
    "count_people": ("yolov8n_192.tflite", "person", r"\d came: [3-9] in, \d out"),
    "zone_alarm": ("yolov8n_192.tflite", "person", r"\d+ has been here for \d+\.\d seconds"),
    "send_results": ("yolov8n_192.tflite", "person", r"UART\(3\): b'\[\{\"rect\": \[\d+, \d+, \d+, \d+\], \"score\": 0\.\d"),
}


@pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])
@pytest.mark.parametrize("example", STREET)
def test_an_example_over_time_runs_through_a_street(example: str, firmware: str, shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    model, label, says = STREET[example]
    video = shared / "video" / "street.avi"
    if not video.exists():
        pytest.skip("needs the street in ../shared, which is not part of the project")
    file = tmp_path / model
    file.symlink_to(shared / "models" / model)
    file.with_suffix(".txt").write_text(label + "\n")
    options = ("--picture", video, "--model", file, "--firmware", firmware, "--frames", 80, "--out", tmp_path / "out.png")
    # A PC runs through eight seconds of street in two: the alarm may not wait for three.
    text = (CAMERA / f"{example}.py").read_text()
    hurried = tmp_path / f"{example}.py"
    hurried.write_text(text.replace("SECONDS = 3.0", "SECONDS = 0.1"))
    assert (hurried.read_text() != text) == (example == "zone_alarm")
    done = run(tmp_path, str(hurried), *options)
    assert done.returncode == 0, done.stderr
    assert re.search(says, done.stdout), done.stdout


class EnoughError(Exception):
    """Ends the endless loop of an example."""


def person(shoulders: tuple[int, int], hips: tuple[int, int], score: float = 0.9) -> Any:
    """13 joints, of which the left and the right one lie 20 pixels apart."""
    keypoints = np.zeros((13, 3), np.float32)
    for joint, (x, y) in ((1, shoulders), (7, hips)):
        keypoints[joint], keypoints[joint + 1] = (x - 10, y, score), (x + 10, y, score)
    return with_keypoints(0.3)((0, 0, 9, 9), 0.9, 0, "person", None, ulab_host.wrap(keypoints))


@pytest.mark.parametrize(
    "people, alarms",
    [
        ([person((200, 300), (100, 310))], 4),  # lies, for 1, 2, 3, 4, 5 seconds
        ([person((200, 100), (190, 300))], 0),
        ([person((200, 300), (100, 310), score=0.1)], 0),  # joints that are not seen tell nothing
        ([], 0),
    ],
)
def test_the_alarm_of_a_fall_goes_off_after_two_seconds_of_lying(
    people: list[Any], alarms: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = itertools.count(0, 1000)
    shown = itertools.count()

    class Camera:
        def snapshot(self) -> Any:
            if next(shown) == 5:
                raise EnoughError
            return image.Image(320, 240, image.RGB565)

        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: None

    _host.install()
    monkeypatch.setattr(csi, "CSI", Camera)
    monkeypatch.setattr(n6post, "load", lambda path: SimpleNamespace(predict=lambda inputs: people))
    # A second goes by whenever it is asked: at first, then once a frame, and once more where nobody lies.
    monkeypatch.setattr(time, "ticks_ms", lambda: next(clock), raising=False)
    with pytest.raises(EnoughError):
        runpy.run_path(str(CAMERA / "fall_alarm.py"))
    assert capsys.readouterr().out.count("somebody has been lying there for") == alarms


def test_every_family_has_an_example() -> None:
    sources = "".join((CAMERA / f"{name}.py").read_text() for name in EXAMPLES)
    for family in ("YoloV8Seg", "YoloV8Pose", "MoveNet"):
        assert f"n6post.{family}(" in sources
    assert sources.count("n6post.load(") == 2  # YoloV8, DeepLab
    assert "n6post.diagnose(model)" in sources


@pytest.mark.parametrize("example", EXAMPLES)
def test_an_example_fits_on_a_screen(example: str) -> None:
    assert len((CAMERA / f"{example}.py").read_text().splitlines()) <= 36


def test_the_benchmark_prints_a_markdown_table_of_every_family(tmp_path: Path) -> None:
    blank = tmp_path / "blank.png"
    PilImage.new("RGB", (64, 48)).save(blank)
    done = run(tmp_path, "benchmark.py", "--picture", blank)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0:2] == ["| work | ms | in kernels | the rest |", "| --- | ---: | --- | ---: |"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:-2]]
    assert all(len(row) == 4 and re.fullmatch(r"\d+\.\d\d", row[1]) for row in rows)
    assert rows[0][0].startswith("start: import, YoloV8Seg") and lines[-1].startswith("n6post ")
    for family, kernel in (
        ("YoloV8Seg, ", "prototype_mask"),
        ("YoloV8, ", "candidates"),
        ("YoloV8Pose, ", "candidates"),
        ("MoveNet, ", "peaks"),
        ("DeepLab, ", "class_map"),
    ):
        (first, *_) = [row for row in rows if row[0].startswith(family)]
        assert f"{kernel} " in first[2]
    drawn = [row for row in rows if row[0].startswith("drawing")]
    assert any("tint_mask " in row[2] for row in drawn) and any("tint_map " in row[2] for row in drawn)


@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_the_benchmark_takes_floats_from_any_address_of_a_romfs(offset: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core reads floats at multiples of 4 only; int8 stays where it is."""
    _host.install()
    monkeypatch.setattr(sys, "argv", ["benchmark.py", "/rom"])
    benchmark = runpy.run_path(str(CAMERA / "benchmark.py"))
    values = np.random.default_rng(1).random((1, 5, 756)).astype(np.float32)
    memory = np.zeros(values.nbytes + 8, np.uint8)
    first = -memory.ctypes.data % 4 + offset
    memory[first : first + values.nbytes] = np.frombuffer(values.tobytes(), np.uint8)

    class File(ctypes.c_ubyte * values.nbytes):  # type: ignore[misc]
        """A file that is memory."""

        def __enter__(self) -> Any:
            return self

        def __exit__(self, *error: object) -> None:
            pass

    def opened(path: str, mode: str) -> Any:
        assert path.startswith("/rom/")
        return File.from_buffer(memory, first)

    tensors = benchmark["file_of"].__globals__
    monkeypatch.setitem(tensors, "open", opened)
    (found,) = benchmark["det"]()[1]
    np.testing.assert_array_equal(found._np, values)
    assert found._np.ctypes.data % 4 == 0
    assert np.shares_memory(found._np, memory) == (offset == 0)
    grey = benchmark["file_of"]("any", (values.nbytes,), tensors["np"].int8)
    assert np.shares_memory(grey._np, memory)


def test_the_benchmark_takes_tensors_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = script("dev/benchmark_tensors.py", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {p.stem for p in tmp_path.glob("*.bin")} == {
        "seg_head", "seg_protos", "det", "pose", "movenet", "deeplab_320",
    }  # fmt: skip
    _host.install()
    monkeypatch.setattr(sys, "argv", ["benchmark.py", str(tmp_path)])
    benchmark = runpy.run_path(str(CAMERA / "benchmark.py"))
    _, (head, protos) = benchmark["seg"]()
    tensors = recorded.load("yolov8n_seg_320", "astronaut").tensors
    assert np.array_equal(head._np, tensors[0].values) and np.array_equal(protos._np, tensors[1].values)
    _, (maps,) = benchmark["class_scores"](320, 320, 2, "deeplab_320")
    assert maps.shape == (1, 320, 320, 2)
