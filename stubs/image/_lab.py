"""The firmware's table from RGB565 to CIELAB: L 0..100, A and B -128..127.

Each color is converted from sRGB to XYZ to LAB as in IEC 61966-2-1 and CIE 15, and rounded. Two colors that differ only
in the last bit of blue share the mean of both, rounded toward zero. All 32,768 entries equal the firmware's
(IMLIB_ENABLE_LAB_LUT).
"""

from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

LAB = npt.NDArray[np.int16]


def _linear(channel: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Linear value, 0..100, of an 8-bit sRGB channel."""
    c = channel / 255
    return 100 * np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def _f(t: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.where(t > 0.008856, t ** (1 / 3), 7.787037 * t + 0.137931)


@cache
def _table() -> LAB:
    pixel = np.arange(1 << 16)
    r5, g6, b5 = pixel >> 11, pixel >> 5 & 63, pixel & 31
    r, g, b = (_linear((c * 255 + top / 2) // top) for c, top in ((r5, 31), (g6, 63), (b5, 31)))
    x = _f((0.4124 * r + 0.3576 * g + 0.1805 * b) / 95.047)
    y = _f((0.2126 * r + 0.7152 * g + 0.0722 * b) / 100)
    z = _f((0.0193 * r + 0.1192 * g + 0.9505 * b) / 108.883)
    lab: npt.NDArray[np.float64] = np.stack((np.rint(116 * y) - 16, np.rint(500 * (x - y)), np.rint(200 * (y - z))), axis=1)
    table: LAB = np.trunc((lab[0::2] + lab[1::2]) / 2).astype(np.int16)
    return table


def from_rgb565(pixels: npt.NDArray[Any]) -> LAB:
    """(..., 3): L, A and B of each pixel."""
    lab: LAB = _table()[pixels >> 1]
    return lab
