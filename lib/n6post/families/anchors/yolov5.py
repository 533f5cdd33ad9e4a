"""YOLOv5 of ultralytics/yolov5, and other networks with its head (YOLOv7). YOLOv5u has the head of YOLOv8. With the option
`version`, the maps of YOLOv3 and YOLOv4 (darknet).

in      rows [1, N, 5 + classes] or the transpose, three for each cell, with decoded boxes cx, cy, w, h in 0..1 or in input
        pixels, objectness and class scores after the sigmoid: what `export.py` makes. Or the three maps below that,
        [1, h, w, 3 * (5 + classes)] or [1, 3 * (5 + classes), h, w], strides 8, 16 and 32, with logits. int8, uint8, int16
        or float32, the maps in any order and each with its own scale. Or rows [1, N, 16] of YOLOv5-face: box, objectness, x
        and y of five landmarks, class score.
        YOLOv3 and YOLOv4 have such maps, too; their tiny networks two of them, strides 16 and 32
out     a list of Detection, best first, in frame pixels, with keypoints if it is YOLOv5-face

The score is the objectness times the best class score. In a map, a box has its center at column - .5 + 2 * sigmoid(x)
cells and is 4 * sigmoid(width)^2 anchors wide (models/yolo.py of ultralytics/yolov5, class Detect). In YOLOv3 and YOLOv4
the center is at column + .5 + s * (sigmoid(x) - .5) cells, s being scale_x_y of the .cfg, and the box exp(width) anchors
wide (src/yolo_layer.c of darknet).

OpenMV's YoloV5 takes the objectness alone as the score, ST's od_pp_yolov5.c the class score alone: both find more than
Ultralytics does with the same threshold.

Landmarks are in the unit of the boxes (models/yolo.py of deepcam-cn/yolov5-face, class Detect). Such rows may be those of
eleven classes, too: the numbers decide.

Proven on yolov5n of Ultralytics in uint8, on its rows and its maps; YOLOv3 and YOLOv4 on random weights in OpenCV.
YOLOv5-face: with its authors' code on random numbers, as no trained file is in their repository.
"""

from ulab import numpy as np

from ...tensors.options import Options, anchor_sizes, choice
from ...tensors.quantization import FLOAT
from .grids import EXP, SIGMOID, SQUARED_SIGMOID, GridDetector
from .objectness import ObjectnessBoxes, map_groups, map_mean, map_size, objectness_form

# In input pixels, three for each of the strides 8, 16 and 32: models/yolov5n.yaml.
_ANCHORS = 10, 13, 16, 30, 33, 23, 30, 61, 62, 45, 59, 119, 116, 90, 156, 198, 373, 326
_COARSE = 81, 82, 135, 169, 344, 319  # of the tiny networks' stride of 32
# By version: anchors of three strides, those of the tiny networks' two, and scale_x_y of each stride: darknet's .cfg files.
_DARKNET = {
    "v3": (_ANCHORS, (10, 14, 23, 27, 37, 58) + _COARSE, (1.0, 1.0, 1.0)),
    "v4": (
        (12, 16, 19, 36, 40, 28, 36, 75, 76, 55, 72, 146, 142, 110, 192, 243, 459, 401),
        (23, 27, 37, 58, 81, 82) + _COARSE,
        (1.2, 1.1, 1.05),
    ),
}


class YoloV5(GridDetector):
    """Post-processor for YOLOv5 detection: `ml.Model(path, postprocess=n6post.YoloV5())`.

    It also reads YOLOv5-face, whose faces have five keypoints: right eye, left eye, nose tip, right mouth corner, left mouth
    corner. "Right" is the person's right.

    With `version="v3"` or `"v4"` it reads the maps of YOLOv3 and YOLOv4, and of their tiny networks.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold", GridDetector._option)
    anchors = _option("anchors", None, anchor_sizes)
    box_units = _option("box_units", None, choice, "pixels", "normalized")
    version = _option("version", None, choice, "v3", "v4")

    def _bind(self, model, outputs):
        return YoloV5Boxes(self, model, outputs)


class YoloV5Boxes(ObjectnessBoxes):
    counts = (1, 2, 3)
    faces = False
    expected_outputs = "rows [1, N, 5 + classes], or a map [1, h, w, 3 * (5 + classes)] for each of three strides"

    def form(self, options, outputs):
        return self._rows(options, outputs) if self.count == 1 else self._maps(options, outputs)

    def _rows(self, options, outputs):
        if options.anchors:
            raise ValueError("anchors: expected None for rows, whose boxes are decoded, got %r" % (options.anchors,))
        if options.version:
            raise ValueError("version: expected None for rows, whose boxes are decoded, got %r" % options.version)
        form, _ = self.row_form(3)
        from ..family_check import check_classes, shows_landmarks

        layout, tensor = self.layout, self.tensor
        landmarks = shows_landmarks(layout, tensor, outputs[0]) if layout.channels == 16 else False
        names = len(options.labels or ())
        self.faces = landmarks if landmarks is not None else names == 1
        if self.faces:
            form = objectness_form([(tensor, layout, 0, ())], 1, True, 15, 5)
        elif layout.channels == 16 and names == 1:
            raise ValueError(
                "expected x and y of five landmarks behind the objectness, as of YOLOv5-face, or eleven labels, got other "
                "numbers in %s and one label" % tensor
            )
        else:
            check_classes(layout, tensor, outputs[0])
        units = options.box_units
        if units is None and (self.tensor.dtype == FLOAT or self.tensor.largest() > 8.0):
            # On average, centers are in the middle of the input.
            center = np.mean(self.some_centers(outputs[0]))
            self.is_final = bool(center > 0.0)
            units = "pixels" if center > 2.0 else None
        self.is_final = self.is_final and landmarks is not None
        return self.decoded(form, units)

    def label_names(self, options, model, classes):
        labels = super().label_names(options, model, classes)
        if not self.faces:
            return labels
        from ...tensors.label_sets import checked_names

        return checked_names(labels, 1) if labels else ["face"]

    def _maps(self, options, outputs):
        if options.box_units:
            raise ValueError("box_units: expected None for maps, got %r" % options.box_units)
        version, strides = options.version, self.count
        if strides == 2 and not version:
            raise ValueError(
                "version: expected 'v3' or 'v4' for two maps: a tiny YOLOv3 and YOLOv4 have the same outputs, but not the"
                " same anchors"
            )
        known, tiny, gains = _DARKNET[version or "v3"]
        anchors = options.anchors or (tiny if strides == 2 else known)
        if len(anchors) % (2 * strides):
            many = "two" if strides == 2 else "three"
            raise ValueError("anchors: expected as many for each of %s strides, got %d" % (many, len(anchors) // 2))
        count = len(anchors) // (2 * strides)
        found = [(map_size(tensor, self.size, self.expected_outputs), tensor) for tensor in self.outputs]
        found.sort(key=lambda one: (-one[0][0], one[1].index))
        groups = []
        width, _, (channels, _, _) = found[0][0]
        for level, (one, tensor) in enumerate(found):
            fits = one[0] << level == width and (strides == 3 or self.size[0] == 16 * width)
            if one[2].channels != channels or channels % count or channels <= 5 * count or not fits:
                raise ValueError(
                    "expected %s with %d anchors in each cell, got %s"
                    % (self.expected_outputs, count, " and ".join([str(tensor) for tensor in self.outputs]))
                )
            sizes = anchors[2 * count * level : 2 * count * (level + 1)]
            gain, times = (gains[2] if strides == 2 else gains[level], 1.0) if version else (2.0, 4.0)
            cell = [(gain, times * sizes[2 * k], times * sizes[2 * k + 1]) for k in range(count)]
            groups.extend(map_groups(tensor, one, self.size, cell))
        classes = channels // count - 5
        if classes == 1 and not version:
            # The logit of a single class is not trained: it stays at log(.6 / (1 - .99999)) = 11 (in YOLOv7 at 4), and that
            # of ST's st_yolo_x, whose maps have the same shapes, around 0.
            one, tensor = found[-1]
            mean = map_mean(tensor, outputs[tensor.index], one, 5, 6)
            if mean is not None and mean < 2.0:
                raise ValueError(
                    "expected maps of YOLOv5, got some like those of ST's st_yolo_x (class logits of %.1f on average): use "
                    "n6post.YoloX(), or version='v3' or 'v4' if it is a YOLOv3 or YOLOv4" % mean
                )
        form = objectness_form(groups, classes, True)
        form.search = form.scores = form.centers = SIGMOID
        form.sizes = EXP if version else SQUARED_SIGMOID
        form.offset = None
        return form
