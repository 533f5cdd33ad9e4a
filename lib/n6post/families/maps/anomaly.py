"""Anomaly: finds what good frames do not have, from the features of a network, without examples of defects.

in      features [1, H, W, C] of 2 to 1024 channels, int8 or uint8: a backbone cut by `n6post optimize --features`; or a grid
        of scores [1, H, W, 1] or [1, H, W] of any dtype (Edge Impulse's FOMO-AD), which are the distances themselves
out     an `AnomalyMap`

The distance of a cell is that from its features to the nearest ones in a memory of good frames, as in PatchCore (Roth et
al., CVPR 2022, arXiv 2106.08265): the square root of the sum of squared differences, in steps of the quantization.
"""

from array import array
from struct import unpack

from micropython import const
from ulab import numpy as np

from ...kernels.params.neighbors import MOST_PLACE
from ...pixels.rounding import same_floats
from ...results.anomaly_map import AnomalyMap
from ...results.segmentation import ClassInfo, MapTransform
from ...tensors.options import Options, flag, number, number_or_none
from ...tensors.quantization import FLOAT, INT8, UINT8
from ...tensors.shapes import same_aspect_ratio
from ..processor import ModelBinding, Processor
from .patch_memory import PatchMemory

_EXPECTED = "features [1, H, W, C] of 2 to 1024 channels, or scores [1, H, W, 1] or [1, H, W]"
_MOST_CELLS = const(4096)
_LEAST_WEIGHT = const(3)  # of all scores together, until there is a threshold: that of about ten frames
_KNOWN_FRAMES = const(8)  # over which `known` is smoothed
_ENOUGH = 0.9  # of `known`, at which learn() ends
# Distances are multiples of 1/256, scores of 1/4096: these are the same floats on a PC and on a camera, whose objects have
# 22 bits. Statistics are whole numbers of 1/4096.
_STEPS = const(4096)
_WHOLE = const(256)  # a part of 1, for weights
_POWER = const(4)  # of how well a frame was known: the weight of its score


class Anomaly(Processor):
    """Post-processor that learns good frames and finds defects: `ml.Model(path, postprocess=n6post.Anomaly())`.

        anomaly = n6post.Anomaly()
        model = n6post.load("/rom/yolov8n_192_features.tflite", processor=anomaly)
        anomaly.learn(30)
        result = model.predict([n6post.Stretch(img)])
        print(result.verdict, result.objects())

    A call returns an `AnomalyMap`. `learn` says that the next frames are good ones; each is first judged by what was learned
    before it, and the threshold comes from these scores. Show another part, or the next piece of a texture, in each frame:
    the same part twice tells nothing about the next one.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family or
    is not that of the model from which it has learned.
    """

    _option = Options("patches")
    patches = _option("patches", 256, number, 16, 1024)
    positions = _option("positions", True, flag)
    threshold = _option("threshold", None, number_or_none, 0.0, 1e6)
    sensitive = _option("sensitive", False, flag)

    def __init__(self, *first, **options):
        self._forget()
        super().__init__(*first, **options)

    def _forget(self):
        self._memory = None  # a PatchMemory
        self._form = None  # of the features that were learned: see AnomalyBinding
        # The frames that were learned: their number; how much of their cells was known, in steps; the sums of their weights,
        # of their scores and the squares of these, and of the first quartiles of their distances and the squares of those.
        # Scores and quartiles are those that a frame had before it was learned, in steps.
        self._learned = 0, 0, 0, 0, 0, 0, 0
        self._left = 0  # frames that learn() still takes; -1: until they are known
        self._limits = None  # as of _known_limits, once they are computed

    def reset(self):
        """Forget everything that was learned."""
        self._start_over()
        self._forget()

    def _start_over(self):
        super()._start_over()
        self._limits = None

    def learn(self, frames=None):
        """Learn from the next frames, which are good ones, in addition to what is known.

        frames  how many, 1..1000; 0: stop learning; None: until new frames add hardly anything, that is, `known` is .9,
                after 18 frames at least
        """
        self._left = -1 if frames is None else number("frames", frames, 0, 1000)

    @property
    def learning(self):
        """Whether the next frame will be learned."""
        return self._left != 0

    @property
    def learned(self):
        """The number of frames that were learned."""
        return self._learned[0]

    @property
    def known(self):
        """How well the memory knows such frames, 0..1: a running mean over 8 learned frames.

        It is the part of their cells that added nothing, or, while the memory is not full, n / (n + 1) after n frames.
        """
        return self._learned[1] / _STEPS

    def _bind(self, model, outputs):
        return AnomalyBinding(self, model, outputs)

    def _known_limits(self):
        """(threshold, largest and mean quartile of a good frame) in steps, each None if there is none yet."""
        if self._limits is None:
            _, _, weight, scores, squares, quartiles, quartile_squares = self._learned
            given, threshold, largest, mean = self.threshold, None, None, None
            if weight >= _LEAST_WEIGHT * _WHOLE**_POWER:
                # In 1/100 standard deviations: of a normal distribution 1 of 20 is above 1.65.
                threshold = _usual(weight, scores, squares, 165 if self.sensitive else 300)
                largest = _usual(weight, quartiles, quartile_squares, 300)
                mean = quartiles // weight
            self._limits = threshold if given is None else int(given * _STEPS), largest, mean
        return self._limits

    def _learn(self, binding, features, found, score, quartile):
        """Learn a frame, which has this score and first quartile, in steps."""
        memory, cells = self._memory, binding.cells
        known = _WHOLE
        if binding.channels > 1:
            if memory is None or memory.capacity != self.patches:
                step = memory.step if memory else binding.place_step(features) if self.positions else 0
                used = memory.used() if memory else b""
                memory = PatchMemory(self.patches, binding.channels, binding.map_size[0], step, used)
            if found is None:
                found = memory.distances(features, cells)
            new = memory.learn(features, cells, found)
            # What a frame adds shows how far the memory is from knowing such frames: then their scores are too high. While
            # it is not full, it takes everything.
            known = (cells - new) * _WHOLE // cells
            if not self.learned or memory.count < memory.capacity:
                known = self.learned * _WHOLE // (self.learned + 1)
        weight = known**_POWER
        count, smoothed, *sums = self._learned
        smoothed += (known * (_STEPS // _WHOLE) - smoothed) // _KNOWN_FRAMES
        more = weight, weight * score, weight * score * score, weight * quartile, weight * quartile * quartile
        learned = (count + 1, smoothed) + tuple([one + other for one, other in zip(sums, more)])
        form = self._form
        if form is None:
            form = binding.form + [memory.step if memory else 0]
            self._bindings = (binding,)  # type: ignore[assignment]  # other models are examined again, and refused
        left = self._left - 1
        if left < 0:
            left = 0 if smoothed >= _ENOUGH * _STEPS else -1
        self._memory, self._form, self._learned, self._limits, self._left = memory, form, learned, None, left

    def to_state(self):
        """What was learned, for State: {"form", "learned"} and the bytes of the memory."""
        return {"form": self._form, "learned": list(self._learned)}, self._memory.used() if self._memory else b""

    def from_state(self, state):
        """Take over what `to_state` returned."""
        known, data = state
        form, memory = known["form"], None
        if data:
            memory = PatchMemory(self.patches, form[2], form[1], form[4], data)
        self._start_over()
        self._memory, self._form, self._learned = memory, form, tuple(known["learned"])


class AnomalyBinding(ModelBinding):
    """Features, or a grid of scores.

    form    [rows, columns, channels, the first 16 bits of the scale as a float32]: other features cannot be compared
            with what was learned
    """

    expected_outputs = _EXPECTED

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        shape = out.shape + (1,) if len(out.shape) == 3 else out.shape
        fits = len(shape) == 4 and shape[0] == 1 and 0 < shape[1] * shape[2] <= _MOST_CELLS and 1 <= shape[3] <= 1024
        if not fits or not same_aspect_ratio(shape[2], shape[1], self.size):
            what = "expected %s, of at most %d cells and the aspect ratio of the input, %s, got %s"
            raise ValueError(what % (_EXPECTED, _MOST_CELLS, self.size, out.shape))
        _, rows, columns, self.channels = shape
        scale, zero_point = out.scale, out.zero_point
        if self.channels > 1:
            kind = out.dtype
            if kind == FLOAT:  # maybe a copy of bytes
                try:
                    kind, scale, zero_point = ord(model.output_dtype[0]), model.output_scale[0], model.output_zero_point[0]
                except (AttributeError, IndexError, TypeError):
                    pass
            if kind != INT8 and kind != UINT8 or not scale:
                raise ValueError("expected int8 or uint8 features, got %r: cut an int8 network" % out)
            zero_point = zero_point if kind == INT8 else zero_point - 128
        self.cells = rows * columns
        self.map_size = columns, rows
        self.form = [rows, columns, self.channels, unpack("i", array("f", (scale,)))[0] >> 16]
        if options._form is not None and options._form[:4] != self.form:
            what = "expected the features that were learned, [1, %d, %d, %d], got %s: reset() forgets what was learned"
            same = "" if options._form[:3] != self.form[:3] else " with another scale"
            raise ValueError(what % (tuple(options._form[:3]) + (repr(out) + same,)))
        self.options = options
        self.scale, self.zero_point = same_floats(scale), float(zero_point)
        self.class_info = ClassInfo(2, 2, ["good", "defect"], 0)

    def place_step(self, features):
        """How far two cells are apart that differ in nothing but one column or row.

        It is a fifth of the standard deviation of the features in this frame. So the background is no good patch in the
        middle of a missing part, and a part may still move by a cell. All sums are whole numbers, exact in float32.
        """
        columns, rows = self.map_size
        cells, channels = self.cells, self.channels
        values = np.frombuffer(features, dtype=np.int8).reshape((cells, channels))
        sums, squares = np.zeros(channels), 0
        for at in range(0, cells, columns):
            part = values[at : at + columns] * 1.0
            sums = sums + np.dot(np.ones(columns), part)
            squares += sum([int(one) for one in np.dot(part * part, np.ones(channels)).tolist()])
        variance = cells * squares - sum([int(one) * int(one) for one in sums.tolist()])
        return min(_root(variance) // (5 * cells), MOST_PLACE // max(columns, rows))

    def set_transform(self, transform):
        self.map_transform = MapTransform(self.class_info, transform, self.size, self.map_size)

    def result(self, outputs):
        options, cells = self.options, self.cells
        raw, features, found = outputs[0], None, None
        if self.channels == 1:
            values = (np.array(raw.reshape((cells,)), dtype=np.float) - self.zero_point) * self.scale
            values = np.floor(np.minimum(np.maximum(values, 0.0), 1e6) * _STEPS) * (1 / _STEPS)
        else:
            dtype = raw.dtype
            if dtype == UINT8:
                raw = np.array(np.array(raw, dtype=np.float) - 128.0, dtype=np.int8)
            elif dtype == FLOAT:
                steps = np.floor(raw / self.scale + (self.zero_point + 0.5))
                raw = np.array(np.minimum(np.maximum(steps, -128.0), 127.0), dtype=np.int8)
            features = raw.tobytes()  # ulab's shares the array's memory
            memory = options._memory
            values = np.zeros(cells)
            if memory:
                found = memory.distances(features, cells)
                values = np.floor(np.sqrt(np.array(found[:cells], dtype=np.float) * 65536.0)) * (1 / 256)
        values = values.reshape((self.map_size[1], self.map_size[0]))
        x0, y0, x1, y1 = self.map_transform.window
        if (x1 - x0) * (y1 - y0) < cells:  # cells of a letterbox's bars
            shown = np.zeros(values.shape)
            shown[y0:y1, x0:x1] = values[y0:y1, x0:x1]
            values = shown
        flat = values.reshape((cells,))
        score = int(np.max(flat) * _STEPS)
        threshold, largest, mean = options._known_limits()
        if self.channels > 1 and found is None:
            threshold = None  # a script's own says nothing of a frame that is compared with nothing
        verdict = quartile = None
        if options._left or threshold is not None and score > threshold:
            quartile = int(np.sort(flat)[cells // 4] * _STEPS)
        if threshold is not None:
            verdict = "good"
            if score > threshold:
                # Changed: the whole map has risen, and by more than its largest value. So a hole in other light is a defect.
                changed = largest is not None and quartile > largest and quartile * threshold > score * mean
                verdict = "changed" if changed else "defect"
            threshold = threshold / _STEPS
        if options._left:
            options._learn(self, features, found, score, quartile)
        return AnomalyMap(values, self.map_transform, threshold, verdict)


def _usual(weight, total, squares, hundredths):
    """The weighted mean of whole numbers and so many hundredths of their standard deviation, rounded down."""
    return (100 * total + hundredths * _root(weight * squares - total * total)) // (100 * weight)


def _root(square):
    """The square root of a whole number, rounded down. By Newton: a camera's floats have too few bits."""
    root, closer = square, (square + 1) // 2
    while closer < root:
        root, closer = closer, (closer + square // closer) // 2
    return root
