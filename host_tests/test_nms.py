"""lib/n6post/nms.py: which of overlapping candidates stay, seen through YoloV8."""

from typing import Any

import n6post
import numpy as np
import pytest
import reference
from fakes import FakeModel, Tensor
from hypothesis import assume, example, given
from hypothesis import strategies as st
from n6post.kernels import plans
from numpy.testing import assert_allclose
from scenes import Thing, float_head

SIZE = (256, 256)  # 1344 anchors
Box = tuple[float, float, float, float]

A: Box = (0, 0, 100, 100)
HALF: Box = (0, 0, 100, 200)  # IoU with A exactly 1/2
FAR: Box = (180, 10, 250, 60)


def survivors(*things: tuple[Box, float, int], **options: Any) -> list[tuple[int, float]]:
    """(index, score) of what is left of (box, score, class) triples, which get ascending anchors."""
    anchored = [Thing(10 + 3 * i, box, {class_id: score}) for i, (box, score, class_id) in enumerate(things)]
    processor = n6post.YoloV8(**{"threshold": 0.1, **options})
    found = FakeModel([Tensor(float_head(SIZE, 4, anchored))], SIZE).run(processor)
    rows = processor.survivors()
    assert [d.score for d in found] == pytest.approx([row[2] for row in rows])
    return [((row[0] - 10) // 3, row[2]) for row in rows]


def kept(*things: tuple[Box, float, int], **options: Any) -> list[int]:
    return [index for index, _ in survivors(*things, **options)]


# --- hard ------------------------------------------------------------------------------------------------------------
def test_the_better_of_two_that_overlap_stays() -> None:
    assert kept((A, 0.5, 0), (A, 0.8, 0), (FAR, 0.3, 0)) == [1, 2]


def test_an_iou_equal_to_the_threshold_does_not_suppress() -> None:
    assert kept((A, 0.9, 0), (HALF, 0.8, 0), nms_threshold=0.5) == [0, 1]
    assert kept((A, 0.9, 0), (HALF, 0.8, 0), nms_threshold=0.4999) == [0]


def camera_floats(written: float) -> list[float]:
    """What the camera makes of a number in a script: its floats have 30 bits. MicroPython 1.26 makes up the two others."""
    cut = np.float32(written).view(np.int32) & ~np.int32(3)
    return [float(np.int32(bits).view(np.float32)) for bits in (cut, cut | cut >> 2 & 3)]


TWENTIETHS = [n / 20 for n in range(1, 20)]


@pytest.mark.parametrize("written", TWENTIETHS)
def test_a_threshold_means_the_number_that_was_written_on_a_camera_too(written: float) -> None:
    """Of int8 boxes, an IoU of 9/10 is not above .9, which the camera's own .9 says; 91/100 is."""
    width = round(100 * written)
    head = np.zeros((1, 6, 84), np.int16)
    for anchor, (w, class_id) in enumerate(((100, 0), (width, 0), (100, 1), (width + 1, 1))):
        # The narrower one lies inside of the wider one, as high: the IoU is the ratio of the widths.
        head[0, :4, anchor] = 128, 128, w, 20
        head[0, 4 + class_id, anchor] = 250 - anchor
    model = FakeModel([Tensor((head - 128).astype(np.int8), 1 / 255, -128)], (64, 64))
    for threshold in (written, *camera_floats(written)):
        processor = n6post.YoloV8(0.3, nms_threshold=threshold)
        model.run(processor)
        assert [row[0] for row in processor.survivors()] == [0, 1, 2]


def test_every_machine_compares_with_the_same_number() -> None:
    """Whatever was made up for the bits that a threshold lost, and not below the one that was written."""
    for written in [n / 1000 for n in range(1001)]:
        stored = {bytes(plans.suppress(0, t, 0, 20, 300)) for t in (written, *camera_floats(written))}
        assert len(stored) == 1
        (plan,) = stored
        assert np.frombuffer(plan, np.float32)[1] >= np.float32(written)


@pytest.mark.parametrize("twentieths", range(1, 20))
def test_of_int8_boxes_every_iou_above_the_threshold_suppresses_and_no_other(twentieths: int) -> None:
    """For every union that the input has room for. Corners lie on half steps: areas are whole numbers of quarters."""
    stored = np.frombuffer(plans.suppress(0, twentieths / 20, 0, 20, 300), np.float32)[1]
    union = np.arange(1, 255 * 255 * 4 + 1)
    most = union * twentieths // 20  # the largest intersection that is not above
    assert (most.astype(np.float32) / union.astype(np.float32) <= stored).all()
    assert ((most + 1).astype(np.float32) / union.astype(np.float32) > stored).all()


def test_another_class_is_left_alone_unless_agnostic() -> None:
    """A bus does not swallow the person in front of it."""
    things = ((A, 0.9, 3), (A, 0.8, 0), (A, 0.7, 3))
    assert kept(*things) == [0, 1]
    assert kept(*things, agnostic=True) == [0]


def test_what_is_suppressed_suppresses_nothing_itself() -> None:
    chain = [((x, 0, x + 100, 100), score, 0) for x, score in ((0, 0.9), (40, 0.8), (80, 0.7), (120, 0.6))]
    assert kept(*chain, nms_threshold=0.4) == [0, 2]  # neighbours have IoU 60/140, the next but one 20/180


def test_equal_scores_are_in_the_order_of_their_anchors() -> None:
    things = [((20 * i, 0, 20 * i + 10, 10), 0.5, i % 2) for i in range(12)]
    assert kept(*things) == list(range(12))
    assert kept((A, 0.5, 0), (A, 0.5, 0), (A, 0.5, 0)) == [0]


def test_thresholds_of_0_and_1_are_the_ends() -> None:
    touching = ((0, 0, 100, 100), 0.9, 0), ((99, 99, 200, 200), 0.8, 0), ((100, 0, 200, 99), 0.7, 0)
    assert kept(*touching, nms_threshold=0) == [0, 2]  # one pixel is shared by the first two; none by the others
    assert kept((A, 0.9, 0), (A, 0.8, 0), nms_threshold=1) == [0, 1]


def test_boxes_without_area_suppress_nothing_and_are_not_suppressed() -> None:
    point: Box = (50, 50, 50, 50)
    line: Box = (20, 50, 80, 50)
    assert kept((point, 0.9, 0), (point, 0.8, 0), (line, 0.7, 0), (A, 0.6, 0), nms_threshold=0) == [0, 1, 2, 3]
    inside_out: Box = (80, 80, 20, 20)  # a quantised width may come out negative
    assert kept((inside_out, 0.9, 0), (A, 0.8, 0), (inside_out, 0.7, 0), nms_threshold=0) == [0, 1, 2]


# --- caps and classes ------------------------------------------------------------------------------------------------
def test_the_caps_keep_the_best() -> None:
    things = [((20 * i, 0, 20 * i + 10, 10), (0.3, 0.9, 0.5, 0.9, 0.7)[i], 0) for i in range(5)]
    assert kept(*things, max_detections=3) == [1, 3, 4]
    assert kept(*things, max_candidates=3) == [1, 3, 4]
    assert kept(*things, max_detections=1, max_candidates=1) == [1]


def test_the_first_cap_counts_candidates_and_the_second_detections() -> None:
    things = [(A, 0.9, 0), (A, 0.8, 0), (FAR, 0.7, 0), (HALF, 0.6, 0)]
    assert kept(*things, max_candidates=2) == [0]
    assert kept(*things, max_candidates=3) == [0, 2]
    assert kept(*things, max_detections=2) == [0, 2]


def test_more_candidates_than_a_byte_counts() -> None:
    things = [Thing(i, (i % 64 * 4, i // 64 * 12, i % 64 * 4 + 3, i // 64 * 12 + 11), {0: 0.5}) for i in range(1300)]
    model = FakeModel([Tensor(float_head(SIZE, 1, things))], SIZE)
    processor = n6post.YoloV8(0.1, max_detections=1300, max_candidates=1300)
    assert len(model.run(processor)) == 1300
    assert [row[0] for row in processor.survivors()] == list(range(1300))
    assert len(model.run(n6post.YoloV8(0.1, max_detections=1300))) == 300


def test_classes_are_filtered_after_the_best_class_is_chosen_and_before_the_cap() -> None:
    both = Thing(5, A, {0: 0.9, 1: 0.8})
    other = Thing(6, FAR, {1: 0.3})
    model = FakeModel([Tensor(float_head(SIZE, 40, [both, other]))], SIZE)
    found = model.run(n6post.YoloV8(0.1, classes=[1, 39], max_candidates=1))
    assert [(d.class_id, d.rect) for d in found] == [(1, (180, 10, 70, 50))]
    assert model.run(n6post.YoloV8(0.1, classes=(31, 32, 39))) == []
    assert [d.class_id for d in model.run(n6post.YoloV8(0.1, classes=range(40)))] == [0, 1]


@pytest.mark.parametrize("count", [1, 31, 32, 33, 63, 64, 65, 97])
@pytest.mark.parametrize("anchors_first", [False, True])
def test_class_0_and_the_last_one_are_filtered_of_any_number_of_classes(count: int, anchors_first: bool) -> None:
    """The kernel gets 32 classes a word: 1, 33 and 65 need a word for one class."""
    things = [Thing(5, A, {0: 0.9}), Thing(9, FAR, {count - 1: 0.8})]
    wanted = {5: 0, 9: count - 1}
    tensor = Tensor(float_head(SIZE, count, things))
    model = FakeModel([tensor.reordered(0, 2, 1) if anchors_first else tensor], SIZE)
    for classes in ([0], [count - 1], [0, count - 1], list(range(count)), list(range(0, count, 2))):
        processor = n6post.YoloV8(0.1, classes=classes)
        model.run(processor)
        expected = [(anchor, class_id) for anchor, class_id in wanted.items() if class_id in classes]
        assert [row[:2] for row in processor.survivors()] == expected
    with pytest.raises(ValueError, match=f"^classes: expected numbers below {count}, got {count}$"):
        model.run(n6post.YoloV8(0.1, classes=[0, count]))


# --- soft ------------------------------------------------------------------------------------------------------------
def test_soft_suppression_decays_by_the_gaussian_of_the_iou() -> None:
    """Bodla et al.: s = s * exp(-iou^2 / sigma); an IoU of 1/2 and sigma 1/2 leave 60.65 %."""
    things = (A, 0.9, 0), (HALF, 0.8, 0), (FAR, 0.6, 0)
    left = survivors(*things, nms_sigma=0.5)
    assert [index for index, _ in left] == [0, 2, 1]
    assert_allclose([score for _, score in left], [0.9, 0.6, 0.8 * np.exp(-0.5)], rtol=1e-5)


def test_soft_suppression_drops_what_falls_below_the_score_threshold() -> None:
    things = (A, 0.9, 0), (A, 0.8, 0)
    assert kept(*things, nms_sigma=0.5, threshold=0.108) == [0, 1]  # .8 * exp(-2) = .10827
    assert kept(*things, nms_sigma=0.5, threshold=0.109) == [0]


@pytest.mark.parametrize(("kind", "zero_point"), [("int8", 0), ("int8", -100), ("uint8", 30), ("int16", 5)])
@pytest.mark.parametrize("threshold", [0.55, 0.3, 0.05, 0.4, 0.595])
def test_on_integers_a_score_at_the_threshold_is_as_good_for_soft_suppression_as_for_hard(
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
def test_on_integers_a_decayed_score_is_held_against_the_threshold_itself(threshold: float, count: int) -> None:
    """Whole ones are cut at the next step, the 110th of 1 / 200 here; what is left of 127 is 109.8 of them, .549."""
    head = np.zeros((1, 5, 1344), dtype=np.int8)
    head[0, :, 40] = 50, 50, 40, 40, 127
    head[0, :, 70] = 50, 60, 40, 20, 127  # half of it: their IoU is 1/2
    sigma = float(-0.25 / np.log(109.8 / 127))
    found = FakeModel([Tensor(head, 1 / 200, 0)], SIZE).run(n6post.YoloV8(threshold, nms_sigma=sigma))
    assert [d.score for d in found] == pytest.approx([0.635, 0.549][:count], rel=1e-5)


@pytest.mark.parametrize("threshold", [0.9662745147943497, 0.1, 0.4, 1 / 3, 0.7])
def test_on_floats_a_score_at_the_threshold_is_as_good_for_soft_suppression_as_for_hard(threshold: float) -> None:
    """A float32 score of the threshold, which is less than the double that was written, or more."""
    head = float_head((64, 64), 1, [Thing(9, (0, 0, 32, 64), {0: threshold})])
    for sigma in (0, 0.5):
        assert len(FakeModel([Tensor(head)], (64, 64)).run(n6post.YoloV8(threshold, nms_sigma=sigma))) == 1


def test_soft_suppression_is_class_wise_unless_agnostic() -> None:
    things = (A, 0.9, 3), (A, 0.8, 0)
    assert survivors(*things, nms_sigma=0.5) == [(0, pytest.approx(0.9)), (1, pytest.approx(0.8))]
    assert survivors(*things, nms_sigma=0.5, agnostic=True) == [
        (0, pytest.approx(0.9)), (1, pytest.approx(0.8 * np.exp(-2), rel=1e-5)),
    ]


def test_soft_suppression_ignores_nms_threshold_and_keeps_the_caps() -> None:
    things = (A, 0.9, 0), (HALF, 0.8, 0), (FAR, 0.6, 0)
    assert survivors(*things, nms_sigma=0.5, nms_threshold=0) == survivors(*things, nms_sigma=0.5)
    assert kept(*things, nms_sigma=0.5, max_detections=2) == [0, 2]
    assert kept(*things, nms_sigma=0.5, max_candidates=2) == [0, 1]


def test_equal_scores_decay_to_equal_scores_in_the_order_of_their_anchors() -> None:
    left: Box = (-50, 0, 50, 100)
    right: Box = (50, 0, 150, 100)
    assert kept((left, 0.5, 0), (right, 0.5, 0), (A, 0.9, 0), nms_sigma=0.5) == [2, 0, 1]


@pytest.mark.parametrize("sigma", [1e-45, 1e-40, 1e-30, 1e-12, 1e-6, 0.01])
@pytest.mark.parametrize("threshold", [0, 0.1])
def test_with_the_least_sigma_each_candidate_comes_once_at_most(threshold: float, sigma: float) -> None:
    """Whatever overlaps is decayed to 0, which reaches a threshold of 0: once."""
    things = (A, 0.9, 0), (A, 0.8, 0), (HALF, 0.7, 0), (FAR, 0.6, 0), (A, 0.5, 0)
    left = survivors(*things, nms_sigma=sigma, threshold=threshold, max_candidates=5)
    assert left[:2] == [(0, pytest.approx(0.9)), (3, pytest.approx(0.6))]
    if threshold:
        assert len(left) == 2
    else:
        assert sorted(index for index, _ in left) == [0, 1, 2, 3, 4]
        assert [score for _, score in left[2:]] == pytest.approx([0, 0, 0], abs=1e-9)


def test_candidates_that_were_kept_never_come_again() -> None:
    """A long row of boxes, each over its neighbours: every one that is kept decays those kept before."""
    things = [((4 * i, 0, 4 * i + 30, 40), 0.3 + 0.6 * ((i * 7) % 20) / 20, 0) for i in range(40)]
    for sigma in (1e-9, 0.001, 0.1, 0.5):
        left = kept(*things, nms_sigma=sigma, threshold=0, max_detections=100, max_candidates=40)
        assert sorted(left) == list(range(40))


@pytest.mark.parametrize("sigma", [0, 1e-12, 0.001, 0.5])
def test_infinite_scores_stay_numbers(sigma: float) -> None:
    things = (A, np.inf, 0), (A, np.inf, 0), (HALF, np.inf, 0), (FAR, 0.6, 0)
    for threshold in (0, 0.1):
        left = survivors(*things, nms_sigma=sigma, threshold=threshold, max_candidates=4)
        assert left[0] == (0, np.inf) and (3, pytest.approx(0.6)) in left
        assert not any(np.isnan(score) for _, score in left)
        assert len({index for index, _ in left}) == len(left)


# --- any boxes -------------------------------------------------------------------------------------------------------
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


@given(some_things, st.floats(0, 1), st.booleans(), st.integers(1, 25))
@example([], 0.5, False, 1)
@example([(A, 0.5, 0)] * 25, 0.999, False, 25)
@example([(A, 0.5, 0), (A, 0.5, 1), (A, 0.5, 3)], 0.01, True, 25)
@example([((0, 0, 10, 10), 0.5, 2), ((10, 0, 20, 10), 0.5, 2), ((0, 10, 10, 20), 0.5, 2)], 0.01, False, 25)
@example([((9, 9, 9, 9), 0.5, 0)] * 3, 0.01, True, 2)
def test_any_boxes_are_suppressed_as_by_the_reference(
    things: list[tuple[Box, float, int]], nms_threshold: float, agnostic: bool, most: int
) -> None:
    candidates = as_candidates(things)
    runs = [reference.hard_nms(candidates, nms_threshold + e, agnostic) for e in (-1e-6, 0, 1e-6)]
    assume(runs[0] == runs[2])
    wanted = candidates.anchor[runs[1]][:most].tolist()
    options: dict[str, Any] = {"threshold": 0.01, "agnostic": agnostic, "max_detections": most}
    assert kept(*things, nms_threshold=nms_threshold, **options) == wanted


@given(some_things, st.floats(0.05, 3), st.booleans())
@example([], 0.5, False)
@example([(A, 1.0, 0)] * 9, 3.0, False)
@example([(A, 1.0, 0), (A, 1.0, 1), ((9, 9, 9, 9), 1.0, 1)], 0.05, True)
def test_any_boxes_are_softly_suppressed_as_by_the_reference(
    things: list[tuple[Box, float, int]], sigma: float, agnostic: bool
) -> None:
    candidates = as_candidates(things)
    runs = [reference.soft_nms(candidates, sigma, t, agnostic) for t in (0.2 - 1e-5, 0.2, 0.2 + 1e-5)]
    assume(sorted(runs[0][0]) == sorted(runs[2][0]))
    left = survivors(*things, nms_sigma=sigma, threshold=0.2, agnostic=agnostic, max_detections=25)
    scores = [score for _, score in left]
    assert scores == sorted(scores, reverse=True)
    wanted = {int(candidates.anchor[row]): score for row, score in zip(*runs[1], strict=True)}
    assert dict(left) == pytest.approx(wanted, rel=1e-4)
