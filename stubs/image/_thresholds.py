"""Find pixels between thresholds: [(low, high)] for gray, [(l_low, l_high, a_low, a_high, b_low, b_high)] for LAB."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _arguments as a
from . import _formats as f
from . import _lab

Bits = npt.NDArray[np.bool_]

# Default and limits of each bound. L has a limit of 255 because gray uses the same two bounds.
_DEFAULTS = (0, 255, -128, 127, -128, 127)
_LIMITS = ((0, 255), (0, 255), (-128, 127), (-128, 127), (-128, 127), (-128, 127))


class Band(NamedTuple):
    """Lowest and highest L (or gray), A and B."""

    l_low: int
    l_high: int
    a_low: int
    a_high: int
    b_low: int
    b_high: int


def _items(value: object) -> list[object]:
    if type(value) is not tuple and type(value) is not list:
        raise TypeError(f"object '{a.kind(value)}' isn't a tuple or list")
    return list(value)


def to_bands(value: object) -> list[Band]:
    """Parse an argument `thresholds`. Empty entries are ignored, and swapped bounds are put in order."""
    bands = []
    for entry in _items(value):
        given = [min(max(a.to_int(bound), low), high)
                 for bound, (low, high) in zip(_items(entry), _LIMITS, strict=False)]
        if given:
            bounds = [*given, *_DEFAULTS[len(given) :]]
            ordered = [bound for pair in zip(bounds[::2], bounds[1::2], strict=True) for bound in sorted(pair)]
            bands.append(Band(*ordered))
    return bands


def channels(pixels: npt.NDArray[Any], pixformat: int) -> npt.NDArray[Any]:
    """The values that are compared with thresholds: (h, w, channels)."""
    return _lab.from_rgb565(pixels) if pixformat == f.RGB565 else pixels[..., None]


def inside(values: npt.NDArray[Any], band: Band, invert: bool) -> Bits:
    """Which pixels of `values` (from channels()) are inside the band, or outside with `invert`."""
    bits: Bits = np.ones(values.shape[:-1], dtype=bool)
    for channel in range(values.shape[-1]):
        value = values[..., channel]
        bits &= (band[2 * channel] <= value) & (value <= band[2 * channel + 1])
    return bits ^ invert
