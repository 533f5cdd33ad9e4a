"""Recognizes heads of other families that have the shape of a raw YOLOv8 head, from the numbers of a model's first frame.

A YOLOv8 head has boxes and class scores that are nearly 0 for nearly all anchors. Other heads have something else behind the
box: YOLOX and YOLOv5 an objectness and class scores that are high even where there is no object, oriented boxes an angle in
the last channel, NanoDet logits of boxes behind the scores. Without labels only the numbers show it.

Imported at the first frame of a model without labels whose number of classes is not that of COCO, and for an even number of
keypoints. In recorded networks the medians that _HIGH and _LOW separate are at most .002 in YOLOv8 heads, and .13 to .75 in
the others.
"""

from ulab import numpy as np

from ..tensors.quantization import FLOAT
from .samples import correlation, real, sample

_ANCHORS = 64  # the most anchors that are examined
_LOW = 0.02
_HIGH = 0.06
_NEVER_ZERO = 0.003  # the best class score of YOLOX for nearly all anchors
_BEYOND = 0.05  # how far scores may be outside of 0..1, besides one and a half steps of the quantization
_COARSE = 0.125  # steps of scores that show nothing any more
_LARGEST_ANGLE = 3.1416  # radians, in either direction
_YOLOX = "YOLOX or YOLOv5 (objectness before the classes)"
_FEWEST_ROWS = 16  # of an end-to-end head
_COORDINATE = 0.8  # the correlation of a keypoint's coordinate with the box center; that of a score is less than .5


def check_first_class(layout, tensor, array, extra):
    """Whether the scores of the first class are the objectness of YOLOv6. ValueError if they are logits.

    extra   how many numbers an anchor has behind its scores
    """
    numbers = sample(layout, 0, 5, tensor, array, _ANCHORS)
    first = numbers[4]
    if not float(np.min(numbers[:4])) < float(np.max(numbers[:4])):
        return False  # a constant frame
    if _median(first) < -0.5 - 1.5 * _step(tensor):
        raise ValueError(
            "expected class scores from 0 to 1, got logits in %s (%.3g on average for the first class): the head is"
            " without its sigmoid, or of another network; export it with the sigmoid" % (tensor, float(np.mean(first)))
        )
    if not is_yolov6(layout, tensor, array):
        return False
    if extra:
        raise _refused(tensor, "YOLOv6 (an objectness of 1 everywhere)", "n6post.YoloX()")
    check_classes(layout, tensor, array)
    return True


def is_yolov6(layout, tensor, array):
    """Whether the objectness of [1, N, 5 + classes] is 1 everywhere. ValueError if integers hide that, and the scores."""
    centers = layout.column(array, 0)
    objectness = layout.column(array, 4)
    least, largest = float(np.min(objectness)), float(np.max(objectness))
    off = (largest - tensor.zero_point) * tensor.scale - 1.0
    step = _step(tensor)
    margin = 0.05 + step
    if layout.channels < 6 or least < largest or not -margin < off < margin:
        return False
    saturated = (float(np.min(layout.column(array, 5))) - tensor.zero_point) * tensor.scale > 0.5
    if saturated or not np.min(centers) < np.max(centers):
        return False
    if step > _COARSE:
        raise ValueError(
            "expected scores from 0 to 1, got steps of %.3g in %s, as of YOLOv6, whose boxes are in pixels: leave this"
            " output in float32, or make it int16" % (step, tensor)
        )
    return True


def check_classes(layout, tensor, array):
    """ValueError if the class scores behind an objectness are not from 0 to 1. A constant says nothing."""
    values = sample(layout, 5, layout.channels, tensor, array, _ANCHORS)
    least, most = float(np.min(values)), float(np.max(values))
    margin = _margin(tensor)
    if least < most and float(np.mean((values < 0.0 - margin) + (values > 1.0 + margin))) > 0.05:
        name = "rows with other numbers than scores after the objectness (%.3g to %.3g: logits or landmarks)" % (least, most)
        from ..tensors.errors import not_decoded

        raise not_decoded(tensor, name, "use YuNet, BlazeFace or YOLOv8-pose, or export another head")


def shows_landmarks(layout, tensor, array):
    """Whether the channels 5 to 14 are x and y of five landmarks, as in YOLOv5-face; None if all of these are the same.

    Of the first half of the rows, which are those of the smallest anchors: there a landmark is near the center of its box.
    """
    half = layout.anchors // 2
    step = 1 + (half - 1) // _ANCHORS | 1  # as in `sample`
    grid = layout.grid(array)
    values = real(tensor, grid[:, :half:step]) if layout.channels_first else real(tensor, grid[:half:step]).transpose()
    if not float(np.min(values[5:15])) < float(np.max(values[5:15])):
        return None
    for channel in range(5, 15):
        center, point = values[1 - channel % 2], values[channel]
        middle = _median(center)
        if correlation(point, center) < _COORDINATE or not 5.0 * middle > _median(point) > 0.2 * middle:
            return False
    return True


def check_flat_pose(layout, tensor, array, first):
    """ValueError if the channels from `first` on are x and y of keypoints without scores."""
    from ..tensors.keypoints import flat_keypoints

    count = flat_keypoints(layout.channels - first)
    if count and _are_points(layout, tensor, array, layout.channels - 2):
        raise _flat_pose(tensor, "%d keypoints" % count)


def _flat_pose(tensor, what):
    text = "poses with %s of x and y without scores (kpt_shape=[K, 2])"
    return _refused(tensor, text % what, "n6post.YoloV8Pose()")


def _are_points(layout, tensor, array, first):
    """Whether two channels are x and y of a keypoint: they go with the center of the box from anchor to anchor."""
    centers = sample(layout, 0, 2, tensor, array, _ANCHORS)
    points = sample(layout, first, first + 2, tensor, array, _ANCHORS)
    for center, point in zip(centers, points):
        if correlation(point, center) < _COORDINATE or not _median(point) > 0.2 * _median(center) > 0.0:
            return False
    return True


def _step(tensor):
    return 0.0 if tensor.dtype == FLOAT else tensor.scale


def check_scores(layout, tensor, array):
    """ValueError if the channels behind the box are not class scores. There are at least two of them.

    layout, tensor, array   HeadLayout, OutputTensor and array of the head
    """
    values = sample(layout, 4, layout.channels, tensor, array, _ANCHORS)
    if not float(np.min(values)) < float(np.max(values)):
        return  # constant, as in a network's first frame
    classes = len(values)
    low = 0.0 - _margin(tensor)
    first = _median(values[0])
    if classes > 4 and _are_points(layout, tensor, array, layout.channels - 2):
        raise _flat_pose(tensor, "keypoints")
    if float(np.mean(values[: classes - 1] < low)) > 0.02:
        reach = float(np.min(values)), float(np.max(values))
        other = "NanoDet (use n6post.NanoDet() for a Plus) or of a YOLO without its sigmoid"
        raise _refused(tensor, "%s (%.3g to %.3g where scores are 0 to 1)" % ((other,) + reach), "")
    if _ends_with_angle(values, tensor, layout.channels_first):
        raise _refused(tensor, "oriented boxes (an angle in the last channel)", "n6post.YoloV8Obb()")
    if not layout.channels_first and _has_negative_centers(layout, tensor, array):
        raise _refused(tensor, _YOLOX, "n6post.YoloX()")
    rest = np.max(values[1:], axis=0)  # camera: long-axis: yolov8.py takes at most 65535 classes
    rest = np.sort(rest)  # camera: argsort: of floats
    if first < _LOW and rest[len(rest) // 2] > _HIGH:
        # camera: float-literal: any limit between 0 and .004 would do
        if rest[len(rest) // 12] > _NEVER_ZERO or _has_negative_centers(layout, tensor, array):
            raise _refused(tensor, _YOLOX, "n6post.YoloX()")


def _margin(tensor):
    return _BEYOND + 1.5 * _step(tensor)


def _ends_with_angle(values, tensor, channels_first):
    """Whether the last channel behind the boxes has angles: others than scores, beside class scores of nearly 0."""
    count = len(values) - 1
    last = values[count]
    typical = _median(last)
    if max(float(np.max(last)), 0.0 - float(np.min(last))) > _LARGEST_ANGLE + _margin(tensor):
        return False  # logits
    low, high = 0.0 - _margin(tensor), 1.0 + _margin(tensor)
    beyond = typical != 0.0 and float(np.mean((last < low) + (last > high))) > 0.02
    others = np.max(values[:count], axis=0)  # camera: long-axis: yolov8.py takes at most 65535 classes
    # One class and an angle look like objectness and one class. Oriented boxes have their channels first as a rule.
    return (beyond or typical > _HIGH and (count > 1 or channels_first)) and _median(others) < _LOW


def are_oriented(layout, tensor, array):
    """Whether rows of boxes, classes and one number more have an angle there, and no objectness before the classes."""
    values = sample(layout, 4, layout.channels, tensor, array, _ANCHORS)
    if _has_negative_centers(layout, tensor, array):
        return False
    if len(values) > 2:  # scores of nearly 0 are no class scores beside an objectness, and what is below 0 no score
        middle = _median(np.max(values[1:-1], axis=0))  # camera: long-axis: as in check_scores
        last = values[len(values) - 1]
        if 0.0 - _margin(tensor) < middle < _NEVER_ZERO and (float(np.min(last)) < 0.0 or _median(last) > _NEVER_ZERO):
            return True
    return _ends_with_angle(values, tensor, False)


def check_angles(layout, tensor, array):
    """Whether the last channel of a head of oriented boxes has angles; False if this frame does not show it.

    ValueError if it has class scores, as in a YOLOv8 of one class more.
    """
    if not layout.channels_first and _has_negative_centers(layout, tensor, array):
        raise _refused(tensor, _YOLOX, "n6post.YoloX()")
    values = sample(layout, 4, layout.channels, tensor, array, _ANCHORS)
    count = len(values) - 1
    last = values[count]
    best = np.max(values[:count], axis=0)  # camera: long-axis: as in check_scores
    if not layout.channels_first and _median(values[0]) < _LOW and _median(best) > _HIGH:
        raise _refused(tensor, _YOLOX, "n6post.YoloX()")
    return not _are_scores(last, "angles in the last channel", layout, tensor)


def check_objectness(layout, tensor, array):
    """Whether class scores of a head with objectness are high nearly everywhere; False if this frame does not show it.

    ValueError if they are 0 nearly everywhere, as in a YOLOv8 of one class more.
    """
    values = sample(layout, 5, layout.channels, tensor, array, _ANCHORS)
    best = np.max(values, axis=0)  # camera: long-axis: as in check_scores
    return not _are_scores(best, "objectness before the class scores", layout, tensor)


def _are_scores(values, expected, layout, tensor):
    """Whether these may be the class scores of a YOLOv8: nearly all 0, and none below. ValueError if an object has one."""
    typical = _median(values)
    # A sigmoid in floats is never 0.
    if float(np.min(values)) < -1e-6 or typical > 0.005 or tensor.dtype == FLOAT and typical == 0.0:
        return False
    if 0.1 < float(np.max(values)) < 1.05:
        raise ValueError(
            "expected %s, got numbers in %s as of a YOLOv8 of %d classes: use n6post.YoloV8() with one label per class"
            % (expected, tensor, layout.channels - 4)
        )
    return True


def check_keypoints(layout, tensor, array, first, doubt, rows, dims):
    """ValueError if the channels from `first` on are no keypoints of `dims` numbers: x, y and perhaps a score.

    doubt   whether they may be class scores: 1 if there are labels of several classes, 2 if there are no labels
    rows    whether it is an end-to-end head. Only rows with a score count, and a few of them show nothing
    """
    cx, x = [sample(layout, at, at + 1, tensor, array, _ANCHORS)[0] for at in (0, first)]
    if rows:
        scores = sample(layout, 4, 5, tensor, array, _ANCHORS)[0]
        used = np.nonzero(scores > 0.0)[0]  # camera: many-hits: of _ANCHORS rows
        if len(used) < _FEWEST_ROWS:
            return
        cx, x = np.take(cx, used), np.take(x, used)
    elif not layout.channels_first and _has_negative_centers(layout, tensor, array):
        raise _refused(tensor, _YOLOX, "n6post.YoloX()")
    if dims == 2 and first > 6 and not rows and _are_points(layout, tensor, array, first - 2):
        raise _refused(tensor, "poses with fewer classes", "n6post.YoloV8Pose() with one label per class")
    typical = _median(x)
    if typical < min(_LOW, 0.05 * float(np.mean(cx))):
        # Zeros of integers may be small numbers. With labels an object without keypoints shows that they are none.
        fine = tensor.dtype != FLOAT and tensor.scale < 0.1
        fine = fine and (doubt > 1 or _best_has_no_points(layout, tensor, array, first, dims))
        if typical > 0.0 or fine:
            raise _refused(tensor, "a detector of %d classes" % (layout.channels - 4), "n6post.YoloV8()")


def are_pairs(layout, tensor, array, first, rows):
    """Whether the channels from `first` on are x and y of keypoints without scores; None if this frame leaves it open.

    rows    as for check_keypoints
    """
    if rows:
        return _are_in_boxes(layout, tensor, array, first)
    channels = layout.channels
    x, y = sample(layout, 0, 2, tensor, array, _ANCHORS)
    points = sample(layout, channels - 4, channels, tensor, array, _ANCHORS)
    if not float(np.min(x)) < float(np.max(x)):
        return None
    # The last four are score, x, y, score of keypoints with scores.
    return min([correlation(point, (x, y)[at & 1]) for at, point in enumerate(points)]) > _COORDINATE


def _are_in_boxes(layout, tensor, array, first):
    # As are_pairs, for rows, best first: most points are in or near their box, if they are read as what they are.
    count = min(_FEWEST_ROWS, layout.anchors)
    rows = real(tensor, layout.taken(array, np.array(range(count), dtype=np.uint16), layout.channels))
    used = np.nonzero(rows[4] > 0.0)[0]  # camera: many-hits: of _FEWEST_ROWS
    if not used.size:
        return None
    rows = np.take(rows, used, axis=1)
    scores = rows[first + 2 :: 3]
    scores = scores * scores < 1000.0  # or their logits
    as_pairs = float(np.mean(_near(rows, rows[first::2], rows[first + 1 :: 2])))
    as_threes = float(np.mean(_near(rows, rows[first::3], rows[first + 1 :: 3]) * scores))
    return as_pairs > as_threes if abs(as_pairs - as_threes) > 0.1 else None


def _near(rows, x, y):
    right, down = 0.25 * (rows[2] - rows[0]), 0.25 * (rows[3] - rows[1])
    beside = (x >= rows[0] - right) * (x <= rows[2] + right)
    return beside * (y >= rows[1] - down) * (y <= rows[3] + down)


def check_keypoint_scores(layout, tensor, array, first, rows):
    """ValueError if most of what would be scores of keypoints is far above 1, as coordinates are."""
    values = sample(layout, first, layout.channels, tensor, array, _ANCHORS)[2::3]
    if rows:
        used = np.nonzero(sample(layout, 4, 5, tensor, array, _ANCHORS)[0] > 0.0)[0]  # camera: many-hits: of _ANCHORS rows
        values = np.take(values, used, axis=1)
    typical = _median(values.reshape((values.size,))) if values.size else 0.0
    if typical > 4.0 and float(np.min(values)) < float(np.max(values)):
        from ..tensors.errors import keypoint_scores_refused

        raise keypoint_scores_refused(tensor, typical)


def _best_has_no_points(layout, tensor, array, first, dims):
    """Whether the anchor with the best score has nothing but nearly 0 where its keypoints would be."""
    scores = layout.columns(array, 4, first)
    # camera: long-axis: yolov8.py takes at most 65535 classes
    best = int(np.argmax(np.max(scores, axis=1 - layout.anchor_axis)))
    row = real(tensor, layout.row(array, best, 0))
    if float(np.max(row[4:first])) < 0.25:
        return False
    return float(np.max(row[first::dims])) < 0.05 * row[0] and float(np.max(row[first + 1 :: dims])) < 0.05 * row[1]


def check_map(array, layout):
    """ValueError if a map without labels is a grid of YOLOv2: five anchors in each cell.

    Each of them has x, y, w, h, objectness and classes.
    """
    channels = layout.channels
    step = 1 + (layout.anchors - 1) // _ANCHORS
    means = []
    for channel in range(channels):
        means.append(float(np.mean(np.array(layout.column(array, channel, step), dtype=np.float))))
    size = channels // 5
    objectness = [means[first + 4] for first in range(0, channels, size)]
    boxes = [mean for first in range(0, channels, size) for mean in means[first : first + 4]]
    if max(objectness) < min(boxes):  # nearly all cells have no object
        raise ValueError(
            "expected a class map, got numbers in %s as of YOLOv2: use n6post.YoloV2(), or give labels, one per class, if it"
            " is a class map" % (tuple(array.shape),)
        )


def _has_negative_centers(layout, tensor, array):
    """Whether box centers are relative to their cells, as in YOLOX: 6 to 24 % are below 0 there, and as many above 1."""
    centers = sample(layout, 0, 2, tensor, array, _ANCHORS)
    margin = _margin(tensor)
    if float(np.mean(centers)) > 3.0:
        return False  # corners in pixels, outside of the picture
    return float(np.mean(centers < 0.0 - margin)) > 0.03 < float(np.mean(centers > 1.0 + margin))


def _median(values):
    return float(np.median(values))  # camera: argsort: of floats


def _refused(tensor, family, constructor):
    return ValueError(
        "expected boxes and class scores of YOLOv8, got numbers in %s as of %s: %sgive labels, one per class, if it is one"
        % (tensor, family, "use %s, or " % constructor if constructor else "")
    )
