"""End-to-end heads [1, rows, 6 + ...]. Ultralytics filters their rows only by score, class and number."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import reference

from . import frames, seg, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .tensors import KINDS, Array, Model, Quantized, placed, quantize, spoil, tampered

SIZES = ((32, 32), (64, 64), (96, 64), (320, 320), (640, 480))
ROWS = (10, 30, 50, 1, 2, 300, 6, 7)


def end2end(dice: Dice) -> str:
    size = dice.pick(SIZES)
    rows = dice.pick(ROWS)
    keypoints = dice.pick((0, 0, 17, 3, 0))
    coefficients = dice.pick((9, 8, 16)) if not keypoints and dice.chance(0.25) else 0
    more = 3 * keypoints + coefficients
    if coefficients:
        size, rows = dice.pick(((32, 32), (48, 32))), min(rows, 30)
    classes = dice.pick((2, 1, 5, 80, 1000))
    kind = dice.pick(KINDS)
    pixels = dice.chance(0.5)
    random = dice.array
    values = np.zeros((rows, 6 + more))
    many = min(rows, dice.pick((3, 1, 5, 0, 8, rows)))
    low = random.uniform(-0.1, 0.8, (many, 2))
    values[:many, :4] = np.concatenate([low, low + random.uniform(0, 0.5, (many, 2))], axis=1)
    scores = random.uniform(0.01, 1, many).round(dice.pick((3, 1)))
    values[:many, 4] = np.sort(scores)[::-1] if dice.chance(0.8) else scores
    values[:many, 5] = random.integers(0, classes, many)
    values[:many, 6:] = random.uniform(0, 1, (many, more))
    if pixels:
        values[:, :4] *= (*size, *size)
        if keypoints:
            values[:, 6:] *= np.tile((*size, 1), keypoints)
    top = max(float(values.max(initial=1)), 1.05)
    clean = quantize(dice, values, kind, min(-0.1, float(values.min(initial=0))), top)
    tensor, how = spoil(dice, clean)
    options = _options(dice, classes)
    options["box_units"] = yolo.units_of(pixels)
    labels = dice.chance(0.3)
    if labels:
        options["labels"] = [f"thing {i}" for i in range(classes)]
    turned = dice.chance(0.1)
    array = np.ascontiguousarray(tensor.values.T if turned else tensor.values)
    array, dense = placed(dice, array.reshape(dice.pick(((1, *array.shape), (1, 1, *array.shape), (1, *array.shape, 1)))))
    tensors = [tensor._replace(values=array)]
    protos = None
    if coefficients:
        shape = size[1] // 4, size[0] // 4, coefficients
        protos = quantize(dice, random.normal(0, 0.6, shape) - 0.2, kind, -2, 2)
        tensors.append(protos._replace(values=protos.values[None].copy()))
        options.update(mask_overlap=None, mask_padding=0, max_detections=dice.pick((2, 1, 5)))
        if dice.chance(0.5):
            tensors.reverse()
    model = Model(tensors, size)
    source = frames.source(dice, size)
    wrong = tampered(dice, model)
    family: Any = n6post.YoloV8Pose if keypoints else n6post.YoloV8Seg if coefficients else n6post.YoloV8
    if keypoints:
        options["score_type"] = "probability"
    dice.tell(size=size, classes=classes, how=how, head=array, scale=tensor[1:], options=options, input=source)
    processor = family(**options)
    found, refused = attempt(processor, model, [source.given], model.outputs())
    if found is None:
        told = not _is_raw(array, size) and how == "nothing" and _numbers_fit(tensor)
        require(wrong or not dense or not told or options.get("classes") == [classes], "refused a valid head: %s", refused)
        return REFUSED
    require(not wrong and dense, "accepted input that has to be refused")
    yolo.in_bounds(found, source, options.get("max_detections", 20))
    outcome = BOUNDED
    spoken = bool((tensor.real(tensor.values[:, 4]) > 0).any())  # if all scores become 0, so may the order
    clear = not coefficients or len({*size, 4 * coefficients}) == len(set(size)) + 1
    # If transposed, so many rows may also be columns of keypoints with plausible numbers. Then a later frame decides.
    clear = clear and not (turned and keypoints and rows > 6 and rows % 3 == 0)
    if how == "nothing" and not _is_raw(array, size) and array.shape.count(6 + more) == 1 and clear and spoken:
        expected = _rows_agree(found, tensor, source, options, size, pixels, labels, protos is not None)
        if expected is None:
            return outcome
        if protos is not None:
            head = yolo.Head(size, 2, tensor._replace(values=tensor.values.T), pixels, how)
            boxes = yolo.Expected(expected.anchor, expected.class_id, expected.score, expected.box.astype(np.float64), True)
            planes, clear = seg.planes_of(head, protos, boxes, pixels, options)
            stay, sure = seg.not_empty(planes, clear, boxes, options, head, source)
            require(not sure or len(stay) == len(found), "%d masks, expected %d", len(found), len(stay))
            for i, d in zip(stay, found):
                seg.same_mask(d, planes[i], clear[i])
        outcome = CONFIRMED
    yolo.stays_true(dice, found, processor, model, source)
    return outcome


def _options(dice: Dice, classes: int) -> dict[str, Any]:
    options: dict[str, Any] = {"threshold": dice.pick((0.25, 0.0123, 0.5, 0.777, 1.0))}
    if dice.chance(0.5):
        options["max_detections"] = dice.pick((1, 2, 5, 300, 65535))
    if dice.chance(0.3):
        options["classes"] = sorted({dice.whole(0, classes - 1) for _ in range(2)})
    if dice.chance(0.3):
        options["iou_threshold"] = dice.between(0, 1)  # which cannot identify such a head
    return options


def _is_raw(array: Array, size: tuple[int, int]) -> bool:
    """Whether its shape is also possible for a raw head."""
    counts = {yolo.anchor_count(size, strides) for strides in set(yolo.STRIDES)}
    return bool(counts & set(array.shape))


def _numbers_fit(tensor: Quantized) -> bool:
    """Whether the class numbers survive quantization: lib accepts an error of half a step and a twentieth."""
    return tensor.scale is None or tensor.scale < 0.8


def _rows_agree(
    found: Any,
    tensor: Quantized,
    source: frames.Source,
    options: dict[str, Any],
    size: tuple[int, int],
    pixels: bool,
    labels: bool,
    masks: bool,
) -> reference.Candidates | None:
    """Compare classes, scores, rects and keypoints of the relevant rows. Returns these rows, or None if rounding decides.

    With masks, detections with an empty mask may be missing. Then only the number of detections is checked.
    """
    threshold = yolo.cut_of(options["threshold"], tensor)
    expected = reference.end_to_end(
        tensor.values, threshold, scale=tensor.scale, zero_point=tensor.zero_point, box_unit=(1, 1) if pixels else size,
        classes=options.get("classes"), max_detections=options.get("max_detections", 20),
    )  # fmt: skip
    sure = yolo.Expected(np.arange(len(expected.anchor)), *expected[1:3], expected.box.astype(np.float64), True)
    seen = yolo.shown(sure, source)
    if not seen.sure:
        return None
    expected = expected.take(seen.anchor)
    if masks and len(found) != len(expected.anchor):
        require(len(found) < len(expected.anchor), "%d detections, expected %d", len(found), len(expected.anchor))
        return expected
    require([d.class_id for d in found] == expected.class_id.tolist(), "classes %r, expected %r",
            [d.class_id for d in found], expected.class_id.tolist())  # fmt: skip
    require(np.allclose([d.score for d in found], expected.score, rtol=1e-5), "scores %r, expected %r",
            [d.score for d in found], expected.score)  # fmt: skip
    for d in found:
        known = d.class_id < len(options.get("labels", ()))  # beyond them, because of coarse steps, the number as text
        wanted = f"thing {d.class_id}" if known else str(d.class_id)
        require(not labels or d.label == wanted, "label %r of class %d", d.label, d.class_id)
    if source.clear and len(found):
        yolo.rects_agree(found, expected.box.astype(np.float64), source)
    left, top, width, height = source.roi
    for d, extra in zip(found, expected.extra, strict=True):
        if d.keypoints is None:
            continue
        points = np.array(d.keypoints.tolist())
        wanted_points = source.points(extra.reshape(-1, 3)[:, :2].astype(np.float64) * ((1, 1) if pixels else size))
        wanted_points = np.clip(wanted_points, (left, top), (left + width, top + height))
        reach = (1e-3 + 2e-6 * np.abs(source.roi).max()) * max(1.0, *source.scale)
        require(not source.clear or np.allclose(points[:, :2], wanted_points, atol=reach), "keypoints %r, expected %r",
                points[:, :2], wanted_points)  # fmt: skip
        require(np.allclose(points[:, 2], extra.reshape(-1, 3)[:, 2], rtol=1e-4, atol=1e-5), "scores of keypoints")
    return expected
