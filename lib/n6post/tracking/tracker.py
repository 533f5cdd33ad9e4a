"""Tracker: gives detections ids that stay the same from frame to frame.

Detections are associated with tracks in two rounds, as in ByteTrack (Zhang et al., ECCV 2022, arXiv 2110.06864): first the
detections of high scores, then those of low scores with the remaining tracks. The cost is not the IoU but the Mahalanobis
distance of center and size (docs/tracking.md compares both). The loops are in kernels/viper_tracks.py.
"""

from array import array
from collections import namedtuple
from struct import unpack_from

from micropython import const

from ..kernels import track_params
from ..kernels.tracks import (
    load_detections,
    mask_centroid,
    match,
    predict,
    tracked_detections,
    tracks_to_rects,
    update_tracks,
)
from ..results.detection import Detection, copied, detection_from
from ..tensors.lazy import module
from ..tensors.options import Configurable, Options, flag, number

# Tuned on synthetic scenes (scripts/dev/compare_trackers.py), then verified with a recorded street.
_FADE = 0.93  # factor for the velocity of a lost track in each frame
_CLASS_COST = 4.0  # if the classes differ. Not infinite, because networks alternate between car and truck
_AGE_COST = 26 / 64  # for each frame that a track has missed
_DOUBT_COST = 2.0  # for each doubling of the variance of a track's position: a track of certain position comes first
_FLOOR = 3.0
_CENTER_NOISE = 0.05
_SIZE_NOISE = 0.08
_ACCELERATION = 0.015
_GROWTH = 0.01
_FIRST_SPEED = 0.08
_COVERED = 0.75  # a box starts no track if more than this fraction of it lies on a tracked one of its class

_DETECTION = const(11)  # words of a detection's row
_LONGEST = const(10001)  # frames: more than any max_age

Track = namedtuple("Track", ("track_id", "rect", "velocity", "missed", "hits", "class_id"))


class Tracker(Configurable):
    """Gives objects ids that stay from frame to frame.

        tracker = n6post.Tracker()
        detections = tracker.update(model.predict([n6post.Letterbox(img)]))  # once a frame

    It reports an object from its second frame on (`min_hits`). The defaults suit 10 to 15 updates a second. ValueError for
    an option out of range; each option may be assigned between frames.
    """

    _option = Options("threshold")
    threshold = _option("threshold", 0.5, number, 0.0, 1.0)
    low_threshold = _option("low_threshold", 0.1, number, 0.0, 1.0)
    max_age = _option("max_age", 30, number, 1, _LONGEST - 1)
    min_hits = _option("min_hits", 2, number, 1, 1000)
    smooth_boxes = _option("smooth_boxes", True, flag)
    coast_frames = _option("coast_frames", 0, number, 0, _LONGEST - 1)
    max_distance = _option("max_distance", 22.0, number, 1.0, 64.0)
    max_tracks = _option("max_tracks", 64, number, 1, 1000)
    use_masks = _option("use_masks", True, flag)
    smooth_keypoints = _option("smooth_keypoints", False, flag)

    def __init__(self, *first, **options):
        self._block = None  # the kernels' parameters, as long as no option changes
        first_table = array("i", (0, 1, 0, 0, 0, 0))
        # Two tables of tracks are used alternately: an update writes into the other one. It takes effect once it is
        # complete, by a single assignment to _kept.
        self._tables = first_table, first_table
        self._kept = 0, {}, {}  # index of the table; by track_id: values for coasting, states of the keypoint filters
        self._rows = array("i")
        self._mask_transform = None, None  # the MaskTransform of the last mask, and its parameters for the kernel
        super().__init__(*first, **options)

    def update(self, detections, *, dt=1.0):
        """The detections of this frame that belong to confirmed tracks, in their order, as new objects with `track_id`.

        detections  list of Detection, as YoloV8, YoloV8Seg, YoloV8Pose or MoveNet return it; it is not changed
        dt          frames since the last update: 2.0 after a skipped frame, .5 at 25 frames a second. Less than 0 (the clock
                    was set back) counts as 0

        Track ids begin again at 1 after 1,073,741,823. Class, label, score, mask and keypoints are those of the detection. A
        MemoryError during an update leaves the tracker as it was before.
        """
        block = self._block
        if block is None:
            block = self._make_block()
        if dt != 1.0 or block[track_params.TRACKING_DT] != 256:  # mostly both are 1 frame: a comparison costs less
            self._set_time(block, dt)
        which, last, filters = self._kept
        table = self._tables[1 - which]
        chosen = self._values
        smooth = chosen["smooth_boxes"]
        predict(self._tables[which], table, block)
        rows = self._rows
        try:
            count = len(detections)
            if len(rows) < _DETECTION * count:
                rows = self._rows = array("i", bytes(4 * _DETECTION * count))
            bad = load_detections(detections, rows, table, chosen["threshold"], chosen["low_threshold"])
        except (TypeError, ValueError, KeyError):
            raise ValueError("detections: expected a list of Detection, rects of ints, got %r" % (detections,)) from None
        if bad >= 0:
            raise ValueError("detections: expected rects within -1024..8191 pixels, got %r" % (detections[bad],))
        block[track_params.TRACKING_COUNT] = count
        if count:
            if not isinstance(detections[0], Detection):
                raise ValueError("detections: expected a list of Detection, got %r" % (detections,))
            if chosen["use_masks"] and detections[0].mask is not None:
                self._load_mask_centroids(detections, rows)
            match(table, rows, block, 1)
            match(table, rows, block, 2)
        update_tracks(table, rows, block)
        tracks_to_rects(table)
        result = tracked_detections(detections, rows, table, smooth, Detection)
        if filters or chosen["smooth_keypoints"]:
            result, filters = self._filter(result, filters, dt)
        seen = {}
        if chosen["coast_frames"]:
            seen = self._coast(table, chosen["coast_frames"], last, result)
        self._kept = 1 - which, seen, filters
        return result

    def reset(self):
        """Forget all tracks, for a new scene. Track ids continue."""
        which = self._kept[0]
        table = self._tables[1 - which]
        table[: track_params.HEADER] = array("i", (0, self._tables[which][track_params.HEADER_NEXT_ID], 0, 0, 0, 0))
        self._kept = 1 - which, {}, {}

    @property
    def tracks(self):
        """The confirmed tracks, including lost ones: a list of named tuples.

        track_id    its id
        rect        (x, y, w, h), filtered; predicted for a lost track
        velocity    (x, y), pixels a frame
        missed      frames since its last detection; 0.0 if it was in the last update
        hits        number of detections so far
        class_id    class of the last detection
        """
        table = self._tables[self._kept[0]]
        tracks = []
        for at in _slots(table):
            track_id = table[at + track_params.TRACK_ID]
            missed = table[at + track_params.TRACK_MISSED] / 256
            if track_id and missed <= self.max_age:
                rect = unpack_from("4i", table, 4 * (at + track_params.TRACK_RECT_X))
                velocity = table[at + track_params.TRACK_VX] / 256, table[at + track_params.TRACK_VY] / 256
                hits, class_id = table[at + track_params.TRACK_HITS], table[at + track_params.TRACK_CLASS_ID]
                tracks.append(Track(track_id, rect, velocity, missed, hits, class_id))
        return tracks

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
            dt=1.0,
            fade=_FADE,
            max_age=self.max_age,
            min_hits=self.min_hits,
            max_tracks=self.max_tracks,
            gate=self.max_distance,
            class_cost=_CLASS_COST,
            age_cost=_AGE_COST,
            doubt_cost=_DOUBT_COST,
            floor=_FLOOR,
            center_noise=_CENTER_NOISE,
            size_noise=_SIZE_NOISE,
            acceleration=_ACCELERATION,
            growth=_GROWTH,
            first_speed=_FIRST_SPEED,
            covered=_COVERED,
        )
        size = track_params.HEADER + track_params.TRACK * self.max_tracks
        held = self._tables[self._kept[0]]
        if len(held) < size:
            tables = array("i", bytes(4 * size)), array("i", bytes(4 * size))
            for table in tables:
                table[: len(held)] = held
            self._tables = tables
        self._block = block
        return block

    def _set_time(self, block, dt):
        if not isinstance(dt, (int, float)) or dt != dt:
            raise ValueError("dt: expected a number of frames, got %r" % (dt,))
        dt = min(max(dt, 0.0), float(_LONGEST))
        block[track_params.TRACKING_DT] = -1  # if the next line fails, the next update sets both again
        block[track_params.TRACKING_FADE] = int(256 * _FADE**dt + 0.5)
        block[track_params.TRACKING_DT] = int(256 * dt + 0.5)

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
                    mask_centroid(data, table, entry, words, rows, at)
            at += _DETECTION

    def _filter(self, result, filters, dt):
        # The result with filtered keypoints, and the states of the filters, including those of lost tracks.
        if not self.smooth_keypoints:
            return result, {}
        filtered = module("tracking.one_euro").filtered
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

    def _coast(self, table, frames, last, result):
        # Append the lost tracks to the result. Returns the values for coasting, by track_id.
        known = {d.track_id: (d._source, d.score, d.class_id, d.label) for d in result}
        for at in _slots(table):
            track_id = table[at + track_params.TRACK_ID]
            if table[at + track_params.TRACK_FOUND] < 0 and track_id in last:
                known[track_id] = last[track_id]
                source, score, class_id, label = last[track_id]
                rect = unpack_from("4i", table, 4 * (at + track_params.TRACK_RECT_X))
                if table[at + track_params.TRACK_MISSED] <= 256 * frames and rect[2] and rect[3]:
                    result.append(detection_from((rect, score, class_id, label, None, None), source, track_id))
        return known


def _slots(table):
    # The entries where the rows of the tracks begin.
    end = track_params.HEADER + table[track_params.HEADER_COUNT] * track_params.TRACK
    return range(track_params.HEADER, end, track_params.TRACK)
