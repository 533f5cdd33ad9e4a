"""Outputs of networks that n6post refuses, made by the rules that their authors publish: one object, and an empty scene."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from fakes import Array, FakeModel, Tensor

Size = tuple[int, int]
STRIDES = 8, 16, 32
EMPTY = -6.0  # the logit of a class without an object


def cells(size: Size, stride: int) -> tuple[int, int]:
    """(rows, columns) of the map of a stride."""
    return size[1] // stride, size[0] // stride


def centers(size: Size, offset: float = 0.5) -> Iterator[tuple[int, Array, Array]]:
    """(stride, x, y) of each stride: where its cells are, in input pixels."""
    for stride in STRIDES:
        rows, columns = cells(size, stride)
        y, x = np.mgrid[:rows, :columns]
        yield stride, (x.ravel() + offset) * stride, (y.ravel() + offset) * stride


def boxes(size: Size, box: Array, random: np.random.Generator) -> tuple[Array, Array]:
    """Boxes (N, 4) x1, y1, x2, y2 of all anchors, about as large as their stride, and the anchor that has `box`."""
    rows = []
    for stride, x, y in centers(size):
        half = stride * np.exp(random.normal(0.3, 0.4, (4, len(x))))
        rows.append(np.stack([x - half[0], y - half[1], x + half[2], y + half[3]], axis=1))
    every = np.concatenate(rows)
    middle = np.concatenate([np.stack(one[1:], axis=1) for one in centers(size)])
    anchor = int(np.argmin(np.abs(middle - (box[:2] + box[2:]) / 2).sum(axis=1)))
    every[anchor] = box
    return every, np.array(anchor)


def sigmoid(x: Array) -> Array:
    return 1 / (1 + np.exp(-x))


def scored(size: Size, classes: int, seed: int = 0, score: float = 0.9) -> tuple[Array, Array, int]:
    """(boxes cx, cy, w, h in input pixels, class logits, the anchor with the object) of a detector."""
    random = np.random.default_rng(seed)
    box = np.array([0.4 * size[0], 0.4 * size[1], 0.4 * size[0] + 30, 0.4 * size[1] + 30])
    every, anchor = boxes(size, box, random)
    logits = random.normal(EMPTY - 2, 1, (len(every), classes))
    logits[anchor, classes - 1] = np.log(score / (1 - score))
    middle = np.concatenate([(every[:, :2] + every[:, 2:]) / 2, every[:, 2:] - every[:, :2]], axis=1)
    return middle, logits, int(anchor)


def quantized(values: Array, dtype: str) -> Tensor:
    """The values as a tensor of this dtype, calibrated with these values."""
    values = np.ascontiguousarray(values, np.float32)
    if dtype == "float32":
        return Tensor(values)
    low, high = np.iinfo(dtype).min, np.iinfo(dtype).max
    least, largest = min(float(values.min()), 0.0), max(float(values.max()), 1e-3)
    scale = float(np.float32((largest - least) / (high - low)))
    zero_point = round(low - least / scale)
    return Tensor(np.clip(np.round(values / scale) + zero_point, low, high).astype(dtype), scale, zero_point)


def model(arrays: list[Array], size: Size, dtype: str = "float32", labels: int = 0) -> FakeModel:
    names = [f"class {i}" for i in range(labels)] or None
    return FakeModel([quantized(one, dtype) for one in arrays], size, names)


def turned(arrays: list[Array]) -> list[Array]:
    """Rows [1, N, C] as [1, C, N], and maps [1, h, w, C] as [1, C, h, w]."""
    return [np.ascontiguousarray(np.moveaxis(one, -1, 1)) for one in arrays]


# --- numbers that cannot be what the family says ---


def yolov8_logits(size: Size, classes: int) -> list[Array]:
    """A YOLOv8 without its sigmoid: [1, 4 + classes, N], boxes in 0..1."""
    middle, logits, _ = scored(size, classes)
    return [np.concatenate([middle / (size * 2), logits], axis=1).T[None]]


def yolov5_face(size: Size) -> list[Array]:
    """YOLOv5-face: [1, 3 N, 16], box, objectness, five landmarks x, y in input pixels, and the score of a face."""
    middle, logits, anchor = scored(size, 1)
    random = np.random.default_rng(1)
    rows = np.zeros((len(middle), 3, 16))
    rows[..., :4] = middle[:, None]
    rows[..., 4] = sigmoid(random.normal(EMPTY, 1, rows.shape[:2]))
    rows[anchor, 0, 4] = 0.9
    rows[..., 5:15] = np.tile(middle[:, :2], 5)[:, None] + random.normal(0, 3, (len(middle), 3, 10))
    rows[..., 15] = 0.95
    return [rows.reshape(1, -1, 16)]


def yolov7_face(size: Size) -> list[Array]:
    """YOLOv7-face: [1, 3 N, 21], box, objectness, the score of a face, and five keypoints x, y in input pixels, score."""
    (rows,) = yolov5_face(size)
    points = rows[..., 5:15].reshape(1, -1, 5, 2)
    points = np.concatenate([points, np.full((*points.shape[:3], 1), 0.9)], axis=3).reshape(1, -1, 15)
    return [np.concatenate([rows[..., :5], rows[..., 15:], points], axis=2)]


def batch_rows(size: Size, count: int, order: str, normalized: bool = False) -> list[Array]:
    """Rows that begin with the number of the picture: YOLOv7's ("class first"), or those of OpenVINO's DetectionOutput."""
    rows = np.zeros((1, count, 7))
    unit = np.array([1, 1, 1, 1] if not normalized else [*size, *size])
    for at in range(4):
        x, y = 0.3 * size[0] + 6 * at, 0.3 * size[1] + 5 * at
        box = np.array([x, y, x + 30, y + 28]) / unit
        score, class_id = 0.9 - 0.1 * at, at % 3
        rows[0, at, 1:] = [class_id, score, *box] if order == "score first" else [*box, class_id, score]
    if order == "padded":
        rows[0, 4:, 0] = -1
    return [rows]


# --- detectors ---


def rtmdet(size: Size, classes: int) -> list[Array]:
    """RTMDet's maps: class logits, and distances to the four sides in input pixels, exp(x) * stride."""
    middle, logits, _ = scored(size, classes)
    first = 0
    scores, distances = [], []
    for stride, x, y in centers(size, 0.0):
        rows, columns = cells(size, stride)
        part = slice(first, first + len(x))
        half = middle[part, 2:] / 2
        sides = np.stack([x, y, -x, -y], axis=1) - np.concatenate(
            [middle[part, :2] - half, -(middle[part, :2] + half)], axis=1
        )
        distances.append(np.maximum(sides, 0.1 * stride).reshape(1, rows, columns, 4))
        scores.append(logits[part].reshape(1, rows, columns, classes))
        first += len(x)
    return scores + distances


def rtmdet_linear(size: Size, classes: int) -> list[Array]:
    """RTMDet-tiny and -s: the distances are not behind exp, so some are below 0."""
    maps = rtmdet(size, classes)
    random = np.random.default_rng(3)
    return maps[:3] + [one + random.normal(0, 2, one.shape) for one in maps[3:]]


def nine_maps(size: Size, classes: int, extra: int = 1) -> list[Array]:
    """Boxes, class scores and `extra` more numbers for each stride: YOLOX before its concatenation (an objectness)."""
    middle, logits, anchor = scored(size, classes)
    random = np.random.default_rng(4)
    likely = random.uniform(0.05, 0.6, logits.shape)  # where there is no object, class scores mean nothing
    likely[anchor] = sigmoid(logits[anchor])
    columns = [random.normal(0, 0.7, (len(middle), 4)), sigmoid(random.normal(EMPTY, 1, (len(middle), extra))), likely]
    first, found = 0, []
    for stride in STRIDES:
        rows, width = cells(size, stride)
        found += [one[first : first + rows * width].reshape(1, rows, width, -1) for one in columns]
        first += rows * width
    return found


def yolov6(size: Size, classes: int) -> list[Array]:
    """YOLOv6's rows [1, N, 5 + classes]: boxes in input pixels, an objectness of 1, class scores."""
    middle, logits, _ = scored(size, classes)
    return [np.concatenate([middle, np.ones((len(middle), 1)), sigmoid(logits)], axis=1)[None]]


def three_anchors(size: Size, classes: int) -> list[Array]:
    """The maps of YOLOv3 and YOLOv4: [1, h, w, 3 * (5 + classes)], logits."""
    random = np.random.default_rng(0)
    maps = []
    for stride in STRIDES:
        one = random.normal(0, 0.7, (1, *cells(size, stride), 3, 5 + classes))
        one[..., 4:] = random.normal(EMPTY, 1, one[..., 4:].shape)
        maps.append(one)
    row, column = int(0.4 * size[1]) // 8, int(0.4 * size[0]) // 8
    maps[0][0, row, column, 1] = [0, 0, np.log(30 / 16), 0, 3, *[EMPTY] * (classes - 1), 3]
    return [one.reshape(*one.shape[:3], -1) for one in maps]


def flat_pose(size: Size, keypoints: int, classes: int = 1, pixels: bool = False) -> list[Array]:
    """YOLOv8-pose with kpt_shape=[keypoints, 2]: [1, 4 + classes + 2 * keypoints, N]."""
    middle, logits, _ = scored(size, classes)
    random = np.random.default_rng(2)
    points = np.tile(middle[:, :2], keypoints)
    points += random.normal(0, 0.3, points.shape) * np.tile(middle[:, 2:], keypoints)
    unit = 1.0 if pixels else np.tile(np.array(size, float), keypoints + 2)
    located = np.concatenate([middle, points], axis=1) / unit
    return [np.concatenate([located[:, :4], sigmoid(logits), located[:, 4:]], axis=1).T[None]]


def scrfd(size: Size, keypoints: bool = True) -> list[Array]:
    """SCRFD: scores, boxes and keypoints of each stride, two anchors in a cell, [2 h w, columns]."""
    random = np.random.default_rng(0)
    counts = [2 * rows * columns for rows, columns in (cells(size, stride) for stride in STRIDES)]
    kinds = (1, 4, 10) if keypoints else (1, 4)
    return [random.uniform(0, 1 if columns == 1 else 4, (n, columns)) for columns in kinds for n in counts]


def scrfd_of_five(size: Size, keypoints: bool = True) -> list[Array]:
    """SCRFD of strides 8 to 128, one anchor in a cell, [h w, columns]."""
    random = np.random.default_rng(0)
    counts = [-(-size[1] // stride) * -(-size[0] // stride) for stride in (8, 16, 32, 64, 128)]
    kinds = (1, 4, 10) if keypoints else (1, 4)
    return [random.uniform(0, 1 if columns == 1 else 4, (n, columns)) for columns in kinds for n in counts]


def center_net(size: Size, classes: int, offsets: bool = True) -> list[Array]:
    """CenterNet: heatmaps, sizes and offsets at a quarter of the input, [1, h, w, C]."""
    random = np.random.default_rng(0)
    rows, columns = cells(size, 4)
    heat = sigmoid(random.normal(EMPTY, 1, (1, rows, columns, classes)))
    more = [random.uniform(0, 1, (1, rows, columns, 2))] if offsets else []
    return [heat, random.uniform(1, 20, (1, rows, columns, 2)), *more]


def pose_landmarks(numbers: int) -> list[Array]:
    """MediaPipe's pose landmarks: keypoints and a score."""
    random = np.random.default_rng(0)
    return [random.normal(100, 60, (1, numbers)), np.array([[0.9]])]


# --- one answer for the whole picture ---


def text(steps: int, characters: int, softmax: bool = False) -> list[Array]:
    """A text for CTC: [1, steps, characters], mostly blanks (the last character)."""
    random = np.random.default_rng(0)
    values = random.normal(-4, 2, (1, steps, characters))
    values[..., -1] += 12
    for at in range(1, steps, 3):
        values[0, at, (7 * at) % (characters - 1)] += 20
    if softmax:
        values = np.exp(values - values.max(axis=2, keepdims=True))
        values /= values.sum(axis=2, keepdims=True)
    return [values]


def anomaly(rows: int, columns: int, scale: float = 3.0) -> list[Array]:
    """A grid of anomaly scores, as of Edge Impulse's FOMO-AD: 0 and more, one cell far above the others."""
    values = np.random.default_rng(0).uniform(0.3, 1.0, (1, rows, columns)) * scale
    values[0, rows // 2, columns // 3] = 4 * scale
    return [values]


def face_points(count: int, pixels: int = 0) -> list[Array]:
    """PFLD: x and y of `count` points of a face, in parts of the input or in its pixels."""
    angle = np.linspace(0, 2 * np.pi, count)
    points = np.stack([0.5 + 0.35 * np.cos(angle), 0.5 + 0.4 * np.sin(angle)], axis=1)
    return [(points * (pixels or 1)).reshape(1, -1)]
