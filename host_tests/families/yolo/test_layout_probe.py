"""lib/n6post/families/yolo/layout_probe.py: layouts that the shape leaves open, found from the values of a frame."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import contents
from fakes import Array, FakeModel, Tensor
from n6post.families.yolo import layout_probe
from n6post.tensors.quantization import OutputTensor
from n6post_pc.demo import recorded
from synthetic_heads import Thing, anchor_count, float_head

pytestmark = pytest.mark.both_firmwares

SMALL = (64, 64)  # 84 anchors; 20 with strides of 16 and 32 alone


def first_anchors(tensor: Tensor, size: tuple[int, int], channels: list[int], into: tuple[int, int]) -> Array:
    """A head of a smaller input: these channels and evenly spaced cells of a recorded head [1, C, N].

    The middle anchor is the one with the best score.
    """
    count = 0
    kept = []
    for stride in (8, 16, 32):
        width, height = size[0] // stride, size[1] // stride
        cells = np.arange(width * height).reshape(height, width) + count
        count += width * height
        columns = np.linspace(0, width - 1, into[0] // stride).round().astype(int)
        lines = np.linspace(0, height - 1, into[1] // stride).round().astype(int)
        kept.append(cells[np.ix_(lines, columns)].ravel())
    anchors = np.concatenate(kept)
    anchors[len(anchors) // 2] = tensor.values[0, 4:84].max(axis=0).argmax()
    return np.ascontiguousarray(tensor.values[:, channels][:, :, anchors])


def real_heads() -> list[tuple[str, str]]:
    return [one for one in recorded.names() if one[0] == "yolov8n_seg_320"]


@pytest.mark.parametrize(("model", "picture"), real_heads())
@pytest.mark.parametrize("kind", ["int8", "float", "pixels"])
def test_square_raw_head_is_resolved_by_its_box_centers(model: str, picture: str, kind: str) -> None:
    """COCO's 80 classes on 64 x 64: [1, 84, 84]."""
    recording = recorded.load(model, picture)
    tensor = recording.tensors[0]
    head = tensor._replace(values=first_anchors(tensor, recording.size, list(range(84)), SMALL))
    if kind != "int8":
        head = head.dequantized()
    if kind == "pixels":
        head.values[:, :4] *= 64
    results = []
    for one in (head, head.reordered(0, 2, 1)):
        assert one.values.shape == (1, 84, 84)
        processor = n6post.YoloV8(0.1)
        results.append(contents(FakeModel([one], SMALL).run(processor)))
        assert processor._binding.layout.channels_first == (one is head) and processor._binding.is_final
    assert results[0] == results[1]


def test_person_is_found_in_both_orders_of_a_square_head() -> None:
    tensor = recorded.load("yolov8n_seg_320", "astronaut").tensors[0]
    head = tensor._replace(values=first_anchors(tensor, (320, 320), list(range(84)), SMALL))
    for one in (head, head.reordered(0, 2, 1)):
        found = FakeModel([one], SMALL).run(n6post.YoloV8(0.3))
        assert "person" in [d.label for d in found]


def test_channels_equal_to_an_anchor_count_are_resolved_by_the_values() -> None:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    head, size = recording.tensors[0], recording.size
    few = head._replace(values=first_anchors(head, size, list(range(20)), SMALL))  # 16 classes
    for one in (few, few.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.1)
        FakeModel([one], SMALL).run(processor)
        assert (processor._binding.layout.channels, processor._binding.layout.anchors) == (20, 84)
    tiny = head._replace(values=np.ascontiguousarray(first_anchors(head, size, list(range(84)), SMALL)[..., 64:]))
    for one in (tiny, tiny.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.1)
        FakeModel([one], SMALL).run(processor)
        assert (processor._binding.layout.channels, processor._binding.layout.anchors) == (84, 20)


@pytest.mark.parametrize("constant", [0.0, 0.25, 1.0])
def test_constant_square_head_leaves_the_layout_open(constant: float) -> None:
    tensor = recorded.load("yolov8n_seg_320", "astronaut").tensors[0]
    head = tensor._replace(values=first_anchors(tensor, (320, 320), list(range(84)), SMALL)).dequantized()
    head = head.reordered(0, 2, 1)
    full = head.values.copy()
    head.values[:] = constant
    model = FakeModel([head], SMALL)
    processor = n6post.YoloV8(0.3, box_units="normalized")
    assert bool(model.run(processor)) == (constant > 0.3) and not processor._binding.is_final
    head.values[:] = full
    assert "person" in [d.label for d in model.run(processor)]


def test_layout_depends_on_box_centers_and_not_on_widths() -> None:
    """Thin boxes, and .45 for every class of the first two anchors, close to the mean center of .5."""
    head = np.zeros((84, 84), np.float32)
    head[:2], head[2:4] = 0.5, 0.03
    head[4:, :2] = 0.45
    for values, channels_first in ((head, True), (np.ascontiguousarray(head.T), False)):
        processor = n6post.YoloV8(0.3, box_units="normalized")
        FakeModel([Tensor(values[None])], SMALL).run(processor)
        assert (processor._binding.layout.channels_first, processor._binding.is_final) == (channels_first, True)


@pytest.mark.parametrize(("other", "anchors"), [(0.3, 84), (0.55, 20)])
def test_rarer_strides_need_twice_the_mean_center(other: float, anchors: int) -> None:
    """[1, 20, 84] of a 64 x 64 input: 84 anchors of 16 classes, or 20 of the strides 16 and 32 with centers at `other`."""
    head = np.zeros((20, 84), np.float32)
    head[:2] = 0.2
    head[:, :2] = other
    ratio = head[:, :2].mean() / head[:2].mean()
    assert 1.4 < ratio < 1.6 if anchors == 84 else 2.5 < ratio < 3
    processor = n6post.YoloV8(0.9, box_units="normalized")
    FakeModel([Tensor(head[None])], SMALL).run(processor)
    assert processor._binding.layout.anchors == anchors


# --- end-to-end or raw ---
def rows_of(*rows: tuple[float, ...]) -> Tensor:
    """[1, 189, 6] of a 96 x 96 input: a raw head of two classes, or rows of an end-to-end one."""
    head = np.zeros((1, 189, 6), np.float32)
    head[0, : len(rows)] = rows
    return Tensor(head)


def is_end_to_end(tensor: Tensor, **options: object) -> tuple[bool, bool]:
    """(read as rows?, final?)."""
    processor = n6post.YoloV8(**options)  # type: ignore[arg-type]
    FakeModel([tensor], (96, 96)).run(processor)
    return processor._binding.classes > 2, processor._binding.is_final


def test_small_normalized_boxes_of_class_0_are_read_as_rows() -> None:
    """Every value is below 1, and so is the sum of their squares."""
    rows = [(0.1, 0.1, 0.2, 0.2, 0.6, 0), (0.3, 0.3, 0.4, 0.35, 0.5, 0), (0.5, 0.1, 0.55, 0.2, 0.45, 0)]
    assert is_end_to_end(rows_of(*rows)) == (True, True)


def test_rows_are_end_to_end_only_with_the_better_score_first() -> None:
    one, other = (8, 8, 40, 40, 0.9, 1), (50, 50, 90, 90, 0.3, 0)
    nothing = (0, 0, 0, 0, 0, 0)  # the probe reads every other one of 189 rows
    assert is_end_to_end(rows_of(one, nothing, other)) == (True, True)
    assert is_end_to_end(rows_of(other, nothing, one))[0] is False
    assert is_end_to_end(rows_of(other)) == (True, True)


@pytest.mark.parametrize("constant", [0.0, 0.25, 1.0])
def test_constant_first_frame_leaves_raw_or_end_to_end_open(constant: float) -> None:
    raw = Tensor(float_head((96, 96), 2, [Thing(70, (8, 8, 40, 48), {1: 0.9})]))
    rows = rows_of((8, 8, 40, 48, 0.9, 1), (0, 0, 0, 0, 0, 0), (50, 50, 90, 90, 0.3, 0))
    for head in (raw, rows):
        model = FakeModel([Tensor(np.full_like(head.values, constant))], (96, 96))
        processor = n6post.YoloV8(0.5)
        model.run(processor)
        assert not processor._binding.is_final
        model.tensors[0].values[:] = head.values
        assert [(d.rect, d.class_id) for d in model.run(processor)] == [((8, 8, 32, 40), 1)]


def test_raw_head_with_equal_first_and_last_value_is_read_at_once() -> None:
    head = float_head((96, 96), 2, [Thing(70, (8, 8, 40, 48), {1: 0.9})])
    head[0, -1, -1] = head[0, 0, 0]
    processor = n6post.YoloV8(0.5)
    FakeModel([Tensor(head)], (96, 96)).run(processor)
    assert processor._binding.is_final and processor._binding.classes == 2


def test_rows_with_corners_in_the_wrong_order_count_as_evidence() -> None:
    """Two of three rows have y2 above y1, even if y1 is by far the largest value of the row."""
    upside_down = (0.5, 80, 1, 2, 0.8, 0)
    nothing = (0, 0, 0, 0, 0, 0)
    rows = [(8, 8, 40, 40, 0.9, 1), nothing, upside_down, nothing, upside_down]
    assert is_end_to_end(rows_of(*rows))[0] is False


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", range(6))
def test_rows_with_nan_or_infinity_do_not_count_as_evidence(column: int, value: float) -> None:
    """A row that would otherwise count against rows: a class of 1.5, swapped corners, a score above the one before ..."""
    good, worse, nothing = (8, 8, 40, 40, 0.3, 1), (50, 50, 90, 90, 0.2, 0), (0, 0, 0, 0, 0, 0)
    strange = [40.0, 40.0, 8.0, 8.0, 0.35, 1.5]
    strange[column] = value
    with np.errstate(invalid="ignore"):
        assert is_end_to_end(rows_of(good, nothing, tuple(strange), nothing, worse)) == (True, True)
        # ... and one that would count for rows, where the only other row counts against.
        assert is_end_to_end(rows_of((8, 8, 40, 40, 0.3, 1.5), nothing, tuple(strange)))[0] is False


@pytest.mark.parametrize("number", [-1, -0.6, 0.5, 1.2])
def test_rows_without_whole_class_ids_are_not_end_to_end(number: float) -> None:
    rows = [(8, 8, 40, 40, 0.9 - k / 100, number) for k in range(9)]
    assert is_end_to_end(rows_of(*rows))[0] is False


def test_pose_head_of_zeros_with_three_layouts_leaves_the_layout_open() -> None:
    """[1, 57, 84] of a 64 x 64 input: 84 anchors, 84 rows with 17 keypoints, or 57 rows with 26."""
    processor = n6post.YoloV8Pose()
    model = FakeModel([Tensor(np.zeros((1, 57, 84), np.float32))], SMALL)
    assert model.run(processor) == [] and not processor._binding.is_final
    model.tensors = [Tensor(float_head(SMALL, 2, [Thing(3, (8, 8, 40, 48), {1: 0.9}, [9, 9, 0.9] * 17)], 51))]
    quantized = n6post.YoloV8Pose()  # its boxes can only be in 0..1, so only the layout is open
    assert FakeModel([Tensor(np.zeros((1, 57, 84), np.int8), 0.004)], SMALL).run(quantized) == []
    assert not quantized._binding.is_final
    processor.class_count = 2
    assert [(d.rect, d.class_id) for d in model.run(processor)] == [((8, 8, 32, 40), 1)]


def test_zeros_are_final_only_for_shapes_with_one_layout() -> None:
    """Integers that can only hold boxes in 0..1. [1, 189, 6] of 96 x 96 may be 189 rows, or 189 anchors of two classes.

    The boxes of a raw head may be centers or corners, unless the option says it.
    """
    zeros = np.zeros((1, 300, 6), np.int8)
    assert is_end_to_end(Tensor(zeros, 1 / 127)) == (True, True)
    raw_head = Tensor(np.zeros((1, 7, 189), np.int8), 1 / 127)  # of 3 classes
    assert is_end_to_end(raw_head) == (True, False)
    assert is_end_to_end(raw_head, box_order="xywh") == (True, True)
    processor = n6post.YoloV8(0.3)
    head = Tensor(np.zeros((1, 189, 6), np.int8), 1 / 127)
    model = FakeModel([head], (96, 96))
    for _ in range(2):
        assert model.run(processor) == [] and not processor._binding.is_final
    raw = float_head((96, 96), 2, [Thing(100, (24, 36, 72, 60), {1: 0.9})], pixels=False)
    head.values[:] = np.round(raw.transpose(0, 2, 1) * 127)
    (d,) = model.run(processor)
    assert d.class_id == 1 and np.abs(np.subtract(d.rect, (24, 36, 48, 24))).max() <= 1 and processor._binding.is_final


def poses_of(count: int) -> Array:
    """30 rows with 3 keypoints, the first `count` of them people."""
    rows = np.zeros((30, 15), np.float32)
    for i in range(count):
        x, y = 2 * i + 1.5, 2 * i + 2.5
        rows[i] = [x, y, x + 29, y + 38, 0.9 - i / 50, 0] + [x + 19, y + 18, 0.8] * 3
    return rows


def test_row_order_of_poses_is_resolved_by_descending_scores() -> None:
    """[1, 15, 30], stored column by column: 30 rows with 3 keypoints, or 15 rows with 8 whose classes are all 0."""
    right = [(2 * i + 1, 2 * i + 2, 29, 38) for i in range(9)]
    head = Tensor(np.ascontiguousarray(poses_of(5).T[None]))
    model, processor = FakeModel([head], SMALL), n6post.YoloV8Pose(box_units="pixels", threshold=0.5)
    for count in (5, 9, 5):
        head.values[0] = poses_of(count).T
        assert [d.rect for d in model.run(processor)] == [pytest.approx(rect, abs=1) for rect in right[:count]]
        assert processor._binding.is_final


@pytest.mark.parametrize("turned", [False, True])
def test_poses_sorted_in_both_orders_leave_the_layout_open(turned: bool) -> None:
    head = Tensor(np.ones((1, 15, 30) if turned else (1, 30, 15), np.float32))
    model, processor = FakeModel([head], SMALL), n6post.YoloV8Pose(box_units="pixels", threshold=0.5)
    model.run(processor)
    assert not processor._binding.is_final
    head.values[0] = poses_of(5).T if turned else poses_of(5)
    assert [d.rect for d in model.run(processor)] == [pytest.approx((2 * i + 1, 2 * i + 2, 29, 38), abs=1) for i in range(5)]
    assert processor._binding.is_final


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("scale", "scores"), [(0.9, True), (2.51, False)])
def test_poses_in_steps_of_a_pixel_are_not_read_transposed(scale: float, scores: bool, turned: bool) -> None:
    """[1, 300, 57] in int8: two people are left of all others, so the transpose reads as 57 boxes with scores in pixels."""
    rows = np.zeros((300, 57), np.float32)
    for i in range(300):
        x = y = 4 if i < 2 else 180
        rows[i] = [x, y, x + 60, y + 60, 0.95 - i / 1000, 0] + [x + 9, y + 30, 0.9] * 17
    values = np.clip(np.round(rows / scale) - 128, -128, 127).astype(np.int8)
    head = Tensor(np.ascontiguousarray(values.T if turned else values)[None], scale, -128)
    processor = n6post.YoloV8Pose(0.5, box_units="pixels")
    found = FakeModel([head], (256, 256)).run(processor)
    assert [d.score for d in found] == ([pytest.approx(0.9)] * 20 if scores else [])
    assert processor._binding.is_final


@pytest.mark.parametrize(("kind", "shape"), [(n6post.YoloV8, (1, 300, 6)), (n6post.YoloV8Pose, (1, 15, 30))])
def test_constant_first_frame_without_a_class_id_leaves_the_layout_open(
    kind: Any, shape: tuple[int, ...]
) -> None:
    head = Tensor(np.full(shape, 0.1, np.float32))
    model, processor = FakeModel([head], SMALL), kind(0.5, box_units="pixels")
    assert model.run(processor) == [] and not processor._binding.is_final
    head.values[:] = 0
    head.values[0, 0, :6] = 8, 9, 40, 30, 0.9, 2
    if shape[2] == 30:
        head.values[0] = poses_of(5).T
    found = model.run(processor)
    assert len(found) == (5 if shape[2] == 30 else 1) and processor._binding.is_final


def test_rows_with_scores_win_over_rows_without() -> None:
    """Four poses in 30 rows. In the other order all scores are 0."""
    rows = np.zeros((30, 15), np.float32)
    for i in range(4):
        rows[i] = [2 * i + 1, 2 * i + 2, 2 * i + 30, 2 * i + 40, 0.9 - i / 50, 0] + [2 * i + 20, 2 * i + 20, 0.8] * 3
    for values in (rows, np.ascontiguousarray(rows.T)):
        processor = n6post.YoloV8Pose(box_units="pixels", threshold=0.5)
        found = FakeModel([Tensor(values[None])], SMALL).run(processor)
        assert [d.rect for d in found] == [(2 * i + 1, 2 * i + 2, 29, 38) for i in range(4)]
        assert processor._binding.is_final


@pytest.mark.parametrize(("scale", "limit"), [(0.0, 0.05), (0.004, 0.052), (0.1, 0.1), (0.5, 0.3), (0.9, 0.5), (3.0, 0.5)])
def test_class_id_tolerance_is_half_a_step_but_below_half_a_class(scale: float, limit: float) -> None:
    values = np.zeros((1, 4, 6), np.int8 if scale else np.float32)
    model = FakeModel([Tensor(values, scale)], SMALL)
    assert OutputTensor(model, 0, model.outputs()[0]).class_tolerance() == pytest.approx(limit)


# --- prototypes ---
@pytest.mark.parametrize("picture", ["astronaut", "coffee"])
@pytest.mark.parametrize("is_float", [False, True])
def test_prototypes_with_equal_sides_are_resolved_by_smoothness(picture: str, is_float: bool) -> None:
    """[1, 32, 32, 32] of a 128 x 128 input."""
    recording = recorded.load("yolov8n_seg_320", picture)
    head, protos = recording.tensors
    size = (128, 128)
    head = head._replace(values=first_anchors(head, recording.size, list(range(116)), size))
    protos = protos._replace(values=np.ascontiguousarray(protos.values[:, 20:52, 20:52]))
    if is_float:
        head, protos = head.dequantized(), protos.dequantized()
    assert protos.values.shape == (1, 32, 32, 32) and head.values.shape[2] == anchor_count(size)
    results = []
    for one in (protos, protos.reordered(0, 3, 1, 2)):
        processor = n6post.YoloV8Seg(0.2)
        results.append(contents(FakeModel([head, one], size).run(processor)))
        assert processor._binding.is_final
    assert results[0] == results[1] != []


@pytest.mark.parametrize("planar", [False, True])
def test_constant_prototypes_leave_their_layout_open(planar: bool) -> None:
    """[1, 32, 32, 32] of a 128 x 128 input: the first frame with prototypes resolves their order."""
    size = (128, 128)
    planes = np.zeros((1, 32, 32, 32), np.float32) - 1
    planes[0, 4:12, 6:20, 3] = 1  # row, column, coefficient
    stored = np.ascontiguousarray(planes.transpose(0, 3, 1, 2)) if planar else planes
    head = float_head(size, 1, [Thing(9, (0, 0, 128, 128), {0: 0.9}, [0, 0, 0, 1])], 32)
    protos = np.zeros_like(stored)
    model, processor = FakeModel([Tensor(head), Tensor(protos)], size), n6post.YoloV8Seg()
    for _ in range(2):
        assert model.run(processor) == [] and not processor._binding.is_final
    protos[:] = stored
    assert [d.mask._parts()[2] + (d.mask.area,) for d in model.run(processor)] == [(0, 0, 32, 32, 16 * 8 * 14)]
    assert processor._binding.is_final
    protos[:] = 0
    assert model.run(processor) == [] and processor._binding.is_final


@pytest.mark.parametrize(("rows", "keypoint_count", "size"), [(20, 8, (96, 64)), (11, 8, (96, 64)), (50, 61, (96, 96))])
def test_end_to_end_poses_in_the_shape_of_a_raw_head_are_detected(
    rows: int, keypoint_count: int, size: tuple[int, int]
) -> None:
    """[1, 20, 30] may be 30 anchors of an input of 96 x 64, or 20 rows of 8 keypoints; [1, 50, 189] alike."""
    random = np.random.default_rng(3)
    head = np.zeros((rows, 6 + 3 * keypoint_count), np.float32)
    head[:, :2] = random.uniform(0, 30, (rows, 2))
    head[:, 2:4] = head[:, :2] + random.uniform(8, 30, (rows, 2))
    head[:, 4] = np.sort(random.uniform(0.1, 0.95, rows))[::-1]
    head[:, 6:] = random.uniform(0, 60, (rows, 3 * keypoint_count))
    head[:, 8::3] = random.uniform(0, 1, (rows, keypoint_count))
    found = FakeModel([Tensor(head[None])], size).run(n6post.YoloV8Pose(0.4, max_detections=100))
    wanted = head[head[:, 4] >= 0.4]
    assert [d.score for d in found] == pytest.approx(wanted[:, 4].tolist())
    assert [d.keypoints[0, 0] for d in found] == pytest.approx(wanted[:, 6].tolist(), rel=1e-5)


@pytest.mark.parametrize(("channels", "size"), [(20, (96, 64)), (56, (96, 96)), (17, (96, 96))])
@pytest.mark.parametrize("pixels", [False, True])
def test_raw_poses_in_the_shape_of_end_to_end_rows_stay_raw(channels: int, size: tuple[int, int], pixels: bool) -> None:
    count = {(96, 64): 30, (96, 96): 189}[size]
    random = np.random.default_rng(4)
    head = np.zeros((channels, count), np.float32)
    head[0], head[1] = random.uniform(0, size[0], count), random.uniform(0, size[1], count)
    head[2:4] = random.uniform(5, 60, (2, count))
    head[4] = random.uniform(0, 0.05, count)
    head[5:] = random.uniform(0, size[0], (channels - 5, count))
    head[7::3] = random.uniform(0, 1, head[7::3].shape)
    head[:5, 7] = 30, 30, 20, 20, 0.9
    if not pixels:
        keep = head[7::3].copy(), head[4].copy()
        head /= size[0]
        head[1], head[3] = head[1] * size[0] / size[1], head[3] * size[0] / size[1]
        head[7::3], head[4] = keep
    (d,) = FakeModel([Tensor(head[None])], size).run(n6post.YoloV8Pose(0.4))
    assert d.rect == (20, 20, 20, 20) and len(d.keypoints) == (channels - 5) // 3


def test_resolved_prototypes_do_not_finalize_an_open_head() -> None:
    """A float head of zeros leaves the box unit open."""
    size = (128, 128)
    head = np.zeros((1, 4 + 1 + 32, anchor_count(size)), np.float32)
    protos = np.random.default_rng(1).normal(size=(1, 32, 32, 32)).astype(np.float32)
    model, processor = FakeModel([Tensor(head), Tensor(protos)], size), n6post.YoloV8Seg()
    assert model.run(processor) == [] and not processor._binding.is_final
    head[:] = float_head(size, 1, [Thing(9, (20, 30, 60, 90), {0: 0.9}, [1] * 32)], 32)
    assert [d.rect for d in model.run(processor)] == [(20, 30, 40, 60)] and processor._binding.is_final


@pytest.mark.parametrize("shape", [(1, 1, 1, 32), (1, 32, 1, 1)])
@pytest.mark.parametrize("head", [(1, 116, 2100), (1, 116, 2100, 1), (1, 300, 38)])
@pytest.mark.parametrize("swapped", [False, True])
def test_error_names_prototypes_of_one_pixel(
    shape: tuple[int, ...], head: tuple[int, ...], swapped: bool
) -> None:
    tensors = [Tensor(np.zeros(head, np.float32)), Tensor(np.zeros(shape, np.float32))]
    model = FakeModel(tensors[::-1] if swapped else tensors, (320, 320))
    with pytest.raises(ValueError, match=r"expected prototypes .*more than one pixel.*, got \(1, \d+, 1, \d+\)$"):
        model.run(n6post.YoloV8Seg())


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("slope", [1, 3])
def test_prototypes_with_a_steady_slope_are_resolved_by_neighbors(slope: int, down: bool) -> None:
    """Neighbors on a ramp of 32 columns or rows differ by `slope`, channels by 9."""
    ramp = slope * np.arange(32, dtype=np.float32)
    planes = np.zeros((32, 32, 32), np.float32) + (ramp[:, None] if down else ramp)  # channel, row, column
    planes += 9 * (np.arange(32) % 2)[:, None, None]
    for array, first in ((planes, True), (np.ascontiguousarray(planes.transpose(1, 2, 0)), False)):
        model = FakeModel([Tensor(array[None])], (128, 128))
        out = model.outputs()[0]
        assert layout_probe.cube_layout(OutputTensor(model, 0, out), out) == ((32, 1024, first), True)


# --- errors ---
@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((1, 300, 7), r"got \(1, 300, 7\): 300 rows, but of another family"),
        ((1, 6300, 7), r"got \(1, 6300, 7\): three boxes per anchor, as in YOLOv5: use n6post.YoloV5\(\)$"),
        ((1, 84, 1000), r"got \(1, 84, 1000\)$"),
        ((1, 84, 2101), "2100 or 8500 or 2125 or 500 anchors"),
        ((1, 320, 320), r"\(320, 320\), or an end-to-end head \[1, rows, 6 .*, got \(1, 320, 320\)$"),
        ((1, 80, 80, 32), r"got \(1, 80, 80, 32\)$"),
    ],
)
def test_unsupported_head_is_refused_with_a_hint(shape: tuple[int, ...], hint: str) -> None:
    with pytest.raises(ValueError, match="expected a head .*" + hint):
        FakeModel([Tensor(np.ones(shape, np.float32))], (320, 320)).run(n6post.YoloV8())


def test_three_boxes_per_anchor_are_recognized_for_every_size() -> None:
    with pytest.raises(ValueError, match=r"got \(1, 378, 7\): three boxes per anchor, as in YOLOv5: use n6post.YoloV5\(\)$"):
        FakeModel([Tensor(np.ones((1, 378, 7), np.float32))], (96, 64)).run(n6post.YoloV8())
