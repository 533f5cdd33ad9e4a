"""Outputs of real YOLO networks with an objectness in data/objectness.npz.xz, and what other software makes of them.

scripts/dev/recording/record_objectness.py made the file. more_yolos.npz.xz beside it, of record_more_yolos.py, has others.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from fakes import Array, FakeModel, Tensor
from recorded_data import about, channels_last, stored, tensor_of


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
def recorded() -> dict[str, Recorded]:
    found = {}
    for name in ("objectness", "more_yolos"):
        arrays = stored(name)
        for index, case in enumerate(about(name, "index")):
            scales = enumerate(case.pop("quantization"))
            tensors = [tensor_of(channels_last(arrays[f"{index}_{k}"]), *quantization) for k, quantization in scales]
            results = {judge: arrays[f"{index}_{judge}"] for judge in case.pop("judges")}
            found[case["name"]] = Recorded(**case, tensors=tensors, results=results)
    return found
