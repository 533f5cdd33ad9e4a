"""What results tell besides what they hold, and in OpenMV's own shape: loaded when the first of it is asked for.

Dicts are OrderedDicts, and numbers are rounded, so that json.dumps makes the same text of them on camera and PC.
"""

from array import array
from collections import OrderedDict
from math import atan2, degrees

from ulab import numpy as np

from .joints import joint_number

FIELDS = ("rect", "score", "class_id", "label", "mask", "keypoints")

# What is answered. Those with an underscore are a namedtuple's, which the camera's lacks and a PC's has.
_ANSWERS = ("center", "as_dict", "replace", "joint", "angle", "_asdict", "_replace", "_fields")


def answers(detection, name):
    """The attribute `name` of a Detection that is no field of it."""
    if name == "center":  # by itself: the one that a script asks of every detection in every frame
        x, y, w, h = detection[0]
        return x + w // 2, y + h // 2
    if name not in _ANSWERS:
        raise AttributeError("'Detection' object has no attribute '%s'" % name)
    return getattr(Answers(detection), name)


class Answers:
    """The methods of a Detection; `self.detection` is the one that was asked."""

    _fields = FIELDS

    def __init__(self, detection):
        self.detection = detection

    @property
    def center(self):
        """The frame pixel (x, y) in the middle of the box, ints."""
        return answers(self.detection, "center")

    def as_dict(self, outline=False):
        """The detection in numbers, strings and lists, for json.dumps, which makes the same text on camera and PC.

        {"rect": [x, y, w, h], "score": 0.875, "class_id": 2, "label": "car"}; of one with a mask also "mask": {"rect":
        [x, y, w, h], "area": n, "centroid": [x, y]} and, if asked for, in it "outline": [[x, y], ...]; of one with keypoints
        also "keypoints": [[x, y, score], ...], of one of a track "track_id": n. Scores are rounded to 3 decimals, keypoints
        to a tenth of a pixel. What an empty mask has not, and a number that is not finite, is None.
        """
        rect, score, class_id, label, mask, keypoints = self.detection
        told = [
            ("rect", [int(v) for v in rect]),
            ("score", rounded(score)),
            ("class_id", int(class_id)),
            ("label", label),
        ]
        if mask is not None:
            told.append(("mask", mask_as_dict(mask, outline)))
        if keypoints is not None:
            told.append(("keypoints", keypoints_as_lists(keypoints)))
        if self.detection.track_id is not None:
            told.append(("track_id", self.detection.track_id))
        return OrderedDict(told)

    def replace(self, **fields):
        """The same detection, and track, with other values in these of its fields; ValueError for a name that is none."""
        for name in fields:
            if name not in FIELDS:
                raise ValueError("replace: expected fields out of %s, got %s" % (", ".join(FIELDS), name))
        detection = self.detection
        other = type(detection)(*[fields.get(name, detection[i]) for i, name in enumerate(FIELDS)])
        if detection.track_id is not None:
            other.track_id = detection.track_id
        return other

    def joint(self, joint):
        """A joint by its name (see `joint_names`) or number: (x, y, score), the frame pixel that it lies in as ints.

        Whether it was seen the score tells: at least the detection's `keypoint_threshold`. ValueError for an unknown joint,
        which lists the names, and for a detection without keypoints.
        """
        x, y, score = self._row(joint)
        return int(x), int(y), score

    def angle(self, first, middle, last):
        """The angle at the middle joint between the ways to the other two, degrees: 180 where the three lie in a line.

        None where one of the three was not seen (its score is below the detection's `keypoint_threshold`) or lies where the
        middle one does. Joints as for `joint`.
        """
        threshold = getattr(self.detection, "keypoint_threshold", 0.3)  # made by hand: as `draw` does
        (ax, ay, a), (x, y, m), (bx, by, b) = self._row(first), self._row(middle), self._row(last)
        if not (a >= threshold and m >= threshold and b >= threshold):
            return None
        ax, ay, bx, by = ax - x, ay - y, bx - x, by - y
        if not (ax or ay) or not (bx or by):
            return None
        # Not the arc cosine, which tells small angles badly, and in float32 those near 180 too.
        return degrees(atan2(abs(ax * by - ay * bx), ax * bx + ay * by))

    def _row(self, joint):
        keypoints = self.detection.keypoints
        if keypoints is None:
            raise ValueError("expected a detection with keypoints, got one without")
        return keypoints[joint_number(joint, len(keypoints))].tolist()

    def _asdict(self):
        return OrderedDict(zip(FIELDS, self.detection))

    _replace = replace


def keypoints_as_lists(keypoints):
    # In float32 arrays, which are the same everywhere: a camera's float objects have two bits less than their elements.
    steps = (keypoints * _STEPS + _WHOLE) - _WHOLE
    return [[_part(x, 10.0), _part(y, 10.0), _part(s, 1000.0)] for x, y, s in steps.tolist()]


_STEPS = np.array([10.0, 10.0, 1000.0])
_WHOLE = 12582912.0  # 1.5 * 2^23: next to it float32 has whole numbers only, and halves go to the even one


def _part(steps, of):
    return steps / of if steps - steps == 0.0 else None  # inf - inf and NaN - NaN are not 0


def mask_as_dict(mask, outline):
    rect = mask.rect
    area, centroid = mask._area_and_centroid
    told = [("rect", rect and list(rect)), ("area", area), ("centroid", centroid and list(centroid))]
    if outline:
        told.append(("outline", [list(point) for point in mask.outline()]))
    return OrderedDict(told)


def map_as_dict(segmentation, background):
    """Segmentation.as_dict."""
    x0, y0, x1, y1 = segmentation.view.window
    pixels = (x1 - x0) * (y1 - y0)
    counts = segmentation._count()
    classes = []
    for class_id in segmentation.present(background):
        # In integers: a share often lies in the middle between two of these steps.
        share = (counts[class_id] * 20000 + pixels) // (2 * pixels) / 10000
        label, area = segmentation.label(class_id), segmentation.area(class_id)
        classes.append(OrderedDict([("class_id", class_id), ("label", label), ("area", area), ("share", share)]))
    return {"classes": classes}


def rounded(score):
    """A score to three decimals, halves to the even one; None for one that is not finite."""
    score = array("f", (score,))[0]
    if score - score != 0.0:
        return None
    # Exactly, in whole numbers: a product of floats would now and then become a half, on a camera at another place.
    scaled = int(score * 1099511627776.0) * 1000  # times 2^40: no bit of what is .0005 or more is lost
    whole = (scaled + (1 << 39)) >> 40
    if whole & 1 and scaled & (1 << 40) - 1 == 1 << 39:
        whole -= 1
    return whole / 1000


def by_class(found):
    """OpenMV's own shape of a result: a list a class, each of ([x, y, w, h], score) or ([x, y, w, h], score, keypoints).

    For scripts written for the stock post-processors, which draw class by class:

        from ml.utils import draw_predictions

        for i, entries in enumerate(n6post.by_class(found)):
            rects = [entry[0] for entry in entries]
            draw_predictions(img, rects, [labels[i]] * len(rects), [color] * len(rects), format=None)

    There are as many lists as the largest class number found needs. ValueError for what is no list of Detection.
    """
    lists = []
    try:
        for d in found:
            if d.class_id < 0:
                raise TypeError
            while len(lists) <= d.class_id:
                lists.append([])
            entry = (list(d.rect), d.score) if d.keypoints is None else (list(d.rect), d.score, d.keypoints)
            lists[d.class_id].append(entry)
    except (AttributeError, TypeError):
        raise ValueError("found: expected a list of Detection, got %r" % (found,)) from None
    return lists
