"""What a network has answered, on a camera or in a file, and what this PC computes with the same file."""

import re
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from ml import _backends
from ml._backends import Array, Tensor

from ..command import UserError

# `output0` and `input`, with the number of a picture before them if there are several: what verify itself writes. ST's tools
# write c_outputs_1 and c_inputs_1 (of the compiled network) beside m_outputs_1 (of the original, which this PC computes).
_NAME = re.compile(r"(?:(\d+)_)?(?:c_)?(input|output)s?_?(\d*)")


@dataclass
class Answer:
    """The outputs of a network for one picture.

    outputs         as stored, in the network's order
    quantization    (scale, zero point) of each output as its runtime says; None if it says nothing
    input           the input that it had, or None if that is not known
    """

    outputs: list[Array]
    quantization: list[tuple[float, int]] | None = None
    input: Array | None = None


def opened_by_each(path: Path) -> list[_backends.Backend]:
    """The file, to be run by each kind of kernels. The first ones give every bit of TensorFlow Lite Micro."""
    kinds = (_backends.EXACT, _backends.DEFAULT, _backends.PLAIN)
    return [_backends.open_backend(str(path), kind)[0] for kind in kinds]


class Reference:
    """A model file as this PC computes it, by each kind of its runtime's kernels: all are correct, but round differently."""

    def __init__(self, path: Path) -> None:
        try:
            opened = opened_by_each(path)
        except (ValueError, OSError, ImportError) as error:
            raise UserError(str(error) if str(path) in str(error) else f"{path}: {error}") from error
        if len(opened[0].inputs) != 1:
            raise UserError(f"{path}: expected a model with one input, got {len(opened[0].inputs)}")
        self._backends = opened
        self.input: Tensor = opened[0].inputs[0]
        self.outputs: list[Tensor] = opened[0].outputs

    def run(self, values: Array) -> list[Array]:
        """The outputs by the default kernels, the fastest ones."""
        return [one.copy() for one in self._backends[1].run([values])]

    def run_all(self, values: Array) -> list[list[Array]]:
        """For each output, what each kind of kernels computes, the exact ones first."""
        return [list(each) for each in zip(*([one.copy() for one in each.run([values])] for each in self._backends))]


def from_file(path: Path, reference: Reference) -> list[Answer]:
    """The answers in a .npz file: of verify, of ST's tools, or any arrays, which are then the outputs in this order.

    An array may hold several pictures one after the other. UserError for what does not fit the model.
    """
    try:
        with np.load(path, allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files} if hasattr(file, "files") else {}
    except (OSError, ValueError, zipfile.BadZipFile, EOFError) as error:
        why = error.strerror if isinstance(error, OSError) and error.strerror else "not a .npz file of numpy"
        raise UserError(f"{path}: {why}") from error
    if not arrays:
        raise UserError(f"{path}: expected a .npz file with the outputs, got no array")
    named = {name: match for name in arrays if (match := _NAME.fullmatch(name))}
    if not named:
        groups = {"": list(arrays.values())}
        inputs: dict[str, Array] = {}
    else:
        ordered = sorted(named, key=lambda name: (int(named[name][1] or 0), int(named[name][3] or 0)))
        groups = {}
        for name in ordered:
            if named[name][2] == "output":
                groups.setdefault(named[name][1] or "", []).append(arrays[name])
        inputs = {named[name][1] or "": arrays[name] for name in ordered if named[name][2] == "input"}
    return [answer for key, outputs in groups.items() for answer in _split(path, outputs, inputs.get(key), reference)]


def _split(path: Path, outputs: Sequence[Array], given: Array | None, reference: Reference) -> Iterator[Answer]:
    """One answer for each picture that the arrays hold."""
    sizes = [int(np.prod(tensor.shape)) for tensor in reference.outputs]
    found = [one.size for one in outputs]
    count = sum(found) // sum(sizes)
    if sorted(found) != sorted(count * size for size in sizes) or not count:
        raise UserError(f"{path}: expected the model's outputs {_shapes(tensor.shape for tensor in reference.outputs)}, "
                        f"got {_shapes(one.shape for one in outputs)}")  # fmt: skip
    for one in outputs:
        if one.dtype.kind not in "iuf":
            raise UserError(f"{path}: expected numbers, got an array of {one.dtype}")
    tensor = reference.input
    if given is not None and given.size != count * np.prod(tensor.shape):
        raise UserError(f"{path}: expected an input of {list(tensor.shape)}, got {list(given.shape)}")
    pieces = [one.reshape(count, -1) for one in outputs]
    for number in range(count):
        values = None if given is None else given.reshape(count, *tensor.shape)[number : number + 1].reshape(tensor.shape)
        if values is not None and values.dtype != np.dtype(tensor.dtype):
            values = stored(values, tensor)
        yield Answer([piece[number] for piece in pieces], None, values)


def _shapes(shapes: Iterator[Sequence[int]] | Any) -> str:
    return ", ".join(str(list(map(int, shape))) for shape in shapes)


def stored(values: Array, tensor: Tensor) -> Array:
    """Real numbers as a tensor stores them: rounded and clipped if it has integers."""
    if tensor.dtype == "f":
        return values.astype(np.float32)
    limits = np.iinfo(tensor.dtype)
    numbers = np.rint(values / tensor.scale) + tensor.zero_point
    return np.clip(numbers, limits.min, limits.max).astype(tensor.dtype)


def to_file(answers: Sequence[Answer]) -> dict[str, Array]:
    """The arrays of a .npz file that `from_file` reads."""
    arrays = {}
    for number, answer in enumerate(answers):
        arrays |= {f"{number}_output{k}": one for k, one in enumerate(answer.outputs)}
        if answer.input is not None:
            arrays[f"{number}_input"] = answer.input
    return arrays
