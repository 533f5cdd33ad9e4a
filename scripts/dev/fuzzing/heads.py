"""End-to-end heads [1, rows, 6 + ...]. Ultralytics filters their rows only by score, class and number."""

from __future__ import annotations

import numpy as np
import reference

from . import frames, seg, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, same
from .tensors import KINDS, Quantized, quantize, spoil

SIZES = ((32, 32), (64, 64), (96, 64), (320, 320), (640, 480))
ROWS = (10, 30, 50, 1, 2, 300, 6, 7)
COUNTS = {size: {yolo.anchor_count(size, strides) for strides in set(yolo.STRIDES)} for size in (*SIZES, (48, 32))}


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
    unit = (1, 1) if pixels else size
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
    tensor, how = spoil(dice, quantize(dice, values, kind, min(-0.1, float(values.min(initial=0))), top))
    options = dice.some(
        max_detections=(0.5, (1, 2, 5, 300, 65535)),
        classes=(0.3, (sorted({dice.whole(0, classes - 1) for _ in range(2)}),)),
        iou_threshold=(0.3, (dice.between(0, 1),)),  # which cannot identify such a head
        labels=(0.3, ([f"thing {i}" for i in range(classes)],)),
    )
    options |= {"threshold": dice.pick((0.25, 0.0123, 0.5, 0.777, 1.0)), "box_units": yolo.units_of(pixels)}
    turned = dice.chance(0.1)
    array = tensor.values.T if turned else tensor.values
    array = array.reshape(dice.pick(((1, *array.shape), (1, 1, *array.shape), (1, *array.shape, 1))))
    tensors = [tensor._replace(values=array)]
    if coefficients:
        protos = quantize(dice, random.normal(0, 0.6, (size[1] // 4, size[0] // 4, coefficients)) - 0.2, kind, -2, 2)
        tensors.append(protos._replace(values=protos.values[None].copy()))
        options.update(mask_overlap=None, mask_padding=0, max_detections=dice.pick((2, 1, 5)))
        if dice.chance(0.5):
            tensors.reverse()
    if keypoints:
        options["score_type"] = "probability"
    # Class numbers survive quantization with an error of half a step and a twentieth.
    clear = how == "nothing" and COUNTS[size].isdisjoint(array.shape)
    known = clear and (tensor.scale is None or tensor.scale < 0.8) and options.get("classes") != [classes]
    family = "YoloV8Pose" if keypoints else "YoloV8Seg" if coefficients else "YoloV8"
    frame = frames.frame(dice, family, tensors, size, options, unclear=not known, classes=classes, how=how)
    if frame is None:
        return REFUSED
    found, source = frame.found, frame.source
    yolo.in_bounds(found, source, options.get("max_detections", 20))
    spoken = bool((tensor.real(tensor.values[:, 4]) > 0).any())  # if all scores become 0, so may the order
    clear = clear and (not coefficients or len({*size, 4 * coefficients}) == len(set(size)) + 1)
    # If transposed, so many rows may also be columns of keypoints with plausible numbers. Then a later frame decides.
    clear = clear and not (turned and keypoints and rows > 6 and rows % 3 == 0)
    outcome = BOUNDED
    if clear and array.shape.count(6 + more) == 1 and spoken:
        expected = reference.end_to_end(
            tensor.values, yolo.cut_of(options["threshold"], tensor), scale=tensor.scale, zero_point=tensor.zero_point,
            box_unit=unit, classes=options.get("classes"), max_detections=options.get("max_detections", 20),
        )  # fmt: skip
        # The number of the row stays in `anchor`.
        seen = yolo.shown(yolo.as_expected(expected), source)
        if not seen.sure:
            return outcome
        if coefficients:
            coefs = [Quantized(tensor.values[row, 6:], tensor.scale, tensor.zero_point) for row in seen.anchor]
            if not seg.masks_agree(frame, seen, coefs, protos, size, options, np.zeros(2)):
                return outcome
        else:
            yolo.agree(found, seen, source, part=1e-5)
        for d in found if "labels" in options else ():  # beyond them, because of coarse steps, the number as text
            same("label", d.label, f"thing {d.class_id}" if d.class_id < classes else str(d.class_id))
        for d, row in zip(found if keypoints else (), seen.anchor):
            points = tensor.real(tensor.values[row, 6:]).reshape(-1, 3)
            yolo.keypoints_agree(d, points[:, :2] * unit, points[:, 2], source)
        outcome = CONFIRMED
    yolo.stays_true(dice, frame)
    return outcome
