"""Functions that make arrays (`create.c` of ulab 6.12.0; golden create_*, share_*, concat_*)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import array, fresh, linear, ndarray, wrap
from ._convert import elements, float32, from_iterable, is_scalar, to_float, to_int, truncated
from ._core import BOOLEAN, F32, FLOAT, I16, MAX_DIMS, NO_DIMS, Array, Raw, UlabTrap, dense_bytes, dtype_of

_Shape = int | tuple[int, ...] | list[int]


def _blank(shape: Any, dtype: int) -> ndarray:
    made, flag = dtype_of(dtype)
    if type(shape) is int:
        if shape < 0:
            raise MemoryError(f"memory allocation failed for {shape} elements")
        return wrap(np.zeros(shape, made), flag | (0 if shape else NO_DIMS))
    if not isinstance(shape, (tuple, list)):
        raise TypeError("input argument must be an integer, a tuple, or a list")
    if len(shape) > MAX_DIMS:
        raise TypeError("too many dimensions")
    sizes = [to_int(n) for n in shape]
    if any(n < 0 for n in sizes):
        raise MemoryError(f"memory allocation failed for {shape} elements")
    return wrap(np.zeros(sizes or 0, made), flag | (0 if sizes else NO_DIMS))


def zeros(shape: _Shape, /, *, dtype: int = FLOAT) -> ndarray:
    return _blank(shape, dtype)


def empty(shape: _Shape, /, *, dtype: int = FLOAT) -> ndarray:
    """The same as zeros()."""
    return _blank(shape, dtype)


def full(shape: _Shape, value: Any, /, *, dtype: int = FLOAT) -> ndarray:
    """Ints wrap; a float for an int dtype raises TypeError."""
    made = _blank(shape, dtype)
    if value is not None and made._np.size:
        made._np[...] = elements([value], made._np.dtype, made._flag & BOOLEAN)[0]
    return made


def ones(shape: _Shape, /, *, dtype: int = FLOAT) -> ndarray:
    return full(shape, 1, dtype=dtype)


def eye(n: int, /, *, M: int | None = None, k: int = 0, dtype: int = FLOAT) -> ndarray:
    made, flag = dtype_of(dtype)
    m = n if M is None else to_int(M)
    below = -k if k < 0 else 0
    if max(m - k if k >= 0 else 0, 0) > n or max(n - below if k < 0 else 0, 0) > m:
        raise UlabTrap(
            "eye",
            "a diagonal that leaves the matrix at the side continues outside its memory: use zeros() and assignment",
        )
    return wrap(np.eye(n, m, k, dtype=made), flag)


def _progression(start: Any, step: Any, stop: Any, n: int, dtype: np.dtype[Any], flag: int) -> ndarray:
    """Repeat `value += step` in float32 and set the last element to `stop`. Conversions are C's."""
    if n == 0:
        return linear(np.zeros(0, dtype))
    steps = np.full(n, step, F32)
    steps[0] = start
    values = np.add.accumulate(steps)  # each addition is rounded
    if flag & BOOLEAN:
        return wrap((values != 0).astype(np.uint8), flag)
    values[-1] = stop
    return wrap(values if dtype is F32 else truncated(values, dtype), flag)


def arange(
    start: float, stop: float | None = None, step: float | None = None, /, *, dtype: int | None = None
) -> ndarray:
    """int16 if all arguments are ints of at most 32768, else float (create_206)."""
    given = [v for v in (start, stop, step) if v is not None]
    first, last = (0, start) if stop is None else (start, stop)
    one = float32(to_float(1 if step is None else step))
    begin, end = float32(to_float(first)), float32(to_float(last))
    made, flag = (I16, 0) if all(type(v) is int for v in given) else (F32, 0)
    if max(abs(begin), abs(end), abs(one)) > 32768:
        made = F32
    if dtype is not None:
        made, flag = dtype_of(dtype)
    if one == 0:
        raise ZeroDivisionError("divide by zero")
    if not np.isfinite([begin, end, one]).all():
        raise ValueError("arange: cannot compute length")
    quotient = (end - begin) / one
    if quotient <= 0:
        return linear(np.zeros(0, made))
    n = int(np.ceil(quotient))
    return _progression(begin, one, begin + np.float32(n - 1) * one, n, made, flag)


def linspace(
    start: float,
    stop: float,
    /,
    num: int = 50,
    *,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: int = FLOAT,
) -> Any:
    n = to_int(num)
    if n < 2:
        raise ValueError("number of points must be at least 2")
    made, flag = dtype_of(dtype)
    first, last = float32(to_float(start)), float32(to_float(stop))
    if endpoint is True:
        step = (last - first) / np.float32(n - 1)
    else:
        step = (last - first) / np.float32(n)
        last = first + step * np.float32(n - 1)
    values = _progression(first, step, last, n, made, flag)
    return values if retstep is False else (values, float(step))


def asarray(source: Any, /, *, dtype: int | None = None) -> Any:
    """Convert to an array; an array that needs no conversion is returned itself."""
    if is_scalar(source):
        return source
    if isinstance(source, ndarray):
        if dtype is None or dtype == source.dtype:
            return source
        return array(source, dtype=dtype)
    if not isinstance(source, (tuple, list, range)):
        raise TypeError("wrong input type")
    made, flag = dtype_of(FLOAT if dtype is None else dtype)
    return wrap(from_iterable(source, made, flag), flag)


def concatenate(arrays: tuple[ndarray, ...], /, *, axis: int = 0) -> ndarray:
    """Join arrays of the same dtype. The result of boolean arrays is uint8 (getitem_055)."""
    if not isinstance(arrays, tuple):
        raise TypeError("first argument must be a tuple of ndarrays")
    axis = to_int(axis)
    if not arrays:
        raise UlabTrap("concatenate", "of an empty tuple reads outside memory")
    if not all(isinstance(a, Raw) for a in arrays):
        raise ValueError("only ndarrays can be concatenated")
    first = arrays[0]
    ndim = first.ndim
    if axis < 0:
        axis += ndim
    if not 0 <= axis < ndim:
        raise ValueError("wrong axis specified")
    shape = first.shape
    for other in arrays[1:]:
        same = other._np.dtype == first._np.dtype and other.ndim == ndim
        if not same or any(
            i != axis and m != n for i, (m, n) in enumerate(zip(shape, other.shape, strict=True))
        ):
            raise ValueError("input arrays are not compatible")
    if arrays[-1].size == 0 and any(a.size for a in arrays):
        raise UlabTrap(
            "concatenate", "an empty array at the end writes one element past the result: leave it out"
        )
    return fresh(np.concatenate([a._np for a in arrays], axis=axis))


def diag(source: Any, /, *, k: int = 0) -> ndarray:
    a = source._np if isinstance(source, Raw) else from_iterable(source, F32, 0)
    if a.ndim > 2:
        raise ValueError("input must be 1- or 2-d")
    if a.ndim == 2:
        n = a.shape[1] - k if k >= 0 else a.shape[0] + k
        if n > len(np.diagonal(a, k)):
            raise UlabTrap("diag", "of a matrix that is not square reads outside it")
    return linear(np.diag(a, k).copy()) if a.ndim == 2 else wrap(np.diag(a, k))


def buffer_of(obj: Any) -> Array | None:
    """The bytes of an object with the buffer protocol, as a numpy view; None if it has none."""
    if isinstance(obj, Raw):
        if not dense_bytes(obj, "the buffer"):
            return None
        return obj._np.reshape(-1).view(np.uint8)
    inner = getattr(obj, "_np", None)  # stand-ins for other firmware objects, such as an image
    if isinstance(inner, np.ndarray):
        return inner.reshape(-1).view(np.uint8)
    try:
        return np.frombuffer(obj, np.uint8) if len(memoryview(obj)) else np.zeros(0, np.uint8)
    except TypeError:
        return None


def frombuffer(buffer: Any, /, *, dtype: int = FLOAT, count: int = -1, offset: int = 0) -> ndarray:
    """A 1-D array over the buffer's memory, without a copy."""
    made, flag = dtype_of(dtype)
    data = buffer_of(buffer)
    if data is None:
        raise UlabTrap(
            "frombuffer", f"of {type(buffer).__name__} (no buffer, or a view that is not dense) returns None"
        )
    if data.size < to_int(offset):
        raise ValueError("offset must be non-negative and no greater than buffer length")
    n, rest = divmod(data.size - offset, made.itemsize)
    if rest:
        raise ValueError("buffer size must be a multiple of element size")
    if to_int(count) > 0:
        if n < count:
            raise ValueError("buffer is smaller than requested size")
        n = count
    return wrap(data[offset : offset + n * made.itemsize].view(made), flag)
