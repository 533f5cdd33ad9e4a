"""Regions of interest and crops around detections. Imported on first use."""

from math import floor

from ..tensors.lazy import later
from ..tensors.options import flag, number


def roi_of(detection, grow, square):
    """Detection.roi."""
    return region(detection[0], detection.frame_size, grow, square)


def region(rect, size, grow, square):
    """Detection.roi of a box in a frame of this size, which may be None."""
    number("grow", grow, -0.5, 10.0)
    flag("square", square)
    # In integers, from thousandths on: a product of floats may be rounded to another pixel on a camera than on a PC.
    grow = floor(grow * 1000 + 0.5)
    x, y, w, h = rect
    wide = max(w + 2 * ((w * grow + 500) // 1000), 1)
    high = max(h + 2 * ((h * grow + 500) // 1000), 1)
    if square:
        wide = high = max(wide, high)
    x, wide = _inside(2 * x + w, wide, size and size[0], square)
    y, high = _inside(2 * y + h, high, size and size[1], square)
    return x, y, wide, high


def _inside(doubled_middle, length, limit, shift):
    """One axis: the first pixel and the number of pixels. They are cut to 0..limit, or shifted into it."""
    start = (doubled_middle - length) // 2
    if shift:
        if limit is None:
            return max(start, 0), length
        length = min(length, limit)
        return min(max(start, 0), limit - length), length
    end = start + length
    if limit is not None:
        start, end = min(start, limit - 1), min(end, limit)
    start = max(start, 0)
    return start, max(end - start, 1)


def region_in(img, detection, grow=0, square=False):
    """Detection.roi as a part of this picture, which may be the frame, scaled."""
    width, height = img.width(), img.height()
    size = detection.frame_size
    roi = region(detection[0], size or (width, height), grow, square)
    if size is not None and size != (width, height):
        roi = later.results_scaled.scaled_roi(roi, size, width, height)
    return roi


def crop_of(detection, img, grow, square, masked, color):
    """Detection.crop."""
    later.pixels_colors.depth_of(img, "")  # raises an error for other formats
    mask = detection[4]
    if flag("masked", masked) and mask is None:
        raise ValueError("masked: expected False for a detection without a mask, got True")
    width, height = img.width(), img.height()
    roi = region_in(img, detection, grow, square)
    if not masked:
        return img.copy(roi=roi)
    if mask._parts()[4].frame_size not in (None, (width, height)):
        mask = later.results_scaled.scaled_mask(mask, width, height)
    return later.drawing_mask_image.masked_crop(mask, img, roi, color)
