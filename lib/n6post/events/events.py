"""Events: what happened to the tracks of a frame, each thing once.

    yard = n6post.PolygonZone([(200, 160), (460, 160), (600, 470), (60, 470)], name="yard")
    events = n6post.Events(zones=[yard], pictures=True)
    for event in events.update(tracker.update(model.predict([n6post.Letterbox(img)])), img):
        print(event.kind, event.track_id, event.label, event.name, event.seconds)
"""

from collections import namedtuple
from math import sqrt

from micropython import const

from ..tensors.labels import class_filter
from ..tensors.lazy import later
from ..tensors.options import Options, flag, number
from ..tracking.anchor_points import MAX_LOST_TRACKS, PerTrack, checked, is_cut, track_ids_of
from ..tracking.clock import START, next_clock
from ..tracking.line_zone import LineZone
from ..tracking.plane import Plane
from ..tracking.polygon_zone import PolygonZone

_HALF_LIFE = 1000.0  # milliseconds in which a vote for a class loses half of its weight
_BETTER = 1.25  # a picture replaces another if it is this many times better
_JPEG_QUALITY = 80
_GROW = 0.1  # a picture shows this much around the box

_FIELDS = ("kind", "track_id", "label", "score", "rect", "name", "direction", "seconds", "speed")


class Event(
    namedtuple(
        "Event", ("kind", "track_id", "label", "score", "rect", "name", "direction", "seconds", "speed", "picture")
    )
):
    def as_dict(self):
        """The event as numbers and texts, for JSON: all but the picture."""
        return later.results_dicts.record_as_dict(self, _FIELDS)


# The order of the kinds in a frame.
_STARTED = const(0)
_CHANGED = const(1)
_ENTERED = const(2)
_CROSSED = const(3)
_LEFT = const(4)
_ENDED = const(5)
_KINDS = ("started", "changed", "entered", "crossed", "left", "ended")

# The entries of a track. Times are milliseconds of the clock.
_FIRST = const(0)  # when it was detected first
_SEEN = const(1)  # ... and last
_HAS_STARTED = const(2)
_CLASS_ID = const(3)  # of most votes
_LABEL = const(4)
_VOTES = const(5)  # ((weight, class_id, label), ...)
_SCORES = const(6)  # the sum of the scores of its detections
_COUNT = const(7)  # the number of its detections
_SPEEDS = const(8)  # the sum of the plane's speeds
_SPEED_COUNT = const(9)
_RECT = const(10)
_WAITING = const(11)  # (kind, event) of the time before it has started
_PICTURE = const(12)  # the best one, or None
_PROMISE = const(13)  # of that, without its sharpness
_QUALITY = const(14)
# Copied by scripts/dev/generate.py from results/detection.py:
_MISSED = const(2)


class Events(PerTrack):
    """Reports what happens to tracks: started, entered, left, crossed, changed and ended, each thing once.

    zones, lines    lists of PolygonZone and LineZone. `update` calls their `trigger`; a script does not
    plane           a Plane, for speeds. `update` calls its `update`

    A track starts in the first frame in which it passes all filters (`classes`, `min_seconds`, `min_area`, `min_score`).
    What it did before is reported then, too; nothing is reported of a track that never passes. Its class is the one with
    the most evidence of the last seconds, so a single frame of another class changes nothing.

    With `pictures`, the event of the end has the best picture of the track as JPEG: large, sharp, of a high score, whole in
    the frame. At most `max_pictures` tracks have one at a time; then the worst goes. A frame makes at most one picture.

    If there are more than 128 tracks, those that are not in the list are forgotten. ValueError for options out of range.
    """

    _option = Options()
    pictures = _option("pictures", False, flag)
    max_pictures = _option("max_pictures", 4, number, 1, 1000)
    classes = _option("classes", None, class_filter)
    min_seconds = _option("min_seconds", 0.0, number, 0.0, 1e6)
    min_area = _option("min_area", 0, number, 0, 1 << 30)
    min_score = _option("min_score", 0.0, number, 0.0, 1.0)

    def __init__(self, *more, zones=(), lines=(), plane=None, **options):
        super().__init__(*more, **options)  # which refuses more
        self._zones, self._lines = _all("zones", zones, PolygonZone), _all("lines", lines, LineZone)
        if plane is not None and not isinstance(plane, Plane):
            raise ValueError("plane: expected a Plane or None, got %r" % (plane,))
        self._plane = plane
        for zone in self._zones + self._lines:
            zone._is_examined_by_events = True
        self.reset()

    def reset(self):
        """Forget all tracks. Zones and lines keep their counts."""
        self._state = START, {}  # the clock, and the records; in one attribute, because each assignment may fail

    @property
    def _tracks(self):  # type: ignore[override]
        return self._state[1]

    def update(self, detections, img=None, *, elapsed_ms=None):
        """What happened in this frame: a list of Event, in the order of the kinds below.

        detections  as Tracker.update returns them; those that only coast count for zones alone
        img         the frame (RGB565 or GRAYSCALE), for `pictures`
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        An Event is a named tuple:

        kind        "started", "changed" (its class), "entered", "crossed", "left" or "ended"
        track_id, label, score, rect    of the track: its id, class, mean score, and box when it happened
        name        of the zone or the line; the label before, if it has changed
        direction   "in" or "out" across a line
        seconds     since the first detection; of a visit that has ended: how long it was
        speed       km/h by the plane: when it happened, for "ended" the mean
        picture     bytes of a JPEG, for "ended"

        What does not apply is None. Call it in every frame, with an empty list too. ValueError for a detection without a
        `track_id`. After a MemoryError, the next call reports what this one has not, but for crossings of a line in this
        frame.
        """
        ids = track_ids_of(checked(detections))
        plane, zones = self._plane, self._zones
        before, states = self._state, [zone._state for zone in zones]
        frame = plane._frame if plane else None
        try:
            return self._updated(detections, ids, img, elapsed_ms)
        except MemoryError:
            if self._state is before:
                if plane and frame:
                    plane._frame = frame
                for zone, state in zip(zones, states):
                    zone._state = state
            raise

    def _updated(self, detections, ids, img, elapsed_ms):
        last_clock, last_tracks = self._state
        clock = next_clock(last_clock, elapsed_ms)
        now, passed = clock[0], clock[0] - last_clock[0]
        self._oldest(detections, now)
        if self._plane:
            self._plane.update(detections, elapsed_ms=passed)
        tracks = dict(last_tracks)
        happened = [[], [], [], [], [], []]  # by kind
        fade = 0.5 ** (passed / _HALF_LIFE)
        for d, track_id in zip(detections, ids):
            if not d._track[_MISSED]:
                tracks[track_id] = self._seen(d, track_id, tracks.get(track_id), now, fade, happened)
        for zone in self._zones:
            zone._examine(detections, passed)
            for d in zone.entered:
                self._report(_ENTERED, tracks, d.track_id, now, happened, d[0], zone.name)
            for visit in zone.left:
                self._report(_LEFT, tracks, visit.track_id, now, happened, visit.rect, zone.name, None, visit.dwell_time)
        for line in self._lines:
            for direction, crossed in zip(("in", "out"), line._examine(detections, passed)):
                for d in crossed:
                    self._report(_CROSSED, tracks, d.track_id, now, happened, d[0], line.name, direction)
        self._end_lost(tracks, now, happened)
        if img is not None and self.pictures:
            self._take_picture(img, detections, tracks)
        if len(tracks) > MAX_LOST_TRACKS:
            tracks = {track_id: tracks[track_id] for track_id in ids if track_id in tracks}
        result = []
        for events in happened:
            result += events
        self._state = clock, tracks
        return result

    def _seen(self, d, track_id, last, now, fade, happened):
        """The entries of a track that was detected. last: those of the last time, or None."""
        rect, score, class_id, label, _, _ = d
        if last is None:
            age = d.age
            first = now - int(1000 * age) if age else now
            track = [first, now, False, class_id, label, (), 0.0, 0, 0.0, 0, rect, (), None, 0.0, 0.0]
        else:
            track = list(last)
            track[_SEEN], track[_RECT] = now, rect
        track[_SCORES] += score
        track[_COUNT] += 1
        speed = self._plane.speed(track_id) if self._plane else None
        if speed is not None:
            track[_SPEEDS] += speed
            track[_SPEED_COUNT] += 1
        before = track[_LABEL]
        votes = [(score, class_id, label)]
        for weight, one, text in track[_VOTES]:
            weight *= fade
            if one == class_id:
                votes[0] = weight + score, class_id, label
            elif weight > 0.01:
                votes.append((weight, one, text))
        track[_VOTES] = votes
        _, winner, text = max(votes)
        has_changed = winner != track[_CLASS_ID]
        track[_CLASS_ID], track[_LABEL] = winner, text
        if not track[_HAS_STARTED]:
            if self._passes(track, now):
                track[_HAS_STARTED] = True
                happened[_STARTED].append(self._event(_STARTED, track, track_id, now, rect))
                for kind, event in track[_WAITING]:
                    happened[kind].append(event)
                track[_WAITING] = ()
        elif has_changed:
            happened[_CHANGED].append(self._event(_CHANGED, track, track_id, now, rect, before))
        return track

    def _passes(self, track, now):
        classes = self.classes
        _, _, w, h = track[_RECT]
        return (
            (classes is None or track[_CLASS_ID] in classes or track[_LABEL] in classes)
            and now - track[_FIRST] >= 1000 * self.min_seconds
            and w * h >= self.min_area
            and track[_SCORES] >= self.min_score * track[_COUNT]
        )

    def _event(self, kind, track, track_id, now, rect, name=None, direction=None, seconds=None):
        speed = self._plane.speed(track_id) if self._plane else None
        picture = None
        if kind == _ENDED:
            speed = track[_SPEEDS] / track[_SPEED_COUNT] if track[_SPEED_COUNT] else None
            picture = track[_PICTURE]
        if seconds is None:
            seconds = (now - track[_FIRST]) / 1000
        score = track[_SCORES] / track[_COUNT]
        return Event(_KINDS[kind], track_id, track[_LABEL], score, rect, name, direction, seconds, speed, picture)

    def _report(self, kind, tracks, track_id, now, happened, rect, name=None, direction=None, seconds=None):
        """Report what a zone or a line says of a track; if it has not started, once it does."""
        track = tracks.get(track_id)
        if track is None:
            return  # it only coasts, or is one of too many
        event = self._event(kind, track, track_id, now, rect, name, direction, seconds)
        if track[_HAS_STARTED]:
            happened[kind].append(event)
        else:
            changed = tracks[track_id] = list(track)
            changed[_WAITING] += ((kind, event),)

    def _end_lost(self, tracks, now, happened):
        # No sooner than the zones give them up.
        gap = max([self._lifetime // 2] + [int(1000 * (zone.max_gap or 0)) for zone in self._zones])
        for track_id in sorted([one for one, track in tracks.items() if now - track[_SEEN] > gap]):
            track = tracks.pop(track_id)
            if track[_HAS_STARTED]:
                happened[_ENDED].append(self._event(_ENDED, track, track_id, track[_SEEN], track[_RECT]))

    def _take_picture(self, img, detections, tracks):
        """Keep a picture of one detection: the one that promises most, if it is then better than the kept one."""
        best, most, track = None, 1.0 / _BETTER, None
        for d in detections:
            known = tracks.get(d.track_id)
            if known and known[_HAS_STARTED] and not d._track[_MISSED]:
                gain = _promise(d, img) / known[_PROMISE] if known[_PICTURE] else 1e6 * _promise(d, img)
                if gain > most:
                    best, most, track = d, gain, known
        if best is None:
            return
        promise = _promise(best, img)
        # Ten times less contrast of edges halves the quality, about.
        quality = promise * (1.0 + later.results_sharpness.sharpness(img, best)) ** 0.25
        if track[_PICTURE] and quality < _BETTER * track[_QUALITY]:
            return
        if not track[_PICTURE]:
            holders = [one for one in tracks.values() if one[_PICTURE]]
            if len(holders) >= self.max_pictures:
                worst = min([one[_QUALITY] for one in holders])
                if quality <= worst:
                    return
                for track_id, one in tracks.items():
                    if one[_PICTURE] and one[_QUALITY] == worst:
                        without = list(one)
                        without[_PICTURE] = None
                        tracks[track_id] = without
                        break
        try:
            jpeg = best.crop(img, grow=_GROW).to_jpeg(quality=_JPEG_QUALITY, copy=True)
            track[_PICTURE], track[_PROMISE], track[_QUALITY] = bytes(jpeg.bytearray()), promise, quality
        except MemoryError:  # camera: memory-error: nothing is kept yet, and the events count more than a picture
            pass


def _promise(d, img):
    """How good a picture of a detection is if it is sharp: by its score, its size, and whether the border cuts it off."""
    _, _, w, h = d[0]
    whole = not is_cut(d, "center", d.frame_size or (img.width(), img.height()))
    return d[1] * sqrt(w * h) * (1.0 if whole else 0.5)


def _all(name, given, kind):
    if not isinstance(given, (list, tuple)) or [one for one in given if not isinstance(one, kind)]:
        raise ValueError("%s: expected a list of %s, got %r" % (name, kind.__name__, given))
    return tuple(given)
