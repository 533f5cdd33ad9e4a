"""MicroPython's older name of `io`."""

from io import *  # noqa: F403
