"""What to_json writes of detections, byte by byte and in plain Python.

Written by scripts/dev/write_portable_tracks.py from viper_text.py, which explains it: change that, not this.
"""

from array import array

from micropython import const

# Pieces of text, each with its length before it and behind it what is filled in: a number, by its place in the words, or one
# of those below. They are copied four bytes at a time; what is too much is written over.
_FORM = (
    b'\x0a{"rect": [  \x02' b"\x02,   \x03" b"\x02,   \x04" b"\x02,   \x05" b'\x0c], "score": \x08'
    b'\x0e, "class_id":   \x06' b'\x0b, "label":  \x09' b"\x00\x0a" b'\x0e, "track_id":   \x07' b"\x01}   \x00"
)  # fmt: skip
_END = const(0)
_SCORE = const(8)
_MORE = const(10)

# Words that are kept between calls.
_AT = const(0)  # bytes written
_NEXT = const(1)  # the detection to go on with
_X = const(2)
_Y = const(3)
_W = const(4)
_H = const(5)
_CLASS_ID = const(6)
_TRACK_ID = const(7)
_TRACKED = const(8)  # 0: it has none
_THOUSANDTHS = const(9)  # of the score; -1: it is a text
_LABEL_SIZE = const(10)  # bytes
_SCORE_SIZE = const(11)
_MORE_SIZE = const(12)

_ROOM = const(192)  # bytes: of a detection at most, besides its texts
_NONE = None  # which viper compares with nothing


def write(found, words, out, size, scores, texts, tell):
    """Detections as JSON, one behind the other, with ", " between them.

    words   how far it is, which is changed: see _AT and _NEXT
    out     a bytearray of so many bytes (size), a few of which stay free
    scores  an array of one float, to read a score's bits in
    texts   {label: its JSON as bytes}
    tell    tell(what, detection): bytes of what is not to be had here, 0 its label, 1 its score, 2 its mask and keypoints

    Returns 0, or how many bytes more it needs: to be called again, with as much room.
    """
    none = _NONE
    form = _FORM
    at = words[_AT]
    many = int(len(found))
    j = words[_NEXT]
    while j < many:
        d = found[j]
        rect, score, class_id, label, mask, keypoints = d
        left, top, width, height = rect
        words[_X] = left | 0
        words[_Y] = top | 0
        words[_W] = width | 0
        words[_H] = height | 0
        words[_CLASS_ID] = class_id | 0
        track_id = d.track_id
        words[_TRACKED] = 0
        if track_id is not none:
            words[_TRACKED] = 1
            words[_TRACK_ID] = track_id | 0
        text = texts.get(label)
        if text is none:
            text = tell(0, d)
        words[_LABEL_SIZE] = int(len(text))
        told = text
        words[_SCORE_SIZE] = 0
        # The float's bits: sign, 8 of the exponent, 23 of the mantissa, which has a 1 before it.
        scores[0] = score
        bits = array("i", bytes(scores))
        number = bits[0]
        thousandths = 0
        shift = 147 - (number >> 23)
        if number < 0 or shift < 20:  # 2 and more, or NaN
            told = tell(1, d)
            words[_SCORE_SIZE] = int(len(told))
            thousandths = -1
        elif shift < 32:  # 2^-11 and more
            # 1000 m / 2^n is 125 m / 2^(n - 3), which has 31 bits. Halves go to the even one, as round does.
            number = ((number & 0x7FFFFF) | 0x800000) * 125
            thousandths = number >> shift
            number -= thousandths << shift
            half = 1 << (shift - 1)
            if number > half or (number == half and thousandths & 1):
                thousandths += 1
        words[_THOUSANDTHS] = thousandths
        more = text
        words[_MORE_SIZE] = 0
        if mask is not none or keypoints is not none:
            more = tell(2, d)
            words[_MORE_SIZE] = int(len(more))
        need = words[_LABEL_SIZE] + words[_SCORE_SIZE] + words[_MORE_SIZE] + _ROOM
        words[_AT] = at
        words[_NEXT] = j
        if size - at < need:
            return need
        at = int(filled(out, at, form, words, text, told, more))
        j += 1
    words[_AT] = at
    words[_NEXT] = j
    return 0


# Of its own: what comes first of a function's arguments lies in registers.
def filled(out, at, form, words, text, told, more):
    """One detection's form, filled in; where its end is."""
    if words[_NEXT]:
        out[at] = 0x2C
        out[at + 1] = 0x20
        at += 2
    i = 0
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
        if kind == _END:
            return at
        if kind < _SCORE:
            number = words[kind]
            if kind == _TRACK_ID and words[_TRACKED] == 0:
                at -= length
            else:
                if number < 0:
                    number = 0 - number
                    out[at] = 0x2D
                    at += 1
                begun = 0
                if number > 999:
                    begun = 1
                    power = 1000
                    while number // power > 9:
                        power *= 10
                    while power > 100:
                        digit = number // power
                        out[at] = 48 + digit
                        at += 1
                        number -= digit * power
                        power = power // 10
                # By multiplication: exact for three digits.
                digit = (number * 41) >> 12
                if digit or begun:
                    out[at] = 48 + digit
                    at += 1
                    number -= digit * 100
                    begun = 1
                digit = (number * 205) >> 11
                if digit or begun:
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
        else:
            source = text
            length = words[_LABEL_SIZE]
            if kind == _SCORE:
                source = told
                length = words[_SCORE_SIZE]
            if kind == _MORE:
                source = more
                length = words[_MORE_SIZE]
            k = 0
            while k < length:
                out[at] = source[k]
                at += 1
                k += 1
