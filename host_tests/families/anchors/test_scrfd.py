"""lib/n6post/families/anchors/scrfd.py, compared with insightface's code on recorded outputs, and with numpy.

scripts/dev/recording/record_scrfd.py made data/scrfd.npz.xz.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import assert_well_formed
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_data import stored, tensor_of
from test_ssd import quantized, real
from test_yunet import suppressed

STRIDES = 8, 16, 32
NAN = float("nan")
FORMS = ["rows", "two dimensions", "transposed", "NHWC", "NCHW", "flat scores"]


def recorded() -> list[Tensor]:
    """Scores, boxes and keypoints [1, N, columns] of the three strides, in insightface's order."""
    return [tensor_of(stored("scrfd")[str(i)][None]) for i in range(9)]


def model_of(labels: list[str] | None = None) -> FakeModel:
    return FakeModel(recorded(), (640, 640), labels)


def stored_as(tensors: list[Tensor], size: tuple[int, int], form: str) -> list[Tensor]:
    changed = []
    for at, tensor in enumerate(tensors):
        stride = STRIDES[at % 3]
        width, height = -(-size[0] // stride), -(-size[1] // stride)
        values = tensor.values
        if form == "two dimensions":
            values = values[0]
        elif form == "transposed":
            values = values.transpose(0, 2, 1)
        elif form == "flat scores" and values.shape[2] == 1:
            values = values[..., 0]
        elif form in ("NHWC", "NCHW"):
            values = values.reshape(1, height, width, -1)
            values = values.transpose(0, 3, 1, 2) if form == "NCHW" else values
        changed.append(tensor._replace(values=np.ascontiguousarray(values)))
    return changed


def survivors(processor: Any, model: FakeModel) -> Array:
    """(n, 15): x1, y1, x2, y2, five keypoints x and y, score of the detections, in input pixels, unclipped."""
    decoder = processor._binding.decoder
    values, labels, _ = decoder.buffers
    rows = []
    for at in [int(at) for at in labels[2, : decoder.find(model.outputs())]]:
        points = [float(decoder.points[row, at]) for row in range(len(decoder.points)) if row % 3 < 2]
        rows.append([float(values[row, at]) for row in range(4)] + points + [float(values[4, at])])
    return np.array(rows).reshape(len(rows), -1)


def decoded(tensors: list[Tensor], size: tuple[int, int]) -> Array:
    """(anchors, 15): as survivors(), of every anchor of all strides, in float64."""
    rows = []
    for at, stride in enumerate(STRIDES):
        width, height = -(-size[0] // stride), -(-size[1] // stride)
        score, box, points = [real(tensors[3 * k + at])[0] for k in range(3)]
        cell = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2).repeat(2, axis=0)
        keypoints = (points.reshape(-1, 5, 2) + cell[:, None]) * stride
        corners = [(cell - box[:, :2]) * stride, (cell + box[:, 2:]) * stride]
        rows.append(np.concatenate([*corners, keypoints.reshape(-1, 10), score], axis=1))
    return np.concatenate(rows)


def assert_same(found: Array, expected: Array, atol: float = 1e-6) -> None:
    """The same rows; those of equal scores may be in another order."""
    assert len(found) == len(expected)
    assert (np.diff(found[:, 14]) <= 0).all()
    order = np.lexsort((found[:, 0], found[:, 14])), np.lexsort((expected[:, 0], expected[:, 14]))
    np.testing.assert_allclose(found[order[0]], expected[order[1]], rtol=1e-6, atol=atol)


# --- recorded outputs ---
@pytest.mark.parametrize("form", FORMS)
def test_faces_equal_those_of_insightface_in_every_form_of_the_outputs(form: str) -> None:
    counts = []
    for threshold, iou_threshold in ((0.5, 0.4), (0.1, 0.6), (0.03, 0.2)):
        model = FakeModel(stored_as(recorded(), (640, 640), form), (640, 640))
        options = {"threshold": threshold, "iou_threshold": iou_threshold, "max_detections": 100}
        processor = n6post.processor_for(model, **options)
        assert type(processor) is n6post.Scrfd
        model.run(processor)
        expected = stored("scrfd")[f"insightface {threshold:g} {iou_threshold:g}"]
        assert_same(survivors(processor, model), expected[:, [0, 1, 2, 3, *range(5, 15), 4]], 1e-4)
        counts.append(len(expected))
    assert counts == [6, 7, 22]


@pytest.mark.parametrize("form", FORMS)
def test_network_without_keypoints_gives_the_same_boxes(form: str) -> None:
    expected = model_of().run(n6post.Scrfd())
    model = FakeModel(stored_as(recorded()[:6], (640, 640), form), (640, 640))
    processor = n6post.processor_for(model)
    assert type(processor) is n6post.Scrfd
    found = model.run(processor)
    assert [(d.rect, d.score) for d in found] == [(d.rect, d.score) for d in expected]
    assert all(d.keypoints is None for d in found) and found[0].label == "face"


def test_outputs_may_come_in_any_order() -> None:
    expected = model_of().run(n6post.Scrfd())
    random = np.random.default_rng(1)
    for form in ("rows", "NCHW"):
        tensors = stored_as(recorded(), (640, 640), form)
        for _ in range(4):
            found = FakeModel([tensors[i] for i in random.permutation(9)], (640, 640)).run(n6post.Scrfd())
            assert [(d.rect, d.keypoints.tolist()) for d in found] == [(d.rect, d.keypoints.tolist()) for d in expected]


def test_faces_are_in_frame_pixels_and_their_keypoints_where_a_face_has_them() -> None:
    model = model_of()
    processor = n6post.Scrfd()
    found = model.run(processor, Framed((10, 20, 320, 480)))
    assert_well_formed(found, (10, 20, 320, 480), 20)
    for one, row in zip(found, survivors(processor, model), strict=True):
        points = np.array(one.keypoints.tolist())
        scaled = row[4:14].reshape(5, 2) * [0.5, 0.75] + [10, 20]
        np.testing.assert_allclose(points[:, :2], np.clip(scaled, [10, 20], [330, 500]), rtol=1e-5)
        assert (points[:, 2] == 1).all() and (one.label, one.class_id) == ("face", 0)
        right_eye, left_eye, nose = one.keypoint("right eye"), one.keypoint("left eye"), one.keypoint("nose tip")
        assert right_eye[0] < nose[0] < left_eye[0] and right_eye[1] < nose[1] < one.keypoint("left mouth corner")[1]


# --- random outputs ---
def random_outputs(dtype: str, size: tuple[int, int]) -> list[Tensor]:
    random = np.random.default_rng(3)
    tensors = []
    for columns, low, high in ((1, 0.0, 1.0), (4, -0.5, 6.0), (10, -4.0, 4.0)):
        for stride in STRIDES:
            anchors = 2 * -(-size[0] // stride) * -(-size[1] // stride)
            values = random.uniform(low, high, (1, anchors, columns))
            values = values**4 if columns == 1 else values
            tensors.append(quantized(values, dtype, low, high))
    return tensors


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
@pytest.mark.parametrize("size", [(64, 64), (100, 72)])
def test_random_outputs_are_decoded_as_in_numpy(dtype: str, size: tuple[int, int], form: str) -> None:
    tensors = random_outputs(dtype, size)
    model = FakeModel(stored_as(tensors, size, form), size)
    processor = n6post.Scrfd(0.5, iou_threshold=0.45, max_detections=300)
    model.run(processor)
    rows = decoded(tensors, size)
    expected = suppressed(rows[rows[:, 14] >= 0.5], 0.45)
    found = survivors(processor, model)
    if dtype in ("float32", "int16"):  # others have equal scores, and of these another may be kept
        assert len(found) > 15
        assert_same(found, expected, 1e-4)
    every = rows[rows[:, 14] >= 0.5]
    for row in found:
        assert np.abs(every - row).max(axis=1).min() < 1e-4


def test_only_the_best_candidates_of_each_part_are_decoded() -> None:
    tensors = random_outputs("float32", (64, 64))
    model = FakeModel(tensors, (64, 64))
    best = np.sort(decoded(tensors, (64, 64))[:, 14])[::-1]
    found = model.run(n6post.Scrfd(0.1, iou_threshold=1.0, max_candidates=5, max_detections=100))
    np.testing.assert_allclose([d.score for d in found], best[:5], rtol=1e-6)


# --- bad input ---
def test_outputs_of_other_families_are_refused() -> None:
    tensors = recorded()
    with pytest.raises(ValueError, match=r"^expected \d outputs .scores .1, N, 1., boxes"):
        FakeModel(tensors[:8], (640, 640)).run(n6post.Scrfd())
    with pytest.raises(ValueError, match="an input of .width, height. .320, 320."):
        FakeModel(tensors, (320, 320)).run(n6post.Scrfd())
    maps = stored_as(tensors, (640, 640), "NCHW")
    with pytest.raises(ValueError, match="^expected scores .1, N, 1., boxes"):
        FakeModel(tensors[:3] + maps[3:], (640, 640)).run(n6post.Scrfd())


def test_model_without_a_fixed_input_size_is_refused() -> None:
    model = model_of()
    model.input_shape = ((1, 3, 0, 0),)
    with pytest.raises(ValueError, match="expected model.input_shape"):
        model.run(n6post.Scrfd())
    with pytest.raises(ValueError, match="SCRFD"):
        n6post.processor_for(model)


def test_scores_before_their_sigmoid_are_refused() -> None:
    tensors = recorded()
    for at in range(3):
        logits = Tensor(np.float32(10) * tensors[at].values - np.float32(7))
        with pytest.raises(ValueError, match=f"expected scores of 0..1, got -7 in output {at}: float32"):
            FakeModel([*tensors[:at], logits, *tensors[at + 1 :]], (640, 640)).run(n6post.Scrfd())


def test_nan_never_passes_the_threshold() -> None:
    for at in (0, 3, 6):
        tensors = [tensor._replace(values=tensor.values.copy()) for tensor in random_outputs("float32", (64, 64))]
        tensors[at].values[0, ::2] = NAN
        found = FakeModel(tensors, (64, 64)).run(n6post.Scrfd(0.0, max_detections=300, max_candidates=300))
        assert found and all(d.score == d.score for d in found)


def test_label_is_that_of_the_option_or_of_the_model() -> None:
    assert model_of(labels=["head"]).run(n6post.Scrfd())[0].label == "head"
    assert model_of(labels=["head"]).run(n6post.Scrfd(labels=["mask"]))[0].label == "mask"
    with pytest.raises(ValueError, match="expected 1 labels"):
        model_of().run(n6post.Scrfd(labels=["a", "b"]))


# Small models, in which the tests of all families interrupt every line.
def small(dtype: str = "int8", form: str = "rows", count: int = 9) -> FakeModel:
    return FakeModel(stored_as(random_outputs(dtype, (32, 32)), (32, 32), form)[:count], (32, 32))


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.8, (-0.1, 1.1, NAN, None), small),
        "iou_threshold": OptionCase(0.4, 0.0, (-0.1, 1.1, NAN, None), small),
        "max_detections": OptionCase(20, 2, (0, 65536, 1.5, None), model_of),
        "max_candidates": OptionCase(300, 1, (0, 65536, 1.5, None), model_of),
        "labels": OptionCase(None, ["head"], ("abc", [], [1]), small),
    },
    frames={
        "Scrfd": FrameCase(lambda: n6post.Scrfd(max_detections=2), small, lambda: small("uint8"), ("threshold", 0.5, 0.7)),
        "Scrfd maps": FrameCase(
            lambda: n6post.Scrfd(max_detections=2), lambda: small("int8", "NCHW"), lambda: small("float32", "NHWC", 6),
            ("threshold", 0.5, 0.7),
        ),
    },
    examines_numbers=True,
)  # fmt: skip
