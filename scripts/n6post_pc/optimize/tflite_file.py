"""A .tflite file that can be changed: other outputs, other constants, and only what they need."""

import ast
import contextlib
import io
import json
import zipfile
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from ..models import graph
from .network import CannotOptimize, Output

Array = np.ndarray[Any, Any]

# The description of the outputs by TensorFlow Lite's metadata schema, which the new outputs do not fit.
_DESCRIBES_OUTPUTS = b"TFLITE_METADATA"


class TfliteFile:
    """The operators, tensors and constants of a .tflite, each by its number in the file.

    Numbers stay valid until `data` writes the file: it leaves out what is not needed any more.
    """

    channel_axis = 3

    def __init__(self, data: bytes) -> None:
        try:
            known = graph.parse(data)
        except ValueError as error:
            raise CannotOptimize(str(error)) from error
        if known.form != graph.TFLITE:
            raise CannotOptimize(f"{known.form} already: optimize the file from which it was compiled")
        from ai_edge_litert import schema_py_generated as schema

        self._schema = schema
        self.model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(data, 0))
        if len(self.model.subgraphs) != 1:
            raise CannotOptimize(f"the file has {len(self.model.subgraphs)} subgraphs, expected one")
        self.graph = self.model.subgraphs[0]
        self.names = [operator.name for operator in known.operators]
        self.kinds = [tensor.kind for tensor in known.tensors]
        self._known = known.tensors
        self.maker = {int(tensor): at for at, one in enumerate(self.graph.operators) for tensor in one.outputs}
        self.kept = list(range(len(self.graph.operators)))
        for buffer in self.model.buffers:
            if buffer.offset > 1:  # LiteRT writes large constants behind the flatbuffer
                buffer.data = np.frombuffer(data, np.uint8, buffer.size, buffer.offset)
                buffer.offset = buffer.size = 0
        self._attached = _archive(data)

    # --- reading ---
    @property
    def input_tensors(self) -> list[int]:
        return [int(tensor) for tensor in self.graph.inputs]

    @property
    def output_tensors(self) -> list[int]:
        return [int(tensor) for tensor in self.graph.outputs]

    def inputs(self, operator: int) -> list[int]:
        """The tensors that an operator reads, without optional ones that are not used."""
        return [int(tensor) for tensor in self.graph.operators[operator].inputs if tensor >= 0]

    def outputs(self, operator: int) -> list[int]:
        return [int(tensor) for tensor in self.graph.operators[operator].outputs]

    def options(self, operator: int) -> Any:
        return self.graph.operators[operator].builtinOptions

    def shape(self, tensor: int) -> tuple[int, ...]:
        shape = self.graph.tensors[tensor].shape
        return () if shape is None else tuple(int(n) for n in shape)

    def is_constant(self, tensor: int) -> bool:
        data = self.model.buffers[self.graph.tensors[tensor].buffer].data
        return data is not None and len(data) > 0

    def constant(self, tensor: int) -> Array:
        """The numbers of a constant tensor, as they are stored."""
        if not self.is_constant(tensor):
            raise CannotOptimize(f"tensor {tensor} is computed where a YOLO network has constants")
        kind, shape = self.kinds[tensor], self.shape(tensor)
        data = np.asarray(self.model.buffers[self.graph.tensors[tensor].buffer].data, np.uint8)
        if not hasattr(np, kind.lower()) or data.size != np.prod(shape, dtype=int) * np.dtype(kind.lower()).itemsize:
            raise CannotOptimize(f"the constant {tensor} does not fit its shape {list(shape)} of type {kind.lower()}")
        return np.frombuffer(data.tobytes(), kind.lower()).reshape(shape)

    def computes_in_float(self, operator: int) -> bool:
        return self.kinds[self.outputs(operator)[0]].startswith("FLOAT")

    def softmax_axis(self, operator: int) -> int:
        return -1

    def moved(self, operator: int, known: dict[int, Array]) -> list[Array]:
        """What an operator that only moves numbers makes of them: `known` has its inputs that are not constant."""
        name, options = self.names[operator], self.options(operator)
        arrays = [known[tensor] for tensor in self.inputs(operator) if tensor in known]
        constants = [self.constant(tensor) for tensor in self.inputs(operator) if tensor not in known]
        moved = arrays[:1]
        try:
            if name == "TRANSPOSE":
                moved = [np.transpose(arrays[0], constants[0])]
            elif name == "CONCATENATION":
                moved = [np.concatenate(arrays, options.axis)]
            elif name == "PACK":
                moved = [np.stack(arrays, options.axis)]
            elif name == "UNPACK":
                moved = list(np.moveaxis(arrays[0], options.axis, 0))
            elif name == "GATHER":
                moved = [np.take(arrays[0], constants[0], options.axis)]
            elif name == "SPLIT":
                moved = np.split(arrays[0], options.numSplits, int(constants[0]))
            elif name == "SPLIT_V":
                moved = np.split(arrays[0], np.cumsum(constants[0])[:-1], int(constants[1]))
            elif name == "SLICE":
                ends = [None if size < 0 else begin + size for begin, size in zip(*constants, strict=True)]
                moved = [arrays[0][tuple(slice(*pair) for pair in zip(constants[0], ends, strict=True))]]
            elif name == "STRIDED_SLICE":
                begins, ends, steps = (one.tolist() for one in constants)
                moved = [arrays[0][tuple(strided(begins, ends, steps, options))]]
            # The rest, RESHAPE and the like, has no other effect than this.
            return [one.reshape(self.shape(tensor)) for one, tensor in zip(moved, self.outputs(operator), strict=True)]
        except (ValueError, IndexError, TypeError) as error:
            raise CannotOptimize(f"a damaged .tflite: {name} does not fit its tensors") from error

    def described(self, tensor: int) -> Output:
        """Name, shape, type and quantization of a tensor, as the file was read."""
        known = self._known[tensor]
        return Output(self.name(tensor), known.shape, known.kind.lower(), known.scale, known.zero_point)

    def name(self, tensor: int) -> str:
        return (self.graph.tensors[tensor].name or b"").decode(errors="replace")

    # --- changing ---
    def cut(self, outputs: dict[str, int], inputs: Sequence[int] = ()) -> None:
        """Make these tensors the outputs, by these names, and drop the operators that they do not need.

        inputs      tensors that become the inputs of the file, instead of its own
        """
        needed: set[int] = set()
        reached = list(outputs.values())
        while reached:
            maker = self.maker.get(reached.pop())
            if maker is not None and maker not in needed:
                needed.add(maker)
                reached += [tensor for tensor in self.inputs(maker) if tensor not in inputs]
        self.kept = sorted(needed)
        if inputs:
            self.graph.inputs = list(inputs)
            self.model.signatureDefs = None
        self.graph.outputs = list(outputs.values())
        for name, tensor in outputs.items():
            self.graph.tensors[tensor].name = name.encode()
        for signature in self.model.signatureDefs or ():
            signature.outputs = [self._schema.TensorMapT(name.encode(), tensor) for name, tensor in outputs.items()]

    def readers(self, tensor: int) -> list[int]:
        """The operators that are kept and read a tensor."""
        return [operator for operator in self.kept if tensor in self.inputs(operator)]

    def replace_constant(self, operator: int, position: int, values: Array) -> Any:
        """Give an operator another constant, which it shares with no other operator. Returns the new tensor."""
        one = self.graph.operators[operator]
        old = int(one.inputs[position])
        buffer, new = self._schema.BufferT(), self._schema.TensorT()
        buffer.data = np.frombuffer(np.ascontiguousarray(values).tobytes(), np.uint8)
        vars(new).update(vars(self.graph.tensors[old]))
        new.shape, new.shapeSignature, new.buffer = list(values.shape), None, len(self.model.buffers)
        one.inputs = [int(tensor) for tensor in one.inputs]
        one.inputs[position] = len(self.graph.tensors)
        self.model.buffers.append(buffer)
        self.graph.tensors.append(new)
        self.kinds.append(self.kinds[old])
        return new

    def replace_operator(self, operator: int, name: str, outputs: Sequence[int]) -> None:
        """Make it another operator of TensorFlow Lite, which has no options, of the same inputs."""
        code = self._schema.OperatorCodeT()
        code.builtinCode, code.version = getattr(self._schema.BuiltinOperator, name), 1
        code.deprecatedBuiltinCode = min(code.builtinCode, 127)
        one = self.graph.operators[operator]
        one.opcodeIndex, one.outputs = len(self.model.operatorCodes), list(outputs)
        one.builtinOptions, one.builtinOptionsType = None, 0
        self.model.operatorCodes.append(code)
        self.names[operator] = name

    def relabel(self, classes: list[int] | None, size: tuple[int, int] | None) -> None:
        """Keep the metadata true that Ultralytics attaches to its files: class names and input size."""
        self._attached = [(info, _relabeled(content, classes, size)) for info, content in self._attached]

    def drop_archive(self) -> None:
        """Leave out that metadata."""
        self._attached = []

    # --- writing ---
    def data(self) -> bytes:
        """The new file, with the tensors, constants and operator codes that are still used."""
        import flatbuffers

        model, main = self.model, self.graph
        main.operators = [main.operators[at] for at in self.kept]
        model.metadata = [one for one in model.metadata or () if one.name != _DESCRIBES_OUTPUTS]
        model.metadataBuffer = None  # a list of numbers that metadata has replaced
        model.operatorCodes, moved = _used(model.operatorCodes, (one.opcodeIndex for one in main.operators))
        for one in main.operators:
            one.opcodeIndex = moved[one.opcodeIndex]
        self._drop_tensors()
        referring = [*main.tensors, *model.metadata]
        # Buffer 0 is empty by convention: tensors that are computed refer to it.
        model.buffers, moved = _used(model.buffers, (0, *(one.buffer for one in referring)))
        for one in referring:
            one.buffer = moved[one.buffer]
        builder = flatbuffers.Builder(sum(len(one.data) for one in model.buffers if one.data is not None) + 65536)
        builder.Finish(model.Pack(builder), b"TFL3")
        return _with_archive(bytes(builder.Output()), self._attached)

    def _drop_tensors(self) -> None:
        main = self.graph
        lists = [(one, field) for one in main.operators for field in ("inputs", "outputs", "intermediates")]
        lists += [(main, "inputs"), (main, "outputs")]
        maps = [one for signature in self.model.signatureDefs or () for one in (*signature.inputs, *signature.outputs)]
        numbers = {int(tensor) for one, field in lists for tensor in _numbers(one, field)}
        main.tensors, moved = _used(main.tensors, (*numbers, *(one.tensorIndex for one in maps)))
        for one, field in lists:
            setattr(one, field, [moved[tensor] for tensor in _numbers(one, field)])
        for one in maps:
            one.tensorIndex = moved[one.tensorIndex]


@contextlib.contextmanager
def undamaged() -> Iterator[None]:
    """Let all errors be CannotOptimize: as in graph.parse, a wrong number in a damaged file can fail anywhere with any."""
    try:
        yield
    except CannotOptimize:
        raise
    except Exception as error:
        raise CannotOptimize("a damaged .tflite: its content is inconsistent") from error


def strided(begins: list[int], ends: list[int], steps: list[int], options: Any) -> list[slice]:
    """What a STRIDED_SLICE takes."""
    slices = []
    for axis, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
        first = None if options.beginMask >> axis & 1 else begin
        last = None if options.endMask >> axis & 1 else end
        if options.shrinkAxisMask >> axis & 1:
            last = begin + 1 or None
        slices.append(slice(first, last, step))
    return slices


def _numbers(one: Any, field: str) -> list[int]:
    numbers = getattr(one, field)
    return [] if numbers is None else [int(number) for number in numbers]


def _used(everything: list[Any], numbers: Any) -> tuple[list[Any], dict[int, int]]:
    """What these numbers refer to, and {old number: new number}. -1, an optional input that is not used, stays -1."""
    wanted = sorted({int(number) for number in numbers} - {-1})
    return [everything[number] for number in wanted], {-1: -1, **{number: at for at, number in enumerate(wanted)}}


# --- what Ultralytics attaches: a zip archive behind the network, with a file that states names and input size ---
Attached = list[tuple[zipfile.ZipInfo, bytes]]


def _archive(data: bytes) -> Attached:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [(info, archive.read(info)) for info in archive.infolist()]
    except zipfile.BadZipFile:
        return []


def _with_archive(data: bytes, attached: Attached) -> bytes:
    if not attached:
        return data
    whole = io.BytesIO(data)
    with zipfile.ZipFile(whole, "a") as archive:
        for info, content in attached:
            archive.writestr(zipfile.ZipInfo(info.filename, info.date_time), content, info.compress_type)
    return whole.getvalue()


def _relabeled(content: bytes, classes: list[int] | None, size: tuple[int, int] | None) -> bytes:
    known, write = _metadata(content)
    names = known.get("names")
    if classes is not None and isinstance(names, dict):
        kept = [names[key] for number in classes for key in (number, str(number)) if key in names]
        numbers = [str(at) if "0" in names else at for at in range(len(kept))]
        known["names"] = dict(zip(numbers, kept, strict=True))
    if size is not None and "imgsz" in known:
        known["imgsz"] = [size[1], size[0]]
    return write(known).encode() if known else content


def _metadata(content: bytes) -> tuple[dict[str, Any], Callable[[Any], str]]:
    """Ultralytics' metadata, and the function that writes it again: JSON; until 8.3, a Python dictionary as text."""
    for read, write in ((json.loads, partial(json.dumps, indent=2)), (ast.literal_eval, str)):
        with contextlib.suppress(ValueError, SyntaxError):
            known = read(content.decode())
            if isinstance(known, dict):
                return known, write
    return {}, str
