"""From the table of boxes_to_frame to a list of Detection, in viper.

build_kernels.py appends this to helium/boxes.py and m7/boxes.py. The same function in plain Python, with a docstring, is in
portable/boxes.py; it takes half as long again.
"""

from array import array

import micropython
from micropython import const

# A row of the table. Copied by scripts/dev/generate.py from row in kernels/params/drawing.py:
_ROW_X = const(0)
_ROW_Y = const(1)
_ROW_W = const(2)
_ROW_H = const(3)
_ROW_ANCHOR = const(4)
_ROW_CLASS_ID = const(5)
_ROW_SCORE = const(6)

_ROW = const(16)

_NONE = None  # viper cannot compare with the constant None
_float = array("f", [0])
_store = object.__setattr__  # past Detection.__setattr__
_blank = object.__new__  # past FrameMask.__init__: interpreting it takes half as long as all the rest of a detection


@micropython.viper
def make_detections(making, outputs, shared, table: ptr32, first: int, count):
    one = _float
    bits = ptr32(one)
    none = _NONE
    names, name_of, make, mask, keypoints, left, top, source = making
    store = _store
    blank = _blank
    x = int(left)
    y = int(top)
    detections = [none] * count
    at = first
    for j in range(int(count)):
        class_id = table[at + _ROW_CLASS_ID]
        label = names[class_id]
        if not label:
            label = name_of(class_id)
        own = none
        if mask:
            own = blank(mask)
            store(own, "_entry", (shared, at))
        points = none
        if keypoints:
            points = keypoints(outputs, table[at + _ROW_ANCHOR])
        bits[0] = table[at + _ROW_SCORE]
        rect = (x + table[at + _ROW_X], y + table[at + _ROW_Y], table[at + _ROW_W], table[at + _ROW_H])
        made = make(rect, one[0], class_id, label, own, points)
        store(made, "_source", source)
        detections[j] = made
        at += _ROW
    return detections
