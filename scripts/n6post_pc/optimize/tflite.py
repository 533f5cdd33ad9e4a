"""Cut a quantized YOLO network (.tflite) above its decoding: split heads, other input sizes, fewer classes.

What an int8 file decodes (softmax, sigmoid, boxes, one concatenation) loses numbers and takes time and RAM. The optimized
file ends in the convolutions above it, which n6post decodes. Weights and scales stay as they are.
"""

import numpy as np

from . import tflite_size
from .network import CannotOptimize, Optimized, Output, check_classes, check_size
from .tflite_file import TfliteFile, undamaged
from .yolo_head import Head, Map, find_head

Quantization = tuple[float, int]  # scale, zero point


def optimized(
    data: bytes,
    *,
    size: tuple[int, int] | None = None,
    classes: list[int] | None = None,
    rescale: dict[str, Quantization] | None = None,
) -> Optimized:
    """Optimize the bytes of a .tflite. CannotOptimize says why a file cannot be optimized.

    size      width and height of the new input, multiples of the largest stride (32); None: as it is
    classes   numbers of the classes to keep; they keep the file's order. None: all
    rescale   {name of a map of boxes, scores or keypoints: (scale, zero point)}: its quantization in place of the file's
    """
    with undamaged():
        return _optimized(data, size, classes, rescale or {})


def _optimized(
    data: bytes, size: tuple[int, int] | None, classes: list[int] | None, rescale: dict[str, Quantization]
) -> Optimized:
    file = TfliteFile(data)
    head = find_head(file)
    outputs = head.outputs()
    sources = {name: file.name(tensor) for name, tensor in outputs.items()}
    before = [file.described(int(tensor)) for tensor in file.graph.outputs]
    operators_before = len(file.kept)
    file.cut(outputs)
    if classes is not None:
        check_classes(classes, head.class_count)
        _keep_classes(file, head, sorted(classes))
    if size is not None:
        check_size(size, head.maps[-1].stride)
        tflite_size.resize(file, head.input_size, size)
    for name, quantization in rescale.items():
        _rescale(file, head, name, quantization)
    file.relabel(sorted(classes) if classes is not None else None, size)
    new = file.data()
    after = check_runs(new)
    return Optimized(
        data=new,
        task=head.task,
        input_size=size or head.input_size,
        original_size=head.input_size,
        class_count=head.class_count if classes is None else len(classes),
        original_class_count=head.class_count,
        before=before,
        after=after,
        operators_before=operators_before,
        operators_after=len(file.kept),
        sources=sources,
    )


def _keep_classes(file: TfliteFile, head: Head, classes: list[int]) -> None:
    """Drop the other classes' rows of the convolutions that compute scores."""
    for scores in (one for one in head.maps if one.role == "scores"):
        _check_ends(file, scores, "drop classes of")
        for position in range(1, len(file.graph.operators[scores.operator].inputs)):  # weights and biases
            tensor = int(file.graph.operators[scores.operator].inputs[position])
            if tensor < 0:
                continue
            new = file.replace_constant(scores.operator, position, file.constant(tensor)[classes])
            if new.quantization is not None:
                new.quantization = _rows(new.quantization, classes, scores.channels)
        output = file.graph.tensors[scores.tensor]
        output.shape, output.shapeSignature = [*output.shape[:3], len(classes)], None


def _rows(quantization: object, classes: list[int], class_count: int) -> object:
    """The quantization of these rows of a constant, if it has one for each row."""
    kept = type(quantization)()
    for field, values in vars(quantization).items():
        per_row = field in ("min", "max", "scale", "zeroPoint") and values is not None and len(values) == class_count > 1
        setattr(kept, field, np.asarray(values)[classes] if per_row else values)
    return kept


def _rescale(file: TfliteFile, head: Head, name: str, quantization: Quantization) -> None:
    """Let a convolution put out its sums in other steps."""
    found = [one for one in head.maps if one.name == name and one.role in ("boxes", "scores", "keypoints")]
    if not found:
        raise CannotOptimize(f"only the scales of boxes, scores and keypoints can be changed, got {name!r}")
    _check_ends(file, found[0], "change the scale of")
    scale, zero_point = quantization
    kept = file.graph.tensors[found[0].tensor].quantization
    kept.scale, kept.zeroPoint, kept.min, kept.max = [scale], [zero_point], None, None


def _check_ends(file: TfliteFile, one: Map, purpose: str) -> None:
    if file.readers(one.tensor):
        raise CannotOptimize(f"cannot {purpose} the {one.role} for stride {one.stride}: the network uses them itself")


def check_runs(data: bytes) -> list[Output]:
    """The outputs of the new file. CannotOptimize if it does not run."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    file = TfliteFile(data)
    try:
        interpreter = Interpreter(
            model_content=data, experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
        )
        interpreter.allocate_tensors()
        interpreter.invoke()
    except (RuntimeError, ValueError) as error:
        raise CannotOptimize(f"the new file does not run: {error}") from error
    inferred = [tuple(int(n) for n in one["shape"]) for one in interpreter.get_output_details()]
    outputs = [file.described(int(tensor)) for tensor in file.graph.outputs]
    if inferred != [output.shape for output in outputs]:
        raise CannotOptimize(f"the new file's outputs are {inferred}, not {[output.shape for output in outputs]}")
    return outputs
