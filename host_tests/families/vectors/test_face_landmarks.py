"""lib/n6post/families/vectors/face_landmarks.py: recorded outputs, dtypes, the logit of the score, errors."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
import recorded_landmarks as recorded
from assertions import assert_well_formed, says
from fakes import FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from n6post.families import processor

FRAME = (0, 0, 640, 480)
SIZE = (192, 192)
NAN = float("nan")
CASES = recorded.cases("face")


def points_of(detection: Any) -> Any:
    return np.array(detection.keypoints.tolist())


def outputs(logit: float = 3.0, count: int = 468) -> list[Tensor]:
    points = np.random.default_rng(1).uniform(20, 180, (1, 1, 1, 3 * count))
    return [Tensor(points.astype(np.float32)), Tensor(np.full((1, 1, 1, 1), logit, np.float32))]


def faces(tensors: list[Tensor], **options: Any) -> Any:
    found = FakeModel(tensors, SIZE).run(n6post.FaceLandmarks(**options), Framed(FRAME))
    assert_well_formed(found, FRAME, 1)
    return found


@pytest.mark.parametrize(("case", "network"), CASES)
def test_keypoints_are_those_of_mediapipes_own_solution(case: str, network: str) -> None:
    judged = recorded.judged(case)
    size = np.ptp(judged, axis=0).max()
    errors = []
    for frame in recorded.frames(case, network):
        (found,) = recorded.model("face", frame.tensors).run(n6post.FaceLandmarks())
        assert (found.class_id, found.label) == (0, "face") and found.score > 0.99
        errors.append(np.hypot(*(frame.placed(points_of(found)) - judged).T) / size)
    print(f"{case} {network}: mean error {[round(float(e.mean()) * 100, 2) for e in errors]} % of the face's size")
    # OpenMV's file has int8 activations.
    assert max(e.mean() for e in errors) < (0.007 if network == "mediapipe" else 0.025)


@pytest.mark.parametrize("case", [case for case, network in CASES if network == "rom"])
def test_every_dtype_and_order_gives_the_same_face(case: str) -> None:
    for frame in recorded.frames(case, "rom"):
        raw = next(t.values for t in frame.tensors if t.values.size == 1404).reshape(468, 3)
        for tensors in recorded.dtypes(frame.tensors):
            for order in (tensors, tensors[::-1]):
                (found,) = FakeModel(order, SIZE).run(n6post.FaceLandmarks(), Framed((0, 0, 192, 192)))
                np.testing.assert_allclose(points_of(found)[:, :2], np.clip(raw[:, :2], 0, 192), atol=1e-3)
                assert found.score == pytest.approx(1, abs=1e-6)


def test_score_is_the_sigmoid_of_the_logit() -> None:
    for logit in (-3.0, 0.0, 0.41, 2.0, 30.0):
        score = float(1 / (1 + np.exp(-logit)))
        (found,) = faces(outputs(logit), threshold=max(score - 1e-3, 0.0))
        assert found.score == pytest.approx(score, rel=1e-6)
        if score < 0.999:
            assert faces(outputs(logit), threshold=score + 1e-3) == []
    assert faces(outputs(NAN), threshold=0) == []
    assert len(faces(outputs(-99.0), threshold=0)) == len(faces(outputs(18.0), threshold=1)) == 1
    assert faces(outputs(17.0), threshold=1) == []


def test_a_frame_without_a_face_does_not_look_for_its_transform(monkeypatch: pytest.MonkeyPatch) -> None:
    """It took 218,000 instructions where the roi follows something."""
    rois = [(10 * n % 70, 5, 100 + n // 2, 90) for n in range(12)]
    calls: list[Any] = []
    plain = processor.transform_of

    def counted(*arguments: Any) -> Any:
        calls.append(arguments)
        return plain(*arguments)

    tensors = outputs()
    model, process = FakeModel(tensors, SIZE), n6post.FaceLandmarks()
    monkeypatch.setattr(processor, "transform_of", counted)
    for n, roi in enumerate(rois):
        is_face = n % 4 in (1, 2)
        tensors[1].values[:] = 3.0 if is_face else -3.0
        before = len(calls)
        found = model.run(process, Framed(roi))
        assert len(calls) - before == (n == 0 or is_face)
        wanted = model.run(n6post.FaceLandmarks(), Framed(roi))
        assert len(found) == len(wanted) == is_face
        for one, other in zip(found, wanted, strict=True):
            assert one.rect == other.rect and np.array_equal(points_of(one), points_of(other))


def test_quantized_logit_is_compared_as_an_integer() -> None:
    tensors = outputs()
    for q, count in ((9, 0), (10, 1), (11, 1)):
        tensors[1] = Tensor(np.full((1, 1, 1, 1), q, np.int8), 0.1, 10)
        assert len(faces(tensors, threshold=0.5)) == count


def test_mesh_with_irises_has_478_keypoints() -> None:
    (found,) = faces(outputs(count=478))
    assert points_of(found).shape == (478, 3)
    assert found.keypoint("chin") == tuple(int(v) for v in points_of(found)[152, :2]) + (1.0,)


@pytest.mark.parametrize(
    ("shapes", "got"),
    [
        ([(1, 1, 1, 1404), (1, 1, 1, 1404)], "(1, 1, 1, 1404), (1, 1, 1, 1404)"),
        ([(1, 1, 1, 1), (1, 1, 1, 1)], "(1, 1, 1, 1), (1, 1, 1, 1)"),
        ([(1, 1, 1, 1400), (1, 1, 1, 1)], "(1, 1, 1, 1400), (1, 1, 1, 1)"),
    ],
)
def test_other_outputs_are_refused(shapes: list[tuple[int, ...]], got: str) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.float32)) for shape in shapes], SIZE)
    expected = f"expected keypoints [1, 1, 1, 1404] or [1, 1, 1, 1434] and a score [1, 1, 1, 1], got {got}"
    with pytest.raises(ValueError, match=says(expected)):
        model.run(n6post.FaceLandmarks())
    with pytest.raises(ValueError, match=says("labels: expected one name, got 2")):
        faces(outputs(), labels=["a", "b"])


@pytest.mark.parametrize(("names", "label"), [(["visage"], "visage"), (["a", "b"], "face"), ([], "face")])
def test_one_label_of_the_model_is_used(names: list[str], label: str) -> None:
    assert FakeModel(outputs(), SIZE, names).run(n6post.FaceLandmarks())[0].label == label
    assert FakeModel(outputs(), SIZE, names).run(n6post.FaceLandmarks(labels=["a"]))[0].label == "a"


def float_face() -> FakeModel:
    return FakeModel(outputs(), SIZE)


def quantized_face() -> FakeModel:
    points = np.random.default_rng(2).integers(-90, 90, (1, 1, 1, 1404)).astype(np.int8)
    return FakeModel([Tensor(np.full((1, 1, 1, 1), 50, np.int8), 0.1, 10), Tensor(points, 0.9, -100)], SIZE)


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.99, (-0.1, 1.1, NAN, None), float_face),
        "labels": OptionCase(None, ["person"], ("abc", [], [1]), float_face),
    },
    frames={"FaceLandmarks": FrameCase(n6post.FaceLandmarks, float_face, quantized_face, ("threshold", 0.5, 0.6))},
)
