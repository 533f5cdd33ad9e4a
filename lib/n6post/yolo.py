"""YOLOv8 detection and segmentation: their options. YOLO11 and YOLO26 (end2end off) export the same head.

in      [1, 4 + classes (+ coefficients, + 3 x keypoints), anchors] or the transpose: int8, uint8, int16 or float32; boxes
        cx, cy, w, h in 0..1 or in input pixels; class scores already through the sigmoid; for segmentation a second output,
        prototypes [1, H, W, coefficients] or [1, coefficients, H, W], in either order
out     a list of Detection, best first, in frame pixels

The options of pose are in yolo_pose.py. What is done with the outputs stands in yolo_head.py, which the first frame loads:
making a processor stays cheap.
"""

from . import number


class YoloV8:
    """Post-processor for YOLOv8 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

    threshold       the least score, 0..1; on an integer head compared as q >= ceil(threshold / scale + zero_point)
    nms_threshold   two boxes of a class with a larger IoU are one object, 0..1
    nms_sigma       0: hard suppression; above: Gaussian Soft-NMS (.5 in its paper), whose scores come back decayed
    max_detections  the most to return
    classes         class numbers to keep, None for all; the best class of an anchor is chosen before
    agnostic        suppress across classes
    max_candidates  the most that enter suppression, best first
    labels          names a class; None: the model's labels where it shows them, else COCO's for 80 classes, else numbers
                    (the firmware does not hand a model's labels to a post-processor; `n6post.load` does)
    pixels          True: boxes come in input pixels; False: in 0..1; None: told from the head

    ValueError for an option out of range, and at a model's first frame for outputs that are not this family's.
    """

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
        self.threshold = number("threshold", threshold, 0.0, 1.0)
        self.nms_threshold = number("nms_threshold", nms_threshold, 0.0, 1.0)
        self.nms_sigma = number("nms_sigma", nms_sigma, 0.0, 1e6)
        self.max_detections = number("max_detections", max_detections, 1, 65535)
        if not (classes is labels is pixels is None and agnostic is False):
            from .options import rarer

            classes = rarer(classes, agnostic, labels, pixels)
        self.classes = classes
        self.agnostic = agnostic
        self.max_candidates = number("max_candidates", max_candidates, 1, 65535)
        self.labels = labels
        self.pixels = pixels
        self._head = None

    def __call__(self, model, inputs, outputs):
        if self._head is None:
            from . import yolo_head

            self._head = yolo_head.Head(self)
        return self._head(model, inputs, outputs)

    def survivors(self):
        """For debugging: (anchor, class_id, score, x1, y1, x2, y2) of each detection of the last frame.

        The box is in model input pixels and not clipped, as Ultralytics gives it.
        """
        return self._head.survivors() if self._head else []


class YoloV8Seg(YoloV8):
    """Post-processor for YOLOv8 segmentation: YoloV8's options, and every detection has a `.mask`.

    mask_threshold  probability above which a prototype pixel is inside, between 0 and 1
    mask_padding    model input pixels by which a box is grown before the mask is cut to it; None: half the step of a
                    quantised box, which gives back what its rounding cut off (0 on a float head); 0: Ultralytics' crop
    """

    def __init__(self, threshold=0.4, *args, mask_threshold=0.5, mask_padding=None, **kwargs):
        super().__init__(threshold, *args, **kwargs)
        self.mask_threshold = number("mask_threshold", mask_threshold, 1e-6, 1 - 1e-6)
        self.mask_padding = None if mask_padding is None else number("mask_padding", mask_padding, 0.0, 1e4)
