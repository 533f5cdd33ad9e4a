"""lib/n6post/heads.py: what shapes leave open, told by the numbers of a frame."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
import recorded
from checks import contents
from fakes import Array, FakeModel, Tensor
from n6post import heads
from n6post.quant import Output
from scenes import Thing, anchor_count, float_head
from ulab import _host

SMALL = (64, 64)  # 84 anchors; 20 with strides of 16 and 32 alone


def first_anchors(tensor: Tensor, size: tuple[int, int], channels: list[int], into: tuple[int, int]) -> Array:
    """Of a recorded head [1, C, N] these channels, and of its cells every so many: a head of a smaller input.

    Its middle cell is the one with the best score.
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
def test_as_many_channels_as_anchors_are_told_by_where_the_boxes_centres_are(model: str, picture: str, kind: str) -> None:
    """COCO's 80 classes on 64 x 64: [1, 84, 84]."""
    recording = recorded.load(model, picture)
    tensor = recording.tensors[0]
    head = tensor._replace(values=first_anchors(tensor, recording.size, list(range(84)), SMALL))
    if kind != "int8":
        head = head.dequantised()
    if kind == "pixels":
        head.values[:, :4] *= 64
    results = []
    for one in (head, head.reordered(0, 2, 1)):
        assert one.values.shape == (1, 84, 84)
        processor = n6post.YoloV8(0.1)
        results.append(contents(FakeModel([one], SMALL).run(processor)))
        assert processor._setup.channels_first == (one is head) and processor._setup.settled
    assert results[0] == results[1]


def test_the_network_that_a_label_says_is_found_in_both_orders() -> None:
    tensor = recorded.load("yolov8n_seg_320", "astronaut").tensors[0]
    head = tensor._replace(values=first_anchors(tensor, (320, 320), list(range(84)), SMALL))
    for one in (head, head.reordered(0, 2, 1)):
        found = FakeModel([one], SMALL).run(n6post.YoloV8(0.3))
        assert "person" in [d.label for d in found]


def test_twenty_channels_that_could_be_the_anchors_of_larger_strides_are_told_by_the_numbers() -> None:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    head, size = recording.tensors[0], recording.size
    few = head._replace(values=first_anchors(head, size, list(range(20)), SMALL))  # 16 classes
    for one in (few, few.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.1)
        FakeModel([one], SMALL).run(processor)
        assert (processor._setup.channels, processor._setup.anchors) == (20, 84)
    tiny = head._replace(values=np.ascontiguousarray(first_anchors(head, size, list(range(84)), SMALL)[..., 64:]))
    for one in (tiny, tiny.reordered(0, 2, 1)):
        processor = n6post.YoloV8(0.1)
        FakeModel([one], SMALL).run(processor)
        assert (processor._setup.channels, processor._setup.anchors) == (84, 20)


@pytest.mark.parametrize("constant", [0.0, 0.25, 1.0])
def test_a_square_head_of_one_number_decides_nothing_for_ever(constant: float) -> None:
    tensor = recorded.load("yolov8n_seg_320", "astronaut").tensors[0]
    head = tensor._replace(values=first_anchors(tensor, (320, 320), list(range(84)), SMALL)).dequantised()
    head = head.reordered(0, 2, 1)
    full = head.values.copy()
    head.values[:] = constant
    model = FakeModel([head], SMALL)
    processor = n6post.YoloV8(0.3, pixels=False)
    assert bool(model.run(processor)) == (constant > 0.3) and not processor._setup.settled
    head.values[:] = full
    assert "person" in [d.label for d in model.run(processor)]


def test_the_centres_tell_and_no_width_has_a_say() -> None:
    """Thin boxes, and two first anchors that are .45 of every class: more than a third of a centre's .5 twice."""
    head = np.zeros((84, 84), np.float32)
    head[:2], head[2:4] = 0.5, 0.03
    head[4:, :2] = 0.45
    for values, channels_first in ((head, True), (np.ascontiguousarray(head.T), False)):
        processor = n6post.YoloV8(0.3, pixels=False)
        FakeModel([Tensor(values[None])], SMALL).run(processor)
        assert (processor._setup.channels_first, processor._setup.settled) == (channels_first, True)


@pytest.mark.parametrize(("other", "anchors"), [(0.3, 84), (0.55, 20)])
def test_rarer_strides_have_to_be_twice_as_good(other: float, anchors: int) -> None:
    """[1, 20, 84] of a 64 x 64 input: 84 anchors of 16 classes, or 20 of the strides 16 and 32 with centres at `other`."""
    head = np.zeros((20, 84), np.float32)
    head[:2] = 0.2
    head[:, :2] = other
    ratio = head[:, :2].mean() / head[:2].mean()
    assert 1.4 < ratio < 1.6 if anchors == 84 else 2.5 < ratio < 3
    processor = n6post.YoloV8(0.9, pixels=False)
    FakeModel([Tensor(head[None])], SMALL).run(processor)
    assert processor._setup.anchors == anchors


# --- rows or a raw head ------------------------------------------------------------------------------------------------
def rows_of(*rows: tuple[float, ...]) -> Tensor:
    """[1, 189, 6] of a 96 x 96 input: a raw head of two classes, or rows of an end-to-end one."""
    head = np.zeros((1, 189, 6), np.float32)
    head[0, : len(rows)] = rows
    return Tensor(head)


def is_end_to_end(tensor: Tensor, **options: object) -> tuple[bool, bool]:
    """(read as rows?, settled?)."""
    processor = n6post.YoloV8(**options)  # type: ignore[arg-type]
    FakeModel([tensor], (96, 96)).run(processor)
    return processor._setup.classes > 2, processor._setup.settled


def test_small_boxes_of_class_0_in_0_to_1_are_rows_too() -> None:
    """Every number of theirs is below 1, and so is the sum of their squares."""
    rows = [(0.1, 0.1, 0.2, 0.2, 0.6, 0), (0.3, 0.3, 0.4, 0.35, 0.5, 0), (0.5, 0.1, 0.55, 0.2, 0.45, 0)]
    assert is_end_to_end(rows_of(*rows)) == (True, True)


def test_two_rows_are_an_end_to_end_head_only_with_the_better_score_first() -> None:
    one, other = (8, 8, 40, 40, 0.9, 1), (50, 50, 90, 90, 0.3, 0)
    nothing = (0, 0, 0, 0, 0, 0)  # of 189 rows every other one is looked at
    assert is_end_to_end(rows_of(one, nothing, other)) == (True, True)
    assert is_end_to_end(rows_of(other, nothing, one))[0] is False
    assert is_end_to_end(rows_of(other)) == (True, True)


@pytest.mark.parametrize("constant", [0.0, 0.25, 1.0])
def test_one_number_everywhere_does_not_tell_rows_from_a_raw_head(constant: float) -> None:
    raw = Tensor(float_head((96, 96), 2, [Thing(70, (8, 8, 40, 48), {1: 0.9})]))
    rows = rows_of((8, 8, 40, 48, 0.9, 1), (0, 0, 0, 0, 0, 0), (50, 50, 90, 90, 0.3, 0))
    for head in (raw, rows):
        model = FakeModel([Tensor(np.full_like(head.values, constant))], (96, 96))
        processor = n6post.YoloV8(0.5)
        model.run(processor)
        assert not processor._setup.settled
        model.tensors[0].values[:] = head.values
        assert [(d.rect, d.class_id) for d in model.run(processor)] == [((8, 8, 32, 40), 1)]


def test_a_raw_head_that_begins_and_ends_with_the_same_number_is_told_at_once() -> None:
    head = float_head((96, 96), 2, [Thing(70, (8, 8, 40, 48), {1: 0.9})])
    head[0, -1, -1] = head[0, 0, 0]
    processor = n6post.YoloV8(0.5)
    FakeModel([Tensor(head)], (96, 96)).run(processor)
    assert processor._setup.settled and processor._setup.classes == 2


def test_a_row_speaks_whatever_its_corners_are() -> None:
    """Two of three rows end above their beginning: no corners, also where y1 is the largest number of a row by far."""
    upside_down = (0.5, 80, 1, 2, 0.8, 0)
    nothing = (0, 0, 0, 0, 0, 0)
    rows = [(8, 8, 40, 40, 0.9, 1), nothing, upside_down, nothing, upside_down]
    assert is_end_to_end(rows_of(*rows))[0] is False


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", range(6))
def test_a_row_with_a_number_that_is_none_tells_nothing(column: int, value: float) -> None:
    """Neither that rows are no rows, by a class of 1.5, corners upside down and a score above the one before it ..."""
    good, worse, nothing = (8, 8, 40, 40, 0.3, 1), (50, 50, 90, 90, 0.2, 0), (0, 0, 0, 0, 0, 0)
    strange = [40.0, 40.0, 8.0, 8.0, 0.35, 1.5]
    strange[column] = value
    with np.errstate(invalid="ignore"):
        assert is_end_to_end(rows_of(good, nothing, tuple(strange), nothing, worse)) == (True, True)
        # ... nor that they are some, where the only other one speaks against it.
        assert is_end_to_end(rows_of((8, 8, 40, 40, 0.3, 1.5), nothing, tuple(strange)))[0] is False


@pytest.mark.parametrize("number", [-1, -0.6, 0.5, 1.2])
def test_rows_whose_class_is_no_number_of_one_are_none(number: float) -> None:
    rows = [(8, 8, 40, 40, 0.9 - k / 100, number) for k in range(9)]
    assert is_end_to_end(rows_of(*rows))[0] is False


def test_a_pose_of_zeros_whose_shape_has_two_readings_as_rows_and_one_as_a_raw_head_decides_nothing() -> None:
    """[1, 57, 84] of a 64 x 64 input: 84 anchors, 84 rows with 17 keypoints, or 57 rows with 26."""
    processor = n6post.YoloV8Pose()
    model = FakeModel([Tensor(np.zeros((1, 57, 84), np.float32))], SMALL)
    assert model.run(processor) == [] and not processor._setup.settled
    model.tensors = [Tensor(float_head(SMALL, 2, [Thing(3, (8, 8, 40, 48), {1: 0.9}, [9, 9, 0.9] * 17)], 51))]
    quantised = n6post.YoloV8Pose()  # whose boxes can only be in 0..1: nothing but the reading is open
    assert FakeModel([Tensor(np.zeros((1, 57, 84), np.int8), 0.004)], SMALL).run(quantised) == []
    assert not quantised._setup.settled
    processor.class_count = 2
    assert [(d.rect, d.class_id) for d in model.run(processor)] == [((8, 8, 32, 40), 1)]


def test_zeros_settle_what_has_one_reading_and_nothing_else() -> None:
    """In integers that hold boxes in 0..1 alone. [1, 189, 6] of 96 x 96: 189 rows, or 189 anchors of two classes."""
    zeros = np.zeros((1, 300, 6), np.int8)
    assert is_end_to_end(Tensor(zeros, 1 / 127)) == (True, True)
    assert is_end_to_end(Tensor(np.zeros((1, 7, 189), np.int8), 1 / 127)) == (True, True)  # classes, of which it has 3
    processor = n6post.YoloV8(0.3)
    head = Tensor(np.zeros((1, 189, 6), np.int8), 1 / 127)
    model = FakeModel([head], (96, 96))
    for _ in range(2):
        assert model.run(processor) == [] and not processor._setup.settled
    raw = float_head((96, 96), 2, [Thing(100, (24, 36, 72, 60), {1: 0.9})], pixels=False)
    head.values[:] = np.round(raw.transpose(0, 2, 1) * 127)
    (d,) = model.run(processor)
    assert d.class_id == 1 and np.abs(np.subtract(d.rect, (24, 36, 48, 24))).max() <= 1 and processor._setup.settled


def poses_of(count: int) -> Array:
    """30 rows with 3 keypoints, the first `count` of them people."""
    rows = np.zeros((30, 15), np.float32)
    for i in range(count):
        x, y = 2 * i + 1.5, 2 * i + 2.5
        rows[i] = [x, y, x + 29, y + 38, 0.9 - i / 50, 0] + [x + 19, y + 18, 0.8] * 3
    return rows


def test_five_poses_that_could_be_rows_in_either_order_are_told_by_the_order_of_their_scores() -> None:
    """[1, 15, 30], stored column by column: 30 rows with 3 keypoints, or 15 rows with 8, whose classes are all 0."""
    right = [(2 * i + 1, 2 * i + 2, 29, 38) for i in range(9)]
    head = Tensor(np.ascontiguousarray(poses_of(5).T[None]))
    model, processor = FakeModel([head], SMALL), n6post.YoloV8Pose(pixels=True, threshold=0.5)
    for count in (5, 9, 5):
        head.values[0] = poses_of(count).T
        assert [d.rect for d in model.run(processor)] == [pytest.approx(rect, abs=1) for rect in right[:count]]
        assert processor._setup.settled


@pytest.mark.parametrize("turned", [False, True])
def test_poses_whose_scores_are_in_order_either_way_decide_nothing_for_ever(turned: bool) -> None:
    head = Tensor(np.ones((1, 15, 30) if turned else (1, 30, 15), np.float32))
    model, processor = FakeModel([head], SMALL), n6post.YoloV8Pose(pixels=True, threshold=0.5)
    model.run(processor)
    assert not processor._setup.settled
    head.values[0] = poses_of(5).T if turned else poses_of(5)
    assert [d.rect for d in model.run(processor)] == [pytest.approx((2 * i + 1, 2 * i + 2, 29, 38), abs=1) for i in range(5)]
    assert processor._setup.settled


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(("scale", "scores"), [(0.9, True), (2.51, False)])
def test_poses_in_steps_of_a_pixel_are_not_read_across(scale: float, scores: bool, turned: bool) -> None:
    """[1, 300, 57] in int8: two people left of all others, so that across it is 57 boxes, their scores in pixels."""
    rows = np.zeros((300, 57), np.float32)
    for i in range(300):
        x = y = 4 if i < 2 else 180
        rows[i] = [x, y, x + 60, y + 60, 0.95 - i / 1000, 0] + [x + 9, y + 30, 0.9] * 17
    values = np.clip(np.round(rows / scale) - 128, -128, 127).astype(np.int8)
    head = Tensor(np.ascontiguousarray(values.T if turned else values)[None], scale, -128)
    processor = n6post.YoloV8Pose(0.5, pixels=True)
    found = FakeModel([head], (256, 256)).run(processor)
    assert [d.score for d in found] == ([pytest.approx(0.9)] * 20 if scores else [])
    assert processor._setup.settled


@pytest.mark.parametrize(("kind", "shape"), [(n6post.YoloV8, (1, 300, 6)), (n6post.YoloV8Pose, (1, 15, 30))])
def test_a_first_frame_of_one_number_that_is_no_class_is_not_refused_and_decides_nothing(
    kind: Any, shape: tuple[int, ...]
) -> None:
    head = Tensor(np.full(shape, 0.1, np.float32))
    model, processor = FakeModel([head], SMALL), kind(0.5, pixels=True)
    assert model.run(processor) == [] and not processor._setup.settled
    head.values[:] = 0
    head.values[0, 0, :6] = 8, 9, 40, 30, 0.9, 2
    if shape[2] == 30:
        head.values[0] = poses_of(5).T
    found = model.run(processor)
    assert len(found) == (5 if shape[2] == 30 else 1) and processor._setup.settled


def test_rows_without_a_score_are_no_rival_of_rows_that_have_some() -> None:
    """Four poses of 30 rows: read in the other order all scores are 0."""
    rows = np.zeros((30, 15), np.float32)
    for i in range(4):
        rows[i] = [2 * i + 1, 2 * i + 2, 2 * i + 30, 2 * i + 40, 0.9 - i / 50, 0] + [2 * i + 20, 2 * i + 20, 0.8] * 3
    for values in (rows, np.ascontiguousarray(rows.T)):
        processor = n6post.YoloV8Pose(pixels=True, threshold=0.5)
        found = FakeModel([Tensor(values[None])], SMALL).run(processor)
        assert [d.rect for d in found] == [(2 * i + 1, 2 * i + 2, 29, 38) for i in range(4)]
        assert processor._setup.settled


@pytest.mark.parametrize(("scale", "limit"), [(0.0, 0.05), (0.004, 0.052), (0.1, 0.1), (0.5, 0.3), (0.9, 0.5), (3.0, 0.5)])
def test_a_class_number_may_be_half_a_step_off_but_not_half_a_class(scale: float, limit: float) -> None:
    values = np.zeros((1, 4, 6), np.int8 if scale else np.float32)
    model = FakeModel([Tensor(values, scale)], SMALL)
    assert heads.tolerance(Output(model, 0, model.outputs()[0])) == pytest.approx(limit)


# --- prototypes ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("picture", ["astronaut", "coffee"])
@pytest.mark.parametrize("is_float", [False, True])
def test_prototypes_of_three_equal_sides_are_told_by_what_resembles_its_neighbour(picture: str, is_float: bool) -> None:
    """[1, 32, 32, 32] of a 128 x 128 input."""
    recording = recorded.load("yolov8n_seg_320", picture)
    head, protos = recording.tensors
    size = (128, 128)
    head = head._replace(values=first_anchors(head, recording.size, list(range(116)), size))
    protos = protos._replace(values=np.ascontiguousarray(protos.values[:, 20:52, 20:52]))
    if is_float:
        head, protos = head.dequantised(), protos.dequantised()
    assert protos.values.shape == (1, 32, 32, 32) and head.values.shape[2] == anchor_count(size)
    results = []
    for one in (protos, protos.reordered(0, 3, 1, 2)):
        processor = n6post.YoloV8Seg(0.2)
        results.append(contents(FakeModel([head, one], size).run(processor)))
        assert processor._setup.settled
    assert results[0] == results[1] != []


@pytest.mark.parametrize("planar", [False, True])
def test_prototypes_of_one_number_decide_nothing_for_ever(planar: bool) -> None:
    """[1, 32, 32, 32] of a 128 x 128 input: the first frame that has prototypes tells their order, and then it stays."""
    size = (128, 128)
    planes = np.zeros((1, 32, 32, 32), np.float32) - 1
    planes[0, 4:12, 6:20, 3] = 1  # row, column, coefficient
    stored = np.ascontiguousarray(planes.transpose(0, 3, 1, 2)) if planar else planes
    head = float_head(size, 1, [Thing(9, (0, 0, 128, 128), {0: 0.9}, [0, 0, 0, 1])], 32)
    protos = np.zeros_like(stored)
    model, processor = FakeModel([Tensor(head), Tensor(protos)], size), n6post.YoloV8Seg()
    for _ in range(2):
        assert [d.mask.area for d in model.run(processor)] == [0] and not processor._setup.settled
    protos[:] = stored
    assert [d.mask.crop + (d.mask.area,) for d in model.run(processor)] == [(0, 0, 32, 32, 16 * 8 * 14)]
    assert processor._setup.settled
    protos[:] = 0
    assert [d.mask.area for d in model.run(processor)] == [0] and processor._setup.settled


def test_prototypes_that_tell_their_order_do_not_settle_what_the_head_leaves_open() -> None:
    """A float head of zeros does not tell whether boxes are pixels."""
    size = (128, 128)
    head = np.zeros((1, 4 + 1 + 32, anchor_count(size)), np.float32)
    protos = np.random.default_rng(1).normal(size=(1, 32, 32, 32)).astype(np.float32)
    model, processor = FakeModel([Tensor(head), Tensor(protos)], size), n6post.YoloV8Seg()
    assert model.run(processor) == [] and not processor._setup.settled
    head[:] = float_head(size, 1, [Thing(9, (20, 30, 60, 90), {0: 0.9}, [1] * 32)], 32)
    assert [d.rect for d in model.run(processor)] == [(20, 30, 40, 60)] and processor._setup.settled


@pytest.mark.parametrize("shape", [(1, 1, 1, 32), (1, 32, 1, 1)])
@pytest.mark.parametrize("head", [(1, 116, 2100), (1, 116, 2100, 1), (1, 300, 38)])
@pytest.mark.parametrize("swapped", [False, True])
def test_prototypes_of_one_pixel_are_what_the_error_is_about(
    shape: tuple[int, ...], head: tuple[int, ...], swapped: bool
) -> None:
    tensors = [Tensor(np.zeros(head, np.float32)), Tensor(np.zeros(shape, np.float32))]
    model = FakeModel(tensors[::-1] if swapped else tensors, (320, 320))
    with pytest.raises(ValueError, match=r"expected prototypes .*more than one pixel.*, got \(1, \d+, 1, \d+\)$"):
        model.run(n6post.YoloV8Seg())


@pytest.mark.parametrize("down", [False, True])
@pytest.mark.parametrize("slope", [1, 3])
def test_prototypes_that_rise_steadily_across_the_picture_are_told_by_their_neighbours(slope: int, down: bool) -> None:
    """A ramp of 32 columns or rows is far from its first, and near its neighbours; channels differ by 9."""
    ramp = slope * np.arange(32, dtype=np.float32)
    planes = np.zeros((32, 32, 32), np.float32) + (ramp[:, None] if down else ramp)  # channel, row, column
    planes += 9 * (np.arange(32) % 2)[:, None, None]
    for array, last in ((planes, False), (np.ascontiguousarray(planes.transpose(1, 2, 0)), True)):
        model = FakeModel([Tensor(array[None])], (128, 128))
        out = model.outputs()[0]
        assert heads.channels_last(Output(model, 0, out), out) == (last, True)


def test_prototypes_that_are_all_alike_count_as_nhwc_for_now() -> None:
    out = _host.wrap(np.ones((1, 32, 32, 32), np.float32))
    assert heads.channels_last(Output(FakeModel([Tensor(out._np)], (128, 128)), 0, out), out) == (True, False)


# --- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("shape", "hint"),
    [
        ((1, 300, 7), r"got \(1, 300, 7\): 300 rows, but of another family"),
        ((1, 6300, 7), r"got \(1, 6300, 7\): three boxes an anchor, as YOLOv5 and older have them$"),
        ((1, 84, 1000), r"got \(1, 84, 1000\)$"),
        ((1, 84, 2101), "2100 or 8500 or 2125 or 500 anchors"),
        ((1, 320, 320), r"\(320, 320\), or an end-to-end head \[1, rows, 6 .*, got \(1, 320, 320\)$"),
        ((1, 80, 80, 32), r"got \(1, 80, 80, 32\)$"),
    ],
)
def test_a_head_of_no_kind_is_refused_with_what_was_expected_and_a_hint(shape: tuple[int, ...], hint: str) -> None:
    with pytest.raises(ValueError, match="expected a head .*" + hint):
        FakeModel([Tensor(np.ones(shape, np.float32))], (320, 320)).run(n6post.YoloV8())


def test_three_boxes_an_anchor_are_told_for_every_size() -> None:
    with pytest.raises(ValueError, match=r"got \(1, 378, 7\): three boxes an anchor, as YOLOv5 and older have them$"):
        FakeModel([Tensor(np.ones((1, 378, 7), np.float32))], (96, 64)).run(n6post.YoloV8())
