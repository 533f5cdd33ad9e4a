"""Histograms, percentiles, Otsu's threshold and statistics, in the firmware's float32 with its fused multiply-adds."""

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _arguments as a
from . import _formats as f
from . import _thresholds
from ._attrtuple import AttrTuple, Methods, old
from ._fast import fused

F32 = np.float32
Pixels = npt.NDArray[Any]
Bins = list[np.float32]

_GRAY, _L, _A, _B = (0, 255), (0, 100), (-128, 127), (-128, 127)
_RANGES = {f.BINARY: [(0, 1)], f.GRAYSCALE: [_GRAY], f.RGB565: [_L, _A, _B]}


class Percentile(AttrTuple):
    """Result of get_percentile(): a fraction of the pixels is below this gray, or L, A and B."""

    value: int
    l_value: int
    a_value: int
    b_value: int


class Threshold(AttrTuple):
    """Otsu's threshold: gray, or L, A and B."""

    value: int
    l_value: int
    a_value: int
    b_value: int


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


class Histogram:
    """Fractions of the pixels: a list of bins for gray or L, and for A and B. `[0]`, `[1]` and `[2]` are these lists."""

    def __init__(self, pixformat: int, bins: list[Bins]) -> None:
        self._pixformat = pixformat
        # Python numbers lose two bits on the camera, and later computations use these shortened fractions.
        self._bins = [[float(a.to_float(float(share))) for share in part] for part in bins + [[]] * (3 - len(bins))]

    def bins(self) -> list[float]:
        return self._bins[0]

    def l_bins(self) -> list[float]:
        return self._bins[0]

    def a_bins(self) -> list[float]:
        return self._bins[1]

    def b_bins(self) -> list[float]:
        return self._bins[2]

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise OSError("only slices with step=1 (aka None) are supported")
            return tuple(self._bins[index])
        return self._bins[index]

    def __repr__(self) -> str:
        if self._pixformat != f.RGB565:
            return f'{{"bins":{self._bins[0]}}}'
        return '{{"l_bins":{}, "a_bins":{}, "b_bins":{}}}'.format(*self._bins)

    def get_percentile(self, share: float, /) -> Percentile:
        part = a.to_float(share)
        values = [_percentile(bins, low, high, part) for bins, (low, high) in self._used()]
        percentile: Percentile = _three(Percentile, "percentile", self._pixformat, values)
        return percentile

    def get_threshold(self) -> Threshold:
        values = [int(_otsu(bins) * (high - low) / (len(bins) - 1)) + low for bins, (low, high) in self._used()]
        threshold: Threshold = _three(Threshold, "threshold", self._pixformat, values)
        return threshold

    def get_statistics(self) -> Statistics:
        return statistics(self._pixformat, [bins for bins, _ in self._used()])

    get_stats = statistics = get_statistics

    def _used(self) -> list[tuple[Bins, tuple[int, int]]]:
        bins = [[F32(share) for share in part] for part in self._bins]
        return list(zip(bins, _RANGES[self._pixformat], strict=False))


def _three(kind: Any, name: str, pixformat: int, values: list[int]) -> Any:
    items = dict(zip(("l_value", "a_value", "b_value"), [*values, 0, 0], strict=False))
    if not old():
        return kind((items["l_value"], *items.values()))
    shown = items if pixformat == f.RGB565 else {"value": values[0]}
    text = "{" + ", ".join(f'"{key}":{value}' for key, value in shown.items()) + "}"
    return Methods(name, items, {"value": values[0]}, text)


def statistics(pixformat: int, bins: list[Bins]) -> Statistics:
    groups = [_statistics(part, low, high) for part, (low, high) in zip(bins, _RANGES[pixformat], strict=True)]
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


def bin_counts(pixformat: int, bins: int, each: list[int]) -> list[int]:
    """Number of bins of each channel: `bins` for all, `each` for one; -1 means one bin per value."""
    counts = []
    for (low, high), count, name in zip(_RANGES[pixformat], each, "lab", strict=False):
        default = bins if bins >= 0 else high - low + 1
        if default < 2:
            raise OSError("bins must be >= 2")
        counts.append(count if count >= 0 else default)
        if counts[-1] < 2:
            raise OSError(f"{name}_bins must be >= 2")
    return counts


def shares(pixels: Pixels, pixformat: int, bands: list[_thresholds.Band], invert: bool, other: Pixels | None,
           counts: list[int]) -> list[Bins]:
    """The bins of each channel: fractions of the pixels between the thresholds, or of all pixels without thresholds.

    A pixel counts once for each threshold that it meets. With `other`, use the differences from those pixels.
    """
    if other is not None:
        pixels = _difference(pixels, other, pixformat)
    values = _thresholds.channels(pixels, pixformat)
    chosen = [values.reshape(-1, values.shape[-1])]
    if bands:
        chosen = [values[_thresholds.inside(values, band, invert)] for band in bands]
    number = sum(len(part) for part in chosen)
    share = F32(1) / F32(number) if number else F32(0)
    bins = []
    for channel, ((low, high), count) in enumerate(zip(_RANGES[pixformat], counts, strict=True)):
        scale = F32(count - 1) / F32(high - low)
        total = np.zeros(count, dtype=np.int64)
        for part in chosen:
            # Round halves to even, like the instruction vcvtr.
            index = np.rint((part[:, channel].astype(np.int32) - low).astype(F32) * scale).astype(np.int64)
            total += np.bincount(index, minlength=count)
        bins.append(list(total.astype(F32) * share))
    return bins


def _difference(pixels: Pixels, other: Pixels, pixformat: int) -> Pixels:
    if pixformat != f.RGB565:
        difference: Pixels = np.abs(pixels.astype(np.int16) - other).astype(np.uint8)
        return difference
    r, g, b = (np.abs(x - y) for x, y in zip(f.rgb565_channels(pixels), f.rgb565_channels(other), strict=True))
    rgb565: Pixels = (r << 11 | g << 5 | b).astype(np.uint16)
    return rgb565


def _value(number: int, bins: Bins, low: int, high: int) -> np.float32:
    """The channel's value for a bin."""
    return fused(number, F32(high - low) / F32(len(bins) - 1), low)


def _percentile(bins: Bins, low: int, high: int, share: np.float32) -> int:
    below = F32(0)
    for number, part in enumerate(bins):
        above = F32(below + F32(part))
        if below < share <= above:
            return int(np.floor(_value(number, bins, low, high)))
        below = above
    return 0


def _otsu(bins: Bins) -> int:
    """The bin that splits the pixels into two groups with the greatest between-class variance (Otsu, 1979)."""
    below, weighted = [F32(bins[0])], [F32(0)]
    for number, part in enumerate(bins[1:], 1):
        below.append(F32(below[-1] + F32(part)))
        weighted.append(fused(number, part, weighted[-1]))
    best, threshold = F32(0), 0
    for number, (share, sum_below) in enumerate(zip(below[:-1], weighted, strict=False)):
        if share in (0, 1):
            continue
        difference = fused(share, weighted[-1], -sum_below)
        variance = F32(F32(difference * difference) / F32(share * F32(F32(1) - share)))
        if variance > best:
            best, threshold = variance, number
    return threshold


def _statistics(bins: Bins, low: int, high: int) -> list[int]:
    """mean, median, mode, stdev, min, max, lq, uq."""
    mean = squares = below = most = F32(0)
    lower = median = upper = mode = 0
    seen = []
    for number, share in enumerate(bins):
        part = F32(share)
        position = _value(number, bins, low, high)
        value = int(np.floor(position))
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
