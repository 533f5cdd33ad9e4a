"""YOLOv8 oriented boxes (OBB): detections as of yolov8.py, each turned by an angle. YOLO11 and YOLO26 export the same heads.

in      a head [1, 4 + classes + 1, anchors] or the transpose: int8, uint8, int16 or float32; boxes cx, cy, w, h in 0..1 or
        in input pixels, class scores after the sigmoid, and the angle in radians: from the x axis to the side w, clockwise,
        because y points down. Or an end-to-end head [1, rows, 7]: cx, cy, w, h, score, class number, angle. Or a split head,
        as in split_obb.py
out     a list of Detection with `corners` and `rotation`, best first, in frame pixels

For each frame: search the anchors above the threshold, turn their boxes and suppress overlaps (kernels/oriented.py),
transform the remaining boxes to the frame, and make a Detection of each.
"""

from ulab import numpy as np

from ..kernels import oriented_params, params
from ..kernels.boxes import boxes_to_frame, make_detections
from ..kernels.oriented import oriented_corners, suppress_oriented
from ..pixels.rounding import same_floats
from ..results.detection import set_corners
from ..tensors.lazy import module
from ..tensors.quantization import FLOAT
from .yolov8 import BoxBinding, YoloV8, is_split


class YoloV8Obb(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 oriented boxes (OBB): every detection has `.corners` and `.rotation`.

    It has YoloV8's options. `iou_threshold` is a probabilistic IoU, as in Ultralytics: a box is dropped if any better one of
    its class overlaps it by more, even if that one is dropped itself. It accepts end-to-end heads [1, rows, 7] as YoloV8
    does.
    """

    def _bind(self, model, outputs):
        if is_split(outputs, OrientedBinding):
            return module("families.split_obb").SplitOriented(self, model, outputs)
        return OrientedBinding(self, model, outputs)


class OrientedBinding(BoxBinding):
    """A head with the angle after the classes, [1, 4 + classes + 1, N], or as the last column, [1, rows, 7].

    boxes       the table of oriented boxes, as kernels/oriented.py takes it
    """

    expected_outputs = "a head [1, 4 + classes + 1, N] or [1, rows, 7]"

    def __init__(self, options, model, outputs):
        super().__init__(options, model, outputs)
        self.rows = self.classes > 65535
        if not self.rows:
            check = module("families.family_check").check_angles
            self.is_final = check(self.layout, self.tensor, outputs[self.tensor.index]) and self.is_final
        self.prepare_boxes(options, self.unit_x, self.unit_y)

    def prepare(self):
        return 1

    def has_corners(self, options, array, rows):
        corners = options.box_order == "xyxy"  # no known network has them
        if rows and corners:
            raise ValueError("box_order: expected None or 'xywh' for rows of oriented boxes, got 'xyxy'")
        return corners

    def prepare_boxes(self, options, unit_x, unit_y):
        """Make the table of boxes. From here on, boxes are in input pixels."""
        head = self.head
        self.boxes = None
        for other in options._bindings:
            if isinstance(other, OrientedBinding) and other.head.capacity == head.capacity:
                self.boxes = other.boxes
        if self.boxes is None:
            size = oriented_params.ROWS * head.capacity
            self.boxes = np.frombuffer(bytearray(4 * size), dtype=np.float).reshape((oriented_params.ROWS, head.capacity))
        self.soft = None
        limit = 2.0  # suppresses nothing
        most = head.capacity
        if not self.rows:
            _, self.soft = head.suppression
            if not self.soft:
                # As float32, which is the same on a camera and on a PC.
                limit = module("kernels.portable_oriented").limit_of(same_floats(options.iou_threshold))[0]
                most = min(options.max_detections, most)
        agnostic = 1 if options.class_agnostic else 0
        self.suppression = oriented_params.suppress_oriented(unit_x, unit_y, limit, agnostic, most, head.capacity)
        self.unit_x = self.unit_y = 1.0

    def set_transform(self, transform):
        super().set_transform(transform)
        self.corners_block = oriented_params.oriented_corners(
            self.head.capacity, transform.sx, transform.ox, transform.sy, transform.oy
        )

    def find(self, outputs):
        """Find candidates. Returns how many there are, best first in the head's buffers, with their angles in `boxes`."""
        head = self.head
        values, labels, _ = head.buffers
        array = outputs[self.tensor.index]
        if self.rows:
            count = head.find(outputs)
            for axis in (0, 1):  # centers and sizes to corners, as candidates writes them
                half = values[axis + 2, :count] * 0.5
                middle = values[axis, :count] + 0.0
                values[axis, :count] = middle - half
                values[axis + 2, :count] = middle + half
        else:
            count = head.search(outputs)
        if count:
            if head.corners:
                head.corners.read(outputs, head.buffers, count)
            angles = self.layout.column(array, self.layout.channels - 1)
            angles = np.array(np.take(angles, labels[0, :count]), dtype=np.float)
            if self.tensor.dtype != FLOAT:
                angles = (angles - float(self.tensor.zero_point)) * same_floats(self.tensor.scale)
            self.boxes[9, :count] = angles
        return count

    def result(self, outputs):
        count = self.find(outputs)
        if not count:
            return []
        values, labels, table = self.head.buffers
        block = self.suppression
        block[oriented_params.ORIENTED_COUNT] = count
        kept = suppress_oriented(block, values, labels, self.boxes)
        if self.soft:
            similarity = module("kernels.portable_oriented").similarity
            kept = self.soft(count, values, labels, self.head.least, lambda i: similarity(self.boxes, count, i))
        if not kept:
            return []
        block = self.block
        block[params.BOXES_TO_FRAME_KEPT] = kept
        boxes_to_frame(block, values, labels, table)
        shown = block[params.BOXES_TO_FRAME_KEPT]  # without boxes that have no pixel in the frame
        self.check_best(table, 0, shown < kept)
        if not shown:
            return []
        block = self.corners_block
        block[oriented_params.CORNERS_KEPT] = kept
        columns = oriented_params.CORNER_COLUMNS
        corners = np.frombuffer(bytearray(4 * columns * kept), dtype=np.float).reshape((kept, columns))
        oriented_corners(block, labels, self.boxes, corners)
        detections = make_detections(self, outputs, None, table, 0, shown)
        row = 0
        at = params.ROW_ANCHOR
        for d in detections:
            if shown < kept:
                while labels[0, labels[2, row]] != table[at]:  # one without a pixel
                    row += 1
                at += params.ROW
            set_corners(d, corners, row)
            row += 1
        return detections
