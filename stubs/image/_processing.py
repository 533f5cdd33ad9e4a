"""Image methods that do not draw: thresholds, filters, statistics, blobs.

They take the arguments of firmware 5.0: options are keyword-only, which works with 4.8.1, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from . import _arguments as a
from . import _blobs, _filters, _statistics, _thresholds
from . import _formats as f

Self = TypeVar("Self", bound="Processing")
Bands = Sequence[Sequence[int]]

_UNDEFINED = "binary: with copy=True and zero= or mask= the firmware leaves the other pixels undefined"


def _absent(name: str) -> Any:
    def method(self: object, *arguments: object, **options: object) -> None:
        own = "test with a list of your own; n6post.detections takes objects that have `rect`"
        raise NotImplementedError(f"the stand-in has no {name}: {own}")

    return method


def _size(value: object) -> int:
    size = a.to_int(value)
    if size < 0:
        raise OSError("KernelSize must be >= 0!")
    return size


def _float(value: object, default: float) -> np.float32:
    return a.to_float(default if value is None else value)


class Processing:
    """Base class of Image: methods that change or measure pixels. Those that change pixels return the image itself."""

    def _check_mutable(self) -> None:
        raise NotImplementedError

    # Image defines these.
    _format: int
    _width: int
    _height: int
    _pixels: Callable[[], Any]
    _store: Callable[[Any], None]
    _turn_into_bitmap: Callable[[Any], None]
    _mask_of: Callable[[Any], Any]
    _other: Callable[[Any], Any]
    _copy_of: Callable[[Any, int], Any]

    def binary(
        self: Self, thresholds: Bands, *, invert: bool = False, zero: bool = False, mask: Processing | str | None = None,
        to_bitmap: bool = False, copy: bool = False,
    ) -> Self:
        """Set pixels between the thresholds to white and all others to black.

        With `zero`, set pixels between the thresholds to black and leave the others unchanged. `to_bitmap` makes a BINARY
        image, in place unless `copy`.
        """
        self._check_mutable()
        if to_bitmap and self._format != f.BINARY and (zero or mask is not None):
            raise ValueError("Incompatible arguments!")
        least = {f.GRAYSCALE: 4, f.RGB565: 2}.get(self._format, 0)
        if to_bitmap and not copy and self._width < least:
            raise OSError("Can't convert to bitmap in place!")
        bands = _thresholds.to_bands(thresholds)
        allowed = self._mask_of(mask)
        if copy and (zero or allowed is not None):
            raise NotImplementedError(_UNDEFINED)
        pixels = self._pixels()
        values = _thresholds.channels(pixels, self._format)
        bits = np.zeros(pixels.shape, dtype=bool)
        for band in bands:
            bits |= _thresholds.inside(values, band, bool(invert))
        pixformat = f.BINARY if to_bitmap else self._format
        drawn = np.where(bits, _filters.full(pixformat), 0)
        if zero:
            drawn = _filters._where(allowed, pixels, np.where(bits, 0, pixels))
        elif allowed is not None:
            drawn = _filters._where(allowed, pixels, drawn)
        if copy:
            result: Self = self._copy_of(drawn, pixformat)
            return result
        if pixformat != self._format:
            self._turn_into_bitmap(drawn)
        else:
            self._store(drawn)
        return self

    def invert(self: Self) -> Self:
        self._check_mutable()
        self._store(self._pixels() ^ _filters.full(self._format))
        return self

    negate = invert

    # ---- filters ----

    def _morphed(self: Self, function: Callable[..., Any], size: int, threshold: int, mask: Any) -> Self:
        self._check_mutable()
        size, threshold = _size(size), a.to_int(threshold)
        self._store(function(self._pixels(), self._format, size, threshold, self._mask_of(mask)))
        return self

    def erode(self: Self, size: int, /, *, threshold: int = 0, mask: Processing | str | None = None) -> Self:
        """Set a pixel to black if more than `threshold` of its (2 * size + 1) ** 2 - 1 neighbors are black."""
        return self._morphed(_filters.erode, size, threshold, mask)

    def dilate(self: Self, size: int, /, *, threshold: int = 0, mask: Processing | str | None = None) -> Self:
        """Set a pixel to white if more than `threshold` of the (2 * size + 1) ** 2 pixels around it are not black."""
        return self._morphed(_filters.dilate, size, threshold, mask)

    def open(self: Self, size: int, /, *, threshold: int = 0, mask: Processing | str | None = None) -> Self:
        self._morphed(_filters.erode, size, threshold, mask)
        return self._morphed(_filters.dilate, size, threshold, mask)

    def close(self: Self, size: int, /, *, threshold: int = 0, mask: Processing | str | None = None) -> Self:
        self._morphed(_filters.dilate, size, threshold, mask)
        return self._morphed(_filters.erode, size, threshold, mask)

    def mean(
        self: Self, size: int, /, *, threshold: bool = False, offset: int = 0, invert: bool = False,
        mask: Processing | str | None = None,
    ) -> Self:
        """The mean of (2 * size + 1) ** 2 pixels. `threshold`: white if a pixel is brighter than the mean minus `offset`."""
        self._check_mutable()
        size, offset = _size(size), a.to_int(offset)
        allowed = self._mask_of(mask)
        self._store(_filters.mean(self._pixels(), self._format, size, bool(threshold), offset, bool(invert), allowed))
        return self

    def gaussian(
        self: Self, size: int, /, *, unsharp: bool = False, mul: float | None = None, add: float | None = None,
        threshold: bool = False, offset: int = 0, invert: bool = False, mask: Processing | str | None = None,
    ) -> Self:
        """Blur over (2 * size + 1) ** 2 pixels; `unsharp` sharpens. `mul` and `add` set contrast and brightness."""
        self._check_mutable()
        size = _size(size)
        if 2 * size + 1 > 31:
            raise ValueError("Kernel size too large!")
        offset = a.to_int(offset)
        allowed = self._mask_of(mask)
        kernel, total = _filters.gaussian_kernel(size, bool(unsharp))
        scale = np.float32(_float(mul, 1.0) / np.float32(total)) if total else np.float32(np.inf)
        self._store(_filters.morph(self._pixels(), self._format, kernel, scale, _float(add, 0.0), bool(threshold), offset,
                                   bool(invert), allowed))
        return self

    blur = gaussian_blur = gaussian

    def difference(self: Self, other: Processing | str, /, *, mask: Processing | str | None = None) -> Self:
        """The absolute difference of each channel from another image of the same size and format."""
        self._check_mutable()
        pixels, theirs = self._pixels(), self._other(other)
        result = pixels ^ theirs
        if self._format == f.GRAYSCALE:
            result = np.abs(pixels.astype(np.int16) - theirs)
        elif self._format == f.RGB565:
            parts = zip(f.rgb565_channels(pixels), f.rgb565_channels(theirs), (11, 5, 0), strict=True)
            result = sum(np.abs(one.astype(np.int32) - two) << shift for one, two, shift in parts)  # type: ignore[assignment]
        self._store(_filters._where(self._mask_of(mask), pixels, result.astype(pixels.dtype)))
        return self

    def lens_corr(
        self: Self, strength: float = 1.8, *, zoom: float = 1.0, x_corr: float = 0.0, y_corr: float = 0.0
    ) -> Self:
        """Straighten lines that the lens bends: each pixel is that at atan(r) / r of its distance from the center."""
        self._check_mutable()
        width, height = self._width, self._height
        for name, length in (("Width", width), ("Height", height)):
            if length % 2:
                raise OSError(f"{name} must be even!")
        power, enlarged = _float(strength, 1.8), _float(zoom, 1.0)
        for name, value in (("Strength", power), ("Zoom", enlarged)):
            if not value > 0:
                raise OSError(f"{name} must be > 0!")
        # A quarter of the picture, and its three mirror images. Radii are whole pixels; roundf rounds halves away from 0.
        one = np.float32(1)
        y, x = np.mgrid[-height // 2 : 0, -width // 2 : 0]
        radius = np.sqrt((x * x + y * y).astype(np.float32)).astype(np.int32)
        r = radius.astype(np.float32) * (power / np.sqrt(np.float32(width * width + height * height)))
        factor = np.arctan(r) / r * (one / enlarged)
        down, right = [-np.floor(np.float32(0.5) - factor * v.astype(np.float32)).astype(np.int32) for v in (y, x)]
        y_off, x_off = int(height * _float(y_corr, 0.0)), int(width * _float(x_corr, 0.0))
        pixels = self._pixels().copy()
        result = np.zeros_like(pixels)
        tall, wide = height // 2, width // 2
        for rows, at_y in ((slice(tall), tall + y_off + down),
                           (slice(None, tall - 1, -1), height - 1 - tall + y_off - down)):
            for columns, at_x in ((slice(wide), wide + x_off + right),
                                  (slice(None, wide - 1, -1), width - 1 - wide + x_off - right)):
                inside = (at_y >= 0) & (at_y < height) & (at_x >= 0) & (at_x < width)
                source = pixels[np.clip(at_y, 0, height - 1), np.clip(at_x, 0, width - 1)]
                result[rows, columns] = np.where(inside, source, 0)
        self._store(result)
        return self

    find_apriltags = _absent("find_apriltags")
    find_barcodes = _absent("find_barcodes")
    find_circles = _absent("find_circles")
    find_datamatrices = _absent("find_datamatrices")
    find_line_segments = _absent("find_line_segments")
    find_lines = _absent("find_lines")
    find_qrcodes = _absent("find_qrcodes")
    find_rects = _absent("find_rects")

    # ---- measures ----

    def get_statistics(
        self, *, thresholds: Bands | None = None, invert: bool = False, roi: tuple[int, int, int, int] | None = None,
        **options: Any,
    ) -> _statistics.Statistics:
        """Mean, median, quartiles and more of gray, or of L, A and B: of all pixels, or of those between `thresholds`."""
        self._check_mutable()
        if options:
            raise NotImplementedError(f"the stand-in has no options {', '.join(options)} of get_statistics")
        bands = [] if thresholds is None else _thresholds.to_bands(thresholds)
        x, y, w, h = a.to_roi(roi, self._width, self._height)
        pixels = self._pixels()[y : y + h, x : x + w]
        return _statistics.statistics(self._format, _statistics.shares(pixels, self._format, bands, bool(invert)))

    get_stats = statistics = get_statistics

    def find_blobs(
        self, thresholds: Bands, /, *, invert: bool = False, roi: tuple[int, int, int, int] | None = None,
        x_stride: int = 2, y_stride: int = 1, area_threshold: int = 10, pixels_threshold: int = 10, merge: bool = False,
        margin: int = 0, threshold_cb: Callable[[_blobs.Blob], object] | None = None,
        merge_cb: Callable[[_blobs.Blob, _blobs.Blob], object] | None = None, x_hist_bins_max: int = 0,
        y_hist_bins_max: int = 0, contours: bool = False,
    ) -> list[_blobs.Blob]:
        """Find areas of neighboring pixels between thresholds, from top to bottom, one threshold after the other.

        Areas with a smaller rectangle or fewer pixels than the two limits are dropped, as well as areas for which
        `threshold_cb` returns False. `merge` merges areas whose rectangles, enlarged by `margin` pixels, overlap.
        """
        self._check_mutable()
        if contours or a.to_int(x_hist_bins_max) or a.to_int(y_hist_bins_max):
            raise NotImplementedError("the stand-in has no contours and no histograms of blobs")
        bands = _thresholds.to_bands(thresholds)
        if not bands:
            return []
        region = a.to_roi(roi, self._width, self._height)
        for name, stride in (("x_stride", x_stride), ("y_stride", y_stride)):
            if a.to_int(stride) <= 0:
                raise OSError(f"{name} must not be zero.")
        area, pixels = (a.to_int(value) & 0xFFFFFFFF for value in (area_threshold, pixels_threshold))
        return _blobs.find(
            _thresholds.channels(self._pixels(), self._format), bands, bool(invert), region, x_stride, y_stride, area,
            pixels, bool(merge), a.to_int(margin), threshold_cb, merge_cb)
