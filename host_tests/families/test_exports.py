"""Exports of Ultralytics 8.4.82 and 8.4.190: the library finds in their outputs what Ultralytics finds in them.

data/exports.npz.xz has the outputs of small networks for a picture of 96 x 96, and the result of Ultralytics' own
suppression and masks for the same numbers. scripts/dev/recording/record_ultralytics.py made it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import mask_plane, survivors
from fakes import Array, FakeModel, Framed, Tensor
from recorded_data import about, cases, joined_bytes, stored, tensor_of

SIDE, THRESHOLD, IOU_THRESHOLD = 96, 0.25, 0.7
FAMILIES = {"detect": "YoloV8", "segment": "YoloV8Seg", "pose": "YoloV8Pose"}
LABELS = {"detect": ["ball", "box", "tent"], "segment": ["ball", "box", "tent"], "pose": ["person"]}
CASES = cases("exports")
every_export = pytest.mark.parametrize("case", CASES)


def described(case: str) -> dict[str, Any]:
    return dict(about("exports", f"{case}/described"))


def task_of(case: str) -> str:
    return case.rpartition(" ")[2]


def tensors_of(case: str) -> list[Tensor]:
    """The outputs in the types and storage orders of the file."""
    tensors = []
    for i, output in enumerate(described(case)["outputs"]):
        values = joined_bytes(stored("exports")[f"{case}/output{i}"], output["dtype"])
        if list(values.shape) != output["shape"]:
            values = values.transpose(0, 2, 3, 1)
        tensors.append(tensor_of(np.ascontiguousarray(values), output["scale"], output["zero_point"]))
    return tensors


def model_of(case: str) -> FakeModel:
    model = FakeModel(tensors_of(case), (SIDE, SIDE), LABELS[task_of(case)])
    model.input_shape = (tuple(described(case)["input"]),)
    return model


def head_of(case: str) -> Array:
    """The head's numbers, with boxes as the network puts them out."""
    (head,) = [tensor.dequantized().values[0] for tensor in tensors_of(case) if tensor.values.ndim == 3]
    return head


def test_every_format_of_both_versions_is_there_for_every_task() -> None:
    float_and_int8 = ["float16", "float32", "full_integer_quant", "int8", "integer_quant"]
    formats = {f"8.4.82 tflite {kind}" for kind in float_and_int8}
    formats |= {f"8.4.190 saved_model {kind}" for kind in float_and_int8}
    formats |= {f"8.4.190 litert {kind}" for kind in ("float32", "int8", "w8a16", "w8a32")}
    formats |= {"8.4.190 edgetpu full_integer_quant"}
    assert set(CASES) == {f"{export} {task}" for export in formats for task in FAMILIES}


@every_export
def test_an_export_gets_the_post_processor_of_its_task(case: str) -> None:
    assert type(n6post.processor_for(model_of(case))).__name__ == FAMILIES[task_of(case)]


@every_export
def test_the_library_finds_what_ultralytics_finds_in_an_export(case: str) -> None:
    task = task_of(case)
    options = {"mask_padding": 0, "mask_overlap": None} if task == "segment" else {}
    model = model_of(case)
    processor = n6post.processor_for(model, threshold=THRESHOLD, iou_threshold=IOU_THRESHOLD, **options)
    found = model.run(processor, Framed((0, 0, SIDE, SIDE)))
    boxes, scores, classes = (stored("exports")[f"{case}/{name}"] for name in ("box", "score", "class_id"))
    rows = survivors(processor)
    assert [row[1] for row in rows] == classes.tolist() == [d.class_id for d in found]
    np.testing.assert_allclose([row[2] for row in rows], scores, rtol=1e-5)
    np.testing.assert_allclose(np.reshape([row[3:] for row in rows], (-1, 4)), boxes, rtol=1e-5, atol=1e-4)
    for d, box in zip(found, boxes, strict=True):
        x, y, w, h = d.rect
        assert np.abs(np.subtract((x, y, x + w, y + h), np.clip(box, 0, SIDE))).max() <= 0.51
    if task == "pose":
        for d, points in zip(found, stored("exports")[f"{case}/keypoints"], strict=True):
            got = np.array([[float(v) for v in row] for row in d.keypoints])
            np.testing.assert_allclose(got, [[*np.clip(p[:2], 0, SIDE), p[2]] for p in points], rtol=1e-5, atol=1e-4)
    if task == "segment":
        masks = np.unpackbits(stored("exports")[f"{case}/mask"], axis=-1)[:, :, : SIDE // 4].astype(bool)
        for d, mask in zip(found, masks, strict=True):
            np.testing.assert_array_equal(mask_plane(d.mask, SIDE // 4, SIDE // 4), mask)


@every_export
def test_an_export_has_the_objects_of_the_picture(case: str) -> None:
    """Boxes in pixels leave 8 bits no scores: Ultralytics finds nothing in these files either."""
    coarse = "saved_model" in case and "integer_quant" in case
    expected = 0 if coarse else 2 if task_of(case) == "pose" else 4
    assert (stored("exports")[f"{case}/score"] > 0.3).sum() >= expected
    assert bool(len(stored("exports")[f"{case}/score"])) != coarse


@every_export
def test_diagnose_has_only_the_findings_that_an_export_deserves(case: str) -> None:
    model = model_of(case)
    names = {finding.rpartition("#")[2].rstrip(")") for finding in n6post.diagnose(model, model.outputs())}
    expected = {"channels-first"} if "litert" in case else set()
    if case.startswith("8.4.190 saved_model full_integer_quant"):
        expected = {"coarse-scale"}
    assert names == expected


@pytest.mark.parametrize("case", [case for case in CASES if "float32" in case])
def test_weak_anchors_of_a_float_export_are_several_inputs_large(case: str) -> None:
    """Why widths and heights do not show the unit. In a head of 0..1 they reach 3 and more."""
    head = head_of(case)
    unit = SIDE if "saved_model" in case else 1
    assert head[2:4].max() > 2 * unit
    assert -0.1 * unit < head[:2].min() and head[:2].max() < 1.1 * unit


@pytest.mark.parametrize("name", ["fruit_float", "fruit"])
def test_a_shared_model_finds_most_of_the_fruit_in_its_pictures(shared: Path, name: str) -> None:
    """The truth is what the pictures were drawn from. Found: the right class with an IoU above .5."""
    pytest.importorskip("ai_edge_litert")
    import image

    folder = shared / "models" / "fruit"
    truth = json.loads((folder / "gt_test.json").read_text(encoding="utf-8"))
    model = n6post.load(str(folder / f"{name}.tflite"))
    hits = []
    for picture in truth["images"][:20]:
        img = image.Image(str(folder / "test" / picture["file_name"])).to_rgb565(copy=True)
        found = model.predict([n6post.Letterbox(img)])
        for entry in truth["annotations"]:
            if entry["image_id"] == picture["id"]:
                of_class = [d.rect for d in found if d.class_id == entry["category_id"]]
                hits.append(any(iou(rect, entry["bbox"]) > 0.5 for rect in of_class))
    assert len(hits) == 63 and np.mean(hits) > 0.8  # both find 55


def iou(a: Any, b: Any) -> float:
    """Of two boxes x, y, w, h."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    both = max(width, 0) * max(height, 0)
    return both / (a[2] * a[3] + b[2] * b[3] - both)
