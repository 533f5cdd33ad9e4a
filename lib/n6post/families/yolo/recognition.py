"""How `processor_for` recognizes YOLOv8 and its successors: see families/recognition.py."""

from micropython import const

from ...tensors.keypoints import flat_keypoints, pose_classes
from ..evidence import classes_text

# Copied by scripts/dev/generate.py from families/yolo/yolov8.py:
_COCO_CLASSES = const(80)

# Copied by scripts/dev/generate.py from families/yolo/layout_probe.py:
_MOST_ROWS = const(300)
_MOST_COLUMNS = const(405)

_COCO_KEYPOINTS = const(17)


def _detector(model):
    if len(model.shapes) != 1:
        return None
    if model.head_layout is None:
        return (True, "an end-to-end detector") if model.may_have_rows(6) else None
    classes = model.head_layout.channels - 4
    if classes < 1:
        return None
    if model.label_count:
        certain = model.label_count == classes
    else:
        certain = classes == _COCO_CLASSES or _pose(model) is None
    return certain, "a detector of %s" % classes_text(classes)


def _segmenter(model):
    if len(model.shapes) != 2 or model.map is None or not 8 <= model.map[2] <= 64:
        return None
    classes = model.head_layout.channels - 4 - model.map[2] if model.head_layout else 0
    if classes > 0:
        return True, "a segmenter of %d classes" % classes
    return (True, "an end-to-end segmenter") if model.may_have_rows(6 + model.map[2]) else None


def _pose(model):
    if len(model.shapes) != 1:
        return None
    return model.head_layout and _raw_pose(model) or model.rows and _end_to_end_pose(model) or None


def _raw_pose(model):
    labels = model.label_count
    classes = pose_classes(model.head_layout.channels, labels) or 1
    values = model.head_layout.channels - 4 - classes
    # With COCO's numbers of channels, labels of another number are wrong rather than those of several classes.
    named = labels == classes and model.head_layout.channels not in (4 + _COCO_CLASSES, 5 + 3 * _COCO_KEYPOINTS)
    keypoint_count = values // 3
    # Without labels, one keypoint is no candidate: a detector of four classes is far more common.
    if values % 3 or keypoint_count < (1 if labels else 2):
        # Without scores only labels show it. With 28 channels, they are rather the bins of NanoDet.
        keypoint_count = flat_keypoints(values)
        if not named or keypoint_count < classes:
            return None
        return values != 28, "%s with %d keypoints without scores" % (classes_text(classes), keypoint_count)
    certain = keypoint_count == _COCO_KEYPOINTS or labels == 1 or named or labels == keypoint_count and classes == 1
    return certain, "%s with %d keypoints" % (classes_text(classes), keypoint_count)


def _end_to_end_pose(model):
    columns, rows, _ = model.rows[0]
    if model.may_have_rows(6 + 3 * _COCO_KEYPOINTS):
        columns = 6 + 3 * _COCO_KEYPOINTS  # in either order; otherwise the transpose, 300 columns, would be 98 keypoints
    elif not 1 < rows <= _MOST_ROWS or columns > _MOST_COLUMNS or columns < 9:  # one row: a classifier
        return None
    if columns % 3:
        keypoint_count = flat_keypoints(columns - 6)
        named = keypoint_count and model.label_count == 1 and not model.map
        return (True, "an end-to-end head of %d keypoints without scores" % keypoint_count) if named else None
    keypoint_count = columns // 3 - 2
    certain = model.label_count in (1, keypoint_count) or keypoint_count == _COCO_KEYPOINTS and not model.head_layout
    return certain, "an end-to-end head of %d keypoints" % keypoint_count


def _obb(model):
    if len(model.shapes) != 1:
        return None
    if model.head_layout is None:
        rows = [one for one in model.rows if one.channels == 7 and 1 < one.anchors <= 300]
        return (2, "an end-to-end head of oriented boxes") if rows else None
    classes = model.head_layout.channels - 5
    # DOTA has 15 classes. Without labels, other numbers of channels are far more often those of a plain detector.
    if classes == _COCO_CLASSES - 1:
        return None  # as in anchors/recognition.py
    if classes > 0 and (model.label_count == classes or not model.label_count and classes == 15):
        rank = 2 if model.label_count and model.head_layout.channels_first else 0
        return rank, "a head of oriented boxes of %s" % classes_text(classes)
    return None


def _obb_labels(model):
    return (model.head_layout.channels - 5,) if model.head_layout else ()


FAMILIES = (
    ("YoloV8", _detector),
    ("YoloV8Seg", _segmenter),
    ("YoloV8Pose", _pose),
)
MORE_FAMILIES = (("YoloV8Obb", _obb, _obb_labels),)
