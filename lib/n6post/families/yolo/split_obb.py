"""Split heads of oriented boxes: see split_head.py. The angle is an output of its own.

in      angles [1, h, w, 1] for each stride, or [1, 1, N]: with DFL (YOLOv8, YOLO11) logits of (angle / pi + .25), or these
        numbers after the sigmoid (Rockchip's export), without it (YOLO26) and beside decoded boxes [1, 4, N] radians
"""

from ulab import numpy as np

from ...kernels.portable.oriented import sigmoid, sin_and_cos
from ...pixels.rounding import same_floats
from ...tensors.quantization import FLOAT
from .yolov8_obb import Angles, OrientedDecoder


class SplitAngles(Angles):
    """What a split head with angles adds to boxes.

    reading     what SplitOrientedDecoder reads angles by: for each stride (the number of its first anchor, the number behind
                its last one, the columns of its map, the stride, the OutputTensor with its angles, the first anchor and
                HeadLayout of that); the bins of DFL; whether angles beside DFL are before the sigmoid
    """

    def __init__(self, boxes, options, outputs, layout, angles):
        found = []
        for part in layout.parts:
            levels = part.levels
            for at in range(0, len(levels), 3):
                first, width, stride = levels[at : at + 3]
                last = levels[at + 3] if at + 3 < len(levels) else part.scores[1].anchors
                start, tensor, order = [one for one in angles if one[0] <= part.first + first][-1]
                found.append((part.first + first, part.first + last, width, stride, tensor, start, order))
        from . import split_probe as probe

        maps = [(tensor.index, order) for _, tensor, order in angles]
        if len(maps) == len(layout.parts) and probe.are_sums(layout, maps, boxes.outputs, outputs) == (True, True):
            raise ValueError(
                "expected angles, got the sums of class scores in %s, as in Rockchip's detectors (RKNN): use n6post.YoloV8()"
                % angles[0][1]
            )
        probe.check_scores(layout, boxes.outputs, outputs)
        # Rockchip's networks have angles after the sigmoid, 0..1. Logits reach below 0.
        ranges = [_range_of(tensor, outputs[tensor.index]) for _, tensor, _ in angles]
        low, high = min([one[0] for one in ranges]), max([one[1] for one in ranges])
        boxes.is_final = boxes.is_final and low < high
        self.reading = found, layout.bins, low < -0.02 or high > 1.02

    def decoder_of(self, boxes, options, outputs, rows):
        self.decoder = SplitOrientedDecoder(boxes, options, self.reading)
        return self.decoder


class SplitOrientedDecoder(OrientedDecoder):
    """Angles are outputs of their own: see SplitAngles.reading."""

    def __init__(self, boxes, options, reading):
        super().__init__(boxes, options, False)
        self.reading = reading

    def candidates(self, outputs):
        inner = self.inner
        values, indices, _ = self.buffers
        levels, bins, logits = self.reading
        count = inner.search(outputs)
        if not count:
            return 0
        if inner.corners:
            inner.corners.read(outputs, self.buffers, count)
        anchors = np.array(indices[0, :count], dtype=np.float)
        angle = anchors * 0.0
        x, y = angle, angle
        for first, last, width, stride, tensor, start, order in levels:
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
        if bins == 16:
            angle = ((sigmoid(angle) if logits else angle) - 0.25) * _PI
        self.boxes[9, :count] = angle
        if bins:
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
