"""lib/n6post/tensors/shapes.py: what the dimensions of outputs, maps and keypoints mean, by shape alone."""

from __future__ import annotations

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
    for width, height in ((25, 33), (33, 33), (33, 28)):
        assert not shapes.same_aspect_ratio(width, height, (257, 193))


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


# --- keypoints ---
def test_keypoint_coordinates_are_two_or_more_rows_of_three() -> None:
    assert shapes.are_keypoints((1, 1, 17, 3)) and shapes.are_keypoints((1, 1, 2, 3))
    others = [(1, 1, 1, 3), (1, 2, 17, 3), (2, 1, 17, 3), (1, 1, 17, 2), (1, 1, 17, 4), (1, 1, 1, 17, 3), (1, 17, 3), (1, 1)]
    for shape in others:
        assert not shapes.are_keypoints(shape)
