"""How `processor_for` recognizes heat maps, class maps, FOMO, distances and features: see families/recognition.py."""

from ...tensors.shapes import are_keypoints, coarse_grid
from ..evidence import are_probabilities, classes_text, is_rectified, is_stride

_MOVENET_KEYPOINTS = (13, 17)  # of ST's and Google's MoveNet
_OTHER_KEYPOINTS = (14, 15, 16, 18, 20, 21, 25, 33)  # of LSP, MPII, OpenPose, hands, BODY_25, BlazePose


def _keypoints(model):
    if len(model.shapes) != 1 or model.head_layout:
        return None
    if are_keypoints(model.shapes[0]):
        return True, "%d keypoints as y, x, score" % model.shapes[0][2]
    if model.map is None:
        return None
    width, height, keypoint_count = model.map
    if (width, height) == model.size:
        return None  # heatmaps are smaller than the input
    of_movenet = keypoint_count in _MOVENET_KEYPOINTS
    quarter = (width, height) == (model.size[0] // 4, model.size[1] // 4)
    if not of_movenet and not (quarter and keypoint_count in _OTHER_KEYPOINTS):
        return None
    labels = model.label_count
    certain = model.names_keypoints or labels == 1 or (quarter and of_movenet and labels != keypoint_count)
    return certain, "heatmaps of %d keypoints" % keypoint_count


def _class_map(model):
    if len(model.shapes) != 1 or model.head_layout or model.map is None or are_keypoints(model.shapes[0]):
        return None
    classes = model.map[2]
    if classes == 0 and model.may_have_rows(6):
        return None  # no map is 6 pixels wide
    if classes < 2:
        return True, "a class map" if classes == 0 else "a map of one class"
    certain = _keypoints(model) is None or (model.label_count == classes and not model.names_keypoints)
    return certain and not _are_features(model), "a map of %d classes" % classes


def _fomo(model):
    if len(model.shapes) != 1 or len(model.shapes[0]) != 4 or not model.map or not model.size:
        return None
    width, height, channels = model.map
    if channels < 2 or not (is_stride(width, height, model.size, 8) or is_stride(width, height, model.size, 16)):
        return None
    values = model.range(0)
    # FOMO ends with a softmax; class maps are logits as a rule.
    if values and not are_probabilities(values):
        return None
    if model.label_count not in (0, channels, channels - 1):
        return None
    return 2 if values or model.label_count == channels - 1 else 1, "a FOMO grid of %s" % classes_text(channels - 1)


def _fomo_labels(model):
    return model.map[2] - 1, model.map[2]  # with or without a name for the background


def _depth(model):
    if len(model.shapes) != 1 or not model.map or model.map[2] != 1 or model.label_count:
        return None
    values = model.range(0)
    if values:
        # Distances are above 0. A class is a probability, up to 1, or a logit, down to below 0.
        # A scale of 1 is that of class numbers.
        return (2, "a map of distances") if is_rectified(values) and values[1] - values[0] not in (255.0, 65535.0) else None
    return 1, "a map of distances"


def _are_features(model):
    """Whether the output may be the features of a cut backbone: bytes, many channels, a multiple of 8, no labels."""
    shape = model.shapes[0]
    if model.label_count or model.dtypes[0] not in ("b", "B") or len(shape) != 4:
        return False
    if shape[3] % 8 or not 32 <= shape[3] <= 1024:
        return False
    return True in [is_stride(shape[2], shape[1], model.size, stride) for stride in (8, 16, 32)]


def _anomaly(model):
    if len(model.shapes) != 1 or not model.map or not model.size or model.label_count:
        return None
    if _are_features(model):
        return 1, "%d features of a network that is cut" % model.shapes[0][3]
    width, height, channels = model.map
    if channels > 1 or not coarse_grid(width, height, model.size):
        return None
    values = model.range(0)
    # Classes and their logits have other ranges, and class numbers a scale of 1. Of floats only a frame shows what they are.
    if values is None or is_rectified(values) and values[1] - values[0] not in (255.0, 65535.0):
        return 2 if values else 0, "a grid of anomaly scores"
    return None


FAMILIES = (
    ("MoveNet", _keypoints),
    ("DeepLab", _class_map),
)
MORE_FAMILIES = (
    ("Fomo", _fomo, _fomo_labels),
    ("Depth", _depth, None),
    ("Anomaly", _anomaly, None),
)
