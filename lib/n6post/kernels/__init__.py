"""The loops over every byte: machine code if the core can run it, else plain ulab. `active` is the kind in use.

boxes.py, maps.py, drawing.py, poses.py, crops.py, heads.py, anchors.py, oriented.py, places.py, measures.py and hide.py
offer the kernels, each from helium_*.py (Cortex-M55), m7_*.py (Cortex-M7) or portable_*.py: the same functions with the same
results. params.py and the files *_params.py make their parameter blocks.

The choice depends on the core's registers, not on the name of the board. MVFR1, bits 11..8: not 0 with Helium. MVFR2, bits
7..4: 4 if the floating-point unit rounds and takes maxima (FPv5). ID_ISAR3, bits 7..4: 3 with the instructions of the DSP
extension, which a Cortex-M33 may lack. The registers are read on ARMv7E-M and later only: these are the architectures 6..8
of native .mpy files.
"""

import sys

active = "portable"
try:
    if 6 <= sys.implementation._mpy >> 10 & 15 <= 8 and sys.platform != "linux":
        try:  # with the u no file machine.py is searched for on every path, which takes time on an SD card
            from umachine import mem32
        except ImportError:
            from machine import mem32
        if mem32[0xE000EF44] & 0xF00:
            active = "helium"
        elif mem32[0xE000EF48] & 0xF0 == 0x40 and mem32[0xE000ED6C] & 0xF0 == 0x30:
            active = "m7"
except (AttributeError, ImportError):
    pass


def load(group):
    """The module with the kernels of a group. If machine code does not load, all groups are portable from then on.

    group   "boxes", "maps", "drawing", "poses", "crops", "heads", "anchors", "oriented", "places", "measures" or "hide"
    """
    global active
    if active != "portable":
        try:
            return __import__("n6post.kernels." + active + "_" + group, None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: the portable kernels need more memory
            active = "portable"
    return __import__("n6post.kernels.portable_" + group, None, None, ("*",))


def load_viper(group):
    """The module with the loops of a group: viper_*.py if MicroPython can make machine code of it, else plain Python.

    group   "tracks", "json", "cells", "corners" or "occupancy"
    """
    if sys.implementation.name == "micropython":
        try:
            return __import__("n6post.kernels.viper_" + group, None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: plain Python needs more memory
            pass
    return __import__("n6post.kernels.portable_" + group, None, None, ("*",))
