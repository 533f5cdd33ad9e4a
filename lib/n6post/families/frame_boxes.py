"""From a model's outputs to detections: what all detectors of boxes share.

A decoder finds boxes in a model's outputs, in units of its own. FrameBoxes brings them to the frame and makes a Detection
of each, with what the family adds: masks, keypoints or angles.
"""

from math import log

from micropython import const
from ulab import numpy as np

from ..kernels import boxes as box_kernels
from ..kernels.params import boxes as params
from ..pixels.rounding import NUDGE, same_floats
from ..results.detection import Detection
from ..tensors.options import Options, name_list, number
from .processor import ModelBinding, Processor

_SIDES = const(16)  # how far from the input a box may reach, in sides of it: DFL allows 30 cells
_SATURATED = 16.6355  # 24 * ln 2: the sigmoid of larger numbers is 1 in float32


class Detector(Processor):
    """The options of all detectors of boxes. A family's `_bind` returns its FrameBoxes."""

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    iou_threshold = _option("iou_threshold", 0.5, number, 0.0, 1.0)
    max_detections = _option("max_detections", 20, number, 1, 65535)
    max_candidates = _option("max_candidates", 100, number, 1, 65535)
    labels = _option("labels", None, name_list)


class Decoder:
    """Finds boxes in a model's outputs, in raw units: the base of the decoders of most families.

    names       by class number: the class name, or None if it was not needed so far
    buffers     (values, indices, table), as kernels/portable/boxes.py takes them
    capacity    how many boxes fit into the buffers
    """

    buffers = ()  # type: tuple
    capacity = 0

    def __init__(self, classes, labels):
        self.classes = classes
        self.labels = labels
        self.names = [None] * classes

    def find(self, outputs):
        """Find the boxes of this frame and return how many. indices[2] then has their positions in values and indices."""
        raise NotImplementedError

    def allowed(self, options):
        """The numbers of the classes that may pass, () for all."""
        allowed = getattr(options, "classes", None) or ()  # a family of one class has no such option
        if allowed:
            from ..tensors.labels import classes

            allowed = classes("classes", allowed, self.classes, self.name_of)
        return allowed

    def name_of(self, class_id):
        """The label of a class, or its number as text. It is kept for the next frame."""
        labels = self.labels
        if labels is None:
            from ..tensors.label_sets import class_name

            name = class_name(class_id, self.classes)
        else:
            name = labels[class_id] if class_id < len(labels) else str(class_id)
        self.names[class_id] = name
        return name


class Extras:
    """What a task adds to boxes: here nothing. Others have masks, keypoints or angles, and some of these attributes besides.

    window      parameters of boxes_to_frame
    make        makes a Detection from its six fields
    masks       masks(outputs, table, size, count): what the masks of a frame share. Its first item is the table with the
                rows of the detections that remain, and their number; the windows of their masks have `size` bytes
    mask        mask(shared, entry): a mask, whose row begins at `entry`
    keypoints   keypoints(outputs, anchor)
    turn        turn(detections, labels, table, kept): sets the corners of detections
    threshold   score from which a keypoint is shown

    kind        "boxes", "masks", "keypoints" or "angles"
    count       how many outputs a raw head has
    """

    window = {}  # type: dict
    kind = "boxes"
    count = 1
    expected_outputs = "a head [1, 4 + classes, N] or [1, rows, 6]"

    def choose(self, boxes, options):
        """The OutputTensor of a raw head, and how many channels it has besides boxes and classes.

        Below 0: some per keypoint. `extra_channels(boxes, options, rows, array)` says how many when the layout is known.
        """
        return boxes.outputs[0], 0

    def complete(self, boxes, options, outputs, rows):
        """Prepare what else a raw head needs. Its layout and units are known by now."""

    def of_split(self, boxes, options, outputs, layout, parts):
        """The same for a split head: returns the Extras for it. `layout` and `parts` as of split_head.examine."""
        return self

    def decoder_of(self, boxes, options, outputs, rows):
        """The decoder to use instead of that in `boxes`."""
        return boxes.decoder

    def set_transform(self, boxes, transform):
        """Prepare everything that depends on the transform from model input to frame."""


class FrameBoxes(ModelBinding):
    """The boxes that a decoder finds become detections in frame pixels.

    A family reads a model's outputs once, in the first frame, and then sets

    decoder         the Decoder that finds the boxes
    labels          the class names or None
    classes         how many there are
    unit_x, unit_y  model input pixels for one unit of the boxes
    score_scale     what one unit of the scores is
    extras          the Extras that the family adds
    """

    decoder = None  # type: Decoder
    extras = Extras()
    labels = None  # type: list
    classes = 0
    unit_x = unit_y = score_scale = 1.0

    def __init__(self, model, outputs, count, expected_outputs):
        self.count = count
        self.expected_outputs = expected_outputs
        super().__init__(model, outputs)

    def set_transform(self, transform):
        extras, decoder = self.extras, self.decoder
        x, y, w, h = transform.roi
        ax, ay = same_floats(self.unit_x, self.unit_y) * same_floats(transform.sx, transform.sy)
        bx, by = same_floats(transform.ox, transform.oy) - np.array([x, y]) + NUDGE
        self.block = params.boxes_to_frame(
            kept=0,
            capacity=decoder.capacity,
            width=w,
            height=h,
            ax=ax,
            bx=bx,
            ay=ay,
            by=by,
            scale=self.score_scale,
            **extras.window
        )  # fmt: skip
        self.guard_units = unit, unit_x, unit_y = self.score_scale, float(self.unit_x), float(self.unit_y)
        self.possible = self.most_score / unit, _SIDES * self.size[0] / unit_x, _SIDES * self.size[1] / unit_y
        self.best = decoder.buffers[0][:, 0]  # x1, y1, x2, y2 and score of the best box
        self.usual = w, h, params.bits(self.most_score)
        extras.set_transform(self, transform)
        self.masks = getattr(extras, "masks", None)
        # In a family with masks the rows follow the parameter block of prototype_mask.
        self.first = params.MASK_TABLE if self.masks else 0
        self.turn = getattr(extras, "turn", None)
        _, threshold = Detection._source
        self.making = (
            decoder.names,
            decoder.name_of,
            getattr(extras, "make", Detection),
            getattr(extras, "mask", None),
            getattr(extras, "keypoints", None),
            x,
            y,
            (transform.frame_size, getattr(extras, "threshold", threshold)),
        )

    def result(self, outputs):
        entry = params.BOXES_TO_FRAME_KEPT
        block = self.block
        block[entry] = kept = self.decoder.find(outputs)
        if not kept:
            return []
        values, indices, table = self.decoder.buffers
        first = self.first
        size = box_kernels.boxes_to_frame(block, values, indices, memoryview(table)[first:] if first else table)
        shown = block[entry]  # without boxes that have no pixel in the frame
        self.check_best(table, first, shown < kept)
        if not shown:
            return []
        if first:
            shared = self.masks(outputs, table, size, shown)
            table = shared[0]
            return box_kernels.make_detections(
                self.making, outputs, shared, table, first, table[params.MASK_ROWS] // params.ROW
            )
        detections = box_kernels.make_detections(self.making, outputs, None, table, 0, shown)
        if self.turn:
            self.turn(detections, indices, table, kept)
        return detections

    def check_best(self, table, at, hidden):
        """Call `guard` if its limits may be exceeded: a few integers show it, because reading the box costs 4,000
        instructions.

        table, at   the table of boxes_to_frame, and where its first row begins
        hidden      whether a box has no row, because it has no pixel in the frame
        """
        width, height, most = self.usual
        fills = table[at + params.ROW_W] == width and table[at + params.ROW_H] == height
        if hidden or fills or table[at + params.ROW_SCORE] > most:
            x1, y1, x2, y2, score = self.best
            self.guard(score, (x1, y1, x2, y2))


def labels_of(options, model):
    """The labels of the option, else those of the model; None if there are none."""
    labels = options.labels
    return name_list("labels", getattr(model, "labels", None) or None) if labels is None else labels


def shared_decoder(options, kind):
    """The decoder of this kind that another model of the processor has, so that its buffers serve both; None without one."""
    found = None
    for other in options._bindings:
        decoder = getattr(other.decoder, "inner", other.decoder)
        if isinstance(decoder, kind):
            found = decoder
    return found


def logit(score, sigmoid):
    """What a network puts out for this score (its logit, if the scores are logits), or a little less.

    Less, because the camera's logarithm is not exact.
    """
    if not sigmoid:
        return score
    limit = -1e9
    if score > 0.0:
        limit = min(log(score / (1.0 - score)), _SATURATED) if score < 1.0 else _SATURATED
    return limit - 2e-6 * (1.0 + abs(limit))
