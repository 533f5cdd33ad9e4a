"""anchors/ssd.py with the keypoints of RetinaFace, compared with its authors' code on recorded outputs, and with numpy.

scripts/dev/recording/record_retinaface.py made data/retinaface.npz.xz.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
import test_ssd as ssd
from assertions import assert_well_formed
from fakes import Array, FakeModel, Framed, Tensor
from n6post.families.anchors.priors import known_faces
from recorded_data import about, results_of, stored

RETINA_FACE = (8, 16, 32), (16, 64, 128), (32, 256, 512)
MOBILENET = (8, 10, 20), (16, 32, 64), (32, 128, 256)
SLIM = (8, 10, 16, 24), (16, 32, 48), (32, 64, 96), (64, 128, 192, 256)
CASES = ["RFB", "slim", "mobilenet", "large"]


def maps_of(levels: Any, size: tuple[int, int]) -> list[Any]:
    """The option `anchors`."""
    width, height = size
    return [(-(-width // s), -(-height // s), [(side, side) for side in sides], s) for s, *sides in levels]


def priors_of(maps: list[Any], size: tuple[int, int]) -> Array:
    """(N, 4): x, y of the center, width and height in parts of the input."""
    rows = [
        [(x + 0.5) * stride, (y + 0.5) * stride, w, h]
        for columns, lines, sides, stride in maps
        for y in range(lines)
        for x in range(columns)
        for w, h in sides
    ]
    return np.array(rows) / np.tile(size, 2)


def recorded(case: str, logits: bool = False) -> FakeModel:
    described = about("retinaface", f"{case}/about")
    at, outputs = stored("retinaface")[f"{case}/at"], []
    for i, columns in enumerate((4, 2, 10)):
        values = np.zeros((1, described["rows"], columns), np.float32)
        values[..., 0] = columns == 2
        values[0, at] = stored("retinaface")[f"{case}/{i}"]
        if logits and columns == 2:
            values = np.log(np.maximum(values, np.float32(1e-9)))
        outputs.append(Tensor(values))
    width, height = described["size"]
    return FakeModel(outputs, (width, height))


def options_of(case: str, size: tuple[int, int]) -> dict[str, Any]:
    return {"anchors": maps_of(MOBILENET, size)} if case == "mobilenet" else {}


def survivors(processor: Any, model: FakeModel) -> Array:
    """(n, 15): x1, y1, x2, y2, score, five keypoints x and y of the detections in input pixels, unclipped."""
    boxes = ssd.survivors(processor, model)
    decoder = processor._binding.decoder
    kept = [int(at) for at in decoder.buffers[1][2, : len(boxes)]]
    points = [[float(decoder.points[row, at]) for row in range(15) if row % 3 < 2] for at in kept]
    return np.concatenate([boxes[:, :5], np.array(points).reshape(-1, 10)], axis=1)


@pytest.mark.parametrize("logits", [False, True], ids=["probabilities", "logits"])
@pytest.mark.parametrize("case", CASES)
def test_faces_equal_those_of_the_authors_code(case: str, logits: bool) -> None:
    settings = results_of("retinaface", case, "authors")
    assert len(settings) == 3
    for setting, expected in settings:
        threshold, iou_threshold = [float(number) for number in setting.split()]
        model = recorded(case, logits)
        options = {"threshold": threshold, "iou_threshold": iou_threshold, "max_detections": 100}
        processor = n6post.processor_for(model, **options, **options_of(case, model.size))
        assert type(processor) is n6post.Ssd
        found = model.run(processor)
        assert len(found) == len(expected) >= 4
        order = np.argsort(-expected[:, 4], kind="stable")
        np.testing.assert_allclose(survivors(processor, model), expected[order], rtol=2e-5, atol=2e-4)


def test_only_boxes_that_the_authors_count_a_pixel_larger_part() -> None:
    differ = [
        (case, setting)
        for case in CASES
        for setting, expected in results_of("retinaface", case, "authors")
        if stored("retinaface")[f"{case}/plus {setting}"][0] != len(expected)
    ]
    assert differ == [("large", "0.05 0.3")]


def test_outputs_may_come_in_any_order_and_with_a_dimension_of_one() -> None:
    model = recorded("slim")
    expected = model.run(n6post.Ssd())
    assert len(expected) == 4
    boxes, scores, points = model.tensors
    for order in ((boxes, points, scores), (scores, boxes, points), (points, scores, boxes)):
        long = [one._replace(values=one.values[:, :, None]) for one in order]
        for tensors in (list(order), long):
            found = FakeModel(tensors, model.size).run(n6post.Ssd())
            assert [(d.rect, d.keypoints.tolist()) for d in found] == [(d.rect, d.keypoints.tolist()) for d in expected]


def test_faces_are_in_frame_pixels_and_their_keypoints_where_a_face_has_them() -> None:
    model = recorded("RFB")
    processor = n6post.Ssd()
    found = model.run(processor, Framed((10, 20, 640, 360)))
    assert_well_formed(found, (10, 20, 640, 360), 20)
    for one, row in zip(found, survivors(processor, model), strict=True):
        points = np.array(one.keypoints.tolist())
        np.testing.assert_allclose(points[:, :2], row[5:].reshape(5, 2) * [2, 1.5] + [10, 20], rtol=1e-5)
        assert (points[:, 2] == 1).all() and (one.label, one.class_id) == ("face", 0)
        right_eye, left_eye, nose = one.keypoint("right eye"), one.keypoint("left eye"), one.keypoint("nose tip")
        assert right_eye[0] < nose[0] < left_eye[0] and right_eye[1] < nose[1] < one.keypoint("left mouth corner")[1]
    assert model.run(n6post.Ssd(labels=["head"]))[0].label == "head"


@pytest.mark.parametrize("size", [(640, 640), (320, 240), (300, 200), (100, 76)])
def test_rows_tell_the_known_anchors(size: tuple[int, int]) -> None:
    for levels in (RETINA_FACE, SLIM):
        maps = maps_of(levels, size)
        count = len(priors_of(maps, size))
        assert known_faces(count + 1, size) is None
        found = known_faces(count, size)
        assert found is not None and found[1] == "xywh"
        sides = [[n for pair in pairs for n in pair] for _, _, pairs, _ in maps]
        assert [(c, r, list(s), stride) for c, r, s, stride in found[0]] == [
            (c, r, s, stride) for (c, r, _, stride), s in zip(maps, sides, strict=True)
        ]


@pytest.mark.parametrize("logits", [True, False], ids=["logits", "probabilities"])
@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
def test_random_outputs_are_decoded_as_in_numpy(dtype: str, logits: bool) -> None:
    size = (100, 76)
    random = np.random.default_rng(2)
    maps = maps_of(RETINA_FACE, size)
    priors = priors_of(maps, size)
    scores = random.normal(0, 2, (len(priors), 2))
    given = scores if logits else ssd.softmax(scores)
    kinds = [(given, -6, 6) if logits else (given, 0, 1), (random.normal(0, 1.5, (len(priors), 4)), -5, 5)]
    kinds.append((random.normal(0, 3, (len(priors), 10)), -11, 9))
    tensors = [ssd.quantized(values[None], dtype, low, high) for values, low, high in kinds]
    model = FakeModel(tensors, size)
    processor = n6post.Ssd(0.6, iou_threshold=0.4, max_detections=300, max_candidates=500)
    model.run(processor)
    found = survivors(processor, model)
    numbers, offsets, landmarks = [ssd.real(tensor)[0] for tensor in tensors]
    probabilities = (ssd.softmax(numbers) if logits else numbers)[:, 1:]
    boxes = ssd.corners(offsets, priors, size)
    points = priors[:, None, :2] + 0.1 * landmarks.reshape(-1, 5, 2) * priors[:, None, 2:]
    expected = ssd.suppressed(boxes, probabilities, 0.6, 0.4)
    assert len(found) == len(expected) > 20
    ssd.assert_same(np.column_stack([found[:, :5], np.zeros(len(found))]), expected, atol=1e-3)
    for row in found:
        at = int(np.argmin(np.abs(boxes - row[:4]).sum(axis=1)))
        np.testing.assert_allclose(row[5:], (points[at] * size).reshape(-1), atol=1e-3)


def test_other_outputs_are_refused() -> None:
    boxes, scores, points = recorded("RFB").tensors
    shorter = points._replace(values=points.values[:, 1:].copy())
    nine = points._replace(values=points.values[..., :9].copy())
    for tensors in ([boxes, scores, shorter], [boxes, scores, nine]):
        with pytest.raises(ValueError, match="^expected scores .1, N, 1 . classes.(, boxes| and boxes)"):
            FakeModel(tensors, (320, 240)).run(n6post.Ssd())
    with pytest.raises(ValueError, match="box_order: expected None or 'xywh' for a network with keypoints, got 'yxhw'"):
        recorded("RFB").run(n6post.Ssd(box_order="yxhw"))
    with pytest.raises(ValueError, match=r"got a head of 4420 rows .* \(320, 320\): give the option anchors"):
        FakeModel([boxes, scores, points], (320, 320)).run(n6post.Ssd())
    with pytest.raises(ValueError, match="got corners of boxes"):
        corners = np.cumsum(np.abs(boxes.values) + 0.1, axis=2).astype(np.float32)
        FakeModel([Tensor(corners), scores, points], (320, 240)).run(n6post.Ssd())


def test_nine_classes_beside_priors_are_no_keypoints() -> None:
    random = np.random.default_rng(0)
    places = random.uniform(0.1, 0.8, (60, 2))
    priors = np.concatenate([places, places + 0.1], axis=1)
    scores = ssd.softmax(random.normal(0, 2, (60, 10)))
    tensors = [Tensor(one[None].astype(np.float32)) for one in (scores, random.normal(0, 0.4, (60, 4)), priors)]
    found = FakeModel(tensors, (120, 80)).run(n6post.Ssd(0.3))
    assert found and found[0].keypoints is None and {d.class_id for d in found} > {2}
    found = FakeModel(tensors[:2], (120, 80)).run(n6post.Ssd(0.3, anchors=[(6, 5, [(20, 30), (40, 15)])]))
    assert found and found[0].keypoints is None


def test_other_forms_are_refused_by_name() -> None:
    model = recorded("slim")
    for turn in (lambda a: a[0], lambda a: np.ascontiguousarray(a.transpose(0, 2, 1))):
        tensors = [Tensor(turn(tensor.values)) for tensor in model.tensors]
        with pytest.raises(ValueError, match="no family of n6post decodes RetinaFace .* in another form"):
            n6post.processor_for(FakeModel(tensors, model.size))
