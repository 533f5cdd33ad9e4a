"""where, clip, maximum, nonzero, take, compress ... (`compare.c`, `create.c`, `transform.c` of ulab 6.12.0).

Golden where_*, maximum_*, equal_*, clip_*, select_*, mask*.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _ops
from ._array import fresh, linear, ndarray, wrap
from ._convert import is_scalar, items, length, operand, to_float, to_int, truncated
from ._core import BOOLEAN, F32, NO_DIMS, U8, U16, Array, Raw, UlabTrap, canonical, is_dense
from ._reduce import checked_axis


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


def _truths(condition: Any) -> list[bool]:
    made = []
    for item in items(condition):
        made.append(item.size > 0 if isinstance(item, ndarray) else bool(item))
    return made


def compress(condition: Any, a: ndarray, /, *, axis: int | None = None) -> ndarray:
    if not isinstance(a, Raw):
        raise TypeError("wrong input type")
    source = a._np
    n = length(condition)
    if n is None:
        raise UlabTrap("compress", "needs a condition with a length")
    if axis is not None:
        axis = checked_axis(to_int(axis), a.ndim)
    if n != (source.size if axis is None else source.shape[axis]):
        raise ValueError("wrong length of condition array")
    if n == 0 or source.size == 0:
        raise UlabTrap("compress", "with an empty condition or array crashes: test the length first")
    if source.ndim == 4 and axis is not None and source.shape[0] > 1:
        raise UlabTrap("compress in 4-D", "places the result wrongly from the second block on")
    made: Array = np.compress(_truths(condition), source, axis)
    return linear(made) if axis is None else fresh(made)


def delete(a: ndarray, indices: Any, /, *, axis: int | None = None) -> ndarray:
    if not isinstance(a, Raw):
        raise TypeError("first argument must be an ndarray")
    source = a._np
    if axis is not None:
        axis = checked_axis(to_int(axis), a.ndim)
    n = source.size if axis is None else source.shape[axis]
    if type(indices) is int:
        at = [indices]
    else:
        if length(indices) is None:
            raise TypeError("wrong index type")
        at = [to_int(i) for i in items(indices)]
        if not at:
            return a
    if len(at) > n:
        raise ValueError("wrong length of index array")
    at = [i + n if i < 0 else i for i in at]
    if any(not 0 <= i <= n for i in at):
        raise ValueError("index is out of bounds")
    if n in at or len(set(at)) < len(at):
        raise UlabTrap(
            "delete", "with an index just past the end, or a repeated index, returns elements from outside the array"
        )
    made = np.delete(source, at, axis)
    return linear(made) if axis is None else fresh(made)


def bincount(x: ndarray, /, *, weights: ndarray | None = None, minlength: int | None = None) -> ndarray:
    """uint16 counts of a 1-D uint8 or uint16 array, float sums with weights."""
    if not isinstance(x, Raw):
        raise TypeError("input must be an ndarray")
    a = x._np
    if x._flag & NO_DIMS or a.ndim != 1:
        raise ValueError("object too deep for desired array")
    if a.dtype.char not in "BH":
        raise TypeError("cannot cast array data from dtype")
    n = int(a.max()) + 1 if a.size else 1
    if minlength is not None:
        if to_int(minlength) < 0:
            raise ValueError("minlength must not be negative")
        n = max(n, minlength)
    elif a.size == 0:
        n = 0
    if weights is None:
        counts = np.bincount(a, minlength=n) if n else np.zeros(0, np.intp)
        if counts.size and counts.max() > 65535:
            raise UlabTrap("uint16 count", "bincount returns counts beyond 65535 modulo 65536")
        return linear(counts.astype(U16))
    if not isinstance(weights, Raw):
        raise TypeError("input must be an ndarray")
    if weights._np.size < a.size:
        raise ValueError("the weights and list don't have the same length")
    if weights._np.ndim > 1:
        raise UlabTrap("bincount", "reads the weights with their last stride only: flatten() them")
    sums = np.zeros(n, F32)
    np.add.at(sums, a, weights._np[: a.size].astype(F32))
    return linear(sums)
