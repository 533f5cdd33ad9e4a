"""A folder of collected pictures: pairs of 00017_unsure_120.jpg and 00017_unsure_120.txt, its labels in YOLO's format.

What was decided about a picture is the folder in which both are: kept and dropped ones are in `kept` and `dropped`.
"""

import os
import re
import threading
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from .. import files
from ..command import UserError

NAME = re.compile(r"[0-9]{5,}_[a-z]+(_[0-9]+)?")  # number, reason, and what the frame was worth
STATES = TO_SORT, KEPT, DROPPED = "to sort", "kept", "dropped"


@dataclass(frozen=True)
class Picture:
    """A picture with the lines of its labels.

    size        (width, height)
    damage      why it cannot be used, or ""
    """

    path: Path
    state: str
    size: tuple[int, int] = (0, 0)
    lines: tuple[str, ...] = ()
    damage: str = ""

    @property
    def reason(self) -> str:
        return self.path.stem.split("_")[1]


def is_whole(data: bytes) -> bool:
    """Whether a JPEG has its end. It has none if the power failed while it was written."""
    return data.endswith(b"\xff\xd9")


def box(line: str) -> tuple[int, float, float, float, float]:
    """(class number, center x, y, width, height) of a line of labels. ValueError for any other text."""
    try:
        number, *rest = line.split()
        cx, cy, w, h = map(float, rest)
        if re.fullmatch("[0-9]{1,5}", number) and min(cx, cy) >= 0 and min(w, h) > 0 and max(cx, cy, w, h) <= 1:
            return int(number), cx, cy, w, h
    except ValueError:
        pass
    raise ValueError(f"expected labels `class cx cy w h`, fractions of the picture's size, got {line[:80]!r}")


class Folder:
    """The pictures of a folder. Several threads may use it."""

    def __init__(self, path: Path) -> None:
        """UserError if there is no such folder."""
        if not path.is_dir():
            raise UserError(f"no such folder: {path}")
        self._places = {TO_SORT: path, KEPT: path / KEPT, DROPPED: path / DROPPED}
        self._lock = threading.RLock()

    def pictures(self) -> list[Picture]:
        """All pictures in the order of their numbers, damaged ones too."""
        found = {path.stem for folder in self._places.values() for path in folder.glob("*.jpg")}
        names = filter(NAME.fullmatch, found)
        return [self.picture(name) for name in sorted(names, key=lambda name: (name.index("_"), name))]

    def place(self, name: str) -> tuple[str, Path]:
        """(state, path) of a picture that is there, or that comes."""
        paths = {state: folder / f"{name}.jpg" for state, folder in self._places.items()}
        return next(((state, path) for state, path in paths.items() if path.is_file()), (TO_SORT, paths[TO_SORT]))

    def picture(self, name: str) -> Picture:
        """The picture of this name. UserError if there is none."""
        with self._lock:
            state, path = self.place(name)
            if not NAME.fullmatch(name) or not path.is_file():
                raise UserError(f"there is no picture {name!r} any more")
            labels = path.with_suffix(".txt")
            for left in (folder / labels.name for folder in self._places.values()):
                if not labels.exists() and left.exists() and not left.with_suffix(".jpg").exists():
                    os.replace(left, labels)  # `decide` was interrupted
            try:
                if not labels.exists():
                    raise ValueError("it has no labels")
                if not is_whole(path.read_bytes()):
                    raise ValueError("its end is missing")
                lines = tuple(filter(str.strip, labels.read_text(encoding="utf-8").splitlines()))
                for line in lines:
                    box(line)
                with Image.open(path) as opened:
                    return Picture(path, state, opened.size, lines)
            except (OSError, ValueError) as error:  # Pillow's is an OSError, that of text which is not UTF-8 a ValueError
                return Picture(path, state, damage=str(error))

    def decide(self, name: str, state: str) -> None:
        """Move a picture and its labels. UserError if it is not there, or others of this name are in the way."""
        with self._lock:
            path = self.picture(name).path
            if state not in self._places:
                raise UserError(f"expected one of {', '.join(STATES)}, got {state!r}")
            moves = {one: self._places[state] / one.name for one in (path.with_suffix(".txt"), path)}
            if moves[path] != path:
                if taken := [one for one in moves.values() if one.exists()]:
                    raise UserError(f"{taken[0]} is there already: remove one of the two")
                files.output_folder(self._places[state])
                for one, target in moves.items():
                    os.replace(one, target)

    def label(self, name: str, before: list[str], lines: list[str]) -> None:
        """Write a picture's labels. UserError if they are not `before` any more, ValueError for lines that are no labels."""
        with self._lock:
            picture = self.picture(name)
            if list(picture.lines) != before:
                raise UserError(f"the labels of {name} have changed meanwhile: reload the page")
            for line in lines:
                box(line)
            files.write({picture.path.with_suffix(".txt"): "".join(f"{line}\n" for line in lines).encode()})


def names_of(folder: Path, labels: Path | None) -> list[str]:
    """The classes' names in a file, by default the folder's labels.txt; [] without one. UserError if it cannot be used."""
    from n6post.tensors.labels import name_list

    path = labels or folder / "labels.txt"
    if labels is None and not path.exists():
        return []
    try:
        return list(name_list("labels", str(files.regular(path, "file of labels"))))
    except ValueError as error:
        raise UserError(str(error)) from None
