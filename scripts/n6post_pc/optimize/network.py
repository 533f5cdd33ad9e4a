"""What the optimizers of .tflite and of .onnx files have in common: their result, and their error."""

from dataclasses import dataclass
from math import prod
from typing import Literal

Task = Literal["detect", "segment", "pose", "obb"]

STRIDE = 32  # the largest stride of most YOLO networks
BOX_LOGITS = 64  # channels of a map of boxes whose four distances are distributions over 16 bins
MOST_LOGIT = 8.0


class CannotOptimize(ValueError):  # noqa: N818 - the name says what it means to the user
    """The file cannot be optimized. The message is one sentence that says why."""


@dataclass(frozen=True)
class Output:
    """An output of a network: `dtype` is numpy's name ("int8"); scale 1.0 and zero point 0 if it has no quantization.

    `integers` are those from which the file itself dequantizes a float output: their type, scale and zero point.
    """

    name: str
    shape: tuple[int, ...]
    dtype: str
    scale: float = 1.0
    zero_point: int = 0
    integers: tuple[str, float, int] | None = None

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)

    @property
    def quantization(self) -> tuple[str, float, int] | None:
        """Type, scale and zero point of the integers behind the values. None: the values are float."""
        return self.integers if self.dtype == "float32" else (self.dtype, self.scale, self.zero_point)

    @property
    def step(self) -> float:
        """The smallest difference between two values; 0.0 if they are float."""
        return self.quantization[1] if self.quantization else 0.0

    @property
    def channels(self) -> int:
        """Number of channels of a map: the maps of an .onnx are planes, and float."""
        return self.shape[1 if self.dtype == "float32" else 3]


@dataclass(frozen=True)
class Optimized:
    """A network with a split head, and what it was before.

    `sources` maps the name of each new output to the name of the tensor of the original file that it equals, bit for bit,
    if the input size is kept (with fewer classes: that tensor's channels of the classes that are kept; with other steps, by
    `rescale`: within half a step of each).
    """

    data: bytes
    task: Task
    input_size: tuple[int, int]  # width, height
    original_size: tuple[int, int]
    class_count: int
    original_class_count: int
    before: list[Output]
    after: list[Output]
    operators_before: int
    operators_after: int
    sources: dict[str, str]


def check_size(size: tuple[int, int], stride: int = STRIDE) -> None:
    """CannotOptimize if a network of this largest stride cannot take an input of this width and height."""
    width, height = size
    if width <= 0 or height <= 0 or width % stride or height % stride:
        raise CannotOptimize(f"the input's width and height must be multiples of {stride}, got {width}x{height}")


def check_classes(classes: list[int], class_count: int) -> None:
    """CannotOptimize if the numbers of the classes to keep are not distinct numbers of classes of the network."""
    if not classes:
        raise CannotOptimize("at least one class must be kept")
    for number in classes:
        if not 0 <= number < class_count:
            raise CannotOptimize(f"the network has the classes 0 to {class_count - 1}, got {number}")
    if len(set(classes)) != len(classes):
        raise CannotOptimize(f"a class was given twice: {', '.join(map(str, classes))}")


def finer_scales(outputs: list[Output]) -> dict[str, tuple[float, int]]:
    """For `rescale`: {name: (scale, zero point)} of the maps of boxes, scores and keypoints with needlessly coarse steps.

    ST's files give the boxes and scores of a stride one scale, which reaches down to a score's logit of -80. No logit below
    -8 matters: it is a score of .0003, or a bin that weighs nothing beside the best one of its side. Scores need none above
    8 (.9997); boxes keep the file's highest. With DFL, which reaches 15 cells from an anchor, the numbers of a keypoint lie
    within -8..8 too: half of its distance in cells, and the logit of its score. The convolution's sums are more exact than
    its output, so finer steps are not invented. Steps that would shrink by less than a quarter stay as they are, and with
    them the map's bits.
    """
    finer = {}
    dfl = any(one.name.startswith("boxes") and one.channels == BOX_LOGITS for one in outputs)
    for one in outputs:
        dtype, old, zero_point = one.quantization or ("", 0.0, 0)
        lowest = {"int8": -128, "uint8": 0}.get(dtype)
        role = one.name.partition("_")[0]
        if lowest is None or not (role == "scores" or (role in ("boxes", "keypoints") and dfl)):
            continue
        low = max(-MOST_LOGIT, old * (lowest - zero_point))
        high = old * (lowest + 255 - zero_point) if role == "boxes" else MOST_LOGIT
        scale = (high - low) / 255
        if low < 0 < high and scale <= 0.75 * old:
            finer[one.name] = (scale, round(lowest - low / scale))
    return finer
