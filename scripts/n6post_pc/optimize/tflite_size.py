"""Give a .tflite whose head is cut off another input size: infer all shapes anew, and rewrite constants that depend on them.

Each dimension is kept as the factors of which it is made, and each factor with its old and its new value. That way a
RESHAPE keeps its meaning: where attention joins 10 rows and 10 columns to 100 positions, 8 rows and 10 columns become 80.
"""

from collections.abc import Callable
from math import prod
from typing import NamedTuple

import numpy as np

from .network import CannotOptimize
from .tflite_file import Array, TfliteFile, strided
from .yolo_head import is_nchw


class Factor(NamedTuple):
    """A part of a dimension: what it was, and what it is with the new input."""

    old: int
    new: int


Dimension = tuple[Factor, ...]
Shape = list[Dimension]
Rule = Callable[["_Shapes", int, list[Shape]], list[Shape]]


def fixed(count: int) -> Dimension:
    return (Factor(count, count),) if count != 1 else ()


def old(dimension: Dimension) -> int:
    return prod(factor.old for factor in dimension)


def new(dimension: Dimension) -> int:
    return prod(factor.new for factor in dimension)


def changed(shape: Shape) -> bool:
    return any(factor.old != factor.new for dimension in shape for factor in dimension)


def resize(file: TfliteFile, before: tuple[int, int], size: tuple[int, int]) -> None:
    """Rewrite the file for another input, both (width, height). CannotOptimize names an operator that does not allow it."""
    shapes = _Shapes(file)
    picture = int(file.graph.inputs[0])
    width, height = ((Factor(*pair),) for pair in zip(before, size, strict=True))
    shape = [fixed(count) for count in file.shape(picture)]
    first = 2 if is_nchw(file) else 1
    shape[first : first + 2] = [height, width]
    shapes.known[picture] = shape
    for operator in file.kept:
        shapes.infer(operator)
    for tensor, shape in shapes.known.items():
        one = file.graph.tensors[tensor]
        one.shape, one.shapeSignature = [new(dimension) for dimension in shape], None


class _Refusal(Exception):  # noqa: N818 - not an error of this program
    """An operator does not allow another input size."""


class _Shapes:
    """The shapes of a network's tensors, with its old and its new input. Constants are rewritten on the way."""

    def __init__(self, file: TfliteFile) -> None:
        self.file = file
        self.known: dict[int, Shape] = {}

    def of(self, tensor: int) -> Shape:
        return self.known.get(tensor) or [fixed(count) for count in self.file.shape(tensor)]

    def infer(self, operator: int) -> None:
        """The shapes of an operator's outputs."""
        file, name = self.file, self.file.names[operator]
        inputs, outputs = [self.of(tensor) for tensor in file.inputs(operator)], file.outputs(operator)
        if not any(map(changed, inputs)):
            return  # its outputs stay as they are
        try:
            shapes = _RULES[name](self, operator, inputs) if name in _RULES else self.refuse()
        except (_Refusal, ValueError, IndexError) as error:
            raise CannotOptimize(f"{name} inside the network depends on the input size, which cannot be changed") from error
        for tensor, shape in zip(outputs, shapes, strict=True):
            if tuple(map(old, shape)) != file.shape(tensor):
                raise CannotOptimize(f"a damaged .tflite: the output of {name} does not fit its inputs")
            self.known[tensor] = shape

    def refuse(self) -> list[Shape]:
        raise _Refusal

    def constant(self, operator: int, position: int) -> Array:
        return self.file.constant(self.file.inputs(operator)[position])

    def replace(self, operator: int, position: int, values: list[int]) -> None:
        self.file.replace_constant(operator, position, np.array(values, self.constant(operator, position).dtype))


# --- what each operator makes of the shapes of its inputs ---
def _same(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    return [inputs[0]]


def _elementwise(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    rank = max(map(len, inputs))
    padded = [[fixed(1)] * (rank - len(one)) + one for one in inputs]
    return [[_broadcast(dimensions) for dimensions in zip(*padded, strict=True)]]


def _broadcast(dimensions: tuple[Dimension, ...]) -> Dimension:
    several = [one for one in dimensions if old(one) != 1 or new(one) != 1]
    if len({(old(one), new(one)) for one in several}) > 1:
        raise _Refusal
    return several[0] if several else fixed(1)


def _window(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    """Convolutions and pooling."""
    options, name = shapes.file.options(operator), shapes.file.names[operator]
    if "CONV" in name:
        weights = shapes.file.shape(shapes.file.inputs(operator)[1])
        window, dilation = weights[1:3], (options.dilationHFactor, options.dilationWFactor)
        channels = fixed(weights[3] if name == "DEPTHWISE_CONV_2D" else weights[0])
    else:
        window, dilation, channels = (options.filterHeight, options.filterWidth), (1, 1), inputs[0][3]
    sides = zip(inputs[0][1:3], window, dilation, (options.strideH, options.strideW), strict=True)
    return [[inputs[0][0], *(_slid(*side, same=options.padding == SAME) for side in sides), channels]]


def _slid(dimension: Dimension, window: int, dilation: int, stride: int, *, same: bool) -> Dimension:
    covered = 0 if same else (window - 1) * dilation
    return (Factor(*(-(-(count - covered) // stride) for count in (old(dimension), new(dimension)))),)


def _scaled(position: int, first: int) -> Rule:
    """Operators whose second or first input states the size of their output: it grows as their input does."""

    def rule(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
        picture = inputs[2 if position == 0 else 0]
        sizes = shapes.constant(operator, position).tolist()
        channels = fixed(shapes.file.shape(shapes.file.outputs(operator)[0])[3])
        sides = []
        for axis, dimension in enumerate(picture[1:3], first):
            times, left = divmod(sizes[axis], old(dimension))
            if left:
                raise _Refusal
            sides.append((Factor(sizes[axis], times * new(dimension)),))
            sizes[axis] = new(sides[-1])
        shapes.replace(operator, position, sizes)
        return [[picture[0], *sides, channels]]

    return rule


def _padded(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    pads = shapes.constant(operator, 1).sum(axis=1).tolist()
    return [[(Factor(old(one) + pad, new(one) + pad),) if pad else one for one, pad in zip(inputs[0], pads, strict=True)]]


def _concatenated(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    axis = shapes.file.options(operator).axis % len(inputs[0])
    shape = list(inputs[0])
    joined = [one[axis] for one in inputs]
    shape[axis] = (Factor(sum(map(old, joined)), sum(map(new, joined))),)
    return [shape]


def _split(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    name = shapes.file.names[operator]
    picture = inputs[1] if name == "SPLIT" else inputs[0]
    axis = int(shapes.constant(operator, 0 if name == "SPLIT" else 2).item()) % len(picture)
    if changed([picture[axis]]):
        raise _Refusal
    outputs = [shapes.file.shape(tensor)[axis] for tensor in shapes.file.outputs(operator)]
    return [[*picture[:axis], fixed(count), *picture[axis + 1 :]] for count in outputs]


def _sliced(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    """SLICE and STRIDED_SLICE: a dimension that changes must be taken whole."""
    file = shapes.file
    begins, ends = shapes.constant(operator, 1).tolist(), shapes.constant(operator, 2).tolist()
    if file.names[operator] == "SLICE":
        taken = [slice(begin, None if count < 0 else begin + count) for begin, count in zip(begins, ends, strict=True)]
    else:
        options = file.options(operator)
        if options.shrinkAxisMask or options.newAxisMask or options.ellipsisMask:
            raise _Refusal
        taken = strided(begins, ends, shapes.constant(operator, 3).tolist(), options)
    shape = []
    for axis, (dimension, part) in enumerate(zip(inputs[0], taken, strict=True)):
        indices = range(*part.indices(old(dimension)))
        if not changed([dimension]):
            shape.append(fixed(len(indices)))
            continue
        if indices != range(old(dimension)):
            raise _Refusal
        ends[axis] = new(dimension)
        shape.append(dimension)
    shapes.replace(operator, 2, ends)
    return [shape]


def _transposed(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    return [[inputs[0][axis] for axis in shapes.constant(operator, 1).tolist()]]


def _multiplied(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    """BATCH_MATMUL."""
    left, right = inputs
    options = shapes.file.options(operator)
    batch = [_broadcast(pair) for pair in zip(left[:-2], right[:-2], strict=True)]
    return [[*batch, left[-1 if options.adjX else -2], right[-2 if options.adjY else -1]]]


def _fully_connected(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    rows, units = inputs[0][:-1], inputs[1][0]
    if shapes.file.options(operator).keepNumDims:
        return [[*rows, units]]
    return [[tuple(factor for row in rows for factor in row), units]]


def _packed(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    axis = shapes.file.options(operator).axis % (len(inputs[0]) + 1)
    return [[*inputs[0][:axis], fixed(len(inputs)), *inputs[0][axis:]]]


def _unpacked(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    axis = shapes.file.options(operator).axis % len(inputs[0])
    return [inputs[0][:axis] + inputs[0][axis + 1 :]] * old(inputs[0][axis])


def _regrouped(shapes: _Shapes, operator: int, inputs: list[Shape]) -> list[Shape]:
    """RESHAPE: the factors of all dimensions, in the same order, as other dimensions."""
    file = shapes.file
    factors = [factor for dimension in inputs[0] for factor in dimension]
    shape = [_take(factors, count) for count in file.shape(file.outputs(operator)[0])]
    if factors:
        raise _Refusal
    if len(file.inputs(operator)) > 1:
        shapes.replace(operator, 1, [new(dimension) for dimension in shape])
    if file.options(operator) is not None:
        file.options(operator).newShape = [new(dimension) for dimension in shape]
    return [shape]


def _take(factors: list[Factor], count: int) -> Dimension:
    """The next factors whose product is a count. A factor that does not change can be divided."""
    taken: list[Factor] = []
    while old(tuple(taken)) != count:
        left, one = count // old(tuple(taken)), factors.pop(0)
        if count % (old(tuple(taken)) * one.old):  # it has too much
            if one.old != one.new or one.old % left:
                raise _Refusal
            factors.insert(0, Factor(one.old // left, one.old // left))
            one = Factor(left, left)
        taken.append(one)
    return tuple(taken)


SAME = 0  # the schema's Padding
_ACTIVATIONS = ("LOGISTIC", "SOFTMAX", "TANH", "RELU", "RELU6", "LEAKY_RELU", "HARD_SWISH")
_RULES: dict[str, Rule] = {
    **dict.fromkeys(("QUANTIZE", "DEQUANTIZE", *_ACTIVATIONS), _same),
    **dict.fromkeys(("ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM"), _elementwise),
    **dict.fromkeys(("CONV_2D", "DEPTHWISE_CONV_2D", "MAX_POOL_2D", "AVERAGE_POOL_2D"), _window),
    **dict.fromkeys(("RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR"), _scaled(1, 0)),
    "TRANSPOSE_CONV": _scaled(0, 1),
    **dict.fromkeys(("PAD", "PADV2", "MIRROR_PAD"), _padded),
    "CONCATENATION": _concatenated,
    **dict.fromkeys(("SPLIT", "SPLIT_V"), _split),
    **dict.fromkeys(("SLICE", "STRIDED_SLICE"), _sliced),
    "TRANSPOSE": _transposed,
    "BATCH_MATMUL": _multiplied,
    "FULLY_CONNECTED": _fully_connected,
    "PACK": _packed,
    "UNPACK": _unpacked,
    "RESHAPE": _regrouped,
}
