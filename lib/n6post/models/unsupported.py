"""Names networks that n6post does not decode, from the shapes of their outputs: for error messages and `diagnose`.

Imported only for models that the families leave open. A row of _NETWORKS is a function that gets a ModelSignature and
returns None or (rank, name and outputs, remedy). The rank is 2 if only this network has such outputs, and 1 if others may
have them, too.
"""

from ..tensors.head_layout import anchor_counts, flat, row_layouts, squeezed

_QUERIES = (100, 300, 900)  # of DETR, RT-DETR and D-FINE, DINO
_NANODET_BINS = 32  # 8 for each side of a box
_YOURSELF = "decode them in your script, and pass the boxes to n6post.detections for tracking, zones, drawing and JSON"


def recognized(model):
    """(rank, name and outputs, remedy) of the network that a ModelSignature is; (0, "", "") if it is unknown."""
    best = 0, "", ""
    for network in _NETWORKS:
        found = network(model)
        if found and found[0] > best[0]:
            best = found
    return best


def _single(model):
    return model.shapes[0] if len(model.shapes) == 1 else ()


def _tables(model):
    """[(rows, columns)] of outputs that are [1, rows, columns], else []."""
    found = [flat(shape) for shape in model.shapes if len(shape) > 2]
    return [] if () in found or len(found) < len(model.shapes) else found


def _maps(model):
    """[(height, width, channels)] of outputs that are [1, H, W, C], else []."""
    found = [tuple(shape[1:]) for shape in model.shapes if len(shape) == 4 and shape[0] == 1 and min(shape) > 0]
    return found if len(found) == len(model.shapes) else []


def _multipose(model):
    if _single(model)[1:] == (6, 56):
        return 2, "MoveNet MultiPose (six rows of 17 keypoints and a box)", "use YOLOv8-pose, or " + _YOURSELF
    return None


def _detr(model):
    tables = _tables(model)
    name, remedy = "DETR, RT-DETR or D-FINE (rows of cx, cy, w, h and a score per class)", "use a YOLO, or " + _YOURSELF
    if len(tables) == 1:
        for rows, columns in tables:
            if rows not in _QUERIES or columns < 5 or model.head:
                continue
            if columns == 84 or columns == 4 + model.label_count:
                return 2, name, remedy
            if columns > 7 and columns % 3:  # otherwise it may be an end-to-end head; a frame's numbers show it
                return 1, name, remedy
    if len(tables) == 2:
        rows, others = tables[0][0], tables[1][0]
        if rows == others and rows in _QUERIES and 4 in (tables[0][1], tables[1][1]):
            return 2, name, remedy
    return None


def _nanodet(model):
    name, remedy = "NanoDet (class scores and 32 bins of DFL for each anchor)", "use a YOLO, or " + _YOURSELF
    counts = [columns for _, columns in _tables(model)]
    if len(counts) > 4 and counts.count(_NANODET_BINS) * 2 == len(counts):
        return 2, name, remedy
    shape = _single(model)
    if not shape or not model.size:
        return None
    width, height = model.size
    rounded_up = 0
    for stride in (8, 16, 32, 64):
        rounded_up += -(-width // stride) * -(-height // stride)
    for layout in row_layouts(shape):
        classes = layout.channels - _NANODET_BINS
        if layout.anchors in anchor_counts(model.size) + (rounded_up,) and classes > 0:
            if classes == (model.label_count or 80):
                return 2, name, remedy
    return None


def _yolo_v5_seg(model):
    tables = [flat(shape) for shape in model.shapes if len(shape) == 3]
    if len(model.shapes) == 2 and len(tables) == 1 and tables[0] and model.size:
        if [n for n in anchor_counts(model.size) if 3 * n in tables[0]] and model.map:
            return 2, "YOLOv5-seg or YOLOv7-seg (three boxes per anchor)", "use YOLOv8-seg"
    return None


def _tiny_yolo(model):
    maps = _maps(model)
    if len(maps) == 2 and model.size and maps[0][2] == maps[1][2] and maps[0][2] % 3 == 0 and maps[0][2] > 17:
        width, height = model.size
        if sorted(maps) == sorted([(height // stride, width // stride, maps[0][2]) for stride in (16, 32)]):
            return 2, "tiny YOLOv3 or YOLOv4 (three boxes for each cell of two strides)", "use a newer YOLO, or " + _YOURSELF
    return None


def _three_anchors(model):
    # [1, 3, h, w, 5 + classes]: YOLOv5's raw maps.
    shapes = [shape for shape in model.shapes if len(shape) == 5 and 3 in shape[1:] and shape[-1] > 5]
    if shapes and len(shapes) == len(model.shapes):
        return 2, "YOLOv5 without its last layer ([1, 3, h, w, 5 + classes])", "export it with decoded boxes"
    return None


def _face_anchors(model):
    counts = sorted([columns for _, columns in _tables(model)])
    if counts in ([2, 4, 10], [1, 1, 1, 4, 4, 4, 10, 10, 10]):
        name = "RetinaFace" if len(counts) == 3 else "SCRFD"
        return 2, name + " (faces with five keypoints)", "use YuNet or BlazeFace, or " + _YOURSELF
    return None


def _center_net(model):
    maps = _maps(model)
    counts = sorted([channels for _, _, channels in maps])
    if len(maps) in (3, 4) and counts[:2] in ([1, 2], [2, 2]) and 2 in counts and len(set([one[:2] for one in maps])) == 1:
        return 2, "CenterNet or CenterFace (heatmaps, sizes and offsets)", "use a YOLO, or " + _YOURSELF
    return None


def _pose_net(model):
    counts = sorted([channels for _, _, channels in _maps(model)])
    if counts in ([17, 34], [17, 32, 32, 34]):
        return 2, "PoseNet (heatmaps and offsets)", "use MoveNet, or " + _YOURSELF
    if counts in ([19, 38], [16, 28], [18, 36]):
        return 2, "OpenPose (heatmaps and part affinity fields)", "use MoveNet or YOLOv8-pose, or " + _YOURSELF
    return None


def _blaze_pose(model):
    sizes = [tuple(squeezed(shape)) for shape in model.shapes]
    if (195,) in sizes or (165,) in sizes:
        return 2, "MediaPipe's pose landmarks", "use MoveNet or YOLOv8-pose, or " + _YOURSELF
    return None


def _face_attention(model):
    sizes = [tuple(squeezed(shape)) for shape in model.shapes]
    if ((1404,) in sizes or (1434,) in sizes) and len(sizes) > 3:
        return 2, "MediaPipe's face landmarks with attention (one output for each part)", "use face_landmarks_192.tflite"
    return None


def _keypoints(model):
    shape = _single(model)
    dims = squeezed(shape)
    if len(dims) == 2 and dims[1] == 2 and dims[0] < 200:
        return 1, "%d keypoints of x, y without scores" % dims[0], _YOURSELF
    if len(dims) == 2 and dims[1] == 3 and dims[0] < 200 and len(shape) < 4:
        return 1, "%d rows of three numbers (MoveNet's keypoints are [1, 1, keypoints, 3])" % dims[0], _YOURSELF
    return None


def _one_number(model):
    if _single(model) and not squeezed(_single(model)):
        return 2, "a regression or a classifier of one number", "without a post-processor, predict([img])[0] has it"
    return None


def _vectors(model):
    if len(model.shapes) > 1 and max([len(squeezed(shape)) for shape in model.shapes]) < 2:
        return 1, "a network of several vectors", "without a post-processor, predict([img]) has them"
    return None


_NETWORKS = (
    _multipose,
    _detr,
    _nanodet,
    _yolo_v5_seg,
    _tiny_yolo,
    _three_anchors,
    _face_anchors,
    _center_net,
    _pose_net,
    _blaze_pose,
    _face_attention,
    _keypoints,
    _one_number,
    _vectors,
)
