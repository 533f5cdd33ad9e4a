"""lib/n6post/tracking/occupancy.py and kernels/viper/occupancy.py: how much of a zone is covered, compared with numpy."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import n6post
import numpy as np
import pytest
from _viper import occupancy as plain_occupancy
from fakes import seen
from hypothesis import given, settings
from hypothesis import strategies as st
from n6post.results.mask import Mask, MaskTransform
from test_line_zone import coasting

SQUARE = [(100, 100), (160, 100), (160, 150), (100, 150)]


def box(x: int, y: int, w: int, h: int, mask: Any = None) -> Any:
    return n6post.Detection((x, y, w, h), 0.9, 0, "", mask, None)


def masked(bits: Any, left: int, top: int, scale: float, offset: tuple[float, float] = (0.0, 0.0)) -> Any:
    """A detection with this mask, whose window begins at mask pixel (left, top)."""
    h, w = bits.shape
    transform = MaskTransform(scale, offset[0], scale, offset[1], (0, 0, 700, 520))
    window = (left, top, w, h)
    return box(0, 0, 700, 520, Mask(bytearray((bits * 255).astype(np.uint8)), window, window, (0, 0, 700, 520), transform))


def polygon_pixels(zone: Any, width: int = 700, height: int = 520) -> Any:
    """Whether the center of each pixel of a frame is inside the zone, by the crossings of a ray."""
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    inside = np.zeros((height, width), bool)
    points = zone.points
    for (px, py), (qx, qy) in zip(points, points[1:] + points[:1], strict=True):
        if py != qy:
            crosses = (np.minimum(py, qy) <= y) & (y < np.maximum(py, qy))
            inside ^= crosses & (x < px + (qx - px) * (y - py) / (qy - py))
    return inside


def covered_pixels(detections: list[Any], width: int = 700, height: int = 520) -> Any:
    covered = np.zeros((height, width), bool)
    for d in detections:
        if d.mask is None:
            x, y, w, h = d.rect
            covered[max(y, 0) : max(y + h, 0), max(x, 0) : max(x + w, 0)] = True
            continue
        data, (wx, wy, ww, wh), _, _, transform = d.mask._parts()
        bits = np.frombuffer(bytes(data), np.uint8).reshape(wh, ww) >= 128
        column = np.floor((np.arange(width) + 0.5 - transform.ox) / transform.sx).astype(int) - wx
        row = np.floor((np.arange(height) + 0.5 - transform.oy) / transform.sy).astype(int) - wy
        inside = (row >= 0)[:, None] & (row < wh)[:, None] & (column >= 0) & (column < ww)
        covered |= inside & bits[np.clip(row, 0, wh - 1)][:, np.clip(column, 0, ww - 1)]
    return covered


def expected(zone: Any, detections: list[Any]) -> float:
    inside = polygon_pixels(zone)
    return float((inside & covered_pixels(detections)).sum() / inside.sum())


def test_the_occupancy_of_a_small_zone_is_exact_for_boxes() -> None:
    zone = n6post.PolygonZone(SQUARE)
    assert zone.occupancy([]) == 0.0
    assert zone.occupancy([box(0, 0, 130, 520)]) == 0.5
    assert zone.occupancy([box(0, 0, 700, 520)]) == 1.0
    assert zone.occupancy([box(100, 100, 30, 50), box(130, 100, 30, 25)]) == 0.75
    assert zone.occupancy([box(400, 400, 50, 50), box(100, 100, 0, 50)]) == 0.0


def test_what_several_detections_cover_counts_once() -> None:
    zone = n6post.PolygonZone(SQUARE)
    assert zone.occupancy([box(100, 100, 30, 50)] * 5) == 0.5
    assert zone.occupancy([box(100, 100, 30, 50), box(115, 100, 30, 50)]) == 0.75


def test_every_call_starts_with_an_empty_zone() -> None:
    zone = n6post.PolygonZone(SQUARE)
    for k in range(600):  # more often than there are marks
        width = (0, 15, 30)[k % 3]
        assert zone.occupancy([box(100, 100, width, 50)]) == width / 60


@given(
    st.lists(st.tuples(st.integers(0, 60), st.integers(0, 60)), min_size=3, max_size=6),
    st.lists(st.tuples(st.integers(-20, 70), st.integers(-20, 70), st.integers(0, 50), st.integers(0, 50)), max_size=4),
)
@settings(max_examples=60)
def test_boxes_in_any_small_polygon_equal_numpy(points: Any, rects: Any) -> None:
    try:
        zone = n6post.PolygonZone(points)
    except ValueError:
        return
    if polygon_pixels(zone).any():
        detections = [box(*rect) for rect in rects]
        assert zone.occupancy(detections) == pytest.approx(expected(zone, detections), abs=1e-9)
    else:
        assert zone.occupancy([box(0, 0, 99, 99)]) == 0.0


@pytest.mark.parametrize("scale, offset", [(1.0, (0.0, 0.0)), (4.0, (0.0, 0.0)), (4.0, (-3.5, 10.25)), (2.75, (0.5, -8.0))])
def test_masks_in_a_small_polygon_equal_numpy(scale: float, offset: tuple[float, float]) -> None:
    random = np.random.default_rng(7)
    zone = n6post.PolygonZone([(110, 90), (160, 120), (140, 150), (120, 120), (100, 150)])
    for _ in range(8):
        left, top = [int(at / scale) + int(random.integers(-9, 9)) for at in (100, 90)]
        bits = random.random((int(random.integers(1, 40)), int(random.integers(1, 40)))) < 0.6
        detections = [masked(bits, max(left, 0), max(top, 0), scale, offset), box(110, 100, 12, 9)]
        assert zone.occupancy(detections) == pytest.approx(expected(zone, detections), abs=1e-9)


def test_a_large_zone_is_examined_in_a_grid_of_4096_points() -> None:
    random = np.random.default_rng(3)
    zone = n6post.PolygonZone([(20, 40), (690, 10), (600, 500), (300, 300), (40, 510)])
    for many in (1, 5, 12):
        detections = [box(*[int(v) for v in random.integers(0, 400, 2)], 90, 170) for _ in range(many)]
        bits = np.add.outer((np.arange(60) - 30) ** 2, (np.arange(40) - 20) ** 2) < 400
        detections.append(masked(bits, 70, 30, 4.0))
        assert zone.occupancy(detections) == pytest.approx(expected(zone, detections), abs=0.01)
    assert len(zone._grid.bytes) <= 4096
    kept = zone._grid
    zone.occupancy([])
    assert zone._grid is kept  # nothing is allocated again


def test_only_the_part_in_the_frame_counts_where_its_size_is_known() -> None:
    corners = [(-60, 0), (60, 0), (60, 30), (-60, 30)]
    assert n6post.PolygonZone(corners).occupancy([box(0, 0, 30, 30)]) == 0.25
    assert n6post.PolygonZone(corners, frame_size=(640, 480)).occupancy([box(0, 0, 30, 30)]) == 0.5
    zone = n6post.PolygonZone(corners)
    assert zone.occupancy([box(0, 0, 30, 30).replace(frame_size=(640, 480))]) == 0.5
    outside = n6post.PolygonZone([(700, 0), (800, 0), (800, 50)], frame_size=(640, 480))
    assert outside.occupancy([box(0, 0, 640, 480)]) == 0.0


def test_predictions_are_left_out_unless_asked_for() -> None:
    d = seen(1, 130, 150, 60, 50)
    for count_coasting, result in ((False, 0.0), (True, 1.0)):
        zone = n6post.PolygonZone(SQUARE, count_coasting=count_coasting)
        assert zone.occupancy([d]) == 1.0 and zone.occupancy([coasting(d)]) == result


def test_an_empty_mask_covers_nothing() -> None:
    transform = MaskTransform(4.0, 0.0, 4.0, 0.0, (0, 0, 700, 520))
    empty = box(0, 0, 700, 520, Mask(b"", (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 700, 520), transform))
    assert n6post.PolygonZone(SQUARE).occupancy([empty]) == 0.0


@pytest.mark.parametrize("detections", [None, 5, "person", [None], [(1, 2, 3, 4)]])
def test_anything_but_a_list_of_detections_is_refused(detections: Any) -> None:
    zone = n6post.PolygonZone(SQUARE)
    with pytest.raises(ValueError, match="^detections: expected a list of Detection, got "):
        zone.occupancy(detections)
    assert zone.occupancy([box(100, 100, 30, 50)]) == 0.5


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda zone: pickle.loads(pickle.dumps(zone))])
def test_a_copied_zone_has_a_grid_of_its_own(way: Any) -> None:
    zone = n6post.PolygonZone(SQUARE)
    zone.occupancy([box(100, 100, 30, 50)])
    other = way(zone)
    assert (other.occupancy([box(0, 0, 700, 520)]), zone.occupancy([])) == (1.0, 0.0)


def test_remove_marks_keeps_the_points_of_the_zone() -> None:
    grid = bytearray([0, 1, 7, 255, 0])
    plain_occupancy.remove_marks(grid, 5)
    assert list(grid) == [0, 1, 1, 1, 0]


@given(st.tuples(*[st.integers(-200, 600)] * 2), st.tuples(*[st.integers(1, 900)] * 2), st.integers(0, 300))
def test_a_box_on_all_that_the_frame_shows_of_a_zone_fills_it(at: Any, size: Any, lean: int) -> None:
    (x, y), (w, h) = at, size
    zone = n6post.PolygonZone([(x + lean, y), (x + lean + w, y), (x + w, y + h), (x, y + h)], frame_size=(640, 480))
    visible = polygon_pixels(zone, 640, 480).any()
    whole = zone.occupancy([box(0, 0, 640, 480)])
    # A grid of 4,096 points can miss a sliver, but counts nothing that no box can cover.
    assert whole == 1.0 or whole == 0.0 and (not visible or max(w, h) > 64 and min(w, h) < 24 or lean > 0)


@pytest.mark.parametrize("corners, rect", [
    ([(200, 299), (440, 299), (440, 500), (200, 500)], (200, 299, 240, 181)),
    ([(498, 100), (660, 100), (660, 300), (498, 300)], (498, 100, 142, 200)),
    ([(-40, -30), (300, -30), (300, 200), (-40, 200)], (0, 0, 300, 200)),
    ([(639, 0), (700, 0), (700, 480), (639, 480)], (639, 0, 1, 480)),
])  # fmt: skip
def test_a_zone_that_ends_beyond_the_frame_can_be_full(corners: Any, rect: Any) -> None:
    detection = box(*rect).replace(frame_size=(640, 480))
    assert n6post.PolygonZone(corners).occupancy([detection]) == 1.0
    x, y, w, h = rect
    half = box(x, y, w, h // 2).replace(frame_size=(640, 480))
    assert n6post.PolygonZone(corners).occupancy([half]) == pytest.approx(0.5, abs=0.02)


def test_marks_of_255_calls_before_cover_nothing() -> None:
    zone = n6post.PolygonZone(SQUARE)
    for k in range(1100):  # a part that is covered again when its mark is used again
        covered = k % 254 == 0
        assert zone.occupancy([box(100, 100, 30, 50)] if covered else [box(130, 100, 15, 50)]) == (0.5 if covered else 0.25)


def test_the_points_of_a_grid_are_in_the_middle_of_its_squares() -> None:
    zone = n6post.PolygonZone([(8, 16), (648, 16), (648, 496), (8, 496)])  # squares of 9 pixels
    for at, rect in enumerate(((8, 16, 4, 480), (8, 16, 5, 480), (8, 16, 640, 4), (8, 16, 640, 5))):
        assert zone.occupancy([box(*rect)]) == pytest.approx((0, 1 / 71, 0, 1 / 53)[at])


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("width", [1, 2])
def test_a_long_zone_narrower_than_half_a_square_of_its_grid_can_be_full(width: int, turned: bool) -> None:
    """30,000 pixels in squares of 8: a row of 3,750 points."""
    way = -1 if turned else 1
    zone = n6post.PolygonZone([point[::way] for point in ((9, 0), (9 + width, 0), (9 + width, 30000), (9, 30000))])
    for length, covered in ((30000, 1.0), (15000, 0.5), (0, 0.0)):
        rect = [9, 0, width, length] if not turned else [0, 9, length, width]
        assert zone.occupancy([box(*rect)]) == pytest.approx(covered, abs=1e-3)


def test_masks_of_several_scales_and_frames_of_several_sizes_are_told_apart() -> None:
    zone = n6post.PolygonZone(SQUARE)
    both = [masked(np.ones((20, 30)), 50, 50, 2.0), masked(np.ones((13, 9)), 33, 33, 4.0)]
    for detections in (both, both[::-1], both[:1], both[1:]):
        assert zone.occupancy(detections) == pytest.approx(expected(zone, detections), abs=1e-9)
    for size, covered in (((640, 480), 0.5), ((130, 480), 1.0), ((145, 125), 2 / 3), (None, 0.5)):
        zone.frame_size = size
        assert zone.occupancy([box(100, 100, 30, 50)]) == pytest.approx(covered)
