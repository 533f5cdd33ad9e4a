"""Split heads of YOLO segmentation: see split_head.py. Mask coefficients are outputs of their own, besides the prototypes.

in      coefficients [1, h, w, M] for each stride, or [1, M, N]; prototypes [1, H, W, M] or [1, M, H, W]
"""

from ..tensors.head_layout import prototype_layout
from ..tensors.quantization import FLOAT
from .split_head import examine, head_of
from .yolov8_seg import MaskBinding


class SplitMasks(MaskBinding):
    """A split head with mask coefficients, and prototypes."""

    def __init__(self, options, model, outputs):
        layout, coefficients = examine(self, "masks", options, model, outputs)
        self.protos = self.outputs[layout.protos]
        self.protos_layout = prototype_layout(self.protos.shape, self.size)
        if layout.bins or self.tensor.dtype == FLOAT:
            self.half_step = 0.0  # boxes are not rounded to steps
        self.prepare_masks(options, outputs, [(first, tensor, order, 0) for first, tensor, order in coefficients])
        self.head = head_of(self, layout, options, outputs)
