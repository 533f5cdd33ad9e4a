"""Where the lines go that a script on a camera prints."""

import contextlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TextIO

from .command import UserError


class Lines:
    """Where lines go: JSON to its file, if there is one, all else to stdout. Each is written out at once."""

    def __init__(self, file: TextIO | None, also: Callable[[str], None] | None = None) -> None:
        self._file, self._also = file, also
        self.count = self.kept = 0
        self.traceback = False
        self.missing = False  # n6post is not on the camera

    def __call__(self, line: str) -> None:
        self.count += 1
        if self._also is not None:
            self._also(line)
        if self._file is not None and is_json(line):
            try:
                self._file.write(line + "\n")
                self._file.flush()
            except OSError as error:
                raise UserError(f"{self._file.name}: {error.strerror}") from None
            self.kept += 1
            return
        self.traceback = self.traceback or line.startswith("Traceback (most recent call last)")
        self.missing = self.missing or line.startswith("ImportError: no module named 'n6post'")
        print(line, flush=True)

    def remedy(self, sentence: str) -> str:
        """The sentence, and what helps where n6post was not found."""
        return sentence + (" n6post is not on the camera: `n6post camera install` brings it there." if self.missing else "")


def is_json(line: str) -> bool:
    """Whether a line is what to_json writes: a list or an object. A number alone is text, such as frames a second."""
    if not line.startswith(("[", "{")):
        return False
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


def close_lines(file: TextIO | None) -> None:
    if file is not None:
        with contextlib.suppress(OSError):  # what could not be written was told when it was
            file.close()


def open_lines(path: Path | None) -> TextIO | None:
    """The file for lines of JSON, emptied."""
    if path is None:
        return None
    try:
        return path.open("w", encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None


def folder_for(path: Path | None) -> Path | None:
    """The folder for frames, made if need be."""
    if path is None:
        return None
    try:
        path.mkdir(parents=True, exist_ok=True)
        if not os.access(path, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    return path
