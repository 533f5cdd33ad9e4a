"""lib/n6post/families/anchors/yolox.py: YoloX finds what Megvii's and ST's own code find in real tensors.

test_objectness.py compares it with numpy for random tensors of all dtypes and orders.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says, survivors
from fakes import Array, FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_objectness import recorded
from synthetic_objectness import Network, drawn

NAN = float("nan")
CASES = [(name, judge) for name, case in recorded().items() if case.family == "YoloX" for judge in case.results]
ROWS = ["yolox_nano in cells", "yolox_nano decoded", "ddddocr page"]


def rows_of(processor: Any, model: FakeModel) -> Array:
    width, height = model.size
    model.run(processor, Framed((0, 0, width, height)))
    return np.array(survivors(processor))[:, [3, 4, 5, 6, 2, 1]]


@pytest.mark.parametrize("raw", [True, False], ids=["integers", "floats"])
@pytest.mark.parametrize(("name", "judge"), CASES)
def test_detections_are_those_of_megvii_and_st(name: str, judge: str, raw: bool) -> None:
    case = recorded()[name]
    tensors = case.tensors if raw else [tensor.dequantized() for tensor in case.tensors]
    processor = n6post.YoloX(**{"iou_threshold": 0.5, **case.options}, max_detections=1000, max_candidates=1000)
    rows = rows_of(processor, case.model(tensors))
    expected = case.results[judge]
    expected = expected[np.argsort(-expected[:, 4], kind="stable")]
    np.testing.assert_allclose(rows[:, :4], expected[:, :4], atol=1e-3)
    np.testing.assert_allclose(rows[:, 4:], expected[:, 4:], atol=1e-6)


@pytest.mark.parametrize("name", [name for name, case in recorded().items() if case.family == "YoloX"])
def test_load_finds_the_family_of_recorded_outputs(name: str) -> None:
    assert type(n6post.processor_for(recorded()[name].model())).__name__ == "YoloX"


# --- rows: which unit ---
@pytest.mark.parametrize("name", ROWS)
def test_unit_of_recorded_boxes_is_detected(name: str) -> None:
    case = recorded()[name]
    unit = "pixels" if name.endswith("decoded") else "cells"
    options: dict[str, Any] = {"iou_threshold": 0.5, **case.options}
    detected = rows_of(n6post.YoloX(**options), case.model())
    np.testing.assert_array_equal(detected, rows_of(n6post.YoloX(box_units=unit, **options), case.model()))  # type: ignore[arg-type]


@pytest.mark.parametrize("unit", ["cells", "pixels", "normalized"])
def test_unit_of_random_boxes_is_detected(unit: str) -> None:
    network = Network(f"YoloX {unit}", "float32", 2, 1)
    detected = rows_of(n6post.YoloX(0.3), network.model())
    np.testing.assert_array_equal(detected, rows_of(n6post.YoloX(0.3, box_units=unit), network.model()))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("low", "high", "unit"),
    [(-0.19, 1.19, "normalized"), (-0.21, 1.0, "cells"), (0.0, 1.21, "cells"), (-3.0, 6.9, "cells"), (0.0, 4.2, "pixels")],
)
def test_unit_follows_from_the_range_and_mean_of_the_centers(low: float, high: float, unit: Any) -> None:
    rows = np.zeros((1, 189, 7), np.float32)
    rows[0, :, :2] = np.linspace(low, high, 189)[:, None]
    rows[0, :, 2:4] = 0.3
    rows[0, 60:100:7, 4:6] = 0.9
    network = FakeModel([Tensor(rows)], (96, 96))
    frame = Framed((0, 0, 60000, 60000))  # so large that small boxes have pixels in it
    found = {one: network.run(n6post.YoloX(box_units=one), frame) for one in (None, "cells", "pixels", "normalized")}
    assert found[None] == found[unit] and len(found[unit]) > 1
    assert all(found[None] != found[one] for one in {"cells", "pixels", "normalized"} - {unit})


def test_unit_is_examined_again_after_a_frame_of_zeros() -> None:
    case = recorded()["yolox_nano decoded"]
    (tensor,) = case.tensors
    values = np.zeros_like(tensor.values)
    model = case.model([tensor._replace(values=values)])
    processor = n6post.YoloX(**case.options)
    assert model.run(processor) == []
    values[...] = tensor.values
    np.testing.assert_array_equal(rows_of(processor, model), rows_of(n6post.YoloX(**case.options), case.model()))


# --- maps: how many anchors ---
@pytest.mark.parametrize(("per_cell", "classes"), [(1, 1), (1, 13), (3, 1), (3, 3), (3, 4)])
def test_number_of_anchors_follows_from_the_labels(per_cell: int, classes: int) -> None:
    network = Network("YoloX maps", "float32", classes, 2, per_cell)
    rows = rows_of(n6post.YoloX(0.3, labels=[str(k) for k in range(classes)]), network.model(labels=False))
    assert rows[:, 5].max() < classes
    assert len(survivors_of(network)) == sum(one.size // (5 + classes) for one in network.numbers())


def survivors_of(network: Network) -> Array:
    """All anchors, however low their score is."""
    options: dict[str, Any] = {"iou_threshold": 1.0, "max_detections": 60000, "max_candidates": 60000}
    width, height = network.model().size
    # A frame of ten times the size, so that boxes have pixels in it.
    processor = n6post.YoloX(0.0, labels=[str(k) for k in range(network.classes)], **options)
    network.model(labels=False).run(processor, Framed((0, 0, width * 10, height * 10)))
    return np.array(survivors(processor))


@pytest.mark.parametrize("objectness", [-6, -2.4])
@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize("per_cell", [1, 3])
def test_number_of_anchors_follows_from_the_numbers(per_cell: int, dtype: str, objectness: float) -> None:
    """18 channels are three anchors of one class or one anchor of thirteen. A cell's objectness is mostly far below 0."""
    classes = 1 if per_cell == 3 else 13
    random = np.random.default_rng(1)
    tensors = []
    for n in (12, 6, 3):
        values = random.normal(0, 0.5, (1, n, n, per_cell, 5 + classes))
        values[..., 4] += objectness
        values[0, n // 2, n // 2, 0, 4] = 3
        values[0, n // 2, n // 2, 0, -1] = 8
        values = values.reshape(1, n, n, 18)
        tensor = Tensor(values.astype(np.float32))
        if dtype == "int8":
            tensor = Tensor(np.round(values / 0.1).astype(np.int8), 0.1, 0)
        tensors.append(tensor)
    found = FakeModel(tensors, (96, 96)).run(n6post.YoloX(iou_threshold=1.0))
    assert {d.class_id for d in found} == {classes - 1}
    anchors = [0.5, 0.5, 0.07, 0.25, 0.23, 0.7][: 2 * per_cell]
    assert found == FakeModel(tensors, (96, 96)).run(n6post.YoloX(iou_threshold=1.0, anchors=anchors))


def test_channels_that_three_anchors_do_not_divide_are_of_one() -> None:
    """25 channels: 20 classes, whose logits are far below 0, as the objectness of a second anchor would be."""
    random = np.random.default_rng(1)
    tensors = []
    for n in (12, 6, 3):
        values = random.normal(0, 0.5, (1, n, n, 25)).astype(np.float32)
        values[..., 4] -= 6
        values[..., 12:14] -= 4
        values[0, n // 2, n // 2, [4, 24]] = 3, 8
        tensors.append(Tensor(values))
    assert {d.class_id for d in FakeModel(tensors, (96, 96)).run(n6post.YoloX(iou_threshold=1.0))} == {19}


@pytest.mark.parametrize("number", [-128, 0, 7, 127])
def test_number_of_anchors_is_examined_again_after_a_constant_frame(number: int) -> None:
    case = recorded()["st_yolo_x bus.jpg"]
    model = case.model([tensor._replace(values=np.full_like(tensor.values, number)) for tensor in case.tensors])
    processor = n6post.YoloX(**case.options)
    model.run(processor)
    for constant, tensor in zip(model.tensors, case.tensors, strict=True):
        constant.values[...] = tensor.values
    assert model.run(processor) == case.model().run(n6post.YoloX(**case.options))


def test_maps_of_yolov5_are_refused() -> None:
    case = recorded()["yolov5n maps"]
    message = r"^expected maps of ST's st_yolo_x, got some like YOLOv5's, whose class logits are -\d.\d on average: use "
    with pytest.raises(ValueError, match=message):
        case.model().run(n6post.YoloX())


def test_maps_of_a_yolov5_of_one_class_are_refused() -> None:
    """Its only class logit is not trained and stays at 11."""
    random = np.random.default_rng(1)
    tensors = []
    for n in (12, 6, 3):
        values = random.normal(0, 0.5, (1, n, n, 3, 6)).astype(np.float32)
        values[..., 4] -= 6
        values[..., 5] += 11
        tensors.append(Tensor(values.reshape(1, n, n, 18)))
    with pytest.raises(ValueError, match="whose class logits are 11.. on average: use n6post.YoloV5"):
        FakeModel(tensors, (96, 96)).run(n6post.YoloX())


def test_units_follow_from_rows_of_all_strides_without_what_is_no_center() -> None:
    far = np.full((1, 3549, 7), 0.3, np.float32)
    far[0, 1100:, :2] = np.linspace(-0.8, 1.8, 2449)[:, None]  # only rows behind the first thousand show it
    odd = np.full((1, 3549, 7), 0.3, np.float32)
    odd[0, :, :2] = np.linspace(0.1, 0.9, 3549)[:, None]
    odd[0, ::800, 0] = 1e10
    odd[0, ::900, 1] = NAN
    tiny = np.full((1, 26 * 26 + 13 * 13, 7), 0.3, np.float32)  # of the strides 16 and 32
    tiny[0, :, :2] = np.linspace(-2, 3, 845)[:, None]
    for rows, unit in ((far, "cells"), (odd, "normalized"), (tiny, "cells")):
        rows[0, 500:800:60, 4:6] = 0.9
        network, frame = FakeModel([Tensor(rows)], (416, 416)), Framed((0, 0, 60000, 60000))
        options: Any = {"iou_threshold": 1.0}
        found = [network.run(n6post.YoloX(box_units=one, **options), frame) for one in (None, unit)]
        assert len(found[0]) > 1 and found[0] == found[1]


def test_a_score_that_equals_the_threshold_is_found() -> None:
    rows = np.zeros((1, 189, 7), np.float32)
    rows[0, :, :4] = 0.5
    rows[0, 40, 4:6] = 0.5, 1.0
    for number, count in ((0.5, 1), (0.499, 0)):
        rows[0, 40, 4] = number
        assert len(FakeModel([Tensor(rows)], (96, 96)).run(n6post.YoloX(0.5, box_units="normalized"))) == count


def test_anchors_that_do_not_fit_the_channels_are_refused() -> None:
    model = FakeModel([Tensor(np.zeros((1, n, n, 18), np.float32)) for n in (12, 6, 3)], (96, 96))
    got = " and ".join([f"output {k}: float32 (1, {n}, {n}, 18)" for k, n in enumerate((12, 6, 3))])
    expected = "rows [1, N, 5 + classes], or a map [1, h, w, anchors * (5 + classes)] for each of three strides"
    with pytest.raises(ValueError, match=says(f"expected {expected} of 4 anchors, got {got}")):
        model.run(n6post.YoloX(anchors=[1, 2] * 4))


# --- what the tests of all families need ---
def rows() -> FakeModel:
    return drawn("YoloX cells", ["cat", "dog"])


def maps() -> FakeModel:
    return drawn("YoloX maps", ["cat", "dog"])


def decoded_rows() -> FakeModel:
    return drawn("YoloX pixels", None, [((3, 2, 20, 15), 0, 0.85)], "int16")


def maps_in_int8() -> FakeModel:
    return drawn("YoloX maps", None, [((3, 2, 20, 15), 0, 0.85)], "int8")


LIMITS: tuple[Any, ...] = (-0.1, 1.1, NAN, None)
FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.85, (*LIMITS, "0.5"), rows),
        "iou_threshold": OptionCase(0.5, 0.95, LIMITS, rows),
        "max_detections": OptionCase(20, 1, (0, -1, 65536, 1.5, None), rows),
        "classes": OptionCase(None, ["dog"], ("dog", [-1], [], [1.5], 0), rows),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), rows),
        "max_candidates": OptionCase(100, 1, (0, -1, 65536, 1.5, None), rows),
        "labels": OptionCase(None, ["a", "b"], ("abc", [], [1]), rows),
        "anchors": OptionCase(None, [0.3, 0.3], ([1], "12", [0, 1], [-1, 2], 3), maps),
        "box_units": OptionCase(None, "normalized", ("meters", 1, ""), rows),
    },
    frames={
        "YoloX": FrameCase(n6post.YoloX, rows, decoded_rows, ("class_agnostic", False, True)),
        "YoloX decoded": FrameCase(n6post.YoloX, decoded_rows, maps, ("threshold", 0.5, 0.7)),
        "YoloX maps": FrameCase(n6post.YoloX, maps, maps_in_int8, ("anchors", None, [0.3, 0.3])),
        "YoloX maps in int8": FrameCase(n6post.YoloX, maps_in_int8, rows, ("iou_threshold", 0.5, 0.7)),
    },
)
