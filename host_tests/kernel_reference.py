"""The simpler kernels in plain numpy, written from their docstrings alone: a second reference besides portable_*.py.

Arrays come as (pixels or anchors, channels), whatever the layout in memory was; the results are those of the docstrings.
"""

from __future__ import annotations

import numpy as np
from reference import Array

f32 = np.float32


def bits(value: float) -> int:
    """A float32 as the int32 that the kernels take."""
    return int(f32(value).view(np.int32))


def class_map(values: Array, cut: float = 0) -> Array:
    """Argmax over the channels, NaN as -inf; one channel: 1 where value >= cut."""
    if values.shape[1] == 1:
        wide = values[:, 0] if values.dtype == f32 else values[:, 0].astype(np.int64)
        return (wide >= cut).astype(np.uint8)
    ranked = np.where(np.isnan(values), -np.inf, values) if values.dtype == f32 else values
    return ranked.argmax(axis=1).astype(np.uint8)


def class_histogram(values: Array) -> Array:
    return np.bincount(values.ravel(), minlength=256).astype(np.int32)


def count_class_pixels(values: Array, class_id: int, columns: list[int], rows: list[int]) -> int:
    """The pixels of a class after each column and row of (height, width) was repeated as often as it is wide or high."""
    return int(((values == class_id) * np.diff(columns) * np.diff(rows)[:, None]).sum())


def candidates(values: Array, classes: slice, cut: float, allowed: set[int] | None, capacity: int) -> tuple[Array, Array]:
    """(anchors, classes), best first: the best class of each anchor at or above the cut, of the allowed classes."""
    scores = values[:, classes].astype(np.float64)
    scores[np.isnan(scores)] = -np.inf
    best, labels = scores.max(axis=1), scores.argmax(axis=1)
    keep = best >= cut
    if allowed is not None:
        keep &= np.isin(labels, sorted(allowed))
    order = np.argsort(-best, kind="stable")
    order = order[keep[order]][:capacity]
    return order.astype(np.uint16), labels[order].astype(np.uint16)


def suppress_masks(
    masks: Array, crops: Array, classes: Array, part: int, class_agnostic: bool, seen: Array
) -> list[int]:
    """Which of the masks are kept: planes (n, H, W) of booleans, crops and seen (n, 4) as x0, y0, x1, y1, best first."""
    planes = np.zeros(masks.shape, dtype=bool)
    for plane, mask, (x0, y0, x1, y1) in zip(planes, masks, crops, strict=True):
        plane[y0:y1, x0:x1] = mask[y0:y1, x0:x1]
    kept: list[int] = []
    for i in range(len(planes)):
        x0, y0, x1, y1 = np.maximum(seen[i], 0)
        if not planes[i, y0:y1, x0:x1].any():
            continue
        rivals = [j for j in kept if class_agnostic or classes[i] == classes[j]]
        if not any((planes[i] & planes[j]).sum() * 1024 > planes[i].sum() * part for j in rivals):
            kept.append(i)
    return kept


def exact_mask(protos: Array, coefficients: Array, zero_points: tuple[int, int], threshold: int) -> Array:
    """The bytes of an 8-bit window (h, w, terms): 128 + ((sum - threshold - 1) >> shift), clipped."""
    sums = (protos.astype(np.int64) - zero_points[0]) @ (coefficients.astype(np.int64) - zero_points[1]) - threshold
    largest, shift = np.abs(sums[::2, ::2]).max(), 0
    while largest > 127 << shift:
        shift += 1
    return np.clip(128 + ((sums - 1) >> shift), 0, 255).astype(np.uint8)


def float_mask(protos: Array, coefficients: Array, zero_points: tuple[int, int], threshold: np.float32) -> Array:
    """The bytes of an int16 or float32 window (h, w, terms): 127 + ceil((sum - threshold) * k), clipped, NaN 0."""
    with np.errstate(all="ignore"):
        products = (protos.astype(f32) - f32(zero_points[0])) * (coefficients.astype(f32) - f32(zero_points[1]))
        lanes = np.zeros((4, *protos.shape[:2]), f32)
        for i in range(protos.shape[2]):
            lanes[i % 4] += products[:, :, i]
        sums = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) - threshold
        sizes = np.abs(sums[::2, ::2])
        largest = sizes[~np.isnan(sizes)].max(initial=f32(0))
        k = f32(1) if largest == 0 or np.isinf(largest) or np.isinf(f32(127) / largest) else f32(127) / largest
        found = np.ceil(sums * k) + f32(127)
    return np.nan_to_num(np.clip(found, 0, 255), nan=0.0).astype(np.uint8)


def tint_map(frame: Array, classes: Array, columns: list[int], rows: list[int], palette: bytes) -> Array:
    """A frame (height, width) of RGB565 words or gray bytes with the rectangle of each map pixel blended in, cut to it."""
    colors, alphas = np.frombuffer(palette[:512], np.uint16), palette[512:]
    made = frame.copy()
    for (row, column), class_id in np.ndenumerate(classes):
        place = np.s_[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        made[place] = blended(frame[place], int(colors[class_id]), alphas[class_id])
    return made


def blended(pixels: Array, color: int, alpha: int) -> Array:
    """OpenMV's blend: of RGB565 part by part in 33 levels of alpha, of gray bytes in 257, towards the color or its luma."""
    if pixels.dtype == np.uint16:
        level = round(32 * alpha / 255)
        mixed = np.zeros(pixels.shape, np.int64)
        for shift, most in ((11, 31), (5, 63), (0, 31)):
            old, new = pixels.astype(np.int64) >> shift & most, color >> shift & most
            mixed |= (new * level + old * (32 - level) >> 5) << shift
        return mixed.astype(np.uint16)
    level = round(256 * alpha / 255)
    return (luma(color) * level + pixels.astype(np.int64) * (256 - level) >> 8).astype(np.uint8)


def luma(color: int) -> int:
    """Of an RGB565 word whose parts are widened to 8 bits by their own first bits."""
    red, green, blue = color >> 11, color >> 5 & 63, color & 31
    return 38 * (red << 3 | red >> 2) + 75 * (green << 2 | green >> 4) + 15 * (blue << 3 | blue >> 2) >> 7
