"""repr() of arrays as ulab prints them (shape_058, misc_037)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._core import BOOLEAN, NO_DIMS, Array

_THRESHOLD, _EDGE = 10, 3  # longer rows show only this many elements at each end
_NAMES = {"B": "uint8", "b": "int8", "H": "uint16", "h": "int16", "f": "float32"}


def _element(value: Any, flag: int) -> str:
    if flag & BOOLEAN:
        return str(bool(value))
    if isinstance(value, np.float32):
        return repr(float(str(value)))
    return str(value)


def _row(row: Array, flag: int) -> str:
    n, edge = len(row), _EDGE
    if n <= _THRESHOLD:
        return "[" + ", ".join(_element(v, flag) for v in row) + "]"
    head = ", ".join(_element(v, flag) for v in row[:edge])
    tail = ", ".join(_element(v, flag) for v in row[n - edge :])
    return f"[{head}, ..., {tail}]"


def _block(a: Array, flag: int) -> str:
    if a.ndim == 1:
        return _row(a, flag)
    between = ",\n       " if a.ndim == 2 else ",\n\n       "
    return "[" + between.join(_block(part, flag) for part in a) + "]"


def text(a: Array, flag: int) -> str:
    name = "bool" if flag & BOOLEAN else _NAMES[a.dtype.char]
    if a.size == 0:
        shape = "" if a.ndim == 1 or flag & NO_DIMS else f", shape=({','.join(map(str, a.shape))})"
        return f"array([]{shape}, dtype={name})"
    return f"array({_block(a, flag)}, dtype={name})"
