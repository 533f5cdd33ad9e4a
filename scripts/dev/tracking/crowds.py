"""Write crowds for scripts/device/benchmark_crowds.py: `python3 scripts/dev/tracking/crowds.py FOLDER`.

A crowd is a head [1, 116, anchors] of YoloV8Seg, int8, in which every anchor's score is above the usual threshold, and its
prototypes [1, h, w, 32]. Each kind stresses another part: suppression, masks, ranking, labels. All numbers come from the
seed. `crowds.txt` names the files, with the quantization of their tensors.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from n6post_pc.demo import recorded
from numpy.typing import NDArray

Array = NDArray[Any]

SIZES = {2100: 320, 8400: 640}  # anchors: side of the model's input
SEEDS = (1, 2)
CLASSES = 80
COEFFICIENTS = 32
# Of the published yolov8n-seg 320, whose boxes have 49 steps in 0..1.
HEAD_SCALE, HEAD_ZERO_POINT = 0.02040208, 24
PROTO_SCALE, PROTO_ZERO_POINT = 0.01966914, -114


class Crowd(NamedTuple):
    """Float arrays: boxes (4, anchors) as cx, cy, w, h in 0..1; coefficients (32, anchors); prototypes (h, w, 32)."""

    boxes: Array
    scores: Array
    classes: Array
    coefficients: Array
    prototypes: Array


# --- masks -------------------------------------------------------------------------------------------------------------
def smooth_prototypes(rng: np.random.Generator, side: int) -> Array:
    """A constant, then slow waves of all directions."""
    y, x = np.mgrid[:side, :side] / side
    waves = [np.ones((side, side))]
    for _ in range(COEFFICIENTS - 1):
        fx, fy = rng.uniform(-4, 4, 2)
        waves.append(np.sin(2 * np.pi * (fx * x + fy * y + rng.uniform())))
    return np.stack(waves, axis=-1)


def noisy_prototypes(rng: np.random.Generator, side: int) -> Array:
    """Another value for each pixel: masks full of holes."""
    return rng.uniform(-2, 2.5, (side, side, COEFFICIENTS))


def blobs(rng: np.random.Generator, anchors: int, fill: float = 0.8) -> Array:
    """Coefficients for smooth_prototypes: masks with some holes. With a larger `fill` they have none."""
    coefficients = rng.normal(0, 0.25, (COEFFICIENTS, anchors))
    coefficients[0] = fill
    return coefficients


# --- boxes -------------------------------------------------------------------------------------------------------------
KINDS: dict[str, Callable[[np.random.Generator, int, int], Crowd]] = {}


def kind(make: Callable[[np.random.Generator, int, int], Crowd]) -> Callable[[np.random.Generator, int, int], Crowd]:
    KINDS[make.__name__] = make
    return make


def crowd(
    rng: np.random.Generator, side: int, boxes: Array, scores: Array | None = None, classes: Array | None = None,
    fill: float = 0.8,
) -> Crowd:  # fmt: skip
    """A crowd of these boxes (4, anchors), with random scores and classes unless they are given."""
    anchors = boxes.shape[1]
    scores = rng.uniform(0.3, 0.95, anchors) if scores is None else scores
    classes = rng.integers(0, CLASSES, anchors) if classes is None else classes
    return Crowd(boxes, scores, classes, blobs(rng, anchors, fill), smooth_prototypes(rng, side // 4))


def anywhere(rng: np.random.Generator, anchors: int, low: float, high: float) -> Array:
    """Boxes with sides from low to high."""
    return np.concatenate([rng.uniform(0.05, 0.95, (2, anchors)), rng.uniform(low, high, (2, anchors))])


def one_class(anchors: int) -> Array:
    return np.zeros(anchors, dtype=int)


@kind
def uniform(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Random boxes of random classes."""
    return crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25))


@kind
def uniform_one_class(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Random boxes of one class: all are compared with all."""
    return crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25), classes=one_class(anchors))


@kind
def people(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Groups of upright boxes of one class, larger ones further down, many anchors for each person."""
    groups = rng.uniform(0.1, 0.9, (2, 8))
    persons = groups[:, rng.integers(0, 8, 120)] + rng.normal(0, 0.08, (2, 120))
    persons = np.clip(persons, 0.03, 0.97)
    height = 0.08 + 0.2 * persons[1]
    persons = np.concatenate([persons, [0.4 * height, height]])
    boxes = persons[:, rng.integers(0, 120, anchors)] * (1 + rng.normal(0, 0.02, (4, anchors)))
    return crowd(rng, side, boxes, classes=one_class(anchors))


@kind
def grid(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Equal boxes of one class at the corners of a grid, neighbors overlap."""
    across = 14
    x, y = np.divmod(np.arange(anchors) % (across * across), across)
    boxes = np.stack([(x + 0.5) / across, (y + 0.5) / across, np.full(anchors, 0.11), np.full(anchors, 0.11)])
    return crowd(rng, side, boxes, classes=one_class(anchors))


@kind
def copies(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Twelve objects, each found by hundreds of anchors: few of the candidates are kept."""
    objects = anywhere(rng, 12, 0.1, 0.4)
    which = rng.integers(0, 12, anchors)
    return crowd(rng, side, objects[:, which] * (1 + rng.normal(0, 0.015, (4, anchors))), classes=which)


@kind
def nested(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Boxes of one class within boxes, around a few centers: masks within masks."""
    centers = rng.uniform(0.2, 0.8, (2, 12))[:, rng.integers(0, 12, anchors)]
    sides = 0.06 * 1.25 ** rng.integers(0, 9, (2, anchors))
    return crowd(rng, side, np.concatenate([centers, sides]), classes=one_class(anchors))


@kind
def tiny(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Boxes of one to three pixels of the mask."""
    return crowd(rng, side, anywhere(rng, anchors, 0.012, 0.05))


@kind
def large(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Boxes of a third to half of each side."""
    return crowd(rng, side, anywhere(rng, anchors, 0.33, 0.5))


@kind
def huge(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Boxes that cover half of the frame, of random classes."""
    boxes = np.concatenate([rng.uniform(0.35, 0.65, (2, anchors)), rng.uniform(0.6, 0.8, (2, anchors))])
    return crowd(rng, side, boxes)


@kind
def huge_one_class(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Boxes of one class that cover about half of the frame."""
    boxes = np.concatenate([rng.uniform(0.2, 0.8, (2, anchors)), rng.uniform(0.4, 0.9, (2, anchors))])
    return crowd(rng, side, boxes, classes=one_class(anchors))


@kind
def row(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """A shelf: upright boxes of one class side by side in three rows, close to each other."""
    boxes = np.stack([
        rng.uniform(0.02, 0.98, anchors), rng.choice([0.2, 0.5, 0.8], anchors), rng.uniform(0.05, 0.07, anchors),
        rng.uniform(0.2, 0.26, anchors),
    ])  # fmt: skip
    return crowd(rng, side, boxes, classes=one_class(anchors))


@kind
def ties(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Two scores only, the most frequent worst case of sorting."""
    return crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25), scores=rng.choice([0.5, 0.52], anchors))


@kind
def ascending(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Each anchor is better than those before it: every one enters the candidates."""
    return crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25), scores=np.linspace(0.3, 0.95, anchors))


@kind
def descending(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Each anchor is worse than those before it."""
    return crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25), scores=np.linspace(0.95, 0.3, anchors))


@kind
def solid_masks(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Masks that fill their boxes."""
    return crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25), classes=rng.integers(0, 5, anchors), fill=2.0)


@kind
def masks_of_holes(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Masks in which neighboring pixels differ."""
    made = crowd(rng, side, anywhere(rng, anchors, 0.04, 0.25), classes=rng.integers(0, 5, anchors))
    return made._replace(prototypes=noisy_prototypes(rng, side // 4))


@kind
def mosaic(rng: np.random.Generator, side: int, anchors: int) -> Crowd:
    """Nine small copies of the recorded outputs of yolov8n-seg for a photograph, with new scores.

    The prototypes, coefficients, proportions of the boxes and their classes are a network's.
    """
    network = "yolov8n_seg_320"
    picture = recorded.load(network, rng.choice([name for model, name in recorded.names() if model == network]))
    head, protos = [tensor.dequantized().values for tensor in picture.tensors[:2]]
    head = head.reshape(116, -1)
    protos = protos.reshape(80, 80, COEFFICIENTS)
    best = np.argsort(-head[4:84].max(axis=0), kind="stable")[:60]
    chosen = best[rng.integers(0, len(best), anchors)]
    tile = rng.integers(0, 9, anchors)
    boxes = head[:4, chosen] / 3
    boxes[0] += tile % 3 / 3
    boxes[1] += tile // 3 / 3
    boxes[2:] = np.maximum(boxes[2:], 0.02)
    near = np.arange(side // 4) * 240 // (side // 4) % 80
    coefficients = head[84:, chosen] + rng.normal(0, 0.02, (COEFFICIENTS, anchors))
    classes = head[4:84, chosen].argmax(axis=0)
    return Crowd(boxes, rng.uniform(0.3, 0.95, anchors), classes, coefficients, protos[near][:, near])


# --- tensors -----------------------------------------------------------------------------------------------------------
def quantized(values: Array, scale: float, zero_point: int) -> Array:
    return np.clip(np.round(values / scale) + zero_point, -128, 127).astype(np.int8)


def tensors(name: str, seed: int, anchors: int) -> tuple[Array, Array]:
    """(head [1, 116, anchors], prototypes [1, h, w, 32]), int8, of the crowd of this kind, for this seed."""
    rng = np.random.default_rng([seed, anchors, list(KINDS).index(name)])
    made = KINDS[name](rng, SIZES[anchors], anchors)
    head = np.zeros((4 + CLASSES + COEFFICIENTS, anchors))
    head[:4] = made.boxes
    head[4 + made.classes, np.arange(anchors)] = made.scores
    head[4 + CLASSES :] = made.coefficients
    protos = np.ascontiguousarray(made.prototypes)
    return quantized(head, HEAD_SCALE, HEAD_ZERO_POINT)[None], quantized(protos, PROTO_SCALE, PROTO_ZERO_POINT)[None]


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("folder", type=Path)
    parser.add_argument("kinds", nargs="*", help=f"by default all: {', '.join(KINDS)}")
    parser.add_argument("--anchors", type=int, choices=SIZES, nargs="*", default=list(SIZES))
    parser.add_argument("--seeds", type=int, nargs="*", default=list(SEEDS))
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    lines = []
    for anchors in arguments.anchors:
        for name in arguments.kinds or KINDS:
            for seed in arguments.seeds:
                head, protos = tensors(name, seed, anchors)
                file = f"{name}_{anchors}_{seed}"
                (arguments.folder / f"{file}.head").write_bytes(head.tobytes())
                (arguments.folder / f"{file}.protos").write_bytes(protos.tobytes())
                numbers = HEAD_SCALE, HEAD_ZERO_POINT, PROTO_SCALE, PROTO_ZERO_POINT
                lines.append(" ".join(map(str, (file, anchors, SIZES[anchors], *numbers))))
    (arguments.folder / "crowds.txt").write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    print(f"{arguments.folder}: {len(lines)} crowds")


if __name__ == "__main__":
    main()
