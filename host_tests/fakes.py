"""What stands in for a model and its outputs in tests of the families."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray
from ulab import _core, _host
from ulab import numpy as ulab_numpy

Array = NDArray[Any]

_CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "float32": "f"}


class Tensor(NamedTuple):
    """An output as numpy has it, with the quantisation that its model tells (scale 0: none)."""

    values: Array
    scale: float = 0.0
    zero_point: int = 0

    def quantisation(self) -> dict[str, Any]:
        """As reference.py's functions want it."""
        return {"scale": self.scale, "zero_point": self.zero_point} if self.scale else {"scale": None}

    def dequantised(self) -> Tensor:
        if not self.scale:
            return self
        raw = self.values.astype(np.int64) - self.zero_point
        return Tensor((raw * np.float32(self.scale)).astype(np.float32))

    def as_uint8(self) -> Tensor:
        """The same numbers one storage type further: q + 128 about zero_point + 128."""
        shifted = (self.values.astype(np.int16) + 128).astype(np.uint8)
        return Tensor(shifted, self.scale, self.zero_point + 128)

    def as_int16(self, factor: int = 1, offset: int = 0) -> Tensor:
        """The same numbers as int16; with a power of two as factor every product stays exact."""
        values = (self.values.astype(np.int32) * factor + offset).astype(np.int16)
        return Tensor(values, self.scale / factor, self.zero_point * factor + offset)

    def reordered(self, *axes: int) -> Tensor:
        return self._replace(values=np.ascontiguousarray(self.values.transpose(axes)))


class FakeModel:
    """The attributes of OpenMV's ml.Model that a post-processor may look at."""

    def __init__(
        self,
        tensors: Sequence[Tensor],
        size: tuple[int, int],
        labels: list[str] | None = None,
        output_dtype: Sequence[str] | None = None,
    ) -> None:
        self.tensors = list(tensors)
        self.size = size  # (width, height), for tests only
        self.input_shape = ((1, size[1], size[0], 3),)
        self.input_dtype = ("b",)
        self.input_scale = (1 / 255,)
        self.input_zero_point = (-128,)
        self.output_shape = tuple(t.values.shape for t in tensors)
        self.output_dtype = tuple(output_dtype or [_CODES[t.values.dtype.name] for t in tensors])
        self.output_scale = tuple(float(t.scale) for t in tensors)
        self.output_zero_point = tuple(int(t.zero_point) for t in tensors)
        self.labels = labels
        self.len = 1000
        self.ram = 1000
        self.postprocess = None

    def input(self) -> Any:
        """An ndarray such as a script may pass to predict: it has no roi, so the frame is the model input."""
        return _host.wrap(np.zeros(self.input_shape[0], dtype=np.uint8))

    def outputs(self) -> list[Any]:
        """ulab views of the tensors, as the firmware hands them to a post-processor: writing to them shows."""
        return [_host.wrap(t.values) for t in self.tensors]

    def run(self, processor: Any, source: Any = None) -> Any:
        """What predict would return with this post-processor, for a given input (default: an ndarray)."""
        return processor(self, [self.input() if source is None else source], self.outputs())


class Framed:
    """An input as OpenMV's Normalization wraps an image: it knows its roi."""

    def __init__(self, roi: tuple[int, int, int, int]) -> None:
        self.roi = roi


def stretched(roi: tuple[int, int, int, int]) -> Any:
    """An input that stretches this part of a frame of 700 x 520 into the model's, whatever firmware runs."""
    import image
    import n6post

    return n6post.Stretch(image.Image(700, 520, image.GRAYSCALE), roi)


def capture(path: Path) -> tuple[list[Tensor], tuple[int, int]]:
    """The raw outputs in a file of ../shared/captures, and the model's (width, height)."""
    stored = np.load(path)
    tensors = []
    while f"out{len(tensors)}" in stored:
        i = len(tensors)
        scale, zero = stored[f"out{i}_scale"], stored[f"out{i}_zp"]
        quantisation = (float(scale[0]), int(zero[0])) if len(scale) else ()
        tensors.append(Tensor(stored[f"out{i}"], *quantisation))
    height, width = stored["picture"].shape[:2]
    return tensors, (width, height)


KERNELS = (
    "candidates", "suppress", "place", "prototype_mask", "class_map", "count", "peaks", "aim", "tint_mask", "tint_map", "box"
)  # fmt: skip


def pass_addresses(patch: pytest.MonkeyPatch) -> None:
    """Kernels called as machine code is: a view would pass its header's address, and is an AssertionError."""

    def guarded(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            for at, argument in enumerate(arguments):
                if isinstance(argument, ulab_numpy.ndarray):
                    dense = _core.canonical(argument._np)
                    assert dense, f"{name} gets argument {at} of {argument.shape}, strides {argument.strides}"
            return kernel(*arguments)

        return call

    from n6post.kernels import boxes, drawing, maps

    for name in KERNELS:
        kernel = next(getattr(group, name) for group in (boxes, maps, drawing) if hasattr(group, name))
        replace_kernel(patch, name, guarded(name, kernel))


def replace_kernel(patch: pytest.MonkeyPatch, name: str, stand_in: Callable[..., Any]) -> None:
    """Put a function in the place of a kernel, wherever the library has imported it."""
    import n6post
    from n6post import skeleton  # noqa: F401
    from n6post.kernels import boxes, drawing, maps

    for public in dir(n6post):
        getattr(n6post, public)  # all that is imported later would keep the stand-in
    kernel = next(getattr(group, name) for group in (boxes, maps, drawing) if hasattr(group, name))
    for module in [m for m in sys.modules if m.startswith("n6post.") and ".portable" not in m]:
        if vars(sys.modules[module]).get(name) is kernel:
            patch.setattr(sys.modules[module], name, stand_in)
