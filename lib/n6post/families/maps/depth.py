"""Depth: a map of distances from one picture.

in      [1, H, W, 1], [1, 1, H, W] or [1, H, W]: a distance for every pixel; int8, uint8, int16 or float32
out     a `DepthMap`

FastDepth (Wofk et al., ICRA 2019, arXiv 1903.03273) as in ST's model zoo gives meters: uint8 [1, 224, 224, 1], scale .0717.
YOLO26-depth gives meters too; MiDaS gives numbers that are larger for what is nearer, in no unit.
"""

from ulab import numpy as np

from ...results.depth_map import DepthMap
from ...results.segmentation import MapTransform
from ...tensors.head_layout import map_layout
from ...tensors.options import Options, choice
from ...tensors.shapes import same_aspect_ratio
from ..processor import ModelBinding, Processor

_EXPECTED = "one output [1, H, W, 1], [1, 1, H, W] or [1, H, W]"


class Depth(Processor):
    """Post-processor for monocular depth: `ml.Model(path, postprocess=n6post.Depth())`.

    A call returns one of two DepthMaps that take turns, each with memory of its own. A result stays valid during the next
    call; the call after that overwrites it (`copy()` keeps it).

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("layout")
    layout = _option("layout", None, choice, "NHWC", "NCHW")

    _kept = None  # (size and dtype, its two results) of the binding that an option change has ended

    def _bind(self, model, outputs):
        return DepthBinding(self, model, outputs)

    def _start_over(self):
        # The next binding reuses the maps: a heap in use may have no space for two new ones.
        binding = self._binding
        if binding is not None and binding.spare is not None:
            self._kept = binding.form, binding.recent, binding.spare
        super()._start_over()


class DepthBinding(ModelBinding):
    """A map of distances, and the two results that take turns."""

    expected_outputs = _EXPECTED

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        shape = out.shape
        if len(shape) == 3 and shape[0] == 1 and min(shape) > 0:
            height, width = shape[1:]
            channels = 1
            if options.layout is None and not same_aspect_ratio(width, height, self.size):
                raise ValueError("expected %s of the aspect ratio of the input, %s, got %s" % (_EXPECTED, self.size, shape))
        else:
            width, height, (channels, _, _) = map_layout(shape, self.size, 255, options.layout, _EXPECTED)
        if channels != 1:
            raise ValueError("expected %s, got %d channels in %s" % (_EXPECTED, channels, shape))
        if max(width, height) > 65535:  # more than 65535 along an axis: ulab's reductions never return
            raise ValueError("expected a map of at most 65535 pixels a side, got %s" % (shape,))
        self.map_size = width, height
        self.form = width, height, out.dtype
        self.recent = self.spare = None
        kept = options._kept
        options._kept = None  # two bindings must not write into one map
        if kept and kept[0] == self.form:
            _, self.recent, self.spare = kept

    def set_transform(self, transform):
        self.map_transform = MapTransform(None, transform, self.size, self.map_size)
        if self.spare is None:
            # Last, because the search for free memory for later allocations would pass over the maps. Both or none: if the
            # second one fails, the first one is freed for the next attempt.
            recent = self._new_map()
            self.spare = self._new_map()
            self.recent = recent

    def _new_map(self):
        width, height = self.map_size
        out = self.outputs[0]
        return DepthMap(np.zeros((height, width), dtype=out.dtype), self.map_transform, out.scale, out.zero_point)

    def result(self, outputs):
        result = self.spare
        out = self.outputs[0]
        result._reset(self.map_transform, out.scale, out.zero_point)
        result.raw.tobytes()[:] = outputs[0].tobytes()  # ulab's tobytes shares the arrays' memory
        self.spare, self.recent = self.recent, result
        return result
