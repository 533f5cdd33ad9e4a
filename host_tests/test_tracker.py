"""lib/n6post/tracker.py and its kernels: against a float64 reference, on made-up streets and a real one, and on nonsense."""

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

import crowd
import n6post
import numpy as np
import pytest
import recorded
from fakes import Framed
from hypothesis import given
from hypothesis import strategies as st
from n6post.detection import with_keypoints
from n6post.kernels import portable_tracks, track_plans
from test_init import on_micropython
from test_memory import FAMILIES
from tracker_reference import Reference

ROOT = Path(__file__).parents[1]
TRACKER = importlib.import_module("n6post.tracker")


def person(
    x: int, y: int = 100, w: int = 30, h: int = 80, score: float = 0.9, class_id: int = 0, **more: Any
) -> n6post.Detection:
    return n6post.Detection((x, y, w, h), score, class_id, "person", more.get("mask"), more.get("keypoints"))


def ids(found: list[Any]) -> list[int]:
    return [d.track_id for d in found]


def walk(tracker: Any, frames: int, first: int = 0) -> list[Any]:
    """Three people walking right, 100 pixels from one to the next; what the tracker made of the last frame."""
    result = []
    for k in range(first, first + frames):
        result = tracker.update([person(20 + 100 * i + 4 * k) for i in range(3)])
    return result


def street(people: int, fps: int, quantised: bool, seed: int) -> list[list[Any]]:
    frames = crowd.street(people, fps, quantised, seed)
    return [[n6post.Detection(rect, score, 0, "person", None, None) for rect, score in frame.found] for frame in frames]


# ---- against the reference ----


@pytest.mark.parametrize("scene", CLEAR := [(5, 10, False, 1), (5, 15, True, 2), (10, 15, False, 4)])
def test_filter_and_assignment_are_those_of_the_float64_reference(scene: Any) -> None:
    """Thousands of decisions with the same outcome, rects within a pixel and a half: whole numbers round."""
    tracker, reference = n6post.Tracker(), Reference()
    compared = 0
    for found in street(*scene):
        tracked = tracker.update(found)
        expected = reference.update([(d.rect, d.score, d.class_id) for d in found])
        assert ids(tracked) == [track_id for _, track_id, _ in expected]
        for d, (which, _, (x1, y1, x2, y2)) in zip(tracked, expected):
            x, y, w, h = d.rect
            assert np.allclose((x, y, x + w, y + h), (x1, y1, x2, y2), atol=1.5)
            assert d.score == found[which].score
            compared += 1
    assert compared > 800


@pytest.mark.parametrize("dt", [0.5, 2.0])
def test_another_frame_rate_is_the_references_too(dt: float) -> None:
    tracker, reference = n6post.Tracker(), Reference()
    for found in street(*CLEAR[0]):
        expected = reference.update([(d.rect, d.score, d.class_id) for d in found], dt)
        assert ids(tracker.update(found, dt)) == [track_id for _, track_id, _ in expected]


@pytest.mark.parametrize("options", [{"max_age": 5}, {"min_hits": 4}, {"gate": 8.0}, {"threshold": 0.6}])
def test_an_option_means_what_it_means_to_the_reference(options: dict[str, Any]) -> None:
    tracker, reference = n6post.Tracker(**options), Reference(**options)
    for found in street(*CLEAR[0])[:150]:
        expected = reference.update([(d.rect, d.score, d.class_id) for d in found])
        assert ids(tracker.update(found)) == [track_id for _, track_id, _ in expected]


def test_the_reference_has_the_numbers_of_the_tracker() -> None:
    theirs = importlib.import_module("tracker_reference")
    pairs = {"CENTRE": "_CENTRE_NOISE", "SIZE": "_SIZE_NOISE"}
    names = "FADE CLASS_COST AGE_COST DOUBT_COST FLOOR CENTRE SIZE ACCELERATION GROWTH FIRST_SPEED COVERED"
    for name in names.split():
        assert getattr(theirs, name) == getattr(TRACKER, pairs.get(name, "_" + name)), name


# ---- what comes back ----


def test_numbers_count_from_1_and_stay_and_nobody_has_one_before_the_second_detection() -> None:
    tracker = n6post.Tracker()
    assert walk(tracker, 1) == []
    for k in range(1, 30):
        assert ids(walk(tracker, 1, k)) == [1, 2, 3]


def test_min_hits_1_gives_a_number_at_once_and_4_at_the_fourth() -> None:
    assert ids(walk(n6post.Tracker(min_hits=1), 1)) == [1, 2, 3]
    tracker = n6post.Tracker(min_hits=4)
    assert walk(tracker, 3) == []
    assert ids(walk(tracker, 1, 3)) == [1, 2, 3]


def test_results_are_new_objects_in_the_inputs_order_with_its_own_mask_keypoints_class_and_label() -> None:
    tracker = n6post.Tracker(use_masks=False)
    kind: Any = with_keypoints(0.4)
    found = [kind((300 - 90 * i, 50, 40, 90), 0.9 - 0.1 * i, i, f"thing {i}", object(), object()) for i in range(3)]
    before = [tuple(d) for d in found]
    tracker.update(found)
    tracked = tracker.update(found)
    assert ids(tracked) == [1, 2, 3]
    for d, given_one in zip(tracked, found):
        assert d is not given_one and type(d) is kind and d.keypoint_threshold == 0.4
        assert d[1:4] == given_one[1:4]
        assert d.mask is given_one.mask and d.keypoints is given_one.keypoints
    assert [tuple(d) for d in found] == before and ids(found) == [None, None, None]


def test_a_detection_without_a_tracker_has_no_number_and_six_entries() -> None:
    d = person(3)
    assert d.track_id is None and len(d) == 6 and "track_id" not in repr(d)


def test_smooth_false_leaves_the_rects_as_they_came() -> None:
    tracker = n6post.Tracker(smooth=False)
    walk(tracker, 5)
    found = [person(20 + 100 * i + 23) for i in range(3)]
    assert [d.rect for d in tracker.update(found)] == [d.rect for d in found]


@pytest.mark.parametrize("family", ["YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet"])
def test_it_takes_what_every_family_returns(family: str) -> None:
    make, model, _ = FAMILIES[family]
    processor, network, tracker = make(), model(), n6post.Tracker(threshold=0.3)
    for _ in range(3):
        found = network.run(processor, Framed((0, 0, 320, 240)))
        tracked = tracker.update(found)
    assert len(found) == len(tracked) > 0
    assert sorted(ids(tracked)) == list(range(1, len(found) + 1))


def test_a_person_who_hides_keeps_the_number_up_to_max_age_frames() -> None:
    for hidden, kept in ((1, True), (10, True), (11, False)):
        tracker = n6post.Tracker(max_age=10)
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


def test_a_low_score_keeps_a_track_and_begins_none() -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    low = [person(20 + 100 * i + 20, score=0.2) for i in range(3)]
    assert ids(tracker.update([*low, person(500, score=0.2)])) == [1, 2, 3]
    for _ in range(5):
        assert 4 not in ids(tracker.update([person(500, score=0.49)]))
    assert tracker.update([person(40, score=0.05)]) == []


def test_low_scores_alone_keep_a_track_no_longer_than_a_lost_one_is_kept() -> None:
    tracker = n6post.Tracker(max_age=8)
    tracker.update([person(100)])
    assert tracker.update([person(100, score=0.3)]) == []  # and confirm none
    for _ in range(3):
        tracker.update([person(100)])
    held = [len(tracker.update([person(100, score=0.3)])) for _ in range(20)]
    assert held == [1] * 8 + [0] * 12


def test_the_first_round_is_that_of_the_high_scores_whatever_their_order() -> None:
    tracker = n6post.Tracker()
    for _ in range(5):
        tracker.update([person(100)])
    # The low one is nearer, and first.
    tracked = tracker.update([person(100, score=0.3), person(104, score=0.8)])
    assert [(d.track_id, d.score) for d in tracked] == [(1, 0.8)]


def test_the_nearest_pair_comes_first() -> None:
    tracker = n6post.Tracker()
    for _ in range(5):
        tracker.update([person(100), person(120)])
    assert ids(tracker.update([person(111), person(123)])) == [1, 2]


def test_another_class_costs_and_does_not_forbid() -> None:
    tracker = n6post.Tracker()
    for _ in range(5):
        tracker.update([person(100, class_id=2)])
    assert ids(tracker.update([person(100, class_id=7)])) == [1]
    tracker.update([person(100, class_id=7)])
    tracked = tracker.update([person(101, class_id=2), person(100, class_id=7)])
    assert [(d.track_id, d.class_id) for d in tracked] == [(1, 7)]


def test_no_track_begins_on_most_of_another_one_of_its_class() -> None:
    tracker = n6post.Tracker(min_hits=1)
    found = [person(100), person(104), person(104, class_id=1), person(125)]
    assert [d.rect for d in tracker.update(found)] == [found[0].rect, found[2].rect, found[3].rect]


def test_coast_returns_the_lost_where_they_are_predicted_behind_the_others() -> None:
    tracker = n6post.Tracker(coast=3)
    found: list[Any] = [with_keypoints(0.3)((10 + 6 * k, 50, 40, 90), 0.8, 4, "cat", object(), object()) for k in range(20)]
    still = person(400)
    for d in found[:10]:
        tracker.update([d._replace(mask=None), still])
    for k in range(10, 13):
        tracked = tracker.update([still])
        assert ids(tracked) == [2, 1]
        lost = tracked[1]
        assert lost[1:] == (0.8, 4, "cat", None, None) and lost.keypoint_threshold == 0.3
        assert abs(lost.rect[0] - found[k].rect[0]) < 6 and lost.rect[1:] == (50, 40, 90)
    assert ids(tracker.update([still])) == [2]
    assert ids(tracker.update([still, found[14]._replace(mask=None)])) == [2, 1]


@pytest.mark.parametrize("coast", [1, 3, 100])
def test_coast_counts_frames_and_not_updates_to_the_256th_part_of_one(coast: int) -> None:
    """Half frames, frames that were skipped, and what is a hair too late."""
    for steps in ([0.5] * (2 * coast), [float(coast)], [coast - 0.75, 0.5, 0.25]):
        tracker = n6post.Tracker(coast=coast, max_age=1000)
        for _ in range(10):
            tracker.update([person(100)])
        assert [ids(tracker.update([], dt)) for dt in steps] == [[1]] * len(steps)
        assert [track.missed for track in tracker.tracks] == [coast]
        assert tracker.update([], 1 / 256) == []
        assert [track.missed for track in tracker.tracks] == [coast + 1 / 256]


def test_rects_stay_in_the_box_around_all_that_came() -> None:
    tracker = n6post.Tracker(coast=30)
    for k in range(10):
        tracked = tracker.update([person(500 + 12 * k if k < 8 else 584, w=30 if k < 8 else 56)])
        assert all(d.rect[0] + d.rect[2] <= 640 for d in tracked)
    for _ in range(20):
        for d in tracker.update([]):
            assert d.rect[0] + d.rect[2] <= 640 and d.rect[2] > 0 and d.rect[3] > 0


def test_the_box_around_all_that_came_has_the_corner_of_the_frame_in_it() -> None:
    """Somebody who comes from the left and above, or goes there, and is lost: x and y end at 0."""
    for step in (12, -12):
        tracker = n6post.Tracker(coast=40)
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
def test_the_rect_of_who_leaves_ends_at_the_edge_though_the_filter_goes_on(turned: bool) -> None:
    """A thing of 8 x 300 pixels leaves a frame of 640 pixels; what is left of it there has no width."""
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


def test_dt_counts_the_frames_that_were_skipped() -> None:
    tracker = n6post.Tracker(max_age=10)
    for k in range(8):
        tracker.update([person(20 + 8 * k)])
    assert ids(tracker.update([person(20 + 8 * 12)], dt=5.0)) == [1]
    assert ids(tracker.update([person(20 + 8 * 13)])) == [1]
    tracker.update([], dt=10.0)
    assert [track.missed for track in tracker.tracks] == [10.0]
    assert tracker.update([person(20 + 8 * 24)], dt=2.0) == []


def test_tracks_tells_of_all_that_are_confirmed() -> None:
    tracker = n6post.Tracker()
    assert tracker.tracks == []
    walk(tracker, 20)
    tracker.update([person(20 + 80), person(600)])
    first, second, third = tracker.tracks
    assert (first.track_id, first.hits, first.missed, first.class_id) == (1, 21, 0.0, 0)
    assert (second.missed, third.missed) == (1.0, 1.0)
    assert all(abs(track.velocity[0] - 4) < 0.6 and abs(track.velocity[1]) < 0.1 for track in (first, second, third))
    assert abs(second.rect[0] - 200) < 3 and second.rect[1:] == (100, 30, 80)


def test_a_track_has_a_name_for_each_of_its_numbers_and_is_as_fast_down_as_to_the_right() -> None:
    tracker = n6post.Tracker()
    for k in range(20):
        tracker.update([person(20 + 7 * k, 30 + 7 * k, 40, 40)])
    (track,) = tracker.tracks
    assert track.velocity[0] == track.velocity[1] == pytest.approx(7, abs=0.5)
    assert re.fullmatch(r"Track\(track_id=1, rect=\(.*\), velocity=\(.*\), missed=0.0, hits=20, class_id=0\)", repr(track))


def test_reset_forgets_everybody_and_gives_no_number_again() -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    tracker.reset()
    assert tracker.tracks == []
    assert walk(tracker, 1) == []
    assert ids(walk(tracker, 3)) == [4, 5, 6]


def test_an_option_may_be_assigned_between_frames_and_the_tracks_live_on() -> None:
    tracker = n6post.Tracker(max_tracks=3)
    walk(tracker, 5)
    tracker.max_tracks = 200
    tracker.smooth = False
    many = [person(20 + 20), person(120 + 20), person(220 + 20), *[person(30 * i, 300) for i in range(20)]]
    tracker.update(many)
    assert ids(tracker.update(many)) == [1, 2, 3, *range(4, 24)]
    assert [d.rect for d in tracker.update(many)] == [d.rect for d in many]


def test_a_full_table_gives_up_whom_it_has_not_seen_for_longest() -> None:
    tracker = n6post.Tracker(max_tracks=3, min_hits=1)
    tracker.update([person(0), person(100), person(200)])
    tracker.update([person(100), person(200)])
    assert ids(tracker.update([person(100), person(400)])) == [2, 4]
    assert [track.track_id for track in tracker.tracks] == [4, 2, 3]
    assert ids(tracker.update([person(100 * i) for i in range(1, 9)])) == [2, 3, 4]


# ---- masks and jitter ----


def jitter(frames: list[list[Any]]) -> float:
    """Standard deviation of a walker's x about their own course, pixels: from second differences."""
    courses: dict[int, list[tuple[int, float]]] = {}
    for number, found in enumerate(frames):
        for d in found:
            if d.label == "person":
                courses.setdefault(d.track_id, []).append((number, d.rect[0] + d.rect[2] / 2))
    bends = []
    for course in [c for c in courses.values() if len(c) > 60]:
        bends += [c - 2 * b + a for (k, a), (_, b), (m, c) in zip(course, course[1:], course[2:]) if m == k + 2]
    return float(np.sqrt(np.mean(np.square(bends)) / 6))


def tracked_street(**options: Any) -> list[list[Any]]:
    tracker = n6post.Tracker(**options)
    return [tracker.update(found) for found in recorded.street()]


def test_on_the_recorded_street_rects_tremble_a_third_as_much_and_with_masks_less_again() -> None:
    raw, boxes, masks = [jitter(tracked_street(**o)) for o in ({"smooth": False}, {"use_masks": False}, {})]
    assert boxes < raw / 2.5 and masks < 0.8 * boxes, (raw, boxes, masks)


# Of ten walkers followed by eye these seven: (frame, a pixel on them) soon after they came, half way, and before they left.
WALKERS = {
    "in red and blue, of the couple": [(30, 403, 188), (170, 425, 85), (298, 370, 120)],
    "in black, of the couple": [(30, 426, 188), (170, 440, 85), (298, 392, 122)],
    "in jeans, who comes back": [(50, 430, 205), (160, 430, 78), (298, 120, 125)],
    "on the lawn": [(105, 130, 48), (140, 75, 60), (172, 5, 80)],
    "in stripes": [(147, 394, 170), (200, 145, 140), (280, 10, 130)],
    "in black, late": [(225, 449, 160), (250, 352, 145), (298, 168, 122)],
    "in brown, late": [(235, 442, 200), (265, 322, 180), (298, 210, 160)],
}


def test_on_the_recorded_street_seven_of_ten_walkers_keep_their_number_from_coming_to_going() -> None:
    """The other three change theirs behind the signpost: docs/tracking.md."""
    frames = tracked_street()
    held = {}
    for walker, seen in WALKERS.items():
        numbers = []
        for number, x, y in seen:
            here = [d for d in frames[number] if 0 <= x - d.rect[0] < d.rect[2] and 0 <= y - d.rect[1] < d.rect[3]]
            numbers.append(here[0].track_id if here else None)
        held[walker] = numbers
    assert all(len(set(numbers)) == 1 and numbers[0] for numbers in held.values()), held
    lives: dict[int, int] = {}
    for d in [d for found in frames for d in found]:
        lives[d.track_id] = lives.get(d.track_id, 0) + 1
    assert len(lives) <= 17 and min(lives[held[w][0] or 0] for w in list(WALKERS)[:2]) >= 260, lives


def test_the_middle_of_a_mask_is_where_numpy_finds_it() -> None:
    rng = np.random.default_rng(8)
    for w, h in ((1, 1), (9, 14), (16, 30), (40, 70)):
        values = rng.integers(0, 256, (h + 3, w + 5)).astype(np.uint8)
        values[: h // 2] //= 2
        table = array("i", bytes(64 + 64))
        table[16 + 7 : 32] = array("i", (12, 21, 12 + w, 21 + h, 10, 20, w + 5, h + 3, 7))
        rows = array("i", bytes(4 * track_plans_detection()))
        way = array("i", (2 * 256, 3 * 256, 160, -80))
        portable_tracks.middle(bytes(7) + values.tobytes(), table, 16, way, rows, 0)
        inside = values[1 : 1 + h, 2 : 2 + w] >= 128
        inside = inside[:: 1 + (h >> 4), :: 1 + (w >> 4)]
        ys, xs = np.nonzero(inside)
        x = (12 + xs.mean() * (1 + (w >> 4)) + 0.5) * 2 + 10
        y = (21 + ys.mean() * (1 + (h >> 4)) + 0.5) * 3 - 5
        found = [rows[VIPER["_D_MIDDLE_X"]] / 16, rows[VIPER["_D_MIDDLE_Y"]] / 16]
        assert np.allclose(found, (x, y), atol=0.3), (w, h)


# ---- nonsense ----

GOOD = person(10)


@pytest.mark.parametrize(
    "found",
    [
        None, 3, person(10), [None], [GOOD, 4], [(10, 10, 20, 20)], ["person"], [tuple(GOOD)], {"a": GOOD},
        [GOOD._replace(rect=None)], [GOOD._replace(rect=(1, 2, 3))], [GOOD._replace(rect="abcd")],
        [GOOD, GOOD._replace(rect=(1.5, 2.5, "x", 4))], [GOOD._replace(score=None)], [GOOD._replace(score="high")],
        [GOOD._replace(class_id=None)], [GOOD._replace(rect=(0, 0, -1, 5))], [GOOD._replace(rect=(9000, 0, 1, 5))],
        [GOOD._replace(rect=(0, -2000, 1, 5))], [GOOD._replace(rect=(0, 8000, 1, 500))],
    ],
)  # fmt: skip
def test_what_is_no_list_of_detections_is_refused_and_changes_nothing(found: Any) -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    before = tracker.tracks
    with pytest.raises(ValueError, match="found: expected"):
        tracker.update(found)
    assert tracker.tracks == before
    assert ids(walk(tracker, 1, 5)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("found", "said"),
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
def test_what_is_refused_is_told_with_what_came(found: Any, said: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape('found: ' + said)}$"):
        n6post.Tracker().update(found)


def test_rects_at_the_ends_of_what_is_taken_are_taken() -> None:
    n6post.Tracker().update([GOOD._replace(rect=(8000, 0, 191, 5)), GOOD._replace(rect=(0, -1024, 1, 5))])


@pytest.mark.parametrize("dt", [None, "1", float("nan"), [1]])
def test_a_time_that_is_none_is_refused(dt: Any) -> None:
    tracker = n6post.Tracker()
    walk(tracker, 5)
    with pytest.raises(ValueError, match="dt: expected a number of frames"):
        tracker.update([], dt)
    assert ids(walk(tracker, 1, 5)) == [1, 2, 3]


@pytest.mark.parametrize(
    ("option", "values"),
    [
        ("threshold", (-0.1, 1.1, None, "x", float("nan"))), ("low_threshold", (-1, 2)), ("max_age", (0, 10001, 1.5)),
        ("min_hits", (0, 1001)), ("smooth", (1, None)), ("coast", (-1, 2.0)), ("gate", (0.5, 65)), ("max_tracks", (0, 1001)),
        ("use_masks", (0,)), ("smooth_keypoints", ("yes",)),
    ],
)  # fmt: skip
def test_an_option_out_of_range_is_refused_in_the_constructor_and_later(option: str, values: tuple[Any, ...]) -> None:
    tracker = n6post.Tracker()
    for value in values:
        with pytest.raises(ValueError, match=option):
            n6post.Tracker(**{option: value})
        with pytest.raises(ValueError, match=option):
            setattr(tracker, option, value)


def test_a_hundred_detections_then_none_for_a_minute_then_the_hundred_again() -> None:
    tracker = n6post.Tracker(max_tracks=64)
    hundred = [person(40 * (i % 10), 60 * (i // 10), 20, 40) for i in range(100)]
    tracker.update(hundred)
    assert ids(tracker.update(hundred)) == list(range(1, 65))
    assert all(tracker.update([]) == [] for _ in range(600))
    assert tracker.tracks == []
    tracker.update(hundred)
    assert ids(tracker.update(hundred)) == list(range(65, 129))


def test_nan_scores_belong_to_no_round_and_boxes_of_no_size_do_no_harm() -> None:
    tracker = n6post.Tracker()
    points = [person(50, 60, 0, 0), person(200, 60, 0, 9), person(300, 60, 9, 0), person(10, score=math.nan)]
    for _ in range(5):
        tracked = tracker.update(points)
    assert [(d.track_id, d.rect) for d in tracked] == [(1, (50, 60, 0, 0)), (2, (200, 60, 0, 9)), (3, (300, 60, 9, 0))]


def test_time_that_runs_backwards_stands_still() -> None:
    tracker = n6post.Tracker()
    walk(tracker, 10)
    for dt in (-1, -1e9, 0, 0.0, -math.inf):
        assert ids(tracker.update([person(20 + 100 * i + 36) for i in range(3)], dt)) == [1, 2, 3]
    assert [track.missed for track in tracker.tracks] == [0.0] * 3
    assert tracker.update([person(56)], dt=math.inf) == [] and len(tracker.tracks) == 0


rects = st.tuples(*[st.integers(-300, 900)] * 2, *[st.integers(0, 900)] * 2)
scores = st.sampled_from([0.05, 0.1, 0.3, 0.5, 0.9, 1.001, math.nan, math.inf])
detections = st.lists(st.tuples(rects, scores, st.integers(0, 2)), max_size=8)
frames_of_anything = st.lists(st.tuples(detections, st.sampled_from([1.0, 1.0, 0.3, 2.0, 40.0, 0.0, -5.0])), max_size=12)


@given(frames_of_anything, st.integers(1, 6), st.integers(1, 3))
def test_whatever_is_seen_numbers_are_given_once_and_results_are_of_the_frame(
    frames: Any, max_tracks: int, min_hits: int
) -> None:
    tracker = n6post.Tracker(max_tracks=max_tracks, min_hits=min_hits, max_age=6)
    left: set[int] = set()
    there: set[int] = set()
    highest = 0
    for found, dt in frames:
        given_ones = [n6post.Detection(rect, score, class_id, "", None, None) for rect, score, class_id in found]
        tracked = tracker.update(given_ones, dt)
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

SOURCE = (ROOT / "lib" / "n6post" / "kernels" / "viper_tracks.py").read_text()
VIPER = {name: int(value) for name, value in re.findall(r"^(_\w+) = const\((-?\d+)\)", SOURCE, re.MULTILINE)}
NO_MASK = portable_tracks._NO_MASK
WRITE = runpy.run_path(str(ROOT / "scripts" / "dev" / "write_portable_tracks.py"))


def track_plans_detection() -> int:
    return VIPER["_DETECTION"]


@pytest.mark.parametrize("name", WRITE["WHAT"])
def test_the_plain_kernels_are_those_in_viper_without_what_is_vipers(name: str) -> None:
    text = WRITE["text"](name)
    assert WRITE["target_of"](name).read_text() == text, "run python3 scripts/dev/write_portable_tracks.py"
    assert not re.search(r"@micropython|ptr\d", text.split('"""')[2])


def test_every_place_has_one_number() -> None:
    """The words of a header, a track, a detection and a plan, each counted through; those told outside are the same."""
    groups: dict[str, list[int]] = {"_P_": [], "_D_": [], "header": [], "track": []}
    names = [n for n in VIPER if not n.startswith("_ROW_CROP") and n not in ("_HEADER", "_TRACK", "_DETECTION", "_NO_MASK")]
    names = names[: names.index("_P_COVERED") + 1]
    for name in names:
        prefix = name[:3] if name[:3] in groups else "header" if name in HEADER else "track"
        groups[prefix].append(VIPER[name])
    assert groups["header"] == list(range(VIPER["_HEADER"]))
    assert groups["track"] == list(range(VIPER["_TRACK"])) and groups["_D_"] == list(range(VIPER["_DETECTION"]))
    entries = track_plans.tracking.__code__.co_varnames[: track_plans.tracking.__code__.co_argcount]
    assert ["_P_" + name.upper() for name in entries] == [name for name in names if name.startswith("_P_")]
    for name, value in vars(track_plans).items():
        if name.isupper():
            kind, _, entry = name.partition("_")
            prefix = {"TRACKING": "_P_", "TRACK": "_", "HEADER": "_"}[kind]
            assert value == VIPER[prefix + entry if entry else "_" + kind], name
    assert VIPER["_DETECTION"] == TRACKER._DETECTION
    rows = importlib.import_module("test_kernels_plans").ENTRIES["row"]
    read = [n for n in VIPER if n.startswith("_ROW_")]
    assert [rows[VIPER[n]] for n in read] == [n[5:].lower() for n in read] and len(read) == 9


HEADER = ("_COUNT", "_NEXT_ID", "_LEFT", "_TOP", "_RIGHT", "_BOTTOM")


def test_a_plan_holds_its_numbers_as_its_docstring_says() -> None:
    plan = track_plans.tracking(0, 1.0, 0.93, 30, 2, 64, 22.0, 4.0, 0.4, 2.0, 3.0, 0.05, 0.08, 0.015, 0.01, 0.08, 0.75)
    assert plan.tolist() == [0, 256, 238, 7680, 2, 64, 1408, 256, 26, 128, 2304, 164, 419, 236, 105, 419, 192]


def one_track(**words: int) -> Any:
    """A header and a track, whose detection is the first row."""
    tracks = array("i", [0] * (VIPER["_HEADER"] + VIPER["_TRACK"]))
    tracks[VIPER["_COUNT"]], tracks[VIPER["_NEXT_ID"]] = 1, 1
    for name, value in words.items():
        tracks[VIPER["_HEADER"] + VIPER["_" + name.upper()]] = value
    return tracks


def one_row(**words: int) -> Any:
    """A detection that the first track has, without a mask."""
    row = array("i", [0] * VIPER["_DETECTION"])
    for name, value in ({"track": VIPER["_HEADER"], "middle_x": NO_MASK} | words).items():
        row[VIPER["_D_" + name.upper()]] = value
    return row


def word(tracks: Any, name: str) -> int:
    return int(tracks[VIPER["_HEADER"] + VIPER["_" + name.upper()]])


def plan_of(many: int, dt: int = 256) -> Any:
    plan = n6post.Tracker()._lay_out()
    plan[VIPER["_P_MANY"]], plan[VIPER["_P_DT"]], plan[VIPER["_P_FADE"]] = many, dt, 238
    return plan


def rounded(numerator: int, denominator: int) -> int:
    return math.floor(Fraction(numerator, denominator) + Fraction(1, 2))


def test_a_correction_is_the_kalman_filters_to_the_last_step() -> None:
    """In fractions: gains and what is left of variances are rounded down, places and speeds to the nearest."""
    for seed in range(200):
        check_correction(random.Random(seed))


def check_correction(rng: random.Random) -> None:
    plan = plan_of(1)
    w, h = [16 * rng.randrange(1, 300) for _ in range(2)]
    area = w * h // 256
    centre = area * plan[VIPER["_P_CENTRE_NOISE"]] // 256 + plan[VIPER["_P_FLOOR"]]
    size = area * plan[VIPER["_P_SIZE_NOISE"]] // 256 + plan[VIPER["_P_FLOOR"]]
    pp, ps, vv = rng.randrange(0x3FFFF - centre), rng.randrange(0x3FFFF - size), rng.randrange(1 << 20)
    pv = 64 * rng.randrange(3 * (pp + centre) // 64)
    before = {"x": rng.randrange(9000), "y": rng.randrange(9000), "w": w, "h": h, "pp": pp, "pv": pv, "vv": vv, "ps": ps}
    before |= {"vx": rng.randrange(-900, 900), "vy": rng.randrange(-900, 900), "hits": 3, "id": 1, "unsure": 512}
    # Now and then far enough for the highest speed.
    seen = {"x": before["x"] + rng.randrange(-9000, 9000), "y": before["y"] + rng.randrange(-9000, 9000)}
    seen |= {"w": 16 * rng.randrange(300), "h": 16 * rng.randrange(300), "class_id": 5, "round": rng.choice([1, 2])}
    track = one_track(**before)
    portable_tracks.learn(track, one_row(**seen), plan)

    k, ks = 4096 * pp // (pp + centre), 4096 * ps // (ps + size)
    kv = min(4096 * pv // (pp + centre), 8192)
    for place, speed in (("x", "vx"), ("y", "vy")):
        off = seen[place] - before[place]
        assert word(track, place) == before[place] + rounded(k * off, 4096)
        assert word(track, speed) == max(-0x3FFFF, min(0x3FFFF, before[speed] + rounded(kv * off, 256)))
    for side in "wh":
        assert word(track, side) == before[side] + rounded(ks * (seen[side] - before[side]), 4096)
    left = {"pp": pp * (4096 - k) // 4096, "pv": pv * (4096 - k) // 4096, "ps": ps * (4096 - ks) // 4096}
    left |= {"vv": max(0, vv - kv * pv // 4096), "hits": 4, "missed": 0, "class_id": 5, "id": 1, "masked": 0}
    left |= {"unsure": 0 if seen["round"] == 1 else 512}
    assert {name: word(track, name) for name in left} == left


@pytest.mark.parametrize("off, moved", [(2047, 0), (2048, 1), (-2048, 0), (-2049, -1)])
def test_half_a_step_is_rounded_up_and_less_is_not(off: int, moved: int) -> None:
    """Gains of 1/4096, of the least variance there is."""
    tracks = one_track(x=9000, y=9000, w=3072, h=16, pp=1, ps=1)
    plan = plan_of(1)
    plan[VIPER["_P_CENTRE_NOISE"]] = plan[VIPER["_P_SIZE_NOISE"]] = 0
    portable_tracks.learn(tracks, one_row(x=9000 + off, y=9000 + off, w=3072 + off, h=16 + off), plan)
    assert [word(tracks, name) for name in "xywh"] == [9000 + moved, 9000 + moved, 3072 + moved, 16 + moved]


@pytest.mark.parametrize("size", [16, 480, 6400])
@pytest.mark.parametrize("variance", [0x40000, 300000, 5000000, 0x0FFFFFFF])
def test_of_a_large_variance_the_gains_are_a_64th_too_large_at_most_and_never_more_than_1(size: int, variance: int) -> None:
    plan = plan_of(1)
    track = one_track(x=8000, y=8000, w=size, h=size, pp=variance, pv=variance, vv=2 * variance, ps=variance, vx=10, vy=-10)
    portable_tracks.learn(track, one_row(x=8100, y=7000, w=size + 1600, h=size + 800, round=1), plan)
    area = min(size * size // 256, 0xFFFFF)
    for names, noise in ((("x", "y", "vx", "vy"), "_P_CENTRE_NOISE"), (("w", "h"), "_P_SIZE_NOISE")):
        gain = variance / (variance + area * plan[VIPER[noise]] / 256 + plan[VIPER["_P_FLOOR"]])
        more = min(1.0 if names[0] == "w" else 65 / 64, gain * 65 / 64)
        for name in names:
            was, off = {"x": (8000, 100), "y": (8000, -1000), "vx": (10, 100), "vy": (-10, -1000)}.get(
                name, (size, {"w": 1600, "h": 800}.get(name, 0))
            )
            off *= 16 if name[0] == "v" else 1
            moved = (word(track, name) - was) / off
            most = min(more, 1.0) if name[0] != "v" else more
            assert gain - 0.01 <= moved <= most + 0.01, name
    if size == 16 and variance == 300000:
        assert word(track, "w") == 16 + 1600 and word(track, "ps") == 0


@pytest.mark.parametrize("dt", [128, 256, 300, 512, 2048, 9000])
def test_a_prediction_is_the_kalman_filters(dt: int) -> None:
    """Places to the step; variances, of which some products are rounded down, to a thousandth and a few steps."""
    for seed in range(20):
        check_prediction(dt, random.Random(seed))


def check_prediction(dt: int, rng: random.Random) -> None:
    plan = plan_of(0, dt)
    w, h = [16 * rng.randrange(20, 300) for _ in range(2)]
    old = {"w": w, "h": h}
    for place in "xy":  # now and then near an end of what there is
        old[place] = rng.choice([rng.randrange(-16384, 131072), -16384 + rng.randrange(500), 131056 - rng.randrange(500)])
    old |= {name: rng.randrange(1 << 18) for name in ("pp", "pv", "vv", "ps")}
    old |= {"vx": rng.randrange(-30000, 30000), "vy": rng.randrange(-30000, 30000), "hits": 7, "id": 3, "missed": 64}
    old |= {"unsure": 32, "class_id": 2, "masked": 1, "offset_x": 11, "offset_y": -5, "found": 0}
    before, after = one_track(**old), one_track()
    plan[VIPER["_P_MAX_AGE"]] = 10000
    portable_tracks.predict(before, after, plan)
    steps = min(dt, 8 * 256)
    for place, speed in (("x", "vx"), ("y", "vy")):
        moved = old[place] + rounded(old[speed] * steps, 4096)
        assert word(after, place) == max(-1024 * 16, min(8191 * 16, moved))
    kept = "w h vx vy hits id class_id masked offset_x offset_y".split()
    assert {name: word(after, name) for name in kept} == {name: old[name] for name in kept}
    assert [word(after, name) for name in ("missed", "unsure", "found")] == [64 + dt, 32 + dt, -1]
    t = steps / 256
    area = w * h / 256
    q, growth = [area * plan[VIPER[name]] / 4096 for name in ("_P_ACCELERATION", "_P_GROWTH")]
    pp = old["pp"] + 2 * t * old["pv"] + t * t * old["vv"] + q * t**3 / 3
    pv = old["pv"] + t * old["vv"] + q * t * t / 2
    wanted = {"pp": pp, "pv": pv, "vv": old["vv"] + q * t, "ps": old["ps"] + growth * t}
    for name, value in wanted.items():
        assert word(after, name) == pytest.approx(value, rel=0.001, abs=4 + 2 * t**3), name
    centre = (pp + area * plan[VIPER["_P_CENTRE_NOISE"]] / 256 + plan[VIPER["_P_FLOOR"]]) / 16
    size = (wanted["ps"] + area * plan[VIPER["_P_SIZE_NOISE"]] / 256 + plan[VIPER["_P_FLOOR"]]) / 16
    assert word(after, "centre_variance") == pytest.approx(centre, rel=0.001, abs=1 + t**3)
    assert word(after, "size_variance") == pytest.approx(size, rel=0.001, abs=1 + t**3)


@pytest.mark.parametrize("off, resized", [(16384, 0), (0, 16384), (16380, 16380), (16388, 16388)])
def test_a_distance_whose_square_is_2_to_the_25_leaves_32_bits_nowhere(off: int, resized: int) -> None:
    """As it is taken by 64, which would be the sign's bit."""
    variances = {"centre_variance": 9000001, "size_variance": 9000001}
    tracks = one_track(x=0, y=0, w=16, h=16, id=1, found=-1, class_id=1, **variances)
    row = one_row(x=off, y=off, w=16 + resized, h=16 + resized, class_id=1, round=1, nearest=-2, track=-1)
    rows = Words(map(Word, row))
    portable_tracks.match(Words(map(Word, tracks)), rows, Words(map(Word, plan_of(1))), 1)
    assert rows[VIPER["_D_TRACK"]] == VIPER["_HEADER"]
    assert rows[VIPER["_D_COST"]] == pytest.approx(64 * 2 * sum((d // 4) ** 2 for d in (off, resized)) / 9000001, abs=2)


@pytest.mark.parametrize("x, y", [(1, 0), (-1, 0), (0, 1), (0, -1)])
@pytest.mark.parametrize("other", [16, 48])
def test_three_quarters_of_a_box_on_another_begin_a_track_and_a_pixel_more_does_not(x: int, y: int, other: int) -> None:
    """Boxes of 16 x 16 at each side of one of 16 x 16 and of 48 x 48, 12 or 13 pixels of them inside."""
    for inside, many in ((12, 2), (13, 1)):
        tracker = n6post.Tracker(min_hits=1)
        first = person(100, 100, other, other)
        tracker.update([first])
        at = [100 + (other - 16) // 2 + d * ((other + 16) // 2 - inside) for d in (x, y)]
        assert len(tracker.update([first, person(*at, 16, 16)])) == many, (inside, at)


class Word(int):
    """A whole number that leaves 32 bits nowhere on its way."""

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
def test_nothing_leaves_32_bits_whatever_is_seen(seed: int) -> None:
    rng = random.Random(seed)
    options = rng.choice([{"gate": 64.0}, {"gate": 4.0, "max_age": 10000}, {}])
    tracker = n6post.Tracker(**options)
    plan = Words(map(Word, tracker._lay_out()))
    old, new = [Words([Word(0)] * 2000) for _ in range(2)]
    old[VIPER["_NEXT_ID"]] = 1
    places = [extreme(rng) for _ in range(5)]
    for _ in range(60):
        dt = rng.choice([1, 1, 1, 0, 0.1, 8, 30, 10001])
        plan[VIPER["_P_DT"]], plan[VIPER["_P_FADE"]] = int(dt * 256), int(256 * 0.93**dt + 0.5)
        places = [extreme(rng) if rng.random() < 0.3 else place for place in places]
        found = [n6post.Detection(p, rng.choice([0.9, 0.2]), rng.randrange(2), "", None, None) for p in places]
        found = found[: rng.randrange(6)]
        rows = Words([Word(0)] * 200)
        plan[VIPER["_P_MANY"]] = len(found)
        portable_tracks.predict(old, new, plan)
        assert portable_tracks.read(found, rows, new, 0.5, 0.1) == -1
        for e in range(0, 11 * len(found), 11):
            if rng.random() < 0.3:
                rows[e + VIPER["_D_MIDDLE_X"]], rows[e + VIPER["_D_MIDDLE_Y"]] = [rng.choice([0, 131056]) for _ in range(2)]
        portable_tracks.match(new, rows, plan, 1)
        portable_tracks.match(new, rows, plan, 2)
        portable_tracks.learn(new, rows, plan)
        portable_tracks.place(new)
        old, new = new, old
    assert old[VIPER["_NEXT_ID"]] > 1


DIGEST = """
import json
from binascii import crc32
from n6post import Detection, Tracker
for options in ({}, {"gate": 36.0, "coast": 3}):
    tracker = Tracker(**options)
    digest = 0
    for k, found in enumerate(json.loads(open(FILE).read())):
        found = [Detection((x, y, w, h), score, 0, "", None, None) for x, y, w, h, score in found]
        for d in tracker.update(found, (1.0, 0.5, 2.0, 1.0)[k % 4]):
            digest = crc32(b"%d %d %d %d %d" % ((d.track_id,) + d.rect), digest)
    print(digest & 0xFFFFFFFF, len(tracker.tracks))
"""


def test_micropython_gives_the_same_numbers_and_rects_as_cpython(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frames = [[(*rect, score) for rect, score in frame.found] for frame in crowd.street(10, 10, True, 4)]
    file = tmp_path / "frames.json"
    file.write_text(json.dumps(frames))
    code = DIGEST.replace("FILE", repr(str(file)))
    exec(code, {})
    assert on_micropython(code) == capsys.readouterr().out.strip()


@pytest.mark.parametrize("error", [SyntaxError("invalid micropython decorator"), ValueError("incompatible .mpy"), None])
def test_micropython_takes_the_kernels_in_viper_and_the_plain_ones_where_it_cannot(
    monkeypatch: pytest.MonkeyPatch, error: Exception | None
) -> None:
    module = importlib.import_module("n6post.kernels.tracks")
    assert module._home is portable_tracks  # CPython does not even try
    asked = []

    def import_one(name: str, *_: object) -> Any:
        asked.append(name.rpartition(".")[2])
        if error and "viper" in name:
            raise error
        return name

    monkeypatch.setattr(module, "__import__", import_one, raising=False)
    monkeypatch.setattr(module, "sys", type(sys)("sys"))
    module.sys.implementation = type(sys.implementation)(name="micropython")
    assert module._load().endswith("portable_tracks" if error else "viper_tracks")
    assert asked == ["viper_tracks", "portable_tracks"][: 1 + bool(error)]


def test_a_full_heap_is_not_taken_for_a_port_without_viper(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("n6post.kernels.tracks")

    def no_memory(*_: object) -> Any:
        raise MemoryError

    monkeypatch.setattr(module, "__import__", no_memory, raising=False)
    monkeypatch.setattr(module, "sys", type(sys)("sys"))
    module.sys.implementation = type(sys.implementation)(name="micropython")
    with pytest.raises(MemoryError):
        module._load()
