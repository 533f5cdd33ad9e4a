"""find_blobs(): areas of neighboring pixels between thresholds, measured exactly as the firmware does.

Areas are filled row by row in the firmware's order, because corners and perimeters depend on it. Missing are the limit of
the firmware's stack (the camera splits an area that needs more memory than the stack has), histograms, the `contours` of
firmware 5.0, and the measures of the smallest rectangle: solidity, convexity, axes and circles.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _thresholds
from ._arguments import Rect, to_float
from ._attrtuple import AttrTuple, Methods, old
from ._fast import atan2, cosine, cosines, divided, fused, int32, root, sine, sines

F32 = np.float32
Point = tuple[int, int]
Corners = tuple[Point, Point, Point, Point]

# A blob's outermost points are searched in 20 directions; the firmware's tables have six decimals.
DIRECTIONS = 20
COS = cosines(range(0, 360, 360 // DIRECTIONS))
SIN = sines(range(0, 360, 360 // DIRECTIONS))


class Blob(AttrTuple):
    """An area: its rectangle, center and shape. Angles in radians; `code` has a bit for each threshold it meets."""

    x: int
    y: int
    w: int
    h: int
    cx: int
    cy: int
    pixels: int
    rotation: float
    code: int
    count: int  # type: ignore[assignment]  # tuple.count, which the camera's has not
    perimeter: int
    roundness: float
    x_hist_bins: list[int]
    y_hist_bins: list[int]
    corners: Corners
    min_corners: Corners
    cxf: float
    cyf: float
    elongation: float
    area: int
    density: float
    compactness: float
    rect: tuple[int, int, int, int]
    contour: None


@dataclass
class Area:
    """A blob while it is being worked on."""

    corners: list[Point]
    rect: Rect
    pixels: int
    perimeter: int
    code: int
    center: tuple[np.float32, np.float32]
    rotation: np.float32
    roundness: np.float32
    count: int = 1

    def __post_init__(self) -> None:
        # The values that merging sums, each weighted by its number of pixels.
        means = (*self.center, cosine(self.rotation), sine(self.rotation), self.roundness)
        self.sums = [F32(value * F32(self.pixels)) for value in means]


def find(values: npt.NDArray[Any], bands: list[_thresholds.Band], invert: bool, roi: Rect, x_stride: int, y_stride: int,
         area_threshold: int, pixels_threshold: int, merge: bool, margin: int,
         threshold_cb: Callable[[Any], Any] | None, merge_cb: Callable[[Any, Any], Any] | None) -> list[Any]:
    """Find the areas. `values` come from _thresholds.channels() and cover the whole picture."""
    x0, y0, w, h = roi
    taken = np.zeros((h, w), dtype=bool)
    areas: list[Area] = []
    for number, band in enumerate(bands):
        met = _thresholds.inside(values[y0 : y0 + h, x0 : x0 + w], band, invert)
        filler = _Filler(met & ~taken, ~met & ~taken, roi)
        for y in range(y0, y0 + h, y_stride):
            row = filler.todo[y - y0]
            for x in range(x0 + y % x_stride, x0 + w, x_stride):
                if not row[x - x0]:
                    continue
                area = _measured(filler.fill(x, y), filler.perimeter, roi, 1 << number, area_threshold, pixels_threshold)
                if area is not None and (threshold_cb is None or threshold_cb(_blob(area))):
                    areas.append(area)
        taken |= met & ~filler.left()
    if merge:
        areas = _merged(areas, margin, merge_cb)
    return [_blob(area) for area in areas]


class _Filler:
    """Scanline flood fill. Rows are bytearrays, because find() and rfind() are fast."""

    def __init__(self, todo: _thresholds.Bits, outside: _thresholds.Bits, roi: Rect) -> None:
        self.todo = [bytearray(row) for row in todo.astype(np.uint8)]
        self._x, self._y, self._w, self._h = roi
        # Number of pixels left of x that are outside the thresholds and in no area. At an edge they add to the perimeter.
        self._outside = np.pad(outside.cumsum(axis=1), ((0, 0), (1, 0))).tolist()
        self.perimeter = 0

    def left(self) -> _thresholds.Bits:
        return np.array([list(row) for row in self.todo], dtype=bool).reshape(self._h, self._w)

    def _span(self, x: int, y: int) -> tuple[int, int]:
        row = self.todo[y]
        left = row.rfind(0, 0, x) + 1
        right = row.find(0, x)
        right = self._w - 1 if right < 0 else right - 1
        row[left : right + 1] = bytes(right + 1 - left)
        self._spans.append((left + self._x, right + self._x, y + self._y))
        self.perimeter += 2
        return left, right

    def fill(self, x: int, y: int) -> list[tuple[int, int, int]]:
        """The spans (left, right, y) of the area at (x, y), in the order in which they are found."""
        self._spans: list[tuple[int, int, int]] = []
        self.perimeter = 0
        y -= self._y
        left, right = self._span(x - self._x, y)
        # Unfinished spans: their position, and the columns from which the rows above and below remain to be searched.
        above = below = left
        stack: list[tuple[int, int, int, int, int]] = []
        while True:
            for up in (True, False):
                neighbor = y - 1 if up else y + 1
                if not 0 <= neighbor < self._h:
                    # Every return to this span counts its edge again.
                    self.perimeter += right - left + 1
                    continue
                start = above if up else below
                found = self.todo[neighbor].find(1, start, right + 1)
                self.perimeter += self._edge(neighbor, start, right + 1 if found < 0 else found, left, right)
                if found >= 0:
                    stack.append((y, left, right, found + 1, below) if up else (y, left, right, above, found + 1))
                    y = neighbor
                    left, right = self._span(found, y)
                    above = below = left
                    break
            else:
                if not stack:
                    return self._spans
                y, left, right, above, below = stack.pop()

    def _edge(self, y: int, start: int, stop: int, left: int, right: int) -> int:
        """Count the pixels outside the area at start <= x < stop of a neighboring row, except at the span's two ends."""
        start, stop = max(start, left + 1), min(stop, right)
        return self._outside[y][stop] - self._outside[y][start] if start < stop else 0


def _first_corners(x_max: int, y_max: int) -> tuple[list[Point], list[np.float32]]:
    """Starting points of the search for the outermost points, one per direction: at the opposite edge."""
    def start(limit: int, direction: np.float32) -> int:
        # The firmware's sign of 0 is NaN, and a comparison with NaN is false: the search starts at the limit.
        return 0 if direction < 0 else limit

    corners = [(start(x_max, c), start(y_max, s)) for c, s in zip(COS, SIN, strict=True)]
    return corners, [_along(x, y, i) for i, (x, y) in enumerate(corners)]


def _along(x: int, y: int, direction: int) -> np.float32:
    return fused(x, COS[direction], F32(F32(y) * SIN[direction]))


def _c_div(number: int, divisor: int) -> int:
    """C's integer division by a positive divisor: it rounds toward zero."""
    return number // divisor if number >= 0 else -(-number // divisor)


def _corners(spans: list[tuple[int, int, int]], x_max: int, y_max: int) -> list[Point]:
    """The outermost point in each direction. Points at the same distance are averaged one by one."""
    corners, least = _first_corners(x_max, y_max)
    left, right, y = np.array(spans, dtype=np.int32).T[..., None]
    cos, sin = np.array(COS), np.array(SIN)
    x = np.where(cos > 0, left, np.where(cos < 0, right, (left + right) // 2))
    z = (x * cos.astype(np.float64) + (y.astype(F32) * sin).astype(np.float64)).astype(F32)
    for i, nearest in enumerate(z.min(axis=0)):
        if nearest > least[i]:
            continue
        ties = [(int(x[k, i]), spans[k][2]) for k in np.flatnonzero(z[:, i] == nearest)]
        mean_x, mean_y = corners[i] if nearest == least[i] else ties.pop(0)
        for n, (tie_x, tie_y) in enumerate(ties, 1):
            mean_x, mean_y = _c_div(tie_x + n * mean_x, n + 1), _c_div(tie_y + n * mean_y, n + 1)
        corners[i] = (mean_x, mean_y)
    return corners


def _measured(spans: list[tuple[int, int, int]], perimeter: int, roi: Rect, code: int, area_threshold: int,
              pixels_threshold: int) -> Area | None:
    """Measure an area; None if it is too small."""
    pixels = sum(right - left + 1 for left, right, _ in spans)
    if pixels < pixels_threshold:
        return None
    corners = _corners(spans, roi[0] + roi[2] - 1, roi[1] + roi[3] - 1)
    quarter = DIRECTIONS // 4
    x, y = corners[0][0], corners[quarter][1]
    rect = (x, y, corners[2 * quarter][0] - x + 1, corners[3 * quarter][1] - y + 1)
    if rect[2] * rect[3] < area_threshold:
        return None
    sum_x = sum_y = xx = xy = yy = 0
    for left, right, row in spans:
        count, total = right - left + 1, (left + right) * (right - left + 1) // 2
        sum_x += total
        sum_y += row * count
        xx += (right * (right + 1) * (2 * right + 1) - (left - 1) * left * (2 * left - 1)) // 6
        xy += row * total
        yy += row * row * count
    center = (F32(sum_x) / F32(pixels), F32(sum_y) / F32(pixels))
    mx, my = (int(np.rint(c)) for c in center)
    a = int32(xx - 2 * mx * sum_x + pixels * mx * mx)
    b = int32(xy - (mx * sum_y + my * sum_x) + pixels * mx * my)
    c = int32(yy - 2 * my * sum_y + pixels * my * my)
    rotation = F32(atan2(2 * b, a - c) / F32(2)) if a != c else F32(0)
    return Area(corners, rect, pixels, perimeter, code, center, rotation, _roundness(F32(a), F32(b), F32(c)))


def _roundness(a: np.float32, b: np.float32, c: np.float32) -> np.float32:
    """The smaller of an area's principal moments of inertia, divided by the larger."""
    difference = F32(a - c)
    length = root(fused(b, b, F32(difference * difference)))
    sin, cos = divided(b, length), divided(difference, length)
    half, cos_half, sin_half = F32(F32(a + c) / F32(2)), F32(difference / F32(2)), F32(b / F32(2))
    part = F32(cos * cos_half)
    plus, minus = F32(half + part), F32(half - part)
    moments = [fused(s, sin_half, m) for m in (plus, minus) for s in (sin, -sin)]
    return divided(min(moments), max(moments))


# ---- merging ----


def _overlap(one: Rect, other: Rect) -> bool:
    return (one[0] < other[0] + other[2] and one[1] < other[1] + other[3] and other[0] < one[0] + one[2]
            and other[1] < one[1] + one[3])


def _merged(areas: list[Area], margin: int, merge_cb: Callable[[Any, Any], Any] | None) -> list[Area]:
    """Merge areas until no two rectangles overlap."""
    again = True
    while again:
        again, queue, areas = False, areas, []
        while queue:
            area = queue.pop(0)
            rest = []
            for other in queue:
                x, y, w, h = other.rect
                grown = (max(x - margin, -32768), max(y - margin, -32768),
                         min(max(w + 2 * margin, 0), 32767), min(max(h + 2 * margin, 0), 32767))
                if _overlap(area.rect, grown) and (merge_cb is None or merge_cb(_blob(area), _blob(other))):
                    _swallow(area, other)
                    again = True
                else:
                    rest.append(other)
            queue = rest
            areas.append(area)
    return areas


def _swallow(area: Area, other: Area) -> None:
    for i in range(DIRECTIONS):
        x, y = other.corners[i]
        # The firmware has a bug here, which is kept: it uses the cosine for y too.
        if fused(x, COS[i], F32(F32(y) * COS[i])) < _along(*area.corners[i], i):
            area.corners[i] = (x, y)
    (x0, y0, w0, h0), (x1, y1, w1, h1) = area.rect, other.rect
    x, y = min(x0, x1), min(y0, y1)
    area.rect = (x, y, max(x0 + w0, x1 + w1) - x, max(y0 + h0, y1 + h1) - y)
    area.pixels += other.pixels
    area.perimeter += other.perimeter
    area.code |= other.code
    area.count += other.count
    number = F32(area.pixels)
    area.sums = [F32(one + two) for one, two in zip(area.sums, other.sums, strict=True)]
    x_mean, y_mean, cos, sin, area.roundness = (F32(total / number) for total in area.sums)
    area.center, area.rotation = (x_mean, y_mean), atan2(sin, cos)


# ---- results ----


Coordinates = npt.NDArray[np.int64]


def _rotated(points: Coordinates, angle: np.float32, center: Coordinates) -> Coordinates:
    """(n, 2) points rotated around another point, rounded toward zero."""
    x, y = (points - center).T
    cos, sin = cosine(angle), sine(angle)

    def sum_of(one: npt.NDArray[np.float64], other: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return (one + other.astype(np.float64)).astype(F32)  # a fused multiply-add: the product is not rounded

    turned_x = sum_of(x * np.float64(cos), -(y.astype(F32) * sin)) + F32(center[0])
    turned_y = sum_of(x * np.float64(sin), y.astype(F32) * cos) + F32(center[1])
    return np.stack((turned_x, turned_y), axis=1).astype(np.int64)


def _min_corners(corners: list[Point]) -> Corners:
    """The smallest rectangle that is parallel to one side of the polygon of the corners."""
    points = np.array(corners, dtype=np.int64)
    best: tuple[Any, ...] = ()
    least = 1 << 31
    for i, origin in enumerate(points):
        dx, dy = points[(i + 1) % len(points)] - origin
        angle = F32(-atan2(dy, dx))
        turned = _rotated(points, angle, origin)
        turned[i] = origin
        low, high = turned.min(axis=0), turned.max(axis=0)
        size = int(np.prod(high - low + 1))
        if size < least:
            least, best = size, (low, high, F32(-angle), origin)
    (left, top), (right, bottom), back, origin = best
    box = np.array([(left, top), (right, top), (right, bottom), (left, bottom)])
    a, b, c, d = ((int(x), int(y)) for x, y in _rotated(box, back, origin))
    return a, b, c, d


def _blob(area: Area) -> Any:
    x, y, w, h = area.rect
    quarter = DIRECTIONS // 4
    p0, p1, p2, p3 = (area.corners[i * quarter] for i in range(4))
    perimeter = F32(area.perimeter)
    fields: dict[str, Any] = {
        "x": x, "y": y, "w": w, "h": h,
        "cx": int(np.rint(area.center[0])), "cy": int(np.rint(area.center[1])), "pixels": area.pixels,
        "rotation": float(area.rotation), "code": area.code, "count": area.count, "perimeter": area.perimeter,
        "roundness": float(area.roundness), "x_hist_bins": [], "y_hist_bins": [],
        "corners": (p0, p1, p2, p3), "min_corners": _min_corners(area.corners),
        "cxf": float(area.center[0]), "cyf": float(area.center[1]),
        "elongation": float(F32(F32(1) - area.roundness)), "area": w * h,
        "density": float(divided(area.pixels, F32(w * h))),
        "compactness": float(divided(F32(F32(area.pixels * 4) * F32(math.pi)), F32(perimeter * perimeter))),
        "rect": area.rect, "contour": None,
    }  # fmt: skip
    return _as_4_8_1(fields) if old() else Blob(fields.values())


def _as_4_8_1(fields: dict[str, Any]) -> Methods:
    items = {name: fields[name] for name in ("x", "y", "w", "h", "pixels", "cx", "cy", "rotation", "code", "count",
                                             "perimeter", "roundness")}
    more = {name: value for name, value in fields.items() if name not in items and name != "contour"}
    # Computed from the Python number, which is two bits shorter.
    more["elongation"] = float(F32(F32(1) - to_float(fields["roundness"])))
    degrees = F32(F32(to_float(fields["rotation"]) * F32(180)) / F32(math.pi))
    more |= {"rotation_deg": int(degrees), "rotation_rad": fields["rotation"], "extent": fields["density"]}
    shown = {name: f"{value:f}" if isinstance(value, float) else value for name, value in items.items()}
    text = ", ".join(f'"{name}":{value}' for name, value in shown.items())
    raw = items | {"cx": fields["cxf"], "cy": fields["cyf"]}  # the type of a slice
    return Methods("blob", items, more, "{" + text + "}", list(raw.values()))
