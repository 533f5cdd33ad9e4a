"""lib/n6post/tracking/tracker.py and its kernels: a float64 reference, synthetic streets, a real one, and wrong input."""

from __future__ import annotations

import importlib
import json
import math
import random
import re
import runpy
import sys
from array import array
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import synthetic_street
from _viper import tracks as plain_tracks
from fakes import Framed
from hypothesis import given
from hypothesis import strategies as st
from n6post.kernels.params import tracks as track_params
from n6post_pc.demo import recorded
from test_init import on_micropython
from test_memory import FAMILIES
from tracker_reference import Reference

pytestmark = pytest.mark.usefixtures("steady_clock")

ROOT = Path(__file__).parents[2]
TRACKER = importlib.import_module("n6post.tracking.tracker")


def person(
    x: int, y: int = 100, w: int = 30, h: int = 80, score: float = 0.9, class_id: int = 0, **more: Any
) -> n6post.Detection:
    return n6post.Detection((x, y, w, h), score, class_id, "person", more.get("mask"), more.get("keypoints"))


def ids(detections: list[Any]) -> list[int]:
    return [d.track_id for d in detections]


def walk(tracker: Any, frames: int, first: int = 0) -> list[Any]:
    """The tracks in the last frame of three people who walk right, 100 pixels apart."""
    result = []
    for k in range(first, first + frames):
        result = tracker.update([person(20 + 100 * i + 4 * k) for i in range(3)])
    return result


def street(people: int, fps: int, quantized: bool, seed: int) -> list[list[Any]]:
    frames = synthetic_street.street(people, fps, quantized, seed)
    return [[n6post.Detection(rect, score, 0, "person", None, None) for rect, score in frame.found] for frame in frames]


# ---- against the reference ----


@pytest.mark.parametrize("scene", CLEAR := [(5, 10, False, 1), (5, 15, True, 3), (10, 15, False, 4)])
def test_filter_and_assignment_equal_the_float64_reference(scene: Any) -> None:
    """Thousands of decisions are the same. Rects are within one and a half pixels, because integers are rounded."""
    tracker, reference = n6post.Tracker(), Reference()
    compared = 0
    for detections in street(*scene):
        tracked = tracker.update(detections)
        expected = reference.update([(d.rect, d.score, d.class_id) for d in detections])
        assert ids(tracked) == [track_id for _, track_id, _ in expected]
        for d, (which, _, (x1, y1, x2, y2)) in zip(tracked, expected):
            x, y, w, h = d.rect
            assert np.allclose((x, y, x + w, y + h), (x1, y1, x2, y2), atol=1.5)
            assert d.score == detections[which].score
            compared += 1
    assert compared > 800


@pytest.mark.parametrize("elapsed_ms", [10, 40, 160, 320])
def test_other_frame_rates_equal_the_reference_too(elapsed_ms: int) -> None:
    tracker, reference = n6post.Tracker(), Reference()
    for detections in street(3, 10, False, 6):  # no costs are so nearly equal that rounding decides, at any of these rates
        expected = reference.update([(d.rect, d.score, d.class_id) for d in detections], elapsed_ms)
        assert ids(tracker.update(detections, elapsed_ms=elapsed_ms)) == [track_id for _, track_id, _ in expected]


@pytest.mark.parametrize("options", [{"max_gap": 0.4}, {"min_hits": 4}, {"max_distance": 8.0}, {"threshold": 0.6}])
def test_each_option_has_the_effect_that_it_has_in_the_reference(options: dict[str, Any]) -> None:
    tracker, reference = n6post.Tracker(**options), Reference(**options)
    for detections in street(*CLEAR[0])[:150]:
        expected = reference.update([(d.rect, d.score, d.class_id) for d in detections])
        assert ids(tracker.update(detections)) == [track_id for _, track_id, _ in expected]


def test_the_reference_has_the_constants_of_the_tracker() -> None:
    theirs = importlib.import_module("tracker_reference")
    names = "FADE FORGET CLASS_COST AGE_COST DOUBT_COST MANEUVER_COST SIZE_COST FLOOR FLOOR_PART COVERED SURPRISE LEARN "
    names += "TURN NOISE ACCELERATION FIRST_SPEED JUMP SIZE_NOISE GROWTH FIRST_GROWTH SIZE_JUMP"
    for name in names.split():
        assert getattr(theirs, name) == getattr(TRACKER, "_" + name), name


# ---- results ----


def test_track_ids_start_at_1_with_the_second_detection_and_stay() -> None:
    tracker = n6post.Tracker()
    assert walk(tracker, 1) == []
    for k in range(1, 30):
        assert ids(walk(tracker, 1, k)) == [1, 2, 3]


def test_min_hits_is_the_number_of_detections_that_confirm_a_track() -> None:
    assert ids(walk(n6post.Tracker(min_hits=1), 1)) == [1, 2, 3]
    tracker = n6post.Tracker(min_hits=4)
    assert walk(tracker, 3) == []
    assert ids(walk(tracker, 1, 3)) == [1, 2, 3]


def test_results_are_new_objects_with_the_same_order_and_fields() -> None:
    tracker = n6post.Tracker(use_masks=False)
    rects = [(300 - 90 * i, 50, 40, 90) for i in range(3)]
    detections = [n6post.Detection(rects[i], 0.9 - 0.1 * i, i, f"thing {i}", object(), object()) for i in range(3)]
    detections = [d.replace(keypoint_threshold=0.4, frame_size=(640, 480)) for d in detections]
    before = [tuple(d) for d in detections]
    tracker.update(detections)
    tracked = tracker.update(detections)
    assert ids(tracked) == [1, 2, 3]
    for d, given_one in zip(tracked, detections):
        assert d is not given_one and type(d) is n6post.Detection
        assert (d.keypoint_threshold, d.frame_size) == (0.4, (640, 480))
        assert d[1:4] == given_one[1:4]
        assert d.mask is given_one.mask and d.keypoints is given_one.keypoints
    assert [tuple(d) for d in detections] == before and ids(detections) == [None, None, None]


def test_a_detection_without_a_tracker_has_no_id_and_six_fields() -> None:
    d = person(3)
    assert d.track_id is None and len(d) == 6 and "track_id" not in repr(d)


def test_smooth_boxes_false_keeps_the_rects_of_the_detections() -> None:
    tracker = n6post.Tracker(smooth_boxes=False)
    walk(tracker, 5)
    detections = [person(20 + 100 * i + 23) for i in range(3)]
    assert [d.rect for d in tracker.update(detections)] == [d.rect for d in detections]


@pytest.mark.parametrize("family", ["YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet"])
def test_the_tracker_takes_the_detections_of_every_family(family: str) -> None:
    make, model, _ = FAMILIES[family]
    processor, network, tracker = make(), model(), n6post.Tracker(threshold=0.3)
    for _ in range(3):
        detections = network.run(processor, Framed((0, 0, 320, 240)))
        tracked = tracker.update(detections)
    assert len(detections) == len(tracked) > 0
    assert sorted(ids(tracked)) == list(range(1, len(detections) + 1))


def test_a_lost_track_keeps_its_id_for_max_gap_seconds() -> None:
    for hidden, kept in ((1, True), (9, True), (10, False)):  # the next detection is 80 ms later
        tracker = n6post.Tracker(max_gap=0.8)
        for _ in range(5):
            tracker.update([person(100)])
        for _ in range(hidden):
            assert tracker.update([]) == []
        tracker.update([person(100)])
        assert ids(tracker.update([person(100)])) == [1 if kept else 2]


def test_an_unconfirmed_track_may_miss_one_frame_and_not_two() -> None:
    for missed, number in ((1, True), (2, False)):
        tracker = n6post.Tracker()
        tracker.update([person(100)])
        for _ in range(missed):
            tracker.update([])
        assert (tracker.update([person(100)]) != []) is number


def test_a_low_score_continues_a_track_but_starts_none() -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    low = [person(20 + 100 * i + 20, score=0.2) for i in range(3)]
    assert ids(tracker.update([*low, person(500, score=0.2)])) == [1, 2, 3]
    for _ in range(5):
        assert 4 not in ids(tracker.update([person(500, score=0.49)]))
    assert tracker.update([person(40, score=0.05)]) == []


def test_low_scores_alone_keep_a_track_for_max_gap_seconds() -> None:
    tracker = n6post.Tracker(max_gap=0.64)
    tracker.update([person(100)])
    assert tracker.update([person(100, score=0.3)]) == []  # and they confirm no track
    for _ in range(3):
        tracker.update([person(100)])
    held = [len(tracker.update([person(100, score=0.3)])) for _ in range(20)]
    assert held == [1] * 8 + [0] * 12


def test_high_scores_are_matched_first_whatever_their_order() -> None:
    tracker = n6post.Tracker()
    for _ in range(5):
        tracker.update([person(100)])
    # The detection with the low score is nearer, and first in the list.
    tracked = tracker.update([person(100, score=0.3), person(104, score=0.8)])
    assert [(d.track_id, d.score) for d in tracked] == [(1, 0.8)]


def test_the_nearest_pair_is_matched_first() -> None:
    tracker = n6post.Tracker()
    for _ in range(5):
        tracker.update([person(100), person(120)])
    assert ids(tracker.update([person(111), person(123)])) == [1, 2]


def test_another_class_is_a_cost_but_does_not_prevent_a_match() -> None:
    tracker = n6post.Tracker()
    for _ in range(5):
        tracker.update([person(100, class_id=2)])
    assert ids(tracker.update([person(100, class_id=7)])) == [1]
    tracker.update([person(100, class_id=7)])
    tracked = tracker.update([person(101, class_id=2), person(100, class_id=7)])
    assert [(d.track_id, d.class_id) for d in tracked] == [(1, 7)]


def test_no_track_starts_on_top_of_another_one_of_its_class() -> None:
    tracker = n6post.Tracker(min_hits=1)
    detections = [person(100), person(104), person(104, class_id=1), person(125)]
    assert [d.rect for d in tracker.update(detections)] == [detections[0].rect, detections[2].rect, detections[3].rect]


def test_coast_appends_lost_tracks_at_their_predicted_position() -> None:
    tracker = n6post.Tracker(coast=0.24)
    detections = [n6post.Detection((10 + 6 * k, 50, 40, 90), 0.8, 4, "cat", object(), object()) for k in range(20)]
    detections = [d.replace(keypoint_threshold=0.4, frame_size=(640, 480)) for d in detections]
    still = person(400)
    for d in detections[:10]:
        tracker.update([d._replace(mask=None), still])
    for k in range(10, 13):
        tracked = tracker.update([still])
        assert ids(tracked) == [2, 1]
        lost = tracked[1]
        assert lost[1:] == (0.8, 4, "cat", None, None)
        assert (lost.keypoint_threshold, lost.frame_size) == (0.4, (640, 480))
        assert abs(lost.rect[0] - detections[k].rect[0]) < 6 and lost.rect[1:] == (50, 40, 90)
    assert ids(tracker.update([still])) == [2]
    assert ids(tracker.update([still, detections[14]._replace(mask=None)])) == [2, 1]


@pytest.mark.parametrize("coast", [80, 240, 8000])
def test_coast_counts_milliseconds(coast: int) -> None:
    """Short steps, long ones, and a track that is lost slightly too long."""
    for steps in ([40] * (coast // 40), [coast], [coast - 60, 40, 20]):
        tracker = n6post.Tracker(coast=coast / 1000, max_gap=100)
        for _ in range(10):
            tracker.update([person(100)])
        assert [ids(tracker.update([], elapsed_ms=ms)) for ms in steps] == [[1]] * len(steps)
        assert [track.missed for track in tracker.tracks] == [coast / 1000]
        assert tracker.update([], elapsed_ms=1) == []
        assert [track.missed for track in tracker.tracks] == [pytest.approx((coast + 1) / 1000, abs=1 / 3200)]


def test_rects_stay_within_the_extent_of_all_detections() -> None:
    tracker = n6post.Tracker(coast=2.4)
    for k in range(10):
        tracked = tracker.update([person(500 + 12 * k if k < 8 else 584, w=30 if k < 8 else 56)])
        assert all(d.rect[0] + d.rect[2] <= 640 for d in tracked)
    for _ in range(20):
        for d in tracker.update([]):
            assert d.rect[0] + d.rect[2] <= 640 and d.rect[2] > 0 and d.rect[3] > 0


def test_the_extent_of_all_detections_includes_the_frames_corner() -> None:
    """A track that comes from the upper left or leaves there, and is lost, ends at x = 0 and y = 0."""
    for step in (12, -12):
        tracker = n6post.Tracker(coast=2.5)
        for k in range(10):
            place = 12 * k - 200 if step > 0 else 250 - 12 * k
            tracker.update([person(place, place, 30, 30)])
        rects = [d.rect for _ in range(40) for d in tracker.update([])]
        assert len(rects) > 5 and min(w for _, _, w, _ in rects) > 0
        if step > 0:
            assert rects[0][0] < 0 and max(x + w for x, _, w, _ in rects) == max(y + h for _, y, _, h in rects) == 0
        else:
            assert min(x for x, *_ in rects) == min(y for _, y, *_ in rects) == 0


@pytest.mark.parametrize("turned", [False, True])
def test_the_rect_of_an_object_that_leaves_ends_at_the_frames_edge(turned: bool) -> None:
    """An object of 8 x 300 pixels leaves a frame of 640 pixels, until its box has no width."""
    tracker = n6post.Tracker()
    last = []
    for k in range(42):
        x = min(300 + 10 * k, 640)
        rect = x, 100, min(8, 640 - x), 300
        rect = (rect[1], rect[0], rect[3], rect[2]) if turned else rect
        last = tracker.update([n6post.Detection(rect, 0.9, 0, "person", None, None)])
        for d in last:
            x, y, w, h = d.rect
            assert (y + h if turned else x + w) <= 640
    assert last


def test_elapsed_ms_counts_skipped_frames() -> None:
    tracker = n6post.Tracker(max_gap=0.8)
    for k in range(8):
        tracker.update([person(20 + 8 * k)])
    assert ids(tracker.update([person(20 + 8 * 12)], elapsed_ms=400)) == [1]
    assert ids(tracker.update([person(20 + 8 * 13)])) == [1]
    tracker.update([], elapsed_ms=800)
    assert [track.missed for track in tracker.tracks] == [0.8]
    assert tracker.update([person(20 + 8 * 24)], elapsed_ms=160) == []


def test_tracks_lists_all_confirmed_tracks() -> None:
    tracker = n6post.Tracker()
    assert tracker.tracks == []
    walk(tracker, 20)
    tracker.update([person(20 + 80), person(600)])
    first, second, third = tracker.tracks
    assert (first.track_id, first.hits, first.missed, first.class_id) == (1, 21, 0.0, 0)
    assert (second.missed, third.missed) == (0.08, 0.08)
    assert all(abs(track.velocity[0] - 50) < 7.5 and abs(track.velocity[1]) < 1.2 for track in (first, second, third))
    assert abs(second.rect[0] - 200) < 3 and second.rect[1:] == (100, 30, 80)


def test_a_track_is_a_named_tuple_with_the_same_speed_down_and_right() -> None:
    tracker = n6post.Tracker()
    for k in range(20):
        tracker.update([person(20 + 7 * k, 30 + 7 * k, 40, 40)])
    (track,) = tracker.tracks
    assert track.velocity[0] == track.velocity[1] == pytest.approx(87.5, abs=6)
    shown = r"Track\(track_id=1, rect=\(.*\), velocity=\(.*\), missed=0.0, hits=20, class_id=0, age=1.52\)"
    assert re.fullmatch(shown, repr(track))


def test_after_the_largest_track_id_they_start_at_1_again() -> None:
    tracker = n6post.Tracker()
    for table in tracker._tables:
        table[VIPER["_NEXT_ID"]] = 2**30 - 2
    found = [n6post.Detection((100 * i, 0, 50, 50), 0.9, 0, "a", None, None) for i in range(4)]
    tracker.update(found)
    assert [d.track_id for d in tracker.update(found)] == [2**30 - 2, 2**30 - 1, 1, 2]


def test_reset_drops_all_tracks_and_never_reuses_an_id() -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    tracker.reset()
    assert tracker.tracks == []
    assert walk(tracker, 1) == []
    assert ids(walk(tracker, 3)) == [4, 5, 6]


def test_tracks_survive_the_assignment_of_an_option() -> None:
    tracker = n6post.Tracker(max_tracks=3)
    walk(tracker, 5)
    tracker.max_tracks = 200
    tracker.smooth_boxes = False
    many = [person(20 + 20), person(120 + 20), person(220 + 20), *[person(30 * i, 300) for i in range(20)]]
    tracker.update(many)
    assert ids(tracker.update(many)) == [1, 2, 3, *range(4, 24)]
    assert [d.rect for d in tracker.update(many)] == [d.rect for d in many]


def test_a_full_table_drops_the_track_that_was_lost_first() -> None:
    tracker = n6post.Tracker(max_tracks=3, min_hits=1)
    tracker.update([person(0), person(100), person(200)])
    tracker.update([person(100), person(200)])
    assert ids(tracker.update([person(100), person(400)])) == [2, 4]
    assert [track.track_id for track in tracker.tracks] == [4, 2, 3]
    assert ids(tracker.update([person(100 * i) for i in range(1, 9)])) == [2, 3, 4]


# ---- masks and jitter ----


def jitter(frames: list[list[Any]]) -> float:
    """The standard deviation of a walker's x around their own course, in pixels, from second differences."""
    courses: dict[int, list[tuple[int, float]]] = {}
    for number, detections in enumerate(frames):
        for d in detections:
            if d.label == "person":
                courses.setdefault(d.track_id, []).append((number, d.rect[0] + d.rect[2] / 2))
    bends = []
    for course in [c for c in courses.values() if len(c) > 60]:
        bends += [c - 2 * b + a for (k, a), (_, b), (m, c) in zip(course, course[1:], course[2:]) if m == k + 2]
    return float(np.sqrt(np.mean(np.square(bends)) / 6))


def tracked_street(**options: Any) -> list[list[Any]]:
    tracker = n6post.Tracker(**options)
    return [tracker.update(detections, elapsed_ms=100) for detections in recorded.street()]


def test_smoothing_and_masks_reduce_the_jitter_on_the_recorded_street() -> None:
    raw, boxes, masks = [jitter(tracked_street(**o)) for o in ({"smooth_boxes": False}, {"use_masks": False}, {})]
    assert boxes < raw / 2.5 and masks < 0.8 * boxes, (raw, boxes, masks)


# Seven of ten walkers: (frame, a pixel on them) soon after they came, half way, and before they left. Found by eye.
WALKERS = {
    "in red and blue, of the couple": [(30, 403, 188), (170, 425, 85), (298, 370, 120)],
    "in black, of the couple": [(30, 426, 188), (170, 440, 85), (298, 392, 122)],
    "in jeans, who comes back": [(50, 430, 205), (160, 430, 78), (298, 120, 125)],
    "on the lawn": [(105, 130, 48), (140, 75, 60), (172, 5, 80)],
    "in stripes": [(147, 394, 170), (200, 145, 140), (280, 10, 130)],
    "in black, late": [(225, 449, 160), (250, 352, 145), (298, 168, 122)],
    "in brown, late": [(235, 442, 200), (265, 322, 180), (298, 210, 160)],
}


@pytest.mark.parametrize("hidden", [3, 12])
def test_somebody_who_is_hidden_from_the_feet_up_keeps_the_id(hidden: int) -> None:
    tracker = n6post.Tracker()
    seen = [(80, 0.9)] * 15 + [(60, 0.3), (40, 0.3), (20, 0.3)] + [(0, 0.0)] * hidden + [(80, 0.9)] * 10
    given = set()
    for k, (height, score) in enumerate(seen):
        found = [person(100 + 3 * k, 100, 40, height, score=score)] if height else []
        given.update(ids(tracker.update(found, elapsed_ms=80)))
    assert given == {1}


def test_walkers_on_the_recorded_street_keep_their_id() -> None:
    """All seven. Three more change it behind the signpost."""
    frames = tracked_street()
    held = {}
    for walker, seen in WALKERS.items():
        numbers = []
        for number, x, y in seen:
            here = [d for d in frames[number] if 0 <= x - d.rect[0] < d.rect[2] and 0 <= y - d.rect[1] < d.rect[3]]
            numbers.append(here[0].track_id if here else None)
        held[walker] = numbers
    assert sum(len(set(numbers)) == 1 and bool(numbers[0]) for numbers in held.values()) == 7, held
    assert all(all(numbers) for numbers in held.values()), held
    lives: dict[int, int] = {}
    for d in [d for detections in frames for d in detections]:
        lives[d.track_id] = lives.get(d.track_id, 0) + 1
    assert len(lives) <= 17 and min(lives[held[w][0] or 0] for w in list(WALKERS)[:2]) >= 260, lives


def test_mask_centroid_equals_the_centroid_that_numpy_computes() -> None:
    rng = np.random.default_rng(8)
    for w, h in ((1, 1), (9, 14), (16, 30), (40, 70)):
        values = rng.integers(0, 256, (h + 3, w + 5)).astype(np.uint8)
        values[: h // 2] //= 2
        table = array("i", bytes(64 + 64))
        table[16 + 7 : 32] = array("i", (12, 21, 12 + w, 21 + h, 10, 20, w + 5, h + 3, 7))
        rows = array("i", bytes(4 * track_params_detection()))
        way = array("i", (2 * 256, 3 * 256, 160, -80))
        plain_tracks.mask_centroid(bytes(7) + values.tobytes(), table, 16, way, rows, 0)
        inside = values[1 : 1 + h, 2 : 2 + w] >= 128
        inside = inside[:: 1 + (h >> 4), :: 1 + (w >> 4)]
        ys, xs = np.nonzero(inside)
        x = (12 + xs.mean() * (1 + (w >> 4)) + 0.5) * 2 + 10
        y = (21 + ys.mean() * (1 + (h >> 4)) + 0.5) * 3 - 5
        centroid = [rows[VIPER["_D_CENTROID_X"]] / 16, rows[VIPER["_D_CENTROID_Y"]] / 16]
        assert np.allclose(centroid, (x, y), atol=0.3), (w, h)


# ---- wrong input ----

GOOD = person(10)


@pytest.mark.parametrize(
    "detections",
    [
        None, 3, person(10), [None], [GOOD, 4], [(10, 10, 20, 20)], ["person"], [tuple(GOOD)], {"a": GOOD},
        [GOOD._replace(rect=None)], [GOOD._replace(rect=(1, 2, 3))], [GOOD._replace(rect="abcd")],
        [GOOD, GOOD._replace(rect=(1.5, 2.5, "x", 4))], [GOOD._replace(score=None)], [GOOD._replace(score="high")],
        [GOOD._replace(class_id=None)], [GOOD._replace(rect=(0, 0, -1, 5))], [GOOD._replace(rect=(9000, 0, 1, 5))],
        [GOOD._replace(rect=(0, -2000, 1, 5))], [GOOD._replace(rect=(0, 8000, 1, 500))],
    ],
)  # fmt: skip
def test_anything_but_a_list_of_detections_is_refused(detections: Any) -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    before = tracker.tracks
    with pytest.raises(ValueError, match="detections: expected"):
        tracker.update(detections)
    assert tracker.tracks == before
    assert ids(walk(tracker, 1, 5)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("detections", "message"),
    [
        (3, "expected a list of Detection, rects of ints, got 3"),
        ([GOOD, GOOD._replace(rect=(1, 2, 3))],
         f"expected a list of Detection, rects of ints, got [{GOOD!r}, {GOOD._replace(rect=(1, 2, 3))!r}]"),
        ([GOOD, GOOD._replace(rect=(8000, 0, 192, 5))],
         f"expected rects within -1024..8191 pixels, got {GOOD._replace(rect=(8000, 0, 192, 5))!r}"),
        ([GOOD._replace(rect=(0, -1025, 1, 5))],
         f"expected rects within -1024..8191 pixels, got {GOOD._replace(rect=(0, -1025, 1, 5))!r}"),
        ([tuple(GOOD)], f"expected a list of Detection, got [{tuple(GOOD)!r}]"),
    ],
)  # fmt: skip
def test_a_refusal_shows_the_refused_detection(detections: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape('detections: ' + message)}$"):
        n6post.Tracker().update(detections)


def test_rects_at_the_limits_are_accepted() -> None:
    n6post.Tracker().update([GOOD._replace(rect=(8000, 0, 191, 5)), GOOD._replace(rect=(0, -1024, 1, 5))])


@pytest.mark.parametrize("elapsed_ms", ["1", float("nan"), math.inf, [1], 1 + 0j, Fraction(1), np.array([1.0])])
def test_a_wrong_time_is_refused(elapsed_ms: Any) -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    with pytest.raises(ValueError, match="^elapsed_ms: expected milliseconds since the last call or None, got "):
        tracker.update([], elapsed_ms=elapsed_ms)
    assert ids(walk(tracker, 1, 5)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("threshold", (-0.1, 1.1, None, "x", float("nan"))), ("low_threshold", (-1, 2)), ("max_gap", (-0.1, 600.1, None)),
        ("min_hits", (0, 1001)), ("smooth_boxes", (1, None)), ("coast", (-0.1, 600.1)), ("max_distance", (0.5, 65)),
        ("max_tracks", (0, 1001)), ("use_masks", (0,)), ("smooth_keypoints", ("yes",)),
    ],
)  # fmt: skip
def test_an_option_out_of_range_is_refused_at_first_and_later(option: str, values: tuple[Any, ...]) -> None:
    tracker = n6post.Tracker()
    for value in values:
        with pytest.raises(ValueError, match=option):
            n6post.Tracker(**{option: value})
        with pytest.raises(ValueError, match=option):
            setattr(tracker, option, value)


def test_a_hundred_objects_get_new_ids_after_a_minute_of_absence() -> None:
    tracker = n6post.Tracker(max_tracks=64)
    hundred = [person(40 * (i % 10), 60 * (i // 10), 20, 40) for i in range(100)]
    tracker.update(hundred)
    assert ids(tracker.update(hundred)) == list(range(1, 65))
    assert all(tracker.update([]) == [] for _ in range(600))
    assert tracker.tracks == []
    tracker.update(hundred)
    assert ids(tracker.update(hundred)) == list(range(65, 129))


def test_nan_scores_are_ignored_and_boxes_without_size_are_tracked() -> None:
    tracker = n6post.Tracker()
    points = [person(50, 60, 0, 0), person(200, 60, 0, 9), person(300, 60, 9, 0), person(10, score=math.nan)]
    for _ in range(5):
        tracked = tracker.update(points)
    assert [(d.track_id, d.rect) for d in tracked] == [(1, (50, 60, 0, 0)), (2, (200, 60, 0, 9)), (3, (300, 60, 9, 0))]


def test_a_negative_time_counts_as_zero() -> None:
    tracker = n6post.Tracker()
    walk(tracker, 10)
    for elapsed_ms in (-1, -1e9, 0, 0.0):
        assert ids(tracker.update([person(20 + 100 * i + 36) for i in range(3)], elapsed_ms=elapsed_ms)) == [1, 2, 3]
    assert [track.missed for track in tracker.tracks] == [0.0] * 3
    assert tracker.update([person(56)], elapsed_ms=1e9) == [] and len(tracker.tracks) == 0


rects = st.tuples(*[st.integers(-300, 900)] * 2, *[st.integers(0, 900)] * 2)
scores = st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.9, 1.001, math.nan, math.inf])
rows_of_a_frame = st.lists(st.tuples(rects, scores, st.integers(0, 2)), max_size=8)
times = st.sampled_from([80, 80, 24, 160, 3200.5, 0, -400])
frames_of_anything = st.lists(st.tuples(rows_of_a_frame, times), max_size=12)


@given(frames_of_anything, st.integers(1, 6), st.integers(1, 3))
def test_ids_are_unique_and_results_belong_to_the_frame_for_any_input(
    frames: Any, max_tracks: int, min_hits: int
) -> None:
    tracker = n6post.Tracker(max_tracks=max_tracks, min_hits=min_hits, max_gap=0.48)
    left: set[int] = set()
    there: set[int] = set()
    highest = 0
    for detections, elapsed_ms in frames:
        given_ones = [n6post.Detection(rect, score, class_id, "", None, None) for rect, score, class_id in detections]
        tracked = tracker.update(given_ones, elapsed_ms=elapsed_ms)
        numbers = ids(tracked)
        assert len(set(numbers)) == len(numbers) and not left & set(numbers)
        fresh = [n for n in numbers if n > highest]
        assert fresh == list(range(highest + 1, highest + 1 + len(fresh)))
        highest += len(fresh)
        order = iter(given_ones)
        assert all(any(d[1:] is e[1:] or repr(d[1:]) == repr(e[1:]) for e in order) for d in tracked)
        alive = {track.track_id for track in tracker.tracks}
        assert set(numbers) <= alive and len(alive) <= max_tracks
        left |= there - alive
        there = alive


# ---- the kernels ----

SOURCE = (ROOT / "lib" / "n6post" / "kernels" / "viper/tracks.py").read_text(encoding="utf-8")
VIPER = {name: int(value) for name, value in re.findall(r"^(_\w+) = const\((-?\d+)\)", SOURCE, re.MULTILINE)}
NO_MASK = plain_tracks._NO_MASK
WRITE = runpy.run_path(str(ROOT / "scripts" / "dev" / "generating" / "write_viper_stand_ins.py"))


def track_params_detection() -> int:
    return VIPER["_DETECTION"]


@pytest.mark.parametrize("name", WRITE["WHAT"])
def test_the_plain_kernels_are_generated_from_those_in_viper(name: str) -> None:
    text = WRITE["text"](name)
    assert WRITE["target_of"](name).read_text(encoding="utf-8") == text, "run python3 scripts/dev/generate.py"
    assert not re.search(r"@micropython|ptr\d", text.split('"""')[2])


def test_every_entry_of_the_tables_has_its_own_index() -> None:
    """The entries of a header, a track, a detection and a parameter block are numbered without gaps."""
    groups: dict[str, list[int]] = {"_P_": [], "_D_": [], "_A_": [], "header": [], "track": []}
    lengths = ("_HEADER", "_TRACK", "_SIZE", "_DETECTION", "_NO_MASK", "_P_BLOCK")
    names = [n for n in VIPER if not n.startswith("_ROW_CROP") and n not in lengths]
    names = names[: names.index("_P_SIZE_JUMP") + 1]
    for name in names:
        prefix = name[:3] if name[:3] in groups else "header" if name in HEADER else "track"
        groups[prefix].append(VIPER[name])
    assert groups["header"] == list(range(VIPER["_HEADER"]))
    assert groups["track"] == list(range(VIPER["_TRACK"])) and groups["_D_"] == list(range(VIPER["_DETECTION"]))
    assert set(groups["_A_"]) < {VIPER["_RECT_" + side] for side in "XYWH"}  # what the rect replaces
    size = [n for n in names if n.startswith("_SIZE_") or n in ("_W", "_H", "_VW", "_VH")]
    center = "_X _Y _VX _VY _PP _PV _VV _MANEUVER _VARIANCE _WIDE _LIMIT".split()
    assert [VIPER[n] for n in size] == [VIPER["_SIZE"] + VIPER[n] for n in center]
    center = "_P_NOISE _P_ACCELERATION _P_FIRST_SPEED _P_JUMP".split()
    assert [VIPER[n] + VIPER["_P_BLOCK"] for n in center] == list(range(VIPER["_P_SIZE_NOISE"], VIPER["_P_SIZE_JUMP"] + 1))


HEADER = ("_COUNT", "_NEXT_ID", "_LEFT", "_TOP", "_RIGHT", "_BOTTOM", "_UPDATES")


def test_a_parameter_block_holds_the_numbers_that_its_docstring_names() -> None:
    block = track_params.tracking(
        0, 1.0, 0.93, 0.8, 30, 45, 2, 64, 22.0, 4.0, 0.4, 2.0, 10.0, 8.0, 4.0, 2.0, 3.0, 0.17, 0.75, 3.0, 0.13, 1.3,
        0.05, 0.015, 0.3, 0.16, 0.1, 0.012, 0.13, 0.12,
    )  # fmt: skip
    assert block.tolist() == [
        0, 256, 238, 205, 7680, 11520, 2, 64, 1408, 256, 26, 128, 640, 512, 256, 128, 2304, 7, 192, 192, 33, 433,
        164, 236, 5898, 419, 655, 151, 1108, 236,
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("elapsed_ms", "numbers"),
    [(ms, (247, 242, 210, 118, 32113, 17721)) for ms in (10, 20)] + [(320, (221, 105, 839, 472, 369, 69))],
)
def test_four_formulas_depend_on_the_time_between_updates(elapsed_ms: int, numbers: tuple[int, ...]) -> None:
    """By hand, for a quarter of a frame of 80 ms and for four: .8 ** 4 is .4096, and 256 times that is 105."""
    tracker = n6post.Tracker()
    tracker.update([], elapsed_ms=elapsed_ms)
    names = ("FADE", "FORGET", "JUMP", "SIZE_JUMP", "FIRST_SPEED", "FIRST_GROWTH")
    assert tuple(tracker._block[VIPER["_P_" + name]] for name in names) == numbers


def one_track(**words: int) -> Any:
    """A table with one track, whose detection is the first row."""
    tracks = array("i", [0] * (VIPER["_HEADER"] + VIPER["_TRACK"]))
    tracks[VIPER["_COUNT"]], tracks[VIPER["_NEXT_ID"]] = 1, 1
    for name, value in words.items():
        tracks[VIPER["_HEADER"] + VIPER["_" + name.upper()]] = value
    return tracks


def one_row(**words: int) -> Any:
    """A detection without a mask that belongs to the first track."""
    row = array("i", [0] * VIPER["_DETECTION"])
    for name, value in ({"track": VIPER["_HEADER"], "centroid_x": NO_MASK} | words).items():
        row[VIPER["_D_" + name.upper()]] = value
    return row


def word(tracks: Any, name: str) -> int:
    return int(tracks[VIPER["_HEADER"] + VIPER["_" + name.upper()]])


def block_of(many: int, dt: int = 256) -> Any:
    block = n6post.Tracker()._make_block()
    block[VIPER["_P_COUNT"]], block[VIPER["_P_DT"]], block[VIPER["_P_FADE"]] = many, dt, 238
    block[VIPER["_P_FORGET"]] = 205
    return block


def rounded(numerator: int, denominator: int) -> int:
    return math.floor(Fraction(numerator, denominator) + Fraction(1, 2))


def test_a_correction_equals_the_kalman_filter_exactly() -> None:
    """Compared with fractions. Gains and variances are rounded down, positions and speeds to the nearest."""
    for seed in range(200):
        check_correction(random.Random(seed))


def floor_of(area: int, block: Any) -> int:
    return max(min(area * block[VIPER["_P_FLOOR_PART"]], block[VIPER["_P_FLOOR"]]), 64)


def check_correction(rng: random.Random) -> None:
    block = block_of(1)
    w, h = [16 * rng.randrange(1, 300) for _ in range(2)]
    area = w * h // 256
    before = {"x": rng.randrange(9000), "y": rng.randrange(9000), "w": w, "h": h, "hits": 3, "id": 1, "unsure": 512}
    missed = rng.choice([256, 256, 128, 30, 1024])
    before |= {"missed": missed, "misses": rng.randrange(3)}
    # Sometimes far enough for the highest speed.
    far = rng.choice([90, 900, 9000])
    seen = {"x": before["x"] + rng.randrange(-far, far), "y": before["y"] + rng.randrange(-far, far)}
    seen |= {"w": 16 * rng.randrange(300), "h": 16 * rng.randrange(300), "class_id": 5, "round": rng.choice([1, 2])}
    parts = (("", ("x", "y"), "_P_NOISE"), ("size_", ("w", "h"), "_P_SIZE_NOISE"))
    noises = [(area * block[VIPER[name]] // 256 + floor_of(area, block)) * seen["round"] for _, _, name in parts]
    for (part, axes, _), noise in zip(parts, noises):
        pp = rng.randrange(max(0x3FFFF - noise, 1))
        before |= {part + "pp": pp, part + "pv": rng.randrange(2 * (pp + noise)), part + "vv": rng.randrange(1 << 20)}
        before |= {part + "maneuver": rng.randrange(1 << 16)}
        before |= {"v" + axis: rng.randrange(-900, 900) for axis in axes}
    track = one_track(**before)
    plain_tracks.update_tracks(track, one_row(**seen), block)

    for (part, axes, _), noise in zip(parts, noises):
        pp, pv, vv = [before[part + name] for name in ("pp", "pv", "vv")]
        learned = before[part + "maneuver"] * 205 // 256
        quarters = [(seen[axis] - before[axis]) >> 2 for axis in axes]
        s = pp + noise
        # In 1/16 pixel^2: half of the square, less three times what is expected.
        excess = sum(q * q >> 1 for q in quarters) - ((s >> 6) * 192 >> 4)
        if excess > 0:
            excess = 16 * min(excess, 0x3FFFFF)
            t = max(missed, 64)
            of_speed = (2 * excess // t) * 64
            pp, s, pv = pp + excess, s + excess, min(pv + of_speed, 0x1FFFFFF)
            of_speed = min((4 * of_speed // t) * 64, 0x7FFFFF)
            vv += of_speed
            learned = min(learned + ((of_speed >> 2) * block[VIPER["_P_LEARN"]] >> 6), 0xFFFFF)
        assert word(track, part + "maneuver") == learned
        # Gains are quotients of 17 bits.
        n = max(s.bit_length() - 17, 0)
        k = 4096 * (pp >> n) // (s >> n)
        assert abs(k - Fraction(4096 * pp, s)) < 1.1
        kv = 8192
        if pv >> n < 2 * (s >> n):
            kv = 4096 * (pv >> n) // (s >> n)
        for axis in axes:
            off = seen[axis] - before[axis]
            assert word(track, axis) == before[axis] + rounded(k * off, 4096)
            speed = before["v" + axis] + rounded(kv * off, 256)
            assert word(track, "v" + axis) == max(-0x3FFFF, min(0x3FFFF, speed))
        left = {"pp": pp * (4096 - k) // 4096, "pv": pv * (4096 - k) // 4096}
        left |= {"vv": min(max(0, vv - kv * pv // 4096), 0x7FFFFF)}
        assert {name: word(track, part + name) for name in left} == left
    left = {"hits": 4, "missed": 0, "misses": 0, "class_id": 5, "id": 1, "masked": 0}
    left |= {"unsure": 0 if seen["round"] == 1 else 512}
    assert {name: word(track, name) for name in left} == left


@pytest.mark.parametrize("off, moved", [(2047, 0), (2048, 1), (-2048, 0), (-2049, -1)])
def test_a_correction_of_half_a_step_is_rounded_up(off: int, moved: int) -> None:
    """The smallest gain, 1/4096."""
    tracks = one_track(x=9000, y=9000, w=4096, h=4096, pp=1, size_pp=1)
    block = block_of(1)
    block[VIPER["_P_NOISE"]] = block[VIPER["_P_SIZE_NOISE"]] = 0
    block[VIPER["_P_FLOOR"]], block[VIPER["_P_FLOOR_PART"]], block[VIPER["_P_SURPRISE"]] = 4095, 1, 10000
    plain_tracks.update_tracks(tracks, one_row(x=9000 + off, y=9000 + off, w=4096 + off, h=4096 + off), block)
    assert [word(tracks, name) for name in "xywh"] == [9000 + moved, 9000 + moved, 4096 + moved, 4096 + moved]


@pytest.mark.parametrize("size", [16, 480, 6400])
@pytest.mark.parametrize("variance", [0x40000, 300000, 5000000, 0x0FFFFFFF])
def test_gains_of_large_variances_are_at_most_1_64_too_large(size: int, variance: int) -> None:
    block = block_of(1)
    block[VIPER["_P_SURPRISE"]] = 255
    speed = min(variance, 0x1FFFFFF)
    words = {"x": 8000, "y": 8000, "w": size, "h": size, "vx": 10, "vy": -10, "missed": 256}
    for part in ("", "size_"):
        words |= {part + "pp": variance, part + "pv": speed, part + "vv": min(2 * variance, 0x7FFFFF)}
    track = one_track(**words)
    # Near enough: no maneuver.
    plain_tracks.update_tracks(track, one_row(x=8100, y=7900, w=size + 160, h=size + 80, round=1), block)
    area = min(size * size // 256, 0xFFFFF)
    offs = {"x": 100, "y": -100, "w": 160, "h": 80}
    for axes, noise in (("xy", "_P_NOISE"), ("wh", "_P_SIZE_NOISE")):
        s = variance + area * block[VIPER[noise]] / 256 + floor_of(area, block)
        for axis in axes:
            gain = variance / s
            moved = (word(track, axis) - words[axis]) / offs[axis]
            assert gain - 0.01 <= moved <= min(gain * 65 / 64, 1.0) + 0.01, axis
            gain = speed / s
            moved = (word(track, "v" + axis) - words.get("v" + axis, 0)) / offs[axis] / 16
            assert gain - 0.01 <= moved <= gain * 65 / 64 + 0.01, axis


@pytest.mark.parametrize("dt", [128, 256, 300, 512, 2048, 9000])
def test_a_prediction_equals_the_kalman_filter(dt: int) -> None:
    """Positions are exact. Variances are within a thousandth and a few steps, as some products are rounded down."""
    for seed in range(20):
        check_prediction(dt, random.Random(seed))


def check_prediction(dt: int, rng: random.Random) -> None:
    block = block_of(0, dt)
    w, h = [16 * rng.randrange(20, 300) for _ in range(2)]
    old = {"w": w, "h": h}
    for place in "xy":  # sometimes close to a limit
        old[place] = rng.choice([rng.randrange(-16384, 131072), -16384 + rng.randrange(500), 131056 - rng.randrange(500)])
    for part in ("", "size_"):
        old |= {part + name: rng.randrange(1 << 18) for name in ("pp", "pv", "vv")}
        old |= {part + "maneuver": rng.randrange(2000)}
    old |= {"vx": rng.randrange(-30000, 30000), "vy": rng.randrange(-30000, 30000), "hits": 7, "id": 3, "missed": 64}
    old |= {"vw": rng.randrange(-3000, 3000), "vh": rng.randrange(-3000, 3000), "misses": 2, "age": 99}
    old |= {"unsure": 32, "class_id": 2, "masked": 1, "offset_x": 11, "offset_y": -5, "found": 0}
    before, after = one_track(**old), one_track()
    block[VIPER["_P_MAX_GAP"]] = 10000
    plain_tracks.predict(before, after, block)
    steps = min(dt, 8 * 256)
    for place in "xywh":
        moved = old[place] + rounded(old["v" + place] * steps, 4096)
        low = -1024 * 16 if place in "xy" else old[place] // 2
        assert word(after, place) == max(low, min(8191 * 16, moved))
    kept = "vx vy vw vh maneuver size_maneuver hits id class_id masked offset_x offset_y misses".split()
    assert {name: word(after, name) for name in kept} == {name: old[name] for name in kept}
    counted = {"missed": 64 + dt, "unsure": 32 + dt, "age": 99 + dt, "found": -1, "price": 0}
    assert {name: word(after, name) for name in counted} == counted
    t = steps / 256
    area, new_area = w * h / 256, min(word(after, "w") * word(after, "h") / 256, 0xFFFFF)
    floor = floor_of(int(new_area), block)
    for part, noises in (("", ("NOISE", "ACCELERATION", "JUMP")), ("size_", ("SIZE_NOISE", "GROWTH", "SIZE_JUMP"))):
        noise, change, jump = [block[VIPER["_P_" + name]] for name in noises]
        q = area * change / 4096 + old[part + "maneuver"]
        pp = old[part + "pp"] + 2 * t * old[part + "pv"] + t * t * old[part + "vv"] + 21 / 64 * q * t**3
        wanted = {"pp": pp, "pv": old[part + "pv"] + t * old[part + "vv"] + q * t * t / 2, "vv": old[part + "vv"] + q * t}
        for name, value in wanted.items():
            assert word(after, part + name) == pytest.approx(value, rel=0.001, abs=4 + 2 * t**3), name
        variance = (pp + new_area * noise / 256 + floor) / 16
        assert word(after, part + "variance") == pytest.approx(variance, rel=0.002, abs=1 + t**3)
        wide = variance + new_area * jump / 1024
        if not part:
            moved = sum(min(abs(old[v] * t / 16), 0x1FFF) ** 2 for v in ("vx", "vy"))
            wide += moved / 16 * block[VIPER["_P_TURN"]] / 256
        assert word(after, part + "wide") == pytest.approx(min(wide, 0x1F00000), rel=0.01, abs=4 + t**3)
        gate = max(23 * word(after, part + "variance"), 13 * word(after, part + "wide"))
        assert word(after, part + "limit") == gate


@pytest.mark.parametrize("off, resized", [(16384, 0), (0, 16384), (16380, 16380), (16388, 16388)])
def test_squares_of_large_distances_fit_into_32_bits(off: int, resized: int) -> None:
    """The square is multiplied by 64, and must not reach the sign bit."""
    words = {name: 9000001 for name in ("variance", "wide", "size_variance", "size_wide")}
    words |= {name: 23 * 9000001 for name in ("limit", "size_limit")}
    tracks = one_track(x=0, y=0, w=16, h=16, id=1, found=-1, class_id=1, **words)
    row = one_row(x=off, y=off, w=16 + resized, h=16 + resized, class_id=1, round=1, track=-1)
    rows = Words(map(Word, row))
    plain_tracks.match(Words(map(Word, tracks)), rows, Words(map(Word, block_of(1))))
    assert rows[VIPER["_D_TRACK"]] == VIPER["_HEADER"]
    assert rows[VIPER["_D_LIMIT"]] == pytest.approx(64 * 2 * sum((d // 4) ** 2 for d in (off, resized)) / 9000001, abs=2)


@pytest.mark.parametrize("x, y", [(1, 0), (-1, 0), (0, 1), (0, -1)])
@pytest.mark.parametrize("other", [16, 48])
def test_a_box_covered_by_more_than_three_quarters_starts_no_track(x: int, y: int, other: int) -> None:
    """Boxes of 16 x 16 on each side of a box of 16 x 16 or 48 x 48, with 12 or 13 pixels inside it."""
    for inside, many in ((12, 2), (13, 1)):
        tracker = n6post.Tracker(min_hits=1)
        first = person(100, 100, other, other)
        tracker.update([first])
        at = [100 + (other - 16) // 2 + d * ((other + 16) // 2 - inside) for d in (x, y)]
        assert len(tracker.update([first, person(*at, 16, 16)])) == many, (inside, at)


class Word(int):
    """An integer whose operations must stay within 32 bits."""

    def _checked(name: str) -> Callable[..., Any]:  # type: ignore[misc]  # noqa: N805
        plain = getattr(int, name)

        def operate(self: Any, *others: Any) -> Any:
            result = plain(self, *others)
            assert -(2**31) <= result < 2**31, (name, int(self), others, int(result))
            return Word(result)

        return operate

    for _name in "add radd sub rsub mul rmul floordiv lshift rshift and or neg".split():
        locals()[f"__{_name}__"] = _checked(f"__{_name}__")


class Words(list[Any]):
    def __setitem__(self, at: Any, value: Any) -> None:
        assert -(2**31) <= value < 2**31
        super().__setitem__(at, Word(value))


def extreme(rng: random.Random) -> tuple[int, int, int, int]:
    x, y = [rng.choice([-1024, 0, 5, 300, 4000, 8191]) for _ in range(2)]
    w, h = [rng.choice([0, 1, 40, 8191]) for _ in range(2)]
    return x, y, min(w, 8191 - max(x, 0)), min(h, 8191 - max(y, 0))


@pytest.mark.parametrize("seed", range(12))
def test_all_values_fit_into_32_bits_for_any_detections(seed: int) -> None:
    rng = random.Random(seed)
    options = rng.choice([{"max_distance": 64.0}, {"max_distance": 4.0, "max_gap": 600.0}, {}])
    tracker = n6post.Tracker(**options)
    block = Words(map(Word, tracker._make_block()))
    old, new = [Words([Word(0)] * 2000) for _ in range(2)]
    old[VIPER["_NEXT_ID"]] = 1
    places = [extreme(rng) for _ in range(5)]
    for _ in range(60):
        dt = rng.choice([1, 1, 1, 0, 0.1, 8, 30, 10001])
        tracker._set_time(block, int(256 * dt), 256)
        places = [extreme(rng) if rng.random() < 0.3 else place for place in places]
        detections = [n6post.Detection(p, rng.choice([0.9, 0.2]), rng.randrange(2), "", None, None) for p in places]
        detections = detections[: rng.randrange(6)]
        rows = Words([Word(0)] * 200)
        block[VIPER["_P_COUNT"]] = len(detections)
        plain_tracks.predict(old, new, block)
        assert plain_tracks.load_detections(detections, rows, new, 0.5, 0.1) == -1
        for e in range(0, VIPER["_DETECTION"] * len(detections), VIPER["_DETECTION"]):
            if rng.random() < 0.3:
                for entry in ("_D_CENTROID_X", "_D_CENTROID_Y"):
                    rows[e + VIPER[entry]] = rng.choice([0, 131056])
        plain_tracks.match(new, rows, block)
        plain_tracks.update_tracks(new, rows, block)
        plain_tracks.tracks_to_rects(new)
        old, new = new, old
    assert old[VIPER["_NEXT_ID"]] > 1


DIGEST = """
import json
from binascii import crc32
from n6post import Detection, Tracker
for options in ({}, {"max_distance": 36.0, "coast": 0.24}):
    tracker = Tracker(**options)
    digest = 0
    for k, detections in enumerate(json.loads(open(FILE).read())):
        detections = [Detection((x, y, w, h), score, 0, "", None, None) for x, y, w, h, score in detections]
        for d in tracker.update(detections, elapsed_ms=(80, 40, 160.5, 333)[k % 4]):
            digest = crc32(b"%d %d %d %d %d" % ((d.track_id,) + d.rect), digest)
    print(digest & 0xFFFFFFFF, len(tracker.tracks))
"""


def test_micropython_gives_the_same_numbers_and_rects_as_cpython(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = [[(*rect, score) for rect, score in frame.found] for frame in synthetic_street.street(10, 10, True, 4)]
    file = tmp_path / "frames.json"
    file.write_text(json.dumps(frames), encoding="utf-8")
    code = DIGEST.replace("FILE", repr(str(file)))
    exec(code, {})
    assert on_micropython(code) == capsys.readouterr().out.strip()


@pytest.mark.parametrize("error", [SyntaxError("invalid micropython decorator"), ValueError("incompatible .mpy"), None])
def test_micropython_loads_the_viper_kernels_or_else_their_stand_ins(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    # CPython does not try the viper kernels.
    assert importlib.import_module("n6post.kernels").tracks is plain_tracks
    module = importlib.import_module("n6post.kernels")
    asked = []

    def import_one(name: str, *_: object) -> Any:
        asked.append(name)
        if error and name.startswith("n6post"):
            raise error
        return name

    monkeypatch.setattr(module, "__import__", import_one, raising=False)
    monkeypatch.setattr(module, "sys", type(sys)("sys"))
    module.sys.implementation = type(sys.implementation)(name="micropython")
    assert module.load("tracks") == ("_viper.tracks" if error else "n6post.kernels.viper.tracks")
    assert asked == ["n6post.kernels.viper.tracks", "_viper.tracks"][: 1 + bool(error)]


def test_a_memory_error_does_not_select_the_plain_kernels(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("n6post.kernels")

    def no_memory(*_: object) -> Any:
        raise MemoryError

    monkeypatch.setattr(module, "__import__", no_memory, raising=False)
    monkeypatch.setattr(module, "sys", type(sys)("sys"))
    module.sys.implementation = type(sys.implementation)(name="micropython")
    with pytest.raises(MemoryError):
        module.load("tracks")


# --- what starts and ends, and how old it is ---
def test_started_has_the_detections_whose_tracks_were_confirmed() -> None:
    tracker = n6post.Tracker(coast=0.4)
    assert tracker.started == tracker.ended == []
    tracker.update([person(100)])
    assert tracker.started == []
    result = tracker.update([person(100), person(300)])
    assert [id(d) for d in tracker.started] == [id(d) for d in result]
    result = tracker.update([person(100), person(300), person(500)])
    assert [id(d) for d in tracker.started] == [id(result[1])]
    tracker.update([person(300), person(500)])
    assert ids(tracker.started) == [3] and tracker.ended == []
    tracker.update([person(300), person(500)])
    assert tracker.started == []


def test_ended_has_the_tracks_that_were_given_up() -> None:
    tracker = n6post.Tracker(max_gap=0.24)
    for _ in range(10):
        tracker.update([person(100)])
    for _ in range(3):
        tracker.update([person(600)])
        assert tracker.ended == []
    tracker.update([person(600)])
    (ended,), (track,) = tracker.ended, tracker.tracks
    assert track.track_id == 2
    assert (ended.track_id, ended.hits, ended.missed, ended.age) == (1, 10, 0.24, 0.96)
    tracker.update([person(600)])
    assert tracker.ended == []


def test_an_unconfirmed_track_neither_starts_nor_ends() -> None:
    tracker = n6post.Tracker(min_hits=5)
    for k in range(12):
        tracker.update([person(100)] if k < 4 else [])
        assert tracker.started == tracker.ended == []


@pytest.mark.parametrize("seed", range(6))
def test_every_track_starts_and_ends_once(seed: int) -> None:
    """Objects come and go. Whatever happens to the options, each id is told once at each end, and lives in between."""
    rng = random.Random(seed)
    tracker = n6post.Tracker(max_gap=0.32, max_tracks=6, coast=0.08 * (seed % 3))
    started: list[int] = []
    ended: list[int] = []
    reset: set[int] = set()
    for k in range(200):
        if rng.random() < 0.05:
            tracker.max_gap = 0.08 * rng.randrange(1, 8)
            tracker.max_tracks = rng.choice([3, 6, 12])
        if rng.random() < 0.01:
            tracker.reset()
            reset |= set(started) - set(ended)
            assert tracker.started == tracker.ended == []
        places = [i for i in range(9) if (k // (3 + i) + i) % 3]
        found = [person(200 * i, 100, 30, 80, 0.9 if rng.random() < 0.9 else 0.2) for i in places]
        if rng.random() < 0.05:
            with pytest.raises(ValueError):
                tracker.update([*found, 5])  # type: ignore[list-item]
            assert tracker.started == tracker.ended == []
        result = tracker.update(found, elapsed_ms=rng.choice([80, 80, 40, 160]))
        new = ids(tracker.started)
        assert all(any(d is one for one in result) for d in tracker.started)
        started += new
        ended += [track.track_id for track in tracker.ended]
        assert len(set(started)) == len(started) and len(set(ended)) == len(ended)
        assert set(ids(result)) <= set(started) - set(ended) - reset
        assert {track.track_id for track in tracker.tracks} <= set(started) - set(ended) - reset
    assert started == list(range(1, len(started) + 1)) and len(ended) > 20
    alive = set(started) - set(ended) - reset
    assert len(alive) <= 12
    for _ in range(12):
        tracker.update([])
        ended += [track.track_id for track in tracker.ended]
    assert set(started) == set(ended) | reset and len(ended) == len(set(ended))


def test_started_counts_past_the_largest_track_id() -> None:
    tracker = n6post.Tracker()
    for table in tracker._tables:
        table[VIPER["_NEXT_ID"]] = 2**30 - 2
    found = [n6post.Detection((100 * i, 0, 50, 50), 0.9, 0, "a", None, None) for i in range(4)]
    tracker.update(found)
    tracker.update(found)
    assert ids(tracker.started) == [2**30 - 2, 2**30 - 1, 1, 2]
    tracker.update(found)
    assert tracker.started == []


def test_nothing_has_started_or_ended_after_an_update_that_failed() -> None:
    tracker = n6post.Tracker(max_gap=0.16, min_hits=1)
    tracker.update([person(100)])
    assert ids(tracker.started) == [1]
    with pytest.raises(ValueError):
        tracker.update([person(100), None])  # type: ignore[list-item]
    assert tracker.started == tracker.ended == [] and ids(tracker.tracks) == [1]
    tracker.update([person(600)])
    assert ids(tracker.started) == [2] and tracker.ended == []
    tracker.update([person(600)])
    assert [track.track_id for track in tracker.ended] == [1]
    with pytest.raises(ValueError):
        tracker.update(None)  # type: ignore[arg-type]
    assert tracker.ended == []


def test_age_and_missed_count_seconds_since_the_first_and_the_last_detection() -> None:
    tracker = n6post.Tracker(min_hits=1, coast=0.32)
    ages = []
    for k, elapsed_ms in enumerate([80, 80, 40, 160, 80, 80, 80]):
        (d,) = tracker.update([] if k in (4, 5) else [person(100)], elapsed_ms=elapsed_ms)
        ages.append((d.age, d.missed))
    assert ages == [(0.0, 0.0), (0.08, 0.0), (0.12, 0.0), (0.28, 0.0), (0.36, 0.08), (0.44, 0.16), (0.52, 0.0)]
    assert [(track.age, track.missed) for track in tracker.tracks] == [(0.52, 0.0)]


def test_the_velocity_of_a_detection_is_that_of_its_track() -> None:
    tracker = n6post.Tracker(coast=0.4)
    for k in range(20):
        result = tracker.update([person(20 + 6 * k, 300 - 3 * k)])
    (d,), (track,) = result, tracker.tracks
    assert d.velocity == track.velocity == (pytest.approx(75, abs=6), pytest.approx(-37.5, abs=6))
    (lost,), (track,) = tracker.update([]), tracker.tracks
    assert lost.velocity == track.velocity and 0 < lost.velocity[0] < d.velocity[0]
    assert (lost.age, lost.missed) == (track.age, track.missed) == (1.6, 0.08)


def test_the_age_of_a_very_old_track_stays_at_its_limit() -> None:
    tracker = n6post.Tracker(min_hits=1)
    tracker.update([person(100)])
    oldest = plain_tracks._OLDEST
    tracker._tables[tracker._kept[0]][VIPER["_HEADER"] + VIPER["_AGE"]] = oldest - 100
    for _ in range(2):
        (d,) = tracker.update([person(100)])
        assert d.age == oldest / 3200


# --- what a script remembers of a track ---
def test_data_lives_with_its_track_and_is_shared_with_no_other() -> None:
    tracker = n6post.Tracker(coast=0.4)
    first = walk(tracker, 2)
    first[0].data["greeted"] = True
    later = walk(tracker, 150, 2)
    assert [d.data for d in later] == [{"greeted": True}, {}, {}]
    assert later[0].data is first[0].data and later[1].data is not later[2].data
    lost = tracker.update([])
    assert [(d.track_id, d.data is first[d.track_id - 1].data) for d in lost] == [(1, True), (2, True), (3, True)]
    assert n6post.Tracker(min_hits=1).update([person(20)])[0].data == {}


@pytest.mark.parametrize(("elapsed_ms", "kept"), [(800, True), (801, False)])
@pytest.mark.parametrize("used", [2, 100])
def test_data_is_forgotten_max_gap_after_its_track_was_dropped(elapsed_ms: int, kept: bool, used: int) -> None:
    tracker = n6post.Tracker(max_gap=0.8, min_hits=1)
    (d,) = tracker.update([person(20)])
    d.data["seen"] = True
    for _ in range(used):  # though nobody asks for it
        tracker.update([person(20)])
    tracker.update([], elapsed_ms=800)
    assert len(tracker.tracks) == 1
    tracker.update([], elapsed_ms=elapsed_ms)
    assert tracker.tracks == [] and (d.data == {"seen": True}) is kept


def test_data_is_forgotten_by_reset() -> None:
    tracker = n6post.Tracker(min_hits=1)
    (d,) = tracker.update([person(20)])
    d.data["seen"] = True
    tracker.reset()
    assert d.data == {}


def test_a_detection_that_no_tracker_returned_has_no_data() -> None:
    d = person(20)
    d.track_id = 4
    message = f"data: expected a detection that Tracker.update has returned, got {d!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        d.data  # noqa: B018
    (tracked,) = n6post.Tracker(min_hits=1).update([person(20)])
    tracked.data["seen"] = True
    assert tracked.replace(score=0.5).data == {"seen": True}
