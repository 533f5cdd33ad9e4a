"""YOLOv8 pose: the detections of yolov8.py, each with keypoints.

in      a head [1, 4 + classes + 3 x keypoints, anchors] or the transpose, or end-to-end [1, rows, 6 + 3 x keypoints]: int8,
        uint8, int16 or float32; a keypoint has x, y in the unit of the boxes, and its score or the logit of the score. With
        kpt_shape=[K, 2] it has no score: 2 x keypoints, and the score of each is 1
out     a list of Detection with keypoints, best first, in frame pixels
"""

from ulab import numpy as np

from ...pixels.rounding import same_floats
from ...tensors.options import Options, choice, number, number_or_none
from ..frame_boxes import Extras
from .yolov8 import YoloV8

_MOST_SCORE = 4.0  # of a keypoint. More is no sigmoid, however coarse its steps


class Keypoints(Extras):
    """What poses add to boxes: channels for each keypoint after the classes, x, y, and score or its logit.

    dims    how many: 3, or 2 without scores
    """

    kind = "keypoints"
    expected_outputs = "a head [1, 4 + classes + 3 x keypoints, N] or [1, rows, 6 + 3 x keypoints]"

    def choose(self, boxes, options):
        scores = options.score_type
        return boxes.outputs[0], -1 if scores is None else -2 if scores == "missing" else -3

    def extra_channels(self, boxes, options, rows, array):
        channels = boxes.layout.channels
        label_count = len(boxes.labels) if boxes.labels else 0
        labeled = 1
        if label_count:
            from ...tensors.keypoints import pose_classes

            labeled = pose_classes(channels, label_count, 6 if rows else 5)
        classes = options.class_count or labeled or 1
        own = options.class_count is options.labels is None
        extra = self._channels(boxes, options, rows, array, classes)
        if own and extra % self.dims:
            classes = 1  # the model's own labels are not those of the classes
            extra = self._channels(boxes, options, rows, array, classes)
        if classes == 1 and not labeled:
            boxes.labels = None
        if extra < self.dims or extra % self.dims:
            raise ValueError(
                "expected a head of 4 box channels, %d class%s and %d for each keypoint, got %d channels in %s: give labels,"
                " one per class, or class_count"
                % (classes, "" if classes == 1 else "es", self.dims, channels, boxes.tensor)
            )
        self.keypoint_count = extra // self.dims
        self.threshold = options.keypoint_threshold
        return extra

    def _channels(self, boxes, options, rows, array, classes):
        # The number of channels behind the classes. Sets `first` and `dims`.
        self.first = 6 if rows else 4 + classes
        extra = boxes.layout.channels - self.first
        self.dims = 2 if options.score_type == "missing" else 3
        if options.score_type is None and extra > 3 and extra % 2 == 0:
            pairs = True
            if extra % 3 == 0 or not rows:
                from ..family_check import are_pairs

                pairs = are_pairs(boxes.layout, boxes.tensor, array, self.first, rows)
                boxes.is_final = boxes.is_final and pairs is not None
            self.dims = 2 if pairs or pairs is None and extra % 3 else 3
        return extra

    def complete(self, boxes, options, outputs, rows):
        labeled = len(boxes.labels or ()) == boxes.classes
        tensor, layout, array = boxes.tensor, boxes.layout, outputs[0]
        doubt = 2 if not labeled else 1 if boxes.classes > 1 and options.class_count is None else 0
        if doubt:
            # Heads of some other families have the same shape.
            from ..family_check import check_keypoints

            check_keypoints(layout, tensor, array, self.first, doubt, rows, self.dims)
        if boxes.labels is None and self.keypoint_count == 17 and (boxes.classes == 1 or rows):
            boxes.labels = ["person"]  # 17 keypoints are COCO's, of a person
        self.place = tensor, layout
        self.logits = False
        if self.dims == 2:
            return
        scores = options.score_type
        self.logits = scores == "logit" or scores is None and any_far_below_zero(tensor, layout, self.first, array)
        if scores is None and not self.logits:
            scores = layout.columns(array, self.first + 2, layout.channels, 3)
            if (float(np.max(scores)) - tensor.zero_point) * tensor.scale > _MOST_SCORE:
                from ..family_check import check_keypoint_scores

                check_keypoint_scores(layout, tensor, array, self.first, rows)

    def of_split(self, boxes, options, outputs, layout, parts):
        from .split_pose import SplitKeypoints

        return SplitKeypoints(boxes, options, outputs, layout, parts)

    def set_transform(self, boxes, transform):
        x, y, w, h = transform.roi
        units = same_floats(boxes.unit_x, boxes.unit_y, boxes.tensor.scale)
        self.factor = (units * same_floats(transform.sx, transform.sy, 1.0))[: self.dims]
        self.offset = same_floats(transform.ox, transform.oy, 0.0)[: self.dims]
        self.low = np.array([float(x), float(y), -np.inf][: self.dims])
        self.high = np.array([float(x + w), float(y + h), np.inf][: self.dims])

    def keypoints(self, outputs, anchor):
        """The keypoints (K, 3) of one anchor: x, y in frame pixels, clipped to the frame, and score.

        A NaN coordinate becomes the frame's left or upper edge, a NaN score -inf (0 if scores are logits).
        """
        tensor, layout = self.place
        row = layout.row(outputs[0], anchor, self.first)
        points = np.array(row, dtype=np.float).reshape((self.keypoint_count, self.dims))
        if tensor.zero_point:
            points = points - float(tensor.zero_point)
        # ulab's maximum(a, b) is a > b ? a : b; np.where would take twice as long.
        points = np.minimum(np.maximum(points * self.factor + self.offset, self.low), self.high)
        if self.dims == 2:
            whole = np.ones((self.keypoint_count, 3))
            whole[:, :2] = points
            return whole
        if self.logits:
            points[:, 2] = 1.0 / (np.exp(0.0 - points[:, 2]) + 1.0)
        return points


def any_far_below_zero(tensor, layout, first, array):
    """Whether the scores of keypoints, from channel `first` on, are logits.

    Rounding may put a score one step below 0. The logits of invisible keypoints are far below. A score of exactly -.5 is
    not, although the camera's floats of 30 bits are a little off.
    """
    limit = tensor.zero_point - 0.50001 / tensor.scale
    scores = layout.columns(array, first + 2, layout.channels, 3)
    # camera: long-axis: yolov8.py takes at most 65535 anchors
    return bool(np.any(np.min(scores, axis=layout.anchor_axis) < limit))


class YoloV8Pose(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 pose: every detection has `.keypoints`.

    They are a float32 array (K, 3): x and y in frame pixels, clipped to the frame, and the keypoint's score. All keypoints
    are returned, whatever their score. Networks with kpt_shape=[K, 2] have no scores: then each is 1.

    It has YoloV8's options besides its own, and accepts end-to-end heads [1, rows, 6 + 3 x keypoints] as YoloV8 does.
    """

    _option = Options("threshold", YoloV8._option)
    keypoint_threshold = _option("keypoint_threshold", 0.5, number, 0.0, 1.0)
    class_count = _option("class_count", None, number_or_none, 1, 65535)
    score_type = _option("score_type", None, choice, "probability", "logit", "missing")

    _extras = Keypoints
