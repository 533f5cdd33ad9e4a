"""An image of MicroPython's ROMFS, with every file's bytes where the camera needs them.

The format is in MicroPython's docs/reference/romfs.rst: nested records, each a kind, the length of what follows, and that.
mpremote's own writer lines nothing up, and models that are not lined up fail on the camera. Here all lengths are written in
the same number of bytes, so that it is known where a file's bytes come to lie before what holds them is complete; a
length may be preceded by bytes 0x80 that add nothing, and these are what fills the way to the next aligned place. OpenMV's
own images are aligned in this way too, so its firmware and its IDE read it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_MARK = b"\xd2\xcd\x31"  # the kind of the whole, 0x14a6b1
_PADDING, _VERBATIM, _DIRECTORY, _FILE = 1, 2, 4, 5
_WIDTH = 4  # bytes of a length, 7 bits in each
_FIRST = 8  # where the first record is: behind _MARK and a length of five bytes

Tree = dict[str, Any]  # of Trees and Files


@dataclass(frozen=True)
class File:
    """A file of an image: its path below /rom, with slashes; its bytes; what their address shall be a multiple of."""

    path: str
    data: bytes
    alignment: int = 1


def pack(files: Iterable[File]) -> tuple[bytes, dict[str, int]]:
    """The image, and for each path where in it the file's bytes begin.

    Partitions begin at addresses that are multiples of 4096, so that an offset is aligned as the address will be.
    ValueError for a path that comes twice, or that is a file and a folder.
    """
    root: Tree = {}
    for file in files:
        *folders, name = file.path.split("/")
        folder = root
        for part in folders:
            folder = folder.setdefault(part, {})
            if not isinstance(folder, dict):
                raise ValueError(f"{file.path}: {part} is a file already")
        if name in folder:
            raise ValueError(f"{file.path} comes twice")
        folder[name] = file
    offsets: dict[str, int] = {}
    body = _folder(root, _FIRST, offsets)
    if len(body) % 2:
        body += bytes((_PADDING, 1, 0))  # the whole has to have an even number of bytes
    return _MARK + _uint(len(body), _FIRST - len(_MARK)) + body, offsets


def _folder(folder: Tree, at: int, offsets: dict[str, int]) -> bytes:
    """The records of a folder, the first of which comes to lie at `at`."""
    out = bytearray()
    for name, entry in sorted(folder.items()):
        written = name.encode()
        head = _uint(len(written)) + written
        inside = at + len(out) + 1 + _WIDTH + len(head)
        if isinstance(entry, File):
            out += _record(_FILE, head + _verbatim(entry, inside, offsets))
        else:
            out += _record(_DIRECTORY, head + _folder(entry, inside, offsets))
    return bytes(out)


def _verbatim(file: File, at: int, offsets: dict[str, int]) -> bytes:
    start = at + 1 + _WIDTH
    filled = -start % file.alignment
    offsets[file.path] = start + filled
    return _record(_VERBATIM, file.data, _WIDTH + filled)


def _record(kind: int, payload: bytes, width: int = _WIDTH) -> bytes:
    if len(payload) >> 7 * _WIDTH:
        raise ValueError(f"a ROMFS of {len(payload)} bytes or more: no camera's partition is that large")
    return bytes((kind,)) + _uint(len(payload), width) + payload


def _uint(value: int, width: int = 1) -> bytes:
    """Seven bits a byte, the highest first, and in all bytes but the last one the eighth bit; at least `width` bytes."""
    out = [value & 0x7F]
    while value := value >> 7:
        out.append(0x80 | value & 0x7F)
    out += [0x80] * (width - len(out))
    return bytes(reversed(out))
