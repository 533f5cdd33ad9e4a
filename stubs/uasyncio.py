"""MicroPython's older name of `asyncio`, with what the camera's has besides (_asyncio_names.py)."""

from asyncio import *  # noqa: F403
from typing import TYPE_CHECKING

import _host
from _asyncio_names import Loop as Loop
from _asyncio_names import ThreadSafeFlag as ThreadSafeFlag
from _asyncio_names import create_task as create_task
from _asyncio_names import get_event_loop as get_event_loop
from _asyncio_names import new_event_loop as new_event_loop
from _asyncio_names import run as run
from _asyncio_names import sleep as sleep
from _asyncio_names import sleep_ms as sleep_ms
from _asyncio_names import wait_for_ms as wait_for_ms

if not TYPE_CHECKING:
    __getattr__ = _host.missing("uasyncio")
