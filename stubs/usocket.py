"""MicroPython's older name of `socket`."""

from socket import *  # noqa: F403
