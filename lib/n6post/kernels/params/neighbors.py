"""The parameter block of the kernel of neighbors.py: see boxes.py."""

from array import array

from micropython import const

PLACE = const(4)  # bytes behind the channels of a row: its place
MOST_PLACE = const(2047)


def nearest(vectors, channels, first=0, end=0, columns=0, step=0):
    return array("i", (vectors, channels, first, end, columns, step))


NEAREST_FIRST = const(2)
NEAREST_END = const(3)
