"""COCO's formats (cocodataset.org/#format-results): masks as run lengths or polygons, and files of results to evaluate.

pycocotools makes the run lengths. A mask is what `Mask.to_image` shows, at the size of the picture.
"""

import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from n6post.pixels.pixel_edges import map_edges
from n6post.results.mask_geometry import contours
from n6post.tensors.label_sets import class_name
from numpy.typing import NDArray

from .command import UserError
from .sources import is_video

Pixels = NDArray[np.uint8]

# The numbers that COCO's annotations have for the 80 classes that its networks know: 1 to 90, ten of which were never used.
CATEGORIES = [number for number in range(1, 91) if number not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]
NAMES = [class_name(class_id, len(CATEGORIES)) for class_id in range(len(CATEGORIES))]

_LARGEST = 1 << 53  # what every reader of JSON takes as a whole number


# ---- masks ----


def pixels_of(mask: Any, size: tuple[int, int]) -> Pixels:
    """A Mask as a (height, width) array of 0 and 1, of a picture of this (width, height)."""
    width, height = size
    inside: Pixels = np.frombuffer(mask.to_image(width, height).bytearray(), dtype=np.uint8).reshape(height, width)
    return (inside >= 128).view(np.uint8)


def class_map(segmentation: Any, size: tuple[int, int]) -> NDArray[np.int16]:
    """The class of every pixel of a picture of this (width, height), as `Segmentation.class_at` returns it; -1 for None."""
    width, height = size
    transform = segmentation._transform
    columns, rows = map_edges(transform)
    classes = np.frombuffer(segmentation.class_map.tobytes(), dtype=np.uint8).reshape(transform.height, -1)
    seen = np.repeat(np.repeat(classes, np.diff(rows), axis=0), np.diff(columns), axis=1)
    whole = np.full((height, width), -1, dtype=np.int16)
    whole[rows[0] : rows[-1], columns[0] : columns[-1]] = seen
    return whole


def _of_class(whole: Any, class_id: int) -> Pixels:
    return (whole == class_id).view(np.uint8)


def rle(pixels: Pixels) -> dict[str, Any]:
    """An array of 0 and 1 as COCO's compressed run lengths: {"size": [height, width], "counts": text}."""
    from pycocotools import mask as coco_mask  # type: ignore[import-untyped]

    # Column by column in memory, as COCO counts; of a large picture only where there is something to turn round.
    columnwise = np.zeros(pixels.shape, dtype=np.uint8, order="F")
    rows, columns = (np.flatnonzero(pixels.any(axis=axis)) for axis in (1, 0))
    if len(rows):
        part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        columnwise[part] = pixels[part]
    encoded = coco_mask.encode(columnwise)
    return {"size": [int(n) for n in encoded["size"]], "counts": encoded["counts"].decode("ascii")}


def polygons(mask: Any) -> list[list[float]]:
    """A Mask as COCO's polygons [[x, y, x, y, ...], ...], one around each of its parts, in pixels; holes are filled.

    They follow the interpolated logits, as `Mask.outline` does, but in fractions of a pixel.
    """
    data, window, crop, (x, y, w, h), grid = mask._parts()
    found = []
    if data and w > 0 and h > 0:
        for loop in contours(data, window, crop):
            points = np.array(loop) * (grid.sx, grid.sy) + (grid.ox, grid.oy)
            points = np.clip(points, (x, y), (x + w, y + h))
            following = np.roll(points, -1, axis=0)
            # The shoelace formula: what runs the other way surrounds a hole. A part of the rim may be clipped to a line.
            if np.sum(points[:, 0] * following[:, 1] - following[:, 0] * points[:, 1]) > 0.5:
                found.append([round(float(v), 1) for v in points.ravel()])
    return found


# ---- files of results ----


class Results:
    """What networks found in pictures, for a file in COCO's format of results.

    image_id        with `annotations` the id of the image of that file name in there; else the last number in the picture's
                    name where every picture has one and no two the same; else counted from 1, in the order of the pictures
    category_id     with `annotations` the id of the category of the label's name; else for the 80 classes of COCO their
                    numbers in COCO's annotations (1 to 90), for a map of classes the class number, else that plus 1
    """

    def __init__(self, path: Path, sources: Sequence[Path], annotations: Path | None = None) -> None:
        self.path = path
        self._entries: list[dict[str, Any]] = []
        self._counted = 0
        self._categories_by: set[str] = set()
        self._images: dict[str, int] = {}
        self._categories: dict[str, int] | None = None
        self.missing: set[str] = set()  # labels that the annotations do not have
        self._counting = False
        if annotations is not None:
            self._read(annotations)
            self.images_by = f"by file name from {annotations.name}"
        elif self._number(sources):
            self.images_by = "the last number in a picture's name"
        else:
            self._counting = True
            self.images_by = "counted from 1, in the order of the pictures"
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            # Better said now than when all pictures are done. Until then there is no file, or the old one.
            there = path.exists()
            path.open("a").close()
            if not there:
                path.unlink()
        except OSError as error:
            raise UserError(f"{path} cannot be written: {error.strerror}") from error

    def _read(self, annotations: Path) -> None:
        try:
            told = json.loads(annotations.read_text(encoding="utf-8"))
            self._images = {Path(entry["file_name"]).name: int(entry["id"]) for entry in told["images"]}
            categories = {entry["name"].casefold(): int(entry["id"]) for entry in told.get("categories", ())}
        except OSError as error:
            raise UserError(f"{annotations} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            expected = "expected COCO's annotations, with images that have id and file_name"
            raise UserError(f"{annotations}: {expected}") from error
        if len(self._images) < len(told["images"]):
            raise UserError(f"{annotations}: several images in it have the same file name")
        self._categories = categories or None

    def _number(self, sources: Sequence[Path]) -> bool:
        numbers = [re.findall(r"[0-9]+", path.stem)[-1:] for path in sources if not is_video(path)]
        found = [int(n) for one in numbers for n in one]
        if len(found) < len(sources) or len(set(found)) < len(found) or max(found, default=_LARGEST) >= _LARGEST:
            return False
        self._images = {str(path): number for path, number in zip(sources, found)}
        return True

    def image_id(self, path: Path) -> int | None:
        """The number of the next picture, which is of this file; None for one that the annotations do not have."""
        self._counted += 1
        if self._counting:
            return self._counted
        return self._images.get(str(path), self._images.get(path.name))

    def add(self, image_id: int, result: Any, size: tuple[int, int], names: Sequence[str] | None) -> None:
        """What was found in a picture of this (width, height). `names`: all classes', where the processor has them."""
        if not isinstance(result, list):
            whole = class_map(result, size)
            for class_id in result.class_ids():
                category = self._category(result.label(class_id), class_id, "the class number")
                if category is not None:
                    segmentation = rle(_of_class(whole, class_id))
                    self._entries.append({"image_id": image_id, "category_id": category, "segmentation": segmentation})
            return
        for d in result:
            if _is_coco(d, names):
                category = self._category(d.label, CATEGORIES[d.class_id], "COCO's own, 1 to 90")
            else:
                category = self._category(d.label, d.class_id + 1, "the class number + 1")
            if category is None:
                continue
            entry = {"image_id": image_id, "category_id": category, "bbox": list(d.rect), "score": round(float(d.score), 5)}
            if d.mask is not None:
                entry["segmentation"] = rle(pixels_of(d.mask, size))
            if d.keypoints is not None:
                # COCO's visibility: 2 for what is seen; an evaluation looks at the places only.
                seen = d.keypoint_threshold
                rows = ((round(x, 2), round(y, 2), 2 if s >= seen else 0) for x, y, s in d.keypoints.tolist())
                entry["keypoints"] = [number for row in rows for number in row]
            self._entries.append(entry)

    def _category(self, label: str, otherwise: int, rule: str) -> int | None:
        self._categories_by.add("by name from the annotations" if self._categories is not None else rule)
        if self._categories is None:
            return otherwise
        if label.casefold() not in self._categories:
            self.missing.add(label)
        return self._categories.get(label.casefold())

    def write(self) -> str:
        """Write the file; a sentence of what is in it."""
        try:
            self.path.write_text(json.dumps(self._entries), encoding="utf-8")
        except OSError as error:
            raise UserError(f"{self.path} cannot be written: {error.strerror}") from error
        categories = ", ".join(sorted(self._categories_by)) or "none"
        return (
            f"{self.path}: {len(self._entries)} results in COCO's format"
            f" (image_id: {self.images_by}; category_id: {categories})"
        )


def _is_coco(detection: Any, names: Sequence[str] | None) -> bool:
    """Whether it is of a network for COCO's 80 classes, by the names of all its classes; None: those that n6post knows."""
    if names is not None:
        return [name.strip().casefold() for name in names] == NAMES
    return detection.class_id < len(NAMES) and bool(detection.label == NAMES[detection.class_id])


# ---- one picture as JSON ----


def as_dict(result: Any, size: tuple[int, int], masks: str) -> dict[str, Any]:
    """{"detections": [...]} or {"classes": [...]}: what `as_dict` of n6post gives, with the masks as `masks` says: MASKS."""
    if isinstance(result, list):
        detections = []
        for d in result:
            told = d.as_dict()
            if d.mask is not None:
                told["mask"].update(_MASKS[masks](d.mask, partial(pixels_of, d.mask, size)))
            detections.append(told)
        return {"detections": detections}
    whole = class_map(result, size) if masks == "rle" else None
    classes = result.as_dict()["classes"]
    for told in classes:
        number = told["class_id"]
        shape = _MASKS[masks](result.mask(number), partial(_of_class, whole, number))
        if shape:
            told["mask"] = shape
    return {"classes": classes}


_MASKS: dict[str, Callable[[Any, Callable[[], Pixels]], dict[str, Any]]] = {
    "rle": lambda mask, pixels: {"rle": rle(pixels())},
    "polygon": lambda mask, pixels: {"polygons": polygons(mask)},
    "none": lambda mask, pixels: {},
}
MASKS = tuple(_MASKS)
