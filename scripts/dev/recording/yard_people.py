"""The people of yard_scene.py: skeletons of round cones that walk, drawn into the yard with their shadows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from yard_scene import EYE, FOCAL, SIZE, SKYLIGHT, SUN, SUNLIGHT, WALL, Array, developed, leaves, project, rays, yard

SKINS = [(0.50, 0.30, 0.21), (0.22, 0.11, 0.065), (0.60, 0.38, 0.28)]
HAIRS = [(0.025, 0.018, 0.014), (0.14, 0.07, 0.03), (0.30, 0.19, 0.08), (0.30, 0.29, 0.28)]
SHOE = (0.03, 0.03, 0.035)
FRAMES, RATE = 100, 10  # pictures, and pictures per second


class Person(NamedTuple):
    """Colors and build of a person, and its way as points (second, x, z)."""

    way: list[tuple[float, float, float]]
    top: tuple[float, float, float]
    legs: tuple[float, float, float]
    skin: int
    hair: int
    height: float = 1.75
    bag: tuple[float, float, float] | None = None  # a backpack
    long_hair: bool = False
    stripes: bool = False


class Part(NamedTuple):
    """A round cone: two spheres (place, radius) and what is between them. `flat` is its depth divided by its width."""

    a: Array
    b: Array
    radius_a: float
    radius_b: float
    color: Any
    flat: float = 1.0


def _along(angle: float, length: float) -> Array:
    """A limb that hangs down, turned forwards by an angle in radians."""
    return np.array([0.0, -np.cos(angle), np.sin(angle)]) * length


def skeleton(person: Person, second: float) -> tuple[list[Part], Array] | None:
    """The parts of a person at this time, and the rotation of its body; None before and after its way."""
    times, xs, zs = (np.array(column) for column in zip(*person.way))
    if not times[0] <= second < times[-1]:
        return None

    def place(when: float) -> Array:  # with rounded corners
        near = when + np.linspace(-0.35, 0.35, 8)
        return np.array([np.interp(near, times, xs).mean(), 0.0, np.interp(near, times, zs).mean()])

    at, ahead = place(second), place(second + 0.1) - place(second - 0.1)
    speed = float(np.linalg.norm(ahead)) * 5
    walked = sum(np.linalg.norm(place(t + 0.05) - place(t)) for t in np.arange(times[0], second, 0.05))
    stride = min(speed / 1.2, 1.0)  # 0 for somebody who stands
    moving = [t for t in np.arange(second, times[0] - 0.1, -0.1) if np.linalg.norm(place(t + 0.1) - place(t)) > 0.04]
    heading = ahead if stride > 0.3 or not moving else place(moving[0] + 0.1) - place(moving[0])
    turn = np.arctan2(heading[0], heading[2]) + (0.9 * (1 - stride) if moving else 0)
    rotation = np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0, np.cos(turn)]])
    phase = walked * 2 * np.pi / (0.82 * person.height)
    parts, soles = [], []
    for side in (-1, 1):
        swing = phase + (0 if side > 0 else np.pi)
        thigh = stride * (0.42 * np.sin(swing) + 0.06)
        shank = thigh - stride * (0.12 + 0.85 * max(np.cos(swing), 0) ** 1.4)
        hip = np.array([side * 0.095, 0, 0])
        knee = hip + _along(thigh, 0.43)
        ankle = knee + _along(shank, 0.41)
        pitch = 0.6 * shank if shank < 0 else -0.25 * stride * np.sin(swing)
        toe = ankle + np.array([side * 0.02, -0.055 + 0.15 * np.sin(pitch), 0.17 * np.cos(pitch)])
        heel = ankle + np.array([0, -0.05, -0.035])
        soles += [toe[1] - 0.035, heel[1] - 0.04]
        parts += [Part(hip, knee, 0.092, 0.06, person.legs), Part(knee, ankle, 0.06, 0.045, person.legs),
                  Part(heel, toe, 0.045, 0.036, SHOE)]  # fmt: skip
        swing = -stride * 0.45 * np.sin(swing) + 0.03
        bend = 0.22 + stride * 0.25 + (1 - stride) * (1.5 if side > 0 else 0.1)  # who stands looks at a phone
        shoulder = np.array([side * 0.185, 0.50, -0.005])
        elbow = shoulder + _along(swing, 0.285) + [side * 0.045, 0, 0]
        hand = elbow + _along(swing + bend, 0.255) + [-side * 0.03, 0, 0]
        parts += [Part(shoulder, elbow, 0.062, 0.047, person.top), Part(elbow, hand, 0.047, 0.034, person.top),
                  Part(hand, hand + _along(swing + bend, 0.075), 0.036, 0.03, SKINS[person.skin])]  # fmt: skip
    lean = np.array([0, 0, 0.035 * stride])
    skin, hair = SKINS[person.skin], HAIRS[person.hair]
    up = np.array([0, 1.0, 0])
    parts += [
        Part(np.array([-0.05, 0.02, 0]), np.array([0.05, 0.02, 0]), 0.12, 0.12, person.legs, 0.9),
        Part(0.09 * up, 0.22 * up + lean / 2, 0.148, 0.135, person.top, 0.76),
        Part(0.22 * up + lean / 2, 0.42 * up + lean, 0.135, 0.16, person.top, 0.7),
        Part(0.49 * up + lean + [-0.11, 0, 0], 0.49 * up + lean + [0.11, 0, 0], 0.085, 0.085, person.top, 0.85),
        Part(0.52 * up + lean, 0.66 * up + 1.3 * lean, 0.055, 0.052, skin),
        Part(0.665 * up + lean + [0, 0, 0.035], 0.755 * up + lean + [0, 0, 0.02], 0.078, 0.093, skin),
        Part(0.745 * up + lean + [0, 0, -0.015], 0.77 * up + lean + [0, 0, 0.0], 0.101, 0.1, hair),
    ]
    if person.long_hair:
        parts.append(Part(0.74 * up + lean + [0, 0, -0.04], 0.53 * up + lean + [0, 0, -0.085], 0.09, 0.075, hair, 0.8))
    if person.bag:
        parts.append(Part(0.17 * up + [0, 0, -0.16], 0.40 * up + [0, 0, -0.15], 0.12, 0.11, person.bag, 0.7))
    scale = person.height / 1.75
    lift = np.array([0, -min(soles), 0])
    moved = [Part(*(at + scale * rotation @ (p + lift) for p in part[:2]), *(scale * r for r in part[2:4]), *part[4:])
             for part in parts]  # fmt: skip
    return moved, rotation


def hits(part: Part, rotation: Array, direction: Array) -> tuple[Array, Array]:
    """(distance of a part along rays from EYE, inf where they miss it; its normal there). After Inigo Quilez' round cone."""
    squeeze = np.diag([1, 1, 1 / part.flat]) @ rotation.T
    d = direction @ squeeze.T
    length = np.linalg.norm(d, axis=-1)
    d = d / length[..., None]
    axis, oa, ob = squeeze @ (part.b - part.a), squeeze @ (EYE - part.a), squeeze @ (EYE - part.b)
    ra, rb = part.radius_a, part.radius_b
    m0, m1, m2, m3, m6 = axis @ axis, axis @ oa, d @ axis, d @ oa, d @ ob
    d2 = m0 - (ra - rb) ** 2
    k2 = d2 - m2 * m2
    k1 = d2 * m3 - m1 * m2 + m2 * (ra - rb) * ra
    h = k1 * k1 - (d2 * (oa @ oa) - m1 * m1 + m1 * (ra - rb) * ra * 2 - m0 * ra * ra) * k2
    t = np.where(h >= 0, (-np.sqrt(np.maximum(h, 0)) - k1) / k2, np.inf)
    y = m1 - ra * (ra - rb) + np.where(h >= 0, t, 0) * m2
    t = np.where((y > 0) & (y < d2), t, np.inf)
    normal = d2 * (oa + np.where(np.isfinite(t), t, 0)[..., None] * d) - axis * y[..., None]
    for offset, m, radius in ((oa, m3, ra), (ob, m6, rb)):
        root = m * m - offset @ offset + radius * radius
        cap = np.where(root > 0, -m - np.sqrt(np.maximum(root, 0)), np.inf)
        nearer = cap < t
        t = np.where(nearer, cap, t)
        normal = np.where(nearer[..., None], offset + np.where(nearer, cap, 0)[..., None] * d, normal)
    normal = normal @ squeeze
    return t / length, normal / np.linalg.norm(normal, axis=-1, keepdims=True)


def sunny(points: Array, parts: list[Part], bias: float) -> Array:
    """How much of the sun each of these points sees past the parts, 0..1. Shadows get softer with distance."""
    side = np.cross(SUN, [0, 1, 0])
    plane = np.stack([side / np.linalg.norm(side), np.cross(SUN, side) / np.linalg.norm(side)], -1)
    flat, along = points @ plane, points @ SUN
    light = np.ones(points.shape[:-1])
    for part in parts:
        axis = (part.b - part.a) @ plane
        h = np.clip((flat - part.a @ plane) @ axis / (axis @ axis + 1e-9), 0, 1)
        distance = np.linalg.norm(flat - part.a @ plane - h[..., None] * axis, axis=-1)
        radius = part.radius_a + h * (part.radius_b - part.radius_a)
        gap = part.a @ SUN + h * ((part.b - part.a) @ SUN) - along
        soft = 0.008 + 0.03 * np.maximum(gap, 0)
        cover = np.clip((radius + soft - distance) / (2 * soft), 0, 1) * (gap > radius + bias)
        light *= 1 - cover
    return light


def window(points: Array, margin: float) -> tuple[slice, slice]:
    """The rows and columns of the frame that these points (n, 3) and a margin in pixels cover."""
    at = project(points)
    (x0, y0), (x1, y1) = (at.min(0) - margin).astype(int).clip(0, SIZE), (at.max(0) + margin + 1).astype(int).clip(0, SIZE)
    return slice(y0, y1), slice(x0, x1)


def frame(people: list[Person], second: float) -> Array:
    """The picture (height, width, 3) uint8 of the yard at this time."""
    empty = yard()
    shown = [(person, *found) for person in people if (found := skeleton(person, second))]
    light, sun = empty.sky.copy(), empty.sun.copy()
    fine = 2  # samples in a row and a column of a pixel
    through = rays(fine)
    depth = np.repeat(np.repeat(empty.depth, fine, 0), fine, 1)
    color, normal, owner = np.zeros_like(through), np.zeros_like(through), np.full(depth.shape, -1)
    for number, (_, parts, rotation) in enumerate(shown):
        ends = np.array([end for part in parts for end in part[:2]])
        fallen = ends - SUN * (ends[:, 1:2] / SUN[1])  # their shadow on the ground
        on_wall = ends - SUN * ((ends[:, 2:] - WALL) / SUN[2])
        area = window(np.concatenate([ends, fallen, *[on_wall] * bool((fallen[:, 2] > WALL).any())]), 40)
        sun[area] *= sunny(empty.place[area], parts, 0.0)[..., None]
        away = ((empty.place[area][..., ::2] - ends[:, ::2].mean(0)) ** 2).sum(-1) / 0.09 + empty.place[area][..., 1] / 0.3
        light[area] *= 1 - 0.55 * np.exp(-away)[..., None]
        for part in parts:
            near = 1.3 * FOCAL * max(part.radius_a, part.radius_b) / (ends[:, 2].mean() - EYE[2] + 0.3)
            grid = tuple(slice(one.start * fine, one.stop * fine) for one in window(np.stack(part[:2]), near + 2))
            t, n = hits(part, rotation, through[grid])
            nearer = t < depth[grid]
            for values, new in ((depth, t), (color, np.broadcast_to(part.color, n.shape)), (normal, n)):
                values[grid][nearer] = new[nearer]
            owner[grid][nearer] = number
    light += sun
    samples = np.zeros_like(through)
    for number, (person, parts, _) in enumerate(shown):
        hit = owner == number
        points, tone, n = EYE + through[hit] * depth[hit][:, None], color[hit], normal[hit]
        if person.stripes:
            striped = (points[:, 1] * 13 % 1 < 0.5) & (np.abs(tone - person.top) < 1e-3).all(-1)
            tone = np.where(striped[:, None], [0.55, 0.54, 0.5], tone)
        wave = points @ [71.0, 99.0, 85.0]
        tone = tone * (1 + 0.05 * np.sin(wave) * np.sin(wave * 1.6 + 1))[:, None]
        indoors = points[:, 2] > WALL - 0.3
        others = [part for other, more, _ in shown if other is not person for part in more]
        lit = np.clip(n @ SUN, 0, None) * ~indoors * leaves(points)
        lit *= sunny(points + 0.01 * n, parts, 0.015) * sunny(points, others, 0.05)
        low = 0.6 + 0.4 * np.clip(points[:, 1] / 0.9, 0, 1)  # less sky between the legs
        bounce = np.clip(0.25 - 0.3 * n[:, 1], 0, 1)[:, None] * [0.42, 0.38, 0.33]
        shade = SKYLIGHT * ((0.55 + 0.45 * n[:, 1] - 0.15 * np.clip(n[:, 2], 0, 1)) * low)[:, None] + bounce
        shade *= np.where(indoors, 0.55 * np.exp(-0.5 * np.maximum(points[:, 2] - WALL, 0)), 1.0)[:, None]
        samples[hit] = tone * (shade + SUNLIGHT * lit[:, None])
    people_there = (owner >= 0).reshape(SIZE[1], fine, SIZE[0], fine).mean((1, 3))[..., None]
    return developed(light * (1 - people_there) + samples.reshape(SIZE[1], fine, SIZE[0], fine, 3).mean((1, 3)))


PEOPLE = [
    # In at the door, from the left front; from the right; out to the right; past in front, and at the back; one waits.
    Person([(-3, -3.4, 2.2), (2.2, -0.4, 6.2), (5.2, 0.1, 10.4)], (0.30, 0.035, 0.03), (0.03, 0.045, 0.09), 0, 1, 1.78,
           bag=(0.03, 0.05, 0.07)),
    Person([(2.6, 0.35, 11.2), (5.0, 0.5, 7.6), (10.5, 5.6, 3.6)], (0.05, 0.14, 0.26), (0.16, 0.14, 0.11), 1, 0, 1.83),
    Person([(1.5, 5.8, 5.6), (6.6, 0.3, 7.0), (9.4, 0.0, 10.6)], (0.62, 0.45, 0.09), (0.035, 0.035, 0.05), 2, 2, 1.68,
           long_hair=True),
    Person([(-2, 6.2, 3.4), (3.6, -0.5, 3.9), (4.6, -1.5, 3.0), (7, -2.2, -0.4)], (0.04, 0.13, 0.09), (0.05, 0.07, 0.14), 0,
           3, 1.76),
    Person([(-4, -4.9, 6.6), (-2, -3.3, 7.0), (6.8, -3.3, 7.0), (9.6, -0.3, 5.2), (12, 1.5, 2.5)], (0.4, 0.42, 0.45),
           (0.04, 0.05, 0.1), 0, 0, 1.72, stripes=True),
    Person([(4.5, -4.6, 4.0), (11, 4.2, 4.6)], (0.33, 0.12, 0.25), (0.08, 0.07, 0.07), 1, 0, 1.66, long_hair=True,
           bag=(0.25, 0.14, 0.06)),
]  # fmt: skip


def pictures() -> Iterator[Array]:
    """The pictures of the sequence."""
    for number in range(FRAMES):
        print(f"\r{number + 1} of {FRAMES} pictures", end="", flush=True)
        yield frame(PEOPLE, number / RATE)
    print()
