"""Inputs that a script may pass to `predict`, where their pixels come from (reference.to_frame), and a processor's frame."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import n6post
import numpy as np
import omv
import reference
from n6post import firmware

from .core import Dice, attempt, require
from .tensors import Array, Model, Quantized, handed_over, placed, tampered

Roi = tuple[int, int, int, int]

# For each firmware, the features that lib detects by trying are tried only once.
_TRIED: dict[tuple[int, int, int], dict[str, bool]] = {}
FIRMWARES = ((5, 0, 0), (4, 8, 1))


def as_firmware(version: tuple[int, int, int]) -> None:
    """Switch the stand-ins to this firmware and let lib detect it."""
    if (omv.version_major, omv.version_minor, omv.version_patch) != version:
        omv._host_set_version(*version)
    if version not in _TRIED:
        firmware._results.clear()
        _TRIED[version] = {"stretches": firmware.stretches_plain_image(), "text": firmware.draw_string_takes_xy_tuple()}
    firmware._results.update(_TRIED[version])


class Picture:
    """An image that has only a size, because the mapping to the frame needs nothing else."""

    def __init__(self, width: int, height: int) -> None:
        self._size = width, height

    def width(self) -> int:
        return self._size[0]

    def height(self) -> int:
        return self._size[1]


class Framed:
    """An input as the firmware's Normalization wraps an image: with its roi and its image."""

    def __init__(self, roi: Any, picture: Picture | None = None) -> None:
        self.roi = roi
        self._image = picture


class Source(NamedTuple):
    """An input and its mapping from model input pixels to frame pixels, separately for x and y."""

    given: Any
    roi: Roi
    frame_size: tuple[int, int] | None
    scale: tuple[float, float]
    offset: tuple[float, float]
    clear: bool = True  # whether the reference is certain

    def points(self, points: Array) -> Array:
        """Convert (..., 2) points of the model input to frame pixels."""
        return points * self.scale + self.offset

    def boxes(self, boxes: Array) -> Array:
        return boxes * (*self.scale, *self.scale) + (*self.offset, *self.offset)


def side(dice: Dice) -> int:
    """A frame size, usually one of a camera."""
    return dice.pick((320, 240, 640, 480, 160, dice.whole(1, 2000), dice.pick((1, 7, 4096, 65535))))


def roi_in(dice: Dice, width: int, height: int) -> Roi:
    w, h = dice.whole(1, width), dice.whole(1, height)
    return dice.whole(0, width - w), dice.whole(0, height - h), w, h


INPUTS: dict[str, Callable[..., Any]] = {"stretch": n6post.Stretch, "crop": n6post.Crop, "letterbox": n6post.Letterbox}


def source(dice: Dice, size: tuple[int, int]) -> Source:
    """An input for a model of this size, and its mapping to the frame."""
    how = dice.pick(("array", "array", "plain", "plain", "stretch", "crop", "letterbox", "nothing"))
    if how in ("array", "nothing"):
        given: Any = object() if how == "array" else (lambda buffer, shape, dtype: None)
        return Source(given, (0, 0, *size), size, (1.0, 1.0), (0.0, 0.0))
    width, height = side(dice), side(dice)
    roi = roi_in(dice, width, height) if dice.chance(0.5) else (0, 0, width, height)
    if how == "plain":
        known = dice.chance(0.5)
        return way(
            Framed(roi, Picture(width, height) if known else None), plain(), size, roi, (width, height) if known else None
        )
    whole = roi == (0, 0, width, height) and dice.chance(0.5)
    return way(INPUTS[how](Picture(width, height), None if whole else roi), how, size, roi, (width, height))


def plain() -> str:
    """How the current firmware fits a plain image."""
    return "stretch" if omv.version_major >= 5 else "expand"


def way(given: Any, fit: str, size: tuple[int, int], roi: Roi, frame_size: tuple[int, int] | None) -> Source:
    """The Source of an input with this fit."""
    corners = reference.to_frame(np.array([[0.0, 0.0], size]), fit, size, roi)
    scale = (corners[1] - corners[0]) / size
    # A picture that is a hundred times as long as wide would have no pixel left on the other axis.
    clear = bool(np.isfinite(corners).all() and (scale > 0).all()) and max(roi[2] * size[1], roi[3] * size[0]) < 64 * min(
        roi[2] * size[1], roi[3] * size[0]
    )
    if fit == "letterbox":  # the reference's floats, like Ultralytics', may round a half differently
        n, d = (size[0], roi[2]) if size[0] * roi[3] <= size[1] * roi[2] else (size[1], roi[3])
        clear = clear and not any([2 * (extent * n % d) == d for extent in roi[2:]])
    if fit in ("crop", "letterbox", "stretch") and fit_of_ours(given):
        clear = clear and not any(
            _on_an_edge(roi[axis] + extra, 1 / scale[axis], size[axis] * scale[axis] / roi[2 + axis])
            for axis, extra in _begins(fit, roi, size)
        )
    return Source(
        given, roi, frame_size, (float(scale[0]), float(scale[1])), (float(corners[0, 0]), float(corners[0, 1])), clear
    )


def fit_of_ours(given: Any) -> bool:
    return hasattr(given, "fit")


def _begins(fit: str, roi: Roi, size: tuple[int, int]) -> list[tuple[int, int]]:
    """(axis, number of pixels of the roi that are cropped before the first one)."""
    if fit != "crop":
        return [(0, 0), (1, 0)]
    extent = min(roi[2], roi[3] * size[0] // size[1]), min(roi[3], roi[2] * size[1] // size[0])
    return [(axis, (roi[2 + axis] - extent[axis]) // 2) for axis in (0, 1)]


def _on_an_edge(start: int, scale: float, times: float = 1.0) -> bool:
    """Whether the first pixel depends on the last bits of the scale, which lib determines by trying.

    lib uses steps of 2^-19. For a picture that fills one `times`th of the input, they are `times` as coarse.
    """
    reach = max(1e-5, 4e-6 * times)
    whole = scale * start
    if start and abs(whole - round(whole)) < reach * (1 + whole):
        return True
    taken = np.floor(whole) / scale + 0.5
    return bool(start and abs(taken - round(taken)) < reach * (1 + taken))


# --- a frame of a processor --------------------------------------------------------------------------------------------
NO_PICTURE = ("Classifier", "Embedding", "TextLine")  # families that do not look at the size of the input


class Frame(NamedTuple):
    """What a processor has found in the outputs of a network."""

    found: Any
    processor: Any
    model: Model
    source: Source
    forgiven: bool  # whether the outputs were not those of the model


def frame(
    dice: Dice, family: str, tensors: Sequence[Quantized], size: tuple[int, int], options: dict[str, Any], *,
    unclear: bool = False, reasons: str = "^$", wrong: bool = False, forgives: Callable[[Any], bool] = lambda outputs: False,
    needs_scale: bool = True, labels: Any = None, **told: Any,
) -> Frame | None:  # fmt: skip
    """Call a processor of this family, sometimes with input that has to be refused. None if it was refused.

    unclear     whether the shapes or the numbers leave open what the outputs are: then they may be refused
    reasons     a pattern of refusals that may come of random numbers
    wrong       whether the outputs or the options have to be refused
    forgives    whether the processor may accept outputs that are not those of the model
    needs_scale whether the scale of integers matters
    told        for the report of this case
    """
    tensors, fits = placed(dice, tensors)
    # An input of 1 or 3 rows or columns has no order that its shape would show.
    model = Model(tensors, size, labels, nhwc=not {1, 3}.isdisjoint(size) or not dice.chance(0.1))
    given = source(dice, size)
    wrong = tampered(dice, model, family not in NO_PICTURE, needs_scale) or wrong or not fits
    outputs, strange = handed_over(dice, model)
    dice.tell(family=family, size=size, outputs=model.memory, scales=[tensor[1:] for tensor in tensors], options=options,
              input=given, **told)  # fmt: skip
    before = [values.tobytes() for values in model.memory] if dice.chance(0.1) else None
    processor = getattr(n6post, family)(**options)
    found, refused = attempt(processor, model, [given.given], outputs)
    if found is None:
        require(wrong or strange or unclear or re.search(reasons, refused), "refused valid outputs: %s", refused)
        return None
    require(not wrong and (not strange or forgives(outputs)), "accepted input that has to be refused")
    require(before in (None, [values.tobytes() for values in model.memory]), "it wrote into the model's memory")
    return Frame(found, processor, model, given, strange)
