"""Which serial port the camera is."""

import os
import sys
from typing import Any

from .command import UserError

AUTO = "auto"

# The USB ids under which firmware 4.8.1 and 5.0 show themselves: OpenMV's own (the N6 is 37c5:1206), and Arduino's boards.
_OPENMV = 0x37C5
_OTHERS = {
    (0x1209, 0xABD1),  # OpenMV Cam M4
    (0x2341, 0x0466), (0x2341, 0x045F), (0x2341, 0x055F), (0x2341, 0x045B),  # Giga, Nicla Vision, Portenta H7
    (0x2341, 0x015A), (0x2341, 0x015E),  # Nano 33 BLE Sense, Nano RP2040 Connect
}  # fmt: skip

_NONE = """\
no OpenMV camera found. Is it plugged in, with a cable that carries data, and past its bootloader? A serial port that you \
know of: --port PORT"""
_LINUX = " Linux: `lsusb -d 37c5:` shows whether the system sees it."
_WINDOWS = " Windows: the device manager lists it under Ports as COM3 or the like."
_MAC = " macOS: it is /dev/cu.usbmodem and a number."


def cameras() -> list[Any]:
    """pyserial's ListPortInfo of every OpenMV camera, in the order of their ports."""
    from serial.tools import list_ports

    found = [port for port in list_ports.comports() if port.vid == _OPENMV or (port.vid, port.pid) in _OTHERS]
    return sorted(found, key=lambda port: str(port.device))


def find(port: str | None) -> str:
    """The port to open: the one that was asked for, or that of the only camera. UserError where there is none or several."""
    if port not in (None, AUTO):
        assert port is not None
        return checked(port)
    found = cameras()
    if len(found) == 1:
        return checked(str(found[0].device))
    if found:
        raise UserError("several cameras, choose one with --port: " + ", ".join(map(_told, found)))
    hint = {"linux": _LINUX, "win32": _WINDOWS, "darwin": _MAC}.get(sys.platform, "")
    raise UserError(_NONE + "." + hint)


def checked(port: str) -> str:
    """The port, if it is there and may be opened."""
    from serial.tools import list_ports

    ports = list_ports.comports()
    there = os.path.exists(port) if os.name == "posix" else port.upper() in {str(p.device).upper() for p in ports}
    if not there and "://" not in port:  # pyserial's socket://, rfc2217:// and loop://
        others = ", ".join(map(_told, ports)) or "none"
        raise UserError(f"there is no port {port}. The serial ports of this PC: {others}")
    if os.name == "posix" and there and not os.access(port, os.R_OK | os.W_OK):
        raise UserError(
            f"no permission to open {port}. Linux: `sudo usermod -aG dialout $USER`, then log out and in again "
            "(Arch: the group is uucp)"
        )
    return port


def _told(port: Any) -> str:
    """`/dev/ttyACM0 (OpenMV Cam, 3854355A3034)`"""
    known = (port.product or port.description, port.serial_number)
    inside = ", ".join(str(text) for text in known if text and text != "n/a")
    return f"{port.device} ({inside})" if inside else str(port.device)
