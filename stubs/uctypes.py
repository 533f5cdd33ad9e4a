"""The part of `uctypes` that code with inline assembler needs: addresses of buffers."""

import ctypes

import numpy as np


def addressof(buffer: object) -> int:
    """The address of the bytes of a bytearray, memoryview or ulab ndarray."""
    array = getattr(buffer, "_np", None)
    if not isinstance(array, np.ndarray):
        array = np.frombuffer(buffer, dtype=np.uint8)  # type: ignore[call-overload]
    return int(array.ctypes.data)


def bytes_at(address: int, size: int) -> bytes:
    return ctypes.string_at(address, size)


def bytearray_at(address: int, size: int) -> memoryview:
    """A view of that memory. (CPython cannot make a bytearray of it.)"""
    return memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")
