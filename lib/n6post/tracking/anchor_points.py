"""Anchor points: the point of a box that zones and trails follow. Positions are integers, in half pixels."""

from micropython import const

from ..results.detection import Detection
from ..tensors.options import Configurable, Options, number

_FAR = 1e6  # pixels and meters
MAX_LOST_TRACKS = const(128)  # from here on, tracks that are not in the frame are forgotten

# Copied by scripts/dev/generate.py from results/detection.py:
_TRACK_ID = const(0)
_MEMORY = const(5)

# The position of an anchor point in a box, in half widths and half heights.
_ANCHORS = {
    "center": (1, 1),
    "top": (1, 0),
    "bottom": (1, 2),
    "left": (0, 1),
    "right": (2, 1),
    "top_left": (0, 0),
    "top_right": (2, 0),
    "bottom_left": (0, 2),
    "bottom_right": (2, 2),
}


def anchor_name(name, value):
    """A check for options: the name of an anchor point."""
    if not isinstance(value, str) or value not in _ANCHORS and value != "centroid":
        raise ValueError("%s: expected %s or centroid, got %r" % (name, ", ".join(sorted(_ANCHORS)), value))
    return value


def size_or_none(name, value):
    """A check for options: (width, height) as a tuple, or None."""
    if value is None:
        return None
    given = as_list(value)
    if not isinstance(given, (list, tuple)) or len(given) != 2:
        raise ValueError("%s: expected (width, height) or None, got %r" % (name, value))
    return tuple([number(name, as_list(v), 1, 32767) for v in given])


def as_list(value):
    """An array of numbers as a list, anything else as it is."""
    return value.tolist() if getattr(value, "tolist", None) else value


def truth_of(value):
    """A condition as True or False: of a bool, of a count, of 0.0 or 1.0, or of one of numpy. None for anything else."""
    value = as_list(value)
    return bool(value) if isinstance(value, int) or value in (0, 1) else None


def checked_point(name, value):
    """(x, y) of a tuple, a list or an array, as an int or a float each; ValueError for anything but two numbers."""
    given = as_list(value)
    if isinstance(given, (list, tuple)) and len(given) == 2:
        # numpy's numbers have tolist, too.
        x, y = [as_list(v) for v in given]
        if type(x) in (int, float) and type(y) in (int, float) and -_FAR <= x <= _FAR and -_FAR <= y <= _FAR:
            return x, y
    raise ValueError("%s: expected a point (x, y) of two numbers up to a million, got %r" % (name, value))


class PerTrack(Configurable):
    """Base of all that remember something of each track, until `max_gap` seconds after its Tracker has dropped it."""

    _tracks = {}  # by track id; `reset` gives each object its own
    _lifetime = 5000  # milliseconds after its last detection; this is that of a Tracker with its defaults

    def _oldest(self, detections, now):
        """The time since which a track must have been seen, or it is forgotten. now: the object's clock, milliseconds."""
        memory = detections[0]._track[_MEMORY] if detections else None
        if memory is not None and self._lifetime != memory.lifetime:  # to assign it takes 8,000 instructions
            self._lifetime = memory.lifetime
        return now - self._lifetime

    def __copy__(self):
        # For copy.copy on a PC, whose shallow copy would share the tracks.
        return __import__("copy").deepcopy(self)


class Timed(PerTrack):
    """Base of Hold and its neighbors: `seconds`, where it is an option, has to be given."""

    def __init__(self, *seconds, **options):
        if self._option.first and not seconds and "seconds" not in options:
            raise TypeError("%s: expected the seconds, as in %s(2.0)" % (type(self).__name__, type(self).__name__))
        super().__init__(*seconds, **options)
        self.reset()

    def reset(self):
        """Start again."""


class AnchorTracked(PerTrack):
    """Base of zones and trails: the anchor point, the size of the frame, and a table of known tracks."""

    _option = Options()
    anchor = _option("anchor", "bottom", anchor_name)
    frame_size = _option("frame_size", None, size_or_none)

    def _positions(self, detections):
        """The anchor point of each detection, (x, y) in half pixels. ValueError for anything but a list of Detection."""
        self._learn_frame_size(detections)
        return positions_of(detections, self._values["anchor"])

    def _learn_frame_size(self, detections):
        # The size of the frame, if it is not known yet, is that of the first detection. Refuses anything but detections.
        checked(detections)
        values = self._values
        if values["frame_size"] is None and detections:
            values["frame_size"] = detections[0].frame_size

    def _prune_tracks(self, detections):
        # Limits the table: if there are many tracks, those that are not in this frame are forgotten.
        if len(self._tracks) > MAX_LOST_TRACKS:
            present = set([d.track_id for d in detections])
            self._tracks = {track_id: known for track_id, known in self._tracks.items() if track_id in present}


def checked(detections):
    """The argument if it is a list of Detection. ValueError for anything else."""
    if not isinstance(detections, (list, tuple)) or [d for d in detections if not isinstance(d, Detection)]:
        raise ValueError("detections: expected a list of Detection, got %r" % (detections,))
    return detections


def positions_of(detections, anchor):
    """The anchor point of this name of each detection, (x, y) in half pixels."""
    corner = _ANCHORS.get(anchor)
    if not corner:
        return [_centroid(d) for d in detections]
    u, v = corner
    positions = []
    for x, y, w, h in [d[0] for d in detections]:
        positions.append((2 * x + u * w, 2 * y + v * h))
    return positions


def is_cut(d, anchor, frame_size):
    """Whether the frame's border cuts off a side of the box that the anchor point depends on: then it is not the object's.

    Networks place such a side up to a fortieth of the frame away from the border: 5 to 12 pixels of VGA for yolov8n_192.
    """
    x, y, w, h = d[0]
    width, height = frame_size
    u, v = _ANCHORS.get(anchor, (1, 1))
    return (
        u < 2 and 40 * x <= width or u and 40 * (width - x - w) <= width
        or v < 2 and 40 * y <= height or v and 40 * (height - y - h) <= height
    )  # fmt: skip


def track_ids_of(detections):
    """The track id of each Detection in a list. ValueError for one without."""
    ids = [d._track[_TRACK_ID] for d in detections]
    if None in ids:
        raise ValueError("expected detections with a track_id, as Tracker.update returns them, got one without")
    return ids


def id_of(track):
    """The track id of an argument that is a track id, a Detection, or None. ValueError for anything else."""
    if isinstance(track, Detection):
        return track.track_id
    track = as_list(track)
    if track is not None and type(track) is not int:
        raise ValueError("track: expected a track id or a Detection, got %r" % (track,))
    return track


def _centroid(d):
    at = d.mask and d.mask.centroid
    if at:
        return 2 * at[0] + 1, 2 * at[1] + 1
    x, y, w, h = d.rect
    return 2 * x + w, 2 * y + h
