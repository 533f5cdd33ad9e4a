"""set_printoptions, get_printoptions, ndinfo."""

from __future__ import annotations

from ._array import ndarray
from ._convert import to_int
from ._core import BOOLEAN, Raw
from ._print import options


def set_printoptions(*, threshold: int | None = None, edgeitems: int | None = None) -> None:
    if threshold is not None:
        options["threshold"] = to_int(threshold)
    if edgeitems is not None:
        options["edgeitems"] = to_int(edgeitems)


def get_printoptions() -> dict[str, int]:
    return dict(options)


def ndinfo(array: ndarray, /) -> None:
    """Print shape, strides, item size and type."""
    if not isinstance(array, Raw):
        raise TypeError("function is defined for ndarrays only")
    a = array._np
    names = {"B": "uint8", "b": "int8", "H": "uint16", "h": "int16", "f": "float"}
    print("class: ndarray", f"shape: {a.shape}", f"strides: {a.strides}", f"itemsize: {a.itemsize}", sep="\n")
    print("type:", "bool" if array._flag & BOOLEAN else names[a.dtype.char])
