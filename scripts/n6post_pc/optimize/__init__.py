"""Make a YOLO network faster and more exact, without training: of use without a camera and without the rest of n6post.

    from n6post_pc.optimize import optimizer

    file = Path("yolov8n.onnx")
    optimized = optimizer(file.suffix)(file.read_bytes(), size=(320, 320))
    Path("fast.onnx").write_bytes(optimized.data)

`optimized` is an Optimized (network.py): the new file's bytes, and its outputs before and after. CannotOptimize says why a
file cannot be optimized. .tflite files need the package ai-edge-litert, .onnx files onnx and onnxruntime. The command
`n6post optimize` is command.py; proof.py compares both networks on pictures. What it does for other families than YOLO is in
input_range.py and class_map.py.
"""

from collections.abc import Callable

from .network import CannotOptimize, Optimized


def optimizer(suffix: str) -> Callable[..., Optimized]:
    """The function `optimized` for files with this ending: ".tflite" or ".onnx"."""
    if suffix.lower() == ".onnx":
        from . import onnx as optimize_onnx

        return optimize_onnx.optimized
    from . import tflite as optimize_tflite

    return optimize_tflite.optimized


def can_be_optimized(data: bytes, suffix: str) -> bool:
    """Whether `n6post optimize` can make a split head of a model file."""
    try:
        optimizer(suffix)(data)
    except CannotOptimize:
        return False
    return True
