"""Segmentation: masks compared with the products of prototypes and coefficients, in integer arithmetic where possible."""

from __future__ import annotations

from typing import Any

import kernel_reference
import n6post
import numpy as np

from . import frames, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .tensors import KINDS, Array, Model, Quantized, handed_over, placed, quantize, spoil, tampered


def seg(dice: Dice) -> str:
    """Masks are the products of prototypes and the anchor's coefficients, cropped to the box, in integers where possible."""
    coefficients = dice.pick((9, 10, 12, 8, 9, 16))
    if dice.chance(0.06):
        coefficients = dice.pick((32, 64, 1, 7, 65, 100))
    head = yolo.make_head(dice, coefficients, small=not dice.chance(0.01))
    options = {"max_detections": dice.pick((2, 1, 3, 5)), **yolo.options_of(dice, head)}
    # The models have to be small, because a mask takes a millisecond with the stand-ins.
    options["max_detections"] = min(options["max_detections"], 6)
    options["mask_overlap"] = dice.pick((None, None, 0.8, 0.5))
    if dice.chance(0.7):
        options["mask_padding"] = dice.pick((0, 0.0, 3.5, 100.0, None))
    if dice.chance(0.2):
        options["mask_threshold"] = dice.pick((0.5, 0.3, 0.9, 1e-6))
    if dice.chance(0.1):
        options["refit_boxes"] = True
    width, height = max(head.size[0] // 4, 1), max(head.size[1] // 4, 1)
    random = dice.array
    kind = head.tensor.values.dtype.name if dice.chance(0.9) else dice.pick(KINDS)
    values = random.normal(0, 0.6, (height, width, coefficients)) + random.normal(0, 0.5, (1, 1, coefficients))
    protos, spoiled = spoil(dice, quantize(dice, values, kind, -2, 2))
    planar = dice.chance(0.4)
    array = protos.values.transpose(2, 0, 1) if planar else protos.values
    array, dense = placed(dice, np.ascontiguousarray(array)[None])
    first, also = placed(dice, yolo.stored(dice, head))
    tensors = [head.tensor._replace(values=first), protos._replace(values=array)]
    if dice.chance(0.3):
        tensors.reverse()
    model = Model(tensors, head.size)
    pixels = head.pixels
    if pixels is None:
        pixels = dice.chance(0.5)
        options["box_units"] = yolo.units_of(pixels)
    source = frames.source(dice, head.size)
    wrong = tampered(dice, model)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange
    dice.tell(size=head.size, classes=head.classes, how=(head.how, spoiled), head=first, scale=head.tensor[1:], protos=array,
              protos_scale=protos[1:], options=options, input=source)  # fmt: skip
    processor = n6post.YoloV8Seg(**options)
    found, refused = attempt(processor, model, [source.given], outputs)
    shape = protos.values.shape
    refusable = wrong or not (dense and also) or not 0 < head.anchors <= 65535 or not 8 <= coefficients <= 64
    unclear = yolo.ambiguous(head, coefficients) or len(set(shape)) < 3 and shape[2] in shape[:2]
    if found is None:
        tiny = min(head.size) < 8 or height * width < 2  # prototypes of one pixel carry no information
        require(refusable or unclear or tiny, "refused a valid head: %s", refused)
        return REFUSED
    require(not refusable, "accepted input that has to be refused")
    yolo.in_bounds(found, source, options["max_detections"])
    for d in found:
        _mask_in_bounds(d, source, (shape[1], shape[0]))
    expected = yolo.shown(yolo.expected_of(head, bool(pixels), options), source)
    outcome = BOUNDED
    if expected.sure and not unclear:
        planes, clear = planes_of(head, protos, expected, bool(pixels), options)
        stay, sure = not_empty(planes, clear, expected, options, head, source)
        if sure and options["mask_overlap"] is not None:
            expected = yolo.Expected(*(column[stay] for column in expected[:4]), True)
            planes, clear = planes[stay], clear[stay]
            stay, sure = _distinct(planes, clear, expected, options)
        if sure:
            anchor, class_id, score, box = (column[stay] for column in expected[:4])
            expected = yolo.Expected(anchor, class_id, score, box, True)
            refit = options.get("refit_boxes", False)
            yolo.detections_agree(found, processor, expected if not refit else expected._replace(box=expected.box * np.nan),
                             source, None)  # fmt: skip
            for i, d in enumerate(found):
                same_mask(d, planes[stay[i]], clear[stay[i]])
            outcome = CONFIRMED
    if found and dice.chance(0.5):
        yolo.stays_true(dice, found, processor, model, source)
    return outcome


def _mask_in_bounds(d: Any, source: frames.Source, size: tuple[int, int]) -> None:
    x, y, w, h = d.mask._parts()[2]
    require(0 <= x <= x + w <= size[0] and 0 <= y <= y + h <= size[1] or not w or not h, "crop %r", d.mask._parts()[2])
    image = d.mask.image
    require((image is None) == (not w or not h), "an image of a crop %r: %r", d.mask._parts()[2], image)
    require(image is None or (image.width(), image.height()) == (w, h), "an image with a different size than the crop")
    rect = d.mask.rect
    left, top, width, height = source.roi
    middle = d.mask.centroid
    require((middle is None) == (d.mask.area == 0), "centroid %r of an area of %d", middle, d.mask.area)
    require(0 <= d.mask.area <= width * height, "area %d in %r", d.mask.area, source.roi)
    if middle is not None:
        require(left <= middle[0] < left + width and top <= middle[1] < top + height, "centroid %r outside", middle)
    for px, py in d.mask.outline():
        require(left <= px < left + width and top <= py < top + height, "outline at %r outside of %r", (px, py), source.roi)
    if rect is not None:
        require(
            left <= rect[0] < rect[0] + rect[2] <= left + width and top <= rect[1] < rect[1] + rect[3] <= top + height,
            "mask rect %r outside of %r", rect, source.roi,
        )  # fmt: skip


def planes_of(
    head: yolo.Head, protos: Quantized, expected: yolo.Expected, pixels: bool, options: dict[str, Any]
) -> tuple[Array, Array]:
    """(n, H, W): the pixels inside each mask, and where that is certain."""
    tensor = head.tensor
    height, width, _ = protos.values.shape
    n = len(expected.anchor)
    rows = tensor.values[4 + head.classes :, expected.anchor]
    threshold = options.get("mask_threshold", 0.5)
    logit = float(np.log(threshold / (1 - threshold)))
    if tensor.scale is not None and protos.scale is not None:
        a = rows.astype(np.int64) - tensor.zero_point
        b = protos.values.astype(np.int64) - protos.zero_point
        sums = np.einsum("hwk,kn->nhw", b, a)
        limit = logit / (tensor.scale * protos.scale)
        # 8-bit values are summed as integers, wider and mixed ones in float32.
        exact = tensor.values.dtype.itemsize == 1 and protos.values.dtype == tensor.values.dtype
        doubt = 1.0 * (threshold != 0.5) if exact else 1 + 1e-6 * np.einsum("hwk,kn->nhw", np.abs(b), np.abs(a))
    else:
        x, y = tensor.real(rows), protos.real()
        sums = np.einsum("hwk,kn->nhw", y, x)
        limit = logit
        doubt = 1e-5 * (np.einsum("hwk,kn->nhw", np.abs(y), np.abs(x)) + abs(logit) + 1e-30)
    inside = sums > limit
    clear = np.abs(sums - limit) > doubt if np.any(doubt) else np.isfinite(sums)
    # The bytes are fractions of the largest sum. In float32, 1e-10 is 0 compared with 1e30.
    reach = np.abs(np.where(np.isfinite(sums), sums, 0)).max(axis=(1, 2), initial=0, keepdims=True)
    clear &= np.isfinite(sums) & (np.abs(sums) < 1e30) & (np.abs(sums - limit) > 1e-30 * reach)
    unit = np.array((1, 1) if pixels else head.size, dtype=np.float64)
    padding = options.get("mask_padding")
    if padding is None:
        pad = 0 * unit if tensor.scale is None else 0.5 * tensor.scale * unit
    else:
        pad = np.full(2, float(padding))
    ratio = np.array([width, height]) / head.size
    across, down = np.arange(width), np.arange(height)[:, None]
    for i in range(n):
        x1, y1 = (expected.box[i, :2] - pad) * ratio
        x2, y2 = (expected.box[i, 2:] + pad) * ratio
        crops = [
            (across >= x1 + e) & (across < x2 - e) & (down >= y1 + e) & (down < y2 - e) for e in (-1e-3, 0.0, 1e-3)
        ]  # fmt: skip
        inside[i] &= crops[1]
        clear[i] = (clear[i] | ~crops[0]) & (crops[0] == crops[2])
        if not np.isfinite(expected.box[i]).all():
            clear[i] = False
    return inside, clear


def not_empty(
    planes: Array, clear: Array, expected: yolo.Expected, options: dict[str, Any], head: yolo.Head, source: frames.Source
) -> tuple[list[int], bool]:
    """Which masks have a pixel inside among their frame pixels, and whether that is certain."""
    stay = []
    height, width = planes.shape[1:]
    padding, tensor = options.get("mask_padding"), head.tensor
    unit = (1, 1) if head.pixels or options.get("box_units") == "pixels" else head.size
    x, y, w, h = source.roi
    if min(source.scale[0] * head.size[0] / width, source.scale[1] * head.size[1] / height) < 1:
        return [], False  # a frame pixel is larger than a mask pixel: few mask pixels have the center of one in them
    for i, corners in enumerate(source.boxes(expected.box)):
        reach = yolo.rounding(corners, source)
        edges = np.floor(np.clip([corners - reach, corners + reach], (x, y, x, y), (x + w, y + h, x + w, y + h)) + 0.5)
        if (edges[0] != edges[1]).any():
            return [], False
        seen = []
        for axis, (cells, low, size) in enumerate(((width, x, w), (height, y, h))):
            step = (tensor.scale or 0) * unit[axis] / 2 if padding is None else padding
            grown = step * source.scale[axis] + 0.5
            if abs(grown - round(grown)) < 1e-3:
                return [], False
            first, last = edges[0, axis] - int(grown), edges[0, axis + 2] + int(grown)
            at = np.arange(max(first, low), min(last, low + size)) + 0.5 - source.offset[axis]
            at = at / source.scale[axis] * cells / head.size[axis]
            if (np.floor(at - 1e-3) != np.floor(at + 1e-3)).any() and not np.isclose(at, np.round(at), atol=1e-9).any():
                return [], False
            hit = np.zeros(cells, bool)
            hit[np.clip(np.floor(at + 1e-6), 0, cells - 1).astype(int)] = True
            seen.append(hit)
        there = seen[1][:, None] & seen[0]
        least, most = (planes[i] & clear[i] & there).any(), ((planes[i] | ~clear[i]) & there).any()
        if least != most:
            return [], False
        if least:
            stay.append(i)
    return stay, True


def _distinct(planes: Array, clear: Array, expected: yolo.Expected, options: dict[str, Any]) -> tuple[list[int], bool]:
    """Which detections remain, because no better mask covers too much of theirs, and whether that is certain."""
    if not clear.all():
        return [], False
    n, height, width = planes.shape
    results = [
        kernel_reference.suppress_masks(
            planes, np.array([[0, 0, width, height]] * n), expected.class_id, part, options.get("class_agnostic", False),
            np.array([[0, 0, width, height]] * n),
        )
        for part in (int(options["mask_overlap"] * 1024 + 0.5) + e for e in (-1, 0, 1))
    ]
    return results[1], results[0] == results[1] == results[2]


def same_mask(d: Any, plane: Array, clear: Array) -> None:
    got = np.zeros_like(plane)
    x, y, w, h = d.mask._parts()[2]
    if d.mask.image is not None:
        pixels = np.frombuffer(bytes(d.mask.image.bytearray()), np.uint8).reshape(h, w)
        got[y : y + h, x : x + w] = pixels >= 128
    off = (got != plane) & clear
    require(not off.any(), "mask differs at %r (rows, columns) of crop %r", np.argwhere(off)[:5].tolist(), (x, y, w, h))
