"""How `processor_for` recognizes the families besides the five of matching.py. Imported for models that these leave open.

Each family has one row in MORE_FAMILIES: its constructor, a function that reads a ModelSignature as this family would, and
one that says how many labels such a model has. The first function returns (rank, description of the model), or None if the
outputs do not fit. The highest rank wins:

    0   possible
    1   certain unless another family is certain too
    2   unmistakable: shapes that no other family has, or as many labels as only this family's model would need

The second function returns the numbers of labels that are right, the number of classes first; () if labels are free or if
only a frame shows how many classes there are. It is None for a family that has no labels to count.
"""

from micropython import const

from ..tensors.head_layout import anchor_counts, flat, row_layouts, squeezed

# Copied by scripts/dev/generate.py from families/yolov8.py:
_COCO_CLASSES = const(80)

_IMAGENET_CLASSES = (1000, 1001)
_FEWEST_NUMBERS = 8  # of an embedding
_DETR_ROWS = (100, 300, 900)  # queries of DETR, RT-DETR and DINO


def readings(model):
    """[(rank, family, description)] of each family that fits."""
    found = []
    for family, reads, _ in MORE_FAMILIES:
        reading = reads(model)
        if reading:
            found.append((int(reading[0]), family, reading[1]))
    return found


def label_counts(family, model):
    """The numbers of labels that are right for this family, the number of classes first; () if shapes do not show it."""
    for name, _, counts in MORE_FAMILIES:
        if name == family and counts:
            return counts(model)
    return ()


# --- helpers ---


def _tables(model):
    """Sorted (columns, rows) of outputs [1, rows, columns] with 1 to 18 columns, as anchors have; () if one is not so."""
    found = []
    for shape in model.shapes:
        if len(shape) < 3 or shape[0] != 1:
            return ()
        columns = shape[-1]
        rows = 1
        for n in shape[1:-1]:
            rows *= n
        if columns > 18:
            return ()
        found.append((columns, rows))
    return sorted(found)


def _sizes(model):
    """The sorted numbers of elements of outputs that are vectors; () if one is not."""
    found = []
    for shape in model.shapes:
        dims = squeezed(shape)
        if len(dims) > 1:
            return ()
        found.append(dims[0] if dims else 1)
    return sorted(found)


def _classes(count):
    return "%d class%s" % (count, "es" if count > 1 else "")


def _by_labels(model, counts, without):
    """2 if the number of labels is one of these, 1 if there are labels that do not fit, `without` if there are none."""
    if not model.label_count:
        return without
    return 2 if model.label_count in counts else 1


def _is_stride(width, height, size, stride):
    return width * stride == size[0] and height * stride == size[1]


# --- faces and palms on MediaPipe's anchors; YuNet ---


def _anchor_pairs(model, columns, *known):
    """Whether the outputs are scores [1, n, 1] and boxes [1, n, columns] for all n of one of these tuples."""
    tables = _tables(model)
    rows = [n for _, n in tables]
    half = len(rows) // 2
    if [n for n, _ in tables] != [1] * half + [columns] * half:
        return False
    return rows[:half] == rows[half:] and tuple(rows[:half]) in known


def _blaze_face(model):
    return (2, "MediaPipe's face detector") if _anchor_pairs(model, 16, (896,), (384, 512), (2304,)) else None


def _blaze_palm(model):
    return (2, "MediaPipe's palm detector") if _anchor_pairs(model, 18, (2016,), (864, 1152)) else None


def _yunet(model):
    if len(model.shapes) != 12 or not model.size:
        return None
    width, height = model.size
    expected = []
    for stride in (8, 16, 32):
        cells = -(-width // stride) * -(-height // stride)
        expected += [cells, cells, 4 * cells, 10 * cells]
    sizes = []
    for shape in model.shapes:
        size = 1
        for n in shape:
            size *= n
        sizes.append(size)
    return (2, "the face detector YuNet") if sorted(sizes) == sorted(expected) else None


def _one_label(model):
    return (1,)


# --- YOLO with objectness ---


def _yolo_v2(model):
    if len(model.shapes) != 1 or len(model.shapes[0]) != 4 or not model.map or not model.size:
        return None
    width, height, channels = model.map
    on_grid = _is_stride(width, height, model.size, 16) or _is_stride(width, height, model.size, 32)
    anchors = model.anchors or 5
    # Networks of one class may leave its score out. Without a label, 25 channels are more likely those of a class map.
    least = 5 if model.label_count == 1 or model.anchors else 6
    if not on_grid or channels % anchors or channels < least * anchors or model.label_count == channels:
        return None
    (classes,) = _yolo_v2_labels(model)
    rank = _by_labels(model, (classes,), 2 if classes in (1, 20, _COCO_CLASSES) else 1)
    return rank, "a YOLOv2 grid of %s" % _classes(classes)


def _yolo_v2_labels(model):
    return (max(model.map[2] // (model.anchors or 5) - 5, 1),)


def _objectness_head(model, per_cell):
    """The HeadLayout of [1, anchors, 5 + classes] or its transpose, with `per_cell` anchors in each cell; or None."""
    if len(model.shapes) != 1 or not model.size:
        return None
    counts = [per_cell * n for n in anchor_counts(model.size)]
    for layout in row_layouts(model.shapes[0]):
        if layout.anchors in counts and layout.channels > 5:
            return layout
    return None


def _three_maps(model):
    """(channels, channels last?) of three maps [1, h, w, C] or [1, C, h, w] of the strides 8, 16 and 32; else (0, True)."""
    if len(model.shapes) != 3 or not model.size:
        return 0, True
    width, height = model.size
    found = []
    for stride in (8, 16, 32):
        grid = height // stride, width // stride
        for shape in model.shapes:
            if len(shape) == 4 and shape[1:3] == grid:
                found.append((shape[3], True))
                break
            if len(shape) == 4 and shape[2:] == grid:
                found.append((shape[1], False))
                break
    return found[0] if len(found) == 3 and found[0] == found[1] == found[2] else (0, True)


def _yolo_v5(model):
    counts = _yolo_v5_labels(model)
    return (_by_labels(model, counts, 2), "a YOLOv5 head of %s" % _classes(counts[0])) if counts else None


def _yolo_v5_labels(model):
    head = _objectness_head(model, 3)
    if head:
        return (head.channels - 5,)
    # The maps of YOLOv5 have the shapes of ST's st_yolo_x with three anchors. But those of PyTorch have their channels
    # first, and ST's is made with Keras.
    channels, last = _three_maps(model)
    return () if last or channels % 3 or channels < 18 else (channels // 3 - 5,)


def _decoded(model):
    """The rank of [1, N, 5 + classes]; None if it is not so. Shapes alone do not distinguish it from YOLOv8.

    Nor from oriented boxes: those have their channels first, as Ultralytics exports them.
    """
    head = _objectness_head(model, 1)
    if not head:
        return None
    classes = head.channels - 5
    if model.label_count:
        # 84 channels and 79 labels are those of a YOLOv8 that lack one of COCO's 80.
        fits = classes == model.label_count and classes != _COCO_CLASSES - 1
        return None if not fits else 0 if head.channels_first else 2
    return None if classes != _COCO_CLASSES else 0 if head.channels_first else 2


def _never(model):
    return None


def _decoded_labels(model):
    return (_objectness_head(model, 1).channels - 5,)


def _yolo_x(model):
    counts = _yolo_x_labels(model)
    if not counts:
        return None
    text = "a YOLOX head of %s" % " or ".join([_classes(one) for one in counts])
    rank = _decoded(model)
    if rank is None:
        # Up to 64 channels they cannot be a joined split head (64 box channels and the classes).
        rank = _by_labels(model, counts, 2 if counts[0] <= 59 or counts[0] == _COCO_CLASSES else 0)
        if model.split and rank == 1:
            return None
    return rank, text


def _yolo_x_labels(model):
    if _decoded(model) is not None:
        return _decoded_labels(model)
    channels, last = _three_maps(model)
    # One anchor in each cell, or three. With channels first, three are those of YOLOv5.
    counts = [n for n in (channels - 5, channels // 3 - 5 if last and channels % 3 == 0 else 0) if n > 0]
    if not last and channels % 3 == 0 and channels >= 18 and model.label_count not in counts:
        return ()
    return tuple([n for n in counts if n == model.label_count or not model.label_count]) or tuple(counts)


# --- other detectors ---


def _ssd(model):
    shapes = model.shapes
    if len(shapes) == 4:
        few = min([len(shape) for shape in shapes])
        tables = [shape for shape in shapes if len(shape) == 3]
        if few == 1 and len(tables) == 1 and tables[0][0] == 1 and tables[0][2] == 4 and (1,) in shapes:
            rows = tables[0][1]
            if len([shape for shape in shapes if shape == (1, rows)]) == 2:
                return 2, "an SSD network with TFLite_Detection_PostProcess"
        return None
    counts = _ssd_labels(model)
    if not counts or model.split:
        return None
    return _by_labels(model, counts, 2), "an SSD head of %s" % _classes(counts[0])


def _ssd_labels(model):
    dims = [flat(shape) for shape in model.shapes]
    if len(dims) == 3 and () not in dims and dims[0][0] == dims[1][0] == dims[2][0] >= 50:
        # Scores, boxes and priors.
        columns = sorted([one[1] for one in dims])
        if columns[1] != 4 or 4 not in (columns[0], columns[2]) or columns[0] < 2:
            return ()
        classes = columns[0] + columns[2] - 4 - 1
        return classes, classes + 1
    if len(dims) != 2 or () in dims or dims[0][0] != dims[1][0] or dims[0][0] in _DETR_ROWS or dims[0][0] < 50:
        return ()
    few, many = sorted([dims[0][1], dims[1][1]])
    if few == 4 and many > 4:
        return many - 1, many
    return (few - 1, few) if many == 4 and few > 1 else ()


def _fomo(model):
    if len(model.shapes) != 1 or len(model.shapes[0]) != 4 or not model.map or not model.size:
        return None
    width, height, channels = model.map
    if channels < 2 or not (_is_stride(width, height, model.size, 8) or _is_stride(width, height, model.size, 16)):
        return None
    values = model.range(0)
    # FOMO ends with a softmax; class maps are logits as a rule.
    if values and not _are_probabilities(values):
        return None
    if model.label_count not in (0, channels, channels - 1):
        return None
    return 2 if values or model.label_count == channels - 1 else 1, "a FOMO grid of %s" % _classes(channels - 1)


def _fomo_labels(model):
    return model.map[2] - 1, model.map[2]  # with or without a name for the background


def _obb(model):
    if len(model.shapes) != 1:
        return None
    if model.head is None:
        rows = [one for one in model.rows if one.channels == 7 and 1 < one.anchors <= 300]
        return (2, "an end-to-end head of oriented boxes") if rows else None
    classes = model.head[0] - 5
    # DOTA has 15 classes. Without labels, other numbers of channels are far more often those of a plain detector.
    if classes == _COCO_CLASSES - 1:
        return None  # as in _decoded
    if classes > 0 and (model.label_count == classes or not model.label_count and classes == 15):
        rank = 2 if model.label_count and _objectness_head(model, 1).channels_first else 0
        return rank, "a head of oriented boxes of %s" % _classes(classes)
    return None


def _obb_labels(model):
    return (model.head[0] - 5,) if model.head else ()


# --- landmarks ---


def _hand_landmarks(model):
    return (2, "MediaPipe's 21 keypoints of a hand") if _sizes(model) in ([1, 1, 63], [1, 1, 63, 63]) else None


def _face_landmarks(model):
    sizes = _sizes(model)
    if sizes in ([1, 1404], [1, 1434]):
        return 2, "MediaPipe's %d keypoints of a face" % (sizes[-1] // 3)
    return None


# --- one answer for the whole picture ---


def _vector(model):
    """The number of elements of a single output [1, n]; 0 for other outputs. The input may be anything."""
    sizes = _sizes(model)
    return sizes[0] if len(sizes) == 1 and not model.rows else 0


def _classifier(model):
    count = _vector(model)
    if count < 2:
        return None
    without = 0 if _like_embedding(model, count) else 1
    if count in _IMAGENET_CLASSES or _are_probabilities(model.range(0)):
        without = 2
    return _by_labels(model, (count,), without), "a classifier of %d classes" % count


def _classifier_labels(model):
    return (_vector(model),)


def _embedding(model):
    count = _vector(model)
    if count < _FEWEST_NUMBERS or model.label_count or count in _IMAGENET_CLASSES or _are_probabilities(model.range(0)):
        return None
    return 2 if _is_rectified(model.range(0)) else 1, "an embedding of %d numbers" % count


def _like_embedding(model, count):
    """Whether [1, count] without labels is an embedding: a usual length, or the range of a ReLU."""
    return count >= 64 and count % 64 == 0 or _is_rectified(model.range(0))


def _is_rectified(values):
    """Whether an integer output, of this range, has no negative numbers and larger ones than probabilities."""
    return bool(values) and values[0] > -0.01 * values[1] and values[1] > 1.5


def _are_probabilities(values):
    """Whether an integer output, of this range, can express 0..1 only, as behind a softmax."""
    return bool(values) and values[0] > -0.01 and 0.9 < values[1] < 1.1


def _depth(model):
    if len(model.shapes) != 1 or not model.map or model.map[2] != 1 or model.label_count:
        return None
    values = model.range(0)
    if values:
        # Distances are above 0. A class is a probability, up to 1, or a logit, down to below 0.
        # A scale of 1 is that of class numbers.
        return (2, "a map of distances") if _is_rectified(values) and values[1] - values[0] not in (255.0, 65535.0) else None
    return 1, "a map of distances"


# The constructor of each family, how it reads a model, and how many labels that model may have.
MORE_FAMILIES = (
    ("BlazeFace", _blaze_face, _one_label),
    ("BlazePalm", _blaze_palm, _one_label),
    ("YuNet", _yunet, _one_label),
    ("YoloV2", _yolo_v2, _yolo_v2_labels),
    ("YoloV5", _yolo_v5, _yolo_v5_labels),
    ("YoloX", _yolo_x, _yolo_x_labels),
    ("YoloD", _never, None),  # YoloX reads the same rows
    ("Ssd", _ssd, _ssd_labels),
    ("Fomo", _fomo, _fomo_labels),
    ("YoloV8Obb", _obb, _obb_labels),
    ("HandLandmarks", _hand_landmarks, None),
    ("FaceLandmarks", _face_landmarks, None),
    ("Classifier", _classifier, _classifier_labels),
    ("Embedding", _embedding, None),
    ("Depth", _depth, None),
)
