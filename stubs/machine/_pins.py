"""Pin and LED: they remember their value. There are no interrupts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import _host


class _Names:
    """Pin.board.P0: the pin of that name."""

    def __getattr__(self, name: str) -> Pin:
        if name.startswith("_"):
            raise AttributeError(name)
        return Pin(name)


class Pin(_host.StandIn):
    """A pin that remembers its value."""

    IN = 0
    OUT = OUT_PP = 1
    ALT = AF_PP = 2
    ANALOG = 3
    OPEN_DRAIN = OUT_OD = 17
    ALT_OPEN_DRAIN = AF_OD = 18
    PULL_NONE = 0
    PULL_UP = 1
    PULL_DOWN = 2
    IRQ_RISING = 0x110000
    IRQ_FALLING = 0x210000
    board = _Names()
    cpu = _Names()

    def __init__(
        self, id: Any, mode: int = -1, pull: int | None = -1, *, value: Any = None, drive: int = 0, alt: int = -1,
        af: int = -1
    ) -> None:
        if not isinstance(id, (Pin, str, int)):
            raise ValueError(f"Pin({id!r}) doesn't exist")
        self._name: str | int = id._name if isinstance(id, Pin) else id
        self._value = 0
        self._mode, self._pull = 0, 0
        self.init(mode, pull, value=value)

    def init(
        self, mode: int = -1, pull: int | None = -1, *, value: Any = None, drive: int = 0, alt: int = -1, af: int = -1
    ) -> None:
        if mode != -1:
            self._mode = mode
        if pull is None or pull != -1:
            self._pull = pull or 0
        if value is not None:
            self._value = int(bool(value))
        elif self._pull == self.PULL_UP and self._mode == self.IN:
            self._value = 1  # nothing is connected

    def value(self, value: Any = None) -> int | None:
        if value is None:
            return self._value
        self._value = int(bool(value))
        return None

    __call__ = value

    def on(self) -> None:
        self._value = 1

    high = on

    def off(self) -> None:
        self._value = 0

    low = off

    def toggle(self) -> None:
        self._value ^= 1

    def mode(self, mode: int | None = None) -> int | None:
        if mode is None:
            return self._mode
        self._mode = mode
        return None

    def pull(self, pull: int | None = None) -> int | None:
        if pull is None:
            return self._pull
        self._pull = pull
        return None

    def name(self) -> str:
        return str(self._name)

    def irq(self, handler: Callable[[Pin], None] | None = None, trigger: int = IRQ_RISING | IRQ_FALLING, *,
            priority: int = 1, wake: int | None = None, hard: bool = False) -> Callable[[Pin], None] | None:
        """The handler is accepted and never called."""
        return handler

    def __repr__(self) -> str:
        return f"Pin({self._name})"


class LED(_host.StandIn):
    """An LED of the board: "LED_RED", "LED_GREEN", "LED_BLUE"."""

    def __init__(self, name: str) -> None:
        self._lit = False

    def on(self) -> None:
        self._lit = True

    def off(self) -> None:
        self._lit = False

    def toggle(self) -> None:
        self._lit = not self._lit
