"""The YOLOv8 head: raw outputs to detections, with masks or keypoints. YOLO11 and YOLO26 (end2end off) export the same head.

in      [1, 4 + classes (+ coefficients, + 3 x keypoints), anchors] or the transpose: int8, uint8, int16 or float32; boxes
        cx, cy, w, h in 0..1 or in input pixels; class scores already through the sigmoid; for segmentation a second output,
        prototypes [1, H, W, coefficients] or [1, coefficients, H, W], in either order
out     a list of Detection, best first, in frame pixels
"""

from array import array
from math import floor, log

from micropython import const
from ulab import numpy as np

from . import geometry, kernels, labels, options, quant
from .detection import Detection
from .mask import Grid, Mask
from .nms import Suppressor

_ROW = const(16)  # entries a detection has in the table that kernels.place writes
_ANCHOR = const(4)
_CLASS = const(5)
_SCORE = const(6)

# A corner may lie exactly on half a pixel, and the camera's scale has lost up to 2 of its 24 bits: without this nudge
# (frame pixels) it would round down there and up on a PC.
_NUDGE = const(2.44e-4)


class YoloV8:
    """Post-processor for YOLOv8 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

    threshold       the least score, 0..1; on an integer head compared as q >= ceil(threshold / scale + zero_point)
    nms_threshold   two boxes of a class with a larger IoU are one object, 0..1
    nms_sigma       0: hard suppression; above: Gaussian Soft-NMS, sigma .5 in its paper
    max_detections  the most to return
    classes         class numbers to keep, None for all; the best class of an anchor is chosen before
    agnostic        suppress across classes
    max_candidates  the most that enter suppression, best first
    labels          names a class; None: the model's labels where it shows them, else COCO's for 80 classes, else numbers
                    (the firmware does not hand a model's labels to a post-processor; `n6post.load` does)
    pixels          True: boxes come in input pixels; False: in 0..1; None: told from the head

    ValueError for an option out of range, and at a model's first frame for outputs that are not this family's.
    """

    _OUTPUTS = 1
    _WANTED = "a head [1, 4 + classes, N]"

    def __init__(
        self,
        threshold=0.4,
        nms_threshold=0.5,
        nms_sigma=0,
        max_detections=20,
        classes=None,
        agnostic=False,
        max_candidates=300,
        labels=None,
        pixels=None,
    ):
        self.threshold = options.fraction("threshold", threshold)
        self.max_candidates = options.whole("max_candidates", max_candidates, 1, 65535)
        self.max_detections = options.whole("max_detections", max_detections, 1, 65535)
        self.classes = options.class_ids("classes", classes)
        self.labels = labels
        self.pixels = pixels
        self._suppress = Suppressor(
            options.fraction("nms_threshold", nms_threshold),
            options.not_negative("nms_sigma", nms_sigma),
            bool(agnostic),
            min(self.max_detections, self.max_candidates),
            self.max_candidates,
        )
        self._values = None  # buffers, made at the first frame
        self._setups = []
        self._last = None

    def __call__(self, model, inputs, outputs):
        setup = self._setup_for(model, outputs)
        fit = geometry.fit_of(inputs, setup.size, setup.fit)
        if fit is not setup.fit:
            setup.use(fit)
        self._last = setup
        count = kernels.candidates(outputs[setup.head.index], setup.search, self._values, self._labels)
        kept = self._suppress(count, self._values, self._labels, setup.least) if count else 0
        setup.kept = kept
        if not kept:
            return []
        setup.placing[0] = kept
        kernels.place(setup.placing, self._values, self._labels, self._table)
        table = self._table
        scores = self._scores
        names = setup.names
        x0, y0, _, _ = fit.roi
        found = []
        for at in range(0, kept * _ROW, _ROW):
            class_id = table[at + _CLASS]
            found.append(
                Detection(
                    (table[at] + x0, table[at + 1] + y0, table[at + 2], table[at + 3]),
                    scores[at + _SCORE],
                    class_id,
                    names[class_id] if names else str(class_id),
                    self._mask(setup, outputs, at),
                    self._keypoints(setup, outputs, at),
                )
            )
        return found

    def survivors(self):
        """For debugging: (anchor, class_id, score, x1, y1, x2, y2) of each detection of the last frame.

        The box is in model input pixels and not clipped, as Ultralytics gives it.
        """
        setup = self._last
        rows = []
        for i in range(setup.kept if setup else 0):
            at = int(self._labels[2, i])
            x1, y1, x2, y2, score = [float(self._values[row, at]) for row in range(5)]
            rows.append(
                (
                    int(self._labels[0, at]),
                    int(self._labels[1, at]),
                    score * setup.head.scale,
                    x1 * setup.unit_x,
                    y1 * setup.unit_y,
                    x2 * setup.unit_x,
                    y2 * setup.unit_y,
                )
            )
        return rows

    def _setup_for(self, model, outputs):
        for setup in self._setups:
            if setup.holds(model, outputs):
                return setup
        described = quant.describe(model, outputs, self._OUTPUTS, self._WANTED)
        size = quant.input_size(model)
        if size is None:
            raise ValueError(
                "expected model.input_shape [(1, H, W, C)], got %r" % (getattr(model, "input_shape", None),)
            )
        setup = self._new_setup(model, described, outputs, size)
        if self._values is None:
            self._values = np.zeros((5, self.max_candidates))
            self._labels = np.zeros((3, self.max_candidates), dtype=np.uint16)
            self._table = array("i", [0] * (_ROW * min(self.max_detections, self.max_candidates)))
            self._scores = np.frombuffer(self._table, dtype=np.float)
        if setup.settled:
            self._setups = [setup] + self._setups[:3]
        return setup

    def _new_setup(self, model, described, outputs, size):
        return _Setup(self, model, described, outputs, size, described[0], 0)

    def _mask(self, setup, outputs, at):
        return None

    def _keypoints(self, setup, outputs, at):
        return None


class _Setup:
    """What is fixed for one model: its layout, the kernels' plans, its names; and for one fit: the way to the frame."""

    def __init__(self, options_, model, described, outputs, size, head, extra, need=1):
        self.model_scale = getattr(model, "output_scale", None)
        self.model_zero = getattr(model, "output_zero_point", None)
        self.model_input = model.input_shape
        self.model_labels = getattr(model, "labels", None)
        self.described = described
        self.size = size
        self.head = head
        self.kept = 0
        channels, anchors, channels_first = quant.head_layout(head.shape, size)
        self.channels = channels
        self.anchors = anchors
        self.channels_first = channels_first
        classes = channels - 4 - extra
        if classes < need:
            raise ValueError(
                "expected a head of 4 box channels, at least one class and %d more, got %d channels in %s"
                % (extra, channels, head)
            )
        if anchors > 65535:
            raise ValueError("expected at most 65535 anchors, got %d in %s" % (anchors, head))
        self.classes = classes
        self.names = _names(options_, self.model_labels, classes)
        self._tell_units(options_.pixels, outputs[head.index])

        # The plan of kernels.candidates; its words from 16 on are the class filter.
        chosen = options_.classes
        words = (classes + 31) // 32 if chosen is not None else 0
        self.search = array("i", [0] * (16 + words))
        channel_step, anchor_step = (anchors, 1) if channels_first else (1, channels)
        for at, value in enumerate((head.dtype, anchors, channels, channel_step, anchor_step, 4, classes, head.zero_point)):
            self.search[at] = value
        as_floats = np.frombuffer(self.search, dtype=np.float)
        if head.dtype == quant.FLOAT:
            as_floats[8] = options_.threshold
        else:
            self.search[8] = head.cut(options_.threshold)
        self.search[9] = options_.max_candidates
        if chosen is not None:
            self.search[10] = 1
            for class_id in chosen:
                if class_id >= classes:
                    raise ValueError("classes: expected numbers below %d, got %d" % (classes, class_id))
                _set_bit(self.search, 16 * 32 + class_id)
        self.least = options_.threshold / head.scale

        self.placing = array("i", [0] * 17)
        self.placing[1] = options_.max_candidates
        self.fit = None

    def holds(self, model, outputs):
        """Whether this was made for such a model and such outputs."""
        if (
            not isinstance(outputs, (list, tuple))
            or len(outputs) != len(self.described)
            or getattr(model, "output_scale", None) != self.model_scale
            or getattr(model, "output_zero_point", None) != self.model_zero
            or model.input_shape != self.model_input
            or getattr(model, "labels", None) is not self.model_labels
        ):
            return False
        for one in self.described:
            out = outputs[one.index]
            if not hasattr(out, "dtype") or out.dtype != one.dtype or out.shape != one.shape:
                return False
        return True

    def _tell_units(self, pixels, head):
        """Set unit_x and unit_y: model input pixels of one raw unit. `settled` is False while that can only be guessed.

        Boxes in 0..1 need no range beyond 2. Where the dtype and scale allow more, the boxes tell: the anchors cover the whole
        input, so that in pixels some centre lies beyond 2. (All zeros tell nothing yet.)
        """
        self.settled = True
        if pixels is None:
            pixels = False
            if self.head.dtype == quant.FLOAT or self.head.largest() > 8.0:
                if self.channels_first:
                    boxes = head.reshape((self.channels, self.anchors))[:4]
                else:
                    boxes = head.reshape((self.anchors, self.channels))[:, :4]
                largest = (float(np.max(boxes)) - self.head.zero_point) * self.head.scale
                self.settled = largest > 0.0
                pixels = largest > 2.0
        self.pixels = pixels
        width, height = (1, 1) if pixels else self.size
        self.unit_x = self.head.scale * width
        self.unit_y = self.head.scale * height

    def use(self, fit):
        """Lay the way from raw units to the frame of this fit into the plan of kernels.place."""
        self.fit = fit
        x, y, w, h = fit.roi
        self.placing[2] = w
        self.placing[3] = h
        floats = np.frombuffer(self.placing, dtype=np.float)
        floats[4] = self.unit_x * fit.sx
        floats[5] = fit.ox - x + _NUDGE
        floats[6] = self.unit_y * fit.sy
        floats[7] = fit.oy - y + _NUDGE
        floats[8] = self.head.scale


def _names(options_, model_labels, classes):
    if options_.labels is not None:
        return labels.checked_names(options_.labels, classes)
    if model_labels:
        return list(model_labels) + [str(i) for i in range(len(model_labels), classes)]
    return labels.default_names(classes)


def _set_bit(words, bit):
    word = words[bit // 32] & 0xFFFFFFFF | 1 << bit % 32
    words[bit // 32] = word - (1 << 32) if word & 1 << 31 else word  # the array's items are signed


class YoloV8Seg(YoloV8):
    """Post-processor for YOLOv8 segmentation: YoloV8's options, and every detection has a `.mask`.

    mask_threshold  probability above which a prototype pixel is inside, 0..1 without its ends
    mask_padding    model input pixels by which a box is grown before the mask is cut to it; None: half the step of a quantised box,
                    which gives back what its rounding cut off (0 on a float head); 0: Ultralytics' crop
    """

    _OUTPUTS = 2
    _WANTED = "a head [1, 4 + classes + coefficients, N] and prototypes [1, H, W, coefficients]"

    def __init__(self, threshold=0.4, *args, mask_threshold=0.5, mask_padding=None, **kwargs):
        super().__init__(threshold, *args, **kwargs)
        if not isinstance(mask_threshold, (int, float)) or not 0.0 < mask_threshold < 1.0:
            raise ValueError("mask_threshold: expected a number between 0 and 1, got %r" % (mask_threshold,))
        self.mask_threshold = mask_threshold
        if mask_padding is not None:
            options.not_negative("mask_padding", mask_padding)
        self.mask_padding = mask_padding

    def _new_setup(self, model, described, outputs, size):
        return _MaskSetup(self, model, described, outputs, size)

    def _mask(self, setup, outputs, at):
        table = self._table
        x, y = table[at + 7], table[at + 8]
        window = (table[at + 11], table[at + 12], table[at + 13], table[at + 14])
        data = bytearray(window[2] * window[3])
        if data:
            setup.fill(outputs, table[at + _ANCHOR], window, data)
        return Mask(
            data, window, (x, y, table[at + 9] - x, table[at + 10] - y), setup.clip(table, at), setup.grid
        )


class _MaskSetup(_Setup):
    """A head with prototypes: adds the plan of kernels.prototype_mask."""

    def __init__(self, options_, model, described, outputs, size):
        first, second = described
        # Told apart by shape, not by order: of a head's dimensions two or more are 1 where prototypes have four real ones.
        protos, head = (first, second) if _looks_like_prototypes(first, second) else (second, first)
        coefficients, width, height, channels_last = quant.prototype_layout(protos.shape, size)
        if not 8 <= coefficients <= 64:
            raise ValueError("expected 8 to 64 mask coefficients, got %d in %s" % (coefficients, protos))
        super().__init__(options_, model, described, outputs, size, head, coefficients)
        self.protos = protos
        self.proto_size = width, height
        scale = head.scale * protos.scale
        limit = log(options_.mask_threshold / (1.0 - options_.mask_threshold)) / scale
        # A head of one dtype and prototypes of another do not occur in the field; they go through float copies.
        self.mixed = head.dtype != protos.dtype
        dtype = quant.FLOAT if self.mixed else head.dtype
        self.coefficients = coefficients
        steps = (coefficients, 1) if channels_last else (1, width * height)
        self.masking = array("i", [0] * 15)
        for at, value in enumerate(
            (dtype, width, height, coefficients, steps[0], steps[1], protos.zero_point, head.zero_point)
        ):
            self.masking[at] = value
        self.masking[9] = self.search[3]
        if dtype in (quant.INT8, quant.UINT8):
            self.masking[14] = min(max(floor(limit), -(1 << 23)), 1 << 23)
        else:
            np.frombuffer(self.masking, dtype=np.float)[14] = limit

        # The padding in model input pixels; by default half the step that the box was rounded to.
        padding = options_.mask_padding
        if padding is None:
            half = 0.0 if head.dtype == quant.FLOAT else 0.5
            self.pad_x, self.pad_y = half * self.unit_x, half * self.unit_y
        else:
            self.pad_x = self.pad_y = padding
        self.placing[9] = 1
        self.placing[10] = width
        self.placing[11] = height
        self.placing[16] = 1
        floats = np.frombuffer(self.placing, dtype=np.float)
        floats[12] = self.unit_x * width / size[0]
        floats[13] = self.unit_y * height / size[1]
        floats[14] = self.pad_x / self.unit_x
        floats[15] = self.pad_y / self.unit_y

    def use(self, fit):
        super().use(fit)
        width, height = self.proto_size
        self.grid = Grid(self.size[0] / width * fit.sx, fit.ox, self.size[1] / height * fit.sy, fit.oy, fit.roi)
        self.margin_x = int(self.pad_x * fit.sx + 0.5)
        self.margin_y = int(self.pad_y * fit.sy + 0.5)

    def clip(self, table, at):
        """The frame rectangle a mask may touch: the box grown by the padding, inside the frame."""
        x0, y0, w, h = self.fit.roi
        left = max(0, table[at] - self.margin_x)
        top = max(0, table[at + 1] - self.margin_y)
        right = min(w, table[at] + table[at + 2] + self.margin_x)
        bottom = min(h, table[at + 1] + table[at + 3] + self.margin_y)
        return left + x0, top + y0, right - left, bottom - top

    def fill(self, outputs, anchor, window, data):
        """One mask's bytes."""
        plan = self.masking
        protos = outputs[self.protos.index]
        head = outputs[self.head.index]
        plan[8] = (self.channels - self.coefficients) * self.search[3] + anchor * self.search[4]
        plan[10], plan[11], plan[12], plan[13] = window
        if self.mixed:
            protos = np.array(protos, dtype=np.float)
            head = np.array(head, dtype=np.float)
        kernels.prototype_mask(protos, head, plan, data)


def _looks_like_prototypes(one, other):
    return len(quant.squeezed(one.shape)) > len(quant.squeezed(other.shape)) or (
        len(quant.squeezed(one.shape)) == len(quant.squeezed(other.shape)) and len(one.shape) > len(other.shape)
    )
