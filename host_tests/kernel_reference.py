"""The simpler kernels once more, in plain numpy and from their docstrings alone: a second witness beside portable_*.py.

Arrays come as (pixels or anchors, channels), whatever the layout in memory was; the results are those of the docstrings.
"""

from __future__ import annotations

import numpy as np
from fakes import Array

f32 = np.float32


def class_map(values: Array, cut: float = 0) -> Array:
    """Argmax over the channels, NaN as -inf; one channel: 1 where value >= cut."""
    if values.shape[1] == 1:
        wide = values[:, 0] if values.dtype == f32 else values[:, 0].astype(np.int64)
        return (wide >= cut).astype(np.uint8)
    ranked = np.where(np.isnan(values), -np.inf, values) if values.dtype == f32 else values
    return ranked.argmax(axis=1).astype(np.uint8)


def count(values: Array) -> Array:
    return np.bincount(values.ravel(), minlength=256).astype(np.int32)


def cover(values: Array, class_id: int, columns: list[int], rows: list[int]) -> int:
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


def dedupe(masks: Array, crops: Array, classes: Array, part: int, agnostic: bool) -> list[int]:
    """Which of the masks stay: planes (n, H, W) of booleans, crops (n, 4) as x0, y0, x1, y1, best first."""
    planes = np.zeros(masks.shape, dtype=bool)
    for plane, mask, (x0, y0, x1, y1) in zip(planes, masks, crops, strict=True):
        plane[y0:y1, x0:x1] = mask[y0:y1, x0:x1]
    kept: list[int] = []
    for i in range(len(planes)):
        rivals = [j for j in kept if agnostic or classes[i] == classes[j]]
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
