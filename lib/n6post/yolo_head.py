"""From the raw outputs of a YOLOv8 head to detections: search, suppress, place, and for each survivor its mask or keypoints.

`Head` does that frame by frame with buffers made once; a `BoxPlan`, `MaskPlan` or `PosePlan` holds what is fixed for one
model: the layout of its outputs as the kernels read it, its names, and the way to the frame.
"""

from array import array
from math import floor, log
from struct import unpack_from

from micropython import const
from ulab import numpy as np

from . import geometry, kernels, labels, quant
from .detection import Detection, with_keypoints
from .mask import Grid, Mask, Masks
from .nms import Suppressor

_ROW = const(16)  # entries a detection has in the table that kernels.place writes: rectangle, anchor, class, score, ...
_ANCHOR = const(4)
_WINDOW = const(11)
_DATA = const(15)

# A corner may lie exactly on half a pixel, and the camera's scale has lost up to 2 of its 24 bits: without this nudge
# (frame pixels) it would round down there and up on a PC.
_NUDGE = const(2.44e-4)


class Head:
    """What a processor does with a frame. `options` is the processor; its own options tell which plan below it needs."""

    def __init__(self, options):
        capacity = options.max_candidates
        most = min(options.max_detections, capacity)
        self._options = options
        masks, points = hasattr(options, "mask_threshold"), hasattr(options, "keypoint_threshold")
        self._plan_class = MaskPlan if masks else PosePlan if points else BoxPlan
        self._plans = []
        self._plan = None
        threshold = getattr(options, "keypoint_threshold", None)
        self._detection = Detection if threshold is None else with_keypoints(threshold)
        self._suppress = Suppressor(options.nms_threshold, options.nms_sigma, options.agnostic, most, capacity)
        self._values = np.zeros((5, capacity))
        self._labels = np.zeros((3, capacity), dtype=np.uint16)
        self._table = array("i", [0] * (_ROW * most))

    def __call__(self, model, inputs, outputs):
        plan = self._plan
        if plan is None or not plan.holds(model, outputs):
            plan = self._plan_for(model, outputs)
        fit = geometry.fit_of(inputs, plan.size, plan.fit)
        if fit is not plan.fit:
            plan.use(fit)
        values = self._values
        found = kernels.candidates(outputs[plan.head.index], plan.search, values, self._labels)
        kept = self._suppress(found, values, self._labels, plan.least) if found else 0
        plan.kept = kept
        if not kept:
            return []
        table = self._table
        plan.placing[0] = kept
        size = kernels.place(plan.placing, values, self._labels, table)
        masks = plan.masks(outputs, table, size)
        names = plan.names
        detection = self._detection
        left, top, _, _ = fit.roi
        detections = []
        for at in range(0, kept * _ROW, _ROW):
            # One call for the seven: an item of an array costs 470 instructions.
            x, y, w, h, anchor, class_id, score = unpack_from("6if", table, 4 * at)
            detections.append(
                detection(
                    (x + left, y + top, w, h),
                    score,
                    class_id,
                    names[class_id] if names else str(class_id),
                    Mask(masks, at) if masks else None,
                    plan.keypoints(outputs, anchor),
                )
            )
        return detections

    def survivors(self):
        plan = self._plan
        rows = []
        for i in range(plan.kept if plan else 0):
            at = int(self._labels[2, i])
            x1, y1, x2, y2, score = [float(self._values[row, at]) for row in range(5)]
            box = (x1 * plan.unit_x, y1 * plan.unit_y, x2 * plan.unit_x, y2 * plan.unit_y)
            rows.append((int(self._labels[0, at]), int(self._labels[1, at]), score * plan.head.scale) + box)
        return rows

    def _plan_for(self, model, outputs):
        for plan in self._plans:
            if plan.holds(model, outputs):
                self._plan = plan
                return plan
        plan = self._plan_class(self._options, model, outputs)
        self._plan = plan
        if plan.settled:
            self._plans = [plan] + self._plans[:3]
        return plan


class BoxPlan:
    """One model's head: [1, 4 + classes, N] or its transpose."""

    wanted = "a head [1, 4 + classes, N]"
    outputs = 1

    def __init__(self, options, model, outputs):
        self.output_shape = getattr(model, "output_shape", ())
        self.described = quant.describe(model, outputs, self.outputs, self.wanted)
        self.size = quant.input_size(model)
        if self.size is None:
            raise ValueError(
                "expected model.input_shape [(1, H, W, C)], got %r" % (getattr(model, "input_shape", None),)
            )
        self.head = self.described[0]
        self.fit = None
        self.kept = 0
        self.placing = array("i", [0] * 17)  # the plan of kernels.place
        self.placing[1] = options.max_candidates
        extra = self.prepare(options, model)
        channels, anchors, self.channels_first = quant.head_layout(self.head.shape, self.size)
        self.channels = channels
        self.anchors = anchors
        self.classes = channels - 4 - extra
        if self.classes < 1:
            raise ValueError(
                "expected a head of 4 box channels, at least one class and %d more, got %d channels in %s"
                % (extra, channels, self.head)
            )
        if anchors > 65535:
            raise ValueError("expected at most 65535 anchors, got %d in %s" % (anchors, self.head))
        self.names = _names(options.labels, getattr(model, "labels", None), self.classes)
        self._tell_units(options.pixels, outputs[self.head.index])
        self._make_search(options)
        # The threshold in raw units, for scores that Soft-NMS has decayed; those that the integer cut let through pass.
        self.least = options.threshold / self.head.scale
        if self.head.dtype != quant.FLOAT:
            self.least = min(self.least, self.search[8] - self.head.zero_point)
        self.complete(options, outputs)

    def prepare(self, options, model):
        """Find the head among the outputs and return how many channels it has besides boxes and classes."""
        return 0

    def complete(self, options, outputs):
        """Whatever a family needs besides, once the head's layout and units are known."""

    def masks(self, outputs, table, size):
        return None

    def keypoints(self, outputs, anchor):
        return None

    def holds(self, model, outputs):
        """Whether this was made for this model and such outputs: raw arrays, or float copies.

        The tuple that a model keeps as its output_shape is no other model's; keeping the model itself would keep its
        memory. (The arrays' own `shape` would be a new tuple every time, for which the heap is searched.)
        """
        try:
            if not self.settled or len(outputs) != self.outputs or model.output_shape is not self.output_shape:
                return False
            for one in self.described:
                out = outputs[one.index]
                if out.dtype != one.dtype or out.size != one.size:
                    return False
            return True
        except (AttributeError, TypeError):
            return False

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

    def _make_search(self, options):
        # The plan of kernels.candidates; from word 16 on a bit a class that may pass.
        head = self.head
        chosen = options.classes
        plan = array("i", [0] * (16 + ((self.classes + 31) // 32 if chosen else 0)))
        plan[0] = head.dtype
        plan[1] = self.anchors
        plan[2] = self.channels
        plan[3], plan[4] = (self.anchors, 1) if self.channels_first else (1, self.channels)
        plan[5] = 4
        plan[6] = self.classes
        plan[7] = head.zero_point
        if head.dtype == quant.FLOAT:
            np.frombuffer(plan, dtype=np.float)[8] = options.threshold
        else:
            plan[8] = head.cut(options.threshold)
        plan[9] = options.max_candidates
        for class_id in chosen or ():
            if class_id >= self.classes:
                raise ValueError("classes: expected numbers below %d, got %d" % (self.classes, class_id))
            plan[10] = 1
            word = plan[16 + class_id // 32] & 0xFFFFFFFF | 1 << class_id % 32
            plan[16 + class_id // 32] = word - (1 << 32) if word >> 31 else word  # the array's items are signed
        self.search = plan

    def _tell_units(self, pixels, head):
        """Set unit_x and unit_y: model input pixels of one raw unit. `settled` is False while that can only be guessed.

        Boxes in 0..1 need no range beyond 2. Where the dtype and scale allow more, the boxes tell: the anchors cover the
        whole input, so that in pixels some centre lies beyond 2. (All zeros tell nothing yet.)
        """
        self.settled = True
        if pixels is None:
            pixels = False
            if self.head.dtype == quant.FLOAT or self.head.largest() > 8.0:
                if self.channels_first:
                    boxes = head.reshape((self.channels, self.anchors))[:4]
                else:
                    boxes = head.reshape((self.anchors, self.channels))[:, :4]
                if self.head.dtype == quant.FLOAT:
                    boxes = np.where(boxes < 1e6, boxes, 0.0)  # neither inf nor NaN tells anything
                largest = (float(np.max(boxes)) - self.head.zero_point) * self.head.scale
                self.settled = largest > 0.0
                pixels = largest > 2.0
        width, height = (1, 1) if pixels else self.size
        self.unit_x = self.head.scale * width
        self.unit_y = self.head.scale * height


def _names(wanted, from_model, classes):
    if wanted is not None:
        return labels.checked_names(wanted, classes)
    if from_model:
        return list(from_model) + [str(i) for i in range(len(from_model), classes)]
    return labels.default_names(classes)


class MaskPlan(BoxPlan):
    """A head with mask coefficients, and prototypes."""

    wanted = "a head [1, 4 + classes + coefficients, N] and prototypes [1, H, W, coefficients]"
    outputs = 2

    def prepare(self, options, model):
        # Told apart by shape, not by order: of a head's dimensions two are not 1, of prototypes' three.
        first, second = self.described
        if _real_dimensions(first) > _real_dimensions(second):
            first, second = second, first
        self.head = first
        self.protos = second
        self.coefficients, width, height, self.channels_last = quant.prototype_layout(second.shape, self.size)
        self.proto_size = width, height
        if not 8 <= self.coefficients <= 64:
            raise ValueError("expected 8 to 64 mask coefficients, got %d in %s" % (self.coefficients, second))
        return self.coefficients

    def complete(self, options, outputs):
        head = self.head
        protos = self.protos
        width, height = self.proto_size
        # A head of one dtype and prototypes of another do not occur in the field; they go through float copies.
        self.mixed = head.dtype != protos.dtype
        dtype = quant.FLOAT if self.mixed else head.dtype
        steps = (self.coefficients, 1) if self.channels_last else (1, width * height)
        plan = array("i", [0] * 15)  # of kernels.prototype_mask
        plan[0] = dtype
        plan[1] = width
        plan[2] = height
        plan[3] = self.coefficients
        plan[4], plan[5] = steps
        plan[6] = protos.zero_point
        plan[7] = head.zero_point
        plan[9] = self.search[3]
        limit = log(options.mask_threshold / (1.0 - options.mask_threshold)) / (head.scale * protos.scale)
        if dtype == quant.INT8 or dtype == quant.UINT8:
            plan[14] = min(max(floor(limit), -(1 << 23)), 1 << 23)
        else:
            np.frombuffer(plan, dtype=np.float)[14] = limit
        self.masking = plan

        # The padding in model input pixels; by default half the step that the box was rounded to.
        if options.mask_padding is None:
            half = 0.0 if head.dtype == quant.FLOAT else 0.5
            self.pad_x, self.pad_y = half * self.unit_x, half * self.unit_y
        else:
            self.pad_x = self.pad_y = options.mask_padding
        placing = self.placing
        placing[9] = 1
        placing[10] = width
        placing[11] = height
        placing[16] = 2  # a frame pixel at the left edge of a box is interpolated from up to two mask pixels outside
        floats = np.frombuffer(placing, dtype=np.float)
        floats[12] = self.unit_x * width / self.size[0]
        floats[13] = self.unit_y * height / self.size[1]
        floats[14] = self.pad_x / self.unit_x
        floats[15] = self.pad_y / self.unit_y

    def use(self, fit):
        super().use(fit)
        width, height = self.proto_size
        self.grid = Grid(
            self.size[0] / width * fit.sx,
            fit.ox,
            self.size[1] / height * fit.sy,
            fit.oy,
            fit.roi,
            int(self.pad_x * fit.sx + 0.5),
            int(self.pad_y * fit.sy + 0.5),
        )

    def masks(self, outputs, table, size):
        """The masks of a frame: two allocations for all of them, for each one has the heap searched."""
        data = memoryview(bytearray(size))
        protos = outputs[self.protos.index]
        head = outputs[self.head.index]
        if self.mixed:
            protos = np.array(protos, dtype=np.float)
            head = np.array(head, dtype=np.float)
        plan = self.masking
        channel_step, anchor_step = self.search[3], self.search[4]
        first = (self.channels - self.coefficients) * channel_step
        entries = self.kept * _ROW
        for at in range(0, entries, _ROW):
            plan[8] = first + table[at + _ANCHOR] * anchor_step
            plan[10:14] = table[at + _WINDOW : at + _DATA]
            if plan[12]:
                kernels.prototype_mask(protos, head, plan, data[table[at + _DATA] :])
        return Masks(table[:entries], data, self.grid)


def _real_dimensions(output):
    return len([n for n in output.shape if n != 1]), len(output.shape)


class PosePlan(BoxPlan):
    """A head with three rows a keypoint behind its classes: x, y, and score or its logit."""

    wanted = "a head [1, 4 + classes + 3 x keypoints, N]"

    def prepare(self, options, model):
        channels, _, _ = quant.head_layout(self.head.shape, self.size)
        names = getattr(model, "labels", None) if options.labels is None else options.labels
        classes = options.class_count
        if classes is None:
            classes = len(names) if names else 1
            if options.labels is None and (channels - 4 - classes) % 3:
                classes = 1  # the model's own labels name something else: its keypoints
        rows = channels - 4 - classes
        if rows < 3 or rows % 3:
            raise ValueError(
                "expected a head of 4 box channels, %d class%s and 3 for each keypoint, got %d channels in %s"
                % (classes, "" if classes == 1 else "es", channels, self.head)
            )
        self.joints = rows // 3
        self.first = 4 + classes
        return rows

    def complete(self, options, outputs):
        if self.names is None and self.classes == 1 and self.joints == 17:
            self.names = ["person"]  # COCO's keypoints are a person's
        grid = self._grid(outputs[0])
        scores = grid[self.first + 2 :: 3] if self.channels_first else grid[:, self.first + 2 :: 3]
        told = options.keypoint_scores
        # A score may lie a step below 0 and be noise; the logits of joints unseen lie far below.
        self.logits = told == "logit" or told is None and np.min(scores) < self.head.zero_point - 0.5 / self.head.scale

    def _grid(self, head):
        return head.reshape((self.channels, self.anchors) if self.channels_first else (self.anchors, self.channels))

    def use(self, fit):
        super().use(fit)
        x, y, w, h = fit.roi
        self.factor = np.array([self.unit_x * fit.sx, self.unit_y * fit.sy, self.head.scale])
        self.offset = np.array([fit.ox, fit.oy, 0.0])
        self.low = np.array([float(x), float(y), -np.inf])
        self.high = np.array([float(x + w), float(y + h), np.inf])

    def keypoints(self, outputs, anchor):
        """(K, 3) of one anchor: x, y in frame pixels, clipped to the frame, and score.

        A NaN becomes the frame's left or upper edge, a NaN score -inf (0 where scores are logits).
        """
        grid = self._grid(outputs[0])
        row = grid[self.first :, anchor] if self.channels_first else grid[anchor, self.first :]
        points = np.array(row, dtype=np.float).reshape((self.joints, 3))
        if self.head.zero_point:
            points = points - float(self.head.zero_point)
        # ulab's maximum(a, b) is a > b ? a : b. It costs 5,000 instructions here, np.where 11,000.
        points = np.minimum(np.maximum(points * self.factor + self.offset, self.low), self.high)
        if self.logits:
            points[:, 2] = 1.0 / (np.exp(0.0 - points[:, 2]) + 1.0)
        return points
