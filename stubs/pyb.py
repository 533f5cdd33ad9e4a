"""The `pyb` module of STM32 cameras, older than `machine`: LEDs, servos, ports and timers that remember their settings.

Data sent to a UART or the USB port is printed. A missing name raises "the stand-in has no ...".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import _clock
import _host
import machine
from machine import (
    RTC,
    Pin,
    bootloader,
    disable_irq,
    enable_irq,
    freq,
    info,
    rng,
    unique_id,
)


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


def wfi() -> None:
    _host.poll()


hard_reset = machine.reset
stop = standby = machine.deepsleep


def main(filename: str, /) -> None:
    """Set the script of the next start; ignored here."""


def usb_mode(mode: str | None = None, *arguments: Any, **options: Any) -> str | None:
    return "VCP+MSC" if mode is None else None


def have_cdc() -> bool:
    return True


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


class USB_VCP(_host.StandIn):
    """The USB port: prints what is sent, receives what a UART named "USB" would (--uart USB=FILE)."""

    RTS = 1
    CTS = 2
    IRQ_RX = 1

    def __init__(self, id: int = 0, /) -> None:
        self._port = machine.UART("USB")

    def init(self, *, flow: int = -1) -> None:
        pass

    def isconnected(self) -> bool:
        return True

    def setinterrupt(self, chr: int, /) -> None:
        pass

    def any(self) -> bool:
        return self._port.any() > 0

    def read(self, nbytes: int | None = None, /) -> bytes | None:
        return self._port.read(nbytes)

    def readline(self) -> bytes | None:
        return self._port.readline()

    def readinto(self, buf: Any, maxlen: int | None = None, /) -> int | None:
        return self._port.readinto(buf, maxlen)

    def recv(self, data: Any, /, *, timeout: int = 5000) -> Any:
        """Receive this many bytes, or fewer if no more came. With a buffer, return their number."""
        if isinstance(data, int):
            return self._port.read(data) or b""
        return self._port.readinto(data) or 0

    def send(self, data: Any, /, *, timeout: int = 5000) -> int:
        return self.write(bytes([data]) if isinstance(data, int) else data)

    def write(self, buf: Any, /) -> int:
        data = _host.to_bytes(buf)
        _host.show("USB", data)
        return len(data)

    def close(self) -> None:
        pass


class Servo(_host.StandIn):
    """A servo that remembers its angle, -90 to 90 degrees."""

    def __init__(self, id: int, /) -> None:
        if id not in (1, 2, 3, 4):
            raise ValueError(f"Servo({id}) doesn't exist")
        self._angle: float = 0
        self._speed: float = 0
        self._calibration = (640, 2420, 1500, 2470, 2200)

    def angle(self, angle: float | None = None, time: int = 0, /) -> int | None:
        if angle is None:
            return round(self._angle)
        self._angle = min(max(angle, -90), 90)
        return None

    def speed(self, speed: float | None = None, time: int = 0, /) -> int | None:
        if speed is None:
            return round(self._speed)
        self._speed = min(max(speed, -100), 100)
        return None

    def pulse_width(self, value: int | None = None, /) -> int | None:
        """Microseconds."""
        low, high, center, width_90, _ = self._calibration
        if value is None:
            return min(max(round(center + self._angle * (width_90 - center) / 90), low), high)
        self._angle = (min(max(value, low), high) - center) * 90 / (width_90 - center)
        return None

    def calibration(self, *values: int) -> tuple[int, int, int, int, int] | None:
        """(shortest pulse, longest, at the center, at 90 degrees, at speed 100); the last two are optional."""
        if not values:
            return self._calibration
        if len(values) not in (3, 5):
            raise TypeError("calibration expecting 3 or 5 arguments")
        new: Any = (*values, *self._calibration[len(values) :])
        self._calibration = new
        return None


class ADC(_host.StandIn):
    """Nothing is connected: 0."""

    def __init__(self, pin: Any, /) -> None:
        pass

    def read(self) -> int:
        """0..4095"""
        return 0


class DAC(_host.StandIn):
    """A DAC output that only remembers its value."""

    NORMAL = 0
    CIRCULAR = 256

    def __init__(self, port: Any, /, bits: int = 8, *, buffering: bool | None = None) -> None:
        pass

    def write(self, value: int, /) -> None:
        pass

    def noise(self, freq: int, /) -> None:
        pass

    def triangle(self, freq: int, /) -> None:
        pass

    def write_timed(self, data: Any, freq: Any, /, *, mode: int = NORMAL) -> None:
        pass


class ExtInt(_host.StandIn):
    """An external interrupt, which is raised only by swint()."""

    IRQ_RISING = 0x110000
    IRQ_FALLING = 0x210000
    IRQ_RISING_FALLING = 0x310000

    def __init__(self, pin: Any, mode: int, pull: int, callback: Callable[[int], object] | None) -> None:
        self._callback = callback

    def enable(self) -> None:
        pass

    def disable(self) -> None:
        pass

    def line(self) -> int:
        return 0

    def swint(self) -> None:
        if self._callback is not None:
            self._callback(0)


class TimerChannel(_host.StandIn):
    """A channel that remembers its pulse width."""

    def __init__(self, percent: float, width: int) -> None:
        self._percent, self._width = percent, width

    def pulse_width_percent(self, value: float | None = None, /) -> float | None:
        if value is None:
            return self._percent
        self._percent = value
        return None

    def pulse_width(self, value: int | None = None, /) -> int | None:
        if value is None:
            return self._width
        self._width = value
        return None

    capture = compare = pulse_width

    def callback(self, fun: Callable[[Any], object] | None, /) -> None:
        """The callback is accepted and never called."""


class Timer(_host.StandIn):
    """Calls back as machine.Timer does; its channels make no pulses."""

    PWM, PWM_INVERTED, OC_TIMING, OC_ACTIVE, OC_INACTIVE, OC_TOGGLE, OC_FORCED_ACTIVE, OC_FORCED_INACTIVE, IC = range(9)
    ENC_A, ENC_B, ENC_AB = 9, 10, 11
    UP, DOWN, CENTER = 0, 16, 32
    HIGH, LOW = 0, 2
    RISING, FALLING, BOTH = 0, 2, 10

    def __init__(self, id: int, /, **options: Any) -> None:
        self._timer = machine.Timer(id)
        self._callback: Callable[[Any], object] | None = None
        self._freq: float = 0
        if options:
            self.init(**options)

    def init(self, *, freq: float = 0, prescaler: int = -1, period: int = -1, mode: int = UP, div: int = 1,
             callback: Callable[[Any], object] | None = None, deadtime: int = 0) -> None:
        if freq <= 0 and prescaler < 0:
            raise TypeError("must specify either freq, or prescaler and period")
        self._callback = callback
        self.freq(freq if freq > 0 else 200_000_000 / (prescaler + 1) / (period + 1))

    def deinit(self) -> None:
        self._timer.deinit()

    def freq(self, value: float | None = None, /) -> float | None:
        if value is None:
            return self._freq
        self._freq = value
        self._timer.init(freq=value, callback=lambda _: self._callback(self) if self._callback else None)
        return None

    def callback(self, fun: Callable[[Any], object] | None, /) -> None:
        self._callback = fun

    def counter(self, value: int | None = None, /) -> int | None:
        return 0 if value is None else None

    def channel(self, channel: int, mode: int | None = None, /, *, callback: Callable[[Any], object] | None = None,
                pin: Any = None, pulse_width: int = 0, pulse_width_percent: float = 0, compare: int = 0,
                polarity: int = HIGH) -> TimerChannel:
        return TimerChannel(pulse_width_percent, pulse_width)


class I2C(_host.StandIn):
    """No device answers: OSError, as on a bus where none is connected."""

    CONTROLLER = MASTER = 0
    PERIPHERAL = SLAVE = 1

    def __init__(self, bus: Any, mode: int = CONTROLLER, /, *, addr: int = 0x12, baudrate: int = 400_000,
                 gencall: bool = False, dma: bool = False) -> None:
        self._bus = machine.I2C(bus)

    init = __init__

    def deinit(self) -> None:
        pass

    def scan(self) -> list[int]:
        return []

    def is_ready(self, addr: int, /) -> bool:
        return False

    def send(self, send: Any, addr: int = 0, /, *, timeout: int = 5000) -> None:
        self._bus.writeto(addr, send)

    def recv(self, recv: Any, addr: int = 0, /, *, timeout: int = 5000) -> bytes:
        return self._bus.readfrom(addr, 1)

    def mem_read(self, data: Any, addr: int, memaddr: int, /, *, timeout: int = 5000, addr_size: int = 8) -> bytes:
        return self._bus.readfrom(addr, 1)

    def mem_write(self, data: Any, addr: int, memaddr: int, /, *, timeout: int = 5000, addr_size: int = 8) -> None:
        self._bus.writeto(addr, data)


class SPI(_host.StandIn):
    """Sent data is dropped; received data is zeros."""

    CONTROLLER = MASTER = 1
    PERIPHERAL = SLAVE = 0
    MSB = 0
    LSB = 128

    def __init__(self, bus: Any, mode: int = CONTROLLER, /, baudrate: int = 328125, *, prescaler: int = -1,
                 polarity: int = 1,
                 phase: int = 0, bits: int = 8, firstbit: int = MSB, ti: bool = False, crc: int | None = None) -> None:
        pass

    init = __init__

    def deinit(self) -> None:
        pass

    def send(self, send: Any, /, *, timeout: int = 5000) -> None:
        pass

    def recv(self, recv: Any, /, *, timeout: int = 5000) -> bytes:
        return bytes(recv if isinstance(recv, int) else len(recv))

    def send_recv(self, send: Any, recv: Any = None, /, *, timeout: int = 5000) -> bytes:
        return bytes(1 if isinstance(send, int) else len(send))


__all__ = [
    "ADC", "DAC", "ExtInt", "I2C", "LED", "Pin", "RTC", "SPI", "Servo", "Timer", "TimerChannel", "UART", "USB_VCP",
    "bootloader",
    "delay", "disable_irq", "elapsed_micros", "elapsed_millis", "enable_irq", "freq", "hard_reset", "have_cdc", "info",
    "main", "micros", "millis", "rng", "standby", "stop", "udelay", "unique_id", "usb_mode", "wfi",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = _host.missing("pyb")
