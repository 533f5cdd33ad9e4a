"""Detectors with anchors: one search over maps and anchors for all of their families.

in      for each stride, or for all of them, boxes, scores, objectness and keypoints relative to the cells of a map: int8,
        uint8, int16 or float32, each output with its own scale
out     a list of Detection, best first, in frame pixels

A family says in a GridForm which output has what, and how its numbers become boxes. For each frame: search every part for
anchors above the threshold, compute their scores, decode their boxes and keypoints, rank the candidates of all parts, and
suppress overlaps. Then continue as with a raw YOLO head.
"""

from array import array
from collections import namedtuple

from ulab import numpy as np

from ...kernels import anchors as anchor_kernels
from ...kernels import boxes as box_kernels
from ...kernels import heads as head_kernels
from ...kernels.params import anchors as anchor_params
from ...kernels.params import boxes as params
from ...kernels.params import heads as head_params
from ...kernels.params.anchors import BLEND_COUNT, DECODE_ANCHORS_COUNT, DECODE_ANCHORS_TOTAL, RANK_TOTAL, SCORE_COUNT
from ...kernels.params.heads import KEYPOINTS_FIRST
from ...pixels.rounding import same_floats, unsee_outside
from ...tensors.head_layout import HeadLayout
from ...tensors.options import Options, class_filter, flag
from ...tensors.quantization import FLOAT
from ..frame_boxes import Decoder, Detector, Extras, FrameBoxes, labels_of, logit

# How a number becomes a score, a center or a size.
PLAIN = 0
SIGMOID = 1
SOFTMAX = 2  # scores only
EXP = 1  # sizes only
SQUARED_SIGMOID = 2  # sizes only: (sigmoid of the number)^2


class Channels(namedtuple("Channels", ("output", "layout", "first"))):
    """Where some numbers of each anchor are.

    output  the OutputTensor
    layout  its HeadLayout: anchors x channels, or channels x anchors
    first   the first of these channels
    """


class GridPart(namedtuple("GridPart", ("search", "scores", "boxes", "points", "levels"))):
    """The outputs of one stride, or those of all strides if they are concatenated.

    search  Channels of what the anchors are searched by: the objectness, or the class scores if there is none
    scores  Channels of the class scores that the objectness is multiplied by, or None
    boxes   Channels of the boxes' four numbers
    points  Channels of the keypoints' x and y, or None
    levels  a tuple of (first anchor in this part, cells in a row, stride x, stride y, anchors of a cell), by ascending first
            anchor. A stride is in input pixels. Each anchor of a cell is (gain x, gain y, width, height): see
            decode_anchors in kernels/portable/anchors.py. The anchors of one cell follow each other in the output
    """


class GridForm:
    """How the numbers of a family become scores, boxes and keypoints. Attributes that a family does not set have defaults.

    parts           a tuple of GridPart, by ascending number of their first anchors
    classes         number of classes
    search          PLAIN or SIGMOID: how the numbers that are searched become scores
    scores          PLAIN, SIGMOID or SOFTMAX: how class scores become factors of the objectness
    background      number of channels before the first class that take part in the softmax
    root            whether the score is the square root of the product
    centers, sizes  PLAIN or SIGMOID; PLAIN, EXP or SQUARED_SIGMOID
    size_scale      a factor of the sizes' numbers before EXP
    swapped         whether y comes before x, and height before width
    offset          where the center of a cell is: .5, or 0 for its corner. None: where the gain of its anchors puts
                    the middle of 0..1 into the middle of the cell
    points          number of keypoints
    reach           how far outside of the frame keypoints may be, in frames
    decode          makes of a GridPart the function that decodes its boxes, in place of decode_anchors; or None
    """

    decode = None
    search = scores = centers = sizes = PLAIN
    background = points = 0
    root = swapped = False
    size_scale = 1.0
    offset = 0.5
    reach = 0.0

    def __init__(self, parts, classes):
        self.parts = parts
        self.classes = classes


class GridDetector(Detector):
    """The options of all detectors with anchors and classes. A family's `_bind` returns its own GridBoxes."""

    _option = Options("threshold", Detector._option)
    classes = _option("classes", None, class_filter)
    class_agnostic = _option("class_agnostic", False, flag)


class GridBoxes(FrameBoxes):
    """The boxes of a head with anchors. A family sets `expected_outputs` and writes `form`.

    blends      whether the boxes of one object are blended, instead of dropping all but the best
    """

    expected_outputs = "outputs with anchors"
    blends = False
    counts = (1,)  # type: tuple[int, ...]  # how many outputs the family may have

    def __init__(self, options, model, outputs):
        known = isinstance(outputs, (list, tuple)) and len(outputs) in self.counts
        # The base class refuses any other number of outputs.
        super().__init__(model, outputs, len(outputs) if known else self.counts[0], self.expected_outputs)
        form = self.form(options, outputs)
        self.classes = classes = form.classes
        self.labels = self.label_names(options, model, classes)
        self.limit_score(model, form.parts[0].search.output)
        anchors = sum([part.search.layout.anchors for part in form.parts])
        # The anchor 65535 marks candidates that blend_anchors has dropped, and ulab's argmax is an int16.
        if anchors > 65534 or classes > 32767:
            raise ValueError("expected at most 65534 anchors and 32767 classes, got %d and %d" % (anchors, classes))
        self.decoder = self.decoder_of(form, options)
        if form.points:
            self.extras = GridKeypoints(self.decoder, form)

    def form(self, options, outputs):
        """The GridForm of these outputs; ValueError for outputs that do not belong to the family."""
        raise NotImplementedError

    def label_names(self, options, model, classes):
        """The labels of the classes, or None; ValueError if the option has another number of them."""
        labels = labels_of(options, model)
        if not (options.labels and labels):
            return labels
        from ...tensors.label_sets import checked_names

        return checked_names(labels, classes)

    def take(self, left, channels, width, height, per_cell=1, only_first=False):
        """The Channels of an output for a map of this size: [1, N, channels], another form of it, or a map.

        left        the outputs that are left; it is removed from this list
        per_cell    the anchors of a cell, each with so many channels. In a map with its channels first they have channels of
                    their own: then there is one item for each of them, and otherwise one for all
        only_first  whether the channels come first for certain
        """
        cells = width * height
        rows, together = cells * per_cell, channels * per_cell
        last = (rows, channels), (1, rows, channels), (1, height, width, together)
        first = (1, channels, rows), (1, together, height, width)
        flat = (rows,), (1, rows)
        for shapes in (() if only_first else last + flat if channels == 1 else last, first):
            for position, tensor in enumerate(left):
                shape = tensor.shape
                if shape not in shapes:
                    continue
                del left[position]
                if shape == first[1] and shapes is first:
                    layout = HeadLayout(together, cells, True)
                    return [Channels(tensor, layout, channels * k) for k in range(per_cell)]
                return [Channels(tensor, HeadLayout(channels, rows, shapes is first), 0)]
        raise self.shapes_refused()

    def shapes_refused(self):
        """The ValueError for outputs whose shapes are not those of the family."""
        shapes = ", ".join([str(tensor.shape) for tensor in self.outputs])
        return ValueError(
            "expected %s, got %s and an input of (width, height) %s" % (self.expected_outputs, shapes, self.size)
        )

    def decoder_of(self, form, options):
        return GridDecoder(form, self.labels, options, self.blends)


class GridKeypoints(Extras):
    """What keypoints without scores add to boxes."""

    def __init__(self, decoder, form):
        self.decoder = decoder
        self.shape = form.points, 3
        self.reach = form.reach

    def set_transform(self, boxes, transform):
        x, y, w, h = transform.roi
        far_x, far_y = self.reach * w, self.reach * h
        self.limits = x, y, x + w, y + h
        scale_x, scale_y = same_floats(transform.sx, transform.sy)
        offset_x, offset_y = same_floats(transform.ox, transform.oy)
        self.block = head_params.decode_keypoints(
            dtype=FLOAT,
            keypoints=self.shape[0],
            channel_step=self.decoder.capacity,
            zero_point=0,
            sigmoid=0,
            scale_x=scale_x,
            scale_y=scale_y,
            score_scale=1.0,
            cell_x=0.0,
            cell_y=0.0,
            offset_x=offset_x,
            offset_y=offset_y,
            low_x=x - far_x,
            low_y=y - far_y,
            high_x=x + w + far_x,
            high_y=y + h + far_y,
        )

    def keypoints(self, outputs, position):
        """The keypoints (K, 3) of a candidate: x and y in frame pixels, and 1, or 0 outside of the frame.

        They are clipped to the frame, or at `reach` frames outside of it.
        """
        self.block[KEYPOINTS_FIRST] = position
        points = np.zeros(self.shape)
        head_kernels.decode_keypoints(self.decoder.points, self.block, points)
        if self.reach:
            unsee_outside(points, *self.limits)
        return points


class GridDecoder(Decoder):
    """Finds detections in the outputs of a GridForm.

    lists       values and labels of both lists (kernels/portable/anchors.py), and the second list of each
    buffers     the second list and the table, as kernels/portable/boxes.py takes them
    capacity    how many candidates fit into a list
    points      the rows of the second list with the keypoints
    parts       for each part: index of the searched output, parameter block of candidates, index of the scores, block of
                score_anchors, then the function that decodes boxes, index and block of decode_anchors for the boxes, and for
                the keypoints or None
    """

    def __init__(self, form, labels, options, blends):
        super().__init__(form.classes, labels)
        allowed = self.allowed(options)
        self.most = options.max_candidates
        self.capacity = capacity = sum([min(self.most, part.search.layout.anchors) for part in form.parts])
        rows = 5 + 3 * form.points
        values = np.frombuffer(bytearray(8 * rows * capacity), dtype=np.float).reshape((2 * rows, capacity))
        numbers = np.frombuffer(bytearray(12 * capacity), dtype=np.uint16).reshape((6, capacity))
        most = min(options.max_detections, capacity)
        self.lists = values, numbers, values[rows:], numbers[3:]
        self.buffers = values[rows : rows + 5], numbers[3:], array("i", bytes(4 * params.ROW * most))
        self.points = values[rows + 5 :]
        self.rank = anchor_params.rank_anchors(0, min(self.most, capacity), capacity, rows)
        agnostic = 1 if getattr(options, "class_agnostic", False) else 0
        if blends:
            self.drop = (
                anchor_kernels.blend_anchors,
                anchor_params.blend_anchors(0, options.iou_threshold, agnostic, most, capacity, rows),
            )
        else:
            self.drop = box_kernels.suppress, params.suppress(0, options.iou_threshold, agnostic, most, capacity)
        self.parts = []
        first = 0
        for part in form.parts:
            self.parts.append(_prepared(part, form, first, capacity, rows, options.threshold, allowed))
            first += part.search.layout.anchors

    def find(self, outputs):
        """Find the detections in the model's outputs and return how many.

        indices[2] of `buffers` then has their positions in the second list, best first.
        """
        values, indices, found_values, found_indices = self.lists
        most = self.most
        total = 0
        for search_index, search, score_index, score, decode, box_index, boxes, point_index, points in self.parts:
            count = box_kernels.candidates(outputs[search_index], search, found_values, found_indices)
            if not count:
                continue
            score[SCORE_COUNT] = count
            count = anchor_kernels.score_anchors(outputs[score_index], score, values, indices)
            if not count:
                continue
            if count > most:
                count = most
            boxes[DECODE_ANCHORS_COUNT] = count
            boxes[DECODE_ANCHORS_TOTAL] = total
            decode(outputs[box_index], boxes, values, indices)
            if points:
                points[DECODE_ANCHORS_COUNT] = count
                points[DECODE_ANCHORS_TOTAL] = total
                anchor_kernels.decode_anchors(outputs[point_index], points, values, indices)
            total += count
        if not total:
            return 0
        self.rank[RANK_TOTAL] = total
        count = anchor_kernels.rank_anchors(self.rank, values, indices)
        drop, block = self.drop
        block[BLEND_COUNT] = count  # SUPPRESS_COUNT is the same
        return drop(block, found_values, found_indices)


def square_anchors(count):
    """The anchors of a cell for numbers in input pixels, relative to its center: `count` of them, all the same."""
    return ((1.0, 1.0, 1.0, 1.0),) * count


def _prepared(part, form, first, capacity, rows, threshold, allowed):
    """One entry of GridDecoder.parts. `first` is the number of the part's first anchor."""
    tensor, layout, channel = part.search
    product = part.scores is not None
    least = threshold
    if product:
        # A class score is 1 at most; a quantized one may be a step more.
        lowest = threshold * threshold if form.root else threshold
        cut = tensor.quantize_threshold(logit(lowest * 0.99, form.search))
    else:
        cut = tensor.quantize_threshold(logit(threshold, form.search))
        if tensor.dtype != FLOAT:
            least = 0.0  # the comparison of integers was exact
    search = params.candidates(
        dtype=tensor.dtype,
        anchors=layout.anchors,
        channels=layout.channels,
        channel_step=layout.channel_step,
        anchor_step=layout.anchor_step,
        first_class=channel,
        classes=1 if product else form.classes,
        zero_point=tensor.zero_point,
        cut=cut,
        capacity=capacity,
        allowed=() if product else allowed,
    )
    scores, score_layout, score_channel = part.scores or part.search
    score = anchor_params.score_anchors(
        dtype=scores.dtype,
        channel_step=score_layout.channel_step,
        anchor_step=score_layout.anchor_step,
        first_class=score_channel,
        classes=form.classes if product else 0,
        activation=form.scores,
        background=form.background,
        zero_point=scores.zero_point,
        scale=scores.scale,
        search_scale=tensor.scale,
        search_sigmoid=form.search,
        root=1 if form.root else 0,
        least=least,
        capacity=capacity,
        rows=rows,
        allowed=allowed if product else (),
    )
    boxes = _decoding(part, form, part.boxes, None, first, capacity, rows)
    points = (0, None)
    if part.points:
        # In the same call, if boxes and keypoints are in the same output.
        if part.points.output is part.boxes.output:
            boxes = _decoding(part, form, part.boxes, part.points, first, capacity, rows)
        else:
            points = _decoding(part, form, None, part.points, first, capacity, rows)
    decode = form.decode(part) if form.decode else anchor_kernels.decode_anchors
    return (tensor.index, search, scores.index, score, decode) + boxes + points


def _decoding(part, form, boxes, points, first, capacity, rows):
    """(output index, parameter block of decode_anchors) for boxes, keypoints or both."""
    output, layout, channel = boxes or points
    offset = form.offset
    if offset is None:
        _, _, stride, _, anchors = part.levels[0]
        offset = 0.5 - 0.5 * anchors[0][0] / stride
    block = anchor_params.decode_anchors(
        dtype=output.dtype,
        channel_step=layout.channel_step,
        anchor_step=layout.anchor_step,
        zero_point=output.zero_point,
        scale=output.scale,
        first_box=channel if boxes else -1,
        swapped=1 if form.swapped else 0,
        xy=form.centers,
        wh=form.sizes,
        wh_scale=form.size_scale,
        first_point=points.first if points else 0,
        points=form.points if points else 0,
        offset=offset,
        first=first,
        capacity=capacity,
        rows=rows,
        level_count=len(part.levels),
        table=anchor_params.level_table(part.levels),
    )
    return output.index, block
