"""YOLOv8 pose: what yolo.py finds, and for each survivor its keypoints.

in      a head [1, 4 + classes + 3 x keypoints, anchors] or the transpose, or end-to-end [1, rows, 6 + 3 x keypoints]: int8,
        uint8, int16 or float32; a keypoint's three are x, y in the unit of the boxes, and its score or the logit of it
out     a list of Detection with keypoints, best first, in frame pixels
"""

from ulab import numpy as np

from .detection import with_keypoints
from .options import choice, number, number_or_none, option
from .yolo import BoxSetup, YoloV8


class YoloV8Pose(YoloV8):
    """Post-processor for YOLOv8 pose: YoloV8's options, and every detection has `.keypoints`.

    They are a float32 array (K, 3): x and y in frame pixels, clipped to the frame, and the keypoint's score.

    keypoint_threshold  the least score of a keypoint that counts as seen, 0..1. All are returned: the score tells, and
                        `draw` leaves out those under this, which a detection carries as `keypoint_threshold`
    class_count         how many classes a raw head has; None: as many as there are labels, or 1 without any and where they
                        are as many as one class has keypoints, whose names they are then
    keypoint_scores     "score": the third number of a keypoint is its score, 0..1; "logit": it goes through the sigmoid
                        first; None: told from the first frame, where only logits can be negative

    End-to-end heads [1, rows, 6 + 3 x keypoints] are taken as YoloV8 takes them.
    """

    keypoint_threshold = option("keypoint_threshold", number, 0.0, 1.0)
    class_count = option("class_count", number_or_none, 1, 65535)
    keypoint_scores = option("keypoint_scores", choice, "score", "logit")

    def __init__(
        self,
        threshold=0.4,
        nms_threshold=0.5,
        nms_sigma=0,
        max_detections=20,
        classes=None,
        agnostic=False,
        max_candidates=300,
        labels=None,
        pixels=None,
        *,
        keypoint_threshold=0.5,
        class_count=None,
        keypoint_scores=None
    ):  # fmt: skip
        super().__init__(
            threshold, nms_threshold, nms_sigma, max_detections, classes, agnostic, max_candidates, labels, pixels
        )
        self.keypoint_threshold = keypoint_threshold
        self.class_count = class_count
        self.keypoint_scores = keypoint_scores

    def _set_up(self, model, outputs):
        return PoseSetup(self, model, outputs)


class PoseSetup(BoxSetup):
    """A head with three rows a keypoint behind its classes: x, y, and score or its logit."""

    wanted = "a head [1, 4 + classes + 3 x keypoints, N] or [1, rows, 6 + 3 x keypoints]"

    def prepare(self):
        return -1

    def split(self, options, rows):
        channels = self.channels
        named = len(self.labels) if self.labels else 0
        told = 1
        if named:
            from .joints import pose_classes

            told = pose_classes(channels, named, 6 if rows else 5)
        classes = options.class_count or told or 1
        if options.class_count is options.labels is None and (channels - 4 - classes) % 3:
            classes = 1  # the model's own labels name something else
        if classes == 1 and not told:
            self.labels = None
        self.first = 6 if rows else 4 + classes
        extra = channels - self.first
        if extra < 3 or extra % 3:
            raise ValueError(
                "expected a head of 4 box channels, %d class%s and 3 for each keypoint, got %d channels in %s"
                % (classes, "" if classes == 1 else "es", channels, self.head)
            )
        self.joints = extra // 3
        self.threshold = options.keypoint_threshold
        return extra

    def complete(self, options, outputs):
        if self.labels is None and self.joints == 17 and (self.classes == 1 or self.classes > 65535):
            self.labels = ["person"]  # COCO's keypoints are a person's
        told = options.keypoint_scores
        self.logits = told == "logit" or told is None and self._any_far_below_zero(self.grid(outputs[0]))

    def _any_far_below_zero(self, grid):
        # A score may lie a step below 0 and be noise; the logits of joints unseen lie far below.
        limit = self.head.zero_point - 0.5 / self.head.scale
        scores = grid[self.first + 2 :: 3] if self.channels_first else grid[:, self.first + 2 :: 3]
        # camera: long-axis: yolo.py takes at most 65535 anchors
        return bool(np.any(np.min(scores, axis=1 if self.channels_first else 0) < limit))

    def use(self, fit):
        super().use(fit)
        self.detection = with_keypoints(self.threshold, fit.frame_size)
        x, y, w, h = fit.roi
        self.factor = np.array([self.unit_x * fit.sx, self.unit_y * fit.sy, self.head.scale])
        self.offset = np.array([fit.ox, fit.oy, 0.0])
        self.low = np.array([float(x), float(y), -np.inf])
        self.high = np.array([float(x + w), float(y + h), np.inf])

    def keypoints(self, outputs, anchor):  # type: ignore[override]
        """(K, 3) of one anchor: x, y in frame pixels, clipped to the frame, and score.

        A NaN becomes the frame's left or upper edge, a NaN score -inf (0 where scores are logits).
        """
        grid = self.grid(outputs[0])
        row = grid[self.first :, anchor] if self.channels_first else grid[anchor, self.first :]
        points = np.array(row, dtype=np.float).reshape((self.joints, 3))
        if self.head.zero_point:
            points = points - float(self.head.zero_point)
        # ulab's maximum(a, b) is a > b ? a : b; np.where would take twice as long.
        points = np.minimum(np.maximum(points * self.factor + self.offset, self.low), self.high)
        if self.logits:
            points[:, 2] = 1.0 / (np.exp(0.0 - points[:, 2]) + 1.0)
        return points
