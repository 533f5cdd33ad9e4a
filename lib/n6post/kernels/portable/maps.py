"""From maps to a class for each pixel, or a peak for each keypoint, in ulab: the reference of helium/maps.py and m7/maps.py.

Conventions: numeric.py.
"""

from micropython import const
from ulab import numpy as np

from ...tensors.quantization import FLOAT
from ..params.maps import PEAKS_VISIBLE
from .numeric import LARGEST, clipped, fractions, maximum, without_nan

_BLOCK = const(16384)  # elements worked on at once: what a temporary array costs in memory


def class_map(logits, params, out):
    """The class of each pixel: argmax over the channels, or one channel compared with a threshold.

    logits  uint8, int8, int16 or float32: classes x pixels in either storage order
    params  0 dtype, 1 pixels, 2 classes (1..255), 3 element step from pixel to pixel, 4 element step from class to class,
            5 cut (for 1 class only: 1 where value >= cut; integer or float bits)
    out     uint8 array or bytearray of `pixels`, written

    The first maximum wins. NaN counts as -inf, and is below any cut.
    """
    dtype, pixels, classes, _, class_step, cut = params[:6]
    into = np.frombuffer(out, dtype=np.uint8)
    if classes == 1:
        row = logits.reshape((pixels,))
        if dtype == FLOAT:
            (cut,) = fractions(params, 5, 6)
        elif cut > LARGEST[dtype]:
            into[:] = 0
            return
        else:
            cut = np.array([cut], dtype=row.dtype)
        for at in range(0, pixels, _BLOCK):
            into[at : at + _BLOCK] = row[at : at + _BLOCK] >= cut
        return
    # In blocks: ulab never returns from an axis of 65536 and more, and argmax makes an int16 of every byte of the result.
    last = class_step == 1
    grid = logits.reshape((pixels, classes) if last else (classes, pixels))
    step = _BLOCK // classes
    for at in range(0, pixels, step):
        block = grid[at : at + step] if last else grid[:, at : at + step]
        if classes == 2 and dtype != FLOAT:  # a seventh of what argmax and its int16 cost
            into[at : at + step] = block[:, 1] > block[:, 0] if last else block[1] > block[0]
            continue
        if dtype == FLOAT:
            first = block[:, 0] if last else block[0]
            if not np.all(first == first[:]):
                block = without_nan(block)
        into[at : at + step] = np.argmax(block, axis=1 if last else 0)  # camera: argmax-axis: 255 classes at most


def class_histogram(classes, params, out):
    """Count the pixels of each class.

    classes bytes or uint8 array, one class for each pixel
    params  0 pixels
    out     array('i') of 256, written: the number of pixels of each class
    """
    (pixels,) = params[:1]
    row = np.frombuffer(classes, dtype=np.uint8)
    for class_id in range(256):
        out[class_id] = 0
    # ulab 6.7.3, that of firmware 4.8.1, has no bincount. So one class is counted after the other: that of the pixel in the
    # middle, which probably has many more. Then the pixels of the other classes are left.
    for at in range(0, pixels, _BLOCK):
        left = row[at : min(at + _BLOCK, pixels)]
        many = len(left)
        while many:
            class_id = left[many // 2]
            left = left[left != class_id]
            out[class_id] += many - len(left)
            many = len(left)


def peaks(heat, params, out):
    """Keypoints from heat maps: each channel's first maximum, refined and mapped to the frame, and the box of the visible.

    heat    uint8, int8, int16 or float32: height x width x keypoints, or keypoints x height x width
    params  0 dtype, 1 width, 2 height, 3 keypoint count, 4 element step from pixel to pixel, 5 element step from keypoint to
            keypoint, 6 zero point, 7 cut (integer, or float bits): a keypoint with q >= cut is visible, 8 refine (0 or 1),
            9 score scale (float bits), 10..13 float bits ax, bx, ay, by: frame = (column + dx) * a + b,
            14 and 15 frame width and height
            written: 16 number of visible keypoints, 17..20 float bits of their x1, y1, x2, y2, 21 float bits of the mean
            of their scores (added in the order of the keypoints, then divided by their number)
    out     float32 (keypoints, 3), written: x, y (clipped to 0..size), score = raw * scale

    dx = .5 * (right - left) / ((2 * peak - left) - right) (a parabola through the three) clipped to +-.5, and 0 at a border
    or if the divisor is not positive or not finite; dy alike. x = (column + dx) * a + b, clipped. The search runs row by
    row. NaN counts as -inf there; a keypoint whose peak is NaN has raw 0 and is not visible. Without a visible keypoint
    17..21 are 0.
    """
    dtype, width, height, keypoint_count, _, keypoint_step, zero_point, cut, refine = params[:9]
    scale, ax, bx, ay, by = fractions(params, 9, 14)
    frame_width, frame_height = params[14:16]
    if dtype == FLOAT:
        (cut,) = fractions(params, 7, 8)
    else:
        cut = float(cut)
    pixels = width * height
    last = keypoint_step == 1
    grid = heat.reshape((pixels, keypoint_count) if last else (keypoint_count, pixels))
    first = [0] * keypoint_count
    best = np.zeros(keypoint_count)
    step = max(1, _BLOCK // keypoint_count)
    for start in range(0, pixels, step):  # argmax counts in int16
        block = grid[start : start + step] if last else grid[:, start : start + step]
        if dtype == FLOAT:
            block = without_nan(block)
        # camera: long-axis: of a block
        top = np.array(np.max(block, axis=0 if last else 1), dtype=np.float)
        index = np.argmax(block, axis=0 if last else 1)  # camera: argmax-axis: of a block
        better = top > best if start else np.ones(keypoint_count, dtype=np.uint8)
        best = np.where(better, top, best)
        for j in range(keypoint_count):
            if better[j]:
                first[j] = start + int(index[j])

    # Rows of `near`: the peak, then its left, right, upper and lower neighbor; at a border the peak itself.
    near = np.zeros((5, keypoint_count))
    columns = np.zeros(keypoint_count)
    rows = np.zeros(keypoint_count)
    for j in range(keypoint_count):
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
    seen = peak >= cut
    score = (np.where(peak == peak[:], peak, 0.0) - float(zero_point)) * scale
    if refine:
        columns = columns + _parabola(near[1], peak, near[2])
        rows = rows + _parabola(near[3], peak, near[4])
    x = clipped(columns * ax + bx, 0.0, float(frame_width))
    y = clipped(rows * ay + by, 0.0, float(frame_height))
    out[:, 0] = x
    out[:, 1] = y
    out[:, 2] = score

    x1, y1, x2, y2, mean_score = fractions(params, 17, 22)
    params[PEAKS_VISIBLE] = int(np.sum(seen))  # camera: sum-without-axis: exact for as few as 511 keypoints
    for entry in (x1, y1, x2, y2, mean_score):
        entry[:] = 0.0
    if params[PEAKS_VISIBLE]:
        for a, low, high in ((x, x1, x2), (y, y1, y2)):
            low[:] = 0.0 - maximum(np.where(seen, 0.0 - a, -np.inf))
            high[:] = maximum(np.where(seen, a, -np.inf))
        for j in range(keypoint_count):
            if seen[j]:
                mean_score[:] = mean_score + score[j : j + 1]
        mean_score[:] = mean_score / params[PEAKS_VISIBLE]


def _parabola(low, peak, high):
    """The vertex of the parabola through three neighbors, in cells from the center one."""
    divisor = 2.0 * peak - low - high
    usable = (divisor > 0.0) * (divisor < np.inf)
    shift = 0.5 * (high - low) / np.where(usable, divisor, 1.0)
    return np.where(usable, clipped(shift, -0.5, 0.5), 0.0)
