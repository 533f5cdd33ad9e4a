"""Who crosses a line, who is inside a polygon: `LineZone` and `PolygonZone`, in the words of roboflow's supervision.

    line = n6post.LineZone((0, 240), (640, 240))
    came, went = line.trigger(tracker.update(model.predict([img])))
    print(line.in_count, line.out_count)

A detection is where its anchor is, a point of its box. All is reckoned in whole half pixels: camera and PC agree.
A trigger that a MemoryError cuts short counts nobody half, and the next one nobody twice.
"""

import time
from collections import OrderedDict
from math import ceil, sqrt

from ulab import numpy as np

from .kernels.portable import total
from .options import number
from .positions import Anchored, overlay


class Zone(Anchored):
    """What lines and polygons share: how they are drawn."""

    _picture = ""

    def draw(self, img, color=(255, 255, 255), thickness=2, labels=True):
        """Draw a line, an arrow to its left ("in") and its counts, or a polygon and how many are inside; returns img.

        All is edged with black, to be read on any picture. thickness: pixels, 0..100; labels: whether to write the counts.
        A picture of another size than `frame_size` is taken for the frame, scaled. ValueError as of `n6post.draw`.
        """
        overlay(self._picture)(img, self, color, thickness, labels)
        return img

    def _overlay(self, img, color, thickness, labels, color_by):
        # For n6post.draw, which knows nothing of zones.
        if color_by != "class":
            raise ValueError("color_by: expected 'class' of a zone, got %r" % (color_by,))
        self.draw(img, color or (255, 255, 255), thickness, labels)


class LineZone(Zone):
    """A line from start to end, both (x, y) in frame pixels, and who crosses it.

    anchor  the point of a box that has to cross: "bottom" (its middle: where a person stands), "center", "top", "left",
            "right", "top_left", ..., or "centroid" (of the mask; without one the box's centre)
    margin  how far beyond the line an anchor has to be to count as across, as a part of the box's mean side: what jitters
            on the line counts once
    frame_size  (width, height) of the frame that the line speaks of, for drawing on a picture of another size (an LCD's);
                None: that of the first detection which knows it

    **In** is to the left of somebody who looks from start to end, **out** to the right. An object that goes round an end of
    the line has not crossed it. One that is lost on the one side and found again on the other, by the same track, has.

    in_count, out_count                         how many have crossed so far
    in_count_per_class, out_count_per_class     {class_id: how many}, by the class they had when they crossed

    ValueError for a line of no length, and for options out of range.
    """

    _picture = "line"

    def __init__(self, start, end, anchor="bottom", margin=0.1, frame_size=None):
        super().__init__(anchor, frame_size)
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
        self.in_count_per_class, self.out_count_per_class, self._tracks, self.in_count, self.out_count = {}, {}, {}, 0, 0

    def trigger(self, found):
        """Look at the detections of a frame; returns two lists of them: who has crossed in, and who out.

        found   as Tracker.update returns them. ValueError for a detection without a `track_id`: a crossing takes two frames.
        """
        crossed_in = []
        crossed_out = []
        tracks = self._tracks
        a, b, c = self._side
        margin = self._reach
        places = self._places(found)
        numbers = [d.track_id for d in found]
        if None in numbers:
            raise ValueError("expected detections with a track_id, as Tracker.update returns them, got one without")
        for d, track_id, (x, y) in zip(found, numbers, places):
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
            # What may fail for want of memory comes first. Then a line that does all or nothing: nobody is counted twice.
            if (last[0] < 0) == (side < 0) or not self._between(last, side, x, y):
                last[0], last[1], last[2] = side, x, y
            elif side < 0:
                crossed_in.append(d)
                counts, count = self.in_count_per_class, self.in_count + 1
                many = counts.get(d.class_id, 0) + 1
                counts[d.class_id], self.in_count, last[0], last[1], last[2] = many, count, side, x, y
            else:
                crossed_out.append(d)
                counts, count = self.out_count_per_class, self.out_count + 1
                many = counts.get(d.class_id, 0) + 1
                counts[d.class_id], self.out_count, last[0], last[1], last[2] = many, count, side, x, y
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


class PolygonZone(Zone):
    """A polygon of points (x, y) in frame pixels, who is inside, and for how long.

    points  three or more; where edges cross each other, what an even number of them surrounds is outside
    anchor  as LineZone's
    patience    seconds for which a track may be lost and still dwells
    frame_size  as LineZone's

    current_count               how many of the last frame's detections are inside
    current_count_per_class     {class_id: how many}

    ValueError for fewer than three points or points in a line, and for options out of range.
    """

    _picture = "polygon"

    def __init__(self, points, anchor="bottom", patience=1.0, frame_size=None):
        super().__init__(anchor, frame_size)
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
        # _time is that of this zone's clock, milliseconds; _rest, of one, is yet to be counted.
        self._time, self._rest, self._ticks = 0, 0.0, None
        self._tracks, self.current_count, self.current_count_per_class = {}, 0, {}

    def trigger(self, found, ms=None):
        """Look at the detections of a frame; returns a list of those inside.

        found   detections; those with a `track_id`, as Tracker.update returns them, dwell
        ms      milliseconds since the last call; None: time.ticks_ms() tells
        """
        now, rest, ticks = self._clock(ms)
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
        # All or nothing: a call that was cut short has not been, and the next one counts its time too.
        clock, many = (now, rest, ticks), len(inside)
        (self._time, self._rest, self._ticks), self.current_count, self.current_count_per_class = clock, many, counts
        return inside

    def _clock(self, ms):
        # What this zone's clock, and the camera's, say now.
        ticks = self._ticks
        if ms is None:
            ticks = time.ticks_ms()
            ms = 0 if self._ticks is None else time.ticks_diff(ticks, self._ticks)
        elif type(ms) is not int and type(ms) is not float or not -1e9 <= ms <= 1e9:
            raise ValueError("ms: expected milliseconds since the last call or None, got %r" % (ms,))
        ms = max(0, ms)  # a clock that is set back stands still
        rest = self._rest
        if type(ms) is float:
            ms += rest
            rest = ms - int(ms)
        return self._time + int(ms), rest, ticks

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
        """How much of an object is inside, 0..1, by the centres of its mask's pixels. ValueError for what is no Mask."""
        from .mask import Mask

        if not isinstance(mask, Mask):
            raise ValueError("share: expected a Mask, got %s" % type(mask).__name__)
        data, (wx, wy, ww, wh), (left, top, w, h), _, grid = mask.parts()
        if not data or w < 1 or h < 1:
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


def _point(name, point):
    if not isinstance(point, (list, tuple)) or len(point) != 2 or [v for v in point if type(v) is not int]:
        raise ValueError("%s: expected a point (x, y) of integers, got %r" % (name, point))
    for v in point:
        number(name, v, -32768, 32767)
    return tuple(point)


def _add(counts, class_id):
    counts[class_id] = counts.get(class_id, 0) + 1
