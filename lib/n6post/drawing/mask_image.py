"""A mask as an image, and everything but the object painted over."""

from array import array

from ulab import numpy as np

from ..kernels import drawing as drawing_kernels
from ..kernels.params.drawing import (
    MAP_EDGES,
    TINT_ALPHA,
    TINT_COLOR,
    TINT_DEPTH,
    TINT_FRAME_HEIGHT,
    TINT_FRAME_WIDTH,
    TINT_X,
    TINT_X0,
    TINT_X1,
    TINT_Y,
    TINT_Y0,
    TINT_Y1,
    mask_block,
)
from ..kernels.params.drawing import box as box_params
from ..kernels.params.drawing import tint_map as tint_map_params
from ..pixels.colors import checked_color, copy_rows, depth_of, gray, rgb565
from ..results.scaled import checked_roi, is_scaled, scaled_mask
from ..tensors.options import number


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
    return gray(_painted(scaled_mask(mask, width, height), 0, 0, width, height)[0], width, height)


def _painted(mask, left, top, width, height):
    """The pixels, a byte each, of a part of the frame that ends where this one does: 255 where `draw` tints.

    Returns them with the width and the height of that part. It may begin left of the other or above it.
    """
    data, table, at, transform = mask._row()
    block = transform.block or mask_block(transform)
    block[TINT_DEPTH] = 1
    block[TINT_FRAME_WIDTH] = right = left + width
    block[TINT_FRAME_HEIGHT] = bottom = top + height
    block[TINT_COLOR] = 0xFFFF
    block[TINT_ALPHA] = 255
    start = drawing_kernels.clip_mask(block, table, at)
    if start < 0:
        return bytearray(width * height), width, height
    # Interpolation is repeated to the bit only from the same pixel of the mask on. So the part begins there.
    first_x, first_y = min(left, max(block[TINT_X], 0)), min(top, max(block[TINT_Y], 0))
    width, height = right - first_x, bottom - first_y
    pixels = bytearray(width * height)
    block[TINT_FRAME_WIDTH] = width
    block[TINT_FRAME_HEIGHT] = height
    for entry, first in (
        (TINT_X, first_x), (TINT_X0, first_x), (TINT_X1, first_x), (TINT_Y, first_y), (TINT_Y0, first_y), (TINT_Y1, first_y),
    ):  # fmt: skip
        block[entry] -= first
    drawing_kernels.tint_mask(pixels, memoryview(data)[start:], block)
    return pixels, width, height


def fill_outside(mask, img, color, roi):
    """Mask.fill_outside: the image itself."""
    depth_of(img)  # raises an error for other formats
    color = checked_color(color)
    width, height = img.width(), img.height()
    size = mask._parts()[4].frame_size
    left = top = 0
    if roi is None:
        is_scaled(size, width, height)  # raises an error for a part of the frame
        mask = scaled_mask(mask, width, height)
    else:
        roi = checked_roi(roi, size)
        if roi[2:] == (width, height):
            left, top, _, _ = roi
        else:
            mask = scaled_mask(mask, width, height, roi)
    return _filled(mask, img, left, top, color)


def masked_crop(mask, img, roi, color):
    """A copy of a part of an image, with everything but the mask painted over. mask: on the whole image."""
    color = checked_color(color)
    return _filled(mask, img.copy(roi=roi), roi[0], roi[1], color)


def _filled(mask, img, first_x, first_y, color):
    """Paint everything but the mask in an image that shows the frame from pixel (first_x, first_y) on, and return it."""
    width, height = img.width(), img.height()
    x, y, w, h = mask._parts()[3]
    x -= first_x
    y -= first_y
    left, top = min(max(x, 0), width), min(max(y, 0), height)
    right, bottom = max(min(x + w, width), left), max(min(y + h, height), top)
    value = rgb565(color)
    depth, pixels = depth_of(img), img.bytearray()
    # The object is inside this rectangle; the four around it are filled first. By kernels: the firmware's draw_rectangle and
    # draw_image take ten to thirty times as many instructions for a pixel, where no graphics unit draws.
    for fill in (
        (0, 0, width, top),
        (0, bottom, width, height - bottom),
        (0, top, left, bottom - top),
        (right, top, width - right, bottom - top),
    ):
        if fill[2] > 0 and fill[3] > 0:
            drawing_kernels.box(
                pixels, box_params(depth, width, height, 0, 0, 0, 0, 0, fill[0], fill[1], fill[2], fill[3], value), "", None
            )
    w, h = right - left, bottom - top
    if w > 0 and h > 0:
        inside, across, down = _painted(mask, first_x + left, first_y + top, w, h)
        # As a class map with pixels of the picture's size, whose class 0 is opaque.
        block = tint_map_params(depth, width, height, 0, across, down)
        block[MAP_EDGES] = across + down + 2
        block.extend(_steps(right - across, across))
        block.extend(_steps(bottom - down, down))
        drawing_kernels.tint_map(pixels, inside, block, _palette(value))
    return img


def _steps(first, count):
    """count + 1 neighbors from `first` on, but none below 0: the edges of a map's columns, for a parameter block."""
    # Words whose upper half is 0. A loop in Python takes ten times as long.
    words = np.zeros((count + 1, 2), dtype=np.uint16)
    words[:, 0] = np.array(np.maximum(np.arange(count + 1, dtype=np.float) + float(first), 0.0), dtype=np.uint16)
    return array("i", words.tobytes())


def _palette(value):
    """The palette for tint_map in which class 0 has this RGB565 color, and all others are transparent; kept."""
    if value not in _palettes:
        if len(_palettes) > 16:
            _palettes.clear()
        _palettes[value] = bytearray(bytes((value & 255, value >> 8)) + bytes(510) + b"\xff" + bytes(255))
    return _palettes[value]


_palettes = {}
