"""The scripts of scripts/examples and scripts/device/benchmark.py run unchanged on a PC.

They run on recorded tensors everywhere, and on real models where ../shared has them.
"""

from __future__ import annotations

import ast
import ctypes
import importlib
import json
import os
import re
import runpy
import select
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import _host
import cbor2
import csi
import image
import n6post
import numpy as np
import protocol
import pytest
from commands import script
from fakes import RECORDED_FAMILIES
from image import _formats
from n6post_pc.demo import recorded
from PIL import Image as PilImage
from PIL import ImageOps

pytestmark = pytest.mark.proof(
    "scripts/examples/*.py", "stubs/**/*.py",
    "lib/n6post/drawing/*.py", "lib/n6post/streams/*.py", "lib/n6post/events/*.py",
    "lib/n6post/tracking/*.py",
)  # fmt: skip

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "scripts" / "examples"
BENCHMARK = ROOT / "scripts" / "device" / "benchmark.py"

# example: model, picture, a line that it prints for this picture
ONE_PICTURE = {
    "yolov8_seg": (
        "yolov8n_320_quant_pc_ii_seg_coco-st.tflite",
        "bus.jpg",
        r"bus 0\.\d\d at .*: \d+ pixels around \(",
    ),
    "yolov8": ("yolov8n_192.tflite", "person.bmp", r"\S+ 0\.\d\d, middle at \d+, \d+"),
    "yolov8_pose": ("yolov8n_256_quant_pc_uf_pose_coco-st.tflite", "bus.jpg", r"people: [1-4], "),
    "movenet": ("movenet_singlepose_192.tflite", "person.bmp", r"score 0\.\d\d, head at \d+, \d+ \(0"),
    "deeplab": (
        "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx",
        "person.bmp",
        r"1: \d+\.\d % of the frame",
    ),
    "privacy": ("yolov8n_320_quant_pc_ii_seg_coco-st.tflite", "bus.jpg", r"[3-5] hidden, "),
    "background": ("yolov8n_320_quant_pc_ii_seg_coco-st.tflite", "bus.jpg", r"[3-5] in front, "),
    "faces": ("blazeface_front_128.tflite", "person.bmp", r"face 0\.\d\d at .* looks straight ahead"),
    "yunet": ("yunet_n_320_320.onnx", "faces.bmp", r"face 1: score 0\.\d\d, mouth 0\.\d\d of the eyes' distance"),
    "fomo_count": ("fomo_face_detection.tflite", "faces.bmp", r"[1-9] now: face"),
    "yolo_lc": ("yolo_lc_192.tflite", "bus.jpg", r"person 0\.\d\d at \("),
}
MOST_CHANGED = {"background": 0.97}  # fraction of the picture; .7 for the others
# example: the recording for a PC without real models
RECORDINGS = {
    "yolov8_seg": "yolov8n_seg_320", "yolov8": "yolov8n_192", "yolov8_pose": "yolov8n_pose_256", "movenet": "movenet_17_192",
    "deeplab": "deeplab_320", "fomo_count": "fomo/portraits", "classify": "person/astronaut", "depth": "depth/coffee",
    "privacy": "yolov8n_seg_320", "background": "yolov8n_seg_320", "obb": "oriented boxes",
}  # fmt: skip


def run(folder: Path, camera_script: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return script("run_on_host.py", camera_script, *arguments, cwd=folder)


@pytest.mark.parametrize("example", RECORDINGS)
def test_an_example_detects_and_draws_on_recorded_tensors(example: str, tmp_path: Path) -> None:
    PilImage.new("RGB", (640, 480), (90, 120, 150)).save(tmp_path / "photo.png")
    (tmp_path / "model.tflite").write_text(RECORDINGS[example], encoding="utf-8")
    if example == "obb":  # without labels, the angle might be a class
        (tmp_path / "model.txt").write_text("ship\ntruck\ntile\n", encoding="utf-8")
    options = ("--model", "model.tflite", "--picture", "photo.png", "--frames", "2", "--out", "out.png")
    command = (ROOT / "host_tests" / "recorded_models.py", ROOT / "scripts", "host", EXAMPLES / f"{example}.py", *options)
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert len(re.findall(r"[\d.]+ fps", done.stdout)) == 2
    with PilImage.open(tmp_path / "out.png") as drawn:
        colors = {color for _, color in drawn.convert("RGB").getcolors(1 << 18)}
    assert (len(colors) > 1) == (example != "privacy"), "privacy hides people of one color behind blocks of this color"


@pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])
@pytest.mark.parametrize("example", ONE_PICTURE)
def test_an_example_detects_and_draws_on_a_real_photograph(
    example: str, firmware: str, shared: Path, tmp_path: Path
) -> None:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("onnxruntime")
    model, picture, line = ONE_PICTURE[example]
    out, photo, file = tmp_path / "out.png", shared / "pictures" / picture, shared / "models" / model
    options = ("--picture", photo, "--model", file, "--firmware", firmware, "--frames", 2, "--out", out)
    done = run(tmp_path, EXAMPLES / f"{example}.py", *options)
    assert done.returncode == 0, done.stderr
    assert re.search(line, done.stdout), done.stdout
    assert len(re.findall(r"[\d.]+ fps", done.stdout)) == 2
    assert "output 0:" not in done.stdout  # a finding of diagnose
    with PilImage.open(out) as drawn:
        assert drawn.size == (640, 480)
        with PilImage.open(photo) as plain:
            expected = np.asarray(ImageOps.pad(plain.convert("RGB"), drawn.size, PilImage.Resampling.LANCZOS))
        changed = np.abs(np.asarray(drawn.convert("RGB")).astype(int) - expected).max(axis=2) > 40
        assert 0.002 < changed.mean() < MOST_CHANGED.get(example, 0.7)


# ---- through eight seconds of a street ----

PEOPLE = "yolov8n_192.tflite"
FRAMES = 80


def through_the_street(
    example: str, firmware: str, shared: Path, folder: Path, model: str = PEOPLE, before: str = "", **instead: str
) -> tuple[subprocess.CompletedProcess[str], Any]:
    """The finished example and its last frame. before: code that runs first; instead: other values of its constants."""
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("av")
    video = shared / "video" / "street.avi"
    file = folder / model
    if not file.exists():
        file.symlink_to(shared / "models" / model)
        if model == PEOPLE:  # of one class; the others have the classes of COCO
            file.with_suffix(".txt").write_text("person\n", encoding="utf-8")
    text = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
    for name, value in instead.items():
        text, found = re.subn(rf"^{name} = .*$", f"{name} = {value}", text, flags=re.MULTILINE)
        assert found == 1, name
    (folder / f"{example}.py").write_text(before + text, encoding="utf-8")
    options = ("--model", file, "--firmware", firmware, "--frames", FRAMES, "--out", folder / "drawn.png")
    done = run(folder, folder / f"{example}.py", "--picture", video, *options)
    with PilImage.open(folder / "drawn.png") as picture:
        return done, np.asarray(picture.convert("RGB")).astype(int)


@pytest.fixture(scope="module")
def plain(shared: Path) -> Any:
    """The last of these frames, as the camera returns it."""
    pytest.importorskip("av")
    video = importlib.import_module("_video").Video(shared / "video" / "street.avi")
    picture = ImageOps.pad(PilImage.fromarray(video[FRAMES - 1]).convert("RGB"), (640, 480), PilImage.Resampling.LANCZOS)
    frame = image.Image(640, 480, image.RGB565)
    frame._store(_formats.rgb888_to_rgb565(*np.moveaxis(np.asarray(picture), 2, 0)))
    return np.asarray(frame.to_pil().convert("RGB")).astype(int)


FIRMWARES = pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])


@FIRMWARES
def test_counts_and_results_are_the_same_on_every_channel(
    firmware: str, shared: Path, plain: Any, tmp_path: Path
) -> None:
    """count_people prints crossings; UART and USB carry a line of JSON per frame, the channel carries the counts."""
    done, drawn = through_the_street("count_people", firmware, shared, tmp_path)
    assert done.returncode == 0, done.stderr
    crossings = re.findall(r"^#(\d+) person (?:entered|left): (\d+) in, (\d+) out$", done.stdout, re.MULTILINE)
    assert len(crossings) == len(done.stdout.splitlines()) >= 3
    assert [int(i) + int(o) for _, i, o in crossings[-1:]] == [len(crossings)] and int(crossings[-1][1]) >= 3
    assert (drawn[240, 400:600] == 255).all() and not (plain[240, 400:600] == 255).all()  # the line

    whole = "import _host\n_host._SHOWN = 1 << 20\n"
    done, _ = through_the_street("send_results", firmware, shared, tmp_path, before=whole)
    assert done.returncode == 0, done.stderr
    sent = [ast.literal_eval(line.removeprefix("UART(3): ")).decode() for line in done.stdout.splitlines()]
    found = [json.loads(line) for line in sent]
    assert len(found) == FRAMES and all(line.endswith("\n") for line in sent)
    assert {int(track_id) for track_id, *_ in crossings} < {d["track_id"] for frame in found for d in frame}
    assert {d["label"] for frame in found for d in frame} == {"person"}
    assert max(map(len, found)) >= 5

    done, _ = through_the_street("send_results_usb", firmware, shared, tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "".join(sent)

    hexed = "import protocol\nprotocol._host_reader = lambda name, data: print(name, data.hex())\n"
    done, _ = through_the_street("live_counts", firmware, shared, tmp_path, before=hexed)
    if firmware < "5":
        assert done.returncode == 1 and "no module named 'protocol'" in done.stderr
        return
    assert done.returncode == 0, done.stderr
    names, data = zip(*[line.split() for line in done.stdout.splitlines()])
    assert set(names) == {"people"}
    read = [cbor2.loads(bytes.fromhex(text)) for text in data]
    assert all([(f[0], f[-30]) for f in fields] == [(n, "label") for n in ("people", "in", "out", "fps")] for fields in read)
    people, entered, left, fps = zip(*[[field[2] for field in fields] for fields in read])
    assert list(people) == [0] + [len(frame) for frame in found[:-1]]  # read before each frame
    assert [entered[-1], left[-1]] == [int(n) for n in crossings[-1][1:]]
    assert fps[0] == 0 and all(0 < rate == round(rate, 1) for rate in fps[1:])


@FIRMWARES
def test_a_zone_alarm_goes_off_and_its_zone_turns_red(
    firmware: str, shared: Path, plain: Any, tmp_path: Path
) -> None:
    done, drawn = through_the_street("zone_alarm", firmware, shared, tmp_path)
    assert done.returncode == 0, done.stderr
    stays = re.findall(r"^#(\d+) person has been here for (\d+\.\d) seconds$", done.stdout, re.MULTILINE)
    assert len(stays) == len([line for line in done.stdout.splitlines() if "LED" not in line]) > 5
    assert all(float(seconds) >= 3.0 for _, seconds in stays)
    assert through_the_street("zone_alarm", firmware, shared, tmp_path)[0].stdout == done.stdout, "not the PC's time"
    edge = drawn[160, 210:450]  # from the zone's first corner to the second
    assert (edge == (255, 0, 0)).all(axis=1).mean() > 0.5 and not (plain[160, 210:450] == (255, 0, 0)).all(axis=1).any()


@FIRMWARES
def test_the_alarm_of_a_second_task_blinks_while_the_zone_is_occupied(
    firmware: str, shared: Path, plain: Any, tmp_path: Path
) -> None:
    done, drawn = through_the_street("async_alarm", firmware, shared, tmp_path)
    assert done.returncode == 0 and "rror" not in done.stderr, done.stderr
    # Twice a second, for the most of eight seconds; the LED waits for the end of a frame of 0.1 seconds.
    assert 10 <= len(done.stdout.splitlines()) <= 16 and set(done.stdout.splitlines()) == {"alarm"}
    assert (drawn != plain).any(axis=2).sum() > 1000
    assert through_the_street("async_alarm", firmware, shared, tmp_path)[0].stdout == done.stdout


@FIRMWARES
def test_the_fall_alarm_stays_silent_on_a_street_of_walkers(
    firmware: str, shared: Path, plain: Any, tmp_path: Path
) -> None:
    """MoveNet finds one person in a crowd of small ones: its keypoints jump, but no pose lasts for two seconds."""
    done, drawn = through_the_street("fall_alarm", firmware, shared, tmp_path, "movenet_singlepose_192.tflite")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert 200 < (drawn != plain).any(axis=2).sum() < 60000  # a skeleton


@FIRMWARES
def test_people_become_coarse_blocks_and_the_street_stays_sharp(
    firmware: str, shared: Path, plain: Any, tmp_path: Path
) -> None:
    model = "yolov8n_320_quant_pc_ii_seg_coco-st.tflite"
    done, drawn = through_the_street("privacy", firmware, shared, tmp_path, model)
    assert done.returncode == 0, done.stderr
    people = [int(n) for n in re.findall(r"^(\d+) hidden, [\d.]+ fps$", done.stdout, re.MULTILINE)]
    assert len(people) == FRAMES and min(people[1:]) >= 2 and people[-1] >= 5
    changed = (drawn != plain).any(axis=2)
    assert 0.01 < changed.mean() < 0.2
    pairs = changed[:, 1:] & changed[:, :-1]
    # Blocks of at least 8 pixels: seven of eight neighbors have the same color.
    same, before = [(frame[:, 1:] == frame[:, :-1]).all(axis=2)[pairs].mean() for frame in (drawn, plain)]
    assert same > 0.85 and before < 0.5


# ---- with a custom model ----

OBJECTS = (
    "yolov8", "yolov8_seg", "count_people", "zone_alarm", "live_counts", "send_results", "send_results_usb", "privacy",
    "background",
)  # fmt: skip


@pytest.mark.parametrize("example", OBJECTS)
def test_an_example_runs_on_a_model_with_custom_classes(example: str, shared: Path, tmp_path: Path) -> None:
    """Two apples. Only examples for people name a class: they end with the labels that the model has."""
    pytest.importorskip("ai_edge_litert")
    fruit = shared / "models" / "fruit"
    options = ("--picture", fruit / "test" / "test_000.jpg", "--model", fruit / "fruit.tflite", "--frames", 2)
    done = run(tmp_path, EXAMPLES / f"{example}.py", *options, "--out", "all.png")
    if example in ("privacy", "background"):
        assert done.returncode == 1
        assert done.stderr.count("ValueError: classes: expected one of 'apple', 'pear', 'plum', got 'person'") == 1
        text = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
        (tmp_path / "edited.py").write_text(text.replace('CLASSES = ["person"]', 'CLASSES = ["apple"]'), encoding="utf-8")
        done = run(tmp_path, tmp_path / "edited.py", *options, "--out", "all.png")
        assert re.findall(r"^(\d) (?:hidden|in front), ", done.stdout, re.MULTILINE) == ["2", "2"]
    assert done.returncode == 0, done.stderr
    if example in ("yolov8", "yolov8_seg", "send_results", "send_results_usb"):
        assert done.stdout.count("apple") in (1, 2, 4)  # a UART's line is cut
    assert (tmp_path / "all.png").exists()


# example: picture, its models in ../shared/models, a line that it prints for this picture
PIPELINES = {
    "hand": ("hand.bmp", ["palm_detection_full_192", "hand_landmarks_full_224"], r"left hand: peace, index finger at 29"),
    "face_mesh": ("person.bmp", ["blazeface_front_128", "face_landmarks_192"], r"left eye open 0\.2\d, mouth 0\.[12]\d"),
    "two_models": ("bus.jpg", ["yolov8n_192", "movenet_singlepose_192"], r"people: 3, "),
    "who_is_it": ("bus.jpg", ["yolov8n_192", "osnet_a025_256_128_tfs_int8"], r"here: \[1, 2"),
}


@pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])
@pytest.mark.parametrize("example", PIPELINES)
def test_an_example_runs_two_models_on_a_real_photograph(
    example: str, firmware: str, shared: Path, tmp_path: Path
) -> None:
    pytest.importorskip("ai_edge_litert")
    picture, models, line = PIPELINES[example]
    options: list[object] = [text for name in models for text in ("--model", f"{name}={shared / 'models' / name}.tflite")]
    options += ["--picture", shared / "pictures" / picture, "--firmware", firmware, "--frames", 3]
    done = run(tmp_path, EXAMPLES / f"{example}.py", *options, "--out", "out.png")
    assert done.returncode == 0, done.stderr
    assert len(re.findall(line, done.stdout)) >= 2, done.stdout
    with PilImage.open(tmp_path / "out.png") as drawn:
        assert drawn.size == (640, 480)


def test_every_example_has_its_model_and_classes_at_its_top() -> None:
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        if "n6post.detections(" in text:
            continue  # without a network
        constants, _, code = text.partition("\ncam = csi.CSI()\n")
        assert re.search(r'^MODEL = "/rom/\w+\.tflite"  # or ', constants, re.MULTILINE), path.name
        assert "n6post.load(MODEL" in code and ("CLASSES = " in constants) == ("classes=CLASSES" in code), path.name
        assert "predict([img])" not in code, f"{path.name}: a plain image is stretched or cropped"


# ---- on any PC ----


@pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])
def test_blobs_are_tracked_in_a_zone_without_a_network(firmware: str, tmp_path: Path) -> None:
    picture = np.full((240, 320, 3), 90, np.uint8)
    picture[40:100, 30:90] = 255, 0, 0
    picture[120:180, 200:280] = 0, 255, 0
    PilImage.fromarray(picture).save(tmp_path / "spots.png")
    options = ("--picture", "spots.png", "--firmware", firmware, "--frames", 4, "--out", "out.png")
    done = run(tmp_path, EXAMPLES / "blobs.py", *options)
    assert done.returncode == 0, done.stderr
    assert re.findall(r"#(\d) (\w+) in the right half for \d\.\d s", done.stdout) == [("2", "green")] * 3
    with PilImage.open(tmp_path / "out.png") as drawn:
        assert (np.asarray(drawn.convert("RGB")).astype(int) - picture != 0).any()



class EnoughError(Exception):
    """Ends the endless loop of an example."""


def see(monkeypatch: pytest.MonkeyPatch, predicted: Iterator[list[Any]]) -> None:
    """A camera with black frames, and a model with these detections, frame by frame."""

    class Camera:
        def snapshot(self) -> Any:
            _host.poll()
            self.found = next(predicted, None)
            if self.found is None:
                raise EnoughError
            return image.Image(480, 360, image.RGB565)

        def __getattr__(self, name: str) -> Any:
            return lambda *arguments: None

    _host.install()
    camera = Camera()
    monkeypatch.setattr(csi, "CSI", lambda: camera)
    monkeypatch.setattr(n6post, "load", lambda path, **options: SimpleNamespace(predict=lambda inputs: camera.found))


def printed(example: str, capsys: pytest.CaptureFixture[str]) -> list[str]:
    with pytest.raises(EnoughError):
        runpy.run_path(str(EXAMPLES / f"{example}.py"))
    return capsys.readouterr().out.splitlines()


def test_uart_usb_and_channel_carry_the_results_of_a_recorded_street(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    people = [[d for d in found if d.label == "person"] for found in recorded.street()]
    now = 0

    def frames() -> Iterator[Any]:
        """The street on the camera's clock: 10 frames a second."""
        nonlocal now
        for found in people:
            now += 100
            yield found

    monkeypatch.setattr("time.ticks_ms", lambda: now)
    see(monkeypatch, frames())
    crossing = re.compile(r"#\d+ person (entered|left): (\d+) in, (\d+) out")
    crossings = [crossing.fullmatch(line) for line in printed("count_people", capsys)]
    last = crossings[-1]
    assert last and int(last[2]) + int(last[3]) == len(crossings) > 1

    see(monkeypatch, frames())
    lines = printed("send_results_usb", capsys)
    found = [json.loads(line) for line in lines]
    assert len(found) == len(people) == 300
    tracker = n6post.Tracker(threshold=0.4)
    tracked = [tracker.update(one, elapsed_ms=100 if k else 0) for k, one in enumerate(people[:40])]
    assert found[:40] == [[json.loads(json.dumps(d.as_dict())) for d in one] for one in tracked]

    monkeypatch.setattr(_host, "_SHOWN", 1 << 20)
    see(monkeypatch, frames())
    sent = [ast.literal_eval(line.removeprefix("UART(3): ")) for line in printed("send_results", capsys)]
    assert sent == [line.encode() + b"\n" for line in lines]

    read: list[Any] = []
    monkeypatch.setattr(protocol, "_host_reader", lambda name, data: read.append((name, cbor2.loads(data))))
    see(monkeypatch, frames())
    try:
        assert printed("live_counts", capsys) == []
    finally:
        protocol._host_forget()
    assert [[field[2] for field in fields[:3]] for _, fields in read[-1:]] == [[len(found[-1]), int(last[2]), int(last[3])]]
    assert [fields[0][2] for _, fields in read[1:]] == [len(now) for now in found]
    assert {name for name, _ in read} == {"people"} and all(fields[3][2] > 0 for _, fields in read[1:])


# ---- the receivers: the programs of docs/results.md ----

_RESULTS = (ROOT / "docs" / "results.md").read_text(encoding="utf-8")
# The programs for a PC: with a serial port, and with a channel.
RECEIVERS = [
    text for text in re.findall(r"^```python\n(.*?)^```", _RESULTS, re.DOTALL | re.MULTILINE)
    if re.search(r"^(import serial|from openmv|import openmv)", text, re.MULTILINE)
]  # fmt: skip


@pytest.mark.skipif(os.name == "nt", reason="needs a pseudo-terminal")
def test_the_serial_port_program_skips_messages_and_partial_lines() -> None:
    import pty
    import tty

    ours, theirs = pty.openpty()
    tty.setraw(theirs)
    d = n6post.Detection((1, 2, 30, 40), 0.5, 0, "person", None, None)
    d.track_id = 7
    line = n6post.to_json([d])
    program = "print('here')\n" + RECEIVERS[0].replace("/dev/ttyUSB0", os.ttyname(theirs))
    running = subprocess.Popen([sys.executable, "-u", "-c", program], stdout=subprocess.PIPE, text=True)
    assert running.stdout is not None
    try:
        assert running.stdout.readline() == "here\n"
        # What a camera with .py files prints first, and the noise of a UART.
        message = (ROOT / "lib/n6post/__init__.py").read_text(encoding="utf-8").partition('print("')[2].partition('"')[0]
        assert message.startswith("n6post: this camera compiles")
        others = f"{message}\r\n\r\nTraceback (most recent call last):\r\n".encode() + b"\xff\xfe\x80\n"
        for cut in (line[40:], *[line[2:]] * 100):  # opening the port discards earlier bytes
            os.write(ours, f"{cut}\r\n".encode() + others + f"{line}\r\n[]\r\n".encode() + others + f"{line}\n".encode())
            if select.select([running.stdout], [], [], 0.2)[0]:
                break
        assert running.stdout.readline() == running.stdout.readline() == "7 person [1, 2, 30, 40]\n"
    finally:
        running.kill()
        running.wait()
        os.close(ours)
        os.close(theirs)


CAMERA_OF_OPENMV = """
import cbor2
class Camera:
    def __init__(self, port, **options): self.calls, self.asked = [], 0
    def __enter__(self): return self
    def __exit__(self, *error): pass
    def stop(self): self.calls.append("stop")
    def exec(self, script): assert self.calls == ["stop"] and "CBORChannel" in script; self.calls.append("exec")
    def read_status(self):
        self.asked += 1
        if self.asked == 4: raise SystemExit
        return {"stdout": True, "people": self.asked > 1} if self.asked > 1 else {"stdout": True}
    def channel_read(self, channel, size=None):
        assert channel == "people" and self.calls == ["stop", "exec"]
        return cbor2.dumps([{0: "in", -30: "label", 2: self.asked}, {0: "fps", -30: "label", 2: 14.5, 1: "Hz"}])
"""


def test_the_channel_program_reads_the_labels(tmp_path: Path) -> None:
    """With a fake of the Camera of PyPI's openmv 1.0.7, which needs a real camera."""
    (tmp_path / "openmv.py").write_text(CAMERA_OF_OPENMV, encoding="utf-8")
    code = "import sys; sys.path.insert(0, sys.argv[1])\n" + RECEIVERS[1]
    done = subprocess.run([sys.executable, "-c", code, tmp_path], cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "{'in': 2, 'fps': 14.5}\n{'in': 3, 'fps': 14.5}\n"


def test_every_recorded_family_has_an_example() -> None:
    pictures = dict(recorded.names())
    families = {recorded.load(model, pictures[model]).processor for model in RECORDINGS.values() if model in pictures}
    assert families == RECORDED_FAMILIES
    for path in EXAMPLES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        loads = 1 + text.count("n6post.Pipeline(")
        assert text.count("n6post.load(") == loads or "n6post.detections(" in text, path.name
    assert "n6post.diagnose(model)" in (EXAMPLES / "yolov8_seg.py").read_text(encoding="utf-8")


@pytest.mark.parametrize("example", [*ONE_PICTURE, *PIPELINES])
def test_an_example_fits_on_a_screen(example: str) -> None:
    assert len((EXAMPLES / f"{example}.py").read_text(encoding="utf-8").splitlines()) <= 38


@pytest.mark.proof("scripts/device/benchmark.py", "scripts/n6post_pc/**/*.py", "stubs/**/*.py", "lib/n6post/**/*.py")
def test_the_benchmark_prints_a_markdown_table_of_every_family(tmp_path: Path) -> None:
    blank = tmp_path / "blank.png"
    PilImage.new("RGB", (64, 48)).save(blank)
    done = run(tmp_path, BENCHMARK, "--picture", blank)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert lines[0].startswith("n6post ") and lines[-1].startswith("ms: the median of 15 frames.")
    assert lines[2:4] == ["| work | ms | in kernels | the rest |", "| --- | ---: | --- | ---: |"]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[4:-2]]
    assert all(len(row) == 4 and re.fullmatch(r"-?\d+\.\d\d", row[1]) for row in rows)
    assert rows.pop() == ["shift of a fitted frame, pixels of the input", "-0.37", "", ""]
    assert not any(row[1].startswith("-") for row in rows)
    assert rows[0][0].startswith("start: import, YoloV8Seg")
    for family, kernel in (
        ("YoloV8Seg, ", "prototype_mask"),
        ("YoloV8, ", "candidates"),
        ("YoloV8Pose, ", "candidates"),
        ("MoveNet, ", "peaks"),
        ("DeepLab, ", "class_map"),
    ):
        (first, *_) = [row for row in rows if row[0].startswith(family)]
        assert f"{kernel} " in first[2]
    over_time = [row[0] for row in rows[-5:]]
    assert over_time == [f"Tracker.update, {n} tracks and {n} detections" for n in (10, 30)] + [
        "LineZone.trigger of 10", "PolygonZone.trigger of 10", "to_json of 10",
    ]  # fmt: skip
    drawn = [row for row in rows if row[0].startswith("drawing")]
    assert any("tint_mask " in row[2] for row in drawn) and any("tint_map " in row[2] for row in drawn)


@pytest.mark.proof("scripts/device/benchmark.py")
@pytest.mark.parametrize("offset", [0, 1, 2, 3])
def test_the_benchmark_reads_floats_at_any_address_of_a_romfs(offset: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """A core reads floats only at multiples of 4; int8 tensors are not copied."""
    _host.install()
    monkeypatch.setattr(sys, "argv", ["benchmark.py", "/rom"])
    benchmark = runpy.run_path(str(BENCHMARK))
    values = np.random.default_rng(1).random((1, 5, 756)).astype(np.float32)
    memory = np.zeros(values.nbytes + 8, np.uint8)
    first = -memory.ctypes.data % 4 + offset
    memory[first : first + values.nbytes] = np.frombuffer(values.tobytes(), np.uint8)

    class File(ctypes.c_ubyte * values.nbytes):  # type: ignore[misc]
        """A file that is memory-mapped."""

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
    gray = benchmark["file_of"]("any", (values.nbytes,), tensors["np"].int8)
    assert np.shares_memory(gray._np, memory)


def test_the_benchmark_reads_tensors_from_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = script("dev/recording/benchmark_tensors.py", tmp_path)
    assert done.returncode == 0, done.stderr
    assert {p.stem for p in tmp_path.glob("*.bin")} == {
        "seg_head", "seg_protos", "det", "pose", "movenet", "deeplab_320",
    }  # fmt: skip
    _host.install()
    monkeypatch.setattr(sys, "argv", ["benchmark.py", str(tmp_path)])
    benchmark = runpy.run_path(str(BENCHMARK))
    _, (head, protos) = benchmark["seg"]()
    tensors = recorded.load("yolov8n_seg_320", "astronaut").tensors
    assert np.array_equal(head._np, tensors[0].values) and np.array_equal(protos._np, tensors[1].values)
    _, (maps,) = benchmark["class_scores"](320, 320, 2, "deeplab_320")
    assert maps.shape == (1, 320, 320, 2)
