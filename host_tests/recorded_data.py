"""The recorded outputs of networks in data/*.npz.xz. data/README.md says what they are and how they were made."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from fakes import Array, Tensor
from n6post_pc.demo.recorded import arrays

SETTINGS = [(0.25, 0.7), (0.05, 0.45)]  # threshold, iou_threshold of "split" and "obb"


def stored(name: str) -> dict[str, Array]:
    """All arrays of data/NAME.npz.xz."""
    return arrays(Path(__file__).parent / "data" / f"{name}.npz.xz")


def cases(name: str) -> list[str]:
    return sorted({key.partition("/")[0] for key in stored(name)})


def about(name: str, key: str) -> Any:
    """What an array of JSON says."""
    text = stored(name)[key]
    return json.loads(str(text) if text.dtype.kind == "U" else bytes(text))


def results_of(name: str, case: str, judge: str) -> list[tuple[str, Array]]:
    """[(setting, result)] of everything that a judge made of a case. A setting is "threshold iou_threshold"."""
    start = f"{case}/{judge} "
    return [(key[len(start) :], found) for key, found in stored(name).items() if key.startswith(start)]


def tensor_of(values: Array, scale: float = 0.0, zero_point: int = 0) -> Tensor:
    """An output. Floats of 11 significant bits are float32 in the network."""
    return Tensor(values.astype(np.float32) if values.dtype == np.float16 else values, scale, zero_point)


def joined_bytes(planes: Array, dtype: str) -> Array:
    """The numbers whose bytes are stored as [low and high, *shape]."""
    return np.ascontiguousarray(np.moveaxis(planes, 0, -1)).view(dtype)[..., 0]


def channels_last(planes: Array) -> Array:
    return np.ascontiguousarray(np.moveaxis(planes, 0, -1))
