"""What the tests of all families need to know of each family.

Each family's own test file describes it in FAMILY_CASES; for families.maps.deeplab that is families/maps/test_deeplab.py.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any, NamedTuple

import n6post
from fakes import FAMILY_NAMES, FakeModel


class OptionCase(NamedTuple):
    """An option of a family."""

    default: Any  # written down here once more: a default that changes by mistake changes the types and docs/api.md, too
    value: Any  # another value, which changes the result of a frame
    wrong: tuple[Any, ...]  # values that are refused
    model: Callable[[], FakeModel]  # the model whose frame changes
    besides: dict[str, Any] = {}  # other options that the processor is made with


class FrameCase(NamedTuple):
    """A frame of a family, in which a test interrupts every line."""

    make: Callable[[], Any]  # the processor
    model: Callable[[], FakeModel]
    other: Callable[[], FakeModel]  # another model, which the processor has seen before
    change: tuple[str, Any, Any]  # an option, its value and another value


class FamilyCases(NamedTuple):
    """Every option of a family, and the frames that together run all of its code."""

    options: dict[str, OptionCase]
    frames: dict[str, FrameCase]
    examines_numbers: bool = False  # whether it refuses random numbers of a model with labels, too


def family_cases() -> dict[str, FamilyCases]:
    """The cases of every family in the library."""
    files = {name: n6post._EXPORTS[name].rpartition(".")[2] for name in FAMILY_NAMES}
    return {name: importlib.import_module(f"test_{file}").FAMILY_CASES for name, file in files.items()}
