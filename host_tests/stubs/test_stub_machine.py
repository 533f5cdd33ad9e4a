"""stubs/machine: ports that print and receive, pins and duty cycles that keep their values, timers."""

import ast
import importlib.metadata
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _host
import csi
import image
import machine
import numpy as np
import omv
import pytest
from ulab import numpy as ulab_numpy

_host.install()
clock: Any = time


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    machine._host_uart_input.clear()
    machine._time._running.clear()
    machine.RTC._ahead = type(machine.RTC._ahead)()


# ---- UART ----


def test_a_uart_prints_sent_data_and_returns_its_length(capsys: pytest.CaptureFixture[str]) -> None:
    uart = machine.UART(3, 115200, timeout_char=200)
    assert uart.write("blob 12,34\n") == 11
    assert uart.write(bytearray(b"\x00\xff")) == 2
    uart.writechar(65)
    assert capsys.readouterr().out == "UART(3): b'blob 12,34\\n'\nUART(3): b'\\x00\\xff'\nUART(3): b'A'\n"


def test_a_uart_sends_images_and_arrays_and_prints_their_first_bytes(capsys: pytest.CaptureFixture[str]) -> None:
    uart = machine.UART(1)
    assert uart.write(image.Image(40, 10, image.RGB565)) == 800  # type: ignore[arg-type]
    assert capsys.readouterr().out.endswith("\\x00' and 700 bytes more\n")
    assert uart.write(ulab_numpy.array([1, 2], dtype=ulab_numpy.uint8)) == 2
    with pytest.raises(TypeError, match="buffer protocol"):
        uart.write(5)


def test_a_uart_receives_the_given_data() -> None:
    machine._host_uart_input.update({None: b"for others", 3: b"one\ntwo\nrest"})
    uart, other = machine.UART(3, 9600), machine.UART(1, 9600)
    assert uart.any() == 12
    assert uart.readline() == b"one\n"
    buffer = bytearray(3)
    assert (uart.readinto(buffer), bytes(buffer)) == (3, b"two")
    assert uart.readinto(buffer, 1) == 1 and buffer[:1] == b"\n"
    assert uart.readchar() == ord("r")
    assert uart.readline() == b"est"
    assert (uart.any(), uart.read(), uart.readline(), uart.readinto(buffer), uart.readchar()) == (0, None, None, None, -1)
    assert other.read(4) == b"for " and other.read() == b"others"


def test_invalid_uart_settings_are_refused() -> None:
    for settings in ((0,), (9600, 6), (9600, 8, 2), (9600, 8, None, 3)):
        with pytest.raises(ValueError, match="no such setting"):
            machine.UART(1, *settings)
    with pytest.raises(TypeError, match="can't convert str to int"):
        machine.UART(1, "115200")  # type: ignore[arg-type]
    assert str(machine.UART(4, 19200, parity=1)) == "UART(4, baudrate=19200, bits=8, parity=1, stop=1)"


# ---- pins, PWM ----


def test_pins_remember_their_value_and_follow_their_pull() -> None:
    pin = machine.Pin("P7", machine.Pin.OUT_PP)
    pin.value(1)
    assert pin() == 1
    pin.toggle()
    assert (pin.value(), pin.mode(), pin.name()) == (0, machine.Pin.OUT, "P7")
    assert machine.Pin("P0", machine.Pin.IN, machine.Pin.PULL_UP)() == 1
    assert machine.Pin.board.P3.name() == "P3"
    with pytest.raises(ValueError, match="doesn't exist"):
        machine.Pin(1.5)


def test_a_duty_cycle_is_the_same_in_both_units() -> None:
    pwm = machine.PWM(machine.Pin("P7"), freq=50, duty_ns=1_500_000)
    assert (pwm.freq(), pwm.duty_ns(), pwm.duty_u16()) == (50, 1_500_000, 4915)
    pwm.duty_u16(32768)
    assert pwm.duty_ns() == pytest.approx(10_000_000, rel=1e-4)
    for wrong in (lambda: pwm.duty_u16(65536), lambda: pwm.duty_ns(-1), lambda: pwm.freq(0),
                  lambda: pwm.init(duty_u16=1, duty_ns=1)):
        with pytest.raises(ValueError, match="PWM"):
            wrong()


# ---- time ----


def test_a_due_timer_fires_when_the_script_sleeps_or_takes_a_frame() -> None:
    calls: list[str] = []
    periodic = machine.Timer(-1, period=5, callback=lambda t: calls.append("periodic"))
    once = machine.Timer(1)
    once.init(mode=machine.Timer.ONE_SHOT, freq=1000, callback=lambda t: calls.append("once"))
    assert calls == []
    clock.sleep_ms(8)
    assert sorted(calls) == ["once", "periodic"]
    time.sleep(0.03)  # one call for four periods
    csi._host_pictures = [np.zeros((4, 4, 3), dtype=np.uint8)]
    camera = csi.CSI()
    camera.pixformat(csi.GRAYSCALE)
    camera.framesize((4, 4))
    camera.snapshot()
    csi._host_pictures, csi._host_last_frame = [], None
    assert calls.count("periodic") == 2
    periodic.deinit()
    time.sleep(0.01)
    machine.idle()
    assert len(calls) == 3
    with pytest.raises(ValueError, match="freq or period"):
        machine.Timer(2).init(callback=print)


def test_timers_of_firmware_4_8_1_have_no_parameter_hard() -> None:
    machine.Timer(-1, period=5, callback=print, hard=True).deinit()
    omv._host_set_version(4, 8, 1)
    try:
        with pytest.raises(TypeError, match="extra keyword arguments given"):
            machine.Timer(-1, period=5, callback=print, hard=True)
        machine.Timer(-1, period=5, callback=print).deinit()
    finally:
        omv._host_set_version()


def test_the_clock_shows_the_pcs_time_until_it_is_set() -> None:
    rtc = machine.RTC()
    assert rtc.datetime()[:3] == time.localtime()[:3]  # type: ignore[index]
    rtc.datetime((2031, 2, 3, 0, 4, 5, 6, 0))
    year, month, day, weekday, hours, minutes, seconds, subseconds = machine.RTC().datetime()  # type: ignore[misc]
    assert (year, month, day, weekday, hours, minutes) == (2031, 2, 3, 1, 4, 5)
    assert seconds in (6, 7) and 0 <= subseconds <= 255
    with pytest.raises(ValueError, match="requested length 8"):
        rtc.datetime((2031, 2, 3))


def test_a_watchdog_is_fed_and_a_reset_ends_the_script() -> None:
    machine.WDT(timeout=1000).feed()
    for end in (machine.reset, machine.soft_reset, machine.deepsleep, machine.bootloader):
        with pytest.raises(SystemExit, match=r"machine\."):
            end()
    assert machine.reset_cause() == machine.PWRON_RESET


@pytest.mark.parametrize("expression", ["machine.CAN", "machine.UART(1).sendchar", "machine.PWM('P7').pause"])
def test_missing_names_raise_attribute_error(expression: str) -> None:
    name = expression.partition("(")[0] + expression.rpartition(")")[2] if "(" in expression else expression
    with pytest.raises(AttributeError, match=f"the stand-in has no {name}"):
        eval(expression)


# Names in micropython-stm32-stubs that are of no use on a PC.
LEFT_OUT = {"UART.IDLE", "UART.IRQ_BREAK", "UART.IRQ_TXIDLE", "RTC.ALARM0", "RTC.alarm", "RTC.info"}


@pytest.mark.parametrize("name", ["PWM", "RTC", "Timer", "UART", "WDT"])
def test_the_classes_have_the_methods_that_micropythons_own_types_name(name: str) -> None:
    files = importlib.metadata.files("micropython-stm32-stubs") or []
    (stub,) = (Path(str(file.locate())) for file in files if str(file) == "machine.pyi")
    body = ast.parse(stub.read_text(encoding="utf-8")).body
    (theirs,) = (node for node in body if isinstance(node, ast.ClassDef) and node.name == name)
    named = {node.name for node in theirs.body if isinstance(node, ast.FunctionDef)}
    fields = [node.target for node in theirs.body if isinstance(node, ast.AnnAssign)]
    named |= {field.id for field in fields if isinstance(field, ast.Name)}
    ours = getattr(machine, name)
    assert {one for one in named if not one.startswith("_") and not hasattr(ours, one)} <= {
        one.partition(".")[2] for one in LEFT_OUT if one.startswith(f"{name}.")}
