"""Which optimizer a model file has. A file of its own: the optimizers import what they share from optimize_network.py."""

from collections.abc import Callable

from .optimize_network import CannotOptimize, Optimized


def optimizer(suffix: str) -> Callable[..., Optimized]:
    """The function `optimized` for files with this ending: ".tflite" or ".onnx"."""
    if suffix.lower() == ".onnx":
        from . import optimize_onnx

        return optimize_onnx.optimized
    from . import optimize_tflite

    return optimize_tflite.optimized


def can_be_optimized(data: bytes, suffix: str) -> bool:
    """Whether `n6post optimize` can make a split head of a model file."""
    try:
        optimizer(suffix)(data)
    except CannotOptimize:
        return False
    return True
