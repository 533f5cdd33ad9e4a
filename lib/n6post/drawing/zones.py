"""Zones and trails in a frame: zones with black edges, to be visible on any picture. Imported on first use."""

from array import array
from math import ceil, floor, sqrt

from micropython import const
from ulab import numpy as np

from ..pixels.colors import class_color, rgb565
from ..pixels.colors import text_scale as usual_text_scale
from ..tensors.lazy import later
from .lines import draw_lines
from .text import size_of, write_clear

# Pixels; from VGA on twice as many, like text.
_ARROW = const(16)  # length of the arrow
_HEAD = const(5)  # of it, length of the head
_GAP = const(4)  # between a line and a text
_STEP = const(4)  # minimum length of a trail's line
_NEAR = 1e-3  # a line of a plane's grid that is as near to its end, in steps, is on it
_EDGE = const(4)  # width of both black edges together, pixels of any picture; with less the firmware would only blend them


def draw_zone(zone, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A LineZone or a PolygonZone for `draw`, which has checked its options but for color_by and roi."""
    if color_by != "class":
        raise ValueError("color_by: expected 'class' for a zone, got %r" % (color_by,))
    _, _, width, height = target
    scale = text_scale or usual_text_scale(width)
    color = 0xFFFF if color is None else rgb565(color)
    is_line = zone._is_line
    points = zone._ends if is_line else zone._points
    size = zone._values["frame_size"]
    if roi is not None or size is not None and (size[0] != width or size[1] != height):
        points = _placed(points, size, width, height, roi)
        if roi is not None and not _is_seen(points, width, height):
            return
    # What is drawn is kept for the next frame, because a camera computes it more slowly than it draws it.
    known, big, across, down, rows, pairs, lines, place, written = zone._drawn
    if known != points or big != scale or across != width or down != height:
        rows, pairs, lines, place = (_line if is_line else _polygon)(points, scale)
        written = [None, 0, ()]  # the counts that are written, their color, and the texts
        zone._drawn = points, scale, width, height, rows, pairs, lines, place, written
    if thickness:
        draw_lines(target, rows, pairs, lines, color, thickness, _EDGE)
    if labels:
        counts = zone._totals if is_line else zone._state[1]
        if written[0] != counts or written[1] != color:
            written[:] = (_count_texts if is_line else _count_text)(target, place, counts, color, scale)
        for texts in written[2]:
            write_clear(target, texts)


_LINE = array("H", (0, 1, 0, 2, 3, 0, 3, 4, 0, 3, 5, 0))


def _line(ends, scale):
    """For a line and its arrow: points, the pairs that are lines, the number of these, and (x, y, u, v).

    x, y    the middle of the line
    u, v    a unit vector along it; (v, -u) points to its left, to "in"
    """
    (sx, sy), (ex, ey) = ends
    length = sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy)) or 1.0
    u, v = (ex - sx) / length, (ey - sy) / length
    x, y = (sx + ex) // 2, (sy + ey) // 2
    back, side = (_ARROW - _HEAD) * scale, _HEAD * scale
    tip = x + int(_ARROW * scale * v), y - int(_ARROW * scale * u)
    wings = [(x + int(back * v + s * side * u), y + int(s * side * v - back * u)) for s in (-1, 1)]
    return _rows(ends + ((x, y), tip, wings[0], wings[1])), _LINE, 4, (x, y, u, v)


def _count_texts(target, line, counts, color, scale):
    """(the counts, their color, both as write_clear takes them: in one list, or in two if they would cover each other)."""
    x, y, u, v = line
    came, went = counts
    taken = None
    texts = []
    for text, sign in (("in %d" % came, 1), ("out %d" % went, -1)):
        w, h = size_of(text, scale)
        # The distance of the text's center at which no corner of it comes nearer than _GAP to the line, or to the tip.
        distance = abs(v) * w / 2 + abs(u) * h / 2 + _GAP * scale + (_ARROW * scale if sign > 0 else 0)
        at = _clamped(target, x + int(sign * distance * v) - w // 2, y - int(sign * distance * u) - h // 2, w, h)
        if taken and _intersects(taken, at + (w, h)):  # at the frame's edge
            at = _beside(target, taken, at, w, h, u, v)
        entry = at + (w, h, text, 0, color, scale)
        if taken and _intersects(taken, entry[:4]):
            return [came, went], color, [texts, [entry]]
        taken = entry[:4]
        texts.append(entry)
    return [came, went], color, [texts]


def _polygon(points, scale):
    """For a polygon: its points, the pairs that are edges, the number of these, and (x, y) of the text's center."""
    pairs = array("H", (len(points) - 1, 0, 0))
    for at in range(1, len(points)):
        pairs.extend(array("H", (at - 1, at, 0)))
    return _rows(points), pairs, len(points), _text_position(points)


def _count_text(target, center, count, color, scale):
    """(the count, its color, its text as write_clear takes it)."""
    x, y = center
    text = str(count)
    w, h = size_of(text, scale)
    return count, color, [[_clamped(target, x - w // 2, y - h // 2, w, h) + (w, h, text, 0, color, scale)]]


def _rows(points):
    """Points as draw_lines takes them."""
    return np.array([(x, y, 0) for x, y in points])


def draw_plane(plane, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A Plane for `draw`: a grid of meters, and a cross at each of its points."""
    if color_by != "class":
        raise ValueError("color_by: expected 'class' for a plane, got %r" % (color_by,))
    _, _, width, height = target
    scale = text_scale or usual_text_scale(width)
    low, high = [[limit(at) for at in zip(*plane.world_points)] for limit in (min, max)]
    step = 1  # tenths of a meter: 1, 2, 5, 10 ...
    while max(high[0] - low[0], high[1] - low[1]) > step:
        step = step * 5 // 2 if str(step)[0] == "2" else step * 2
    points, texts = [], []
    for axis in (0, 1):
        for k in range(ceil(10 * low[axis] / step - _NEAR), floor(10 * high[axis] / step + _NEAR) + 1):
            start, end = list(low), list(high)
            start[axis] = end[axis] = k * step / 10
            ends = [plane.to_image(start), plane.to_image(end)]
            if None not in ends and max([abs(v) for end in ends for v in end]) <= 32767:
                points += ends
                texts.append("%g m" % (k * step / 10))
    arm = _HEAD * scale
    for x, y in plane.image_points:
        x, y = floor(x), floor(y)
        points += [(x - arm, y), (x + arm, y), (x, y - arm), (x, y + arm)]
    size = plane.frame_size
    if roi is not None or size is not None and size != (width, height):
        points = _placed(points, size, width, height, roi)
    color = 0xFFFF if color is None else rgb565(color)
    if thickness:
        pairs = array("H", [end for at in range(0, len(points), 2) for end in (at, at + 1, 0)])
        draw_lines(target, _rows(points), pairs, len(points) // 2, color, thickness, _EDGE)
    entries = []
    for at in range(len(texts)):
        text, (x, y) = texts[at], points[2 * at]
        w, h = size_of(text, scale)
        place = _clamped(target, x - w // 2, y - h // 2, w, h) + (w, h)
        if 0 <= x < width and 0 <= y < height and not [1 for one in entries if _intersects(one[:4], place)]:
            entries.append(place + (text, 0, color, scale))
    if labels and entries:
        write_clear(target, entries)


def draw_trail(trail, target, color, alpha, thickness, labels, color_by, text_scale, roi):
    """A Trail for `draw`, which has checked its options but for roi. It has no labels."""
    _, _, width, height = target
    size = trail.frame_size
    given = color and rgb565(color)
    right, bottom = width - 1, height - 1
    left = top = 0
    other_size = roi is not None
    if other_size:
        left, top, across, down = later.results_scaled.checked_roi(roi, size)
    elif size is not None and size != (width, height):
        other_size = later.results_scaled.is_scaled(size, width, height)
        across, down = size
    step = _STEP * usual_text_scale(width)
    points, rows, pairs = _trail or _trail_of(1)
    for key, ring, after, count in trail._rings(color_by) if thickness else ():
        length = len(ring) // 2
        if len(points) < 3 * count:
            points, rows, pairs = _trail[:] = _trail_of(count)
        lines, px, py = -3, 0, 0
        while count:
            at = after - count
            if at < 0:
                at += length
            count -= 1
            x, y = ring[2 * at], ring[2 * at + 1]
            if other_size:
                x, y = _moved(x - left, across, width), _moved(y - top, down, height)
            if roi is None:
                # A position on the frame's lower or right edge is drawn in the last row or column.
                x = min(x, right)
                y = min(y, bottom)
            if lines < 0 or not count or abs(x - px) + abs(y - py) >= step:
                lines += 3
                px, py = x, y
                points[lines] = x
                points[lines + 1] = y
        if lines > 0:
            draw_lines(target, rows, pairs, lines // 3, given if color else rgb565(class_color(key)), thickness)


def _trail_of(count):
    """For a trail of `count` points: their numbers x, y, 0; they as draw_lines takes them; the lines between them."""
    points = array("f", bytes(12 * count))
    pairs = array("H")
    for at in range(count):
        pairs.extend(array("H", (at, at + 1, 0)))
    return points, np.frombuffer(points).reshape((count, 3)), pairs


_trail = []  # what _trail_of returned for the longest one, kept for the next frame


def _placed(points, size, width, height, roi):
    """Points of a frame of this size as pixels of the picture, which shows this part of it."""
    if roi is not None:
        left, top, across, down = later.results_scaled.checked_roi(roi, size)
        return tuple([(_moved(x - left, across, width), _moved(y - top, down, height)) for x, y in points])
    later.results_scaled.is_scaled(size, width, height)
    return tuple([(_moved(x, size[0], width), _moved(y, size[1], height)) for x, y in points])


def _moved(at, of, pixels):
    # The pixel, of `pixels` in a row, that contains the center of pixel `at` of `of` in a row.
    return (2 * at + 1) * pixels // (2 * of)


def _text_position(points):
    """A point of a polygon for a text: the center of its longest part in the row of the mean of its corners."""
    count = len(points)
    row = sum([y for _, y in points]) // count
    ends = []
    px, py = points[-1]
    for x, y in points:
        if (py > row) != (y > row):
            ends.append(px + (x - px) * (row - py) // (y - py))
        px, py = x, y
    ends.sort()
    longest = 0
    x = sum([x for x, _ in points]) // count  # for a polygon that has become flat
    for at in range(0, len(ends), 2):
        if ends[at + 1] - ends[at] > longest:
            longest = ends[at + 1] - ends[at]
            x = (ends[at] + ends[at + 1]) // 2
    return x, row


def _is_seen(points, width, height):
    """Whether the rectangle around these points has a pixel in the picture."""
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return max(xs) >= 0 and min(xs) < width and max(ys) >= 0 and min(ys) < height


def _clamped(target, x, y, w, h):
    _, _, width, height = target
    return max(0, min(x, width - w)), max(0, min(y, height - h))


def _intersects(one, other):
    x, y, w, h = one
    left, top, across, down = other
    return x < left + across and left < x + w and y < top + down and top < y + h


def _beside(target, taken, at, w, h, u, v):
    """A position for a text beside the rectangle `taken`, along the line (u, v): the first that is in the picture."""
    x, y, across, down = taken
    for sign in (1, -1):
        if abs(u) >= abs(v):
            position = (x + across + 1 if sign > 0 else x - w - 1), at[1]
        else:
            position = at[0], (y + down + 1 if sign > 0 else y - h - 1)
        if position == _clamped(target, position[0], position[1], w, h):
            return position
    return at
