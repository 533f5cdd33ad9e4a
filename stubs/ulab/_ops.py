"""Arithmetic and comparison on numpy operands with ulab's result dtypes.

Every function takes (left, left flag, right, right flag), where `_convert.operand` made the arrays or numpy scalars,
and returns (array, flag). The tables are `ndarray_operators.c` of ulab 6.12.0, golden binop_*, scalar_*, rscalar_*,
broadcast_*. Correct results of the C code, including wrapping, are imitated. If its result does not match the
expression, UlabTrap is raised, and only for those values.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ._core import BOOLEAN, BY_CHAR, F32, I32, NO_DIMS, U8, U16, WRAPPED, Array, UlabTrap

Result = tuple[Array, int]

_PAIRS = [left + right for left in "BbHh" for right in "BbHh"]


def _table(**special: str) -> dict[str, np.dtype[Any]]:
    """Result dtype by the pair of dtype characters; the result of other pairs is float."""
    table = {c + c: BY_CHAR[c] for c in "BbHh"}
    for pair in ("Bb", "bB", "Bh", "hB", "bh", "hb"):
        table[pair] = BY_CHAR["h"]
    for pair in ("BH", "HB"):
        table[pair] = BY_CHAR["H"]
    for pair, char in special.items():
        table[pair] = BY_CHAR[char]
    return table


_ADD = _table(bH="h", Hb="h")  # also *, and & | ^ as operators
_SUB = _table(bH="h", Hb="H")
_FLOOR = _table(bH="H", Hb="H")
_MOD = _table(bH="h")
WHERE = _table(bH="H", Hb="H")
MAXIMUM = _table(bH="h", Hb="H")


def _no_broadcast() -> ValueError:
    return ValueError("operands could not be broadcast together")


def fits(*arrays: Any) -> None:
    """ValueError unless they broadcast."""
    shapes = {a.shape for a in arrays if getattr(a, "shape", ())}
    if len(shapes) < 2:  # the usual case, and faster than numpy: arrays of the same shape, and numbers
        return
    try:
        np.broadcast_shapes(*[np.shape(a) for a in arrays])
    except ValueError:
        raise _no_broadcast() from None


def _broadcastable_empty(left: Any, right: Any) -> None:
    """Broadcast the shapes. In ulab, an axis of length 0 or 1 is compatible with any other."""
    for m, n in zip(reversed(np.shape(left)), reversed(np.shape(right)), strict=False):
        if m != n and m > 1 and n > 1:
            raise _no_broadcast()


def _empty(dtype: np.dtype[Any], boolean: int = 0) -> Result:
    return np.zeros(0, dtype), NO_DIMS | boolean


def _misread(a: Any) -> None:
    if (a < 0).any():
        raise UlabTrap(
            "int16 read as unsigned",
            "-, //, **, > and >= of an int16 array (or an int below -128) with a float read "
            "its negative elements as 65536 + x: use a float array or a float literal",
        )


def _wrapped(*flags: int) -> None:
    for flag in flags:
        if flag & WRAPPED:
            raise UlabTrap(
                "int scalar wraps",
                "an int of 32768..65535 with an int8 or int16 array becomes a negative int16: use a float literal",
            )


def _array(result: Any) -> Array:
    """The result of two scalars is an array with one element (bits_020)."""
    return result if result.ndim else result.reshape(1)  # type: ignore[no-any-return]


def _modular(ufunc: np.ufunc, table: dict[str, np.dtype[Any]]) -> Callable[[Any, int, Any, int], Result]:
    """+, -, *. Computing in the result dtype wraps exactly like C's int arithmetic."""

    @np.errstate(all="ignore")
    def operate(left: Any, lflag: int, right: Any, rflag: int) -> Result:
        lchar, rchar = left.dtype.char, right.dtype.char
        if left.size == 0 or right.size == 0:
            _broadcastable_empty(left, right)
            # for empty arrays, int8 with uint16 is uint16, unlike for others
            return _empty(_EMPTY.get(lchar + rchar, F32))
        dtype = table.get(lchar + rchar)
        if dtype is not None:
            return _array(ufunc(left, right, dtype=dtype, casting="unsafe", order="C")), 0
        if lchar != "f" and rchar != "f":  # uint16 with int16: C computes in int, then converts to float
            return _array(ufunc(left, right, dtype=I32, order="C").astype(F32)), 0
        if ufunc is np.subtract and lchar == "h":
            _misread(left)
        return _array(ufunc(left, right, dtype=F32, order="C")), 0

    return operate


_EMPTY = _table(bH="H", Hb="H", Hh="h", hH="h")

add = _modular(np.add, _ADD)
subtract = _modular(np.subtract, _SUB)
multiply = _modular(np.multiply, _ADD)


def _zero_divisor(right: Any) -> None:
    if not np.all(right):
        raise UlabTrap(
            "integer division by zero", "crashes on a PC and is 0 or the dividend on the board: divide by a float"
        )


def _none_for_empty(left: Any, right: Any) -> None:
    if left.size == 0 or right.size == 0:
        raise UlabTrap(
            "None for an empty array",
            "%, //, &, | and ^ with an empty array return None: test the length first",
        )


@np.errstate(all="ignore")
def true_divide(left: Any, lflag: int, right: Any, rflag: int) -> Result:
    if left.size == 0 or right.size == 0:
        _broadcastable_empty(left, right)
        return _empty(F32)
    if left.dtype.char == "f" or right.dtype.char == "f":
        return _array(np.true_divide(left, right, dtype=F32, order="C")), 0
    _wrapped(lflag, rflag)
    _zero_divisor(right)
    quotient = _array(np.true_divide(left, right, dtype=np.float64, order="C"))
    if (quotient != np.trunc(quotient)).any():
        raise UlabTrap("integer division", "int / int drops the fraction: make one side a float")
    return quotient.astype(F32), 0


def _last_axis_first(a: Array) -> Array:
    return a[..., :1] if a.ndim else a


@np.errstate(all="ignore")
def floor_divide(left: Any, lflag: int, right: Any, rflag: int) -> Result:
    _none_for_empty(left, right)
    lchar, rchar = left.dtype.char, right.dtype.char
    if lchar == "f" or rchar == "f":
        if lchar == "h":
            _misread(left)
        return _array(np.floor(np.true_divide(left, right, dtype=F32, order="C"))), 0
    _wrapped(lflag, rflag)
    _zero_divisor(right)
    true = _array(np.floor_divide(left, right, dtype=I32, casting="unsafe", order="C"))
    dtype = _FLOOR.get(lchar + rchar)
    if dtype is None:  # uint16 with int16: an integer division toward zero, converted to float
        result = _array(np.trunc(np.true_divide(left, right, dtype=np.float64, order="C")))
        wrong = (result != true).any()
        dtype = F32
    elif lchar in "BH" and rchar in "BH":
        return true.astype(dtype), 0
    else:
        # The C loop works in int16 and reads the divisor once per row (ulab's FLOOR_DIVIDE1).
        wide = np.broadcast_to(right, np.broadcast_shapes(np.shape(left), np.shape(right)))
        divisor = _last_axis_first(wide.astype(np.int16)).astype(np.int64)
        dividend = np.broadcast_to(left, wide.shape).astype(np.int16).astype(np.int64)
        dividend = dividend + np.where(
            dividend >= 0, np.where(divisor < 0, -divisor - 1, 0), np.where(divisor >= 0, 1 - divisor, 0)
        )
        dividend = dividend.astype(np.int16)
        result = _array(np.trunc(np.true_divide(dividend, divisor))).astype(np.int64).astype(dtype)
        wrong = (result != true.astype(dtype)).any()
    if wrong:
        raise UlabTrap(
            "floor division", "int // int with a signed operand divides a whole row by its first divisor"
        )
    return result.astype(dtype), 0


@np.errstate(all="ignore")
def modulo(left: Any, lflag: int, right: Any, rflag: int) -> Result:
    _none_for_empty(left, right)
    lchar, rchar = left.dtype.char, right.dtype.char
    if lchar == "f" or rchar == "f":
        result = _array(np.fmod(left, right, dtype=F32, order="C"))
        true = np.mod(left, right, dtype=F32)
        if not ((result == true) | (np.isnan(result) & np.isnan(true))).all():
            raise UlabTrap("sign of %", "% has the sign of the dividend, not that of the divisor")
        return result, 0
    _wrapped(lflag, rflag)
    _zero_divisor(right)
    divisor = right.astype(np.int16) if lchar + rchar == "bH" else right
    _zero_divisor(divisor)
    result = _array(np.fmod(left, divisor, dtype=I32, casting="unsafe", order="C"))
    if (result != np.mod(left, right, dtype=I32, casting="unsafe")).any():
        raise UlabTrap("sign of %", "% has the sign of the dividend, not that of the divisor")
    return result.astype(_MOD.get(lchar + rchar, F32)), 0


@np.errstate(all="ignore")
def power(left: Any, lflag: int, right: Any, rflag: int) -> Result:
    if left.size == 0 or right.size == 0:
        _broadcastable_empty(left, right)
        return _empty(F32)
    if left.dtype.char == "h" and right.dtype.char == "f":
        _misread(left)
    _wrapped(lflag, rflag)
    return _array(np.power(left, right, dtype=np.float64, order="C").astype(F32)), 0


def _comparison(ufunc: np.ufunc, misreads: str) -> Callable[[Any, int, Any, int], Result]:
    """< and <= are > and >= with the sides swapped, so ulab may misread the other side."""

    def operate(left: Any, lflag: int, right: Any, rflag: int) -> Result:
        if left.size == 0 or right.size == 0:
            _broadcastable_empty(left, right)
            return _empty(U8, BOOLEAN)
        if (lflag | rflag) & WRAPPED:
            _wrapped(lflag, rflag)
        result = _array(ufunc(left, right, order="C"))
        if misreads:
            pair = left.dtype.char + right.dtype.char
            if misreads == "left" and pair == "hf":
                if (result != ufunc(left.astype(U16), right)).any():
                    _misread(left)
            elif misreads == "right" and pair == "fh" and (result != ufunc(left, right.astype(U16))).any():
                _misread(right)
        return result.view(U8), BOOLEAN

    return operate


less = _comparison(np.less, "right")
less_equal = _comparison(np.less_equal, "right")
greater = _comparison(np.greater, "left")
greater_equal = _comparison(np.greater_equal, "left")
equal = _comparison(np.equal, "")
not_equal = _comparison(np.not_equal, "")


def _logical(ufunc: np.ufunc) -> Callable[[Any, int, Any, int], Result]:
    def operate(left: Any, lflag: int, right: Any, rflag: int) -> Result:
        _none_for_empty(left, right)
        pair = left.dtype.char + right.dtype.char
        if "f" in pair:
            fits(left, right)
            raise TypeError("operation not supported for the input types")
        if pair in ("Hh", "hH"):
            fits(left, right)
            raise TypeError("dtype of int32 is not supported")
        result = ufunc(left, right, dtype=_ADD[pair], casting="unsafe", order="C")
        return _array(result), lflag & rflag & BOOLEAN

    return operate


logical_and = _logical(np.bitwise_and)
logical_or = _logical(np.bitwise_or)
logical_xor = _logical(np.bitwise_xor)


# In place: the result keeps the left side's dtype; only float arrays take floats, / and ** (inplace_*).


def _inplace_check(ufunc: np.ufunc, left: Array, right: Any, needs_float: bool) -> bool:
    """Check an in-place operation. False if there is nothing to do."""
    shape = np.shape(right)
    if ufunc is np.fmod:  # ulab checks only this one as if it created a new array
        _none_for_empty(left, right)
        fits(left, right)
        shape = ()
    for i in range(1, len(shape) + 1):
        m = left.shape[-i] if i <= left.ndim else 0
        if shape[-i] not in (m, 0, 1):
            raise _no_broadcast()
    if left.size == 0 or np.size(right) == 0:
        return False
    if needs_float and left.dtype != F32:
        raise TypeError("results cannot be cast to specified type")
    if left.dtype != F32 and right.dtype == F32:
        raise TypeError("cannot cast output with casting rule")
    if isinstance(right, np.ndarray) and right is not left and np.may_share_memory(left, right):
        same = right.strides == left.strides and right.shape == left.shape
        if not (same and right.ctypes.data == left.ctypes.data):
            raise UlabTrap(
                "overlapping views", "an in-place operation reads elements it has already changed: copy()"
            )
    return True


@np.errstate(all="ignore")
def inplace(ufunc: np.ufunc, left: Array, right: Any, rflag: int, needs_float: bool = False) -> bool:
    if not _inplace_check(ufunc, left, right, needs_float):
        return False
    if ufunc is np.fmod:
        if left.dtype != F32:
            _wrapped(rflag)
            _zero_divisor(right)
        if np.broadcast_shapes(left.shape, np.shape(right)) != left.shape:
            raise UlabTrap("%=", "with a larger right side uses only part of it")
        result = modulo(left, 0, right, rflag)[0]
        left[...] = result.astype(left.dtype)
        return True
    if right.ndim > left.ndim:
        right = right.reshape(right.shape[right.ndim - left.ndim :])
    if ufunc is np.power:
        left[...] = np.power(left, right, dtype=np.float64).astype(F32)
    else:
        ufunc(left, right, out=left, dtype=left.dtype, casting="unsafe")
    return True
