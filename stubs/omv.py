"""The firmware's `omv` module: which firmware runs on which board.

The stand-ins follow firmware 5.0.0. `_host_set_version(4, 8, 1)` makes them the older one, as strict: in how an
image is fitted into a network's input, in the forms that image's methods take and return, in what ulab has. The three
numbers are ints, not functions, in both firmwares (modules/py_omv.c), whatever the documentation's brackets say.
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
    """Whether OpenMV IDE is attached: the PC stands in for it, too."""
    return _host.attached


def _host_set_version(major: int = 5, minor: int = 0, patch: int = 0, old: Iterable[str] | None = None) -> None:
    """Only on a PC: the firmware to behave like; without arguments back to the default.

    old: in which of _host.OLD_WAYS it is like 4.8.1, whatever its number; None: in all before 5.0, in none from there on.
    """
    global version_major, version_minor, version_patch
    version_major, version_minor, version_patch = major, minor, patch
    _host.set_old(old if old is not None else _host.OLD_WAYS if major < 5 else ())
