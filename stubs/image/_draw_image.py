"""draw_image(): scaling, interpolation, palettes, blending and masks, bit for bit.

Each step works on whole numpy arrays, in the order of the firmware's CPU path: geometry of each
axis in 16.16 fixed point, samples (nearest or bilinear), palettes, blend. The formulas are in
../shared/golden/README.md; the recordings confirm them for every pixel. On an OpenMV N6 many of
these draws run on its graphics unit instead, which rounds slightly differently.

These are not implemented, because no recording shows their results: AREA when shrinking, BICUBIC, TRANSPOSE
(and so ROTATE_90 and ROTATE_270), `transform=`, BILINEAR from a BINARY picture.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _formats as f
from ._arguments import Rect

Pixels = npt.NDArray[Any]
Ints = npt.NDArray[np.int32]

F32 = np.float32
ONE = 1 << 16


@dataclass
class Axis:
    """One axis of a draw: the destination `first` .. `first + len(at)`, and the source position of each pixel."""

    first: int
    at: npt.NDArray[np.int64]  # source coordinate of each destination pixel, 16.16 fixed point
    step: int
    start: int  # region of interest in the source
    limit: int  # last pixel of the region
    flipped: bool

    def pixels(self, length: int) -> npt.NDArray[np.int64]:
        """Indices for nearest sampling. The firmware does not clamp them to the region of interest."""
        return (self.at >> 16).clip(0, length - 1)

    def taps(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """The two neighbors of each bilinear sample; at the border both are the border pixel."""
        p = self.at >> 16
        low = np.clip(p, self.start, self.limit)
        high = np.where((p < self.start) | (p >= self.limit), low, low + 1)
        return low, high


def axis(offset: int, size: int, scale: np.float32, start: int, length: int, limit: int,
         flip: bool) -> Axis | None:
    """Clip `size` scaled pixels, placed at `offset`, to a destination of `limit` pixels."""
    skip = max(-offset, 0)
    first = max(offset, 0)
    if first >= limit or size - skip <= 0:
        return None
    count = min(first + size - skip, limit) - first
    if flip:
        # Drawn backwards: the border cuts off the other end of the source.
        skip = min(first, size - count)
    skip += int(np.floor(F32(start) * scale))
    step = int(np.floor(F32(65536) / scale))
    begin = int(np.floor(F32(skip << 16) / scale))
    at = begin + step * np.arange(count, dtype=np.int64)
    return Axis(first, at[::-1] if flip else at, step, start, start + length - 1, flip)


def _bilinear_bytes(src: Pixels, xs: Axis, ys: Axis) -> npt.NDArray[np.uint8]:
    """Interpolate vertically first; each step is rounded to a byte."""
    x0, x1 = xs.taps()
    y0, y1 = ys.taps()
    # The largest sum, 255 * 256 + 128, fits in 16 bits. A mask over a photograph of twelve megapixels takes a
    # seventh of the time that it takes with 32 bits.
    fx = ((xs.at >> 8) & 255).astype(np.uint16)[None, :]
    fy = ((ys.at >> 8) & 255).astype(np.uint16)[:, None]
    column = src[y0].astype(np.uint16)
    column *= 256 - fy
    column += src[y1].astype(np.uint16) * fy
    column += 128
    column >>= 8
    mixed = column.take(x0, axis=1)
    mixed *= 256 - fx
    right = column.take(x1, axis=1)
    right *= fx
    mixed += right
    mixed += 128
    mixed >>= 8
    return mixed.astype(np.uint8)


def _bilinear_rgb565(src: Pixels, xs: Axis, ys: Axis) -> npt.NDArray[np.uint16]:
    """The same, with 5-bit weights for each channel."""
    x0, x1 = xs.taps()
    y0, y1 = ys.taps()
    fx = ((xs.at >> 11) & 31).astype(np.int32)[None, :]
    fy = ((ys.at >> 11) & 31).astype(np.int32)[:, None]
    mixed = []
    for channel in f.rgb565_channels(src):
        column = (channel[y0] * (32 - fy) + channel[y1] * fy + 16) >> 5
        mixed.append((column[:, x0] * (32 - fx) + column[:, x1] * fx + 16) >> 5)
    r5, g6, b5 = mixed
    return ((r5 << 11) | (g6 << 5) | b5).astype(np.uint16)


def _index(pixels: Pixels, pixformat: int, rgb_channel: int) -> Pixels:
    """The palette index of each source pixel, a byte."""
    if pixformat == f.RGB565:
        if rgb_channel >= 0:
            return f.rgb565_to_rgb888(pixels)[rgb_channel].astype(np.uint8)
        return f.rgb565_to_gray(pixels)
    return pixels * np.uint8(255) if pixformat == f.BINARY else pixels


def _colors(pixels: Pixels, pixformat: int, index: Pixels, rgb_channel: int,
            palette: npt.NDArray[np.uint16] | None, target: int) -> Pixels:
    """The source pixels in the target's format; gray bytes for a BINARY target."""
    if palette is not None:
        pixels = palette[index]
        return pixels if target == f.RGB565 else f.rgb565_to_gray(pixels)
    if target != f.RGB565:
        return index
    if pixformat == f.RGB565 and rgb_channel < 0:
        return pixels
    if pixformat == f.BINARY:
        return np.where(pixels, 0xFFFF, 0).astype(np.uint16)
    return f.gray_to_rgb565(index)


def _alphas(alpha: int, palette: npt.NDArray[np.uint8] | None, target: int) -> Ints:
    """Blend weight for each palette index: 0..32 on RGB565, 0..256 in other formats."""
    weight = int(np.rint(F32(alpha * 256) / F32(255)))
    if target == f.RGB565:
        weight >>= 3  # so alpha 1..7 becomes 0 and changes nothing
    if palette is None:
        return np.full(256, weight, dtype=np.int32)
    products: Pixels = weight * palette.astype(np.int32)
    weights: Ints = np.rint(products.astype(F32) / F32(255)).astype(np.int32)
    return weights


def _blend(source: Pixels, background: Pixels, weight: Ints, target: int) -> Pixels:
    if target == f.RGB565:
        r5, g6, b5 = (
            (s * weight + d * (32 - weight)) >> 5
            for s, d in zip(f.rgb565_channels(source), f.rgb565_channels(background), strict=True)
        )
        return ((r5 << 11) | (g6 << 5) | b5).astype(np.uint16)
    if target == f.BINARY:
        background = background * np.uint8(255)
    mixed = (source.astype(np.int32) * weight + background.astype(np.int32) * (256 - weight)) >> 8
    return (mixed > 127 if target == f.BINARY else mixed).astype(np.uint8)


def _scaled(x: int, y: int, x_scale: np.float32, y_scale: np.float32, roi: Rect, shape: tuple[int, ...],
            hint: int) -> tuple[int, int, np.float32, np.float32, int, int]:
    """Apply the SCALE_ASPECT hints and CENTER: offset, scale and size on the destination."""
    height, width = shape
    if hint & (f.SCALE_ASPECT_KEEP | f.SCALE_ASPECT_EXPAND | f.SCALE_ASPECT_IGNORE):
        xf, yf = F32(width) / F32(roi[2]), F32(height) / F32(roi[3])
        if not hint & f.SCALE_ASPECT_IGNORE:
            xf = yf = min(xf, yf) if hint & f.SCALE_ASPECT_KEEP else max(xf, yf)
        x_scale, y_scale = F32(x_scale * xf), F32(y_scale * yf)
    w, h = int(np.floor(x_scale * F32(roi[2]))), int(np.floor(y_scale * F32(roi[3])))
    if hint & f.CENTER:
        x += (width - w) // 2
        y += (height - h) // 2
    return x, y, x_scale, y_scale, w, h


def _refuse_unrecorded(hint: int, pixformat: int) -> None:
    for bit, name in ((f.TRANSPOSE, "TRANSPOSE"), (f.BICUBIC, "BICUBIC"), (f.AREA, "AREA")):
        if hint & bit:
            raise NotImplementedError(f"draw_image: {name} is not in this stand-in")
    if hint & f.BILINEAR and pixformat == f.BINARY:
        raise NotImplementedError("draw_image: BILINEAR of a BINARY image is not in this stand-in")


def draw_image(
    dst: Pixels,
    dst_format: int,
    src: Pixels,
    src_format: int,
    x: int,
    y: int,
    x_scale: np.float32,
    y_scale: np.float32,
    roi: Rect,
    *,
    rgb_channel: int = -1,
    alpha: int = 255,
    color_palette: npt.NDArray[np.uint16] | None = None,
    alpha_palette: npt.NDArray[np.uint8] | None = None,
    hint: int = 0,
    mask: npt.NDArray[np.bool_] | None = None,
    black_background: bool = False,
) -> None:
    """Draw `src` on `dst`, two (height, width) arrays: uint16 for RGB565, else uint8 (BINARY 0 or 1).

    `roi` must lie inside the source. `mask` is True where drawing is allowed and may be smaller than
    `dst`. `black_background` blends with black instead of with the destination.
    """
    flip_x, flip_y = bool(hint & f.HMIRROR), bool(hint & f.VFLIP)
    if x_scale < 0:
        flip_x, x_scale = not flip_x, F32(-x_scale)
    if y_scale < 0:
        flip_y, y_scale = not flip_y, F32(-y_scale)
    x, y, x_scale, y_scale, width, height = _scaled(x, y, x_scale, y_scale, roi, dst.shape, hint)
    if width < 1 or height < 1 or alpha == 0:
        return
    if alpha_palette is not None and not alpha_palette.any():
        return
    xs = axis(x, width, x_scale, roi[0], roi[2], dst.shape[1], flip_x)
    ys = axis(y, height, y_scale, roi[1], roi[3], dst.shape[0], flip_y)
    if xs is None or ys is None:
        return

    if np.may_share_memory(src, dst):
        src = src.copy()
    if hint & f.APPLY_COLOR_PALETTE_FIRST and color_palette is not None:
        if roi != (0, 0, src.shape[1], src.shape[0]):
            # The firmware converts from the source's corner and then applies the roi again.
            raise NotImplementedError("draw_image: APPLY_COLOR_PALETTE_FIRST with a roi")
        src = color_palette[_index(src, src_format, rgb_channel)]
        src_format, rgb_channel, color_palette = f.RGB565, -1, None
    elif hint & f.EXTRACT_RGB_CHANNEL_FIRST and rgb_channel >= 0 and src_format == f.RGB565:
        if roi != (0, 0, src.shape[1], src.shape[0]):
            raise NotImplementedError("draw_image: EXTRACT_RGB_CHANNEL_FIRST with a roi")
        src, src_format, rgb_channel = _index(src, src_format, rgb_channel), f.GRAYSCALE, -1

    if (xs.step == ONE and ys.step == ONE) or (hint & f.AREA and x_scale >= 1 and y_scale >= 1):
        hint &= ~(f.AREA | f.BICUBIC | f.BILINEAR)
    if roi[2] == 1 or roi[3] == 1:
        hint &= ~(f.AREA | f.BILINEAR)
    _refuse_unrecorded(hint, src_format)

    if hint & f.BILINEAR:
        # BILINEAR samples half a source pixel earlier, so the picture is half a destination pixel
        # right of where the usual center-aligned convention would put it.
        xs.at -= ONE >> 1
        ys.at -= ONE >> 1
        pixels: Pixels = (_bilinear_rgb565 if src_format == f.RGB565 else _bilinear_bytes)(src, xs, ys)
    else:
        pixels = src[ys.pixels(src.shape[0])[:, None], xs.pixels(src.shape[1])[None, :]]

    index = _index(pixels, src_format, rgb_channel)
    source = _colors(pixels, src_format, index, rgb_channel, color_palette, dst_format)
    window = dst[ys.first : ys.first + len(ys.at), xs.first : xs.first + len(xs.at)]

    if alpha == 255 and alpha_palette is None:
        drawn = (source > 127).astype(np.uint8) if dst_format == f.BINARY else source
    else:
        weight = _alphas(alpha, alpha_palette, dst_format)[index]
        if black_background:
            drawn = _blend(source, np.zeros_like(window), weight, dst_format)
        elif mask is not None and alpha == 255:
            drawn = _blend_with_row_above(source, window, weight, dst_format, flip_y)
        else:
            drawn = _blend(source, window, weight, dst_format)

    if mask is None:
        window[:] = drawn
        return
    allowed = np.zeros(dst.shape, dtype=bool)
    h, w = min(dst.shape[0], mask.shape[0]), min(dst.shape[1], mask.shape[1])
    allowed[:h, :w] = mask[:h, :w]
    allowed = allowed[ys.first : ys.first + len(ys.at), xs.first : xs.first + len(xs.at)]
    window[allowed] = drawn[allowed]


def _blend_with_row_above(source: Pixels, window: Pixels, weight: Ints, target: int,
                          upwards: bool) -> Pixels:
    """Reproduce a bug of the firmware: `mask=` with alpha 255 and an alpha palette.

    Its row buffer is not refilled from the destination, so each row blends with the row drawn before
    it, the first one with black.
    """
    drawn = np.zeros_like(window)
    above = np.zeros_like(window[:1])
    rows = range(len(window))
    for row in reversed(rows) if upwards else rows:
        above = _blend(source[row : row + 1], above, weight[row : row + 1], target)
        drawn[row] = above[0]
    return drawn
