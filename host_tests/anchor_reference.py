"""What the kernels of anchors.py return, in plain numpy and float32, to the bit."""

from __future__ import annotations

import numpy as np
from fakes import Array
from kernel_reference import LOG2_E, decoded_scores

f32 = np.float32


def power(y: Array) -> Array:
    """2^y in float32, one rounding per operation, for y from -116 to 30; NaN counts as -116."""
    y = np.fmin(np.fmax(y, f32(-116)), f32(30))
    n = np.rint(y)
    p = np.full(y.shape, 0xAADDD / 2**29, f32)
    for coefficient in (0x9E75C / 2**26, 0xE35D3 / 2**24, 0xF5FCE / 2**22, 0xB1721 / 2**20, 1):
        p = p * (y - n) + f32(coefficient)
    return np.ldexp(p, n.astype(int)).astype(f32)


def score_anchors(
    found: Array, anchors: Array, classes: Array, numbers: Array | None, *, activation: int, background: int,
    zero_point: int, scale: np.float32, search_scale: np.float32, search_sigmoid: bool, root: bool, least: np.float32,
    allowed: set[int] | None,
) -> tuple[Array, Array, Array]:  # fmt: skip
    """(scores, anchors, classes) of the candidates that stay.

    found   what the search found; numbers: (candidates, background + classes), the class scores, or None
    """
    with np.errstate(all="ignore"):
        scores = decoded_scores(found, search_scale, search_sigmoid)
        if numbers is not None:
            raw = np.where(np.isnan(numbers.astype(f32)), f32(-np.inf), numbers.astype(f32)) - f32(zero_point)
            own = raw[:, background:]
            classes = own.argmax(axis=1)
            best = own.max(axis=1)
            if activation == 2:
                factor = scale * LOG2_E
                largest = raw.max(axis=1)
                total = np.zeros(len(raw), f32)
                for channel in raw.T:
                    total = total + power((channel - largest) * factor)
                part = power((best - largest) * factor) / total
            else:
                part = decoded_scores(best, scale, activation == 1)
            scores = scores * part
        if root:
            scores = np.sqrt(np.fmax(scores, f32(0)))
        scores = scores + f32(0)
        keep = scores >= least
    if allowed is not None:
        keep &= np.isin(classes, sorted(allowed))
    return scores[keep], anchors[keep], classes[keep].astype(np.uint16)


def cells(anchors: Array, levels: list[tuple[int, int, float, float, Array]]) -> tuple[Array, Array, Array]:
    """(column and row, stride x and y, gain x, gain y, width, height) of each anchor. Levels as level_table takes them."""
    places, strides, kinds = [], [], []
    for anchor in anchors:
        first, width, stride_x, stride_y, cell = [level for level in levels if level[0] <= anchor or level is levels[0]][-1]
        place, kind = divmod(int(anchor) - first, len(cell))
        places.append(divmod(place, width)[::-1])
        strides.append((stride_x, stride_y))
        kinds.append(cell[kind])
    return np.array(places, f32).reshape(-1, 2), np.array(strides, f32).reshape(-1, 2), np.array(kinds, f32).reshape(-1, 4)


def decode_anchors(
    boxes: Array | None, points: Array | None, anchors: Array, *, zero_point: int, scale: np.float32, swapped: bool, xy: int,
    wh: int, wh_scale: np.float32, offset: np.float32, levels: list[tuple[int, int, float, float, Array]],
) -> tuple[Array, Array]:  # fmt: skip
    """(corners (4, n), keypoints (3 * points, n)) of n candidates.

    boxes   (n, 4) raw numbers, or None; points: (n, points, 2), or None
    """
    with np.errstate(all="ignore"):
        place, strides, kind = cells(anchors, levels)
        center = (place + offset) * strides
        corners = np.empty((0, len(anchors)), f32)
        if boxes is not None:
            raw = boxes.astype(f32) - f32(zero_point)
            if swapped:
                raw = raw[:, [1, 0, 3, 2]]
            middle = decoded_scores(raw[:, :2], scale, bool(xy)) * kind[:, :2] + center
            if wh == 1:
                size = power(raw[:, 2:] * (scale * wh_scale * LOG2_E))
            elif wh == 2:
                size = decoded_scores(raw[:, 2:], scale, True)
                size = size * size
            else:
                size = raw[:, 2:] * scale
            half = size * kind[:, 2:] * f32(0.5)
            corners = np.concatenate([middle - half, middle + half], axis=1).T
        rows = np.empty((0, len(anchors)), f32)
        if points is not None:
            raw = points.astype(f32) - f32(zero_point)
            at = raw * scale * kind[:, None, :2] + center[:, None]
            rows = np.concatenate([at, np.ones((*at.shape[:2], 1), f32)], axis=2).reshape(len(anchors), -1).T
    return corners, rows


def rank_anchors(values: Array, labels: Array, most: int) -> tuple[Array, Array]:
    """(values, classes) of the best candidates: score descending, then anchor ascending."""
    order = np.lexsort((labels[0], -values[4]))[:most]
    return values[:, order], labels[1, order]


def blend_anchors(
    values: Array, classes: Array, threshold: np.float32, class_agnostic: bool, most: int
) -> tuple[list[int], Array]:
    """(positions that are kept, values): MediaPipe's weighted suppression, with IoUs of the boxes before it."""
    blended, left, kept = values.copy(), list(range(values.shape[1])), []
    with np.errstate(all="ignore"):
        x1, y1, x2, y2 = values[:4]
        area = (x2 - x1) * (y2 - y1)
        while left and len(kept) < most:
            i = left[0]
            rest = np.array(left[1:], int)
            width = np.where(x2[rest] < x2[i], x2[rest], x2[i]) - np.where(x1[rest] > x1[i], x1[rest], x1[i])
            height = np.where(y2[rest] < y2[i], y2[rest], y2[i]) - np.where(y1[rest] > y1[i], y1[rest], y1[i])
            inter = np.where(width > 0, width, f32(0)) * np.where(height > 0, height, f32(0))
            over = inter / (area[rest] + area[i] - inter) > threshold
            if not class_agnostic:
                over &= classes[rest] == classes[i]
            cluster = [i, *rest[over]]
            if len(cluster) > 1:
                total, weight = np.zeros(len(values), f32), f32(0)
                for j in cluster:
                    total = total + values[:, j] * values[4, j]
                    weight = weight + values[4, j]
                blended[:, i] = total / weight
                blended[4, i] = values[4, i]
            kept.append(i)
            left = [j for j in left if j not in cluster]
    return kept, blended
