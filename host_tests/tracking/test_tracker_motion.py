"""Tracker on made-up motion: sizes that change, small and fast objects, other frame rates, the edge of the frame.

The figures of other trackers are those of roboflow/trackers 2.6.1 (compare_trackers.py): the best of ByteTrack,
SORT and OC-SORT, each with its authors' defaults and with Tracker's thresholds, on the same detections.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
import synthetic_motion
import synthetic_motion_unseen
from n6post.results.detection import detection_from
from n6post.tracking import clock

pytestmark = pytest.mark.usefixtures("steady_clock")

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts" / "dev" / "tracking"))

import compare_trackers  # noqa: E402


def box(cx: float, cy: float, w: float, h: float, score: float = 0.9) -> n6post.Detection:
    """A detection without noise, in whole pixels."""
    rect = synthetic_motion.whole(synthetic_motion.around(cx, cy, w, h))
    return n6post.Detection(rect, score, 0, "thing", None, None)


def followed(detections: list[n6post.Detection], **options: Any) -> tuple[int, set[int]]:
    """Track one object. Returns the number of frames in which it was reported, and its ids."""
    tracker = n6post.Tracker(**options)
    results = [tracker.update([d]) for d in detections]
    return sum(len(r) for r in results), {d.track_id for r in results for d in r}


# ---- one object, no noise ----


@pytest.mark.parametrize("rate", [0.95, 0.97, 1.01, 1.03, 1.05])
@pytest.mark.parametrize("aspect", [0.4, 1.0, 2.0])
def test_a_box_that_grows_or_shrinks_steadily_keeps_one_id(rate: float, aspect: float) -> None:
    width = 10 if rate > 1 else 200
    frames = min(int(np.log(20) / abs(np.log(rate))), 90)
    sizes = [width * rate**k for k in range(frames)]
    found = [box(320, 240, size * aspect**0.5, size / aspect**0.5) for size in sizes]
    reported, ids = followed(found)
    assert (reported, len(ids)) == (frames - 1, 1)


@pytest.mark.parametrize("rate", [0.95, 1.05])
def test_the_reported_size_follows_steady_growth(rate: float) -> None:
    """Without noise, nearly all of the true box is reported: an IoU of .85 from the fifth detection on."""
    tracker = n6post.Tracker()
    for k in range(40):
        d = box(320, 240, *(2 * ((40 if rate > 1 else 200) * rate**k,)))
        for tracked in tracker.update([d]):
            assert k < 5 or synthetic_motion.iou(tracked.rect, d.rect) > 0.85, k


@pytest.mark.parametrize("size", [8, 10, 14])
@pytest.mark.parametrize("step", [(1.0, 0.3), (3.0, -2.0), (-6.0, 0.0)])
def test_reported_boxes_of_tiny_objects_overlap_the_object(size: int, step: tuple[float, float]) -> None:
    tracker = n6post.Tracker()
    x, y = 320.0, 240.0
    overlaps = []
    for k in range(80):
        x, y = x + step[0] * (1 if k % 40 < 20 else -1), y + step[1] * (1 if k % 40 < 20 else -1)
        d = box(x, y, size, size)
        overlaps += [synthetic_motion.iou(tracked.rect, d.rect) for tracked in tracker.update([d])]
    assert len(overlaps) == 79 and min(overlaps) > 0.33 and np.mean(overlaps) > 0.8, overlaps


@pytest.mark.parametrize("share", [0.3, 0.6, 0.85])
def test_an_object_that_moves_most_of_its_width_a_frame_keeps_one_id(share: float) -> None:
    found = [box(40 + 60 * share * k, 200, 60, 50) for k in range(int(560 / (60 * share)))]
    reported, ids = followed(found)
    assert (reported, len(ids)) == (len(found) - 1, 1)


@pytest.mark.parametrize("elapsed_ms", [20, 80, 160, 240, 640, 2500, 10000])
def test_any_constant_time_between_updates_confirms_tracks(elapsed_ms: int) -> None:
    tracker = n6post.Tracker()
    frames = [[box(100 + 3 * k, 100, 40, 80), box(400, 300, 50, 50)] for k in range(6)]
    counts = [len(tracker.update(found, elapsed_ms=elapsed_ms)) for found in frames]
    assert counts == [0, 2, 2, 2, 2, 2]
    assert len({track.track_id for track in tracker.tracks}) == 2


@pytest.mark.parametrize("side", [1, -1])
def test_a_box_that_coasts_may_reach_the_edge_of_the_frame(side: int) -> None:
    """No detection has been at the edge yet: the frame's size is known from the processor, which made the detection."""
    tracker = n6post.Tracker(coast=1.6)
    rects = []
    for k in range(30):
        found = []
        if k < 12:
            place = synthetic_motion.around(320 + side * (20 + 18 * k), 240, 50, 50)
            found = [detection_from((synthetic_motion.whole(place), 0.9, 0, "thing", None, None), ((640, 480), 0.3))]
        rects = [d.rect for d in tracker.update(found)] or rects
    x, _, w, _ = rects[-1]
    assert x + w == 640 if side > 0 else x == 0, rects


def test_an_aspect_that_changes_while_a_car_turns_keeps_one_id() -> None:
    car = synthetic_motion.Car(0, 100, 100, 0.0, 8, 28)
    found = []
    for k in range(60):
        car.heading += np.pi / 2 / 10 if 20 <= k < 30 else 0
        car.move()
        found.append(box(*_center(car.body().box)))
    reported, ids = followed(found)
    assert (reported, len(ids)) == (59, 1)


def _center(rect: synthetic_motion.Box) -> tuple[float, float, float, float]:
    x, y, w, h = rect
    return x + w / 2, y + h / 2, w, h


# ---- time ----


def strollers(now: float) -> list[n6post.Detection]:
    """Two people side by side, who sway, turn back after four seconds, and one who stands where they pass."""
    x = 100 + 80 * (now if now < 4 else 8 - now)
    return [box(x, 200 + 6 * np.sin(3 * now), 40, 100), box(x + 10, 330, 44, 110), box(300, 70, 36, 90)]


@pytest.mark.parametrize("rate", [25, 12.5, 25 / 3, 3])
def test_the_same_walk_has_the_same_ids_at_every_rate(rate: float) -> None:
    tracker = n6post.Tracker()
    frames = [strollers(k / rate) for k in range(int(8 * rate))]
    results = [[d.track_id for d in tracker.update(found, elapsed_ms=1000 / rate)] for found in frames]
    assert results == [[]] + [[1, 2, 3]] * (len(frames) - 1)


@pytest.mark.parametrize("rate", [25, 12.5, 25 / 3, 3])
@pytest.mark.parametrize("pause", ["ten times as long", 2.4])
def test_a_pause_within_max_gap_loses_nobody_and_joins_nobody(rate: float, pause: Any) -> None:
    seconds = pause if isinstance(pause, float) else min(10 / rate, 2.4)
    for others in (False, True):
        tracker = n6post.Tracker()
        for k in range(int(2 * rate)):
            tracker.update(strollers(k / rate), elapsed_ms=1000 / rate)
        now = 2.0 - 1 / rate + seconds
        there = [box(x, 420, 40, 90) for x in (60, 580)] if others else strollers(now)
        tracker.update(there, elapsed_ms=1000 * seconds)
        if not others:
            there = strollers(now + 1 / rate)
        assert [d.track_id for d in tracker.update(there, elapsed_ms=1000 / rate)] == ([4, 5] if others else [1, 2, 3])


@pytest.mark.parametrize("rate", [25, 12.5, 25 / 3, 3])
def test_after_a_pause_beyond_max_gap_everybody_is_new(rate: float) -> None:
    tracker = n6post.Tracker()
    for k in range(int(2 * rate)):
        tracker.update(strollers(k / rate), elapsed_ms=1000 / rate)
    assert tracker.update(strollers(2), elapsed_ms=60_000) == [] and len(tracker.ended) == 3
    assert [d.track_id for d in tracker.update(strollers(2), elapsed_ms=1000 / rate)] == [4, 5, 6]


def test_the_first_call_has_no_pause_before_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the clock says at first, and however long the second takes within max_gap."""
    tracker = n6post.Tracker()
    ticks = iter([123_456_789, 123_459_289, 123_459_369])
    monkeypatch.setattr(clock.time, "ticks_ms", lambda: next(ticks))
    assert [[d.track_id for d in tracker.update(strollers(0))] for _ in range(3)] == [[], [1, 2, 3], [1, 2, 3]]


@pytest.mark.parametrize("elapsed_ms", [40, 80, 120, 333, 1000])
def test_a_new_track_takes_no_detection_of_a_neighbor(elapsed_ms: int) -> None:
    """Two widths away, whatever the time between two updates. What moves by half a width is found again."""
    for away, found in ((90, 0), (20, 1)):
        tracker = n6post.Tracker()
        for detections in ([], [], [box(100, 200, 40, 80)]):
            tracker.update(detections, elapsed_ms=elapsed_ms)
        assert len(tracker.update([box(100 + away, 200, 40, 80)], elapsed_ms=elapsed_ms)) == found


@pytest.mark.parametrize(("pause", "kept"), [(6000, True), (6001, False)])
def test_a_track_of_the_last_update_is_kept_for_three_intervals(pause: int, kept: bool) -> None:
    tracker = n6post.Tracker(max_gap=1)
    for _ in range(4):
        tracker.update([box(100, 200, 40, 80)], elapsed_ms=2000)
    tracker.update([box(100, 200, 40, 80)], elapsed_ms=pause)
    assert [d.track_id for d in tracker.update([box(100, 200, 40, 80)], elapsed_ms=2000)] == [1 if kept else 2]


def test_a_track_that_missed_an_update_ends_in_the_first_beyond_max_gap() -> None:
    tracker = n6post.Tracker(max_gap=1)
    there = [box(100, 200, 40, 80)]
    for found in (there, there, []):
        tracker.update(found, elapsed_ms=2000)
        assert tracker.ended == []
    (track,) = tracker.tracks
    assert track.missed == 2.0
    tracker.update(there, elapsed_ms=1)
    assert tracker.tracks == [] and tracker.ended == [track]


# ---- kinds of motion, against other trackers ----

# The best other tracker's IDF1 on seed 0.
REFERENCES = {
    "plaza": 0.780,
    "abrupt turns": 0.601,
    "bouncing": 0.554,
    "shake": 0.784,
    "dancers": 0.778,
    "5 a second": 0.518,
    "uneven dt": 0.578,
    "steps": 0.702,
    "low recall": 0.457,
}


@pytest.mark.parametrize("name", REFERENCES)
def test_idf1_is_not_below_that_of_the_best_other_tracker(name: str) -> None:
    scene = synthetic_motion.scene(name, 0)
    idf1, _, _ = compare_trackers.judged(scene, compare_trackers.of_tracker(n6post)(scene))
    assert idf1 >= REFERENCES[name]


def test_scenes_are_the_same_every_time_and_differ_by_seed() -> None:
    first, again, other = [synthetic_motion.scene("plaza", seed) for seed in (0, 0, 1)]
    assert first == again != other


ALL_KINDS = {**synthetic_motion.KINDS, **synthetic_motion_unseen.KINDS}


def test_no_unseen_kind_has_the_name_of_another() -> None:
    assert len(ALL_KINDS) == len(synthetic_motion.KINDS) + len(synthetic_motion_unseen.KINDS) == 55


@pytest.mark.parametrize("name", ALL_KINDS)
def test_detections_are_whole_boxes_within_the_frame_best_first(name: str) -> None:
    for frame in synthetic_motion.scene(name, 1, ALL_KINDS).frames[::10]:
        scores = [found.score for found in frame.found]
        assert scores == sorted(scores, reverse=True) and frame.dt > 0
        for (x, y, w, h), *_ in frame.found:
            assert all(isinstance(number, int) for number in (x, y, w, h))
            assert x >= 0 and y >= 0 and w > 0 and h > 0
            assert x + w <= synthetic_motion.WIDTH and y + h <= synthetic_motion.HEIGHT


# ---- the judgement itself ----


def test_idf1_mota_and_switches_are_those_of_a_case_counted_out() -> None:
    """Ten frames, two objects; the track of the first changes at frame 6, the second has one from frame 2, one false box.

    Ids: 1 has 5 true positives, 3 has 8; 20 true boxes, 19 reported ones. IDF1 = 2 * 13 / 39. Misses 2, false 1, switches 1.
    """
    a, b, wrong = (10.0, 10.0, 20.0, 20.0), (100.0, 10.0, 20.0, 20.0), (300.0, 300.0, 9.0, 9.0)
    frames = [synthetic_motion.Frame([(0, a), (1, b)], []) for _ in range(10)]
    answers = []
    for k in range(10):
        ids, boxes = [1 if k < 5 else 2], [a]
        if k >= 2:
            ids, boxes = [*ids, 3], [*boxes, b]
        if k == 7:
            ids, boxes = [*ids, 4], [*boxes, wrong]
        answers.append((ids, boxes))
    idf1, mota, switches = compare_trackers.judged(synthetic_motion.Scene(frames, 10), answers)
    assert (idf1, mota, switches) == (pytest.approx(26 / 39), pytest.approx(1 - 4 / 20), 1)
