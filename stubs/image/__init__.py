"""The firmware's `image` module for CPython: numpy underneath, pixel for pixel what the camera draws.

It follows firmware 5.0 and agrees with every recording in ../shared/golden/draw and host_tests/data/image_cases.npz. A
missing option raises NotImplementedError, and a missing method raises AttributeError ("the stand-in has no ..."). Letters
have their own shapes in cells of the camera's size, and Pillow writes the JPEG files. After
omv._host_set_version(4, 8, 1) the methods take the arguments of firmware 4.8.1, and their results have methods in place of
attributes.
"""

from typing import TYPE_CHECKING, Any

from . import _old
from ._formats import (
    APPLY_COLOR_PALETTE_FIRST,
    AREA,
    BICUBIC,
    BILINEAR,
    BINARY,
    BLACK_BACKGROUND,
    CENTER,
    EXTRACT_RGB_CHANNEL_FIRST,
    GRAYSCALE,
    HMIRROR,
    JPEG,
    JPEG_SUBSAMPLING_420,
    JPEG_SUBSAMPLING_422,
    JPEG_SUBSAMPLING_444,
    JPEG_SUBSAMPLING_AUTO,
    PNG,
    RGB565,
    SCALE_ASPECT_EXPAND,
    SCALE_ASPECT_IGNORE,
    SCALE_ASPECT_KEEP,
    TRANSPOSE,
    VFLIP,
)
from ._image import Image
from ._palettes import PALETTE_IRONBOW, PALETTE_RAINBOW

ROTATE_90 = VFLIP | TRANSPOSE
ROTATE_180 = HMIRROR | VFLIP
ROTATE_270 = HMIRROR | TRANSPOSE

__all__ = [
    "APPLY_COLOR_PALETTE_FIRST", "AREA", "BICUBIC", "BILINEAR", "BINARY", "BLACK_BACKGROUND", "CENTER",
    "EXTRACT_RGB_CHANNEL_FIRST", "GRAYSCALE", "HMIRROR", "Image", "JPEG", "JPEG_SUBSAMPLING_420", "JPEG_SUBSAMPLING_422",
    "JPEG_SUBSAMPLING_444", "JPEG_SUBSAMPLING_AUTO", "PALETTE_IRONBOW", "PALETTE_RAINBOW", "PNG", "RGB565", "ROTATE_180",
    "ROTATE_270", "ROTATE_90", "SCALE_ASPECT_EXPAND", "SCALE_ASPECT_IGNORE", "SCALE_ASPECT_KEEP", "TRANSPOSE", "VFLIP",
]  # fmt: skip

TAG16H5, TAG25H9, TAG36H10, TAG36H11 = 1, 2, 4, 8
TAGCIRCLE21H7, TAGCIRCLE49H12, TAGCUSTOM48H12, TAGSTANDARD41H12, TAGSTANDARD52H13 = 16, 32, 64, 128, 256

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        raise AttributeError(f"the stand-in has no image.{name}")
