"""YuNet, the face detector of libfacedetection and OpenCV: boxes and five keypoints.

in      for each of the strides 8, 16 and 32 two outputs [1, N, 1], class score and objectness, and boxes [1, N, 4] and
        keypoints [1, N, 10] of its N cells: int8, uint8, int16 or float32, twelve outputs in any order and each with its own
        scale. Or maps [1, h, w, channels] and [1, channels, h, w]
out     a list of Detection, best first, in frame pixels, with keypoints

x = (column + number) * stride for the box's center and for the keypoints, width = exp(number) * stride, y and height alike
(OpenCV's face_detect.cpp, ST's fd_pp_yunet.c). The score is the square root of class score * objectness, as in OpenCV. The
product has no order, so the two need not be told apart. ST's C code compares the product itself with its threshold: its .5
is .71 here. OpenCV cuts boxes to whole pixels before it compares their overlaps; here and in ST's code they stay exact.

Proven on OpenCV's own network, against its FaceDetectorYN and ST's C code, float and int8.
"""

from ulab import numpy as np

from ...tensors.options import Options
from ..frame_boxes import Detector
from .grids import EXP, GridBoxes, GridForm, GridPart

_STRIDES = 8, 16, 32


class YuNet(Detector):
    """Post-processor for the face detector YuNet: `ml.Model(path, postprocess=n6post.YuNet())`.

    Each Detection has five keypoints: right eye, left eye, nose tip, right mouth corner, left mouth corner. "Right" is the
    person's right.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold", Detector._option, threshold=0.7, iou_threshold=0.3, max_candidates=300)

    def _bind(self, model, outputs):
        return YuNetBoxes(self, model, outputs)


class YuNetBoxes(GridBoxes):
    """The twelve outputs of YuNet."""

    expected_outputs = (
        "two outputs [1, N, 1], boxes [1, N, 4] and keypoints [1, N, 10] for each of the strides 8, 16 and 32, N the number "
        "of its cells"
    )
    counts = (12,)

    def __init__(self, options, model, outputs):
        super().__init__(options, model, outputs)
        if not self.labels:
            self.labels = self.decoder.labels = ["face"]

    def form(self, options, outputs):
        parts = []
        left = list(self.outputs)
        for stride in _STRIDES:
            # An input that the strides do not divide is padded, and the last cells are cut by its edge.
            width, height = [-(-side // stride) for side in self.size]
            found = [self.take(left, channels, width, height) for channels in (1, 1, 4, 10)]
            search, scores, boxes, points = [one[0] for one in found]
            # Either may be searched. The class score is .4 and more nearly everywhere, so the objectness leaves fewer cells.
            if self._mean(outputs, search.output) > self._mean(outputs, scores.output):
                search, scores = scores, search
            level = 0, width, stride, stride, ((stride, stride, stride, stride),)
            parts.append(GridPart(search, scores, boxes, points, (level,)))
        form = GridForm(tuple(parts), 1)
        form.sizes = EXP
        form.offset = 0.0
        form.root = True
        form.points = 5
        return form

    def _mean(self, outputs, tensor):
        """The mean of class scores or objectness; ValueError for logits, whose product would be large in the background."""
        array = outputs[tensor.index]
        least, mean = [(float(number) - tensor.zero_point) * tensor.scale for number in (np.min(array), np.mean(array))]
        if least < -0.5:
            raise ValueError("expected class scores and objectness of 0..1, got %.3g in %s" % (least, tensor))
        return mean
