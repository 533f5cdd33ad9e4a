"""MicroPython's older name of `errno`."""

from errno import *  # noqa: F403
