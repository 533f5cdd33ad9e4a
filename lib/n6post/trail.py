"""Where tracks have been lately: `Trail`.

    trail = n6post.Trail(30)
    found = trail.update(tracker.update(model.predict([img])))
    n6post.draw(img, trail, color_by="track")
    n6post.draw(img, found, color_by="track")
"""

from array import array

from micropython import const

from .options import flag, number
from .positions import Anchored, overlay

# What is kept of a track: a ring of its places (x, y in frame pixels, one behind the other), and numbers.
_RING = const(0)
_NEXT = const(1)  # where the next place goes
_MANY = const(2)  # how many places there are
_SEEN = const(3)  # the number of the last update that had it
_CLASS_ID = const(4)
_INSTANCE = const(5)  # its place in that update's list


class Trail(Anchored):
    """The last places of every track, to be drawn as lines.

    length      how many places a track has at most, one an update: 2 to 1000
    anchor      the point of a box that is followed: "bottom" (its middle), "center", ..., as LineZone's
    frame_size  as LineZone's

    A track that is not found loses its oldest place at every update, and is forgotten with the last. A place takes 4 bytes.
    Besides the tracks in the frame 128 at most are kept. Room for a track is taken once, when it is new.

    ValueError for options out of range.
    """

    def __init__(self, length=30, anchor="bottom", frame_size=None):
        super().__init__(anchor, frame_size)
        self.length = number("length", length, 2, 1000)
        self.reset()

    def reset(self):
        """Forget all places."""
        self._tracks, self._updates = {}, 0

    def update(self, found):
        """Add the places of a frame's detections; returns the detections, as they are.

        found   as Tracker.update returns them. ValueError for a detection without a `track_id`, and for places that 16 bits
                do not hold.
        """
        places = self._places(found)
        for d, (x, y) in zip(found, places):
            if d.track_id is None:
                raise ValueError("expected detections with a track_id, as Tracker.update returns them, got one without")
            if not (-65536 <= x < 65536 and -65536 <= y < 65536):
                raise ValueError("found: expected rects within -32768..32767 pixels, got %r" % (d[0],))
        now = self._updates = (self._updates + 1) & 0xFFFFFF
        tracks = self._tracks
        length = self.length
        for at, (x, y) in enumerate(places):
            d = found[at]
            known = tracks.get(d.track_id)
            if known is None:
                known = tracks[d.track_id] = [array("h", bytes(4 * length)), 0, 0, now, d.class_id, at]
            ring, to, many, _, _, _ = known
            after = to + 1 if to + 1 < length else 0
            if many < length:
                many += 1
            # All in one line, which a MemoryError finds done or not begun.
            ring[2 * to], ring[2 * to + 1], known[_NEXT], known[_MANY], known[_SEEN], known[_CLASS_ID], known[_INSTANCE] = (
                x // 2, y // 2, after, many, now, d.class_id, at,
            )  # fmt: skip
        gone = []
        for track_id, known in tracks.items():
            if known[_SEEN] != now:
                known[_MANY] -= 1
                if known[_MANY] <= 0:
                    gone.append(track_id)
        for track_id in gone:
            del tracks[track_id]
        self._forget(found)
        return found

    def positions(self, track_id):
        """The frame pixels (x, y) where a track has been, the oldest first; [] for one that is not known."""
        known = self._tracks.get(track_id)
        if known is None:
            return []
        ring, after, many, _, _, _ = known
        length = self.length
        places = [2 * ((after - many + i) % length) for i in range(many)]
        return [(ring[k], ring[k + 1]) for k in places]

    def draw(self, img, color=None, thickness=2, color_by="class"):
        """Draw a line through the places of each track; returns img.

        color       (r, g, b) of all; None: what color_by says, "class", "track" or "instance", as of `n6post.draw`
        thickness   pixels, 0..100

        A picture of another size than `frame_size` is taken for the frame, scaled. ValueError as of `n6post.draw`.
        """
        overlay("trail")(img, self._rings(color_by), self.frame_size, color, thickness)
        return img

    def _overlay(self, img, color, thickness, labels, color_by):
        # For n6post.draw, which knows nothing of trails. They have no labels.
        flag("labels", labels)
        self.draw(img, color, thickness, color_by)

    def _rings(self, color_by):
        """(number of its colour, ring, the next place's, how many places) of each track, the oldest track first."""
        if color_by not in ("class", "track", "instance"):
            raise ValueError("color_by: expected 'class', 'track' or 'instance', got %r" % (color_by,))
        tracks = self._tracks
        rings = []
        for track_id in sorted(tracks):  # the same picture on every machine
            ring, after, many, _, class_id, instance = tracks[track_id]
            key = class_id if color_by == "class" else track_id if color_by == "track" else instance
            rings.append((key, ring, after, many))
        return rings
