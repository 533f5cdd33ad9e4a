"""bitwise_and ... right_shift (`bitwise.c` of ulab 6.12.0; golden bits_*). Their dtypes differ from & | ^."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import ndarray, wrap
from ._convert import operand
from ._core import UlabTrap
from ._ops import BITWISE, SHIFT, fits


def _operands(x: Any, y: Any) -> tuple[Any, Any, str]:
    left, right = operand(x)[0], operand(y)[0]
    pair = left.dtype.char + right.dtype.char
    if "f" in pair:
        raise ValueError("not supported for input types")
    if left.size == 0 or right.size == 0:
        raise UlabTrap("empty array", "bitwise functions of an empty array read outside it")
    fits(left, right)
    return left, right, pair


def _bitwise(ufunc: np.ufunc, x: Any, y: Any) -> ndarray:
    left, right, pair = _operands(x, y)
    return wrap(np.atleast_1d(ufunc(left, right, dtype=BITWISE[pair], casting="unsafe", order="C")))


def _shift(ufunc: np.ufunc, x: Any, y: Any) -> ndarray:
    left, right, pair = _operands(x, y)
    if np.any(right < 0) or np.any(right > 31):
        raise UlabTrap("shift", "by a negative number or more than 31 is undefined")
    if pair == "Hb":
        raise UlabTrap("shift", "of uint16 by int8 reads the low bytes only: shift by an unsigned array")
    if pair == "hH" and ufunc is np.right_shift and np.any(left < 0):
        raise UlabTrap("shift", "of a negative int16 by uint16 shifts in zeros")
    wide = ufunc(left, right, dtype=np.int64, casting="unsafe", order="C")
    return wrap(np.atleast_1d(wide).astype(SHIFT[pair]))


def bitwise_and(x: Any, y: Any, /) -> ndarray:
    return _bitwise(np.bitwise_and, x, y)


def bitwise_or(x: Any, y: Any, /) -> ndarray:
    return _bitwise(np.bitwise_or, x, y)


def bitwise_xor(x: Any, y: Any, /) -> ndarray:
    return _bitwise(np.bitwise_xor, x, y)


def left_shift(x: Any, y: Any, /) -> ndarray:
    return _shift(np.left_shift, x, y)


def right_shift(x: Any, y: Any, /) -> ndarray:
    return _shift(np.right_shift, x, y)
