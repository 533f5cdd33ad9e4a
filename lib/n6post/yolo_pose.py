"""YOLOv8 pose: its options, besides those of yolo.py; the work is in yolo_head.py.

in      [1, 4 + classes + 3 x keypoints, anchors] or the transpose: int8, uint8, int16 or float32; a keypoint's three
        are x, y in the unit of the boxes, and its score or the logit of it
out     a list of Detection with keypoints, best first, in frame pixels
"""

from . import number
from .yolo import YoloV8


class YoloV8Pose(YoloV8):
    """Post-processor for YOLOv8 pose: YoloV8's options, and every detection has `.keypoints`.

    They are a float32 array (K, 3): x and y in frame pixels, clipped to the frame, and the keypoint's score.

    keypoint_threshold  the least score of a keypoint that counts as seen, 0..1. All are returned: the score tells, and
                        `draw` leaves out those under this, which a detection carries as `keypoint_threshold`
    class_count         how many classes the head has; None: as many as there are labels, else 1
    keypoint_scores     "score": the third number of a keypoint is its score, 0..1; "logit": it goes through the sigmoid
                        first; None: told from the first frame, where only logits can be negative
    """

    def __init__(
        self, threshold=0.4, *args, keypoint_threshold=0.5, class_count=None, keypoint_scores=None, **kwargs
    ):
        super().__init__(threshold, *args, **kwargs)
        self.keypoint_threshold = number("keypoint_threshold", keypoint_threshold, 0.0, 1.0)
        self.class_count = None if class_count is None else number("class_count", class_count, 1, 65535)
        if keypoint_scores not in (None, "score", "logit"):
            raise ValueError("keypoint_scores: expected 'score', 'logit' or None, got %r" % (keypoint_scores,))
        self.keypoint_scores = keypoint_scores
