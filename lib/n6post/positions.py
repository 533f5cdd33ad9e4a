"""Where detections are: the anchor of a box, whose way zones and trails follow. All is reckoned in whole half pixels."""

from micropython import const

from .detection import Detection
from .options import number

_MOST_TRACKS = const(128)  # that are remembered though they are not in the frame

# Twice the part of a box's width and height at which an anchor lies.
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


class Anchored:
    """What zones and trails share: the anchor, the frame that they speak of, and a table of the tracks that were seen."""

    def __init__(self, anchor, frame_size):
        if not isinstance(anchor, str) or anchor not in _ANCHORS and anchor != "centroid":
            raise ValueError("anchor: expected %s or centroid, got %r" % (", ".join(sorted(_ANCHORS)), anchor))
        if frame_size is not None:
            if not isinstance(frame_size, (list, tuple)) or len(frame_size) != 2:
                raise ValueError("frame_size: expected (width, height) or None, got %r" % (frame_size,))
            frame_size = tuple([number("frame_size", v, 1, 32767) for v in frame_size])
        self.anchor = anchor
        self.frame_size = frame_size
        self._parts = _ANCHORS.get(anchor)
        self._tracks = {}

    def _places(self, found):
        """Where each detection is: a list of (x, y) in half pixels. ValueError for what is no list of Detection."""
        if not isinstance(found, (list, tuple)) or [d for d in found if not isinstance(d, Detection)]:
            raise ValueError("found: expected a list of Detection, got %r" % (found,))
        if self.frame_size is None and found:
            self.frame_size = found[0].frame_size
        if self._parts:
            u, v = self._parts
            places = []
            for x, y, w, h in [d[0] for d in found]:
                places.append((2 * x + u * w, 2 * y + v * h))
            return places
        return [_centroid(d) for d in found]

    def _forget(self, found):
        # The table is bounded: once there are many, whoever is not here is gone.
        if len(self._tracks) > _MOST_TRACKS:
            here = set([d.track_id for d in found])
            self._tracks = {track_id: known for track_id, known in self._tracks.items() if track_id in here}


def _centroid(d):
    at = d.mask and d.mask.centroid
    if at:
        return 2 * at[0] + 1, 2 * at[1] + 1
    x, y, w, h = d.rect
    return 2 * x + w, 2 * y + h


_loaded = {}


def overlay(name):
    """A function of overlays.py, loaded with the first that is drawn, and kept: an import statement is dear every time."""
    if name not in _loaded:
        from .overlays import draw_line_zone, draw_polygon_zone, draw_trail

        _loaded["line"] = draw_line_zone
        _loaded["polygon"] = draw_polygon_zone
        _loaded["trail"] = draw_trail
    return _loaded[name]
