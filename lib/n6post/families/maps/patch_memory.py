"""The memory of Anomaly: int8 vectors that lie as far from each other as those of good frames allow.

It is a core set, learned in one pass: a new vector is taken while there is space. Then it replaces one of the two vectors
that are closest to each other, if it is farther from all vectors than these two are from each other. PatchCore (Roth et al.,
CVPR 2022, arXiv 2106.08265) chooses its core set greedily from all vectors of all frames, which a camera cannot keep.
"""

from array import array
from struct import pack

from micropython import const

from ...kernels import neighbors
from ...kernels.params.neighbors import PLACE
from ...kernels.params.neighbors import nearest as nearest_params

FARTHEST = const(0x7FFFFFFF)  # a squared distance above all others


class PatchMemory:
    """At most `capacity` int8 vectors of `channels` numbers with their places, and of each the one that is nearest to it.

    columns     of the grid that the vectors are from
    step        the distance of two vectors that differ in nothing but their places, one column or row apart; 0: places do
                not count
    vectors     bytearray, rows as the kernel `nearest` reads them
    count       the number of vectors in it; at first those of `vectors`
    """

    def __init__(self, capacity, channels, columns, step, vectors=b""):
        self.capacity = capacity
        self.channels = channels
        self.columns = columns
        self.step = step
        self.size = size = channels + PLACE
        self.count = min(len(vectors) // size, capacity)
        self.vectors = bytearray(capacity * size)
        self.vectors[: self.count * size] = vectors[: self.count * size]
        # The squared distance from each vector to the nearest other one, then the numbers of those. None: not known.
        self._nearest = None
        self._found = self._unknown = array("i")  # what `distances` returns, and its distances before

    def used(self):
        """The bytes of the vectors that are in use."""
        return self.vectors[: self.count * self.size]

    def distances(self, features, count):
        """The squared distance from each of `count` vectors to the nearest one here, then which one it is: array('i').

        The next call overwrites it.
        """
        if len(self._unknown) != count:  # kept: memory for them would have to be searched for in each frame
            self._found, self._unknown = _unknown(count), _unknown(count)[:count]
        found = self._found
        found[:count] = self._unknown
        self._compare(features, count, self.columns, 0, self.count, found)
        return found

    def learn(self, features, count, found):
        """Take the vectors that add something, and return how many these are.

        found   as `distances` returns it; changed to the distances with the new vectors
        """
        nearest, self._nearest = self._nearest or self._all_nearest(), None  # if a MemoryError comes, all are found anew
        features = memoryview(features)
        channels, capacity, size, columns, step = self.channels, self.capacity, self.size, self.columns, self.step
        row, closest = self._next(nearest)
        taken = 0
        for at in range(count):
            if found[at] <= closest:
                continue
            orphans = [one for one in range(self.count) if nearest[capacity + one] == row and one != row]
            place = pack("<hh", at % columns * step, at // columns * step)
            self.vectors[row * size : (row + 1) * size] = bytes(features[at * channels : (at + 1) * channels]) + place
            if row == self.count:
                self.count, orphans = row + 1, []
            taken += 1
            self._compare(features, count, columns, row, row + 1, found)
            self._compare(self.vectors, capacity, 0, row, row + 1, nearest)
            for one in [row] + orphans:
                self._find_nearest(one, nearest)
            row, closest = self._next(nearest)
        self._nearest = nearest
        return taken

    def _next(self, nearest):
        """(the row for the next vector, the squared distance that it must exceed)."""
        count = self.count
        if count < self.capacity:
            return count, 0
        closest = min(nearest[:count])
        row = 0
        while nearest[row] != closest:
            row += 1
        return row, closest

    def _compare(self, features, count, columns, first, end, out):
        params = nearest_params(count, self.channels, first, end, columns, self.step)
        neighbors.nearest(features, params, self.vectors, out)

    def _find_nearest(self, row, nearest):
        """Find the vector that is nearest to that of a row."""
        out = array("i", (FARTHEST, 0))
        one = memoryview(self.vectors)[row * self.size : (row + 1) * self.size]
        self._compare(one, 1, 0, 0, row, out)
        self._compare(one, 1, 0, row + 1, self.count, out)
        nearest[row], nearest[self.capacity + row] = out

    def _all_nearest(self):
        nearest = _unknown(self.capacity)
        for row in range(self.count):
            self._find_nearest(row, nearest)
        return nearest


def _unknown(count):
    return array("i", b"\xff\xff\xff\x7f" * count + bytes(4 * count))  # FARTHEST
