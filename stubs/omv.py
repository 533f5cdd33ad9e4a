"""The firmware's `omv` module: which firmware runs on which board.

The stand-ins imitate firmware 5.0.0. After `_host_set_version(4, 8, 1)` they imitate 4.8.1 as strictly: how an image is
fitted into a network's input, the arguments and results of image's methods, the functions of ulab. The three version numbers
are ints, not functions, in both firmwares (modules/py_omv.c), although the documentation shows them with parentheses.
"""

from collections.abc import Iterable

import _host

version_major: int = 5
version_minor: int = 0
version_patch: int = 0


def version_string() -> str:
    return f"{version_major}.{version_minor}.{version_patch}"


def arch() -> str:
    return "OpenMV N6"


def board_type() -> str:
    return "N6"


def board_id() -> str:
    return "000000000000000000000000"


def debug_mode() -> bool:
    """Whether OpenMV IDE is attached. On a PC it always is."""
    return _host.attached


def _host_set_version(major: int = 5, minor: int = 0, patch: int = 0, old: Iterable[str] | None = None) -> None:
    """Only on a PC: set the firmware version to imitate; without arguments, the default.

    old: the entries of _host.OLD_WAYS in which it behaves like 4.8.1; None: all before version 5.0, none from 5.0 on.
    """
    global version_major, version_minor, version_patch
    version_major, version_minor, version_patch = major, minor, patch
    _host.set_old(old if old is not None else _host.OLD_WAYS if major < 5 else ())
