"""Split heads of YOLO networks: boxes, class scores, coefficients and keypoints are separate outputs with their own scales.

in      maps [1, h, w, 64 + classes], or [1, h, w, 64] and [1, h, w, classes], for each stride; or [1, 64, N] and
        [1, classes, N]. 4 channels in place of 64 if the network has no DFL (YOLO26), or for decoded boxes [1, 4, N], as
        centers or corners. int8, uint8, int16 or float32, in either storage order, the outputs in any order. Rockchip's
        (RKNN) have a third map [1, h, w, 1] for each stride, the sum of the class scores, which is not needed
out     a list of Detection, best first, in frame pixels

`n6post optimize` makes such files: it cuts a network above the operators that give all its numbers one scale. There, scores
are logits, and boxes are the logits of DFL. For each frame: search every map for anchors above the threshold, decode their
boxes and scores, then continue as with a raw head.

Imported when a model has more outputs than a raw head. split_pose.py and split_obb.py read keypoints and angles.
"""

from ulab import numpy as np

from ...kernels import boxes as box_kernels
from ...kernels import heads as head_kernels
from ...kernels.params import boxes as params
from ...kernels.params import heads as head_params
from ...tensors.quantization import FLOAT
from ..frame_boxes import Decoder, FrameBoxes, labels_of, logit, shared_decoder
from .split_layout import split_layouts
from .yolov8 import RawDecoder, has_corners, set_units


def bind(options, model, outputs, extras):
    """The FrameBoxes of a split head. `extras` as for yolov8.read."""
    boxes = FrameBoxes(model, outputs, len(outputs), extras.expected_outputs)
    layout, parts, corners = examine(boxes, extras, options, model, outputs)
    if layout.sums:
        from .split_probe import are_sums

        found, certain = are_sums(layout, layout.sums, boxes.outputs, outputs)
        boxes.is_final = boxes.is_final and certain
        if not found:
            if not boxes.labels and layout.classes % 3 == 0:
                raise ValueError(
                    "expected sums of class scores, got other numbers in %s: use n6post.YoloV8Obb() if they are angles,"
                    " or n6post.YoloV8Pose() for keypoints, with labels, one per class"
                    % boxes.outputs[layout.sums[0][0]]
                )
            # They are oriented boxes. The package loads a family on first use.
            return bind(options, model, outputs, __import__("n6post").YoloV8Obb._extras())
    extras = extras.of_split(boxes, options, outputs, layout, parts)
    scores = [boxes.outputs[part.scores[0]] for part in layout.parts]
    logits = False
    if not layout.sums:  # sums are those of probabilities
        logits, certain = are_logits(scores, [outputs[tensor.index] for tensor in scores])
        boxes.is_final = boxes.is_final and certain
    decoder = SplitDecoder(layout, boxes.outputs, logits, boxes.labels, options, shared_decoder(options, SplitDecoder))
    decoder.corners = corners
    boxes.decoder = decoder
    boxes.extras = extras
    boxes.decoder = extras.decoder_of(boxes, options, outputs, False)
    return boxes


def examine(boxes, extras, options, model, outputs):
    """Find out which output of a split head has what, and set the labels, classes and units of a FrameBoxes.

    Returns the SplitLayout, the outputs with mask coefficients, keypoints or angles by ascending anchors ((first anchor,
    OutputTensor, HeadLayout) for each), and the CornerBoxes of decoded boxes, or None. Of decoded boxes, sets `tensor` and
    `layout`.
    """
    kind = extras.kind
    tensors = boxes.outputs
    found = split_layouts([tensor.shape for tensor in tensors], boxes.size, kind)
    if not found:
        from ...tensors.errors import split_refused

        raise split_refused(tensors, extras.count, boxes.expected_outputs, kind, boxes.size)
    labels = boxes.labels = labels_of(options, model)
    if labels:
        found = [layout for layout in found if len(labels) in (layout.classes, keypoint_count(layout, kind))] or found
    if kind == "keypoints" and options.class_count:
        counts = [layout.classes for layout in found]
        if options.class_count not in counts:
            raise ValueError("class_count: expected %d, as the head has, got %d" % (counts[0], options.class_count))
        found = [layout for layout in found if layout.classes == options.class_count]
    if options.box_order:
        found = [layout for layout in found if layout.bins == 0] or found
    layout = found[0]
    if len(found) > 1:
        from .split_probe import settle

        layout, boxes.is_final = settle(found, tensors, outputs)
    if layout.bins == 1:
        from .split_probe import check_distances

        check_distances(layout, tensors, outputs)
    if layout.parts[0].scores[2] and not labels:
        from .split_probe import check_joined

        check_joined(layout, tensors, outputs)
    boxes.classes = classes = layout.classes
    anchors = sum([part.scores[1].anchors for part in layout.parts])
    if anchors > 65535 or classes > 65535:  # as of a raw head
        raise ValueError("expected at most 65535 anchors and 65535 classes, got %d and %d" % (anchors, classes))
    if labels and len(labels) == keypoint_count(layout, kind) != classes:
        boxes.labels = None  # they are the names of the keypoints
    elif options.labels and labels:
        from ...tensors.label_sets import checked_names

        boxes.labels = checked_names(options.labels, classes)
    corners = None
    if layout.bins == 0:
        index, boxes.layout, _ = layout.parts[0].boxes
        boxes.tensor = tensors[index]
        ordered = has_corners(boxes, options, outputs[index], False, kind)
        set_units(boxes, options.box_units, outputs[index], ordered)
        if ordered:
            from .box_order import CornerBoxes

            corners = CornerBoxes(boxes.tensor, boxes.layout)
    elif options.box_order:
        raise ValueError("box_order: expected None for distances from cells to sides, got %r" % options.box_order)
    return layout, [(first, tensors[index], extra) for first, index, extra in layout.extras], corners


def keypoint_count(layout, kind):
    """How many keypoints a SplitLayout of this kind has."""
    return layout.extras[0][2].channels // 3 if kind == "keypoints" else 0


def are_logits(tensors, arrays):
    """(logits?, certain?) of class scores, before or after the sigmoid. Not certain if all of them are constant, as the
    probabilities of a dark frame.

    tensors, arrays     OutputTensors and arrays of the scores, for each stride or for all of them
    """
    constant = True
    for tensor, array in zip(tensors, arrays):
        if tensor.dtype != FLOAT and tensor.least() > -1.50001:  # symmetric integers reach from -1 to 1
            return False, True
        least = np.min(array)
        # Rounding may put a probability one step below 0, but not as far as that.
        if (float(least) - tensor.zero_point) * tensor.scale < -0.50001:
            return True, True
        constant = constant and least == np.max(array)
    return constant and float(least) > 1.5, not constant


class SplitDecoder(RawDecoder):
    """Finds detections in the outputs of a split head.

    parts   for each SplitPart: OutputTensor of the scores, parameter block of candidates, index of the boxes, block of
            decode_boxes
    logits  whether the scores are logits
    lists   values and labels as decode_boxes takes them, and their second halves: the candidates of one part
    """

    def __init__(self, layout, tensors, logits, labels, options, shared):
        Decoder.__init__(self, layout.classes, labels)
        self.share(options, shared, 2)
        allowed = self.allowed(options)
        if shared:
            self.lists = shared.lists
        else:
            values, numbers, table = self.buffers
            self.lists = values, numbers, values[5:], numbers[3:]
            self.buffers = values[:5], numbers[:3], table
        threshold = options.threshold
        # For scores that Soft-NMS has decayed. A score that passed the search in integers may be a little less.
        self.least = np.array([threshold * 0.99999])[0]
        self.logits = logits
        limit = logit(threshold, logits)
        parts = []
        for part in layout.parts:
            index, score_layout, first_class = part.scores
            tensor = tensors[index]
            search = params.candidates(
                dtype=tensor.dtype,
                anchors=score_layout.anchors,
                channels=score_layout.channels,
                channel_step=score_layout.channel_step,
                anchor_step=score_layout.anchor_step,
                first_class=first_class,
                classes=layout.classes,
                zero_point=tensor.zero_point,
                cut=tensor.quantize_threshold(limit),
                capacity=self.capacity,
                allowed=allowed,
            )
            box_index, box_layout, _ = part.boxes
            boxes = tensors[box_index]
            decode = head_params.decode_boxes(
                dtype=boxes.dtype,
                anchors=box_layout.anchors,
                channels=box_layout.channels,
                channel_step=box_layout.channel_step,
                anchor_step=box_layout.anchor_step,
                zero_point=boxes.zero_point,
                bins=layout.bins,
                scale_x=boxes.scale if layout.bins else 1.0,
                scale_y=boxes.scale if layout.bins else 1.0,
                score_scale=tensor.scale,
                sigmoid=1 if logits else 0,
                least=threshold if tensor.dtype == FLOAT else 0.0,
                first=part.first,
                capacity=self.capacity,
                levels=part.levels,
            )
            parts.append((tensor, search, box_index, decode))
        self.parts = parts

    def search(self, outputs):
        """Find the candidates, best first, and return how many."""
        values, indices, found_values, found_indices = self.lists
        count = 0
        for tensor, search, boxes, decode in self.parts:
            if count == self.capacity:
                search = self._raised(tensor, search, values[4, count - 1])
            found = box_kernels.candidates(outputs[tensor.index], search, found_values, found_indices)
            if found:
                decode[head_params.DECODE_COUNT] = found
                decode[head_params.DECODE_TOTAL] = count
                count = head_kernels.decode_boxes(outputs[boxes], decode, values, indices)
        return count

    def _raised(self, tensor, search, score):
        """The parameter block with a higher cut: in a crowd, scores below the last one that fits need not be found."""
        cut = tensor.quantize_threshold(logit(score, self.logits))
        if tensor.dtype == FLOAT:
            cut = params.bits(cut)
        elif cut < search[params.CANDIDATES_CUT]:
            return search
        search = search[:]
        search[params.CANDIDATES_CUT] = cut
        return search
