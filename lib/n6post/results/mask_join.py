"""Masks of parts of one object, joined to one Mask. Imported on first use, by merge.py."""

from math import ceil, floor

from ulab import numpy as np

from ..pixels.rounding import NUDGE
from .mask import Mask, MaskTransform
from .mask_iou import _index, _is_empty

_LARGEST = 16384  # bytes of a joined mask, from which on the pixels of a coarser part are used


def join(masks):
    """A Mask of all pixels that belong to one of these masks, of two or more.

    Its pixels are those of the mask with the smallest ones, unless they would be too many; the other masks are sampled at
    their centers.
    """
    parts = [one for one in [mask._parts() for mask in masks] if not _is_empty(one)]
    if len(parts) < 2:
        return masks[0] if not parts else [mask for mask in masks if not _is_empty(mask._parts())][0]
    tried = sorted([(one[4].sx * one[4].sy, i) for i, one in enumerate(parts)])
    for _, i in tried:
        base = parts[i][4]
        left, right = _extent(parts, base.sx, base.ox, 0)
        top, bottom = _extent(parts, base.sy, base.oy, 1)
        width, height = right - left, bottom - top
        if width * height <= _LARGEST:
            break
    plane = np.zeros((height, width), dtype=np.uint8)
    for data, (wx, wy, ww, wh), (x, y, w, h), _, transform in parts:
        # With a border of pixels outside, which stands for everything beyond the crop.
        padded = np.zeros((h + 2, w + 2), dtype=np.uint8)
        rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
        padded[1 : h + 1, 1 : w + 1] = rows[y - wy : y - wy + h, x - wx : x - wx + w]
        taken = [_index((left + k + 0.5) * base.sx + base.ox, transform.sx, transform.ox, x, w) for k in range(width)]
        columns = np.array(taken, dtype=np.uint16)
        for row in range(height):
            from_row = _index((top + row + 0.5) * base.sy + base.oy, transform.sy, transform.oy, y, h)
            if 0 < from_row <= h:
                plane[row] = np.maximum(plane[row], np.take(padded[from_row], columns))
    bounds, clip = parts[0][4].bounds, parts[0][3]
    for one in parts[1:]:
        bounds, clip = _around(bounds, one[4].bounds), _around(clip, one[3])
    ox, oy = base.ox + left * base.sx, base.oy + top * base.sy
    transform = MaskTransform(base.sx, ox, base.sy, oy, bounds, base.margin, base.frame_size)
    window = 0, 0, width, height
    return Mask(plane.tobytes(), window, window, clip, transform)


def _extent(parts, scale, offset, axis):
    """The first and the last (not included) pixel of this scale and offset that the crops touch along an axis."""
    first = last = None
    for one in parts:
        transform = one[4]
        s, o = (transform.sx, transform.ox) if axis == 0 else (transform.sy, transform.oy)
        start, length = one[2][axis], one[2][axis + 2]
        low = floor((start * s + o - offset) / scale + NUDGE)
        high = ceil(((start + length) * s + o - offset) / scale - NUDGE)
        first = low if first is None else min(first, low)
        last = high if last is None else max(last, high)
    return first, last


def _around(one, other):
    """The rectangle around two rectangles (x, y, w, h)."""
    x, y = min(one[0], other[0]), min(one[1], other[1])
    return x, y, max(one[0] + one[2], other[0] + other[2]) - x, max(one[1] + one[3], other[1] + other[3]) - y
