"""The parameter blocks of the kernels of boxes.py: which entry has which name.

A *parameter block* is an array('i') that a kernel reads by position. The function with a kernel's name makes its block:
**the arguments, in their order, are the entries**. The docstrings in portable/ describe them. Fractions are given as
numbers and stored as the bits of a float32. An entry with a default may be filled in later. The constants below a function
are the positions of entries that callers fill in for each frame, or read.

Its neighbors do the same for the other kernels.
scripts/dev/generating/build_kernels.py derives from these signatures the names that the C and assembler sources use.
host_tests/kernels/test_params.py compares the constants, and the names that the portable kernels unpack, with the
signatures.
"""

from array import array
from struct import pack, unpack

from micropython import const

from ...tensors.quantization import FLOAT, INT16


def bits(number):
    """The bits of a number as float32, the last two 0: the form in which a parameter block holds a fraction.

    A float object of the camera lacks these two. So the same number has the same bits on a camera and on a PC.
    """
    # Not in an array of the module: on a PC, several threads may make parameter blocks at the same time.
    return unpack("i", pack("f", number))[0] & -4


def filter_words(classes, allowed):
    """A class filter as words with a bit for each class; [] if all classes are allowed, which () means."""
    words = [0] * ((classes + 31) // 32 if allowed else 0)
    for class_id in allowed:
        word = words[class_id // 32] & 0xFFFFFFFF | 1 << class_id % 32
        words[class_id // 32] = word - (1 << 32) if word >> 31 else word  # the array's items are signed
    return words


def candidates(
    dtype, anchors, channels, channel_step, anchor_step, first_class, classes, zero_point, cut, capacity, allowed=()
):
    """The parameter block of candidates.

    allowed     the classes that may pass, () for all; stored as the number of words that follow, and these: a bit for each
                class
    """
    words = filter_words(classes, allowed)
    cut = bits(cut) if dtype == FLOAT else cut
    entries = [dtype, anchors, channels, channel_step, anchor_step, first_class, classes, zero_point, cut, capacity]
    return array("i", entries + [len(words)] + words)


CANDIDATES_CUT = const(8)


def suppress(count, threshold, class_agnostic, most, capacity):
    # A float object of the camera lacks float32's last two bits, and MicroPython 1.26 fills in others: there .9 is a little
    # less, and would suppress a box of IoU 9/10. With both bits set the threshold is the same on every machine and not less
    # than the number that was given. It is so little more that no IoU of int8 boxes lies between.
    return array("i", (count, bits(threshold) | 3, class_agnostic, most, capacity))


SUPPRESS_COUNT = const(0)


def boxes_to_frame(
    kept, capacity, width, height, ax, bx, ay, by, scale,
    window=0, proto_width=0, proto_height=0, px=0, py=0, pad_x=0, pad_y=0, ring=0,
):  # fmt: skip
    to_frame = bits(ax), bits(bx), bits(ay), bits(by), bits(scale)
    to_prototypes = bits(px), bits(py), bits(pad_x), bits(pad_y)
    sizes = window, proto_width, proto_height
    return array("i", (kept, capacity, width, height) + to_frame + sizes + to_prototypes + (ring,))


BOXES_TO_FRAME_KEPT = const(0)


# The table that boxes_to_frame writes, one row for each detection: drawing_params.row names the entries of a row.
ROW = const(16)  # words
ROW_W = const(2)
ROW_H = const(3)
ROW_ANCHOR = const(4)
ROW_CLASS_ID = const(5)
ROW_SCORE = const(6)


def suppress_masks(rows, part, class_agnostic, width, height, margin_x, margin_y, ax, bx, ay, by):
    to_mask = bits(ax), bits(bx), bits(ay), bits(by)
    return array("i", (rows, part, class_agnostic, width, height, margin_x, margin_y) + to_mask)


SUPPRESS_MASKS_ROWS = const(0)


def prototype_mask(
    dtype, width, height, coefficients, pixel_step, coefficient_step, zero_point, head_zero_point,
    first=0, step=1, window_x=0, window_y=0, window_w=0, window_h=0, threshold=0, anchor_step=0, low=0, high=65536, rows=(),
):  # fmt: skip
    """The parameter block of prototype_mask.

    rows    rows of the table of boxes_to_frame, one behind the other; stored as the number of words that follow, and these
    """
    threshold = bits(threshold) if dtype == FLOAT or dtype == INT16 else threshold
    entries = dtype, width, height, coefficients, pixel_step, coefficient_step, zero_point, head_zero_point
    window = window_x, window_y, window_w, window_h
    return array("i", entries + (first, step) + window + (threshold, anchor_step, low, high, len(rows)) + tuple(rows))


MASK_ROWS = const(18)
MASK_TABLE = const(19)  # the first word of the rows
