"""NanoDet-Plus (github.com/RangiLyu/nanodet): class scores and the distribution of each side's distance, for every cell.

in      one output [1, N, classes + 32] or [1, classes + 32, N] with the cells of the strides 8, 16, 32 and 64: int8, uint8,
        int16 or float32. Class scores after the sigmoid, then the logits of eight bins for left, top, right and bottom each
out     a list of Detection, best first, in frame pixels

A stride has ceil(side / stride) cells in a row or column. A box is measured from (column, row) * stride, the upper left
corner of its cell. A distance is stride * (0 p0 + 1 p1 + ... + 7 p7), where p is the softmax of its bins. x1 = x - left,
x2 = x + right, y alike, and all four are clipped to the input before overlaps are suppressed. This is get_bboxes of
nanodet/model/head/nanodet_plus_head.py with Integral of gfl_head.py beside it and distance2bbox of
nanodet/util/box_transform.py. There, a cell gives a box for each class above the threshold; here, for its best class only,
as in the other families.

The first NanoDet (nanodet-m, nanodet-g) measures from the middle of a cell and has three strides: no family decodes it.

Only the candidates' bins are read, so plain ulab does it. Proven on nanodet-plus-m (COCO), with the authors' own get_bboxes.
"""

from array import array

from micropython import const
from ulab import numpy as np

from ...kernels import boxes as box_kernels
from ...kernels.params import boxes as params
from ...tensors.head_layout import row_layouts
from ...tensors.options import Options
from ...tensors.quantization import FLOAT
from ..frame_boxes import Decoder
from ..samples import sample
from .grids import Channels, GridBoxes, GridDetector, GridForm, GridPart

_STRIDES = 8, 16, 32, 64
_BINS = const(8)
_BOX = const(32)  # channels of a box: the bins of four sides
_BEYOND = 0.05  # how far scores may be outside of 0..1, besides one and a half steps of the quantization

# The product with the weights of the bins has their sum, and the sum of bin * weight.
_SUMS = np.array([[1.0] * _BINS, list(range(_BINS))], dtype=np.float)


class NanoDet(GridDetector):
    """Post-processor for NanoDet-Plus: `ml.Model(path, postprocess=n6post.NanoDet())`.

    The output is [1, N, classes + 32] or [1, classes + 32, N], as tools/export_onnx.py of RangiLyu/nanodet gives it: class
    scores, then eight bins for each side of the box. N is the number of cells of the strides 8, 16, 32 and 64, each rounded
    up: 2125 for an input of 320 x 320, 3598 for 416 x 416. The formula is that of nanodet/model/head/nanodet_plus_head.py.
    The first NanoDet (nanodet-m), which is not a Plus, is refused.

    The authors' networks are trained with stretched pictures and normalized pixels. To a file that takes floats, pass
    `n6post.Stretch(img, mean=(.485, .456, .406), stdev=(.229, .224, .225))`.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold", GridDetector._option, threshold=0.4, iou_threshold=0.6)

    def _bind(self, model, outputs):
        return NanoDetBoxes(self, model, outputs)


class NanoDetBoxes(GridBoxes):
    """The output of NanoDet-Plus."""

    expected_outputs = "[1, N, classes + 32] or [1, classes + 32, N]"

    def form(self, options, outputs):
        tensor = self.outputs[0]
        width, height = self.size
        levels = []
        anchors = 0
        for stride in _STRIDES:
            columns = -(-width // stride)
            levels.append((anchors, columns, stride, stride, ()))
            anchors += columns * -(-height // stride)
        for layout in row_layouts(tensor.shape):
            if layout.anchors == anchors and layout.channels > _BOX:
                break
        else:
            raise ValueError(
                "expected %s of N = %d cells, that belongs to an input of (width, height) %s, got %s"
                % (self.expected_outputs, anchors, self.size, tensor)
            )
        classes = layout.channels - _BOX
        self._check(layout, classes, outputs[0])
        self.score_scale = tensor.scale
        boxes = Channels(tensor, layout, classes)
        return GridForm((GridPart(Channels(tensor, layout, 0), None, boxes, None, tuple(levels)),), classes)

    def _check(self, layout, classes, output):
        """ValueError if this frame shows that the numbers are not NanoDet's. A constant frame shows nothing."""
        tensor = self.outputs[0]
        scores = sample(layout, 0, classes, tensor, output)
        bins = sample(layout, classes, layout.channels, tensor, output)
        least, largest = float(np.min(scores)), float(np.max(scores))
        beyond = _BEYOND + (0.0 if tensor.dtype == FLOAT else 1.5 * tensor.scale)
        if least < 0.0 - beyond or largest > 1.0 + beyond:
            raise ValueError(
                "expected class scores from 0 to 1 in the first %d channels, got %.3g to %.3g in %s: the output is without"
                " its sigmoid, or of another network" % (classes, least, largest, tensor)
            )
        least = float(np.min(bins))
        self.is_final = least < float(np.max(bins))
        # Of logits, some are below 0. Class scores, boxes in 0..1 and bins behind a softmax never are.
        if self.is_final and least >= 0.0:
            raise ValueError(
                "expected logits of the boxes' bins in the last 32 channels, got numbers from %.3g on in %s: the bins are"
                " behind their softmax, or it is another network" % (least, tensor)
            )

    def decoder_of(self, form, options):
        return NanoDetDecoder(form, self.labels, options, self.size)


class NanoDetDecoder(Decoder):
    """Finds detections in the output of NanoDet-Plus: a search, the boxes of what was found, then suppression.

    boxes       Channels of the bins
    levels      as in a GridPart
    """

    def __init__(self, form, labels, options, size):
        super().__init__(form.classes, labels)
        self.size = size
        (part,) = form.parts
        self.boxes, self.levels = part.boxes, part.levels
        tensor, layout, first = part.search
        self.capacity = capacity = min(options.max_candidates, layout.anchors)
        most = min(options.max_detections, capacity)
        values = np.frombuffer(bytearray(4 * 5 * capacity), dtype=np.float).reshape((5, capacity))
        numbers = np.frombuffer(bytearray(2 * 3 * capacity), dtype=np.uint16).reshape((3, capacity))
        self.buffers = values, numbers, array("i", bytes(4 * params.ROW * most))
        self.block = params.candidates(
            dtype=tensor.dtype,
            anchors=layout.anchors,
            channels=layout.channels,
            channel_step=layout.channel_step,
            anchor_step=layout.anchor_step,
            first_class=first,
            classes=form.classes,
            zero_point=tensor.zero_point,
            cut=tensor.quantize_threshold(options.threshold),
            capacity=capacity,
            allowed=self.allowed(options),
        )
        agnostic = 1 if options.class_agnostic else 0
        self.drop = params.suppress(0, options.iou_threshold, agnostic, most, capacity)

    def find(self, outputs):
        """Find the detections in the model's output and return how many.

        indices[2] then has their positions in values and indices, best first.
        """
        values, indices, _ = self.buffers
        output = outputs[self.boxes.output.index]
        count = box_kernels.candidates(output, self.block, values, indices)
        if not count:
            return 0
        self._decode(output, indices[0, :count], values)
        self.drop[params.SUPPRESS_COUNT] = count
        return box_kernels.suppress(self.drop, values, indices)

    def _decode(self, output, anchors, values):
        """Write the boxes of these anchors, in input pixels, into the first rows of `values`."""
        tensor, layout, first = self.boxes
        bins = layout.columns(output, first, layout.channels)
        bins = np.take(bins, anchors, axis=layout.anchor_axis)
        if not layout.channels_first:
            bins = bins.transpose()  # camera: transpose-3d: of two dimensions
        bins = np.array(bins, dtype=np.float)  # a softmax needs no zero point
        count = len(anchors)
        number = np.array(anchors, dtype=np.float)
        columns = strides = np.ones(count)
        cell = number
        for start, width, stride, _, _ in self.levels:
            inside = number >= float(start)
            cell = np.where(inside, number - float(start), cell)
            columns = np.where(inside, float(width), columns)
            strides = np.where(inside, float(stride), strides)
        row = np.floor(cell / columns)
        column = cell - row * columns
        for side in range(4):
            one = bins[side * _BINS : side * _BINS + _BINS]
            weights = np.exp((one - np.max(one, axis=0)) * tensor.scale)  # camera: long-axis: of eight
            total, weighted = np.dot(_SUMS, weights)
            distance = weighted / total
            edge = (row if side & 1 else column) + (distance if side > 1 else distance * -1.0)
            edge = edge * strides
            edge = np.where(edge > 0.0, edge, 0.0)  # NaN, too
            most = float(self.size[side & 1])
            values[side, :count] = np.where(edge < most, edge, most)
