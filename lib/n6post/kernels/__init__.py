"""The loops that touch every byte: machine code where the core has what it needs, else plain ulab; `active` says which.

boxes.py, maps.py, drawing.py and poses.py offer the kernels by name, each from helium_*.py (Cortex-M55), thumb_*.py
(Cortex-M7) or portable_*.py: the same functions with the same results. plans.py, map_plans.py, drawing_plans.py and
pose_plans.py say what they read.

The core's own registers tell, never a board's name: MVFR1, bits 11..8, Helium; MVFR2, bits 7..4, 4 where the floating-point
unit rounds and takes maxima (FPv5); ID_ISAR3, bits 7..4, 3 where there are the DSP extension's instructions, without which a
Cortex-M33 may be. They are read on ARMv7E-M and later only, as the architecture of native .mpy files names them (6..8).
"""

import sys

active = "portable"
try:
    if 6 <= sys.implementation._mpy >> 10 & 15 <= 8 and sys.platform != "linux":
        try:  # The u spares a search for machine.py on every path, and the card's time.
            from umachine import mem32
        except ImportError:
            from machine import mem32
        if mem32[0xE000EF44] & 0xF00:
            active = "helium"
        elif mem32[0xE000EF48] & 0xF0 == 0x40 and mem32[0xE000ED6C] & 0xF0 == 0x30:
            active = "thumb"
except (AttributeError, ImportError):
    pass


def load(group):
    """The module with the kernels of a group. Where machine code does not load, the portable ones serve from then on."""
    global active
    if active != "portable":
        try:
            return __import__("n6post.kernels." + active + "_" + group, None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: the portable ones would need more
            active = "portable"
    return __import__("n6post.kernels.portable_" + group, None, None, ("*",))
