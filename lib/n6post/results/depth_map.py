"""DepthMap: a distance for every pixel of a frame."""

from array import array
from collections import OrderedDict
from math import ceil

from micropython import const
from ulab import numpy as np

from ..kernels import maps as map_kernels
from ..kernels.params import maps as map_params
from ..pixels.rounding import NUDGE, same_floats
from ..tensors.lazy import later
from ..tensors.options import number
from ..tensors.quantization import FLOAT, INT8, INT16

_MOST_SORTED = const(4096)  # numbers of 16 bits and floats of a box: of more, every second or third column and row counts


class DepthMap:
    """A distance for every pixel of a map that lies over the frame, in the unit of the network (FastDepth: meters).

    raw         array (H, W) of the network's own numbers, at the resolution of its output
    scale       distance = (raw - zero_point) * scale
    zero_point  the number in `raw` for distance 0

    A box (x, y, w, h) is in frame pixels; a Detection is taken as its rect. The pixels of the map with their centers in the
    box count, or the one at the middle of a box that is smaller than that.
    """

    def __init__(self, raw, transform, scale=1.0, zero_point=0):
        height, width = transform.height, transform.width
        if tuple(raw.shape) != (height, width) or raw.strides != (width * raw.itemsize, raw.itemsize):
            raise ValueError("expected a dense array (%d, %d), got %s" % (height, width, tuple(raw.shape)))
        self.raw = raw
        self._bytes = None  # the map as drawn, if its numbers are not bytes
        self.scale = self._unit = None
        self._reset(transform, scale, zero_point)

    def _reset(self, transform, scale, zero_point):
        """Discard computed values: the array has the distances of another frame, with this MapTransform."""
        self._transform = transform
        if scale != self.scale:
            self._unit = same_floats(scale)
        self.scale = scale
        self.zero_point = zero_point
        self._whole = None  # least, median and largest raw number of the whole map

    @property
    def shape(self):
        """(height, width) of the map."""
        return tuple(self.raw.shape)

    def copy(self):
        """A copy with memory of its own, which later calls of the processor do not overwrite."""
        return DepthMap(self.raw.copy(), self._transform, self.scale, self.zero_point)

    __copy__ = copy  # for copy.copy on a PC

    def distances(self):
        """All distances as a new float32 array (H, W)."""
        return (np.array(self.raw, dtype=np.float) - float(self.zero_point)) * self._unit

    def depth_at(self, x, y=None):
        """The distance at frame pixel (x, y), or ((x, y)); None outside of the frame or of the part that the network saw."""
        cell = self._transform.cell("depth_at", x, y)
        if cell is None:
            return None
        row, column = cell
        return self._distance(self.raw[row, column : column + 1])

    def minimum(self, box=None):
        """The smallest distance in a box, or in the whole map; None if the network saw nothing of the box."""
        return self._of_box(box, 0)

    def median(self, box=None):
        """The median distance in a box, or in the whole map; None if the network saw nothing of the box.

        Of two in the middle it is the lower one. It is exact for a network of bytes. For 16 bits and floats, if the box has
        more than 4096 pixels of the map, it is the median of every second or third column and row.
        """
        return self._of_box(box, 1)

    def maximum(self, box=None):
        """The largest distance in a box, or in the whole map; None if the network saw nothing of the box."""
        return self._of_box(box, 2)

    def fraction(self, zone, *, nearer):
        """The part of a zone that is nearer than a distance, 0..1; None if the network saw nothing of the zone.

        zone    a PolygonZone, by the pixels of the map with their centers inside, or a box
        nearer  the distance
        """
        limit = same_floats(number("nearer", nearer, -3e38, 3e38))
        points = getattr(zone, "points", None)
        box = zone
        if points:
            xs, ys = [x for x, _ in points], [y for _, y in points]
            box = min(xs), min(ys), max(xs) - min(xs), max(ys) - min(ys)
        window = self._window_of(box)
        if window is None:
            return None
        x0, y0, x1, y1 = window
        width = x1 - x0
        near, count = 0, 0
        step = max(1, _MOST_SORTED // width)
        for y in range(y0, y1, step):
            part = self.raw[y : min(y + step, y1), x0:x1]
            hits = bytes(((part * 1.0 - float(self.zero_point)) * self._unit < limit).tobytes())
            rows = [(0, 0, len(hits))]
            if points:
                rows = later.pixels_polygons.spans(points, self._transform, x0, y, width, len(hits) // width)
            for row, first, end in rows:
                near += hits.count(b"\x01", row * width + first, row * width + end)
                count += end - first
        return near / count if count else None

    def _of_box(self, box, which):
        if box is None:
            return self._distance(self._of_whole()[which])
        window = self._window_of(box)
        return None if window is None else self._distance(self._statistics(window)[which])

    def _of_whole(self):
        if self._whole is None:
            self._whole = self._statistics(self._transform.window)
        return self._whole

    def _distance(self, raw):
        # In an array: a product of float objects is not the same on a camera.
        raw = np.array(raw, dtype=np.float)
        return float(((raw - float(self.zero_point)) * self._unit)[0])

    def _window_of(self, box):
        """The map pixels (x0, y0, x1, y1) of a box, at least one; None if the network saw nothing of it."""
        rect = getattr(box, "rect", box)
        if not isinstance(rect, (list, tuple)) or len(rect) != 4 or [v for v in rect if type(v) not in (int, float)]:
            raise ValueError("box: expected (x, y, w, h) in frame pixels or a Detection, got %r" % (box,))
        x, y, w, h = rect
        transform = self._transform
        left, top, width, height = transform.seen
        x0, y0, x1, y1 = transform.window
        columns = _span(x, x + w, left, left + width, transform.ox, transform.sx, x0, x1)
        rows = _span(y, y + h, top, top + height, transform.oy, transform.sy, y0, y1)
        return (columns[0], rows[0], columns[1], rows[1]) if columns and rows else None

    def _statistics(self, window):
        """The least, median and largest raw number of some map pixels, each in an array of one."""
        x0, y0, x1, y1 = window
        part = self.raw[y0:y1, x0:x1]
        dtype = part.dtype
        if dtype == FLOAT or dtype == INT16:
            return _by_sorting(part)
        width, height = x1 - x0, y1 - y0
        size = width * height
        if width < self._transform.width:
            # The rows are not contiguous in memory. ulab's copy() takes three times as long.
            part = bytearray(size)
            later.pixels_colors.copy_rows(
                self.raw.tobytes(), y0 * self._transform.width + x0, self._transform.width, part, 0, width, width, height
            )
        counts = array("i", bytes(4 * 256))
        map_kernels.class_histogram(part, map_params.class_histogram(size), counts)
        level = -1
        if dtype == INT8:  # bytes below 0 are counted as 128 and more
            counts = counts[128:] + counts[:128]
            level = -129
        half = (size + 1) // 2  # the position of the median, counted from 1
        seen = 0
        least = median = None
        for count in counts:
            level += 1
            if count:
                if least is None:
                    least = level
                seen += count
                if median is None and seen >= half:
                    median = level
                if seen == size:
                    break
        return np.array([least]), np.array([median]), np.array([level])

    def draw(self, img, *, palette=None, alpha=128, nearest=None, farthest=None, legend=False):
        """Tint `img` (RGB565 or GRAYSCALE) with the distances, and return img.

        palette             two or more colors (r, g, b), from near to far; None: yellow, red, violet, black
        alpha               0..255; below 8 an RGB565 frame does not change, because the firmware cuts alpha to 5 bits
        nearest, farthest   the distances that have the first and the last color; None: the smallest and largest in the map
        legend              write these two distances into the lower left corner

        A picture of another size than the frame is treated as the frame, scaled. ValueError for a picture of another aspect
        ratio, as for `n6post.draw`.
        """
        later.drawing_depth.draw_depth(img, self, palette, alpha, nearest, farthest, legend)
        return img

    def _drawn_by(self):
        return later.drawing_depth.draw_depth_map

    def as_dict(self):
        """The smallest, median and largest distance of the map, rounded to 3 decimals, for JSON."""
        rounded = later.results_dicts.rounded
        values = ("minimum", self.minimum()), ("median", self.median()), ("maximum", self.maximum())
        return OrderedDict([(name, rounded(value)) for name, value in values])


def _span(start, end, low, high, offset, scale, first, last):
    """The map pixels first..last whose centers are in start..end, at least one; () if the network saw nothing of it."""
    start = max(start, low)
    end = min(end, high)
    if not start < end:
        return ()
    begin = max(ceil((start - offset) / scale - 0.5 - NUDGE), first)
    stop = min(ceil((end - offset) / scale - 0.5 - NUDGE), last)
    if stop <= begin:
        begin = min(max(int(((start + end) * 0.5 - offset) / scale), first), last - 1)
        stop = begin + 1
    return begin, stop


def _by_sorting(part):
    """_statistics of 16 bits and floats."""
    height, width = part.shape
    step = 1
    while (height // step) * (width // step) > _MOST_SORTED:
        step += 1
    some = np.array(part[::step, ::step], dtype=np.float) if step > 1 else np.array(part, dtype=np.float)
    ranked = np.sort(some.reshape((some.size,)))
    middle = (len(ranked) - 1) // 2
    if step == 1:
        return ranked[:1], ranked[middle : middle + 1], ranked[-1:]
    least, largest = _limits(part)
    return least, ranked[middle : middle + 1], largest


def _limits(part):
    """The least and largest number of a map, each in an array of one."""
    rows = np.array(np.min(part, axis=1), dtype=np.float)  # camera: long-axis: of one side
    high = np.array(np.max(part, axis=1), dtype=np.float)  # camera: long-axis: of one side
    n = len(rows)
    # With an axis: without one the result is a float object, which has two bits less on a camera.
    return np.min(rows.reshape((1, n)), axis=1), np.max(high.reshape((1, n)), axis=1)  # camera: long-axis: of one side
