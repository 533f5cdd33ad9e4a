"""MicroPython's older name of `hashlib`."""

from hashlib import *  # noqa: F403
