"""The parameter blocks of the kernels of crops.py, for rotated crops and the keypoints in them: see boxes.py."""

from array import array

from micropython import const

from .boxes import bits


def cut_rotated(depth, source_width, source_height, width, height, row_x, row_y, xu, yu, xv, yv):
    return array("i", (depth, source_width, source_height, width, height, row_x, row_y, xu, yu, xv, yv))


def place_keypoints(
    dtype, count, zero_point, scored, threshold, xx, xy, x0, yx, yy, y0, low_x, low_y, high_x, high_y,
    x1=0, y1=0, x2=0, y2=0,
):  # fmt: skip
    fractions = threshold, xx, xy, x0, yx, yy, y0, low_x, low_y, high_x, high_y, x1, y1, x2, y2
    return array("i", [dtype, count, zero_point, scored] + [bits(number) for number in fractions])


# Written by the kernel: x1, y1, x2, y2 of the box of the visible keypoints, as float32.
PLACE_KEYPOINTS_BOX = const(15)
