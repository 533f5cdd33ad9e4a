"""lib/n6post/results/detection.py: the fields of a Detection, its copies, its keypoints and angles."""

from __future__ import annotations

import json
import math
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says
from fakes import Framed, stretched, track_of
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post.results.detection import detection_from
from n6post.tensors.keypoints import keypoint_names
from n6post_pc.demo import recorded
from ulab import _host

FIELDS = ("rect", "score", "class_id", "label", "mask", "keypoints")
ROI = (0, 0, 640, 480)
FAMILIES = ("yolov8n_192", "yolov8n_seg_320", "yolov8n_pose_256", "movenet_17_192")
PROCESSORS = {"yolov8n_192": "YoloV8", "yolov8n_seg_320": "YoloV8Seg", "yolov8n_pose_256": "YoloV8Pose"}
of_every_family = pytest.mark.parametrize("name", FAMILIES)


def detections_of(name: str, frame: Any = None) -> Any:
    """The detections of a recording, in a VGA frame unless another one is given."""
    picture = next(picture for model, picture in recorded.names() if model == name and picture != "chelsea")
    processor = getattr(n6post, PROCESSORS.get(name, "MoveNet"))(0.2)
    detections = recorded.load(name, picture).model(True).run(processor, frame or Framed(ROI))
    assert detections
    return detections


def car(**fields: Any) -> Any:
    """A Detection that a script has made itself."""
    values = {"rect": (10, 20, 30, 41), "score": 0.5, "class_id": 2, "label": "car", "mask": None, "keypoints": None}
    return n6post.Detection(**{**values, **fields})


def person(points: Any, threshold: float = 0.5) -> Any:
    """A Detection with these keypoints."""
    keypoints = _host.wrap(np.asarray(points, np.float32).reshape(-1, 3))
    return n6post.Detection((0, 0, 9, 9), 0.5, 0, "person", None, keypoints).replace(keypoint_threshold=threshold)


def random_keypoints(count: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return np.column_stack([random.uniform(0, 300, (count, 2)), random.uniform(0, 1, count)]).astype(np.float32)


# --- fields ----------------------------------------------------------------------------------------------------------
def test_a_detection_is_a_tuple_with_names() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == ((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == (d.rect, d.score, d.class_id, d.label, d.mask, d.keypoints)


def test_a_new_detection_has_no_track_and_no_frame_size() -> None:
    for d in (n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None), car().replace(keypoint_threshold=0.5)):
        assert d.track_id is None and d.frame_size is None


def test_the_keypoint_threshold_of_a_new_detection_is_that_of_movenet() -> None:
    assert car().keypoint_threshold == n6post.MoveNet().keypoint_threshold == 0.3


@of_every_family
def test_a_detection_of_a_processor_knows_the_size_of_its_frame(name: str) -> None:
    d = detections_of(name, stretched((10, 20, 640, 480)))[0]
    assert d.frame_size == (700, 520)
    assert type(d) is n6post.Detection and repr(d).startswith("Detection(rect=(")


@pytest.mark.parametrize("track_id", [None, 7])
def test_detection_from_makes_a_detection_with_source_and_track(track_id: int | None) -> None:
    d = detection_from(list(car()), ((320, 240), 0.7), car().replace(track_id=track_id)._track)
    assert type(d) is n6post.Detection and d == car()
    assert (d.frame_size, d.keypoint_threshold, d.track_id) == ((320, 240), 0.7, track_id)


def test_age_missed_and_velocity_are_those_of_the_track_or_none() -> None:
    for d in (car(), car().replace(track_id=7)):  # a number that a script has given tells nothing else
        assert d.age is d.missed is d.velocity is None
    d = detection_from(list(car()), ((320, 240), 0.7), track_of(7, 11200, 3200, -512, 64))
    assert (d.track_id, d.age, d.missed, d.velocity) == (7, 3.5, 1.0, (-25.0, 3.125))


def test_a_track_keeps_its_age_when_it_gets_another_number() -> None:
    d = detection_from(list(car()), ((320, 240), 0.7), track_of(7, 6400, 0, 256))
    other = d.replace(track_id=9)
    assert (other.track_id, other.age, other.missed, other.velocity) == (9, 2.0, 0.0, (12.5, 0.0))
    other.track_id = 11
    assert (other.track_id, other.age, d.track_id) == (11, 2.0, 7)
    other.track_id = None
    assert (other.track_id, other.age, other.missed, other.velocity) == (None, None, None, None)
    assert d.replace(track_id=None).velocity is None


@pytest.mark.parametrize("name", ["age", "missed", "velocity"])
def test_age_missed_and_velocity_cannot_be_assigned(name: str) -> None:
    d = car().replace(track_id=7)
    with pytest.raises(AttributeError, match="^a Detection cannot be changed"):
        setattr(d, name, 1.0)


@given(st.tuples(*[st.integers(0, 5000)] * 4))
@example((0, 0, 0, 0))
@example((0, 0, 1, 1))
@example((5000, 5000, 5000, 4999))
def test_the_center_is_the_pixel_in_the_middle_of_the_box(rect: tuple[int, int, int, int]) -> None:
    x, y = car(rect=rect).center
    assert type(x) is type(y) is int
    for start, size, middle in ((rect[0], rect[2], x), (rect[1], rect[3], y)):
        assert abs(middle + 0.5 - (start + size / 2)) <= 0.5


# --- replace ---------------------------------------------------------------------------------------------------------
@of_every_family
def test_replace_changes_the_given_fields_only(name: str) -> None:
    d = detections_of(name)[0]
    changed = d.replace(label="it", score=0.125)
    assert type(changed) is type(d)
    assert (changed.keypoint_threshold, changed.frame_size) == (d.keypoint_threshold, d.frame_size)
    for field in FIELDS:
        wanted = {"label": "it", "score": 0.125}.get(field, getattr(d, field))
        assert getattr(changed, field) is wanted or getattr(changed, field) == wanted
    assert d.replace() == d and d.label != "it"


def test_replace_changes_the_track_the_frame_size_and_the_threshold() -> None:
    d = car().replace(track_id=3, frame_size=(320, 240), keypoint_threshold=0.6)
    assert (d.track_id, d.frame_size, d.keypoint_threshold) == (3, (320, 240), 0.6) and d == car()
    for name, value in (("track_id", None), ("frame_size", (64, 48)), ("keypoint_threshold", 0.1)):
        other = d.replace(**{name: value})
        for kept in ("track_id", "frame_size", "keypoint_threshold"):
            assert getattr(other, kept) == (value if kept == name else getattr(d, kept))


@pytest.mark.parametrize("track_id", [2**31, -(2**31) - 1, 10**30, 1.5, "7", [3]])
def test_a_track_id_that_is_no_number_of_32_bits_is_refused(track_id: Any) -> None:
    d = car().replace(track_id=5)
    refused = says(f"track_id: expected None or a whole number of 32 bits, got {track_id!r}")
    for change in (lambda: d.replace(track_id=track_id), lambda: setattr(d, "track_id", track_id)):
        with pytest.raises(ValueError, match=refused):
            change()
        assert d.track_id == 5


@pytest.mark.parametrize("track_id", [2**31 - 1, -(2**31), np.int64(7), np.uint8(3)])
def test_every_track_id_of_32_bits_is_written_as_json(track_id: Any) -> None:
    d = car()
    d.track_id = track_id
    for made in (d, car().replace(track_id=track_id)):
        assert json.loads(n6post.to_json(made))["track_id"] == made.as_dict()["track_id"] == int(track_id)


def test_an_assigned_track_id_is_kept_by_replace() -> None:
    d = car()
    d.track_id = 7
    assert d.replace(label="bus").track_id == 7


def test_replace_refuses_an_unknown_name_and_lists_the_names() -> None:
    known = ", ".join((*FIELDS, "track_id", "frame_size", "keypoint_threshold", "corners"))
    with pytest.raises(ValueError, match=f"^replace: expected some of {known}, got lable, scores$"):
        car().replace(scores=1, label="a", lable="b")


@pytest.mark.parametrize("name", ["rect", "label", "center", "keypoint_threshold", "frame_size", "note"])
def test_only_the_track_id_of_a_detection_can_be_assigned(name: str) -> None:
    """A camera's namedtuple would accept it, and return the new value by name and the old one by position."""
    for d in (car(), person(random_keypoints(17))):
        before = dict(vars(d))
        message = rf"^a Detection cannot be changed: replace\({name}=\.\.\.\) makes another$"
        with pytest.raises(AttributeError, match=message):
            setattr(d, name, 1)
        assert vars(d) == before and d.track_id is None


def test_the_methods_of_a_namedtuple_work_and_keep_the_track() -> None:
    d = car(score=0.25).replace(track_id=5, frame_size=(320, 240))
    assert d._fields == n6post.Detection._fields == FIELDS
    assert list(d._asdict().items()) == list(zip(FIELDS, d))
    assert d._replace(label="bus") == d.replace(label="bus")
    assert (d._replace(label="bus").track_id, d._replace(label="bus").frame_size) == (5, (320, 240))
    with pytest.raises(ValueError, match="^replace: expected some of .*, got lable$"):
        d._replace(lable="bus")


@pytest.mark.parametrize("name", ["labell", "detection", "_detection", "_loaded", "__array__", "__dict_", "", "frame"])
def test_an_unknown_attribute_is_an_attribute_error(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^'Detection' object has no attribute '{name}'$"):
        getattr(car(), name)
    assert getattr(car(), name, 7) == 7


# --- keypoints -------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [13, 17, 5])
def test_a_keypoint_by_name_or_index_is_the_pixel_it_lies_in(count: int) -> None:
    points = random_keypoints(count)
    d = person(points)
    for i, name in enumerate(keypoint_names(count)):
        x, y, score = d.keypoint(name)
        assert (type(x), type(y), type(score)) == (int, int, float)
        assert (x, y, score) == (math.floor(points[i, 0]), math.floor(points[i, 1]), float(points[i, 2]))
        assert d.keypoint(i) == d.keypoint(name) == d.keypoint(name.replace(" ", "_"))


def test_the_first_keypoint_is_called_head_or_nose_in_both_orders() -> None:
    for count in (13, 17):
        d = person(random_keypoints(count))
        assert d.keypoint("head") == d.keypoint("nose") == d.keypoint(0)


@pytest.mark.parametrize("keypoint", ["left ellbow", "", 17, -1, 1.0, None, True, ("nose",)])
def test_an_unknown_keypoint_is_refused_with_similar_names(keypoint: Any) -> None:
    d = person(random_keypoints(17))
    for ask in (lambda: d.keypoint(keypoint), lambda: d.angle("nose", keypoint, 3)):
        with pytest.raises(ValueError, match="^keypoint: expected") as caught:
            ask()
        if isinstance(keypoint, str):
            near = "'left elbow', " if keypoint else "'nose', "
            assert f"expected one of 17 names, such as {near}" in str(caught.value)
            assert "n6post.keypoint_names(17)" in str(caught.value) and str(caught.value).count("'") <= 12
        assert repr(keypoint) in str(caught.value)


def test_keypoint_and_angle_need_a_detection_with_keypoints() -> None:
    for ask in (lambda: car().keypoint("nose"), lambda: car().angle(0, 1, 2)):
        with pytest.raises(ValueError, match="^expected a detection with keypoints, got one without$"):
            ask()


@given(st.lists(st.floats(0, 640, width=32), min_size=6, max_size=6))
def test_an_angle_is_measured_between_the_two_outer_keypoints(values: list[float]) -> None:
    a, m, b = np.float64(values).reshape(3, 2)
    assume(np.hypot(*(a - m)) > 1e-3 and np.hypot(*(b - m)) > 1e-3)
    points = random_keypoints(17)
    points[[5, 7, 9], :2], points[[5, 7, 9], 2] = (a, m, b), 0.9
    angle = person(points).angle("left shoulder", "left elbow", "left wrist")
    turn = np.degrees(np.angle(complex(*(a - m)) / complex(*(b - m))))
    assert type(angle) is float and 0 <= angle <= 180
    assert angle == pytest.approx(abs(turn), abs=1e-3)
    assert person(points).angle(9, 7, 5) == pytest.approx(angle, abs=1e-9)


def test_straight_right_angled_and_folded_limbs() -> None:
    points = random_keypoints(17)
    points[:, 2] = 1
    points[[5, 7, 9, 11, 13], :2] = [(0, 0), (10, 0), (20, 0), (10, 30), (5, 0)]
    d = person(points)
    assert d.angle(5, 7, 9) == 180.0
    assert d.angle(5, 7, 11) == pytest.approx(90.0)
    assert d.angle(5, 7, 13) == 0.0


@pytest.mark.parametrize("hidden", [5, 7, 9])
@pytest.mark.parametrize("score", [0.49, -np.inf, np.nan])
def test_the_angle_is_none_if_one_keypoint_was_not_seen(hidden: int, score: float) -> None:
    points = random_keypoints(17)
    points[:, 2] = 0.5
    assert person(points).angle(5, 7, 9) is not None
    points[hidden, 2] = score
    assert person(points).angle(5, 7, 9) is None


@given(st.lists(st.floats(-300, 900, width=32), min_size=4, max_size=4))
def test_a_limb_has_a_length_a_middle_and_an_angle_to_the_vertical(values: list[float]) -> None:
    points = np.zeros((17, 3), np.float32) + 1
    points[[5, 9], :2] = a, b = np.array(values, np.float32).reshape(2, 2)
    d = person(points)
    across, down = (b.astype(float) - a).tolist()
    assert d.distance("left shoulder", "left wrist") == d.distance(9, 5) == pytest.approx(math.hypot(across, down), abs=1e-3)
    assert d.midpoint(5, 9) == pytest.approx((a.astype(float) + b) / 2, abs=1e-3)
    if not across and not down:
        assert d.limb_angle(5, 9) is None
        return
    angle = d.limb_angle("left shoulder", "left wrist")
    assert angle == pytest.approx(abs(np.degrees(np.angle(complex(down, across)))), abs=1e-3)
    assert d.limb_angle(9, 5) == pytest.approx(180 - angle, abs=1e-9)


def test_a_hanging_arm_has_no_angle_and_a_raised_one_180_degrees() -> None:
    points = np.ones((17, 3), np.float32)
    for wrist, degrees in (((50, 90), 0.0), ((90, 50), 90.0), ((10, 50), 90.0), ((50, 10), 180.0)):
        points[[5, 9], :2] = (50, 50), wrist
        assert person(points).limb_angle(5, 9) == pytest.approx(degrees)


@pytest.mark.parametrize("score", [0.29, 0.0, -1.0, math.nan])
def test_a_limb_with_a_keypoint_that_was_not_seen_is_none(score: float) -> None:
    points = np.ones((17, 3), np.float32)
    points[9] = 20, 30, score
    d = person(points)
    for ask in (d.distance, d.midpoint, d.limb_angle):
        assert ask(5, 9) is None and ask(9, 5) is None
        with pytest.raises(ValueError, match="keypoint"):
            ask(5, "tail")
        with pytest.raises(ValueError, match="expected a detection with keypoints"):
            getattr(car(), ask.__name__)(5, 9)


def test_the_angle_is_none_if_an_outer_keypoint_lies_on_the_middle_one() -> None:
    points = random_keypoints(17)
    points[:, 2] = 1
    points[7] = points[5]
    assert person(points).angle(5, 7, 9) is None and person(points).angle(9, 7, 5) is None


def test_a_new_detection_has_the_keypoint_threshold_that_draw_uses() -> None:
    points = random_keypoints(17)
    points[:, 2] = 0.3
    d = car(keypoints=_host.wrap(points))
    assert d.angle(5, 7, 9) is not None
    points[:, 2] = 0.29
    assert d.angle(5, 7, 9) is None


@pytest.mark.parametrize("changes", [
    {"frame_size": 5}, {"frame_size": (320,)}, {"frame_size": (0, 240)}, {"frame_size": "ab"},
    {"keypoint_threshold": "high"}, {"keypoint_threshold": 1.5}, {"keypoint_threshold": None},
])  # fmt: skip
def test_a_size_or_threshold_that_cannot_be_one_is_refused(changes: Any) -> None:
    (d,) = n6post.detections([((1, 2, 3, 4), 0.5)])
    with pytest.raises(ValueError, match=f"^{next(iter(changes))}: expected "):
        d.replace(**changes)
    assert d.replace(frame_size=(320, 240), keypoint_threshold=0.25).frame_size == (320, 240)


@pytest.mark.parametrize("point", [("x", 3), (3, "x"), (None, 3), (3,), ([1, 2], 3)])
def test_a_point_that_is_none_is_refused(point: Any) -> None:
    (d,) = n6post.detections([((1, 2, 3, 4), 0.5)])
    turned = d.replace(corners=[(1, 2), (4, 2), (4, 6), (1, 6)])
    for one in (d, turned):
        with pytest.raises(ValueError, match="^contains: expected a frame pixel x, y, two numbers"):
            one.contains(point)
    assert not d.contains(10**400, 3)
