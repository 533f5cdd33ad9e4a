"""Segmentation: masks compared with the products of prototypes and coefficients, in integer arithmetic where possible."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import kernel_reference
import numpy as np
from assertions import mask_plane
from reference import logit

from . import frames, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, require
from .tensors import KINDS, Array, Quantized, quantize, spoil


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
    options |= dice.some(
        mask_padding=(0.7, (0, 0.0, 3.5, 100.0, None)),
        mask_threshold=(0.2, (0.5, 0.3, 0.9, 1e-6)),
        refit_boxes=(0.1, (True,)),
    )
    width, height = max(head.size[0] // 4, 1), max(head.size[1] // 4, 1)
    random = dice.array
    kind = head.tensor.values.dtype.name if dice.chance(0.9) else dice.pick(KINDS)
    values = random.normal(0, 0.6, (height, width, coefficients)) + random.normal(0, 0.5, (1, 1, coefficients))
    protos, how = spoil(dice, quantize(dice, values, kind, -2, 2))
    array = protos.values.transpose(2, 0, 1) if dice.chance(0.4) else protos.values
    tensors = [yolo.stored(dice, head), protos._replace(values=array[None])]
    if dice.chance(0.3):
        tensors.reverse()
    pixels = yolo.unit(dice, head, options)
    unclear = yolo.ambiguous(head, coefficients) or coefficients in (width, height)
    frame = frames.frame(
        dice, "YoloV8Seg", tensors, head.size, options, reasons=yolo.OTHER_FAMILY,
        unclear=unclear or min(head.size) < 8 or height * width < 2,  # prototypes of one pixel carry no information
        wrong=not 0 < head.anchors <= 65535 or not 8 <= coefficients <= 64, how=(head.how, how), classes=head.classes,
    )  # fmt: skip
    if frame is None:
        return REFUSED
    found, source = frame.found, frame.source
    yolo.in_bounds(found, source, options["max_detections"])
    for d in found:
        _mask_in_bounds(d, source, (width, height))
    expected = yolo.shown(yolo.expected_of(head, pixels, options), source)
    outcome = BOUNDED
    if expected.sure and not unclear:
        rows = [head.tensor._replace(values=head.tensor.values[4 + head.classes :, anchor]) for anchor in expected.anchor]
        step = 0.5 * (head.tensor.scale or 0) * np.array((1, 1) if pixels else head.size)
        if masks_agree(frame, expected, rows, protos, head.size, options, step, frame.processor):
            outcome = CONFIRMED
    if found and dice.chance(0.5):
        yolo.stays_true(dice, frame)
    return outcome


def _mask_in_bounds(d: Any, source: frames.Source, size: tuple[int, int]) -> None:
    mask_plane(d.mask, *size)
    left, top, width, height = source.roi
    middle, rect = d.mask.centroid, d.mask.rect
    require((middle is None) == (d.mask.area == 0), "centroid %r of an area of %d", middle, d.mask.area)
    require(0 <= d.mask.area <= width * height, "area %d in %r", d.mask.area, source.roi)
    corners = [(rect[0], rect[1]), (rect[0] + rect[2] - 1, rect[1] + rect[3] - 1)] if rect else []
    for x, y in [*([middle] if middle else []), *d.mask.outline(), *corners]:
        require(left <= x < left + width and top <= y < top + height, "%r of a mask outside of %r", (x, y), source.roi)


def masks_agree(
    frame: frames.Frame, expected: yolo.Expected, rows: Sequence[Quantized], protos: Quantized, size: tuple[int, int],
    options: dict[str, Any], step: Array, processor: Any = None,
) -> bool:  # fmt: skip
    """Check the detections and their masks. False if rounding decides which detections have a mask.

    rows    the mask coefficients of each expected detection
    step    half a step of the boxes, in input pixels: the default of mask_padding
    """
    padding, overlap = options.get("mask_padding"), options["mask_overlap"]
    pad = step if padding is None else np.full(2, float(padding))
    threshold = logit(options.get("mask_threshold", 0.5))
    planes = [_mask_of(row, protos, box, size, pad, threshold) for row, box in zip(rows, expected.box, strict=True)]
    stay = []
    for i, (inside, clear) in enumerate(planes):
        there = _in_frame(expected.box[i], frame.source, size, inside.shape, pad)
        if there is None or (inside & clear & there).any() != ((inside | ~clear) & there).any():
            return False
        if (inside & there).any():
            stay.append(i)
    if overlap is not None and stay:
        if not all(clear.all() for _, clear in planes):
            return False
        height, width = planes[0][0].shape
        whole = np.array([[0, 0, width, height]] * len(stay))
        inside, classes = np.array([planes[i][0] for i in stay]), expected.class_id[stay]
        parts = [int(overlap * 1024 + 0.5) + e for e in (-1, 0, 1)]
        agnostic = options.get("class_agnostic", False)
        kept = [kernel_reference.suppress_masks(inside, whole, classes, part, agnostic, whole) for part in parts]
        if not kept[0] == kept[1] == kept[2]:
            return False
        stay = [stay[k] for k in kept[1]]
    expected = expected.take(stay)
    if options.get("refit_boxes"):
        expected = expected._replace(box=expected.box * np.nan)  # not compared
    yolo.agree(frame.found, expected, frame.source, processor=processor)
    for d, i in zip(frame.found, stay, strict=True):
        inside, clear = planes[i]
        off = (mask_plane(d.mask, *inside.shape[::-1]) != inside) & clear
        require(not off.any(), "mask differs at %r (rows, columns)", np.argwhere(off)[:5].tolist())
    return True


def _mask_of(
    row: Quantized, protos: Quantized, box: Array, size: tuple[int, int], pad: Array, threshold: float
) -> tuple[Array, Array]:
    """(H, W): the pixels inside a mask, and where that is certain."""
    height, width, _ = protos.values.shape
    if row.scale is not None and protos.scale is not None:
        a, b = row.values.astype(np.int64) - row.zero_point, protos.values.astype(np.int64) - protos.zero_point
        sums, limit = b @ a, threshold / (row.scale * protos.scale)
        # 8-bit values are summed as integers, wider and mixed ones in float32.
        exact = row.values.dtype.itemsize == 1 and protos.values.dtype == row.values.dtype
        doubt = 1.0 * (threshold != 0) if exact else 1 + 1e-6 * (np.abs(b) @ np.abs(a))
    else:
        x, y = row.real(), protos.real()
        sums, limit = y @ x, threshold
        doubt = 1e-5 * (np.abs(y) @ np.abs(x) + abs(threshold) + 1e-30)
    inside = sums > limit
    clear = np.abs(sums - limit) > doubt if np.any(doubt) else np.isfinite(sums)
    # The bytes are fractions of the largest sum. In float32, 1e-10 is 0 compared with 1e30.
    reach = np.abs(np.where(np.isfinite(sums), sums, 0)).max(initial=0)
    clear &= np.isfinite(sums) & (np.abs(sums) < 1e30) & (np.abs(sums - limit) > 1e-30 * reach)
    ratio = np.array([width, height]) / size
    (x1, y1), (x2, y2) = (box[:2] - pad) * ratio, (box[2:] + pad) * ratio
    across, down = np.arange(width), np.arange(height)[:, None]
    crops = [(across >= x1 + e) & (across < x2 - e) & (down >= y1 + e) & (down < y2 - e) for e in (-1e-3, 0.0, 1e-3)]
    clear = (clear | ~crops[0]) & (crops[0] == crops[2]) & np.isfinite(box).all()
    return inside & crops[1], clear


def _in_frame(
    box: Array, source: frames.Source, size: tuple[int, int], shape: tuple[int, int], pad: Array
) -> Array | None:
    """The mask pixels in which a frame pixel of this box has its center. None if rounding decides."""
    x, y, w, h = source.roi
    height, width = shape
    if min(source.scale[0] * size[0] / width, source.scale[1] * size[1] / height) < 1:
        return None  # a frame pixel is larger than a mask pixel: few mask pixels have the center of one in them
    corners = source.boxes(box)
    reach = yolo.rounding(corners, source)
    edges = np.floor(np.clip([corners - reach, corners + reach], (x, y, x, y), (x + w, y + h, x + w, y + h)) + 0.5)
    if (edges[0] != edges[1]).any():
        return None
    seen = []
    for axis, (cells, low, length) in enumerate(((width, x, w), (height, y, h))):
        grown = pad[axis] * source.scale[axis] + 0.5
        if abs(grown - round(grown)) < 1e-3:
            return None
        first, last = edges[0, axis] - int(grown), edges[0, axis + 2] + int(grown)
        at = np.arange(max(first, low), min(last, low + length)) + 0.5 - source.offset[axis]
        at = at / source.scale[axis] * cells / size[axis]
        if (np.floor(at - 1e-3) != np.floor(at + 1e-3)).any() and not np.isclose(at, np.round(at), atol=1e-9).any():
            return None
        hit = np.zeros(cells, bool)
        hit[np.clip(np.floor(at + 1e-6), 0, cells - 1).astype(int)] = True
        seen.append(hit)
    there: Array = seen[1][:, None] & seen[0]
    return there
