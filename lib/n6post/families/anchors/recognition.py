"""How `processor_for` recognizes the detectors with anchors or one box in each cell: see families/recognition.py."""

from micropython import const

from ...tensors.head_layout import anchor_counts, flat, row_layouts
from ..evidence import QUERIES, by_labels, classes_text, is_stride

# Copied by scripts/dev/generate.py from families/yolo/yolov8.py:
_COCO_CLASSES = const(80)


def _tables(model, most=18):
    """Sorted (columns, rows) of outputs [1, rows, columns] with 1 to `most` columns, as anchors have; () if one is none."""
    found = []
    for shape in model.shapes:
        if len(shape) < 3 or shape[0] != 1:
            return ()
        columns = shape[-1]
        rows = 1
        for n in shape[1:-1]:
            rows *= n
        if columns > most:
            return ()
        found.append((columns, rows))
    return sorted(found)


# --- faces, palms and people on MediaPipe's anchors; YuNet, SCRFD ---


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


def _blaze_pose(model):
    fits = _anchor_pairs(model, 12, (2254,), (294, 392, 1568), (896,), (384, 512))
    return (2, "MediaPipe's detector of people") if fits else None


def _yunet(model):
    return (2, "the face detector YuNet") if _has_sizes(model, (1, 1, 4, 10)) else None


def _scrfd(model):
    fits = _has_sizes(model, (2, 8)) or _has_sizes(model, (2, 8, 20))
    return (2, "the face detector SCRFD") if fits else None


def _has_sizes(model, channels):
    """Whether the outputs have so many numbers for each cell of the strides 8, 16 and 32."""
    if len(model.shapes) != 3 * len(channels) or not model.size:
        return False
    width, height = model.size
    expected = []
    for stride in (8, 16, 32):
        cells = -(-width // stride) * -(-height // stride)
        expected += [cells * n for n in channels]
    sizes = []
    for shape in model.shapes:
        size = 1
        for n in shape:
            size *= n
        sizes.append(size)
    return sorted(sizes) == sorted(expected)


def _one_label(model):
    return (1,)


# --- YOLO with objectness ---


def _yolo_v2(model):
    if len(model.shapes) != 1 or len(model.shapes[0]) != 4 or not model.map or not model.size:
        return None
    width, height, channels = model.map
    on_grid = is_stride(width, height, model.size, 16) or is_stride(width, height, model.size, 32)
    anchors = model.anchors or 5
    # Networks of one class may leave its score out. Without a label, 25 channels are more likely those of a class map.
    least = 5 if model.label_count == 1 or model.anchors else 6
    if not on_grid or channels % anchors or channels < least * anchors or model.label_count == channels:
        return None
    (classes,) = _yolo_v2_labels(model)
    rank = by_labels(model, (classes,), 2 if classes in (1, 20, _COCO_CLASSES) else 1)
    return rank, "a YOLOv2 grid of %s" % classes_text(classes)


def _yolo_v2_labels(model):
    return (max(model.map[2] // (model.anchors or 5) - 5, 1),)


def _objectness_layout(model, per_cell):
    """The HeadLayout of [1, anchors, 5 + classes] or its transpose, with `per_cell` anchors in each cell; or None."""
    if len(model.shapes) != 1 or not model.size:
        return None
    counts = [per_cell * n for n in anchor_counts(model.size)]
    for layout in row_layouts(model.shapes[0]):
        if layout.anchors in counts and layout.channels > 5:
            return layout
    return None


def _three_maps(model):
    return _maps_of(model, (8, 16, 32))


def _maps_of(model, strides):
    """(channels, channels first?) of a map [1, h, w, C] or [1, C, h, w] for each stride; else (0, False)."""
    if len(model.shapes) != len(strides) or not model.size:
        return 0, False
    width, height = model.size
    found = []
    for stride in strides:
        grid = height // stride, width // stride
        for shape in model.shapes:
            if len(shape) == 4 and shape[1:3] == grid:
                found.append((shape[3], False))
                break
            if len(shape) == 4 and shape[2:] == grid:
                found.append((shape[1], True))
                break
    return found[0] if len(found) == len(strides) and len(set(found)) == 1 else (0, False)


def _yolo_v5(model):
    counts = _yolo_v5_labels(model)
    if not counts:
        return None
    text = "a YOLOv5 head of %s" % classes_text(counts[0])
    return by_labels(model, counts, 2), text + (" or of YOLOv5-face" if len(counts) > 1 else "")


def _yolo_v5_labels(model):
    layout = _objectness_layout(model, 3)
    if layout:
        # YOLOv5-face has the columns of eleven classes.
        return (11, 1) if layout.channels == 16 else (layout.channels - 5,)
    # The maps of YOLOv5 have the shapes of ST's st_yolo_x with three anchors. But those of PyTorch have their channels
    # first, and ST's is made with Keras.
    channels, first = _three_maps(model)
    if not channels:
        channels, _ = _maps_of(model, (16, 32))  # tiny YOLOv3 and YOLOv4
    elif not first:
        return ()
    return () if channels % 3 or channels < 18 else (channels // 3 - 5,)


def _decoded(model):
    """The rank of [1, N, 5 + classes]; None if it is not so. Shapes alone do not distinguish it from YOLOv8.

    Nor from oriented boxes: those have their channels first, as Ultralytics exports them.
    """
    layout = _objectness_layout(model, 1)
    if not layout:
        return None
    classes = layout.channels - 5
    if model.label_count:
        # 84 channels and 79 labels are those of a YOLOv8 that lack one of COCO's 80.
        fits = classes == model.label_count and classes != _COCO_CLASSES - 1
        return None if not fits else 0 if layout.channels_first else 2
    return None if classes != _COCO_CLASSES else 0 if layout.channels_first else 2


def _decoded_labels(model):
    return (_objectness_layout(model, 1).channels - 5,)


def _yolo_x(model):
    counts = _yolo_x_labels(model)
    if not counts:
        return None
    text = "a YOLOX head of %s" % " or ".join([classes_text(one) for one in counts])
    rank = _decoded(model)
    if rank is None:
        # Up to 64 channels they cannot be a joined split head (64 box channels and the classes).
        rank = by_labels(model, counts, 2 if counts[0] <= 59 or counts[0] == _COCO_CLASSES else 0)
        if model.split and rank == 1:
            return None
    return rank, text


def _yolo_x_labels(model):
    if _decoded(model) is not None:
        return _decoded_labels(model)
    channels, first = _three_maps(model)
    # One anchor in each cell, or three. With channels first, three are those of YOLOv5.
    counts = [n for n in (channels - 5, 0 if first or channels % 3 else channels // 3 - 5) if n > 0]
    if first and channels % 3 == 0 and channels >= 18 and model.label_count not in counts:
        return ()
    return tuple([n for n in counts if n == model.label_count or not model.label_count]) or tuple(counts)


# --- NanoDet-Plus, PicoDet ---


def _nano_det(model):
    counts = _nano_det_labels(model)
    if not counts:
        return None
    rank = by_labels(model, counts, 2)
    # If the strides divide the input, a YOLOv8 with P6 has as many anchors.
    if model.head_layout and model.label_count not in counts and (model.label_count or counts[0] != _COCO_CLASSES):
        rank = 0
    kind = "NanoDet-Plus" if len(model.shapes) == 1 else "raw PicoDet"
    return rank, "a %s head of %s" % (kind, classes_text(counts[0]))


def _nano_det_labels(model):
    if not model.size:
        return ()
    width, height = model.size
    cells = [-(-width // stride) * -(-height // stride) for stride in (8, 16, 32, 64)]
    if len(model.shapes) == 8:
        tables = _tables(model, 65535)
        classes = [columns for columns, _ in tables if columns != 32][:1]
        return tuple(classes) if tables == sorted([(n, rows) for rows in cells for n in classes + [32]]) else ()
    if len(model.shapes) != 1:
        return ()
    found = [rows.channels - 32 for rows in row_layouts(model.shapes[0]) if rows.anchors == sum(cells)]
    return tuple([classes for classes in found if classes > 0])


# --- SSD ---


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
    name = "the face detector RetinaFace" if _are_faces(shapes) else "an SSD head of %s" % classes_text(counts[0])
    return by_labels(model, counts, 2), name


def _are_faces(shapes):
    """Whether these are scores, boxes and keypoints of RetinaFace."""
    return sorted([shape[-1] for shape in shapes if len(shape) > 2]) == [2, 4, 10]


def _ssd_labels(model):
    dims = [flat(shape) for shape in model.shapes]
    if len(dims) == 3 and () not in dims and dims[0][0] == dims[1][0] == dims[2][0] >= 50:
        if _are_faces(model.shapes):
            return 1, 2
        # Scores, boxes and priors.
        columns = sorted([one[1] for one in dims])
        if columns[1] != 4 or 4 not in (columns[0], columns[2]) or columns[0] < 2:
            return ()
        classes = columns[0] + columns[2] - 4 - 1
        return classes, classes + 1
    if len(dims) != 2 or () in dims or dims[0][0] != dims[1][0] or dims[0][0] in QUERIES or dims[0][0] < 50:
        return ()
    few, many = sorted([dims[0][1], dims[1][1]])
    if few == 4 and many > 4:
        return many - 1, many
    return (few - 1, few) if many == 4 and few > 1 else ()


MORE_FAMILIES = (
    ("BlazeFace", _blaze_face, _one_label),
    ("BlazePalm", _blaze_palm, _one_label),
    ("BlazePose", _blaze_pose, _one_label),
    ("YuNet", _yunet, _one_label),
    ("Scrfd", _scrfd, _one_label),
    ("YoloV2", _yolo_v2, _yolo_v2_labels),
    ("YoloV5", _yolo_v5, _yolo_v5_labels),
    ("YoloX", _yolo_x, _yolo_x_labels),
    ("NanoDet", _nano_det, _nano_det_labels),
    ("Ssd", _ssd, _ssd_labels),
)
