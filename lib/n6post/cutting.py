"""A mask at the resolution of the frame: as an image, and everything but the object painted over."""

import image

from .options import number
from .painting import tint
from .pixels import checked_color, depth_of, gray, rgb565
from .resizing import scaled_mask


def to_image(mask, width, height):
    """Mask.to_image: GRAYSCALE, 0 and 255."""
    if width is None and height is None:
        size = mask.parts()[4].frame_size
        if size is None:
            raise ValueError("to_image: expected a width and a height, for the size of this mask's frame is not known")
        width, height = size
    number("width", width, 1, 32767)
    number("height", height, 1, 32767)
    return _painted(scaled_mask(mask, width, height), width, height)


def _painted(mask, width, height):
    pixels = bytearray(width * height)
    tint(mask.row(), pixels, 1, width, height, 0xFFFF, 255)
    return gray(pixels, width, height)


def cut_out(mask, img, color):
    """Mask.cut_out: the image itself."""
    depth_of(img)  # other formats are refused
    color = checked_color(color)
    width, height = img.width(), img.height()
    mask = scaled_mask(mask, width, height)
    x, y, w, h = mask.parts()[3]
    # The object lies in here; around it there are four rectangles to fill.
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
        # A plain draw_image with palettes, for `mask=` would hide the object: the colour where the mask is 0, nothing else.
        value = rgb565(color)
        colors = image.Image(256, 1, image.RGB565, buffer=bytearray([value & 255, value >> 8] * 256))
        alphas = bytearray(256)
        alphas[0] = 255
        inside = _painted(mask, width, height)  # not of the part alone: elsewhere the edge may round another way
        img.draw_image(inside, left, top, roi=(left, top, w, h), color_palette=colors, alpha_palette=gray(alphas, 256, 1))
    return img
