"""BlazeFace, MediaPipe's face detector: boxes and six keypoints. blazepalm.py uses the same decoding.

in      boxes [1, N, 16] and scores [1, N, 1] of each map or of all maps, in any order: int8, uint8, int16 or float32. The
        short-range networks have two maps with N = 512 and 384, the full-range network one with 2304
out     a list of Detection, best first, in frame pixels, with keypoints

An anchor is the center of a cell; all numbers are in input pixels. x and y of the box's center and of the keypoints are
relative to it: x = number + (column + .5) * stride. Width and height are the numbers themselves, the score is the sigmoid.
Then the boxes of one face are blended. All of this is MediaPipe's (modules/face_detection, SsdAnchorsCalculator,
TensorsToDetectionsCalculator, NonMaxSuppressionCalculator), and the same numbers give the same detections, but
here boxes and keypoints are clipped to the frame.
"""

from ...tensors.head_layout import HeadLayout
from ...tensors.options import Options, flag
from ..frame_boxes import Detector
from .grids import SIGMOID, Channels, GridBoxes, GridForm, GridPart, square_anchors


class BlazeFace(Detector):
    """Post-processor for MediaPipe's face detection: `ml.Model(path, postprocess=n6post.BlazeFace())`.

    Every detection has `.keypoints`: right eye, left eye, nose tip, mouth, right ear and left ear (the person's own sides).
    They are a float32 array (6, 3): x and y in frame pixels, clipped to the frame, and 1, because the network gives them no
    score. The short-range networks (inputs of 128 and 256) and the full-range network (192) are accepted.

    These networks are trained with pixels in -1..1: pass `n6post.Letterbox(img, scale=(-1, 1))` to a file that takes floats.
    But OpenMV's own file, blazeface_front_128.tflite in /rom, was quantized for 0..1: pass `n6post.Letterbox(img)` or
    `n6post.Crop(img)`, with a threshold of 0.4.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold", Detector._option, iou_threshold=0.3)
    blend_boxes = _option("blend_boxes", True, flag)

    def _bind(self, model, outputs):
        return BlazeFaceBoxes(self, model, outputs)


class BlazeFaceBoxes(GridBoxes):
    """The outputs of one of MediaPipe's detectors.

    name        the label if neither the option nor the model has one
    channels    how many numbers an anchor has: the box, then x and y of each keypoint
    networks    the maps of each known network: (cells in a row and in a column, anchors in a cell)
    reach       how far outside of the frame keypoints may be, in frames
    """

    expected_outputs = (
        "boxes [1, 512, 16] and [1, 384, 16] with scores [1, 512, 1] and [1, 384, 1], or boxes [1, N, 16] with scores "
        "[1, N, 1] and N = 896 or 2304"
    )
    counts = (4, 2)  # type: tuple[int, ...]
    name = "face"
    channels = 16
    networks = ((16, 2), (8, 6)), ((48, 1),)  # type: tuple[tuple[tuple[int, int], ...], ...]
    reach = 0.0

    def __init__(self, options, model, outputs):
        super().__init__(options, model, outputs)
        if not self.labels:
            self.labels = self.decoder.labels = [self.name]

    def form(self, options, outputs):
        self.blends = options.blend_boxes
        parts = None
        for maps in self.networks:
            parts = parts or self._parts(maps)
        if not parts:
            shapes = ", ".join([str(out.shape) for out in self.outputs])
            raise ValueError(
                "expected %s, and an input that their maps divide, got %s and an input of (width, height) %s"
                % (self.expected_outputs, shapes, self.size)
            )
        form = GridForm(parts, 1)
        form.search = SIGMOID
        form.points = self.channels // 2 - 2
        form.reach = self.reach
        return form

    def _parts(self, maps):
        """The parts of a network with these maps: one for each map, or one for all. None if the outputs are not its own."""
        joined = self.count == 2
        if not joined and 2 * len(maps) != self.count:
            return None
        width, height = self.size
        parts = []
        levels = []
        first = 0
        for cells, per_cell in maps:
            if width % cells or height % cells:
                return None
            levels.append((first, cells, width / cells, height / cells, square_anchors(per_cell)))
            first += cells * cells * per_cell
            if not joined or len(levels) == len(maps):
                scores, boxes = self._output(first, 1, per_cell), self._output(first, self.channels, per_cell)
                if not scores or not boxes:
                    return None
                points = Channels(boxes.output, boxes.layout, 4)
                parts.append(GridPart(scores, None, boxes, points, tuple(levels)))
                levels, first = [], 0
        return tuple(parts)

    def _output(self, anchors, channels, per_cell):
        """The Channels of the output [1, anchors, channels] or [1, h, w, anchors in a cell * channels]; None without one."""
        for out in self.outputs:
            last = out.shape[-1]
            if out.size == anchors * channels and (last in (channels, per_cell * channels) or last == out.size == anchors):
                return Channels(out, HeadLayout(channels, anchors, False), 0)
        return None
