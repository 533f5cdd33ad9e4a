"""The masks of a list of Detection, tinted, in viper.

build_kernels.py appends this to helium/drawing.py and m7/drawing.py. The same function in plain Python, with a docstring, is
in portable/drawing.py; it takes twice as long.
"""

import micropython
from micropython import const

from ..params.drawing import mask_block

# Entries of the parameter block of tint_mask, as params/drawing.py names them.
_TINT_FRAME_WIDTH = const(1)
_TINT_FRAME_HEIGHT = const(2)
_TINT_COLOR = const(13)
_TINT_ALPHA = const(14)
_NO_MASK = None  # viper cannot compare with the constant None


@micropython.viper
def tint_masks(clip_mask, tint_mask, result, paints, pixels, depth: int, width: int, height: int, alpha: int):
    none = _NO_MASK
    last = none
    held = none
    block = none
    views = none
    at = int(len(result))
    while at:
        at -= 1
        mask = result[at][4]
        if mask is not none:
            row = mask._entry
            if row is none:
                data, table, entry, transform = mask._row()
            else:
                shared, entry = row
                table, data, transform = shared
            if transform is not last:
                last = transform
                block = transform.block
                if block is none:
                    block = mask_block(transform)
                words = ptr32(block)
                words[0] = depth
                words[_TINT_FRAME_WIDTH] = width
                words[_TINT_FRAME_HEIGHT] = height
                words[_TINT_ALPHA] = alpha
            if data is not held:
                views = memoryview(data)
                held = data
            color, _, _ = paints[at]
            words = ptr32(block)
            words[_TINT_COLOR] = int(color)
            start = clip_mask(block, table, entry)
            if int(start) >= 0:
                tint_mask(pixels, views[start:none], block)
