"""The published post-processing rules in plain numpy, as the reference for lib.

Nothing here comes from lib. The rules are those of Ultralytics (`ops.non_max_suppression`, `ops.process_mask`,
`ops.crop_mask`, `LetterBox`, `DFL`, `dist2bbox`, `kpts_decode`), of torchvision (`box_iou`) and of Bodla et al., "Soft-NMS"
(2017), with one total order (score descending, anchor ascending), and with the threshold in the integer domain: keep q iff
q >= ceil(threshold / scale + zero_point). Written to be read, not to be fast.

Heads are [C, N] (4 box rows cx, cy, w, h; classes; extra rows), prototypes [H, W, K], in any integer dtype with a scale
and zero point, or float with scale None. Returned boxes are x1, y1, x2, y2 in model input pixels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]
Floats = NDArray[np.float32]


class Candidates(NamedTuple):
    """Columns of a head, best first. Rows with the same number in all arrays belong together."""

    anchor: Array  # (n,) int
    class_id: Array  # (n,) int
    score: Floats  # (n,)
    box: Floats  # (n, 4) x1, y1, x2, y2, model input pixels
    extra: Floats  # (n, rows after the classes), unchanged

    def take(self, index: Any) -> Candidates:
        return Candidates(*(column[index] for column in self))


# --- tensors ---
def dequantize(values: Array, scale: float | None = None, zero_point: int = 0) -> Floats:
    """(q - zero_point) * scale in float32; a float array is returned unchanged."""
    if scale is None:
        return values.astype(np.float32)
    return ((values.astype(np.int64) - zero_point) * np.float32(scale)).astype(np.float32)


def integer_threshold(threshold: float, scale: float, zero_point: int) -> int:
    """The smallest quantized value that passes."""
    return math.ceil(threshold / scale + zero_point)


def passes(values: Array, threshold: float, scale: float | None = None, zero_point: int = 0) -> Array:
    """Which values reach the threshold. Integers are compared as integers; NaN never reaches it."""
    if scale is None:
        return values >= np.float32(threshold)
    if math.isinf(threshold):  # the logit of 0 or 1
        return np.full(values.shape, threshold < 0)
    return values.astype(np.int64) >= integer_threshold(threshold, scale, zero_point)


# --- the YOLOv8 head ---
def decode(
    head: Array,
    class_count: int,
    threshold: float,
    *,
    scale: float | None = None,
    zero_point: int = 0,
    box_unit: tuple[float, float] = (1, 1),
    classes: Sequence[int] | None = None,
    max_candidates: int | None = None,
) -> Candidates:
    """The anchors whose best class (the first of equals) reaches the threshold, best first.

    `box_unit` is (width, height) of the model input where boxes are in 0..1, (1, 1) where they are in pixels. `classes`
    filters after the best class is chosen; `max_candidates` keeps the best.
    """
    scores = head[4 : 4 + class_count]
    if scores.dtype.kind == "f":
        scores = np.where(np.isnan(scores), -np.inf, scores)
    class_id = scores.argmax(axis=0)
    best = scores.max(axis=0)
    keep = passes(best, threshold, scale, zero_point)
    if classes is not None:
        keep &= np.isin(class_id, classes)
    anchor = np.flatnonzero(keep)
    columns = dequantize(head[:, anchor], scale, zero_point)
    width, height = np.array(box_unit, dtype=np.float32)
    center = columns[:2].T * (width, height)
    half = columns[2:4].T * (width, height) / np.float32(2)
    found = Candidates(
        anchor,
        class_id[anchor],
        dequantize(best[anchor], scale, zero_point),
        np.concatenate([center - half, center + half], axis=1).astype(np.float32),
        columns[4 + class_count :].T,
    )
    return found.take(np.lexsort((found.anchor, -found.score))[:max_candidates])


def end_to_end(
    head: Array,
    threshold: float,
    *,
    scale: float | None = None,
    zero_point: int = 0,
    box_unit: tuple[float, float] = (1, 1),
    classes: Sequence[int] | None = None,
    max_detections: int | None = None,
) -> Candidates:
    """The detections of an end-to-end head [rows, 6 + m] (x1, y1, x2, y2, score, class, ...), best first.

    Ultralytics filters rows only by score, class and number.
    """
    values = dequantize(head, scale, zero_point)
    keep = passes(head[:, 4], threshold, scale, zero_point) & np.isfinite(values[:, 4])
    if classes is not None:
        keep &= np.isin(np.round(values[:, 5]), classes)
    row = np.flatnonzero(keep)
    row = row[np.lexsort((row, -values[row, 4]))][:max_detections]
    box = values[row, :4] * np.float32([*box_unit, *box_unit])
    return Candidates(row, np.round(values[row, 5]).astype(int), values[row, 4], box, values[row, 6:])


# --- split heads ---
class Level(NamedTuple):
    """One stride of a split head: arrays with a row for each of its cells, row by row.

    Boxes and extras are dequantized. Scores are as stored, logits with this scale (None: floats) and zero point.
    """

    stride: int
    columns: int
    boxes: Array  # (n, 64): 16 logits for each side; (n, 4): distances to the sides in cells (YOLO26), or decoded boxes
    scores: Array  # (n, classes)
    extra: Array  # (n, mask coefficients or 3 x keypoints)
    scale: float | None = None
    zero_point: int = 0


def logit(probability: float) -> float:
    """The number whose sigmoid is this probability."""
    if probability in (0, 1):
        return math.inf if probability else -math.inf
    return math.log(probability / (1 - probability))


def sigmoid(values: Array) -> Array:
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-values))


def dfl(logits: Array) -> Array:
    """Ultralytics' DFL: (n, 4 * bins) logits -> (n, 4), the mean bin of each side's softmax."""
    sides = logits.reshape(len(logits), 4, logits.shape[1] // 4)
    weights = np.exp(sides - sides.max(axis=2, keepdims=True))
    mean: Array = (weights * np.arange(sides.shape[2])).sum(axis=2) / weights.sum(axis=2)
    return mean


def cell_centers(count: int, columns: int) -> Array:
    """make_anchors: (count, 2) of x, y in cells."""
    return np.stack([np.arange(count) % columns, np.arange(count) // columns], axis=1) + 0.5


def dist2bbox(distances: Array, centers: Array) -> Array:
    """(n, 4) distances to the left, upper, right and lower side -> x1, y1, x2, y2."""
    return np.concatenate([centers - distances[:, :2], centers + distances[:, 2:]], axis=1)


def kpts_decode(raw: Array, centers: Array, stride: int, yolo26: bool = False) -> Array:
    """Ultralytics' kpts_decode: (n, 3K) of x, y and a logit -> x, y in input pixels and a score."""
    points = raw.reshape(len(raw), raw.shape[1] // 3, 3).astype(np.float64)
    points[..., :2] = points[..., :2] + centers[:, None] if yolo26 else points[..., :2] * 2 + (centers[:, None] - 0.5)
    points[..., :2] *= stride
    points[..., 2] = sigmoid(points[..., 2])
    return points.reshape(raw.shape)


def decode_split(
    levels: Sequence[Level],
    threshold: float,
    *,
    keypoints: bool = False,
    box_unit: tuple[float, float] | None = None,
    probabilities: bool = False,
    classes: Sequence[int] | None = None,
    max_candidates: int | None = None,
) -> Candidates:
    """The anchors whose best class (the first of equals) reaches the threshold, best first; numbered by stride.

    keypoints       the extra numbers are keypoints, returned in input pixels with their scores
    box_unit        the boxes are decoded: cx, cy, w, h in this unit, as in `decode`
    probabilities   the scores are not logits
    """
    cut = threshold if probabilities else logit(threshold)
    parts = []
    first = 0
    for level in levels:
        scores = level.scores
        if scores.dtype.kind == "f":
            scores = np.where(np.isnan(scores), -np.inf, scores)
        best = scores.max(axis=1)
        class_id = scores.argmax(axis=1)
        keep = passes(best, cut, level.scale, level.zero_point)
        if classes is not None:
            keep &= np.isin(class_id, classes)
        cell = np.flatnonzero(keep)
        centers = cell_centers(len(scores), level.columns)[cell]
        raw = level.boxes[cell].astype(np.float64)
        if box_unit:
            center, half = raw[:, :2] * box_unit, raw[:, 2:] * box_unit / 2
            box = np.concatenate([center - half, center + half], axis=1)
        else:
            box = dist2bbox(raw if raw.shape[1] == 4 else dfl(raw), centers) * level.stride
        extra = level.extra[cell].astype(np.float64)
        if keypoints:
            extra = kpts_decode(extra, centers, level.stride, yolo26=raw.shape[1] == 4)
        score = dequantize(best[cell], level.scale, level.zero_point)
        if not probabilities:
            score = sigmoid(score.astype(np.float64))
        parts.append(Candidates(first + cell, class_id[cell], *(v.astype(np.float32) for v in (score, box, extra))))
        first += len(scores)
    found = Candidates(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
    return found.take(np.lexsort((found.anchor, -found.score))[:max_candidates])


def iou(box: Floats, boxes: Floats) -> Floats:
    """torchvision.ops.box_iou of one box with many; 0 for a pair without any area."""
    low = np.maximum(box[:2], boxes[:, :2])
    high = np.minimum(box[2:], boxes[:, 2:])
    shared = np.maximum(high - low, np.float32(0)).prod(axis=1)
    union = (box[2:] - box[:2]).prod() + (boxes[:, 2:] - boxes[:, :2]).prod(axis=1) - shared
    return np.divide(shared, union, out=np.zeros_like(shared), where=shared > 0)


def hard_nms(found: Candidates, iou_threshold: float, class_agnostic: bool = False) -> list[int]:
    """Rows kept, best first. A row is dropped if its IoU with a better kept row of its class exceeds iou_threshold."""
    kept: list[int] = []
    for row in range(len(found.anchor)):
        rivals = [k for k in kept if class_agnostic or found.class_id[k] == found.class_id[row]]
        if not np.any(iou(found.box[row], found.box[rivals]) > np.float32(iou_threshold)):
            kept.append(row)
    return kept


def soft_nms(
    found: Candidates, sigma: float, threshold: float, class_agnostic: bool = False
) -> tuple[list[int], list[np.float32]]:
    """Gaussian Soft-NMS: rows in the order in which they are kept, and the decayed score of each."""
    score = found.score.copy()
    alive = [row for row in range(len(score)) if score[row] >= threshold]
    taken: list[int] = []
    while alive:
        best = min(alive, key=lambda row: (-score[row], found.anchor[row]))
        alive.remove(best)
        taken.append(best)
        rivals = [row for row in alive if class_agnostic or found.class_id[row] == found.class_id[best]]
        score[rivals] *= np.exp(-(iou(found.box[best], found.box[rivals]) ** 2) / np.float32(sigma))
        alive = [row for row in alive if score[row] >= threshold]
    return taken, [score[row] for row in taken]


def suppress(
    found: Candidates,
    iou_threshold: float = 0.5,
    *,
    nms_sigma: float = 0,
    threshold: float = 0,
    class_agnostic: bool = False,
    max_detections: int | None = None,
) -> Candidates:
    """The candidates that remain after hard NMS, or Soft-NMS if nms_sigma > 0, and max_detections."""
    if nms_sigma:
        kept = soft_nms(found, nms_sigma, threshold, class_agnostic)[0]
    else:
        kept = hard_nms(found, iou_threshold, class_agnostic)
    return found.take(kept[:max_detections])


def keypoints(extra: Floats, box_unit: tuple[float, float] = (1, 1)) -> Floats:
    """(n, 3K) rows of a pose head -> (n, K, 3): x, y in model input pixels, score."""
    return extra.reshape(len(extra), -1, 3) * np.array((*box_unit, 1), dtype=np.float32)


def has_pixels(corners: Array, roi: tuple[int, int, int, int], grown: float = 0) -> NDArray[np.bool_]:
    """Which boxes, (n, 4) in frame pixels, have a pixel in the roi: clipped to it, and each corner rounded half up.

    grown   by how much to move every side outwards first
    """
    x, y, w, h = roi
    low, high = np.array((x, y, x, y)), np.array((x + w, y + h, x + w, y + h))
    clipped = np.fmin(np.fmax(corners + np.multiply(grown, (-1, -1, 1, 1)), low), high)  # NaN is the lower limit
    rounded = np.floor(np.where(np.isnan(corners), low, clipped) + 0.5)
    found: NDArray[np.bool_] = (rounded[:, 2:] > rounded[:, :2]).all(axis=1)
    return found


# --- masks ---
def crop_mask(mask: Array, box: Array) -> Array:
    """Ultralytics' crop_mask: keep column x iff x1 <= x < x2, and rows likewise. The box is in mask pixels."""
    x, y = np.arange(mask.shape[1]), np.arange(mask.shape[0])[:, None]
    x1, y1, x2, y2 = box
    return mask & (x >= x1) & (x < x2) & (y >= y1) & (y < y2)


def scaled_box(box: Floats, size: tuple[int, int], shape: tuple[int, ...], padding: float = 0) -> Floats:
    """A box in model input pixels, grown by padding, in the pixels of a map of shape (height, width)."""
    ratio = np.array((shape[1] / size[0], shape[0] / size[1]), dtype=np.float32)
    grown = box + np.array((-padding, -padding, padding, padding), dtype=np.float32)
    return grown * np.concatenate([ratio, ratio])


def mask_logits(coefficients: Array, prototypes: Array) -> Array:
    """(H, W) logits of one instance; exact if both are integers minus their zero points."""
    return prototypes @ coefficients


def prototype_mask(
    logits: Array, box: Floats, size: tuple[int, int], *, logit: float = 0, padding: float = 0
) -> Array:
    """Inside the box and above the logit, at prototype resolution; size is (width, height) of the model input."""
    return crop_mask(logits > logit, scaled_box(box, size, logits.shape, padding))


def upsample(logits: Array, size: tuple[int, int]) -> Array:
    """torch's F.interpolate(mode='bilinear', align_corners=False) to (width, height)."""
    return _weights(logits.shape[0], size[1]) @ logits @ _weights(logits.shape[1], size[0]).T


def _weights(count: int, wanted: int) -> Array:
    at = np.maximum((np.arange(wanted) + 0.5) * count / wanted - 0.5, 0)
    low = np.minimum(at.astype(int), count - 1)
    high = np.minimum(low + 1, count - 1)
    weights = np.zeros((wanted, count))
    np.add.at(weights, (np.arange(wanted), low), 1 - (at - low))
    np.add.at(weights, (np.arange(wanted), high), at - low)
    return weights


def full_mask(logits: Array, box: Floats, size: tuple[int, int], *, logit: float = 0, padding: float = 0) -> Array:
    """Logits upsampled to the model input, then thresholded, then cropped."""
    return crop_mask(upsample(logits, size) > logit, scaled_box(box, size, size[::-1], padding))


# --- model input to frame ---
def first_taken(start: int, scale: np.float32, skipped: float = 0) -> float:
    """The source pixel at which draw_image starts (imlib/draw.c, as passed to a graphics unit), in float32."""
    return float(np.floor((np.floor(scale * np.float32(start)) + np.float32(skipped)) / scale + np.float32(0.5)))


def to_frame(points: Array, fit: str, size: tuple[int, int], roi: tuple[int, int, int, int]) -> Array:
    """(..., 2) points in model input pixels -> frame pixels, for a roi (x, y, w, h) of the frame.

    'stretch': each axis is scaled separately; 'crop': the middle of the roi, in whole pixels, is stretched; 'letterbox': one
    scale, the roi fits inside and is centered in whole pixels; 'expand': one scale, the roi covers the input completely.
    """
    x, y, *extent = roi
    begin, box = [x, y], [0, 0]
    ends = list(size)
    if fit == "crop":
        extent = [min(extent[0], extent[1] * size[0] // size[1]), min(extent[1], extent[0] * size[1] // size[0])]
        begin = [x + (roi[2] - extent[0]) // 2, y + (roi[3] - extent[1]) // 2]
    elif fit == "letterbox":
        ratio = min(size[0] / extent[0], size[1] / extent[1])
        ends = [round(extent[0] * ratio), round(extent[1] * ratio)]
        box = [round((size[0] - ends[0]) / 2 - 0.1), round((size[1] - ends[1]) / 2 - 0.1)]
    scales = [np.float32(ends[i]) / np.float32(extent[i]) for i in (0, 1)]
    if fit == "expand":
        scale = max(scales)
        overhang = [max(0, math.ceil((np.floor(scale * np.float32(extent[i])) - size[i]) / 2)) for i in (0, 1)]
        first = [first_taken(begin[i], scale, overhang[i]) for i in (0, 1)]
        return points / max(size[0] / extent[0], size[1] / extent[1]) + first
    first = [first_taken(begin[i], scales[i]) for i in (0, 1)]
    return (points - box) * np.divide(extent, ends) + first


def to_rect(corners: Sequence[float], frame: tuple[int, int]) -> tuple[int, int, int, int]:
    """Corners in frame pixels, clipped to the frame, rounded to the nearest pixel -> x, y, w, h."""
    limits = (*frame, *frame)
    clipped = [np.float32(min(max(v, 0), limit)) for v, limit in zip(corners, limits, strict=True)]
    x1, y1, x2, y2 = (int(np.floor(v + np.float32(0.5))) for v in clipped)
    return x1, y1, max(x2 - x1, 0), max(y2 - y1, 0)


# --- other families ---
def class_map(logits: Array) -> NDArray[np.uint8]:
    """DeepLab: (H, W, C) of any dtype -> (H, W), ties to the lowest class."""
    return logits.argmax(axis=-1).astype(np.uint8)


def peaks(heatmaps: Array) -> list[tuple[int, int]]:
    """MoveNet: (H, W, K) -> (column, row) of the first maximum, in row order, of each keypoint."""
    height, width, keypoint_count = heatmaps.shape
    flat = heatmaps.reshape(height * width, keypoint_count).argmax(axis=0)
    return [(int(at) % width, int(at) // width) for at in flat]
