"""Render an empty yard in front of a door, for pictures that everybody may use: planes, boxes, bushes, computed textures.

The gravel and the grass are photographs of scikit-image (CC0). All lengths are in meters, x to the right, y up, z away from
the camera. yard_people.py adds the people.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageFilter
from recorder import photograph

Array = NDArray[Any]

SIZE = (800, 450)
EYE = np.array([0.6, 3.5, -2.6])
PITCH, FOCAL = 0.235, 760.0  # radians down; pixels
SUN = np.array([-0.52, 0.72, -0.46]) / np.linalg.norm([-0.52, 0.72, -0.46])  # towards the sun
SUNLIGHT, SKYLIGHT = np.array([1.9, 1.75, 1.5]), np.array([0.50, 0.58, 0.72])
WALL, DOOR = 9.0, (-1.05, 1.05, 2.45)  # z of the wall; left, right and upper edge of the opening

# (lower corner, upper corner, color) of boxes: canopy, bench (seat, back, legs), planters, window sills
BOXES = [
    ((-1.7, 2.68, 7.7), (1.7, 2.84, 9.0), (0.12, 0.13, 0.14)),
    ((-4.5, 0.42, 8.1), (-2.5, 0.48, 8.6), (0.42, 0.25, 0.13)),
    ((-4.5, 0.6, 8.62), (-2.5, 0.9, 8.68), (0.42, 0.25, 0.13)),
    ((-4.35, 0, 8.15), (-4.25, 0.6, 8.66), (0.1, 0.1, 0.1)),
    ((-2.75, 0, 8.15), (-2.65, 0.6, 8.66), (0.1, 0.1, 0.1)),
    ((1.55, 0, 8.2), (2.25, 0.55, 8.8), (0.36, 0.35, 0.33)),
    ((4.9, 0, 8.2), (5.6, 0.55, 8.8), (0.36, 0.35, 0.33)),
]
BUSHES = [(1.9, 0.8, 8.5), (5.25, 0.8, 8.5)]  # centers of spheres with leaves, 0.48 in radius
WINDOWS = [(-4.9, -2.2, 1.15, 2.6), (2.5, 4.6, 1.15, 2.6)]  # x0, x1, y0, y1


@cache
def rays(scale: int) -> Array:
    """The direction through each pixel (height, width, 3), with `scale` samples in a row and a column of it."""
    v, u = (np.mgrid[: SIZE[1] * scale, : SIZE[0] * scale] + 0.5) / scale
    u, v = (u - SIZE[0] / 2) / FOCAL, (SIZE[1] / 2 - v) / FOCAL
    cos, sin = np.cos(PITCH), np.sin(PITCH)
    directions = np.stack([u, v * cos - sin, cos + v * sin], -1)
    return (directions / np.linalg.norm(directions, axis=-1, keepdims=True)).astype(np.float32)


def project(points: Any) -> Array:
    """The pixels (n, 2) of points (n, 3)."""
    x, y, z = (np.asarray(points, float) - EYE).T
    cos, sin = np.cos(PITCH), np.sin(PITCH)
    depth = z * cos - y * sin
    return np.stack([SIZE[0] / 2 + FOCAL * x / depth, SIZE[1] / 2 - FOCAL * (y * cos + z * sin) / depth], -1)


def _noise(x: Array, y: Array, seed: float) -> Array:
    """A value in 0..1 for each whole x and y."""
    values = np.sin(np.floor(x) * 127.1 + np.floor(y) * 311.7 + seed) * 43758.5453
    return values - np.floor(values)


@cache
def _texture(name: str) -> Array:
    values = np.asarray(photograph(name).convert("L"), float)
    return values / values.mean()


def _tiled(name: str, x: Array, y: Array, size: float) -> Array:
    texture = _texture(name)
    at = [(v / size * 512).astype(int) % 1024 for v in (y, x)]
    return texture[tuple(np.where(v < 512, v, 1023 - v) for v in at)]  # mirrored, so that no edge shows


def _ground(x: Array, z: Array) -> Array:
    """Paving stones, grass at the right and in front of the wall gravel."""
    row = np.floor(z / 0.42)
    column = x / 0.63 + 0.5 * (row % 2)
    joint = (np.abs(z / 0.42 % 1 - 0.5) > 0.478) | (np.abs(column % 1 - 0.5) > 0.485)
    stone = (0.8 + 0.25 * _noise(column, row, 1.0)) * (0.8 + 0.2 * _tiled("gravel", x, z, 0.5))
    color = stone[..., None] * np.where(joint[..., None], [0.19, 0.18, 0.17], [0.40, 0.385, 0.36])
    gravel = _tiled("gravel", x, z, 1.1)[..., None] ** 1.6 * [0.44, 0.41, 0.37]
    color = np.where(((z > 7.85) & ((x < -1.6) | (x > 1.35)))[..., None], gravel, color)
    grass = _tiled("grass", x, z, 1.3)[..., None] ** 1.7 * [0.15, 0.25, 0.075]
    meadow = (x > 4.4 + 0.05 * np.sin(z * 9)) & (z < 7.85)
    color = np.where(meadow[..., None], grass, color)
    kerb = (np.abs(x - 4.35) < 0.07) & (z < 7.85) | (np.abs(z - 7.85) < 0.05) & ((x < -1.6) | (x > 1.35))
    return np.where(kerb[..., None], [0.5, 0.49, 0.47], color)


def _wall(x: Array, y: Array) -> Array:
    """Bricks, a base of stone, windows, the frame of the door."""
    row = np.floor(y / 0.083)
    column = x / 0.25 + 0.5 * (row % 2)
    joint = (np.abs(y / 0.083 % 1 - 0.5) > 0.43) | (np.abs(column % 1 - 0.5) > 0.475)
    shade = (0.72 + 0.5 * _noise(column, row, 7.0)) * (0.75 + 0.25 * _tiled("gravel", x * 1.3, y, 0.7))
    tint = np.stack([0.40 + 0 * x, 0.165 + 0.05 * _noise(column, row, 3.0), 0.115 + 0.03 * _noise(column, row, 5.0)], -1)
    color = shade[..., None] * np.where(joint[..., None], [0.44, 0.40, 0.36], tint)
    color = np.where((y < 0.45)[..., None], [0.33, 0.32, 0.31], color)
    for x0, x1, y0, y1 in [*WINDOWS, (DOOR[0] - 0.09, DOOR[1] + 0.09, 0, DOOR[2] + 0.09)]:
        inside = (x > x0) & (x < x1) & (y > y0) & (y < y1)
        border = np.minimum(np.minimum(x - x0, x1 - x), np.minimum(y - y0, y1 - y))
        bar = np.abs(x - (x0 + x1) / 2) < 0.035
        # Glass: what is dark inside, and a reflected sky that brightens upwards, with the edge of a cloud.
        sky = np.clip((y - y0) / (y1 - y0) + 0.25 * np.sin(x * 1.7 + y) - 0.2, 0, 1)[..., None]
        glass = np.array([0.03, 0.04, 0.05]) + sky * np.array([0.16, 0.22, 0.28])
        color = np.where(inside[..., None], np.where(((border < 0.07) | bar)[..., None], [0.08, 0.085, 0.09], glass), color)
    return color


def _nearest(origin: Array, direction: Array, lower: Any, upper: Any) -> tuple[Array, Array]:
    """(distance to a box, axis of the side that is hit); inf where a ray misses it."""
    with np.errstate(divide="ignore", invalid="ignore"):
        one, other = ((np.array(corner) - origin) / direction for corner in (lower, upper))
    entries = np.minimum(one, other)
    near, far = entries.max(-1), np.maximum(one, other).min(-1)
    return np.where((near < far) & (near > 1e-3), near, np.inf), entries.argmax(-1)


@cache
def _spots() -> Array:
    spots = Image.fromarray(np.random.default_rng(3).integers(0, 256, (1024, 1024), np.uint8))
    spots = spots.filter(ImageFilter.GaussianBlur(9))
    values = np.asarray(spots, float)
    return (values - values.mean()) / values.std()


def leaves(place: Array) -> Array:
    """How much sun a tree that is not in the picture lets through, 0..1."""
    at = place - SUN * ((place[..., 1] - 4) / SUN[1])[..., None]  # at the height of its leaves
    column, row = ((at[..., axis] * 60).astype(int) % 1024 for axis in (0, 2))
    far = np.hypot(at[..., 0] + 6.3, at[..., 2] - 1.0)  # from its trunk
    return 1 - 0.85 * np.clip(_spots()[row, column] * 0.8 + 1.2 - far / 2.2, 0, 1)


class Yard(NamedTuple):
    """The empty scene, for each pixel: what the sky and the sun light (linear), its distance and its place."""

    sky: Array
    sun: Array
    depth: Array
    place: Array


@cache
def yard() -> Yard:
    scale = 2
    direction = rays(scale)
    with np.errstate(divide="ignore"):
        ground, wall = -EYE[1] / direction[..., 1], (WALL - EYE[2]) / direction[..., 2]
    ground = np.where(ground > 0, ground, np.inf)
    at = EYE + direction * wall[..., None]
    opening = (at[..., 0] > DOOR[0]) & (at[..., 0] < DOOR[1]) & (at[..., 1] < DOOR[2])
    back = np.where(opening, (WALL + 4 - EYE[2]) / direction[..., 2], wall)
    depth = np.minimum(ground, back)
    place = EYE + direction * depth[..., None]
    x, y, z = np.moveaxis(place, -1, 0)
    normal = np.where((ground < back)[..., None], [0.0, 1, 0], [0.0, 0, -1])
    color = np.where((ground < back)[..., None], _ground(x, z), _wall(x, y))
    inside = z > WALL + 1e-3
    hall = np.where((ground < back)[..., None], [0.16, 0.13, 0.10], [0.30, 0.22, 0.13])
    hall *= np.exp(-0.25 * (z - WALL))[..., None]
    open_sky = np.where(normal[..., 1] > 0, 1.0, 0.62)
    open_sky *= 1 - 0.45 * np.exp(-np.where(normal[..., 1] > 0, WALL - z, y) / 0.35)  # corners are darker
    open_sky *= np.where((z > 7.6) & (np.abs(x) < 1.8) & (y < 2.68), 0.72, 1.0)  # below the canopy
    for lower, upper, tone in BOXES:
        distance, axis = _nearest(EYE, direction, lower, upper)
        hit = distance < depth
        depth = np.where(hit, distance, depth)
        color = np.where(hit[..., None], tone, color)
        normal = np.where(hit[..., None], np.eye(3)[axis] * np.where(axis == 1, 1, -1)[..., None], normal)
        open_sky = np.where(hit, np.where(axis == 1, 1.0, 0.6), open_sky)
        inside &= ~hit
        close = (x > lower[0] - 0.15) & (x < upper[0] + 0.15) & (z > lower[2] - 0.12) & (z < upper[2] + 0.1) & ~hit
        open_sky = np.where(close & (y < 0.01), open_sky * 0.6, open_sky)
    for center in BUSHES:
        offset = EYE - np.array(center)
        b = direction @ offset
        root = b * b - offset @ offset + 0.48**2
        distance = np.where(root > 0, -b - np.sqrt(np.maximum(root, 0)), np.inf)
        hit = distance < depth
        spot = EYE + direction * np.where(hit, distance, 1)[..., None]
        leaf = _noise(spot[..., 0] * 22, spot[..., 1] * 26, 2.0)
        hit &= (root > 0.06) | (leaf > 0.5)  # a frayed edge
        depth = np.where(hit, distance, depth)
        color = np.where(hit[..., None], (0.4 + leaf)[..., None] * [0.10, 0.20, 0.055], color)
        normal = np.where(hit[..., None], (spot - center) / 0.48, normal)
        open_sky = np.where(hit, 0.45 + 0.5 * leaf, open_sky)
        inside &= ~hit
    place = EYE + direction * depth[..., None]
    lit = np.clip(normal @ SUN, 0, None) * ~inside * leaves(place)
    for lower, upper, _ in BOXES:
        lit = lit * ~np.isfinite(_nearest(place + normal * 1e-3, np.broadcast_to(SUN, place.shape), lower, upper)[0])
    for center in BUSHES:
        offset = place - np.array(center)
        b = offset @ SUN
        lit = lit * ~((b * b - (offset**2).sum(-1) + 0.46**2 > 0) & (b < -0.1))
    sky = np.where(inside[..., None], hall, color * SKYLIGHT * open_sky[..., None])
    sun = color * SUNLIGHT * lit[..., None]

    def small(values: Array) -> Array:
        return values.reshape(SIZE[1], scale, SIZE[0], scale, 3).mean((1, 3)).astype(np.float32)

    return Yard(small(sky), small(sun), depth[::scale, ::scale], place[::scale, ::scale].astype(np.float32))


def developed(light: Array) -> Array:
    """Light (linear) as bytes: a soft shoulder and the gamma of a screen."""
    return (255 * np.clip(0.95 * light / (1 + 0.32 * light), 0, 1) ** (1 / 2.2)).astype(np.uint8)
