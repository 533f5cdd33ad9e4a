"""Steady, Majority, Fraction and Repetitions: what a value does over time, for each track or at all.

    queue = n6post.Steady(3.0)
    waiting = queue.update(zone.current_count)  # once a frame; None until a count stayed for 3 seconds
"""

from array import array

from micropython import const

from ..results.detection import Detection
from ..results.reading import Reading
from ..tensors.options import Options, number
from .anchor_points import MAX_LOST_TRACKS, Timed, as_list, id_of, truth_of
from .clock import START, next_clock

# The first entries of what is remembered of a track.
_SEEN = const(0)  # when it was given last, milliseconds of the object's clock
_ANSWER = const(1)  # of the last update
# Copied by scripts/dev/generate.py from results/detection.py:
_AGE = const(1)
_SECOND = const(3200)

_SLOTS = const(32)  # of Fraction
_MOST_VOTES = const(500)  # of Majority: different characters that it remembers of a track
_NOTHING = Reading("", 0.0, [])


class Condition(Timed):
    """Base: remembers something for each track, by its id, and for the value without a track, by None.

    A track is forgotten once it was not given for the lifetime of PerTrack. If there are 128 others, at once.
    """

    def reset(self):
        """Start again: no value was given yet."""
        self._tracks, self._clock = {}, [START]  # in a list, because to assign an attribute takes 8,000 instructions

    def _next(self, known, now, value):
        """What is remembered after this value, as a tuple. known: what was remembered of it, or None."""

    def update(self, value, *, track=None, elapsed_ms=None):
        """Take the value of a frame; returns what the class says. ValueError for a value of another kind.

        track       a track id or a Detection, which has its own value; None: one without a track
        elapsed_ms  milliseconds since the last frame, for all of its tracks the same; None: measured with time.ticks_ms
        """
        key = id_of(track)
        if key is None and track is not None:
            raise ValueError("expected a detection with a track_id, as Tracker.update returns it, got one without")
        tracks = self._tracks
        known = tracks.get(key)
        last_clock = self._clock[0]
        clock = next_clock(last_clock, elapsed_ms)
        if elapsed_ms is not None and (known is None or known[_SEEN] < last_clock[0]):
            clock = last_clock  # a frame begins with a track that was already given in the last one: this is the same frame
        now = clock[0]
        if isinstance(track, Detection):
            # Its Tracker has kept it for its age: longer than max_gap, if seconds lie between two frames.
            oldest = self._oldest((track,), now) - (track._track[_AGE] or 0) * 1000 // _SECOND
        else:
            oldest = self._oldest((), now)
        if key is not None and known is not None and known[_SEEN] < oldest:
            known = None
        entry = self._next(known, now, as_list(value))
        if key not in tracks and len(tracks) >= MAX_LOST_TRACKS:
            del tracks[min([(one[_SEEN], other) for other, one in tracks.items() if other is not None])[1]]
        # One statement: if a MemoryError comes before, nothing of this call is kept, and the next one counts its time too.
        tracks[key], self._clock[0] = entry, clock
        return entry[_ANSWER]


class Steady(Condition):
    """The last value that stayed for some seconds: a class, a count or a text without flicker. None before the first.

    seconds     how long a value has to stay

    Values of any kind are compared with ==. ValueError for an option out of range.
    """

    _option = Options("seconds")
    seconds = _option("seconds", 1.0, number, 0.0, 1e6)

    def _next(self, known, now, value):
        _, steady, last, since = known or (0, None, value, now)
        if value != last:
            since = now
        return now, value if now - since >= int(1000 * self.seconds + 0.5) else steady, value, since


class Majority(Condition):
    """The text that most frames agree on, character by character: a plate without the errors of single frames.

    seconds     after which a reading counts half as much
    min_frames  readings that it needs; before, the text is ""

    `update` takes a Reading and returns one. Frames vote with their scores: first for the number of characters, then for
    each of them. Its scores are what all frames gave the character on average, where one that read another character, or
    another number of them, gave 0. A reading without a text, or None, changes nothing. ValueError for anything else and for
    options out of range.
    """

    _option = Options("seconds")
    seconds = _option("seconds", 1.0, number, 0.01, 1e6)
    min_frames = _option("min_frames", 3, number, 1, 1000)

    def _next(self, known, now, value):
        _, answer, count, votes, last = known or (0, _NOTHING, 0, {}, now)
        if value is not None and not isinstance(value, Reading):
            raise ValueError("value: expected a Reading or None, got %r" % (value,))
        if not value:
            return now, answer, count, votes, last
        text, scores = value.text, list(value.scores)
        if len(scores) != len(text) or [one for one in scores + [value.score] if not 0 <= one <= 1]:
            raise ValueError("value: expected a Reading with a score of 0..1 for each character, got %r" % (value,))
        length, part = len(text), 0.5 ** ((now - last) / (1000 * self.seconds))
        # By (number of characters, place, character). Place -1 is for the number itself, -2 for any reading.
        votes = {key: votes[key] * part for key in votes}
        cast = [((length, at, text[at]), scores[at]) for at in range(length)]
        for key, score in cast + [((length, -1, ""), value.score), ((0, -2, ""), 1.0)]:
            votes[key] = votes.get(key, 0.0) + score
        elected = _elected(votes)
        if len(votes) > _MOST_VOTES:  # then only the winners are remembered
            text, length = elected.text, len(elected.text)
            losers = [k for k in votes if k[1] > -2 and (k[0] != length or k[1] >= 0 and k[2] != text[k[1]])]
            for key in losers:
                del votes[key]
        count = min(count + 1, self.min_frames)
        return now, elected if count >= self.min_frames else answer, count, votes, now


def _elected(votes):
    """The Reading that has most votes."""
    length, total = max([(votes[key], key[0]) for key in votes if key[1] == -1])[1], votes[0, -2, ""]
    best = [(-1.0, "")] * length
    for key in votes:
        if key[0] == length and key[1] >= 0:
            best[key[1]] = max(best[key[1]], (votes[key], key[2]))
    scores = [min(weight / total, 1.0) for weight, _ in best]
    return Reading("".join([one for _, one in best]), sum(scores) / length, scores)


class Fraction(Condition):
    """The fraction of the last seconds in which something was true, 0..1.

    seconds     how many seconds. An assignment starts again

    Values are True, False or a count. If it was true in one of two frames, half of the time between them counts. Before the
    first one, it was untrue. The fraction is right to 0.01: the seconds are kept in 32 parts, at any frame rate.
    ValueError for an option out of range.
    """

    _option = Options("seconds")
    seconds = _option("seconds", 1.0, number, 0.1, 1e6)

    def _start_over(self):
        self.reset()

    def _next(self, known, now, value):
        true = truth_of(value)
        if true is None:
            raise ValueError("value: expected True, False or a count, got %r" % (value,))
        # In 1/32 ms, of which a slot has a whole number. Slots have twice the time in which it was true.
        since, _, was_true, slots = known or (now, 0.0, true, array("I", bytes(4 * (_SLOTS + 1))))
        slots = slots[:]
        begin, end, width = _SLOTS * since, _SLOTS * now, int(1000 * self.seconds + 0.5)
        last = end // width
        for slot in range(max(begin // width, last - _SLOTS), last + 1):
            at = slot * width
            if at > begin:
                slots[slot % (_SLOTS + 1)] = 0
            slots[slot % (_SLOTS + 1)] += (true + was_true) * (min(end, at + width) - max(begin, at))
        # When it was true in the oldest slot is not known: a part of it is forgotten, which is wrong by a quarter at most.
        forgotten = slots[(last + 1) % (_SLOTS + 1)] * (end % width) // width
        return now, (sum(slots) - forgotten) / (2 * _SLOTS * width), true, slots


class Repetitions(Condition):
    """How often a number went from above `high` to below `low` and back: squats, by the angle of a knee.

    high, low   a number between the two changes nothing, so jitter does not count

    Values are numbers. None, for a keypoint that is not visible, and NaN change nothing. ValueError if `low` is not below
    `high`.
    """

    def __init__(self, high, low, **options):
        super().__init__(**options)  # it has none, and says so
        self._high, self._low = number("high", high, -1e9, 1e9), number("low", low, -1e9, 1e9)
        if low >= high:
            raise ValueError("low: expected a number below high, %r, got %r" % (high, low))

    def _next(self, known, now, value):
        if value is not None and type(value) is not int and type(value) is not float:
            raise ValueError("value: expected a number or None, got %r" % (value,))
        _, count, was_high, was_low = known or (0, 0, False, False)  # low: after it was high
        if value is not None and value > self._high:
            return now, count + was_low, True, False
        return now, count, was_high, was_low or was_high and value is not None and value < self._low
