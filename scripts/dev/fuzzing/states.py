"""What is written to files: `State` and `Collector`.

`State`: objects of all kinds, changed and saved in a random order, and files that are damaged before a restart. Checked: a
restart finds what the newest undamaged file has, whole, or nothing; it never raises an error.

`Collector`: frames of tracks that come, go, jump and change, with a restart. Checked: what is in the folder.
"""

from __future__ import annotations

import contextlib
import copy
import io
import shutil
from pathlib import Path
from typing import Any

import image
import n6post

from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .files import damaged
from .labels import folder
from .tracking import seen

_VALUES: tuple[Any, ...] = (
    0, 7, -1, 1 << 70, 0.5, 1e30, "", "\u00e4\n", "\0", True, None, [], [1, [2.5, "a"]], {}, {"a": {"b": [None]}},
)  # fmt: skip
_WRONG: tuple[Any, ...] = (float("nan"), float("-inf"), (1,), b"x", {1: 2}, [{3}], 1j, object())


class _Own:
    def __init__(self) -> None:
        self.state: Any = 0

    def to_state(self) -> Any:
        return self.state

    def from_state(self, state: Any) -> None:
        self.state = state


def _made() -> dict[str, Any]:
    return {"own": _Own(), "counts": {}, "list": [], "gallery": n6post.Gallery(), "heat": n6post.HeatMap(3, 2)}


def _values(objects: dict[str, Any]) -> Any:
    gallery, heat = objects["gallery"].as_dict(), objects["heat"].values().tolist()
    return copy.deepcopy((objects["own"].state, objects["counts"], objects["list"], gallery, heat))


def states(dice: Dice) -> str:
    place = folder() / "state"
    shutil.rmtree(place, ignore_errors=True)
    objects = _made()
    state = n6post.State(str(place), **objects)
    saved: list[Any] = []
    said: list[str] = []
    dice.tell(said=said)
    for _ in range(dice.whole(1, 5)):
        value = dice.pick(_WRONG if dice.chance(0.03) else _VALUES)
        said.append(repr(value))
        objects["own"].state = (value, dice.array.bytes(dice.whole(0, 40))) if dice.chance(0.3) else value
        objects["counts"][dice.pick(("a", 3, "\u65e5"))] = value
        objects["list"][:] = [value] * dice.pick((0, 1, 3, 3000))
        objects["gallery"].enroll(dice.pick(("Anna", 1, 2)), dice.array.random(6) + 0.1)
        objects["heat"].update([], elapsed_ms=40)
        written, refused = attempt(state.save, force=True)
        if refused:
            return REFUSED
        if written:
            saved.append(_values(objects))
    broken = []
    for at, name in enumerate("ab"):
        file = Path(place, name, "state")
        if at < len(saved) and dice.chance(0.5):
            data = file.read_bytes()
            data = damaged(dice, data)
            if data != file.read_bytes():
                broken.append(name)
            file.write_bytes(data)
    again = _made()
    with contextlib.redirect_stdout(io.StringIO()):
        n6post.State(str(place), **again)
    expected = [_values(_made()), *saved]
    possible = expected[-1:]
    if saved and "ba"[len(saved) % 2] in broken:  # the newest; the damage may be behind its end
        possible += expected[-2:-1] + expected[: len(broken) - 1]
    found = _values(again)
    require(found in possible, "a restart found %r", found)
    return BOUNDED if broken else CONFIRMED


def collector(dice: Dice) -> str:
    place = folder() / "collected"
    shutil.rmtree(place, ignore_errors=True)
    options = {"below": dice.pick((0.5, 0.0, 1.0)), "every": dice.pick((0.0, 0.3, 5.0)), "max_files": dice.pick((999, 3, 1))}
    width, height = size = dice.pick(((64, 48), (40, 120), (1, 1)))
    tracker = n6post.Tracker(min_hits=1, coast=dice.pick((0, 0.5)))
    made = n6post.Collector(str(place), **options)
    said: list[Any] = []
    dice.tell(options=options, size=size, frames=said)
    last = -1e9
    for k in range(dice.whole(2, 15)):
        if dice.chance(0.1):
            made, last = n6post.Collector(str(place), **options), -1e9
        found = [
            seen(tuple(dice.whole(*ends) for ends in ((-9, width), (-9, height), (1, 40), (1, 40))), score, dice.whole(0, 2))
            for score in dice.array.random(dice.whole(0, 4))
        ]
        if dice.chance(0.8):
            found = tracker.update(found, elapsed_ms=100)
        pixels = bytearray(dice.array.bytes(2 * width * height))
        frame = image.Image(width, height, image.RGB565, buffer=pixels)
        before = {file.name for file in place.glob("*")}
        given = [d if d.frame_size else d.replace(frame_size=size) for d in found]
        said.append([(d.track_id, d.missed, *d[:3]) for d in given])
        path, refused = attempt(made.update, given, frame, elapsed_ms=100)
        require(not refused and bytes(frame.bytearray()) == bytes(pixels), "refused or changed: %s", refused)
        pictures = sorted(file.stem for file in place.glob("*.jpg"))
        require(pictures == sorted(file.stem for file in place.glob("*.txt")), "pictures without texts: %s", pictures)
        require(len(pictures) == made.count <= options["max_files"], "%d pictures, count %d", len(pictures), made.count)
        require(len({stem.split("_")[0] for stem in pictures}) == len(pictures), "a number twice: %s", pictures)
        if path is None:
            require(before == {file.name for file in place.glob("*")}, "files changed without a word")
            continue
        new = Path(path)
        require(new.name not in before and new.stem in pictures, "%s is not new: %s", path, before)
        require(100 * k - last >= 1000 * options["every"], "%d ms after the picture before", 100 * k - last)
        last = 100 * k
        lines = new.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
        detected = n6post.to_yolo([d for d in given if not d.missed]).splitlines()
        require(lines[: len(detected)] == detected and len(lines) <= len(detected) + 1, "%s for %s", lines, detected)
        require(len(lines) == len(detected) or "_lost_" in path, "%s has a box more", path)
    return CONFIRMED
