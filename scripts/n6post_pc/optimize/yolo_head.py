"""Find the head of a YOLO network: its last convolutions, and what each of them computes.

What a convolution computes is read from what the file does with each of its channels: a softmax over 16 of them belongs to
a box, a sigmoid makes a score. To see that, the numbers of the channels are sent through the operators that only move
numbers (TRANSPOSE, CONCATENATION ...) to the first operator that computes something. Angles are what a sine and a cosine are
computed from, also behind a sigmoid.
"""

from collections import defaultdict
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from .network import CannotOptimize, Task

Array = np.ndarray[Any, Any]
Role = Literal["boxes", "scores", "coefficients", "keypoints", "angles"]

ROLES: tuple[Role, ...] = ("boxes", "scores", "coefficients", "keypoints", "angles")
TASKS: dict[Role, Task] = {"coefficients": "segment", "keypoints": "pose", "angles": "obb"}
STRIDES = {(8, 16, 32), (4, 8, 16, 32), (8, 16, 32, 64), (16, 32)}
BINS = 16  # of the distribution of a distance
SIDES = 4  # of a box: left, top, right, bottom
KEYPOINT = 3  # x, y, score

# Operators by TensorFlow Lite's names, in files of every format.
QUANTIZERS = {"QUANTIZE", "DEQUANTIZE"}
MOVES = QUANTIZERS | {
    "TRANSPOSE", "RESHAPE", "SQUEEZE", "EXPAND_DIMS", "CONCATENATION", "STRIDED_SLICE", "SLICE", "SPLIT", "SPLIT_V", "PACK",
    "UNPACK", "GATHER",
}  # fmt: skip
ARITHMETIC = {"ADD", "SUB", "MUL", "DIV"}
ORIENTED = {"COS", "SIN"}  # of the angles of oriented boxes
DECODING = MOVES | ARITHMETIC | ORIENTED | {"SOFTMAX", "LOGISTIC"}
CONVOLUTIONS = {"CONV_2D", "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV", "FULLY_CONNECTED"}
END_TO_END = {
    "TOPK_V2", "NON_MAX_SUPPRESSION_V4", "NON_MAX_SUPPRESSION_V5", "TFLite_Detection_PostProcess",
    "TopK", "NonMaxSuppression",
}  # fmt: skip

NO_YOLO = "not a YOLOv8, YOLO11 or YOLO26 network"


class NetworkFile(Protocol):
    """A network as `find_head` reads it. Operators and tensors are numbers; operators are in the order in which they run."""

    names: list[str]  # of the operators: TensorFlow Lite's
    maker: dict[int, int]  # tensor: the operator that computes it
    channel_axis: int  # of a map

    @property
    def input_tensors(self) -> list[int]: ...
    @property
    def output_tensors(self) -> list[int]: ...
    def inputs(self, operator: int) -> list[int]: ...
    def outputs(self, operator: int) -> list[int]: ...
    def shape(self, tensor: int) -> tuple[int, ...]: ...
    def is_constant(self, tensor: int) -> bool: ...
    def computes_in_float(self, operator: int) -> bool: ...
    def softmax_axis(self, operator: int) -> int: ...
    def moved(self, operator: int, known: dict[int, Array]) -> list[Array]:
        """What an operator that only moves numbers makes of them: `known` has its inputs that are not constant."""


class Map(NamedTuple):
    """The output of one of the head's convolutions."""

    role: Role
    stride: int
    channels: int
    operator: int
    tensor: int

    @property
    def name(self) -> str:
        return f"{self.role}_{self.stride}"


@dataclass(frozen=True)
class Head:
    task: Task
    maps: list[Map]  # by stride, in the order of ROLES
    prototypes: int | None  # their tensor
    class_count: int
    input_size: tuple[int, int]  # width, height

    def outputs(self) -> dict[str, int]:
        """The outputs of the split head: {name: tensor}."""
        named = {one.name: one.tensor for one in self.maps}
        return named if self.prototypes is None else {**named, "prototypes": self.prototypes}


def find_head(file: NetworkFile) -> Head:
    """Find the head's maps. CannotOptimize if the network has none, or ends in them already."""
    size = _input_size(file)
    decoded, prototypes = _sort_outputs(file)
    convolutions, decoding = _walk_back(file, decoded)
    uses = _uses(file, convolutions, decoding)
    turned = [tensor for one in decoding if file.names[one] in ORIENTED for tensor in file.inputs(one)]
    angles, _ = _walk_back(file, turned)
    maps = []
    for convolution in convolutions:
        tensor = file.outputs(convolution)[0]
        height, width, channels = map_shape(file, tensor)
        stride = size[1] // height
        if (width * stride, height * stride) != size:
            raise CannotOptimize(f"{NO_YOLO}: a map of {width}x{height} does not divide an input of {size[0]}x{size[1]}")
        role: Role = "angles" if convolution in angles else _role(uses[convolution], channels)
        maps.append(Map(role, stride, channels, convolution, tensor))
    maps.sort(key=lambda one: (one.stride, ROLES.index(one.role)))
    return _checked(file, maps, prototypes, size)


def is_nchw(file: NetworkFile) -> bool:
    """Whether the input is planes, [1, 3, height, width]."""
    shape = file.shape(file.input_tensors[0])
    return shape[3] not in (1, 3) and shape[1] in (1, 3)


def _input_size(file: NetworkFile) -> tuple[int, int]:
    if len(file.input_tensors) != 1:
        raise CannotOptimize(f"{NO_YOLO}: it has {len(file.input_tensors)} inputs")
    shape = file.shape(file.input_tensors[0])
    if len(shape) != 4 or shape[0] != 1:
        raise CannotOptimize(f"{NO_YOLO}: its input is {list(shape)}, not one picture")
    height, width = shape[2:] if is_nchw(file) else shape[1:3]
    return width, height


def map_shape(file: NetworkFile, tensor: int) -> tuple[int, int, int]:
    """Height, width and channels of a map."""
    shape = list(file.shape(tensor))
    channels = shape.pop(file.channel_axis)
    return shape[1], shape[2], channels


# --- the cut ---
def _sort_outputs(file: NetworkFile) -> tuple[list[int], int | None]:
    """The decoded outputs, and the tensor of the prototypes."""
    found = END_TO_END.intersection(file.names)
    if found:
        raise CannotOptimize(f"an end-to-end network ({min(found)} inside): export it without NMS and with end2end=False")
    maps: list[int] = []
    decoded: list[int] = []
    for output in file.output_tensors:
        tensor = above(file, output, QUANTIZERS | {"TRANSPOSE"})
        computed = file.names[file.maker[tensor]] if tensor in file.maker else None
        is_map = len(file.shape(tensor)) == 4 and computed is not None and computed not in MOVES
        (maps if is_map else decoded).append(tensor if is_map else output)
    if len(maps) > 1:
        raise CannotOptimize(_why_maps(file, maps))
    return decoded, maps[0] if maps else None


def _why_maps(file: NetworkFile, maps: list[int]) -> str:
    """Why a network with several maps as outputs cannot be optimized."""
    channels: dict[int, list[int]] = defaultdict(list)  # by height
    for tensor in maps:
        height, _, count = map_shape(file, tensor)
        channels[height].append(count)
    boxes = [True for counts in channels.values() if {SIDES * BINS, SIDES}.intersection(counts) and len(counts) > 1]
    if len(boxes) > 1:
        return "optimized already: boxes and scores are outputs of their own. Optimize the original file"
    return f"{NO_YOLO}: its outputs are {len(maps)} maps"


def above(file: NetworkFile, tensor: int, operators: set[str]) -> int:
    """The tensor above a chain of these operators."""
    while tensor in file.maker and file.names[file.maker[tensor]] in operators:
        tensor = file.inputs(file.maker[tensor])[0]
    return tensor


def _walk_back(file: NetworkFile, outputs: list[int]) -> tuple[list[int], list[int]]:
    """The convolutions above the decoding, and the operators of the decoding, in the order in which they run."""
    convolutions, decoding = set(), set()
    reached = list(outputs)
    while reached:
        operator = file.maker.get(reached.pop())
        if operator is None or operator in decoding:
            continue
        name = file.names[operator]
        if name in CONVOLUTIONS and not _is_expectation(file, operator):
            convolutions.add(operator)
        elif name in DECODING or name in CONVOLUTIONS:
            decoding.add(operator)
            reached += file.inputs(operator)
        elif name == "Shape":
            raise CannotOptimize("its head computes shapes while it runs: export it with simplify=True")
        else:
            raise CannotOptimize(f"{NO_YOLO}: {name} stands behind its last convolutions")
    for operator in convolutions:
        shape = file.shape(file.outputs(operator)[0])
        if file.computes_in_float(operator):
            raise CannotOptimize("a network that computes in float: export it fully quantized, with int8 activations")
        if file.names[operator] != "CONV_2D" or len(shape) != 4:
            raise CannotOptimize(f"{NO_YOLO}: it ends in {file.names[operator]} of {list(shape)}")
    return sorted(convolutions), sorted(decoding)


def _is_expectation(file: NetworkFile, operator: int) -> bool:
    """Whether a convolution computes the mean of a distribution (DFL): it follows a softmax."""
    tensor = above(file, file.inputs(operator)[0], MOVES - {"CONCATENATION", "PACK"})
    return tensor in file.maker and file.names[file.maker[tensor]] == "SOFTMAX"


# --- what each channel is used for ---
Uses = dict[int, set[str]]  # channel: the operators that compute with it


def _uses(file: NetworkFile, convolutions: list[int], decoding: list[int]) -> dict[int, Uses]:
    """For each convolution: which operators first compute something from each of its channels."""
    uses: dict[int, Uses] = {}
    origin: dict[int, Array] = {}  # tensor: where each of its numbers comes from, as (index of the convolution, channel)
    for at, convolution in enumerate(convolutions):
        tensor = file.outputs(convolution)[0]
        height, width, channels = map_shape(file, tensor)
        numbers = np.broadcast_to(np.arange(channels) + (at << 16), (1, height, width, channels))
        origin[tensor] = np.moveaxis(numbers, 3, file.channel_axis)
        uses[convolution] = {channel: set() for channel in range(channels)}
    for operator in decoding:
        name = file.names[operator]
        known = {tensor: origin[tensor] for tensor in file.inputs(operator) if tensor in origin}
        if name in MOVES:
            # Otherwise something is decoded already.
            if known and all(tensor in known or file.is_constant(tensor) for tensor in file.inputs(operator)):
                origin.update(zip(file.outputs(operator), file.moved(operator, known), strict=True))
            continue
        for numbers in known.values():
            if name == "SOFTMAX":
                _check_distributions(np.moveaxis(numbers, file.softmax_axis(operator), -1))
            for number in np.unique(numbers).tolist():
                uses[convolutions[number >> 16]][number & 0xFFFF].add(name)
    return uses


def _check_distributions(numbers: Array) -> None:
    """A softmax must run over the 16 channels of each side of a box."""
    rows = numbers.reshape(-1, numbers.shape[-1]) & 0xFFFF
    if rows.shape[1] != BINS or (rows[:, :1] % BINS).any() or (np.diff(rows, axis=1) != 1).any():
        raise CannotOptimize(f"{NO_YOLO}: its softmax does not run over {BINS} successive channels of a box")


def _role(uses: Uses, channels: int) -> Role:
    """What a convolution computes."""
    used = [uses[channel] for channel in range(channels)]
    if all(one == {"SOFTMAX"} for one in used) and channels == SIDES * BINS:
        return "boxes"
    if all(one == {"LOGISTIC"} for one in used):
        return "scores"
    if not any(used):
        return "coefficients"
    if all(one and one <= ARITHMETIC for one in used) and channels == SIDES:
        return "boxes"
    points = [one <= ARITHMETIC and one if axis % KEYPOINT < 2 else one == {"LOGISTIC"} for axis, one in enumerate(used)]
    if channels % KEYPOINT == 0 and all(points):
        return "keypoints"
    names = sorted(set().union(*used))
    raise CannotOptimize(f"{NO_YOLO}: {channels} channels go to {' and '.join(names)}, which is no box, score or keypoint")


# --- the whole ---
def _checked(file: NetworkFile, maps: list[Map], prototypes: int | None, size: tuple[int, int]) -> Head:
    """The head, if its maps fit each other."""
    channels: dict[Role, dict[int, int]] = defaultdict(dict)  # of each role, by stride
    for one in maps:
        channels[one.role][one.stride] = one.channels
    if "boxes" not in channels or "scores" not in channels:
        raise CannotOptimize(f"{NO_YOLO}: it does not decode boxes and scores")
    strides = tuple(sorted(channels["boxes"]))
    if strides not in STRIDES or len(maps) != len(channels) * len(strides):
        found = ", ".join(f"{one.role} {one.stride}" for one in maps)
        raise CannotOptimize(f"{NO_YOLO}: it has maps of {found} (strides)")
    for role, counts in channels.items():
        if tuple(sorted(counts)) != strides or len(set(counts.values())) != 1:
            raise CannotOptimize(f"{NO_YOLO}: the maps of {role} have {counts} channels (by stride)")
    masks = set(channels.get("coefficients", {}).values())
    if masks != ({map_shape(file, prototypes)[2]} if prototypes is not None else set()):
        raise CannotOptimize(f"{NO_YOLO}: its mask coefficients and prototypes do not fit each other")
    extra = sorted(channels.keys() - {"boxes", "scores"})
    if len(extra) > 1:
        raise CannotOptimize(f"{NO_YOLO}: it has both {' and '.join(extra)}")
    task = TASKS[extra[0]] if extra else "detect"
    return Head(task, maps, prototypes, channels["scores"][strides[0]], size)
