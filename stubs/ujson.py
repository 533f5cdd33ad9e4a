"""MicroPython's older name of `json`."""

from json import *  # noqa: F403
