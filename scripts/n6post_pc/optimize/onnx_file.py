"""A quantized .onnx file that can be changed: other outputs, other constants, and only what they need.

Quantized means QDQ: operators stay in float, and a QuantizeLinear with a DequantizeLinear behind it says which numbers a
compiler shall compute in integers.
"""

import ast
import contextlib
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError
from onnx import numpy_helper, shape_inference
from onnx.reference import ReferenceEvaluator

from .network import CannotOptimize, Output

Array = np.ndarray[Any, Any]

# The names that yolo_head.py knows. Others stay as they are.
_COMMON_NAMES = {
    "QuantizeLinear": "QUANTIZE", "DequantizeLinear": "DEQUANTIZE", "Conv": "CONV_2D", "ConvTranspose": "TRANSPOSE_CONV",
    "Gemm": "FULLY_CONNECTED", "MatMul": "FULLY_CONNECTED", "Transpose": "TRANSPOSE", "Reshape": "RESHAPE",
    "Flatten": "RESHAPE", "Squeeze": "SQUEEZE", "Unsqueeze": "EXPAND_DIMS", "Concat": "CONCATENATION", "Slice": "SLICE",
    "Split": "SPLIT", "Gather": "GATHER", "Add": "ADD", "Sub": "SUB", "Mul": "MUL", "Div": "DIV", "Softmax": "SOFTMAX",
    "Sigmoid": "LOGISTIC", "Cos": "COS", "Sin": "SIN",
}  # fmt: skip
QUANTIZERS = ("QuantizeLinear", "DequantizeLinear")


class Shapes(dict[str, tuple[int, ...]]):
    """The shapes of tensors, by their names."""

    def __missing__(self, name: str) -> tuple[int, ...]:
        raise CannotOptimize(f"the shape of tensor {name} is not known")


class OnnxFile:
    """The operators, tensors and constants of an .onnx. Tensors have numbers here, and names in the file."""

    channel_axis = 1

    def __init__(self, data: bytes) -> None:
        given = _parsed(data)
        _check_kind(given)
        _check(given)
        self.model = onnx.ModelProto()
        self.model.CopyFrom(given)
        self.graph = self.model.graph
        self._described = {one.name for one in given.graph.value_info}
        self.constants = {one.name: one for one in given.graph.initializer}
        self.constants |= {node.output[0]: _constant(node) for node in given.graph.node if node.op_type == "Constant"}
        self.nodes = [node for node in given.graph.node if node.op_type != "Constant"]
        self.kept = list(range(len(self.nodes)))
        self._fix_input()
        self.names = [_COMMON_NAMES.get(node.op_type, node.op_type) for node in self.nodes]
        used = (name for node in self.nodes for name in (*node.input, *node.output))
        self._tensors: list[str] = list(dict.fromkeys([*self._input_names, *self.constants, *used]))
        self._numbers = {name: number for number, name in enumerate(self._tensors)}
        self.maker = {self._numbers[name]: at for at, node in enumerate(self.nodes) for name in node.output if name}
        self.shapes = self.infer_shapes()

    def _fix_input(self) -> None:
        """Set an open batch to 1: a camera takes one picture. CannotOptimize if the size is open as well."""
        self._input_names = [one.name for one in self.graph.input if one.name not in self.constants]
        for one in self.graph.input:
            sides = one.type.tensor_type.shape.dim
            if one.name not in self._input_names:
                continue
            if len(sides) > 1 and not sides[0].dim_value > 0:
                sides[0].dim_value = 1
            if not all(side.dim_value > 0 for side in sides):
                raise CannotOptimize("its input has no fixed size: export it with dynamic=False")

    # --- reading ---
    @property
    def input_tensors(self) -> list[int]:
        return [self._numbers[name] for name in self._input_names]

    @property
    def output_tensors(self) -> list[int]:
        return [self._numbers[one.name] for one in self.graph.output]

    def inputs(self, operator: int) -> list[int]:
        """The tensors that an operator reads, without optional ones that are not used."""
        return [self._numbers[name] for name in self.nodes[operator].input if name]

    def outputs(self, operator: int) -> list[int]:
        return [self._numbers[name] for name in self.nodes[operator].output]

    def shape(self, tensor: int) -> tuple[int, ...]:
        return self.shapes[self.name(tensor)]

    def is_constant(self, tensor: int) -> bool:
        return self._tensors[tensor] in self.constants

    def constant(self, name: str) -> Array:
        return numpy_helper.to_array(self.constants[name])

    def name(self, tensor: int) -> str:
        return self._tensors[tensor]

    def computes_in_float(self, operator: int) -> bool:
        return False  # `_check_kind` refuses such files

    def softmax_axis(self, operator: int) -> int:
        return int(attribute(self.nodes[operator], "axis", -1))

    def moved(self, operator: int, known: dict[int, Array]) -> list[Array]:
        """What an operator that only moves numbers makes of them."""
        node = self.nodes[operator]
        if node.op_type in QUANTIZERS:
            return [known[self._numbers[node.input[0]]]]
        given = {
            self.name(one): known[one] if one in known else self.constant(self.name(one)) for one in self.inputs(operator)
        }
        versions = {one.domain: one.version for one in self.model.opset_import}
        try:
            return list(ReferenceEvaluator(node, opsets=versions).run(None, given))
        except Exception as error:  # it has no errors of its own: wrong constants raise any of numpy's
            raise CannotOptimize(f"a damaged .onnx: {node.op_type} does not fit its tensors") from error

    def dequantized(self, name: str) -> str:
        """The tensor behind the QuantizeLinear and the DequantizeLinear of a tensor, or itself if it has none."""
        for kind in QUANTIZERS:
            behind = [node for node in self.readers(name) if node.op_type == kind]
            if not behind:
                return name
            name = behind[0].output[0]
        return name

    def readers(self, name: str) -> list[onnx.NodeProto]:
        """The operators that are kept and read a tensor."""
        return [self.nodes[at] for at in self.kept if name in self.nodes[at].input]

    def integers(self, name: str) -> tuple[str, float, int] | None:
        """Type, scale and zero point of what a tensor is dequantized from, if they are the same for all channels."""
        node = self.nodes[self.maker[self._numbers[name]]] if self._numbers.get(name) in self.maker else None
        if node is None or node.op_type != "DequantizeLinear" or node.input[1] not in self.constants:
            return None
        scale = self.constant(node.input[1])
        has_point = len(node.input) > 2 and node.input[2] in self.constants
        point = self.constant(node.input[2]) if has_point else np.zeros(1, np.uint8)
        return (point.dtype.name, float(scale.ravel()[0]), int(point.ravel()[0])) if scale.size == point.size == 1 else None

    def described(self, name: str) -> Output:
        """Name, shape and type of an output, which is float, and the integers before it."""
        return Output(name, self.shape(self._numbers[name]), "float32", integers=self.integers(name))

    def count(self) -> int:
        """The number of operators, without those that only mark what is quantized."""
        return sum(self.nodes[at].op_type not in QUANTIZERS for at in self.kept)

    # --- changing ---
    def cut(self, outputs: dict[str, str]) -> None:
        """Make these tensors the outputs, by these names, and drop the operators that they do not need."""
        names = {tensor: name for name, tensor in outputs.items()}
        shapes = {name: self.shapes[tensor] for name, tensor in outputs.items()}
        for node in self.nodes:
            for tensors in (node.input, node.output):
                tensors[:] = [names.get(tensor, tensor) for tensor in tensors]
        del self.graph.output[:]
        self.graph.output.extend(
            onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, shape) for name, shape in shapes.items()
        )
        self._prune()

    def _prune(self) -> None:
        """Keep only the operators that the outputs need."""
        needed = {one.name for one in self.graph.output}
        kept = []
        for at in reversed(self.kept):
            if needed.intersection(self.nodes[at].output):
                kept.append(at)
                needed.update(self.nodes[at].input)
        self.kept = kept[::-1]

    def add_constant(self, name: str, values: Array) -> str:
        """A new constant. Returns its name, which begins with the given one."""
        while name in self.constants or name in self._numbers:
            name += "_new"
        self.constants[name] = numpy_helper.from_array(np.ascontiguousarray(values), name)
        return name

    def add_first(self, node: onnx.NodeProto) -> None:
        """Add an operator that depends on constants only."""
        self.kept.insert(0, len(self.nodes))
        self.nodes.append(node)

    def set_metadata(self, key: str, text: str) -> None:
        """Change an entry of the metadata, if the file has it."""
        for entry in self.model.metadata_props:
            if entry.key == key:
                entry.value = text

    def label_names(self) -> dict[int, str]:
        """The class names that Ultralytics writes into a file."""
        with contextlib.suppress(ValueError, SyntaxError, MemoryError, RecursionError):
            for entry in self.model.metadata_props:
                names = ast.literal_eval(entry.value) if entry.key == "names" else None
                if isinstance(names, dict | list):
                    return dict(names if isinstance(names, dict) else enumerate(names))
        return {}

    def resize_input(self, width: int, height: int) -> None:
        """Another input size. All shapes are unknown until `infer_shapes`."""
        (picture,) = (one for one in self.graph.input if one.name in self._input_names)
        sides = picture.type.tensor_type.shape.dim
        first = 2 if sides[1].dim_value in (1, 3) else 1
        sides[first].dim_value, sides[first + 1].dim_value = height, width

    def infer_shapes(self) -> Shapes:
        """The shapes of all tensors, from that of the input on. The file states as many of them as before."""
        del self.graph.value_info[:]
        self._assemble()
        for one in self.graph.output:
            one.type.tensor_type.ClearField("shape")
        try:
            model = shape_inference.infer_shapes(self.model, data_prop=True)
        except Exception as error:  # it is C++, with errors of its own for each kind of damage
            raise CannotOptimize(f"a damaged .onnx: {_one_line(error)}") from error
        self.graph.value_info.extend(one for one in model.graph.value_info if one.name in self._described)
        for one, known in zip(self.graph.output, model.graph.output, strict=True):
            one.CopyFrom(known)
        shapes = Shapes({name: tuple(one.dims) for name, one in self.constants.items()})
        for one in (*model.graph.input, *model.graph.value_info, *model.graph.output):
            if one.type.tensor_type.HasField("shape"):
                shapes[one.name] = tuple(side.dim_value for side in one.type.tensor_type.shape.dim)
        return shapes

    def _assemble(self) -> None:
        """Put the operators that are needed into the graph, and the constants that they use."""
        self._prune()
        nodes = [self.nodes[at] for at in self.kept]
        used = {name for node in nodes for name in node.input} | {one.name for one in self.graph.output}
        inputs = [one for one in self.graph.input if one.name in self._input_names]  # old files list their constants as well
        del self.graph.node[:], self.graph.initializer[:], self.graph.input[:]
        self.graph.node.extend(nodes)
        self.graph.initializer.extend(one for name, one in self.constants.items() if name in used)
        self.graph.input.extend(inputs)

    # --- writing ---
    def data(self) -> bytes:
        """The new file, with the shapes of its tensors."""
        self.infer_shapes()
        return bytes(self.model.SerializeToString())


def _parsed(data: bytes) -> onnx.ModelProto:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError as error:
        raise CannotOptimize("a damaged .onnx: it is truncated, or its content is inconsistent") from error
    return model


def _check_kind(model: onnx.ModelProto) -> None:
    """CannotOptimize if a file is not a quantized network in the format QDQ."""
    kinds = {str(node.op_type) for node in model.graph.node}  # damaged ones are bytes
    if not kinds:
        raise CannotOptimize("an .onnx without operators, or not an ONNX model")
    if any(one.data_location == onnx.TensorProto.EXTERNAL for one in model.graph.initializer):
        raise CannotOptimize("its weights are in another file: save the .onnx as one file")
    other = sorted(kind for kind in kinds if kind.startswith("QLinear"))
    if other:
        raise CannotOptimize(f"quantized in the format QOperator ({other[0]} inside): quantize it in the format QDQ")
    if "QuantizeLinear" not in kinds:
        raise CannotOptimize("a network that computes in float: quantize it (QDQ), with int8 activations")


def _check(model: onnx.ModelProto) -> None:
    """CannotOptimize if a file does not keep the rules of the format."""
    names = [name for node in model.graph.node for name in (*node.input, *node.output)]
    try:
        if not all(isinstance(name, str) for name in names):  # protobuf gives bytes if they are not UTF-8
            raise ValueError("the name of a tensor is no text")
        onnx.checker.check_model(model)
        missing = {one.name for one in model.graph.output}.difference(names)
        if missing:
            raise ValueError(f"nothing computes the output {min(missing)}")
    except Exception as error:  # the checker is C++, with errors of its own
        raise CannotOptimize(f"a damaged .onnx: {_one_line(error)}") from error


def _one_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0]


def attribute(node: onnx.NodeProto, name: str, default: Any) -> Any:
    """An attribute of an operator."""
    found = [onnx.helper.get_attribute_value(one) for one in node.attribute if one.name == name]
    return found[0] if found else default


def _constant(node: onnx.NodeProto) -> onnx.TensorProto:
    """The value of an operator Constant, as an initializer."""
    (one,) = node.attribute
    value = onnx.helper.get_attribute_value(one)
    if isinstance(value, onnx.TensorProto):
        tensor = onnx.TensorProto()
        tensor.CopyFrom(value)
    else:  # value_float, value_ints ...
        tensor = numpy_helper.from_array(np.asarray(value, np.float32 if "float" in one.name else np.int64))
    tensor.name = node.output[0]
    return tensor
