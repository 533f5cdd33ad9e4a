"""The recorded outputs in data/recorded, for tests and scripts/demo.py.

`load("yolov8n_seg_320", "astronaut")` is what the model put out for that photograph: int8 or float32 numpy arrays with
the scale and zero point of each, the model's input size and how the photograph was fitted into it. data/README.md says
how they were made.
"""

import io
import json
import lzma
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from fakes import FakeModel, Tensor

FOLDER = Path(__file__).parent / "data" / "recorded"
INDEX: dict[str, dict[str, Any]] = json.loads((FOLDER / "index.json").read_text())


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

    def model(self, raw: bool = False) -> FakeModel:
        """A model that puts these outputs out, in the model's own types or (raw) all of them as int8."""
        tensors = [t.dequantised() if is_float and not raw else t for t, is_float in zip(self.tensors, self.floats)]
        return FakeModel(tensors, self.size, self.labels)


def names() -> list[tuple[str, str]]:
    """Every (model name, picture) there is."""
    return [(model, picture) for model, entry in INDEX.items() for picture in entry["pictures"]]


def load(model_name: str, picture: str) -> Recording:
    entry = INDEX[model_name]
    tensors = []
    with lzma.open(FOLDER / f"{model_name}__{picture}.xz") as file:
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
    """What YOLOv8n-seg finds in each of 300 frames of a street (480 x 360, 10 a second), as lists of Detection with masks.

    overlap     a detection of whose mask more than this part lies inside a better one's of its class is left out: it is a
                second box of one object. None: all are there, from a score of .1 up
    """
    import n6post
    from n6post.labels import class_name
    from n6post.mask import Grid, Mask

    with lzma.open(FOLDER.parent / "street.xz") as file:
        stored = dict(np.load(io.BytesIO(file.read())))
    grid = Grid(*stored["grid"].tolist(), (0, 0, 480, 360))
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
        mask = Mask(bytes(np.where(inside, 255, 0).astype(np.uint8)), (x, y, w, h), (x, y, w, h), tuple(rect.tolist()), grid)
        label = class_name(int(class_id), 80)
        frames[frame].append(n6post.Detection(tuple(rect.tolist()), float(score), int(class_id), label, mask, None))
    return frames
