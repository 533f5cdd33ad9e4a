"""How much of an object is in a PolygonZone: the work of PolygonZone.coverage. Imported on first use."""

from math import ceil

from ulab import numpy as np

from ..kernels.portable.numeric import total
from ..tensors.lazy import later


def coverage(points, mask):
    """PolygonZone.coverage. points: the corners of the zone."""
    if not isinstance(mask, later.results_mask.Mask):
        raise ValueError("coverage: expected a Mask, got %s" % type(mask).__name__)
    data, (wx, wy, ww, wh), (left, top, w, h), _, transform = mask._parts()
    if not data or w < 1 or h < 1:
        return 0.0
    rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    object_ = np.where(rows[top - wy : top - wy + h, left - wx : left - wx + w] >= 128, 1.0, 0.0)
    zone = np.zeros((h, w))
    for row in range(h):
        y = (top + row + 0.5) * transform.sy + transform.oy
        ends = _crossings(points, y)
        for i in range(0, len(ends), 2):
            first, last = [
                min(max(ceil((x - transform.ox) / transform.sx - 0.5) - left, 0), w) for x in (ends[i], ends[i + 1])
            ]
            if last > first:
                zone[row, first:last] = 1.0
    whole = total(object_)
    return total(object_ * zone) / whole if whole else 0.0


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
