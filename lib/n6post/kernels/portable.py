"""The loops that touch every byte, in plain ulab: the reference of helium.py.

Every function takes dense arrays and one *plan*: an `array('i')` made once per model, read by position, whose float
entries hold float32 bits (write and read them through `np.frombuffer(plan, dtype=np.float)`, which shares the memory).
Python floats never carry a value that matters: on the camera they have 30 bits.

All float arithmetic is float32, one rounding an operation, in the order written here: helium.py gives the same bits (but
Helium counts denormals as 0). "dtype" in a plan is ulab's own code: 66 uint8, 98 int8, 104 int16, 102 float32. An *element
step* counts elements, not bytes. Raw units are `q - zero_point` (floats: the value itself). "a clipped to lo..hi" is
`a > lo ? a : lo`, then `a < hi ? a : hi`: NaN gives lo.
"""

from array import array

from micropython import const
from ulab import numpy as np

_FLOAT = const(102)
_LARGEST = {66: 255, 98: 127, 104: 32767}
_BLOCK = const(16384)  # elements worked on at once: what a temporary array costs in memory


def _floats(words):
    """The float32 view of an array('i')."""
    return np.frombuffer(words, dtype=np.float)


def _clipped(a, low, high):
    a = np.where(a > low, a, low)
    return np.where(a < high, a, high)


def _without_nan(a):
    """NaN to -inf: ulab's max and argmax pass over NaN except in the first place, where it sticks."""
    return np.where(a == a[:], a, -np.inf)  # `a == a` is True: MicroPython does not ask an object whether it equals itself


def _maximum(a):
    # An array of one: a scalar would lose bits, and keepdims=True gives a 1-D array the shape (0, 1).
    return np.max(a.reshape((1, len(a))), axis=1)


def candidates(head, plan, values, labels):
    """The anchors whose best class reaches the threshold, best first.

    head    a YOLOv8 head, channels x anchors in either storage order: 4 box rows (cx, cy, w, h), the classes, the rest
    plan    0 dtype, 1 anchors, 2 channels, 3 element step from channel to channel, 4 element step from anchor to anchor,
            5 first class channel, 6 classes, 7 zero point, 8 cut (integer: keep q >= cut; float bits: keep v >= cut),
            9 capacity, 10 class filter (0: none; 1: the bits of plan[16:] name the allowed classes, bit c % 32 of word
            16 + c // 32)
    values  float32 (5, capacity), written: rows x1, y1, x2, y2 (raw units: cx - w * .5, ..., cx + w * .5) and score
            (raw units, + 0.0)
    labels  uint16 (3, capacity), written: row 0 anchor, row 1 class

    The best class of an anchor is the first maximum; NaN is never a maximum and an anchor of NaNs alone never passes.
    The filter applies after the maximum. Order: score descending, anchor ascending; beyond the capacity the last of
    that order are dropped. Returns how many were written.
    """
    dtype, anchors, channels, _, anchor_step, first, classes, zero_point, _, capacity, filtered = plan[:11]
    if anchor_step == 1:
        grid = head.reshape((channels, anchors))
        scores = grid[first : first + classes]
        best = np.max(scores, axis=0)
    else:
        grid = head.reshape((anchors, channels))
        scores = grid[:, first : first + classes]
        best = np.max(scores, axis=1)
    if dtype == _FLOAT:
        cut = _floats(plan)[8:9]
        for anchor in np.nonzero(best != best[:])[0]:
            anchor = int(anchor)
            column = scores[:, anchor] if anchor_step == 1 else scores[anchor]
            best[anchor : anchor + 1] = _maximum(_without_nan(column))
        best = best + 0.0
        keys = array("i", best.tobytes())  # scores are not negative: their bits order as they do
    else:
        if plan[8] > _LARGEST[dtype]:
            return 0
        cut = np.array([plan[8]], dtype=best.dtype)  # of the same dtype: ulab compares int16 with others as unsigned
        keys = best
    order = sorted([(-int(keys[int(anchor)]), int(anchor)) for anchor in np.nonzero(best >= cut)[0]])
    raw = np.zeros((max(1, min(len(order), capacity)), 5))
    count = 0
    for _, anchor in order:
        if count == capacity:
            break
        column = scores[:, anchor] if anchor_step == 1 else scores[anchor]
        class_id = int(np.argmax(_without_nan(column) if dtype == _FLOAT else column))
        if filtered and not plan[16 + class_id // 32] >> class_id % 32 & 1:
            continue
        box = grid[:4, anchor] if anchor_step == 1 else grid[anchor, :4]
        raw[count, :4] = np.array(box, dtype=np.float)
        raw[count, 4:5] = np.array(best[anchor : anchor + 1], dtype=np.float)
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
    threshold = _floats(plan)[1:2]
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
    kept = plan[0]
    floats = _floats(plan)
    positions = [int(i) for i in labels[2, :kept]]
    raw = np.take(values, positions, axis=1)
    corners = []
    for at in range(4):
        axis = at & 1
        mapped = raw[at] * floats[4 + 2 * axis : 5 + 2 * axis] + floats[5 + 2 * axis : 6 + 2 * axis]
        corners.append(np.floor(_clipped(mapped, 0.0, float(plan[2 + axis])) + 0.5))
    crops = []
    if plan[9]:
        for at in range(4):
            axis = at & 1
            padding = floats[14 + axis : 15 + axis]
            grown = raw[at] - padding if at < 2 else raw[at] + padding
            crops.append(_clipped(np.ceil(grown * floats[12 + axis : 13 + axis]), 0.0, float(plan[10 + axis])))
    scores = raw[4] * floats[8:9]
    table_floats = _floats(table)
    size = 0
    for i in range(kept):
        at = i * 16
        x0, y0, x1, y1 = [int(corner[i]) for corner in corners]
        table[at] = x0
        table[at + 1] = y0
        table[at + 2] = max(0, x1 - x0)
        table[at + 3] = max(0, y1 - y0)
        table[at + 4] = int(labels[0, positions[i]])
        table[at + 5] = int(labels[1, positions[i]])
        table_floats[at + 6 : at + 7] = scores[i : i + 1]
        for k in range(7, 16):
            table[at + k] = 0
        if plan[9]:
            x0, y0, x1, y1 = [int(crop[i]) for crop in crops]
            x1 = max(x0, x1)
            y1 = max(y0, y1)
            table[at + 7] = x0
            table[at + 8] = y0
            table[at + 9] = x1
            table[at + 10] = y1
            if x1 > x0 and y1 > y0:
                ring = plan[16]
                table[at + 11] = max(0, x0 - ring)
                table[at + 12] = max(0, y0 - ring)
                table[at + 13] = min(plan[10], x1 + ring) - table[at + 11]
                table[at + 14] = min(plan[11], y1 + ring) - table[at + 12]
        table[at + 15] = size
        size += table[at + 13] * table[at + 14]
    return size


def prototype_mask(protos, head, plan, out):
    """One detection's mask: coefficients . prototypes over a window, as bytes with the threshold at 128.

    protos  prototypes, int8, uint8, int16 or float32; head the same dtype as protos
    plan    0 dtype of both, 1 and 2 prototype width and height, 3 coefficients, 4 element step from pixel to pixel,
            5 from coefficient to coefficient (NHWC: coefficients and 1; NCHW: 1 and width * height),
            6 zero point of protos, 7 of head, 8 element of the head where the first coefficient of this anchor is,
            9 element step to its next coefficient, 10..13 window x, y, w, h, 14 logit threshold in raw products
            (uint8, int8: an integer within +-2^23; int16, float32: float bits)
    out     bytearray or uint8 array of w * h, written: 128 and more where sum((c - zc) * (p - zp)) > threshold

    uint8 and int8 in integers: byte = 128 + ((sum - threshold - 1) >> shift) clipped to 0..255, with the smallest shift
    for which max |sum - threshold| over every second pixel of every second row of the window is at most 127 << shift.
    int16 and float32 in float32 (a NaN's |.| is 0): byte = 127 + ceil((sum - threshold) * k) clipped to 0..255, k = 127 /
    that maximum; 1 where the maximum is 0 or infinite or k is. Such a sum runs in four lanes, lane j adding the products
    of coefficients j, j + 4, j + 8, ... in order, from 0; then (lane 0 + lane 1) + (lane 2 + lane 3).
    """
    dtype, _, _, terms = plan[:4]
    head = head.reshape((_size(head),))
    start, step = plan[8], plan[9]
    terms_end = start + (terms - 1) * step + 1
    coefficients = np.array(head[start:terms_end:step], dtype=np.float) - float(plan[7])
    width, height = plan[12:14]
    into = np.frombuffer(out, dtype=np.uint8)
    exact = dtype == 66 or dtype == 98
    threshold = float(plan[14]) if exact else _floats(plan)[14:15]
    sums = np.zeros((height, width))
    largest = np.zeros(1)
    for y in range(height):
        total = (_exact_dot if exact else _lane_dot)(protos, plan, plan[11] + y, coefficients)
        sums[y] = total - threshold
        if not y & 1:
            sample = sums[y, ::2]
            sample = np.where(sample > 0.0, sample, 0.0) + np.where(sample < 0.0, 0.0 - sample, 0.0)
            most = _maximum(sample)
            largest = np.where(most > largest, most, largest)
    if exact:
        shift = 0
        while int(largest[0]) > 127 << shift:
            shift += 1
        scale = 1.0 / (1 << shift)
        for y in range(height):
            row = np.floor((sums[y] - 1.0) * scale) + 128.0
            into[y * width : (y + 1) * width] = np.array(_clipped(row, 0.0, 255.0), dtype=np.uint8)
        return
    factor = np.ones(1)
    if largest[0] > 0.0 and np.isfinite(largest)[0]:
        factor = 127.0 / largest
        if not np.isfinite(factor)[0]:
            factor = np.ones(1)
    for y in range(height):
        row = np.ceil(sums[y] * factor) + 127.0
        into[y * width : (y + 1) * width] = np.array(_clipped(row, 0.0, 255.0), dtype=np.uint8)


def _size(a):
    size = 1
    for n in a.shape:
        size *= n
    return size


def _row(protos, plan, y):
    """One window row of the prototypes as it is: (w, terms) for NHWC, (terms, w) for NCHW; and whether the first."""
    _, width, height, terms = plan[:4]
    start = y * width + plan[10]
    if plan[5] == 1:
        return protos.reshape((height * width, terms))[start : start + plan[12]], True
    return protos.reshape((terms, height * width))[:, start : start + plan[12]], False


def _exact_dot(protos, plan, y, coefficients):
    # Integers below 2^24 in float32: whatever the order of the additions, the sum is exact. So the prototypes stay bytes
    # and their zero point comes off the sum: making floats of them would cost three times what the products cost.
    row, last = _row(protos, plan, y)
    terms = plan[3]
    offset = float(np.dot(np.ones(terms), coefficients)) * plan[6]
    if last:
        return np.dot(row, coefficients.reshape((terms, 1))).reshape((plan[12],)) - offset
    return np.dot(coefficients.reshape((1, terms)), row).reshape((plan[12],)) - offset


def _lane_dot(protos, plan, y, coefficients):
    row, last = _row(protos, plan, y)
    row = np.array(row, dtype=np.float) - float(plan[6])
    lanes = [np.zeros(plan[12]) for _ in range(4)]
    for i in range(plan[3]):
        lanes[i & 3] = lanes[i & 3] + (row[:, i] if last else row[i]) * coefficients[i : i + 1]
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])


def class_map(logits, plan, out):
    """Argmax over channels (first maximum wins; NaN counts as -inf), or one channel against a cut (NaN is below any).

    plan    0 dtype, 1 pixels, 2 classes (1..255), 3 element step from pixel to pixel, 4 from class to class,
            5 cut (classes == 1 only: 1 where value >= cut; integer or float bits)
    out     uint8 array or bytearray of `pixels`, written
    """
    dtype, pixels, classes, _, class_step, cut = plan[:6]
    into = np.frombuffer(out, dtype=np.uint8)
    if classes == 1:
        row = logits.reshape((pixels,))
        if dtype == _FLOAT:
            cut = _floats(plan)[5:6]
        elif cut > _LARGEST[dtype]:
            into[:] = 0
            return
        else:
            cut = np.array([cut], dtype=row.dtype)
        for at in range(0, pixels, _BLOCK):
            into[at : at + _BLOCK] = row[at : at + _BLOCK] >= cut
        return
    # In blocks: an axis of 65536 and more never ends, and argmax makes an int16 of every byte that comes out.
    last = class_step == 1
    grid = logits.reshape((pixels, classes) if last else (classes, pixels))
    step = _BLOCK // classes
    for at in range(0, pixels, step):
        block = grid[at : at + step] if last else grid[:, at : at + step]
        if classes == 2 and dtype != _FLOAT:  # a seventh of what argmax and its int16 cost
            into[at : at + step] = block[:, 1] > block[:, 0] if last else block[1] > block[0]
            continue
        if dtype == _FLOAT:
            first = block[:, 0] if last else block[0]
            if not np.all(first == first[:]):
                block = _without_nan(block)
        into[at : at + step] = np.argmax(block, axis=1 if last else 0)


def count(classes, plan, out):
    """How many pixels each class has. plan 0 pixels; out array('i') of 256, overwritten."""
    row = np.frombuffer(classes, dtype=np.uint8)
    for class_id in range(256):
        out[class_id] = 0
    for at in range(0, plan[0], _BLOCK):  # bincount counts in uint16
        class_id = 0
        for pixels in np.bincount(row[at : min(at + _BLOCK, plan[0])]).tolist():
            out[class_id] += pixels
            class_id += 1


def peaks(heat, plan, out):
    """Each channel's first maximum, refined and mapped to the frame, and the box of those above a threshold.

    plan    0 dtype, 1 width, 2 height, 3 joints, 4 element step from pixel to pixel, 5 from joint to joint,
            6 zero point, 7 cut (integer, or float bits): visible is q >= cut, 8 refine (0 or 1),
            9 score scale (float bits), 10..13 float bits ax, bx, ay, by: frame = (column + dx) * a + b,
            14 and 15 frame width and height
            written: 16 visible joints, 17..20 float bits of their x1, y1, x2, y2, 21 float bits of the sum of their
            scores (in joint order)
    out     float32 (joints, 3), written: x, y (clipped to 0..size), score = raw * scale

    dx = .5 * (right - left) / ((2 * peak - left) - right) (a parabola through the three) clipped to +-.5, 0 at a border
    and where the divisor is not positive or not finite; dy alike. x = (column + dx) * a + b, clipped. The search runs row
    by row; NaN counts as -inf there, and a joint whose peak is NaN has raw 0 and is not visible. With no visible joint
    17..21 are 0.
    """
    dtype, width, height, joints, _, joint_step, zero_point, cut, refine = plan[:9]
    floats = _floats(plan)
    pixels = width * height
    last = joint_step == 1
    grid = heat.reshape((pixels, joints) if last else (joints, pixels))
    first = [0] * joints
    best = np.zeros(joints)
    step = max(1, _BLOCK // joints)
    for start in range(0, pixels, step):  # argmax counts in int16
        block = grid[start : start + step] if last else grid[:, start : start + step]
        if dtype == _FLOAT:
            block = _without_nan(block)
        top = np.array(np.max(block, axis=0 if last else 1), dtype=np.float)
        index = np.argmax(block, axis=0 if last else 1)
        better = top > best if start else np.ones(joints, dtype=np.uint8)
        best = np.where(better, top, best)
        for j in range(joints):
            if better[j]:
                first[j] = start + int(index[j])

    # Rows of `near`: the peak, its left and right, its upper and lower neighbour; at a border the peak itself.
    near = np.zeros((5, joints))
    columns = np.zeros(joints)
    rows = np.zeros(joints)
    for j in range(joints):
        at = first[j]
        column = at % width
        row = at // width
        columns[j] = column
        rows[j] = row
        dx = 1 if 0 < column < width - 1 else 0
        dy = width if 0 < row < height - 1 else 0
        k = 0
        for pixel in (at, at - dx, at + dx, at - dy, at + dy):
            near[k, j : j + 1] = grid[pixel, j : j + 1] if last else grid[j, pixel : pixel + 1]
            k += 1
    peak = near[0]
    visible = peak >= (floats[7:8] if dtype == _FLOAT else float(cut))
    score = (np.where(peak == peak[:], peak, 0.0) - float(zero_point)) * floats[9:10]
    if refine:
        columns = columns + _parabola(near[1], peak, near[2])
        rows = rows + _parabola(near[3], peak, near[4])
    x = _clipped(columns * floats[10:11] + floats[11:12], 0.0, float(plan[14]))
    y = _clipped(rows * floats[12:13] + floats[13:14], 0.0, float(plan[15]))
    out[:, 0] = x
    out[:, 1] = y
    out[:, 2] = score

    plan[16] = int(np.sum(visible))
    for k in range(17, 22):
        plan[k] = 0
    if plan[16]:
        k = 17
        for a in (x, y):
            floats[k : k + 1] = 0.0 - _maximum(np.where(visible, 0.0 - a, -np.inf))
            floats[k + 2 : k + 3] = _maximum(np.where(visible, a, -np.inf))
            k += 1
        total = np.zeros(1)
        for j in range(joints):
            if visible[j]:
                total = total + score[j : j + 1]
        floats[21:22] = total


def _parabola(low, peak, high):
    """Where the parabola through three neighbours has its top, in cells from the middle one."""
    divisor = 2.0 * peak - low - high
    usable = (divisor > 0.0) * (divisor < np.inf)
    shift = 0.5 * (high - low) / np.where(usable, divisor, 1.0)
    return np.where(usable, _clipped(shift, -0.5, 0.5), 0.0)


def aim(plan, table, at):
    """Lay one row of place's table into the plan of tint_mask: where its window lies in the frame, what it is cut to.

    plan    as tint_mask's, 24 entries: 1, 2, 7 and 8 are read, 3..6 and 9..12 are written; further 16 and 17 float bits of
            the frame position of mask pixel 0, 0 (and a half more: it is rounded down), 18..21 the part of the frame
            that the network saw: x, y, w, h, 22 and 23 margin in frame pixels that a mask has around its box
    table   rows of 16 as place writes them, entry 15 being free for the position of the mask's bytes
    at      where the row begins

    The window's left top corner is floor(window * scale + offset), its size floor(size * scale + 2^-12). The clip rectangle
    is the box, grown by the margin and clipped to the part seen, to the window and to the frame. Returns entry 15 of
    the row, or -1 where there is nothing to draw.
    """
    floats = _floats(plan)
    limits = []
    for axis in (0, 1):
        scale = floats[7 + axis : 8 + axis]
        size = table[at + 13 + axis]
        start = int(np.floor(float(table[at + 11 + axis]) * scale + floats[16 + axis : 17 + axis])[0])
        end = start + int(np.floor(float(size) * scale + 2.0**-12)[0])
        low = max(0, table[at + axis] - plan[22 + axis]) + plan[18 + axis]
        high = min(plan[20 + axis], table[at + axis] + table[at + 2 + axis] + plan[22 + axis]) + plan[18 + axis]
        plan[3 + axis] = size
        plan[5 + axis] = start
        plan[9 + axis] = max(0, start, low)
        plan[11 + axis] = min(plan[1 + axis], end, high)
        limits.append(plan[9 + axis] < plan[11 + axis])
    return table[at + 15] if limits[0] and limits[1] else -1


def tint_mask(frame, mask, plan):
    """Scale a mask bilinearly and blend one colour into the frame where it is 128 or more.

    frame   the frame's pixels: RGB565 (native uint16) or GRAYSCALE
    mask    bytes, width * height
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3 and 4 mask width and height,
            5 and 6 x and y of the mask's left top corner in the frame, 7 and 8 x and y scale (float bits, frame pixels a
            mask pixel), 9..12 clip rectangle x0, y0, x1, y1 in the frame (half open, inside the frame), 13 colour
            (RGB565; a GRAYSCALE frame takes its luma), 14 alpha 0..255, 15 centred: 0 samples as draw_image does
            (k / scale - .5), 1 at pixel centres ((k + .5) / scale - .5)

    With centred = 0 the result equals, pixel for pixel and inside the clip rectangle,
    frame.draw_image(mask, x, y, x_scale=, y_scale=, alpha=, color_palette=<colour>, alpha_palette=<0 below 128, 255 from
    there>, hint=BILINEAR). With centred = 1 it equals this: the mask drawn with hint=BILINEAR at (2x - 1, 2y - 1) and twice
    the scale into a grey image of twice the frame's size; every second pixel of that (2k, 2l) is the byte of frame
    pixel (k, l), which is blended as before. (The firmware's BILINEAR lies half an output pixel right of and below
    the true place; on a mask a few prototype pixels wide that alone costs a tenth of the IoU.)
    """
    import image

    from ..mask import step_palettes

    pixformat = image.RGB565 if plan[0] == 2 else image.GRAYSCALE
    canvas = image.Image(plan[1], plan[2], pixformat, buffer=frame)
    source = image.Image(plan[3], plan[4], image.GRAYSCALE, buffer=mask)
    x, y, _, _, left, top, right, bottom, color, alpha, centred = plan[5:16]
    if right <= left or bottom <= top:
        return
    floats = _floats(plan)
    x0 = max(0, x)
    y0 = max(0, y)
    # Interpolation first, into a grey picture whose edge is the clip rectangle's (draw_image itself clips to its
    # destination only); then colour and alpha, pixel by pixel. In one draw it would be the same bytes, unclipped.
    n = 2 if centred else 1
    scaled = image.Image(n * (right - x0), n * (bottom - y0), image.GRAYSCALE)
    scaled.draw_image(
        source,
        n * min(0, x) - centred,
        n * min(0, y) - centred,
        x_scale=n * float(floats[7]),
        y_scale=n * float(floats[8]),
        hint=image.BILINEAR,
    )
    color_palette, alpha_palette = step_palettes(color)
    canvas.draw_image(
        scaled,
        left,
        top,
        x_scale=1 / n,
        y_scale=1 / n,
        roi=(n * (left - x0), n * (top - y0), n * (right - left), n * (bottom - top)),
        color_palette=color_palette,
        alpha_palette=alpha_palette,
        alpha=alpha,
    )


def tint_map(frame, classes, plan, palette):
    """Scale a class map (nearest) and blend each class's colour into the frame.

    frame   the frame's pixels, as in tint_mask
    classes bytes, width * height
    plan    as tint_mask's 0..12 (no 13, 14: alpha 255)
    palette bytearray of 768: 256 colours (uint16 RGB565; a GRAYSCALE frame takes their luma) and 256 alphas (uint8)

    Equals frame.draw_image(classes, x, y, x_scale=, y_scale=, color_palette=, alpha_palette=) inside the clip rectangle.
    """
    import image

    pixformat = image.RGB565 if plan[0] == 2 else image.GRAYSCALE
    canvas = image.Image(plan[1], plan[2], pixformat, buffer=frame)
    source = image.Image(plan[3], plan[4], image.GRAYSCALE, buffer=classes)
    x, y = plan[5:7]
    scales = _floats(plan)[7:9]
    # An array's product is float32 as the firmware's own; a scalar's has two bits less.
    columns, rows = [int(n) for n in np.floor(scales * np.array(plan[3:5], dtype=np.float))]
    left = max(0, x, plan[9])
    top = max(0, y, plan[10])
    right = min(plan[1], x + columns, plan[11])
    bottom = min(plan[2], y + rows, plan[12])
    if right <= left or bottom <= top:
        return
    colors = image.Image(256, 1, image.RGB565, buffer=palette)
    alphas = image.Image(256, 1, image.GRAYSCALE, buffer=memoryview(palette)[512:])
    x_scale, y_scale = [float(n) for n in scales]
    x0 = max(0, x)
    y0 = max(0, y)
    if left == x0 and top == y0 and right == min(plan[1], x + columns) and bottom == min(plan[2], y + rows):
        canvas.draw_image(
            source, x, y, x_scale=x_scale, y_scale=y_scale, color_palette=colors, alpha_palette=alphas
        )
        return
    # draw_image clips to its destination only: so first into a grey picture, then the part inside the clip rectangle.
    scaled = image.Image(right - x0, bottom - y0, image.GRAYSCALE)
    scaled.draw_image(source, min(0, x), min(0, y), x_scale=x_scale, y_scale=y_scale)
    roi = (left - x0, top - y0, right - left, bottom - top)
    canvas.draw_image(scaled, left, top, roi=roi, color_palette=colors, alpha_palette=alphas)


def box(frame, plan):
    """A rectangle's outline and a filled rectangle, the ground of its label, in one colour.

    frame   the frame's pixels, as in tint_mask
    plan    0 bytes a pixel (2: RGB565, 1: GRAYSCALE), 1 and 2 frame width and height, 3..6 rectangle x, y, w, h,
            7 thickness of its outline, which lies inside it (0: none), 8..11 filled rectangle x, y, w, h,
            12 colour (RGB565; a GRAYSCALE frame takes its luma). Both rectangles are clipped to the frame.
    """
    import image

    canvas = image.Image(plan[1], plan[2], image.RGB565 if plan[0] == 2 else image.GRAYSCALE, buffer=frame)
    x, y, w, h, thickness, left, top, width, height, color = plan[3:13]
    paint = (color >> 8 & 0xF8, color >> 3 & 0xFC, color << 3 & 0xF8)
    rectangles = [(left, top, width, height)]
    if thickness > 0:
        tall = min(thickness, h)
        wide = min(thickness, w)
        rectangles += [(x, y, w, tall), (x, y + h - tall, w, tall), (x, y, wide, h), (x + w - wide, y, wide, h)]
    for rectangle in rectangles:
        if rectangle[2] > 0 and rectangle[3] > 0:
            canvas.draw_rectangle(rectangle, color=paint, fill=True)
