"""End-to-end heads of YOLO networks, which suppress overlaps themselves.

in      [1, rows, 6 + what the family adds] or the transpose: int8, uint8, int16 or float32. A row is x1, y1, x2, y2 in 0..1
        or in input pixels, score, class number, then 32 mask coefficients or 3 numbers per keypoint. YOLOv10 and YOLO26
        have such heads (since Ultralytics 8.4.144 with nms=False only), and any YOLO that was exported with nms=True
out     as of a raw head; an object of several classes becomes several detections, as in Ultralytics

Imported when a model has such a head. EndToEndDecoder then replaces yolov8.RawDecoder.
"""

from array import array

from micropython import const
from ulab import numpy as np

from ..kernels.params import boxes as params
from ..tensors.lazy import later
from ..tensors.quantization import FLOAT
from .frame_boxes import Decoder

_FIRST_ROWS = const(32)  # in most frames all detections are in these
_CLASSES = const(65536)  # that uint16 labels can express


class _Names:
    """Class names by number, as RawDecoder.names. The number of classes of an end-to-end head is unknown."""

    def __init__(self):
        self._known = {}

    def __getitem__(self, class_id):
        return self._known.get(class_id)

    def __setitem__(self, class_id, name):
        self._known[class_id] = name


class EndToEndDecoder(Decoder):
    """Finds detections in a head [1, rows, 6 or more] or the transpose."""

    corners = None

    def __init__(self, tensor, layout, labels, options):
        self.index = tensor.index
        self.labels = labels
        self.names = _Names()  # type: ignore[assignment]
        most = self.capacity = min(options.max_detections, layout.anchors)
        cut = tensor.quantize_threshold(options.threshold)
        least = cut
        if tensor.dtype == FLOAT:
            least = cut - 1e-6 * cut  # the camera's 30-bit floats lose up to 5e-7
        elif cut - tensor.zero_point > tensor.largest() / tensor.scale + 0.5:
            cut = None  # above what the dtype can express
        else:
            cut = np.array([cut], dtype=tensor.dtype)  # ulab compares int16 with any other as unsigned
        allowed = None
        class_ids = self._class_ids(options.classes or ())
        if class_ids:
            flags = bytearray(max(class_ids) + 2)  # the last one is for all larger numbers
            for class_id in class_ids:
                flags[class_id] = 1
            allowed = np.frombuffer(flags, dtype=np.uint8)
        values = np.frombuffer(bytearray(4 * 5 * most), dtype=np.float).reshape((5, most))
        numbers = np.frombuffer(bytearray(2 * 3 * most), dtype=np.uint16).reshape((3, most))
        numbers[2] = np.array(range(most), dtype=np.uint16)  # positions of what remains after suppression: all
        self.buffers = values, numbers, array("i", bytes(4 * (params.MASK_TABLE + params.ROW * most)))
        self.block = layout, tensor, cut, least, allowed, tensor.class_tolerance() ** 2

    def find(self, outputs):
        """Find the detections in the model's outputs and return how many.

        indices[2] then has their positions in values and indices, best first.
        """
        values, indices, _ = self.buffers
        return candidates(outputs[self.index], self.block, values, indices)

    def name_of(self, class_id):
        """The label of a class, or its number as text. It is kept for the next frame."""
        labels = self.labels
        name = labels[class_id] if labels and class_id < len(labels) else str(class_id)
        self.names[class_id] = name  # type: ignore
        return name

    def _class_ids(self, classes):
        """The numbers of classes given by number or name: any number, but only names that labels have."""
        numbers = [one for one in classes if not isinstance(one, str)]
        if len(numbers) < len(classes):
            names = [one for one in classes if isinstance(one, str)]
            from ..tensors import labels

            numbers.extend(labels.classes("classes", names, len(self.labels or " "), self.name_of))
        return numbers


def candidates(head, block, values, indices):
    """Find the rows whose score reaches the threshold, best first, equal ones in their order, like the kernel of that name.

    values  float32 (5, capacity), written: rows x1, y1, x2, y2, score, in raw units (q - zero_point)
    indices uint16 (3, capacity), written: row 0 the row of the head, row 1 its class

    Returns how many were written, at most the capacity. Rows whose score is NaN or infinity are skipped. ValueError for a
    class number below 0, above 65535, or further from a whole number than rounding to the head's steps explains.
    """
    layout, output, cut, least, allowed, limit = block
    if cut is None:
        return 0
    scores = layout.column(head, 4)
    # The best rows come first: one maximum of the others takes half of the time of comparing all 300.
    if len(scores) > 2 * _FIRST_ROWS and np.max(scores[_FIRST_ROWS:]) < least:
        scores = scores[:_FIRST_ROWS]
    passing = np.nonzero(scores >= cut)[0]  # camera: many-hits: yolov8.py takes 65535 rows at most
    if not passing.size:
        return 0
    columns = layout.taken(head, passing, 6)
    if output.dtype != FLOAT:
        # Convert first: ulab subtracts a float from an int16 as if that were unsigned.
        columns = np.array(columns, dtype=np.float) - float(output.zero_point)
        classes = _whole(columns[5] * output.scale, limit, output)
    else:
        if np.max(columns[4]) == np.inf:
            finite = np.nonzero(columns[4] < np.inf)[0]  # camera: many-hits: of those rows
            if not finite.size:
                return 0
            passing = np.take(passing, finite)
            columns = np.take(columns, finite, axis=1)
        classes = _whole(columns[5], limit, output)
    if allowed is not None:
        last = np.array([len(allowed) - 1], dtype=np.uint16)
        passed = np.nonzero(np.take(allowed, np.minimum(classes, last)))[0]  # camera: many-hits: of those rows
        if not passed.size:
            return 0
        passing, columns, classes = _taken(passed, passing, columns, classes)
    ranks = columns[4]
    count = len(ranks)
    most = indices.shape[1]
    if count > 1 and not np.all(ranks[:-1] >= ranks[1:]):
        order = _order(ranks + 0.0, most, output)  # -0 and 0 are one score
        passing, columns, classes = _taken(order, passing, columns, classes)
        count = len(order)
    elif count > most:
        passing, columns, classes = passing[:most], columns[:, :most], classes[:most]
        count = most
    values[:, :count] = columns[:5]
    indices[0, :count] = passing
    indices[1, :count] = classes
    return count


def _whole(numbers, limit, output):
    """Class numbers, floats, as uint16; ValueError if they are not whole numbers from 0 to 65535."""
    # Minimum and maximum do not show NaN; a sum of squares does.
    if np.min(numbers) > -0.5 and np.max(numbers) < _CLASSES - 0.5 and np.dot(numbers, numbers) >= 0.0:
        classes = np.array(numbers, dtype=np.uint16)  # to the nearest, as ulab converts
        off = numbers - classes
        if np.dot(off, off) <= limit or np.all(off * off <= limit):  # for floats the sum is enough
            return classes
    raise ValueError(
        "expected whole numbers from 0 to 65535 in the class column of an end-to-end head, got %s in %s"
        % (numbers.tolist(), output)
    )


def _taken(positions, passing, columns, classes):
    return np.take(passing, positions), np.take(columns, positions, axis=1), np.take(classes, positions)


def _order(ranks, most, output):
    """Positions of the best rows, for heads whose rows are not in that order."""
    order = []
    for row in later.kernels_portable_boxes.best_first(ranks, most, output.dtype == FLOAT):
        if len(order) == most:
            break
        order.append(row)
    return np.array(order, dtype=np.uint16)
