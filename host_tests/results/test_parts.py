"""lib/n6post/results/parts.py: the connected parts of a class, compared with scipy.ndimage.label."""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import ndimage  # type: ignore[import-untyped]
from test_segmentation import FRAME, INPUTS, ROIS, map_of, picture


def frame_classes(seen: Any, size: tuple[int, int] = FRAME) -> Any:
    """The class of each frame pixel; -1 where the network saw nothing."""
    classes = [[seen.class_at(x, y) for x in range(size[0])] for y in range(size[1])]
    return np.array([[-1 if one is None else one for one in row] for row in classes])


def inside(mask: Any, size: tuple[int, int]) -> Any:
    return np.array([[mask.contains(x, y) for x in range(size[0])] for y in range(size[1])])


@settings(max_examples=25)
@given(st.integers(1, 20), st.integers(1, 20), st.floats(0.1, 0.9), st.integers(0, 2**16))
def test_each_part_is_one_that_scipy_labels(width: int, height: int, share: float, seed: int) -> None:
    classes = (np.random.default_rng(seed).random((height, width)) < share).astype(np.uint8)
    seen = map_of(classes, size=(width, height))
    labels, count = ndimage.label(classes, np.ones((3, 3)))
    parts = seen.objects(1)
    assert len(parts) == count
    areas = []
    for part in parts:
        own = inside(part.mask, (width, height))
        (label,) = set(labels[own])
        assert (own == (labels == label)).all() and label
        rows, columns = ndimage.find_objects(labels)[label - 1]
        assert part.rect == (columns.start, rows.start, columns.stop - columns.start, rows.stop - rows.start)
        assert part.mask.area == own.sum()
        areas.append(part.mask.area)
    assert areas == sorted(areas, reverse=True)
    assert [part.rect for part in seen.objects(1, min_area=5)] == [d.rect for d, n in zip(parts, areas) if n >= 5]


@pytest.mark.parametrize("fit", list(INPUTS))
@pytest.mark.parametrize("roi", ROIS)
def test_parts_of_a_scaled_map_are_those_of_the_frame(fit: str, roi: tuple[int, int, int, int]) -> None:
    coarse = np.random.default_rng(3).integers(0, 2, (6, 8))
    seen = map_of(coarse.repeat(4, axis=0).repeat(4, axis=1), source=INPUTS[fit](roi, picture()))
    frame = frame_classes(seen)
    labels, count = ndimage.label(frame == 1, np.ones((3, 3)))
    parts = seen.objects(1)
    assert len(parts) == count > 1
    covered = np.zeros(frame.shape, int)
    for part in parts:
        own = inside(part.mask, FRAME)
        assert len(set(labels[own])) == 1
        covered += own
    assert (covered == (frame == 1)).all()
    least = parts[1].mask.area
    assert [d.rect for d in seen.objects(1, min_area=least)] == [d.rect for d in parts if d.mask.area >= least]


def test_a_part_is_a_detection_of_the_class() -> None:
    classes = np.zeros((48, 64), np.uint8)
    classes[4:10, 5:9] = classes[20:22, 30:40] = 2
    seen = map_of(classes, labels=["road", "car", "person"])
    large, small = seen.objects("person")
    assert large.rect == (5, 4, 4, 6) and small.rect == (30, 20, 10, 2)
    assert (large.class_id, large.label, large.score, large.keypoints) == (2, "person", 1.0, None)
    assert large.frame_size == seen.mask(2)._parts()[4].frame_size
    assert large.mask.iou(small.mask) == 0.0 and large.mask.iou(seen.mask(2)) == pytest.approx(24 / 44)
    assert seen.objects("car") == [] and len(seen.objects(0)) == 1
    assert n6post.draw(picture(64, 48), [large, small])


def test_wrong_classes_and_areas_are_refused() -> None:
    seen = map_of(np.zeros((48, 64), np.uint8), labels=["road"])
    for class_id in ("tree", -1, 256, 1.0, None):
        with pytest.raises(ValueError, match="class_id: expected"):
            seen.objects(class_id)
    for wrong in (-1, 0.5, None):
        with pytest.raises(ValueError, match="min_area: expected an integer from 0"):
            seen.objects(0, min_area=wrong)
