"""Cut a quantized YOLO network (QDQ .onnx) above its decoding: split heads, other input sizes, fewer classes.

It does to an .onnx what optimize_tflite.py does to a .tflite.

The new outputs are the results of a DequantizeLinear, in float, as those of every QDQ file are. ST's compiler puts out the
integers in front of it: "the I/O data type (commonly float32) is not conserved but [...] aligned with the used activation
type" (ST Edge AI Core, "How to change the I/O data type"). With the integers themselves as outputs, their scales would be
lost, because an .onnx states a scale only in an operator.
"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
import onnx

from .network import CannotOptimize, Optimized, Output, check_classes, check_size
from .onnx_file import QUANTIZERS, OnnxFile, attribute
from .yolo_head import Head, Map, find_head

Quantization = tuple[float, int]  # scale, zero point
Shape = Sequence[int]


def optimized(
    data: bytes,
    *,
    size: tuple[int, int] | None = None,
    classes: list[int] | None = None,
    rescale: dict[str, Quantization] | None = None,
) -> Optimized:
    """Optimize the bytes of an .onnx. CannotOptimize says why a file cannot be optimized.

    size      width and height of the new input, multiples of the largest stride (32); None: as it is
    classes   numbers of the classes to keep; they keep the file's order. None: all
    rescale   {name of a map of boxes or scores: (scale, zero point)}: what it is quantized with in place of the file's
    """
    file = OnnxFile(data)
    head = find_head(file)
    sources = {name: file.dequantized(file.name(tensor)) for name, tensor in head.outputs().items()}
    before = [file.described(one.name) for one in file.graph.output]
    operators_before = file.count()
    file.cut(sources)
    kept = None if classes is None else sorted(classes)
    if kept is not None:
        check_classes(kept, head.class_count)
        for scores in (one for one in head.maps if one.role == "scores"):
            _keep_classes(file, scores, kept)
        names = file.label_names()
        file.set_metadata("names", str({at: names[number] for at, number in enumerate(kept) if number in names}))
    if size is not None:
        check_size(size, head.maps[-1].stride)
        _resize(file, head.input_size, size)
        file.set_metadata("imgsz", str([size[1], size[0]]))
    for name, quantization in (rescale or {}).items():
        _rescale(file, head, name, quantization)
    new = file.data()
    class_count = head.class_count if kept is None else len(kept)
    return Optimized(
        data=new,
        task=head.task,
        input_size=size or head.input_size,
        original_size=head.input_size,
        class_count=class_count,
        original_class_count=head.class_count,
        before=before,
        after=_check_runs(new, _shapes(head, size or head.input_size, class_count)),
        operators_before=operators_before,
        operators_after=file.count(),
        sources=sources,
    )


# --- classes ---
def _keep_classes(file: OnnxFile, scores: Map, classes: list[int]) -> None:
    """Drop the other classes' rows of a convolution that computes scores."""
    _check_ends(file, scores)
    convolution = file.nodes[scores.operator]
    if file.shapes[convolution.input[1]][:1] != (scores.channels,):
        raise CannotOptimize(f"a damaged .onnx: the weights of {scores.name} do not fit its shape")
    for position in range(1, len(convolution.input)):  # weights and biases
        convolution.input[position] = _rows(file, convolution.input[position], classes)


def _rows(file: OnnxFile, name: str, rows: list[int]) -> str:
    """A constant with these rows only, or a quantized one with the operators behind it."""
    if name in file.constants:
        return file.add_constant(f"{name}_kept", file.constant(name)[rows])
    node = next((one for one in file.nodes if name in one.output and one.op_type in QUANTIZERS), None)
    if node is None:
        raise CannotOptimize(f"the weights of the scores are computed where a YOLO network has constants: {name}")
    copied = onnx.NodeProto()
    copied.CopyFrom(node)
    copied.name = copied.output[0] = f"{name}_kept"
    file.add_first(copied)  # and before it, the operator that it reads
    copied.input[0] = _rows(file, node.input[0], rows)
    for position, parameter in enumerate(node.input[1:], 1):  # scale and zero point, of the whole or of each row
        if parameter and prod(file.shapes[parameter]) > 1:
            if attribute(node, "axis", 1) != 0:
                raise CannotOptimize(f"the weights of the scores have no scale for each class: {name}")
            copied.input[position] = _rows(file, parameter, rows)
    return str(copied.output[0])


def _rescale(file: OnnxFile, head: Head, name: str, quantization: Quantization) -> None:
    """Let a convolution's output be rounded to other steps."""
    found = [one for one in head.maps if one.name == name and one.role in ("boxes", "scores", "keypoints")]
    if not found:
        raise CannotOptimize(f"only the scales of boxes, scores and keypoints can be changed, got {name!r}")
    _check_ends(file, found[0])
    convolution = file.nodes[found[0].operator]
    pair = [node for node in file.readers(convolution.output[0]) if node.op_type == "QuantizeLinear"]
    pair += [node for node in file.nodes if name in node.output and node.op_type == "DequantizeLinear"]
    if [len(node.input) for node in pair] != [3, 3]:
        raise CannotOptimize(f"{name} has no scale and zero point that could be changed")
    for node in pair:
        parameters = zip(node.input[1:], quantization, strict=True)
        node.input[1:] = [
            file.add_constant(f"{name}_{kind}", np.array(number, file.constant(old).dtype))
            for kind, (old, number) in zip(("scale", "zero_point"), parameters, strict=True)
        ]


def _check_ends(file: OnnxFile, one: Map) -> None:
    if file.readers(one.name):
        raise CannotOptimize(f"the network itself uses its {one.role} for stride {one.stride}, which cannot be changed")


# --- input size ---
def _resize(file: OnnxFile, old: tuple[int, int], new: tuple[int, int]) -> None:
    """Rewrite the file for an input of (width, height).

    Shapes are inferred anew, from the input on. The constants that depend on them are rewritten on the way: the sizes of a
    Resize, and the shape of a Reshape (attention joins rows and columns to positions, and parts them again).
    """
    before = file.infer_shapes()
    file.resize_input(*new)

    def scaled(height: int, width: int) -> list[int]:
        return [height * new[1] // old[1], width * new[0] // old[0]]

    for at in file.kept:
        node = file.nodes[at]
        position = {"Reshape": 1, "Resize": 3}.get(node.op_type)
        if position is None or len(node.input) <= position or node.input[position] not in file.constants:
            continue
        known, shape = file.constant(node.input[position]), before[node.output[0]]
        if node.op_type == "Resize":
            target = [*shape[:2], *scaled(*shape[2:])]
        else:
            target = _regrouped(before[node.input[0]], shape, file.infer_shapes()[node.input[0]], scaled)
        node.input[position] = file.add_constant(f"{node.input[position]}_resized", np.array(target, known.dtype))


def _regrouped(source: Shape, target: Shape, new_source: Shape, scaled: Callable[[int, int], list[int]]) -> list[int]:
    """The target of a Reshape for another source: each group of dimensions becomes a group of the same size."""
    result: list[int] = []
    begin = 0
    while len(result) < len(target):
        first, end = len(result), len(result) + 1
        stop = begin + 1
        while prod(source[begin:stop]) != prod(target[first:end]):
            if stop > len(source) or end > len(target):
                raise CannotOptimize("Reshape inside the network depends on the input size, which cannot be changed")
            if prod(source[begin:stop]) < prod(target[first:end]):
                stop += 1
            else:
                end += 1
        group, count = list(target[first:end]), prod(new_source[begin:stop])
        if count != prod(group):
            group = [count] if len(group) == 1 else scaled(*group) if len(group) == 2 else group
        result += group
        begin = stop
    if prod(result) != prod(new_source):
        raise CannotOptimize("Reshape inside the network depends on the input size, which cannot be changed")
    return result


# --- the new file ---
def _shapes(head: Head, size: tuple[int, int], class_count: int) -> dict[str, tuple[int, ...]]:
    """The shapes that the maps of the new file must have."""
    shapes: dict[str, tuple[int, ...]] = {}
    for one in head.maps:
        channels = class_count if one.role == "scores" else one.channels
        shapes[one.name] = 1, channels, size[1] // one.stride, size[0] // one.stride
    return shapes


def _check_runs(data: bytes, expected: dict[str, tuple[int, ...]]) -> list[Output]:
    """The outputs of the new file. CannotOptimize if it does not run, or has maps of other shapes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # its errors are raised as well
    try:
        session = onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"])
        (picture,) = session.get_inputs()
        kind = picture.type.removeprefix("tensor(").removesuffix(")")
        results = session.run(None, {picture.name: np.zeros(picture.shape, "float32" if kind == "float" else kind)})
    except Exception as error:  # of a broken file its own kinds, which have no other base
        raise CannotOptimize(f"the new file does not run: {' '.join(str(error).split())}") from error
    shapes = {one.name: result.shape for one, result in zip(session.get_outputs(), results, strict=True)}
    if {name: shapes[name] for name in expected} != expected:
        raise CannotOptimize(f"the new file's outputs are {shapes}, not {expected}")
    file = OnnxFile(data)
    return [file.described(one.name) for one in file.graph.output]
