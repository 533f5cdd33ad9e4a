"""Results, zones and trackers as Python objects: dir, help, repr, copies, pickles, and what each copy carries over."""

from __future__ import annotations

import ast
import copy
import json
import pickle
import pydoc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import _host as stand_ins
import image
import n6post
import numpy as np
import pytest
import test_face_landmarks
import test_fomo
import test_hand_landmarks
from assertions import contents, mask_contents
from fakes import FakeModel, Tensor, stretched, track_of
from hypothesis import given
from hypothesis import strategies as st
from n6post.models.region import Region
from n6post.results import json_parts
from n6post.results.detection import detection_from
from n6post.results.mask_geometry import detection_refitted
from n6post.results.scaled import scaled
from n6post.tracking.tracker import TrackMemory
from n6post_pc.demo import recorded
from test_detection import FIELDS, car, detections_of, random_keypoints
from ulab import _host

stand_ins.install()  # time.ticks_ms

FRAME = (700, 520)
COPIES: dict[str, Callable[[Any], Any]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": lambda value: pickle.loads(pickle.dumps(value)),
    "old pickle": lambda value: pickle.loads(pickle.dumps(value, 2)),
}
in_every_way = pytest.mark.parametrize("way", COPIES)

METHODS = {
    "Detection": "as_dict replace keypoint angle iou overlap distance limb_angle midpoint fingers "
    "center track_id age missed velocity data result frame_size keypoint_threshold "
    + " ".join(FIELDS),
    "Mask": "area centroid rect contains image to_image fill_outside iou draw outline",
    "Segmentation": "background copy label class_ids fraction area class_at objects mask draw as_dict",
    "LineZone": "start end anchor margin min_frames count_coasting name frame_size trigger reset draw as_dict "
    "in_count out_count in_count_per_class out_count_per_class",
    "PolygonZone": "points anchor margin min_frames count_coasting name max_gap min_seconds frame_size trigger reset draw "
    "as_dict dwell_time contains coverage occupancy entered left mean_dwell_time current_count current_count_per_class",
    "Hold": "seconds release trigger reset held_time state changed",
    **dict.fromkeys(("Steady", "Fraction"), "seconds update reset"),
    "Majority": "seconds min_frames update reset",
    "Repetitions": "update reset",
    "Tracker": "update reset tracks started ended",
}


# --- dir, help, repr -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", METHODS)
def test_dir_lists_all_public_methods_and_properties(name: str) -> None:
    assert set(METHODS[name].split()) <= set(dir(getattr(n6post, name)))


def test_dir_of_an_object_lists_its_methods_and_attributes() -> None:
    d = detections_of("yolov8n_seg_320")[0]
    assert set(METHODS["Detection"].split()) <= set(dir(d))
    assert set(METHODS["Mask"].split()) <= set(dir(d.mask))
    assert {*METHODS["Segmentation"].split(), "class_map"} <= set(dir(class_map()))


# Properties of options and of the tuple's fields have no documentation of their own.
UNDOCUMENTED = {*FIELDS, "anchor", "margin", "min_frames", "count_coasting", "max_gap", "frame_size", "background"}
UNDOCUMENTED |= {"seconds", "release", "name", "min_seconds"}


@pytest.mark.parametrize("name", METHODS)
def test_help_describes_every_method_and_property(name: str) -> None:
    kind = getattr(n6post, name)
    page = pydoc.plain(pydoc.render_doc(kind))
    for method in METHODS[name].split():
        assert method in page
        if method not in UNDOCUMENTED:
            text = getattr(kind, method).__doc__
            assert text and text.split("\n")[0].strip() in page, method


def test_repr_shows_the_fields_and_the_track() -> None:
    fields = "rect=(10, 20, 30, 41), score=0.5, class_id=2, label='car', mask=None, keypoints=None"
    assert repr(car()) == f"Detection({fields})"
    assert repr(car().replace(track_id=12)) == str(car().replace(track_id=12)) == f"Detection({fields}, track_id=12)"
    tracker = n6post.Tracker(min_hits=1)
    assert repr(tracker.update([car()])) == f"[Detection({fields}, track_id=1)]"


# --- copies ----------------------------------------------------------------------------------------------------------
def full(name: str = "yolov8n_seg_320") -> Any:
    """A Detection with a mask, keypoints, a track with data, a frame size, a threshold and an oriented box."""
    d = detections_of(name, stretched((10, 20, 640, 480)))[0]
    keypoints = _host.wrap(random_keypoints(17))
    x, y, w, h = d.rect
    corners = (x + w / 4, y), (x + w, y + h / 2), (x + w * 3 / 4, y + h), (x, y + h / 2)
    made = d.replace(keypoints=keypoints, keypoint_threshold=0.6, corners=corners)
    made = detection_from(made, made._source, track_of(4, 16000, 0, -320, 64, TrackMemory()))
    made.data["greeted"] = True
    return made


def class_map(seed: int = 0) -> Any:
    plane = np.random.default_rng(seed).integers(0, 4, (1, 48, 64)).astype(np.uint8)
    processor = n6post.DeepLab(labels=["sky", "sea", "sand", "dog"])
    return FakeModel([Tensor(plane)], (64, 48)).run(processor, stretched((0, 0, 320, 240)))


def carried(d: Any) -> Any:
    return d.track_id, d.frame_size, d.keypoint_threshold


@in_every_way
def test_a_copied_detection_is_equal_and_goes_on_working(way: str) -> None:
    d = full()
    other = COPIES[way](d)
    assert type(other) is n6post.Detection and other is not d
    assert contents([other]) == contents([d]) and carried(other) == carried(d) == (4, FRAME, 0.6)
    assert n6post.to_json(other, outline=True) == n6post.to_json(d, outline=True)
    assert other.angle(5, 7, 9) == d.angle(5, 7, 9) and other.keypoint("nose") == d.keypoint("nose")
    assert repr(other).endswith("track_id=4)") and other.as_dict() == d.as_dict()
    other.track_id = 9
    assert d.track_id == 4 and carried(other.replace(score=0.1)) == (9, FRAME, 0.6)
    with pytest.raises(AttributeError, match="cannot be changed"):
        other.score = 1


@in_every_way
def test_a_copied_list_of_detections_draws_the_same_picture(way: str) -> None:
    detections = detections_of("yolov8n_seg_320", stretched((0, 0, 640, 480)))
    pictures = [n6post.draw(image.Image(350, 260, image.RGB565), found) for found in (detections, COPIES[way](detections))]
    assert bytes(pictures[0].bytearray()) == bytes(pictures[1].bytearray())


@in_every_way
def test_a_copied_mask_is_equal_and_goes_on_working(way: str) -> None:
    for mask in (full().mask, class_map().mask(2), class_map().mask(200)):
        other = COPIES[way](mask)
        assert isinstance(other, n6post.Mask) and other is not mask
        assert mask_contents(other) == mask_contents(mask) and other.rect == mask.rect
        assert other.iou(mask) == mask.iou(mask) == (1.0 if mask.area else 0.0)
        x, y = mask.centroid or (0, 0)
        assert [other.contains(x + k, y) for k in range(50)] == [mask.contains(x + k, y) for k in range(50)]
        assert bytes(other.to_image(175, 130).bytearray()) == bytes(mask.to_image(175, 130).bytearray())


@in_every_way
def test_a_copied_mask_outlives_the_frame_that_it_was_made_of(way: str) -> None:
    tensor = Tensor(np.random.default_rng(1).integers(0, 3, (1, 48, 64)).astype(np.uint8))
    processor, model = n6post.DeepLab(), FakeModel([tensor], (64, 48))
    other = COPIES[way](model.run(processor).mask(1))
    wanted = mask_contents(other)
    tensor.values[:] = 0
    for _ in range(3):
        model.run(processor)
    assert mask_contents(other) == wanted and other.area


def answers(segmentation: Any) -> Any:
    masks = [mask_contents(segmentation.mask(c)) for c in range(4)]
    spots = [segmentation.class_at(x, 100) for x in range(0, 700, 7)]
    return segmentation.class_map.tolist(), segmentation.as_dict(True), segmentation.background, masks, spots


@in_every_way
def test_a_copied_segmentation_is_equal_and_goes_on_working(way: str) -> None:
    segmentation = class_map()
    for _ in range(2):  # before anything was counted or drawn, and afterwards
        other = COPIES[way](segmentation)
        assert type(other) is n6post.Segmentation
        assert answers(other) == answers(segmentation)
        assert other.fraction("dog") == segmentation.fraction("dog") > 0
        pictures = [s.draw(image.Image(*FRAME, image.RGB565), legend=True) for s in (segmentation, other)]
        assert bytes(pictures[0].bytearray()) == bytes(pictures[1].bytearray())


@in_every_way
def test_a_copied_segmentation_has_a_class_map_of_its_own(way: str) -> None:
    tensor = Tensor(np.random.default_rng(1).integers(0, 3, (1, 48, 64)).astype(np.uint8))
    processor, model = n6post.DeepLab(), FakeModel([tensor], (64, 48))
    other = COPIES[way](model.run(processor))
    wanted = other.class_map.tolist()
    tensor.values[:] = 0
    for _ in range(3):
        model.run(processor)
    assert other.class_map.tolist() == wanted and other.class_ids() == [1, 2]


def step(k: int) -> list[Any]:
    """Frame k of two people, one of whom crosses y = 240; the other one hides for three frames."""
    points = _host.wrap(np.array([[100.0 + 5 * k, 60 + 20 * (k % 2), 0.9]], np.float32))
    found = [n6post.Detection((100 + 5 * k, 60 + 10 * k, 60, 120), 0.9, 0, "person", None, points)]
    if not 7 <= k < 10:
        found.append(n6post.Detection((400, 300, 60, 120), 0.8, 1, "dog", None, None))
    return [d.replace(frame_size=FRAME) for d in found]


def tracked_step(k: int) -> list[Any]:
    return [d.replace(track_id=i + 1) for i, d in enumerate(step(k))]


def track(tracker: Any, k: int) -> Any:
    result = tracker.update(step(k), elapsed_ms=80)
    for d in result:
        d.data.setdefault("first", k)
    moved = [(d.age, d.missed, d.velocity, d.data) for d in result]
    return contents(result), moved, tracker.tracks, contents(tracker.started), tracker.ended


def cross(line: Any, k: int) -> Any:
    crossed = [[d.track_id for d in found] for found in line.trigger(tracked_step(k), elapsed_ms=100)]
    return crossed, line.as_dict(), line.in_count_per_class, line.out_count_per_class, line.margin


def dwell(zone: Any, k: int) -> Any:
    inside = [d.track_id for d in zone.trigger(tracked_step(k), elapsed_ms=100)]
    visits = [d.track_id for d in zone.entered], zone.left, zone.mean_dwell_time
    return inside, visits, json.dumps(zone.as_dict()), zone.current_count_per_class, zone.max_gap


def hold_on(hold: Any, k: int) -> Any:
    held = [d.track_id for d in hold.trigger(tracked_step(k), elapsed_ms=100)]
    return held, [hold.held_time(track_id) for track_id in range(1, 9)]


def follow(trail: Any, k: int) -> Any:
    trail.update(tracked_step(k), elapsed_ms=100)
    return trail.positions(1), trail.positions(2), trail.length, trail.frame_size


OBJECTS: dict[str, tuple[Callable[[], Any], Callable[[Any, int], Any]]] = {
    "Tracker": (lambda: n6post.Tracker(coast=0.16, smooth_keypoints=True, max_tracks=8), track),
    "LineZone": (lambda: n6post.LineZone((0, 240), (700, 240), margin=0.05), cross),
    "PolygonZone": (lambda: n6post.PolygonZone([(50, 150), (690, 200), (690, 510)], max_gap=0.25), dwell),
    "Trail": (lambda: n6post.Trail(4, anchor="center"), follow),
    "Hold": (lambda: n6post.Hold(0.3), hold_on),
}


@in_every_way
@pytest.mark.parametrize("name", OBJECTS)
@pytest.mark.parametrize("frames", [0, 5, 8])
def test_a_copied_tracker_zone_or_trail_goes_on_by_itself(name: str, frames: int, way: str) -> None:
    """The copy and the original each see the rest of the frames; neither notices the other."""
    make, use = OBJECTS[name]
    one, wanted = make(), make()
    for k in range(frames):
        use(one, k)
    expected = [use(wanted, k) for k in range(16)][frames:]
    other = COPIES[way](one)
    assert type(other) is type(one) and other is not one
    results = [(use(one, k), use(other, k)) for k in range(frames, 16)]
    assert results == [(step, step) for step in expected]


@in_every_way
@pytest.mark.parametrize("name", OBJECTS)
def test_options_of_a_copy_are_its_own_and_are_checked(name: str, way: str) -> None:
    option, value, wrong = {
        "Tracker": ("max_gap", 7, -1),
        "LineZone": ("margin", 0.5, -1),
        "PolygonZone": ("max_gap", 3.0, -1),
        "Trail": ("length", 9, 1),
        "Hold": ("release", 2.0, -1),
    }[name]
    one = OBJECTS[name][0]()
    before = getattr(one, option)
    other = COPIES[way](one)
    setattr(other, option, value)
    assert (getattr(one, option), getattr(other, option)) == (before, value)
    with pytest.raises(ValueError, match=f"^{option}: expected "):
        setattr(other, option, wrong)
    with pytest.raises(AttributeError, match="has no option 'color'"):
        other.color = 1


# --- what a detection carries ----------------------------------------------------------------------------------------
def smoothed(d: Any, **options: Any) -> Any:
    tracker = n6post.Tracker(**options)
    for _ in range(3):
        found = tracker.update([d], elapsed_ms=80)
    (result,) = found
    return result


def coasted(d: Any) -> Any:
    tracker = n6post.Tracker(coast=0.16)
    for _ in range(3):
        tracker.update([d], elapsed_ms=80)
    tracker.update([], elapsed_ms=80)
    (result,) = tracker.update([], elapsed_ms=80)
    return result


def crossed(d: Any) -> Any:
    line = n6post.LineZone((0, 260), (2000, 260))
    line.trigger([d.replace(rect=(100, 0, 20, 20))])
    came, went = line.trigger([d.replace(rect=(100, 400, 20, 20))])
    (result,) = came + went
    return result


def through_json(d: Any) -> Any:
    """to_json makes another Detection of numbers that its kernel does not write."""
    made: list[Any] = []
    odd = d.replace(rect=tuple([float(v) for v in d.rect]))
    real = json_parts.normalized
    json_parts.normalized = lambda many: made.extend(real(many)) or made
    try:
        n6post.to_json([odd])
    finally:
        json_parts.normalized = real
    return made[0]


WAYS: dict[str, Callable[[Any], Any]] = {
    "replace": lambda d: d.replace(score=0.25),
    "_replace": lambda d: d._replace(score=0.25),
    "Tracker": smoothed,
    "Tracker without smoothing": lambda d: smoothed(d, smooth_boxes=False, use_masks=False),
    "coasting": coasted,
    "smooth_keypoints": lambda d: smoothed(d, smooth_keypoints=True),
    "Trail": lambda d: n6post.Trail(3).update([d])[0],
    "LineZone": crossed,
    "PolygonZone": lambda d: n6post.PolygonZone([(-9, 2000), (-9, -9), (2000, -9), (2000, 2000)]).trigger([d])[0],
    "Hold": lambda d: n6post.Hold(0.0).trigger([d])[0],
    "reidentify": lambda d: n6post.Gallery().reidentify([d], [[1.0, 0.0]])[0],
    "scaled": lambda d: scaled([d], 350, 260)[0],
    "same size": lambda d: scaled([d], *FRAME)[0],
    "to_json": through_json,
    "detections": lambda d: n6post.detections([d], frame=FRAME)[0],
    **COPIES,
}


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_copy_a_detection_keeps_what_it_carries(way: str) -> None:
    d = full()
    result = WAYS[way](d)
    by_tracker = way in ("Tracker", "Tracker without smoothing", "coasting", "smooth_keypoints")
    assert type(result) is n6post.Detection
    assert carried(result) == (1 if by_tracker or way == "reidentify" else 4, FRAME, 0.6)
    moved = result.age, result.missed, result.velocity
    if by_tracker:
        # The object rests. It was seen three times, then missed twice.
        assert moved == ((0.32, 0.16, (0.0, 0.0)) if way == "coasting" else (0.16, 0.0, (0.0, 0.0)))
    else:
        assert moved == (5.0, 0.0, (-15.625, 3.125))
        assert (result.data == {"greeted": True}) is (result.track_id == 4)
    # Corners move with the rect, and the rotation stays.
    assert result.rotation == pytest.approx(d.rotation, abs=0.5) and result.rotation > 0
    x, y, w, h = result.rect
    middle = np.array(result.corners.tolist()).mean(axis=0)
    assert np.abs(middle - [x + w / 2, y + h / 2]).max() < 1.5
    assert (result.class_id, result.label) == (d.class_id, d.label)
    if way != "coasting":
        assert result.mask is not None and result.keypoints is not None
    if way == "coasting":
        assert result.mask is None and result.keypoints is None


def test_every_file_that_makes_detections_is_tested_here() -> None:
    """A file that is new here makes a Detection in another way: add it to WAYS, and the file to this list."""
    lib = Path(n6post.__file__).parent
    files = set()
    for path in lib.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
            stored = isinstance(node, ast.Constant) and node.value == "_source"
            if called in ("Detection", "detection_from") or stored:
                files.add(path.relative_to(lib).as_posix())
    processors = {f"families/{family}.py" for family in ("maps/movenet", "maps/fomo", "vectors/landmarks")}
    processors |= {"results/mask_geometry.py"}
    processors |= {f"kernels/{kind}/boxes.py" for kind in ("helium", "m7", "portable")}
    tracker = {"tracking/tracker.py", "kernels/viper/tracks.py"}
    others = {"results/rows.py", "results/parts.py", "models/region.py"}
    assert files == processors | tracker | others | {"results/detection.py"}  # the rest call its `copied`


@pytest.mark.parametrize("family", ["YoloV8Seg", "YoloV8Seg refitted", "YoloV8Pose", "MoveNet"])
def test_detections_of_a_processor_carry_its_frame_size_and_threshold(family: str) -> None:
    frame = stretched((10, 20, 640, 480))
    recording = {"YoloV8Pose": "yolov8n_pose_256", "MoveNet": "movenet_17_192"}.get(family, "yolov8n_seg_320")
    picture = next(picture for model, picture in recorded.names() if model == recording)
    processor = {
        "YoloV8Seg": lambda: n6post.YoloV8Seg(0.3),
        "YoloV8Seg refitted": lambda: n6post.YoloV8Seg(0.3, refit_boxes=True),
        "YoloV8Pose": lambda: n6post.YoloV8Pose(0.3, keypoint_threshold=0.7),
        "MoveNet": lambda: n6post.MoveNet(0.2),
    }[family]()
    detections = recorded.load(recording, picture).model(True).run(processor, frame)
    threshold = {"YoloV8Pose": 0.7, "MoveNet": 0.2}.get(family, 0.3)
    assert detections
    for d in detections:
        assert carried(d) == (None, FRAME, threshold)
        assert carried(d.replace(track_id=3)) == (3, FRAME, threshold)


@pytest.mark.parametrize(
    ("processor", "model", "threshold"),
    [
        (n6post.Fomo(0.4), test_fomo.three_classes, 0.3),
        (n6post.HandLandmarks(), test_hand_landmarks.float_hand, 0.5),
        (n6post.FaceLandmarks(), test_face_landmarks.float_face, 0.5),
    ],
)
def test_detections_of_other_processors_carry_the_same(
    processor: Any, model: Callable[[], FakeModel], threshold: float
) -> None:
    detections = model().run(processor, stretched((10, 20, 640, 480)))
    assert detections
    for d in detections:
        assert carried(d) == (None, FRAME, threshold)
        assert carried(d.replace(track_id=3)) == (3, FRAME, threshold)


def test_detections_of_plain_rows_carry_the_size_of_their_frame() -> None:
    row = ((10, 20, 30, 40), 0.5, 1)
    for frame, size in ((FRAME, FRAME), (image.Image(*FRAME, image.RGB565), FRAME), (None, None)):
        (d,) = n6post.detections([row], frame=frame)
        assert carried(d) == (None, size, 0.3)
        assert carried(d.replace(track_id=3)) == (3, size, 0.3)


@pytest.mark.parametrize("with_keypoints", [False, True])
def test_detection_placed_in_the_frame_of_a_pipeline_keeps_what_it_carries(with_keypoints: bool) -> None:
    crop = Region(image.Image(*FRAME, image.RGB565), 350.0, 260.0, 640.0, 480.0, 1.0, 0.0, (640, 480))
    points = full().keypoints if with_keypoints else None
    d = full().replace(mask=None, corners=None, keypoints=points, frame_size=None)
    result: Any = crop.to_frame(d, FRAME)
    assert type(result) is n6post.Detection and carried(result) == (4, FRAME, 0.6)
    assert (result.age, result.missed, result.velocity) == (5.0, 0.0, (-15.625, 3.125))
    assert (result.score, result.class_id, result.label) == (d.score, d.class_id, d.label)
    assert (result.keypoints is not None) == with_keypoints


def test_detection_refitted_takes_the_rect_of_the_mask() -> None:
    """YoloV8Seg calls it in place of Detection, and then adds the frame size and the threshold, as for any other."""
    d = full()
    refitted = detection_refitted(*d)
    assert refitted.rect == d.mask.rect and refitted[1:4] == d[1:4] and refitted.mask is d.mask


# --- arrays ----------------------------------------------------------------------------------------------------------
@given(
    st.sampled_from([np.uint8, np.int8, np.uint16, np.int16, np.float32]),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.sampled_from(sorted(COPIES)),
)
def test_a_copied_array_has_the_same_numbers_in_its_own_memory(dtype: Any, shape: list[int], way: str) -> None:
    source = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    array = _host.wrap(source)
    for one in (array, array[::-1], array == 1):
        other = COPIES[way](one)
        assert type(other) is type(one) and other.dtype == one.dtype and repr(other) == repr(one)
        assert (other.shape, other.tolist()) == (one.shape, one.tolist())
    other = COPIES[way](array)
    source[:] = 99
    assert other.tolist() == np.arange(int(np.prod(shape))).reshape(shape).tolist()
