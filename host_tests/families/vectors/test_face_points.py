"""lib/n6post/families/vectors/face_points.py: PFLD's recorded outputs, dtypes, units, errors."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import assert_well_formed, says
from fakes import FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_data import stored

FRAME = (0, 0, 640, 480)
SIZE = (112, 112)
RECORDED = stored("face_points")
NAMES = sorted({name.split("/")[0] for name in RECORDED})


def recorded(name: str) -> list[Any]:
    """The network's output, the square that it has seen, where its authors draw the keypoints, and YuNet's five."""
    return [RECORDED[f"{name}/{part}"] for part in ("output", "roi", "points", "yunet")]


def points_of(detection: Any) -> Any:
    return np.array(detection.keypoints.tolist())


def parts(count: int = 68, seed: int = 1) -> Any:
    return np.random.default_rng(seed).uniform(0.1, 0.9, 2 * count).astype(np.float32)


def cut(roi: Any) -> Any:
    """A part of a frame of 640 x 480."""
    return n6post.Stretch(image.Image(640, 480, image.RGB565), roi=tuple(int(v) for v in roi))


def found_by(values: Any, roi: Any = FRAME, size: Any = SIZE, **options: Any) -> Any:
    tensor = values if isinstance(values, Tensor) else Tensor(values)
    found = FakeModel([tensor], size).run(n6post.FacePoints(**options), Framed(roi))
    assert_well_formed(found, FRAME, 1)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_keypoints_are_those_that_pflds_authors_draw(name: str) -> None:
    """They multiply by the size of the crop, and add its corner."""
    output, roi, judged, _ = recorded(name)
    model = FakeModel([Tensor(output)], SIZE)
    (found,) = model.run(n6post.processor_for(model), Framed((0, 0, 112, 112)))
    judged = (judged - roi[:2]) / roi[2:] * 112
    np.testing.assert_allclose(points_of(found)[:, :2], np.clip(judged, 0, 112), atol=1e-3)
    assert found.score == 1.0 and found.label == "face" and (points_of(found)[:, 2] == 1).all()


@pytest.mark.parametrize("name", NAMES)
def test_the_eyes_and_the_mouth_are_where_yunet_sees_them(name: str) -> None:
    """The order of the 68 keypoints is iBUG's: eyes are 36 to 47, the nose tip is 30, corners of the mouth 48 and 54."""
    output, roi, _, judged = recorded(name)
    (found,) = FakeModel([Tensor(output)], SIZE).run(n6post.FacePoints(), cut(roi))
    points = points_of(found)[:, :2]
    mine = [points[36:42].mean(0), points[42:48].mean(0), points[30], points[48], points[54]]
    distance = np.hypot(*(np.array(mine) - judged).T) / np.hypot(*(mine[0] - mine[1]))
    print(name, "distance from YuNet's keypoints, of the eyes':", distance.round(3))
    assert distance.mean() < 0.25 and distance.max() < 0.4  # most of these faces are 35 pixels wide


@pytest.mark.parametrize("count", [2, 5, 68, 98, 106, 1000])
@pytest.mark.parametrize("shape", ["flat", "rows", "long"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
def test_every_shape_and_dtype_gives_the_same_keypoints(count: int, shape: str, dtype: str) -> None:
    values = parts(count)
    tensor = Tensor(values)
    if dtype != "float32":
        info = np.iinfo(dtype)
        zero = {"int8": -100, "uint8": 9, "int16": 0}[dtype]
        scale = 1.1 / (info.max - zero)
        tensor = Tensor((values / scale).round().astype(np.int64).__add__(zero).astype(dtype), scale, zero)
        values = (tensor.values.astype(np.float64) - zero) * scale
    form = {"flat": (1, 2 * count), "rows": (1, count, 2), "long": (1, 1, 1, 2 * count)}[shape]
    (found,) = found_by(tensor._replace(values=tensor.values.reshape(form)))
    wanted = values.reshape(count, 2) * (640, 480)
    np.testing.assert_allclose(points_of(found)[:, :2], wanted, atol=2e-3)
    x, y, w, h = found.rect
    assert (x, y, x + w, y + h) == (*np.floor(wanted.min(0)), *np.ceil(wanted.max(0)))


def test_pixels_and_parts_are_told_by_the_first_frame() -> None:
    values = parts()
    wanted = points_of(found_by(values)[0])
    np.testing.assert_allclose(points_of(found_by(values * 112)[0]), wanted, atol=1e-3)
    np.testing.assert_allclose(points_of(found_by(values * 112, keypoint_units="pixels")[0]), wanted, atol=1e-3)
    np.testing.assert_allclose(points_of(found_by(values / 112, keypoint_units="pixels")[0]), points_of(
        found_by(values / 112 / 112, keypoint_units="normalized")[0]), atol=1e-3)  # fmt: skip


def test_a_frame_of_zeros_leaves_the_units_open() -> None:
    tensor = Tensor(np.zeros((1, 136), np.float32))
    model, process = FakeModel([tensor], SIZE), n6post.FacePoints()
    model.run(process, Framed(FRAME))
    tensor.values[0] = parts() * 112
    (found,) = model.run(process, Framed(FRAME))
    np.testing.assert_allclose(points_of(found)[:, :2], parts().reshape(68, 2) * (640, 480), atol=2e-3)


def test_keypoints_may_leave_the_crop_but_not_the_frame() -> None:
    values = parts()
    values[:4] = -0.2, 0.5, 1.3, 1.4
    model = FakeModel([Tensor(values[None])], SIZE)
    (found,) = model.run(n6post.FacePoints(), cut((100, 100, 200, 200)))
    np.testing.assert_allclose(points_of(found)[:2, :2], [(60, 200), (360, 380)], atol=1e-3)
    (found,) = model.run(n6post.FacePoints(keypoint_units="normalized"), cut((600, 400, 40, 80)))
    np.testing.assert_allclose(points_of(found)[:2, :2], [(592, 440), (640, 480)], atol=1e-3)


def test_nan_is_moved_to_the_corner_of_the_frame() -> None:
    values = parts()
    values[7] = np.nan
    (found,) = found_by(values, keypoint_units="normalized")
    assert points_of(found)[3, 1] == 0 and np.isfinite(points_of(found)).all()


@pytest.mark.parametrize("shape", [(1, 3), (1, 2), (1, 2002), (1, 68, 3), (1, 2, 68), (2, 68, 2), (1, 137)])
def test_other_outputs_are_refused(shape: tuple[int, ...]) -> None:
    expected = f"expected one output [1, 2 K] or [1, K, 2] for 2 to 1000 keypoints, got {shape}"
    with pytest.raises(ValueError, match=says(expected)):
        found_by(np.full(shape, 0.5, np.float32))
    with pytest.raises(ValueError, match=says("labels: expected one name, got 2")):
        found_by(parts(), labels=["a", "b"])


@pytest.mark.parametrize("values", ["logits", "logits above 0", "probabilities"])
def test_scores_of_classes_are_no_keypoints(values: str) -> None:
    numbers = np.random.default_rng(3).normal(1 if values == "logits above 0" else 0, 3, 136).astype(np.float32)
    assert values != "logits above 0" or numbers.mean() > 0.5
    if values == "probabilities":
        numbers = np.exp(numbers) / np.exp(numbers).sum()
    with pytest.raises(ValueError, match="^expected keypoints, got numbers from .* give labels, one for each class"):
        found_by(numbers[None])
    with pytest.raises(ValueError, match="^expected scores of classes, got numbers like those of 68 keypoints of a face"):
        FakeModel([Tensor(parts()[None])], SIZE).run(n6post.Classifier())


@pytest.mark.parametrize(("names", "label"), [(["visage"], "visage"), (["a", "b"], "face"), ([], "face")])
def test_one_label_of_the_model_is_used(names: list[str], label: str) -> None:
    assert FakeModel([Tensor(parts()[None])], SIZE, names).run(n6post.FacePoints())[0].label == label


def float_points() -> FakeModel:
    return FakeModel([Tensor(parts()[None])], SIZE)


def quantized_points() -> FakeModel:
    values = np.random.default_rng(2).integers(-90, 90, (1, 136)).astype(np.int8)
    return FakeModel([Tensor(values, 0.005, -100)], SIZE)


FAMILY_CASES = FamilyCases(
    examines_numbers=True,
    options={
        "keypoint_units": OptionCase(None, "pixels", ("parts", 1, True), float_points),
        "labels": OptionCase(None, ["person"], ("abc", [], [1]), float_points),
    },
    frames={
        "FacePoints": FrameCase(
            n6post.FacePoints, float_points, quantized_points, ("keypoint_units", None, "pixels")
        )
    },
)
