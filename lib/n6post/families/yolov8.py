"""YOLOv8 detection, and the base of yolov8_seg.py and yolov8_pose.py. YOLO11 and YOLO26 export the same heads.

in      a head [1, 4 + classes (+ coefficients, + 3 x keypoints), anchors] or the transpose: int8, uint8, int16 or float32;
        boxes cx, cy, w, h or corners x1, y1, x2, y2 (box_order.py), in 0..1 or in input pixels; class scores after the
        sigmoid. Or an end-to-end head [1, rows, 6 (+ coefficients, + 3 x keypoints)], as in end_to_end.py, or a split head,
        as in split_head.py
out     a list of Detection, best first, in frame pixels

For each frame: search the anchors above the threshold, suppress overlaps, transform the remaining boxes to the frame, and
make a Detection of each.
"""

from array import array

from micropython import const
from ulab import numpy as np

from ..kernels import params
from ..kernels.boxes import boxes_to_frame, candidates, make_detections, suppress
from ..pixels.rounding import NUDGE, same_floats
from ..results.detection import Detection
from ..tensors.head_layout import head_layouts
from ..tensors.lazy import module
from ..tensors.options import Options, choice, class_filter, flag, name_list, number
from ..tensors.quantization import FLOAT
from .processor import ModelBinding, Processor

_MOST_ROWS = const(300)  # of an end-to-end head, as in matching.py
_MOST_COLUMNS = const(405)
_COCO_CLASSES = const(80)
_SAMPLE = const(128)  # anchors that show the order of a box's numbers
_SIDES = const(16)  # how far from the input a box may reach, in sides of it: DFL allows 30 cells
_ANY_CLASS = const(65536)  # the number of classes of an end-to-end head, which is unknown


class YoloV8(Processor):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

    It accepts raw heads, split heads (boxes and scores as outputs of their own, as `n6post optimize`, Rockchip's export and
    YOLO-NAS have them) and end-to-end heads [1, rows, 6], and detects which of them a model has. The network of an
    end-to-end head has suppressed overlaps already: only `threshold`, `classes`, `labels`, `max_detections` and `box_units`
    apply to it, one object may have several classes, and without labels a class is its number as text. For a split head
    whose network needs no suppression (one-to-one, YOLO26), set `iou_threshold=1`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.4, number, 0.0, 1.0)
    iou_threshold = _option("iou_threshold", 0.5, number, 0.0, 1.0)
    nms_sigma = _option("nms_sigma", 0, number, 0.0, 1e6)
    max_detections = _option("max_detections", 20, number, 1, 65535)
    classes = _option("classes", None, class_filter)
    class_agnostic = _option("class_agnostic", False, flag)
    max_candidates = _option("max_candidates", 300, number, 1, 65535)
    labels = _option("labels", None, name_list)
    box_units = _option("box_units", None, choice, "pixels", "normalized")
    box_order = _option("box_order", None, choice, "xywh", "xyxy")

    def _bind(self, model, outputs):
        if is_split(outputs, BoxBinding):
            binding = module("families.split_head").SplitBoxes(self, model, outputs)
            if not binding.head:  # the package loads a family on first use
                binding = __import__("n6post").YoloV8Obb._bind(self, model, outputs)
            return binding
        return BoxBinding(self, model, outputs)


def is_split(outputs, kind):
    """Whether these may be the outputs of a split head: more than those of a raw head, for which the binding `kind` is."""
    return isinstance(outputs, (list, tuple)) and len(outputs) > kind.count


class BoxBinding(ModelBinding):
    """A head [1, 4 + classes, N], [1, rows, 6] or the transpose.

    tensor      the head's OutputTensor
    layout      its HeadLayout
    head        the RawHead or EndToEndHead that finds detections in it
    """

    expected_outputs = "a head [1, 4 + classes, N] or [1, rows, 6]"

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        self.tensor = self.outputs[0]
        extra = self.prepare()
        array = outputs[self.tensor.index]
        layouts = head_layouts(self.tensor.shape, self.size)
        rows = False
        if len(layouts) == 1 and not _may_be_rows(layouts[0], extra):
            self.layout = layouts[0]
        else:
            probe = module("families.layout_probe")
            self.layout, rows, self.is_final = probe.read(layouts, extra, self.tensor, array, self.size)
        channels, anchors, _ = self.layout
        labels = options.labels
        self.labels = labels_of(options, model)
        if extra < 0:
            extra = self.split(options, rows)
        classes = _ANY_CLASS if rows else channels - 4 - extra
        if classes < 1:
            raise ValueError(
                "expected a head of 4 box channels, at least one class and %d more, got %d channels in %s"
                % (extra, channels, self.tensor)
            )
        self.classes = classes
        if labels and self.labels and not rows:
            if len(labels) < classes:
                module("families.family_check").check_flat_pose(self.layout, self.tensor, array, 4 + len(labels))
            self.labels = module("tensors.label_sets").checked_names(labels, classes)
        if not rows:
            # A YOLOv8 has a score of nearly 0 for most anchors: logits are far below, and YOLOv6's objectness is 1.
            least = (float(np.min(self.layout.column(array, 4))) - self.tensor.zero_point) * self.tensor.scale
            if not -0.5 < least < 0.9:
                module("families.family_check").check_first_class(self.layout, self.tensor, array)
        if not (extra or rows) and classes not in (1, _COCO_CLASSES) and len(self.labels or ()) != classes:
            # Heads of some other families have the same shape. Labels would show it, as 80 classes do.
            module("families.family_check").check_scores(self.layout, self.tensor, array)
        # Both are uint16 in the kernels' buffers, and ulab's reductions over an axis of more never return.
        if anchors > 65535:
            raise ValueError("expected at most 65535 anchors, got %d in %s" % (anchors, self.tensor))
        if classes > 65535 and not rows:
            raise ValueError("expected at most 65535 classes, got %d in %s" % (classes, self.tensor))
        corners = self.has_corners(options, array, rows)
        self._set_units(options.box_units, array, rows or corners)
        self.limit_score(model, self.tensor)
        self.window = {}  # parameters of boxes_to_frame that only families with masks need
        self.complete(options, outputs)
        # Last: a family may have changed the labels.
        if rows:
            self.head = module("families.end_to_end").EndToEndHead(self.tensor, self.layout, self.labels, options)
        else:
            shared = None
            for other in options._bindings:
                if isinstance(other.head, RawHead):
                    shared = other.head
            self.head = RawHead(self.tensor, self.layout, classes, self.labels, options, shared)
            if corners:
                self.head.corners = module("families.box_order").CornerBoxes(self.tensor, self.layout)

    def prepare(self):
        """Find the head among the outputs. Returns the number of channels besides boxes and classes.

        -1: three per keypoint; `split` returns how many when the layout is known.
        """
        return 0

    def split(self, options, rows):
        """The number of channels for keypoints. They follow box, score and class if `rows`, else the classes.

        Drops `labels` if they are names of keypoints.
        """
        return 0

    def complete(self, options, outputs):
        """Prepare what else a family needs. The head's layout and units are known by now."""

    def masks(self, outputs, table, size, kept):
        """What the masks of a frame share, or None if the family has none.

        The table has a parameter block of prototype_mask, to be filled in, and `kept` rows; the windows of their masks have
        `size` bytes.

        Its first item is the kernel's parameter block, which has the rows of the detections that remain, and their number.
        """

    make = Detection  # makes a detection from its six fields
    mask = None  # in a family with masks: mask(shared, entry) makes a mask, whose row begins at `entry`
    keypoints = None  # in a family with keypoints: keypoints(outputs, anchor)

    def set_transform(self, transform):
        x, y, w, h = transform.roi
        ax, ay = same_floats(self.unit_x, self.unit_y) * same_floats(transform.sx, transform.sy)
        bx, by = same_floats(transform.ox, transform.oy) - np.array([x, y]) + NUDGE
        self.block = params.boxes_to_frame(
            kept=0,
            capacity=self.head.capacity,
            width=w,
            height=h,
            ax=ax,
            bx=bx,
            ay=ay,
            by=by,
            scale=self.score_scale,
            **self.window
        )  # fmt: skip
        _, threshold = Detection._source
        self.source = transform.frame_size, threshold
        self.guard_units = unit, unit_x, unit_y = self.score_scale, float(self.unit_x), float(self.unit_y)
        self.possible = self.most_score / unit, _SIDES * self.size[0] / unit_x, _SIDES * self.size[1] / unit_y
        self.best = self.head.buffers[0][:, 0]  # x1, y1, x2, y2 and score of the best candidate
        self.usual = w, h, params.bits(self.most_score)

    def result(self, outputs):
        entry = params.BOXES_TO_FRAME_KEPT
        block = self.block
        block[entry] = kept = self.head.find(outputs)
        if not kept:
            return []
        values, labels, table = self.head.buffers
        # In a family with masks the rows follow the parameter block of prototype_mask.
        size = boxes_to_frame(block, values, labels, memoryview(table)[params.MASK_TABLE :] if self.window else table)
        shown = block[entry]  # without boxes that have no pixel in the frame
        self.check_best(table, params.MASK_TABLE if self.window else 0, shown < kept)
        kept = shown
        if not kept:
            return []
        masks = self.masks(outputs, table, size, kept)
        if not masks:
            return make_detections(self, outputs, None, table, 0, kept)
        table = masks[0]
        return make_detections(self, outputs, masks, table, params.MASK_TABLE, table[params.MASK_ROWS] // params.ROW)

    def check_best(self, table, at, hidden):
        """Call `guard` if its limits may be exceeded: a few integers show it, because reading the candidate costs 4,000
        instructions.

        table, at   the table of boxes_to_frame, and where its first row begins
        hidden      whether a candidate has no row, because its box has no pixel in the frame
        """
        width, height, most = self.usual
        fills = table[at + params.ROW_W] == width and table[at + params.ROW_H] == height
        if hidden or fills or table[at + params.ROW_SCORE] > most:
            x1, y1, x2, y2, score = self.best
            self.guard(score, (x1, y1, x2, y2))

    def has_corners(self, options, array, rows):
        """Whether boxes are corners x1, y1, x2, y2 that have to be read as such. Rows of an end-to-end head always are.

        is_final becomes False if the numbers of this frame do not show it.
        """
        order = options.box_order
        if rows and order == "xywh":
            raise ValueError("box_order: expected None or 'xyxy' for an end-to-end head, got 'xywh'")
        if rows or order or self.mask or self.keypoints:  # no network with masks or keypoints is known to have corners
            return not rows and order == "xyxy"
        layout = self.layout
        step = 1 + (layout.anchors - 1) // _SAMPLE
        if float(np.mean(layout.column(array, 0, step) > layout.column(array, 2, step))) > 0.1:
            return False  # in recorded heads of cx, cy, w, h it is .47 to .86
        levels = module("tensors.split_layout").levels_of(layout.anchors, self.size)
        corners, certain = module("families.box_order").are_corners(layout, self.tensor, array, levels)
        self.is_final = self.is_final and certain
        return corners

    def _set_units(self, box_units, array, corners):
        """Set unit_x and unit_y: model input pixels for one raw unit.

        is_final becomes False if the numbers of this frame do not show the unit, for example if all are zero.
        """
        pixels = box_units == "pixels"
        if box_units is None and (self.tensor.dtype == FLOAT or self.tensor.largest() > 8.0):
            center = self._mean_center(array, 4 if corners else 2)
            self.is_final = self.is_final and center > 0.0
            pixels = center > 2.0
        self.unit_x, self.unit_y = same_floats(self.tensor.scale) * np.array((1, 1) if pixels else self.size)
        self.score_scale = self.tensor.scale

    def _mean_center(self, array, channels):
        """The mean of the boxes' centers (of their corners, for 4 channels) in both directions; 0.0 if there is none.

        The anchors of a raw head cover the whole input. So the mean is about .5 for boxes in 0..1 and half the input's side
        for boxes in pixels. Widths and heights do not show the unit: weak anchors of a real network have boxes that are
        several times as large as the input (DFL allows 30 cells of stride 32 each).
        """
        raw = self.layout.columns(array, 0, channels)
        if self.tensor.dtype != FLOAT:
            raw = np.array(raw, dtype=np.float) - float(self.tensor.zero_point)
        mean = float(np.mean(raw))
        if not 0.0 <= mean <= 2.0:  # pixels, or NaN, infinity or nonsense in some of them
            raw = np.array(raw, dtype=np.float)
            raw = np.where(raw * raw < 1e12, raw, 0.0)
            mean = float(np.mean(raw))
        used = float(np.mean(raw != 0.0))  # not the rows of zeros at the end of an end-to-end head
        return mean / used * self.tensor.scale if used else 0.0


def labels_of(options, model):
    """The labels of the option, else those of the model; None if there are none."""
    labels = options.labels
    return name_list("labels", getattr(model, "labels", None) or None) if labels is None else labels


def _may_be_rows(layout, extra):
    """Whether a raw head of this layout has the shape of an end-to-end head too. `extra` is that of BoxBinding.prepare."""
    channels, anchors, _ = layout
    if extra >= 0:
        return channels - 6 == extra
    return channels % 3 == 0 or anchors % 3 == 0 and 6 < anchors <= _MOST_COLUMNS and channels <= _MOST_ROWS


class RawHead:
    """Finds detections in a head [1, 4 + classes + extra channels, anchors] or the transpose: a search, then suppression.

    end_to_end.EndToEndHead has the same methods, for networks that suppress overlaps themselves.

    corners     the CornerBoxes that read the boxes of the candidates, or None for cx, cy, w, h
    names       by class number: the class name, or None if it was not needed so far
    buffers     (values, labels, table), as kernels/boxes.py takes them
    capacity    how many candidates fit into the buffers
    """

    corners = None

    def __init__(self, tensor, layout, classes, labels, options, shared):
        """`shared` is another RawHead of the same processor, whose buffers this one uses too, or None."""
        self.index = tensor.index
        allowed = self.prepare(classes, labels, options, shared, 1)
        # Options are properties: read them once.
        threshold = options.threshold
        cut = tensor.quantize_threshold(threshold)
        self.block = params.candidates(
            dtype=tensor.dtype,
            anchors=layout.anchors,
            channels=layout.channels,
            channel_step=layout.channel_step,
            anchor_step=layout.anchor_step,
            first_class=4,
            classes=classes,
            zero_point=tensor.zero_point,
            cut=cut,
            capacity=self.capacity,
            allowed=allowed,
        )
        # The threshold in raw units, for scores that Soft-NMS has decayed. A score that passed the search passes it too.
        if tensor.dtype == FLOAT:
            self.least = np.array([threshold])[0]  # as float32, like the scores
        else:
            self.least = min(threshold / tensor.scale, cut - tensor.zero_point)

    def prepare(self, classes, labels, options, shared, lists):
        """Set all that does not depend on the outputs. Returns the numbers of the classes that may pass, () for all.

        lists   how many lists of candidates the buffers hold
        """
        self.classes = classes
        self.labels = labels
        self.names = [None] * classes
        self.capacity = options.max_candidates
        if shared:
            self.suppression, self.buffers = shared.suppression, shared.buffers
        else:
            self.suppression, self.buffers = _suppression_of(options), _buffers_of(options, lists)
        allowed = options.classes or ()
        if allowed:
            allowed = module("tensors.labels").classes("classes", allowed, classes, self.name_of)
        return allowed

    def find(self, outputs):
        """Find the detections in the model's outputs and return how many.

        labels[2] then has their positions in values and labels, best first.
        """
        count = self.search(outputs)
        if count and self.corners:
            self.corners.read(outputs, self.buffers, count)
        return self.suppressed(count) if count else 0

    def search(self, outputs):
        """Find the candidates, best first, and return how many."""
        values, labels, _ = self.buffers
        return candidates(outputs[self.index], self.block, values, labels)

    def suppressed(self, count):
        """Suppress the overlaps of the candidates in the buffers, and return how many are left."""
        values, labels, _ = self.buffers
        hard, soft = self.suppression
        if soft:
            return soft(count, values, labels, self.least)
        hard[params.SUPPRESS_COUNT] = count
        return suppress(hard, values, labels)

    def name_of(self, class_id):
        """The label of a class, or its number as text. It is kept for the next frame."""
        labels = self.labels
        if labels is None:
            name = module("tensors.label_sets").class_name(class_id, self.classes)
        else:
            name = labels[class_id] if class_id < len(labels) else str(class_id)
        self.names[class_id] = name
        return name


def _suppression_of(options):
    """(parameter block of the kernel `suppress`, SoftSuppressor or None)."""
    capacity = options.max_candidates
    most = min(options.max_detections, capacity)
    sigma = options.nms_sigma
    class_agnostic = options.class_agnostic
    hard = params.suppress(0, options.iou_threshold, 1 if class_agnostic else 0, most, capacity)
    return hard, module("families.soft_nms").SoftSuppressor(sigma, class_agnostic, most) if sigma else None


def _buffers_of(options, lists):
    capacity = options.max_candidates
    most = min(options.max_detections, capacity)
    # Not np.zeros, which takes fifteen instructions per byte.
    values = np.frombuffer(bytearray(lists * 4 * 5 * capacity), dtype=np.float).reshape((lists * 5, capacity))
    labels = np.frombuffer(bytearray(lists * 2 * 3 * capacity), dtype=np.uint16).reshape((lists * 3, capacity))
    return values, labels, array("i", bytes(4 * (params.MASK_TABLE + params.ROW * most)))
