"""What runs a network on a PC: ai-edge-litert for .tflite, onnxruntime for .onnx.

Both are asked for only when a model is loaded: nothing else of the stand-ins needs them.
"""

from __future__ import annotations

import ast
import contextlib
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# The firmware's one-letter type codes. Other types it refuses.
_CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "float32": "f"}


# What computes networks with integer inputs: LiteRT's reference kernels give every bit of TensorFlow Lite Micro in the
# firmware. Its default ones (XNNPACK) are 40 to 130 times faster, and round in another way. So do those without XNNPACK.
DEFAULT, EXACT, PLAIN = "", "BUILTIN_REF", "BUILTIN_WITHOUT_DEFAULT_DELEGATES"
exact = False


@dataclass(frozen=True)
class Tensor:
    """An input or output as the firmware describes it. A float one has scale 1.0 and zero point 0."""

    shape: tuple[int, ...]
    dtype: str
    scale: float = 1.0
    zero_point: int = 0

    def zeros(self) -> Array:
        return np.zeros(self.shape, dtype=np.dtype(self.dtype))


class Backend(Protocol):
    inputs: list[Tensor]
    outputs: list[Tensor]
    ram: int

    def run(self, inputs: list[Array]) -> list[Array]: ...


def open_backend(path: str, kernels: str | None = None) -> tuple[Backend, int]:
    """The backend for a model file, and the file's length. OSError where there is no such file.

    kernels     what computes it; None: as `exact` says
    """
    with open(path, "rb") as file:
        data = file.read()
    if data[4:8] == b"TFL3":
        return _LiteRt(path, data, kernels), len(data)
    if path.endswith(".onnx"):
        return _Onnx(path, data, kernels), len(data)
    raise ValueError(
        f"{path}: neither a .tflite nor an .onnx model. One that was compiled for the NPU runs only on the camera; "
        "a PC needs the file it was compiled from"
    )


def labels_in(backend: Backend) -> list[str] | None:
    """The labels that lie in the model file itself."""
    return backend.labels() if isinstance(backend, _Onnx) else None


def _one_line(error: Exception) -> str:
    """The first sentence: LiteRT repeats it for every tensor, without spaces between them."""
    return re.split(r"\.(?=\s|[A-Z]|$)", " ".join(str(error).split()), maxsplit=1)[0]


def _code(dtype: Any) -> str:
    name = np.dtype(dtype).name
    if name not in _CODES:
        raise ValueError(f"Unsupported data type {name}")
    return _CODES[name]


# What LiteRT says of every model that works.
_CHATTER = b"INFO: Created TensorFlow Lite XNNPACK delegate for CPU.\n"


@contextlib.contextmanager
def without_chatter() -> Iterator[None]:
    """Put around whatever makes a LiteRT interpreter: all that is printed to stderr meanwhile comes out, but for _CHATTER.

    LiteRT prints from C++, past sys.stderr, and its logger can neither be reached from Python nor told by an environment
    variable to keep quiet.
    """
    try:
        own = os.dup(2)
    except OSError:  # no stderr: nobody is told anything
        yield
        return
    with tempfile.TemporaryFile() as said:
        os.dup2(said.fileno(), 2)
        try:
            yield
        finally:
            os.dup2(own, 2)
            os.close(own)
            said.seek(0)
            if (rest := said.read().replace(_CHATTER, b"")) and sys.stderr is not None:
                # Not to descriptor 2: n6post's commands clean what goes to sys.stderr. A file may name an operator anything.
                print(rest.decode(errors="backslashreplace"), end="", file=sys.stderr, flush=True)


class _LiteRt:
    def __init__(self, path: str, data: bytes, kernels: str | None) -> None:
        try:
            from ai_edge_litert.interpreter import Interpreter, OpResolverType  # type: ignore[import-untyped]
        except ImportError as error:
            raise ImportError(
                f"{path}: a .tflite model needs ai-edge-litert on a PC: pip install ai-edge-litert"
            ) from error
        try:
            with without_chatter():
                self._interpreter = Interpreter(model_content=data)
                if kernels is None and exact:
                    kinds = [one["dtype"] for one in self._interpreter.get_input_details()[:1]]
                    kernels = EXACT if kinds and np.issubdtype(kinds[0], np.integer) else DEFAULT
                if kernels:
                    self._interpreter = Interpreter(
                        model_content=data, experimental_op_resolver_type=OpResolverType[kernels]
                    )
                self._interpreter.allocate_tensors()
        except (RuntimeError, ValueError) as error:  # an unknown operator; a file that is cut off
            raise ValueError(f"{path}: LiteRT cannot run it: {_one_line(error)}") from error
        self._in = self._interpreter.get_input_details()
        self._out = self._interpreter.get_output_details()
        self.inputs = [self._tensor(detail) for detail in self._in]
        self.outputs = [self._tensor(detail) for detail in self._out]
        self.ram = self._largest_step()

    @staticmethod
    def _tensor(detail: dict[str, Any]) -> Tensor:
        scale, zero_point = detail["quantization"]
        shape = tuple(int(n) for n in detail["shape"])
        return Tensor(shape, _code(detail["dtype"]), float(scale) or 1.0, int(zero_point))

    def _largest_step(self) -> int:
        """Bytes of activations that the largest layer needs at once: a lower bound of what the camera will want."""
        details = {d["index"]: d for d in self._interpreter.get_tensor_details()}
        sizes = {
            index: int(np.prod(d["shape"], dtype=np.int64)) * np.dtype(d["dtype"]).itemsize
            for index, d in details.items()
            if isinstance(d["dtype"], type)
        }
        try:
            steps = self._interpreter._get_ops_details()  # the only way to the graph; not a public function
        except AttributeError:
            return max(sizes.get(d["index"], 0) for d in self._in + self._out)
        # What no layer puts out is a weight, which stays in flash.
        activations = {int(i) for step in steps for i in step["outputs"]} | {d["index"] for d in self._in}
        used = [{int(i) for i in (*step["inputs"], *step["outputs"])} & activations for step in steps]
        return max(sum(sizes.get(i, 0) for i in tensors) for tensors in used)

    def run(self, inputs: list[Array]) -> list[Array]:
        for detail, values in zip(self._in, inputs, strict=True):
            self._interpreter.set_tensor(detail["index"], values)
        try:
            self._interpreter.invoke()
        except RuntimeError as error:  # numbers that a layer does not take
            raise ValueError(f"LiteRT cannot run it: {_one_line(error)}") from error
        return [self._interpreter.get_tensor(detail["index"]) for detail in self._out]


def _onnx_session(data: bytes, kernels: str | None, entry: str, severity: int) -> Any:
    """A session with this entry of its configuration, which logs from this severity on. onnxruntime's errors."""
    import onnxruntime  # type: ignore[import-untyped]

    options = onnxruntime.SessionOptions()
    options.log_severity_level = severity  # 3: errors; it warns of every number in a file that no layer uses
    options.add_session_config_entry(entry, "1")
    if kernels == PLAIN:  # quantized layers in float, between QuantizeLinear and DequantizeLinear
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])


class _Onnx:
    """Inputs in NCHW are offered as NHWC, as the camera's own conversion of the file does; outputs stay as they are."""

    def __init__(self, path: str, data: bytes, kernels: str | None) -> None:
        try:
            import onnxruntime  # type: ignore[import-untyped]
        except ImportError as error:
            raise ImportError("an .onnx model needs onnxruntime on a PC: pip install onnxruntime") from error
        try:
            # Without the first, sums of int8 saturate on processors without VNNI, and are wrong without a word. onnxruntime
            # 1.31 refuses it if layers share a constant: then quantized layers are computed in float, as PLAIN does.
            try:
                self._session = _onnx_session(data, kernels, "session.x64quantprecision", 4)
            except onnxruntime.capi.onnxruntime_pybind11_state.Fail:
                self._session = _onnx_session(data, kernels, "session.disable_quant_qdq", 3)
        except Exception as error:  # of a broken file its own kinds, which have no base but this
            raise ValueError(f"{path}: onnxruntime cannot run it: {_one_line(error)}") from error
        self._in = self._session.get_inputs()
        self._channels_first = [
            len(i.shape) == 4 and i.shape[1] in (1, 3) and i.shape[3] not in (1, 3) for i in self._in
        ]
        self.inputs = [
            Tensor(self._hwc(self._shape(i)) if first else self._shape(i), self._dtype(i))
            for i, first in zip(self._in, self._channels_first, strict=True)
        ]
        self.outputs = [Tensor(self._shape(o), self._dtype(o)) for o in self._session.get_outputs()]
        self.ram = max(t.zeros().nbytes for t in (*self.inputs, *self.outputs))

    @staticmethod
    def _shape(detail: Any) -> tuple[int, ...]:
        """Dimensions that the file leaves open (the batch) are 1."""
        return tuple(n if isinstance(n, int) else 1 for n in detail.shape)

    @staticmethod
    def _hwc(shape: tuple[int, ...]) -> tuple[int, ...]:
        return shape[0], shape[2], shape[3], shape[1]

    @staticmethod
    def _dtype(detail: Any) -> str:
        name = detail.type.removeprefix("tensor(").removesuffix(")")
        return _code("float32" if name == "float" else name)

    def labels(self) -> list[str] | None:
        """The names of the classes that Ultralytics writes into a file: its text for a dict, such as "{0: 'cat'}"."""
        try:
            names = ast.literal_eval(self._session.get_modelmeta().custom_metadata_map["names"])
            listed = [names[number] for number in range(len(names))] if isinstance(names, dict | list) else []
            "".join(listed).encode()
        except (KeyError, TypeError, ValueError, SyntaxError, MemoryError, RecursionError):
            return None  # as a .txt that is no UTF-8 counts as none
        return listed or None

    def run(self, inputs: list[Array]) -> list[Array]:
        feeds = {
            i.name: np.ascontiguousarray(values.transpose(0, 3, 1, 2)) if first else values
            for i, values, first in zip(self._in, inputs, self._channels_first, strict=True)
        }
        try:
            return [np.asarray(o) for o in self._session.run(None, feeds)]
        except Exception as error:  # as above: an input of a size that the file leaves open, for instance
            raise ValueError(f"onnxruntime cannot run it: {_one_line(error)}") from error
