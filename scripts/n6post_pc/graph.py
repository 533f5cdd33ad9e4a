"""What is inside of a model file: its operators and tensors, without running it.

A .tflite is read with its own schema, which ai-edge-litert brings along; an .onnx with the few fields of its schema
(onnx.proto) that matter here, by protobuf, which onnxruntime brings along. So is what was compiled for an NPU told from what
a PC can run.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

TFLITE, ONNX, VELA, ST = "TensorFlow Lite", "ONNX", "compiled by Vela for an Ethos-U", "compiled by ST for Neural-ART"

# ST's relocatable binary: AI_RELOC_MAGIC of ll_aton_reloc_network.h, 0x4E49424E. OpenMV names it .tflite all the same.
_ST_MARK = b"NBIN"
_TFLITE_MARK = b"TFL3"  # a flatbuffer's file identifier, at byte 4
VELA_OPERATOR = "ethos-u"  # stands for all that runs on the NPU

# Bytes of an element of TensorFlow Lite's tensor types, by their names.
_BYTES = {"FLOAT32": 4, "FLOAT16": 2, "INT32": 4, "UINT32": 4, "UINT8": 1, "INT8": 1, "INT16": 2, "UINT16": 2, "INT64": 8,
          "BOOL": 1, "FLOAT64": 8, "UINT64": 8}  # fmt: skip
_CODES = {"INT8": "b", "UINT8": "B", "INT16": "h", "UINT16": "H", "FLOAT32": "f"}  # the firmware's


@dataclass(frozen=True)
class Tensor:
    """Its shape, TensorFlow Lite's name of its type, and its quantisation, 1.0 and 0 where it has none."""

    shape: tuple[int, ...]
    kind: str
    scale: float = 1.0
    zero_point: int = 0

    @property
    def nbytes(self) -> int:
        return math.prod(self.shape) * _BYTES.get(self.kind, 0)

    @property
    def code(self) -> str:
        """The firmware's letter; ValueError for a type that it refuses."""
        if self.kind not in _CODES:
            raise ValueError(f"Unsupported data type {self.kind.lower()}")
        return _CODES[self.kind]


@dataclass(frozen=True)
class Operator:
    """Its name as the format has it (CONV_2D, Conv), the numbers of its tensors, and its output channels if it convolves."""

    name: str
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    channels: int | None = None


@dataclass
class Graph:
    """A network: its operators in the order in which they run. Of an .onnx and of ST's binaries no tensors are known."""

    form: str
    operators: list[Operator] = field(default_factory=list)
    tensors: list[Tensor] = field(default_factory=list)
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()

    def counts(self) -> Counter[str]:
        return Counter(operator.name for operator in self.operators)

    def steps(self) -> Iterator[tuple[Operator, set[int]]]:
        """Each operator, with the activations (no weights) that have to be held while it runs."""
        made = set(self.inputs).union(*(operator.outputs for operator in self.operators))
        last = {tensor: at for at, operator in enumerate(self.operators) for tensor in operator.inputs + operator.outputs}
        last |= dict.fromkeys(self.outputs, len(self.operators))
        held = set(self.inputs)
        for at, operator in enumerate(self.operators):
            held |= made.intersection(operator.outputs)
            yield operator, set(held)
            held = {tensor for tensor in held if last.get(tensor, -1) > at}

    def peak(self) -> int:
        """Bytes of activations that are alive at once, at most: what a plan needs that cuts no layer into parts."""
        return max((sum(self.tensors[tensor].nbytes for tensor in held) for _, held in self.steps()), default=0)

    def in_float(self, operator: Operator) -> bool:
        """Whether an operator computes in float: what it puts out, or takes in and is no constant, is float."""
        made = set(self.inputs).union(*(one.outputs for one in self.operators))
        used = (*operator.outputs, *(tensor for tensor in operator.inputs if tensor in made))
        return any(self.tensors[tensor].kind.startswith("FLOAT") for tensor in used)


def read(path: Path) -> Graph:
    """The graph of a model file. ValueError, a sentence, for a broken one and for a file that is none."""
    return parse(path.read_bytes(), path.suffix)


def parse(data: bytes, suffix: str = ".tflite") -> Graph:
    """The same of a file's bytes and the end of its name."""
    if data[:4] == _ST_MARK:
        return Graph(ST)
    if data[4:8] == _TFLITE_MARK:
        return _tflite(data)
    if suffix.lower() == ".onnx":
        return _onnx(data)
    raise ValueError("neither a .tflite nor an .onnx model, nor one that was compiled for a camera's NPU")


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
            inputs = tuple(int(i) for i in one.inputs if i >= 0)  # -1: an optional one that is left out
            outputs = tuple(int(i) for i in one.outputs)
            shape = tensors[outputs[0]].shape if outputs else ()
            channels = shape[3] if "CONV" in name and len(shape) == 4 else None
            operators.append(Operator(name, inputs, outputs, channels))
        form = VELA if VELA_OPERATOR in names else TFLITE
        graph = Graph(form, operators, tensors, tuple(map(int, main.inputs)), tuple(map(int, main.outputs)))
        _ = [tensors[i] for one in (graph, *operators) for i in one.inputs + one.outputs]
    except Exception as error:  # a flatbuffer that ends early or lies of its offsets fails anywhere, in any way
        raise ValueError("a damaged .tflite: it ends early, or what is in it is inconsistent") from error
    return graph


def _names(numbers: type) -> dict[int, str]:
    """The names of one of the schema's enumerations by their numbers."""
    return {number: name for name, number in vars(numbers).items() if isinstance(number, int)}


def _operator_name(code: Any, builtin: dict[int, str]) -> str:
    if code.customCode:
        return str(code.customCode.decode())
    # A number above 127 stands in the newer field alone.
    number = max(code.builtinCode, code.deprecatedBuiltinCode)
    return builtin.get(number, f"operator {number}")


def _tensor(tensor: Any, kinds: dict[int, str]) -> Tensor:
    shape = tuple(int(n) for n in (tensor.shape if tensor.shape is not None else ()))
    scale, zero_point = 1.0, 0
    quantised = tensor.quantization
    if quantised is not None and quantised.scale is not None and len(quantised.scale) == 1:
        scale = float(quantised.scale[0]) or 1.0
        zero_point = int(quantised.zeroPoint[0]) if quantised.zeroPoint is not None and len(quantised.zeroPoint) else 0
    return Tensor(shape, kinds[tensor.type], scale, zero_point)


# message: (field, number, type, repeated) of onnx.proto; protobuf passes over all others, the weights among them.
_ONNX_FIELDS = {
    "Tensor": (("dims", 1, "int64", True), ("name", 8, "string", False)),
    "Node": (("input", 1, "string", True), ("output", 2, "string", True), ("op_type", 4, "string", False)),
    "Graph": (("node", 1, "Node", True), ("initializer", 5, "Tensor", True)),
    "Model": (("graph", 7, "Graph", False),),
}


def _onnx(data: bytes) -> Graph:
    from google.protobuf.message import DecodeError

    model = _onnx_model()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        raise ValueError("a damaged .onnx: it ends early, or what is in it is inconsistent") from error
    if not model.graph.node:
        raise ValueError("an .onnx without operators, or no .onnx at all")
    channels = {weights.name: weights.dims[0] for weights in model.graph.initializer if len(weights.dims) == 4}
    # Quantised weights go through a DequantizeLinear.
    behind = {node.output[0]: node.input[0] for node in model.graph.node if node.op_type == "DequantizeLinear"}
    operators = []
    for node in model.graph.node:
        weights = node.input[1] if node.op_type == "Conv" and len(node.input) > 1 else ""
        operators.append(Operator(node.op_type, channels=channels.get(behind.get(weights, weights))))
    return Graph(ONNX, operators)


def _onnx_model() -> Any:
    """An empty message of onnx.proto's ModelProto, with the fields of _ONNX_FIELDS."""
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
                one.type = of.TYPE_INT64 if kind == "int64" else of.TYPE_STRING
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("n6post_onnx.Model"))()
