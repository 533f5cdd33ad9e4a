"""Convert Python objects to operands and arrays, and floats to integers, by ulab's rules.

Sources: ulab 6.12.0 `ndarray_from_mp_obj`, `ndarray_from_iterable`, `ndarray_copy_view_convert_type`;
golden create_*, convert_*, scalar_*, rscalar_*, setitem_*.
"""

from __future__ import annotations

from typing import Any

import _host
import numpy as np

from ._core import BOOLEAN, F32, MAX_DIMS, NO_DIMS, U8, WRAPPED, Array, Raw, UlabTrap

_F32_MAX = 3.4028234663852886e38
_scalars: dict[tuple[int, bool], tuple[Any, int]] = {}
_host.follow_firmware(_scalars.clear)


def float32(value: float) -> np.float32:
    """Round a Python float to float32. Values beyond its range become infinite, without a warning."""
    if -_F32_MAX <= value <= _F32_MAX or value != value:
        return np.float32(value)
    # Values that round to the largest float32 are within half a unit of it.
    if abs(value) < 3.4028235677973366e38:
        return np.float32(_F32_MAX if value > 0 else -_F32_MAX)
    return np.float32(np.inf if value > 0 else -np.inf)


def _int_operand(value: int, signed: bool) -> tuple[Any, int]:
    """The smallest dtype that holds an int. In an operation with a signed array, 32768..65535 wraps (scalar_069).

    In 6.7.3, -128 is an int16, and an int below -32767 or above 32767 is a float.
    """
    if _host.old("ulab"):
        if value == -128:
            return np.int16(value), 0
        if not -32767 <= value <= 32767 and -0x80000000 <= value <= 0x7FFFFFFF:
            return np.float32(value), 0
    if value < -32768 or value > 65535:
        if not -0x80000000 <= value <= 0x7FFFFFFF:
            raise OverflowError("overflow converting long int to machine word")
        return np.float32(value), 0
    if value < 0:
        return (np.int8(value), 0) if value >= -128 else (np.int16(value), 0)
    if signed:
        if value < 128:
            return np.int8(value), 0
        if value < 32768:
            return np.int16(value), 0
        return np.int16(value - 65536), WRAPPED
    return (np.uint8(value), 0) if value < 256 else (np.uint16(value), 0)


def operand(obj: object, other: str = "") -> tuple[Any, int]:
    """(numpy array or scalar, flag) of one operand; `other`: the dtype character of the other side."""
    kind = type(obj)
    if kind is float:
        return float32(obj), 0  # type: ignore[arg-type]
    if kind is int:
        signed = other in ("b", "h") and other != ""
        key = (obj, signed)
        try:
            return _scalars[key]  # type: ignore[index]
        except KeyError:
            made = _int_operand(obj, signed)  # type: ignore[arg-type]
            if len(_scalars) < 4096:
                _scalars[key] = made  # type: ignore[index]
            return made
    if isinstance(obj, Raw):
        return obj._np, obj._flag
    if kind is bool:
        return np.uint8(obj), BOOLEAN  # type: ignore[arg-type]
    if isinstance(obj, int):
        return _int_operand(int(obj), other in ("b", "h") and other != "")
    if isinstance(obj, float):
        return float32(float(obj)), 0
    return from_iterable(obj, F32, 0), 0


def is_scalar(obj: object) -> bool:
    """Whether ulab treats the object as a number: int or float, but not bool."""
    return isinstance(obj, (int, float)) and type(obj) is not bool


def length(obj: object) -> int | None:
    """len() of an object that has a length in MicroPython, else None."""
    if isinstance(obj, Raw):
        return 0 if obj._flag & NO_DIMS else int(obj._np.shape[0])
    try:
        return len(obj)  # type: ignore[arg-type]
    except TypeError:
        return None


def items(obj: object) -> list[Any]:
    """The elements of a sequence as Python objects. The TypeError has MicroPython's message."""
    if isinstance(obj, Raw) and obj._np.ndim == 1:
        listed: list[Any] = obj._np.tolist()
        return [v != 0 for v in listed] if obj._flag & BOOLEAN else listed
    try:
        return list(obj)  # type: ignore[call-overload,no-any-return]
    except TypeError:
        raise TypeError(f"'{type(obj).__name__}' object isn't iterable") from None


def to_float(value: object) -> float:
    if isinstance(value, (int, float)):
        return value
    raise TypeError(f"can't convert {type(value).__name__} to float")


def to_int(value: object) -> int:
    if isinstance(value, int):
        return int(value)
    raise TypeError(f"can't convert {type(value).__name__} to int")


def _shape(obj: object) -> list[int]:
    """Shape of nested sequences. Like ulab, it looks only at the first element of each level."""
    shape: list[int] = []
    item = obj
    while (n := length(item)) is not None:
        if len(shape) == MAX_DIMS:
            raise ValueError("too many dimensions")
        shape.append(n)
        if n == 0:
            break
        item = next(iter(item))  # type: ignore[call-overload]
    return shape


def _rows(obj: object, shape: list[int], depth: int) -> list[Any]:
    row = items(obj)
    if len(row) != shape[depth]:
        raise UlabTrap(
            "ragged rows",
            "ulab reads the length of the first row only: shorter rows end in zeros, longer ones write outside the array",
        )
    if depth == len(shape) - 1:
        return row
    flat: list[Any] = []
    for item in row:
        flat += _rows(item, shape, depth + 1)
    return flat


def from_iterable(obj: object, dtype: np.dtype[Any], flag: int) -> Array:
    """A new array from nested sequences (create_*). Ints wrap, floats into an int dtype are a TypeError."""
    shape = _shape(obj)
    if not shape:
        if hasattr(type(obj), "__iter__"):
            raise UlabTrap(
                "no length", "ulab writes the items of an iterator without len() outside the array: convert it with list()"
            )
        raise TypeError(f"'{type(obj).__name__}' object isn't iterable")
    if 0 in shape:
        return np.zeros(shape, dtype)
    flat = _rows(obj, shape, 0)
    return elements(flat, dtype, flag).reshape(shape)


def elements(flat: list[Any], dtype: np.dtype[Any], flag: int) -> Array:
    """A 1-D array of Python numbers, converted one by one as `ndarray_set_value` does."""
    if flag & BOOLEAN:
        return np.array([1 if v else 0 for v in flat], dtype=U8)
    kinds = set(map(type, flat))
    if dtype is F32:
        if not kinds <= {int, float, bool}:
            flat = [to_float(v) for v in flat]
        with np.errstate(over="ignore"):
            return np.array(flat, dtype=np.float64).astype(F32)
    if not kinds <= {int, bool}:
        flat = [to_int(v) for v in flat]
    try:
        return np.array(flat, dtype=np.int64).astype(dtype)
    except OverflowError:
        return np.array([v & 0xFFFF for v in flat], dtype=np.int64).astype(dtype)


def convert(a: Array, dtype: np.dtype[Any]) -> Array:
    """A dense copy in another numeric dtype: floats round half away from zero, then wrap (convert_005)."""
    if a.dtype == dtype:
        return np.array(a, order="C")
    if a.dtype == F32:
        return rounded(a).astype(dtype, order="C")
    return a.astype(dtype, order="C")


def rounded(a: Array) -> Array:
    """C's roundf, then the conversion to int32, which is undefined outside its range."""
    wide = a.astype(np.float64)
    wide = np.trunc(wide + np.copysign(0.5, wide))
    if wide.size and not (np.abs(wide) <= 2147483647.0).all():
        raise UlabTrap(
            "float to int", "NaN, inf or a float beyond int32 converts to different integers on different machines"
        )
    return wide.astype(np.int64)


def truncated(a: Array, dtype: np.dtype[Any]) -> Array:
    """C's cast of a float to an integer: it truncates toward zero and is undefined if the value does not fit."""
    if dtype is F32:
        return a.astype(F32)
    whole = np.trunc(np.asarray(a, dtype=np.float64))
    info = np.iinfo(dtype)
    if whole.size and not ((whole >= info.min) & (whole <= info.max)).all():
        raise UlabTrap(
            "float to int",
            f"a value outside {dtype.name} is undefined here: 0 on the board, wrapped or 0 on other machines",
        )
    return whole.astype(dtype)
