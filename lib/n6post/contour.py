"""The shape of a mask: its size, its middle, and the loops around its parts and holes, traced between pixels.

The functions take what a Mask is made of: data, window, crop, clip and grid, as its docstring describes them.
"""

from math import floor

from micropython import const
from ulab import numpy as np

from .pixels import copy_rows

_BLOCK = const(8192)  # pixels that are compared together


def parts(data, window, crop, clip, grid):
    """What a Mask is made of, or ValueError."""
    wx, wy, ww, wh = window
    x, y, w, h = crop
    # No arrays: of a view of one, a kernel would get another address than that of its bytes.
    if not isinstance(data, (bytes, bytearray, memoryview)) or min(ww, wh) < 0 or len(data) != ww * wh:
        raise ValueError(
            "data: expected %d x %d bytes, a bytearray or a memoryview, got %s" % (ww, wh, type(data).__name__)
        )
    if x < wx or y < wy or x + w > wx + ww or y + h > wy + wh:
        raise ValueError("crop: expected one inside the window %s, got %s" % (window, crop))
    return data, window, crop, clip, grid


def area(data, window, crop, clip, grid):
    """Mask.area: frame pixels."""
    if _is_empty(data, clip):
        return 0
    return round(_total(np.sum(_inside(data, window, crop), axis=1)) * grid.sx * grid.sy)


def centroid(data, window, crop, clip, grid):
    """Mask.centroid: a frame pixel (x, y), or None."""
    if _is_empty(data, clip):
        return None
    inside = _inside(data, window, crop)
    columns = np.sum(inside, axis=0)
    rows = np.sum(inside, axis=1)
    count = _total(rows)
    if not count:
        return None
    x, y, w, h = crop
    cx = _total(columns * np.arange(w)) / count + x + 0.5
    cy = _total(rows * np.arange(h)) / count + y + 0.5
    # A box thinner than a mask pixel may lie beside that pixel's middle.
    x, y, w, h = clip
    return (
        min(max(int(cx * grid.sx + grid.ox), x), x + w - 1),
        min(max(int(cy * grid.sy + grid.oy), y), y + h - 1),
    )


def _is_empty(data, clip):
    # Whether there is nothing to tell of: no pixels, or a box that rounds to no frame pixel though mask pixels lie in it.
    return not data or clip[2] < 1 or clip[3] < 1


def _inside(data, window, crop):
    # The crop as a (h, w) array of 0.0 and 1.0; float, because sums over uint8 wrap.
    wx, wy, ww, wh = window
    x, y, w, h = crop
    if max(w, h) > 65535:
        raise ValueError("expected a mask of at most 65535 pixels a side, got %d x %d" % (w, h))  # ulab would never return
    rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    return np.where(rows[y - wy : y - wy + h, x - wx : x - wx + w] >= 128, 1.0, 0.0)


def _total(counts):
    # Not np.sum: without an axis that is a running mean times the length, and rounds.
    return sum([float(n) for n in counts])


def outline(data, window, crop, clip, grid):
    """Mask.outline: frame pixels around the largest part."""
    if _is_empty(data, clip):
        return []
    best = []
    largest = 0
    for loop in contours(data, window, crop):
        size = _doubled_area(loop)
        if size > largest:
            largest = size
            best = loop
    sx, ox, sy, oy = grid.sx, grid.ox, grid.sy, grid.oy
    cx, cy, cw, ch = clip
    points = []
    right = cx + cw - 1
    bottom = cy + ch - 1
    last_x = last_y = None
    for x, y in best:
        # Compared here, not by min and max: two calls and their arguments would cost more than the rest of the loop.
        x = floor(x * sx + ox)
        y = floor(y * sy + oy)
        if x < cx:
            x = cx
        elif x > right:
            x = right
        if y < cy:
            y = cy
        elif y > bottom:
            y = bottom
        if x != last_x or y != last_y:
            points.append((x, y))
            last_x = x
            last_y = y
    if len(points) > 1 and points[0] == points[-1]:
        points.pop()
    return points


def contours(data, window, crop):
    """Every loop around a part (clockwise on a screen) or a hole of it, as points (x, y) of mask pixels."""
    # Walk along the cracks between inside and outside pixels, the object on the right hand; diagonal neighbours connect.
    wx, wy, ww, _ = window
    x0, y0, w, h = crop
    width = w + 2
    # The crop in a ring of pixels outside: a walk reads its neighbours by index, without a look where the crop ends.
    pixels = bytearray(width * (h + 2))
    copy_rows(data, (y0 - wy) * ww + x0 - wx, ww, pixels, width + 1, width, w, h)
    # East, south, west, north: x and y of the side that looks outside, and the way there and ahead in `pixels`.
    sides = ((1, 0, 1, width), (0, 1, width, -1), (-1, 0, -1, -width), (0, -1, -width, 1))
    seen = bytearray(len(pixels))  # cracks above a pixel
    loops = []
    for start in _starts(pixels, width):
        if seen[start]:
            continue
        loop = []
        x = x0 + start % width - 0.5
        y = y0 + start // width - 0.5
        at = start
        side = 3
        dx, dy, out, ahead = sides[side]
        while True:
            if side == 3:
                seen[at] = 1
            a = pixels[at]
            t = (a - 127.5) / (a - pixels[at + out])
            loop.append((x + t * dx, y + t * dy))
            if pixels[at + ahead + out] >= 128:
                at += ahead + out
                x += dx - dy
                y += dy + dx
                side = (side + 3) & 3
                dx, dy, out, ahead = sides[side]
            elif pixels[at + ahead] >= 128:
                at += ahead
                x -= dy
                y += dx
            else:
                side = (side + 1) & 3
                dx, dy, out, ahead = sides[side]
            if at == start and side == 3:
                break
        loops.append(loop)
    return loops


def _starts(pixels, width):
    # Where a contour may begin, in order: every pixel inside with one outside above. Many pixels at a time by ulab: a loop
    # takes sixty times as long.
    rows = np.frombuffer(pixels, dtype=np.uint8).reshape((len(pixels) // width, width))
    step = max(1, _BLOCK // width)
    starts = []
    for y in range(0, len(rows) - 1, step):
        inside = rows[y : y + step + 1] >= 128
        fresh = inside[1:] > inside[:-1]
        first = (y + 1) * width
        starts.extend([first + int(at) for at in np.nonzero(fresh.reshape((fresh.size,)))[0].tolist()])
    return starts


def _doubled_area(loop):
    # Shoelace formula; positive for an outer contour (clockwise on a screen), negative around a hole.
    total = 0.0
    x0, y0 = loop[-1]
    for x, y in loop:
        total += x0 * y - x * y0
        x0, y0 = x, y
    return total
