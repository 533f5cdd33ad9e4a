"""Made-up motion of many kinds with known truth, as a detector would see it: what `Tracker` is judged by, beside streets.

A kind is a function of a random generator that returns a Scene; `KINDS` holds them by name. Motion (who is where) and
detection (what a network makes of it) are apart: `observed` adds noise, steps, misses, false alarms, second boxes and
mixed-up classes. All random numbers come from seeded generators of numpy. Nothing here knows a tracker.

Boxes are (x, y, w, h) in pixels of a frame of 640 x 480; detections are clipped to it and in whole pixels, as processors
return them. An object is true while a quarter of it is in the frame and not behind others.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import NamedTuple

import numpy as np
import synthetic_street

WIDTH, HEIGHT = 640, 480
STEP = 6.5  # pixels: a finer step than synthetic_street's, of a head of 320 pixels with scores between the anchors' scales
VISIBLE = 0.25  # the minimum visible fraction of a true object
Box = tuple[float, float, float, float]


class Body(NamedTuple):
    """One object in one frame. `depth` orders bodies: one with a larger depth hides one with a smaller."""

    number: int
    box: Box
    depth: float = 0.0
    class_id: int = 0
    hidden: bool = False


class Found(NamedTuple):
    rect: tuple[int, int, int, int]
    score: float
    class_id: int = 0


class Frame(NamedTuple):
    """What is true (number, box), what was detected, best first, and frames since the last one."""

    truth: list[tuple[int, Box]]
    found: list[Found]
    dt: float = 1.0


class Scene(NamedTuple):
    frames: list[Frame]
    fps: float


Motion = list[list[Body]]
Kind = Callable[[np.random.Generator], Scene]
KINDS: dict[str, tuple[str, Kind]] = {}  # name: (group, function)


def kind(name: str, group: str, into: dict[str, tuple[str, Kind]] = KINDS) -> Callable[[Kind], Kind]:
    def keep(function: Kind) -> Kind:
        into[name] = group, function
        return function

    return keep


def scene(name: str, seed: int, kinds: dict[str, tuple[str, Kind]] = KINDS) -> Scene:
    """The scene of a kind. Seeds of different kinds have nothing in common."""
    return kinds[name][1](np.random.default_rng([seed, zlib.crc32(name.encode())]))


# ---- detection ----


def clipped(box: Box) -> Box:
    x, y, w, h = box
    left, top = min(max(x, 0.0), WIDTH), min(max(y, 0.0), HEIGHT)
    return left, top, max(min(x + w, WIDTH) - left, 0.0), max(min(y + h, HEIGHT) - top, 0.0)


def whole(box: Box) -> tuple[int, int, int, int]:
    """The box clipped to the frame, in whole pixels."""
    x, y, w, h = clipped(box)
    left, top = int(np.floor(x + 0.5)), int(np.floor(y + 0.5))
    return left, top, int(np.floor(x + w + 0.5)) - left, int(np.floor(y + h + 0.5)) - top


def iou(a: tuple[int, ...], b: tuple[int, ...]) -> float:
    w = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    h = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    common = max(w, 0) * max(h, 0)
    return common / max(a[2] * a[3] + b[2] * b[3] - common, 1)


def shares(bodies: list[Body]) -> list[float]:
    """The visible fraction of each body: what is in the frame, less what lies behind each body in front of it."""
    boxes = np.array([body.box for body in bodies], dtype=float).reshape(-1, 4)
    inside = np.array([clipped(body.box) for body in bodies], dtype=float).reshape(-1, 4)
    result = []
    for i, body in enumerate(bodies):
        area = boxes[i, 2] * boxes[i, 3]
        share = inside[i, 2] * inside[i, 3] / max(area, 1e-6)
        for j, other in enumerate(bodies):
            if other.depth > body.depth:
                x, y, w, h = inside[i]
                narrow = 0.1 * boxes[j, 2]  # an object does not fill its box
                across = min(x + w, boxes[j, 0] + boxes[j, 2] - narrow) - max(x, boxes[j, 0] + narrow)
                down = min(y + h, boxes[j, 1] + boxes[j, 3]) - max(y, boxes[j, 1])
                if across > 0 and down > 0:
                    share *= 1 - min(across * down / max(w * h, 1e-6), 1.0)
        result.append(0.0 if body.hidden else float(share))
    return result


def observed(
    rng: np.random.Generator,
    motion: Motion,
    *,
    fps: float = 10,
    noise: float = 0.03,
    step: float = 0.0,
    recall: float = 0.96,
    score: float = 0.78,
    spread: float = 0.1,
    dips: float = 0.02,
    alarms: float = 0.15,
    second: float = 0.0,
    flips: float = 0.0,
    every: Iterable[int] | None = None,
) -> Scene:
    """The scene that a detector makes of a motion.

    noise   standard deviation of the center, a fraction of sqrt(w h); of width and height 1.5 times as much
    step    pixels: center and size are rounded to multiples of this
    recall  probability that an object is detected in a frame
    score, spread   mean and standard deviation of the scores of unhidden objects
    dips    probability that a few frames of low scores begin
    alarms  false alarms in a frame, of any size an object has there
    second  probability of a second box, whose IoU with the first is below .5
    flips   probability of class 1 instead of 0, and vice versa
    every   frames of the motion that are seen; dt is the number of frames between them
    """
    frames = []
    dipping: dict[int, int] = {}
    indexes = list(range(len(motion)) if every is None else every)
    for last, index in zip([indexes[0] - 1, *indexes], indexes):
        bodies = motion[index]
        truth: list[tuple[int, Box]] = []
        found: list[Found] = []
        for body, share in zip(bodies, shares(bodies)):
            box = clipped(body.box)
            if share < VISIBLE or min(box[2:]) < 3:
                continue
            truth.append((body.number, box))
            if dipping.get(body.number, 0):
                dipping[body.number] -= 1
            elif rng.random() < dips:
                dipping[body.number] = int(rng.integers(2, 9))
            sure = float(rng.normal(score * (0.45 + 0.55 * min(share, 1.0)), spread))
            if dipping.get(body.number, 0):
                sure = float(rng.uniform(0.12, 0.45))
            jitter = rng.normal(0, 1, 4)
            if rng.random() > recall:
                continue
            class_id = 1 - body.class_id if rng.random() < flips else body.class_id
            found.append(Found(_noisy(box, jitter * noise, step), min(max(sure, 0.02), 0.98), class_id))
            if rng.random() < second:
                wrong, doubt = second_box(rng, box, sure)
                beside = _noisy(wrong, np.zeros(4), step)
                if iou(found[-1].rect, beside) < 0.5:  # otherwise suppression drops it
                    found.append(Found(beside, doubt, class_id))
        for _ in range(rng.poisson(alarms)):
            w, h = (30.0, 60.0) if not bodies else bodies[int(rng.integers(len(bodies)))].box[2:]
            place = float(rng.uniform(0, WIDTH - 5)), float(rng.uniform(0, HEIGHT - 5))
            sure = float(np.clip(rng.normal(0.25, 0.15), 0.02, 0.9))
            found.append(Found(whole((*place, w * float(rng.uniform(0.6, 1.5)), h * float(rng.uniform(0.6, 1.5)))), sure))
        found = [f for f in found if f.score >= 0.1 and f.rect[2] > 0 and f.rect[3] > 0]
        found.sort(key=lambda f: -f.score)
        frames.append(Frame(truth, found, float(index - last)))
    return Scene(frames, fps)


def second_box(rng: np.random.Generator, box: Box, score: float) -> tuple[Box, float]:
    """Another box of the same object, further off than noise, and its lower score."""
    x, y, w, h = box
    size = (w * h) ** 0.5
    dx, dy, dw, dh = rng.normal(0, 1, 4) * np.array([0.18, 0.18, 0.375, 0.375]) + np.array([0, 0, -0.15, -0.15])
    wide, high = max(w + float(dw) * size, 2.0), max(h + float(dh) * size, 2.0)
    wrong = around(x + w / 2 + float(dx) * size, y + h / 2 + float(dy) * size, wide, high)
    return wrong, min(max(score - float(rng.uniform(0.05, 0.4)), 0.02), 0.98)


def _noisy(box: Box, jitter: np.ndarray, step: float) -> tuple[int, int, int, int]:
    x, y, w, h = box
    numbers = np.array([x + w / 2, y + h / 2, w, h]) + jitter * (w * h) ** 0.5 * np.array([1, 1, 1.5, 1.5])
    if step:
        numbers = np.round(numbers / step) * step
    cx, cy = float(numbers[0]), float(numbers[1])
    w, h = max(float(numbers[2]), step, 2.0), max(float(numbers[3]), step, 2.0)
    return whole((cx - w / 2, cy - h / 2, w, h))


def around(cx: float, cy: float, w: float, h: float) -> Box:
    return cx - w / 2, cy - h / 2, w, h


# ---- people in front of a camera ----

FOCAL = 520.0  # pixels
EYE = 2.6  # meters above the ground
HORIZON = 150.0  # pixels from the top


def standing(x: float, z: float, tall: float = 1.7, broad: float = 0.38) -> Box:
    """The box of a person at (x, z) meters: x to the right of the camera, z in front of it."""
    h = FOCAL * tall / z
    w = h * broad
    return WIDTH / 2 + FOCAL * x / z - w / 2, HORIZON + FOCAL * EYE / z - h, w, h


class Walker:
    """A person who walks on the ground from somewhere to somewhere else, stops, and is sometimes hidden."""

    def __init__(self, rng: np.random.Generator, number: int, depths: tuple[float, float], straight: bool) -> None:
        self.rng, self.number, self.straight = rng, number, straight
        self.near, self.far = depths
        self.tall = float(rng.uniform(1.5, 1.9))
        self.broad = float(rng.uniform(0.3, 0.45))
        self.pace = float(rng.uniform(0.9, 1.8))  # m/s
        self.x, self.z = self._somewhere()
        self.goal = self._somewhere()
        if straight:
            self._start_straight()
        self.waits = self.hides = 0.0
        self.phase = float(rng.uniform(0, 6.3))
        self.gone = False

    def _somewhere(self) -> tuple[float, float]:
        z = 1 / float(self.rng.uniform(1 / self.far, 1 / self.near))
        return float(self.rng.uniform(-0.62, 0.62)) * z * WIDTH / FOCAL, z

    def _start_straight(self) -> None:
        # Towards the camera or away from it.
        rng = self.rng
        toward = rng.random() < 0.5
        self.z = self.far if toward else self.near
        self.x = float(rng.uniform(-0.4, 0.4)) * self.near * WIDTH / FOCAL
        self.goal = self.x + float(rng.normal(0, 0.5)), self.near * 0.8 if toward else self.far * 1.2

    def walk(self, dt: float, hiding: float) -> None:
        rng = self.rng
        self.hides = max(self.hides - dt, 0)
        if self.waits > 0:
            self.waits -= dt
            return
        far = np.hypot(self.goal[0] - self.x, self.goal[1] - self.z)
        move = self.pace * dt
        if far <= move:
            self.gone = self.straight
            self.goal = self._somewhere()
            return
        self.x += (self.goal[0] - self.x) / far * move
        self.z += (self.goal[1] - self.z) / far * move
        self.phase += 11 * dt
        if not self.straight and rng.random() < 0.07 * dt:
            self.waits = float(rng.uniform(0.5, 4))
        if rng.random() < hiding * dt:
            self.hides = float(rng.uniform(0.1, 2))

    def body(self) -> Body:
        box = standing(self.x, self.z, self.tall, self.broad * (1 + 0.12 * float(np.sin(self.phase))))
        return Body(self.number, box, -self.z, hidden=self.hides > 0)


def plaza(
    rng: np.random.Generator,
    people: int = 9,
    seconds: float = 16,
    fps: float = 10,
    depths: tuple[float, float] = (5.0, 22.0),
    straight: bool = False,
    hiding: float = 0.06,
) -> Motion:
    """People who walk across a plaza in all directions, stop and hide; or, if `straight`, to and from the camera."""
    walkers = [Walker(rng, i, depths, straight) for i in range(people)]
    for walker in walkers:
        if straight:
            walker.z = float(rng.uniform(*depths))
    born = people
    motion = []
    for _ in range(int(seconds * fps)):
        for walker in walkers:
            walker.walk(1 / fps, hiding)
        walkers = [w for w in walkers if not w.gone]
        while len(walkers) < people:
            walkers.append(Walker(rng, born, depths, straight))
            born += 1
        motion.append([walker.body() for walker in walkers])
    return motion


def shifted(motion: Motion, offsets: Iterable[tuple[float, float]]) -> Motion:
    """The motion as a moving camera sees it: everything in a frame is shifted by that frame's offset."""
    return [
        [b._replace(box=(b.box[0] + dx, b.box[1] + dy, *b.box[2:])) for b in bodies]
        for bodies, (dx, dy) in zip(motion, offsets)
    ]


@kind("street", "walkers")
def _street(rng: np.random.Generator) -> Scene:
    frames = synthetic_street.street(10, 10, False, int(rng.integers(1000)), 16)
    return Scene([Frame(list(f.truth), [Found(rect, score) for rect, score in f.found]) for f in frames], 10)


@kind("plaza", "walkers")
def _plaza(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng))


@kind("to and from the camera", "size")
def _approach(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 6, depths=(2.4, 16), straight=True, hiding=0.02), noise=0.02)


def growing(rng: np.random.Generator, rates: tuple[float, float], count: int = 7, frames: int = 150) -> Motion:
    """Things that drift, and grow or shrink by a steady factor a frame until they are too large or too small."""
    motion: Motion = []
    born = 0
    things: list[list[float]] = []  # number, x, y, w, h, vx, vy, rate
    for _ in range(frames):
        while len(things) < count:
            rate = float(np.exp(rng.uniform(np.log(rates[0]), np.log(rates[1]))))
            size = float(np.exp(rng.uniform(np.log(14), np.log(60)) if rate > 1 else rng.uniform(np.log(70), np.log(220))))
            aspect = float(rng.uniform(0.6, 1.6))
            x, y = float(rng.uniform(60, WIDTH - 60)), float(rng.uniform(60, HEIGHT - 60))
            vx, vy = rng.normal(0, 2, 2)
            things.append([born, x, y, size * aspect**0.5, size / aspect**0.5, float(vx), float(vy), rate])
            born += 1
        for t in things:
            t[1] += t[5]
            t[2] += t[6]
            t[3] *= t[7]
            t[4] *= t[7]
        things = [
            t for t in things
            if 9 < min(t[3:5]) and max(t[3:5]) < 380 and -20 < t[1] < WIDTH + 20 and -20 < t[2] < HEIGHT + 20
        ]  # fmt: skip
        motion.append([Body(int(t[0]), around(*t[1:5]), t[3] * t[4]) for t in things])
    return motion


@kind("growth", "size")
def _growth(rng: np.random.Generator) -> Scene:
    return observed(rng, growing(rng, (0.95, 1.05)), noise=0.02)


@kind("growth without noise", "size")
def _clean_growth(rng: np.random.Generator) -> Scene:
    return observed(rng, growing(rng, (0.95, 1.05), 4), noise=0, recall=1, dips=0, alarms=0)


# ---- things on a plane ----


class Mover:
    """A thing in the plane of the frame: position, velocity in pixels a frame, size, number."""

    def __init__(self, number: int, x: float, y: float, vx: float, vy: float, w: float, h: float) -> None:
        self.number, self.x, self.y, self.vx, self.vy, self.w, self.h = number, x, y, vx, vy, w, h

    def move(self) -> None:
        self.x += self.vx
        self.y += self.vy

    def rebound(self, margin: float = 0) -> None:
        if not margin < self.x < WIDTH - margin:
            self.vx = abs(self.vx) if self.x < WIDTH / 2 else -abs(self.vx)
        if not margin < self.y < HEIGHT - margin:
            self.vy = abs(self.vy) if self.y < HEIGHT / 2 else -abs(self.vy)

    def turn(self, angle: float) -> None:
        cos, sin = float(np.cos(angle)), float(np.sin(angle))
        self.vx, self.vy = cos * self.vx - sin * self.vy, sin * self.vx + cos * self.vy

    def body(self) -> Body:
        return Body(self.number, around(self.x, self.y, self.w, self.h), self.y + self.h / 2)


def scattered(
    rng: np.random.Generator, count: int, sizes: tuple[float, float], speeds: tuple[float, float], aspect: float = 1.0
) -> list[Mover]:
    movers = []
    for i in range(count):
        size, speed, angle = float(rng.uniform(*sizes)), float(rng.uniform(*speeds)), float(rng.uniform(0, 6.3))
        wide = float(np.exp(rng.normal(0, 0.15))) * aspect
        x, y = float(rng.uniform(30, WIDTH - 30)), float(rng.uniform(30, HEIGHT - 30))
        movers.append(
            Mover(i, x, y, speed * np.cos(angle), speed * np.sin(angle), size * wide**0.5, size / wide**0.5)
        )
    return movers


@kind("tiny", "size")
def _tiny(rng: np.random.Generator) -> Scene:
    """Objects of 8 to 14 pixels, such as people from a mast."""
    movers = scattered(rng, 12, (8, 14), (0.3, 2.0))
    motion = []
    for _ in range(150):
        for m in movers:
            m.move()
            m.rebound(10)
            m.turn(float(rng.normal(0, 0.1)))
        motion.append([m.body() for m in movers])
    return observed(rng, motion, noise=0.05)


@kind("abrupt turns", "turns")
def _turns(rng: np.random.Generator) -> Scene:
    movers = scattered(rng, 9, (26, 50), (5, 14))
    motion = []
    for _ in range(150):
        for m in movers:
            if rng.random() < 0.07:
                m.turn(float(rng.uniform(1, 3.14)) * (1 if rng.random() < 0.5 else -1))
            m.move()
            m.rebound(15)
        motion.append([m.body() for m in movers])
    return observed(rng, motion)


@kind("bouncing", "turns")
def _bouncing(rng: np.random.Generator) -> Scene:
    """Balls that fall, bounce on the ground and at the walls."""
    movers = scattered(rng, 7, (26, 44), (3, 9))
    motion = []
    for _ in range(150):
        for m in movers:
            m.vy += 0.6
            m.move()
            if m.y > HEIGHT - m.h / 2:
                m.y = HEIGHT - m.h / 2
                m.vy = -abs(m.vy) * float(rng.uniform(0.8, 1.0))
            if not m.w / 2 < m.x < WIDTH - m.w / 2:
                m.vx = abs(m.vx) if m.x < WIDTH / 2 else -abs(m.vx)
        motion.append([m.body() for m in movers])
    return observed(rng, motion)


# ---- vehicles ----


@kind("motorway", "vehicles")
def _motorway(rng: np.random.Generator) -> Scene:
    """Long vehicles from the side in six lanes, fast, entering and leaving at the edges."""
    lanes = [(120 + 55 * i, (1 if i < 3 else -1), 0.8 + 0.25 * i) for i in range(6)]
    movers: list[Mover] = []
    born, motion = 0, []
    for _ in range(150):
        for y, side, scale in lanes:
            speed = side * float(rng.uniform(13, 26)) * scale
            w, h = scale * float(rng.choice([80, 95, 150])), scale * 38
            begin = -w / 2 if side > 0 else WIDTH + w / 2
            free = all(abs(m.x - begin) > 0.6 * (m.w + w) + 30 for m in movers if abs(m.y - y) < 10)
            if free and rng.random() < 0.08:
                ahead = [abs(m.vx) for m in movers if abs(m.y - y) < 10]
                movers.append(Mover(born, begin, y, side * min([abs(speed), *ahead]), 0, w, h))
                born += 1
        for m in movers:
            m.move()
        movers = [m for m in movers if -m.w < m.x < WIDTH + m.w]
        motion.append([m.body() for m in movers])
    return observed(rng, motion, flips=0.03)


class Car:
    """A car from above at a slant: a box that is long along the road and changes its shape when the car turns."""

    def __init__(self, number: int, x: float, y: float, heading: float, speed: float, size: float) -> None:
        self.number, self.x, self.y, self.heading, self.speed, self.size = number, x, y, heading, speed, size
        self.rate = 0.0
        self.left = 0

    def move(self) -> None:
        if self.left:
            self.left -= 1
            self.heading += self.rate
        self.x += self.speed * float(np.cos(self.heading))
        self.y += self.speed * float(np.sin(self.heading))

    def body(self) -> Body:
        cos, sin = abs(float(np.cos(self.heading))), abs(float(np.sin(self.heading)))
        w, h = self.size * (2.2 * cos + sin), self.size * (2.2 * sin + cos)
        return Body(self.number, around(self.x, self.y, w, h), self.y + h / 2)


@kind("junction", "vehicles")
def _junction(rng: np.random.Generator) -> Scene:
    """Cars seen from above that turn at a junction, or go straight on, and wait in front of it."""
    cars: list[Car] = []
    born, motion = 0, []
    for frame in range(160):
        if len(cars) < 9 and rng.random() < 0.25:
            way = int(rng.integers(4))
            x, y, heading = [(-30, 262, 0.0), (670, 218, np.pi), (298, -30, np.pi / 2), (342, 510, -np.pi / 2)][way]
            if all(np.hypot(c.x - x, c.y - y) > 90 for c in cars):
                cars.append(Car(born, x, y, float(heading), float(rng.uniform(7, 14)), float(rng.uniform(24, 32))))
                born += 1
        green = (frame // 40) % 2  # who may go
        for c in cars:
            across = abs(np.cos(c.heading)) > 0.9
            distance = np.hypot(c.x - 320, c.y - 240)
            coming = (c.x - 320) * np.cos(c.heading) + (c.y - 240) * np.sin(c.heading) < 0
            ahead = [
                o for o in cars if o is not c and abs(np.angle(np.exp(1j * (o.heading - c.heading)))) < 0.5
                and 0 < (o.x - c.x) * np.cos(c.heading) + (o.y - c.y) * np.sin(c.heading) < 90
                and abs(-(o.x - c.x) * np.sin(c.heading) + (o.y - c.y) * np.cos(c.heading)) < 20
            ]  # fmt: skip
            if ahead or (coming and 75 < distance < 110 and across == bool(green)):
                continue
            if coming and 30 < distance < 60 and not c.left and c.rate == 0 and rng.random() < 0.3:
                c.left = 8
                c.rate = float(rng.choice([-1, 1])) * np.pi / 2 / 8
            c.move()
        cars = [c for c in cars if -80 < c.x < WIDTH + 80 and -80 < c.y < HEIGHT + 80]
        motion.append([c.body() for c in cars])
    return observed(rng, motion)


@kind("parked and moving", "vehicles")
def _parked(rng: np.random.Generator) -> Scene:
    """Rows of parked cars that cover each other in part, and cars that drive past in front of and behind them."""
    parked = [Mover(i, 60 + 58 * i, 210, 0, 0, 74, 52) for i in range(10)]
    movers: list[Mover] = []
    born, motion = 10, []
    for _ in range(150):
        for y in (160, 270):
            if rng.random() < 0.04 and all(abs(m.y - y) > 5 or 140 < m.x for m in movers):
                movers.append(Mover(born, -50, y, float(rng.uniform(8, 16)), 0, 100, 60))
                born += 1
        for m in movers:
            m.move()
        movers = [m for m in movers if m.x < WIDTH + 60]
        motion.append([m.body() for m in parked + movers])
    return observed(rng, motion)


# ---- moving cameras ----


@kind("pan", "camera")
def _pan(rng: np.random.Generator) -> Scene:
    """A camera that pans now and then, by up to 24 pixels a frame."""
    offset, speed, goal, offsets = 0.0, 0.0, 0.0, []
    for frame in range(160):
        if frame % 25 == 0:
            goal = 0.0 if goal else float(rng.uniform(10, 24)) * (-1 if offset > 0 else 1)
        speed += (goal - speed) * 0.35
        offset += speed
        offsets.append((offset, 0.15 * offset))
    wide = plaza(rng, 9)
    more = shifted(plaza(rng, 7), [(WIDTH * 0.8, 0)] * 160) + []
    less = shifted(plaza(rng, 7), [(-WIDTH * 0.8, 0)] * 160)
    motion = [
        a + [x._replace(number=x.number + 1000) for x in b] + [x._replace(number=x.number + 2000) for x in c]
        for a, b, c in zip(wide, more, less)
    ]
    return observed(rng, shifted(motion, offsets))


@kind("shake", "camera")
def _shake(rng: np.random.Generator) -> Scene:
    """A camera on a pole in the wind."""
    place = np.zeros(2)
    offsets = []
    for _ in range(160):
        place = 0.5 * place + rng.normal(0, 6, 2)
        offsets.append((float(place[0]), float(place[1])))
    return observed(rng, shifted(plaza(rng, 10), offsets))


# ---- many together ----


@kind("crowd", "crowds")
def _crowd(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 26, seconds=13, depths=(5, 16)), dips=0.03)


@kind("flock", "crowds")
def _flock(rng: np.random.Generator) -> Scene:
    """Birds that fly together, flap, and cross another flock."""
    motion: Motion = [[] for _ in range(140)]
    number = 0
    for side in (1, -1, 1):
        start = int(rng.integers(0, 30))
        vx, vy = side * float(rng.uniform(5, 9)), float(rng.normal(0, 0.7))
        x0, y0 = (-60.0 if side > 0 else WIDTH + 60.0), float(rng.uniform(120, 360))
        for _ in range(9):
            x, y = x0 - side * float(rng.uniform(0, 220)), y0 + float(rng.normal(0, 60))
            size, phase, own = float(rng.uniform(14, 24)), float(rng.uniform(0, 6.3)), rng.normal(0, 0.4, 2)
            for f in range(start, 140):
                x += vx + float(own[0])
                y += vy + float(own[1])
                phase += 2.2
                flap = float(np.sin(phase))
                box = around(x, y, size * 1.5, size * (0.8 + 0.3 * flap))
                if -40 < x < WIDTH + 40:
                    motion[f].append(Body(number, box, number))
            number += 1
    return observed(rng, motion)


@kind("dancers", "crowds")
def _dancers(rng: np.random.Generator) -> Scene:
    """People who sway on the spot and change places with their partners."""
    motion: Motion = []
    homes = [(90 + 115 * (i % 5), 230 + 120 * (i // 5)) for i in range(10)]
    at = list(range(10))
    swaps: dict[int, tuple[int, int, int]] = {}  # dancer: (from, to, frame)
    phases = rng.uniform(0, 6.3, (10, 2))
    for frame in range(150):
        if frame % 18 == 9:
            for left in range(0, 9, 2):
                if rng.random() < 0.5 and left % 5 != 4:
                    a, b = at.index(left), at.index(left + 1)
                    swaps[a], swaps[b] = (left, left + 1, frame), (left + 1, left, frame)
                    at[a], at[b] = left + 1, left
        bodies = []
        for i in range(10):
            x, y = homes[at[i]]
            if i in swaps:
                f = (frame - swaps[i][2]) / 8
                if f < 1:
                    (x1, y1), (x2, y2) = homes[swaps[i][0]], homes[swaps[i][1]]
                    x, y = x1 + (x2 - x1) * f, y1 + (y2 - y1) * f + 22 * np.sin(np.pi * f) * (1 if x2 > x1 else -1)
            phases[i] += (0.7, 1.1)
            x, y = x + 14 * np.sin(phases[i][0]), y + 5 * np.sin(phases[i][1])
            w = 52 * (1 + 0.25 * np.sin(phases[i][1] * 0.7))
            bodies.append(Body(i, around(float(x), float(y), float(w), 130.0), float(y)))
        motion.append(bodies)
    return observed(rng, motion)


@kind("players", "turns")
def _players(rng: np.random.Generator) -> Scene:
    """Players who run for a ball that changes its direction, and back."""
    movers = scattered(rng, 12, (34, 60), (1, 2), 0.4)
    ball = np.array([320.0, 240.0])
    goal = np.array([100.0, 200.0])
    keen = rng.uniform(0.3, 1.2, 12)
    homes = [(m.x, m.y) for m in movers]
    motion = []
    for frame in range(150):
        if frame % 14 == 0:
            goal = rng.uniform((40, 80), (WIDTH - 40, HEIGHT - 60))
        ball += (goal - ball) * 0.15
        for m, eager, home in zip(movers, keen, homes):
            aim = ball if eager > 0.6 else (ball + np.array(home)) / 2
            dx, dy = aim[0] - m.x, aim[1] - m.y
            far = max(float(np.hypot(dx, dy)), 1.0)
            top = 9.0 * eager
            m.vx += float(np.clip(top * dx / far - m.vx, -2.6, 2.6)) + float(rng.normal(0, 0.5))
            m.vy += float(np.clip(0.6 * top * dy / far - m.vy, -2.0, 2.0)) + float(rng.normal(0, 0.4))
            for other in movers:
                if other is not m and abs(other.x - m.x) < 16 and abs(other.y - m.y) < 12:
                    m.vx += 1.5 if m.x > other.x else -1.5
            m.move()
            m.rebound(20)
        motion.append([m.body() for m in movers])
    return observed(rng, motion)


@kind("conveyor", "uniform")
def _conveyor(rng: np.random.Generator) -> Scene:
    """Things on a belt that move by half to nearly all of their width in a frame, at irregular distances."""
    size = float(rng.uniform(44, 60))
    speed = size * float(rng.uniform(0.5, 0.9))
    motion: Motion = []
    places: list[list[float]] = []
    born, following = 0, 0.0
    for _ in range(130):
        for p in places:
            p[1] += speed
        following -= speed
        while following <= 0:
            places.append([born, -size / 2 + -following, float(rng.normal(240, 6))])
            born += 1
            following += size * float(rng.uniform(1.6, 3.2))
        places = [p for p in places if p[1] < WIDTH + size]
        motion.append([Body(int(p[0]), around(p[1], p[2], size, size * 0.8)) for p in places])
    return observed(rng, motion, dips=0.01)


# ---- frame rates ----


@kind("3 a second", "rates")
def _slow(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 7, seconds=40, fps=3), fps=3)


@kind("5 a second", "rates")
def _five(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 8, seconds=28, fps=5), fps=5)


@kind("30 a second", "rates")
def _fast(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 8, seconds=7, fps=30), fps=30, dips=0.007)


@kind("uneven dt", "rates")
def _uneven(rng: np.random.Generator) -> Scene:
    """One to four frames of a tenth of a second between updates, and dt says so."""
    motion = plaza(rng, 8, seconds=30)
    every = np.cumsum(rng.choice([1, 1, 2, 2, 3, 4], 400))
    return observed(rng, motion, every=[int(i) for i in every if i < len(motion)])


# ---- poor detectors ----


@kind("noise of 10 %", "input")
def _noise(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng), noise=0.1)


@kind("steps", "input")
def _steps(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 10, depths=(7, 26)), step=STEP)


@kind("low recall", "input")
def _misses(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng), recall=0.6)


@kind("second boxes", "input")
def _second(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng), second=0.5, step=STEP)


@kind("false alarms", "input")
def _alarms(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng), alarms=3.0)


@kind("low scores and mixed classes", "input")
def _dips(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng), dips=0.1, flips=0.25, score=0.68)
