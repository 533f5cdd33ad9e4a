"""HandLandmarks: MediaPipe's 21 keypoints of one hand, in a crop of the frame with this hand.

in      keypoints [1, 63] (x, y, z in pixels of the model input); optionally world coordinates [1, 63] (meters, not used);
        two scalars [1, 1]: the score that there is a hand, and the probability that it is a right one, both after a
        sigmoid. In any order; int8, uint8, int16 or float32
out     a list of at most one Detection: class 0 for a left hand and 1 for a right one, keypoints float32 (21, 3)

Formulas: MediaPipe's graph hand_landmark_cpu.pbtxt. Its labels are those of a mirrored picture ("determined assuming the
input image is mirrored"), so they are the opposite of these, which are right for a camera that does not mirror.
"""

from ulab import numpy as np

from ...tensors.options import Options, choice, name_list, number
from ...tensors.quantization import FLOAT
from ..processor import Processor
from .landmarks import LandmarkBinding


class HandLandmarks(Processor):
    """Post-processor for MediaPipe's hand landmarks: `ml.Model(path, postprocess=n6post.HandLandmarks())`.

    It returns a list of at most one Detection with 21 keypoints (`n6post.keypoint_names(21)`). The box surrounds them. The
    input has to show one hand, upright and with some margin: `n6post.Pipeline` cuts it out of the frame.

    hand_landmarks_full_224, which every N6 and AE3 has in its ROM, was quantized with numbers of too small a range: its
    score is 0.5 at most, and no keypoint is further right or further down than pixel 183 of 224. So a threshold above 0.5
    finds nothing there, and the input needs more margin below the hand than MediaPipe's. Pipeline leaves it.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.4, number, 0.0, 1.0)
    labels = _option("labels", None, name_list)
    first_scalar = _option("first_scalar", None, choice, "score", "handedness")

    def _bind(self, model, outputs):
        return HandBinding(self, model, outputs)


class HandBinding(LandmarkBinding):
    """Keypoints, their score and handedness; world coordinates are found, because they look like keypoints."""

    expected_outputs = "keypoints [1, 63], score [1, 1] and handedness [1, 1], optionally world coordinates [1, 63]"
    point_sizes = [63]
    count = 3
    most = 4
    default = "left hand", "right hand"
    expected_labels = "two names, for a left and a right hand"

    def choose(self, options, points, scalars, outputs):
        if len(scalars) != 2:
            return None
        keypoints, world = points[0], None
        if len(points) == 2:
            reaches = [_reach(tensor, outputs) for tensor in points]
            if reaches[1] > reaches[0]:
                points.reverse()
                reaches.reverse()
            keypoints, world = points
            # World coordinates are below a meter, keypoints reach far beyond a pixel. Zeros and NaN show nothing.
            self.is_final = reaches[0] > 4.0 * reaches[1]
        first, second = scalars
        swapped = options.first_scalar == "handedness"
        if options.first_scalar is None and world is not None:
            # Both are probabilities. In MediaPipe's files and in the camera's ROM the score is next to the keypoints, and
            # the handedness next to the world coordinates.
            swapped = _nearness(first, keypoints, world) > _nearness(second, keypoints, world)
        score, self.handedness = (second, first) if swapped else (first, second)
        self.right = self.handedness.quantize_threshold(0.5)
        self.right_at = (0,) * len(self.handedness.shape)
        return keypoints, score

    def class_of(self, outputs):
        class_id = 1 if outputs[self.handedness.index][self.right_at] >= self.right else 0
        return class_id, self.labels[class_id]


def _reach(tensor, outputs):
    """The largest absolute value: that the dtype can express, or of this frame if the output is float."""
    if tensor.dtype != FLOAT:
        return max(tensor.largest(), -tensor.least())
    values = outputs[tensor.index]
    # ulab's maximum(a, b) is a > b ? a : b: NaN becomes 0.
    return max(float(np.max(np.maximum(one, 0.0))) for one in (values, values * -1.0))


def _nearness(scalar, points, world):
    """How much closer the world coordinates are than the keypoints, in the order of outputs."""
    return abs(scalar.index - points.index) - abs(scalar.index - world.index)
