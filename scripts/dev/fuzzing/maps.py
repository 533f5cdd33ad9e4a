"""Class maps and heatmaps: DeepLab compared with numpy's argmax for each frame pixel, MoveNet with numpy's peaks."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import reference

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .tensors import KINDS, Array, Model, Quantized, handed_over, placed, quantize, spoil, tampered

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
        many = dice.pick((3, 2, 21, 256))
        whole = random.integers(0, many, (height, width, 1))
        clean = Quantized(whole.astype(kind))
    else:
        low, high = (0.0, 1.0) if what == "probability" else (-4.0, 4.0)
        clean = quantize(dice, random.uniform(low, high, (height, width, channels)), kind, low, high)
    tensor, how = (clean, "nothing") if what == "classes" and dice.chance(0.8) else spoil(dice, clean)
    options: dict[str, Any] = {"layout": dice.pick(("NHWC", "NCHW"))}
    flat = what == "classes" and dice.chance(0.5)  # [1, H, W]
    array = tensor.values if options["layout"] == "NHWC" else tensor.values.transpose(2, 0, 1)
    array, dense = placed(dice, np.ascontiguousarray(array[:, :, 0] if flat and array.shape[2] == 1 else array)[None])
    if channels == 1:
        options["output_type"] = "class_ids" if what == "classes" else what
        if what != "classes" and dice.chance(0.5):
            options["threshold"] = dice.pick((0.5, 0.3, 0.9, 0.01))
    classes = 256 if what == "classes" else max(channels, 2)
    options["background"] = dice.pick((0, None, 1, 0, 1, 0, None, classes))
    model = Model([tensor._replace(values=array)], size)
    source = frames.source(dice, size)
    wrong = tampered(dice, model, needs_scale=False)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange
    dice.tell(size=size, channels=channels, what=what, how=how, map=array, scale=tensor[1:], options=options, input=source)
    processor, refused = attempt(n6post.DeepLab, **options)
    if processor is None:
        require(options["background"] == 256, "refused a valid option: %s", refused)
        return REFUSED
    found, refused = attempt(processor, model, [source.given], outputs)
    expected = _class_map(tensor, what, options)
    # The scale of integers matters only for one channel.
    spoiled = model.output_scale != (tensor.scale or 1.0,) or model.output_zero_point != (tensor.zero_point,)
    scale_counts = channels == 1 and what != "classes" and tensor.scale is not None
    refusable = wrong or not dense or options["background"] == classes or scale_counts and spoiled
    if found is None:
        require(refusable or expected is None, "refused a valid map: %s", refused)
        return REFUSED
    require(not refusable, "accepted input that has to be refused")
    require(expected is not None, "accepted invalid class numbers")
    assert expected is not None
    got = np.array(found.class_map.tolist(), dtype=np.int64).reshape(height, width)
    classes_agree(got, *expected)
    outcome = CONFIRMED
    _questions(dice, found, got, source, size)
    before = got.copy()
    model.overwrite()
    require(
        np.array_equal(np.array(found.class_map.tolist()).reshape(height, width), before), "the map changed with the memory"
    )
    kept = found.copy()
    attempt(processor, model, [source.given], model.outputs())
    require(
        np.array_equal(np.array(found.class_map.tolist()).reshape(height, width), before), "the map changed in the next call"
    )
    require(np.array_equal(np.array(kept.class_map.tolist()).reshape(height, width), before), "a copy changed")
    return outcome


def classes_agree(got: Array, wanted: Array, clear: Array) -> None:
    off = (got != wanted) & clear
    if off.any():
        row, column = np.argwhere(off)[0]
        require(False, "class %d at row %d, column %d, expected %d", got[row, column], row, column, wanted[row, column])


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
        if not (clear_x[i] and clear_y[j]):
            continue
        wanted = int(classes[rows[j], columns[i]]) if seen_x[i] and seen_y[j] else None
        got = found.class_at(x0 + i, y0 + j)
        require(got == wanted, "at(%d, %d) is %r, expected %r", x0 + i, y0 + j, got, wanted)
    across = np.bincount(columns[seen_x], minlength=width)
    down = np.bincount(rows[seen_y], minlength=height)
    # Rounding decides whether a frame pixel belongs to this row or the next.
    doubt = (~clear_x).sum() * down.sum() + (~clear_y).sum() * across.sum()
    class_id = int(classes[dice.whole(0, height - 1), dice.whole(0, width - 1)])
    wanted_area = int(((classes == class_id) * across * down[:, None]).sum())
    area = found.area(class_id)
    require(abs(area - wanted_area) <= doubt, "area of class %d is %d, expected %d", class_id, area, wanted_area)
    present = found.class_ids(background=True)
    require(present == sorted(present) and set(present) <= set(np.unique(classes).tolist()), "present %r", present)
    shares = [found.fraction(one) for one in present]
    require(all([0 < share <= 1 for share in shares]) and abs(sum(shares) - 1) < 1e-5, "shares %r", shares)
    if source.offset == source.roi[:2] and source.scale == (source.roi[2] / size[0], source.roi[3] / size[1]):
        require(present == np.unique(classes).tolist(), "present %r, expected %r", present, np.unique(classes))
        share = found.fraction(class_id)
        require(abs(share - (classes == class_id).mean()) < 1e-6, "share %r of class %d", share, class_id)
    if dice.chance(0.3):
        mask = found.mask(class_id)
        require(abs(mask.area - wanted_area) <= doubt, "area of a mask %r, expected %d", mask.area, wanted_area)
        left, top, w, h = source.roi
        middle = mask.centroid
        require((middle is None) == (mask.area == 0), "centroid %r of a mask of %d", middle, mask.area)
        if middle is not None:
            require(left <= middle[0] < left + w and top <= middle[1] < top + h, "centroid %r outside", middle)
        for x, y in mask.outline():
            require(left <= x < left + w and top <= y < top + h, "outline at %r outside of %r", (x, y), source.roi)
    listed = found.as_dict(background=True)["classes"]
    require([one["class_id"] for one in listed] == present, "as_dict %r", listed)


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
    array, dense = placed(dice, np.ascontiguousarray(array)[None])
    model = Model([tensor._replace(values=array)], size)
    source = frames.source(dice, size)
    wrong = tampered(dice, model)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange
    dice.tell(size=size, keypoints=keypoints, how=how, map=array, scale=tensor[1:], options=options, input=source)
    processor = n6post.MoveNet(**options)
    found, refused = attempt(processor, model, [source.given], outputs)
    if found is None:
        require(wrong or not dense, "refused valid heatmaps: %s", refused)
        return REFUSED
    require(not wrong and dense, "accepted input that has to be refused")
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
    points = source.points((places + 0.5) * times)
    return _person(dice, found, processor, model, source, tensor, points, tops, sure, options)


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
    array, dense = placed(dice, tensor.values.reshape(1, 1, keypoints, 3))
    model = Model([tensor._replace(values=array)], size)
    source = frames.source(dice, size)
    wrong = tampered(dice, model)
    outputs, strange = handed_over(dice, model)
    wrong = wrong or strange
    dice.tell(size=size, keypoints=keypoints, how=how, array=array, scale=tensor[1:], options=options, input=source)
    processor = n6post.MoveNet(**options)
    found, refused = attempt(processor, model, [source.given], outputs)
    if found is None:
        require(wrong or not dense, "refused valid keypoints: %s", refused)
        return REFUSED
    require(not wrong and dense, "accepted input that has to be refused")
    real = tensor.real()
    sure: Any = np.isfinite(real).all(axis=1) & (np.abs(real) < 1e6).all(axis=1)
    points = source.points(real[:, [1, 0]] * size)
    return _person(dice, found, processor, model, source, tensor, points, tensor.values[:, 2].copy(), sure, options)


def _person(
    dice: Dice, found: Any, processor: Any, model: Model, source: frames.Source, tensor: Quantized, points: Array,
    tops: Array, sure: Array, options: dict[str, Any],
) -> str:  # fmt: skip
    """At most one detection, with keypoints at these points and a box around the visible ones."""
    left, top, width, height = source.roi
    require(type(found) is list and len(found) <= 1, "found %r", found)
    threshold = options["keypoint_threshold"]
    if tensor.scale is None:
        seen = tops >= np.float32(threshold)
    else:
        steps = threshold / tensor.scale
        cut = round(steps) if abs(steps - round(steps)) <= 1e-6 * abs(steps) else int(np.ceil(steps))
        seen = tops.astype(np.int64) >= cut + tensor.zero_point
    bars = source.offset[0] < left or source.offset[1] < top
    if not found and not (source.clear and (sure[seen].all() or not bars)):
        return BOUNDED  # perhaps in the bars of a letterbox
    if seen.any() and bars and sure[seen].all():
        # In the bars of a letterbox, with a tolerance of one input pixel.
        reach = np.array(source.scale)
        low, high = points[seen].min(axis=0), points[seen].max(axis=0)
        corner, far = np.array([left, top]), np.array([left + width, top + height])
        if ((high < corner - reach) | (low > far + reach)).any():
            require(not found, "found a person outside of the frame: %r", points)
        if ((high < corner + reach) | (low > far - reach)).any() and not found:
            return BOUNDED
    require(bool(found) == bool(seen.any()), "%d detections for %d visible keypoints", len(found), int(seen.sum()))
    outcome = CONFIRMED if sure.all() and source.clear else BOUNDED
    for d in found:
        x, y, w, h = d.rect
        require(all([type(v) is int for v in d.rect]), "a rect with numbers that are not ints: %r", d.rect)
        require(left <= x < x + w <= left + width and top <= y < y + h <= top + height, "rect %r outside of %r",
                d.rect, source.roi)  # fmt: skip
        require(d.score == d.score and d.label == "person" and d.class_id == 0, "%r", d[1:4])
        got = np.array(d.keypoints.tolist())
        require(got.shape == (len(points), 3) and not np.isnan(got).any(), "keypoints %r", got)
        inside = (got[:, :2] >= (left, top)).all() and (got[:, :2] <= (left + width, top + height)).all()
        require(inside, "keypoints outside of %r: %r", source.roi, got)
        if not source.clear:
            continue
        wanted = np.clip(points, (left, top), (left + width, top + height))
        reach = (2e-3 + 2e-6 * np.abs(source.roi).max()) * max(1.0, *source.scale)
        require((np.abs(got[:, :2] - wanted)[sure] < reach).all(), "keypoints %r, expected %r", got[:, :2], wanted)
        score = tensor.real(tops)
        if options["layout"] == "keypoints":
            score = np.maximum(score, 0)
        require(np.allclose(got[sure, 2], score[sure], rtol=1e-4, atol=1e-6), "scores %r, expected %r", got[:, 2], score)
        if (seen & ~sure).any() or np.abs(score[seen]).max() > 1e30:
            continue
        require(np.isclose(d.score, score[seen].mean(), rtol=1e-4, atol=1e-6), "score %r, expected the mean %r",
                d.score, score[seen].mean())  # fmt: skip
        low, high = wanted[seen].min(axis=0), wanted[seen].max(axis=0)
        slack = 1.0 + reach
        require(
            x - reach <= low[0] and y - reach <= low[1] and x + w + slack >= high[0] and y + h + slack >= high[1]
            and x + slack > low[0] and y + slack > low[1] and x + w <= high[0] + 1 + slack and y + h <= high[1] + 1 + slack,
            "rect %r around keypoints from %r to %r", d.rect, low, high,
        )  # fmt: skip
    before = [(d.rect, d.score, d.keypoints.tolist()) for d in found]
    model.overwrite()
    if dice.chance(0.3):
        attempt(processor, model, [source.given], model.outputs())
    require(repr(before) == repr([(d.rect, d.score, d.keypoints.tolist()) for d in found]), "the result changed later")
    return outcome
