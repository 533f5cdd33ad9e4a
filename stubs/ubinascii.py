"""MicroPython's older name of `binascii`."""

from binascii import *  # noqa: F403
