"""ulab in plain Python, for tests on a MicroPython without it and for the site's page, where there is no numpy: what lib and
the self-test use of it, and no more.

Slow, but right: every element an object, floats rounded to float32 after each operation. It is held against the results of
the genuine ulab and against stubs/ulab by host_tests/device/test_micropython_ulab.py. What is missing raises
Unmodelled. What the genuine ulab does wrongly is a trap in stubs/ulab, on which all of lib runs as well; here it has any
result.
"""

from . import numpy
from ._array import Unmodelled, follow

__all__ = ["Unmodelled", "follow", "numpy"]
