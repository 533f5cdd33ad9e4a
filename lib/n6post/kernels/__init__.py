"""The loops that touch every byte: helium.py where the core has Helium, else portable.py; `active` says which.

The core's own register tells (MVFR1, bits 11..8: MVE), never a board's name; it is read on ARMv7E-M and later only, as the
architecture of native .mpy files names them (6..8). Without the inline assembler, or where helium.py or its .mpy does
not load, it is portable.py. No list of names: each would cost the import 2,000 instructions and more.
"""

import sys

active = "portable"
try:
    if 6 <= sys.implementation._mpy >> 10 & 15 <= 8 and sys.platform != "linux":
        try:  # The u spares a search for machine.py on every path: 14,000 instructions, and the card's time.
            from umachine import mem32
        except ImportError:
            from machine import mem32
        if mem32[0xE000EF44] & 0xF00:
            from .helium import *  # noqa: F403

            active = "helium"
except (AttributeError, ImportError, SyntaxError, ValueError):  # not MemoryError: portable.py would need more
    pass
if active == "portable":
    from .portable import *  # noqa: F403
