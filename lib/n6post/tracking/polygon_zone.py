"""PolygonZone: the detections inside a polygon, how long their tracks stay, and how much of it is occupied.

    zone = n6post.PolygonZone([(200, 160), (460, 160), (600, 470), (60, 470)])
    inside = zone.trigger(tracker.update(model.predict([n6post.Letterbox(img)])))
    for visit in zone.left:
        print(visit.track_id, "was here for", visit.dwell_time, "seconds")

A MemoryError during a trigger changes nothing, and the next trigger counts its time too.
"""

from collections import OrderedDict, namedtuple

from micropython import const

from ..results.detection import Detection
from ..tensors.lazy import later
from ..tensors.options import Options, number, number_or_none
from .anchor_points import MAX_LOST_TRACKS, as_list, id_of
from .clock import START, next_clock
from .zone import Zone, point

_VISIT = ("track_id", "dwell_time", "class_id", "rect", "ago")


class Visit(namedtuple("Visit", ("track_id", "dwell_time", "class_id", "rect", "ago"))):
    def as_dict(self):
        """The visit as numbers and lists, for JSON."""
        return later.results_dicts.record_as_dict(self, _VISIT)


# The entries of a track, which are times in milliseconds of the zone's clock but for the first and the last three.
_INSIDE = const(0)  # whether it is settled inside
_SINCE = const(1)  # when it came to its side
_LAST = const(2)  # when it was there last
_SEEN = const(3)  # when it was seen last
_FRAMES = const(4)  # weight of the frames on the other side
_CLASS_ID = const(5)
_RECT = const(6)  # of the last detection inside

# Copied by scripts/dev/generate.py from results/detection.py:
_MISSED = const(2)

_WEIGHT = const(60)  # of a frame beyond the margin; one that is inside and within the margin has 1


class PolygonZone(Zone):
    """A polygon of points (x, y) in frame pixels that reports which detections are inside, and for how long.

    points  three or more, rounded to whole pixels, read-only. If edges cross each other, a part that is surrounded an even
            number of times is outside

    A track that is seen for the first time is where it is, inside or outside, and from then on where it was settled last. A
    detection without a `track_id` is where it is.

    Large objects can enter narrow zones: the margin for entering is at most an eighth of the zone's mean width (its area by
    half of its perimeter), and 0 at edges on the border of the frame. A track that stays nearer to an edge than the margin
    enters after 60 * `min_frames` frames inside in a row.

    ValueError for fewer than three points or points on a line, and for options out of range.
    """

    _option = Options(None, Zone._option)
    max_gap = _option("max_gap", None, number_or_none, 0.0, 1e6)
    min_seconds = _option("min_seconds", 0.0, number, 0.0, 1e6)

    def __init__(self, points, *more, **options):
        if more:
            raise TypeError("PolygonZone: expected one list of points (x, y), got %d arguments" % (1 + len(more)))
        super().__init__(**options)
        given = as_list(points)
        if not isinstance(given, (list, tuple)) or len(given) < 3:
            raise ValueError("points: expected three or more (x, y), got %r" % (points,))
        self._points = tuple([point("points", one) for one in given])
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
        self._limit = self._entering_limit()
        self._grid = None  # for occupancy, once it is used
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

    @property
    def entered(self):
        """The detections whose tracks entered in the last frame. Those that were inside when they were first seen too."""
        return list(self._state[3])

    @property
    def left(self):
        """The visits that ended in the last frame, a list of named tuples.

        track_id    its id
        dwell_time  seconds that it was inside
        class_id    its class when it was inside last
        rect        its box then
        ago         how many seconds before this frame that was

        A track that is lost inside has left once it was not seen for `max_gap` seconds.
        """
        return list(self._state[4])

    @property
    def mean_dwell_time(self):
        """The mean dwell time of all visits that ended, in seconds; 0.0 before the first."""
        visits, milliseconds = self._state[5]
        return milliseconds / visits / 1000 if visits else 0.0

    def reset(self):
        """Start again: nothing is inside, and all dwell times are 0."""
        # The clock, the two counts, the detections that entered, the visits that ended, number and milliseconds of all
        # visits, and the tracks. In one attribute, because each assignment may be the one that runs out of memory.
        self._state = START, 0, {}, [], [], (0, 0), {}

    @property
    def _tracks(self):  # type: ignore[override]
        return self._state[6]

    def trigger(self, detections, *, elapsed_ms=None):
        """Examine the detections of a frame; returns a list of those inside.

        detections  those with a `track_id`, as Tracker.update returns them, have a dwell time
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Those that only coast are skipped, unless `count_coasting` is True. Their tracks count as lost (`max_gap`).
        ValueError for a zone of Events, which calls this itself.
        """
        self._check_caller()
        return self._examine(detections, elapsed_ms)

    def _examine(self, detections, elapsed_ms):
        values = self._values
        positions = self._positions(detections)
        clock = next_clock(self._state[0], elapsed_ms)
        now, before = clock[0], self._state[0][0]  # and when the last frame was
        self._oldest(detections, now)
        gap = values["max_gap"]
        oldest = now - (self._lifetime // 2 if gap is None else int(1000 * gap + 0.5))  # not seen since then: it has left
        at_once = not values["min_seconds"]
        tracks = dict(self._tracks)
        inside = []
        counts = {}
        entered = []
        ended = []  # (track id, entry)
        coasting, several = values["count_coasting"], self._has_several_anchors
        for d, position in zip(detections, positions):
            track_id, _, missed, _, _, _ = d._track
            if missed and not coasting:
                continue
            class_id = d[2]
            if several:
                within = not [1 for x, y in position if not self._surrounds(x, y)]
            else:
                within = self._surrounds(position[0], position[1])
            if track_id is not None:
                known = tracks.get(track_id)
                if known and known[_SEEN] < before and known[_SEEN] < oldest:
                    ended.append((track_id, known))  # it was lost for too long
                    known = None
                if known is None:
                    changed = within and at_once, now, now, now, 1 if within and not at_once else 0, class_id, d[0]
                    within = within and at_once
                    if within:
                        entered.append(d)
                elif known[_INSIDE] == within:
                    changed = within, known[_SINCE], now, now, 0, class_id, d[0]
                else:
                    changed = self._moved(known, within, now, d, position if several else (position,))
                    if changed[_INSIDE] != within:
                        within = not within  # it is not settled there yet
                    elif within:
                        entered.append(d)
                    else:
                        ended.append((track_id, known))
                tracks[track_id] = changed
            if within:
                inside.append(d)
                counts[class_id] = counts.get(class_id, 0) + 1
        forgotten = [track_id for track_id, known in tracks.items() if known[_SEEN] < oldest]
        if len(tracks) - len(forgotten) > MAX_LOST_TRACKS:
            present = [d.track_id for d in detections]
            forgotten = [track_id for track_id in tracks if track_id not in present]
        for track_id in sorted(forgotten):  # MicroPython's dictionaries have another order than CPython's
            ended.append((track_id, tracks.pop(track_id)))
        visits, milliseconds = self._state[5]
        left = []
        for track_id, known in ended:
            if known[_INSIDE]:
                stayed = known[_LAST] - known[_SINCE]
                left.append(Visit(track_id, stayed / 1000, known[_CLASS_ID], known[_RECT], (now - known[_LAST]) / 1000))
                visits += 1
                milliseconds += stayed
        # If a MemoryError stops a call before this line, the next call counts its time too.
        self._state = clock, len(inside), counts, entered, left, (visits, milliseconds), tracks
        return inside

    def _moved(self, known, within, now, d, points):
        """The entry of a track that is not on the side on which it was settled."""
        inside, since, last, _, frames, class_id, rect = known
        _, _, w, h = d[0]
        margin = self._values["margin"]
        # Rounded up, so that a distance of exactly the margin is within it.
        reach = (int(65536 * margin) + 1) * (w + h) if margin else 0
        if within and reach > self._limit:
            reach = self._limit  # else nothing large could enter a narrow zone
        beyond = self._beyond(points, reach, within)
        if not (beyond or within):
            return inside, since, now, now, frames, class_id, d[0]
        if within and not frames:
            since = now
        frames += _WEIGHT if beyond else 1
        values = self._values
        is_far = margin and beyond and self._beyond(points, 2 * reach, within)
        is_passing = within and now - since < int(1000 * values["min_seconds"] + 0.5)
        if is_passing or frames < _WEIGHT * values["min_frames"] and not is_far:
            return inside, since, last, now, frames, class_id, rect
        return within, since, now, now, 0, d[2], d[0]

    def _beyond(self, points, reach, within):
        """Whether points in half pixels are farther from all edges than `reach`, in 1/65536 of half a pixel.

        within  True: all of them have to be; False: one that is outside is enough
        """
        if not reach:
            return True
        for x, y in points:
            if within:
                if not self._is_farther(x, y, reach, self._values["frame_size"]):
                    return False
            elif not self._surrounds(x, y) and self._is_farther(x, y, reach, None):
                return True
        return within

    def _is_farther(self, x, y, reach, frame_size):
        # Squares of distances, in integers: of a point from the end of an edge, or from its line. With a frame size, edges
        # on the border of the frame are left out: nothing comes in there.
        square = reach * reach
        right, bottom = frame_size or (65536, 65536)
        px, py = self._points[-1]
        for qx, qy in self._points:
            if frame_size and (px <= 0 >= qx or py <= 0 >= qy or px >= right - 1 <= qx or py >= bottom - 1 <= qy):
                px, py = qx, qy
                continue
            ax, ay, bx, by = x - 2 * px, y - 2 * py, x - 2 * qx, y - 2 * qy
            dx, dy = 2 * (qx - px), 2 * (qy - py)
            if ax * dx + ay * dy <= 0:
                farther = (ax * ax + ay * ay) << 32 > square
            elif bx * dx + by * dy >= 0:
                farther = (bx * bx + by * by) << 32 > square
            else:
                across = ax * dy - ay * dx
                farther = across * across << 32 > square * (dx * dx + dy * dy)
            if not farther:
                return False
            px, py = qx, qy
        return True

    def _surrounds(self, x, y):
        """Whether a point in half pixels is inside."""
        inside = False
        for top, bottom, px, py, dx, dy in self._edges:
            # A point is inside if the number of edges to its right is odd.
            if top <= y < bottom and (x - px) * dy < dx * (y - py):
                inside = not inside
        return inside

    def dwell_time(self, track):
        """Seconds that a track has been inside, up to the last frame with it inside; 0.0 for a track that is not inside.

        track   its id, or a Detection
        """
        known = self._tracks.get(id_of(track))
        return (known[_LAST] - known[_SINCE]) / 1000 if known and known[_INSIDE] else 0.0

    def contains(self, x, y=None):
        """Whether frame pixel (x, y), or ((x, y)), is inside; or a Detection, by its anchor point or all of several.

        Left and upper edges belong to a zone, right and lower ones do not.
        """
        if y is None and isinstance(x, Detection):
            (at,) = self._positions([x])
            return not [1 for u, v in (at if self._has_several_anchors else (at,)) if not self._surrounds(u, v)]
        pixel = x if y is None else (x, y)
        try:
            x, y = pixel
            return self._surrounds(2 * x, 2 * y)
        except (TypeError, ValueError):
            from ..tensors.errors import pixel_refused

            raise pixel_refused("contains", (pixel,) if y is None else pixel) from None

    def _entering_limit(self):
        """An eighth of the mean width, which is the area by half of the perimeter, in 1/65536 of half a pixel."""
        area, perimeter = 0, 0
        px, py = self._points[-1]
        for qx, qy in self._points:
            area += px * qy - qx * py  # twice
            # The length of an edge, up to an eighth too long. In integers, so a camera and a PC agree.
            dx, dy = abs(qx - px), abs(qy - py)
            perimeter += max(dx, dy) + min(dx, dy) // 2
            px, py = qx, qy
        return 16384 * abs(area) // perimeter or 65536  # where edges cross, parts of the area cancel out

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
        return later.tracking_coverage.coverage(self._points, mask)

    def occupancy(self, detections):
        """The fraction of the zone that detections cover, 0..1, by their masks, else by their boxes.

        What several of them cover counts once. Those that only coast are left out, unless `count_coasting` is True. Of the
        zone's bounding box at most 4,096 pixels are examined, in a regular grid, and where the size of the frame is known,
        only those in the frame. ValueError for anything but a list of Detection.
        """
        self._learn_frame_size(detections)
        if not self._values["count_coasting"]:
            detections = [d for d in detections if not d._track[_MISSED]]
        return later.tracking_occupancy.occupancy(self, detections)

    def as_dict(self):
        """The zone as numbers and lists, for JSON: points, count, and dwell times in seconds by track."""
        tracks = self._tracks
        times = [[track_id, self.dwell_time(track_id)] for track_id in sorted(tracks) if tracks[track_id][_INSIDE]]
        points = [list(one) for one in self._points]
        return OrderedDict((("points", points), ("count", self.current_count), ("dwell_times", times)))

    def to_state(self):
        """The zone and its visits, for State: {"points": [...], "visits": [number, milliseconds of all]}."""
        return {"points": [list(one) for one in self._points], "visits": list(self._state[5])}

    def from_state(self, state):
        """Take over the visits of `to_state`. ValueError if they are those of another polygon."""
        if state["points"] != [list(one) for one in self._points]:
            raise ValueError("points: expected those of the visits, %r, got %r" % (state["points"], self.points))
        visits, milliseconds = state["visits"]
        self._state = self._state[:5] + ((visits, milliseconds),) + self._state[6:]
