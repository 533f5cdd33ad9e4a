"""Trail: the last positions of every track.

    trail = n6post.Trail(30)
    detections = trail.update(tracker.update(model.predict([n6post.Letterbox(img)])))
    n6post.draw(img, trail, color_by="track")
    n6post.draw(img, detections, color_by="track")
"""

from array import array

from micropython import const

from ..tensors.lazy import later
from ..tensors.options import Options, number
from .anchor_points import AnchorTracked, id_of
from .clock import START, next_clock

# The entries of a track: a ring buffer of its positions (x, y, x, y, ... in frame pixels), and numbers.
_RING = const(0)
_NEXT = const(1)  # index of the next position
_COUNT = const(2)  # number of positions
_SEEN = const(3)  # when it was seen last, milliseconds of the trail's clock
_CLASS_ID = const(4)
_INSTANCE = const(5)  # its index in that update's list
# Copied by scripts/dev/generate.py from results/detection.py:
_TRACK_ID = const(0)


class Trail(AnchorTracked):
    """The last positions of every track, to be drawn as lines.

    A track is drawn as long as its Tracker keeps it, and forgotten `max_gap` of the Tracker later. A position takes 4 bytes;
    the memory of a track is allocated once, when it is new. If there are more than 128 tracks, those that are not in the
    frame are forgotten.

    ValueError for options out of range.
    """

    _option = Options("length", AnchorTracked._option)
    length = _option("length", 30, number, 2, 1000)

    def __init__(self, *first, **options):
        super().__init__(*first, **options)
        self.reset()

    def reset(self):
        """Forget all positions."""
        self._tracks, self._clock = {}, [START]  # a list: an assignment to an attribute takes 8,000 instructions

    def update(self, detections, *, elapsed_ms=None):
        """Add the positions of a frame's detections; returns the detections unchanged.

        detections  as Tracker.update returns them. ValueError for a detection without a `track_id`, and for positions beyond
                    16 bits.
        elapsed_ms  milliseconds since the last call, as time.ticks_diff returns them; None: measured with time.ticks_ms
        """
        positions = self._positions(detections)
        for d, (x, y) in zip(detections, positions):
            if d._track[_TRACK_ID] is None:
                raise ValueError("expected detections with a track_id, as Tracker.update returns them, got one without")
            if not (-65536 <= x < 65536 and -65536 <= y < 65536):
                raise ValueError("detections: expected rects within -32768..32767 pixels, got %r" % (d[0],))
        length = self.length
        self._fit_rings(length)
        clock = next_clock(self._clock[0], elapsed_ms)
        now = clock[0]
        oldest = self._oldest(detections, now)
        tracks = self._tracks
        for at, (x, y) in enumerate(positions):
            d = detections[at]
            track_id = d._track[_TRACK_ID]
            known = tracks.get(track_id)
            if known is None:
                known = tracks[track_id] = [array("h", bytes(4 * length)), 0, 0, now, d.class_id, at]
            ring, to, count, _, _, _ = known
            after = to + 1 if to + 1 < length else 0
            if count < length:
                count += 1
            # One statement, so a MemoryError cannot leave a track half updated.
            ring[2 * to], ring[2 * to + 1], known[_NEXT], known[_COUNT], known[_SEEN], known[_CLASS_ID], known[_INSTANCE] = (
                x // 2, y // 2, after, count, now, d.class_id, at,
            )  # fmt: skip
        for track_id in [one for one, known in tracks.items() if known[_SEEN] < oldest]:
            del tracks[track_id]
        self._prune_tracks(detections)
        self._clock[0] = clock
        return detections

    def _fit_rings(self, length):
        # After an assignment to `length`: the newest positions of each track move into a ring of the new length.
        resized = {}
        for track_id, known in self._tracks.items():
            ring, after, count, seen, class_id, instance = known
            if len(ring) == 2 * length:
                return
            newest = _newest_last(ring, after, count)[-length:]
            resized_ring = array("h", bytes(4 * length))
            for i, (x, y) in enumerate(newest):
                resized_ring[2 * i] = x
                resized_ring[2 * i + 1] = y
            resized[track_id] = [resized_ring, len(newest) % length, len(newest), seen, class_id, instance]
        if resized:
            self._tracks = resized

    def positions(self, track):
        """The last frame pixels (x, y) of a track, oldest first; [] for an unknown one. `track`: its id or a Detection."""
        known = self._tracks.get(id_of(track))
        if known is None:
            return []
        ring, after, count, _, _, _ = known
        return _newest_last(ring, after, count)[-self.length :]

    def draw(self, img, **options):
        """Draw a line through the positions of each track; returns img.

        color       (r, g, b) of all lines; None: colors by color_by
        thickness   pixels, 0..100
        color_by    "class", "track" or "instance", as for `n6post.draw`
        roi         (x, y, w, h): the part of the frame that `img` shows; None: all of it

        A picture of another size than `frame_size` is treated as the frame, scaled. ValueError as for `n6post.draw`, which
        does the same.
        """
        return later.drawing_draw.draw(img, self, **options)

    def _drawn_by(self):
        return later.drawing_zones.draw_trail

    def _rings(self, color_by):
        """(number of the color, ring, index of the next position, number of positions) of each track, oldest first."""
        if color_by not in ("class", "track", "instance"):
            raise ValueError("color_by: expected 'class', 'track' or 'instance' for a Trail, got %r" % (color_by,))
        tracks = self._tracks
        kept = self._clock[0][0] - self._lifetime // 2  # by the Tracker
        rings = []
        for track_id in sorted(tracks):  # the same picture on every machine
            ring, after, count, seen, class_id, instance = tracks[track_id]
            if seen < kept:
                continue
            key = class_id if color_by == "class" else track_id if color_by == "track" else instance
            rings.append((key, ring, after, count))
        return rings


def _newest_last(ring, after, count):
    """The last `count` positions (x, y) of a ring buffer whose next one is written at index `after`, oldest first."""
    length = len(ring) // 2
    starts = [2 * ((after - count + i) % length) for i in range(count)]
    return [(ring[k], ring[k + 1]) for k in starts]
