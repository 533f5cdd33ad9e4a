# mypy: disable-error-code="empty-body"
"""The camera's `time` as editors and checkers see it: MicroPython's functions, and OpenMV's `clock`.

Nothing ever imports this: `time` is built into CPython, and `_host.install()` adds there what it lacks. It is no .pyi,
for then Pylance warns on every `import time` that the stub has no source.
"""


class clock:
    """Measures frame times: call `tick()` before a frame and `fps()` after it."""

    def tick(self) -> None:
        """Start of a frame."""

    def fps(self) -> float:
        """End of a frame. Returns the average number of frames per second."""
        ...

    def avg(self) -> float:
        """End of a frame. Returns the average time of a frame in milliseconds."""
        ...

    def reset(self) -> None:
        """Forget the frames so far."""


def sleep(seconds: float, /) -> None: ...
def sleep_ms(ms: int, /) -> None: ...
def sleep_us(us: int, /) -> None: ...


def ticks_ms() -> int:
    """Milliseconds that wrap around: compare them by ticks_diff."""
    ...


def ticks_us() -> int:
    """Microseconds that wrap around: compare them by ticks_diff."""
    ...


def ticks_cpu() -> int:
    """Ticks of the highest resolution, which wrap around: compare them by ticks_diff."""
    ...


def ticks_add(ticks: int, delta: int, /) -> int: ...


def ticks_diff(end: int, start: int, /) -> int:
    """From start to end, signed, across the wrap."""
    ...


def time() -> int:
    """Whole seconds of the camera's clock."""
    ...


def time_ns() -> int: ...


def gmtime(seconds: int | None = None, /) -> tuple[int, ...]:
    """(year, month, day, hour, minute, second, weekday, day of the year)"""
    ...


def localtime(seconds: int | None = None, /) -> tuple[int, ...]:
    """(year, month, day, hour, minute, second, weekday, day of the year)"""
    ...


def mktime(when: tuple[int, ...], /) -> int:
    """The inverse of localtime: seconds."""
    ...


class struct_time(tuple[int, ...]):
    """Not on a camera: CPython's datetime and logging name it, which numpy's types need."""
