"""Outputs of real networks in data/maps_and_vectors.npz.xz: FOMO, person_detect, FastDepth and OSNet.

scripts/dev/recording/record_maps_and_vectors.py made the file.
"""

from __future__ import annotations

import io
import json
import lzma
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from fakes import Array, FakeModel, Tensor

PICTURES = ["astronaut", "camera", "coffee", "chelsea", "rocket", "motorcycle_left", "portrait", "portraits"]
FOMO = [f"{network}/{picture}" for network in ("fomo", "fomo_three") for picture in PICTURES]
DEPTH = ["depth/coffee", "depth/motorcycle_left"]


@cache
def stored() -> dict[str, Array]:
    with lzma.open(Path(__file__).parent / "data" / "maps_and_vectors.npz.xz") as file:
        return dict(np.load(io.BytesIO(file.read())))


def tensor(name: str) -> Tensor:
    """The output [1, ...] of a network ("fomo", "fomo_three", "person", "depth") for a picture: "fomo/astronaut".

    "drawn/stairs" and "drawn/ring" are drawn maps.
    """
    about: dict[str, Any] = json.loads(bytes(stored()["about"]))
    values = stored()[name][None].copy()
    if name.startswith("depth"):
        values = values[..., None]
    return Tensor(values, *about[name.partition("/")[0]])


def model(name: str) -> FakeModel:
    one = tensor(name)
    kind = name.partition("/")[0]
    size = {"fomo": 96, "fomo_three": 96, "person": 96, "depth": 224, "drawn": 8 * one.values.shape[1]}[kind]
    return FakeModel([one], (size, 8 * one.values.shape[2] if kind == "drawn" else size))


def edge_impulse(name: str) -> Array:
    """What Edge Impulse's code finds at a threshold of .5: rows x, y, w, h in input pixels, class, score."""
    return stored()[f"{name}/edge_impulse"]


def walkers() -> tuple[list[Tensor], list[tuple[int, int]]]:
    """OSNet's outputs [1, 128] for walkers in a street, and (track, frame) of each."""
    about: dict[str, Any] = json.loads(bytes(stored()["about"]))
    tensors = [Tensor(row[None].copy(), *about["walkers"]) for row in stored()["walkers"]]
    return tensors, [(int(track), int(frame)) for track, frame in stored()["walkers/track_and_frame"]]


def persons() -> tuple[list[Tensor], list[int]]:
    """OSNet's outputs [1, 128] for ten pictures of each of four persons, and the number of each person."""
    about: dict[str, Any] = json.loads(bytes(stored()["about"]))
    tensors = [Tensor(row[None].copy(), *about["persons"]) for row in stored()["persons"]]
    return tensors, [int(number) for number in stored()["persons/number"]]
