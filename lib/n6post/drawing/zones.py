"""Zones and trails in a frame: in white or colors with black edges, to be visible on any picture.

Imported on first use. Every drawing call gets one tuple of ints, and keywords: see draw.py.
"""

from math import sqrt

from micropython import const

from ..pixels.colors import checked_color, class_color, depth_of, rgb565
from ..pixels.colors import text_scale as usual_text_scale
from ..tensors.lazy import module
from ..tensors.options import flag, number
from .text import place_for, size_of, target_of, write

# Pixels; from VGA on twice as many, like text.
_ARROW = const(16)  # length of the arrow
_HEAD = const(5)  # of it, length of the head
_GAP = const(4)  # between a line and a text
_STEP = const(4)  # minimum length of a trail's line: a call costs as much as thirty pixels
_EDGE = const(4)  # width of both black edges together, pixels of any picture; with less the firmware would only blend them


def draw_line_zone(img, zone, color, thickness, labels, text_scale=None, roi=None):
    """LineZone.draw. text_scale and roi: as of `draw`."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    width, height = img.width(), img.height()
    (sx, sy), (ex, ey) = ends = _placed((zone.start, zone.end), zone.frame_size, width, height, roi)
    if roi and not _is_seen(ends, width, height):
        return
    target = target_of(img)
    length = sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy)) or 1.0
    # A unit vector along the line; (v, -u) points to its left, to "in".
    u, v = (ex - sx) / length, (ey - sy) / length
    scale = text_scale or usual_text_scale(width)
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
    ink = rgb565(color)
    for text, sign in (("in %d" % zone.in_count, 1), ("out %d" % zone.out_count, -1)):
        w, h = size_of(text, scale)
        # The distance of the text's center at which no corner of it comes nearer than _GAP to the line, or to the tip.
        distance = abs(v) * w / 2 + abs(u) * h / 2 + _GAP * scale + (_ARROW * scale if sign > 0 else 0)
        at = _clamped(img, x + int(sign * distance * v) - w // 2, y - int(sign * distance * u) - h // 2, w, h)
        if taken and _intersects(taken, at + (w, h)):  # at the frame's edge
            at = _beside(img, taken, at, w, h, u, v)
        at = place_for(target, at[0], at[1], w, h)
        write(target, at[0], at[1], w, h, text, 0, ink, scale)
        taken = at + (w, h)


def draw_polygon_zone(img, zone, color, thickness, labels, text_scale=None, roi=None):
    """PolygonZone.draw. text_scale and roi: as of `draw`."""
    color = _checked(img, color, thickness)
    flag("labels", labels)
    width, height = img.width(), img.height()
    points = _placed(zone.points, zone.frame_size, width, height, roi)
    if roi and not _is_seen(points, width, height):
        return
    target = target_of(img)
    if thickness:
        lines = []
        last = points[-1]
        for point in points:
            lines.append(last + point)
            last = point
        _draw_lines(img, lines, color, thickness)
    if labels:
        scale = text_scale or usual_text_scale(width)
        text = str(zone.current_count)
        w, h = size_of(text, scale)
        x, y = _text_position(points)
        x, y = place_for(target, x - w // 2, y - h // 2, w, h)
        write(target, x, y, w, h, text, 0, rgb565(color), scale)


def draw_trail(img, rings, size, color, thickness, roi=None):
    """Trail.draw.

    rings   as Trail._rings returns them
    size    (width, height) of the frame that the positions belong to, or None
    roi     as of `draw`
    """
    given = _checked(img, color or (0, 0, 0), thickness)
    width, height = img.width(), img.height()
    right, bottom = width - 1, height - 1
    left = top = 0
    other_size = roi is not None
    if other_size:
        left, top, across, down = module("results.scaled").checked_roi(roi, size)
    elif size is not None and size != (width, height):
        other_size = module("results.scaled").is_scaled(size, width, height)
        across, down = size
    step = _STEP * usual_text_scale(width)
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
                x, y = _moved(x - left, across, width), _moved(y - top, down, height)
            if roi is None:
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


def _placed(points, size, width, height, roi=None):
    """Points of a frame of this size as pixels of the picture, which shows this part of it."""
    if roi is not None:
        left, top, across, down = module("results.scaled").checked_roi(roi, size)
        return [(_moved(x - left, across, width), _moved(y - top, down, height)) for x, y in points]
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


def _is_seen(points, width, height):
    """Whether the rectangle around these points has a pixel in the picture."""
    xs = [x for x, _ in points]
    ys = [y for _, y in points]
    return max(xs) >= 0 and min(xs) < width and max(ys) >= 0 and min(ys) < height


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
