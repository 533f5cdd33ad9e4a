"""State: counts, visits, heat maps and galleries that survive a restart, and a power failure.

    state = n6post.State("/flash/door", line=gate, zone=yard, counts=my_dict)
    while True:
        ...
        state.save()

A folder with two files, a/state and b/state, which are written in turn: while one is written, the other is whole. Each is
written where it is, in a folder of its own, because of FAT. Renaming and making files longer or shorter change FAT's table
and the folder, block by block: without power in between, two names share one file, or the table of the whole disk is erased
(a camera's flash erases 4 KB before it writes them). Here only the file's own block and its folder's are at risk.

A file, all numbers little-endian: magic "n6s1", the number of this save, the length of what follows the header, its CRC32,
and the CRC32 of these 16 bytes. Then for each object the lengths of its name and kind (1 byte each), whether it has bytes
(1), the lengths of its JSON and its bytes (4 each); name, kind, JSON, bytes. Zeros may follow.
"""

import json
import os
from binascii import crc32
from struct import pack, unpack

from micropython import const

from ..tensors.options import Configurable, Options, number
from ..tracking.clock import START, next_clock

_MAGIC = b"n6s1"
_HEADER = const(20)
_LENGTHS = const(11)
_MOST_REST = const(4096)  # bytes of zeros behind a state that has become shorter; beyond, the file is made anew


class State(Configurable):
    """Keeps objects in files, and restores them when it is made.

    path        of a folder for it, which is made if it is not there
    every       seconds between two saves, 0..1e6
    objects     by name: LineZone, PolygonZone, HeatMap, Gallery, dicts, lists, or anything that has `to_state()`, which
                returns what json can write, or a tuple of that and bytes, and `from_state(state)`, which takes it back

    Prints a sentence about everything that could not be restored. ValueError for other objects and options.
    """

    _option = Options()
    every = _option("every", 600.0, number, 0.0, 1e6)

    def __init__(self, path, *, every=600.0, **objects):
        super().__init__(every=every)
        if not isinstance(path, str):
            raise ValueError("path: expected a text, got %r" % (path,))
        for name, one in objects.items():
            if not _kind(one):
                what = "%s: expected a dict, a list, or an object with to_state and from_state, got %s"
                raise ValueError(what % (name, type(one).__name__))
        self._path, self._files = path, [path + "/a/state", path + "/b/state"]
        self._objects = [(name, objects[name]) for name in sorted(objects)]  # MicroPython's order is another one
        self._clock, self._looked, self._said = next_clock(START, None), 0, None
        self._saved = 1, 0, -1  # the file that was written last, the number of saves, and the checksum
        damaged = []
        for at, file in enumerate(self._files + [path]):
            try:
                found = _whole(file)
            except OSError:
                continue
            if found is None or file == path:
                damaged.append(file)
            elif found[0] > self._saved[1]:
                self._saved = at, found[0], found[1]
        if self._saved[1]:
            self._restore()  # a damaged one is what was written when power failed
            return
        for file in damaged:
            kept = file + ".damaged"
            print("n6post: %s is not a whole state. It is kept as %s, and everything starts anew" % (file, kept))
            for change, paths in ((os.remove, (kept,)), (os.rename, (file, kept))):
                try:
                    change(*paths)
                except OSError:
                    pass

    @property
    def path(self):
        """The folder of the state."""
        return self._path

    def _restore(self):
        objects = dict(self._objects)
        with open(self._files[self._saved[0]], "rb") as file:
            left = unpack("<I", file.read(_HEADER)[8:12])[0]
            while left:
                lengths = unpack("<BBBII", file.read(_LENGTHS))
                name, kind = [str(file.read(length), "utf-8") for length in lengths[:2]]
                state, data = file.read(lengths[3]), file.read(lengths[4])
                left -= _LENGTHS + len(name.encode()) + len(kind.encode()) + len(state) + len(data)
                one = objects.get(name)
                try:
                    if one is None:
                        raise ValueError("nothing of this name was passed")
                    if kind != _kind(one):
                        raise ValueError("expected a %s, got the state of a %s" % (_kind(one), kind))
                    state = json.loads(state)
                    if kind == "dict":
                        one.update(dict([tuple(item) for item in state]))
                    elif kind == "list":
                        one[:] = state
                    else:
                        one.from_state((state, data) if lengths[2] else state)
                except (ValueError, TypeError, LookupError) as error:
                    print("n6post: %s in %s is not restored, and the next save drops it: %s" % (name, self._path, error))

    def save(self, *, force=False):
        """Write the state if `every` seconds have passed and something has changed; returns whether it was written.

        force   True: now, without waiting. What has not changed is not written

        If it cannot be written, for example because the disk is full, this prints a sentence, once for each reason, and
        tries again after `every` seconds; the last state stays. ValueError for what JSON cannot hold.
        """
        clock = next_clock(self._clock, None)
        if not force and clock[0] - self._looked < 1000 * self.every:
            self._clock = clock
            return False
        pieces, length, checksum = [], 0, 0
        for name, one in self._objects:
            pieces += _pieces(name, one)
        for piece in pieces:
            length, checksum = length + len(piece), crc32(piece, checksum)
        at, saves, last = self._saved
        said = None
        if checksum != last:
            header = pack("<4sIII", _MAGIC, saves + 1, length, checksum)
            pieces.insert(0, header + pack("<I", crc32(header)))
            try:
                self._write(self._files[1 - at], pieces, _HEADER + length)
                self._saved = 1 - at, saves + 1, checksum
            except OSError as error:
                said = str(error)
                if said != self._said:
                    print("n6post: %s could not be saved: %s. The state before is kept" % (self._path, said))
        # If a MemoryError comes before, the next call tries again.
        self._clock, self._looked, self._said = clock, clock[0], said
        return checksum != last and said is None

    def _write(self, file, pieces, length):
        mode, rest = "r+b", 0
        try:
            rest = os.stat(file)[6] - length  # what is left of the old file behind the new one
            if rest > _MOST_REST:
                mode, rest = "wb", 0
        except OSError:
            mode = "wb"
            for folder in (self._path, file[:-6]):
                try:
                    os.mkdir(folder)
                except OSError:  # it is there; if it cannot be made, the next line says why
                    pass
        with open(file, mode) as out:
            for piece in pieces:
                out.write(piece)
            out.write(bytes(max(0, rest)))


def _kind(one):
    """What the file says of an object; "" for one that cannot be kept."""
    if isinstance(one, (dict, list)):
        return "dict" if isinstance(one, dict) else "list"
    return type(one).__name__ if getattr(one, "to_state", None) and getattr(one, "from_state", None) else ""


def _pieces(name, one):
    """What the file has of an object: three pieces of bytes."""
    kind = _kind(one)
    if kind == "dict":
        state = [list(item) for item in one.items()]  # JSON would make texts of keys that are numbers
    else:
        state = one if kind == "list" else one.to_state()
    has_bytes = isinstance(state, tuple)
    state, data = state if has_bytes else (state, b"")
    _check(name, state)
    name, kind, text = name.encode(), kind.encode(), json.dumps(state).encode()
    return pack("<BBBII", len(name), len(kind), has_bytes, len(text), len(data)) + name + kind, text, data


def _check(name, value):
    """ValueError for what JSON would not give back as it was."""
    if value is None or isinstance(value, (bool, int, str)) or isinstance(value, float) and value - value == 0:
        return
    if isinstance(value, dict) and not [key for key in value if not isinstance(key, str)]:
        value = list(value.values())
    if not isinstance(value, list):
        what = "finite numbers, texts, True, False, None, lists, and dicts with texts as keys"
        raise ValueError("%s: expected %s, got %r" % (name, what, value))
    for one in value:
        _check(name, one)


def _whole(path):
    """The number and the checksum of the state in a file, or None if it is not whole. OSError if there is no file."""
    with open(path, "rb") as file:
        header = file.read(_HEADER)
        if len(header) < _HEADER:
            return None
        magic, saves, length, checksum, of_header = unpack("<4sIIII", header)
        if magic != _MAGIC or of_header != crc32(header[:16]):
            return None
        got, block = 0, memoryview(bytearray(1024))
        while length:
            size = file.readinto(block[: min(length, len(block))])
            if not size:
                return None
            length, got = length - size, crc32(block[:size], got)
        return (saves, checksum) if got == checksum else None
