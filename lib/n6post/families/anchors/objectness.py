"""YOLO heads with an objectness: what yolov2.py, yolov5.py and yolox.py have in common.

An anchor has the numbers x, y, width, height, objectness and one score per class. The anchors are in

rows    one output [1, anchors, 5 + classes] or its transpose, with the anchors of all strides
maps    [1, h, w, anchors of a cell * (5 + classes)] for each stride, or [1, anchors of a cell * (5 + classes), h, w]
"""

from ulab import numpy as np

from ...tensors.head_layout import HeadLayout, map_layout, row_layouts
from .grids import EXP, SIGMOID, SOFTMAX, Channels, GridBoxes, GridForm, GridPart

# The strides that a head may have: n and s to x, with P2, with P6, and tiny ones.
_STRIDES = (8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32)
_SCORES = 5  # channel of the first class
_MOST_CHANNELS = 4096


class ObjectnessBoxes(GridBoxes):
    """A head with an objectness.

    tensor, layout      of rows: the OutputTensor and its HeadLayout
    """

    def row_form(self, per_cell):
        """(GridForm, strides) of rows with this many anchors in each cell. The form has no level yet.

        ValueError for a shape of something else.
        """
        self.tensor = tensor = self.outputs[0]
        width, height = self.size
        counts = []
        for strides in _STRIDES:
            anchors = per_cell * sum([(width // stride) * (height // stride) for stride in strides])
            counts.append(anchors)
            for layout in row_layouts(tensor.shape):
                if layout.anchors == anchors and layout.channels > _SCORES:
                    self.layout = layout
                    return objectness_form([(tensor, layout, 0, ())], layout.channels - _SCORES, True), strides
        raise ValueError(
            "expected %s of N = %s anchors, that belongs to an input of (width, height) %s, got %s"
            % (self.expected_outputs, " or ".join([str(n) for n in counts]), self.size, tensor)
        )

    def some_centers(self, array):
        """The centers of about a thousand rows, spread over all strides. NaN and nonsense count as 0."""
        layout = self.layout
        grid = layout.grid(array)
        step = 1 + layout.anchors // 1024
        raw = grid[:2, ::step] if layout.channels_first else grid[::step, :2]
        raw = (np.array(raw, dtype=np.float) - float(self.tensor.zero_point)) * self.tensor.scale
        return np.where(raw * raw < 1e12, raw, 0.0)

    def units_of(self, array):
        """The unit of the boxes of rows: "cells", "pixels" or "normalized".

        is_final becomes False if the numbers of this frame do not show it.
        """
        centers = self.some_centers(array)
        if np.mean(centers) > 2.0:
            return "pixels"
        # Normalized centers hardly ever leave 0..1. Centers relative to cells do in every frame (7 to 29 % of those of real
        # networks are below 0), because the cells around an object's center predict it, too.
        low, high = np.min(centers), np.max(centers)
        self.is_final = self.is_final and bool(low < high)
        return "normalized" if -0.2 < low < high < 1.2 else "cells"

    def decoded(self, form, units):
        """The GridForm of rows whose boxes are decoded already, in "pixels" or "normalized"."""
        unit = (1.0, 1.0) if units == "pixels" else self.size
        # With a stride of 0, the cells have no part in the centers.
        form.parts = (_with_levels(form.parts[0], ((0, self.layout.anchors, 0.0, 0.0, (tuple(unit) * 2,)),)),)
        return form

    def in_cells(self, form, strides):
        """The GridForm of rows whose centers are relative to their cells, with logarithms of the sizes, both in cells."""
        levels = []
        first = 0
        width, height = self.size
        for stride in strides:
            columns = width // stride
            levels.append((first, columns, float(stride), float(stride), ((float(stride),) * 4,)))
            first += columns * (height // stride)
        form.parts = (_with_levels(form.parts[0], tuple(levels)),)
        form.sizes = EXP
        form.offset = 0.0
        return form


def objectness_form(groups, classes, product, first_class=_SCORES, points=0):
    """The GridForm of groups of anchors (OutputTensor, HeadLayout, first channel, levels).

    product     whether the objectness is multiplied by the class score. If not, it is the score
    first_class the channel of an anchor with its first class score
    points      number of keypoints, whose numbers are behind the objectness
    """
    parts = []
    for tensor, layout, first, levels in groups:
        objectness = Channels(tensor, layout, first + 4)
        scores = Channels(tensor, layout, first + first_class) if product else None
        keypoints = Channels(tensor, layout, first + _SCORES) if points else None
        parts.append(GridPart(objectness, scores, Channels(tensor, layout, first), keypoints, levels))
    form = GridForm(tuple(parts), max(classes, 1))
    form.points = points
    return form


def logit_form(groups, classes):
    """The GridForm of maps whose numbers are logits, as YOLOv2 has them: groups as for objectness_form."""
    # With one class, the softmax is 1.
    form = objectness_form(groups, classes, classes > 1)
    form.search = form.centers = SIGMOID
    form.scores = SOFTMAX
    form.sizes = EXP
    form.offset = 0.0
    return form


def _with_levels(part, levels):
    return GridPart(part.search, part.scores, part.boxes, part.points, levels)


def map_size(tensor, size, expected):
    """(width, height, HeadLayout) of a map; ValueError if the output is not one."""
    shape = tensor.shape
    if len(shape) == 4 and shape[0] == 1 and min(shape) > 0:
        _, a, b, c = shape
        # First those whose cells are squares of whole pixels. If both orders have them, as in [1, 30, 30, 30] of a 480 x 480
        # input, the channels come last, as in networks that are made for cameras.
        for width, height, layout in ((b, a, HeadLayout(c, a * b, False)), (c, b, HeadLayout(a, b * c, True))):
            stride = size[0] // width
            if stride > 1 and (width * stride, height * stride) == size:
                return width, height, layout
    return map_layout(shape, size, _MOST_CHANNELS, None, expected)


def map_groups(tensor, found, size, anchors):
    """The groups of anchors of one map, as `objectness_form` takes them.

    found       (width, height, HeadLayout) of the map
    anchors     of one cell: a list of (gain, width, height). A gain is in strides, the others in input pixels
    """
    width, height, layout = found
    stride_x, stride_y = size[0] / width, size[1] / height
    cell = [(gain * stride_x, gain * stride_y, w, h) for gain, w, h in anchors]
    step = layout.channels // len(cell)
    if not layout.channels_first:
        layout = HeadLayout(step, width * height * len(cell), False)
        return [(tensor, layout, 0, ((0, width, stride_x, stride_y, tuple(cell)),))]
    # The numbers of one anchor of a cell are channels of the map, so each of these anchors is a part of its own.
    return [(tensor, layout, k * step, ((0, width, stride_x, stride_y, (one,)),)) for k, one in enumerate(cell)]


def map_mean(tensor, array, found, first, last):
    """The mean of the channels from `first` up to `last` of a map; None if all of these numbers are the same, or NaN."""
    raw = (np.array(found[2].columns(array, first, last), dtype=np.float) - float(tensor.zero_point)) * tensor.scale
    return float(np.mean(raw)) if np.min(raw) < np.max(raw) else None
