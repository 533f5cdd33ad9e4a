"""Split heads in every form, dtype and order, compared with reference.decode_split, its suppression and its masks."""

from __future__ import annotations

from typing import Any

import numpy as np
import reference
from assertions import survivors
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

from . import frames, seg, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, close
from .tensors import Array, Quantized, spoiled

SIZES = ((96, 64), (64, 96), (128, 96), (64, 64), (32, 96), (96, 96), (160, 64), (320, 192))
CLASS_COUNTS = (1, 2, 3, 5, 11, 80, 17)
SCORE_ERROR = 3e-6  # relative, of the kernels' own exponential


def split(dice: Dice) -> str:
    head, form = make_head(dice)
    clean = [Quantized(tensor.values, tensor.scale or None, tensor.zero_point) for tensor in head.tensors(form)]
    tensors, how = spoiled(dice, clean)
    options = yolo.detector_options(dice, head.family, head.class_count)
    if head.family == "YoloV8Seg":
        options.update(mask_padding=0, mask_overlap=None, max_detections=min(options.get("max_detections", 20), 4))
    unclear = how != "nothing" or is_ambiguous(head, form)
    frame = frames.frame(
        dice, head.family, tensors, head.size, options, unclear=unclear,
        forgives=lambda outputs: isinstance(outputs, list) and len(outputs) < len(tensors),  # a head of fewer strides
        how=how, strides=head.strides, form=form, classes=head.class_count, decoded=(head.box_unit, head.probabilities),
    )  # fmt: skip
    if frame is None:
        return REFUSED
    yolo.in_bounds(frame.found, frame.source, options.get("max_detections", 20))
    expected = None if unclear or frame.forgiven else expected_of(head, options)
    outcome = BOUNDED
    if expected is not None and agree(frame, head, yolo.shown(expected, frame.source), options):
        outcome = CONFIRMED
    yolo.stays_true(dice, frame)
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


def expected_of(head: SplitHead, options: dict[str, Any]) -> yolo.Expected | None:
    """The reference's result, or None if rounding decides which detections there are."""
    threshold = options.get("threshold", 0.4)
    if threshold in (0.0, 1.0):
        return None
    runs = [head.candidates(threshold * (1 + e), classes=options.get("classes")) for e in (-1e-5, 0, 1e-5)]
    if len({len(run.anchor) for run in runs}) > 1:
        return None
    found = runs[1]
    step = -np.diff(found.score)
    ends = np.cumsum([t.values.shape[0] * t.values.shape[1] for t in head.scores])
    of_one_map = np.searchsorted(ends, found.anchor, side="right")
    if ((step < SCORE_ERROR) & ((step > 0) | (np.diff(of_one_map) != 0))).any() or (found.score > 0.999999).any():
        return None
    found = found.take(np.arange(min(options.get("max_candidates", 300), len(found.anchor))))
    agnostic, most = options.get("class_agnostic", False), options.get("max_detections", 20)
    if sigma := options.get("nms_sigma", 0):
        kept, score, sure = yolo.soft(found, sigma, threshold, agnostic, most)
        return yolo.as_expected(found.take(kept)._replace(score=score), sure)
    limit = options.get("iou_threshold", 0.5)
    kept_at = [reference.hard_nms(found, limit + e, agnostic)[:most] for e in (-1e-5, 0, 1e-5)]
    return yolo.as_expected(found.take(kept_at[1]), kept_at[0] == kept_at[1] == kept_at[2])


def agree(frame: frames.Frame, head: SplitHead, expected: yolo.Expected, options: dict[str, Any]) -> bool:
    """Check detections, masks and keypoints. False if rounding decides."""
    if not expected.sure:
        return False
    found, processor = frame.found, frame.processor
    part = 2e-4 if processor.nms_sigma else SCORE_ERROR
    if head.prototypes:
        protos = Quantized(head.prototypes.values[0], head.prototypes.scale or None, head.prototypes.zero_point)
        rows = [extra_of(head, int(anchor))[0] for anchor in expected.anchor]
        return seg.masks_agree(frame, expected, rows, protos, head.size, options, np.zeros(2), processor)
    yolo.agree(found, expected, frame.source, part=part, processor=processor)
    boxes = np.reshape([row[3:] for row in survivors(processor)], (-1, 4))
    close("boxes", boxes, expected.box, 1e-6, 2e-4)
    for d, anchor in zip(found if head.extras else (), expected.anchor):
        row, center, stride = extra_of(head, int(anchor))
        points = reference.kpts_decode(row.real()[None], center, stride, yolo26=head.boxes[0].values.shape[2] == 4)
        yolo.keypoints_agree(d, points.reshape(-1, 3)[:, :2], points.reshape(-1, 3)[:, 2], frame.source)
    return True


def extra_of(head: SplitHead, anchor: int) -> tuple[Quantized, Array, int]:
    """The coefficients or keypoints of an anchor, and the center of its cell and the stride."""
    for tensor, stride in zip(head.extras, head.strides, strict=True):
        rows = tensor.values.reshape(-1, tensor.values.shape[2])
        if anchor < len(rows):
            center = reference.cell_centers(len(rows), tensor.values.shape[1])[anchor : anchor + 1]
            return Quantized(rows[anchor], tensor.scale or None, tensor.zero_point), center, stride
        anchor -= len(rows)
    raise AssertionError(f"{anchor} anchors too few")
