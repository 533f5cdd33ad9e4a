"""lib/n6post/tracking/plane_measures.py: areas on a plane, sizes of what stands on it, and its grid, against float64."""

from __future__ import annotations

import math
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import pixels
from fakes import Array
from hypothesis import given, settings
from hypothesis import strategies as st
from n6post.results.mask import Mask, MaskTransform
from test_draw_zones import Noted, _noted_texts  # noqa: F401  (a fixture)
from test_plane import METRES, ROAD, ground, mapped
from test_segmentation import map_of

FRAME = (640, 480)
CORNERS = [(100, 180), (540, 200), (600, 440), (40, 450)]


def plane_of(to_image: Array, pixels: Any = CORNERS, noise: Any = 0.0, **options: Any) -> tuple[Any, Array]:
    """The Plane of a camera, and the homography from the frame to meters."""
    to_world = np.linalg.inv(to_image)
    to_world = to_world * np.sign(to_world @ [320, 479, 1])[2]
    places = [tuple(map(float, place)) for place in mapped(to_world, pixels)]
    pixels = [tuple(map(float, one)) for one in np.array(pixels) + noise]
    return n6post.Plane(pixels, places, frame_size=FRAME, **options), to_world


def masked(bits: Array, x: float, y: float, sx: float, sy: float, frame_size: Any = FRAME) -> Any:
    """A Mask of these bits with its corner at frame pixel (x, y) and pixels of sx x sy."""
    h, w = bits.shape
    transform = MaskTransform(sx, x, sy, y, (0, 0, *FRAME), frame_size=frame_size)
    data = np.where(bits, 129, 127).astype(np.uint8).tobytes()
    return Mask(data, (0, 0, w, h), (0, 0, w, h), (0, 0, *FRAME), transform)


def flat_area(to_world: Array, mask: Any) -> float:
    """The sum of the areas of all frame pixels of a mask, as quadrilaterals on the plane."""
    inside = np.array([(x, y) for y in range(FRAME[1]) for x in range(FRAME[0]) if mask.contains(x, y)], float)
    if not len(inside):
        return 0.0
    a, b, c, d = (mapped(to_world, inside + corner) for corner in ((0, 0), (1, 0), (1, 1), (0, 1)))
    one, other = c - a, d - b
    return float(np.abs(one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0]).sum() / 2)


def test_on_a_plane_of_pixels_the_area_is_that_of_the_mask() -> None:
    square = [(0, 0), (100, 0), (100, 100), (0, 100)]
    plane = n6post.Plane(square, square)
    bits = np.random.default_rng(1).random((30, 40)) < 0.6
    for mask in (masked(bits, 10.3, 20.7, 1.9, 2.3), masked(bits, -20, -5, 3.0, 0.4), masked(bits, 600, 470, 2.0, 2.0)):
        assert plane.area(mask) == pytest.approx(mask.area, rel=1e-5) != 0
    assert plane.area(masked(bits & False, 0, 0, 1, 1)) == 0.0


@settings(max_examples=12, deadline=None)
@given(st.floats(1, 10), st.floats(0.5, 1.5), st.floats(-3, 3), st.integers(0, 99), st.floats(0.7, 6))
def test_the_area_is_that_of_all_pixels_on_the_plane(
    height: float, tilt: float, turn: float, seed: int, scale: float
) -> None:
    plane, to_world = plane_of(ground(height, tilt, turn))
    mask = masked(np.random.default_rng(seed).random((20, 30)) < 0.5, 200.2, 250.6, scale, scale * 1.1)
    assert plane.area(mask) == pytest.approx(flat_area(to_world, mask), rel=1e-4)


def test_a_known_rectangle_on_the_ground_has_its_area() -> None:
    to_image = ground(4.0, 0.6, 0.3)
    plane, to_world = plane_of(to_image)
    x, y = mapped(to_world, [(320, 330)])[0]
    rows, columns = np.mgrid[0 : FRAME[1], 0 : FRAME[0]]
    places = mapped(to_world, np.stack([columns + 0.5, rows + 0.5], -1).reshape(-1, 2)).reshape(*rows.shape, 2)
    bits = (np.abs(places - (x, y)) < (0.6, 0.4)).all(axis=-1)
    assert plane.area(masked(bits, 0, 0, 1, 1)) == pytest.approx(1.2 * 0.8, rel=0.01)


def test_a_class_of_a_segmentation_has_an_area() -> None:
    plane, _ = plane_of(ground(4.0, 0.6))
    classes = np.zeros((48, 64), np.uint8)
    classes[30:40, 20:50] = 1
    seen = map_of(classes, labels=["floor", "water"])
    seen._transform.frame_size = None
    assert plane.area(seen, 1) == plane.area(seen, "water") == plane.area(seen.mask(1)) > 0


def test_what_reaches_the_horizon_has_no_area() -> None:
    plane, _ = plane_of(ground(4.0, 0.2))
    whole = np.ones((48, 64), bool)
    assert plane.area(masked(whole, 0, 0, 10, 10)) is None
    assert plane.area(masked(whole, 0, 150, 10, 5)) > 0


def test_the_area_of_other_things_is_refused() -> None:
    plane, _ = plane_of(ground(4.0, 0.5))
    seen = map_of(np.zeros((48, 64), np.uint8))
    mask = masked(np.ones((2, 2), bool), 300, 300, 1, 1)
    for wrong in ((None,), (seen,), (mask, 1), ("mask",)):
        with pytest.raises(ValueError, match="area: expected a Mask, or a Segmentation and a class, got"):
            plane.area(*wrong)
    with pytest.raises(ValueError, match="frames of 640 x 480, as the image_points are, got 320 x 240"):
        plane.area(masked(np.ones((2, 2), bool), 0, 0, 1, 1, (320, 240)))


# --- sizes -------------------------------------------------------------------------------------------------------------
def standing(height: float, tilt: float, turn: float, foot: Any, tall: float) -> tuple[Any, Any]:
    """The place of a foot in the frame, and the frame's row where something of this height ends there."""
    down, ahead = np.sin(tilt), np.cos(tilt)
    lens = np.array([[600, 0, 320], [0, 600, 240], [0, 0, 1]]) @ [[1, 0, 0], [0, -down, -ahead], [0, ahead, -down]]
    around = np.array([[math.cos(turn), -math.sin(turn), 0], [math.sin(turn), math.cos(turn), 0], [0, 0, 1]])
    x, y, w = lens @ (around @ [*foot, tall] - [0, 0, height])
    return x / w, y / w


@given(
    st.floats(1.5, 9), st.floats(0.15, 1.1), st.floats(-3, 3), st.tuples(st.integers(150, 500), st.integers(330, 440)),
    st.floats(0.3, 2.0), st.booleans(),
)  # fmt: skip
def test_what_stands_on_the_ground_has_its_size(
    height: float, tilt: float, turn: float, foot: Any, tall: float, mirrored: bool
) -> None:
    plane, to_world = plane_of(ground(height, tilt, turn), [(100, 250), (540, 260), (600, 440), (40, 450)])
    if mirrored:
        plane = n6post.Plane(plane.image_points, [(-x, y) for x, y in plane.world_points], frame_size=FRAME)
    tall = min(tall, height / 2)
    _, top = standing(height, tilt, turn, mapped(to_world, [foot])[0], tall)
    if top < 15:
        return
    x, y = foot
    d = n6post.Detection((x - 30, top, 60, y - top), 0.9, 0, "person", None, None)
    width = math.dist(*mapped(to_world, [(x - 30, y), (x + 30, y)]))
    assert plane.size(d) == pytest.approx((width, tall), rel=2e-3)


def test_clicks_that_are_a_pixel_wrong_change_a_size_by_some_hundredths() -> None:
    random = np.random.default_rng(1)
    _, top = standing(4.0, 0.5, 0.2, mapped(plane_of(ground(4.0, 0.5, 0.2))[1], [(300, 400)])[0], 1.7)
    d = n6post.Detection((280, top, 40, 400 - top), 0.9, 0, "person", None, None)
    sizes = [plane_of(ground(4.0, 0.5, 0.2), noise=random.normal(0, 1, (4, 2)))[0].size(d) for _ in range(100)]
    assert np.abs(np.array(sizes)[:, 1] / 1.7 - 1).max() < 0.05


def test_from_straight_above_the_height_is_not_known() -> None:
    plane = n6post.Plane([(0, 0), (600, 0), (600, 400), (0, 400)], [(0, 0), (6, 0), (6, 4), (0, 4)], frame_size=FRAME)
    assert plane.size(n6post.Detection((200, 100, 50, 90), 0.9, 0, "", None, None)) == (pytest.approx(0.5), None)


def test_what_the_border_cuts_off_and_what_is_in_the_sky_has_no_size() -> None:
    plane, _ = plane_of(ground(4.0, 0.3))
    for rect in ((0, 200, 50, 200), (590, 200, 50, 200), (300, 0, 50, 400), (300, 300, 50, 180), (300, 20, 50, 20)):
        assert plane.size(n6post.Detection(rect, 0.9, 0, "", None, None)) is None
    assert plane.size(n6post.Detection((300, 300, 50, 100), 0.9, 0, "", None, None))


def test_a_size_needs_a_detection_and_the_size_of_its_frame() -> None:
    plane = n6post.Plane(ROAD, METRES)
    d = n6post.Detection((300, 300, 50, 100), 0.9, 0, "", None, None)
    with pytest.raises(ValueError, match="size: expected a plane whose frame_size is known"):
        plane.size(d)
    assert plane.size(d.replace(frame_size=FRAME)) == n6post.Plane(ROAD, METRES, frame_size=FRAME).size(d)
    for wrong in (None, (1, 2, 3, 4)):
        with pytest.raises(ValueError, match="expected a list of Detection"):
            plane.size(wrong)


# --- the grid ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
def test_the_grid_has_a_line_for_each_step_and_a_cross_at_each_point(pixformat: int) -> None:
    plane = n6post.Plane([(40, 40), (360, 40), (360, 360), (40, 360)], [(0, 0), (4, 0), (4, 3), (0, 3)])
    img = Noted(400, 400, pixformat)
    assert plane.draw(img, labels=False) is img
    lines = {ends for ends, _, _ in img.lines}
    wanted = {plane.to_image(x, 0) + plane.to_image(x, 3) for x in np.arange(0, 4.1, 0.5).tolist()}
    wanted |= {plane.to_image(0, y) + plane.to_image(4, y) for y in np.arange(0, 3.1, 0.5).tolist()}
    crosses = {ends for x, y in plane.image_points for ends in ((x - 5, y, x + 5, y), (x, y - 5, x, y + 5))}
    assert lines == wanted | crosses
    n6post.draw(img, plane)
    assert {"0.5 m", "1 m", "2.5 m", "3 m", "4 m"} <= {*img.texts} <= {f"{k / 2:g} m" for k in range(9)}


@pytest.mark.parametrize(("extent", "step"), [(0.3, 0.1), (1.5, 0.2), (4, 0.5), (10, 1), (11, 2), (40, 5), (300, 50)])
def test_at_most_eleven_lines_each_way_are_drawn(extent: float, step: float) -> None:
    square = [(0, 0), (1, 0), (1, 1), (0, 1)]
    plane = n6post.Plane([(300 * x, 300 * y) for x, y in square], [(extent * x, extent * y) for x, y in square])
    img = Noted(400, 400)
    plane.draw(img, labels=False, color=(255, 0, 0))
    count = math.floor(extent / step + 1e-6) + 1
    assert len({ends for ends, _, _ in img.lines}) == 2 * count + 2 * 4


def test_the_grid_fits_a_picture_of_another_size_and_a_part() -> None:
    plane, _ = plane_of(ground(4.0, 0.5))
    whole = image.Image(*FRAME, image.RGB565)
    half = image.Image(320, 240, image.RGB565)
    plane.draw(half)
    plane.draw(whole, labels=False)
    assert 0 < (pixels(half) > 0).mean() < 0.5
    part = image.Image(200, 100, image.RGB565)
    plane.draw(part, labels=False, roi=(300, 250, 200, 100))
    same = pixels(part) == pixels(whole)[250:350, 300:500]
    assert same.mean() > 0.9 and (pixels(part) > 0).any()
    with pytest.raises(ValueError, match="aspect ratio"):
        plane.draw(image.Image(100, 100, image.RGB565))
    with pytest.raises(ValueError, match="color_by: expected 'class'"):
        n6post.draw(whole, plane, color_by="track")
