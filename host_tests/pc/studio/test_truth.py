"""scripts/n6post_pc/studio/truth.py: true boxes of COCO's and YOLO's files, and which of them are found."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from n6post_pc import paths
from n6post_pc.command import UserError
from n6post_pc.studio import truth
from n6post_pc.studio.workbench import Request, Workbench
from PIL import Image

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

TRUTH = paths.SAMPLE_PICTURES.parent / "truth.json"
LABELS = ["circle", "triangle", "square", "star"]


def test_hits_are_those_of_coco_evaluation(tmp_path: Path) -> None:
    """pycocotools judges the same detections of the sample pictures, placed in the pictures as they are."""
    from pycocotools.coco import COCO  # type: ignore[import-untyped]
    from pycocotools.cocoeval import COCOeval  # type: ignore[import-untyped]

    bench = Workbench(tmp_path)
    model = bench.add_model(paths.SAMPLE_MODEL).id
    bench.drop("truth.json", TRUTH.read_bytes())
    content = json.loads(TRUTH.read_text(encoding="utf-8"))
    numbers = {one["name"]: one["id"] for one in content["categories"]}
    true, entries, ours = [], [], {}
    for image in content["images"]:
        picture = bench.add_source(paths.SAMPLE_PICTURES / image["file_name"])
        answer = bench.ticks(Request(model, picture))
        true += [{"id": len(true) + k, "image_id": image["id"], "category_id": numbers[label], "bbox": rect, "iscrowd": 0,
                  "area": rect[2] * rect[3]} for k, (label, rect) in enumerate(answer["truth"], 1)]  # fmt: skip
        for score, label, rect, number in answer["ticks"]:
            entries.append({"image_id": image["id"], "category_id": numbers[label], "bbox": rect, "score": score})
            ours[len(entries)] = number >= 0
    with contextlib.redirect_stdout(io.StringIO()):
        expected = COCO()
        expected.dataset = {**content, "annotations": true}
        expected.createIndex()
        evaluation = COCOeval(expected, expected.loadRes(entries), "bbox")
        evaluation.evaluate()
    theirs = {}
    for judged in filter(None, evaluation.evalImgs):
        if judged["aRng"] == evaluation.params.areaRng[0]:
            theirs |= dict(zip(judged["dtIds"], (judged["dtMatches"][0] > 0).tolist()))
    assert ours == theirs and 20 < sum(ours.values()) < len(ours)


@pytest.mark.parametrize("size", [(640, 320), (320, 640), (320, 240)])
def test_a_box_is_placed_where_the_frame_shows_it(tmp_path: Path, size: tuple[int, int]) -> None:
    pixels = np.zeros((size[1], size[0], 3), np.uint8)
    pixels[size[1] // 4 : size[1] // 2, size[0] // 8 : size[0] // 2] = 255
    Image.fromarray(pixels).save(tmp_path / "a.png")
    bench = Workbench(tmp_path / "studio")
    frame = np.asarray(bench.source(bench.add_source(tmp_path / "a.png")).frame(0, "VGA").to_pil())
    rows, columns = (np.flatnonzero((frame[..., 0] > 127).any(axis=axis)) for axis in (1, 0))
    boxes = truth.of_yolo("a.txt", "3 0.3125 0.375 0.375 0.25\n")
    (label, rect), = truth.placed(boxes, LABELS, None, size, (640, 480))[0]
    shown = [columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1]
    assert label == "star" and np.abs(np.array(rect) - shown).max() <= 1


def test_boxes_of_other_classes_are_left_out_and_named() -> None:
    boxes: list[truth.Box] = [("Star", (0, 0, 1, 1)), ("dog", (0, 0, 1, 1)), (1, (0, 0, 1, 1)), (9, (0, 0, 1, 1))]
    placed, unknown = truth.placed(boxes, LABELS, None, (10, 10), (10, 10))
    assert [label for label, _ in placed] == ["star", "triangle"] and unknown == ["9", "dog"]
    assert [label for label, _ in truth.placed(boxes, LABELS, ["triangle"], (10, 10), (10, 10))[0]] == ["triangle"]
    assert [label for label, _ in truth.placed(boxes, None, None, (10, 10), (10, 10))[0]] == ["Star", "dog", "1", "9"]


def test_a_box_is_found_once_by_the_best_score() -> None:
    found: list[Any] = [(0.9, "star", [0, 0, 10, 10]), (0.8, "star", [0, 0, 10, 10]), (0.7, "dog", [50, 0, 10, 10])]
    assert truth.hits(found, [("star", [50, 0, 10, 10]), ("star", [0, 0, 10, 11])]) == [1, -1, -1]


def test_a_dropped_text_is_truth_only_if_it_is_one(tmp_path: Path) -> None:
    bench = Workbench(tmp_path)
    bench.add_model(paths.SAMPLE_MODEL)
    bench.add_source(paths.SAMPLE_PICTURES / "shapes_06.jpg")
    assert "labels" in bench.drop("shapes.txt", "\n".join(LABELS).encode(), next(iter(bench.models)))
    assert "true boxes: 0 of 1" in bench.drop("other.txt", b"0 0.5 0.5 0.1 0.1\n")["truth"]
    for data in (b"", b"0 0.5 0.5 0.1 0.1\n"):
        assert "true boxes: 1 of 1" in bench.drop("shapes_06.txt", data)["truth"]
    before = dict(bench._truth)
    content = json.loads(TRUTH.read_text(encoding="utf-8"))
    del content["images"][0]["width"]
    for name, data, message in (("shapes_06.txt", b"0 0.1 0.2 0.3 0.4 0.5 0.6\n", "expected labels `class cx cy w h`"),
                                ("a.json", b"{}", "a.json: expected annotations in COCO's format"),
                                ("a.json", json.dumps(content).encode(), "a.json: expected .* size of images")):  # fmt: skip
        with pytest.raises(UserError, match=message):
            bench.drop(name, data)
    assert bench._truth == before and list(bench.sources)
