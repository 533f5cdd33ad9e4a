"""Small quantized YOLO networks as .tflite files that run, with every form of head. Weights depend on their names only."""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

SCALE = 0.05
STRIDES = (8, 16, 32)
_ZERO_POINTS = {"INT8": -3, "UINT8": 125, "INT16": 0, "FLOAT32": 0}
_OPTIONS = {
    "CONV_2D": "Conv2DOptions", "DEPTHWISE_CONV_2D": "DepthwiseConv2DOptions", "TRANSPOSE_CONV": "TransposeConvOptions",
    "CONCATENATION": "ConcatenationOptions", "SOFTMAX": "SoftmaxOptions", "STRIDED_SLICE": "StridedSliceOptions",
    "BATCH_MATMUL": "BatchMatMulOptions", "ADD": "AddOptions", "SUB": "SubOptions", "MUL": "MulOptions",
    "RESIZE_NEAREST_NEIGHBOR": "ResizeNearestNeighborOptions", "RESIZE_BILINEAR": "ResizeBilinearOptions",
    "RESHAPE": "ReshapeOptions",
    "GATHER": "GatherOptions", "SPLIT": "SplitOptions", "SPLIT_V": "SplitVOptions", "PACK": "PackOptions",
    "UNPACK": "UnpackOptions", "FULLY_CONNECTED": "FullyConnectedOptions",
}  # fmt: skip


class Builder:
    """A .tflite, operator by operator. Tensors are named; `shapes` has the shape of each."""

    def __init__(self, kind: str) -> None:
        self.schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
        self.kind, self.shapes = kind, {}
        self._numbers: dict[str, int] = {}
        self.model, self.graph = self.schema.ModelT(), self.schema.SubGraphT()
        self.model.version, self.model.subgraphs, self.model.operatorCodes = 3, [self.graph], []
        self.model.buffers, self.model.description = [self.schema.BufferT()], b"made by a test"
        self.graph.tensors, self.graph.operators = [], []

    def tensor(self, name: str, shape: tuple[int, ...], kind: str = "", scale: Any = SCALE, zero_point: Any = None) -> str:
        kind = kind or self.kind
        one, quantized = self.schema.TensorT(), self.schema.QuantizationParametersT()
        one.name, one.shape, one.type, one.buffer = name.encode(), list(shape), getattr(self.schema.TensorType, kind), 0
        if kind in _ZERO_POINTS and kind != "FLOAT32" or zero_point is not None:
            quantized.scale = np.atleast_1d(np.float32(scale))
            quantized.zeroPoint = np.full(len(quantized.scale), _ZERO_POINTS[kind] if zero_point is None else zero_point)
            one.quantization = quantized
        self._numbers[name], self.shapes[name] = len(self.graph.tensors), tuple(shape)
        self.graph.tensors.append(one)
        return name

    def constant(self, name: str, values: Any, kind: str = "INT32", scale: Any = None) -> str:
        array = np.asarray(values, kind.lower())
        self.tensor(name, array.shape, kind, scale, None if scale is None else 0)
        buffer = self.schema.BufferT()
        buffer.data = np.frombuffer(array.tobytes(), np.uint8)
        self.graph.tensors[-1].buffer = len(self.model.buffers)
        self.model.buffers.append(buffer)
        return name

    def run(self, operator: str, inputs: tuple[str, ...], name: str, shape: tuple[int, ...], *, quantized: Any = None,
            kind: str = "", **options: Any) -> str:  # fmt: skip
        """Add an operator with one output, of this name."""
        self.tensor(name, shape, kind, *(quantized or ()))
        self.add(operator, inputs, (name,), **options)
        return name

    def add(self, operator: str, inputs: tuple[str, ...], outputs: tuple[str, ...], **options: Any) -> None:
        code, one = self.schema.OperatorCodeT(), self.schema.OperatorT()
        code.builtinCode = getattr(self.schema.BuiltinOperator, operator)
        code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), 1
        one.opcodeIndex = len(self.model.operatorCodes)
        one.inputs, one.outputs = [self._numbers[i] for i in inputs], [self._numbers[o] for o in outputs]
        if operator in _OPTIONS:
            one.builtinOptionsType = getattr(self.schema.BuiltinOptions, _OPTIONS[operator])
            one.builtinOptions = getattr(self.schema, _OPTIONS[operator] + "T")()
            vars(one.builtinOptions).update(options)
        self.model.operatorCodes.append(code)
        self.graph.operators.append(one)

    def weights(self, name: str, shape: tuple[int, ...]) -> tuple[str, str]:
        """Weights and biases of a convolution. uint8 has one scale for all, the others one for each output channel."""
        if self.kind == "FLOAT32":
            return (self.constant(f"{name} weights", _random(name, shape) / 400, "FLOAT32"),
                    self.constant(f"{name} biases", np.zeros(shape[0]), "FLOAT32"))  # fmt: skip
        kind = "UINT8" if self.kind == "UINT8" else "INT8"
        scale = np.float32(0.004) if kind == "UINT8" else 0.003 + np.float32(0.001) * (np.arange(shape[0]) % 3)
        values = _random(name, shape)
        weights = self.constant(f"{name} weights", values + 128 if kind == "UINT8" else values, kind, scale)
        if kind == "UINT8":
            self.graph.tensors[-1].quantization.zeroPoint = np.array([128])
        biases = _random(f"{name} biases", shape[:1])
        return weights, self.constant(f"{name} biases", biases, "INT64" if self.kind == "INT16" else "INT32", scale * SCALE)

    def convolution(self, source: str, name: str, channels: int, stride: int = 1, scale: float = SCALE) -> str:
        _, height, width, depth = self.shapes[source]
        weights = self.weights(name, (channels, stride, stride, depth))
        shape = (1, height // stride, width // stride, channels)
        return self.run("CONV_2D", (source, *weights), name, shape, strideH=stride, strideW=stride, quantized=(scale,))

    def transposed(self, source: str, name: str, axes: tuple[int, ...]) -> str:
        shape = tuple(self.shapes[source][axis] for axis in axes)
        return self.run("TRANSPOSE", (source, self.constant(f"{name} axes", axes)), name, shape)

    def reshaped(self, source: str, name: str, shape: tuple[int, ...]) -> str:
        target = self.constant(f"{name} shape", shape)
        return self.run("RESHAPE", (source, target), name, shape, newShape=list(shape))

    def joined(self, sources: list[str], name: str, axis: int) -> str:
        shape = list(self.shapes[sources[0]])
        shape[axis] = sum(self.shapes[source][axis] for source in sources)
        return self.run("CONCATENATION", tuple(sources), name, tuple(shape), axis=axis)

    def sliced(self, source: str, name: str, axis: int, first: int, last: int, how: str = "STRIDED_SLICE") -> str:
        """A part of a dimension, by one of the operators that exporters use."""
        length = self.shapes[source][axis]
        begins, ends = [0] * len(self.shapes[source]), list(self.shapes[source])
        begins[axis], ends[axis] = first, last
        shape = tuple(end - begin for begin, end in zip(begins, ends, strict=True))
        begin = (source, self.constant(f"{name} from", begins))
        if how == "SLICE":
            return self.run("SLICE", (*begin, self.constant(f"{name} extent", shape)), name, shape)
        if how == "GATHER":
            return self.run("GATHER", (source, self.constant(f"{name} which", range(first, last))), name, shape, axis=axis)
        if how == "SPLIT":
            counts = [count for count in (first, last - first, length - last) if count]
            parts = [name if at == bool(first) else f"{name}: part {at}" for at in range(len(counts))]
            for part, count in zip(parts, counts, strict=True):
                self.tensor(part, (*shape[:axis], count, *shape[axis + 1 :]))
            at = self.constant(f"{name} axis", axis)
            if len(set(counts)) == 1:
                self.add("SPLIT", (at, source), tuple(parts), numSplits=len(counts))
            else:
                sizes = self.constant(f"{name} sizes", counts)
                self.add("SPLIT_V", (source, sizes, at), tuple(parts), numSplits=len(counts))
            return name
        steps = self.constant(f"{name} steps", [1] * len(begins))
        return self.run("STRIDED_SLICE", (*begin, self.constant(f"{name} to", ends), steps), name, shape)

    def unpacked(self, source: str, name: str, axis: int) -> list[str]:
        """The parts of a dimension, which is left out."""
        shape = self.shapes[source]
        parts = [f"{name} {at}" for at in range(shape[axis])]
        for part in parts:
            self.tensor(part, shape[:axis] + shape[axis + 1 :])
        self.add("UNPACK", (source,), tuple(parts), num=len(parts), axis=axis)
        return parts

    def packed(self, sources: list[str], name: str, axis: int) -> str:
        shape = self.shapes[sources[0]]
        shape = (*shape[:axis], len(sources), *shape[axis:])
        return self.run("PACK", tuple(sources), name, shape, valuesCount=len(sources), axis=axis)

    def sigmoid(self, source: str, name: str) -> str:
        quantized = {"INT8": (1 / 256, -128), "UINT8": (1 / 256, 0), "INT16": (1 / 32768, 0), "FLOAT32": ()}[self.kind]
        return self.run("LOGISTIC", (source,), name, self.shapes[source], quantized=quantized)

    def data(self, inputs: list[str], outputs: list[str]) -> bytes:
        import flatbuffers

        self.graph.inputs, self.graph.outputs = ([self._numbers[name] for name in names] for names in (inputs, outputs))
        builder = flatbuffers.Builder(0)
        builder.Finish(self.model.Pack(builder), b"TFL3")
        return bytes(builder.Output())

    def sign(self, inputs: list[str], outputs: list[str]) -> None:
        """Add a signature."""
        one = self.schema.SignatureDefT()
        one.signatureKey, one.subgraphIndex = b"serving_default", 0
        one.inputs = [self.schema.TensorMapT(f"in {name}".encode(), self._numbers[name]) for name in inputs]
        one.outputs = [self.schema.TensorMapT(f"out {name}".encode(), self._numbers[name]) for name in outputs]
        self.model.signatureDefs = [one]


def _random(name: str, shape: tuple[int, ...]) -> np.ndarray[Any, Any]:
    return np.random.default_rng(zlib.crc32(name.encode())).integers(-100, 101, shape)


@dataclass(frozen=True)
class Tiny:
    """A network to build.

    task        "detect", "segment", "pose" (two keypoints) or "obb" (boxes turned by an angle)
    bins        16, or 1 as YOLO26
    joined      whether boxes and scores of a stride are concatenated first, as in ST's files
    planes      whether input and prototypes are planes, as in LiteRT's exports
    float_ends  whether input and outputs are float
    attention   whether there is attention inside, as in YOLO11: "", "batched" or "dense", as TensorFlow writes it in float
    slicing     the operator that takes parts: STRIDED_SLICE, SLICE, SPLIT or GATHER
    interleaved whether a distribution takes every fourth channel, which no YOLO network does
    reordered   whether the rows of a map inside are gathered in another order
    behind      an operator at the end that no YOLO network has
    scores_used whether the coefficients or keypoints are computed from the scores
    prototypes  whether a network for masks has them
    """

    task: str = "detect"
    size: tuple[int, int] = (64, 64)
    classes: int = 3
    kind: str = "INT8"
    bins: int = 16
    joined: bool = False
    planes: bool = False
    float_ends: bool = False
    attention: str = ""
    slicing: str = "STRIDED_SLICE"
    interleaved: bool = False
    reordered: bool = False
    behind: str = ""
    scores_used: bool = False
    prototypes: bool = True
    score_scale: float = SCALE

    def data(self) -> bytes:
        return _build(self)

    @property
    def sources(self) -> dict[str, str]:
        """{name of a split output: name of the tensor that the network gives it}."""
        extra = {"segment": ("coefficients",), "pose": ("keypoints",), "obb": ("angles",)}.get(self.task, ())
        names = {f"{role}_{stride}": f"{role} of {stride}" for stride in STRIDES for role in ("boxes", "scores", *extra)}
        return {**names, "prototypes": "the prototypes"} if self.task == "segment" else names


def _build(tiny: Tiny) -> bytes:
    net = Builder(tiny.kind)
    features, picture = _backbone(net, tiny)
    anchors = sum(net.shapes[one][1] * net.shapes[one][2] for one in features.values())
    kinds = {"detect": ("", 0), "segment": ("coefficients", 32), "pose": ("keypoints", 6), "obb": ("angles", 1)}
    role, ends = kinds[tiny.task]
    boxes, scores, extras = [], [], []
    for stride, feature in features.items():
        box = net.convolution(feature, f"boxes of {stride}", 4 * tiny.bins)
        score = net.convolution(feature, f"scores of {stride}", tiny.classes, scale=tiny.score_scale)
        if tiny.joined:
            both = _rows(net, net.joined([box, score], f"both of {stride}", 3))
            boxes.append(net.sliced(both, f"box rows of {stride}", 1, 0, 4 * tiny.bins, tiny.slicing))
            scores.append(net.sliced(both, f"score rows of {stride}", 1, 4 * tiny.bins, 4 * tiny.bins + tiny.classes))
        else:
            boxes.append(_rows(net, box))
            scores.append(_rows(net, score))
        if ends:
            source = score if tiny.scores_used else feature
            extras.append(_rows(net, net.convolution(source, f"{role} of {stride}", ends)))
    parts = [_corners(net, net.joined(boxes, "all boxes", 2), tiny, anchors)]
    probabilities = net.sigmoid(net.joined(scores, "logits", 2), "probabilities")
    parts.append(net.run("QUANTIZE", (probabilities,), "all scores", net.shapes[probabilities]))
    if extras:
        extra = net.joined(extras, "extras", 2)
        if tiny.task == "pose":
            extra = _points(net, extra, tiny.slicing, anchors)
        elif tiny.task == "obb":
            if tiny.bins > 1:  # YOLO26 has angles without a sigmoid
                extra = net.run("QUANTIZE", (net.sigmoid(extra, "turns"),), "all angles", net.shapes[extra])
            parts[0] = _turned(net, parts[0], extra)
        parts.append(extra)
    outputs = [net.joined(parts, "output", 1)]
    if tiny.behind:
        outputs = [net.run(tiny.behind, (outputs[0],), "behind", net.shapes["output"])]
    if tiny.task == "segment" and tiny.prototypes:
        outputs.append(_prototypes(net, features[8], planes=tiny.planes))
    if tiny.float_ends:
        outputs = [net.run("DEQUANTIZE", (one,), f"float {one}", net.shapes[one], kind="FLOAT32") for one in outputs]
    net.sign([picture], outputs)
    return net.data([picture], outputs)


def _backbone(net: Builder, tiny: Tiny) -> tuple[dict[int, str], str]:
    """Feature maps by stride, and the input."""
    width, height = tiny.size
    shape = (1, 3, height, width) if tiny.planes else (1, height, width, 3)
    source = picture = net.tensor("picture", shape, "FLOAT32" if tiny.float_ends else "")
    if tiny.float_ends:
        source = net.run("QUANTIZE", (source,), "quantized picture", shape)
    if tiny.planes:
        source = net.transposed(source, "picture of pixels", (0, 2, 3, 1))
    pads = net.constant("pads", [[0, 0], [2, 6], [3, 5], [0, 0]])
    padded = net.run("PAD", (source, pads), "padded", (1, height + 8, width + 8, 3))
    weights = net.weights("features of 8", (4, 16, 16, 3))
    valid = {"padding": 1, "strideH": 8, "strideW": 8}
    eighth = net.run("CONV_2D", (padded, *weights), "features of 8", (1, height // 8, width // 8, 4), **valid)
    if tiny.reordered:
        order = net.constant("order", range(height // 8)[::-1])
        eighth = net.run("GATHER", (eighth, order), "reordered features", net.shapes[eighth], axis=1)
    how = "STRIDED_SLICE" if tiny.slicing == "GATHER" else tiny.slicing
    half = net.sliced(eighth, "half of the features", 3, 2, 4, how)
    sixteenth = net.convolution(net.joined([eighth, half], "more features of 8", 3), "features of 16", 4, 2)
    least = net.convolution(sixteenth, "features of 32", 4, 2)
    if tiny.attention:
        least = _attention(net, least, tiny.attention)
    _, rows, columns, _ = net.shapes[sixteenth]
    target = net.constant("size of 16", [rows, columns])
    larger = net.run("RESIZE_NEAREST_NEIGHBOR", (least, target), "larger", (1, rows, columns, 4))
    return {8: eighth, 16: net.joined([sixteenth, larger], "fused features", 3), 32: least}, picture


def _attention(net: Builder, source: str, form: str) -> str:
    _, height, width, channels = net.shapes[source]
    count, depth = height * width, channels // 2
    planes = net.transposed(source, "attention planes", (0, 3, 1, 2))
    heads = net.reshaped(planes, "heads", (1, 2, depth, count))
    if form == "batched":
        weights = net.run("BATCH_MATMUL", (heads, heads), "affinity", (1, 2, count, count), adjX=True)
    else:
        products = []
        for at, head in enumerate(net.unpacked(heads, "head", 1)):
            positions = net.transposed(head, f"positions {at}", (0, 2, 1))
            rows = net.reshaped(positions, f"position rows {at}", (count, depth))
            products.append(net.run("FULLY_CONNECTED", (positions, rows), f"product {at}", (count, count)))
        weights = net.reshaped(net.packed(products, "products", 0), "affinity", (1, 2, count, count))
    weights = net.run("SOFTMAX", (weights,), "attention", (1, 2, count, count), beta=1.0, quantized=(1 / 256, -128))
    mixed = net.run("BATCH_MATMUL", (heads, weights), "mixed", (1, 2, depth, count), adjY=True)
    pixels = net.transposed(net.reshaped(mixed, "mixed planes", (1, channels, height, width)), "mixed pixels", (0, 2, 3, 1))
    return net.run("ADD", (source, pixels), "attended features", net.shapes[source])


def _rows(net: Builder, source: str) -> str:
    """A map as [1, channels, anchors]."""
    _, height, width, channels = net.shapes[source]
    return net.reshaped(net.transposed(source, f"planes of {source}", (0, 3, 1, 2)), f"rows of {source}",
                        (1, channels, height * width))  # fmt: skip


def _corners(net: Builder, rows: str, tiny: Tiny, anchors: int) -> str:
    distances, bins = rows, tiny.bins
    if bins > 1:
        shape, axes = ((1, bins, 4, anchors), (0, 2, 3, 1)) if tiny.interleaved else ((1, 4, bins, anchors), (0, 1, 3, 2))
        bunched = net.reshaped(rows, "bunches", shape)
        if tiny.slicing == "GATHER":
            bunched = net.packed(net.unpacked(bunched, "bunch", 1), "bunches again", 1)
        bunched = net.transposed(bunched, "bunches at the end", axes)
        unit = {"INT8": (1 / 256, -128), "UINT8": (1 / 256, 0), "INT16": (1 / 32768, 0), "FLOAT32": ()}[net.kind]
        soft = net.run("SOFTMAX", (bunched,), "distribution", net.shapes[bunched], beta=1.0, quantized=unit)
        weights = net.weights("bins", (1, 1, 1, bins))
        mean = net.run("CONV_2D", (soft, *weights), "mean", (1, 4, anchors, 1), strideH=1, strideW=1)
        distances = net.reshaped(mean, "distances", (1, 4, anchors))
    places = np.arange(2 * anchors).astype(net.kind.lower()).reshape(1, 2, anchors)
    centers = net.constant("centers", places, net.kind, SCALE)
    before = net.sliced(distances, "left and top", 1, 0, 2, tiny.slicing)
    behind = net.sliced(distances, "right and bottom", 1, 2, 4, tiny.slicing)
    low = net.run("SUB", (centers, before), "low", (1, 2, anchors))
    high = net.run("ADD", (behind, centers), "high", (1, 2, anchors))
    return net.joined([low, high], "corners", 1)


def _points(net: Builder, rows: str, slicing: str, anchors: int) -> str:
    points = net.reshaped(rows, "points", (1, 2, 3, anchors))
    places = net.sliced(points, "places", 2, 0, 2, slicing)
    places = net.run("MUL", (places, places), "moved places", net.shapes[places])
    visible = net.sigmoid(net.sliced(points, "seen", 2, 2, 3, slicing), "visibility")
    seen = net.run("QUANTIZE", (visible,), "all seen", net.shapes[visible])
    return net.reshaped(net.joined([places, seen], "both", 2), "all points", (1, 6, anchors))


def _turned(net: Builder, boxes: str, angles: str) -> str:
    """Boxes that depend on the sine and the cosine of angles, which LiteRT computes in float."""
    shape = net.shapes[angles]
    real = net.run("DEQUANTIZE", (angles,), "real angles", shape, kind="FLOAT32")
    for name in ("SIN", "COS"):
        factor = net.run("QUANTIZE", (net.run(name, (real,), f"real {name}", shape, kind="FLOAT32"),), name, shape)
        boxes = net.run("MUL", (boxes, factor), f"boxes by {name}", net.shapes[boxes])
    return boxes


def _prototypes(net: Builder, source: str, *, planes: bool) -> str:
    _, height, width, channels = net.shapes[source]
    size = net.constant("size of prototypes", [1, 2 * height, 2 * width, 8])
    weights = net.weights("enlarging", (8, 2, 2, channels))
    shape = (1, 2 * height, 2 * width, 8)
    larger = net.run("TRANSPOSE_CONV", (size, weights[0], source, weights[1]), "enlarged", shape, strideH=2, strideW=2)
    last = net.convolution(larger, "raw prototypes", 32)
    found = net.run("MUL", (last, net.sigmoid(last, "gate")), "the prototypes", net.shapes[last])
    return net.transposed(found, "planes of prototypes", (0, 3, 1, 2)) if planes else found
