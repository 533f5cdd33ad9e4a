"""MicroPython's older name of `collections`."""

from collections import *  # noqa: F403
