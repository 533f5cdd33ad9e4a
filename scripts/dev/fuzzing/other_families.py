"""Families without anchors, and oriented boxes: FOMO, classifiers, embeddings, texts, depth, landmarks, YoloV8Obb.

Each reference is written in float64 from the sources that the family's file names.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import n6post
import numpy as np
from oriented_reference import probabilistic_iou
from reference import sigmoid
from synthetic_heads import anchor_count

from . import frames, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .detectors import ERROR, likely, mangled, same_aspect, softmax
from .tensors import KINDS, Array, Quantized, quantize, spoiled


class Head(NamedTuple):
    """The outputs of a network. unclear: whether shapes or numbers leave open what they are. known: for its reference."""

    size: tuple[int, int]
    tensors: list[Quantized]
    options: dict[str, Any]
    known: dict[str, Any]
    unclear: bool = False


# --- FOMO ----------------------------------------------------------------------------------------------------------------
def fomo_head(dice: Dice) -> Head:
    width, height = dice.pick(((12, 12), (8, 6), (5, 9), (20, 15), (3, 3), (40, 30)))
    times = dice.pick((8, 8, 16, 4))
    size = width * times, height * times
    classes = dice.pick((1, 2, 3, 7))
    logits = np.zeros((height, width, 1 + classes))
    logits[..., 1:] = likely(dice, (height, width, classes), -5, 3, dice.pick((0.05, 0.2, 0.6, 0.0)))
    tensor = quantize(dice, softmax(logits), dice.pick(KINDS), 0.0, 255 / 256)
    options = yolo.detector_options(dice, "Fomo", classes)
    first = dice.chance(0.4)
    array = tensor.values.transpose(2, 0, 1) if first else tensor.values
    if dice.chance(0.3) or same_aspect(size, array.shape[:2]) and same_aspect(size, array.shape[1:]):
        options["layout"] = "NCHW" if first else "NHWC"
    known = {"real": tensor.real(), "tensor": tensor}
    return Head(size, [tensor._replace(values=np.ascontiguousarray(array)[None])], options, known)


def objects_of(head: Head, processor: Any, source: frames.Source) -> list[Any] | None:
    """(corners, score, class, center, extent in frame pixels) of each object. None if rounding decides."""
    real, tensor = head.known["real"], head.known["tensor"]
    height, width, _ = real.shape
    best, score = real[..., 1:].argmax(axis=2), real[..., 1:].max(axis=2)
    if (np.abs(score - processor.threshold) < 2e-6).any() and tensor.scale is None or processor.threshold in (0.0, 1.0):
        return None
    there = score >= yolo.cut_of(processor.threshold, tensor)
    if processor.classes:
        there &= np.isin(best, processor.classes)
    if there.sum() > 1000 or not source.clear:
        return None
    step = np.array(head.size) / (width, height) * source.scale
    left, top, roi_width, roi_height = source.roi
    low, high = np.array([left, top]), np.array([left + roi_width, top + roi_height])
    places = np.argwhere(there)
    order = np.lexsort((places[:, 0] * width + places[:, 1], -score[there]))
    todo = there.copy()
    expected: list[Any] = []
    for row, column in places[order]:
        if len(expected) == processor.max_detections:
            break
        if not todo[row, column]:
            continue
        members = [(row, column)]
        todo[row, column] = False
        for r, c in members:
            for y in range(max(r - 1, 0), min(r + 2, height)):
                for x in range(max(c - 1, 0), min(c + 2, width)):
                    if todo[y, x] and best[y, x] == best[row, column]:
                        todo[y, x] = False
                        members.append((y, x))
        cells = np.array(members)[:, ::-1]
        edges = np.concatenate([cells.min(axis=0), cells.max(axis=0) + 1]) * [*step, *step] + [*source.offset] * 2
        inside = (edges > [*low, *low]) & (edges < [*high, *high])
        if (inside & (np.abs(edges + 0.5 - np.round(edges + 0.5)) < 2e-3)).any():
            return None
        corners = np.floor(np.clip(edges, [*low, *low], [*high, *high]) + 0.5)
        weights = np.maximum(score[tuple(np.transpose(members))], 1e-4)
        center = np.average(cells + 0.5, axis=0, weights=weights) * step + source.offset
        extent = np.ptp(cells, axis=0).max() * step
        expected.append((corners, score[row, column], best[row, column], np.clip(center, low, high), extent))
    return expected


def same_fomo(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    """Objects are cells of one class that touch. False if rounding decides."""
    expected = objects_of(head, processor, source)
    if expected is None:
        return False
    height, width, _ = head.known["real"].shape
    step = np.array(head.size) / (width, height) * source.scale
    expected = [one for one in expected if (one[0][2:] > one[0][:2]).all()]  # with a pixel in the frame
    same("number of objects", len(found), len(expected))
    for d, (corners, score, class_id, center, extent) in zip(found, expected, strict=True):
        x, y, w, h = d.rect
        same("corners", [x, y, x + w, y + h], corners)
        same("class", d.class_id, class_id)
        close("score", d.score, score, reach=1e-6)
        # Centers are computed in parts of a cell and of a pixel, 256 of each.
        reach = step / 200 + (max(width, height) + 3) / 500 + 2e-6 * np.abs(source.roi).max() + 3e-3 * extent
        close("center", d.keypoints.tolist(), [[*center, 1]], reach=[*reach, 0])
    return True


# --- classifiers, embeddings -----------------------------------------------------------------------------------------------
def one_vector(dice: Dice, tensor: Quantized) -> Quantized:
    n = tensor.values.size
    return tensor._replace(values=tensor.values.reshape(dice.pick(((1, n), (1, n), (1, 1, 1, n), (1, 1, n), (1, n, 1, 1)))))


def classifier_head(dice: Dice) -> Head:
    classes = dice.pick((2, 3, 10, 1000, 1001, 128, 7))
    logits = dice.array.normal(0, 2, classes)
    if dice.chance(0.3):
        logits = logits.round(dice.pick((0, 1)))
    kind = dice.pick(KINDS)
    is_logit = dice.chance(0.5)
    low, high = (-9.0, 9.0) if is_logit else (0.0, 255 / 256)
    tensor = quantize(dice, logits if is_logit else softmax(logits), kind, low, high)
    real = tensor.real()
    options = dice.some(
        top_k=(0.4, (1, 2, 1000, classes % 1000 + 1)), threshold=(0.4, (0.1, 0.5, 0.01, 1.0, dice.between(0, 1)))
    )
    # Three logits may be a regression.
    told = not is_logit or classes != 3 and (kind != "float32" or real.min() < -0.01 or real.max() > 1.01)
    if dice.chance(0.4) or not told:
        options["score_type"] = "logit" if is_logit else "probability"
    known = {"real": real, "logit": is_logit, "tensor": tensor}
    return Head(dice.pick(((96, 96), (224, 224), (64, 32))), [one_vector(dice, tensor)], options, known)


def same_classes(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    real, tensor, is_logit = head.known["real"], head.known["tensor"], head.known["logit"]
    score = softmax(real) if is_logit else real
    limit = processor.threshold if is_logit else yolo.cut_of(processor.threshold, tensor)
    reach = 1e-5 * limit if is_logit else 1e-7 if tensor.scale is None else 0
    if (np.abs(score - limit) < reach).any():
        return False
    order = np.lexsort((np.arange(len(real)), -real))[: processor.top_k]
    order = order[score[order] >= limit]
    same("classes", [one.class_id for one in found], order)
    close("scores", [one.score for one in found], score[order], 1e-5, 1e-8)
    same("class_id", found.class_id, order[0] if len(order) else None)
    same("labels", [one.label for one in found], list(map(str, order)))
    return True


def embedding_head(dice: Dice) -> Head:
    length = dice.pick((2, 8, 128, 512, 1024))
    values = dice.array.normal(0, 1, length)
    if dice.chance(0.3):
        values = np.maximum(values, 0)
    kind = dice.pick(KINDS)
    tensor = quantize(dice, values, kind, min(-0.01, float(values.min())), max(0.01, float(values.max())))
    options = {"normalize": False} if dice.chance(0.3) else {}
    return Head(dice.pick(((128, 256), (96, 96))), [one_vector(dice, tensor)], options, {"real": tensor.real()})


def same_vector(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    real = head.known["real"]
    length = np.sqrt((real * real).sum())
    wanted = real / length if processor.normalize and length else real
    close("vector", found.tolist(), wanted, 2e-6, 2e-7 * max(1.0, np.abs(wanted).max()))
    return True


# --- lines of text ---------------------------------------------------------------------------------------------------------
def text_head(dice: Dice) -> Head:
    count, steps = dice.pick((2, 10, 36, 68, 200)), dice.pick((1, 5, 18, 40, 88))
    extra = dice.pick((0, 1, 2))  # classes beside the characters: the blank may be among them, and a space may follow
    classes = count + extra
    first = extra == 2 or dice.chance(0.5)
    blank = 0 if first else classes - 1
    logits = dice.array.normal(0, 1, (steps, classes))
    best = np.where(dice.array.random(steps) < dice.pick((0.5, 0.8, 0.1)), blank, dice.array.integers(0, classes, steps))
    logits[np.arange(steps), best] += dice.pick((2.0, 6.0, 0.0))
    is_logit = dice.chance(0.5)
    low, high = (-9.0, 9.0) if is_logit else (0.0, 255 / 256)
    tensor = quantize(dice, logits if is_logit else softmax(logits), dice.pick(KINDS), low, high)
    shape = dice.pick(((1, steps, classes), (steps, 1, classes), (1, classes, steps)))
    array = tensor.values.T if shape[1] == classes else tensor.values
    letters = [chr(0x41 + at) for at in range(count)]
    options = {"characters": letters, "blank": "first" if first else "last", **_threshold(dice)}
    options["score_type"] = "logit" if is_logit else "probability"
    names = letters if extra == 0 else ["", *letters] if first else [*letters, ""]
    names = [*names, " "] if extra == 2 else names
    unclear = steps in (1, count, count + 1, count + 2)
    known = {"real": tensor.real(), "logit": is_logit, "names": names, "blank": blank}
    return Head((94, 24), [tensor._replace(values=np.ascontiguousarray(array).reshape(shape))], options, known, unclear)


def text_of(head: Head) -> tuple[str, list[float]]:
    """The text and the scores of its characters: repeats are one character, blanks none."""
    real, blank = head.known["real"], head.known["blank"]
    best = real.argmax(axis=1)
    score = (softmax(real) if head.known["logit"] else real).max(axis=1)
    starts = [at for at in range(len(best)) if best[at] != blank and (not at or best[at] != best[at - 1])]
    return "".join([head.known["names"][best[at]] for at in starts]), [float(score[at]) for at in starts]


def same_text(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    """False if rounding decides."""
    text, scores = text_of(head)
    mean = sum(scores) / max(len(scores), 1)
    if abs(mean - processor.threshold) < 1e-5:
        return False
    if not scores or mean < processor.threshold:
        require(not found and found.text == "", "%r below the threshold", found)
        return True
    same("text", found.text, text)
    close("scores", found.scores, scores, 1e-5, 1e-7)
    close("score", found.score, mean, 1e-5, 1e-7)
    return True


# --- depth -----------------------------------------------------------------------------------------------------------------
def depth_head(dice: Dice) -> Head:
    width, height = dice.pick(((16, 12), (8, 8), (7, 9), (32, 24), (1, 1), (60, 60)))
    times = dice.pick((1, 4, 2)) if width > 1 else 8
    values = dice.array.uniform(0.3, 12.0, (height, width))
    kind = dice.pick(KINDS)
    tensor = quantize(dice, values, kind, 0.0, 18.3)
    shape = dice.pick(((1, height, width, 1), (1, 1, height, width), (1, height, width)))
    options: dict[str, Any] = {}
    if len(shape) == 4:
        options["layout"] = "NHWC" if shape[3] == 1 else "NCHW"
        if shape == (1, height, width, 1) and height > 1 and width > 1 and dice.chance(0.5):
            del options["layout"]  # the aspect ratio shows it
    unclear = "layout" not in options and len(shape) == 4 and 1 in (width, height)
    size = width * times, height * times
    unclear = unclear or "layout" not in options and len(shape) == 4 and same_aspect(size, shape[2:])
    return Head(size, [tensor._replace(values=tensor.values.reshape(shape))], options, {"real": tensor.real()}, unclear)


def same_depth(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    real = head.known["real"]
    height, width = real.shape
    if not source.clear:
        return False
    # Frame pixels whose map pixel is not near an edge of it.
    step = np.array(head.size) / (width, height) * source.scale
    left, top, roi_width, roi_height = source.roi
    for number in range(6):
        x = left + (number * 7919 + 13) % roi_width
        y = top + (number * 104729 + 5) % roi_height
        place = (np.array([x, y]) + 0.5 - source.offset) / step
        cell = np.floor(place).astype(int)
        near = (np.abs(place - np.round(place)) < 0.51 / step + 1e-3).any()
        if near or (cell < 0).any() or (cell >= (width, height)).any():
            continue
        got, wanted = found.depth_at(x, y), real[cell[1], cell[0]]
        close("depth", got, wanted, 1e-5, 1e-5)
        middle = (cell + 0.5) * step + source.offset
        if ((middle > (left, top)) & (middle < (left + roi_width, top + roi_height))).all():
            one = x, y, 1, 1
            same("depth of one pixel", [found.minimum(one), found.maximum(one), found.median(one)], [got] * 3)
    seen = np.array([source.offset, np.array(head.size) * source.scale + source.offset])
    if (seen[0] < (left - 1e-3, top - 1e-3)).any() or (seen[1] > (left + roi_width + 1e-3, top + roi_height + 1e-3)).any():
        return True  # bars of a letterbox
    ranked = np.sort(real.reshape(-1))
    wanted = [ranked[0], ranked[(len(ranked) - 1) // 2], ranked[-1]]
    close("least, middle and largest depth", [found.minimum(), found.median(), found.maximum()], wanted, 1e-5, 1e-6)
    return True


# --- landmarks -------------------------------------------------------------------------------------------------------------
def _number(dice: Dice, kind: str, low: float, high: float) -> Quantized:
    return quantize(dice, np.array([dice.array.uniform(0.4 * low, 0.6 * high if low else high)]), kind, low, high)


def hand_head(dice: Dice) -> Head:
    side = dice.pick((224, 64, 128))
    kind, other = dice.pick(KINDS), dice.pick(KINDS)
    points = quantize(dice, _landmarks(dice, 21, side), kind, -0.3 * side, 1.3 * side)
    score, right = _number(dice, other, 0.0, 1.0), _number(dice, other, 0.0, 1.0)
    options = _threshold(dice)
    if dice.chance(0.6):
        world = quantize(dice, dice.array.normal(0, 0.05, 63), kind, -0.3, 0.3)
        tensors = dice.pick(([points, score, right, world], [world, right, score, points]))
    else:
        options["first_scalar"] = dice.pick(("score", "handedness"))
        tensors = [points, score, right] if options["first_scalar"] == "score" else [right, points, score]
    tensors = [one._replace(values=one.values.reshape(1, -1)) for one in tensors]
    known = {"points": points.real(), "score": float(score.real()[0]), "right": float(right.real()[0]), "tensor": score}
    return Head((side, side), tensors, options, known)


def face_head(dice: Dice) -> Head:
    side, count = dice.pick((192, 64)), dice.pick((468, 478))
    points = quantize(dice, _landmarks(dice, count, side), dice.pick(KINDS), -0.3 * side, 1.3 * side)
    logit = _number(dice, dice.pick(KINDS), -20.0, 20.0)
    tensors = [one._replace(values=one.values.reshape(1, 1, 1, -1)) for one in (points, logit)]
    if dice.chance(0.5):
        tensors.reverse()
    known = {"points": points.real(), "score": float(sigmoid(logit.real()[0])), "tensor": logit}
    return Head((side, side), tensors, _threshold(dice), known)


def pose_head(dice: Dice) -> Head:
    side, kind = dice.pick((256, 64)), dice.pick(KINDS)
    values = np.column_stack([_landmarks(dice, 39, side).reshape(39, 3), dice.array.normal(0, 3, (39, 2))])
    points = quantize(dice, values.reshape(-1), kind, -0.3 * side, 1.3 * side)
    score = _number(dice, dice.pick(KINDS), 0.0, 1.0)
    tensors = [points._replace(values=points.values.reshape(1, 195)), score._replace(values=score.values.reshape(1, 1))]
    real = points.real().reshape(39, 5)
    places, sure = real[:35, :3].copy(), True
    if dice.chance(0.6):
        shape = *dice.pick(((8, 8), (6, 10), (16, 16))), 39
        logits = dice.array.normal(dice.pick((-3, 0)), 3, shape)
        logits[dice.array.random(shape) > dice.pick((1.0, 0.1))] = -20
        heat = quantize(dice, logits.clip(-20, 9), dice.pick(KINDS), -20, 9)
        tensors.append(heat._replace(values=heat.values[None]))
        sure = refine(places, heat.real(), side)
    for shape in ((1, 117), (1, side, side, 1)):
        if dice.chance(0.3):
            tensors.append(Quantized(np.zeros(shape, np.float32)))
    tensors = [tensors[i] for i in dice.array.permutation(len(tensors))]
    options = _threshold(dice) | ({"keypoint_threshold": dice.pick((0.1, 0.3, 0.9))} if dice.chance(0.5) else {})
    scores = np.append(sigmoid(real[:33, 3]), [-1.0, -1.0])
    known = {"points": places.reshape(-1), "scores": scores, "score": float(score.real()[0]), "tensor": score, "sure": sure}
    return Head((side, side), tensors, options, known)


def refine(places: Array, heat: Array, side: int) -> bool:
    """RefineLandmarksFromHeatmapCalculator with a kernel of 7; whether rounding decides nothing."""
    rows, columns, _ = heat.shape
    for k, place in enumerate(places):
        x, y = place[0] * columns / side, place[1] * rows / side
        if min(abs(v - round(v)) for v in (x, y)) < 1e-4:
            return False
        column, row = int(x), int(y)
        if not (0 <= column < columns and 0 <= row < rows):
            continue
        left, top = max(0, column - 3), max(0, row - 3)
        window = heat[top : row + 4, left : column + 4, k].astype(float)
        if abs(window.max()) < 1e-5:
            return False
        if window.max() < 0:
            continue
        weights = sigmoid(window)
        down, across = np.indices(window.shape)
        place[0] = (left + (across * weights).sum() / weights.sum()) * side / columns
        place[1] = (top + (down * weights).sum() / weights.sum()) * side / rows
    return True


def _landmarks(dice: Dice, count: int, side: int) -> Array:
    center, spread = dice.array.uniform(0.2, 0.8, 3) * side, dice.pick((0.15, 0.02, 0.4, 0.0)) * side
    return (center + dice.array.normal(0, 1, (count, 3)) * spread).reshape(-1).clip(-0.3 * side, 1.3 * side)


def _threshold(dice: Dice) -> dict[str, Any]:
    return {"threshold": dice.pick((0.1, 0.5, 0.0, 0.9, dice.between(0.01, 0.99)))} if dice.chance(0.6) else {}


def same_landmarks(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    score = head.known["score"]
    near = abs(score - processor.threshold) < 1e-5 + (0 if head.known["tensor"].scale is None else 1e-6)
    scores = head.known.get("scores")
    seen = slice(None)
    if scores is not None:
        seen = scores >= processor.keypoint_threshold
        near = near or not head.known["sure"] or bool((np.abs(scores - processor.keypoint_threshold) < 1e-5).any())
    if near or not source.clear:
        return False
    if score < processor.threshold:
        require(found == [], "%r below the threshold", found)
        return True
    points = source.points(head.known["points"].reshape(-1, 3)[:, :2])
    width, height = source.frame_size or (65535, 65535)
    low = (0, 0) if source.frame_size else (-65535, -65535)
    clipped = np.clip(points, low, (width, height))
    reach = (2e-3 + 2e-6 * max(np.abs(source.roi).max(), np.abs(points).max())) * max(1.0, *source.scale)
    if not len(clipped[seen]):
        require(found == [], "%r without a visible keypoint", found)
        return True
    least, most = clipped[seen].min(axis=0), clipped[seen].max(axis=0)
    if source.frame_size is None:
        return False
    if (np.abs(most) < reach).any() or (np.abs(least - (width - 1, height - 1)) < reach).any():
        return False
    if ((least > (width - 1, height - 1)) & (least < (width, height))).any():  # in the last column or row
        return False
    if (most <= 0).any() or (least >= (width, height)).any():
        require(found == [], "%r beyond the frame", found)
        return True
    same("number of detections", len(found), 1)
    (d,) = found
    if scores is None:
        scores = np.ones(len(clipped))
    else:
        depth = np.minimum(points, (width, height) - points).min(axis=1)
        if (np.abs(depth) < reach).any():
            return False
        scores = np.where(depth > 0, scores, np.minimum(scores, 0.0))
    close("keypoints", d.keypoints.tolist(), np.column_stack([clipped, scores]), reach=[reach, reach, 1e-6])
    x, y, w, h = d.rect
    require(0 <= x < x + w <= width and 0 <= y < y + h <= height, "rect %r outside of the frame", d.rect)
    close("left and upper edge", (x + 0.5, y + 0.5), least, reach=0.5 + reach)
    close("right and lower edge", (x + w - 0.5, y + h - 0.5), most, reach=0.5 + reach)
    close("score", d.score, score, reach=1e-5)
    right = head.known.get("right", 0.0)
    require(abs(right - 0.5) < 1e-5 or d.class_id == (right >= 0.5), "hand %r, expected %r", d.class_id, right)
    return True


# --- oriented boxes --------------------------------------------------------------------------------------------------------
def obb_head(dice: Dice) -> Head:
    size = dice.pick(((64, 64), (96, 64), (64, 96), (160, 96)))
    classes = dice.pick((2, 1, 3, 15, 5))
    random = dice.array
    rows = dice.chance(0.3)
    kind = dice.pick(KINDS)
    pixels = dice.chance(0.3)
    count = dice.pick((30, 100, 300)) if rows else anchor_count(size, (8, 16, 32))
    centers = random.uniform(0.1, 0.9, (dice.whole(2, 6), 2))
    center = centers[random.integers(0, len(centers), count)] + random.normal(0, dice.pick((0.02, 0.1)), (count, 2))
    extent = random.uniform(0.05, 0.5, (count, 2))
    angle = random.uniform(-np.pi / 4, 3 * np.pi / 4, (count, 1))
    score = likely(dice, (count, 1), 0.01, 1.0, dice.pick((0.05, 0.01, 0.3))).clip(0, 1)
    unit = np.array(size if pixels else (1, 1), float)
    class_id = random.integers(0, classes, count)
    if rows:
        order = np.argsort(-score[:, 0], kind="stable")
        columns = [center * unit, extent * unit, score, class_id[:, None], angle]
        values = np.concatenate(columns, axis=1)[order]
        kind = "float32"
        high = 1.0
    else:
        scores = np.zeros((count, classes))
        scores[np.arange(count), class_id] = score[:, 0]
        values = np.concatenate([center * unit, extent * unit, scores, angle], axis=1)
        high = max(2.4, float(values.max()))
    tensor = quantize(dice, values, kind, -0.8, high)
    real = tensor.real()
    if rows:
        real_score, real_class = real[:, 4], real[:, 5].round().astype(int)
    else:
        real_score, real_class = real[:, 4:-1].max(axis=1), real[:, 4:-1].argmax(axis=1)
    options = {**yolo.detector_options(dice, "YoloV8Obb", classes), "box_units": yolo.units_of(pixels)}
    options.pop("nms_sigma", None)
    if not rows and dice.chance(0.7):
        options["labels"] = [f"thing {i}" for i in range(classes)]
    array = tensor.values if rows or dice.chance(0.3) else tensor.values.T
    known = {"real": real, "score": real_score, "class": real_class, "unit": (1, 1) if pixels else size, "rows": rows,
             "tensor": tensor}  # fmt: skip
    anchors = {anchor_count(size, strides) for strides in set(yolo.STRIDES)}
    unclear = 5 + classes in anchors or rows and count in anchors or "labels" not in options and not rows
    unclear = unclear or pixels and kind in ("int8", "uint8")  # no steps are left for scores
    return Head(size, [tensor._replace(values=np.ascontiguousarray(array)[None])], options, known, unclear)


def boxes_of(head: Head, processor: Any) -> tuple[Array, Array, Array, list[int]] | None:
    """Boxes x, y, w, h, angle, scores and classes of the candidates, and which of them stay. None if rounding decides."""
    known = head.known
    score, class_id, tensor = known["score"], known["class"], known["tensor"]
    cut = yolo.cut_of(processor.threshold, tensor)
    if tensor.scale is None and (np.abs(score - cut) < 1e-6).any() or processor.threshold in (0.0, 1.0):
        return None
    allowed = yolo.numbers_of(processor.classes)
    order = np.flatnonzero((score >= cut) & (np.isin(class_id, allowed) if allowed else True))
    if not known["rows"]:
        order = order[np.lexsort((order, -score[order]))][: processor.max_candidates]
    real, class_id = known["real"][order], class_id[order]
    boxes = np.concatenate([real[:, :4] * [*known["unit"], *known["unit"]], real[:, -1:]], axis=1)
    if (boxes[:, 2:4] < 0.5).any():
        return None
    kept = []
    for i in range(len(order)):
        if not known["rows"] and i:
            iou = probabilistic_iou(boxes[i], boxes[:i])
            rivals = np.ones(i, bool) if processor.class_agnostic else class_id[:i] == class_id[i]
            if (rivals & (np.abs(iou - processor.iou_threshold) < 2e-4)).any():
                return None
            if (rivals & (iou > processor.iou_threshold)).any():
                continue
        kept.append(i)
    return boxes, score[order], class_id, kept[: processor.max_detections]


def same_oriented(found: Any, head: Head, processor: Any, source: frames.Source) -> bool:
    expected_boxes = boxes_of(head, processor) if source.clear else None
    if expected_boxes is None:
        return False
    boxes, score, class_id, kept = expected_boxes
    boxes, score, class_id = boxes[kept], score[kept], class_id[kept]
    cos, sin = np.cos(boxes[:, 4:]), np.sin(boxes[:, 4:])
    u = np.concatenate([cos, sin], axis=1) * boxes[:, 2:3] / 2
    v = np.concatenate([-sin, cos], axis=1) * boxes[:, 3:4] / 2
    middle = boxes[:, :2]
    points = np.stack([middle - u - v, middle + u - v, middle + u + v, middle - u + v], axis=1)
    around = np.concatenate([points.min(axis=1), points.max(axis=1)], axis=1)
    seen = yolo.shown(yolo.Expected(np.arange(len(kept)), class_id, score, around), source)
    if not seen.sure:
        return False
    yolo.agree(found, seen, source, part=2 * ERROR)
    for d, i in zip(found, seen.anchor, strict=True):
        got, wanted = np.array(d.corners.tolist()), source.points(points[i])
        reach = (5e-3 + 4e-6 * max(np.abs(source.roi).max(), np.abs(wanted).max())) * max(1.0, *source.scale)
        turns = [np.roll(wanted, turn, axis=0) for turn in range(4)]
        require(any(np.allclose(got, one, atol=reach) for one in turns), "corners %r, expected %r", got, wanted)
        along, across = got[1] - got[0], got[2] - got[1]
        require(along[0] * across[1] - along[1] * across[0] > -reach, "corners %r are not clockwise", got)
        sides = wanted[1] - wanted[0], wanted[2] - wanted[1]
        lengths = [float(np.hypot(*side)) for side in sides]
        if abs(lengths[0] - lengths[1]) > 2e-3 * max(lengths):
            x, y = sides[lengths[1] > lengths[0]]
            off = (d.rotation - np.degrees(np.arctan2(y, x)) + 90) % 180 - 90
            require(0 <= d.rotation < 180 and abs(off) < 0.02 + 0.2 / max(lengths), "rotation %r of %r", d.rotation, wanted)
    return True


# --- the areas -------------------------------------------------------------------------------------------------------------
Same = Callable[[Any, Head, Any, frames.Source], bool]
HEADS: dict[str, Callable[[Dice], Head]] = {
    "Fomo": fomo_head, "Classifier": classifier_head, "Embedding": embedding_head, "Depth": depth_head,
    "HandLandmarks": hand_head, "FaceLandmarks": face_head, "YoloV8Obb": obb_head, "TextLine": text_head,
    "PoseLandmarks": pose_head,
}  # fmt: skip
SAME: dict[str, Same] = {
    "Fomo": same_fomo, "Classifier": same_classes, "Embedding": same_vector, "Depth": same_depth,
    "HandLandmarks": same_landmarks, "FaceLandmarks": same_landmarks, "YoloV8Obb": same_oriented,
    "TextLine": same_text, "PoseLandmarks": same_landmarks,
}  # fmt: skip

def make_case(dice: Dice, family: str) -> tuple[Head, dict[str, Any]]:
    head = HEADS[family](dice)
    return head, head.options


def contents(found: Any) -> Any:
    """The values in a result, as a copy."""
    if isinstance(found, n6post.DepthMap):
        return repr((found.minimum(), found.median(), found.maximum(), found.raw.tolist()))
    if isinstance(found, n6post.Reading):
        return repr(found)
    if isinstance(found, n6post.Classification):
        return [tuple(one) for one in found]
    if not isinstance(found, list):
        return repr(found.tolist())
    corners = [d.corners is not None and (d.corners.tolist(), d.rotation) for d in found]
    return [repr((one, corner)) for one, corner in zip(yolo.plain_contents(found), corners)]


def other_families(dice: Dice) -> str:
    family = dice.pick(list(HEADS))
    head, options = make_case(dice, family)
    tensors, how = spoiled(dice, head.tensors)
    tensors, other = mangled(dice, tensors)
    unclear = how != "nothing" or other or head.unclear
    frame = frames.frame(
        dice, family, tensors, head.size, options, unclear=unclear, reasons=yolo.OTHER_FAMILY,
        forgives=lambda outputs: other or family in ("HandLandmarks", "PoseLandmarks"), how=how, mangled=other,
    )  # fmt: skip
    if frame is None:
        return REFUSED
    found, processor, _, source, forgiven = frame
    if isinstance(found, list):
        whole = (0, 0, *source.frame_size) if source.frame_size else (-65535, -65535, 131071, 131071)
        # Only the frame limits landmarks.
        limits = source._replace(roi=whole) if SAME[family] is same_landmarks else source
        yolo.in_bounds(found, limits, getattr(processor, "max_detections", 1))
    outcome = BOUNDED
    if not unclear and not forgiven and SAME[family](found, head, processor, source):
        outcome = CONFIRMED
    text, refused = attempt(n6post.to_json, found)
    require((text is None) == (family == "Embedding"), "JSON %r: %s", text, refused)
    yolo.stays_true(dice, frame, contents)
    return outcome
