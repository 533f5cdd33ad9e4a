"""lib/n6post/tracking/polygon_zone.py: who enters, who leaves and after how long, with hysteresis.

test_zones.py tests what is inside and for how long.
"""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import n6post
import pytest
from fakes import seen
from hypothesis import given
from hypothesis import strategies as st
from test_line_zone import coasting

SQUARE = [(100, 100), (300, 100), (300, 300), (100, 300)]
INSIDE, OUTSIDE = (200, 200), (500, 200)


def zone(**options: Any) -> Any:
    return n6post.PolygonZone(SQUARE, **options)


def step(one: Any, *places: Any, ms: int = 100) -> tuple[list[int], list[int], list[tuple[int, float, int]]]:
    """The track ids inside and those that entered, and the visits that ended, after a frame. Track i is at places[i - 1]."""
    detections = [seen(i, *place, class_id=i) for i, place in enumerate(places, 1) if place]
    inside = one.trigger(detections, elapsed_ms=ms)
    assert one.current_count == len(inside)
    return [d.track_id for d in inside], [d.track_id for d in one.entered], [tuple(visit[:3]) for visit in one.left]


def test_entered_and_left_are_those_of_the_last_frame() -> None:
    one = zone()
    assert (one.entered, one.left, one.mean_dwell_time) == ([], [], 0.0)
    assert step(one, INSIDE, OUTSIDE) == ([1], [1], [])  # it was inside when it was first seen
    assert step(one, INSIDE, INSIDE) == ([1, 2], [2], [])
    assert step(one, INSIDE, INSIDE) == ([1, 2], [], [])
    assert step(one, OUTSIDE, INSIDE) == ([2], [], [(1, 0.2, 1)])
    assert step(one, OUTSIDE, OUTSIDE) == ([], [], [(2, 0.2, 2)])
    assert step(one, OUTSIDE, OUTSIDE) == ([], [], [])


def test_entered_has_the_detections_and_left_named_tuples() -> None:
    one = zone()
    d = seen(7, *INSIDE, class_id=3)
    one.trigger([d], elapsed_ms=0)
    assert one.entered[0] is d
    one.trigger([seen(7, *OUTSIDE, class_id=5)], elapsed_ms=250)
    (visit,) = one.left
    assert (visit.track_id, visit.dwell_time, visit.class_id) == (7, 0.0, 3)
    assert repr(visit) == "Visit(track_id=7, dwell_time=0.0, class_id=3, rect=(190, 160, 20, 40), ago=0.25)"


def test_the_mean_dwell_time_is_that_of_all_visits_that_ended() -> None:
    one = zone()
    stays = (3, 8, 1)
    for frames in stays:
        for _ in range(frames + 1):
            step(one, INSIDE)
        step(one, OUTSIDE)
    step(one, INSIDE)
    step(one, INSIDE)  # this visit goes on
    assert one.mean_dwell_time == pytest.approx(sum(stays) / len(stays) / 10)
    one.reset()
    assert (one.mean_dwell_time, one.entered, one.left) == (0.0, [], [])


def test_a_track_that_is_lost_has_left_after_max_gap() -> None:
    one = zone(max_gap=0.5)
    step(one, INSIDE)
    step(one, INSIDE)
    for _ in range(5):
        assert step(one) == ([], [], [])
    assert step(one) == ([], [], [(1, 0.1, 1)])
    assert step(one, INSIDE) == ([1], [1], [])


def test_a_track_that_is_found_again_after_max_gap_leaves_and_enters() -> None:
    one = zone(max_gap=0.5)
    step(one, INSIDE)
    step(one, INSIDE)
    step(one, ms=400)
    assert step(one, INSIDE, ms=200) == ([1], [1], [(1, 0.1, 1)])


def test_what_has_no_track_is_inside_and_neither_enters_nor_leaves() -> None:
    one = zone()
    for place, inside in ((INSIDE, 1), (OUTSIDE, 0)):
        assert len(one.trigger([seen(None, *place)], elapsed_ms=1)) == inside
        assert one.entered == one.left == []


# --- hysteresis: a box of 20 x 40 has a mean side of 30 pixels, so a margin of 6 ---
def test_a_track_near_the_edge_stays_where_it_was() -> None:
    one = zone()
    for x in (200, 290, 306, 294, 306, 305):
        assert step(one, (x, 200))[0] == [1]
    assert step(one, (307, 200))[0] == [1]
    assert step(one, (307, 200)) == ([], [], [(1, 0.5, 1)])  # until the first of these two frames
    for x in (306, 294, 299, 306):
        assert step(one, (x, 200)) == ([], [], [])
    assert step(one, (293, 200)) == ([], [], [])
    assert step(one, (294, 200)) == ([], [], [])  # within the margin: not counted
    assert step(one, (293, 200)) == ([1], [1], [])
    assert one.dwell_time(1) == 0.2  # since the first of these three frames


def test_twice_the_margin_beyond_the_edge_is_enough() -> None:
    one = zone()
    step(one, INSIDE)
    assert step(one, (312, 200))[0] == [1]
    assert step(one, INSIDE)[0] == [1]
    assert step(one, (313, 200)) == ([], [], [(1, 0.2, 1)])
    assert step(one, (288, 200))[0] == []
    assert step(one, (287, 200))[0] == [1]


def test_no_margin_and_one_frame_follow_the_edge_exactly() -> None:
    one = zone(margin=0, min_frames=1)
    for x, inside in ((200, [1]), (300, []), (299, [1]), (100, [1]), (99, [])):
        assert step(one, (x, 200))[0] == inside


# --- narrow zones, and zones at the border of the frame ---
def walked(points: Any, rows: Any, *, x: int = 300, w: int = 80, h: int = 160, **options: Any) -> tuple[Any, int]:
    """The zone and the number of visits, after a box had its lower edge at these rows, or its middle at these columns."""
    one, visits = n6post.PolygonZone(points, **options), 0
    for row in rows:
        one.trigger([seen(1, x, row, w, h)], elapsed_ms=100)
        visits += len(one.entered)
    return one, visits


@pytest.mark.parametrize("height", [45, 48, 60, 90])
@pytest.mark.parametrize("step_", [4, 15])
def test_a_large_box_that_walks_through_a_narrow_zone_visits_once(height: int, step_: int) -> None:
    strip = [(0, 300), (640, 300), (640, 300 + height), (0, 300 + height)]
    for points in (strip, strip[::-1], strip[2:] + strip[:2]):
        one, visits = walked(points, range(220, 500, step_))
        assert (visits, one.current_count) == (1, 0)


def test_a_large_box_that_stands_in_a_narrow_zone_is_inside() -> None:
    one, visits = walked([(0, 300), (640, 300), (640, 345), (0, 345)], [*range(200, 322, 4), *[322] * 100])
    assert (visits, one.current_count) == (1, 1) and one.dwell_time(1) > 10


def test_a_narrow_zone_asks_for_an_eighth_of_its_width() -> None:
    # The area is 600 * 40 and half of the perimeter 640: 37.5 is the mean width, an eighth of it 4.7. A margin would be 24.
    points = [(0, 300), (600, 300), (600, 340), (0, 340)]
    for row, inside in ((304, 0), (305, 1)):
        one, _ = walked(points, [200, row, row])
        assert one.current_count == inside
    for row, inside in ((309, 0), (310, 1)):  # twice of it: one frame is enough
        assert walked(points, [200, row])[0].current_count == inside
    # It leaves beyond the whole margin.
    for row, inside in ((364, 1), (365, 0)):
        assert walked(points, [320, row, row])[0].current_count == inside


@pytest.mark.parametrize("lower", [479, 480, 700])
def test_an_edge_on_the_border_of_the_frame_asks_for_no_distance(lower: int) -> None:
    points = [(200, 200), (640, 200), (640, lower), (200, lower)]
    for size, inside in (((640, 480), 1), ((640, 900) if lower < 700 else (900, 900), 0 if lower < 700 else 1)):
        one = n6post.PolygonZone(points)
        for x in (*range(60, 460, 5), *[460] * 20):
            one.trigger([seen(1, x, 470, 120, 300, frame_size=size)], elapsed_ms=100)
        assert one.current_count == inside


@pytest.mark.parametrize("edge", ["left", "top", "right", "bottom"])
def test_each_border_of_the_frame_is_known(edge: str) -> None:
    # A band of 100 pixels along this border, and a point at 4 pixels from it that came from elsewhere.
    left, top, right, bottom = 0, 0, 640, 480
    if edge in ("left", "right"):
        x, y = (4, 240) if edge == "left" else (636, 240)
        left, right = (0, 100) if edge == "left" else (540, 640)
    else:
        x, y = (320, 4) if edge == "top" else (320, 476)
        top, bottom = (0, 100) if edge == "top" else (380, 480)
    points = [(left, top), (right, top), (right, bottom), (left, bottom)]
    for size, inside in (((640, 480), 1), (None, 0), ((2000, 2000), edge in ("left", "top"))):
        one = n6post.PolygonZone(points, frame_size=size, anchor="center")
        for place in ((320, 240), (x, y), (x, y)):
            one.trigger([seen(1, place[0], place[1] + 80, 80, 160)], elapsed_ms=100)
        assert one.current_count == inside


def test_who_stays_near_an_edge_has_entered_after_many_frames() -> None:
    for min_frames in (1, 2):
        one, visits = walked(SQUARE, [50] + [104] * (60 * min_frames - 1), x=200, min_frames=min_frames)
        assert (visits, one.current_count) == (0, 0)
        one.trigger([seen(1, 200, 104, 80, 160)], elapsed_ms=100)
        assert (len(one.entered), one.current_count) == (1, 1)
        assert one.dwell_time(1) == (60 * min_frames - 1) / 10  # since the first of these frames
    # A frame outside starts again.
    one, visits = walked(SQUARE, [50] + ([104] * 119 + [98]) * 3, x=200)
    assert (visits, one.current_count) == (0, 0)


def test_who_stays_just_outside_has_not_left() -> None:
    one, visits = walked(SQUARE, [200] + [90] * 500, x=200)
    assert (visits, one.current_count) == (1, 1)


def test_a_zone_whose_edges_cross_can_be_entered() -> None:
    one = n6post.PolygonZone([(100, 100), (300, 300), (300, 100), (100, 300)])
    for x in (20, 140, 140):
        one.trigger([seen(1, x, 200)], elapsed_ms=100)
    assert one.current_count == 1


def distance(x: Fraction, y: Fraction, points: list[tuple[int, int]]) -> float:
    """The distance of a point from the nearest edge."""
    nearest = []
    for (px, py), (qx, qy) in zip(points, points[1:] + points[:1], strict=True):
        dx, dy = qx - px, qy - py
        t = max(Fraction(0), min(Fraction(1), ((x - px) * dx + (y - py) * dy) / Fraction(dx * dx + dy * dy)))
        nearest.append(float((x - px - t * dx) ** 2 + (y - py - t * dy) ** 2) ** 0.5)
    return min(nearest)


@given(
    st.lists(st.tuples(st.integers(60, 340), st.integers(60, 340)), min_size=1, max_size=30),
    st.sampled_from([0.0, 0.25, 0.5]),
    st.integers(1, 3),
)
def test_tracks_inside_equal_those_of_a_plain_state_machine(places: Any, margin: float, min_frames: int) -> None:
    points = [(100, 120), (300, 90), (250, 200), (310, 310), (120, 290)]
    one = n6post.PolygonZone(points, margin=margin, min_frames=min_frames)
    settled, run = None, 0
    for x, y in places:
        here = one.contains(x, y)
        away = distance(Fraction(x), Fraction(y), points)
        # The area is 32,050. Half of the perimeter is 435, with edges that are not level up to an eighth too long.
        reach = min(margin * 30, 32050 / 435 / 8) if here else margin * 30
        if margin and min(abs(away - reach), abs(away - 2 * reach)) < 0.05:
            return  # float64 is not exact enough
        if settled is None or here == settled:
            settled, run = here, 0
        elif away > reach or not margin:
            run += 1
            if run >= min_frames or (margin and away > 2 * reach):
                settled, run = here, 0
        assert step(one, (x, y))[0] == ([1] if settled else [])


@pytest.mark.parametrize("jitter", [0.03, 0.06])
def test_somebody_who_stands_near_the_edge_visits_once(jitter: float) -> None:
    rng = random.Random(3)
    one, visits = zone(), 0
    for k in range(300):
        bottom = 301 + (-20 if k < 20 or k > 270 else 0) + rng.gauss(0, 80 * jitter)
        one.trigger([seen(1, 200, round(bottom), 32, 80)], elapsed_ms=100)
        visits += len(one.entered)
    assert (visits, one.left, one.dwell_time(1)) == (1, [], 29.9)


# --- several anchor points ---
def test_all_of_several_anchor_points_have_to_be_inside() -> None:
    one = zone(anchor=("bottom_left", "bottom_right"), margin=0, min_frames=1)
    for x, inside in ((200, [1]), (289, [1]), (290, []), (310, []), (110, [1]), (109, [])):  # the box is 20 pixels wide
        assert step(one, (x, 200))[0] == inside
    one = zone(anchor=("bottom_left", "bottom_right"))
    for x, inside in ((200, [1]), (296, [1]), (297, [1]), (297, []), (284, []), (283, []), (283, [1])):
        assert step(one, (x, 200))[0] == inside


# --- detections that only coast ---
def test_a_prediction_neither_dwells_nor_counts_unless_asked() -> None:
    for count_coasting in (False, True):
        one = zone(count_coasting=count_coasting, max_gap=0.25)
        one.trigger([seen(1, *INSIDE)], elapsed_ms=0)
        one.trigger([seen(1, *INSIDE)], elapsed_ms=100)
        sizes = []
        for _ in range(3):
            sizes.append(len(one.trigger([coasting(seen(1, *INSIDE)), coasting(seen(2, *INSIDE))], elapsed_ms=100)))
        assert sizes == ([2, 2, 2] if count_coasting else [0, 0, 0])
        assert one.dwell_time(1) == (0.4 if count_coasting else 0.0)
        assert [visit.dwell_time for visit in one.left] == ([] if count_coasting else [0.1])


def test_a_track_that_coasts_for_less_than_max_gap_has_not_left() -> None:
    one = zone()
    one.trigger([seen(1, *INSIDE)], elapsed_ms=0)
    one.trigger([coasting(seen(1, *OUTSIDE))], elapsed_ms=500)
    assert one.left == []
    one.trigger([seen(1, *INSIDE)], elapsed_ms=500)
    assert (one.entered, one.dwell_time(1)) == ([], 1.0)


# --- bookkeeping ---
@given(st.lists(st.tuples(st.integers(0, 400), st.lists(st.tuples(st.integers(1, 5), st.booleans()), max_size=5))))
def test_every_visit_is_told_once_when_it_begins_and_ends(frames: Any) -> None:
    one = zone(max_gap=0.5)
    open_visits: dict[int, int] = {}
    now, ended = 0, []
    for ms, tracks in frames:
        now += ms
        places = dict(tracks)
        one.trigger([seen(i, *(INSIDE if within else OUTSIDE)) for i, within in places.items()], elapsed_ms=ms)
        for visit in one.left:
            start = open_visits.pop(visit.track_id)
            assert 0 <= 1000 * visit.dwell_time <= now - start + 1
            ended.append(visit.dwell_time)
        for d in one.entered:
            assert d.track_id not in open_visits
            open_visits[d.track_id] = now
        assert {i for i, within in places.items() if within} <= set(open_visits)
        assert not {i for i, within in places.items() if not within} & set(open_visits)
    assert one.mean_dwell_time == pytest.approx(sum(ended) / len(ended) if ended else 0.0)


def test_tracks_that_are_forgotten_in_a_crowd_have_left() -> None:
    one = zone(max_gap=1e6)
    left = 0
    for first in range(1, 401, 100):
        one.trigger([seen(i, *INSIDE) for i in range(first, first + 100)], elapsed_ms=10)
        left += len(one.left)
        assert len(one._tracks) <= 128
    assert left == 300
    assert [visit.track_id for visit in one.left] == list(range(201, 301))


def test_a_refused_frame_changes_nothing() -> None:
    one = zone()
    step(one, INSIDE)
    before = one.as_dict(), [d.track_id for d in one.entered], one.left
    for detections, ms in (([None], 100), ("person", 100), ([seen(1, *OUTSIDE)], "soon")):
        with pytest.raises(ValueError):
            one.trigger(detections, elapsed_ms=ms)
    assert (one.as_dict(), [d.track_id for d in one.entered], one.left) == before
    assert step(one, INSIDE, ms=40)[0] == [1] and one.dwell_time(1) == 0.04


def test_the_direction_of_the_points_makes_no_difference() -> None:
    narrow = [(100, 300), (540, 300), (540, 330), (100, 330)]
    for points in (narrow, narrow[1:] + narrow[:1]):
        one, other = n6post.PolygonZone(points), n6post.PolygonZone(points[::-1])
        for y in (*range(280, 350, 3), *range(350, 280, -4)):
            found = [seen(1, 300, y, 80, 160)]
            inside = [zone.trigger(found, elapsed_ms=100) for zone in (one, other)]
            assert inside[0] == inside[1] and one.left == other.left


@pytest.mark.parametrize("last", [638, 639, 640])
def test_the_last_column_of_the_frame_is_its_border(last: int) -> None:
    one = n6post.PolygonZone([(540, 100), (last, 100), (last, 400), (540, 400)], frame_size=(640, 480))
    for x in [500] * 2 + [634] * 5:
        one.trigger([seen(1, x, 250, 400, 160)], elapsed_ms=100)
    assert one.current_count == (last > 638)


def test_128_lost_tracks_are_remembered() -> None:
    one = zone(max_gap=10.0)
    one.trigger([seen(i, *INSIDE) for i in range(1, 129)], elapsed_ms=0)
    assert one.trigger([], elapsed_ms=100) == [] and one.left == []
    one.trigger([seen(200, *INSIDE)], elapsed_ms=100)
    assert len(one.left) == 128


def test_json_has_dwell_times_of_tracks_inside_only() -> None:
    one = zone()
    for _ in range(2):
        step(one, INSIDE, OUTSIDE)
    assert one.as_dict()["dwell_times"] == [[1, 0.1]]


# --- passers-by ---
def test_who_stays_for_less_than_min_seconds_was_not_there() -> None:
    one = zone(min_seconds=0.5)
    for places in ([INSIDE], [INSIDE], [INSIDE, INSIDE], [INSIDE, INSIDE], [INSIDE, INSIDE]):
        assert step(one, *places) == ([], [], [])
    assert step(one, INSIDE, OUTSIDE) == ([1], [1], [])  # 0.5 seconds since it was first inside
    assert one.dwell_time(1) == 0.5 and one.mean_dwell_time == 0.0
    assert step(one, OUTSIDE, OUTSIDE) == ([], [], [(1, 0.5, 1)])
    assert step(one, OUTSIDE, INSIDE) == ([], [], [])  # it starts again
    for _ in range(4):
        assert step(one, OUTSIDE, INSIDE) == ([], [], [])
    assert step(one, OUTSIDE, INSIDE) == ([2], [2], [])
    assert one.mean_dwell_time == 0.5


def test_a_passer_by_who_is_lost_inside_has_not_left() -> None:
    one = zone(min_seconds=0.5)
    step(one, INSIDE)
    step(one, INSIDE)
    assert step(one, ms=5000) == ([], [], []) and one.mean_dwell_time == 0.0 and not one._tracks


def test_one_who_comes_in_needs_min_frames_and_min_seconds() -> None:
    one = zone(min_seconds=0.2, min_frames=5)
    edge = (293, 200)  # beyond the margin of 6 pixels, within twice that
    assert [step(one, at)[0] for at in (OUTSIDE, edge, edge, edge, edge, edge)] == [[]] * 5 + [[1]]
    assert one.dwell_time(1) == 0.4
    one = zone(min_seconds=0.2)
    assert [step(one, at)[0] for at in (OUTSIDE, edge, edge, edge)] == [[], [], [], [1]]


# --- the gap of the Tracker, and the last sight of a visit ---
@pytest.mark.parametrize("max_gap", [None, 1.5])
@pytest.mark.parametrize("of_tracker", [1.0, 4.0])
def test_without_a_max_gap_a_visit_ends_with_its_track(of_tracker: float, max_gap: float | None) -> None:
    tracker = n6post.Tracker(max_gap=of_tracker, min_hits=1, smooth_boxes=False)
    one, trail = zone(max_gap=max_gap), n6post.Trail()
    for x in (150, 180, 200):
        found = [n6post.Detection((x - 10, 160, 20, 40), 0.9, 3, "person", None, None)]
        tracked = trail.update(tracker.update(found, elapsed_ms=100), elapsed_ms=100)
        one.trigger(tracked, elapsed_ms=100)
    seconds = max_gap or of_tracker
    for _ in range(int(10 * seconds) + 1):
        assert one.left == []
        one.trigger(trail.update(tracker.update([], elapsed_ms=100), elapsed_ms=100), elapsed_ms=100)
    (visit,) = one.left
    assert (visit.track_id, visit.dwell_time, visit.rect) == (1, 0.2, (190, 160, 20, 40))
    assert visit.ago == pytest.approx(seconds + 0.1)
    if max_gap is None:
        assert [track.track_id for track in tracker.ended] == [1]
        assert trail.positions(visit.track_id) == [(150, 200), (180, 200), (200, 200)]


def test_a_visit_has_the_box_of_the_last_frame_inside() -> None:
    one = zone()
    for x in (200, 250, 290, 307, 307):
        step(one, (x, 200))
    (visit,) = one.left
    assert (visit.rect, visit.ago, visit.dwell_time) == ((280, 160, 20, 40), 0.2, 0.2)
    assert visit.as_dict() == {
        "track_id": 1, "dwell_time": 0.2, "class_id": 1, "rect": [280, 160, 20, 40], "ago": 0.2,
    }  # fmt: skip


@pytest.mark.parametrize("detections", [7, "person", [None], [7], [(1, 2)]])
def test_a_list_of_anything_else_leaves_the_time_as_it_was(detections: Any) -> None:
    one = zone()
    step(one, INSIDE)
    with pytest.raises(ValueError, match="^detections: expected a list of Detection, got "):
        one.trigger(detections, elapsed_ms=900)
    step(one, INSIDE)
    assert one.dwell_time(1) == 0.1
