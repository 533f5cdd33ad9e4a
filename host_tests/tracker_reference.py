"""The filter and the assignment of the tracker in float64 with numpy, written from the formulas.

Its unit of time is a frame of 80 ms. `frames` is the time between two updates, a quarter of a frame at least. How fast the
first velocity may be, how wide a jump is, and both fading factors depend on it.
"""

from __future__ import annotations

import math

import numpy as np
from reference import Array
from scipy.optimize import linear_sum_assignment  # type: ignore[import-untyped]

FADE, FORGET, CLASS_COST, AGE_COST, DOUBT_COST, MANEUVER_COST, SIZE_COST = 0.93, 0.8, 4.0, 0.25, 2.0, 10.0, 8.5
LOW_COST, LOST_COST = 4.0, 2.0
SIZE_FADE = 0.5  # of a lost track, in an update
LOW_NOISE = 2.0  # factor for the variance of a detection of a low score
FLOOR, FLOOR_PART, COVERED, SURPRISE, LEARN, TURN = 3.0, 0.17, 0.75, 3.0, 0.13, 1.3
NOISE, ACCELERATION, FIRST_SPEED, JUMP = 0.05, 0.015, 0.3, 0.16
SIZE_NOISE, GROWTH, FIRST_GROWTH, SIZE_JUMP = 0.1, 0.008, 0.13, 0.12
SMALLEST = 0.5  # pixels: the least standard deviation of a detection

Box = tuple[float, float, float, float]


class Part:
    """The filter of two numbers, such as x and y, that have one covariance: position and velocity."""

    def __init__(self, place: Array, noise: float, first: float) -> None:
        self.place, self.velocity = place, np.zeros(2)
        self.p = np.diag([noise, first])
        self.maneuver = 0.0

    def predict(self, t: float, q: float, least: Array) -> None:
        f = np.array([[1, t], [0, 1]])
        noise = np.array([[t**3 / 3, t**2 / 2], [t**2 / 2, t]])
        self.place = np.maximum(self.place + self.velocity * t, least)
        self.p = f @ self.p @ f.T + (q + self.maneuver) * noise

    def correct(self, seen: Array, noise: float, t: float, forget: float) -> None:
        away = seen - self.place
        self.maneuver *= forget
        excess = float(np.sum(away**2)) / 2 - SURPRISE * (self.p[0, 0] + noise)
        if excess > 0 and t > 0:
            t = max(t, 0.25)
            # All of it as a displacement, of which half comes from a change of velocity.
            self.p = self.p + excess * np.array([[1, 0.5 / t], [0.5 / t, 0.5 / t**2]])
            self.maneuver += LEARN * 0.5 * excess / t**2
        gain = self.p[:, 0] / (self.p[0, 0] + noise)
        self.place, self.velocity = self.place + gain[0] * away, self.velocity + gain[1] * away
        self.p = self.p - np.outer(gain, self.p[0])

    def slow_down(self, fade: float) -> None:
        self.velocity = self.velocity * fade
        self.p = self.p * np.array([[1, fade], [fade, fade**2]])


class Track:
    """Two filters: of the center and of the size."""

    def __init__(self, box: Array, class_id: int, frames: float) -> None:
        area = area_of(box[2:])
        # A step between two detections, whatever the time between them. The kernels' numbers end at .7.
        speed, growth = [min(first / frames, 0.7) for first in (FIRST_SPEED, FIRST_GROWTH)]
        self.center = Part(box[:2], noise(area, NOISE), speed**2 * area)
        self.size = Part(box[2:], noise(area, SIZE_NOISE), growth**2 * area)
        self.missed = self.unsure = 0.0
        self.misses = 0
        self.t = 0.0  # of the last prediction
        self.hits, self.id, self.class_id, self.found = 1, 0, class_id, True

    @property
    def area(self) -> float:
        return area_of(self.size.place)

    def predict(self, dt: float) -> None:
        self.t = min(dt, 8.0)
        area = self.area
        self.size.predict(self.t, GROWTH**2 * area, self.size.place / 2)
        self.center.predict(self.t, ACCELERATION**2 * area, np.full(2, -1024.0))
        self.missed += dt
        self.unsure += dt
        self.found = False

    def variances(self, frames: float) -> tuple[float, float, float, float]:
        """Of the difference to a detection: of center and size, then the same if the object maneuvers."""
        more = frames**0.5  # a jump is as wide as the fourth root
        center = float(self.center.p[0, 0]) + noise(self.area, NOISE)
        size = float(self.size.p[0, 0]) + noise(self.area, SIZE_NOISE)
        moved = float(np.sum((self.center.velocity * self.t) ** 2))
        return center, size, center + more * JUMP**2 * self.area + TURN**2 * moved, size + more * SIZE_JUMP**2 * self.area

    def cost(self, box: Array, class_id: int, dt: float, frames: float) -> float:
        far = float(np.sum((box[:2] - self.center.place) ** 2))
        resized = float(np.sum((box[2:] - self.size.place) ** 2))
        center, size, wide, wide_size = self.variances(frames)
        doublings = np.interp(center / noise(self.area, NOISE), 2.0 ** np.arange(25), np.arange(25))  # log2, linear between
        of_pair = min(far / center + resized / size, MANEUVER_COST + far / wide + min(resized / wide_size, SIZE_COST))
        of_track = (self.missed - dt) * AGE_COST + doublings * DOUBT_COST
        return float(of_pair + of_track + (class_id != self.class_id) * CLASS_COST)

    def correct(self, box: Array, class_id: int, sure: bool, frames: float) -> None:
        area, forget = self.area, FORGET**frames
        factor = 1.0 if sure else LOW_NOISE
        self.center.correct(box[:2], factor * noise(area, NOISE), self.missed, forget)
        self.size.correct(box[2:], factor * noise(area, SIZE_NOISE), self.missed, forget)
        self.missed, self.misses, self.hits, self.class_id = 0.0, 0, self.hits + 1, class_id
        if sure:
            self.unsure = 0.0

    def slow_down(self, frames: float) -> None:
        self.misses += 1
        self.center.slow_down(FADE**frames**0.5)
        self.size.slow_down(SIZE_FADE)

    @property
    def rect(self) -> Array:
        center, size = self.center.place, self.size.place
        return np.concatenate((center - size / 2, center + size / 2))


def area_of(size: Array) -> float:
    return float(min(np.prod(size), 1024**2))


def noise(area: float, part: float) -> float:
    """The variance of a detection's center or size."""
    return part**2 * area + max(min(FLOOR**2, FLOOR_PART**2 * area), SMALLEST**2)


class Reference:
    def __init__(
        self, threshold: float = 0.5, low: float = 0.1, max_gap: float = 2.5, min_hits: int = 2,
        max_distance: float = 22.0,
    ) -> None:
        self.threshold, self.low, self.max_gap, self.min_hits = threshold, low, max_gap / 0.08, min_hits
        self.max_distance = max_distance
        self.closest = math.inf  # difference of any cost to max_distance: lib, in integers, may decide a close one otherwise
        self.tracks: list[Track] = []
        self.next_id = 1
        self.interval = 0.0  # the time before the last update, and the same as the formulas take it
        self.frames = 1.0
        self.box = np.zeros(4)  # the extent of all rects so far

    def update(self, found: list[tuple[Box, float, int]], elapsed_ms: float = 80) -> list[tuple[int, int, Array]]:
        """found: (rect, score, class) of each detection. Returns (its index, id, (x1, y1, x2, y2)) for confirmed tracks."""
        dt = elapsed_ms / 80
        if dt:
            self.frames = max(dt, 0.25)
        longest = max(self.max_gap, 3 * self.interval)  # for a track that was in the last update
        self.interval = dt
        self.tracks = [t for t in self.tracks if t.missed + dt <= (self.max_gap if t.missed else longest)]
        self.tracks = [t for t in self.tracks if t.id or t.misses < 2]
        for track in self.tracks:
            track.predict(dt)
        for (x, y, w, h), _, _ in found:
            self.box[:2], self.box[2:] = np.minimum(self.box[:2], (x, y)), np.maximum(self.box[2:], (x + w, y + h))
        boxes = [np.array([x + w / 2, y + h / 2, w, h]) for (x, y, w, h), _, _ in found]
        classes = [class_id for _, _, class_id in found]
        high = [j for j, (_, score, _) in enumerate(found) if score >= self.threshold]
        low = [j for j, (_, score, _) in enumerate(found) if self.low <= score < self.threshold]
        owner = self.assigned(high, boxes, classes, self.tracks, dt)
        if self.follow_camera(owner, {j: boxes[j] for j in high}):
            owner = self.assigned(high, boxes, classes, self.tracks, dt)
        left = [t for t in self.tracks if t not in owner.values() and t.id and t.unsure <= self.max_gap]
        owner |= self.assigned(low, boxes, classes, left, dt, LOW_COST, LOST_COST)
        for j, track in owner.items():
            track.correct(boxes[j], classes[j], j in high, self.frames)
            track.found = True
        for track in self.tracks:
            if not track.found:
                track.slow_down(self.frames)
        for j, (_, score, class_id) in enumerate(found):
            if j not in owner and score >= self.threshold and not self.covered(j, found, owner):
                owner[j] = Track(boxes[j], class_id, self.frames)
                self.tracks.append(owner[j])
            if j in owner and not owner[j].id and owner[j].hits >= self.min_hits:
                owner[j].id = self.next_id
                self.next_id += 1
        first, last = np.tile(self.box[:2], 2), np.tile(self.box[2:], 2)
        return [(j, owner[j].id, np.clip(owner[j].rect, first, last)) for j in sorted(owner) if owner[j].id]

    def assigned(
        self, rows: list[int], boxes: list[Array], classes: list[int], tracks: list[Track], dt: float,
        more: float = 0.0, lost: float = 0.0,
    ) -> dict[int, Track]:
        """The pairs of least total cost, where a detection without a track costs as much as max_distance.

        more: what any pair costs in addition; lost: what one of a lost track costs in addition to that
        """
        if not rows or not tracks:
            return {}
        costs = np.full((len(rows), len(tracks) + len(rows)), self.max_distance)
        for i, j in enumerate(rows):
            for k, track in enumerate(tracks):
                cost = track.cost(boxes[j], classes[j], dt, self.frames) + more + lost * (track.misses > 0)
                self.closest = min(self.closest, abs(cost - self.max_distance))
                costs[i, k] = min(cost, 10 * self.max_distance)
        pairs = zip(*linear_sum_assignment(costs))
        return {rows[i]: tracks[k] for i, k in pairs if k < len(tracks) and costs[i, k] < self.max_distance}

    def follow_camera(self, owner: dict[int, Track], boxes: dict[int, Array]) -> bool:
        """Move the tracks by the displacement that most of those seen last have in common, if most of them are lost."""
        seen = [t for t in self.tracks if t.id and not t.misses and t.hits > 2]
        place = {id(track): boxes[j] for j, track in owner.items()}
        astray = [
            t for t in seen
            if id(t) not in place or np.sum((place[id(t)][:2] - t.center.place) ** 2) > 6 * t.variances(self.frames)[0]
        ]  # fmt: skip
        if len(seen) < 3 or 2 * len(astray) <= len(seen):
            return False
        cell = max(np.mean([np.sum(t.size.place) for t in seen]) / 16, 1.0)  # an eighth of the mean side
        moves = []
        for t in seen:
            for box in boxes.values():
                if np.all(4 * abs(box[2:] - t.size.place) <= t.size.place):
                    moves.append(box[:2] - t.center.place)
        squares = [m for m in moves if np.all(m > -15 * cell) and np.all(m < 16 * cell)]
        votes: dict[tuple[int, int], list[Array]] = {}
        for m in squares:
            x, y = (int(v) for v in np.floor(m / cell))
            for corner in ((x, y), (x - 1, y), (x, y - 1), (x - 1, y - 1)):
                votes.setdefault(corner, []).append(m)
        if not votes:
            return False
        best = max(votes.values(), key=len)
        still = max(len(votes.get(corner, [])) for corner in ((0, 0), (-1, 0), (0, -1), (-1, -1)))
        if len(best) < 3 or 2 * len(best) <= len(seen) or 2 * len(best) <= 3 * still:
            return False
        for t in self.tracks:
            t.center.place = t.center.place + np.mean(best, axis=0)
        return True

    def covered(self, j: int, found: list[tuple[Box, float, int]], owner: dict[int, Track]) -> bool:
        x, y, w, h = found[j][0]
        for k in owner:
            if found[k][2] == found[j][2]:
                a, b, c, d = found[k][0]
                common = max(min(x + w, a + c) - max(x, a), 0) * max(min(y + h, b + d) - max(y, b), 0)
                if common > COVERED * min(w * h, c * d):
                    return True
        return False
