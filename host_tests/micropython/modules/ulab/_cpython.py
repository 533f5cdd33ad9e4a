"""The memory of arrays on CPython, which has no uctypes: in Pyodide, on the site's page, and in the tests of this ulab."""

import ctypes
from array import array


def addressof(buffer):
    if isinstance(buffer, Buffer):
        return buffer._address
    if isinstance(buffer, array):
        return buffer.buffer_info()[0]
    if isinstance(buffer, bytes):
        return ctypes.cast(buffer, ctypes.c_void_p).value
    return ctypes.addressof(ctypes.c_ubyte.from_buffer(buffer)) if len(buffer) else 0


def bytearray_at(address, size):
    return held(None, address, size)


def held(keep, address, size):
    """Memory that belongs to `keep`: CPython frees at once what nothing refers to."""
    if not size:
        return bytearray()
    if isinstance(keep, array) and len(keep) * keep.itemsize == size:  # all of it
        return memoryview(keep).cast("B")
    cells = (ctypes.c_ubyte * size).from_address(address)
    cells.keep = keep
    return memoryview(cells).cast("B")


def bytes_of(dense):
    return dense._buffer


class _Shared(bytearray):
    """What is written into it is also written into the array. Not a memoryview: array() takes the elements of one."""

    def __setitem__(self, index, value):
        super().__setitem__(index, value)
        self.memory[index] = value


def shared(keep, address, size):
    """What `tobytes` returns."""
    made = _Shared(held(keep, address, size))
    made.memory = held(keep, address, size)
    return made


class Buffer:
    """In place of memoryview, which is no base class here."""

    def __init__(self, buffer):
        self._buffer = buffer

    def __buffer__(self, flags):  # CPython asks for it from 3.12 on
        return memoryview(self._buffer)
