"""zones.py: lines and polygons, against roboflow's supervision and plain numpy."""

import gzip
import json
import math
import re
from pathlib import Path

import _host
import image
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from n6post.detection import Detection
from n6post.mask import Grid, Mask
from n6post.zones import LineZone, PolygonZone

_host.install()  # time.ticks_ms

DATA = Path(__file__).parent / "data" / "zones.json.gz"
ANCHORS = "bottom, bottom_left, bottom_right, center, left, right, top, top_left, top_right"
SQUARE = [(100, 100), (300, 100), (300, 300), (100, 300)]


def seen(track_id, x, y, w=20, h=40, class_id=0, mask=None):
    """A detection whose bottom middle is at (x, y)."""
    d = Detection((x - w // 2, y - h, w, h), 0.9, class_id, str(class_id), mask, None)
    d.track_id = track_id
    return d


def walk(zone, *points, track_id=1):
    """(in, out) counted for one track that is at these points, one a frame."""
    for x, y in points:
        zone.trigger([seen(track_id, x, y)])
    return zone.in_count, zone.out_count


# --- lines ---


def test_a_line_counts_what_supervision_counts_frame_by_frame():
    recorded = json.loads(gzip.decompress(DATA.read_bytes()))
    for case in recorded["cases"]:
        line = LineZone(tuple(case["start"]), tuple(case["end"]), case["anchor"], margin=0)
        for frame, (came, went) in zip(case["frames"], case["crossed"]):
            found = []
            for track_id, x, y, w, h, class_id in frame:
                found.append(Detection((x, y, w, h), 0.5, class_id, "", None, None))
                found[-1].track_id = track_id
            crossed_in, crossed_out = line.trigger(found)
            assert [d.track_id for d in crossed_in] == came
            assert [d.track_id for d in crossed_out] == went
        assert [line.in_count, line.out_count] == case["counts"]
        per_class = [{int(k): v for k, v in counts.items()} for counts in case["per_class"]]
        assert [line.in_count_per_class, line.out_count_per_class] == per_class
    assert sum(sum(case["counts"]) for case in recorded["cases"]) > 300


def test_in_is_to_the_left_of_who_looks_from_start_to_end():
    eastward = ((0, 200), (400, 200))
    assert walk(LineZone(*eastward), (200, 300), (200, 100)) == (1, 0)
    assert walk(LineZone(*eastward), (200, 100), (200, 300)) == (0, 1)
    assert walk(LineZone(*eastward[::-1]), (200, 300), (200, 100)) == (0, 1)
    assert walk(LineZone((200, 0), (200, 400)), (100, 200), (300, 200)) == (1, 0)


def test_a_jitter_on_the_line_counts_once():
    # 6 pixels to both sides of it; the margin is a tenth of the mean side, 8.
    there_and_back = [(200, 200 + 6 * (-1) ** i) for i in range(50)]
    counts = []
    for margin in (0.1, 0.05):
        line = LineZone((0, 200), (400, 200), margin=margin)
        for x, y in [(200, 300), *there_and_back, (200, 100)]:
            line.trigger([seen(1, x, y, 60, 100)])
        counts.append((line.in_count, line.out_count))
    assert counts == [(1, 0), (25, 24)]


@pytest.mark.parametrize(
    "start, end, far, near, across",
    [
        ((100, 300), (200, 300), (150, 400), (150, 280), (150, 279.5)),
        ((200, 300), (100, 300), (150, 200), (150, 320), (150, 320.5)),
        ((300, 200), (300, 100), (400, 150), (280, 150), (279.5, 150)),
        ((300, 100), (300, 200), (200, 150), (320, 150), (320.5, 150)),
        ((0, 0), (300, 400), (70, 260), (166, 188), (166.5, 188)),  # 500 long; (16, -12) leads 20 to its left
    ],
)
def test_a_box_is_across_once_it_is_further_than_a_tenth_of_its_mean_side(start, end, far, near, across):
    # A mean side of 200, or of 200.5 where the middle lies on half a pixel: 20 pixels are too near, 20.4 and more are not.
    def around(x, y):
        w, h = 300 + (x % 1 > 0), 100 + (y % 1 > 0)
        d = Detection((int(x - w / 2), int(y - h / 2), w, h), 0.9, 0, "", None, None)
        d.track_id = 1
        assert (d.rect[0] + w / 2, d.rect[1] + h / 2) == (x, y)
        return d

    for ends, count in (((start, end), (1, 0)), ((end, start), (0, 1))):
        line = LineZone(*ends, "center")
        for place in (far, near, far, near):
            assert line.trigger([around(*place)]) == ([], [])
        line.trigger([around(*across)])
        assert (line.in_count, line.out_count) == count


def test_who_begins_on_the_line_is_counted_on_neither_way_out():
    for y in (100, 300):
        assert walk(LineZone((0, 200), (400, 200)), (200, 200), (200, y)) == (0, 0)


def test_who_goes_round_an_end_of_the_line_has_not_crossed_it():
    line = LineZone((100, 200), (300, 200))
    assert walk(line, (200, 300), (400, 300), (400, 100), (200, 100)) == (0, 0)
    assert walk(line, (200, 300)) == (0, 1)


def test_a_long_step_crosses_where_it_meets_the_line():
    # From (200, 300) to (400, 100) the line y = 200 is met at x = 300.
    assert walk(LineZone((0, 200), (300, 200)), (200, 300), (400, 100)) == (1, 0)
    assert walk(LineZone((0, 200), (299, 200)), (200, 300), (400, 100)) == (0, 0)
    # The same of the end where a line begins.
    assert walk(LineZone((300, 200), (0, 200)), (200, 300), (400, 100)) == (0, 1)
    assert walk(LineZone((299, 200), (0, 200)), (200, 300), (400, 100)) == (0, 0)


def test_a_track_that_was_lost_on_the_one_side_and_found_on_the_other_has_crossed():
    line = LineZone((0, 200), (400, 200))
    line.trigger([seen(1, 200, 300)])
    for _ in range(30):
        assert line.trigger([]) == ([], [])
    d = seen(1, 200, 100)
    assert line.trigger([d]) == ([d], [])


def test_counts_go_by_the_class_at_the_crossing():
    line = LineZone((0, 200), (400, 200))
    line.trigger([seen(1, 50, 300, class_id=2), seen(2, 90, 300, class_id=7)])
    line.trigger([seen(1, 50, 100, class_id=3), seen(2, 90, 100, class_id=7)])
    line.trigger([seen(2, 90, 300, class_id=7)])
    assert line.in_count_per_class == {3: 1, 7: 1}
    assert line.out_count_per_class == {7: 1}


def test_the_anchor_says_which_point_of_a_box_has_to_cross():
    # A box 40 high goes up by 30: its bottom from 220 to 190, its top from 180 to 150, its middle from 200 to 170.
    for anchor, crossed in (("bottom", 1), ("bottom_left", 1), ("top", 0), ("top_right", 0)):
        line = LineZone((0, 200), (400, 200), anchor)
        assert walk(line, (200, 220), (200, 190)) == (crossed, 0), anchor
    line = LineZone((0, 195), (400, 195), "center")
    assert walk(line, (200, 220), (200, 190)) == (1, 0)


def test_the_centroid_of_a_mask_is_an_anchor_and_the_centre_where_there_is_none():
    line = LineZone((0, 200), (400, 200), "centroid")
    grid = Grid(1.0, 0.0, 1.0, 0.0, (0, 0, 400, 400))
    for y in (250, 150):
        mask = Mask(bytearray(b"\xff" * 16), (10, y, 4, 4), (10, y, 4, 4), (10, y, 4, 4), grid)
        line.trigger([seen(1, 300, 300, mask=mask), seen(2, 300, y)])
    assert (line.in_count, line.out_count) == (2, 0)


def test_tracks_are_remembered_up_to_a_limit_and_those_in_the_frame_always():
    line = LineZone((0, 200), (400, 200))
    for first in range(1, 1001, 20):
        line.trigger([seen(track_id, 200, 300) for track_id in range(first, first + 20)])
        assert len(line._tracks) <= 128
    assert len(line.trigger([seen(1000, 200, 100)])[0]) == 1


@pytest.mark.parametrize("many, known", [(128, 128), (129, 1)])
def test_128_tracks_are_remembered_and_of_more_those_in_the_frame(many, known):
    line = LineZone((0, 200), (400, 200))
    everybody = list(range(1, many + 1))
    for track_ids in (everybody[:-1], everybody[-1:]):
        line.trigger([seen(n, 200, 300) for n in track_ids])
    assert len(line.trigger([seen(n, 200, 100) for n in everybody])[0]) == known


def test_reset_begins_at_zero_with_nobody_seen():
    line = LineZone((0, 200), (400, 200))
    assert walk(line, (200, 300), (200, 100)) == (1, 0)
    line.reset()
    assert (line.in_count, line.out_count, line.in_count_per_class) == (0, 0, {})
    assert walk(line, (200, 300)) == (0, 0)


@given(st.data())
def test_counts_are_those_of_exact_geometry(data):
    # Segments from one place to the next against the line's segment, in fractions.
    point = st.tuples(st.integers(-50, 50), st.integers(-50, 50))
    start = data.draw(point)
    end = data.draw(point.filter(lambda p: p != start))
    places = data.draw(st.lists(point, min_size=2, max_size=8))
    line = LineZone(start, end, margin=0)

    def side(p):
        return (end[0] - start[0]) * (p[1] - start[1]) - (end[1] - start[1]) * (p[0] - start[0])

    expected = [0, 0]
    last = None
    for place in places:
        if side(place) == 0:
            continue
        if last and (side(last) < 0) != (side(place) < 0):
            t = side(last) / (side(last) - side(place))
            x, y = [last[k] + t * (place[k] - last[k]) for k in (0, 1)]
            along = (x - start[0]) * (end[0] - start[0]) + (y - start[1]) * (end[1] - start[1])
            length = math.dist(start, end) ** 2
            if abs(along) < 1e-6 or abs(along - length) < 1e-6:
                return  # through an end: float64 cannot tell
            if 0 < along < length:
                expected[0 if side(place) < 0 else 1] += 1
        last = place
    assert walk(line, *places) == tuple(expected)


# --- polygons ---


def inside_by_angles(x, y, points):
    """Whether a polygon without crossings has a point inside: the angles under which it sees the edges are a whole turn."""
    total = 0.0
    for (px, py), (qx, qy) in zip(points, points[1:] + points[:1]):
        a, b = math.atan2(py - y, px - x), math.atan2(qy - y, qx - x)
        total += (b - a + math.pi) % (2 * math.pi) - math.pi
    return abs(total) > math.pi


def on_an_edge(x, y, points):
    edges = zip(points, points[1:] + points[:1])
    return min(abs((qx - px) * (y - py) - (qy - py) * (x - px)) for (px, py), (qx, qy) in edges) < 1e-3


def test_a_polygon_contains_what_the_angles_to_its_corners_say():
    star = [(200, 20), (240, 150), (380, 150), (270, 230), (310, 370)]
    star += [(200, 280), (90, 370), (130, 230), (20, 150), (160, 150)]
    zone = PolygonZone(star)
    random = np.random.default_rng(0)
    hits = 0
    for x, y in random.integers(0, 400, (3000, 2)).tolist():
        if on_an_edge(x, y, star):
            continue  # ruled in the next test
        assert zone.contains(x, y) == inside_by_angles(x, y, star), (x, y)
        hits += zone.contains(x, y)
    assert 500 < hits < 2500


def test_zones_side_by_side_share_no_point_and_leave_none_out():
    left = PolygonZone([(0, 0), (50, 0), (70, 100), (0, 100)])
    right = PolygonZone([(50, 0), (120, 0), (120, 100), (70, 100)])
    for y in range(100):
        for x in range(120):
            assert left.contains(x, y) + right.contains(x, y) == 1


def test_trigger_gives_who_is_inside_and_counts_them():
    zone = PolygonZone(SQUARE)
    found = [seen(1, 200, 200), seen(2, 50, 200), seen(None, 299, 299, class_id=5), seen(3, 300, 200)]
    assert zone.trigger(found) == [found[0], found[2]]
    assert zone.current_count == 2
    assert zone.current_count_per_class == {0: 1, 5: 1}
    assert zone.trigger([]) == []
    assert (zone.current_count, zone.current_count_per_class) == (0, {})


def test_seconds_are_those_between_the_frames_that_showed_a_track_inside():
    zone = PolygonZone(SQUARE)
    for _ in range(11):
        zone.trigger([seen(1, 200, 200), seen(2, 50, 50)], ms=100)
    assert (zone.seconds(1), zone.seconds(2), zone.seconds(3)) == (1.0, 0.0, 0.0)
    zone.trigger([seen(1, 50, 50), seen(2, 200, 200)], ms=100)
    assert (zone.seconds(1), zone.seconds(2)) == (0.0, 0.0)
    zone.trigger([seen(2, 200, 200)], ms=250)
    assert zone.seconds(2) == 0.25


def test_a_track_may_be_lost_for_a_moment_and_dwells_on():
    zone = PolygonZone(SQUARE, patience=1)
    for present in (1, 1, 0, 0, 0, 1):
        zone.trigger([seen(1, 200, 200)] * present, ms=250)
    assert zone.seconds(1) == 1.25
    for _ in range(5):
        zone.trigger([], ms=250)
    assert zone.seconds(1) == 0.0
    zone.trigger([seen(1, 200, 200)], ms=250)
    assert zone.seconds(1) == 0.0


@pytest.mark.parametrize("seconds, patience", [(None, 1000), (0.25, 250), (0, 0), (1e6, 10**9)])
def test_a_lost_track_dwells_for_as_long_as_the_patience_lasts_and_no_millisecond_longer(seconds, patience):
    zone = PolygonZone(SQUARE) if seconds is None else PolygonZone(SQUARE, patience=seconds)
    for present, ms, dwelled in ((1, 0, 0.0), (1, 500, 0.5), (0, patience, 0.5), (0, 1, 0.0)):
        zone.trigger([seen(1, 200, 200)] * present, ms=ms)
        assert zone.seconds(1) == dwelled


def test_without_a_time_the_camera_s_clock_tells(monkeypatch):
    import time

    ticks = [(1 << 30) - 500, 500, 1500, 1000]  # it wraps, and is set back
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks.pop(0), raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: (a - b + (1 << 29)) % (1 << 30) - (1 << 29), raising=False)
    zone = PolygonZone(SQUARE)
    seconds = []
    while ticks:
        zone.trigger([seen(1, 200, 200)])
        seconds.append(zone.seconds(1))
    assert seconds == [0.0, 1.0, 2.0, 2.0]


def test_a_time_that_is_given_counts_besides_the_camera_s_clock_and_does_not_set_it(monkeypatch):
    import time

    ticks = [7000, 8000, 8500]
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks.pop(0), raising=False)
    zone = PolygonZone(SQUARE)
    seconds = []
    for ms in (100, 100, None, None, 250, None, 30):  # the clock's first call has nothing to count from
        zone.trigger([seen(1, 200, 200)], ms=ms)
        seconds.append(zone.seconds(1))
    assert seconds == [0.0, 0.1, 0.1, 1.1, 1.35, 1.85, 1.88] and not ticks


def test_parts_of_a_millisecond_count(monkeypatch):
    # 15 frames a second are 66.67 ms: whole ones alone would lose a second in a hundred.
    zone = PolygonZone(SQUARE)
    for _ in range(151):
        zone.trigger([seen(1, 200, 200)], ms=1000 / 15)
    assert abs(zone.seconds(1) - 10) < 0.002
    zone.reset()
    for _ in range(101):
        zone.trigger([seen(1, 200, 200)], ms=0.25)
    assert zone.seconds(1) == 0.025


def test_time_that_runs_backwards_stands_still():
    zone = PolygonZone(SQUARE)
    seconds = []
    for ms in (0, 100, -50, -1e9, -0.5, 0, 100.0):
        zone.trigger([seen(1, 200, 200)], ms=ms)
        seconds.append(zone.seconds(1))
    assert seconds == [0.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2]


def test_a_jump_of_the_clock_ends_a_stay_only_where_nobody_is_seen():
    zone = PolygonZone(SQUARE)
    zone.trigger([seen(1, 200, 200), seen(2, 200, 200)], ms=100)
    zone.trigger([seen(1, 200, 200)], ms=10**9)
    assert (zone.seconds(1), zone.seconds(2)) == (1e6, 0.0)


def test_ticks_wrap_between_two_frames_that_are_days_apart(monkeypatch):
    import time

    ticks = [0, (1 << 29) - 1, (1 << 30) - 2, 5]  # each half of the period later, but the last one
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks.pop(0), raising=False)
    zone = PolygonZone(SQUARE)
    while ticks:
        zone.trigger([seen(1, 200, 200)])
    assert zone.seconds(1) == ((1 << 30) + 5) / 1000


def test_a_crowd_and_a_long_time_take_a_bounded_table():
    zone = PolygonZone(SQUARE, patience=1e6)
    for first in range(1, 2000, 100):
        zone.trigger([seen(track_id, 200, 200) for track_id in range(first, first + 100)], ms=10**8)
    assert len(zone._tracks) <= 128
    assert zone.current_count == 100


@pytest.mark.parametrize("scale, offset", [(1.0, 0.0), (4.0, 0.0), (2.5, 37.0), (0.5, -3.0)])
def test_share_is_the_part_of_a_mask_s_pixels_whose_centres_are_inside(scale, offset):
    random = np.random.default_rng(int(scale * 10))
    data = random.integers(0, 256, (30, 40)).astype(np.uint8)
    points = [(int(x * scale + offset), int(y * scale + offset)) for x, y in ((10, 10), (38, 14), (30, 33), (8, 28))]
    hits = total = 0
    for row in range(9, 35):
        for column in range(6, 43):
            x, y = (column + 0.5) * scale + offset, (row + 0.5) * scale + offset
            if on_an_edge(x, y, points):
                data[row - 7, column - 5] = 0  # float64 cannot tell
            if data[row - 7, column - 5] >= 128:
                total += 1
                hits += inside_by_angles(x, y, points)
    grid = Grid(scale, offset, scale, offset, (0, 0, 999, 999))
    mask = Mask(bytearray(data.tobytes()), (5, 7, 40, 30), (6, 9, 37, 26), (0, 0, 999, 999), grid)
    assert 0.2 < hits / total < 0.9
    assert abs(PolygonZone(points).share(mask) - hits / total) < 1e-6


@pytest.mark.parametrize("w, h", [(1, 1), (1, 4), (4, 1), (4, 8)])
@pytest.mark.parametrize(
    "left, top, right, bottom", [(0, 0, 99, 99), (0, 0, 12, 99), (12, 0, 99, 99), (0, 0, 99, 24), (0, 24, 99, 99)]
)
def test_the_share_of_a_rectangle_is_that_of_the_pixels_on_this_side_of_an_edge(w, h, left, top, right, bottom):
    # A mask of w by h pixels at (10, 20), each of them a pixel of the frame.
    place = (10, 20, w, h)
    mask = Mask(bytearray(b"\xff" * (w * h)), place, place, place, Grid(1.0, 0.0, 1.0, 0.0, (0, 0, 400, 400)))
    zone = PolygonZone([(left, top), (right, top), (right, bottom), (left, bottom)])
    inside = [left <= x < right and top <= y < bottom for x in range(10, 10 + w) for y in range(20, 20 + h)]
    assert zone.share(mask) == sum(inside) / len(inside)


def test_a_pixel_whose_centre_is_on_an_upper_or_left_edge_is_of_the_share_and_on_the_others_it_is_not():
    # Pixels with centres at 1, 2, 3, 4, 5: those at 1, 2, 3 are in a zone from 1 to 4.
    zone = PolygonZone([(1, 1), (4, 1), (4, 4), (1, 4)])
    grid = Grid(1.0, 0.5, 1.0, 0.5, (0, 0, 400, 400))
    for column in range(5):
        for row in range(5):
            place = (column, row, 1, 1)
            mask = Mask(bytearray(b"\xff"), place, place, place, grid)
            within = column in (0, 1, 2) and row in (0, 1, 2)
            assert zone.share(mask) == within == zone.contains(column + 1, row + 1)


def test_the_share_of_an_empty_mask_is_none_of_it():
    grid = Grid(1.0, 0.0, 1.0, 0.0, (0, 0, 400, 400))
    assert PolygonZone(SQUARE).share(Mask(bytearray(), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), grid)) == 0.0
    assert PolygonZone(SQUARE).share(Mask(bytearray(16), (0, 0, 4, 4), (0, 0, 4, 4), (0, 0, 4, 4), grid)) == 0.0
    for crop in (0, 0, 0, 4), (0, 0, 4, 0), (0, 0, 0, 0):
        assert PolygonZone(SQUARE).share(Mask(bytearray(16), (0, 0, 4, 4), crop, crop, grid)) == 0.0


# --- both ---


def test_a_hundred_at_once_then_nobody_for_a_minute_then_the_hundred_on_the_other_side():
    line, zone = LineZone((0, 200), (2000, 200)), PolygonZone([(0, 250), (2000, 250), (2000, 350), (0, 350)])
    for y in (300, 100):
        hundred = [seen(track_id, 19 * track_id, y) for track_id in range(1, 101)]
        crossed = line.trigger(hundred)
        assert (len(crossed[0]), crossed[1]) == (100 if y == 100 else 0, [])
        assert len(zone.trigger(hundred, ms=100)) == zone.current_count == (100 if y == 300 else 0)
        for _ in range(600):
            assert line.trigger([]) == ([], []) and zone.trigger([], ms=100) == []
        assert zone.as_dict()["seconds"] == [] and len(line._tracks) == 100
    assert (line.in_count, line.out_count) == (100, 0)


@pytest.mark.parametrize("score", [math.nan, math.inf, 0.0, 1.001])
@pytest.mark.parametrize("size", [(0, 0), (0, 40), (20, 0), (20, 40)])
def test_scores_that_are_none_and_boxes_of_no_size_are_where_they_are(size, score):
    line, zone = LineZone((0, 200), (400, 200), "top_left"), PolygonZone(SQUARE, "top_left")
    for y in (220, 200, 180):
        d = Detection((150, y, *size), score, 0, "", None, None)
        d.track_id = 1
        line.trigger([d])
        assert zone.trigger([d], ms=500) == [d]
    assert (line.in_count, line.out_count, zone.seconds(1)) == (1, 0, 1.0)


anything = st.lists(
    st.tuples(
        st.integers(1, 12), st.tuples(*[st.integers(-1024, 8191)] * 4), st.sampled_from([0.9, math.nan, math.inf]),
        st.integers(0, 2),
    ),
    max_size=6, unique_by=lambda d: d[0],
)  # fmt: skip
times = st.one_of(st.floats(-1e9, 1e9), st.integers(-(10**9), 10**9), st.sampled_from([0, 40, 66.7]))


@given(st.lists(st.tuples(anything, times), max_size=10), st.sampled_from(["bottom", "center", "top_left", "centroid"]))
def test_whatever_is_seen_counts_add_up_and_nobody_stays_longer_than_the_time_that_has_passed(frames, anchor):
    line, zone = LineZone((-500, 3000), (7000, 3100), anchor), PolygonZone([(0, 0), (5000, 0), (4000, 6000)], anchor)
    passed, came, went = 0.0, 0, 0
    for found, ms in frames:
        detections = [Detection(rect, score, class_id, "", None, None) for _, rect, score, class_id in found]
        for d, (track_id, *_) in zip(detections, found):
            d.track_id = track_id
        crossed = line.trigger(detections)
        came, went = came + len(crossed[0]), went + len(crossed[1])
        inside = zone.trigger(detections, ms)
        passed += max(0, ms)
        assert all(any(d is e for e in detections) for d in inside + crossed[0] + crossed[1])
        assert zone.current_count == len(inside) == sum(zone.current_count_per_class.values())
        stays = [zone.seconds(track_id) for track_id in range(13)]
        assert all(0 <= seconds <= passed / 1000 + 1e-6 for seconds in stays)
    assert (line.in_count, line.out_count) == (came, went)
    assert (sum(line.in_count_per_class.values()), sum(line.out_count_per_class.values())) == (came, went)
    assert abs(came - went) <= 12


@pytest.mark.parametrize("found", [None, 7, "person", {}, [None], [(1, 2, 3, 4)], [[0, 0, 9, 9]], [((0, 0, 9, 9), 0.5)]])
def test_what_is_no_list_of_detections_is_a_value_error_and_changes_nothing(found):
    line, zone = LineZone((0, 200), (400, 200)), PolygonZone(SQUARE)
    for _ in range(2):
        zone.trigger([seen(1, 200, 200)], ms=500)
    for one in (line, zone):
        before = one.as_dict()
        with pytest.raises(ValueError, match="^found: expected a list of Detection, got "):
            one.trigger(found)
        assert one.as_dict() == before and zone.current_count == 1


@pytest.mark.parametrize("mask", [None, 5, SQUARE, Mask])
def test_a_share_is_of_a_mask_and_of_nothing_else(mask):
    with pytest.raises(ValueError, match=f"^share: expected a Mask, got {type(mask).__name__}$"):
        PolygonZone(SQUARE).share(mask)


def test_one_detection_without_a_track_and_nobody_of_its_frame_has_crossed():
    line = LineZone((0, 200), (400, 200))
    line.trigger([seen(1, 200, 300)])
    with pytest.raises(ValueError, match="expected detections with a track_id"):
        line.trigger([seen(1, 200, 100), seen(None, 50, 50)])
    assert (line.in_count, line.in_count_per_class) == (0, {})
    assert line.trigger([seen(1, 200, 100)])[0] != []


def test_zones_leave_as_numbers_and_lists():
    line, zone = LineZone((0, 200), (400, 200)), PolygonZone(SQUARE)
    walk(line, (200, 300), (200, 100))
    for _ in range(2):
        zone.trigger([seen(4, 200, 200)], ms=500)
    assert json.loads(json.dumps(line.as_dict())) == {"start": [0, 200], "end": [400, 200], "in": 1, "out": 0}
    points = [[x, y] for x, y in SQUARE]
    assert json.loads(json.dumps(zone.as_dict())) == {"points": points, "count": 1, "seconds": [[4, 0.5]]}
    # The same text every time, whoever came first.
    assert json.dumps(line.as_dict()) == '{"start": [0, 200], "end": [400, 200], "in": 1, "out": 0}'
    zone.trigger([seen(4, 200, 200), seen(2, 200, 200)], ms=0)
    text = '{"points": [[100, 100], [300, 100], [300, 300], [100, 300]], "count": 2, "seconds": [[2, 0.0], [4, 0.5]]}'
    assert json.dumps(zone.as_dict()) == text


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_drawing_paints_the_line_the_edges_and_the_counts(pixformat):
    img = image.Image(400, 400, pixformat)
    line = LineZone((20, 350), (380, 350))
    zone = PolygonZone(SQUARE)
    zone.trigger([seen(1, 200, 200)])
    assert line.draw(img, labels=False) is img
    assert zone.draw(img, labels=False) is img

    def painted(x, y):
        return np.max(img.get_pixel((x, y))) > 0

    assert all(painted(x, y) for x, y in ((20, 350), (200, 350), (380, 350), (100, 200), (300, 200), (200, 100), (200, 300)))
    assert painted(200, 340) and not painted(200, 360)  # the tick is on the left, where in is
    assert not painted(200, 200)
    plain = bytes(img.bytearray())
    line.draw(img)
    zone.draw(img)
    assert bytes(img.bytearray()) != plain


def test_counts_at_a_frame_s_edge_are_written_inside_of_it():
    img = image.Image(160, 120, image.GRAYSCALE)
    LineZone((0, 0), (159, 0)).draw(img)
    LineZone((159, 119), (0, 119)).draw(img)
    assert np.frombuffer(img.bytearray(), dtype=np.uint8).any()


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: LineZone((0, 0), (0, 0)), "end: expected another point than start, got (0, 0) twice"),
        (lambda: LineZone((0, 0.5), (4, 4)), "start: expected a point (x, y) of integers, got (0, 0.5)"),
        (lambda: LineZone((0, 0), (4, 4, 4)), "end: expected a point (x, y) of integers, got (4, 4, 4)"),
        (lambda: LineZone((0, 0), (4, True)), "end: expected a point (x, y) of integers, got (4, True)"),
        (lambda: LineZone((0, 0), (40000, 0)), "end: expected an integer from -32768 to 32767, got 40000"),
        (lambda: LineZone((0, -32769), (4, 0)), "start: expected an integer from -32768 to 32767, got -32769"),
        (lambda: LineZone((0, 0), (4, 4), "feet"), f"anchor: expected {ANCHORS} or centroid, got 'feet'"),
        (lambda: LineZone((0, 0), (4, 4), None), f"anchor: expected {ANCHORS} or centroid, got None"),
        (lambda: LineZone((0, 0), (4, 4), margin=-1), "margin: expected a number from 0.0 to 10.0, got -1"),
        (lambda: LineZone((0, 0), (4, 4), margin=10.5), "margin: expected a number from 0.0 to 10.0, got 10.5"),
        (
            lambda: LineZone((0, 9), (9, 9)).trigger([seen(None, 1, 1)]),
            "expected detections with a track_id, as Tracker.update returns them, got one without",
        ),
        (lambda: PolygonZone([(0, 0), (9, 9)]), "points: expected three or more (x, y), got [(0, 0), (9, 9)]"),
        (lambda: PolygonZone(7), "points: expected three or more (x, y), got 7"),
        (lambda: PolygonZone([(0, 0), (9, 9), (4, 4.0)]), "points: expected a point (x, y) of integers, got (4, 4.0)"),
        (
            lambda: PolygonZone([(0, 0), (9, 9), (4, 4), (0, 0)]),
            "points: expected some that are not in a line, got [(0, 0), (9, 9), (4, 4), (0, 0)]",
        ),
        (
            lambda: PolygonZone(((0, 0), (0, 0), (0, 0))),
            "points: expected some that are not in a line, got ((0, 0), (0, 0), (0, 0))",
        ),
        (lambda: PolygonZone(SQUARE, patience="long"), "patience: expected a number from 0.0 to 1000000.0, got 'long'"),
        (lambda: PolygonZone(SQUARE, patience=-0.5), "patience: expected a number from 0.0 to 1000000.0, got -0.5"),
        (lambda: PolygonZone(SQUARE, patience=1e6 + 1), "patience: expected a number from 0.0 to 1000000.0, got 1000001.0"),
        *[
            (lambda ms=ms: PolygonZone(SQUARE).trigger([], ms=ms),
             f"ms: expected milliseconds since the last call or None, got {ms!r}")
            for ms in ("now", float("nan"), 10**9 + 1, -(10**9) - 1, True)
        ],
    ],
)  # fmt: skip
def test_what_a_zone_cannot_be_made_of_is_a_value_error(make, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()


@pytest.mark.parametrize("points", [
    [(0, 0), (10, 0), (0, 0), (10, 10)], [(0, 0), (0, 10), (0, 0), (10, 10)], [(0, 0), (0, 0), (10, 0), (0, 10)],
    [(5, 5), (5, 9), (5, 7), (6, 7)], [(5, 5), (9, 5), (7, 5), (7, 6)],
])  # fmt: skip
def test_corners_may_come_again_as_long_as_some_are_not_in_a_line(points):
    assert PolygonZone(points).points == points
