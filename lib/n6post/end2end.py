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
_LARGEST_CLASS = 65535.0  # as labels, uint16, can hold them


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
    passing = np.nonzero(scores >= cut)[0]
    if not len(passing):
        return 0
    rows = np.take(grid[:6], passing, axis=1).transpose() if columns_first else np.take(grid[:, :6], passing, axis=0)
    if output.dtype != FLOAT:
        # Float first: ulab subtracts a float from an int16 as if that were unsigned.
        rows = np.array(rows, dtype=np.float) - float(output.zero_point)
    elif np.max(rows[:, 4]) == np.inf:
        finite = np.nonzero(rows[:, 4] < np.inf)[0]
        if not len(finite):
            return 0
        passing = np.take(passing, finite)
        rows = np.take(rows, finite, axis=0)
    classes = _whole(rows[:, 5] * output.scale, limit, output)
    if allowed is not None:
        last = float(len(allowed) - 1)
        wanted = np.take(allowed, np.array(np.where(classes < last, classes, last), dtype=np.uint16))
        wanted = np.nonzero(wanted)[0]
        if not len(wanted):
            return 0
        passing, rows, classes = _taken(wanted, passing, rows, classes)
    ranks = rows[:, 4]
    count = len(ranks)
    most = labels.shape[1]
    if count > 1 and not np.all(ranks[:-1] >= ranks[1:]):
        passing, rows, classes = _taken(_order(ranks + 0.0, most, output), passing, rows, classes)  # -0 and 0 are one score
        count = len(passing)
    elif count > most:
        passing, rows, classes = passing[:most], rows[:most], classes[:most]
        count = most
    values[:, :count] = rows[:, :5].transpose()
    labels[0, :count] = passing
    labels[1, :count] = np.array(classes, dtype=np.uint16)
    return count


def _whole(numbers, limit, output):
    """Class numbers, floats, as whole numbers; ValueError where they are none."""
    classes = np.floor(numbers + 0.5)
    off = numbers - classes
    # The sum of squares says it at once of floats; NaN and infinity, which a maximum may pass over, stick to it.
    near = np.dot(off, off) <= limit or np.all(off * off <= limit)
    if not near or np.min(classes) < 0.0 or np.max(classes) > _LARGEST_CLASS:
        raise ValueError(
            "expected whole numbers of 0..65535 in the class column of an end-to-end head, got %s in %s"
            % (numbers.tolist(), output)
        )
    return classes


def _taken(positions, passing, rows, classes):
    return np.take(passing, positions), np.take(rows, positions, axis=0), np.take(classes, positions)


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
