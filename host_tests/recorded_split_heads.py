"""The split heads of trained networks in data/split.npz.xz, and what Ultralytics decodes from them.

scripts/dev/recording/record_split.py made the file.
"""

from __future__ import annotations

import io
import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fakes import Array, Tensor
from synthetic_split_heads import USUAL, SplitHead

SETTINGS = [(0.25, 0.7), (0.05, 0.45)]  # threshold, iou_threshold


@cache
def stored() -> dict[str, Array]:
    with lzma.open(Path(__file__).parent / "data" / "split.npz.xz") as file:
        return dict(np.load(io.BytesIO(file.read())))


def cases() -> list[str]:
    return sorted({name.partition("/")[0] for name in stored()})


def described(case: str) -> dict[str, Any]:
    """task, yolo26, size, shared (see synthetic_split_heads.SCALES); shape, dtype, scale and zero point of the outputs."""
    return json.loads(bytes(stored()[f"{case}/described"]))  # type: ignore[no-any-return]


def result(case: str, setting: str, name: str) -> Array:
    """anchor, box, score, class_id, keypoints or mask of the detections; the setting is "0.25 0.7" or "0.25 one-to-one"."""
    return stored()[f"{case}/{setting}/{name}"]


def mask_of(case: str, setting: str, i: int, width: int) -> Array:
    """The mask of one detection in prototype pixels."""
    mask: Array = np.unpackbits(result(case, setting, "mask")[i], axis=-1)[:, :width].astype(bool)
    return mask


def head_of(case: str) -> SplitHead:
    about = described(case)

    def tensors(kind: str) -> list[Tensor]:
        found = []
        for i, (_, dtype, scale, zero_point) in enumerate(about[kind]):
            planes = np.ascontiguousarray(np.moveaxis(stored()[f"{case}/{kind}{i}"], 0, -1)).view(dtype)[..., 0]
            values = np.ascontiguousarray(planes.transpose(1, 2, 0))
            found.append(Tensor(values.astype(np.float32) if dtype == "float16" else values, scale, zero_point))
        return found

    (prototypes,) = tensors("prototypes") or [None]
    if prototypes:
        prototypes = prototypes._replace(values=prototypes.values[None])
    scores = tensors("scores")
    classes = scores[0].values.shape[2]
    return SplitHead(tuple(about["size"]), USUAL, classes, tensors("boxes"), scores, tensors("extras"), prototypes)
