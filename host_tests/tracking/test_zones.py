"""lib/n6post/tracking/zone.py, line_zone.py and polygon_zone.py, compared with roboflow's supervision and plain numpy.

test_line_zone.py and test_polygon_zone.py have hysteresis, several anchor points, visits and predictions.
"""

import gzip
import json
import math
import re
from pathlib import Path
from typing import Any

import _host
import image
import n6post
import numpy as np
import pytest
from assertions import says
from fakes import seen
from hypothesis import given
from hypothesis import strategies as st
from n6post.results.detection import Detection
from n6post.results.mask import Mask, MaskTransform
from n6post.tracking.line_zone import LineZone
from n6post.tracking.polygon_zone import PolygonZone
from ulab import numpy as ulab

_host.install()  # time.ticks_ms

DATA = Path(__file__).parents[1] / "data" / "zones.json.gz"
ANCHORS = "bottom, bottom_left, bottom_right, center, left, right, top, top_left, top_right"
SQUARE = [(100, 100), (300, 100), (300, 300), (100, 300)]


def walk(zone, *points, track_id=1):
    """The counts (in, out) after one track was at these points, one in each frame."""
    for x, y in points:
        zone.trigger([seen(track_id, x, y)])
    return zone.in_count, zone.out_count


# --- lines ---


def test_a_line_counts_the_same_as_supervision_frame_by_frame():
    recorded = json.loads(gzip.decompress(DATA.read_bytes()))
    for case in recorded["cases"]:
        line = LineZone(tuple(case["start"]), tuple(case["end"]), anchor=case["anchor"], margin=0, min_frames=1)
        for frame, (came, went) in zip(case["frames"], case["crossed"]):
            detections = []
            for track_id, x, y, w, h, class_id in frame:
                detections.append(Detection((x, y, w, h), 0.5, class_id, "", None, None))
                detections[-1].track_id = track_id
            crossed_in, crossed_out = line.trigger(detections)
            assert [d.track_id for d in crossed_in] == came
            assert [d.track_id for d in crossed_out] == went
        assert [line.in_count, line.out_count] == case["counts"]
        per_class = [{int(k): v for k, v in counts.items()} for counts in case["per_class"]]
        assert [line.in_count_per_class, line.out_count_per_class] == per_class
    assert sum(sum(case["counts"]) for case in recorded["cases"]) > 300


def test_in_is_to_the_left_when_looking_from_start_to_end():
    eastward = ((0, 200), (400, 200))
    assert walk(LineZone(*eastward), (200, 300), (200, 100)) == (1, 0)
    assert walk(LineZone(*eastward), (200, 100), (200, 300)) == (0, 1)
    assert walk(LineZone(*eastward[::-1]), (200, 300), (200, 100)) == (0, 1)
    assert walk(LineZone((200, 0), (200, 400)), (100, 200), (300, 200)) == (1, 0)


def test_jitter_on_the_line_counts_as_one_crossing():
    # The track jitters by 6 pixels. The margin is a tenth of the mean side, 8 pixels, or half of that.
    there_and_back = [(200, 200 + 6 * (-1) ** i) for i in range(50)]
    counts = []
    for margin in (0.1, 0.05):
        line = LineZone((0, 200), (400, 200), margin=margin, min_frames=1)
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
        ((0, 0), (300, 400), (70, 260), (166, 188), (166.5, 188)),  # 500 pixels long; (16, -12) is 20 to its left
    ],
)
def test_a_box_has_crossed_once_it_is_beyond_the_margin(start, end, far, near, across):
    # The mean side is 200, or 200.5 with the center on half a pixel. 20 pixels are within the margin, 20.4 are beyond.
    def around(x, y):
        w, h = 300 + (x % 1 > 0), 100 + (y % 1 > 0)
        d = Detection((int(x - w / 2), int(y - h / 2), w, h), 0.9, 0, "", None, None)
        d.track_id = 1
        assert (d.rect[0] + w / 2, d.rect[1] + h / 2) == (x, y)
        return d

    for ends, count in (((start, end), (1, 0)), ((end, start), (0, 1))):
        line = LineZone(*ends, anchor="center", margin=0.1, min_frames=1)
        for place in (far, near, far, near):
            assert line.trigger([around(*place)]) == ([], [])
        line.trigger([around(*across)])
        assert (line.in_count, line.out_count) == count


def test_a_track_that_starts_on_the_line_has_not_crossed_it():
    for y in (100, 300):
        assert walk(LineZone((0, 200), (400, 200)), (200, 200), (200, y)) == (0, 0)


def test_a_track_that_passes_beyond_an_end_has_not_crossed_the_line():
    line = LineZone((100, 200), (300, 200))
    assert walk(line, (200, 300), (400, 300), (400, 100), (200, 100)) == (0, 0)
    assert walk(line, (200, 300)) == (0, 1)


def test_a_long_step_crosses_where_it_intersects_the_line():
    # The way from (200, 300) to (400, 100) intersects the line y = 200 at x = 300.
    assert walk(LineZone((0, 200), (300, 200)), (200, 300), (400, 100)) == (1, 0)
    assert walk(LineZone((0, 200), (299, 200)), (200, 300), (400, 100)) == (0, 0)
    # The same at the start of a line.
    assert walk(LineZone((300, 200), (0, 200)), (200, 300), (400, 100)) == (0, 1)
    assert walk(LineZone((299, 200), (0, 200)), (200, 300), (400, 100)) == (0, 0)


def test_a_track_lost_on_one_side_and_found_on_the_other_has_crossed():
    line = LineZone((0, 200), (400, 200))
    line.trigger([seen(1, 200, 300)])
    for _ in range(30):
        assert line.trigger([]) == ([], [])
    d = seen(1, 200, 100)
    assert line.trigger([d]) == ([d], [])


def test_counts_per_class_use_the_class_at_the_crossing():
    line = LineZone((0, 200), (400, 200))
    line.trigger([seen(1, 50, 300, class_id=2), seen(2, 90, 300, class_id=7)])
    line.trigger([seen(1, 50, 100, class_id=3), seen(2, 90, 100, class_id=7)])
    line.trigger([seen(2, 90, 300, class_id=7)])
    assert line.in_count_per_class == {3: 1, 7: 1}
    assert line.out_count_per_class == {7: 1}


def test_the_anchor_selects_the_point_that_has_to_cross():
    # A box 40 pixels high moves up by 30: its bottom from 220 to 190, its top from 180 to 150, its center from 200 to 170.
    for anchor, crossed in (("bottom", 1), ("bottom_left", 1), ("top", 0), ("top_right", 0)):
        line = LineZone((0, 200), (400, 200), anchor=anchor, min_frames=1)
        assert walk(line, (200, 220), (200, 190)) == (crossed, 0), anchor
    line = LineZone((0, 190), (400, 190), anchor="center", min_frames=1)
    assert walk(line, (200, 220), (200, 190)) == (1, 0)


def test_the_centroid_anchor_is_the_masks_or_the_center_of_the_box():
    line = LineZone((0, 200), (400, 200), anchor="centroid")
    transform = MaskTransform(1.0, 0.0, 1.0, 0.0, (0, 0, 400, 400))
    for y in (250, 150):
        mask = Mask(bytearray(b"\xff" * 16), (10, y, 4, 4), (10, y, 4, 4), (10, y, 4, 4), transform)
        line.trigger([seen(1, 300, 300, mask=mask), seen(2, 300, y)])
    assert (line.in_count, line.out_count) == (2, 0)


def test_a_line_keeps_a_bounded_number_of_tracks():
    line = LineZone((0, 200), (400, 200))
    for first in range(1, 1001, 20):
        line.trigger([seen(track_id, 200, 300) for track_id in range(first, first + 20)])
        assert len(line._tracks) <= 128
    assert len(line.trigger([seen(1000, 200, 100)])[0]) == 1


@pytest.mark.parametrize("many, known", [(128, 128), (129, 1)])
def test_of_more_than_128_tracks_only_those_in_the_frame_are_kept(many, known):
    line = LineZone((0, 200), (400, 200))
    track_ids = list(range(1, many + 1))
    for frame in (track_ids[:-1], track_ids[-1:]):
        line.trigger([seen(n, 200, 300) for n in frame])
    assert len(line.trigger([seen(n, 200, 100) for n in track_ids])[0]) == known


def test_reset_sets_all_counts_to_zero_and_drops_the_tracks():
    line = LineZone((0, 200), (400, 200))
    assert walk(line, (200, 300), (200, 100)) == (1, 0)
    line.reset()
    assert (line.in_count, line.out_count, line.in_count_per_class) == (0, 0, {})
    assert walk(line, (200, 300)) == (0, 0)


@given(st.data())
def test_counts_equal_exact_geometry(data):
    # The segments between two positions are intersected with the line.
    point = st.tuples(st.integers(-50, 50), st.integers(-50, 50))
    start = data.draw(point)
    end = data.draw(point.filter(lambda p: p != start))
    places = data.draw(st.lists(point, min_size=2, max_size=8))
    line = LineZone(start, end, margin=0, min_frames=1)

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
                return  # through an end of the line: float64 is not exact enough
            if 0 < along < length:
                expected[0 if side(place) < 0 else 1] += 1
        last = place
    assert walk(line, *places) == tuple(expected)


# --- polygons ---


def inside_by_angles(x, y, points):
    """Whether a simple polygon contains a point: the angles from it to the edges then add up to a full turn."""
    total = 0.0
    for (px, py), (qx, qy) in zip(points, points[1:] + points[:1]):
        a, b = math.atan2(py - y, px - x), math.atan2(qy - y, qx - x)
        total += (b - a + math.pi) % (2 * math.pi) - math.pi
    return abs(total) > math.pi


def on_an_edge(x, y, points):
    edges = zip(points, points[1:] + points[:1])
    return min(abs((qx - px) * (y - py) - (qy - py) * (x - px)) for (px, py), (qx, qy) in edges) < 1e-3


def test_a_polygon_contains_the_points_that_see_it_all_around():
    star = [(200, 20), (240, 150), (380, 150), (270, 230), (310, 370)]
    star += [(200, 280), (90, 370), (130, 230), (20, 150), (160, 150)]
    zone = PolygonZone(star)
    random = np.random.default_rng(0)
    hits = 0
    for x, y in random.integers(0, 400, (3000, 2)).tolist():
        if on_an_edge(x, y, star):
            continue  # the next test covers these
        assert zone.contains(x, y) == inside_by_angles(x, y, star), (x, y)
        hits += zone.contains(x, y)
    assert 500 < hits < 2500


def test_adjacent_zones_share_no_point_and_leave_none_out():
    left = PolygonZone([(0, 0), (50, 0), (70, 100), (0, 100)])
    right = PolygonZone([(50, 0), (120, 0), (120, 100), (70, 100)])
    for y in range(100):
        for x in range(120):
            assert left.contains(x, y) + right.contains(x, y) == 1


def test_trigger_returns_and_counts_the_detections_inside():
    zone = PolygonZone(SQUARE)
    detections = [seen(1, 200, 200), seen(2, 50, 200), seen(None, 299, 299, class_id=5), seen(3, 300, 200)]
    assert zone.trigger(detections) == [detections[0], detections[2]]
    assert zone.current_count == 2
    assert zone.current_count_per_class == {0: 1, 5: 1}
    assert zone.trigger([]) == []
    assert (zone.current_count, zone.current_count_per_class) == (0, {})


def test_dwell_time_is_measured_between_frames_with_the_track_inside():
    zone = PolygonZone(SQUARE)
    for _ in range(11):
        zone.trigger([seen(1, 200, 200), seen(2, 50, 50)], elapsed_ms=100)
    assert (zone.dwell_time(1), zone.dwell_time(2), zone.dwell_time(3)) == (1.0, 0.0, 0.0)
    zone.trigger([seen(1, 50, 50), seen(2, 200, 200)], elapsed_ms=100)
    assert (zone.dwell_time(1), zone.dwell_time(2)) == (0.0, 0.0)
    zone.trigger([seen(2, 200, 200)], elapsed_ms=250)
    assert zone.dwell_time(2) == 0.25


def test_a_track_that_is_lost_for_a_moment_keeps_its_dwell_time():
    zone = PolygonZone(SQUARE, max_gap=1)
    for present in (1, 1, 0, 0, 0, 1):
        zone.trigger([seen(1, 200, 200)] * present, elapsed_ms=250)
    assert zone.dwell_time(1) == 1.25
    for _ in range(5):
        zone.trigger([], elapsed_ms=250)
    assert zone.dwell_time(1) == 0.0
    zone.trigger([seen(1, 200, 200)], elapsed_ms=250)
    assert zone.dwell_time(1) == 0.0


@pytest.mark.parametrize("seconds, patience", [(None, 2500), (0.25, 250), (0, 0), (1e6, 10**9)])
def test_a_lost_track_keeps_its_dwell_time_for_max_gap(seconds, patience):
    zone = PolygonZone(SQUARE) if seconds is None else PolygonZone(SQUARE, max_gap=seconds)
    for present, ms, dwelled in ((1, 0, 0.0), (1, 500, 0.5), (0, patience, 0.5), (0, 1, 0.0)):
        zone.trigger([seen(1, 200, 200)] * present, elapsed_ms=ms)
        assert zone.dwell_time(1) == dwelled


def test_without_elapsed_ms_the_zone_measures_the_time(monkeypatch):
    import time

    ticks = [(1 << 30) - 500, 500, 1500, 1000]  # the clock wraps, and is set back
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks.pop(0), raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: (a - b + (1 << 29)) % (1 << 30) - (1 << 29), raising=False)
    zone = PolygonZone(SQUARE)
    seconds = []
    while ticks:
        zone.trigger([seen(1, 200, 200)])
        seconds.append(zone.dwell_time(1))
    assert seconds == [0.0, 1.0, 2.0, 2.0]


def test_a_given_time_and_the_measured_time_never_count_twice(monkeypatch):
    import time

    ticks = [7000, 8000, 8250, 8500, 8600]  # at the third call and later
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks.pop(0), raising=False)
    zone = PolygonZone(SQUARE)
    seconds = []
    for ms in (100, 100, None, None, 240, None, 90):  # the first measured time has nothing to count from
        zone.trigger([seen(1, 200, 200)], elapsed_ms=ms)
        seconds.append(zone.dwell_time(1))
    assert seconds == [0.0, 0.1, 0.1, 1.1, 1.34, 1.59, 1.68] and not ticks


def test_a_zone_that_is_always_given_the_time_needs_no_clock(monkeypatch):
    import time

    monkeypatch.delattr(time, "ticks_ms")
    zone = PolygonZone(SQUARE)
    for _ in range(3):
        zone.trigger([seen(1, 200, 200)], elapsed_ms=250)
    assert zone.dwell_time(1) == 0.5


@pytest.mark.parametrize("gap, seconds", [([500, 500], 1.5), ([500, 501], 0.0), ([1001], 1.501), ([250] * 5, 0.0)])
def test_a_track_found_again_after_max_gap_starts_at_zero(gap, seconds):
    zone = PolygonZone(SQUARE, max_gap=1)
    for ms in (0, 500):
        zone.trigger([seen(1, 200, 200)], elapsed_ms=ms)
    for ms in gap[:-1]:
        zone.trigger([], elapsed_ms=ms)
    # Found in the very frame whose time exceeds max_gap. A single long frame loses nothing: the track was never lost.
    zone.trigger([seen(1, 200, 200)], elapsed_ms=gap[-1])
    assert zone.dwell_time(1) == seconds
    zone.trigger([seen(1, 200, 200)], elapsed_ms=100)
    assert zone.dwell_time(1) == pytest.approx(seconds + 0.1)


def test_fractions_of_a_millisecond_add_up():
    # A frame takes 66.67 ms at 15 frames a second. Whole milliseconds alone would lose a second in a hundred.
    zone = PolygonZone(SQUARE)
    for _ in range(151):
        zone.trigger([seen(1, 200, 200)], elapsed_ms=1000 / 15)
    assert abs(zone.dwell_time(1) - 10) < 0.002
    zone.reset()
    for _ in range(101):
        zone.trigger([seen(1, 200, 200)], elapsed_ms=0.25)
    assert zone.dwell_time(1) == 0.025


def test_a_negative_time_counts_as_zero():
    zone = PolygonZone(SQUARE)
    seconds = []
    for ms in (0, 100, -50, -1e9, -0.5, 0, 100.0):
        zone.trigger([seen(1, 200, 200)], elapsed_ms=ms)
        seconds.append(zone.dwell_time(1))
    assert seconds == [0.0, 0.1, 0.1, 0.1, 0.1, 0.1, 0.2]


def test_a_jump_of_the_clock_drops_only_tracks_that_are_not_seen():
    zone = PolygonZone(SQUARE)
    zone.trigger([seen(1, 200, 200), seen(2, 200, 200)], elapsed_ms=100)
    zone.trigger([seen(1, 200, 200)], elapsed_ms=10**9)
    assert (zone.dwell_time(1), zone.dwell_time(2)) == (1e6, 0.0)


def test_ticks_may_wrap_between_frames_that_are_days_apart(monkeypatch):
    import time

    ticks = [0, (1 << 29) - 1, (1 << 30) - 2, 5]  # each half a period later, but the last one
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks.pop(0), raising=False)
    zone = PolygonZone(SQUARE)
    while ticks:
        zone.trigger([seen(1, 200, 200)])
    assert zone.dwell_time(1) == ((1 << 30) + 5) / 1000


def test_a_polygon_keeps_a_bounded_number_of_tracks():
    zone = PolygonZone(SQUARE, max_gap=1e6)
    for first in range(1, 2000, 100):
        zone.trigger([seen(track_id, 200, 200) for track_id in range(first, first + 100)], elapsed_ms=10**8)
    assert len(zone._tracks) <= 128
    assert zone.current_count == 100


@pytest.mark.parametrize("scale, offset", [(1.0, 0.0), (4.0, 0.0), (2.5, 37.0), (0.5, -3.0)])
def test_coverage_is_the_fraction_of_mask_pixels_with_centers_inside(scale, offset):
    random = np.random.default_rng(int(scale * 10))
    data = random.integers(0, 256, (30, 40)).astype(np.uint8)
    points = [(int(x * scale + offset), int(y * scale + offset)) for x, y in ((10, 10), (38, 14), (30, 33), (8, 28))]
    hits = total = 0
    for row in range(9, 35):
        for column in range(6, 43):
            x, y = (column + 0.5) * scale + offset, (row + 0.5) * scale + offset
            if on_an_edge(x, y, points):
                data[row - 7, column - 5] = 0  # float64 is not exact enough
            if data[row - 7, column - 5] >= 128:
                total += 1
                hits += inside_by_angles(x, y, points)
    transform = MaskTransform(scale, offset, scale, offset, (0, 0, 999, 999))
    mask = Mask(bytearray(data.tobytes()), (5, 7, 40, 30), (6, 9, 37, 26), (0, 0, 999, 999), transform)
    assert 0.2 < hits / total < 0.9
    assert abs(PolygonZone(points).coverage(mask) - hits / total) < 1e-6


@pytest.mark.parametrize("w, h", [(1, 1), (1, 4), (4, 1), (4, 8)])
@pytest.mark.parametrize(
    "left, top, right, bottom", [(0, 0, 99, 99), (0, 0, 12, 99), (12, 0, 99, 99), (0, 0, 99, 24), (0, 24, 99, 99)]
)
def test_the_coverage_of_a_rectangle_counts_the_pixels_inside(w, h, left, top, right, bottom):
    # A mask of w x h pixels at (10, 20), with mask pixels as large as frame pixels.
    place = (10, 20, w, h)
    mask = Mask(bytearray(b"\xff" * (w * h)), place, place, place, MaskTransform(1.0, 0.0, 1.0, 0.0, (0, 0, 400, 400)))
    zone = PolygonZone([(left, top), (right, top), (right, bottom), (left, bottom)])
    inside = [left <= x < right and top <= y < bottom for x in range(10, 10 + w) for y in range(20, 20 + h)]
    assert zone.coverage(mask) == sum(inside) / len(inside)


def test_coverage_includes_pixels_on_the_upper_and_left_edges_only():
    # Of the pixels with centers at 1, 2, 3, 4, 5, a zone from 1 to 4 contains those at 1, 2, 3.
    zone = PolygonZone([(1, 1), (4, 1), (4, 4), (1, 4)])
    transform = MaskTransform(1.0, 0.5, 1.0, 0.5, (0, 0, 400, 400))
    for column in range(5):
        for row in range(5):
            place = (column, row, 1, 1)
            mask = Mask(bytearray(b"\xff"), place, place, place, transform)
            within = column in (0, 1, 2) and row in (0, 1, 2)
            assert zone.coverage(mask) == within == zone.contains(column + 1, row + 1)


def test_the_coverage_of_an_empty_mask_is_0():
    transform = MaskTransform(1.0, 0.0, 1.0, 0.0, (0, 0, 400, 400))
    assert PolygonZone(SQUARE).coverage(Mask(bytearray(), (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 0, 0), transform)) == 0.0
    assert PolygonZone(SQUARE).coverage(Mask(bytearray(16), (0, 0, 4, 4), (0, 0, 4, 4), (0, 0, 4, 4), transform)) == 0.0
    for crop in (0, 0, 0, 4), (0, 0, 4, 0), (0, 0, 0, 0):
        assert PolygonZone(SQUARE).coverage(Mask(bytearray(16), (0, 0, 4, 4), crop, crop, transform)) == 0.0


# --- both ---


def test_a_hundred_tracks_that_reappear_on_the_other_side_have_crossed():
    line, zone = LineZone((0, 200), (2000, 200)), PolygonZone([(0, 250), (2000, 250), (2000, 350), (0, 350)])
    for y in (300, 100):
        hundred = [seen(track_id, 19 * track_id, y) for track_id in range(1, 101)]
        crossed = line.trigger(hundred)
        assert (len(crossed[0]), crossed[1]) == (100 if y == 100 else 0, [])
        assert len(zone.trigger(hundred, elapsed_ms=100)) == zone.current_count == (100 if y == 300 else 0)
        for _ in range(600):
            assert line.trigger([]) == ([], []) and zone.trigger([], elapsed_ms=100) == []
        assert zone.as_dict()["dwell_times"] == [] and len(line._tracks) == 100
    assert (line.in_count, line.out_count) == (100, 0)


@pytest.mark.parametrize("score", [math.nan, math.inf, 0.0, 1.001])
@pytest.mark.parametrize("size", [(0, 0), (0, 40), (20, 0), (20, 40)])
def test_any_scores_and_boxes_without_size_are_counted(size, score):
    line, zone = LineZone((0, 200), (400, 200), anchor="top_left"), PolygonZone(SQUARE, anchor="top_left")
    for y in (220, 200, 180):
        d = Detection((150, y, *size), score, 0, "", None, None)
        d.track_id = 1
        line.trigger([d])
        assert zone.trigger([d], elapsed_ms=500) == [d]
    assert (line.in_count, line.out_count, zone.dwell_time(1)) == (1, 0, 1.0)


anything = st.lists(
    st.tuples(
        st.integers(1, 12), st.tuples(*[st.integers(-1024, 8191)] * 4), st.sampled_from([0.9, math.nan, math.inf]),
        st.integers(0, 2),
    ),
    max_size=6, unique_by=lambda d: d[0],
)  # fmt: skip
times = st.one_of(st.floats(-1e9, 1e9), st.integers(-(10**9), 10**9), st.sampled_from([0, 40, 66.7]))


@given(st.lists(st.tuples(anything, times), max_size=10), st.sampled_from(["bottom", "center", "top_left", "centroid"]))
def test_counts_add_up_and_dwell_times_are_bounded_for_any_input(frames, anchor):
    line = LineZone((-500, 3000), (7000, 3100), anchor=anchor)
    zone = PolygonZone([(0, 0), (5000, 0), (4000, 6000)], anchor=anchor)
    passed, came, went = 0.0, 0, 0
    for rows, ms in frames:
        detections = [Detection(rect, score, class_id, "", None, None) for _, rect, score, class_id in rows]
        for d, (track_id, *_) in zip(detections, rows):
            d.track_id = track_id
        crossed = line.trigger(detections)
        came, went = came + len(crossed[0]), went + len(crossed[1])
        inside = zone.trigger(detections, elapsed_ms=ms)
        passed += max(0, ms)
        assert all(any(d is e for e in detections) for d in inside + crossed[0] + crossed[1])
        assert zone.current_count == len(inside) == sum(zone.current_count_per_class.values())
        stays = [zone.dwell_time(track_id) for track_id in range(13)]
        assert all(0 <= seconds <= passed / 1000 + 1e-6 for seconds in stays)
    assert (line.in_count, line.out_count) == (came, went)
    assert (sum(line.in_count_per_class.values()), sum(line.out_count_per_class.values())) == (came, went)
    assert abs(came - went) <= 12


@pytest.mark.parametrize(
    "detections", [None, 7, "person", {}, [None], [(1, 2, 3, 4)], [[0, 0, 9, 9]], [((0, 0, 9, 9), 0.5)]]
)
def test_anything_but_a_list_of_detections_is_refused(detections):
    line, zone = LineZone((0, 200), (400, 200)), PolygonZone(SQUARE)
    for _ in range(2):
        zone.trigger([seen(1, 200, 200)], elapsed_ms=500)
    for one in (line, zone):
        before = one.as_dict()
        with pytest.raises(ValueError, match="^detections: expected a list of Detection, got "):
            one.trigger(detections)
        assert one.as_dict() == before and zone.current_count == 1


@pytest.mark.parametrize("mask", [None, 5, SQUARE, Mask])
def test_coverage_refuses_anything_but_a_mask(mask):
    with pytest.raises(ValueError, match=f"^coverage: expected a Mask, got {type(mask).__name__}$"):
        PolygonZone(SQUARE).coverage(mask)


def test_a_frame_with_an_untracked_detection_counts_no_crossing():
    line = LineZone((0, 200), (400, 200))
    line.trigger([seen(1, 200, 300)])
    with pytest.raises(ValueError, match="expected detections with a track_id"):
        line.trigger([seen(1, 200, 100), seen(None, 50, 50)])
    assert (line.in_count, line.in_count_per_class) == (0, {})
    assert line.trigger([seen(1, 200, 100)])[0] != []


def test_as_dict_of_a_zone_has_numbers_and_lists():
    line, zone = LineZone((0, 200), (400, 200)), PolygonZone(SQUARE)
    walk(line, (200, 300), (200, 100))
    for _ in range(2):
        zone.trigger([seen(4, 200, 200)], elapsed_ms=500)
    assert json.loads(json.dumps(line.as_dict())) == {"start": [0, 200], "end": [400, 200], "in": 1, "out": 0}
    points = [[x, y] for x, y in SQUARE]
    assert json.loads(json.dumps(zone.as_dict())) == {"points": points, "count": 1, "dwell_times": [[4, 0.5]]}
    # The text does not depend on the order of the tracks.
    assert json.dumps(line.as_dict()) == '{"start": [0, 200], "end": [400, 200], "in": 1, "out": 0}'
    zone.trigger([seen(4, 200, 200), seen(2, 200, 200)], elapsed_ms=0)
    text = '{"points": [[100, 100], [300, 100], [300, 300], [100, 300]], "count": 2, "dwell_times": [[2, 0.0], [4, 0.5]]}'
    assert json.dumps(zone.as_dict()) == text


@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_draw_draws_the_line_the_polygon_and_the_counts(pixformat):
    img = image.Image(400, 400, pixformat)
    line = LineZone((20, 350), (380, 350))
    zone = PolygonZone(SQUARE)
    zone.trigger([seen(1, 200, 200)])
    assert line.draw(img, labels=False) is img
    assert zone.draw(img, labels=False) is img

    def painted(x, y):
        return np.max(img.get_pixel((x, y))) > 0

    assert all(painted(x, y) for x, y in ((20, 350), (200, 350), (380, 350), (100, 200), (300, 200), (200, 100), (200, 300)))
    assert painted(200, 340) and not painted(200, 360)  # the arrow is on the left, which is the in side
    assert not painted(200, 200)
    plain = bytes(img.bytearray())
    line.draw(img)
    zone.draw(img)
    assert bytes(img.bytearray()) != plain


def test_counts_at_the_frames_edge_are_written_inside_it():
    img = image.Image(160, 120, image.GRAYSCALE)
    LineZone((0, 0), (159, 0)).draw(img)
    LineZone((159, 119), (0, 119)).draw(img)
    assert np.frombuffer(img.bytearray(), dtype=np.uint8).any()


A_POINT = "expected a point (x, y) of two numbers up to a million"


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: LineZone((0, 0), (0, 0)), "end: expected another point than start, got (0, 0) twice"),
        (lambda: LineZone((0, 2e6), (4, 4)), f"start: {A_POINT}, got (0, 2000000.0)"),
        (lambda: LineZone((0, 0), (4, 4, 4)), f"end: {A_POINT}, got (4, 4, 4)"),
        (lambda: LineZone((0, 0), (4, True)), f"end: {A_POINT}, got (4, True)"),
        (lambda: LineZone((0, 0), (4, float("nan"))), f"end: {A_POINT}, got (4, nan)"),
        (lambda: LineZone("ab", (4, 4)), f"start: {A_POINT}, got 'ab'"),
        (lambda: LineZone((0, 0), (40000, 0)), "end: expected an integer from -32768 to 32767, got 40000"),
        (lambda: LineZone((0, -32769), (4, 0)), "start: expected an integer from -32768 to 32767, got -32769"),
        (lambda: LineZone((0, 0), (4, 4), anchor="feet"), f"anchor: expected {ANCHORS} or centroid, got 'feet'"),
        (lambda: LineZone((0, 0), (4, 4), anchor=None), f"anchor: expected {ANCHORS} or centroid, got None"),
        (lambda: LineZone((0, 0), (4, 4), margin=-1), "margin: expected a number from 0.0 to 10.0, got -1"),
        (lambda: LineZone((0, 0), (4, 4), margin=10.5), "margin: expected a number from 0.0 to 10.0, got 10.5"),
        (
            lambda: LineZone((0, 9), (9, 9)).trigger([seen(None, 1, 1)]),
            "expected detections with a track_id, as Tracker.update returns them, got one without",
        ),
        (lambda: PolygonZone([(0, 0), (9, 9)]), "points: expected three or more (x, y), got [(0, 0), (9, 9)]"),
        (lambda: PolygonZone(7), "points: expected three or more (x, y), got 7"),
        (lambda: PolygonZone([(0, 0), (9, 9), (4, "4")]), f"points: {A_POINT}, got (4, '4')"),
        (
            lambda: PolygonZone([(0, 0), (9, 9), (4, 4), (0, 0)]),
            "points: expected some that are not in a line, got [(0, 0), (9, 9), (4, 4), (0, 0)]",
        ),
        (
            lambda: PolygonZone(((0, 0), (0, 0), (0, 0))),
            "points: expected some that are not in a line, got ((0, 0), (0, 0), (0, 0))",
        ),
        (lambda: PolygonZone(SQUARE, max_gap="long"), "max_gap: expected a number from 0.0 to 1000000.0, got 'long'"),
        (lambda: PolygonZone(SQUARE, max_gap=-0.5), "max_gap: expected a number from 0.0 to 1000000.0, got -0.5"),
        (lambda: PolygonZone(SQUARE, max_gap=1e6 + 1), "max_gap: expected a number from 0.0 to 1000000.0, got 1000001.0"),
        *[
            (lambda ms=ms: PolygonZone(SQUARE).trigger([], elapsed_ms=ms),
             f"elapsed_ms: expected milliseconds since the last call or None, got {ms!r}")
            for ms in ("now", float("nan"), 10**9 + 1, -(10**9) - 1, True)
        ],
    ],
)  # fmt: skip
def test_wrong_arguments_of_a_zone_are_value_errors(make, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        make()


@pytest.mark.parametrize("points", [
    [(0, 0), (10, 0), (0, 0), (10, 10)], [(0, 0), (0, 10), (0, 0), (10, 10)], [(0, 0), (0, 0), (10, 0), (0, 10)],
    [(5, 5), (5, 9), (5, 7), (6, 7)], [(5, 5), (9, 5), (7, 5), (7, 6)],
])  # fmt: skip
def test_points_may_repeat_if_not_all_of_them_are_on_a_line(points):
    assert PolygonZone(points).points == points


# --- options and attributes ---


def test_options_of_a_line_assigned_later_are_applied():
    line = LineZone((0, 200), (400, 200), margin=0, min_frames=1)
    assert walk(line, (200, 230), (200, 190)) == (1, 0)
    line.anchor = "top"  # 40 pixels above the bottom
    assert walk(line, (200, 250)) == (1, 1)
    assert walk(line, (200, 230)) == (2, 1)
    line.margin = 1.0  # the mean side of the box is 30 pixels
    assert walk(line, (200, 265)) == (2, 1)
    assert walk(line, (200, 275)) == (2, 2)
    line.frame_size = [640, 480]
    assert line.frame_size == (640, 480) and (line.anchor, line.margin) == ("top", 1.0)


def test_options_of_a_polygon_assigned_later_are_applied():
    zone = PolygonZone(SQUARE, min_frames=1)
    assert zone.trigger([seen(1, 200, 320)], elapsed_ms=0) == []
    zone.anchor = "center"
    assert len(zone.trigger([seen(1, 200, 310)], elapsed_ms=0)) == 1
    zone.max_gap = 0.5
    zone.trigger([], elapsed_ms=500)
    zone.trigger([seen(1, 200, 310)], elapsed_ms=0)
    assert zone.dwell_time(1) == 0.5
    zone.max_gap = 0.25
    zone.trigger([], elapsed_ms=300)
    assert zone.dwell_time(1) == 0.0
    zone.frame_size = (640, 480)
    assert zone.frame_size == (640, 480) and (zone.anchor, zone.max_gap) == ("center", 0.25)


OPTIONS = ("anchor", "frame_size", "margin", "min_frames", "count_coasting", "name")


@pytest.mark.parametrize("make, options", [
    (lambda **options: LineZone((0, 0), (9, 9), **options), OPTIONS),
    (lambda **options: PolygonZone(SQUARE, **options), (*OPTIONS, "max_gap", "min_seconds")),
])  # fmt: skip
def test_a_wrong_option_of_a_zone_is_refused_at_first_and_later(make, options):
    wrong = {"anchor": "feet", "frame_size": (0, 9), "margin": 11, "max_gap": "long", "min_frames": 0, "count_coasting": 1}
    wrong |= {"name": 5, "min_seconds": -0.1}
    zone = make()
    before = [getattr(zone, name) for name in options]
    for name in options:
        for refused in (lambda: make(**{name: wrong[name]}), lambda: setattr(zone, name, wrong[name])):  # noqa: B023
            with pytest.raises(ValueError, match=f"^{name}: expected "):
                refused()
    assert [getattr(zone, name) for name in options] == before
    with pytest.raises(TypeError, match="has no option 'ancor': did you mean anchor"):
        make(ancor="top")
    with pytest.raises(AttributeError, match="has no option 'ancor': did you mean anchor"):
        zone.ancor = "top"
    for options_by_position in (lambda: LineZone((0, 0), (9, 9), "top"), lambda: PolygonZone(SQUARE, "top")):
        with pytest.raises(TypeError):
            options_by_position()


@pytest.mark.parametrize("make, names", [
    (lambda: LineZone((0, 0), (9, 9)), "start end in_count out_count in_count_per_class out_count_per_class"),
    (lambda: PolygonZone(SQUARE), "points current_count current_count_per_class entered left mean_dwell_time"),
])  # fmt: skip
def test_the_geometry_and_the_counts_of_a_zone_are_read_only(make, names):
    zone = make()
    for name in names.split():
        before = getattr(zone, name)
        with pytest.raises(AttributeError):
            setattr(zone, name, 5)
        assert getattr(zone, name) == before
    assert make().as_dict() == zone.as_dict()


def test_changing_the_list_of_points_does_not_change_the_zone():
    points = [list(point) for point in SQUARE]
    zone = PolygonZone(points)
    points[0][0] = 250
    zone.points.pop()
    assert zone.points == SQUARE and zone.contains(110, 200)


def test_the_dwell_time_is_found_by_the_track_id_or_the_detection():
    zone = PolygonZone(SQUARE)
    for _ in range(3):
        zone.trigger([seen(4, 200, 200), seen(None, 200, 200)], elapsed_ms=500)
    assert zone.dwell_time(4) == zone.dwell_time(seen(4, 9, 9)) == 1.0
    assert zone.dwell_time(5) == zone.dwell_time(seen(5, 200, 200)) == zone.dwell_time(seen(None, 200, 200)) == 0.0


def test_a_zone_learns_the_frame_size_from_the_first_detection():
    for zone in (LineZone((0, 0), (9, 9)), PolygonZone(SQUARE)):
        zone.trigger([])
        assert zone.frame_size is None
        zone.trigger([seen(1, 5, 5).replace(frame_size=(320, 240))])
        zone.trigger([seen(1, 5, 5).replace(frame_size=(64, 48))])
        assert zone.frame_size == (320, 240)


@pytest.mark.parametrize("kind", [np.array, ulab.array, lambda rows: [[float(v) + 0.4 for v in row] for row in rows]])
def test_points_are_lists_floats_or_arrays_too(kind: Any) -> None:
    points = kind(SQUARE)
    zone = PolygonZone(points)
    assert zone.points == SQUARE and {type(v) for point in zone.points for v in point} == {int}
    line = LineZone(points[0], tuple(points[1]))
    assert (line.start, line.end) == (SQUARE[0], SQUARE[1])
    numpy_size = PolygonZone(SQUARE, frame_size=np.array([640, 480])).frame_size
    assert numpy_size == (640, 480) and n6post.to_json(zone) == n6post.to_json(PolygonZone(SQUARE))
    plane = n6post.Plane(points, kind([(0, 0), (4, 0), (4, 4), (0, 4)]))
    assert plane.to_world(points[0]) == pytest.approx(plane.to_world(*[float(v) for v in points[0]]), abs=1e-5)


def test_a_point_is_rounded_to_the_nearest_pixel() -> None:
    assert LineZone((0.49, 1.5), (-0.5, -1.51)).start == (0, 2)
    assert LineZone((0.49, 1.5), (-0.5, -1.51)).end == (0, -2)


def test_contains_takes_a_pixel_in_any_form_or_a_detection() -> None:
    zone = PolygonZone([(0, 0), (20, 0), (20, 20), (0, 20)])
    for x, y in ((5, 5), (25, 5), (5, 20), (0, 0)):
        wanted = 0 <= x < 20 and 0 <= y < 20
        for pixel in ((x, y), [x, y], (float(x), y), np.array([x, y]), ulab.array([x, y]), (np.float32(x), np.int16(y))):
            assert zone.contains(pixel) is zone.contains(*pixel) is wanted
        d = seen(None, x, y)
        assert zone.contains(d) is bool(zone.trigger([d]))
    wide = n6post.Detection((15, 0, 10, 10), 0.9, 0, "car", None, None)
    assert zone.contains(wide.replace(rect=(14, 0, 10, 10))) and not zone.contains(wide)
    assert not PolygonZone(zone.points, anchor=("bottom_left", "bottom_right")).contains(wide.replace(rect=(14, 0, 10, 10)))


def test_other_maps_take_a_pixel_as_a_tuple_too() -> None:
    heat_map = n6post.HeatMap(2, 1, frame_size=(20, 10))
    heat_map.update([seen(None, 15, 5)])
    assert heat_map.value_at((15, 5)) == heat_map.value_at(15, 5) == 1.0 and heat_map.value_at([2, 5]) == 0.0
    with pytest.raises(ValueError, match=says("value_at: expected a frame pixel x, y, two numbers, got 15")):
        heat_map.value_at(15)


@pytest.mark.parametrize("pixel", [(None, 3), ("x", 3), ([1], 2), ((1, 2), 3)])
def test_contains_refuses_anything_but_a_pixel(pixel: Any) -> None:
    zone = PolygonZone([(0, 0), (10, 0), (10, 10)])
    got = f"{pixel[0]!r}, {pixel[1]!r}"
    with pytest.raises(ValueError, match=says(f"contains: expected a frame pixel x, y, two numbers, got {got}")):
        zone.contains(*pixel)
    for wrong in (5, (5,), (1, 2, 3), "ab", None):
        with pytest.raises(ValueError, match="contains: expected a frame pixel x, y, two numbers, got "):
            zone.contains(wrong)


def test_coordinates_in_place_of_points_are_refused() -> None:
    with pytest.raises(TypeError, match=says("LineZone: expected two points, (x, y) and (x, y), got 4 arguments")):
        LineZone(0, 0, 10, 10)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=says("PolygonZone: expected one list of points (x, y), got 3 arguments")):
        PolygonZone((0, 0), (10, 0), (10, 10))  # type: ignore[call-arg]
