"""The parameter block of the kernel of measures.py: see boxes.py."""

from array import array

from .boxes import bits


def measure_mask(x_scale, y_scale, offset_x, offset_y, seen_x, seen_y, seen_w, seen_h, margin_x, margin_y):
    to_frame = bits(x_scale), bits(y_scale), bits(offset_x), bits(offset_y)
    return array("i", to_frame + (seen_x, seen_y, seen_w, seen_h, margin_x, margin_y))
