"""The geometry of a mask: area, centroid, bounding box and outline.

The functions take the parts of a Mask: data, window, crop, clip and transform, as its docstring describes them.
"""

from math import ceil, floor

from micropython import const
from ulab import numpy as np

from ..pixels.colors import copy_rows
from ..pixels.pixel_edges import column_at, mask_edges, shown
from ..pixels.rounding import NUDGE
from .detection import Detection

_BLOCK = const(8192)  # pixels that are compared at once
_UNSURE = const(0.0078125)  # frame pixels: more than the error of a mean in float32
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


def area(data, window, crop, clip, transform):
    """Mask.area: frame pixels."""
    return _area(_inside(data, window, crop, clip, transform))


def centroid(data, window, crop, clip, transform):
    """Mask.centroid: a frame pixel (x, y), or None."""
    return _centroid(_inside(data, window, crop, clip, transform))


def area_and_centroid(data, window, crop, clip, transform):
    """(Mask.area, Mask.centroid): 90,000 instructions less than one after the other."""
    part = _inside(data, window, crop, clip, transform)
    return _area(part), _centroid(part)


def _area(part):
    if part is None:
        return 0
    inside, _, _, widths, heights = part
    return int(np.dot(np.dot(inside, widths), heights))


def _centroid(part):
    if part is None:
        return None
    inside, columns, rows, widths, heights = part
    rows_mass = np.dot(inside, widths) * heights
    mass = np.dot(rows_mass, np.ones(len(heights)))
    if not mass:
        return None
    columns_mass = np.dot(heights.reshape((1, len(heights))), inside)[0] * widths
    return columns[0] + _mean(columns_mass, columns, mass), rows[0] + _mean(rows_mass, rows, mass)


def _mean(masses, edges, mass):
    # The mean position relative to the first edge, an int, of columns or rows of these masses.
    centers = _centers(edges)
    mean = np.dot(masses, centers) / mass + _UNSURE
    whole = int(mean)
    if mean - whole > 2.0 * _UNSURE:
        return whole
    # The sum was rounded, on each machine in its own way, and decides between two pixels: once more in integers.
    total = mass = 0
    for weight, center in zip(masses.tolist(), centers.tolist()):
        total += int(weight) * int(2.0 * center)
        mass += int(weight)
    return total // (2 * mass)


def rect(data, window, crop, clip, transform):
    """Mask.rect: (x, y, w, h) in frame pixels, or None."""
    if _is_empty(data, clip):
        return None
    wx, wy, ww, wh = window
    x, y, w, h = crop
    rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    # camera: long-axis: prototypes and maps are taken up to 65535 pixels a side
    left, right = _extent(np.max(rows[y - wy : y - wy + h], axis=0).tobytes(), x - wx, w)
    if left is None:
        return None
    # camera: long-axis: nor are they wider
    top, bottom = _extent(np.max(rows[:, x - wx : x - wx + w], axis=1).tobytes(), y - wy, h)
    cx, cy, cw, ch = clip
    left, right = _pixels(left + wx, right + wx, transform.sx, transform.ox, cx, cw)
    top, bottom = _pixels(top + wy, bottom + wy, transform.sy, transform.oy, cy, ch)
    return left, top, right - left, bottom - top


def _extent(peaks, start, count):
    """The extent (low, high) in which the interpolated peaks are inside, in pixels of the window; (None, None) if none is.

    peaks   the maximum byte of each column (or row) of the window
    start, count    the columns of the crop. Peaks beyond it do not count, but edges are interpolated with them
    """
    # Step by step from both ends, because in most boxes the object is near them.
    low = start
    high = start + count - 1
    while low <= high and peaks[low] < 128:
        low += 1
    if low > high:
        return None, None
    while peaks[high] < 128:
        high -= 1
    # An edge is between the center of a pixel inside and that of its neighbor outside. If the neighbor is inside too, or
    # there is none, the mask extends to the end of the window, and is clipped by the caller.
    left = 0.0
    right = float(len(peaks))
    inside = peaks[low]
    beside = peaks[low - 1] if low else 255
    if beside < 128:
        left = low + 0.5 - (inside - 127.5) / (inside - beside)
    inside = peaks[high]
    beside = peaks[high + 1] if high + 1 < len(peaks) else 255
    if beside < 128:
        right = high + 0.5 + (inside - 127.5) / (inside - beside)
    return left, right


def _pixels(low, high, scale, offset, start, count):
    """The frame pixels (first, end) with centers between low and high, at least one, clipped to start, start + count."""
    first = max(ceil(low * scale + offset - 0.5 - NUDGE), start)
    end = min(ceil(high * scale + offset - 0.5 - NUDGE), start + count)
    if end <= first:
        first = min(max(floor((low + high) * 0.5 * scale + offset), start), start + count - 1)
        end = first + 1
    return first, end


def detection_refitted(box, score, class_id, label, mask, keypoints):
    """A Detection with the bounding box of its mask as rect."""
    return Detection(rect(*mask._parts()), score, class_id, label, mask, keypoints)


def _is_empty(data, clip):
    # Whether a mask has no pixels, or a box that is rounded to no frame pixel although mask pixels are in it.
    return not data or clip[2] < 1 or clip[3] < 1


def _inside(data, window, crop, clip, transform):
    # The part of the crop that is in the clip rectangle: an (h, w) array of booleans, the edges of its columns and rows, and
    # their widths and heights. These are floats for np.dot, because sums of integers wrap. None if it is empty.
    wx, wy, ww, wh = window
    _, _, w, h = crop
    if max(w, h) > 65535:
        raise ValueError("expected a mask of at most 65535 pixels a side, got %d x %d" % (w, h))  # ulab would never return
    x, columns, y, rows = shown(transform, crop, clip)
    w, h = len(columns) - 1, len(rows) - 1
    if not data or w < 1 or h < 1:
        return None
    pixels = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    inside = pixels[y - wy : y - wy + h, x - wx : x - wx + w] >= 128
    return inside, columns, rows, _widths(columns), _widths(rows)


def _widths(edges):
    edges = np.array(edges, dtype=np.float)
    return edges[1:] - edges[:-1]


def _centers(edges):
    # The center of the frame pixels from edge to edge is halfway between the edges. Relative to the first edge: small
    # numbers lose less in float32.
    edges = np.array(edges, dtype=np.float)
    return (edges[1:] + edges[:-1]) * 0.5 - edges[0]


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
