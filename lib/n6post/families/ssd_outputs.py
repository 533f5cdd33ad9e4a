"""SSD networks that put out more than scores and boxes.

in      three outputs: scores [1, N, 1 + classes] after the softmax, class 0 is the background, boxes [1, N, 4] and priors
        [1, N, 4], as in ST's st_ssd_mobilenet_v1 and ssd_mobilenet_v2_fpnlite. Or four: boxes [1, n, 4], classes [1, n],
        scores [1, n] and their number [1], as TensorFlow's TFLite_Detection_PostProcess puts them out. In any order
out     as in ssd.py

ST: priors are corners x1, y1, x2, y2 in parts of the input, and boxes the distances of the corners from those, in sizes of
the prior: x1 = t1 * (px2 - px1) + px1, x2 = t3 * (px2 - px1) + px2 (decode_ssd_predictions in ST's model zoo).

TensorFlow: boxes are y1, x1, y2, x2 in parts of the input, classes are numbered from 0 without the background, and overlaps
are suppressed already.

Imported when a model has three or four outputs.
"""

from array import array

from ulab import numpy as np

from ..kernels import params
from ..kernels.boxes import candidates, suppress
from ..pixels.rounding import same_floats
from ..tensors.head_layout import HeadLayout
from ..tensors.label_sets import without_background
from ..tensors.lazy import module
from ..tensors.quantization import OutputTensor
from .end_to_end import EndToEndHead
from .processor import ModelBinding
from .ssd import are_logits, refused, rows_of
from .yolov8 import BoxBinding, RawHead, labels_of


class CornerBinding(BoxBinding):
    """Scores, boxes and priors."""

    expected_outputs = "scores [1, N, 1 + classes], boxes [1, N, 4] and priors [1, N, 4]"
    count = 3

    def __init__(self, options, model, outputs):
        ModelBinding.__init__(self, model, outputs)
        if options.priors:
            raise ValueError("priors: expected None for a network that puts out its priors, got %r" % (options.priors,))
        if options.box_order:
            raise ValueError("box_order: expected None for a network that puts out its priors, got %r" % options.box_order)
        scores, boxes, priors = self._told_apart(outputs)
        rows, columns = rows_of(scores)
        classes = self.classes = columns - 1
        if rows > 65535 or classes > 65535:  # as in BoxBinding
            raise ValueError("expected at most 65535 priors and 65535 classes, got %d and %d" % (rows, classes))
        logits, self.is_final = are_logits(scores, outputs[scores.index], self.is_final)
        if logits:
            raise ValueError("expected scores after the softmax beside priors, got logits in %s" % scores)
        self.labels = without_background(labels_of(options, model), classes, options.labels is not None)
        self.unit_x, self.unit_y = self.size
        self.score_scale = scores.scale
        self.window = {}
        self.head = CornerHead(scores, boxes, priors, classes, self.labels, options)

    def _told_apart(self, outputs):
        """The outputs with the scores, the boxes and the priors."""
        tables = [rows_of(tensor) for tensor in self.outputs]
        fours = [i for i in range(3) if tables[i][1] == 4 and tables[i][0]]
        if len(fours) < 2 or tables[0][0] != tables[1][0] or tables[1][0] != tables[2][0] or min(tables)[1] < 2:
            raise refused(self)
        priors = [i for i in fours if _are_corners(outputs[i])]
        if len(priors) != 1:
            raise ValueError(
                "expected one output [1, N, 4] of priors with x1 < x2 and y1 < y2, got %d such outputs" % len(priors)
            )
        fours.remove(priors[0])
        if len(fours) == 2:  # three classes
            fours = [i for i in fours if float(np.min(outputs[i])) < self.outputs[i].zero_point]
            if len(fours) != 1:
                raise ValueError("expected one output [1, N, 4] of boxes with numbers below 0, got %d" % len(fours))
        (scores,) = [i for i in range(3) if i != fours[0] and i != priors[0]]
        return self.outputs[scores], self.outputs[fours[0]], self.outputs[priors[0]]


class CornerHead(RawHead):
    """Finds detections in scores, boxes and priors."""

    def __init__(self, scores, boxes, priors, classes, labels, options):
        self.index = scores.index
        self.classes = classes
        self.labels = labels
        self.names = [None] * classes
        rows = boxes.size // 4
        allowed = options.classes or ()
        if allowed:
            allowed = module("tensors.labels").classes("classes", allowed, classes, self.name_of)
        capacity = self.capacity = min(options.max_candidates, rows)
        most = min(options.max_detections, capacity)
        values = np.frombuffer(bytearray(20 * capacity), dtype=np.float).reshape((5, capacity))
        numbers = np.frombuffer(bytearray(6 * capacity), dtype=np.uint16).reshape((3, capacity))
        self.buffers = values, numbers, array("i", bytes(4 * params.ROW * most))
        self.drop = params.suppress(0, options.iou_threshold, 1 if options.class_agnostic else 0, most, capacity)
        self.block = params.candidates(
            dtype=scores.dtype,
            anchors=rows,
            channels=1 + classes,
            channel_step=1,
            anchor_step=1 + classes,
            first_class=1,
            classes=classes,
            zero_point=scores.zero_point,
            cut=scores.quantize_threshold(options.threshold),
            capacity=capacity,
            allowed=allowed,
        )
        self.pair = boxes, priors

    def find(self, outputs):
        values, labels, _ = self.buffers
        count = candidates(outputs[self.index], self.block, values, labels)
        if not count:
            return 0
        anchors = [int(anchor) for anchor in labels[0, :count]]
        offsets, corners = [_taken(tensor, outputs[tensor.index], anchors) for tensor in self.pair]
        for axis in (0, 1):
            side = corners[axis + 2] - corners[axis]
            for k in (axis, axis + 2):
                values[k, :count] = offsets[k] * side + corners[k]
        self.drop[params.SUPPRESS_COUNT] = count
        return suppress(self.drop, values, labels)


def _are_corners(array):
    """Whether these are corners x1, y1, x2, y2 of boxes."""
    grid = array.reshape((array.size // 4, 4))
    return bool(np.all(grid[:, 2] > grid[:, 0]) and np.all(grid[:, 3] > grid[:, 1]))


def _taken(tensor, array, anchors):
    """The real numbers of these rows: (4, number of rows)."""
    rows = np.take(array.reshape((tensor.size // 4, 4)), anchors, axis=0)
    rows = (np.array(rows, dtype=np.float) - float(tensor.zero_point)) * same_floats(tensor.scale)
    return rows.transpose()


class FinishedBinding(BoxBinding):
    """Boxes, classes and scores after TFLite_Detection_PostProcess, and how many there are."""

    expected_outputs = (
        "boxes [1, n, 4], classes [1, n], scores [1, n] and their number [1], as of TFLite_Detection_PostProcess"
    )
    count = 4

    def __init__(self, options, model, outputs):
        ModelBinding.__init__(self, model, outputs)
        if options.priors:
            raise ValueError("priors: expected None for a network that decodes its boxes, got %r" % (options.priors,))
        if options.box_order:
            raise ValueError("box_order: expected None for a network that decodes its boxes, got %r" % options.box_order)
        self.roles = self._told_apart(outputs)
        rows = self.outputs[self.roles[0]].size // 4
        labels = labels_of(options, model)
        if labels and labels[0] in ("???", "background"):  # as in TensorFlow's label maps
            labels = labels[1:] or None
        self.labels = labels
        self.rows = np.zeros((1, rows, 6))
        self.unit_x, self.unit_y = self.size
        self.score_scale = 1.0
        self.window = {}
        layout = HeadLayout(6, rows, False)
        self.head = EndToEndHead(OutputTensor(model, 0, self.rows), layout, labels, options)

    def _told_apart(self, outputs):
        """The indices of boxes, classes, scores and count."""
        sizes = [tensor.size for tensor in self.outputs]
        boxes = [i for i in range(4) if self.outputs[i].shape == (1, sizes[i] // 4, 4)]
        counts = [i for i in range(4) if self.outputs[i].shape == (1,)]
        if len(boxes) != 1 or len(counts) != 1:
            raise refused(self)
        one, other = [i for i in range(4) if i != boxes[0] and i != counts[0]]
        for i in (one, other):
            if self.outputs[i].shape != (1, sizes[boxes[0]] // 4):
                raise refused(self)
        # Classes are whole numbers, and so are scores of 0 and 1. If no class is above 1 then, TensorFlow's order decides,
        # until another frame.
        values = [self._real(i, outputs) for i in (one, other)]
        whole = [_are_whole(array) for array in values]
        self.is_final = whole[0] != whole[1]
        if whole[1] and (not whole[0] or float(np.max(values[0])) <= 1.0 < float(np.max(values[1]))):
            one, other = other, one
        return boxes[0], one, other, counts[0]

    def _real(self, index, outputs):
        tensor = self.outputs[index]
        array = outputs[index]
        if tensor.scale != 1.0 or tensor.zero_point:
            array = (np.array(array, dtype=np.float) - float(tensor.zero_point)) * same_floats(tensor.scale)
        return array

    def result(self, outputs):
        boxes, classes, scores, count = [self._real(i, outputs) for i in self.roles]
        grid = self.rows[0]
        rows = len(grid)
        boxes = boxes.reshape((rows, 4))
        for k in range(4):
            grid[:, k] = boxes[:, k ^ 1]
        grid[:, 4] = scores.reshape((rows,))
        grid[:, 5] = classes.reshape((rows,))
        count = float(count[0])
        if 0.0 <= count < rows:  # what follows is undefined
            grid[int(count) :, 4] = -1.0
            grid[int(count) :, 5] = 0.0
        return super().result([self.rows])


def _are_whole(array):
    return bool(np.all(np.floor(array) == array))
