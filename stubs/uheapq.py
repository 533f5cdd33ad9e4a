"""MicroPython's older name of `heapq`."""

from heapq import *  # noqa: F403
