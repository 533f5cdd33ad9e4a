"""FOMO (Edge Impulse): a coarse map of class probabilities becomes one detection per object.

in      probabilities [1, h, w, 1 + classes] or [1, 1 + classes, h, w], channel 0 is the background; mostly one cell for each
        8 x 8 pixels of the input; int8, uint8, int16 or float32
out     a list of Detection, best first: the box around the cells of an object, and one keypoint, its center

FOMO ("Faster Objects, More Objects", docs.edgeimpulse.com) does not learn boxes: a cell says which object has its center
there. So the box is as large as the cells, not as the object.

A cell has the most probable class besides the background, if its probability reaches the threshold. Cells of a class that
touch, corners included, are one object. Its score is that of its best cell. Its keypoint is the mean of the cells' centers,
weighted by their probabilities; it has no score of its own.

Edge Impulse's SDK (ei_postprocessing_common.h) merges boxes of cells instead of cells, in the order of the rows, and does
not grow a box to the left or upwards. OpenMV's `Fomo` (ml/postprocessing/edgeimpulse.py) suppresses the
neighbors of the best cell and calls every cell that is left an object.
"""

from array import array
from math import log
from struct import unpack_from

from micropython import const
from ulab import numpy as np

from ...kernels import boxes as box_kernels
from ...kernels import cells as cell_kernels
from ...kernels.params import boxes as params
from ...pixels.rounding import NUDGE, same_floats
from ...results.detection import Detection, set_attribute
from ...tensors.head_layout import map_layout
from ...tensors.label_sets import without_background
from ...tensors.options import Options, choice, class_filter, name_list, number
from ...tensors.quantization import FLOAT, INT16
from ..processor import ModelBinding, Processor

_EXPECTED = "probabilities [1, h, w, 1 + classes] or [1, 1 + classes, h, w]"
_MOST_CELLS = const(1024)  # above the threshold in one frame: the best of them make the objects
_MOST_SIDE = const(511)  # cells: the sums of their positions, with weights, have 32 bits
_LARGEST = 4.0  # no probability, however it is quantized. Logits of real networks reach further

# Words of viper/cells.py: the number of candidates, and the length of an object's row.
_COUNT = const(0)
_OBJECT = const(9)


class Fomo(Processor):
    """Post-processor for Edge Impulse's FOMO: `ml.Model(path, postprocess=n6post.Fomo())`.

    It returns a list of Detection, one for each object, best first. The box surrounds the cells of the object, which FOMO
    finds by its center: it says where the object is, not how large. The only keypoint is the object's center, the mean of
    its cells weighted by their probabilities: `d.keypoint(0)`. `class_id` counts the classes without the background.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    max_detections = _option("max_detections", 20, number, 1, 65535)
    classes = _option("classes", None, class_filter)
    labels = _option("labels", None, name_list)
    layout = _option("layout", None, choice, "NHWC", "NCHW")

    def _bind(self, model, outputs):
        return FomoBinding(self, model, outputs)


class FomoBinding(ModelBinding):
    """A map of probabilities, and where its cells are in the frame."""

    expected_outputs = _EXPECTED

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        out = self.outputs[0]
        width, height, layout = map_layout(out.shape, self.size, 255, options.layout, _EXPECTED, "channels")
        channels, cells, _ = layout
        if channels < 2:
            raise ValueError("expected %s, at least one class, got %s" % (_EXPECTED, out.shape))
        if max(width, height) > _MOST_SIDE or cells > 65535:
            raise ValueError("expected a map of at most 511 cells a side, and 65535 in all, got %s" % (out.shape,))
        self._check_range(outputs[0])
        self.limit_score(model, out)
        self.width, self.height = width, height
        self.names = _names(options, model, channels - 1)
        allowed = options.classes or ()
        if allowed:
            from ...tensors.labels import classes

            allowed = classes("classes", allowed, channels - 1, lambda i: self.names[i])
        capacity = min(cells, _MOST_CELLS)
        self.block = params.candidates(
            dtype=out.dtype,
            anchors=cells,
            channels=channels,
            channel_step=layout.channel_step,
            anchor_step=layout.anchor_step,
            first_class=1,
            classes=channels - 1,
            zero_point=out.zero_point,
            cut=out.quantize_threshold(options.threshold),
            capacity=capacity,
            allowed=allowed,
        )
        self.capacity = capacity
        self.memory = bytearray(4 * 5 * capacity), bytearray(2 * 3 * capacity)
        self.buffers = (
            np.frombuffer(self.memory[0], dtype=np.float).reshape((5, capacity)),
            np.frombuffer(self.memory[1], dtype=np.uint16).reshape((3, capacity)),
        )
        most = min(options.max_detections, capacity)
        # A cell's weight is 4096 times its probability, and of bytes its raw number.
        power = 12 if out.dtype == FLOAT else 12 - int(0.5 - log(out.scale) / log(2)) if out.dtype == INT16 else 0
        self.params = array("i", (0, width, capacity, most, power))
        self.grid = self._new_grid()
        self.queue = array("i", bytes(4 * capacity))
        self.objects = array("i", bytes(4 * _OBJECT * most))
        # The score of each raw number, of bytes; of 16 bits their scale. In arrays: a product of float objects is not the
        # same on a camera.
        self.scores = self.scale = None
        if out.dtype == INT16:
            self.scale = same_floats(out.scale)
        elif out.dtype != FLOAT:
            self.scores = (np.array(range(256), dtype=np.float) * same_floats(out.scale)).tolist()

    def _new_grid(self):
        return array("i", bytes(4 * (self.width + 2) * (self.height + 2)))  # with a border

    def _check_range(self, array):
        """ValueError for logits."""
        # Bytes are quantized for what the network can give. Other numbers show themselves.
        out = self.outputs[0]
        if out.dtype == FLOAT or out.dtype == INT16:
            least = (float(np.min(array)) - out.zero_point) * out.scale
            largest = (float(np.max(array)) - out.zero_point) * out.scale
        else:
            least, largest = out.least(), out.largest()
        if least < -_LARGEST or largest > _LARGEST:
            raise ValueError("expected %s from 0 to 1, got numbers from %g to %g" % (_EXPECTED, least, largest))

    def set_transform(self, transform):
        x, y, width, height = transform.roi
        scale = same_floats(transform.sx, transform.sy) * np.array(self.size) / np.array([self.width, self.height])
        offset = same_floats(transform.ox, transform.oy) - np.array([x, y])
        # The frame pixels where columns and rows begin, and where the last one ends.
        self.columns = _edges(self.width, scale[:1], offset[:1], width, x)
        self.rows = _edges(self.height, scale[1:], offset[1:], height, y)
        # Centers are computed in integers, 256 of a pixel: (gain, offset, least, largest) of x and y.
        gains = np.floor(scale * 256.0 + 0.5).tolist()
        offsets = np.floor(offset * 256.0 + 0.5).tolist()
        self.across = int(gains[0]), int(offsets[0]) + 256 * x, 256 * x, 256 * (x + width)
        self.down = int(gains[1]), int(offsets[1]) + 256 * y, 256 * y, 256 * (y + height)
        _, threshold = Detection._source
        self.source = transform.frame_size, threshold

    def result(self, outputs):
        values, indices = self.buffers
        count = box_kernels.candidates(outputs[0], self.block, values, indices)
        if not count:
            return []
        memory, classes = self.memory
        params = self.params
        params[_COUNT] = count
        # None while it is in use: a frame that is interrupted leaves cells behind.
        grid = self.grid or self._new_grid()
        self.grid = None
        objects = self.objects
        found = cell_kernels.group_cells(memory, classes, params, grid, self.queue, objects)
        self.grid = grid
        columns, rows = self.columns, self.rows
        gain_x, offset_x, low_x, high_x = self.across
        gain_y, offset_y, low_y, high_y = self.down
        detections = []
        scores, names, source = self.scores, self.names, self.source
        for at in range(0, _OBJECT * found, _OBJECT):
            x, y = columns[objects[at]], rows[objects[at + 1]]
            w, h = columns[objects[at + 2] + 1] - x, rows[objects[at + 3] + 1] - y
            if not (w and h):
                continue
            class_id = objects[at + 4]
            if scores:
                score = scores[objects[at + 6]]
            else:
                (score,) = unpack_from("f", memory, 4 * (4 * self.capacity + objects[at + 5]))
                if self.scale is not None:
                    score = (np.array([score]) * self.scale)[0]
            if not detections:
                self.guard(score)
            center_x = min(max((objects[at + 7] * gain_x >> 8) + offset_x, low_x), high_x) / 256
            center_y = min(max((objects[at + 8] * gain_y >> 8) + offset_y, low_y), high_y) / 256
            keypoints = np.array([[center_x, center_y, 1.0]])
            made = Detection((x, y, w, h), score, class_id, names[class_id], None, keypoints)
            set_attribute(made, "_source", source)
            detections.append(made)
        return detections


def _names(options, model, classes):
    """The labels of the classes. Edge Impulse's labels.txt may name the background, too."""
    names = options.labels
    if names is None:
        names = name_list("labels", getattr(model, "labels", None) or None)
    names = without_background(names, classes, options.labels is not None)
    return names if names and len(names) == classes else [str(i) for i in range(classes)]


def _edges(cells, scale, offset, length, start):
    """The frame pixels between `cells` cells, a list of cells + 1 ints, clipped to start..start + length."""
    edges = np.array(range(cells + 1), dtype=np.float) * scale + (offset + NUDGE)
    edges = np.floor(np.minimum(np.maximum(edges, 0.0), float(length)) + 0.5)
    return [start + int(edge) for edge in edges]
