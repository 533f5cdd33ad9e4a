"""Results as dicts of numbers, strings and lists, for JSON. Imported on first use.

The dicts are OrderedDicts and the numbers are rounded, so that json.dumps makes the same text on a camera and on a PC.
"""

from array import array
from collections import OrderedDict
from struct import unpack

from ulab import numpy as np

from ..tensors.lazy import later


def detection_as_dict(detection, outline, is_oriented):
    """Detection.as_dict."""
    rect, score, class_id, label, mask, keypoints = detection
    entries = [
        ("rect", [int(v) for v in rect]),
        ("score", rounded(score)),
        ("class_id", int(class_id)),
        ("label", label),
    ]
    if mask is not None:
        entries.append(("mask", mask_as_dict(mask, outline)))
    if keypoints is not None:
        entries.append(("keypoints", keypoints_as_lists(keypoints)))
    if is_oriented:
        entries += corners_as_pairs(detection)
    if detection.track_id is not None:
        entries.append(("track_id", detection.track_id))
    return OrderedDict(entries)


def keypoints_as_lists(keypoints):
    """[[x, y, score], ...], rounded; None for numbers that are not finite."""
    steps = keypoint_steps(keypoints) - _WHOLE
    rows = zip(steps.tolist(), keypoints.tolist())
    return [[_divided(a[0], 10.0, b[0]), _divided(a[1], 10.0, b[1]), _divided(a[2], 1000.0, b[2])] for a, b in rows]


def keypoint_steps(keypoints):
    """x and y in tenths of a pixel and scores in thousandths, rounded, halves to even, and 1.5 * 2^23 added."""
    # In float32 arrays, which are the same on every machine: a float object of the camera has two bits less.
    steps = keypoints * _STEPS
    steps += _WHOLE
    return steps


def corners_as_pairs(detection):
    """[("corners", [[x, y], ...]), ("rotation", degrees)] of a detection with an oriented box."""
    steps = later.results_oriented.corner_steps(detection).reshape((4, 2)) - _WHOLE
    rows = zip(steps.tolist(), detection.corners.tolist())
    points = [[_divided(a[0], 10.0, b[0]), _divided(a[1], 10.0, b[1])] for a, b in rows]
    return [("corners", points), ("rotation", detection.rotation)]


_STEPS = np.array([10.0, 10.0, 1000.0])
_WHOLE = 12582912.0  # 1.5 * 2^23: float32 has only whole numbers near it, so adding it rounds, halves to even
_SIX_DIGITS = 1000000  # in steps: a camera prints no more of a float


def _divided(steps, by, number):
    return steps / by if -_SIX_DIGITS < steps < _SIX_DIGITS else _whole(number, 1)


def mask_as_dict(mask, outline):
    """{"rect", "area", "centroid"} and, if asked for, "outline" of a Mask."""
    rect, centroid = mask.rect, mask.centroid
    entries = [("rect", rect and list(rect)), ("area", mask.area), ("centroid", centroid and list(centroid))]
    if outline:
        entries.append(("outline", [list(point) for point in mask.outline()]))
    return OrderedDict(entries)


def map_as_dict(segmentation, background):
    """Segmentation.as_dict."""
    x0, y0, x1, y1 = segmentation._transform.window
    pixels = (x1 - x0) * (y1 - y0)
    counts = segmentation._count()
    classes = []
    for class_id in segmentation.class_ids(background):
        # In integers, because a fraction is often halfway between two steps of four decimals.
        fraction = (counts[class_id] * 20000 + pixels) // (2 * pixels) / 10000
        label, area = segmentation.label(class_id), segmentation.area(class_id)
        classes.append(OrderedDict([("class_id", class_id), ("label", label), ("area", area), ("fraction", fraction)]))
    return {"classes": classes}


def record_as_dict(record, names):
    """A named tuple with these names, which a camera's does not tell."""
    return OrderedDict([(name, _plain(value)) for name, value in zip(names, record)])


def _plain(value):
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return rounded(value) if isinstance(value, float) else value


def rounded(score):
    """A score rounded to three decimals, or to a whole number, an int, from 1000 on; None if it is not finite."""
    steps = _whole(score, 1000)
    if steps is None or -_SIX_DIGITS < steps < _SIX_DIGITS:
        return steps if steps is None else steps / 1000
    return _whole(score, 1)


def _whole(number, times):
    """A number as float32, times an int and rounded, halves to even; None if it is not finite."""
    # In integers, because products and sums of float objects are rounded otherwise on a camera. Its floats lack the last two
    # of the float32's bits: sign, 8 of the exponent, 23 of the mantissa, which has a 1 before it.
    (bits,) = unpack("i", array("f", (number,)))
    exponent = bits >> 23 & 255
    if exponent == 255:
        return None
    whole = (bits & 0x7FFFFC | (0x800000 if exponent else 0)) * times
    shift = 150 - exponent
    if shift > 0:
        half = 1 << shift - 1
        rest = whole & 2 * half - 1
        whole >>= shift
        if rest > half or rest == half and whole & 1:
            whole += 1
    else:
        whole <<= -shift
    return -whole if bits < 0 else whole


def to_openmv(detections):
    """Detections in OpenMV's own form: a list for each class, of ([x, y, w, h], score) or (..., score, keypoints) tuples.

    For scripts that were written for the stock post-processors, which draw class by class:

        from ml.utils import draw_predictions

        for i, entries in enumerate(n6post.to_openmv(detections)):
            rects = [entry[0] for entry in entries]
            draw_predictions(img, rects, [labels[i]] * len(rects), [color] * len(rects), format=None)

    There are as many lists as the largest class number needs. ValueError for anything but a list of Detection with class
    numbers from 0 to 65535.
    """
    lists = []
    try:
        for d in detections:
            if not 0 <= d.class_id <= 65535:
                raise TypeError
            while len(lists) <= d.class_id:
                lists.append([])
            entry = (list(d.rect), d.score) if d.keypoints is None else (list(d.rect), d.score, d.keypoints)
            lists[d.class_id].append(entry)
    except (AttributeError, TypeError):
        raise ValueError("detections: expected a list of Detection, got %r" % (detections,)) from None
    return lists
