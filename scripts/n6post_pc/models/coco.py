"""COCO's formats (cocodataset.org/#format-results): masks as run lengths or polygons, result files, and their AP.

pycocotools encodes the run lengths and evaluates. Masks are written as `Mask.to_image` returns them, in the picture's size.
"""

import contextlib
import io
import json
import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from n6post.pixels.pixel_edges import map_edges
from n6post.results.mask_geometry import contours
from n6post.tensors.label_sets import class_name
from numpy.typing import NDArray

from .. import files
from ..command import UserError
from .results import kind_of
from .sources import is_video

Pixels = NDArray[np.uint8]

# The category ids of COCO's 80 classes in its annotations: 1 to 90, without ten that are not used.
CATEGORIES = [number for number in range(1, 91) if number not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]
NAMES = [class_name(class_id, len(CATEGORIES)) for class_id in range(len(CATEGORIES))]

_LARGEST = 1 << 53  # integers below this are exact in every JSON reader


# ---- masks ----


def pixels_of(mask: Any, size: tuple[int, int]) -> Pixels:
    """A Mask as a (height, width) array of 0 and 1, for a picture of (width, height) `size`."""
    width, height = size
    inside: Pixels = np.frombuffer(mask.to_image(width, height).bytearray(), dtype=np.uint8).reshape(height, width)
    return (inside >= 128).view(np.uint8)


def class_map(segmentation: Any, size: tuple[int, int]) -> NDArray[np.int16]:
    """The class of every pixel of a picture of (width, height) `size`, as from `Segmentation.class_at`; -1 for None."""
    width, height = size
    transform = segmentation._transform
    columns, rows = map_edges(transform)
    classes = np.frombuffer(segmentation.class_map.tobytes(), dtype=np.uint8).reshape(transform.height, -1)
    scaled = np.repeat(np.repeat(classes, np.diff(rows), axis=0), np.diff(columns), axis=1)
    whole = np.full((height, width), -1, dtype=np.int16)
    whole[rows[0] : rows[-1], columns[0] : columns[-1]] = scaled
    return whole


def _of_class(whole: Any, class_id: int) -> Pixels:
    return (whole == class_id).view(np.uint8)


def rle(pixels: Pixels) -> dict[str, Any]:
    """An array of 0 and 1 as COCO's compressed run lengths: {"size": [height, width], "counts": text}."""
    from pycocotools import mask as coco_mask  # type: ignore[import-untyped]

    # COCO counts column by column. Transposing a large picture is slow, so only the part with pixels is copied.
    columnwise = np.zeros(pixels.shape, dtype=np.uint8, order="F")
    rows, columns = (np.flatnonzero(pixels.any(axis=axis)) for axis in (1, 0))
    if len(rows):
        part = slice(rows[0], rows[-1] + 1), slice(columns[0], columns[-1] + 1)
        columnwise[part] = pixels[part]
    encoded = coco_mask.encode(columnwise)
    return {"size": [int(n) for n in encoded["size"]], "counts": encoded["counts"].decode("ascii")}


def polygons(mask: Any) -> list[list[float]]:
    """A Mask as COCO's polygons [[x, y, x, y, ...], ...] in pixels, one for each of its parts. Holes are filled.

    The polygons follow the interpolated logits like `Mask.outline`, but with fractions of a pixel.
    """
    data, window, crop, (x, y, w, h), grid = mask._parts()
    outlines = []
    if data and w > 0 and h > 0:
        for loop in contours(data, window, crop):
            points = np.array(loop) * (grid.sx, grid.sy) + (grid.ox, grid.oy)
            points = np.clip(points, (x, y), (x + w, y + h))
            following = np.roll(points, -1, axis=0)
            # Shoelace formula: the area of a hole is negative. The area of an outline that is clipped to a line is 0.
            if np.sum(points[:, 0] * following[:, 1] - following[:, 0] * points[:, 1]) > 0.5:
                outlines.append([round(float(v), 1) for v in points.ravel()])
    return outlines


# ---- result files ----


class Results:
    """Collects results for a file in COCO's results format.

    image_id        With `annotations`, the id of the image with this file name. Otherwise the last number in the picture's
                    name, if every picture has one and all are different; if not, pictures are counted from 1.
    category_id     With `annotations`, the id of the category with the label's name. Otherwise the numbers of COCO's
                    annotations (1 to 90) for its 80 classes, the class id for class maps, and else the class id plus 1.

    Without a path, use the results with `average_precision`.
    """

    def __init__(self, path: Path | None, sources: Sequence[Path], annotations: Path | None = None) -> None:
        self.path = path
        self._entries: list[dict[str, Any]] = []
        self._counted = 0
        self._categories_by: set[str] = set()
        self._images: dict[str, int] = {}
        self._categories: dict[str, int] | None = None
        self.missing: set[str] = set()  # labels that are not in the annotations
        self._counting = False
        if annotations is not None:
            self._read(annotations)
            self.images_by = f"by file name from {annotations.name}"
        elif self._number(sources):
            self.images_by = "the last number in a picture's name"
        else:
            self._counting = True
            self.images_by = "counted from 1, in the order of the pictures"
        # Report an error now rather than after all pictures. Until `write`, there is no file, or the old one.
        files.check([path], [*sources, annotations], new_folder=True)

    def _read(self, annotations: Path) -> None:
        try:
            content = json.loads(annotations.read_text(encoding="utf-8"))
            self._images = {Path(entry["file_name"]).name: int(entry["id"]) for entry in content["images"]}
            categories = {entry["name"].casefold(): int(entry["id"]) for entry in content.get("categories", ())}
        except OSError as error:
            raise UserError(f"{annotations} cannot be read: {error.strerror}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            expected = "expected annotations in COCO's format, with images that have id and file_name"
            raise UserError(f"{annotations}: {expected}") from error
        if len(self._images) < len(content["images"]):
            raise UserError(f"{annotations}: several images have the same file name")
        self._categories = categories or None

    def _number(self, sources: Sequence[Path]) -> bool:
        numbers = [re.findall(r"[0-9]+", path.stem)[-1:] for path in sources if not is_video(path)]
        ids = [int(n) for one in numbers for n in one]
        if len(ids) < len(sources) or len(set(ids)) < len(ids) or max(ids, default=_LARGEST) >= _LARGEST:
            return False
        self._images = {str(path): number for path, number in zip(sources, ids)}
        return True

    def image_id(self, path: Path) -> int | None:
        """The image_id of the next picture, which comes from this file. None if the annotations do not contain it."""
        self._counted += 1
        if self._counting:
            return self._counted
        return self._images.get(str(path), self._images.get(path.name))

    def add(self, image_id: int, result: Any, size: tuple[int, int], names: Sequence[str] | None) -> None:
        """Add the result of a picture.

        size        the picture's (width, height)
        names       the labels of all classes, or None if the processor has none
        """
        if kind_of(result) not in ("objects", "map"):
            raise UserError("COCO's results are objects and class maps, which this model does not find")
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
                # COCO's visibility is 2 for visible keypoints. The evaluation uses the positions only.
                least = d.keypoint_threshold
                rows = ((round(x, 2), round(y, 2), 2 if s >= least else 0) for x, y, s in d.keypoints.tolist())
                entry["keypoints"] = [number for row in rows for number in row]
            self._entries.append(entry)

    def _category(self, label: str, otherwise: int, rule: str) -> int | None:
        self._categories_by.add("by name from the annotations" if self._categories is not None else rule)
        if self._categories is None:
            return otherwise
        if label.casefold() not in self._categories:
            self.missing.add(label)
        return self._categories.get(label.casefold())

    def average_precision(self, truth: Path, pictures: Collection[int]) -> dict[str, dict[str, float]]:
        """COCO's AP (mean over IoUs of .50 to .95), AP50 and AP75: {"boxes": {"AP": .54, ...}, ...}.

        truth       the file of annotations
        pictures    the image_ids to evaluate

        The keys "masks" and "keypoints" are there if both the results and the annotations contain them.
        """
        from pycocotools.coco import COCO  # type: ignore[import-untyped]
        from pycocotools.cocoeval import COCOeval  # type: ignore[import-untyped]

        expected = COCO()
        expected.dataset = _annotations(truth)
        objects = [one for one in expected.dataset["annotations"] if one["image_id"] in pictures]
        scores = {}
        with contextlib.redirect_stdout(io.StringIO()):  # pycocotools prints each step
            expected.createIndex()
            for name, (kind, field) in _EVALUATED.items():
                entries = [dict(entry) for entry in self._entries if field in entry]  # loadRes adds fields
                if not any(one.get(field) for one in objects) or (self._entries and not entries):
                    continue
                if not entries:  # pycocotools does not accept an empty list
                    scores[name] = dict.fromkeys(("AP", "AP50", "AP75"), 0.0)
                    continue
                evaluation = COCOeval(expected, expected.loadRes(entries), kind)
                evaluation.params.imgIds = sorted(pictures)
                evaluation.evaluate()
                evaluation.accumulate()
                evaluation.summarize()
                scores[name] = dict(zip(("AP", "AP50", "AP75"), evaluation.stats[:3].round(4).tolist()))
        return scores

    def write(self) -> str:
        """Write the file. Returns a line that describes it."""
        assert self.path is not None
        files.write({self.path: json.dumps(self._entries).encode()})
        categories = ", ".join(sorted(self._categories_by)) or "none"
        return (
            f"{self.path}: {len(self._entries)} results in COCO's format"
            f" (image_id: {self.images_by}; category_id: {categories})"
        )


# name: (pycocotools' name of the evaluation, the field of results and annotations)
_EVALUATED = {"boxes": ("bbox", "bbox"), "masks": ("segm", "segmentation"), "keypoints": ("keypoints", "keypoints")}


def _annotations(path: Path) -> dict[str, Any]:
    """Read annotations and add the fields that pycocotools needs. UserError if objects have no boxes."""
    content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))  # already validated by Results
    try:
        for number, one in enumerate(content["annotations"], 1):
            x, y, w, h = one["bbox"] = [float(value) for value in one["bbox"]]
            {one["image_id"], one["category_id"]}  # noqa: B018
            visible = sum(v > 0 for v in one.get("keypoints", ())[2::3])
            for field, value in (("id", number), ("iscrowd", 0), ("area", w * h), ("num_keypoints", visible)):
                one.setdefault(field, value)
            if len(one.get("keypoints", ())) != 51:
                one["keypoints"] = []  # COCO defines keypoint similarity for its own 17 keypoints only
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        expected = "expected annotations in COCO's format, whose objects have image_id, category_id and bbox"
        raise UserError(f"{path}: {expected}") from error
    return content


def boxes(path: Path) -> dict[str, list[tuple[str, tuple[float, float, float, float]]]]:
    """The boxes of annotations, {file name: [(category's name, (x, y, w, h) in fractions of the picture), ...]}.

    Crowds are left out. UserError for any other file.
    """
    Results(None, [], path)  # what it refuses
    content = _annotations(path)
    try:
        names = {one["id"]: one["name"] for one in content["categories"]}
        images = {one["id"]: (Path(one["file_name"]).name, one["width"], one["height"]) for one in content["images"]}
        found: dict[str, list[Any]] = {file: [] for file, _, _ in images.values()}
        for one in content["annotations"]:
            file, width, height = images[one["image_id"]]
            x, y, w, h = one["bbox"]
            if not one["iscrowd"]:
                found[file].append((names[one["category_id"]], (x / width, y / height, w / width, h / height)))
    except (KeyError, TypeError, ZeroDivisionError) as error:
        expected = "expected annotations in COCO's format, with the size of images (width, height), and objects' category"
        raise UserError(f"{path}: {expected}") from error
    return found


def _is_coco(detection: Any, names: Sequence[str] | None) -> bool:
    """Whether a detection comes from a network for COCO's 80 classes.

    names   the labels of all its classes; None compares the label with n6post's own name of the class
    """
    if names is not None:
        return [name.strip().casefold() for name in names] == NAMES
    return detection.class_id < len(NAMES) and bool(detection.label == NAMES[detection.class_id])


# ---- one picture as JSON ----


def as_dict(result: Any, size: tuple[int, int], masks: str) -> dict[str, Any]:
    """What `as_dict` of n6post returns, with masks: {"detections": [...]}, {"classes": [...]} ...; or {"vector": [...]}.

    size    the picture's (width, height)
    masks   the format of masks, one of MASKS
    """
    if isinstance(result, list):
        detections = []
        for d in result:
            entry = d.as_dict()
            if d.mask is not None:
                entry["mask"].update(_MASKS[masks](d.mask, partial(pixels_of, d.mask, size)))
            detections.append(entry)
        return {"detections": detections}
    kind = kind_of(result)
    if kind == "vector":
        return {"vector": [round(float(number), 6) for number in result.tolist()]}
    if kind == "anomaly":
        return {**result.as_dict(), "objects": as_dict(result.objects(), size, masks)["detections"]}
    if kind != "map":
        return dict(result.as_dict())
    whole = class_map(result, size) if masks == "rle" else None
    classes = result.as_dict()["classes"]
    for entry in classes:
        number = entry["class_id"]
        shape = _MASKS[masks](result.mask(number), partial(_of_class, whole, number))
        if shape:
            entry["mask"] = shape
    return {"classes": classes}


_MASKS: dict[str, Callable[[Any, Callable[[], Pixels]], dict[str, Any]]] = {
    "rle": lambda mask, pixels: {"rle": rle(pixels())},
    "polygon": lambda mask, pixels: {"polygons": polygons(mask)},
    "none": lambda mask, pixels: {},
}
MASKS = tuple(_MASKS)
