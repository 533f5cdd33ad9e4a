"""lib/n6post/events/events.py: what happened to each track, once."""

from __future__ import annotations

import io
import random
import re
from collections import Counter
from typing import Any

import image
import n6post
import numpy as np
import pytest
import synthetic_street
from fakes import seen
from PIL import Image

FRAME = 640, 480
CORNERS = [(200, 60), (460, 60), (460, 470), (200, 470)]
DOOR = (330, 0), (330, 480)


def person(x: int, score: float = 0.9, class_id: int = 0, w: int = 30, y: int = 200, h: int = 80) -> Any:
    return n6post.Detection((x, y, w, h), score, class_id, ("person", "dog")[class_id], None, None)


def told(events: Any, frames: Any, elapsed_ms: int = 100, img: Any = None) -> list[tuple[int, Any]]:
    """(number of the frame, event) of all frames, which are lists of what Tracker.update takes."""
    tracker = n6post.Tracker()
    result = []
    for k, found in enumerate(frames):
        tracked = tracker.update(found, elapsed_ms=elapsed_ms)
        result += [(k, event) for event in events.update(tracked, img, elapsed_ms=elapsed_ms)]
    return result


def kinds(events: Any) -> list[str]:
    return [event.kind for _, event in events]


@pytest.mark.parametrize("people, fps, seed", [(5, 10, 1), (10, 15, 2), (20, 10, 3)])
def test_events_are_those_of_the_tracker_the_zone_and_the_line(people: int, fps: int, seed: int) -> None:
    """A tracker, a zone and a line of the same options, asked by hand, say the same about a street of crossing people."""
    tracker, zone, line = n6post.Tracker(), n6post.PolygonZone(CORNERS), n6post.LineZone(*DOOR)
    yard, door = n6post.PolygonZone(CORNERS, name="yard"), n6post.LineZone(*DOOR, name="door")
    events = n6post.Events(zones=[yard], lines=[door])
    total = Counter[str]()
    began: dict[int, int] = {}
    for k, frame in enumerate(synthetic_street.street(people, fps, False, seed)):
        found = [n6post.Detection(rect, score, 0, "person", None, None) for rect, score in frame.found]
        tracked = tracker.update(found, elapsed_ms=1000 // fps)
        zone.trigger(tracked, elapsed_ms=1000 // fps)
        crossed = line.trigger(tracked, elapsed_ms=1000 // fps)
        expected = Counter[Any]()
        expected.update(("started", d.track_id, None, None) for d in tracker.started)
        expected.update(("entered", d.track_id, "yard", None) for d in zone.entered)
        expected.update(("left", visit.track_id, "yard", visit.dwell_time) for visit in zone.left)
        expected.update(("in", d.track_id, "door", None) for d in crossed[0])
        expected.update(("out", d.track_id, "door", None) for d in crossed[1])
        expected.update(("ended", track.track_id, None, None) for track in tracker.ended)
        happened = events.update(tracked, elapsed_ms=1000 // fps)
        given = Counter(
            (e.direction or e.kind, e.track_id, e.name, e.seconds if e.kind == "left" else None) for e in happened
        )
        assert given == expected, k
        for event in happened:
            began.setdefault(event.track_id, k)
            if event.kind == "ended":
                (track,) = [track for track in tracker.ended if track.track_id == event.track_id]
                assert event.seconds == pytest.approx(track.age - track.missed, abs=0.002)
        total.update(event.kind for event in happened)
    assert min(total[kind] for kind in ("started", "entered", "left", "crossed", "ended")) >= people // 2
    assert (door.in_count, door.out_count) == (line.in_count, line.out_count)


def test_a_track_that_passes_no_filter_is_never_reported() -> None:
    walk = [[person(20 + 8 * k, score=0.6)] for k in range(60)] + [[]] * 40
    for options in ({"classes": ["dog"]}, {"min_seconds": 7.0}, {"min_area": 3000}, {"min_score": 0.7}):
        zone, line = n6post.PolygonZone(CORNERS), n6post.LineZone(*DOOR)
        assert told(n6post.Events(zones=[zone], lines=[line], **options), walk) == []
        assert line.in_count + line.out_count == 1 and zone.mean_dwell_time > 0


def test_a_track_passes_with_exactly_the_area_and_seconds() -> None:
    walk = [[person(20 + 8 * k)] for k in range(30)]  # 30 x 80
    for options, first in (({"min_area": 2400}, 1), ({"min_area": 2401}, None), ({"min_seconds": 1.5}, 15)):
        happened = told(n6post.Events(**options), walk)
        assert [k for k, _ in happened] == ([] if first is None else [first])


def test_a_track_ends_when_no_zone_waits_for_it() -> None:
    """It is lost inside: the tracker keeps it for 2.5 seconds, the zone for 4."""
    zone = n6post.PolygonZone(CORNERS, name="yard", max_gap=4)
    happened = told(n6post.Events(zones=[zone]), [[person(20 + 10 * k)] for k in range(30)] + [[]] * 60)
    assert kinds(happened) == ["started", "entered", "left", "ended"]
    (left, _), (ended, event) = happened[2:]
    assert left == ended == 29 + 41 and event.seconds == 2.9


def test_a_coasting_track_was_not_seen() -> None:
    tracker, events = n6post.Tracker(coast=2), n6post.Events()
    happened = []
    for k in range(60):
        tracked = tracker.update([person(20 + 4 * k)] if k < 20 else [], elapsed_ms=100)
        happened += [(k, event.kind, event.seconds) for event in events.update(tracked, elapsed_ms=100)]
    assert happened == [(1, "started", 0.1), (19 + 26, "ended", 1.9)]


@pytest.mark.parametrize("crowd, kept", [(127, True), (128, False)])
def test_128_tracks_are_kept_and_all_that_are_in_the_frame(crowd: int, kept: bool) -> None:
    events = n6post.Events()
    events.update([seen(1000, 100, 100)], elapsed_ms=100)
    for _ in range(2):
        events.update([seen(k, 100, 100) for k in range(crowd)], elapsed_ms=100)
    happened = [event.kind for event in events.update([seen(1000, 100, 100)], elapsed_ms=100)]
    assert happened == ([] if kept else ["started"])


def test_a_track_that_starts_late_reports_what_it_did_before_then() -> None:
    """It enters after two seconds, and passes the filter after four."""
    walk = [[person(20 + 10 * k)] for k in range(45)] + [[]] * 30
    zone, line = n6post.PolygonZone(CORNERS, name="yard"), n6post.LineZone((250, 0), (250, 480), name="door")
    at_once = told(n6post.Events(zones=[zone], lines=[line]), walk)
    zone, line = n6post.PolygonZone(CORNERS, name="yard"), n6post.LineZone((250, 0), (250, 480), name="door")
    late = told(n6post.Events(zones=[zone], lines=[line], min_seconds=4), walk)
    assert kinds(at_once) == kinds(late) == ["started", "entered", "crossed", "left", "ended"]
    assert [k for k, _ in late[:3]] == [40] * 3 and late[1:] == [(40, e) for _, e in at_once[1:3]] + at_once[3:]
    assert late[0][1].seconds == 4.0 and late[1][1].seconds < 3.0


def test_single_frames_of_another_class_change_nothing() -> None:
    rng = random.Random(4)
    walk = [[person(20 + 3 * k, class_id=int(k > 5 and rng.random() < 0.2))] for k in range(150)] + [[]] * 40
    happened = told(n6post.Events(), walk)
    assert kinds(happened) == ["started", "ended"] and happened[1][1].label == "person"


def test_a_class_that_changes_for_good_is_reported_once() -> None:
    walk = [[person(20 + 3 * k, class_id=int(k >= 60))] for k in range(120)]
    (_, started), (k, changed) = told(n6post.Events(), walk)
    assert (started.label, changed.kind, changed.label, changed.name) == ("person", "changed", "dog", "person")
    assert 65 <= k <= 80  # a second later, more or less: votes lose half of their weight in a second


def test_the_class_filter_looks_at_the_evidence_of_the_last_seconds() -> None:
    walk = [[person(20 + 3 * k, class_id=int(k in (1, 2, 40)))] for k in range(80)]
    assert kinds(told(n6post.Events(classes=["person"]), walk)) == ["started"]
    (k, event), *_ = told(n6post.Events(classes=[0]), walk)
    assert k > 2 and event.label == "person"


def test_the_score_is_the_mean_of_all_detections() -> None:
    scores = [0.5 + 0.4 * (k % 3) / 2 for k in range(30)]
    happened = told(n6post.Events(), [[person(20 + 3 * k, score=score)] for k, score in enumerate(scores)] + [[]] * 40)
    assert happened[-1][1].score == pytest.approx(np.mean(scores[1:]), abs=1e-6)  # a track has an id from its second frame


def test_speeds_are_those_of_the_plane_and_at_the_end_their_mean() -> None:
    """3 m/s: 30 pixels are a meter."""
    plane = n6post.Plane([(0, 0), (600, 0), (600, 450), (0, 450)], [(0, 0), (20, 0), (20, 15), (0, 15)], frame_size=FRAME)
    walk = [[person(60 + 9 * k).replace(frame_size=FRAME)] for k in range(50)] + [[]] * 40
    line = n6post.LineZone((300, 0), (300, 480))
    happened = {event.kind: event for _, event in told(n6post.Events(lines=[line], plane=plane), walk)}
    assert happened["started"].speed is None
    assert happened["crossed"].speed == pytest.approx(10.8, rel=0.05)
    assert happened["ended"].speed == pytest.approx(10.8, rel=0.05)
    assert {event.speed for _, event in told(n6post.Events(), walk)} == {None}


# ---- pictures ----


def striped(x: int, contrast: int = 200, w: int = 30, h: int = 80) -> Any:
    """A frame with stripes of random widths where person(x) stands: sharp edges of this contrast."""
    pixels = np.full((480, 640), 20, np.uint8)
    pixels[200 : 200 + h, x : x + w] += (np.random.default_rng(1).integers(0, 2, w) * contrast).astype(np.uint8)
    img = image.Image(640, 480, image.GRAYSCALE)
    img.bytearray()[:] = pixels.tobytes()
    return img


def ended_picture(frames: list[tuple[Any, Any]], **options: Any) -> Any:
    tracker, events = n6post.Tracker(smooth_boxes=False), n6post.Events(pictures=True, **options)
    result: list[Any] = []
    for found, img in [*frames, *[([], striped(0))] * 40]:
        tracked = tracker.update([d.replace(frame_size=FRAME) for d in found], elapsed_ms=100)
        result += [e for e in events.update(tracked, img, elapsed_ms=100) if e.kind == "ended"]
    return result


def pixels_of(event: Any) -> Any:
    return np.asarray(Image.open(io.BytesIO(event.picture)).convert("L"), dtype=float)


def test_the_picture_shows_the_box_with_some_margin_around_it() -> None:
    (event,) = ended_picture([([person(100)], striped(100))] * 5)
    assert pixels_of(event).shape == (96, 36)  # 80 + 2 * 8 and 30 + 2 * 3
    assert pixels_of(event)[8:-8, 3:-3].std() > 80 > 20 > pixels_of(event)[:6].std()


@pytest.mark.parametrize("order", [1, -1])
def test_the_best_picture_is_the_sharp_one(order: int) -> None:
    blurred, sharp = ([person(100)], striped(100, 20)), ([person(100)], striped(100, 200))
    (event,) = ended_picture([blurred] * 3 + ([sharp] * 2 + [blurred] * 2)[::order])
    assert pixels_of(event)[8:-8, 3:-3].std() > 80


@pytest.mark.parametrize("order", [1, -1])
def test_the_best_picture_is_the_large_one(order: int) -> None:
    """It comes nearer, or goes away: its box is 30 to 60 pixels wide, and the stripes are as sharp everywhere."""
    widths = list(range(30, 62, 2))[::order]
    (event,) = ended_picture([([person(200 - w // 2, w=w, h=2 * w)], striped(100, w=200, h=200)) for w in widths])
    assert pixels_of(event).shape[1] >= 1.2 * 48  # another picture has to be better by a quarter


@pytest.mark.parametrize("order", [1, -1])
def test_the_best_picture_is_not_cut_by_the_border(order: int) -> None:
    frames = [([person(x)], striped(x)) for x in (0, 0, 0, 0, 6, 12, 18, 24, 30, 36)][::order]
    (event,) = ended_picture(frames)
    assert pixels_of(event).shape[1] == 36  # not 33, as at the left border


def test_no_more_tracks_have_a_picture_than_max_pictures() -> None:
    sizes = [30, 60, 90, 45]
    found = [person(20 + 150 * i, w=w, h=2 * w) for i, w in enumerate(sizes)]
    events = ended_picture([(found, striped(100))] * 12, max_pictures=2)
    assert [event.track_id for event in events if event.picture] == [2, 3]
    assert len(events) == 4


def test_a_better_picture_takes_the_place_of_the_worst() -> None:
    small = [person(20, w=30, h=60), person(170, w=40, h=80)]
    frames = [(small, striped(100))] * 6 + [([*small, person(320, w=90, h=180)], striped(100))] * 6
    events = ended_picture(frames, max_pictures=2)
    assert [event.track_id for event in events if event.picture] == [2, 3]


def test_no_picture_is_kept_of_what_is_filtered_out() -> None:
    events = n6post.Events(pictures=True, min_area=5000)
    tracker = n6post.Tracker()
    for _ in range(10):
        assert events.update(tracker.update([person(100)], elapsed_ms=100), striped(100), elapsed_ms=100) == []
    assert "JFIF" not in repr(events._tracks)
    assert [e.picture for e in ended_picture([([person(100)], None)] * 5)] == [None]


# ---- refusals ----


def test_a_zone_of_events_is_not_triggered_by_the_script() -> None:
    zone, line = n6post.PolygonZone(CORNERS), n6post.LineZone(*DOOR)
    n6post.Events(zones=[zone], lines=[line])
    for one in (zone, line):
        with pytest.raises(ValueError, match="expected no call, because Events calls it"):
            one.trigger([])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: n6post.Events(zones=n6post.PolygonZone(CORNERS)), "zones: expected a list of PolygonZone, got "),
        (lambda: n6post.Events(lines=[n6post.PolygonZone(CORNERS)]), "lines: expected a list of LineZone, got "),
        (lambda: n6post.Events(plane=1), "plane: expected a Plane or None, got 1"),
        (lambda: n6post.Events(max_pictures=0), "max_pictures: expected "),
        (lambda: n6post.Events().update([person(1)]), "expected detections with a track_id"),
        (lambda: n6post.Events().update([], elapsed_ms="1"), "elapsed_ms: expected milliseconds"),
    ],
)
def test_wrong_arguments_of_events_are_value_errors(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        make()


def test_a_refused_frame_leaves_the_events_as_they_were() -> None:
    events = n6post.Events()
    events.update([seen(1, 100, 100)], elapsed_ms=100)
    for wrong in ([seen(1, 100, 100), person(5)], 3):
        with pytest.raises(ValueError, match="detections"):
            events.update(wrong, elapsed_ms=100)
    assert kinds([(0, e) for e in events.update([seen(1, 100, 100), seen(2, 9, 90)], elapsed_ms=100)]) == ["started"]


def test_reset_forgets_the_tracks_and_zones_keep_their_counts() -> None:
    line = n6post.LineZone(*DOOR)
    events = n6post.Events(lines=[line])
    told(events, [[person(20 + 12 * k)] for k in range(40)])
    events.reset()
    assert line.in_count + line.out_count == 1
    assert kinds([(0, e) for e in events.update([seen(9, 100, 100)], elapsed_ms=100)]) == ["started"]


def test_an_event_as_a_dict_is_json_without_the_picture() -> None:
    (event,) = ended_picture([([person(100)], striped(100))] * 5)
    given = event.as_dict()
    assert list(given) == "kind track_id label score rect name direction seconds speed".split()
    assert given["rect"] == [100, 200, 30, 80] and given["seconds"] == 0.4
