"""The board itself: clock, sleep, resets."""

import os
from typing import Any, NoReturn

import _host

SOFT_RESET = 0
PWRON_RESET = 1
HARD_RESET = 2
WDT_RESET = 3
DEEPSLEEP_RESET = 4
IDLE = 0
SLEEP = 1
DEEPSLEEP = 2
WLAN_WAKE = 1
PIN_WAKE = 2
RTC_WAKE = 4


def freq(hz: int | None = None, /) -> int:
    return 800_000_000


def unique_id() -> bytes:
    return bytes(12)


def rng() -> int:
    """24 random bits."""
    return int.from_bytes(os.urandom(3), "little")


def idle() -> None:
    _host.poll()


def sleep(time_ms: int = 0, /) -> None:
    """Sleep for this time; no interrupt wakes it."""
    _host.sleep(time_ms / 1000)


lightsleep = sleep


def reset_cause() -> int:
    return PWRON_RESET


def disable_irq() -> int:
    return 0


def enable_irq(state: int = 0, /) -> None:
    pass


def info(*arguments: Any) -> None:
    print("machine.info: not known on a PC")


def _end(what: str) -> NoReturn:
    """Ends the script, as the camera's restart would."""
    raise SystemExit(f"machine.{what}()")


def reset() -> NoReturn:
    _end("reset")


def soft_reset() -> NoReturn:
    _end("soft_reset")


def deepsleep(time_ms: int | None = None, /) -> NoReturn:
    _end("deepsleep")


def bootloader(value: Any = None) -> NoReturn:
    _end("bootloader")
