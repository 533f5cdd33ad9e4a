"""Gives a track that returns its old number: the work of Gallery.reidentify. Imported on first use.

A Tracker gives every object that comes into the picture a new id. Here each id stands for a *person* with a number of their
own (or anything else that the network tells apart), who is remembered while away.
"""

from micropython import const

from ..results.detection import copied
from ..tensors.vectors import has_direction
from .anchor_points import checked, track_ids_of
from .clock import START, next_clock

_PERSON = const(0)  # entries of a known track: the number of its person,
_VECTOR_AT = const(1)  # and when their last vector was taken, ms


class People:
    """The persons of one Gallery: who has which track, and when each was seen."""

    def __init__(self, gallery):
        self.gallery = gallery
        self.tracks = {}  # by the tracker's id: [number, time of the last vector]
        self.seen = {}  # by number: time of the last detection
        self.next_number = 1
        self.clock = START
        self.owners = None  # the gallery's list of names after the last call

    def update(self, detections, vectors, elapsed_ms):
        """Gallery.reidentify."""
        ids = track_ids_of(checked(detections))
        if not callable(vectors):
            if not isinstance(vectors, (list, tuple)) or len(vectors) != len(detections):
                raise ValueError("vectors: expected a function or a list of %d, got %r" % (len(detections), vectors))
            given = vectors
            vectors = None
        gallery = self.gallery
        clock = next_clock(self.clock, elapsed_ms)
        now = clock[0]
        tracks = dict(self.tracks)
        visible = {}
        new = []  # (position, vector) of the tracks that have no number
        stale = None  # the position whose last vector is the oldest
        for at, track_id in enumerate(ids):
            known = tracks.get(track_id)
            if known is None:
                vector = given[at] if vectors is None else vectors(detections[at])
                if vector is not None:
                    vector = gallery._checked(vector)
                    if has_direction(vector):
                        new.append((at, vector))
            else:
                visible[known[_PERSON]] = True
                if stale is None or known[_VECTOR_AT] < tracks[ids[stale]][_VECTOR_AT]:
                    stale = at
        seen = self._remembered(visible, now)
        found = ()
        if new:
            found = self._matched([vector for _, vector in new], [number for number in seen if number not in visible])
        next_number = self.next_number
        added = []  # (number, vector) for the gallery
        for (at, vector), number in zip(new, found):
            if number is None:
                while next_number in gallery:
                    next_number += 1
                number = next_number
                next_number += 1
            for other in [track_id for track_id, known in tracks.items() if known[_PERSON] == number]:
                del tracks[other]  # the track that this person had before
            tracks[ids[at]] = [number, now]
            visible[number] = True
            added.append((number, vector))
        if stale is not None:
            known = tracks[ids[stale]]
            if now - known[_VECTOR_AT] >= 1000 * gallery.refresh_after:
                vector = given[stale] if vectors is None else vectors(detections[stale])
                tracks[ids[stale]] = [known[_PERSON], now]
                if vector is not None:
                    vector = gallery._checked(vector)
                    if has_direction(vector):
                        added.append((known[_PERSON], vector))
        for number in visible:
            seen[number] = now
        result = []
        for at, track_id in enumerate(ids):
            known = tracks.get(track_id)
            if known is not None:
                d = copied(detections[at], detections[at])
                d.track_id = known[_PERSON]
                result.append(d)
        # The vectors come first: if a MemoryError ends this, a person has one vector more, and the rest is as before.
        for number, vector in added:
            self._keep(number, vector, seen, visible)
        alive = {}
        for track_id, known in tracks.items():
            if known[_PERSON] in seen:
                alive[track_id] = known
        self.tracks, self.seen, self.next_number, self.clock = alive, seen, next_number, clock
        self.owners = gallery._owners
        return result

    def _matched(self, vectors, numbers):
        """For each vector the number of the most similar person, or None. The most similar pair comes first."""
        gallery = self.gallery
        owners = gallery._owners
        least = gallery.least_similarity
        found = [None] * len(vectors)
        pairs = []
        for i, vector in enumerate(vectors):
            if not owners:
                break
            best = {}
            similar = gallery._similar(vector).tolist()
            for row, owner in enumerate(owners):
                if owner in numbers and similar[row] >= least and similar[row] > best.get(owner, -2.0):
                    best[owner] = similar[row]
            for owner in best:
                pairs.append((-best[owner], i, owner))
        taken = []
        for _, i, owner in sorted(pairs):
            if found[i] is None and owner not in taken:
                found[i] = owner
                taken.append(owner)
        return found

    def _remembered(self, visible, now):
        """{number: when seen} of all who are visible or were, not too long ago. The others are forgotten."""
        gallery = self.gallery
        oldest = now - 1000 * gallery.forget_after
        seen = {}
        for number, when in self.seen.items():
            if number in visible or when >= oldest:
                seen[number] = when
            elif number in gallery:
                gallery.forget(number)
        if gallery._owners is not self.owners:
            for number in gallery.names:
                # Numbers that a script enrolled or restored are known from now on.
                if type(number) is int and number not in seen:
                    seen[number] = now
        return seen

    def _keep(self, number, vector, seen, visible):
        """Add a vector to the gallery. A full one forgets who is away for the longest time, or stays as it is."""
        gallery = self.gallery
        if number not in gallery and len(gallery) >= gallery.max_names:
            away = [(seen[one], one) for one in seen if one not in visible and one in gallery]
            if not away:
                return
            _, longest = min(away)
            gallery.forget(longest)
            del seen[longest]
        gallery._add(number, vector)
