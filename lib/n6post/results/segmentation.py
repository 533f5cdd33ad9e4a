"""Segmentation: a class for every pixel of a frame."""

from array import array
from math import ceil, floor

from micropython import const
from ulab import numpy as np

from ..kernels import maps as map_kernels
from ..kernels.params import maps as map_params
from ..pixels.rounding import NUDGE
from ..tensors.label_sets import class_name
from ..tensors.lazy import later
from ..tensors.options import number
from ..tensors.quantization import UINT8

_BLOCK = const(8192)  # pixels that are processed at once: limits the memory of temporary arrays


class ClassInfo:
    """The classes of a map: their labels and the background.

    classes     number of classes
    channels    number of channels of the network's output; 21 are the classes of Pascal VOC
    names       list of labels, which may be too short, or None
    background  the class that is not drawn, or None
    """

    def __init__(self, classes, channels, names, background):
        self.classes = classes
        self.channels = channels
        self.names = names
        self.background = background
        self.palette = None  # (key, palette) of masks.py, once the map is drawn
        self.numbers = {}  # {label: class number}, of labels that were looked up

    def label(self, class_id):
        """A class's name, or its number as text."""
        if self.names is None:
            return class_name(class_id, self.channels, background=True)
        return self.names[class_id] if class_id < len(self.names) else str(class_id)

    def number(self, what, name):
        """The number of the class with this label; ValueError, naming `what`, if no class or several have it."""
        if name not in self.numbers:
            count = self.classes if self.names is None else min(self.classes, len(self.names))
            self.numbers[name] = later.tensors_labels.class_number(what, name, [self.label(i) for i in range(count)])
        return self.numbers[name]


class MapTransform:
    """From pixels of a class map, width x height, to frame pixels: frame = map * scale + offset, for x and y separately.

    class_info  the map's ClassInfo
    frame_size  (width, height) of the whole frame, or None
    seen    (x, y, w, h), floats: the part of the frame that the network saw
    window  (x0, y0, x1, y1): the pixels of the map whose centers are in that part (not a letterbox's bars), at least one
    """

    def __init__(self, class_info, fit, input_size, map_size):
        self.class_info = class_info
        self.width, self.height = map_size
        self.sx = fit.sx * input_size[0] / self.width
        self.sy = fit.sy * input_size[1] / self.height
        self.ox = fit.ox
        self.oy = fit.oy
        self.frame_size = fit.frame_size
        x, y, w, h = fit.roi
        left, right, x0, x1 = _span(x, w, self.ox, self.sx, self.width)
        top, bottom, y0, y1 = _span(y, h, self.oy, self.sy, self.height)
        self.seen = (left, top, right - left, bottom - top)
        self.window = (x0, y0, x1, y1)
        self.edges = None  # pixel_edges.map_edges, once they are needed
        self.uniform_pixel_area = None  # pixel_edges.uniform_pixel_area alike
        self.block = None  # parameters of tint_map and count_class_pixels, once they are needed

    def cell(self, what, x, y):
        """(row, column) of the map pixel at frame pixel (x, y), or ((x, y)); None outside of what the network saw.

        ValueError, which names the function `what`, for anything but two numbers.
        """
        pixel = x if y is None else (x, y)
        try:
            x, y = pixel
            return later.pixels_pixel_edges.map_cell(self, x, y)
        except (TypeError, ValueError):
            from ..tensors.errors import pixel_refused

            raise pixel_refused(what, (pixel,) if y is None else pixel) from None


def finer(transform, times):
    """The MapTransform of a map with `times` as many columns and rows, over the same part of the frame."""
    t = transform
    fit = later.inputs_transform.InputTransform(None, t.seen, t.sx, t.ox, t.sy, t.oy, t.frame_size)
    size = t.width, t.height
    return MapTransform(t.class_info, fit, size, (times * size[0], times * size[1]))


def _span(start, length, offset, scale, pixels):
    left = max(float(start), offset)
    right = min(float(start + length), offset + scale * pixels)
    first = min(max(ceil((left - offset) / scale - 0.5 - NUDGE), 0), pixels - 1)
    last = min(max(ceil((right - offset) / scale - 0.5 - NUDGE), 0), pixels)
    if last <= first:
        first = min(max(floor(((left + right) * 0.5 - offset) / scale), 0), pixels - 1)
        last = first + 1
    return left, right, first, last


class Segmentation:
    """A class for every pixel of a map that lies over the frame.

    class_map   uint8 array (H, W) of class numbers, at the resolution of the network's output
    background  the class that is not drawn, or None

    A class may be given by its number or by its name. ValueError for a name that no class has, or that several have.

    ValueError for a class map of another dtype or shape than its MapTransform's, or one that is not dense.
    """

    def __init__(self, class_map, transform):
        height, width = transform.height, transform.width
        if class_map.dtype != UINT8 or tuple(class_map.shape) != (height, width) or class_map.strides != (width, 1):
            raise ValueError("expected a dense uint8 array (%d, %d), got %s" % (height, width, tuple(class_map.shape)))
        self.class_map = class_map
        self._reset(transform)

    def _reset(self, transform):
        """Discard computed values: the array has the classes of another frame, with this MapTransform."""
        self._transform = transform
        self._counts = None

    @property
    def background(self):
        """The number of the class that is not drawn, or None."""
        return self._transform.class_info.background

    def copy(self):
        """A copy with a class map of its own, which later calls of the processor do not overwrite."""
        return Segmentation(self.class_map.copy(), self._transform)

    __copy__ = copy  # for copy.copy on a PC

    def label(self, class_id):
        """The name of a class, or its number as text."""
        return self._transform.class_info.label(self._class(class_id))

    def class_ids(self, background=False):
        """The numbers of the classes in the frame, ascending; without the background unless `background` is True."""
        counts = self._count()
        hidden = None if background else self._transform.class_info.background
        return [class_id for class_id in range(256) if counts[class_id] and class_id != hidden]

    def fraction(self, class_id):
        """The fraction of the frame (of the part that the network saw) that has this class, 0..1."""
        x0, y0, x1, y1 = self._transform.window
        return self._count()[self._class(class_id)] / ((x1 - x0) * (y1 - y0))

    def area(self, class_id):
        """The number of frame pixels of this class: those for which `class_at` returns it."""
        class_id = self._class(class_id)
        each = later.pixels_pixel_edges.uniform_pixel_area(self._transform)
        return self._count()[class_id] * each if each else later.drawing_masks.count_pixels(self, class_id)

    def class_at(self, x, y=None):
        """The class of frame pixel (x, y), or ((x, y)); None outside of the frame or of the part that the network saw."""
        cell = self._transform.cell("class_at", x, y)
        return None if cell is None else int(self.class_map[cell[0], cell[1]])

    def profile(self, class_id, *, rows=8):
        """Where a class is in each of several bands of the frame, the lowest band first, for scripts that follow a road.

        class_id    a class, by number or name
        rows        the number of bands, which divide the height of the part of the frame that the network saw

        A list of named tuples (y, center, left, right, fraction), in frame pixels: the middle row of the band, the mean x of
        the class's pixels in it, the first and the last column with one, and the fraction of the band that has the class,
        0..1. center, left and right are None in a band without the class. ValueError for an unknown class, and for more
        rows than that part of the frame has.
        """
        return later.results_bands.profile(self, class_id, rows)

    def mask(self, class_id):
        """A `Mask` of all the pixels of a class, with area, centroid, contains(), outline() and draw()."""
        masks = later.results_mask
        class_id = self._class(class_id)
        own = self._transform
        edges = later.pixels_pixel_edges
        columns, rows = edges.map_edges(own)
        x, y = columns[0], rows[0]
        bounds = (x, y, columns[-1] - x, rows[-1] - y)
        transform = masks.MaskTransform(own.sx, own.ox, own.sy, own.oy, bounds, frame_size=own.frame_size)
        transform.edges = own.edges
        x0, columns, y0, rows = edges.shown(transform, (0, 0, own.width, own.height), bounds)
        x1, y1 = x0 + len(columns) - 1, y0 + len(rows) - 1
        if x1 > x0 and y1 > y0:
            x0, y0, x1, y1 = self._box_of(class_id, (x0, y0, x1, y1))
        if x1 <= x0 or y1 <= y0:
            return masks.Mask(bytearray(), (0, 0, 0, 0), (0, 0, 0, 0), bounds, transform)
        # With a border of pixels of other classes, with which the drawn edge is interpolated.
        wx, wy = max(x0 - 1, 0), max(y0 - 1, 0)
        ww, wh = min(x1 + 1, own.width) - wx, min(y1 + 1, own.height) - wy
        data = bytearray(ww * wh)
        rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
        step = max(1, _BLOCK // ww)
        for y in range(0, wh, step):
            hits = self.class_map[wy + y : wy + min(y + step, wh), wx : wx + ww] == class_id
            rows[y : min(y + step, wh)] = np.where(hits, 255, 0)
        return masks.Mask(data, (wx, wy, ww, wh), (x0, y0, x1 - x0, y1 - y0), bounds, transform)

    def objects(self, class_id, *, min_area=0):
        """The connected parts of a class, a list of Detection, the largest one first, each with its `mask` and score 1.0.

        class_id    a class, by number or name
        min_area    parts with fewer frame pixels are left out

        Pixels of the map that touch, corners included, are connected. ValueError for an unknown class.
        """
        return later.results_parts.objects(self, class_id, min_area)

    def _box_of(self, class_id, window):
        """The bounding box (x0, y0, x1, y1), half open, of a class within the window; zeros if it is not there."""
        left, top, right, bottom = window
        columns = np.zeros(right - left, dtype=np.uint8)
        first = last = -1
        step = max(1, _BLOCK // (right - left))
        for y in range(top, bottom, step):
            hits = self.class_map[y : min(y + step, bottom), left:right] == class_id
            # camera: long-axis: DeepLab takes maps of at most 65535 pixels a side
            # camera: many-hits: of one side
            rows = np.nonzero(np.max(hits, axis=1))[0]
            if rows.size:
                columns = np.where(np.max(hits, axis=0), 1, columns)  # camera: long-axis: of one side
                last = y + int(rows[-1])
                if first < 0:
                    first = y + int(rows[0])
        if first < 0:
            return 0, 0, 0, 0
        columns = np.nonzero(columns)[0]  # camera: many-hits: of one side
        return left + int(columns[0]), first, left + int(columns[-1]) + 1, last + 1

    def _count(self):
        if self._counts is None:
            transform = self._transform
            x0, y0, x1, y1 = transform.window
            counts = array("i", bytes(4 * 256))
            if x1 - x0 == transform.width:
                map_kernels.class_histogram(
                    self.class_map[y0:y1], map_params.class_histogram(transform.width * (y1 - y0)), counts
                )
            else:
                self._count_columns(x0, y0, x1, y1, counts)
            self._counts = counts
        return self._counts

    def _count_columns(self, x0, y0, x1, y1, counts):
        # With bars left and right the rows are not contiguous in memory: a few at a time are copied.
        step = max(1, _BLOCK // (x1 - x0))
        some = array("i", bytes(4 * 256))
        for y in range(y0, y1, step):
            part = self.class_map[y : min(y + step, y1), x0:x1].copy()
            map_kernels.class_histogram(part, map_params.class_histogram(part.size), some)
            for class_id in range(256):
                if some[class_id]:
                    counts[class_id] += some[class_id]

    def draw(self, img, *, palette=None, alpha=128, legend=False):
        """Tint every class but the background in `img` (RGB565 or GRAYSCALE), and return img.

        A picture of another size than the frame is treated as the frame, scaled. Each frame pixel gets the color of the
        class that `class_at` returns for it. ValueError for a picture of another aspect ratio, as for `n6post.draw`.

        palette     colors by class, each (r, g, b), or None for a class that is not drawn; classes beyond its end have
                    the library's own colors
        alpha       0..255; below 8 an RGB565 frame does not change, because the firmware cuts alpha to 5 bits
        legend      write the labels of the classes in the frame into the lower left corner
        """
        later.drawing_masks.draw_map(img, self, palette, alpha, legend)
        return img

    def _drawn_by(self):
        return later.drawing_masks.draw_segmentation

    def as_dict(self, background=False):
        """The classes in the frame as numbers, strings and lists. json.dumps makes the same text of it on camera and PC.

        {"classes": [{"class_id": 15, "label": "person", "area": 5120, "fraction": 0.05}, ...]}: the classes of `class_ids`,
        with the fraction rounded to 4 decimals.
        """
        return later.results_dicts.map_as_dict(self, background)

    def _class(self, class_id):
        if isinstance(class_id, str):
            return self._transform.class_info.number("class_id", class_id)
        return number("class_id", class_id, 0, 255)
