"""The texts and widths of the labels of a list of Detection, in viper.

build_kernels.py appends this to helium/drawing.py and m7/drawing.py. The same function in plain Python, with a docstring, is
in portable/drawing.py; it takes half as long again.
"""

import micropython
from micropython import const

_LABEL = const(4)  # words of a label's row in the table of place_labels
_NO_TRACK = None  # viper cannot compare with the constant None,
_HUNDRED = 100  # multiply a float by a constant,
_int = int  # or round one


@micropython.viper
def label_detections(result, table: ptr32, texts, numbers, known, text_of, scale: int):
    none = _NO_TRACK
    hundred = _HUNDRED
    whole = _int
    number_of = numbers.get
    text_at = known.get
    at = 0
    n = 0
    for d in result:
        rect, score, _, label, _, _ = d
        x, y, _, h = rect
        track_id, _, _, _, _, _ = d._track
        made = none
        if score >= 0.0:
            if score < 1.27:
                number = number_of(label if track_id is none else (track_id, label))
                if number:
                    made = text_at(int(number) + int(whole(score * hundred + 0.5)))
        if not made:
            made = text_of(track_id, label, score)
        text, span = made
        texts[n] = text
        table[at] = int(x)
        table[at + 1] = int(y)
        table[at + 2] = int(h)
        table[at + 3] = scale * int(span) if text else 0
        at += _LABEL
        n += 1
