"""The parameter blocks of the kernels by name: the one place that says which entry of a plan means what.

A *plan* is an array('i') that a kernel reads by position. The function with a kernel's name makes that kernel's plan, and
**its arguments, in their order, are the entries**; what they mean stands with the kernels in portable_*.py. Fractions are
given as numbers and stored as the bits of a float32. What has a default may be filled in later: the constants below a
function are the positions of what its callers fill in frame by frame, or read.

Here are those of boxes.py; map_plans.py and drawing_plans.py beside it have the others, loaded where they are needed.
scripts/dev/build_kernels.py makes the names that the C and assembler sources use out of these signatures;
host_tests/test_kernels_plans.py holds the constants, and what the portable kernels unpack, against them.
"""

from array import array
from struct import pack_into

from micropython import const

_FLOAT = const(102)  # ulab's codes, as in quant.py
_INT16 = const(104)

_word = array("i", (0,))


def bits(number):
    """The bits of a number as float32, as a plan holds a fraction."""
    pack_into("f", _word, 0, number)
    return _word[0]


def candidates(
    dtype, anchors, channels, channel_step, anchor_step, first_class, classes, zero_point, cut, capacity, allowed=()
):
    """allowed: the classes that may pass, () for all; stored as the number of the words that follow, a bit a class."""
    words = [0] * ((classes + 31) // 32 if allowed else 0)
    for class_id in allowed:
        word = words[class_id // 32] & 0xFFFFFFFF | 1 << class_id % 32
        words[class_id // 32] = word - (1 << 32) if word >> 31 else word  # the array's items are signed
    cut = bits(cut) if dtype == _FLOAT else cut
    entries = [dtype, anchors, channels, channel_step, anchor_step, first_class, classes, zero_point, cut, capacity]
    return array("i", entries + [len(words)] + words)


def suppress(count, threshold, agnostic, most, capacity):
    # The camera's floats have lost their last two bits, and MicroPython 1.26 makes them up: .9 is a little less there, so
    # that two boxes of IoU 9/10 would be one object. With both bits set the threshold is the same number on every machine,
    # and not below the one that was written; too little above for an IoU of int8 boxes to lie between.
    return array("i", (count, bits(threshold) | 3, agnostic, most, capacity))


SUPPRESS_COUNT = const(0)


def place(
    kept, capacity, width, height, ax, bx, ay, by, scale,
    window=0, proto_width=0, proto_height=0, px=0, py=0, pad_x=0, pad_y=0, ring=0,
):  # fmt: skip
    entries = kept, capacity, width, height, 0, 0, 0, 0, 0, window, proto_width, proto_height, 0, 0, 0, 0, ring
    plan = array("i", entries)
    pack_into("5f", plan, 4 * 4, ax, bx, ay, by, scale)
    pack_into("4f", plan, 12 * 4, px, py, pad_x, pad_y)
    return plan


PLACE_KEPT = const(0)


# The table that `place` writes, in rows: drawing_plans.row names their entries.
ROW = const(16)
ROW_ANCHOR = const(4)
ROW_CLASS_ID = const(5)  # and behind it the score


def dedupe(rows, part, agnostic):
    return array("i", (rows, part, agnostic))


DEDUPE_ROWS = const(0)


def prototype_mask(
    dtype, width, height, coefficients, pixel_step, coefficient_step, zero_point, head_zero_point,
    first=0, step=1, window_x=0, window_y=0, window_w=0, window_h=0, threshold=0, anchor_step=0, rows=(),
):  # fmt: skip
    """rows: the first of place's table; stored as the number of the words that follow, those rows."""
    threshold = bits(threshold) if dtype == _FLOAT or dtype == _INT16 else threshold
    entries = dtype, width, height, coefficients, pixel_step, coefficient_step, zero_point, head_zero_point
    window = window_x, window_y, window_w, window_h
    return array("i", entries + (first, step) + window + (threshold, anchor_step, len(rows)) + tuple(rows))


MASK_ROWS = const(16)
MASK_TABLE = const(17)  # where the rows begin
