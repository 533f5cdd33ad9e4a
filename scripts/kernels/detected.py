"""From place's table to a list of Detection, in viper: build_kernels.py puts this behind the machine code of boxes.

The plain twin is in portable_boxes.py, and the docstring. A loop in Python takes half as long again.
"""

from array import array

import micropython
from micropython import const

# Entries of a row of the table, as drawing_plans.row names them.
_X = const(0)
_Y = const(1)
_W = const(2)
_H = const(3)
_ANCHOR = const(4)
_CLASS_ID = const(5)
_SCORE = const(6)
_ROW = const(16)

_NONE = None  # which viper compares with nothing
_float = array("f", [0])


@micropython.viper
def detected(setup, outputs, shared, table: ptr32, first: int, many):
    one = _float
    bits = ptr32(one)
    none = _NONE
    names = setup.names
    detection = setup.detection
    mask = setup.mask if shared else none
    keypoints = setup.keypoints
    left, top, _, _ = setup.fit.roi
    x = int(left)
    y = int(top)
    found = [none] * many
    at = first
    for j in range(int(many)):
        class_id = table[at + _CLASS_ID]
        label = names[class_id]
        if not label:
            label = setup.name_of(class_id)
        own = none
        if mask:
            own = mask(shared, at)
        points = none
        if keypoints:
            points = keypoints(outputs, table[at + _ANCHOR])
        bits[0] = table[at + _SCORE]
        rect = (x + table[at + _X], y + table[at + _Y], table[at + _W], table[at + _H])
        found[j] = detection(rect, one[0], class_id, label, own, points)
        at += _ROW
    return found
