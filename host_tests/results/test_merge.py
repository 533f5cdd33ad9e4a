"""lib/n6post/results/merge.py and mask_join.py: SAHI's rule, written again in numpy, and joined masks pixel by pixel."""

from __future__ import annotations

import re
from itertools import permutations
from typing import Any

import image
import n6post
import numpy as np
import pytest
import test_memory
from assertions import gray
from fakes import Array
from hypothesis import example, given
from hypothesis import strategies as st
from merge_reference import greedy_merging
from n6post.results import merge as lib
from n6post.results.mask import Mask, MaskTransform
from ulab import _host

pytestmark = pytest.mark.both_firmwares


def seen(rect: Any, score: float = 0.5, class_id: int = 0, **more: Any) -> Any:
    return n6post.Detection(rect, score, class_id, f"class {class_id}", more.get("mask"), more.get("keypoints"))


# --- SAHI's rule ---
SIDE = st.integers(1, 30)
BOX = st.tuples(st.tuples(st.integers(0, 50), st.integers(0, 50), SIDE, SIDE), st.integers(1, 8), st.integers(0, 1))


def test_detections_of_two_frame_sizes_are_not_joined() -> None:
    one, other = (seen((0, 0, 9, 9)).replace(frame_size=size) for size in ((320, 240), (640, 480)))
    with pytest.raises(ValueError, match=r"^detections: expected those of one frame, got frames of \("):
        n6post.merge([one, other])
    assert len(n6post.merge([one, one, seen((0, 0, 9, 9))])) == 1  # of a frame that is not known


@given(st.lists(BOX, max_size=25), st.sampled_from([0.5, 0.25, 0.75, 0.4]), st.sampled_from(["ios", "iou"]), st.booleans())
@example([((0, 0, 10, 10), 8, 0), ((5, 0, 10, 10), 7, 0), ((12, 0, 10, 10), 6, 0)], 0.5, "ios", False)
@example([((5, 5, 2, 2), 8, 0), ((0, 0, 20, 6), 7, 0), ((4, 4, 20, 20), 6, 0)], 0.5, "ios", False)
@example([((10, 0, 10, 10), 8, 0), ((13, 0, 10, 10), 7, 0), ((7, 0, 10, 10), 6, 0)], 0.5, "iou", False)
def test_boxes_are_joined_as_by_sahi(boxes: list[Any], threshold: float, metric: Any, agnostic: bool) -> None:
    found = [(rect, eighths / 8, class_id) for rect, eighths, class_id in boxes]
    wanted = greedy_merging(found, threshold, metric, agnostic)
    detections = [seen(*one) for one in found]
    for order in (detections, detections[::-1]):
        got = n6post.merge(order, overlap_threshold=threshold, metric=metric, class_agnostic=agnostic)
        assert [(d.rect, d.score) for d in got] == wanted
        assert [d.score for d in got] == sorted([d.score for d in got], reverse=True)


# Of sahi 0.12.8, GreedyNMMPostprocess(match_threshold=0.5, match_metric="IOS"), class by class.
RECORDED = [
    ([((10, 10, 40, 60), 0.9, 0), ((45, 12, 30, 58), 0.8, 0)], [((10, 10, 40, 60), 0.9), ((45, 12, 30, 58), 0.8)]),
    ([((10, 10, 40, 60), 0.9, 0), ((30, 12, 30, 58), 0.8, 0)], [((10, 10, 50, 60), 0.9)]),
    ([((10, 10, 40, 60), 0.7, 0), ((30, 12, 30, 58), 0.8, 0), ((12, 12, 9, 9), 0.9, 0)],
     [((10, 10, 40, 60), 0.9), ((30, 12, 30, 58), 0.8)]),
]  # fmt: skip


@pytest.mark.parametrize(("found", "wanted"), RECORDED)
def test_recorded_results_of_sahi_are_the_same(found: Any, wanted: Any) -> None:
    assert [(d.rect, d.score) for d in n6post.merge([seen(*one) for one in found])] == wanted


def test_what_overlaps_nothing_is_the_same_object() -> None:
    found = [seen((0, 0, 9, 9), 0.5), seen((50, 0, 9, 9), 0.9), seen((0, 0, 9, 9), 0.7, 1)]
    assert [id(d) for d in n6post.merge(found)] == [id(found[1]), id(found[2]), id(found[0])]
    assert n6post.merge([]) == [] and n6post.merge(()) == []


def test_everything_else_is_that_of_the_best_detection() -> None:
    best, other = seen((0, 0, 20, 20), 0.9), seen((5, 0, 20, 20), 0.6)
    best.track_id, other.track_id = 7, 8
    best = best.replace(frame_size=(64, 48), keypoint_threshold=0.4)
    (joined,) = n6post.merge([other, best])
    assert (joined.rect, joined.score, joined.label) == ((0, 0, 25, 20), 0.9, "class 0")
    assert (joined.track_id, joined.frame_size, joined.keypoint_threshold) == (7, (64, 48), 0.4)


def test_scores_that_are_not_a_number_come_last() -> None:
    nan = float("nan")
    scored = ((0, 0, 9, 9), nan), ((90, 0, 9, 9), 0.1), ((1, 0, 9, 9), 0.2), ((50, 0, 9, 9), nan)
    for order in permutations(scored):
        got = n6post.merge([seen(*one) for one in order])
        assert [d.rect for d in got] == [(0, 0, 10, 9), (90, 0, 9, 9), (50, 0, 9, 9)]


def test_a_threshold_is_rounded_to_thousandths() -> None:
    for threshold, count in ((0.4994, 1), (0.4996, 2), (0.5, 2)):
        assert len(n6post.merge([seen((0, 0, 2000, 1)), seen((1001, 0, 2000, 1))], overlap_threshold=threshold)) == count


def test_others_are_added_where_none_of_their_class_overlaps_them() -> None:
    found = [seen((0, 0, 10, 10), 0.5), seen((50, 0, 10, 10), 0.3, 1)]
    others = [seen((1, 1, 9, 9), 0.4), seen((1, 1, 9, 9), 0.6, 1), seen((90, 0, 9, 9), 0.2), seen((5, 0, 10, 10), 0.1)]
    wanted = {False: [0.6, 0.5, 0.3, 0.2], True: [0.5, 0.3, 0.2]}
    for agnostic in (False, True):
        assert [d.score for d in lib.with_others(found, others, 0.5, agnostic)] == wanted[agnostic]
    assert [d.score for d in lib.with_others(found, others, 0.501, True)] == [0.5, 0.3, 0.2, 0.1]


def test_two_detections_of_one_origin_never_join() -> None:
    # Two people, one behind the other, that both tiles show; and the whole frame, which shows one.
    boxes = (10, 10, 20, 40), (14, 10, 20, 40), (10, 10, 19, 40), (15, 10, 20, 40), (10, 10, 24, 40)
    crowd = [seen(rect, score) for rect, score in zip(boxes, (0.9, 0.8, 0.7, 0.6, 0.5))]
    got = lib.merged(crowd, [0, 0, 1, 1, 2], 0.5, False, False)
    assert [d.rect for d in got] == [(10, 10, 24, 40), (14, 10, 21, 40)]
    assert [d.score for d in got] == [0.9, 0.8]
    assert len(n6post.merge(crowd)) == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((7,), "detections: expected a list of Detection, got 7"),
        (([1],), "detections: expected a list of Detection, got [1]"),
        (([], {"overlap_threshold": 0}), "overlap_threshold: expected a number from 0.001 to 1.0, got 0"),
        (([], {"overlap_threshold": "a"}), "overlap_threshold: expected a number from 0.001 to 1.0, got 'a'"),
        (([], {"metric": "giou"}), "metric: expected 'ios', 'iou' or None, got 'giou'"),
        (([], {"class_agnostic": 1}), "class_agnostic: expected True or False, got 1"),
    ],
)
def test_wrong_arguments_say_what_was_expected(arguments: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said).replace("or\\ None", ".*")):
        n6post.merge(arguments[0], **(arguments[1] if len(arguments) > 1 else {}))


# --- keypoints and oriented boxes ---
def test_of_each_keypoint_the_one_with_the_higher_score_is_kept() -> None:
    nan = float("nan")
    one = _host.wrap(np.array([[1, 2, 0.9], [3, 4, 0.1], [5, 6, 0.4], [7, 8, nan]], np.float32))
    other = _host.wrap(np.array([[10, 20, 0.5], [30, 40, 0.8], [50, 60, nan], [70, 80, 0.1]], np.float32))
    (joined,) = n6post.merge([seen((0, 0, 9, 9), 0.9, keypoints=one), seen((1, 0, 9, 9), 0.8, keypoints=other)])
    wanted = [[1, 2, 0.9], [30, 40, 0.8], [5, 6, 0.4], [70, 80, 0.1]]
    np.testing.assert_allclose(joined.keypoints.tolist(), wanted, rtol=1e-6)
    assert one.tolist()[1][0] == 3, "the given array is as it was"
    (joined,) = n6post.merge([seen((0, 0, 9, 9), 0.9), seen((1, 0, 9, 9), 0.8, keypoints=other)])
    assert joined.keypoints is other
    (joined,) = n6post.merge([seen((0, 0, 9, 9), 0.9, keypoints=one), seen((1, 0, 9, 9), 0.8, keypoints=other[:2])])
    assert joined.keypoints is one


def test_an_oriented_box_stays_that_of_the_largest() -> None:
    corners = [(10, 0), (30, 10), (20, 30), (0, 20)]
    small = seen((2, 2, 20, 20), 0.9).replace(corners=[(5, 2), (20, 8), (15, 20), (2, 15)])
    large = seen((0, 0, 30, 30), 0.6).replace(corners=corners)
    (joined,) = n6post.merge([small, large])
    assert (joined.rect, joined.score) == ((0, 0, 30, 30), 0.9)
    np.testing.assert_array_equal(joined.corners.tolist(), corners)
    # By area, of those that are oriented; the box does not grow.
    tall, upright = seen((20, 0, 20, 100), 0.7).replace(corners=corners), seen((0, 0, 200, 200), 0.8)
    for best in (small, upright):
        for order in permutations((best, large, tall)):
            (joined,) = n6post.merge(order, overlap_threshold=0.1)
            assert joined.rect == (20, 0, 20, 100) and joined.score == best.score


# --- masks ---
def mask_of(plane: Array, left: int, top: int, scale: float, offset: tuple[float, float], bounds: Any = None) -> Any:
    """A mask of these pixels (h, w), whose first is mask pixel (left, top)."""
    h, w = plane.shape
    transform = MaskTransform(scale, offset[0], scale, offset[1], bounds or (0, 0, 640, 480), (0, 0), (640, 480))
    window = left, top, w, h
    x, y = round(left * scale + offset[0]), round(top * scale + offset[1])
    clip = x, y, round(w * scale), round(h * scale)
    return Mask(np.where(plane, 200, 20).astype(np.uint8).tobytes(), window, window, clip, transform)


def inside(mask: Any) -> Array:
    return gray(mask.to_image()) > 0


def disk(radius: int, cut: slice) -> Array:
    y, x = np.mgrid[-radius : radius + 1, -radius : radius + 1]
    return (x * x + y * y <= radius * radius)[:, cut]


def test_halves_from_two_tiles_make_the_whole_mask() -> None:
    # A disk around frame pixel (202, 122): one tile shows its left, the other its right part, and both the middle.
    left = mask_of(disk(20, slice(0, 25)), 30, 10, 4.0, (0.0, 0.0), (0, 0, 220, 480))
    right = mask_of(disk(20, slice(15, 41)), 5, 10, 4.0, (160.0, 0.0), (180, 0, 460, 480))
    whole = mask_of(disk(20, slice(0, 41)), 30, 10, 4.0, (0.0, 0.0))
    first, second = seen((120, 40, 100, 164), 0.9, mask=left), seen((180, 40, 104, 164), 0.8, mask=right)
    (joined,) = n6post.merge([first, second], overlap_threshold=0.3)
    assert joined.rect == (120, 40, 164, 164)
    np.testing.assert_array_equal(inside(joined.mask), inside(whole))
    assert (joined.mask.area, joined.mask.centroid) == (whole.area, whole.centroid)
    points = (130, 122), (270, 122), (202, 122), (125, 45), (300, 122)
    assert [joined.mask.contains(x, y) for x, y in points] == [True, True, True, False, False]
    img = image.Image(640, 480, image.RGB565)
    n6post.draw(img, [joined], boxes=False, labels=False)
    assert any(img.bytearray())


SHORT, SCALE, PLACE = st.integers(2, 9), st.floats(1.5, 8), st.integers(0, 40)


@given(SHORT, SHORT, SCALE, SCALE, PLACE, PLACE, st.integers())
def test_a_joined_mask_is_inside_where_one_of_its_parts_is(
    w: int, h: int, scale: float, other_scale: float, x: int, y: int, seed: int
) -> None:
    dice = np.random.default_rng(abs(seed))
    one = mask_of(dice.random((h, w)) < 0.6, 3, 2, scale, (x / 2, y / 3))
    other = mask_of(dice.random((w, h)) < 0.6, 0, 0, other_scale, (x, y))
    joined = lib.later.results_mask_join.join([one, other])
    fine = min(scale, other_scale)
    fine_offset = one._parts()[4] if scale <= other_scale else other._parts()[4]
    # At the centers of the finer mask's pixels all three are sampled exactly.
    columns, rows = np.arange(-30, 60), np.arange(-30, 60)
    for column, row in zip(dice.choice(columns, 80), dice.choice(rows, 80)):
        px, py = (column + 0.5) * fine + fine_offset.ox, (row + 0.5) * fine + fine_offset.oy
        wanted = sampled(one, px, py) or sampled(other, px, py)
        if near_edge(one, px, py) or near_edge(other, px, py):
            continue
        assert sampled(joined, px, py) == wanted


def test_only_the_crop_of_a_mask_is_joined() -> None:
    """A mask's window may be larger than its crop: the rest of it belongs to other objects."""
    transform = MaskTransform(4.0, 0.0, 4.0, 0.0, (0, 0, 640, 480), (0, 0), (640, 480))
    random = np.random.default_rng(1)
    windows = [np.where(random.random((20, 30)) < 0.5, 200, 20).astype(np.uint8) for _ in range(2)]
    crops = (12, 10, 9, 6), (17, 12, 20, 11)
    parts = [Mask(bytes(plane.tobytes()), (10, 5, 30, 20), (x, y, w, h), (4 * x, 4 * y, 4 * w, 4 * h), transform)
             for plane, (x, y, w, h) in zip(windows, crops)]  # fmt: skip
    joined = lib.later.results_mask_join.join(parts)
    wanted = np.zeros((120, 180), bool)
    for plane, (x, y, w, h) in zip(windows, crops):
        inside_ = plane[y - 5 : y - 5 + h, x - 10 : x - 10 + w] >= 128
        wanted[4 * y : 4 * (y + h), 4 * x : 4 * (x + w)] |= np.repeat(np.repeat(inside_, 4, 0), 4, 1)
    assert wanted.any() and joined.area == wanted.sum()
    found = np.array([[joined.contains(x, y) for x in range(180)] for y in range(120)])
    np.testing.assert_array_equal(found, wanted)


def sampled(mask: Any, x: float, y: float) -> bool:
    data, (wx, wy, ww, wh), _, _, transform = mask._parts()
    column, row = np.floor((x - transform.ox) / transform.sx) - wx, np.floor((y - transform.oy) / transform.sy) - wy
    return bool(0 <= column < ww and 0 <= row < wh and data[int(row * ww + column)] >= 128)


def near_edge(mask: Any, x: float, y: float) -> bool:
    transform = mask._parts()[4]
    u, v = (x - transform.ox) / transform.sx, (y - transform.oy) / transform.sy
    return bool(min(abs(u - np.round(u)), abs(v - np.round(v))) < 1e-3)


def test_a_very_large_mask_is_joined_in_the_coarser_pixels() -> None:
    fine = mask_of(np.ones((200, 200), bool), 0, 0, 2.0, (0.0, 0.0))
    coarse = mask_of(np.ones((60, 60), bool), 0, 0, 8.0, (0.0, 0.0))
    data, window, _, _, transform = lib.later.results_mask_join.join([fine, coarse])._parts()
    assert (window, transform.sx, len(data)) == ((0, 0, 60, 60), 8.0, 3600)


def test_empty_masks_and_missing_ones_add_nothing() -> None:
    join = lib.later.results_mask_join.join
    empty = mask_of(np.ones((0, 0), bool), 0, 0, 2.0, (0.0, 0.0))
    full = mask_of(np.ones((4, 4), bool), 0, 0, 2.0, (0.0, 0.0))
    assert join([empty, full]) is full and join([empty, empty]) is empty
    for masks in ((full, None), (None, full), (full, empty), (empty, full)):
        found = [seen((i, 0, 9, 9), 0.9 - i / 10, mask=mask) for i, mask in enumerate(masks)]
        assert n6post.merge(found)[0].mask is full


def test_merging_works_after_an_interruption() -> None:
    left = mask_of(disk(5, slice(0, 7)), 3, 1, 4.0, (0.0, 0.0))
    right = mask_of(disk(5, slice(4, 11)), 0, 1, 4.0, (28.0, 0.0))
    points = _host.wrap(np.array([[1, 2, 0.9], [3, 4, 0.1]], np.float32))
    halves = ((12, 4, 28, 44), 0.9, left, points), ((28, 4, 28, 44), 0.8, right, points * 2)
    found = [seen(rect, score, mask=mask, keypoints=keypoints) for rect, score, mask, keypoints in halves]

    def merged(_: Any) -> Any:
        got = n6post.merge(found, overlap_threshold=0.3)
        return [(d.rect, bytes(d.mask._parts()[0]), d.keypoints.tolist()) for d in got]

    assert len(merged(None)) == 1
    assert test_memory.check(test_memory.Scene(lambda: None, merged, merged)) > 15
