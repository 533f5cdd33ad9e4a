"""Write images of MicroPython's ROMFS with aligned files, and read the files of one.

The format is described in MicroPython's docs/reference/romfs.rst: nested records of a kind, a length and a payload.
mpremote's own writer does not align files, and unaligned models fail on the camera. This one writes all lengths with the
same number of bytes, so it knows the offset of a file's data before the enclosing records are complete. A length may start
with bytes of 0x80, which add nothing to it; they serve as padding up to the next aligned offset. OpenMV aligns its own
images in the same way, so its firmware and IDE can read these.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

MARK = b"\xd2\xcd\x31"  # the kind of the outermost record, 0x14a6b1
_UNUSED, _PADDING, _VERBATIM, _POINTER, _DIRECTORY, _FILE = range(6)
_WIDTH = 4  # bytes of a length, 7 bits in each
_FIRST = 8  # offset of the first inner record: after MARK and a length of five bytes
_PAGE = 4096  # partitions begin at multiples of it

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

    Partitions begin at multiples of _PAGE, so an aligned offset becomes an aligned address.
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
    return MARK + _uint(len(body), _FIRST - len(MARK)) + body, offsets


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


def unpack(image: bytes) -> list[File]:
    """The files of an image, each with the alignment of its offset there, 4096 at most.

    What follows the image is ignored. ValueError for something else than an image, or a damaged one.
    """
    if not image.startswith(MARK):
        got = image[: len(MARK)].hex(" ") or "nothing"
        raise ValueError(f"expected an image that begins with {MARK.hex(' ')}, got {got}")
    length, start = _number(image, len(MARK), len(image))
    if start + length > len(image):
        raise ValueError(f"the image has {start + length:,} bytes, of which {len(image):,} are there")
    return list(_files(image, start, start + length, start, ""))


def _files(image: bytes, at: int, end: int, first: int, folder: str) -> Iterator[File]:
    """The files of the records in image[at:end]. `first` is the offset from which pointers count."""
    for kind, start, stop in _records(image, at, end):
        if kind not in (_DIRECTORY, _FILE):
            continue
        length, start = _number(image, start, stop)
        inside = start + length
        path = folder + image[start:inside].decode()
        if inside > stop:
            raise _damaged(start)
        if kind == _DIRECTORY:
            yield from _files(image, inside, stop, first, path + "/")
            continue
        check(path)
        contents = (one for one in _records(image, inside, stop) if one[0] in (_VERBATIM, _POINTER))
        kind, start, stop = next(contents, (_UNUSED, inside, stop))
        if kind == _POINTER:
            length, start = _number(image, start, stop)
            start = first + _number(image, start, stop)[0]
            stop = start + length
        if kind == _UNUSED or stop > len(image):
            raise _damaged(start)
        yield File(path, image[start:stop], min(start & -start, _PAGE))


def _records(image: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """(kind, offset of the payload, offset after it) of each record in image[at:end]."""
    while at < end:
        kind, at = _number(image, at, end)
        length, at = _number(image, at, end)
        if kind == _UNUSED or at + length > end:
            raise _damaged(at)
        yield kind, at, at + length
        at += length


def _number(image: bytes, at: int, end: int) -> tuple[int, int]:
    """(a number that _uint has encoded, the offset after it)."""
    value = 0
    while at < end and not value >> 32:
        value = value << 7 | image[at] & 0x7F
        at += 1
        if image[at - 1] < 0x80:
            return value, at
    raise _damaged(at)


def _damaged(at: int) -> ValueError:
    return ValueError(f"the image is damaged at offset {at:,}")
