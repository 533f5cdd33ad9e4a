"""The JSON text of detections for to_json, written byte by byte: viper compiles it to machine code.

_viper/json.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.

MicroPython takes 7,000 instructions to format a float, and 3,000 to look up each new string among its interned ones. So the
whole line is written into one buffer, and a score is formatted from an integer, its thousandths.
"""

import micropython
from micropython import const

# The text of a detection. <NAME> is a value: a word or a kind below. At <MORE> one of the three texts of a mask is inserted,
# which <BACK> ends. A track_id of None takes the text before it along.
_DETECTION_TEXT = const(
    '{"rect": [<X>, <Y>, <W>, <H>], "score": <SCORE>, "class_id": <CLASS_ID>, "label": <LABEL><MORE>'
    ', "track_id": <TRACK_ID>}<END>'
)
_WHOLE_TEXT = const(
    ', "mask": {"rect": [<MASK_X>, <MASK_Y>, <MASK_W>, <MASK_H>], "area": <MASK_AREA>'
    ', "centroid": [<MEAN_X>, <MEAN_Y>]}<BACK>'
)
_NO_AREA_TEXT = const(', "mask": {"rect": [<MASK_X>, <MASK_Y>, <MASK_W>, <MASK_H>], "area": 0, "centroid": null}<BACK>')
_NO_PIXEL_TEXT = const(', "mask": {"rect": null, "area": 0, "centroid": null}<BACK>')

# scripts/dev/generate.py makes these of the texts: the pieces, where those of a mask begin, and the bytes of a detection
# without label, keypoints and corners. A piece is its length, a text, which is copied four bytes at a time, and a value.
_FORM = (
    b'\n{"rect": [  \t\x02,   \n\x02,   \x0b\x02,   \x0c\x0c], "score": !\x0e, "class_id":'
    b'   \r\x0b, "label":  "\x00#\x0e, "track_id":   \x0e\x01}    \x14, "mask": {"rec'
    b't": [\x00\x02,   \x01\x02,   \x02\x02,   \x03\x0b], "area":  \x04\x0f, "centroid": [ \x05\x02,  '
    b' \x06\x02]}  $\x14, "mask": {"rect": [\x00\x02,   \x01\x02,   \x02\x02,   \x03\x1f], "area": '
    b'0, "centroid": null} $5, "mask": {"rect": null, "area": 0, "'
    b'centroid": null}   $'
)  # fmt: skip
_WHOLE = const(104)
_NO_AREA = const(188)
_NO_PIXEL = const(262)
_MAX_SIZE = const(279)

_END = const(32)
_SCORE = const(33)
_LABEL = const(34)
_MORE = const(35)
_BACK = const(36)

# Words: the measures of the current detection's mask, as the kernel measure_mask writes them, how far the writer is, and
# other values of the current detection.
_MASK_X = const(0)
_MASK_Y = const(1)
_MASK_W = const(2)
_MASK_H = const(3)
_MASK_AREA = const(4)
_MEAN_X = const(5)
_MEAN_Y = const(6)
_AT = const(7)  # bytes written
_NEXT = const(8)  # index of the next detection
_X = const(9)
_Y = const(10)
_W = const(11)
_H = const(12)
_CLASS_ID = const(13)
_TRACK_ID = const(14)
_TRACKED = const(15)  # 1 if it has a track id, else 0
_THOUSANDTHS = const(16)  # of the score; -1 if the score is given as text
_LABEL_SIZE = const(17)  # bytes
_SCORE_SIZE = const(18)
_MEASURED = const(19)  # 1 if the measures of a mask are written, else 0
_MORE_SIZE = const(20)
_WORDS = const(21)  # their number

# Of an oriented box. Copied by scripts/dev/generate.py from results/detection.py:
_CORNERS = const(2)

_NONE = None  # viper cannot compare with the constant None


@micropython.viper
def write(detections, words: ptr32, out, size: int, scores, texts, text_of) -> int:
    """Write the detections as JSON objects, with ", " between them.

    detections  list of Detection
    words   array('i') of 21: the words above; _AT and _NEXT say where to begin, and are updated
    out     a bytearray, written from word _AT on; a few bytes at its end stay free
    size    bytes of `out`
    scores  an array of one float, through which the bits of a score are read
    texts   {label: its JSON as bytes}
    text_of     text_of(kind, detection) returns bytes that are not made here: kind 0 the label, 1 the score, 2 keypoints and
                corners. For kind 2 it also sets _MEASURED, the words of the mask and _MORE_SIZE: how many of the bytes count

    Returns 0 once all detections are written. Otherwise it returns how many bytes it needs for the next one: call it again
    with as many free bytes in `out`.
    """
    none = _NONE
    form = _FORM
    at = words[_AT]
    count = int(len(detections))
    j = words[_NEXT]
    while j < count:
        d = detections[j]
        rect, score, class_id, label, mask, keypoints = d
        left, top, width, height = rect
        words[_X] = int(left)
        words[_Y] = int(top)
        words[_W] = int(width)
        words[_H] = int(height)
        words[_CLASS_ID] = int(class_id)
        track_id, _, _, _, _, _ = d._track
        words[_TRACKED] = 0
        if track_id is not none:
            words[_TRACKED] = 1
            words[_TRACK_ID] = int(track_id)
        text = texts.get(label)
        if text is none:
            text = text_of(0, d)
        words[_LABEL_SIZE] = int(len(text))
        score_text = text
        words[_SCORE_SIZE] = 0
        # The float's bits: sign, 8 of the exponent, 23 of the mantissa, which has a 1 before it.
        scores[0] = score
        bits = ptr32(scores)
        number = bits[0]
        thousandths = 0
        shift = 147 - (number >> 23)
        if number < 0 or shift < 20:  # 2 and more, or NaN
            score_text = text_of(1, d)
            words[_SCORE_SIZE] = int(len(score_text))
            thousandths = -1
        elif shift < 32:  # 2^-11 and more
            # 1000 m / 2^n is 125 m / 2^(n - 3), which has 31 bits. Halves are rounded to even, as by round().
            number = ((number & 0x7FFFFC) | 0x800000) * 125
            thousandths = number >> shift
            number -= thousandths << shift
            half = 1 << (shift - 1)
            if number > half or (number == half and thousandths & 1):
                thousandths += 1
        words[_THOUSANDTHS] = thousandths
        more = text
        words[_MEASURED] = 0
        words[_MORE_SIZE] = 0
        if mask is not none or keypoints is not none or int(len(d._source)) > _CORNERS:
            more = text_of(2, d)
        need = words[_LABEL_SIZE] + words[_SCORE_SIZE] + words[_MORE_SIZE] + _MAX_SIZE
        words[_AT] = at
        words[_NEXT] = j
        if size - at < need:
            return need
        at = int(fill_in(out, at, form, words, text, score_text, more))
        j += 1
    words[_AT] = at
    words[_NEXT] = j
    return 0


# A function of its own, because viper keeps the first arguments of a function in registers.
@micropython.viper
def fill_in(out: ptr8, at: int, form: ptr8, words: ptr32, text: ptr8, score_text: ptr8, more: ptr8) -> int:
    """Write one detection into `out` from `at` on: the form with its values. Returns the position of its end.

    text, score_text, more  label, score (if _THOUSANDTHS is -1), keypoints and corners as JSON
    """
    if words[_NEXT]:
        out[at] = 0x2C
        out[at + 1] = 0x20
        at += 2
    i = 0
    back = 0
    while True:
        length = form[i]
        i += 1
        end = at + length
        while at < end:
            out[at] = form[i]
            out[at + 1] = form[i + 1]
            out[at + 2] = form[i + 2]
            out[at + 3] = form[i + 3]
            at += 4
            i += 4
        at = end
        kind = form[i]
        i += 1
        if kind < _END:
            number = words[kind]
            if kind == _TRACK_ID and words[_TRACKED] == 0:
                at -= length
            else:
                if number < 0:
                    number = 0 - number
                    out[at] = 0x2D
                    at += 1
                started = 0
                if number > 999:
                    started = 1
                    power = 1000
                    while number // power > 9:
                        power *= 10
                    while power > 100:
                        digit = number // power
                        out[at] = 48 + digit
                        at += 1
                        number -= digit * power
                        power = power // 10
                # Division by multiplication, exact for three digits.
                digit = (number * 41) >> 12
                if digit or started:
                    out[at] = 48 + digit
                    at += 1
                    number -= digit * 100
                    started = 1
                digit = (number * 205) >> 11
                if digit or started:
                    out[at] = 48 + digit
                    at += 1
                    number -= digit * 10
                out[at] = 48 + number
                at += 1
        elif kind == _SCORE and words[_THOUSANDTHS] >= 0:
            number = words[_THOUSANDTHS]
            digit = (number * 1049) >> 20  # exact up to 2000
            out[at] = 48 + digit
            out[at + 1] = 0x2E
            number -= digit * 1000
            digit = (number * 41) >> 12
            out[at + 2] = 48 + digit
            at += 3
            number -= digit * 100
            if number:
                digit = (number * 205) >> 11
                out[at] = 48 + digit
                at += 1
                number -= digit * 10
                if number:
                    out[at] = 48 + number
                    at += 1
        elif kind == _END:
            return at
        elif kind == _MORE and words[_MEASURED]:
            words[_MEASURED] = 0
            back = i - 2
            i = _WHOLE
            if words[_MASK_W] == 0:
                i = _NO_PIXEL
            elif words[_MASK_AREA] == 0:
                i = _NO_AREA
        elif kind == _BACK:
            i = back
        else:
            source = text
            length = words[_LABEL_SIZE]
            if kind == _SCORE:
                source = score_text
                length = words[_SCORE_SIZE]
            if kind == _MORE:
                source = more
                length = words[_MORE_SIZE]
            k = 0
            while k < length:
                out[at] = source[k]
                at += 1
                k += 1
