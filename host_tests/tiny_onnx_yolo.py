"""Small YOLO networks as .onnx files, with the heads that Ultralytics exports, quantized (QDQ) by onnxruntime as ST's model
zoo does. Weights and calibration pictures are random, with a fixed seed."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

STRIDES = (8, 16, 32)
NAMES = ("ball", "box", "tent", "cup", "pen")
COEFFICIENTS, KEYPOINTS, CHANNELS = 8, 5, 8

Array = np.ndarray[Any, Any]


class Builder:
    """A float .onnx, operator by operator. A tensor is its name."""

    def __init__(self) -> None:
        self.onnx = pytest.importorskip("onnx")
        self.nodes: list[Any] = []
        self.constants: dict[str, Array] = {}
        self._random = np.random.default_rng(5)

    def constant(self, values: Any, dtype: str = "int64") -> str:
        name = f"constant_{len(self.constants)}"
        self.constants[name] = np.array(values, dtype)
        return name

    def run(self, operator: str, *inputs: str, outputs: int = 1, name: str = "", **attributes: Any) -> Any:
        """Add an operator. Returns its output, or the list of its outputs."""
        name = name or f"{operator}_{len(self.nodes)}"
        made = [name] if outputs == 1 else [f"{name}_{k}" for k in range(outputs)]
        self.nodes.append(self.onnx.helper.make_node(operator, inputs, made, name, **attributes))
        return made[0] if outputs == 1 else made

    def convolution(
        self, x: str, count: int, *, channels: int = CHANNELS, window: int = 1, stride: int = 1, bias: float = 0
    ) -> str:
        weights = self._random.normal(0, (channels * window * window) ** -0.5, (count, channels, window, window))
        biases = self.constant(self._random.normal(bias, 0.5, count), "float32")
        pad = [window // 2] * 4
        attributes = {"kernel_shape": [window] * 2, "strides": [stride] * 2, "pads": pad}
        return str(self.run("Conv", x, self.constant(weights, "float32"), biases, **attributes))

    def block(self, x: str, **options: Any) -> str:
        """A convolution with SiLU."""
        x = self.convolution(x, CHANNELS, **options)
        return str(self.run("Mul", x, self.run("Sigmoid", x)))

    def reshape(self, x: str, *shape: int) -> str:
        return str(self.run("Reshape", x, self.constant(shape)))

    def slice(self, x: str, begin: int, end: int, axis: int) -> str:
        return str(self.run("Slice", x, *(self.constant([n]) for n in (begin, end, axis))))

    def attention(self, x: str, height: int, width: int) -> str:
        """As in YOLO11's C2PSA: rows and columns become positions, and rows and columns again."""
        every = self.reshape(self.convolution(x, 2 * CHANNELS), 1, 2, CHANNELS, height * width)
        query, key, value = self.run("Split", every, self.constant([2, 2, 4]), outputs=3, axis=2)
        like = self.run("MatMul", self.run("Transpose", query, perm=[0, 1, 3, 2]), key)
        like = self.run("Softmax", self.run("Mul", like, self.constant(0.7, "float32")), axis=-1)
        seen = self.run("MatMul", value, self.run("Transpose", like, perm=[0, 1, 3, 2]))
        return str(self.run("Add", x, self.convolution(self.reshape(seen, 1, CHANNELS, height, width), CHANNELS)))

    def file(self, inputs: list[Any], outputs: list[str], metadata: dict[str, str]) -> Any:
        helper, tensor = self.onnx.helper, self.onnx.TensorProto
        graph = helper.make_graph(
            self.nodes, "tiny", [helper.make_tensor_value_info("images", tensor.FLOAT, inputs)],
            [helper.make_tensor_value_info(name, tensor.FLOAT, None) for name in outputs],
            [self.onnx.numpy_helper.from_array(values, name) for name, values in self.constants.items()],
        )  # fmt: skip
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
        helper.set_model_props(model, metadata)
        return model


def float_network(
    task: str = "detect", *, size: tuple[int, int] = (96, 64), classes: int = 3, bins: int = 16, joined: bool = False,
    end_to_end: bool = False, batch: Any = 1,
) -> Any:  # fmt: skip
    """The model for an input of (width, height). `joined`: as Ultralytics 8.3 exports it; bins=1: YOLO26's boxes."""
    b = Builder()
    width, height = size
    x = b.block(b.block("images", channels=3, window=3, stride=2), window=3, stride=2)
    quarter, maps = x, []
    for _ in STRIDES:
        x = b.block(x, window=3, stride=2)
        maps.append(x)
    maps[2] = b.attention(maps[2], height // 32, width // 32)
    # Ultralytics states the scales of a Resize, other exporters its sizes.
    nearest = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    up = b.run("Resize", maps[2], "", b.constant([1, 1, 2, 2], "float32"), **nearest)
    maps[1] = b.block(b.run("Concat", up, maps[1], axis=1), channels=2 * CHANNELS)
    up = b.run("Resize", maps[1], "", "", b.constant([1, CHANNELS, height // 8, width // 8]), **nearest)
    maps[0] = b.block(b.run("Concat", up, maps[0], axis=1), channels=2 * CHANNELS)

    anchors, strides = _anchors(width, height)
    extras = {"detect": 0, "segment": COEFFICIENTS, "pose": 3 * KEYPOINTS, "obb": 1}[task]
    boxes = [b.convolution(one, 4 * bins) for one in maps]
    # n6post takes one channel beside scores that are all high for YOLOX's objectness.
    scores = [b.convolution(one, classes, bias=-4 if task == "obb" and one == maps[0] else 0) for one in maps]
    more = [b.convolution(one, extras) for one in maps] if extras else []
    if joined:
        both = [b.run("Concat", *pair, axis=1) for pair in zip(boxes, scores, strict=True)]
        box, score = b.run("Split", _flat(b, both, 4 * bins + classes), b.constant([4 * bins, classes]), outputs=2, axis=1)
    else:
        box, score = _flat(b, boxes, 4 * bins), _flat(b, scores, classes)
    parts = [_boxes(b, box, bins, anchors, strides), b.run("Sigmoid", score)]
    if task == "obb":
        turn = b.run("Sigmoid", _flat(b, more, 1))
        angle = b.run("Mul", b.run("Sub", turn, b.constant(0.25, "float32")), b.constant(np.pi, "float32"))
        parts = [_boxes(b, box, bins, anchors, strides, angle), parts[1], angle]
    elif extras:
        extra = _flat(b, more, extras)
        parts.append(extra if task == "segment" else _keypoints(b, extra, anchors, strides))
    b.run("Concat", *parts, axis=1, name="output0")
    outputs = ["output0"]
    if task == "segment":
        prototypes = b.convolution(quarter, COEFFICIENTS)
        b.run("Mul", prototypes, b.run("Sigmoid", prototypes), name="output1")
        outputs.append("output1")
    if end_to_end:
        best = b.run("ReduceMax", "output0", axes=[1], keepdims=0)
        outputs[0] = b.run("TopK", best, b.constant([10]), outputs=2)[0]
    names = str(dict(enumerate(NAMES[:classes])))
    metadata = {"names": names, "imgsz": str([height, width]), "task": task, "stride": "32"}
    return b.file([batch, 3, *("height", "width")] if batch == "any" else [batch, 3, height, width], outputs, metadata)


def _anchors(width: int, height: int) -> tuple[Array, Array]:
    """The centers of the cells, [2, N], in cells, and the stride of each."""
    centers, strides = [], []
    for stride in STRIDES:
        rows, columns = np.mgrid[: height // stride, : width // stride] + 0.5
        centers.append(np.stack([columns.ravel(), rows.ravel()]))
        strides.append(np.full(rows.size, stride))
    return np.concatenate(centers, 1), np.concatenate(strides)


def _flat(b: Builder, maps: list[str], channels: int) -> str:
    return str(b.run("Concat", *(b.reshape(one, 1, channels, -1) for one in maps), axis=2))


def _boxes(b: Builder, box: str, bins: int, anchors: Array, strides: Array, angle: str = "") -> str:
    if bins > 1:
        shares = b.run("Softmax", b.run("Transpose", b.reshape(box, 1, 4, bins, -1), perm=[0, 2, 1, 3]), axis=1)
        numbers = b.constant(np.arange(bins).reshape(1, bins, 1, 1), "float32")
        box = b.reshape(b.run("Conv", shares, numbers, kernel_shape=[1, 1]), 1, 4, -1)
    centers = b.constant(anchors[None], "float32")
    first = b.run("Sub", centers, b.slice(box, 0, 2, 1))
    last = b.run("Add", centers, b.slice(box, 2, 4, 1))
    middle, extent = b.run("Div", b.run("Add", first, last), b.constant(2, "float32")), b.run("Sub", last, first)
    if angle:  # Ultralytics' dist2rbox
        low, high, cos, sin = b.slice(box, 0, 2, 1), b.slice(box, 2, 4, 1), b.run("Cos", angle), b.run("Sin", angle)
        way = b.run("Div", b.run("Sub", high, low), b.constant(2, "float32"))
        x, y = b.slice(way, 0, 1, 1), b.slice(way, 1, 2, 1)
        across = b.run("Sub", b.run("Mul", x, cos), b.run("Mul", y, sin))
        down = b.run("Add", b.run("Mul", x, sin), b.run("Mul", y, cos))
        middle, extent = b.run("Add", b.run("Concat", across, down, axis=1), centers), b.run("Add", low, high)
    both = b.run("Concat", middle, extent, axis=1)
    return str(b.run("Mul", both, b.constant(strides[None], "float32")))


def _keypoints(b: Builder, raw: str, anchors: Array, strides: Array) -> str:
    points = b.reshape(raw, 1, KEYPOINTS, 3, -1)
    places = b.run("Mul", b.slice(points, 0, 2, 2), b.constant(2, "float32"))
    places = b.run("Mul", b.run("Add", places, b.constant(anchors - 0.5, "float32")), b.constant(strides[None], "float32"))
    seen = b.run("Sigmoid", b.slice(points, 2, 3, 2))
    return b.reshape(b.run("Concat", places, seen, axis=2), 1, 3 * KEYPOINTS, -1)


@cache
def quantized(folder: Path, *, activations: str = "QInt8", form: str = "QDQ", **options: Any) -> bytes:
    """The file of a network, quantized. `options` are those of `float_network`."""
    pytest.importorskip("onnxruntime")
    quantization = pytest.importorskip("onnxruntime.quantization")
    model = float_network(**options)
    _, _, height, width = (side.dim_value for side in model.graph.input[0].type.tensor_type.shape.dim)

    class Pictures(quantization.CalibrationDataReader):  # type: ignore[misc]
        def __init__(self) -> None:
            self.left = [picture(width, height, seed) for seed in range(4)]

        def get_next(self) -> dict[str, Array] | None:
            return {"images": self.left.pop()} if self.left else None

    path = folder / "quantized.onnx"
    quantization.quantize_static(
        model, path, Pictures(), quant_format=quantization.QuantFormat[form], per_channel=True,
        activation_type=quantization.QuantType[activations], weight_type=quantization.QuantType.QInt8,
    )  # fmt: skip
    return path.read_bytes()


def picture(width: int, height: int, seed: int) -> Array:
    """A picture of gray steps and noise, [1, 3, height, width], 0..1."""
    random = np.random.default_rng(seed)
    coarse = random.random((1, 3, height // 8, width // 8)).repeat(8, 2).repeat(8, 3)
    return np.asarray(0.8 * coarse + 0.2 * random.random((1, 3, height, width)), np.float32)
