"""The power fails in each write of a save, on a disk in memory with FAT or littlefs: `power.py VfsFat 512`.

Prints JSON: the number of writes of a save, how many power failures were tried, and after which of them neither the newest
state nor the one before was there, or another file was lost.
"""

import gc
import json
import sys

import n6post
import vfs

OTHER = b"print('main.py')\n" * 99


class Disk:
    def __init__(self, size, data):
        self.size, self.data = size, data
        self.left, self.how, self.done = -1, "", 0

    def readblocks(self, number, buffer, offset=0):
        at = number * self.size + offset
        buffer[:] = memoryview(self.data)[at : at + len(buffer)]

    def writeblocks(self, number, buffer, offset=0):
        for at in range(0, len(buffer), self.size):  # FAT writes several blocks at once
            self._write(number * self.size + offset + at, memoryview(buffer)[at : at + self.size])

    def _write(self, at, data):
        if self.left == 0:
            size = {"none": 0, "half": len(data) // 2}.get(self.how)
            if size is None:
                size, data = len(data), {"zeros": b"\0", "erased": b"\xff"}[self.how] * len(data)
            self.data[at : at + size] = data[:size]
            self.left = -2
        if self.left == -2:
            raise OSError(5)
        self.left -= self.left > 0
        self.done += 1
        self.data[at : at + len(data)] = data

    def ioctl(self, call, argument):
        if call == 6:  # littlefs erases a block before it is written
            self._write(argument * self.size, b"\xff" * self.size)
        return {4: len(self.data) // self.size, 5: self.size}.get(call, 0)


def states(known, grows):
    """A State with a heat map, a gallery and counts, all of them of save number `known`; and the number it had."""
    counts, heat, gallery = {"n": 0}, n6post.HeatMap(9, 8), n6post.Gallery()
    state = n6post.State("/disk/door", counts=counts, heat=heat, gallery=gallery)
    found = counts["n"]
    values = heat.values()
    whole = [values[row, column] for row in range(8) for column in range(9)] == [float(found)] * 72
    names = found % 3 if grows else int(found > 0)
    whole = whole and gallery.names == list(range(1, 1 + names)) and counts.get("text", "") == "x" * (found % 5)
    counts["n"], counts["text"] = known, "x" * (known % 5)
    heat.from_state(({"rows": 8, "columns": 9}, (values * 0.0 + known).tobytes()))
    gallery.reset()
    for name in range(1, 1 + (known % 3 if grows else 1)):
        gallery.enroll(name, [1.0] * 64 + [float(name)] * 64)
    return state, found if whole else -1


def after(kind, size, data, number, cut, how, grows):
    """(whether the power failed, the writes, the state that a restart finds, whether the other file is there)."""
    disk = Disk(size, data)
    vfs.mount(kind(disk), "/disk")
    disk.left, disk.how = cut, how
    failed = not states(number, grows)[0].save(force=True)
    vfs.umount("/disk")
    vfs.mount(kind(Disk(size, data)), "/disk")
    found = states(0, grows)[1]
    with open("/disk/main.py", "rb") as file:
        other = file.read() == OTHER
    vfs.umount("/disk")
    return failed, disk.done, found, other


def main(name, size):
    kind = getattr(vfs, name)
    size = int(size)
    tried, lost, writes = 0, [], []
    # Zeros in the table of a FAT disk are the end of all its files. So with zeros no file may get longer.
    for grows in (True, False):
        data = bytearray(128 * max(size, 1024))
        kind.mkfs(Disk(size, data))
        vfs.mount(kind(Disk(size, data)), "/disk")
        with open("/disk/main.py", "wb") as file:
            file.write(OTHER)
        vfs.umount("/disk")
        for number in range(1, 7):
            for how in ("none", "half") if grows else ("zeros", "erased") if number > 2 else ():
                cut, failed = 0, True
                while failed:
                    gc.collect()
                    failed, _, found, other = after(kind, size, bytearray(data), number, cut, how, grows)
                    if found not in (number, number - 1) or not other:
                        lost.append([number, how, cut, found, other])
                    cut += 1
                    tried += failed
            writes.append(after(kind, size, data, number, -1, "", grows)[1])
    return {"operations": writes[-1], "writes": writes, "cuts": tried, "lost": lost}


print(json.dumps(main(*sys.argv[1:])))
