"""The shape of a mask: its size, middle and extent, and the loops around its parts and holes, traced between pixels.

The functions take what a Mask is made of: data, window, crop, clip and grid, as its docstring describes them.
"""

from math import ceil, floor

from micropython import const
from ulab import numpy as np

from .edges import column_at, of_grid, shown
from .pixels import copy_rows

_BLOCK = const(8192)  # pixels that are compared together
_NUDGE = const(2.44e-4)  # as in yolo.py: what lies on half a pixel rounds the same way on camera and PC
_MORE = const(9.77e-4)  # an outline's points have been through more floats, which lose two bits each on a camera


def contains(x, y, data, window, crop, clip, grid):
    """Mask.contains: whether frame pixel (x, y) belongs to the object."""
    wx, wy, ww, _ = window
    left, top, w, h = crop
    cx, cy, cw, ch = clip
    columns, rows = of_grid(grid)
    if not (max(cx, columns[0]) <= x < min(cx + cw, columns[-1]) and max(cy, rows[0]) <= y < min(cy + ch, rows[-1])):
        return False
    x = column_at(columns, x, grid.sx, grid.ox)
    y = column_at(rows, y, grid.sy, grid.oy)
    return left <= x < left + w and top <= y < top + h and data[(y - wy) * ww + x - wx] >= 128


def area(data, window, crop, clip, grid):
    """Mask.area: frame pixels."""
    return _area(_inside(data, window, crop, clip, grid))


def centroid(data, window, crop, clip, grid):
    """Mask.centroid: a frame pixel (x, y), or None."""
    return _centroid(_inside(data, window, crop, clip, grid))


def area_and_centroid(data, window, crop, clip, grid):
    """Both of one look at the mask: 90,000 instructions less."""
    found = _inside(data, window, crop, clip, grid)
    return _area(found), _centroid(found)


def _area(found):
    if found is None:
        return 0
    inside, _, _, widths, heights = found
    return int(np.dot(np.dot(inside, widths), heights))


def _centroid(found):
    if found is None:
        return None
    inside, columns, rows, widths, heights = found
    rows_mass = np.dot(inside, widths) * heights
    mass = np.dot(rows_mass, np.ones(len(heights)))
    if not mass:
        return None
    columns_mass = np.dot(heights.reshape((1, len(heights))), inside)[0] * widths
    # The middle of the frame pixels from edge to edge lies half way between the edges.
    return (
        columns[0] + int(np.dot(columns_mass, _middles(columns)) / mass),
        rows[0] + int(np.dot(rows_mass, _middles(rows)) / mass),
    )


def rect(data, window, crop, clip, grid):
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
    left, right = _pixels(left + wx, right + wx, grid.sx, grid.ox, cx, cw)
    top, bottom = _pixels(top + wy, bottom + wy, grid.sy, grid.oy, cy, ch)
    return left, top, right - left, bottom - top


def _extent(peaks, start, count):
    """From where to where the interpolated peaks of columns (or rows) are inside, in pixels of the window; or None, None.

    peaks   the greatest byte of each column of the window
    start, count    those of the crop: a peak beyond it does not count, but an edge is interpolated with it
    """
    # By steps from both ends: in most boxes the object is near.
    low = start
    high = start + count - 1
    while low <= high and peaks[low] < 128:
        low += 1
    if low > high:
        return None, None
    while peaks[high] < 128:
        high -= 1
    # An edge lies between the middle of a pixel inside and that of its neighbour. Where the neighbour is inside too, or
    # there is none, as far out as the window and then the clip rectangle let it.
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
    """The frame pixels from low to high whose middles lie between, at least one, of those from start on: (first, end)."""
    first = max(ceil(low * scale + offset - 0.5 - _NUDGE), start)
    end = min(ceil(high * scale + offset - 0.5 - _NUDGE), start + count)
    if end <= first:
        first = min(max(floor((low + high) * 0.5 * scale + offset), start), start + count - 1)
        end = first + 1
    return first, end


def tight(detection):
    """What makes a Detection out of its six fields, with the rect of its mask; of an empty one as it was given."""

    def made(given, score, class_id, label, mask, keypoints):
        return detection(rect(*mask.parts()) or given, score, class_id, label, mask, keypoints)

    return made


def _is_empty(data, clip):
    # Whether there is nothing to tell of: no pixels, or a box that rounds to no frame pixel though mask pixels lie in it.
    return not data or clip[2] < 1 or clip[3] < 1


def _inside(data, window, crop, clip, grid):
    # The part of the crop that frame pixels show, a (h, w) array of booleans; the edges of its columns and rows, and their
    # widths and heights as floats: for np.dot, as sums of integers wrap. None where it is empty.
    wx, wy, ww, wh = window
    _, _, w, h = crop
    if max(w, h) > 65535:
        raise ValueError("expected a mask of at most 65535 pixels a side, got %d x %d" % (w, h))  # ulab would never return
    x, columns, y, rows = shown(grid, crop, clip)
    w, h = len(columns) - 1, len(rows) - 1
    if not data or w < 1 or h < 1:
        return None
    pixels = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
    inside = pixels[y - wy : y - wy + h, x - wx : x - wx + w] >= 128
    return inside, columns, rows, _widths(columns), _widths(rows)


def _widths(edges):
    places = np.array(edges, dtype=np.float)
    return places[1:] - places[:-1]


def _middles(edges):
    # From the first edge: small numbers lose less in float32.
    places = np.array(edges, dtype=np.float)
    return (places[1:] + places[:-1]) * 0.5 - places[0]


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
    sx, ox, sy, oy = grid.sx, grid.ox + _MORE, grid.sy, grid.oy + _MORE
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
        # camera: many-hits: of _BLOCK pixels, or of one row
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
