"""Oriented boxes in plain numpy, to the bit: what kernels/portable/oriented.py does, one box and one pair at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

f32 = np.float32
Array = np.ndarray[Any, Any]

TURNS, QUARTER, REST = f32(41722 / 65536), f32(201 / 128), f32(2078000 / 2**32)
SIN = [f32(n / 2**22) for n in (-699051, 34953, -832)]
COS = [f32(-0.5), *(f32(n / 2**22) for n in (174763, -5825, 104))]
EXP = [*(f32(n / 2**22) for n in (34953, 174763, 699051)), f32(0.5), f32(1), f32(1)]
LEAST = f32(2.0**-20)


def nearest(number: f32) -> f32:
    return f32(np.round(number)) if abs(number) < 2**22 else number + f32(12582912) - f32(12582912)


def turned(value: Array, angle: f32, unit_x: f32, unit_y: f32) -> Array:
    """x, y, ux, uy, vx, vy, a, b, c, s of a box with corners `value`, turned by an angle in radians."""
    left, top, right, bottom = value
    x, y = (left + right) * f32(0.5) * unit_x, (top + bottom) * f32(0.5) * unit_y
    w, h = (right - left) * f32(0.5) * unit_x, (bottom - top) * f32(0.5) * unit_y
    w, h = w if w > 0 else f32(0), h if h > 0 else f32(0)
    turns = nearest(angle * TURNS)
    angle = (angle - turns * QUARTER) - turns * REST
    half = turns * f32(0.5)
    if not nearest(half) == half:
        w, h = h, w
    square = angle * angle
    sin = angle + angle * (square * ((square * SIN[2] + SIN[1]) * square + SIN[0]))
    cos = (((square * COS[3] + COS[2]) * square + COS[1]) * square + COS[0]) * square + f32(1)
    ux, uy, vx, vy = w * cos, w * sin, f32(0) - h * sin, h * cos
    return np.array([x, y, ux, uy, vx, vy, ux * ux + vx * vx, uy * uy + vy * vy, ux * uy + vx * vy, w * h], f32)


def exponential(z: f32) -> f32:
    z = z * f32(1 / 64)
    e = z * f32(5825 / 2**22) + EXP[0]
    for factor in EXP[1:]:
        e = e * z + factor
    for _ in range(6):
        e = e * e
    return e


def overlaps(one: Array, better: Array, limit: f32) -> bool:
    x, y, _, _, _, _, a, b, c, s = one
    a, b, c = a + better[6], b + better[7], c + better[8]
    p = s * better[9] * f32(4) + LEAST
    d = a * b - c * c
    d = d if d > p else p
    x, y = x - better[0], y - better[1]
    both = c * x
    z = ((a * y * y + b * x * x) - (both + both) * y) * f32(1.5) / d
    z = f32(0) if z < 0 else z
    return bool(p * exponential(f32(0) - (z if z < 40 else f32(40))) > d * limit)


def suppress_oriented(
    values: Array, classes: Array, angles: Array, unit_x: f32, unit_y: f32, limit: f32, class_agnostic: bool, most: int
) -> tuple[list[int], Array, Array]:
    """(positions kept, bounding boxes (4, count), boxes (10, count)). values: (4, count) corners before the turn."""
    with np.errstate(all="ignore"):
        boxes = np.array([turned(value, angle, unit_x, unit_y) for value, angle in zip(values.T, angles)])
        kept = [
            j
            for j, one in enumerate(boxes)
            if not any(overlaps(one, boxes[i], limit) for i in range(j) if class_agnostic or classes[i] == classes[j])
        ]
        x, y, ux, uy, vx, vy = boxes.T[:6]
        across, down = abs(ux) + abs(vx), abs(uy) + abs(vy)
        return kept[:most], np.array([x - across, y - down, x + across, y + down]), boxes.T


def rotation(ux: f32, uy: f32, vx: f32, vy: f32) -> int:
    """Hundredths of a degree; -1 for vectors that are not finite or 65536 and longer."""
    if not all(abs(n) < 65536 for n in (ux, uy, vx, vy)):
        return -1
    x, y = (vx, vy) if ux * ux + uy * uy < vx * vx + vy * vy else (ux, uy)
    if x == y == 0:
        return 0
    while max(x * x, y * y) < f32(2.0**40):
        x, y = x * f32(2), y * f32(2)
    real, imaginary = int(np.round(x)) * 64, int(np.round(y)) * 64
    if imaginary < 0 or imaginary == 0 and real < 0:
        real, imaginary = -real, -imaginary
    total = 0
    if real < 0:
        real, imaginary, total = imaginary, -real, 90_000_000
    for i in range(17):
        step = round(np.degrees(np.arctan(2.0**-i)) * 1e6)
        way = 1 if imaginary > 0 else -1
        real, imaginary = real + way * (imaginary >> i), imaginary - way * (real >> i)
        total += way * step
    return (total + 5000) // 10000 % 18000


def oriented_corners(boxes: Array, transform: Array) -> Array:
    """(kept, 9): corners and rotation of boxes (10, kept). transform: ax, bx, ay, by."""
    rows = []
    with np.errstate(all="ignore"):
        ax, bx, ay, by = transform
        for x, y, ux, uy, vx, vy, *_ in boxes.T:
            x, y = x * ax + bx, y * ay + by
            one, other = ((ux + vx) * ax, (uy + vy) * ay), ((ux - vx) * ax, (uy - vy) * ay)
            row = [x - one[0], y - one[1], x + other[0], y + other[1], x + one[0], y + one[1], x - other[0], y - other[1]]
            rows.append([*row, rotation(ux * ax, uy * ay, vx * ax, vy * ay)])
    return np.array(rows, f32)


def covariances(boxes: Array) -> Array:
    """(n, 2, 2) of boxes x, y, w, h, angle."""
    _, _, w, h, angle = boxes.T
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]).transpose(2, 0, 1)
    spread = np.zeros((len(boxes), 2, 2))
    spread[:, 0, 0], spread[:, 1, 1] = w**2 / 12, h**2 / 12
    return turn @ spread @ turn.transpose(0, 2, 1)


def probabilistic_iou(box: Array, others: Array) -> Array:
    """Of a box with each of the others, from the Bhattacharyya distance of Gaussians (arXiv 2106.06072), in float64."""
    spread, several = covariances(box[None]), covariances(others)
    mean, way, det = (spread + several) / 2, others[:, :2] - box[:2], np.linalg.det
    apart = (way[:, None] @ np.linalg.solve(mean, way[..., None]))[:, 0, 0]
    distance = apart / 8 + np.log(det(mean) / np.sqrt(det(spread) * det(several))) / 2
    return np.asarray(1 - np.sqrt(np.maximum(0.0, 1 - np.exp(-distance))))
