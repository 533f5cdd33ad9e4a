"""Filters over a square of (2 * size + 1) ** 2 pixels, in the firmware's integers, pixel for pixel.

At the border the outermost pixels are repeated. Every filter reads the unfiltered picture. Channels of RGB565 are
filtered separately, with their 5, 6 and 5 bits.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _formats as f
from ._fast import int32
from ._thresholds import Bits

Pixels = npt.NDArray[Any]
Wide = npt.NDArray[np.int64]

F32 = np.float32


def _square(pixels: Pixels, size: int) -> Wide:
    """Sum over the square around each pixel."""
    padded = np.pad(pixels.astype(np.int64), size, mode="edge")
    sums = np.pad(padded.cumsum(axis=0).cumsum(axis=1), ((1, 0), (1, 0)))
    n = 2 * size + 1
    square: Wide = sums[n:, n:] - sums[:-n, n:] - sums[n:, :-n] + sums[:-n, :-n]
    return square


def _where(mask: Bits | None, pixels: Pixels, filtered: Pixels) -> Pixels:
    """Keep the filtered pixels inside the mask. Pixels beyond a smaller mask are not filtered."""
    if mask is None:
        return filtered.astype(pixels.dtype)
    result = pixels.copy()
    h, w = min(pixels.shape[0], mask.shape[0]), min(pixels.shape[1], mask.shape[1])
    result[:h, :w] = np.where(mask[:h, :w], filtered[:h, :w], pixels[:h, :w])
    return result


def full(pixformat: int) -> int:
    """The pixel value of white."""
    return {f.BINARY: 1, f.GRAYSCALE: 255, f.RGB565: 0xFFFF}[pixformat]


def erode(pixels: Pixels, pixformat: int, size: int, threshold: int, mask: Bits | None) -> Pixels:
    """Erosion: a pixel becomes black if more than `threshold` of its neighbors are black."""
    neighbors = _square(pixels > 0, size) - 1
    keep = neighbors >= (2 * size + 1) ** 2 - 1 - threshold
    return _where(mask, pixels, np.where(keep, pixels, 0))


def dilate(pixels: Pixels, pixformat: int, size: int, threshold: int, mask: Bits | None) -> Pixels:
    """Dilation: a pixel becomes white if more than `threshold` pixels of its square are not black."""
    return _where(mask, pixels, np.where(_square(pixels > 0, size) > threshold, full(pixformat), pixels))


def _luma(pixels: Pixels, pixformat: int) -> Wide:
    return (f.rgb565_to_gray(pixels) if pixformat == f.RGB565 else pixels).astype(np.int64)


def _each_channel(pixels: Pixels, pixformat: int, function: Callable[[Pixels, int], Wide]) -> Wide:
    """Apply `function(channel, bits)` to every channel and combine the results."""
    if pixformat != f.RGB565:
        return function(pixels, 1 if pixformat == f.BINARY else 8)
    r, g, b = f.rgb565_channels(pixels)
    return function(r, 5) << 11 | function(g, 6) << 5 | function(b, 5)


def _adaptive(pixels: Pixels, filtered: Pixels, pixformat: int, threshold: bool, offset: int, invert: bool) -> Pixels:
    """With `threshold`, a pixel becomes white if its filtered value minus the offset is darker than itself."""
    if not threshold:
        return filtered
    level = _luma(filtered, pixformat) - offset
    if pixformat == f.BINARY:
        level &= 0xFFFFFFFF  # a bit is unsigned in the firmware, so no result is darker than the pixel
    bright = (level < _luma(pixels, pixformat)) ^ invert
    return np.where(bright, full(pixformat), 0)


def mean(pixels: Pixels, pixformat: int, size: int, threshold: bool, offset: int, invert: bool,
         mask: Bits | None) -> Pixels:
    """The mean, computed by multiplying with the truncated 65536 / n. It is up to one level darker than the true mean."""
    share = 65536 // (2 * size + 1) ** 2
    filtered = _each_channel(pixels, pixformat, lambda channel, bits: _square(channel, size) * share >> 16)
    return _where(mask, pixels, _adaptive(pixels, filtered, pixformat, threshold, offset, invert))


def _int32(values: Wide) -> Wide:
    """Wrap each value to int32."""
    wrapped: Wide = ((values + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)
    return wrapped


def gaussian_kernel(size: int, unsharp: bool) -> tuple[Wide, int]:
    """Products of two rows of Pascal's triangle, and their sum. `unsharp` subtracts twice the sum from the center."""
    row = [1]
    for i in range(2 * size):
        row.append(int32(row[-1] * (2 * size - i)) // (i + 1))
    kernel = _int32(np.outer(row, row).astype(np.int64))
    total = int32(int(kernel.sum()))
    if unsharp:
        kernel[size, size] -= 2 * total
        total = -total
    return kernel, total


def morph(pixels: Pixels, pixformat: int, kernel: Wide, scale: np.float32, add: np.float32, threshold: bool, offset: int,
          invert: bool, mask: Bits | None) -> Pixels:
    """Correlate with a kernel, multiply by `scale` and add `add`, in units of 1/65536.

    A small scale loses precision: for a gaussian of size 5 or more it becomes 0."""
    size = len(kernel) // 2
    factor, addend = (int(np.rint(F32(65536) * value)) for value in (scale, add))

    def channel(values: Pixels, bits: int) -> Wide:
        padded = np.pad(values.astype(np.int64), size, mode="edge")
        height, width = values.shape
        total = np.zeros(values.shape, dtype=np.int64)
        for j, row in enumerate(kernel):
            for k, weight in enumerate(row):
                total += int(weight) * padded[j : j + height, k : k + width]
        scaled: Wide = np.clip(_int32(_int32(total) * factor + addend) >> 16, 0, (1 << bits) - 1)
        return scaled

    filtered = _each_channel(pixels, pixformat, channel)
    return _where(mask, pixels, _adaptive(pixels, filtered, pixformat, threshold, offset, invert))
