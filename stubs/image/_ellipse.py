"""draw_ellipse(), pixel for pixel: edges are not smoothed, and rotation is done by shearing.

The algorithm is that of the firmware, https://scratch.mit.edu/projects/50039326/.
"""

import math

import numpy as np

from ._fast import atan, cosine, divided, fused, sine
from ._shapes import Canvas

F32 = np.float32


def _dot(c: Canvas, x: int, y: int, thickness: int) -> None:
    """Draw a pixel, or a disc for a thick line."""
    out, inner = thickness // 2, (thickness - 1) // 2
    for dy in range(-out, inner + 1):
        for dx in range(-out, inner + 1):
            if dx * dx + dy * dy <= out * out:
                c.put(x + dx, y + dy)


def _sheared(c: Canvas, cx: int, cy: int, width: int, height: int, thickness: int, fill: bool, shear_dx: np.float32,
             shear_dy: np.float32) -> None:
    if (thickness <= 0 and not fill) or shear_dx == 0:
        return

    def draw(x: int, y: int) -> None:
        for side in (x, -x):
            middle = cy + int(np.floor(F32(F32(side) * shear_dy) / shear_dx))
            if fill:
                c.box(cx + side, middle - y, cx + side + 1, middle + y + 1)
            else:
                _dot(c, cx + side, middle + y, thickness)
                _dot(c, cx + side, middle - y, thickness)

    aa, bb = width * width, height * height
    x, y, error = 0, height, 2 * bb + aa * (1 - 2 * height)
    while bb * x <= aa * y:
        draw(x, y)
        if error >= 0:
            error += 4 * aa * (1 - y)
            y -= 1
        error += bb * (4 * x + 6)
        x += 1
    x, y, error = width, 0, 2 * aa + bb * (1 - 2 * width)
    while aa * y <= bb * x:
        draw(x, y)
        if error >= 0:
            error += 4 * bb * (1 - x)
            x -= 1
        error += aa * (4 * y + 6)
        y += 1


def ellipse(c: Canvas, cx: int, cy: int, rx: int, ry: int, rotation: int, thickness: int, fill: bool) -> None:
    """Draw an ellipse with radii rx and ry, rotated by `rotation` degrees."""
    if rx <= 0 or ry <= 0:
        return
    rotation %= 180
    if rx == ry or rotation == 0:
        _sheared(c, cx, cy, rx, ry, thickness, fill, F32(1), F32(0))
        return
    if rotation == 90:
        _sheared(c, cx, cy, ry, rx, thickness, fill, F32(1), F32(0))
        return
    width, height = 2 * rx, 2 * ry
    for limit in (90, 45):
        if rotation > limit:
            rotation -= 90
            width, height = height, width
    angle = F32(F32(rotation * F32(math.pi)) / F32(180))
    sin, cos, tan = sine(angle), cosine(angle), F32(math.tan(float(angle)))
    # The firmware divides ints here. An ellipse that is wider than high gets 0, and is sheared instead of rotated.
    theta = atan(F32(height // width) * -tan)
    cos_theta, sin_theta = cosine(theta), sine(theta)
    shear_dx = fused(F32(width * cos_theta), cos, -F32(F32(height * sin_theta) * sin))
    shear_dy = fused(F32(width * cos_theta), sin, F32(F32(height * sin_theta) * cos))
    length = F32(abs(shear_dx))
    across = divided(height * width, length)
    _sheared(c, cx, cy, int(np.floor(length / F32(2))), int(np.floor(across / F32(2))), thickness, fill, shear_dx, shear_dy)
