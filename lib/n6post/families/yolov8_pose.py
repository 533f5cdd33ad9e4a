"""YOLOv8 pose: the detections of yolov8.py, each with keypoints.

in      a head [1, 4 + classes + 3 x keypoints, anchors] or the transpose, or end-to-end [1, rows, 6 + 3 x keypoints]: int8,
        uint8, int16 or float32; a keypoint has x, y in the unit of the boxes, and its score or the logit of the score
out     a list of Detection with keypoints, best first, in frame pixels
"""

from ulab import numpy as np

from ..pixels.rounding import same_floats
from ..tensors.lazy import module
from ..tensors.options import Options, choice, number, number_or_none
from .yolov8 import BoxBinding, YoloV8, is_split

_MOST_SCORE = 4.0  # of a keypoint. More is no sigmoid, however coarse its steps


class YoloV8Pose(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 pose: every detection has `.keypoints`.

    They are a float32 array (K, 3): x and y in frame pixels, clipped to the frame, and the keypoint's score. All keypoints
    are returned, whatever their score.

    It has YoloV8's options besides its own, and accepts end-to-end heads [1, rows, 6 + 3 x keypoints] as YoloV8 does.
    """

    _option = Options("threshold", YoloV8._option)
    keypoint_threshold = _option("keypoint_threshold", 0.5, number, 0.0, 1.0)
    class_count = _option("class_count", None, number_or_none, 1, 65535)
    keypoint_scores = _option("keypoint_scores", None, choice, "score", "logit")

    def _bind(self, model, outputs):
        if is_split(outputs, PoseBinding):
            return module("families.split_pose").SplitPoses(self, model, outputs)
        return PoseBinding(self, model, outputs)


class PoseBinding(BoxBinding):
    """A head with three channels per keypoint after the classes: x, y, and score or its logit."""

    expected_outputs = "a head [1, 4 + classes + 3 x keypoints, N] or [1, rows, 6 + 3 x keypoints]"

    def prepare(self):
        return -1

    def split(self, options, rows):
        channels = self.layout.channels
        label_count = len(self.labels) if self.labels else 0
        labeled = 1
        if label_count:
            labeled = module("tensors.keypoints").pose_classes(channels, label_count, 6 if rows else 5)
        classes = options.class_count or labeled or 1
        if options.class_count is options.labels is None and (channels - 4 - classes) % 3:
            classes = 1  # the model's own labels are not those of the classes
        if classes == 1 and not labeled:
            self.labels = None
        self.first = 6 if rows else 4 + classes
        extra = channels - self.first
        if extra < 3 or extra % 3:
            count = module("tensors.errors").flat_keypoints(extra)
            flat = ": if they are %d keypoints of x, y without scores (kpt_shape=[%d, 2]), train it with kpt_shape=[%d, 3]"
            raise ValueError(
                "expected a head of 4 box channels, %d class%s and 3 for each keypoint, got %d channels in %s%s"
                % (
                    classes,
                    "" if classes == 1 else "es",
                    channels,
                    self.tensor,
                    flat % (count, count, count) if count else "",
                )
            )
        self.keypoint_count = extra // 3
        self.threshold = options.keypoint_threshold
        return extra

    def complete(self, options, outputs):
        labeled = len(self.labels or ()) == self.classes
        rows = self.classes > 65535
        doubt = 2 if not labeled else 1 if self.classes > 1 and options.class_count is None else 0
        if doubt or self.keypoint_count % 2 == 0:
            # Heads of some other families have the same shape.
            check = module("families.family_check").check_keypoints
            check(self.layout, self.tensor, outputs[0], self.first, self.keypoint_count, doubt, rows)
        if self.labels is None and self.keypoint_count == 17 and (self.classes == 1 or rows):
            self.labels = ["person"]  # 17 keypoints are COCO's, of a person
        scores = options.keypoint_scores
        self.logits = scores == "logit" or scores is None and self._any_far_below_zero(outputs[0])
        if scores is None and not self.logits:
            scores = self.layout.columns(outputs[0], self.first + 2, self.layout.channels, 3)
            if (float(np.max(scores)) - self.tensor.zero_point) * self.tensor.scale > _MOST_SCORE:
                check = module("families.family_check").check_keypoint_scores
                check(self.layout, self.tensor, outputs[0], self.first, rows)

    def _any_far_below_zero(self, head):
        # Rounding may put a score one step below 0. The logits of invisible keypoints are far below. A score of exactly -.5
        # is not, although the camera's floats of 30 bits are a little off.
        limit = self.tensor.zero_point - 0.50001 / self.tensor.scale
        scores = self.layout.columns(head, self.first + 2, self.layout.channels, 3)
        # camera: long-axis: yolov8.py takes at most 65535 anchors
        return bool(np.any(np.min(scores, axis=self.layout.anchor_axis) < limit))

    def set_transform(self, transform):
        super().set_transform(transform)
        self.source = transform.frame_size, self.threshold
        x, y, w, h = transform.roi
        units = same_floats(self.unit_x, self.unit_y, self.tensor.scale)
        self.factor = units * same_floats(transform.sx, transform.sy, 1.0)
        self.offset = same_floats(transform.ox, transform.oy, 0.0)
        self.low = np.array([float(x), float(y), -np.inf])
        self.high = np.array([float(x + w), float(y + h), np.inf])

    def keypoints(self, outputs, anchor):  # type: ignore[override]
        """The keypoints (K, 3) of one anchor: x, y in frame pixels, clipped to the frame, and score.

        A NaN coordinate becomes the frame's left or upper edge, a NaN score -inf (0 if scores are logits).
        """
        row = self.layout.row(outputs[0], anchor, self.first)
        points = np.array(row, dtype=np.float).reshape((self.keypoint_count, 3))
        if self.tensor.zero_point:
            points = points - float(self.tensor.zero_point)
        # ulab's maximum(a, b) is a > b ? a : b; np.where would take twice as long.
        points = np.minimum(np.maximum(points * self.factor + self.offset, self.low), self.high)
        if self.logits:
            points[:, 2] = 1.0 / (np.exp(0.0 - points[:, 2]) + 1.0)
        return points
