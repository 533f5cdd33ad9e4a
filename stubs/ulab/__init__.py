"""A strict stand-in for ulab 6.12.0 (float32, 4 dimensions, as OpenMV builds it) on CPython, based on numpy.

It agrees with the recorded behavior of the real module in dtypes, shapes, values and errors, and has only the
functions of ulab; those of _unmodelled.py raise NotImplementedError. Where the real module hangs, crashes, corrupts
memory or is silently wrong, it raises `UlabTrap`, which names the trap. Type promotion, wrapping, int16 indices and
views work as in ulab. omv._host_set_version(4, 8, 1) switches to ulab 6.7.3, the version of that firmware.
"""

from . import numpy
from ._core import UlabTrap
from ._dtype import dtype
from ._unmodelled import scipy, utils

__version__ = "6.12.0-(4)D"
__all__ = ["UlabTrap", "dtype", "numpy", "scipy", "utils"]

from . import _old  # noqa: E402  it removes names of the imports above
