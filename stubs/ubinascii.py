"""MicroPython's older name of `binascii`."""

from binascii import *  # noqa: F403
from typing import TYPE_CHECKING

import _host

if not TYPE_CHECKING:
    __getattr__ = _host.missing("ubinascii")
