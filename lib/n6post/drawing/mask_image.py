"""A mask as an image, and everything but the object painted over."""

import image

from ..pixels.colors import checked_color, copy_rows, depth_of, gray, rgb565
from ..results.scaled import is_scaled, scaled_mask
from ..tensors.options import number
from .masks import tint


def crop_image(mask):
    """Mask.image: the crop at mask resolution, GRAYSCALE; None for an empty crop."""
    data, (wx, wy, ww, _), (x, y, w, h), _, _ = mask._parts()
    if not data:
        return None
    pixels = bytearray(w * h)
    copy_rows(data, (y - wy) * ww + x - wx, ww, pixels, 0, w, w, h)
    return gray(pixels, w, h)


def to_image(mask, width, height):
    """Mask.to_image: GRAYSCALE, 0 and 255."""
    if width is None and height is None:
        size = mask._parts()[4].frame_size
        if size is None:
            raise ValueError("to_image: expected a width and a height, for the size of this mask's frame is not known")
        width, height = size
    number("width", width, 1, 32767)
    number("height", height, 1, 32767)
    return _painted(scaled_mask(mask, width, height), width, height)


def _painted(mask, width, height):
    pixels = bytearray(width * height)
    tint(mask._row(), pixels, 1, width, height, 0xFFFF, 255)
    return gray(pixels, width, height)


def fill_outside(mask, img, color):
    """Mask.fill_outside: the image itself."""
    depth_of(img)  # raises an error for other formats
    color = checked_color(color)
    width, height = img.width(), img.height()
    is_scaled(mask._parts()[4].frame_size, width, height)  # raises an error for a part of the frame
    mask = scaled_mask(mask, width, height)
    x, y, w, h = mask._parts()[3]
    # The object is inside this rectangle; the four rectangles around it are filled first.
    left, top = min(max(x, 0), width), min(max(y, 0), height)
    right, bottom = max(min(x + w, width), left), max(min(y + h, height), top)
    for rect in (
        (0, 0, width, top),
        (0, bottom, width, height - bottom),
        (0, top, left, bottom - top),
        (right, top, width - right, bottom - top),
    ):
        if rect[2] > 0 and rect[3] > 0:
            img.draw_rectangle(rect, color=color, fill=True)
    w, h = right - left, bottom - top
    if w > 0 and h > 0:
        # draw_image with palettes: opaque where the mask is 0, transparent elsewhere. (Its `mask=` would do the opposite.)
        value = rgb565(color)
        colors = image.Image(256, 1, image.RGB565, buffer=bytearray([value & 255, value >> 8] * 256))
        alphas = bytearray(256)
        alphas[0] = 255
        inside = _painted(mask, width, height)  # of the whole frame: in a part of it the edge may be rounded differently
        img.draw_image(inside, left, top, roi=(left, top, w, h), color_palette=colors, alpha_palette=gray(alphas, 256, 1))
    return img
