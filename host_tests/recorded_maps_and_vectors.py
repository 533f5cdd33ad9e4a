"""Outputs of real networks in data/maps_and_vectors.npz.xz: FOMO, person_detect, FastDepth and OSNet.

scripts/dev/recording/record_maps_and_vectors.py made the file.
"""

from __future__ import annotations

from fakes import Array, FakeModel, Tensor
from recorded_data import about, stored

FILE = "maps_and_vectors"
PICTURES = ["astronaut", "camera", "coffee", "chelsea", "rocket", "motorcycle_left", "portrait", "portraits"]
FOMO = [f"{network}/{picture}" for network in ("fomo", "fomo_three") for picture in PICTURES]
DEPTH = ["depth/coffee", "depth/motorcycle_left"]


def tensor(name: str) -> Tensor:
    """The output [1, ...] of a network ("fomo", "fomo_three", "person", "depth") for a picture: "fomo/astronaut".

    "drawn/stairs" and "drawn/ring" are drawn maps.
    """
    values = stored(FILE)[name][None].copy()
    if name.startswith("depth"):
        values = values[..., None]
    return Tensor(values, *about(FILE, "about")[name.partition("/")[0]])


def model(name: str) -> FakeModel:
    one = tensor(name)
    kind = name.partition("/")[0]
    size = {"fomo": 96, "fomo_three": 96, "person": 96, "depth": 224, "drawn": 8 * one.values.shape[1]}[kind]
    return FakeModel([one], (size, 8 * one.values.shape[2] if kind == "drawn" else size))


def edge_impulse(name: str) -> Array:
    """What Edge Impulse's code finds at a threshold of .5: rows x, y, w, h in input pixels, class, score."""
    return stored(FILE)[f"{name}/edge_impulse"]


def walkers() -> tuple[list[Tensor], list[tuple[int, int]]]:
    """OSNet's outputs [1, 128] for walkers in a street, and (track, frame) of each."""
    tensors = [Tensor(row[None].copy(), *about(FILE, "about")["walkers"]) for row in stored(FILE)["walkers"]]
    return tensors, [(int(track), int(frame)) for track, frame in stored(FILE)["walkers/track_and_frame"]]


def persons() -> tuple[list[Tensor], list[int]]:
    """OSNet's outputs [1, 128] for ten pictures of each of four persons, and the number of each person."""
    tensors = [Tensor(row[None].copy(), *about(FILE, "about")["persons"]) for row in stored(FILE)["persons"]]
    return tensors, [int(number) for number in stored(FILE)["persons/number"]]
