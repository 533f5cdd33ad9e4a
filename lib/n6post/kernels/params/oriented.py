"""The parameter blocks of the kernels of oriented.py: see boxes.py."""

from array import array

from micropython import const

from .boxes import bits


def suppress_oriented(unit_x, unit_y, limit, class_agnostic, most, capacity, count=0):
    return array("i", (bits(unit_x), bits(unit_y), bits(limit), class_agnostic, most, capacity, count))


ORIENTED_COUNT = const(6)
ROWS = const(10)  # of the table of oriented boxes


def oriented_corners(capacity, ax, bx, ay, by, kept=0):
    return array("i", (capacity, bits(ax), bits(bx), bits(ay), bits(by), kept))


CORNERS_KEPT = const(5)
CORNER_COLUMNS = const(9)  # numbers of a row that oriented_corners writes
