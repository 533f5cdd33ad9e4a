"""YOLOv8 segmentation: the detections of yolov8.py, each with a mask.

in      a head as in yolov8.py, with mask coefficients after the classes (in an end-to-end head, after the class number), and
        prototypes [1, H, W, coefficients] or [1, coefficients, H, W], in either order
out     a list of Detection with masks, best first, in frame pixels
"""

from math import floor, log

from ulab import numpy as np

from ...kernels import boxes as box_kernels
from ...kernels.params import boxes as params
from ...pixels.rounding import NUDGE, same_floats
from ...results.mask import FrameMask, MaskTransform
from ...tensors.head_layout import prototype_layout, squeezed
from ...tensors.options import Options, flag, number, number_or_none
from ...tensors.quantization import FLOAT, INT8, UINT8
from ..frame_boxes import Extras
from .yolov8 import YoloV8


class Masks(Extras):
    """What masks add to boxes: a head with mask coefficients, and prototypes."""

    kind = "masks"
    expected_outputs = "a head [1, 4 + classes + M, N] or [1, rows, 6 + M] and prototypes [1, H, W, M]"
    count = 2
    half_step = 0.5  # half of the step to which the head rounds boxes, in its units
    mask = FrameMask

    def choose(self, boxes, options):
        # By shape, not by order: a head has three dimensions, or four of which two are not 1.
        head, protos = boxes.outputs
        a, b = len(squeezed(head.shape)), len(squeezed(protos.shape))
        if (len(head.shape), a != 2, a) > (len(protos.shape), b != 2, b):
            head, protos = protos, head
        self.protos = protos
        self.protos_layout = prototype_layout(protos.shape, boxes.size)
        coefficients = self.protos_layout[2].channels
        if not 8 <= coefficients <= 64:
            raise ValueError("expected 8 to 64 mask coefficients, got %d in %s" % (coefficients, protos))
        return head, coefficients

    def complete(self, boxes, options, outputs, rows):
        layout = boxes.layout
        if boxes.tensor.dtype == FLOAT:
            self.half_step = 0.0
        first = layout.channels - self.protos_layout[2].channels
        self._prepare_masks(boxes, options, outputs, [(0, boxes.tensor, layout, first)])

    def of_split(self, boxes, options, outputs, layout, parts):
        """These masks, of a split head: its coefficients are outputs [1, h, w, M] for each stride, or [1, M, N]."""
        self.protos = boxes.outputs[layout.protos]
        self.protos_layout = prototype_layout(self.protos.shape, boxes.size)
        if layout.bins or boxes.tensor.dtype == FLOAT:
            self.half_step = 0.0  # boxes are not rounded to steps
        self._prepare_masks(boxes, options, outputs, [(first, tensor, order, 0) for first, tensor, order in parts])
        return self

    def _prepare_masks(self, boxes, options, outputs, sources):
        """Prepare what `masks` needs, and the window of a mask.

        sources     the outputs with mask coefficients by ascending anchors, (first anchor, OutputTensor, its HeadLayout,
                    channel of the first coefficient) for each
        """
        protos = self.protos
        width, height, protos_layout = self.protos_layout
        coefficients = protos_layout.channels
        if coefficients == width == height:  # [1, 32, 32, 32] of a 128 x 128 input
            from . import layout_probe as probe

            protos_layout, certain = probe.cube_layout(protos, outputs[protos.index])
            boxes.is_final = boxes.is_final and certain
        # No known network has a head of one dtype and prototypes of another. They are converted to floats.
        mixed = [tensor.dtype for _, tensor, _, _ in sources] != [protos.dtype] * len(sources)
        dtype = FLOAT if mixed else protos.dtype
        self.refit_boxes = options.refit_boxes
        overlap = options.mask_overlap
        self.overlap = 1024 if overlap is None else int(overlap * 1024 + 0.5), 1 if options.class_agnostic else 0
        threshold = options.mask_threshold
        logit = log(threshold / (1.0 - threshold))
        parts = []
        for anchor, tensor, layout, channel in sources:
            limit = logit / (tensor.scale * protos.scale)
            if dtype == INT8 or dtype == UINT8:
                limit = min(max(floor(limit), -(1 << 23)), 1 << 23)
            block = params.prototype_mask(
                dtype=dtype,
                width=width,
                height=height,
                coefficients=coefficients,
                pixel_step=protos_layout.anchor_step,
                coefficient_step=protos_layout.channel_step,
                zero_point=protos.zero_point,
                head_zero_point=tensor.zero_point,
                first=channel * layout.channel_step - anchor * layout.anchor_step,
                step=layout.channel_step,
                threshold=limit,
                anchor_step=layout.anchor_step,
                low=anchor,
                high=anchor + layout.anchors,
            )
            parts.append((tensor.index, block))
        # A tuple, because each further attribute makes the others slower to find.
        self.masking = protos.index, mixed, parts

        # The padding in model input pixels. By default half of the step to which the head rounds boxes.
        padding = options.mask_padding
        units = same_floats(boxes.unit_x, boxes.unit_y)
        if padding is None:
            pad_x = pad_y = half = self.half_step
            self.padding = units * half
        else:
            self.padding = same_floats(padding, padding)
            pad_x, pad_y = self.padding / units
        px, py = units * np.array([width, height]) / np.array(boxes.size)
        self.window = {
            "window": 1,
            "proto_width": width,
            "proto_height": height,
            "px": px,
            "py": py,
            "pad_x": pad_x,
            "pad_y": pad_y,
            "ring": 2,  # a frame pixel at the left edge of a box is interpolated from up to two mask pixels outside
        }

    def set_transform(self, boxes, transform):
        width, height, _ = self.protos_layout
        scale = same_floats(transform.sx, transform.sy)
        margin = np.floor(self.padding * scale + (0.5 + NUDGE))
        margin = int(margin[0]), int(margin[1])
        self.mask_transform = MaskTransform(
            boxes.size[0] / width * transform.sx,
            transform.ox,
            boxes.size[1] / height * transform.sy,
            transform.oy,
            transform.roi,
            margin,
            transform.frame_size,
        )
        x, y, w, h = transform.roi
        ax, ay = to_mask = 1.0 / (scale * np.array(boxes.size) / np.array([width, height]))
        bx, by = (np.array([x, y]) + (0.5 + NUDGE) - same_floats(transform.ox, transform.oy)) * to_mask
        distinct = params.suppress_masks(
            rows=0,
            part=self.overlap[0],
            class_agnostic=self.overlap[1],
            width=w,
            height=h,
            margin_x=margin[0],
            margin_y=margin[1],
            ax=ax,
            bx=bx,
            ay=ay,
            by=by,
        )
        self.distinct = distinct
        if self.refit_boxes:
            from ...results.mask_geometry import detection_refitted

            self.make = detection_refitted

    def masks(self, outputs, table, size, kept):
        """What the masks of a frame share, as FrameMask takes it. One object for all, because allocations are slow."""
        data = memoryview(bytearray(size))
        protos, mixed, parts = self.masking
        protos = outputs[protos]
        if mixed:
            protos = np.array(protos, dtype=np.float)
        words = kept * params.ROW
        table = table[: params.MASK_TABLE + words]  # a copy, part of the result
        for index, block in parts:
            head = outputs[index]
            if mixed:
                head = np.array(head, dtype=np.float)
            block[params.MASK_ROWS] = words
            table[: params.MASK_TABLE] = block
            box_kernels.prototype_mask(protos, head, table, data)
        distinct = self.distinct
        distinct[params.SUPPRESS_MASKS_ROWS] = kept
        left = box_kernels.suppress_masks(distinct, memoryview(table)[params.MASK_TABLE :], data)
        if left < kept:
            table[params.MASK_ROWS] = left * params.ROW  # the rows behind are not copied away: nobody reads them
        return table, data, self.mask_transform


class YoloV8Seg(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 segmentation: every detection has a `.mask`.

    It has YoloV8's options besides its own, and accepts end-to-end heads [1, rows, 6 + coefficients] as YoloV8 does.
    """

    _option = Options("threshold", YoloV8._option)
    mask_threshold = _option("mask_threshold", 0.5, number, 1e-6, 1 - 1e-6)
    mask_padding = _option("mask_padding", None, number_or_none, 0.0, 1e4)
    mask_overlap = _option("mask_overlap", 0.8, number_or_none, 0.0, 1.0)
    refit_boxes = _option("refit_boxes", False, flag)

    _extras = Masks
