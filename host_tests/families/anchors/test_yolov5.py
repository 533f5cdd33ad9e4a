"""anchors/yolov5.py: YoloV5 finds what Ultralytics' yolov5 finds in its own network, in its rows and its maps.

test_objectness.py compares it with numpy for random tensors of all dtypes and orders.
"""

from __future__ import annotations

from typing import Any

import n6post
import numpy as np
import pytest
from assertions import survivors
from fakes import FakeModel, Framed, Tensor
from family_cases import FamilyCases, FrameCase, OptionCase
from recorded_data import stored
from recorded_objectness import recorded
from synthetic_objectness import drawn

NAN = float("nan")
CASES = [name for name, case in recorded().items() if case.family == "YoloV5"]


@pytest.mark.parametrize("raw", [True, False], ids=["integers", "floats"])
@pytest.mark.parametrize("name", CASES)
def test_detections_are_those_of_ultralytics(name: str, raw: bool) -> None:
    case = recorded()[name]
    tensors = case.tensors if raw else [tensor.dequantized() for tensor in case.tensors]
    processor = n6post.YoloV5(**case.options, max_detections=300, max_candidates=1000)
    found = case.model(tensors).run(processor, Framed((0, 0, case.side, case.side)))
    rows = np.array(survivors(processor))
    expected = case.results["ultralytics"]
    np.testing.assert_allclose(rows[:, 3:], expected[:, :4], atol=1e-3)
    np.testing.assert_allclose(rows[:, 2], expected[:, 4], atol=1e-6)
    assert [d.label for d in found] == [case.labels[int(k)] for k in expected[:, 5]]


def test_rows_and_maps_of_one_network_agree() -> None:
    """The rows have one scale for boxes and scores, which moves boxes by some pixels. The maps show a part of the input."""
    rows, maps = (recorded()[name].results["ultralytics"] for name in ("yolov5n rows", "yolov5n maps"))
    for box in maps:
        moved = box[:4] + [96, 256, 96, 256]
        assert np.abs(rows[:, :4] - moved).max(axis=1).min() < 6


def test_rows_of_recorded_network_are_found_by_load() -> None:
    for name in CASES:
        if len(recorded()[name].tensors) == 1:
            assert type(n6post.processor_for(recorded()[name].model())).__name__ == "YoloV5"


# --- units ---
def test_unit_of_the_boxes_is_detected() -> None:
    wanted = [d.rect for d in drawn("YoloV5 pixels").run(n6post.YoloV5())]
    assert [d.rect for d in drawn("YoloV5 normalized").run(n6post.YoloV5())] == wanted and len(wanted) == 3
    for unit in ("pixels", "normalized"):
        assert [d.rect for d in drawn(f"YoloV5 {unit}").run(n6post.YoloV5(box_units=unit))] == wanted  # type: ignore[arg-type]
        if unit == "pixels":
            with pytest.raises(ValueError, match="expected boxes in or near the input"):
                drawn("YoloV5 pixels").run(n6post.YoloV5(box_units="normalized"))
        else:
            assert [d.rect for d in drawn(f"YoloV5 {unit}").run(n6post.YoloV5(box_units="pixels"))] != wanted


def test_unit_is_examined_again_after_a_frame_of_zeros() -> None:
    model = drawn("YoloV5 pixels")
    processor = n6post.YoloV5()
    values = model.tensors[0].values.copy()
    model.tensors[0].values[...] = 0
    assert model.run(processor) == []
    model.tensors[0].values[...] = values
    assert [d.rect for d in model.run(processor)] == [d.rect for d in drawn("YoloV5 pixels").run(n6post.YoloV5())]


# --- anchors ---
def test_anchors_belong_to_the_strides_in_ascending_order() -> None:
    anchors = [[1, 2], [3, 4], [5, 6]]
    values = [np.full((1, n, n, 6), -8, np.float32) for n in (8, 4, 2)]
    for one in values:
        one[..., 5] = 8
        one[0, 1, 1] = 0, 0, 0, 0, 4, 9  # 2 * sigmoid(0) is 1, so the box is the anchor
    processor = n6post.YoloV5(iou_threshold=1.0, anchors=anchors)
    FakeModel([Tensor(values[k]) for k in (1, 2, 0)], (64, 64)).run(processor)
    boxes = sorted([row[3:] for row in survivors(processor)], key=lambda box: box[2] - box[0])
    np.testing.assert_allclose([(x2 - x1, y2 - y1) for x1, y1, x2, y2 in boxes], anchors, rtol=1e-5)
    np.testing.assert_allclose([x1 + x2 for x1, _, x2, _ in boxes], [24, 48, 96], rtol=1e-5)


def test_anchors_that_do_not_divide_into_three_strides_are_refused() -> None:
    model = drawn("YoloV5 maps")
    with pytest.raises(ValueError, match="^anchors: expected as many for each of three strides, got 4$"):
        model.run(n6post.YoloV5(anchors=[1, 2, 3, 4, 5, 6, 7, 8]))


def test_maps_of_st_yolo_x_are_refused() -> None:
    case = recorded()["st_yolo_x bus.jpg"]
    message = (
        r"^expected maps of YOLOv5, got some like those of ST's st_yolo_x \(class logits of -?0.\d on average\): use n6post"
    )
    with pytest.raises(ValueError, match=message):
        case.model().run(n6post.YoloV5())


@pytest.mark.parametrize(("low", "high", "unit"), [(0.3, 1.0, "normalized"), (0.0, 4.2, "pixels"), (10, 90, "pixels")])
@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_the_unit_follows_from_the_mean_of_the_centers(low: float, high: float, unit: Any, dtype: str) -> None:
    rows = np.full((1, 567, 7), 0.3, np.float32)
    rows[0, :, :2] = np.linspace(low, high, 567)[:, None]
    rows[0, ::97, 4:6] = 0.9
    tensor = Tensor(rows) if dtype == "float32" else Tensor(np.round(rows * 300).astype(np.int16), 1 / 300, 0)
    network, frame = FakeModel([tensor], (96, 96)), Framed((0, 0, 60000, 60000))
    found = [network.run(n6post.YoloV5(box_units=one), frame) for one in (None, "pixels", "normalized")]
    assert found[0] == found[1 if unit == "pixels" else 2] != found[2 if unit == "pixels" else 1]


# --- what the tests of all families need ---
def rows() -> FakeModel:
    return drawn("YoloV5 pixels", ["cat", "dog"])


def maps() -> FakeModel:
    return drawn("YoloV5 maps", ["cat", "dog"])


def rows_in_int16() -> FakeModel:
    return drawn("YoloV5 normalized", None, [((3, 2, 20, 15), 0, 0.85)], "int16")


def maps_in_int8() -> FakeModel:
    return drawn("YoloV5 maps", None, [((3, 2, 20, 15), 0, 0.85)], "int8")


LARGER = [[20, 30] * 3, [40, 50] * 3, [60, 70] * 3]
LIMITS: tuple[Any, ...] = (-0.1, 1.1, NAN, None)
def faces() -> FakeModel:
    return FakeModel([Tensor(stored("yolov5_face")["rows"].copy())], (160, 96))


FAMILY_CASES = FamilyCases(
    options={
        "threshold": OptionCase(0.5, 0.85, (*LIMITS, "0.5"), rows),
        "iou_threshold": OptionCase(0.5, 0.95, LIMITS, rows),
        "max_detections": OptionCase(20, 1, (0, -1, 65536, 1.5, None), rows),
        "classes": OptionCase(None, ["dog"], ("dog", [-1], [], [1.5], 0), rows),
        "class_agnostic": OptionCase(False, True, (1, None, "no"), rows),
        "max_candidates": OptionCase(100, 1, (0, -1, 65536, 1.5, None), rows),
        "labels": OptionCase(None, ["a", "b"], ("abc", [], [1]), rows),
        "anchors": OptionCase(None, LARGER, ([1], "12", [0, 1], [-1, 2], 3), maps),
        "box_units": OptionCase(None, "normalized", ("cells", 1, ""), rows),
    },
    frames={
        "YoloV5": FrameCase(n6post.YoloV5, rows, rows_in_int16, ("class_agnostic", False, True)),
        "YoloV5 faces": FrameCase(n6post.YoloV5, faces, rows, ("threshold", 0.5, 0.65)),
        "YoloV5 maps": FrameCase(n6post.YoloV5, maps, maps_in_int8, ("threshold", 0.5, 0.7)),
        "YoloV5 maps in int8": FrameCase(n6post.YoloV5, maps_in_int8, rows, ("iou_threshold", 0.5, 0.7)),
    },
)
