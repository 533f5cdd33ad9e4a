"""How MicroPython's C functions read their arguments, where CPython's own rules differ.

The camera refuses a float in place of an int, an ndarray in place of a tuple, and a namedtuple in place of
exactly two numbers. The stand-in applies the same rules and raises the recorded exception types, so a script
that breaks one of them also fails on a PC.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ._formats import BINARY, RGB565, rgb565_to_gray

Rect = tuple[int, int, int, int]


def kind(value: object) -> str:
    return type(value).__name__


def to_int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"can't convert {kind(value)} to int")
    if not -(1 << 31) <= value < 1 << 31:
        raise OverflowError("overflow converting long int to machine word")
    return int(value)


def to_float(value: object) -> np.float32:
    """Return a Python number as the camera stores it: float32 in 30 bits.

    The two low bits of the mantissa carry MicroPython's type tag; on reading they are filled with
    the two bits above them, so 2.6 is 2.5999997 there.
    """
    if not isinstance(value, (int, float)):
        raise TypeError(f"can't convert {kind(value)} to float")
    bits = int(np.float32(value).view(np.uint32))
    return np.uint32((bits & ~3) | ((bits >> 2) & 3)).view(np.float32)


def fixed(value: object, count: int) -> list[object]:
    """Exactly `count` items of a plain tuple or list: subclasses (namedtuple) are refused."""
    if type(value) is not tuple and type(value) is not list:
        raise TypeError(f"object '{kind(value)}' isn't a tuple or list")
    items = list(value)
    if len(items) != count:
        raise ValueError(f"requested length {count} but object has length {len(items)}")
    return items


def fixed_ints(value: object, count: int) -> list[int]:
    return [to_int(item) for item in fixed(value, count)]


def leading_ints(value: object, count: int) -> list[int]:
    """The first `count` ints of a tuple, namedtuple or list. Further items are ignored."""
    if not isinstance(value, tuple) and type(value) is not list:
        raise TypeError(f"object '{kind(value)}' isn't a tuple or list")
    items = list(value)
    if len(items) < count:
        raise TypeError(f"expected tuple/list of at least {count} elements")
    return [to_int(item) for item in items[:count]]


def to_color(pixformat: int, value: object, default: int = -1) -> int:
    """Convert a color argument to a pixel value: ints stay unchanged, tuples are converted through RGB565."""
    if value is None:
        return default
    if isinstance(value, int):
        return to_int(value)
    r, g, b = (min(max(c, 0), 255) for c in fixed_ints(value, 3))
    pixel = (r >> 3) << 11 | (g >> 2) << 5 | b >> 3
    if pixformat == RGB565:
        return pixel
    # The firmware reduces the tuple to RGB565 first, so its gray differs slightly from the luma of 8-bit channels.
    gray = int(rgb565_to_gray(np.array(pixel)))
    return int(gray > 127) if pixformat == BINARY else gray


def to_roi(value: object, width: int, height: int) -> Rect:
    """A region of interest, clipped to the picture."""
    if value is None:
        return 0, 0, width, height
    x, y, w, h = fixed_ints(value, 4)
    if w < 1 or h < 1:
        raise OSError("Invalid ROI dimensions!")
    x1, y1 = min(x + w, width), min(y + h, height)
    x, y = max(x, 0), max(y, 0)
    if x >= x1 or y >= y1:
        raise OSError("ROI does not overlap on the image!")
    return x, y, x1 - x, y1 - y


def to_scales(x_scale: object, y_scale: object) -> tuple[np.float32, np.float32]:
    """Both scales. If only one is given, it is used for both axes."""
    if x_scale is None and y_scale is None:
        return np.float32(1), np.float32(1)
    if x_scale is None:
        return (scale := to_float(y_scale)), scale
    if y_scale is None:
        return (scale := to_float(x_scale)), scale
    return to_float(x_scale), to_float(y_scale)


def numpy_of(value: object) -> npt.NDArray[Any] | None:
    """The numpy array inside a ulab ndarray; None for any other object."""
    array = getattr(value, "_np", None)
    return array if isinstance(array, np.ndarray) else None


def to_memory(value: object, writable: bool) -> npt.NDArray[np.uint8]:
    """The bytes of any dense buffer as a one-dimensional view, without a copy.

    A transposed or strided ndarray has no dense memory to share; the camera refuses it too.
    """
    array = numpy_of(value)
    if array is not None:
        if not array.flags.c_contiguous:
            raise TypeError("object with buffer protocol required")
        return array.reshape(-1).view(np.uint8)
    try:
        view = memoryview(value).cast("B")  # type: ignore[arg-type]
    except TypeError:
        raise TypeError("object with buffer protocol required") from None
    if writable and view.readonly:
        raise TypeError("object with buffer protocol required")
    return np.frombuffer(view, dtype=np.uint8)
