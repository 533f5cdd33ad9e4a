"""The parameter blocks of the kernels of hide.py, which make a part of a frame unrecognizable: see boxes.py."""

from array import array

from micropython import const

PIXELATE = const(0)
BLUR = const(1)
FILL = const(2)


def mark_cells(
    width, height, x, y, x_step, y_step, margin_x, margin_y, x0, y0, x1, y1, left, top, size, columns, rows
):  # fmt: skip
    entries = width, height, x, y, x_step, y_step, margin_x, margin_y, x0, y0, x1, y1
    return array("i", entries + (left, top, size, columns, rows))


def hide_cells(depth, frame_width, frame_height, left, top, columns, rows, size, how, color):
    return array("i", (depth, frame_width, frame_height, left, top, columns, rows, size, how, color))
