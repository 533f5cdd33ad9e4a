"""ml.Model: the firmware's contract between a network, its inputs and its post-processor."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import _host
import numpy as np
import numpy.typing as npt
from image import Image

from ._backends import Tensor, labels_in, open_backend
from .preprocessing import Normalization

if TYPE_CHECKING:
    from ulab.numpy import ndarray

    # What one tensor is filled with. Called, as the n6post inputs are: buffer, shape and the dtype's code.
    Input = Image | ndarray | Callable[[Any, Any, Any], object]
    Inputs = Sequence[Input]

# The post-processor, or None. `predict` returns what it returns.
P = TypeVar("P", bound="Callable[[Any, list[Any], list[ndarray]], object] | None", covariant=True)
R = TypeVar("R")
Array = npt.NDArray[Any]


class Model(Generic[P]):
    """A network from a .tflite or .onnx file.

    With a post-processor (`postprocess=` here or `callback=` of predict) the outputs are arrays of the network's own
    type that lie IN its memory: the next predict overwrites them. Without one they are float copies, already
    dequantized, although output_dtype, output_scale and output_zero_point still describe the raw numbers.

    Labels are the lines of the .txt beside the file, as on the camera; without one, the names inside of an .onnx file.

    input_* and output_* are tuples with one entry a tensor; a dtype is one of 'b', 'B', 'h', 'H', 'f'. `ram` on a PC is
    a lower bound: the activations of the largest layer.
    """

    labels: list[str] | None
    postprocess: P

    @overload
    def __init__(self: Model[None], path: str, /, *, postprocess: None = None, load_to_fb: bool = False) -> None: ...

    @overload
    def __init__(self, path: str, /, *, postprocess: P, load_to_fb: bool = False) -> None: ...

    def __init__(self, path: str, /, *, postprocess: Any = None, load_to_fb: bool = False) -> None:
        if not isinstance(path, (str, bytes)):
            raise TypeError(f"can't convert '{type(path).__name__}' object to str implicitly")
        host_path = _host.resolve(path)
        self._backend, self.len = open_backend(host_path)
        self.ram = self._backend.ram
        inputs, outputs = self._backend.inputs, self._backend.outputs
        self.input_shape = tuple(t.shape for t in inputs)
        self.input_dtype = tuple(t.dtype for t in inputs)
        self.input_scale = tuple(t.scale for t in inputs)
        self.input_zero_point = tuple(t.zero_point for t in inputs)
        self.output_shape = tuple(t.shape for t in outputs)
        self.output_dtype = tuple(t.dtype for t in outputs)
        self.output_scale = tuple(t.scale for t in outputs)
        self.output_zero_point = tuple(t.zero_point for t in outputs)
        self.postprocess = postprocess
        # The firmware calls the one it was made with, whatever the attribute says later.
        self._postprocess = postprocess
        # The tensors' memory, made once: what a post-processor gets are views of it.
        self._inputs = [bytearray(t.zeros().nbytes) for t in inputs]
        self._outputs = [t.zeros() for t in outputs]
        self.labels = _labels(host_path)
        if self.labels is None:
            self.labels = labels_in(self._backend)
        self._native = _Native(self)

    @overload
    def predict(self, inputs: Inputs, *, callback: Callable[[Any, list[Any], list[ndarray]], R]) -> R: ...

    @overload
    def predict(self: Model[None], inputs: Inputs, *, callback: None = None) -> list[ndarray]: ...

    @overload
    def predict(
        self: Model[Callable[[Any, list[Any], list[ndarray]], R]], inputs: Inputs, *, callback: None = None
    ) -> R: ...

    def predict(self, inputs: Inputs, *, callback: Any = None) -> Any:
        """Runs the network on a list with one image, ndarray or callable a tensor.

        Returns what the post-processor returns, without one a list of float arrays.
        """
        from ulab._host import wrap

        arguments = [Normalization()(item) if isinstance(item, Image) else item for item in inputs]
        if len(arguments) < len(self._inputs):
            # The firmware reads on behind the end of the list.
            raise ValueError(f"the model has {len(self._inputs)} inputs, got {len(arguments)}")
        for argument, tensor, memory in zip(arguments, self._backend.inputs, self._inputs, strict=False):
            _fill(argument, tensor, memory)
        values = [
            np.frombuffer(memory, dtype=np.dtype(tensor.dtype)).reshape(tensor.shape)
            for memory, tensor in zip(self._inputs, self._backend.inputs, strict=True)
        ]
        for own, result in zip(self._outputs, self._backend.run(values), strict=True):
            own[...] = result.reshape(own.shape)
        if any(len(shape) > 4 for shape in self.output_shape):
            raise ValueError("Output shape has too many dimensions")

        process = callback or self._postprocess
        if process is None:
            return [wrap(_dequantized(own, t)) for own, t in zip(self._outputs, self._backend.outputs, strict=True)]
        # The firmware hands over the native object, not the Python one around it: whatever it has, labels are not there.
        return process(self._native, arguments, [wrap(own) for own in self._outputs])

    def __repr__(self) -> str:
        described = (
            "input_shape", "input_scale", "input_zero_point", "input_dtype",
            "output_shape", "output_scale", "output_zero_point", "output_dtype",
        )  # fmt: skip
        rest = ", ".join(f"{name}: {getattr(self, name)}" for name in described)
        return f"{{ model_size: {self.len}, ram_size: {self.ram}, {rest} }}"


class _Native:
    """What a post-processor sees of a Model: everything but its labels."""

    def __init__(self, model: Model[Any]) -> None:
        self._model = model

    def __getattr__(self, name: str) -> Any:
        if name == "labels":
            raise AttributeError("'Model' object has no attribute 'labels'")
        return getattr(self._model, name)


def _labels(path: str) -> list[str] | None:
    """The lines of the .txt beside the model, split at "\\n" alone: what else ends a line stays in the label.

    A file that is no UTF-8 counts as none. The firmware cuts the path at its first dot; here, the file's name.
    """
    folder, name = os.path.split(path)
    try:
        with open(os.path.join(folder, name.split(".")[0] + ".txt"), encoding="utf-8", newline="\n") as file:
            return [line.rstrip("\n") for line in file]
    except (OSError, UnicodeError):
        return None


def _fill(argument: Any, tensor: Tensor, memory: bytearray) -> None:
    """Puts one input where the network reads it."""
    if callable(argument):
        argument(memory, tensor.shape, ord(tensor.dtype))
        return
    array = getattr(argument, "_np", None)
    if not isinstance(array, np.ndarray):
        raise ValueError("Unsupported input type")
    if array.shape != tensor.shape:
        raise ValueError("Input shape does not match the model input shape")
    if not array.flags.c_contiguous:
        from ulab._host import UlabTrap

        raise UlabTrap("strided input", "predict ignores strides and would read other numbers; copy the array first")
    values = array.astype(np.float32)
    target = np.frombuffer(memory, dtype=np.dtype(tensor.dtype)).reshape(tensor.shape)
    if tensor.dtype == "f":
        target[...] = values
    else:
        # Cut towards zero, not rounded, and wrapped: a C cast.
        scaled = values * (np.float32(1) / np.float32(tensor.scale)) + np.float32(tensor.zero_point)
        target[...] = np.trunc(scaled).astype(np.int32).astype(target.dtype)


def _dequantized(array: Array, tensor: Tensor) -> Array:
    if tensor.dtype == "f":
        return array.copy()
    return (array.astype(np.int32) - tensor.zero_point).astype(np.float32) * np.float32(tensor.scale)
