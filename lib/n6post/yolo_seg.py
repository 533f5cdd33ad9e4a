"""YOLOv8 segmentation: what yolo.py finds, and for each survivor its mask.

in      a head as in yolo.py, with mask coefficients behind the classes (or, end-to-end, behind the class number); prototypes
        [1, H, W, coefficients] or [1, coefficients, H, W], before or behind the head
out     a list of Detection with masks, best first, in frame pixels
"""

from math import floor, log

from ulab import numpy as np

from .kernels import plans
from .kernels.boxes import dedupe, prototype_mask
from .layout import prototype_layout, squeezed
from .mask import FrameMask, Grid
from .options import flag, number, number_or_none, option
from .quant import FLOAT, INT8, UINT8
from .yolo import BoxSetup, YoloV8


class YoloV8Seg(YoloV8):
    """Post-processor for YOLOv8 segmentation: YoloV8's options, and every detection has a `.mask`.

    mask_threshold  probability above which a prototype pixel is inside, between 0 and 1
    mask_padding    model input pixels by which a box is grown before the mask is cut to it; None: half the step of a
                    quantised box, which gives back what its rounding cut off (0 on a float head); 0: Ultralytics' crop
    mask_overlap    a detection goes of whose mask more than this part, 0..1, lies inside a better one's of its class (of any
                    class if agnostic): an int8 head often finds one object twice, in boxes of too small an IoU for
                    suppression (docs/tracking.md has figures). .7 drops more, for a Tracker; None: all stay, as with
                    Ultralytics
    tight           take each rect from its mask: it jumps less from frame to frame than the head's, which an int8 head
                    rounds to steps of several pixels, at the cost of `Mask.rect` for each; an empty mask leaves it

    End-to-end heads [1, rows, 6 + coefficients] are taken as YoloV8 takes them.
    """

    mask_threshold = option("mask_threshold", number, 1e-6, 1 - 1e-6)
    mask_padding = option("mask_padding", number_or_none, 0.0, 1e4)
    mask_overlap = option("mask_overlap", number_or_none, 0.0, 1.0)
    tight = option("tight", flag)

    def __init__(
        self,
        threshold=0.4,
        nms_threshold=0.5,
        nms_sigma=0,
        max_detections=20,
        classes=None,
        agnostic=False,
        max_candidates=300,
        labels=None,
        pixels=None,
        *,
        mask_threshold=0.5,
        mask_padding=None,
        mask_overlap=0.8,
        tight=False
    ):  # fmt: skip
        super().__init__(
            threshold, nms_threshold, nms_sigma, max_detections, classes, agnostic, max_candidates, labels, pixels
        )
        self.mask_threshold = mask_threshold
        self.mask_padding = mask_padding
        self.mask_overlap = mask_overlap
        self.tight = tight

    def _set_up(self, model, outputs):
        return MaskSetup(self, model, outputs)


class MaskSetup(BoxSetup):
    """A head with mask coefficients, and prototypes."""

    wanted = "a head [1, 4 + classes + M, N] or [1, rows, 6 + M] and prototypes [1, H, W, M]"
    count = 2
    mask = FrameMask  # type: ignore[assignment]

    def prepare(self):
        # Told apart by shape, not by order: a head has three dimensions, or four of which two are not 1.
        first, second = self.outputs
        real, more = len(squeezed(first.shape)), len(squeezed(second.shape))
        if (len(first.shape), real != 2, real) > (len(second.shape), more != 2, more):
            first, second = second, first
        self.head = first
        self.protos = second
        self.layout = prototype_layout(second.shape, self.size)
        coefficients = self.layout[0]
        if not 8 <= coefficients <= 64:
            raise ValueError("expected 8 to 64 mask coefficients, got %d in %s" % (coefficients, second))
        return coefficients

    def complete(self, options, outputs):
        head = self.head
        protos = self.protos
        coefficients, width, height, channels_last = self.layout
        if coefficients == width == height:  # [1, 32, 32, 32] of a 128 x 128 input
            from .heads import channels_last as told

            channels_last, sure = told(protos, outputs[protos.index])
            self.settled = self.settled and sure
        # A head of one dtype and prototypes of another do not occur in the field; they go through float copies.
        mixed = head.dtype != protos.dtype
        dtype = FLOAT if mixed else head.dtype
        self.tight = options.tight
        overlap = options.mask_overlap
        distinct = None if overlap is None else plans.dedupe(0, int(overlap * 1024 + 0.5), 1 if options.agnostic else 0)
        threshold = options.mask_threshold
        limit = log(threshold / (1.0 - threshold)) / (head.scale * protos.scale)
        if dtype == INT8 or dtype == UINT8:
            limit = min(max(floor(limit), -(1 << 23)), 1 << 23)
        self.stayed = None  # the rows of the last frame, where some may have gone
        masking = plans.prototype_mask(
            dtype=dtype,
            width=width,
            height=height,
            coefficients=coefficients,
            pixel_step=coefficients if channels_last else 1,
            coefficient_step=1 if channels_last else width * height,
            zero_point=protos.zero_point,
            head_zero_point=head.zero_point,
            first=(self.channels - coefficients) * self.steps[0],
            step=self.steps[0],
            threshold=limit,
            anchor_step=self.steps[1],
        )
        # One object for five: every attribute more makes the others slower to find.
        self.masking = protos.index, head.index, mixed, masking, distinct

        # The padding in model input pixels; by default half the step that the box was rounded to.
        padding = options.mask_padding
        if padding is None:
            half = 0.0 if head.dtype == FLOAT else 0.5
            self.padding = half * self.unit_x, half * self.unit_y
        else:
            self.padding = padding, padding
        self.window = {
            "window": 1,
            "proto_width": width,
            "proto_height": height,
            "px": self.unit_x * width / self.size[0],
            "py": self.unit_y * height / self.size[1],
            "pad_x": self.padding[0] / self.unit_x,
            "pad_y": self.padding[1] / self.unit_y,
            "ring": 2,  # a frame pixel at the left edge of a box is interpolated from up to two mask pixels outside
        }

    def use(self, fit):
        super().use(fit)
        _, width, height, _ = self.layout
        self.grid_to_frame = Grid(
            self.size[0] / width * fit.sx,
            fit.ox,
            self.size[1] / height * fit.sy,
            fit.oy,
            fit.roi,
            (int(self.padding[0] * fit.sx + 0.5), int(self.padding[1] * fit.sy + 0.5)),
            fit.frame_size,
        )
        if self.tight:
            from .contour import tight

            self.detection = tight(self.detection)

    def masks(self, outputs, table, size):
        """What the masks of a frame share, as FrameMask takes it: few allocations, for each has the heap searched."""
        data = memoryview(bytearray(size))
        protos, head, mixed, plan, distinct = self.masking
        protos = outputs[protos]
        head = outputs[head]
        if mixed:
            protos = np.array(protos, dtype=np.float)
            head = np.array(head, dtype=np.float)
        words = plan[plans.MASK_ROWS] = self.kept * plans.ROW
        rows = plan + table[:words]
        prototype_mask(protos, head, rows, data)
        if distinct:
            distinct[plans.DEDUPE_ROWS] = self.kept
            kept = dedupe(distinct, memoryview(rows)[plans.MASK_TABLE :], data)
            if kept < self.kept:
                rows = rows[: plans.MASK_TABLE + kept * plans.ROW]
            self.stayed = rows
        return rows, data, self.grid_to_frame

    def survivors(self):
        found = super().survivors()
        rows = self.stayed
        if rows is None:
            return found
        first = range(plans.MASK_TABLE, len(rows), plans.ROW)
        stayed = [(rows[at + plans.ROW_ANCHOR], rows[at + plans.ROW_CLASS_ID]) for at in first]
        return [one for one in found if one[:2] in stayed]
