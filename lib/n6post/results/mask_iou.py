"""The intersection over union of two masks."""

from math import ceil, floor

from ulab import numpy as np

from ..kernels.portable.numeric import total


def iou(one, other):
    """Mask.iou."""
    a, b = one._parts(), other._parts()
    if _is_empty(a) or _is_empty(b):
        return 0.0
    if _transform_of(a) == _transform_of(b):
        x0, y0, x1, y1 = _overlap(a[2], b[2])
        both = 0
        if x0 < x1 and y0 < y1:
            both = total(_inside(a, x0, y0, x1, y1) * _inside(b, x0, y0, x1, y1))
        either = total(_whole(a)) + total(_whole(b)) - both
    else:
        both, either = _sampled(a, b)
    return both / either if either else 0.0


def _is_empty(parts):
    return not parts[0] or parts[3][2] < 1 or parts[3][3] < 1


def _transform_of(parts):
    transform = parts[4]
    return transform.sx, transform.ox, transform.sy, transform.oy, tuple(transform.bounds)


def _overlap(one, other):
    """The overlap (x0, y0, x1, y1) of two rectangles (x, y, w, h)."""
    ax, ay, aw, ah = one
    bx, by, bw, bh = other
    return max(ax, bx), max(ay, by), min(ax + aw, bx + bw), min(ay + ah, by + bh)


def _inside(parts, x0, y0, x1, y1):
    """Mask pixels x0..x1, y0..y1 as floats: 1.0 inside and 0.0 outside."""
    data, (wx, wy, ww, wh), _, _, _ = parts
    rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    return np.where(rows[y0 - wy : y1 - wy, x0 - wx : x1 - wx] >= 128, 1.0, 0.0)


def _whole(parts):
    x, y, w, h = parts[2]
    return _inside(parts, x, y, x + w, y + h)


def _sampled(a, b):
    """(pixels in both, pixels in either): both masks sampled at the finer one's pixel centers, where both networks saw."""
    if b[4].sx * b[4].sy < a[4].sx * a[4].sy:
        a, b = b, a
    transform = a[4]
    seen_x0, seen_y0, seen_x1, seen_y1 = _overlap(transform.bounds, b[4].bounds)
    xs = _centers(seen_x0, seen_x1, transform.sx, transform.ox, a, b, 0)
    ys = _centers(seen_y0, seen_y1, transform.sy, transform.oy, a, b, 1)
    planes = []
    for parts in (a, b):
        # With a border of pixels outside, which stands for everything beyond the crop.
        x, y, w, h = parts[2]
        padded = np.zeros((h + 2, w + 2))
        padded[1 : h + 1, 1 : w + 1] = _whole(parts)
        other = parts[4]
        columns = np.array([_index(at, other.sx, other.ox, x, w) for at in xs], dtype=np.uint16)
        planes.append((padded, columns, [_index(at, other.sy, other.oy, y, h) for at in ys]))
    (pa, ca, ra), (pb, cb, rb) = planes
    both = either = 0.0
    if xs:
        for i in range(len(ys)):
            one = np.take(pa[ra[i]], ca)
            two = np.take(pb[rb[i]], cb)
            common = float(np.dot(one, two))
            both += common
            either += float(np.dot(one, one)) + float(np.dot(two, two)) - common
    return both, either


def _centers(low, high, scale, offset, a, b, axis):
    """The pixel centers of the finer mask along an axis, in frame pixels: those from low to high in one of the crops."""
    first = last = None
    for parts in (a, b):
        transform = parts[4]
        s, o = (transform.sx, transform.ox) if axis == 0 else (transform.sy, transform.oy)
        start, end = parts[2][axis] * s + o, (parts[2][axis] + parts[2][axis + 2]) * s + o
        first = start if first is None else min(first, start)
        last = end if last is None else max(last, end)
    first = ceil((max(first, low) - offset) / scale - 0.5)
    last = ceil((min(last, high) - offset) / scale - 0.5)
    return [(k + 0.5) * scale + offset for k in range(first, last)]


def _index(at, scale, offset, start, size):
    """The index, in a crop with its border, of the pixel at a position in the frame."""
    return min(max(floor((at - offset) / scale) - start + 1, 0), size + 1)
