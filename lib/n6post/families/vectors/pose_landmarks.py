"""PoseLandmarks: MediaPipe's 33 keypoints of a body, in a crop of the frame with this person.

in      keypoints [1, 195]: of each of 39 x, y and z in pixels of the model input, and the logits of its visibility and of
        its presence; the score that there is a person [1, 1], after a sigmoid. Optionally a heat map [1, 64, 64, 39], and a
        mask [1, h, w, 1] and world coordinates [1, 117], which are not used. In any order; int8, uint8, int16 or float32
out     a list of at most one Detection with keypoints float32 (35, 3)

Formulas: MediaPipe's graph tensors_to_pose_landmarks_and_segmentation.pbtxt and RefineLandmarksFromHeatmapCalculator. But
MediaPipe places keypoints beyond the frame, too; here these lie on its border with the score 0, because they are not seen.
"""

from micropython import const
from ulab import numpy as np

from ...tensors.options import Options, name_list, number
from ...tensors.quantization import FLOAT
from ...tensors.shapes import are_pose_outputs
from ...tensors.vectors import flat_floats
from ..processor import Processor
from .landmarks import LandmarkBinding

_ALL = const(39)  # keypoints of the network
_KEPT = const(35)  # the others are of no use to MediaPipe either
_BODY = const(33)
_SIDE = const(7)  # cells of the heat map around a keypoint
_REACH = const(3)
_NO_LOGIT = -80.0  # its sigmoid is 2e-35
_NEVER = -1.0  # a score below every threshold


class PoseLandmarks(Processor):
    """Post-processor for MediaPipe's pose landmarks: `ml.Model(path, postprocess=n6post.PoseLandmarks())`.

    It returns a list of at most one Detection with 35 keypoints (`n6post.keypoint_names(35)`): 33 of the body, whose score
    is their visibility, or 0 outside of the frame; then the middle of the hips and a point on the circle around the body. By
    these two, `n6post.Pipeline` follows the person; their score is -1, so they are never visible. The box surrounds the
    visible keypoints. The input has to show one person, upright and as a whole: `n6post.Pipeline` cuts it out of the frame.

    The mask of the network is not read.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _in_circle = True  # for Pipeline

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    keypoint_threshold = _option("keypoint_threshold", 0.5, number, 0.0, 1.0)
    labels = _option("labels", None, name_list)

    def _bind(self, model, outputs):
        return PoseBinding(self, model, outputs)


class PoseBinding(LandmarkBinding):
    """Keypoints, their score, and a heat map that refines them, or None."""

    expected_outputs = (
        "keypoints [1, 195] and a score [1, 1], optionally a heat map [1, h, w, 39], world coordinates [1, 117] and a mask"
        " [1, h, w, 1]"
    )
    point_sizes = [5 * _ALL]
    count = 2
    most = 5
    numbers = 5
    table_form = FLOAT, 0, 1.0
    default = ("person",)
    expected_labels = "one name"
    heat_map = None

    def __init__(self, options, model, outputs):
        super().__init__(options, model, outputs)
        self.keypoint_count = _KEPT
        self.keypoint_threshold = options.keypoint_threshold
        # Each cell of a window as its weight, and its x and y from the middle.
        cells = [[1.0, i % _SIDE - _REACH, i // _SIDE - _REACH] for i in range(_SIDE * _SIDE)]
        self.cells = np.array(cells)

    def choose(self, options, points, scalars, outputs):
        return points[0], scalars[0]

    def takes(self, others):
        for tensor in others:
            if tensor.shape[-1] == _ALL:
                self.heat_map = tensor
        return are_pose_outputs([tensor.shape for tensor in self.outputs])

    def table(self, outputs):
        tensor = self.points
        numbers = (flat_floats(outputs[tensor.index]) - float(tensor.zero_point)) * tensor.scale
        numbers = numbers.reshape((_ALL, 5))
        points = np.zeros((_KEPT, 3))
        points[:, :2] = numbers[:_KEPT, :2]
        if self.heat_map is not None:
            self._refine(outputs, points)
        points[:_BODY, 2] = _sigmoid(numbers[:_BODY, 3])
        points[_BODY:, 2] = np.ones(_KEPT - _BODY) * _NEVER
        return points

    def _refine(self, outputs, points):
        """Move each keypoint to the mean of the heat map around it, if a cell there has a score of at least one half."""
        tensor = self.heat_map
        _, height, width, channels = tensor.shape
        rows = outputs[tensor.index].reshape((height, width * channels))
        scale_x, scale_y = self.size[0] / width, self.size[1] / height
        windows = np.ones((_SIDE * _KEPT, _SIDE)) * (tensor.zero_point + _NO_LOGIT / tensor.scale)
        centers = np.zeros((_KEPT, 2))
        for k, (x, y, _) in enumerate(points.tolist()):
            x, y = x / scale_x, y / scale_y
            if not (-1.0 < x < width and -1.0 < y < height):  # also if one is NaN
                continue
            column, row = int(x), int(y)
            left, top = max(0, column - _REACH), max(0, row - _REACH)
            right, bottom = min(width, column + _REACH + 1), min(height, row + _REACH + 1)
            u, v = left - column + _REACH, _SIDE * k + top - row + _REACH
            part = rows[top:bottom, channels * left + k : channels * right : channels]
            windows[v : v + bottom - top, u : u + right - left] = part
            centers[k, 0], centers[k, 1] = column, row
        logits = ((windows - float(tensor.zero_point)) * tensor.scale).reshape((_KEPT, _SIDE * _SIDE))
        sums = np.dot(_sigmoid(logits), self.cells)
        certain = np.max(logits, axis=1) >= 0.0  # camera: long-axis: 49 cells
        for axis, scale in ((0, scale_x), (1, scale_y)):
            refined = (sums[:, axis + 1] / sums[:, 0] + centers[:, axis]) * scale
            points[:, axis] = np.where(certain, refined, points[:, axis])

    def class_of(self, outputs):
        return 0, self.labels[0]


def _sigmoid(logits):
    return 1.0 / (np.exp(np.maximum(logits, _NO_LOGIT) * -1.0) + 1.0)
