"""Detectors with anchors (YOLOv2, v5, YOLOX, YOLO-D, BlazeFace, Palm and Pose, YuNet, SCRFD, SSD): all forms and dtypes.

Each family's formulas are written here once more, in float64, from the sources that its file names.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from reference import sigmoid
from synthetic_objectness import boxes_of, probabilities

from . import frames, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, require
from .tensors import KINDS, Array, Quantized, quantize, spoiled

ERROR = 3e-6  # relative: of the kernels' own exponential
STRIDES = (8, 16, 32)
STRIDE_SETS = (STRIDES, (4, 8, 16, 32), (8, 16, 32, 64), (16, 32))
CLASS_COUNTS = (1, 3, 2, 5, 7, 20, 80)
YOLO_SIZES = ((96, 64), (64, 96), (128, 96), (64, 64), (160, 64), (32, 96), (192, 160))


class Part(NamedTuple):
    """The anchors of one search, decoded, in the order in which equal scores are ranked.

    search      the numbers by which the best anchors are found, before the activation
    chance      the same as scores
    score, class_id, box, points    of each anchor: boxes are x1, y1, x2, y2 in input pixels, points (n, K, 2)
    raw         (n, m) numbers that determine the score: anchors with other numbers may differ in float32
    """

    search: Array
    chance: Array
    score: Array
    class_id: Array
    box: Array
    points: Array
    raw: Array


class Head(NamedTuple):
    """The outputs of a network. unclear: whether the shapes or the numbers leave open which head it is."""

    size: tuple[int, int]
    classes: int
    tensors: list[Quantized]
    parts: list[Part]
    options: dict[str, Any]
    unclear: bool = False
    root: bool = False
    names: bool = True  # whether a script may name its classes
    limited: bool = False  # whether a full list of candidates is not ranked by score
    finished: bool = False  # whether overlaps are suppressed already


def softmax(a: Array) -> Array:
    e = np.exp(a - a.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def cells(width: int, height: int, per_cell: int = 1) -> Array:
    """(column, row) of each anchor, row by row."""
    row, column = np.divmod(np.repeat(np.arange(width * height), per_cell), width)
    return np.stack([column, row], axis=1).astype(float)


def corners(center: Array, extent: Array) -> Array:
    return np.concatenate([center - extent / 2, center + extent / 2], axis=-1)


def likely(dice: Dice, shape: Any, low: float, high: float, often: float = 0.01) -> Array:
    """Numbers of which nearly all are at `low`, and a few anywhere up to `high`."""
    random = dice.array
    values = random.normal(low, 0.1 * (high - low), shape).clip(low - 0.2 * (high - low), low + 0.3 * (high - low))
    some = random.random(shape) < often
    return np.where(some, random.uniform(low, high, shape), values)


# --- YOLO with an objectness -------------------------------------------------------------------------------------------
FORMS = {"YoloV2": ("",), "YoloV5": ("maps", "maps", "pixels", "normalized"),
         "YoloX": ("maps", "maps", "maps", "cells", "pixels", "normalized")}  # fmt: skip


def _yolo_part(kind: str, raw: Array, box: Array, scale: float | None) -> Part:
    """A part of a head with numbers (n, 5 + classes), and its decoded boxes (n, 4)."""
    objectness, classes = probabilities(kind, raw)
    # The softmax of one class is 1, whatever its number.
    known = raw[:, 4:5] if kind in ("YoloV2", "YoloX maps") and classes.shape[1] == 1 else raw[:, 4:]
    known = np.column_stack([known, np.full(len(raw), scale or 0)])
    points = np.zeros((len(raw), 0, 2))
    return Part(raw[:, 4], objectness, objectness * classes.max(axis=1), raw[:, 5:].argmax(axis=1), box, points, known)


def same_aspect(size: tuple[int, int], shape: tuple[int, ...]) -> bool:
    """Whether a map of these rows and columns has the aspect ratio of the input."""
    return abs(shape[1] * size[1] - shape[0] * size[0]) <= max(size)


def _anchors(dice: Dice, family: str, size: tuple[int, int]) -> tuple[tuple[int, ...], Array, dict[str, Any]]:
    """Strides, anchors (strides, kinds, 2) in input pixels, and the option for them."""
    random = dice.array
    if family == "YoloV2":
        stride = dice.pick((16, 32))
        # tiny YOLOv2's and ST's yolo_lc
        default = [0.9883, 3.3606, 2.1194, 5.3759, 3.052, 9.1336, 5.5517, 9.3066, 9.726, 11.1422]
        small = [0.076023, 0.258508, 0.163031, 0.413531, 0.234769, 0.702585, 0.427054, 0.715892, 0.748154, 0.857092]
        sizes, options = np.reshape(small if stride == 16 else default, (5, 2)), {}
        if dice.chance(0.5):
            sizes = np.round(random.uniform(0.3, 4, (dice.pick((2, 1, 3, 5)), 2)) * 64) / 64
            options = {"anchors": dice.pick((sizes.tolist(), sizes.reshape(-1).tolist(), tuple(map(tuple, sizes.tolist()))))}
        return (stride,), sizes[None] * stride, options
    if family == "YoloV5":
        default = [10, 13, 16, 30, 33, 23, 30, 61, 62, 45, 59, 119, 116, 90, 156, 198, 373, 326]
        if dice.chance(0.6):
            return STRIDES, np.reshape(default, (3, 3, 2)).astype(float), {}
        sizes = np.round(random.uniform(5, 60, (3, dice.pick((3, 1, 2)), 2)) * 8) / 8
        return STRIDES, sizes, {"anchors": sizes.reshape(-1).tolist()}
    per_cell = dice.pick((1, 3))
    sizes, options = np.reshape((0.5, 0.5) if per_cell == 1 else (0.5, 0.5, 0.07, 0.25, 0.23, 0.7), (-1, 2)), {}
    if dice.chance(0.6):
        sizes = random.uniform(0.05, 0.7, (per_cell, 2)).astype(np.float32).astype(float)
        options = {"anchors": sizes.tolist()}
    return STRIDES, np.tile(sizes * size[0], (3, 1, 1)), options


def yolo_maps(dice: Dice, family: str, name: str) -> Head:
    """Maps [1, h, w, C] or [1, C, h, w]."""
    size, classes = dice.pick(YOLO_SIZES), dice.pick(CLASS_COUNTS)
    strides, anchors, options = _anchors(dice, family, size)
    kind, first, random = dice.pick(KINDS), dice.chance(0.4), dice.array
    tensors, parts, unclear = [], [], False
    per_cell = anchors.shape[1]
    for stride, sizes in zip(strides, anchors, strict=True):
        shape = size[1] // stride, size[0] // stride, per_cell
        values = random.normal(0, 1.5, (*shape, 5 + classes))
        if name == "YoloV5 maps":  # most class logits are far below 0, that of a single class is far above
            several = likely(dice, (*shape, classes), -6, 4, 0.1)
            values[..., 5:] = several if classes > 1 else random.normal(5, 0.5, (*shape, 1))
        values[..., 2:4] = random.normal(0, 0.5, (*shape, 2))
        values[..., 4] = likely(dice, shape, -6, 4, dice.pick((0.03, 0.0, 0.3, 0.005)))
        if dice.chance(0.3):  # more alike, so that they overlap
            values[..., :4] *= 0.1
        tensor = quantize(dice, values, dice.pick(KINDS) if dice.chance(0.1) else kind, -10, 6)
        flat = tensor.values.reshape(*shape[:2], -1)
        flat = flat.transpose(2, 0, 1) if first else flat
        tensors.append(tensor._replace(values=np.ascontiguousarray(flat)[None]))
        real = tensor.real()
        box = boxes_of(name, real, stride, sizes)
        # With the channels first, there is one search for each anchor of a cell.
        for k in [slice(k, k + 1) for k in range(per_cell)] if first else [slice(0, per_cell)]:
            part = real[:, :, k].reshape(-1, 5 + classes), box[:, :, k].reshape(-1, 4)
            parts.append(_yolo_part(name, *part, tensor.scale))
        # docs: the aspect ratio shows the order.
        last, other = same_aspect(size, flat.shape[:2]), same_aspect(size, flat.shape[1:])
        unclear = unclear or (last and other) or not (other if first else last)
    if family == "YoloX" and per_cell == 3:  # ST's: class logits around 0, and hardly any objectness (see yolox.py)
        plain = classes > 1 and "anchors" not in options and real[:, :, 1, 4].mean() > -2
        unclear = unclear or abs(real[..., 5:].mean()) > 3 or plain
    elif family == "YoloX":  # without anchors, the numbers show what it is
        unclear = unclear or (5 + classes) % 3 == 0 and "anchors" not in options
    return Head(size, classes, tensors, parts, options, bool(unclear))


def yolo_rows(dice: Dice, family: str, name: str) -> Head:
    """Rows [1, N, 5 + classes] or the transpose, with objectness and class scores after the sigmoid."""
    size, classes = dice.pick(YOLO_SIZES), dice.pick(CLASS_COUNTS)
    per_cell, unit = 3 if family == "YoloV5" else 1, name.split()[1]
    random = dice.array
    levels = []
    often = dice.pick((0.03, 0.0, 0.3))
    strides = dice.pick((STRIDES,) * 3 + STRIDE_SETS[1:])
    for stride in strides:
        shape = size[1] // stride, size[0] // stride, per_cell
        values = np.zeros((*shape, 5 + classes))
        values[..., 4] = likely(dice, shape, 0.02, 1.0, often).clip(0, 1)
        # YOLOv8 has scores of 0 nearly everywhere.
        values[..., 5:] = likely(dice, (*shape, classes), 0.2, 1.0, 0.2).clip(0.1, 1)
        values[..., :2] = cells(*shape[1::-1], per_cell).reshape(*shape, 2) + random.uniform(0, 1, (*shape, 2))
        values[..., 2:4] = random.uniform(0.5, 4, (*shape, 2))
        if unit == "cells":
            values[..., :2] = random.uniform(-0.6, 1.6, (*shape, 2))
            values[..., 2:4] = random.normal(0.5, 0.6, (*shape, 2)).clip(-2, 3)
        else:
            values[..., :4] *= stride / np.array((*size, *size) if unit == "normalized" else (1, 1, 1, 1))
        levels.append(values)
    flat = np.concatenate([values.reshape(-1, 5 + classes) for values in levels])
    high = 3.0 if unit == "cells" else max(1.05, float(flat[:, :4].max()))
    kind = dice.pick(("float32", "int16") if unit == "pixels" else KINDS)
    tensor = quantize(dice, flat, kind, -2.0 if unit == "cells" else 0.0, high)
    real = tensor.real()
    options = {"box_units": unit} if dice.chance(0.5) or not _unit_of(real, unit) else {}
    ends = np.cumsum([np.prod(values.shape[:3]) for values in levels])[:-1]
    maps = [one.reshape(values.shape) for one, values in zip(np.split(real, ends), levels, strict=True)]
    boxes = [boxes_of(name, one, stride, np.ones(2), size).reshape(-1, 4) for one, stride in zip(maps, strides, strict=True)]
    parts = [_yolo_part(name, real, np.concatenate(boxes), tensor.scale)]
    counts = {per_cell * yolo.anchor_count(size, several) for several in STRIDE_SETS}
    unclear = 5 + classes in counts or bool((real[:, 5:] > 1.005).any())
    array = np.ascontiguousarray(tensor.values.T if dice.chance(0.4) else tensor.values)
    form = dice.pick(((1, *array.shape), (1, *array.shape), (1, 1, *array.shape), (1, *array.shape, 1), array.shape))
    return Head(size, classes, [tensor._replace(values=array.reshape(form))], parts, options, unclear)


def yolo_faces(dice: Dice) -> Head:
    """Rows [1, N, 16] of YOLOv5-face: a box, objectness, five landmarks and a class score, in input pixels."""
    size, random = dice.pick(YOLO_SIZES[:4]), dice.array
    strides = dice.pick((STRIDES,) * 3 + STRIDE_SETS[1:])
    levels = []
    often = dice.pick((0.03, 0.0, 0.3))
    for stride in strides:
        place = (cells(size[0] // stride, size[1] // stride, 3) + 0.5) * stride
        values = np.zeros((len(place), 16))
        values[:, :2] = place + random.uniform(-0.7, 0.7, place.shape) * stride
        values[:, 2:4] = random.uniform(0.5, 4, place.shape) * stride
        values[:, 4] = likely(dice, len(place), 0.02, 1.0, often).clip(0, 1)
        values[:, 5:15] = np.tile(place, 5) + random.normal(0, 2, (len(place), 10)).clip(-4, 4)
        values[:, 15] = random.uniform(0.8, 1, len(place))
        levels.append(values)
    tensor = quantize(dice, np.concatenate(levels), dice.pick(("float32", "int16")), -20.0, max(size) + 40.0)
    real = tensor.real()
    score = real[:, 4] * real[:, 15]
    raw = np.column_stack([real[:, 4], real[:, 15], np.full(len(real), tensor.scale or 0)])
    box = corners(real[:, :2], real[:, 2:4])
    part = Part(real[:, 4], real[:, 4], score, np.zeros(len(real), int), box, real[:, 5:15].reshape(-1, 5, 2), raw)
    counts = {3 * yolo.anchor_count(size, several) for several in STRIDE_SETS}
    array = np.ascontiguousarray(tensor.values.T if dice.chance(0.4) else tensor.values)
    # The smallest inputs have too few cells for the coordinates of the landmarks to show.
    unclear = 16 in counts or len(real) < 200
    return Head(size, 1, [tensor._replace(values=array[None])], [part], {}, unclear, names=False)


def objectness(dice: Dice, family: str) -> Head:
    if family == "YoloV5" and dice.chance(0.2):
        return yolo_faces(dice)
    name = f"{family} {dice.pick(FORMS[family])}".strip()
    return (yolo_maps if name in ("YoloV2", "YoloV5 maps", "YoloX maps") else yolo_rows)(dice, family, name)


def _unit_of(real: Array, unit: str) -> bool:
    """Whether the numbers show the unit, as docs/api-families.md says it."""
    centers = real[:, :2]
    if unit == "pixels":
        return float(centers.mean()) > 2.1
    if unit == "normalized":
        return bool(-0.19 < centers.min() < centers.max() < 1.19)
    return bool(centers.min() < -0.21 or centers.max() > 1.21) and float(centers.mean()) < 1.9


# --- MediaPipe's detectors and YuNet ---------------------------------------------------------------------------------
BLAZE = {"face": (16, ((16, 2), (8, 6))), "far": (16, ((48, 1),)), "palm": (18, ((24, 2), (12, 6)))}
BLAZE |= {"pose": (12, ((28, 2), (14, 2), (7, 6))), "old pose": (12, ((16, 2), (8, 6)))}


def blaze(dice: Dice, networks: tuple[str, ...]) -> Head:
    network = dice.pick(networks)
    channels, maps = BLAZE[network]
    side = maps[0][0]
    size = dice.pick(((8 * side, 8 * side), (4 * side, 4 * side), (8 * side, 4 * side), (3 * side, 8 * side)))
    separate = len(maps) > 1 and dice.chance(0.5)
    random = dice.array
    tensors: list[Quantized] = []
    parts: list[Part] = []
    often = dice.pick((0.01, 0.0, 0.1, 0.003))
    kinds = dice.pick(KINDS), dice.pick(KINDS)
    places = [(cells(c, c, per_cell) + 0.5) * (size[0] / c, size[1] / c) for c, per_cell in maps]
    for group in places if separate else [np.concatenate(places)]:
        count = len(group)
        boxes = random.normal(0, 6, (count, channels))
        boxes[:, 2:4] = random.uniform(5, 40, (count, 2))
        scores = likely(dice, (count, 1), -7, 4, often)
        box = quantize(dice, boxes, kinds[0], -30, 45)
        score = quantize(dice, scores, kinds[1], -12, 5)
        numbers, logits = box.real(), score.real()[:, 0]
        points = numbers[:, 4:].reshape(count, -1, 2) + group[:, None]
        raw = np.stack([logits, np.full(count, score.scale or 0)], axis=1)
        chance = sigmoid(logits)
        parts.append(Part(logits, chance, chance, np.zeros(count, int), corners(numbers[:, :2] + group, numbers[:, 2:4]),
                          points, raw))  # fmt: skip
        for tensor, last in ((box, channels), (score, 1)):
            shape: tuple[int, ...] = (1, count) if last == 1 and dice.chance(0.2) else (1, count, last)
            if separate and dice.chance(0.2):
                cell_count, per_cell = maps[len(parts) - 1]
                shape = (1, cell_count, cell_count, per_cell * last)
            tensors.append(tensor._replace(values=tensor.values.reshape(shape)))
    return Head(size, 1, tensors, parts, {}, names=False)


def yunet(dice: Dice) -> Head:
    size = dice.pick(((96, 64), (64, 64), (128, 96), (160, 120), (100, 75)))
    random = dice.array
    tensors: list[Quantized] = []
    parts: list[Part] = []
    often = dice.pick((0.05, 0.0, 0.3))
    unclear = False
    for stride in STRIDES:
        width, height = -(-size[0] // stride), -(-size[1] // stride)
        place = cells(width, height)
        count = len(place)
        first = dice.chance(0.4)
        reals = []
        for channels in (1, 1, 4, 10):
            low, high = (0.0, 1.02) if channels == 1 else (-3.0, 3.0)
            scores = likely(dice, (count, 1), 0.02, 1.0, often).clip(0, 1)
            values = scores if channels == 1 else random.normal(0.5, 1.0, (count, channels)).clip(-3, 3)
            tensor = quantize(dice, values, dice.pick(KINDS) if dice.chance(0.1) else KINDS[dice.key[1] % 4], low, high)
            reals.append((tensor.real(), tensor.scale or 0))
            array = tensor.values.T if first else tensor.values
            flat = (1, *array.shape)
            mapped = (1, channels, height, width) if first else (1, height, width, channels)
            shape: Any = dice.pick((flat, flat, mapped, flat if first else array.shape, (1, count)))
            shape = flat if shape == (1, count) and channels > 1 else shape
            tensors.append(tensor._replace(values=np.ascontiguousarray(array).reshape(shape)))
            # [1, 4, 4] of four cells, and [1, 4, 4, 4] of sixteen, may have either order.
            unclear = unclear or first and channels == 4 and (count == 4 or width == height == 4)
        (one, scale_one), (two, scale_two), (boxes, _), (kps, _) = reals
        score = np.sqrt((one * two).clip(0))[:, 0]
        box = corners((place + boxes[:, :2]) * stride, np.exp(boxes[:, 2:]) * stride)
        points = (place[:, None] + kps.reshape(count, 5, 2)) * stride
        raw = np.concatenate([one, two, np.full((count, 1), scale_one), np.full((count, 1), scale_two)], axis=1)
        # Which of the two is searched first is not told; only a full list would show it.
        chance = np.maximum(one, two)[:, 0]
        parts.append(Part(chance, chance, score, np.zeros(count, int), box, points, raw))
    return Head(size, 1, tensors, parts, {}, unclear, root=True, names=False)


def scrfd(dice: Dice) -> Head:
    size = dice.pick(((96, 64), (64, 64), (128, 96), (160, 120), (100, 75)))
    random = dice.array
    tensors: list[Quantized] = []
    parts: list[Part] = []
    often = dice.pick((0.05, 0.0, 0.3))
    form = dice.pick(("rows", "rows", "flat", "columns", "NHWC", "NCHW"))
    kinds = (1, 4, 10) if dice.chance(0.7) else (1, 4)
    for stride in STRIDES:
        width, height = -(-size[0] // stride), -(-size[1] // stride)
        place = cells(width, height, 2)
        count = len(place)
        reals = []
        for columns in kinds:
            low, high = (0.0, 1.02) if columns == 1 else (-3.0, 6.0)
            values = likely(dice, (count, 1), 0.02, 1.0, often).clip(0, 1)
            values = values if columns == 1 else random.normal(1.5, 1.5, (count, columns)).clip(-3, 6)
            tensor = quantize(dice, values, dice.pick(KINDS) if dice.chance(0.1) else KINDS[dice.key[1] % 4], low, high)
            reals.append((tensor.real(), tensor.scale or 0))
            array = tensor.values[None]
            if form in ("NHWC", "NCHW"):
                array = array.reshape(1, height, width, 2 * columns)
                array = array.transpose(0, 3, 1, 2) if form == "NCHW" else array
            elif form == "columns":
                array = array.transpose(0, 2, 1)
            elif form == "flat":
                array = array[0]
            tensors.append(tensor._replace(values=np.ascontiguousarray(array)))
        scores, boxes = reals[0][0], reals[1][0]
        score = scores[:, 0]
        box = np.concatenate([place - boxes[:, :2], place + boxes[:, 2:]], axis=1) * stride
        points = (place[:, None] + (reals[2][0] if len(kinds) > 2 else np.zeros((count, 0))).reshape(count, -1, 2)) * stride
        raw = np.stack([score, np.full(count, reals[0][1])], axis=1)
        pieces = [slice(k, None, 2) for k in range(2)] if form == "NCHW" else [slice(None)]
        for at in pieces:
            parts.append(Part(score[at], score[at], score[at], np.zeros(len(score[at]), int), box[at], points[at], raw[at]))
    # Of four or ten cells, [1, 4, 4] and [1, 10, 10] may have either order.
    unclear = form in ("columns", "NHWC", "NCHW") and len({one.values.shape for one in tensors}) < len(tensors)
    unclear = unclear or any(len(set(one.values.shape[1:])) < one.values.ndim - 1 for one in tensors if form != "rows")
    return Head(size, 1, tensors, parts, {}, unclear, names=False)


# --- SSD -----------------------------------------------------------------------------------------------------------------
def ssd(dice: Dice) -> Head:
    how = dice.pick(("rows", "rows", "rows", "corners", "finished", "faces"))
    size = dice.pick(((96, 96), (64, 64), (96, 64), (300, 300), (320, 240)))
    random = dice.array
    classes = 1 if how == "faces" else dice.pick((1, 2, 5, 20, 90, 3))
    if how == "finished":
        return _finished(dice, size, classes)
    options: dict[str, Any] = {}
    centers, extents, maps = [], [], []
    # The maps of the Ultra-Light face detector and of RetinaFace, which Ssd knows.
    levels: tuple[tuple[int, ...], ...] = (8, 10, 16, 24), (16, 32, 48), (32, 64, 96), (64, 128, 192, 256)
    if how == "faces" and dice.chance(0.5):
        levels = (8, 16, 32), (16, 64, 128), (32, 256, 512)
    levels = () if how == "corners" or dice.chance(0.5 if how == "faces" else 0.85) else levels
    for level in range(len(levels) or dice.whole(1, 3)):
        columns, rows, per_cell = dice.whole(1, 7), dice.whole(1, 7), dice.whole(1, 4)
        sizes = np.round(random.uniform(5, 60, (per_cell, 2)) * 8) / 8
        stride = float(dice.pick((16, 32))) if dice.chance(0.3) else None
        if levels:
            cell, *sides = levels[level]
            per_cell = len(sides)
            columns, rows, stride = -(-size[0] // cell), -(-size[1] // cell), float(cell) if how == "faces" else None
            sizes = np.minimum(np.array(sides, float)[:, None], (1e9, 1e9) if how == "faces" else size)
        step = np.array((stride, stride) if stride else (size[0] / columns, size[1] / rows))
        centers.append((cells(columns, rows, per_cell) + 0.5) * step)
        extents.append(np.tile(sizes, (columns * rows, 1)))
        maps.append(
            (columns, rows, sizes.tolist()) if stride is None else (columns, rows, sizes.reshape(-1).tolist(), stride)
        )
    center, extent = np.concatenate(centers), np.concatenate(extents)
    count = len(center)
    logits = likely(dice, (count, 1 + classes), -2, 6, dice.pick((0.05, 0.01, 0.2)))
    logits[:, 0] = random.normal(2, 0.5, count)
    is_logit = how != "corners" and dice.chance(0.5)
    kind = dice.pick(KINDS)
    scores = quantize(dice, logits if is_logit else softmax(logits), kind, *((-4, 7) if is_logit else (0.0, 255 / 256)))
    values = random.normal(0, 1, (count, 4)).clip(-4, 4)
    boxes = quantize(dice, values, dice.pick(KINDS), -4, 4)
    real = boxes.real()
    points = np.zeros((count, 0, 2))
    if how in ("rows", "faces"):
        if not levels or dice.chance(0.3):
            options["anchors"] = maps
        order = "xywh" if how == "faces" else dice.pick(("xywh", "yxhw"))
        options["box_order"] = order
        if order == "yxhw":
            real = real[:, [1, 0, 3, 2]]
        box = corners(center + 0.1 * real[:, :2] * extent, np.exp(0.2 * real[:, 2:]) * extent)
        tensors = [scores, boxes]
        if how == "faces":
            tensors.append(quantize(dice, random.normal(0, 3, (count, 10)).clip(-9, 9), dice.pick(KINDS), -9, 9))
            points = center[:, None] + 0.1 * tensors[2].real().reshape(count, 5, 2) * extent[:, None]
    else:
        unit = np.array([*size, *size], float)
        priors = quantize(dice, corners(center, extent) / unit, dice.pick(KINDS), -1.0, 2.0)
        known = priors.real() * unit
        side = known[:, 2:] - known[:, :2]
        box = real * np.tile(side, 2) + known
        tensors = [scores, boxes, priors]
    numbers = scores.real()
    probability = softmax(numbers) if is_logit else numbers
    score = probability[:, 1:].max(axis=1)
    raw = np.concatenate([numbers, np.full((count, 1), scores.scale or 0)], axis=1)
    raw = raw if is_logit else np.stack([score, raw[:, -1]], axis=1)
    # Logits: a class may reach the threshold if it exceeds the background by enough.
    lead = numbers[:, 1:].max(axis=1) - numbers[:, 0]
    part = Part(score, sigmoid(lead) if is_logit else score, score, numbers[:, 1:].argmax(axis=1), box, points, raw)
    unclear = classes == 3 or bool((numbers.min() >= 0) and numbers.max() <= 1) is is_logit
    if how == "corners":
        unclear = unclear or not (side > 0).all() or bool(((real[:, 2:] - real[:, :2]) > 0).all())
    shaped = [tensor._replace(values=tensor.values[None]) for tensor in tensors]
    return Head(size, classes, shaped, [part], options, unclear, limited=is_logit)


def _finished(dice: Dice, size: tuple[int, int], classes: int) -> Head:
    """The outputs of TFLite_Detection_PostProcess."""
    random = dice.array
    count = dice.pick((10, 20, 5))
    low = random.uniform(-0.1, 0.7, (count, 2))
    box = np.concatenate([low, low + random.uniform(0.05, 0.5, (count, 2))], axis=1)
    score = np.sort(random.uniform(0.01, 1, count))[::-1]
    class_id = random.integers(0, classes, count)
    many = dice.pick((count, count, 3, 0))
    columns = box[:, [1, 0, 3, 2]], class_id, score
    tensors = [Quantized(np.ascontiguousarray(one[None]).astype(np.float32)) for one in columns]
    tensors.append(Quantized(np.array([many], np.float32)))
    real = tensors[0].values[0][:, [1, 0, 3, 2]].astype(float) * [*size, *size]
    kept = tensors[2].values[0].astype(float)
    kept[many:] = 0
    part = Part(kept, kept, kept, class_id, real, np.zeros((count, 0, 2)), np.arange(count)[:, None].astype(float))
    return Head(size, classes, tensors, [part], {}, names=False, finished=True)


HEADS: dict[str, Callable[[Dice], Head]] = {
    **{family: partial(objectness, family=family) for family in FORMS},
    "BlazeFace": partial(blaze, networks=("face", "face", "far")),
    "BlazePalm": partial(blaze, networks=("palm",)),
    "BlazePose": partial(blaze, networks=("pose", "old pose")),
    "YuNet": yunet,
    "Scrfd": scrfd,
    "Ssd": ssd,
}


# --- expected results --------------------------------------------------------------------------------------------------
def expected_of(head: Head, processor: Any) -> tuple[yolo.Expected, Array] | None:
    """The reference's result and its keypoints, or None if rounding decides which detections there are."""
    threshold, most = processor.threshold, processor.max_candidates
    if threshold in (0.0, 1.0):
        return None
    allowed = yolo.numbers_of(getattr(processor, "classes", None))
    capacity = sum(min(most, len(part.score)) for part in head.parts)
    found: list[tuple[Part, Array]] = []
    for part in head.parts:
        keep, least = (part.score >= threshold * (1 + e) for e in (-2e-5, 2e-5))
        if not np.array_equal(keep, least):
            return None
        least = threshold * threshold if head.root else threshold
        if (part.chance >= least * 0.98).sum() > capacity:
            return None
        if allowed:
            keep &= np.isin(part.class_id, allowed)
        at = np.flatnonzero(keep)
        if len(at) > most:
            if head.root or head.limited:
                return None
            at = np.sort(at[np.lexsort((at, -part.search[at]))[:most]])
        found.append((part, at))
    score, class_id, box, points = (np.concatenate([np.asarray(part[i])[at] for part, at in found]) for i in range(2, 6))
    raw = [row for part, at in found for row in part.raw[at].tolist()]
    order = np.lexsort((np.arange(len(score)), -score))
    for one, other in zip(order, order[1:]):
        if score[one] - score[other] < ERROR * score[one] and raw[one] != raw[other]:
            return None
    order = order[:most]
    score, class_id, box, points = score[order], class_id[order], box[order], points[order]
    if not ((box[:, 2:] - box[:, :2]) > 1e-3).all():
        return None
    area, side = (box[:, 2:] - box[:, :2]).prod(axis=1), (box[:, 2:] - box[:, :2]).min(axis=1)
    limit = 2.0 if head.finished else processor.iou_threshold

    def overlaps(i: int) -> tuple[Array, Array]:
        both = (np.minimum(box[:, 2:], box[i, 2:]) - np.maximum(box[:, :2], box[i, :2])).clip(0).prod(axis=1)
        iou = both / (area + area[i] - both)
        slack = 2e-5 + 1e-6 * np.abs(box).max() / np.minimum(side, side[i])
        return iou > limit, (np.abs(iou - limit) < slack) & (both > 0)

    group = class_id * (not getattr(processor, "class_agnostic", False))
    kept, suppressed, sure = yolo.greedy(overlaps, group, processor.max_detections)
    if not sure:
        return None
    expected = yolo.Expected(np.arange(len(kept)), class_id[kept], score[kept], box[kept])
    places = points[kept]
    if getattr(processor, "blend_boxes", False):  # as MediaPipe: the mean, weighted by score
        clusters = [np.array([i, *others]) for i, others in zip(kept, suppressed, strict=True)]
        for k, at in enumerate(clusters):
            expected.box[k] = np.average(box[at], axis=0, weights=score[at])
            places[k] = np.average(points[at], axis=0, weights=score[at])
    return expected, places


def inside(source: frames.Source, points: Array) -> Array:
    """1 for points of the input that are inside of the frame's visible part, 0 outside, NaN where rounding decides."""
    low = np.array(source.roi[:2], float)
    depth = np.minimum(source.points(points) - low, low + source.roi[2:] - source.points(points)).min(axis=1)
    return np.where(np.abs(depth) < 0.05 * max(1.0, *source.scale), np.nan, depth > 0)


# --- the area ----------------------------------------------------------------------------------------------------------
def mangled(dice: Dice, tensors: list[Quantized]) -> tuple[list[Quantized], bool]:
    """Sometimes outputs of another shape, or another number of them, and whether it did so."""
    if not dice.chance(0.04):
        return tensors, False
    tensors = list(tensors)
    how = dice.pick(("channel", "shape", "less", "more", "flat", "empty"))
    at = dice.whole(0, len(tensors) - 1)
    one = tensors[at]
    if how == "channel" and one.values.ndim > 1:
        axis = dice.whole(0, one.values.ndim - 1)
        one = one._replace(values=np.ascontiguousarray(np.concatenate([one.values, one.values], axis=axis)))
    elif how == "shape":
        one = one._replace(values=np.ascontiguousarray(np.moveaxis(one.values, -1, 0)))
    elif how == "flat":
        one = one._replace(values=one.values.reshape(-1))
    elif how == "empty":
        one = one._replace(values=one.values[:0])
    tensors[at] = one
    if how == "less" and len(tensors) > 1:
        del tensors[at]
    if how == "more":
        tensors.append(one)
    return tensors, True


def make_case(dice: Dice, family: str) -> tuple[Head, dict[str, Any]]:
    head = HEADS[family](dice)
    return head, head.options | yolo.detector_options(dice, family, head.classes)


def detectors(dice: Dice) -> str:
    family = dice.pick(list(HEADS))
    head, options = make_case(dice, family)
    shuffled = list(head.tensors)
    if dice.chance(0.7):
        shuffled = [shuffled[i] for i in dice.array.permutation(len(shuffled))]
    tensors, how = spoiled(dice, shuffled)
    tensors, other = mangled(dice, tensors)
    labels, names = yolo.naming(dice, head, options) if head.names else (None, None)
    unclear = how != "nothing" or other or head.unclear
    frame = frames.frame(
        dice, family, tensors, head.size, options, unclear=unclear, forgives=lambda outputs: other, labels=labels,
        classes=head.classes, how=how, mangled=other,
    )  # fmt: skip
    if frame is None:
        return REFUSED
    found, source = frame.found, frame.source
    yolo.in_bounds(found, source, frame.processor.max_detections)
    outcome = BOUNDED
    if not unclear and (result := expected_of(head, frame.processor)):
        seen = yolo.shown(result[0], source)
        if seen.sure:
            outcome = CONFIRMED
            yolo.agree(found, seen, source, names, part=2 * ERROR)
            for d, points in zip(found, result[1][seen.anchor], strict=True):
                require((d.keypoints is None) == (not len(points)), "keypoints %r", d.keypoints)
                if len(points):
                    beyond = int(family == "BlazePose")
                    scores = inside(source, points) if beyond else np.ones(len(points))
                    yolo.keypoints_agree(d, points, scores, source, beyond)
    yolo.stays_true(dice, frame)
    return outcome
