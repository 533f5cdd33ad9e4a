"""Outputs of made-up networks: plausible and extreme numbers, in every dtype and memory layout, and a model with them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from ulab import _host

from .core import Dice

Array = NDArray[Any]

INTEGERS = ("int8", "uint8", "int16")
KINDS = ("int8", "float32", "uint8", "int16")
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "float32": "f", "bool": "?"}

NOT_NUMBERS = (np.nan, np.inf, -np.inf)
EXTREMES = (*NOT_NUMBERS, 3.4e38, -3.4e38, 1e-42, -0.0, 1e9, 65536.0)


class Quantized(NamedTuple):
    """The raw output of a network; scale None: floats."""

    values: Array
    scale: float | None = None
    zero_point: int = 0

    def real(self, values: Any = None) -> Array:
        """The real values, float64."""
        raw = (self.values if values is None else values).astype(np.float64)
        return raw if self.scale is None else (raw - self.zero_point) * self.scale


def quantize(dice: Dice, values: Array, kind: str, low: float, high: float) -> Quantized:
    """Convert values to this dtype. Integers get a scale that can represent low..high."""
    if kind == "float32":
        return Quantized(values.astype(np.float32))
    least, most = RANGES[kind]
    scale = float(np.float32((high - low) / (most - least)))
    zero_point = round(least - low / scale)
    if dice.chance(0.2):  # whole steps, so that equal numbers and halves are frequent
        scale = float(np.float32(2.0 ** np.ceil(np.log2(scale))))
        zero_point = round(least - low / scale)
    zero_point = min(max(zero_point, least), most)
    raw = np.clip(np.round(values / scale) + zero_point, least, most)
    return Quantized(raw.astype(kind), scale, zero_point)


def spoil(dice: Dice, tensor: Quantized) -> tuple[Quantized, str]:
    """The tensor with extreme numbers, and a description of the change; usually unchanged."""
    how = dice.pick(("nothing",) * 25 + ("noise", "constant", "saturated", "sprinkled", "few"))
    values = tensor.values
    if how == "nothing" or not values.size:
        return tensor, "nothing"
    random = dice.array
    floats = values.dtype == np.float32
    if how == "noise":
        values = np.frombuffer(random.bytes(values.nbytes), values.dtype).reshape(values.shape).copy()
    elif how == "constant":
        constants = (0.0, 1.0, 0.5, *EXTREMES) if floats else (tensor.zero_point, *RANGES[values.dtype.name])
        values = np.full_like(values, dice.pick(constants))
    elif how == "saturated":
        ends = dice.pick(((0.0, 1.0), (-np.inf, np.inf), (-3.4e38, 3.4e38))) if floats else RANGES[values.dtype.name]
        values = np.where(random.random(values.shape) < dice.pick((0.5, 0.05)), ends[0], ends[1]).astype(values.dtype)
    elif how == "sprinkled":
        extremes = np.array(EXTREMES if floats else RANGES[values.dtype.name])
        hit = random.random(values.shape) < dice.pick((0.02, 0.3))
        values = np.where(hit, random.choice(extremes, values.shape), values).astype(values.dtype)
    else:  # only a few different numbers, so that there are many ties
        values = random.choice(values.ravel()[: 1 + min(3, values.size - 1)], values.shape)
    return tensor._replace(values=np.ascontiguousarray(values)), how


def spoiled(dice: Dice, tensors: Sequence[Quantized]) -> tuple[list[Quantized], str]:
    """The tensors of a network, rarely with extreme numbers, and what was done to them."""
    often = dice.chance(0.17)
    pairs = [spoil(dice, tensor) if often else (tensor, "nothing") for tensor in tensors]
    changes = sorted({how for _, how in pairs} - {"nothing"})
    return [tensor for tensor, _ in pairs], " ".join(changes) or "nothing"


class Model:
    """The attributes of ml.Model that a post-processor may look at, and memory that the next frame overwrites."""

    postprocess: Any = None

    def __init__(self, tensors: Sequence[Quantized], size: tuple[int, int], labels: Any = None, nhwc: bool = True) -> None:
        self.memory = [tensor.values for tensor in tensors]
        self.size = size
        shape = (1, size[1], size[0], 3) if nhwc else (1, 3, size[1], size[0])
        self.input_shape: Any = (shape,)
        self.input_dtype, self.input_scale, self.input_zero_point = ("b",), (1 / 255,), (-128,)
        self.output_shape: Any = tuple([values.shape for values in self.memory])
        self.output_dtype: Any = tuple([CODES[values.dtype.name] for values in self.memory])
        self.output_scale: Any = tuple([tensor.scale or 1.0 for tensor in tensors])
        self.output_zero_point: Any = tuple([tensor.zero_point for tensor in tensors])
        self.labels = labels
        self.len = self.ram = 1000

    def outputs(self) -> list[Any]:
        return [_host.wrap(values) for values in self.memory]

    def overwrite(self) -> None:
        """Write the next frame's numbers to the same memory: all bits are inverted."""
        for values in self.memory:
            if values.size:
                flat = values.reshape(-1).view(np.uint8)
                np.bitwise_xor(flat, 0x5A, out=flat)


def placed(dice: Dice, tensors: Sequence[Quantized]) -> tuple[list[Quantized], bool]:
    """The same numbers, sometimes with another memory layout, and whether they have to be accepted: in order, no gaps."""
    made = []
    fits = True
    for tensor in tensors:
        values, good = np.ascontiguousarray(tensor.values), True
        if values.size > 1 and dice.chance(0.11 / len(tensors)):
            values, good = _elsewhere(dice, values)
        made.append(tensor._replace(values=values))
        fits = fits and good
    return made, fits


def _elsewhere(dice: Dice, values: Array) -> tuple[Array, bool]:
    how = dice.pick(("inside", "gaps", "turned", "backwards", "other"))
    if how == "other":  # an unknown dtype
        return np.nan_to_num(values.astype(np.float64)).clip(0, 60000).astype(np.uint16), False
    if how == "inside":
        memory = np.zeros(values.size + 8, values.dtype)
        memory[4 : 4 + values.size] = values.ravel()
        return memory[4 : 4 + values.size].reshape(values.shape), True
    if how == "gaps":
        memory = np.zeros((*values.shape[:-1], 2 * values.shape[-1]), values.dtype)
        memory[..., ::2] = values
        return memory[..., ::2], values.shape[-1] == 1 and memory[..., ::2].flags.c_contiguous
    if how == "turned":
        turned = np.asfortranarray(values)
        return turned, bool(turned.flags.c_contiguous)
    return values[..., ::-1].copy()[..., ::-1], values.shape[-1] == 1


def handed_over(dice: Dice, model: Model) -> tuple[Any, bool]:
    """The outputs for a post-processor, and whether they are invalid: not a list or tuple of the right length."""
    outputs: Any = model.outputs()
    if not dice.chance(0.02):
        return tuple(outputs) if dice.chance(0.1) else outputs, False
    return dice.pick(
        (outputs[:-1], [*outputs, outputs[0]], None, outputs[0], [None] * len(outputs), [5], "ab", {}, [[1.0]])
    ), True


def tampered(dice: Dice, model: Model, needs_picture: bool = True, needs_scale: bool = True) -> bool:
    """Sometimes change a model's attributes. Returns whether the model then has to be refused."""
    if not dice.chance(0.03):
        return False
    raw = [i for i, values in enumerate(model.memory) if values.dtype != np.float32]
    what = dice.pick(("input", "scale", "zero_point"))
    if what == "input":
        model.input_shape = dice.pick((None, (), ((1, 0, 64, 3),), ((64,),), ((1, 64, 64, 7),), ((1, 70000, 64, 3),)))
        return needs_picture
    if not raw:
        return False
    at = dice.pick(raw)
    if what == "scale":
        hostile: Any = dice.pick((0.0, -0.1, float("nan"), float("inf"), 1e30, 1e-30, None))
        model.output_scale = (*model.output_scale[:at], hostile, *model.output_scale[at + 1 :])
    else:
        hostile = dice.pick((1 << 20, -40000, 0.5, float("nan"), None))
        model.output_zero_point = (*model.output_zero_point[:at], hostile, *model.output_zero_point[at + 1 :])
    if dice.chance(0.2):
        setattr(model, f"output_{what}", None)
    return needs_scale
