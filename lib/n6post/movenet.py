"""MoveNet: one person's joints from heatmaps, or from the coordinates of Google's own export.

in      heatmaps [1, H, W, K] or [1, K, H, W], int8, uint8, int16 or float32, scores 0..1: a channel a joint; or joints
        [1, 1, K, 3] of y, x, score in 0..1
out     a list of at most one Detection: keypoints float32 (K, 3) of x, y in frame pixels and score

A cell of a heatmap is a square of the model input: its middle is (column + .5) * input width / W, and rows alike.
OpenMV's post-processing (ml/postprocessing/mediapipe.py) and ST's (lib_vision_models_pp, and heatmaps_spe_postprocess of
its model zoo) have it so as well.
"""

from math import ceil, floor

from micropython import const
from ulab import numpy as np

from .detection import with_keypoints
from .kernels import map_plans as plans
from .kernels.maps import peaks
from .layout import are_joints, map_layout
from .options import choice, flag, name_list, number, option
from .processor import Processor, Setup

_NUDGE = const(2.44e-4)  # as in yolo.py: an edge between two pixels rounds the same way on camera and PC
_MOST_JOINTS = const(511)  # MediaPipe's face, the most that is known, has 478; 1000 are the classes of a classifier
_WANTED = "heatmaps [1, H, W, joints] or [1, joints, H, W], or joints [1, 1, joints, 3]"


class MoveNet(Processor):
    """Post-processor for MoveNet: `ml.Model(path, postprocess=n6post.MoveNet())`.

    threshold   the least score of a joint that counts as seen, 0..1; on integers compared as
                q >= ceil(threshold / scale + zero_point)
    refine      move each joint from its cell's middle to the top of the parabola through the peak and its two
                neighbours, in x and in y: never more than half a cell, and not at all at the map's border
    labels      one name, of what is found; or one a joint, which tells nothing new here. Else it is a "person". A list,
                a dict {0: "person"} or the path of a .txt with one a line
    layout      "NHWC" or "NCHW" for heatmaps, "joints" for [1, 1, K, 3]; None: told by the shape

    Every joint is returned, seen or not: its score tells, and `draw` leaves out those under the threshold. The box goes
    around the joints that are seen, at least one pixel wide and high; the score is their mean. With none seen, the
    list is empty.

    ValueError for an option out of range, and at a model's first frame for an output that is not this family's.
    """

    threshold = option("threshold", number, 0.0, 1.0)
    refine = option("refine", flag)
    labels = option("labels", name_list)
    layout = option("layout", choice, "NHWC", "NCHW", "joints")

    def __init__(self, threshold=0.3, refine=True, labels=None, layout=None):
        super().__init__()
        self.threshold = threshold
        self.refine = refine
        self.labels = labels
        self.layout = layout

    def _set_up(self, model, outputs):
        coordinates = self.layout == "joints" or self.layout is None and are_joints(_shape_of(outputs))
        return (CoordinateSetup if coordinates else HeatmapSetup)(self, model, outputs)


class JointSetup(Setup):
    """Joints of one person, however they come.

    joints      how many
    box         x1, y1, x2, y2 of those seen, and the sum of their scores, as `find` leaves them
    shifted     whether joints and box are counted from `corner`, (x, y, 0), and not from that of the frame
    last        the last pixel (x, y), counted alike
    """

    wanted = _WANTED

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        self.joints = 0
        self.box = np.zeros(5)
        self.shifted = False
        self.corner = np.zeros(3)
        self.last = 0, 0
        self.lay_out(options, self.outputs[0].shape)
        names = options.labels
        if names is not None and len(names) not in (1, self.joints):
            raise ValueError("labels: expected one name or %d, one a joint, got %d" % (self.joints, len(names)))
        if names is None:
            names = name_list("labels", getattr(model, "labels", None) or None) or ()
        self.label = names[0] if len(names) == 1 else "person"
        self.cut = self.outputs[0].cut(options.threshold)
        self.threshold = options.threshold

    def lay_out(self, options, shape):
        """Set `joints` and whatever else the shape tells; ValueError for one that is not this family's."""

    def use(self, fit):
        self.detection = with_keypoints(self.threshold, fit.frame_size)

    def find(self, out, keypoints):
        """Write the joints and `box`, and return how many are seen."""
        raise NotImplementedError

    def result(self, outputs):
        keypoints = np.zeros((self.joints, 3))  # part of the result: a new one each frame
        seen = self.find(outputs[0], keypoints)
        if not seen:
            return []
        x1, y1, x2, y2, total = self.box
        right, bottom = self.last
        left = min(floor(x1 + _NUDGE), right)
        top = min(floor(y1 + _NUDGE), bottom)
        width = max(ceil(x2 - _NUDGE) - left, 1)
        height = max(ceil(y2 - _NUDGE) - top, 1)
        if self.shifted:
            x, y, _, _ = self.fit.roi
            rect = (left + x, top + y, width, height)
            keypoints = keypoints + self.corner
        else:
            rect = (left, top, width, height)
        return [self.detection(rect, total / seen, 0, self.label, None, keypoints)]


class HeatmapSetup(JointSetup):
    """Heatmaps [1, H, W, joints] or [1, joints, H, W]."""

    def lay_out(self, options, shape):
        self.width, self.height, self.joints, last = map_layout(
            shape, self.size, _MOST_JOINTS, options.layout, _WANTED, "joints"
        )
        if options.layout is None and (self.width, self.height) == self.size:
            raise ValueError("expected %s, smaller than the input %s, got %s" % (_WANTED, self.size, shape))
        self.steps = (self.joints, 1) if last else (1, self.width * self.height)
        self.refine = options.refine

    def use(self, fit):
        super().use(fit)
        x, y, width, height = fit.roi
        # Peaks lie inside of the input. Where that lies inside of the roi as well (no bars), nothing can fall short of its
        # left upper corner, and frame pixels come out at once; else they are counted from that corner, and clipped there.
        shifted = (x or y) and (fit.ox < x or fit.oy < y or min(x, y) < 0)
        if not shifted:
            width, height, x, y = x + width, y + height, 0, 0
        ax = fit.sx * self.size[0] / self.width
        ay = fit.sy * self.size[1] / self.height
        out = self.outputs[0]
        plan = plans.peaks(
            dtype=out.dtype,
            width=self.width,
            height=self.height,
            joints=self.joints,
            pixel_step=self.steps[0],
            joint_step=self.steps[1],
            zero_point=out.zero_point,
            cut=self.cut,
            refine=1 if self.refine else 0,
            scale=out.scale,
            ax=ax,
            bx=0.5 * ax + fit.ox - x,
            ay=ay,
            by=0.5 * ay + fit.oy - y,
            frame_width=width,
            frame_height=height,
        )
        self.box = np.frombuffer(plan, dtype=np.float)[plans.PEAKS_BOX :]
        self.plan = plan
        self.shifted = shifted
        self.corner = np.array([float(x), float(y), 0.0])
        self.last = width - 1, height - 1

    def find(self, out, keypoints):
        peaks(out, self.plan, keypoints)
        return self.plan[plans.PEAKS_VISIBLE]


class CoordinateSetup(JointSetup):
    """Joints [1, 1, joints, 3] of y, x, score: 51 numbers, for which array calls are all it takes."""

    def lay_out(self, options, shape):
        if len(shape) != 4 or shape[:2] != (1, 1) or not 1 <= shape[2] <= _MOST_JOINTS or shape[3] != 3:
            raise ValueError("expected joints [1, 1, joints, 3] of 1 to %d joints, got %s" % (_MOST_JOINTS, shape))
        self.joints = shape[2]

    def use(self, fit):
        super().use(fit)
        x, y, width, height = fit.roi
        # Of x and y: the column of the output, scale and offset to the frame, limit.
        self.axes = (
            (1, fit.sx * self.size[0], fit.ox - x, float(width)),
            (0, fit.sy * self.size[1], fit.oy - y, float(height)),
        )
        self.shifted = bool(x or y)  # counted from the corner of the roi, and clipped there
        self.corner = np.array([float(x), float(y), 0.0])
        self.last = width - 1, height - 1

    def find(self, out, keypoints):
        told = self.outputs[0]
        raw = np.array(out.reshape((self.joints, 3)), dtype=np.float)
        visible = raw[:, 2] >= float(self.cut)
        raw = (raw - float(told.zero_point)) * told.scale
        for k in (0, 1):
            column, scale, offset, limit = self.axes[k]
            # ulab's maximum(a, b) is a > b ? a : b: NaN becomes 0.
            keypoints[:, k] = np.minimum(np.maximum(raw[:, column] * scale + offset, 0.0), limit)
        keypoints[:, 2] = np.maximum(raw[:, 2], 0.0)
        seen = int(np.sum(visible))  # camera: sum-without-axis: exact for as few joints as _MOST_JOINTS
        if seen:
            for k in (0, 1):
                a = keypoints[:, k]
                self.box[k] = np.min(np.where(visible, a, np.inf))
                self.box[2 + k] = np.max(np.where(visible, a, -np.inf))
            self.box[4] = np.dot(visible, keypoints[:, 2])  # np.sum is a running mean, and NaN of infinities
        return seen


def _shape_of(outputs):
    """The first output's shape; () where there is none, which quant.Output says better."""
    return tuple(getattr(outputs[0], "shape", ())) if isinstance(outputs, (list, tuple)) and outputs else ()
