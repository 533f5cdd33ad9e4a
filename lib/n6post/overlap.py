"""How far two masks cover each other."""

from math import ceil, floor

from ulab import numpy as np

from .kernels.portable import total


def iou(one, other):
    """Mask.iou: intersection over union."""
    a, b = one.parts(), other.parts()
    if _is_empty(a) or _is_empty(b):
        return 0.0
    if _grid(a) == _grid(b):
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


def _grid(parts):
    grid = parts[4]
    return grid.sx, grid.ox, grid.sy, grid.oy, tuple(grid.bounds)


def _overlap(one, other):
    """(x0, y0, x1, y1) of two rectangles (x, y, w, h)."""
    ax, ay, aw, ah = one
    bx, by, bw, bh = other
    return max(ax, bx), max(ay, by), min(ax + aw, bx + bw), min(ay + ah, by + bh)


def _inside(parts, x0, y0, x1, y1):
    """Mask pixels of the crop as floats 0.0 and 1.0."""
    data, (wx, wy, ww, wh), _, _, _ = parts
    rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    return np.where(rows[y0 - wy : y1 - wy, x0 - wx : x1 - wx] >= 128, 1.0, 0.0)


def _whole(parts):
    x, y, w, h = parts[2]
    return _inside(parts, x, y, x + w, y + h)


def _sampled(a, b):
    """(pixels in both, in either) of the finer grid, by their middles, where both networks saw the frame."""
    if b[4].sx * b[4].sy < a[4].sx * a[4].sy:
        a, b = b, a
    grid = a[4]
    seen_x0, seen_y0, seen_x1, seen_y1 = _overlap(grid.bounds, b[4].bounds)
    xs = _middles(seen_x0, seen_x1, grid.sx, grid.ox, a, b, 0)
    ys = _middles(seen_y0, seen_y1, grid.sy, grid.oy, a, b, 1)
    planes = []
    for parts in (a, b):
        # A ring of pixels outside: what lies beyond the crop is looked up there.
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


def _middles(low, high, scale, offset, a, b, axis):
    """The middles of the finer grid's pixels along an axis, in frame pixels: those seen that a crop reaches."""
    first = last = None
    for parts in (a, b):
        grid = parts[4]
        s, o = (grid.sx, grid.ox) if axis == 0 else (grid.sy, grid.oy)
        start, end = parts[2][axis] * s + o, (parts[2][axis] + parts[2][axis + 2]) * s + o
        first = start if first is None else min(first, start)
        last = end if last is None else max(last, end)
    first = ceil((max(first, low) - offset) / scale - 0.5)
    last = ceil((min(last, high) - offset) / scale - 0.5)
    return [(k + 0.5) * scale + offset for k in range(first, last)]


def _index(at, scale, offset, start, size):
    """Which pixel of a crop in its ring a place in the frame is."""
    return min(max(floor((at - offset) / scale) - start + 1, 0), size + 1)
