"""The geometry of a mask: which pixels it contains, and its outline.

The functions take the parts of a Mask: data, window, crop, clip and transform, as its docstring describes them.
"""

from math import floor

from micropython import const
from ulab import numpy as np

from ..pixels.colors import copy_rows
from ..pixels.pixel_edges import column_at, mask_edges
from .detection import Detection

_BLOCK = const(8192)  # pixels that are compared at once
_MORE = const(9.77e-4)  # NUDGE for the points of an outline: more floats, each of which lost two bits on a camera


def contains(pixel, data, window, crop, clip, transform):
    """Mask.contains: whether frame pixel (x, y) belongs to the object."""
    x, y = pixel
    wx, wy, ww, _ = window
    left, top, w, h = crop
    cx, cy, cw, ch = clip
    columns, rows = mask_edges(transform)
    if not (max(cx, columns[0]) <= x < min(cx + cw, columns[-1]) and max(cy, rows[0]) <= y < min(cy + ch, rows[-1])):
        return False
    x = column_at(columns, x, transform.sx, transform.ox)
    y = column_at(rows, y, transform.sy, transform.oy)
    return left <= x < left + w and top <= y < top + h and data[(y - wy) * ww + x - wx] >= 128


def detection_refitted(box, score, class_id, label, mask, keypoints):
    """A Detection with the bounding box of its mask as rect."""
    return Detection(mask.rect, score, class_id, label, mask, keypoints)


def _is_empty(data, clip):
    # Whether a mask has no pixels, or a box that is rounded to no frame pixel although mask pixels are in it.
    return not data or clip[2] < 1 or clip[3] < 1


def outline(data, window, crop, clip, transform):
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
    sx, ox, sy, oy = transform.sx, transform.ox + _MORE, transform.sy, transform.oy + _MORE
    cx, cy, cw, ch = clip
    points = []
    right = cx + cw - 1
    bottom = cy + ch - 1
    last_x = last_y = None
    for x, y in best:
        # Not min and max: the two calls would cost more than the rest of the loop.
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
    """The loops around all parts of a mask (clockwise on a screen) and their holes: lists of (x, y) in mask pixels."""
    # Follow the boundary between pixels inside and outside, with the object to the right. Diagonal neighbors are connected.
    wx, wy, ww, _ = window
    x0, y0, w, h = crop
    width = w + 2
    # The crop with a border of pixels outside, so neighbors can be read without checking for the end of the crop.
    pixels = bytearray(width * (h + 2))
    copy_rows(data, (y0 - wy) * ww + x0 - wx, ww, pixels, width + 1, width, w, h)
    # East, south, west, north: x and y of the side that faces outside, and the steps in `pixels` to that side and ahead.
    sides = ((1, 0, 1, width), (0, 1, width, -1), (-1, 0, -1, -width), (0, -1, -width, 1))
    seen = bytearray(len(pixels))  # 1 if the upper side of a pixel has been followed
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
    # The pixels where a contour may begin, in order: those inside below one outside. By ulab, because a loop in Python takes
    # sixty times as long.
    rows = np.frombuffer(pixels, dtype=np.uint8).reshape((len(pixels) // width, width))
    step = max(1, _BLOCK // width)
    starts = []
    for y in range(0, len(rows) - 1, step):
        inside = rows[y : y + step + 1] >= 128
        fresh = inside[1:] > inside[:-1]
        first = (y + 1) * width
        # camera: many-hits: of _BLOCK pixels, or of one row
        hits = np.nonzero(fresh.reshape((fresh.size,)))[0]
        if hits.size:
            starts.extend([first + int(at) for at in hits.tolist()])
    return starts


def _doubled_area(loop):
    # Shoelace formula; positive for an outer contour (clockwise on a screen), negative around a hole.
    total = 0.0
    x0, y0 = loop[-1]
    for x, y in loop:
        total += x0 * y - x * y0
        x0, y0 = x, y
    return total
