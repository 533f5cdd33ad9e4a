"""The geometry of oriented boxes: corners, rotation and sides of a Detection. Imported on first use.

A detection with an oriented box has a row of a table that the kernel oriented_corners has written, for all detections of a
frame together, and the rect that the row belongs to. A copy with another rect, for example a smoothed one, has the corners
moved with it.
"""

from math import sqrt

from ulab import numpy as np

from ..kernels.portable.oriented import rotation
from ..pixels.rounding import same_floats


def corners_of(rect, turned):
    """The corners (4, 2) of a detection with this rect. turned: (table, row, the rect that this belongs to)."""
    rows, row, own = turned
    corners = np.array(rows[row, :8]).reshape((4, 2))
    if rect == own or not own[2] or not own[3]:
        return corners
    x, y, w, h = rect
    # The middle moves with the rect's middle; the size changes by one factor, so that the rotation stays.
    factor = np.sqrt(same_floats(w / own[2]) * same_floats(h / own[3]))
    before = same_floats(own[0] + own[2] / 2, own[1] + own[3] / 2)
    return (corners - before) * factor + same_floats(x + w / 2, y + h / 2)


def rotation_of(turned):
    """Degrees from the x axis to the longer side, clockwise, 0 <= degrees < 180, in hundredths; None if not finite."""
    rows, row, _ = turned
    hundredths = int(rows[row, 8])
    return None if hundredths < 0 else hundredths / 100


def lengths_of(corners):
    """(longer, shorter) side of corners (4, 2), pixels."""
    lengths = [sqrt(x * x + y * y) for x, y in (corners[1] - corners[0], corners[3] - corners[0])]
    return max(lengths), min(lengths)


def contains(x, y, corners):
    """Whether the center of frame pixel (x, y) is inside of corners (4, 2)."""
    points = corners.tolist()
    last_x, last_y = points[3]
    inside = [False, False]
    for next_x, next_y in points:
        # On which side of this edge.
        cross = (next_x - last_x) * (y + 0.5 - last_y) - (next_y - last_y) * (x + 0.5 - last_x)
        if cross != cross:
            return False
        inside[cross < 0.0] = True
        last_x, last_y = next_x, next_y
    return not (inside[0] and inside[1])


def areas(one, other):
    """The area that two boxes have in common, and that of each, in 1/256 pixel; a box that is not oriented is its rect."""
    polygons, sizes = [], []
    for d in (one, other):
        x, y, w, h = d[0]
        corners = d.corners
        points = [(x, y), (x + w, y), (x + w, y + h), (x, y + h)] if corners is None else corners.tolist()
        size = _doubled_area(points)
        polygons.append(points if size > 0 else points[::-1])
        sizes.append(int(128 * abs(size) + 0.5))
    common, sides = polygons
    # I. Sutherland, G. Hodgman: "Reentrant polygon clipping", 1974: each side of one box cuts the other.
    px, py = sides[-1]
    for qx, qy in sides:
        kept = []
        for at in range(len(common)):
            (ax, ay), (bx, by) = common[at - 1], common[at]
            a = (qx - px) * (ay - py) - (qy - py) * (ax - px)
            b = (qx - px) * (by - py) - (qy - py) * (bx - px)
            if (a < 0) != (b < 0):
                kept.append((ax + (bx - ax) * a / (a - b), ay + (by - ay) * a / (a - b)))
            if b >= 0:
                kept.append((bx, by))
        common = kept
        px, py = qx, qy
    return min([int(128 * _doubled_area(common) + 0.5)] + sizes), sizes[0], sizes[1]


def _doubled_area(points):
    """Twice the area of a polygon, positive if its points are clockwise on a screen."""
    total = 0.0
    for at in range(2, len(points)):
        (x, y), (ax, ay), (bx, by) = points[0], points[at - 1], points[at]
        total += (ax - x) * (by - y) - (ay - y) * (bx - x)
    return total


def table_of(corners):
    """A table of one row for corners that a script passes; ValueError for anything but four points (x, y)."""
    try:
        numbers = []
        for point in corners:
            x, y = point
            numbers += [float(x), float(y)]
        if len(numbers) == 8:
            flat = np.array(numbers)
            # Half of the sides, as the kernel has them.
            u = (flat[2:4] - flat[0:2]) * 0.5
            v = (flat[6:8] - flat[0:2]) * 0.5
            hundredths = rotation(u[0:1], u[1:2], v[0:1], v[1:2])
            return _row(flat, hundredths)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ValueError("corners: expected four points (x, y) or None, got %r" % (corners,))


def scaled_table(detection, roi, width, height):
    """A table of one row for a detection in a picture of width x height that shows this part (x, y, w, h) of its frame."""
    x, y, w, h = roi
    corners = (detection.corners - same_floats(x, y)) * same_floats(width / w, height / h)
    _, _, (rows, row, _) = detection._source
    return _row(corners.reshape((8,)), int(rows[row, 8]))


def _row(corners, hundredths):
    rows = np.zeros((1, 9))
    rows[0, :8] = corners
    rows[0, 8] = hundredths
    return rows


def corner_steps(detection):
    """The corners in tenths of a pixel, rounded, halves to even, and 1.5 * 2^23 added: a float array of 8."""
    _, _, (rows, row, own) = detection._source
    corners = rows[row, :8] if detection[0] == own else detection.corners.reshape((8,))
    # In float32 arrays, which are the same on every machine: a float object of the camera has two bits less.
    steps = corners * 10.0
    steps += _WHOLE
    return steps


_WHOLE = 12582912.0  # 1.5 * 2^23: float32 has only whole numbers near it
