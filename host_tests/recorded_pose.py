"""Outputs of MediaPipe's networks of poses in data/pose.npz.xz, and what MediaPipe itself makes of them and of the pictures.

scripts/dev/recording/record_pose.py made the file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from fakes import Array, FakeModel, Tensor
from recorded_data import about, stored

SIDE = 256


class Frame(NamedTuple):
    """The second network's outputs for one region of a frame: keypoints, score and heat map."""

    tensors: list[Tensor]
    region: list[float]  # x and y of its corner, frame pixels per input pixel across and down, cos and sin
    decoded: Array  # (39, 3): x, y in pixels of the input and visibility, by MediaPipe's calculators
    judged: Array  # (33, 3): x, y in pixels of the picture and visibility, by MediaPipe's graph


def index() -> dict[str, Any]:
    """{case: size of the picture, rect of the detection, MediaPipe's own detected keypoints and regions}."""
    return dict(about("pose", "index"))


def detection(case: str) -> Array:
    """The keypoints of n6post's detection."""
    return stored("pose")[f"{case}/detection"]


def frames(case: str) -> list[Frame]:
    found = []
    for i, described in enumerate(index()[case]["frames"]):
        arrays = {name: stored("pose")[f"{case}/{i}/{name}"] for name in ("points", "heat", "decoded", "judged")}
        points, heat = (
            Tensor(np.ascontiguousarray(arrays[name]).reshape(shape), scale, zero_point)
            for name, shape, (scale, zero_point) in zip(
                ("points", "heat"), ((1, 195), (1, 64, 64, 39)), described["scales"], strict=True
            )
        )
        score = Tensor(np.float32([[described["score"]]]))
        found.append(Frame([points, score, heat], described["region"], arrays["decoded"], arrays["judged"]))
    return found


def model(tensors: list[Tensor]) -> FakeModel:
    return FakeModel(tensors, (SIDE, SIDE))
