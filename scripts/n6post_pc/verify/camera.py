"""Run a model on a camera and bring back its inputs and outputs. Nothing is written on the camera."""

import binascii
import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from image import Image
from ml._backends import Array, Tensor

from ..camera import devices, repl
from ..command import UserError
from .answers import Answer

DTYPES = {"b": np.int8, "B": np.uint8, "h": np.int16, "H": np.uint16, "f": np.float32}


def script(model: str, fit: str, frames: Sequence[tuple[str, int, int]]) -> str:
    """The code that runs on the camera. `frames` are files there: (path, width, height)."""
    agent = Path(__file__).with_name("agent.py").read_text(encoding="utf-8")
    return f"{agent}\n_verify({model!r}, {fit!r}, {list(frames)!r})\n"


class Received:
    """Takes the lines that the camera prints.

    about       what it says of itself and of the model
    findings    what is wrong with the runs, not with an output
    other       the other lines, such as a traceback
    """

    def __init__(self, pictures: int) -> None:
        self.about: dict[str, Any] = {}
        self.findings: list[str] = []
        self.other: list[str] = []
        self.complete = False
        self._inputs: dict[int, Array] = {}
        self._outputs: dict[tuple[int, int], Array] = {}
        self._what: dict[str, Any] = {}
        self._data = bytearray()
        self._pictures = pictures

    def __call__(self, line: str) -> None:
        if not line.startswith(repl.MARK):
            if self._what:
                try:
                    self._data += binascii.a2b_base64(line, strict_mode=True)
                except (ValueError, binascii.Error):
                    self.other.append(line)  # the traceback of an error, whose end says more
            else:
                self.other.append(line)
            return
        try:
            said = json.loads(line[len(repl.MARK) :])
        except (ValueError, RecursionError):
            raise _unreadable(line) from None
        if not isinstance(said, dict):
            raise _unreadable(line)
        if "missing" in said:
            raise _missing(said["missing"], said["files"])
        if "bytes" in said:
            self._what, self._data = said, bytearray()
        elif "sha256" in said:
            self._take(said["sha256"])
        elif "again" in said and not said["again"]:
            self.findings.append("the same picture gives other outputs when it runs again: activations are overwritten, or "
                                 "the cache is not invalidated")  # fmt: skip
        elif "beside" in said and said["beside"] is False:
            self.findings.append("the outputs change after a second model has run: the two share memory")
        elif "board" in said:
            self.about = said
        self.complete = self.complete or bool(said.get("end"))

    def _take(self, expected: str) -> None:
        what, data = self._what, bytes(self._data)
        self._what = {}
        if len(data) != what.get("bytes") or hashlib.sha256(data).hexdigest() != expected:
            raise UserError("the bytes that arrived are not those that the camera has sent. Run verify again")
        try:
            if what["what"] == "input":
                values = np.frombuffer(data, DTYPES[self.about["input_dtype"]])
                self._inputs[what["picture"]] = values.reshape(self.about["input_shape"])
            else:
                values = np.frombuffer(data, DTYPES[self.about["dtypes"][what["number"]]])
                self._outputs[what["picture"], what["number"]] = values
        except (KeyError, ValueError, IndexError, TypeError):
            raise _unreadable(str(what)) from None

    def answers(self) -> list[Answer]:
        """One for each picture."""
        try:
            count = len(self.about["shapes"])
            pairs = [(float(scale), int(zero)) for scale, zero in zip(self.about["scales"], self.about["zero_points"])]
            numbers = range(self._pictures)
            return [Answer([self._outputs[n, k] for k in range(count)], pairs, self._inputs[n]) for n in numbers]
        except KeyError as error:
            raise _unreadable(f"no {error}") from None


def _unreadable(line: str) -> UserError:
    return UserError(f"the answer of the camera cannot be read: {line[:80]!r}")


def _missing(path: str, files: list[str] | None) -> UserError:
    folder = path.rpartition("/")[0] or "/"
    there = ", ".join(sorted(files or [])) or "nothing"
    return UserError(f"the camera has no {path} ({folder} has {there}). Build a ROMFS with the model, or name the file with "
                     "--on-camera")  # fmt: skip


def run(port: str | None, model: str | Path, fit: str, frames: Sequence[Image], installed: bool) -> Received:
    """What the camera has answered. UserError if it fails before the end.

    model   a file on the camera, or one on this PC, which the camera then reads over the cable
    """
    port = devices.find(port)
    repl.wake(port)
    with tempfile.TemporaryDirectory() as folder:
        if not installed:
            from ..build.command import build

            build(Path(folder), "armv7m")
        files = []
        for number, frame in enumerate(frames):
            name = f"frame{number}.rgb565"
            (Path(folder) / name).write_bytes(bytes(frame.bytearray()))
            files.append((f"/remote/{name}", frame.width(), frame.height()))
        if isinstance(model, Path):
            shutil.copyfile(model, Path(folder) / "model.tflite")
            model = "/remote/model.tflite"
        code = Path(folder) / "verify_agent.py"
        code.write_text(script(model, fit, files), encoding="utf-8")
        received = Received(len(frames))
        with repl.waiting(f"the camera on {port} to run the model"):
            failed, errors = repl.follow(repl.words(port, "mount", folder, "run", code), received)
    if failed:
        printed = next((line for line in reversed(received.other) if line.strip()), "")
        reason = f"the camera reported: {printed}" if printed and not errors.strip() else repl.why(port, errors)
        raise UserError(f"verify stopped before its end; {reason}")
    if not received.complete:
        raise UserError("verify stopped before its end: the camera has not sent everything")
    return received


def check_fits(about: dict[str, Any], tensor: Tensor, path: Path) -> None:
    """UserError if the camera's model has another input than the file."""
    if list(about["input_shape"]) != list(tensor.shape) or about["input_dtype"] != tensor.dtype:
        raise UserError(f"{path}: its input is {list(tensor.shape)} of type {tensor.dtype}, that of the camera's model is "
                        f"{about['input_shape']} of type {about['input_dtype']}: the camera's model was made of another "
                        "file")  # fmt: skip
