"""The filter and the assignment of the tracker in float64 with numpy, written from the formulas."""

from __future__ import annotations

import numpy as np
from reference import Array

FADE, CLASS_COST, AGE_COST, DOUBT_COST, FLOOR = 0.93, 4.0, 26 / 64, 2.0, 3.0
CENTER, SIZE, ACCELERATION, GROWTH, FIRST_SPEED, COVERED = 0.05, 0.08, 0.015, 0.01, 0.08, 0.75

Box = tuple[float, float, float, float]


class Track:
    """The state: x, y, vx, vy of the center, with one covariance for both axes, and w, h with one variance."""

    def __init__(self, box: Array, class_id: int) -> None:
        self.place, self.size = box[:2], box[2:]
        self.velocity = np.zeros(2)
        self.p = np.diag([self.noise(CENTER), FIRST_SPEED**2 * self.area])
        self.ps = self.noise(SIZE)
        self.missed = self.unsure = 0.0
        self.hits, self.id, self.class_id, self.found = 1, 0, class_id, True

    @property
    def area(self) -> float:
        return float(min(np.prod(self.size), 1024**2))

    def noise(self, part: float) -> float:
        return part**2 * self.area + FLOOR**2

    def predict(self, dt: float) -> None:
        t = min(dt, 8.0)
        f = np.array([[1, t], [0, 1]])
        q = ACCELERATION**2 * self.area * np.array([[t**3 / 3, t**2 / 2], [t**2 / 2, t]])
        self.place = self.place + self.velocity * t
        self.p = f @ self.p @ f.T + q
        self.ps += GROWTH**2 * self.area * t
        self.missed += dt
        self.unsure += dt
        self.found = False

    def cost(self, box: Array, class_id: int, dt: float) -> float:
        noise = self.noise(CENTER)
        variance = self.p[0, 0] + noise
        doublings = np.interp(variance / noise, 2.0 ** np.arange(25), np.arange(25))  # log2, linearly interpolated
        center = np.sum((box[:2] - self.place) ** 2) / variance
        size = np.sum((box[2:] - self.size) ** 2) / (self.ps + self.noise(SIZE))
        of_track = (self.missed - dt) * AGE_COST + doublings * DOUBT_COST
        return float(center + size + of_track + (class_id != self.class_id) * CLASS_COST)

    def correct(self, box: Array, class_id: int, sure: bool) -> None:
        gain = self.p[:, 0] / (self.p[0, 0] + self.noise(CENTER))
        gain_s = self.ps / (self.ps + self.noise(SIZE))
        away = box[:2] - self.place
        self.place, self.velocity = self.place + gain[0] * away, self.velocity + gain[1] * away
        self.p = self.p - np.outer(gain, self.p[0])
        self.size, self.ps = self.size + gain_s * (box[2:] - self.size), (1 - gain_s) * self.ps
        self.missed, self.hits, self.class_id, self.found = 0.0, self.hits + 1, class_id, True
        if sure:
            self.unsure = 0.0

    def slow_down(self, dt: float) -> None:
        fade = FADE**dt
        self.velocity = self.velocity * fade
        self.p = self.p * np.array([[1, fade], [fade, fade**2]])

    @property
    def rect(self) -> Array:
        return np.concatenate((self.place - self.size / 2, self.place + self.size / 2))


class Reference:
    def __init__(
        self, threshold: float = 0.5, low: float = 0.1, max_age: float = 30, min_hits: int = 2,
        max_distance: float = 22.0,
    ) -> None:
        self.threshold, self.low, self.max_age, self.min_hits = threshold, low, max_age, min_hits
        self.max_distance = max_distance
        self.tracks: list[Track] = []
        self.next_id = 1
        self.box = np.zeros(4)  # the extent of all rects so far

    def update(self, found: list[tuple[Box, float, int]], dt: float = 1.0) -> list[tuple[int, int, Array]]:
        """found: (rect, score, class) of each detection. Returns (its index, id, (x1, y1, x2, y2)) for confirmed tracks."""
        self.tracks = [t for t in self.tracks if t.missed + dt - 1 <= (self.max_age if t.id else 1)]
        for track in self.tracks:
            track.predict(dt)
        for (x, y, w, h), _, _ in found:
            self.box[:2], self.box[2:] = np.minimum(self.box[:2], (x, y)), np.maximum(self.box[2:], (x + w, y + h))
        boxes = [np.array([x + w / 2, y + h / 2, w, h]) for (x, y, w, h), _, _ in found]
        owner: dict[int, Track] = {}
        for low, high in ((self.threshold, np.inf), (self.low, self.threshold)):
            first = high == np.inf
            rows = [j for j, (_, score, _) in enumerate(found) if low <= score < high]
            columns = [t for t in self.tracks if not t.found and (first or t.id and t.unsure <= self.max_age)]
            while rows and columns:
                costs = np.array([[t.cost(boxes[j], found[j][2], dt) for t in columns] for j in rows])
                j, i = np.unravel_index(costs.argmin(), costs.shape)
                if costs[j, i] >= self.max_distance:
                    break
                track = columns.pop(int(i))
                owner[rows[j]] = track
                track.correct(boxes[rows[j]], found[rows[j]][2], first)
                rows.pop(int(j))
        for track in self.tracks:
            if not track.found:
                track.slow_down(dt)
        for j, (_, score, class_id) in enumerate(found):
            if j not in owner and score >= self.threshold and not self.covered(j, found, owner):
                owner[j] = Track(boxes[j], class_id)
                self.tracks.append(owner[j])
            if j in owner and not owner[j].id and owner[j].hits >= self.min_hits:
                owner[j].id = self.next_id
                self.next_id += 1
        low, high = np.tile(self.box[:2], 2), np.tile(self.box[2:], 2)
        return [(j, owner[j].id, np.clip(owner[j].rect, low, high)) for j in sorted(owner) if owner[j].id]

    def covered(self, j: int, found: list[tuple[Box, float, int]], owner: dict[int, Track]) -> bool:
        x, y, w, h = found[j][0]
        for k in owner:
            if found[k][2] == found[j][2]:
                a, b, c, d = found[k][0]
                common = max(min(x + w, a + c) - max(x, a), 0) * max(min(y + h, b + d) - max(y, b), 0)
                if common > COVERED * min(w * h, c * d):
                    return True
        return False
