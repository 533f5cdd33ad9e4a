"""scripts/n6post_pc/verify/agent.py and camera.py: a real MicroPython, whose modules of the firmware answer from files."""

from __future__ import annotations

import base64
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import vm
from n6post_pc import cli, command, paths
from n6post_pc.verify import answers, camera
from PIL import Image as PilImage
from test_verify import run_exact

pytest.importorskip("pty", reason="needs pseudo-terminals")
pytest.importorskip("mpremote")
pytest.importorskip("ai_edge_litert")

pytestmark = pytest.mark.proof(
    "scripts/n6post_pc/**/*.py", "stubs/**/*.py", "host_tests/vm.py", "host_tests/pc/test_verify.py"
)

# `runs` has the input and the outputs of each run; the last one is repeated. n6post's Letterbox fills the input from them,
# so the pixels of the frames do not matter.
MODULES = """
import sys
class _Made:
    pass
class _Out:
    def __init__(self, data): self._data = data
    def tobytes(self): return bytearray(self._data)
class _Model:
    made = 0
    def __init__(self, path):
        _Model.made += 1
        if _Model.made > most_models: raise MemoryError
        for name in about: setattr(self, name, about[name])
    def predict(self, inputs, callback):
        run = runs.pop(0) if len(runs) > 1 else runs[0]
        buffer = bytearray(len(run[0]))
        _Made.input = run[0]
        inputs[0](buffer, self.input_shape[0], 98)
        assert buffer == run[0]
        return callback(self, inputs, [_Out(one) for one in run[1:]])
class _Image:
    def __init__(self, width, height, kind, buffer): assert len(buffer) == 2 * width * height == frame_bytes
def _letterbox(frame):
    def fill(buffer, shape, dtype): buffer[:] = _Made.input
    return fill
for _name in ("ml", "image", "n6post", "omv"): sys.modules[_name] = _Made()
sys.modules["ml"].Model, sys.modules["image"].Image, sys.modules["image"].RGB565 = _Model, _Image, 0
sys.modules["n6post"].Letterbox = _letterbox
sys.modules["omv"].board_type, sys.modules["omv"].version_string = lambda: "AE3", lambda: "5.0.0"
import binascii
open("/rom/shapes.tflite", "w").close()
"""


def tensors(shape: tuple[int, ...], fill: int) -> np.ndarray[Any, Any]:
    return np.full(shape, fill, np.int8)


class Camera:
    """A camera with the sample network, whose runs have been computed before."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path
        self.picture = tmp_path / "gray.png"
        PilImage.new("RGB", (16, 12), (90, 90, 90)).save(self.picture)
        reference = answers.Reference(paths.SAMPLE_MODEL)
        from n6post_pc.verify import causes
        from n6post_pc.verify.command import frame_of

        self.input = causes.filled(frame_of(self.picture), "letterbox", reference.input)
        self.outputs = run_exact(paths.SAMPLE_MODEL.read_bytes(), self.input)
        self.about = {
            "input_shape": [list(reference.input.shape)], "input_dtype": ["b"],
            "output_shape": [list(map(int, one.shape)) for one in self.outputs], "output_dtype": [98, "b"],
            "output_scale": [one.scale for one in reference.outputs],
            "output_zero_point": [one.zero_point for one in reference.outputs]}  # fmt: skip
        self.most_models = 9

    def run(self, *outputs: list[np.ndarray[Any, Any]]) -> list[bytes]:
        return [self.input.tobytes(), *(one.tobytes() for one in outputs)]  # type: ignore[attr-defined]


@pytest.fixture
def ready(tmp_path: Path) -> Camera:
    return Camera(tmp_path)


def verify(ready: Camera, runs: list[list[bytes]], *words: str, boot: str = "") -> int:
    lines = [f"about, most_models, frame_bytes = {ready.about!r}, {ready.most_models}, {2 * 16 * 12}", "import binascii",
             "runs = " + repr([[base64.b64encode(one) for one in run] for run in runs]),
             "runs = [[binascii.a2b_base64(one) for one in run] for run in runs]", MODULES, boot]  # fmt: skip
    process: subprocess.Popen[bytes]
    with vm.at_a_port("\n".join(lines), ready.folder) as (port, process):
        assert process.poll() is None
        given = [str(paths.SAMPLE_MODEL), str(ready.picture), "--installed", "--port", port, *words]
        return cli.call("verify", given, "n6post verify")


@pytest.fixture
def output(capsys: pytest.CaptureFixture[str]) -> Iterator[pytest.CaptureFixture[str]]:
    yield capsys


def test_a_camera_that_computes_every_bit_is_the_same(ready: Camera, output: pytest.CaptureFixture[str]) -> None:
    out = ready.folder / "answers.npz"
    assert verify(ready, [ready.run(*ready.outputs)], "--out", str(out)) == command.FINE
    printed = output.readouterr().out
    assert "/rom/shapes.tflite on AE3, firmware 5.0.0" in printed and "Verdict: same.\n" in printed
    (read,) = answers.from_file(out, answers.Reference(paths.SAMPLE_MODEL))
    assert read.input is not None and (read.input == ready.input).all()
    assert all((came == one.ravel()).all() for came, one in zip(read.outputs, ready.outputs))


def test_outputs_that_change_from_run_to_run_are_wrong(ready: Camera, output: pytest.CaptureFixture[str]) -> None:
    other = [ready.outputs[0], ready.outputs[1] + np.int8(1)]
    right, changed = ready.run(*ready.outputs), ready.run(*other)
    assert verify(ready, [right, changed, right], "--json") == command.FINDINGS
    last = json.loads(output.readouterr().out.splitlines()[-1])
    assert last["verdict"] == "wrong" and len(last["findings"]) == 1
    assert last["findings"][0].startswith("the same picture gives other outputs when it runs again")


def test_a_second_model_that_spoils_the_first_is_named(ready: Camera, output: pytest.CaptureFixture[str]) -> None:
    right, changed = ready.run(*ready.outputs), ready.run(ready.outputs[0], ready.outputs[1] * 0)
    assert verify(ready, [right, right, right, changed], "--json") == command.FINDINGS
    last = json.loads(output.readouterr().out.splitlines()[-1])
    assert last["findings"] == ["the outputs change after a second model has run: the two share memory"]


def test_without_room_for_a_second_model_the_rest_is_compared(
    ready: Camera, output: pytest.CaptureFixture[str]
) -> None:
    ready.most_models = 1
    assert verify(ready, [ready.run(*ready.outputs)]) == command.FINE
    assert "Verdict: same.\n" in output.readouterr().out


@pytest.mark.parametrize(
    ("boot", "message"),
    [
        ("import os\nos.remove('/rom/shapes.tflite')\nopen('/rom/b.tflite', 'w').close()",
         "the camera has no /rom/shapes.tflite (/rom has b.tflite, lib). Build a ROMFS with the model, or name the file"),
        ("about['input_shape'] = [[1, 80, 480, 2]]", "the camera's model was made of another file"),
        ("about['output_dtype'] = ['x', 'b']", "the answer of the camera cannot be read"),
        ("def _letterbox(frame): raise OSError(5)\nsys.modules['n6post'].Letterbox = _letterbox", "OSError: [Errno 5] EIO"),
    ],
)  # fmt: skip
def test_what_a_camera_cannot_do_is_said(
    boot: str, message: str, ready: Camera, output: pytest.CaptureFixture[str]
) -> None:
    assert verify(ready, [ready.run(*ready.outputs)], boot=boot) == command.WRONG
    assert message in output.readouterr().err


ABOUT = {"board": "AE3", "input_shape": [1, 2, 2, 1], "input_dtype": "b", "shapes": [[1, 4]], "dtypes": ["b"],
         "scales": [1.0], "zero_points": [0]}  # fmt: skip


def said(**what: Any) -> str:
    return "N6POST " + json.dumps(what)


@pytest.mark.parametrize(
    "lines",
    [
        ["N6POST {"],
        ["N6POST 7"],
        [said(bytes=4, what="output", picture=0, number=0), "!!!!", said(sha256="0")],
        [said(bytes=4, what="output", picture=0, number=0), "AAAAAA==", said(sha256="0")],
        [said(bytes=5, what="output", picture=0, number=0), "AAAAAA==", said(sha256="0")],
    ],
)
def test_a_broken_answer_is_an_error(lines: list[str]) -> None:
    received = camera.Received(1)
    received(said(**ABOUT))
    with pytest.raises(command.UserError):
        for line in lines:
            received(line)


def test_an_answer_without_an_output_is_an_error() -> None:
    received = camera.Received(1)
    received(said(**ABOUT))
    received(said(end=True))
    with pytest.raises(command.UserError, match="the answer of the camera cannot be read"):
        received.answers()


def test_what_a_script_prints_between_answers_is_ignored() -> None:
    received = camera.Received(1)
    for line in ("hello", said(**ABOUT), "AAAA", "N6post", said(end=True)):
        received(line)
    assert received.complete and received.about["board"] == "AE3"
