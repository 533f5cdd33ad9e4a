"""Reductions (`numerical.c` of ulab 6.12.0; golden reduce_*, reduce_arg_*, large_*, empty*).

Sums and means are running means in float32, one element after the other, as the board computes them.
"""

from __future__ import annotations

import array as _pyarray
from typing import Any

import numpy as np

from ._array import fresh, ndarray, wrap
from ._convert import is_scalar, to_float
from ._core import BOOLEAN, F32, I16, NO_DIMS, U8, Array, Raw, UlabTrap


def checked_axis(axis: int, ndim: int) -> int:
    made = axis + ndim if axis < 0 else axis
    if not 0 <= made < ndim:
        raise ValueError("axis is out of bounds")
    return made


def _source(obj: Any, axis: Any) -> Any:
    """The ndarray, or None for a tuple, list or range."""
    if axis is not None and type(axis) is not int:
        raise TypeError("axis must be None, or an integer")
    if isinstance(obj, ndarray):
        return obj
    if isinstance(obj, (tuple, list, range)):
        return None
    raise TypeError("input must be tuple, list, range, or ndarray")


def _result(a: Array, reduced: Array, axis: int, keepdims: object) -> Any:
    """A scalar for 1-D arrays, else an array. With keepdims, only cases that ulab lays out correctly."""
    if keepdims is True:
        if a.ndim == 1:
            raise UlabTrap("keepdims", "on a 1-D array corrupts the shape")
        if reduced.itemsize != a.itemsize:
            raise UlabTrap(
                "keepdims", "with a result of another item size mixes up the elements: reshape the result instead"
            )
        return fresh(np.expand_dims(reduced, axis))
    if a.ndim == 1:
        return reduced.item()
    return fresh(reduced)


# -- max, min, argmax, argmin: comparisons with NaN are false, so NaN counts only as the first element


def _best_of_sequence(obj: Any, biggest: bool, index: bool) -> Any:
    if len(obj) == 0:
        raise ValueError("attempt to get argmin/argmax of an empty sequence")
    best, at = obj[0], 0
    value = to_float(best)
    for i, item in enumerate(obj):
        other = to_float(item)
        if other > value if biggest else other < value:
            best, at, value = item, i, other
    return at if index else best


def _without_nan(a: Array, biggest: bool) -> Array:
    return np.where(np.isnan(a), F32.type(-np.inf if biggest else np.inf), a)


def _has_nan(a: Array) -> bool:
    return a.dtype == F32 and bool(np.isnan(a).any())


def _extreme(obj: Any, axis: Any, keepdims: object, biggest: bool, index: bool) -> Any:
    source = _source(obj, axis)
    if source is None:
        return _best_of_sequence(obj, biggest, index)
    a: Array = source._np
    if a.size == 0:
        raise ValueError("attempt to get (arg)min/(arg)max of empty sequence")
    if axis is None:
        return _extreme_of_all(a, biggest, index)
    axis = checked_axis(axis, source.ndim)
    n = a.shape[axis]
    if n > 65535:
        raise UlabTrap(
            "axis too long", "a reduction over an axis of 65536 or more never ends: leave axis out"
        )
    clean = _without_nan(a, biggest) if _has_nan(a) else a
    if index:
        best = clean.argmax(axis) if biggest else clean.argmin(axis)
        if clean is not a:
            best = np.where(np.isnan(a.take(0, axis)), 0, best)
        if n > 32768 and (best > 32767).any():
            raise UlabTrap(
                "int16 index", "argmax and argmin with an axis return a negative index beyond 32767"
            )
        return _result(a, best.astype(I16), axis, keepdims)
    value = clean.max(axis) if biggest else clean.min(axis)
    if clean is not a:
        head = a.take(0, axis)
        value = np.where(np.isnan(head), head, value)
    return _result(a, value, axis, keepdims)


def _extreme_of_all(a: Array, biggest: bool, index: bool) -> Any:
    if _has_nan(a):
        first = a[(0,) * a.ndim]
        if np.isnan(first):
            return 0 if index else float(first)
        a = _without_nan(a, biggest)
    if index:
        return int(a.argmax() if biggest else a.argmin())
    return (a.max() if biggest else a.min()).item()


def max(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    return _extreme(array, axis, keepdims, True, False)


def min(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    return _extreme(array, axis, keepdims, False, False)


def argmax(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    """Index of the first maximum: an int without axis, an int16 array with one."""
    return _extreme(array, axis, keepdims, True, True)


def argmin(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    return _extreme(array, axis, keepdims, False, True)


# -- sum, mean, std


def running_mean(values: list[float]) -> float:
    """The last of the running means, with every operation rounded to float32."""
    cell = _pyarray.array("f", [0.0])  # storing into it is the fastest way to round to float32 in Python
    mean = 0.0
    for n, value in enumerate(values, 1):
        cell[0] = value - mean
        cell[0] = cell[0] / n
        cell[0] = mean + cell[0]
        mean = cell[0]
    return mean


@np.errstate(all="ignore")
def _running(lanes: Array, spread: bool) -> tuple[Array, Array]:
    """Means (and sums of squared deviations) of many lanes at once, over the first axis."""
    mean = np.zeros(lanes.shape[1:], F32)
    squares = np.zeros(lanes.shape[1:], F32)
    for i in range(lanes.shape[0]):
        value = lanes[i].astype(F32)
        new = mean + (value - mean) / np.float32(i + 1)
        if spread:
            squares = squares + (value - mean) * (value - new)
        mean = new
    return mean, squares


def _flat_floats(a: Array) -> list[float]:
    return a.reshape(-1).tolist()


@np.errstate(all="ignore")
def sum(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    """An int for an int array, a float for a list; with an axis, an array of the same dtype."""
    source = _source(array, axis)
    if source is None:
        values = [to_float(v) for v in array]
        return float(np.float32(running_mean(values)) * np.float32(len(values)))
    a: Array = source._np
    if axis is not None:
        return _axis_sum(source, checked_axis(axis, source.ndim), keepdims)
    if a.dtype == F32:
        return float(np.float32(running_mean(_flat_floats(a))) * np.float32(a.size))
    return _int_sum(a)


def _int_sum(a: Array) -> int:
    exact = int(a.sum(dtype=np.int64))
    if not -0x80000000 <= exact <= 0x7FFFFFFF:
        raise UlabTrap("sum beyond int32", f"{exact} saturates on the board and is undefined elsewhere")
    if a.size and exact and not (exact == a.size and (a == 1).all()):
        scaled = np.float64(np.float32(running_mean(_flat_floats(a))) * np.float32(a.size))
        board = int(np.trunc(scaled + np.copysign(0.5, scaled)))
        if board != exact:
            raise UlabTrap(
                "inexact sum", f"is computed in float32 and gives {board} instead of {exact}: sum in parts"
            )
    return exact


def _axis_sum(source: ndarray, axis: int, keepdims: object) -> Any:
    a = source._np
    if a.dtype == F32:
        total = _running(np.moveaxis(a, axis, 0), False)[0] * np.float32(a.shape[axis])
        return _result(a, total, axis, keepdims)
    exact = a.sum(axis, dtype=np.int64)
    total = exact.astype(a.dtype)
    if (total != exact).any():
        raise UlabTrap(
            "sum wraps",
            f"along an axis the sum stays {a.dtype.name} and wraps: sum(a * 1.0, axis=...), np.mean",
        )
    return _result(a, total, axis, keepdims)


@np.errstate(all="ignore")
def mean(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    source = _source(array, axis)
    if source is None:
        return running_mean([to_float(v) for v in array])
    a: Array = source._np
    if axis is None:
        if a.size == 0:
            raise UlabTrap("mean of nothing", "is 0.0, or an element outside the array")
        return running_mean(_flat_floats(a))
    axis = checked_axis(axis, source.ndim)
    if a.shape[axis] == 0 and a.size != np.prod(a.shape[:axis] + a.shape[axis + 1 :]):
        raise UlabTrap("mean of nothing", "is 0.0 along an axis of length 0")
    return _result(a, _running(np.moveaxis(a, axis, 0), False)[0], axis, keepdims)


@np.errstate(all="ignore")
def std(array: Any, /, axis: int | None = None, *, ddof: int = 0, keepdims: bool = False) -> Any:
    if axis is not None and axis not in (0, 1):
        raise ValueError("axis must be None, or an integer")
    source = _source(array, axis)
    if source is None:
        values = np.array([to_float(v) for v in array], F32)
        if len(values) <= ddof:
            return 0.0
        return float(np.sqrt(_running(values, True)[1] / np.float32(len(values) - ddof)))
    a: Array = source._np
    if axis is None:
        if ddof > a.size:
            return 0.0
        squares = _running(a.reshape(-1), True)[1]
        return float(np.sqrt(squares / np.float32(a.size - ddof)))
    axis = checked_axis(axis, source.ndim)
    if a.shape[axis] <= ddof:
        return wrap(np.zeros(a.shape[:axis] + a.shape[axis + 1 :] if a.ndim > 1 else 1, F32))
    squares = _running(np.moveaxis(a, axis, 0), True)[1]
    return _result(a, np.sqrt(squares / np.float32(a.shape[axis] - ddof)), axis, keepdims)


# -- all, any


def _all_any(obj: Any, axis: Any, ufunc: Any, empty: bool) -> Any:
    if axis is not None and type(axis) is not int:
        raise TypeError("axis must be None, or an integer")
    if not isinstance(obj, ndarray):
        if is_scalar(obj):
            return bool(obj)
        raise UlabTrap(
            "all, any of a list",
            "all() and any() of a list or tuple return the opposite: convert it with np.array first",
        )
    a = obj._np
    if a.size == 0:
        return empty
    if axis is None:
        return bool(ufunc(a))
    made = np.asarray(ufunc(a, axis=checked_axis(axis, obj.ndim)))
    return fresh(np.atleast_1d(made).astype(U8), BOOLEAN)


def all(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    """A bool; with an axis, a boolean array (of length 1 for 1-D). keepdims is ignored."""
    return _all_any(array, axis, np.all, True)


def any(array: Any, /, axis: int | None = None, keepdims: bool = False) -> Any:
    return _all_any(array, axis, np.any, False)


def size(array: Any, /, *, axis: int | None = None) -> int:
    if is_scalar(array):
        return 1
    if not isinstance(array, (ndarray, tuple, list, range)):
        raise TypeError("first argument must be an ndarray")
    if not isinstance(array, Raw):
        return len(array)
    if axis is None:
        return array._np.size
    return array._np.shape[checked_axis(axis, 0 if array._flag & NO_DIMS else array._np.ndim)]  # type: ignore[no-any-return]
