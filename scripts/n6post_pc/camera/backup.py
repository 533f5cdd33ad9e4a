"""n6post camera backup: read a camera's ROMFS with mpremote."""

import binascii
import hashlib
import json
from pathlib import Path

from ..build import romfs
from ..command import Bar, UserError
from ..files import check, write
from . import repl

SUFFIXES = ".img", ".romfs"  # the names that `mpremote romfs deploy` takes
_PIECE = 12 << 10  # bytes in a line of base64: the camera's heap has room for it, however fragmented it is

# Runs on the camera. Prints the sizes of the partition and of the image in it, the image in lines of base64, and its hash.
# The image is not compressed: the weights of a network hardly get smaller, and the N6 is built without a compressor.
_READ = """
import binascii, hashlib, json
try:
    import vfs
    rom = memoryview(vfs.rom_ioctl(2, 0))
except (ImportError, AttributeError, TypeError):
    rom = b""
size = 0
if bytes(rom[:3]) == %r:
    for at in range(3, 32):  # OpenMV's own images fill the length up to offset 16
        size = size << 7 | rom[at] & 127
        if rom[at] < 128:
            size += at + 1
            break
print(json.dumps([len(rom), size]))
sha = hashlib.sha256()
for at in range(0, min(size, len(rom)), %d):
    piece = rom[at : min(at + %d, size)]
    sha.update(piece)
    print(binascii.b2a_base64(piece).decode(), end="")
print(binascii.hexlify(sha.digest()).decode())
"""  # the first of several partitions: the one that the firmware mounts at /rom


def backup(port: str, path: Path) -> tuple[int, list[romfs.File]]:
    """Write the image in the camera's ROMFS to a file. Returns (size of the partition in bytes, the files of the image).

    UserError if the camera has no image, or if what arrived is not what the camera has read.
    """
    check([path], suffixes=SUFFIXES)
    repl.wake(port)
    lines: list[str] = []
    bar: Bar | None = None

    def line(text: str) -> None:
        nonlocal bar
        lines.append(text)
        if len(lines) == 1:
            bar = Bar(_sizes(port, text)[1] // 1024, "KiB")
        elif bar is not None:
            bar.show((len(lines) - 1) * _PIECE // 1024)

    try:
        code, errors = repl.follow(repl.words(port, "exec", _READ % (romfs.MARK, _PIECE, _PIECE)), line)
    finally:
        if bar is not None:
            bar.close()
    if code:
        raise UserError(f"{repl.why(port, errors)}. {path} was not written: run backup again")
    partition, _ = _sizes(port, lines[0] if lines else "")
    try:
        image = b"".join(map(binascii.a2b_base64, lines[1:-1]))
        if hashlib.sha256(image).hexdigest() != lines[-1]:
            raise ValueError("the bytes that arrived are not those that the camera has read")
        files = romfs.unpack(image)
    except ValueError as error:
        raise UserError(f"{error}. {path} was not written: run backup again") from error
    write({path: image})
    return partition, files


def _sizes(port: str, line: str) -> tuple[int, int]:
    """The sizes of the partition and of the image in it. UserError if there is none."""
    try:
        partition, size = json.loads(line)
    except (ValueError, TypeError):
        raise UserError(f"the answer of the camera on {port} cannot be read") from None
    if not partition:
        raise UserError(f"the firmware of the camera on {port} cannot read its ROMFS: OpenMV IDE can extract files from it "
                        "(Tools, ROM File System)")  # fmt: skip
    if not size:
        raise UserError(f"the ROMFS of the camera on {port} is empty")
    return partition, size
