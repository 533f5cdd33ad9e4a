"""The simpler kernels in plain numpy, written from their docstrings alone: a second reference besides portable/*.py.

Arrays come as (pixels or anchors, channels), whatever the layout in memory was; the results are those of the docstrings.
"""

from __future__ import annotations

import itertools
from math import ceil, floor
from typing import Any

import numpy as np
from reference import Array

f32 = np.float32


def bits(value: float) -> int:
    """A float32 as the int32 that the kernels take."""
    return int(f32(value).view(np.int32))


def class_map(values: Array, cut: float = 0) -> Array:
    """Argmax over the channels, NaN as -inf; one channel: 1 where value >= cut."""
    if values.shape[1] == 1:
        wide = values[:, 0] if values.dtype == f32 else values[:, 0].astype(np.int64)
        return (wide >= cut).astype(np.uint8)
    ranked = np.where(np.isnan(values), -np.inf, values) if values.dtype == f32 else values
    return ranked.argmax(axis=1).astype(np.uint8)


def class_histogram(values: Array) -> Array:
    return np.bincount(values.ravel(), minlength=256).astype(np.int32)


def count_class_pixels(values: Array, class_id: int, columns: list[int], rows: list[int]) -> int:
    """The pixels of a class after each column and row of (height, width) was repeated as often as it is wide or high."""
    return int(((values == class_id) * np.diff(columns) * np.diff(rows)[:, None]).sum())


def covered(pixels: Array, columns: list[int], rows: list[int]) -> Array:
    """Map pixels (h, w) repeated over the frame pixels that they cover, as an array of the whole frame."""
    frame = np.zeros((max(rows[-1], 0), max(columns[-1], 0)), pixels.dtype)
    for j, i in np.ndindex(pixels.shape):
        frame[rows[j] : rows[j + 1], columns[i] : columns[i + 1]] = pixels[j, i]
    return frame


def color_sums(frame: Array, mask: Array, columns: list[int], rows: list[int]) -> list[int]:
    """The words of color_sums, from the colors (h, w, 3) of a frame and a mask (h, w) of bytes."""
    inside = covered(mask >= 128, columns, rows)
    pixels = frame[: inside.shape[0], : inside.shape[1]][inside].astype(np.int64)
    words = [len(pixels)]
    for channel in pixels.T:
        for total in (int(channel.sum()), int((channel**2).sum())):
            words += divmod(total, 1 << 24)
        words += [int(channel.min()), int(channel.max())] if len(pixels) else [255, 0]
    return words


def class_bands(values: Array, class_id: int, columns: list[int], rows: list[int], ends: list[int]) -> list[int]:
    """The words of class_bands."""
    shown = np.zeros((max(ends[-1], rows[-1], 0), max(columns[-1], 0)), bool)
    hits = covered(values == class_id, columns, rows)
    shown[: hits.shape[0], : hits.shape[1]] = hits
    words = []
    for top, bottom in itertools.pairwise(ends):
        x = np.nonzero(shown[top:bottom])[1]
        words += [len(x)] + ([int((x + 0.5).mean()), int(x.min()), int(x.max())] if len(x) else [-1, -1, -1])
    return words


def measure_mask(
    words: list[int], values: Array, window: Any, crop: Any, scale: Any, offset: Any, seen: Any, margin: Any, box: Any
) -> bool:
    """Whether the words of measure_mask are right: from the mask pixel under each frame pixel, and from exact ends."""
    x0, y0, x1, y1 = crop
    spans, edges = [], []
    for axis, (first, last) in enumerate(((x0, x1), (y0, y1))):
        low = seen[axis] + max(0, box[axis] - margin[axis])
        high = seen[axis] + min(seen[axis + 2], box[axis] + box[axis + 2] + margin[axis])
        spans.append((low, high))
        at = np.arange(max(last, 0) + 1).astype(f32) * f32(scale[axis]) + f32(offset[axis])
        ends = (max(seen[axis], 0), max(seen[axis] + seen[axis + 2], 0))
        starts = np.floor(np.clip(at, *ends).astype(f32) + f32(0.5 - 2**-12)).astype(int)
        edges.append(starts.clip(low, max(low, high))[first : last + 1])
    inside = values[y0 - window[1] : y1 - window[1], x0 - window[0] : x1 - window[0]] >= 128
    if not inside.any() or any(low >= high for low, high in spans):
        return words == [0, 0, 0, 0, 0, -1, -1]
    widths, heights = (np.diff(e) for e in edges)
    weights = inside * widths * heights[:, None]
    area = int(weights.sum())
    if words[4] != area:
        return False
    for axis, sums in enumerate((weights.sum(axis=0), weights.sum(axis=1))):
        twice = sum(int(n) * int(a + b) for n, a, b in zip(sums, edges[axis], edges[axis][1:]))
        if words[5 + axis] != (twice // (2 * area) if area else -1):
            return False
    for axis in range(2):
        part = values[y0 - window[1] : y1 - window[1]] if axis == 0 else values[:, x0 - window[0] : x1 - window[0]]
        peaks = part.max(axis=axis).astype(int)
        first, last = crop[axis] - window[axis], crop[axis + 2] - window[axis]
        hits = np.nonzero(peaks[first:last] >= 128)[0] + first
        low, high = 0.0, float(len(peaks))
        if hits[0] and peaks[hits[0] - 1] < 128:
            low = np.interp(127.5, peaks[hits[0] - 1 : hits[0] + 1], [hits[0] - 0.5, hits[0] + 0.5])
        if hits[-1] + 1 < len(peaks) and peaks[hits[-1] + 1] < 128:
            high = np.interp(127.5, peaks[hits[-1] : hits[-1] + 2][::-1], [hits[-1] + 1.5, hits[-1] + 0.5])
        low, high = ((window[axis] + n) * float(scale[axis]) + float(offset[axis]) for n in (low, high))
        start, end = spans[axis]
        answers = set()
        near = 1e-6 * (abs(high) + abs(low)) + 2e-4  # NUDGE is 2.4e-4
        for nudge in (2**-12 - near, 2**-12 + near):
            left, right = max(ceil(low - 0.5 - nudge), start), min(ceil(high - 0.5 - nudge), end)
            if right <= left:
                left = min(max(floor((low + high) / 2 - nudge + 2**-12), start), end - 1)
                right = left + 1
            answers |= {left, -right}
        if words[axis] not in answers or -(words[axis] + words[axis + 2]) not in answers:
            return False
    return True


def candidates(values: Array, classes: slice, cut: float, allowed: set[int] | None, capacity: int) -> tuple[Array, Array]:
    """(anchors, classes), best first: the best class of each anchor at or above the cut, of the allowed classes."""
    scores = values[:, classes].astype(np.float64)
    scores[np.isnan(scores)] = -np.inf
    best, labels = scores.max(axis=1), scores.argmax(axis=1)
    keep = best >= cut
    if allowed is not None:
        keep &= np.isin(labels, sorted(allowed))
    order = np.argsort(-best, kind="stable")
    order = order[keep[order]][:capacity]
    return order.astype(np.uint16), labels[order].astype(np.uint16)


def power(y: Array) -> Array:
    """2^y in float32, one rounding per operation, for y that is not positive; NaN and anything below -116 count as -116."""
    y = np.fmax(y, f32(-116))
    n = np.rint(y)
    p = np.full(y.shape, 0xAADDD / 2**29, f32)
    for coefficient in (0x9E75C / 2**26, 0xE35D3 / 2**24, 0xF5FCE / 2**22, 0xB1721 / 2**20, 1):
        p = p * (y - n) + f32(coefficient)
    return np.ldexp(p, n.astype(int)).astype(f32)


LOG2_E = f32(np.log2(np.e))


def decoded_scores(raw: Array, scale: np.float32, sigmoid: bool) -> Array:
    if not sigmoid:
        return raw * scale
    y = raw * (scale * LOG2_E)
    e = power(-np.abs(y))
    return np.where(y > 0, f32(1), e) / (e + f32(1))


def distances(raw: Array, zero_point: int, bins: int, scale: np.float32) -> Array:
    """(candidates, 4) from the channels (candidates, 4 * bins)."""
    numbers = raw.astype(f32).reshape(len(raw), 4, bins)
    if bins == 1:
        return (numbers[:, :, 0] - f32(zero_point)) * scale
    largest = np.where(np.isnan(numbers), -np.inf, numbers).max(axis=2, keepdims=True)
    weights = power((numbers - largest) * (scale * LOG2_E))
    total = weighted = np.zeros((len(raw), 4), f32)
    for k in range(bins - 1, -1, -1):
        total = total + weights[:, :, k]
        weighted = weighted + total if k else weighted
    return weighted / total


def cells(anchors: Array, levels: Array) -> tuple[Array, Array]:
    """(centers (candidates, 2) of the cells, strides (candidates, 1)). levels: rows of first anchor, width, stride."""
    of = np.searchsorted(levels[:, 0], anchors, side="right") - 1
    row, column = np.divmod(anchors - levels[of, 0], levels[of, 1])
    return np.stack([column, row], 1).astype(f32) + f32(0.5), levels[of, 2:].astype(f32)


def corners(
    boxes: Array, anchors: Array, zero_point: int, bins: int, scale_x: np.float32, scale_y: np.float32, levels: Array
) -> Array:
    """(4, candidates): x1, y1, x2, y2 of these anchors of a head (all anchors, channels)."""
    channels = boxes[anchors, : 4 * max(bins, 1)]
    if bins:
        center, stride = cells(anchors, levels)
        side = distances(channels, zero_point, bins, scale_x)
        return np.concatenate([(center - side[:, :2]) * stride, (center + side[:, 2:]) * stride], axis=1).T
    numbers = channels.astype(f32) - f32(zero_point)
    half, unit = numbers[:, 2:] * f32(0.5), np.array([scale_x, scale_y])
    return np.concatenate([(numbers[:, :2] - half) * unit, (numbers[:, :2] + half) * unit], axis=1).T


def decode_boxes(
    boxes: Array, raw: Array, found: Array, values: Array, labels: Array, *, zero_point: int, bins: int, scales: Array,
    sigmoid: bool, least: np.float32, first: int, capacity: int, levels: Array,
) -> tuple[Array, Array]:  # fmt: skip
    """(values (5, size), labels (2, size)) of the frame, to the bit.

    boxes   (all anchors, channels)
    raw     the scores of the candidates; found: (2, candidates), their anchors and classes
    values  (5, total) and labels (2, total): the frame's candidates so far
    """
    with np.errstate(all="ignore"):
        scores = decoded_scores(raw, scales[2], sigmoid)
        count = np.flatnonzero(scores >= least).max(initial=-1) + 1
        made = corners(boxes, found[0, :count].astype(int), zero_point, bins, scales[0], scales[1], levels)
    values = np.concatenate([values, np.concatenate([made, scores[None, :count]])], axis=1)
    labels = np.concatenate([labels, found[:, :count] + np.array([[first], [0]], np.uint16)], axis=1)
    order = np.argsort(-values[4], kind="stable")[:capacity]
    return values[:, order], labels[:, order]


def decode_keypoints(
    raw: Array, *, zero_point: int, scales: Array, cells: Array, offsets: Array, low: Array, high: Array, sigmoid: bool
) -> Array:
    """Keypoints (n, 3) of one anchor, to the bit. cells: the size of a cell by the anchor's column and row."""
    with np.errstate(all="ignore"):
        centered = raw.astype(f32) - f32(zero_point)
        places = centered[:, :2] * scales[:2] + (cells + offsets)
        places = np.where(places > low, places, low)
        if sigmoid:
            scores = decoded_scores(centered[:, 2], scales[2], True)
        else:
            scores = centered[:, 2] * scales[2]
            scores = np.where(np.isnan(scores), f32(-np.inf), scores)
    return np.column_stack([np.where(places < high, places, high), scores])


def suppress_masks(
    masks: Array, crops: Array, classes: Array, part: int, class_agnostic: bool, seen: Array
) -> list[int]:
    """Which of the masks are kept: planes (n, H, W) of booleans, crops and seen (n, 4) as x0, y0, x1, y1, best first."""
    planes = np.zeros(masks.shape, dtype=bool)
    for plane, mask, (x0, y0, x1, y1) in zip(planes, masks, crops, strict=True):
        plane[y0:y1, x0:x1] = mask[y0:y1, x0:x1]
    kept: list[int] = []
    for i in range(len(planes)):
        x0, y0, x1, y1 = np.maximum(seen[i], 0)
        if not planes[i, y0:y1, x0:x1].any():
            continue
        rivals = [j for j in kept if class_agnostic or classes[i] == classes[j]]
        if not any((planes[i] & planes[j]).sum() * 1024 > planes[i].sum() * part for j in rivals):
            kept.append(i)
    return kept


def exact_mask(protos: Array, coefficients: Array, zero_points: tuple[int, int], threshold: int) -> Array:
    """The bytes of an 8-bit window (h, w, terms): 128 + ((sum - threshold - 1) >> shift), clipped."""
    sums = (protos.astype(np.int64) - zero_points[0]) @ (coefficients.astype(np.int64) - zero_points[1]) - threshold
    largest, shift = np.abs(sums[::2, ::2]).max(), 0
    while largest > 127 << shift:
        shift += 1
    return np.clip(128 + ((sums - 1) >> shift), 0, 255).astype(np.uint8)


def float_mask(protos: Array, coefficients: Array, zero_points: tuple[int, int], threshold: np.float32) -> Array:
    """The bytes of an int16 or float32 window (h, w, terms): 127 + ceil((sum - threshold) * k), clipped, NaN 0."""
    with np.errstate(all="ignore"):
        products = (protos.astype(f32) - f32(zero_points[0])) * (coefficients.astype(f32) - f32(zero_points[1]))
        lanes = np.zeros((4, *protos.shape[:2]), f32)
        for i in range(protos.shape[2]):
            lanes[i % 4] += products[:, :, i]
        sums = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]) - threshold
        sizes = np.abs(sums[::2, ::2])
        largest = sizes[~np.isnan(sizes)].max(initial=f32(0))
        k = f32(1) if largest == 0 or np.isinf(largest) or np.isinf(f32(127) / largest) else f32(127) / largest
        found = np.ceil(sums * k) + f32(127)
    return np.nan_to_num(np.clip(found, 0, 255), nan=0.0).astype(np.uint8)


def tint_map(frame: Array, classes: Array, columns: list[int], rows: list[int], palette: bytes) -> Array:
    """A frame (height, width) of RGB565 words or gray bytes with the rectangle of each map pixel blended in, cut to it."""
    colors, alphas = np.frombuffer(palette[:512], np.uint16), palette[512:]
    made = frame.copy()
    for (row, column), class_id in np.ndenumerate(classes):
        place = np.s_[rows[row] : rows[row + 1], columns[column] : columns[column + 1]]
        made[place] = blended(frame[place], int(colors[class_id]), alphas[class_id])
    return made


def blended(pixels: Array, color: int, alpha: int) -> Array:
    """OpenMV's blend: of RGB565 part by part in 33 levels of alpha, of gray bytes in 257, towards the color or its luma."""
    if pixels.dtype == np.uint16:
        level = round(32 * alpha / 255)
        mixed = np.zeros(pixels.shape, np.int64)
        for shift, most in ((11, 31), (5, 63), (0, 31)):
            old, new = pixels.astype(np.int64) >> shift & most, color >> shift & most
            mixed |= (new * level + old * (32 - level) >> 5) << shift
        return mixed.astype(np.uint16)
    level = round(256 * alpha / 255)
    return (luma(color) * level + pixels.astype(np.int64) * (256 - level) >> 8).astype(np.uint8)


def luma(color: int) -> int:
    """Of an RGB565 word whose parts are widened to 8 bits by their own first bits."""
    red, green, blue = color >> 11, color >> 5 & 63, color & 31
    return 38 * (red << 3 | red >> 2) + 75 * (green << 2 | green >> 4) + 15 * (blue << 3 | blue >> 2) >> 7


def mark_cells(note: dict[str, Array], cells: Array) -> bool:
    """Whether mark_cells marks no fewer cells than a mask may tint, and none that is further away than its margins."""
    mask, block = note["mask"], note["block"]
    _, _, x, y, x_step, y_step, margin_x, margin_y, x0, y0, x1, y1, left, top, size, columns, rows = block
    shape = rows * size, columns * size
    least, most = np.zeros(shape, bool), np.zeros(shape, bool)
    for j, i in zip(*np.nonzero(mask), strict=True):
        for plane, slack in ((least, 0), (most, 3)):
            spans = []
            for at, last, start, step, margin, low, high, origin in (
                (i, mask.shape[1] - 1, x, x_step, margin_x, x0, x1, left * size),
                (j, mask.shape[0] - 1, y, y_step, margin_y, y0, y1, top * size),
            ):
                scale = step / 32768
                # Bilinear interpolation reaches one mask pixel beyond, at the ends as far as there are pixels.
                first = low if at == 0 else start + (at - 0.5) * scale - margin - slack
                end = high if at == last else start + (at + 1.5) * scale + margin + slack
                first, end = max(int(np.ceil(first)), low), min(int(np.floor(end)), high)
                spans.append(slice(max(first - origin, 0), max(end - origin, 0)))
            plane[spans[1], spans[0]] = True
    touched = [plane.reshape(rows, size, columns, size).any(axis=(1, 3)).ravel() for plane in (least, most)]
    marked = cells.astype(bool)
    return bool((marked >= touched[0]).all() and (marked <= touched[1]).all() and cells.max(initial=0) <= 1)


def hide_cells(pixels: Array, marked: Array, cells: tuple[int, ...], size: int, how: int, color: int) -> Array:
    """The frame after hide_cells, in exact integers."""
    left, top, columns, rows = cells
    height, width = pixels.shape
    shifts = [(11, 31), (5, 63), (0, 31)] if pixels.dtype == np.uint16 else [(0, 255)]
    whole = pixels.astype(np.int64)
    if pixels.dtype == np.uint8:
        r, g, b = color >> 11, color >> 5 & 63, color & 31
        color = (38 * (r << 3 | r >> 2) + 75 * (g << 2 | g >> 4) + 15 * (b << 3 | b >> 2)) >> 7
    hidden = np.zeros(pixels.shape, np.int64)
    for shift, bits in shifts:
        channel = whole >> shift & bits
        means = np.zeros((rows, columns), np.int64)
        for j, i in np.ndindex(means.shape):
            cell = channel[(top + j) * size : (top + j + 1) * size, (left + i) * size : (left + i + 1) * size]
            means[j, i] = (2 * cell.sum() + cell.size) // (2 * cell.size)
        if how == 2:
            value = np.full(pixels.shape, color >> shift & bits)
        elif how == 0:
            value = means[np.clip(np.arange(height) // size - top, 0, rows - 1)][
                :, np.clip(np.arange(width) // size - left, 0, columns - 1)
            ]
        else:  # between the centers of the cells, whose places are counted in half pixels
            first, weight = zip(*[divmod(2 * np.arange(n) + 1 - size, 2 * size) for n in (height, width)], strict=True)
            y, x = [(f - o, f - o + 1) for f, o in zip(first, (top, left), strict=True)]
            y, x = [np.clip(v, 0, rows - 1) for v in y], [np.clip(v, 0, columns - 1) for v in x]
            wy, wx = weight[0][:, None], weight[1]
            upper = means[y[0]][:, x[0]] * (2 * size - wx) + means[y[0]][:, x[1]] * wx
            lower = means[y[1]][:, x[0]] * (2 * size - wx) + means[y[1]][:, x[1]] * wx
            value = (upper * (2 * size - wy) + lower * wy + 2 * size * size) // (4 * size * size)
        hidden |= value << shift
    inside = np.zeros(((top + rows) * size, (left + columns) * size), bool)
    for j, i in zip(*np.nonzero(marked), strict=True):
        inside[(top + j) * size : (top + j + 1) * size, (left + i) * size : (left + i + 1) * size] = True
    shown = np.zeros(pixels.shape, bool)
    part = inside[:height, :width]
    shown[: part.shape[0], : part.shape[1]] = part
    return np.where(shown, hidden, whole).astype(pixels.dtype)


def nearest(features: Array, memory: Array, first: int, end: int, before: Array) -> Array:
    """`out` after nearest, in int64. A place is two more numbers of a vector and of a row."""
    distances, rows = before.astype(np.int64).reshape(2, -1)
    for row in range(first, end):
        found = np.square(features.astype(np.int64) - memory[row].astype(np.int64)).sum(1)
        rows = np.where(found < distances, row, rows)
        distances = np.minimum(found, distances)
    return np.concatenate([distances, rows])
