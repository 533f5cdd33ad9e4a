"""YOLOv8 detection, and what its sisters inherit: yolo_seg.py and yolo_pose.py. YOLO11 and YOLO26 export the same heads.

in      a head [1, 4 + classes (+ coefficients, + 3 x keypoints), anchors] or the transpose: int8, uint8, int16 or float32;
        boxes cx, cy, w, h in 0..1 or in input pixels; class scores already through the sigmoid. Or an end-to-end head,
        [1, rows, 6 (+ coefficients, + 3 x keypoints)]: end2end.py
out     a list of Detection, best first, in frame pixels

A frame's way: search the anchors above the threshold, suppress overlaps, place what is left in the frame, and for each
make a Detection.
"""

from array import array

from micropython import const
from ulab import numpy as np

from .detection import Detection
from .kernels import plans
from .kernels.boxes import candidates, detected, place, suppress
from .labels import checked_names, class_name
from .layout import head_layouts
from .options import class_ids, flag, flag_or_none, name_list, number, option
from .processor import Processor, Setup
from .quant import FLOAT

# A corner may lie exactly on half a pixel, and the camera's scale has lost up to 2 of its 24 bits: without this nudge
# (frame pixels) it would round down there and up on a PC.
_NUDGE = const(2.44e-4)

_ANY_CLASS = const(65536)  # for how many classes an end-to-end head has, which it does not tell


class YoloV8(Processor):
    """Post-processor for YOLOv8 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

    threshold       the least score, 0..1; on an integer head compared as q >= ceil(threshold / scale + zero_point)
    nms_threshold   two boxes of a class with a larger IoU are one object, 0..1
    nms_sigma       0: hard suppression; above: Gaussian Soft-NMS (.5 in its paper), whose scores come back decayed
    max_detections  the most to return
    classes         numbers and names of the classes to keep, None for all; the best class of an anchor is chosen before
    agnostic        suppress across classes
    max_candidates  the most that enter suppression, best first
    labels          names a class: a list, a dict {0: "person", ...} or the path of a .txt with one a line; None: the
                    model's labels where it shows them, else COCO's for 80 classes, else numbers (the firmware does not
                    hand a model's labels to a post-processor; `n6post.load` does)
    pixels          True: boxes come in input pixels; False: in 0..1; None: told from the head

    An end-to-end head [1, rows, 6] is told from a raw one and taken too. Its network has suppressed overlaps already: of the
    options threshold, classes and max_detections count, one object may have several classes, and without labels a class
    is its number as text.

    ValueError for an option out of range, and at a model's first frame for outputs that are not this family's.
    """

    threshold = option("threshold", number, 0.0, 1.0)
    nms_threshold = option("nms_threshold", number, 0.0, 1.0)
    nms_sigma = option("nms_sigma", number, 0.0, 1e6)
    max_detections = option("max_detections", number, 1, 65535)
    classes = option("classes", class_ids)
    agnostic = option("agnostic", flag)
    max_candidates = option("max_candidates", number, 1, 65535)
    labels = option("labels", name_list)
    pixels = option("pixels", flag_or_none)

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
    ):
        super().__init__()
        self.threshold = threshold
        self.nms_threshold = nms_threshold
        self.nms_sigma = nms_sigma
        self.max_detections = max_detections
        self.classes = classes
        self.agnostic = agnostic
        self.max_candidates = max_candidates
        self.labels = labels
        self.pixels = pixels

    def _set_up(self, model, outputs):
        return BoxSetup(self, model, outputs)

    def survivors(self):
        """For debugging: (anchor, class_id, score, x1, y1, x2, y2) of each detection of the last frame.

        The box is in model input pixels and not clipped, as Ultralytics gives it.
        """
        return self._setup.survivors() if self._setup else []


def _workspace(options):
    """(plan of hard suppression, soft suppression or None, values, labels, table), the last three as the kernels want."""
    capacity = options.max_candidates
    most = min(options.max_detections, capacity)
    sigma = options.nms_sigma
    agnostic = options.agnostic
    hard = plans.suppress(0, options.nms_threshold, 1 if agnostic else 0, most, capacity)
    soft = None
    if sigma:
        from .nms import SoftSuppressor

        soft = SoftSuppressor(sigma, agnostic, most)
    # Not np.zeros, which takes fifteen instructions a byte.
    values = np.frombuffer(bytearray(4 * 5 * capacity), dtype=np.float).reshape((5, capacity))
    labels = np.frombuffer(bytearray(2 * 3 * capacity), dtype=np.uint16).reshape((3, capacity))
    table = array("i", bytes(4 * plans.ROW * most))
    return hard, soft, values, labels, table


class BoxSetup(Setup):
    """A head [1, 4 + classes, N], [1, rows, 6] or the transpose, and how many channels it has besides: `extra`."""

    wanted = "a head [1, 4 + classes, N] or [1, rows, 6]"

    def __init__(self, options, model, outputs):
        super().__init__(model, outputs)
        self.head = self.outputs[0]
        extra = self.prepare()
        layouts = head_layouts(self.head.shape, self.size)
        rows = False
        if len(layouts) == 1 and (layouts[0][0] - 6 != extra if extra >= 0 else layouts[0][0] % 3):
            layout = layouts[0]
        else:
            from .heads import read

            layout, rows, self.settled = read(layouts, extra, self.head, outputs[self.head.index], self.size)
        self.channels, self.anchors, self.channels_first = layout
        given = options.labels
        self.labels = name_list("labels", getattr(model, "labels", None) or None) if given is None else given
        if extra < 0:
            extra = self.split(options, rows)
        self.classes = _ANY_CLASS if rows else self.channels - 4 - extra
        if self.classes < 1:
            raise ValueError(
                "expected a head of 4 box channels, at least one class and %d more, got %d channels in %s"
                % (extra, self.channels, self.head)
            )
        if given and self.labels and not rows:
            self.labels = checked_names(given, self.classes)
        # Both are uint16 in `labels`, and ulab's reductions over an axis of more never return.
        if self.anchors > 65535:
            raise ValueError("expected at most 65535 anchors, got %d in %s" % (self.anchors, self.head))
        if self.classes > 65535 and not rows:
            raise ValueError("expected at most 65535 classes, got %d in %s" % (self.classes, self.head))
        self.steps = (self.anchors, 1) if self.channels_first else (1, self.channels)
        self._tell_units(options.pixels, outputs[self.head.index])
        self.kept = 0
        self.window = {}  # what plans.place needs besides to lay out the windows of masks
        self.complete(options, outputs)
        # Last: a family may have names of its own.
        if rows:
            from .end2end import take

            take(self, options)
        else:
            self._plan_search(options)

    def prepare(self):
        """Find the head among the outputs, and return how many channels it has besides boxes and classes.

        -1: 3 a keypoint, and `split` tells how many once the layout is known.
        """
        return 0

    def split(self, options, rows):
        """How many channels there are for keypoints; `rows`: behind a box, score and class number, not behind classes.

        Drops `labels` where they name the keypoints.
        """
        return 0

    def complete(self, options, outputs):
        """Whatever a family needs besides, once the head's layout and units are known."""

    def masks(self, outputs, table, size):
        """What the masks of a frame share, or None; `size`: bytes of their windows.

        shared[0] is their kernel's plan with the rows of the detections that stay.
        """

    mask = None  # of a family with masks: mask(shared, at) makes one, `at` being where its row begins
    keypoints = None  # of one with keypoints: keypoints(outputs, anchor)

    def use(self, fit):
        x, y, w, h = fit.roi
        self.placing = plans.place(
            kept=0,
            capacity=self.capacity,
            width=w,
            height=h,
            ax=self.unit_x * fit.sx,
            bx=fit.ox - x + _NUDGE,
            ay=self.unit_y * fit.sy,
            by=fit.oy - y + _NUDGE,
            scale=self.head.scale,
            **self.window
        )  # fmt: skip
        # Of each frame size a class of its own: a list of detections may be filtered, and each still knows it.
        self.detection = type("Detection", (Detection,), {"frame_size": fit.frame_size})

    def result(self, outputs):
        # One object for five: every attribute more makes the others slower to find.
        hard, soft, values, labels, table = self.workspace
        search, plan = self.search
        found = (search or candidates)(outputs[self.head.index], plan, values, labels)
        if not found:
            kept = 0
        elif soft:
            kept = soft(found, values, labels, self.least)
        else:
            hard[plans.SUPPRESS_COUNT] = found
            kept = suppress(hard, values, labels)
        self.kept = kept
        if not kept:
            return []
        self.placing[plans.PLACE_KEPT] = kept
        size = place(self.placing, values, labels, table)
        masks = self.masks(outputs, table, size)
        if not masks:
            return detected(self, outputs, None, table, 0, kept)
        table = masks[0]
        start = plans.MASK_TABLE
        return detected(self, outputs, masks, table, start, (len(table) - start) // plans.ROW)

    def name_of(self, class_id):
        """A class's name, or its number as text; kept for the next frame."""
        told = self.labels
        if told is None:
            name = class_name(class_id, self.classes)
        else:
            name = told[class_id] if class_id < len(told) else str(class_id)
        self.names[class_id] = name
        return name

    def survivors(self):
        _, _, values, labels, _ = self.workspace
        rows = []
        for i in range(self.kept):
            at = int(labels[2, i])
            x1, y1, x2, y2, score = [float(values[row, at]) for row in range(5)]
            box = (x1 * self.unit_x, y1 * self.unit_y, x2 * self.unit_x, y2 * self.unit_y)
            rows.append((int(labels[0, at]), int(labels[1, at]), score * self.head.scale) + box)
        return rows

    def _plan_search(self, options):
        # An option is read once: it is a property.
        head = self.head
        threshold = options.threshold
        shared = None
        for other in options._setups:
            if other.workspace[0]:  # one for all models with a raw head
                shared = other.workspace
        self.workspace = shared or _workspace(options)
        self.capacity = options.max_candidates
        self.names = [None] * self.classes  # those that were needed so far
        allowed = options.classes or ()
        if allowed:
            from .names import classes

            allowed = classes("classes", allowed, self.classes, self.name_of)
        cut = head.cut(threshold)
        self.search = None, plans.candidates(
            dtype=head.dtype,
            anchors=self.anchors,
            channels=self.channels,
            channel_step=self.steps[0],
            anchor_step=self.steps[1],
            first_class=4,
            classes=self.classes,
            zero_point=head.zero_point,
            cut=cut,
            capacity=self.capacity,
            allowed=allowed,
        )
        # The threshold in raw units, for scores that Soft-NMS has decayed; those that the cut let through pass.
        if head.dtype == FLOAT:
            self.least = np.array([threshold])[0]  # as float32, which the scores are
        else:
            self.least = min(threshold / head.scale, cut - head.zero_point)

    def _tell_units(self, pixels, head):
        """Set unit_x and unit_y: model input pixels of one raw unit. `settled` is False while that can only be guessed.

        Boxes in 0..1 need no range beyond 2. Where the dtype and scale allow more, the boxes tell: the anchors cover the
        whole input, so that in pixels some centre lies beyond 2. (All zeros tell nothing yet.)
        """
        if pixels is None:
            pixels = False
            if self.head.dtype == FLOAT or self.head.largest() > 8.0:
                grid = self.grid(head)
                # camera: long-axis: at most 65535 anchors came as far as this
                largest = np.max(grid[:4] if self.channels_first else grid[:, :4], axis=1 if self.channels_first else 0)
                # Neither inf nor NaN tells anything (and NaN in the first place hides the rest of its row).
                if not np.all(largest < 1e6):
                    largest = np.where(grid < 1e6, grid, 0.0)
                    largest = largest[:4] if self.channels_first else largest[:, :4]
                largest = (float(np.max(largest)) - self.head.zero_point) * self.head.scale
                self.settled = self.settled and largest > 0.0
                pixels = largest > 2.0
        width, height = (1, 1) if pixels else self.size
        self.unit_x = self.head.scale * width
        self.unit_y = self.head.scale * height

    def grid(self, head):
        """The head's array in two dimensions, as it is stored."""
        return head.reshape((self.channels, self.anchors) if self.channels_first else (self.anchors, self.channels))
