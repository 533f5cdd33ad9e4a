"""Gallery: says who it is, by comparing embeddings with those of known persons or things.

    gallery = n6post.Gallery()
    gallery.enroll("Anna", osnet.predict([n6post.Stretch(img, roi=d.rect)]))
    known = gallery.match(osnet.predict([n6post.Stretch(img, roi=d.rect)]))
    if known:
        print(known.name, known.similarity)

It can also give a track that returns its old number: see `reidentify`.
"""

from collections import OrderedDict, namedtuple

from micropython import const
from ulab import numpy as np

from ..tensors.lazy import later
from ..tensors.options import Configurable, Options, number, number_or_none
from ..tensors.vectors import checked_vector, has_direction


class Match(namedtuple("Match", ("name", "similarity"))):
    def as_dict(self):
        """The match as numbers and a text, for JSON."""
        return later.results_dicts.record_as_dict(self, ("name", "similarity"))


_STEPS = const(32767)  # of a number that `as_dict` writes: whole numbers are the same text on a camera and on a PC
_ROWS = const(8)  # for which memory is taken at once
_UNTAUGHT = 0.75  # the threshold while it cannot be learned


class Gallery(Configurable):
    """Names with the embeddings of each, to find the name of another embedding.

    All vectors have as many numbers as the first. The memory is bounded: 4 bytes for each number of at most `max_names`
    times `max_vectors` vectors. ValueError for an option out of range; each option may be assigned at any time, and limits
    the vectors that come later.
    """

    _learned = ((), None)  # the owners that a threshold was learned from, and that threshold

    _option = Options("threshold")
    threshold = _option("threshold", 0.75, number_or_none, 0.0, 1.0)
    max_names = _option("max_names", 32, number, 1, 1000)
    max_vectors = _option("max_vectors", 4, number, 1, 100)
    forget_after = _option("forget_after", 60.0, number, 0.0, 1e6)
    refresh_after = _option("refresh_after", 2.0, number, 0.0, 1e6)

    def __init__(self, *first, **options):
        self.reset()
        super().__init__(*first, **options)

    def reset(self):
        """Forget everything."""
        self._owners = []  # the name of each row of the table, oldest vector first
        self._table = None  # float32 (rows, numbers): vectors of length 1
        self._people = None  # for reidentify, once it is used

    @property
    def names(self):
        """All names, those enrolled first at the beginning."""
        names = []
        for owner in self._owners:
            if owner not in names:
                names.append(owner)
        return names

    def __len__(self):
        return len(self.names)

    def __contains__(self, name):
        return name in self._owners

    def enroll(self, name, vector):
        """Add a vector of this name, a text or an int. If there are `max_vectors` of it already, its oldest is dropped.

        Several vectors, of a person from the front, the side and the back, make a match more certain. ValueError for
        anything but a vector of as many numbers as the others, and for a new name if there are `max_names` already.
        """
        if not isinstance(name, str) and type(name) is not int:
            raise ValueError("name: expected a text or an int, got %r" % (name,))
        vector = self._checked(vector)
        if not has_direction(vector):
            raise ValueError("vector: expected finite numbers, some of them not 0, got %r" % (vector,))
        if name not in self._owners and len(self.names) >= self.max_names:
            raise ValueError("name: expected one of the %d names of a full gallery, got %r: forget one" % (len(self), name))
        self._add(name, vector)

    def _add(self, name, vector):
        owners = self._owners
        kept = list(range(len(owners)))
        of_name = [row for row in kept if owners[row] == name]
        for row in of_name[: max(0, len(of_name) + 1 - self.max_vectors)]:
            kept.remove(row)
        count = len(kept)
        table = self._table
        if count == len(owners) and table is not None and count < len(table):
            table[count] = vector  # behind the rows in use: if the next line fails, it is not seen
            self._owners = owners + [name]
            return
        rows = np.zeros((count // _ROWS * _ROWS + _ROWS, len(vector)))
        for at in range(count):
            rows[at] = table[kept[at]]
        rows[count] = vector
        self._set([owners[row] for row in kept] + [name], rows)

    def _set(self, owners, table):
        self._owners, self._table = owners, table  # after everything that may run out of memory

    def forget(self, name):
        """Forget all vectors of a name. ValueError for a name that is not there."""
        owners = self._owners
        if name not in owners:
            later.tensors_labels.raise_unknown_name("name", name, self.names, "gallery.names")
        kept = [row for row in range(len(owners)) if owners[row] != name]
        if not kept:
            self._set([], None)
            return
        table = np.zeros((len(kept) // _ROWS * _ROWS + _ROWS, self._table.shape[1]))
        for at in range(len(kept)):
            table[at] = self._table[kept[at]]
        self._set([owners[row] for row in kept], table)

    def match(self, vector):
        """The best `Match` (name, similarity) for a vector; None if no similarity reaches the threshold.

        The similarity of a name is the largest cosine similarity of its vectors, -1..1. ValueError for anything but a vector
        of as many numbers as those of the gallery.
        """
        vector = self._checked(vector)
        count = len(self._owners)
        if not count:
            return None
        similar = self._similar(vector)
        best = int(np.argmax(similar))
        similarity = similar[best]
        return Match(self._owners[best], similarity) if similarity >= self.least_similarity else None

    @property
    def least_similarity(self):
        """The similarity that a match needs: `threshold`, or what the enrolled vectors show if that is None.

        Learned, it is the middle between two means: of how similar the vectors of a name are to the others of that name, and
        of how similar they are to each other name. It is 0.75 until there are two names, one of them with two vectors.
        """
        if self.threshold is not None:
            return self.threshold
        owners = self._owners
        if self._learned[0] is not owners:  # each change puts another list in place
            self._learned = owners, self._middle(owners)  # type: ignore[assignment]
        return self._learned[1]

    def _middle(self, owners):
        """The middle between the mean similarity of the vectors of a name and that of different names."""
        sums, counts = [0.0, 0.0], [0, 0]  # of other names, of the own name
        for row in range(len(owners)):
            best = {}
            similar = self._similar(self._table[row]).tolist()
            for other, name in enumerate(owners):
                if other != row and (name not in best or similar[other] > best[name]):
                    best[name] = similar[other]
            for name in best:
                own = name == owners[row]
                sums[own] += best[name]
                counts[own] += 1
        return (sums[0] / counts[0] + sums[1] / counts[1]) / 2 if counts[0] and counts[1] else _UNTAUGHT

    def similarities(self, vector):
        """A `Match` for every name, the most similar first, whatever the threshold: to find a good one."""
        vector = self._checked(vector)
        best = {}
        if self._owners:
            similar = self._similar(vector).tolist()
            for row, name in enumerate(self._owners):
                if name not in best or similar[row] > best[name]:
                    best[name] = similar[row]
        # By similarity, then by the order of the names: MicroPython's sort is not stable.
        order = sorted([(-best[name], at, name) for at, name in enumerate(self.names)])
        return [Match(name, -negative) for negative, _, name in order]

    def _similar(self, vector):
        """The cosine similarity of each row with a vector of length 1."""
        rows = self._table[: len(self._owners)]
        similar = np.dot(rows, vector.reshape((len(vector), 1))).reshape((len(rows),))
        return np.minimum(np.maximum(similar, -1.0), 1.0)  # rounding may lead a hair beyond; NaN becomes -1

    def _checked(self, vector):
        vector = checked_vector("vector", vector)
        if self._table is not None and len(vector) != self._table.shape[1]:
            raise ValueError("vector: expected %d numbers like the others, got %d" % (self._table.shape[1], len(vector)))
        return vector

    def reidentify(self, detections, vectors, *, elapsed_ms=None):
        """Give tracks that return their old number: the detections as new objects, with the number as `track_id`.

            detections = tracker.update(model.predict([img]))
            detections = gallery.reidentify(detections, lambda d: osnet.predict([n6post.Stretch(img, roi=d.rect)]))

        detections  as Tracker.update returns them; they are not changed
        vectors     a function that is called with a detection and returns its embedding, or None if it is no good picture of
                    the object; or a list with an embedding or None for each detection
        elapsed_ms  milliseconds since the last call, for recorded frames; None: measured

        A new track is compared with everyone who is not in the picture and was seen in the last `forget_after` seconds; the
        most similar pair comes first. A track without a similar one gets the next number: 1, 2, 3, ... It is left out until
        its first vector. The function is called for new tracks and, every `refresh_after` seconds, for one that has its
        number. If there are `max_names`, the one who is away for the longest time is forgotten.

        ValueError for a detection without a `track_id`, a list of another length, and for anything but vectors.
        """
        people = self._people
        if people is None:
            people = later.tracking_reidentification.People(self)
        result = people.update(detections, vectors, elapsed_ms)
        self._people = people
        return result

    def as_dict(self):
        """The gallery as texts and whole numbers, for `to_json`; `restore` takes it.

        {"vectors": [{"name": "Anna", "vector": [1234, -567, ...]}, ...]}, each number in steps of 1/32767.
        """
        entries = []
        for row, name in enumerate(self._owners):
            steps = np.floor(self._table[row] * float(_STEPS) + 0.5).tolist()
            entries.append(OrderedDict([("name", name), ("vector", [int(step) for step in steps])]))
        return {"vectors": entries}

    def restore(self, data):
        """Replace everything by the vectors of `as_dict`, as `json.loads` returns them. ValueError for anything else."""
        restored = type(self)(**self._values)
        try:
            vectors = data["vectors"]
            for entry in vectors if isinstance(vectors, (list, tuple)) else None:
                if not isinstance(entry, dict):
                    raise TypeError
                restored.enroll(entry["name"], entry["vector"])
        except (KeyError, TypeError, IndexError):
            raise ValueError("data: expected what as_dict returns, got %s" % type(data).__name__) from None
        self._owners, self._table, self._people = restored._owners, restored._table, None

    def to_state(self):
        """The gallery for State: {"names": the name of each vector, "next": the next number}, and all vectors, float32."""
        count = len(self._owners)
        table = self._table[:count].tobytes() if count else b""
        return {"names": self._owners, "next": self._people.next_number if self._people else 1}, table

    def from_state(self, state):
        """Replace everything by what `to_state` returned. Tracks are new ones, and numbers are not given twice."""
        known, vectors = state
        owners, table, people = known["names"], None, later.tracking_reidentification.People(self)
        people.next_number = known["next"]
        if owners:
            table = np.frombuffer(vectors, dtype=np.float).reshape((len(owners), len(vectors) // 4 // len(owners)))
        self._owners, self._table, self._people = owners, table, people

    def __copy__(self):
        # For copy.copy on a PC, whose shallow copy would share the vectors.
        return __import__("copy").deepcopy(self)
