"""lib/n6post/drawing/zones.py: zones and trails drawn over a frame."""

import re
from pathlib import Path
from typing import Any

import _host
import image
import n6post
import numpy as np
import pytest
from assertions import note_texts, pixels, text_width
from fakes import seen
from n6post.kernels.portable import poses as portable_poses
from n6post.pixels.colors import class_color
from n6post_pc.demo import recorded

_host.install()  # time.ticks_ms

pytestmark = pytest.mark.both_firmwares

FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])
LONGEST = portable_poses._LONGEST
SQUARE = [(100, 100), (300, 100), (300, 300), (100, 300)]


class Noted(image.Image):
    """An image that records lines with their color, as RGB565 stores it, and thickness, and texts with their background."""

    last: "Noted"

    def __init__(self, width: int = 400, height: int = 400, pixformat: int = image.RGB565) -> None:
        super().__init__(width, height, pixformat)
        self.lines: list[tuple[tuple[int, ...], tuple[int, ...], int]] = []
        self.texts: dict[str, tuple[int, int, int, int]] = {}
        self.grounds: list[tuple[int, int, int, int]] = []
        Noted.last = self


@pytest.fixture(autouse=True)
def _noted_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kernels draw into another Image over the same pixels, so every Image notes in the last Noted. Long lines: whole."""
    rectangle, line = image.Image.draw_rectangle, image.Image.draw_line
    Noted()
    monkeypatch.setattr(portable_poses, "_LONGEST", 1 << 20)

    def note_line(img: Any, ends: Any, **options: Any) -> Any:
        assert type(ends) is tuple and len(ends) == 4 and all(type(v) is int for v in ends)
        Noted.last.lines.append((ends, options["color"], options["thickness"]))
        return line(img, ends, **options)

    def note_rectangle(img: Any, rect: Any, **options: Any) -> Any:
        assert type(rect) is tuple and len(rect) == 4 and all(type(v) is int for v in rect)
        if img.height() != 1 or Noted.last.height() == 1:
            Noted.last.grounds.append(rect)
        return rectangle(img, rect, **options)

    def note_text(text: str, place: tuple[int, int], options: dict[str, Any]) -> None:
        gx, gy, gw, gh = Noted.last.grounds[-1]
        scale = options["scale"]
        assert place == (gx + scale, gy) and gw == (text_width(text) + 1) * scale and gh >= 10 * scale
        assert options["mono_space"] is False
        Noted.last.texts[text] = Noted.last.grounds[-1]

    monkeypatch.setattr(image.Image, "draw_rectangle", note_rectangle)
    monkeypatch.setattr(image.Image, "draw_line", note_line)
    note_texts(monkeypatch, note_text)


def stored(color: tuple[int, ...]) -> tuple[int, ...]:
    r, g, b = color
    return r & 0xF8, g & 0xFC, b & 0xF8


def segment(a: tuple[int, int], b: tuple[int, int], at: tuple[float, float]) -> float:
    """The distance of a point from a segment."""
    p, q, r = (np.array(v, float) for v in (a, b, at))
    t = np.clip(np.dot(r - p, q - p) / np.dot(q - p, q - p), 0, 1)
    return float(np.hypot(*(p + t * (q - p) - r)))


def cross(line: Any, came: int, went: int) -> None:
    """Make the line count these tracks, which cross it in its middle."""
    (x0, y0), (x1, y1) = line.start, line.end
    length = np.hypot(x1 - x0, y1 - y0)
    x, y, dx, dy = (x0 + x1) / 2, (y0 + y1) / 2, 40 * (y1 - y0) / length, 40 * (x0 - x1) / length  # to the left
    for side in (-1, 1):
        ways = [side] * came + [-side] * went
        line.trigger([seen(i, int(x + way * dx), int(y + way * dy)) for i, way in enumerate(ways)])
    assert (line.in_count, line.out_count) == (came, went)


LINES = [((20, 350), (380, 350)), ((380, 350), (20, 350)), ((200, 20), (200, 380)), ((60, 70), (330, 290))]


# --- lines -------------------------------------------------------------------------------------------------------------
@on_both_formats
@pytest.mark.parametrize(("start", "end"), LINES)
def test_a_line_has_an_arrow_to_its_left_and_each_count_on_its_own_side(
    pixformat: int, start: tuple[int, int], end: tuple[int, int]
) -> None:
    img = Noted(pixformat=pixformat)
    zone = n6post.LineZone(start, end)
    cross(zone, 12, 3)
    assert n6post.draw(img, zone) is img

    def left(x: float, y: float) -> bool:  # when looking from start to end; y points down
        return (end[0] - start[0]) * (y - start[1]) - (end[1] - start[1]) * (x - start[0]) < 0

    middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
    colored = [ends for ends, color, _ in img.lines if color == stored((255, 255, 255))]
    assert start + end in colored
    arrow = next(ends for ends in colored if ends[:2] == middle)
    assert left(*arrow[2:]) and 10 < np.hypot(arrow[2] - arrow[0], arrow[3] - arrow[1]) < 20
    wings = [ends for ends in colored if ends[:2] == arrow[2:]]
    assert len(wings) == 2 and all(segment(start, end, w[2:]) > 5 for w in wings)
    for text, side in (("in 12", True), ("out 3", False)):
        x, y, w, h = img.texts[text]
        assert all(left(*at) is side for at in ((x, y), (x + w, y), (x, y + h), (x + w, y + h)))


# An arrow of 16 pixels whose wings reach 5 pixels back and 5 to each side. All doubled on a picture as wide as VGA.
@pytest.mark.parametrize(
    ("ends", "tip", "wings"),
    [
        (((100, 200), (300, 200)), (200, 184), {(195, 189), (205, 189)}),
        (((300, 200), (100, 200)), (200, 216), {(195, 211), (205, 211)}),
        (((200, 100), (200, 300)), (216, 200), {(211, 195), (211, 205)}),
        (((200, 300), (200, 100)), (184, 200), {(189, 195), (189, 205)}),
        # The line runs along (3, 4) / 5, with (4, -3) / 5 to its left. 11 pixels to the left are (8.8, -6.6).
        (((50, 0), (350, 400)), (212, 191), {(205, 190), (211, 198)}),
    ],
)  # fmt: skip
def test_the_arrow_of_a_line_has_a_wing_on_either_side(ends: Any, tip: Any, wings: Any) -> None:
    for size, scale in ((400, 1), (640, 2)):
        img = Noted(size, size)
        n6post.LineZone(*[(x * scale, y * scale) for x, y in ends]).draw(img, color=(255, 0, 0), thickness=1, labels=False)
        line, arrow, one, other = [ends for ends, color, thick in img.lines if (color, thick) == (stored((255, 0, 0)), 1)]
        assert line == tuple([v * scale for point in ends for v in point])
        assert arrow[:2] == (200 * scale, 200 * scale)
        assert one[:2] == other[:2] == arrow[2:]
        far = [(x - 200, y - 200) for x, y in (tip, *sorted(wings))]
        detections = [(x - 200 * scale, y - 200 * scale) for x, y in (arrow[2:], *sorted((one[2:], other[2:])))]
        assert np.allclose(detections, scale * np.array(far), atol=scale - 1)


@on_both_formats
def test_counts_are_written_on_a_black_background(pixformat: int) -> None:
    line, polygon = n6post.LineZone((200, 40), (200, 360)), n6post.PolygonZone(SQUARE)
    for zone, texts in ((line, {"in 0", "out 0"}), (polygon, {"0"})):
        img = Noted(pixformat=pixformat)
        img.draw_rectangle((0, 0, 400, 400), color=(200, 40, 40), fill=True)
        before = pixels(img).copy()
        zone.draw(img, color=(0, 255, 0), thickness=0)
        assert set(img.texts) == texts
        for x, y, w, h in img.texts.values():
            ground = pixels(img)[y : y + h, x : x + w]
            ink = ground != 0
            assert 0.05 < ink.mean() < 0.5 and len(np.unique(ground[ink])) == 1 and before[0, 0] not in ground
            before[y : y + h, x : x + w] = ground
        assert np.array_equal(pixels(img), before)


@on_both_formats
def test_lines_have_black_edges_to_be_visible_on_any_picture(pixformat: int) -> None:
    img = Noted(pixformat=pixformat)
    img.draw_rectangle((0, 0, 400, 400), color=(255, 255, 255), fill=True)
    n6post.LineZone((20, 200), (380, 200)).draw(img, labels=False, thickness=4)
    column = pixels(img)[:, 40]
    assert column[200] == pixels(img)[0, 0]
    black = np.flatnonzero(column == 0)
    assert len(black) >= 2 and 194 <= black[0] < 200 < black[-1] <= 206


@pytest.mark.parametrize("ends", [
    ((0, 0), (159, 0)), ((159, 0), (0, 0)), ((159, 119), (0, 119)), ((0, 0), (0, 119)), ((159, 0), (159, 119)),
    ((0, 119), (0, 0)), ((150, 0), (159, 9)), ((0, 0), (1, 1)),
])  # fmt: skip
def test_counts_at_the_frames_edge_stay_inside_and_do_not_overlap(ends: Any) -> None:
    img = Noted(160, 120)
    n6post.LineZone(*ends).draw(img)
    (x, y, w, h), (left, top, across, down) = img.texts["in 0"], img.texts["out 0"]
    assert all(0 <= a and a + c <= 160 and 0 <= b and b + d <= 120 for a, b, c, d in img.texts.values())
    assert x >= left + across or left >= x + w or y >= top + down or top >= y + h


# "in 0" has a background of 16 by 10 pixels, "out 0" one of 22 by 10. It is four pixels away from the tip of the arrow or
# from the line. All is doubled on a picture as wide as VGA.
@pytest.mark.parametrize(
    ("ends", "places", "large"),
    [
        # To the right: 200 - 16 - 4 - 10 = 170 and 200 + 4, centered on the line.
        (((100, 200), (300, 200)), ((192, 170), (189, 204)), ((384, 340), (378, 408))),
        (((300, 200), (100, 200)), ((192, 220), (189, 186)), ((384, 440), (378, 372))),
        # Down: 200 + 16 + 4 = 220 and 200 - 4 - 22 = 174.
        (((200, 100), (200, 300)), ((220, 195), (174, 195)), ((440, 390), (348, 390))),
        (((200, 300), (200, 100)), ((164, 195), (204, 195)), ((328, 390), (408, 390))),
        # Along (3, 4) / 5: 0.8 * 8 + 0.6 * 5 + 20 = 29.4 to the left and 0.8 * 11 + 0.6 * 5 + 4 = 15.8 to the right.
        # The large ones: 0.8 * 16 + 0.6 * 10 + 40 = 58.8 and 0.8 * 22 + 0.6 * 10 + 8 = 31.6.
        (((50, 0), (350, 400)), ((215, 178), (177, 204)), ((431, 355), (353, 408))),
    ],
)
def test_counts_are_four_pixels_away_from_the_line_and_the_arrow(ends: Any, places: Any, large: Any) -> None:
    for scale, wanted in ((1, places), (2, large)):
        img = Noted(400 * scale, 400 * scale)
        n6post.LineZone(*[(x * scale, y * scale) for x, y in ends]).draw(img)
        sizes = (16 * scale, 10 * scale), (22 * scale, 10 * scale)
        assert (img.texts["in 0"], img.texts["out 0"]) == (wanted[0] + sizes[0], wanted[1] + sizes[1])


@pytest.mark.parametrize(
    ("ends", "size", "places"),
    [
        # Moved into the picture, "in" would overlap "out", which is moved behind it along the line, ...
        (((0, 0), (159, 0)), (160, 120), ((71, 0), (71 + 16 + 1, 4))),
        (((0, 0), (0, 119)), (160, 120), ((20, 54), (0, 54 + 10 + 1))),
        # ... or before it if there is no space behind it, ...
        (((150, 0), (159, 0)), (160, 120), ((144, 0), (144 - 22 - 1, 4))),
        (((0, 110), (0, 119)), (160, 120), ((20, 109), (0, 109 - 10 - 1))),
        (((150, 0), (158, 8)), (160, 15), ((144, 0), (144 - 22 - 1, 5))),  # a diagonal line: moved sideways
        # ... or below or above it if there is none on either side, ...
        (((10, 0), (40, 0)), (50, 40), ((17, 0), (14, 10))),
        (((0, 10), (0, 20)), (60, 20), ((20, 10), (0, 0))),
        # ... or nowhere: then it is drawn on top.
        (((10, 0), (40, 0)), (50, 14), ((17, 0), (14, 4))),
        # Texts that only touch are not moved.
        (((0, 6), (159, 6)), (160, 120), ((71, 0), (68, 10))),
        (((159, 114), (0, 114)), (160, 120), ((71, 110), (68, 100))),
        (((148, 0), (148, 119)), (160, 120), ((144, 54), (122, 54))),
        (((12, 119), (12, 0)), (160, 120), ((0, 54), (16, 54))),
    ],
)
def test_a_count_that_would_overlap_moves_along_the_line(ends: Any, size: Any, places: Any) -> None:
    img = Noted(*size)
    n6post.LineZone(*ends).draw(img)
    assert (img.texts["in 0"], img.texts["out 0"]) == (places[0] + (16, 10), places[1] + (22, 10))


@pytest.mark.parametrize("thickness", [1, 2, 5])
def test_edges_are_two_pixels_wide_on_both_sides_and_below_the_lines(thickness: int) -> None:
    for zone in (n6post.LineZone((20, 200), (380, 200)), n6post.PolygonZone(SQUARE)):
        img = Noted()
        zone.draw(img, color=(0, 255, 0), thickness=thickness)
        half = len(img.lines) // 2
        styles = ((0, 0, 0), thickness + 4), (stored((0, 255, 0)), thickness)
        assert [line[1:] for line in img.lines] == half * [styles[0]] + half * [styles[1]]
        assert [line[0] for line in img.lines[:half]] == [line[0] for line in img.lines[half:]]


@on_both_formats
@pytest.mark.parametrize("shift", [0, 150])
def test_a_long_diagonal_has_black_edges_along_its_whole_length(pixformat: int, shift: int, monkeypatch: Any) -> None:
    """By the firmware's draw_line alone, a white line of 45 degrees and 500 pixels is wider and has no edge on one side."""
    monkeypatch.setattr(portable_poses, "_LONGEST", LONGEST)
    img = image.Image(400, 400, pixformat)
    img.draw_rectangle((0, 0, 400, 400), color=(120, 120, 120), fill=True)
    ground = pixels(img)[0, 0]
    n6post.LineZone((10, 390 + shift), (390, 10 + shift), frame_size=(400, 400)).draw(img, labels=False)
    found = pixels(img).astype(int)
    luma = found if pixformat == image.GRAYSCALE else (found >> 5 & 63) * 4
    whole = []
    for x in [*range(40, 150), *range(250, 340)]:  # not where the arrow is
        y = 400 + shift - x
        if y + 8 < 400:
            column = luma[y - 8 : y + 9, x]
            assert column[8] > 200 and (column > 200).sum() <= 3 and found[y - 8, x] == ground == found[y + 8, x]
            whole.append(column[:8].min() < 40 and column[9:].min() < 40)
    assert np.mean(whole) > 0.97  # where two pieces meet, a pixel of the edge may be missing


# --- polygons ----------------------------------------------------------------------------------------------------------
@on_both_formats
def test_a_polygon_is_drawn_along_all_its_edges_with_its_count(pixformat: int) -> None:
    img = Noted(pixformat=pixformat)
    zone = n6post.PolygonZone(SQUARE)
    zone.trigger([seen(1, 200, 200), seen(2, 210, 210), seen(3, 10, 50)], elapsed_ms=100)
    n6post.draw(img, zone, color=(0, 255, 0), thickness=3)
    edges = {frozenset((ends[:2], ends[2:])) for ends, color, thick in img.lines if (color, thick) == ((0, 252, 0), 3)}
    assert edges == {frozenset(pair) for pair in zip(SQUARE, SQUARE[1:] + SQUARE[:1], strict=True)}
    x, y, w, h = img.texts["2"]
    assert abs(x + w / 2 - 200) <= 1 and abs(y + h / 2 - 200) <= 1


@pytest.mark.parametrize("turned", [False, True])
def test_the_count_is_inside_a_polygon_whose_center_is_outside(turned: bool) -> None:
    points = [(20, 20), (380, 20), (380, 60), (60, 60), (60, 380), (20, 380)]  # an L shape
    if turned:
        points = [(20, 20), (380, 20), (380, 380), (340, 380), (340, 60), (60, 60), (60, 380), (20, 380)]  # a bridge
    zone = n6post.PolygonZone(points)
    mean = [sum(v) // len(points) for v in zip(*points, strict=True)]
    assert not zone.contains(*mean)
    img = Noted()
    zone.draw(img)
    x, y, w, h = img.texts["0"]
    assert zone.contains(x + w // 2, y + h // 2)


@pytest.mark.parametrize(
    ("points", "at"),
    [
        (SQUARE, (200, 200)),
        ([(20, 20), (380, 20), (380, 60), (60, 60), (60, 380), (20, 380)], (40, 153)),  # height: 920 / 6
        ([(20, 20), (380, 20), (380, 380), (340, 380), (340, 60), (60, 60), (60, 380), (20, 380)], (40, 210)),  # left
        ([(20, 20), (380, 20), (380, 380), (300, 380), (300, 60), (60, 60), (60, 380), (20, 380)], (340, 210)),  # wider
        ([(20, 20), (100, 20), (100, 200), (380, 200), (380, 380), (20, 380)], (200, 200)),  # where its lower part starts
        ([(100, 100), (300, 100), (300, 400)], (233, 200)),  # from 100 + 200 / 3 to 300
        ([(100, 100), (300, 100), (100, 400)], (166, 200)),  # from 100 to 300 - 200 / 3
    ],
)
def test_the_count_is_in_the_middle_of_the_longest_row(points: Any, at: tuple[int, int]) -> None:
    img = Noted()
    n6post.PolygonZone(points).draw(img)
    assert img.texts["0"] == (at[0] - 3, at[1] - 5, 6, 10)


def test_the_count_of_a_flattened_polygon_is_at_its_center() -> None:
    img = Noted(200, 10)
    n6post.PolygonZone([(800, 10), (1600, 10), (2000, 19), (400, 19)], frame_size=(4000, 200)).draw(img)
    assert img.texts["0"] == (60 - 3, 0, 6, 10)


# --- trails ------------------------------------------------------------------------------------------------------------
@on_both_formats
def test_a_trail_is_a_line_through_the_positions_of_its_track(pixformat: int) -> None:
    img = Noted(pixformat=pixformat)
    trail = n6post.Trail(5)
    ways = {1: [(10 + 20 * k, 100 + 7 * k) for k in range(9)], 2: [(300, 350 - 30 * k) for k in range(9)]}
    for k in range(9):
        trail.update([seen(n, *way[k]) for n, way in ways.items()])
    n6post.draw(img, trail, color_by="track", thickness=1)
    wanted = [
        (a + b, stored(class_color(n)), 1) for n, way in ways.items() for a, b in zip(way[4:], way[5:], strict=False)
    ]  # the last five positions
    assert img.lines == wanted


def test_small_steps_are_merged_and_the_line_ends_at_the_track() -> None:
    trail = n6post.Trail(60)
    for k in range(50):
        trail.update([seen(1, 100 + k, 200)])
    img = Noted()
    trail.draw(img)
    assert len(img.lines) < 20
    assert img.lines[0][0][:2] == (100, 200) and img.lines[-1][0][2:] == (149, 200)
    assert all(one[0][2:] == other[0][:2] for one, other in zip(img.lines, img.lines[1:], strict=False))


@pytest.mark.parametrize("step", [(4, 0), (0, 4), (2, 2), (-1, 3), (3, -1), (-2, -2), (3, 0), (0, -3), (-1, -2), (1, 2)])
def test_each_line_of_a_trail_is_at_least_four_pixels_long(step: tuple[int, int]) -> None:
    """Eight pixels on a picture as wide as VGA."""
    for width, scale in ((400, 1), (640, 2)):
        places = [(200 + scale * step[0] * k, 200 + scale * step[1] * k) for k in range(9)]
        trail = n6post.Trail(9)
        for place in places:
            trail.update([seen(1, *place)])
        img = Noted(width, 400)
        trail.draw(img)
        kept = places if abs(step[0]) + abs(step[1]) == 4 else places[::2]
        assert [line[0] for line in img.lines] == [a + b for a, b in zip(kept, kept[1:], strict=False)]


@pytest.mark.parametrize("size", [(90, 200), (200, 90)])
def test_positions_outside_the_frame_are_drawn_at_its_edge(size: tuple[int, int]) -> None:
    width, height = size
    trail = n6post.Trail(4)
    places = [(width - 20, height - 20), (width - 1, height - 9), (width, height), (width + 30, height + 50)]
    for place in places:
        trail.update([seen(1, *place)])
    img = Noted(width, height)
    trail.draw(img)
    last = (width - 1, height - 1)
    assert [line[0] for line in img.lines] == [places[0] + places[1], places[1] + last, last + last]


def test_trails_are_drawn_in_the_order_of_their_track_ids() -> None:
    trail = n6post.Trail(5)
    for k in range(2):
        trail.update([seen(n, 50 * n + 9 * k, 99) for n in (3, 1, 2)])
    img = Noted()
    trail.draw(img, color_by="track")
    assert [(line[0][0], line[1]) for line in img.lines] == [(50 * n, stored(class_color(n))) for n in (1, 2, 3)]


def test_trails_are_colored_by_class_track_or_instance_like_boxes() -> None:
    trail = n6post.Trail(5)
    for x in (50, 90):
        detections = trail.update([seen(7, x, 100, class_id=3), seen(4, x, 200, class_id=5)])
    for color_by, numbers in (("class", (3, 5)), ("track", (7, 4)), ("instance", (0, 1))):
        img = Noted()
        n6post.draw(img, trail, color_by=color_by)
        at = {ends[1]: color for ends, color, _ in img.lines}
        assert at == {100: stored(class_color(numbers[0])), 200: stored(class_color(numbers[1]))}
        boxes = image.Image(400, 400, image.RGB565)
        n6post.draw(boxes, detections, color_by=color_by, labels=False)
        for d, number in zip(detections, numbers, strict=True):
            r, g, b = class_color(number)
            assert pixels(boxes)[d.rect[1], d.rect[0]] == (r >> 3) << 11 | (g >> 2) << 5 | b >> 3
    img = Noted()
    n6post.draw(img, trail, color=(9, 8, 7))
    assert {color for _, color, _ in img.lines} == {stored((9, 8, 7))}


def test_a_trail_at_the_frames_edge_is_in_the_last_row_and_column() -> None:
    trail = n6post.Trail(5)
    for x in (300, 400):
        trail.update([seen(1, x, 400)])
    img = Noted()
    trail.draw(img, color=(255, 255, 255), thickness=1)
    assert img.lines[0][0] == (300, 399, 399, 399)
    assert pixels(img)[399, 350]


@pytest.mark.parametrize("count", [0, 1])
def test_a_trail_of_one_position_or_none_leaves_the_picture_unchanged(count: int) -> None:
    trail = n6post.Trail()
    trail.update([seen(1, 50, 50)] * count)
    img = Noted()
    assert n6post.draw(img, trail) is img
    assert not pixels(img).any()


# --- pictures of another size, and options -----------------------------------------------------------------------------
def overlays(size: tuple[int, int] | None, learnt: tuple[int, int] | None = None) -> dict[str, Any]:
    """A line, a polygon and a trail of a frame of 200 x 100."""
    line = n6post.LineZone((20, 50), (180, 50), frame_size=size)
    polygon = n6post.PolygonZone([(20, 10), (180, 20), (150, 90), (30, 80)], frame_size=size)
    trail = n6post.Trail(frame_size=size)
    for x in (30, 90, 150):
        detections = [seen(1, x, 60, frame_size=learnt)]
        line.trigger(detections)
        polygon.trigger(detections, elapsed_ms=100)
        trail.update(detections)
    return {"line": line, "polygon": polygon, "trail": trail}


@pytest.mark.parametrize("name", ["line", "polygon", "trail"])
def test_zones_scale_to_a_picture_of_another_size(name: str) -> None:
    pictures = []
    for made in (overlays((200, 100)), overlays(None, (200, 100))):
        img = Noted(600, 300)
        made[name].draw(img)
        pictures.append(img.lines)
    assert pictures[0] == pictures[1]
    same = Noted(200, 100)
    overlays(None)[name].draw(same)
    at = {
        "line": same.lines[0][0], "polygon": same.lines[1][0], "trail": same.lines[0][0]
    }[name]  # fmt: skip
    scaled = pictures[0][1 if name == "polygon" else 0][0]
    # The center of a pixel becomes the center of its block of 3 x 3.
    assert scaled == tuple([3 * v + 1 for v in at])
    unknown = Noted(400, 300)
    overlays(None)[name].draw(unknown)
    assert unknown.lines[0][0] == same.lines[0][0]


def test_a_zone_is_drawn_even_on_a_picture_of_a_few_pixels() -> None:
    for name, zone in overlays((200, 100)).items():
        for size in ((1, 1), (3, 2), (8, 4)):
            img = Noted(*size)
            zone.draw(img)
            assert img.lines and (img.texts or name == "trail")


@pytest.mark.parametrize("name", ["line", "polygon", "trail"])
def test_n6post_draw_equals_draw_of_the_zone_or_trail(name: str) -> None:
    style = {"color": (9, 99, 200)}, {"thickness": 5}, {"thickness": 0}, {"text_scale": 3}
    for options in ({}, *style, {"roi": (20, 9, 90, 70)}):
        zone = overlays(None)[name]
        wanted = Noted(200, 100)
        zone.draw(wanted, **options)
        img = Noted(200, 100)
        n6post.draw(img, zone, **options)
        assert (img.lines, img.texts) == (wanted.lines, wanted.texts)
        assert bool(img.lines) is (options.get("thickness") != 0)
    if name != "trail":
        img = Noted(200, 100)
        n6post.draw(img, zone, labels=False)
        assert img.lines and not img.texts


@pytest.mark.parametrize("name", ["line", "polygon", "trail"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"color": (1, 2)}, r"color: expected \(r, g, b\), got \(1, 2\)"),
        ({"thickness": -1}, "thickness: expected an integer from 0 to 100, got -1"),
        ({"thickness": 2.0}, "thickness: expected an integer from 0 to 100, got 2.0"),
        ({"labels": "yes"}, "labels: expected True or False, got 'yes'"),
        ({"color_by": "id"}, "color_by: expected 'class', 'track' or 'instance', got 'id'"),
    ],
)
def test_wrong_options_of_draw_are_refused_before_drawing(name: str, options: Any, message: str) -> None:
    zone = overlays(None)[name]
    draws = [lambda img: n6post.draw(img, zone, **options)]
    if "color_by" not in options if name != "trail" else "labels" not in options:
        draws.append(lambda img: zone.draw(img, **options))
    elif name == "trail":
        return  # a trail does not have this option
    for draw in draws:
        img = Noted(200, 100)
        with pytest.raises(ValueError, match=message):
            draw(img)
        assert not pixels(img).any()


@pytest.mark.parametrize("name", ["line", "polygon", "trail"])
def test_draw_of_a_zone_has_the_options_of_n6post_draw_only(name: str) -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        overlays(None)[name].draw(Noted(200, 100), colour=(9, 99, 200))


@pytest.mark.parametrize("word", ["track", "instance"])
def test_zones_have_no_colors_by_track(word: Any) -> None:
    with pytest.raises(ValueError, match=f"^color_by: expected 'class' for a zone, got '{word}'$"):
        n6post.draw(Noted(), n6post.PolygonZone(SQUARE), color_by=word)


@pytest.mark.parametrize("name", ["line", "polygon", "trail"])
def test_another_pixel_format_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="expected an RGB565 or GRAYSCALE image to draw on"):
        n6post.draw(image.Image(200, 100, image.BINARY), overlays(None)[name])


@pytest.mark.parametrize("size", [(0, 9), (9,), "vga", 5, (9.5, 9), (40000, 9)])
@pytest.mark.parametrize("make", [
    lambda size: n6post.LineZone((0, 0), (9, 9), frame_size=size),
    lambda size: n6post.PolygonZone(SQUARE, frame_size=size),
    lambda size: n6post.Trail(frame_size=size),
])  # fmt: skip
def test_a_wrong_frame_size_is_refused(make: Any, size: Any) -> None:
    pair = isinstance(size, tuple) and len(size) == 2
    expected = "an integer from 1 to 32767" if pair else r"\(width, height\) or None"
    with pytest.raises(ValueError, match=f"^frame_size: expected {expected}, got "):
        make(size)


# --- docs/tracking.md --------------------------------------------------------------------------------------------------
class EnoughError(Exception):
    """Ends the endless loop of a script."""


def test_the_script_in_the_docs_draws_zones_trails_and_tracks(capsys: pytest.CaptureFixture[str]) -> None:
    text = (Path(__file__).parents[2] / "docs" / "tracking.md").read_text(encoding="utf-8")
    (script,) = [code for code in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE) if "Trail" in code]
    frames = iter(recorded.street()[:60])
    pictures: list[Any] = []

    class Camera:
        def snapshot(self) -> Any:
            pictures.append(image.Image(480, 360, image.RGB565))
            return pictures[-1]

    class Model:
        def predict(self, inputs: Any) -> Any:
            try:
                return next(frames)
            except StopIteration:
                raise EnoughError from None

    names: dict[str, Any] = {"n6post": n6post, "cam": Camera(), "model": Model()}
    with pytest.raises(EnoughError):
        exec(script, names)
    assert "has been inside for" in capsys.readouterr().out
    colors = set(np.unique(pixels(pictures[-2])).tolist())
    for d in names["detections"]:
        r, g, b = class_color(d.track_id)
        assert (r >> 3) << 11 | (g >> 2) << 5 | b >> 3 in colors
    assert len(names["detections"]) > 3 and all(len(names["trail"].positions(d.track_id)) > 1 for d in names["detections"])


@pytest.mark.parametrize("make", [lambda: n6post.LineZone((10, 110), (150, 110)), lambda: n6post.PolygonZone(SQUARE)])
def test_a_zone_on_a_smaller_picture_keeps_its_texts_inside(make: Any) -> None:
    zone = make()  # without a frame_size: its points are pixels of any picture
    for width, height in ((400, 400), (120, 115), (400, 400)):
        img = Noted(width, height)
        zone.draw(img)
        assert img.texts
        for x, y, w, h in img.texts.values():
            assert 0 <= x and x + w <= width and 0 <= y and y + h <= height
