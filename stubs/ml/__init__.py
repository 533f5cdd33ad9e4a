"""The firmware's `ml` module for CPython: runs a .tflite (or .onnx) file and hands out its outputs as the camera does.

Written from the firmware's behavior, limits included; see model.py. `ml.postprocessing` and `ml.apps` are not here.
"""

from .model import Model

__all__ = ["Model"]
