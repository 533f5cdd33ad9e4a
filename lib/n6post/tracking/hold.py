"""Hold: how long something has been true, for each track or at all.

    hold = n6post.Hold(3.0)
    for d in hold.trigger([d for d in detections if d.rect[2] > d.rect[3]]):
        print(d.track_id, "has been lying for", hold.held_time(d), "seconds")
"""

from micropython import const

from ..tensors.options import Options, number
from .anchor_points import MAX_LOST_TRACKS, Timed, checked, id_of, track_ids_of, truth_of
from .clock import START, next_clock

# The entries of a track: milliseconds of this object's clock.
_FIRST = const(0)
_LAST = const(1)
# Copied by scripts/dev/generate.py from results/detection.py:
_MISSED = const(2)

_CONDITION = ""  # the key of the condition without a track; ids are integers


class Hold(Timed):
    """Reports what has been true for some seconds: for each track, or for one condition.

    seconds     how long it has to be true
    release     how long it may be untrue in between; after that it starts again

    If there are more than 128 tracks, those that are not in the list are forgotten. ValueError for options out of range.
    """

    _option = Options("seconds")
    seconds = _option("seconds", 1.0, number, 0.0, 1e6)
    release = _option("release", 0.5, number, 0.0, 1e6)

    def reset(self):
        """Start again: nothing has been true yet."""
        # The clock; the tracks; `state` and `changed`; when the condition was true last, or the time of the first call. In
        # one attribute, because each assignment may fail.
        self._state = START, {}, None, False, None  # type: tuple

    @property
    def _tracks(self):  # type: ignore[override]
        return self._state[1]

    @property
    def state(self):
        """What `trigger` returned last for a condition without a track; None until that is sure, and with tracks.

        It is sure once the condition was true for `seconds`, or untrue for `release` (or `seconds`, if that is longer).
        """
        return self._state[2]

    @property
    def changed(self):
        """Whether the last call of `trigger` changed `state`, from None too."""
        return self._state[3]

    def trigger(self, detections, *, elapsed_ms=None):
        """Examine a frame; returns those that are true now and have been for `seconds`.

        detections  the detections for which it is true, as Tracker.update returns them: it returns some of them. Or True or
                    False (or a count, which is true above 0), for a condition without a track: it returns True once that
                    was true for `seconds`, until it was untrue for longer than `release`
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms

        Call it in every frame, with an empty list too. Detections that only coast are skipped. ValueError for a detection
        without a `track_id`.
        """
        single = not isinstance(detections, (list, tuple))
        if single:
            true = truth_of(detections)
            if true is None:
                raise ValueError("detections: expected True, False, a count or a list of Detection, got %r" % (detections,))
            ids = [_CONDITION] if true else []
        else:
            ids = track_ids_of(checked(detections))
            if any([d._track[_MISSED] for d in detections]):
                detections = [d for d in detections if not d._track[_MISSED]]
                ids = track_ids_of(detections)
        last_clock, last_tracks, state, _, last_true = self._state
        clock = next_clock(last_clock, elapsed_ms)
        now, before = clock[0], last_clock[0]
        release, least = int(1000 * self.release + 0.5), int(1000 * self.seconds + 0.5)
        tracks = {}
        for track_id, known in last_tracks.items():
            # What was true in the last frame may still be, however long ago that was.
            if now - known[_LAST] <= release or known[_LAST] >= before and track_id in ids:
                tracks[track_id] = known
        held = []  # type: list | bool
        for at, track_id in enumerate(ids):
            known = tracks.get(track_id)
            first = now if known is None else known[_FIRST]
            tracks[track_id] = first, now
            if not single and now - first >= least:
                held.append(detections[at])
        if len(tracks) > MAX_LOST_TRACKS:
            tracks = {track_id: tracks[track_id] for track_id in ids}
        changed = False
        if single:
            known = tracks.get(_CONDITION)
            held = known is not None and known[_LAST] - known[_FIRST] >= least
            if true or last_true is None:
                last_true = now
            if held or state is not None or now - last_true >= max(release, least):
                state, changed = held, held is not state
        # Last: if a MemoryError comes before, the next call counts this time too.
        self._state = clock, tracks, state, changed, last_true
        return held

    def held_time(self, track=None):
        """Seconds that it has been true, up to the last frame in which it was; 0.0 once it was untrue for `release`.

        track   a track id, or a Detection; None: of the condition without a track
        """
        known = self._tracks.get(_CONDITION if track is None else id_of(track))
        return (known[_LAST] - known[_FIRST]) / 1000 if known else 0.0
