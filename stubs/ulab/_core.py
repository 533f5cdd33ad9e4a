"""Shared by all files of the stand-in: the trap exception, the array's slots and the dtype tables.

Real ulab has six dtypes, named by one character each, and no int32 (FACTS: "at most 4 dimensions, no
int32"). A boolean array is a uint8 array with a flag: its `.dtype` is the code of uint8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

MAX_DIMS = 4

# Bits of `ndarray._flag`.
BOOLEAN = 1  # the array is boolean: its elements read as True and False
NO_DIMS = (
    2  # an empty array without a dimension: shape (0,), ndim 0, the result of `zeros(0)` or of a mask without hits
)
WRAPPED = 4  # (operands only) an int of 32768..65535 that became a negative int16

UINT8 = ord("B")
INT8 = ord("b")
UINT16 = ord("H")
INT16 = ord("h")
FLOAT = ord("f")
BOOL = ord("?")

F32 = np.dtype(np.float32)
U8 = np.dtype(np.uint8)
U16 = np.dtype(np.uint16)
I16 = np.dtype(np.int16)
I32 = np.dtype(np.int32)

BY_CHAR: dict[str, np.dtype[Any]] = {c: np.dtype(c) for c in "BbHhf"}
BY_CODE: dict[int, np.dtype[Any]] = {ord(c): d for c, d in BY_CHAR.items()} | {BOOL: U8}

Array = np.ndarray[Any, Any]


class UlabTrap(Exception):
    """Raised where real ulab hangs, crashes, writes outside an array, or is silently wrong.

    `kind` names the trap in a few words; the message adds what happens on the camera and what to write
    instead. It is not a subclass of an exception that ulab raises, so `except ValueError` cannot hide it.
    """

    def __init__(self, kind: str, detail: str) -> None:
        super().__init__(f"{kind}: {detail}")
        self.kind = kind


class Raw:
    """The slots of `ulab.numpy.ndarray`.

    `_np` is the numpy array over the same memory: uint8 (boolean arrays too), int8, uint16, int16 or
    float32, 1 to 4 dimensions, any strides. The other stubs (image, ml) read and write through it.
    """

    __slots__ = ("_flag", "_np")

    _np: Array
    _flag: int


def dtype_of(code: object) -> tuple[np.dtype[Any], int]:
    """numpy dtype and flag of a ulab dtype code (`np.uint8` is 66, `np.bool` 63)."""
    if type(code) is not int:
        raise TypeError(f"can't convert {type(code).__name__} to int")
    try:
        return BY_CODE[code], BOOLEAN if code == BOOL else 0
    except KeyError:
        raise ValueError("bad typecode") from None


def canonical(a: Array) -> bool:
    """True if the strides are those of a new ulab array, axes of length 1 (numpy's blind spot) included."""
    stride = a.itemsize
    for n, step in zip(reversed(a.shape), reversed(a.strides), strict=True):
        if step != stride:
            return False
        stride *= n
    return True


def dense(a: Array) -> Array:
    """The array itself if it has the memory layout of a new ulab array, else a copy with that layout."""
    return a if canonical(a) else a.copy("C")


def is_dense(raw: Raw) -> bool:
    """ulab's own test, which looks only at the first stride. It mistakes some transposed 3-D views for dense arrays."""
    a = raw._np
    if raw._flag & NO_DIMS:
        return False
    if a.size == 0 and a.base is None:
        return True
    stride = a.itemsize
    for n in a.shape[1:]:
        stride *= n
    return stride == a.strides[0]


def dense_bytes(raw: Raw, what: str) -> bool:
    """True if the array's memory may be handed out directly. Raises UlabTrap if ulab would hand out the wrong memory."""
    if not is_dense(raw):
        return False
    if not raw._np.flags.c_contiguous and raw._np.size:
        raise UlabTrap(
            "view taken for dense",
            f"{what} of this transposed or reversed view returns the elements in another order, "
            "or memory outside the array: copy() it first",
        )
    return True


def flat_view(array: Raw) -> memoryview:
    """A memoryview of the elements of a dense array, as on the board."""
    if not dense_bytes(array, "memoryview"):
        raise TypeError("object with buffer protocol required")
    return memoryview(array._np.reshape(-1)) if array._np.size else memoryview(b"")  # type: ignore[arg-type]
