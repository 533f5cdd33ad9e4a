"""Finds out what a split head's outputs are where their shapes leave several readings, from the numbers of a frame.

Class logits are nearly all far below 0, and probabilities nearly all 0. No other output is like that. The 16 bins of DFL are
one smooth curve for each side of a box. The centers of decoded boxes grow with column and row of their cells.

Imported when a model has such outputs.
"""

from math import log

from ulab import numpy as np

from ...tensors.quantization import FLOAT
from ..samples import along_cells, real, sample
from .box_order import are_corners

_LEAST_MARGIN = 0.5  # by which the best reading must exceed all others; in real networks it is .6 to 20
_LIKE_SCORES = 1.0  # in real networks class scores have 2 to 20 in every stride, the bins of DFL 0 or less in one of them
_LIKE_BINS = 0.9  # the bins of a stride that the network uses have 1.3 to 2.6, class scores less than .8
_PICTURES = 1.5  # widths of the picture: boxes of most cells of the coarsest stride are hardly ever larger than one
_CELLS = 24
_HIGH, _HIGH_LOGIT = 0.06, -2.7  # of the best class for most anchors: of YOLOv8 it is .002 at most
_NEGATIVE = -0.50001  # rounding may put a probability one step below 0, but not as far as that


def settle(layouts, tensors, outputs):
    """(layout, certain?): the SplitLayout whose boxes and scores are most like boxes and scores.

    tensors, outputs    the OutputTensors and arrays of one frame

    Not certain if an output is constant, as in a network's first frame; then the layout is only the likeliest. ValueError if
    the numbers fit several layouts equally well.
    """
    known = {}
    best = None
    highest = second = -1e9
    for layout in layouts:
        rank = 0.0
        for part in layout.parts:
            for evidence, (index, order, first) in ((_as_scores, part.scores), (_as_boxes, part.boxes)):
                key = evidence, index, first, layout.bins, layout.classes
                if key not in known:
                    known[key] = evidence(layout, part, order, first, tensors[index], outputs[index])
                rank += known[key]
        if rank > highest:
            best, highest, second = layout, rank, highest
        elif rank > second:
            second = rank
    if highest - second >= _LEAST_MARGIN:
        return best, True
    if [array for array in outputs if np.min(array) == np.max(array)]:
        return layouts[0], False
    counts = sorted(set([layout.classes for layout in layouts]))
    raise ValueError(
        "expected numbers that show which outputs have boxes and which have class scores, got %s of the same kind: %s"
        % (
            " and ".join([str(tensor.shape) for tensor in tensors]),
            "give labels, one per class, %s" % " or ".join([str(count) for count in counts])
            if len(counts) > 1
            else "no option tells them apart; export the model with another number of classes",
        )
    )


def are_sums(layout, sums, tensors, outputs):
    """(sums?, certain?): whether outputs of one channel are the sums of the class scores beside them, cut to 1.

    sums    (output index, HeadLayout) for each part of the SplitLayout

    Rockchip's networks have them. Not certain if scores and sums are constant, as in a network's first frame.
    """
    certain = False
    for part, (index, sum_order) in zip(layout.parts, sums):
        at, order, first = part.scores
        scores = sample(order, first, first + layout.classes, tensors[at], outputs[at])
        values = sample(sum_order, 0, 1, tensors[index], outputs[index])[0]
        # Each number is rounded to steps.
        margin = 0.02
        for tensor, count in ((tensors[at], layout.classes), (tensors[index], 1)):
            margin += 0.0 if tensor.dtype == FLOAT else 0.5 * count * tensor.scale
        best = np.max(scores, axis=0)  # camera: long-axis: yolov8.py takes at most 65535 classes
        total = np.minimum(np.sum(scores, axis=0), 1.0)  # camera: long-axis: likewise
        beyond = (values < np.minimum(best, 1.0) - margin) + (values > total + margin)
        if float(np.min(scores)) < _NEGATIVE or float(np.mean(beyond)) > 0.02:
            return False, True
        certain = certain or float(np.min(values)) < float(np.max(values))
    return True, certain


def check_scores(layout, tensors, outputs):
    """ValueError if what would be class scores beside angles is high for most anchors.

    The maps of YOLOX, whose objectness has one channel, have the shapes of oriented boxes, and so have keypoints without
    scores beside the score of one class.
    """
    for part in layout.parts:
        index, order, first = part.scores
        numbers = sample(order, first, first + layout.classes, tensors[index], outputs[index])
        best = np.max(numbers, axis=0)  # camera: long-axis: yolov8.py takes at most 65535 classes
        typical, least = float(np.median(best)), float(np.min(numbers))  # camera: argsort: of floats
        if least == float(np.max(numbers)) or not typical > (_HIGH_LOGIT if least < _NEGATIVE else _HIGH):
            return
    from ...tensors.errors import not_decoded

    raise not_decoded(
        tensors[layout.parts[0].scores[0]],
        "a split head of YOLOX (an objectness besides boxes and classes) or of poses with kpt_shape=[K, 2]",
        "export it with its outputs joined, or use YOLOv8 or YOLOv8-pose",
    )


def check_joined(layout, tensors, outputs):
    """ValueError if the box channels of a joined head are class scores, as in the maps of YOLOX, YOLOv5 and others.

    Those have [1, h, w, 5 + classes] for each stride. Only labels show how many classes there are.
    """
    if layout.classes == 80 or not layout.parts[0].scores[2]:  # COCO's classes, or boxes that are not joined
        return
    for part in layout.parts:
        index, order, _ = part.boxes
        numbers = sample(order, 5, 64, tensors[index], outputs[index])
        if _likeness(numbers) < _LIKE_SCORES or -log(_roughness(numbers)) > _LIKE_BINS:
            return
    raise ValueError(
        "expected 64 channels for boxes before the classes, got class scores there in %s: the model is of another family,"
        " such as YOLOv3, YOLOv4, YOLOX or YOLOv5; if not, give labels, one per class, %d"
        % (" and ".join([str(tensors[part.boxes[0]].shape) for part in layout.parts]), layout.classes)
    )


def check_distances(layout, tensors, outputs):
    """ValueError if the distances to the four sides are in input pixels, as in RTMDet, and not in cells.

    Read as cells, most boxes of the coarsest stride are then several times as large as the picture. (A stride that a network
    never uses may have such boxes, too: those of trained YOLO26 are 16 cells wide there.)
    """
    part = layout.parts[-1]
    index, order, _ = part.boxes
    first, columns, stride = part.levels[-3:]
    rows = max((order.anchors - first) // columns, 1)
    values = [real(tensors[index], order.column(outputs[index], channel)[first:]) for channel in range(4)]
    # camera: argsort: of floats
    across, down = [float(np.median(values[k] + values[k + 2])) for k in (0, 1)]
    if across > max(_PICTURES * columns, _CELLS) and down > max(_PICTURES * rows, _CELLS):
        from ...tensors.errors import not_decoded

        raise not_decoded(
            tensors[index],
            "RTMDet (distances to the four sides in input pixels)",
            "use a YOLO, or decode them in your script, and pass the boxes to n6post.detections",
        )


def _as_scores(layout, part, order, first, tensor, array):
    return _likeness(sample(order, first, first + layout.classes, tensor, array))


def _likeness(numbers):
    """How far they are below 0 as logits, in the mean: 4 to 20 for class scores."""
    mean = float(np.mean(numbers))
    if float(np.min(numbers)) > _NEGATIVE and float(np.max(numbers)) < 1.5:  # probabilities
        return -log(min(max(mean, 1e-6), 1.0))
    return -mean


def _as_boxes(layout, part, order, first, tensor, array):
    if layout.bins == 16:
        return -log(_roughness(sample(order, 0, 64, tensor, array)))
    return _decoded(part, order, tensor, array) if layout.bins == 0 else 0.0


def _roughness(numbers):
    """The square of the step from channel to channel, by that from a channel to the eighth after it.

    About .1 for the bins of DFL, and .5 to 1 for anything else (and for a stride that the network never uses).
    """
    near = numbers[1:] - numbers[:-1]
    far = numbers[8:] - numbers[:-8]
    near, far = float(np.mean(near * near)), float(np.mean(far * far))
    return max(near / far, 1e-3) if far > 0.0 and near / far < 1.0 else 1.0


def _decoded(part, order, tensor, array):
    """About 4 if the channels are like cx, cy, w, h or corners, -4 and less if like the distances to the four sides.

    Centers grow from cell to cell as columns and rows do: in real networks the two correlations are 1.89 to 1.99 together,
    those of the distances to the left and upper side .1 to 1.1. Of an object as large as the picture they are 2; then the
    distances to the opposite sides shrink as much.
    """
    if are_corners(order, tensor, array, part.levels)[0]:
        return 4.0
    first, opposite = along_cells(order, tensor, array, part.levels)
    return 8.0 * (first + min(opposite + 1.0, 0.0) - 1.5)
