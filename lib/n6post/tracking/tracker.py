"""Tracker: gives detections ids that stay the same from frame to frame.

Detections are associated with tracks in two rounds, as in ByteTrack (Zhang et al., ECCV 2022, arXiv 2110.06864): first the
detections of high scores, then those of low scores with the remaining tracks. The cost is not the IoU but the Mahalanobis
distance of center and size (docs/tracking.md compares both). The loops are in kernels/viper/tracks.py.
"""

from array import array
from collections import namedtuple
from math import sqrt
from struct import unpack_from

from micropython import const

from ..kernels import tracks as track_kernels
from ..kernels.params import tracks as track_params
from ..results.detection import PER_SECOND, SECOND, Detection, copied, detection_from
from ..tensors.lazy import later
from ..tensors.options import Configurable, Options, flag, number
from .clock import START, next_clock

# Tuned on made-up motion and real sequences (scripts/dev/tracking/compare_trackers.py). Where no unit is given, these are
# standard deviations, as fractions of sqrt(w h). A frame is a unit of time: 80 ms. What depends on the time between two
# updates is adjusted in _set_time.
_FADE = 0.93  # factor for the velocity of a lost track in a frame
_FORGET = 0.8  # factor for what was learned of a track's maneuvers in a frame
_CLASS_COST = 4.0  # if the classes differ. Not infinite, because networks alternate between car and truck
_AGE_COST = 0.25  # for each frame that a track has missed
_DOUBT_COST = 2.0  # for each doubling of the variance of a track's position: a track of certain position comes first
_MANEUVER_COST = 10.0  # for a difference that is explained by a maneuver only
_SIZE_COST = 8.5  # most that another size costs then
_LOW_COST = 4.0  # for a detection with a low score, which is more often a false alarm
_LOST_COST = 2.0  # ... and this much more if the track is lost
_FLOOR = 3.0  # pixels: the noise of small boxes, whose steps matter more
_FLOOR_PART = 0.17  # ... but no more than this
_NOISE = 0.05
_SIZE_NOISE = 0.1
_ACCELERATION = 0.015  # velocities change by this in a frame
_GROWTH = 0.008
_FIRST_SPEED = 0.3
_FIRST_GROWTH = 0.13
_JUMP = 0.16  # how far an object that maneuvers is from the prediction
_SIZE_JUMP = 0.12
_TURN = 1.3  # ... and this times its speed
_SURPRISE = 3.0  # more than this times the expected square is a maneuver
_LEARN = 0.13
_COVERED = 0.75  # a box starts no track if more than this fraction of it lies on a tracked one of its class

# Words of the tables. Copied by scripts/dev/generate.py from kernels/viper/tracks.py:
_HEADER = const(7)
_COUNT = const(0)
_NEXT_ID = const(1)
_LARGEST_ID = const(0x3FFFFFFF)
_RIGHT = const(4)
_BOTTOM = const(5)
_UPDATES = const(6)
_TRACK = const(40)
_VX = const(2)
_VY = const(3)
_MISSED = const(22)
_FOUND = const(24)
_RECT_X = const(26)
_HITS = const(30)
_ID = const(31)
_CLASS_ID = const(32)
_AGE = const(37)
_DETECTION = const(10)
_P_COUNT = const(0)
_P_DT = const(1)
_P_FADE = const(2)
_P_FORGET = const(3)
_P_MAX_GAP = const(4)
_P_PAUSE = const(5)
_P_FIRST_SPEED = const(24)
_P_JUMP = const(25)
_P_FIRST_GROWTH = const(28)
_P_SIZE_JUMP = const(29)
# Copied by scripts/dev/generate.py from results/detection.py:
_TRACK_ID = const(0)
_FRAME_SIZE = const(0)

_FRAME_MS = const(80)
_LONGEST = const(0x1000000)  # 1/256 frames: 87 minutes, which is more than any max_gap

_NOTHING = []  # one list for all updates in which no track starts


class Track(namedtuple("Track", ("track_id", "rect", "velocity", "missed", "hits", "class_id", "age"))):
    def as_dict(self):
        """The track as numbers and lists, for JSON."""
        names = "track_id", "rect", "velocity", "missed", "hits", "class_id", "age"
        return later.results_dicts.record_as_dict(self, names)


class TrackMemory:
    """What is remembered of the tracks of one Tracker, beside its table. All their detections refer to it."""

    def __init__(self):
        self.now = 0  # milliseconds of the tracker's clock
        self.lifetime = 0  # milliseconds after its last detection for which a track is remembered
        self._data = {}  # by track id: [Detection.data, when the track was there last]

    def data_of(self, track_id):
        entry = self._data.get(track_id)
        if entry is None:
            entry = self._data[track_id] = [{}, 0]
        entry[1] = self.now
        return entry[0]

    def forget(self, kept):
        """Forget tracks that were dropped `max_gap` ago. kept: the ids of those that the Tracker still has."""
        for track_id, entry in self._data.items():
            if track_id in kept:
                entry[1] = self.now
        oldest = self.now - self.lifetime // 2
        for track_id in [one for one, entry in self._data.items() if entry[1] < oldest]:
            del self._data[track_id]


class Tracker(Configurable):
    """Gives objects ids that stay from frame to frame.

        tracker = n6post.Tracker()
        detections = tracker.update(model.predict([n6post.Letterbox(img)]))  # once a frame

    It reports an object from its second frame on (`min_hits`). The defaults suit 2 to 30 updates a second. ValueError for
    an option out of range; each option may be assigned between frames.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    low_threshold = _option("low_threshold", 0.1, number, 0.0, 1.0)
    max_gap = _option("max_gap", 2.5, number, 0.0, 600.0)
    min_hits = _option("min_hits", 2, number, 1, 1000)
    smooth_boxes = _option("smooth_boxes", True, flag)
    coast = _option("coast", 0, number, 0.0, 600.0)
    max_distance = _option("max_distance", 22.0, number, 1.0, 64.0)
    max_tracks = _option("max_tracks", 64, number, 1, 1000)
    use_masks = _option("use_masks", True, flag)
    smooth_keypoints = _option("smooth_keypoints", False, flag)

    def __init__(self, *first, **options):
        self._block = None  # the kernels' parameters, as long as no option changes
        first_table = array("i", (0, 1) + (0,) * (_HEADER - 2))
        # Two tables of tracks are used alternately: an update writes into the other one. It takes effect once it is
        # complete, by a single assignment to _kept.
        self._tables = first_table, first_table
        # Index of the table; by track_id: values for coasting, states of the keypoint filters; detections of new tracks; the
        # clock; the time between the last two updates, 1/256 frames.
        self._kept = 0, {}, {}, _NOTHING, START, 0
        self._memory = TrackMemory()
        self._rows = array("i")
        self._mask_transform = None, None  # the MaskTransform of the last mask, and its parameters for the kernel
        super().__init__(*first, **options)

    def update(self, detections, *, elapsed_ms=None):
        """The detections of this frame that belong to confirmed tracks, in their order, as new objects with `track_id`.

        detections  list of Detection, as YoloV8, YoloV8Seg, YoloV8Pose or MoveNet return it; it is not changed
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms. For
                    the frames of a file, give the time between two of them

        Track ids begin again at 1 after 1,073,741,823. Class, label, score, mask and keypoints are those of the detection. A
        MemoryError during an update leaves the tracker as it was before.
        """
        block = self._block
        if block is None:
            block = self._make_block()
        which, last, filters, _, clock, interval = self._kept
        before_ms = clock[0]
        clock = next_clock(clock, elapsed_ms)
        now = clock[0]
        dt = min(now * 16 // 5 - before_ms * 16 // 5, _LONGEST)  # in 1/256 frames
        self._set_time(block, dt, interval)
        before = self._tables[which]
        table = self._tables[1 - which]
        chosen = self._values
        smooth, memory = chosen["smooth_boxes"], self._memory
        track_kernels.predict(before, table, block)
        rows = self._rows
        try:
            count = len(detections)
            if len(rows) < _DETECTION * count:
                rows = self._rows = array("i", bytes(4 * _DETECTION * count))
            bad = track_kernels.load_detections(detections, rows, table, chosen["threshold"], chosen["low_threshold"])
        except (TypeError, ValueError, KeyError, OverflowError):
            raise ValueError("detections: expected a list of Detection, rects of ints, got %r" % (detections,)) from None
        if bad >= 0:
            raise ValueError("detections: expected rects within -1024..8191 pixels, got %r" % (detections[bad],))
        block[_P_COUNT] = count
        if count:
            if not isinstance(detections[0], Detection):
                raise ValueError("detections: expected a list of Detection, got %r" % (detections,))
            frame = detections[0]._source[_FRAME_SIZE]
            if frame is not None and (table[_RIGHT] < frame[0] or table[_BOTTOM] < frame[1]):
                # Smoothed and predicted rects may reach to the edges of the frame.
                table[_RIGHT], table[_BOTTOM] = max(table[_RIGHT], frame[0]), max(table[_BOTTOM], frame[1])
            if chosen["use_masks"] and detections[0].mask is not None:
                self._load_mask_centroids(detections, rows)
            track_kernels.match(table, rows, block)
        track_kernels.update_tracks(table, rows, block)
        track_kernels.tracks_to_rects(table)
        result = track_kernels.tracked_detections(detections, rows, table, smooth, Detection, memory)
        if filters or chosen["smooth_keypoints"]:
            result, filters = self._filter(result, filters, dt / 256)
        seen = {}
        if chosen["coast"]:
            seen = self._coast(table, int(SECOND * chosen["coast"] + 0.5), last, result)
        started = _NOTHING
        first, end = before[_NEXT_ID], table[_NEXT_ID]
        if first != end:
            count = (end - first) % _LARGEST_ID
            started = [d for d in result if (d._track[_TRACK_ID] - first) % _LARGEST_ID < count]
        memory.now = now
        if memory._data:
            memory.forget([table[at + _ID] for at in _slots(table)])
        self._kept = 1 - which, seen, filters, started, clock, dt
        return result

    def reset(self):
        """Forget all tracks, for a new scene. Track ids continue."""
        which = self._kept[0]
        table = self._tables[1 - which]
        header = array("i", bytes(4 * _HEADER))
        header[_NEXT_ID] = self._tables[which][_NEXT_ID]
        table[:_HEADER] = header
        self._tables[which][_UPDATES] = 0
        self._kept = 1 - which, {}, {}, _NOTHING, self._kept[4], 0
        self._memory._data.clear()

    @property
    def tracks(self):
        """The confirmed tracks, including lost ones: a list of named tuples.

        track_id    its id
        rect        (x, y, w, h), filtered; predicted for a lost track
        velocity    (x, y), pixels a second
        missed      seconds since its last detection; 0.0 if it was in the last update
        hits        number of detections so far
        class_id    class of the last detection
        age         seconds since its first detection
        """
        table = self._tables[self._kept[0]]
        return [_track_at(table, at) for at in _slots(table) if table[at + _ID]]

    @property
    def started(self):
        """The detections of the last update whose tracks it confirmed, as it has returned them: each object once.

        Empty after an update that failed, and after `reset`.
        """
        return list(self._kept[3]) if self._has_table_before() else []

    @property
    def ended(self):
        """The confirmed tracks that the last update gave up, a list of named tuples like `tracks`: each track once.

        A track is given up in the first update that is more than `max_gap` after its last detection. Empty after an update
        that failed, and after `reset`.
        """
        if not self._has_table_before():
            return []
        which = self._kept[0]
        table, before = self._tables[which], self._tables[1 - which]
        kept = [table[at + _ID] for at in _slots(table)] + [0]
        return [_track_at(before, at) for at in _slots(before) if before[at + _ID] not in kept]

    def _has_table_before(self):
        # Whether the other table is still that of the update before. One that failed has written into it.
        which = self._kept[0]
        updates, before = [self._tables[i][_UPDATES] for i in (which, 1 - which)]
        return before == (updates - 1) & _LARGEST_ID

    def __copy__(self):
        # For copy.copy on a PC, whose shallow copy would share the tracks.
        return __import__("copy").deepcopy(self)

    def _start_over(self):
        """Called by options.py when an option has changed."""
        self._block = None

    def _make_block(self):
        # Make the parameter block, and enlarge the tables if necessary.
        block = track_params.tracking(
            count=0,
            dt=0.0,
            fade=_FADE,
            forget=_FORGET,
            max_gap=self.max_gap * 1000 / _FRAME_MS,
            pause=0.0,
            min_hits=self.min_hits,
            max_tracks=self.max_tracks,
            gate=self.max_distance,
            class_cost=_CLASS_COST,
            age_cost=_AGE_COST,
            doubt_cost=_DOUBT_COST,
            maneuver_cost=_MANEUVER_COST,
            size_cost=_SIZE_COST,
            low_cost=_LOW_COST,
            lost_cost=_LOST_COST,
            floor=_FLOOR,
            floor_part=_FLOOR_PART,
            covered=_COVERED,
            surprise=_SURPRISE,
            learn=_LEARN,
            turn=_TURN,
            noise=_NOISE,
            acceleration=_ACCELERATION,
            first_speed=_FIRST_SPEED,
            jump=_JUMP,
            size_noise=_SIZE_NOISE,
            growth=_GROWTH,
            first_growth=_FIRST_GROWTH,
            size_jump=_SIZE_JUMP,
        )
        size = _HEADER + _TRACK * self.max_tracks
        held = self._tables[self._kept[0]]
        if len(held) < size:
            tables = array("i", bytes(4 * size)), array("i", bytes(4 * size))
            for table in tables:
                table[: len(held)] = held
            self._tables = tables
        self._memory.lifetime = int(2000 * self.max_gap + 0.5)
        self._block, self._adjusted = block, [256]  # a list: an assignment to an attribute takes 8,000 instructions
        return block

    def _set_time(self, block, dt, interval):
        """Write into the block what depends on the time since the last update, and on that before it, in 1/256 frames.

        These numbers make the tracker as good at 3 updates a second as at 30 (docs/tracking.md has the figures). How fast a
        new object may be is a step between two detections, not a speed: otherwise its reach at few updates a second would
        take the detections of others.
        """
        block[_P_DT] = dt
        # One that was in the last update is kept at few updates a second, too.
        block[_P_PAUSE] = max(block[_P_MAX_GAP], 3 * interval)
        adjusted = self._adjusted[0]
        if not dt or -adjusted < 2 * (dt - adjusted) < adjusted:
            return  # the first update, or much as before: what follows takes 25,000 instructions
        frames = max(dt, 64) / 256
        self._adjusted[0] = 0  # if one of the next lines fails, the next update does all of them
        block[_P_FADE] = int(256 * _FADE ** sqrt(frames) + 0.5)
        block[_P_FORGET] = int(256 * _FORGET**frames + 0.5)
        more = sqrt(sqrt(frames))
        block[_P_JUMP] = track_params.jump_entry(_JUMP * more)
        block[_P_SIZE_JUMP] = track_params.jump_entry(_SIZE_JUMP * more)
        block[_P_FIRST_SPEED] = track_params.first_speed_entry(_FIRST_SPEED / frames)
        block[_P_FIRST_GROWTH] = track_params.first_speed_entry(_FIRST_GROWTH / frames)
        self._adjusted[0] = dt

    def _load_mask_centroids(self, detections, rows):
        # Write the centroid of each mask into the row of its detection.
        last, words = self._mask_transform
        at = 0
        for d in detections:
            mask = d[4]
            if mask is not None:
                data, table, entry, transform = mask._row()
                if transform is not last:
                    last = transform
                    words = track_params.mask_transform(transform)
                    self._mask_transform = last, words
                if data:
                    track_kernels.mask_centroid(data, table, entry, words, rows, at)
            at += _DETECTION

    def _filter(self, result, filters, dt):
        # The result with filtered keypoints, and the states of the filters, including those of lost tracks.
        if not self.smooth_keypoints:
            return result, {}
        filtered = later.tracking_one_euro.filtered
        alive = [track.track_id for track in self.tracks]
        states = {}
        for track_id in filters:
            if track_id in alive:
                states[track_id] = filters[track_id]
        smoothed = []
        for d in result:
            if d.keypoints is not None:
                track_id = d.track_id
                keypoints, states[track_id] = filtered(d.keypoints, states.get(track_id), dt, d.keypoint_threshold)
                d = copied(d, d[:5] + (keypoints,))
            smoothed.append(d)
        return smoothed, states

    def _coast(self, table, longest, last, result):
        # Append the tracks that are lost for no longer than that. Returns the values for coasting, by track_id.
        known = {d._track[_TRACK_ID]: (d._source, d.score, d.class_id, d.label) for d in result}
        for at in _slots(table):
            track_id = table[at + _ID]
            if table[at + _FOUND] < 0 and track_id in last:
                known[track_id] = last[track_id]
                source, score, class_id, label = last[track_id]
                rect = unpack_from("4i", table, 4 * (at + _RECT_X))
                missed = table[at + _MISSED]
                if missed <= longest and rect[2] and rect[3]:
                    track = track_id, table[at + _AGE], missed, table[at + _VX], table[at + _VY], self._memory
                    result.append(detection_from((rect, score, class_id, label, None, None), source, track))
        return known


def _track_at(table, at):
    # The track in this row.
    rect = unpack_from("4i", table, 4 * (at + _RECT_X))
    velocity = PER_SECOND * table[at + _VX], PER_SECOND * table[at + _VY]
    missed, age = table[at + _MISSED] / SECOND, table[at + _AGE] / SECOND
    hits, class_id = table[at + _HITS], table[at + _CLASS_ID]
    return Track(table[at + _ID], rect, velocity, missed, hits, class_id, age)


def _slots(table):
    # The entries where the rows of the tracks begin.
    end = _HEADER + table[_COUNT] * _TRACK
    return range(_HEADER, end, _TRACK)
