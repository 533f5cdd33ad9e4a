"""lib/n6post/families/anchors/yunet.py, compared with OpenCV's FaceDetectorYN, ST's C code and numpy."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import assert_well_formed
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from n6post.tensors.quantization import OutputTensor
from recorded_data import about, results_of, stored, tensor_of

NAMES = [f"{kind}_{stride}" for kind in ("cls", "obj", "bbox", "kps") for stride in (8, 16, 32)]
STRIDES = 8, 16, 32
CASES = ["float", "int8", "wide"]
NAN = float("nan")


def size_of(case: str) -> tuple[int, int]:
    width, height = about("yunet", f"{case}/about")["size"]
    return width, height


def recorded(case: str) -> list[Tensor]:
    """The twelve outputs [1, cells, channels] of a case, in the order of NAMES."""
    scales = zip(NAMES, about("yunet", f"{case}/about")["quantization"], strict=True)
    return [tensor_of(stored("yunet")[f"{case}/{name}"][None], *quantization) for name, quantization in scales]


def model_of(case: str = "int8", labels: list[str] | None = None) -> FakeModel:
    return FakeModel(recorded(case), size_of(case), labels)


def survivors(processor: Any, model: FakeModel) -> Array:
    """(n, 15): x1, y1, x2, y2, five keypoints x and y, score of the detections, in input pixels, unclipped."""
    decoder = processor._binding.decoder
    values, labels, _ = decoder.buffers
    kept = [int(at) for at in labels[2, : decoder.find(model.outputs())]]
    rows = []
    for at in kept:
        points = [float(decoder.points[row, at]) for row in range(15) if row % 3 < 2]
        rows.append([float(values[row, at]) for row in range(4)] + points + [float(values[4, at])])
    return np.array(rows).reshape(-1, 15)


def real(tensor: Tensor) -> Array:
    if tensor.values.dtype == np.float32:
        return tensor.values.astype(float)
    return (tensor.values.astype(float) - tensor.zero_point) * tensor.scale


def decoded(tensors: list[Tensor], size: tuple[int, int]) -> Array:
    """(cells, 15): x1, y1, x2, y2, five keypoints x and y, score of every cell of all strides, in float64."""
    rows = []
    for at, stride in enumerate(STRIDES):
        width, height = -(-size[0] // stride), -(-size[1] // stride)
        cls, obj, box, points = [real(tensors[3 * k + at]).reshape(width * height, -1) for k in range(4)]
        cell = np.stack(np.meshgrid(np.arange(width), np.arange(height)), axis=-1).reshape(-1, 2)
        center = (box[:, :2] + cell) * stride
        half = np.exp(box[:, 2:]) * stride / 2
        keypoints = (points.reshape(-1, 5, 2) + cell[:, None]) * stride
        score = np.sqrt(np.maximum(cls * obj, 0))
        rows.append(np.concatenate([center - half, center + half, keypoints.reshape(-1, 10), score], axis=1))
    return np.concatenate(rows)


def suppressed(rows: Array, iou_threshold: float, whole: bool = False) -> Array:
    """The rows that remain, best first, of equal ones the first cell; `whole`: boxes are x, y, w, h cut to whole pixels."""
    rows = rows[np.argsort(-rows[:, 14].astype(np.float32), kind="stable")]
    boxes = rows[:, :4]
    if whole:
        corner = np.trunc(boxes[:, :2])
        boxes = np.concatenate([corner, corner + np.trunc(boxes[:, 2:] - boxes[:, :2])], axis=1)
    kept: list[int] = []
    for at, box in enumerate(boxes):
        others = boxes[kept]
        sides = np.minimum(box[2:], others[:, 2:]) - np.maximum(box[:2], others[:, :2])
        both = np.prod(np.maximum(sides, 0), axis=1)
        if (
            both / (np.prod(box[2:] - box[:2]) + np.prod(others[:, 2:] - others[:, :2], axis=1) - both) <= iou_threshold
        ).all():
            kept.append(at)
    return rows[kept]


# --- recorded outputs ---
@pytest.mark.parametrize("case", CASES)
def test_detections_equal_those_of_opencv(case: str) -> None:
    settings = results_of("yunet", case, "opencv")
    assert len(settings) == 3
    for setting, faces in settings:
        threshold, iou_threshold = [float(number) for number in setting.split()]
        processor = n6post.YuNet(threshold, iou_threshold=iou_threshold)
        model = model_of(case)
        found = model.run(processor)
        expected = np.concatenate([faces[:, :2], faces[:, :2] + faces[:, 2:4], faces[:, 4:]], axis=1)
        rows = survivors(processor, model)
        if (case, setting) == ("wide", "0.3 0.6"):
            # OpenCV cuts boxes to whole pixels before it compares them: two boxes of IoU .61 have .58 there, and stay both.
            assert len(faces) == 9 and len(found) == 8
            cells = decoded(model.tensors, model.size)
            whole = suppressed(cells[cells[:, 14] >= 0.3], 0.6, whole=True)
            np.testing.assert_allclose(whole, expected, rtol=1e-5, atol=2e-4)
            exact = suppressed(cells[cells[:, 14] >= 0.3], 0.6)
            np.testing.assert_allclose(rows, exact, rtol=1e-5, atol=2e-4)
            continue
        # At a threshold of .9 only the best of the wide picture remains.
        assert len(found) == len(faces) >= (1 if threshold == 0.9 else 5)
        np.testing.assert_allclose(rows[:, 14], expected[:, 14], rtol=2e-6)
        order = [int(np.argmin(np.abs(expected[:, :4] - row[:4]).sum(axis=1))) for row in rows]
        np.testing.assert_allclose(rows, expected[order], rtol=1e-5, atol=2e-4)
        assert sorted(order) == list(range(len(faces)))


@pytest.mark.parametrize("case", ["float", "int8"])
def test_detections_equal_those_of_sts_c_code(case: str) -> None:
    settings = results_of("yunet", case, "st")
    assert len(settings) == 3
    for setting, faces in settings:
        threshold, iou_threshold = [float(number) for number in setting.split()]
        processor = n6post.YuNet(threshold**0.5, iou_threshold=iou_threshold)
        model = model_of(case)
        model.run(processor)
        rows = survivors(processor, model)
        expected = faces * np.float32(320)  # in parts of the input; the keypoints come last
        assert len(rows) == len(faces) >= 5
        for row in rows:
            at = np.abs(faces[:, 4] - row[14] ** 2).argmin()
            half = expected[at, 2:4] / 2
            corners = np.concatenate([expected[at, :2] - half, expected[at, :2] + half])
            np.testing.assert_allclose(row[:4], corners, rtol=1e-5, atol=2e-4)
            np.testing.assert_allclose(row[4:14], expected[at, 5:], rtol=1e-5, atol=2e-4)
            assert row[14] ** 2 == pytest.approx(faces[at, 4], rel=1e-5)


def test_rectangles_and_keypoints_are_in_frame_pixels() -> None:
    model = model_of()
    processor = n6post.YuNet()
    found = model.run(processor, Framed((10, 20, 640, 480)))
    assert_well_formed(found, (10, 20, 640, 480), 20)
    rows = survivors(processor, model)
    assert len(found) == len(rows) == 5
    for detection, row in zip(found, rows, strict=True):
        x, y, w, h = detection.rect
        corners = np.array([x - 10, y - 20, x + w - 10, y + h - 20]) / [2, 1.5, 2, 1.5]
        np.testing.assert_allclose(corners, row[:4], atol=0.55)
        points = np.array(detection.keypoints.tolist())
        assert points.shape == (5, 3) and (points[:, 2] == 1).all()
        np.testing.assert_allclose(points[:, :2], row[4:14].reshape(5, 2) * [2, 1.5] + [10, 20], rtol=1e-5)
        assert (detection.label, detection.class_id) == ("face", 0)


def test_keypoints_have_names_and_lie_where_a_face_has_them() -> None:
    best = model_of("float").run(n6post.YuNet())[0]
    right_eye, left_eye, nose = best.keypoint("right eye"), best.keypoint("left eye"), best.keypoint("nose tip")
    right_corner, left_corner = best.keypoint("right mouth corner"), best.keypoint("left mouth corner")
    # The person's right is on the left of a picture. This face is mirrored, and the network names what it sees.
    assert right_eye[0] < nose[0] < left_eye[0] and right_corner[0] < left_corner[0]
    assert max(right_eye[1], left_eye[1]) < nose[1] < min(right_corner[1], left_corner[1])


def test_outputs_may_come_in_any_order() -> None:
    expected = model_of().run(n6post.YuNet())
    tensors = recorded("int8")
    random = np.random.default_rng(1)
    orders = [list(random.permutation(12)) for _ in range(4)] + [[3, 4, 5, 0, 1, 2, 6, 7, 8, 9, 10, 11]]
    for order in orders:
        found = FakeModel([tensors[i] for i in order], (320, 320)).run(n6post.YuNet())
        assert [(d.rect, d.score, d.keypoints.tolist()) for d in found] == [
            (d.rect, d.score, d.keypoints.tolist()) for d in expected
        ]


def stored_as(tensors: list[Tensor], size: tuple[int, int], form: str) -> list[Tensor]:
    """The same outputs as rows, as vectors where they have one channel, or as maps."""
    changed = []
    for at, tensor in enumerate(tensors):
        stride = STRIDES[at % 3]
        width, height = -(-size[0] // stride), -(-size[1] // stride)
        values = tensor.values
        maps = values.reshape(1, height, width, -1)
        if form == "NHWC":
            values = maps
        elif form == "NCHW":
            values = np.ascontiguousarray(maps.transpose(0, 3, 1, 2))
        elif form == "columns":
            values = np.ascontiguousarray(values.transpose(0, 2, 1))
        elif form == "flat":
            values = values[0, :, 0] if values.shape[2] == 1 else values[0]
        changed.append(tensor._replace(values=values))
    return changed


@pytest.mark.parametrize("form", ["NHWC", "NCHW", "columns", "flat"])
def test_rows_and_maps_give_the_same_detections(form: str) -> None:
    for case in ("int8", "wide"):
        expected = model_of(case).run(n6post.YuNet(0.3))
        found = FakeModel(stored_as(recorded(case), size_of(case), form), size_of(case)).run(n6post.YuNet(0.3))
        assert [(d.rect, d.score) for d in found] == [(d.rect, d.score) for d in expected] and len(found) >= 5


# --- random outputs ---
def random_outputs(dtype: str, size: tuple[int, int]) -> list[Tensor]:
    random = np.random.default_rng(3)
    tensors = []
    for channels in (1, 1, 4, 10):
        for stride in STRIDES:
            cells = -(-size[0] // stride) * -(-size[1] // stride)
            values = random.uniform(0, 1, (1, cells, 1)) if channels == 1 else random.normal(0, 1, (1, cells, channels))
            if dtype == "float32":
                tensors.append(Tensor(values.astype(np.float32)))
                continue
            limits = np.iinfo(dtype)
            span = 1.0 if channels == 1 else 8.0
            scale = float(np.float32(random.uniform(0.7, 1) * span / (limits.max - limits.min)))
            zero_point = int(limits.min if channels == 1 else (limits.min + limits.max) // 2)
            quantized = np.clip(np.round(values / scale) + zero_point, limits.min, limits.max)
            tensors.append(Tensor(quantized.astype(dtype), scale, zero_point))
    return tensors


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
@pytest.mark.parametrize("size", [(64, 64), (100, 72)])
def test_random_outputs_are_decoded_as_in_numpy(dtype: str, size: tuple[int, int]) -> None:
    tensors = random_outputs(dtype, size)
    model = FakeModel(tensors, size)
    processor = n6post.YuNet(0.6, iou_threshold=0.4, max_detections=300)
    model.run(processor)
    rows = decoded(tensors, size)
    rows = rows[rows[:, 14] >= 0.6]
    expected = suppressed(rows, 0.4)
    found = survivors(processor, model)
    assert len(found) == len(expected) > 5
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-4)


def test_threshold_of_an_integer_product_is_exact() -> None:
    tensors = recorded("int8")
    scores = np.sort(decoded(tensors, (320, 320))[:, 14])[::-1]
    for rank in (0, 3, 9):
        for threshold in (scores[rank] * (1 - 3e-7), scores[rank] * (1 + 3e-7)):
            processor = n6post.YuNet(float(threshold), iou_threshold=1.0, max_detections=100)
            model = model_of("int8")
            model.run(processor)
            count = int((scores >= threshold).sum())
            assert abs(len(survivors(processor, model)) - count) <= int((np.abs(scores - threshold) < 1e-7).sum())


def test_nan_never_passes_the_threshold() -> None:
    tensors = recorded("float")
    for at in (1, 4):
        values = tensors[at].values.copy()
        values[:] = NAN
        changed = [*tensors[:at], Tensor(values), *tensors[at + 1 :]]
        found = FakeModel(changed, (320, 320)).run(n6post.YuNet(0.0, max_detections=3000, max_candidates=3000))
        assert all(d.score == d.score for d in found)
        assert len(FakeModel(changed, (320, 320)).run(n6post.YuNet())) < 6


# --- bad input ---
def test_outputs_of_other_families_are_refused() -> None:
    tensors = recorded("int8")
    with pytest.raises(ValueError, match="keypoints .1, N, 10. for each"):
        FakeModel(tensors[:11], (320, 320)).run(n6post.YuNet())
    with pytest.raises(ValueError, match="an input of .width, height. .256, 256."):
        FakeModel(tensors, (256, 256)).run(n6post.YuNet())
    six_points = [*tensors[:9], *[Tensor(np.zeros((1, n, 12), np.int8), 0.1) for n in (1600, 400, 100)]]
    with pytest.raises(ValueError, match=r"got .*\(1, 100, 12\)"):
        FakeModel(six_points, (320, 320)).run(n6post.YuNet())


def test_logits_are_refused() -> None:
    tensors = recorded("float")
    for at in (3, 5):
        logits = Tensor(np.float32(20) * tensors[at].values - np.float32(10))
        with pytest.raises(
            ValueError, match=f"expected class scores and objectness of 0..1, got -10 in output {at}: float32"
        ):
            FakeModel([*tensors[:at], logits, *tensors[at + 1 :]], (320, 320)).run(n6post.YuNet())


def test_label_is_that_of_the_option_or_of_the_model() -> None:
    assert model_of(labels=["head"]).run(n6post.YuNet())[0].label == "head"
    assert model_of(labels=["head"]).run(n6post.YuNet(labels=["mask"]))[0].label == "mask"
    with pytest.raises(ValueError, match="expected 1 labels"):
        model_of().run(n6post.YuNet(labels=["a", "b"]))


def test_every_output_has_its_own_scale() -> None:
    model = model_of()
    tensors = [OutputTensor(model, i, out) for i, out in enumerate(model.outputs())]
    assert len({tensor.scale for tensor in tensors}) > 9


# Small models, in which the tests of all families interrupt every line.
def small(dtype: str = "int8") -> FakeModel:
    return FakeModel(random_outputs(dtype, (32, 32)), (32, 32))


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.7, 0.93, (-0.1, 1.1, NAN, None), small),
        "iou_threshold": OptionCase(0.3, 0.95, (-0.1, 1.1, NAN, None), model_of),
        "max_detections": OptionCase(20, 2, (0, 65536, 1.5, None), model_of),
        "max_candidates": OptionCase(300, 1, (0, 65536, 1.5, None), model_of),
        "labels": OptionCase(None, ["head"], ("abc", [], [1]), small),
    },
    frames={
        "YuNet": FrameCase(
            lambda: n6post.YuNet(0.6, max_detections=2), small, lambda: small("uint8"), ("threshold", 0.6, 0.7)
        ),
    },
    examines_numbers=True,
)
