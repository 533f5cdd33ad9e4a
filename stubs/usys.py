"""MicroPython's older name of `sys`."""

from typing import TYPE_CHECKING

import _host

_host.install()  # what MicroPython's has besides

from sys import *  # noqa: E402, F403

if not TYPE_CHECKING:
    __getattr__ = _host.missing("usys")
