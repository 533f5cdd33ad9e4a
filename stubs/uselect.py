"""MicroPython's older name of `select`."""

from select import *  # noqa: F403
