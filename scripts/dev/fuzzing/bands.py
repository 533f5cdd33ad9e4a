"""Bands of class maps, compared with every pixel that `class_at` names, in plain numpy."""

from __future__ import annotations

from math import floor
from typing import Any

import numpy as np
from n6post.inputs.transform import InputTransform
from n6post.results.segmentation import ClassInfo, MapTransform, Segmentation
from ulab import _host

from . import frames
from .core import CONFIRMED, REFUSED, Dice, attempt, close, require, same

STRANGE: tuple[Any, ...] = (None, "x", 1.5, float("nan"), -3, True, [], (1, 2, 3, 4), 100, b"")


def bands(dice: Dice) -> str:
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
