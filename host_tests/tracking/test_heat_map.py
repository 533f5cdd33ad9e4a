"""lib/n6post/tracking/heat_map.py and drawing/heat_map.py: counts and pixels, compared with plain numpy."""

from __future__ import annotations

import json
import re
from typing import Any

import _host
import image
import n6post
import numpy as np
import pytest
import test_memory
from assertions import gray, rgb565
from fakes import Array, noise
from hypothesis import given
from hypothesis import strategies as st

_host.install()  # time.ticks_ms

pytestmark = pytest.mark.both_firmwares

SIZE = 160, 120


def found(*rects: tuple[int, int, int, int], size: Any = SIZE) -> list[Any]:
    return [n6post.Detection(rect, 0.9, 0, "person", None, None).replace(frame_size=size) for rect in rects]


def values(heat_map: Any) -> Array:
    return np.array(heat_map.values().tolist())


RECTS = st.tuples(st.integers(-20, 150), st.integers(-20, 110), st.integers(1, 60), st.integers(1, 60))


ANCHORS = "bottom", "center", "top_left"


# --- counts ---
@given(st.integers(1, 40), st.integers(1, 40), st.lists(RECTS, max_size=12), st.sampled_from(ANCHORS))
def test_each_detection_counts_in_the_cell_of_its_anchor_point(columns: int, rows: int, rects: Any, anchor: str) -> None:
    heat_map = n6post.HeatMap(columns, rows, anchor=anchor)  # type: ignore[arg-type]
    detections = found(*rects)
    assert heat_map.update(detections) is detections
    wanted = np.zeros((rows, columns))
    for x, y, w, h in rects:
        px, py = {"bottom": (x + w / 2, y + h), "center": (x + w / 2, y + h / 2), "top_left": (x, y)}[anchor]
        if 0 <= px <= SIZE[0] and 0 <= py <= SIZE[1]:
            wanted[min(int(py * rows / SIZE[1]), rows - 1), min(int(px * columns / SIZE[0]), columns - 1)] += 1
    np.testing.assert_array_equal(values(heat_map), wanted)
    heat_map.update(detections)
    np.testing.assert_array_equal(values(heat_map), 2 * wanted)
    assert (heat_map.columns, heat_map.rows) == (columns, rows)


@given(st.integers(1, 40), st.integers(1, 40), st.lists(RECTS, max_size=12))
def test_whole_boxes_count_in_every_cell_that_they_touch(columns: int, rows: int, rects: Any) -> None:
    heat_map = n6post.HeatMap(columns, rows, anchor="box")
    heat_map.update(found(*rects))
    wanted = np.zeros((rows, columns))
    left, top = np.arange(columns) * SIZE[0] / columns, np.arange(rows) * SIZE[1] / rows
    for x, y, w, h in rects:
        across = (x < left + SIZE[0] / columns - 1e-9) & (x + w > left + 1e-9) & (left < SIZE[0])
        down = (y < top + SIZE[1] / rows - 1e-9) & (y + h > top + 1e-9)
        wanted += np.outer(down, across)
    np.testing.assert_array_equal(values(heat_map), wanted)


def test_a_detection_counts_half_after_each_half_life() -> None:
    heat_map = n6post.HeatMap(4, 3, half_life=10)
    one, other = found((0, 0, 10, 10)), found((150, 100, 10, 10))
    wanted = np.zeros((3, 4))
    for ms in (0, 2500, 10_000, 1, 400_000, 33, 33, 10_000_000, 5000):
        detections = one if ms % 2 == 0 else other
        heat_map.update(detections, elapsed_ms=ms)
        wanted *= 0.5 ** (ms / 10_000)
        wanted[(0, 0) if detections is one else (2, 3)] += 1
        np.testing.assert_allclose(values(heat_map), wanted, rtol=1e-5, atol=1e-30)
        assert heat_map.value_at(0, 0) == pytest.approx(wanted[0, 0], rel=1e-5, abs=1e-30)
    heat_map.half_life = 1
    np.testing.assert_allclose(values(heat_map), wanted, rtol=1e-5, atol=1e-30)
    heat_map.update([], elapsed_ms=1000)
    np.testing.assert_allclose(values(heat_map), wanted / 2, rtol=1e-5, atol=1e-30)
    heat_map.half_life = None
    heat_map.update(one, elapsed_ms=1000)
    assert heat_map.value_at(0, 0) == pytest.approx(wanted[0, 0] / 2 + 1)


@pytest.mark.parametrize("changes", [(None, 10), (10, 100), (10, None), (None, 10, None, 0.5, 100), (0.5, None, 10)])
def test_another_half_life_leaves_what_was_counted(changes: Any) -> None:
    heat_map = n6post.HeatMap(4, 3, half_life=changes[0])
    wanted = np.zeros((3, 4))
    for half_life in changes:
        heat_map.half_life = half_life
        np.testing.assert_allclose(values(heat_map), wanted, rtol=1e-5, atol=1e-30)
        for _ in range(100):
            heat_map.update(found((0, 0, 10, 10)), elapsed_ms=1000)
            wanted *= 0.5 ** (1 / half_life) if half_life else 1
            wanted[0, 0] += 1
        np.testing.assert_allclose(values(heat_map), wanted, rtol=1e-5, atol=1e-30)


def test_another_half_life_after_a_failed_update_changes_nothing() -> None:
    heat_map = n6post.HeatMap(4, 3, half_life=1, frame_size=SIZE)
    heat_map.update(found((0, 0, 10, 10)), elapsed_ms=1000)
    heat_map.frame_size = None
    with pytest.raises(ValueError, match="frame_size"):  # 30 half-lives: after all cells were divided
        heat_map.update([n6post.Detection((1, 2, 3, 4), 0.5, 0, "", None, None)], elapsed_ms=30_000)
    assert heat_map.value_at(0, 0) is None and values(heat_map)[0, 0] == pytest.approx(1)
    heat_map.half_life = 10
    assert values(heat_map)[0, 0] == pytest.approx(1)


def test_values_are_found_by_pixel_and_by_their_largest() -> None:
    heat_map = n6post.HeatMap(16, 12)
    assert heat_map.max_cell is None and heat_map.value_at(0, 0) is None
    for _ in range(3):
        heat_map.update(found((30, 20, 10, 15), (3, 3, 2, 2)))
    heat_map.update(found((3, 3, 2, 2)))
    assert heat_map.max_cell == (0, 0, 10, 10)
    assert heat_map.value_at(35, 35) == heat_map.value_at(39, 39) == 3 and heat_map.value_at(9, 9) == 4
    assert [heat_map.value_at(*place) for place in ((-1, 5), (160, 5), (5, 120), (40, 35))] == [None, None, None, 0]
    odd = n6post.HeatMap(7, 7)
    odd.update(found((159, 119, 1, 1)))
    x, y, w, h = odd.max_cell or (0, 0, 0, 0)
    assert (x + w, y + h) == SIZE and [odd.value_at(x, y), odd.value_at(x - 1, y), odd.value_at(x, y - 1)] == [1, 0, 0]
    with pytest.raises(ValueError, match="value_at: expected a frame pixel"):
        heat_map.value_at("a", 1)  # type: ignore[arg-type]
    heat_map.reset()
    assert heat_map.max_cell is None and values(heat_map).max() == 0


def test_points_on_the_frames_edges_count_in_the_outermost_cells() -> None:
    edges: Any = (("bottom_right", (100, 50, 60, 70)), ("right", (150, 110, 10, 2)), ("bottom", (155, 0, 10, 120)))
    for anchor, rect in edges:
        heat_map = n6post.HeatMap(7, 5, anchor=anchor)
        heat_map.update(found(rect))
        assert values(heat_map)[4, 6] == 1 and values(heat_map).sum() == 1
    heat_map = n6post.HeatMap(7, 5, anchor="top_left")
    heat_map.update(found((0, 0, 4, 4), (159, 0, 4, 4), (-1, 0, 4, 4), (0, -1, 4, 4)))
    assert values(heat_map)[0, [0, 6]].tolist() == [1, 1] and values(heat_map).sum() == 2
    assert heat_map.value_at(159, 0) == 1 and heat_map.value_at(160, 0) is heat_map.value_at(0, 120) is None


def test_detections_of_frames_of_two_sizes_share_a_map() -> None:
    heat_map = n6post.HeatMap(10, 10)
    heat_map.update(found((75, 50, 10, 10)))
    heat_map.update(found((150, 100, 20, 20), size=(320, 240)))
    assert values(heat_map)[5, 5] == 2


def test_coasting_detections_do_not_count() -> None:
    heat_map = n6post.HeatMap(4, 4)
    tracker = n6post.Tracker(coast=0.24)
    for _ in range(4):
        heat_map.update(tracker.update(found((40, 40, 30, 30)), elapsed_ms=80))
    counted = values(heat_map).sum()
    (coasting,) = tracker.update([], elapsed_ms=80)
    heat_map.update([coasting])
    assert counted == values(heat_map).sum() == 3


def test_json_has_the_values_row_by_row() -> None:
    heat_map = n6post.HeatMap(3, 2, half_life=1)
    heat_map.update(found((150, 0, 4, 4)), elapsed_ms=0)
    heat_map.update([], elapsed_ms=500)
    told = json.loads(n6post.to_json(heat_map))
    assert told == {"columns": 3, "rows": 2, "values": [[0, 0, 0.707], [0, 0, 0]]}


def test_wrong_arguments_say_what_was_expected() -> None:
    for arguments, options, said in (
        ((0, 5), {}, "columns: expected an integer from 1 to 255, got 0"),
        ((5, 256), {}, "rows: expected an integer from 1 to 255, got 256"),
        ((5, 2.0), {}, "rows: expected an integer from 1 to 255, got 2.0"),
        ((5, 5), {"anchor": "middle"}, "anchor: expected"),
        ((5, 5), {"half_life": 0}, "half_life: expected a number from 0.1"),
        ((5, 5), {"frame_size": (0, 5)}, "frame_size: expected"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            n6post.HeatMap(*arguments, **options)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="HeatMap: expected columns and rows, got 3 arguments"):
        n6post.HeatMap(5, 5, 5)  # type: ignore[misc]
    heat_map = n6post.HeatMap(5, 5)
    for wrong in (7, [1], "ab"):
        with pytest.raises(ValueError, match="detections: expected a list of Detection"):
            heat_map.update(wrong)  # type: ignore[type-var]
    with pytest.raises(ValueError, match="frame_size: expected the size of the frame"):
        heat_map.update([n6post.Detection((1, 2, 3, 4), 0.5, 0, "", None, None)])
    with pytest.raises(ValueError, match="elapsed_ms: expected milliseconds"):
        heat_map.update([], elapsed_ms="1")  # type: ignore[arg-type]


# --- drawing ---
def filled(columns: int = 16, rows: int = 12, size: Any = SIZE) -> Any:
    heat_map = n6post.HeatMap(columns, rows, anchor="center")
    dice = np.random.default_rng(4)
    for _ in range(40):
        x, y = (int(v) for v in dice.normal((size[0] * 0.6, size[1] * 0.4), min(size) * 0.12))
        heat_map.update(found((max(0, min(x, size[0] - 1)), max(0, min(y, size[1] - 1)), 1, 1), size=size))
    return heat_map


def colored(level: Array, palette: Any, alpha: int) -> tuple[Array, Array]:
    """The color (n, 3) and the alpha of levels 0..255."""
    steps = np.linspace(0, 255, len(palette))
    color = np.stack([np.interp(level, steps, [c[i] for c in palette]) for i in range(3)], -1)
    return color, alpha * np.minimum(level, 96) / 96


def rgb(img: Any) -> Array:
    words = rgb565(img).astype(int)
    return np.stack([words >> 11 << 3, (words >> 5 & 63) << 2, (words & 31) << 3], -1).astype(float)


PALETTE = [(87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164)]


@pytest.mark.parametrize("palette", [None, [(0, 0, 255), (255, 255, 0), (255, 0, 0)]])
@pytest.mark.parametrize("alpha", [255, 128])
def test_cells_are_tinted_by_their_share_of_the_largest(palette: Any, alpha: int) -> None:
    heat_map = filled()
    img, before = noise(SIZE), noise(SIZE)
    assert heat_map.draw(img, palette=palette, alpha=alpha, smooth=False) is img
    level = np.repeat(np.repeat(values(heat_map) / values(heat_map).max() * 255, 10, axis=0), 10, axis=1)
    color, opacity = colored(level, palette or PALETTE, alpha)
    wanted = rgb(before) + (color - rgb(before)) * opacity[..., None] / 255
    assert np.abs(rgb(img) - wanted).max() < 20  # 5 bits of color, and 32 steps of alpha
    np.testing.assert_array_equal(rgb565(img)[level == 0], rgb565(before)[level == 0])


def test_smooth_maps_are_interpolated_between_the_centers_of_cells() -> None:
    heat_map = n6post.HeatMap(4, 3, anchor="center")
    heat_map.update(found((59, 59, 2, 2)))  # the middle of cell 1, 1, which is 40 x 40 pixels
    img = image.Image(*SIZE, image.RGB565)
    heat_map.draw(img, palette=[(255, 255, 255)] * 2, alpha=255)
    bright = rgb(img)[..., 1]
    assert bright[60, 60] >= 248
    assert bright[60, 100] <= 40 and bright[60, 20] <= 40 and not bright[60, 110:].any()
    rising = bright[60, 20:60]
    assert (np.diff(rising) >= 0).all() and 5 <= len(np.unique(rising)) and rising[25] > 100
    for step in range(1, 40):
        assert abs(int(bright[60, 60 - step]) - int(bright[60 - step, 60])) <= 8, "the same across and down"


def test_maximum_sets_the_number_of_the_last_color() -> None:
    heat_map = n6post.HeatMap(4, 3)
    heat_map.update(found((50, 50, 4, 4)))
    for maximum, alpha in ((None, 255), (1, 255), (2, 255), (8, 255 * 32 // 96)):
        img = image.Image(*SIZE, image.GRAYSCALE)
        heat_map.draw(img, palette=[(255, 255, 255)] * 2, alpha=255, maximum=maximum, smooth=False)
        assert abs(int(gray(img)[50, 50]) - alpha) <= 8


def test_a_drawing_does_not_depend_on_the_one_before() -> None:
    """Tables, pictures and blocks are kept: each option is part of what they are kept for."""
    from n6post.drawing import heat_map as drawing

    maps = [filled(), n6post.HeatMap(20, 15, frame_size=SIZE)]
    maps[1].update(found((30, 20, 10, 15)))
    cases = [
        (one, (width, width * 3 // 4), {"alpha": alpha, "maximum": maximum, "smooth": smooth, "palette": palette})
        for one in maps for width in (160, 320) for smooth in (True, False) for maximum in (None, 1.5)
        for alpha in (64, 200) for palette in (None, [(0, 0, 0), (255, 255, 255)])
    ]  # fmt: skip

    def drawn(one: Any, size: Any, options: Any) -> bytes:
        return bytes(one.draw(image.Image(*size, image.RGB565), **options).bytearray())

    kept = [drawn(*case) for case in cases]
    for case, before in zip(cases, kept):
        drawing._kept.clear()
        assert drawn(*case) == before
        assert len(drawing._kept["pictures"][1][2].bytearray()) <= 20000
    assert len(set(kept)) > 40


def test_numbers_above_the_maximum_have_its_color() -> None:
    heat_map = n6post.HeatMap(16, 12, frame_size=SIZE)
    pictures = []
    for _ in range(6):
        heat_map.update(found((30, 20, 10, 15)))
        pictures.append(bytes(heat_map.draw(image.Image(*SIZE, image.RGB565), maximum=1.5, smooth=False).bytearray()))
    assert pictures[0] != pictures[1] and len(set(pictures[1:])) == 1


def test_a_map_without_new_detections_fades_from_the_picture() -> None:
    heat_map = n6post.HeatMap(4, 3, half_life=1)
    heat_map.update(found((50, 50, 4, 4)), elapsed_ms=0)
    shades = []
    for _ in range(12):
        img = image.Image(*SIZE, image.GRAYSCALE)
        shades.append(int(gray(heat_map.draw(img, palette=[(255, 255, 255)] * 2, alpha=255, smooth=False))[50, 50]))
        heat_map.update([], elapsed_ms=1000)
    assert shades == sorted(shades, reverse=True) and shades[:2] == [255, 255] and shades[3] < 100 and shades[-1] == 0


def test_a_heat_map_is_drawn_by_draw_and_on_gray_frames() -> None:
    heat_map = filled()
    for pixformat in (image.RGB565, image.GRAYSCALE):
        one, other = noise(SIZE, pixformat), noise(SIZE, pixformat)
        assert n6post.draw(one, heat_map) is one
        assert bytes(one.bytearray()) == bytes(heat_map.draw(other).bytearray()) != bytes(noise(SIZE, pixformat).bytearray())
    red = n6post.draw(image.Image(*SIZE, image.RGB565), heat_map, color=(255, 0, 0))
    assert rgb(red)[..., 0].max() > 100 and not rgb(red)[..., 1:].any()
    assert bytes(n6post.draw(noise(SIZE), heat_map, masks=False).bytearray()) == bytes(noise(SIZE).bytearray())


def test_a_picture_of_another_size_shows_the_same_map_scaled() -> None:
    heat_map = filled()
    small, large = image.Image(*SIZE, image.RGB565), image.Image(320, 240, image.RGB565)
    heat_map.draw(small, smooth=False)
    heat_map.draw(large, smooth=False)
    np.testing.assert_array_equal(np.repeat(np.repeat(rgb565(small), 2, 0), 2, 1), rgb565(large))
    with pytest.raises(ValueError, match="expected a picture of the frame's size"):
        heat_map.draw(image.Image(160, 160, image.RGB565))


def test_a_part_of_the_frame_shows_its_part_of_the_map() -> None:
    heat_map = filled()
    whole = n6post.draw(image.Image(*SIZE, image.RGB565), heat_map)
    for x, y in ((63, 21), (20, 21), (20, 60)):  # one after the other: the block that is kept is that of its part
        part = n6post.draw(image.Image(70, 50, image.RGB565), heat_map, roi=(x, y, 70, 50))
        np.testing.assert_array_equal(rgb565(whole)[y : y + 50, x : x + 70], rgb565(part))
    with pytest.raises(ValueError, match="roi: expected"):
        n6post.draw(image.Image(70, 50, image.RGB565), heat_map, roi=(100, 21, 70, 50))


def test_an_empty_map_draws_nothing_and_wrong_options_are_refused() -> None:
    heat_map = n6post.HeatMap(5, 5)
    img = noise(SIZE)
    for one in (heat_map, n6post.HeatMap(5, 5, frame_size=SIZE)):
        assert bytes(n6post.draw(img, one).bytearray()) == bytes(noise(SIZE).bytearray())
        assert bytes(one.draw(img, maximum=3).bytearray()) == bytes(noise(SIZE).bytearray())
    for options, said in (
        ({"alpha": 256}, "alpha: expected an integer from 0 to 255, got 256"),
        ({"maximum": 0}, "maximum: expected a number above 0 or None, got 0"),
        ({"maximum": float("nan")}, "maximum: expected"),
        ({"palette": [(0, 0, 0)]}, "palette: expected two or more colors"),
        ({"palette": 7}, "palette: expected two or more colors"),
        ({"smooth": 1}, "smooth: expected True or False, got 1"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            heat_map.draw(img, **options)
    for options, said in (({"labels": 1}, "labels: expected"), ({"color_by": "track"}, "color_by: expected 'class'")):
        with pytest.raises(ValueError, match=said):
            n6post.draw(img, heat_map, **options)


# --- out of memory ---
@pytest.mark.parametrize("anchor", ["bottom", "box"])
def test_an_interrupted_update_counts_each_detection_once_or_not_at_all(anchor: Any) -> None:
    rects = (10, 10, 5, 5), (60, 60, 30, 20), (120, 30, 9, 9)

    def before() -> Any:
        heat_map = n6post.HeatMap(8, 6, half_life=1, anchor=anchor)
        heat_map.update(found(*rects), elapsed_ms=0)
        return heat_map

    singles = []
    for rect in rects:
        one = n6post.HeatMap(8, 6, anchor=anchor)
        one.update(found(rect))
        singles.append(values(one))
    lines = 0
    met = True
    while met:
        lines += 1
        test_memory.forget()
        heat_map = before()
        # 21 half-lives: all cells are divided.
        met = test_memory.Fault(lines, kernels=False).hits(
            lambda heat_map=heat_map: heat_map.update(found(*rects), elapsed_ms=21_000)  # type: ignore[misc]
        )
        heat_map.update([], elapsed_ms=0 if not met else 21_000)
        got = values(heat_map)
        counted = [float((got * single).max()) for single in singles]
        assert all(abs(n) < 1e-5 or abs(n - 1) < 1e-5 for n in counted) and sorted(counted, reverse=True) == counted
        heat_map.update(found(*rects), elapsed_ms=60_000)
        np.testing.assert_allclose(values(heat_map), sum(singles), atol=1e-5)
    assert lines > 8


def test_a_heat_map_is_drawn_right_after_interrupted_drawing() -> None:
    def drawn(heat_map: Any) -> bytes:
        return bytes(heat_map.draw(noise(SIZE)).bytearray())

    test_memory.check(test_memory.Scene(filled, drawn, lambda heat_map: [drawn(heat_map), drawn(heat_map)]))
