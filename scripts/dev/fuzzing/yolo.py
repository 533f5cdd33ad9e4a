"""Detection and pose: heads of every kind, compared with reference.decode and a suppression in integers."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any, NamedTuple

import n6post
import numpy as np
import reference
from assertions import survivors
from synthetic_heads import anchor_count

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .tensors import KINDS, Array, Model, Quantized, handed_over, placed, quantize, spoil, tampered

SIZES = ((48, 32), (32, 32), (32, 48), (64, 32), (32, 64), (48, 40), (64, 64), (96, 32), (33, 47), (48, 32))
RARE_SIZES = ((16, 16), (8, 8), (7, 7), (8, 200), (128, 96), (160, 160))
LARGE_SIZES = ((320, 320), (640, 640), (640, 480), (1632, 1960), (128, 24968))  # 65,535 and 65,536 anchors
CLASS_COUNTS = (1, 2, 3, 4, 5, 7, 1, 3, 80)
MANY_CLASSES = (300, 1000)


STRIDES = ((8, 16, 32),) * 8 + ((4, 8, 16, 32), (8, 16, 32, 64), (16, 32))


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
    sure: bool


def cut_of(threshold: float, tensor: Quantized) -> float:
    """The threshold for reference.decode: between the largest integer that fails and the smallest that passes."""
    if tensor.scale is None:
        return threshold
    steps = threshold / tensor.scale
    # On the camera .4 / (1 / 255) must be 102 as it is in decimals.
    cut = round(steps) if abs(steps - round(steps)) <= 1e-6 * abs(steps) else int(np.ceil(steps))
    return (cut - 0.5) * tensor.scale


def expected_of(head: Head, pixels: bool, options: dict[str, Any]) -> Expected:
    tensor = head.tensor
    threshold = options.get("threshold", 0.4)
    with np.errstate(all="ignore"):
        found = reference.decode(
            tensor.values,
            head.classes,
            cut_of(threshold, tensor),
            scale=tensor.scale,
            zero_point=tensor.zero_point,
            box_unit=(1, 1) if pixels else head.size,
            classes=_numbers(options.get("classes")),
            max_candidates=options.get("max_candidates", 300),
        )
    most = options.get("max_detections", 20)
    sigma = options.get("nms_sigma", 0)
    class_agnostic = options.get("class_agnostic", False)
    if sigma:
        kept, score, sure = soft(found, sigma, threshold, class_agnostic, most)
        found = found.take(kept)._replace(score=score)
    else:
        raw = tensor.values[:4, found.anchor]
        kept, sure = hard(raw, tensor, found.class_id, options.get("iou_threshold", 0.5), class_agnostic, most)
        found = found.take(kept)
    return Expected(found.anchor, found.class_id, found.score, found.box.astype(np.float64), sure)


def _numbers(classes: Any) -> list[int] | None:
    if classes is None:
        return None
    return [int(one.removeprefix("thing ")) if isinstance(one, str) else one for one in classes]


def hard(
    raw: Array, tensor: Quantized, group: Array, threshold: float, class_agnostic: bool, most: int
) -> tuple[list[int], bool]:
    """The remaining positions, and whether they are independent of rounding; in integers if the head has integers.

    Ultralytics' rule: IoU above the threshold, not at it.
    """
    whole = tensor.scale is not None
    values = raw.astype(np.int64) - tensor.zero_point if whole else raw.astype(np.float64)
    if not whole and not (np.abs(values) < 1e6).all():
        return list(range(min(most, raw.shape[1]))), False
    low, high = 2 * values[:2] - values[2:], 2 * values[:2] + values[2:]
    area = (high - low).prod(axis=0)
    limit = Fraction(str(threshold))
    exact = whole and limit.denominator <= 10_000
    # The error of float32 corners for a box that is small compared with its coordinates.
    sides = np.abs(high - low).min(axis=0) if raw.size else area
    slack: Any = 1e-6 if whole else 2e-6 + np.minimum(3e-7 * np.abs(high).max(initial=1) / np.maximum(sides, 1e-30), 1)
    alive = np.ones(raw.shape[1], bool)
    kept: list[int] = []
    sure = True
    for at in range(raw.shape[1]):
        if not alive[at]:
            continue
        if len(kept) == most:
            break
        kept.append(at)
        width = np.minimum(high, high[:, at : at + 1]) - np.maximum(low, low[:, at : at + 1])
        inter = np.maximum(width, 0).prod(axis=0)
        union = area + area[at] - inter
        rivals = alive & (inter > 0)
        rivals[: at + 1] = False
        if not class_agnostic:
            rivals &= group == group[at]
        if not rivals.any():
            continue
        ratio = inter / np.where(rivals, union, 1)
        over = inter * limit.denominator > limit.numerator * union if exact else ratio > threshold
        equal = inter * limit.denominator == limit.numerator * union if exact else False
        near = np.abs(ratio - threshold) <= (slack if whole else np.maximum(slack, slack[at]))
        if (rivals & near & ~(equal & (union < 1 << 24))).any():
            sure = False
        alive &= ~(rivals & over)
    return kept, sure


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
        require(
            left <= x < x + w <= left + width and top <= y < y + h <= top + height,
            "rect %r outside of the frame's part %r", d.rect, source.roi,
        )  # fmt: skip
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
    return Expected(*(column[most] for column in expected[:4]), sure)


def detections_agree(found: Any, processor: Any, expected: Expected, source: frames.Source, names: Any) -> None:
    """Check that anchors, classes, scores and boxes are the expected ones, in order."""
    rows = survivors(processor, found if isinstance(processor, n6post.YoloV8Seg) else None)
    require([row[0] for row in rows] == expected.anchor.tolist(), "anchors %r, expected %r",
            [row[0] for row in rows], expected.anchor.tolist())  # fmt: skip
    require([d.class_id for d in found] == expected.class_id.tolist(), "classes %r, expected %r",
            [d.class_id for d in found], expected.class_id.tolist())  # fmt: skip
    scores = np.array([d.score for d in found])
    require(np.allclose(scores, expected.score, rtol=2e-4), "scores %r, expected %r", scores, expected.score)
    for d in found:
        if names is not None:
            require(d.label == names(d.class_id), "label %r of class %d", d.label, d.class_id)
    if source.clear and len(found) and np.isfinite(expected.box).all():
        rects_agree(found, expected.box, source)


def plain_contents(found: Any) -> list[Any]:
    """Copy the values in a list of detections."""
    said = []
    for d in found:
        mask = d.mask and (d.mask._parts()[2], bytes(d.mask.image.bytearray()) if d.mask.image else b"", d.mask._parts()[3])
        points = None if d.keypoints is None else repr(d.keypoints.tolist())
        said.append((d.rect, d.score, d.class_id, d.label, mask, points))
    return said


# --- options -----------------------------------------------------------------------------------------------------------
def options_of(dice: Dice, head: Head) -> dict[str, Any]:
    """Valid options; most keep their default."""
    options: dict[str, Any] = {}
    if dice.chance(0.8):
        scale = head.tensor.scale
        at = dice.pick((0.3, 0.1, 0.6, 0.0, 1.0, dice.between(0, 1)))
        if scale and dice.chance(0.5):  # half a step from every score, or exactly at one
            at = min((int(at / scale) + dice.pick((0.5, 0.0))) * scale, 1.0)
        options["threshold"] = at
    if dice.chance(0.7):
        options["iou_threshold"] = dice.pick((0.5, 0.25, 0.2, 0.75, 0.6, 0.0, 1.0, dice.between(0, 1)))
    if dice.chance(0.1):
        options["nms_sigma"] = dice.pick((0.5, 0.1, 2.0, 1e-9, 1e6))
    if dice.chance(0.4):
        options["max_detections"] = dice.pick((1, 2, 5, 100, 65535))
    if dice.chance(0.3):
        options["max_candidates"] = dice.pick((1, 3, 20, 2000))
    if dice.chance(0.3):
        options["class_agnostic"] = True
    if dice.chance(0.2):
        options["classes"] = sorted({dice.whole(0, head.classes - 1) for _ in range(dice.whole(1, 3))})
    x, y, w, h = head.tensor.values[:4]
    if np.mean((w > x) & (h > y)) > 0.9:  # as corners have it
        options["box_order"] = "xywh"
    return options


def stored(dice: Dice, head: Head) -> Array:
    """The head's array with a layout that a converter may produce."""
    values = head.tensor.values
    if dice.chance(0.4):
        values = np.ascontiguousarray(values.T)
    shape = values.shape
    return values.reshape(dice.pick(((1, *shape), (1, *shape), (1, *shape), shape, (1, 1, *shape), (1, *shape, 1))))


def like_another_family(refused: str) -> bool:
    """Whether a head without labels was refused for its numbers (families/family_check.py), which are random here."""
    yolov8 = r"^expected boxes and class scores of YOLOv8, got numbers in .* as of |^no family of n6post decodes YOLOv6 "
    return re.search(yolov8 + "|^expected keypoint scores from 0 to 1, got ", refused) is not None


def ambiguous(head: Head, extra: int) -> bool:
    """Whether the shape alone does not identify this kind of head. Then its numbers decide, without a reference."""
    channels, anchors = head.tensor.values.shape
    counts = {anchor_count(head.size, strides) for strides in set(STRIDES)}
    if extra < 0 and (channels % 3 == 0 or anchors % 3 == 0 and 6 < anchors <= 405 and channels <= 300):
        return True
    return channels in counts or channels == anchors or channels - 6 == extra


def naming(dice: Dice, head: Head, options: dict[str, Any], model: Model) -> Any:
    """Name the classes, or not. Returns the expected label of a class, or None if the reference does not know it."""
    how = dice.pick(("none", "labels", "labels", "model", "dict"))
    names = [f"thing {i}" for i in range(head.classes)]
    if how == "none":
        return None if head.classes in (80, 1) else str
    if how == "model":
        model.labels = names
    else:
        options["labels"] = dict(enumerate(names)) if how == "dict" else names
    if "classes" in options and dice.chance(0.5):
        options["classes"] = [f"thing {one}" for one in options["classes"]]
    return lambda class_id: f"thing {class_id}"


def stays_true(
    dice: Dice, found: Any, processor: Any, model: Model, source: frames.Source, contents: Any = plain_contents
) -> None:
    """Check that the result does not change when the model's memory is overwritten, nor after the next frame."""
    before = contents(found)
    if dice.chance(0.1):
        for values in model.memory:
            values[...] = np.roll(values, 3, axis=int(np.argmax(values.shape)))
        attempt(processor, model, [source.given], model.outputs())
        require(contents(found) == before, "the next frame changed this one's result")
    model.overwrite()
    require(contents(found) == before, "the result changed with the model's memory")


# --- the areas ---------------------------------------------------------------------------------------------------------
def boxes(dice: Dice) -> str:
    return _case(dice, make_head(dice, 0), n6post.YoloV8, 0)


def _case(dice: Dice, head: Head, kind: Any, extra: int) -> str:
    options = options_of(dice, head)
    values, dense = placed(dice, stored(dice, head))
    model = Model([head.tensor._replace(values=values)], head.size, nhwc=not dice.chance(0.1))
    names = naming(dice, head, options, model)
    pixels = head.pixels
    if dice.chance(0.3) or pixels is None:
        pixels = dice.chance(0.5) if pixels is None else pixels
        options["box_units"] = units_of(pixels)
    source = frames.source(dice, head.size)
    wrong = tampered(dice, model)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange
    dice.tell(size=head.size, classes=head.classes, how=head.how, head=values, scale=head.tensor[1:], options=options,
              kind=kind.__name__, input=source)  # fmt: skip
    processor = kind(**options)
    given = head.tensor.values.copy() if dice.chance(0.1) else None
    found, refused = attempt(processor, model, [source.given], outputs)
    refusable = wrong or not dense or not 0 < head.anchors <= 65535
    if found is None:
        unclear = ambiguous(head, extra) or like_another_family(refused)
        require(refusable or unclear, "refused a valid head: %s", refused)
        return REFUSED
    require(not refusable, "accepted input that has to be refused")
    most = options.get("max_detections", 20)
    in_bounds(found, source, most)
    if given is not None:
        require(np.array_equal(given.view(np.uint8), head.tensor.values.view(np.uint8)), "it wrote into the model's memory")
    expected = shown(expected_of(head, bool(pixels), options), source)
    require(len(found) <= len(expected.anchor) or not expected.sure or ambiguous(head, extra), "more than the candidates")
    outcome = BOUNDED
    if expected.sure and not ambiguous(head, extra):
        detections_agree(found, processor, expected, source, names)
        outcome = CONFIRMED
    stays_true(dice, found, processor, model, source)
    return outcome


def pose(dice: Dice) -> str:
    """Check that keypoints are those of the anchor's column, mapped to the frame and clipped like boxes."""
    keypoints = dice.pick((17, 1, 3, 13, 5))
    head = make_head(dice, 3 * keypoints)
    if ambiguous(head, -1) and dice.chance(0.7):  # most small sizes are: the reference should judge more than a third
        head = make_head(dice, 3 * keypoints)
    options = options_of(dice, head)
    if head.classes > 1 or dice.chance(0.2):
        options["class_count"] = head.classes
    if dice.chance(0.7):  # without labels most random heads are refused: see like_another_family
        options["labels"] = [f"thing {i}" for i in range(head.classes)]
    scores = dice.pick(("probability", "logit", None))
    if scores:
        options["score_type"] = scores
    if dice.chance(0.2):
        options["keypoint_threshold"] = dice.pick((0.0, 1.0, 0.3))
    values, dense = placed(dice, stored(dice, head))
    model = Model([head.tensor._replace(values=values)], head.size)
    pixels = head.pixels
    if pixels is None:
        pixels = dice.chance(0.5)
        options["box_units"] = units_of(pixels)
    source = frames.source(dice, head.size)
    wrong = tampered(dice, model)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange
    dice.tell(size=head.size, classes=head.classes, keypoints=keypoints, how=head.how, head=values, scale=head.tensor[1:],
              options=options, input=source)  # fmt: skip
    processor = n6post.YoloV8Pose(**options)
    found, refused = attempt(processor, model, [source.given], outputs)
    refusable = wrong or not dense or not 0 < head.anchors <= 65535
    unclear = ambiguous(head, -1)
    if found is None:
        unclear = unclear or like_another_family(refused)
        require(refusable or unclear, "refused a valid head: %s", refused)
        return REFUSED
    require(not refusable, "accepted input that has to be refused")
    in_bounds(found, source, options.get("max_detections", 20))
    left, top, width, height = source.roi
    logits = None if scores is None else scores == "logit"
    expected = shown(expected_of(head, bool(pixels), options), source)
    outcome = BOUNDED
    if expected.sure and not unclear:
        detections_agree(found, processor, expected, source, None)
        outcome = CONFIRMED
    for i, d in enumerate(found):
        points = np.array(d.keypoints.tolist())
        require(d.keypoint_threshold == options.get("keypoint_threshold", 0.5), "threshold %r", d.keypoint_threshold)
        require(points.shape[1] == 3 and not np.isnan(points).any(), "keypoints %r", points)
        require(
            (points[:, :2] >= (left, top)).all() and (points[:, :2] <= (left + width, top + height)).all(),
            "keypoints outside of %r: %r", source.roi, points,
        )  # fmt: skip
        if outcome != CONFIRMED or not source.clear or logits is None:
            continue
        column = head.tensor.real(head.tensor.values[4 + head.classes :, expected.anchor[i]]).reshape(-1, 3)
        wanted = source.points(column[:, :2] * ((1, 1) if pixels else head.size))
        wanted = np.clip(wanted, (left, top), (left + width, top + height))
        score = 1 / (1 + np.exp(-column[:, 2])) if logits else column[:, 2]
        usable: Any = np.isfinite(column).all(axis=1) & (np.abs(column) < 1e6).all(axis=1)
        reach = 1e-3 + 2e-6 * np.abs(source.roi).max() + 1e-6 * np.abs(column[:, :2]).max(initial=0, where=usable[:, None])
        require((np.abs(points[:, :2] - wanted)[usable] < reach * max(1, *source.scale)).all(), "keypoints %r, expected %r",
                points[:, :2], wanted)  # fmt: skip
        require(np.allclose(points[:, 2][usable], score[usable], rtol=1e-4, atol=1e-5), "keypoint scores %r, expected %r",
                points[:, 2], score)  # fmt: skip
    stays_true(dice, found, processor, model, source)
    return outcome


# --- several models, one processor -------------------------------------------------------------------------------------
def sequence(dice: Dice) -> str:
    """One processor with several models in turn, raw and as float copies. Each frame has to equal the reference."""
    heads = [make_head(dice, 0, small=True) for _ in range(dice.whole(2, 3))]
    options = options_of(dice, heads[0])
    options.pop("classes", None)
    processor = n6post.YoloV8(**options)
    models = []
    for head in heads:
        if dice.chance(0.4) and head.tensor.scale is not None:
            copy = Quantized(head.tensor.real().astype(np.float32))
            head = head._replace(tensor=copy, pixels=appears_in_pixels(copy))
        models.append((head, Model([head.tensor._replace(values=stored(dice, head))], head.size)))
    order = [dice.whole(0, len(models) - 1) for _ in range(dice.whole(2, 6))]
    dice.tell(heads=[(h.size, h.classes, h.how, h.tensor.values) for h in heads], options=options, order=order)
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
        if found is None:
            unclear = ambiguous(head, 0) or like_another_family(refused)
            require(not head.anchors or unclear, "refused a valid head: %s", refused)
            continue
        in_bounds(found, source, options.get("max_detections", 20))
        if not ambiguous(head, 0) and head.pixels is not None:
            expected = shown(expected_of(head, head.pixels, options), source)
            if expected.sure:
                detections_agree(found, processor, expected, source, None)
                outcome = CONFIRMED
        held.append((found, plain_contents(found)))
    for found, before in held:
        require(plain_contents(found) == before, "a later frame changed an earlier one's result")
    return outcome
