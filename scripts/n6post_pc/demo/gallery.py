"""Pictures of further families: faces with BlazeFace, YuNet and the face mesh, persons, oriented boxes, depth.

data/gallery.npz.xz holds the outputs of their networks; record_demo.py made it. Each picture of PICTURES is a
strip of several results, which n6post makes of these outputs as it does on a camera.
"""

from __future__ import annotations

import importlib.util
import io
import json
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
from PIL import Image

from .. import paths
from .recorded import FakeModel, Tensor, arrays

STORED = paths.RECORDED.parent / "gallery.npz.xz"
HEIGHT = 320  # of the strips

# Each network's file and its picture: a photograph of scikit-image, "portraits" (nine times the face of astronaut), or a
# drawn scene in STORED.
NETWORKS = {
    "blazeface_front_128": ("blazeface_front_128.tflite", "astronaut"),
    "yunet_320": ("yunet_n_320_320.onnx", "astronaut"),
    "face_landmarks_192": ("face_landmarks_192.tflite", "astronaut"),
    "yolo_lc_192": ("yolo_lc_192.tflite", "astronaut"),
    "fomo_face_detection": ("fomo_face_detection.tflite", "portraits"),
    "yolo11_obb_128": ("yolo11_full_integer_quant.tflite", "scene_025"),
    "yolo11_obb_128_2": ("yolo11_full_integer_quant.tflite", "scene_030"),
    "fast_depth_224": ("fast_depth_224.tflite", "coffee"),
}

# A title for each strip, and its networks.
PICTURES = {
    "faces": ("BlazeFace 128, YuNet 320 and the face mesh", ["blazeface_front_128", "yunet_320", "face_landmarks_192"]),
    "cells": ("YOLO-LC 192: persons; FOMO 96: positions of faces", ["yolo_lc_192", "fomo_face_detection"]),
    "oriented": ("YOLO11-obb 128: oriented boxes", ["yolo11_obb_128", "yolo11_obb_128_2"]),
    "depth": ("FastDepth 224: distances", ["fast_depth_224"]),
}

# How the networks are called in tables.
CALLED = {
    "blazeface_front_128": "BlazeFace", "yunet_320": "YuNet", "face_landmarks_192": "the face mesh",
    "yolo_lc_192": "YOLO-LC", "fomo_face_detection": "FOMO", "yolo11_obb_128": "YOLO11-obb",
    "yolo11_obb_128_2": "YOLO11-obb", "fast_depth_224": "FastDepth",
}  # fmt: skip

_OPTIONS: dict[str, dict[str, Any]] = {
    "blazeface_front_128": {"threshold": 0.4},
    "yolo_lc_192": {"threshold": 0.5, "iou_threshold": 0.3, "labels": ["person"]},
    "fomo_face_detection": {"labels": ["background", "face"]},
    "yolo11_obb_128": {"threshold": 0.5, "labels": ["ship", "truck", "tile"]},
    "yolo11_obb_128_2": {"threshold": 0.5, "labels": ["ship", "truck", "tile"]},
}
FACE = (135, 15, 200, 200)  # the part of astronaut that the face mesh is shown on, in which it is large


def options(name: str) -> dict[str, Any]:
    """The options of a network's post-processor."""
    return dict(_OPTIONS.get(name, {}))


def picture(name: str, stored: dict[str, Any] | None = None) -> image.Image:
    """A picture of NETWORKS, by its name."""
    stored = arrays(STORED) if stored is None else stored
    if name in stored:
        with Image.open(io.BytesIO(stored[name].tobytes())) as opened:
            return frame_of(opened)
    package = importlib.util.find_spec("skimage")
    if package is None or package.origin is None:
        raise ModuleNotFoundError(name="skimage")
    photographs = Path(package.origin).parent / "data"
    if name != "portraits":
        return image.Image(str(photographs / f"{name}.png")).to_rgb565(copy=True)
    with Image.open(photographs / "astronaut.png") as opened:
        face = opened.convert("RGB").crop((120, 0, 340, 220))
    portraits = Image.new("RGB", (480, 480), (128, 128, 128))
    for i in range(9):
        side = 150 - 10 * (i % 4)
        portraits.paste(face.resize((side, side), Image.Resampling.BILINEAR), (160 * (i % 3) + 3 * i, 160 * (i // 3)))
    return frame_of(portraits)


def frame_of(opened: Image.Image) -> image.Image:
    """A picture as a camera has it."""
    red, green, blue = np.asarray(opened.convert("RGB")).astype("<u2").transpose(2, 0, 1)
    made = image.Image(opened.width, opened.height, image.RGB565)
    made.bytearray()[:] = (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).tobytes()
    return made


def fitted(name: str, img: image.Image) -> Any:
    """The picture as the input of this network."""
    if name.startswith("yunet"):
        return n6post.Letterbox(img, scale=(0, 255))
    return n6post.Stretch(img) if name.startswith("fast_depth") else n6post.Letterbox(img)


class Network(FakeModel):
    """A model that returns its recorded outputs for every picture."""

    def __init__(self, name: str) -> None:
        stored = arrays(STORED)
        about = json.loads(bytes(stored["index"]))[name]
        tensors = []
        for number, quantization in enumerate(about["quantization"]):
            values = stored[f"{name}/{number}"]
            tensors.append(Tensor(values.astype(np.float32) if values.dtype == np.float16 else values, *quantization))
        super().__init__(tensors, tuple(about["input_size"]), options(name).get("labels"))
        self._processor = n6post.processor_for(self, **options(name))

    def predict(self, inputs: list[Any]) -> Any:
        return self._processor(self, inputs, self.outputs())


def result(name: str, img: image.Image) -> Any:
    """What n6post makes of a network's outputs for its picture."""
    if name == "face_landmarks_192":
        return n6post.Pipeline(Network("blazeface_front_128"), Network(name), max_detections=1).predict(img)
    return Network(name).predict([fitted(name, img)])


def strip(title: str) -> tuple[image.Image, list[tuple[str, Any]]]:
    """A picture of PICTURES, and the name and result of each of its networks."""
    drawn, results = [], []
    for name in PICTURES[title][1]:
        full = picture(NETWORKS[name][1])
        roi = FACE if name == "face_landmarks_192" else None
        scale = HEIGHT / (roi[3] if roi else full.height())
        # The whole picture in its final size; the face of the mesh is cut out of a larger one, in which it is drawn.
        img = full.copy(x_scale=scale, y_scale=scale, hint=image.BILINEAR)
        found = result(name, img)
        if name == "fast_depth_224":
            found.draw(img, legend=True)
        else:
            n6post.draw(img, found, text_scale=2)  # the pages show the strips at half of their size
        if roi:
            img = img.copy(roi=tuple(round(v * scale) for v in roi))
        drawn.append(img)
        results.append((name, found))
    whole = image.Image(sum(img.width() for img in drawn), HEIGHT, image.RGB565)
    x = 0
    for img in drawn:
        whole.draw_image(img, x, 0)
        x += img.width()
    return whole, results
