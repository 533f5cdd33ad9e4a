"""n6post turns the raw outputs of a neural network on an OpenMV camera into results for scripts and people.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    detections = model.predict([n6post.Letterbox(img)])
    n6post.draw(img, detections)

Each name is imported on first use, so a script loads only the families that it uses.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple, Never, Protocol, TextIO, TypedDict, Unpack, overload, type_check_only

from image import Image
from ml import Model
from typing_extensions import TypeVar
from ulab.numpy import ndarray

__all__ = [
    "YoloV8",
    "YoloV8Seg",
    "YoloV8Pose",
    "YoloV8Obb",
    "YoloV2",
    "YoloV5",
    "YoloX",
    "NanoDet",
    "Ssd",
    "Fomo",
    "BlazeFace",
    "BlazePalm",
    "BlazePose",
    "YuNet",
    "Scrfd",
    "HandLandmarks",
    "FaceLandmarks",
    "FacePoints",
    "PoseLandmarks",
    "MoveNet",
    "DeepLab",
    "Depth",
    "Anomaly",
    "Classifier",
    "TextLine",
    "Embedding",
    "Detection",
    "Mask",
    "Segmentation",
    "Classification",
    "Reading",
    "DepthMap",
    "AnomalyMap",
    "draw",
    "text",
    "hide",
    "detections",
    "merge",
    "pairs",
    "read_line",
    "face_turn",
    "sharpness",
    "to_openmv",
    "to_json",
    "to_bytes",
    "to_yolo",
    "MjpegServer",
    "keypoint_names",
    "processor_for",
    "load",
    "Pipeline",
    "Tiles",
    "tiles",
    "diagnose",
    "Tracker",
    "LineZone",
    "PolygonZone",
    "Hold",
    "Steady",
    "Majority",
    "Fraction",
    "Repetitions",
    "Trail",
    "Plane",
    "HeatMap",
    "Events",
    "Collector",
    "Gallery",
    "State",
    "cosine_similarity",
    "Stretch",
    "Crop",
    "Letterbox",
]

_Box = tuple[int, int, int, int]
_Color = tuple[int, int, int] | list[int]
_Point = tuple[float, float] | list[float] | ndarray

# The labels of all classes, in any form that an option takes: a list, a dict as in Ultralytics' data.yaml, a path to a .txt.
_Labels = list[str] | tuple[str, ...] | dict[int, str] | str
_Anchors = Sequence[float] | Sequence[Sequence[float]] | ndarray

_Written = TypeVar("_Written", covariant=True)

# What `to_json` writes to.
@type_check_only
class _Stream(Protocol[_Written]):
    def write(self, data: memoryview, /) -> _Written: ...

# Class numbers and names: any collection but a str, which is a collection of letters (its `in` takes nothing but a str).
@type_check_only
class _Classes(Protocol):
    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Iterator[int | str]: ...

_Anchor = Literal[
    "bottom",
    "center",
    "top",
    "left",
    "right",
    "top_left",
    "top_right",
    "bottom_left",
    "bottom_right",
    "centroid",
]

# The names are what an editor offers. Any other text is allowed, too: "left_elbow", "left " + part.
_Keypoint = (
    Literal[
        "nose",
        "head",
        "left eye",
        "right eye",
        "left ear",
        "right ear",
        "left shoulder",
        "right shoulder",
        "left elbow",
        "right elbow",
        "left wrist",
        "right wrist",
        "left hip",
        "right hip",
        "left knee",
        "right knee",
        "left ankle",
        "right ankle",
    ]
    | int
    | str
)

# Types of a detection's mask, keypoints and track_id. Each family has its own, so that no script needs to ask for None.
# `Detection` alone, in an annotation, is a detection of any family, tracked or not.
_M = TypeVar("_M", covariant=True, default=Any)
_K = TypeVar("_K", covariant=True, default=Any)
_T = TypeVar("_T", covariant=True, default=Any)
_A = TypeVar("_A", bound=Detection)
_B = TypeVar("_B", bound=Detection)
_Value = TypeVar("_Value")
_Tracked = TypeVar("_Tracked", bound=Sequence[Detection[Any, Any, int]])
_Detections = TypeVar("_Detections", bound=Sequence[Detection])
# What a tracker may return in place of a mask and keypoints: None if it coasts.
_Lost = TypeVar("_Lost", covariant=True, default=Never)

__version__: str

# ---- the families ----

# The options that detectors share. A family writes a line again if its text is another.
class _Detector:
    threshold: float
    """Minimum score of a detection, 0..1."""
    iou_threshold: float
    """Two boxes of a class whose IoU is larger than this are one object, 0..1."""
    max_detections: int
    """Maximum number of detections to return, 1..65535.

    Detections without a pixel in the frame, such as those in the bars of a Letterbox, are dropped after this limit.
    """
    max_candidates: int
    """Maximum number of boxes that enter suppression, the best first, 1..65535."""
    labels: _Labels | None
    """Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a line.

    None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class numbers. The
    firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
    """

class _ClassDetector(_Detector):
    classes: _Classes | None
    """Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each anchor."""
    class_agnostic: bool
    """Whether a box also suppresses boxes of other classes."""

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, None, None]]: ...

class YoloV8(_ClassDetector):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

    It accepts raw heads, split heads (boxes and scores as outputs of their own, as `n6post optimize`, Rockchip's export and
    YOLO-NAS have them) and end-to-end heads [1, rows, 6], and detects which of them a model has.

    With an end-to-end head, the network has suppressed overlaps already, so only `threshold`, `classes`, `labels`,
    `max_detections` and `box_units` have an effect, and one object may have several classes. Such a head does not say how
    many classes it has: without `labels`, the label of a detection is its class number, such as "0". For a split head whose
    network needs no suppression (one-to-one, YOLO26), set `iou_threshold=1`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    nms_sigma: float
    """Sigma of Gaussian Soft-NMS, which returns decayed scores (its paper uses 0.5). 0 suppresses overlapping boxes."""
    max_detections: int
    """Maximum number of detections to return, 1..65535.

    Detections without a pixel in the frame, such as those in the bars of a Letterbox, and those with an empty mask are
    dropped after this limit, as Ultralytics drops empty masks.
    """
    box_units: Literal["pixels", "normalized"] | None
    """Unit of the head's boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from the head."""
    box_order: Literal["xywh", "xyxy"] | None
    """Numbers of a box: "xywh", its center and size, or "xyxy", two corners, as in YOLO-NAS, DAMO-YOLO and YOLO-Pro.

    None detects it: boxes are corners if no corner is on the wrong side of the other. A frame that leaves it open, such as
    one of zeros, is read as "xywh", and the next frame is examined again.
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 300,
        labels: _Labels | None = None,
        nms_sigma: float = 0,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        box_units: Literal["pixels", "normalized"] | None = None,
        box_order: Literal["xywh", "xyxy"] | None = None,
    ) -> None:
        """Post-processor for YOLOv8, YOLO11 and YOLO26 detection: `ml.Model(path, postprocess=n6post.YoloV8())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, and those with an empty mask are dropped after this limit, as Ultralytics
          drops empty masks.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `nms_sigma`: Sigma of Gaussian Soft-NMS, which returns decayed scores (its paper uses 0.5). 0 suppresses
          overlapping boxes.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `box_units`: Unit of the head's boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from
          the head.
        - `box_order`: Numbers of a box: "xywh", its center and size, or "xyxy", two corners, as in YOLO-NAS, DAMO-YOLO and
          YOLO-Pro. None detects it: boxes are corners if no corner is on the wrong side of the other. A frame that leaves it
          open, such as one of zeros, is read as "xywh", and the next frame is examined again.
        """

# It is a YoloV8 whose detections have a mask, where YoloV8's have None: a checker would not allow that.
class YoloV8Seg(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 segmentation: every detection has a `.mask`.

    It has YoloV8's options besides its own, and accepts end-to-end heads [1, rows, 6 + coefficients] as YoloV8 does.
    """

    mask_threshold: float
    """Probability above which a pixel belongs to the object, between 0 and 1."""
    mask_padding: float | None
    """Pixels of the model input by which a box grows before the mask is cropped to it; 0 crops as Ultralytics does.

    None: half the step of a quantized box, which restores what its rounding has cut off; 0 for a float head.
    """
    mask_overlap: float | None
    """Drop a detection if more than this fraction of its mask lies inside the mask of a better one of its class, 0..1.

    With `class_agnostic`, the better one may be of any class. An int8 head often finds an object twice, in boxes whose IoU
    is too small for suppression. 0.7 drops more, for use with a Tracker (docs/tracking.md). None turns this off,
    as in Ultralytics.
    """
    refit_boxes: bool
    """Replace each box by the bounding box of its mask, which jitters less than the head's own.

    An int8 head rounds its boxes to steps of several pixels. Costs one `Mask.rect` for each detection.
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 300,
        labels: _Labels | None = None,
        nms_sigma: float = 0,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        box_units: Literal["pixels", "normalized"] | None = None,
        box_order: Literal["xywh", "xyxy"] | None = None,
        mask_threshold: float = 0.5,
        mask_padding: float | None = None,
        mask_overlap: float | None = 0.8,
        refit_boxes: bool = False,
    ) -> None:
        """Post-processor for YOLOv8, YOLO11 and YOLO26 segmentation: every detection has a `.mask`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, and those with an empty mask are dropped after this limit, as Ultralytics
          drops empty masks.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `nms_sigma`: Sigma of Gaussian Soft-NMS, which returns decayed scores (its paper uses 0.5). 0 suppresses
          overlapping boxes.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `box_units`: Unit of the head's boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from
          the head.
        - `box_order`: Numbers of a box: "xywh", its center and size, or "xyxy", two corners, as in YOLO-NAS, DAMO-YOLO and
          YOLO-Pro. None detects it: boxes are corners if no corner is on the wrong side of the other. A frame that leaves it
          open, such as one of zeros, is read as "xywh", and the next frame is examined again.
        - `mask_threshold`: Probability above which a pixel belongs to the object, between 0 and 1.
        - `mask_padding`: Pixels of the model input by which a box grows before the mask is cropped to it; 0 crops as
          Ultralytics does. None: half the step of a quantized box, which restores what its rounding has cut off; 0 for a
          float head.
        - `mask_overlap`: Drop a detection if more than this fraction of its mask lies inside the mask of a better one of its
          class, 0..1. With `class_agnostic`, the better one may be of any class. An int8 head often finds an object twice,
          in boxes whose IoU is too small for suppression. 0.7 drops more, for use with a Tracker (docs/tracking.md). None
          turns this off, as in Ultralytics.
        - `refit_boxes`: Replace each box by the bounding box of its mask, which jitters less than the head's own. An int8
          head rounds its boxes to steps of several pixels. Costs one `Mask.rect` for each detection.
        """

    def __call__(  # type: ignore[override]
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[Mask, None, None]]: ...

class YoloV8Pose(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 pose: every detection has `.keypoints`.

    They are a float32 array (K, 3): x and y in frame pixels, clipped to the frame, and the keypoint's score. All keypoints
    are returned, whatever their score. Networks with kpt_shape=[K, 2] have no scores: then each is 1.

    It has YoloV8's options besides its own, and accepts end-to-end heads [1, rows, 6 + 3 x keypoints] as YoloV8 does.
    """

    keypoint_threshold: float
    """Minimum score of a keypoint that counts as visible, 0..1. Detections carry it; `draw` leaves out those below."""
    class_count: int | None
    """Number of classes of a raw head, 1..65535; None: as many as there are labels, or 1 without labels.

    Labels that are as many as one class has keypoints are taken for the names of the keypoints; then there is one class.
    """
    score_type: Literal["probability", "logit", "missing"] | None
    """What the third number of a keypoint is: a "probability", 0..1, or a "logit", to which the sigmoid is applied; or
    "missing", if a network with kpt_shape=[K, 2] has only x and y. Then each score is 1.

    None detects it at the first frame: only logits can be negative, and what goes with the box is a coordinate.
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 300,
        labels: _Labels | None = None,
        nms_sigma: float = 0,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        box_units: Literal["pixels", "normalized"] | None = None,
        box_order: Literal["xywh", "xyxy"] | None = None,
        keypoint_threshold: float = 0.5,
        class_count: int | None = None,
        score_type: Literal["probability", "logit", "missing"] | None = None,
    ) -> None:
        """Post-processor for YOLOv8, YOLO11 and YOLO26 pose: every detection has `.keypoints`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, and those with an empty mask are dropped after this limit, as Ultralytics
          drops empty masks.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `nms_sigma`: Sigma of Gaussian Soft-NMS, which returns decayed scores (its paper uses 0.5). 0 suppresses
          overlapping boxes.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `box_units`: Unit of the head's boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from
          the head.
        - `box_order`: Numbers of a box: "xywh", its center and size, or "xyxy", two corners, as in YOLO-NAS, DAMO-YOLO and
          YOLO-Pro. None detects it: boxes are corners if no corner is on the wrong side of the other. A frame that leaves it
          open, such as one of zeros, is read as "xywh", and the next frame is examined again.
        - `keypoint_threshold`: Minimum score of a keypoint that counts as visible, 0..1. Detections carry it; `draw` leaves
          out those below.
        - `class_count`: Number of classes of a raw head, 1..65535; None: as many as there are labels, or 1 without labels.
          Labels that are as many as one class has keypoints are taken for the names of the keypoints; then there is one
          class.
        - `score_type`: What the third number of a keypoint is: a "probability", 0..1, or a "logit", to which the sigmoid is
          applied; or "missing", if a network with kpt_shape=[K, 2] has only x and y. Then each score is 1. None detects it
          at the first frame: only logits can be negative, and what goes with the box is a coordinate.
        """

    def __call__(  # type: ignore[override]
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class YoloV8Obb(YoloV8):
    """Post-processor for YOLOv8, YOLO11 and YOLO26 oriented boxes (OBB): every detection has `.corners` and `.rotation`.

    It has YoloV8's options. `iou_threshold` is a probabilistic IoU, as in Ultralytics: a box is dropped if any better one of
    its class overlaps it by more, even if that one is dropped itself. It accepts end-to-end heads [1, rows, 7] as YoloV8
    does.
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 300,
        labels: _Labels | None = None,
        nms_sigma: float = 0,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        box_units: Literal["pixels", "normalized"] | None = None,
        box_order: Literal["xywh", "xyxy"] | None = None,
    ) -> None:
        """Post-processor for YOLOv8, YOLO11 and YOLO26 oriented boxes (OBB): every detection has `.corners` and `.rotation`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, and those with an empty mask are dropped after this limit, as Ultralytics
          drops empty masks.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `nms_sigma`: Sigma of Gaussian Soft-NMS, which returns decayed scores (its paper uses 0.5). 0 suppresses
          overlapping boxes.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `box_units`: Unit of the head's boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from
          the head.
        - `box_order`: Numbers of a box: "xywh", its center and size, or "xyxy", two corners, as in YOLO-NAS, DAMO-YOLO and
          YOLO-Pro. None detects it: boxes are corners if no corner is on the wrong side of the other. A frame that leaves it
          open, such as one of zeros, is read as "xywh", and the next frame is examined again.
        """

class YoloV2(_ClassDetector):
    """Post-processor for YOLOv2, tiny YOLOv2 and ST's yolo_lc: `ml.Model(path, postprocess=n6post.YoloV2())`.

    Boxes are wrong without the anchors that the network was trained with. By default these are ST's: those of yolo_lc for a
    map with a cell for each 16 pixels of the input, and those of tiny YOLOv2 for each 32.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    anchors: _Anchors | None
    """Widths and heights of the anchors of a cell, in cells, as in a darknet .cfg: [(w, h), ...] or [w, h, ...].

    None: ST's, five: those of yolo_lc for cells of 16 pixels, and those of tiny YOLOv2 for larger ones.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        anchors: _Anchors | None = None,
    ) -> None:
        """Post-processor for YOLOv2, tiny YOLOv2 and ST's yolo_lc: `ml.Model(path, postprocess=n6post.YoloV2())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `anchors`: Widths and heights of the anchors of a cell, in cells, as in a darknet .cfg: [(w, h), ...] or [w, h,
          ...]. None: ST's, five: those of yolo_lc for cells of 16 pixels, and those of tiny YOLOv2 for larger ones.
        """

class YoloV5(_ClassDetector):
    """Post-processor for YOLOv5 detection: `ml.Model(path, postprocess=n6post.YoloV5())`.

    It also reads YOLOv5-face, whose faces have five keypoints: right eye, left eye, nose tip, right mouth corner, left mouth
    corner. "Right" is the person's right.

    With `version="v3"` or `"v4"` it reads the maps of YOLOv3 and YOLOv4, and of their tiny networks.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    anchors: _Anchors | None
    """Widths and heights of the anchors in input pixels, for each stride, as in a .yaml of YOLOv5: [[w, h, ...], ...].

    Only maps need them. None: those of yolov5n to yolov5x or, with `version`, those of darknet's .cfg files.
    """
    box_units: Literal["pixels", "normalized"] | None
    """Unit of the rows' boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from a frame."""
    version: Literal["v3", "v4"] | None
    """"v3" or "v4": The maps are those of YOLOv3 or YOLOv4, or of their tiny networks. None: those of YOLOv5 or YOLOv7.

    Outputs do not show it: a YOLOv3 and a YOLOv4 of darknet differ in their anchors and in scale_x_y.
    """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, Any, None]]: ...

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        anchors: _Anchors | None = None,
        box_units: Literal["pixels", "normalized"] | None = None,
        version: Literal["v3", "v4"] | None = None,
    ) -> None:
        """Post-processor for YOLOv5 detection: `ml.Model(path, postprocess=n6post.YoloV5())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `anchors`: Widths and heights of the anchors in input pixels, for each stride, as in a .yaml of YOLOv5: [[w, h,
          ...], ...]. Only maps need them. None: those of yolov5n to yolov5x or, with `version`, those of darknet's .cfg
          files.
        - `box_units`: Unit of the rows' boxes: "pixels" of the model input, or "normalized" to 0..1; None detects it from a
          frame.
        - `version`: "v3" or "v4": The maps are those of YOLOv3 or YOLOv4, or of their tiny networks. None: those of YOLOv5
          or YOLOv7. Outputs do not show it: a YOLOv3 and a YOLOv4 of darknet differ in their anchors and in scale_x_y.
        """

class YoloX(_ClassDetector):
    """Post-processor for YOLOX, Megvii's and ST's, and YOLOv6: `ml.Model(path, postprocess=n6post.YoloX())`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    anchors: _Anchors | None
    """Widths and heights of the anchors of a cell, in parts of the input's width: [(w, h), ...] or [w, h, ...].

    Only ST's maps need them. None: those of ST's zoo, one or three: the number of channels, the labels and a frame show how
    many.
    """
    box_units: Literal["cells", "pixels", "normalized"] | None
    """Unit of the rows' boxes: "cells", "pixels" of the model input, or "normalized" to 0..1; None detects it from a frame.

    In "cells", centers are relative to the cell, with logarithms of the sizes: Megvii's export without a decode.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        anchors: _Anchors | None = None,
        box_units: Literal["cells", "pixels", "normalized"] | None = None,
    ) -> None:
        """Post-processor for YOLOX, Megvii's and ST's, and YOLOv6: `ml.Model(path, postprocess=n6post.YoloX())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `anchors`: Widths and heights of the anchors of a cell, in parts of the input's width: [(w, h), ...] or [w, h,
          ...]. Only ST's maps need them. None: those of ST's zoo, one or three: the number of channels, the labels and a
          frame show how many.
        - `box_units`: Unit of the rows' boxes: "cells", "pixels" of the model input, or "normalized" to 0..1; None detects
          it from a frame. In "cells", centers are relative to the cell, with logarithms of the sizes: Megvii's export
          without a decode.
        """

class NanoDet(_ClassDetector):
    """Post-processor for NanoDet-Plus and raw PicoDet: `ml.Model(path, postprocess=n6post.NanoDet())`.

    NanoDet-Plus has one output [1, N, classes + 32] or [1, classes + 32, N], as tools/export_onnx.py of RangiLyu/nanodet
    gives it: class scores, then eight bins for each side of the box. N is the number of cells of the strides 8, 16, 32 and
    64, each rounded up: 2125 for an input of 320 x 320, 3598 for 416 x 416. PicoDet without its post-processing has scores
    [1, N, classes] and bins [1, N, 32] for each of these strides. The first NanoDet (nanodet-m), which is not a Plus, is
    refused.

    The authors' networks are trained with stretched pictures and normalized pixels. To a file that takes floats, pass
    `n6post.Stretch(img, mean=(.485, .456, .406), stdev=(.229, .224, .225))`.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        iou_threshold: float = 0.6,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
    ) -> None:
        """Post-processor for NanoDet-Plus and raw PicoDet: `ml.Model(path, postprocess=n6post.NanoDet())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class
          numbers. The firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          anchor.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        """

class Ssd(_ClassDetector):
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

    threshold: float
    """Minimum score of a detection, 0..1.

    Below .5, the search in scores before the softmax takes longer: about .3 M instructions for 4,420 priors of one class,
    and 3 M for 3,000 priors of 80 classes.
    """
    classes: _Classes | None
    """Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each prior.

    Numbers begin with 0 for the first class behind the background.
    """
    labels: _Labels | None
    """Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a line.

    There may be one more at the beginning, for the background. None: the model's labels if the post-processor can read them,
    else COCO's for 80 classes, else the class numbers. `n6post.load` passes a model's labels on.
    """
    anchors: Sequence[Any] | None
    """The anchors (priors) of the network, a list of its maps in the order of the output, or None if they are known.

    A map is `(columns, rows, [(width, height), ...])`: the sizes are those of the anchors of one cell, in input pixels.
    Centers are those of the cells. If the cells do not divide the input, a fourth item says how far apart they are, in
    pixels.
    """
    box_order: Literal["xywh", "yxhw"] | None
    """Order of a box's numbers. None: "yxhw" for TensorFlow's SSD MobileNet 300, else "xywh"."""

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, Any, None]]: ...

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.5,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        classes: _Classes | None = None,
        class_agnostic: bool = False,
        anchors: Sequence[Any] | None = None,
        box_order: Literal["xywh", "yxhw"] | None = None,
    ) -> None:
        """Post-processor for SSD networks: `ml.Model(path, postprocess=n6post.Ssd())`.

        - `threshold`: Minimum score of a detection, 0..1. Below .5, the search in scores before the softmax takes longer:
          about .3 M instructions for 4,420 priors of one class, and 3 M for 3,000 priors of 80 classes.
        - `iou_threshold`: Two boxes of a class whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. There may be one more at the beginning, for the background. None: the model's labels if the post-processor
          can read them, else COCO's for 80 classes, else the class numbers. `n6post.load` passes a model's labels on.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best class of each
          prior. Numbers begin with 0 for the first class behind the background.
        - `class_agnostic`: Whether a box also suppresses boxes of other classes.
        - `anchors`: The anchors (priors) of the network, a list of its maps in the order of the output, or None if they are
          known. A map is `(columns, rows, [(width, height), ...])`: the sizes are those of the anchors of one cell, in input
          pixels. Centers are those of the cells. If the cells do not divide the input, a fourth item says how far apart they
          are, in pixels.
        - `box_order`: Order of a box's numbers. None: "yxhw" for TensorFlow's SSD MobileNet 300, else "xywh".
        """

class Fomo:
    """Post-processor for Edge Impulse's FOMO: `ml.Model(path, postprocess=n6post.Fomo())`.

    It returns a list of Detection, one for each object, best first. The box surrounds the cells of the object, which FOMO
    finds by its center: it says where the object is, not how large. The only keypoint is the object's center, the mean of
    its cells weighted by their probabilities: `d.keypoint(0)`. `class_id` counts the classes without the background.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    threshold: float
    """Minimum probability of a cell that belongs to an object, 0..1. Edge Impulse's default is 0.5, too."""
    max_detections: int
    """Maximum number of objects to return, the best first, 1..65535."""
    classes: _Classes | None
    """Numbers and labels of the classes to keep; None keeps all. The filter applies to the most probable class of each cell.

    The numbers do not count the background: 0 is the first class besides it.
    """
    labels: _Labels | None
    """Labels of the classes, with or without one for the background: a list, a dict or the path of a .txt file.

    None: the model's labels if the post-processor can read them, else the class numbers. With one label more than classes
    the first one is the background's.
    """
    layout: Literal["NHWC", "NCHW"] | None
    """Layout of the output; None detects it from the shape, whose height and width have the aspect ratio of the input."""

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        max_detections: int = 20,
        classes: _Classes | None = None,
        labels: _Labels | None = None,
        layout: Literal["NHWC", "NCHW"] | None = None,
    ) -> None:
        """Post-processor for Edge Impulse's FOMO: `ml.Model(path, postprocess=n6post.Fomo())`.

        - `threshold`: Minimum probability of a cell that belongs to an object, 0..1. Edge Impulse's default is 0.5, too.
        - `max_detections`: Maximum number of objects to return, the best first, 1..65535.
        - `classes`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the most probable class
          of each cell. The numbers do not count the background: 0 is the first class besides it.
        - `labels`: Labels of the classes, with or without one for the background: a list, a dict or the path of a .txt file.
          None: the model's labels if the post-processor can read them, else the class numbers. With one label more than
          classes the first one is the background's.
        - `layout`: Layout of the output; None detects it from the shape, whose height and width have the aspect ratio of the
          input.
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class BlazeFace(_Detector):
    """Post-processor for MediaPipe's face detection: `ml.Model(path, postprocess=n6post.BlazeFace())`.

    Every detection has `.keypoints`: right eye, left eye, nose tip, mouth, right ear and left ear (the person's own sides).
    They are a float32 array (6, 3): x and y in frame pixels, clipped to the frame, and 1, because the network gives them no
    score. The short-range networks (inputs of 128 and 256) and the full-range network (192) are accepted.

    These networks are trained with pixels in -1..1: pass `n6post.Letterbox(img, scale=(-1, 1))` to a file that takes floats.
    But OpenMV's own file, blazeface_front_128.tflite in /rom, was quantized for 0..1: pass `n6post.Letterbox(img)` or
    `n6post.Crop(img)`, with a threshold of 0.4.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    iou_threshold: float
    """Two boxes whose IoU is larger than this are one object, 0..1."""
    blend_boxes: bool
    """Whether a box and its keypoints become the mean, weighted by score, of all boxes of the same object, as in MediaPipe.

    They jitter less from frame to frame than those of the best box alone, which False returns. The score is that of the best
    box.
    """
    max_candidates: int
    """Maximum number of boxes that enter suppression, the best first, 1..65535. A large face has up to 50 of them."""
    labels: _Labels | None
    """Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.

    None: the model's label if the post-processor can read it, else "face", "palm" or "person".
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.3,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        blend_boxes: bool = True,
    ) -> None:
        """Post-processor for MediaPipe's face detection: `ml.Model(path, postprocess=n6post.BlazeFace())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535. A large face has up to
          50 of them.
        - `labels`: Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.
          None: the model's label if the post-processor can read it, else "face", "palm" or "person".
        - `blend_boxes`: Whether a box and its keypoints become the mean, weighted by score, of all boxes of the same object,
          as in MediaPipe. They jitter less from frame to frame than those of the best box alone, which False returns. The
          score is that of the best box.
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class BlazePalm(BlazeFace):
    """Post-processor for MediaPipe's palm detection: `ml.Model(path, postprocess=n6post.BlazePalm())`.

    Every detection has `.keypoints`: wrist, index finger mcp, middle finger mcp, ring finger mcp, pinky mcp, thumb cmc and
    thumb mcp (mcp is the knuckle, cmc the base of the thumb). They are a float32 array (7, 3): x and y in frame pixels,
    clipped to the frame, and 1. The box surrounds the palm without the fingers.

    Its options are those of BlazeFace. The network is trained with pixels in 0..1: pass `n6post.Letterbox(img)`.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.3,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        blend_boxes: bool = True,
    ) -> None:
        """Post-processor for MediaPipe's palm detection: `ml.Model(path, postprocess=n6post.BlazePalm())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535. A large face has up to
          50 of them.
        - `labels`: Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.
          None: the model's label if the post-processor can read it, else "face", "palm" or "person".
        - `blend_boxes`: Whether a box and its keypoints become the mean, weighted by score, of all boxes of the same object,
          as in MediaPipe. They jitter less from frame to frame than those of the best box alone, which False returns. The
          score is that of the best box.
        """

class BlazePose(BlazeFace):
    """Post-processor for MediaPipe's pose detection: `ml.Model(path, postprocess=n6post.BlazePose())`.

    The box surrounds the face. Every detection has `.keypoints`: the middle of the hips, a point on the circle around the
    whole body, the middle of the shoulders, and a point on the circle around the upper body. They are a float32 array
    (4, 3): x and y in frame pixels, and a score of 1, or of 0 outside of the frame. They may lie outside by up to its width
    or height, as the hips of somebody at a desk do.

    Its options are those of BlazeFace. The network is trained with pixels in -1..1: pass
    `n6post.Letterbox(img, scale=(-1, 1))` to a file that takes floats.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.3,
        max_detections: int = 20,
        max_candidates: int = 100,
        labels: _Labels | None = None,
        blend_boxes: bool = True,
    ) -> None:
        """Post-processor for MediaPipe's pose detection: `ml.Model(path, postprocess=n6post.BlazePose())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535. A large face has up to
          50 of them.
        - `labels`: Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.
          None: the model's label if the post-processor can read it, else "face", "palm" or "person".
        - `blend_boxes`: Whether a box and its keypoints become the mean, weighted by score, of all boxes of the same object,
          as in MediaPipe. They jitter less from frame to frame than those of the best box alone, which False returns. The
          score is that of the best box.
        """

class YuNet(_Detector):
    """Post-processor for the face detector YuNet: `ml.Model(path, postprocess=n6post.YuNet())`.

    Each Detection has five keypoints: right eye, left eye, nose tip, right mouth corner, left mouth corner. "Right" is the
    person's right.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    threshold: float
    """Minimum score of a detection, 0..1.

    The score is the square root of class score * objectness, as in OpenCV. ST's threshold is compared with the product
    itself: its .5 is .71 here.
    """
    iou_threshold: float
    """Two boxes whose IoU is larger than this are one object, 0..1."""
    max_candidates: int
    """Maximum number of boxes that enter suppression, the best first, 1..65535. A face has about ten of them."""
    labels: _Labels | None
    """Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.

    None: the model's label if the post-processor can read it, else "face".
    """

    def __init__(
        self,
        threshold: float = 0.7,
        *,
        iou_threshold: float = 0.3,
        max_detections: int = 20,
        max_candidates: int = 300,
        labels: _Labels | None = None,
    ) -> None:
        """Post-processor for the face detector YuNet: `ml.Model(path, postprocess=n6post.YuNet())`.

        - `threshold`: Minimum score of a detection, 0..1. The score is the square root of class score * objectness, as in
          OpenCV. ST's threshold is compared with the product itself: its .5 is .71 here.
        - `iou_threshold`: Two boxes whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535. A face has about ten of
          them.
        - `labels`: Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.
          None: the model's label if the post-processor can read it, else "face".
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class Scrfd(_Detector):
    """Post-processor for the face detector SCRFD of insightface: `ml.Model(path, postprocess=n6post.Scrfd())`.

    If the network puts out keypoints, each Detection has five: right eye, left eye, nose tip, right mouth corner, left mouth
    corner. "Right" is the person's right.

    It is trained with pixels in -1..1: pass `n6post.Letterbox(img, scale=(-1, 1))` to a file that takes floats. The file
    needs an input of a fixed size.

    ValueError for an option out of range and, at a model's first frame, for outputs that do not belong to this family.
    """

    iou_threshold: float
    """Two boxes whose IoU is larger than this are one object, 0..1."""
    labels: _Labels | None
    """Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.

    None: the model's label if the post-processor can read it, else "face".
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        iou_threshold: float = 0.4,
        max_detections: int = 20,
        max_candidates: int = 300,
        labels: _Labels | None = None,
    ) -> None:
        """Post-processor for the face detector SCRFD of insightface: `ml.Model(path, postprocess=n6post.Scrfd())`.

        - `threshold`: Minimum score of a detection, 0..1.
        - `iou_threshold`: Two boxes whose IoU is larger than this are one object, 0..1.
        - `max_detections`: Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such
          as those in the bars of a Letterbox, are dropped after this limit.
        - `max_candidates`: Maximum number of boxes that enter suppression, the best first, 1..65535.
        - `labels`: Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt file with one line.
          None: the model's label if the post-processor can read it, else "face".
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, Any, None]]: ...

class HandLandmarks:
    """Post-processor for MediaPipe's hand landmarks: `ml.Model(path, postprocess=n6post.HandLandmarks())`.

    It returns a list of at most one Detection with 21 keypoints (`n6post.keypoint_names(21)`). The box surrounds them. The
    input has to show one hand, upright and with some margin: `n6post.Pipeline` cuts it out of the frame.

    hand_landmarks_full_224, which every N6 and AE3 has in its ROM, was quantized with numbers of too small a range: its
    score is 0.5 at most, and no keypoint is further right or further down than pixel 183 of 224. So a threshold above 0.5
    finds nothing there, and the input needs more margin below the hand than MediaPipe's. Pipeline leaves it.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    threshold: float
    """Minimum score of a hand, 0..1."""
    labels: _Labels | None
    """Labels of a left and a right hand: a list of two names, a dict or the path of a .txt file; None: "left hand" and
    "right hand".

    They are right for a camera that does not mirror its picture. For one that does, pass ["right hand", "left hand"].
    """
    first_scalar: Literal["score", "handedness"] | None
    """Which of the two outputs with one number comes first; None: the score is the one next to the keypoints.

    That holds for MediaPipe's files and for the camera's ROM.
    """

    def __init__(
        self,
        threshold: float = 0.4,
        *,
        labels: _Labels | None = None,
        first_scalar: Literal["score", "handedness"] | None = None,
    ) -> None:
        """Post-processor for MediaPipe's hand landmarks: `ml.Model(path, postprocess=n6post.HandLandmarks())`.

        - `threshold`: Minimum score of a hand, 0..1.
        - `labels`: Labels of a left and a right hand: a list of two names, a dict or the path of a .txt file; None: "left
          hand" and "right hand". They are right for a camera that does not mirror its picture. For one that does, pass
          ["right hand", "left hand"].
        - `first_scalar`: Which of the two outputs with one number comes first; None: the score is the one next to the
          keypoints. That holds for MediaPipe's files and for the camera's ROM.
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class FaceLandmarks:
    """Post-processor for MediaPipe's face mesh: `ml.Model(path, postprocess=n6post.FaceLandmarks())`.

    It returns a list of at most one Detection with 468 keypoints, of which `n6post.keypoint_names(468)` names the most
    useful. The box surrounds them; `draw` draws the contours. The input has to show one face, upright and with some margin:
    `n6post.Pipeline` cuts it out of the frame.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    threshold: float
    """Minimum score of a face, 0..1."""
    labels: _Labels | None
    """Label of the face: a list of one name, a dict {0: "face"} or the path of a .txt file with one line; None: "face"."""

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        labels: _Labels | None = None,
    ) -> None:
        """Post-processor for MediaPipe's face mesh: `ml.Model(path, postprocess=n6post.FaceLandmarks())`.

        - `threshold`: Minimum score of a face, 0..1.
        - `labels`: Label of the face: a list of one name, a dict {0: "face"} or the path of a .txt file with one line; None:
          "face".
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class FacePoints:
    """Post-processor for face keypoints without a score: `ml.Model(path, postprocess=n6post.FacePoints())`.

    It is for PFLD and other networks of 2 to 1000 keypoints of x and y. A call returns a list of one Detection, whose score
    is 1.0; its box surrounds the keypoints. The input has to show one face: `n6post.Pipeline` cuts it out of the frame.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    keypoint_units: Literal["pixels", "normalized"] | None
    """"pixels": keypoints are pixels of the model input; "normalized": parts of it, 0..1; None: the first frame shows it."""
    labels: _Labels | None
    """Label of the face: a list of one name, a dict {0: "face"} or the path of a .txt file with one line; None: "face"."""

    def __init__(
        self,
        *,
        keypoint_units: Literal["pixels", "normalized"] | None = None,
        labels: _Labels | None = None,
    ) -> None:
        """Post-processor for face keypoints without a score: `ml.Model(path, postprocess=n6post.FacePoints())`.

        - `keypoint_units`: "pixels": keypoints are pixels of the model input; "normalized": parts of it, 0..1; None: the
          first frame shows it.
        - `labels`: Label of the face: a list of one name, a dict {0: "face"} or the path of a .txt file with one line; None:
          "face".
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class PoseLandmarks:
    """Post-processor for MediaPipe's pose landmarks: `ml.Model(path, postprocess=n6post.PoseLandmarks())`.

    It returns a list of at most one Detection with 35 keypoints (`n6post.keypoint_names(35)`): 33 of the body, whose score
    is their visibility, or 0 outside of the frame; then the middle of the hips and a point on the circle around the body. By
    these two, `n6post.Pipeline` follows the person; their score is -1, so they are never visible. The box surrounds the
    visible keypoints. The input has to show one person, upright and as a whole: `n6post.Pipeline` cuts it out of the frame.

    The mask of the network is not read.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    threshold: float
    """Minimum score of a person, 0..1."""
    keypoint_threshold: float
    """Minimum visibility of a keypoint that counts as visible, 0..1. Detections carry it; `draw` leaves out those below."""
    labels: _Labels | None
    """Label of the person: a list of one name, a dict {0: "person"} or the path of a .txt file with one line; None:
    "person".
    """

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        keypoint_threshold: float = 0.5,
        labels: _Labels | None = None,
    ) -> None:
        """Post-processor for MediaPipe's pose landmarks: `ml.Model(path, postprocess=n6post.PoseLandmarks())`.

        - `threshold`: Minimum score of a person, 0..1.
        - `keypoint_threshold`: Minimum visibility of a keypoint that counts as visible, 0..1. Detections carry it; `draw`
          leaves out those below.
        - `labels`: Label of the person: a list of one name, a dict {0: "person"} or the path of a .txt file with one line;
          None: "person".
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class MoveNet:
    """Post-processor for MoveNet: `ml.Model(path, postprocess=n6post.MoveNet())`.

    It returns a list of at most one Detection with all keypoints, whatever their score. The box surrounds the visible
    keypoints and is at least one pixel wide and high; the score is their mean score. If none is visible, or if the box lies
    in the bars of a Letterbox, the list is empty.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    keypoint_threshold: float
    """Minimum score of a keypoint that counts as visible, 0..1. Detections carry it; `draw` leaves out those below."""
    refine: bool
    """Move each keypoint from the center of its heatmap cell to the top of the parabola through the peak and its neighbors.

    It moves by at most half a cell in x and in y, and not at all at the border of the map.
    """
    labels: _Labels | None
    """Label of the detection: a list of one name, a dict {0: "person"} or the path of a .txt file with one line.

    None: "person". A name for each keypoint is accepted, too, and changes nothing.
    """
    layout: Literal["NHWC", "NCHW", "keypoints"] | None
    """Layout of the output: "NHWC" or "NCHW" for heatmaps, "keypoints" for [1, 1, K, 3]; None detects it from the shape."""

    def __init__(
        self,
        keypoint_threshold: float = 0.3,
        *,
        refine: bool = True,
        labels: _Labels | None = None,
        layout: Literal["NHWC", "NCHW", "keypoints"] | None = None,
    ) -> None:
        """Post-processor for MoveNet: `ml.Model(path, postprocess=n6post.MoveNet())`.

        - `keypoint_threshold`: Minimum score of a keypoint that counts as visible, 0..1. Detections carry it; `draw` leaves
          out those below.
        - `refine`: Move each keypoint from the center of its heatmap cell to the top of the parabola through the peak and
          its neighbors. It moves by at most half a cell in x and in y, and not at all at the border of the map.
        - `labels`: Label of the detection: a list of one name, a dict {0: "person"} or the path of a .txt file with one
          line. None: "person". A name for each keypoint is accepted, too, and changes nothing.
        - `layout`: Layout of the output: "NHWC" or "NCHW" for heatmaps, "keypoints" for [1, 1, K, 3]; None detects it from
          the shape.
        """

    def __call__(
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray, None]]: ...

class DeepLab:
    """Post-processor for semantic segmentation: `ml.Model(path, postprocess=n6post.DeepLab())`.

    A call returns one of two Segmentations that take turns, each with a class map of its own. A result stays valid during
    the next call; the call after that overwrites it (`copy()` keeps it). A new map of 320 x 320 bytes for each frame would
    cost more instructions than the argmax.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    background: int | str | None
    """Number (0..255) or label of the class that is not drawn and that `class_ids` leaves out; None: no class is."""
    threshold: float | None
    """Minimum probability of class 1, between 0 and 1, for a map of one channel; None is 0.5. Other maps take None only."""
    labels: _Labels | None
    """Labels of the classes: a list, a dict {0: "sky", ...} or the path of a .txt file with one label a line.

    None: the model's labels if the post-processor can read them, else Pascal VOC's for 21 classes, else the class numbers. A
    single label for a map of one channel is that of class 1; class 0 is then "background".
    """
    layout: Literal["NHWC", "NCHW"] | None
    """Layout of the output; None detects it from the shape, whose height and width have the aspect ratio of the input.

    A map of another aspect ratio is accepted only if this option is given.
    """
    output_type: Literal["probability", "logit", "class_ids"] | None
    """What a map of one channel holds: probabilities or logits of class 1, or the numbers of classes; None detects it.

    Integers are class numbers if the output is [1, H, W], has no scale, or has scale 1.0 and zero point 0; otherwise
    probabilities if their scale allows only numbers within -1.5..1.5, else logits. Floats are class numbers if the first
    frame holds only whole numbers of 0..255 and one above 1; otherwise probabilities if it lies within 0..1, else logits. A
    first frame of nothing but 0 and 1 does not show the type: then the next frame is examined, too. ValueError, in every
    frame, for class numbers that are not whole numbers of 0..255.
    """

    def __init__(
        self,
        background: int | str | None = 0,
        *,
        threshold: float | None = None,
        labels: _Labels | None = None,
        layout: Literal["NHWC", "NCHW"] | None = None,
        output_type: Literal["probability", "logit", "class_ids"] | None = None,
    ) -> None:
        """Post-processor for semantic segmentation: `ml.Model(path, postprocess=n6post.DeepLab())`.

        - `background`: Number (0..255) or label of the class that is not drawn and that `class_ids` leaves out; None: no
          class is.
        - `threshold`: Minimum probability of class 1, between 0 and 1, for a map of one channel; None is 0.5. Other maps
          take None only.
        - `labels`: Labels of the classes: a list, a dict {0: "sky", ...} or the path of a .txt file with one label a line.
          None: the model's labels if the post-processor can read them, else Pascal VOC's for 21 classes, else the class
          numbers. A single label for a map of one channel is that of class 1; class 0 is then "background".
        - `layout`: Layout of the output; None detects it from the shape, whose height and width have the aspect ratio of the
          input. A map of another aspect ratio is accepted only if this option is given.
        - `output_type`: What a map of one channel holds: probabilities or logits of class 1, or the numbers of classes; None
          detects it. Integers are class numbers if the output is [1, H, W], has no scale, or has scale 1.0 and zero point 0;
          otherwise probabilities if their scale allows only numbers within -1.5..1.5, else logits. Floats are class numbers
          if the first frame holds only whole numbers of 0..255 and one above 1; otherwise probabilities if it lies within
          0..1, else logits. A first frame of nothing but 0 and 1 does not show the type: then the next frame is examined,
          too. ValueError, in every frame, for class numbers that are not whole numbers of 0..255.
        """

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> Segmentation: ...

class Depth:
    """Post-processor for monocular depth: `ml.Model(path, postprocess=n6post.Depth())`.

    A call returns one of two DepthMaps that take turns, each with memory of its own. A result stays valid during the next
    call; the call after that overwrites it (`copy()` keeps it).

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    layout: Literal["NHWC", "NCHW"] | None
    """Layout of the output; None detects it from the shape, whose height and width have the aspect ratio of the input.

    A map of another aspect ratio is accepted only if this option is given.
    """

    def __init__(
        self,
        layout: Literal["NHWC", "NCHW"] | None = None,
    ) -> None:
        """Post-processor for monocular depth: `ml.Model(path, postprocess=n6post.Depth())`.

        - `layout`: Layout of the output; None detects it from the shape, whose height and width have the aspect ratio of the
          input. A map of another aspect ratio is accepted only if this option is given.
        """

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> DepthMap: ...

class Anomaly:
    """Post-processor that learns good frames and finds defects: `ml.Model(path, postprocess=n6post.Anomaly())`.

        anomaly = n6post.Anomaly()
        model = n6post.load("/rom/yolov8n_192_features.tflite", processor=anomaly)
        anomaly.learn(30)
        result = model.predict([n6post.Stretch(img)])
        print(result.verdict, result.objects())

    A call returns an `AnomalyMap`. `learn` says that the next frames are good ones; each is first judged by what was learned
    before it, and the threshold comes from these scores. Show another part, or the next piece of a texture, in each frame:
    the same part twice tells nothing about the next one.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family or
    is not that of the model from which it has learned.
    """

    patches: int
    """How many patches of good frames are kept, 16..1024. Each takes a byte for each channel, and 12 more."""
    positions: bool
    """Whether a patch has to be near a place where good frames have it: so a missing part is found.

    True is for parts that lie still, False for textures and for parts that lie anywhere. A change takes effect after
    `reset()`.
    """
    threshold: float | None
    """The score above which a frame is not a good one, 0..1e6; None: from the scores of the learned frames.

    It is their mean and three standard deviations, from 10 frames on.
    """
    sensitive: bool
    """Whether the threshold is lower, so that one of twenty good frames exceeds it: more defects, and more false alarms."""

    def __init__(
        self,
        patches: int = 256,
        *,
        positions: bool = True,
        threshold: float | None = None,
        sensitive: bool = False,
    ) -> None:
        """Post-processor that learns good frames and finds defects: `ml.Model(path, postprocess=n6post.Anomaly())`.

        - `patches`: How many patches of good frames are kept, 16..1024. Each takes a byte for each channel, and 12 more.
        - `positions`: Whether a patch has to be near a place where good frames have it: so a missing part is found. True is
          for parts that lie still, False for textures and for parts that lie anywhere. A change takes effect after
          `reset()`.
        - `threshold`: The score above which a frame is not a good one, 0..1e6; None: from the scores of the learned frames.
          It is their mean and three standard deviations, from 10 frames on.
        - `sensitive`: Whether the threshold is lower, so that one of twenty good frames exceeds it: more defects, and more
          false alarms.
        """

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> AnomalyMap: ...
    def learn(self, frames: int | None = None) -> None:
        """Learn from the next frames, which are good ones, in addition to what is known.

        - `frames`: how many, 1..1000; 0: stop learning; None: until new frames add hardly anything, that is, `known` is .9,
          after 18 frames at least
        """

    @property
    def learning(self) -> bool:
        """Whether the next frame will be learned."""

    @property
    def learned(self) -> int:
        """The number of frames that were learned."""

    @property
    def known(self) -> float:
        """How well the memory knows such frames, 0..1: a running mean over 8 learned frames.

        It is the part of their cells that added nothing, or, while the memory is not full, n / (n + 1) after n frames.
        """

    def reset(self) -> None:
        """Forget everything that was learned."""

    def to_state(self) -> tuple[dict[str, Any], bytes | bytearray]:
        """What was learned, for State: {"form", "learned"} and the bytes of the memory."""

    def from_state(self, state: Any) -> None:
        """Take over what `to_state` returned."""

class Classifier:
    """Post-processor for image classification: `ml.Model(path, postprocess=n6post.Classifier())`.

    A call returns a `Classification`, the `top_k` best classes with their labels and scores. If the network's numbers are
    logits, it computes their softmax: for integers the quantization shows it, for floats the numbers of the first frames.
    The option `score_type` says it instead.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    threshold: float
    """Minimum score of a class in the result, 0..1."""
    top_k: int
    """Maximum number of classes in the result, 1..1000."""
    labels: _Labels | None
    """Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a line.

    None: the model's labels if the post-processor can read them, else the class numbers. The firmware does not show a
    model's labels to a post-processor; `n6post.load` passes them on.
    """
    score_type: Literal["probability", "logit"] | None
    """What the network's numbers are: probabilities, or logits, which get a softmax; None detects it.

    Integers are probabilities if their scale allows only numbers of 0..1. Floats are probabilities if all are within 0..1;
    if their sum is not 1, the next frame is examined, too.
    """

    def __init__(
        self,
        threshold: float = 0.0,
        *,
        top_k: int = 5,
        labels: _Labels | None = None,
        score_type: Literal["probability", "logit"] | None = None,
    ) -> None:
        """Post-processor for image classification: `ml.Model(path, postprocess=n6post.Classifier())`.

        - `threshold`: Minimum score of a class in the result, 0..1.
        - `top_k`: Maximum number of classes in the result, 1..1000.
        - `labels`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a
          line. None: the model's labels if the post-processor can read them, else the class numbers. The firmware does not
          show a model's labels to a post-processor; `n6post.load` passes them on.
        - `score_type`: What the network's numbers are: probabilities, or logits, which get a softmax; None detects it.
          Integers are probabilities if their scale allows only numbers of 0..1. Floats are probabilities if all are within
          0..1; if their sum is not 1, the next frame is examined, too.
        """

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> Classification: ...

class TextLine:
    """Post-processor for text recognition: `ml.Model(path, postprocess=n6post.TextLine(characters="0123456789"))`.

    A call returns a `Reading`. It needs the characters of the network, in the order of its classes: the option `characters`,
    or the model's labels.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family,
    or that has another number of classes than there are characters.
    """

    threshold: float
    """Minimum score of the text, the mean of its characters' scores, 0..1."""
    characters: _Labels | None
    """The characters of the network, in the order of its classes: a text such as "0123456789", or a list.

    The blank may be among them, first or last, or left out. If two classes are left out, the last is a space, as PP-OCR's.
    None: the option `labels`, or the model's labels.
    """
    pattern: str | None
    """What the text looks like, such as "LLDDDD": it is then the best text that the pattern allows.

    L is a letter from A to Z or a to z, D a digit, X either, * any character. Another character is itself, also one behind
    a backslash. A ? behind one of these makes it optional. No character is made up: if one has a score below .01, nothing is
    read.
    """
    blank: Literal["first", "last"] | None
    """Which class is the blank between characters; None: by the characters, or the one that is more often the best class."""
    score_type: Literal["probability", "logit"] | None
    """What the network's numbers are: probabilities, or logits and their log-softmax; None detects it."""
    labels: _Labels | None
    """The characters as `n6post.load` passes them: a list, a dict {0: "0", ...} or the path of a .txt file, one a line."""

    def __init__(
        self,
        threshold: float = 0.5,
        *,
        characters: _Labels | None = None,
        pattern: str | None = None,
        blank: Literal["first", "last"] | None = None,
        score_type: Literal["probability", "logit"] | None = None,
        labels: _Labels | None = None,
    ) -> None:
        """Post-processor for text recognition: `ml.Model(path, postprocess=n6post.TextLine(characters="0123456789"))`.

        - `threshold`: Minimum score of the text, the mean of its characters' scores, 0..1.
        - `characters`: The characters of the network, in the order of its classes: a text such as "0123456789", or a list.
          The blank may be among them, first or last, or left out. If two classes are left out, the last is a space, as
          PP-OCR's. None: the option `labels`, or the model's labels.
        - `pattern`: What the text looks like, such as "LLDDDD": it is then the best text that the pattern allows. L is a
          letter from A to Z or a to z, D a digit, X either, * any character. Another character is itself, also one behind a
          backslash. A ? behind one of these makes it optional. No character is made up: if one has a score below .01,
          nothing is read.
        - `blank`: Which class is the blank between characters; None: by the characters, or the one that is more often the
          best class.
        - `score_type`: What the network's numbers are: probabilities, or logits and their log-softmax; None detects it.
        - `labels`: The characters as `n6post.load` passes them: a list, a dict {0: "0", ...} or the path of a .txt file, one
          a line.
        """

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> Reading: ...

class Embedding:
    """Post-processor for embeddings: `ml.Model(path, postprocess=n6post.Embedding())`.

    A call returns a float32 array of its own, with length 1 unless `normalize` is False. A network that returns zeros only
    gives a vector of zeros, which is similar to nothing. Of a map of features, as `optimize --features` makes it, the vector
    is the mean over the middle of the picture, half of its width and height.

    ValueError for an option out of range and, at a model's first frame, for an output that does not belong to this family.
    """

    normalize: bool
    """Whether the vector is divided by its length. If not, it has the network's own numbers."""

    def __init__(
        self,
        normalize: bool = True,
    ) -> None:
        """Post-processor for embeddings: `ml.Model(path, postprocess=n6post.Embedding())`.

        - `normalize`: Whether the vector is divided by its length. If not, it has the network's own numbers.
        """

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> ndarray: ...

# ---- over time ----

@type_check_only
class _Track(NamedTuple):
    track_id: int
    """The track's id: 1, 2, 3, ..."""
    rect: _Box
    """(x, y, w, h) as filtered, or as predicted for a lost track."""
    velocity: tuple[float, float]
    """(x, y) in pixels a frame."""
    missed: float
    """Frames since the last detection; 0.0 if it was found in the last update."""
    hits: int
    """Number of detections so far."""
    class_id: int
    """Class number of the last detection."""
    age: float
    """Frames since the first detection."""

    def as_dict(self) -> dict[str, Any]:
        """The track as numbers and lists, for JSON."""

class Tracker(Generic[_Lost]):
    """Gives objects ids that stay from frame to frame.

        tracker = n6post.Tracker()
        detections = tracker.update(model.predict([n6post.Letterbox(img)]))  # once a frame

    It reports an object from its second frame on (`min_hits`). The defaults suit 2 to 30 updates a second. ValueError for
    an option out of range; each option may be assigned between frames.
    """

    threshold: float
    """Minimum score of a detection that begins a track, or is matched to one in the first round, 0..1."""
    low_threshold: float
    """Minimum score of a detection that continues a confirmed track which the first round has left over, 0..1.

    Set the processor's own threshold as low, `YoloV8(threshold=0.1)`: it has to let such detections through. With its
    default of 0.4 everything works, but more tracks are lost.
    """
    max_gap: float
    """Seconds, 0..600, after which a track is dropped that was lost, or continued by low scores alone.

    A track that was in the last update is kept for three of the last intervals if that is longer. Zones, trails and all
    others forget a track `max_gap` after it was dropped.
    """
    min_hits: int
    """Number of high-score detections that confirm a track, 1..1000.

    Unconfirmed tracks have no id and survive one missed frame.
    """
    smooth_boxes: bool
    """Whether the boxes come from the filter of their track; False: as the processor returned them."""
    coast: float
    """Seconds, 0..600, for which a lost track is still returned, at its predicted position.

    Such a detection stands behind the others, has its last score, and its mask and keypoints are None.
    """
    max_distance: float
    """The largest distance at which a detection still matches a track, 1..64: a squared Mahalanobis distance.

    Penalties are added to it for another class and for missed frames. A smaller limit loses objects; a larger one hands ids
    over to other objects.
    """
    max_tracks: int
    """Maximum number of tracks, confirmed or not, 1..1000. Beyond that, the one not seen for longest is dropped."""
    use_masks: bool
    """Whether the filter takes the position from the centroid of the mask, if there is one, instead of the box.

    The centroid jitters half as much as the network's box, and costs some 10,000 instructions a mask.
    """
    smooth_keypoints: bool
    """Whether a One-Euro filter smooths the keypoints of each track; False: as the processor returned them."""

    @overload
    def __init__(
        self: Tracker[Never],
        threshold: float = 0.5,
        *,
        low_threshold: float = 0.1,
        max_gap: float = 2.5,
        min_hits: int = 2,
        smooth_boxes: bool = True,
        coast: Literal[0] = 0,
        max_distance: float = 22.0,
        max_tracks: int = 64,
        use_masks: bool = True,
        smooth_keypoints: bool = False,
    ) -> None:
        """Gives objects ids that stay from frame to frame.

        - `threshold`: Minimum score of a detection that begins a track, or is matched to one in the first round, 0..1.
        - `low_threshold`: Minimum score of a detection that continues a confirmed track which the first round has left over,
          0..1. Set the processor's own threshold as low, `YoloV8(threshold=0.1)`: it has to let such detections through.
          With its default of 0.4 everything works, but more tracks are lost.
        - `max_gap`: Seconds, 0..600, after which a track is dropped that was lost, or continued by low scores alone. A track
          that was in the last update is kept for three of the last intervals if that is longer. Zones, trails and all others
          forget a track `max_gap` after it was dropped.
        - `min_hits`: Number of high-score detections that confirm a track, 1..1000. Unconfirmed tracks have no id and
          survive one missed frame.
        - `smooth_boxes`: Whether the boxes come from the filter of their track; False: as the processor returned them.
        - `coast`: Seconds, 0..600, for which a lost track is still returned, at its predicted position. Such a detection
          stands behind the others, has its last score, and its mask and keypoints are None.
        - `max_distance`: The largest distance at which a detection still matches a track, 1..64: a squared Mahalanobis
          distance. Penalties are added to it for another class and for missed frames. A smaller limit loses objects; a
          larger one hands ids over to other objects.
        - `max_tracks`: Maximum number of tracks, confirmed or not, 1..1000. Beyond that, the one not seen for longest is
          dropped.
        - `use_masks`: Whether the filter takes the position from the centroid of the mask, if there is one, instead of the
          box. The centroid jitters half as much as the network's box, and costs some 10,000 instructions a mask.
        - `smooth_keypoints`: Whether a One-Euro filter smooths the keypoints of each track; False: as the processor returned
          them.
        """

    @overload
    def __init__(
        self: Tracker[None],
        threshold: float = 0.5,
        *,
        low_threshold: float = 0.1,
        max_gap: float = 2.5,
        min_hits: int = 2,
        smooth_boxes: bool = True,
        coast: float = 0,
        max_distance: float = 22.0,
        max_tracks: int = 64,
        use_masks: bool = True,
        smooth_keypoints: bool = False,
    ) -> None:
        """Gives objects ids that stay from frame to frame.

        - `threshold`: Minimum score of a detection that begins a track, or is matched to one in the first round, 0..1.
        - `low_threshold`: Minimum score of a detection that continues a confirmed track which the first round has left over,
          0..1. Set the processor's own threshold as low, `YoloV8(threshold=0.1)`: it has to let such detections through.
          With its default of 0.4 everything works, but more tracks are lost.
        - `max_gap`: Seconds, 0..600, after which a track is dropped that was lost, or continued by low scores alone. A track
          that was in the last update is kept for three of the last intervals if that is longer. Zones, trails and all others
          forget a track `max_gap` after it was dropped.
        - `min_hits`: Number of high-score detections that confirm a track, 1..1000. Unconfirmed tracks have no id and
          survive one missed frame.
        - `smooth_boxes`: Whether the boxes come from the filter of their track; False: as the processor returned them.
        - `coast`: Seconds, 0..600, for which a lost track is still returned, at its predicted position. Such a detection
          stands behind the others, has its last score, and its mask and keypoints are None.
        - `max_distance`: The largest distance at which a detection still matches a track, 1..64: a squared Mahalanobis
          distance. Penalties are added to it for another class and for missed frames. A smaller limit loses objects; a
          larger one hands ids over to other objects.
        - `max_tracks`: Maximum number of tracks, confirmed or not, 1..1000. Beyond that, the one not seen for longest is
          dropped.
        - `use_masks`: Whether the filter takes the position from the centroid of the mask, if there is one, instead of the
          box. The centroid jitters half as much as the network's box, and costs some 10,000 instructions a mask.
        - `smooth_keypoints`: Whether a One-Euro filter smooths the keypoints of each track; False: as the processor returned
          them.
        """

    def update(
        self, detections: Sequence[Detection[_M, _K, Any]], *, elapsed_ms: float | None = None
    ) -> list[Detection[_M | _Lost, _K | _Lost, int]]:
        """The detections of this frame that belong to confirmed tracks, in their order, as new objects with `track_id`.

        - `detections`: list of Detection, as YoloV8, YoloV8Seg, YoloV8Pose or MoveNet return it; it is not changed
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms.
          For the frames of a file, give the time between two of them

        Track ids begin again at 1 after 1,073,741,823. Class, label, score, mask and keypoints are those of the detection. A
        MemoryError during an update leaves the tracker as it was before.
        """

    def reset(self) -> None:
        """Forget all tracks, for a new scene. Track ids continue."""

    @property
    def tracks(self) -> list[_Track]:
        """The confirmed tracks, including lost ones: a list of named tuples.

        - `track_id`: its id
        - `rect`: (x, y, w, h), filtered; predicted for a lost track
        - `velocity`: (x, y), pixels a second
        - `missed`: seconds since its last detection; 0.0 if it was in the last update
        - `hits`: number of detections so far
        - `class_id`: class of the last detection
        - `age`: seconds since its first detection
        """

    @property
    def started(self) -> list[Detection[Any, Any, int]]:
        """The detections of the last update whose tracks it confirmed, as it has returned them: each object once.

        Empty after an update that failed, and after `reset`.
        """

    @property
    def ended(self) -> list[_Track]:
        """The confirmed tracks that the last update gave up, a list of named tuples like `tracks`: each track once.

        A track is given up in the first update that is more than `max_gap` after its last detection. Empty after an update
        that failed, and after `reset`.
        """

    def __copy__(self) -> Tracker[_Lost]: ...

class LineZone:
    """A line from start to end, both (x, y) in frame pixels, that counts the tracks crossing it.

    - `start`, `end`: read-only

    **In** is to the left when you look from start to end, **out** to the right. An object that passes around an end of the
    line has not crossed it. An object that is lost on one side and found again on the other, as the same track, has.

    The margin is at most half of the distance from the line to the farthest corner of the frame on its side, where
    `frame_size` is known.

    ValueError for a line of no length, and for options out of range.
    """

    anchor: _Anchor | tuple[_Anchor, ...]
    """The point of a box that has to cross, or a tuple of several: all of them have to.

    "bottom" is the middle of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box
    if there is none.
    """
    frame_size: tuple[int, int] | None
    """(width, height) of the frame in pixels, for drawing on a picture of another size; None: the first detection's."""
    margin: float
    """Distance beyond the line at which a crossing counts, as a fraction of the box's mean side, 0..10.

    A track that jitters within it stays where it was. Beyond twice the margin, one frame is enough.
    """
    min_frames: int
    """Number of frames beyond the margin, 1..1000, after which a crossing counts.

    Frames within the margin are not counted, and a frame back on the old side starts again.
    """
    count_coasting: bool
    """Whether detections that only coast (`missed` above 0) count as well; False: they are skipped."""
    name: str | None
    """What an Event calls it."""

    def __init__(
        self,
        start: _Point,
        end: _Point,
        *,
        anchor: _Anchor | tuple[_Anchor, ...] = "bottom",
        frame_size: tuple[int, int] | None = None,
        margin: float = 0.2,
        min_frames: int = 2,
        count_coasting: bool = False,
        name: str | None = None,
    ) -> None:
        """A line from start to end, both (x, y) in frame pixels, that counts the tracks crossing it.

        - `start`: The start of the line, (x, y) in frame pixels.
        - `end`: The end of the line, (x, y) in frame pixels.
        - `anchor`: The point of a box that has to cross, or a tuple of several: all of them have to. "bottom" is the middle
          of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box if there is
          none.
        - `frame_size`: (width, height) of the frame in pixels, for drawing on a picture of another size; None: the first
          detection's.
        - `margin`: Distance beyond the line at which a crossing counts, as a fraction of the box's mean side, 0..10. A track
          that jitters within it stays where it was. Beyond twice the margin, one frame is enough.
        - `min_frames`: Number of frames beyond the margin, 1..1000, after which a crossing counts. Frames within the margin
          are not counted, and a frame back on the old side starts again.
        - `count_coasting`: Whether detections that only coast (`missed` above 0) count as well; False: they are skipped.
        - `name`: What an Event calls it.
        """

    @property
    def start(self) -> tuple[int, int]:
        """The start of the line, (x, y) in frame pixels."""

    @property
    def end(self) -> tuple[int, int]:
        """The end of the line, (x, y) in frame pixels."""

    @property
    def in_count(self) -> int:
        """The number of tracks that have crossed in."""

    @property
    def out_count(self) -> int:
        """The number of tracks that have crossed out."""

    @property
    def in_count_per_class(self) -> dict[int, int]:
        """{class_id: count}, by the class that the tracks had when they crossed in."""

    @property
    def out_count_per_class(self) -> dict[int, int]:
        """{class_id: count}, by the class that the tracks had when they crossed out."""

    def trigger(
        self, detections: Sequence[Detection[_M, _K, int]], *, elapsed_ms: float | None = None
    ) -> tuple[list[Detection[_M, _K, int]], list[Detection[_M, _K, int]]]:
        """Count the detections of a frame; returns two lists of them: those that crossed in, and those that crossed out.

        - `detections`: as Tracker.update returns them. ValueError for one without a `track_id`: a crossing takes two frames.
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Those that only coast are skipped, unless `count_coasting` is True. ValueError for a line of Events, which calls this
        itself.
        """

    def reset(self) -> None:
        """Start again: all counts are 0, and no track has been seen."""

    def as_dict(self) -> dict[str, Any]:
        """The line as numbers and lists, for JSON: start, end, in, out."""

    def to_state(self) -> dict[str, Any]:
        """The line and its counts, for State: {"line": [start, end], "in": [[class_id, count], ...], "out": [...]}."""

    def from_state(self, state: dict[str, Any]) -> None:
        """Take over the counts of `to_state`. ValueError if they are those of another line."""

    def draw(
        self,
        img: Image,
        *,
        color: _Color | None = None,
        thickness: int = 2,
        labels: bool = True,
        text_scale: int | None = None,
        roi: tuple[int, int, int, int] | None = None,
    ) -> Image:
        """Draw the zone: a line, an arrow to its left ("in") and its counts, or a polygon and its count. Returns img.

        - `color`: (r, g, b); None: white
        - `thickness`: pixels, 0..100
        - `labels`: whether to write the counts
        - `text_scale`: of the counts, 1 to 8, as for `n6post.draw`
        - `roi`: (x, y, w, h): the part of the frame that `img` shows; None: all of it

        Lines and text have black edges, to be visible on any picture. A picture of another size than `frame_size` is treated
        as the frame, scaled. ValueError as for `n6post.draw`, which does the same.
        """

@type_check_only
class _Visit(NamedTuple):
    """A track that has left a zone."""

    track_id: int
    """The track's id."""
    dwell_time: float
    """Seconds that it was inside."""
    class_id: int
    """Its class number when it was inside last."""
    rect: tuple[int, int, int, int]
    """Its box when it was inside last."""
    ago: float
    """Seconds since it was inside last."""

    def as_dict(self) -> dict[str, Any]:
        """The visit as numbers, for JSON."""

class PolygonZone:
    """A polygon of points (x, y) in frame pixels that reports which detections are inside, and for how long.

    - `points`: three or more, rounded to whole pixels, read-only. If edges cross each other, a part that is surrounded an
      even number of times is outside

    A track that is seen for the first time is where it is, inside or outside, and from then on where it was settled last. A
    detection without a `track_id` is where it is.

    Large objects can enter narrow zones: the margin for entering is at most an eighth of the zone's mean width (its area by
    half of its perimeter), and 0 at edges on the border of the frame. A track that stays nearer to an edge than the margin
    enters after 60 * `min_frames` frames inside in a row.

    ValueError for fewer than three points or points on a line, and for options out of range.
    """

    anchor: _Anchor | tuple[_Anchor, ...]
    """The point of a box that has to be inside, or a tuple of several: all of them have to.

    "bottom" is the middle of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box
    if there is none.
    """
    frame_size: tuple[int, int] | None
    """(width, height) of the frame in pixels, for drawing on a picture of another size; None: the first detection's."""
    margin: float
    """Distance beyond the edge at which a track enters or leaves, as a fraction of the box's mean side, 0..10.

    A track that jitters within it stays where it was. Beyond twice the margin, one frame is enough.
    """
    min_frames: int
    """Number of frames beyond the margin, 1..1000, after which a track has entered or left.

    Frames within the margin are not counted, and a frame back on the old side starts again.
    """
    count_coasting: bool
    """Whether detections that only coast (`missed` above 0) dwell and count as well; False: they are skipped."""
    name: str | None
    """What an Event calls it."""
    max_gap: float | None
    """Seconds, 0..1000000, for which a track may be lost without its dwell time starting again; None: as its Tracker."""
    min_seconds: float
    """Seconds, 0..1000000, that a track has to stay inside before it has entered. A shorter visit is none."""

    def __init__(
        self,
        points: Sequence[_Point] | ndarray,
        *,
        anchor: _Anchor | tuple[_Anchor, ...] = "bottom",
        frame_size: tuple[int, int] | None = None,
        margin: float = 0.2,
        min_frames: int = 2,
        count_coasting: bool = False,
        name: str | None = None,
        max_gap: float | None = None,
        min_seconds: float = 0.0,
    ) -> None:
        """A polygon of points (x, y) in frame pixels that reports which detections are inside, and for how long.

        - `points`: The corners, a list of (x, y) in frame pixels.
        - `anchor`: The point of a box that has to be inside, or a tuple of several: all of them have to. "bottom" is the
          middle of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box if there
          is none.
        - `frame_size`: (width, height) of the frame in pixels, for drawing on a picture of another size; None: the first
          detection's.
        - `margin`: Distance beyond the edge at which a track enters or leaves, as a fraction of the box's mean side, 0..10.
          A track that jitters within it stays where it was. Beyond twice the margin, one frame is enough.
        - `min_frames`: Number of frames beyond the margin, 1..1000, after which a track has entered or left. Frames within
          the margin are not counted, and a frame back on the old side starts again.
        - `count_coasting`: Whether detections that only coast (`missed` above 0) dwell and count as well; False: they are
          skipped.
        - `name`: What an Event calls it.
        - `max_gap`: Seconds, 0..1000000, for which a track may be lost without its dwell time starting again; None: as its
          Tracker.
        - `min_seconds`: Seconds, 0..1000000, that a track has to stay inside before it has entered. A shorter visit is none.
        """

    @property
    def points(self) -> list[tuple[int, int]]:
        """The corners, a list of (x, y) in frame pixels."""

    @property
    def current_count(self) -> int:
        """The number of detections inside in the last frame."""

    @property
    def current_count_per_class(self) -> dict[int, int]:
        """{class_id: count} of the detections inside in the last frame."""

    @property
    def entered(self) -> list[Detection[Any, Any, int]]:
        """The detections whose tracks entered in the last frame. Those that were inside when they were first seen too."""

    @property
    def left(self) -> list[_Visit]:
        """The visits that ended in the last frame, a list of named tuples.

        - `track_id`: its id
        - `dwell_time`: seconds that it was inside
        - `class_id`: its class when it was inside last
        - `rect`: its box then
        - `ago`: how many seconds before this frame that was

        A track that is lost inside has left once it was not seen for `max_gap` seconds.
        """

    @property
    def mean_dwell_time(self) -> float:
        """The mean dwell time of all visits that ended, in seconds; 0.0 before the first."""

    def trigger(
        self, detections: Sequence[Detection[_M, _K, _T]], *, elapsed_ms: float | None = None
    ) -> list[Detection[_M, _K, _T]]:
        """Examine the detections of a frame; returns a list of those inside.

        - `detections`: those with a `track_id`, as Tracker.update returns them, have a dwell time
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Those that only coast are skipped, unless `count_coasting` is True. Their tracks count as lost (`max_gap`).
        ValueError for a zone of Events, which calls this itself.
        """

    def dwell_time(self, track: int | Detection | None) -> float:
        """Seconds that a track has been inside, up to the last frame with it inside; 0.0 for a track that is not inside.

        - `track`: its id, or a Detection
        """

    def contains(self, x: float | _Point | Detection, y: float | None = None) -> bool:
        """Whether frame pixel (x, y), or ((x, y)), is inside; or a Detection, by its anchor point or all of several.

        Left and upper edges belong to a zone, right and lower ones do not.
        """

    def coverage(self, mask: Mask) -> float:
        """The fraction of an object that is inside, 0..1, by the centers of its mask's pixels.

        ValueError for anything but a Mask.
        """

    def occupancy(self, detections: Sequence[Detection]) -> float:
        """The fraction of the zone that detections cover, 0..1, by their masks, else by their boxes.

        What several of them cover counts once. Those that only coast are left out, unless `count_coasting` is True. Of the
        zone's bounding box at most 4,096 pixels are examined, in a regular grid, and where the size of the frame is known,
        only those in the frame. ValueError for anything but a list of Detection.
        """

    def reset(self) -> None:
        """Start again: nothing is inside, and all dwell times are 0."""

    def as_dict(self) -> dict[str, Any]:
        """The zone as numbers and lists, for JSON: points, count, and dwell times in seconds by track."""

    def to_state(self) -> dict[str, Any]:
        """The zone and its visits, for State: {"points": [...], "visits": [number, milliseconds of all]}."""

    def from_state(self, state: dict[str, Any]) -> None:
        """Take over the visits of `to_state`. ValueError if they are those of another polygon."""

    def draw(
        self,
        img: Image,
        *,
        color: _Color | None = None,
        thickness: int = 2,
        labels: bool = True,
        text_scale: int | None = None,
        roi: tuple[int, int, int, int] | None = None,
    ) -> Image:
        """Draw the zone: a line, an arrow to its left ("in") and its counts, or a polygon and its count. Returns img.

        - `color`: (r, g, b); None: white
        - `thickness`: pixels, 0..100
        - `labels`: whether to write the counts
        - `text_scale`: of the counts, 1 to 8, as for `n6post.draw`
        - `roi`: (x, y, w, h): the part of the frame that `img` shows; None: all of it

        Lines and text have black edges, to be visible on any picture. A picture of another size than `frame_size` is treated
        as the frame, scaled. ValueError as for `n6post.draw`, which does the same.
        """

class Hold:
    """Reports what has been true for some seconds: for each track, or for one condition.

    If there are more than 128 tracks, those that are not in the list are forgotten. ValueError for options out of range.
    """

    seconds: float
    """How long it has to be true, in seconds, 0..1000000."""
    release: float
    """How long it may be untrue in between, in seconds, 0..1000000; after that it starts again."""

    def __init__(
        self,
        seconds: float,
        *,
        release: float = 0.5,
    ) -> None:
        """Reports what has been true for some seconds: for each track, or for one condition.

        - `seconds`: How long it has to be true, in seconds, 0..1000000.
        - `release`: How long it may be untrue in between, in seconds, 0..1000000; after that it starts again.
        """

    @overload
    def trigger(self, detections: bool | Literal[0, 1], *, elapsed_ms: float | None = None) -> bool:
        """Examine a frame; returns those that are true now and have been for `seconds`.

        - `detections`: the detections for which it is true, as Tracker.update returns them: it returns some of them. Or True
          or False (or a count, which is true above 0), for a condition without a track: it returns True once that was true
          for `seconds`, until it was untrue for longer than `release`
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Call it in every frame, with an empty list too. Detections that only coast are skipped. ValueError for a detection
        without a `track_id`.
        """

    @overload
    def trigger(
        self, detections: Sequence[Detection[_M, _K, int]], *, elapsed_ms: float | None = None
    ) -> list[Detection[_M, _K, int]]:
        """Examine a frame; returns those that are true now and have been for `seconds`.

        - `detections`: the detections for which it is true, as Tracker.update returns them: it returns some of them. Or True
          or False (or a count, which is true above 0), for a condition without a track: it returns True once that was true
          for `seconds`, until it was untrue for longer than `release`
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Call it in every frame, with an empty list too. Detections that only coast are skipped. ValueError for a detection
        without a `track_id`.
        """

    @property
    def state(self) -> bool | None:
        """What `trigger` returned last for a condition without a track; None until that is sure, and with tracks.

        It is sure once the condition was true for `seconds`, or untrue for `release` (or `seconds`, if that is longer).
        """

    @property
    def changed(self) -> bool:
        """Whether the last call of `trigger` changed `state`, from None too."""

    def held_time(self, track: int | Detection | None = None) -> float:
        """Seconds that it has been true, up to the last frame in which it was; 0.0 once it was untrue for `release`.

        - `track`: a track id, or a Detection; None: of the condition without a track
        """

    def reset(self) -> None:
        """Start again: nothing has been true yet."""

class Steady:
    """The last value that stayed for some seconds: a class, a count or a text without flicker. None before the first.

    Values of any kind are compared with ==. ValueError for an option out of range.
    """

    seconds: float
    """How long a value has to stay, in seconds, 0..1000000."""

    def __init__(
        self,
        seconds: float,
    ) -> None:
        """The last value that stayed for some seconds: a class, a count or a text without flicker. None before the first.

        - `seconds`: How long a value has to stay, in seconds, 0..1000000.
        """

    def update(
        self, value: _Value, *, track: int | Detection | None = None, elapsed_ms: float | None = None
    ) -> _Value | None:
        """Take the value of a frame; returns what the class says. ValueError for a value of another kind.

        - `track`: a track id or a Detection, which has its own value; None: one without a track
        - `elapsed_ms`: milliseconds since the last frame, for all of its tracks the same; None: measured with time.ticks_ms
        """

    def reset(self) -> None:
        """Start again: no value was given yet."""

class Majority:
    """The text that most frames agree on, character by character: a plate without the errors of single frames.

    `update` takes a Reading and returns one. Frames vote with their scores: first for the number of characters, then for
    each of them. Its scores are what all frames gave the character on average, where one that read another character, or
    another number of them, gave 0. A reading without a text, or None, changes nothing. ValueError for anything else and for
    options out of range.
    """

    seconds: float
    """After how many seconds a reading counts half as much, 0.01..1000000."""
    min_frames: int
    """Number of readings that it needs, 1 to 1000. Before, the text is ""."""

    def __init__(
        self,
        seconds: float,
        *,
        min_frames: int = 3,
    ) -> None:
        """The text that most frames agree on, character by character: a plate without the errors of single frames.

        - `seconds`: After how many seconds a reading counts half as much, 0.01..1000000.
        - `min_frames`: Number of readings that it needs, 1 to 1000. Before, the text is "".
        """

    def update(
        self, value: Reading | None, *, track: int | Detection | None = None, elapsed_ms: float | None = None
    ) -> Reading:
        """Take the value of a frame; returns what the class says. ValueError for a value of another kind.

        - `track`: a track id or a Detection, which has its own value; None: one without a track
        - `elapsed_ms`: milliseconds since the last frame, for all of its tracks the same; None: measured with time.ticks_ms
        """

    def reset(self) -> None:
        """Start again: no value was given yet."""

class Fraction:
    """The fraction of the last seconds in which something was true, 0..1.

    Values are True, False or a count. If it was true in one of two frames, half of the time between them counts. Before the
    first one, it was untrue. The fraction is right to 0.01: the seconds are kept in 32 parts, at any frame rate. ValueError
    for an option out of range.
    """

    seconds: float
    """How many seconds, 0.1..1000000. An assignment starts again."""

    def __init__(
        self,
        seconds: float,
    ) -> None:
        """The fraction of the last seconds in which something was true, 0..1.

        - `seconds`: How many seconds, 0.1..1000000. An assignment starts again.
        """

    def update(self, value: int, *, track: int | Detection | None = None, elapsed_ms: float | None = None) -> float:
        """Take the value of a frame; returns what the class says. ValueError for a value of another kind.

        - `track`: a track id or a Detection, which has its own value; None: one without a track
        - `elapsed_ms`: milliseconds since the last frame, for all of its tracks the same; None: measured with time.ticks_ms
        """

    def reset(self) -> None:
        """Start again: no value was given yet."""

class Repetitions:
    """How often a number went from above `high` to below `low` and back: squats, by the angle of a knee.

    - `high`, `low`: a number between the two changes nothing, so jitter does not count

    Values are numbers. None, for a keypoint that is not visible, and NaN change nothing. ValueError if `low` is not below
    `high`.
    """

    def __init__(self, high: float, low: float) -> None: ...

    def update(self, value: float | None, *, track: int | Detection | None = None, elapsed_ms: float | None = None) -> int:
        """Take the value of a frame; returns what the class says. ValueError for a value of another kind.

        - `track`: a track id or a Detection, which has its own value; None: one without a track
        - `elapsed_ms`: milliseconds since the last frame, for all of its tracks the same; None: measured with time.ticks_ms
        """

    def reset(self) -> None:
        """Start again: no value was given yet."""

class Trail:
    """The last positions of every track, to be drawn as lines.

    A track is drawn as long as its Tracker keeps it, and forgotten `max_gap` of the Tracker later. A position takes 4 bytes;
    the memory of a track is allocated once, when it is new. If there are more than 128 tracks, those that are not in the
    frame are forgotten.

    ValueError for options out of range.
    """

    length: int
    """Maximum number of positions of a track, one an update, 2..1000."""
    anchor: _Anchor
    """The point of a box that is followed.

    "bottom" is the middle of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box
    if there is none.
    """
    frame_size: tuple[int, int] | None
    """(width, height) of the frame in pixels, for drawing on a picture of another size; None: the first detection's."""

    def __init__(
        self,
        length: int = 30,
        *,
        anchor: _Anchor = "bottom",
        frame_size: tuple[int, int] | None = None,
    ) -> None:
        """The last positions of every track, to be drawn as lines.

        - `length`: Maximum number of positions of a track, one an update, 2..1000.
        - `anchor`: The point of a box that is followed. "bottom" is the middle of the lower edge, where a person stands;
          "centroid" is that of the mask, or the center of the box if there is none.
        - `frame_size`: (width, height) of the frame in pixels, for drawing on a picture of another size; None: the first
          detection's.
        """

    def update(self, detections: _Tracked, *, elapsed_ms: float | None = None) -> _Tracked:
        """Add the positions of a frame's detections; returns the detections unchanged.

        - `detections`: as Tracker.update returns them. ValueError for a detection without a `track_id`, and for positions
          beyond 16 bits.
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms
        """

    def positions(self, track: int | Detection | None) -> list[tuple[int, int]]:
        """The last frame pixels (x, y) of a track, oldest first; [] for an unknown one. `track`: its id or a Detection."""

    def reset(self) -> None:
        """Forget all positions."""

    def draw(
        self,
        img: Image,
        *,
        color: _Color | None = None,
        thickness: int = 2,
        color_by: Literal["class", "track", "instance"] = "class",
        roi: tuple[int, int, int, int] | None = None,
    ) -> Image:
        """Draw a line through the positions of each track; returns img.

        - `color`: (r, g, b) of all lines; None: colors by color_by
        - `thickness`: pixels, 0..100
        - `color_by`: "class", "track" or "instance", as for `n6post.draw`
        - `roi`: (x, y, w, h): the part of the frame that `img` shows; None: all of it

        A picture of another size than `frame_size` is treated as the frame, scaled. ValueError as for `n6post.draw`, which
        does the same.
        """

class Plane:
    """A flat ground, or another plane, in meters: where things are on it, how far apart, and how fast tracks move.

    - `image_points`: four or more frame pixels (x, y), no three of them in a line
    - `world_points`: the same points on the plane, (x, y) in meters, in any system of coordinates with right angles

    With more than four points the errors of all are balanced (least squares). The farther apart they are in the frame, the
    better. Straight lines have to be straight in the frame: correct the lens first, with the firmware's `lens_corr`.

    ValueError for fewer than four points, for points in a line, for points that are on both sides of the horizon (mostly two
    that were swapped), and for options out of range.
    """

    anchor: _Anchor
    """The point of a box that touches the plane.

    "bottom" is the middle of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box
    if there is none.
    """
    frame_size: tuple[int, int] | None
    """(width, height) of the frame that image_points belong to; None: the first detection's."""
    window: float
    """Seconds, 0.1..60, over which a speed is measured. A longer window smooths more, and follows a change later."""

    def __init__(
        self,
        image_points: Sequence[Sequence[float]] | ndarray,
        world_points: Sequence[Sequence[float]] | ndarray,
        *,
        anchor: _Anchor = "bottom",
        frame_size: tuple[int, int] | None = None,
        window: float = 1.0,
    ) -> None:
        """A flat ground, or another plane, in meters: where things are on it, how far apart, and how fast tracks move.

        - `image_points`: The points in the frame, a list of (x, y) in pixels.
        - `world_points`: The points on the plane, a list of (x, y) in meters.
        - `anchor`: The point of a box that touches the plane. "bottom" is the middle of the lower edge, where a person
          stands; "centroid" is that of the mask, or the center of the box if there is none.
        - `frame_size`: (width, height) of the frame that image_points belong to; None: the first detection's.
        - `window`: Seconds, 0.1..60, over which a speed is measured. A longer window smooths more, and follows a change
          later.
        """

    @property
    def image_points(self) -> list[tuple[float, float]]:
        """The points in the frame, a list of (x, y) in pixels."""

    @property
    def world_points(self) -> list[tuple[float, float]]:
        """The points on the plane, a list of (x, y) in meters."""

    @property
    def max_error(self) -> float:
        """The largest distance in meters between a world point and the place of its image point.

        0 for four points, except for rounding. With more a large one shows a point that was measured wrongly.
        """

    def to_world(
        self, x: float | Sequence[float] | ndarray | Detection, y: float | None = None
    ) -> tuple[float, float] | None:
        """The place (x, y) in meters of a frame pixel (x, y), or ((x, y)), or of a Detection, by its anchor point.

        None on the horizon and above it, where no place of the plane is seen. ValueError for anything else.

        On a camera, numbers are 12 cm apart at 500,000 m, and more exact the smaller they are. This rounds the result, and
        before that world_points. Speeds and distances are not rounded once more.
        """

    def to_image(self, x: float | Sequence[float], y: float | None = None) -> tuple[int, int] | None:
        """The frame pixel (x, y), ints, of a place (x, y), or ((x, y)), in meters; it may lie outside of the frame.

        None for a place behind the camera. ValueError for anything but two numbers.
        """

    def distance(self, a: Sequence[float] | Detection, b: Sequence[float] | Detection) -> float | None:
        """The distance in meters between two pixels (x, y) or Detections, by their anchor points; None without a place."""

    def area(self, result: Mask | Segmentation, class_id: int | str | None = None) -> float | None:
        """The area on the plane of a Mask, or of a class of a Segmentation, square meters; None if it reaches the horizon.

        Each frame pixel is mapped exactly, as a quadrilateral: the error is that of the mask's edge and the plane's points.
        ValueError for anything else, and for a frame of another size.
        """

    def size(self, detection: Detection) -> tuple[float, float | None] | None:
        """(width, height) in meters of an object that stands on the plane, upright, by its box.

        The width is that of the lower edge, the height that of a vertical line from its middle to the upper edge, by a
        camera with square pixels whose axis is the middle of the frame (Z. Zhang: "A flexible new technique for camera
        calibration", 2000), or None if it looks straight down. None in all for what has no place on the plane, and for what
        the frame's border cuts off. ValueError if the frame's size is not known.
        """

    def draw(
        self,
        img: Image,
        *,
        color: _Color | None = None,
        thickness: int = 2,
        labels: bool = True,
        text_scale: int | None = None,
        roi: _Box | None = None,
    ) -> Image:
        """Draw a grid of meters, at most 11 lines each way, and the plane's points, to check them. Returns img.

        Options as for `PolygonZone.draw`; labels are the meters at the ends of the lines.
        """

    def update(self, detections: _Tracked, *, elapsed_ms: float | None = None) -> _Tracked:
        """Note where each track is now; returns the detections unchanged.

        - `detections`: as Tracker.update returns them; those that only coast do not count. ValueError for one without
          `track_id`
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Nor does one that the frame's border cuts off at a side of its box on which the anchor point depends: for "bottom" at
        the left, the right or below.
        """

    def speed(self, track: int | Detection | None) -> float | None:
        """The speed of a track in km/h: the slope of a line through its places in the last `window` seconds.

        - `track`: its id, or a Detection

        Three places over half a window are needed. If the last `window` seconds have less, as at a low frame rate, earlier
        ones are used too, up to three windows old. None while that is not enough, as for a new track, while the frame's
        border cuts the object off, and for an unknown track.
        """

    def velocity(self, track: int | Detection | None) -> tuple[float, float] | None:
        """The velocity (x, y) of a track in meters a second; None as for `speed`."""

    def reset(self) -> None:
        """Forget all tracks."""

class _Event(NamedTuple):
    """What happened to a track."""

    kind: Literal["started", "changed", "entered", "crossed", "left", "ended"]
    """What happened."""
    track_id: int
    """The track's id."""
    label: str
    """Its label."""
    score: float
    """The mean score of its detections so far."""
    rect: tuple[int, int, int, int]
    """Its box when it happened."""
    name: str | None
    """The name of the zone or line; the label before, if it has changed."""
    direction: Literal["in", "out"] | None
    """Across a line."""
    seconds: float
    """Since its first detection; of a visit that has ended: how long it was."""
    speed: float | None
    """In km/h, by the plane: when it happened, for "ended" the mean."""
    picture: bytes | None
    """A JPEG of the track, for "ended"."""

    def as_dict(self) -> dict[str, Any]:
        """X"""

class Events:
    """Reports what happens to tracks: started, entered, left, crossed, changed and ended, each thing once.

    - `zones`, `lines`: lists of PolygonZone and LineZone. `update` calls their `trigger`; a script does not
    - `plane`: a Plane, for speeds. `update` calls its `update`

    A track starts in the first frame in which it passes all filters (`classes`, `min_seconds`, `min_area`, `min_score`).
    What it did before is reported then, too; nothing is reported of a track that never passes. Its class is the one with the
    most evidence of the last seconds, so a single frame of another class changes nothing.

    With `pictures`, the event of the end has the best picture of the track as JPEG: large, sharp, of a high score, whole in
    the frame. At most `max_pictures` tracks have one at a time; then the worst goes. A frame makes at most one picture.

    If there are more than 128 tracks, those that are not in the list are forgotten. ValueError for options out of range.
    """

    pictures: bool
    """Whether the event of a track's end has a picture of it."""
    max_pictures: int
    """Maximum number of tracks that have a picture at a time, 1..1000. A JPEG of a person takes some 5 to 20 KB."""
    classes: Sequence[int | str] | None
    """The class numbers and names to report; None: all."""
    min_seconds: float
    """Seconds since its first detection after which a track starts, 0..1000000."""
    min_area: int
    """Minimum area of a track's box, pixels, when it starts."""
    min_score: float
    """Minimum mean score of the detections of a track when it starts, 0..1."""

    def __init__(
        self,
        *,
        zones: Sequence[PolygonZone] = (),
        lines: Sequence[LineZone] = (),
        plane: Plane | None = None,
        pictures: bool = False,
        max_pictures: int = 4,
        classes: Sequence[int | str] | None = None,
        min_seconds: float = 0.0,
        min_area: int = 0,
        min_score: float = 0.0,
    ) -> None:
        """Reports what happens to tracks: started, entered, left, crossed, changed and ended, each thing once.

        - `pictures`: Whether the event of a track's end has a picture of it.
        - `max_pictures`: Maximum number of tracks that have a picture at a time, 1..1000. A JPEG of a person takes some 5 to
          20 KB.
        - `classes`: The class numbers and names to report; None: all.
        - `min_seconds`: Seconds since its first detection after which a track starts, 0..1000000.
        - `min_area`: Minimum area of a track's box, pixels, when it starts.
        - `min_score`: Minimum mean score of the detections of a track when it starts, 0..1.
        """

    def reset(self) -> None:
        """Forget all tracks. Zones and lines keep their counts."""

    def update(
        self, detections: Sequence[Detection[Any, Any, int]], img: Image | None = None, *, elapsed_ms: float | None = None
    ) -> list[_Event]:
        """What happened in this frame: a list of Event, in the order of the kinds below.

        - `detections`: as Tracker.update returns them; those that only coast count for zones alone
        - `img`: the frame (RGB565 or GRAYSCALE), for `pictures`
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        An Event is a named tuple:

        - `kind`: "started", "changed" (its class), "entered", "crossed", "left" or "ended"
        - `track_id`, `label`, `score`, `rect`: of the track: its id, class, mean score, and box when it happened
        - `name`: of the zone or the line; the label before, if it has changed
        - `direction`: "in" or "out" across a line
        - `seconds`: since the first detection; of a visit that has ended: how long it was
        - `speed`: km/h by the plane: when it happened, for "ended" the mean
        - `picture`: bytes of a JPEG, for "ended"

        What does not apply is None. Call it in every frame, with an empty list too. ValueError for a detection without a
        `track_id`. After a MemoryError, the next call reports what this one has not, but for crossings of a line in this
        frame.
        """

class HeatMap:
    """Counts detections in a grid of cells over the frame, to be drawn as a heat map. Tracks are not needed.

    - `columns`, `rows`: of the grid, 1..255 each, read-only. A cell takes 4 bytes

    Each update adds 1 to the cell with a detection's anchor point, or to every cell that its box touches (`anchor="box"`).

    ValueError for options out of range.
    """

    anchor: _Anchor | Literal["box"]
    """The point of a box that is counted; "box": the whole box.

    "bottom" is the middle of the lower edge, where a person stands; "centroid" is that of the mask, or the center of the box
    if there is none.
    """
    frame_size: tuple[int, int] | None
    """(width, height) of the frame in pixels, for detections that do not know it; None: the first detection's."""
    half_life: float | None
    """Seconds, 0.1..1000000, after which a detection counts half; None: it counts for ever."""

    def __init__(
        self,
        columns: int,
        rows: int,
        *,
        anchor: _Anchor | Literal["box"] = "bottom",
        frame_size: tuple[int, int] | None = None,
        half_life: float | None = None,
    ) -> None:
        """Counts detections in a grid of cells over the frame, to be drawn as a heat map. Tracks are not needed.

        - `columns`: The number of cells in a row.
        - `rows`: The number of rows of cells.
        - `anchor`: The point of a box that is counted; "box": the whole box. "bottom" is the middle of the lower edge, where
          a person stands; "centroid" is that of the mask, or the center of the box if there is none.
        - `frame_size`: (width, height) of the frame in pixels, for detections that do not know it; None: the first
          detection's.
        - `half_life`: Seconds, 0.1..1000000, after which a detection counts half; None: it counts for ever.
        """

    @property
    def columns(self) -> int:
        """The number of cells in a row."""

    @property
    def rows(self) -> int:
        """The number of rows of cells."""

    def update(self, detections: _Detections, *, elapsed_ms: float | None = None) -> _Detections:
        """Count the detections of a frame; returns them unchanged.

        - `detections`: a list of Detection. ValueError if neither they nor `frame_size` tell the size of the frame
        - `elapsed_ms`: for `half_life`, milliseconds since the last call, as time.ticks_diff returns them; None: measured
          with time.ticks_ms

        Detections whose point is not in the frame, and those that only coast, are not counted. If a MemoryError ends a call,
        some detections of that frame are not counted.
        """

    def values(self) -> ndarray:
        """The numbers of all cells as a new float32 array (rows, columns): counts, faded by `half_life`."""

    def value_at(self, x: int | _Point, y: int | None = None) -> float | None:
        """The number of the cell with frame pixel (x, y), or ((x, y)); None outside of the frame or without its size."""

    @property
    def max_cell(self) -> tuple[int, int, int, int] | None:
        """The rect (x, y, w, h) in frame pixels of the cell with the largest number; None while all are 0."""

    def reset(self) -> None:
        """Start again: all cells are 0."""

    def draw(
        self,
        img: Image,
        *,
        palette: Sequence[_Color] | None = None,
        alpha: int = 128,
        maximum: float | None = None,
        smooth: bool = True,
    ) -> Image:
        """Tint `img` (RGB565 or GRAYSCALE) with the map, and return img.

        - `palette`: two or more colors (r, g, b), from low to high; None: violet, red, orange, yellow
        - `alpha`: of the highest numbers, 0..255; low ones are more transparent, and 0 is not drawn
        - `maximum`: the number that has the last color; None: the largest in the map, at least 1
        - `smooth`: True: interpolated between the cells; False: cells with edges, which costs less

        A picture of another size than `frame_size` is treated as the frame, scaled. ValueError as for `n6post.draw`.
        """

    def as_dict(self) -> dict[str, Any]:
        """The map as numbers and lists, for JSON: columns, rows, and the values of each row, rounded to 3 decimals."""

    def to_state(self) -> tuple[dict[str, Any], bytes]:
        """The map for State: {"columns": columns, "rows": rows}, and the bytes of all values, float32."""

    def from_state(self, state: tuple[dict[str, Any], bytes]) -> None:
        """Take over the values of `to_state`. ValueError if they are those of a map of another size."""

class _Match(NamedTuple):
    """Who it is, and how similar: an entry of `Gallery.similarities`."""

    name: str | int
    similarity: float

    def as_dict(self) -> dict[str, Any]:
        """The match as numbers and a text, for JSON."""

class Gallery:
    """Names with the embeddings of each, to find the name of another embedding.

    All vectors have as many numbers as the first. The memory is bounded: 4 bytes for each number of at most `max_names`
    times `max_vectors` vectors. ValueError for an option out of range; each option may be assigned at any time, and limits
    the vectors that come later.
    """

    threshold: float | None
    """Minimum cosine similarity of a match, 0..1, or None: learned from the enrolled vectors, see `least_similarity`.

    It depends on the network and on the pictures: `similarities` shows it for yours. Two pictures of one person have .75 to
    .95 with OSNet, those of two persons mostly .55 to .75.
    """
    max_names: int
    """Maximum number of names, 1..1000."""
    max_vectors: int
    """Maximum number of vectors of a name, 1..100. A further one replaces the oldest."""
    forget_after: float
    """Seconds after which `reidentify` forgets a number that was not seen, 0..1e6."""
    refresh_after: float
    """Seconds after which `reidentify` takes another vector of a track that has its number, 0..1e6."""

    def __init__(
        self,
        threshold: float | None = 0.75,
        *,
        max_names: int = 32,
        max_vectors: int = 4,
        forget_after: float = 60.0,
        refresh_after: float = 2.0,
    ) -> None:
        """Names with the embeddings of each, to find the name of another embedding.

        - `threshold`: Minimum cosine similarity of a match, 0..1, or None: learned from the enrolled vectors, see
          `least_similarity`. It depends on the network and on the pictures: `similarities` shows it for yours. Two pictures
          of one person have .75 to .95 with OSNet, those of two persons mostly .55 to .75.
        - `max_names`: Maximum number of names, 1..1000.
        - `max_vectors`: Maximum number of vectors of a name, 1..100. A further one replaces the oldest.
        - `forget_after`: Seconds after which `reidentify` forgets a number that was not seen, 0..1e6.
        - `refresh_after`: Seconds after which `reidentify` takes another vector of a track that has its number, 0..1e6.
        """

    def reset(self) -> None:
        """Forget everything."""

    @property
    def names(self) -> list[str | int]:
        """All names, those enrolled first at the beginning."""

    @property
    def least_similarity(self) -> float:
        """The similarity that a match needs: `threshold`, or what the enrolled vectors show if that is None.

        Learned, it is the middle between two means: of how similar the vectors of a name are to the others of that name, and
        of how similar they are to each other name. It is 0.75 until there are two names, one of them with two vectors.
        """

    def __len__(self) -> int: ...
    def __contains__(self, name: object) -> bool: ...
    def enroll(self, name: str | int, vector: _Vector) -> None:
        """Add a vector of this name, a text or an int. If there are `max_vectors` of it already, its oldest is dropped.

        Several vectors, of a person from the front, the side and the back, make a match more certain. ValueError for
        anything but a vector of as many numbers as the others, and for a new name if there are `max_names` already.
        """

    def forget(self, name: str | int) -> None:
        """Forget all vectors of a name. ValueError for a name that is not there."""

    def match(self, vector: _Vector) -> _Match | None:
        """The best `Match` (name, similarity) for a vector; None if no similarity reaches the threshold.

        The similarity of a name is the largest cosine similarity of its vectors, -1..1. ValueError for anything but a vector
        of as many numbers as those of the gallery.
        """

    def similarities(self, vector: _Vector) -> list[_Match]:
        """A `Match` for every name, the most similar first, whatever the threshold: to find a good one."""

    def reidentify(
        self,
        detections: Sequence[Detection[_M, _K, int]],
        vectors: Callable[[Detection[_M, _K, int]], _Vector | None] | Sequence[_Vector | None],
        *,
        elapsed_ms: float | None = None,
    ) -> list[Detection[_M, _K, int]]:
        """Give tracks that return their old number: the detections as new objects, with the number as `track_id`.

            detections = tracker.update(model.predict([img]))
            detections = gallery.reidentify(detections, lambda d: osnet.predict([n6post.Stretch(img, roi=d.rect)]))

        - `detections`: as Tracker.update returns them; they are not changed
        - `vectors`: a function that is called with a detection and returns its embedding, or None if it is no good picture
          of the object; or a list with an embedding or None for each detection
        - `elapsed_ms`: milliseconds since the last call, for recorded frames; None: measured

        A new track is compared with everyone who is not in the picture and was seen in the last `forget_after` seconds; the
        most similar pair comes first. A track without a similar one gets the next number: 1, 2, 3, ... It is left out until
        its first vector. The function is called for new tracks and, every `refresh_after` seconds, for one that has its
        number. If there are `max_names`, the one who is away for the longest time is forgotten.

        ValueError for a detection without a `track_id`, a list of another length, and for anything but vectors.
        """

    def as_dict(self) -> dict[str, Any]:
        """The gallery as texts and whole numbers, for `to_json`; `restore` takes it.

        {"vectors": [{"name": "Anna", "vector": [1234, -567, ...]}, ...]}, each number in steps of 1/32767.
        """

    def restore(self, data: dict[str, Any]) -> None:
        """Replace everything by the vectors of `as_dict`, as `json.loads` returns them. ValueError for anything else."""

    def to_state(self) -> tuple[dict[str, Any], bytes]:
        """The gallery for State: {"names": the name of each vector, "next": the next number}, and all vectors, float32."""

    def from_state(self, state: tuple[dict[str, Any], bytes]) -> None:
        """Replace everything by what `to_state` returned. Tracks are new ones, and numbers are not given twice."""

    def __copy__(self) -> Gallery: ...

def cosine_similarity(one: _Vector, other: _Vector) -> float:
    """The cosine of the angle between two vectors, -1..1: 1 for the same direction, 0 for nothing in common.

    - `one`, `other`: arrays or lists of equally many finite numbers, such as the embeddings of two pictures; of any length

    ValueError for anything else. Zeros are similar to nothing: 0.
    """

class _Restored(Protocol):
    def to_state(self) -> Any: ...
    def from_state(self, state: Any, /) -> None: ...

class State:
    """Keeps objects in files, and restores them when it is made.

    - `path`: of a folder for it, which is made if it is not there
    - `objects`: by name: LineZone, PolygonZone, HeatMap, Gallery, dicts, lists, or anything that has `to_state()`, which
      returns what json can write, or a tuple of that and bytes, and `from_state(state)`, which takes it back

    Prints a sentence about everything that could not be restored. ValueError for other objects and options.
    """

    every: float
    """Minimum seconds between two saves, 0..1e6."""

    def __init__(
        self,
        path: str,
        *,
        every: float = 600.0,
        **objects: _Restored | dict[Any, Any] | list[Any],
    ) -> None:
        """Keeps objects in files, and restores them when it is made.

        - `path`: The folder of the state.
        - `every`: Minimum seconds between two saves, 0..1e6.
        """

    @property
    def path(self) -> str:
        """The folder of the state."""

    def save(self, *, force: bool = False) -> bool:
        """Write the state if `every` seconds have passed and something has changed; returns whether it was written.

        - `force`: True: now, without waiting. What has not changed is not written

        If it cannot be written, for example because the disk is full, this prints a sentence, once for each reason, and
        tries again after `every` seconds; the last state stays. ValueError for what JSON cannot hold.
        """

class Collector:
    """Saves frames worth training on, each as NUMBER_REASON_WORTH.jpg, with the boxes that the network found in a .txt.

    - `folder`: where the files are written, for example "/sdcard/collected"; it is made if it is not there

    What makes a frame worth training on:

    - `new`: a class that was never there before
    - `changed`: a track with another class than in the frame before
    - `lost`: a track that was found in three frames or more is not found in this one, and neither the border nor another
      object hides it. Its last box is in the .txt file, too
    - `appeared`: a track that begins away from the border
    - `unsure`: a score below `below`. Choose a processor's `threshold` well below that

    REASON is the first of these that a frame has. WORTH is the mean of all its objects, in hundredths: 100 for one that is
    lost, appears or changes, up to 100 for a low score; 200 more for each new class. A track is the reason once at most for
    each of them, and nothing but a new class is saved that looks like the object of one of the last 100 pictures. Detections
    without a `track_id` can only be new and unsure. ValueError for options out of range.
    """

    below: float
    """Scores below this are unsure, 0..1."""
    every: float
    """Minimum seconds between two pictures, 0..1e6."""
    max_files: int
    """Maximum number of pictures in the folder, 1..100000."""

    def __init__(
        self,
        folder: str,
        *,
        below: float = 0.5,
        every: float = 5.0,
        max_files: int = 1000,
    ) -> None:
        """Saves frames worth training on, each as NUMBER_REASON_WORTH.jpg, with the boxes that the network found in a .txt.

        - `folder`: The folder of the pictures.
        - `below`: Scores below this are unsure, 0..1.
        - `every`: Minimum seconds between two pictures, 0..1e6.
        - `max_files`: Maximum number of pictures in the folder, 1..100000.
        """

    def reset(self) -> None:
        """Forget all tracks, and what the saved pictures show. The files stay."""

    @property
    def folder(self) -> str:
        """The folder of the pictures."""

    @property
    def count(self) -> int:
        """The number of pictures in the folder."""

    def update(
        self, detections: Sequence[Detection[Any, Any, Any]], img: Image, *, elapsed_ms: float | None = None
    ) -> str | None:
        """Examine a frame; returns the path of the picture that it has saved, or None.

        - `detections`: as Tracker.update returns them, or without a tracker
        - `img`: the frame, RGB565 or GRAYSCALE, before anything is drawn on it
        - `elapsed_ms`: milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Call it in every frame, with an empty list too. If a file cannot be written, for example because the card is full,
        this prints a sentence, once for each reason, and tries again after `every` seconds. ValueError for anything but
        detections and an image.
        """

    def to_state(self) -> tuple[dict[str, Any], bytes]:
        """What the objects of the last pictures look like, and the known classes, for State."""

    def from_state(self, state: tuple[dict[str, Any], bytes]) -> None:
        """Take back what `to_state` returned, so that nothing is saved a second time after a restart."""

# ---- results ----

class Detection(NamedTuple, Generic[_M, _K, _T]):
    """One object or person, as a tuple with names.

    It also has `track_id`, `age`, `missed`, `velocity`, `frame_size`, `keypoint_threshold` and `corners`, which are not part
    of the tuple. They are kept by `replace`, by a Tracker and by everything else that makes a detection from another.
    """

    rect: _Box
    """(x, y, w, h), ints, frame pixels, clipped to the frame."""
    score: float
    """0..1 (a quantized network may give a little more than 1)."""
    class_id: int
    """The class number."""
    label: str
    """The name of the class, or its number as text."""
    mask: _M
    """A `Mask` (YoloV8Seg), else None."""
    keypoints: _K
    """A float array (K, 3): x and y in frame pixels, and a score, 1.0 if the network gives none; None without keypoints."""

    @property
    def track_id(self) -> _T:
        """The number of its track: 1, 2, 3, ... for detections that a Tracker returns; else None. It may be assigned."""

    # Any in place of None: otherwise a script that uses a Tracker would have to test each of them.
    @property
    def age(self) -> float | Any:
        """Seconds since the first detection of its track, 0.0 for that one; None without a track."""

    @property
    def missed(self) -> float | Any:
        """Seconds since the last detection of its track; None without a track.

        0.0 for an object that was detected. Above 0 the detection is a prediction, for one that was not (`Tracker.coast`).
        """

    @property
    def velocity(self) -> tuple[float, float] | Any:
        """The velocity (x, y) of its track, pixels a second; None without a track."""

    @property
    def result(self) -> Any:
        """What the second model of a Pipeline returned for it, as a Classification; else None. Each copy has it, too."""

    @property
    def data(self) -> dict[Any, Any]:
        """A dict of its track, for whatever a script wants to remember of it: `d.data["greeted"] = True`.

        It is empty when it is first asked for, every later detection of the track has it too, and it is forgotten with the
        track. ValueError for a detection that no Tracker has returned.
        """

    @property
    def frame_size(self) -> tuple[int, int] | None:
        """(width, height) of the frame, or None where it is not known. `draw` scales to a picture of another size."""

    @property
    def keypoint_threshold(self) -> float:
        """The minimum score of a keypoint that counts as visible."""

    @property
    def center(self) -> tuple[int, int]:
        """The frame pixel (x, y) in the middle of the box, ints."""

    # Any in place of None: otherwise a script for oriented boxes would have to test each of them.
    @property
    def corners(self) -> ndarray | Any:
        """The corners of an oriented box (YoloV8Obb), float array (4, 2): x and y in frame pixels; else None.

        They are in order, clockwise from the upper left one, and may lie outside of the frame. A copy with another rect, as
        a Tracker makes it, has the corners moved with it.
        """

    @property
    def rotation(self) -> float | Any:
        """The direction of an oriented box: degrees from the x axis to its longer side, clockwise, 0 up to 180; else None.

        0 is horizontal, 90 upright, 45 falls from the upper left to the lower right. If frame and model input have different
        aspect ratios and the picture was stretched, the box is a parallelogram in the frame: `corners` and the direction of
        its sides are exact, its angles are not right ones.
        """

    @property
    def sides(self) -> tuple[float, float] | Any:
        """The lengths (longer, shorter) of the sides of an oriented box, frame pixels, floats; else None."""

    def contains(self, x: int | tuple[int, int], y: int | None = None) -> bool:
        """Whether frame pixel (x, y), or ((x, y)), belongs to the object: to its mask, its oriented box, else its box."""

    def iou(self, other: Detection) -> float:
        """The intersection over union of two boxes, 0..1; of oriented ones as they are turned. Masks have `Mask.iou`.

        ValueError for anything but a Detection of the same frame.
        """

    def overlap(self, other: Detection) -> float:
        """The part of this box that lies in the other, 0..1. Boxes and errors as for `iou`."""

    def roi(self, *, grow: float = 0.0, square: bool = False) -> _Box:
        """The box as a region of interest (x, y, w, h), ints, grown and clipped to the frame. It has at least one pixel.

        - `grow`: the fraction of its width and height by which the box grows on each side, -0.5 to 10, in steps of a
          thousandth; below 0 it shrinks
        - `square`: whether both sides are as long as the longer one, around the same center. A square that leaves the frame
          is moved into it, not cut; one that is larger than the frame has the frame's width or height

        If the frame's size is not known, it is clipped at the left and at the top only. It fits `img.copy(roi=)`,
        `n6post.draw(..., roi=)` and the input transforms. ValueError for a number out of range.
        """

    def crop(
        self, img: Image, *, grow: float = 0.0, square: bool = False, masked: bool = False, color: _Color = (0, 0, 0)
    ) -> Image:
        """The object cut out of the frame (RGB565 or GRAYSCALE): an image of its own, of the same format.

        - `img`: the frame. A picture of another size is treated as the frame, scaled: the crop shows the same part of it
        - `grow`: as for `roi`, whose part of the frame the crop shows
        - `square`: as for `roi`
        - `masked`: whether everything but the object's mask is painted over, as by `Mask.fill_outside`
        - `color`: (r, g, b) of what is painted over

        ValueError for a picture of another aspect ratio, as for `n6post.draw`, and with `masked` for a detection without a
        mask.
        """

    def mean_color(self, img: Image) -> _Color | Any:
        """The mean color (r, g, b) of the object's mask, else of its `rect`, ints from 0 to 255; None for an empty mask.

        - `img`: the frame, as for `Mask.mean_color`

        The middle of a box has less of the background: `d.replace(rect=d.roi(grow=-0.25)).mean_color(img)`.
        """

    def as_dict(self, outline: bool = False) -> dict[str, Any]:
        """The detection as numbers, strings and lists. json.dumps makes the same text of it on a camera and on a PC.

        {"rect": [x, y, w, h], "score": 0.875, "class_id": 2, "label": "car"}. With a mask also "mask": {"rect":
        [x, y, w, h], "area": n, "centroid": [x, y]} and, if `outline` is True, "outline": [[x, y], ...] in it; with
        keypoints also "keypoints": [[x, y, score], ...]; with an oriented box also "corners": [[x, y], ...] and
        "rotation": degrees; for a track also "track_id": n. Scores are rounded to 3 decimals, keypoints and corners to a
        tenth of a pixel; numbers that would then have more than six digits, to whole ones. Values that an empty mask does
        not have and numbers that are not finite are None.
        """

    def replace(
        self,
        *,
        rect: _Box = ...,
        score: float = ...,
        class_id: int = ...,
        label: str = ...,
        mask: Any = ...,
        keypoints: Any = ...,
        track_id: int | None = ...,
        frame_size: tuple[int, int] | None = ...,
        keypoint_threshold: float = ...,
        corners: ndarray | Sequence[Sequence[float]] | None = ...,
    ) -> Detection[_M, _K]:
        """A copy with other values for some fields, and for `track_id`, `frame_size`, `keypoint_threshold` or `corners`.

        If `rect` changes and `corners` do not, they move with it. ValueError for any other name, and for a size or threshold
        that cannot be one.
        """

    def keypoint(  # type: ignore[misc]
        self: Detection[Any, ndarray, Any], keypoint: _Keypoint
    ) -> tuple[int, int, float]:
        """A keypoint by its name (see `keypoint_names`) or index: (x, y, score), x and y being the ints of a frame pixel.

        Draw with it. To measure, take the floats: `d.keypoints[n6post.keypoint_names(17).index("left wrist")]`.

        It was seen if its score is at least the detection's `keypoint_threshold`. ValueError for an unknown keypoint, which
        lists the names, and for a detection without keypoints.
        """

    def angle(  # type: ignore[misc]
        self: Detection[Any, ndarray, Any], first: _Keypoint, middle: _Keypoint, last: _Keypoint
    ) -> float | None:
        """The angle between two limbs that meet at the keypoint `middle`, degrees: 180 for a straight line.

        None if one of the three was not seen (its score is below the detection's `keypoint_threshold`) or lies where the
        middle one does. Keypoints as for `keypoint`.
        """

    def limb_angle(self: Detection[Any, ndarray, Any], a: _Keypoint, b: _Keypoint) -> float | None:  # type: ignore[misc]
        """The angle of a limb with the vertical, degrees: 0 if b is straight below a, 90 if level, 180 if above.

        None if one was not seen or both lie at one place. Keypoints as for `keypoint`.
        """

    def distance(self: Detection[Any, ndarray, Any], a: _Keypoint, b: _Keypoint) -> float | None:  # type: ignore[misc]
        """The distance of two keypoints in frame pixels, a float; None if one was not seen. Keypoints as for `keypoint`."""

    def midpoint(  # type: ignore[misc]
        self: Detection[Any, ndarray, Any], a: _Keypoint, b: _Keypoint
    ) -> tuple[float, float] | None:
        """The point (x, y), floats, halfway between two keypoints; None if one was not seen. Keypoints as for `keypoint`."""

    @property
    def fingers(self) -> tuple[bool, bool, bool, bool, bool]:
        """Which fingers of a hand are stretched: five booleans, thumb, index, middle, ring finger and pinky.

        A stretched finger spans 85 % of the length of its bones in the picture, and leads away from the wrist. One that
        points at the camera is a guess, one with an unseen keypoint is not stretched. ValueError without 21 keypoints.
        """

class _ColorStatistics(NamedTuple):
    """The colors of a mask's pixels, each (r, g, b), ints from 0 to 255."""

    mean: _Color
    stdev: _Color
    min: _Color
    max: _Color

    def as_dict(self) -> dict[str, Any]:
        """The colors as numbers and lists, for JSON."""

class Mask:
    """The pixels of one object.

    - `data`: bytes, a bytearray or a memoryview: h rows of w pixels of the window; 128 and more is inside
    - `window`: (x, y, w, h) in mask pixels: the crop, and neighbors for interpolation if there are any
    - `crop`: (x, y, w, h) in mask pixels: the part that belongs to the object's box
    - `clip`: (x, y, w, h) in frame pixels: nothing is drawn outside
    - `transform`: a MaskTransform

    ValueError for data of another type or size than the window's, and for a crop that is not inside the window.
    """

    def __init__(
        self, data: bytes | bytearray | memoryview, window: _Box, crop: _Box, clip: _Box, transform: Any
    ) -> None: ...
    @property
    def area(self) -> int:
        """The number of frame pixels that the object `contains`, in a frame of fewer than 2^31."""

    @property
    def centroid(self) -> tuple[int, int] | None:
        """The mean (x, y) of the frame pixels that the object `contains`, as the ints of a pixel; None for an empty mask."""

    @property
    def rect(self) -> _Box | None:
        """(x, y, w, h), ints, frame pixels: the bounding box of the mask; None for an empty mask.

        It ends where the interpolated logits cross the threshold, as in `draw`. (`draw` may tint less than half a mask pixel
        beyond the box; that does not count here, nor in `area`.)
        """

    def contains(self, x: int | tuple[int, int], y: int | None = None) -> bool:
        """Whether frame pixel (x, y), or ((x, y)), belongs to the object, as the mask pixel under its center does."""

    @property
    def image(self) -> Image | None:
        """The crop as a GRAYSCALE image at mask resolution, inside from 128 up; None for an empty crop."""

    def to_image(self, width: int | None = None, height: int | None = None) -> Image:
        """A GRAYSCALE image of the frame's size: 255 where `draw` tints, 0 elsewhere.

        For `mask=` of the firmware's own functions. With a width and a height the frame is scaled to that size. It takes one
        byte of heap for each pixel, 307 KB for VGA: keep it, or pass a smaller size. ValueError for one of them alone, and
        without them where the frame's size is not known.
        """

    def mean_color(self, img: Image) -> _Color | Any:
        """The mean color (r, g, b) of the object's pixels, ints from 0 to 255; None for an empty mask.

        - `img`: the frame, RGB565 or GRAYSCALE, whose three numbers are equal. A picture of another size is treated as the
          frame, scaled

        The object's pixels are those that it `contains`, their colors those that the firmware's get_pixel returns.
        ValueError for a picture of another aspect ratio, as for `n6post.draw`.
        """

    def statistics(self, img: Image) -> _ColorStatistics | Any:
        """The colors of the object's pixels: a named tuple (mean, stdev, min, max), each (r, g, b), ints from 0 to 255.

        - `img`: the frame, as for `mean_color`

        stdev is the standard deviation; min and max are those of each channel. None for an empty mask.
        """

    def fill_outside(self, img: Image, *, color: _Color = (0, 0, 0), roi: _Box | None = None) -> Image:
        """Paint everything in `img` (RGB565 or GRAYSCALE) but the object with color (r, g, b), and return img.

        - `img`: the frame. A picture of another size is treated as the frame, scaled
        - `color`: (r, g, b)
        - `roi`: (x, y, w, h): the part of the frame that `img` shows, a crop, which may be scaled; None: all of it

        The object's pixels are those that `draw` tints. ValueError for a picture of another aspect ratio, as for
        `n6post.draw`, and for a roi outside of the frame.
        """

    def iou(self, other: Mask) -> float:
        """The overlap with another Mask, 0..1: intersection over union; 0 where both are empty.

        Masks of one model with the same transform are compared mask pixel by mask pixel, even if they are of two frames.
        Otherwise the mask with the larger pixels is sampled at the pixel centers of the other, only in the part of the frame
        that both networks saw: an object that two overlapping tiles cut in two is compared in the part that both have.
        ValueError for anything but a Mask.
        """

    def draw(self, img: Image, *, color: _Color = (255, 0, 0), alpha: int = 128, antialias: bool | None = None) -> Image:
        """Tint the object in `img` (RGB565 or GRAYSCALE) with color (r, g, b) and alpha 0..255, and return img.

        antialias=False draws blocks of mask pixels with plain draw_image, for which the N6 uses its GPU: the pixels that the
        object `contains`, but the edges of a block may be off by a frame pixel. None chooses as `n6post.draw` does. A
        picture of another size than the frame is treated as the frame, scaled. ValueError for one of another aspect ratio,
        as for `n6post.draw`.
        """

    def outline(self) -> list[tuple[int, int]]:
        """The outer contour of the object's largest part: frame pixels (x, y), clockwise, without repeating the first.

        Each point lies between a pixel inside and its neighbor outside, where the interpolated logit crosses the
        threshold. [] for an empty mask. For `img.draw_line`, areas and shapes.
        """

# Any in place of None: otherwise a script would have to test again what `fraction` tells.
class _Band(NamedTuple):
    """A class in one band of the frame, frame pixels."""

    y: int
    center: int | Any
    left: int | Any
    right: int | Any
    fraction: float

    def as_dict(self) -> dict[str, Any]:
        """The band as numbers, for JSON."""

class Segmentation:
    """A class for every pixel of a map that lies over the frame.

    A class may be given by its number or by its name. ValueError for a name that no class has, or that several have.

    ValueError for a class map of another dtype or shape than its MapTransform's, or one that is not dense.
    """

    class_map: ndarray
    """uint8 array (H, W) of class numbers, at the resolution of the network's output."""

    def __init__(self, class_map: ndarray, transform: Any) -> None: ...
    @property
    def background(self) -> int | None:
        """The number of the class that is not drawn, or None."""

    def copy(self) -> Segmentation:
        """A copy with a class map of its own, which later calls of the processor do not overwrite."""

    def __copy__(self) -> Segmentation:
        """A copy with a class map of its own, which later calls of the processor do not overwrite."""

    def label(self, class_id: int | str) -> str:
        """The name of a class, or its number as text."""

    def class_ids(self, background: bool = False) -> list[int]:
        """The numbers of the classes in the frame, ascending; without the background unless `background` is True."""

    def fraction(self, class_id: int | str) -> float:
        """The fraction of the frame (of the part that the network saw) that has this class, 0..1."""

    def area(self, class_id: int | str) -> int:
        """The number of frame pixels of this class: those for which `class_at` returns it."""

    def class_at(self, x: int | tuple[int, int], y: int | None = None) -> int | None:
        """The class of frame pixel (x, y), or ((x, y)); None outside of the frame or of the part that the network saw."""

    def profile(self, class_id: int | str, *, rows: int = 8) -> list[_Band]:
        """Where a class is in each of several bands of the frame, the lowest band first, for scripts that follow a road.

        - `class_id`: a class, by number or name
        - `rows`: the number of bands, which divide the height of the part of the frame that the network saw

        A list of named tuples (y, center, left, right, fraction), in frame pixels: the middle row of the band, the mean x of
        the class's pixels in it, the first and the last column with one, and the fraction of the band that has the class,
        0..1. center, left and right are None in a band without the class. ValueError for an unknown class, and for more rows
        than that part of the frame has.
        """

    def mask(self, class_id: int | str) -> Mask:
        """A `Mask` of all the pixels of a class, with area, centroid, contains(), outline() and draw()."""

    def objects(self, class_id: int | str, *, min_area: int = 0) -> list[Detection[Mask, None, None]]:
        """The connected parts of a class, a list of Detection, the largest one first, each with its `mask` and score 1.0.

        - `class_id`: a class, by number or name
        - `min_area`: parts with fewer frame pixels are left out

        Pixels of the map that touch, corners included, are connected. ValueError for an unknown class.
        """

    def draw(
        self, img: Image, *, palette: Sequence[_Color | None] | None = None, alpha: int = 128, legend: bool = False
    ) -> Image:
        """Tint every class but the background in `img` (RGB565 or GRAYSCALE), and return img.

        A picture of another size than the frame is treated as the frame, scaled. Each frame pixel gets the color of the
        class that `class_at` returns for it. ValueError for a picture of another aspect ratio, as for `n6post.draw`.

        - `palette`: colors by class, each (r, g, b), or None for a class that is not drawn; classes beyond its end have the
          library's own colors
        - `alpha`: 0..255; below 8 an RGB565 frame does not change, because the firmware cuts alpha to 5 bits
        - `legend`: write the labels of the classes in the frame into the lower left corner
        """

    def as_dict(self, background: bool = False) -> dict[str, Any]:
        """The classes in the frame as numbers, strings and lists. json.dumps makes the same text of it on camera and PC.

        {"classes": [{"class_id": 15, "label": "person", "area": 5120, "fraction": 0.05}, ...]}: the classes of `class_ids`,
        with the fraction rounded to 4 decimals.
        """

class _ClassScore(NamedTuple):
    """A class of a Classification."""

    class_id: int
    label: str
    score: float

    def as_dict(self) -> dict[str, Any]:
        """The class as numbers and a text, for JSON."""

class Classification:
    """The most probable classes of a picture, best first.

        result = classifier.predict([img])
        if result.label == "person" and result.score > 0.8:
            ...
        for class_id, label, score in result:
            print(label, score)

    It has a length, and each item has `class_id`, `label` and `score`. It is empty if no class reaches the threshold.
    """

    def __init__(self, class_ids: list[int], scores: list[float], labels: Sequence[str]) -> None: ...
    @property
    def class_id(self) -> int | None:
        """The number of the best class; None if there is none."""

    @property
    def label(self) -> str | None:
        """The label of the best class; None if there is none."""

    @property
    def score(self) -> float:
        """The score of the best class, 0..1; 0.0 if there is none."""

    def score_of(self, class_id: int | str) -> float:
        """The score of a class, given by number or label; 0.0 for one that is not among the best."""

    def __len__(self) -> int: ...
    def __getitem__(self, at: int) -> _ClassScore: ...
    def __iter__(self) -> Iterator[_ClassScore]: ...
    def draw(self, img: Image, *, color: _Color | None = None) -> Image:
        """Write the best class and its score into the upper left corner of `img` (RGB565 or GRAYSCALE), and return img.

        - `color`: (r, g, b) of the ground behind the text; None: the color of the class
        """

    def as_dict(self) -> dict[str, Any]:
        """The classes as numbers and strings. json.dumps makes the same text of it on a camera and on a PC.

        {"classes": [{"class_id": 1, "label": "person", "score": 0.957}, ...]}, scores rounded to 3 decimals.
        """

class Reading(NamedTuple):
    """A text that was read, its score, and the score of each of its characters.

        reading = reader.predict([img])  # a model with a TextLine
        if reading:
            print(reading.text, reading.score)

    It is false if nothing was read: then its text is "", its score 0.0 and `scores` is empty.
    """

    text: str
    """The text; "" if nothing was read."""
    score: float
    """The score of the text, 0..1: the mean of `scores`."""
    scores: list[float]
    """The score of each character, 0..1."""

    def __bool__(self) -> bool: ...
    def as_dict(self) -> dict[str, Any]:
        """The reading as a text and numbers. json.dumps makes the same text of it on a camera and on a PC.

        {"text": "AB123", "score": 0.957, "scores": [0.99, ...]}, scores rounded to 3 decimals.
        """

    def draw(self, img: Image, *, color: _Color | None = None) -> Image:
        """Write the text and its score into the upper left corner of `img` (RGB565 or GRAYSCALE), and return img.

        - `color`: (r, g, b) of the ground behind the text; None: the color of class 0
        """

class AnomalyMap:
    """How far each cell of a grid over the frame is from the nearest one of good frames."""

    values: ndarray
    """float32 array (H, W) of the distances; 0.0 while nothing is learned."""
    score: float
    """The largest of the distances."""
    threshold: float | None
    """The score above which a frame is not a good one; None if it is not known yet."""
    verdict: Literal["good", "defect", "changed"] | None
    """"changed" is a frame that differs as a whole: other light, another position, out of focus. None: no threshold."""

    def __init__(
        self,
        values: ndarray,
        transform: Any,
        threshold: float | None = None,
        verdict: Literal["good", "defect", "changed"] | None = None,
    ) -> None: ...
    @property
    def shape(self) -> tuple[int, int]:
        """(height, width) of the grid."""

    def value_at(self, x: int | tuple[int, int], y: int | None = None) -> float | None:
        """The distance at frame pixel (x, y), or ((x, y)); None outside of the frame or of the part that the network saw."""

    def objects(self, *, min_area: int = 0) -> list[Detection]:
        """The defects as a list of Detection, the worst one first: cells above the threshold that touch, corners included.

        - `min_area`: those with fewer frame pixels are left out

        Each has a `mask`, and the score 1 - threshold / (2 * its largest distance): .5 at the threshold, .75 at twice the
        threshold. The list is empty unless the verdict is "defect".
        """

    def draw(
        self, img: Image, *, palette: Sequence[_Color] | None = None, alpha: int = 128, smooth: bool = True
    ) -> Image:
        """Tint `img` (RGB565 or GRAYSCALE) with the distances, and return img.

        - `palette`: two or more colors (r, g, b), from low to high; None: violet, red, orange, yellow
        - `alpha`: of the largest distances, 0..255; those of good frames are hardly drawn
        - `smooth`: True: interpolated between the cells; False: cells with edges, which costs less

        The last color is that of twice the threshold; without one, of the largest distance. A picture of another size than
        the frame is treated as the frame, scaled. ValueError as for `n6post.draw`.
        """

    def as_dict(self) -> dict[str, Any]:
        """The score, the threshold, both rounded to 3 decimals, the verdict, and the defects as dicts, for JSON."""

class DepthMap:
    """A distance for every pixel of a map that lies over the frame, in the unit of the network (FastDepth: meters).

    A box (x, y, w, h) is in frame pixels; a Detection is taken as its rect. The pixels of the map with their centers in the
    box count, or the one at the middle of a box that is smaller than that.
    """

    raw: ndarray
    """The network's own numbers (H, W), at the resolution of its output: distance = (raw - zero_point) * scale."""
    scale: float
    """Distance of one step of `raw`."""
    zero_point: int
    """The number in `raw` for distance 0."""

    def __init__(self, raw: ndarray, transform: Any, scale: float = 1.0, zero_point: int = 0) -> None: ...
    @property
    def shape(self) -> tuple[int, int]:
        """(height, width) of the map."""

    def copy(self) -> DepthMap:
        """A copy with memory of its own, which later calls of the processor do not overwrite."""

    def __copy__(self) -> DepthMap:
        """A copy with memory of its own, which later calls of the processor do not overwrite."""

    def distances(self) -> ndarray:
        """All distances as a new float32 array (H, W)."""

    def depth_at(self, x: int | tuple[int, int], y: int | None = None) -> float | None:
        """The distance at frame pixel (x, y), or ((x, y)); None outside of the frame or of the part that the network saw."""

    def minimum(self, box: Sequence[float] | Detection | None = None) -> float | None:
        """The smallest distance in a box, or in the whole map; None if the network saw nothing of the box."""

    def median(self, box: Sequence[float] | Detection | None = None) -> float | None:
        """The median distance in a box, or in the whole map; None if the network saw nothing of the box.

        Of two in the middle it is the lower one. It is exact for a network of bytes. For 16 bits and floats, if the box has
        more than 4096 pixels of the map, it is the median of every second or third column and row.
        """

    def maximum(self, box: Sequence[float] | Detection | None = None) -> float | None:
        """The largest distance in a box, or in the whole map; None if the network saw nothing of the box."""

    def fraction(self, zone: PolygonZone | Sequence[float] | Detection, *, nearer: float) -> float | None:
        """The part of a zone that is nearer than a distance, 0..1; None if the network saw nothing of the zone.

        - `zone`: a PolygonZone, by the pixels of the map with their centers inside, or a box
        - `nearer`: the distance
        """

    def draw(
        self,
        img: Image,
        *,
        palette: Sequence[_Color] | None = None,
        alpha: int = 128,
        nearest: float | None = None,
        farthest: float | None = None,
        legend: bool = False,
    ) -> Image:
        """Tint `img` (RGB565 or GRAYSCALE) with the distances, and return img.

        - `palette`: two or more colors (r, g, b), from near to far; None: yellow, red, violet, black
        - `alpha`: 0..255; below 8 an RGB565 frame does not change, because the firmware cuts alpha to 5 bits
        - `nearest`, `farthest`: the distances that have the first and the last color; None: the smallest and largest in the
          map
        - `legend`: write these two distances into the lower left corner

        A picture of another size than the frame is treated as the frame, scaled. ValueError for a picture of another aspect
        ratio, as for `n6post.draw`.
        """

    def as_dict(self) -> dict[str, Any]:
        """The smallest, median and largest distance of the map, rounded to 3 decimals, for JSON."""

def draw(
    img: Image,
    result: (
        Sequence[Detection]
        | Segmentation
        | Classification
        | Reading
        | DepthMap
        | AnomalyMap
        | LineZone
        | PolygonZone
        | Trail
        | HeatMap
        | Plane
        | ndarray
    ),
    *,
    color: _Color | Sequence[_Color | None] | Callable[[Detection], _Color | None] | None = None,
    alpha: int = 128,
    thickness: int = 2,
    masks: bool = True,
    boxes: bool = True,
    labels: bool | Sequence[str | None] | Callable[[Detection], str | None] = True,
    antialias: bool | None = None,
    color_by: Literal["class", "track", "instance"] = "class",
    text_scale: int | None = None,
    roi: tuple[int, int, int, int] | None = None,
) -> Image:
    """Draw a result onto the frame, and return the frame.

    - `img`: an RGB565 or GRAYSCALE image. One of another size than the frame (an LCD's) is treated as the frame, scaled. Its
      aspect ratio must be the frame's, within two pixels: any other picture is a crop, or stretched. A crop with the frame's
      own aspect ratio is not noticed, without `roi`
    - `result`: a list of Detection, a Segmentation, a Classification, a DepthMap, an AnomalyMap, a HeatMap, a Plane, a zone,
      a Trail, or an array (rows, columns) of numbers, which is drawn as a heat map over the whole picture
    - `color`: (r, g, b) for everything; a list of colors, one for each detection; or a function that is called with each
      detection and returns its color. None, also in a list: the colors of `color_by`, and white for zones
    - `alpha`: of masks and class maps, 0..255; below 8 an RGB565 frame does not change, because the firmware cuts alpha to 5
      bits
    - `thickness`: of boxes, zones and trails, pixels, 0..100
    - `masks`: whether to draw masks, and the class map of a Segmentation
    - `boxes`: whether to draw boxes
    - `labels`: True: label and score, after the id of a track ("#3 person 75%"); a list of texts, one for each detection; or
      a function that is called with each detection and returns its text. None or "" is no text. False: no labels. For a
      Segmentation whether to draw its legend, for a zone its counts
    - `antialias`: True: masks with smooth edges; False: blocks of mask pixels, drawn by plain draw_image, for which the N6
      uses its GPU; None: smooth edges if machine code draws them and on a PC, else blocks, which cost a fifth of that
    - `color_by`: what has a color of its own, in masks, boxes, labels and trails:
      - `"class"`: each class; keypoints and limbs are colored by side, left and right
      - `"track"`: each track_id, white for detections without one; keypoints and limbs too
      - `"instance"`: each position in the list; keypoints and limbs too
    - `text_scale`: 1 to 8: how much larger labels, counts and legends are than the font, whose lines are 10 pixels high;
      None: 2 for pictures that are 480 pixels wide or more, else 1
    - `roi`: (x, y, w, h): the part of the frame that `img` shows, a crop of any aspect ratio; None: all of it

    A label is placed above its box. If the label of a better detection is there, it is placed inside at the top, below, or
    inside at the bottom. So are the labels of a second result that is drawn onto the same picture: they do not cover texts
    that are already there.

    ValueError for an image of another format or aspect ratio, an option out of range, and for anything but a result. For a
    class map and for zones color_by must be "class".
    """

def hide(
    img: Image,
    detections: Sequence[Detection],
    *,
    how: Literal["pixelate", "blur", "fill"] = "pixelate",
    color: _Color = (0, 0, 0),
    grow: float = 0.05,
    size: int | None = None,
    roi: tuple[int, int, int, int] | None = None,
) -> Image:
    """Make the objects in a picture unrecognizable, each by its mask or else by its box, and return the picture.

    - `img`: an RGB565 or GRAYSCALE image. One of another size than the frame is treated as the frame, scaled
    - `detections`: a list of Detection
    - `how`: "pixelate": blocks of their mean color; "blur": smooth transitions between these means; "fill": one color
    - `color`: (r, g, b) of "fill"
    - `grow`: by how much the hidden part is larger than the object, on each side: a fraction of its box's size, 0..10
    - `size`: of the blocks, pixels, 2 to 64; None: a sixth of the box's shorter side, at least 8; 4 for "fill"
    - `roi`: (x, y, w, h): the part of the frame that `img` shows; None: all of it

    Whole blocks are hidden: each that the grown box or mask touches. Only a box that is filled is filled exactly. What
    remains of hidden pixels are means of blocks. ValueError for anything else than described, and as for `n6post.draw`.
    """

def text(
    img: Image,
    xy: tuple[int, int],
    what: str,
    *,
    color: _Color = (255, 255, 255),
    scale: int | None = None,
    background: _Color | None = None,
    align: Literal[
        "top_left",
        "top_center",
        "top_right",
        "center_left",
        "center",
        "center_right",
        "bottom_left",
        "bottom_center",
        "bottom_right",
    ] = "top_left",
) -> Image:
    """Write a text into the picture, the same on every firmware, and return the picture.

    - `img`: an RGB565 or GRAYSCALE image
    - `xy`: (x, y), the pixel where the point `align` of the text is. What is outside of the picture is cut off
    - `what`: a str; a line feed begins a new line. Characters other than ASCII have no glyph and are left out
    - `color`: (r, g, b)
    - `scale`: 1 to 8: how much larger than the font, whose lines are 10 pixels high; None: 2 for pictures that are 480
      pixels wide or more, else 1
    - `background`: (r, g, b) of a rectangle behind the text; None: none
    - `align`: which point of the text is at xy: "top_left", "top_center", "top_right", "center_left", "center",
      "center_right", "bottom_left", "bottom_center" or "bottom_right"

    ValueError for an image of another format, and for anything else that is not as described.
    """

@overload
def to_json(result: Any, *, outline: bool = False, stream: None = None) -> str:
    """A result as one line of JSON. `json.loads` of it returns what `as_dict` returns.

    - `result`: a list of Detection, or anything else with `as_dict`: a Detection, a Segmentation, a zone, a HeatMap, a
      Gallery; or a list of such objects: zones, `zone.left`, `tracker.tracks`. None, also in a list, becomes null
    - `outline`: whether to include the outline of every mask of a Detection
    - `stream`: where to write the line: a UART, a socket, a file, sys.stdout or anything else with `write` that takes bytes.
      None: it is returned

    Without a stream it returns a str without a line end. With one it calls `stream.write` once, with the line and a line end
    as bytes, and returns what that returns. This takes less time and hardly any memory. The bytes are a memoryview of a
    buffer that the next call overwrites: a `write` of your own has to send or copy them before it returns. A stream that
    takes only a part, such as a non-blocking socket, returns a smaller number or None, and the rest is lost: send the text
    to it.

    The text is ASCII, and for the same numbers the same on a camera and on a PC. ValueError for anything else.
    """

@overload
def to_json(result: Any, *, outline: bool = False, stream: _Stream[_Written]) -> _Written:
    """A result as one line of JSON. `json.loads` of it returns what `as_dict` returns.

    - `result`: a list of Detection, or anything else with `as_dict`: a Detection, a Segmentation, a zone, a HeatMap, a
      Gallery; or a list of such objects: zones, `zone.left`, `tracker.tracks`. None, also in a list, becomes null
    - `outline`: whether to include the outline of every mask of a Detection
    - `stream`: where to write the line: a UART, a socket, a file, sys.stdout or anything else with `write` that takes bytes.
      None: it is returned

    Without a stream it returns a str without a line end. With one it calls `stream.write` once, with the line and a line end
    as bytes, and returns what that returns. This takes less time and hardly any memory. The bytes are a memoryview of a
    buffer that the next call overwrites: a `write` of your own has to send or copy them before it returns. A stream that
    takes only a part, such as a non-blocking socket, returns a smaller number or None, and the rest is lost: send the text
    to it.

    The text is ASCII, and for the same numbers the same on a camera and on a PC. ValueError for anything else.
    """

@overload
def to_json(result: Any, *, outline: bool = False, stream: TextIO) -> int:
    """A result as one line of JSON. `json.loads` of it returns what `as_dict` returns.

    - `result`: a list of Detection, or anything else with `as_dict`: a Detection, a Segmentation, a zone, a HeatMap, a
      Gallery; or a list of such objects: zones, `zone.left`, `tracker.tracks`. None, also in a list, becomes null
    - `outline`: whether to include the outline of every mask of a Detection
    - `stream`: where to write the line: a UART, a socket, a file, sys.stdout or anything else with `write` that takes bytes.
      None: it is returned

    Without a stream it returns a str without a line end. With one it calls `stream.write` once, with the line and a line end
    as bytes, and returns what that returns. This takes less time and hardly any memory. The bytes are a memoryview of a
    buffer that the next call overwrites: a `write` of your own has to send or copy them before it returns. A stream that
    takes only a part, such as a non-blocking socket, returns a smaller number or None, and the rest is lost: send the text
    to it.

    The text is ASCII, and for the same numbers the same on a camera and on a PC. ValueError for anything else.
    """

def to_bytes(detections: Sequence[Detection]) -> bytearray:
    """Detections as a binary message for a UART, a bytearray: 7 bytes, and 18 for each detection.

    It begins with b"n6", the format's version 1, the number of detections and the size of a record, one byte each. A record
    has, little-endian: class_id and the score in 1/256, rounded down (uint16), track_id (int32; 0 without a track), x, y, w
    and h (int16), and the rotation of an oriented box in 1/100 degree (uint16; 65535 for other boxes). The message ends with
    the CRC-16/CCITT-FALSE of all bytes before it (uint16), which is binascii.crc_hqx(data, 0xFFFF) on a PC.

    The bytes are the same on a camera and on a PC. ValueError for more than 255 detections, for numbers that do not fit, and
    for anything but a list of Detection.
    """

def to_yolo(detections: Iterable[Detection]) -> str:
    """Detections as the text of a label file in YOLO's format: a line "class cx cy w h" for each box.

    cx, cy, w and h are the box's center and size as fractions of the frame's, with 6 decimals. Boxes are clipped to the
    frame; one outside of it has no line. Ultralytics reads the text from a file with the name of the picture and .txt:

        with open("/sdcard/00001.txt", "w") as file:
            file.write(n6post.to_yolo(detections))

    The text is the same on a camera and on a PC. ValueError for a detection that does not know its `frame_size`, and for
    anything but a list of Detection.
    """

class MjpegServer:
    """Shows the frames of a loop in browsers, as MJPEG over HTTP, without ever holding up the loop.

        server = n6post.MjpegServer(8080)  # the network is up; browsers open http://ADDRESS:8080
        while True:
            img = cam.snapshot()
            server.send(img)

    Anybody in the network can watch: there is no password and no encryption.

    OSError if the port cannot be opened.
    """

    port: int
    """TCP port, 1..65535. Assigning another one closes all connections, and the next `send` opens it."""
    quality: int
    """JPEG quality, 1..100."""
    max_clients: int
    """Number of clients that may watch at a time, 1..16. Further ones get the HTTP error 503. Each client takes up to 24 KB
    of the N6's 64 KB of network memory. When that is used up, the firmware waits, so more than 2 may hold up the loop.
    """
    timeout: float
    """Seconds after which a client that takes no byte is dropped, and one that does not ask for anything, 0.1..3600."""

    def __init__(
        self,
        port: int = 8080,
        *,
        quality: int = 50,
        max_clients: int = 2,
        timeout: float = 5.0,
    ) -> None:
        """Shows the frames of a loop in browsers, as MJPEG over HTTP, without ever holding up the loop.

        - `port`: TCP port, 1..65535. Assigning another one closes all connections, and the next `send` opens it.
        - `quality`: JPEG quality, 1..100.
        - `max_clients`: Number of clients that may watch at a time, 1..16. Further ones get the HTTP error 503. Each client
          takes up to 24 KB of the N6's 64 KB of network memory. When that is used up, the firmware waits, so more than 2 may
          hold up the loop.
        - `timeout`: Seconds after which a client that takes no byte is dropped, and one that does not ask for anything,
          0.1..3600.
        """

    @property
    def clients(self) -> int:
        """How many clients watch now."""

    def send(self, img: Image) -> int:
        """Show this frame to the clients that have received the one before. Call it once a frame, after drawing.

        - `img`: the frame. It is compressed once if a client is ready for it, and not otherwise; the picture itself stays as
          it is. A frame that is a JPEG already is sent as it is

        Returns how many clients watch. ValueError for anything but an image. OSError if the port cannot be opened. After a
        MemoryError, clients that watch go on with the next frame; a client whose request was lost is disconnected.
        """

    def poll(self) -> int:
        """Take new clients and pass on what waits, without a new frame. Returns how many clients watch.

        `send` does this as well. A call between the steps of a long loop, such as after `predict`, raises the frame rate of
        clients: the N6 passes on up to 23 KB per client and call.
        """

    def close(self) -> None:
        """Close all connections and the port. The next `send` opens it again."""

def detections(
    rows: Any, *, frame: Image | tuple[int, int] | None = None, labels: _Labels | None = None
) -> list[Detection[Any, Any, None]]:
    """Return a list of Detection, best first, from the results of other post-processors, of find_blobs or of your own code.

    - `rows`: what OpenMV's post-processors return, a list for each class of ([x, y, w, h], score[, keypoints]); or such
      tuples without the lists for classes, or ([x, y, w, h], score, class[, keypoints]); or (x, y, w, h[, score[, class]]),
      also as an array; or dicts as `as_dict` and the JSON of `to_json` have them; or objects with `rect`: blobs, AprilTags,
      QR codes, rectangles, Detections
    - `frame`: the picture, or its (width, height); boxes and keypoints are clipped to it, and boxes outside of it are
      dropped. None: unknown, and nothing is clipped
    - `labels`: class names as for a constructor; without them a label is the class number, such as "0"

    Coordinates are frame pixels. A score that is missing is 1.0, a missing class 0. The class of a blob is the number of its
    first threshold, that of an AprilTag its id; the label of a QR code is its payload. Keypoints are x, y, score; without a
    score it is 1.0. Rows without width or height are dropped, and so are those whose score is NaN or infinite. A keypoint
    with such a number was not seen: it becomes (0, 0) with score 0. Of a dict everything comes back, as rounded as it is
    there, except the mask, of which it has only measurements.

    ValueError for anything else; the message has the number of the row.
    """

def merge(
    detections: Sequence[Detection[_M, _K, _T]],
    *,
    overlap_threshold: float = 0.5,
    metric: Literal["ios", "iou"] = "ios",
    class_agnostic: bool = False,
) -> list[Detection[_M, _K, _T]]:
    """Join the detections that show the same object; returns a list of Detection, best first.

    - `detections`: a list of Detection, all of one frame
    - `overlap_threshold`: overlap from which two boxes are one object, in steps of 0.001
    - `metric`: "ios": intersection over the smaller box, which joins a part with the whole too; "iou": intersection over
      union
    - `class_agnostic`: True: join boxes of different classes too

    The best detection takes in all others that overlap it by `overlap_threshold`, then the best of the rest does, and so on.
    Its box grows around each of them; one that no longer overlaps the grown box by `overlap_threshold` is dropped, as in
    SAHI. Score, class and label are those of the best one. Masks are joined, and of each keypoint the one with the higher
    score is kept. Oriented boxes do not grow: the largest one is kept. A detection that takes in no other is returned as it
    is.

    With "ios", a small object in front of a large one of its class is taken for a part of it. (Tiles never joins two of the
    same tile, for this reason.) ValueError for anything but a list of Detection of one frame, and for options out of range.
    """

def pairs(
    first: Sequence[_A],
    second: Sequence[_B],
    *,
    metric: Literal["overlap", "iou", "ios"] = "overlap",
    overlap_threshold: float = 0.5,
) -> list[tuple[_A, _B]]:
    """Find what belongs together, such as helmets and the people who wear them; returns a list of (a, b), best first.

    - `first`, `second`: lists of Detection, both of one frame
    - `metric`: "overlap": the part of a's box that lies in b's; "iou": intersection over union; "ios": intersection over the
      smaller box
    - `overlap_threshold`: the least overlap of a pair, 0.001 to 1.0, in steps of 0.001

    A detection is in one pair at most: the pair that overlaps most is taken first, then the best of the rest. ValueError for
    anything but two lists of Detection of one frame, and for options out of range.
    """

def read_line(detections: Sequence[Detection], *, gap: str = "?") -> Reading:
    """Read the characters that a detector has found, such as the digits of a meter; returns a `Reading`.

        reading = n6post.read_line(model.predict([img]))
        print(reading.text)  # "04?17": the third digit was not found

    - `detections`: a list of Detection of one frame. The label of each is its character. The text may be tilted by up to 20
      degrees; its lines are read from the top, with a line break between them
    - `gap`: the text for a missing character. Two neighbors have a gap between them if they are twice as far apart as others
      in their line, and a character fits there. It takes three characters. "": gaps are not looked for, for example in a
      text with spaces

    `scores` has the score of each detection, 0.0 for a gap and 1.0 for a line break; the score of the reading is their mean
    without those of line breaks. Of two detections in the same place, the better one is read. What is missing at an end of a
    line is not known. ValueError for anything but a list of Detection of one frame, and for a gap that is no text.
    """

def face_turn(face: Detection[Any, Any, Any]) -> float:
    """How far a face is turned to a side: degrees from -90 to 90, 0 if it looks ahead, above 0 to the right of the picture.

    - `face`: a Detection with the keypoints of a face: five, as YuNet, Scrfd, Ssd and YoloV5 return them, or BlazeFace's six

    It is computed from the distance of the nose tip from the line between the middles of the eyes and of the mouth, for a
    face of average proportions. Whether the head leans to a side does not matter. ValueError for anything else.
    """

def sharpness(img: Image, rect: Sequence[int] | Detection | None = None) -> float:
    """How sharp a picture is: the variance of its Laplacian, a float, 0.0 for one color; blurred ones have less.

    - `img`: an RGB565 or GRAYSCALE image; RGB565 counts as what the firmware's to_grayscale makes of it
    - `rect`: (x, y, w, h), the part of the picture that counts, or a Detection; None: all of it

    The Laplacian is the sum of the four neighbors minus four times the pixel (J. L. Pech-Pacheco et al., "Diatom
    autofocusing in brightfield microscopy", ICPR 2000), of all pixels with neighbors in the part; of more than 4,096, those
    in every second or third column and row, and so on. ValueError for an image of another format, and for other parts.
    """

# An entry is ([x, y, w, h], score) or ([x, y, w, h], score, keypoints): a tuple of either length, which scripts unpack.
def to_openmv(detections: Iterable[Detection]) -> list[list[tuple[Any, ...]]]:
    """Detections in OpenMV's own form: a list for each class, of ([x, y, w, h], score) or (..., score, keypoints) tuples.

    For scripts that were written for the stock post-processors, which draw class by class:

        from ml.utils import draw_predictions

        for i, entries in enumerate(n6post.to_openmv(detections)):
            rects = [entry[0] for entry in entries]
            draw_predictions(img, rects, [labels[i]] * len(rects), [color] * len(rects), format=None)

    There are as many lists as the largest class number needs. ValueError for anything but a list of Detection with class
    numbers from 0 to 65535.
    """

def keypoint_names(keypoint_count: int) -> list[str]:
    """The names of a network's keypoints in their order, a list; numbers as text for keypoints without a name.

    Names are known of 17 keypoints (a person, COCO), 13 (ST's MoveNet), 35 (MediaPipe's pose), 21 (a hand), 7 (a palm), 5
    and 6 (a face), and of some of the 468 of a face mesh. The names of 17 and 13 are the same except for the first, "nose"
    and "head"; `keypoint` and `angle` of a Detection accept either. They also accept "left_elbow" for "left elbow".
    """

# ---- models ----

# Only the model shows which family it will be. A script may therefore ask for anything that the result of one family has.
@type_check_only
class _AnyResult(list[Detection[Mask, ndarray, None]], Segmentation, DepthMap, Classification):  # type: ignore[misc]
    text: str
    score: float
    scores: list[float]
    label: Any  # type: ignore[assignment]
    draw: Any  # type: ignore[assignment]
    as_dict: Any  # type: ignore[assignment]

    def copy(self) -> _AnyResult: ...
    def __copy__(self) -> _AnyResult: ...

# A model of `load` returns _AnyResult, also for embeddings.
_Vector = ndarray | Sequence[float] | _AnyResult

@type_check_only
class _AnyFamily(
    YoloV8Seg,
    YoloV8Pose,
    MoveNet,
    HandLandmarks,
    FaceLandmarks,
    FacePoints,
    PoseLandmarks,
    DeepLab,
    BlazePalm,
    BlazePose,
    YuNet,
    Scrfd,
    Ssd,
    Fomo,
    Classifier,
    TextLine,
    Depth,
    Anomaly,
    Embedding,
    YoloV2,
    YoloV5,
    YoloX,
    NanoDet,
):
    threshold: Any
    anchors: Any
    box_units: Any
    box_order: Any
    layout: Any
    score_type: Any

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> _AnyResult: ...  # type: ignore[override]

@type_check_only
class _DeferredProcessor:
    processor: _AnyFamily
    """The post-processor that does the work, such as a YoloV8."""

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> _AnyResult: ...

@type_check_only
class _LoadedModel(Model[_DeferredProcessor]):
    postprocess: _DeferredProcessor
    """Holds the post-processor of the family that fits, as `postprocess.processor`."""

# Any function or object that can be called with (model, inputs, outputs).
_OwnProcessor = TypeVar("_OwnProcessor", bound=Callable[[Any, list[Any], list[ndarray]], Any])

@type_check_only
class _Options(TypedDict, total=False):
    threshold: float | None
    """`YoloV8(threshold=0.4)`, `YoloV2(threshold=0.5)`, `YoloV5(threshold=0.5)`, `YoloX(threshold=0.5)`,
    `NanoDet(threshold=0.4)`, `BlazeFace(threshold=0.5)`, `Scrfd(threshold=0.5)`: Minimum score of a detection, 0..1.

    `Ssd(threshold=0.5)`: Minimum score of a detection, 0..1. Below .5, the search in scores before the softmax takes
    longer: about .3 M instructions for 4,420 priors of one class, and 3 M for 3,000 priors of 80 classes.

    `Fomo(threshold=0.5)`: Minimum probability of a cell that belongs to an object, 0..1. Edge Impulse's default is
    0.5, too.

    `YuNet(threshold=0.7)`: Minimum score of a detection, 0..1. The score is the square root of class score *
    objectness, as in OpenCV. ST's threshold is compared with the product itself: its .5 is .71 here.

    `HandLandmarks(threshold=0.4)`: Minimum score of a hand, 0..1.

    `FaceLandmarks(threshold=0.5)`: Minimum score of a face, 0..1.

    `PoseLandmarks(threshold=0.5)`: Minimum score of a person, 0..1.

    `DeepLab(threshold=None)`: Minimum probability of class 1, between 0 and 1, for a map of one channel; None is 0.5.
    Other maps take None only.

    `Anomaly(threshold=None)`: The score above which a frame is not a good one, 0..1e6; None: from the scores of the
    learned frames. It is their mean and three standard deviations, from 10 frames on.

    `Classifier(threshold=0.0)`: Minimum score of a class in the result, 0..1.

    `TextLine(threshold=0.5)`: Minimum score of the text, the mean of its characters' scores, 0..1.
    """
    iou_threshold: float
    """`YoloV8(iou_threshold=0.5)`, `YoloV2(iou_threshold=0.5)`, `YoloV5(iou_threshold=0.5)`, `YoloX(iou_threshold=0.5)`,
    `NanoDet(iou_threshold=0.6)`, `Ssd(iou_threshold=0.5)`: Two boxes of a class whose IoU is larger than this are one
    object, 0..1.

    `BlazeFace(iou_threshold=0.3)`, `YuNet(iou_threshold=0.3)`, `Scrfd(iou_threshold=0.4)`: Two boxes whose IoU is
    larger than this are one object, 0..1.
    """
    max_detections: int
    """`YoloV8(max_detections=20)`: Maximum number of detections to return, 1..65535. Detections without a pixel in the
    frame, such as those in the bars of a Letterbox, and those with an empty mask are dropped after this limit, as
    Ultralytics drops empty masks.

    `YoloV2(max_detections=20)`, `YoloV5(max_detections=20)`, `YoloX(max_detections=20)`, `NanoDet(max_detections=20)`,
    `Ssd(max_detections=20)`, `BlazeFace(max_detections=20)`, `YuNet(max_detections=20)`, `Scrfd(max_detections=20)`:
    Maximum number of detections to return, 1..65535. Detections without a pixel in the frame, such as those in the
    bars of a Letterbox, are dropped after this limit.

    `Fomo(max_detections=20)`: Maximum number of objects to return, the best first, 1..65535.
    """
    max_candidates: int
    """`YoloV8(max_candidates=300)`, `YoloV2(max_candidates=100)`, `YoloV5(max_candidates=100)`,
    `YoloX(max_candidates=100)`, `NanoDet(max_candidates=100)`, `Ssd(max_candidates=100)`, `Scrfd(max_candidates=300)`:
    Maximum number of boxes that enter suppression, the best first, 1..65535.

    `BlazeFace(max_candidates=100)`: Maximum number of boxes that enter suppression, the best first, 1..65535. A large
    face has up to 50 of them.

    `YuNet(max_candidates=300)`: Maximum number of boxes that enter suppression, the best first, 1..65535. A face has
    about ten of them.
    """
    labels: _Labels | None
    """`YoloV8(labels=None)`, `YoloV2(labels=None)`, `YoloV5(labels=None)`, `YoloX(labels=None)`, `NanoDet(labels=None)`:
    Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one label a line. None:
    the model's labels if the post-processor can read them, else COCO's for 80 classes, else the class numbers. The
    firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.

    `Ssd(labels=None)`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with one
    label a line. There may be one more at the beginning, for the background. None: the model's labels if the
    post-processor can read them, else COCO's for 80 classes, else the class numbers. `n6post.load` passes a model's
    labels on.

    `Fomo(labels=None)`: Labels of the classes, with or without one for the background: a list, a dict or the path of a
    .txt file. None: the model's labels if the post-processor can read them, else the class numbers. With one label
    more than classes the first one is the background's.

    `BlazeFace(labels=None)`: Label of the detections: a list of one name, a dict {0: "face"} or the path of a .txt
    file with one line. None: the model's label if the post-processor can read it, else "face", "palm" or "person".

    `YuNet(labels=None)`, `Scrfd(labels=None)`: Label of the detections: a list of one name, a dict {0: "face"} or the
    path of a .txt file with one line. None: the model's label if the post-processor can read it, else "face".

    `HandLandmarks(labels=None)`: Labels of a left and a right hand: a list of two names, a dict or the path of a .txt
    file; None: "left hand" and "right hand". They are right for a camera that does not mirror its picture. For one
    that does, pass ["right hand", "left hand"].

    `FaceLandmarks(labels=None)`, `FacePoints(labels=None)`: Label of the face: a list of one name, a dict {0: "face"}
    or the path of a .txt file with one line; None: "face".

    `PoseLandmarks(labels=None)`: Label of the person: a list of one name, a dict {0: "person"} or the path of a .txt
    file with one line; None: "person".

    `MoveNet(labels=None)`: Label of the detection: a list of one name, a dict {0: "person"} or the path of a .txt file
    with one line. None: "person". A name for each keypoint is accepted, too, and changes nothing.

    `DeepLab(labels=None)`: Labels of the classes: a list, a dict {0: "sky", ...} or the path of a .txt file with one
    label a line. None: the model's labels if the post-processor can read them, else Pascal VOC's for 21 classes, else
    the class numbers. A single label for a map of one channel is that of class 1; class 0 is then "background".

    `Classifier(labels=None)`: Labels of the classes: a list, a dict {0: "person", ...} or the path of a .txt file with
    one label a line. None: the model's labels if the post-processor can read them, else the class numbers. The
    firmware does not show a model's labels to a post-processor; `n6post.load` passes them on.

    `TextLine(labels=None)`: The characters as `n6post.load` passes them: a list, a dict {0: "0", ...} or the path of a
    .txt file, one a line.
    """
    nms_sigma: float
    """`YoloV8(nms_sigma=0)`: Sigma of Gaussian Soft-NMS, which returns decayed scores (its paper uses 0.5). 0 suppresses
    overlapping boxes.
    """
    classes: _Classes | None
    """`YoloV8(classes=None)`, `YoloV2(classes=None)`, `YoloV5(classes=None)`, `YoloX(classes=None)`,
    `NanoDet(classes=None)`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best
    class of each anchor.

    `Ssd(classes=None)`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the best
    class of each prior. Numbers begin with 0 for the first class behind the background.

    `Fomo(classes=None)`: Numbers and labels of the classes to keep; None keeps all. The filter applies to the most
    probable class of each cell. The numbers do not count the background: 0 is the first class besides it.
    """
    class_agnostic: bool
    """`YoloV8(class_agnostic=False)`, `YoloV2(class_agnostic=False)`, `YoloV5(class_agnostic=False)`,
    `YoloX(class_agnostic=False)`, `NanoDet(class_agnostic=False)`, `Ssd(class_agnostic=False)`: Whether a box also
    suppresses boxes of other classes.
    """
    box_units: Literal["pixels", "normalized", "cells"] | None
    """`YoloV8(box_units=None)`: Unit of the head's boxes: "pixels" of the model input, or "normalized" to 0..1; None
    detects it from the head.

    `YoloV5(box_units=None)`: Unit of the rows' boxes: "pixels" of the model input, or "normalized" to 0..1; None
    detects it from a frame.

    `YoloX(box_units=None)`: Unit of the rows' boxes: "cells", "pixels" of the model input, or "normalized" to 0..1;
    None detects it from a frame. In "cells", centers are relative to the cell, with logarithms of the sizes: Megvii's
    export without a decode.
    """
    box_order: Literal["xywh", "xyxy", "yxhw"] | None
    """`YoloV8(box_order=None)`: Numbers of a box: "xywh", its center and size, or "xyxy", two corners, as in YOLO-NAS,
    DAMO-YOLO and YOLO-Pro. None detects it: boxes are corners if no corner is on the wrong side of the other. A frame
    that leaves it open, such as one of zeros, is read as "xywh", and the next frame is examined again.

    `Ssd(box_order=None)`: Order of a box's numbers. None: "yxhw" for TensorFlow's SSD MobileNet 300, else "xywh".
    """
    mask_threshold: float
    """`YoloV8Seg(mask_threshold=0.5)`: Probability above which a pixel belongs to the object, between 0 and 1."""
    mask_padding: float | None
    """`YoloV8Seg(mask_padding=None)`: Pixels of the model input by which a box grows before the mask is cropped to it; 0
    crops as Ultralytics does. None: half the step of a quantized box, which restores what its rounding has cut off; 0
    for a float head.
    """
    mask_overlap: float | None
    """`YoloV8Seg(mask_overlap=0.8)`: Drop a detection if more than this fraction of its mask lies inside the mask of a
    better one of its class, 0..1. With `class_agnostic`, the better one may be of any class. An int8 head often finds
    an object twice, in boxes whose IoU is too small for suppression. 0.7 drops more, for use with a Tracker
    (docs/tracking.md). None turns this off, as in Ultralytics.
    """
    refit_boxes: bool
    """`YoloV8Seg(refit_boxes=False)`: Replace each box by the bounding box of its mask, which jitters less than the
    head's own. An int8 head rounds its boxes to steps of several pixels. Costs one `Mask.rect` for each detection.
    """
    keypoint_threshold: float
    """`YoloV8Pose(keypoint_threshold=0.5)`, `MoveNet(keypoint_threshold=0.3)`: Minimum score of a keypoint that counts as
    visible, 0..1. Detections carry it; `draw` leaves out those below.

    `PoseLandmarks(keypoint_threshold=0.5)`: Minimum visibility of a keypoint that counts as visible, 0..1. Detections
    carry it; `draw` leaves out those below.
    """
    class_count: int | None
    """`YoloV8Pose(class_count=None)`: Number of classes of a raw head, 1..65535; None: as many as there are labels, or 1
    without labels. Labels that are as many as one class has keypoints are taken for the names of the keypoints; then
    there is one class.
    """
    score_type: Literal["probability", "logit", "missing"] | None
    """`YoloV8Pose(score_type=None)`: What the third number of a keypoint is: a "probability", 0..1, or a "logit", to
    which the sigmoid is applied; or "missing", if a network with kpt_shape=[K, 2] has only x and y. Then each score is
    1. None detects it at the first frame: only logits can be negative, and what goes with the box is a coordinate.

    `Classifier(score_type=None)`: What the network's numbers are: probabilities, or logits, which get a softmax; None
    detects it. Integers are probabilities if their scale allows only numbers of 0..1. Floats are probabilities if all
    are within 0..1; if their sum is not 1, the next frame is examined, too.

    `TextLine(score_type=None)`: What the network's numbers are: probabilities, or logits and their log-softmax; None
    detects it.
    """
    anchors: _Anchors | Sequence[Any] | None
    """`YoloV2(anchors=None)`: Widths and heights of the anchors of a cell, in cells, as in a darknet .cfg: [(w, h), ...]
    or [w, h, ...]. None: ST's, five: those of yolo_lc for cells of 16 pixels, and those of tiny YOLOv2 for larger
    ones.

    `YoloV5(anchors=None)`: Widths and heights of the anchors in input pixels, for each stride, as in a .yaml of
    YOLOv5: [[w, h, ...], ...]. Only maps need them. None: those of yolov5n to yolov5x or, with `version`, those of
    darknet's .cfg files.

    `YoloX(anchors=None)`: Widths and heights of the anchors of a cell, in parts of the input's width: [(w, h), ...] or
    [w, h, ...]. Only ST's maps need them. None: those of ST's zoo, one or three: the number of channels, the labels
    and a frame show how many.

    `Ssd(anchors=None)`: The anchors (priors) of the network, a list of its maps in the order of the output, or None if
    they are known. A map is `(columns, rows, [(width, height), ...])`: the sizes are those of the anchors of one cell,
    in input pixels. Centers are those of the cells. If the cells do not divide the input, a fourth item says how far
    apart they are, in pixels.
    """
    version: Literal["v3", "v4"] | None
    """`YoloV5(version=None)`: "v3" or "v4": The maps are those of YOLOv3 or YOLOv4, or of their tiny networks. None:
    those of YOLOv5 or YOLOv7. Outputs do not show it: a YOLOv3 and a YOLOv4 of darknet differ in their anchors and in
    scale_x_y.
    """
    layout: Literal["NHWC", "NCHW", "keypoints"] | None
    """`Fomo(layout=None)`: Layout of the output; None detects it from the shape, whose height and width have the aspect
    ratio of the input.

    `MoveNet(layout=None)`: Layout of the output: "NHWC" or "NCHW" for heatmaps, "keypoints" for [1, 1, K, 3]; None
    detects it from the shape.

    `DeepLab(layout=None)`, `Depth(layout=None)`: Layout of the output; None detects it from the shape, whose height
    and width have the aspect ratio of the input. A map of another aspect ratio is accepted only if this option is
    given.
    """
    blend_boxes: bool
    """`BlazeFace(blend_boxes=True)`: Whether a box and its keypoints become the mean, weighted by score, of all boxes of
    the same object, as in MediaPipe. They jitter less from frame to frame than those of the best box alone, which
    False returns. The score is that of the best box.
    """
    first_scalar: Literal["score", "handedness"] | None
    """`HandLandmarks(first_scalar=None)`: Which of the two outputs with one number comes first; None: the score is the
    one next to the keypoints. That holds for MediaPipe's files and for the camera's ROM.
    """
    keypoint_units: Literal["pixels", "normalized"] | None
    """`FacePoints(keypoint_units=None)`: "pixels": keypoints are pixels of the model input; "normalized": parts of it,
    0..1; None: the first frame shows it.
    """
    refine: bool
    """`MoveNet(refine=True)`: Move each keypoint from the center of its heatmap cell to the top of the parabola through
    the peak and its neighbors. It moves by at most half a cell in x and in y, and not at all at the border of the map.
    """
    background: int | str | None
    """`DeepLab(background=0)`: Number (0..255) or label of the class that is not drawn and that `class_ids` leaves out;
    None: no class is.
    """
    output_type: Literal["probability", "logit", "class_ids"] | None
    """`DeepLab(output_type=None)`: What a map of one channel holds: probabilities or logits of class 1, or the numbers of
    classes; None detects it. Integers are class numbers if the output is [1, H, W], has no scale, or has scale 1.0 and
    zero point 0; otherwise probabilities if their scale allows only numbers within -1.5..1.5, else logits. Floats are
    class numbers if the first frame holds only whole numbers of 0..255 and one above 1; otherwise probabilities if it
    lies within 0..1, else logits. A first frame of nothing but 0 and 1 does not show the type: then the next frame is
    examined, too. ValueError, in every frame, for class numbers that are not whole numbers of 0..255.
    """
    patches: int
    """`Anomaly(patches=256)`: How many patches of good frames are kept, 16..1024. Each takes a byte for each channel, and
    12 more.
    """
    positions: bool
    """`Anomaly(positions=True)`: Whether a patch has to be near a place where good frames have it: so a missing part is
    found. True is for parts that lie still, False for textures and for parts that lie anywhere. A change takes effect
    after `reset()`.
    """
    sensitive: bool
    """`Anomaly(sensitive=False)`: Whether the threshold is lower, so that one of twenty good frames exceeds it: more
    defects, and more false alarms.
    """
    top_k: int
    """`Classifier(top_k=5)`: Maximum number of classes in the result, 1..1000."""
    characters: _Labels | None
    """`TextLine(characters=None)`: The characters of the network, in the order of its classes: a text such as
    "0123456789", or a list. The blank may be among them, first or last, or left out. If two classes are left out, the
    last is a space, as PP-OCR's. None: the option `labels`, or the model's labels.
    """
    pattern: str | None
    """`TextLine(pattern=None)`: What the text looks like, such as "LLDDDD": it is then the best text that the pattern
    allows. L is a letter from A to Z or a to z, D a digit, X either, * any character. Another character is itself,
    also one behind a backslash. A ? behind one of these makes it optional. No character is made up: if one has a score
    below .01, nothing is read.
    """
    blank: Literal["first", "last"] | None
    """`TextLine(blank=None)`: Which class is the blank between characters; None: by the characters, or the one that is
    more often the best class.
    """
    normalize: bool
    """`Embedding(normalize=True)`: Whether the vector is divided by its length. If not, it has the network's own numbers."""

def processor_for(model: Model[Any], **options: Unpack[_Options]) -> _AnyFamily:
    """Return the post-processor for a model: that of the family that fits, such as a YoloV8, with these options.

    - `model`: its input_shape, output_shape and labels (or the option `labels`) decide; it does not run

    Pass the result to each call, `model.predict([img], callback=process)`. `load` attaches it to the model instead.

    An option that only some families have rules out the others: with `anchors` it is no DeepLab, with `top_k` no Embedding.

    ValueError if no family fits, or if two do: then pass labels, one per class, or use a constructor. Also if the number of
    labels is not the number of classes (or keypoints), and for a class that the model does not have. TypeError if no family
    that fits has all of the options.

    Options:

    - `YoloV8`: `threshold=0.4`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=300`, `labels=None`,
      `nms_sigma=0`, `classes=None`, `class_agnostic=False`, `box_units=None`, `box_order=None`
    - `YoloV8Seg`: those of YoloV8, and `mask_threshold=0.5`, `mask_padding=None`, `mask_overlap=0.8`, `refit_boxes=False`
    - `YoloV8Pose`: those of YoloV8, and `keypoint_threshold=0.5`, `class_count=None`, `score_type=None`
    - `YoloV8Obb`: those of YoloV8
    - `YoloV2`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`, `anchors=None`
    - `YoloV5`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`, `anchors=None`, `box_units=None`, `version=None`
    - `YoloX`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`, `anchors=None`, `box_units=None`
    - `NanoDet`: `threshold=0.4`, `iou_threshold=0.6`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`
    - `Ssd`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`, `classes=None`,
      `class_agnostic=False`, `anchors=None`, `box_order=None`
    - `Fomo`: `threshold=0.5`, `max_detections=20`, `classes=None`, `labels=None`, `layout=None`
    - `BlazeFace`: `threshold=0.5`, `iou_threshold=0.3`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `blend_boxes=True`
    - `BlazePalm`: those of BlazeFace
    - `BlazePose`: those of BlazeFace
    - `YuNet`: `threshold=0.7`, `iou_threshold=0.3`, `max_detections=20`, `max_candidates=300`, `labels=None`
    - `Scrfd`: `threshold=0.5`, `iou_threshold=0.4`, `max_detections=20`, `max_candidates=300`, `labels=None`
    - `HandLandmarks`: `threshold=0.4`, `labels=None`, `first_scalar=None`
    - `FaceLandmarks`: `threshold=0.5`, `labels=None`
    - `FacePoints`: `keypoint_units=None`, `labels=None`
    - `PoseLandmarks`: `threshold=0.5`, `keypoint_threshold=0.5`, `labels=None`
    - `MoveNet`: `keypoint_threshold=0.3`, `refine=True`, `labels=None`, `layout=None`
    - `DeepLab`: `background=0`, `threshold=None`, `labels=None`, `layout=None`, `output_type=None`
    - `Depth`: `layout=None`
    - `Anomaly`: `patches=256`, `positions=True`, `threshold=None`, `sensitive=False`
    - `Classifier`: `threshold=0.0`, `top_k=5`, `labels=None`, `score_type=None`
    - `TextLine`: `threshold=0.5`, `characters=None`, `pattern=None`, `blank=None`, `score_type=None`, `labels=None`
    - `Embedding`: `normalize=True`
    """

@overload
def load(path: str, *, processor: None = None, **options: Unpack[_Options]) -> _LoadedModel:
    """Open `ml.Model(path)` with the post-processor that fits and the model's labels in it.

    - `path`: the model's file
    - `processor`: a post-processor of your own instead: any function or object that can be called with (model, inputs,
      outputs), or one of n6post's, such as `YoloV8(classes=["person"])`. `predict` returns what it returns. If its attribute
      `labels` is None, it is set to the labels. Give options to the processor itself

    Without the option `labels`, the labels are read from the .txt file beside the model: UTF-8, with one name per line and
    one line per class. The processor itself is `model.postprocess.processor`; with `processor=`, `model.postprocess`.

    ValueError as for `processor_for`, for a .txt file that cannot be used, whose line the message names, and for a processor
    that cannot be called. TypeError for options beside `processor=`. OSError for a file that cannot be read, and
    RuntimeError for one that the camera cannot run.

    Options:

    - `YoloV8`: `threshold=0.4`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=300`, `labels=None`,
      `nms_sigma=0`, `classes=None`, `class_agnostic=False`, `box_units=None`, `box_order=None`
    - `YoloV8Seg`: those of YoloV8, and `mask_threshold=0.5`, `mask_padding=None`, `mask_overlap=0.8`, `refit_boxes=False`
    - `YoloV8Pose`: those of YoloV8, and `keypoint_threshold=0.5`, `class_count=None`, `score_type=None`
    - `YoloV8Obb`: those of YoloV8
    - `YoloV2`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`, `anchors=None`
    - `YoloV5`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`, `anchors=None`, `box_units=None`, `version=None`
    - `YoloX`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`, `anchors=None`, `box_units=None`
    - `NanoDet`: `threshold=0.4`, `iou_threshold=0.6`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `classes=None`, `class_agnostic=False`
    - `Ssd`: `threshold=0.5`, `iou_threshold=0.5`, `max_detections=20`, `max_candidates=100`, `labels=None`, `classes=None`,
      `class_agnostic=False`, `anchors=None`, `box_order=None`
    - `Fomo`: `threshold=0.5`, `max_detections=20`, `classes=None`, `labels=None`, `layout=None`
    - `BlazeFace`: `threshold=0.5`, `iou_threshold=0.3`, `max_detections=20`, `max_candidates=100`, `labels=None`,
      `blend_boxes=True`
    - `BlazePalm`: those of BlazeFace
    - `BlazePose`: those of BlazeFace
    - `YuNet`: `threshold=0.7`, `iou_threshold=0.3`, `max_detections=20`, `max_candidates=300`, `labels=None`
    - `Scrfd`: `threshold=0.5`, `iou_threshold=0.4`, `max_detections=20`, `max_candidates=300`, `labels=None`
    - `HandLandmarks`: `threshold=0.4`, `labels=None`, `first_scalar=None`
    - `FaceLandmarks`: `threshold=0.5`, `labels=None`
    - `FacePoints`: `keypoint_units=None`, `labels=None`
    - `PoseLandmarks`: `threshold=0.5`, `keypoint_threshold=0.5`, `labels=None`
    - `MoveNet`: `keypoint_threshold=0.3`, `refine=True`, `labels=None`, `layout=None`
    - `DeepLab`: `background=0`, `threshold=None`, `labels=None`, `layout=None`, `output_type=None`
    - `Depth`: `layout=None`
    - `Anomaly`: `patches=256`, `positions=True`, `threshold=None`, `sensitive=False`
    - `Classifier`: `threshold=0.0`, `top_k=5`, `labels=None`, `score_type=None`
    - `TextLine`: `threshold=0.5`, `characters=None`, `pattern=None`, `blank=None`, `score_type=None`, `labels=None`
    - `Embedding`: `normalize=True`
    """

@overload
def load(path: str, *, processor: _OwnProcessor) -> Model[_OwnProcessor]:
    """Open `ml.Model(path)` with the post-processor that fits and the model's labels in it.

    - `path`: the model's file
    - `processor`: a post-processor of your own instead: any function or object that can be called with (model, inputs,
      outputs), or one of n6post's, such as `YoloV8(classes=["person"])`. `predict` returns what it returns. If its attribute
      `labels` is None, it is set to the labels. Give options to the processor itself

    Without the option `labels`, the labels are read from the .txt file beside the model: UTF-8, with one name per line and
    one line per class. The processor itself is `model.postprocess.processor`; with `processor=`, `model.postprocess`.

    ValueError as for `processor_for`, for a .txt file that cannot be used, whose line the message names, and for a processor
    that cannot be called. TypeError for options beside `processor=`. OSError for a file that cannot be read, and
    RuntimeError for one that the camera cannot run.
    """

class Pipeline:
    """Two models in turns: a detector finds objects in the frame, and a second model looks at each of them.

    - `detector`, `model`: read-only

    If the second model returns keypoints, its objects are followed: the next region is taken from the keypoints, as long as
    the second model reports them, and the detector rests while `max_detections` objects are followed.

    ValueError for something else than models, and for options out of range.
    """

    max_detections: int
    """Maximum number of objects that the second model looks at in a frame, 1..100."""
    margin: float | None
    """Size of a region as a multiple of the detector's box, 0.1..10.

    None: 3.0 for palms, 1.5 for faces with keypoints of the eyes, 1.25 for anything else. For `PoseLandmarks` it is a
    multiple of the circle around the body.
    """
    follow: bool
    """Whether objects with keypoints are followed without the detector."""
    follow_margin: float | None
    """Size of the region around the keypoints, as a multiple of their bounding box, 0.1..10.

    None: 2.0 for hands (whose box leaves out the fingertips), 1.5 for face meshes, 1.25 for anything else. For
    `PoseLandmarks` it is a multiple of the circle around the body.
    """
    rotate: bool
    """Whether crops of hands, faces and bodies are rotated so that these are upright; False: no crop is rotated.

    On a camera whose core runs none of the library's machine code crops are never rotated.
    """
    align: str | None
    """How regions are cut straight: "face", "corners", "box" or None.

    "face": five or six keypoints of a face lie where ArcFace's template has them. "corners": four keypoints become the
    corners of the crop: upper left, upper right, lower right and lower left, such as those of a plate. An oriented box is
    cut along its longer side, at most 90 degrees from upright. "box": the detector's box with its margin, turned for palms,
    hands and faces as MediaPipe does, and for a body the square around its circle. None: "face" if the second model's
    processor is an `Embedding`, otherwise "box".

    A detection without such keypoints or corners is cut as with "box". With rotate=False every one is cut as its upright
    box. With "face" and "corners" the margin is 1.0 unless you set it.
    """
    detect_every: int
    """Run the detector in every n-th frame only, 1..65535, while some but fewer than max_detections objects are followed."""
    scale: tuple[float, float] | None
    """(lowest, highest) number of a pixel for a second model that takes floats, such as (-1, 1). None: (0, 1)."""

    def __init__(
        self,
        detector: Any,
        model: Any,
        *,
        max_detections: int = 2,
        margin: float | None = None,
        follow: bool = True,
        follow_margin: float | None = None,
        rotate: bool = True,
        align: str | None = None,
        detect_every: int = 1,
        scale: tuple[float, float] | None = None,
    ) -> None:
        """Two models in turns: a detector finds objects in the frame, and a second model looks at each of them.

        - `detector`: The first model, whose `predict` returns a list of Detection.
        - `model`: The second model. It gets a crop for each object, with some margin and the aspect ratio of its input.
        - `max_detections`: Maximum number of objects that the second model looks at in a frame, 1..100.
        - `margin`: Size of a region as a multiple of the detector's box, 0.1..10. None: 3.0 for palms, 1.5 for faces with
          keypoints of the eyes, 1.25 for anything else. For `PoseLandmarks` it is a multiple of the circle around the body.
        - `follow`: Whether objects with keypoints are followed without the detector.
        - `follow_margin`: Size of the region around the keypoints, as a multiple of their bounding box, 0.1..10. None: 2.0
          for hands (whose box leaves out the fingertips), 1.5 for face meshes, 1.25 for anything else. For `PoseLandmarks`
          it is a multiple of the circle around the body.
        - `rotate`: Whether crops of hands, faces and bodies are rotated so that these are upright; False: no crop is
          rotated. On a camera whose core runs none of the library's machine code crops are never rotated.
        - `align`: How regions are cut straight: "face", "corners", "box" or None. "face": five or six keypoints of a face
          lie where ArcFace's template has them. "corners": four keypoints become the corners of the crop: upper left, upper
          right, lower right and lower left, such as those of a plate. An oriented box is cut along its longer side, at most
          90 degrees from upright. "box": the detector's box with its margin, turned for palms, hands and faces as MediaPipe
          does, and for a body the square around its circle. None: "face" if the second model's processor is an `Embedding`,
          otherwise "box". A detection without such keypoints or corners is cut as with "box". With rotate=False every one is
          cut as its upright box. With "face" and "corners" the margin is 1.0 unless you set it.
        - `detect_every`: Run the detector in every n-th frame only, 1..65535, while some but fewer than max_detections
          objects are followed.
        - `scale`: (lowest, highest) number of a pixel for a second model that takes floats, such as (-1, 1). None: (0, 1).
        """

    @property
    def detector(self) -> Any:
        """The first model, whose `predict` returns a list of Detection."""

    @property
    def model(self) -> Any:
        """The second model. It gets a crop for each object, with some margin and the aspect ratio of its input."""

    @property
    def following(self) -> int:
        """The number of objects that the next `predict` looks at without the detector."""

    @property
    def results(self) -> list[Any]:
        """What the second model returned for each detection of the last `predict`; [] if that were detections.

        None for a detection that it has not looked at, because there were more than `max_detections`. Each detection has its
        own, too: `detection.result`.
        """

    @property
    def skipped(self) -> list[Detection[Any, Any, Any]]:
        """The detector's detections of the last `predict` at which the second model has not looked.

        Those beyond `max_detections`, and those in nearly the same place as another one if the objects are followed.
        """

    def reset(self) -> None:
        """Follow no object any more: the next `predict` runs the detector."""

    def predict(self, img: Any) -> list[Detection[Any, Any, Any]]:
        """Run the models; returns a list of Detection in frame pixels, the objects that are followed first.

        - `img`: the frame, RGB565 or GRAYSCALE, or a list of it. It is letterboxed for the detector; pass
          `n6post.Stretch(img)` or `n6post.Crop(img)` for another way

        If the second model returns detections, these are returned. Otherwise all of the detector's are, and `results` has
        what the second model returned for each. It looks at no more than `max_detections` in a frame: `skipped` has the
        others.
        """

def tiles(
    img: Image | tuple[int, int], *, columns: int = 2, rows: int = 2, overlap: float = 0.2
) -> list[tuple[int, int, int, int]]:
    """Return rects (x, y, w, h) that cover a frame, row by row from the upper left, each a `roi` for Letterbox or Stretch.

    - `img`: the frame, or its (width, height)
    - `columns`, `rows`: 1..16
    - `overlap`: part of a tile that it shares with its neighbor, 0..0.9: an object that is not larger than this lies whole
      in one of them

    All have the same size. ValueError for a frame with fewer pixels than tiles, and for numbers out of range.
    """

class Tiles:
    """A model that looks at tiles of the frame in turns, so that it finds objects that are small in the frame.

    - `model`: read-only

    `predict` looks at some tiles and returns the detections of all: those of the others are from earlier frames, until it is
    their turn again. Detections of different tiles that overlap are joined, as by `n6post.merge`. Two detections of one tile
    are different objects and are never joined. If an object lies in a tile, its box is that of the tile, which is more exact
    than that of the whole frame.

    ValueError for something else than a model, and for options out of range.
    """

    columns: int
    """Number of tiles in a row, 1..16."""
    rows: int
    """Number of rows of tiles, 1..16."""
    overlap: float
    """Part of a tile that it shares with its neighbor, 0..0.9."""
    whole_frame: bool
    """Whether the whole frame has its turn too, for objects that are larger than a tile."""
    tiles_per_frame: int
    """Number of tiles that one `predict` looks at, 1..257. From all of them on, no detection is from an earlier frame."""
    overlap_threshold: float
    """Part of the smaller box that two boxes of different tiles have in common if they are one object, 0.001..1."""
    class_agnostic: bool
    """Whether boxes of different classes may be one object."""

    def __init__(
        self,
        model: Any,
        *,
        columns: int = 2,
        rows: int = 2,
        overlap: float = 0.2,
        whole_frame: bool = True,
        tiles_per_frame: int = 1,
        overlap_threshold: float = 0.5,
        class_agnostic: bool = False,
    ) -> None:
        """A model that looks at tiles of the frame in turns, so that it finds objects that are small in the frame.

        - `model`: The model, whose `predict` returns a list of Detection.
        - `columns`: Number of tiles in a row, 1..16.
        - `rows`: Number of rows of tiles, 1..16.
        - `overlap`: Part of a tile that it shares with its neighbor, 0..0.9.
        - `whole_frame`: Whether the whole frame has its turn too, for objects that are larger than a tile.
        - `tiles_per_frame`: Number of tiles that one `predict` looks at, 1..257. From all of them on, no detection is from
          an earlier frame.
        - `overlap_threshold`: Part of the smaller box that two boxes of different tiles have in common if they are one
          object, 0.001..1.
        - `class_agnostic`: Whether boxes of different classes may be one object.
        """

    @property
    def model(self) -> Any:
        """The model, whose `predict` returns a list of Detection."""

    @property
    def rois(self) -> list[tuple[int, int, int, int]]:
        """The tiles (x, y, w, h) of the last frame, in the order of their turns; [] before the first `predict`."""

    @property
    def turn(self) -> int:
        """The index in `rois` of the tile that is next. 0: all tiles have had their turn."""

    def predict(
        self, img: Image | Stretch | Letterbox | Sequence[Image | Stretch | Letterbox]
    ) -> list[Detection[Any, Any, None]]:
        """Run the model on the next `tiles_per_frame` tiles; returns the detections of all tiles in frame pixels.

        - `img`: the frame, RGB565 or GRAYSCALE, or a list of it. Its tiles are letterboxed; pass `n6post.Stretch(img)` to
          stretch them, and `n6post.Letterbox(img, roi=...)` to look at a part of the frame only

        The best detection comes first. ValueError for `n6post.Crop`, which would cut off the ends of each tile, and for a
        model that returns something else than a list of Detection.
        """

    def reset(self) -> None:
        """Forget the detections of all tiles, for example when the scene changes."""

def diagnose(
    model: Model[Any], outputs: Sequence[ndarray] | None = None, *, inputs: Sequence[Any] | None = None
) -> list[str]:
    """Return a list of findings, each a sentence with its remedy and its line in docs/troubleshooting.md; [] if all is well.

    - `outputs`: the arrays as a post-processor gets them. Without them only the model's own description is checked. On the
      camera: `model.predict([img], callback=lambda m, i, o: n6post.diagnose(m, o, inputs=i))`
    - `inputs`: the inputs as a post-processor gets them: the image, as Letterbox or another input has it

    ValueError for outputs that are not a list of dense ndarrays, and for inputs that are not a list.
    """

# ---- inputs ----

@type_check_only
class _Input:
    image: Image
    """The image that is fitted into the model input."""
    roi: _Box
    """(x, y, w, h) of the part of the image that is used, in pixels; by default all of it."""

    def __init__(
        self,
        img: Image,
        roi: Sequence[int] | None = None,
        *,
        scale: tuple[float, float] = (0.0, 1.0),
        mean: Sequence[float] = (0.0, 0.0, 0.0),
        stdev: Sequence[float] = (1.0, 1.0, 1.0),
    ) -> None:
        """A model input made of an image: pass it to `predict` in a list.

        - `img`: the frame, an RGB565 or GRAYSCALE image
        - `roi`: (x, y, w, h) of the part of the image to use, in pixels; None: all of it
        - `scale`: (minimum, maximum) that the pixels 0..255 are mapped to, for a float input
        - `mean`, `stdev`: of each channel, subtracted and divided by, for a float input
        """

    def __call__(self, buffer: Any, shape: Sequence[int], dtype: int) -> None: ...

class Stretch(_Input):
    """Stretch the whole image to the model input, without keeping its aspect ratio: for networks trained like this.

    It costs networks of Ultralytics accuracy: a tenth of AP on frames of 3:2. Firmware 5.0 does this with a plain image.
    """

class Crop(_Input):
    """Use the middle of the image, with the model input's aspect ratio: if the ends of the frame do not matter.

    Objects are largest this way. Firmware 4.8.1 does about the same with a plain image.
    """

class Letterbox(_Input):
    """Fit the whole image between gray bars (114), keeping its aspect ratio: the best choice for networks of Ultralytics.

    They are trained on such pictures. Place and size are the same as in their LetterBox, to the pixel. (If a side ends at
    exactly half a pixel, their floats may round it the other way: one roi of a million.)
    """
