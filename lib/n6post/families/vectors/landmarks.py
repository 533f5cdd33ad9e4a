"""What HandLandmarks, FaceLandmarks, FacePoints and PoseLandmarks share: keypoints of one object, and a score of the whole.

in      keypoints of any shape with two or more numbers each, x and y first, scalars of any shape with one number; int8,
        uint8, int16 or float32
out     a list of at most one Detection; its keypoints are float32 (K, 3): x and y in frame pixels, and 1.0 or their score

The z of a network is not kept: the third number of a keypoint is its score everywhere in this library.
"""

from math import log

from micropython import const
from ulab import numpy as np

from ...kernels import crops as crop_kernels
from ...kernels.params import crops as crop_params
from ...pixels.rounding import rect_around, same_floats, unsee_outside
from ...results.detection import detection_from
from ...tensors.options import name_list
from ...tensors.quantization import FLOAT
from ..processor import ModelBinding

_VISIBLE = const(0.5)  # any number from 0 to 1: all keypoints without a score have 1.0


class LandmarkBinding(ModelBinding):
    """One output with keypoints, and one with their score.

    points      the OutputTensor of the keypoints
    score       the OutputTensor of the score; None if the network has none
    numbers     of a keypoint
    unit        what 1 is, in pixels of the model input, in x and y
    logit       whether the score is a logit
    threshold   minimum score, 0..1
    default     the labels if neither the option nor the model has them
    table_form  (dtype, zero point, scale) of what `table` returns; None: those of the keypoints' output
    keypoint_threshold  minimum score of a visible keypoint, if the third number of a keypoint is its score; else None
    """

    logit = False
    numbers = 3
    unit = 1, 1
    point_sizes = ()  # type: tuple | list | range  # numbers in an output with keypoints
    most = 2  # outputs
    default = ()  # type: tuple[str, ...]
    expected_labels = "no names"
    table_form = None  # type: tuple[int, int, float] | None
    keypoint_threshold = None  # type: float | None
    new_inputs = None  # of this frame, if their transform has still to be found

    def __init__(self, options, model, outputs):
        if isinstance(outputs, (list, tuple)) and self.count < len(outputs) <= self.most:
            self.count = len(outputs)
        super().__init__(model, outputs)
        points = [tensor for tensor in self.outputs if tensor.size in self.point_sizes]
        scalars = [tensor for tensor in self.outputs if tensor.size == 1]
        others = [tensor for tensor in self.outputs if tensor.size != 1 and tensor.size not in self.point_sizes]
        chosen = None
        if points and self.takes(others):
            chosen = self.choose(options, points, scalars, outputs)
        if chosen is None:
            shapes = ", ".join([str(tensor.shape) for tensor in self.outputs])
            raise ValueError("expected %s, got %s" % (self.expected_outputs, shapes))
        self.points, self.score = chosen
        names = options.labels
        if names is None:
            names = name_list("labels", getattr(model, "labels", None) or None) or ()
        elif len(names) != len(self.default):
            raise ValueError("labels: expected %s, got %d" % (self.expected_labels, len(names)))
        self.labels = names if len(names) == len(self.default) else self.default
        self.keypoint_count = self.points.size // self.numbers
        if self.score is None:
            return
        self.threshold = options.threshold
        self.cut = self.score.quantize_threshold(_logit(self.threshold) if self.logit else self.threshold)
        self.limit_score(model, self.score)
        self.score_at = (0,) * len(self.score.shape)

    def choose(self, options, points, scalars, outputs):
        """The tensors of the keypoints and of their score; None for outputs of another family."""
        raise NotImplementedError

    def takes(self, others):
        """Whether the family has these other outputs."""
        return not others

    def update_transform(self, inputs):
        # After the first frame, only a score above the threshold needs it: then `result` finds it.
        if self.transform is None:
            super().update_transform(inputs)
        else:
            self.new_inputs = inputs or ()

    def set_transform(self, transform):
        points = self.points
        # A network may place keypoints outside of its input: only the frame limits them, if its size is known.
        x, y, width, height = (0, 0) + transform.frame_size if transform.frame_size else transform.roi
        dtype, zero_point, scale = self.table_form or (points.dtype, points.zero_point, points.scale)
        has_scores = self.keypoint_threshold is not None
        visible = self.keypoint_threshold if has_scores else _VISIBLE
        unit = same_floats(scale) * np.array(self.unit, dtype=np.float)
        scale_x, scale_y = same_floats(transform.sx, transform.sy) * unit
        offset_x, offset_y = same_floats(transform.ox, transform.oy)
        block = crop_params.place_keypoints(
            dtype, self.keypoint_count, zero_point, int(has_scores), visible,
            scale_x, 0.0, offset_x, 0.0, scale_y, offset_y,
            float(x), float(y), float(x + width), float(y + height),
        )  # fmt: skip
        self.box = np.frombuffer(block, dtype=np.float)[crop_params.PLACE_KEYPOINTS_BOX :]
        self.block = block
        self.source = transform.frame_size, visible
        self.limits = x, y, x + width, y + height

    def result(self, outputs):
        inputs = self.new_inputs
        self.new_inputs = None
        score = self.score_of(outputs)
        if score is None:
            return []
        if inputs is not None:
            super().update_transform(inputs)
        keypoints = np.zeros((self.keypoint_count, 3))  # part of the result: a new one each frame
        crop_kernels.place_keypoints(self.table(outputs), self.block, keypoints)  # a NaN coordinate becomes the least
        left, top, right, bottom = self.limits
        if self.keypoint_threshold is not None:
            unsee_outside(keypoints, left, top, right, bottom)
        rect = rect_around(self.box, left, top, right, bottom)
        if rect is None:
            return []
        class_id, label = self.class_of(outputs)
        return [detection_from((rect, score, class_id, label, None, keypoints), self.source)]

    def table(self, outputs):
        """The array with three numbers for each keypoint."""
        return outputs[self.points.index]

    def score_of(self, outputs):
        """The score of this frame; None below the threshold."""
        tensor = self.score
        score = outputs[tensor.index][self.score_at]
        if not score >= self.cut:
            return None
        if tensor.dtype != FLOAT:
            score = (score - tensor.zero_point) * tensor.scale
        if self.logit:
            score = float((1.0 / (np.exp(np.array([0.0 - score])) + 1.0))[0])
        self.guard(score)
        return score

    def class_of(self, outputs):
        """(class number, label) of this frame."""
        raise NotImplementedError


def _logit(threshold):
    # Beyond these the sigmoid is 0 and 1 in float32. Finite, because an integer output divides it by its scale.
    if threshold <= 0.0:
        return -1e6
    return log(threshold / (1.0 - threshold)) if threshold < 1.0 else 17.33
