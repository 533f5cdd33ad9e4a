"""Detection and pose: heads of every kind, compared with reference.decode and a suppression in integers."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import n6post
import numpy as np
import reference
from assertions import survivors
from synthetic_heads import anchor_count

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .tensors import KINDS, Array, Model, Quantized, quantize, spoil

SIZES = ((48, 32), (32, 32), (32, 48), (64, 32), (32, 64), (48, 40), (64, 64), (96, 32), (33, 47), (48, 32))
RARE_SIZES = ((16, 16), (8, 8), (7, 7), (8, 200), (128, 96), (160, 160))
LARGE_SIZES = ((320, 320), (640, 640), (640, 480), (1632, 1960), (128, 24968))  # 65,535 and 65,536 anchors
CLASS_COUNTS = (1, 2, 3, 4, 5, 7, 1, 3, 80)
MANY_CLASSES = (300, 1000)
STRIDES = ((8, 16, 32),) * 8 + ((4, 8, 16, 32), (8, 16, 32, 64), (16, 32))

# Refusals of random numbers in heads without labels: families/family_check.py.
OTHER_FAMILY = (
    r"^expected boxes and class scores of YOLOv8, got numbers in .* as of |^expected scores from 0 to 1, got steps of "
    "|^expected keypoint scores from 0 to 1, got "
)


class Head(NamedTuple):
    """A raw head [channels, anchors] and its properties.

    pixels  whether its boxes are in pixels, according to its numbers; None if they do not show it
    """

    size: tuple[int, int]
    classes: int
    tensor: Quantized
    pixels: bool | None
    how: str  # its numbers were changed

    @property
    def anchors(self) -> int:
        return int(self.tensor.values.shape[1])


def make_head(dice: Dice, extra: int, small: bool = False) -> Head:
    """A head with this number of rows after its classes. Its boxes are around a few positions, so that they overlap."""
    size = dice.pick(SIZES)
    classes = dice.pick(CLASS_COUNTS)
    if not small and dice.chance(0.06):
        size = dice.pick(RARE_SIZES)
    if not small and dice.chance(0.003):
        size = dice.pick(LARGE_SIZES)
    elif dice.chance(0.01):
        classes = dice.pick((*MANY_CLASSES, dice.whole(1, 1000)))
    anchors = anchor_count(size, dice.pick(STRIDES))
    if anchors > 2000:
        classes = min(classes, 4)
    kind = dice.pick(KINDS)
    pixels = dice.chance(0.3)
    random = dice.array
    values = np.zeros((4 + classes + extra, anchors))
    values[:4] = _boxes(dice, anchors)
    many = min(anchors, dice.pick((3, 2, 4, 0, 1, 5, 3, 2, 8, 12, 30, anchors) if dice.chance(0.5) else (3, 1, 2)))
    if many:
        speaking = random.permutation(anchors)[:many]
        values[4 + random.integers(0, classes, many), speaking] = random.uniform(0, 1.02, many)
        if dice.chance(0.5):  # a second best class
            values[4 + random.integers(0, classes, many), speaking] = random.uniform(0, 1, many)
    values[4 + classes :] = random.normal(0, 0.5, (extra, anchors)) if extra else 0
    low, high = dice.pick((0.0, -0.3)), dice.pick((1.05, 1.5, 2.0, 7.5))
    if pixels:
        values[:4] *= np.array([*size, *size])[:, None]
        low, high = low * max(size), 1.1 * max(size)
    tensor, how = spoil(dice, quantize(dice, values, kind, low, high))
    return Head(size, classes, tensor, appears_in_pixels(tensor), how)


def _boxes(dice: Dice, anchors: int) -> Array:
    """(4, anchors) of cx, cy, w, h in 0..1."""
    random = dice.array
    how = dice.pick(("crowd", "lattice", "odd"))
    if how == "lattice":  # sides and positions in halves, so that overlaps are simple fractions and many are equal
        centers = random.integers(2, 7, (2, anchors)) / 8
        return np.concatenate([centers, random.choice([0.125, 0.25, 0.5, 0.25], (2, anchors))])
    if how == "odd":  # beyond the frame, or with a size of 0 or less
        return random.uniform(-0.5, 1.5, (4, anchors)) * random.choice([0.0, 1.0, 1.0], (4, anchors))
    places = random.uniform(0, 1, (dice.whole(1, 4), 4)) * (1, 1, 0.6, 0.6) + (0, 0, 0.1, 0.1)
    boxes: Array = np.transpose(places[random.integers(0, len(places), anchors)] + random.normal(0, 0.06, (anchors, 4)))
    return boxes


def units_of(pixels: bool) -> str:
    """The option box_units."""
    return "pixels" if pixels else "normalized"


def appears_in_pixels(tensor: Quantized) -> bool | None:
    """As yolov8.py documents it: boxes in 0..1 need no range beyond 8, and in pixels the mean of the centers is beyond 2."""
    values = tensor.values[:4]
    if tensor.scale is not None and tensor.real(np.array(np.iinfo(values.dtype).max)) <= 8:
        return False
    centers = tensor.real(values[:2])
    if not np.isfinite(centers).all() or np.abs(centers).max(initial=0) > 1e5 or not centers.any():
        return None
    mean = float(centers[centers != 0].mean())
    return None if not 0 < mean or 1.99 < mean < 2.01 else mean > 2


# --- expected results --------------------------------------------------------------------------------------------------
class Expected(NamedTuple):
    """Rows, best first: anchors, classes, scores, boxes in model input pixels. sure: whether they are certain."""

    anchor: Array
    class_id: Array
    score: Array
    box: Array
    sure: bool = True

    def take(self, at: Any, sure: bool = True) -> Expected:
        return Expected(*(column[at] for column in self[:4]), sure)


def as_expected(found: reference.Candidates, sure: bool = True) -> Expected:
    return Expected(found.anchor, found.class_id, found.score, found.box.astype(np.float64), sure)


def cut_of(threshold: float, tensor: Quantized) -> float:
    """The threshold for the reference: between the largest integer that fails and the smallest that passes."""
    return threshold if tensor.scale is None else (steps_of(threshold, tensor.scale) - 0.5) * tensor.scale


def steps_of(threshold: float, scale: float) -> int:
    """The least number of steps that passes. On the camera .4 / (1 / 255) must be 102 as it is in decimals."""
    steps = threshold / scale
    return round(steps) if abs(steps - round(steps)) <= 1e-6 * abs(steps) else int(np.ceil(steps))


def expected_of(head: Head, pixels: bool, options: dict[str, Any]) -> Expected:
    tensor = head.tensor
    threshold, most = options.get("threshold", 0.4), options.get("max_detections", 20)
    agnostic = options.get("class_agnostic", False)
    with np.errstate(all="ignore"):
        found = reference.decode(
            tensor.values, head.classes, cut_of(threshold, tensor), scale=tensor.scale, zero_point=tensor.zero_point,
            box_unit=(1, 1) if pixels else head.size, classes=numbers_of(options.get("classes")),
            max_candidates=options.get("max_candidates", 300),
        )  # fmt: skip
    if sigma := options.get("nms_sigma", 0):
        kept, score, sure = soft(found, sigma, threshold, agnostic, most)
        return as_expected(found.take(kept)._replace(score=score), sure)
    overlaps = overlaps_of(tensor.values[:4, found.anchor], tensor, options.get("iou_threshold", 0.5))
    kept, _, sure = greedy(overlaps, found.class_id * (not agnostic), most)
    return as_expected(found.take(kept), sure)


def numbers_of(classes: Any) -> list[int] | None:
    """The option `classes` as numbers."""
    return classes and [int(one.removeprefix("thing ")) if isinstance(one, str) else one for one in classes]


Overlaps = Callable[[int], tuple[Array, Array]]


def greedy(overlaps: Overlaps, group: Array, most: int) -> tuple[list[int], list[Array], bool]:
    """Greedy suppression: the rows that remain, those that each of them suppresses, and whether that is certain.

    overlaps    of a row: which rows overlap it by more than the limit, and for which of them rounding decides
    """
    alive = np.ones(len(group), bool)
    kept: list[int] = []
    suppressed = []
    sure = True
    for at in range(len(group)):
        if len(kept) == most:
            break
        if not alive[at]:
            continue
        over, near = overlaps(at)
        rivals = alive & (group == group[at])
        rivals[: at + 1] = False
        sure = sure and not (rivals & near).any()
        kept.append(at)
        suppressed.append(np.flatnonzero(rivals & over))
        alive &= ~(rivals & over)
    return kept, suppressed, sure


def overlaps_of(raw: Array, tensor: Quantized, threshold: float) -> Overlaps:
    """Of boxes cx, cy, w, h as a head has them, in integers if it has integers.

    Ultralytics' rule: IoU above the threshold, not at it.
    """
    whole = tensor.scale is not None
    values = raw.astype(np.int64) - tensor.zero_point if whole else raw.astype(np.float64)
    sane = whole or bool((np.abs(values) < 1e6).all())
    low, high = 2 * values[:2] - values[2:], 2 * values[:2] + values[2:]
    area = (high - low).prod(axis=0)
    limit = Fraction(str(threshold))
    exact = whole and limit.denominator <= 10_000
    # The error of float32 corners for a box that is small compared with its coordinates.
    sides = np.abs(high - low).min(axis=0) if raw.size else area
    slack = 2e-6 + np.minimum(3e-7 * np.abs(high).max(initial=1) / np.maximum(sides, 1e-30), 1)

    def overlaps(at: int) -> tuple[Array, Array]:
        width = np.minimum(high, high[:, at : at + 1]) - np.maximum(low, low[:, at : at + 1])
        inter = np.maximum(width, 0).prod(axis=0)
        union = area + area[at] - inter
        ratio = np.where(inter > 0, inter, 0) / np.where(inter > 0, union, 1)
        near = np.abs(ratio - threshold) <= (1e-6 if whole else np.maximum(slack, slack[at]))
        if exact:
            equal = inter * limit.denominator == limit.numerator * union
            over = inter * limit.denominator > limit.numerator * union
            return over & (inter > 0), near & ~(equal & (union < 1 << 24)) & (inter > 0)
        return (ratio > threshold) & (inter > 0), (near & (inter > 0)) | (not sane)

    return overlaps


def soft(
    found: reference.Candidates, sigma: float, threshold: float, class_agnostic: bool, most: int
) -> tuple[list[int], Array, bool]:
    """Gaussian Soft-NMS in float64: positions in the order of selection, their scores, and whether that is certain."""
    score = found.score.astype(np.float64)
    box = found.box.astype(np.float64)
    if not (np.isfinite(score).all() and (np.abs(box) < 1e6).all()) or sigma < 1e-3:
        return list(range(min(most, len(score)))), score[:most], False
    area = (box[:, 2:] - box[:, :2]).prod(axis=1)
    whole = np.ones(len(score), bool)  # not decayed yet
    alive = np.ones(len(score), bool)
    kept: list[int] = []
    sure = True
    while alive.any() and len(kept) < most:
        ranked = np.where(alive, score, -np.inf)
        at = int(ranked.argmax())
        close = alive & (np.abs(ranked - ranked[at]) <= 1e-4 * abs(ranked[at]))
        sure = sure and bool((whole | ~close).all() or close.sum() == 1)
        kept.append(at)
        alive[at] = False
        width = np.minimum(box[:, 2:], box[at, 2:]) - np.maximum(box[:, :2], box[at, :2])
        inter = np.maximum(width, 0).prod(axis=1)
        union = area + area[at] - inter
        rivals = alive & (inter > 0)
        if not class_agnostic:
            rivals &= found.class_id == found.class_id[at]
        iou = np.divide(inter, union, out=np.zeros_like(inter), where=rivals & (union != 0))
        score = np.where(rivals, score * np.exp(-iou * iou / sigma), score)
        whole &= ~rivals
        sure = sure and not (rivals & (np.abs(score - threshold) <= 1e-4 * max(threshold, 1e-6))).any()
        alive &= whole | (score >= threshold)
    return kept, score[kept].astype(np.float32), sure


# --- checks ------------------------------------------------------------------------------------------------------------
def in_bounds(found: Any, source: frames.Source, most: int) -> None:
    """Check the rules for every list of detections."""
    require(type(found) is list, "expected a list, got %s", type(found))
    require(len(found) <= most, "%d detections, but the maximum is %d", len(found), most)
    left, top, width, height = source.roi
    before = np.inf
    for d in found:
        x, y, w, h = d.rect
        require(all([type(v) is int for v in d.rect]), "a rect with numbers that are not ints: %r", d.rect)
        inside = left <= x < x + w <= left + width and top <= y < y + h <= top + height
        require(inside, "rect %r outside of the frame's part %r", d.rect, source.roi)
        require(isinstance(d.score, float) and d.score == d.score, "score %r", d.score)
        require(d.score <= before, "score %r after %r", d.score, before)
        require(type(d.class_id) is int and d.class_id >= 0, "class %r", d.class_id)
        require(type(d.label) is str and d.label, "label %r", d.label)
        require(d.track_id is None and d.frame_size == source.frame_size, "frame size %r", d.frame_size)
        before = d.score


def rects_agree(found: Any, boxes: Array, source: frames.Source) -> None:
    """Compare each rect with its box in model input pixels. Allowed are half a pixel of rounding and the float32 error."""
    x, y, w, h = source.roi
    low, high = np.array([x, y, x, y]), np.array([x + w, y + h, x + w, y + h])
    corners = source.boxes(boxes)
    slack = 0.502 + 4e-7 * (np.abs(corners).clip(0, 1e6) + np.abs(source.roi).max()) + 1e-6 * max(source.scale)
    corners = np.clip(corners, low, high)
    corners[:, 2:] = np.maximum(corners[:, 2:], corners[:, :2])
    rects = np.array([d.rect for d in found], dtype=np.float64)
    rects[:, 2:] += rects[:, :2]
    off = np.abs(rects - corners) > slack
    if off.any():
        at = int(off.any(axis=1).argmax())
        require(False, "rect %r of detection %d, expected the corners %r", found[at].rect, at, corners[at].tolist())


def rounding(corners: Array, source: frames.Source) -> Array:
    """The float32 error of each corner."""
    moved: Array = 0.002 + 4e-7 * (np.abs(corners).clip(0, 1e6) + np.abs(source.roi).max()) + 1e-6 * max(source.scale)
    return moved


def shown(expected: Expected, source: frames.Source) -> Expected:
    """The detections with a pixel in the frame's visible part. They are not certain if rounding decides."""
    corners = source.boxes(expected.box)
    reach = rounding(corners, source)
    least, most = (reference.has_pixels(corners + sign * reach * (-1, -1, 1, 1), source.roi) for sign in (-1, 1))
    sure = expected.sure and source.clear and bool(np.isfinite(corners).all()) and np.array_equal(least, most)
    return expected.take(most, sure)


def agree(
    found: Any, expected: Expected, source: frames.Source, names: Any = None, *, part: float = 2e-4, processor: Any = None
) -> None:
    """Check that classes, scores and boxes are the expected ones, in order.

    names       the label of a class number
    processor   its anchors are checked, too
    """
    if processor is not None:
        rows = survivors(processor, found if isinstance(processor, n6post.YoloV8Seg) else None)
        same("anchors", [row[0] for row in rows], expected.anchor)
    same("classes", [d.class_id for d in found], expected.class_id)
    close("scores", [d.score for d in found], expected.score, part, 1e-7)
    for d in found if names else ():
        same("label", d.label, names(d.class_id))
    if source.clear and len(found) and np.isfinite(expected.box).all():
        rects_agree(found, expected.box, source)


def keypoints_agree(d: Any, points: Array, scores: Array, source: frames.Source, beyond: int = 0) -> None:
    """Compare keypoints with points in model input pixels, clipped like boxes. Extreme ones are not compared.

    beyond  how many times the size of the frame's visible part they may be outside of it
    """
    got = np.array(d.keypoints.tolist())
    usable = np.isfinite(points).all(axis=1) & (np.abs(points) < 1e6).all(axis=1) & np.isfinite(scores)
    left, top, width, height = source.roi
    corner, far = (left - beyond * width, top - beyond * height), (left + width * (1 + beyond), top + height * (1 + beyond))
    require(got.shape[1] == 3 and not np.isnan(got).any(), "keypoints %r", got)
    require((got[:, :2] >= corner).all() and (got[:, :2] <= far).all(), "keypoints outside of %r: %r", source.roi, got)
    reach = 2e-3 + 2e-6 * np.abs(source.roi).max() + 1e-6 * np.abs(points[usable]).max(initial=0)
    if source.clear:
        wanted = np.clip(source.points(points), corner, far)
        close("keypoints", got[usable, :2], wanted[usable], reach=reach * max(1.0, *source.scale))
    close("scores of keypoints", got[usable, 2], scores[usable], 1e-4, 1e-5)


def plain_contents(found: Any) -> list[Any]:
    """Copy the values in a list of detections."""
    said = []
    for d in found:
        mask = d.mask and (d.mask._parts()[2], bytes(d.mask.image.bytearray()) if d.mask.image else b"", d.mask._parts()[3])
        points = None if d.keypoints is None else repr(d.keypoints.tolist())
        said.append((d.rect, d.score, d.class_id, d.label, mask, points))
    return said


def stays_true(dice: Dice, frame: frames.Frame, contents: Any = plain_contents) -> None:
    """Check that the result does not change when the model's memory is overwritten, nor after the next frame."""
    found, processor, model, source, _ = frame
    before = contents(found)
    if dice.chance(0.1):
        for values in model.memory:
            values[...] = np.roll(values, 3, axis=int(np.argmax(values.shape)))
        attempt(processor, model, [source.given], model.outputs())
        require(contents(found) == before, "the next frame changed this one's result")
    model.overwrite()
    require(contents(found) == before, "the result changed with the model's memory")


# --- options -----------------------------------------------------------------------------------------------------------
def detector_options(dice: Dice, family: str, classes: int) -> dict[str, Any]:
    """Options that most detectors have; most keep their default."""
    anywhere = dice.between(0.01, 0.99)
    numbers = sorted({dice.whole(0, classes - 1) for _ in range(dice.whole(1, 3))})
    options = dice.some(
        threshold=(0.85, (0.3, 0.1, 0.25, 0.6, 0.05, 0.5, 0.9, anywhere, anywhere, dice.pick((0.0, 1.0)))),
        iou_threshold=(0.65, (0.5, 0.25, 0.2, 0.75, 0.6, 0.3, 0.7, 0.0, 1.0, anywhere)),
        nms_sigma=(0.1, (0.5, 0.1, 2.0, 1e-9, 1e6)),
        max_detections=(0.4, (1, 2, 5, 300, 65535)),
        max_candidates=(0.3, (1, 3, 20, 2000)),
        class_agnostic=(0.3, (True,)),
        blend_boxes=(0.4, (False,)),
        classes=(0.2, (numbers,)),
    )
    known = [name for name, _ in getattr(n6post, family)._option.defaults]
    return {name: value for name, value in options.items() if name in known}


def options_of(dice: Dice, head: Head) -> dict[str, Any]:
    options = detector_options(dice, "YoloV8", head.classes)
    scale = head.tensor.scale
    if scale and dice.chance(0.4):  # half a step from every score, or exactly at one
        options["threshold"] = min((int(dice.between(0, 1) / scale) + dice.pick((0.5, 0.0))) * scale, 1.0)
    x, y, w, h = head.tensor.values[:4]
    if np.mean((w > x) & (h > y)) > 0.9:  # as corners have it
        options["box_order"] = "xywh"
    return options


def stored(dice: Dice, head: Head) -> Quantized:
    """The head's tensor with a layout that a converter may produce."""
    values = head.tensor.values
    if dice.chance(0.4):
        values = np.ascontiguousarray(values.T)
    shape = values.shape
    shape = dice.pick(((1, *shape), (1, *shape), (1, *shape), shape, (1, 1, *shape), (1, *shape, 1)))
    return head.tensor._replace(values=values.reshape(shape))


def ambiguous(head: Head, extra: int) -> bool:
    """Whether the shape alone does not identify this kind of head. Then its numbers decide, without a reference."""
    channels, anchors = head.tensor.values.shape
    counts = {anchor_count(head.size, strides) for strides in set(STRIDES)}
    if extra < 0 and (channels % 3 == 0 or anchors % 3 == 0 and 6 < anchors <= 405 and channels <= 300):
        return True
    return channels in counts or channels == anchors or channels - 6 == extra


def naming(dice: Dice, head: Any, options: dict[str, Any]) -> tuple[Any, Any]:
    """Name the classes, or not: the model's labels, and a function for the label of a class (None: not known)."""
    how = dice.pick(("none", "labels", "labels", "model", "dict"))
    names = [f"thing {i}" for i in range(head.classes)]
    if how == "none":
        return None, None if head.classes in (80, 1) else str
    if how != "model":
        options["labels"] = dict(enumerate(names)) if how == "dict" else names
    if "classes" in options and dice.chance(0.5):
        options["classes"] = [names[one] for one in options["classes"]]
    return names if how == "model" else None, names.__getitem__


def unit(dice: Dice, head: Head, options: dict[str, Any]) -> bool:
    """Whether the boxes are in pixels. Sometimes, or if the numbers do not show it, an option says it."""
    pixels = dice.chance(0.5) if head.pixels is None else head.pixels
    if head.pixels is None or dice.chance(0.3):
        options["box_units"] = units_of(pixels)
    return pixels


# --- the areas ---------------------------------------------------------------------------------------------------------
def raw_frame(
    dice: Dice, family: str, head: Head, options: dict[str, Any], unclear: bool, labels: Any = None, **told: Any
) -> tuple[frames.Frame, Expected] | None:
    """A frame of a raw head, and what is expected of it. None if it was refused."""
    pixels = unit(dice, head, options)
    frame = frames.frame(
        dice, family, [stored(dice, head)], head.size, options, unclear=unclear, reasons=OTHER_FAMILY,
        wrong=not 0 < head.anchors <= 65535, labels=labels, classes=head.classes, how=head.how, **told,
    )  # fmt: skip
    if frame is None:
        return None
    in_bounds(frame.found, frame.source, options.get("max_detections", 20))
    expected = shown(expected_of(head, pixels, options), frame.source)
    return frame, expected._replace(sure=expected.sure and not unclear)


def boxes(dice: Dice) -> str:
    head = make_head(dice, 0)
    options = options_of(dice, head)
    labels, names = naming(dice, head, options)
    seen = raw_frame(dice, "YoloV8", head, options, ambiguous(head, 0), labels)
    if seen is None:
        return REFUSED
    frame, expected = seen
    if expected.sure:
        agree(frame.found, expected, frame.source, names, processor=frame.processor)
    stays_true(dice, frame)
    return CONFIRMED if expected.sure else BOUNDED


def pose(dice: Dice) -> str:
    """Check that keypoints are those of the anchor's column, mapped to the frame and clipped like boxes."""
    keypoints = dice.pick((17, 1, 3, 13, 5))
    head = make_head(dice, 3 * keypoints)
    if ambiguous(head, -1) and dice.chance(0.9):  # most small sizes are: the reference should judge more than a third
        head = make_head(dice, 3 * keypoints)
    options = options_of(dice, head)
    options |= dice.some(
        # Without labels most random heads are refused: OTHER_FAMILY.
        labels=(0.8, ([f"thing {i}" for i in range(head.classes)],)),
        score_type=(0.7, ("probability", "logit")),
        keypoint_threshold=(0.2, (0.0, 1.0, 0.3)),
    )
    if head.classes > 1 or dice.chance(0.2):
        options["class_count"] = head.classes
    seen = raw_frame(dice, "YoloV8Pose", head, options, ambiguous(head, -1), keypoints=keypoints)
    if seen is None:
        return REFUSED
    frame, expected = seen
    if expected.sure:
        agree(frame.found, expected, frame.source, processor=frame.processor)
    for i, d in enumerate(frame.found):
        same("keypoint_threshold", d.keypoint_threshold, options.get("keypoint_threshold", 0.5))
        numbers: Array = np.full((keypoints, 3), np.nan)  # not compared
        if expected.sure and "score_type" in options:
            numbers = head.tensor.real(head.tensor.values[4 + head.classes :, expected.anchor[i]]).reshape(-1, 3)
        numbers[np.abs(numbers).max(axis=1) >= 1e6] = np.nan
        scores = reference.sigmoid(numbers[:, 2]) if options.get("score_type") == "logit" else numbers[:, 2]
        pixels = options["box_units"] == "pixels" if head.pixels is None else head.pixels
        keypoints_agree(d, numbers[:, :2] * ((1, 1) if pixels else head.size), scores, frame.source)
    stays_true(dice, frame)
    return CONFIRMED if expected.sure else BOUNDED


# --- several models, one processor -------------------------------------------------------------------------------------
def sequence(dice: Dice) -> str:
    """One processor with several models in turn, raw and as float copies. Each frame has to equal the reference."""
    models = []
    for _ in range(dice.whole(2, 3)):
        head = make_head(dice, 0, small=True)
        if dice.chance(0.4) and head.tensor.scale is not None:
            copy = Quantized(head.tensor.real().astype(np.float32))
            head = head._replace(tensor=copy, pixels=appears_in_pixels(copy))
        models.append((head, Model([stored(dice, head)], head.size)))
    options = options_of(dice, models[0][0])
    options.pop("classes", None)
    processor = n6post.YoloV8(**options)
    order = [dice.whole(0, len(models) - 1) for _ in range(dice.whole(2, 6))]
    dice.tell(heads=[(h.size, h.classes, h.how, h.tensor.values) for h, _ in models], options=options, order=order)
    outcome = BOUNDED
    held: list[tuple[Any, list[Any]]] = []
    for at in order:
        head, model = models[at]
        if dice.chance(0.2):
            changed = options_of(dice, head)
            changed.pop("classes", None)
            for name, value in changed.items():
                setattr(processor, name, value)
            options = {**options, **changed}
        source = frames.source(dice, head.size)
        found, refused = attempt(processor, model, [source.given], model.outputs())
        unclear = ambiguous(head, 0)
        if found is None:
            require(not head.anchors or unclear or re.search(OTHER_FAMILY, refused), "refused a valid head: %s", refused)
            continue
        in_bounds(found, source, options.get("max_detections", 20))
        expected = shown(expected_of(head, bool(head.pixels), options), source)
        if expected.sure and not unclear and head.pixels is not None:
            agree(found, expected, source, processor=processor)
            outcome = CONFIRMED
        held.append((found, plain_contents(found)))
    for found, before in held:
        require(plain_contents(found) == before, "a later frame changed an earlier one's result")
    return outcome
