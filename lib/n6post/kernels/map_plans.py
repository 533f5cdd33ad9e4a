"""The parameter blocks of the kernels that read maps of classes and joints, by name: as plans.py for those of boxes."""

from array import array

from micropython import const

from .plans import bits

_FLOAT = const(102)  # ulab's code, as in quant.py


def _cut(dtype, value):
    # A threshold is stored as the tensor's own numbers are.
    return bits(value) if dtype == _FLOAT else value


def class_map(dtype, pixels, classes, pixel_step, class_step, cut=0):
    return array("i", (dtype, pixels, classes, pixel_step, class_step, _cut(dtype, cut)))


def count(pixels):
    return array("i", (pixels,))


def peaks(
    dtype, width, height, joints, pixel_step, joint_step, zero_point, cut, refine, scale, ax, bx, ay, by,
    frame_width, frame_height, visible=0, x1=0, y1=0, x2=0, y2=0, total=0,
):  # fmt: skip
    entries = dtype, width, height, joints, pixel_step, joint_step, zero_point, _cut(dtype, cut), refine
    fractions = bits(scale), bits(ax), bits(bx), bits(ay), bits(by)
    box = bits(x1), bits(y1), bits(x2), bits(y2), bits(total)
    return array("i", entries + fractions + (frame_width, frame_height, visible) + box)


PEAKS_VISIBLE = const(16)  # written by the kernel, as are the float32 entries x1, y1, x2, y2, total behind it
PEAKS_BOX = const(17)
