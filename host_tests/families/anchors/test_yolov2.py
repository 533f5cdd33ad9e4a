"""anchors/yolov2.py: YoloV2 finds what ST's C code, OpenMV's YoloLC and face-api.js find in real tensors.

test_objectness.py compares it with numpy for random tensors of all dtypes and orders.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says, survivors
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_objectness import recorded
from synthetic_objectness import drawn

NAN = float("nan")
CASES = [name for name, case in recorded().items() if case.family == "YoloV2"]
ALL: dict[str, Any] = {"max_detections": 1000, "max_candidates": 1000}


def rows_of(name: str, **options: Any) -> Array:
    case = recorded()[name]
    processor = n6post.YoloV2(**{"iou_threshold": 0.5, **case.options, **ALL, **options})
    case.model().run(processor, Framed((0, 0, case.side, case.side)))
    return np.array(survivors(processor))[:, [3, 4, 5, 6, 2, 1]]


@pytest.mark.parametrize("name", CASES)
def test_detections_are_those_of_other_software(name: str) -> None:
    case = recorded()[name]
    judges = [judge for judge in case.results if judge in ("od_yolov2_pp_process", "face-api")]
    assert len(judges) == 1
    expected = case.results[judges[0]]
    expected = expected[np.argsort(-expected[:, 4], kind="stable")]
    rows = rows_of(name)
    np.testing.assert_allclose(rows[:, :4], expected[:, :4], atol=1e-3)
    np.testing.assert_allclose(rows[:, 4:], expected[:, 4:], atol=1e-6)


def test_sts_int8_code_rounds_the_threshold_and_finds_more() -> None:
    """It keeps scores that are up to half a step below the threshold. Above it, the detections are the same."""
    case = recorded()["yolo_lc faces.bmp"]
    exact, rounded = case.results["od_yolov2_pp_process"], case.results["od_yolov2_pp_process_int8"]
    assert len(rounded) > len(exact) == len(rows_of("yolo_lc faces.bmp"))
    assert rounded[:, 4].min() < case.options["threshold"] <= exact[:, 4].min()


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("yolo_lc")])
def test_without_suppression_openmvs_yololc_finds_the_same_anchors(name: str) -> None:
    """OpenMV clips boxes to the input and cuts them to whole pixels. The threshold is exclusive there."""
    case = recorded()[name]
    expected = case.results["openmv"]
    rows = rows_of(name, iou_threshold=1.0)
    assert len(rows) == len(expected)
    rows[:, :4] = np.clip(rows[:, :4], 0, case.side)
    cut = np.concatenate([np.floor(rows[:, :2]), np.floor(rows[:, :2]) + np.floor(rows[:, 2:4] - rows[:, :2])], axis=1)
    off = np.abs(cut[:, None] - expected[None, :, :4]).max(axis=2) + 1e5 * np.abs(rows[:, None, 4] - expected[None, :, 4])
    assert (off.min(axis=0) < 1).all() and (off.min(axis=1) < 1).all()


@pytest.mark.parametrize("name", CASES)
def test_load_finds_the_family_of_recorded_outputs(name: str) -> None:
    assert type(n6post.processor_for(recorded()[name].model())).__name__ == "YoloV2"


def test_boxes_of_yolo_lc_surround_the_persons_of_the_picture() -> None:
    """With the anchors of tiny YOLOv2, all boxes would be 13 times as large as these, which is more than the picture."""
    rows = rows_of("yolo_lc bus.jpg", threshold=0.7)
    np.testing.assert_allclose(rows[0, :4], [10.6, 67.7, 45.2, 163.5], atol=8)  # the person on the left
    large = rows_of("yolo_lc bus.jpg", threshold=0.7, anchors=[13 * n for n in recorded_anchors()])
    assert (large[:, 2:4] - large[:, :2] > 300).all()


def recorded_anchors() -> list[float]:
    return [0.076023, 0.258508, 0.163031, 0.413531, 0.234769, 0.702585, 0.427054, 0.715892, 0.748154, 0.857092]


def test_yolo_lc_of_the_cameras_rom_runs_with_load(shared: Path) -> None:
    model = shared / "models" / "yolo_lc_192.tflite"
    interpreters = pytest.importorskip("ai_edge_litert.interpreter")
    interpreter = interpreters.Interpreter(str(model))
    interpreter.allocate_tensors()
    interpreter.invoke()
    (output,) = interpreter.get_output_details()
    values = interpreter.get_tensor(output["index"])
    processor = n6post.processor_for(FakeModel([Tensor(values)], (192, 192), ["person"]))
    assert type(processor).__name__ == "YoloV2" and FakeModel([Tensor(values)], (192, 192)).run(processor) == []


# --- anchors ---
@pytest.mark.parametrize(
    ("side", "cells", "width"), [(192, 12, 0.748154), (224, 14, 0.748154), (224, 7, 9.726), (416, 13, 9.726)]
)
def test_default_anchors_depend_on_the_stride(side: int, cells: int, width: float) -> None:
    values = np.full((1, cells, cells, 30), -8, np.float32)
    values[0, 3, 3, 24:] = 0, 0, -1, 0, 4, 0  # the fifth anchor
    processor = n6post.YoloV2()
    FakeModel([Tensor(values)], (side, side)).run(processor)
    ((_, _, _, x1, _, x2, _),) = survivors(processor)
    assert x2 - x1 == pytest.approx(width * np.exp(-1) * side / cells, rel=1e-5)


def test_network_without_classes_has_one() -> None:
    case = recorded()["tiny yolov2 faces.bmp"]
    assert case.tensors[0].values.shape[3] == 25
    found = case.model().run(n6post.YoloV2(**case.options))
    assert {d.class_id for d in found} == {0} and {d.label for d in found} == {"face"}


@pytest.mark.parametrize(("channels", "anchors"), [(30, [1, 2] * 4), (30, [1, 2] * 7), (24, None), (20, None)])
def test_channels_that_do_not_fit_the_anchors_are_refused(channels: int, anchors: Any) -> None:
    model = FakeModel([Tensor(np.zeros((1, 7, 7, channels), np.float32))], (224, 224))
    count = len(anchors) // 2 if anchors else 5
    expected = f"expected a map [1, h, w, anchors * (5 + classes)] of {count} anchors"
    got = f"got {channels} channels in output 0: float32 (1, 7, 7, {channels})"
    with pytest.raises(ValueError, match=says(f"{expected}, {got}")):
        model.run(n6post.YoloV2(anchors=anchors))


# --- what the tests of all families need ---
def two_classes() -> FakeModel:
    return drawn("YoloV2", ["cat", "dog"])


def in_int8() -> FakeModel:
    return drawn("YoloV2", None, [((3, 2, 20, 15), 0, 0.85)], "int8")


LARGER = [9, 8, 7, 6, 5, 4, 3, 2, 1.5, 1.5]
FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.85, (-0.1, 1.1, NAN, None, "0.5"), two_classes),
        "iou_threshold": OptionCase(0.5, 0.95, (-0.1, 1.1, NAN, None), two_classes),
        "max_detections": OptionCase(20, 1, (0, -1, 65536, 1.5, None), two_classes),
        "classes": OptionCase(None, ["dog"], ("dog", [-1], [], [1.5], 0), two_classes),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), two_classes),
        "max_candidates": OptionCase(100, 1, (0, -1, 65536, 1.5, None), two_classes),
        "labels": OptionCase(None, ["a", "b"], ("abc", [], [1]), two_classes),
        "anchors": OptionCase(None, LARGER, ([1], "12", [0, 1], [-1, 2], 3), two_classes),
    },
    frames={
        "YoloV2": FrameCase(n6post.YoloV2, two_classes, in_int8, ("anchors", None, LARGER)),
        "YoloV2 int8": FrameCase(n6post.YoloV2, in_int8, two_classes, ("threshold", 0.5, 0.7)),
    },
)
