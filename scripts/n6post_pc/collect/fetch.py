"""Fetch collected pictures from a camera with mpremote. Nothing is changed on the camera."""

import base64
from collections.abc import Iterator

from .. import files
from ..camera import devices, repl
from ..command import Bar, UserError
from .folder import NAME, Folder, is_whole

_AT_ONCE = 200  # files in one call of mpremote: Windows allows a command line of 32,767 characters

# Both run on the camera, after a line that sets `folder`. FAT's entries have the size; `stat` would search the folder again.
_LIST = """
import json, os
try:
    sizes = {}
    for entry in os.ilistdir(folder):
        sizes[entry[0]] = entry[3] if len(entry) > 3 else os.stat(folder + "/" + entry[0])[6]
except OSError:
    sizes = None
print("N6POST " + json.dumps(sizes))
"""
_SEND = """
import binascii
for name in names:
    print("N6POST " + name)
    with open(folder + "/" + name, "rb") as file:
        while True:
            data = file.read(3000)
            if not data:
                break
            print(str(binascii.b2a_base64(data), "ascii"), end="")
    print("N6POST ")
"""


class _Receiver:
    """Takes the lines that the camera prints, and writes each file when it is complete."""

    def __init__(self, folder: Folder, sizes: dict[str, int], bar: Bar) -> None:
        self._folder, self._sizes, self._bar = folder, sizes, bar
        self._name, self._data = "", bytearray()
        self.written = 0

    def __call__(self, line: str) -> None:
        if line.startswith(repl.MARK.strip()):
            self._finish()
            self._name, self._data = line[len(repl.MARK) :], bytearray()
        elif self._name:
            try:
                self._data += base64.b64decode(line, validate=True)
            except ValueError:
                raise UserError(f"{self._name}: the camera sent {line[:80]!r} instead of its content") from None

    def _finish(self) -> None:
        if not self._name:
            return
        if len(self._data) != self._sizes[self._name]:
            raise UserError(f"{self._name}: got {len(self._data):,} of {self._sizes[self._name]:,} bytes. Fetch again")
        files.write({self._folder.place(self._name[:-4])[1].with_name(self._name): bytes(self._data)})
        self.written += 1
        self._bar.show(self.written)


def fetch(port: str | None, source: str, folder: Folder) -> int:
    """Fetch what the folder does not have. Returns the number of files. UserError if the camera has begun to count anew."""
    port = devices.find(port)
    repl.wake(port)
    place = f"folder = {source.rstrip('/')!r}"
    sizes = repl.report(port, place + _LIST)
    if sizes is None:
        raise UserError(f"the camera has no folder {source}{': is an SD card inserted?' * source.startswith('/sd')}")
    missing = list(_missing(sizes, folder))
    bar = Bar(len(missing), "files")
    receive = _Receiver(folder, sizes, bar)
    try:
        for first in range(0, len(missing), _AT_ONCE):
            code = f"{place}\nnames = {missing[first : first + _AT_ONCE]}{_SEND}"
            failed, errors = repl.follow(repl.words(port, "exec", code), receive)
            if failed:
                done = f"{receive.written} of {len(missing)} files are here. Fetch again for the others"
                raise UserError(f"{repl.why(port, errors)}. {done}")
    except (UserError, KeyboardInterrupt):
        repl.interrupt(port)
        raise
    finally:
        bar.close()
    return receive.written


def _missing(sizes: dict[str, int], folder: Folder) -> Iterator[str]:
    """The files to fetch, labels before their picture: what is interrupted leaves no picture without labels."""
    for name in sorted(name for name in sizes if name.endswith(".jpg") and NAME.fullmatch(name[:-4])):
        path = folder.place(name[:-4])[1]
        if path.exists() and (here := path.stat().st_size) != sizes[name] and is_whole(path.read_bytes()):
            raise UserError(f"{path} has {here:,} bytes, on the camera it has {sizes[name]:,}: the camera has begun to "
                            "count anew. Fetch into another folder")  # fmt: skip
        yield from (one.name for one in (path.with_suffix(".txt"), path) if one.name in sizes and not one.exists())
