"""lib/n6post/tracking/plane.py: places in meters and speeds, compared with numpy in float64 and with OpenCV."""

from __future__ import annotations

import re
from typing import Any

import _host
import n6post
import numpy as np
import pytest
import test_memory
from fakes import Array, seen
from hypothesis import assume, given
from hypothesis import strategies as st

_host.install()  # time.ticks_ms

ROAD = [(180, 200), (420, 190), (620, 460), (30, 450)]
METRES = [(0, 20), (7.5, 20), (6, 5), (0, 5)]
MORE = [(300, 195), (320, 455), (110, 300), (520, 300)]
MORE_METRES = [(3.75, 20), (3, 5), (-0.2, 10.6), (6.9, 10.7)]
PIXELS = [(320, 300), (100, 400), (500, 250), (300, 150)]
# cv2.getPerspectiveTransform of the four points, OpenCV 5.0.0.
OPENCV = [(3.577857, 9.864703), (0.525088, 6.179495), (7.45633, 12.777119), (4.595801, 32.301335)]


def mapped(homography: Array, points: Any) -> Array:
    """Points (n, 2) by a homography, in float64; NaN for those behind it, whose w is negative."""
    points = np.array(points, float)
    x, y, w = homography @ np.column_stack([points, np.ones(len(points))]).T
    w = np.where(w > 0, w, np.nan)
    return np.column_stack([x / w, y / w])


def ground(height: float, tilt: float, turn: float = 0.0) -> Array:
    """The homography from meters to pixels of a camera 640 x 480 above the ground that looks down by `tilt` radians.

    Behind the camera w is negative.
    """
    down, ahead = np.sin(tilt), np.cos(tilt)
    axes = np.array([[1, 0, 0], [0, -down, -ahead], [0, ahead, -down]])
    around = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1]])
    camera = np.array([[600, 0, 320], [0, 600, 240], [0, 0, 1]]) @ axes
    return np.column_stack([(camera @ around)[:, :2], camera @ [0, 0, -height]])


def test_four_points_give_the_homography_of_opencv() -> None:
    plane = n6post.Plane(ROAD, METRES)
    np.testing.assert_allclose([plane.to_world(*pixel) for pixel in PIXELS], OPENCV, atol=1e-4)
    np.testing.assert_allclose([plane.to_world(*pixel) for pixel in ROAD], METRES, atol=1e-5)
    assert [plane.to_image(*place) for place in METRES] == ROAD
    assert plane.max_error < 1e-4
    assert (plane.image_points, plane.world_points) == (ROAD, METRES)


PIXEL = st.tuples(st.integers(0, 639), st.integers(0, 479))


@given(
    st.floats(0.3, 12), st.floats(0.05, 1.5), st.floats(-3, 3), st.lists(PIXEL, min_size=4, max_size=9, unique=True)
)  # fmt: skip
def test_a_camera_above_the_ground_is_measured_exactly(height: float, tilt: float, turn: float, pixels: list[Any]) -> None:
    to_image = ground(height, tilt, turn)
    to_world = np.linalg.inv(to_image)
    places = mapped(to_world * np.sign(to_world @ [320, 479, 1])[2], pixels)
    assume(not np.isnan(places).any() and np.abs(places).max() < 50 * height)
    try:
        plane = n6post.Plane(pixels, [tuple(map(float, place)) for place in places])
    except ValueError as error:
        assert "no three of them in a line" in str(error)
        flat = np.array(pixels, float) - np.mean(pixels, axis=0)
        areas = [
            abs(np.linalg.det([flat[j] - flat[i], flat[k] - flat[i]]))
            for i in range(len(flat)) for j in range(i) for k in range(j)
        ]  # fmt: skip
        assert min(areas) < 0.05 * np.square(np.hypot(*flat.T).mean())
        return
    for pixel, place in zip(pixels, places):
        got = plane.to_world(pixel)
        assert got is not None
        # float32 has 24 bits, of which the steepest perspectives cost half.
        assert np.hypot(*(np.array(got) - place)) <= 2e-3 * (height + np.hypot(*place))
    middle = np.mean(pixels, axis=0)
    place = mapped(to_world * np.sign(to_world @ [320, 479, 1])[2], [middle])[0]
    got = plane.to_world(float(middle[0]), float(middle[1]))
    assert got is not None and np.hypot(*(np.array(got) - place)) <= 2e-3 * (height + np.hypot(*place))
    back = plane.to_image(*got)
    assert back is not None and np.hypot(*(np.array(back) - middle)) <= 0.8


def normalised(points: Any) -> tuple[Array, Array]:
    """Points with their centroid at 0 and a mean distance of 1 from it, and the matrix that made them so."""
    points = np.array(points, float)
    middle = points.mean(axis=0)
    scale = 1 / np.hypot(*(points - middle).T).mean()
    return (points - middle) * scale, np.array([[scale, 0, -scale * middle[0]], [0, scale, -scale * middle[1]], [0, 0, 1]])


def test_more_points_give_the_least_squares_of_numpy() -> None:
    pixels, places = ROAD + MORE, METRES + MORE_METRES
    (a, left), (b, right) = normalised(pixels), normalised(places)
    rows = []
    for (x, y), (u, v) in zip(a, b):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y, u], [0, 0, 0, x, y, 1, -v * x, -v * y, v]]
    system = np.array(rows)
    wanted = np.append(np.linalg.lstsq(system[:, :8], system[:, 8], rcond=None)[0], 1).reshape(3, 3)
    plane = n6post.Plane(pixels, places)
    expected = mapped(np.linalg.inv(right) @ wanted @ left, PIXELS + pixels)
    np.testing.assert_allclose([plane.to_world(*pixel) for pixel in PIXELS + pixels], expected, atol=1e-4)
    assert plane.max_error == pytest.approx(np.hypot(*(expected[4:] - places).T).max(), abs=1e-4)
    # cv2.findHomography, which makes the errors in meters smallest instead, is nowhere far from it.
    opencv = [(3.5865, 10.4143), (0.345, 6.3644), (7.4638, 13.4621), (4.4203, 29.7388)]
    assert np.hypot(*(expected[:4] - opencv).T).max() < 0.25


def test_places_on_and_above_the_horizon_and_behind_the_camera_are_none() -> None:
    height = 3.0
    camera = ground(height, 0.3)
    places = [(-3.0, 8.0), (3.0, 8.0), (3.0, 20.0), (-3.0, 20.0)]
    pixels = [tuple(map(float, p)) for p in mapped(camera, places)]
    plane = n6post.Plane(pixels, places)
    horizon = 240 - 600 * np.tan(0.3)  # of a pinhole camera
    far = mapped(np.linalg.inv(camera), [(320, horizon + 1)])[0]
    assert far[1] > 1900
    assert plane.to_world(320, float(horizon) + 1.0) == pytest.approx(far, rel=0.01, abs=1)
    for y in (horizon, horizon - 1, horizon - 1000, -1e6):
        assert plane.to_world(320, float(y)) is None
        assert plane.distance((320, 400), (320, float(y))) is None
    assert plane.to_image(0, 12) == tuple(np.floor(mapped(camera, [(0, 12)])[0] + 0.5))
    for place in ((0, -5), (0, -1e5), (100, -40)):
        assert plane.to_image(place) is None
    bird = seen(1, 320, int(horizon) - 20)
    assert plane.to_world(bird) is None
    assert plane.update([bird]) == [bird] and plane.speed(bird) is None


def test_a_detection_stands_where_its_anchor_point_is() -> None:
    d = seen(1, 320, 300, 20, 40)
    for anchor, pixel in (("bottom", (320, 300)), ("center", (320, 280)), ("top_left", (310, 260))):
        plane = n6post.Plane(ROAD, METRES, anchor=anchor)
        assert plane.to_world(d) == plane.to_world(pixel) == plane.to_world(*pixel)
    assert plane.distance(d, (310, 260)) == 0
    plane.anchor = "bottom"
    assert plane.distance(d, PIXELS[1]) == pytest.approx(np.hypot(*np.subtract(OPENCV[0], OPENCV[1])), abs=1e-3)


@pytest.mark.parametrize(
    ("pixels", "places", "said"),
    [
        (ROAD[:3], METRES[:3], "expected four or more points, as many of the world as of the image, got 3 and 3"),
        (ROAD, METRES[:3], "got 4 and 3"),
        ([(0, 0), (9, 9), (50, 50), (70, 70)], METRES, "no three of them in a line"),
        ([(0, 0), (9, 9), (50, 50), (0, 90)], METRES, "no three of them in a line"),
        (ROAD, [(0, 0), (1, 1), (2, 2), (0, 5)], "no three of them in a line"),
        (ROAD, [(0, 0)] * 4, "no three of them in a line"),
        ([(5, 5)] * 4, METRES, "no three of them in a line"),
        ([*ROAD[:3], ROAD[0]], METRES, "no three of them in a line"),
        (ROAD, [METRES[0], METRES[2], METRES[1], METRES[3]], "in the order of image_points"),
        (7, METRES, "image_points: expected a list of points (x, y), got 7"),
        ([(1, 2), (3, 4), (5, 6), "ab"], METRES, "image_points: expected a point (x, y) of two numbers up to"),
        (ROAD, [*METRES[:3], (0, float("nan"))], "world_points: expected a point (x, y) of two numbers"),
        (ROAD, [*METRES[:3], (0, float("inf"))], "world_points"),
        (ROAD, [*METRES[:3], (0, 1e9)], "world_points"),
        (ROAD, [*METRES[:3], (0, 1, 2)], "world_points"),
        (ROAD, [*METRES[:3], (True, 1)], "world_points"),
    ],
)  # fmt: skip
def test_points_that_determine_no_plane_are_refused(pixels: Any, places: Any, said: str) -> None:
    with pytest.raises(ValueError, match=re.escape(said)):
        n6post.Plane(pixels, places)


def test_wrong_arguments_say_what_was_expected() -> None:
    plane = n6post.Plane(ROAD, METRES)
    for wrong in ((1,), (1, None), ("a", 2), ((1, 2, 3),), (None,), (float("nan"), 2), ((1, 2), 3)):
        with pytest.raises(ValueError, match=re.escape("to_world: expected a point (x, y) of two numbers")):
            plane.to_world(*wrong)  # type: ignore[call-overload]
        with pytest.raises(ValueError, match=re.escape("to_image: expected a point (x, y) of two numbers")):
            plane.to_image(*wrong)  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=re.escape("detections: expected a list of Detection")):
        plane.update(7)  # type: ignore[type-var]
    with pytest.raises(ValueError, match=re.escape("expected detections with a track_id")):
        plane.update([seen(None, 5, 5)])
    with pytest.raises(ValueError, match=re.escape("elapsed_ms: expected milliseconds")):
        plane.update([], elapsed_ms="1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="Plane: expected two lists of points, got 3 arguments"):
        n6post.Plane(ROAD, METRES, 1.0)  # type: ignore[misc]
    with pytest.raises(ValueError, match=re.escape("window: expected a number from 0.1 to 60.0, got 0")):
        n6post.Plane(ROAD, METRES, window=0)


def test_detections_of_frames_of_another_size_are_refused() -> None:
    plane = n6post.Plane(ROAD, METRES, frame_size=(640, 480))
    plane.update([seen(1, 320, 300, frame_size=(640, 480)), seen(2, 320, 300)])
    small = seen(1, 160, 150, frame_size=(320, 240))
    for ask in (plane.to_world, lambda d: plane.update([d])):
        with pytest.raises(ValueError, match="of frames of 640 x 480, as the image_points are, got 320 x 240"):
            ask(small)
    other = n6post.Plane(ROAD, METRES)
    other.update([small])
    assert other.frame_size == (320, 240)


# --- speed ---
# One pixel is a centimetre, so that positions are exact.
FLAT = [(0, 0), (1000, 0), (1000, 1000), (0, 1000)]
CENTIMETRES = [(0, 0), (10, 0), (10, 10), (0, 10)]


def walked(plane: Any, steps: Any, ms: int = 100, track_id: int = 1) -> Any:
    """The speeds after each of these positions in pixels; None is a frame without the track."""
    speeds = []
    for step in steps:
        plane.update([] if step is None else [seen(track_id, *step)], elapsed_ms=ms)
        speeds.append(plane.speed(track_id))
    return speeds


def test_the_speed_of_a_steady_walk_is_exact_after_half_a_window() -> None:
    speeds = walked(n6post.Plane(FLAT, CENTIMETRES), [(100 + 14 * k, 500) for k in range(30)])
    assert speeds[:5] == [None] * 5
    np.testing.assert_allclose(speeds[5:], 1.4 * 3.6, rtol=1e-4)  # 14 cm in 0.1 s


def test_the_speed_is_the_slope_of_numpys_line_through_the_window() -> None:
    dice = np.random.default_rng(3)
    for ms in (33, 66, 100, 200):
        plane = n6post.Plane(FLAT, CENTIMETRES, window=2.0)
        path = [(100 + 8 * k + int(dice.integers(-6, 7)), 900 - 5 * k + int(dice.integers(-6, 7))) for k in range(90)]
        for k, place in enumerate(path):
            plane.update([seen(4, *place)], elapsed_ms=ms)
            inside = [j for j in range(k + 1) if (k - j) * ms <= 2000]
            if (k - inside[0]) * ms < 1000:
                assert plane.speed(4) is None
                continue
            times = [j * ms / 1000 for j in inside]
            slopes = [np.polyfit(times, [path[j][axis] / 100 for j in inside], 1)[0] for axis in (0, 1)]
            np.testing.assert_allclose(plane.velocity(4), slopes, atol=1e-4)
            assert plane.speed(4) == pytest.approx(3.6 * np.hypot(*slopes), abs=1e-3)


@given(st.lists(st.sampled_from([50, 100, 250, 500, 1000]), min_size=3, max_size=40), st.data())
def test_speed_takes_three_places_over_half_a_window_at_most_three_old(steps: list[int], data: Any) -> None:
    """The places of the last window, or else as few of the newest ones as are enough, up to three windows old."""
    plane = n6post.Plane(FLAT, CENTIMETRES)
    places: list[tuple[int, int]] = []  # milliseconds, pixel
    now = 0
    for k, ms in enumerate(steps):
        now += ms
        missed = data.draw(st.booleans()) if k % 3 else False
        x = 100 + 11 * k + 13 * k % 7
        if not missed:
            places.append((now, x))
        plane.update([] if missed else [seen(1, x, 500)], elapsed_ms=ms)
        used = [one for one in places if now - one[0] <= 1000]
        if len(used) < 3 or used[-1][0] - used[0][0] < 500:
            enough = [n for n in range(3, len(places) + 1) if places[-1][0] - places[-n][0] >= 500]
            used = places[-enough[0] :] if enough and now - places[-enough[0]][0] <= 3000 else []
        if now - places[-1][0] > 3000:
            places.clear()  # forgotten
        speed = plane.speed(1)
        assert (speed is None) == (not used)
        if used:
            slope = np.polyfit([ms / 1000 for ms, _ in used], [x / 100 for _, x in used], 1)[0]
            assert speed == pytest.approx(3.6 * abs(slope), abs=1e-3)


def test_jitter_is_not_speed() -> None:
    dice = np.random.default_rng(5)
    plane = n6post.Plane(FLAT, CENTIMETRES)
    speeds = walked(plane, [(500 + int(dice.integers(-3, 4)), 500 + int(dice.integers(-3, 4))) for _ in range(100)], 50)
    assert max(speeds[20:]) < 0.5  # 2 cm of noise, which from frame to frame is 2 km/h and more


@pytest.mark.parametrize(("window", "ms"), [(20, 50), (30, 33), (60, 100), (60, 16), (1, 2), (5, 19)])
def test_256_positions_are_enough_for_a_window_of_more_frames(window: float, ms: int) -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES, window=window)
    frames = 2 * window * 1000 // ms
    path = [(1000 * k // frames + (k * 37 % 7), 500 - 800 * k // frames) for k in range(frames)]
    speeds = walked(plane, path, ms)
    first = -(-500 * window // ms)
    assert speeds[:first] == [None] * first and None not in speeds[first:]
    # The steps are whole pixels, with noise of up to 3 of 500 in a window.
    np.testing.assert_allclose(speeds[first:], 3.6 * np.hypot(10, 8) / (2 * window), rtol=0.05)
    ring, base, to = plane._tracks[1]
    times = np.sort(np.array(ring[: len(ring) // 3]))
    assert len(times) in (128, 256) and times[-1] + base == ms * frames, "the newest position is always in it"
    assert times[-2] - times[0] >= 0.98 * min(1000 * window, len(times) * 2 * ms)
    assert times[-1] - times[0] >= 1000 * window


def test_at_the_largest_length_the_ring_has_no_more_memory() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES)
    walked(plane, [(3 * k, 500) for k in range(300)], 100)
    assert len(plane._tracks[1][0]) == 3 * 16, "no more memory than the window needs"


@pytest.mark.parametrize("fps", [1, 2, 3, 4, 5, 7, 10, 15, 30, 60])
def test_speeds_do_not_flicker_at_any_frame_rate(fps: int) -> None:
    dice = np.random.default_rng(fps)
    plane = n6post.Plane(FLAT, CENTIMETRES)
    now, speeds = 0, []
    times: list[int] = []
    for k in range(30 * fps):
        ms = int(1000 / fps * dice.uniform(0.9, 1.1))
        now += ms
        missed = fps > 1 and k > 5 and times[-1] > now - 2 * ms and dice.random() < 0.1
        if not missed:
            times.append(now)
        plane.update([] if missed else [seen(1, now // 10, 500)], elapsed_ms=ms)
        speeds.append(plane.speed(1))
    first = next(k for k, speed in enumerate(speeds) if speed is not None)
    assert first <= max(3, fps), "it comes after two frames, or half a window"
    assert None not in speeds[first:]
    np.testing.assert_allclose(speeds[first:], 3.6, rtol=0.05)  # whole centimeters, 1 m/s


def test_two_frames_in_a_window_give_a_speed_all_the_time() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES)
    speeds = []
    for k in range(200):
        plane.update([seen(1, 100 + 4 * k, 200)], elapsed_ms=490 + k * 37 % 31)
        speeds.append(plane.speed(1))
    assert speeds[:2] == [None] * 2 and None not in speeds[2:]


@pytest.mark.parametrize("ms", [16, 33, 100, 250])
@pytest.mark.parametrize("gap", [800, 1500, 2400])
def test_a_track_that_comes_back_has_a_speed_at_once(ms: int, gap: int) -> None:
    """Its places before it was lost are used until there are those of half a window again."""
    plane = n6post.Plane(FLAT, CENTIMETRES)
    path = walked(plane, [(k, 500) for k in range(-(-600 // ms) + 3)], ms)
    assert path[-1] is not None
    walked(plane, [None], gap)
    assert None not in walked(plane, [(100 + k, 500) for k in range(100)], ms)


def test_a_window_is_whole_milliseconds() -> None:
    """1000 * 2.01 is 2009.9999999999998, and on a camera 1000 * 0.17 is less than 170."""
    plane = n6post.Plane(FLAT, CENTIMETRES, window=2.01)
    speeds = walked(plane, [(0, 500), (201, 500), (201, 500), (201, 500)], 670)
    assert speeds[-1] == pytest.approx(3.6 * np.polyfit([0, 0.67, 1.34, 2.01], [0, 2.01, 2.01, 2.01], 1)[0], rel=1e-4)


@pytest.mark.parametrize("offset", [5e5, -1e6 + 50])
def test_large_world_coordinates_cost_no_centimeters(offset: float) -> None:
    def moved(x: float, y: float) -> tuple[float, float]:
        return x + offset, y - offset

    near, far = n6post.Plane(ROAD, METRES), n6post.Plane(ROAD, [moved(*place) for place in METRES])
    path = [(200 + k, 300) for k in range(100)]
    np.testing.assert_allclose(walked(far, path)[6:], walked(near, path)[6:], rtol=1e-4)
    for pixel in PIXELS:
        place = near.to_world(pixel)
        assert place is not None and far.to_world(pixel) == pytest.approx(moved(*place), abs=1e-6)
        assert far.to_image(moved(*place)) == near.to_image(place)
    assert far.distance(PIXELS[0], PIXELS[3]) == pytest.approx(near.distance(PIXELS[0], PIXELS[3]), rel=1e-6)
    assert far.max_error < 1e-4


def test_a_speed_ends_after_three_windows_and_a_track_after_two_gaps() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES)
    path: list[Any] = [(100 + 10 * k, 500) for k in range(10)]
    assert walked(plane, path)[-1] == pytest.approx(3.6, rel=1e-4)
    lost = walked(plane, [None] * 30)
    assert lost[0] == pytest.approx(3.6, rel=1e-4) and 1 in plane._tracks
    # Those of half a window that are not older than three.
    assert None not in lost[:25] and lost[25:] == [None] * 5
    assert walked(plane, [None] * 20) == [None] * 20 and 1 in plane._tracks  # a Tracker's max_gap is 2.5 seconds
    assert walked(plane, [None]) == [None] and not plane._tracks
    assert walked(plane, path)[:5] == [None] * 5, "it starts again"
    plane.reset()
    assert plane.speed(1) is None


def test_coasting_detections_do_not_count() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES)
    tracker = n6post.Tracker(coast=0.5, smooth_boxes=False)
    for k in range(12):
        plane.update(tracker.update([seen(None, 200 + 10 * k, 500, 60, 90)], elapsed_ms=100), elapsed_ms=100)
    (coasting,) = tracker.update([], elapsed_ms=100)
    assert coasting.missed
    before = plane._tracks[coasting.track_id][0][:]
    plane.update([coasting], elapsed_ms=100)
    assert plane._tracks[coasting.track_id][0] == before


def test_times_stay_exact_for_days() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES)
    plane.update([], elapsed_ms=10 * 86_400_000)
    assert walked(plane, [(14 * k, 500) for k in range(20)])[-1] == pytest.approx(1.4 * 3.6, rel=1e-4)
    for _ in range(2):  # a track of hours starts again now and then
        for _ in range(4100):
            plane.update([seen(1, 500, 500)], elapsed_ms=2900)
        assert walked(plane, [(14 * k, 500) for k in range(20)])[-1] == pytest.approx(1.4 * 3.6, rel=1e-4)
        assert walked(plane, [(7 * k, 500) for k in range(40)], 33)[-1] == pytest.approx(0.07 / 0.033 * 3.6, rel=1e-4)


def test_speed_takes_an_id_or_a_detection() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES)
    walked(plane, [(100 + 14 * k, 500) for k in range(9)])
    assert plane.speed(seen(1, 0, 0)) == plane.speed(1) == pytest.approx(5.04, rel=1e-4)
    assert plane.velocity(seen(1, 0, 0)) == pytest.approx((1.4, 0), abs=1e-4)
    for unknown in (None, 2, seen(None, 0, 0)):
        assert plane.speed(unknown) is None and plane.velocity(unknown) is None


def test_the_clock_is_measured_if_no_time_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    import time

    now = [0]
    monkeypatch.setattr(time, "ticks_ms", lambda: now[0], raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: a - b, raising=False)
    plane = n6post.Plane(FLAT, CENTIMETRES)
    for k in range(20):
        now[0] = 1_000_000 + 70 * k
        plane.update([seen(1, 100 + 7 * k, 500)])
    assert plane.speed(1) == pytest.approx(3.6, rel=1e-4)


def test_with_many_tracks_those_that_are_gone_are_forgotten() -> None:
    plane = n6post.Plane(FLAT, CENTIMETRES, window=60)
    for k in range(300):
        plane.update([seen(k, 5, 5)], elapsed_ms=1)
    assert len(plane._tracks) <= 129


@pytest.mark.parametrize("frame", [0, 3, 16, 40])
def test_an_interrupted_update_leaves_whole_positions_and_times(frame: int) -> None:
    """The window is long, so that a ring grows in frame 16."""

    def before() -> Any:
        plane = n6post.Plane(FLAT, CENTIMETRES, window=2.5)
        for k in range(frame):
            both(plane, k)
        return plane

    def both(plane: Any, k: int) -> None:
        plane.update([seen(1, 100 + 14 * k, 500), seen(2, 900 - 7 * k, 100)], elapsed_ms=100)

    def after(plane: Any) -> Any:
        for k in range(frame + 1, frame + 30):
            both(plane, k)
        return [round(plane.speed(track), 3) for track in (1, 2)], [len(ring) for ring, _, _ in plane._tracks.values()]

    # Time that is given and not measured is lost with the call, so its positions are those of a frame that never was.
    def attempt(plane: Any) -> None:
        both(plane, frame)

    lines = 0
    met = True
    wanted = [after(before())]
    done = before()
    attempt(done)
    wanted.append(after(done))
    while met:
        lines += 1
        test_memory.forget()
        plane = before()
        met = test_memory.Fault(lines, kernels=False).hits(lambda plane=plane: attempt(plane))  # type: ignore[misc]
        assert after(plane) in wanted
    assert lines > 8


def test_an_interrupted_constructor_makes_the_right_plane_the_next_time() -> None:
    def asked(plane: Any) -> Any:
        return n6post.Plane(ROAD, METRES).to_world(320, 300)

    test_memory.check(test_memory.Scene(lambda: None, asked, asked))


@pytest.mark.parametrize("anchor, cut, whole", [
    ("bottom", "left right bottom", "top"), ("top_left", "left top", "right bottom"),
    ("bottom_right", "right bottom", "left top"),
    ("center", "left right top bottom", ""), ("left", "left top bottom", "right"), ("centroid", "left right top bottom", ""),
])  # fmt: skip
def test_a_side_that_the_frame_cuts_off_gives_no_speed(anchor: str, cut: str, whole: str) -> None:
    # Each walks 10 pixels a frame along the border that cuts it off, or into it, where its center moves half as far.
    square = [(0, 0), (640, 0), (640, 480), (0, 480)]
    walks = {
        "left": lambda i: (0, 100, 80 - 10 * i, 60), "right": lambda i: (560 + 10 * i, 100, 80 - 10 * i, 60),
        "top": lambda i: (100 + 10 * i, 0, 60, 80), "bottom": lambda i: (100 + 10 * i, 400, 60, 79),
    }  # fmt: skip
    for side in [*cut.split(), *whole.split()]:
        plane = n6post.Plane(square, square, anchor=anchor, frame_size=(640, 480))
        for i in range(6):
            d = n6post.Detection(walks[side](i), 0.9, 0, "", None, None)
            d.track_id = 1
            plane.update([d], elapsed_ms=200)
        assert (plane.speed(1) is None) is (side in cut.split()), side


@pytest.mark.parametrize("gap", [0, 5, 12])
def test_a_walker_who_stops_at_the_border_has_no_speed_there(gap: int) -> None:
    plane = n6post.Plane([(0, 0), (640, 0), (640, 480), (0, 480)], [(0, 0), (64, 0), (64, 48), (0, 48)])
    speeds = []
    for i in range(12):  # boxes of cut people end up to 12 pixels of VGA before the border
        bottom = min(300 + 20 * i, 480)
        top, end = 100 + 20 * i, bottom - gap * (bottom == 480)
        d = n6post.Detection((300, top, 60, max(end - top, 1)), 0.9, 0, "", None, None).replace(frame_size=(640, 480))
        d.track_id = 1
        plane.update([d], elapsed_ms=200)
        speeds.append(plane.speed(1))
    assert speeds[3:9] == pytest.approx([36.0] * 6, rel=1e-3) and speeds[9:] == [None] * 3


def test_a_person_who_comes_into_the_frame_has_a_speed_once_the_feet_are_seen() -> None:
    plane = n6post.Plane([(0, 0), (640, 0), (640, 480), (0, 480)], [(0, 0), (64, 0), (64, 48), (0, 48)])
    speeds = []
    for i in range(14):  # walks up by 20 pixels, or 2 m, in each fifth of a second: 36 km/h
        top, bottom = 460 - 20 * i, 620 - 20 * i
        d = n6post.Detection((300, top, 60, min(bottom, 480) - top), 0.9, 0, "", None, None).replace(frame_size=(640, 480))
        d.track_id = 1
        plane.update([d], elapsed_ms=200)
        speeds.append(plane.speed(1))
    assert speeds[:10] == [None] * 10  # the feet are in the frame from the ninth on
    assert speeds[11:] == pytest.approx([36.0] * 3, rel=1e-3)
