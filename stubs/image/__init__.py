"""The firmware's `image` module for CPython: numpy underneath, pixel for pixel what the camera draws.

It follows firmware 5.0 and agrees with every recording in ../shared/golden/draw. What it leaves out
raises NotImplementedError, or AttributeError for methods it does not have (find_blobs, filters,
compression); text has letter shapes of its own in the camera's cells. omv._host_set_version(4, 8, 1) gives its drawing
methods the arguments that they take there.
"""

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
    "APPLY_COLOR_PALETTE_FIRST",
    "AREA",
    "BICUBIC",
    "BILINEAR",
    "BINARY",
    "BLACK_BACKGROUND",
    "CENTER",
    "EXTRACT_RGB_CHANNEL_FIRST",
    "GRAYSCALE",
    "HMIRROR",
    "Image",
    "PALETTE_IRONBOW",
    "PALETTE_RAINBOW",
    "RGB565",
    "ROTATE_180",
    "ROTATE_270",
    "ROTATE_90",
    "SCALE_ASPECT_EXPAND",
    "SCALE_ASPECT_IGNORE",
    "SCALE_ASPECT_KEEP",
    "TRANSPOSE",
    "VFLIP",
]
