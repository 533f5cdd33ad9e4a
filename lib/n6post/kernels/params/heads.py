"""The parameter block of the kernel of heads.py, which decodes split heads: see boxes.py."""

from array import array

from micropython import const

from .boxes import bits


def decode_boxes(
    dtype, anchors, channels, channel_step, anchor_step, zero_point, bins, scale_x, scale_y, score_scale, sigmoid, least,
    first, capacity, count=0, total=0, levels=(),
):  # fmt: skip
    """The parameter block of decode_boxes.

    levels  three numbers for each level; stored as the number of words that follow, and these
    """
    entries = dtype, anchors, channels, channel_step, anchor_step, zero_point, bins
    fractions = bits(scale_x), bits(scale_y), bits(score_scale), sigmoid, bits(least)
    return array("i", entries + fractions + (first, capacity, count, total, len(levels)) + tuple(levels))


DECODE_COUNT = const(14)
DECODE_TOTAL = const(15)


def decode_keypoints(
    dtype, keypoints, channel_step, zero_point, sigmoid, scale_x, scale_y, score_scale, cell_x, cell_y, offset_x, offset_y,
    low_x, low_y, high_x, high_y, first=0, column=0, row=0,
):  # fmt: skip
    fractions = scale_x, scale_y, score_scale, cell_x, cell_y, offset_x, offset_y, low_x, low_y, high_x, high_y
    entries = [dtype, keypoints, channel_step, zero_point, sigmoid] + [bits(number) for number in fractions]
    return array("i", entries + [first, column, row])


KEYPOINTS_FIRST = const(16)
KEYPOINTS_COLUMN = const(17)
KEYPOINTS_ROW = const(18)
