"""COCO's average precision of boxes and masks. Plain numpy decodes the outputs: this is a reference for n6post."""

import contextlib
import io
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from PIL import Image
from pycocotools import mask as run_lengths
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

from . import pictures
from .architecture import SIZE
from .training import letterboxed

Outputs = tuple[np.ndarray, np.ndarray]  # rows (4 + classes + 32, anchors), prototypes (SIZE / 4, SIZE / 4, 32)
Network = Callable[[np.ndarray], Outputs]  # of a picture (SIZE, SIZE, 3) uint8


def of_test(number: int) -> tuple[np.ndarray, list[pictures.Thing]]:
    return pictures.make("test", number)


def truth(
    numbers: Iterable[int], make: Callable[[int], tuple[np.ndarray, list[pictures.Thing]]] = of_test
) -> dict[str, Any]:
    """Annotations of pictures in COCO's format. Image 7 is what `make` makes of 7, in the file shapes_07.jpg."""
    images, annotations = [], []
    for number in numbers:
        picture, things = make(number)
        height, width = picture.shape[:2]
        images.append({"id": number, "file_name": f"shapes_{number:02}.jpg", "width": width, "height": height})
        for thing in things:
            annotations.append({
                "id": len(annotations) + 1, "image_id": number, "category_id": thing.class_id + 1, "iscrowd": 0,
                "bbox": list(thing.box), "area": int(thing.mask.sum()), "segmentation": encoded(thing.mask),
            })  # fmt: skip
    categories = [{"id": class_id + 1, "name": name} for class_id, name in enumerate(pictures.CLASSES)]
    return {"images": images, "annotations": annotations, "categories": categories}


def encoded(mask: np.ndarray) -> dict[str, Any]:
    packed = run_lengths.encode(np.asfortranarray(mask.astype(np.uint8)))
    return {"size": packed["size"], "counts": packed["counts"].decode()}


def painted(image: dict[str, Any]) -> np.ndarray:
    return of_test(image["id"])[0]


def average_precision(
    network: Network, truth: dict[str, Any], picture_of: Callable[[dict[str, Any]], np.ndarray] = painted
) -> dict[str, float]:
    """AP and AP50 of boxes and of masks. picture_of: the pixels of an image of the truth."""
    found = []
    for image in truth["images"]:
        picture = picture_of(image)
        square, scale, left, top = letterboxed(picture, Image.Resampling.BOX)
        for box, score, class_id, mask in decoded(*network(square)):
            x1, y1, x2, y2 = ((box - (left, top, left, top)) / scale).tolist()
            logits = _enlarged(mask[top : SIZE - top, left : SIZE - left], image["width"], image["height"])
            inside = np.zeros(logits.shape, bool)
            inside[max(round(y1), 0) : max(round(y2), 0), max(round(x1), 0) : max(round(x2), 0)] = True
            found.append({
                "image_id": image["id"], "category_id": class_id + 1, "score": score, "bbox": [x1, y1, x2 - x1, y2 - y1],
                "segmentation": encoded((logits > 0) & inside),
            })  # fmt: skip
    figures = {}
    with contextlib.redirect_stdout(io.StringIO()):
        expected = COCO()
        expected.dataset = truth
        expected.createIndex()
        for kind, name in (("bbox", "boxes"), ("segm", "masks")):
            judge = COCOeval(expected, expected.loadRes(found), kind)
            judge.evaluate()
            judge.accumulate()
            judge.summarize()
            figures[f"AP of {name}"], figures[f"AP50 of {name}"] = (round(float(value), 3) for value in judge.stats[:2])
    return figures


def decoded(rows: np.ndarray, prototypes: np.ndarray, least: float = 0.01, most: int = 100) -> list[tuple[Any, ...]]:
    """Detections after NMS: box x1, y1, x2, y2 in pixels of the input, score, class, logits (SIZE, SIZE) of the mask."""
    classes = len(pictures.CLASSES)
    scores, class_ids = rows[4 : 4 + classes].max(0), rows[4 : 4 + classes].argmax(0)
    center, half = rows[:2] * SIZE, rows[2:4] * SIZE / 2
    boxes = np.concatenate((center - half, center + half)).T
    kept: list[int] = []
    for i in np.argsort(-scores, kind="stable"):
        if scores[i] < least or len(kept) == most:
            break
        if all(class_ids[i] != class_ids[k] or _iou(boxes[i], boxes[k]) <= 0.5 for k in kept):
            kept.append(int(i))
    masks = (_enlarged(prototypes @ rows[4 + classes :, i], SIZE, SIZE) for i in kept)
    return [(boxes[i], float(scores[i]), int(class_ids[i]), mask) for i, mask in zip(kept, masks)]


def _iou(a: np.ndarray, b: np.ndarray) -> float:
    w, h = np.minimum(a[2:], b[2:]) - np.maximum(a[:2], b[:2])
    both = max(w, 0) * max(h, 0)
    return both / max((a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both, 1e-9)


def _enlarged(logits: np.ndarray, width: int, height: int) -> np.ndarray:
    return np.asarray(Image.fromarray(logits.astype(np.float32)).resize((width, height), Image.Resampling.BILINEAR))
