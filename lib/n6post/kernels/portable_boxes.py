"""From a YOLOv8 head to boxes and masks, in plain ulab: the reference of helium_boxes.py and thumb_boxes.py.

Conventions: portable.py.
"""

from array import array
from heapq import heapify, heappop
from struct import unpack_from

from micropython import const
from ulab import numpy as np

from .plans import ROW, ROW_ANCHOR, ROW_CLASS_ID
from .portable import LARGEST, clipped, fractions, maximum, total, without_nan

_FLOAT = const(102)
_BLOCK = const(16384)  # elements worked on at once: what a temporary array costs in memory


def candidates(head, plan, values, labels):
    """The anchors whose best class reaches the threshold, best first.

    head    a YOLOv8 head, channels x anchors in either storage order: 4 box rows (cx, cy, w, h), the classes, the rest
    plan    0 dtype, 1 anchors, 2 channels, 3 element step from channel to channel, 4 element step from anchor to anchor,
            5 first class channel, 6 classes, 7 zero point, 8 cut (integer: keep q >= cut; float bits: keep v >= cut),
            9 capacity, 10 words of the class filter (0: none) that follow: bit c % 32 of word 11 + c // 32 allows class c
    values  float32 (5, capacity), written: rows x1, y1, x2, y2 (raw units: cx - w * .5, ..., cx + w * .5) and score
            (raw units, + 0.0)
    labels  uint16 (3, capacity), written: row 0 anchor, row 1 class

    The best class of an anchor is the first maximum; NaN is never a maximum and an anchor of NaNs alone never passes.
    The filter applies after the maximum. Order: score descending, anchor ascending; beyond the capacity the last of
    that order are dropped. Returns how many were written.
    """
    dtype, anchors, channels, _, anchor_step, first_class, classes, zero_point, cut, capacity, allowed = plan[:11]
    columns = anchor_step == 1
    if columns:
        grid = head.reshape((channels, anchors))
        scores = grid[first_class : first_class + classes]
    else:
        grid = head.reshape((anchors, channels))
        scores = grid[:, first_class : first_class + classes]
    if dtype == _FLOAT:
        (cut,) = fractions(plan, 8, 9)
        best = _best_of_floats(scores, columns, anchors, classes)
    else:
        if cut > LARGEST[dtype]:
            return 0
        best = np.max(scores, axis=0 if columns else 1)  # camera: long-axis: yolo.py takes 65535 classes at most
        cut = np.array([cut], dtype=best.dtype)  # of the same dtype: ulab compares int16 with others as unsigned
    passing = np.nonzero(best >= cut)[0]  # camera: many-hits: yolo.py takes 65535 anchors at most
    if not len(passing):
        return 0
    best = np.array(np.take(best, passing), dtype=np.float) + 0.0  # -0 and 0 are one score
    raw = np.zeros((min(len(passing), capacity), 5))
    count = 0
    for at in best_first(best, capacity, dtype == _FLOAT):
        if count == capacity:
            break
        anchor = int(passing[at])
        column = scores[:, anchor] if columns else scores[anchor]
        class_id = int(np.argmax(without_nan(column) if dtype == _FLOAT else column))
        if allowed and not plan[11 + class_id // 32] >> class_id % 32 & 1:
            continue
        box = grid[:4, anchor] if columns else grid[anchor, :4]
        raw[count, :4] = np.array(box, dtype=np.float)
        raw[count, 4:5] = best[at : at + 1]
        labels[0, count] = anchor
        labels[1, count] = class_id
        count += 1
    if count:
        raw = raw[:count] - float(zero_point)
        for axis in (0, 1):
            half = raw[:, axis + 2] * 0.5
            values[axis, :count] = raw[:, axis] - half
            values[axis + 2, :count] = raw[:, axis] + half
        values[4, :count] = raw[:, 4] + 0.0
    return count


def _best_of_floats(scores, columns, anchors, classes):
    """The largest score of each anchor, NaN apart."""
    first = scores[0] if columns else scores[:, 0]
    if np.all(first == first[:]):
        return np.max(scores, axis=0 if columns else 1)  # camera: long-axis: as above
    best = np.zeros(anchors)
    step = max(1, _BLOCK // classes)
    for at in range(0, anchors, step):
        if columns:
            # camera: long-axis: as above
            best[at : at + step] = np.max(without_nan(scores[:, at : at + step]), axis=0)
        else:
            # camera: long-axis: as above
            best[at : at + step] = np.max(without_nan(scores[at : at + step]), axis=1)
    return best


def best_first(scores, some, fractional):
    """Positions of the scores, from the largest to the least and equal ones in order; mostly `some` are asked for.

    n log n for any scores. MicroPython's list.sort is not: its pivot is the last element, so that scores which are equal, or
    in order already, take quadratic time (8,400 equal ones 600 times as long as here). ulab's sort, a heap sort, tells the
    score of rank `some`: only the positions above it become objects, and go through a heap. Who asks for more, a class
    filter being at work, gets twice as many the next time.
    """
    ranked = np.sort(scores)  # camera: argsort: floats, and sort is no argsort
    left = len(scores)
    above = None
    while left:
        start = max(0, left - some)
        least = ranked[start : start + 1]
        inside = scores > least
        if above is not None:
            inside = inside * (scores < above)
        inside = np.nonzero(inside)[0]  # camera: many-hits: of 65535 anchors at most
        equal = np.nonzero(scores == least)[0]  # camera: many-hits: of 65535 anchors at most
        left -= len(inside) + len(equal)
        if len(inside):
            chosen = np.take(scores, inside)
            # A float of the camera has 30 bits: enough for whole numbers. Of fractions, never negative, the bits serve.
            keys = array("i", chosen.tobytes()) if fractional else chosen.tolist()
            heap = list(zip([-key for key in keys], inside.tolist()))
            heapify(heap)
            while heap:
                yield heappop(heap)[1]
        for at in equal:
            yield int(at)
        above = least
        some *= 2


def suppress(plan, values, labels):
    """Greedy non-maximum suppression over candidates that are already in order.

    plan    0 count, 1 IoU threshold (float bits), 2 agnostic (0 or 1), 3 most to keep, 4 capacity (row length of values
            and labels)
    labels  row 2 is written: the positions kept, ascending

    A candidate goes when an earlier kept one of its class (any class if agnostic) has IoU > threshold with it, where
    iou = inter / (area_a + area_b - inter), inter = max(0, w) * max(0, h) of the overlap, area = (x2 - x1) * (y2 - y1)
    (torchvision's and Ultralytics' rule; 0 / 0 is NaN, which suppresses nothing). Returns how many were kept.
    """
    count, _, agnostic, most, _ = plan[:5]
    (threshold,) = fractions(plan, 1, 2)
    x1, y1, x2, y2 = [values[row, :count] for row in range(4)]
    group = labels[1, :count]
    area = (x2 - x1) * (y2 - y1)
    alive = np.ones(count, dtype=np.uint8)
    kept = 0
    for i in range(count):
        if kept == most:
            break
        if not alive[i]:
            continue
        labels[2, kept] = i
        kept += 1
        over = iou(x1, y1, x2, y2, area, i) > threshold
        if not agnostic:
            over = over * (group == group[i : i + 1])
        alive = np.where(over, 0, alive)
    return kept


def iou(x1, y1, x2, y2, area, i):
    """IoU of box i with every box, 1-D float arrays."""
    j = i + 1
    right = np.where(x2 < x2[i:j], x2, x2[i:j])
    left = np.where(x1 > x1[i:j], x1, x1[i:j])
    low = np.where(y2 < y2[i:j], y2, y2[i:j])
    high = np.where(y1 > y1[i:j], y1, y1[i:j])
    width = right - left
    height = low - high
    inter = np.where(width > 0.0, width, 0.0) * np.where(height > 0.0, height, 0.0)
    return inter / (area + area[i:j] - inter)


def place(plan, values, labels, table):
    """Kept candidates to frame rectangles and prototype windows.

    plan    0 kept, 1 capacity, 2 and 3 frame width and height, 4..7 float bits ax, bx, ay, by: frame = raw * a + b,
            8 score scale (float bits), 9 window: 0 none, 1 wanted, 10 and 11 prototype width and height,
            12 and 13 float bits px, py: prototype = raw * p, 14 and 15 padding in x and y, raw units (float bits), 16 ring:
            prototype pixels added around the window
    table   array('i') of at least 16 * kept entries, written, a row of 16 a detection:
            0..3 rect x, y, w, h in frame pixels: floor(clip(raw * a + b, 0, size) + .5) of both corners
            4 anchor, 5 class, 6 score * scale (float bits)
            7..10 crop x0, y0, x1, y1 in prototype pixels, half open: ceil((raw -+ padding) * p), clipped to the
            prototypes, x1 >= x0 (the pixels x with x1_box <= x < x2_box: Ultralytics' crop_mask)
            11..14 window x, y, w, h: the crop grown by the ring and clipped; all 0 where the crop is empty
            15 w * h of all windows before: where this one's bytes begin
    Returns w * h of all windows.
    """
    kept, _, width, height = plan[:4]
    ax, bx, ay, by, scale = fractions(plan, 4, 9)
    window, proto_width, proto_height = plan[9:12]
    px, py, pad_x, pad_y = fractions(plan, 12, 16)
    (ring,) = plan[16:17]
    positions = [int(i) for i in labels[2, :kept]]
    x1, y1, x2, y2, scores = np.take(values, positions, axis=1)
    corners = []
    for raw, a, b, size in ((x1, ax, bx, width), (y1, ay, by, height), (x2, ax, bx, width), (y2, ay, by, height)):
        corners.append(np.floor(clipped(raw * a + b, 0.0, float(size)) + 0.5))
    crops = []
    if window:
        grown = (x1 - pad_x) * px, (y1 - pad_y) * py, (x2 + pad_x) * px, (y2 + pad_y) * py
        for edge, size in zip(grown, (proto_width, proto_height, proto_width, proto_height)):
            crops.append(clipped(np.ceil(edge), 0.0, float(size)))
    scores = scores * scale
    table_floats = np.frombuffer(table, dtype=np.float)
    start = 0
    for i in range(kept):
        at = i * 16
        x0, y0, x1, y1 = [int(corner[i]) for corner in corners]
        row = [x0, y0, max(0, x1 - x0), max(0, y1 - y0), int(labels[0, positions[i]]), int(labels[1, positions[i]]), 0]
        x0, y0, x1, y1 = [int(crop[i]) for crop in crops] if window else (0, 0, 0, 0)
        x1 = max(x0, x1)
        y1 = max(y0, y1)
        row += [x0, y0, x1, y1]
        left = top = right = bottom = 0
        if x1 > x0 and y1 > y0:
            left = max(0, x0 - ring)
            top = max(0, y0 - ring)
            right = min(proto_width, x1 + ring)
            bottom = min(proto_height, y1 + ring)
        table[at : at + 16] = array("i", row + [left, top, right - left, bottom - top, start])
        table_floats[at + 6 : at + 7] = scores[i : i + 1]
        start += (right - left) * (bottom - top)
    return start


def prototype_mask(protos, head, plan, out):
    """One detection's mask: coefficients . prototypes over a window, as bytes with the threshold at 128.

    protos  prototypes, int8, uint8, int16 or float32; head the same dtype as protos
    plan    0 dtype of both, 1 and 2 prototype width and height, 3 coefficients, 4 element step from pixel to pixel,
            5 from coefficient to coefficient (NHWC: coefficients and 1; NCHW: 1 and width * height),
            6 zero point of protos, 7 of head, 8 element of the head where the first coefficient of this anchor is,
            9 element step to its next coefficient, 10..13 window x, y, w, h, 14 logit threshold in raw products
            (uint8, int8: an integer within +-2^23; int16, float32: float bits), 15 element step of the head from anchor to
            anchor, 16 words (0: none) that follow: rows of place's table. Then of each row the anchor (8 is that of
            anchor 0) and the window are taken, and its bytes go to where the row says
    out     bytearray or uint8 array of w * h, written: 128 and more where sum((c - zc) * (p - zp)) > threshold

    uint8 and int8 in integers: byte = 128 + ((sum - threshold - 1) >> shift) clipped to 0..255, with the smallest shift
    for which max |sum - threshold| over every second pixel of every second row of the window is at most 127 << shift.
    int16 and float32 in float32 (a NaN's |.| is 0): byte = 127 + ceil((sum - threshold) * k) clipped to 0..255, k = 127 /
    that maximum; 1 where the maximum is 0 or infinite or k is. Such a sum runs in four lanes, lane j adding the products
    of coefficients j, j + 4, j + 8, ... in order, from 0; then (lane 0 + lane 1) + (lane 2 + lane 3).
    """
    dtype, _, _, coefficients = plan[:4]
    head_zero_point, first, step, _, window_y, window_w, window_h, threshold = plan[7:15]
    anchor_step, rows = plan[15:17]
    for at in range(17, 17 + rows, ROW):
        row = plan[at : at + ROW]
        (anchor,) = row[4:5]
        window_x, window_y, window_w, window_h, start = row[11:16]
        one = plan[:16] + array("i", (0,))
        one[8:9] = array("i", (first + anchor * anchor_step,))
        one[10:14] = array("i", (window_x, window_y, window_w, window_h))
        if window_w:
            prototype_mask(protos, head, one, memoryview(out)[start : start + window_w * window_h])
    if rows:
        return
    exact = dtype == 66 or dtype == 98
    if exact:
        threshold = float(threshold)
    else:
        (threshold,) = fractions(plan, 14, 15)
    head = head.reshape((_size(head),))[first : first + (coefficients - 1) * step + 1 : step]
    factors = np.array(head, dtype=np.float) - float(head_zero_point)
    into = np.frombuffer(out, dtype=np.uint8)
    sums = np.zeros((window_h, window_w))
    largest = np.zeros(1)
    for y in range(window_h):
        total = (_exact_dot if exact else _lane_dot)(protos, plan, window_y + y, factors)
        sums[y] = total - threshold
        if not y & 1:
            sample = sums[y, ::2]
            sample = np.where(sample > 0.0, sample, 0.0) + np.where(sample < 0.0, 0.0 - sample, 0.0)
            most = maximum(sample)
            largest = np.where(most > largest, most, largest)
    if exact:
        shift = 0
        while int(largest[0]) > 127 << shift:
            shift += 1
        scale = 1.0 / (1 << shift)
        for y in range(window_h):
            row = np.floor((sums[y] - 1.0) * scale) + 128.0
            into[y * window_w : (y + 1) * window_w] = np.array(clipped(row, 0.0, 255.0), dtype=np.uint8)
        return
    factor = np.ones(1)
    if largest[0] > 0.0 and np.isfinite(largest)[0]:
        factor = 127.0 / largest
        if not np.isfinite(factor)[0]:
            factor = np.ones(1)
    for y in range(window_h):
        row = np.ceil(sums[y] * factor) + 127.0
        into[y * window_w : (y + 1) * window_w] = np.array(clipped(row, 0.0, 255.0), dtype=np.uint8)


def detected(setup, outputs, shared, table, first, many):
    """What a BoxSetup has found: a Detection for each of so many rows of place's table, the first of which begins there.

    shared  what `setup.masks` told, or None
    """
    names = setup.names
    detection = setup.detection
    mask = setup.mask if shared else None
    keypoints = setup.keypoints
    left, top, _, _ = setup.fit.roi
    found = []
    for at in range(first, first + many * ROW, ROW):
        x, y, w, h = unpack_from("4i", table, 4 * at)
        class_id, score = unpack_from("if", table, 4 * (at + ROW_CLASS_ID))
        found.append(
            detection(
                (x + left, y + top, w, h),
                score,
                class_id,
                names[class_id] or setup.name_of(class_id),
                mask(shared, at) if mask else None,
                keypoints(outputs, table[at + ROW_ANCHOR]) if keypoints else None,
            )
        )
    return found


def dedupe(plan, table, data):
    """Drop the rows of place's table of whose mask too large a part lies inside a better one's.

    plan    0 rows, best first; 1 the part, in 1024ths: a row goes if inside * 1024 > own * part; 2 agnostic (0: only a
            row of its class makes another go)
    table   rows of 16 as place writes them; those that stay move up, in their order
    data    the masks' bytes: 128 and more is inside

    A mask counts within its crop; a row is compared with those before it that stay. One with nothing inside stays. Returns
    how many stay.
    """
    rows, part, agnostic = plan[:3]
    pixels = np.frombuffer(data, dtype=np.uint8) if len(data) else None
    kept = 0
    for i in range(rows):
        row = table[i * ROW : i * ROW + ROW]
        class_id, _, crop_x0, crop_y0, crop_x1, crop_y1 = row[5:11]
        own = 0
        stays = True
        for j in range(kept):
            better = table[j * ROW : j * ROW + ROW]
            if better[ROW_CLASS_ID] != class_id and not agnostic:
                continue
            x0, y0 = max(crop_x0, better[7]), max(crop_y0, better[8])
            x1, y1 = min(crop_x1, better[9]), min(crop_y1, better[10])
            if x1 <= x0 or y1 <= y0:
                continue
            if not own:
                own = total(_inside(pixels, row, crop_x0, crop_y0, crop_x1, crop_y1))
            both = _inside(pixels, row, x0, y0, x1, y1) * _inside(pixels, better, x0, y0, x1, y1)
            if total(both) * 1024 > own * part:
                stays = False
                break
        if stays:
            table[kept * ROW : kept * ROW + ROW] = row
            kept += 1
    return kept


def _inside(pixels, row, x0, y0, x1, y1):
    """A part of a row's mask, 1.0 where it is inside: a sum over uint8 would wrap."""
    window_x, window_y, window_w, window_h, start = row[11:16]
    window = pixels[start : start + window_w * window_h].reshape((window_h, window_w))
    # camera: int-with-array: bytes, and 128 is one
    return np.where(window[y0 - window_y : y1 - window_y, x0 - window_x : x1 - window_x] >= 128, 1.0, 0.0)


def _size(a):
    size = 1
    for n in a.shape:
        size *= n
    return size


def _row(protos, plan, y):
    """One window row of the prototypes as it is: (w, terms) for NHWC, (terms, w) for NCHW; and whether the first."""
    _, width, height, coefficients, _, coefficient_step = plan[:6]
    window_x, _, window_w = plan[10:13]
    start = y * width + window_x
    if coefficient_step == 1:
        return protos.reshape((height * width, coefficients))[start : start + window_w], True
    return protos.reshape((coefficients, height * width))[:, start : start + window_w], False


def _exact_dot(protos, plan, y, factors):
    # Integers below 2^24 in float32: whatever the order of the additions, the sum is exact. So the prototypes stay bytes
    # and their zero point comes off the sum: making floats of them would cost three times what the products cost.
    row, last = _row(protos, plan, y)
    (zero_point,) = plan[6:7]
    (window_w,) = plan[12:13]
    terms = len(factors)
    offset = float(np.dot(np.ones(terms), factors)) * zero_point
    if last:
        return np.dot(row, factors.reshape((terms, 1))).reshape((window_w,)) - offset
    return np.dot(factors.reshape((1, terms)), row).reshape((window_w,)) - offset


def _lane_dot(protos, plan, y, factors):
    row, last = _row(protos, plan, y)
    (zero_point,) = plan[6:7]
    (window_w,) = plan[12:13]
    row = np.array(row, dtype=np.float) - float(zero_point)
    lanes = [np.zeros(window_w) for _ in range(4)]
    for i in range(len(factors)):
        lanes[i & 3] = lanes[i & 3] + (row[:, i] if last else row[i]) * factors[i : i + 1]
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
