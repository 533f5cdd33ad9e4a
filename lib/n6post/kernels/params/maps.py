"""The parameter blocks of the kernels of maps.py, which read class maps and heat maps: see boxes.py."""

from array import array

from micropython import const

from ...tensors.quantization import FLOAT
from .boxes import bits


def _cut(dtype, value):
    # A threshold is stored in the tensor's own number format.
    return bits(value) if dtype == FLOAT else value


def class_map(dtype, pixels, classes, pixel_step, class_step, cut=0):
    return array("i", (dtype, pixels, classes, pixel_step, class_step, _cut(dtype, cut)))


def class_histogram(pixels):
    return array("i", (pixels,))


def peaks(
    dtype, width, height, keypoint_count, pixel_step, keypoint_step, zero_point, cut, refine, scale, ax, bx, ay, by,
    frame_width, frame_height, visible=0, x1=0, y1=0, x2=0, y2=0, mean_score=0,
):  # fmt: skip
    entries = dtype, width, height, keypoint_count, pixel_step, keypoint_step, zero_point, _cut(dtype, cut), refine
    fractions = bits(scale), bits(ax), bits(bx), bits(ay), bits(by)
    box = bits(x1), bits(y1), bits(x2), bits(y2), bits(mean_score)
    return array("i", entries + fractions + (frame_width, frame_height, visible) + box)


# Written by the kernel: the number of visible keypoints, and then x1, y1, x2, y2 of their box and the mean of their scores,
# as float32.
PEAKS_VISIBLE = const(16)
PEAKS_BOX = const(17)
