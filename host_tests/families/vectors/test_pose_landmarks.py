"""lib/n6post/families/vectors/pose_landmarks.py: recorded outputs, refinement, orders, errors; in a Pipeline, too."""

from __future__ import annotations

import itertools
from math import cos, hypot, sin
from types import SimpleNamespace
from typing import Any

import image
import n6post
import numpy as np
import pytest
import recorded_pose as recorded
from assertions import assert_well_formed, says
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from n6post.results.detection import detection_from
from n6post.tensors.keypoints import limbs
from ulab import _host

SIZE = (256, 256)
WHOLE = (0, 0, 256, 256)
NAN = float("nan")
CASES = list(recorded.index())


def points_of(detection: Any) -> Array:
    return np.array(detection.keypoints.tolist())


def ulab_array(values: Any) -> Any:
    return _host.wrap(np.ascontiguousarray(values, np.float32))


def outputs(score: float = 0.9, seed: int = 1, heat: float = -9.0) -> list[Tensor]:
    """Keypoints with every visibility from -4 to 4, score and an empty heat map."""
    random = np.random.default_rng(seed)
    points = random.uniform(40, 200, (39, 5))
    points[:, 3] = np.linspace(-4, 4, 39)
    arrays = [points.reshape(1, 195), [[score]], np.full((1, 64, 64, 39), heat)]
    return [Tensor(np.array(array, np.float32)) for array in arrays]


def person(tensors: list[Tensor], roi: tuple[int, ...] = WHOLE, **options: Any) -> Any:
    (one,) = FakeModel(tensors, SIZE).run(n6post.PoseLandmarks(**options), Framed(roi))
    assert_well_formed([one], roi, 1)
    return one


# --- the judge ---
def forms(tensors: list[Tensor]) -> dict[str, list[Tensor]]:
    """The recorded outputs with integers of every dtype, and as floats."""
    points, score, heat = tensors
    return {
        "int8": tensors,
        "uint8": [points.as_uint8(), score, heat.as_uint8()],
        "int16": [points.as_int16(2, 5), score, heat.as_int16(3, -7)],
        "float32": [points.dequantized(), score, heat.dequantized()],
    }


@pytest.mark.parametrize("case", CASES)
def test_recorded_outputs_give_the_keypoints_of_mediapipes_calculators(case: str) -> None:
    for frame in recorded.frames(case):
        expected = frame.decoded[:35].copy()
        expected[33:, 2] = -1
        for name, tensors in forms(frame.tensors).items():
            model = recorded.model(tensors)
            assert type(n6post.processor_for(model)).__name__ == "PoseLandmarks"
            # A Region has no limits near the input.
            source = SimpleNamespace(roi=(0, 0, 256, 256), fit=wide)
            (found,) = model.run(n6post.PoseLandmarks(), source)
            np.testing.assert_allclose(points_of(found), expected, atol=2e-4, err_msg=name)
            assert found.score == pytest.approx(float(frame.tensors[1].values[0, 0]))


def wide(key: Any, size: Any) -> Any:
    from n6post.inputs.transform import InputTransform

    return InputTransform(key, (-size[0], -size[1], 3 * size[0], 3 * size[1]), 1.0, 0.0, 1.0, 0.0)


def test_the_heat_map_matters_in_the_recordings() -> None:
    moved = []
    for case in CASES:
        for frame in recorded.frames(case):
            plain = person(frame.tensors[:2])
            moved.append(np.hypot(*(points_of(plain)[:33, :2] - frame.decoded[:33, :2].clip(0, 256)).T))
    assert np.concatenate(moved).max() > 5 and np.median(np.concatenate(moved)) > 0.2


# --- in a Pipeline ---
class Second:
    """The recorded outputs of the second network, frame by frame."""

    def __init__(self, case: str) -> None:
        self.frames = recorded.frames(case)
        self.input_shape = ((1, 256, 256, 3),)
        self.postprocess = n6post.PoseLandmarks()
        self.inputs: list[Any] = []

    def predict(self, inputs: list[Any]) -> Any:
        self.inputs += inputs
        return recorded.model(self.frames[len(self.inputs) - 1].tensors).run(self.postprocess, inputs[0])


def detector_of(case: str) -> Any:
    rect = tuple(recorded.index()[case]["rect"])
    found = detection_from((rect, 0.9, 0, "person", None, ulab_array(recorded.detection(case))), (None, 0.5))
    return SimpleNamespace(predict=lambda inputs: [found])


@pytest.mark.parametrize("case", CASES)
def test_a_pipeline_finds_the_keypoints_of_mediapipes_own_solution(case: str) -> None:
    width, height = size = recorded.index()[case]["size"]
    second = Second(case)
    pipeline = n6post.Pipeline(detector_of(case), second, max_detections=1)
    for i, frame in enumerate(second.frames):
        (found,) = pipeline.predict(image.Image(width, height, image.RGB565))
        crop = second.inputs[i]
        region = [*crop._corner, crop._across, crop._down, *crop._axes]
        # Another region would need another recording. The outputs are rounded to int8: half a step is 2 pixels of a crop.
        np.testing.assert_allclose(region, frame.region, atol=1e-3 if i == 0 else 4 * frame.region[2])
        error = np.hypot(*(points_of(found)[:33, :2] - frame.judged[:, :2].clip(0, size)).T)
        tall = np.ptp(frame.judged[:, 1])
        print(f"{case}, frame {i}: mean error {100 * error.mean() / tall:.1f} % of the height")
        # Detections on a picture that was made smaller in another way are other ones, and so are the crops.
        assert error.mean() < (0.07 if i == 0 else 0.04) * tall
        assert pipeline.following == 1 and len(found.keypoints) == 35


@pytest.mark.parametrize("case", CASES)
def test_regions_are_those_of_mediapipes_graphs(case: str) -> None:
    """AlignmentPointsRectsCalculator and RectTransformationCalculator, and the graph's own region of its own detection."""
    about = recorded.index()[case]
    pipeline = n6post.Pipeline(detector_of(case), Second(case))
    keypoints = np.column_stack([about["detected"], np.ones(4)])
    detection = n6post.Detection((0, 0, 9, 9), 0.9, 0, "person", None, ulab_array(keypoints))
    x, y, side, rotation = about["regions"][0]
    found = pipeline._region(detection, None)
    np.testing.assert_allclose(found, [x, y, side, side, cos(rotation), sin(rotation), side, side, 0], rtol=1e-4, atol=2e-2)
    points = np.zeros((35, 3))
    (cx, cy), (px, py) = points[33:, :2] = [[300.5, -40.25], [250.5, -350.0]]
    followed = pipeline._region(n6post.Detection((0, 0, 9, 9), 0.9, 0, "person", None, ulab_array(points)), None)
    radius = hypot(px - cx, py - cy)
    across, down = (cy - py) / radius, (px - cx) / radius
    expected = [cx, cy, 2.5 * radius, 2.5 * radius, across, down, 2.5 * radius, 2.5 * radius, 0]
    np.testing.assert_allclose(followed, expected, rtol=1e-5)


def test_the_circle_is_not_cut_at_the_border_of_the_frame() -> None:
    second = Second("at the border")
    frame = second.frames[0]
    frame.tensors[0].values.reshape(39, 5)[33:35, :2] += 60
    expected = recorded.model(frame.tensors).run(n6post.PoseLandmarks(), SimpleNamespace(roi=WHOLE, fit=wide))[0]
    pipeline = n6post.Pipeline(detector_of("at the border"), second)
    (found,) = pipeline.predict(image.Image(250, 350, image.RGB565))
    x, y, across, down, c, s = frame.region
    u, v = points_of(expected)[33:, 0] * across, points_of(expected)[33:, 1] * down
    places = np.column_stack([x + u * c - v * s, y + u * s + v * c])
    assert (places < 0).any() or (places > (250, 350)).any()
    np.testing.assert_allclose(points_of(found)[33:, :2], places, atol=1e-2)
    body = points_of(found)[:33, :2]
    assert body.min() >= 0 and (body <= (250, 350)).all()
    outside = ((body == 0) | (body == (250, 350))).any(axis=1)
    assert outside.any() and (points_of(found)[:33, 2] == 0).tolist() == outside.tolist(), "what is outside is not seen"


def test_four_keypoints_are_a_circle_only_in_front_of_this_network() -> None:
    corners = n6post.Detection((10, 20, 60, 20), 0.9, 0, "plate", None, ulab_array([[9, 9, 1]] * 4))
    plates = SimpleNamespace(input_shape=((1, 32, 96, 3),), predict=lambda inputs: [])
    for detection in (corners, corners.replace(keypoints=ulab_array([[9, 9, 1]] * 35))):
        found = n6post.Pipeline(SimpleNamespace(predict=list), plates)._region(detection, None)
        assert found[:2] == (40, 30)


def test_the_region_of_a_circle_is_upright_on_demand_and_has_the_inputs_aspect_ratio() -> None:
    keypoints = ulab_array([[30, 40, 1], [70, 70, 1], [0, 0, 1], [0, 0, 1]])  # a radius of 50
    detection = n6post.Detection((10, 20, 60, 20), 0.9, 0, "person", None, keypoints)
    second = Second("standing")
    upright = n6post.Pipeline(SimpleNamespace(predict=list), second, rotate=False, margin=2.0)._region(detection, 2.0)
    assert upright == (30, 40, 200, 200, 1, 0, 200, 200, 0)
    for width, height, expected in ((128, 256, (125, 250)), (256, 128, (250, 125))):
        second.input_shape = ((1, height, width, 3),)
        found = n6post.Pipeline(SimpleNamespace(predict=list), second)._region(detection, None)
        np.testing.assert_allclose(found[2:6], [*expected, -0.6, 0.8])


def test_a_circle_without_a_radius_has_a_region_all_the_same() -> None:
    keypoints = ulab_array([[30, 40, 1]] * 4)
    detection = n6post.Detection((10, 20, 60, 20), 0.9, 0, "person", None, keypoints)
    found = n6post.Pipeline(SimpleNamespace(predict=list), Second("standing"))._region(detection, None)
    assert found[:6] == (30, 40, 1.25, 1.25, 1, 0)


# --- refinement ---
def test_a_keypoint_moves_to_the_mean_of_the_heat_map_around_it() -> None:
    tensors = outputs()
    points, heat = tensors[0].values.reshape(39, 5), tensors[2].values[0]
    points[:4, :2] = [[100.0, 60.0], [2.0, 254.0], [100.0, 60.0], [-30.0, 60.0]]
    for row, column, logit in ((15, 25, 4.0), (16, 26, 2.0), (19, 25, 9.0)):
        heat[row, column, 0] = logit  # the last one is four cells away
    heat[63, 0, 1] = 0.0  # exactly half
    heat[15, 25, 2] = -1e-3
    heat[15, 0, 3] = 9.0
    found = points_of(person(tensors))
    x, y = np.meshgrid(np.arange(22, 29), np.arange(12, 19))
    weights = 1 / (1 + np.exp(-heat[12:19, 22:29, 0].astype(float)))
    expected = [4 * (weights * axis).sum() / weights.sum() for axis in (x, y)]
    np.testing.assert_allclose(found[0, :2], expected, atol=1e-4)
    weights = 1 / (1 + np.exp(-heat[60:64, :4, 1].astype(float)))
    x, y = np.meshgrid(np.arange(4), np.arange(60, 64))
    np.testing.assert_allclose(found[1, :2], [4 * (weights * axis).sum() / weights.sum() for axis in (x, y)], atol=1e-4)
    assert found[2, :2].tolist() == [100, 60], "no cell reaches one half"
    assert found[3, :2].tolist() == [0, 60], "outside of the heat map"


def test_a_heat_map_of_another_size_is_scaled() -> None:
    tensors = outputs()
    tensors[0].values.reshape(39, 5)[:2, :2] = [[100, 60], [100, 200]]
    tensors[2] = Tensor(np.full((1, 32, 16, 39), -60, np.float32))
    tensors[2].values[0, 8, 7, 0] = tensors[2].values[0, 24, 7, 1] = 60
    assert points_of(person(tensors))[:2, :2].reshape(-1).tolist() == pytest.approx([7 * 16, 8 * 8, 7 * 16, 24 * 8])


def test_a_keypoint_less_than_a_cell_outside_counts_as_in_the_first_one() -> None:
    """As in MediaPipe, which cuts off the fraction."""
    tensors = outputs()
    tensors[0].values.reshape(39, 5)[:2, :2] = [[-2, 60], [-5, 60]]
    tensors[2].values[0, 15, 2, :2] = 60
    assert points_of(person(tensors))[:2, 0].tolist() == pytest.approx([8, 0], abs=1e-2)


def test_cells_beyond_the_heat_map_have_no_weight_whatever_its_zero_point() -> None:
    tensors = outputs()
    tensors[0].values.reshape(39, 5)[0, :2] = 2, 2
    heat = np.full((1, 64, 64, 39), -120, np.int8)
    heat[0, 2, 1, 0] = -80
    for zero_point in (-100, 100):
        tensors[2] = Tensor((heat + np.int16(zero_point + 100)).astype(np.int8), 0.8, zero_point)
        assert points_of(person(tensors))[0, :2].tolist() == pytest.approx([4, 8], abs=1e-2)


def test_numbers_that_are_not_finite_do_no_harm() -> None:
    for bad in (NAN, float("inf"), -float("inf")):
        tensors = outputs()
        tensors[0].values.reshape(39, 5)[[0, 5, 9, 20, 33], [0, 1, 3, 4, 0]] = bad
        tensors[2].values[0, 10:50, 10:50, 3] = bad
        found = FakeModel(tensors, SIZE).run(n6post.PoseLandmarks(), Framed(WHOLE))
        assert len(found) == 1 and np.isfinite(points_of(found[0])[:, :2]).all()
        tensors[1].values[...] = NAN
        assert FakeModel(tensors, SIZE).run(n6post.PoseLandmarks(0.0), Framed(WHOLE)) == []


# --- places and scores ---
def test_scores_of_keypoints_are_their_visibility_and_the_box_surrounds_the_visible_ones() -> None:
    tensors = outputs()
    for threshold in (0.5, 0.9, 0.05, 0.0):
        found = person(tensors, keypoint_threshold=threshold)
        points = points_of(found)
        raw = tensors[0].values.reshape(39, 5)[:35]
        np.testing.assert_allclose(points[:33, 2], 1 / (1 + np.exp(-raw[:33, 3].astype(float))), rtol=1e-5)
        assert points[33:, 2].tolist() == [-1, -1] and found.keypoint_threshold == threshold
        seen = raw[:33][points[:33, 2] >= threshold, :2]
        (left, top), (right, bottom) = np.floor(seen.min(axis=0)), np.ceil(seen.max(axis=0))
        assert found.rect == (left, top, right - left, bottom - top)
    assert FakeModel(tensors, SIZE).run(n6post.PoseLandmarks(keypoint_threshold=0.99), Framed(WHOLE)) == []


def test_keypoints_outside_of_the_frame_are_not_seen() -> None:
    tensors = outputs()
    points = tensors[0].values.reshape(39, 5)
    points[:33, 3] = 4
    points[[3, 5, 7, 9], :2] = [[-4, 100], [100, -4], [260, 100], [100, 260]]
    found = points_of(person(tensors))
    assert [k for k in range(33) if found[k, 2] == 0] == [3, 5, 7, 9]
    assert found[[3, 5, 7, 9], :2].tolist() == [[0, 100], [100, 0], [256, 100], [100, 256]]
    assert person(tensors).angle("nose", "left eye", "left eye outer") is None


def test_result_does_not_change_with_the_next_frame() -> None:
    model, processor = FakeModel(outputs(), SIZE), n6post.PoseLandmarks()
    (before,) = model.run(processor, Framed(WHOLE))
    kept = points_of(before).tolist()
    model.tensors[0].values[...] = 50
    (after,) = model.run(processor, Framed(WHOLE))
    assert points_of(before).tolist() == kept != points_of(after).tolist()


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_outputs_may_come_in_any_order_and_with_those_that_are_not_used(order: tuple[int, ...]) -> None:
    tensors = outputs()
    tensors[2].values[0, 20:30, 20:30] = 3
    expected = person(tensors)
    unused = [Tensor(np.ones(shape, np.float32)) for shape in ((1, 128, 128, 1), (1, 117))]
    for others in ([], unused[:1], unused, unused[1:]):
        found = person([tensors[i] for i in order[:2]] + others + [tensors[order[2]]])
        assert found[:4] == expected[:4] and points_of(found).tolist() == points_of(expected).tolist()


def test_keypoints_have_mediapipes_names_and_limbs() -> None:
    names = n6post.keypoint_names(35)
    assert len(set(names)) == 35 and names[-2:] == ["hips", "circle"]
    # mediapipe.solutions.pose.PoseLandmark and POSE_CONNECTIONS of 0.10.14.
    some = {"nose": 0, "left ear": 7, "right shoulder": 12, "left wrist": 15, "right hip": 24, "left knee": 25}
    some |= {"right ankle": 28, "left heel": 29, "right foot": 32}
    assert {name: names.index(name) for name in some} == some
    text = "0-1 1-2 2-3 3-7 0-4 4-5 5-6 6-8 9-10 11-12 11-13 13-15 15-17 15-19 15-21 17-19 12-14 14-16 16-18 16-20 16-22"
    text += " 18-20 11-23 12-24 23-24 23-25 24-26 25-27 26-28 27-29 28-30 29-31 30-32 27-31 28-32"
    flat = list(limbs(35))
    pairs = {frozenset(pair) for pair in zip(flat[::2], flat[1::2], strict=True)}
    assert pairs == {frozenset(map(int, pair.split("-"))) for pair in text.split()}
    assert len(flat) == 2 * len(pairs), "a limb is drawn twice"


def test_angles_of_a_recorded_body_are_those_of_its_posture() -> None:
    """The man who stands has straight knees and bent elbows."""
    frame = recorded.frames("standing")[1]
    found = person(frame.tensors)
    knees = [found.angle(f"{side} hip", f"{side} knee", f"{side} ankle") for side in ("left", "right")]
    assert min(knees) > 150
    assert found.keypoint("nose")[1] < found.keypoint("left hip")[1] < found.keypoint("left ankle")[1]
    assert found.angle("hips", "circle", "nose") is None, "the circle is no part of the body"


# --- labels and errors ---
def test_label_can_be_given() -> None:
    assert person(outputs(), labels=["player"]).label == "player"
    assert FakeModel(outputs(), SIZE, ["dancer"]).run(n6post.PoseLandmarks())[0].label == "dancer"
    with pytest.raises(ValueError, match=says("labels: expected one name, got 2")):
        person(outputs(), labels=["a", "b"])


EXPECTED = (
    "expected keypoints [1, 195] and a score [1, 1], optionally a heat map [1, h, w, 39], world coordinates [1, 117] and a "
    "mask [1, h, w, 1]"
)


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(1, 195), (1, 195)], EXPECTED + ", got (1, 195), (1, 195)"),
        ([(1, 195), (1, 1), (1, 1)], EXPECTED + ", got (1, 195), (1, 1), (1, 1)"),
        ([(1, 195), (1, 1), (1, 64, 64, 38)], EXPECTED + ", got (1, 195), (1, 1), (1, 64, 64, 38)"),
        ([(1, 195), (1, 1), (1, 39, 64, 64)], EXPECTED + ", got (1, 195), (1, 1), (1, 39, 64, 64)"),
        ([(1, 195), (1, 1), (2, 8, 8, 39)], EXPECTED + ", got (1, 195), (1, 1), (2, 8, 8, 39)"),
        ([(1, 165), (1, 1)], EXPECTED + ", got (1, 165), (1, 1)"),
        ([(1, 195)], "expected 2 outputs (" + EXPECTED[9:] + "), got 1"),
    ],
)
def test_other_outputs_are_refused(shapes: list[tuple[int, ...]], message: str) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], SIZE)
    with pytest.raises(ValueError, match=says(message)):
        model.run(n6post.PoseLandmarks())


def float_pose() -> FakeModel:
    return FakeModel(outputs(), SIZE)


def quantized_pose() -> FakeModel:
    return recorded.model(recorded.frames("standing")[0].tensors)


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.95, (-0.1, 1.1, NAN, None), float_pose),
        "keypoint_threshold": OptionCase(0.5, 0.9, (-0.1, 1.1, NAN, None), float_pose),
        "labels": OptionCase(None, ["player"], ("abc", [], [1]), float_pose),
    },
    frames={
        "PoseLandmarks": FrameCase(n6post.PoseLandmarks, float_pose, quantized_pose, ("keypoint_threshold", 0.5, 0.9))
    },
)
