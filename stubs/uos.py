"""MicroPython's older name of `os`, with its ilistdir()."""

from os import *  # noqa: F403
from typing import TYPE_CHECKING

import _host
from _drives import ilistdir as ilistdir

if not TYPE_CHECKING:
    __getattr__ = _host.missing("uos")
