"""lib/n6post/families/vectors/hand_landmarks.py, and what landmarks.py does for hands: recorded outputs, orders, errors."""

from __future__ import annotations

import itertools
from typing import Any

import n6post
import numpy as np
import pytest
import recorded_landmarks as recorded
from assertions import assert_well_formed, says
from fakes import FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase

FRAME = (0, 0, 640, 480)
SIZE = (224, 224)
NAN = float("nan")
CASES = recorded.cases("hand")


def points_of(detection: Any) -> Any:
    return np.array(detection.keypoints.tolist())


def hand(tensors: list[Tensor], roi: tuple[int, ...] = FRAME, **options: Any) -> Any:
    """The only detection."""
    found = FakeModel(tensors, SIZE).run(n6post.HandLandmarks(**options), Framed(roi))
    assert_well_formed(found, roi, 1)
    (one,) = found
    return one


def outputs(score: float = 0.9, right: float = 0.2, seed: int = 1) -> list[Tensor]:
    """Handedness, world coordinates, score and keypoints: the order of the camera's file."""
    random = np.random.default_rng(seed)
    points = random.uniform(20, 180, (1, 63))
    arrays = [[[right]], random.uniform(-0.1, 0.1, (1, 63)), [[score]], points]
    return [Tensor(np.array(array, np.float32)) for array in arrays]


def whole_numbers() -> list[Tensor]:
    """As int8, and every number exact."""
    random = np.random.default_rng(2)
    points, world = (random.integers(-100, 100, (1, 63)).astype(np.int8) for _ in range(2))
    scalars = [np.array([[q]], np.int8) for q in (90, 70)]
    right, score = (Tensor(scalar, 1 / 256, -128) for scalar in scalars)
    return [right, Tensor(points, 1.0, -100), score, Tensor(world, 0.001)]


# --- real outputs ---
@pytest.mark.parametrize(("case", "network"), CASES)
def test_keypoints_are_those_of_mediapipes_own_solution(case: str, network: str) -> None:
    judged = recorded.judged(case)
    size = np.ptp(judged, axis=0).max()
    errors = []
    for frame in recorded.frames(case, network):
        (found,) = recorded.model("hand", frame.tensors).run(n6post.HandLandmarks())
        errors.append(np.hypot(*(frame.placed(points_of(found)) - judged).T) / size)
        # MediaPipe calls the left hand of a picture that is not mirrored "Right".
        assert (found.label, recorded.index()[case]["handedness"]) in (("left hand", "Right"), ("right hand", "Left"))
        assert found.class_id == (found.label == "right hand")
    print(f"{case} {network}: mean error {[round(float(e.mean()) * 100, 2) for e in errors]} % of the hand's size")
    # Another first region than MediaPipe's, and quantization: see test_pipeline.py.
    assert max(e.mean() for e in errors) < 0.018 and max(e.max() for e in errors) < 0.05


@pytest.mark.parametrize("case", [case for case, network in CASES if network == "rom"])
def test_every_dtype_gives_the_same_hand(case: str) -> None:
    for frame in recorded.frames(case, "rom"):
        hands = [hand(tensors, (0, 0, 224, 224)) for tensors in recorded.dtypes(frame.tensors)]
        raw = max((t.values for t in frame.tensors), key=lambda v: float(np.abs(v).max())).reshape(21, 3)
        for found in hands:
            np.testing.assert_allclose(points_of(found)[:, :2], np.clip(raw[:, :2], 0, 224), atol=1e-3)
            assert points_of(found)[:, 2].tolist() == [1.0] * 21
            assert (found.score, found.label) == (hands[0].score, hands[0].label)


def test_camera_rom_has_a_score_of_one_half_at_most() -> None:
    scores = set()
    for case, network in CASES:
        for frame in recorded.frames(case, network):
            for threshold in (0.4, 0.5, 0.51):
                found = recorded.model("hand", frame.tensors).run(n6post.HandLandmarks(threshold))
                assert len(found) == (threshold <= 0.5 or network == "mediapipe")
                scores |= {(network, float(d.score)) for d in found}
    assert {score for network, score in scores if network == "rom"} == {0.5}
    assert min(score for network, score in scores if network == "mediapipe") > 0.99


def test_diagnose_finds_a_threshold_that_the_camera_rom_cannot_reach() -> None:
    model: Any = FakeModel(recorded.frames("hand", "rom")[0].tensors, SIZE)
    for threshold, count in ((0.4, 0), (0.5, 0), (0.6, 1)):
        model.postprocess = n6post.HandLandmarks(threshold)
        for findings in (n6post.diagnose(model), n6post.diagnose(model, model.outputs())):
            assert len(findings) == count
            assert not findings or f"never above 0.5, so threshold={threshold} finds no hand" in findings[0]


# --- the order of outputs ---
@pytest.mark.parametrize("order", [(0, 1, 2, 3), (3, 2, 0, 1), (3, 2, 1, 0), (2, 3, 1, 0), (1, 0, 2, 3), (2, 3, 0, 1)])
def test_score_is_the_scalar_next_to_the_keypoints(order: tuple[int, ...]) -> None:
    for tensors in (outputs(0.9, 0.1), outputs(0.9, 0.95), outputs(0.2, 0.95)):
        expected = FakeModel(tensors, SIZE).run(n6post.HandLandmarks(), Framed(FRAME))
        found = FakeModel([tensors[i] for i in order], SIZE).run(n6post.HandLandmarks(), Framed(FRAME))
        assert [(d[:4], points_of(d).tolist()) for d in found] == [(d[:4], points_of(d).tolist()) for d in expected]


@pytest.mark.parametrize(("factor", "for_good"), [(3.9, False), (4.1, True), (-4.1, True)])
def test_keypoints_reach_four_times_as_far_or_are_looked_for_again(factor: float, for_good: bool) -> None:
    right, world, score, points = outputs()
    near, far = (points.values / np.abs(points.values).max() * np.float32(reach) for reach in (0.5, 0.5 * factor))
    for order in ((0, 1, 2, 3), (0, 3, 2, 1)):
        shown = far.copy(), near.copy()
        tensors = [right, Tensor(shown[0]), score, Tensor(shown[1])]
        network = FakeModel([tensors[i] for i in order], SIZE)
        process = n6post.HandLandmarks(first_scalar="handedness")
        network.run(process, Framed(FRAME))
        shown[0][...], shown[1][...] = world.values, points.values
        (found,) = network.run(process, Framed(FRAME))
        assert (found.rect[2] < 3) == for_good


@pytest.mark.parametrize("order", list(itertools.permutations(range(4))))
def test_any_order_is_read_if_the_first_scalar_is_named(order: tuple[int, ...]) -> None:
    for tensors in (outputs(0.9, 0.1), whole_numbers()[:1] + [whole_numbers()[i] for i in (3, 2, 1)]):
        first = "handedness" if order.index(0) < order.index(2) else "score"
        expected = hand(tensors)
        found = hand([tensors[i] for i in order], first_scalar=first)
        assert found[:4] == expected[:4]
        assert points_of(found).tolist() == points_of(expected).tolist()


def test_output_without_world_coordinates_is_read() -> None:
    tensors = outputs()
    expected = points_of(hand(tensors)).tolist()
    for order, first in (((0, 2, 3), "handedness"), ((3, 2, 0), None), ((2, 3, 0), "score")):
        assert points_of(hand([tensors[i] for i in order], first_scalar=first)).tolist() == expected


def test_network_that_puts_out_zeros_first_is_examined_again() -> None:
    tensors = [outputs(), [Tensor(np.zeros_like(t.values)) for t in outputs()]]
    tensors[1][2].values[...] = 0.9
    model = FakeModel([Tensor(t.values.copy()) for t in tensors[1]], SIZE)
    model.tensors = [model.tensors[i] for i in (0, 3, 2, 1)]  # keypoints second, but nothing shows it yet
    processor = n6post.HandLandmarks(first_scalar="handedness")
    model.run(processor, Framed(FRAME))
    for tensor, source in zip(model.tensors, [tensors[0][i] for i in (0, 3, 2, 1)], strict=True):
        tensor.values[...] = source.values
    (found,) = model.run(processor, Framed(FRAME))
    assert points_of(found).tolist() == points_of(hand(tensors[0])).tolist()


# --- places in the frame ---
@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (100, 50, 300, 200), (600, 440, 40, 40)])
def test_keypoints_are_scaled_to_the_roi(roi: tuple[int, int, int, int]) -> None:
    tensors = outputs()
    found = hand(tensors, roi)
    x, y, w, h = roi
    wanted = tensors[3].values.reshape(21, 3)[:, :2] * [w / 224, h / 224] + [x, y]
    # The firmware begins with a whole pixel of the frame: inputs/firmware_scaling.py.
    np.testing.assert_allclose(points_of(found)[:, :2], wanted, atol=1e-3 if roi == FRAME else 1.01)
    left, top = np.floor(points_of(found)[:, :2].min(axis=0))
    right, bottom = np.ceil(points_of(found)[:, :2].max(axis=0))
    assert found.rect == (left, top, right - left, bottom - top)


def test_keypoints_beyond_the_input_stay_there_but_not_beyond_the_frame() -> None:
    import image

    tensors = outputs()
    tensors[3].values[0, :9] = -100, 230, 5, 230, -3, 5, 20, 400, 5
    source = n6post.Stretch(image.Image(700, 520, image.GRAYSCALE), roi=(300, 100, 224, 224))
    (found,) = FakeModel(tensors, SIZE).run(n6post.HandLandmarks(), source)
    assert points_of(found)[:3, :2].tolist() == [[200, 330], [530, 97], [320, 500]]
    source = n6post.Stretch(image.Image(700, 520, image.GRAYSCALE), roi=(0, 296, 224, 224))
    (found,) = FakeModel(tensors, SIZE).run(n6post.HandLandmarks(), source)
    assert points_of(found)[:3, :2].tolist() == [[0, 520], [230, 293], [20, 520]]
    tensors[3].values[0, ::3] = -20
    assert FakeModel(tensors, SIZE).run(n6post.HandLandmarks(), source) == []


def test_numbers_that_are_not_finite_do_no_harm() -> None:
    for bad in (NAN, float("inf"), -float("inf")):
        tensors = outputs()
        tensors[3].values[0, [0, 4, 20]] = bad
        assert np.isfinite(points_of(hand(tensors))).all()
        tensors[2].values[...] = NAN
        assert FakeModel(tensors, SIZE).run(n6post.HandLandmarks(0.0), Framed(FRAME)) == []


def test_result_does_not_change_with_the_next_frame() -> None:
    model = FakeModel(outputs(), SIZE)
    processor = n6post.HandLandmarks()
    (before,) = model.run(processor, Framed(FRAME))
    kept = points_of(before).tolist()
    model.tensors[3].values[...] = 50
    model.run(processor, Framed(FRAME))
    assert points_of(before).tolist() == kept


def test_fingers_of_a_recorded_hand_have_the_angles_of_its_gesture() -> None:
    """Thumb, index and middle finger are stretched, the others bent."""
    frame = recorded.frames("hand", "rom")[1]
    (found,) = recorded.model("hand", frame.tensors).run(n6post.HandLandmarks())
    names = ("index finger", "middle finger", "ring finger", "pinky")
    angles = [found.angle(f"{name} mcp", f"{name} pip", f"{name} tip") for name in names]
    assert min(angles[:2]) > 160 > 100 > max(angles[2:])
    assert found.keypoint("wrist")[1] > found.keypoint("index_finger_tip")[1]


# --- labels and errors ---
def test_labels_of_both_hands_can_be_given() -> None:
    for right, label in ((0.2, "links"), (0.5, "rechts"), (0.9, "rechts")):
        assert hand(outputs(right=right), labels=["links", "rechts"]).label == label
    with pytest.raises(ValueError, match=says("labels: expected two names, for a left and a right hand, got 1")):
        hand(outputs(), labels=["hand"])


@pytest.mark.parametrize(("names", "label"), [(["l", "r"], "l"), (["hand"], "left hand"), ([], "left hand")])
def test_two_labels_of_the_model_are_used(names: list[str], label: str) -> None:
    assert FakeModel(outputs(), SIZE, names).run(n6post.HandLandmarks())[0].label == label
    assert FakeModel(outputs(), SIZE, names).run(n6post.HandLandmarks(labels=["a", "b"]))[0].label == "a"


EXPECTED = "expected keypoints [1, 63], score [1, 1] and handedness [1, 1], optionally world coordinates [1, 63], got "


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(1, 63), (1, 63), (1, 63), (1, 1)], EXPECTED + "(1, 63), (1, 63), (1, 63), (1, 1)"),
        ([(1, 1), (1, 1), (1, 1)], EXPECTED + "(1, 1), (1, 1), (1, 1)"),
        ([(1, 66), (1, 1), (1, 1)], EXPECTED + "(1, 66), (1, 1), (1, 1)"),
        ([(1, 63), (1, 63), (1, 1)], EXPECTED + "(1, 63), (1, 63), (1, 1)"),
        ([(1, 63)], "expected 3 outputs (" + EXPECTED[9:-6] + "), got 1"),
    ],
)
def test_other_outputs_are_refused(shapes: list[tuple[int, ...]], message: str) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], SIZE)
    with pytest.raises(ValueError, match=says(message)):
        model.run(n6post.HandLandmarks())


def float_hand() -> FakeModel:
    return FakeModel(outputs(), SIZE)


def quantized_hand() -> FakeModel:
    return FakeModel(whole_numbers(), SIZE)


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.4, 0.95, (-0.1, 1.1, NAN, None), float_hand),
        "labels": OptionCase(None, ["left", "right"], ("abc", [], [1]), float_hand),
        "first_scalar": OptionCase(None, "score", ("world", 1), float_hand),
    },
    frames={"HandLandmarks": FrameCase(n6post.HandLandmarks, float_hand, quantized_hand, ("threshold", 0.4, 0.5))},
)
