"""From the outputs of a split head to boxes and keypoints, in plain ulab: the reference of helium/heads.py and m7/heads.py.

Conventions: numeric.py. A *split head* has an output for the boxes and one for the class scores, of each stride or of all
strides. A *level* is the feature map of one stride.
"""

from array import array

from micropython import const
from ulab import numpy as np

from ..params.heads import DECODE_TOTAL
from .numeric import fractions, without_nan

_LOWEST = const(-116)  # 2^-116 is 1.2e-35: negligible beside 1, and not a denormal
_ROUND = const(12582912)  # 1.5 * 2^23: a float32 as large as this has no fraction

# A float object of the camera lacks the last two bits of a float32, and may not be the nearest to a decimal number: so these
# are written as bits, and as fractions of twenty bits.
_LOG2_E = np.frombuffer(array("i", (0x3FB8AA3B,)), dtype=np.float)
_POWER = 0xAADDD / 2**29, 0x9E75C / 2**26, 0xE35D3 / 2**24, 0xF5FCE / 2**22, 0xB1721 / 2**20
_HALVES = np.array([2.0**-n for n in range(117)])


def decode_boxes(boxes, params, values, indices):
    """Decode the candidates of one part of a split head, and merge them into the candidates of the frame.

    boxes   the array with the boxes of this part, in one of the dense storage orders: 4 * bins channels for each anchor
            (left, top, right, bottom; each has its bins side by side), or 4 if bins is 0 or 1, and then any others
    params  0 dtype, 1 anchors, 2 channels, 3 channel step, 4 anchor step, 5 zero point, 6 bins, 7 and 8 float bits: scales
            of the numbers in x and y, 9 float bits: scale of the scores, 10 sigmoid (1: the scores are logits), 11 float
            bits: the least score, 12 first: the number of this part's first anchor in the whole network, 13 capacity,
            14 count: how many candidates this part has, 15 total: how many the frame has so far; written, 16 number of words
            that follow, three for each level by ascending anchor: its first anchor in this part, cells in a row, stride
    values  float32 (10, capacity): rows 0..4 are the frame's x1, y1, x2, y2 in input pixels and score, best first; row 9 is
            the score of this part's candidates, as `candidates` writes it into rows 5..9
    indices uint16 (6, capacity): rows 0 and 1 are the frame's anchors and classes, rows 3 and 4 those of this part. Row 9 of
            `values` and row 5 of `indices` are workspace

    Distances from the center of the cell, (column + .5, row + .5), to left, top, right and bottom, in cells:

    bins > 1    the mean of the bins k, weighted by e_k = 2^((raw_k - raw_max) * (scale_x * log2(e))): t / u, where u is the
                sum of all e_k, beginning with the last, and t the sum of all u before e_0 is added. A NaN has the smallest
                weight, and raw_max ignores it
    bins 1      raw * scale_x

    Corners: (center -+ distance) * stride. With bins 0 the four channels are cx, cy, w, h: (c -+ size * .5) * scale.

    Score: raw * scale; with sigmoid, y = raw * (scale * log2(e)) and e = 2^-|y|: 1 / (e + 1) for y > 0, else e / (e + 1).

    2^y for y that is not positive: y is at least -116 (for NaN too); n is the nearest integer, of two the even one;
    f = y - n; the result is 2^n times a polynomial in f with the coefficients _POWER and then 1. Its relative error is below
    3e-7.

    Beginning with the last candidate, those whose score is less than the least score are dropped. Of equal scores those of
    the frame come first. What exceeds the capacity is dropped. Returns the frame's number of candidates.
    """
    _, anchors, channels, channel_step, _, zero_point, bins = params[:7]
    scale_x, scale_y, score_scale = fractions(params, 7, 10)
    (sigmoid,) = params[10:11]
    (least,) = fractions(params, 11, 12)
    first, capacity, count, total, levels = params[12:17]
    if not count:
        return total
    scores = values[9, :count]
    scores = _sigmoid(scores * (score_scale * _LOG2_E)) if sigmoid else scores * score_scale
    enough = scores >= least
    while count and not enough[count - 1]:
        count -= 1
    if not count:
        return total
    scores = scores[:count]
    found = indices[3, :count]
    used = 4 * bins if bins else 4
    if channel_step == 1:
        raw = np.take(boxes.reshape((anchors, channels))[:, :used], found, axis=0).transpose()
    else:
        raw = np.take(boxes.reshape((channels, anchors))[:used], found, axis=1)
    raw = np.array(raw, dtype=np.float)
    if bins == 0:
        corners = _corners(raw - float(zero_point), scale_x, scale_y)
    else:
        if bins == 1:
            sides = (raw - float(zero_point)) * scale_x
        else:
            sides = [_distance(raw[side * bins : (side + 1) * bins], scale_x * _LOG2_E) for side in range(4)]
        x, y, stride = _centers(found, params[17 : 17 + levels])
        corners = [(x - sides[0]) * stride, (y - sides[1]) * stride, (x + sides[2]) * stride, (y + sides[3]) * stride]
    order = _merged(values[4, :total], scores, capacity)
    size = len(order)
    for row, new in enumerate(corners + [scores]):
        values[row, :size] = _taken(values[row, :total], new, order)
    found = found + np.array([first], dtype=np.uint16)
    for row, new in enumerate((found, indices[4, :count])):
        indices[row, :size] = _taken(indices[row, :total], new, order)
    params[DECODE_TOTAL] = size
    return size


def decode_keypoints(head, params, points):
    """Decode the keypoints of one anchor: x, y and score, three numbers each.

    head    the array with the keypoints
    params  0 dtype, 1 number of keypoints, 2 element step from number to number, 3 zero point, 4 sigmoid (1: scores are
            logits), 5..7 float bits: scales of x, y and score, 8 and 9 float bits: size of a cell, 10 and 11 float bits:
            offset, 12..15 float bits: low x and y, high x and y, 16 element of the head with the first number, 17 and 18
            column and row of the anchor's cell
    points  float32 (keypoints, 3), written: x = raw * scale + (column * cell size + offset), clipped to low..high, y
            likewise, and the score as in decode_boxes. Without a sigmoid a NaN score is -inf
    """
    _, keypoints, channel_step, zero_point, sigmoid = params[:5]
    first, column, row = params[16:19]
    scales = fractions(params, 5, 8)
    cells = fractions(params, 8, 10)
    offsets = fractions(params, 10, 12)
    lows = fractions(params, 12, 14)
    highs = fractions(params, 14, 16)
    raw = head.reshape((head.size,))[first : first + (3 * keypoints - 1) * channel_step + 1 : channel_step]
    raw = np.array(raw, dtype=np.float).reshape((keypoints, 3)) - float(zero_point)
    for axis, cell in enumerate((column, row)):
        place = raw[:, axis] * scales[axis] + (cells[axis] * float(cell) + offsets[axis])
        points[:, axis] = np.minimum(np.maximum(place, lows[axis]), highs[axis])
    points[:, 2] = _sigmoid(raw[:, 2] * (scales[2] * _LOG2_E)) if sigmoid else np.maximum(raw[:, 2] * scales[2], -np.inf)


def _sigmoid(y):
    """1 / (1 + 2^-y)."""
    e = _power(np.minimum(y, y * -1.0))
    return np.where(y > 0.0, 1.0, e) / (e + 1.0)


def _power(y):
    """2^y."""
    y = np.maximum(y, float(_LOWEST))  # a > b ? a : b, so NaN becomes the lowest
    n = (y + float(_ROUND)) - float(_ROUND)
    f = y - n
    p = f * _POWER[0] + _POWER[1]
    for coefficient in _POWER[2:]:
        p = p * f + coefficient
    return (p * f + 1.0) * np.take(_HALVES, np.array(n * -1.0, dtype=np.uint16))


def _distance(raw, scale):
    """The expected bin of each column of (bins, candidates)."""
    bins, count = raw.shape
    largest = np.max(without_nan(raw), axis=0)  # camera: long-axis: the bins
    e = _power(((raw - largest) * scale).reshape((bins * count,))).reshape((bins, count))
    above = weighted = np.zeros(count)
    for k in range(bins - 1, 0, -1):
        above = above + e[k]
        weighted = weighted + above
    return weighted / (above + e[0])


def _centers(anchors, levels):
    """(x, y, stride) of the anchors' cells: x and y in cells."""
    number = np.array(anchors, dtype=np.float)
    cell = number
    width = stride = np.ones(len(anchors))
    for at in range(0, len(levels), 3):
        first, cells, pixels = levels[at : at + 3]
        inside = number >= float(first)
        cell = np.where(inside, number - float(first), cell)
        width = np.where(inside, float(cells), width)
        stride = np.where(inside, float(pixels), stride)
    row = np.floor(cell / width)
    return cell - row * width + 0.5, row + 0.5, stride


def _corners(raw, scale_x, scale_y):
    x, y = raw[0], raw[1]
    half_x, half_y = raw[2] * 0.5, raw[3] * 0.5
    return [(x - half_x) * scale_x, (y - half_y) * scale_y, (x + half_x) * scale_x, (y + half_y) * scale_y]


def _merged(old, new, most):
    """The order of old and new scores together, each best first: positions, those of `new` after those of `old`."""
    # Scores are not negative, so they are ordered by their bits, and a float object would lose two of them.
    a, b = array("i", old.tobytes()), array("i", new.tobytes())
    order = []
    i = j = 0
    while len(order) < most and i + j < len(a) + len(b):
        if j == len(b) or i < len(a) and a[i] >= b[j]:
            order.append(i)
            i += 1
        else:
            order.append(len(a) + j)
            j += 1
    return np.array(order, dtype=np.uint16)


def _taken(old, new, order):
    """The elements of `old` followed by those of `new`, in this order."""
    count = len(old)
    both = np.zeros(count + len(new), dtype=new.dtype)
    if count:
        both[:count] = old
    both[count:] = new
    return np.take(both, order)
