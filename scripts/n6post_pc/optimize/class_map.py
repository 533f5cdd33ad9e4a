"""Let a network of class maps (DeepLab) put out a smaller map, which n6post enlarges when it is drawn or asked.

Such networks end in a bilinear resize of a small map of logits to the size of the input. It runs on the CPU: on the N6 by
ST's reports, on the AE3 because Vela leaves factors above 2 there. From 20 x 20 to 320 x 320 of two classes, it takes 19.7
million instructions of an emulated Cortex-M55 (OpenMV 5.0), and n6post's DeepLab then 0.05 million. The new file enlarges by
ENLARGED only, which takes 1.2 million. Pixels at the edges of objects can get another class.
"""

from pathlib import Path
from typing import Any

import numpy as np

from ..command import UserError
from ..models.compare import Comparison
from ..models.pictures import Picture
from ..models.run import Network
from . import proof
from .network import CannotOptimize
from .tflite_file import TfliteFile
from .yolo_head import QUANTIZERS, above, map_shape

Array = np.ndarray[Any, Any]

FAMILY = "DeepLab"
ENLARGED = 4
ALIKE = 0.95  # of the pixels must keep their class
BEHIND = QUANTIZERS | {"SOFTMAX", "LOGISTIC", "ARG_MAX", "ArgMax", "TRANSPOSE"}  # the resize


class _Resize:
    """The last resize of a file: its operator, and the tensors before and behind it. CannotOptimize if it stays as it is."""

    def __init__(self, data: bytes, suffix: str) -> None:
        if suffix == ".onnx":
            from .onnx_file import OnnxFile

            self.file: Any = OnnxFile(data)
        else:
            self.file = TfliteFile(data)
        file = self.file
        if len(file.output_tensors) != 1:
            raise CannotOptimize("expected one output")
        behind = above(file, file.output_tensors[0], BEHIND)
        self.operator = file.maker.get(behind, -1)
        if self.operator < 0 or not _is_half_pixel(file, self.operator):
            raise CannotOptimize("no bilinear resize at the end")
        before = file.inputs(self.operator)[0]
        self.small, self.large = map_shape(file, before), map_shape(file, behind)
        self.before, self.behind = file.name(before), file.name(behind)
        self.factor = self.large[0] // self.small[0]
        if self.large != (self.small[0] * self.factor, self.small[1] * self.factor, self.small[2]):
            raise CannotOptimize("a resize by different factors")


def _is_half_pixel(file: Any, operator: int) -> Any:
    """Whether an operator is a bilinear resize in which pixels lie at the middle of their squares."""
    if file.names[operator] == "RESIZE_BILINEAR":
        options = file.options(operator)
        return options is not None and options.halfPixelCenters
    if file.names[operator] != "Resize" or len(file.nodes[operator].input) < 3:
        return False
    from .onnx_file import attribute

    node = file.nodes[operator]
    mode = attribute(node, "mode", b"nearest"), attribute(node, "coordinate_transformation_mode", b"half_pixel")
    return mode in ((b"linear", b"half_pixel"), (b"linear", b"pytorch_half_pixel"))


def changed(path: Path, data: bytes) -> bytes | None:
    """The file with a smaller map. None if it has no map of several classes, or enlarges it no more than ENLARGED."""
    try:
        if Network(path, None, {}).family != FAMILY:
            return None
        found = _Resize(data, path.suffix.lower())
    except (UserError, CannotOptimize):
        return None
    if found.factor <= ENLARGED or found.small[2] == 1:  # one channel could be distances
        return None
    height, width = (ENLARGED * side for side in found.small[:2])
    file = found.file
    if path.suffix.lower() == ".onnx":
        node = file.nodes[found.operator]
        scales = file.add_constant("scales_of_the_map", np.float32([1, 1, ENLARGED, ENLARGED]))
        node.input[:] = [*node.input[:2], scales]
        return bytes(file.data())
    file.replace_constant(found.operator, 1, np.int32([height, width]))
    (tensor,) = file.output_tensors
    while tensor in file.maker and file.maker[tensor] >= found.operator:
        one = file.graph.tensors[tensor]
        if tuple(one.shape[1:3]) != found.large[:2]:  # it was turned
            return None
        one.shape, one.shapeSignature = [one.shape[0], height, width, *one.shape[3:]], None
        tensor = file.inputs(file.maker[tensor])[0]
    return bytes(file.data())


class Evidence:
    """What two files say about the same pictures: the same small map, enlarged otherwise."""

    complete = True

    def __init__(self, before: Path, after: Path) -> None:
        suffix = after.suffix
        self._resizes = [_Resize(path.read_bytes(), suffix) for path in (before, after)]
        self._runners = [
            proof.runner(path.read_bytes(), suffix, [one.before, one.behind])
            for path, one in zip((before, after), self._resizes, strict=True)
        ]
        self._networks = [Network(path, FAMILY, {}) for path in (before, after)]
        self._comparison = Comparison()

    def add(self, picture: Picture) -> None:
        """FailedProofError if the new file computes something else than the original's small map, enlarged."""
        old, new = self._resizes
        values = proof.filled(self._runners[0], proof.fitted(picture, self._networks[0].size))
        theirs, ours = (runner.run(values) for runner in self._runners)
        if not np.array_equal(theirs[old.before], ours[new.before]):
            raise proof.FailedProofError(f"the map before its enlargement differs in {picture.short_name}")
        small = np.moveaxis(ours[new.before][0], new.file.channel_axis - 1, -1).astype(np.float64)
        found = np.moveaxis(ours[new.behind][0], new.file.channel_axis - 1, -1)
        # Integers are rounded, a float resize is exact to float32.
        allowed = 1 if found.dtype.kind in "iu" else 1e-5 * np.abs(small).max()
        if np.abs(enlarged(small, ENLARGED) - found).max() > allowed:
            raise proof.FailedProofError(f"the enlarged map is not what plain numpy makes of it in {picture.short_name}")
        results = [network.see(picture, "letterbox") for network in self._networks]
        self._comparison.add(picture.short_name, picture.size, results[0], results[1])

    def finish(self) -> list[tuple[str, str]]:
        """What was proven. FailedProofError if too many pixels have another class."""
        figures = self._comparison.summary()
        if figures["pixels_alike"] < ALIKE:
            alike = f"{figures['pixels_alike']:.1%} of the pixels have the same class"
            raise proof.FailedProofError(f"{alike}, and {ALIKE:.0%} are needed")
        ious = ", ".join(f"{name} {iou:.2f}" for name, iou in figures["iou"].items())
        return [
            ("map", "equal in every bit before it is enlarged; then as plain numpy enlarges it"),
            ("pixels", f"{figures['pixels_alike']:.1%} have the same class; IoU of {ious}"),
        ]

    def rows(self) -> list[tuple[str, str, str]]:
        """Rows of the report: what is compared, before, after."""
        return [("class map", *(f"{one.large[1]} x {one.large[0]}" for one in self._resizes))]  # type: ignore[list-item]


def enlarged(values: Array, factor: int) -> Array:
    """A map [height, width, channels], enlarged bilinearly; pixels lie at the middle of their squares."""
    for axis in (0, 1):
        length = values.shape[axis]
        at = np.clip((np.arange(length * factor) + 0.5) / factor - 0.5, 0, length - 1)
        low = np.minimum(at.astype(int), length - 2) if length > 1 else np.zeros(len(at), int)
        share = (at - low).reshape([-1 if one == axis else 1 for one in range(3)])
        values = values.take(low, axis) * (1 - share) + values.take(np.minimum(low + 1, length - 1), axis) * share
    return values
