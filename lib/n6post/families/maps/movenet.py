"""MoveNet: the keypoints of one person, from heatmaps or from the coordinates of Google's own export.

in      heatmaps [1, H, W, K] or [1, K, H, W], one channel per keypoint, scores 0..1; or keypoints [1, 1, K, 3] of y, x and
        score in 0..1; int8, uint8, int16 or float32
out     a list of at most one Detection; its keypoints are float32 (K, 3): x and y in frame pixels, and score

A cell of a heatmap is a rectangle of the model input: its center is (column + .5) * input width / W, and rows likewise.
OpenMV's post-processing (ml/postprocessing/mediapipe.py) and ST's (lib_vision_models_pp, and heatmaps_spe_postprocess of
its model zoo) do the same.
"""

from math import ceil, floor

from micropython import const
from ulab import numpy as np

from ...kernels import maps as map_kernels
from ...kernels.params import maps as map_params
from ...pixels.rounding import NUDGE, same_floats
from ...results.detection import detection_from
from ...tensors.head_layout import map_layout
from ...tensors.options import Options, choice, flag, name_list, number
from ...tensors.shapes import are_keypoints
from ..processor import ModelBinding, Processor

_MOST_KEYPOINTS = const(511)  # the largest known skeleton, MediaPipe's face, has 478; 1000 channels are a classifier's
_EXPECTED = "heatmaps [1, H, W, keypoints] or [1, keypoints, H, W], or keypoints [1, 1, keypoints, 3]"


class MoveNet(Processor):
    """Post-processor for MoveNet: `ml.Model(path, postprocess=n6post.MoveNet())`.

    It returns a list of at most one Detection with all keypoints, whatever their score. The box surrounds the visible
    keypoints and is at least one pixel wide and high; the score is their mean score. If none is visible, or if the box lies
    in the bars of a Letterbox, the list is empty.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("keypoint_threshold")
    keypoint_threshold = _option("keypoint_threshold", 0.3, number, 0.0, 1.0)
    refine = _option("refine", True, flag)
    labels = _option("labels", None, name_list)
    layout = _option("layout", None, choice, "NHWC", "NCHW", "keypoints")

    def _bind(self, model, outputs):
        is_list = self.layout == "keypoints" or self.layout is None and are_keypoints(_first_shape(outputs))
        return (CoordinateBinding if is_list else HeatmapBinding)(self, model, outputs)


class KeypointBinding(ModelBinding):
    """The keypoints of one person, from any kind of output.

    keypoint_count  how many there are
    box             what `find` writes: x1, y1, x2, y2 of the visible keypoints, and the mean of their scores
    shifted         whether keypoints and box are relative to `corner`, (x, y, 0), instead of the frame's corner
    last            the last pixel (x, y), relative to the same corner
    has_bars        whether the input shows more than the frame, as between a letterbox's bars
    """

    expected_outputs = _EXPECTED

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        self.keypoint_count = 0
        self.box = np.zeros(5)
        self.shifted = False
        self.corner = np.zeros(3)
        self.last = 0, 0
        self.read_shape(options, self.outputs[0].shape)
        names = options.labels
        if names is not None and len(names) not in (1, self.keypoint_count):
            raise ValueError("labels: expected one name or %d, one per keypoint, got %d" % (self.keypoint_count, len(names)))
        if names is None:
            names = name_list("labels", getattr(model, "labels", None) or None) or ()
        self.label = names[0] if len(names) == 1 else "person"
        self.threshold = options.keypoint_threshold
        self.cut = self.outputs[0].quantize_threshold(self.threshold)
        self.limit_score(model, self.outputs[0])

    def read_shape(self, options, shape):
        """Set `keypoint_count` and what else depends on the shape; ValueError for a shape of another family."""

    def set_transform(self, transform):
        self.source = transform.frame_size, self.threshold
        self.has_bars = transform.ox < transform.roi[0] or transform.oy < transform.roi[1]

    def find(self, out, keypoints):
        """Write the keypoints and `box`, and return how many keypoints are visible."""
        raise NotImplementedError

    def result(self, outputs):
        keypoints = np.zeros((self.keypoint_count, 3))  # part of the result: a new one each frame
        visible = self.find(outputs[0], keypoints)
        if not visible:
            return []
        x1, y1, x2, y2, score = self.box
        self.guard(score)
        right, bottom = self.last
        # Keypoints in a letterbox's bars are clipped to the frame's edge.
        if self.has_bars and (x2 <= 0.0 or y2 <= 0.0 or x1 >= right + 1 or y1 >= bottom + 1):
            return []
        left = min(floor(x1 + NUDGE), right)
        top = min(floor(y1 + NUDGE), bottom)
        width = max(ceil(x2 - NUDGE) - left, 1)
        height = max(ceil(y2 - NUDGE) - top, 1)
        if self.shifted:
            x, y, _, _ = self.transform.roi
            rect = (left + x, top + y, width, height)
            keypoints = keypoints + self.corner
        else:
            rect = (left, top, width, height)
        return [detection_from((rect, score, 0, self.label, None, keypoints), self.source)]


class HeatmapBinding(KeypointBinding):
    """Heatmaps [1, H, W, keypoints] or [1, keypoints, H, W]."""

    def read_shape(self, options, shape):
        self.width, self.height, layout = map_layout(
            shape, self.size, _MOST_KEYPOINTS, options.layout, _EXPECTED, "keypoints"
        )
        if options.layout is None and (self.width, self.height) == self.size:
            raise ValueError("expected %s, smaller than the input %s, got %s" % (_EXPECTED, self.size, shape))
        self.keypoint_count = layout.channels
        self.steps = layout.anchor_step, layout.channel_step
        self.refine = options.refine

    def set_transform(self, transform):
        super().set_transform(transform)
        x, y, width, height = transform.roi
        # Peaks lie inside the input. If the input lies inside the roi (no bars), no peak can be left of the roi or above it,
        # and the kernel writes frame pixels. Otherwise it writes pixels relative to the roi's corner and clips at 0.
        shifted = (x or y) and (transform.ox < x or transform.oy < y or min(x, y) < 0)
        if not shifted:
            width, height, x, y = x + width, y + height, 0, 0
        scale = same_floats(transform.sx, transform.sy) * np.array(self.size) / np.array([self.width, self.height])
        ax, ay = scale
        bx, by = scale * 0.5 + same_floats(transform.ox, transform.oy) - np.array([x, y])
        out = self.outputs[0]
        block = map_params.peaks(
            dtype=out.dtype,
            width=self.width,
            height=self.height,
            keypoint_count=self.keypoint_count,
            pixel_step=self.steps[0],
            keypoint_step=self.steps[1],
            zero_point=out.zero_point,
            cut=self.cut,
            refine=1 if self.refine else 0,
            scale=out.scale,
            ax=ax,
            bx=bx,
            ay=ay,
            by=by,
            frame_width=width,
            frame_height=height,
        )
        self.box = np.frombuffer(block, dtype=np.float)[map_params.PEAKS_BOX :]
        self.block = block
        self.shifted = shifted
        self.corner = np.array([float(x), float(y), 0.0])
        self.last = width - 1, height - 1

    def find(self, out, keypoints):
        map_kernels.peaks(out, self.block, keypoints)
        return self.block[map_params.PEAKS_VISIBLE]


class CoordinateBinding(KeypointBinding):
    """Keypoints [1, 1, keypoints, 3] of y, x, score: 51 numbers, few enough for array calls instead of a kernel."""

    def read_shape(self, options, shape):
        if len(shape) != 4 or shape[:2] != (1, 1) or not 1 <= shape[2] <= _MOST_KEYPOINTS or shape[3] != 3:
            raise ValueError(
                "expected keypoints [1, 1, keypoints, 3] of 1 to %d keypoints, got %s" % (_MOST_KEYPOINTS, shape)
            )
        self.keypoint_count = shape[2]

    def set_transform(self, transform):
        super().set_transform(transform)
        x, y, width, height = transform.roi
        scale = same_floats(transform.sx, transform.sy) * np.array(self.size)
        offset = same_floats(transform.ox, transform.oy) - np.array([x, y])
        # For x and y: the column of the output, the scale and offset to the frame, the largest coordinate.
        self.axes = (1, scale[:1], offset[:1], float(width)), (0, scale[1:], offset[1:], float(height))
        self.unit = same_floats(self.outputs[0].scale)
        self.shifted = bool(x or y)  # relative to the corner of the roi, and clipped there
        self.corner = np.array([float(x), float(y), 0.0])
        self.last = width - 1, height - 1

    def find(self, out, keypoints):
        tensor = self.outputs[0]
        raw = np.array(out.reshape((self.keypoint_count, 3)), dtype=np.float)
        visible = raw[:, 2] >= float(self.cut)
        raw = (raw - float(tensor.zero_point)) * self.unit
        for k in (0, 1):
            column, scale, offset, limit = self.axes[k]
            # ulab's maximum(a, b) is a > b ? a : b: NaN becomes 0.
            keypoints[:, k] = np.minimum(np.maximum(raw[:, column] * scale + offset, 0.0), limit)
        keypoints[:, 2] = np.maximum(raw[:, 2], 0.0)
        count = int(np.sum(visible))  # camera: sum-without-axis: exact for as few keypoints as _MOST_KEYPOINTS
        if count:
            for k in (0, 1):
                a = keypoints[:, k]
                self.box[k] = np.min(np.where(visible, a, np.inf))
                self.box[2 + k] = np.max(np.where(visible, a, -np.inf))
            # Not np.sum, a running mean, which infinities make NaN. In arrays: a float object of the camera has 30 bits.
            total = np.dot(visible.reshape((1, self.keypoint_count)), keypoints[:, 2:])
            self.box[4:] = total.reshape((1,)) / count
        return count


def _first_shape(outputs):
    # () if there is none: OutputTensor has the error message for that.
    return tuple(getattr(outputs[0], "shape", ())) if isinstance(outputs, (list, tuple)) and outputs else ()
