"""From heads with anchors to boxes and keypoints, in plain ulab: the reference of helium/anchors.py and m7/anchors.py.

Conventions: numeric.py. The kernels share two buffers, which hold two lists of candidates each. The first list collects the
decoded candidates of all parts. The second has those of one part, as `candidates` writes them, and in the end the ranked
ones, as `suppress` and `boxes_to_frame` read them.

    values  float32 (2 * rows, capacity): in each list row 0..3 is x1, y1, x2, y2 in input pixels, row 4 the score, then
            three rows for each keypoint: x, y and 1
    indices uint16 (6, capacity): in each list row 0 is the anchor, row 1 the class, row 2 the positions that are kept
"""

from array import array
from heapq import heapify, heappop

from micropython import const
from ulab import numpy as np

from .boxes import iou
from .heads import _LOG2_E, _POWER, _sigmoid
from .numeric import fractions, without_nan

_LOWEST = const(-116)  # as in portable/heads.py
_ROUND = const(12582912)
_HIGHEST = const(30)  # 2^30 input pixels are more than any frame, and the area of such boxes is finite
_POWERS = np.array([2.0**n for n in range(-116, 31)])
_ANCHOR = const(4)  # words for each anchor of a cell
_LEVEL = const(6)  # words for each level
_DROPPED = const(65535)


def score_anchors(scores, params, values, indices):
    """Compute the scores of the candidates of one part, and drop those below the least score.

    scores  the array with the class scores; if there are no classes, any array
    params  0 dtype, 1 element step from channel to channel, 2 element step from anchor to anchor, 3 channel of the first
            class, 4 number of classes, 5 activation of the class scores (0: none, 1: sigmoid, 2: softmax), 6 number of
            channels before the first class that take part in the softmax, 7 zero point, 8 float bits: scale, 9 float bits:
            scale of the numbers that the search found, 10 search_sigmoid (1: these are logits), 11 root (1: the score is the
            square root of the product), 12 float bits: the least score, 13 capacity, 14 rows of a list, 15 count: how many
            candidates the part has, 16 number of words of the class filter that follow (0: no filter), as in candidates
    values  row 4 of the second list: raw numbers of the search; written: scores
    indices second list: anchors and classes; classes are written if there are any here

    With 0 classes the score is a = raw * scale of the search, or its sigmoid (decode_boxes in portable/heads.py has the
    formula). Otherwise it is a * p. The best class is the first maximum; NaN counts as -inf. p is the activation of its
    number; in a softmax e_k = 2^((raw_k - raw_max) * (scale * log2(e))), and the sum of all e_k begins with the first
    channel. A root is that of max(a * p, 0). Candidates with score >= least stay, in their order. Returns how many.
    """
    dtype, channel_step, anchor_step, first_class, classes, activation, background, zero_point = params[:8]
    scale, search_scale = fractions(params, 8, 10)
    search_sigmoid, root = params[10:12]
    (least,) = fractions(params, 12, 13)
    capacity, rows, count, allowed = params[13:17]
    found = values[rows + 4, :count]
    score = _sigmoid(found * (search_scale * _LOG2_E)) if search_sigmoid else found * search_scale
    anchors = indices[3, :count]
    best = indices[4, :count]
    if classes:
        first = first_class - background
        raw = _gathered(scores, channel_step, anchor_step, first, background + classes, anchors)
        raw = without_nan(raw.reshape((raw.size,))).reshape(raw.shape) - float(zero_point)
        best = np.array(np.argmax(raw[background:], axis=0), dtype=np.uint16)  # camera: argmax-axis: 32767 classes at most
        part = np.max(raw[background:], axis=0)  # camera: long-axis: as above
        if activation == 2:
            largest = np.max(raw, axis=0)  # camera: long-axis: as above
            factor = scale * _LOG2_E
            total = np.zeros(count)
            for channel in range(background + classes):
                total = total + _power((raw[channel] - largest) * factor)
            part = _power((part - largest) * factor) / total
        else:
            part = _sigmoid(part * (scale * _LOG2_E)) if activation else part * scale
        score = score * part
    if root:
        score = np.sqrt(np.maximum(score, 0.0))
    score = score + 0.0  # -0 and 0 are one score
    enough = score >= least
    kept = 0
    for i in range(count):
        class_id = int(best[i])
        if not enough[i] or allowed and not params[17 + class_id // 32] >> class_id % 32 & 1:
            continue
        values[rows + 4, kept : kept + 1] = score[i : i + 1]
        indices[3, kept] = int(anchors[i])
        indices[4, kept] = class_id
        kept += 1
    return kept


def decode_anchors(head, params, values, indices):
    """Decode boxes, keypoints or both of the candidates of one part, and append them to the first list.

    head    the array with the boxes, or with the keypoints
    params  0 dtype, 1 element step from channel to channel, 2 element step from anchor to anchor, 3 zero point, 4 float
            bits: scale, 5 channel of the box's first number, or -1: only keypoints are decoded, 6 swapped (1: y comes before
            x, and height before width), 7 activation of x and y (0: none, 1: sigmoid), 8 activation of width and height (0:
            none, 1: exp, 2: square of the sigmoid), 9 float bits: scale of width and height before exp, 10 channel of the
            first keypoint's x, 11 number of keypoints, 12 float bits: offset, 13 first: number of this part's first anchor
            in the whole network, 14 capacity, 15 rows of a list, 16 count: how many candidates the part has, 17 total: how
            many the first list has so far, 18 number of levels, 19 number of words that follow. Six for each level by
            ascending anchor: its first anchor in this part, cells in a row, anchors in a cell, float bits of stride x and
            stride y, and the word where its anchors begin. Four for each anchor of a cell, float bits: gain x and y, width,
            height
    values  written, columns total..total + count of the first list
    indices likewise: the anchor's number in the whole network, and the class. Not for keypoints only

    Anchors of one cell follow each other. With t = (q - zero_point) * scale:

    center      x = act(t) * gain_x + (column + offset) * stride_x, y likewise
    size        w = act(t) * width, h likewise; exp(t) is 2^((q - zero_point) * (scale * scale of sizes * log2(e))), with an
                exponent from -116 to 30 (-116 for NaN)
    corners     x -+ w * .5, y -+ h * .5
    keypoints   x = t * gain_x + (column + offset) * stride_x, y likewise, and 1

    Returns total + count.
    """
    dtype, channel_step, anchor_step, zero_point = params[:4]
    (scale,) = fractions(params, 4, 5)
    first_box, swapped, xy, wh = params[5:9]
    (wh_scale,) = fractions(params, 9, 10)
    first_point, points = params[10:12]
    (offset,) = fractions(params, 12, 13)
    first, capacity, rows, count, total, level_count = params[13:19]
    end = total + count
    anchors = indices[3, :count]
    column, row, strides, cell = _cells(anchors, params[20:], level_count)
    center = (column + offset) * strides[0], (row + offset) * strides[1]
    if first_box >= 0:
        raw = _gathered(head, channel_step, anchor_step, first_box, 4, anchors) - float(zero_point)
        for axis in range(2):
            t = raw[axis ^ swapped]
            t = _sigmoid(t * (scale * _LOG2_E)) if xy else t * scale
            middle = t * cell[axis] + center[axis]
            t = raw[2 + (axis ^ swapped)]
            if wh == 1:
                t = _power(t * (scale * wh_scale * _LOG2_E))
            elif wh:
                t = _sigmoid(t * (scale * _LOG2_E))
                t = t * t
            else:
                t = t * scale
            half = t * cell[2 + axis] * 0.5
            values[axis, total:end] = middle - half
            values[axis + 2, total:end] = middle + half
        values[4, total:end] = values[rows + 4, :count]
        indices[0, total:end] = anchors + np.array([first], dtype=np.uint16)
        indices[1, total:end] = indices[4, :count]
    if points:
        raw = _gathered(head, channel_step, anchor_step, first_point, 2 * points, anchors) - float(zero_point)
        for point in range(points):
            at = 5 + 3 * point
            for axis in range(2):
                values[at + axis, total:end] = raw[2 * point + axis] * scale * cell[axis] + center[axis]
            values[at + 2, total:end] = 1.0
    return end


def rank_anchors(params, values, indices):
    """Copy the candidates of the first list to the second, best first.

    params  0 total: how many there are, 1 the most that are copied, 2 capacity, 3 rows of a list
    values  all rows of the second list are written
    indices second list, written: row 0 the position 0, 1, 2, ..., row 1 the class. Row 2 of the first list is workspace

    Order: score descending, then anchor ascending. Scores are not negative. Returns how many were copied.
    """
    total, most, capacity, rows = params[:4]
    keys = array("i", values[4, :total].tobytes())  # not negative, so their bits have the same order
    # In a heap: MicroPython's sort takes quadratic time for numbers that are sorted, as those of a single part are.
    heap = [(-keys[i], int(indices[0, i]), i) for i in range(total)]
    heapify(heap)
    count = min(total, most)
    for at in range(count):
        i = heappop(heap)[2]
        values[rows:, at] = values[:rows, i]
        indices[3, at] = at
        indices[4, at] = int(indices[1, i])
    return count


def blend_anchors(params, values, indices):
    """Suppression that blends boxes: MediaPipe's weighted non-maximum suppression.

    params  0 count, 1 IoU threshold (float bits), 2 class_agnostic (0 or 1), 3 maximum number to keep, 4 capacity, 5 rows of
            a list
    values  one list, best first; all rows but 4 of the candidates that are kept are written
    indices row 1, the class, is read; row 2 is written: the positions kept, ascending (what follows them is undefined).
            Row 0 of candidates that are suppressed becomes 65535, and must be less for all others

    As suppress, but a candidate that is kept gets the mean of its own rows and those of all candidates that it suppresses,
    weighted by score: sum(row * score) / sum(score), beginning with 0 and in the order of the candidates. Overlaps are those
    of the boxes before blending. The score stays that of the best one. (mediapipe/calculators/util/
    non_max_suppression_calculator.cc, WEIGHTED.) Returns how many were kept.
    """
    count, _, class_agnostic, most, capacity, rows = params[:6]
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
        over = over * alive
        over[i] = 1
        # camera: many-hits: of 65535 candidates at most
        cluster = np.nonzero(over)[0]
        alive = np.where(over, 0, alive)
        for j in cluster[1:]:
            indices[0, int(j)] = _DROPPED
        if len(cluster) < 2:
            continue
        summed = np.zeros(rows)
        weight = np.zeros(1)
        for j in cluster:
            j = int(j)
            score = values[4, j : j + 1] * 1.0
            summed = summed + values[:rows, j] * score
            weight = weight + score
        summed = summed / weight
        values[:4, i] = summed[:4]
        if rows > 5:
            values[5:rows, i] = summed[5:]
    return kept


def _gathered(head, channel_step, anchor_step, first, channels, anchors):
    """(channels, len(anchors)) numbers of a head, as floats."""
    flat = head.reshape((head.size,))
    raw = np.zeros((channels, len(anchors)))
    last = (channels - 1) * channel_step + 1
    for i, anchor in enumerate(anchors):
        at = first * channel_step + int(anchor) * anchor_step
        raw[:, i] = flat[at : at + last : channel_step]
    return raw


def _cells(anchors, table, level_count):
    """(column, row, (stride x, stride y), (gain x, gain y, width, height)) of the anchors, each an array of floats."""
    count = len(anchors)
    column, row, stride_x, stride_y, gain_x, gain_y, width, height = [np.zeros(count) for _ in range(8)]
    floats = np.frombuffer(table, dtype=np.float)
    for position, anchor in enumerate(anchors):
        anchor = int(anchor)
        level = 0
        while level + 1 < level_count and anchor >= table[_LEVEL * (level + 1)]:
            level += 1
        at = _LEVEL * level
        first, cells, per_cell = [table[at + i] for i in range(3)]
        cell, kind = (anchor - first) // per_cell, (anchor - first) % per_cell
        column[position] = cell % cells
        row[position] = cell // cells
        end = position + 1
        stride_x[position:end] = floats[at + 3 : at + 4]
        stride_y[position:end] = floats[at + 4 : at + 5]
        at = table[at + 5] + _ANCHOR * kind
        for k, into in enumerate((gain_x, gain_y, width, height)):
            into[position:end] = floats[at + k : at + k + 1]
    return column, row, (stride_x, stride_y), (gain_x, gain_y, width, height)


def _power(y):
    """2^y for y up to 30."""
    y = np.minimum(np.maximum(y, float(_LOWEST)), float(_HIGHEST))  # a > b ? a : b, so NaN becomes the lowest
    n = (y + float(_ROUND)) - float(_ROUND)
    f = y - n
    p = f * _POWER[0] + _POWER[1]
    for coefficient in _POWER[2:]:
        p = p * f + coefficient
    return (p * f + 1.0) * np.take(_POWERS, np.array(n - float(_LOWEST), dtype=np.uint16))
