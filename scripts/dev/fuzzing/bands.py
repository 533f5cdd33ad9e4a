"""Bands and parts of class maps, compared with every pixel that `class_at` names, and the sharpness of pictures."""

from __future__ import annotations

from math import floor
from typing import Any

import n6post
import numpy as np
from n6post.inputs.transform import InputTransform
from n6post.results.segmentation import ClassInfo, MapTransform, Segmentation
from ulab import _host

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .drawing import canvas

STRANGE: tuple[Any, ...] = (None, "x", 1.5, float("nan"), -3, True, [], (1, 2, 3, 4), 100, b"")


def bands(dice: Dice) -> str:
    return dice.pick((_profile, _parts, _sharp))(dice)


def _profile(dice: Dice) -> str:
    """A profile compared with class_at of every pixel."""
    width, height = dice.pick((40, 33, 7, 1)), dice.pick((30, 17, 5, 1))
    w, h = dice.pick((8, 5, 1, 40)), dice.pick((6, 9, 1, 33))
    x, y, across, down = frames.roi_in(dice, width, height)
    fit = InputTransform((width, height), (x, y, across, down), across / w, float(x), down / h, float(y))
    classes = dice.array.integers(0, 3, (h, w)).astype(np.uint8)
    seen = Segmentation(_host.wrap(classes), MapTransform(ClassInfo(3, 3, ["a", "b", "c"], 0), fit, (w, h), (w, h)))
    class_id = dice.pick((1, 0, 2, 7, "b"))
    rows = dice.pick((8, 1, 3, 5))
    if dice.chance(0.1):
        rows, class_id = dice.pick(STRANGE), dice.pick((1, "d", None, 300, -1, 1.5))
    dice.tell(size=(width, height), classes=classes, roi=(x, y, across, down), rows=rows, class_id=class_id)
    found, refused = attempt(seen.profile, class_id, rows=rows)
    valid = type(rows) is int and 1 <= rows <= down and class_id in (0, 1, 2, 7, "b") and type(class_id) is not float
    require((found is not None) == valid, "profile(%r, rows=%r): %s", class_id, rows, refused)
    if found is None:
        return REFUSED
    number = 1 if class_id == "b" else class_id
    at = np.array([[-1 if (c := seen.class_at(u, v)) is None else c for u in range(width)] for v in range(height)])
    same("number of bands", len(found), rows)
    for k, band in enumerate(found[::-1]):
        first, end = y + k * down // rows, y + (k + 1) * down // rows
        hits = np.nonzero(at[first:end] == number)[1]
        same("row", band.y, (first + end) // 2)
        if not len(hits):
            same("band of nothing", band[1:], (None, None, None, 0.0))
            continue
        middle = floor(int((2 * hits + 1).sum()) / (2 * len(hits)))
        same("band", (band.left, band.center, band.right), (hits.min(), middle, hits.max()))
        close("fraction", band.fraction, len(hits) / (across * (end - first)), reach=1e-6)
    return CONFIRMED


def _sharp(dice: Dice) -> str:
    """The variance of the Laplacian of a part of a picture."""
    img, seen = canvas(dice)
    height, width = seen.shape
    rect = dice.pick((None, frames.roi_in(dice, width, height), (0, 0, width + 1, 1), (0, 0, 1), 5, "rect"))
    dice.tell(size=(width, height), rect=rect)
    found, refused = attempt(n6post.sharpness, img, rect)
    x, y, w, h = rect if isinstance(rect, tuple) and len(rect) == 4 else (0, 0, width, height)
    require((found is None) == (x + w > width or rect not in (None, (x, y, w, h))), "sharpness %r: %s", found, refused)
    if found is None:
        return REFUSED
    shade = img.to_grayscale(copy=True).bytearray()
    gray = np.frombuffer(shade, np.uint8).reshape(height, width)[y : y + h, x : x + w].astype(float)
    if w < 3 or h < 3 or (w - 2) * max(h - 2, 4) > 4096:
        return BOUNDED
    wanted = (gray[:-2, 1:-1] + gray[2:, 1:-1] + gray[1:-1, :-2] + gray[1:-1, 2:] - 4 * gray[1:-1, 1:-1]).var()
    require(abs(found - wanted) <= 1e-6 * wanted + 1e-9, "sharpness %r, expected %r", found, wanted)
    return CONFIRMED


def _parts(dice: Dice) -> str:
    """The parts of a class cover it, each pixel once, and are as many as a flood finds; their near parts in a depth map."""
    w, h = dice.whole(1, 12), dice.whole(1, 12)
    fit = InputTransform((w, h), (0, 0, 2 * w, 2 * h), 2.0, 0.0, 2.0, 0.0, (2 * w, 2 * h))
    transform = MapTransform(ClassInfo(2, 2, ["a", "b"], 0), fit, (w, h), (w, h))
    classes = (dice.array.random((h, w)) < dice.pick((0.3, 0.5, 0.8))).astype(np.uint8)
    dice.tell(classes=classes)
    parts = Segmentation(_host.wrap(classes), transform).objects(1)
    left, count = {(int(x), int(y)) for y, x in np.argwhere(classes)}, 0
    while left:
        count += 1
        ends = [left.pop()]
        while ends:
            x, y = ends.pop()
            near = left & {(x + i, y + k) for i in (-1, 0, 1) for k in (-1, 0, 1)}
            left -= near
            ends += near
    require(len(parts) == count, "%d parts, expected %d", len(parts), count)
    covered = np.array([[sum([d.mask.contains(2 * x, 2 * y) for d in parts]) for x in range(w)] for y in range(h)])
    require(np.array_equal(covered, classes), "the parts cover %r", covered)
    depth = n6post.DepthMap(_host.wrap(classes), transform, 1.0, 0)
    got = depth.fraction((0, 0, 2 * w, 2 * h), nearer=0.5)
    require(abs(got - (classes == 0).mean()) < 1e-9, "fraction %r", got)
    return CONFIRMED
