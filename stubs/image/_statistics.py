"""Statistics in the firmware's float32 with its fused multiply-adds."""

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _formats as f
from . import _thresholds
from ._attrtuple import AttrTuple, Methods, old
from ._fast import fused

F32 = np.float32
Pixels = npt.NDArray[Any]
Bins = list[np.float32]

_GRAY, _L, _A, _B = (0, 255), (0, 100), (-128, 127), (-128, 127)
_RANGES = {f.BINARY: [(0, 1)], f.GRAYSCALE: [_GRAY], f.RGB565: [_L, _A, _B]}


class Statistics(AttrTuple):
    """Statistics of gray or L (with and without `l_`), of A and of B. `lq` and `uq` are the quartiles."""

    mean: int
    median: int
    mode: int
    stdev: int
    min: int
    max: int
    lq: int
    uq: int
    l_mean: int
    l_median: int
    l_mode: int
    l_stdev: int
    l_min: int
    l_max: int
    l_lq: int
    l_uq: int
    a_mean: int
    a_median: int
    a_mode: int
    a_stdev: int
    a_min: int
    a_max: int
    a_lq: int
    a_uq: int
    b_mean: int
    b_median: int
    b_mode: int
    b_stdev: int
    b_min: int
    b_max: int
    b_lq: int
    b_uq: int


def statistics(pixformat: int, bins: list[Bins]) -> Statistics:
    groups = [_statistics(part, low) for part, (low, _) in zip(bins, _RANGES[pixformat], strict=True)]
    values = [value for group in groups for value in group] + [0] * (24 - 8 * len(groups))
    if not old():
        return Statistics(values[:8] + values)
    names = Statistics._names[8:]
    shown = dict(zip(names if pixformat == f.RGB565 else Statistics._names[:8], values, strict=False))
    text = "{" + ", ".join(f'"{name}":{value}' for name, value in shown.items()) + "}"
    gray = dict(zip(Statistics._names[:8], values, strict=False))
    made: Any = Methods("statistics", dict(zip(names, values, strict=True)), gray, text)
    result: Statistics = made
    return result


def shares(pixels: Pixels, pixformat: int, bands: list[_thresholds.Band], invert: bool) -> list[Bins]:
    """A bin for each value of each channel: fractions of the pixels between the thresholds, or of all without thresholds.

    A pixel counts once for each threshold that it meets.
    """
    values = _thresholds.channels(pixels, pixformat)
    chosen = [values.reshape(-1, values.shape[-1])]
    if bands:
        chosen = [values[_thresholds.inside(values, band, invert)] for band in bands]
    number = sum(len(part) for part in chosen)
    share = F32(1) / F32(number) if number else F32(0)
    bins = []
    for channel, (low, high) in enumerate(_RANGES[pixformat]):
        counts = [np.bincount(part[:, channel].astype(np.int32) - low, minlength=high - low + 1) for part in chosen]
        bins.append(list(sum(counts).astype(F32) * share))  # type: ignore[union-attr]
    return bins


def _statistics(bins: Bins, low: int) -> list[int]:
    """mean, median, mode, stdev, min, max, lq, uq."""
    mean = squares = below = most = F32(0)
    lower = median = upper = mode = 0
    seen = []
    for value, share in enumerate(bins, low):
        part, position = F32(share), F32(value)
        mean = fused(position, part, mean)
        squares = fused(F32(position * position), part, squares)
        above = F32(below + part)
        if below < 0.25 <= above:
            lower = value
        if below < 0.5 <= above:
            median = value
        if below < 0.75 <= above:
            upper = value
        if part > most:
            most, mode = part, value
        if part > 0:
            seen.append(value)
        below = above
    variance = fused(-mean, mean, squares)
    # The square root of a negative number is NaN, which the firmware replaces by 0.
    stdev = int(np.floor(np.sqrt(variance))) if variance > 0 else 0
    first, last = (seen[0], seen[-1]) if seen else (0, 0)
    return [int(np.floor(mean)), median, mode, stdev, first, last, lower, upper]
