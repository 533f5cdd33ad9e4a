"""Boxes that are corners x1, y1, x2, y2 instead of cx, cy, w, h: how they are recognized, and how they are read.

YOLO-NAS, DAMO-YOLO and PicoDet have them beside their scores, Edge Impulse's YOLO-Pro before them. Imported if a model's
first frame may have them.
"""

from ulab import numpy as np

from ...tensors.quantization import FLOAT
from ..samples import along_cells, sample

_FEWEST = 16  # boxes that show the order
_SMALL = 128  # pixels


def are_corners(layout, tensor, array, levels):
    """(corners?, certain?): what the first four channels of a head are.

    layout, tensor, array   HeadLayout, OutputTensor and array of the boxes
    levels                  as in a SplitPart

    No corner is on the wrong side of the other. As sizes, the second pair would have to be larger than the first, the
    center, for every anchor. In recorded heads of cx, cy, w, h that is true of 6 to 28 % of the anchors. It may be true of
    all for a small input; then only the centers grow from cell to cell, while of two corners both do. Not certain, and no
    corners, if fewer than 16 boxes are other than 0, or most are empty.
    """
    numbers = sample(layout, 0, 4, tensor, array, layout.anchors)
    sides = np.minimum(numbers[2] - numbers[0], numbers[3] - numbers[1])
    used = float(np.mean(np.max(numbers * numbers, axis=0) > 0.0))  # camera: long-axis: of four
    # Rounding may put a corner one step beyond the other.
    slack = 0.0 if tensor.dtype == FLOAT else 1.5 * tensor.scale
    if float(np.mean(sides < 0.0 - slack)) > 0.02 * used:
        return False, True
    if used * layout.anchors < _FEWEST or float(np.mean(sides > 0.0)) < 0.1 * used:
        return False, False
    first, second = along_cells(layout, tensor, array, levels)
    if max(first, second) < 0.6:  # nothing grows: in a small input, sizes may well be larger than all centers
        return levels[1] * levels[2] > _SMALL, False
    return first - second < 0.6, True  # 0 for corners, 1.06 and more for centers, if distances to the sides are random


class CornerBoxes:
    """Reads corners for candidates, whose four numbers the kernels have taken for cx, cy, w, h."""

    def __init__(self, tensor, layout):
        self.tensor = tensor
        self.layout = layout

    def read(self, outputs, buffers, count):
        """Write the boxes of the first `count` candidates into the buffers of a RawDecoder."""
        values, indices, _ = buffers
        boxes = self.layout.taken(outputs[self.tensor.index], indices[0, :count], 4)
        values[:4, :count] = np.array(boxes, dtype=np.float) - float(self.tensor.zero_point)
