"""stubs/pyb, network and display, for older scripts and for scripts with a network or a screen."""

import importlib
import socket
import threading
from collections.abc import Iterator

import _host
import _sockets
import display
import image
import machine
import network
import pyb
import pytest


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    machine._host_uart_input.clear()
    machine._time._running.clear()
    display._host_last = None


# ---- pyb ----


def test_leds_and_servos_remember_their_values() -> None:
    lamp, servo = pyb.LED(1), pyb.Servo(2)
    lamp.on()
    lamp.toggle()
    assert lamp.intensity() == 0
    servo.angle(45)
    assert (servo.angle(), servo.pulse_width()) == (45, 1985)
    servo.pulse_width(1500)
    assert servo.angle() == 0
    servo.pulse_width(9000)
    assert servo.pulse_width() == 2420
    for wrong in (lambda: pyb.LED(5), lambda: pyb.Servo(0)):
        with pytest.raises(ValueError, match="doesn't exist"):
            wrong()


def test_time_advances() -> None:
    start, fine = pyb.millis(), pyb.micros()
    pyb.delay(3)
    pyb.udelay(10)
    assert 2 < pyb.elapsed_millis(start) < 10_000
    assert 2_000 < pyb.elapsed_micros(fine) < 10_000_000


# ---- network ----


def test_wifi_is_connected_immediately() -> None:
    wlan = network.WLAN(network.STA_IF)
    with pytest.raises(OSError, match="active"):
        wlan.connect("home", "secret")
    wlan.active(True)
    assert not wlan.isconnected() and wlan.status() == network.STAT_IDLE
    wlan.connect("home", "secret")
    assert wlan.isconnected() and wlan.status() == network.STAT_GOT_IP and wlan.config("ssid") == "home"
    assert wlan.ifconfig()[0] == "127.0.0.1"  # type: ignore[index]
    wlan.disconnect()
    assert not wlan.isconnected()
    point = network.WLAN(network.AP_IF)
    point.config(ssid="OPENMV_AP", key="1234567890", channel=2)
    point.active(True)
    assert point.isconnected() and point.config("channel") == 2
    lan = network.LAN()
    lan.active(True)
    assert lan.isconnected()
    with pytest.raises(ValueError, match="unknown config param"):
        wlan.config("color")


def test_a_server_of_a_script_is_for_this_pc_only(capsys: pytest.CaptureFixture[str]) -> None:
    _sockets.install()
    try:
        for address in ("0.0.0.0", "", "127.0.0.1", "0", "0x0", "0.0", None):
            with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
                if address is not None:  # without an address, it would listen on all
                    server.bind((address, 0))
                server.listen(1)
                assert server.getsockname()[0] == "127.0.0.1"
                assert f"http://localhost:{server.getsockname()[1]}" in capsys.readouterr().err
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:  # of broadcasts
            receiver.bind(("0.0.0.0", 0))
            assert receiver.getsockname()[0] == "0.0.0.0"
    finally:
        _sockets.remove()


def test_sockets_take_text_and_images_and_are_streams(capsys: pytest.CaptureFixture[str]) -> None:
    _sockets.install()
    try:
        server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        server.bind(("127.0.0.1", 0))
        server.listen(1)
        port = server.getsockname()[1]
        got: list[bytes] = []

        def client() -> None:
            with socket.create_connection(("127.0.0.1", port)) as end:
                end.sendall(b"GET /\r\nrest")
                while part := end.recv(4096):
                    got.append(part)

        thread = threading.Thread(target=client)
        thread.start()
        end, _ = server.accept()
        assert end.readline() == b"GET /\r\n" and end.read(4) == b"rest"  # type: ignore[attr-defined]
        end.sendall("size\n")  # type: ignore[arg-type]
        assert end.write(image.Image(4, 2, image.GRAYSCALE)) == 8  # type: ignore[attr-defined]
        end.close()
        thread.join()
        server.close()
    finally:
        _sockets.remove()
    assert b"".join(got) == b"size\n" + bytes(8)
    assert f"http://localhost:{port}" in capsys.readouterr().err
    assert not hasattr(socket.socket, "readline")


# ---- display ----


def test_a_display_keeps_what_was_written_to_it() -> None:
    screen = display.SPIDisplay(width=24, height=16)
    picture = image.Image(8, 4, image.RGB565)
    picture.draw_rectangle((0, 0, 8, 4), color=(255, 0, 0), fill=True)
    screen.write(picture, x=2, y=1, x_scale=2, y_scale=2)
    shown = display._host_last
    assert shown is not None and (shown.width(), shown.height()) == (24, 16)
    assert shown.get_pixel((2, 1)) == shown.get_pixel((17, 8)) == (255, 0, 0)
    assert shown.get_pixel((1, 1)) == shown.get_pixel((18, 8)) == (0, 0, 0)
    screen.write(picture, hint=image.CENTER)
    assert shown.get_pixel((2, 1)) == (0, 0, 0) and shown.get_pixel((8, 6)) == (255, 0, 0)


def test_displays_have_their_size_and_refuse_unsupported_calls() -> None:
    panel = display.DSIDisplay(framesize=display.FWVGA, portrait=True)
    assert (panel.width(), panel.height(), panel.refresh()) == (480, 800, 60)
    assert display.RGBDisplay(display.HD).width() == 1280
    screen = display.SPIDisplay()
    screen.backlight(30)
    assert (screen.width(), screen.height(), screen.backlight()) == (128, 160, 30)
    for wrong in (lambda: screen.backlight(101), lambda: display.SPIDisplay(0), lambda: display.SPIDisplay(refresh=20)):
        with pytest.raises(ValueError):
            wrong()


# ---- names ----


@pytest.mark.parametrize("name", ["utime", "ujson", "ustruct", "ubinascii", "urandom", "ure", "uio", "usys", "ucollections",
                                  "uhashlib", "uselect", "usocket", "uerrno", "uheapq", "uasyncio", "uos"])
def test_older_module_names_are_aliases(name: str) -> None:
    _host.install()
    module, plain = importlib.import_module(name), importlib.import_module(name[1:])
    some = {"utime": "ticks_ms", "ujson": "loads", "ustruct": "pack", "ubinascii": "hexlify", "urandom": "randint",
            "ure": "match", "uio": "BytesIO", "usys": "argv", "ucollections": "namedtuple", "uhashlib": "sha256",
            "uselect": "select", "usocket": "getaddrinfo", "uerrno": "ENOENT", "uheapq": "heappush",
            "uasyncio": "gather", "uos": "listdir"}[name]
    assert getattr(module, some) is getattr(plain, some)


@pytest.mark.parametrize("expression", ["pyb.USB_VCP", "pyb.Servo(1).turn", "network.PPP", "network.WLAN(0).ping",
                                        "display.HDMI"])
def test_missing_names_raise_attribute_error(expression: str) -> None:
    name = expression.replace("(1)", "").replace("(0)", "")
    with pytest.raises(AttributeError, match=f"the stand-in has no {name}"):
        eval(expression)
