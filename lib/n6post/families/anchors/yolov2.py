"""YOLOv2, tiny YOLOv2 and ST's yolo_lc: one map with five anchors in each cell.

in      [1, h, w, anchors * (5 + classes)] or [1, anchors * (5 + classes), h, w]: int8, uint8, int16 or float32; x, y,
        logarithms of width and height, logit of the objectness, and a logit per class
out     a list of Detection, best first, in frame pixels

The center of a box is at ((column + sigmoid(x)) / w, (row + sigmoid(y)) / h) of the input. Its width is anchor * exp(width)
/ w of the input's, so anchors are in cells. The score is sigmoid(objectness) * softmax(classes). With one class, or none,
the softmax is 1. OpenMV (ml/postprocessing/darknet.py) and ST (od_pp_yolov2.c) do the same.

Proven on yolo_lc_192 of the camera's ROM and on the tiny YOLOv2 of face-api.js.
"""

from ...pixels.rounding import same_product
from ...tensors.options import Options, anchor_sizes
from .grids import GridDetector
from .objectness import ObjectnessBoxes, logit_form, map_groups, map_size

# Of ST's network for persons (NUCLEO-N657X0-Q) and of OpenMV's YoloV2.
_ANCHORS = 0.9883, 3.3606, 2.1194, 5.3759, 3.052, 9.1336, 5.5517, 9.3066, 9.726, 11.1422
# The default of ST's zoo: the same, divided by the 13 cells of 416 pixels. ST has trained yolo_lc with them as cells.
_SMALL_ANCHORS = 0.076023, 0.258508, 0.163031, 0.413531, 0.234769, 0.702585, 0.427054, 0.715892, 0.748154, 0.857092


class YoloV2(GridDetector):
    """Post-processor for YOLOv2, tiny YOLOv2 and ST's yolo_lc: `ml.Model(path, postprocess=n6post.YoloV2())`.

    Boxes are wrong without the anchors that the network was trained with. By default these are ST's: those of yolo_lc for a
    map with a cell for each 16 pixels of the input, and those of tiny YOLOv2 for each 32.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    _option = Options("threshold", GridDetector._option)
    anchors = _option("anchors", None, anchor_sizes)

    def _bind(self, model, outputs):
        return YoloV2Boxes(self, model, outputs)


class YoloV2Boxes(ObjectnessBoxes):
    expected_outputs = "a map [1, h, w, anchors * (5 + classes)]"

    def form(self, options, outputs):
        tensor = self.outputs[0]
        found = map_size(tensor, self.size, self.expected_outputs)
        width, height, (channels, _, _) = found
        stride_x, stride_y = self.size[0] / width, self.size[1] / height
        anchors = options.anchors or (_SMALL_ANCHORS if stride_x < 24 else _ANCHORS)
        count = len(anchors) // 2
        if channels % count or channels < 5 * count:
            raise ValueError(
                "expected %s of %d anchors, got %d channels in %s" % (self.expected_outputs, count, channels, tensor)
            )
        cell = [
            (1.0, same_product(anchors[2 * k], stride_x), same_product(anchors[2 * k + 1], stride_y)) for k in range(count)
        ]
        classes = channels // count - 5
        return logit_form(map_groups(tensor, found, self.size, cell), classes)
