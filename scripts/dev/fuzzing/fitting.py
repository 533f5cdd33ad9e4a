"""Rois and input transforms: Stretch, Crop and Letterbox compared with Ultralytics' LetterBox and reference.to_frame."""

from __future__ import annotations

from typing import Any

import image
import numpy as np
from n6post.inputs.transform import transform_of

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same

ROIS: tuple[Any, ...] = (
    (0, 0, 1, 1), (0, 0, 0, 5), (-1, 0, 10, 10), (0, 0, 70000, 3), (1.0, 0, 5, 5), "abcd", (1, 2, 3), None, 5, [],
    (0, 0, True, 4), (3, 4, 5, 6), [2, 2, 7, 9], (10**12, 0, 1, 1), (0, 0, -5, 5), (-70000, 0, 5, 5),
)  # fmt: skip


def rois(dice: Dice) -> str:
    """A roi of a picture: an invalid one is refused; otherwise the mapping to the frame equals the reference's."""
    size = dice.pick(((320, 320), (96, 64), (192, 192), (1, 1), dice.pick(((640, 480), (33, 47), (7, 500)))))
    width, height = frames.side(dice), frames.side(dice)
    how = dice.pick(("letterbox", "stretch", "crop", "plain"))
    roi: Any = frames.roi_in(dice, width, height) if dice.chance(0.7) else dice.pick(ROIS)
    dice.tell(size=size, frame=(width, height), how=how, roi=roi)
    good = isinstance(roi, (list, tuple)) and len(roi) == 4 and all([isinstance(v, int) for v in roi])
    if good:
        x, y, w, h = roi
        good = w > 0 and h > 0 and max(w, h, x + w, y + h) <= 65535 and min(x, y) >= -65535
        if how != "plain":
            good = good and x >= 0 and y >= 0 and x + w <= width and y + h <= height
    if how == "plain":
        given: Any = frames.Framed(roi, frames.Picture(width, height))
        fit, refused = attempt(transform_of, [given], size)
        good = good or roi is None
        source = frames.plain()
    else:
        given, refused = attempt(frames.INPUTS[how], frames.Picture(width, height), roi)
        good = good or roi is None
        fit = transform_of([given], size) if given is not None else None
        source = how
    require((fit is not None) == good, "%s", refused or "accepted an invalid roi")
    if fit is None:
        require("roi" in refused, "a refusal that does not name the roi: %s", refused)
        return REFUSED
    if roi is None:
        roi = (0, 0, *size) if how == "plain" else (0, 0, width, height)
        source = "stretch" if how == "plain" else source
    expected = frames.way(given, source, size, tuple(roi), None)
    same("roi", tuple(fit.roi), tuple(roi))
    if not expected.clear:
        return BOUNDED
    close("scale", (fit.sx, fit.sy), expected.scale, 2e-6)
    close("offset", (fit.ox, fit.oy), expected.offset, 2e-6, 1e-3)
    return CONFIRMED


GRAY = 114  # of Ultralytics' LetterBox


def fills(dice: Dice) -> str:
    """The contents of the model's tensor: gray bars, and the picture's own gray elsewhere."""
    width, height = dice.whole(1, 40), dice.whole(1, 40)
    size = dice.whole(1, 24), dice.whole(1, 24)
    channels = dice.pick((3, 1, 3, 2))
    how = dice.pick(("letterbox", "stretch", "crop"))
    pixformat = dice.pick((image.RGB565, image.GRAYSCALE))
    img = image.Image(width, height, pixformat)
    img.draw_rectangle((0, 0, width, height), color=(255, 255, 255), fill=True)
    roi = frames.roi_in(dice, width, height) if dice.chance(0.5) else None
    dice.tell(frame=(width, height), size=size, channels=channels, how=how, roi=roi)
    given = frames.INPUTS[how](img, roi)
    buffer = bytearray(size[0] * size[1] * channels)
    _, refused = attempt(given, buffer, (1, size[1], size[0], channels), ord("B"))
    require(bool(refused) == (channels == 2), "%s", refused or "accepted a tensor with two channels")
    if refused:
        return REFUSED
    tensor = np.frombuffer(buffer, np.uint8).reshape(size[1], size[0], channels)
    x0, y0, x1, y1 = 0, 0, *size
    if how == "letterbox":
        w, h = (roi or (0, 0, width, height))[2:]
        ratio = min(size[0] / w, size[1] / h)
        dw, dh = max(1, round(w * ratio)), max(1, round(h * ratio))
        # If a product of floats is half a pixel, Ultralytics may round it either way.
        if min(abs(w * ratio % 1 - 0.5), abs(h * ratio % 1 - 0.5)) < 1e-9:
            return BOUNDED
        x0, y0 = (size[0] - dw) // 2, (size[1] - dh) // 2
        x1, y1 = x0 + dw, y0 + dh
    expected = np.full(tensor.shape, GRAY)
    expected[y0:y1, x0:x1] = 255
    off = np.abs(tensor.astype(int) - expected) > 8  # RGB565 cannot represent 114
    require(not off.any(), "the tensor is %r at %r, expected %r", tensor[off][:4].tolist(), np.argwhere(off)[:4].tolist(),
            expected[off][:4].tolist())  # fmt: skip
    return CONFIRMED
