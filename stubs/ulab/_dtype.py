"""`ulab.dtype`: the dtype code of an array, or of its one-letter name."""

from __future__ import annotations

from ._core import BY_CODE, Raw


def dtype(source: object, /) -> int:
    if isinstance(source, Raw):
        return ord(source._np.dtype.char)
    if isinstance(source, str) and len(source) == 1 and ord(source) in BY_CODE:
        return ord(source)
    raise TypeError("data type not understood")
