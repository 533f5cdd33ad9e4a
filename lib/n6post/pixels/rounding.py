"""How frame coordinates are rounded to pixels: the same way on a camera and on a PC."""

from array import array
from math import ceil, floor

from micropython import const
from ulab import numpy as np

# Frame pixels. A corner or an edge may lie exactly on half a pixel, and the camera's floats lose up to 2 of float32's
# 24 bits in a scale. NUDGE is larger than that error. Without it such a corner would be rounded down on the camera and up
# on a PC.
NUDGE = const(0.000244140625)  # 2^-12, which is exact in float32


def rect_around(box, left, top, right, bottom):
    """The rect (x, y, w, h) of all frame pixels that a box x1, y1, x2, y2 touches, at least one pixel wide and high.

    None if the box lies outside of the frame, whose pixels are left..right - 1 and top..bottom - 1.
    """
    x1, y1, x2, y2 = box
    if x2 <= left or y2 <= top or x1 >= right or y1 >= bottom:
        return None
    x, y = min(floor(x1 + NUDGE), right - 1), min(floor(y1 + NUDGE), bottom - 1)
    return x, y, max(ceil(x2 - NUDGE) - x, 1), max(ceil(y2 - NUDGE) - y, 1)


def same_floats(*numbers):
    """The numbers as a float32 array with the same bits on a camera and on a PC.

    A float object of the camera lacks float32's last two bits; what replaces them depends on the version of MicroPython.
    Here they are 0 on every machine, so float32 arrays that are computed from the result are the same everywhere. Products
    and sums of float objects are not. Each number has to be the result of at most one operation: a quotient of integers, or
    an element of an array.
    """
    data = bytearray(array("f", numbers))
    for i in range(0, len(data), 4):
        data[i] &= 0xFC
    return np.frombuffer(data, dtype=np.float)


def same_product(a, b):
    """a * b, of which `same_floats` makes the same bits on every machine. So it may be a factor of another product."""
    return (same_floats(a) * same_floats(b))[0]


def same_root(number):
    """The square root, likewise."""
    return np.sqrt(same_floats(number))[0]


def unsee_outside(keypoints, left, top, right, bottom):
    """Set the score of keypoints on these borders to 0, or leave a lower one: they were clipped."""
    scores = keypoints[:, 2]
    for axis, low, high in ((0, left, right), (1, top, bottom)):
        place = keypoints[:, axis]
        inside = np.where(place > float(low), scores, np.minimum(scores, 0.0))
        scores = np.where(place < float(high), inside, np.minimum(scores, 0.0))
    keypoints[:, 2] = scores
