"""Read the operators and tensors of a model file without running it.

.tflite files are read with TensorFlow Lite's schema, which is part of ai-edge-litert. .onnx files are read with protobuf,
which onnxruntime depends on, and the few fields of onnx.proto that matter here. Models that were compiled for an NPU, which
a PC cannot run, are recognized.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

TFLITE, ONNX, VELA, ST = "TensorFlow Lite", "ONNX", "compiled by Vela for an Ethos-U", "compiled by ST for Neural-ART"

# ST's relocatable binary: AI_RELOC_MAGIC of ll_aton_reloc_network.h, 0x4E49424E. OpenMV gives it the ending .tflite, too.
_ST_MARK = b"NBIN"
_TFLITE_MARK = b"TFL3"  # a flatbuffer's file identifier, at byte 4
WEIGHTS = (".pt", ".pth")  # files that PyTorch and Ultralytics write in training
EXPORT_FIRST = "trained weights, not a model for a camera: export them first (docs/first-hour.md#export)"
VELA_OPERATOR = "ethos-u"  # contains everything that runs on the NPU
QUANTIZERS = ("QUANTIZE", "DEQUANTIZE", "QuantizeLinear", "DequantizeLinear")

# Bytes per element of TensorFlow Lite's tensor types.
_BYTES = {"FLOAT32": 4, "FLOAT16": 2, "INT32": 4, "UINT32": 4, "UINT8": 1, "INT8": 1, "INT16": 2, "UINT16": 2, "INT64": 8,
          "BOOL": 1, "FLOAT64": 8, "UINT64": 8}  # fmt: skip
_CODES = {"INT8": "b", "UINT8": "B", "INT16": "h", "UINT16": "H", "FLOAT32": "f"}  # the firmware's


@dataclass(frozen=True)
class Tensor:
    """A tensor: its shape, TensorFlow Lite's name of its type, its quantization (1.0 and 0 if it has none), and its name.

    Of an .onnx, only names and scales are read. What a DequantizeLinear returns is INT8 here, because a compiler computes
    what follows in integers; other tensors are FLOAT32.
    """

    shape: tuple[int, ...]
    kind: str
    scale: float = 1.0
    zero_point: int = 0
    name: str = ""

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * _BYTES.get(self.kind, 0)

    @property
    def code(self) -> str:
        """The firmware's letter for the type. ValueError for a type that the firmware does not support."""
        if self.kind not in _CODES:
            raise ValueError(f"Unsupported data type {self.kind.lower()}")
        return _CODES[self.kind]


@dataclass(frozen=True)
class Operator:
    """An operator: its name (CONV_2D, Conv), the indices of its tensors, and the output channels of a convolution.

    axes        the permutation of a TRANSPOSE; () if it is not constant
    mode        how a Resize of an .onnx interpolates: nearest, linear or cubic
    """

    name: str
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    channels: int | None = None
    axes: tuple[int, ...] = ()
    mode: str = ""


@dataclass
class Graph:
    """A network: its operators, in the order in which they run, and its tensors. An .onnx has no inputs and outputs here."""

    form: str
    operators: list[Operator] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()

    def counts(self) -> Counter[str]:
        return Counter(operator.name for operator in self.operators)

    @cached_property
    def _makers(self) -> dict[int, Operator]:
        return {tensor: operator for operator in self.operators for tensor in operator.outputs}

    def origin(self, tensor: int) -> Operator | None:
        """The operator that computes a tensor, apart from quantizers on the way. None for a constant or an input."""
        for _ in self.operators:  # more steps than that are a circle, in a damaged file
            maker = self._makers.get(tensor)
            if maker is None or maker.name not in QUANTIZERS or not maker.inputs:
                return maker
            tensor = maker.inputs[0]
        return None

    def steps(self) -> Iterator[tuple[Operator, set[int]]]:
        """Each operator, with the activations (not weights) that must be in memory while it runs."""
        made = set(self.inputs).union(*(operator.outputs for operator in self.operators))
        last = {tensor: at for at, operator in enumerate(self.operators) for tensor in operator.inputs + operator.outputs}
        last |= dict.fromkeys(self.outputs, len(self.operators))
        held = set(self.inputs)
        for at, operator in enumerate(self.operators):
            held |= made.intersection(operator.outputs)
            yield operator, set(held)
            held = {tensor for tensor in held if last.get(tensor, -1) > at}

    def peak(self) -> int:
        """Peak size of the activations that are alive at the same time, in bytes, if no layer is computed in parts."""
        return max((sum(self.tensors[tensor].nbytes for tensor in held) for _, held in self.steps()), default=0)

    def multiply_adds(self) -> int:
        """Multiply-adds of the convolutions and fully connected layers, counted from the shapes of a .tflite."""
        total = 0
        for one in self.operators:
            if one.name in ("CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"):
                weights, made = self.tensors[one.inputs[1]].shape, self.tensors[one.outputs[0]].shape
                if one.name == "TRANSPOSE_CONV":  # each number of the input meets all weights of its channel
                    total += math.prod(self.tensors[one.inputs[2]].shape) * math.prod(weights[:3])
                else:
                    total += math.prod(made) * math.prod(weights[1:3] if one.name == "DEPTHWISE_CONV_2D" else weights[1:])
        return total

    def in_float(self, operator: Operator) -> bool:
        """Whether an operator computes in float: one of its outputs, or of its inputs that are not constant, is float."""
        made = set(self.inputs).union(*(one.outputs for one in self.operators))
        used = (*operator.outputs, *(tensor for tensor in operator.inputs if tensor in made))
        return any(self.tensors[tensor].kind.startswith("FLOAT") for tensor in used)


def read(path: Path) -> Graph:
    """Read the graph of a model file. ValueError if the file is damaged or not a model."""
    return parse(path.read_bytes(), path.suffix)


def parse(data: bytes, suffix: str = ".tflite") -> Graph:
    """Read a graph from the bytes of a model file. `suffix` is the ending of its name."""
    if data[:4] == _ST_MARK:
        return Graph(ST)
    if data[4:8] == _TFLITE_MARK:
        return _tflite(data)
    if suffix.lower() == ".onnx":
        return _onnx(data)
    if suffix.lower() in WEIGHTS:
        raise ValueError(EXPORT_FIRST)
    raise ValueError("neither a .tflite nor an .onnx model, nor a model that was compiled for a camera's NPU")


def _tflite(data: bytes) -> Graph:
    from ai_edge_litert import schema_py_generated as schema

    kinds = _names(schema.TensorType)
    builtin = _names(schema.BuiltinOperator)
    try:
        model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(data, 0))
        main = model.subgraphs[0]
        names = [_operator_name(code, builtin) for code in model.operatorCodes]
        tensors = [_tensor(tensor, kinds) for tensor in main.tensors]
        operators = []
        for one in main.operators:
            name = names[one.opcodeIndex]
            inputs = tuple(int(i) for i in one.inputs if i >= 0)  # -1: an optional input that is not used
            outputs = tuple(int(i) for i in one.outputs)
            shape = tensors[outputs[0]].shape if outputs else ()
            channels = shape[3] if "CONV" in name and len(shape) == 4 else None
            axes = model.buffers[main.tensors[inputs[1]].buffer].data if name == "TRANSPOSE" else None
            axes = () if axes is None else tuple(np.asarray(axes, np.uint8).view("<i4").tolist())
            operators.append(Operator(name, inputs, outputs, channels, axes))
        form = VELA if VELA_OPERATOR in names else TFLITE
        graph = Graph(form, operators, tensors, tuple(map(int, main.inputs)), tuple(map(int, main.outputs)))
        _ = [tensors[i] for one in (graph, *operators) for i in one.inputs + one.outputs]
    except Exception as error:  # a truncated flatbuffer, or one with wrong offsets, can fail anywhere with any exception
        raise ValueError("a damaged .tflite: it is truncated, or its content is inconsistent") from error
    return graph


def _names(numbers: type) -> dict[int, str]:
    """{number: name} of one of the schema's enumerations."""
    return {number: name for name, number in vars(numbers).items() if isinstance(number, int)}


def _operator_name(code: Any, builtin: dict[int, str]) -> str:
    if code.customCode:
        return str(code.customCode.decode())
    # A number above 127 is in the newer field only.
    number = max(code.builtinCode, code.deprecatedBuiltinCode)
    return builtin.get(number, f"operator {number}")


def _tensor(tensor: Any, kinds: dict[int, str]) -> Tensor:
    shape = tuple(int(n) for n in (tensor.shape if tensor.shape is not None else ()))
    scale, zero_point = 1.0, 0
    quantization = tensor.quantization
    if quantization is not None and quantization.scale is not None and len(quantization.scale) == 1:
        scale = float(quantization.scale[0]) or 1.0
        points = quantization.zeroPoint
        zero_point = int(points[0]) if points is not None and len(points) else 0
    return Tensor(shape, kinds[tensor.type], scale, zero_point, (tensor.name or b"").decode(errors="replace"))


# message: (field, number, type, repeated) of onnx.proto. protobuf skips all other fields.
_ONNX_FIELDS = {
    "Tensor": (("dims", 1, "int64", True), ("float_data", 4, "float", True), ("name", 8, "string", False),
               ("raw_data", 9, "bytes", False)),
    "Attribute": (("name", 1, "string", False), ("s", 4, "bytes", False)),
    "Node": (("input", 1, "string", True), ("output", 2, "string", True), ("op_type", 4, "string", False),
             ("attribute", 5, "Attribute", True)),
    "Graph": (("node", 1, "Node", True), ("initializer", 5, "Tensor", True)),
    "Model": (("graph", 7, "Graph", False),),
}  # fmt: skip


def _onnx(data: bytes) -> Graph:
    from google.protobuf.message import DecodeError

    model = _onnx_model()
    try:
        model.ParseFromString(data)
        if not model.graph.node:
            raise ValueError("an .onnx without operators, or not an ONNX model")
        return _onnx_graph(model.graph)
    except (DecodeError, IndexError) as error:
        raise ValueError("a damaged .onnx: it is truncated, or its content is inconsistent") from error


def _onnx_graph(graph: Any) -> Graph:
    constants = {one.name: one for one in graph.initializer}
    quantized = {node.output[0]: node.input for node in graph.node if node.op_type == "DequantizeLinear"}
    numbers: dict[str, int] = {}
    operators = []
    for node in graph.node:
        # Quantized weights pass through a DequantizeLinear.
        weights = node.input[1] if node.op_type == "Conv" and len(node.input) > 1 else ""
        weights = quantized.get(weights, [weights])[0]
        dims = constants[weights].dims if weights in constants else ()
        inputs, outputs = (
            tuple(numbers.setdefault(name, len(numbers)) for name in names if name) for names in (node.input, node.output)
        )
        attributes = node.attribute if node.op_type == "Resize" else ()
        mode = "".join(one.s.decode(errors="replace") for one in attributes if one.name == "mode")
        channels = dims[0] if len(dims) == 4 else None
        operators.append(Operator(node.op_type, inputs, outputs, channels, mode=mode))
    scales = {name: _onnx_scale(constants.get(inputs[1])) for name, inputs in quantized.items()}
    # protobuf returns bytes for a damaged name.
    kinds = {name: "INT8" if name in scales else "FLOAT32" for name in numbers}
    tensors = [Tensor((), kind, scales.get(name, 1.0), name=str(name)) for name, kind in kinds.items()]
    return Graph(ONNX, operators, tensors)


def _onnx_scale(constant: Any) -> float:
    """The scale of a whole tensor, 1.0 if each channel has its own or the file computes it."""
    if constant is None:
        return 1.0
    values = constant.float_data or np.frombuffer(constant.raw_data[: len(constant.raw_data) // 4 * 4], "<f4")
    return float(values[0]) if len(values) == 1 else 1.0


def _onnx_model() -> Any:
    """An empty ModelProto of onnx.proto, with the fields of _ONNX_FIELDS."""
    from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

    of = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="n6post_onnx.proto", package="n6post_onnx", syntax="proto2")
    for message, fields in _ONNX_FIELDS.items():
        described = file.message_type.add(name=message)
        for name, number, kind, repeated in fields:
            one = described.field.add(name=name, number=number, label=of.LABEL_REPEATED if repeated else of.LABEL_OPTIONAL)
            if kind in _ONNX_FIELDS:
                one.type, one.type_name = of.TYPE_MESSAGE, f".n6post_onnx.{kind}"
            else:
                one.type = getattr(of, f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("n6post_onnx.Model"))()
