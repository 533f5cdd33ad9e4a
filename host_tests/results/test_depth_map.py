"""lib/n6post/results/depth_map.py: what part of a zone is near. What else it does: families/maps/test_depth.py."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Tensor
from hypothesis import given
from hypothesis import strategies as st
from test_depth import SIZE, measure, random_map, storages
from test_occupancy import polygon_pixels

BOX = st.tuples(st.integers(-5, 18), st.integers(-5, 14), st.integers(1, 20), st.integers(1, 16))


@pytest.mark.parametrize("storage", range(8))
@given(BOX, st.sampled_from([5.0, 8.95, 9.0, 0.0, 1e9]))
def test_the_fraction_of_a_box_is_that_of_its_near_pixels(storage: int, box: Any, nearer: float) -> None:
    depth = measure(storages(random_map())[storage])
    near = np.array([[depth.depth_at(x, y) < np.float32(nearer) for x in range(SIZE[0])] for y in range(SIZE[1])])
    x, y, w, h = box
    part = near[max(y, 0) : max(y + h, 0), max(x, 0) : max(x + w, 0)]
    wanted = part.mean() if part.size else None
    assert depth.fraction(box, nearer=nearer) == wanted
    assert depth.fraction(n6post.Detection(box, 0.5, 0, "", None, None), nearer=nearer) == wanted


@given(st.lists(st.tuples(st.integers(-5, 20), st.integers(-5, 16)), min_size=3, max_size=6), st.floats(1, 17))
def test_the_fraction_of_a_zone_is_that_of_the_pixels_inside(points: Any, nearer: float) -> None:
    depth = measure(random_map())
    try:
        zone = n6post.PolygonZone(points)
    except ValueError:
        return
    inside = polygon_pixels(zone, *SIZE)
    near = np.array([[depth.depth_at(x, y) < np.float32(nearer) for x in range(SIZE[0])] for y in range(SIZE[1])])
    wanted = near[inside].mean() if inside.any() else None
    assert depth.fraction(zone, nearer=nearer) == wanted


def test_a_large_map_is_counted_whole_and_scaled_to_its_frame() -> None:
    values = np.random.default_rng(1).integers(0, 256, (1, 120, 160, 1)).astype(np.uint8)
    tensor = Tensor(values, 0.07, 3)
    img = image.Image(320, 240, image.GRAYSCALE)
    depth = measure(tensor, (160, 120), n6post.Stretch(img))
    meters = np.array(depth.distances().tolist())
    assert depth.fraction((0, 0, 320, 240), nearer=5.0) == (meters < np.float32(5)).mean()
    zone = n6post.PolygonZone([(40, 20), (300, 20), (300, 200), (40, 200)])
    assert depth.fraction(zone, nearer=5.0) == (meters[10:100, 20:150] < np.float32(5)).mean()


def test_nothing_seen_is_none_and_other_things_are_refused() -> None:
    depth = measure(random_map())
    assert depth.fraction((100, 100, 5, 5), nearer=1.0) is None
    assert depth.fraction(n6post.PolygonZone([(90, 90), (99, 90), (99, 99)]), nearer=1.0) is None
    for wrong in (None, (1, 2, 3), "zone"):
        with pytest.raises(ValueError, match="box: expected"):
            depth.fraction(wrong, nearer=1.0)
    for nearer in (None, "1", float("nan"), float("inf")):
        with pytest.raises(ValueError, match="nearer: expected a number"):
            depth.fraction((0, 0, 5, 5), nearer=nearer)
