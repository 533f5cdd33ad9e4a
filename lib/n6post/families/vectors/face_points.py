"""FacePoints: keypoints of one face without a score, as PFLD and other regressors return them, in a crop with this face.

in      [1, 2 K] (x, y of the first keypoint, then of the next ones) or [1, K, 2], also with more dimensions of 1: in pixels
        of the model input, or as parts of it; int8, uint8, int16 or float32
out     a list of one Detection with keypoints float32 (K, 3): x and y in frame pixels, and 1.0

Such a network returns keypoints where no face is, too. Therefore a Pipeline does not follow its faces.
"""

from ulab import numpy as np

from ...tensors.options import Options, choice, name_list
from ...tensors.vectors import flat_floats
from ..processor import Processor
from .landmarks import LandmarkBinding

_MOST_PART = 3.0  # of the input: numbers above it are pixels


def are_keypoints(numbers):
    """Whether these may be x and y of keypoints: logits are around 0, and probabilities have the sum 1."""
    count = numbers.size
    mean = float(np.dot(numbers.reshape((1, count)), np.ones((count, 1)))[0, 0]) / count
    return mean > 0.1 and float(np.min(numbers)) > -0.25 * float(np.max(numbers))


class FacePoints(Processor):
    """Post-processor for face keypoints without a score: `ml.Model(path, postprocess=n6post.FacePoints())`.

    It is for PFLD and other networks of 2 to 1000 keypoints of x and y. A call returns a list of one Detection, whose score
    is 1.0; its box surrounds the keypoints. The input has to show one face: `n6post.Pipeline` cuts it out of the frame.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _is_followed = False  # for Pipeline

    _option = Options()
    keypoint_units = _option("keypoint_units", None, choice, "pixels", "normalized")
    labels = _option("labels", None, name_list)

    def _bind(self, model, outputs):
        return FacePointsBinding(self, model, outputs)


class FacePointsBinding(LandmarkBinding):
    """Keypoints of two numbers."""

    expected_outputs = "one output [1, 2 K] or [1, K, 2] for 2 to 1000 keypoints"
    point_sizes = range(4, 2001, 2)
    count = most = 1
    numbers = 2
    default = ("face",)
    expected_labels = "one name"

    def choose(self, options, points, scalars, outputs):
        dims = [n for n in points[0].shape if n > 1]
        if len(dims) > 2 or len(dims) == 2 and points[0].shape[-1] != 2:
            return None
        units = options.keypoint_units
        if units is None:
            values = (flat_floats(outputs[0]) - float(points[0].zero_point)) * points[0].scale
            most = float(np.max(values))
            self.is_final = float(np.min(values)) < most  # a network's first frame may be zeros
            if self.is_final and not are_keypoints(values):
                raise ValueError(
                    "expected keypoints, got numbers from %.3g to %.3g in %s: if they are scores of classes, give labels,"
                    " one for each class; if they are keypoints, give keypoint_units"
                    % (float(np.min(values)), most, points[0])
                )
            units = "pixels" if most > _MOST_PART else "normalized"
        if units == "normalized":
            self.unit = self.size
        return points[0], None

    def score_of(self, outputs):
        return 1.0

    def table(self, outputs):
        points = outputs[0]
        count = self.keypoint_count
        triples = np.zeros((count, 3), dtype=points.dtype)
        triples[:, :2] = points.reshape((count, 2))
        return triples

    def class_of(self, outputs):
        return 0, self.labels[0]
