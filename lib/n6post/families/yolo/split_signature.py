"""What matching.py knows about a model whose outputs may be a split head. Imported for models of several outputs only."""

from ...tensors.label_sets import class_name
from .split_layout import split_layouts

_KINDS = (("YoloV8", "boxes"), ("YoloV8Seg", "masks"), ("YoloV8Pose", "keypoints"), ("YoloV8Obb", "angles"))


def split_signature(shapes, size, label_count, range_of):
    """The SplitSignature of a model, or None if its outputs are not those of a split head.

    range_of    a function that returns (least, largest) number of an output, by its index, or None
    """
    found = []
    for family, kind in _KINDS:
        layouts = split_layouts(shapes, size, kind)
        if layouts and _may_be_sums(layouts[0].sums, range_of):
            found.append(SplitSignature(family, layouts, label_count))
    # One class and keypoints of three numbers, or classes and an angle, or classes and the sum of their scores. Then labels
    # decide, or else the first frame of a YoloV8.
    for signature in found:
        if label_count in signature.class_counts():
            return signature
    for signature in found:
        if _keypoint_count(signature.layouts[0]) == 17 or label_count and signature.labels_name_keypoints():
            return signature
    if not found:
        return None
    if not (label_count or found[0].layouts[0].sums):
        for signature in found[1:]:
            found[0].fits += signature.fits
    return found[0]


def _may_be_sums(sums, range_of):
    """Whether outputs may hold sums of class scores, 0..1. Integers that reach below 0 do not, unless they are symmetric."""
    for index, _ in sums:
        limits = range_of(index)
        if limits and limits[0] < -0.05 and abs(limits[0] + limits[1]) > 0.02 * limits[1]:
            return False
    return True


class SplitSignature:
    """The family whose split head the outputs are, and the ways to read them.

    fits        [(family, description of the model)]
    layouts     a list of SplitLayout, the likeliest first; only those that the labels fit if there are any
    """

    def __init__(self, family, layouts, label_count):
        named = [layout for layout in layouts if label_count in (layout.classes, _keypoint_count(layout))]
        self.layouts = named or layouts
        self.label_count = label_count
        self.fits = [(family, self._description(family))]

    def is_joined(self):
        """Whether boxes and classes are in one map for each stride, as in some other families."""
        return bool(self.layouts[0].parts[0].scores[2])

    def class_counts(self):
        """The numbers of classes that the head may have, the likeliest first."""
        return _distinct([layout.classes for layout in self.layouts])

    def class_names(self, labels):
        """The names of all classes; None if only a frame shows how many there are."""
        counts = self.class_counts()
        if labels or len(counts) != 1:
            return labels
        if counts[0] == 1 and _keypoint_count(self.layouts[0]) == 17:  # COCO's
            return ["person"]
        return [class_name(i, counts[0]) for i in range(counts[0])]

    def labels_name_keypoints(self):
        """Whether the labels are names of keypoints, which a constructor does not take."""
        counts = [_keypoint_count(layout) for layout in self.layouts]
        return self.label_count in counts and self.label_count not in self.class_counts()

    def expected_labels(self):
        """The labels that the model needs, as text; None if it has the right number of them."""
        counts = self.class_counts()
        if self.label_count in counts:
            return None
        expected = "%s, one per class" % _alternatives(counts)
        _, layout, first = self.layouts[0].parts[0].scores
        # Networks of other families, such as YOLOX, have one map for each stride, too.
        return expected + (" (if %d of the %d channels are for boxes)" % (first, layout.channels) if first else "")

    def _description(self, family):
        if family == "YoloV8Pose":
            return _alternatives(_distinct([_poses(layout) for layout in self.layouts]))
        if family == "YoloV8Obb":
            return "a split head of oriented boxes of %s" % _classes(self.class_counts())
        what = "detector" if family == "YoloV8" else "segmenter"
        return "a %s of %s, with a split head" % (what, _classes(self.class_counts()))


def _keypoint_count(layout):
    """The number of keypoints; 0 for a head without."""
    return layout.extras[0][2].channels // 3 if layout.extras and layout.protos is None else 0


def _poses(layout):
    count = _keypoint_count(layout)
    return "%s with %d keypoint%s" % (_classes([layout.classes]), count, "s" if count > 1 else "")


def _distinct(values):
    found = []
    for value in values:
        if value not in found:
            found.append(value)
    return found


def _alternatives(values):
    return " or ".join([str(value) for value in values])


def _classes(counts):
    return "1 class" if counts == [1] else "%s classes" % _alternatives(counts)
