"""The split heads of trained networks in data/split.npz.xz, and what Ultralytics decodes from them.

scripts/dev/recording/record_ultralytics.py made the file.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import recorded_data
from fakes import Array, Tensor
from recorded_data import SETTINGS, about, channels_last, joined_bytes, stored, tensor_of
from synthetic_split_heads import USUAL, SplitHead

__all__ = ["SETTINGS"]


def cases() -> list[str]:
    return recorded_data.cases("split")


def described(case: str) -> dict[str, Any]:
    """task, yolo26, size, shared (see synthetic_split_heads.SCALES); shape, dtype, scale and zero point of the outputs."""
    return dict(about("split", f"{case}/described"))


def result(case: str, setting: str, name: str) -> Array:
    """anchor, box, score, class_id, keypoints or mask of the detections; the setting is "0.25 0.7" or "0.25 one-to-one"."""
    return stored("split")[f"{case}/{setting}/{name}"]


def mask_of(case: str, setting: str, i: int, width: int) -> Array:
    """The mask of one detection in prototype pixels."""
    mask: Array = np.unpackbits(result(case, setting, "mask")[i], axis=-1)[:, :width].astype(bool)
    return mask


def head_of(case: str) -> SplitHead:
    outputs = described(case)

    def tensors(kind: str) -> list[Tensor]:
        return [
            tensor_of(channels_last(joined_bytes(stored("split")[f"{case}/{kind}{i}"], dtype)), *quantization)
            for i, (_, dtype, *quantization) in enumerate(outputs[kind])
        ]

    (prototypes,) = tensors("prototypes") or [None]
    if prototypes:
        prototypes = prototypes._replace(values=prototypes.values[None])
    scores = tensors("scores")
    classes = scores[0].values.shape[2]
    return SplitHead(tuple(outputs["size"]), USUAL, classes, tensors("boxes"), scores, tensors("extras"), prototypes)
