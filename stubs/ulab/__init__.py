"""A strict stand-in of ulab 6.12.0 (float32, 4 dimensions, as OpenMV builds it) for CPython, on numpy.

It agrees with the recorded behaviour of the genuine module in dtypes, shapes, values and errors. What
numpy has and ulab lacks is absent. Where the genuine module hangs, crashes, corrupts memory or is silently
wrong, it raises `UlabTrap`, which names the trap; promotion, wrapping, int16 indices and views are imitated.
omv._host_set_version(4, 8, 1) makes it the 6.7.3 of that firmware.
"""

from . import numpy, scipy, utils
from ._core import UlabTrap
from ._dtype import dtype

__version__ = "6.12.0-(4)D"
__all__ = ["UlabTrap", "dtype", "numpy", "scipy", "utils"]

from . import _old  # noqa: E402  it takes away from what is there
