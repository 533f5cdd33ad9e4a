"""The recorded outputs of real networks, for the demo and the tests.

`load("yolov8n_seg_320", "astronaut")` returns the outputs of this model for this photograph: int8 or float32 numpy arrays
with their scales and zero points, the model's input size, and how the photograph was fitted into it. In a checkout,
data/README.md describes how they were recorded.
"""

from __future__ import annotations

import functools
import io
import json
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageSequence

from .. import paths

Array = NDArray[Any]

STREET_SIZE = (480, 360)
YARD_SIZE = (800, 450)

_CODES = {"int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "float32": "f"}


class Tensor(NamedTuple):
    """An output as a numpy array, with the quantization of its model (scale 0: none)."""

    values: Array
    scale: float = 0.0
    zero_point: int = 0

    def quantization(self) -> dict[str, Any]:
        """The keyword arguments for the functions of reference.py."""
        return {"scale": self.scale, "zero_point": self.zero_point} if self.scale else {"scale": None}

    def dequantized(self) -> Tensor:
        if not self.scale:
            return self
        raw = self.values.astype(np.int64) - self.zero_point
        return Tensor((raw * np.float32(self.scale)).astype(np.float32))

    def as_uint8(self) -> Tensor:
        """The same values stored as uint8: q + 128, with zero_point + 128."""
        shifted = (self.values.astype(np.int16) + 128).astype(np.uint8)
        return Tensor(shifted, self.scale, self.zero_point + 128)

    def as_int16(self, factor: int = 1, offset: int = 0) -> Tensor:
        """The same values stored as int16. They stay exact if the factor is a power of two."""
        values = (self.values.astype(np.int32) * factor + offset).astype(np.int16)
        return Tensor(values, self.scale / factor, self.zero_point * factor + offset)

    def reordered(self, *axes: int) -> Tensor:
        return self._replace(values=np.ascontiguousarray(self.values.transpose(axes)))


class FakeModel:
    """A stand-in for OpenMV's ml.Model: fixed outputs, and the attributes that post-processors read."""

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
        """An ndarray as a script may pass to predict. It has no roi, so the frame is the model input."""
        from ulab import _host

        return _host.wrap(np.zeros(self.input_shape[0], dtype=np.uint8))

    def outputs(self) -> list[Any]:
        """ulab views of the tensors, as the firmware passes them to a post-processor. Writing to them changes the data."""
        from ulab import _host

        return [_host.wrap(t.values) for t in self.tensors]

    def run(self, processor: Any, source: Any = None) -> Any:
        """The result of predict with this post-processor, for a given input (default: an ndarray)."""
        return processor(self, [self.input() if source is None else source], self.outputs())


class Recording(NamedTuple):
    model_name: str
    picture: str  # the photograph's name in skimage.data
    photograph: str  # its file in skimage/data
    fit: str  # "stretch" or "letterbox"
    processor: str  # the name of the post-processor in n6post
    labels: list[str] | None
    size: tuple[int, int]  # of the model input: width, height
    tensors: list[Tensor]  # int8, also for outputs that are float in the model
    floats: list[bool]  # whether each output is float in the model

    def model(self, raw: bool = False) -> FakeModel:
        """A model that returns these outputs, in the types of the real model, or with `raw` all as int8."""
        tensors = [t.dequantized() if is_float and not raw else t for t, is_float in zip(self.tensors, self.floats)]
        return FakeModel(tensors, self.size, self.labels)


@functools.cache
def index() -> dict[str, dict[str, Any]]:
    """{model name: its family, labels, input size, outputs and pictures}."""
    entries: dict[str, dict[str, Any]] = json.loads((paths.RECORDED / "index.json").read_text(encoding="utf-8"))
    return entries


def names() -> list[tuple[str, str]]:
    """(model name, picture) of all recordings."""
    return [(model, picture) for model, entry in index().items() for picture in entry["pictures"]]


@functools.cache
def arrays(path: Path) -> dict[str, Array]:
    """The arrays of an .npz in an .xz stream."""
    with lzma.open(path) as file:
        return dict(np.load(io.BytesIO(file.read())))


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

    overlap     drop a detection if more than this fraction of its mask lies inside the mask of a better one of its class,
                because it is a second box of the same object. None returns all detections with a score of at least .1
    """
    frames: list[list[Any]] = []
    masks: list[tuple[int, Any]] = []  # (class, mask of the whole frame) of this frame
    for frame, _, detection, plane in _stored(paths.STREET):
        while len(frames) <= frame:
            frames.append([])
            masks = []
        if overlap is not None:
            same = [other for class_id, other in masks if class_id == detection.class_id]
            if any((plane & other).sum() > overlap * plane.sum() for other in same):
                continue
            masks.append((detection.class_id, plane))
        frames[frame].append(detection)
    return frames


def yard() -> Iterator[tuple[Image.Image, list[Any]]]:
    """(picture, detections with masks) of each of 100 frames of a rendered yard (800 x 450, 10 per second).

    The detections are those of an int8 YOLOv8n-seg, of the class person and with a score of at least .1.
    """
    found: list[list[Any]] = [[] for _ in range(100)]
    for frame, _, detection, _ in _stored(paths.YARD, YARD_SIZE):
        found[frame].append(detection)
    with Image.open(paths.YARD.with_suffix(".webp")) as pictures:
        for picture, detections in zip(ImageSequence.Iterator(pictures), found):
            yield picture.convert("RGB"), detections


def street_heads() -> tuple[list[Any], list[Any], list[Any]]:
    """The detections in one frame of that street, second boxes included: of the int8 file as published, of the same file
    optimized, and of its weights in float.
    """
    heads: tuple[list[Any], list[Any], list[Any]] = [], [], []
    for _, kind, detection, _ in _stored(paths.STREET_HEADS):
        heads[kind].append(detection)
    return heads


def _stored(path: Path, size: tuple[int, int] = STREET_SIZE) -> Iterator[tuple[int, int, Any, Array]]:
    """(frame, kind of head, detection, mask of the whole frame in mask pixels) of each stored detection."""
    from n6post.results.detection import detection_from
    from n6post.results.mask import Mask, MaskTransform
    from n6post.tensors.label_sets import class_name

    stored = arrays(path)
    stored = {"kind": np.zeros_like(stored["frame"]), **stored}
    source = size, 0.3  # frame size and keypoint threshold, as processors pass them
    transform = MaskTransform(*stored["grid"].tolist(), (0, 0, *size), frame_size=size)
    bits = np.unpackbits(stored["mask"])
    at = 0
    for frame, kind, rect, score, class_id, crop in zip(
        *(stored[name] for name in ("frame", "kind", "rect", "score", "class_id", "crop"))
    ):
        x, y, w, h = crop.tolist()
        inside = bits[at : at + w * h].reshape(h, w).astype(bool)
        at += w * h
        plane = np.zeros((80, 80), bool)
        plane[y : y + h, x : x + w] = inside
        data = bytes(np.where(inside, 255, 0).astype(np.uint8))
        mask = Mask(data, (x, y, w, h), (x, y, w, h), tuple(rect.tolist()), transform)
        fields = tuple(rect.tolist()), float(score), int(class_id), class_name(int(class_id), 80), mask, None
        yield int(frame), int(kind), detection_from(fields, source), plane
