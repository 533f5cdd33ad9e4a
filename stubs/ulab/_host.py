"""Array functions for the other stand-ins (image, ml, ...) and for tests. Camera scripts do not use them.

The board's arrays export their memory by the buffer protocol. A Python class can do this only since CPython
3.12 (PEP 688), so older versions need `ndarray._np`, the numpy array over the same memory, or the `memoryview`
and `bytearray` below.
"""

from __future__ import annotations

import builtins
from typing import Any

from ._array import ndarray
from ._array import wrap as _wrap
from ._core import BOOLEAN, BY_CHAR, MAX_DIMS, Array, Raw, UlabTrap, canonical, flat_view


def wrap(array: Array, boolean: bool = False) -> ndarray:
    """A ulab array that is a view of this numpy array: they share their memory.

    uint8, int8, uint16, int16 or float32 in native byte order, 1 to 4 dimensions, any strides.
    """
    if array.dtype.char not in BY_CHAR or not array.dtype.isnative:
        raise TypeError(f"ulab has no {array.dtype}")
    if not 1 <= array.ndim <= MAX_DIMS:
        raise ValueError(f"ulab arrays have 1 to {MAX_DIMS} dimensions, not {array.ndim}")
    if array.flags.c_contiguous and not canonical(array):
        # numpy leaves the strides of axes of length 1 undefined; ulab sets all strides.
        array = array.reshape(-1).reshape(array.shape)
    return _wrap(array, BOOLEAN if boolean else 0)


def memoryview(obj: Any) -> builtins.memoryview:
    """memoryview() that also accepts ulab arrays: a flat view of the elements, as on the board."""
    if not isinstance(obj, Raw):
        return builtins.memoryview(obj)
    return flat_view(obj)


def bytearray(*arguments: Any) -> builtins.bytearray:
    """bytearray() that also accepts ulab arrays: a copy of their memory."""
    if len(arguments) == 1 and isinstance(arguments[0], Raw):
        return builtins.bytearray(memoryview(arguments[0]).tobytes())
    return builtins.bytearray(*arguments)


__all__ = ["UlabTrap", "bytearray", "memoryview", "wrap"]
