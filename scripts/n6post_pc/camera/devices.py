"""Find the serial port of the camera."""

import os
import sys
from typing import Any

from ..command import UserError

AUTO = "auto"

# The USB ids of cameras with firmware 4.8.1 and 5.0: OpenMV's own (the N6 is 37c5:1206), and Arduino's boards.
_OPENMV = 0x37C5
_OTHERS = {
    (0x1209, 0xABD1),  # OpenMV Cam M4
    (0x2341, 0x0466), (0x2341, 0x045F), (0x2341, 0x055F), (0x2341, 0x045B),  # Giga, Nicla Vision, Portenta H7
    (0x2341, 0x015A), (0x2341, 0x015E),  # Nano 33 BLE Sense, Nano RP2040 Connect
}  # fmt: skip

_NONE = """\
no OpenMV camera found. Is it plugged in with a cable that carries data, and has its bootloader finished? You can choose a \
serial port with --port PORT"""
_LINUX = " Linux: `lsusb -d 37c5:` shows whether the system sees it."
_WINDOWS = " Windows: the device manager lists it under Ports as COM3 or the like."
_MAC = " macOS: it is /dev/cu.usbmodem and a number."


def cameras() -> list[Any]:
    """pyserial's ListPortInfo of every OpenMV camera, in the order of their ports."""
    from serial.tools import list_ports

    ports = [port for port in list_ports.comports() if port.vid == _OPENMV or (port.vid, port.pid) in _OTHERS]
    return sorted(ports, key=lambda port: str(port.device))


def find(port: str | None) -> str:
    """The port to open: the given one, or that of the only camera. UserError if there is none or more than one."""
    if port not in (None, AUTO):
        assert port is not None
        return checked(port)
    ports = cameras()
    if len(ports) == 1:
        return checked(str(ports[0].device))
    if ports:
        raise UserError("several cameras, choose one with --port: " + ", ".join(map(_described, ports)))
    hint = {"linux": _LINUX, "win32": _WINDOWS, "darwin": _MAC}.get(sys.platform, "")
    raise UserError(_NONE + "." + hint)


def checked(port: str) -> str:
    """The port, if it exists and may be opened. UserError otherwise."""
    from serial import serial_for_url
    from serial.tools import list_ports

    ports = list_ports.comports()
    exists = os.path.exists(port) if os.name == "posix" else port.upper() in {str(p.device).upper() for p in ports}
    if not exists and "://" not in port:  # pyserial's socket://, rfc2217:// and loop://
        others = ", ".join(map(_described, ports)) or "none"
        raise UserError(f"there is no port {port}. The serial ports of this PC: {others}")
    try:
        serial_for_url(port, do_not_open=True)
    except (ValueError, OSError) as error:  # foo://, hwgrep:// without a match
        raise UserError(f"--port: {error}") from None
    if os.name == "posix" and exists and not os.access(port, os.R_OK | os.W_OK):
        raise UserError(
            f"no permission to open {port}. Linux: `sudo usermod -aG dialout $USER`, then log out and in again "
            "(Arch: the group is uucp)"
        )
    return port


def _described(port: Any) -> str:
    """`/dev/ttyACM0 (OpenMV Cam, 3854355A3034)`"""
    known = (port.product or port.description, port.serial_number)
    inside = ", ".join(str(text) for text in known if text and text != "n/a")
    return f"{port.device} ({inside})" if inside else str(port.device)
