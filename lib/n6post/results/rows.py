"""`detections`: Detections from anything else that has rectangles, for tracking, zones, drawing and JSON."""

from math import ceil, floor

from ulab import numpy as np

from ..pixels.rounding import NUDGE
from ..tensors.lazy import later
from ..tensors.options import name_list
from ..tensors.shapes import picture_size
from .detection import FIELDS, Detection, detection_from, set_corners

_EXPECTED = (
    "lists of ([x, y, w, h], score) for each class, or rows x, y, w, h, score, class or ([x, y, w, h], score, class,"
    " keypoints), or dicts as of as_dict(), or objects with `rect`"
)
_KEYS = FIELDS + ("corners", "rotation", "track_id")  # of as_dict
_NAN = float("nan")
_LARGEST = 0x3FFFFFFF  # class number and coordinate: kernels take 32 bits, of which a camera's int has 31


def detections(rows, *, frame=None, labels=None):
    """Return a list of Detection, best first, from the results of other post-processors, of find_blobs or of your own code.

    rows    what OpenMV's post-processors return, a list for each class of ([x, y, w, h], score[, keypoints]); or such tuples
            without the lists for classes, or ([x, y, w, h], score, class[, keypoints]); or (x, y, w, h[, score[, class]]),
            also as an array; or dicts as `as_dict` and the JSON of `to_json` have them; or objects with `rect`: blobs,
            AprilTags, QR codes, rectangles, Detections
    frame   the picture, or its (width, height); boxes and keypoints are clipped to it, and boxes outside of it are dropped.
            None: unknown, and nothing is clipped
    labels  class names as for a constructor; without them a label is the class number, such as "0"

    Coordinates are frame pixels. A score that is missing is 1.0, a missing class 0. The class of a blob is the number of its
    first threshold, that of an AprilTag its id; the label of a QR code is its payload. Keypoints are x, y, score; without a
    score it is 1.0. Rows without width or height are dropped, and so are those whose score is NaN or infinite. A keypoint
    with such a number was not seen: it becomes (0, 0) with score 0. Of a dict everything comes back, as rounded as it is
    there, except the mask, of which it has only measurements.

    ValueError for anything else; the message has the number of the row.
    """
    names = name_list("labels", labels)
    size = picture_size("frame", frame)
    _, threshold = Detection._source
    source = size, threshold
    found = []
    for number, (row, class_id) in enumerate(_numbered(rows)):
        try:
            fields = _fields(row, class_id)
            made = fields and _detection(fields, row, names, size, source)
        except (AttributeError, IndexError, KeyError, TypeError, ValueError, OverflowError):
            raise ValueError("rows: expected %s, got %r in row %d" % (_EXPECTED, row, number)) from None
        if made:
            found.append(made)
    # By score; equal ones in their order, which a camera's sort does not keep.
    order = sorted([(-float(found[i][1]), i) for i in range(len(found))])
    return [found[i] for _, i in order]


def _numbered(rows):
    """(row, class number or None) of all rows, with or without a list for each class."""
    rows = [rows] if isinstance(rows, dict) else _listed(rows)
    if not isinstance(rows, (list, tuple)):
        raise ValueError("rows: expected %s, got %r" % (_EXPECTED, rows))
    if rows and not [one for one in rows if not _is_class(one)]:
        return [(row, class_id) for class_id in range(len(rows)) for row in rows[class_id]]
    return [(row, None) for row in rows]


def _is_class(entry):
    """Whether this is a list of the entries of one class. An entry begins with a list or tuple of four numbers."""
    if not isinstance(entry, list):
        return False
    first = entry[0] if entry else ((),)
    return isinstance(first, (list, tuple)) and (not first or isinstance(first[0], (list, tuple)))


def _fields(row, class_id):
    """(rect, score, class number, label or None, keypoints or None) of a row."""
    if isinstance(row, Detection):
        return row[0], row[1], row[2], row[3], row[5]
    if isinstance(row, dict):
        if [key for key in row if key not in _KEYS] or ("rotation" in row) != ("corners" in row):
            raise ValueError
        score = row.get("score", 1.0)
        return row["rect"], _NAN if score is None else score, row.get("class_id", 0), row.get("label"), row.get("keypoints")
    rect = later.firmware.value_of(row, "rect")
    if rect is not None:
        label = later.firmware.value_of(row, "payload")
        number = later.firmware.value_of(row, "id")
        code = later.firmware.value_of(row, "code")
        if number is None and code and type(code) is int:
            number = 0
            while not code >> number & 1:
                number += 1
        return rect, 1.0, number or 0, label, None
    row = _listed(row)
    if isinstance(_listed(row[0]), (list, tuple)):
        rect, rest = row[0], row[1:]
    else:
        rect, rest = row[:4], row[4:]
    score = rest[0] if rest else 1.0
    keypoints = None
    rest = list(rest[1:])
    if rest and (rest[-1] is None or isinstance(_listed(rest[-1]), (list, tuple))):
        keypoints = rest.pop()
    if len(rest) > 1:
        raise ValueError
    return rect, score, rest[0] if rest else class_id or 0, None, keypoints


def _listed(numbers):
    """An array as a list; anything else as it is."""
    tolist = getattr(numbers, "tolist", None)
    return tolist() if tolist else numbers


def _detection(fields, row, names, size, source):
    """The Detection, or None if nothing of it lies in the frame or its score is not a number."""
    rect, score, class_id, label, keypoints = fields
    x, y, w, h = rect
    number = int(class_id)
    if number != class_id or not 0 <= number <= _LARGEST or label is not None and not isinstance(label, str):
        raise ValueError
    left, top, right, bottom = floor(x + NUDGE), floor(y + NUDGE), ceil(x + w - NUDGE), ceil(y + h - NUDGE)
    if size:
        left, top, right, bottom = max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1])
    score = float(score + 0.0)  # TypeError for anything but a number
    if right <= left or bottom <= top or score - score != 0.0:  # NaN and infinite ones
        return None
    if max(right, bottom) > _LARGEST or min(left, top) < -_LARGEST:
        raise ValueError
    rect = left, top, right - left, bottom - top
    if isinstance(row, Detection):
        known = row[3] if names is None or number >= len(names) else names[number]
        changes = {"rect": rect, "label": known, "keypoints": _points(keypoints, size)}
        if size:
            changes["frame_size"] = size
        return row.replace(**changes)
    of_dict = isinstance(row, dict)
    if label is None or of_dict and names and number < len(names):
        label = names[number] if names and number < len(names) else str(number)
    made = detection_from((rect, score, number, label, None, _points(keypoints, size)), source)
    if of_dict:
        made.track_id = row.get("track_id")
        if row.get("corners"):
            turned = later.results_oriented.table_of([_numbers(point) for point in row["corners"]])
            if row["rotation"] is not None:  # it is more exact than what the rounded corners give
                turned[0, 8] = floor(row["rotation"] * 100 + 0.5)
                if not 0.0 <= turned[0, 8] < 18000.0:
                    raise ValueError
            set_corners(made, turned, 0)
    return made


def _numbers(point):
    """A point of a dict, in which None is a number that is not finite."""
    return [_NAN if number is None else number for number in point]


def _points(keypoints, size):
    """Keypoints as float32 (K, 3), clipped to the frame."""
    if keypoints is None:
        return None
    rows = [_numbers(point) for point in _listed(keypoints)]
    count, columns = len(rows), len(rows[0])
    if columns not in (2, 3) or [row for row in rows if len(row) != columns]:  # ulab would write beyond the array
        raise ValueError
    points = np.array(rows, dtype=np.float)
    made = np.ones((count, 3))
    made[:, :columns] = points
    seen = np.isfinite(made[:, 0] + made[:, 1] + made[:, 2])
    for column in range(3):
        made[:, column] = np.where(seen, made[:, column], 0.0)
    if size:
        made[:, :2] = np.maximum(np.minimum(made[:, :2], np.array([float(size[0]), float(size[1])])), 0.0)
    return made
