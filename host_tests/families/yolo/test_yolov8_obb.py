"""lib/n6post/families/yolo/yolov8_obb.py and split_obb.py, compared with Ultralytics on recorded heads, and with numpy."""

from __future__ import annotations

import math
from typing import Any

import n6post
import numpy as np
import other_networks
import pytest
import recorded_oriented_boxes as recorded
from assertions import assert_rect, assert_well_formed
from fakes import Array, FakeModel, Tensor, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from hypothesis import given, reject
from hypothesis import strategies as st
from n6post.kernels.portable import oriented as portable_oriented
from n6post.pixels.rounding import same_floats
from oriented_reference import probabilistic_iou
from small_models import SIZE as SMALL
from synthetic_heads import Thing, anchor_count, float_head, quantized
from synthetic_split_heads import random_split_head
from test_yolov8 import four_things, option_cases
from ulab import _host

SIZE = (128, 96)
at_every_setting = pytest.mark.parametrize("setting", recorded.SETTINGS)


def corners_of(found: Any) -> Array:
    return np.array([d.corners.tolist() for d in found]).reshape(-1, 4, 2)


def furthest(one: Array, other: Array) -> float:
    """The largest distance between the corners of two boxes, whichever of them comes first."""
    orders = [np.roll(one[::way], first, axis=0) for way in (1, -1) for first in range(4)]
    return min(float(np.abs(order - other).max()) for order in orders)


# --- Ultralytics on real heads ---
def assert_same_boxes(found: Any, corners: Array, scores: Array, classes: Array, tolerance: float) -> None:
    """Each box is there once, with its class and score. Ultralytics' order of equal scores depends on the machine."""
    assert len(found) == len(corners)
    assert sorted(d.score for d in found) == pytest.approx(sorted(scores.tolist()), rel=1e-5)
    left = list(range(len(corners)))
    for d in found:
        same = [
            i
            for i in left
            if abs(d.score - scores[i]) < 1e-5
            and d.class_id == classes[i]
            and furthest(np.array(d.corners.tolist()), corners[i]) < tolerance
        ]
        assert same, f"{d} is not among Ultralytics' boxes"
        left.remove(same[0])


@at_every_setting
@pytest.mark.parametrize("case", recorded.cases() + recorded.cases(split=True))
def test_boxes_equal_those_of_ultralytics(case: str, setting: tuple[float, float]) -> None:
    tensors = list(recorded.outputs(case).values())
    expected = [recorded.result(case, setting, name) for name in ("corners", "score", "class_id")]
    assert len(expected[0]) >= 4
    for order in (tensors, tensors[::-1])[: len(tensors)]:
        processor = n6post.YoloV8Obb(setting[0], iou_threshold=setting[1], max_detections=100)
        found = FakeModel(order, recorded.SIZE).run(processor)
        assert_well_formed(found, (0, 0, *recorded.SIZE), 100)
        assert_same_boxes(found, *expected, tolerance=1e-3)  # type: ignore[call-arg]


@at_every_setting
@pytest.mark.parametrize("case", [case for case in recorded.cases() if "int8" in case or "float32" in case])
def test_every_dtype_and_storage_order_gives_the_same_boxes(case: str, setting: tuple[float, float]) -> None:
    (tensor,) = recorded.outputs(case).values()
    options: Any = {"threshold": setting[0], "iou_threshold": setting[1]}
    expected = FakeModel([tensor], recorded.SIZE).run(n6post.YoloV8Obb(**options))
    storages = [tensor, tensor.reordered(0, 2, 1)]
    if tensor.scale:
        storages += [tensor.as_uint8(), tensor.as_int16(2, 5), tensor.as_uint8().reordered(0, 2, 1)]
    else:
        in_pixels = tensor.values.copy()
        in_pixels[:, :4] *= np.float32(128)
        storages.append(Tensor(in_pixels))
    for one in storages:
        found = FakeModel([one], recorded.SIZE).run(n6post.YoloV8Obb(**options))
        assert [(d.score, d.class_id) for d in found] == [(d.score, d.class_id) for d in expected]
        np.testing.assert_allclose(corners_of(found), corners_of(expected), atol=1e-3)


@pytest.mark.parametrize("case", [case for case in recorded.cases() if "end-to-end" in case or "nms" in case])
def test_int8_end_to_end_rows_equal_floats_within_their_steps(case: str) -> None:
    (tensor,) = recorded.outputs(case).values()
    normalized = tensor.values / np.float32([128, 128, 128, 128, 1, 1, 1])
    rows = quantized(normalized, 0.0125, -40)
    found = FakeModel([rows], recorded.SIZE).run(n6post.YoloV8Obb(0.25))
    expected = FakeModel([rows.dequantized()], recorded.SIZE).run(n6post.YoloV8Obb(0.25))
    assert [d.class_id for d in found] == [d.class_id for d in expected]
    np.testing.assert_allclose(corners_of(found), corners_of(expected), atol=1e-3)


# --- numpy ---
def random_boxes(random: Any, count: int) -> Array:
    """x, y, w, h, angle of boxes around a few places."""
    places = random.uniform(10, 80, (4, 2))
    sizes = random.uniform(4, 50, (count, 2)) * random.choice([1.0, 0.2], (count, 1))
    centers = places[random.integers(0, 4, count)] + random.normal(0, 4, (count, 2))
    return np.column_stack([centers, sizes, random.uniform(-5, 5, count)])


def oriented_head(boxes: Array, scores: Array, classes: Array, class_count: int) -> Array:
    """[1, 4 + class_count + 1, N] in pixels: the boxes are the last anchors, all others have scores of 0."""
    head = float_head(SIZE, class_count, [], extra=1)
    for at, (box, score, class_id) in enumerate(zip(boxes, scores, classes)):
        column = head[0, :, head.shape[2] - 1 - at]
        column[:4], column[-1] = box[:4], box[4]
        column[4 + class_id] = score
    return head


@given(st.integers(0, 10**6), st.sampled_from([0.0, 0.1, 0.45, 0.7, 1.0]), st.booleans(), st.sampled_from([3, 20]))
def test_random_heads_equal_numpy(seed: int, iou_threshold: float, class_agnostic: bool, most: int) -> None:
    random = np.random.default_rng(seed)
    count, class_count = int(random.integers(1, 30)), int(random.integers(1, 4))
    boxes = random_boxes(random, count).astype(np.float32).astype(np.float64)
    scores = np.sort(random.permutation(1000)[:count] / 2000 + 0.45)[::-1]
    classes = random.integers(0, class_count, count)
    overlaps = np.array([probabilistic_iou(box, boxes) for box in boxes])
    same_class = class_agnostic | (classes[:, None] == classes)
    if np.any(np.abs(overlaps - iou_threshold)[np.triu(same_class, 1)] < 1e-3):
        reject()  # float32 decides
    dropped = np.triu(same_class & (overlaps > iou_threshold), 1).any(axis=0)
    kept = np.flatnonzero(~dropped)[:most]
    turns = np.stack([np.cos(boxes[:, 4]), np.sin(boxes[:, 4])], axis=1)
    along, across = boxes[:, 2:3] * turns / 2, boxes[:, 3:4] * turns[:, ::-1] * [-1, 1] / 2
    corners = np.stack([boxes[:, :2] + a * along + b * across for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))], axis=1)
    processor = n6post.YoloV8Obb(
        iou_threshold=iou_threshold, class_agnostic=class_agnostic, max_detections=most, box_units="pixels"
    )
    found = FakeModel([Tensor(oriented_head(boxes, scores, classes, class_count))], SIZE).run(processor)
    shown = [i for i in kept if corners[i].max(0).min() > 1 and (corners[i].min(0) < np.array(SIZE) - 1).all()]
    by_score = {round(d.score, 5): d for d in found}
    assert set(by_score) >= {round(float(np.float32(scores[i])), 5) for i in shown}
    assert len(found) <= len(kept)
    for i in shown:
        d = by_score[round(float(np.float32(scores[i])), 5)]
        assert d.class_id == classes[i] and furthest(np.array(d.corners.tolist()), corners[i]) < 2e-3
        assert_rect(d.rect, [*corners[i].min(0), *corners[i].max(0)], (0, 0, *SIZE))


def test_similarity_is_the_probabilistic_iou() -> None:
    boxes = random_boxes(np.random.default_rng(3), 40)
    table = _host.wrap(prepared(boxes))
    found = np.array([portable_oriented.similarity(table, 40, i).tolist() for i in range(40)])
    np.testing.assert_allclose(found, [probabilistic_iou(box, boxes) for box in boxes], atol=1e-3)


def prepared(boxes: Array) -> Array:
    """The table of oriented boxes of candidates without suppression."""
    from n6post.kernels.params import oriented as oriented_params

    count = len(boxes)
    values = np.zeros((5, count), np.float32)
    x, y, w, h, angle = boxes.T
    values[:4] = x - w / 2, y - h / 2, x + w / 2, y + h / 2
    table = np.zeros((10, count), np.float32)
    table[9] = angle
    block = oriented_params.suppress_oriented(1.0, 1.0, 2.0, 0, count, count, count)
    labels = np.zeros((3, count), np.uint16)
    assert portable_oriented.suppress_oriented(block, *map(_host.wrap, (values, labels, table))) == count
    return table


@pytest.mark.parametrize("iou_threshold", [0.0, 0.01, 0.3, 0.5, 0.7, 0.95, 1.0])
def test_the_limit_is_that_of_the_probabilistic_iou(iou_threshold: float) -> None:
    """A box that is moved until its IoU with another is the threshold."""
    limit = portable_oriented.limit_of(same_floats(iou_threshold))
    ways = np.linspace(0, 300, 301)
    boxes = np.column_stack([ways, ways * 0, ways * 0 + 40, ways * 0 + 20, ways * 0])
    table = _host.wrap(prepared(boxes))
    over = np.array(portable_oriented.overlap(table, len(ways), 0, limit).tolist(), bool)
    exact = 1 - np.sqrt(np.maximum(0, 1 - np.exp(-(ways**2) / 8 / (40**2 / 12))))
    near = np.abs(exact - iou_threshold) < 4e-3
    assert np.array_equal(over[~near], (exact > iou_threshold)[~near])


@given(st.lists(st.floats(-60, 60, width=32), min_size=1, max_size=9))
def test_sine_cosine_and_sigmoid_are_those_of_numpy(numbers: list[float]) -> None:
    given_numbers = np.float32(numbers)
    sin, cos = portable_oriented.sin_and_cos(_host.wrap(given_numbers))
    np.testing.assert_allclose(sin.tolist(), np.sin(given_numbers.astype(float)), atol=2e-5)
    np.testing.assert_allclose(cos.tolist(), np.cos(given_numbers.astype(float)), atol=2e-5)
    with np.errstate(over="ignore"):
        expected = 1 / (1 + np.exp(-given_numbers.astype(float)))
    np.testing.assert_allclose(portable_oriented.sigmoid(_host.wrap(given_numbers)).tolist(), expected, atol=2e-6)


def one_box(angle: float, box: tuple[float, float, float, float] = (60, 40, 40, 20), score: float = 0.9) -> FakeModel:
    return FakeModel([Tensor(oriented_head(np.array([[*box, angle]]), np.array([score]), np.array([0]), 2))], SIZE)


@pytest.mark.parametrize("degrees", [-44.0, -1.0, 0.0, 0.5, 30.0, 44.9, 60.0, 90.0, 134.0, 179.0, 200.0, -300.0])
def test_rotation_is_the_direction_of_the_longer_side(degrees: float) -> None:
    (d,) = one_box(math.radians(degrees)).run(n6post.YoloV8Obb())
    assert abs((d.rotation - degrees + 90) % 180 - 90) < 0.02 and 0 <= d.rotation < 180
    assert d.sides == pytest.approx((40, 20), abs=1e-3)
    # Width and height exchanged: the longer side is the other one.
    (d,) = one_box(math.radians(degrees), (60, 40, 20, 40)).run(n6post.YoloV8Obb())
    assert abs((d.rotation - degrees) % 180 - 90) < 0.02
    corners = np.array(d.corners.tolist())
    (a, b), (c, e) = corners[1] - corners[0], corners[2] - corners[1]
    assert a * e - b * c > 0  # clockwise, for y points down
    assert corners[0].sum() <= corners[2].sum()


def test_a_stretched_box_is_a_parallelogram() -> None:
    """The corners are those of the network, each stretched; the rotation is that of the longer stretched side."""
    model = one_box(math.radians(45))
    frame = (0, 0, 256, 96)  # twice as wide
    (d,) = model.run(n6post.YoloV8Obb(), stretched(frame))
    (own,) = model.run(n6post.YoloV8Obb())
    np.testing.assert_allclose(d.corners.tolist(), np.array(own.corners.tolist()) * [2, 1], rtol=1e-6)
    assert d.rotation == pytest.approx(math.degrees(math.atan2(1, 2)), abs=0.02)


def test_rect_is_the_bounding_box_clipped_to_the_frame() -> None:
    (d,) = one_box(math.radians(30), (5, 40, 60, 10)).run(n6post.YoloV8Obb())
    corners = np.array(d.corners.tolist())
    assert corners[:, 0].min() < -10
    assert d.rect[0] == 0
    assert_rect(d.rect, [*corners.min(0), *corners.max(0)], (0, 0, *SIZE))


def test_a_box_outside_of_the_frame_is_dropped_and_the_others_keep_their_corners() -> None:
    boxes = np.array([[20, 40, 20, 10, 0.3], [-50, 40, 20, 10, 0.3], [90, 40, 30, 8, 1.0]])
    head = oriented_head(boxes, np.array([0.9, 0.8, 0.7]), np.array([0, 0, 1]), 2)
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Obb())
    assert [d.class_id for d in found] == [0, 1]
    np.testing.assert_allclose(corners_of(found).mean(axis=1), boxes[[0, 2], :2], atol=1e-4)


def test_corners_belong_to_their_box_however_many_are_outside() -> None:
    boxes = np.array([[20 + 25 * (k % 4), 20 + 20 * (k // 4), 16, 8, 0.2 * k] for k in range(12)])
    for outside in ([0, 1], [1, 2, 3], [0, 1, 2, 5, 6, 9, 10, 11], [3, 4, 7, 8], [10, 11]):
        moved = boxes.copy()
        moved[outside, 0] -= 500
        head = oriented_head(moved, 0.95 - np.arange(12) / 30, np.zeros(12, int), 1)
        found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Obb(iou_threshold=1.0))
        shown = [k for k in range(12) if k not in outside]
        assert [d.score for d in found] == pytest.approx([0.95 - k / 30 for k in shown])
        np.testing.assert_allclose(corners_of(found).mean(axis=1), boxes[shown, :2], atol=1e-4)


def test_one_processor_serves_heads_of_two_sizes_in_turn() -> None:
    processor, small = n6post.YoloV8Obb(), (32, 32)
    boxes = np.array([[20, 16, 20, 10, 0.3], [14, 20, 8, 10, 1.0]])
    few = float_head(small, 1, [], extra=1)
    few[0, :4, -2:], few[0, 4, -2:], few[0, -1, -2:] = boxes[:, :4].T, 0.9, boxes[:, 4]
    crowd = np.tile(boxes, (60, 1)) + np.arange(120)[:, None] / 500
    many = oriented_head(crowd, np.linspace(0.9, 0.6, 120), np.zeros(120, int), 1)
    models = FakeModel([Tensor(few)], small), FakeModel([Tensor(many)], SIZE)
    wanted = [corners_of(model.run(n6post.YoloV8Obb(box_units="pixels"))) for model in models]
    for _ in range(2):
        for model, corners in zip(models, wanted):
            processor.box_units = "pixels"
            np.testing.assert_array_equal(corners_of(model.run(processor)), corners)


def test_soft_suppression_lowers_scores_by_the_probabilistic_iou() -> None:
    boxes = np.array([[60, 40, 40, 20, 0.3], [62, 41, 40, 20, 0.35], [100, 70, 20, 10, 0]])
    head = oriented_head(boxes, np.array([0.9, 0.8, 0.7]), np.array([0, 0, 0]), 1)
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Obb(0.1, nms_sigma=0.5))
    overlap = probabilistic_iou(boxes[0], boxes)[1]
    scores = sorted([0.9, 0.7, 0.8 * math.exp(-(overlap**2) / 0.5)], reverse=True)
    assert [d.score for d in found] == pytest.approx(scores, abs=1e-3)


def test_a_box_is_dropped_by_a_better_one_that_is_dropped_itself() -> None:
    """Unlike in greedy suppression: a row of boxes, each of which overlaps only its neighbors."""
    boxes = np.array([[30 + 12 * i, 40, 30, 20, 0] for i in range(4)])
    head = oriented_head(boxes, np.array([0.9, 0.8, 0.7, 0.6]), np.zeros(4, int), 1)
    overlaps = np.array([probabilistic_iou(box, boxes) for box in boxes])
    threshold = float(overlaps[0, 1] + overlaps[0, 2]) / 2
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Obb(iou_threshold=threshold))
    assert [d.score for d in found] == pytest.approx([0.9])


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, 1e30])
@pytest.mark.parametrize("channel", [0, 2, -1])
def test_numbers_that_are_not_finite_hide_no_other_box(number: float, channel: int) -> None:
    boxes = np.array([[60, 40, 40, 20, 0.3], [100, 70, 20, 10, 0]])
    head = oriented_head(boxes, np.array([0.9, 0.8]), np.array([0, 0]), 1)
    head[0, channel, -1] = number
    found = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Obb(box_units="pixels"))
    assert 0.8 in [round(d.score, 5) for d in found]
    for d in found:
        assert n6post.to_json(d) and (d.rotation is None or 0 <= d.rotation < 180)


def test_an_empty_frame_gives_an_empty_list() -> None:
    assert one_box(0, score=0.1).run(n6post.YoloV8Obb()) == []


def test_angles_are_not_a_class() -> None:
    processor = n6post.YoloV8Obb(labels=["ship", "truck", "tile"])
    (tensor,) = recorded.outputs("yolo11 int8 19").values()
    found = FakeModel([tensor], recorded.SIZE).run(processor)
    assert {d.label for d in found} <= {"ship", "truck", "tile"}
    with pytest.raises(ValueError, match="expected 3 labels"):
        FakeModel([tensor], recorded.SIZE).run(n6post.YoloV8Obb(labels=["a", "b", "c", "d"]))


@pytest.mark.parametrize(
    ("shapes", "message"),
    [
        ([(1, 5, 252)], "at least one class and 1 more"),
        ([(1, 8, 251)], r"head \[1, C, N\]"),
        ([(1, 300, 6)], r"head \[1, C, N\]"),
        ([(1, 8, 252), (1, 8, 252)], r"angles \[1, h, w, 1\]"),
    ],
)
def test_other_outputs_are_refused(shapes: list[tuple[int, ...]], message: str) -> None:
    assert anchor_count(SIZE) == 252
    tensors = [Tensor(np.random.default_rng(1).random(shape, np.float32)) for shape in shapes]
    with pytest.raises(ValueError, match=message):
        FakeModel(tensors, SIZE).run(n6post.YoloV8Obb())


# --- split heads ---
def test_split_heads_with_concatenated_outputs_equal_those_of_each_stride() -> None:
    case = "split yolo11 int8 19"
    outputs = recorded.outputs(case)
    expected = FakeModel(list(outputs.values()), recorded.SIZE).run(n6post.YoloV8Obb(0.25))
    assert len(expected) > 5

    def joined(kind: str) -> Tensor:
        parts = [outputs[f"{kind}{i}"].dequantized().values for i in range(3)]
        return Tensor(np.concatenate([part.reshape(1, -1, part.shape[3]) for part in parts], axis=1))

    whole = [joined("angle"), joined("boxes"), joined("scores")]
    apart = [tensor.dequantized() for name, tensor in outputs.items() if not name.startswith("angle")]
    for tensors in (whole, [tensor.reordered(0, 2, 1) for tensor in whole], [whole[0], *apart]):
        found = FakeModel(tensors, recorded.SIZE).run(n6post.YoloV8Obb(0.25))
        assert [d.class_id for d in found] == [d.class_id for d in expected]
        np.testing.assert_allclose(corners_of(found), corners_of(expected), atol=1e-3)


def test_decoded_boxes_beside_scores_and_angles() -> None:
    case = "yolo11 float32 19"
    (tensor,) = recorded.outputs(case).values()
    expected = FakeModel([tensor], recorded.SIZE).run(n6post.YoloV8Obb(0.25, iou_threshold=0.7))
    parts = [Tensor(np.ascontiguousarray(tensor.values[:, a:b])) for a, b in ((7, 8), (0, 4), (4, 7))]
    found = FakeModel(parts, recorded.SIZE).run(n6post.YoloV8Obb(0.25, iou_threshold=0.7))
    assert [d.class_id for d in found] == [d.class_id for d in expected]
    np.testing.assert_allclose(corners_of(found), corners_of(expected), atol=1e-3)


def test_labels_decide_between_oriented_boxes_and_keypoints() -> None:
    """Three channels may be the scores of three classes, or one keypoint."""
    tensors = list(recorded.outputs("split yolo11 int8 19").values())
    labeled = FakeModel(tensors, recorded.SIZE, ["ship", "truck", "tile"])
    assert type(n6post.processor_for(labeled)) is n6post.YoloV8Obb
    with pytest.raises(ValueError, match=r"YoloV8Pose .* and YoloV8Obb \(a split head of oriented boxes of 3 classes\)"):
        n6post.processor_for(FakeModel(tensors, recorded.SIZE))
    of_one_class = [t for t in tensors if t.values.shape[3] != 3] + [t for t in tensors if t.values.shape[3] == 1]
    assert type(n6post.processor_for(FakeModel(of_one_class, recorded.SIZE))) is n6post.YoloV8Obb


@pytest.mark.parametrize("bins", [16, 1])
def test_scores_of_one_class_are_told_from_angles(bins: int) -> None:
    outputs = recorded.outputs("split yolo11 int8 19" if bins == 16 else "split yolo26 int8 19")
    kept = {
        name: tensor._replace(values=np.ascontiguousarray(tensor.values[..., :1])) if "scores" in name else tensor
        for name, tensor in outputs.items()
    }
    expected = FakeModel(list(outputs.values()), recorded.SIZE).run(n6post.YoloV8Obb(0.25, classes=[0]))
    for order in (list(kept.values()), list(kept.values())[::-1]):
        found = FakeModel(order, recorded.SIZE).run(n6post.YoloV8Obb(0.25))
        # Anchors whose best class was another one may come besides.
        lines = [n6post.to_json(d) for d in found]
        assert len(expected) > 1 and all(n6post.to_json(d) in lines for d in expected) and len(found) < len(expected) + 3


def test_angles_after_the_sigmoid_equal_their_logits() -> None:
    """Rockchip's export (RKNN): maps of 64 box channels and the classes, and [1, 1, N] of sigmoid(angle)."""
    outputs = {name: tensor.dequantized().values for name, tensor in recorded.outputs("split yolo11 int8 19").items()}
    joined = [Tensor(np.concatenate([outputs[f"boxes{i}"], outputs[f"scores{i}"]], axis=3)) for i in range(3)]
    angles = np.concatenate([outputs[f"angle{i}"].reshape(1, -1) for i in range(3)], axis=1)[None]
    expected = FakeModel([*joined, Tensor(angles)], recorded.SIZE).run(n6post.YoloV8Obb(0.25))
    turns = Tensor((1 / (1 + np.exp(-angles))).astype(np.float32))
    model = FakeModel([one.reordered(0, 3, 1, 2) for one in joined] + [turns], recorded.SIZE, ["ship", "truck", "tile"])
    processor = n6post.processor_for(model, threshold=0.25)
    found = model.run(processor)
    assert len(expected) > 5 and [d.class_id for d in found] == [d.class_id for d in expected]
    np.testing.assert_allclose(corners_of(found), corners_of(expected), atol=1e-3)
    eight_bits = quantized(turns.values, 1 / 255, -128)
    found = FakeModel([*joined, eight_bits], recorded.SIZE).run(n6post.YoloV8Obb(0.25))
    np.testing.assert_allclose([d.rotation for d in found], [d.rotation for d in expected], atol=1)


def test_maps_of_floats_are_told_from_sums_of_scores() -> None:
    """Shapes are those of Rockchip's detectors; a YoloV8 then finds oriented boxes, as YoloV8Obb does."""
    tensors = list(recorded.outputs("split yolo11 float32 19").values())
    model = FakeModel(tensors, recorded.SIZE, ["ship", "truck", "tile"])
    found = model.run(n6post.processor_for(model, threshold=0.25))
    expected = model.run(n6post.YoloV8Obb(0.25))
    assert len(expected) > 5 and [n6post.to_json(d) for d in found] == [n6post.to_json(d) for d in expected]
    model.postprocess = n6post.YoloV8Obb()  # type: ignore[assignment]
    assert n6post.diagnose(model, model.outputs()) == n6post.diagnose(model) == []
    scores = [t.values for t in tensors[3:6]]
    sums = [Tensor(np.clip((1 / (1 + np.exp(-one))).sum(axis=3, keepdims=True), 0, 1)) for one in scores]
    probabilities = [Tensor(1 / (1 + np.exp(-one))) for one in scores]
    with pytest.raises(ValueError, match=r"^expected angles, got the sums of class scores .* use n6post.YoloV8\(\)$"):
        FakeModel([*tensors[:3], *probabilities, *sums], recorded.SIZE).run(n6post.YoloV8Obb())


@pytest.mark.parametrize("logit", [1.5, 3.0])
def test_angles_above_1_are_logits_even_if_none_is_below_0(logit: float) -> None:
    """(sigmoid - .25) * 180 degrees. Numbers after the sigmoid would be from 0 to 1."""
    head = random_split_head(4, SMALL, (8, 16, 32), class_count=2, objects=2)
    angles = [np.full((1, 32 // s, 32 // s, 1), logit, np.float32) for s in (8, 16, 32)]
    angles[0][0, 0, 0] = 0.1
    found = FakeModel([*head.tensors(), *map(Tensor, angles)], SMALL).run(n6post.YoloV8Obb(0.3))
    degrees = [(1 / (1 + math.exp(-one)) - 0.25) * 180 % 90 for one in (logit, 0.1)]
    assert found and all(min(abs(d.rotation % 90 - one) for one in degrees) < 0.02 for d in found)


@pytest.mark.parametrize("classes", [2, 3, 15])
@pytest.mark.parametrize("spread", [0.2, 0.04, 0.01])
def test_labeled_rows_of_straight_boxes_are_oriented_ones(classes: int, spread: float) -> None:
    middle, logits, _ = other_networks.scored((320, 320), classes)
    angles = np.random.default_rng(5).normal(0, spread, (len(middle), 1))
    rows = np.concatenate([middle / 320, other_networks.sigmoid(logits - 2), angles], axis=1)[None]
    for arrays in ([rows], other_networks.turned([rows])):
        for dtype in ("float32", "int16"):
            model = other_networks.model(arrays, (320, 320), dtype, classes)
            (d,) = model.run(n6post.processor_for(model))
            assert d.rotation is not None and d.class_id == classes - 1


@pytest.mark.parametrize("case", [case for case in recorded.cases() if "int8" in case or "float32" in case])
@pytest.mark.parametrize("classes", [1, 2, 3])
def test_labeled_rows_are_oriented_boxes_or_yolox_by_their_numbers(case: str, classes: int) -> None:
    """[1, N, 5 + classes] with a label for each class: an angle at the end, or an objectness before the classes."""
    (tensor,) = recorded.outputs(case).values()
    kept = [*range(4 + classes), tensor.values.shape[1] - 1]
    tensor = tensor._replace(values=np.ascontiguousarray(tensor.values[:, kept]))
    labels = ["ship", "truck", "tile"][:classes]
    expected = FakeModel([tensor], recorded.SIZE, labels).run(n6post.YoloV8Obb(0.3))
    for one in (tensor, tensor.reordered(0, 2, 1)):
        model = FakeModel([one], recorded.SIZE, labels)
        found = model.run(n6post.processor_for(model, threshold=0.3, max_candidates=300))
        assert expected and [n6post.to_json(d) for d in found] == [n6post.to_json(d) for d in expected]
        for processor in (None, n6post.YoloV8Obb()):
            model.postprocess = processor  # type: ignore[assignment]
            assert n6post.diagnose(model, model.outputs()) == n6post.diagnose(model) == []


# --- small models for the tests of all families ---
def turned(things: list[Thing]) -> list[Thing]:
    return [thing._replace(extra=[0.3 - 0.4 * i]) for i, thing in enumerate(things)]


def oriented_things() -> FakeModel:
    return FakeModel([Tensor(float_head((64, 64), 2, turned(four_things()), extra=1))], (64, 64))


def small_head() -> FakeModel:
    things = [Thing(3, (2, 3, 17, 20), {0: 0.9}, [0.5]), Thing(9, (12, 10, 31, 30), {1: 0.7}, [-0.4])]
    return FakeModel([Tensor(float_head(SMALL, 2, things, extra=1))], SMALL, ["cat", "dog"])


def other_small_head() -> FakeModel:
    """Another model: int8, with three classes."""
    things = [Thing(i, (i, 2, i + 9, 20), {i % 2: 0.5 + i / 40}, [0.1 * i - 0.1]) for i in range(3)]
    return FakeModel([quantized(float_head(SMALL, 3, things, extra=1, pixels=False), 0.012, -60)], SMALL)


def small_rows() -> FakeModel:
    """An end-to-end head whose rows are not sorted by score."""
    rows = np.float32([[9, 12, 14, 7, 0.9, 1, 0.3], [20, 20, 18, 9, 0.7, 0, 1.2], [40, 4, 9, 8, 0.8, 3, 0]])
    return FakeModel([Tensor(rows[None].copy())], SMALL, ["cat", "dog"])


def small_split_head(bins: int = 16) -> FakeModel:
    head = random_split_head(4, SMALL, (8, 16, 32), bins=bins, class_count=2, objects=2)
    angles = [Tensor(np.full((1, 32 // s, 32 // s, 1), 0.1 * s - 1, np.float32)) for s in (8, 16, 32)]
    return FakeModel([*head.tensors(), *angles], SMALL)


FAMILY_CASES = FamilyCases(
    options={
        **option_cases(oriented_things),
        "iou_threshold": OptionCase(0.5, 0.95, (-0.1, 1.1, None), oriented_things),
    },
    frames={
        "YoloV8Obb": FrameCase(lambda: n6post.YoloV8Obb(0.3), small_head, other_small_head, ("threshold", 0.3, 0.8)),
        "YoloV8Obb soft": FrameCase(
            lambda: n6post.YoloV8Obb(0.3, nms_sigma=0.5, classes=(0, 1)),
            small_head,
            other_small_head,
            ("classes", (0, 1), ["dog"]),
        ),
        "YoloV8Obb end-to-end": FrameCase(
            lambda: n6post.YoloV8Obb(0.3), small_rows, small_head, ("labels", None, ["a", "b"])
        ),
        # Two candidates: these tests interrupt every line of the portable kernels.
        "YoloV8Obb split": FrameCase(
            lambda: n6post.YoloV8Obb(0.3, max_candidates=2),
            lambda: small_split_head(1),
            small_split_head,
            ("threshold", 0.3, 0.8),
        ),
    },
)
