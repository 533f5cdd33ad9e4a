"""SSD (single shot multibox detector): one row of class scores and one of box offsets for each prior, an anchor box.

in      scores [1, N, 1 + classes], whose class 0 is the background, and boxes [1, N, 4], in any order and each with its
        own scale: int8, uint8, int16 or float32. Scores are logits, or probabilities if the network ends with a softmax or
        sigmoid. RetinaFace, a detector of faces, has keypoints [1, N, 10] as well. Or the outputs of ssd_outputs.py:
        scores, boxes and priors as ST's st_ssd_mobilenet_v1 puts them out, or the four outputs of TensorFlow's
        TFLite_Detection_PostProcess
out     a list of Detection, best first, in frame pixels, with keypoints if the network has them

For a prior of width w around (x, y): the center is x + .1 * tx * w, the width exp(.2 * tw) * w, y and height alike (Liu et
al., arXiv 1512.02325; ST's od_pp_ssd.c). A keypoint is x + .1 * tx * w (decode_landm in utils/box_utils.py of
biubug6/Pytorch_Retinaface). The score is the softmax of the best class.

For each frame: search the priors whose best class may reach the threshold, then continue as other detectors with anchors.
The search compares logits. For a probability t, the logit of a class is at least log(t / (1 - t)) above the background's.

Proven on TensorFlow's ssd_mobilenet_v1 (uint8, 90 classes) against TFLite_Detection_PostProcess, on Ultra-Light-Fast-
Generic-Face-Detector-1MB (float) against its own code, and on ST's ssd_mobilenet_v1_025_192 against ST's C code. Heads of
logits were compared with ST's C code on numbers made of those networks' probabilities, and ST's head of 3000 rows on random
numbers: no file with such a head was at hand. The priors of the Ultra-Light detector's other sizes and those of
torchvision's SSDLite320 were compared with their authors' code, SSDLite320 on random numbers. RetinaFace: on the three
networks of Face-Detector-1MB-with-landmark, and on Pytorch_Retinaface's code with made-up numbers, as its files are not in
the repository.
"""

from math import ceil

from ulab import numpy as np

from ...kernels import maps as map_kernels
from ...kernels.params import anchors as anchor_params
from ...kernels.params import maps as map_params
from ...pixels.rounding import same_product
from ...tensors.head_layout import HeadLayout
from ...tensors.label_sets import without_background
from ...tensors.options import Options, choice
from ...tensors.quantization import FLOAT, INT16, UINT8
from ..frame_boxes import labels_of, logit
from .grids import EXP, SIGMOID, SOFTMAX, Channels, GridBoxes, GridDecoder, GridDetector, GridForm, GridPart


def _priors(name, value):
    # A check as in options.py.
    if value is None:
        return None
    from .priors import priors

    return priors(name, value)


class Ssd(GridDetector):
    """Post-processor for SSD networks: `ml.Model(path, postprocess=n6post.Ssd())`.

    The anchors (priors) of ST's networks, of TensorFlow's SSD MobileNet 300, of torchvision's SSDLite320 and of
    Ultra-Light-Fast-Generic-Face-Detector-1MB are known. Those of other networks are an option.

    RetinaFace's faces have five keypoints: right eye, left eye, nose tip, right mouth corner, left mouth corner. "Right" is
    the person's right. The anchors of Pytorch_Retinaface and those of the versions slim and RFB of
    Face-Detector-1MB-with-landmark are known. Its version mobilenet0.25 has as many rows as Pytorch_Retinaface, but smaller
    anchors, which have to be given.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family or
    whose anchors are not known.
    """

    _option = Options("threshold", GridDetector._option)
    anchors = _option("anchors", None, _priors)
    box_order = _option("box_order", None, choice, "xywh", "yxhw")

    def _bind(self, model, outputs):
        if isinstance(outputs, (list, tuple)) and len(outputs) in (3, 4):
            from . import ssd_outputs as bind

            return (bind.priors if len(outputs) == 3 else bind.finished)(self, model, outputs)
        return SsdBoxes(self, model, outputs)


class Margins:
    """Stands for an output, whose only number for each prior is positive if its best class may reach the threshold.

    It has the attributes of OutputTensor that a search needs.
    """

    scale = 1000.0  # the sigmoid of any positive number is 1
    zero_point = 0

    def __init__(self, tensor, index, classes, threshold):
        self.tensor = tensor
        self.index = index
        self.shape = tensor.size // (1 + classes), 1 + classes
        limit = logit(threshold, SIGMOID) / tensor.scale
        self.block = None
        if classes < 255 and threshold >= 0.5:
            # Only the best of all classes, background included, has a probability of .5. (Of two equal logits without others
            # the background counts as the best.) Its kernel is ten times as fast, and allocates nothing.
            self.dtype = UINT8
            self.block = map_params.class_map(tensor.dtype, self.shape[0], 1 + classes, 1 + classes, 1, 0)
            self.map = np.frombuffer(bytearray(self.shape[0]), dtype=np.uint8)
        elif tensor.dtype == FLOAT or tensor.dtype == INT16:
            self.dtype = FLOAT
            self.shift = np.array([1.0 - max(limit, -1e6)])
        else:
            self.dtype = INT16  # bytes differ by 255 at most
            self.shift = np.array([1 - min(max(ceil(limit), -300), 300)], dtype=np.int16)

    def quantize_threshold(self, threshold):
        return 0.999 if self.dtype == FLOAT else 1

    def of(self, outputs):
        """The numbers of this frame."""
        scores = outputs[self.tensor.index]
        if self.block:
            map_kernels.class_map(scores, self.block, self.map)
            return self.map
        best, background = self._pair(scores)
        if self.tensor.dtype == INT16:  # their difference may have 17 bits
            return np.array(best, dtype=np.float) - np.array(background, dtype=np.float) + self.shift
        return best + self.shift - background

    def ranks(self, outputs):
        """The same for the kernel's class map, but larger for better scores: this takes longer."""
        best, background = self._pair(outputs[self.tensor.index])
        margin = np.array(best, dtype=np.float) - np.array(background, dtype=np.float)
        # Differences of bytes as they are, others in steps of 1/16.
        if self.tensor.dtype == FLOAT or self.tensor.dtype == INT16:
            margin = margin * (self.tensor.scale * 16.0)
        margin = np.minimum(np.maximum(margin, 1.0), 255.0)
        self.map[:] = np.array(margin * (self.map > 0), dtype=np.uint8)
        return self.map

    def _pair(self, scores):
        """The raw numbers of the best class and of the background."""
        scores = scores.reshape(self.shape)
        best = scores[:, 1]
        if self.shape[1] > 2:
            best = np.max(scores[:, 1:], axis=1)  # camera: long-axis: grids.py takes 32767 classes at most
        return best, scores[:, 0]


class MarginDecoder(GridDecoder):
    """Finds boxes by the margins of their scores."""

    def __init__(self, form, labels, options, margins):
        super().__init__(form, labels, options, False)
        self.margins = margins

    def find(self, outputs):
        margins = self.margins
        block = self.parts[0][3]
        block[anchor_params.SCORE_COUNT] = 0
        found = super().find(list(outputs) + [margins.of(outputs)])
        if margins.block and block[anchor_params.SCORE_COUNT] == self.capacity:
            # A crowd: the search by class numbers has lost priors of the lowest classes.
            found = super().find(list(outputs) + [margins.ranks(outputs)])
        return found


class SsdBoxes(GridBoxes):
    """Scores [1, N, 1 + classes] and boxes [1, N, 4]; of RetinaFace, keypoints [1, N, 10], too.

    margins     the Margins of scores that are logits, or None
    """

    expected_outputs = "scores [1, N, 1 + classes] and boxes [1, N, 4], of RetinaFace also keypoints [1, N, 10]"
    counts = (2, 3)
    margins = None

    def form(self, options, outputs):
        scores, boxes, keypoints = self._told_apart(outputs)
        if are_corners(outputs[boxes.index]):
            raise ValueError(
                "expected offsets from priors, got corners of boxes, x1 < x2 and y1 < y2 everywhere, in %s: leave out the "
                "operators that decode them" % boxes
            )
        anchors = boxes.size // 4
        classes = scores.size // anchors - 1
        levels, order = self._levels(options, anchors, keypoints)
        points = keypoints and Channels(keypoints, HeadLayout(10, anchors, False), 0)
        table = Channels(scores, HeadLayout(1 + classes, anchors, False), 1)
        search, factors = table, None
        logits, self.is_final = are_logits(scores, outputs[scores.index], self.is_final)
        if logits:
            self.margins = Margins(scores, len(outputs), classes, options.threshold)
            search, factors = Channels(self.margins, HeadLayout(1, anchors, False), 0), table
        box_channels = Channels(boxes, HeadLayout(4, anchors, False), 0)
        form = GridForm((GridPart(search, factors, box_channels, points, levels),), classes)
        form.points = 5 if points else 0
        if logits:
            form.search = SIGMOID
            form.scores = SOFTMAX
            form.background = 1
        form.sizes = EXP
        form.size_scale = 0.2
        form.swapped = order == "yxhw"
        return form

    def label_names(self, options, model, classes):
        labels = without_background(labels_of(options, model), classes, options.labels is not None)
        return labels or (["face"] if self.count == 3 else None)

    def decoder_of(self, form, options):
        if not self.margins:
            return super().decoder_of(form, options)
        return MarginDecoder(form, self.labels, options, self.margins)

    def _told_apart(self, outputs):
        """The outputs with the scores, with the boxes, and with the keypoints or None."""
        left = list(self.outputs)
        keypoints = None
        for tensor in self.outputs:
            if self.count == 3 and rows_of(tensor)[1] == 10:
                keypoints = tensor
                left.remove(tensor)
        one, other = left
        found = [pair for pair in ((one, other), (other, one)) if _fit(*pair)]
        if len(found) == 2:
            # Three classes give both outputs four columns. Nearly everywhere the background is the best of them.
            parts = [_background_part(tensor, outputs[tensor.index]) for tensor in self.outputs]
            self.is_final = parts[0] != parts[1]
            found = found[parts[1] > parts[0] :]
        if not found or keypoints and rows_of(keypoints)[0] != rows_of(one)[0]:
            raise refused(self)
        return found[0] + (keypoints,)

    def _levels(self, options, anchors, keypoints):
        """The levels of a GridPart, and the order of the boxes' numbers."""
        maps, order = options.anchors, options.box_order
        if maps is None:
            from .priors import known, known_faces

            found = (known_faces if keypoints else known)(anchors, self.size)
            if found is None:
                raise ValueError(
                    "expected a known SSD network, got a head of %d rows and an input of (width, height) %s: give the "
                    "option anchors" % (anchors, self.size)
                )
            maps = found[0]
            order = order or found[1]
        levels = []
        if keypoints and order == "yxhw":
            raise ValueError("box_order: expected None or 'xywh' for a network with keypoints, got 'yxhw'")
        first = 0
        for columns, rows, sizes, stride in maps:
            cell = []
            for at in range(0, len(sizes), 2):
                width, height = sizes[at : at + 2]
                cell.append((same_product(0.1, width), same_product(0.1, height), width, height))
            strides = (stride, stride) if stride else (self.size[0] / columns, self.size[1] / rows)
            levels.append((first, columns) + strides + (tuple(cell),))
            first += columns * rows * len(cell)
        if first != anchors:
            raise ValueError("anchors: expected %d, one for each row of the head, got %d" % (anchors, first))
        return tuple(levels), order


def refused(binding):
    """The ValueError for outputs of another family."""
    shapes = " and ".join([str(tensor) for tensor in binding.outputs])
    return ValueError("expected %s, got %s" % (binding.expected_outputs, shapes))


def rows_of(tensor):
    """(rows, columns) of an output [1, rows, columns] or [1, rows, 1, columns]; (0, 0) for any other."""
    shape = tensor.shape
    if len(shape) in (3, 4) and shape[0] == 1 and (len(shape) == 3 or shape[2] == 1):
        return shape[1], shape[-1]
    return 0, 0


def _fit(scores, boxes):
    rows, columns = rows_of(boxes)
    return rows > 0 and columns == 4 and rows_of(scores)[0] == rows and rows_of(scores)[1] > 1


def _background_part(tensor, array):
    """In which part of the rows the first number is the largest."""
    best = np.argmax(array.reshape(rows_of(tensor)), axis=1)  # camera: argmax-axis: of four columns
    return float(np.mean(best == 0))


def are_corners(array):
    """Whether these are corners x1, y1, x2, y2 of boxes."""
    grid = array.reshape((array.size // 4, 4))
    return bool(np.all(grid[:, 2] > grid[:, 0]) and np.all(grid[:, 3] > grid[:, 1]))


def are_logits(tensor, array, certain=True):
    """(logits?, certain?) of scores: whether a softmax or sigmoid has to follow. Not certain if all numbers are equal."""
    if tensor.dtype != FLOAT and (tensor.least() < -0.1 or tensor.largest() > 1.5):
        return True, certain
    if tensor.dtype != FLOAT:
        return False, certain
    least, most = float(np.min(array)), float(np.max(array))
    return least < -0.001 or most > 1.001, certain and least < most
