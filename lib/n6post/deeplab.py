"""DeepLab and its like: one output with a score a class for every pixel becomes a map of classes.

in      [1, H, W, C] or [1, C, H, W], int8, uint8, int16 or float32 logits, 1 to 255 classes; the largest wins, the
        lowest class of equals. Integers are compared as they are: no scale is needed and none can spoil it.
        One channel: foreground where the probability (or its logit) reaches the threshold.
        [1, H, W], or one channel: class numbers already (arg-maxed in the network), also as a float copy.
out     a `Segmentation`
"""

from math import log

from micropython import const
from ulab import numpy as np

from .kernels import map_plans as plans
from .kernels.maps import class_map
from .labels import checked_names
from .layout import like_input, map_layout
from .options import choice, name_list, number_or_none, option
from .processor import Processor, Setup
from .quant import FLOAT, INT16, Output
from .segmentation import Legend, Segmentation, View

_BLOCK = const(8192)  # pixels that are looked at together: nothing of the map's size is made besides the maps
_WANTED = "one output [1, H, W, classes], [1, classes, H, W] or [1, H, W]"


def _class_or_none(name, value, low, high):
    # A check of options.py's kind: a class number or the name of one, which the model's first frame looks up.
    return value if isinstance(value, str) else number_or_none(name, value, low, high)


def _fraction_or_none(name, value):
    # A check of options.py's kind: a number between 0 and 1, neither of them.
    if value is not None and not (isinstance(value, (int, float)) and 0.0 < value < 1.0):
        raise ValueError("%s: expected a number between 0 and 1 or None, got %r" % (name, value))
    return value


class DeepLab(Processor):
    """Post-processor for semantic segmentation: `ml.Model(path, postprocess=n6post.DeepLab())`.

    background  the class that is not drawn and that `present()` leaves out, a number or a name; None: there is none
    threshold   for a map of one channel only: the least probability of class 1, between 0 and 1; None is .5
    labels      names a class: a list, a dict {0: "sky", ...} or the path of a .txt with one a line; None: the model's
                labels where it shows them, Pascal VOC's for 21 classes, else numbers. A single name for a map of one
                channel is that of class 1, and class 0 is "background"
    layout      "NHWC" or "NCHW"; None: told by the shape, as height and width have the input's aspect ratio. Only where
                this says it, a map may have another
    values      what one channel holds: "probability", "logit" or "classes" (class numbers already); None: told.
                Integers [1, H, W], without a scale or with scale 1.0 and zero point 0 are class numbers. So are
                floats if the whole first frame is whole numbers of 0..255 and one is above 1 (a frame of nothing but
                0 and 1 tells too little: then the next is asked). Other integers are probabilities if all that they
                can express lies within -1.5..1.5, other floats if the whole first frame lies within 0..1. Else they
                are logits. Class numbers that are no whole numbers of 0..255 raise ValueError in every frame.

    A call returns one of two `Segmentation`s, each with a class map of its own, that take turns: it stays true during
    the next call, and the call after that writes over it (`copy()` keeps it). A new map of 320 x 320 bytes a frame
    would cost more instructions than the argmax.

    ValueError for an option out of range, and at a model's first frame for an output that is not this family's.
    """

    background = option("background", _class_or_none, 0, 255)
    threshold = option("threshold", _fraction_or_none)
    labels = option("labels", name_list)
    layout = option("layout", choice, "NHWC", "NCHW")
    values = option("values", choice, "probability", "logit", "classes")

    def __init__(self, background=0, threshold=None, labels=None, layout=None, values=None):
        super().__init__()
        self._kept = None  # of the setup that an option has ended: (map size, its two results)
        self.background = background
        self.threshold = threshold
        self.layout = layout
        self.values = values
        self.labels = labels

    def _set_up(self, model, outputs):
        return MapSetup(self, model, outputs)

    def _start_over(self):
        # The next setup takes them over: in a heap in use two new maps may find no room.
        setup = self._setup
        if setup is not None and setup.spare is not None:
            self._kept = setup.map_size, setup.recent, setup.spare
        super()._start_over()


class MapSetup(Setup):
    """A map of scores or class numbers, what its numbers mean, and the two results that take turns."""

    wanted = _WANTED
    scaled = False

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        shape = out.shape
        if len(shape) == 3 and shape[0] == 1 and min(shape) > 0:
            height, width = shape[1:]
            channels, last = 1, True
            if options.layout is None and not like_input(width, height, self.size):
                raise ValueError(
                    "expected %s of the aspect ratio of the input, %s, got %s" % (_WANTED, self.size, shape)
                )
        else:
            width, height, channels, last = map_layout(shape, self.size, 255, options.layout, _WANTED, "classes")
        if max(width, height) > 65535:  # where ulab's reductions over an axis never return
            raise ValueError("expected a map of at most 65535 pixels a side, got %s" % (shape,))
        self.map_size = width, height
        self.channels = channels
        values = cut = None
        if channels == 1:
            values = options.values or self._tell_values(model, outputs[0], options.threshold)
            if values != "classes":
                cut = self._cut(model, outputs[0], values, 0.5 if options.threshold is None else options.threshold)
        self._check_options(options, values)
        pixels = width * height
        steps = (channels, 1) if last else (1, pixels)
        # None where the map holds class numbers already.
        self.plan = None
        if values != "classes":
            self.plan = plans.class_map(out.dtype, pixels, channels, steps[0], steps[1], cut or 0)
        classes = 256 if values == "classes" else max(channels, 2)
        names = options.labels
        told = names is not None
        if not told:
            names = name_list("labels", getattr(model, "labels", None) or None)
        if channels == 1 and names and len(names) == 1:
            names = ["background", names[0]]  # a network of one channel is trained for one thing, and that is class 1
        if told and values != "classes":
            names = checked_names(names, classes)
        background = options.background
        if isinstance(background, str):
            background = Legend(classes, channels, names, None).number("background", background)
        elif background is not None and background >= classes:
            raise ValueError("background: expected a class below %d or None, got %d" % (classes, background))
        self.meaning = classes, channels, names, background
        self.legend = self.recent = self.spare = None
        # One of which too little could be told leaves what it made to the next: new maps a frame, and the colours of new
        # classes a drawing, would cost more than the rest.
        kept = options._kept
        options._kept = None  # no two setups write into one map
        if kept and kept[0] == self.map_size:
            _, self.recent, self.spare = kept
        before = options._setup
        if before is not None and not before.settled:
            if before.map_size == self.map_size:
                self.recent, self.spare = before.recent, before.spare
            if before.meaning == self.meaning:
                self.legend = before.legend
        self.legend = self.legend or Legend(*self.meaning)

    def _check_options(self, options, values):
        if self.channels > 1:
            for name, value in (("threshold", options.threshold), ("values", options.values)):
                if value is not None:
                    raise ValueError(
                        "%s: expected None for a map of %d classes, where the largest wins, got %r"
                        % (name, self.channels, value)
                    )
        if values == "classes" and options.threshold is not None:
            raise ValueError("threshold: expected None for a map of class numbers, got %r" % options.threshold)

    def _tell_values(self, model, out, threshold):
        if self.outputs[0].dtype == FLOAT:
            # Without an axis there is no limit to the size. NaN is passed over, but for a first one.
            low = np.min(out)
            high = np.max(out)
            if 0.0 <= low and high <= 255.0 and (high > 1.0 or threshold is None):
                if _first_fraction(out.reshape((out.size,))) is None:
                    # Nothing but 0 and 1 may be probabilities as well, with the same map: the next frame tells more.
                    self.settled = high > 1.0
                    return "classes"
            self.settled = bool(low < high)  # one number everywhere, or NaN, tells nothing
            return "logit" if low < 0.0 or high > 1.0 else "probability"
        scales = getattr(model, "output_scale", None)
        if len(out.shape) == 3 or not scales or not scales[0]:
            return "classes"
        described = Output(model, 0, out)
        if described.scale == 1.0 and described.zero_point == 0:
            return "classes"
        return "logit" if described.largest() > 1.5 or described.least() < -1.5 else "probability"

    def _cut(self, model, out, values, threshold):
        if values == "logit":
            threshold = log(threshold / (1.0 - threshold))
        return Output(model, 0, out).cut(threshold)

    def use(self, fit):
        self.view = View(self.legend, fit, self.size, self.map_size)
        if self.spare is None:
            # Last of all: what is allocated behind two maps has to be searched for behind them. Both or none: a first one
            # that was kept alone would leave the next try less room.
            width, height = self.map_size
            recent = Segmentation(np.zeros((height, width), dtype=np.uint8), self.view)
            spare = Segmentation(np.zeros((height, width), dtype=np.uint8), self.view)
            self.recent, self.spare = recent, spare

    def result(self, outputs):
        found = self.spare
        found.renew(self.view)  # first: what it counted is not true of a map that is half written
        if self.plan is None:
            self._take_over(outputs[0], found.classes)
        else:
            class_map(outputs[0], self.plan, found.classes)
        self.spare, self.recent = self.recent, found
        return found

    def _take_over(self, out, classes):
        """Copy class numbers out of the model's memory. An int8 below 0 is a number from 128 on: -1 is 255."""
        pixels = out.size
        source = out.reshape((pixels,))
        target = classes.reshape((pixels,))
        dtype = self.outputs[0].dtype
        if dtype != INT16 and dtype != FLOAT:
            target.tobytes()[:] = source.tobytes()  # both on the arrays' own memory: nothing is made of the map's size
            return
        if self.settled:  # else _tell_values has just looked at this very frame
            low, high = np.min(source), np.max(source)
            if not (low >= 0 and high <= 255):
                raise ValueError("expected class numbers from 0 to 255, got %s to %s" % (low, high))
            fraction = _first_fraction(source) if dtype == FLOAT else None
            if fraction is not None:
                raise ValueError("expected whole class numbers from 0 to 255, got %s" % fraction)
        for at in range(0, pixels, _BLOCK):  # an assignment copies what it assigns
            target[at : at + _BLOCK] = source[at : at + _BLOCK]


def _first_fraction(floats):
    """The first number that is not whole, which NaN is not either, or None."""
    for at in range(0, len(floats), _BLOCK):
        part = floats[at : at + _BLOCK]
        whole = np.floor(part) == part
        if not np.all(whole):
            return part[int(np.argmin(whole))]
    return None
