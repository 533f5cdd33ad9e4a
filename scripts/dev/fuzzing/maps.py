"""Class maps and heatmaps: DeepLab compared with numpy's argmax for each frame pixel, MoveNet with numpy's peaks."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import reference

from . import frames, yolo
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .tensors import KINDS, Array, Quantized, quantize, spoil

MAPS = ((8, 8), (16, 12), (5, 7), (9, 16), (1, 1), (13, 8))  # width, height
LARGE_MAPS = ((320, 320), (640, 640), (65, 65), (1, 65535), (40000, 3))


# --- DeepLab -----------------------------------------------------------------------------------------------------------
def deeplab(dice: Dice) -> str:
    """Any map: with class scores, with one channel, or with class numbers."""
    width, height = dice.pick(LARGE_MAPS) if dice.chance(0.003) else dice.pick(MAPS)
    channels = dice.pick((2, 3, 5, 21, 1, 1, 255, 4)) if width * height < 1000 else dice.pick((2, 1))
    times = dice.pick((4, 1, 8))
    size = min(width * times, 65535), min(height * times, 65535)
    what = dice.pick(("logit", "probability", "classes")) if channels == 1 else "scores"
    random = dice.array
    kind = dice.pick(KINDS)
    if what == "classes":
        clean = Quantized(random.integers(0, dice.pick((3, 2, 21, 256)), (height, width, 1)).astype(kind))
    else:
        low, high = (0.0, 1.0) if what == "probability" else (-4.0, 4.0)
        clean = quantize(dice, random.uniform(low, high, (height, width, channels)), kind, low, high)
    tensor, how = (clean, "nothing") if what == "classes" and dice.chance(0.8) else spoil(dice, clean)
    options: dict[str, Any] = {"layout": dice.pick(("NHWC", "NCHW"))}
    array = tensor.values if options["layout"] == "NHWC" else tensor.values.transpose(2, 0, 1)
    if what == "classes" and dice.chance(0.5) and array.shape[2] == 1:
        array = array[:, :, 0]  # [1, H, W]
    if channels == 1:
        options["output_type"] = "class_ids" if what == "classes" else what
        if what != "classes" and dice.chance(0.5):
            options["threshold"] = dice.pick((0.5, 0.3, 0.9, 0.01))
    classes = 256 if what == "classes" else max(channels, 2)
    options["background"] = dice.pick((0, None, 1, 0, 1, 0, None, classes))
    if options["background"] == 256:
        made, _ = attempt(n6post.DeepLab, **options)
        require(made is None, "accepted a background of 256")
        return REFUSED
    expected = _class_map(tensor, what, options)
    frame = frames.frame(
        dice, "DeepLab", [tensor._replace(values=array[None])], size, options, how=how, what=what,
        wrong=options["background"] == classes or expected is None,
        needs_scale=channels == 1 and what != "classes" and tensor.scale is not None,
    )  # fmt: skip
    if frame is None:
        return REFUSED
    found, processor, model, source, _ = frame
    assert expected is not None
    before = _classes_of(found)
    wanted, clear = expected
    off = np.argwhere((before != wanted) & clear)
    require(not len(off), "a wrong class at %r (row, column)", off[:1].tolist())
    _questions(dice, found, before, source, size)
    kept = found.copy()
    model.overwrite()
    require(np.array_equal(_classes_of(found), before), "the map changed with the memory")
    attempt(processor, model, [source.given], model.outputs())
    require(np.array_equal(_classes_of(found), before), "the map changed in the next call")
    require(np.array_equal(_classes_of(kept), before), "a copy changed")
    return CONFIRMED


def _classes_of(found: Any) -> Array:
    return np.array(found.class_map.tolist(), dtype=np.int64)


def _class_map(tensor: Quantized, what: str, options: dict[str, Any]) -> tuple[Array, Array] | None:
    """(classes, where they are certain), or None if the class numbers are invalid."""
    values = tensor.values
    every = np.ones(values.shape[:2], bool)
    if what == "scores":
        ranked = np.where(np.isnan(values), -np.inf, values) if values.dtype == np.float32 else values
        return ranked.argmax(axis=2), every
    one = values[:, :, 0]
    if what == "classes":
        if one.dtype == np.int8:
            return one.view(np.uint8).astype(np.int64), every
        if not (np.isfinite(one).all() and (one == np.floor(one)).all() and (one >= 0).all() and (one <= 255).all()):
            return None
        return one.astype(np.int64), every
    limit = options.get("threshold", 0.5)
    if what == "logit":
        limit = float(np.log(limit / (1 - limit)))
    if tensor.scale is None:
        clear = ~(np.abs(one.astype(np.float64) - limit) <= 1e-6 * max(abs(limit), 1e-3))
        if limit == 0 or limit == 0.5:
            clear = every
        return (one >= np.float32(limit)).astype(np.int64), clear
    steps = limit / tensor.scale + tensor.zero_point
    clear = np.abs(one - steps) > 1e-4
    if steps == round(steps):
        clear = every
    return (one >= steps).astype(np.int64), clear


def pixel_edges(
    source: frames.Source, size: tuple[int, int], pixels: tuple[int, int], axis: int
) -> tuple[Array, Array, Array]:
    """For the frame's columns (or rows): the map column of each center, whether the input has it, and if that is certain."""
    low, extent = source.roi[axis], source.roi[2 + axis]
    at = np.arange(max(low, 0) - 2, low + extent + 2)
    place = (at + 0.5 - source.offset[axis]) / (source.scale[axis] * size[axis] / pixels[axis])
    seen = (at >= max(low, 0)) & (at < low + extent) & (place >= 0) & (place < pixels[axis])
    slack = 1e-3 / (source.scale[axis] * size[axis] / pixels[axis]) + 1e-5
    clear = np.abs(place - np.round(place)) > slack
    return np.clip(np.floor(place), 0, pixels[axis] - 1).astype(int), seen, clear


def _questions(dice: Dice, found: Any, classes: Array, source: frames.Source, size: tuple[int, int]) -> None:
    """Compare class_ids, fraction, area, class_at and mask of a map with the frame, pixel by pixel."""
    height, width = classes.shape
    if max(source.roi[2:]) > 2000 or classes.size > 1000 or not source.clear:
        return
    columns, seen_x, clear_x = pixel_edges(source, size, (width, height), 0)
    rows, seen_y, clear_y = pixel_edges(source, size, (width, height), 1)
    x0, y0 = max(source.roi[0], 0) - 2, max(source.roi[1], 0) - 2
    for _ in range(4):
        i, j = dice.whole(0, len(columns) - 1), dice.whole(0, len(rows) - 1)
        if clear_x[i] and clear_y[j]:
            inside = seen_x[i] and seen_y[j]
            same("class_at", found.class_at(x0 + i, y0 + j), int(classes[rows[j], columns[i]]) if inside else None)
    across = np.bincount(columns[seen_x], minlength=width)
    down = np.bincount(rows[seen_y], minlength=height)
    # Rounding decides whether a frame pixel belongs to this row or the next.
    doubt = (~clear_x).sum() * down.sum() + (~clear_y).sum() * across.sum()
    class_id = int(classes[dice.whole(0, height - 1), dice.whole(0, width - 1)])
    wanted_area = int(((classes == class_id) * across * down[:, None]).sum())
    close(f"area of class {class_id}", found.area(class_id), wanted_area, reach=doubt)
    present = found.class_ids(background=True)
    require(present == sorted(present) and set(present) <= set(np.unique(classes).tolist()), "present %r", present)
    shares = [found.fraction(one) for one in present]
    require(all([0 < share <= 1 for share in shares]) and abs(sum(shares) - 1) < 1e-5, "shares %r", shares)
    if source.offset == source.roi[:2] and source.scale == (source.roi[2] / size[0], source.roi[3] / size[1]):
        same("class_ids", present, np.unique(classes))
        close(f"fraction of class {class_id}", found.fraction(class_id), (classes == class_id).mean(), reach=1e-6)
    if dice.chance(0.3):
        mask = found.mask(class_id)
        close("area of a mask", mask.area, wanted_area, reach=doubt)
        left, top, w, h = source.roi
        middle = mask.centroid
        require((middle is None) == (mask.area == 0), "centroid %r of a mask of %d", middle, mask.area)
        for x, y in [*([middle] if middle else []), *mask.outline()]:
            require(left <= x < left + w and top <= y < top + h, "%r of a mask outside of %r", (x, y), source.roi)
    same("as_dict", [one["class_id"] for one in found.as_dict(background=True)["classes"]], present)


# --- MoveNet -----------------------------------------------------------------------------------------------------------
def movenet(dice: Dice) -> str:
    """Heatmaps: the first maximum of each keypoint, refined by a parabola; or unchanged keypoints."""
    if dice.chance(0.3):
        return _coordinates(dice)
    width, height = dice.pick(((8, 8), (6, 5), (12, 9), (1, 1), (3, 2), (48, 48) if dice.chance(0.2) else (4, 4)))
    keypoints = dice.pick((17, 13, 1, 5, 511 if dice.chance(0.05) else 2))
    times = dice.pick((4, 2, 8))
    size = width * times, height * times
    kind = dice.pick(KINDS)
    random = dice.array
    values = random.uniform(0, dice.pick((1.0, 0.4, 0.05)), (height, width, keypoints))
    if dice.chance(0.3):
        values = values.round(1)  # equal peaks
    tensor, how = spoil(dice, quantize(dice, values, kind, 0.0, 1.05))
    options: dict[str, Any] = {
        "layout": dice.pick(("NHWC", "NCHW")), "refine": dice.chance(0.5),
        "keypoint_threshold": dice.pick((0.3, 0.0, 0.5, 0.9, 1.0)),
    }  # fmt: skip
    array = tensor.values if options["layout"] == "NHWC" else tensor.values.transpose(2, 0, 1)
    values = tensor.values
    if values.dtype == np.float32:
        values = np.where(np.isnan(values), np.float32(-np.inf), values)
    places = np.array(reference.peaks(values), dtype=np.float64)
    tops = np.array([tensor.values[int(y), int(x), k] for k, (x, y) in enumerate(places)])
    sure = np.isfinite(tops.astype(np.float64))
    if options["refine"]:
        shifts, usable = _parabolas(tensor.values.astype(np.float64), places)
        places = places + shifts
        sure &= usable
    return _person(dice, tensor._replace(values=array[None]), how, size, options, (places + 0.5) * times, tops, sure)


def _parabolas(values: Array, places: Array) -> tuple[Array, Array]:
    """The offset of each peak from its cell's center, x and y, and the keypoints for which float32 is certain."""
    height, width, keypoints = values.shape
    shifts, usable = np.zeros((keypoints, 2)), np.ones(keypoints, bool)
    for k in range(keypoints):
        x, y = places[k].astype(int)
        for axis, (at, count) in enumerate(((x, width), (y, height))):
            if not 0 < at < count - 1:
                continue
            low, peak, high = (values[y, at + d, k] if axis == 0 else values[at + d, x, k] for d in (-1, 0, 1))
            divisor = 2 * peak - low - high
            if not (np.isfinite((low, peak, high)).all() and abs(peak) < 1e30 and (divisor == 0 or divisor > 1e-4)):
                usable[k] = False
            elif divisor > 0:
                shifts[k, axis] = np.clip(0.5 * (high - low) / divisor, -0.5, 0.5)
    return shifts, usable


def _coordinates(dice: Dice) -> str:
    keypoints = dice.pick((17, 13, 2, 1, 511))
    kind = dice.pick(KINDS)
    size = dice.pick(((192, 192), (64, 48)))
    tensor, how = spoil(dice, quantize(dice, dice.array.uniform(-0.1, 1.1, (keypoints, 3)), kind, -0.1, 1.1))
    options: dict[str, Any] = {"layout": "keypoints", "keypoint_threshold": dice.pick((0.3, 0.0, 0.9, 1.0))}
    real = tensor.real()
    sure: Any = np.isfinite(real).all(axis=1) & (np.abs(real) < 1e6).all(axis=1)
    output = tensor._replace(values=tensor.values.reshape(1, 1, keypoints, 3))
    return _person(dice, output, how, size, options, real[:, [1, 0]] * size, tensor.values[:, 2].copy(), sure)


def _person(
    dice: Dice, output: Quantized, how: str, size: tuple[int, int], options: dict[str, Any], points: Array, tops: Array,
    sure: Array,
) -> str:  # fmt: skip
    """At most one detection, with keypoints at these points of the input and a box around the visible ones.

    tops    the raw scores
    sure    for which keypoints float32 is certain
    """
    frame = frames.frame(dice, "MoveNet", [output], size, options, how=how)
    if frame is None:
        return REFUSED
    found, _, _, source, _ = frame
    left, top, width, height = source.roi
    corner, far = np.array([left, top]), np.array([left + width, top + height])
    yolo.in_bounds(found, source, 1)
    threshold = options["keypoint_threshold"]
    cut = np.float32(threshold) if output.scale is None else yolo.steps_of(threshold, output.scale) + output.zero_point
    seen = tops.astype(float if output.scale is None else np.int64) >= cut
    in_frame = source.points(points)
    bars = source.offset[0] < left or source.offset[1] < top
    if not found and not (source.clear and (sure[seen].all() or not bars)):
        return BOUNDED  # perhaps in the bars of a letterbox
    if seen.any() and bars and sure[seen].all():
        # In the bars of a letterbox, with a tolerance of one input pixel.
        reach = np.array(source.scale)
        low, high = in_frame[seen].min(axis=0), in_frame[seen].max(axis=0)
        if ((high < corner - reach) | (low > far + reach)).any():
            require(not found, "found a person outside of the frame: %r", in_frame)
        if ((high < corner + reach) | (low > far - reach)).any() and not found:
            return BOUNDED
    require(bool(found) == bool(seen.any()), "%d detections for %d visible keypoints", len(found), int(seen.sum()))
    score = output.real(tops)
    if options["layout"] == "keypoints":
        score = np.maximum(score, 0)
    for d in found:
        same("class", (d.class_id, d.label), (0, "person"))
        yolo.keypoints_agree(d, np.where(sure[:, None], points, np.nan), score, source)
        if not source.clear or (seen & ~sure).any() or np.abs(score[seen]).max() > 1e30:
            continue
        close("mean score", d.score, score[seen].mean(), 1e-4, 1e-6)
        wanted = np.clip(in_frame[seen], corner, far)
        reach = (2e-3 + 2e-6 * np.abs(source.roi).max()) * max(1.0, *source.scale)
        x, y, w, h = d.rect
        close("left and upper edge", (x + 0.5, y + 0.5), wanted.min(axis=0), reach=0.5 + reach)
        close("right and lower edge", (x + w - 0.5, y + h - 0.5), wanted.max(axis=0), reach=1.5 + reach)
    yolo.stays_true(dice, frame)
    return CONFIRMED if sure.all() and source.clear else BOUNDED
