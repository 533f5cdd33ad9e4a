"""draw_string(): the camera's cells, scaling, spacing and line breaks, with different glyphs.

Rotated and mirrored text is not implemented.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from ._font import GLYPHS, HEIGHT, WIDTH

F32 = np.float32


def _floor(value: np.float32) -> int:
    return int(np.floor(value))


def _enlarged(glyph: npt.NDArray[np.bool_], scale: np.float32) -> npt.NDArray[np.bool_]:
    rows = np.arange(_floor(HEIGHT * scale), dtype=F32) / scale
    columns = np.arange(_floor(WIDTH * scale), dtype=F32) / scale
    return glyph[rows.astype(np.int64)[:, None], columns.astype(np.int64)[None, :]]


def text(
    pixels: npt.NDArray[Any],
    x: int,
    y: int,
    string: str,
    color: int,
    scale: np.float32,
    x_spacing: int,
    y_spacing: int,
    mono_space: bool,
) -> None:
    """Set the glyphs' pixels to `color`, an int that fits the format. Other pixels do not change.

    The firmware iterates over UTF-8 bytes and skips those that are not printable ASCII.
    """
    height, width = pixels.shape
    left = x
    last = ""
    for character in string:
        previous, last = last, character
        if character == "\n" and previous == "\r":
            continue
        if character in "\r\n":
            x = left
            y += _floor(HEIGHT * scale) + y_spacing
            continue
        glyph = GLYPHS.get(character)
        if glyph is None:
            continue
        inked = np.flatnonzero(glyph.any(axis=0))
        if not mono_space and len(inked):
            x -= _floor(F32(inked[0]) * scale)
        dots = _enlarged(glyph, scale)
        x0, y0 = max(x, 0), max(y, 0)
        x1, y1 = min(x + dots.shape[1], width), min(y + dots.shape[0], height)
        if x0 < x1 and y0 < y1:
            pixels[y0:y1, x0:x1][dots[y0 - y : y1 - y, x0 - x : x1 - x]] = color
        if mono_space:
            x += _floor(WIDTH * scale) + x_spacing
        elif len(inked):
            x += _floor(F32(inked[-1] + 2) * scale) + x_spacing
        else:
            x += _floor(scale * F32(3))  # the firmware adds no x_spacing after a space
