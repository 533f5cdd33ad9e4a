"""Pixel formats, hints and exact color conversions of the firmware's `image` module.

The constants have the firmware's values (`image.GRAYSCALE == 134348801`), so a script that prints or stores
them gives the same output on a PC. The conversions are integer formulas, which the recordings in
../shared/golden/draw confirm for every color. They work on numpy arrays of any shape.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]
Ints = npt.NDArray[np.int32]

BINARY = 134283264
GRAYSCALE = 134348801
RGB565 = 201523202
JPEG = 101056512
PNG = 101122048
COMPRESSED = (JPEG, PNG)

JPEG_SUBSAMPLING_AUTO = 0
JPEG_SUBSAMPLING_444 = 0x11
JPEG_SUBSAMPLING_422 = 0x21
JPEG_SUBSAMPLING_420 = 0x22

# draw_image() hints.
AREA = 1
BILINEAR = 2
BICUBIC = 4
HMIRROR = 16
VFLIP = 32
TRANSPOSE = 64
CENTER = 128
EXTRACT_RGB_CHANNEL_FIRST = 256
APPLY_COLOR_PALETTE_FIRST = 512
SCALE_ASPECT_KEEP = 1024
SCALE_ASPECT_EXPAND = 2048
SCALE_ASPECT_IGNORE = 4096
# Bit 31 does not fit into a MicroPython small int. The firmware's table turns it into 0, so scripts
# cannot request a black background.
BLACK_BACKGROUND = 0

NAMES = {BINARY: "binary", GRAYSCALE: "grayscale", RGB565: "rgb565"}
COMPRESSED_NAMES = {JPEG: "jpeg", PNG: "png"}


def size_of(width: int, height: int, pixformat: int) -> int:
    """Size of an image in bytes. Rows of a BINARY image are padded to 32 bits."""
    if pixformat == BINARY:
        return (width + 31) // 32 * 4 * height
    return width * height * (2 if pixformat == RGB565 else 1)


def rgb565_channels(pixels: Array) -> tuple[Ints, Ints, Ints]:
    """Split RGB565 into its channels of 5, 6 and 5 bits."""
    p = pixels.astype(np.int32)
    return (p >> 11) & 31, (p >> 5) & 63, p & 31


def rgb565_to_rgb888(pixels: Array) -> tuple[Ints, Ints, Ints]:
    """RGB565 to 8-bit channels. The high bits are repeated as low bits, so 31 becomes 255."""
    r5, g6, b5 = rgb565_channels(pixels)
    return (r5 << 3) | (r5 >> 2), (g6 << 2) | (g6 >> 4), (b5 << 3) | (b5 >> 2)


def rgb888_to_rgb565(r: Array, g: Array, b: Array) -> npt.NDArray[np.uint16]:
    """8-bit channels to RGB565, truncating."""
    r, g, b = (c.astype(np.int32) for c in (r, g, b))
    return (((r >> 3) << 11) | ((g >> 2) << 5) | (b >> 3)).astype(np.uint16)


def rgb888_to_gray(r: Array, g: Array, b: Array) -> npt.NDArray[np.uint8]:
    """Luma with the firmware's integer weights (sum 128)."""
    r, g, b = (c.astype(np.int32) for c in (r, g, b))
    return ((38 * r + 75 * g + 15 * b) >> 7).astype(np.uint8)


def rgb565_to_gray(pixels: Array) -> npt.NDArray[np.uint8]:
    return rgb888_to_gray(*rgb565_to_rgb888(pixels))


def gray_to_rgb565(pixels: Array) -> npt.NDArray[np.uint16]:
    y = pixels.astype(np.int32)
    t = y >> 3
    return ((t << 11) | ((y << 3) & 0x7E0) | t).astype(np.uint16)


def unpack_binary(memory: npt.NDArray[np.uint8], width: int, height: int) -> npt.NDArray[np.uint8]:
    """The bits of a BINARY image as a (height, width) array of 0 and 1 (a copy)."""
    rows = memory.reshape(height, (width + 31) // 32 * 4)
    return np.unpackbits(rows, axis=1, bitorder="little")[:, :width]


def pack_binary(pixels: Array, memory: npt.NDArray[np.uint8]) -> None:
    """The inverse of unpack_binary(), into the image's own memory. Padding bits are left alone."""
    height, width = pixels.shape
    rows = memory.reshape(height, (width + 31) // 32 * 4)
    bits = np.unpackbits(rows, axis=1, bitorder="little")
    bits[:, :width] = pixels
    rows[:] = np.packbits(bits, axis=1, bitorder="little")
