"""CBOR (RFC 8949) as `cbor2` of MicroPython's library writes it, which the firmware's `protocol` uses.

That package writes integers, floats (as double), bytes, str, bool, None, list and dict. Any other type, also a tuple, is a
KeyError. The module is not named `cbor2.py`, which would hide PyPI's cbor2; PCs read with that what a camera sends.
"""

from __future__ import annotations

import math
import struct
from typing import Any

# Major types, in the upper three bits of an item's first byte.
_UNSIGNED, _NEGATIVE, _BYTES, _TEXT, _ARRAY, _MAP = range(0, 6 << 5, 1 << 5)
_SIMPLE = {0xF4: False, 0xF5: True, 0xF6: None}


def _head(major: int, count: int) -> bytes:
    """The first byte of an item and its count, which is in that byte if below 24, else in the next 1, 2, 4 or 8 bytes."""
    if count < 24:
        return bytes([major | count])
    width = next(k for k in range(4) if count < 1 << (8 << k))
    return bytes([major | 24 + width]) + count.to_bytes(1 << width, "big")


def dumps(value: Any) -> bytes:
    """The bytes of a value. OverflowError for an integer beyond 64 bits, which MicroPython's package would write."""
    kind = type(value)
    if kind is bool or value is None:
        return bytes([next(code for code, simple in _SIMPLE.items() if simple is value)])
    if kind is int:
        if not -(1 << 64) <= value < 1 << 64:
            raise OverflowError(f"the stand-in writes integers of 64 bits, got {value}")
        return _head(_UNSIGNED, value) if value >= 0 else _head(_NEGATIVE, -1 - value)
    if kind is float:
        if not math.isfinite(value):
            return b"\xf9" + (b"\x7e\x00" if value != value else b"\x7c\x00" if value > 0 else b"\xfc\x00")
        return b"\xfb" + struct.pack(">d", value)
    if kind in (bytes, bytearray):
        return _head(_BYTES, len(value)) + bytes(value)
    if kind is str:
        text: bytes = value.encode()
        return _head(_TEXT, len(text)) + text
    if kind is list:
        return _head(_ARRAY, len(value)) + b"".join(map(dumps, value))
    if kind is dict:
        return _head(_MAP, len(value)) + b"".join(dumps(part) for pair in value.items() for part in pair)
    raise KeyError(kind)
