"""lib/n6post/tensors/shapes.py: what the dimensions of outputs, maps and keypoints mean, by shape alone."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import pytest
from assertions import says
from fakes import FakeModel
from n6post.tensors import shapes


# --- models ---
def test_output_shapes_are_tuples() -> None:
    for stored in (((1, 84, 2100), (1, 80, 80, 32)), [[1, 84, 2100], [1, 80, 80, 32]]):
        assert shapes.output_shapes(SimpleNamespace(output_shape=stored)) == [(1, 84, 2100), (1, 80, 80, 32)]


@pytest.mark.parametrize("model", [
    None, 5, "model.tflite", FakeModel, SimpleNamespace(output_shape=7), SimpleNamespace(output_shape=(1, 84, 2100)),
    SimpleNamespace(output_shape=["1, 84, 2100"]),
])  # fmt: skip
def test_object_without_output_shapes_is_not_a_model(model: Any) -> None:
    with pytest.raises(ValueError, match=says(f"model: expected an ml.Model, got {type(model).__name__}")):
        shapes.output_shapes(model)


# --- maps ---
def test_map_has_the_aspect_ratio_of_the_input_within_one_pixel() -> None:
    for width, height in ((33, 25), (32, 24), (257, 193), (128, 96)):
        assert shapes.same_aspect_ratio(width, height, (257, 193))
        assert tuple(shapes.map_layout((1, height, width, 4), (257, 193))) == (width, height, 4, True)
        assert tuple(shapes.map_layout((1, 4, height, width), (257, 193))) == (width, height, 4, False)
    for width, height in ((25, 33), (33, 33), (33, 28)):
        assert not shapes.same_aspect_ratio(width, height, (257, 193))
        with pytest.raises(ValueError, match=r"1 to 255 channels and the aspect ratio .*\(257, 193\), got"):
            shapes.map_layout((1, height, width, 4), (257, 193))


def test_longer_side_of_a_map_may_differ_by_two_pixels_at_ratio_2() -> None:
    """One pixel of the shorter side is two of the longer: 8 x 4 is 64 x 32, and so is 10 x 5."""
    for width, height in ((6, 4), (8, 4), (10, 4), (8, 3), (8, 5)):
        assert shapes.same_aspect_ratio(width, height, (64, 32)) and shapes.same_aspect_ratio(height, width, (32, 64))
    for width, height in ((5, 4), (11, 4), (8, 2), (8, 6)):
        assert not shapes.same_aspect_ratio(width, height, (64, 32))
        assert not shapes.same_aspect_ratio(height, width, (32, 64))


def test_map_of_a_square_input_may_differ_by_one_pixel_but_not_two() -> None:
    for width, height in ((10, 10), (11, 10), (10, 11)):
        assert shapes.same_aspect_ratio(width, height, (320, 320))
    assert not shapes.same_aspect_ratio(12, 10, (320, 320)) and not shapes.same_aspect_ratio(10, 12, (320, 320))


@pytest.mark.parametrize(
    ("shape", "size", "expected"),
    [
        ((1, 8, 8, 9), (64, 64), (8, 8, 9, True)),
        ((1, 9, 8, 8), (64, 64), (8, 8, 9, False)),
        ((1, 4, 9, 16), (64, 32), (9, 4, 16, True)),  # 9 x 4 is half a pixel off, 16 x 9 is a whole one
        ((1, 4, 7, 14), (64, 32), (14, 7, 4, False)),
        ((1, 4, 8, 17), (64, 32), (8, 4, 17, True)),
        ((1, 5, 9, 18), (64, 32), (18, 9, 5, False)),
        ((1, 16, 8, 5), (32, 64), (8, 16, 5, True)),
        ((1, 17, 8, 4), (32, 64), (4, 8, 17, False)),
        ((1, 3, 16, 8), (32, 64), (8, 16, 3, False)),
        ((1, 1, 1, 1), (64, 64), (1, 1, 1, True)),
        ((1, 10, 10, 255), (64, 64), (10, 10, 255, True)),
        ((1, 255, 10, 10), (64, 64), (10, 10, 255, False)),
    ],
)
def test_of_two_fitting_sides_the_closer_aspect_ratio_is_the_map(
    shape: tuple[int, ...], size: tuple[int, int], expected: tuple[int, int, int, bool]
) -> None:
    assert shapes.map_layout(shape, size) == expected


MAP = "a map [1, H, W, C] or [1, C, H, W]"


@pytest.mark.parametrize(
    ("shape", "options", "message"),
    [
        ((1, 8, 8), {}, f"expected {MAP}, got (1, 8, 8)"),
        ((2, 8, 8, 4), {}, f"expected {MAP}, got (2, 8, 8, 4)"),
        ((1, 8, 8, 0), {"expected": "heatmaps"}, "expected heatmaps, got (1, 8, 8, 0)"),
        ((1, 9, 30, 4), {},
         f"expected {MAP} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 9, 30, 4)"),
        ((1, 10, 10, 256), {},
         f"expected {MAP} of 1 to 255 channels and the aspect ratio of the input, (64, 64), got (1, 10, 10, 256)"),
        ((1, 256, 10, 10), {"noun": "keypoints"},
         f"expected {MAP} of 1 to 255 keypoints and the aspect ratio of the input, (64, 64), got (1, 256, 10, 10)"),
        ((1, 9, 30, 4), {"layout": "NHWC", "most": 3}, f"expected {MAP} of 1 to 3 channels, got (1, 9, 30, 4)"),
        ((1, 4, 30, 9), {"layout": "NCHW", "most": 3}, f"expected {MAP} of 1 to 3 channels, got (1, 4, 30, 9)"),
        ((1, 8, 8, 8), {}, "(1, 8, 8, 8) may be [1, H, W, C] or [1, C, H, W]: expected layout='NHWC' or 'NCHW'"),
    ],
)  # fmt: skip
def test_shape_that_is_not_a_map_is_refused_with_the_expected_shape(
    shape: tuple[int, ...], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        shapes.map_layout(shape, (64, 64), **options)


def test_given_layout_accepts_a_map_of_any_aspect_ratio() -> None:
    assert tuple(shapes.map_layout((1, 9, 30, 4), (64, 64), layout="NHWC")) == (30, 9, 4, True)
    assert tuple(shapes.map_layout((1, 9, 30, 4), (64, 64), layout="NCHW")) == (4, 30, 9, False)


# --- keypoints ---
def test_keypoint_coordinates_are_two_or_more_rows_of_three() -> None:
    assert shapes.are_keypoints((1, 1, 17, 3)) and shapes.are_keypoints((1, 1, 2, 3))
    others = [(1, 1, 1, 3), (1, 2, 17, 3), (2, 1, 17, 3), (1, 1, 17, 2), (1, 1, 17, 4), (1, 1, 1, 17, 3), (1, 17, 3), (1, 1)]
    for shape in others:
        assert not shapes.are_keypoints(shape)
