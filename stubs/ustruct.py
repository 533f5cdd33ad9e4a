"""MicroPython's older name of `struct`."""

from struct import *  # noqa: F403
