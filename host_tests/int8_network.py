"""An int8 .tflite in numpy, in whole numbers, by the rules of TensorFlow Lite's reference kernels (internal/reference).

HARD_SWISH looks up a table, as an Ethos-U does. It has the operators that a YOLO network has above its decoding.
"""

from typing import Any

import numpy as np
from n6post_pc.optimize.tflite_file import TfliteFile

Array = np.ndarray[Any, Any]
SAME = 0  # Padding


def multiplied(sums: Array, factor: Array) -> Array:
    """gemmlowp's MultiplyByQuantizedMultiplier: int32 by a factor below 1, which is 31 bits and a shift. It rounds twice."""
    mantissa, exponent = np.frexp(np.asarray(factor, float))
    fixed = np.round(mantissa * (1 << 31)).astype(np.int64)
    shift = exponent.astype(np.int64)
    shift = np.where(fixed == 1 << 31, shift + 1, shift)
    fixed = np.where(fixed == 1 << 31, fixed >> 1, fixed)
    left, right = np.maximum(shift, 0), np.maximum(-shift, 0)
    product = (sums.astype(np.int64) << left) * fixed
    nudged = product + np.where(product >= 0, 1 << 30, 1 - (1 << 30))
    high = np.where(nudged >= 0, nudged >> 31, -(-nudged >> 31))
    mask = (np.int64(1) << right) - 1
    return (high >> right) + ((high & mask) > (mask >> 1) + (high < 0))


def saturated(values: Array, zero_point: int) -> Array:
    return np.clip(values + zero_point, -128, 127).astype(np.int8)


def windows(x: Array, height: int, width: int, stride: tuple[int, int], padding: int, fill: int) -> Array:
    """[H, W, height, width, C] of [H, W, C]: what each output sees."""
    if padding == SAME:
        sides = []
        for n, size, step in zip(x.shape, (height, width), stride, strict=False):
            total = max(0, (-(-n // step) - 1) * step + size - n)
            sides.append((total // 2, total - total // 2))
        x = np.pad(x, (*sides, (0, 0)), constant_values=fill)
    seen = np.lib.stride_tricks.sliding_window_view(x, (height, width), (0, 1))[:: stride[0], :: stride[1]]
    return seen.transpose(0, 1, 3, 4, 2)


class Network:
    """Runs a file. `tables` has the 256 bytes of each HARD_SWISH, by the number of its operator."""

    def __init__(self, data: bytes, tables: dict[int, Array] | None = None) -> None:
        self.file = TfliteFile(data)
        self.tables = tables or {}

    def run(self, values: Array) -> dict[str, Array]:
        """Outputs by name, for the input [1, H, W, C] in the file's own type."""
        file = self.file
        known = {file.input_tensors[0]: values}
        for number in range(len(file.names)):
            reads = [known[one] if one in known else file.constant(one) for one in file.inputs(number)]
            for made, result in zip(file.outputs(number), self._computed(number, reads), strict=True):
                known[made] = result.reshape(file.shape(made))
        return {file.name(one): known[one] for one in file.output_tensors}

    def _computed(self, number: int, reads: list[Array]) -> list[Array]:
        file, name, options = self.file, self.file.names[number], self.file.options(number)
        x = reads[0]
        quantized = [file.described(one) for one in (*file.inputs(number), file.outputs(number)[0])]
        before, after = quantized[0], quantized[-1]
        if name == "HARD_SWISH":
            return [self.tables[number][x.astype(int) + 128]]
        if name == "PAD":
            return [np.pad(x, reads[1], constant_values=after.zero_point)]
        if name in ("CONV_2D", "DEPTHWISE_CONV_2D"):
            return [self._convolution(number, *reads)]
        if name == "TRANSPOSE_CONV":
            return [self._transposed(number, *reads[1:])]
        if name == "ADD":
            return [_added(reads, quantized)]
        if name == "QUANTIZE":
            lowest = 128 if before.dtype == "uint8" else 0
            moved = x.astype(np.int64) - before.zero_point
            if before.scale == after.scale:
                return [saturated(x.astype(np.int64) - lowest, 0)]
            return [saturated(multiplied(moved, np.float64(before.scale) / after.scale), after.zero_point)]
        if name == "MAX_POOL_2D":
            size = options.filterHeight, options.filterWidth
            return [windows(x[0], *size, (options.strideH, options.strideW), options.padding, -128).max((2, 3))]
        if name == "RESIZE_NEAREST_NEIGHBOR":
            rows, columns = (np.arange(n) * m // n for n, m in zip(file.shape(file.outputs(number)[0])[1:3], x.shape[1:3]))
            return [x[:, rows][:, :, columns]]
        computed = {one: array for one, array in zip(file.inputs(number), reads, strict=True) if not file.is_constant(one)}
        return file.moved(number, computed)

    def _factors(self, number: int, position: int) -> Array:
        """Of each output channel: scale of the input at this position x scale of the weights / scale of the output."""
        operator = self.file.graph.operators[number]
        tensors = operator.inputs[position], operator.inputs[1], operator.outputs[0]
        x, weights, after = (
            np.asarray(self.file.graph.tensors[int(one)].quantization.scale, np.float32).astype(float) for one in tensors
        )
        return x * weights / after

    def _convolution(self, number: int, x: Array, weights: Array, biases: Array) -> Array:
        file, options = self.file, self.file.options(number)
        before, after = file.described(file.inputs(number)[0]), file.described(file.outputs(number)[0])
        deep = file.names[number] == "DEPTHWISE_CONV_2D"
        assert options.fusedActivationFunction == 0 and options.dilationHFactor == options.dilationWFactor == 1
        seen = windows(x[0], *weights.shape[1:3], (options.strideH, options.strideW), options.padding, before.zero_point)
        seen = seen.astype(float) - before.zero_point  # exact: sums stay below 2**53
        form = "hwklc,klc->hwc" if deep else "hwklc,oklc->hwo"
        sums = np.einsum(form, seen, weights[0].astype(float) if deep else weights.astype(float), optimize=True)
        return saturated(multiplied(np.round(sums).astype(np.int64) + biases, self._factors(number, 0)), after.zero_point)

    def _transposed(self, number: int, weights: Array, x: Array, biases: Array) -> Array:
        """Where the kernel is as large as the stride, so that each output has one tap."""
        file, options = self.file, self.file.options(number)
        before, after = file.described(file.inputs(number)[2]), file.described(file.outputs(number)[0])
        out, height, width, _ = weights.shape
        assert (height, width) == (options.strideH, options.strideW)
        sums = np.einsum("hwc,oklc->hkwlo", x[0].astype(float) - before.zero_point, weights.astype(float), optimize=True)
        sums = np.round(sums).astype(np.int64).reshape(x.shape[1] * height, x.shape[2] * width, out) + biases
        return saturated(multiplied(sums, self._factors(number, 2)), after.zero_point)


def _added(reads: list[Array], quantized: list[Any]) -> Array:
    """reference_integer_ops/add.h: both inputs in 20 bits more of the larger scale, doubled."""
    *scales, after = (np.float64(np.float32(one.scale)) for one in quantized)
    twice = 2 * max(scales)
    total = sum(
        multiplied((x.astype(np.int64) - one.zero_point) << 20, scale / twice)
        for x, one, scale in zip(reads, quantized, scales, strict=False)
    )
    return saturated(multiplied(np.asarray(total), twice / (1 << 20) / after), quantized[-1].zero_point)


def looked_up(data: bytes, tables: dict[int, Array]) -> bytes:
    """The file with CAST, ADD and GATHER in place of each HARD_SWISH: what LiteRT can run of a network with tables."""
    import copy

    file = TfliteFile(data)
    schema, graph = file._schema, file.graph
    int32 = schema.TensorType.INT32

    def tensor(kind: int, shape: list[int], content: Array | None = None) -> int:
        new, buffer = schema.TensorT(), schema.BufferT()
        buffer.data = None if content is None else np.frombuffer(content.tobytes(), np.uint8)
        new.type, new.shape, new.buffer, new.name = kind, shape, len(file.model.buffers), b"looked up"
        file.model.buffers.append(buffer)
        graph.tensors.append(new)
        file.kinds.append("INT32")
        return len(graph.tensors) - 1

    operators = []
    for number, operator in enumerate(graph.operators):
        if number not in tables:
            operators.append(operator)
            continue
        (x,), (made,) = file.inputs(number), file.outputs(number)
        first, second = (tensor(int32, list(file.shape(x))) for _ in range(2))
        table = tensor(schema.TensorType.INT8, [256], tables[number])
        offset = tensor(int32, [1], np.array([128], np.int32))
        for name, kind, reads, writes in (
            ("CAST", "CastOptions", [x], first), ("ADD", "AddOptions", [first, offset], second),
            ("GATHER", "GatherOptions", [table, second], made),
        ):  # fmt: skip
            one, code = copy.copy(operator), schema.OperatorCodeT()
            code.builtinCode = code.deprecatedBuiltinCode = getattr(schema.BuiltinOperator, name)
            code.version = 2 if name == "GATHER" else 1
            one.opcodeIndex, one.inputs, one.outputs = len(file.model.operatorCodes), reads, [writes]
            one.builtinOptionsType, one.builtinOptions = getattr(schema.BuiltinOptions, kind), getattr(schema, kind + "T")()
            file.model.operatorCodes.append(code)
            operators.append(one)
    graph.operators, file.kept = operators, list(range(len(operators)))
    return file.data()
