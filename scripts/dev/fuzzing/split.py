"""Split heads in every form, dtype and order, compared with reference.decode_split, its suppression and its masks."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import reference
from assertions import shown_pixels, survivors
from synthetic_split_heads import (
    KINDS,
    SCALES,
    STRIDES,
    USUAL,
    Form,
    SplitHead,
    random_decoded_head,
    random_split_head,
)

from . import frames, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .tensors import Array, Model, Quantized, handed_over, placed, spoil, tampered

SIZES = ((96, 64), (64, 96), (128, 96), (64, 64), (32, 96), (96, 96), (160, 64), (320, 192))
CLASS_COUNTS = (1, 2, 3, 5, 11, 80, 17)
SCORE_ERROR = 3e-6  # relative, of the kernels' own exponential


def split(dice: Dice) -> str:
    head, form = make_head(dice)
    tensors, how = spoiled(dice, head, form)
    options = options_of(dice, head)
    dense = True
    for i, tensor in enumerate(tensors):
        values, accepted = placed(dice, tensor.values) if dice.chance(0.1) else (tensor.values, True)
        tensors[i], dense = tensor._replace(values=values), dense and accepted
    model = Model(tensors, head.size)
    source = frames.source(dice, head.size)
    wrong = tampered(dice, model)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange or not dense
    dice.tell(family=head.family, size=head.size, strides=head.strides, form=form, how=how, classes=head.class_count,
              shapes=[t.values.shape for t in tensors], kinds=[t.values.dtype.name for t in tensors],
              scales=[t[1:] for t in tensors], decoded=(head.box_unit, head.probabilities), options=options,
              input=source)  # fmt: skip
    processor = getattr(n6post, head.family)(**options)
    found, refused = attempt(processor, model, [source.given], outputs)
    unclear = how != "nothing" or is_ambiguous(head, form)
    if found is None:
        require(wrong or unclear, "refused a valid head: %s", refused)
        return REFUSED
    fewer = isinstance(outputs, list) and len(outputs) < len(tensors)  # may be a head of fewer strides
    require(not wrong or fewer, "accepted input that has to be refused")
    yolo.in_bounds(found, source, options["max_detections"])
    expected = None if unclear or wrong else expected_of(head, options)
    outcome = BOUNDED
    if expected is not None and agree(found, processor, head, yolo.shown(expected, source), source):
        outcome = CONFIRMED
    yolo.stays_true(dice, found, processor, model, source)
    return outcome


def make_head(dice: Dice) -> tuple[SplitHead, Form]:
    size = dice.pick(SIZES)
    strides = dice.pick((USUAL, USUAL, *STRIDES))
    if min(size) < strides[-1]:
        strides = USUAL
    family = dice.pick(("boxes", "boxes", "keypoints", "masks"))
    extra: dict[str, Any] = {}
    if family == "masks":
        extra = {"coefficients": dice.pick((9, 8, 16))}
        size = size if size[0] * size[1] < 20_000 else (96, 64)  # a mask takes long with the stand-ins
    elif family == "keypoints":
        extra = {"keypoints": dice.pick((17, 5, 1, 4))}
    kinds = dice.pick((("int8",), ("uint8",), ("int16",), ("float32",), KINDS, KINDS[::-1]))
    options = {"class_count": dice.pick(CLASS_COUNTS), "kinds": kinds, "objects": dice.pick((3, 1, 6, 0, 12)), **extra}
    seed = dice.whole(0, 1 << 30)
    planes, order = dice.pick(("none", "all", "some")), dice.whole(1, 1 << 20)
    if dice.chance(0.15) and family != "keypoints":
        pixels, probabilities = dice.chance(0.5), dice.chance(0.5)
        head = random_decoded_head(seed, size, strides=strides, pixels=pixels, probabilities=probabilities, **options)
        return head, Form("concatenated", dice.pick(("apart", "concatenated")), planes, order)
    scales = dice.pick(SCALES)
    bins = 1 if scales.name != "strides" and dice.chance(0.3) else 16
    head = random_split_head(seed, size, strides, bins=bins, shared=scales.name, **options)
    parts = "joined" if scales.name == "strides" else dice.pick(scales.parts)
    return head, Form(parts, dice.pick(scales.extras), planes, order)


def is_ambiguous(head: SplitHead, form: Form) -> bool:
    """Whether the shapes leave something open. Then the numbers decide, or a refusal says so."""
    boxes = head.boxes[0].values.shape[2]
    extra = head.extras[0].values.shape[2] if head.extras else 0
    if len({boxes, head.class_count, extra}) < 3 or head.family == "YoloV8Pose" and head.class_count % 3 == 0:
        return True
    if head.prototypes and len(set(head.prototypes.values.shape[1:])) == 1:
        return True
    if form.planes == "some" and any(len(set(t.values.shape)) == 1 for t in (*head.boxes, *head.scores, *head.extras)):
        return True
    anchors = sum(t.values.shape[0] * t.values.shape[1] for t in head.scores)
    if "concatenated" in form and anchors in (boxes, head.class_count, extra):
        return True
    # Four channels are distances or decoded boxes: a few anchors do not show which.
    return form.parts == "concatenated" and boxes == 4 and anchors < 120


def spoiled(dice: Dice, head: SplitHead, form: Form) -> tuple[list[Quantized], str]:
    """The head's outputs, a few of them with extreme numbers, and what was done to them."""
    tensors, changes = [], set()
    many = dice.chance(0.2)
    for tensor in head.tensors(form):
        quantized, how = Quantized(tensor.values, tensor.scale or None, tensor.zero_point), "nothing"
        if many:
            quantized, how = spoil(dice, quantized)
        tensors.append(quantized)
        changes.add(how)
    return tensors, "nothing" if changes == {"nothing"} else " ".join(sorted(changes - {"nothing"}))


def options_of(dice: Dice, head: SplitHead) -> dict[str, Any]:
    options: dict[str, Any] = {"threshold": dice.pick((0.25, 0.4, 0.05, 0.6, 0.9, dice.between(0.01, 0.99)))}
    if dice.chance(0.05):
        options["threshold"] = dice.pick((0.0, 1.0))
    options["iou_threshold"] = dice.pick((0.5, 0.7, 0.3, 1.0, dice.between(0, 1)))
    options["max_detections"] = dice.pick((20, 1, 5, 300))
    if dice.chance(0.3):
        options["max_candidates"] = dice.pick((1, 3, 20, 2000))
    if dice.chance(0.1):
        options["nms_sigma"] = dice.pick((0.5, 0.1, 2.0))
    if dice.chance(0.3):
        options["class_agnostic"] = True
    if dice.chance(0.2):
        options["classes"] = sorted({dice.whole(0, head.class_count - 1) for _ in range(dice.whole(1, 3))})
    if head.family == "YoloV8Seg":
        options.update(mask_padding=0, mask_overlap=None, max_detections=min(options["max_detections"], 4))
    return options


def expected_of(head: SplitHead, options: dict[str, Any]) -> yolo.Expected | None:
    """The reference's result, or None if rounding decides which detections there are."""
    threshold = options["threshold"]
    if threshold in (0.0, 1.0):
        return None
    limits: dict[str, Any] = {"classes": options.get("classes")}
    runs = [head.candidates(threshold * (1 + e), **limits) for e in (-1e-5, 0, 1e-5)]
    if len({len(run.anchor) for run in runs}) > 1:
        return None
    candidates = runs[1]
    step = -np.diff(candidates.score)
    most = options.get("max_candidates", 300)
    of_one_map = np.searchsorted(np.cumsum([t.values.shape[0] * t.values.shape[1] for t in head.scores]),
                                 candidates.anchor, side="right")  # fmt: skip
    if ((step < SCORE_ERROR) & ((step > 0) | (np.diff(of_one_map) != 0))).any() or (candidates.score > 0.999999).any():
        return None
    candidates = candidates.take(np.arange(min(most, len(candidates.anchor))))
    found: dict[str, Any] = {"class_agnostic": options.get("class_agnostic", False)}
    sure = True
    if sigma := options.get("nms_sigma", 0):
        kept, score, sure = yolo.soft(candidates, sigma, threshold, found["class_agnostic"], options["max_detections"])
        result = candidates.take(kept)._replace(score=score)
    else:
        found["max_detections"] = options["max_detections"]
        several = [reference.suppress(candidates, options["iou_threshold"] + e, **found) for e in (-1e-5, 0, 1e-5)]
        result = several[1]
        sure = all(np.array_equal(one.anchor, result.anchor) for one in several)
    if not sure:
        return None
    return yolo.Expected(result.anchor, result.class_id, result.score, result.box.astype(np.float64), True)


def agree(found: Any, processor: Any, head: SplitHead, expected: yolo.Expected, source: frames.Source) -> bool:
    """Check detections, masks and keypoints. False if rounding decides."""
    if not expected.sure:
        return False
    masks = head.family == "YoloV8Seg"
    rows = survivors(processor, found if masks else None)
    if masks:  # those without a pixel are dropped
        at = [expected.anchor.tolist().index(row[0]) if row[0] in expected.anchor else -1 for row in rows]
        require(-1 not in at and at == sorted(at), "anchors %r, expected %r", [r[0] for r in rows], expected.anchor.tolist())
        planes = [head.mask(int(a), b) for a, b in zip(expected.anchor, expected.box, strict=True)]
        for i in set(range(len(planes))) - set(at):
            plane, unclear = planes[i]
            whole = source.scale == (1, 1) and source.offset == (0, 0)  # else its pixels may lie beside the frame
            seen = shown_pixels(plane & ~unclear, expected.box[i], step=head.strides[0] // 2)
            require(not whole or not seen, "no mask for anchor %d", expected.anchor[i])
        expected = yolo.Expected(*(column[at] for column in expected[:4]), True)
        planes = [planes[i] for i in at]
    yolo.detections_agree(found, processor, expected, source, None)
    boxes = np.reshape([row[3:] for row in rows], (-1, 4))
    require(np.allclose(boxes, expected.box, rtol=1e-6, atol=2e-4), "boxes %r, expected %r", boxes, expected.box)
    require(np.allclose([row[2] for row in rows], expected.score, rtol=2e-4 if processor.nms_sigma else SCORE_ERROR),
            "scores %r, expected %r", [row[2] for row in rows], expected.score)  # fmt: skip
    for i, d in enumerate(found):
        if masks:
            same_mask(d, *planes[i])
        if head.family == "YoloV8Pose":
            same_keypoints(d, head, int(expected.anchor[i]), source)
    return True


def same_mask(d: Any, plane: Array, unclear: Array) -> None:
    got = np.zeros_like(plane)
    x, y, w, h = d.mask._parts()[2]
    if d.mask.image is not None:
        got[y : y + h, x : x + w] = np.frombuffer(bytes(d.mask.image.bytearray()), np.uint8).reshape(h, w) >= 128
    off = (got != plane) & ~unclear
    require(not off.any(), "mask differs at %r (rows, columns) of crop %r", np.argwhere(off)[:5].tolist(), (x, y, w, h))


def same_keypoints(d: Any, head: SplitHead, anchor: int, source: frames.Source) -> None:
    left, top, width, height = source.roi
    got = np.array(d.keypoints.tolist())
    expected = keypoints_of(head, anchor)
    points = np.clip(source.points(expected[:, :2]), (left, top), (left + width, top + height))
    reach = (1e-3 + 2e-6 * np.abs(source.roi).max()) * max(1.0, *source.scale)
    require(not source.clear or np.allclose(got[:, :2], points, atol=reach), "keypoints %r, expected %r", got, points)
    require(np.allclose(got[:, 2], expected[:, 2], rtol=1e-5, atol=1e-6), "keypoint scores %r, expected %r",
            got[:, 2], expected[:, 2])  # fmt: skip


def keypoints_of(head: SplitHead, anchor: int) -> Array:
    for level in head.levels():
        if anchor < len(level.extra):
            center = reference.cell_centers(len(level.extra), level.columns)[anchor : anchor + 1]
            yolo26 = level.boxes.shape[1] == 4
            return reference.kpts_decode(level.extra[anchor : anchor + 1], center, level.stride, yolo26).reshape(-1, 3)
        anchor -= len(level.extra)
    raise AssertionError(f"{anchor} anchors too few")


