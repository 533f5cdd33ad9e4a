"""How zones and trails are drawn over a frame: in white or colours edged with black, to be seen on any picture.

Loaded when the first is drawn. Every drawing call takes one tuple of ints and keywords, as draw.py says.
"""

from math import sqrt

from micropython import const

from .firmware import text_apart
from .options import flag, number
from .pixels import FONT_HEIGHT, FONT_WIDTH, checked_color, class_color, depth_of, text_scale

_ARROW = const(16)  # its length, pixels of a small picture; twice that from VGA on, like text
_HEAD = const(5)
_EDGE = const(4)  # of black, both sides together: of every other pixel the firmware makes a shade
_GAP = const(4)  # between a line and a text
_STEP = const(4)  # the least way that a trail's line is drawn for: a call costs as much as thirty pixels


def draw_line_zone(img, zone, color, thickness, labels):
    """LineZone.draw."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    (sx, sy), (ex, ey) = _placed((zone.start, zone.end), zone.frame_size, img.width(), img.height())
    length = sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy)) or 1.0
    # A unit along the line; (v, -u) leads to its left, where in is.
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
    for text, far in (("in %d" % zone.in_count, 1), ("out %d" % zone.out_count, -1)):
        w, h = _size(text, scale)
        # So far that no corner of the text comes nearer to the line, or to the tip.
        away = abs(v) * w / 2 + abs(u) * h / 2 + _GAP * scale + (_ARROW * scale if far > 0 else 0)
        at = _moved_in(img, x + int(far * away * v) - w // 2, y - int(far * away * u) - h // 2, w, h)
        if taken and _meet(taken, at + (w, h)):  # at the frame's edge
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
        x, y = _middle(points)
        _write(img, text, _moved_in(img, x - w // 2, y - h // 2, w, h), w, h, color, scale)


def draw_trail(img, rings, size, color, thickness):
    """Trail.draw: lines through what Trail._rings returns, of a frame of that size."""
    given = _checked(img, color or (0, 0, 0), thickness)
    width, height = img.width(), img.height()
    right, bottom = width - 1, height - 1
    other = size is not None and size != (width, height)
    least = _STEP * text_scale(width)
    for key, ring, after, many in rings if thickness else ():
        paint = given if color else class_color(key)
        length = len(ring) // 2
        px = None
        while many:
            at = after - many
            if at < 0:
                at += length
            many -= 1
            x, y = ring[2 * at], ring[2 * at + 1]
            if other:
                x, y = _moved(x, size[0], width), _moved(y, size[1], height)
            # What stands on the frame's lower edge is seen in its last line.
            x = min(x, right)
            y = min(y, bottom)
            if px is None:
                px, py = x, y
            elif not many or abs(x - px) + abs(y - py) >= least:
                img.draw_line((px, py, x, y), color=paint, thickness=thickness)
                px, py = x, y


def _checked(img, color, thickness):
    depth_of(img)
    number("thickness", thickness, 0, 100)
    return checked_color(color)


def _placed(points, size, width, height):
    """Points of a frame of that size as those of the picture."""
    if size is None or size == (width, height):
        return points
    return [(_moved(x, size[0], width), _moved(y, size[1], height)) for x, y in points]


def _moved(at, of, pixels):
    # The pixel of a row of `pixels` in which the middle of a frame's lies, that has `of` in a row.
    return (2 * at + 1) * pixels // (2 * of)


def _draw_lines(img, lines, color, thickness):
    # All edges first: no line is cut by the next one's.
    for paint, wide in (((0, 0, 0), thickness + _EDGE), (color, thickness)):
        for line in lines:
            img.draw_line(line, color=paint, thickness=wide)


def _middle(points):
    """Where a polygon has room for a text: the middle of its longest stretch in the row in which its corners' mean lies."""
    many = len(points)
    row = sum([y for _, y in points]) // many
    ends = []
    px, py = points[-1]
    for x, y in points:
        if (py > row) != (y > row):
            ends.append(px + (x - px) * (row - py) // (y - py))
        px, py = x, y
    ends.sort()
    best = 0
    middle = sum([x for x, _ in points]) // many  # of one that has become flat
    for at in range(0, len(ends), 2):
        if ends[at + 1] - ends[at] > best:
            best = ends[at + 1] - ends[at]
            middle = (ends[at] + ends[at + 1]) // 2
    return middle, row


def _size(text, scale):
    # Of a text on its ground.
    return FONT_WIDTH * scale * len(text) + 2, FONT_HEIGHT * scale


def _moved_in(img, x, y, w, h):
    return max(0, min(x, img.width() - w)), max(0, min(y, img.height() - h))


def _meet(one, other):
    x, y, w, h = one
    left, top, across, down = other
    return x < left + across and left < x + w and y < top + down and top < y + h


def _beside(img, taken, at, w, h, u, v):
    """A place for a text along the line (u, v) from one that is taken: to the one side, or where no room is to the other."""
    x, y, across, down = taken
    for way in (1, -1):
        if abs(u) >= abs(v):
            place = (x + across + 1 if way > 0 else x - w - 1), at[1]
        else:
            place = at[0], (y + down + 1 if way > 0 else y - h - 1)
        if place == _moved_in(img, place[0], place[1], w, h):
            return place
    return at


def _write(img, text, at, w, h, color, scale):
    """Text on black."""
    x, y = at
    img.draw_rectangle((x, y, w, h), color=(0, 0, 0), fill=True)
    if text_apart():
        img.draw_string((x + 1, y), text, color=color, scale=scale)
    else:
        img.draw_string((x + 1, y, text), color=color, scale=scale)
