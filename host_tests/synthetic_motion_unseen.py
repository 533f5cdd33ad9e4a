"""More kinds of made-up motion, of other natures than those of synthetic_motion.py.

`Tracker` was changed with those in view. These were kept apart for most of the work. Only its last three constants were
chosen with both in view.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import synthetic_street
from synthetic_motion import (
    FOCAL,
    HEIGHT,
    HORIZON,
    STEP,
    WIDTH,
    Body,
    Car,
    Found,
    Frame,
    Kind,
    Mover,
    Scene,
    around,
    kind,
    observed,
    plaza,
    scattered,
    standing,
)

KINDS: dict[str, tuple[str, Kind]] = {}


def unseen(name: str, group: str) -> Callable[[Kind], Kind]:
    return kind(name, group, KINDS)


@unseen("corridor in pairs", "walkers")
def _corridor(rng: np.random.Generator) -> Scene:
    """Pairs side by side who come along a corridor, or go away, at 10 frames a second."""
    pairs, born, motion = [], 0, []
    for f in range(160):
        while len(pairs) < 4:
            toward = rng.random() < 0.5
            pairs.append(
                [
                    born,
                    float(rng.uniform(-1.3, 1.3)),
                    float(rng.uniform(4, 17)) if f == 0 else (17.0 if toward else 3.0),
                    (-1 if toward else 1) * float(rng.uniform(0.9, 1.6)),
                    float(rng.uniform(0.5, 0.7)),
                ]
            )
            born += 2
        bodies = []
        for p in pairs:
            p[2] += p[3] / 10
            for side in (0, 1):
                sway = 0.05 * np.sin(f * 0.9 + side * 2 + p[0])
                bodies.append(
                    Body(p[0] + side, standing(p[1] + side * p[4] + sway, p[2] + 0.1 * side, 1.65 + 0.15 * side), -p[2])
                )
        pairs = [p for p in pairs if 2.6 < p[2] < 18]
        motion.append(bodies)
    return observed(rng, motion)


@unseen("queue", "walkers")
def _queue(rng: np.random.Generator) -> Scene:
    """People who stand in a line, each covering a part of the next, and move up by one place now and then."""
    places = [float(560 - 52 * i) for i in range(9)]
    numbers, born, motion = list(range(9)), 9, []
    xs = dict(zip(numbers, places))
    for f in range(170):
        if f % 35 == 20:
            numbers = [*numbers[1:], born]
            xs[born] = 40.0
            born += 1
        bodies = []
        for place, n in zip(places, numbers):
            xs[n] += float(np.clip(place - xs[n], -7, 7))
            bodies.append(Body(n, around(xs[n] + 2 * float(np.sin(f / 5 + n)), 280 + (n * 7) % 11, 72, 190), place))
        motion.append(bodies)
    return observed(rng, motion)


@unseen("long hides", "walkers")
def _hides(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 8, hiding=0.35))


@unseen("sit and stand", "size")
def _sit(rng: np.random.Generator) -> Scene:
    """People whose boxes become lower by 45 % within four frames, and higher again, while others walk past."""
    homes = [(70 + 100 * i, 330 + 12 * (i % 2)) for i in range(6)]
    state = [1.0] * 6
    goal = [1.0] * 6
    passing = plaza(rng, 4, seconds=15, depths=(8, 16))
    motion = []
    for f in range(150):
        bodies = []
        for i, (x, y) in enumerate(homes):
            if rng.random() < 0.04:
                goal[i] = 0.55 if goal[i] == 1 else 1.0
            state[i] += float(np.clip(goal[i] - state[i], -0.12, 0.12))
            h = 150 * state[i]
            bodies.append(Body(i, (x - 28, y - h, 56 + 10 * (1 - state[i]), h), -3))
        motion.append(bodies + [b._replace(number=b.number + 100) for b in passing[f]])
    return observed(rng, motion)


@unseen("zoom", "camera")
def _zoom(rng: np.random.Generator) -> Scene:
    """A camera that zooms in and out by up to 5 % a frame."""
    motion, zoom, rate, goal = [], 1.0, 0.0, 0.0
    for f, bodies in enumerate(plaza(rng, 10)):
        if f % 22 == 5:
            goal = float(rng.uniform(0.025, 0.05)) * (-1 if zoom > 1.3 else 1)
        elif f % 22 == 17:
            goal = 0.0
        rate += (goal - rate) * 0.4
        zoom = float(np.clip(zoom * np.exp(rate), 0.7, 2.4))
        motion.append(
            [
                b._replace(
                    box=((b.box[0] - 320) * zoom + 320, (b.box[1] - 240) * zoom + 240, b.box[2] * zoom, b.box[3] * zoom)
                )
                for b in bodies
            ]
        )
    return observed(rng, motion)


@unseen("drone", "camera")
def _drone(rng: np.random.Generator) -> Scene:
    """People and cars from above; the drone turns, drifts and rises."""
    movers = [
        (
            float(rng.uniform(-500, 500)),
            float(rng.uniform(-400, 400)),
            float(rng.uniform(0, 6.3)),
            float(rng.uniform(0.5, 2)) if i % 3 else float(rng.uniform(3, 8)),
            22.0 if i % 3 else 40.0,
        )
        for i in range(30)
    ]
    motion, turn, zoom = [], 0.0, 1.0
    place = np.zeros(2)
    for f in range(150):
        turn += 0.05 * float(np.sin(f / 23))
        zoom = 1.0 + 0.3 * float(np.sin(f / 31))
        place += 6 * np.array([np.cos(f / 17), np.sin(f / 29)])
        cos, sin = float(np.cos(turn)), float(np.sin(turn))
        bodies = []
        for i, (x, y, heading, speed, size) in enumerate(movers):
            x, y = x + f * speed * np.cos(heading) - place[0], y + f * speed * np.sin(heading) - place[1]
            way = heading + turn
            long = 1.8 if size > 30 else 1.0
            w = size * zoom * (1 + (long - 1) * abs(np.cos(way)))
            h = size * zoom * (1 + (long - 1) * abs(np.sin(way)))
            bodies.append(Body(i, around(320 + zoom * (cos * x - sin * y), 240 + zoom * (sin * x + cos * y), w, h)))
        motion.append(bodies)
    return observed(rng, motion)


@unseen("camera that walks", "camera")
def _walking(rng: np.random.Generator) -> Scene:
    """A camera on a trolley in a street: people come, walk along or stand; the picture sways. 12 a second."""
    people, born, motion = [], 0, []
    for f in range(170):
        while len(people) < 9:
            way = rng.choice([-1.2, -1.0, 0.0, 1.0, 1.2])
            people.append(
                [
                    born,
                    float(rng.uniform(-4, 4)),
                    float(rng.uniform(4, 22)) if f == 0 or rng.random() < 0.3 else 22.0,
                    float(way),
                    float(rng.normal(0, 0.1)),
                    float(rng.uniform(1.5, 1.85)),
                ]
            )
            born += 1
        sway = 9 * np.sin(f * 0.55) + 16 * np.sin(f * 0.13), 5 * np.sin(f * 1.05)
        bodies = []
        for p in people:
            p[2] += (p[3] - 1.1) / 12
            p[1] += p[4] / 12
            x, y, w, h = standing(p[1], max(p[2], 0.5), p[5], 0.4)
            bodies.append(Body(p[0], (x + sway[0], y + sway[1], w, h), -p[2]))
        people = [p for p in people if 1.6 < p[2] < 24]
        motion.append(bodies)
    return observed(rng, motion, fps=12)


@unseen("camera in a car", "camera")
def _driving(rng: np.random.Generator) -> Scene:
    """10 a second, 5 to 10 m/s: people and parked cars on both sides pass by; a car drives ahead."""
    things, born, motion, speed = [], 0, [], 7.0
    for f in range(140):
        speed = 7.5 + 2.5 * float(np.sin(f / 25))
        while len(things) < 8:
            car = rng.random() < 0.5
            side = -1 if rng.random() < 0.5 else 1
            things.append(
                [
                    born,
                    side * float(rng.uniform(3.0, 5.5)),
                    float(rng.uniform(8, 45)) if f == 0 else float(rng.uniform(38, 48)),
                    1.5 if car else 1.7,
                    1.25 if car else 0.4,
                    0.0 if car else float(rng.normal(0, 1)),
                    int(car),
                ]
            )
            born += 1
        turn = 14 * float(np.sin(f / 9))
        bodies = []
        for t in things:
            t[2] += (t[5] - speed) / 10
            z = max(t[2], 0.6)
            h = FOCAL * t[3] / z
            w = h * t[4]
            bodies.append(
                Body(t[0], (320 + FOCAL * t[1] / z - w / 2 + turn, HORIZON + 40 + FOCAL * 1.6 / z - h, w, h), -z, t[6])
            )
        things = [t for t in things if t[2] > 2 and abs(t[1] / t[2]) < 0.9]
        ahead = 14 + 4 * float(np.sin(f / 18))
        h = FOCAL * 1.5 / ahead
        bodies.append(Body(100000, (320 + turn - h * 0.6, HORIZON + 40 + FOCAL * 1.6 / ahead - h, h * 1.2, h), -ahead, 1))
        motion.append(bodies)
    return observed(rng, motion)


@unseen("insects", "size")
def _insects(rng: np.random.Generator) -> Scene:
    """8 to 12 pixels, on random walks, at times fast."""
    movers = scattered(rng, 14, (8, 12), (0.5, 2))
    motion = []
    for _ in range(150):
        for m in movers:
            m.vx = 0.8 * m.vx + float(rng.normal(0, 1.1))
            m.vy = 0.8 * m.vy + float(rng.normal(0, 1.1))
            m.move()
            m.rebound(12)
        motion.append([m.body() for m in movers])
    return observed(rng, motion, noise=0.04)


@unseen("boats far away", "size")
def _boats(rng: np.random.Generator) -> Scene:
    """20 to 30 by 8 to 12 pixels, slow, on waves."""
    boats = [
        Mover(
            i,
            float(rng.uniform(40, 600)),
            150 + 22.0 * i,
            float(rng.normal(0, 1.2)),
            0,
            float(rng.uniform(20, 30)),
            float(rng.uniform(8, 12)),
        )
        for i in range(9)
    ]
    motion = []
    for f in range(150):
        bodies = []
        for b in boats:
            b.move()
            b.rebound(15)
            bodies.append(Body(b.number, around(b.x, b.y + 2.5 * float(np.sin(f / 6 + b.number)), b.w, b.h), b.y))
        motion.append(bodies)
    return observed(rng, motion, noise=0.04, recall=0.9)


@unseen("fish", "turns")
def _fish(rng: np.random.Generator) -> Scene:
    """Long bodies that swim in curves and turn around: the box narrows and widens."""
    fish = scattered(rng, 9, (34, 60), (3, 8))
    motion = []
    for f in range(150):
        bodies = []
        for m in fish:
            if rng.random() < 0.05:
                m.turn(float(rng.normal(0, 1.3)))
            m.turn(0.12 * float(np.sin(f / 7 + m.number)))
            m.move()
            m.rebound(30)
            speed = max(float(np.hypot(m.vx, m.vy)), 1e-6)
            along = abs(m.vx) / speed
            bodies.append(
                Body(m.number, around(m.x, m.y, m.w * (0.4 + 1.1 * along), m.w * (0.45 + 0.9 * (1 - along))), m.number)
            )
        motion.append(bodies)
    return observed(rng, motion)


@unseen("swings", "turns")
def _swings(rng: np.random.Generator) -> Scene:
    """Pendulums beside each other, whose ways overlap."""
    motion = []
    starts = rng.uniform(0, 6.3, 6)
    rates = rng.uniform(0.18, 0.26, 6)
    for f in range(150):
        bodies = []
        for i in range(6):
            angle = 0.55 * float(np.sin(starts[i] + rates[i] * f))
            bodies.append(Body(i, around(90 + 92 * i + 190 * np.sin(angle), 110 + 190 * float(np.cos(angle)), 46, 66), i))
        motion.append(bodies)
    return observed(rng, motion)


@unseen("football", "turns")
def _football(rng: np.random.Generator) -> Scene:
    """Players who accelerate and stop, and a ball of 9 pixels that is kicked."""
    movers = scattered(rng, 14, (26, 44), (1, 3), 0.45)
    ball = Mover(99, 320, 240, 10, 4, 9, 9)
    goals = rng.uniform((20, 60), (WIDTH - 20, HEIGHT - 30), (14, 2))
    motion = []
    for f in range(150):
        for i, m in enumerate(movers):
            if rng.random() < 0.06:
                goals[i] = rng.uniform((20, 60), (WIDTH - 20, HEIGHT - 30))
            dx, dy = goals[i][0] - m.x, goals[i][1] - m.y
            far = max(float(np.hypot(dx, dy)), 1)
            top = min(7.5, far / 4)
            m.vx += float(np.clip(top * dx / far - m.vx, -1.8, 1.8))
            m.vy += float(np.clip(top * dy / far - m.vy, -1.8, 1.8))
            m.move()
        if f % 12 == 0:
            angle, speed = float(rng.uniform(0, 6.3)), float(rng.uniform(6, 22))
            ball.vx, ball.vy = speed * float(np.cos(angle)), speed * float(np.sin(angle))
        ball.vx *= 0.95
        ball.vy *= 0.95
        ball.move()
        ball.rebound(10)
        motion.append([m.body() for m in movers] + [ball.body()._replace(class_id=1)])
    return observed(rng, motion)


@unseen("roundabout", "vehicles")
def _roundabout(rng: np.random.Generator) -> Scene:
    """Cars that go around in a circle, enter and leave it."""
    motion = [[] for _ in range(160)]
    for n in range(26):
        begin, entry = int(rng.integers(-20, 150)), int(rng.integers(4)) * np.pi / 2
        around_for, speed, size = float(rng.uniform(1.5, 5.5)), float(rng.uniform(8, 13)), float(rng.uniform(24, 34))
        car = Car(n, 320 + 420 * float(np.cos(entry)), 240 + 420 * float(np.sin(entry)), entry + np.pi, speed, size)
        turned, state = 0.0, 0
        for f in range(begin, 160):
            distance = np.hypot(car.x - 320, car.y - 240)
            if state == 0 and distance < 150:
                car.heading -= np.pi / 2.6
                state = 1
            if state == 1:
                car.heading += speed / 140
                turned += speed / 140
                if turned > around_for:
                    car.heading -= np.pi / 2.6
                    state = 2
            car.move()
            if f >= 0 and -60 < car.x < 700 and -60 < car.y < 540:
                motion[f].append(car.body())
    return observed(rng, motion)


@unseen("from a bridge", "vehicles")
def _bridge(rng: np.random.Generator) -> Scene:
    """Cars that come under a bridge, or go away from it, at 8 frames a second: they grow by up to a quarter a frame."""
    cars, born, motion = [], 0, []
    for _f in range(140):
        for lane in (-5.5, -2, 2, 5.5):
            out = lane > 0
            begin = 9.0 if out else 70.0
            if rng.random() < 0.12 and all(abs(c[2] - begin) > 12 for c in cars if c[1] == lane):
                cars.append(
                    [born, lane, begin, (1 if out else -1) * float(rng.uniform(9, 13)), float(rng.choice([1.5, 1.6, 3.0]))]
                )
                born += 1
        bodies = []
        for c in cars:
            c[2] += c[3] / 8
            z = max(c[2], 1)
            h, w = FOCAL * c[4] / z, FOCAL * 1.9 / z
            bodies.append(Body(c[0], (320 + FOCAL * c[1] / z - w / 2, HORIZON - 60 + FOCAL * 6 / z - h, w, h), -z))
        cars = [c for c in cars if 7 < c[2] < 75]
        motion.append(bodies)
    return observed(rng, motion, fps=8)


@unseen("lorries close by", "vehicles")
def _lorries(rng: np.random.Generator) -> Scene:
    """Long lorries that are cut at one edge or both for most of their way, and cars behind them."""
    movers, born, motion = [], 0, []
    for _ in range(150):
        for y, w, h, p in ((330, 520, 210, 0.02), (200, 130, 70, 0.06)):
            side = 1 if y > 250 else -1
            begin = -w / 2 if side > 0 else WIDTH + w / 2
            if rng.random() < p and all(abs(m.x - begin) > 0.5 * (m.w + w) + 60 for m in movers if m.y == y):
                movers.append(Mover(born, begin, y, side * 17.0, 0, w, h))
                born += 1
        for m in movers:
            m.move()
        movers = [m for m in movers if -m.w < m.x < WIDTH + m.w]
        motion.append([m.body() for m in movers])
    return observed(rng, motion)


@unseen("bottles", "uniform")
def _bottles(rng: np.random.Generator) -> Scene:
    """Bottles at equal distances on a belt that stops and goes; up to .45 of their distance a frame."""
    gap, speed, goal, x = 52.0, 0.0, 20.0, 0.0
    top = float(rng.uniform(14, 23))
    motion = []
    for f in range(150):
        if f % 30 == 0:
            goal = top
        elif f % 30 == 22:
            goal = 0.0
        speed += (goal - speed) * 0.3
        x += speed
        bodies = []
        for n in range(-120, 20):
            place = n * gap + x
            if -30 < place < WIDTH + 30:
                bodies.append(Body(n + 200, around(place, 260, 30, 86)))
        motion.append(bodies)
    return observed(rng, motion, dips=0.01)


@unseen("escalator", "uniform")
def _escalator(rng: np.random.Generator) -> Scene:
    """People close together on an escalator, all at one speed, 6 a second."""
    motion, people, born = [], [], 0
    for _f in range(150):
        if not people or people[-1][1] > float(people[-1][2]):
            people.append([born, 0.0, float(rng.uniform(48, 120)), float(rng.uniform(-8, 8))])
            born += 1
        for p in people:
            p[1] += 21
        people = [p for p in people if p[1] < 720]
        motion.append([Body(p[0], around(20 + 0.9 * p[1] + p[3], 420 - 0.5 * p[1], 44, 120), -p[1]) for p in people])
    return observed(rng, motion, fps=6)


@unseen("couples who turn", "crowds")
def _couples(rng: np.random.Generator) -> Scene:
    """Couples who turn around each other: one hides the other twice a turn."""
    motion = []
    starts, rates = rng.uniform(0, 6.3, 6), rng.uniform(0.16, 0.3, 6)
    for f in range(150):
        bodies = []
        for i in range(6):
            angle = starts[i] + rates[i] * f
            x, y = 110 + 105 * (i % 3) * 2, 150 + 190 * (i // 3)
            for j, a in enumerate((angle, angle + np.pi)):
                bodies.append(
                    Body(2 * i + j, around(x + 34 * float(np.cos(a)), y + 9 * float(np.sin(a)), 46, 128), float(np.sin(a)))
                )
        motion.append(bodies)
    return observed(rng, motion)


@unseen("take-off", "crowds")
def _take_off(rng: np.random.Generator) -> Scene:
    """Birds that sit, then fly up one after another, faster and smaller."""
    motion = []
    birds = [
        [
            float(rng.uniform(60, 580)),
            float(rng.uniform(330, 440)),
            0.0,
            0.0,
            float(rng.uniform(26, 40)),
            int(rng.integers(15, 110)),
            float(rng.normal(0, 1)),
        ]
        for _ in range(18)
    ]
    for f in range(150):
        bodies = []
        for i, b in enumerate(birds):
            if f > b[5]:
                b[3] -= 0.7
                b[2] += 0.5 * b[6]
                b[0] += b[2]
                b[1] += max(b[3], -11)
                b[4] *= 0.985
            flap = 1 + (0.35 * float(np.sin(2.4 * f + i)) if f > b[5] else 0)
            if b[1] > -20:
                bodies.append(Body(i, around(b[0], b[1], b[4] * flap, b[4] * 0.8), b[1]))
        motion.append(bodies)
    return observed(rng, motion)


@unseen("poor detector, 8 a second", "input")
def _poor(rng: np.random.Generator) -> Scene:
    return observed(
        rng, plaza(rng, 8, seconds=20, fps=8), fps=8, noise=0.06, recall=0.8, alarms=1.0, dips=0.06, step=STEP, second=0.1
    )


@unseen("street, 4 a second", "rates")
def _street_slow(rng: np.random.Generator) -> Scene:
    frames = synthetic_street.street(8, 4, True, int(rng.integers(1000)), 36)
    return Scene([Frame(list(f.truth), [Found(rect, score) for rect, score in f.found]) for f in frames], 4)


@unseen("20 a second, steps", "rates")
def _twenty(rng: np.random.Generator) -> Scene:
    return observed(rng, plaza(rng, 9, seconds=10, fps=20), fps=20, noise=0.05, step=STEP)


@unseen("dt of 3", "rates")
def _threes(rng: np.random.Generator) -> Scene:
    scene = observed(rng, plaza(rng, 7, seconds=40), every=range(0, 400, 3))
    return Scene([f._replace(dt=3.0) for f in scene.frames], 10)


@unseen("dt of 0.4", "rates")
def _fractions(rng: np.random.Generator) -> Scene:
    scene = observed(rng, plaza(rng, 8, seconds=8, fps=25), fps=25)
    return Scene([f._replace(dt=0.4) for f in scene.frames], 10)


@unseen("a dog", "turns")
def _dog(rng: np.random.Generator) -> Scene:
    """One large animal that stands, dashes and stops, 15 a second, and two people who stand."""
    dog = Mover(0, 320, 300, 0, 0, 110, 80)
    goal, motion = 320.0, []
    for _f in range(160):
        if rng.random() < 0.06:
            goal = float(rng.uniform(60, 580))
        dog.vx += float(np.clip(np.clip((goal - dog.x) / 3, -38, 38) - dog.vx, -14, 14))
        dog.x += dog.vx
        w = 110 if abs(dog.vx) > 4 else 80
        motion.append(
            [
                Body(0, around(dog.x, 330, w, 80), 3),
                Body(1, around(150, 270, 70, 210), 1),
                Body(2, around(470, 270, 76, 215), 1),
            ]
        )
    return observed(rng, motion, fps=15, alarms=0.3)


@unseen("riders", "crowds")
def _riders(rng: np.random.Generator) -> Scene:
    """A bicycle (class 1) and its rider (class 0) move together, their boxes overlap; others walk."""
    riders, born, motion = [], 0, []
    walkers = plaza(rng, 4, seconds=15)
    for f in range(150):
        if len(riders) < 4 and rng.random() < 0.1:
            side = 1 if rng.random() < 0.5 else -1
            riders.append(
                [born, -40.0 if side > 0 else 680.0, float(rng.uniform(260, 420)), side * float(rng.uniform(6, 13))]
            )
            born += 2
        bodies = []
        for r in riders:
            r[1] += r[3]
            bodies.append(Body(r[0], around(r[1], r[2] - 38, 44, 104), r[2]))
            bodies.append(Body(r[0] + 1, around(r[1], r[2] + 10, 84, 56), r[2] - 0.1, 1))
        riders = [r for r in riders if -60 < r[1] < 700]
        motion.append(bodies + [b._replace(number=b.number + 1000, depth=b.box[1] + b.box[3] - 40) for b in walkers[f]])
    return observed(rng, motion, flips=0.04)
