"""Stand-ins for a model and its outputs in tests of the families."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from n6post_pc.recorded import Array, RecordedModel, Tensor
from ulab import _core
from ulab import numpy as ulab_numpy

__all__ = ["Array", "FakeModel", "Tensor"]

FakeModel = RecordedModel

class Framed:
    """An input with a roi, as OpenMV's Normalization wraps an image."""

    def __init__(self, roi: tuple[int, int, int, int]) -> None:
        self.roi = roi


def stretched(roi: tuple[int, int, int, int]) -> Any:
    """An input that stretches this part of a frame of 700 x 520 into the model's, whatever firmware runs."""
    import image
    import n6post

    return n6post.Stretch(image.Image(700, 520, image.GRAYSCALE), roi=roi)


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
    "candidates", "suppress", "boxes_to_frame", "prototype_mask", "class_map", "class_histogram", "peaks", "clip_mask",
    "tint_mask", "tint_map",
    "box", "place_labels", "pose",
)  # fmt: skip


def pass_addresses(patch: pytest.MonkeyPatch) -> None:
    """Call kernels as machine code is called: a view, which would pass the address of its header, is an AssertionError."""

    def guarded(name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any) -> Any:
            for at, argument in enumerate(arguments):
                if isinstance(argument, ulab_numpy.ndarray):
                    dense = _core.canonical(argument._np)
                    assert dense, f"{name} gets argument {at} of {argument.shape}, strides {argument.strides}"
            return kernel(*arguments)

        return call

    from n6post.kernels import boxes, drawing, maps, poses

    for name in KERNELS:
        kernel = next(getattr(group, name) for group in (boxes, maps, drawing, poses) if hasattr(group, name))
        replace_kernel(patch, name, guarded(name, kernel))


def replace_kernel(patch: pytest.MonkeyPatch, name: str, stand_in: Callable[..., Any]) -> None:
    """Replace a kernel by a function wherever the library has imported it."""
    import n6post
    from n6post.drawing import poses as skeleton  # noqa: F401
    from n6post.kernels import boxes, drawing, maps, poses

    for public in dir(n6post):
        getattr(n6post, public)  # what is imported later would keep the stand-in
    kernel = next(getattr(group, name) for group in (boxes, maps, drawing, poses) if hasattr(group, name))
    for module in [m for m in sys.modules if m.startswith("n6post.") and ".portable" not in m]:
        if vars(sys.modules[module]).get(name) is kernel:
            patch.setattr(sys.modules[module], name, stand_in)
