"""Damaged model files (bytes missing, changed or inserted) and the PC's commands: a message, never a traceback.

Commands that only read a file run in this process. Those that pass it to LiteRT or onnxruntime, which are C++, run in a
separate process.
"""

from __future__ import annotations

import contextlib
import functools
import io
import os
import pickle
import signal
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import model_files
import n6post
from n6post_pc import cli
from n6post_pc.models import graph, n6_estimate, notes, tflm

from .core import BOUNDED, CONFIRMED, REFUSED, Dice, Finding, require
from .labels import folder

SECONDS = 60  # limit of such a process, in CPU time


def _onnx() -> bytes:
    nodes = [("Conv", ("images", "w"), ("a",)), ("Sigmoid", ("a",), ("b",)), ("Mul", ("a", "b"), ("output0",))]
    return model_files.onnx(nodes, {"w": (16, 3, 3, 3)})


MADE: dict[str, tuple[str, Callable[[], bytes]]] = {
    "runnable": (".tflite", model_files.runnable),
    "float": (".tflite", functools.partial(model_files.runnable, "FLOAT32")),
    "topk": (".tflite", model_files.with_topk),
    "ethos": (".tflite", model_files.for_ethos),
    "onnx": (".onnx", _onnx),
    "st": (".tflite", model_files.for_st),
}


@functools.cache
def _bytes(name: str) -> bytes:
    return MADE[name][1]()


def damaged(dice: Dice, data: bytes) -> bytes:
    """Damage a file, as a faulty copy may do."""
    how = dice.pick(("cut", "bits", "bits", "zeros", "noise", "more", "moved", "nothing"))
    dice.tell(how=how)
    if how == "nothing" or not data:
        return data
    many = bytearray(data)
    at = dice.whole(0, len(data) - 1)
    if how == "cut":
        return data[: dice.pick((at, at % 64, 4, 8, 0))]
    if how == "bits":
        reach = dice.pick((len(data), min(len(data), 200)))
        for _ in range(dice.pick((1, 3, 20))):
            many[dice.whole(0, reach - 1)] ^= 1 << dice.whole(0, 7)
    elif how in ("zeros", "noise"):
        length = dice.pick((4, 1, 32, 400))
        part = bytes(length) if how == "zeros" else dice.array.bytes(length)
        many[at : at + length] = part[: max(0, len(data) - at)]
    elif how == "more":
        many[at:at] = dice.array.bytes(dice.pick((1, 4, 100)))
    else:
        half = many[at : at + 64]
        del many[at : at + 64]
        many += half
    return bytes(many)


def files(dice: Dice) -> str:
    """A model file, usually damaged, is read as by `n6post inspect`, or by a complete command."""
    name = dice.pick(list(MADE))
    suffix, data = MADE[name][0], _bytes(name)
    dice.tell(file=name)
    broken, renamed = damaged(dice, data), False
    if dice.chance(0.1):
        suffix, renamed = dice.pick((".tflite", ".onnx", ".ONNX", ".bin")), True
    dice.tell(suffix=suffix, size=len(broken))
    if dice.chance(0.02):
        return _command(dice, broken, suffix, broken == data)
    try:
        network = graph.parse(broken, suffix)
    except ValueError as error:
        require(len(str(error).split()) > 2, "no message: %r", str(error))
        require(broken != data or renamed, "refused a valid file: %s", error)
        return REFUSED
    # The attributes that inspect reads from a graph.
    network.counts()
    n6_estimate.estimate(network)
    tflm.missing(network)
    notes.notes(network)
    return CONFIRMED if broken == data else BOUNDED


def _command(dice: Dice, data: bytes, suffix: str, whole: bool) -> str:
    """`n6post inspect` or `n6post run` in a separate process: an exit code and text without a traceback."""
    path = folder() / f"model{suffix}"
    path.write_bytes(data)
    text = folder() / "model.txt"
    text.unlink(missing_ok=True)
    if dice.chance(0.5):
        text.write_bytes(dice.pick((b"cat\ndog\n", b"cat\n\ndog\n", b"\xff\xfe", b"", b"a\nb\nc")))
    picture = folder() / "picture.png"
    if not picture.exists():
        from PIL import Image

        Image.new("RGB", (64, 64), (200, 90, 30)).save(picture)
    words = dice.pick((["inspect", path], ["inspect", path, "--json"], ["inspect", path, "--picture", picture],
                       ["run", path, picture, "--json"], ["load", path]))  # fmt: skip
    dice.tell(command=words)
    code, out, error = apart(lambda: _load(path) if words[0] == "load" else _call([str(word) for word in words]))
    require(code in (0, 1, 2), "exit code %r: %s %s", code, out[-300:], error[-900:])
    require("Traceback" not in error and "Traceback" not in out, "a traceback: %s", error[-900:])
    require(code == 0 or (out + error).strip(), "exit code %d without a message", code)
    return CONFIRMED if whole else REFUSED if code else BOUNDED


def _call(words: list[str]) -> int:
    try:
        return int(cli.call(words[0], words[1:], f"n6post {words[0]}") or 0)
    except SystemExit as leaving:
        return leaving.code if isinstance(leaving.code, int) else 1


def _load(path: Path) -> int:
    try:
        model = n6post.load(str(path))
        model.predict([_no_input])
        return 0
    except (ValueError, OSError) as error:
        print(error)
        return 1


def _no_input(buffer: Any, shape: Any, dtype: Any) -> None:
    """An input tensor for a model, unchanged."""


def apart(call: Callable[[], int]) -> tuple[int, str, str]:
    """(exit code, stdout, stderr) of a call in a forked process. A Finding if a signal ended the process."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        os.close(reader)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.alarm(10 * SECONDS)
        out, error = io.StringIO(), io.StringIO()
        code = 70
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
                code = call()
        except BaseException:
            error.write(traceback.format_exc())
        with os.fdopen(writer, "wb") as pipe:
            pickle.dump((code, out.getvalue(), error.getvalue()), pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) or not said:
        raise Finding(f"the process was ended by signal {os.WTERMSIG(status)}")
    code, out_text, error_text = pickle.loads(said)
    return code, out_text, error_text
