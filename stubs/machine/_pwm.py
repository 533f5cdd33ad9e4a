"""PWM: duty cycles that are remembered."""

from typing import Any

import _host


class PWM(_host.StandIn):
    """A PWM output that remembers its frequency and duty cycle (in 1/65535 or in nanoseconds)."""

    def __init__(
        self, dest: Any, *, freq: int | None = None, duty_u16: int | None = None, duty_ns: int | None = None,
        invert: bool = False
    ) -> None:
        self._dest = dest
        self._freq = 0
        self._u16: int | None = 0
        self._ns = 0
        self.init(freq=freq, duty_u16=duty_u16, duty_ns=duty_ns, invert=invert)

    def init(
        self, *, freq: int | None = None, duty_u16: int | None = None, duty_ns: int | None = None, invert: bool = False
    ) -> None:
        if duty_u16 is not None and duty_ns is not None:
            raise ValueError("PWM: duty_u16 or duty_ns, not both")
        if freq is not None:
            self.freq(freq)
        if duty_u16 is not None:
            self.duty_u16(duty_u16)
        if duty_ns is not None:
            self.duty_ns(duty_ns)

    def deinit(self) -> None:
        self._u16, self._ns = 0, 0

    def freq(self, value: int | None = None, /) -> int | None:
        if value is None:
            return self._freq
        if value <= 0:
            raise ValueError(f"PWM: a frequency is above 0, got {value}")
        self._freq = value
        return None

    def duty_u16(self, value: int | None = None, /) -> int | None:
        if value is None:
            return round(self._ns * self._freq * 65535 / 1e9) if self._u16 is None else self._u16
        if not 0 <= value <= 65535:
            raise ValueError(f"PWM: duty_u16 is 0 to 65535, got {value}")
        self._u16 = value
        return None

    def duty_ns(self, value: int | None = None, /) -> int | None:
        if value is None:
            return self._ns if self._u16 is None else round(self._u16 / 65535 * 1e9 / self._freq) if self._freq else 0
        if value < 0:
            raise ValueError(f"PWM: duty_ns is not negative, got {value}")
        self._u16, self._ns = None, value
        return None

    def __repr__(self) -> str:
        return f"PWM({self._dest}, freq={self._freq}, duty_u16={self.duty_u16()})"
