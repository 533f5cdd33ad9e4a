"""Oriented boxes, in plain ulab: the reference of helium/oriented.py and m7/oriented.py.

Conventions: numeric.py. A box has its middle (x, y) and two vectors: u from the middle to the end of its width, v to the end
of its height. Its corners are (x, y) - u - v, + u - v, + u + v and - u + v. It is a Gaussian whose covariance is a third of
[[a, c], [c, b]], with a = ux^2 + vx^2, b = uy^2 + vy^2, c = ux uy + vx vy (Llerena et al., "Gaussian bounding boxes and
probabilistic intersection-over-union", arXiv 2106.06072).
"""

from micropython import const
from ulab import numpy as np

from .numeric import fractions

# The constants have at most 20 significant bits: the camera's floats hold these exactly, whatever MicroPython makes of the
# two bits that they lose.
_WHOLE = 12582912.0  # 1.5 * 2^23: adding and subtracting it rounds to a whole number, halves to even
_STEP = 4194304.0  # 2^22
_TURNS = 41722 / 65536  # 2 / pi, to count quarter turns
_QUARTER = 201 / 128  # pi / 2 is _QUARTER + _REST
_REST = 2078000 / 65536 / 65536
_SIN = (-699051 / _STEP, 34953 / _STEP, -832 / _STEP)  # Taylor: -1/3!, 1/5!, -1/7!
_COS = (-0.5, 174763 / _STEP, -5825 / _STEP, 104 / _STEP)
_EXP = (5825 / _STEP, 34953 / _STEP, 174763 / _STEP, 699051 / _STEP, 0.5, 1.0)  # 1/6!, 1/5!, ... 1/1!
_EPS = 1 / 8388608  # 2^-23, for Ultralytics' eps of 1e-7
_LEAST = 1 / 1048576  # 2^-20: keeps boxes without an area comparable, as Ultralytics' eps of 1e-7 does


def suppress_oriented(params, values, indices, boxes):
    """Make oriented boxes of the candidates, and drop those that a better one overlaps.

    params  0 and 1 unit_x, unit_y: pixels for one raw unit (float bits), 2 limit (float bits), 3 class_agnostic (0 or 1),
            4 maximum number to keep, 5 capacity (row length of values, indices and boxes), 6 count
    values  float32 (5, capacity), as candidates writes it: rows x1, y1, x2, y2 in raw units of the box before it is turned;
            written: the bounding box of the turned box, pixels
    indices uint16 (3, capacity): row 1, the class, is read; row 2 is written: the positions kept, ascending
    boxes   float32 (10, capacity): row 9 is the angle in radians, clockwise; written: rows x, y, ux, uy, vx, vy, a, b, c and
            s = |u| |v|, in pixels. The angle is between -45 and 45 degrees afterwards: a box that is turned further has its
            width and height exchanged

    A candidate is dropped if any better one of its class (of any class if class_agnostic) overlaps it by more than the
    limit, whether that one was dropped or not. This is the rule of Ultralytics (TorchNMS.fast_nms). The overlap of two boxes
    is the square of their Bhattacharyya coefficient; `limit_of` converts a probabilistic IoU. Negative sizes count as 0.
    Numbers that are not finite suppress nothing. Returns how many were kept.
    """
    class_agnostic, most, _, count = params[3:7]
    unit_x, unit_y, limit = fractions(params, 0, 3)
    left, top, right, bottom = [values[row, :count] for row in range(4)]
    x = (left + right) * 0.5 * unit_x
    y = (top + bottom) * 0.5 * unit_y
    w = (right - left) * 0.5 * unit_x
    h = (bottom - top) * 0.5 * unit_y
    w = np.where(w > 0.0, w, 0.0)
    h = np.where(h > 0.0, h, 0.0)
    angle = boxes[9, :count]
    turns, sin, cos = _turned(angle)
    half = turns * 0.5
    odd = (half + _WHOLE) - _WHOLE != half
    w, h = np.where(odd, h, w), np.where(odd, w, h)
    ux, uy, vx, vy = w * cos, w * sin, 0.0 - h * sin, h * cos
    rows = x, y, ux, uy, vx, vy, ux * ux + vx * vx, uy * uy + vy * vy, ux * uy + vx * vy, w * h
    for i in range(10):
        boxes[i, :count] = rows[i]
    across = _size(ux) + _size(vx)
    down = _size(uy) + _size(vy)
    values[0, :count] = x - across
    values[1, :count] = y - down
    values[2, :count] = x + across
    values[3, :count] = y + down
    group = indices[1, :count]
    alive = np.ones(count, dtype=np.uint8)
    later = np.ones(count, dtype=np.uint8)
    for i in range(count):
        later[i] = 0
        over = overlap(boxes, count, i, limit) * later
        if not class_agnostic:
            over = over * (group == group[i : i + 1])
        alive = np.where(over, 0, alive)
    kept = 0
    for i in range(count):
        if alive[i] and kept < most:
            indices[2, kept] = i
            kept += 1
    return kept


def oriented_corners(params, indices, boxes, corners):
    """The corners and the rotation of the boxes that are kept, in the frame.

    params  0 capacity, 1..4 ax, bx, ay, by: frame = pixel * a + b (float bits), 5 kept
    indices uint16 (3, capacity): row 2, the positions kept, is read
    boxes   float32 (10, capacity), as suppress_oriented writes it
    corners float32 (kept, 9), written: x, y of the corners -u - v, +u - v, +u + v and -u + v, and the rotation: hundredths
            of a degree from the x axis to the longer of u and v, clockwise, a whole number below 18000; -1 if u or v is not
            finite or has a coordinate of 65536 and more
    """
    capacity, _, _, _, _, kept = params
    ax, bx, ay, by = fractions(params, 1, 5)
    positions = [int(i) for i in indices[2, :kept]]
    x, y, ux, uy, vx, vy = np.take(boxes[:6], positions, axis=1)
    for axis, middle, u, v, a, b in ((0, x, ux, vx, ax, bx), (1, y, uy, vy, ay, by)):
        middle = middle * a + b
        one = (u + v) * a
        other = (u - v) * a
        corners[:, axis] = middle - one
        corners[:, axis + 2] = middle + other
        corners[:, axis + 4] = middle + one
        corners[:, axis + 6] = middle - other
    for i in range(kept):
        j = i + 1
        corners[i, 8] = rotation(ux[i:j] * ax, uy[i:j] * ay, vx[i:j] * ax, vy[i:j] * ay)


# arctan(2^-i) in millionths of a degree.
_ARCTANGENTS = (
    45000000, 26565051, 14036243, 7125016, 3576334, 1789911, 895174, 447614, 223811, 111906, 55953, 27976, 13988, 6994, 3497,
    1749, 874,
)  # fmt: skip
_SIDE = const(65536)
_STEP_BITS = 1099511627776.0  # 2^40


def rotation(ux, uy, vx, vy):
    """Hundredths of a degree of the longer of two vectors, as oriented_corners writes them. Arrays of one float."""
    numbers = np.zeros((2, 2))
    numbers[0, 0:1], numbers[0, 1:2], numbers[1, 0:1], numbers[1, 1:2] = ux, uy, vx, vy
    if not np.all(numbers * numbers < _SIDE * 1.0 * _SIDE):
        return -1
    first, second = ux * ux + uy * uy, vx * vx + vy * vy
    longer = numbers[1 if (first < second)[0] else 0]
    if not np.any(longer != 0.0):
        return 0
    while np.max(longer * longer) < _STEP_BITS:
        longer = longer * 2.0
    x, y = [int(v) for v in ((longer + _WHOLE) - _WHOLE).tolist()]  # 21 bits, which the camera's floats hold
    x, y = x * 64, y * 64
    if y < 0 or y == 0 and x < 0:
        x, y = -x, -y
    degrees = 0
    if x < 0:
        x, y = y, -x
        degrees = 90000000
    # CORDIC: turn the vector by smaller and smaller angles until it lies on the x axis.
    for i in range(len(_ARCTANGENTS)):
        if y > 0:
            x, y = x + (y >> i), y - (x >> i)
            degrees += _ARCTANGENTS[i]
        else:
            x, y = x - (y >> i), y + (x >> i)
            degrees -= _ARCTANGENTS[i]
    return (degrees + 5000) // 10000 % 18000


def _size(a):
    return np.where(a < 0.0, 0.0 - a, a)


def overlap(boxes, count, i, limit):
    """Which of the first `count` boxes overlap box i by more than the limit, an array of one."""
    least, most, closeness = _parts(boxes, count, i)
    bound = most * limit
    # Exactly this comparison, without a division, is that of the machine code.
    return least * closeness > bound


def similarity(boxes, count, i):
    """The probabilistic IoU of box i with each of the first `count` boxes, as Ultralytics' batch_probiou."""
    least, most, closeness = _parts(boxes, count, i)
    distance = 1.0 - np.sqrt(least * closeness / most) + _EPS
    return 1.0 - np.sqrt(np.where(distance > 0.0, distance, 0.0))


def _parts(boxes, count, i):
    """(p, d, e): the square of the Bhattacharyya coefficient is p / d * e."""
    x, y, a, b, c, s = [boxes[row, :count] for row in (0, 1, 6, 7, 8, 9)]
    j = i + 1
    a, b, c = a + a[i:j], b + b[i:j], c + c[i:j]
    p = s * s[i:j] * 4.0 + _LEAST
    d = a * b - c * c
    d = np.where(d > p, d, p)
    x, y = x - x[i:j], y - y[i:j]
    both = c * x
    z = ((a * y * y + b * x * x) - (both + both) * y) * 1.5 / d
    z = np.where(z < 0.0, 0.0, z)
    return p, d, _exp(0.0 - np.where(z < 40.0, z, 40.0))  # NaN is far away


def _exp(z):
    """e^z for z from -40 to 0, in operations that machine code repeats: a polynomial of z / 64, squared six times."""
    z = z * 0.015625
    e = z * _EXP[0] + _EXP[1]
    for factor in _EXP[2:] + (1.0,):
        e = e * z + factor
    for _ in range(6):
        e = e * e
    return e


def sigmoid(x):
    """1 / (1 + e^-x), in operations that give the same floats on a camera and on a PC."""
    z = np.where(x > 0.0, 0.0 - x, x)
    e = _exp(np.where(z > -40.0, z, -40.0))
    return np.where(x > 0.0, 1.0, e) / (e + 1.0)


def _turned(angle):
    """(n, sine, cosine): the nearest number of quarter turns of an angle in radians, and those of the rest."""
    turns = (angle * _TURNS + _WHOLE) - _WHOLE
    angle = (angle - turns * _QUARTER) - turns * _REST
    square = angle * angle
    sin = angle + angle * (square * ((square * _SIN[2] + _SIN[1]) * square + _SIN[0]))
    cos = (((square * _COS[3] + _COS[2]) * square + _COS[1]) * square + _COS[0]) * square + 1.0
    return turns, sin, cos


def sin_and_cos(angle):
    """(sine, cosine) of angles in radians, in operations that give the same floats on a camera and on a PC."""
    turns, sin, cos = _turned(angle)
    turns = turns - np.floor(turns * 0.25) * 4.0
    odd = (turns == 1.0) + (turns == 3.0)
    sin, cos = np.where(odd, cos, sin), np.where(odd, sin, cos)
    return np.where(turns > 1.5, 0.0 - sin, sin), np.where((turns == 1.0) + (turns == 2.0), 0.0 - cos, cos)


def limit_of(threshold):
    """The limit for a probabilistic IoU, an array of one: the same float on a camera and on a PC.

    iou = 1 - sqrt(1 - bc + _EPS), bc being the Bhattacharyya coefficient (Ultralytics' probiou).
    """
    limit = threshold * (2.0 - threshold) + _EPS
    return limit * limit
