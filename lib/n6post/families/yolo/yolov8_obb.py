"""YOLOv8 oriented boxes (OBB): detections as of yolov8.py, each turned by an angle. YOLO11 and YOLO26 export the same heads.

in      a head [1, 4 + classes + 1, anchors] or the transpose: int8, uint8, int16 or float32; boxes cx, cy, w, h in 0..1 or
        in input pixels, class scores after the sigmoid, and the angle in radians: from the x axis to the side w, clockwise,
        because y points down. Or an end-to-end head [1, rows, 7]: cx, cy, w, h, score, class number, angle. Or a split head,
        as in split_obb.py
out     a list of Detection with `corners` and `rotation`, best first, in frame pixels

For each frame: search the anchors above the threshold, turn their boxes and suppress overlaps
(kernels/portable/oriented.py), transform the remaining boxes to the frame, and make a Detection of each.
"""

from ulab import numpy as np

from ...kernels import oriented as oriented_kernels
from ...kernels.params import boxes as params
from ...kernels.params import oriented as oriented_params
from ...pixels.rounding import same_floats
from ...results.detection import set_corners
from ...tensors.lazy import later
from ...tensors.quantization import FLOAT
from ..frame_boxes import Decoder, Extras
from .yolov8 import YoloV8


class Angles(Extras):
    """What angles add to boxes: one channel after the classes, [1, 4 + classes + 1, N], or a last column, [1, rows, 7]."""

    decoder = None  # type: OrientedDecoder
    kind = "angles"
    expected_outputs = "a head [1, 4 + classes + 1, N] or [1, rows, 7]"

    def choose(self, boxes, options):
        return boxes.outputs[0], 1

    def of_split(self, boxes, options, outputs, layout, parts):
        from .split_obb import SplitAngles

        return SplitAngles(boxes, options, outputs, layout, parts)

    def decoder_of(self, boxes, options, outputs, rows):
        """The decoder that finds oriented boxes, by means of that in `boxes`."""
        if not rows:
            from ..family_check import check_angles

            boxes.is_final = check_angles(boxes.layout, boxes.tensor, outputs[boxes.tensor.index]) and boxes.is_final
        self.decoder = RawOrientedDecoder(boxes, options, rows)
        return self.decoder

    def set_transform(self, boxes, transform):
        self.block = oriented_params.oriented_corners(
            self.decoder.capacity, transform.sx, transform.ox, transform.sy, transform.oy
        )

    def turn(self, detections, indices, table, kept):
        """Set the corners of the detections: those of `kept` boxes that have a pixel in the frame."""
        block = self.block
        block[oriented_params.CORNERS_KEPT] = kept
        columns = oriented_params.CORNER_COLUMNS
        corners = np.frombuffer(bytearray(4 * columns * kept), dtype=np.float).reshape((kept, columns))
        oriented_kernels.oriented_corners(block, indices, self.decoder.boxes, corners)
        shown = len(detections)
        row = 0
        at = params.ROW_ANCHOR
        for d in detections:
            if shown < kept:
                while indices[0, indices[2, row]] != table[at]:  # one without a pixel
                    row += 1
                at += params.ROW
            set_corners(d, corners, row)
            row += 1


class OrientedDecoder(Decoder):
    """Finds oriented boxes: the candidates of another decoder, with their angles, then suppression.

    inner       the other decoder
    boxes       the table of oriented boxes, as kernels/portable/oriented.py takes it
    """

    def __init__(self, boxes, options, rows):
        inner = self.inner = boxes.decoder
        capacity = self.capacity = inner.capacity
        self.buffers = inner.buffers
        self.names = inner.names
        self.boxes = None
        for other in options._bindings:
            if isinstance(other.decoder, OrientedDecoder) and other.decoder.capacity == capacity:
                self.boxes = other.decoder.boxes
        if self.boxes is None:
            size = oriented_params.ROWS * capacity
            self.boxes = np.frombuffer(bytearray(4 * size), dtype=np.float).reshape((oriented_params.ROWS, capacity))
        self.soft = None
        limit = 2.0  # suppresses nothing
        most = capacity
        if not rows:
            _, self.soft = inner.suppression
            if not self.soft:
                # As float32, which is the same on a camera and on a PC.
                from ...kernels.portable.oriented import limit_of

                limit = limit_of(same_floats(options.iou_threshold))[0]
                most = min(options.max_detections, most)
        agnostic = 1 if options.class_agnostic else 0
        unit_x, unit_y = boxes.unit_x, boxes.unit_y
        self.block = oriented_params.suppress_oriented(unit_x, unit_y, limit, agnostic, most, capacity)
        boxes.unit_x = boxes.unit_y = 1.0  # from here on, boxes are in input pixels

    def name_of(self, class_id):
        return self.inner.name_of(class_id)

    def candidates(self, outputs):
        """Find candidates. Returns how many there are, best first in the buffers, with their angles in `boxes`."""
        raise NotImplementedError

    def find(self, outputs):
        """Find the boxes of this frame and return how many. indices[2] then has their positions in values and indices."""
        count = self.candidates(outputs)
        if not count:
            return 0
        values, indices, _ = self.buffers
        block = self.block
        block[oriented_params.ORIENTED_COUNT] = count
        kept = oriented_kernels.suppress_oriented(block, values, indices, self.boxes)
        if self.soft:
            similarity = later.kernels_portable_oriented.similarity
            kept = self.soft(count, values, indices, self.inner.least, lambda i: similarity(self.boxes, count, i))
        return kept


class RawOrientedDecoder(OrientedDecoder):
    """The angle is the last channel of a raw or end-to-end head."""

    def __init__(self, boxes, options, rows):
        super().__init__(boxes, options, rows)
        self.place = boxes.tensor, boxes.layout, rows

    def candidates(self, outputs):
        inner = self.inner
        values, indices, _ = self.buffers
        tensor, layout, rows = self.place
        if rows:
            count = inner.find(outputs)
            for axis in (0, 1):  # centers and sizes to corners, as candidates writes them
                half = values[axis + 2, :count] * 0.5
                middle = values[axis, :count] + 0.0
                values[axis, :count] = middle - half
                values[axis + 2, :count] = middle + half
        else:
            count = inner.search(outputs)
        if count:
            if inner.corners:
                inner.corners.read(outputs, self.buffers, count)
            angles = layout.column(outputs[tensor.index], layout.channels - 1)
            angles = np.array(np.take(angles, indices[0, :count]), dtype=np.float)
            if tensor.dtype != FLOAT:
                angles = (angles - float(tensor.zero_point)) * same_floats(tensor.scale)
            self.boxes[9, :count] = angles
        return count


class YoloV8Obb(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 oriented boxes (OBB): every detection has `.corners` and `.rotation`.

    It has YoloV8's options. `iou_threshold` is a probabilistic IoU, as in Ultralytics: a box is dropped if any better one of
    its class overlaps it by more, even if that one is dropped itself. It accepts end-to-end heads [1, rows, 7] as YoloV8
    does.
    """

    _extras = Angles
