"""Zone: what LineZone and PolygonZone share.

The names are those of roboflow's supervision. The position of a detection is that of its anchor point, or of several. All
arithmetic is in integers, in half pixels, so a camera and a PC agree.
"""

from math import floor

from ..tensors.lazy import later
from ..tensors.options import Options, flag, number
from .anchor_points import AnchorTracked, anchor_name, checked_point, positions_of, size_or_none


def _anchor_names(name, value):
    """A check for options: the name of an anchor point, or a tuple of several."""
    if not isinstance(value, (list, tuple)):
        return anchor_name(name, value)
    if not value:
        raise ValueError("%s: expected one or more names, got %r" % (name, value))
    return tuple([anchor_name(name, one) for one in value])


def text_or_none(name, value):
    """A check for options: a text, or None."""
    if value is not None and not isinstance(value, str):
        raise ValueError("%s: expected a text or None, got %r" % (name, value))
    return value


class Zone(AnchorTracked):
    """Base of LineZone and PolygonZone: their options, and how they are drawn.

    Jitter crosses no border. A track is settled on one side of the line or the edge, until its anchor points were farther
    than the margin on the other side in `min_frames` frames. Frames within the margin are not counted, and a frame back on
    the old side starts again. Farther than twice the margin, one frame is enough: a fast object may be seen only once behind
    a line. With `margin=0` every frame counts, and only `min_frames` of them are enough.
    """

    _is_line = False
    _drawn = (None,) * 9  # what drawing/zones.py keeps for the next frame
    _is_examined_by_events = False

    _option = Options()
    anchor = _option("anchor", "bottom", _anchor_names)
    frame_size = _option("frame_size", None, size_or_none)
    # Tuned on synthetic walks: docs/tracking.md has the figures.
    margin = _option("margin", 0.2, number, 0.0, 10.0)
    min_frames = _option("min_frames", 2, number, 1, 1000)
    count_coasting = _option("count_coasting", False, flag)
    name = _option("name", None, text_or_none)

    def draw(self, img, **options):
        """Draw the zone: a line, an arrow to its left ("in") and its counts, or a polygon and its count. Returns img.

        color       (r, g, b); None: white
        thickness   pixels, 0..100
        labels      whether to write the counts
        text_scale  of the counts, 1 to 8, as for `n6post.draw`
        roi         (x, y, w, h): the part of the frame that `img` shows; None: all of it

        Lines and text have black edges, to be visible on any picture. A picture of another size than `frame_size` is treated
        as the frame, scaled. ValueError as for `n6post.draw`, which does the same.
        """
        return later.drawing_draw.draw(img, self, **options)

    def _check_caller(self):
        # Called by `trigger`: a second one in the same frame would hide what the first has found.
        if self._is_examined_by_events:
            raise ValueError("trigger: expected no call, because Events calls it; its results are in the zone's properties")

    def _drawn_by(self):
        return later.drawing_zones.draw_zone

    @property
    def _has_several_anchors(self):
        return not isinstance(self._values["anchor"], str)

    def _positions(self, detections):
        """The anchor point of each detection, (x, y) in half pixels, or a tuple of several, as `anchor` is."""
        if not self._has_several_anchors:
            return super()._positions(detections)
        self._learn_frame_size(detections)
        return list(zip(*[positions_of(detections, name) for name in self._values["anchor"]]))


def point(name, value):
    """A check for the points of zones: (x, y), rounded to integers of 16 bits, as a tuple."""
    return tuple([number(name, floor(v + 0.5), -32768, 32767) for v in checked_point(name, value)])
