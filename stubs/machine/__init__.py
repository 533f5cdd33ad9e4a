"""The `machine` module: pins, ports, timers and clocks that remember their settings; memory that reads as 0.

A PC has no MVFR1 register, so `mem32[0xE000EF44]` is 0: no Helium, and the library uses its portable kernels. Data sent to
a UART is printed; received data comes from `_host_uart_input`. A missing name raises "the stand-in has no ...".
"""

from typing import TYPE_CHECKING

import _host

from ._memory import mem8, mem16, mem32
from ._pins import LED, Pin
from ._pwm import PWM
from ._serial import UART
from ._serial import inputs as _host_uart_input
from ._system import (
    DEEPSLEEP,
    DEEPSLEEP_RESET,
    HARD_RESET,
    IDLE,
    PIN_WAKE,
    PWRON_RESET,
    RTC_WAKE,
    SLEEP,
    SOFT_RESET,
    WDT_RESET,
    WLAN_WAKE,
    bootloader,
    deepsleep,
    disable_irq,
    enable_irq,
    freq,
    idle,
    info,
    lightsleep,
    reset,
    reset_cause,
    rng,
    sleep,
    soft_reset,
    unique_id,
)
from ._time import RTC, WDT, Timer

__all__ = [
    "DEEPSLEEP", "DEEPSLEEP_RESET", "HARD_RESET", "IDLE", "LED", "PIN_WAKE", "PWM", "PWRON_RESET", "Pin", "RTC", "RTC_WAKE",
    "SLEEP", "SOFT_RESET", "Timer", "UART", "WDT", "WDT_RESET", "WLAN_WAKE", "bootloader", "deepsleep", "disable_irq",
    "enable_irq", "freq", "idle", "info", "lightsleep", "mem16", "mem32", "mem8", "reset", "reset_cause", "rng", "sleep",
    "soft_reset", "unique_id",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = _host.missing("machine")
