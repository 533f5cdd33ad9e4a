"""Timer, RTC and WDT. Timers call back only when the script takes a frame or calls time.sleep_ms()."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import _clock
import _host

_running: list[Timer] = []


def _poll() -> None:
    now = _host.now_ns() / 1e9 if _running else 0
    for timer in _running[:]:
        timer._host_poll(now)


def _next_due() -> int | None:
    return min((int(timer._due * 1e9) for timer in _running), default=None)


_host.on_poll(_poll)
_host.next_due = _next_due


class Timer(_host.StandIn):
    """Calls back once it is due: at the next frame, time.sleep_ms(), machine.idle() or pyb.delay(), once each time."""

    ONE_SHOT = 1
    PERIODIC = 2

    def __init__(self, id: int = -1, /, **options: Any) -> None:
        self._id = id
        self._callback: Callable[[Timer], object] | None = None
        if options:
            self.init(**options)

    def init(
        self, *, mode: int = PERIODIC, freq: float = -1, period: int = -1, callback: Callable[[Any], object] | None = None,
        tick_hz: int = 1000, hard: bool | None = None,
    ) -> None:
        """`period` in milliseconds, or `freq` in hertz; `hard`: from within the interrupt (not on firmware 4.8.1)."""
        if hard is not None and _host.old("timer"):
            raise TypeError("extra keyword arguments given")
        if freq <= 0 and period <= 0:
            raise ValueError("Timer: expected freq or period above 0")
        self.deinit()
        self._mode, self._callback = mode, callback
        self._period = 1 / freq if freq > 0 else period / tick_hz
        self._due = _host.now_ns() / 1e9 + self._period
        _running.append(self)

    def deinit(self) -> None:
        if self in _running:
            _running.remove(self)

    def _host_poll(self, now: float) -> None:
        if now < self._due:
            return
        # Missed calls are not repeated.
        self._due += self._period * (1 + (now - self._due) // self._period)
        if self._mode == self.ONE_SHOT:
            self.deinit()
        if self._callback is not None:
            self._callback(self)

    def __repr__(self) -> str:
        return f"Timer({self._id})"


class RTC(_host.StandIn):
    """The PC's clock, or the time that the script has set."""

    _ahead = timedelta()
    _memory = b""

    def __init__(self, id: int = 0, /, *, datetime: tuple[int, ...] | None = None) -> None:
        if datetime is not None:
            self.init(datetime)

    def init(self, datetime: tuple[int, ...] | None = None, /) -> None:
        if datetime is not None:
            self.datetime((*datetime, *(0,) * (8 - len(datetime))))

    def datetime(self, datetimetuple: tuple[int, ...] | None = None, /) -> tuple[int, ...] | None:
        """(year, month, day, weekday, hours, minutes, seconds, subseconds); Monday is 1, a second has 256 subseconds."""
        now = datetime.fromtimestamp(_clock.clock.wall_ns() / 1e9)
        if datetimetuple is None:
            now += RTC._ahead
            subseconds = 255 - now.microsecond * 256 // 1_000_000
            return now.year, now.month, now.day, now.isoweekday(), now.hour, now.minute, now.second, subseconds
        if len(datetimetuple) != 8:
            raise ValueError(f"requested length 8 but object has length {len(datetimetuple)}")
        year, month, day, _, hours, minutes, seconds, _ = datetimetuple
        RTC._ahead = datetime(year, month, day, hours, minutes, seconds) - now
        return None

    def wakeup(self, *arguments: Any) -> None:
        pass

    def calibration(self, cal: int | None = None, /) -> int | None:
        return 0 if cal is None else None

    def memory(self, data: Any = None, /) -> bytes | None:
        if data is None:
            return RTC._memory
        RTC._memory = _host.to_bytes(data)
        return None


class WDT(_host.StandIn):
    """A watchdog that never resets: a PC may be slower than the camera."""

    def __init__(self, id: int = 0, timeout: int = 5000) -> None:
        if timeout < 1:
            raise ValueError("WDT timeout too short")

    def feed(self) -> None:
        pass

    def timeout_ms(self, value: int, /) -> None:
        pass
