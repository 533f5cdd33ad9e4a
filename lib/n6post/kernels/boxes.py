"""From a YOLOv8 head to boxes and masks: the kernels active here; portable_boxes.py says what each does."""

from micropython import const

from ..kernels import load

# Entries of a row of place's table and of prototype_mask's plan (drawing_plans.row, plans.prototype_mask).
_ROW = const(16)
_ROW_ANCHOR = const(4)
_ROW_WINDOW_X = const(11)
_ROW_START = const(15)
_MASK_FIRST = const(8)
_MASK_WINDOW_X = const(10)
_MASK_WINDOW_W = const(12)
_MASK_THRESHOLD = const(14)

_home = load("boxes")
candidates = _home.candidates
suppress = _home.suppress
place = _home.place
prototype_mask = _home.prototype_mask
dedupe = _home.dedupe


def prototype_masks(protos, head, plan, first, anchor_step, table, kept, data):
    """The masks of all rows of place's table, each to where its bytes begin in `data`; plan as prototype_mask's.

    first, anchor_step  the element of the head with anchor 0's first coefficient, and from anchor to anchor
    Returns a copy of the rows.
    """
    rows = table[: kept * _ROW]
    for at in range(0, kept * _ROW, _ROW):
        plan[_MASK_FIRST] = first + rows[at + _ROW_ANCHOR] * anchor_step
        plan[_MASK_WINDOW_X:_MASK_THRESHOLD] = rows[at + _ROW_WINDOW_X : at + _ROW_START]
        if plan[_MASK_WINDOW_W]:
            prototype_mask(protos, head, plan, data[rows[at + _ROW_START] :])
    return rows
