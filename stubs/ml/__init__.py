"""The firmware's `ml` module for CPython: runs a .tflite (or .onnx) file and hands out its outputs as the camera does.

Written from the firmware's behavior, limits included; see model.py. `ml.postprocessing` and `ml.apps` are not here.
"""

from . import _backends
from .model import Model

__all__ = ["Model"]


def _host_set_exact(exact: bool = False) -> None:
    """Compute integer models that are opened from now on with every bit of the firmware's CPU: 40 to 130 times slower."""
    _backends.exact = exact
