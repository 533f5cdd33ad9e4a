"""Regions, crops, colors and bands: compared with every pixel that `contains` or `class_at` names, in plain numpy."""

from __future__ import annotations

from math import floor
from typing import Any

import image
import n6post
import numpy as np
from image._formats import rgb565_to_rgb888
from n6post.inputs.transform import InputTransform
from n6post.results.segmentation import ClassInfo, MapTransform, Segmentation
from ulab import _host

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .drawing import canvas, hand_made
from .tensors import Array

STRANGE: tuple[Any, ...] = (None, "x", 1.5, float("nan"), -3, True, [], (1, 2, 3, 4), 100, b"")


def places(dice: Dice) -> str:
    return dice.pick((_region, _colors, _fill, _bands, _region, _sharp, _parts))(dice)


def _of(img: Any) -> Array:
    kind = np.uint8 if img.format() == image.GRAYSCALE else np.uint16
    return np.frombuffer(bytes(img.bytearray()), kind).reshape(img.height(), img.width())


def _detection(dice: Dice, width: int, height: int) -> tuple[Any, Any]:
    rect = frames.roi_in(dice, width, height)
    if dice.chance(0.2):
        rect = dice.whole(-60, 60), dice.whole(-60, 60), dice.whole(0, 99), dice.whole(0, 99)
    size = (width, height) if dice.chance(0.8) else None
    mask = hand_made(dice, width, height)[0] if dice.chance(0.5) else None
    return n6post.Detection(rect, 0.5, 0, "x", mask, None).replace(frame_size=size), size


def _region(dice: Dice) -> str:
    """A roi and its crop, or a refusal of a strange argument."""
    img, seen = canvas(dice)
    height, width = seen.shape
    d, size = _detection(dice, width, height)
    grow, square, masked = dice.pick((0.0, 0.1, 0.5, -0.25, -0.5, 10.0, 0.033, 2)), dice.chance(0.4), dice.chance(0.4)
    if dice.chance(0.2):
        strange = {name: dice.pick(STRANGE) for name in ("grow", "square", "masked") if dice.chance(0.5)}
        dice.tell(detection=d, strange=strange)
        found, _ = attempt(d.crop, img, **strange)
        return REFUSED if found is None else BOUNDED
    dice.tell(detection=d, size=(width, height), grow=grow, square=square, masked=masked)
    roi, refused = attempt(d.roi, grow=grow, square=square)
    require(roi is not None, "refused a box: %s", refused)
    x, y, w, h = roi
    require(x >= 0 <= y and w > 0 < h, "no part of a frame: %r", roi)
    if size:
        require(x + w <= width and y + h <= height, "%r leaves the frame", roi)
    sides = []
    for at, length, start, of, limit in ((x, w, d.rect[0], d.rect[2], width), (y, h, d.rect[1], d.rect[3], height)):
        margin = floor(of * round(grow * 1000) / 1000 + 0.5)
        sides.append(max(of + 2 * margin, 1))
        if size and not square and of > 0 <= grow and 0 <= start <= start + of <= limit:
            grown = max(start - margin, 0), min(start + of + margin, limit)
            require((at, at + length) == grown, "%r is not the grown box", roi)
    if square and size:
        require((w, h) == (min(max(sides), width), min(max(sides), height)), "%r is no square of %d", roi, max(sides))
    before = seen.copy()
    crop, refused = attempt(d.crop, img, grow=grow, square=square, masked=masked and d.mask is not None)
    require(crop is not None, "refused a frame: %s", refused)
    require(np.array_equal(seen, before), "the crop changed the frame")
    if size:
        part = seen[y : y + h, x : x + w]
        if masked and d.mask is not None:
            d.mask.fill_outside(img)
            part = seen[y : y + h, x : x + w]
        require(np.array_equal(_of(crop), part), "the crop has other pixels")
    return CONFIRMED


def _colors(dice: Dice) -> str:
    """The mean color and the statistics of a mask."""
    img, seen = canvas(dice)
    height, width = seen.shape
    mask = hand_made(dice, width, height)[0]
    dice.tell(size=(width, height), mask=mask._parts()[:4], format=seen.dtype.name)
    found, refused = attempt(mask.statistics, img)
    require(not refused, "refused a frame: %s", refused)
    inside = np.array([[mask.contains(x, y) for x in range(width)] for y in range(height)])
    require(mask.mean_color(img) == (found and found.mean), "two means")
    if found is None:
        require(not inside.any(), "no color of %d pixels", inside.sum())
        return CONFIRMED
    channels = rgb565_to_rgb888(seen[inside]) if seen.dtype == np.uint16 else [seen[inside]] * 3
    for i, channel in enumerate(channels):
        values = channel.astype(np.float64)
        require(abs(values.mean() - found.mean[i]) <= 0.5 + 1e-9, "the mean is %r", values.mean())
        require(abs(values.std() - found.stdev[i]) <= 0.5 + 1e-9, "the deviation is %r", values.std())
        least, largest = values.min(), values.max()
        require((least, largest) == (found.min[i], found.max[i]), "the range is %r to %r", least, largest)
    return CONFIRMED


def _fill(dice: Dice) -> str:
    """fill_outside of a crop is the crop of fill_outside, and a scaled crop keeps pixels well inside the mask."""
    img, seen = canvas(dice)
    height, width = seen.shape
    mask = hand_made(dice, width, height)[0]
    roi = frames.roi_in(dice, width, height)
    x, y, w, h = roi
    if dice.chance(0.15):
        roi = dice.pick((None, (0, 0, width + 1, 1), (-1, 0, 2, 2), (0, 0, 0, 1), (0, 0, 1), "roi", 5, (0.0, 0, 1, 1)))
        size = mask._parts()[4].frame_size
        dice.tell(roi=roi, size=(width, height))
        found, refused = attempt(mask.fill_outside, img, roi=roi)
        if roi == (0, 0, width + 1, 1) and size is None:
            return BOUNDED
        require((found is None) == (roi is not None), "roi %r: %s", roi, refused)
        return REFUSED if found is None else BOUNDED
    times = dice.pick((1, 1, 2, 3))
    crop = img.copy(roi=roi, x_scale=float(times), y_scale=float(times))
    dice.tell(size=(width, height), mask=mask._parts()[:4], roi=roi, times=times)
    before = _of(crop)
    found, refused = attempt(mask.fill_outside, crop, roi=roi, color=(255, 255, 255))
    require(found is crop, "refused a crop: %s", refused)
    if times == 1:
        mask.fill_outside(img, color=(255, 255, 255))
        require(np.array_equal(_of(crop), seen[y : y + h, x : x + w]), "another object than in the frame")
        return CONFIRMED
    white = 255 if seen.dtype == np.uint8 else 65535
    kept = _of(crop) == before
    require((kept | (_of(crop) == white)).all(), "pixels of a third color")
    return BOUNDED


def _bands(dice: Dice) -> str:
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
    require(len(found) == rows, "%d bands", len(found))
    for k, band in enumerate(found[::-1]):
        first, end = y + k * down // rows, y + (k + 1) * down // rows
        hits = np.nonzero(at[first:end] == number)[1]
        require(band.y == (first + end) // 2, "a band at %r", band.y)
        if not len(hits):
            require(band[1:] == (None, None, None, 0.0), "%r of nothing", band)
            continue
        require((band.left, band.right) == (hits.min(), hits.max()), "%r of %r", band, hits)
        require(band.center == floor(int((2 * hits + 1).sum()) / (2 * len(hits))), "%r of %r", band, hits)
        require(abs(band.fraction - len(hits) / (across * (end - first))) < 1e-6, "%r of %d pixels", band, len(hits))
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
    gray = np.array(_of(img.to_grayscale(copy=True))[y : y + h, x : x + w], float)
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
