"""lib/n6post/results/dicts.py: results as dicts for JSON, the same on a camera, and in OpenMV's own form."""

from __future__ import annotations

import json
import math
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import image
import ml.utils
import n6post
import numpy as np
import omv
import pytest
from assertions import says
from fakes import FakeModel, Framed, Tensor, camera_floats
from hypothesis import example, given
from hypothesis import strategies as st
from test_detection import car, detections_of, of_every_family, person


# --- Detection.as_dict -----------------------------------------------------------------------------------------------
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
def test_as_dict_has_the_fields_as_numbers_strings_and_lists(name: str, outline: bool) -> None:
    for d in detections_of(name):
        as_dict = d.as_dict(outline=outline)
        assert {type(leaf) for leaf in leaves(as_dict)} <= {int, float, str}
        expected = {
            "rect": list(d.rect),
            "score": rounded(d.score, 3),
            "class_id": d.class_id,
            "label": d.label,
        }
        if d.mask is not None:
            expected["mask"] = {"rect": as_dict["mask"]["rect"], "area": d.mask.area, "centroid": list(d.mask.centroid)}
            if outline:
                expected["mask"]["outline"] = [list(point) for point in d.mask.outline()]
        if d.keypoints is not None:
            rows = np.array(d.keypoints.tolist(), np.float32)
            expected["keypoints"] = [[rounded(x, 1), rounded(y, 1), rounded(s, 3)] for x, y, s in rows]
        assert json.dumps(as_dict) == json.dumps(expected)


@of_every_family
def test_as_dict_has_no_more_digits_than_a_camera_prints(name: str) -> None:
    """A camera prints a float with six significant digits."""
    for d in detections_of(name):
        for number in leaves(d.as_dict(True)):
            if type(number) is float:
                assert repr(number) == repr(float(f"{number:.6g}")) and "e" not in repr(number)


def test_the_track_id_is_the_last_entry_of_as_dict() -> None:
    d = car()
    assert "track_id" not in d.as_dict()
    d.track_id = 7
    assert list(d.as_dict().items())[-1] == ("track_id", 7)


def test_the_rect_of_a_mask_surrounds_the_pixels_that_it_contains() -> None:
    for d in detections_of("yolov8n_seg_320"):
        inside = np.array([[d.mask.contains(x, y) for x in range(640)] for y in range(480)])
        rows, columns = np.nonzero(inside.any(axis=1))[0], np.nonzero(inside.any(axis=0))[0]
        x, y, w, h = d.as_dict()["mask"]["rect"]
        assert (x, y, w, h) == d.mask.rect
        # It ends between two mask pixels, of 8 x 6 frame pixels, where the logits cross the threshold, or with the box.
        assert np.abs(np.subtract((x, x + w), (columns[0], columns[-1] + 1))).max() < 8
        assert np.abs(np.subtract((y, y + h), (rows[0], rows[-1] + 1))).max() <= 6


def test_the_rect_and_centroid_of_an_empty_mask_are_none() -> None:
    mask = FakeModel([Tensor(np.zeros((1, 8, 8), np.uint8))], (64, 64)).run(n6post.DeepLab()).mask(3)
    assert car(mask=mask).as_dict()["mask"] == {"rect": None, "area": 0, "centroid": None}  # no outline unless asked for
    with_outline = car(mask=mask).as_dict(outline=True)
    assert with_outline["mask"] == {"rect": None, "area": 0, "centroid": None, "outline": []}


def test_numbers_that_are_not_finite_are_none_and_minus_zero_is_zero() -> None:
    d = person([[1, 2, -np.inf], [3, 4, np.nan], [-0.01, -0.04, -0.0002]]).replace(score=float("inf"))
    as_dict = d.as_dict()
    assert as_dict["score"] is None
    assert json.dumps(as_dict["keypoints"]) == "[[1.0, 2.0, null], [3.0, 4.0, null], [0.0, 0.0, 0.0]]"


@pytest.mark.parametrize("score", [k / 16 for k in range(-20, 33)] + [0.0005, 0.9995, 1e-9, 0.8765, 1.0005])
def test_a_score_is_rounded_half_to_even_as_a_decimal_is(score: float) -> None:
    """Every other odd sixteenth is such a half: 0.0625 becomes 0.062 and 0.1875 becomes 0.188."""
    for near in (np.float32(score), *(np.nextafter(np.float32(score), np.float32(way)) for way in (-9, 9))):
        held = camera_floats(near)
        wanted = float(Decimal(held[0]).quantize(Decimal("0.001"), ROUND_HALF_EVEN))
        assert [car(score=number).as_dict()["score"] for number in (float(near), *held)] == [wanted] * 3


LARGE = [999.4, 1000.5, 1001.5, 123456.78, 99999.93, 100000.2, 3e26, 3.1e26, 2.0**100, 1e20, 3.4e38]


@pytest.mark.parametrize("number", [*LARGE, *[-number for number in LARGE]])
def test_a_number_of_more_digits_than_a_camera_prints_is_a_whole_one(number: float) -> None:
    def rounded(number: float, step: str) -> float:
        whole = abs(number) * (1000 if step == "0.001" else 10) >= 1e6
        return int(Decimal(number).to_integral(ROUND_HALF_EVEN)) if whole else float(Decimal(number).quantize(Decimal(step)))

    held = camera_floats(number)
    wanted = [rounded(held[0], "0.1")] * 2 + [rounded(held[0], "0.001")]
    for near in (np.float32(number), *held):
        d = person([[near, near, near]] * 17).replace(score=float(near))
        assert d.as_dict()["score"] == wanted[2]
        assert d.as_dict()["keypoints"] == [wanted] * 17
        assert json.loads(n6post.to_json(d)) == d.as_dict()


def test_keypoints_are_rounded_half_to_even() -> None:
    d = person([[0.25, 0.75, 0.0625], [1.25, 1.75, 0.1875], [-0.25, 639.75, 0.5625]])
    assert d.as_dict()["keypoints"] == [[0.2, 0.8, 0.062], [1.2, 1.8, 0.188], [-0.2, 639.8, 0.562]]


def test_as_dict_turns_scalars_of_numpy_and_ulab_into_numbers() -> None:
    odd = car(rect=tuple(np.arange(4)), score=np.float32(0.25), class_id=np.int16(3))
    assert json.dumps(odd.as_dict()) == '{"rect": [0, 1, 2, 3], "score": 0.25, "class_id": 3, "label": "car"}'


# --- Segmentation.as_dict --------------------------------------------------------------------------------------------
@pytest.mark.parametrize("background", [False, True])
def test_as_dict_of_a_segmentation_lists_every_class_in_the_frame(background: bool) -> None:
    classes = np.random.default_rng(3).choice([0, 1, 2, 15], (48, 64), p=[0.5, 0.3, 0.19, 0.01]).astype(np.uint8)
    model = FakeModel([Tensor(classes[None])], (64, 48))
    segmentation = model.run(n6post.DeepLab(labels=["sky", "sea", "sand"]), Framed((0, 0, 320, 240)))
    ids, counts = np.unique(classes, return_counts=True)
    labels = {0: "sky", 1: "sea", 2: "sand", 15: "15"}
    expected = [
        {
            "class_id": int(i),
            "label": labels[int(i)],
            "area": int(n) * 25,
            "fraction": math.floor(int(n) / classes.size * 1e4 + 0.5) / 1e4,
        }
        for i, n in zip(ids, counts, strict=True)
        if background or i
    ]
    assert json.dumps(segmentation.as_dict(background=background)) == json.dumps({"classes": expected})


@pytest.mark.parametrize("upright", [False, True])
def test_a_fraction_of_a_letterbox_leaves_out_the_bars(upright: bool) -> None:
    """48 of 64 columns (or rows) from the 8th on show the picture, and the first half of these is class 1."""
    classes = np.full((64, 64), 2, np.uint8)
    classes[:, 8:32] = 1
    frame = image.Image(*((48, 64) if upright else (64, 48)), image.GRAYSCALE)
    model = FakeModel([Tensor(np.ascontiguousarray(classes if upright else classes.T)[None])], (64, 64))
    segmentation = model.run(n6post.DeepLab(), n6post.Letterbox(frame))
    assert [(one["class_id"], one["area"], one["fraction"]) for one in segmentation.as_dict()["classes"]] == [
        (1, 1536, 0.5), (2, 1536, 0.5),
    ]  # fmt: skip


@given(st.integers(0, 64 * 50))
@example(0)
@example(1)
@example(3200)
def test_a_fraction_halfway_between_two_steps_is_rounded_up(count: int) -> None:
    """About every third count of 3200 pixels is such a case. Floats would not round the same way on camera and PC."""
    classes = np.zeros(3200, np.uint8)
    classes[:count] = 1
    segmentation = FakeModel([Tensor(classes.reshape(1, 50, 64))], (64, 50)).run(n6post.DeepLab())
    fractions = [one["fraction"] for one in segmentation.as_dict()["classes"]]
    assert fractions == ([(count * 10000 * 2 + 3200) // 6400 / 10000] if count else [])


# --- to_openmv -------------------------------------------------------------------------------------------------------
def test_to_openmv_returns_a_list_for_each_class() -> None:
    points = object()
    detections = [
        n6post.Detection((1, 2, 3, 4), 0.9, 2, "car", None, None),
        n6post.Detection((5, 6, 7, 8), 0.8, 0, "person", None, points),
        n6post.Detection((9, 9, 9, 9), 0.7, 2, "car", None, None),
    ]
    assert n6post.to_openmv(detections) == [
        [([5, 6, 7, 8], 0.8, points)],
        [],
        [([1, 2, 3, 4], 0.9), ([9, 9, 9, 9], 0.7)],
    ]
    assert n6post.to_openmv([]) == []


@pytest.mark.parametrize("detections", [
    None, 7, "person", [None], [5], [(0, 0, 9, 9)], [[]], [n6post.Detection((1, 2, 3, 4), 0.9, -1, "car", None, None)],
    [n6post.Detection((1, 2, 3, 4), 0.9, 1 << 30, "car", None, None)],
])  # fmt: skip
def test_to_openmv_refuses_anything_but_a_list_of_detections(detections: Any) -> None:
    with pytest.raises(ValueError, match=says(f"detections: expected a list of Detection, got {detections!r}")):
        n6post.to_openmv(detections)


@pytest.mark.parametrize("version", [(5, 0, 0), (4, 8, 1)])
def test_draw_predictions_of_openmv_draws_the_lists_of_to_openmv(
    version: tuple[int, int, int], request: pytest.FixtureRequest
) -> None:
    omv._host_set_version(*version)
    request.addfinalizer(omv._host_set_version)
    detections = [
        n6post.Detection((4, 20, 30, 20), 0.9, 1, "car", None, None),
        n6post.Detection((40, 30, 10, 25), 0.8, 1, "car", None, None),
    ]
    img, wanted = image.Image(64, 64, image.RGB565), image.Image(64, 64, image.RGB565)
    for i, entries in enumerate(n6post.to_openmv(detections)):
        rects = [entry[0] for entry in entries]
        ml.utils.draw_predictions(img, rects, ["car"] * len(rects), [(0, 255, 0)] * i * len(rects), format=None)
    for d in detections:
        wanted.draw_rectangle(d.rect, color=(0, 255, 0))
    corners = [(4, 30), (33, 39), (40, 54), (49, 40)]
    assert [p for p in corners if img.get_pixel(p) == wanted.get_pixel(p) != (0, 0, 0)] == corners
