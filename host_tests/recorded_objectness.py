"""Outputs of real YOLO networks with an objectness in data/objectness.npz.xz, and what other software makes of them.

scripts/dev/recording/record_objectness.py made the file.
"""

from __future__ import annotations

import io
import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fakes import Array, FakeModel, Tensor


class Recorded(NamedTuple):
    """One network's outputs for one picture.

    side        of the model input, a square
    options     that the judges used
    results     by judge: (n, 6), x1, y1, x2, y2 in input pixels, score, class
    """

    name: str
    family: str
    side: int
    labels: list[str]
    tensors: list[Tensor]
    options: dict[str, Any]
    results: dict[str, Array]

    def model(self, tensors: list[Tensor] | None = None) -> FakeModel:
        return FakeModel(self.tensors if tensors is None else tensors, (self.side, self.side), self.labels)


@cache
def stored() -> dict[str, Array]:
    with lzma.open(Path(__file__).parent / "data" / "objectness.npz.xz") as file:
        return dict(np.load(io.BytesIO(file.read())))


@cache
def recorded() -> dict[str, Recorded]:
    found = {}
    for index, case in enumerate(json.loads(str(stored()["index"]))):
        tensors = []
        for k, (scale, zero_point) in enumerate(case["quantization"]):
            values = np.ascontiguousarray(np.moveaxis(stored()[f"{index}_{k}"], 0, -1))
            tensors.append(Tensor(values, scale, zero_point))
        results = {judge: stored()[f"{index}_{judge}"] for judge in case["judges"]}
        found[case["name"]] = Recorded(
            case["name"], case["family"], case["side"], case["labels"], tensors, case["options"], results
        )
    return found
