"""Model files made by the tests: small networks written with the formats' own schemas, for what no real model here shows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

# (name, shape, type or constant values, scale and zero point or None)
Described = tuple[str, tuple[int, ...], Any, "tuple[float, int] | None"]


def tflite(tensors: Sequence[Described], operators: Sequence[tuple[str, Sequence[str], Sequence[str]]]) -> bytes:
    """A .tflite: its first tensor is its input, the outputs of its last operator are its own.

    operators   (name, names of inputs, of outputs): TensorFlow Lite's name; one in lower case is a custom operator
    """
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    import flatbuffers

    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.subgraphs, model.buffers, model.operatorCodes = 3, [graph], [schema.BufferT()], []
    numbers = {name: number for number, (name, *_) in enumerate(tensors)}
    graph.tensors, graph.operators = [], []
    for name, shape, kind, quantized in tensors:
        one = schema.TensorT()
        one.name, one.shape, one.buffer = name.encode(), list(shape), 0
        if isinstance(kind, str):
            one.type = getattr(schema.TensorType, kind)
        else:  # a constant
            one.type, one.buffer = schema.TensorType.INT32, len(model.buffers)
            model.buffers.append(schema.BufferT())
            model.buffers[-1].data = np.array(kind, dtype="<i4").view(np.uint8)
        if quantized:
            one.quantization = schema.QuantizationParametersT()
            one.quantization.scale, one.quantization.zeroPoint = [quantized[0]], [quantized[1]]
        graph.tensors.append(one)
    for name, inputs, outputs in operators:
        code, one = schema.OperatorCodeT(), schema.OperatorT()
        number = schema.BuiltinOperator.CUSTOM if name.islower() else getattr(schema.BuiltinOperator, name)
        code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), 1
        code.customCode = name.encode() if name.islower() else None
        one.opcodeIndex = len(model.operatorCodes)
        one.inputs, one.outputs = [numbers[i] for i in inputs], [numbers[o] for o in outputs]
        model.operatorCodes.append(code)
        graph.operators.append(one)
    graph.inputs, graph.outputs = [0], list(graph.operators[-1].outputs)
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def runnable(kind: str = "INT8", scale: float = 0.01) -> bytes:
    """A .tflite that runs: a YOLOv8 head of two classes for an input of 64 x 64, cut out of its picture."""
    quantized = (scale, -28) if kind == "INT8" else None
    return tflite(
        [
            ("picture", (1, 64, 64, 3), kind, quantized),
            ("from", (4,), [0, 0, 0, 0], None),
            ("extent", (4,), [1, 6, 28, 3], None),
            ("cut", (1, 6, 28, 3), kind, quantized),
            ("shape", (3,), [1, 6, 84], None),
            ("head", (1, 6, 84), kind, quantized),
        ],
        [("SLICE", ("picture", "from", "extent"), ("cut",)), ("RESHAPE", ("cut", "shape"), ("head",))],
    )


def for_ethos() -> bytes:
    """A .tflite as Vela writes one: all of a YOLOv8 of two classes is one custom operator."""
    tensors: list[Described] = [
        ("picture", (1, 64, 64, 3), "INT8", (0.01, -28)),
        ("head", (1, 6, 84), "INT8", (0.01, -28)),
    ]
    return tflite(tensors, [("ethos-u", ("picture",), ("head",))])


def with_topk(first: str = "RELU") -> bytes:
    """A .tflite with an operator that OpenMV's TensorFlow Lite Micro was built without, as end-to-end heads have it."""
    quantized = (0.01, -28)
    tensors: list[Described] = [
        ("picture", (1, 8, 8, 3), "INT8", quantized),
        ("scores", (1, 8, 8, 3), "INT8", quantized),
        ("k", (), [2], None),
        ("best", (1, 8, 8, 2), "INT8", quantized),
        ("places", (1, 8, 8, 2), "INT32", None),
        ("shape", (3,), [1, 64, 2], None),
        ("out", (1, 64, 2), "INT8", quantized),
    ]
    operators = [
        (first, ("picture",), ("scores",)),
        ("TOPK_V2", ("scores", "k"), ("best", "places")),
        ("RESHAPE", ("best", "shape"), ("out",)),
    ]
    return tflite(tensors, operators)


def for_st() -> bytes:
    """What ST's relocatable binaries begin with: AI_RELOC_MAGIC, 0x4E49424E, little-endian."""
    return (0x4E49424E).to_bytes(4, "little") + bytes(range(200)) * 5


def onnx(nodes: Sequence[tuple[str, Sequence[str], Sequence[str]]], weights: dict[str, Sequence[int]]) -> bytes:
    """An .onnx of (operator, inputs, outputs) and of the weights' shapes, its fields numbered as in onnx.proto."""

    def field(number: int, payload: bytes) -> bytes:
        return _uint(number << 3 | 2) + _uint(len(payload)) + payload

    graph = b""
    for name, inputs, outputs in nodes:
        node = b"".join(field(1, i.encode()) for i in inputs) + b"".join(field(2, o.encode()) for o in outputs)
        graph += field(1, node + field(4, name.encode()))
    for name, shape in weights.items():
        graph += field(5, b"".join(_uint(1 << 3) + _uint(n) for n in shape) + field(8, name.encode()))
    return _uint(1 << 3) + _uint(8) + field(7, graph)  # 1: the version of the format


def _uint(value: int) -> bytes:
    """Seven bits a byte, the lowest first."""
    out = []
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])
