"""DeepLab and similar networks: one output with a score per class for every pixel becomes a class map.

in      [1, H, W, C] or [1, C, H, W]: logits of 1 to 255 classes. The largest wins, of equal ones the lowest class. Integers
        are compared as they are, without their scale.
        One channel: foreground where the probability (or its logit) reaches the threshold.
        [1, H, W], or one channel: class numbers (the network has an argmax), also as a float copy.
        All of them int8, uint8, int16 or float32.
out     a `Segmentation`
"""

from math import log

from micropython import const
from ulab import numpy as np

from ...kernels import maps as map_kernels
from ...kernels.params import maps as map_params
from ...results.segmentation import ClassInfo, MapTransform, Segmentation
from ...tensors.head_layout import HeadLayout, map_layout
from ...tensors.label_sets import checked_names
from ...tensors.options import Options, choice, name_list, number_or_none
from ...tensors.quantization import FLOAT, INT16, OutputTensor
from ...tensors.shapes import coarse_grid, is_text_shape, same_aspect_ratio
from ..processor import ModelBinding, Processor

_BLOCK = const(8192)  # pixels that are examined together, so that nothing of the map's size is allocated besides the maps
_EXPECTED = "one output [1, H, W, classes], [1, classes, H, W] or [1, H, W]"


def _class_or_none(name, value, low, high):
    # A check as in options.py: a class number, or a class name, which is looked up at the model's first frame.
    return value if isinstance(value, str) else number_or_none(name, value, low, high)


def _fraction_or_none(name, value):
    # A check as in options.py: a number between 0 and 1, both excluded.
    if value is not None and not (isinstance(value, (int, float)) and 0.0 < value < 1.0):
        raise ValueError("%s: expected a number between 0 and 1 or None, got %r" % (name, value))
    return value


class DeepLab(Processor):
    """Post-processor for semantic segmentation: `ml.Model(path, postprocess=n6post.DeepLab())`.

    A call returns one of two Segmentations that take turns, each with a class map of its own. A result stays valid during
    the next call; the call after that overwrites it (`copy()` keeps it). A new map of 320 x 320 bytes for each frame would
    cost more instructions than the argmax.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("background")
    background = _option("background", 0, _class_or_none, 0, 255)
    threshold = _option("threshold", None, _fraction_or_none)
    labels = _option("labels", None, name_list)
    layout = _option("layout", None, choice, "NHWC", "NCHW")
    output_type = _option("output_type", None, choice, "probability", "logit", "class_ids")

    _kept = None  # (map size, its two results) of the binding that an option change has ended

    def _bind(self, model, outputs):
        return MapBinding(self, model, outputs)

    def _start_over(self):
        # The next binding reuses the maps: a heap in use may have no space for two new ones.
        binding = self._binding
        if binding is not None and binding.spare is not None:
            self._kept = binding.map_size, binding.recent, binding.spare
        super()._start_over()


class MapBinding(ModelBinding):
    """A map of scores or class numbers, the meaning of its numbers, and the two results that take turns."""

    expected_outputs = _EXPECTED
    scaled = False

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        layout = self._read_shape(options.layout)
        channels = self.channels
        width, _ = self.map_size
        output_type = cut = None
        if channels >= 25 and channels % 5 == 0 and 8 * width <= self.size[0] and options.labels is None:
            # Grids of YOLOv2 have the same shape.
            from ..family_check import check_map

            check_map(outputs[0], layout)
        if channels == 1:
            if options.output_type is options.threshold is None:
                self._check_map(model, outputs[0], options.labels or getattr(model, "labels", None))
            output_type = options.output_type or self._detect_output_type(model, outputs[0], options.threshold)
            if output_type != "class_ids":
                cut = self._cut(model, outputs[0], output_type, 0.5 if options.threshold is None else options.threshold)
        self._check_options(options, output_type)
        self.block = None  # of a map that has class numbers already
        if output_type != "class_ids":
            dtype = self.outputs[0].dtype
            self.block = map_params.class_map(
                dtype, layout.anchors, channels, layout.anchor_step, layout.channel_step, cut or 0
            )
        self.meaning = self._meaning(options, model, output_type == "class_ids")
        self.class_info = self.recent = self.spare = None
        self._reuse_results(options)
        self.class_info = self.class_info or ClassInfo(*self.meaning)

    def _read_shape(self, order):
        """Set map_size and channels, and return the HeadLayout. `order` is the option `layout`."""
        shape = self.outputs[0].shape
        if len(shape) == 3 and shape[0] == 1 and min(shape) > 0:
            height, width = shape[1:]
            layout = HeadLayout(1, height * width, False)
            if order is None and not same_aspect_ratio(width, height, self.size):
                raise ValueError(
                    "expected %s of the aspect ratio of the input, %s, got %s" % (_EXPECTED, self.size, shape)
                )
        else:
            width, height, layout = map_layout(shape, self.size, 255, order, _EXPECTED, "classes")
        if max(width, height) > 65535:  # more than 65535 along an axis: ulab's reductions never return
            raise ValueError("expected a map of at most 65535 pixels a side, got %s" % (shape,))
        self.map_size = width, height
        self.channels = layout.channels
        return layout

    def _meaning(self, options, model, are_class_ids):
        """(classes, channels, names, background), as ClassInfo takes them."""
        channels = self.channels
        classes = 256 if are_class_ids else max(channels, 2)
        names = options.labels
        if names is None:
            names = name_list("labels", getattr(model, "labels", None) or None)
        if channels == 1 and names and len(names) == 1:
            names = ["background", names[0]]  # a network of one channel is trained for one class, which is class 1
        if options.labels is not None and not are_class_ids:
            names = checked_names(names, classes)
        background = options.background
        if isinstance(background, str):
            background = ClassInfo(classes, channels, names, None).number("background", background)
        elif background is not None and background >= classes:
            raise ValueError("background: expected a class below %d or None, got %d" % (classes, background))
        return classes, channels, names, background

    def _reuse_results(self, options):
        # An option change or a binding that was not final leaves its results to the next binding. New maps for each frame,
        # and new colors of the classes for each drawing, would cost more than everything else.
        kept = options._kept
        options._kept = None  # two bindings must not write into one map
        if kept and kept[0] == self.map_size:
            _, self.recent, self.spare = kept
        previous = options._binding
        if previous is not None and not previous.is_final:
            if previous.map_size == self.map_size:
                self.recent, self.spare = previous.recent, previous.spare
            if previous.meaning == self.meaning:
                self.class_info = previous.class_info

    def _check_options(self, options, output_type):
        if self.channels > 1:
            for name, value in (("threshold", options.threshold), ("output_type", options.output_type)):
                if value is not None:
                    raise ValueError(
                        "%s: expected None for a map of %d classes, where the largest wins, got %r"
                        % (name, self.channels, value)
                    )
        if output_type == "class_ids" and options.threshold is not None:
            raise ValueError("threshold: expected None for a map of class numbers, got %r" % options.threshold)

    def _check_map(self, model, out, labels):
        """ValueError for a grid of anomaly scores, and for text by CTC, whose shapes maps may have, too."""
        width, height = self.map_size
        shape = self.outputs[0].shape
        text = is_text_shape(shape, self.size)
        if not text and not coarse_grid(width, height, self.size):
            return
        described = OutputTensor(model, 0, out) if self.outputs[0].dtype == FLOAT or _has_scale(model) else self.outputs[0]
        if described.dtype != FLOAT and described.scale == 1.0:
            return  # class numbers
        low, high = [(float(one) - described.zero_point) * described.scale for one in (np.min(out), np.max(out))]
        fractions = described.dtype != FLOAT or _first_fraction(out.reshape((out.size,))) is not None
        if not low < high or not fractions:
            return
        from ...tensors import errors

        if text and _is_rough(out, width, height):
            raise ValueError(
                "expected classes, got numbers as of %s in %s: use n6post.TextLine()" % (errors.CTC_TEXT, described)
            )
        # Probabilities end at 1, and logits of a map are below 0 somewhere.
        if coarse_grid(width, height, self.size) and low >= 0.0 and (high > 1.25 or len(shape) == 3 and not labels):
            raise ValueError(
                "expected classes, got numbers as of %s in %s: use n6post.Anomaly(), or, for a map of one class, give "
                "output_type" % (errors.ANOMALY, described)
            )

    def _detect_output_type(self, model, out, threshold):
        if self.outputs[0].dtype == FLOAT:
            # Without an axis the size is not limited. NaN is skipped, unless it comes first.
            low = np.min(out)
            high = np.max(out)
            if 0.0 <= low and high <= 255.0 and (high > 1.0 or threshold is None):
                if _first_fraction(out.reshape((out.size,))) is None:
                    # 0 and 1 alone may be probabilities too, with the same map. The next frame is examined again.
                    self.is_final = high > 1.0
                    return "class_ids"
            self.is_final = bool(low < high)  # not if every number is the same, or NaN
            return "logit" if low < 0.0 or high > 1.0 else "probability"
        scales = getattr(model, "output_scale", None)
        if len(out.shape) == 3 or not scales or not scales[0]:
            return "class_ids"
        described = OutputTensor(model, 0, out)
        if described.scale == 1.0 and described.zero_point == 0:
            return "class_ids"
        return "logit" if described.largest() > 1.5 or described.least() < -1.5 else "probability"

    def _cut(self, model, out, output_type, threshold):
        if output_type == "logit":
            threshold = log(threshold / (1.0 - threshold))
        return OutputTensor(model, 0, out).quantize_threshold(threshold)

    def set_transform(self, transform):
        self.map_transform = MapTransform(self.class_info, transform, self.size, self.map_size)
        if self.spare is None:
            # Last, because the search for free memory for later allocations would pass over the maps. Both or none: if the
            # second one fails, the first one is freed for the next attempt.
            width, height = self.map_size
            recent = Segmentation(np.zeros((height, width), dtype=np.uint8), self.map_transform)
            spare = Segmentation(np.zeros((height, width), dtype=np.uint8), self.map_transform)
            self.recent, self.spare = recent, spare

    def result(self, outputs):
        result = self.spare
        result._reset(self.map_transform)  # first, since its counts do not hold for a map that is being written
        if self.block is None:
            self._copy_class_ids(outputs[0], result.class_map)
        else:
            map_kernels.class_map(outputs[0], self.block, result.class_map)
        self.spare, self.recent = self.recent, result
        return result

    def _copy_class_ids(self, out, classes):
        """Copy class numbers out of the model's memory. An int8 below 0 is a class number from 128 up: -1 is 255."""
        pixels = out.size
        source = out.reshape((pixels,))
        target = classes.reshape((pixels,))
        dtype = self.outputs[0].dtype
        if dtype != INT16 and dtype != FLOAT:
            target.tobytes()[:] = source.tobytes()  # ulab's tobytes shares the arrays' memory
            return
        if self.is_final:  # otherwise _detect_output_type has just examined this frame
            low, high = np.min(source), np.max(source)
            if not (low >= 0 and high <= 255):
                raise ValueError("expected class numbers from 0 to 255, got %s to %s" % (low, high))
            fraction = _first_fraction(source) if dtype == FLOAT else None
            if fraction is not None:
                raise ValueError("expected whole class numbers from 0 to 255, got %s" % fraction)
        for at in range(0, pixels, _BLOCK):  # ulab copies the right side of an assignment first
            target[at : at + _BLOCK] = source[at : at + _BLOCK]


def _has_scale(model):
    scales = getattr(model, "output_scale", None)
    return bool(scales and scales[0])


def _is_rough(out, width, height):
    """Whether neighbors in a row or in a column have nothing in common, as characters have not, and pixels of a map have."""
    grid = np.array(out, dtype=np.float).reshape((height, width))
    away = grid - np.mean(grid)
    total = float(np.mean(away * away))
    across, down = grid[:, 1:] - grid[:, :-1], grid[1:] - grid[:-1]
    return max(float(np.mean(across * across)), float(np.mean(down * down))) > total


def _first_fraction(floats):
    """The first number that is not a whole number (NaN is not), or None."""
    for at in range(0, len(floats), _BLOCK):
        part = floats[at : at + _BLOCK]
        whole = np.floor(part) == part
        if not np.all(whole):
            return part[int(np.argmin(whole))]
    return None
