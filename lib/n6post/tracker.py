"""Who is who from frame to frame: `Tracker`.

in      lists of Detection, frame by frame
out     those that belong to a confirmed track, with its number as `track_id`

Two rounds of association as in ByteTrack (Zhang et al., ECCV 2022, arXiv 2110.06864): the detections of a high score look
for tracks first, those of a low one among the tracks that are left. What is compared is not IoU but the Mahalanobis
distance of middle and size (docs/tracking.md has both against each other). The loops are kernels/viper_tracks.py.
"""

from array import array
from collections import namedtuple
from struct import unpack_from

from micropython import const

from .detection import Detection
from .kernels import track_plans as plans
from .kernels.tracks import learn, match, middle, named, place, predict, read
from .options import flag, number, option

# Tuned on made-up scenes (scripts/dev/judge_tracker.py), then held against a real street.
_FADE = 0.93  # what the velocity of a lost track keeps in a frame
_CLASS_COST = 4.0  # of another class: evidence, not a wall, for networks waver between car and truck
_AGE_COST = 26 / 64  # of a frame that a track has missed
_DOUBT_COST = 2.0  # of every doubling of the variance of where a track is: whoever is nearly sure to be there goes first
_FLOOR = 3.0
_CENTRE_NOISE = 0.05
_SIZE_NOISE = 0.08
_ACCELERATION = 0.015
_GROWTH = 0.01
_FIRST_SPEED = 0.08
_COVERED = 0.75  # of a box that lies on a tracked one of its class: no track begins there

_DETECTION = const(11)  # words of a detection's row
_LONGEST = const(10001)  # frames: past any max_age

Track = namedtuple("Track", ("track_id", "rect", "velocity", "missed", "hits", "class_id"))


class Tracker:
    """Gives objects numbers that stay: `found = tracker.update(model.predict([img]))`, once a frame.

    threshold       the least score of a detection that begins a track, or finds one in the first round, 0..1
    low_threshold   the least score of one that keeps up a confirmed track which the first round has left over, 0..1. The
                    processor has to let them through: `YoloV8(threshold=0.1)`, and `threshold` here in the place of its own.
                    (With the processor's default of .4 there is hardly a low round: everything works, more tracks are lost.)
    max_age         frames after which a lost track is given up, or one that low scores alone have kept up, 1 to 10000
    min_hits        detections of a high score that confirm a track, 1 to 1000: nobody has a number before. Meanwhile one
                    frame may be missed
    smooth          True: rects come from the tracks' filter; False: rects as they came
    coast           for how many frames a lost track is returned nevertheless, where it is predicted to be, behind the
                    detections: with its last score, without mask and keypoints. 0 to 10000
    gate            the largest cost that is still the same object, 1 to 64: the squared Mahalanobis distance, and 1 or 2;
                    more of a lost track. A smaller one loses objects, a larger one hands numbers over to others
    max_tracks      how many tracks there may be, confirmed or not, 1 to 1000; beyond, whoever was not seen for longest goes
    use_masks       True: the filter takes an object's place from its mask, if it has one, whose middle jitters half as much
                    as the network's box (some 10,000 instructions a mask); False: from the box alone
    smooth_keypoints    True: keypoints pass a One-Euro filter by track and joint (one_euro.py); False: as they came

    The numbers suit 10 to 15 updates a second. ValueError for an option out of range; each may be assigned between frames.
    """

    threshold = option("threshold", number, 0.0, 1.0)
    low_threshold = option("low_threshold", number, 0.0, 1.0)
    max_age = option("max_age", number, 1, _LONGEST - 1)
    min_hits = option("min_hits", number, 1, 1000)
    smooth = option("smooth", flag)
    coast = option("coast", number, 0, _LONGEST - 1)
    gate = option("gate", number, 1.0, 64.0)
    use_masks = option("use_masks", flag)
    max_tracks = option("max_tracks", number, 1, 1000)
    smooth_keypoints = option("smooth_keypoints", flag)

    def __init__(
        self,
        threshold=0.5,
        low_threshold=0.1,
        max_age=30,
        min_hits=2,
        smooth=True,
        coast=0,
        gate=22.0,
        max_tracks=64,
        use_masks=True,
        smooth_keypoints=False,
    ):
        self._chosen = {}  # option: value
        self._setup = None  # the plan, while all options are those it was made with
        self.threshold = threshold
        self.low_threshold = low_threshold
        self.max_age = max_age
        self.min_hits = min_hits
        self.smooth = smooth
        self.coast = coast
        self.gate = gate
        self.max_tracks = max_tracks
        self.use_masks = use_masks
        self.smooth_keypoints = smooth_keypoints
        first = array("i", (0, 1, 0, 0, 0, 0))
        # Two tables of tracks take turns: an update writes the other one, and counts once it is done (_kept, in one piece).
        self._tables = first, first
        self._kept = 0, {}, {}  # which table; by track_id what `coast` returns, and the joints' filters
        self._rows = array("i")
        self._way = None, None  # from a mask to the frame: the Grid, and what it is to the kernel

    def update(self, found, dt=1.0):
        """The detections of this frame that belong to confirmed tracks, in their order, as new objects with `track_id`.

        found   list of Detection, as YoloV8, YoloV8Seg, YoloV8Pose or MoveNet return it; it is not changed
        dt      frames that have passed since the last update: 2.0 after one that was skipped, .5 at 25 frames a second.
                Below 0 (a clock that was put back) counts as 0

        A number is never given twice. Class, label, score, mask and keypoints are the detection's own. An update that a
        MemoryError cuts short is as if it had not been.
        """
        plan = self._setup
        if plan is None:
            plan = self._lay_out()
        if dt != 1.0 or plan[plans.TRACKING_DT] != 256:  # compared first: a frame is mostly one frame later
            self._set_time(plan, dt)
        which, last, filters = self._kept
        table = self._tables[1 - which]
        chosen = self._chosen
        smooth = chosen["smooth"]
        predict(self._tables[which], table, plan)
        rows = self._rows
        try:
            many = len(found)
            if len(rows) < _DETECTION * many:
                rows = self._rows = array("i", bytes(4 * _DETECTION * many))
            bad = read(found, rows, table, chosen["threshold"], chosen["low_threshold"])
        except (TypeError, ValueError, KeyError):
            raise ValueError("found: expected a list of Detection, rects of ints, got %r" % (found,)) from None
        if bad >= 0:
            raise ValueError("found: expected rects within -1024..8191 pixels, got %r" % (found[bad],))
        plan[plans.TRACKING_MANY] = many
        if many:
            if not isinstance(found[0], Detection):
                raise ValueError("found: expected a list of Detection, got %r" % (found,))
            if chosen["use_masks"] and found[0].mask is not None:
                self._find_middles(found, rows)
            match(table, rows, plan, 1)
            match(table, rows, plan, 2)
        learn(table, rows, plan)
        place(table)
        result = named(found, rows, table, smooth)
        if filters or chosen["smooth_keypoints"]:
            result, filters = self._filter(result, filters, dt)
        seen = {}
        if chosen["coast"]:
            seen = self._coast(table, chosen["coast"], last, result)
        self._kept = 1 - which, seen, filters
        return result

    def reset(self):
        """Forget all tracks: another scene begins. Numbers go on where they were."""
        which = self._kept[0]
        table = self._tables[1 - which]
        table[: plans.HEADER] = array("i", (0, self._tables[which][plans.HEADER_NEXT_ID], 0, 0, 0, 0))
        self._kept = 1 - which, {}, {}

    @property
    def tracks(self):
        """The confirmed tracks, lost ones too: a list of tuples with names

        track_id, rect  the number; (x, y, w, h) as filtered, or as predicted for one that is lost
        velocity        (x, y), pixels a frame
        missed          frames since its last detection, 0.0: found in the last update
        hits            its detections so far
        class_id        that of its last detection
        """
        table = self._tables[self._kept[0]]
        found = []
        for at in _slots(table):
            track_id = table[at + plans.TRACK_ID]
            missed = table[at + plans.TRACK_MISSED] / 256
            if track_id and missed <= self.max_age:
                rect = unpack_from("4i", table, 4 * (at + plans.TRACK_RECT_X))
                velocity = table[at + plans.TRACK_VX] / 256, table[at + plans.TRACK_VY] / 256
                found.append(
                    Track(track_id, rect, velocity, missed, table[at + plans.TRACK_HITS], table[at + plans.TRACK_CLASS_ID])
                )
        return found

    def _start_over(self):
        """An option has changed (options.py calls this)."""
        self._setup = None

    def _lay_out(self):
        # The plan, and tables that are large enough.
        plan = plans.tracking(
            many=0,
            dt=1.0,
            fade=_FADE,
            max_age=self.max_age,
            min_hits=self.min_hits,
            max_tracks=self.max_tracks,
            gate=self.gate,
            class_cost=_CLASS_COST,
            age_cost=_AGE_COST,
            doubt_cost=_DOUBT_COST,
            floor=_FLOOR,
            centre_noise=_CENTRE_NOISE,
            size_noise=_SIZE_NOISE,
            acceleration=_ACCELERATION,
            growth=_GROWTH,
            first_speed=_FIRST_SPEED,
            covered=_COVERED,
        )
        size = plans.HEADER + plans.TRACK * self.max_tracks
        held = self._tables[self._kept[0]]
        if len(held) < size:
            tables = array("i", bytes(4 * size)), array("i", bytes(4 * size))
            for table in tables:
                table[: len(held)] = held
            self._tables = tables
        self._setup = plan
        return plan

    def _set_time(self, plan, dt):
        if not isinstance(dt, (int, float)) or dt != dt:
            raise ValueError("dt: expected a number of frames, got %r" % (dt,))
        dt = min(max(dt, 0.0), float(_LONGEST))
        plan[plans.TRACKING_DT] = -1  # whatever fails, nothing stays half old
        plan[plans.TRACKING_FADE] = int(256 * _FADE**dt + 0.5)
        plan[plans.TRACKING_DT] = int(256 * dt + 0.5)

    def _find_middles(self, found, rows):
        # Of the masks, into their detections' rows.
        last, way = self._way
        at = 0
        for d in found:
            mask = d[4]
            if mask is not None:
                data, table, entry, grid = mask.row()
                if grid is not last:
                    last = grid
                    way = plans.way(grid)
                    self._way = last, way
                if data:
                    middle(data, table, entry, way, rows, at)
            at += _DETECTION

    def _filter(self, result, filters, dt):
        # The results with calmed keypoints, and the filters' states, of lost tracks too.
        if not self.smooth_keypoints:
            return result, {}
        filtered = _loaded()
        alive = [track.track_id for track in self.tracks]
        states = {}
        for track_id in filters:
            if track_id in alive:
                states[track_id] = filters[track_id]
        calmed = []
        for d in result:
            if d.keypoints is not None:
                track_id = d.track_id
                rect, score, class_id, label, mask, keypoints = d
                threshold = getattr(d, "keypoint_threshold", 0.3)
                keypoints, states[track_id] = filtered(keypoints, states.get(track_id), dt, threshold)
                d = type(d)(rect, score, class_id, label, mask, keypoints)
                d.track_id = track_id
            calmed.append(d)
        return calmed, states

    def _coast(self, table, coast, last, result):
        # Append the tracks that are lost; returns what is known of each, for the next time.
        known = {d.track_id: (type(d), d.score, d.class_id, d.label) for d in result}
        for at in _slots(table):
            track_id = table[at + plans.TRACK_ID]
            if table[at + plans.TRACK_FOUND] < 0 and track_id in last:
                known[track_id] = last[track_id]
                kind, score, class_id, label = last[track_id]
                rect = unpack_from("4i", table, 4 * (at + plans.TRACK_RECT_X))
                if table[at + plans.TRACK_MISSED] <= 256 * coast and rect[2] and rect[3]:
                    predicted = kind(rect, score, class_id, label, None, None)
                    predicted.track_id = track_id
                    result.append(predicted)
        return known


def _slots(table):
    # Where each track begins.
    return range(plans.HEADER, plans.HEADER + table[plans.HEADER_COUNT] * plans.TRACK, plans.TRACK)


_kept = []


def _loaded():
    # The filter of keypoints, loaded when it is first asked for, and kept: an import statement is dear every time.
    if not _kept:
        from .one_euro import filtered

        _kept.append(filtered)
    return _kept[0]
