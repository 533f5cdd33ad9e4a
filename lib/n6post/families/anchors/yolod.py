"""ST's st_yolodv2 ("YOLO-D"): Megvii's head with boxes that are relative to cells.

in      rows [1, N, 5 + classes] or the transpose, one for each cell: x, y relative to the cell and logarithms of width and
        height, in cells; objectness and class scores after the sigmoid. int8, uint8, int16 or float32
out     a list of Detection, best first, in frame pixels

The center is at (column + x) * stride and the width exp(w) * stride; the score is the objectness times the best class score
(od_pp_yolo_d.c). YoloX reads the same rows, if the numbers of a frame show that they are relative to cells.

Proven with ST's C code, on the rows of networks with the same head (Megvii's). None of ST's was at hand.
"""

from .grids import GridDetector
from .objectness import ObjectnessBoxes


class YoloD(GridDetector):
    """Post-processor for ST's st_yolodv2: `ml.Model(path, postprocess=n6post.YoloD())`.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    def _bind(self, model, outputs):
        return YoloDBoxes(self, model, outputs)


class YoloDBoxes(ObjectnessBoxes):
    expected_outputs = "rows [1, N, 5 + classes]"

    def form(self, options, outputs):
        form, strides = self.row_form(1)
        units = self.units_of(outputs[0])
        if units != "cells":
            raise ValueError(
                "expected rows with boxes that are relative to cells, got decoded boxes (%s) in %s: use n6post.YoloX()"
                % (units, self.tensor)
            )
        return self.in_cells(form, strides)
