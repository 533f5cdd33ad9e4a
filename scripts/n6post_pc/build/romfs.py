"""Write images of MicroPython's ROMFS with aligned files.

The format is described in MicroPython's docs/reference/romfs.rst: nested records of a kind, a length and a payload.
mpremote's own writer does not align files, and unaligned models fail on the camera. This one writes all lengths with the
same number of bytes, so it knows the offset of a file's data before the enclosing records are complete. A length may start
with bytes of 0x80, which add nothing to it; they serve as padding up to the next aligned offset. OpenMV aligns its own
images in the same way, so its firmware and IDE can read these.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

_MARK = b"\xd2\xcd\x31"  # the kind of the outermost record, 0x14a6b1
_PADDING, _VERBATIM, _DIRECTORY, _FILE = 1, 2, 4, 5
_WIDTH = 4  # bytes of a length, 7 bits in each
_FIRST = 8  # offset of the first inner record: after _MARK and a length of five bytes

Tree = dict[str, Any]  # of Trees and Files


@dataclass(frozen=True)
class File:
    """A file of an image: its path in /rom, with slashes; its bytes; and the alignment of its address in bytes."""

    path: str
    data: bytes
    alignment: int = 1


def check(path: str) -> None:
    """Raise a ValueError for a path that could lead out of /rom on some system, or that is not UTF-8."""
    if any(part in ("", ".", "..") or "\\" in part for part in path.split("/")):
        raise ValueError(f"expected a path of names and slashes, without '.', '..' and backslashes, got {path!r}")
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ValueError(f"expected a path in UTF-8, got {path!r}") from None


def pack(files: Iterable[File]) -> tuple[bytes, dict[str, int]]:
    """The image, and the offset of each file's bytes in it, by path.

    Partitions begin at multiples of 4096, so an aligned offset becomes an aligned address.
    ValueError for a path that occurs twice, that is both a file and a folder, or that leads out of /rom.
    """
    root: Tree = {}
    for file in files:
        check(file.path)
        *folders, name = file.path.split("/")
        folder = root
        for part in folders:
            folder = folder.setdefault(part, {})
            if not isinstance(folder, dict):
                raise ValueError(f"{file.path}: {part} is both a file and a folder")
        if name in folder:
            raise ValueError(f"{file.path} occurs twice")
        folder[name] = file
    offsets: dict[str, int] = {}
    body = _folder(root, _FIRST, offsets)
    if len(body) % 2:
        body += bytes((_PADDING, 1, 0))  # the size of an image must be even
    return _MARK + _uint(len(body), _FIRST - len(_MARK)) + body, offsets


def _folder(folder: Tree, at: int, offsets: dict[str, int]) -> bytes:
    """The records of a folder. `at` is the offset of the first one in the image."""
    out = bytearray()
    # Folders come first: MicroPython reads the entries one after the other, several times for each import.
    for name, entry in sorted(folder.items(), key=lambda item: (isinstance(item[1], File), item[0])):
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
        raise ValueError(f"a ROMFS of {len(payload)} bytes or more is larger than every camera's partition")
    return bytes((kind,)) + _uint(len(payload), width) + payload


def _uint(value: int, width: int = 1) -> bytes:
    """Encode a number with 7 bits per byte, highest first. All bytes but the last have bit 8 set. At least `width` bytes."""
    out = [value & 0x7F]
    while value := value >> 7:
        out.append(0x80 | value & 0x7F)
    out += [0x80] * (width - len(out))
    return bytes(reversed(out))
