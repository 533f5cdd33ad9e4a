"""The `pyb` module of STM32 cameras, older than `machine`: LEDs, servos, ports and waiting.

What `machine` has too is the same here. Data sent to a UART is printed. A missing name raises "the stand-in has no ...".
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import _clock
import _host
import machine
from machine import RTC, Pin, disable_irq, enable_irq, rng, unique_id


def millis() -> int:
    """Milliseconds since the start, as time.ticks_ms()."""
    return _host.now_ns() // 1_000_000 & 0x3FFFFFFF


def micros() -> int:
    return _host.now_ns() // 1_000 & 0x3FFFFFFF


def elapsed_millis(start: int, /) -> int:
    return (millis() - start) & 0x3FFFFFFF


def elapsed_micros(start: int, /) -> int:
    return (micros() - start) & 0x3FFFFFFF


def delay(ms: int, /) -> None:
    _host.sleep(max(ms, 0) / 1e3)


def udelay(us: int, /) -> None:
    _clock.clock.sleep(max(us, 0) / 1e6)


class LED(_host.StandIn):
    """An LED: 1 red, 2 green, 3 blue, 4 infrared."""

    def __init__(self, id: int, /) -> None:
        if id not in (1, 2, 3, 4):
            raise ValueError(f"LED({id}) doesn't exist")
        self._intensity = 0

    def on(self) -> None:
        self._intensity = 255

    def off(self) -> None:
        self._intensity = 0

    def toggle(self) -> None:
        self._intensity = 0 if self._intensity else 255

    def intensity(self, value: int | None = None, /) -> int | None:
        if value is None:
            return self._intensity
        self._intensity = min(max(value, 0), 255)
        return None


class UART(machine.UART):
    """machine.UART; here the constructor and `init` do not need a baud rate."""


class Servo(_host.StandIn):
    """A servo that remembers its angle, -90 to 90 degrees; a pulse of 1500 microseconds is its center."""

    _SHORTEST, _LONGEST, _CENTER, _AT_90 = 640, 2420, 1500, 2470  # microseconds

    def __init__(self, id: int, /) -> None:
        if id not in (1, 2, 3, 4):
            raise ValueError(f"Servo({id}) doesn't exist")
        self._angle: float = 0

    def angle(self, angle: float | None = None, time: int = 0, /) -> int | None:
        if angle is None:
            return round(self._angle)
        self._angle = min(max(angle, -90), 90)
        return None

    def pulse_width(self, value: int | None = None, /) -> int | None:
        """Microseconds."""
        if value is None:
            width = round(self._CENTER + self._angle * (self._AT_90 - self._CENTER) / 90)
            return min(max(width, self._SHORTEST), self._LONGEST)
        self._angle = (min(max(value, self._SHORTEST), self._LONGEST) - self._CENTER) * 90 / (self._AT_90 - self._CENTER)
        return None


__all__ = [
    "LED", "Pin", "RTC", "Servo", "UART", "delay", "disable_irq", "elapsed_micros", "elapsed_millis", "enable_irq", "micros",
    "millis", "rng", "udelay", "unique_id",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = _host.missing("pyb")
