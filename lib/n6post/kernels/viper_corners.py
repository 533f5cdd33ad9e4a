"""The JSON text of an oriented box for to_json, written byte by byte: viper compiles it to machine code.

portable_corners.py is the same source in plain Python, without viper's own syntax. scripts/dev/generate.py writes it.

MicroPython takes 8,700 instructions to format a number as text, and an oriented box has nine.
"""

import micropython
from micropython import const

_FIRST = b', "corners": [['
_LAST = b'], "rotation": '
_COMMA = const(0x2C)
_SPACE = const(0x20)
_HALF = const(0x25A00000)  # of the bits of 12582912.0, 1.5 * 2^23: a float near it has a step of 1


@micropython.viper
def write_corners(numbers: ptr32, hundredths: int, out: ptr8) -> int:
    """Write `, "corners": [[x, y], ...], "rotation": degrees` and return the number of bytes.

    numbers     the bits of eight floats: 12582912 + tenths of a pixel, x and y of the corners in turns
    hundredths  of a degree, or -1: not known
    out         at least 160 bytes, written

    0 if a number is not finite, or has more than six digits.
    """
    for i in range(8):
        number = numbers[i] - _HALF - _HALF
        if number < -999999 or number > 999999:
            return 0
    text = ptr8(_FIRST)
    for i in range(15):
        out[i] = text[i]
    at = 15
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
