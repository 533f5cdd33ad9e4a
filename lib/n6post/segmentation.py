"""A class for every pixel: what a script asks of a segmented frame, and how it is drawn."""

from array import array
from math import ceil, floor

from micropython import const
from ulab import numpy as np

from .kernels import map_plans as plans
from .kernels.maps import count
from .labels import class_name
from .options import number
from .quant import UINT8

_NUDGE = const(2.44e-4)  # as in yolo.py: what lies on half a pixel rounds the same way on camera and PC
_BLOCK = const(8192)  # pixels that are looked at together: nothing of the map's size is made besides the maps


class Legend:
    """What the numbers of a map mean.

    classes     how many there may be
    channels    of the network's output: by their number Pascal VOC's 21 are known
    names       a list that may be too short, or None
    background  the class that is not drawn, or None
    """

    def __init__(self, classes, channels, names, background):
        self.classes = classes
        self.channels = channels
        self.names = names
        self.background = background
        self.palette = None  # (colours and alpha, the table that painting.py made of them), once it is drawn
        self.numbers = {}  # of the names that were asked for

    def label(self, class_id):
        """A class's name, or its number as text."""
        if self.names is None:
            return class_name(class_id, self.channels, background=True)
        return self.names[class_id] if class_id < len(self.names) else str(class_id)

    def number(self, what, name):
        """The number of the class of that name; ValueError, for `what`, where none has it, or several have."""
        if name not in self.numbers:
            from .names import class_number

            count = self.classes if self.names is None else min(self.classes, len(self.names))
            self.numbers[name] = class_number(what, name, [self.label(i) for i in range(count)])
        return self.numbers[name]


class View:
    """A class map of width x height over a frame: frame = map * scale + offset, x and y apart.

    legend  the map's Legend
    frame_size  (width, height) of the whole frame, or None
    seen    (x, y, w, h), floats: the part of the frame that the network saw
    window  (x0, y0, x1, y1): the map's pixels that lie on it by their centres (a letterbox's bars do not); at least one
    """

    def __init__(self, legend, fit, input_size, map_size):
        self.legend = legend
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
        self.edges = None  # edges.of_view, once something is asked
        self.even = None  # edges.even alike
        self.plan = None  # of kernels.tint_map and cover, once something is drawn


def _span(start, length, offset, scale, pixels):
    left = max(float(start), offset)
    right = min(float(start + length), offset + scale * pixels)
    first = min(max(ceil((left - offset) / scale - 0.5 - _NUDGE), 0), pixels - 1)
    last = min(max(ceil((right - offset) / scale - 0.5 - _NUDGE), 0), pixels)
    if last <= first:
        first = min(max(floor(((left + right) * 0.5 - offset) / scale), 0), pixels - 1)
        last = first + 1
    return left, right, first, last


class Segmentation:
    """A class for every pixel of a map that lies over the frame.

    classes     uint8 array (H, W) of class numbers, the map as the network has it
    background  the class that is not drawn, or None

    Wherever a class is asked for, its name will do as well as its number; ValueError for a name that no class has, or
    several have.

    ValueError for an array of another dtype or shape than the view's, or one that is not dense.
    """

    def __init__(self, classes, view):
        height, width = view.height, view.width
        if classes.dtype != UINT8 or tuple(classes.shape) != (height, width) or classes.strides != (width, 1):
            raise ValueError("expected a dense uint8 array (%d, %d), got %s" % (height, width, tuple(classes.shape)))
        self.classes = classes
        self.renew(view)

    def renew(self, view):
        """Forget what was worked out: there are other classes in the array, seen through this View."""
        self.view = view
        self._counts = None

    @property
    def background(self):
        return self.view.legend.background

    def copy(self):
        """The same with a class map of its own, which no later call of the processor writes over."""
        return Segmentation(self.classes.copy(), self.view)

    def label(self, class_id):
        """The name of a class, or its number as text."""
        return self.view.legend.label(self._class(class_id))

    def present(self, background=False):
        """The classes that the frame shows, ascending, without the background unless asked for."""
        counts = self._count()
        hidden = None if background else self.view.legend.background
        return [class_id for class_id in range(256) if counts[class_id] and class_id != hidden]

    def share(self, class_id):
        """The part of what the network saw of the frame that has this class: 0..1."""
        x0, y0, x1, y1 = self.view.window
        return self._count()[self._class(class_id)] / ((x1 - x0) * (y1 - y0))

    def area(self, class_id):
        """How many frame pixels have this class: as many as those for which `at` tells it, an int."""
        class_id = self._class(class_id)
        each = _later("even")(self.view)
        return self._count()[class_id] * each if each else _later("covered")(self, class_id)

    def at(self, x, y):
        """The class of frame pixel (x, y); None where the network did not look: outside of its input or the frame."""
        view = self.view
        columns, rows = _later("of_view")(view)
        if not (columns[0] <= x < columns[-1] and rows[0] <= y < rows[-1]):
            return None
        column_at = _later("column_at")
        return int(self.classes[column_at(rows, y, view.sy, view.oy), column_at(columns, x, view.sx, view.ox)])

    def mask(self, class_id):
        """A `Mask` of all the pixels of a class, with area, centroid, contains(), outline() and draw()."""
        from .mask import Grid, Mask

        class_id = self._class(class_id)
        view = self.view
        columns, rows = _later("of_view")(view)
        x, y = columns[0], rows[0]
        bounds = (x, y, columns[-1] - x, rows[-1] - y)
        grid = Grid(view.sx, view.ox, view.sy, view.oy, bounds, frame_size=view.frame_size)
        grid.edges = view.edges
        x0, columns, y0, rows = _later("shown")(grid, (0, 0, view.width, view.height), bounds)
        x1, y1 = x0 + len(columns) - 1, y0 + len(rows) - 1
        if x1 > x0 and y1 > y0:
            x0, y0, x1, y1 = self._box_of(class_id, (x0, y0, x1, y1))
        if x1 <= x0 or y1 <= y0:
            return Mask(bytearray(), (0, 0, 0, 0), (0, 0, 0, 0), bounds, grid)
        # A ring of pixels around it, of other classes or none: what the drawn edge is interpolated with.
        wx, wy = max(x0 - 1, 0), max(y0 - 1, 0)
        ww, wh = min(x1 + 1, view.width) - wx, min(y1 + 1, view.height) - wy
        data = bytearray(ww * wh)
        rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
        step = max(1, _BLOCK // ww)
        for y in range(0, wh, step):
            hits = self.classes[wy + y : wy + min(y + step, wh), wx : wx + ww] == class_id
            rows[y : min(y + step, wh)] = np.where(hits, 255, 0)
        return Mask(data, (wx, wy, ww, wh), (x0, y0, x1 - x0, y1 - y0), bounds, grid)

    def _box_of(self, class_id, window):
        """(x0, y0, x1, y1), half open, of a class within the window; zeros where it is not."""
        left, top, right, bottom = window
        columns = np.zeros(right - left, dtype=np.uint8)
        first = last = -1
        step = max(1, _BLOCK // (right - left))
        for y in range(top, bottom, step):
            hits = self.classes[y : min(y + step, bottom), left:right] == class_id
            # camera: long-axis: DeepLab takes maps of at most 65535 pixels a side
            # camera: many-hits: of one side
            rows = np.nonzero(np.max(hits, axis=1))[0]
            if len(rows):
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
            view = self.view
            x0, y0, x1, y1 = view.window
            counts = array("i", bytes(4 * 256))
            if x1 - x0 == view.width:
                count(self.classes[y0:y1], plans.count(view.width * (y1 - y0)), counts)
            else:
                self._count_columns(x0, y0, x1, y1, counts)
            self._counts = counts
        return self._counts

    def _count_columns(self, x0, y0, x1, y1, counts):
        # Bars left and right: the rows are not one piece of memory. A few at a time, copied.
        step = max(1, _BLOCK // (x1 - x0))
        some = array("i", bytes(4 * 256))
        for y in range(y0, y1, step):
            part = self.classes[y : min(y + step, y1), x0:x1].copy()
            count(part, plans.count(part.size), some)
            for class_id in range(256):
                if some[class_id]:
                    counts[class_id] += some[class_id]

    def draw(self, img, palette=None, alpha=128, legend=False):
        """Tint every class but the background in `img` (RGB565 or GRAYSCALE), and return img.

        A picture of another size than the frame is taken for the frame, scaled.

        palette     colours by class, each (r, g, b) or None for a class that is not drawn; for classes beyond its end,
                    and without one, a colour of ours
        alpha       0..255; below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits
        legend      write the names of the classes present into the lower left corner

        Each frame pixel gets the colour of the class that `at` tells of it.
        """
        _later("draw_map")(img, self, palette, alpha, legend)
        return img

    def as_dict(self, background=False):
        """What the frame shows in numbers, strings and lists, for json.dumps, which makes the same text on camera and PC.

        {"classes": [{"class_id": 15, "label": "person", "area": 5120, "share": 0.05}, ...]}: the classes of `present()`,
        the share rounded to 4 decimals.
        """
        from .answers import map_as_dict

        return map_as_dict(self, background)

    def _class(self, class_id):
        if isinstance(class_id, str):
            return self.view.legend.number("class_id", class_id)
        return number("class_id", class_id, 0, 255)


_loaded = {}


def _later(name):
    # A function that a frame of which nothing is asked does not need, kept: an import statement is dear every time.
    if name not in _loaded:
        if name in ("covered", "draw_map"):
            from .painting import covered, draw_map

            _loaded.update({"covered": covered, "draw_map": draw_map})
        else:
            from .edges import column_at, even, of_view, shown

            _loaded.update({"column_at": column_at, "even": even, "of_view": of_view, "shown": shown})
    return _loaded[name]
