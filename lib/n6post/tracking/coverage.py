"""How much of an object is in a PolygonZone: the work of PolygonZone.coverage. Imported on first use."""

from ulab import numpy as np

from ..kernels.portable.numeric import total
from ..pixels.polygons import spans
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
    for row, first, end in spans(points, transform, left, top, w, h):
        zone[row, first:end] = 1.0
    whole = total(object_)
    return total(object_ * zone) / whole if whole else 0.0
