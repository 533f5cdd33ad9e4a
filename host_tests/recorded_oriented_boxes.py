"""The heads of trained networks for oriented boxes in data/obb.npz.xz, and what Ultralytics finds in them.

scripts/dev/recording/record_ultralytics.py made the file.
"""

from __future__ import annotations

import recorded_data
from fakes import Array, Tensor
from recorded_data import SETTINGS, about, channels_last, joined_bytes, stored, tensor_of

__all__ = ["SETTINGS"]

SIZE = (128, 128)  # of the networks' input
CLASSES = 3


def cases(split: bool = False) -> list[str]:
    return [case for case in recorded_data.cases("obb") if case.startswith("split") == split]


def outputs(case: str) -> dict[str, Tensor]:
    """The outputs by name: "head", or "boxes0", "scores0" and "angle0" for the first stride, and so on."""
    found = {}
    for name, (shape, dtype, scale, zero_point) in about("obb", f"{case}/described").items():
        planes = joined_bytes(stored("obb")[f"{case}/{name}"], dtype)
        values = planes if planes.shape == tuple(shape) else channels_last(planes)
        found[name] = tensor_of(values if shape[0] == 1 else values[None], scale, zero_point)
    return found


def result(case: str, setting: tuple[float, float], name: str) -> Array:
    """xywhr, corners, score or class_id of what Ultralytics finds."""
    return stored("obb")[f"{case}/{setting[0]} {setting[1]}/{name}"]
