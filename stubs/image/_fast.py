"""The firmware's float32 functions: its tables of angles, its arc tangent, its division by zero."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

F32 = np.float32


def cosines(degrees: Iterable[int]) -> list[np.float32]:
    """Round to six decimals, like the table in flash."""
    return [F32(round(math.cos(math.radians(angle)), 6)) for angle in degrees]


def sines(degrees: Iterable[int]) -> list[np.float32]:
    return [F32(round(math.sin(math.radians(angle)), 6)) for angle in degrees]


def cosine(angle: Any) -> np.float32:
    return F32(math.cos(float(angle)))


def sine(angle: Any) -> np.float32:
    return F32(math.sin(float(angle)))


def int32(value: int) -> int:
    """Convert to a C int; larger values wrap around."""
    return ((value + (1 << 31)) & 0xFFFFFFFF) - (1 << 31)


def fused(x: Any, y: Any, z: Any) -> np.float32:
    """x * y + z with one rounding, like the compiler's fused multiply-add. A double is precise enough for the sum."""
    return F32(float(x) * float(y) + float(z))


def root(value: np.float32) -> np.float32:
    return F32(np.sqrt(value)) if value >= 0 else F32(np.nan)


def divided(x: Any, y: Any) -> np.float32:
    """Division; 0 if the divisor is 0."""
    return F32(F32(x) / F32(y)) if y else F32(0)


def atan(value: Any) -> np.float32:
    """A polynomial of the seventh degree over three ranges (Cephes' atanf)."""
    x = F32(abs(F32(value)))
    start = F32(0)
    if x > F32(2.414213562373095):
        start, x = F32(math.pi / 2), F32(-(F32(1) / x))
    elif x > F32(0.4142135623730950):
        start, x = F32(math.pi / 4), F32(F32(x - F32(1)) / F32(x + F32(1)))
    z = F32(x * x)
    p = F32(8.05374449538e-2)
    for coefficient in (-1.38776856032e-1, 1.99777106478e-1, -3.33329491539e-1):
        p = fused(p, z, F32(coefficient))
    result = F32(start + fused(F32(p * z), x, x))
    return F32(-result) if value < 0 else result


def atan2(y: Any, x: Any) -> np.float32:
    """An angle of 0 to 2 pi; straight up it is pi, and straight down -pi."""
    y, x, pi = F32(y), F32(x), F32(math.pi)
    if x > 0 and y >= 0:
        return atan(F32(y / x))
    if x < 0 and y >= 0:
        return F32(pi - atan(F32(-y / x)))
    if x < 0:
        return F32(pi + atan(F32(y / x)))
    if x > 0:
        return F32(F32(2 * pi) - atan(F32(-y / x)))
    return F32(0) if y == 0 else pi if y > 0 else F32(-pi)
