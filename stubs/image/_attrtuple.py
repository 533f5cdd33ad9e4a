"""Result types of find_*() and get_*(): tuples with names in 5.0, objects with methods in 4.8.1."""

import operator
from typing import Any

import _host


class AttrTuple(tuple[Any, ...]):
    """A tuple with named items: a subclass annotates the names in order. It has no other features of a namedtuple."""

    _names: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        cls._names = tuple(cls.__annotations__)
        for number, name in enumerate(cls._names):
            setattr(cls, name, property(operator.itemgetter(number)))

    def __repr__(self) -> str:
        return "(" + ", ".join(f"{name}={value!r}" for name, value in zip(self._names, self, strict=True)) + ")"


class Methods:
    """The same result in firmware 4.8.1: a method for every name, and items in a different order."""

    def __init__(self, kind: str, items: dict[str, Any], methods: dict[str, Any], text: str,
                 slices: list[Any] | None = None) -> None:
        self._kind, self._items, self._text = kind, list(items.values()), text
        self._slices = slices or self._items
        for name, value in {**items, **methods}.items():
            setattr(self, name, lambda value=value: value)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"'{self._kind}' object has no attribute '{name}'")

    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            if index.step not in (None, 1):
                raise OSError("only slices with step=1 (aka None) are supported")
            return tuple(self._slices[index])
        return self._items[index]

    def __repr__(self) -> str:
        return self._text


def old() -> bool:
    """Whether results have the form of firmware 4.8.1."""
    return _host.old("results")
