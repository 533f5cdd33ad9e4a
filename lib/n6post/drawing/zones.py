"""Zones and trails in a frame: in white or colors with black edges, to be visible on any picture.

Imported on first use. Every drawing call gets one tuple of ints, and keywords: see draw.py.
"""

from math import sqrt

from micropython import const

from ..pixels.colors import FONT_HEIGHT, FONT_WIDTH, checked_color, class_color, depth_of, text_scale
from ..pixels.text import draw_text
from ..tensors.lazy import module
from ..tensors.options import flag, number

# Pixels; from VGA on twice as many, like text.
_ARROW = const(16)  # length of the arrow
_HEAD = const(5)  # of it, length of the head
_GAP = const(4)  # between a line and a text
_STEP = const(4)  # minimum length of a trail's line: a call costs as much as thirty pixels
_EDGE = const(4)  # width of both black edges together, pixels of any picture; with less the firmware would only blend them


def draw_line_zone(img, zone, color, thickness, labels):
    """LineZone.draw."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    (sx, sy), (ex, ey) = _placed((zone.start, zone.end), zone.frame_size, img.width(), img.height())
    length = sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy)) or 1.0
    # A unit vector along the line; (v, -u) points to its left, to "in".
    u, v = (ex - sx) / length, (ey - sy) / length
    scale = text_scale(img.width())
    x, y = (sx + ex) // 2, (sy + ey) // 2
    tip = x + int(_ARROW * scale * v), y - int(_ARROW * scale * u)
    back, side = (_ARROW - _HEAD) * scale, _HEAD * scale
    wings = [(x + int(back * v + s * side * u), y + int(s * side * v - back * u)) for s in (-1, 1)]
    if thickness:
        lines = (sx, sy, ex, ey), (x, y) + tip, tip + wings[0], tip + wings[1]
        _draw_lines(img, lines, color, thickness)
    if not labels:
        return
    taken = None
    for text, sign in (("in %d" % zone.in_count, 1), ("out %d" % zone.out_count, -1)):
        w, h = _size(text, scale)
        # The distance of the text's center at which no corner of it comes nearer than _GAP to the line, or to the tip.
        distance = abs(v) * w / 2 + abs(u) * h / 2 + _GAP * scale + (_ARROW * scale if sign > 0 else 0)
        at = _clamped(img, x + int(sign * distance * v) - w // 2, y - int(sign * distance * u) - h // 2, w, h)
        if taken and _intersects(taken, at + (w, h)):  # at the frame's edge
            at = _beside(img, taken, at, w, h, u, v)
        _write(img, text, at, w, h, color, scale)
        taken = at + (w, h)


def draw_polygon_zone(img, zone, color, thickness, labels):
    """PolygonZone.draw."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    points = _placed(zone.points, zone.frame_size, img.width(), img.height())
    if thickness:
        lines = []
        last = points[-1]
        for point in points:
            lines.append(last + point)
            last = point
        _draw_lines(img, lines, color, thickness)
    if labels:
        scale = text_scale(img.width())
        text = str(zone.current_count)
        w, h = _size(text, scale)
        x, y = _text_position(points)
        _write(img, text, _clamped(img, x - w // 2, y - h // 2, w, h), w, h, color, scale)


def draw_trail(img, rings, size, color, thickness):
    """Trail.draw.

    rings   as Trail._rings returns them
    size    (width, height) of the frame that the positions belong to, or None
    """
    given = _checked(img, color or (0, 0, 0), thickness)
    width, height = img.width(), img.height()
    right, bottom = width - 1, height - 1
    other_size = size is not None and size != (width, height)
    if other_size:
        module("results.scaled").is_scaled(size, width, height)
    step = _STEP * text_scale(width)
    for key, ring, after, count in rings if thickness else ():
        paint = given if color else class_color(key)
        length = len(ring) // 2
        px = None
        while count:
            at = after - count
            if at < 0:
                at += length
            count -= 1
            x, y = ring[2 * at], ring[2 * at + 1]
            if other_size:
                x, y = _moved(x, size[0], width), _moved(y, size[1], height)
            # A position on the frame's lower or right edge is drawn in the last row or column.
            x = min(x, right)
            y = min(y, bottom)
            if px is None:
                px, py = x, y
            elif not count or abs(x - px) + abs(y - py) >= step:
                img.draw_line((px, py, x, y), color=paint, thickness=thickness)
                px, py = x, y


def _checked(img, color, thickness):
    depth_of(img)
    number("thickness", thickness, 0, 100)
    return checked_color(color)


def _placed(points, size, width, height):
    """Points of a frame of this size as pixels of the picture."""
    if size is None or size == (width, height):
        return points
    module("results.scaled").is_scaled(size, width, height)
    return [(_moved(x, size[0], width), _moved(y, size[1], height)) for x, y in points]


def _moved(at, of, pixels):
    # The pixel, of `pixels` in a row, that contains the center of pixel `at` of `of` in a row.
    return (2 * at + 1) * pixels // (2 * of)


def _draw_lines(img, lines, color, thickness):
    # All edges first, so that no line is covered by the edge of the next one.
    for paint, wide in (((0, 0, 0), thickness + _EDGE), (color, thickness)):
        for line in lines:
            img.draw_line(line, color=paint, thickness=wide)


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


def _size(text, scale):
    # Width and height of a text with its ground.
    return FONT_WIDTH * scale * len(text) + 2, FONT_HEIGHT * scale


def _clamped(img, x, y, w, h):
    return max(0, min(x, img.width() - w)), max(0, min(y, img.height() - h))


def _intersects(one, other):
    x, y, w, h = one
    left, top, across, down = other
    return x < left + across and left < x + w and y < top + down and top < y + h


def _beside(img, taken, at, w, h, u, v):
    """A position for a text beside the rectangle `taken`, along the line (u, v): the first that is in the picture."""
    x, y, across, down = taken
    for sign in (1, -1):
        if abs(u) >= abs(v):
            position = (x + across + 1 if sign > 0 else x - w - 1), at[1]
        else:
            position = at[0], (y + down + 1 if sign > 0 else y - h - 1)
        if position == _clamped(img, position[0], position[1], w, h):
            return position
    return at


def _write(img, text, at, w, h, color, scale):
    """Write a text on a black ground of w x h pixels."""
    x, y = at
    img.draw_rectangle((x, y, w, h), color=(0, 0, 0), fill=True)
    draw_text(img, x + 1, y, text, color, scale)
