"""Split heads of oriented boxes: see split_head.py. The angle is an output of its own.

in      angles [1, h, w, 1] for each stride, or [1, 1, N]: with DFL (YOLOv8, YOLO11) logits of (angle / pi + .25), or these
        numbers after the sigmoid (Rockchip's export), without it (YOLO26) and beside decoded boxes [1, 4, N] radians
"""

from ulab import numpy as np

from ..kernels.portable_oriented import sigmoid, sin_and_cos
from ..pixels.rounding import same_floats
from ..tensors.lazy import module
from ..tensors.quantization import FLOAT
from .split_head import examine, head_of
from .yolov8_obb import OrientedBinding


class SplitOriented(OrientedBinding):
    """A split head with angles.

    logits  whether angles beside DFL are before the sigmoid
    levels  for each stride: the number of its first anchor, the number behind its last one, the columns of its map, the
            stride, the OutputTensor with its angles, the first anchor and HeadLayout of that
    """

    def __init__(self, options, model, outputs):
        layout, angles = examine(self, "angles", options, model, outputs)
        self.rows = False
        self.bins = layout.bins
        self.levels = []
        for part in layout.parts:
            levels = part.levels
            for at in range(0, len(levels), 3):
                first, width, stride = levels[at : at + 3]
                last = levels[at + 3] if at + 3 < len(levels) else part.scores[1].anchors
                start, tensor, order = [one for one in angles if one[0] <= part.first + first][-1]
                self.levels.append((part.first + first, part.first + last, width, stride, tensor, start, order))
        probe = module("families.split_probe")
        maps = [(tensor.index, order) for _, tensor, order in angles]
        if len(maps) == len(layout.parts) and probe.are_sums(layout, maps, self.outputs, outputs) == (True, True):
            raise ValueError(
                "expected angles, got the sums of class scores in %s, as in Rockchip's detectors (RKNN): use n6post.YoloV8()"
                % angles[0][1]
            )
        probe.check_scores(layout, self.outputs, outputs)
        # Rockchip's networks have angles after the sigmoid, 0..1. Logits reach below 0.
        ranges = [_range_of(tensor, outputs[tensor.index]) for _, tensor, _ in angles]
        low, high = min([one[0] for one in ranges]), max([one[1] for one in ranges])
        self.logits = low < -0.02 or high > 1.02
        self.is_final = self.is_final and low < high
        self.head = head_of(self, layout, options, outputs)
        self.prepare_boxes(options, self.unit_x, self.unit_y)

    def find(self, outputs):
        """Find candidates. Returns how many there are, best first in the head's buffers, with their angles in `boxes`."""
        values, labels, _ = self.head.buffers
        count = self.head.search(outputs)
        if not count:
            return 0
        if self.head.corners:
            self.head.corners.read(outputs, self.head.buffers, count)
        anchors = np.array(labels[0, :count], dtype=np.float)
        angle = anchors * 0.0
        x, y = angle, angle
        for first, last, width, stride, tensor, start, order in self.levels:
            inside = (anchors >= float(first)) * (anchors < float(last))
            if not np.any(inside):
                continue
            places = np.where(inside, anchors - float(start), 0.0)
            column = order.column(outputs[tensor.index], 0)
            found = np.array(np.take(column, np.array(places, dtype=np.uint16)), dtype=np.float)
            if tensor.dtype != FLOAT:
                found = (found - float(tensor.zero_point)) * same_floats(tensor.scale)
            angle = np.where(inside, found, angle)
            cell = anchors - float(first)
            row = np.floor((cell + 0.5) / float(width))
            x = np.where(inside, (cell - row * float(width) + 0.5) * float(stride), x)
            y = np.where(inside, (row + 0.5) * float(stride), y)
        if self.bins == 16:
            angle = ((sigmoid(angle) if self.logits else angle) - 0.25) * _PI
        self.boxes[9, :count] = angle
        if self.bins:
            # The way from the middle of the cell to that of the box is turned, too (Ultralytics' dist2rbox).
            across = (values[0, :count] + values[2, :count]) * 0.5 - x
            down = (values[1, :count] + values[3, :count]) * 0.5 - y
            sin, cos = sin_and_cos(angle)
            shifts = across * cos - down * sin - across, across * sin + down * cos - down
            for row in range(4):
                values[row, :count] = values[row, :count] + shifts[row & 1]
        return count


def _range_of(tensor, array):
    """(least, largest) number of an output in this frame."""
    return [(float(one) - tensor.zero_point) * tensor.scale for one in (np.min(array), np.max(array))]


_PI = same_floats(3.14159274)
