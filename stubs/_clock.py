"""The time that a script sees: the PC's, or that of the video in front of the camera.

With a VideoClock, a script gets the same times in every run, however fast the PC is: speeds and dwell times are those of the
scene. Time passes when the script takes a frame, sleeps or waits in asyncio, and in no other way:

- A frame is there at the end of its interval: the first after 1 / fps seconds, counted from the first snapshot().
- snapshot() waits for the next frame. If the script has slept past it, it gets the newest frame, and those between are lost,
  as on a camera.
- sleep() takes as long as it says. Timers call back at their times, while the script sleeps or waits for a frame.
- Reading the clock takes 10 microseconds, so a loop that waits without sleeping comes to its end.

Only the command `n6post host` and tests use this; `_host.use_clock` sets it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

# CPython's own functions, also while use() has replaced them.
_real: Any = {name: getattr(time, name) for name in ("time", "time_ns", "sleep", "gmtime", "localtime", "perf_counter_ns")}

_READING = 10_000  # nanoseconds that it takes to read the clock
SECOND = 1_000_000_000


def in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


class PcClock:
    """The PC's own time. Frames are there when the script asks for them."""

    def now_ns(self) -> int:
        now: int = _real["perf_counter_ns"]()
        return now

    def wall_ns(self) -> int:
        """Nanoseconds since 1970."""
        now: int = _real["time_ns"]()
        return now

    def sleep(self, seconds: float) -> None:
        _real["sleep"](max(seconds, 0))

    def until_next_frame(self) -> float:
        """Seconds until snapshot() has its frame."""
        return 0.0

    def next_frame(self, taken: int) -> int:
        """The index of the picture for a camera that has taken this many."""
        return taken

    def skip(self, seconds: float = 0, frames: int = 0) -> None:
        """Skipping frames takes no time."""

    def frame_is_there(self) -> bool:
        return True


class VideoClock(PcClock):
    """The time of a video, or of pictures with a frame rate.

    parts: (number of frames, frames a second) of each video, in the order in which the camera sees them. They are repeated.
    """

    def __init__(self, parts: Sequence[tuple[int, Fraction]]) -> None:
        self._ends: list[Fraction] = []  # when each frame is there, in nanoseconds after the first snapshot()
        end = Fraction(0)
        for count, rate in parts:
            for _ in range(count):
                end += SECOND / rate
                self._ends.append(end)
        self._wall: int = _real["time_ns"]()
        self._now = 0
        self._start: int | None = None
        self._index = -1

    def _end(self, index: int) -> int:
        rounds, index = divmod(index, len(self._ends))
        return (self._start or 0) + int(rounds * self._ends[-1] + self._ends[index])

    def now_ns(self) -> int:
        if in_main_thread():
            self._now += _READING
        return self._now

    def wall_ns(self) -> int:
        return self._wall + self.now_ns()

    def sleep(self, seconds: float) -> None:
        if not in_main_thread():
            super().sleep(seconds)
            return
        self._now += int(max(seconds, 0) * SECOND)

    def upcoming(self) -> int:
        """The index of the frame that snapshot() would return."""
        index = self._index + 1
        if self._start is not None:
            while self._end(index + 1) <= self._now:
                index += 1
        return index

    @property
    def passed_ns(self) -> int:
        """What now_ns() returns, without the time that it takes."""
        return self._now

    @property
    def seconds(self) -> float:
        """How long the script has run since its first frame."""
        return 0.0 if self._start is None else (self._now - self._start) / SECOND

    @property
    def ended(self) -> bool:
        """Whether the script has seen everything once."""
        return self.upcoming() >= len(self._ends)

    def until_next_frame(self) -> float:
        if self._start is None:
            self._start = self._now
        return max(0, self._end(self.upcoming()) - self._now) / SECOND

    def next_frame(self, taken: int) -> int:
        if self._start is None:
            self._start = self._now
        self._index = self.upcoming()
        self._now = max(self._now, self._end(self._index))
        return self._index

    def skip(self, seconds: float = 0, frames: int = 0) -> None:
        """Wait for this time, or for these frames. Nothing is lost before the first frame that the script takes."""
        if self._start is not None:
            for _ in range(frames):
                self.next_frame(0)
            frames = 0
        self.sleep(max(seconds, 0) + frames * float(self._ends[0]) / SECOND)

    def frame_is_there(self) -> bool:
        """Whether the next frame is there already. Asking takes time, as reading the clock does."""
        if self._start is None:
            self._start = self._now
        now = self.now_ns()
        return self._end(self._index + 1) <= now


clock: PcClock = PcClock()


def use(chosen: PcClock | None) -> None:
    """Take this clock, or with None the PC's again. A VideoClock also sets CPython's time.time() and time.sleep()."""
    global clock
    clock = chosen or PcClock()
    replaced: dict[str, Any] = dict(_real)
    if isinstance(clock, VideoClock):
        video = clock

        def shown(name: str) -> Any:
            return lambda seconds=None: _real[name](video.wall_ns() / SECOND if seconds is None else seconds)

        replaced |= {
            "time": lambda: video.wall_ns() / SECOND,
            "time_ns": video.wall_ns,
            "gmtime": shown("gmtime"),
            "localtime": shown("localtime"),
            "sleep": _sleep_and_poll,
        }
    for name, function in replaced.items():
        setattr(time, name, function)


# How the script's thread sleeps. _host sets it: its sleep also lets timers call back.
sleep_of_script: Callable[[float], None] = lambda seconds: clock.sleep(seconds)  # noqa: E731


def _sleep_and_poll(seconds: float, /) -> None:
    if in_main_thread():
        sleep_of_script(seconds)
    else:
        clock.sleep(seconds)
