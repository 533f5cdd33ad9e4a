"""lib/n6post/results/oriented.py: corners, rotation and sides of a Detection, and what moves or writes them."""

from __future__ import annotations

import json
import math
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Array, noise
from hypothesis import given
from hypothesis import strategies as st
from n6post.results.detection import detection_from
from n6post.results.scaled import scaled

FRAME = (640, 480)


def rectangle(x: float, y: float, w: float, h: float, degrees: float) -> Array:
    """The corners of a rectangle with its middle at (x, y), whose side w has this direction."""
    angle = math.radians(degrees)
    along, across = np.array([math.cos(angle), math.sin(angle)]), np.array([-math.sin(angle), math.cos(angle)])
    return np.array(
        [np.array([x, y]) + a * w / 2 * along + b * h / 2 * across for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    )


def ship(corners: Any) -> Any:
    (left, top), (right, bottom) = np.floor(np.min(corners, 0)).astype(int), np.ceil(np.max(corners, 0)).astype(int)
    d = detection_from(
        ((int(left), int(top), int(right - left), int(bottom - top)), 0.75, 1, "ship", None, None), (FRAME, 0.3)
    )
    return d.replace(corners=corners)


def plain() -> Any:
    return detection_from(((10, 20, 30, 40), 0.5, 0, "it", None, None), (FRAME, 0.3))


def test_an_ordinary_detection_has_no_oriented_box() -> None:
    d = plain()
    assert d.corners is d.rotation is d.sides is None
    assert "corners" not in d.as_dict() and "corners" not in n6post.to_json(d)
    assert ship(rectangle(100, 100, 40, 10, 20)).replace(corners=None).corners is None


@given(
    st.floats(0, 640), st.floats(0, 480), st.floats(1, 600), st.floats(0.05, 0.95), st.floats(-720, 720), st.integers(0, 3),
    st.booleans(),
)  # fmt: skip
def test_rotation_and_sides_are_those_of_the_rectangle(
    x: float, y: float, w: float, flat: float, degrees: float, first: int, mirrored: bool
) -> None:
    corners = np.roll(rectangle(x, y, w, w * flat, degrees), first, axis=0)
    d = ship(corners[::-1] if mirrored else corners)
    blur = 0.01 + math.degrees(2e-4 / w)  # float32 of positions in the frame, and thousandths of a pixel
    assert 0 <= d.rotation < 180 and abs((d.rotation - degrees + 90) % 180 - 90) < blur + 0.06 / w
    assert d.rotation == round(d.rotation * 100) / 100
    assert d.sides == pytest.approx((w, w * flat), abs=1e-3)


@pytest.mark.parametrize(
    ("degrees", "expected"), [(0, 0), (90, 90), (45, 45), (135, 135), (180, 0), (-0.001, 0), (179.999, 0)]
)
def test_rotation_is_less_than_180(degrees: float, expected: float) -> None:
    assert ship(rectangle(100, 100, 80, 20, degrees)).rotation == expected


def test_rotation_of_a_box_without_size_or_of_infinite_numbers() -> None:
    assert ship([(5, 5)] * 4).rotation == 0
    d = plain().replace(corners=[(0, 0), (math.inf, 0), (math.inf, 5), (0, math.nan)])
    assert d.rotation is None
    found = json.loads(n6post.to_json(d))
    assert found["rotation"] is None and found["corners"] == [[0, 0], [None, 0], [None, 5], [0, None]]
    n6post.draw(noise((64, 48)), [d.replace(frame_size=None)])


@pytest.mark.parametrize("corners", [5, "abcd", [(1, 2)] * 3, [(1, 2)] * 5, [1, 2, 3, 4], [(1, 2, 3)] * 4, [("a", 2)] * 4])
def test_replace_refuses_anything_but_four_points(corners: Any) -> None:
    with pytest.raises(ValueError, match=r"^corners: expected four points \(x, y\) or None, got "):
        plain().replace(corners=corners)


def test_corners_move_with_the_rect_and_rotation_stays() -> None:
    d = ship(rectangle(100, 120, 60, 20, 30))
    x, y, w, h = d.rect
    moved = d.replace(rect=(x + 7, y - 3, w, h))
    np.testing.assert_allclose(moved.corners.tolist(), np.array(d.corners.tolist()) + [7, -3], atol=1e-4)
    larger = d.replace(rect=(x - w // 2, y - h // 2, w + 2 * (w // 2), h + 2 * (h // 2)))
    assert larger.rotation == d.rotation
    assert larger.sides[0] == pytest.approx(2 * d.sides[0], rel=0.02)
    assert larger.replace(rect=d.rect).corners.tolist() == d.corners.tolist()


@given(st.integers(-50, 50), st.integers(-50, 50), st.integers(1, 200), st.integers(1, 200), st.floats(0, 180))
def test_corners_follow_the_middle_and_the_mean_size_of_any_rect(dx: int, dy: int, w: int, h: int, degrees: float) -> None:
    d = ship(rectangle(300, 220, 61, 23, degrees))
    before = np.array(d.corners.tolist())
    x, y, own_w, own_h = d.rect
    moved = d.replace(rect=(x + dx, y + dy, w, h))
    middle, new = np.array([x + own_w / 2, y + own_h / 2]), np.array([x + dx + w / 2, y + dy + h / 2])
    wanted = (before - middle) * math.sqrt(w / own_w * h / own_h) + new
    np.testing.assert_allclose(moved.corners.tolist(), wanted, atol=1e-3)
    assert moved.rotation == d.rotation
    steps = np.array(moved.corners.tolist()) * 10
    if np.abs(steps - np.floor(steps) - 0.5).min() > 0.01:
        found = json.loads(n6post.to_json([moved]))[0]["corners"]
        np.testing.assert_allclose(found, np.round(steps) / 10, atol=1e-9)


def test_corners_without_a_size_or_a_number_do_no_harm() -> None:
    point = ship([(5, 5)] * 4)
    assert point.replace(rect=(9, 9, 4, 4)).corners.tolist() == [[5, 5]] * 4
    for at in range(4):
        corners = [(0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0)]
        assert plain().replace(corners=corners).contains(5, 5)
        corners[at] = (math.nan, 3.0)
        assert not plain().replace(corners=corners).contains(5, 5)


def test_a_tracker_moves_the_corners() -> None:
    tracker = n6post.Tracker(coast=0.24)
    for frame in range(8):
        found = tracker.update([ship(rectangle(100 + 9 * frame, 120, 60, 20, 30))], elapsed_ms=80)
    (d,) = found
    assert d.track_id == 1 and d.rotation == 30
    assert np.abs(np.array(d.corners.tolist()).mean(axis=0) - [163, 120]).max() < 4
    (lost,) = tracker.update([], elapsed_ms=80)
    assert lost.rotation == 30 and lost.rect[0] > d.rect[0]
    assert np.array(lost.corners.tolist())[:, 0].min() > np.array(d.corners.tolist())[:, 0].min() + 4


# --- contains ---
@given(st.floats(0, 360), st.floats(-40, 40), st.floats(-40, 40))
def test_contains_is_the_inside_of_the_turned_rectangle(degrees: float, dx: float, dy: float) -> None:
    d = ship(rectangle(100, 120, 50, 20, degrees))
    x, y = int(100 + dx), int(120 + dy)
    angle = math.radians(degrees)
    along = (x + 0.5 - 100) * math.cos(angle) + (y + 0.5 - 120) * math.sin(angle)
    across = (y + 0.5 - 120) * math.cos(angle) - (x + 0.5 - 100) * math.sin(angle)
    if min(abs(abs(along) - 25), abs(abs(across) - 10)) > 1e-3:
        assert d.contains(x, y) == d.contains((x, y)) == (abs(along) < 25 and abs(across) < 10)


def test_contains_of_an_ordinary_box() -> None:
    d = plain()
    assert [d.contains(x, 30) for x in (9, 10, 39, 40)] == [False, True, True, False]
    assert [d.contains((20, y)) for y in (19, 20, 59, 60)] == [False, True, True, False]


@pytest.mark.parametrize("pixel", [(), (1, 2, 3), 5, "ab", None])
@pytest.mark.parametrize("d", [plain(), ship(rectangle(100, 120, 50, 20, 30))])
def test_contains_refuses_anything_but_a_pixel(d: Any, pixel: Any) -> None:
    with pytest.raises(ValueError, match="contains: expected"):
        d.contains(pixel)


# --- JSON ---
def test_json_has_corners_in_tenths_and_the_rotation() -> None:
    d = ship(rectangle(100, 120, 60, 20, 30))
    d.track_id = 5
    found = d.as_dict()
    assert list(found) == ["rect", "score", "class_id", "label", "corners", "rotation", "track_id"]
    assert found["corners"] == np.round(d.corners.tolist(), 1).tolist() and found["rotation"] == 30
    both = n6post.to_json([d, plain(), d])
    assert json.loads(both) == [d.as_dict(), plain().as_dict(), d.as_dict()]
    assert both == json.dumps([d.as_dict(), plain().as_dict(), d.as_dict()])


# --- drawing ---
def lines(corners: Any, color: Any, thickness: int, size: tuple[int, int] = FRAME) -> Any:
    """The frame with these four lines."""
    img = noise(size)
    points = [(math.floor(x + 0.5), math.floor(y + 0.5)) for x, y in corners]
    for a, b in zip([points[-1], *points], points):
        img.draw_line((*a, *b), color=color, thickness=thickness)
    return img


@pytest.mark.parametrize("thickness", [1, 3])
@pytest.mark.parametrize("pixformat", [image.RGB565, image.GRAYSCALE])
@pytest.mark.parametrize("x", [100, 620])
def test_draw_draws_the_turned_rectangle_and_no_other(x: int, thickness: int, pixformat: int) -> None:
    d = ship(rectangle(x, 120, 60, 20, 30))
    img = n6post.draw(noise(FRAME, pixformat), [d], thickness=thickness, labels=False, color=(255, 0, 0))
    points = [(math.floor(x + 0.5), math.floor(y + 0.5)) for x, y in d.corners.tolist()]
    expected = noise(FRAME, pixformat)
    for a, b in zip([points[-1], *points], points):
        expected.draw_line((*a, *b), color=(255, 0, 0), thickness=thickness)
    assert bytes(img.bytearray()) == bytes(expected.bytearray()) != bytes(noise(FRAME, pixformat).bytearray())


@pytest.mark.parametrize("middle", [(300, 220), (300, 472), (636, 220)])
def test_each_oriented_box_has_its_color_and_the_best_is_on_top(middle: tuple[int, int]) -> None:
    colors = [(248, 4, 8), (8, 252, 16), (0, 100, 240)]
    boxes = [ship(rectangle(*middle, 60, 20, degrees)) for degrees in (30, 80, 140)]
    img = n6post.draw(noise(FRAME), boxes, color=colors, labels=False, thickness=1)
    wanted = noise(FRAME)
    for d, color in reversed(list(zip(boxes, colors))):
        points = [(math.floor(x + 0.5), math.floor(y + 0.5)) for x, y in d.corners.tolist()]
        for a, b in zip([points[-1], *points], points):
            wanted.draw_line((*a, *b), color=color, thickness=1)
    assert bytes(img.bytearray()) == bytes(wanted.bytearray())
    nothing = n6post.draw(noise(FRAME), boxes, color=colors, labels=False, thickness=0)
    assert bytes(nothing.bytearray()) == bytes(noise(FRAME).bytearray())


def test_draw_draws_ordinary_boxes_beside_oriented_ones() -> None:
    turned, box = ship(rectangle(300, 220, 60, 20, 30)), plain()

    def drawn(result: Any) -> Array:
        img = image.Image(*FRAME, image.RGB565)
        return np.frombuffer(n6post.draw(img, result, labels=False).bytearray(), np.uint16)

    assert np.array_equal(drawn([turned, box]), drawn([turned]) | drawn([box]))
    assert np.count_nonzero(drawn([turned])) > 200 and np.count_nonzero(drawn([box])) > 200


def test_draw_leaves_out_boxes_and_writes_labels() -> None:
    d = ship(rectangle(100, 120, 60, 20, 30))
    assert bytes(n6post.draw(noise(FRAME), [d], boxes=False, labels=False).bytearray()) == bytes(noise(FRAME).bytearray())
    with_label = n6post.draw(noise(FRAME), [d], boxes=False)
    assert bytes(with_label.bytearray()) != bytes(noise(FRAME).bytearray())
    again = n6post.draw(n6post.draw(noise(FRAME), [d], labels=False), [d], boxes=False)
    assert bytes(n6post.draw(noise(FRAME), [d]).bytearray()) == bytes(again.bytearray())


def test_a_picture_of_another_size_has_the_scaled_corners() -> None:
    d = ship(rectangle(100, 120, 60, 20, 30))
    (small,) = scaled([d], 320, 240)
    np.testing.assert_allclose(small.corners.tolist(), np.array(d.corners.tolist()) / 2, atol=1e-4)
    assert small.rotation == 30
    img = n6post.draw(noise((320, 240)), [d], labels=False, color=(9, 200, 9))
    expected = lines(np.array(d.corners.tolist()) / 2, (9, 200, 9), 2, (320, 240))
    assert bytes(img.bytearray()) == bytes(expected.bytearray())
