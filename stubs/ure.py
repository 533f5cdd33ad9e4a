"""MicroPython's older name of `re`."""

from re import *  # noqa: F403
