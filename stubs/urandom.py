"""MicroPython's older name of `random`."""

from random import *  # noqa: F403
