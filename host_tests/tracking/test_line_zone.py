"""lib/n6post/tracking/line_zone.py: hysteresis in frames, several anchor points, and detections that only coast.

test_zones.py compares crossings with supervision and with exact geometry.
"""

from __future__ import annotations

import random
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import seen, track_of
from hypothesis import given
from hypothesis import strategies as st
from n6post.results.detection import detection_from


def line_at_200(**options: Any) -> Any:
    return n6post.LineZone((0, 200), (400, 200), **options)


def counts(line: Any, *bottoms: int, x: int = 200) -> tuple[int, int]:
    """(in, out) after one box of 40 x 40 had its lower edge at these rows. Its mean side is 40 pixels."""
    for y in bottoms:
        line.trigger([seen(1, x, y, 40, 40)])
    return line.in_count, line.out_count


def coasting(d: Any) -> Any:
    """The same as the prediction of a Tracker that has missed it for two updates."""
    return detection_from(d, d._source, track_of(d.track_id, 1280, 512))


# --- hysteresis ---
def test_a_crossing_counts_in_the_second_frame_beyond_the_margin() -> None:
    line = line_at_200()
    assert (line.margin, line.min_frames, line.count_coasting) == (0.2, 2, False)
    # The margin is 8 pixels. 192 is within it, 191 is beyond.
    assert counts(line, 300, 192, 192, 192, 191) == (0, 0)
    assert counts(line, 191) == (1, 0)


def test_one_frame_beyond_twice_the_margin_is_enough() -> None:
    for y, count in ((184, 0), (183, 1)):
        assert counts(line_at_200(), 300, y) == (count, 0)
        assert counts(line_at_200(min_frames=1000), 300, y) == (count, 0)


def test_frames_within_the_margin_neither_count_nor_start_again() -> None:
    line = line_at_200(min_frames=3)
    assert counts(line, 300, 190, 195, 205, 190, 200) == (0, 0)
    assert counts(line, 190) == (1, 0)


def test_a_frame_back_on_the_old_side_starts_again() -> None:
    line = line_at_200(min_frames=2)
    assert counts(line, 300, 190, 210, 190, 210, 190) == (0, 0)
    assert counts(line, 190) == (1, 0)


def test_without_a_margin_only_min_frames_in_a_row_count() -> None:
    assert counts(line_at_200(margin=0, min_frames=3), 300, 10, 10) == (0, 0)
    assert counts(line_at_200(margin=0, min_frames=3), 300, 10, 10, 10) == (1, 0)
    assert counts(line_at_200(margin=0, min_frames=1), 300, 199) == (1, 0)


@pytest.mark.parametrize("turned", [False, True])
def test_a_large_box_crosses_a_line_near_the_border_of_the_frame(turned: bool) -> None:
    # The margin of a box of 100 x 200 is 30 pixels. Between this line and the border there are 25, and boxes end there.
    ends = ((640, 455), (0, 455)) if turned else ((0, 455), (640, 455))
    for size, count in (((640, 480), 1), (None, 0), ((640, 600), 0)):
        line = n6post.LineZone(*ends)
        for y in (*range(300, 480, 6), 479, 479):
            line.trigger([seen(1, 300, y, 100, 200, frame_size=size)])
        assert (line.in_count, line.out_count) == ((count, 0) if turned else (0, count))
        # On the other side there is room for the margin.
        line.trigger([seen(1, 300, 425, 100, 200)])
        line.trigger([seen(1, 300, 425, 100, 200)])
        assert line.in_count + line.out_count == count
        for _ in range(2):
            line.trigger([seen(1, 300, 424, 100, 200)])
        assert (line.in_count, line.out_count) == (count, count)


def test_the_margin_near_the_border_is_half_of_the_way_to_it() -> None:
    for y, count in ((467, 0), (468, 1)):  # 12.5 pixels beyond the line
        line = n6post.LineZone((0, 455), (640, 455), frame_size=(640, 480))
        for bottom in (300, y, y):
            line.trigger([seen(1, 300, bottom, 100, 200)])
        assert line.out_count == count
    line.frame_size = (640, 800)  # it follows the option
    for bottom in (300, 300, 484, 484):
        line.trigger([seen(2, 300, bottom, 100, 200)])
    assert line.out_count == 1


@pytest.mark.parametrize("y", [-20, 0, 480, 500])
def test_a_line_on_the_border_or_outside_keeps_its_margin(y: int) -> None:
    totals = []
    for size in (None, (640, 480)):
        line = n6post.LineZone((0, y), (640, y), frame_size=size)
        for away in (-100, 20, 20, 31, 31, -20, -31, -31):
            line.trigger([seen(1, 300, y + away, 100, 200)])
        totals.append((line.in_count, line.out_count))
    assert totals == [(1, 1), (1, 1)]


@given(
    st.lists(st.integers(150, 250), min_size=1, max_size=40),
    st.sampled_from([0.0, 0.25, 0.5]),
    st.integers(1, 4),
)
def test_counts_equal_those_of_a_plain_state_machine(bottoms: list[int], margin: float, min_frames: int) -> None:
    settled, run, expected = 0, 0, [0, 0]
    for y in bottoms:
        away = y - 200
        if abs(away) <= margin * 40:
            continue
        side = -1 if away < 0 else 1
        if settled in (0, side):
            settled, run = side, 0
            continue
        run += 1
        if run >= min_frames or (margin and abs(away) > 2 * margin * 40):
            settled, run = side, 0
            expected[side > 0] += 1
    assert counts(line_at_200(margin=margin, min_frames=min_frames), *bottoms) == tuple(expected)


def test_a_crossing_beside_the_end_is_judged_where_it_came_to_the_other_side() -> None:
    # It passes the end at x = 410 and comes back to x = 380 in the second frame behind the line.
    line = line_at_200()
    for x, y in ((405, 212), (415, 190), (380, 190), (300, 100)):
        line.trigger([seen(1, x, y, 40, 40)])
    assert (line.in_count, line.out_count) == (0, 0)
    # The other way round: across the line first, then beyond its end.
    line = line_at_200()
    for x, y in ((385, 212), (385, 190), (420, 190)):
        line.trigger([seen(1, x, y, 40, 40)])
    assert (line.in_count, line.out_count) == (1, 0)


@pytest.mark.parametrize("jitter", [0.03, 0.06])
def test_walkers_with_jitter_count_once_and_those_on_the_line_never(jitter: float) -> None:
    """Boxes of 40 x 100 whose edges jitter by a part of their sides. Before, 6 % of jitter made two counts of one."""
    rng = random.Random(5)

    def box(track_id: int, x: float, bottom: float) -> Any:
        sides = [x - 20 + rng.gauss(0, 40 * jitter), bottom - 100 + rng.gauss(0, 100 * jitter)]
        sides += [x + 20 + rng.gauss(0, 40 * jitter), bottom + rng.gauss(0, 100 * jitter)]
        left, top, right, lower = map(round, sides)
        d = n6post.Detection((left, top, right - left, lower - top), 0.9, 0, "person", None, None)
        d.track_id = track_id
        return d

    line = n6post.LineZone((0, 200), (4000, 200))
    for k in range(50):
        walkers = [box(i, 40 * i, 320 - 5 * k + 3 * (i % 10)) for i in range(1, 81)]
        walkers += [box(i, 40 * i, 230 + 4 * (k % 2)) for i in range(81, 100)]  # these walk along the line
        line.trigger(walkers)
    assert (line.in_count, line.out_count) == (80, 0)


# --- several anchor points ---
def test_all_of_several_anchor_points_have_to_cross() -> None:
    line = n6post.LineZone((200, 0), (200, 400), anchor=("bottom_left", "bottom_right"), margin=0, min_frames=1)
    assert line.anchor == ("bottom_left", "bottom_right")
    totals = []
    for x in (300, 219, 201, 180, 179):  # the box is 40 pixels wide: 180 is with its right edge on the line
        line.trigger([seen(1, x, 100, 40, 40)])
        totals.append((line.in_count, line.out_count))
    assert totals == [(0, 0), (0, 0), (0, 0), (0, 0), (0, 1)]


@given(st.lists(st.tuples(st.integers(120, 280), st.integers(120, 280)), max_size=30), st.sampled_from([0.0, 0.1]))
def test_several_anchor_points_count_like_the_slowest_of_them(places: list[tuple[int, int]], margin: float) -> None:
    names = ("top_left", "top_right", "bottom_left", "bottom_right")
    line = n6post.LineZone((0, 90), (400, 310), anchor=names, margin=margin, min_frames=1)
    settled, expected = 0, [0, 0]
    for x, y in places:
        d = seen(1, x, y, 20, 40)
        left, top, w, h = d.rect
        corners = [(left, top), (left + w, top), (left, top + h), (left + w, top + h)]
        sides = [(400 * (b - 90) - 220 * a) / (400**2 + 220**2) ** 0.5 for a, b in corners]
        reach = margin * (w + h) / 2
        if margin and any(abs(abs(side) - reach) < 0.1 for side in sides):
            return  # lib rounds the margin
        if min(sides) > reach or max(sides) < -reach:
            side = 1 if min(sides) > 0 else -1
            if settled == -side:
                expected[side > 0] += 1
            settled = side
        line.trigger([d])
    assert (line.in_count, line.out_count) == tuple(expected)


def test_the_number_of_anchor_points_may_change_between_frames() -> None:
    line = line_at_200(min_frames=1)
    line.trigger([seen(1, 200, 300)])
    line.anchor = ["bottom", "top"]
    assert line.anchor == ("bottom", "top")
    line.trigger([seen(1, 200, 100)])
    line.anchor = "center"
    line.trigger([seen(1, 200, 400)])
    assert (line.in_count, line.out_count) == (1, 1)


@pytest.mark.parametrize("anchor", [(), [], ("feet",), ("bottom", 3), 5, None, ("bottom", None)])
def test_anything_but_names_of_anchor_points_is_refused(anchor: Any) -> None:
    for make in (lambda: line_at_200(anchor=anchor), lambda: n6post.PolygonZone([(0, 0), (9, 0), (0, 9)], anchor=anchor)):
        with pytest.raises(ValueError, match="^anchor: expected "):
            make()
    for kind in (n6post.Trail, n6post.Plane):
        with pytest.raises((ValueError, TypeError)):
            kind(anchor=("bottom", "top"))  # type: ignore[call-arg]


# --- detections that only coast ---
def test_a_prediction_crosses_no_line_unless_it_is_asked_for() -> None:
    for count_coasting in (False, True):
        line = line_at_200(count_coasting=count_coasting)
        line.trigger([seen(1, 200, 300)])
        crossed_in, _ = line.trigger([coasting(seen(1, 200, 100))])
        assert (len(crossed_in), line.in_count) == (count_coasting, count_coasting)
        # Found again on this side, it has crossed.
        line.trigger([seen(1, 200, 100)])
        assert line.in_count == 1


def test_coasting_detections_of_a_tracker_do_not_cross() -> None:
    def walk(count_coasting: bool) -> tuple[int, int]:
        tracker = n6post.Tracker(coast=1.6)
        still = n6post.Detection((500, 100, 30, 80), 0.9, 0, "person", None, None)
        line = n6post.LineZone((150, 400), (150, 0), count_coasting=count_coasting)
        for k in range(30):
            found = [n6post.Detection((10 * k, 100, 30, 80), 0.9, 0, "person", None, None)] if k < 10 else []
            line.trigger(tracker.update([*found, still], elapsed_ms=80))
        return line.in_count, line.out_count

    assert (walk(False), walk(True)) == ((0, 0), (0, 1))


def test_a_part_of_the_frame_shows_its_part_of_a_line() -> None:
    line = n6post.LineZone((10, 80), (150, 80), frame_size=(160, 120))
    whole = n6post.draw(image.Image(160, 120, image.RGB565), line, labels=False, thickness=1)
    part = n6post.draw(image.Image(80, 60, image.RGB565), line, labels=False, thickness=1, roi=(50, 45, 80, 60))
    seen_ = [np.frombuffer(img.bytearray(), np.uint16).reshape(img.height(), img.width()) for img in (whole, part)]
    np.testing.assert_array_equal(seen_[0][45:105, 50:130][8:-8, 8:-8] != 0, seen_[1][8:-8, 8:-8] != 0)


def test_a_zone_of_several_anchors_learns_the_size_of_the_frame() -> None:
    line = line_at_200(anchor=("left", "right"))
    line.trigger([seen(1, 200, 100, frame_size=(640, 480))])
    assert line.frame_size == (640, 480)


def test_far_beyond_a_line_is_twice_the_margin_of_that_side() -> None:
    # 20 pixels on the side with room, 10 where the frame ends after 20.
    for start, end in (((0, 20), (640, 20)), ((640, 20), (0, 20))):
        for y, crossed in ((-1, 1), (0, 0)):
            line = n6post.LineZone(start, end, frame_size=(640, 480))
            line.trigger([seen(1, 300, 100, 100, 100)])
            assert sum(map(len, line.trigger([seen(1, 300, y, 100, 100)]))) == crossed


def test_a_track_that_stays_is_not_forgotten() -> None:
    for rest in (300, 205):  # far below the line, and within the margin
        line = line_at_200()
        for y in (300, *[rest] * 10, 100):
            line.trigger([seen(1, 200, y, 40, 40)], elapsed_ms=1000)
        assert line.in_count == 1
