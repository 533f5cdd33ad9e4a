"""Synthetic YOLOv8 outputs with known contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import reference
from fakes import Array, FakeModel, Tensor


def anchor_count(size: tuple[int, int], strides: tuple[int, ...] = (8, 16, 32)) -> int:
    return sum((size[0] // stride) * (size[1] // stride) for stride in strides)


class Thing(NamedTuple):
    """One anchor with an object: box x1, y1, x2, y2 in model input pixels, (class: score) pairs, extra rows."""

    anchor: int
    box: tuple[float, float, float, float]
    scores: dict[int, float]
    extra: Sequence[float] = ()


def float_head(
    size: tuple[int, int], class_count: int, things: Sequence[Thing], extra: int = 0, pixels: bool = True
) -> Array:
    """A float head [1, 4 + class_count + extra, N]; the other anchors are spread over the input and have scores of 0."""
    count = anchor_count(size)
    head = np.zeros((4 + class_count + extra, count), dtype=np.float32)
    head[0] = np.linspace(0, size[0], count)
    head[1] = np.linspace(0, size[1], count)
    head[2:4] = 8
    for thing in things:
        x1, y1, x2, y2 = thing.box
        column = head[:, thing.anchor]
        column[:4] = (x1 + x2) / 2, (y1 + y2) / 2, x2 - x1, y2 - y1
        for class_id, score in thing.scores.items():
            column[4 + class_id] = score
        column[4 + class_count : 4 + class_count + len(thing.extra)] = thing.extra
    if not pixels:
        head[:4] /= np.float32([size[0], size[1], size[0], size[1]])[:, None]
    return head[None]


def quantized(values: Array, scale: float, zero_point: int) -> Tensor:
    q = np.clip(np.round(values / scale) + zero_point, -128, 127)
    return Tensor(q.astype(np.int8), float(np.float32(scale)), zero_point)


class Head(NamedTuple):
    """A random model: first the head as [1, C, N], then prototypes in NHWC if there are coefficients."""

    size: tuple[int, int]
    class_count: int
    head: Tensor
    prototypes: Tensor | None

    def tensors(self) -> list[Tensor]:
        return [self.head] if self.prototypes is None else [self.head, self.prototypes]

    def model(self) -> FakeModel:
        return FakeModel(self.tensors(), self.size)

    def box_unit(self) -> tuple[int, int]:
        return self.size

    def candidates(self, threshold: float, **options: Any) -> reference.Candidates:
        return reference.decode(
            self.head.values[0],
            self.class_count,
            threshold,
            box_unit=self.size,
            **self.head.quantization(),
            **options,
        )

    def logits(self, anchor: int) -> Array:
        """Prototype logits of an anchor: exact integers for a quantized model, float64 sums for floats."""
        assert self.prototypes is not None
        kind = np.int64 if self.head.scale else np.float64
        coefficients = self.head.values[0, 4 + self.class_count :, anchor].astype(kind) - self.head.zero_point
        return reference.mask_logits(coefficients, self.prototypes.values[0].astype(kind) - self.prototypes.zero_point)


def random_head(
    seed: int, size: tuple[int, int], class_count: int, coefficients: int = 0, zero_point: int = 0, reach: float = 1.5
) -> Head:
    """An int8 model with boxes in 0..1 that overlap around a few positions. Many scores are equal.

    `reach` is the largest value that the head can represent.
    """
    random = np.random.default_rng(seed)
    count = anchor_count(size)
    head = np.zeros((4 + class_count + coefficients, count))
    places = random.uniform(0, 1, (random.integers(1, 5), 4)) * (1, 1, 0.6, 0.6) + (0, 0, 0.1, 0.1)
    head[:4] = (places[random.integers(0, len(places), count)] + random.normal(0, 0.06, (count, 4))).T
    speaks = random.random((class_count, count)) < min(1, 2 / class_count) * random.uniform(0.05, 0.6)
    head[4 : 4 + class_count] = np.where(speaks, random.uniform(0, 1.02, (class_count, count)), 0)
    head[4 + class_count :] = random.normal(0, 0.5, (coefficients, count))
    prototypes = None
    if coefficients:
        planes = random.normal(0, 0.6, (1, size[1] // 4, size[0] // 4, coefficients))
        planes += random.normal(0, 1, (1, 1, 1, coefficients))
        prototypes = quantized(planes, 0.02 * random.uniform(0.8, 2), int(random.integers(-120, 30)))
    return Head(size, class_count, quantized(head[None], reach / (127 - zero_point), zero_point), prototypes)
