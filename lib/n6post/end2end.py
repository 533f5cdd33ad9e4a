"""End-to-end heads: what yolo.py, yolo_seg.py and yolo_pose.py do where the network has suppressed overlaps by itself.

in      [1, rows, 6 + what the family adds] or the transpose: int8, uint8, int16 or float32; a row is x1, y1, x2, y2 in 0..1
        or in input pixels, score, class number, then 32 mask coefficients or 3 numbers a keypoint. So YOLOv10 and YOLO26 put
        them out (since Ultralytics 8.4.144 with nms=False only), and any YOLO that was exported with nms=True
out     as of a raw head; several classes of one object are as many detections, as Ultralytics returns them

Loaded where such a head is met: `take` then gives a BoxSetup these `candidates` in the place of the kernel of that name.
"""

from array import array

from micropython import const
from ulab import numpy as np

from .heads import tolerance
from .kernels import plans
from .quant import FLOAT

_FEW = const(32)  # rows that mostly hold all that is found
_CLASSES = const(65536)  # what labels, uint16, can hold


class _Names:
    """Names by class number, as BoxSetup.names: how many classes there are such a head does not tell."""

    def __init__(self):
        self._known = {}

    def __getitem__(self, class_id):
        return self._known.get(class_id)

    def __setitem__(self, class_id, name):
        self._known[class_id] = name


def take(setup, options):
    """Make a BoxSetup, whose layout and labels are known, one of an end-to-end head."""
    head = setup.head
    most = min(options.max_detections, setup.anchors)
    cut = head.cut(options.threshold)
    least = cut
    if head.dtype == FLOAT:
        least = cut - 1e-6 * cut  # the camera's 30-bit floats lose up to 5e-7
    elif cut - head.zero_point > head.largest() / head.scale + 0.5:
        cut = None  # more than the dtype can hold
    else:
        cut = np.array([cut], dtype=head.dtype)  # ulab compares int16 with any other as unsigned
    setup.names = _Names()
    allowed = None
    chosen = _chosen(options.classes or (), setup)
    if chosen:
        flags = bytearray(max(chosen) + 2)  # the last for every larger number
        for class_id in chosen:
            flags[class_id] = 1
        allowed = np.frombuffer(flags, dtype=np.uint8)
    values = np.frombuffer(bytearray(4 * 5 * most), dtype=np.float).reshape((5, most))
    labels = np.frombuffer(bytearray(2 * 3 * most), dtype=np.uint16).reshape((3, most))
    labels[2] = np.array(range(most), dtype=np.uint16)  # what suppression keeps: all
    setup.workspace = None, _kept, values, labels, array("i", bytes(4 * plans.ROW * most))
    setup.capacity = most
    setup.search = candidates, (setup.grid, setup.channels_first, head, cut, least, allowed, tolerance(head) ** 2)
    setup.least = None


def _chosen(wanted, setup):
    """The numbers of classes that are wanted by number or name: any number, but the names that there are labels for."""
    numbers = [one for one in wanted if not isinstance(one, str)]
    if len(numbers) < len(wanted):
        from .names import classes

        names = [one for one in wanted if isinstance(one, str)]
        numbers.extend(classes("classes", names, len(setup.labels or " "), setup.name_of))
    return numbers


def _kept(count, values, labels, least):
    return count


def candidates(head, plan, values, labels):
    """The rows whose score reaches the threshold, best first and equal ones in their order: as the kernel of that name.

    values  float32 (5, capacity), written: rows x1, y1, x2, y2, score, in raw units (q - zero_point)
    labels  uint16 (3, capacity), written: row 0 the row of the head, row 1 its class

    Returns how many were written, as many as there is room for. NaN and infinity are no scores. ValueError for a class
    number below 0, above 65535, or further from a whole one than rounding to the head's steps explains.
    """
    grid, columns_first, output, cut, least, allowed, limit = plan
    if cut is None:
        return 0
    grid = grid(head)
    scores = grid[4] if columns_first else grid[:, 4]
    # The best rows come first: asking once for the others' maximum is half of what comparing all 300 takes.
    if len(scores) > 2 * _FEW and np.max(scores[_FEW:]) < least:
        scores = scores[:_FEW]
    passing = np.nonzero(scores >= cut)[0]  # camera: many-hits: yolo.py takes 65535 rows at most
    if not len(passing):
        return 0
    columns = np.take(grid[:6], passing, axis=1) if columns_first else np.take(grid[:, :6], passing, axis=0).transpose()
    if output.dtype != FLOAT:
        # Float first: ulab subtracts a float from an int16 as if that were unsigned.
        columns = np.array(columns, dtype=np.float) - float(output.zero_point)
        classes = _whole(columns[5] * output.scale, limit, output)
    else:
        if np.max(columns[4]) == np.inf:
            finite = np.nonzero(columns[4] < np.inf)[0]  # camera: many-hits: of those rows
            if not len(finite):
                return 0
            passing = np.take(passing, finite)
            columns = np.take(columns, finite, axis=1)
        classes = _whole(columns[5], limit, output)
    if allowed is not None:
        last = np.array([len(allowed) - 1], dtype=np.uint16)
        wanted = np.nonzero(np.take(allowed, np.minimum(classes, last)))[0]  # camera: many-hits: of those rows
        if not len(wanted):
            return 0
        passing, columns, classes = _taken(wanted, passing, columns, classes)
    ranks = columns[4]
    count = len(ranks)
    most = labels.shape[1]
    if count > 1 and not np.all(ranks[:-1] >= ranks[1:]):
        order = _order(ranks + 0.0, most, output)  # -0 and 0 are one score
        passing, columns, classes = _taken(order, passing, columns, classes)
        count = len(order)
    elif count > most:
        passing, columns, classes = passing[:most], columns[:, :most], classes[:most]
        count = most
    values[:, :count] = columns[:5]
    labels[0, :count] = passing
    labels[1, :count] = classes
    return count


def _whole(numbers, limit, output):
    """Class numbers, floats, as uint16; ValueError where they are none."""
    # Neither minimum nor maximum tells of NaN; it sticks to a sum of squares.
    if np.min(numbers) > -0.5 and np.max(numbers) < _CLASSES - 0.5 and np.dot(numbers, numbers) >= 0.0:
        classes = np.array(numbers, dtype=np.uint16)  # to the nearest, as ulab converts
        off = numbers - classes
        if np.dot(off, off) <= limit or np.all(off * off <= limit):  # the sum says it at once of floats
            return classes
    raise ValueError(
        "expected whole numbers of 0..65535 in the class column of an end-to-end head, got %s in %s"
        % (numbers.tolist(), output)
    )


def _taken(positions, passing, columns, classes):
    return np.take(passing, positions), np.take(columns, positions, axis=1), np.take(classes, positions)


_loaded = {}


def _order(ranks, most, output):
    """Positions of the best, for heads whose rows do not come in that order."""
    if not _loaded:
        from .kernels.portable_boxes import best_first

        _loaded["best_first"] = best_first
    order = []
    for at in _loaded["best_first"](ranks, most, output.dtype == FLOAT):
        if len(order) == most:
            break
        order.append(at)
    return np.array(order, dtype=np.uint16)
