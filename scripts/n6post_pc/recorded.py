"""The recorded outputs of real networks, for the demo and the tests.

`load("yolov8n_seg_320", "astronaut")` is what the model put out for that photograph: int8 or float32 numpy arrays with
the scale and zero point of each, the model's input size and how the photograph was fitted into it. In a checkout
data/README.md describes how they were made.
"""

from __future__ import annotations

import functools
import io
import json
import lzma
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import paths

Array = NDArray[Any]

STREET_SIZE = (480, 360)

_CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "float32": "f"}


class Tensor(NamedTuple):
    """An output as numpy has it, with the quantisation that its model tells (scale 0: none)."""

    values: Array
    scale: float = 0.0
    zero_point: int = 0

    def quantisation(self) -> dict[str, Any]:
        """As reference.py's functions want it."""
        return {"scale": self.scale, "zero_point": self.zero_point} if self.scale else {"scale": None}

    def dequantised(self) -> Tensor:
        if not self.scale:
            return self
        raw = self.values.astype(np.int64) - self.zero_point
        return Tensor((raw * np.float32(self.scale)).astype(np.float32))

    def as_uint8(self) -> Tensor:
        """The same numbers one storage type further: q + 128 about zero_point + 128."""
        shifted = (self.values.astype(np.int16) + 128).astype(np.uint8)
        return Tensor(shifted, self.scale, self.zero_point + 128)

    def as_int16(self, factor: int = 1, offset: int = 0) -> Tensor:
        """The same numbers as int16; with a power of two as factor every product stays exact."""
        values = (self.values.astype(np.int32) * factor + offset).astype(np.int16)
        return Tensor(values, self.scale / factor, self.zero_point * factor + offset)

    def reordered(self, *axes: int) -> Tensor:
        return self._replace(values=np.ascontiguousarray(self.values.transpose(axes)))


class RecordedModel:
    """The attributes of OpenMV's ml.Model that a post-processor may look at, where only outputs are left."""

    def __init__(
        self,
        tensors: Sequence[Tensor],
        size: tuple[int, int],
        labels: list[str] | None = None,
        output_dtype: Sequence[str] | None = None,
    ) -> None:
        self.tensors = list(tensors)
        self.size = size  # (width, height)
        self.input_shape = ((1, size[1], size[0], 3),)
        self.input_dtype = ("b",)
        self.input_scale = (1 / 255,)
        self.input_zero_point = (-128,)
        self.output_shape = tuple(t.values.shape for t in tensors)
        self.output_dtype = tuple(output_dtype or [_CODES[t.values.dtype.name] for t in tensors])
        self.output_scale = tuple(float(t.scale) for t in tensors)
        self.output_zero_point = tuple(int(t.zero_point) for t in tensors)
        self.labels = labels
        self.len = 1000
        self.ram = 1000
        self.postprocess = None

    def input(self) -> Any:
        """An ndarray such as a script may pass to predict: it has no roi, so the frame is the model input."""
        from ulab import _host

        return _host.wrap(np.zeros(self.input_shape[0], dtype=np.uint8))

    def outputs(self) -> list[Any]:
        """ulab views of the tensors, as the firmware hands them to a post-processor: writing to them shows."""
        from ulab import _host

        return [_host.wrap(t.values) for t in self.tensors]

    def run(self, processor: Any, source: Any = None) -> Any:
        """What predict would return with this post-processor, for a given input (default: an ndarray)."""
        return processor(self, [self.input() if source is None else source], self.outputs())


class Recording(NamedTuple):
    model_name: str
    picture: str  # the photograph's name without extension, as skimage.data has it
    photograph: str  # its file in skimage/data
    fit: str  # "stretch" or "letterbox"
    processor: str  # the name of the post-processor in n6post
    labels: list[str] | None
    size: tuple[int, int]  # of the model input: width, height
    tensors: list[Tensor]  # int8, whatever type the model handed out
    floats: list[bool]  # which outputs the model itself hands out dequantised

    def model(self, raw: bool = False) -> RecordedModel:
        """A model that puts these outputs out, in the model's own types or (raw) all of them as int8."""
        tensors = [t.dequantised() if is_float and not raw else t for t, is_float in zip(self.tensors, self.floats)]
        return RecordedModel(tensors, self.size, self.labels)


@functools.cache
def index() -> dict[str, dict[str, Any]]:
    """Of each model: its family, labels, input size, outputs and pictures."""
    entries: dict[str, dict[str, Any]] = json.loads((paths.RECORDED / "index.json").read_text())
    return entries


def names() -> list[tuple[str, str]]:
    """Every (model name, picture) there is."""
    return [(model, picture) for model, entry in index().items() for picture in entry["pictures"]]


def load(model_name: str, picture: str) -> Recording:
    entry = index()[model_name]
    tensors = []
    with lzma.open(paths.RECORDED / f"{model_name}__{picture}.xz") as file:
        for output in entry["outputs"]:
            values = np.load(file).transpose(np.argsort(output["stored_axes"]))
            assert list(values.shape) == output["shape"]
            tensors.append(Tensor(np.ascontiguousarray(values), output["scale"], output["zero_point"]))
    return Recording(
        model_name,
        picture,
        entry["pictures"][picture]["photograph"],
        entry["pictures"][picture]["fit"],
        entry["processor"],
        entry["labels"],
        tuple(entry["input_size"]),
        tensors,
        [output["float"] for output in entry["outputs"]],
    )


def street(overlap: float | None = 0.7) -> list[list[Any]]:
    """The detections of YOLOv8n-seg in each of 300 frames of a street (480 x 360, 10 per second), with masks.

    overlap     drop a detection if more than this fraction of its mask lies inside the mask of a better one of its class:
                it is a second box of one object. None: return all detections with a score of at least .1
    """
    from n6post.results.detection import detection_from
    from n6post.results.mask import Mask, MaskTransform
    from n6post.tensors.label_sets import class_name

    with lzma.open(paths.STREET) as file:
        stored = dict(np.load(io.BytesIO(file.read())))
    source = STREET_SIZE, 0.3  # frame size and keypoint threshold, as processors pass them
    transform = MaskTransform(*stored["grid"].tolist(), (0, 0, *STREET_SIZE), frame_size=STREET_SIZE)
    bits = np.unpackbits(stored["mask"])
    frames: list[list[Any]] = [[] for _ in range(int(stored["frame"][-1]) + 1)]
    masks: list[tuple[int, Any]] = []  # of this frame: class, the whole plane
    at, now = 0, -1
    for frame, rect, score, class_id, crop in zip(*(stored[n] for n in ("frame", "rect", "score", "class_id", "crop"))):
        x, y, w, h = crop.tolist()
        inside = bits[at : at + w * h].reshape(h, w).astype(bool)
        at += w * h
        if frame != now:
            masks, now = [], frame
        if overlap is not None:
            same = [plane[y : y + h, x : x + w] for other, plane in masks if other == class_id]
            if any((inside & plane).sum() > overlap * inside.sum() for plane in same):
                continue
            plane = np.zeros((80, 80), bool)
            plane[y : y + h, x : x + w] = inside
            masks.append((int(class_id), plane))
        data = bytes(np.where(inside, 255, 0).astype(np.uint8))
        mask = Mask(data, (x, y, w, h), (x, y, w, h), tuple(rect.tolist()), transform)
        label = class_name(int(class_id), 80)
        fields = tuple(rect.tolist()), float(score), int(class_id), label, mask, None
        frames[frame].append(detection_from(fields, source))
    return frames
