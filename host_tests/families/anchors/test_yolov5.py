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
from synthetic_objectness import Found, assert_same, drawn, sigmoid
from synthetic_objectness import quantized as objectness_quantized

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


# --- YOLOv3 and YOLOv4 of darknet ---
COARSE = [81, 82, 135, 169, 344, 319]
DARKNET = {
    "v3 tiny": ([10, 14, 23, 27, 37, 58] + COARSE, [1, 1]),
    "v4 tiny": ([23, 27, 37, 58, 81, 82] + COARSE, [1.05, 1.05]),
    "v3": ([10, 13, 16, 30, 33, 23, 30, 61, 62, 45, 59, 119, 116, 90, 156, 198, 373, 326], [1, 1, 1]),
    "v4": ([12, 16, 19, 36, 40, 28, 36, 75, 76, 55, 72, 146, 142, 110, 192, 243, 459, 401], [1.2, 1.1, 1.05]),
}  # anchors and scale_x_y of darknet's .cfg files
PIXELS = 96, 64


def darknet(kind: str, dtype: str, classes: int, anchors: Any = None, per_cell: int = 3) -> tuple[list[Tensor], Found]:
    """Random maps [1, h, w, C], and what yolo_layer.c of darknet makes of their numbers, for scores from .3 on."""
    sizes, scales = DARKNET[kind]
    found: list[Any] = [], [], []
    tensors = []
    random = np.random.default_rng(len(kind) + classes)
    for level, stride in enumerate((8, 16, 32)[-len(scales) :]):
        h, w = PIXELS[1] // stride, PIXELS[0] // stride
        values = random.normal(0, 1.2, (h, w, per_cell, 5 + classes))
        values[..., 2:4] *= 0.4
        tensors.append(objectness_quantized(values.reshape(1, h, w, -1), dtype, 1 + level / 8))
        raw = tensors[-1].dequantized().values.astype(float).reshape(values.shape)
        row, column = np.indices((h, w))
        center = sigmoid(raw[..., :2]) * scales[level] - (scales[level] - 1) / 2
        center = (center + np.stack([column, row], axis=-1)[:, :, None]) * stride
        size = np.exp(raw[..., 2:4]) * np.reshape(anchors or sizes, (len(scales), per_cell, 2))[level]
        score = sigmoid(raw[..., 4]) * sigmoid(raw[..., 5:]).max(axis=-1)
        box = np.concatenate([center - size / 2, center + size / 2], axis=-1)
        seen = np.floor(np.clip(box, 0, [*PIXELS, *PIXELS]) + 0.5 + 2**-12)
        keep = (score >= 0.3) & (seen[..., 2] > seen[..., 0]) & (seen[..., 3] > seen[..., 1])
        for one, part in zip(found, (score, raw[..., 5:].argmax(axis=-1), box), strict=True):
            one.append(part[keep])
    return tensors, Found(*map(np.concatenate, found))


@pytest.mark.parametrize("dtype", ["float32", "int8", "uint8", "int16"])
@pytest.mark.parametrize("classes", [1, 3])
@pytest.mark.parametrize("kind", DARKNET)
def test_maps_of_darknet_are_decoded_as_darknet_does(kind: str, classes: int, dtype: str) -> None:
    tensors, found = darknet(kind, dtype, classes)
    options: dict[str, Any] = {"iou_threshold": 1.0, "max_detections": 2000, "max_candidates": 2000, "version": kind[:2]}
    for first in (False, True):
        stored = [one.reordered(0, 3, 1, 2) if first else one for one in tensors]
        for order in (stored, stored[::-1]):
            model = FakeModel(order, PIXELS, [f"class {k}" for k in range(classes)])
            processors = [n6post.YoloV5(0.3, **options)]
            if first or "tiny" in kind:
                processors.append(n6post.processor_for(model, threshold=0.3, **options))
            for processor in processors:
                model.run(processor, Framed((0, 0, *PIXELS)))
                assert_same(survivors(processor), found, 0.3)


def test_anchors_of_darknet_may_be_others() -> None:
    anchors = [5, 6, 20, 10, 30, 40, 60, 50]
    tensors, found = darknet("v4 tiny", "float32", 2, anchors, per_cell=2)
    options: dict[str, Any] = {"iou_threshold": 1.0, "max_detections": 2000, "max_candidates": 2000}
    processor = n6post.YoloV5(0.3, version="v4", anchors=anchors, **options)
    FakeModel(tensors, PIXELS).run(processor, Framed((0, 0, *PIXELS)))
    assert_same(survivors(processor), found, 0.3)
    with pytest.raises(ValueError, match="^anchors: expected as many for each of two strides, got 3$"):
        FakeModel(tensors, PIXELS).run(n6post.YoloV5(version="v4", anchors=[1, 2, 3, 4, 5, 6]))


def test_two_maps_need_the_version() -> None:
    tensors, _ = darknet("v3 tiny", "float32", 3)
    for labels in (None, ["a", "b", "c"]):
        model = FakeModel(tensors, PIXELS, labels)
        with pytest.raises(ValueError, match="^version: expected 'v3' or 'v4' for two maps: a tiny YOLOv3 and YOLOv4 have"):
            model.run(n6post.processor_for(model))
    with pytest.raises(ValueError, match="expected 3, one per class, got 2"):
        n6post.processor_for(FakeModel(tensors, PIXELS, ["a", "b"]))
    with pytest.raises(ValueError, match="^version: expected None for rows, whose boxes are decoded, got 'v3'$"):
        rows().run(n6post.YoloV5(version="v3"))
    fine = FakeModel(darknet("v3", "float32", 3)[0][:2], PIXELS)  # strides 8 and 16
    with pytest.raises(ValueError, match="expected rows .* of three strides"):
        fine.run(n6post.YoloV5(version="v3"))


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
        "version": OptionCase(None, "v4", ("v5", 4, ""), maps),
    },
    frames={
        "YoloV5": FrameCase(n6post.YoloV5, rows, rows_in_int16, ("class_agnostic", False, True)),
        "YoloV5 faces": FrameCase(n6post.YoloV5, faces, rows, ("threshold", 0.5, 0.65)),
        "YoloV5 maps": FrameCase(n6post.YoloV5, maps, maps_in_int8, ("threshold", 0.5, 0.7)),
        "YoloV5 maps in int8": FrameCase(n6post.YoloV5, maps_in_int8, rows, ("iou_threshold", 0.5, 0.7)),
    },
)
