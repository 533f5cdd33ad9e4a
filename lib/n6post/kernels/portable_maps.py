"""From maps to a class a pixel, or a peak a joint, in ulab: the reference of helium_maps.py and thumb_maps.py.

Conventions: portable.py.
"""

from micropython import const
from ulab import numpy as np

from .map_plans import PEAKS_VISIBLE
from .portable import LARGEST, clipped, fractions, maximum, without_nan

_FLOAT = const(102)
_BLOCK = const(16384)  # elements worked on at once: what a temporary array costs in memory


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
            (cut,) = fractions(plan, 5, 6)
        elif cut > LARGEST[dtype]:
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
                block = without_nan(block)
        into[at : at + step] = np.argmax(block, axis=1 if last else 0)  # camera: argmax-axis: 255 classes at most


def count(classes, plan, out):
    """How many pixels each class has. plan 0 pixels; out array('i') of 256, overwritten."""
    (pixels,) = plan[:1]
    row = np.frombuffer(classes, dtype=np.uint8)
    for class_id in range(256):
        out[class_id] = 0
    # No bincount: ulab 6.7.3, that of firmware 4.8.1, has none. Class by class, each time that of the pixel in the middle,
    # which is likely to have many more; then on with the pixels of other classes.
    for at in range(0, pixels, _BLOCK):
        left = row[at : min(at + _BLOCK, pixels)]
        many = len(left)
        while many:
            class_id = left[many // 2]
            left = left[left != class_id]
            out[class_id] += many - len(left)
            many = len(left)


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
    scale, ax, bx, ay, by = fractions(plan, 9, 14)
    frame_width, frame_height = plan[14:16]
    if dtype == _FLOAT:
        (cut,) = fractions(plan, 7, 8)
    else:
        cut = float(cut)
    pixels = width * height
    last = joint_step == 1
    grid = heat.reshape((pixels, joints) if last else (joints, pixels))
    first = [0] * joints
    best = np.zeros(joints)
    step = max(1, _BLOCK // joints)
    for start in range(0, pixels, step):  # argmax counts in int16
        block = grid[start : start + step] if last else grid[:, start : start + step]
        if dtype == _FLOAT:
            block = without_nan(block)
        # camera: long-axis: of a block
        top = np.array(np.max(block, axis=0 if last else 1), dtype=np.float)
        index = np.argmax(block, axis=0 if last else 1)  # camera: argmax-axis: of a block
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

    x1, y1, x2, y2, total = fractions(plan, 17, 22)
    plan[PEAKS_VISIBLE] = int(np.sum(seen))  # camera: sum-without-axis: exact for as few as 511 joints
    for entry in (x1, y1, x2, y2, total):
        entry[:] = 0.0
    if plan[PEAKS_VISIBLE]:
        for a, low, high in ((x, x1, x2), (y, y1, y2)):
            low[:] = 0.0 - maximum(np.where(seen, 0.0 - a, -np.inf))
            high[:] = maximum(np.where(seen, a, -np.inf))
        for j in range(joints):
            if seen[j]:
                total[:] = total + score[j : j + 1]


def _parabola(low, peak, high):
    """Where the parabola through three neighbours has its top, in cells from the middle one."""
    divisor = 2.0 * peak - low - high
    usable = (divisor > 0.0) * (divisor < np.inf)
    shift = 0.5 * (high - low) / np.where(usable, divisor, 1.0)
    return np.where(usable, clipped(shift, -0.5, 0.5), 0.0)
