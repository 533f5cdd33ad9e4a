"""The functions of `ulab.utils` (ulab 6.12.0 `utils.c`)."""

from __future__ import annotations

from typing import Any

import numpy as np

from ._array import linear, ndarray
from ._convert import to_int
from ._core import F32, is_dense
from ._create import buffer_of


def _floats(code: str, buffer: Any, count: int, offset: int, out: ndarray | None, byteswap: bool) -> Any:
    if out is not None and (out._np.dtype != F32 or not is_dense(out)):
        raise TypeError("out must be a float dense array")
    data = buffer_of(buffer)
    if data is None:
        return None
    if data.size < to_int(offset):
        raise ValueError("offset is too large")
    n, rest = divmod(data.size - offset, np.dtype(code).itemsize)
    if rest:
        raise ValueError("buffer size must be a multiple of element size")
    if to_int(count) > 0:
        if n < count:
            raise ValueError("buffer is smaller than requested size")
        n = count
    values = np.frombuffer(data.tobytes(), code, n, offset)
    if byteswap is True:
        values = values.byteswap()
    if out is None:
        return linear(values.astype(F32))
    if out._np.size < n:
        raise ValueError("out array is too small")
    out._np.reshape(-1)[:n] = values
    return out


def from_int16_buffer(
    buffer: Any, /, out: ndarray | None = None, byteswap: bool = False, *, count: int = -1, offset: int = 0
) -> Any:
    return _floats("<i2", buffer, count, offset, out, byteswap)


def from_uint16_buffer(
    buffer: Any, /, out: ndarray | None = None, byteswap: bool = False, *, count: int = -1, offset: int = 0
) -> Any:
    return _floats("<u2", buffer, count, offset, out, byteswap)


def from_int32_buffer(
    buffer: Any, /, out: ndarray | None = None, byteswap: bool = False, *, count: int = -1, offset: int = 0
) -> Any:
    return _floats("<i4", buffer, count, offset, out, byteswap)


def from_uint32_buffer(
    buffer: Any, /, out: ndarray | None = None, byteswap: bool = False, *, count: int = -1, offset: int = 0
) -> Any:
    return _floats("<u4", buffer, count, offset, out, byteswap)
