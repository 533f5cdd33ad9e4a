"""A small int8 network with SiLUs, after convolutions and after an Add, and with a HARD_SWISH of its own.

data/vela_silu.npz.xz has what three versions of Vela make of it with tables.
"""

from __future__ import annotations

from typing import Any

from tiny_yolo import Builder

# (scale, zero point) before and after each SiLU. "again" has those of "first", so that they share a table.
QUANTIZED = {
    "first": ((0.05, -3), (0.04, -120)), "deep": ((0.11, 7), (0.07, -123)), "second": ((0.03, 40), (0.02, -100)),
    "again": ((0.05, -3), (0.04, -120)), "added": ((0.09, -20), (0.06, -121)),
}  # fmt: skip


def convolution(net: Builder, source: str, name: str, channels: int, quantized: tuple[float, int], **more: Any) -> str:
    shape = net.shapes[source]
    size = (1, 3, 3, channels) if more else (channels, 3, 3, shape[3])
    operator = "DEPTHWISE_CONV_2D" if more else "CONV_2D"
    weights, biases = net.weights(name, size if not more else (channels, 3, 3, 1))
    if more:
        weights = _deep(net, weights, size)
    return net.run(operator, (source, weights, biases), name, (*shape[:3], channels), strideH=1, strideW=1,
                   dilationHFactor=1, dilationWFactor=1, quantized=quantized, **more)  # fmt: skip


def _deep(net: Builder, weights: str, shape: tuple[int, ...]) -> str:
    """The weights of a depthwise convolution: their channels are in the last dimension."""
    tensor = net.graph.tensors[net._numbers[weights]]
    tensor.shape, tensor.quantization.quantizedDimension = list(shape), 3
    return weights


def silu(net: Builder, source: str, name: str, after: tuple[float, int], first: bool = True) -> str:
    sigmoid = net.sigmoid(source, f"{name} sigmoid")
    reads = (source, sigmoid) if first else (sigmoid, source)
    return net.run("MUL", reads, f"{name} out", net.shapes[source], quantized=after)


def network() -> bytes:
    net = Builder("INT8")
    x = net.tensor("image", (1, 16, 16, 8), "", 1 / 255, -128)
    for name in ("first", "deep", "second", "again"):
        more = {"depthMultiplier": 1} if name == "deep" else {}
        before, after = QUANTIZED[name]
        x = silu(net, convolution(net, x, name, 24 if name == "second" else 16, before, **more), name, after, name != "deep")
    hard = convolution(net, x, "hard", 16, (0.06, 5))
    hard = net.run("HARD_SWISH", (hard,), "hard out", net.shapes[hard], quantized=(0.05, -119))
    added = net.run("ADD", (x, hard), "sum", net.shapes[x], quantized=QUANTIZED["added"][0])
    x = silu(net, added, "added", QUANTIZED["added"][1])
    end = convolution(net, x, "end", 4, (0.2, 0))
    return net.data(["image"], [end])
