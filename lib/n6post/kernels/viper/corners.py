"""The JSON text of keypoints and oriented boxes for to_json, written byte by byte: viper compiles it to machine code.

_viper/corners.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.

MicroPython takes 8,700 instructions to format a number as text. An oriented box has nine, a person with keypoints 51.
"""

import micropython
from micropython import const

_KEYPOINTS = b', "keypoints": ['
_FIRST = b', "corners": [['
_LAST = b'], "rotation": '
_COMMA = const(0x2C)
_SPACE = const(0x20)
_POINT = const(0x2E)
_HALF = const(0x25A00000)  # of the bits of 12582912.0, 1.5 * 2^23: a float near it has a step of 1


@micropython.viper
def write_corners(corners, hundredths: int, out: ptr8, at: int) -> int:
    """Write `, "corners": [[x, y], ...], "rotation": degrees` into `out` from `at` on. Returns the position of the end.

    corners     eight float32: 12582912 + tenths of a pixel, x and y of the corners in turns
    hundredths  of a degree, or -1: not known
    out         at least 160 bytes from `at` on, written

    0 if a number is not finite, or has more than six digits.
    """
    numbers = ptr32(corners)
    for i in range(8):
        number = numbers[i] - _HALF - _HALF
        if number < -999999 or number > 999999:
            return 0
    text = ptr8(_FIRST)
    for i in range(15):
        out[at + i] = text[i]
    at += 15
    for i in range(8):
        if i:
            if i & 1 == 0:
                out[at] = 0x5D
                at += 1
            out[at] = _COMMA
            out[at + 1] = _SPACE
            at += 2
            if i & 1 == 0:
                out[at] = 0x5B
                at += 1
        number = numbers[i] - _HALF - _HALF
        if number < 0:
            number = 0 - number
            out[at] = 0x2D
            at += 1
        power = 10
        while number // power > 9:
            power *= 10
        while power:
            if power == 1:
                out[at] = 0x2E
                at += 1
            digit = number // power
            out[at] = 48 + digit
            at += 1
            number -= digit * power
            power = power // 10
    text = ptr8(_LAST)
    out[at] = 0x5D
    for i in range(15):
        out[at + 1 + i] = text[i]
    at += 16
    number = hundredths
    if number < 0:
        out[at] = 0x6E
        out[at + 1] = 0x75
        out[at + 2] = 0x6C
        out[at + 3] = 0x6C
        return at + 4
    power = 100
    while number // power > 9:
        power *= 10
    while power > 1 or power == 1 and number:
        if power == 10:
            out[at] = 0x2E
            at += 1
        digit = number // power
        out[at] = 48 + digit
        at += 1
        number -= digit * power
        power = power // 10
    return at


@micropython.viper
def write_keypoints(keypoints, count: int, out: ptr8, at: int) -> int:
    """Write `, "keypoints": [[x, y, score], ...]` into `out` from `at` on. Returns the position of the end.

    keypoints   three float32 each: 12582912 + tenths of a pixel x and y, and 12582912 + thousandths of the score
    count       number of keypoints
    out         at least 20 + 36 * count bytes from `at` on, written

    0 if a number is not finite, or has more than six digits.
    """
    numbers = ptr32(keypoints)
    for i in range(3 * count):
        number = numbers[i] - _HALF - _HALF
        if number < -999999 or number > 999999:
            return 0
    text = ptr8(_KEYPOINTS)
    for i in range(16):
        out[at + i] = text[i]
    at += 16
    column = 0
    for i in range(3 * count):
        if i:
            out[at] = _COMMA
            out[at + 1] = _SPACE
            at += 2
        unit = 10
        if column == 0:
            out[at] = 0x5B
            at += 1
        elif column == 2:
            unit = 1000
        number = numbers[i] - _HALF - _HALF
        if number < 0:
            number = 0 - number
            out[at] = 0x2D
            at += 1
        whole = number // unit
        number -= whole * unit
        started = 0
        if whole > 999:
            high = whole // 1000
            whole -= high * 1000
            if high > 9:
                digit = (high * 205) >> 11
                out[at] = 48 + digit
                at += 1
                high -= digit * 10
            out[at] = 48 + high
            at += 1
            started = 1
        # Division by multiplication, exact for three digits.
        digit = (whole * 41) >> 12
        if digit or started:
            out[at] = 48 + digit
            at += 1
            whole -= digit * 100
            started = 1
        digit = (whole * 205) >> 11
        if digit or started:
            out[at] = 48 + digit
            at += 1
            whole -= digit * 10
        out[at] = 48 + whole
        out[at + 1] = _POINT
        at += 2
        if column == 2:
            digit = (number * 41) >> 12
            out[at] = 48 + digit
            at += 1
            number -= digit * 100
            if number:
                digit = (number * 205) >> 11
                out[at] = 48 + digit
                at += 1
                number -= digit * 10
                if number:
                    out[at] = 48 + number
                    at += 1
            out[at] = 0x5D
            at += 1
            column = 0
        else:
            out[at] = 48 + number
            at += 1
            column += 1
    out[at] = 0x5D
    return at + 1
