"""Which pixels of a mask or map have their centers in a polygon. Imported on first use."""

from math import ceil


def spans(points, transform, left, top, w, h):
    """The pixels of a map, from (left, top) on, whose centers are in a polygon: a list of (row, first column, end).

    transform   has sx, ox, sy and oy: frame = map * s + o
    """
    found = []
    for row in range(h):
        ends = _crossings(points, (top + row + 0.5) * transform.sy + transform.oy)
        for i in range(0, len(ends), 2):
            first, last = [
                min(max(ceil((x - transform.ox) / transform.sx - 0.5) - left, 0), w) for x in (ends[i], ends[i + 1])
            ]
            if last > first:
                found.append((row, first, last))
    return found


def _crossings(points, y):
    """The x at which the edges of a polygon cross the row y of the frame, ascending."""
    crossings = []
    px, py = points[-1]
    for qx, qy in points:
        if (py > y) != (qy > y):
            crossings.append(px + (qx - px) * (y - py) / (qy - py))
        px, py = qx, qy
    crossings.sort()
    return crossings
