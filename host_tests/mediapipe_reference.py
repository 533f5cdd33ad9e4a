"""MediaPipe's detectors: their decoding in plain numpy, recorded outputs with MediaPipe's own results, and invented outputs.

scripts/dev/recording/record_mediapipe.py made data/mediapipe.npz.xz.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import recorded_data
from fakes import Array, FakeModel, Tensor
from recorded_data import stored, tensor_of

SETTINGS = [(0.5, 0.3, True), (0.4, 0.1, True), (0.5, 0.3, False)]  # threshold, iou_threshold, blended
# By anchors: cells in a row, anchors in a cell.
MAPS = {896: ((16, 2), (8, 6)), 2304: ((48, 1),), 2016: ((24, 2), (12, 6)), 2254: ((28, 2), (14, 2), (7, 6))}


class Found(NamedTuple):
    """Detections in model input pixels, best first."""

    box: Array  # (n, 4): x1, y1, x2, y2
    score: Array
    keypoints: Array  # (n, K, 2)


# --- the reference ---
def centers(anchors: int, size: int) -> Array:
    """The centers of the anchors' cells, (anchors, 2)."""
    places = []
    for cells, per_cell in MAPS[anchors]:
        row, column = np.divmod(np.repeat(np.arange(cells * cells), per_cell), cells)
        places.append((np.stack([column, row], axis=1) + 0.5) * size / cells)
    return np.concatenate(places)


def overlaps(boxes: Array, box: Array) -> Array:
    """The IoU of each box with one."""
    extent = np.minimum(boxes[:, 2:], box[2:]) - np.maximum(boxes[:, :2], box[:2])
    both = np.maximum(extent, 0).prod(axis=1)
    return both / ((boxes[:, 2:] - boxes[:, :2]).prod(axis=1) + (box[2:] - box[:2]).prod() - both)  # type: ignore[no-any-return]


def decoded(boxes: Array, scores: Array, size: int, threshold: float, iou_threshold: float, blended: bool) -> Found:
    """What MediaPipe decodes from boxes [N, 4 + 2K] and logits [N]. Of equal scores, the lower anchor comes first."""
    raw, places = boxes.astype(float), centers(len(boxes), size)
    probability = 1 / (1 + np.exp(-scores.astype(float)))
    middle, half = raw[:, :2] + places, raw[:, 2:4] / 2
    corners = np.concatenate([middle - half, middle + half], axis=1)
    points = raw[:, 4:].reshape(len(raw), -1, 2) + places[:, None]
    left = [i for i in np.argsort(-probability, kind="stable") if probability[i] >= threshold]
    found = []
    while left:
        over = overlaps(corners[left], corners[left[0]]) > iou_threshold
        over[0] = True
        own = [i for i, drop in zip(left, over, strict=True) if drop]
        weights = probability[own] if blended else np.eye(1, len(own))[0]
        mean = [np.average(one[own], axis=0, weights=weights) for one in (corners, points)]
        found.append((mean[0], probability[own[0]], mean[1]))
        left = [i for i, drop in zip(left, over, strict=True) if not drop]
    columns = zip(*found, strict=True) if found else ([], [], [])
    box, score, keypoints = (np.array(column) for column in columns)
    return Found(box.reshape(-1, 4), score, keypoints.reshape(len(score), -1, 2))


# --- recordings ---
def cases() -> list[str]:
    return recorded_data.cases("mediapipe")


def described(case: str) -> dict[str, Any]:
    """family, size of the input, and dtype, scale and zero point of the outputs."""
    return dict(recorded_data.about("mediapipe", f"{case}/described"))


def tensors_of(case: str) -> list[Tensor]:
    """The outputs of a recorded case, [1, anchors, channels] each."""
    return [
        tensor_of(np.ascontiguousarray(stored("mediapipe")[f"{case}/output{i}"].T)[None], scale, zero_point)
        for i, (_, scale, zero_point) in enumerate(described(case)["outputs"])
    ]


def found_by_mediapipe(case: str, setting: tuple[float, float, bool]) -> Found:
    box, score, keypoints = (stored("mediapipe")[f"{case}/{setting}/{name}"] for name in ("box", "score", "keypoints"))
    size = described(case)["size"]
    return Found(box * size, score, keypoints * size)


# --- outputs of every form ---
def joined(tensors: list[Tensor]) -> tuple[Array, Array]:
    """(boxes [N, 4 + 2K], logits [N]) as real numbers."""
    parts = sorted((tensor.dequantized().values[0] for tensor in tensors), key=len, reverse=True)
    boxes, scores = ([one for one in parts if (one.shape[1] > 1) == wide] for wide in (True, False))
    return np.concatenate(boxes), np.concatenate(scores)[:, 0]


def every_dtype(tensors: list[Tensor]) -> dict[str, list[Tensor]]:
    """int8 outputs as every dtype, with the same real numbers; other outputs alone."""
    if tensors[0].values.dtype != np.int8:
        return {"float32": tensors}
    return {
        "int8": tensors,
        "uint8": [one.as_uint8() for one in tensors],
        "int16": [one.as_int16(4, 3) for one in tensors],
        "float32": [one.dequantized() for one in tensors],
    }


def random_outputs(seed: int, anchors: int, keypoints: int, likely: float = 0.05) -> tuple[Array, Array]:
    """(boxes [N, 4 + 2K], logits [N]) of which a part is likely, in clusters."""
    random = np.random.default_rng(seed)
    boxes = random.normal(0, 6, (anchors, 4 + 2 * keypoints))
    boxes[:, 2:4] = random.uniform(10, 50, (anchors, 2))
    scores = random.uniform(-9, -2, anchors)
    chosen = random.random(anchors) < likely
    scores[chosen] = random.uniform(-2, 4, int(chosen.sum()))
    return boxes, scores


def quantized(values: Array, distinct: bool = False) -> Tensor:
    """[1, N, C] as int8; distinct: only one number for each level above the lowest, so that no two scores are equal."""
    low, high = min(0.0, float(values.min())), max(0.0, float(values.max()))
    scale = float(np.float32((high - low) / 255))
    zero_point = round(-128 - low / scale)
    steps = np.clip(np.round(values / scale) + zero_point, -128, 127).astype(np.int8)
    if distinct:
        flat = steps.reshape(-1)
        first = np.unique(flat, return_index=True)[1]
        flat[np.setdiff1d(np.arange(flat.size), first)] = -128
    return Tensor(steps[None], scale, zero_point)


def split(tensor: Tensor, anchors: int) -> list[Tensor]:
    """An output of all anchors as one for each map."""
    ends = np.cumsum([cells * cells * per_cell for cells, per_cell in MAPS[anchors]])
    parts = np.split(tensor.values, ends[:-1], axis=1)
    return [tensor._replace(values=np.ascontiguousarray(part)) for part in parts]


def as_map(tensor: Tensor, cells: int) -> Tensor:
    """[1, anchors, channels] of one map as [1, h, w, anchors in a cell * channels]."""
    return tensor._replace(values=tensor.values.reshape(1, cells, cells, -1))


def two_faces(anchors: int = 896, keypoints: int = 6, third: float = -9.0) -> FakeModel:
    """Two objects of three anchors each, two of them in one cell. `third` is the logit of a third one."""
    boxes, scores = np.zeros((anchors, 4 + 2 * keypoints), np.float32), np.full(anchors, -9, np.float32)
    boxes[:, 2:4] = 40
    boxes[:, 4:] = np.arange(2 * keypoints) - 5
    cells, per_cell = MAPS[anchors][0]
    for row, column, logits in ((3, 4, (2.5, 1.5, 0.5)), (10, 11, (1.0, 0.7, 0.4)), (3, 12, (third,))):
        for i, logit in enumerate(logits):
            at = (row * cells + column) * per_cell + i
            scores[at] = logit
            boxes[at, :4] += i
    size = {896: 128, 2254: 224}.get(anchors, 192)
    return FakeModel([Tensor(boxes[None]), Tensor(scores[None, :, None].copy())], (size, size))


def three_faces(anchors: int = 896, keypoints: int = 6) -> FakeModel:
    """Another model: int8."""
    model = two_faces(anchors, keypoints, 0.8)
    tensors = [quantized(one.values[0]) for one in model.tensors]
    return FakeModel(tensors[::-1], model.size)
