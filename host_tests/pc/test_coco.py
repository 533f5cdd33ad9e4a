"""scripts/n6post_pc/models/coco.py: masks, class maps and result files in COCO's formats, read by pycocotools."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import FakeModel, Tensor
from n6post.results.mask import MaskTransform
from n6post_pc import command
from n6post_pc.models import coco
from synthetic_heads import Thing, float_head

coco_mask = pytest.importorskip("pycocotools.mask", reason="needs pycocotools, which requirements/models.txt has")
pycocotools = pytest.importorskip("pycocotools.coco")
cocoeval = pytest.importorskip("pycocotools.cocoeval")

# pycocotools' arrays have an __array__ without the arguments of numpy 2.
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

SIZE = (64, 64)  # of the models' inputs
FRAME = (160, 120)


def frame(fit: str = "Stretch", size: tuple[int, int] = FRAME) -> Any:
    return getattr(n6post, fit)(image.Image(*size, image.RGB565))


def prototypes(*shapes: Any) -> Any:
    """NHWC [1, 16, 16, 32]: the logits of channel k are positive inside the k-th shape, a (16, 16) array of bool."""
    values = np.full((1, 16, 16, 32), -2.0, dtype=np.float32)
    for channel, shape in enumerate(shapes):
        values[0, ..., channel] = np.where(shape, 3.0, -2.0)
    return values


def coefficients(channel: int) -> list[float]:
    return [float(k == channel) for k in range(32)]


def shapes() -> list[Any]:
    y, x = np.mgrid[:16, :16] + 0.5
    disc = (x - 5) ** 2 + (y - 6) ** 2 < 20
    ring = disc & ~((x - 5) ** 2 + (y - 6) ** 2 < 5)
    two = ((abs(x - 11) < 2) & (abs(y - 4) < 2)) | ((abs(x - 12) < 1.6) & (abs(y - 11) < 3))
    return [disc, ring, two]


def segmented(fit: str = "Stretch") -> list[Any]:
    """Detections of a disc, a ring, and an object of two parts. Their boxes do not clip the masks."""
    boxes = [(0, 4, 40, 46), (0, 4, 40, 46), (34, 4, 64, 60)]
    things = [Thing(k, box, {k: 0.9 - k / 10}, coefficients(k)) for k, box in enumerate(boxes)]
    head = float_head(SIZE, 80, things, extra=32)
    model = FakeModel([Tensor(head), Tensor(prototypes(*shapes()))], SIZE)
    detections: list[Any] = model.run(n6post.YoloV8Seg(), frame(fit))
    assert [d.class_id for d in detections] == [0, 1, 2]
    return detections


def classified(fit: str, size: tuple[int, int] = FRAME) -> Any:
    logits = np.random.default_rng(3).normal(size=(1, 16, 16, 3)).astype(np.float32)
    return FakeModel([Tensor(logits)], SIZE).run(n6post.DeepLab(), frame(fit, size))


# --- masks ---


@pytest.mark.parametrize("fit", ["Stretch", "Letterbox", "Crop"])
def test_pycocotools_decodes_run_lengths_to_the_drawn_pixels(fit: str) -> None:
    for d in segmented(fit):
        encoded = coco.rle(coco.pixels_of(d.mask, FRAME))
        read = coco_mask.decode(encoded)
        canvas = image.Image(*FRAME, image.GRAYSCALE)
        d.mask.draw(canvas, color=(255, 255, 255), alpha=255)
        drawn = np.frombuffer(canvas.bytearray(), dtype=np.uint8).reshape(FRAME[1], FRAME[0])
        assert read.shape == drawn.shape == (120, 160) and encoded["size"] == [120, 160]
        assert (read == (drawn > 0)).all() and 500 < read.sum() < 10000
        assert coco_mask.area(encoded) == read.sum() and json.loads(json.dumps(encoded)) == encoded
        # `contains` uses whole mask pixels; the drawn mask has an interpolated edge.
        contained = np.array([[d.mask.contains(x, y) for x in range(160)] for y in range(120)])
        assert (read & contained).sum() / (read | contained).sum() > 0.8


def test_run_lengths_of_an_empty_mask_decode_to_zeros() -> None:
    encoded = coco.rle(np.zeros((3, 5), dtype=np.uint8))
    assert coco_mask.decode(encoded).tolist() == [[0] * 5] * 3


@pytest.mark.parametrize("fit", ["Stretch", "Letterbox"])
def test_polygons_surround_every_part_and_fill_its_holes(fit: str) -> None:
    disc, ring, two = (d.mask for d in segmented(fit))
    assert [len(coco.polygons(mask)) for mask in (disc, ring, two)] == [1, 1, 2]
    for mask, same in ((disc, disc), (ring, disc), (two, two)):
        read = coco_mask.decode(coco_mask.merge(coco_mask.frPyObjects(coco.polygons(mask), FRAME[1], FRAME[0])))
        expected = coco.pixels_of(same, FRAME)
        assert (read & expected).sum() / (read | expected).sum() > 0.93


def test_an_empty_mask_has_no_polygons() -> None:
    empty = n6post.Mask(b"", (0, 0, 0, 0), (0, 0, 0, 0), (0, 0, 9, 9), MaskTransform(1.0, 0.0, 1.0, 0.0, (0, 0, 9, 9)))
    assert coco.polygons(empty) == []


@pytest.mark.parametrize(
    "fit, size", [("Stretch", (40, 30)), ("Letterbox", (40, 30)), ("Crop", (30, 41)), ("Letterbox", (7, 9))]
)
def test_a_class_map_equals_class_at_for_every_pixel(fit: str, size: tuple[int, int]) -> None:
    result = classified(fit, size)
    whole = coco.class_map(result, size)
    rows, columns = range(size[1]), range(size[0])
    expected = [[-1 if result.class_at(x, y) is None else result.class_at(x, y) for x in columns] for y in rows]
    assert whole.tolist() == expected


# --- one picture as JSON ---


def test_json_has_n6posts_fields_and_masks_in_the_chosen_format() -> None:
    detections = segmented()
    for masks, key in (("rle", "rle"), ("polygon", "polygons"), ("none", None)):
        entries = json.loads(json.dumps(coco.as_dict(detections, FRAME, masks)))["detections"]
        assert [d["label"] for d in entries] == ["person", "bicycle", "car"]
        for one, d in zip(entries, detections):
            shape = one["mask"].pop(key) if key else None
            assert one == json.loads(json.dumps(d.as_dict()))
            if masks == "rle":
                assert (coco_mask.decode(shape) == coco.pixels_of(d.mask, FRAME)).all()
            elif masks == "polygon":
                assert shape == coco.polygons(d.mask)


def test_classes_are_written_with_their_pixels() -> None:
    result = classified("Letterbox")
    (one, two) = coco.as_dict(result, FRAME, "rle")["classes"]
    assert [one["class_id"], two["class_id"]] == [1, 2]
    for entry in (one, two):
        pixels = coco_mask.decode(entry["mask"]["rle"])
        assert pixels.sum() == entry["area"] == result.area(entry["class_id"])
    assert all("mask" not in entry for entry in coco.as_dict(result, FRAME, "none")["classes"])
    assert all(entry["mask"]["polygons"] for entry in coco.as_dict(result, FRAME, "polygon")["classes"])


# --- result files ---


def test_the_80_classes_have_the_ids_of_cocos_annotations() -> None:
    # From instances_val2017.json.
    published = {"person": 1, "fire hydrant": 11, "stop sign": 13, "bench": 15, "backpack": 27, "umbrella": 28,
                 "handbag": 31, "wine glass": 46, "cake": 61, "dining table": 67, "toilet": 70, "tv": 72,
                 "toothbrush": 90}  # fmt: skip
    assert {name: dict(zip(coco.NAMES, coco.CATEGORIES))[name] for name in published} == published
    assert len(coco.CATEGORIES) == len(set(coco.CATEGORIES)) == 80


def written(results: coco.Results) -> Any:
    results.write()
    return json.loads(results.path.read_text(encoding="utf-8"))


def test_an_old_file_is_replaced_only_after_all_pictures(tmp_path: Path) -> None:
    path = tmp_path / "results.json"
    results = coco.Results(path, [Path("a.png")])
    assert not path.exists()
    path.write_text("old", encoding="utf-8")
    coco.Results(path, [Path("a.png")])
    assert path.read_text(encoding="utf-8") == "old"
    assert written(results) == []


def detection(class_id: int, label: str) -> Any:
    return n6post.Detection((1, 2, 3, 4), 0.51234567, class_id, label, None, None)


@pytest.mark.parametrize(
    "names, class_id, label, category",
    [
        (None, 79, "toothbrush", 90),  # n6post uses COCO's names if a network has 80 classes
        (None, 79, "79", 80),
        (["person"], 0, "person", 1),
        (["car", "person"], 0, "car", 1),
        (["car", "person"], 1, "person", 2),
        (list(coco.NAMES), 12, "parking meter", 14),
        ([name.title() + "\r" for name in coco.NAMES], 12, "Parking Meter", 14),
    ],
)
def test_category_ids_are_cocos_or_the_class_id_plus_1(
    tmp_path: Path, names: Any, class_id: int, label: str, category: int
) -> None:
    results = coco.Results(tmp_path / "out" / "results.json", [Path("a.png")])
    results.add(7, [detection(class_id, label)], FRAME, names)
    assert written(results) == [{"image_id": 7, "category_id": category, "bbox": [1, 2, 3, 4], "score": 0.51235}]


@pytest.mark.parametrize(
    "paths, ids",
    [
        (["000000000139.jpg", "val/000000000285.jpg"], [139, 285]),
        (["2024_12.png", "2024_13.png"], [12, 13]),
        (["bus.jpg", "person2.bmp"], [1, 2]),  # one name has no number
        (["a/7.jpg", "b/7.jpg"], [1, 2]),  # the numbers are the same
        (["7.jpg", "9.mp4"], [1, 2]),  # a video has many pictures
        (["99999999999999999999.jpg"], [1]),  # too large for JSON readers
    ],
)
def test_an_image_id_is_the_number_in_the_name_or_counted_from_1(tmp_path: Path, paths: list[str], ids: list[int]) -> None:
    results = coco.Results(tmp_path / "results.json", [Path(path) for path in paths])
    assert [results.image_id(Path(path)) for path in paths] == ids


def test_ids_of_images_and_categories_are_looked_up_in_annotations(tmp_path: Path) -> None:
    annotations = {"images": [{"id": 31, "file_name": "val/cat.jpg"}, {"id": 4, "file_name": "dog.jpg"}],
                   "categories": [{"id": 17, "name": "Cat"}]}  # fmt: skip
    (tmp_path / "annotations.json").write_text(json.dumps(annotations), encoding="utf-8")
    results = coco.Results(tmp_path / "results.json", [Path("1.jpg")], tmp_path / "annotations.json")
    assert [results.image_id(Path(path)) for path in ("x/cat.jpg", "1.jpg", "dog.jpg")] == [31, None, 4]
    results.add(31, [detection(15, "cat"), detection(16, "dog")], FRAME, None)
    assert [(e["image_id"], e["category_id"]) for e in written(results)] == [(31, 17)] and results.missing == {"dog"}


def test_results_do_not_replace_the_pictures_or_the_annotations(tmp_path: Path) -> None:
    picture, annotations = tmp_path / "a.jpg", tmp_path / "annotations.json"
    picture.write_bytes(b"")
    annotations.write_text('{"images": [{"id": 1, "file_name": "a.jpg"}]}', encoding="utf-8")
    for path in (picture, annotations):
        with pytest.raises(command.UserError, match="is also an input of this command: choose another name"):
            coco.Results(path, [picture], annotations)


@pytest.mark.parametrize(
    "text, message",
    [("{", "expected annotations in COCO's format"),
     pytest.param("[" * 100_000, "expected annotations in COCO's format", id="100,000 brackets"),
     ("[]", "expected annotations in COCO's format"), ('{"images": [{}]}', "expected annotations"),
     ('{"images": [{"id": 1, "file_name": "a/x.jpg"}, {"id": 2, "file_name": "b/x.jpg"}]}', "the same file name")],
)  # fmt: skip
def test_a_file_that_is_not_annotations_is_an_error(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "annotations.json").write_text(text, encoding="utf-8")
    with pytest.raises(command.UserError, match=message):
        coco.Results(tmp_path / "results.json", [], tmp_path / "annotations.json")
    with pytest.raises(command.UserError, match="cannot be read: No such file"):
        coco.Results(tmp_path / "results.json", [], tmp_path / "absent.json")
    with pytest.raises(command.UserError, match="cannot be written"):
        coco.Results(tmp_path, [])


# --- evaluated by pycocotools ---


def boxes(number: int) -> list[Any]:
    """Three objects of two classes, at other positions in each picture."""
    at = 4 * number
    things = [Thing(3, (at, 2, at + 16, 34), {0: 0.9}), Thing(9, (at + 20, 10, at + 44, 30), {2: 0.8}),
              Thing(15, (at, 40, at + 20, 60), {0: 0.6})]  # fmt: skip
    detections: list[Any] = FakeModel([Tensor(float_head(SIZE, 80, things))], SIZE).run(n6post.YoloV8(), frame())
    assert len(detections) == 3
    return detections


def people(number: int) -> list[Any]:
    keypoints = np.random.default_rng(number).uniform(8, 50, (17, 2))
    rows = [v for x, y in keypoints for v in (x, y, 0.9)]
    head = float_head(SIZE, 1, [Thing(3, (4, 4, 60, 60), {0: 0.9}, rows)], extra=51)
    detections: list[Any] = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8Pose(), frame())
    assert len(detections) == 1
    return detections


def ground_truth(results: list[dict[str, Any]]) -> Any:
    """Annotations with the same objects as the results."""
    annotations = []
    for number, result in enumerate(results):
        x, y, w, h = result["bbox"]
        annotation = {**result, "id": number + 1, "iscrowd": 0, "area": w * h}
        if "keypoints" in result:
            annotation["num_keypoints"] = sum(v > 0 for v in result["keypoints"][2::3])
        annotations.append(annotation)
    truth = pycocotools.COCO()
    truth.dataset = {
        "images": [{"id": i, "width": FRAME[0], "height": FRAME[1]} for i in sorted({r["image_id"] for r in results})],
        "categories": [{"id": i, "name": str(i)} for i in sorted({r["category_id"] for r in results})],
        "annotations": annotations,
    }
    truth.createIndex()
    return truth


def average_precisions(truth: Any, path: Path, kind: str) -> list[float]:
    """COCO's AP (IoU .50 to .95), AP50 and AP75 of a result file."""
    with contextlib.redirect_stdout(io.StringIO()):
        evaluation = cocoeval.COCOeval(truth, truth.loadRes(str(path)), kind)
        evaluation.evaluate()
        evaluation.accumulate()
        evaluation.summarize()
    return [float(value) for value in evaluation.stats[:3]]


@pytest.mark.parametrize(
    "kind, scene", [("bbox", boxes), ("bbox", people), ("keypoints", people), ("segm", lambda number: segmented())]
)
def test_ap_of_results_against_themselves_is_1(
    tmp_path: Path, kind: str, scene: Any
) -> None:
    results = coco.Results(tmp_path / "results.json", [Path(f"{number}.png") for number in range(4)])
    for number in range(4):
        results.add(results.image_id(Path(f"{number}.png")) or 0, scene(number), FRAME, None)
    entries = written(results)
    assert {entry["image_id"] for entry in entries} == {0, 1, 2, 3}
    with contextlib.redirect_stdout(io.StringIO()):
        truth = ground_truth(entries)
    assert average_precisions(truth, results.path, kind) == pytest.approx([1.0, 1.0, 1.0])


def test_ap_of_shifted_boxes_follows_from_their_iou(tmp_path: Path) -> None:
    results = coco.Results(tmp_path / "results.json", [Path(f"{number}.png") for number in range(4)])
    for number in range(4):
        results.add(number, boxes(number), FRAME, None)
    with contextlib.redirect_stdout(io.StringIO()):
        truth = ground_truth(written(results))
    moved = written(results)
    for entry in moved:
        x, y, w, h = entry["bbox"]
        dx = w * 0.23  # the IoU is .77 / 1.23 = .626, above three of the ten thresholds: .50, .55 and .60
        entry["bbox"] = [x + dx, y, w, h]
    results.path.write_text(json.dumps(moved), encoding="utf-8")
    assert average_precisions(truth, results.path, "bbox") == pytest.approx([0.3, 1.0, 0.0])


def test_a_class_map_is_written_as_one_result_per_class(tmp_path: Path) -> None:
    result = classified("Stretch")
    results = coco.Results(tmp_path / "results.json", [Path("5.png")])
    results.add(5, result, FRAME, None)
    entries = written(results)
    assert [(entry["image_id"], entry["category_id"]) for entry in entries] == [(5, 1), (5, 2)]
    assert [coco_mask.area(entry["segmentation"]) for entry in entries] == [result.area(1), result.area(2)]
    with contextlib.redirect_stdout(io.StringIO()):
        truth = pycocotools.COCO()
        truth.dataset = {"images": [{"id": 5}], "categories": [{"id": 1}, {"id": 2}], "annotations": []}
        truth.createIndex()
        assert len(truth.loadRes(str(results.path)).anns) == 2
