"""How `processor_for` recognizes landmarks, classifiers, embeddings and text: see families/recognition.py."""

from ...tensors.head_layout import squeezed
from ...tensors.shapes import are_face_points, are_pose_outputs, is_text_shape
from ..evidence import QUERIES, are_probabilities, by_labels, is_rectified

_IMAGENET_CLASSES = (1000, 1001)
_FEWEST_NUMBERS = 8  # of an embedding


def _sizes(model):
    """The sorted numbers of elements of outputs that are vectors; () if one is not."""
    found = []
    for shape in model.shapes:
        dims = squeezed(shape)
        if len(dims) > 1:
            return ()
        found.append(dims[0] if dims else 1)
    return sorted(found)


def _hand_landmarks(model):
    return (2, "MediaPipe's 21 keypoints of a hand") if _sizes(model) in ([1, 1, 63], [1, 1, 63, 63]) else None


def _face_landmarks(model):
    sizes = _sizes(model)
    if sizes in ([1, 1404], [1, 1434]):
        return 2, "MediaPipe's %d keypoints of a face" % (sizes[-1] // 3)
    return None


def _pose_landmarks(model):
    return (2, "MediaPipe's 33 keypoints of a body") if are_pose_outputs(model.shapes) else None


def _face_points(model):
    count = _vector(model)
    if not are_face_points(count) or model.label_count or are_probabilities(model.range(0)):
        return None
    return 3, "%d keypoints of a face, without a score" % (count // 2)


def _vector(model):
    """The number of elements of a single output [1, n]; 0 for other outputs. The input may be anything."""
    sizes = _sizes(model)
    return sizes[0] if len(sizes) == 1 and not model.rows else 0


def _classifier(model):
    count = _vector(model)
    if count < 2:
        return None
    without = 0 if _like_embedding(model, count) else 1
    if count in _IMAGENET_CLASSES or are_probabilities(model.range(0)):
        without = 2
    return by_labels(model, (count,), without), "a classifier of %d classes" % count


def _classifier_labels(model):
    return (_vector(model),)


def _embedding(model):
    count = _vector(model)
    if count < _FEWEST_NUMBERS or model.label_count or count in _IMAGENET_CLASSES or are_probabilities(model.range(0)):
        return None
    return 2 if is_rectified(model.range(0)) else 1, "an embedding of %d numbers" % count


def _like_embedding(model, count):
    """Whether [1, count] without labels is an embedding: a usual length, or the range of a ReLU."""
    return count >= 64 and count % 64 == 0 or is_rectified(model.range(0))


def _text_line(model):
    shape = model.shapes[0] if len(model.shapes) == 1 else ()
    if not shape or model.head_layout or not is_text_shape(shape, model.size):
        return None
    if [rows for rows in model.rows if rows.anchors in QUERIES and rows.channels > 5 and rows.channels % 3 == 0]:
        return None  # an end-to-end head
    values = model.range(0)
    if values and values[1] - values[0] in (0.0, 255.0, 65535.0):
        return None  # class numbers
    labels = model.label_count
    if labels and not [n for n in squeezed(shape) if n in (labels, labels + 1, labels + 2)]:
        return None
    # A map whose cells are whole pixels may be one of classes: the first frame shows it.
    width, height, channels = model.map or (0, 0, 0)
    on_grid = width and channels < 2 and not (model.size[0] % width or model.size[1] % height)
    return 0 if on_grid and not labels else 2, "text recognition by CTC"


MORE_FAMILIES = (
    ("HandLandmarks", _hand_landmarks, None),
    ("FaceLandmarks", _face_landmarks, None),
    ("PoseLandmarks", _pose_landmarks, None),
    ("FacePoints", _face_points, None),
    ("Classifier", _classifier, _classifier_labels),
    ("Embedding", _embedding, None),
    ("TextLine", _text_line, None),
)
