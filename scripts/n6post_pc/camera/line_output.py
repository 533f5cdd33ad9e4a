"""Sort the lines that a script on a camera prints: JSON to a file, everything else to stdout."""

import json
from collections.abc import Callable, Iterator
from typing import AnyStr, Generic

from .. import terminal
from ..cli import spelled
from ..command import UserError
from ..files import LineFile

LONGEST = 1 << 24  # maximum length of a line in characters; output without any line ends would fill this PC's memory


def no_line() -> UserError:
    return UserError(f"the script printed {LONGEST:,} characters without a line end and was stopped")


class Splitter(Generic[AnyStr]):
    """Splits text or bytes that arrive in pieces into lines. It scans each piece once, however long a line becomes."""

    def __init__(self, end: AnyStr) -> None:
        self._end, self._nothing = end, end[:0]
        self._parts: list[AnyStr] = []  # of the unfinished line
        self._length = 0

    def lines(self, piece: AnyStr) -> Iterator[AnyStr]:
        """Yield all lines that end in this piece.

        If a line becomes longer than LONGEST, yield its beginning, then raise a UserError.
        """
        first, *more = piece.split(self._end)
        self._parts.append(first)
        self._length += len(first)
        for part in more:
            yield self.rest()
            self._parts, self._length = [part], len(part)
        if self._length > LONGEST:
            yield self.rest()
            raise no_line()

    def rest(self) -> AnyStr:
        """Return and clear the unfinished line."""
        rest = self._nothing.join(self._parts)
        self._parts, self._length = [], 0
        return rest


class Lines:
    """Writes JSON lines to a file, if there is one, and all other lines to stdout. Each is flushed at once.

    file    where the JSON lines go, or None to print them too
    also    a function that is called with every line
    """

    def __init__(self, file: LineFile | None, also: Callable[[str], None] | None = None) -> None:
        self._file, self._also = file, also
        self.count = self.kept = 0
        self.traceback = False
        self.missing = False  # n6post is not on the camera

    def __call__(self, line: str) -> None:
        self.count += 1
        if self._also is not None:
            self._also(line)
        if self._file is not None and is_json(line):
            self._file.write(line)
            self.kept += 1
            return
        self.traceback = self.traceback or line.startswith("Traceback (most recent call last)")
        self.missing = self.missing or line.startswith("ImportError: no module named 'n6post'")
        print(line, file=terminal.for_scripts(), flush=True)

    def remedy(self, sentence: str) -> str:
        """The sentence, followed by the command to run if the script could not import n6post."""
        if self.missing:
            sentence += f" n6post is not on the camera: `{spelled('camera')} install` copies it there."
        return sentence


def is_json(line: str) -> bool:
    """Whether a line is JSON as to_json writes it: a list or an object. A single number, such as an FPS value, is text."""
    if not line.startswith(("[", "{")):
        return False
    try:
        json.loads(line)
    except (ValueError, RecursionError):  # RecursionError: thousands of nested brackets
        return False
    return True
