"""Who crosses a line, who is inside a polygon: `LineZone` and `PolygonZone`, in the words of roboflow's supervision.

    line = n6post.LineZone((0, 240), (640, 240))
    came, went = line.trigger(tracker.update(model.predict([img])))
    print(line.in_count, line.out_count)

A detection is where its anchor is, a point of its box. All is reckoned in whole half pixels: camera and PC agree.
"""

import time
from collections import OrderedDict
from math import ceil, sqrt

from micropython import const
from ulab import numpy as np

from .firmware import text_apart
from .kernels.portable import total
from .options import number
from .pixels import FONT_HEIGHT, FONT_WIDTH, text_scale

_MOST_TRACKS = const(128)  # that are remembered though they are not in the frame

# Twice the part of a box's width and height at which an anchor lies.
_ANCHORS = {
    "center": (1, 1),
    "top": (1, 0),
    "bottom": (1, 2),
    "left": (0, 1),
    "right": (2, 1),
    "top_left": (0, 0),
    "top_right": (2, 0),
    "bottom_left": (0, 2),
    "bottom_right": (2, 2),
}


class Zone:
    """What lines and polygons share: the anchor, and a table of the tracks that were seen."""

    def __init__(self, anchor):
        if not isinstance(anchor, str) or anchor not in _ANCHORS and anchor != "centroid":
            raise ValueError("anchor: expected %s or centroid, got %r" % (", ".join(sorted(_ANCHORS)), anchor))
        self.anchor = anchor
        self._parts = _ANCHORS.get(anchor)
        self._tracks = {}

    def _places(self, found):
        """Where each detection is: a list of (x, y) in half pixels."""
        if self._parts:
            u, v = self._parts
            places = []
            for x, y, w, h in [d[0] for d in found]:
                places.append((2 * x + u * w, 2 * y + v * h))
            return places
        return [_centroid(d) for d in found]

    def _forget(self, found):
        # The table is bounded: once there are many, whoever is not here is gone.
        if len(self._tracks) > _MOST_TRACKS:
            here = set([d.track_id for d in found])
            self._tracks = {track_id: known for track_id, known in self._tracks.items() if track_id in here}


def _centroid(d):
    at = d.mask and d.mask.centroid
    if at:
        return 2 * at[0] + 1, 2 * at[1] + 1
    x, y, w, h = d.rect
    return 2 * x + w, 2 * y + h


class LineZone(Zone):
    """A line from start to end, both (x, y) in frame pixels, and who crosses it.

    anchor  the point of a box that has to cross: "bottom" (its middle: where a person stands), "center", "top", "left",
            "right", "top_left", ..., or "centroid" (of the mask; without one the box's centre)
    margin  how far beyond the line an anchor has to be to count as across, as a part of the box's mean side: what jitters
            on the line counts once

    **In** is to the left of somebody who looks from start to end, **out** to the right. An object that goes round an end of
    the line has not crossed it. One that is lost on the one side and found again on the other, by the same track, has.

    in_count, out_count                         how many have crossed so far
    in_count_per_class, out_count_per_class     {class_id: how many}, by the class they had when they crossed

    ValueError for a line of no length, and for options out of range.
    """

    def __init__(self, start, end, anchor="bottom", margin=0.1):
        super().__init__(anchor)
        self.start = _point("start", start)
        self.end = _point("end", end)
        if self.start == self.end:
            raise ValueError("end: expected another point than start, got %r twice" % (self.start,))
        dx = self.end[0] - self.start[0]
        dy = self.end[1] - self.start[1]
        # Of a point in half pixels `side` is the cross product of the line and the way there, below 0 on the left: 4 times
        # the length of the line for a distance of a pixel. The mean side of a box is half of w + h.
        sx, sy = self.start
        self._side = -2 * dy, 2 * dx, 4 * (sx * dy - sy * dx)
        self._reach = int(2 * number("margin", margin, 0.0, 10.0) * sqrt(dx * dx + dy * dy) + 0.5)
        self.reset()

    def reset(self):
        """Begin at 0, with nobody seen."""
        self._tracks = {}
        self.in_count = 0
        self.out_count = 0
        self.in_count_per_class = {}
        self.out_count_per_class = {}

    def trigger(self, found):
        """Look at the detections of a frame; returns two lists of them: who has crossed in, and who out.

        found   as Tracker.update returns them. ValueError for a detection without a `track_id`: a crossing takes two frames.
        """
        crossed_in = []
        crossed_out = []
        tracks = self._tracks
        a, b, c = self._side
        margin = self._reach
        for d, (x, y) in zip(found, self._places(found)):
            track_id = d.track_id
            if track_id is None:
                raise ValueError("expected detections with a track_id, as Tracker.update returns them, got one without")
            side = a * x + b * y + c
            if margin:
                _, _, w, h = d[0]
                reach = margin * (w + h)
            else:
                reach = 0
            if -reach <= side <= reach:
                continue  # too near to tell: it is where it was
            last = tracks.get(track_id)
            if last is None:
                tracks[track_id] = [side, x, y]
                continue
            if (last[0] < 0) != (side < 0) and self._between(last, side, x, y):
                # What may fail for want of memory comes first, then what may not: nobody is counted half or twice.
                if side < 0:
                    crossed_in.append(d)
                    _add(self.in_count_per_class, d.class_id)
                    self.in_count += 1
                else:
                    crossed_out.append(d)
                    _add(self.out_count_per_class, d.class_id)
                    self.out_count += 1
            last[0] = side
            last[1] = x
            last[2] = y
        self._forget(found)
        return crossed_in, crossed_out

    def _between(self, last, b, bx, by):
        """Whether the straight way from the last place leads through the line, and not past one of its ends."""
        (sx, sy), (ex, ey) = self.start, self.end
        dx, dy = ex - sx, ey - sy
        a, ax, ay = last
        along_a = dx * (ax - 2 * sx) + dy * (ay - 2 * sy)
        along_b = dx * (bx - 2 * sx) + dy * (by - 2 * sy)
        # Where it meets the line: (a along_b - b along_a) / (a - b), of 2 (dx dx + dy dy). Whole numbers all through.
        meets = a * along_b - b * along_a
        parts = a - b
        if parts < 0:
            meets = -meets
            parts = -parts
        return 0 <= meets <= 2 * (dx * dx + dy * dy) * parts

    def as_dict(self):
        """Numbers and lists only, for JSON: start, end, in, out."""
        told = ("start", list(self.start)), ("end", list(self.end)), ("in", self.in_count), ("out", self.out_count)
        return OrderedDict(told)

    def draw(self, img, color=(255, 255, 255), thickness=2, labels=True):
        """Draw the line, a tick on its left ("in") and the counts; returns img."""
        (sx, sy), (ex, ey) = self.start, self.end
        img.draw_line((sx, sy, ex, ey), color=color, thickness=thickness)
        length = sqrt((ex - sx) * (ex - sx) + (ey - sy) * (ey - sy))
        # A unit to the left of the line.
        ux, uy = (ey - sy) / length, (sx - ex) / length
        x, y = (sx + ex) // 2, (sy + ey) // 2
        img.draw_line((x, y, x + int(12 * ux), y + int(12 * uy)), color=color, thickness=thickness)
        if labels:
            for text, far in (("in %d" % self.in_count, 24), ("out %d" % self.out_count, -24)):
                _write(img, text, x + int(far * ux), y + int(far * uy), color)
        return img


class PolygonZone(Zone):
    """A polygon of points (x, y) in frame pixels, who is inside, and for how long.

    points  three or more; where edges cross each other, what an even number of them surrounds is outside
    anchor  as LineZone's
    patience    seconds for which a track may be lost and still dwells

    current_count               how many of the last frame's detections are inside
    current_count_per_class     {class_id: how many}

    ValueError for fewer than three points or points in a line, and for options out of range.
    """

    def __init__(self, points, anchor="bottom", patience=1.0):
        super().__init__(anchor)
        if not isinstance(points, (list, tuple)) or len(points) < 3:
            raise ValueError("points: expected three or more (x, y), got %r" % (points,))
        self.points = [_point("points", point) for point in points]
        self._edges = self._in_half_pixels()
        sx, sy = self.points[0]
        dx, dy = 0, 0
        flat = True
        for x, y in self.points:
            flat = flat and dx * (y - sy) == dy * (x - sx)
            if not (dx or dy):
                dx, dy = x - sx, y - sy
        if flat:
            raise ValueError("points: expected some that are not in a line, got %r" % (points,))
        self._patience = int(1000 * number("patience", patience, 0.0, 1e6))
        self.reset()

    def reset(self):
        """Nobody is inside, nobody has dwelled."""
        self._tracks = {}
        self._time = 0  # of this zone's clock, milliseconds
        self._ticks = None
        self.current_count = 0
        self.current_count_per_class = {}

    def trigger(self, found, ms=None):
        """Look at the detections of a frame; returns a list of those inside.

        found   detections; those with a `track_id`, as Tracker.update returns them, dwell
        ms      milliseconds since the last call; None: time.ticks_ms() tells
        """
        self._advance(ms)
        now = self._time
        tracks = self._tracks
        inside = []
        counts = {}
        for d, (x, y) in zip(found, self._places(found)):
            within = self._surrounds(x, y)
            if within:
                inside.append(d)
                _add(counts, d.class_id)
            track_id = d.track_id
            known = tracks.get(track_id)
            if known:
                if within:
                    known[1] = now
                else:
                    del tracks[track_id]
            elif within and track_id is not None:
                tracks[track_id] = [now, now]
        for track_id in [old for old, known in tracks.items() if now - known[1] > self._patience]:
            del tracks[track_id]
        self._forget(found)
        self.current_count = len(inside)
        self.current_count_per_class = counts
        return inside

    def _advance(self, ms):
        if ms is None:
            ticks = time.ticks_ms()
            ms = 0 if self._ticks is None else time.ticks_diff(ticks, self._ticks)
            self._ticks = ticks
        elif type(ms) is not int and type(ms) is not float or not -1e9 <= ms <= 1e9:
            raise ValueError("ms: expected milliseconds since the last call or None, got %r" % (ms,))
        self._time += max(0, int(ms))  # a clock that is set back stands still

    def seconds(self, track_id):
        """How long a track has been inside, by the frames that showed it there; 0.0 for one that is not."""
        known = self._tracks.get(track_id)
        return (known[1] - known[0]) / 1000 if known else 0.0

    def contains(self, x, y):
        """Whether a point of the frame is inside. Left and upper edges belong to a zone, right and lower ones do not."""
        return self._surrounds(2 * x, 2 * y)

    def _surrounds(self, x, y):
        """The same for half pixels."""
        inside = False
        for top, bottom, px, py, dx, dy in self._edges:
            # Edges to the right of the point are counted: it is inside of an odd number.
            if top <= y < bottom and (x - px) * dy < dx * (y - py):
                inside = not inside
        return inside

    def _in_half_pixels(self):
        """The edges, each with its ends from top to bottom: (top, bottom, x, y of the upper end, way to the lower one)."""
        edges = []
        px, py = self.points[-1]
        for qx, qy in self.points:
            if py < qy:
                edges.append((2 * py, 2 * qy, 2 * px, 2 * py, 2 * (qx - px), 2 * (qy - py)))
            elif qy < py:
                edges.append((2 * qy, 2 * py, 2 * qx, 2 * qy, 2 * (px - qx), 2 * (py - qy)))
            px, py = qx, qy
        return edges

    def share(self, mask):
        """The part of an object that is inside, 0..1, by the centres of its mask's pixels."""
        data, (wx, wy, ww, wh), (left, top, w, h), _, grid = mask.parts()
        if not data:
            return 0.0
        rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
        object_ = np.where(rows[top - wy : top - wy + h, left - wx : left - wx + w] >= 128, 1.0, 0.0)
        zone = np.zeros((h, w))
        for row in range(h):
            y = (top + row + 0.5) * grid.sy + grid.oy
            ends = self._crossings(y)
            for i in range(0, len(ends), 2):
                first, last = [
                    min(max(ceil((x - grid.ox) / grid.sx - 0.5) - left, 0), w) for x in (ends[i], ends[i + 1])
                ]
                if last > first:
                    zone[row, first:last] = 1.0
        whole = total(object_)
        return total(object_ * zone) / whole if whole else 0.0

    def _crossings(self, y):
        """Where the edges cross a line of the frame, ascending."""
        found = []
        px, py = self.points[-1]
        for qx, qy in self.points:
            if (py > y) != (qy > y):
                found.append(px + (qx - px) * (y - py) / (qy - py))
            px, py = qx, qy
        found.sort()
        return found

    def as_dict(self):
        """Numbers and lists only, for JSON: points, count, and seconds by track."""
        seconds = [[track_id, self.seconds(track_id)] for track_id in sorted(self._tracks)]
        points = [list(point) for point in self.points]
        return OrderedDict((("points", points), ("count", self.current_count), ("seconds", seconds)))

    def draw(self, img, color=(255, 255, 255), thickness=2, labels=True):
        """Draw the edges, and how many are inside; returns img."""
        px, py = self.points[-1]
        for x, y in self.points:
            img.draw_line((px, py, x, y), color=color, thickness=thickness)
            px, py = x, y
        if labels:
            many = len(self.points)
            x = sum([x for x, _ in self.points]) // many
            y = sum([y for _, y in self.points]) // many
            _write(img, str(self.current_count), x, y, color)
        return img


def _point(name, point):
    if not isinstance(point, (list, tuple)) or len(point) != 2 or [v for v in point if type(v) is not int]:
        raise ValueError("%s: expected a point (x, y) of integers, got %r" % (name, point))
    for v in point:
        number(name, v, -32768, 32767)
    return tuple(point)


def _add(counts, class_id):
    counts[class_id] = counts.get(class_id, 0) + 1


def _write(img, text, x, y, color):
    """Text on black with its middle at (x, y), moved into the picture."""
    scale = text_scale(img.width())
    w = FONT_WIDTH * scale * len(text) + 2
    h = FONT_HEIGHT * scale
    x = max(0, min(x - w // 2, img.width() - w))
    y = max(0, min(y - h // 2, img.height() - h))
    img.draw_rectangle((x, y, w, h), color=(0, 0, 0), fill=True)
    if text_apart():
        img.draw_string((x + 1, y), text, color=color, scale=scale)
    else:
        img.draw_string((x + 1, y, text), color=color, scale=scale)
