"""The boxes of a list of Detection and their labels, in viper.

build_kernels.py appends this to helium/drawing.py and m7/drawing.py. The same function in plain Python, with a docstring, is
in portable/drawing.py; it takes twice as long.
"""

import micropython
from micropython import const

# Entries of the parameter block of box, and words of a row of the table of place_labels, as params/drawing.py names them.
_X = const(3)
_THICKNESS = const(7)
_GROUND_X = const(8)
_GROUND_W = const(10)
_COLOR = const(12)
_LABEL_ROW = const(4)
# Of an oriented box. Copied by scripts/dev/generate.py from results/detection.py:
_CORNERS = const(2)
_NO_KEYPOINTS = None  # viper cannot compare with the constant None


@micropython.viper
def draw_boxes(box, pixels, params, font, result, paints, texts, table: ptr32, oriented) -> bool:
    none = _NO_KEYPOINTS
    block = ptr32(params)
    thickness = block[_THICKNESS]
    keypoints = 0
    text = ""
    at = int(len(result))
    while at:
        at -= 1
        d = result[at]
        x, y, w, h = d[0]
        block[_X] = int(x)
        block[_X + 1] = int(y)
        block[_X + 2] = int(w)
        block[_X + 3] = int(h)
        color, ink, _ = paints[at]
        block[_COLOR] = int(color)
        block[_COLOR + 1] = int(ink)
        if d[5] is not none:
            keypoints = 1
        if oriented:
            block[_THICKNESS] = 0 if int(len(d._source)) > _CORNERS else thickness
        if texts:
            text = texts[at]
            row = _LABEL_ROW * at
            block[_GROUND_X] = table[row]
            block[_GROUND_X + 1] = table[row + 1]
            block[_GROUND_W] = table[row + 3]
        box(pixels, params, text, font)
    return keypoints > 0
