"""The sample network and its pictures, from the command line to COCO's figures: a real file, float and int8.

What the pictures show was written by the script that painted them, and figures.json by PyTorch and plain numpy when the
network was trained (scripts/dev/train_network.py).
"""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import ml
import n6post
import numpy as np
import pytest
import reference
from commands import ROOT, script
from n6post_pc import paths
from n6post_pc.models import graph, pictures
from PIL import Image as PilImage

pytest.importorskip("ai_edge_litert")
# What pycocotools hands numpy has an older __array__ than numpy 2 asks for.
pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py"),
]

INT8 = paths.SAMPLE_MODEL
FLOAT = INT8.with_name("shapes_float.tflite")
TRUTH = INT8.with_name("truth.json")
FIGURES = json.loads(INT8.with_name("figures.json").read_text(encoding="utf-8"))
LABELS = ["circle", "triangle", "square", "star"]
SAMPLES = sorted(paths.SAMPLE_PICTURES.iterdir())
EVERYTHING = ("--threshold", 0.01, "--max-detections", 100)  # as figures.json has it


def truth() -> dict[str, Any]:
    return dict(json.loads(TRUTH.read_text(encoding="utf-8")))


def average_precision(results: Path) -> dict[str, float]:
    """By pycocotools: AP of a file in COCO's format of results, under the names of figures.json."""
    pytest.importorskip("pycocotools")
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    figures = {}
    with contextlib.redirect_stdout(io.StringIO()):
        expected = COCO(str(TRUTH))
        for kind, name in (("bbox", "boxes"), ("segm", "masks")):
            evaluation = COCOeval(expected, expected.loadRes(str(results)), kind)
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
            figures[f"AP of {name}"] = float(evaluation.stats[0])
    return figures


# --- the commands ---


def test_run_needs_no_arguments_to_show_the_sample_network(tmp_path: Path) -> None:
    done = script("run_model.py", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr
    assert "YoloV8Seg, input 160 x 160" in done.stdout and str(INT8) in done.stdout.splitlines()[-1]
    for label in LABELS:
        assert label in done.stdout
    for path in SAMPLES:
        with PilImage.open(path) as plain, PilImage.open(tmp_path / "out" / f"shapes__{path.stem}.png") as drawn:
            changed = np.abs(np.asarray(plain).astype(int) - np.asarray(drawn.convert("RGB"))) > 60
        shown = any(thing["image_id"] == int(path.stem.rpartition("_")[2]) for thing in truth()["annotations"])
        assert np.any(changed) == shown


def test_inspect_finds_the_box_step_of_int8_and_offers_to_optimize() -> None:
    of_float = json.loads(script("inspect_model.py", FLOAT, "--picture", SAMPLES[0], "--json").stdout)
    assert of_float["processor"] == "YoloV8Seg" and [name.partition(":")[0] for name in of_float["findings"]] == ["layers"]
    done = script("inspect_model.py", "--json")
    told = json.loads(done.stdout)
    step, optimize = told["findings"]
    assert step.startswith("box step: ") and "refit_boxes=True" in step and optimize.startswith("optimize: ")
    assert done.returncode == 1
    assert told["processor"] == "YoloV8Seg" and told["labels"] == LABELS and told["bytes"] <= 400_000
    assert [tensor["dtype"] for tensor in told["inputs"] + told["outputs"]] == ["int8"] * 3
    assert sorted(tensor["shape"] for tensor in told["outputs"]) == [[1, 40, 40, 32], [1, 40, 525]]


def test_a_camera_script_runs_on_the_sample_network_without_arguments(tmp_path: Path) -> None:
    done = script("run_on_host.py", cwd=tmp_path)
    assert done.returncode == 0 and str(INT8) in done.stderr, done.stderr
    found = Counter(re.findall(r"^(\w+) 0\.\d\d at \(", done.stdout, re.MULTILINE))
    there = Counter(LABELS[thing["category_id"] - 1] for thing in truth()["annotations"])
    assert done.stdout.count(" fps") == len(SAMPLES)
    assert set(found) == set(LABELS) and (found & there).total() >= 0.6 * there.total()
    assert (tmp_path / "out" / "yolov8_seg_pictures.png").is_file()


def test_a_script_without_a_picture_takes_no_model_of_its_own(tmp_path: Path) -> None:
    done = script("run_on_host.py", ROOT / "scripts" / "examples" / "yolov8_seg.py", "--model", FLOAT, cwd=tmp_path)
    assert done.returncode == 2 and "the following arguments are required: --picture" in done.stderr


def test_compare_tells_what_int8_costs_and_what_refit_boxes_saves() -> None:
    arguments = (INT8, paths.SAMPLE_PICTURES, "--compare", FLOAT, "--truth", TRUTH, "--json")
    plain, refit = (
        json.loads(script("run_model.py", *arguments, *more).stdout.splitlines()[-1]) for more in ((), ("--refit-boxes",))
    )
    for summary in (plain, refit):
        assert summary["found_by_both"] >= 0.8 * max(summary["found"]) and summary["mask_iou"]["mean"] > 0.9
    assert plain["box_iou"]["mean"] < 0.9 < refit["box_iou"]["mean"]
    assert refit["agree"]


# --- judged by others ---


@pytest.mark.parametrize("model", [FLOAT, INT8], ids=["float", "int8"])
def test_average_precision_is_that_of_the_trainers_own_evaluation(model: Path, tmp_path: Path) -> None:
    done = script("run_model.py", model, paths.SAMPLE_PICTURES, *EVERYTHING, "--coco", tmp_path / "found.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    ours, theirs = average_precision(tmp_path / "found.json"), FIGURES[model.stem]["sample pictures"]
    for name, value in ours.items():
        assert value == pytest.approx(theirs[name], abs=0.08) and value > 0.35


@pytest.mark.parametrize("model", [FLOAT, INT8], ids=["float", "int8"])
def test_masks_cover_the_pixels_that_were_painted(model: Path) -> None:
    run_lengths = pytest.importorskip("pycocotools.mask")
    done = script("run_model.py", model, paths.SAMPLE_PICTURES, "--json")
    best = []
    for line in map(json.loads, done.stdout.splitlines()):
        number = int(re.findall(r"\d+", line["file"])[-1])
        for thing in truth()["annotations"]:
            if thing["image_id"] == number:
                same = [d["mask"]["rle"] for d in line["detections"] if d["label"] == LABELS[thing["category_id"] - 1]]
                ious = run_lengths.iou([thing["segmentation"]], same, [0] * len(same)) if same else [[0.0]]
                best.append(np.max(ious))
    assert len(best) == len(truth()["annotations"])
    assert np.mean(np.array(best) > 0.6) > 0.6 and np.mean([iou for iou in best if iou > 0.5]) > 0.75


@pytest.mark.parametrize("model", [FLOAT, INT8], ids=["float", "int8"])
def test_each_detection_is_that_of_plain_numpy(model: Path) -> None:
    processor = n6post.YoloV8Seg(threshold=0.25, labels=LABELS, mask_overlap=None, max_detections=100)
    network = ml.Model(str(model))
    for path in SAMPLES:
        picture = pictures.read(path)

        def both(model: Any, inputs: Any, outputs: Any) -> tuple[Any, list[Any]]:
            return processor(model, inputs, outputs), [output._np.copy() for output in outputs]

        found, outputs = network.predict([picture.input("Letterbox", (160, 160))], callback=both)
        (index,) = [i for i, output in enumerate(outputs) if output.ndim == 3]
        scale, zero_point = network.output_scale[index], network.output_zero_point[index]
        scaling = {} if model == FLOAT else {"scale": scale, "zero_point": zero_point}
        candidates = reference.decode(outputs[index][0], len(LABELS), 0.25, box_unit=(160, 160), **scaling)
        # In half steps of int8 boxes have whole corners: two overlap by exactly .5, which float32 rounds up.
        exact = candidates if model == FLOAT else candidates._replace(box=np.rint(candidates.box / (80 * scale)))
        expected = candidates.take(reference.hard_nms(exact, 0.5))
        corners = reference.to_frame(expected.box.reshape(-1, 2, 2), "letterbox", (160, 160), (0, 0, *picture.size))
        rects = [reference.to_rect(box, picture.size) for box in corners.reshape(-1, 4)]
        assert [(d.class_id, tuple(d.rect)) for d in found] == list(zip(expected.class_id, rects))
        assert [d.score for d in found] == pytest.approx(expected.score.tolist(), abs=1e-6)


# --- the files ---


def test_the_head_is_concatenated_as_in_exports_of_ultralytics() -> None:
    network = graph.read(INT8)
    joined = [
        (tuple(network.tensors[operator.outputs[0]].shape), {round(network.tensors[i].scale, 7) for i in operator.inputs})
        for operator in network.operators
        if operator.name == "CONCATENATION"
    ]
    shapes = [shape for shape, _ in joined]
    assert sorted(shapes) == [(1, 4, 525), (1, 32, 525), (1, 40, 525), (1, 64, 525)]
    assert len(dict(joined)[1, 40, 525]) == 1  # one scale for boxes, scores and coefficients


def test_readme_has_the_figures_of_the_evaluation() -> None:
    page = INT8.with_name("README.md").read_text(encoding="utf-8")
    for name, figures in FIGURES.items():
        of_test = figures["200 test pictures"]
        numbers = [of_test[what] for what in ("AP of boxes", "AP50 of boxes", "AP of masks", "AP50 of masks")]
        assert f"| {' | '.join([name, *(f'{number:.3f}' for number in numbers)])} |" in page


def test_pictures_and_truth_belong_together_and_are_small() -> None:
    images = {image["file_name"]: (image["width"], image["height"]) for image in truth()["images"]}
    assert sorted(images) == [path.name for path in SAMPLES]
    for path in SAMPLES:
        with PilImage.open(path) as picture:
            assert picture.size == images[path.name]
    assert sum(path.stat().st_size for path in SAMPLES) < 100_000
