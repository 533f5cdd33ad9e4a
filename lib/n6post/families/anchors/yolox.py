"""YOLOX: Megvii's head, ST's st_yolo_x and ST's YOLO-D (st_yolodv2); YOLOv6 of Meituan.

in      Megvii: rows [1, N, 5 + classes] or the transpose, one for each cell, with objectness and class scores after the
        sigmoid. Boxes x, y relative to the cell and logarithms of width and height, in cells, or decoded in input pixels
        (`--decode_in_inference`). YOLO-D: such rows, relative to the cell. YOLOv6: such rows, in input pixels, with an
        objectness of 1 everywhere.
        st_yolo_x: three maps [1, h, w, anchors * (5 + classes)] or [1, anchors * (5 + classes), h, w], strides 8, 16 and 32,
        with one or three anchors in each cell and logits, as YOLOv2 has them.
        int8, uint8, int16 or float32, the maps in any order and each with its own scale
out     a list of Detection, best first, in frame pixels

Megvii (yolox/models/yolo_head.py): the center is at (column + x) * stride and the width exp(w) * stride; the score is the
objectness times the best class score, as in od_pp_yolo_d.c. st_yolo_x (od_pp_st_yolox.c, postprocess.py of its model zoo):
the center is at (column + sigmoid(x)) * stride; the width is anchor * exp(w), anchors in parts of the input's width; the
score is sigmoid(objectness) * softmax(classes), with one class the objectness alone.

Proven on yolox_nano of Megvii (COCO), on ddddocr's detector of characters, and on ST's st_yolo_x_nano_480. Rows are also
compared with ST's C code for YOLO-D; no file of ST's was at hand.
"""

from ...pixels.rounding import same_product
from ...tensors.options import Options, anchor_sizes, choice
from .grids import GridDetector, GridPart
from .objectness import ObjectnessBoxes, logit_form, map_groups, map_mean, map_size

# Of ST's zoo, in parts of the input's width: yolo_anchors of the networks with one anchor in each cell, and with three.
_ANCHORS = (0.5, 0.5), (0.5, 0.5, 0.07, 0.25, 0.23, 0.7)


class YoloX(GridDetector):
    """Post-processor for YOLOX, Megvii's and ST's, and YOLOv6: `ml.Model(path, postprocess=n6post.YoloX())`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    _option = Options("threshold", GridDetector._option)
    anchors = _option("anchors", None, anchor_sizes)
    box_units = _option("box_units", None, choice, "cells", "pixels", "normalized")

    def _bind(self, model, outputs):
        binding = YoloXBoxes(self, model, outputs)
        if binding.oriented:
            options = dict([(name, getattr(self, name)) for name, _ in GridDetector._option.defaults])
            binding = __import__("n6post").YoloV8Obb(**options)._bind(model, outputs)
        return binding


class YoloXBoxes(ObjectnessBoxes):
    """Rows or maps. `oriented`: whether rows are oriented boxes, which have the same shape and as many labels."""

    oriented = False
    counts = (1, 3)
    expected_outputs = "rows [1, N, 5 + classes], or a map [1, h, w, anchors * (5 + classes)] for each of three strides"

    def form(self, options, outputs):
        return self._rows(options, outputs) if self.count == 1 else self._maps(options, outputs)

    def _rows(self, options, outputs):
        if options.anchors:
            raise ValueError("anchors: expected None for rows, got %r" % (options.anchors,))
        form, strides = self.row_form(1)
        from .. import family_check as check

        head = self.layout, self.tensor, outputs[0]
        full = check.is_yolov6(*head)
        if full:  # where each objectness is 1, the class scores have to be searched
            part = form.parts[0]
            form.parts = (GridPart(part.scores, None, part.boxes, None, part.levels),)
        self.oriented = options.box_units is None and not full and check.are_oriented(*head)
        if not self.oriented:
            check.check_classes(*head)
            self.is_final = (full or check.check_objectness(*head)) and self.is_final
        units = options.box_units or self.units_of(outputs[0])
        return self.in_cells(form, strides) if units == "cells" else self.decoded(form, units)

    def _maps(self, options, outputs):
        if options.box_units:
            raise ValueError("box_units: expected None for maps, got %r" % options.box_units)
        found = [(map_size(tensor, self.size, self.expected_outputs), tensor) for tensor in self.outputs]
        found.sort(key=lambda one: (one[0][0], one[1].index))
        size, tensor = found[0]
        channels = size[2].channels
        for level in (1, 2):
            if found[level][0][2].channels != channels or found[level][0][0] != size[0] << level:
                raise self._refused()
        anchors = options.anchors
        if anchors is None:
            anchors = _ANCHORS[self._has_three(options, outputs[tensor.index], size, tensor)]
        count = len(anchors) // 2
        if channels % count or channels <= 5 * count:
            raise self._refused(" of %d anchors" % count)
        classes = channels // count - 5
        if count == 3:
            self._check_not_yolov5(outputs[tensor.index], size, tensor)
        width = self.size[0]
        cell = [(1.0, same_product(anchors[2 * k], width), same_product(anchors[2 * k + 1], width)) for k in range(count)]
        groups = []
        for one, tensor in reversed(found):
            groups.extend(map_groups(tensor, one, self.size, cell))
        return logit_form(groups, classes)

    def _has_three(self, options, array, size, tensor):
        """Whether a cell has three anchors. The channels may show it, the labels, or this frame."""
        channels = size[2].channels
        if channels % 3 or channels < 18:
            return False
        if options.labels:
            return len(options.labels) != channels - 5
        # The objectness of a second anchor is far below 0 nearly everywhere, unlike that of a class.
        second = channels // 3 + 4
        mean = map_mean(tensor, array, size, second, second + 1)
        self.is_final = mean is not None
        return mean is not None and mean < -1.5

    def _check_not_yolov5(self, array, size, tensor):
        # The classes of YOLOv5 end with a sigmoid, so most logits are far below 0; that of a single class stays at 11. Those
        # of ST's end with a softmax: training does not change their sum, and their mean stays around 0.
        mean = map_mean(tensor, array, size, 5, size[2].channels // 3)
        if mean is not None and not -2.0 < mean < 2.0:
            raise ValueError(
                "expected maps of ST's st_yolo_x, got some like YOLOv5's, whose class logits are %.1f on average: use "
                "n6post.YoloV5(), with version='v3' or 'v4' if they are those of YOLOv3 or YOLOv4" % mean
            )

    def _refused(self, what=""):
        return ValueError(
            "expected %s%s, got %s" % (self.expected_outputs, what, " and ".join([str(tensor) for tensor in self.outputs]))
        )
