"""Synthetic streets with known truth: people who cross, stop, turn, hide and leave, as a detector would see them.

All random numbers come from a seeded generator of numpy, so a street is the same every time. It does not depend on any
tracker. Sizes and speeds are those of a level camera: a person near it is large, low in the frame, and fast in pixels. Three
numbers were counted in data/street.xz: how often a person hides (once in eight seconds), the scores (a quarter is below
0.5), and the false alarms in a frame (four, nearly all with a low score, most of them at objects that never move).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

WIDTH, HEIGHT = 640, 480
STEP = 9.75  # pixels: the box step of an int8 head of 320 pixels with a single scale, in a frame of 640 pixels
HIDDEN = 0.25  # the minimum visible fraction of a person who is detected


class Frame(NamedTuple):
    """truth: (person, (x, y, w, h)) of each visible person; found: ((x, y, w, h), score) of each detection, best first."""

    truth: list[tuple[int, tuple[float, float, float, float]]]
    found: list[tuple[tuple[int, int, int, int], float]]


class Walker:
    """The path of one person, in pixels and seconds."""

    def __init__(self, rng: np.random.Generator, number: int, inside: bool) -> None:
        self.rng = rng
        self.number = number
        self.h = float(rng.uniform(50, 200))
        self.w = self.h * float(rng.uniform(0.3, 0.45))
        self.foot = 170 + self.h * 1.4 + float(rng.normal(0, 8))
        self.side = 1 if rng.random() < 0.5 else -1
        self.x = float(rng.uniform(0, WIDTH)) if inside else (-0.5 * self.w if self.side > 0 else WIDTH + 0.5 * self.w)
        self.pace = float(rng.normal(0.8, 0.2))  # body heights per second: 1.4 m/s at 1.7 m
        self.drift = float(rng.normal(0, 0.05))  # up and down the frame
        self.pauses = 0.0  # seconds left
        self.hides = 0  # frames left
        self.phase = float(rng.uniform(0, 6.3))

    def walk(self, dt: float) -> None:
        rng = self.rng
        if self.pauses > 0:
            self.pauses -= dt
        else:
            self.x += self.side * self.pace * self.h * dt
            self.foot += self.drift * self.h * dt
            self.phase += 6.3 * 1.8 * dt  # steps: arms and legs widen the box
            self.pace = max(0.2, self.pace + float(rng.normal(0, 0.15)) * dt**0.5)
            if rng.random() < 0.08 * dt:
                self.pauses = float(rng.uniform(0.5, 4))
            if rng.random() < 0.05 * dt:
                self.side = -self.side
        if self.hides:
            self.hides -= 1
        elif rng.random() < 0.12 * dt:  # behind a tree or a car
            self.hides = int(rng.integers(1, 21))

    @property
    def box(self) -> tuple[float, float, float, float]:
        w = self.w * (1 + 0.12 * np.sin(self.phase))
        return self.x - w / 2, self.foot - self.h, w, self.h

    @property
    def gone(self) -> bool:
        return bool(self.x < -0.5 * self.w - 1 or self.x > WIDTH + 0.5 * self.w + 1)


def clipped(box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    x, y, w, h = box
    left, top = max(x, 0.0), max(y, 0.0)
    return left, top, max(min(x + w, WIDTH) - left, 0.0), max(min(y + h, HEIGHT) - top, 0.0)


def visible(walkers: list[Walker]) -> list[float]:
    """The fraction of each person that is in the frame and not behind another person, whose feet are lower."""
    shares = []
    columns, rows = np.arange(0, WIDTH, 4), np.arange(0, HEIGHT, 4)
    for a in walkers:
        x, y, w, h = a.box
        inside = (columns[None, :] >= x) & (columns[None, :] < x + w) & (rows[:, None] >= y) & (rows[:, None] < y + h)
        free = inside.copy()
        for b in walkers:
            if b.foot > a.foot:
                x, y, w, h = b.box
                narrow = 0.12 * w  # a person does not fill their box
                free &= ~(
                    (columns[None, :] >= x + narrow) & (columns[None, :] < x + w - narrow)
                    & (rows[:, None] >= y) & (rows[:, None] < y + h)
                )  # fmt: skip
        whole = a.w * a.h / 16
        shares.append(0.0 if a.hides else float(free.sum() / max(whole, 1)))
    return shares


def street(people: int, fps: int, quantized: bool, seed: int, seconds: int = 24) -> list[Frame]:
    """The frames of a street with about this number of people."""
    rng = np.random.default_rng([seed, people, fps, quantized])
    walkers = [Walker(rng, i, True) for i in range(people)]
    born = people
    things = [false_alarm(rng) for _ in range(7)]
    frames = []
    for _ in range(seconds * fps):
        for walker in walkers:
            walker.walk(1 / fps)
        walkers = [w for w in walkers if not w.gone]
        while len(walkers) < people and rng.random() < 0.5:
            walkers.append(Walker(rng, born, False))
            born += 1
        truth, found = [], []
        for walker, share in zip(walkers, visible(walkers)):
            if share < HIDDEN:
                continue
            box = clipped(walker.box)
            truth.append((walker.number, box))
            if rng.random() < 0.05:
                continue  # missed by the detector
            score = float(np.clip(rng.normal(0.15 + 0.47 * min(share, 1.0), 0.13), 0.02, 0.98))
            found.append((noisy(rng, box, quantized), score))
        alarms = [thing for thing in things if rng.random() < 0.5] + [false_alarm(rng) for _ in range(rng.poisson(0.5))]
        found += [(noisy(rng, box, quantized), float(np.clip(rng.normal(0.2, 0.12), 0.1, 0.9))) for box in alarms]
        found = [f for f in found if f[1] >= 0.1 and f[0][2] > 0 and f[0][3] > 0]
        found.sort(key=lambda f: -f[1])
        frames.append(Frame(truth, found))
    return frames


def false_alarm(rng: np.random.Generator) -> tuple[float, float, float, float]:
    """A box for a false alarm, with a size that a person could have."""
    h = float(rng.uniform(30, 200))
    w = h * float(rng.uniform(0.25, 0.8))
    return clipped((float(rng.uniform(-20, WIDTH - 20)), float(rng.uniform(0, HEIGHT - 20)), w, h))


def noisy(
    rng: np.random.Generator, box: tuple[float, float, float, float], quantized: bool
) -> tuple[int, int, int, int]:
    """A box as a network returns it: with an error of a few percent, in the steps of a quantized head, in whole pixels."""
    x, y, w, h = box
    size = (w * h) ** 0.5
    numbers = np.array([x + w / 2, y + h / 2, w, h]) + rng.normal(0, 1, 4) * size * np.array([0.03, 0.03, 0.05, 0.05])
    if quantized:
        numbers = np.round(numbers / STEP) * STEP
    cx, cy, w, h = numbers
    x, y, w, h = clipped((cx - w / 2, cy - h / 2, w, h))
    left, top = int(np.floor(x)), int(np.floor(y))
    return left, top, int(np.ceil(x + w)) - left, int(np.ceil(y + h)) - top
