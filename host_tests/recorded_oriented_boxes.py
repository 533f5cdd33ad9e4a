"""The heads of trained networks for oriented boxes in data/obb.npz.xz, and what Ultralytics finds in them.

scripts/dev/recording/record_obb.py made the file.
"""

from __future__ import annotations

import io
import json
import lzma
from functools import cache
from pathlib import Path

import numpy as np
from fakes import Array, Tensor

SETTINGS = [(0.25, 0.7), (0.05, 0.45)]  # threshold, iou_threshold
SIZE = (128, 128)  # of the networks' input
CLASSES = 3


@cache
def stored() -> dict[str, Array]:
    with lzma.open(Path(__file__).parent / "data" / "obb.npz.xz") as file:
        return dict(np.load(io.BytesIO(file.read())))


def cases(split: bool = False) -> list[str]:
    return sorted({name.partition("/")[0] for name in stored() if name.startswith("split") == split})


def outputs(case: str) -> dict[str, Tensor]:
    """The outputs by name: "head", or "boxes0", "scores0" and "angle0" for the first stride, and so on."""
    found = {}
    for name, (shape, dtype, scale, zero_point) in json.loads(bytes(stored()[f"{case}/described"])).items():
        planes = np.ascontiguousarray(np.moveaxis(stored()[f"{case}/{name}"], 0, -1)).view(dtype)[..., 0]
        values = planes if planes.shape == tuple(shape) else np.ascontiguousarray(np.moveaxis(planes, 0, -1))
        if len(shape) == 3 and shape[0] != 1:
            values = values[None]
        found[name] = Tensor(values.astype(np.float32) if dtype == "float16" else values, scale, zero_point)
    return found


def result(case: str, setting: tuple[float, float], name: str) -> Array:
    """xywhr, corners, score or class_id of what Ultralytics finds."""
    return stored()[f"{case}/{setting[0]} {setting[1]}/{name}"]
