"""Anomaly: frames that are learned and judged in any order, options that change, restarts, and features of another network.

The reference keeps the memory and the scores in whole numbers and float64, by the rules of families/maps/anomaly.py.
"""

from __future__ import annotations

import json
from math import isqrt
from typing import Any

import n6post
import numpy as np

from . import frames
from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, close, require, same
from .tensors import Array, Model, Quantized, placed

MOST_PLACE = 2047  # steps: a place is at most this far from the first one


class Expected:
    """What is learned: the patches with their places, and of each frame its weight, its score and its first quartile."""

    def __init__(self) -> None:
        self.patches: list[list[int]] = []
        self.frames: list[tuple[int, int, int]] = []
        self.step: int | None = None

    def rows(self, features: Array, step: int) -> Array:
        """[cells, channels + 2]: the features, and the place in steps."""
        y, x = np.mgrid[: features.shape[0], : features.shape[1]] * step
        return np.concatenate([features, x[..., None], y[..., None]], axis=-1).reshape(-1, features.shape[2] + 2)

    def distances(self, features: Array) -> Array:
        """[height, width]: the square of the distance of each cell to the nearest patch."""
        rows = self.rows(features, self.step or 0)
        return squares(rows, np.array(self.patches)).min(axis=1).reshape(features.shape[:2])

    def learn(self, features: Array, score: int, quartile: int, capacity: int, positions: bool) -> None:
        height, width, channels = features.shape
        if self.step is None:
            flat = features.reshape(-1, channels).astype(object)
            spread = len(flat) * int((flat * flat).sum()) - int((flat.sum(axis=0) ** 2).sum())
            self.step = min(isqrt(spread) // (5 * len(flat)), MOST_PLACE // max(width, height)) if positions else 0
        known, new, cells = [*self.patches], 0, height * width
        for row in self.rows(features, self.step):
            nearest = squares(row[None], np.array(known)).min() if known else np.inf
            closest, at = 0.0, len(self.patches)
            if at == capacity:
                apart = squares(np.array(self.patches), np.array(self.patches)) + np.diag([1e18] * capacity)
                closest, at = apart.min(), int(apart.min(axis=1).argmin())
            if nearest > closest:
                self.patches[at : at + 1] = [row.tolist()]
                known.append(row.tolist())
                new += 1
        part = (cells - new) * 256 // cells
        if not self.frames or len(self.patches) < capacity:
            part = len(self.frames) * 256 // (len(self.frames) + 1)
        self.frames.append((part**4, score, quartile))

    def limits(self, sensitive: bool) -> tuple[float, float, float] | None:
        """(threshold, largest and mean quartile of a good frame) in steps; None before frames of a weight of three."""
        weights, scores, quartiles = np.array(self.frames or [(0, 0, 0)], float).T
        if weights.sum() < 3 * 256**4:
            return None

        def usual(values: Array, deviations: float) -> float:
            mean = np.average(values, weights=weights)
            return float(mean + deviations * np.sqrt(np.average((values - mean) ** 2, weights=weights)))

        return usual(scores, 1.65 if sensitive else 3), usual(quartiles, 3), usual(quartiles, 0)


def squares(some: Array, others: Array) -> Array:
    return ((some[:, None].astype(np.int64) - others[None]) ** 2).sum(axis=2)


def anomalies(dice: Dice) -> str:
    width, height = dice.pick(((4, 3), (3, 3), (5, 2), (1, 1)))
    size = width * 16, height * 16
    channels = dice.pick((2, 3, 24, 33))
    grid = dice.chance(0.2)
    scale = float(np.float32(dice.pick((0.05, 0.25, 0.013))))
    zero_point = dice.pick((0, -128, 7))
    kinds = dice.array.integers(-90, 90, (dice.pick((1, 4, 9)), channels))
    options = {"patches": dice.pick((16, 17, 40)), "positions": dice.chance(0.5), "sensitive": dice.chance(0.3)}
    if dice.chance(0.2):
        options["threshold"] = dice.pick((0.0, 60.0, 0.5))
    anomaly, known = n6post.Anomaly(**options), Expected()
    said: list[Any] = []
    dice.tell(size=size, channels=channels, grid=grid, scale=scale, options=options, said=said)
    sure = True
    if dice.chance(0.1):  # no features
        strange = dice.array.integers(-99, 99, (1, height, width, channels)).astype(dice.pick((np.int16, np.float32)))
        model = Model([Quantized(strange)], size)
        found, refused = attempt(anomaly, model, [object()], model.outputs())
        require(found is None and not anomaly.learned, "accepted features of %s", strange.dtype)
        return REFUSED
    for _ in range(dice.whole(3, 16)):
        what = dice.pick(("learn",) * 12 + ("judge",) * 4 + ("restart", "option", "other", "reset") * dice.chance(0.3))
        said.append(what)
        if what == "reset":
            anomaly.reset()
            known = Expected()
        elif what == "restart":
            state, data = anomaly.to_state()
            again = n6post.Anomaly(**options)
            again.from_state((json.loads(json.dumps(state)), bytes(data)))
            anomaly = again
        elif what == "option":
            name = dice.pick(("threshold", "sensitive"))
            options[name] = dice.pick((None, 0.0, 80.0)) if name == "threshold" else not options["sensitive"]
            setattr(anomaly, name, options[name])
        if what not in ("learn", "judge", "other"):
            continue
        values = kinds[dice.array.integers(0, len(kinds), (height, width))] + dice.pick((0, 4)) * dice.array.normal()
        values[0, 0] += dice.pick((0, 0, 0, 50, -300))
        values = values.astype(int).clip(-128, 127)
        raw = (values + 128).astype(np.uint8) if dice.chance(0.2) else values.astype(np.int8)
        if grid:
            drawn = dice.array.uniform(-1, 30, (height, width)).astype(np.float32)
            tensor = Quantized(drawn.reshape(1, height, width, *[1] * dice.chance(0.5)).copy())
        else:
            tensor = Quantized(raw[None], scale, zero_point + (128 if raw.dtype == np.uint8 else 0))
        before = repr(anomaly.to_state())
        if what == "other" and (known.frames or grid):  # another network, whose map has a row or a column too much
            wrong = np.zeros((1, height + 1, width + 1, channels), np.int8)
            found, refused = attempt(anomaly, Model([Quantized(wrong, scale)], (size[0] + 16, size[1] + 16)), [object()],
                                     Model([Quantized(wrong, scale)], size).outputs())  # fmt: skip
            require(found is None or not known.frames, "learned features and other ones are compared: %s", refused)
            require(repr(anomaly.to_state()) == before, "what is refused is learned")
            continue
        (tensor,), fits = placed(dice, [tensor])
        model = Model([tensor], size)
        whole = frames.Source(object(), (0, 0, *size), size, (1.0, 1.0), (0.0, 0.0))
        source = frames.source(dice, size) if dice.chance(0.1) else whole
        anomaly.learn(1 if what == "learn" else 0)
        found, refused = attempt(anomaly, model, [source.given], model.outputs())
        require((found is not None) == fits, "refused or accepted: %s", refused)
        if found is None:
            require(repr(anomaly.to_state()) == before, "what is refused is learned")
            continue
        model.overwrite()
        got = np.array(found.values.tolist())
        if grid:
            wanted = np.clip(drawn, 0, 1e6).astype(float)
        else:
            wanted = np.sqrt(known.distances(values)) if known.patches else np.zeros((height, width))
        inside = cells_inside(source, size, (width, height))
        if inside is None:
            sure = False
        else:
            close("distances", got, np.where(inside, wanted, 0), 1e-6, 0 if not wanted.any() else 1 / 256 + 1e-6)
        same("score", found.score, got.max())
        said.append(found.score)
        score, quartile = int(got.max() * 4096), int(np.sort(got.ravel())[got.size // 4] * 4096)
        limits = known.limits(options["sensitive"])
        given = options.get("threshold")
        threshold = int(given * 4096) if given is not None else limits and limits[0]
        if not grid and not known.patches:
            threshold = None
        if threshold is None:
            same("threshold and verdict", (found.threshold, found.verdict), (None, None))
        else:
            close("threshold", found.threshold * 4096, threshold, 0, 2)  # two roots are rounded down
            rise = (quartile * threshold - score * limits[2]) if limits else 1.0  # of the whole map beside its largest value
            slack = 3 * (score + quartile + threshold) if limits else 0
            if abs(score - threshold) > 2 and (limits is None or abs(quartile - limits[1]) > 2) and abs(rise) > slack:
                changed = limits is not None and quartile > limits[1] and rise > 0
                verdict = "good" if score <= threshold else "changed" if changed else "defect"
                same("verdict", found.verdict, verdict)
        if source.roi[2] * source.roi[3] < 2**31:  # the kernel counts pixels in 32 bits
            listed, refused = attempt(found.objects)
            right = listed is not None and bool(listed) <= (found.verdict == "defect")
            require(right, "defects of a good frame: %s", refused)
            for d in listed or ():
                require(0.5 <= d.score <= 1 and d.mask.area > 0, "a defect %r of %d pixels", d.score, d.mask.area)
            require(attempt(n6post.to_json, found)[0] is not None, "no JSON")
        if what == "learn" and not grid:
            known.learn(values, score, quartile, options["patches"], options["positions"])
        elif what == "learn":
            known.frames.append((256**4, score, quartile))
        state, data = anomaly.to_state()
        sums = [0] * 5
        for weight, one, low in known.frames:
            more = weight, weight * one, weight * one * one, weight * low, weight * low * low
            sums = [a + b for a, b in zip(sums, more)]
        same("learned", (state["learned"][0], state["learned"][2:]), (len(known.frames), sums))
        if not grid and known.patches:
            rows = np.frombuffer(bytes(data), np.uint8).reshape(-1, channels + 4)
            places = np.ascontiguousarray(rows[:, channels:]).view("<i2")
            same("memory", np.concatenate([rows[:, :channels].view(np.int8), places], axis=1).tolist(), known.patches)
    return CONFIRMED if sure else BOUNDED


def cells_inside(source: frames.Source, size: tuple[int, int], grid: tuple[int, int]) -> Array | None:
    """Which cells have their centers in what the network saw: not in a letterbox's bars. None if rounding decides."""
    if not source.clear:
        return None
    spans = []
    for axis in (0, 1):
        step = size[axis] / grid[axis] * source.scale[axis]
        places = (np.arange(grid[axis]) + 0.5) * step + source.offset[axis]
        low, high = source.roi[axis], source.roi[axis] + source.roi[2 + axis]
        near = min(abs(places - low).min(), abs(places - high).min())
        within = (places > low) & (places < high)
        if near < 1e-3 * step + 1e-3 or not within.any():
            return None
        spans.append(within)
    inside: Array = spans[1][:, None] & spans[0]
    return inside
