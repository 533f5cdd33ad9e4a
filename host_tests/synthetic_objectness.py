"""Random outputs of YOLO networks with an objectness, and what the formulas of their sources give for them in float64."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from fakes import Array, FakeModel, Tensor

SIZE = 96, 64  # width, height
STRIDES = 8, 16, 32
DTYPES = ["float32", "int8", "uint8", "int16"]
KINDS = [
    "YoloV2", "YoloV5 maps", "YoloV5 pixels", "YoloV5 normalized", "YoloX maps", "YoloX cells", "YoloX pixels",
    "YoloX normalized",
]  # fmt: skip


class Found(NamedTuple):
    """What a network says of the anchors above a threshold."""

    score: Array  # (n,)
    class_id: Array  # (n,)
    box: Array  # (n, 4): x1, y1, x2, y2 in input pixels


class Network:
    """A network with random outputs: a map [h, w, anchors of a cell, 5 + classes] for each stride.

    kind        one of KINDS; the first word is the family
    anchors     of a cell, in input pixels: (strides, anchors, 2)
    """

    def __init__(self, kind: str, dtype: str, classes: int, seed: int = 0, per_cell: int = 3) -> None:
        self.kind, self.dtype, self.classes = kind, dtype, classes
        self.family, _, self.form = kind.partition(" ")
        random = np.random.default_rng(seed)
        self.strides = (16,) if kind == "YoloV2" else STRIDES
        self.per_cell = per_cell if kind in ("YoloV2", "YoloV5 maps", "YoloX maps") else 3 if self.family == "YoloV5" else 1
        self.anchors = random.integers(32, 200, (len(self.strides), self.per_cell, 2)) / 4
        if self.family == "YoloX":
            self.anchors = np.tile(self.anchors[:1] * 0.96, (len(self.strides), 1, 1))  # parts of the input's width
        maps = [self._map(random, stride) for stride in self.strides]
        if self.form in ("", "maps"):
            together = [one.reshape(*one.shape[:2], -1)[None] for one in maps]
            # Each output has a scale of its own.
            self.tensors = [quantized(one, dtype, 1 + k / 4) for k, one in enumerate(together)]
        else:
            rows = np.concatenate([one.reshape(-1, 5 + classes) for one in maps])[None]
            self.tensors = [quantized(rows, dtype, 1.0)]

    def _map(self, random: np.random.Generator, stride: int) -> Array:
        width, height = SIZE
        h, w = height // stride, width // stride
        values = random.normal(0, 1.2, (h, w, self.per_cell, 5 + self.classes))
        if self.form in ("", "maps"):
            values[..., 2:4] *= 0.4
            if self.family == "YoloV5" and self.classes == 1:
                values[..., 5] += 9  # the logit of a single class stays where training began
            return values
        values[..., 4:] = random.uniform(0, 1, values[..., 4:].shape)
        if self.form == "cells":
            values[..., 2:4] = values[..., 2:4] * 0.4 + 0.8
            return values
        values[..., :2] = random.uniform(0, 1, values[..., :2].shape)
        values[..., 2:4] = random.uniform(0.1, 0.6, values[..., 2:4].shape)
        if self.form == "pixels":
            values[..., :4] *= (width, height, width, height)
        return values

    def options(self) -> dict[str, Any]:
        """The anchors, as the family takes them."""
        width, _ = SIZE
        if self.kind == "YoloV2":
            return {"anchors": [tuple(one) for one in self.anchors[0] / self.strides[0]]}
        if self.kind == "YoloV5 maps":
            return {"anchors": [one.reshape(-1).tolist() for one in self.anchors]}
        if self.kind == "YoloX maps":
            return {"anchors": (self.anchors[0] / width).reshape(-1).tolist()}
        return {}

    def model(self, channels_first: bool = False, order: tuple[int, ...] = (0, 1, 2), labels: bool = True) -> FakeModel:
        tensors = self.tensors
        if channels_first:
            tensors = [one.reordered(0, 3, 1, 2) if one.values.ndim == 4 else one.reordered(0, 2, 1) for one in tensors]
        if len(tensors) == 3:
            tensors = [tensors[k] for k in order]
        return FakeModel(tensors, SIZE, [f"class {k}" for k in range(self.classes)] if labels else None)

    def numbers(self) -> list[Array]:
        """The numbers that the tensors hold, as maps."""
        found = [(one.values.astype(np.float64) - one.zero_point) * np.float32(one.scale or 1.0) for one in self.tensors]
        shapes = [(SIZE[1] // stride, SIZE[0] // stride, self.per_cell, 5 + self.classes) for stride in self.strides]
        if len(found) == len(shapes):
            return [one.reshape(shape) for one, shape in zip(found, shapes, strict=True)]
        ends = np.cumsum([int(np.prod(shape[:3])) for shape in shapes])[:-1]
        return [one.reshape(shape) for one, shape in zip(np.split(found[0][0], ends), shapes, strict=True)]

    def found(self, threshold: float) -> Found:
        """Every anchor whose score reaches the threshold and whose box has a pixel in the input."""
        scores, classes, boxes = [], [], []
        for raw, stride, anchors in zip(self.numbers(), self.strides, self.anchors, strict=True):
            score, part = probabilities(self.kind, raw)
            class_id = part.argmax(axis=-1) if self.classes else np.zeros(score.shape, int)
            score = score * part.max(axis=-1) if self.classes else score
            box = boxes_of(self.kind, raw, stride, anchors)
            seen = np.floor(np.clip(box, 0, [*SIZE, *SIZE]) + 0.5 + 2**-12)
            keep = (score >= threshold) & (seen[..., 2] > seen[..., 0]) & (seen[..., 3] > seen[..., 1])
            scores.append(score[keep])
            classes.append(class_id[keep])
            boxes.append(box[keep])
        return Found(np.concatenate(scores), np.concatenate(classes), np.concatenate(boxes))


def probabilities(kind: str, raw: Array) -> tuple[Array, Array]:
    """The objectness (...) and the class scores (..., classes) of numbers (..., 5 + classes) as the network has them."""
    objectness, classes = raw[..., 4], raw[..., 5:]
    if kind in ("YoloV2", "YoloX maps"):
        part = np.exp(classes - classes.max(axis=-1, keepdims=True, initial=-np.inf))
        return sigmoid(objectness), part / part.sum(axis=-1, keepdims=True)
    return (sigmoid(objectness), sigmoid(classes)) if kind == "YoloV5 maps" else (objectness, classes)


def boxes_of(kind: str, raw: Array, stride: int, anchors: Array, size: tuple[int, int] = SIZE) -> Array:
    """x1, y1, x2, y2 in input pixels of a map [h, w, anchors of a cell, 5 + classes]."""
    rows, columns = np.indices(raw.shape[:2])
    cell = np.stack([columns, rows], axis=-1)[:, :, None]
    if kind in ("YoloV2", "YoloX maps"):
        center, side = (cell + sigmoid(raw[..., :2])) * stride, np.exp(raw[..., 2:4]) * anchors
    elif kind == "YoloV5 maps":
        center = (cell - 0.5 + 2 * sigmoid(raw[..., :2])) * stride
        side = (2 * sigmoid(raw[..., 2:4])) ** 2 * anchors
    elif kind.endswith("cells"):
        center, side = (cell + raw[..., :2]) * stride, np.exp(raw[..., 2:4]) * stride
    else:
        unit = np.array((1, 1) if kind.endswith("pixels") else size)
        center, side = raw[..., :2] * unit, raw[..., 2:4] * unit
    return np.concatenate([center - side / 2, center + side / 2], axis=-1)


def sigmoid(a: Array) -> Array:
    return 1 / (1 + np.exp(-a))


def quantized(values: Array, dtype: str, factor: float) -> Tensor:
    """The numbers as a tensor of this dtype; `factor` makes the scale of an output different from that of others."""
    if dtype == "float32":
        return Tensor(values.astype(np.float32))
    limits = np.iinfo(dtype)
    low, high = min(values.min(), 0), values.max()
    scale = float(np.float32((high - low) / (limits.max - limits.min) * factor))
    zero_point = round(limits.min - low / scale)
    stored = np.clip(np.round(values / scale) + zero_point, limits.min, limits.max).astype(dtype)
    return Tensor(stored, scale, zero_point)


def assert_same(rows: list[tuple[Any, ...]], found: Found, threshold: float) -> None:
    """`survivors` of a processor that suppresses nothing are the anchors that were expected.

    Scores within float32's precision of the threshold may be missing or additional.
    """
    mine = np.array(rows, np.float64).reshape(-1, 7)
    left = np.ones(len(mine), bool)
    for score, class_id, box in zip(*found, strict=True):
        off = np.abs(mine[:, 3:] - box).max(axis=1) + np.abs(mine[:, 2] - score)
        off[~left | (mine[:, 1] != class_id)] = 1e9
        best = int(off.argmin())
        if off[best] > 1e-3 and score < threshold + 1e-5:
            continue
        assert off[best] < 1e-3, (score, class_id, box)
        left[best] = False
    assert (mine[left, 2] < threshold + 1e-5).all()
    assert len(mine) > 10


# --- small models, whose results differ if anything of another model or frame remains in them ---
SMALL = 32, 32
THINGS = [
    ((2, 3, 17, 20), 0, 0.9),
    ((4, 4, 18, 21), 0, 0.8),
    ((3, 3, 18, 20), 1, 0.7),
    ((12, 10, 31, 30), 1, 0.6),
]
PLACES = [(0, 0), (1, 1), (2, 2), (0, 3)]  # (index of the stride, anchor of the cell) of each thing
_V2_ANCHORS = [0.076023, 0.258508, 0.163031, 0.413531, 0.234769, 0.702585, 0.427054, 0.715892, 0.748154, 0.857092]
_V5_ANCHORS = [10, 13, 16, 30, 33, 23, 30, 61, 62, 45, 59, 119, 116, 90, 156, 198, 373, 326]


def drawn(kind: str, labels: list[str] | None = None, things: Any = None, dtype: str = "float32") -> FakeModel:
    """A model of two classes that finds these things: (x1, y1, x2, y2), class and score each."""
    family, _, form = kind.partition(" ")
    logits = form in ("", "maps")
    strides = (16,) if family == "YoloV2" else STRIDES
    per_cell = 5 if family == "YoloV2" else 3 if family == "YoloV5" else 1
    maps = []
    for stride in strides:
        n = SMALL[0] // stride
        one = np.zeros((n, n, per_cell, 7))
        one[..., 4:] = -8 if logits else 0
        if not logits:
            # As real networks are: class scores are high without an object, and many centers outside of their cell.
            one[..., 5:] = 0.3, 0.2
            one[..., 0], one[..., 1] = -0.4, 1.3
        if form in ("pixels", "normalized"):
            one[..., :2] = np.stack(np.indices((n, n))[::-1], -1)[:, :, None] * stride + stride / 2
            one[..., 2:4] = stride
        maps.append(one)
    for (x1, y1, x2, y2), class_id, score in THINGS if things is None else things:
        place = [one[0] for one in THINGS].index((x1, y1, x2, y2)) if things is None else class_id
        level, k = PLACES[place]
        level, k = (0, k) if len(strides) == 1 else (level, k % per_cell)
        stride = strides[level]
        center, side = np.array([x1 + x2, y1 + y2]) / 2, np.array([x2 - x1, y2 - y1], float)
        column, row = (center // stride).astype(int)
        raw = maps[level][row, column, k]
        inside = center / stride - (column, row)
        raw[4:] = (_logit(score), -9, -9) if logits else (score, 0, 0)
        raw[5 + class_id] = 12 if logits else 1
        if family == "YoloV2":
            raw[:4] = *_logit(inside), *np.log(side / (np.reshape(_V2_ANCHORS, (5, 2))[k] * stride))
        elif kind == "YoloV5 maps":
            anchor = np.reshape(_V5_ANCHORS, (3, 3, 2))[level, k]
            raw[:4] = *_logit((inside + 0.5) / 2), *_logit(np.sqrt(side / anchor / 4))
        elif kind == "YoloX maps":
            raw[:4] = *_logit(inside), *np.log(side / 16)
        elif form == "cells":
            raw[:4] = *inside, *np.log(side / stride)
        else:
            raw[:4] = *center, *side
    if form == "normalized":
        for one in maps:
            one[..., :4] /= SMALL[0]
    if logits:
        tensors = [quantized(one.reshape(1, *one.shape[:2], -1), dtype, 1 + k / 8) for k, one in enumerate(maps)]
    else:
        tensors = [quantized(np.concatenate([one.reshape(-1, 7) for one in maps])[None], dtype, 1.0)]
    return FakeModel(tensors, SMALL, labels)


def _logit(p: Any) -> Any:
    return np.log(p / (1 - np.asarray(p, float)))
