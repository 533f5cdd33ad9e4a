"""lib/n6post/detection.py: the result's own shape, and OpenMV's."""

from typing import Any

import n6post
import pytest


def test_a_detection_is_a_tuple_with_names() -> None:
    d = n6post.Detection((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == ((1, 2, 3, 4), 0.5, 7, "truck", None, None)
    assert d == (d.rect, d.score, d.class_id, d.label, d.mask, d.keypoints)


def test_by_class_is_openmvs_list_of_lists() -> None:
    points = object()
    found = [
        n6post.Detection((1, 2, 3, 4), 0.9, 2, "car", None, None),
        n6post.Detection((5, 6, 7, 8), 0.8, 0, "person", None, points),
        n6post.Detection((9, 9, 9, 9), 0.7, 2, "car", None, None),
    ]
    assert n6post.by_class(found) == [
        [([5, 6, 7, 8], 0.8, points)],
        [],
        [([1, 2, 3, 4], 0.9), ([9, 9, 9, 9], 0.7)],
    ]
    assert n6post.by_class([]) == []


def test_by_class_can_be_drawn_the_way_openmv_does() -> None:
    """ml.utils.draw_predictions pairs each class's list with labels[i] and colors[i] and takes x, y, w, h from it."""
    found = [n6post.Detection((1, 2, 3, 4), 0.9, 1, "car", None, None)]
    drawn: list[Any] = []
    for _, rects, label in zip(range(80), n6post.by_class(found), ["person", "car"], strict=False):
        drawn += [(label, x, y, w, h, score) for (x, y, w, h), score in rects]
    assert drawn == [("car", 1, 2, 3, 4, pytest.approx(0.9))]
