"""Read and write picture files with Pillow, for `Image(path)` and `img.save(path)`.

The camera reads and writes BMP, PPM, PGM, JPEG and PNG. JPEG decoders differ in the last bit, so tests
of exact pixels should use another format.
"""

import io
import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _formats as f

if TYPE_CHECKING:
    from PIL import Image as PilImage

Pixels = npt.NDArray[Any]


def _pillow() -> Any:
    """The module PIL.Image. It is imported on first use, since most of the stand-ins work without it."""
    try:
        from PIL import Image
    except ImportError as error:
        raise ImportError("picture files need Pillow on a PC: pip install pillow") from error
    return Image


def as_seen(picture: "PilImage.Image") -> "PilImage.Image":
    """Rotate a picture upright and convert it to 8 bits. Every command reads its pictures through this function.

    Phones store rotated pictures and record the rotation in the file (EXIF). With 16-bit pictures, Pillow would
    turn every value above 255 white.
    """
    from PIL import ImageOps

    upright: PilImage.Image = ImageOps.exif_transpose(picture)
    if upright.mode.startswith("I"):
        deep = np.asarray(upright).astype(np.int64)
        upright = _pillow().fromarray(np.clip((deep + 128) // 257, 0, 255).astype(np.uint8))
    return upright


def from_pil(picture: "PilImage.Image") -> tuple[Pixels, int]:
    """Pixels and format. Pictures with one channel become GRAYSCALE, all others RGB565."""
    picture = as_seen(picture)
    if picture.mode in ("1", "L"):
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
            raise  # no such file, permission denied: raise it unchanged
        raise OSError(f"not a picture that can be read: {path}") from error


def decode(data: bytes) -> tuple[Pixels, int]:
    """Pixels and format of a JPEG or PNG file in memory."""
    with _pillow().open(io.BytesIO(data)) as picture:
        return from_pil(picture)


_SUBSAMPLING = {f.JPEG_SUBSAMPLING_444: 0, f.JPEG_SUBSAMPLING_422: 1, f.JPEG_SUBSAMPLING_420: 2}


def encode(pixels: Pixels, pixformat: int, target: int, quality: int, subsampling: int) -> bytes:
    """Encode a JPEG or PNG file. Without `subsampling`, it depends on the quality, as on the camera."""
    file = io.BytesIO()
    if target == f.PNG:
        to_pil(pixels, pixformat).save(file, "PNG")
    else:
        automatic = 2 if quality <= 35 else 1 if quality < 60 else 0
        to_pil(pixels, pixformat).save(
            file, "JPEG", quality=quality, subsampling=_SUBSAMPLING.get(subsampling, automatic))
    return file.getvalue()


def save(pixels: Pixels, pixformat: int, path: str, quality: int) -> None:
    extension = os.path.splitext(path)[1].lower()
    if not extension:
        path += ".bmp"  # the camera's format for a name without an extension
    elif extension not in (".bmp", ".ppm", ".pgm", ".jpg", ".jpeg", ".png"):
        raise OSError(f"Unsupported image file extension: {extension}")
    to_pil(pixels, pixformat).save(path, quality=quality)
