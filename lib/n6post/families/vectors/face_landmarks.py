"""FaceLandmarks: MediaPipe's face mesh, 468 keypoints of one face, in a crop of the frame with this face.

in      keypoints [1, 1, 1, 1404] (x, y, z in pixels of the model input), or 1434 of a mesh with irises; the logit of the
        score that there is a face [1, 1, 1, 1]. In any order; int8, uint8, int16 or float32
out     a list of at most one Detection with keypoints float32 (468, 3), or (478, 3)

Formulas: MediaPipe's graph face_landmark_cpu.pbtxt.
"""

from ...tensors.options import Options, name_list, number
from ..processor import Processor
from .landmarks import LandmarkBinding


class FaceLandmarks(Processor):
    """Post-processor for MediaPipe's face mesh: `ml.Model(path, postprocess=n6post.FaceLandmarks())`.

    It returns a list of at most one Detection with 468 keypoints, of which `n6post.keypoint_names(468)` names the most
    useful. The box surrounds them; `draw` draws the contours. The input has to show one face, upright and with some margin:
    `n6post.Pipeline` cuts it out of the frame.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    labels = _option("labels", None, name_list)

    def _bind(self, model, outputs):
        return FaceBinding(self, model, outputs)


class FaceBinding(LandmarkBinding):
    """Keypoints and the logit of their score."""

    expected_outputs = "keypoints [1, 1, 1, 1404] or [1, 1, 1, 1434] and a score [1, 1, 1, 1]"
    point_sizes = [1404, 1434]
    count = 2
    logit = True
    default = ("face",)
    expected_labels = "one name"

    def choose(self, options, points, scalars, outputs):
        if len(scalars) != 1:
            return None
        return points[0], scalars[0]

    def class_of(self, outputs):
        return 0, self.labels[0]
