"""results/anomaly_map.py, results/anomaly_objects.py, drawing/heat_map.py: anomaly maps and grids of numbers, drawn."""

from __future__ import annotations

import copy
import pickle
import re
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor, noise
from test_heat_map import colored, rgb, values
from ulab import numpy as ulab_numpy

SIZE = 160, 120
PALETTE = [(87, 16, 110), (188, 55, 84), (249, 142, 9), (252, 255, 164)]


def mapped(scores: Any, threshold: float | None = None, source: Any = None, size: tuple[int, int] = SIZE) -> Any:
    """The AnomalyMap of a grid of scores."""
    anomaly = n6post.Anomaly(threshold=threshold)
    source = source or n6post.Stretch(image.Image(*size, image.GRAYSCALE))
    grid = np.asarray(scores, np.float32)
    return FakeModel([Tensor(grid[None, ..., None])], (grid.shape[1] * 8, grid.shape[0] * 8)).run(anomaly, source)


def scores(rows: int = 6, columns: int = 8, largest: float = 30.0) -> Array:
    return np.random.default_rng(3).uniform(0, largest, (rows, columns)).astype(np.float32)


def enlarged(grid: Array, size: tuple[int, int] = SIZE) -> Array:
    rows, columns = grid.shape
    return np.repeat(np.repeat(grid, size[1] // rows, axis=0), size[0] // columns, axis=1)


# --- drawing ---
@pytest.mark.parametrize(("palette", "alpha"), [(None, 128), ([(0, 0, 255), (255, 255, 0), (255, 0, 0)], 255)])
def test_colors_begin_at_two_thirds_of_the_threshold_and_end_at_its_double(palette: Any, alpha: int) -> None:
    grid = scores()
    result = mapped(grid, 10.0)
    img, before = noise(SIZE), noise(SIZE)
    assert result.draw(img, palette=palette, alpha=alpha, smooth=False) is img
    level = enlarged(np.clip((grid - 6.5) / (20.0 - 6.5), 0, 1) * 255)
    color, opacity = colored(level, palette or PALETTE, alpha)
    wanted = rgb(before) + (color - rgb(before)) * opacity[..., None] / 255
    assert np.abs(rgb(img) - wanted).max() < 20  # 5 bits of color, and 32 steps of alpha
    np.testing.assert_array_equal(rgb(img)[level == 0], rgb(before)[level == 0])


def test_map_without_a_threshold_is_drawn_up_to_its_largest_distance() -> None:
    grid = scores()
    img = noise(SIZE)
    mapped(grid).draw(img, smooth=False)
    level = enlarged(grid / grid.max() * 255)
    color, opacity = colored(level, PALETTE, 128)
    assert np.abs(rgb(img) - (rgb(noise(SIZE)) + (color - rgb(noise(SIZE))) * opacity[..., None] / 255)).max() < 20
    black = image.Image(*SIZE, image.RGB565)
    mapped(np.zeros((6, 8))).draw(black)
    assert not any(black.bytearray())


def test_smooth_map_lies_where_its_cells_lie() -> None:
    grid = np.zeros((3, 4), np.float32)
    grid[1, 1] = 20.0  # 40 x 40 pixels around (60, 60)
    img = image.Image(*SIZE, image.RGB565)
    mapped(grid, 10.0).draw(img, palette=[(255, 255, 255)] * 2, alpha=255)
    bright = rgb(img)[..., 1]
    assert bright[60, 60] >= 248
    assert not bright[60, 110:].any() and not bright[:20].any() and not bright[100:].any()
    assert (np.diff(bright[60, 30:60]) >= 0).all()


@pytest.mark.parametrize("smooth", [True, False])
def test_map_of_a_letterbox_or_a_part_is_drawn_over_that_part(smooth: bool) -> None:
    grid = np.zeros((8, 8), np.float32)
    grid[2, 0] = 20.0  # of a frame of 160 x 80 in a square: rows 2 to 5, each of 20 pixels
    img = image.Image(160, 80, image.RGB565)
    letterboxed = mapped(grid, 10.0, n6post.Letterbox(image.Image(160, 80, image.GRAYSCALE)))
    letterboxed.draw(img, palette=[(255, 255, 255)] * 2, alpha=255, smooth=smooth)
    bright = rgb(img)[..., 1]
    assert bright[8, 8] > 120 and not bright[40:].any() and not bright[:, 60:].any()
    grid = np.zeros((4, 4), np.float32)
    grid[3, 3] = 20.0
    img = image.Image(*SIZE, image.RGB565)
    part = mapped(grid, 10.0, n6post.Stretch(image.Image(*SIZE, image.GRAYSCALE), roi=(40, 20, 80, 80)))
    part.draw(img, palette=[(255, 255, 255)] * 2, alpha=255, smooth=smooth)
    bright = rgb(img)[..., 1]
    assert bright[90, 110] >= 200
    assert not bright[:, 121:].any() and not bright[101:].any() and not bright[:50].any() and not bright[:, :70].any()


def test_draw_draws_a_map_and_its_part_for_a_crop() -> None:
    result = mapped(scores(), 10.0)
    whole, same = noise(SIZE), noise(SIZE)
    n6post.draw(whole, result)
    result.draw(same)
    assert whole.bytearray() == same.bytearray() != noise(SIZE).bytearray()
    gray = noise(SIZE, image.GRAYSCALE)
    n6post.draw(gray, result)
    assert gray.bytearray() != noise(SIZE, image.GRAYSCALE).bytearray()
    double = image.Image(320, 240, image.RGB565)
    n6post.draw(double, result)
    crop = image.Image(160, 120, image.RGB565)
    n6post.draw(crop, result, roi=(80, 60, 80, 60))
    assert np.abs(rgb(crop) - rgb(double)[120:, 160:]).mean() < 4
    n6post.draw(same, result, alpha=0)
    assert whole.bytearray() == same.bytearray()


def test_draw_refuses_wrong_options() -> None:
    img = image.Image(*SIZE, image.RGB565)
    result = mapped(scores())
    for options, message in (
        ({"palette": [(1, 2, 3)]}, "palette: expected two or more colors"),
        ({"alpha": 256}, "alpha: expected an integer from 0 to 255, got 256"),
        ({"smooth": 1}, "smooth: expected True or False, got 1"),
    ):
        with pytest.raises(ValueError, match=message):
            result.draw(img, **options)
    for roi in ((0, 0, 200, 100), (1, 2, 3), "all"):
        with pytest.raises(ValueError, match=r"roi: expected \(x, y, w, h\), a part inside of the frame, 160 x 120, got"):
            n6post.draw(img, result, roi=roi)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="color_by: expected 'class' for an AnomalyMap, got 'track'"):
        n6post.draw(img, result, color_by="track")
    with pytest.raises(ValueError, match="img: expected a picture of the frame's size, 160 x 120, or of its aspect ratio"):
        n6post.draw(image.Image(160, 160, image.RGB565), result)


# --- grids of numbers ---
@pytest.mark.parametrize("dtype", [ulab_numpy.float, ulab_numpy.uint8, ulab_numpy.int16])
def test_grid_is_drawn_like_a_heat_map_with_its_numbers(dtype: Any) -> None:
    heat_map = n6post.HeatMap(8, 6, frame_size=SIZE)
    counts = np.random.default_rng(1).integers(0, 200, (6, 8))
    counts[2, 3] = 0
    for row in range(6):
        for column in range(8):
            box = n6post.Detection((column * 20 + 8, row * 20 + 8, 2, 2), 0.9, 0, "", None, None)
            heat_map.update([box] * int(counts[row, column]))
    np.testing.assert_array_equal(values(heat_map), counts)
    wanted, img = noise(SIZE), noise(SIZE)
    n6post.draw(wanted, heat_map)
    assert n6post.draw(img, ulab_numpy.array(counts.tolist(), dtype=dtype)) is img
    assert img.bytearray() == wanted.bytearray()
    shifted = noise(SIZE)
    n6post.draw(shifted, ulab_numpy.array((counts - 100.0).tolist()))
    assert shifted.bytearray() == wanted.bytearray()


def test_grid_with_numbers_that_are_none_is_drawn() -> None:
    """As if they were the smallest number, whether that is above or below 0."""
    nan, infinite = float("nan"), float("inf")
    for low, high in ((3.0, 5.0), (-5.0, -3.0)):
        img, wanted = noise(SIZE), noise(SIZE)
        n6post.draw(img, ulab_numpy.array([[low, nan, high], [infinite, (low + high) / 2, -infinite]]))
        n6post.draw(wanted, ulab_numpy.array([[low, low, high], [low, (low + high) / 2, low]]))
        assert img.bytearray() == wanted.bytearray() != noise(SIZE).bytearray()
    img = noise(SIZE)
    n6post.draw(img, ulab_numpy.array([[3.0, 3.0]]))
    n6post.draw(img, ulab_numpy.array([[nan, infinite]]))
    assert img.bytearray() == noise(SIZE).bytearray()


def test_what_is_no_grid_is_refused() -> None:
    img = image.Image(*SIZE, image.RGB565)
    with pytest.raises(ValueError, match=r"expected an array \(rows, columns\) of at most 20000 numbers, got \(3,\)"):
        n6post.draw(img, ulab_numpy.array([1.0, 2.0, 3.0]))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"got \(200, 200\)"):
        n6post.draw(img, ulab_numpy.zeros((200, 200)))
    with pytest.raises(ValueError, match="roi: expected None for a grid"):
        n6post.draw(img, ulab_numpy.zeros((2, 2)), roi=(0, 0, 80, 60))
    with pytest.raises(ValueError, match="color_by: expected 'class' for a grid"):
        n6post.draw(img, ulab_numpy.zeros((2, 2)), color_by="track")


# --- the object ---
def test_map_of_a_script_needs_an_array_of_its_transforms_size() -> None:
    result = mapped(scores())
    with pytest.raises(ValueError, match=re.escape("expected an array (6, 8), got (3, 4)")):
        n6post.AnomalyMap(result.values[::2, ::2], result._transform)
    same = n6post.AnomalyMap(result.values, result._transform, 10.0, "defect")
    assert same.as_dict() == mapped(scores(), 10.0).as_dict()


def test_maps_can_be_copied_and_pickled_on_a_pc() -> None:
    result = mapped(scores(), 10.0)
    for other in (copy.copy(result), copy.deepcopy(result), pickle.loads(pickle.dumps(result))):
        assert other.as_dict() == result.as_dict()
