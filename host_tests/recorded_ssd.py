"""Outputs of real SSD networks in data/ssd.npz.xz, and what other software makes of them.

scripts/dev/recording/record_ssd.py made the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import recorded_data
from fakes import Array, FakeModel, Tensor
from recorded_data import channels_last, stored

STRIDES = 16, 32, 64, 100, 150, 300


def about(case: str) -> dict[str, Any]:
    return dict(recorded_data.about("ssd", f"{case}/about"))


def tensors_of(case: str) -> list[Tensor]:
    """The outputs of a case: "tensorflow", "finished", "ultra_light", "logits" or "st"."""
    tensors = []
    for i, (scale, zero_point) in enumerate(about(case)["quantization"]):
        values = stored("ssd")[f"{case}/{i}"]
        values = channels_last(values) if values.ndim == 3 and case != "finished" else values
        tensors.append(Tensor(values, scale, zero_point))
    return tensors


def model_of(case: str, labels: list[str] | None = None) -> FakeModel:
    width, height = about(case)["size"]
    return FakeModel(tensors_of(case), (width, height), labels)


def many_classes() -> list[Tensor]:
    """TensorFlow's scores as int8 logits of 90 classes and a background, and its boxes as int8 in the order x, y, w, h."""
    boxes, scores = tensors_of("tensorflow")
    values = (scores.values.astype(int) - 128).astype(np.int8)
    values[:, :, 0] = -30
    order = np.ascontiguousarray(boxes.values[:, :, [1, 0, 3, 2]])
    return [
        Tensor((order.astype(int) - 128).astype(np.int8), boxes.scale, boxes.zero_point - 128),
        Tensor(values, float(np.float32(0.08)), -128),
    ]


def made_up() -> list[Tensor]:
    """Random int8 outputs of ST's head of 3000 rows with two classes: objects are the priors with large logits."""
    random = np.random.default_rng(5)
    boxes = random.integers(-60, 61, (1, 3000, 4)).astype(np.int8)
    scores = random.integers(-90, 0, (1, 3000, 3))
    scores[:, :, 0] += 90
    objects = random.choice(3000, 60, replace=False)
    scores[0, objects, random.integers(1, 3, 60)] += random.integers(60, 120, 60)
    return [Tensor(boxes, float(np.float32(1 / 24)), 3), Tensor(scores.astype(np.int8), float(np.float32(1 / 12)), -10)]


def priors_of(case: str) -> Array:
    """(N, 4): x, y of the center, width and height of the priors in parts of the input, in float64."""
    rows = []
    if case in ("ultra_light", "logits"):
        maps = ((40, 30, (10, 16, 24)), (20, 15, (32, 48)), (10, 8, (64, 96)), (5, 4, (128, 192, 256)))
        for columns, lines, sides in maps:
            for row, column in np.ndindex(lines, columns):
                for side in sides:
                    rows.append([(column + 0.5) / columns, (row + 0.5) / lines, side / 320, min(side / 240, 1)])
    elif case in ("tensorflow", "many_classes"):
        scales = [0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1.0]
        for level, cells in enumerate((19, 10, 5, 3, 2, 1)):
            scale = scales[level]
            kinds = [(scale, 1), (scale, 2), (scale, 0.5), (scale, 3), (scale, 0.3333)]
            kinds.append(((scale * scales[level + 1]) ** 0.5, 1))
            if level == 0:
                kinds = [(0.1, 1), (0.2, 2), (0.2, 0.5)]
            for row, column in np.ndindex(cells, cells):
                for side, ratio in kinds:
                    rows.append([(column + 0.5) / cells, (row + 0.5) / cells, side * ratio**0.5, side / ratio**0.5])
    else:  # ST's 3000
        for level, cells in enumerate((19, 10, 5, 3, 2, 1)):
            least, most = 60 + 45 * level, 105 + 45 * level
            sizes = [(least, least), ((least * most) ** 0.5,) * 2]
            for ratio in (2, 3):
                sizes += [(least * ratio**0.5, least / ratio**0.5), (least / ratio**0.5, least * ratio**0.5)]
            for row, column in np.ndindex(cells, cells):
                for width, height in sizes:
                    center = (np.array([column, row]) + 0.5) * STRIDES[level] / 300
                    rows.append([*center, min(width / 300, 1), min(height / 300, 1)])
    return np.array(rows)
