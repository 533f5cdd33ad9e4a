"""The one way in which commands open files that the user names.

An output is written beside its place and then renamed: whatever goes wrong, the old file stays. One that is an input too, by
whatever name or link, is refused before any work is done. An input is a regular file: a pipe may keep a command waiting for
ever.
"""

import contextlib
import os
import stat
import tempfile
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO

from .command import UserError

_KINDS = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device",
          stat.S_IFBLK: "a device"}  # fmt: skip

MODELS = (".tflite", ".onnx")


# ---- inputs ----


def kind(path: Path) -> str:
    """What a path is that is no regular file: "a folder", "a pipe" ...; "" for a regular file. OSError if it is absent."""
    return _KINDS.get(stat.S_IFMT(path.stat().st_mode), "")


def regular(path: Path, what: str = "file") -> Path:
    """The path of an input. UserError if there is no regular file of this name."""
    try:
        other = kind(path)
    except OSError as error:
        why = "" if isinstance(error, FileNotFoundError) else f": {error.strerror}"
        raise UserError(f"no such {what}: {path}{why}") from error
    if other:
        raise UserError(f"no such {what}: {path} is a folder" if path.is_dir() else f"{path}: expected a file, got {other}")
    return path


def label_files(model: Path) -> list[Path]:
    """The files that may have a model's labels: the firmware takes its name up to the first dot."""
    return list(dict.fromkeys((model.with_name(f"{model.name.split('.')[0]}.txt"), model.with_suffix(".txt"))))


def model(path: Path, what: str = "file") -> Path:
    """The path of a model. UserError if it, or the file of labels beside it, is no regular file."""
    regular(path, what)
    for labels in filter(Path.exists, label_files(path)):
        regular(labels, "file of labels")
    return path


# ---- outputs ----


def check(
    outputs: Iterable[Path | None], inputs: Iterable[Path | None] = (), *,
    suffixes: Collection[str] = (), new_folder: bool = False,
) -> None:  # fmt: skip
    """UserError if an output cannot be written, or would replace an input. None is no file.

    inputs      everything that the command reads; the labels beside a model count, too
    suffixes    the endings that the names may have (default: any)
    new_folder  whether `replacing` makes their folders
    """
    taken: dict[object, str] = {}
    for path in filter(None, inputs):
        is_model = path.suffix.lower() in MODELS
        for labels in label_files(path) if is_model else ():
            taken[_identity(labels)] = "the model's file of labels"
        taken[_identity(path)] = "the model itself" if is_model else "also an input of this command"
    taken.pop(None, None)
    for path in outputs:
        if path is not None:
            _check(path, taken, suffixes, new_folder)


def _identity(path: Path) -> tuple[int, int] | None:
    """Equal for all names and links of a file; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _check(path: Path, taken: Mapping[object, str], suffixes: Collection[str], new_folder: bool) -> None:
    if path.is_dir():
        raise UserError(f"{path} cannot be written: it is a folder")
    if suffixes and path.suffix.lower() not in suffixes:
        raise UserError(f"{path}: expected a name that ends in {', '.join(suffixes)}")
    if same := taken.get(_identity(path)):
        raise UserError(f"{path} is {same}: choose another name for the output")
    folder = Path(os.path.realpath(path)).parent
    while new_folder and not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise UserError(f"{path}: {'Not a directory' if os.path.lexists(folder) else 'No such file or directory'}: {folder}")
    for needed in (path, folder) if is_replaced(path) else (path,):
        if os.path.exists(needed) and not os.access(needed, os.W_OK):
            raise UserError(f"{path} cannot be written: no permission for {needed}")


def is_replaced(path: Path) -> bool:
    """Whether writing replaces the file, or makes it. Devices and pipes, such as /dev/stdout, are written themselves."""
    return path.is_file() or not path.exists()


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a file to write, which at the end replaces `path`. If anything is raised, the old file stays.

    An OSError becomes a UserError that names `path`.
    """
    temporary = path
    target = Path(os.path.realpath(path))  # a link stays a link
    try:
        if is_replaced(path):
            target.parent.mkdir(parents=True, exist_ok=True)
            handle, name = tempfile.mkstemp(prefix=".n6post-", suffix=path.suffix, dir=target.parent)
            temporary = Path(name)
            os.close(handle)
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        yield temporary
        if temporary != path:
            os.replace(temporary, target)
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    finally:
        if temporary != path:
            temporary.unlink(missing_ok=True)


def write(contents: Mapping[Path, bytes]) -> None:
    """Write files. Nothing is replaced until all of them are written."""
    with contextlib.ExitStack() as stack:
        for path, content in contents.items():
            stack.enter_context(replacing(path)).write_bytes(content)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class LineFile:
    """A text file that grows line by line. The first line replaces an old file; until then, that stays as it is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: IO[str] | None = None

    def write(self, line: str) -> None:
        """Add a line. UserError if that fails."""
        try:
            if self._file is None and is_replaced(self.path):
                write({self.path: f"{line}\n".encode()})
                self._file = self.path.open("a", encoding="utf-8", newline="\n")
                return
            self._file = self._file or self.path.open("w", encoding="utf-8")
            self._file.write(f"{line}\n")
            self._file.flush()
        except OSError as error:
            raise UserError(f"{self.path}: {error.strerror}") from error

    def close(self, complete: bool = False) -> None:
        """Close the file. A complete one without lines becomes empty: old lines would pass for new ones."""
        if self._file is not None:
            with contextlib.suppress(OSError):  # a failed write has already been reported
                self._file.close()
        elif complete and is_replaced(self.path):
            write({self.path: b""})
