"""n6post: what a camera's neural network saw, as things a script can use and a person can see.

    model = ml.Model(path, postprocess=n6post.YoloV8Seg(threshold=0.4))
    found = model.predict([img])
    n6post.draw(img, found)

The names below are loaded on first use: a script pays for the family it uses only.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, Literal, NamedTuple, Protocol, type_check_only

from image import Image
from ml import Model
from typing_extensions import TypeVar
from ulab.numpy import ndarray

_Box = tuple[int, int, int, int]
_Color = tuple[int, int, int] | list[int]
# Names of classes: one a class, or where to read them: the path of a .txt. A dict is what Ultralytics' data.yaml has.
_Names = list[str] | tuple[str, ...] | dict[int, str] | str

# Classes by number and name: any collection but a str, which is one of letters (and whose `in` takes nothing else).
@type_check_only
class _Classes(Protocol):
    def __contains__(self, value: object, /) -> bool: ...
    def __iter__(self) -> Iterator[int | str]: ...

# What a detection's mask and keypoints are: each family has its own answer, so that no script needs to ask for None.
# Detection alone, in an annotation, is that of any family.
_M = TypeVar("_M", covariant=True, default=Any)
_K = TypeVar("_K", covariant=True, default=Any)
_Found = TypeVar("_Found", bound=Sequence[Any])

__version__: str

# ---- the families ----

class YoloV8:
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

    threshold: float
    nms_threshold: float
    nms_sigma: float
    max_detections: int
    classes: _Classes | None
    agnostic: bool
    max_candidates: int
    labels: _Names | None
    pixels: bool | None

    def __init__(
        self,
        threshold: float = 0.4,
        nms_threshold: float = 0.5,
        nms_sigma: float = 0,
        max_detections: int = 20,
        classes: _Classes | None = None,
        agnostic: bool = False,
        max_candidates: int = 300,
        labels: _Names | None = None,
        pixels: bool | None = None,
    ) -> None: ...
    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> list[Detection[None, None]]: ...
    def survivors(self) -> list[tuple[int, int, float, float, float, float, float]]:
        """For debugging: (anchor, class_id, score, x1, y1, x2, y2) of each detection of the last frame.

        The box is in model input pixels and not clipped, as Ultralytics gives it.
        """

# A mask where YoloV8 says None: whoever has a YoloV8Seg knows it, and whoever has a YoloV8 may get one nevertheless.
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

    mask_threshold: float
    mask_padding: float | None
    mask_overlap: float | None
    tight: bool

    def __init__(
        self,
        threshold: float = 0.4,
        nms_threshold: float = 0.5,
        nms_sigma: float = 0,
        max_detections: int = 20,
        classes: _Classes | None = None,
        agnostic: bool = False,
        max_candidates: int = 300,
        labels: _Names | None = None,
        pixels: bool | None = None,
        *,
        mask_threshold: float = 0.5,
        mask_padding: float | None = None,
        mask_overlap: float | None = 0.8,
        tight: bool = False,
    ) -> None: ...
    def __call__(  # type: ignore[override]
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[Mask, None]]: ...

class YoloV8Pose(YoloV8):
    """Post-processor for YOLOv8 pose: YoloV8's options, and every detection has `.keypoints`.

    They are a float32 array (K, 3): x and y in frame pixels, clipped to the frame, and the keypoint's score.

    keypoint_threshold  the least score of a keypoint that counts as seen, 0..1. All are returned: the score tells, and
                        `draw` leaves out those under this, which a detection carries as `keypoint_threshold`
    class_count         how many classes a raw head has; None: as many as there are labels, or 1 without any and where they
                        are as many as one class has keypoints, whose names they are then
    keypoint_scores     "score": the third number of a keypoint is its score, 0..1; "logit": it goes through the sigmoid
                        first; None: told from the first frame, where only logits can be negative

    End-to-end heads [1, rows, 6 + 3 x keypoints] are taken as YoloV8 takes them.
    """

    keypoint_threshold: float
    class_count: int | None
    keypoint_scores: Literal["score", "logit"] | None

    def __init__(
        self,
        threshold: float = 0.4,
        nms_threshold: float = 0.5,
        nms_sigma: float = 0,
        max_detections: int = 20,
        classes: _Classes | None = None,
        agnostic: bool = False,
        max_candidates: int = 300,
        labels: _Names | None = None,
        pixels: bool | None = None,
        *,
        keypoint_threshold: float = 0.5,
        class_count: int | None = None,
        keypoint_scores: Literal["score", "logit"] | None = None,
    ) -> None: ...
    def __call__(  # type: ignore[override]
        self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]
    ) -> list[Detection[None, ndarray]]: ...

class MoveNet:
    """Post-processor for MoveNet: `ml.Model(path, postprocess=n6post.MoveNet())`.

    threshold   the least score of a joint that counts as seen, 0..1; on integers compared as
                q >= ceil(threshold / scale + zero_point)
    refine      move each joint from its cell's middle to the top of the parabola through the peak and its two
                neighbours, in x and in y: never more than half a cell, and not at all at the map's border
    labels      one name, of what is found; or one a joint, which tells nothing new here. Else it is a "person". A list,
                a dict {0: "person"} or the path of a .txt with one a line
    layout      "NHWC" or "NCHW" for heatmaps, "joints" for [1, 1, K, 3]; None: told by the shape

    Every joint is returned, seen or not: its score tells, and `draw` leaves out those under the threshold. The box goes
    around the joints that are seen, at least one pixel wide and high; the score is their mean. With none seen, the
    list is empty.

    ValueError for an option out of range, and at a model's first frame for an output that is not this family's.
    """

    threshold: float
    refine: bool
    labels: _Names | None
    layout: Literal["NHWC", "NCHW", "joints"] | None

    def __init__(
        self,
        threshold: float = 0.3,
        refine: bool = True,
        labels: _Names | None = None,
        layout: Literal["NHWC", "NCHW", "joints"] | None = None,
    ) -> None: ...
    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> list[Detection[None, ndarray]]: ...

class DeepLab:
    """Post-processor for semantic segmentation: `ml.Model(path, postprocess=n6post.DeepLab())`.

    background  the class that is not drawn and that `present()` leaves out, a number or a name; None: there is none
    threshold   for a map of one channel only: the least probability of class 1, between 0 and 1; None is .5
    labels      names a class: a list, a dict {0: "sky", ...} or the path of a .txt with one a line; None: the model's
                labels where it shows them, Pascal VOC's for 21 classes, else numbers. A single name for a map of one
                channel is that of class 1, and class 0 is "background"
    layout      "NHWC" or "NCHW"; None: told by the shape, as height and width have the input's aspect ratio. Only where
                this says it, a map may have another
    values      what one channel holds: "probability", "logit" or "classes" (class numbers already); None: told.
                Integers [1, H, W], without a scale or with scale 1.0 and zero point 0 are class numbers. So are
                floats if the whole first frame is whole numbers of 0..255 and one is above 1 (a frame of nothing but
                0 and 1 tells too little: then the next is asked). Other integers are probabilities if all that they
                can express lies within -1.5..1.5, other floats if the whole first frame lies within 0..1. Else they
                are logits. Class numbers that are no whole numbers of 0..255 raise ValueError in every frame.

    A call returns one of two `Segmentation`s, each with a class map of its own, that take turns: it stays true during
    the next call, and the call after that writes over it (`copy()` keeps it). A new map of 320 x 320 bytes a frame
    would cost more instructions than the argmax.

    ValueError for an option out of range, and at a model's first frame for an output that is not this family's.
    """

    background: int | str | None
    threshold: float | None
    labels: _Names | None
    layout: Literal["NHWC", "NCHW"] | None
    values: Literal["probability", "logit", "classes"] | None

    def __init__(
        self,
        background: int | str | None = 0,
        threshold: float | None = None,
        labels: _Names | None = None,
        layout: Literal["NHWC", "NCHW"] | None = None,
        values: Literal["probability", "logit", "classes"] | None = None,
    ) -> None: ...
    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> Segmentation: ...

# ---- over time ----

@type_check_only
class _Track(NamedTuple):
    track_id: int
    rect: _Box
    velocity: tuple[float, float]
    missed: float
    hits: int
    class_id: int

class Tracker:
    """Gives objects numbers that stay: `found = tracker.update(model.predict([img]))`, once a frame.

    threshold       the least score of a detection that begins a track, or finds one in the first round, 0..1
    low_threshold   the least score of one that keeps up a confirmed track which the first round has left over, 0..1. The
                    processor has to let them through: `YoloV8(threshold=0.1)`, and `threshold` here in the place of its own.
                    (With the processor's default of .4 there is hardly a low round: everything works, more tracks are lost.)
    max_age         frames after which a lost track is given up, or one that low scores alone have kept up, 1 to 10000
    min_hits        detections of a high score that confirm a track, 1 to 1000: nobody has a number before. Meanwhile one
                    frame may be missed
    smooth          True: rects come from the tracks' filter; False: rects as they came
    coast           for how many frames a lost track is returned nevertheless, where it is predicted to be, behind the
                    detections: with its last score, without mask and keypoints. 0 to 10000
    gate            the largest cost that is still the same object, 1 to 64: the squared Mahalanobis distance, and 1 or 2;
                    more of a lost track. A smaller one loses objects, a larger one hands numbers over to others
    max_tracks      how many tracks there may be, confirmed or not, 1 to 1000; beyond, whoever was not seen for longest goes
    use_masks       True: the filter takes an object's place from its mask, if it has one, whose middle jitters half as much
                    as the network's box (some 10,000 instructions a mask); False: from the box alone
    smooth_keypoints    True: keypoints pass a One-Euro filter by track and joint (one_euro.py); False: as they came

    The numbers suit 10 to 15 updates a second. ValueError for an option out of range; each may be assigned between frames.
    """

    threshold: float
    low_threshold: float
    max_age: int
    min_hits: int
    smooth: bool
    coast: int
    gate: float
    max_tracks: int
    use_masks: bool
    smooth_keypoints: bool

    def __init__(
        self,
        threshold: float = 0.5,
        low_threshold: float = 0.1,
        max_age: int = 30,
        min_hits: int = 2,
        smooth: bool = True,
        coast: int = 0,
        gate: float = 22.0,
        max_tracks: int = 64,
        use_masks: bool = True,
        smooth_keypoints: bool = False,
    ) -> None: ...
    def update(self, found: Sequence[Detection[_M, _K]], dt: float = 1.0) -> list[Detection[_M, _K]]:
        """The detections of this frame that belong to confirmed tracks, in their order, as new objects with `track_id`.

        found   list of Detection, as YoloV8, YoloV8Seg, YoloV8Pose or MoveNet return it; it is not changed
        dt      frames that have passed since the last update: 2.0 after one that was skipped, .5 at 25 frames a second.
                Below 0 (a clock that was put back) counts as 0

        A number is never given twice. Class, label, score, mask and keypoints are the detection's own. An update that a
        MemoryError cuts short is as if it had not been.
        """

    def reset(self) -> None:
        """Forget all tracks: another scene begins. Numbers go on where they were."""

    @property
    def tracks(self) -> list[_Track]:
        """The confirmed tracks, lost ones too: a list of tuples with names

        track_id, rect  the number; (x, y, w, h) as filtered, or as predicted for one that is lost
        velocity        (x, y), pixels a frame
        missed          frames since its last detection, 0.0: found in the last update
        hits            its detections so far
        class_id        that of its last detection
        """

class LineZone:
    """A line from start to end, both (x, y) in frame pixels, and who crosses it.

    anchor  the point of a box that has to cross: "bottom" (its middle: where a person stands), "center", "top", "left",
            "right", "top_left", ..., or "centroid" (of the mask; without one the box's centre)
    margin  how far beyond the line an anchor has to be to count as across, as a part of the box's mean side: what jitters
            on the line counts once
    frame_size  (width, height) of the frame that the line speaks of, for drawing on a picture of another size (an LCD's);
                None: that of the first detection which knows it

    **In** is to the left of somebody who looks from start to end, **out** to the right. An object that goes round an end of
    the line has not crossed it. One that is lost on the one side and found again on the other, by the same track, has.

    in_count, out_count                         how many have crossed so far
    in_count_per_class, out_count_per_class     {class_id: how many}, by the class they had when they crossed

    ValueError for a line of no length, and for options out of range.
    """

    anchor: str
    frame_size: tuple[int, int] | None
    start: tuple[int, int]
    end: tuple[int, int]
    in_count: int
    out_count: int
    in_count_per_class: dict[int, int]
    out_count_per_class: dict[int, int]

    def __init__(
        self,
        start: tuple[int, int] | list[int],
        end: tuple[int, int] | list[int],
        anchor: str = "bottom",
        margin: float = 0.1,
        frame_size: tuple[int, int] | list[int] | None = None,
    ) -> None: ...
    def trigger(self, found: Sequence[Detection[_M, _K]]) -> tuple[list[Detection[_M, _K]], list[Detection[_M, _K]]]:
        """Look at the detections of a frame; returns two lists of them: who has crossed in, and who out.

        found   as Tracker.update returns them. ValueError for a detection without a `track_id`: a crossing takes two frames.
        """

    def reset(self) -> None:
        """Begin at 0, with nobody seen."""

    def as_dict(self) -> dict[str, Any]:
        """Numbers and lists only, for JSON: start, end, in, out."""

    def draw(self, img: Image, color: _Color = (255, 255, 255), thickness: int = 2, labels: bool = True) -> Image:
        """Draw a line, an arrow to its left ("in") and its counts, or a polygon and how many are inside; returns img.

        All is edged with black, to be read on any picture. thickness: pixels, 0..100; labels: whether to write the counts.
        A picture of another size than `frame_size` is taken for the frame, scaled. ValueError as of `n6post.draw`.
        """

class PolygonZone:
    """A polygon of points (x, y) in frame pixels, who is inside, and for how long.

    points  three or more; where edges cross each other, what an even number of them surrounds is outside
    anchor  as LineZone's
    patience    seconds for which a track may be lost and still dwells
    frame_size  as LineZone's

    current_count               how many of the last frame's detections are inside
    current_count_per_class     {class_id: how many}

    ValueError for fewer than three points or points in a line, and for options out of range.
    """

    anchor: str
    frame_size: tuple[int, int] | None
    points: list[tuple[int, int]]
    current_count: int
    current_count_per_class: dict[int, int]

    def __init__(
        self,
        points: Sequence[tuple[int, int] | list[int]],
        anchor: str = "bottom",
        patience: float = 1.0,
        frame_size: tuple[int, int] | list[int] | None = None,
    ) -> None: ...
    def trigger(self, found: Sequence[Detection[_M, _K]], ms: float | None = None) -> list[Detection[_M, _K]]:
        """Look at the detections of a frame; returns a list of those inside.

        found   detections; those with a `track_id`, as Tracker.update returns them, dwell
        ms      milliseconds since the last call; None: time.ticks_ms() tells
        """

    def seconds(self, track_id: int) -> float:
        """How long a track has been inside, by the frames that showed it there; 0.0 for one that is not."""

    def contains(self, x: int, y: int) -> bool:
        """Whether a point of the frame is inside. Left and upper edges belong to a zone, right and lower ones do not."""

    def share(self, mask: Mask) -> float:
        """How much of an object is inside, 0..1, by the centres of its mask's pixels. ValueError for what is no Mask."""

    def reset(self) -> None:
        """Nobody is inside, nobody has dwelled."""

    def as_dict(self) -> dict[str, Any]:
        """Numbers and lists only, for JSON: points, count, and seconds by track."""

    def draw(self, img: Image, color: _Color = (255, 255, 255), thickness: int = 2, labels: bool = True) -> Image:
        """Draw a line, an arrow to its left ("in") and its counts, or a polygon and how many are inside; returns img.

        All is edged with black, to be read on any picture. thickness: pixels, 0..100; labels: whether to write the counts.
        A picture of another size than `frame_size` is taken for the frame, scaled. ValueError as of `n6post.draw`.
        """

class Trail:
    """The last places of every track, to be drawn as lines.

    length      how many places a track has at most, one an update: 2 to 1000
    anchor      the point of a box that is followed: "bottom" (its middle), "center", ..., as LineZone's
    frame_size  as LineZone's

    A track that is not found loses its oldest place at every update, and is forgotten with the last. A place takes 4 bytes.
    Besides the tracks in the frame 128 at most are kept. Room for a track is taken once, when it is new.

    ValueError for options out of range.
    """

    anchor: str
    frame_size: tuple[int, int] | None
    length: int

    def __init__(
        self, length: int = 30, anchor: str = "bottom", frame_size: tuple[int, int] | list[int] | None = None
    ) -> None: ...
    def update(self, found: _Found) -> _Found:
        """Add the places of a frame's detections; returns the detections, as they are.

        found   as Tracker.update returns them. ValueError for a detection without a `track_id`, and for places that 16 bits
                do not hold.
        """

    def positions(self, track_id: int) -> list[tuple[int, int]]:
        """The frame pixels (x, y) where a track has been, the oldest first; [] for one that is not known."""

    def reset(self) -> None:
        """Forget all places."""

    def draw(
        self,
        img: Image,
        color: _Color | None = None,
        thickness: int = 2,
        color_by: Literal["class", "track", "instance"] = "class",
    ) -> Image:
        """Draw a line through the places of each track; returns img.

        color       (r, g, b) of all; None: what color_by says, "class", "track" or "instance", as of `n6post.draw`
        thickness   pixels, 0..100

        A picture of another size than `frame_size` is taken for the frame, scaled. ValueError as of `n6post.draw`.
        """

# ---- results ----

class Detection(NamedTuple, Generic[_M, _K]):
    """One object or person, as a tuple with names.

    rect        (x, y, w, h), ints, frame pixels, clipped to the frame
    score       0..1 (a quantised network may give a little more than 1)
    class_id    the class number
    label       its name, or the number as text
    mask        a Mask (YoloV8Seg), else None
    keypoints   float array (K, 3): x, y in frame pixels and score (YoloV8Pose, MoveNet), else None
    track_id    1, 2, 3, ... in what a Tracker returns, else None; no part of the tuple
    frame_size  (width, height) of the frame that it speaks of, None where that is not known; no part of the tuple either:
                `draw` scales to a picture of another size

    Besides, `center`, `as_dict(outline=False)`, `replace(**fields)`; with keypoints `joint(joint)` and `angle(first, middle,
    last)`. A namedtuple's own `_replace`, `_asdict` and `_fields` work on the camera too.
    """

    rect: _Box
    score: float
    class_id: int
    label: str
    mask: _M
    keypoints: _K

    @property
    def frame_size(self) -> tuple[int, int] | None: ...
    @property
    def track_id(self) -> int: ...
    @property
    def center(self) -> tuple[int, int]:
        """The frame pixel (x, y) in the middle of the box, ints."""

    def as_dict(self, outline: bool = False) -> dict[str, Any]:
        """The detection in numbers, strings and lists, for json.dumps, which makes the same text on camera and PC.

        {"rect": [x, y, w, h], "score": 0.875, "class_id": 2, "label": "car"}; of one with a mask also "mask": {"rect":
        [x, y, w, h], "area": n, "centroid": [x, y]} and, if asked for, in it "outline": [[x, y], ...]; of one with keypoints
        also "keypoints": [[x, y, score], ...], of one of a track "track_id": n. Scores are rounded to 3 decimals, keypoints
        to a tenth of a pixel. What an empty mask has not, and a number that is not finite, is None.
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
    ) -> Detection[_M, _K]:
        """The same detection, and track, with other values in these of its fields; ValueError for a name that is none."""

    def joint(  # type: ignore[misc]
        self: Detection[Any, ndarray], joint: str | int
    ) -> tuple[int, int, float]:
        """A joint by its name (see `joint_names`) or number: (x, y, score), the frame pixel that it lies in as ints.

        Whether it was seen the score tells: at least the detection's `keypoint_threshold`. ValueError for an unknown joint,
        which lists the names, and for a detection without keypoints.
        """

    def angle(  # type: ignore[misc]
        self: Detection[Any, ndarray], first: str | int, middle: str | int, last: str | int
    ) -> float | None:
        """The angle at the middle joint between the ways to the other two, degrees: 180 where the three lie in a line.

        None where one of the three was not seen (its score is below the detection's `keypoint_threshold`) or lies where the
        middle one does. Joints as for `joint`.
        """

    @property
    def keypoint_threshold(self: Detection[Any, ndarray]) -> float: ...  # type: ignore[misc]

class Mask:
    """One object's mask, made of

    data    bytes, a bytearray or a memoryview, h rows of w of the window: 128 and more is inside
    window  (x, y, w, h) in mask pixels: the crop and, where there are any, neighbours that drawing interpolates with
    crop    (x, y, w, h) in mask pixels: what belongs to the object's box
    clip    (x, y, w, h) in frame pixels: nothing is drawn outside
    grid    a Grid

    ValueError for data of another kind or size than the window's, and for a crop that sticks out of it.
    """

    def __init__(self, data: bytes | bytearray | memoryview, window: _Box, crop: _Box, clip: _Box, grid: Any) -> None: ...
    @property
    def crop(self) -> _Box:
        """(x, y, w, h) of the object's crop in mask pixels."""

    @property
    def area(self) -> int:
        """The object's size: how many frame pixels it `contains`."""

    @property
    def centroid(self) -> tuple[int, int] | None:
        """The frame pixel (x, y) in the middle of those that the object `contains`, ints; None where there is none."""

    @property
    def rect(self) -> _Box | None:
        """(x, y, w, h), ints, frame pixels: the smallest rectangle around what is inside; None for an empty mask.

        It ends where the logits between two mask pixels cross the threshold, as what `draw` tints does. (What pixels beyond
        the box tint within half a mask pixel of its edge is not counted, as it is not in `area`.)
        """

    def contains(self, x: int | tuple[int, int], y: int | None = None) -> bool:
        """Whether frame pixel (x, y), or ((x, y)), belongs to the object: whether the mask pixel under its centre does."""

    @property
    def image(self) -> Image | None:
        """The crop as a GRAYSCALE image at mask resolution, 128 and more inside; None for an empty crop."""

    def to_image(self, width: int | None = None, height: int | None = None) -> Image:
        """A GRAYSCALE image of the frame's size, 255 inside and 0 outside: what `draw` tints, at its place in the frame.

        For `mask=` of the firmware's own functions. A width and a height make it that large, with the frame scaled to it;
        ValueError for one of them alone, and without them where the frame's size is not known.
        """

    def cut_out(self, img: Image, color: _Color = (0, 0, 0)) -> Image:
        """Paint all of `img` (RGB565 or GRAYSCALE) but the object with color (r, g, b), and return img.

        What stays is what `draw` tints. A picture of another size than the frame is taken for the frame, scaled.
        """

    def iou(self, other: Mask) -> float:
        """The overlap with another Mask, 0..1: intersection over union; 0 where both are empty.

        Masks of one model and one way into the frame are counted mask pixel by mask pixel, also those of two frames. Of any
        others the one with the larger mask pixels is asked at the middles of the other's, and only where both networks saw
        the frame: so a thing that two overlapping tiles cut in two is told by its part in both. ValueError for what is no
        Mask.
        """

    def draw(self, img: Image, color: _Color = (255, 0, 0), alpha: int = 128, smooth: bool | None = None) -> Image:
        """Tint the object in `img` (RGB565 or GRAYSCALE) with color (r, g, b) and alpha 0..255, and return img.

        smooth=False draws blocks of mask pixels with plain draw_image instead, which on the N6 goes to the GPU: what the
        object `contains`, but that the edges of a block may lie a frame pixel beside. None chooses as `n6post.draw` does. A
        picture of another size than the frame is taken for the frame, scaled.
        """

    def outline(self) -> list[tuple[int, int]]:
        """The outer contour of the object's largest part: a list of frame pixels (x, y), clockwise, closed by its first.

        Each point lies between a pixel inside and its neighbour outside, where the interpolated logit crosses the
        threshold. [] for an empty mask. For `img.draw_line`, areas and shapes.
        """

class Segmentation:
    """A class for every pixel of a map that lies over the frame.

    classes     uint8 array (H, W) of class numbers, the map as the network has it
    background  the class that is not drawn, or None

    Wherever a class is asked for, its name will do as well as its number; ValueError for a name that no class has, or
    several have.

    ValueError for an array of another dtype or shape than the view's, or one that is not dense.
    """

    classes: ndarray

    def __init__(self, classes: ndarray, view: Any) -> None: ...
    @property
    def background(self) -> int | None: ...
    def copy(self) -> Segmentation:
        """The same with a class map of its own, which no later call of the processor writes over."""

    def label(self, class_id: int | str) -> str:
        """The name of a class, or its number as text."""

    def present(self, background: bool = False) -> list[int]:
        """The classes that the frame shows, ascending, without the background unless asked for."""

    def share(self, class_id: int | str) -> float:
        """The part of what the network saw of the frame that has this class: 0..1."""

    def area(self, class_id: int | str) -> int:
        """How many frame pixels have this class: as many as those for which `at` tells it, an int."""

    def at(self, x: int, y: int) -> int | None:
        """The class of frame pixel (x, y); None where the network did not look: outside of its input or the frame."""

    def mask(self, class_id: int | str) -> Mask:
        """A `Mask` of all the pixels of a class, with area, centroid, contains(), outline() and draw()."""

    def draw(
        self, img: Image, palette: Sequence[_Color | None] | None = None, alpha: int = 128, legend: bool = False
    ) -> Image:
        """Tint every class but the background in `img` (RGB565 or GRAYSCALE), and return img.

        A picture of another size than the frame is taken for the frame, scaled.

        palette     colours by class, each (r, g, b) or None for a class that is not drawn; for classes beyond its end,
                    and without one, a colour of ours
        alpha       0..255; below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits
        legend      write the names of the classes present into the lower left corner

        Each frame pixel gets the colour of the class that `at` tells of it.
        """

    def as_dict(self, background: bool = False) -> dict[str, Any]:
        """What the frame shows in numbers, strings and lists, for json.dumps, which makes the same text on camera and PC.

        {"classes": [{"class_id": 15, "label": "person", "area": 5120, "share": 0.05}, ...]}: the classes of `present()`,
        the share rounded to 4 decimals.
        """

def draw(
    img: Image,
    result: Sequence[Detection] | Segmentation | LineZone | PolygonZone | Trail,
    color: _Color | None = None,
    alpha: int = 128,
    thickness: int = 2,
    masks: bool = True,
    boxes: bool = True,
    labels: bool | Sequence[str | None] | Callable[[Detection], str | None] = True,
    smooth: bool | None = None,
    color_by: Literal["class", "track", "instance"] = "class",
) -> Image:
    """Draw what a processor, a tracker, a zone or a trail tells onto the frame, and return the frame.

    result      a list of Detection, a Segmentation, a LineZone, a PolygonZone or a Trail
    color       (r, g, b) for everything; None: what color_by says, and white for zones
    alpha       of masks and class maps, 0..255 (below 8 an RGB565 frame does not change: the firmware cuts alpha to 5 bits)
    thickness   of boxes, zones and trails, pixels, 0..100
    masks, boxes    whether to draw them; of a Segmentation masks is the map
    labels      True: name and score, of a track with its number before them ("#3 person 75%"); a list of texts, one a
                detection, or a function that is called with each and returns its text: None or "" for no label; False: none.
                Of a Segmentation whether to draw its legend, of a zone its counts
    smooth      True: masks with smooth edges; False: as blocks, by plain draw_image (on the N6 that goes to the GPU); None:
                smooth where machine code does it, and on a PC; else blocks, which cost a fifth there
    color_by    what has a colour of its own, in mask, box, label and trail alike:
                "class"     each class; joints and limbs go by side, left and right
                "track"     each track_id, white where there is none; joints and limbs too: that tells persons apart
                "instance"  each place in the list, joints and limbs too

    A picture of another size than the frame (an LCD's) is taken for the frame, and all is scaled, x and y apart.
    A label stands above its box; where a better one's stands there already: inside at the top, below, inside at the bottom.

    ValueError for an image that is neither RGB565 nor GRAYSCALE, an option out of range, and for what is no result. A class
    map and zones have neither tracks nor places: of them color_by is "class".
    """

# An entry is ([x, y, w, h], score) or ([x, y, w, h], score, keypoints): a tuple of either length, for scripts unpack it.
def to_json(result: Any, outline: bool = False) -> str:
    """A result as one line of JSON, without a line end; `json.loads` of it is what `as_dict` gives.

    result      a list of Detection, or whatever has an `as_dict`: a Detection, a Segmentation, a LineZone, a PolygonZone
    outline     give the outline of every mask as well

    The text is ASCII, and the same on camera and PC for the same numbers. ValueError for what is no result.
    """

def by_class(found: Iterable[Detection]) -> list[list[tuple[Any, ...]]]:
    """OpenMV's own shape of a result: a list a class, each of ([x, y, w, h], score) or ([x, y, w, h], score, keypoints).

    For scripts written for the stock post-processors, which draw class by class:

        from ml.utils import draw_predictions

        for i, entries in enumerate(n6post.by_class(found)):
            rects = [entry[0] for entry in entries]
            draw_predictions(img, rects, [labels[i]] * len(rects), [color] * len(rects), format=None)

    There are as many lists as the largest class number found needs. ValueError for what is no list of Detection.
    """

def joint_names(joints: int) -> list[str]:
    """The names of 17 joints (COCO) or 13 (ST's MoveNet) in their order, a list; numbers as text for any other count.

    Both have the same names but for the first: "nose" of the 17, "head" of the 13. `joint` and `angle` of a Detection take
    either for it, and "left_elbow" as COCO writes it.
    """

# ---- the right family for a model ----

# Which family it will be only the model tells. So a script may ask of the result what any family's has, and each of the
# options below is one of some family's.
@type_check_only
class _AnyResult(list[Detection[Mask, ndarray]], Segmentation):
    def copy(self) -> _AnyResult: ...

@type_check_only
class _AnyFamily(YoloV8Seg, YoloV8Pose, MoveNet, DeepLab):
    threshold: Any
    layout: Any

    def __call__(self, model: Any, inputs: Sequence[Any], outputs: Sequence[ndarray]) -> _AnyResult: ...  # type: ignore[override]

def processor_for(
    model: Model[Any],
    *,
    threshold: float | None = ...,
    nms_threshold: float = ...,
    nms_sigma: float = ...,
    max_detections: int = ...,
    classes: _Classes | None = ...,
    agnostic: bool = ...,
    max_candidates: int = ...,
    labels: _Names | None = ...,
    pixels: bool | None = ...,
    mask_threshold: float = ...,
    mask_padding: float | None = ...,
    mask_overlap: float | None = ...,
    tight: bool = ...,
    keypoint_threshold: float = ...,
    class_count: int | None = ...,
    keypoint_scores: Literal["score", "logit"] | None = ...,
    refine: bool = ...,
    layout: Literal["NHWC", "NCHW", "joints"] | None = ...,
    background: int | str | None = ...,
    values: Literal["probability", "logit", "classes"] | None = ...,
) -> _AnyFamily:
    """The post-processor for a model, a YoloV8, YoloV8Seg, YoloV8Pose, MoveNet or DeepLab with these options.

    model   what tells: input_shape, output_shape, labels (or the option `labels`); nothing is run
    A model takes it per call, `model.predict([img], callback=process)`; `load` attaches it.
    ValueError where no family fits, and where two do: then labels, one a class, tell, or the constructor. Also at once for
    labels of another number than the model has classes (or joints), and for a class that it does not have.
    """

def load(
    path: str,
    *,
    threshold: float | None = ...,
    nms_threshold: float = ...,
    nms_sigma: float = ...,
    max_detections: int = ...,
    classes: _Classes | None = ...,
    agnostic: bool = ...,
    max_candidates: int = ...,
    labels: _Names | None = ...,
    pixels: bool | None = ...,
    mask_threshold: float = ...,
    mask_padding: float | None = ...,
    mask_overlap: float | None = ...,
    tight: bool = ...,
    keypoint_threshold: float = ...,
    class_count: int | None = ...,
    keypoint_scores: Literal["score", "logit"] | None = ...,
    refine: bool = ...,
    layout: Literal["NHWC", "NCHW", "joints"] | None = ...,
    background: int | str | None = ...,
    values: Literal["probability", "logit", "classes"] | None = ...,
) -> Model[_AnyResult]:
    """`ml.Model(path)` with the post-processor that fits, and the model's labels in it.

    They are, without the option `labels`, the lines of the .txt beside it: UTF-8, one name a line, as many as it has
    classes. The processor itself is `model.postprocess.processor`. ValueError as for `processor_for`, and for a file of
    labels that is not so: it names the file, and the line.
    """

def diagnose(model: Model[Any], outputs: Sequence[ndarray] | None = None) -> list[str]:
    """A list of findings, each a sentence with its remedy and its line in docs/troubleshooting.md; [] for a healthy model.

    outputs     the arrays as a post-processor gets them; without them only what the model tells of itself is
                judged. On the camera:
                `model.predict([img], callback=lambda m, i, outputs: n6post.diagnose(m, outputs))`
    ValueError for outputs that are no list of dense ndarrays.
    """

# ---- inputs ----

@type_check_only
class _Input:
    image: Image
    roi: _Box

    def __init__(
        self,
        img: Image,
        roi: Sequence[int] | None = None,
        *,
        scale: tuple[float, float] = (0.0, 1.0),
        mean: Sequence[float] = (0.0, 0.0, 0.0),
        stdev: Sequence[float] = (1.0, 1.0, 1.0),
    ) -> None: ...
    def __call__(self, buffer: Any, shape: Sequence[int], dtype: int) -> None: ...

class Stretch(_Input):
    """The whole image onto the model input, its aspect ratio not kept: for maps of classes that shall cover the frame.

    It is what firmware 5.0 does with a plain image.
    """

class Crop(_Input):
    """The middle of the image that has the model input's aspect ratio: where the ends of the frame do not matter.

    Objects are the largest this way. It is about what firmware 4.8.1 does with a plain image.
    """

class Letterbox(_Input):
    """The whole image, its aspect ratio kept, between grey bars (114): the first choice for networks of Ultralytics.

    They were trained on that: its place and size are those of their LetterBox, to the pixel. (Where a side ends at exactly
    half a pixel, their floats may round it the other way: one roi of a million.)
    """
