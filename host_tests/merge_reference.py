"""SAHI's greedy merging of boxes, on plain tuples: the reference of `n6post.merge`."""

from __future__ import annotations

from typing import Any

import numpy as np
from fakes import Array


def overlap(one: Array, other: Array, metric: str) -> float:
    w, h = np.minimum(one[2:], other[2:]) - np.maximum(one[:2], other[:2])
    if w <= 0 or h <= 0:
        return 0
    a, b = np.prod(one[2:] - one[:2]), np.prod(other[2:] - other[:2])
    return float(w * h / (min(a, b) if metric == "ios" else a + b - w * h))


def greedy_merging(found: list[Any], threshold: float, metric: str, agnostic: bool) -> list[Any]:
    """GreedyNMMPostprocess of SAHI 0.12.8: (rect, score) of each object. Best first, ties by x1, y1, x2, y2."""
    boxes = [np.array([x, y, x + w, y + h]) for (x, y, w, h), _, _ in found]
    order = sorted(range(len(found)), key=lambda i: (-found[i][1], *boxes[i]))
    gone: set[int] = set()
    objects = []
    for at, i in enumerate(order):
        if i in gone:
            continue
        near = [
            j for j in order[at + 1 :]
            if j not in gone
            and (agnostic or found[j][2] == found[i][2])
            and overlap(boxes[i], boxes[j], metric) >= threshold
        ]  # fmt: skip
        gone.update(near)
        box = boxes[i]
        for j in near:
            if overlap(box, boxes[j], metric) >= threshold:
                box = np.array([*np.minimum(box[:2], boxes[j][:2]), *np.maximum(box[2:], boxes[j][2:])])
        objects.append(((int(box[0]), int(box[1]), int(box[2] - box[0]), int(box[3] - box[1])), found[i][1]))
    return objects
