"""YOLOv8 detection, and how the raw heads of all its tasks are read. YOLO11 and YOLO26 export the same heads.

in      a head [1, 4 + classes (+ coefficients, + 3 x keypoints), anchors] or the transpose: int8, uint8, int16 or float32;
        boxes cx, cy, w, h or corners x1, y1, x2, y2 (box_order.py), in 0..1 or in input pixels; class scores after the
        sigmoid, of YOLOv6 behind an objectness of 1. Or an end-to-end head [1, rows, 6 (+ coefficients, + 3 x keypoints)],
        as in end_to_end.py, or a split head, as in split_head.py
out     a list of Detection, best first, in frame pixels

For each frame: search the anchors above the threshold and suppress overlaps (RawDecoder), transform the remaining boxes to
the frame, and make a Detection of each (FrameBoxes).
"""

from array import array

from micropython import const
from ulab import numpy as np

from ...kernels import boxes as box_kernels
from ...kernels.params import boxes as params
from ...pixels.rounding import same_floats
from ...tensors.head_layout import head_layouts
from ...tensors.options import Options, choice, class_filter, flag, number
from ...tensors.quantization import FLOAT
from ..frame_boxes import Decoder, Detector, Extras, FrameBoxes, labels_of, shared_decoder

# Copied by scripts/dev/generate.py from families/yolo/layout_probe.py:
_MOST_ROWS = const(300)
_MOST_COLUMNS = const(405)
_SAMPLE = const(128)

_COCO_CLASSES = const(80)
_ANY_CLASS = const(65536)  # the number of classes of an end-to-end head, which is unknown


class YoloV8(Detector):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

    It accepts raw heads, split heads (boxes and scores as outputs of their own, as `n6post optimize`, Rockchip's export and
    YOLO-NAS have them) and end-to-end heads [1, rows, 6], and detects which of them a model has.

    With an end-to-end head, the network has suppressed overlaps already, so only `threshold`, `classes`, `labels`,
    `max_detections` and `box_units` have an effect, and one object may have several classes. Such a head does not say how
    many classes it has: without `labels`, the label of a detection is its class number, such as "0". For a split head whose
    network needs no suppression (one-to-one, YOLO26), set `iou_threshold=1`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold", Detector._option, threshold=0.4, max_candidates=300)
    nms_sigma = _option("nms_sigma", 0, number, 0.0, 1e6)
    classes = _option("classes", None, class_filter)
    class_agnostic = _option("class_agnostic", False, flag)
    box_units = _option("box_units", None, choice, "pixels", "normalized")
    box_order = _option("box_order", None, choice, "xywh", "xyxy")

    _extras = Extras  # what a task adds to boxes

    def _bind(self, model, outputs):
        extras = self._extras()
        if isinstance(outputs, (list, tuple)) and len(outputs) > extras.count:
            from .split_head import bind

            return bind(self, model, outputs, extras)
        boxes = FrameBoxes(model, outputs, extras.count, extras.expected_outputs)
        read(boxes, self, model, outputs, extras)
        return boxes


def read(boxes, options, model, outputs, extras):
    """Find out how the numbers of a raw or end-to-end head are stored, and set the attributes of a FrameBoxes.

    Sets `tensor` and `layout` besides: the head's OutputTensor and its HeadLayout.
    """
    tensor, extra = extras.choose(boxes, options)
    boxes.tensor = tensor
    array = outputs[tensor.index]
    layouts = head_layouts(tensor.shape, boxes.size)
    rows = False
    if len(layouts) == 1 and not _may_be_rows(layouts[0], extra):
        layout = layouts[0]
    else:
        from . import layout_probe as probe

        layout, rows, boxes.is_final = probe.read(layouts, extra, tensor, array, boxes.size)
    boxes.layout = layout
    channels, anchors, _ = layout
    labels = options.labels
    boxes.labels = labels_of(options, model)
    if extra < 0:
        extra = extras.extra_channels(boxes, options, rows, array)
    classes = _ANY_CLASS if rows else channels - 4 - extra
    if classes < 1:
        raise ValueError(
            "expected a head of 4 box channels, at least one class and %d more, got %d channels in %s"
            % (extra, channels, tensor)
        )
    first = 4
    if not rows:
        # A YOLOv8 has a score of nearly 0 for most anchors: logits are far below, and YOLOv6's objectness is 1.
        least = (float(np.min(layout.column(array, 4))) - tensor.zero_point) * tensor.scale
        if not -0.5 < least < 0.9:
            from ..family_check import check_first_class

            if check_first_class(layout, tensor, array, extra):
                first, classes = 5, classes - 1
    boxes.classes = classes
    if labels and boxes.labels and not rows:
        if len(labels) < classes:
            from ..family_check import check_flat_pose

            check_flat_pose(layout, tensor, array, 4 + len(labels))
        from ...tensors.label_sets import checked_names

        boxes.labels = checked_names(labels, classes)
    if not (extra or rows) and classes not in (1, _COCO_CLASSES) and len(boxes.labels or ()) != classes:
        # Heads of some other families have the same shape. Labels would show it, as 80 classes do.
        from ..family_check import check_scores

        check_scores(layout, tensor, array)
    # Both are uint16 in the kernels' buffers, and ulab's reductions over an axis of more never return.
    if anchors > 65535:
        raise ValueError("expected at most 65535 anchors, got %d in %s" % (anchors, tensor))
    if classes > 65535 and not rows:
        raise ValueError("expected at most 65535 classes, got %d in %s" % (classes, tensor))
    corners = has_corners(boxes, options, array, rows, extras.kind)
    set_units(boxes, options.box_units, array, rows or corners)
    boxes.score_scale = tensor.scale
    boxes.limit_score(model, tensor)
    extras.complete(boxes, options, outputs, rows)
    # Last: a task may have changed the labels.
    if rows:
        from ..end_to_end import EndToEndDecoder

        boxes.decoder = EndToEndDecoder(tensor, layout, boxes.labels, options)
    else:
        shared = shared_decoder(options, RawDecoder)
        boxes.decoder = RawDecoder(tensor, layout, classes, boxes.labels, options, shared, first)
        if corners:
            from .box_order import CornerBoxes

            boxes.decoder.corners = CornerBoxes(tensor, layout)
    boxes.extras = extras
    boxes.decoder = extras.decoder_of(boxes, options, outputs, rows)


def has_corners(boxes, options, array, rows, kind):
    """Whether boxes are corners x1, y1, x2, y2 that have to be read as such. Rows of an end-to-end head always are.

    is_final becomes False if the numbers of this frame do not show it.
    """
    order = options.box_order
    if kind == "angles":
        if rows and order == "xyxy":
            raise ValueError("box_order: expected None or 'xywh' for rows of oriented boxes, got 'xyxy'")
        return order == "xyxy"  # no known network has them
    if rows and order == "xywh":
        raise ValueError("box_order: expected None or 'xyxy' for an end-to-end head, got 'xywh'")
    if rows or order or kind != "boxes":  # no network with masks or keypoints is known to have corners
        return not rows and order == "xyxy"
    layout, tensor = boxes.layout, boxes.tensor
    step = 1 + (layout.anchors - 1) // _SAMPLE
    if float(np.mean(layout.column(array, 0, step) > layout.column(array, 2, step))) > 0.1:
        return False  # in recorded heads of cx, cy, w, h it is .47 to .86
    from .split_layout import levels_of

    levels = levels_of(layout.anchors, boxes.size)
    from .box_order import are_corners

    corners, certain = are_corners(layout, tensor, array, levels)
    boxes.is_final = boxes.is_final and certain
    return corners


def set_units(boxes, box_units, array, corners):
    """Set unit_x and unit_y of a FrameBoxes, whose `tensor` and `layout` are those of the boxes.

    is_final becomes False if the numbers of this frame do not show the unit, for example if all are zero.
    """
    tensor = boxes.tensor
    pixels = box_units == "pixels"
    if box_units is None and (tensor.dtype == FLOAT or tensor.largest() > 8.0):
        center = mean_center(tensor, boxes.layout, array, 4 if corners else 2)
        boxes.is_final = boxes.is_final and center > 0.0
        pixels = center > 2.0
    boxes.unit_x, boxes.unit_y = same_floats(tensor.scale) * np.array((1, 1) if pixels else boxes.size)


def mean_center(tensor, layout, array, channels):
    """The mean of the boxes' centers (of their corners, for 4 channels) in both directions; 0.0 if there is none.

    The anchors of a raw head cover the whole input. So the mean is about .5 for boxes in 0..1 and half the input's side
    for boxes in pixels. Widths and heights do not show the unit: weak anchors of a real network have boxes that are
    several times as large as the input (DFL allows 30 cells of stride 32 each).
    """
    raw = layout.columns(array, 0, channels)
    if tensor.dtype != FLOAT:
        raw = np.array(raw, dtype=np.float) - float(tensor.zero_point)
    mean = float(np.mean(raw))
    if not 0.0 <= mean <= 2.0:  # pixels, or NaN, infinity or nonsense in some of them
        raw = np.array(raw, dtype=np.float)
        raw = np.where(raw * raw < 1e12, raw, 0.0)
        mean = float(np.mean(raw))
    used = float(np.mean(raw != 0.0))  # not the rows of zeros at the end of an end-to-end head
    return mean / used * tensor.scale if used else 0.0


def _may_be_rows(layout, extra):
    """Whether a raw head of this layout has the shape of an end-to-end head too. `extra` is what `choose` returns."""
    channels, anchors, _ = layout
    if extra >= 0:
        return channels - 6 == extra
    return channels % 3 == 0 or anchors % 3 == 0 and 6 < anchors <= _MOST_COLUMNS and channels <= _MOST_ROWS


class RawDecoder(Decoder):
    """Finds detections in a head [1, 4 + classes + extra channels, anchors] or the transpose: a search, then suppression.

    end_to_end.EndToEndDecoder has the same methods, for networks that suppress overlaps themselves.

    corners     the CornerBoxes that read the boxes of the candidates, or None for cx, cy, w, h
    """

    corners = None

    def __init__(self, tensor, layout, classes, labels, options, shared, first=4):
        """`shared` is another RawDecoder of the same processor, whose buffers this one uses too, or None.

        first   the channel of the first class: in rows of YOLOv6, which have an objectness of 1, it is 5
        """
        super().__init__(classes, labels)
        self.index = tensor.index
        self.share(options, shared, 1)
        # Options are properties: read them once.
        threshold = options.threshold
        cut = tensor.quantize_threshold(threshold)
        self.block = params.candidates(
            dtype=tensor.dtype,
            anchors=layout.anchors,
            channels=layout.channels,
            channel_step=layout.channel_step,
            anchor_step=layout.anchor_step,
            first_class=first,
            classes=classes,
            zero_point=tensor.zero_point,
            cut=cut,
            capacity=self.capacity,
            allowed=self.allowed(options),
        )
        # The threshold in raw units, for scores that Soft-NMS has decayed. A score that passed the search passes it too.
        if tensor.dtype == FLOAT:
            self.least = np.array([threshold])[0]  # as float32, like the scores
        else:
            self.least = min(threshold / tensor.scale, cut - tensor.zero_point)

    def share(self, options, shared, lists):
        """Set the buffers, of so many lists of candidates, and what suppresses: those of another decoder, or new ones."""
        self.capacity = options.max_candidates
        if shared:
            self.suppression, self.buffers = shared.suppression, shared.buffers
        else:
            self.suppression, self.buffers = _suppression_of(options), _buffers_of(options, lists)

    def find(self, outputs):
        """Find the detections in the model's outputs and return how many.

        indices[2] then has their positions in values and indices, best first.
        """
        count = self.search(outputs)
        if count and self.corners:
            self.corners.read(outputs, self.buffers, count)
        return self.suppressed(count) if count else 0

    def search(self, outputs):
        """Find the candidates, best first, and return how many."""
        values, indices, _ = self.buffers
        return box_kernels.candidates(outputs[self.index], self.block, values, indices)

    def suppressed(self, count):
        """Suppress the overlaps of the candidates in the buffers, and return how many are left."""
        values, indices, _ = self.buffers
        hard, soft = self.suppression
        if soft:
            return soft(count, values, indices, self.least)
        hard[params.SUPPRESS_COUNT] = count
        return box_kernels.suppress(hard, values, indices)


def _suppression_of(options):
    """(parameter block of the kernel `suppress`, SoftSuppressor or None)."""
    capacity = options.max_candidates
    most = min(options.max_detections, capacity)
    sigma = options.nms_sigma
    class_agnostic = options.class_agnostic
    hard = params.suppress(0, options.iou_threshold, 1 if class_agnostic else 0, most, capacity)
    if not sigma:
        return hard, None
    from .soft_nms import SoftSuppressor

    return hard, SoftSuppressor(sigma, class_agnostic, most)


def _buffers_of(options, lists):
    capacity = options.max_candidates
    most = min(options.max_detections, capacity)
    # Not np.zeros, which takes fifteen instructions per byte.
    values = np.frombuffer(bytearray(lists * 4 * 5 * capacity), dtype=np.float).reshape((lists * 5, capacity))
    indices = np.frombuffer(bytearray(lists * 2 * 3 * capacity), dtype=np.uint16).reshape((lists * 3, capacity))
    return values, indices, array("i", bytes(4 * (params.MASK_TABLE + params.ROW * most)))
