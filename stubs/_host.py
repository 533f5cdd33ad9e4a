"""State shared by the stand-ins on a PC: the firmware they imitate, camera paths, MicroPython's extra functions.

A camera script never imports this; tests and the command `n6post host` do.
"""

from __future__ import annotations

import gc
import sys
import time
import traceback
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, TextIO

import _clock

# Differences between firmware 4.8.1 and 5.0 that the stand-ins can imitate: the arguments of drawing methods; how an image
# is fitted into a network's input; arguments and results of image's finders and statistics; the functions of ulab;
# machine.Timer without `hard`, which came with MicroPython 1.27. Development builds had version 5 and some old behavior.
OLD_WAYS = ("drawing", "fit", "results", "ulab", "timer")

_TICKS_PERIOD = 1 << 30  # ticks_ms() and ticks_us() wrap here on the camera

# Whether OpenMV IDE or another program that speaks its protocol is attached. On a PC it is: you see the script's output.
attached = True

_resolver: Callable[[str], str] | None = None
_old: frozenset[str] = frozenset()
_followers: list[Callable[[], None]] = []


def old(way: str) -> bool:
    """Whether the stand-ins behave like 4.8.1 in this, one of OLD_WAYS."""
    return way in _old


def set_old(ways: Iterable[str]) -> None:
    """Behave like 4.8.1 in these of OLD_WAYS and like 5.0 in the others. omv._host_set_version calls it."""
    global _old
    if unknown := set(ways) - set(OLD_WAYS):
        raise ValueError(f"expected some of {OLD_WAYS}, got {unknown}")
    _old = frozenset(ways)
    for follower in _followers:
        follower()
    # On a camera the firmware never changes while a script runs, so the library keeps what it has found out.
    if library := sys.modules.get("n6post.firmware"):
        library._results.clear()


def follow_firmware(follower: Callable[[], None]) -> None:
    """Call this now, and again whenever the result of `old` changes."""
    _followers.append(follower)
    follower()


class StandIn:
    """Base of the firmware's classes that are implemented in part."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            module = type(self).__module__.partition(".")[0]
            raise AttributeError(f"the stand-in has no {module}.{type(self).__name__}.{name}")


def missing(module: str) -> Callable[[str], Any]:
    """The __getattr__ of a module that is implemented in part."""

    def absent(name: str) -> Any:
        raise AttributeError(f"the stand-in has no {module}.{name}")

    return absent


_pollers: list[Callable[[], None]] = []


def on_poll(poller: Callable[[], None]) -> None:
    """Call this function whenever the script takes a frame or sleeps."""
    _pollers.append(poller)


def poll() -> None:
    """Called when the script takes a frame or sleeps: timers may call back."""
    for poller in _pollers:
        poller()


def to_bytes(value: Any) -> bytes:
    """The bytes of anything that MicroPython accepts as a buffer: bytes-like objects, str, a ulab array, an image."""
    if isinstance(value, str):
        return value.encode()
    for name in ("_np", "_memory"):
        if hasattr(type(value), "__len__") and hasattr(value, name):
            return bytes(getattr(value, name).tobytes())
    try:
        return bytes(memoryview(value).cast("B"))
    except TypeError:
        raise TypeError("object with buffer protocol required") from None


class Output:
    """sys.stdout as a script on a camera has it: `write` also takes bytes, and returns their number.

    stream      the text stream of CPython. On a terminal bytes become text, elsewhere they are written as they are
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, value: Any, /) -> int:
        data = to_bytes(value) if not isinstance(value, str) else value.encode("utf-8", "surrogatepass")
        buffer = None if self._stream.isatty() else getattr(self._stream, "buffer", None)
        if isinstance(value, str):
            self._stream.write(value)
        elif buffer is None:
            self._stream.write(data.decode("utf-8", "backslashreplace"))
        else:
            self._stream.flush()
            buffer.write(data)
        return len(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_SHOWN = 100


def show(port: str, data: bytes) -> None:
    """Print data that a script sends: `UART(3): b'12,34\\n'`; long data is cut."""
    rest = f" and {len(data) - _SHOWN} bytes more" if len(data) > _SHOWN else ""
    print(f"{port}: {data[:_SHOWN]!r}{rest}", flush=True)


def set_resolver(resolver: Callable[[str], str] | None) -> None:
    """Set the function that finds the PC's file for a camera path (`/rom/model.tflite`); None: use paths as they are."""
    global _resolver
    _resolver = resolver


def resolve(path: str) -> str:
    """The path to open on this PC for a script's path."""
    return path if _resolver is None else _resolver(path)


def _ticks_add(ticks: int, delta: int) -> int:
    return (ticks + delta) % _TICKS_PERIOD


def _ticks_diff(end: int, start: int) -> int:
    """The signed difference; correct if the two are less than half a period apart."""
    half = _TICKS_PERIOD // 2
    return (end - start + half) % _TICKS_PERIOD - half


def now_ns() -> int:
    """Nanoseconds of the clock that the script sees (_clock.py)."""
    return _clock.clock.now_ns()


# When the next timer is due, in nanoseconds of now_ns(); None: never. machine sets it.
next_due: Callable[[], int | None] = lambda: None  # noqa: E731


def sleep(seconds: float) -> None:
    """Sleep as the script does, then let timers call back; on a video's clock each at its time."""
    clock = _clock.clock
    if isinstance(clock, _clock.VideoClock) and _clock.in_main_thread():  # other threads live in real time
        end = clock.passed_ns + int(max(seconds, 0) * _clock.SECOND)
        while (due := next_due()) is not None and due <= end:
            clock.sleep((due - clock.passed_ns) / _clock.SECOND)
            poll()
        seconds = (end - clock.passed_ns) / _clock.SECOND
    clock.sleep(seconds)
    poll()


_clock.sleep_of_script = sleep


def _print_exception(error: BaseException, file: TextIO | None = None) -> None:
    traceback.print_exception(error, file=file or sys.stdout)


def install() -> None:
    """Add to CPython's own `time`, `gc` and `sys` what MicroPython's have besides.

    They are built in, so a file of the same name in stubs/ would never be found. A second call changes nothing.
    """
    extra_time: dict[str, object] = {
        "ticks_ms": lambda: now_ns() // 1_000_000 % _TICKS_PERIOD,
        "ticks_us": lambda: now_ns() // 1_000 % _TICKS_PERIOD,
        "ticks_cpu": lambda: now_ns() % _TICKS_PERIOD,
        "ticks_add": _ticks_add,
        "ticks_diff": _ticks_diff,
        "sleep_ms": lambda ms: sleep(max(ms, 0) / 1e3),
        "sleep_us": lambda us: sleep(max(us, 0) / 1e6),
        "clock": _Clock,
    }
    # CPython has no fixed heap. 24 MiB is the heap of the OpenMV N6 in PSRAM.
    extra_gc: dict[str, object] = {"mem_alloc": lambda: 0, "mem_free": lambda: 24 << 20,
                                   "threshold": lambda amount=-1: -1}
    extra_sys: dict[str, object] = {"print_exception": _print_exception}
    for module, extra in ((time, extra_time), (gc, extra_gc), (sys, extra_sys)):
        for name, value in extra.items():
            if not hasattr(module, name):
                setattr(module, name, value)


class _Clock:
    """OpenMV's time.clock(): tick() before a frame, fps() after it."""

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        self._start = now_ns()
        self._elapsed = 0.0
        self._frames = 0

    def tick(self) -> None:
        self._start = now_ns()

    def _spent(self) -> float:
        self._frames += 1
        self._elapsed += (now_ns() - self._start) / 1e9
        return max(self._elapsed, 1e-9)

    def fps(self) -> float:
        spent = self._spent()
        return self._frames / spent

    def avg(self) -> float:
        spent = self._spent()
        return 1000.0 * spent / self._frames
