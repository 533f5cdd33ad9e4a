"""lib/n6post/answers.py: what a Detection and a Segmentation tell besides what they hold, the same as on a camera."""

from __future__ import annotations

import json
import math
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import image
import ml.utils
import n6post
import numpy as np
import pytest
import recorded
from checks import says
from fakes import FakeModel, Framed, Tensor
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post.answers import Answers, answers
from n6post.detection import with_keypoints
from n6post.joints import joint_names
from ulab import _host

FIELDS = ("rect", "score", "class_id", "label", "mask", "keypoints")
ROI = (0, 0, 640, 480)
FAMILIES = ("yolov8n_192", "yolov8n_seg_320", "yolov8n_pose_256", "movenet_17_192")
of_every_family = pytest.mark.parametrize("name", FAMILIES)
PROCESSORS = {"yolov8n_192": "YoloV8", "yolov8n_seg_320": "YoloV8Seg", "yolov8n_pose_256": "YoloV8Pose"}


def found_in(name: str, frame: Any = None) -> Any:
    """The detections of a recording, in a frame of VGA where no other is given."""
    picture = next(picture for model, picture in recorded.names() if model == name and picture != "chelsea")
    processor = getattr(n6post, PROCESSORS.get(name, "MoveNet"))(threshold=0.2)
    found = recorded.load(name, picture).model(True).run(processor, frame or Framed(ROI))
    assert found
    return found


def plain(**fields: Any) -> Any:
    values = {"rect": (10, 20, 30, 41), "score": 0.5, "class_id": 2, "label": "car", "mask": None, "keypoints": None}
    return n6post.Detection(**{**values, **fields})


def posed(points: Any, threshold: float = 0.5) -> Any:
    keypoints = _host.wrap(np.asarray(points, np.float32).reshape(-1, 3))
    return with_keypoints(threshold)((0, 0, 9, 9), 0.5, 0, "person", None, keypoints)


def skeleton(joints: int, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    return np.column_stack([random.uniform(0, 300, (joints, 2)), random.uniform(0, 1, joints)]).astype(np.float32)


# --- center ----------------------------------------------------------------------------------------------------------
@given(st.tuples(*[st.integers(0, 5000)] * 4))
@example((0, 0, 0, 0))
@example((0, 0, 1, 1))
@example((5000, 5000, 5000, 4999))
def test_the_center_is_the_pixel_in_the_middle_of_the_box(rect: tuple[int, int, int, int]) -> None:
    x, y = plain(rect=rect).center
    assert type(x) is type(y) is int
    for start, size, middle in ((rect[0], rect[2], x), (rect[1], rect[3], y)):
        assert abs(middle + 0.5 - (start + size / 2)) <= 0.5
    assert Answers(plain(rect=rect)).center == (x, y)


# --- as_dict ---------------------------------------------------------------------------------------------------------
def leaves(value: Any) -> list[Any]:
    if isinstance(value, dict):
        assert all(type(key) is str for key in value)
        return [leaf for inner in value.values() for leaf in leaves(inner)]
    if type(value) is list:
        return [leaf for inner in value for leaf in leaves(inner)]
    return [value]


def rounded(value: Any, digits: int) -> float:
    return float(Decimal(float(value)).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_EVEN))


@of_every_family
@pytest.mark.parametrize("outline", [False, True])
def test_a_detection_as_a_dict_is_numbers_strings_and_lists_and_says_what_its_fields_say(name: str, outline: bool) -> None:
    for d in found_in(name):
        told = d.as_dict(outline=outline)
        assert {type(leaf) for leaf in leaves(told)} <= {int, float, str}
        expected = {
            "rect": list(d.rect),
            "score": rounded(d.score, 3),
            "class_id": d.class_id,
            "label": d.label,
        }
        if d.mask is not None:
            expected["mask"] = {"rect": told["mask"]["rect"], "area": d.mask.area, "centroid": list(d.mask.centroid)}
            if outline:
                expected["mask"]["outline"] = [list(point) for point in d.mask.outline()]
        if d.keypoints is not None:
            rows = np.array(d.keypoints.tolist(), np.float32)
            expected["keypoints"] = [[rounded(x, 1), rounded(y, 1), rounded(s, 3)] for x, y, s in rows]
        assert json.dumps(told) == json.dumps(expected)


@of_every_family
def test_the_text_has_no_more_digits_than_a_camera_prints(name: str) -> None:
    """A camera prints a float with six digits that count."""
    for d in found_in(name):
        for number in leaves(d.as_dict(True)):
            if type(number) is float:
                assert repr(number) == repr(float(f"{number:.6g}")) and "e" not in repr(number)


def test_the_rect_of_a_mask_is_its_own_which_lies_around_the_frame_pixels_that_it_contains() -> None:
    for d in found_in("yolov8n_seg_320"):
        inside = np.array([[d.mask.contains(x, y) for x in range(640)] for y in range(480)])
        rows, columns = np.nonzero(inside.any(axis=1))[0], np.nonzero(inside.any(axis=0))[0]
        x, y, w, h = d.as_dict()["mask"]["rect"]
        assert (x, y, w, h) == d.mask.rect
        # It ends between two mask pixels, of 8 x 6 frame pixels, where the logits cross the threshold, or with the box.
        assert np.abs(np.subtract((x, x + w), (columns[0], columns[-1] + 1))).max() < 8
        assert np.abs(np.subtract((y, y + h), (rows[0], rows[-1] + 1))).max() <= 6


def test_what_an_empty_mask_has_not_is_none() -> None:
    mask = FakeModel([Tensor(np.zeros((1, 8, 8), np.uint8))], (64, 64)).run(n6post.DeepLab()).mask(3)
    assert plain(mask=mask).as_dict()["mask"] == {"rect": None, "area": 0, "centroid": None}  # no outline unasked
    told = plain(mask=mask).as_dict(outline=True)
    assert told["mask"] == {"rect": None, "area": 0, "centroid": None, "outline": []}


def test_a_number_that_is_not_finite_is_none_and_there_is_no_minus_zero() -> None:
    d = posed([[1, 2, -np.inf], [3, 4, np.nan], [-0.01, -0.04, -0.0002]]).replace(score=float("inf"))
    told = d.as_dict()
    assert told["score"] is None
    assert json.dumps(told["keypoints"]) == "[[1.0, 2.0, null], [3.0, 4.0, null], [0.0, 0.0, 0.0]]"


@pytest.mark.parametrize("score", [k / 16 for k in range(-20, 33)] + [0.0005, 0.9995, 1e-9, 0.8765, 1.0005])
def test_a_score_is_rounded_as_decimals_are_halves_to_the_even_digit(score: float) -> None:
    """Of sixteenths every other odd one is such a half: .0625 is .062 and .1875 is .188."""
    for near in (np.float32(score), *(np.nextafter(np.float32(score), np.float32(way)) for way in (-9, 9))):
        wanted = float(Decimal(float(near)).quantize(Decimal("0.001"), ROUND_HALF_EVEN))
        assert plain(score=float(near)).as_dict()["score"] == wanted


def test_keypoints_are_rounded_halves_to_the_even_digit() -> None:
    d = posed([[0.25, 0.75, 0.0625], [1.25, 1.75, 0.1875], [-0.25, 639.75, 0.5625]])
    assert d.as_dict()["keypoints"] == [[0.2, 0.8, 0.062], [1.2, 1.8, 0.188], [-0.2, 639.8, 0.562]]


def test_scalars_of_numpy_and_ulab_do_not_get_into_it() -> None:
    odd = plain(rect=tuple(np.arange(4)), score=np.float32(0.25), class_id=np.int16(3))
    assert json.dumps(odd.as_dict()) == '{"rect": [0, 1, 2, 3], "score": 0.25, "class_id": 3, "label": "car"}'


# --- Segmentation.as_dict --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("background", [False, True])
def test_a_segmentation_as_a_dict_tells_of_every_class_present(background: bool) -> None:
    classes = np.random.default_rng(3).choice([0, 1, 2, 15], (48, 64), p=[0.5, 0.3, 0.19, 0.01]).astype(np.uint8)
    model = FakeModel([Tensor(classes[None])], (64, 48))
    found = model.run(n6post.DeepLab(labels=["sky", "sea", "sand"]), Framed((0, 0, 320, 240)))
    ids, counts = np.unique(classes, return_counts=True)
    labels = {0: "sky", 1: "sea", 2: "sand", 15: "15"}
    expected = [
        {
            "class_id": int(i),
            "label": labels[int(i)],
            "area": int(n) * 25,
            "share": math.floor(int(n) / classes.size * 1e4 + 0.5) / 1e4,
        }
        for i, n in zip(ids, counts, strict=True)
        if background or i
    ]
    assert json.dumps(found.as_dict(background=background)) == json.dumps({"classes": expected})


@pytest.mark.parametrize("upright", [False, True])
def test_a_share_of_a_letterbox_is_that_of_the_picture_between_its_bars(upright: bool) -> None:
    """48 of 64 columns (or rows) from the 8th on show the picture, and the first half of these is class 1."""
    classes = np.full((64, 64), 2, np.uint8)
    classes[:, 8:32] = 1
    frame = image.Image(*((48, 64) if upright else (64, 48)), image.GRAYSCALE)
    model = FakeModel([Tensor(np.ascontiguousarray(classes if upright else classes.T)[None])], (64, 64))
    found = model.run(n6post.DeepLab(), n6post.Letterbox(frame))
    assert [(one["class_id"], one["area"], one["share"]) for one in found.as_dict()["classes"]] == [
        (1, 1536, 0.5), (2, 1536, 0.5),
    ]  # fmt: skip


@given(st.integers(0, 64 * 50))
@example(0)
@example(1)
@example(3200)
def test_a_share_in_the_middle_of_two_steps_is_rounded_up_everywhere(count: int) -> None:
    """Of 3,200 pixels every third count or so: no rounding of floats would be the same on camera and PC."""
    classes = np.zeros(3200, np.uint8)
    classes[:count] = 1
    found = FakeModel([Tensor(classes.reshape(1, 50, 64))], (64, 50)).run(n6post.DeepLab())
    told = found.as_dict()["classes"]
    assert [one["share"] for one in told] == ([(count * 10000 * 2 + 3200) // 6400 / 10000] if count else [])


# --- replace ---------------------------------------------------------------------------------------------------------
@of_every_family
def test_replace_changes_these_fields_and_nothing_else(name: str) -> None:
    d = found_in(name)[0]
    changed = d.replace(label="it", score=0.125)
    assert type(changed) is type(d)
    assert getattr(changed, "keypoint_threshold", None) == getattr(d, "keypoint_threshold", None)
    for field in FIELDS:
        wanted = {"label": "it", "score": 0.125}.get(field, getattr(d, field))
        assert getattr(changed, field) is wanted or getattr(changed, field) == wanted
    assert d.replace() == d and d.label != "it"


def test_replace_keeps_whatever_the_class_of_the_detection_knows() -> None:
    kind = type("Detection", (n6post.Detection,), {"frame_size": (640, 480)})
    assert kind(*plain()).replace(rect=(0, 0, 1, 1)).frame_size == (640, 480)


def test_a_track_stays_with_its_detection() -> None:
    d = plain()
    assert "track_id" not in d.as_dict()
    d.track_id = 7
    assert d.replace(label="bus").track_id == 7
    assert list(d.as_dict().items())[-1] == ("track_id", 7)


def test_replace_refuses_what_is_no_field_and_names_those_that_are() -> None:
    with pytest.raises(ValueError, match=f"^replace: expected fields out of {', '.join(FIELDS)}, got lable$"):
        plain().replace(label="a", lable="b")


@pytest.mark.parametrize("name", ["rect", "label", "center", "keypoint_threshold", "note"])
def test_nothing_of_a_detection_can_be_assigned(name: str) -> None:
    """A camera's namedtuple would take it, and say the new value by name and the old one by position."""
    for d in (plain(), posed(skeleton(17))):
        with pytest.raises(AttributeError, match=rf"^a Detection stays as it is: replace\({name}=\.\.\.\) makes another$"):
            setattr(d, name, 1)
        assert vars(d) == {}


# --- the ways of a namedtuple ----------------------------------------------------------------------------------------
def test_what_a_camera_answers_in_a_namedtuples_place_is_what_a_namedtuple_says() -> None:
    d = plain(score=0.25)
    assert answers(d, "_fields") == d._fields == n6post.Detection._fields
    assert answers(d, "_asdict")() == d._asdict() and list(answers(d, "_asdict")()) == list(d._asdict())
    assert answers(d, "_replace")(label="bus") == d._replace(label="bus")
    for unknown in (d._replace, answers(d, "_replace")):
        with pytest.raises(ValueError):
            unknown(lable="bus")


@pytest.mark.parametrize("name", ["labell", "detection", "_detection", "_loaded", "__array__", "__dict_", "", "frame"])
def test_any_other_name_is_an_attribute_error_that_speaks_of_a_detection(name: str) -> None:
    with pytest.raises(AttributeError, match=f"^'Detection' object has no attribute '{name}'$"):
        getattr(plain(), name)
    assert getattr(plain(), name, 7) == 7


# --- joints ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("count", [13, 17, 5])
def test_a_joint_comes_by_name_and_by_number_as_the_pixel_it_lies_in(count: int) -> None:
    points = skeleton(count)
    d = posed(points)
    for i, name in enumerate(joint_names(count)):
        x, y, score = d.joint(name)
        assert (type(x), type(y), type(score)) == (int, int, float)
        assert (x, y, score) == (math.floor(points[i, 0]), math.floor(points[i, 1]), float(points[i, 2]))
        assert d.joint(i) == d.joint(name) == d.joint(name.replace(" ", "_"))


def test_the_first_joint_of_either_skeleton_is_its_head_and_its_nose() -> None:
    for count in (13, 17):
        d = posed(skeleton(count))
        assert d.joint("head") == d.joint("nose") == d.joint(0)


@pytest.mark.parametrize("joint", ["left ellbow", "", 17, -1, 1.0, None, True, ("nose",)])
def test_an_unknown_joint_is_refused_with_the_names_of_all(joint: Any) -> None:
    d = posed(skeleton(17))
    for ask in (lambda: d.joint(joint), lambda: d.angle("nose", joint, 3)):
        with pytest.raises(ValueError, match="joint: expected") as caught:
            ask()
        if isinstance(joint, str):
            assert all(repr(name) in str(caught.value) for name in joint_names(17))
        assert repr(joint) in str(caught.value)


def test_without_keypoints_there_are_no_joints() -> None:
    for ask in (lambda: plain().joint("nose"), lambda: plain().angle(0, 1, 2)):
        with pytest.raises(ValueError, match="^expected a detection with keypoints, got one without$"):
            ask()


@given(st.lists(st.floats(0, 640, width=32), min_size=6, max_size=6))
def test_an_angle_is_that_between_the_ways_to_the_two_outer_joints(values: list[float]) -> None:
    a, m, b = np.float64(values).reshape(3, 2)
    assume(np.hypot(*(a - m)) > 1e-3 and np.hypot(*(b - m)) > 1e-3)
    points = skeleton(17)
    points[[5, 7, 9], :2], points[[5, 7, 9], 2] = (a, m, b), 0.9
    angle = posed(points).angle("left shoulder", "left elbow", "left wrist")
    turn = np.degrees(np.angle(complex(*(a - m)) / complex(*(b - m))))
    assert type(angle) is float and 0 <= angle <= 180
    assert angle == pytest.approx(abs(turn), abs=1e-3)
    assert posed(points).angle(9, 7, 5) == pytest.approx(angle, abs=1e-9)


def test_straight_right_and_folded_limbs() -> None:
    points = skeleton(17)
    points[:, 2] = 1
    points[[5, 7, 9, 11, 13], :2] = [(0, 0), (10, 0), (20, 0), (10, 30), (5, 0)]
    d = posed(points)
    assert d.angle(5, 7, 9) == 180.0
    assert d.angle(5, 7, 11) == pytest.approx(90.0)
    assert d.angle(5, 7, 13) == 0.0


@pytest.mark.parametrize("hidden", [5, 7, 9])
@pytest.mark.parametrize("score", [0.49, -np.inf, np.nan])
def test_there_is_no_angle_where_a_joint_was_not_seen(hidden: int, score: float) -> None:
    points = skeleton(17)
    points[:, 2] = 0.5
    assert posed(points).angle(5, 7, 9) is not None
    points[hidden, 2] = score
    assert posed(points).angle(5, 7, 9) is None


def test_there_is_no_angle_where_an_outer_joint_lies_on_the_middle_one() -> None:
    points = skeleton(17)
    points[:, 2] = 1
    points[7] = points[5]
    assert posed(points).angle(5, 7, 9) is None and posed(points).angle(9, 7, 5) is None


def test_a_detection_made_by_hand_counts_joints_as_draw_does() -> None:
    points = skeleton(17)
    points[:, 2] = 0.3
    d = plain(keypoints=_host.wrap(points))
    assert d.angle(5, 7, 9) is not None
    points[:, 2] = 0.29
    assert d.angle(5, 7, 9) is None


# --- OpenMV's own shape ------------------------------------------------------------------------------------------
def test_by_class_is_openmvs_list_of_lists() -> None:
    points = object()
    found = [
        n6post.Detection((1, 2, 3, 4), 0.9, 2, "car", None, None),
        n6post.Detection((5, 6, 7, 8), 0.8, 0, "person", None, points),
        n6post.Detection((9, 9, 9, 9), 0.7, 2, "car", None, None),
    ]
    assert n6post.by_class(found) == [
        [([5, 6, 7, 8], 0.8, points)],
        [],
        [([1, 2, 3, 4], 0.9), ([9, 9, 9, 9], 0.7)],
    ]
    assert n6post.by_class([]) == []


@pytest.mark.parametrize("found", [
    None, 7, "person", [None], [5], [(0, 0, 9, 9)], [[]], [n6post.Detection((1, 2, 3, 4), 0.9, -1, "car", None, None)],
])  # fmt: skip
def test_what_is_no_list_of_detections_has_no_classes(found: Any) -> None:
    with pytest.raises(ValueError, match=says(f"found: expected a list of Detection, got {found!r}")):
        n6post.by_class(found)


def test_openmvs_own_function_draws_by_class_a_class_at_a_time() -> None:
    found = [
        n6post.Detection((4, 20, 30, 20), 0.9, 1, "car", None, None),
        n6post.Detection((40, 30, 10, 25), 0.8, 1, "car", None, None),
    ]
    img, wanted = image.Image(64, 64, image.RGB565), image.Image(64, 64, image.RGB565)
    for i, entries in enumerate(n6post.by_class(found)):
        rects = [entry[0] for entry in entries]
        ml.utils.draw_predictions(img, rects, ["car"] * len(rects), [(0, 255, 0)] * i * len(rects), format=None)
    for d in found:
        wanted.draw_rectangle(d.rect, color=(0, 255, 0))
    corners = [(4, 30), (33, 39), (40, 54), (49, 40)]
    assert [p for p in corners if img.get_pixel(p) == wanted.get_pixel(p) != (0, 0, 0)] == corners
