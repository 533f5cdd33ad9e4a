"""The camera's drives, /sdcard and /flash, as folders of this PC.

Between `mount()` and `unmount()`, open(), the functions of `os` and the stand-ins (through _host.resolve()) find files
there. As on the camera, the working folder is the SD card if there is one, else the flash. Only the command `n6post host`
and tests use this.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

import _host

DRIVES = ("sdcard", "flash")
_FOLDER, _FILE = 0x4000, 0x8000

# The functions of os that take paths, and how many paths each takes.
_TAKE_PATHS = {"chdir": 1, "listdir": 1, "mkdir": 1, "remove": 1, "rename": 2, "rmdir": 1, "stat": 1, "statvfs": 1,
               "unlink": 1}

_folders: dict[str, Path] = {}
_originals: dict[str, Any] = {}
_before = ""


def ilistdir(path: str = ".", /) -> Iterator[tuple[str, int, int, int]]:
    """(name, 0x4000 for a folder or 0x8000 for a file, 0, size) of what a folder holds."""
    for name in os.listdir(path):
        status = os.stat(f"{path}/{name}")
        is_folder = bool(status.st_mode & _FOLDER)
        yield name, _FOLDER if is_folder else _FILE, 0, 0 if is_folder else status.st_size


def drive(path: str) -> str | None:
    """The drive of an absolute camera path."""
    parts = PurePosixPath(path).parts
    return parts[1] if len(parts) > 1 and parts[0] == "/" and parts[1] in DRIVES else None


def exists(path: str) -> bool:
    """Whether there is such a file or folder on this PC."""
    try:
        _originals.get("stat", os.stat)(path)
    except OSError:
        return False
    return True


def resolve(path: str) -> str:
    """The path on this PC for a camera path; other paths unchanged."""
    name = drive(path)
    if name is None or (name not in _folders and exists(path)):
        return path
    if name not in _folders:
        advice = f"the script uses the camera's /{name}; give a folder of this PC for it by --{name}"
        raise FileNotFoundError(errno.ENOENT, advice, path)
    inside = os.path.normpath("/".join(PurePosixPath(path).parts[2:]) or ".")
    if inside.startswith(".."):
        raise FileNotFoundError(errno.ENOENT, "there is nothing above a drive", path)
    return str(_folders[name] / inside)


def getcwd() -> str:
    """The working folder as the camera names it."""
    here = Path(_originals["getcwd"]())
    for name, folder in _folders.items():
        if here.is_relative_to(folder):
            return str(PurePosixPath("/", name, *here.relative_to(folder).parts))
    return str(here)


class _TextFile(io.TextIOWrapper):
    def write(self, value: Any, /) -> int:
        if isinstance(value, str):
            super().write(value)
            return len(value.encode("utf-8", "surrogatepass"))
        data = _host.to_bytes(value)
        if self.readable():
            self.seek(self.tell())  # where the script is, and not where CPython has read to in advance
        self.flush()
        return self.buffer.write(data)


class _BinaryWriter(io.BufferedWriter):
    def write(self, value: Any, /) -> int:
        return super().write(_host.to_bytes(value))


class _BinaryRandom(io.BufferedRandom):
    def write(self, value: Any, /) -> int:
        return super().write(_host.to_bytes(value))


def _for_text_and_bytes(file: Any, newline: str | None) -> Any:
    """The open file as MicroPython has it: `write` takes text and bytes in every mode, and returns the number of bytes."""
    if type(file) is io.TextIOWrapper:
        mode, encoding, errors, line_buffering = file.mode, file.encoding, file.errors, file.line_buffering
        text = _TextFile(file.detach(), encoding, errors, newline, line_buffering)
        text.mode = mode  # as io.open does
        return text
    if type(file) is io.BufferedWriter:
        return _BinaryWriter(file.detach())
    return _BinaryRandom(file.detach()) if type(file) is io.BufferedRandom else file


def _with_paths(name: str, count: int) -> Callable[..., Any]:
    original = getattr(os, name)

    def function(*arguments: Any, **options: Any) -> Any:
        if name == "listdir" and arguments == ("/",) and _folders:
            return [*_folders]
        paths = [_host.resolve(path) if isinstance(path, str) else path for path in arguments[:count]]
        return original(*paths, *arguments[count:], **options)

    function.__name__ = name
    return function


def mount(folders: dict[str, Path], resolver: Callable[[str], str]) -> None:
    """`folders`: by drive. `resolver`: what _host.resolve() calls with a path; it may call this module's resolve()."""
    global _before
    assert not _originals, "mounted already"
    _folders.update({name: folders[name].resolve() for name in DRIVES if name in folders})
    _before = os.getcwd()
    _host.set_resolver(resolver)
    plain_open = io.open

    def open_on_host(file: Any, *arguments: Any, **options: Any) -> Any:
        if not isinstance(file, str):
            return plain_open(file, *arguments, **options)
        mode = arguments[0] if arguments else options.get("mode", "r")
        if "b" not in mode and len(arguments) < 2 and (drive(file) is not None or not os.path.isabs(file)):
            # As on a camera, on every system: UTF-8, and line ends as they are.
            options = {"encoding": "utf-8", "newline": "\n"} | options
        newline = arguments[4] if len(arguments) > 4 else options.get("newline")
        return _for_text_and_bytes(plain_open(_host.resolve(file), *arguments, **options), newline)

    new = {name: _with_paths(name, count) for name, count in _TAKE_PATHS.items() if hasattr(os, name)}
    new |= {"getcwd": getcwd, "ilistdir": ilistdir}
    for name, function in new.items():
        _originals[name] = getattr(os, name, None)
        setattr(os, name, function)
    _originals["open"] = builtins.open
    builtins.open = open_on_host
    if _folders:
        _originals["chdir"](next(iter(_folders.values())))


def unmount() -> None:
    """Undo mount()."""
    builtins.open = _originals.pop("open")
    for name, original in _originals.items():
        if original is None:
            delattr(os, name)
        else:
            setattr(os, name, original)
    _originals.clear()
    _folders.clear()
    _host.set_resolver(None)
    os.chdir(_before)
