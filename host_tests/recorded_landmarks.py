"""Outputs of networks for hand and face landmarks in data/landmarks.npz.xz, and MediaPipe's own landmarks.

scripts/dev/recording/record_landmarks.py made the file.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from fakes import Array, FakeModel, Tensor
from recorded_data import about, stored

SIZES = {"hand": (224, 224), "face": (192, 192)}
# Scale and zero point that OpenMV's files have before their last operation, by the number of elements. Where the reach of
# two outputs differs, the first is that of the larger one.
STEPS = {63: [(0.8803561925888062, -81), (0.0007386440993286669, -10)], 1: [(1 / 256, -128)]}
FACE_STEPS = {1404: [(0.863431990146637, -95)], 1: [(0.10512741655111313, -30)]}


class Frame(NamedTuple):
    """The second network's outputs for one region of a frame."""

    tensors: list[Tensor]
    region: list[float]  # x and y of its corner, frame pixels per input pixel across and down, cos and sin

    def placed(self, points: Array) -> Array:
        """Points (K, 2) of the network's input in frame pixels."""
        x, y, across, down, cos, sin = self.region
        turn = np.array([[across * cos, across * sin], [-down * sin, down * cos]])
        return np.asarray(points[:, :2] @ turn + [x, y])


def index() -> dict[str, Any]:
    """{case: MediaPipe's handedness ("" of a face), side of the picture, networks: rect of the detection, frames}."""
    return dict(about("landmarks", "index"))


def cases(kind: str) -> list[tuple[str, str]]:
    """(case, network) of "hand" or "face"; the network is OpenMV's ("rom") or the one in MediaPipe's package."""
    return [
        (case, network)
        for case, entry in index().items()
        if bool(entry["handedness"]) == (kind == "hand")
        for network in entry["networks"]
    ]


def judged(case: str) -> Array:
    """MediaPipe's landmarks (K, 2) in pixels of the picture."""
    return stored("landmarks")[f"{case}/judged"]


def detection(case: str, network: str) -> tuple[tuple[int, ...], Array]:
    """(rect, keypoints) of the detector."""
    return tuple(index()[case]["networks"][network]["rect"]), stored("landmarks")[f"{case}/{network}/palm"]


def frames(case: str, network: str) -> list[Frame]:
    found = []
    for i, described in enumerate(index()[case]["networks"][network]["frames"]):
        tensors = [Tensor(stored("landmarks")[f"{case}/{network}/{i}/{k}"]) for k in range(described["outputs"])]
        found.append(Frame(tensors, described["region"]))
    return found


def model(kind: str, tensors: list[Tensor]) -> FakeModel:
    return FakeModel(tensors, SIZES[kind])


def quantized(tensors: list[Tensor]) -> list[Tensor]:
    """The outputs of OpenMV's file as the int8 tensors that they are made from."""
    largest = max(np.abs(t.values).max() for t in tensors)
    found = []
    for tensor in tensors:
        steps = (FACE_STEPS if tensor.values.size == 1404 or len(tensors) == 2 else STEPS)[tensor.values.size]
        scale, zero_point = steps[0] if len(steps) == 1 or np.abs(tensor.values).max() == largest else steps[1]
        raw = np.round(tensor.values / np.float32(scale)) + zero_point
        assert np.abs((raw - zero_point) * np.float32(scale) - tensor.values).max() < 1e-3 * scale
        found.append(Tensor(np.clip(raw, -128, 127).astype(np.int8), scale, zero_point))
    return found


def dtypes(tensors: list[Tensor]) -> list[list[Tensor]]:
    """The same outputs as int8, uint8, int16 and float32."""
    integers = quantized(tensors)
    return [integers, [t.as_uint8() for t in integers], [t.as_int16(2, 5) for t in integers], tensors]
