"""The `machine` module: memory that reads as 0, and what little else camera scripts touch.

A PC has no MVFR1 register, so `mem32[0xE000EF44]` is 0: no Helium, and the library takes its portable
kernels.
"""

from typing import Any


class _Memory:
    """mem8, mem16 and mem32: aligned reads give 0, writes are refused."""

    def __init__(self, size: int) -> None:
        self._size = size

    def __getitem__(self, address: int) -> int:
        if address % self._size:
            raise ValueError(f"address {address:08x} is not aligned to {self._size} bytes")
        return 0

    def __setitem__(self, address: int, value: int) -> None:
        raise NotImplementedError(f"machine.mem{8 * self._size}: there is no memory to write to on a PC")


mem8 = _Memory(1)
mem16 = _Memory(2)
mem32 = _Memory(4)


class Pin:
    """A pin that remembers what was put on it."""

    IN = 0
    OUT = 1
    PULL_UP = 1
    PULL_DOWN = 2

    def __init__(self, id: object, mode: int = -1, pull: int = -1, *, value: Any = None) -> None:
        self._value = int(bool(value))

    def value(self, value: Any = None) -> int | None:
        if value is None:
            return self._value
        self._value = int(bool(value))
        return None

    __call__ = value

    def on(self) -> None:
        self._value = 1

    def off(self) -> None:
        self._value = 0


class LED:
    """A lamp of the board: "LED_RED", "LED_GREEN", "LED_BLUE"."""

    def __init__(self, name: str) -> None:
        self._lit = False

    def on(self) -> None:
        self._lit = True

    def off(self) -> None:
        self._lit = False

    def toggle(self) -> None:
        self._lit = not self._lit


def freq() -> int:
    return 800_000_000


def unique_id() -> bytes:
    return bytes(12)


def idle() -> None:
    pass


def reset() -> None:
    """Ends the script, as the camera's restart would."""
    raise SystemExit("machine.reset()")
