"""The masks of a list of Detection, tinted, in viper.

build_kernels.py appends this to helium_drawing.py and m7_drawing.py. The same function in plain Python, with a docstring, is
in portable_drawing.py; it takes twice as long.
"""

import micropython
from micropython import const

_TINT_COLOR = const(13)  # entry of the parameter block of tint_mask, as drawing_params.py names it
_NO_MASK = None  # viper cannot compare with the constant None
_type = type


@micropython.viper
def tint_masks(clip_mask, tint_mask, result, paints, pixels, block_of):
    none = _NO_MASK
    kind_of = _type
    last = none
    held = none
    block = none
    frame_mask = none
    views = none
    at = int(len(result))
    while at:
        at -= 1
        mask = result[at][4]
        if mask is not none:
            if kind_of(mask) is frame_mask:
                shared, entry = mask._entry
                table, data, transform = shared
            else:
                data, table, entry, transform = mask._row()
            if transform is not last:
                block, frame_mask = block_of(transform)
                last = transform
            if data is not held:
                views = memoryview(data)
                held = data
            color, _, _ = paints[at]
            words = ptr32(block)
            words[_TINT_COLOR] = int(color)
            start = clip_mask(block, table, entry)
            if int(start) >= 0:
                tint_mask(pixels, views[start:none], block)
