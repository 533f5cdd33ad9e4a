"""`State`: objects of all kinds, changed and saved in a random order, and files that are damaged before a restart.

Checked: a restart finds what the newest undamaged file has, whole, or nothing; it never raises an error.
"""

from __future__ import annotations

import contextlib
import copy
import io
import shutil
from pathlib import Path
from typing import Any

import n6post

from .core import BOUNDED, CONFIRMED, REFUSED, Dice, attempt, require
from .files import damaged
from .labels import folder

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
