"""What MicroPython's `asyncio` has and CPython's lacks: sleep_ms, wait_for_ms, ThreadSafeFlag, and one loop for everything.

As on the camera, there is one event loop: get_event_loop() always has it, tasks may be created before it runs, run() leaves
the other tasks where they are when its own has ended, and new_event_loop() begins again without tasks. The loop follows the
clock that the script sees: with a video's (_clock.py), waiting takes no time on the PC.

Only the command `n6post host` installs and removes this.
"""

from __future__ import annotations

import asyncio
import gc
import selectors
import warnings
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any

import _clock
import _host

_sleep = asyncio.sleep
_STEP = 0.01  # seconds after which the loop looks for timers that are due


class _Selector(selectors.DefaultSelector):  # type: ignore[misc, valid-type]
    """Waits on the script's clock, and lets timers call back."""

    def select(self, timeout: float | None = None) -> Any:
        _host.poll()
        step = _STEP if timeout is None else min(max(timeout, 0), _STEP)
        if not isinstance(_clock.clock, _clock.VideoClock):
            return super().select(step)
        ready = super().select(0.001 if timeout is None else 0)  # without a timeout, something real has to happen
        if not ready:
            _host.sleep(step)
        return ready


class Loop(asyncio.SelectorEventLoop):
    """CPython's event loop, on the script's clock."""

    def __init__(self) -> None:
        super().__init__(_Selector())
        self.set_exception_handler(_shown)

    def time(self) -> float:
        return _host.now_ns() / 1e9

    def close(self) -> None:
        """Tasks that are left are dropped without a message, as on a camera."""
        for task in asyncio.all_tasks(self):
            task._log_destroy_pending = False  # type: ignore[attr-defined]
        super().close()


def _shown(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    error = context.get("exception")
    if isinstance(error, SystemExit):  # the end of the run: it has ended already
        return
    if error is not None and _report is not None:
        _report(error)
    else:
        loop.default_exception_handler(context)


class ThreadSafeFlag:
    """A flag that an interrupt may set. One task waits for it; wait() clears it."""

    def __init__(self) -> None:
        self._event = asyncio.Event()

    def set(self) -> None:
        self._event.set()

    def clear(self) -> None:
        self._event.clear()

    async def wait(self) -> None:
        await self._event.wait()
        self._event.clear()


_loop: Loop | None = None
_report: Callable[[BaseException], None] | None = None


def get_event_loop() -> Loop:
    global _loop
    if _loop is None:
        _loop = Loop()
    return _loop


def new_event_loop() -> Loop:
    global _loop
    if _loop is not None and not _loop.is_running():
        _loop.close()
    _loop = Loop()
    return _loop


def run(coro: Coroutine[Any, Any, Any], /) -> Any:
    return get_event_loop().run_until_complete(coro)


def create_task(coro: Coroutine[Any, Any, Any], /) -> asyncio.Task[Any]:
    return get_event_loop().create_task(coro)


async def sleep(delay: float, result: Any = None, /) -> Any:
    """Let the others run for this time in seconds, at least once."""
    await _sleep(delay)
    # MicroPython resumes tasks in the order in which they are due. CPython needs two more rounds until a task that was
    # waiting runs, and in each of them the camera would take a frame.
    for _ in range(2 if delay <= 0 else 0):
        await _sleep(0)
    return result


def sleep_ms(t: int, /) -> Coroutine[Any, Any, None]:
    return sleep(t / 1000)


def wait_for_ms(aw: Awaitable[Any], timeout: int, /) -> Coroutine[Any, Any, Any]:
    return asyncio.wait_for(aw, timeout / 1000)


_NEW: dict[str, Any] = {
    "get_event_loop": get_event_loop, "new_event_loop": new_event_loop, "run": run, "create_task": create_task,
    "sleep": sleep, "sleep_ms": sleep_ms, "wait_for_ms": wait_for_ms, "ThreadSafeFlag": ThreadSafeFlag, "Loop": Loop,
}  # fmt: skip
_before: dict[str, Any] = {}


def install(report: Callable[[BaseException], None] | None = None) -> None:
    """Add MicroPython's names. `report` gets what a task raises that nobody awaits; None: asyncio logs it."""
    global _report
    _report = report
    for name, value in _NEW.items():
        if hasattr(asyncio, name):
            _before[name] = getattr(asyncio, name)
        setattr(asyncio, name, value)


def remove() -> None:
    """Undo install(), and drop the tasks that are left."""
    global _loop, _report
    for name in _NEW:
        if name in _before:
            setattr(asyncio, name, _before.pop(name))
        else:
            delattr(asyncio, name)
    if _loop is not None and not _loop.is_running():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # coroutines that never ran
            _loop.close()
            _loop = None
            gc.collect()  # a task reports its error when it is deleted
    _loop = _report = None
