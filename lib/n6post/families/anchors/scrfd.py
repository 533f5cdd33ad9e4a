"""SCRFD, insightface's face detector: boxes, and five keypoints in the versions "kps" and "bnkps".

in      for each of the strides 8, 16 and 32, with N anchors, two in each cell: scores [1, N, 1], boxes [1, N, 4] and, if the
        network has them, keypoints [1, N, 10]: int8, uint8, int16 or float32, nine or six outputs in any order and each with
        its own scale. Also without the batch's 1, as [1, columns, N], or as maps [1, h, w, 2 * columns] and
        [1, 2 * columns, h, w]
out     a list of Detection, best first, in frame pixels, with keypoints if the network has them

Numbers are in strides, and relative to the upper left corner of the cell, (column, row) * stride: of a box the distances to
its left, upper, right and lower side, of a keypoint x and y. Scores are after their sigmoid. (forward, distance2bbox and
distance2kps in python-package/insightface/model_zoo/scrfd.py of deepinsight/insightface.) Its nms counts each box as one
pixel wider and higher than it is; here overlaps are exact.

Proven on scrfd_500m_kps and scrfd_2.5g_kps of hpc203/scrfd-opencv, against insightface's code. Networks of five strides with
one anchor in each cell, which that code can read, too, are refused: no file was at hand.
"""

from ulab import numpy as np

from ...kernels import anchors as anchor_kernels
from ...kernels.params.anchors import DECODE_ANCHORS_COUNT
from ...pixels.rounding import same_floats
from ...tensors.options import Options
from ..frame_boxes import Detector
from .grids import GridBoxes, GridForm, GridPart

_STRIDES = 8, 16, 32


class Scrfd(Detector):
    """Post-processor for the face detector SCRFD of insightface: `ml.Model(path, postprocess=n6post.Scrfd())`.

    If the network puts out keypoints, each Detection has five: right eye, left eye, nose tip, right mouth corner, left mouth
    corner. "Right" is the person's right.

    It is trained with pixels in -1..1: pass `n6post.Letterbox(img, scale=(-1, 1))` to a file that takes floats. The file
    needs an input of a fixed size.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold", Detector._option, iou_threshold=0.4, max_candidates=300)

    def _bind(self, model, outputs):
        return ScrfdBoxes(self, model, outputs)


class ScrfdBoxes(GridBoxes):
    """The nine or six outputs of SCRFD."""

    expected_outputs = (
        "scores [1, N, 1], boxes [1, N, 4] and, or not, keypoints [1, N, 10] for each of the strides 8, 16 and 32, N twice "
        "the number of its cells"
    )
    counts = (9, 6)

    def form(self, options, outputs):
        parts = []
        left = list(self.outputs)
        sizes = [(-(-self.size[0] // stride), -(-self.size[1] // stride)) for stride in _STRIDES]
        # Keypoints [1, 20, 20, 20] of a 640 x 640 input may have either order. The scores show it.
        first = (1, 2, sizes[0][1], sizes[0][0]) in [tensor.shape for tensor in left]
        for stride, (width, height) in zip(_STRIDES, sizes):
            found = [self.take(left, n, width, height, 2, first) for n in (1, 4, 10)[: self.count // 3]]
            split = len(found[0])
            if len([one for one in found if len(one) != split]):
                raise self.shapes_refused()
            self._check(found[0][0].output, outputs)
            level = 0, width, stride, stride, ((stride, stride, stride, stride),) * (2 // split)
            for k in range(split):
                scores, boxes = found[0][k], found[1][k]
                parts.append(GridPart(scores, None, boxes, found[2][k] if len(found) > 2 else None, (level,)))
        form = GridForm(tuple(parts), 1)
        form.offset = 0.0
        form.points = 5 if self.count == 9 else 0
        form.decode = Distances  # type: ignore[assignment]
        return form

    def label_names(self, options, model, classes):
        return super().label_names(options, model, classes) or ["face"]

    def _check(self, tensor, outputs):
        """ValueError for scores before their sigmoid, of which some are below 0."""
        least = (float(np.min(outputs[tensor.index])) - tensor.zero_point) * tensor.scale
        if least < -0.5:
            raise ValueError("expected scores of 0..1, got %.3g in %s: they are before their sigmoid" % (least, tensor))


class Distances:
    """Decodes the boxes of a GridPart, in place of decode_anchors: distances from the corner of a cell to a box's sides."""

    def __init__(self, part):
        tensor, self.layout, self.first = part.boxes
        ((_, self.columns, self.stride, _, cell),) = part.levels
        self.per_cell = len(cell)
        self.zero_point, self.scale = float(tensor.zero_point), same_floats(tensor.scale)

    def __call__(self, head, block, values, indices):
        end = anchor_kernels.decode_anchors(head, block, values, indices)  # for the scores, anchors and classes
        start = end - block[DECODE_ANCHORS_COUNT]
        anchors = indices[3, : end - start]
        sides = np.array(self.layout.taken(head, anchors, self.first + 4)[self.first :], dtype=np.float)
        sides = (sides - self.zero_point) * self.scale * float(self.stride)
        cell = np.floor(np.array(anchors, dtype=np.float) / float(self.per_cell))
        row = np.floor(cell / float(self.columns))
        for axis, place in enumerate((cell - row * float(self.columns), row)):
            place = place * float(self.stride)
            values[axis, start:end] = place - sides[axis]
            values[axis + 2, start:end] = place + sides[axis + 2]
        return end
