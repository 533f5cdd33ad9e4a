"""From MoveNet's heatmaps or coordinates to a person: peaks, the box around the joints that are seen, a Detection.

A cell of a heatmap is a square of the model input: its middle is (column + .5) * input width / W, and rows alike.
OpenMV's post-processing (ml/postprocessing/mediapipe.py) and ST's (lib_vision_models_pp, and heatmaps_spe_postprocess of
its model zoo) have it so as well.
"""

from array import array
from math import ceil, floor

from micropython import const
from ulab import numpy as np

from . import geometry, kernels, quant
from .detection import with_keypoints

_NUDGE = const(2.44e-4)  # as in yolo_head.py: an edge between two pixels rounds the same way on camera and PC
_MOST_JOINTS = const(511)  # MediaPipe's face, the most that is known, has 478; 1000 are the classes of a classifier
_WANTED = "heatmaps [1, H, W, joints] or [1, joints, H, W], or joints [1, 1, joints, 3]"


class Head:
    """What a processor does with a frame. `options` is the processor."""

    def __init__(self, options):
        self._options = options
        self._detection = with_keypoints(options.threshold)
        self._setups = []
        self._last = None

    def __call__(self, model, inputs, outputs):
        setup = self._last
        if setup is None or not setup.holds(model, outputs):
            setup = self._setup_for(model, outputs)
        fit = geometry.fit_of(inputs, setup.size, setup.fit)
        if fit is not setup.fit:
            setup.use(fit)
        plan = setup.plan
        keypoints = np.zeros((setup.joints, 3))  # part of the result: a new one each frame
        if setup.coordinates:
            _points(outputs[0], plan, keypoints)
        else:
            kernels.peaks(outputs[0], plan, keypoints)
        seen = plan[16]
        if not seen:
            return []
        floats = setup.floats
        left = min(floor(floats[17] + _NUDGE), plan[14] - 1)
        top = min(floor(floats[18] + _NUDGE), plan[15] - 1)
        width = max(ceil(floats[19] - _NUDGE) - left, 1)
        height = max(ceil(floats[20] - _NUDGE) - top, 1)
        if setup.corner is None:
            rect = (left, top, width, height)
        else:
            x, y, _, _ = fit.roi
            rect = (left + x, top + y, width, height)
            keypoints = keypoints + setup.corner
        return [self._detection(rect, floats[21] / seen, 0, setup.label, None, keypoints)]

    def _setup_for(self, model, outputs):
        for setup in self._setups:
            if setup.holds(model, outputs):
                break
        else:
            setup = _Setup(self._options, model, outputs)
            self._setups = [setup] + self._setups[:3]
        self._last = setup
        return setup


class _Setup(quant.OneOutput):
    """What is fixed for one model and one fit: the plan of kernels.peaks."""

    def __init__(self, chosen, model, outputs):
        super().__init__(model, outputs, _WANTED)
        out = quant.Output(model, 0, outputs[0])
        shape = self.shape
        self.coordinates = chosen.layout == "joints" or (
            # Two joints at least: [1, 1, 1, 3] is rather three heatmaps of one cell.
            chosen.layout is None and len(shape) == 4 and shape[:2] == (1, 1) and shape[2] > 1 and shape[3] == 3
        )
        if self.coordinates:
            if len(shape) != 4 or shape[:2] != (1, 1) or shape[2] < 1 or shape[3] != 3:
                raise ValueError("expected joints [1, 1, joints, 3], got %s" % (shape,))
            self.joints = shape[2]
            self.width = self.height = 1
            last = True
        else:
            self.width, self.height, self.joints, last = quant.map_layout(
                shape, self.size, _MOST_JOINTS, chosen.layout, _WANTED, "joints"
            )
            if chosen.layout is None and (self.width, self.height) == self.size:
                raise ValueError("expected %s, smaller than the input %s, got %s" % (_WANTED, self.size, shape))
        names = chosen.labels
        if names is not None and len(names) not in (1, self.joints):
            raise ValueError("labels: expected one name or %d, one a joint, got %d" % (self.joints, len(names)))
        if names is None:
            names = getattr(model, "labels", None) or ()
        self.label = names[0] if len(names) == 1 else "person"

        pixels = self.width * self.height
        self.plan = array("i", [0] * 22)
        self.floats = np.frombuffer(self.plan, dtype=np.float)
        steps = (self.joints, 1) if last else (1, pixels)
        at = 0
        for value in (out.dtype, self.width, self.height, self.joints, steps[0], steps[1], out.zero_point):
            self.plan[at] = value
            at += 1
        if out.dtype == quant.FLOAT:
            self.floats[7] = chosen.threshold
        else:
            self.plan[7] = out.cut(chosen.threshold)
        self.plan[8] = 1 if chosen.refine else 0
        self.floats[9] = out.scale

    def use(self, fit):
        """Lay the way from cells (or 0..1) to the frame of this fit into the plan."""
        self.fit = fit
        x, y, width, height = fit.roi
        self.floats[10] = ax = fit.sx * self.size[0] / self.width
        self.floats[12] = ay = fit.sy * self.size[1] / self.height
        # Peaks lie inside of the input. Where that lies inside of the roi as well (no bars), nothing can fall short of its
        # left upper corner, and frame pixels come out at once; else they are counted from that corner, and clipped there.
        if (x or y) and (self.coordinates or fit.ox < x or fit.oy < y):
            self.corner = np.array([float(x), float(y), 0.0])
        else:
            self.corner = None
            width, height, x, y = x + width, y + height, 0, 0
        half = 0.0 if self.coordinates else 0.5
        self.floats[11] = half * ax + fit.ox - x
        self.floats[13] = half * ay + fit.oy - y
        self.plan[14] = width
        self.plan[15] = height


def _points(out, plan, keypoints):
    """What kernels.peaks does, for joints that come as coordinates: K rows of y, x, score.

    51 numbers: array calls are all it takes.
    """
    joints = plan[3]
    floats = np.frombuffer(plan, dtype=np.float)
    raw = np.array(out.reshape((joints, 3)), dtype=np.float)
    visible = raw[:, 2] >= (floats[7:8] if plan[0] == quant.FLOAT else float(plan[7]))
    raw = (raw - float(plan[6])) * floats[9:10]
    for k in (0, 1):
        a = raw[:, 1 - k] * floats[10 + 2 * k : 11 + 2 * k] + floats[11 + 2 * k : 12 + 2 * k]
        # ulab's maximum(a, b) is a > b ? a : b: NaN becomes 0.
        keypoints[:, k] = np.minimum(np.maximum(a, 0.0), float(plan[14 + k]))
    keypoints[:, 2] = np.maximum(raw[:, 2], 0.0)
    plan[16] = int(np.sum(visible))
    if plan[16]:
        for k in (0, 1):
            a = keypoints[:, k]
            floats[17 + k] = np.min(np.where(visible, a, np.inf))
            floats[19 + k] = np.max(np.where(visible, a, -np.inf))
        floats[21] = np.sum(np.where(visible, raw[:, 2], 0.0))
