"""The colors of the frame pixels of masks and boxes. Imported on first use."""

from array import array
from collections import namedtuple
from math import sqrt

from ..kernels import places as place_kernels
from ..kernels.params.places import CHANNEL, CHANNEL_MAX, CHANNEL_MIN, CHANNEL_SQUARES, CHANNEL_SUM
from ..kernels.params.places import color_sums as color_sums_params
from ..pixels.colors import depth_of
from ..pixels.pixel_edges import shown
from ..tensors.lazy import later
from .places import region_in


class ColorStatistics(namedtuple("ColorStatistics", ("mean", "stdev", "min", "max"))):
    def as_dict(self):
        """The colors as numbers and lists, for JSON."""
        return later.results_dicts.record_as_dict(self, ("mean", "stdev", "min", "max"))


_INSIDE = b"\xff"  # a mask of one pixel


def mean_color(mask, img):
    """Mask.mean_color."""
    return _means() if _add_mask(mask, img) else None


def mean_color_of(detection, img):
    """Detection.mean_color."""
    if detection[4] is not None:
        return mean_color(detection[4], img)
    depth = depth_of(img, "")
    x, y, w, h = region_in(img, detection)
    _add(img, depth, img.width(), _INSIDE, 0, 1, (x, x + w, y, y + h), 1, 1)
    return _means()


def statistics(mask, img):
    """Mask.statistics."""
    count = _add_mask(mask, img)
    if not count:
        return None
    deviations, least, largest = [], [], []
    for at in range(1, 1 + 3 * CHANNEL, CHANNEL):
        total = _wide(_sums, at + CHANNEL_SUM)
        # Four times the variance: of twice the deviation, which is rounded down, follows the rounded deviation.
        variance = 4 * (count * _wide(_sums, at + CHANNEL_SQUARES) - total * total) // (count * count)
        deviations.append((int(sqrt(variance)) + 1) // 2)  # a float's root of a number below 2^16 is exact enough
        least.append(_sums[at + CHANNEL_MIN])
        largest.append(_sums[at + CHANNEL_MAX])
    return ColorStatistics(_means(), tuple(deviations), tuple(least), tuple(largest))


_sums = array("i", bytes(4 * (1 + 3 * CHANNEL)))  # of the last call of color_sums


def _wide(words, at):
    """The sum in two words."""
    return words[at] << 24 | words[at + 1]


def _means():
    count = _sums[0]
    r, g, b = [
        (2 * _wide(_sums, at + CHANNEL_SUM) + count) // (2 * count) for at in range(1, 1 + 3 * CHANNEL, CHANNEL)
    ]
    return r, g, b


def _add_mask(mask, img):
    """Add up the colors of the pixels that a mask `contains`; the number of pixels."""
    depth = depth_of(img, "")
    width, height = img.width(), img.height()
    size = mask._parts()[4].frame_size
    if size is not None and size != (width, height):
        results = later.results_scaled
        results.is_scaled(size, width, height)
        mask = results.scaled_mask(mask, width, height)
    data, (wx, wy, ww, _), crop, (x, y, w, h), transform = mask._parts()
    # If the frame's size is not known, the picture may be smaller.
    left, top = max(x, 0), max(y, 0)
    clip = left, top, min(x + w, width) - left, min(y + h, height) - top
    x, columns, y, rows = shown(transform, crop, clip)
    if len(columns) < 2 or len(rows) < 2:
        return 0
    start = (y - wy) * ww + x - wx
    return _add(img, depth, width, data, start, ww, columns + rows, len(columns) - 1, len(rows) - 1)


def _add(img, depth, frame_width, data, start, step, edges, width, height):
    block = color_sums_params(depth, frame_width, step, width, height, edges)
    return place_kernels.color_sums(img.bytearray(), memoryview(data)[start:], block, _sums)
