"""MicroPython's older name of `asyncio`."""

from asyncio import *  # noqa: F403
from typing import TYPE_CHECKING

import _host

if not TYPE_CHECKING:
    __getattr__ = _host.missing("uasyncio")
