"""Cut an int8 network (.tflite) at a layer inside of it, whose map n6post.Anomaly compares with those of good parts.

By default that is the last layer of the backbone with a stride of 16 pixels, before its activation, which makes all negative
numbers about the same: what differs among them is lost. Maps of YOLOv8n tell defects better before it than after.

A fused ReLU is dropped only if the layer's quantization has negative numbers. Usually its range was calibrated for what the
ReLU lets pass. Then the map is taken after it, unless the network has layers without activation, such as the bottlenecks of
a MobileNetV2.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import log2, prod
from typing import Any

import numpy as np
from rich import box
from rich.table import Table

from ..command import Bar
from ..models import graph
from ..models.pictures import Picture
from . import proof, tflite_size
from .network import CannotOptimize, check_size
from .tflite import check_runs
from .tflite_file import TfliteFile, undamaged

STRIDES = (8, 16, 32)  # of the layers that are listed
STRIDE = 16  # of the default
LEAST, MOST = 8, 1024  # channels that n6post.Anomaly takes
WIDE = 256  # more channels are taken by default only if there is no other layer: n6post.Anomaly takes the more time
SIGNED = 32  # steps of a quantization below zero that are enough for negative numbers

_NONE, _RELUS = 0, (1, 2, 3)  # the schema's ActivationFunctionType: none; RELU, RELU_N1_TO_1, RELU6
_CONVOLUTIONS = ("CONV_2D", "DEPTHWISE_CONV_2D")
_MAPS = (*_CONVOLUTIONS, "ADD", "MUL", "CONCATENATION", "HARD_SWISH", "RELU", "RELU6", "LEAKY_RELU", "PRELU", "MAX_POOL_2D",
         "AVERAGE_POOL_2D", "RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR")  # fmt: skip


@dataclass(frozen=True)
class Layer:
    """A map of features inside of a network.

    operator    number in the file of the operator that computes it
    name        of its tensor, up to the first ";"
    shape       1, height, width, channels
    stride      pixels of the input from one cell to the next, as a power of two
    linear      whether it is the map before an activation, and has negative numbers
    backbone    whether it was computed without any coarser map, as in a head or a neck, and a convolution follows
    fused       the activation that is dropped so that it is linear, with its smallest and largest integer; or None
    """

    operator: int
    name: str
    shape: tuple[int, ...]
    stride: float
    linear: bool
    backbone: bool
    fused: tuple[int, int] | None

    @property
    def described(self) -> str:
        when = "before" if self.linear else "after"
        return f"{self.operator} ({self.name}), stride {self.stride:g}, {when} the activation"


def input_size(file: TfliteFile) -> tuple[int, int]:
    """Width and height of the input. CannotOptimize if it is not one picture of this size."""
    shapes = [file.shape(tensor) for tensor in file.input_tensors]
    if len(shapes) != 1 or len(shapes[0]) != 4 or shapes[0][0] != 1 or shapes[0][3] not in (1, 3):
        raise CannotOptimize(f"expected an input of one picture, [1, height, width, 1 or 3], got {[*map(list, shapes)]}")
    signature = file.graph.tensors[file.input_tensors[0]].shapeSignature
    if signature is not None and min(signature[1:3]) < 0:
        raise CannotOptimize("its input has no fixed width and height: export it for one input size")
    return shapes[0][2], shapes[0][1]


@undamaged()
def layers(data: bytes) -> list[Layer]:
    """The maps in integers that n6post.Anomaly takes, in the order of the file. CannotOptimize if there are none."""
    file = TfliteFile(data)
    size, followed, clean = input_size(file), _followed(file), dict[int, int]()
    found: list[Layer] = []
    linear: set[int] = set()
    for operator in file.kept:
        tensor, name = file.outputs(operator)[0], file.names[operator]
        # `clean`: the fewest cells of all maps that a tensor is computed from, 0 if a coarser one is among them.
        cells = min((clean[one] for one in file.inputs(operator) if one in clean), default=prod(size))
        shape = file.shape(tensor)
        if name in _MAPS and len(shape) == 4 and prod(shape[1:3]) > 1:
            cells = prod(shape[1:3]) if prod(shape[1:3]) <= cells else 0
        clean.update(dict.fromkeys(file.outputs(operator), cells))
        if name not in _MAPS or file.kinds[tensor] not in ("INT8", "UINT8") or len(shape) != 4 or shape[0] != 1:
            continue
        if min(shape[1:3]) < 2 or not LEAST <= shape[3] <= MOST:
            continue
        fused = _fused(file, operator)
        if fused is not None and (name in _CONVOLUTIONS or name == "ADD" and linear.intersection(file.inputs(operator))):
            linear.add(tensor)
        strides = [2.0 ** round(log2(pixels / count)) for pixels, count in zip(size, (shape[2], shape[1]), strict=True)]
        found.append(Layer(operator, file.name(tensor).partition(";")[0], shape, strides[0] if len(set(strides)) == 1 else 0,
                           tensor in linear, cells > 0 and operator in followed, fused or None))  # fmt: skip
    if not found:
        floats = any(map(file.computes_in_float, file.kept))
        raise CannotOptimize("its layers are in float: expected a file that was quantized to int8" if floats else
                             f"it has no map [1, height, width, {LEAST} to {MOST} channels] in int8 or uint8")  # fmt: skip
    return found


def _followed(file: TfliteFile) -> set[int]:
    """The operators from which a convolution or a fully connected layer computes more: not the last of a network."""
    used: set[int] = set()  # tensors
    found = set()
    for operator in reversed(file.kept):
        if used.intersection(file.outputs(operator)):
            found.add(operator)
        if operator in found or file.names[operator] in (*_CONVOLUTIONS, "FULLY_CONNECTED"):
            used.update(file.inputs(operator))
    return found


def _fused(file: TfliteFile, operator: int) -> Any:
    """None if an output has no negative numbers, or an activation that stays.

    Otherwise the integers from which to which its fused ReLU lets numbers pass; () if it has none.
    """
    tensor = file.outputs(operator)[0]
    known, lowest = file.described(tensor), -128 if file.kinds[tensor] == "INT8" else 0
    activation = getattr(file.options(operator), "fusedActivationFunction", _NONE)
    if known.zero_point - lowest < SIGNED or activation not in (_NONE, *_RELUS):
        return None
    if activation == _NONE:
        return ()
    ends = {1: (0, np.inf), 2: (-1, 1), 3: (0, 6)}[activation]
    low, high = (known.zero_point + end / known.scale for end in ends)
    return max(lowest, round(low)), round(min(lowest + 255, high))


def listed(found: list[Layer]) -> list[Layer]:
    """The layers of the backbone that suit: for each stride those before an activation, or else those after one."""
    at = [one for one in found if one.backbone and one.stride in STRIDES]
    signed = {one.stride for one in at if one.linear}
    return [one for one in at if one.linear or one.stride not in signed]


def default(found: list[Layer]) -> Layer:
    """The last of those with the most channels at a stride of 16. CannotOptimize if there is none."""
    at = [one for one in listed(found) if one.stride == STRIDE]
    if not at:
        others = ", ".join(f"{one:g}" for one in sorted({one.stride for one in listed(found)})) or "none of these"
        raise CannotOptimize(f"it has no suitable layer with a stride of {STRIDE}: --features list shows those of {others}")
    narrow = [one for one in at if one.shape[3] <= WIDE]
    fewest = min(one.shape[3] for one in at)
    return max(narrow or [one for one in at if one.shape[3] == fewest], key=lambda one: (one.shape[3], one.operator))


def chosen(found: list[Layer], text: str) -> Layer:
    """The layer with this number or name. CannotOptimize if no layer or several have it."""
    named = [one for one in found if text in (str(one.operator), one.name)]
    if len(named) != 1:
        raise CannotOptimize(f"--features: expected list, or the number or name of a layer that --features list shows, got "
                             f"{text!r}{f', the name of {len(named)} layers' if named else ''}")  # fmt: skip
    return named[0]


@undamaged()
def cut(data: bytes, layer: Layer, size: tuple[int, int] | None = None) -> bytes:
    """The file that ends in a layer, with an input of this (width, height). CannotOptimize if it cannot have that."""
    file = TfliteFile(data)
    if layer.fused:
        file.options(layer.operator).fusedActivationFunction = _NONE
    file.cut({"features": file.outputs(layer.operator)[0]})
    file.drop_archive()
    if size is not None:
        check_size(size, max(int(layer.stride), 1))
        tflite_size.resize(file, input_size(file), size)
    new = file.data()
    check_runs(new)
    return new


def table(data: bytes, shown: list[Layer], cycles: Callable[[bytes], str] | None) -> Table:
    """What a file that ends in each of these layers needs. `cycles` asks Vela about a file."""
    sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name in ("layer", "stride", "map", "activation", "multiply-\nadds, M", "RAM,\nKiB", "file,\nKiB"):
        sheet.add_column(name, justify="left" if name in ("map", "activation") else "right", no_wrap=True)
    if cycles:
        sheet.add_column("AE3,\nM cycles", justify="right")
    for one in Bar(len(shown), "layers").over(shown):
        new = cut(data, one)
        known = graph.parse(new)
        macs, ram = f"{known.multiply_adds() / 1e6:.1f}", f"{known.peak() / 1024:,.0f}"
        sheet.add_row(str(one.operator), f"{one.stride:g}", "x".join(map(str, one.shape[1:])),
                      "before" if one.linear else "after", macs, ram, f"{len(new) / 1024:,.0f}",
                      *[cycles(new)] if cycles else [])  # fmt: skip
    return sheet


class Evidence:
    """What two files compute from the same pictures: the same map.

    layer   of the original, in which the new file ends
    found   all layers of the original
    same    the new file, with the original's input size
    new     the new file
    """

    def __init__(self, original: bytes, layer: Layer, found: list[Layer], same: bytes, new: bytes) -> None:
        self._graphs, self._layer = [graph.parse(original), graph.parse(new)], layer
        self._signed = any(one.linear and one.stride == layer.stride for one in listed(found))
        tensor = self._graphs[0].operators[layer.operator].outputs[0]
        ends = [graph.parse(data).outputs[0] for data in (same, new)]
        self._original, self._same = proof.LiteRt(original, [tensor]), proof.LiteRt(same, ends[:1])
        self._new = self._resized = None
        self._varied = 0
        if new is not same:
            self._new = proof.LiteRt(new, ends[1:])
            try:
                self._resized = proof.LiteRt(same, ends[:1], self._new.shape)
            except (RuntimeError, ValueError):
                self._resized = None  # LiteRT cannot change the input of such a network

    @property
    def complete(self) -> bool:
        """Whether everything could be compared."""
        return self._new is None or self._resized is not None

    def add(self, picture: Picture) -> None:
        """FailedProofError if the new file's map is not the original's."""
        theirs, ours = _seen(picture, self._original, self._same)
        if self._layer.fused:
            ours = np.clip(ours, *self._layer.fused)
        self._varied += int(ours.min() < ours.max())
        self._check(theirs, ours, f"the map differs from the original's tensor in {picture.short_name}")
        if self._new is not None and self._resized is not None:
            self._check(*_seen(picture, self._resized, self._new), f"the map of the new input size differs from the one "
                        f"that LiteRT computes with this size in {picture.short_name}")  # fmt: skip

    def _check(self, theirs: Any, ours: Any, said: str) -> None:
        if theirs.dtype != ours.dtype or not np.array_equal(theirs, ours):
            raise proof.FailedProofError(said)

    def finish(self) -> list[tuple[str, str]]:
        """What was proven. FailedProofError if the map says nothing about the pictures."""
        if not self._varied:
            raise proof.FailedProofError("all numbers of the map are the same on all pictures")
        lines = [("layer", self._layer.described)]
        if not self._layer.linear:
            lines.append(("", "--features list shows layers with this stride before an activation" if self._signed
                          else "no layer of the backbone with this stride has negative numbers"))
        passed = "; its fused ReLU is dropped, and what it lets pass is compared" if self._layer.fused else ""
        lines.append(("map", f"equals the original's tensor in every bit{passed}"))
        if self._new is not None:
            lines.append(("sizes", "equals in every bit what LiteRT computes when it changes the input itself"
                          if self._resized else "not compared: LiteRT cannot change this network's input"))  # fmt: skip
        return lines

    def rows(self) -> list[tuple[str, str, str]]:
        """Rows of the report: what is compared, before, after."""
        rows = {
            "input": ["{2} x {1}".format(*one.tensors[one.inputs[0]].shape) for one in self._graphs],
            "outputs": ["\n".join(f"{' x '.join(map(str, one.tensors[end].shape)):<17} {one.tensors[end].kind.lower()}"
                                  for end in one.outputs) for one in self._graphs],
            "operators": [str(len(one.operators)) for one in self._graphs],
            "multiply-adds": [f"{one.multiply_adds() / 1e6:,.0f} M" for one in self._graphs],
            "RAM": [f"{one.peak() / 1024:,.0f} KiB" for one in self._graphs],
        }  # fmt: skip
        return [(name, before, after) for name, (before, after) in rows.items()]


def _seen(picture: Picture, *runners: proof.LiteRt) -> list[Any]:
    """The only tensor of each network, of a picture that fills their inputs."""
    _, height, width, _ = runners[0].shape
    values = proof.filled(runners[0], proof.fitted(picture, (width, height)))
    return [tensor for one in runners for tensor in one.run(values).values()]
