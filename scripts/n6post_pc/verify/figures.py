"""How far outputs are from what this PC computes, beside how far this PC's own kernels are from each other."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from ml._backends import Array, Tensor

SAME, ROUNDING, WRONG = VERDICTS = "same", "rounding", "wrong"  # the best one first

# Rounding is up to FACTOR times what the PC's kernels differ from each other, and never less than these, in steps. In 13
# files of seven makers, each kind of kernels is at most 1.9 times as far from the nearest other kind as those are from each
# other (2.9 times in one file, whose two others are almost the same), outputs of one number aside.
FACTOR, LEAST_MEAN, LEAST_LINE = 2.0, 0.25, 1.0

CACHE_LINE = 32  # bytes


@dataclass
class Figures:
    """Differences of one output, in steps of its numbers; for floats, a step is a 255th of the output's range.

    largest, mean, cosine   of the output against the nearest of the PC's kernels
    line                    the largest mean in 32 bytes
    kernels                 (largest, mean, line) of the PC's kernels from each other
    """

    largest: float
    mean: float
    line: float
    cosine: float
    kernels: tuple[float, float, float]
    verdict: str


def worst(verdicts: Sequence[str]) -> str:
    return max(verdicts, key=VERDICTS.index)


def step_of(expected: Array, tensor: Tensor) -> float:
    """The size of a step in the numbers of an array."""
    if tensor.dtype != "f":
        return 1.0
    values = expected.astype(np.float64)
    return max(float(np.ptp(values)), float(np.abs(values).max()), 1e-9) / 255


def in_lines(values: Array, size: int) -> Array:
    """The values, a row for each 32 bytes of an output whose numbers have `size` bytes. The last row is filled up with 0."""
    wide = CACHE_LINE // size
    return np.pad(values.ravel(), (0, -values.size % wide)).reshape(-1, wide)


def _distance(one: Array, other: Array, step: float, size: int) -> tuple[float, float, float]:
    """(largest, mean, largest mean in 32 bytes)."""
    away = np.abs(one.astype(np.float64).ravel() - other.astype(np.float64).ravel()) / step
    return float(away.max()), float(away.mean()), float(in_lines(away, size).mean(1).max())


def mean_of(one: Array, other: Array, step: float) -> float:
    """The mean difference in steps. NaN counts as 0."""
    away = np.nan_to_num(one).astype(np.float64).ravel() - np.nan_to_num(other).astype(np.float64).ravel()
    return float(np.abs(away).mean() / step)


def rounding(kernels: Sequence[float]) -> tuple[float, float]:
    """The limits of rounding for the mean and for the mean in 32 bytes. `kernels` as in Figures."""
    return max(FACTOR * kernels[1], LEAST_MEAN), max(FACTOR * kernels[2], LEAST_LINE)


def compared(output: Array, kernels: Sequence[Array], tensor: Tensor) -> Figures:
    """The figures of an output, whose numbers are those of `tensor`. The first of `kernels` are the exact ones."""
    step, size = step_of(kernels[0], tensor), np.dtype(tensor.dtype).itemsize
    pairs = [_distance(one, other, step, size) for i, one in enumerate(kernels) for other in kernels[:i]]
    own = tuple(max(each) for each in zip(*pairs)) if pairs else (0.0, 0.0, 0.0)
    distances = [_distance(output, one, step, size) for one in kernels]
    largest, mean, line = min(distances, key=lambda each: each[1])
    nearest = kernels[distances.index((largest, mean, line))].astype(np.float64).ravel()
    values = output.astype(np.float64).ravel()
    if tensor.dtype != "f":
        nearest, values = nearest - tensor.zero_point, values - tensor.zero_point
    length = float(np.linalg.norm(nearest) * np.linalg.norm(values))
    cosine = float(nearest @ values) / length if length else float(not (nearest.any() or values.any()))
    if (output.astype(np.float64).ravel() == kernels[0].astype(np.float64).ravel()).all():
        verdict = SAME
    else:
        limits = rounding(own)
        verdict = ROUNDING if mean <= limits[0] and line <= limits[1] else WRONG
    return Figures(largest, mean, line, cosine, (own[0], own[1], own[2]), verdict)
