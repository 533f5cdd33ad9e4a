"""The one way in which commands open files that the user names.

An output is written beside its place and then renamed: whatever goes wrong, the old file stays. One that is an input too, by
whatever name or link, is refused before any work is done. A stream below /dev or /proc, such as /dev/stdout, is appended to.
All other files are regular ones: a pipe may keep a command waiting for ever.
"""

import contextlib
import os
import re
import stat
import sys
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
    """The path of a model. UserError if it, or the file of labels beside it, cannot be used."""
    regular(path, what)
    check_labels(path)
    return path


def check_labels(model: Path) -> None:
    """UserError if the file of labels beside a model is no regular file or cannot be read: it would count as none."""
    for labels in filter(Path.exists, label_files(model)):
        if not os.access(regular(labels, "file of labels"), os.R_OK):
            raise UserError(f"{labels}: Permission denied")


def _weight_files(model: Path) -> list[Path]:
    """The other files that contain an .onnx's weights: the locations of its external data."""
    if model.suffix.lower() != ".onnx" or not model.is_file():
        return []
    data = model.read_bytes()
    found = re.finditer(rb"\n\x08location\x12([\x01-\x7f])", data)  # an entry of onnx.proto: key, then length and value
    return [model.parent / data[one.end() : one.end() + one[1][0]].decode(errors="replace") for one in found]


# ---- outputs ----


def check(
    outputs: Iterable[Path | None], inputs: Iterable[Path | None] = (), *,
    suffixes: Collection[str] = (), new_folder: bool = False,
) -> None:  # fmt: skip
    """UserError if an output cannot be written, or would replace an input or another output. None is no file.

    inputs      everything that the command reads; a model's labels and weights in other files count, too
    suffixes    the endings that the names may have (default: any)
    new_folder  whether `replacing` makes their folders
    """
    taken: dict[object, str] = {}
    for path in filter(None, inputs):
        is_model = path.suffix.lower() in MODELS
        for labels in label_files(path) if is_model else ():
            taken[_identity(labels)] = "the model's file of labels"
        for weights in _weight_files(path):
            taken[_identity(weights)] = "a file with the model's weights"
        taken[_identity(path)] = "the model itself" if is_model else "also an input of this command"
    taken.pop(None, None)
    written: set[str] = set()
    for path in filter(None, outputs):
        _check(path, taken, suffixes, new_folder)
        if (place := os.path.normcase(os.path.realpath(path))) in written and is_replaced(path):
            raise UserError(f"{path} is another output of this command, too: choose another name for one of them")
        written.add(place)


def _identity(path: Path) -> tuple[int, int] | None:
    """Equal for all names and links of a file; None if there is none."""
    try:
        status = path.stat()
    except (OSError, ValueError):  # ValueError: the name of a damaged .onnx may contain anything
        return None
    return status.st_dev, status.st_ino


def _check(path: Path, taken: Mapping[object, str], suffixes: Collection[str], new_folder: bool) -> None:
    replaced = is_replaced(path)
    if suffixes and path.suffix.lower() not in suffixes:
        raise UserError(f"{path}: expected a name that ends in {', '.join(suffixes)}")
    if same := taken.get(_identity(path)):
        raise UserError(f"{path} is {same}: choose another name for the output")
    folder = Path(os.path.realpath(path)).parent
    while new_folder and not os.path.lexists(folder):
        folder = folder.parent
    if not folder.is_dir():
        raise UserError(f"{path}: {'Not a directory' if os.path.lexists(folder) else 'No such file or directory'}: {folder}")
    for needed in (path, folder) if replaced else (path,):
        if os.path.exists(needed) and not os.access(needed, os.W_OK):
            raise UserError(f"{path} cannot be written: no permission for {needed}")


def is_replaced(path: Path) -> bool:
    """Whether writing replaces the file, or makes it; otherwise it is a stream. UserError for a folder or a pipe."""
    try:
        other = kind(path)
    except OSError:
        return True
    if other == "a folder" or other in ("a pipe", "a socket") and _stream(path) is None:
        raise UserError(f"{path} cannot be written: it is {other}")
    return not other and _stream(path) is None


def _stream(path: Path) -> Path | None:
    """What a path names or links to below /dev or /proc, such as /proc/12/fd/1 for /dev/stdout; None if it is elsewhere."""
    folder = Path(os.path.realpath(path.parent))
    if not folder.is_relative_to("/proc"):  # there, the links are the streams
        if path.is_symlink() and path.exists():
            return _stream(folder / os.readlink(path))
        if not folder.is_relative_to("/dev") or folder.is_relative_to("/dev/shm"):
            return None
    return folder / path.name


def _append_to(path: Path) -> IO[bytes]:
    """Open a stream for its next bytes. One of this process is shared: opened anew, it would begin at another place."""
    stream = _stream(path)
    if stream is None or stream.parent != Path(f"/proc/{os.getpid()}/fd"):
        return path.open("ab")
    sys.stdout.flush()
    return os.fdopen(os.dup(int(stream.name)), "ab")


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a file to write, which at the end replaces `path`. If anything is raised, the old file stays.

    The file is appended to a stream instead. An OSError becomes a UserError that names `path`.
    """
    replaced = is_replaced(path)
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = None
    try:
        if replaced:
            target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=".n6post-", suffix=path.suffix, dir=target.parent if replaced else None)
        temporary = Path(name)
        os.close(handle)
        if replaced:
            os.chmod(temporary, stat.S_IMODE(target.stat().st_mode) if target.exists() else 0o666 & ~_umask())
        yield temporary
        if replaced:
            os.replace(temporary, target)
        else:
            with _append_to(path) as stream:
                stream.write(temporary.read_bytes())
    except OSError as error:
        raise UserError(f"{path}: {error.strerror or error}") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def output_folder(path: Path) -> None:
    """Create a folder for outputs if it does not exist. UserError if it cannot be written."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        why = "a file has this name" if isinstance(error, FileExistsError) else error.strerror
        raise UserError(f"{path} cannot be the folder of the pictures: {why}") from error


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
        self._file: IO[bytes] | None = None

    def write(self, line: str) -> None:
        """Add a line. UserError if that fails."""
        try:
            if self._file is None and is_replaced(self.path):
                write({self.path: f"{line}\n".encode()})
                self._file = _append_to(self.path)
                return
            self._file = self._file or _append_to(self.path)
            self._file.write(f"{line}\n".encode())
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
