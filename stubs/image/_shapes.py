"""Lines, rectangles and circles, pixel for pixel.

Lines and thin circles are anti-aliased as in Alois Zingl, "A Rasterizing Algorithm for Drawing Curves" (2012), in
integers of 1/256. A pixel may be blended twice, so the order matters and the loops are plain Python. C's integer
division truncates toward zero; `_div` does the same.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from . import _formats as f

F32 = np.float32


def _div(a: int, b: int) -> int:
    """a / b, truncated as in C; b > 0."""
    return a // b if a >= 0 else -(-a // b)


def _int16(value: int) -> int:
    """Wrap to 16 bits, the type of a line's endpoints."""
    return ((value + 0x8000) & 0xFFFF) - 0x8000


class Canvas:
    """Draw clipped pixels and boxes. `pixels` has the shape (height, width), in any format."""

    def __init__(self, pixels: npt.NDArray[Any], pixformat: int, color: int) -> None:
        self.pixels = pixels
        self.height, self.width = pixels.shape
        self.pixformat = pixformat
        # The bits of an int that a pixel stores.
        self.color = color & {f.BINARY: 1, f.GRAYSCALE: 0xFF, f.RGB565: 0xFFFF}[pixformat]

    def box(self, x0: int, y0: int, x1: int, y1: int) -> None:
        """Fill x0 <= x < x1, y0 <= y < y1."""
        x0, y0 = max(x0, 0), max(y0, 0)
        if x0 < x1 and y0 < y1:
            self.pixels[y0 : max(y1, 0), x0 : max(x1, 0)] = self.color

    def put(self, x: int, y: int) -> None:
        if 0 <= x < self.width and 0 <= y < self.height:
            self.pixels[y, x] = self.color

    def blend(self, x: int, y: int, error: int) -> None:
        """Blend the color with the pixel: `error` 0 stores the color, 256 keeps the pixel."""
        if not (0 <= x < self.width and 0 <= y < self.height):
            return
        old, new, rest = int(self.pixels[y, x]), self.color, 256 - error
        if self.pixformat == f.RGB565:
            r5 = ((old >> 11) * error + (new >> 11) * rest) >> 8
            g6 = ((old >> 5 & 63) * error + (new >> 5 & 63) * rest) >> 8
            b5 = ((old & 31) * error + (new & 31) * rest) >> 8
            self.pixels[y, x] = (r5 << 11 | g6 << 5 | b5) & 0xFFFF
        elif self.pixformat == f.GRAYSCALE:
            self.pixels[y, x] = ((old * error + new * rest) >> 8) & 0xFF
        else:
            self.pixels[y, x] = (old * 255 * error + new * 255 * rest) >> 8 > 127


def rectangle(c: Canvas, x: int, y: int, w: int, h: int, thickness: int, fill: bool) -> None:
    """A thick outline grows half outward and half inward. If it is odd, the top and left grow one pixel more outward."""
    if fill:
        c.box(x, y, x + w, y + h)
        return
    if thickness <= 0:
        return
    out, inner = thickness // 2, (thickness - 1) // 2
    for edge in (y, y + h - 1):
        c.box(x - out, edge - out, x + w + inner, edge + inner + 1)
    for edge in (x, x + w - 1):
        c.box(edge - out, y - out, edge + inner + 1, y + h + inner)


def _clip(x0: int, y0: int, x1: int, y1: int, width: int, height: int) -> tuple[int, int, int, int] | None:
    """Liang-Barsky clipping in float32, so that a clipped line has the same ends as on the camera."""
    dx, dy = x1 - x0, y1 - y0
    enter, leave = F32(0), F32(1)
    for p, q in ((-dx, x0), (dx, width - 1 - x0), (-dy, y0), (dy, height - 1 - y0)):
        if p == 0:
            if q < 0:
                return None
            continue
        u = F32(q) / F32(p)
        if p < 0:
            if u > leave:
                return None
            enter = max(enter, u)
        else:
            if u < enter:
                return None
            leave = min(leave, u)
    if leave < enter:
        return None

    def at(origin: int, delta: int, u: np.float32) -> int:
        # The compiler uses a fused multiply-add, with one rounding.
        return int(F32(origin + float(delta) * float(u)))

    return at(x0, dx, enter), at(y0, dy, enter), at(x0, dx, leave), at(y0, dy, leave)


def _length(dx: int, dy: int) -> int:
    return int(np.sqrt(F32(dx * dx + dy * dy)))


def _thin_line(c: Canvas, x0: int, y0: int, x1: int, y1: int) -> None:
    dx, dy = abs(x1 - x0), abs(y1 - y0)
    sx, sy = (1 if x0 < x1 else -1), (1 if y0 < y1 else -1)
    error = dx - dy
    length = _length(dx, dy) or 1
    while True:
        c.blend(x0, y0, 256 * abs(error - dx + dy) // length)
        e2, x2 = error, x0
        if 2 * e2 >= -dx:
            if x0 == x1:
                return
            if e2 + dy < length:
                c.blend(x0, y0 + sy, _div(256 * (e2 + dy), length))
            error -= dy
            x0 += sx
        if 2 * e2 <= dy:
            if y0 == y1:
                return
            if dx - e2 < length:
                c.blend(x2 + sx, y0, _div(256 * (dx - e2), length))
            error += dx
            y0 += sy


def line(c: Canvas, x0: int, y0: int, x1: int, y1: int, thickness: int) -> None:
    clipped = _clip(_int16(x0), _int16(y0), _int16(x1), _int16(y1), c.width, c.height)
    if clipped is None:
        return
    x0, y0, x1, y1 = clipped
    ex, ey = abs(x1 - x0), abs(y1 - y0)
    length = _length(ex, ey)
    if thickness <= 1 or length == 0:
        _thin_line(c, x0, y0, x1, y1)
        return
    sx, sy = (1 if x0 < x1 else -1), (1 if y0 < y1 else -1)
    # `major` is the axis along the line, `minor` the one across it. Steps are in 1/256 of the line's length.
    if 256 * ex // length < 256 * ey // length:
        along, across, step, side, end = y0, x0, sy, sx, y1
        near, far = 256 * ex // length, 256 * ey // length
        steep = True
    else:
        along, across, step, side, end = x0, y0, sx, sy, x1
        near, far = 256 * ey // length, 256 * ex // length
        steep = False
    width = 256 * (thickness - 1)
    offset = (length + width // 2) // far
    error = max(offset * far - width // 2, 0)
    across -= offset * side

    def blend(position: int, amount: int) -> None:
        if steep:
            c.blend(position, along, amount)
        else:
            c.blend(along, position, amount)

    while True:
        position = across
        blend(position, error)
        rest = far - error - width
        while rest + far < 256:
            position += side
            if steep:
                c.put(position, along)
            else:
                c.put(along, position)
            rest += far
        blend(position + side, rest)
        if along == end:
            return
        error += near
        if error > 256:
            error -= far
            across += side
        along += step


def _thin_circle(c: Canvas, cx: int, cy: int, radius: int, fill: bool) -> None:
    x, y = radius, 0
    error = 2 - 2 * radius
    scale = 1 - error

    def ring(a: int, b: int, amount: int) -> None:
        """Mirror the point (a, -b) into the four quadrants."""
        c.blend(cx + a, cy - b, amount)
        c.blend(cx + b, cy + a, amount)
        c.blend(cx - a, cy + b, amount)
        c.blend(cx - b, cy - a, amount)

    while True:
        ring(x, y, _div(256 * abs(error + 2 * (x + y) - 2), scale))
        if fill:
            c.box(cx, cy - y, cx + x, cy - y + 1)
            c.box(cx + y, cy, cx + y + 1, cy + x)
            c.box(cx - x + 1, cy + y, cx + 1, cy + y + 1)
            c.box(cx - y, cy - x + 1, cx - y + 1, cy + 1)
        if x == 0:
            return
        e2, x2 = error, x
        if error > y:
            amount = _div(256 * (error + 2 * x - 1), scale)
            if amount < 256:
                ring(x, y - 1, amount)
            x -= 1
            error -= 2 * x - 1
        if e2 <= x2:
            x2 -= 1
            if not fill:
                amount = _div(256 * (1 - 2 * y - e2), scale)
                if amount < 256:
                    ring(x2, y, amount)
            y -= 1
            error -= 2 * y - 1


def circle(c: Canvas, cx: int, cy: int, radius: int, thickness: int, fill: bool) -> None:
    if radius == 0 and (fill or thickness > 0):
        c.put(cx, cy)
    if radius <= 0 or (not fill and thickness <= 0):
        return
    if thickness == 1 or fill:
        _thin_circle(c, cx, cy, radius + max(thickness, 0) // 2, fill)
        return

    outside = thickness // 2
    outer, inner = radius + outside, max(radius - (thickness - 1) // 2, 0)
    inner_radius = inner
    y = 0
    outer_error, inner_error = 1 - outer, 1 - inner
    while outer >= y:
        for sign in (1, -1):
            # The run inner..outer in each of the eight octants.
            c.box(cx + inner, cy + sign * y, cx + outer + 1, cy + sign * y + 1)
            c.box(cx - outer, cy + sign * y, cx - inner + 1, cy + sign * y + 1)
            c.box(cx + sign * y, cy + inner, cx + sign * y + 1, cy + outer + 1)
            c.box(cx + sign * y, cy - outer, cx + sign * y + 1, cy - inner + 1)
        y += 1
        if outer_error < 0:
            outer_error += 2 * y + 1
        else:
            outer -= 1
            outer_error += 2 * (y - outer + 1)
        if y > inner_radius:
            inner = y
        elif inner_error < 0:
            inner_error += 2 * y + 1
        else:
            inner -= 1
            inner_error += 2 * (y - inner + 1)
    # Then both edges are smoothed. A ring as thick as its radius has no inner edge.
    _thin_circle(c, cx, cy, radius + outside, False)
    _thin_circle(c, cx, cy, inner_radius, False)


def cross(c: Canvas, x: int, y: int, size: int, thickness: int) -> None:
    line(c, x - size, y, x + size, y, thickness)
    line(c, x, y - size, x, y + size, thickness)
