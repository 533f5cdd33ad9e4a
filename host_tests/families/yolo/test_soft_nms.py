"""lib/n6post/families/yolo/soft_nms.py: which overlapping candidates remain, tested through YoloV8."""

from typing import Any

import n6post
import numpy as np
import pytest
import reference
from assertions import survivors
from fakes import FakeModel, Tensor, camera_floats
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post.kernels.params import boxes as params
from numpy.testing import assert_allclose
from synthetic_heads import Thing, float_head

pytestmark = pytest.mark.both_firmwares

SIZE = (256, 256)  # 1344 anchors
Box = tuple[float, float, float, float]

A: Box = (0, 0, 100, 100)
HALF: Box = (0, 0, 100, 200)  # IoU with A exactly 1/2
FAR: Box = (180, 10, 250, 60)


def remaining(*things: tuple[Box, float, int], **options: Any) -> list[tuple[int, float]]:
    """(index, score) of the detections that remain of (box, score, class) triples at ascending anchors."""
    anchored = [Thing(10 + 3 * i, box, {class_id: score}) for i, (box, score, class_id) in enumerate(things)]
    processor = n6post.YoloV8(**{"threshold": 0.1, **options})
    found = FakeModel([Tensor(float_head(SIZE, 4, anchored))], SIZE).run(processor)
    rows = survivors(processor)
    assert [d.score for d in found] == pytest.approx([row[2] for row in rows])
    return [((row[0] - 10) // 3, row[2]) for row in rows]


def kept(*things: tuple[Box, float, int], **options: Any) -> list[int]:
    return [index for index, _ in remaining(*things, **options)]


# --- hard ---
def test_the_better_of_two_overlapping_boxes_is_kept() -> None:
    assert kept((A, 0.5, 0), (A, 0.8, 0), (FAR, 0.3, 0)) == [1, 2]


def test_an_iou_equal_to_the_threshold_does_not_suppress() -> None:
    assert kept((A, 0.9, 0), (HALF, 0.8, 0), iou_threshold=0.5) == [0, 1]
    assert kept((A, 0.9, 0), (HALF, 0.8, 0), iou_threshold=0.4999) == [0]


TWENTIETHS = [n / 20 for n in range(1, 20)]


@pytest.mark.parametrize("written", TWENTIETHS)
def test_iou_threshold_means_the_same_number_on_a_camera(written: float) -> None:
    """An IoU of 9/10 of int8 boxes is not above a threshold of .9, also with the camera's .9; 91/100 is."""
    width = round(100 * written)
    head = np.zeros((1, 6, 84), np.int16)
    for anchor, (w, class_id) in enumerate(((100, 0), (width, 0), (100, 1), (width + 1, 1))):
        # The narrower box lies inside the wider one and is as high: the IoU is the ratio of the widths.
        head[0, :4, anchor] = 128, 128, w, 20
        head[0, 4 + class_id, anchor] = 250 - anchor
    model = FakeModel([Tensor((head - 128).astype(np.int8), 1 / 255, -128)], (64, 64))
    for threshold in (written, *camera_floats(written)):
        processor = n6post.YoloV8(0.3, iou_threshold=threshold)
        model.run(processor)
        assert [row[0] for row in survivors(processor)] == [0, 1, 2]


def test_iou_comparison_uses_the_same_number_on_every_machine() -> None:
    """Whatever fills the lost bits of a threshold, it is not below the number that was written."""
    for written in [n / 1000 for n in range(1001)]:
        stored = {bytes(params.suppress(0, t, 0, 20, 300)) for t in (written, *camera_floats(written))}
        assert len(stored) == 1
        (block,) = stored
        assert np.frombuffer(block, np.float32)[1] >= np.float32(written)


@pytest.mark.parametrize("twentieths", range(1, 20))
def test_int8_boxes_are_suppressed_exactly_above_the_iou_threshold(twentieths: int) -> None:
    """For every possible union. Corners lie on half steps, so areas are multiples of a quarter."""
    stored = np.frombuffer(params.suppress(0, twentieths / 20, 0, 20, 300), np.float32)[1]
    union = np.arange(1, 255 * 255 * 4 + 1)
    most = union * twentieths // 20  # the largest intersection that does not exceed the threshold
    assert (most.astype(np.float32) / union.astype(np.float32) <= stored).all()
    assert ((most + 1).astype(np.float32) / union.astype(np.float32) > stored).all()


def test_boxes_of_another_class_are_suppressed_only_if_class_agnostic() -> None:
    """A bus does not suppress the person in front of it."""
    things = ((A, 0.9, 3), (A, 0.8, 0), (A, 0.7, 3))
    assert kept(*things) == [0, 1]
    assert kept(*things, class_agnostic=True) == [0]


def test_suppressed_box_does_not_suppress_others() -> None:
    chain = [((x, 0, x + 100, 100), score, 0) for x, score in ((0, 0.9), (40, 0.8), (80, 0.7), (120, 0.6))]
    assert kept(*chain, iou_threshold=0.4) == [0, 2]  # neighbors have IoU 60/140, the next but one 20/180


def test_equal_scores_are_sorted_by_anchor() -> None:
    things = [((20 * i, 0, 20 * i + 10, 10), 0.5, i % 2) for i in range(12)]
    assert kept(*things) == list(range(12))
    assert kept((A, 0.5, 0), (A, 0.5, 0), (A, 0.5, 0)) == [0]


def test_iou_thresholds_of_0_and_1_are_accepted() -> None:
    touching = ((0, 0, 100, 100), 0.9, 0), ((99, 99, 200, 200), 0.8, 0), ((100, 0, 200, 99), 0.7, 0)
    assert kept(*touching, iou_threshold=0) == [0, 2]  # one pixel is shared by the first two; none by the others
    assert kept((A, 0.9, 0), (A, 0.8, 0), iou_threshold=1) == [0, 1]


def test_boxes_without_area_neither_suppress_nor_are_suppressed() -> None:
    point: Box = (50, 50, 50, 50)
    line: Box = (20, 50, 80, 50)
    thin: Box = (20.4, 50.4, 80, 50.6)  # of one pixel row; the others have no pixel and are dropped afterwards
    assert kept((point, 0.9, 0), (point, 0.8, 0), (line, 0.7, 0), (A, 0.6, 0), iou_threshold=0) == [3]
    assert kept((line, 0.9, 0), (thin, 0.7, 0), iou_threshold=0) == [1]
    inside_out: Box = (80, 80, 20, 20)  # a quantized width may be negative
    assert kept((inside_out, 0.9, 0), (A, 0.8, 0), (inside_out, 0.7, 0), iou_threshold=0) == [1]


# --- limits and classes ---
def test_limits_keep_the_best_detections() -> None:
    things = [((20 * i, 0, 20 * i + 10, 10), (0.3, 0.9, 0.5, 0.9, 0.7)[i], 0) for i in range(5)]
    assert kept(*things, max_detections=3) == [1, 3, 4]
    assert kept(*things, max_candidates=3) == [1, 3, 4]
    assert kept(*things, max_detections=1, max_candidates=1) == [1]


def test_max_candidates_applies_before_and_max_detections_after_nms() -> None:
    things = [(A, 0.9, 0), (A, 0.8, 0), (FAR, 0.7, 0), (HALF, 0.6, 0)]
    assert kept(*things, max_candidates=2) == [0]
    assert kept(*things, max_candidates=3) == [0, 2]
    assert kept(*things, max_detections=2) == [0, 2]


def test_more_than_255_candidates_are_supported() -> None:
    things = [Thing(i, (i % 64 * 4, i // 64 * 12, i % 64 * 4 + 3, i // 64 * 12 + 11), {0: 0.5}) for i in range(1300)]
    model = FakeModel([Tensor(float_head(SIZE, 1, things))], SIZE)
    processor = n6post.YoloV8(0.1, max_detections=1300, max_candidates=1300)
    assert len(model.run(processor)) == 1300
    assert [row[0] for row in survivors(processor)] == list(range(1300))
    assert len(model.run(n6post.YoloV8(0.1, max_detections=1300))) == 300


def test_class_filter_applies_after_the_argmax_and_before_the_limits() -> None:
    both = Thing(5, A, {0: 0.9, 1: 0.8})
    other = Thing(6, FAR, {1: 0.3})
    model = FakeModel([Tensor(float_head(SIZE, 40, [both, other]))], SIZE)
    found = model.run(n6post.YoloV8(0.1, classes=[1, 39], max_candidates=1))
    assert [(d.class_id, d.rect) for d in found] == [(1, (180, 10, 70, 50))]
    assert model.run(n6post.YoloV8(0.1, classes=(31, 32, 39))) == []
    assert [d.class_id for d in model.run(n6post.YoloV8(0.1, classes=range(40)))] == [0, 1]


@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 64, 65, 97])
@pytest.mark.parametrize("anchors_first", [False, True])
def test_class_filter_works_for_the_first_and_last_class(count: int, anchors_first: bool) -> None:
    """The kernel gets 32 classes in a word: with 1, 33 and 65 classes the last word has one."""
    things = [Thing(5, A, {0: 0.9}), Thing(9, FAR, {count - 1: 0.8})]
    wanted = {5: 0, 9: count - 1}
    tensor = Tensor(float_head(SIZE, count, things))
    model = FakeModel([tensor.reordered(0, 2, 1) if anchors_first else tensor], SIZE)
    for classes in ([0], [count - 1], [0, count - 1], list(range(count)), list(range(0, count, 2))):
        processor = n6post.YoloV8(0.1, classes=classes)
        model.run(processor)
        expected = [(anchor, class_id) for anchor, class_id in wanted.items() if class_id in classes]
        assert [row[:2] for row in survivors(processor)] == expected
    with pytest.raises(ValueError, match=f"^classes: expected numbers below {count}, got {count}$"):
        model.run(n6post.YoloV8(0.1, classes=[0, count]))


# --- soft ---
def test_soft_nms_decays_scores_by_the_gaussian_of_the_iou() -> None:
    """Bodla et al.: s = s * exp(-iou^2 / sigma); an IoU of 1/2 and sigma 1/2 leave 60.65 %."""
    things = (A, 0.9, 0), (HALF, 0.8, 0), (FAR, 0.6, 0)
    left = remaining(*things, nms_sigma=0.5)
    assert [index for index, _ in left] == [0, 2, 1]
    assert_allclose([score for _, score in left], [0.9, 0.6, 0.8 * np.exp(-0.5)], rtol=1e-5)


def test_soft_nms_drops_scores_that_decay_below_the_threshold() -> None:
    things = (A, 0.9, 0), (A, 0.8, 0)
    assert kept(*things, nms_sigma=0.5, threshold=0.108) == [0, 1]  # .8 * exp(-2) = .10827
    assert kept(*things, nms_sigma=0.5, threshold=0.109) == [0]


@pytest.mark.parametrize(("kind", "zero_point"), [("int8", 0), ("int8", -100), ("uint8", 30), ("int16", 5)])
@pytest.mark.parametrize("threshold", [0.55, 0.3, 0.05, 0.4, 0.595])
def test_integer_score_at_the_threshold_passes_hard_and_soft_nms(
    kind: str, zero_point: int, threshold: float
) -> None:
    """Steps of 1 / 200, which no float32 hits: .55 is the 110th. The camera's own .55 may be a hair less or more."""
    steps = round(threshold * 200)
    for off, passes in ((0, True), (-1, False)):
        head = np.full((1, 5, 1344), zero_point, dtype=kind)
        head[0, :, 40] = np.array((10, 10, 6, 6, steps + off)) + zero_point
        model = FakeModel([Tensor(head, 1 / 200, zero_point)], SIZE)
        for sigma in (0, 0.5, 1e-9):
            for hair in (-4e-7, 0, 4e-7):
                found = model.run(n6post.YoloV8(threshold * (1 + hair), nms_sigma=sigma))
                assert [d.score for d in found] == pytest.approx([threshold] * passes)


@pytest.mark.parametrize(("threshold", "count"), [(0.5475, 2), (0.5485, 2), (0.5495, 1), (0.55, 1)])
def test_decayed_integer_score_is_compared_with_the_exact_threshold(threshold: float, count: int) -> None:
    """Integer scores are compared at the next step, 110 of 1 / 200. A score of 127 steps decays to 109.8, which is .549."""
    head = np.zeros((1, 5, 1344), dtype=np.int8)
    head[0, :, 40] = 50, 50, 40, 40, 127
    head[0, :, 70] = 50, 60, 40, 20, 127  # half of it: their IoU is 1/2
    sigma = float(-0.25 / np.log(109.8 / 127))
    found = FakeModel([Tensor(head, 1 / 200, 0)], SIZE).run(n6post.YoloV8(threshold, nms_sigma=sigma))
    assert [d.score for d in found] == pytest.approx([0.635, 0.549][:count], rel=1e-5)


@pytest.mark.parametrize("threshold", [0.9662745147943497, 0.1, 0.4, 1 / 3, 0.7])
def test_float_score_at_the_threshold_passes_hard_and_soft_nms(threshold: float) -> None:
    """The threshold as float32 may be less or more than the double that was written."""
    head = float_head((64, 64), 1, [Thing(9, (0, 0, 32, 64), {0: threshold})])
    for sigma in (0, 0.5):
        assert len(FakeModel([Tensor(head)], (64, 64)).run(n6post.YoloV8(threshold, nms_sigma=sigma))) == 1


def test_soft_nms_is_per_class_unless_class_agnostic() -> None:
    things = (A, 0.9, 3), (A, 0.8, 0)
    assert remaining(*things, nms_sigma=0.5) == [(0, pytest.approx(0.9)), (1, pytest.approx(0.8))]
    assert remaining(*things, nms_sigma=0.5, class_agnostic=True) == [
        (0, pytest.approx(0.9)), (1, pytest.approx(0.8 * np.exp(-2), rel=1e-5)),
    ]


def test_soft_nms_ignores_iou_threshold_and_respects_the_limits() -> None:
    things = (A, 0.9, 0), (HALF, 0.8, 0), (FAR, 0.6, 0)
    assert remaining(*things, nms_sigma=0.5, iou_threshold=0) == remaining(*things, nms_sigma=0.5)
    assert kept(*things, nms_sigma=0.5, max_detections=2) == [0, 2]
    assert kept(*things, nms_sigma=0.5, max_candidates=2) == [0, 1]


def test_equal_scores_that_decay_equally_are_sorted_by_anchor() -> None:
    left: Box = (-50, 0, 50, 100)
    right: Box = (50, 0, 150, 100)
    assert kept((left, 0.5, 0), (right, 0.5, 0), (A, 0.9, 0), nms_sigma=0.5) == [2, 0, 1]


@pytest.mark.parametrize("sigma", [1e-45, 1e-40, 1e-30, 1e-12, 1e-6, 0.01])
@pytest.mark.parametrize("threshold", [0, 0.1])
def test_smallest_sigma_returns_each_candidate_at_most_once(threshold: float, sigma: float) -> None:
    """Overlapping candidates decay to 0, which reaches a threshold of 0, but only once."""
    things = (A, 0.9, 0), (A, 0.8, 0), (HALF, 0.7, 0), (FAR, 0.6, 0), (A, 0.5, 0)
    left = remaining(*things, nms_sigma=sigma, threshold=threshold, max_candidates=5)
    assert left[:2] == [(0, pytest.approx(0.9)), (3, pytest.approx(0.6))]
    if threshold:
        assert len(left) == 2
    else:
        assert sorted(index for index, _ in left) == [0, 1, 2, 3, 4]
        assert [score for _, score in left[2:]] == pytest.approx([0, 0, 0], abs=1e-9)


def test_kept_candidates_are_never_returned_again() -> None:
    """A long row of boxes that overlap their neighbors: each kept box would decay those kept before."""
    things = [((4 * i, 0, 4 * i + 30, 40), 0.3 + 0.6 * ((i * 7) % 20) / 20, 0) for i in range(40)]
    for sigma in (1e-9, 0.001, 0.1, 0.5):
        left = kept(*things, nms_sigma=sigma, threshold=0, max_detections=100, max_candidates=40)
        assert sorted(left) == list(range(40))


@pytest.mark.parametrize("sigma", [0, 1e-12, 0.001, 0.5])
def test_infinite_scores_never_become_nan(sigma: float) -> None:
    things = (A, np.inf, 0), (A, np.inf, 0), (HALF, np.inf, 0), (FAR, 0.6, 0)
    for threshold in (0, 0.1):
        left = remaining(*things, nms_sigma=sigma, threshold=threshold, max_candidates=4)
        assert left[0] == (0, np.inf) and (3, pytest.approx(0.6)) in left
        assert not any(np.isnan(score) for _, score in left)
        assert len({index for index, _ in left}) == len(left)


# --- any boxes ---
whole_boxes = st.tuples(*[st.integers(0, 240)] * 2, *[st.integers(0, 120)] * 2).map(
    lambda v: (v[0], v[1], v[0] + v[2], v[1] + v[3])
)
some_things = st.lists(st.tuples(whole_boxes, st.integers(1, 12).map(lambda v: v / 12), st.integers(0, 3)), max_size=25)


def as_candidates(things: list[tuple[Box, float, int]]) -> reference.Candidates:
    order = sorted(range(len(things)), key=lambda i: (-things[i][1], i))
    boxes = np.array([things[i][0] for i in order], dtype=np.float32).reshape(-1, 4)
    scores = np.float32([things[i][1] for i in order])
    classes = np.array([things[i][2] for i in order], dtype=int)
    return reference.Candidates(np.array(order, dtype=int), classes, scores, boxes, boxes[:, :0])


def has_area(box: Any) -> bool:
    """Others have no pixel, and are dropped after suppression."""
    return bool(box[2] > box[0] and box[3] > box[1])


@given(some_things, st.floats(0, 1), st.booleans(), st.integers(1, 25))
@example([], 0.5, False, 1)
@example([(A, 0.5, 0)] * 25, 0.999, False, 25)
@example([(A, 0.5, 0), (A, 0.5, 1), (A, 0.5, 3)], 0.01, True, 25)
@example([((0, 0, 10, 10), 0.5, 2), ((10, 0, 20, 10), 0.5, 2), ((0, 10, 10, 20), 0.5, 2)], 0.01, False, 25)
@example([((9, 9, 9, 9), 0.5, 0)] * 3, 0.01, True, 2)
def test_hard_nms_of_any_boxes_equals_the_reference(
    things: list[tuple[Box, float, int]], iou_threshold: float, class_agnostic: bool, most: int
) -> None:
    candidates = as_candidates(things)
    runs = [reference.hard_nms(candidates, iou_threshold + e, class_agnostic) for e in (-1e-6, 0, 1e-6)]
    assume(runs[0] == runs[2])
    wanted = [int(candidates.anchor[row]) for row in runs[1][:most] if has_area(candidates.box[row])]
    options: dict[str, Any] = {"threshold": 0.01, "class_agnostic": class_agnostic, "max_detections": most}
    assert kept(*things, iou_threshold=iou_threshold, **options) == wanted


@given(some_things, st.floats(0.05, 3), st.booleans())
@example([], 0.5, False)
@example([(A, 1.0, 0)] * 9, 3.0, False)
@example([(A, 1.0, 0), (A, 1.0, 1), ((9, 9, 9, 9), 1.0, 1)], 0.05, True)
def test_soft_nms_of_any_boxes_equals_the_reference(
    things: list[tuple[Box, float, int]], sigma: float, class_agnostic: bool
) -> None:
    candidates = as_candidates(things)
    runs = [reference.soft_nms(candidates, sigma, t, class_agnostic) for t in (0.2 - 1e-5, 0.2, 0.2 + 1e-5)]
    assume(sorted(runs[0][0]) == sorted(runs[2][0]))
    left = remaining(*things, nms_sigma=sigma, threshold=0.2, class_agnostic=class_agnostic, max_detections=25)
    scores = [score for _, score in left]
    assert scores == sorted(scores, reverse=True)
    rows = zip(*runs[1], strict=True)
    wanted = {int(candidates.anchor[row]): score for row, score in rows if has_area(candidates.box[row])}
    assert dict(left) == pytest.approx(wanted, rel=1e-4)
