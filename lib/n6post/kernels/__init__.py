"""The loops over every byte: machine code if the core can run it, else plain ulab. `active` is the kind in use.

`from ..kernels import boxes as box_kernels` imports a group in the kind that this core can run: helium/ (Cortex-M55), m7/
(Cortex-M7) or portable/ (any), the same functions with the same results. viper/ has the groups that MicroPython compiles to
machine code itself; stubs/_viper has them in plain Python, for CPython and for a MicroPython without a native emitter.
params/ makes the parameter blocks. __init__.pyi shows type checkers and editors the portable kernels.

The choice depends on the core's registers, not on the name of the board. MVFR1, bits 11..8: not 0 with Helium. MVFR2, bits
7..4: 4 if the floating-point unit rounds and takes maxima (FPv5). ID_ISAR3, bits 7..4: 3 with the instructions of the DSP
extension, which a Cortex-M33 may lack. The registers are read on ARMv7E-M and later only: these are the architectures 6..8
of native .mpy files.
"""

import sys

_VIPER = ("tracks", "json", "cells", "corners", "occupancy", "laplacian", "crc")
_GROUPS = _VIPER + (
    "boxes", "maps", "drawing", "poses", "crops", "heads", "anchors", "oriented", "places", "measures", "hide", "neighbors",
)  # fmt: skip

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


def __getattr__(name):
    if name not in _GROUPS:
        raise AttributeError("no kernels '%s'" % name)
    group = globals()[name] = load(name)
    return group


def load(group):
    """Import a group of kernels. If machine code does not load, all groups are portable from then on."""
    global active
    if group in _VIPER:
        kind = "viper" if sys.implementation.name == "micropython" else None
    else:
        kind = active if active != "portable" else None
    if kind:
        try:
            return __import__("n6post.kernels.%s.%s" % (kind, group), None, None, ("*",))
        except (ImportError, SyntaxError, ValueError):  # not MemoryError: the other kernels need more memory
            if kind != "viper":
                active = "portable"
    return __import__(("_viper." if group in _VIPER else "n6post.kernels.portable.") + group, None, None, ("*",))


def are_fast():
    """Whether loops over pixels are cheap: as machine code, or on a PC. `active` is certain once a group is loaded."""
    return active != "portable" or sys.implementation.name != "micropython"
