"""From the table of boxes_to_frame to a list of Detection, in viper.

build_kernels.py appends this to helium_boxes.py and m7_boxes.py. The same function in plain Python, with a docstring, is in
portable_boxes.py; it takes half as long again.
"""

from array import array

import micropython
from micropython import const

# Entries of a row of the table, as drawing_params.row names them.
_X = const(0)
_Y = const(1)
_W = const(2)
_H = const(3)
_ANCHOR = const(4)
_CLASS_ID = const(5)
_SCORE = const(6)
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
        class_id = table[at + _CLASS_ID]
        label = names[class_id]
        if not label:
            label = name_of(class_id)
        own = none
        if mask:
            own = blank(mask)
            store(own, "_entry", (shared, at))
        points = none
        if keypoints:
            points = keypoints(outputs, table[at + _ANCHOR])
        bits[0] = table[at + _SCORE]
        rect = (x + table[at + _X], y + table[at + _Y], table[at + _W], table[at + _H])
        made = make(rect, one[0], class_id, label, own, points)
        store(made, "_source", source)
        detections[j] = made
        at += _ROW
    return detections
