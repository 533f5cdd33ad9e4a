"""Names networks that n6post does not decode, from the shapes of their outputs: for error messages and `diagnose`.

Imported only for models that the families leave open. A row of _NETWORKS is a function that gets a ModelSignature and
returns None or (rank, name and outputs, remedy). The rank is 2 if only this network has such outputs, and 1 if others may
have them, too. It is 3 if a family claims such outputs as certain, and is wrong, and 0 for a mere hint.
"""

from ..tensors.errors import BATCH_REMEDY, BATCH_ROWS
from ..tensors.head_layout import anchor_counts, flat, row_layouts, squeezed
from .evidence import QUERIES

_NANODET_BINS = 32  # 8 for each side of a box
_YOURSELF = "decode them in your script, and pass the boxes to n6post.detections for tracking, zones, drawing and JSON"


def recognized(model):
    """(rank, name and outputs, remedy) of the network that a ModelSignature is; (-1, "", "") if it is unknown."""
    best = -1, "", ""
    for network in _NETWORKS:
        found = network(model)
        if found and found[0] > best[0]:
            best = found
    return best


def _single(model):
    return model.shapes[0] if len(model.shapes) == 1 else ()


def _tables(model, least=3):
    """[(rows, columns)] of outputs that are [1, rows, columns], else []. With least=2 also of [rows, columns]."""
    found = [flat(shape) for shape in model.shapes if len(shape) >= least]
    return [] if () in found or len(found) < len(model.shapes) else found


def _both_orders(tables):
    """The sorted rows and columns of tables as they are, then of their transposes."""
    rows, columns = sorted([one for one, _ in tables]), sorted([one for _, one in tables])
    return (rows, columns), (columns, rows)


def _maps(model, first=False):
    """[(height, width, channels)] of outputs that are [1, H, W, C], or [1, C, H, W] if `first`; else []."""
    found = [tuple(shape[1:]) for shape in model.shapes if len(shape) == 4 and shape[0] == 1 and min(shape) > 0]
    if first:
        found = [one[1:] + one[:1] for one in found]
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
            if rows not in QUERIES or columns < 5 or model.head_layout:
                continue
            if columns == 84 or columns == 4 + model.label_count:
                return 2, name, remedy
            if columns > 7 and columns % 3:  # otherwise it may be an end-to-end head; a frame's numbers show it
                return 1, name, remedy
    if len(tables) == 2:
        rows, others = tables[0][0], tables[1][0]
        if rows == others and rows in QUERIES and 4 in (tables[0][1], tables[1][1]):
            return 2, name, remedy
    return None


def _nanodet(model):
    # NanoDet-Plus, whose only output has four strides, is a family: families/anchors/nanodet.py.
    name = "the first NanoDet, which is no Plus (class scores and 32 bins of DFL for each anchor)"
    remedy = "use NanoDet-Plus or a YOLO, or " + _YOURSELF
    counts = [columns for _, columns in _tables(model)]
    if len(counts) > 4 and counts.count(_NANODET_BINS) * 2 == len(counts):
        return 2, name, remedy
    shape = _single(model)
    if not shape or not model.size:
        return None
    width, height = model.size
    rounded_up = 0
    for stride in (8, 16, 32):
        rounded_up += -(-width // stride) * -(-height // stride)
    for layout in row_layouts(shape):
        classes = layout.channels - _NANODET_BINS
        if layout.anchors in (anchor_counts(model.size)[0], rounded_up) and classes > 0:
            if classes == (model.label_count or 80):
                return 2, name, remedy
    return None


def _yolo_v5_seg(model):
    tables = [flat(shape) for shape in model.shapes if len(shape) == 3]
    if len(model.shapes) == 2 and len(tables) == 1 and tables[0] and model.size:
        if [n for n in anchor_counts(model.size) if 3 * n in tables[0]] and model.map:
            return 2, "YOLOv5-seg or YOLOv7-seg (three boxes per anchor)", "use YOLOv8-seg"
    return None


def _yolo_v7_face(model):
    if model.label_count == 1 and model.size:
        counts = [3 * n for n in anchor_counts(model.size)]
        if [rows for rows in row_layouts(_single(model)) if rows.channels == 21 and rows.anchors in counts]:
            return 2, "YOLOv7-face (five keypoints with scores behind the class)", "use YuNet, Scrfd or YOLOv5-face"
    return None


def _three_anchors(model):
    # [1, 3, h, w, 5 + classes]: YOLOv5's raw maps. [1, h, w, 3, 5 + classes]: Keras' YOLOv3 and YOLOv4.
    shapes = [shape for shape in model.shapes if len(shape) == 5 and 3 in (shape[1], shape[3]) and shape[-1] > 5]
    if not shapes or len(shapes) < len(model.shapes):
        return None
    if shapes[0][1] == 3:
        return 2, "YOLOv5 without its last layer ([1, 3, h, w, 5 + classes])", "export it with decoded boxes"
    remedy = "join its last two dimensions, and use n6post.YoloV5(version='v3') or 'v4', or " + _YOURSELF
    return 2, "YOLOv3 or YOLOv4 ([1, h, w, 3, 5 + classes])", remedy


def _rknn_pose(model):
    counts = anchor_counts(model.size)
    keypoints = [shape for shape in model.shapes if len(shape) == 4 and shape[2] == 3 and shape[3] in counts]
    if len(keypoints) == 1 and len(model.shapes) == 4:
        _, count, _, anchors = keypoints[0]
        name = "YOLOv8-pose as Rockchip exports it (RKNN: decoded keypoints [1, %d, 3, %d])" % (count, anchors)
        return 2, name, "export the .pt file with Ultralytics"
    return None


def _face_anchors(model):
    # Those of the strides 8, 16 and 32 of a known input are read: families/anchors/scrfd.py.
    name = "SCRFD (faces) of another input size, or of other strides than 8, 16 and 32"
    remedy = "export it for a fixed input, or use YuNet or BlazeFace"
    for _, counts in _both_orders(_tables(model, 2)):
        if counts == [2, 4, 10]:
            # As [1, N, columns] they are read: families/anchors/ssd.py.
            name = "RetinaFace (faces with five keypoints) in another form than [1, N, columns]"
            return 2, name, "use YuNet or BlazeFace, or " + _YOURSELF
        if counts in [[1] * n + [4] * n + [10] * m for n, m in ((3, 3), (5, 5), (5, 0))]:
            return 2, name, remedy
    for maps in (_maps(model), _maps(model, True)):
        channels = sorted([one[2] for one in maps])
        same = len(set([one[:2] for one in maps])) == 3
        if same and channels in ([2] * 3 + [8] * 3, [2] * 3 + [8] * 3 + [20] * 3):
            return 2, name, remedy
    return None


def _center_net(model):
    for maps in (_maps(model), _maps(model, True)):
        counts = sorted([channels for _, _, channels in maps])
        if len(set([one[:2] for one in maps])) != 1:
            continue
        fits = len(maps) in (3, 4) and counts[:2] in ([1, 2], [2, 2]) and 2 in counts
        if not fits and len(maps) == 2 and 2 in counts and model.size:  # without offsets
            fits = (4 * maps[0][1], 4 * maps[0][0]) == model.size
        if fits:
            return 2, "CenterNet or CenterFace (heatmaps, sizes and offsets)", "use a YOLO, or " + _YOURSELF
    return None


def _pose_net(model):
    counts = sorted([channels for _, _, channels in _maps(model)])
    if counts in ([17, 34], [17, 32, 32, 34]):
        return 2, "PoseNet (heatmaps and offsets)", "use MoveNet, or " + _YOURSELF
    if counts in ([19, 38], [16, 28], [18, 36]):
        return 2, "OpenPose (heatmaps and part affinity fields)", "use MoveNet or YOLOv8-pose, or " + _YOURSELF
    return None


def _pose_landmarks(model):
    sizes = [tuple(squeezed(shape)) for shape in model.shapes]
    if (195,) in sizes or (165,) in sizes:
        name = "a form of MediaPipe's pose landmarks without [1, 195] and one score"
        return 2, name, "use the lite, full or heavy file of MediaPipe 0.8.6 or later, or MoveNet"
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


def _batch_rows(model):
    shape = _single(model)
    if len(shape) == 2 and shape[1] == 7 and shape[0] > 1:
        return 2, BATCH_ROWS, BATCH_REMEDY
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
    _yolo_v7_face,
    _three_anchors,
    _rknn_pose,
    _face_anchors,
    _center_net,
    _pose_net,
    _pose_landmarks,
    _face_attention,
    _keypoints,
    _batch_rows,
    _one_number,
    _vectors,
)
