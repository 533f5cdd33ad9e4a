"""From a YOLOv8 head to boxes and masks, in plain ulab: the reference of helium/boxes.py and m7/boxes.py.

Conventions: numeric.py.
"""

from array import array
from heapq import heapify, heappop
from struct import unpack_from

from micropython import const
from ulab import numpy as np

from ...tensors.quantization import FLOAT
from ..params.boxes import BOXES_TO_FRAME_KEPT, ROW, ROW_ANCHOR, ROW_CLASS_ID
from .numeric import LARGEST, clipped, fractions, maximum, total, without_nan

_BLOCK = const(16384)  # elements worked on at once: what a temporary array costs in memory


def candidates(head, params, values, indices):
    """The anchors whose best class reaches the threshold, best first.

    head    a YOLOv8 head, channels x anchors in either storage order: 4 box rows (cx, cy, w, h), the classes, the rest; or
            the class scores of a split head
    params  0 dtype, 1 anchors, 2 channels, 3 element step from channel to channel, 4 element step from anchor to anchor,
            5 first class channel, 6 classes, 7 zero point, 8 cut (integer: keep q >= cut; float bits: keep v >= cut),
            9 capacity, 10 number of words of the class filter that follow (0: no filter): bit c % 32 of word 11 + c // 32
            allows class c
    values  float32 (5, capacity), written: rows x1, y1, x2, y2 (raw units: cx - w * .5, ..., cx + w * .5) and score
            (raw units, + 0.0). A head whose first class channel is less than 4 has no boxes: rows 0..3 are workspace then
    indices uint16 (3, capacity), written: row 0 anchor, row 1 class

    The best class of an anchor is the first maximum. NaN is never a maximum, and an anchor with only NaN does not pass. The
    filter applies after the maximum. Order: score descending, then anchor ascending; beyond the capacity the last in that
    order are dropped. Returns how many were written.
    """
    dtype, anchors, channels, channel_step, anchor_step = params[:5]
    first_class, classes, zero_point, cut, capacity, allowed = params[5:11]
    columns = channel_step != 1 or anchor_step != channels
    if not columns:
        grid = head.reshape((anchors, channels))
        scores = grid[:, first_class : first_class + classes]
    else:
        if anchor_step == 1 and channel_step == anchors:
            grid = head.reshape((channels, anchors))
        else:
            grid = _dense(head, anchors, channels, channel_step, anchor_step)
        scores = grid[first_class : first_class + classes]
    if dtype == FLOAT:
        (cut,) = fractions(params, 8, 9)
        best = _best_of_floats(scores, columns, anchors, classes)
    else:
        if cut > LARGEST[dtype]:
            return 0
        best = np.max(scores, axis=0 if columns else 1)  # camera: long-axis: yolov8.py takes 65535 classes at most
        cut = np.array([cut], dtype=best.dtype)  # of the same dtype: ulab compares int16 with others as unsigned
    passing = np.nonzero(best >= cut)[0]  # camera: many-hits: yolov8.py takes 65535 anchors at most
    if not passing.size:
        return 0
    best = np.array(np.take(best, passing), dtype=np.float) + 0.0  # -0 and 0 are one score
    raw = np.zeros((min(len(passing), capacity), 5))
    count = 0
    for at in best_first(best, capacity, dtype == FLOAT):
        if count == capacity:
            break
        anchor = int(passing[at])
        column = scores[:, anchor] if columns else scores[anchor]
        class_id = int(np.argmax(without_nan(column) if dtype == FLOAT else column))
        if allowed and not params[11 + class_id // 32] >> class_id % 32 & 1:
            continue
        if first_class >= 4:
            box = grid[:4, anchor] if columns else grid[anchor, :4]
            raw[count, :4] = np.array(box, dtype=np.float)
        raw[count, 4:5] = best[at : at + 1]
        indices[0, count] = anchor
        indices[1, count] = class_id
        count += 1
    if count:
        raw = raw[:count] - float(zero_point)
        for axis in (0, 1) if first_class >= 4 else ():
            half = raw[:, axis + 2] * 0.5
            values[axis, :count] = raw[:, axis] - half
            values[axis + 2, :count] = raw[:, axis] + half
        values[4, :count] = raw[:, 4] + 0.0
    return count


def _dense(head, anchors, channels, channel_step, anchor_step):
    """A copy (channels, anchors) of a head with other steps than those of a dense array."""
    flat = head.reshape((_size(head),))
    grid = np.zeros((channels, anchors), dtype=head.dtype)
    for channel in range(channels):
        first = channel * channel_step
        grid[channel] = flat[first : first + (anchors - 1) * anchor_step + 1 : anchor_step]
    return grid


def _best_of_floats(scores, columns, anchors, classes):
    """The largest score of each anchor, ignoring NaN."""
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
    """A generator of the positions of the scores, the largest score first, equal scores in their order.

    some    how many positions the caller will probably take. If it takes more (a class filter drops some), the next batch is
            twice as large

    It takes n log n for any scores. MicroPython's list.sort does not: its pivot is the last element, so equal or sorted
    scores take quadratic time (8,400 equal ones take 600 times as long as here). ulab's sort, a heap sort, gives the score
    of rank `some`; only the positions of higher scores become objects, and are ordered by a heap.
    """
    ranked = np.sort(scores)  # camera: argsort: floats, and sort is no argsort
    left = len(scores)
    above = None
    while left:
        start = max(0, left - some)
        lowest = ranked[start : start + 1]
        inside = scores > lowest
        if above is not None:
            inside = inside * (scores < above)
        inside = np.nonzero(inside)[0]  # camera: many-hits: of 65535 anchors at most
        equal = np.nonzero(scores == lowest)[0]  # camera: many-hits: of 65535 anchors at most
        left -= inside.size + equal.size
        if inside.size:
            chosen = np.take(scores, inside)
            # A float object of the camera has 30 bits, enough for whole numbers. Fractions are ordered by their bits, all
            # but the sign turned over if they are negative.
            if fractional:
                keys = [-(key ^ (key >> 31 & 0x7FFFFFFF)) for key in array("i", chosen.tobytes())]
            else:
                keys = [-key for key in chosen.tolist()]
            heap = list(zip(keys, inside.tolist()))
            heapify(heap)
            while heap:
                yield heappop(heap)[1]
        for at in equal:
            yield int(at)
        above = lowest
        some *= 2


def suppress(params, values, indices):
    """Greedy non-maximum suppression over candidates that are already in order.

    params  0 count, 1 IoU threshold (float bits), 2 class_agnostic (0 or 1), 3 maximum number to keep, 4 capacity (row
            length of values and indices)
    values  float32 (5, capacity), as candidates writes it: rows x1, y1, x2, y2 are read
    indices uint16 (3, capacity): row 1, the class, is read; row 2 is written: the positions kept, ascending

    A candidate is dropped if an earlier kept one of its class (of any class if class_agnostic) has IoU > threshold with it,
    where iou = inter / (area_a + area_b - inter), inter = max(0, w) * max(0, h) of the overlap, and area = (x2 - x1) *
    (y2 - y1). This is the rule of torchvision and Ultralytics. 0 / 0 is NaN, which suppresses nothing. Returns how many were
    kept.
    """
    count, _, class_agnostic, most, _ = params[:5]
    (threshold,) = fractions(params, 1, 2)
    x1, y1, x2, y2 = [values[row, :count] for row in range(4)]
    group = indices[1, :count]
    area = (x2 - x1) * (y2 - y1)
    alive = np.ones(count, dtype=np.uint8)
    kept = 0
    for i in range(count):
        if kept == most:
            break
        if not alive[i]:
            continue
        indices[2, kept] = i
        kept += 1
        over = iou(x1, y1, x2, y2, area, i) > threshold
        if not class_agnostic:
            over = over * (group == group[i : i + 1])
        alive = np.where(over, 0, alive)
    return kept


def iou(x1, y1, x2, y2, area, i):
    """The IoU of box i with every box. All arguments but i are 1-D float arrays, as is the result."""
    j = i + 1
    right = np.where(x2 < x2[i:j], x2, x2[i:j])
    left = np.where(x1 > x1[i:j], x1, x1[i:j])
    low = np.where(y2 < y2[i:j], y2, y2[i:j])
    high = np.where(y1 > y1[i:j], y1, y1[i:j])
    width = right - left
    height = low - high
    inter = np.where(width > 0.0, width, 0.0) * np.where(height > 0.0, height, 0.0)
    return inter / (area + area[i:j] - inter)


def boxes_to_frame(params, values, indices, table):
    """Convert the kept candidates to frame rectangles and windows of the prototypes.

    A candidate whose rectangle has no pixel gets no row.

    params  0 kept; written: the number of rows, 1 capacity, 2 and 3 frame width and height, 4..7 float bits ax, bx, ay, by:
            frame = raw * a + b, 8 score scale (float bits), 9 window: 1 to compute crop and window, else 0, 10 and 11
            prototype width and height, 12 and 13 float bits px, py: prototype = raw * p, 14 and 15 padding in x and y, raw
            units (float bits), 16 ring: prototype pixels added around the window
    values  float32 (5, capacity), as candidates writes it
    indices uint16 (3, capacity), as candidates and suppress write it
    table   array('i') of at least 16 * kept entries, written, a row of 16 for each detection (what follows the last row is
            undefined):
            0..3 rect x, y, w, h in frame pixels: floor(clip(raw * a + b, 0, size) + .5) of both corners
            4 anchor, 5 class, 6 score * scale (float bits)
            7..10 crop x0, y0, x1, y1 in prototype pixels, half open: ceil((raw -+ padding) * p), clipped to the
            prototypes, x1 >= x0 (the pixels x with x1_box <= x < x2_box: Ultralytics' crop_mask)
            11..14 window x, y, w, h: the crop grown by the ring and clipped; all 0 if the crop is empty
            15 start: the sum of w * h of all windows before, where this one's bytes begin
    Returns the sum of w * h of all windows.
    """
    kept, _, width, height = params[:4]
    ax, bx, ay, by, scale = fractions(params, 4, 9)
    window, proto_width, proto_height = params[9:12]
    px, py, pad_x, pad_y = fractions(params, 12, 16)
    (ring,) = params[16:17]
    positions = [int(i) for i in indices[2, :kept]]
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
    at = 0
    for i in range(kept):
        x0, y0, x1, y1 = [int(corner[i]) for corner in corners]
        if x1 <= x0 or y1 <= y0:
            continue
        row = [x0, y0, x1 - x0, y1 - y0, int(indices[0, positions[i]]), int(indices[1, positions[i]]), 0]
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
        at += 16
    params[BOXES_TO_FRAME_KEPT] = at // 16
    return start


def prototype_mask(protos, head, params, out):
    """Masks of detections: coefficients . prototypes over a window, as bytes with the threshold at 128.

    protos  prototypes, int8, uint8, int16 or float32
    head    the head's output with the mask coefficients, of the same dtype
    params  0 dtype of both, 1 and 2 prototype width and height, 3 coefficients, 4 element step from pixel to pixel,
            5 element step from coefficient to coefficient (NHWC: coefficients and 1; NCHW: 1 and width * height),
            6 zero point of protos, 7 zero point of head, 8 element of the head with the first coefficient of this anchor,
            9 element step to its next coefficient, 10..13 window x, y, w, h in prototype pixels, 14 logit threshold in raw
            products (uint8, int8: an integer within +-2^23; int16, float32: float bits), 15 element step of the head from
            anchor to anchor, 16 and 17 low and high, 18 number of words that follow: rows of the table of boxes_to_frame.
            With rows, there is a mask for each whose anchor is in range(low, high): anchor, window and start are taken from
            the row, and entry 8 is that of anchor 0
    out     bytearray or uint8 array, written: w * h bytes for each window, 128 and more where
            sum((c - zc) * (p - zp)) > threshold

    uint8 and int8 in integers: byte = 128 + ((sum - threshold - 1) >> shift) clipped to 0..255, with the smallest shift
    for which max |sum - threshold| over every second pixel of every second row of the window is at most 127 << shift.
    int16 and float32 in float32 (|NaN| counts as 0): byte = 127 + ceil((sum - threshold) * k) clipped to 0..255, with k =
    127 / that maximum, or k = 1 if the maximum is 0 or infinite or the quotient is infinite. Such a sum runs in four lanes:
    lane j adds the products of coefficients j, j + 4, j + 8, ... in order, from 0; then (lane 0 + lane 1) + (lane 2 + lane
    3).
    """
    dtype, _, _, coefficients = params[:4]
    head_zero_point, first, step, _, window_y, window_w, window_h, threshold = params[7:15]
    anchor_step, low, high, rows = params[15:19]
    for at in range(19, 19 + rows, ROW):
        row = params[at : at + ROW]
        (anchor,) = row[4:5]
        if not low <= anchor < high:
            continue
        window_x, window_y, window_w, window_h, start = row[11:16]
        one = params[:18] + array("i", (0,))
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
        (threshold,) = fractions(params, 14, 15)
    head = head.reshape((_size(head),))[first : first + (coefficients - 1) * step + 1 : step]
    factors = np.array(head, dtype=np.float) - float(head_zero_point)
    into = np.frombuffer(out, dtype=np.uint8)
    sums = np.zeros((window_h, window_w))
    largest = np.zeros(1)
    for y in range(window_h):
        total = (_exact_dot if exact else _lane_dot)(protos, params, window_y + y, factors)
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


_store = object.__setattr__  # past Detection.__setattr__


def make_detections(making, outputs, shared, table, first, count):
    """A list of Detection, one for each row of the table of boxes_to_frame.

    making      names by class number (None: not needed so far), name_of(class number); what makes a Detection; mask(shared,
                entry) and keypoints(outputs, anchor), or None; left and top of the roi; what `_source` of a Detection is
    outputs     the network's outputs, which `keypoints` reads
    shared      what `mask` reads, or None
    table       array('i'), as boxes_to_frame writes it
    first       the entry of the table where the first row begins
    count       number of rows
    """
    names, name_of, make, mask, keypoints, left, top, source = making
    detections = []
    for at in range(first, first + count * ROW, ROW):
        x, y, w, h = unpack_from("4i", table, 4 * at)
        class_id, score = unpack_from("if", table, 4 * (at + ROW_CLASS_ID))
        made = make(
            (x + left, y + top, w, h),
            score,
            class_id,
            names[class_id] or name_of(class_id),
            mask(shared, at) if mask else None,
            keypoints(outputs, table[at + ROW_ANCHOR]) if keypoints else None,
        )
        _store(made, "_source", source)
        detections.append(made)
    return detections


def suppress_masks(params, table, data):
    """Drop detections whose mask is empty, or lies mostly inside the mask of a better one.

    params  0 rows, 1 part, a fraction in 1/1024: a row is dropped if inside * 1024 > own * part (1024 or more: never),
            2 class_agnostic (0: only rows of the same class are compared), 3 and 4 frame width and height, 5 and 6 margin:
            frame pixels by which a mask reaches beyond its rect, 7..10 float bits ax, bx, ay, by: frame pixel x is in the
            column floor(x * ax + bx) of the mask
    table   rows of 16 as boxes_to_frame writes them, best first; the rows that are kept move up, in their order
    data    the masks' bytes, as prototype_mask writes them: 128 and more is inside

    Only the pixels within a mask's crop count. A mask is empty if none of them is inside in the columns and rows of its
    frame pixels: the rect, grown by the margin, in the frame. A row is compared with the kept rows before it. Returns how
    many are kept.
    """
    rows, part, class_agnostic, width, height, margin_x, margin_y = params[:7]
    ax, bx, ay, by = fractions(params, 7, 11)
    pixels = np.frombuffer(data, dtype=np.uint8) if len(data) else None
    kept = 0
    for i in range(rows):
        row = table[i * ROW : i * ROW + ROW]
        class_id, _, crop_x0, crop_y0, crop_x1, crop_y1 = row[5:11]
        x, y, w, h = row[:4]
        x0, x1 = _mask_pixels(max(0, x - margin_x), min(width, x + w + margin_x), ax, bx)
        y0, y1 = _mask_pixels(max(0, y - margin_y), min(height, y + h + margin_y), ay, by)
        x0, y0, x1, y1 = max(crop_x0, x0), max(crop_y0, y0), min(crop_x1, x1), min(crop_y1, y1)
        if x1 <= x0 or y1 <= y0 or not total(_inside(pixels, row, x0, y0, x1, y1)):
            continue
        own = 0
        stays = True
        for j in range(kept if part < 1024 else 0):
            better = table[j * ROW : j * ROW + ROW]
            if better[ROW_CLASS_ID] != class_id and not class_agnostic:
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


def _mask_pixels(first, last, a, b):
    """The columns (or rows) of a mask, from and to, that the frame pixels from `first` to before `last` are in."""
    ends = np.floor(np.array([first, last - 1], dtype=np.float) * a + b)
    return int(ends[0]), int(ends[1]) + 1


def _inside(pixels, row, x0, y0, x1, y1):
    """A part of a row's mask as floats, 1.0 inside and 0.0 outside: a sum of uint8 would wrap."""
    window_x, window_y, window_w, window_h, start = row[11:16]
    window = pixels[start : start + window_w * window_h].reshape((window_h, window_w))
    # camera: int-with-array: bytes, and 128 is one
    return np.where(window[y0 - window_y : y1 - window_y, x0 - window_x : x1 - window_x] >= 128, 1.0, 0.0)


def _size(a):
    size = 1
    for n in a.shape:
        size *= n
    return size


def _row(protos, params, y):
    """One row of the window, in the prototypes' own dtype, and whether their layout is NHWC: (w, terms), else (terms, w)."""
    _, width, height, coefficients, _, coefficient_step = params[:6]
    window_x, _, window_w = params[10:13]
    start = y * width + window_x
    if coefficient_step == 1:
        return protos.reshape((height * width, coefficients))[start : start + window_w], True
    return protos.reshape((coefficients, height * width))[:, start : start + window_w], False


def _exact_dot(protos, params, y, factors):
    # Integers below 2^24 in float32: the sum is exact in any order. So the prototypes stay bytes, and their zero point is
    # subtracted from the sum: converting them to floats would cost three times as much as the products.
    row, last = _row(protos, params, y)
    (zero_point,) = params[6:7]
    (window_w,) = params[12:13]
    terms = len(factors)
    offset = float(np.dot(np.ones(terms), factors)) * zero_point
    if last:
        return np.dot(row, factors.reshape((terms, 1))).reshape((window_w,)) - offset
    return np.dot(factors.reshape((1, terms)), row).reshape((window_w,)) - offset


def _lane_dot(protos, params, y, factors):
    row, last = _row(protos, params, y)
    (zero_point,) = params[6:7]
    (window_w,) = params[12:13]
    row = np.array(row, dtype=np.float) - float(zero_point)
    lanes = [np.zeros(window_w) for _ in range(4)]
    for i in range(len(factors)):
        lanes[i & 3] = lanes[i & 3] + (row[:, i] if last else row[i]) * factors[i : i + 1]
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])
