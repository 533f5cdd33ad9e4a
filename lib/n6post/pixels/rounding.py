"""How frame coordinates are rounded to pixels: the same way on a camera and on a PC."""

from array import array

from micropython import const
from ulab import numpy as np

# Frame pixels. A corner or an edge may lie exactly on half a pixel, and the camera's floats lose up to 2 of float32's
# 24 bits in a scale. NUDGE is larger than that error. Without it such a corner would be rounded down on the camera and up
# on a PC.
NUDGE = const(0.000244140625)  # 2^-12, which is exact in float32


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
