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

from ...kernels import boxes as box_kernels
from ...kernels.params import boxes as params
from ...pixels.rounding import same_floats
from ...tensors.head_layout import HeadLayout
from ...tensors.label_sets import without_background
from ...tensors.quantization import OutputTensor
from ..end_to_end import EndToEndDecoder
from ..frame_boxes import Decoder, FrameBoxes, labels_of
from .ssd import SsdBoxes, are_corners, are_logits, refused, rows_of


def priors(options, model, outputs):
    """The FrameBoxes of scores, boxes and priors, or of a RetinaFace, which has keypoints instead of priors."""
    expected = "scores [1, N, 1 + classes], boxes [1, N, 4] and priors [1, N, 4], or keypoints [1, N, 10] beside two scores"
    found = FrameBoxes(model, outputs, 3, expected)
    if sorted([rows_of(tensor)[1] for tensor in found.outputs]) == [2, 4, 10]:
        return SsdBoxes(options, model, outputs)
    _refuse(options, "puts out its priors")
    scores, boxes, corners = _told_apart(found, outputs)
    rows, columns = rows_of(scores)
    classes = found.classes = columns - 1
    if rows > 65535 or classes > 65535:  # as of a raw YOLO head
        raise ValueError("expected at most 65535 priors and 65535 classes, got %d and %d" % (rows, classes))
    logits, found.is_final = are_logits(scores, outputs[scores.index], found.is_final)
    if logits:
        raise ValueError("expected scores after the softmax beside priors, got logits in %s" % scores)
    found.labels = without_background(labels_of(options, model), classes, options.labels is not None)
    found.unit_x, found.unit_y = found.size
    found.score_scale = scores.scale
    found.decoder = CornerDecoder(scores, boxes, corners, classes, found.labels, options)
    return found


def _refuse(options, what):
    for name in ("anchors", "box_order"):
        value = getattr(options, name)
        if value:
            raise ValueError("%s: expected None for a network that %s, got %r" % (name, what, value))


def _told_apart(found, outputs):
    """The outputs with the scores, the boxes and the priors."""
    tables = [rows_of(tensor) for tensor in found.outputs]
    fours = [i for i in range(3) if tables[i][1] == 4 and tables[i][0]]
    if len(fours) < 2 or tables[0][0] != tables[1][0] or tables[1][0] != tables[2][0] or min(tables)[1] < 2:
        raise refused(found)
    priors = [i for i in fours if are_corners(outputs[i])]
    if len(priors) != 1:
        raise ValueError(
            "expected one output [1, N, 4] of priors with x1 < x2 and y1 < y2, got %d such outputs" % len(priors)
        )
    fours.remove(priors[0])
    if len(fours) == 2:  # three classes
        fours = [i for i in fours if float(np.min(outputs[i])) < found.outputs[i].zero_point]
        if len(fours) != 1:
            raise ValueError("expected one output [1, N, 4] of boxes with numbers below 0, got %d" % len(fours))
    (scores,) = [i for i in range(3) if i != fours[0] and i != priors[0]]
    return found.outputs[scores], found.outputs[fours[0]], found.outputs[priors[0]]


class CornerDecoder(Decoder):
    """Finds detections in scores, boxes and priors."""

    def __init__(self, scores, boxes, priors, classes, labels, options):
        super().__init__(classes, labels)
        self.index = scores.index
        rows = boxes.size // 4
        allowed = self.allowed(options)
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
        values, indices, _ = self.buffers
        count = box_kernels.candidates(outputs[self.index], self.block, values, indices)
        if not count:
            return 0
        anchors = [int(anchor) for anchor in indices[0, :count]]
        offsets, corners = [_taken(tensor, outputs[tensor.index], anchors) for tensor in self.pair]
        for axis in (0, 1):
            side = corners[axis + 2] - corners[axis]
            for k in (axis, axis + 2):
                values[k, :count] = offsets[k] * side + corners[k]
        self.drop[params.SUPPRESS_COUNT] = count
        return box_kernels.suppress(self.drop, values, indices)


def _taken(tensor, array, anchors):
    """The real numbers of these rows: (4, number of rows)."""
    rows = np.take(array.reshape((tensor.size // 4, 4)), anchors, axis=0)
    rows = (np.array(rows, dtype=np.float) - float(tensor.zero_point)) * same_floats(tensor.scale)
    return rows.transpose()


def finished(options, model, outputs):
    """The FrameBoxes of boxes, classes and scores after TFLite_Detection_PostProcess, and how many there are."""
    expected = "boxes [1, n, 4], classes [1, n], scores [1, n] and their number [1], as of TFLite_Detection_PostProcess"
    found = FrameBoxes(model, outputs, 4, expected)
    _refuse(options, "decodes its boxes")
    tensors, found.is_final = _in_order(found, outputs)
    labels = labels_of(options, model)
    if labels and labels[0] in ("???", "background"):  # as in TensorFlow's label maps
        labels = labels[1:] or None
    found.labels = labels
    found.unit_x, found.unit_y = found.size
    found.decoder = FinishedDecoder(model, tensors, labels, options)
    return found


def _in_order(found, outputs):
    """The outputs with boxes, classes, scores and count, and whether that is certain."""
    tensors = found.outputs
    sizes = [tensor.size for tensor in tensors]
    boxes = [i for i in range(4) if tensors[i].shape == (1, sizes[i] // 4, 4)]
    counts = [i for i in range(4) if tensors[i].shape == (1,)]
    if len(boxes) != 1 or len(counts) != 1:
        raise refused(found)
    one, other = [i for i in range(4) if i != boxes[0] and i != counts[0]]
    for i in (one, other):
        if tensors[i].shape != (1, sizes[boxes[0]] // 4):
            raise refused(found)
    # Classes are whole numbers, and so are scores of 0 and 1. If no class is above 1 then, TensorFlow's order decides,
    # until another frame.
    values = [_real(tensors[i], outputs) for i in (one, other)]
    whole = [_are_whole(array) for array in values]
    if whole[1] and (not whole[0] or float(np.max(values[0])) <= 1.0 < float(np.max(values[1]))):
        one, other = other, one
    return [tensors[i] for i in (boxes[0], one, other, counts[0])], whole[0] != whole[1]


def _real(tensor, outputs):
    array = outputs[tensor.index]
    if tensor.scale != 1.0 or tensor.zero_point:
        array = (np.array(array, dtype=np.float) - float(tensor.zero_point)) * same_floats(tensor.scale)
    return array


class FinishedDecoder(EndToEndDecoder):
    """Finds boxes in outputs of TFLite_Detection_PostProcess: they become the rows of an end-to-end head."""

    def __init__(self, model, tensors, labels, options):
        self.tensors = tensors
        count = tensors[0].size // 4
        self.rows = np.zeros((1, count, 6))
        super().__init__(OutputTensor(model, 0, self.rows), HeadLayout(6, count, False), labels, options)

    def find(self, outputs):
        boxes, classes, scores, count = [_real(tensor, outputs) for tensor in self.tensors]
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
        return super().find([self.rows])


def _are_whole(array):
    return bool(np.all(np.floor(array) == array))
