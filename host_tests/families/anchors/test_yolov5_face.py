"""anchors/yolov5.py with the rows of YOLOv5-face, compared with its authors' code.

scripts/dev/recording/record_yolov5_face.py made data/yolov5_face.npz.xz.
"""

from __future__ import annotations

import n6post
import numpy as np
import other_networks as other
import pytest
from assertions import assert_well_formed
from fakes import Array, FakeModel, Framed, Tensor
from recorded_data import stored
from test_scrfd import survivors

SIZE = 160, 96
DTYPES = ["float32", "int8", "uint8", "int16"]


def rows() -> Array:
    return stored("yolov5_face")["rows"].copy()


def model_of(values: Array | None = None, labels: list[str] | None = None) -> FakeModel:
    return FakeModel([Tensor(rows() if values is None else values)], SIZE, labels)


@pytest.mark.parametrize("labels", [0, 1])
@pytest.mark.parametrize("turned", [False, True])
def test_faces_equal_those_of_the_authors_code(turned: bool, labels: int) -> None:
    counts = []
    for threshold, iou_threshold in ((0.5, 0.5), (0.3, 0.4), (0.1, 0.7)):
        values = np.ascontiguousarray(rows().transpose(0, 2, 1)) if turned else rows()
        model = model_of(values, ["face"] * labels or None)
        options = {"max_detections": 300, "max_candidates": 600}
        processor = n6post.processor_for(model, threshold=threshold, iou_threshold=iou_threshold, **options)
        assert type(processor) is n6post.YoloV5
        found = model.run(processor)
        expected = stored("yolov5_face")[f"authors {threshold:g} {iou_threshold:g}"]
        expected = expected[:, [0, 1, 2, 3, *range(5, 15), 4]]
        np.testing.assert_allclose(survivors(processor, model), expected, rtol=1e-5, atol=1e-3)
        assert {(d.label, d.class_id) for d in found} == {("face", 0)}
        counts.append(len(expected))
    assert counts == [12, 38, 174]


def test_keypoints_are_in_frame_pixels() -> None:
    model = model_of()
    processor = n6post.YoloV5(labels=["head"])
    found = model.run(processor, Framed((10, 20, 320, 192)))
    assert_well_formed(found, (10, 20, 320, 192), 20)
    for one, row in zip(found, survivors(processor, model), strict=True):
        points = np.array(one.keypoints.tolist())
        expected = np.clip(row[4:14].reshape(5, 2) * [2, 2] + [10, 20], [10, 20], [330, 212])
        np.testing.assert_allclose(points[:, :2], expected, rtol=1e-5)
        assert (points[:, 2] == 1).all() and one.label == "head"


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("size", [(320, 320), (320, 192)])
def test_quantized_rows_have_keypoints_too(dtype: str, size: tuple[int, int]) -> None:
    for arrays in (other.yolov5_face(size), other.turned(other.yolov5_face(size))):
        for labels in (0, 1):
            model = other.model(arrays, size, dtype, labels)
            (one,) = model.run(n6post.processor_for(model))
            step = size[0] / 100 if dtype in ("int8", "uint8") else 0.1  # one scale for pixels and scores
            row = arrays[0].reshape(-1, 16) if arrays[0].shape[2] == 16 else arrays[0][0].T
            best = row[row[:, 4].argmax()]
            np.testing.assert_allclose(np.array(one.keypoints.tolist())[:, :2], best[5:15].reshape(5, 2), atol=step + 0.1)


def test_normalized_rows_give_the_same_faces() -> None:
    expected = model_of().run(n6post.YoloV5())
    values = rows()
    values[..., :4] /= np.float32([*SIZE, *SIZE])
    values[..., 5:15] /= np.float32([*SIZE] * 5)
    found = model_of(values).run(n6post.YoloV5())
    assert len(found) == len(expected) and [d.rect for d in found] == [d.rect for d in expected]
    for one, two in zip(found, expected, strict=True):
        np.testing.assert_allclose(one.keypoints.tolist(), two.keypoints.tolist(), atol=1e-3)


def eleven_classes() -> Array:
    """Rows of eleven classes, two of them likely in a few rows."""
    random = np.random.default_rng(0)
    values = rows()
    values[..., 5:] = random.uniform(0.01, 0.2, values[..., 5:].shape)
    values[0, ::40, 4], values[0, ::40, 8] = 0.95, 0.9
    return values


def test_rows_of_eleven_classes_are_no_faces() -> None:
    for labels in (None, [f"class {i}" for i in range(11)]):
        model = model_of(eleven_classes(), labels)
        processor = n6post.processor_for(model)
        found = model.run(processor)
        assert found and all(d.keypoints is None for d in found) and {d.class_id for d in found} == {3}
        assert processor._binding.is_final


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("turned", [False, True])
def test_landmarks_of_a_network_with_eleven_labels_are_refused(dtype: str, turned: bool) -> None:
    arrays = other.yolov5_face((320, 320))
    model = other.model(other.turned(arrays) if turned else arrays, (320, 320), dtype, 11)
    for process in (n6post.processor_for(model), n6post.YoloV5()):
        with pytest.raises(ValueError, match="expected 1 labels"):
            model.run(process)


def test_one_label_and_no_landmarks_are_refused() -> None:
    with pytest.raises(ValueError, match="expected x and y of five landmarks behind the objectness, as of YOLOv5-face"):
        model_of(eleven_classes()).run(n6post.YoloV5(labels=["face"]))
    pixels = rows()
    pixels[..., :4] /= np.float32([*SIZE, *SIZE])  # boxes in 0..1 beside landmarks in pixels
    for options in ({"labels": ["face"]}, {}):
        with pytest.raises(ValueError, match="landmarks"):
            model_of(pixels).run(n6post.YoloV5(**options))


@pytest.mark.parametrize("point", range(5))
def test_all_five_landmarks_have_to_be_some(point: int) -> None:
    values = rows()
    values[..., 5 + 2 * point : 7 + 2 * point] = 0.1
    with pytest.raises(ValueError, match="landmarks"):
        model_of(values).run(n6post.YoloV5())


@pytest.mark.parametrize("labels", [None, ["face"]])
def test_first_frame_that_shows_nothing_leaves_it_open(labels: list[str] | None) -> None:
    constant = rows()
    constant[..., 5:] = 0.01
    for first in (np.zeros_like(constant), constant):
        model = model_of(first)
        processor = n6post.YoloV5(labels=labels)
        assert model.run(processor) == []
        model.tensors[0].values[:] = rows()
        found, expected = model.run(processor), model_of().run(n6post.YoloV5())
        assert [(d.rect, d.keypoints.tolist()) for d in found] == [(d.rect, d.keypoints.tolist()) for d in expected] != []
