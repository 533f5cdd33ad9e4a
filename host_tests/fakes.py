"""Stand-ins for a model and its outputs in tests of the families."""

from __future__ import annotations

import contextlib
import runpy
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest
from n6post.families import recognition
from n6post_pc.demo import recorded
from n6post_pc.demo.recorded import Array, FakeModel, Tensor
from ulab import _core
from ulab import numpy as ulab_numpy

__all__ = ["Array", "FakeModel", "Tensor"]

# The families that the library has, and those of which outputs of real networks are recorded. Tests that need such outputs
# check that none of these is missing.
FAMILY_NAMES = recognition.family_names()
RECORDED_FAMILIES = {entry["processor"] for entry in recorded.index().values()}


class Framed:
    """An input with a roi, as OpenMV's Normalization wraps an image."""

    def __init__(self, roi: tuple[int, int, int, int]) -> None:
        self.roi = roi


def seen(
    track_id: int | None,
    x: int,
    y: int,
    w: int = 20,
    h: int = 40,
    class_id: int = 0,
    mask: Any = None,
    frame_size: tuple[int, int] | None = None,
) -> Any:
    """A tracked detection with the middle of its lower edge at (x, y)."""
    import n6post

    d = n6post.Detection((x - w // 2, y - h, w, h), 0.9, class_id, str(class_id), mask, None)
    d.track_id = track_id
    return d.replace(frame_size=frame_size) if frame_size else d


def track_of(track_id: int, age: int = 0, missed: int = 0, vx: int = 0, vy: int = 0, memory: Any = None) -> Any:
    """`Detection._track` as a Tracker sets it: times in 1/3200 s, the velocity in 1/256 pixel in 80 ms."""
    return track_id, age, missed, vx, vy, memory


def stretched(roi: tuple[int, int, int, int]) -> Any:
    """An input that stretches this part of a frame of 700 x 520 into the model's, whatever firmware runs."""
    import image
    import n6post

    return n6post.Stretch(image.Image(700, 520, image.GRAYSCALE), roi=roi)


def camera_floats(number: float) -> list[float]:
    """A number as a camera's float object of 30 bits has it: before MicroPython 1.26, and since, which fills two bits in."""
    with np.errstate(over="ignore"):
        cut = np.float32(number).view(np.int32) & ~np.int32(3)
    return [float(np.int32(bits).view(np.float32)) for bits in (cut, cut | cut >> 2 & 3)]


def noise(size: tuple[int, int], pixformat: int | None = None, seed: int = 1) -> Any:
    """A picture of random pixels, in RGB565 unless another format is given."""
    import image

    img = image.Image(*size, image.RGB565 if pixformat is None else pixformat)
    memory = img.bytearray()
    memory[:] = np.random.default_rng(seed).bytes(len(memory))
    return img


def capture(path: Path) -> tuple[list[Tensor], tuple[int, int]]:
    """The raw outputs in a file of ../shared/captures, and the model's (width, height)."""
    stored = np.load(path)
    tensors = []
    while f"out{len(tensors)}" in stored:
        i = len(tensors)
        scale, zero = stored[f"out{i}_scale"], stored[f"out{i}_zp"]
        quantization = (float(scale[0]), int(zero[0])) if len(scale) else ()
        tensors.append(Tensor(stored[f"out{i}"], *quantization))
    height, width = stored["picture"].shape[:2]
    return tensors, (width, height)


@contextlib.contextmanager
def unguarded() -> Iterator[None]:
    """Accept any numbers as scores and boxes: for tests of what random numbers do to everything else."""
    from n6post.families import family_check
    from n6post.families.processor import ModelBinding
    from pytest import MonkeyPatch

    with MonkeyPatch.context() as patch:
        patch.setattr(ModelBinding, "guard", lambda *_: None)
        for check in ("check_first_class", "check_classes"):
            patch.setattr(family_check, check, lambda *_: None)
        yield


BUILD = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "dev" / "generating" / "build_kernels.py"))


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

    for name in BUILD["KERNELS"]:
        replace_kernel(patch, name, guarded(name, getattr(group_of(name), name)))


def group_of(name: str) -> Any:
    """The group of kernels that has a kernel, as the library uses it."""
    from n6post import kernels

    return next(group for group in (getattr(kernels, name) for name in BUILD["GROUPS"]) if hasattr(group, name))


def replace_kernel(patch: pytest.MonkeyPatch, name: str, stand_in: Callable[..., Any], *others: ModuleType) -> None:
    """Replace a kernel by a function wherever the library and other modules have imported it."""
    import n6post
    from n6post.drawing import poses as skeleton  # noqa: F401
    from n6post.families.yolo import split_pose  # noqa: F401
    from n6post.results import mask_measures  # noqa: F401

    for public in dir(n6post):
        getattr(n6post, public)  # what is imported later would keep the stand-in
    group = group_of(name)
    replaced = SimpleNamespace(**vars(group) | {name: stand_in})  # the portable module itself keeps the kernel
    library = [sys.modules[m] for m in sys.modules if m.startswith("n6post.") and m != "n6post.kernels.portable"]
    for module in [*library, *others]:
        for attribute in [key for key, value in vars(module).items() if value is group and "portable" not in key]:
            patch.setattr(module, attribute, replaced)
