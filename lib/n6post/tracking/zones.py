"""LineZone counts the tracks that cross a line, PolygonZone the detections inside a polygon.

    line = n6post.LineZone((0, 240), (640, 240))
    crossed_in, crossed_out = line.trigger(tracker.update(model.predict([n6post.Letterbox(img)])))
    print(line.in_count, line.out_count)

The names are those of roboflow's supervision. The position of a detection is that of its anchor point. All arithmetic is in
integers, in half pixels, so a camera and a PC agree. A MemoryError during a trigger leaves no detection half counted, and
the next trigger counts none twice.
"""

import time
from collections import OrderedDict
from math import ceil, sqrt

from ulab import numpy as np

from ..kernels.numeric import total
from ..tensors.lazy import module
from ..tensors.options import Options, number
from .anchor_points import AnchorTracked, id_of


class Zone(AnchorTracked):
    """Base of LineZone and PolygonZone: how they are drawn."""

    _picture = ""

    def draw(self, img, *, color=(255, 255, 255), thickness=2, labels=True):
        """Draw the zone: a line, an arrow to its left ("in") and its counts, or a polygon and its count. Returns img.

        Lines and text have black edges, to be visible on any picture. thickness: pixels, 0..100; labels: whether to write
        the counts. A picture of another size than `frame_size` is treated as the frame, scaled. ValueError as for
        `n6post.draw`.
        """
        getattr(module("drawing.zones"), self._picture)(img, self, color, thickness, labels)
        return img

    def _overlay(self, img, color, thickness, labels, color_by):
        # For n6post.draw, which does not know zones.
        if color_by != "class":
            raise ValueError("color_by: expected 'class' for a zone, got %r" % (color_by,))
        self.draw(img, color=color or (255, 255, 255), thickness=thickness, labels=labels)


class LineZone(Zone):
    """A line from start to end, both (x, y) in frame pixels, that counts the tracks crossing it.

    start, end  read-only

    **In** is to the left when you look from start to end, **out** to the right. An object that passes around an end of the
    line has not crossed it. An object that is lost on one side and found again on the other, as the same track, has.

    ValueError for a line of no length, and for options out of range.
    """

    _picture = "draw_line_zone"

    _option = Options(None, Zone._option)
    margin = _option("margin", 0.1, number, 0.0, 10.0)

    def __init__(self, start, end, *more, **options):
        if more:
            raise TypeError("LineZone: expected two points, (x, y) and (x, y), got %d arguments" % (2 + len(more)))
        super().__init__(**options)
        start, end = _point("start", start), _point("end", end)
        if start == end:
            raise ValueError("end: expected another point than start, got %r twice" % (start,))
        self._ends = start, end
        dx = end[0] - start[0]
        dy = end[1] - start[1]
        # For a point in half pixels, `side` is the cross product of the line and the vector to the point: below 0 on the
        # left, and 4 times the length of the line for a distance of one pixel. The mean side of a box is half of w + h.
        sx, sy = start
        self._side = -2 * dy, 2 * dx, 4 * (sx * dy - sy * dx)
        self._length = sqrt(dx * dx + dy * dy)
        self.reset()

    @property
    def start(self):
        """The start of the line, (x, y) in frame pixels."""
        return self._ends[0]

    @property
    def end(self):
        """The end of the line, (x, y) in frame pixels."""
        return self._ends[1]

    @property
    def in_count(self):
        """The number of tracks that have crossed in."""
        return self._totals[0]

    @property
    def out_count(self):
        """The number of tracks that have crossed out."""
        return self._totals[1]

    @property
    def in_count_per_class(self):
        """{class_id: count}, by the class that the tracks had when they crossed in."""
        return self._per_class[0]

    @property
    def out_count_per_class(self):
        """{class_id: count}, by the class that the tracks had when they crossed out."""
        return self._per_class[1]

    def reset(self):
        """Start again: all counts are 0, and no track has been seen."""
        self._totals, self._per_class, self._tracks = [0, 0], ({}, {}), {}

    def trigger(self, detections):
        """Count the detections of a frame; returns two lists of them: those that crossed in, and those that crossed out.

        detections  as Tracker.update returns them. ValueError for one without a `track_id`: a crossing takes two frames.
        """
        crossed_in = []
        crossed_out = []
        totals = self._totals
        tracks = self._tracks
        a, b, c = self._side
        margin = int(2 * self._values["margin"] * self._length + 0.5)
        positions = self._positions(detections)
        numbers = [d.track_id for d in detections]
        if None in numbers:
            raise ValueError("expected detections with a track_id, as Tracker.update returns them, got one without")
        for d, track_id, (x, y) in zip(detections, numbers, positions):
            side = a * x + b * y + c
            if margin:
                _, _, w, h = d[0]
                reach = margin * (w + h)
            else:
                reach = 0
            if -reach <= side <= reach:
                continue  # too near to the line: it counts as where it was
            last = tracks.get(track_id)
            if last is None:
                tracks[track_id] = [side, x, y]
                continue
            # What may run out of memory comes first. Then one statement does all or nothing, so nothing is counted twice.
            if (last[0] < 0) == (side < 0) or not self._between(last, side, x, y):
                last[0], last[1], last[2] = side, x, y
            elif side < 0:
                crossed_in.append(d)
                per_class, count = self._per_class[0], totals[0] + 1
                many = per_class.get(d.class_id, 0) + 1
                per_class[d.class_id], totals[0], last[0], last[1], last[2] = many, count, side, x, y
            else:
                crossed_out.append(d)
                per_class, count = self._per_class[1], totals[1] + 1
                many = per_class.get(d.class_id, 0) + 1
                per_class[d.class_id], totals[1], last[0], last[1], last[2] = many, count, side, x, y
        self._prune_tracks(detections)
        return crossed_in, crossed_out

    def _between(self, last, b, bx, by):
        """Whether the straight line from the last position crosses this one between its ends."""
        (sx, sy), (ex, ey) = self.start, self.end
        dx, dy = ex - sx, ey - sy
        a, ax, ay = last
        along_a = dx * (ax - 2 * sx) + dy * (ay - 2 * sy)
        along_b = dx * (bx - 2 * sx) + dy * (by - 2 * sy)
        # The lines meet at (a along_b - b along_a) / (a - b), out of 2 (dx dx + dy dy) from start to end. All are integers.
        meets = a * along_b - b * along_a
        parts = a - b
        if parts < 0:
            meets = -meets
            parts = -parts
        return 0 <= meets <= 2 * (dx * dx + dy * dy) * parts

    def as_dict(self):
        """The line as numbers and lists, for JSON: start, end, in, out."""
        entries = ("start", list(self.start)), ("end", list(self.end)), ("in", self.in_count), ("out", self.out_count)
        return OrderedDict(entries)


class PolygonZone(Zone):
    """A polygon of points (x, y) in frame pixels that reports which detections are inside, and for how long.

    points  three or more, read-only. If edges cross each other, a part that is surrounded an even number of times is outside

    ValueError for fewer than three points or points on a line, and for options out of range.
    """

    _picture = "draw_polygon_zone"

    _option = Options(None, Zone._option)
    max_gap = _option("max_gap", 1.0, number, 0.0, 1e6)

    def __init__(self, points, *more, **options):
        if more:
            raise TypeError("PolygonZone: expected one list of points (x, y), got %d arguments" % (1 + len(more)))
        super().__init__(**options)
        if not isinstance(points, (list, tuple)) or len(points) < 3:
            raise ValueError("points: expected three or more (x, y), got %r" % (points,))
        self._points = [_point("points", point) for point in points]
        self._edges = self._in_half_pixels()
        sx, sy = self._points[0]
        dx, dy = 0, 0
        flat = True
        for x, y in self._points:
            flat = flat and dx * (y - sy) == dy * (x - sx)
            if not (dx or dy):
                dx, dy = x - sx, y - sy
        if flat:
            raise ValueError("points: expected some that are not in a line, got %r" % (points,))
        self.reset()

    @property
    def points(self):
        """The corners, a list of (x, y) in frame pixels."""
        return list(self._points)

    @property
    def current_count(self):
        """The number of detections inside in the last frame."""
        return self._state[1]

    @property
    def current_count_per_class(self):
        """{class_id: count} of the detections inside in the last frame."""
        return self._state[2]

    def reset(self):
        """Start again: nothing is inside, and all dwell times are 0."""
        # (milliseconds of this zone's clock, fraction of one not counted yet, ticks_ms of the last call), the two counts.
        self._state, self._tracks = ((0, 0.0, None), 0, {}), {}

    def trigger(self, detections, *, elapsed_ms=None):
        """Examine the detections of a frame; returns a list of those inside.

        detections  those with a `track_id`, as Tracker.update returns them, have a dwell time
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms
        """
        clock = now, _, _ = self._clock(elapsed_ms)
        before = self._state[0][0]  # when the last frame was
        max_gap = int(1000 * self._values["max_gap"])
        tracks = self._tracks
        inside = []
        counts = {}
        for d, (x, y) in zip(detections, self._positions(detections)):
            within = self._surrounds(x, y)
            if within:
                inside.append(d)
                _add(counts, d.class_id)
            track_id = d.track_id
            known = tracks.get(track_id)
            if known and not within:
                del tracks[track_id]
            elif known and (known[1] >= before or now - known[1] <= max_gap):
                known[1] = now
            elif within and track_id is not None:
                tracks[track_id] = [now, now]  # a new one, or one that was lost for too long
        for track_id in [old for old, known in tracks.items() if now - known[1] > max_gap]:
            del tracks[track_id]
        self._prune_tracks(detections)
        # If a MemoryError stops a call before this line, the next call counts its time too.
        self._state = clock, len(inside), counts
        return inside

    def _clock(self, elapsed_ms):
        """The state of this zone's clock now, as in `_state`."""
        now, rest, ticks = self._state[0]
        if elapsed_ms is None:
            last = ticks
            ticks = time.ticks_ms()
            elapsed_ms = 0 if last is None else time.ticks_diff(ticks, last)
        elif type(elapsed_ms) is not int and type(elapsed_ms) is not float or not -1e9 <= elapsed_ms <= 1e9:
            raise ValueError("elapsed_ms: expected milliseconds since the last call or None, got %r" % (elapsed_ms,))
        elif ticks is not None:
            ticks = time.ticks_ms()  # what comes next is measured from here: this time is counted already
        elapsed_ms = max(0, elapsed_ms)  # 0 if the clock was set back
        if type(elapsed_ms) is float:
            elapsed_ms += rest
            rest = elapsed_ms - int(elapsed_ms)
        return now + int(elapsed_ms), rest, ticks

    def dwell_time(self, track):
        """Seconds that a track has been inside, up to the last frame with it inside; 0.0 for a track that is not inside.

        track   its id, or a Detection
        """
        known = self._tracks.get(id_of(track))
        return (known[1] - known[0]) / 1000 if known else 0.0

    def contains(self, x, y):
        """Whether frame pixel (x, y) is inside. Left and upper edges belong to a zone, right and lower ones do not."""
        try:
            return self._surrounds(2 * x, 2 * y)
        except TypeError:
            raise module("tensors.errors").pixel_refused("contains", (x, y)) from None

    def _surrounds(self, x, y):
        """Whether a point in half pixels is inside."""
        inside = False
        for top, bottom, px, py, dx, dy in self._edges:
            # A point is inside if the number of edges to its right is odd.
            if top <= y < bottom and (x - px) * dy < dx * (y - py):
                inside = not inside
        return inside

    def _in_half_pixels(self):
        """The edges as (top, bottom, x and y of the upper end, vector to the lower end), in half pixels."""
        edges = []
        px, py = self._points[-1]
        for qx, qy in self._points:
            if py < qy:
                edges.append((2 * py, 2 * qy, 2 * px, 2 * py, 2 * (qx - px), 2 * (qy - py)))
            elif qy < py:
                edges.append((2 * qy, 2 * py, 2 * qx, 2 * qy, 2 * (px - qx), 2 * (py - qy)))
            px, py = qx, qy
        return edges

    def coverage(self, mask):
        """The fraction of an object that is inside, 0..1, by the centers of its mask's pixels.

        ValueError for anything but a Mask.
        """
        if not isinstance(mask, module("results.mask").Mask):
            raise ValueError("coverage: expected a Mask, got %s" % type(mask).__name__)
        data, (wx, wy, ww, wh), (left, top, w, h), _, transform = mask._parts()
        if not data or w < 1 or h < 1:
            return 0.0
        rows = np.frombuffer(data, dtype=np.uint8).reshape((wh, ww))
        object_ = np.where(rows[top - wy : top - wy + h, left - wx : left - wx + w] >= 128, 1.0, 0.0)
        zone = np.zeros((h, w))
        for row in range(h):
            y = (top + row + 0.5) * transform.sy + transform.oy
            ends = self._crossings(y)
            for i in range(0, len(ends), 2):
                first, last = [
                    min(max(ceil((x - transform.ox) / transform.sx - 0.5) - left, 0), w) for x in (ends[i], ends[i + 1])
                ]
                if last > first:
                    zone[row, first:last] = 1.0
        whole = total(object_)
        return total(object_ * zone) / whole if whole else 0.0

    def _crossings(self, y):
        """The x at which the edges cross the row y of the frame, ascending."""
        crossings = []
        px, py = self._points[-1]
        for qx, qy in self._points:
            if (py > y) != (qy > y):
                crossings.append(px + (qx - px) * (y - py) / (qy - py))
            px, py = qx, qy
        crossings.sort()
        return crossings

    def as_dict(self):
        """The zone as numbers and lists, for JSON: points, count, and dwell times in seconds by track."""
        times = [[track_id, self.dwell_time(track_id)] for track_id in sorted(self._tracks)]
        points = [list(point) for point in self._points]
        return OrderedDict((("points", points), ("count", self.current_count), ("dwell_times", times)))


def _point(name, point):
    if not isinstance(point, (list, tuple)) or len(point) != 2 or [v for v in point if type(v) is not int]:
        raise ValueError("%s: expected a point (x, y) of integers, got %r" % (name, point))
    for v in point:
        number(name, v, -32768, 32767)
    return tuple(point)


def _add(counts, class_id):
    counts[class_id] = counts.get(class_id, 0) + 1
