"""where, clip, maximum, nonzero, take (`compare.c`, `create.c`, `transform.c` of ulab 6.12.0).

Golden where_*, maximum_*, equal_*, clip_*, select_*, mask*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ops
from ._array import fresh, linear, ndarray, wrap
from ._convert import is_scalar, items, length, operand, to_float, to_int, truncated
from ._core import BOOLEAN, F32, NO_DIMS, U8, U16, Raw, UlabTrap, canonical, is_dense


def _not_empty(name: str, *arrays: Any) -> None:
    for a in arrays:
        if a.size == 0:
            raise UlabTrap(
                "empty array",
                f"{name} of an empty array reads outside it and returns one element: test the length first",
            )


def _pick(name: str, ufunc: np.ufunc, x: Any, y: Any) -> Any:
    """Choose x or y element by element: exact comparison, y for NaN, and only the chosen element is cast."""
    left, right = operand(x)[0], operand(y)[0]
    _not_empty(name, left, right)
    _ops.fits(left, right)
    dtype = _ops.MAXIMUM.get(left.dtype.char + right.dtype.char, F32)
    with np.errstate(all="ignore"):
        chosen = np.where(ufunc(left, right), left.astype(dtype), right.astype(dtype))
    if is_scalar(x) and is_scalar(y):
        return chosen.item()
    return fresh(np.atleast_1d(chosen))


def maximum(x: Any, y: Any, /) -> Any:
    """x if x > y, else y. If one is NaN, the result is y."""
    return _pick("maximum", np.greater, x, y)


def minimum(x: Any, y: Any, /) -> Any:
    return _pick("minimum", np.less, x, y)


def clip(a: Any, a_min: Any, a_max: Any, /) -> Any:
    """maximum(a_min, minimum(a, a_max)), with the dtypes of both (clip_*)."""
    if is_scalar(a):
        value, low, high = to_float(a), to_float(a_min), to_float(a_max)
        return a_min if value < low else a_max if value > high else a
    return maximum(a_min, minimum(a, a_max))


def _equality(name: str, operate: Any, x: Any, y: Any) -> Any:
    left, right = operand(x), operand(y)
    _not_empty(name, left[0], right[0])
    result, flag = operate(*left, *right)
    return bool(result[0]) if is_scalar(x) and is_scalar(y) else wrap(result, flag)


def equal(x: Any, y: Any, /) -> Any:
    return _equality("equal", _ops.equal, x, y)


def not_equal(x: Any, y: Any, /) -> Any:
    return _equality("not_equal", _ops.not_equal, x, y)


def where(condition: Any, x: Any, y: Any, /) -> ndarray:
    """Always returns an array, with the common dtype of x and y. A scalar has the smallest dtype that holds it."""
    c, left, right = operand(condition)[0], operand(x)[0], operand(y)[0]
    _not_empty("where", c, left, right)
    _ops.fits(c, left, right)
    dtype = _ops.WHERE.get(left.dtype.char + right.dtype.char, F32)
    if left.dtype == right.dtype == dtype:
        return fresh(np.atleast_1d(np.where(c, left, right)))
    chosen = np.atleast_1d(np.where(c != 0, left.astype(F32), right.astype(F32)))
    return fresh(truncated(chosen, dtype))


def nonzero(x: Any, /) -> tuple[ndarray, ...]:
    """One uint16 array per dimension."""
    a, flag = operand(x)
    a = np.atleast_1d(a)
    if a.size == 0:
        if a.dtype != U8:
            return ()
        if a.ndim > 1 or a.base is not None:
            raise UlabTrap(
                "empty array", "nonzero of an empty slice of uint8 reads elements outside the slice"
            )
        return (linear(np.zeros(0, U16)),)
    found = np.nonzero(a)
    if len(found[0]) > 65535:
        raise UlabTrap(
            "too many hits", "nonzero counts its hits in 16 bits and overwrites memory beyond 65535"
        )
    if any(n > 65536 and (at > 65535).any() for n, at in zip(a.shape, found, strict=True)):
        raise UlabTrap("uint16 index", "nonzero returns positions beyond 65535 modulo 65536")
    return tuple(linear(at.astype(U16)) for at in found)


def _is_inf(x: Any, infinite: bool) -> Any:
    if type(x) is not bool and isinstance(x, (int, float)):
        value = float(x)
        return bool(np.isinf(value)) if infinite else bool(np.isfinite(value))
    if not isinstance(x, Raw):
        raise TypeError("wrong input type")
    test = np.isinf if infinite else np.isfinite
    return fresh(test(x._np).view(U8), x._flag & NO_DIMS | BOOLEAN)


def isinf(x: Any, /) -> Any:
    return _is_inf(x, True)


def isfinite(x: Any, /) -> Any:
    return _is_inf(x, False)


def _take_indices(indices: Any, n: int, mode: object) -> list[int]:
    if length(indices) is None:
        raise UlabTrap("take", "with an integer or an iterator as index crashes: use a[i], or a list")
    how = "raise"
    if isinstance(mode, str):
        how = next((m for m in ("raise", "wrap", "clip") if mode.startswith(m)), "")
        if not how:
            raise ValueError("mode should be raise, wrap or clip")
    made = []
    for index in [to_int(i) for i in items(indices)]:
        if how == "raise":
            if not -n <= index < n:
                raise ValueError("index out of range")
            index += n if index < 0 else 0
        elif how == "wrap":
            if index < 0 or n == 0:
                raise UlabTrap("take(mode='wrap')", "with a negative index reads outside the array")
            index %= n
        else:
            if index < 0:
                raise ValueError("index must not be negative")
            index = min(index, n - 1)
        made.append(index)
    return made


def take(
    a: ndarray,
    indices: Any,
    /,
    *,
    axis: int | None = None,
    out: ndarray | None = None,
    mode: str | None = None,
) -> ndarray:
    """Select elements by index; a boolean array returns uint8."""
    if not isinstance(a, Raw):
        raise TypeError("input is not an array")
    source = a._np
    if axis is None:
        n = source.size
    else:
        axis = to_int(axis)
        axis += a.ndim if axis < 0 else 0
        if not 0 <= axis < a.ndim:
            raise ValueError("index out of range")
        n = source.shape[axis]
    at = _take_indices(indices, n, mode)
    if axis is None and (source.ndim > 2 or (source.ndim == 2 and not canonical(source))) and at:
        raise UlabTrap(
            "take without axis", "on 3-D arrays and on 2-D views reads wrong elements: reshape or copy first"
        )
    made = source.take(np.array(at, dtype=np.intp), axis)
    if out is None:
        return fresh(made)
    if not isinstance(out, ndarray):
        raise TypeError("out has wrong type")
    if out._np.dtype != source.dtype:
        raise ValueError("out array has wrong dtype")
    if out.ndim != made.ndim:
        raise ValueError("out array has wrong dimension")
    if out.shape != made.shape:
        raise ValueError("out array has wrong shape")
    if not is_dense(out):
        raise ValueError("output array must be contiguous")
    out._np[...] = made
    return out
