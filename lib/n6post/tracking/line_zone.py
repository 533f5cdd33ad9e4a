"""LineZone counts the tracks that cross a line.

    line = n6post.LineZone((0, 240), (640, 240))
    crossed_in, crossed_out = line.trigger(tracker.update(model.predict([n6post.Letterbox(img)])))
    print(line.in_count, line.out_count)

A MemoryError during a trigger leaves no detection half counted, and the next trigger counts none twice.
"""

from collections import OrderedDict
from math import sqrt

from micropython import const

from ..tensors.options import Options
from .anchor_points import track_ids_of
from .clock import START, next_clock
from .zone import Zone, point

# The entries of a track: where it was settled last, and its frames on the other side since then.
_IS_LEFT = const(0)
_POSITION = const(1)  # (x, y) of its anchor point in half pixels, or a tuple of several
_FRAMES = const(2)  # number of those frames
_ARRIVAL = const(3)  # the position in the first of them: it has crossed on the way there
_SEEN = const(4)  # when it was seen last, milliseconds of the line's clock
# Copied by scripts/dev/generate.py from results/detection.py:
_MISSED = const(2)


class LineZone(Zone):
    """A line from start to end, both (x, y) in frame pixels, that counts the tracks crossing it.

    start, end  read-only

    **In** is to the left when you look from start to end, **out** to the right. An object that passes around an end of the
    line has not crossed it. An object that is lost on one side and found again on the other, as the same track, has.

    The margin is at most half of the distance from the line to the farthest corner of the frame on its side, where
    `frame_size` is known.

    ValueError for a line of no length, and for options out of range.
    """

    _is_line = True

    _option = Options(None, Zone._option)

    def __init__(self, start, end, *more, **options):
        if more:
            raise TypeError("LineZone: expected two points, (x, y) and (x, y), got %d arguments" % (2 + len(more)))
        super().__init__(**options)
        start, end = point("start", start), point("end", end)
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
        self._limits = None, 0, 0
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
        self._clock = [START]  # a list, because an assignment to an attribute takes 8,000 instructions

    def trigger(self, detections, *, elapsed_ms=None):
        """Count the detections of a frame; returns two lists of them: those that crossed in, and those that crossed out.

        detections  as Tracker.update returns them. ValueError for one without a `track_id`: a crossing takes two frames.
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Those that only coast are skipped, unless `count_coasting` is True. ValueError for a line of Events, which calls this
        itself.
        """
        self._check_caller()
        return self._examine(detections, elapsed_ms)

    def _examine(self, detections, elapsed_ms):
        crossed_in = []
        crossed_out = []
        tracks = self._tracks
        values = self._values
        a, b, c = self._side
        margin = int(2 * values["margin"] * self._length + 0.5)
        min_frames, coasting, several = values["min_frames"], values["count_coasting"], self._has_several_anchors
        positions = self._positions(detections)
        in_limit, out_limit = self._reach_limits()
        numbers = track_ids_of(detections)
        clock = next_clock(self._clock[0], elapsed_ms)
        now = clock[0]
        oldest = self._oldest(detections, now)
        for d, track_id, position in zip(detections, numbers, positions):
            if d._track[_MISSED] and not coasting:
                continue
            if several:
                sides = [a * x + b * y + c for x, y in position]
                low, high = min(sides), max(sides)
            else:
                x, y = position
                low = high = a * x + b * y + c
            _, _, w, h = d[0]
            in_reach = out_reach = margin * (w + h)
            if out_limit and out_reach > out_limit:
                out_reach = out_limit
            if in_limit and in_reach > in_limit:
                in_reach = in_limit
            last = tracks.get(track_id)
            if last is not None:
                last[_SEEN] = now
            if low <= out_reach and high >= -in_reach:
                continue  # too near to the line, or on both sides: it counts as where it was
            if last is None:
                tracks[track_id] = [high < 0, position, 0, None, now]
                continue
            # What may run out of memory comes first. Then one statement does all or nothing, so nothing is counted twice.
            if last[_IS_LEFT] == (high < 0):
                last[_POSITION], last[_FRAMES] = position, 0
                continue
            frames = last[_FRAMES] + 1
            if frames == 1:
                last[_ARRIVAL] = position
            if frames < min_frames and not (margin and (low > 2 * out_reach or high < -2 * in_reach)):
                last[_FRAMES] = frames
            elif not self._has_crossed(last):
                last[_IS_LEFT], last[_POSITION], last[_FRAMES] = high < 0, position, 0
            else:
                at = 0 if high < 0 else 1
                (crossed_out if at else crossed_in).append(d)
                totals, per_class, count = self._totals, self._per_class[at], self._totals[at] + 1
                many = per_class.get(d.class_id, 0) + 1
                per_class[d.class_id], totals[at], last[_IS_LEFT], last[_POSITION], last[_FRAMES] = (
                    many, count, high < 0, position, 0,
                )  # fmt: skip
        for track_id in [one for one, known in tracks.items() if known[_SEEN] < oldest]:
            del tracks[track_id]
        self._prune_tracks(detections)
        self._clock[0] = clock
        return crossed_in, crossed_out

    def _reach_limits(self):
        """Half of the distances, as sides, from the line to the farthest corners of the frame on its left and right.

        Behind a line near the border of the frame there is no room for the margin of a large box. 0: no limit, if the size
        of the frame is not known or no corner is on this side.
        """
        frame_size = self._values["frame_size"]
        if self._limits[0] != frame_size:
            w, h = frame_size or (0, 0)
            a, b, c = self._side
            corners = [a * x + b * y + c for x, y in ((0, 0), (2 * w, 0), (0, 2 * h), (2 * w, 2 * h))]
            # The corners are those of the picture, not of its last pixels: boxes end there.
            left, right = max(0, -min(corners)), max(0, max(corners))
            self._limits = (frame_size, left // 2, right // 2) if frame_size else (None, 0, 0)
        return self._limits[1:]

    def _has_crossed(self, last):
        """Whether all anchor points of a track have crossed the line between its ends, when they came to the other side."""
        before, after = [one if isinstance(one[0], tuple) else (one,) for one in (last[_POSITION], last[_ARRIVAL])]
        a, b, c = self._side
        for (ax, ay), (bx, by) in zip(before, after):
            if not self._between(a * ax + b * ay + c, ax, ay, a * bx + b * by + c, bx, by):
                return False
        return True

    def _between(self, a, ax, ay, b, bx, by):
        """Whether the straight line from (ax, ay) to (bx, by), of sides a and b, crosses this one between its ends."""
        (sx, sy), (ex, ey) = self.start, self.end
        dx, dy = ex - sx, ey - sy
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

    def to_state(self):
        """The line and its counts, for State: {"line": [start, end], "in": [[class_id, count], ...], "out": [...]}."""
        counts = [[list(item) for item in one.items()] for one in self._per_class]
        return {"line": [list(self.start), list(self.end)], "in": counts[0], "out": counts[1]}

    def from_state(self, state):
        """Take over the counts of `to_state`. ValueError if they are those of another line."""
        if state["line"] != [list(self.start), list(self.end)]:
            raise ValueError("line: expected the one that was counted, %r, got %r" % (state["line"], self._ends))
        crossed_in, crossed_out = dict(state["in"]), dict(state["out"])
        totals = [sum(crossed_in.values()), sum(crossed_out.values())]
        self._totals, self._per_class = totals, (crossed_in, crossed_out)
