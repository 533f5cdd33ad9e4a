"""Zones and trails in a frame: zones with black edges, to be visible on any picture. Imported on first use."""

from array import array
from math import sqrt

from micropython import const
from ulab import numpy as np

from ..pixels.colors import checked_color, class_color, depth_of, rgb565
from ..pixels.colors import text_scale as usual_text_scale
from ..tensors.lazy import module
from ..tensors.options import flag, number
from .lines import draw_lines
from .text import size_of, target_of, write_clear

# Pixels; from VGA on twice as many, like text.
_ARROW = const(16)  # length of the arrow
_HEAD = const(5)  # of it, length of the head
_GAP = const(4)  # between a line and a text
_STEP = const(4)  # minimum length of a trail's line
_EDGE = const(4)  # width of both black edges together, pixels of any picture; with less the firmware would only blend them

# What is drawn of zones, kept for the next frame, because a camera computes it more slowly than it draws it:
# {id of the zone: (its points in the picture, scale, what _line or _polygon has made of them)}, {color: RGB565}.
_kept = {}
_inks = {}
_MOST = const(16)


def draw_line_zone(img, zone, color, thickness, labels, text_scale=None, roi=None):
    """LineZone.draw. text_scale and roi: as of `draw`."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    target = target_of(img)
    _, _, width, height = target
    scale = text_scale or usual_text_scale(width)
    ends = _placed(zone._ends, zone.frame_size, width, height, roi)
    if roi and not _is_seen(ends, width, height):
        return
    made = _known(zone, ends, scale, _line)
    if thickness:
        draw_lines(target, made[0], _LINE, 4, color, thickness, _EDGE)
    if labels:
        counts = zone.in_count, zone.out_count, color, width, height
        if made[2][0] != counts:
            made[2] = counts, _count_texts(target, made[1], counts, scale)
        for texts in made[2][1]:
            write_clear(target, texts)


_LINE = array("H", (0, 1, 0, 2, 3, 0, 3, 4, 0, 3, 5, 0))


def _line(ends, scale):
    """[points of the line and its arrow, (x, y, u, v), (what its texts show and where they fit, these texts)].

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
    return [_rows(ends + ((x, y), tip, wings[0], wings[1])), (x, y, u, v), (None, ())]


def _count_texts(target, line, counts, scale):
    """Both counts as write_clear takes them: in one list, or in two if they would cover each other."""
    x, y, u, v = line
    came, went, color, _, _ = counts
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
            return [texts, [entry]]
        taken = entry[:4]
        texts.append(entry)
    return [texts]


def draw_polygon_zone(img, zone, color, thickness, labels, text_scale=None, roi=None):
    """PolygonZone.draw. text_scale and roi: as of `draw`."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    target = target_of(img)
    _, _, width, height = target
    points = _placed(zone._points, zone.frame_size, width, height, roi)
    if roi and not _is_seen(points, width, height):
        return
    scale = text_scale or usual_text_scale(width)
    made = _known(zone, points, scale, _polygon)
    if thickness:
        draw_lines(target, made[0], made[1], len(points), color, thickness, _EDGE)
    if labels:
        count = zone.current_count, color, width, height
        if made[3][0] != count:
            made[3] = count, _count_text(target, made[2], count, scale)
        write_clear(target, made[3][1])


def _polygon(points, scale):
    """[points, the pairs that are edges, (x, y) of the text's center, (what its text shows and where it fits, the text)]."""
    pairs = array("H", (len(points) - 1, 0, 0))
    for at in range(1, len(points)):
        pairs.extend(array("H", (at - 1, at, 0)))
    return [_rows(points), pairs, _text_position(points), (None, ())]


def _count_text(target, center, count, scale):
    """The count as write_clear takes it."""
    x, y = center
    text = str(count[0])
    w, h = size_of(text, scale)
    return [_clamped(target, x - w // 2, y - h // 2, w, h) + (w, h, text, 0, count[1], scale)]


def _known(zone, points, scale, make):
    known = _kept.get(id(zone))
    if known is None or known[0] != points or known[1] != scale:
        if len(_kept) >= _MOST:
            _kept.clear()
        known = _kept[id(zone)] = points, scale, make(points, scale)
    return known[2]


def _rows(points):
    """Points as draw_lines takes them."""
    return np.array([(x, y, 0) for x, y in points])


def draw_trail(img, rings, size, color, thickness, roi=None):
    """Trail.draw.

    rings   as Trail._rings returns them
    size    (width, height) of the frame that the positions belong to, or None
    roi     as of `draw`
    """
    given = _checked(img, color or (0, 0, 0), thickness)
    width, height = img.width(), img.height()
    target = img.bytearray(), depth_of(img), width, height
    right, bottom = width - 1, height - 1
    left = top = 0
    other_size = roi is not None
    if other_size:
        left, top, across, down = module("results.scaled").checked_roi(roi, size)
    elif size is not None and size != (width, height):
        other_size = module("results.scaled").is_scaled(size, width, height)
        across, down = size
    step = _STEP * usual_text_scale(width)
    points, rows, pairs = _trail or _trail_of(1)
    for key, ring, after, count in rings if thickness else ():
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


def _checked(img, color, thickness):
    """The color as RGB565."""
    depth_of(img)
    number("thickness", thickness, 0, 100)
    ink = _inks.get(color) if isinstance(color, tuple) else None
    if ink is None:
        if len(_inks) >= _MOST:
            _inks.clear()
        color = checked_color(color)
        ink = _inks[color] = rgb565(color)
    return ink


def _placed(points, size, width, height, roi=None):
    """Points of a frame of this size as pixels of the picture, which shows this part of it."""
    if roi is None and (size is None or size == (width, height)):
        return points
    return _placed_otherwise(points, size, width, height, roi)


def _placed_otherwise(points, size, width, height, roi):
    # Not in _placed: MicroPython would keep the variables of a comprehension on the heap in each frame.
    if roi is not None:
        left, top, across, down = module("results.scaled").checked_roi(roi, size)
        return tuple([(_moved(x - left, across, width), _moved(y - top, down, height)) for x, y in points])
    module("results.scaled").is_scaled(size, width, height)
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
