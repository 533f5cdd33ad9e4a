"""Networks with known outputs, in place of model files for tests of the commands that run one."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from ml import _backends
from ml import model as ml_model
from n6post_pc import cli
from PIL import Image as PilImage

SIDE = 64  # of the networks' inputs

_STEP = 40  # levels of red from one picture to the next


class Network:
    """A network that returns the float arrays of one scene. The picture selects the scene: see `picture`."""

    ram = 1

    def __init__(self, *scenes: Sequence[Any], shape: tuple[int, ...] = (1, SIDE, SIDE, 3)) -> None:
        self.inputs = [_backends.Tensor(shape, "B", 1 / 255, 0)]
        self.outputs = [_backends.Tensor(values.shape, "f") for values in scenes[0]]
        self.seen: list[Any] = []
        self._scenes = scenes

    def run(self, inputs: list[Any]) -> list[Any]:
        self.seen.append(inputs[0].copy())
        red = int(inputs[0][0, SIDE // 2, SIDE // 2, 0])
        return [values.copy() for values in self._scenes[(red + _STEP // 2) // _STEP % len(self._scenes)]]


def picture(path: Path, scene: int = 0, size: tuple[int, int] = (128, 96)) -> Path:
    """A picture file of one color, for which a Network returns this scene."""
    PilImage.new("RGB", size, (_STEP * scene, 90, 160)).save(path)
    return path


class Done(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[Any]:
        """What was printed, as JSON."""
        return [json.loads(line) for line in self.out.splitlines()]


Run = Callable[..., Done]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """run("net.tflite", "a.png", ..., {"net.tflite": Network(...)}) runs the command in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments: object, networks: dict[str, Network] | None = None) -> Done:
        if networks:
            for name in networks:
                Path(name).write_bytes(b"replaces a model")
            known = {str(Path(name).resolve()): network for name, network in networks.items()}
            monkeypatch.setattr(ml_model, "open_backend", lambda path: (known[str(Path(path).resolve())], 1))
        capsys.readouterr()
        try:
            code = cli.call("run", [str(argument) for argument in arguments], "n6post run")
        except SystemExit as leaving:  # argparse exits
            code = int(leaving.code or 0)
        return Done(code, *capsys.readouterr())

    return call
