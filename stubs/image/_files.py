"""Picture files, through Pillow, which only a PC has. `Image(path)` and `img.save(path)` use it.

The camera reads and writes BMP, PPM, PGM, JPEG and PNG; JPEG decoders differ in the last bit, so
pictures of exact tests are better not JPEG.
"""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _formats as f

if TYPE_CHECKING:
    from PIL import Image as PilImage

Pixels = npt.NDArray[Any]


def _pillow() -> Any:
    """The module PIL.Image; imported late, since most of the stand-ins work without it."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("picture files need Pillow on a PC: pip install pillow") from error
    return Image


def from_pil(picture: "PilImage.Image") -> tuple[Pixels, int]:
    """Pixels and format: one-channel pictures become GRAYSCALE, all others RGB565."""
    if picture.mode in ("1", "L", "I;16", "I"):
        return np.array(picture.convert("L")), f.GRAYSCALE
    rgb = np.asarray(picture.convert("RGB"))
    return f.rgb888_to_rgb565(rgb[..., 0], rgb[..., 1], rgb[..., 2]), f.RGB565


def to_pil(pixels: Pixels, pixformat: int) -> "PilImage.Image":
    """`pixels` as (height, width): uint16 for RGB565, bytes for GRAYSCALE, 0 and 1 for BINARY."""
    pillow = _pillow()
    if pixformat == f.RGB565:
        pixels = np.stack(f.rgb565_to_rgb888(pixels), axis=-1)
    elif pixformat == f.BINARY:
        pixels = pixels * 255
    picture: PilImage.Image = pillow.fromarray(pixels.astype(np.uint8))
    return picture


def load(path: str) -> tuple[Pixels, int]:
    pillow = _pillow()
    try:
        with pillow.open(path) as picture:
            return from_pil(picture)
    except OSError as error:
        if error.errno is not None:
            raise  # no such file, permission denied: as it is
        raise OSError(f"not a picture that can be read: {path}") from error


def save(pixels: Pixels, pixformat: int, path: str, quality: int) -> None:
    extension = os.path.splitext(path)[1].lower()
    if not extension:
        path += ".bmp"  # what the camera writes where the name has no extension
    elif extension not in (".bmp", ".ppm", ".pgm", ".jpg", ".jpeg", ".png"):
        raise OSError(f"Unsupported image file extension: {extension}")
    to_pil(pixels, pixformat).save(path, quality=quality)
