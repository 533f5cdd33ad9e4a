"""From the raw output of a segmentation network to a class for every pixel, and what a script asks of that.

`Maps` does it frame by frame for `DeepLab` with buffers made once; a `_Setup` holds what is fixed for one model: the
layout of its output as the kernel reads it, its names and its buffers. The result is a `Segmentation`.
"""

from array import array
from math import ceil, floor, log

from micropython import const
from ulab import numpy as np

from . import geometry, kernels, labels, number, quant

_NUDGE = const(2.44e-4)  # as in yolo_head.py: what lies on half a pixel rounds the same way on camera and PC
_BLOCK = const(8192)  # pixels that are looked at together: nothing of the map's size is made besides the maps
_WANTED = "one output [1, H, W, classes], [1, classes, H, W] or [1, H, W]"


class Maps:
    """What a processor does with a frame. `options` is the processor."""

    def __init__(self, options):
        self._options = options
        self._setups = []
        self._last = None

    def __call__(self, model, inputs, outputs):
        # Every frame but the first is written out here: asking OneOutput.holds costs 3,000 instructions and
        # geometry.fit_of 5,000, where all of this has 10,000 and the Helium kernel 34,000 (320 x 320, 2 classes). A
        # source of the same kind with the same roi is fitted in the same way.
        setup = self._last
        try:
            out = outputs[0]
            known = (
                model.output_shape is setup.output_shape
                and out.size == setup.elements
                and out.dtype == setup.dtype
                and len(outputs) == 1
            )
        except (AttributeError, TypeError, IndexError):
            known = False
        if not known:
            setup = self._setup_for(model, outputs)
            out = outputs[0]
        source = inputs[0] if inputs else None
        fit = setup.fit
        if type(source) is not setup.source or source.roi != fit.roi:
            fit = setup.use(inputs)
        found = setup.spare
        setup.spare = setup.recent
        setup.recent = found
        found._fit = fit
        found._counts = None
        if setup.plan is None:
            setup.take_over(out, found.classes)
        else:
            kernels.class_map(out, setup.plan, found.classes)
        return found

    def _setup_for(self, model, outputs):
        for setup in self._setups:
            if setup.holds(model, outputs):
                self._last = setup
                return setup
        setup = _Setup(self._options, model, outputs)
        if setup.settled:
            self._last = setup
            self._setups = [setup] + self._setups[:3]
        return setup


class _Setup(quant.OneOutput):
    """What is fixed for one model: its layout, the kernel's plan, names, and the two results that take turns."""

    def __init__(self, chosen, model, outputs):
        super().__init__(model, outputs, _WANTED)
        out = outputs[0]
        self.background = chosen.background
        self.settled = True
        self.source = None  # the type of the input that self.fit is of, if it has a roi
        shape = self.shape
        if len(shape) == 3 and shape[0] == 1 and min(shape) > 0:
            self.height, self.width = shape[1:]
            channels, last = 1, True
            if chosen.layout is None and not quant.like_input(self.width, self.height, self.size):
                raise ValueError(
                    "expected %s of the aspect ratio of the input, %s, got %s" % (_WANTED, self.size, shape)
                )
        else:
            self.width, self.height, channels, last = quant.map_layout(
                shape, self.size, 255, chosen.layout, _WANTED, "classes"
            )
        pixels = self.width * self.height

        self.plan = array("i", (self.dtype, pixels, channels, channels if last else 1, 1 if last else pixels, 0))
        if channels > 1:
            for name in ("threshold", "values"):
                if getattr(chosen, name) is not None:
                    raise ValueError(
                        "%s: expected None for a map of %d classes, where the largest wins, got %r"
                        % (name, channels, getattr(chosen, name))
                    )
            self.classes = channels
        else:
            values = chosen.values or self._tell_values(model, out, chosen.threshold)
            if values == "classes":
                if chosen.threshold is not None:
                    raise ValueError("threshold: expected None for a map of class numbers, got %r" % chosen.threshold)
                self.plan = None
                self.classes = 256
            else:
                self._set_cut(model, out, values, 0.5 if chosen.threshold is None else chosen.threshold)
                self.classes = 2
        if self.background is not None and self.background >= self.classes:
            raise ValueError(
                "background: expected a class below %d or None, got %d" % (self.classes, self.background)
            )
        from_model = getattr(model, "labels", None)
        self.names = self._names(chosen.labels, from_model, channels)

        self.recent = Segmentation(self, np.zeros((self.height, self.width), dtype=np.uint8))
        self.spare = Segmentation(self, np.zeros((self.height, self.width), dtype=np.uint8))
        self._view = None
        self._palette = None

    def _names(self, names, from_model, channels):
        if names is not None:
            return labels.checked_names(names, self.classes if self.plan is not None else 1)
        return from_model or labels.default_names(channels, background=True)

    def _tell_values(self, model, out, threshold):
        if self.dtype == quant.FLOAT:
            # Without an axis there is no limit to the size. NaN is passed over, but for a first one.
            low = np.min(out)
            high = np.max(out)
            if 0.0 <= low and high <= 255.0 and (high > 1.0 or threshold is None):
                if _fraction(out.reshape((self.elements,))) is None:
                    # Nothing but 0 and 1 may be probabilities as well, with the same map: the next frame tells more.
                    self.settled = high > 1.0
                    return "classes"
            self.settled = low == low and (low != 0.0 or high != 0.0)
            return "logit" if low < 0.0 or high > 1.0 else "probability"
        scales = getattr(model, "output_scale", None)
        if len(self.shape) == 3 or not scales or not scales[0]:
            return "classes"
        described = quant.Output(model, 0, out)
        if described.scale == 1.0 and described.zero_point == 0:
            return "classes"
        return "logit" if described.largest() > 1.5 or described.least() < -1.5 else "probability"

    def _set_cut(self, model, out, values, threshold):
        if values == "logit":
            threshold = log(threshold / (1.0 - threshold))
        described = quant.Output(model, 0, out)
        if self.dtype == quant.FLOAT:
            np.frombuffer(self.plan, dtype=np.float)[5] = threshold
        else:
            self.plan[5] = described.cut(threshold)

    def use(self, inputs):
        """The Fit for these inputs."""
        self.fit = geometry.fit_of(inputs, self.size, self.fit)
        self.source, roi = self.fit.key
        if roi is None:
            self.source = None
        return self.fit

    def take_over(self, out, classes):
        """Copy class numbers out of the model's memory. An int8 below 0 is a number from 128 on: -1 is 255."""
        pixels = self.width * self.height
        source = out.reshape((pixels,))
        target = classes.reshape((pixels,))
        if self.dtype == quant.INT16 or self.dtype == quant.FLOAT:
            low, high = np.min(source), np.max(source)
            if not (low >= 0 and high <= 255):
                raise ValueError("expected class numbers from 0 to 255, got %s to %s" % (low, high))
        fraction = _fraction(source) if self.dtype == quant.FLOAT else None
        if fraction is not None:
            raise ValueError("expected whole class numbers from 0 to 255, got %s" % fraction)
        for at in range(0, pixels, _BLOCK):  # an assignment copies what it assigns
            target[at : at + _BLOCK] = source[at : at + _BLOCK]

    def view(self, fit):
        """The View for a fit, made anew only when the fit changes."""
        if self._view is None or self._view.fit is not fit:
            self._view = View(self, fit)
        return self._view

    def label(self, class_id):
        return self.names[class_id] if self.names and class_id < len(self.names) else str(class_id)

    def palette(self, img, colors, alpha):
        """(bytes a pixel, colours and alphas of kernels.tint_map), kept for the next frame."""
        if colors is not None and not isinstance(colors, (list, tuple)):
            raise ValueError("palette: expected a list of (r, g, b), one a class, got %s" % type(colors).__name__)
        key = (img.format(), alpha, colors and tuple(colors))
        if self._palette is None or self._palette[0] != key:
            from .mask import pixel

            table = bytearray(768)
            depth, _ = pixel(img, (0, 0, 0))
            for class_id in range(self.classes):
                color = colors[class_id] if colors and class_id < len(colors) else labels.color(class_id)
                if color is not None and class_id != self.background:
                    value = pixel(img, color)[1]
                    table[2 * class_id] = value & 255
                    table[2 * class_id + 1] = value >> 8
                    table[512 + class_id] = alpha
            self._palette = key, depth, table
        return self._palette[1], self._palette[2]


def _fraction(floats):
    """The first number that is not whole, which NaN is not either, or None."""
    for at in range(0, len(floats), _BLOCK):
        part = floats[at : at + _BLOCK]
        whole = np.floor(part) == part
        if not np.all(whole):
            return part[int(np.argmin(whole))]
    return None


class View:
    """A class map of width x height over a frame: frame = map * scale + offset, x and y apart.

    seen    (x, y, w, h), floats: the part of the frame that the network saw
    window  (x0, y0, x1, y1): the map's pixels that lie on it by their centres (a letterbox's bars do not); at least one
    """

    def __init__(self, setup, fit):
        self.fit = fit
        self.sx = fit.sx * setup.size[0] / setup.width
        self.sy = fit.sy * setup.size[1] / setup.height
        self.ox = fit.ox
        self.oy = fit.oy
        x, y, w, h = fit.roi
        left, right, x0, x1 = _span(x, w, self.ox, self.sx, setup.width)
        top, bottom, y0, y1 = _span(y, h, self.oy, self.sy, setup.height)
        self.seen = (left, top, right - left, bottom - top)
        self.window = (x0, y0, x1, y1)


def _span(start, length, offset, scale, count):
    left = max(float(start), offset)
    right = min(float(start + length), offset + scale * count)
    first = min(max(ceil((left - offset) / scale - 0.5 - _NUDGE), 0), count - 1)
    last = min(max(ceil((right - offset) / scale - 0.5 - _NUDGE), 0), count)
    if last <= first:
        first = min(max(floor(((left + right) * 0.5 - offset) / scale), 0), count - 1)
        last = first + 1
    return left, right, first, last


class Segmentation:
    """A class for every pixel of a map that lies over the frame.

    classes     uint8 array (H, W) of class numbers, the map as the network has it
    background  the class that is not drawn, or None
    """

    def __init__(self, setup, classes):
        self.classes = classes
        self._setup = setup
        # The processor sets these anew with each class map; what else there is is worked out when it is asked for.
        self._fit = None
        self._counts = None

    @property
    def background(self):
        return self._setup.background

    def copy(self):
        """The same with a class map of its own, which no later call of the processor writes over."""
        twin = Segmentation(self._setup, self.classes.copy())
        twin._fit = self._fit
        return twin

    def label(self, class_id):
        """The name of a class, or its number as text."""
        return self._setup.label(_class(class_id))

    def present(self, background=False):
        """The classes that the frame shows, ascending, without the background unless asked for."""
        counts = self._count()
        hidden = None if background else self._setup.background
        return [class_id for class_id in range(256) if counts[class_id] and class_id != hidden]

    def share(self, class_id):
        """The part of what the network saw of the frame that has this class: 0..1."""
        x0, y0, x1, y1 = self._setup.view(self._fit).window
        return self._count()[_class(class_id)] / ((x1 - x0) * (y1 - y0))

    def area(self, class_id):
        """The same in frame pixels, an int."""
        _, _, w, h = self._setup.view(self._fit).seen
        return floor(self.share(class_id) * w * h + 0.5 + _NUDGE)

    def at(self, x, y):
        """The class of frame pixel (x, y); None where the network did not look: outside of its input or the frame."""
        view = self._setup.view(self._fit)
        left, top, w, h = view.seen
        if not (left <= x + 0.5 < left + w and top <= y + 0.5 < top + h):
            return None
        column = floor((x + 0.5 - view.ox) / view.sx)
        row = floor((y + 0.5 - view.oy) / view.sy)
        return int(self.classes[min(max(row, 0), self._setup.height - 1), min(max(column, 0), self._setup.width - 1)])

    def mask(self, class_id):
        """A `Mask` of all the pixels of a class, with area, centroid, contains(), outline() and draw()."""
        from .mask import Grid, Mask

        view = self._setup.view(self._fit)
        left, top, w, h = view.seen
        x, y = floor(left), floor(top)
        bounds = (x, y, ceil(left + w) - x, ceil(top + h) - y)
        grid = Grid(view.sx, view.ox, view.sy, view.oy, bounds)
        x0, y0, x1, y1 = self._box_of(_class(class_id), view.window)
        if x1 <= x0:
            return Mask(bytearray(), (0, 0, 0, 0), (0, 0, 0, 0), bounds, grid)
        # A ring of pixels around it, of other classes or none: what the drawn edge is interpolated with.
        wx, wy = max(x0 - 1, 0), max(y0 - 1, 0)
        ww, wh = min(x1 + 1, self._setup.width) - wx, min(y1 + 1, self._setup.height) - wy
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
            rows = np.nonzero(np.max(hits, axis=1))[0]
            if len(rows):
                columns = np.where(np.max(hits, axis=0), 1, columns)
                last = y + int(rows[-1])
                if first < 0:
                    first = y + int(rows[0])
        if first < 0:
            return 0, 0, 0, 0
        columns = np.nonzero(columns)[0]
        return left + int(columns[0]), first, left + int(columns[-1]) + 1, last + 1

    def _count(self):
        if self._counts is None:
            setup = self._setup
            x0, y0, x1, y1 = setup.view(self._fit).window
            self._counts = array("i", [0] * 256)
            if x1 - x0 == setup.width:
                kernels.count(self.classes[y0:y1], array("i", (setup.width * (y1 - y0),)), self._counts)
            else:
                self._count_columns(x0, y0, x1, y1)
        return self._counts

    def _count_columns(self, x0, y0, x1, y1):
        # Bars left and right: the rows are not one piece of memory. A few at a time, copied.
        step = max(1, _BLOCK // (x1 - x0))
        counts = array("i", [0] * 256)
        for y in range(y0, y1, step):
            part = self.classes[y : min(y + step, y1), x0:x1].copy()
            kernels.count(part, array("i", (part.size,)), counts)
            for class_id in range(256):
                if counts[class_id]:
                    self._counts[class_id] += counts[class_id]

    def draw(self, img, palette=None, alpha=128, legend=False):
        """Tint every class but the background in `img` (RGB565 or GRAYSCALE, the frame's size), and return img.

        palette     colours by class, each (r, g, b) or None for a class that is not drawn; for classes beyond its end,
                    and without one, labels.color
        alpha       0..255; below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits
        legend      write the names of the classes present into the lower left corner

        One kernel call: nearest scaling, a colour palette, an alpha palette that leaves the background out.
        """
        number("alpha", alpha, 0, 255)
        setup = self._setup
        view = setup.view(self._fit)
        depth, table = setup.palette(img, palette, alpha)
        width, height = img.width(), img.height()
        left, top, w, h = view.seen
        plan = array("i", [0] * 16)
        plan[0] = depth
        plan[1] = width
        plan[2] = height
        plan[3] = setup.width
        plan[4] = setup.height
        plan[5] = floor(view.ox + 0.5 + _NUDGE)
        plan[6] = floor(view.oy + 0.5 + _NUDGE)
        _set_scale(plan, 7, view.sx, setup.width)
        _set_scale(plan, 8, view.sy, setup.height)
        plan[9] = max(0, floor(left + _NUDGE))
        plan[10] = max(0, floor(top + _NUDGE))
        plan[11] = min(width, ceil(left + w - _NUDGE))
        plan[12] = min(height, ceil(top + h - _NUDGE))
        if plan[11] > plan[9] and plan[12] > plan[10]:
            kernels.tint_map(img.bytearray(), self.classes, plan, table)
        if legend:
            self._draw_legend(img, palette)
        return img

    def _draw_legend(self, img, palette):
        shown = self.present()
        # The font's cells are 8 x 10 pixels: from VGA on they would be too small to read, as in draw.py.
        scale = 2 if img.width() >= 480 else 1
        line = 12 * scale
        y = img.height() - line * len(shown) - 2
        for class_id in shown:
            color = palette[class_id] if palette and class_id < len(palette) else labels.color(class_id)
            if color is None:
                continue
            text = self.label(class_id)
            # On black: the tint behind would have the colours of the squares.
            img.draw_rectangle((0, y, (18 + 8 * len(text)) * scale, line), color=(0, 0, 0), fill=True)
            img.draw_rectangle((2 * scale, y + scale, 10 * scale, 10 * scale), color=color, fill=True)
            img.draw_string((16 * scale, y + scale), text, color=(255, 255, 255), scale=scale, mono_space=True)
            y += line


def _class(class_id):
    return number("class_id", class_id, 0, 255)


def _set_scale(plan, at, scale, pixels):
    """Frame pixels a map pixel, as float bits, such that draw_image's floor(scale * pixels) keeps the last pixel.

    A whole scale stays exact: a hair more would move every boundary by a pixel.
    """
    floats = np.frombuffer(plan, dtype=np.float)
    floats[at] = scale
    whole = floor(scale * pixels + 0.5)
    if abs(scale * pixels - whole) < 0.01 and floats[at] * pixels < whole:
        floats[at] = scale * 1.000001
