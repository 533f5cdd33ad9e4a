"""Models of a few anchors or cells. Their results differ if anything of another model or frame remains in them."""

from __future__ import annotations

import numpy as np
from fakes import FakeModel, Tensor
from synthetic_heads import Thing, float_head, quantized
from synthetic_split_heads import random_split_head

SIZE = (32, 32)  # 21 anchors
THINGS = [Thing(3, (2, 3, 17, 20), {0: 0.9}), Thing(9, (12, 10, 31, 30), {1: 0.7})]


def detector() -> FakeModel:
    return FakeModel([Tensor(float_head(SIZE, 2, THINGS))], SIZE, ["cat", "dog"])


def three_objects() -> FakeModel:
    """Another model: int8, with three classes."""
    things = [Thing(i, (i, 2, i + 9, 20), {i % 2: 0.5 + i / 40}) for i in range(3)]
    return FakeModel([quantized(float_head(SIZE, 3, things, pixels=False), 0.01, -20)], SIZE)


def segmenter(step: float = 0.02) -> FakeModel:
    coefficients = [-0.8, 0.4, 1.1, 0.2, -0.3, 0.9, 0.1, 0.7]
    head = float_head(SIZE, 2, [Thing(3, (1, 2, 12, 8), {1: 0.9}, coefficients)], extra=8, pixels=False)
    planes = np.random.default_rng(2).normal(size=(1, 8, 8, 8))
    return FakeModel([quantized(head, step, 3), quantized(planes, 0.03, -5)], SIZE)


def poser(count: int = 13) -> FakeModel:
    thing = THINGS[0]._replace(extra=[9.0, 14.0, 0.75] * count)
    return FakeModel([Tensor(float_head(SIZE, 1, [thing], extra=3 * count))], SIZE)


ROWS = np.float32([[2, 3, 17, 20, 0.9, 1], [12, 10, 31, 30, 0.7, 0], [0, 1, 9, 9, 0.8, 3]])


def rows() -> FakeModel:
    """An end-to-end head whose rows are not sorted by score."""
    return FakeModel([Tensor(ROWS[None].copy())], SIZE, ["cat", "dog"])


def rows_of_two() -> FakeModel:
    """An end-to-end head with as many rows as anchors, which only the numbers can show."""
    filled = np.zeros((1, 21, 6), np.float32)
    filled[0, :2] = ROWS[:2] + np.float32([1, 0, 0, 0, 0, 0])
    return FakeModel([Tensor(filled)], SIZE)


def heatmaps() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(3).random((1, 8, 8, 13)).astype(np.float32))], SIZE)


def direct_keypoints() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(4).random((1, 1, 13, 3)).astype(np.float32))], SIZE)


def scored_map(seed: int = 5) -> FakeModel:
    values = np.random.default_rng(seed).integers(-99, 99, (1, 6, 6, 3)).astype(np.int8)
    return FakeModel([Tensor(values, 0.1)], SIZE)


def numbered_map() -> FakeModel:
    return FakeModel([Tensor(np.random.default_rng(6).integers(0, 3, (1, 6, 6)).astype(np.float32))], SIZE)


def split_detector(bins: int = 16) -> FakeModel:
    """A split head of two classes."""
    return random_split_head(4, SIZE, (8, 16, 32), bins=bins, class_count=2, objects=2).model()


def split_segmenter(seed: int = 1) -> FakeModel:
    return random_split_head(seed, SIZE, (8, 16, 32), class_count=1, coefficients=8, objects=2).model()


def split_poser(count: int = 5) -> FakeModel:
    return random_split_head(3, SIZE, (8, 16, 32), class_count=1, keypoints=count, objects=2).model()
