"""The `micropython` module: on CPython its decorators have nothing to compile and do nothing."""

from collections.abc import Callable
from typing import Any, NoReturn, TypeVar

import _host

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

_host.install()  # the library measures with time.ticks_ms, in plain Python too

_lock_depth = 0


def const(value: T) -> T:
    return value


def native(function: F) -> F:
    return function


def viper(function: F) -> F:
    """Return the function unchanged: viper's own types (ptr8, uint) do not exist here."""
    return function


def asm_thumb(function: Callable[..., Any]) -> NoReturn:
    """Raise what the compiler of a port without the inline assembler raises."""
    raise SyntaxError("invalid micropython decorator")


def heap_lock() -> None:
    """Only counted: CPython cannot lock its heap."""
    global _lock_depth
    _lock_depth += 1


def heap_unlock() -> int:
    global _lock_depth
    _lock_depth = max(_lock_depth - 1, 0)
    return _lock_depth


def heap_locked() -> int:
    return _lock_depth


def mem_info(verbose: object = None, /) -> None:
    print("mem: not known on CPython")


def alloc_emergency_exception_buf(size: int) -> None:
    pass


def schedule(function: Callable[[Any], Any], argument: Any) -> None:
    """Call the function at once; a camera calls it soon after."""
    function(argument)
