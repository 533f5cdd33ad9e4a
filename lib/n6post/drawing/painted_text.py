"""Texts painted into a picture, by the kernel `box`. text.py and earlier.py have what is written, and where."""

from ..kernels import drawing as drawing_kernels
from ..kernels.params.drawing import (
    BOX_COLOR,
    BOX_DEPTH,
    BOX_FRAME_HEIGHT,
    BOX_FRAME_WIDTH,
    BOX_GROUND_H,
    BOX_GROUND_W,
    BOX_GROUND_X,
    BOX_GROUND_Y,
    BOX_INK,
    BOX_SCALE,
)
from ..kernels.params.drawing import box as box_params
from ..pixels.text import font

_block = box_params()


def paint(target, entries):
    """Draw texts, one after the other.

    In one call, because a function with so many locals is an allocation of its own. A frame of a street has 25 texts, and
    where one area of the heap is nearly full, each such allocation searches the rest of it (100,000 instructions).
    """
    block = _block
    pixels, block[BOX_DEPTH], block[BOX_FRAME_WIDTH], block[BOX_FRAME_HEIGHT] = target
    for entry in entries:
        (
            block[BOX_GROUND_X],
            block[BOX_GROUND_Y],
            block[BOX_GROUND_W],
            block[BOX_GROUND_H],
            text,
            ground,
            block[BOX_INK],
            block[BOX_SCALE],
        ) = entry
        if ground < 0:
            block[BOX_GROUND_H] = 0
        else:
            block[BOX_COLOR] = ground
        drawing_kernels.box(pixels, block, text, font)
