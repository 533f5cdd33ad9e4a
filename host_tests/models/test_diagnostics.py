"""lib/n6post/models/diagnostics.py: every finding has a remedy in one sentence, and healthy models have none."""

from __future__ import annotations

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor, capture
from hypothesis import given, settings
from hypothesis import strategies as st
from ml.preprocessing import Normalization
from n6post.families import recognition
from n6post.models import diagnostics
from n6post.models.matching import DeferredProcessor
from n6post_pc.demo import recorded
from synthetic_heads import Thing, anchor_count, float_head, quantized, random_head
from synthetic_split_heads import Form, random_decoded_head, random_split_head
from test_matching import SHARED_FAMILIES

SIZE = (64, 64)
SCALE, ZERO_POINT = 0.0204, 24


def detector(classes: int = 2, **changes: Any) -> FakeModel:
    """A healthy int8 detector, with some of the model's attributes changed."""
    head = random_head(1, SIZE, classes, zero_point=ZERO_POINT).head
    return changed(FakeModel([head._replace(scale=SCALE)], SIZE), changes)


def heatmaps() -> FakeModel:
    return FakeModel([Tensor(noise((1, 16, 16, 13)), 1 / 256, -128)], SIZE)


def class_map(classes: int = 3) -> FakeModel:
    return FakeModel([Tensor(noise((1, 64, 64, classes)), 0.15, 3)], SIZE)


def floats() -> FakeModel:
    return FakeModel([random_head(1, SIZE, 2).head.dequantized()], SIZE)


def noise(shape: tuple[int, ...]) -> Array:
    return np.random.default_rng(5).integers(-128, 128, shape).astype(np.int8)


def changed(model: FakeModel, attributes: dict[str, Any]) -> FakeModel:
    for name, value in attributes.items():
        setattr(model, name, value)
    return model


def findings_of(model: Any, outputs: Any = None) -> list[str]:
    """The findings of diagnose, without the link to the documentation at their end."""
    found = []
    for finding in n6post.diagnose(model, outputs):
        said, pointer = finding.rsplit(" (", 1)
        assert re.fullmatch(r"docs/troubleshooting\.md#[a-z-]+\)", pointer), finding
        found.append(said)
    return found


def the_only_finding(model: FakeModel, outputs: Any = None) -> str:
    (finding,) = findings_of(model, outputs)
    assert re.match("(input \\d|output \\d|outputs|labels|processor|RAM): ", finding) and "\n" not in finding
    return finding


@pytest.mark.parametrize("model", [detector(), heatmaps(), class_map(), class_map(1), floats()])
def test_healthy_models_have_no_finding(model: FakeModel) -> None:
    assert n6post.diagnose(model) == []
    assert n6post.diagnose(model, model.outputs()) == []


# --- inputs ---
def input_findings(source: Any, **changes: Any) -> list[str]:
    model = detector(**changes)
    assert n6post.diagnose(model, model.outputs()) == []
    return [finding.rsplit(" (", 1)[0] for finding in n6post.diagnose(model, model.outputs(), inputs=[source])]


SIGNED = {"input_scale": (2 / 255,), "input_zero_point": (0,)}  # -1..1
UNSIGNED = {"input_dtype": ("B",), "input_zero_point": (0,)}  # 0..1
RGB = image.Image(64, 48, image.RGB565)


@pytest.mark.parametrize(
    ("options", "model", "name", "numbers"),
    [
        ({"scale": (-1, 1)}, {}, "scale", "0 to 1"), ({"scale": (0, 255)}, {}, "scale", "0 to 1"),
        ({"scale": (0, 255)}, SIGNED, "scale", "-1 to 0.996"), ({"scale": (-1, 1)}, UNSIGNED, "scale", "0 to 1"),
        ({"mean": (0.485, 0.456, 0.406)}, {}, "mean", "0 to 1"), ({"stdev": (0.2, 0.2, 0.2)}, {}, "stdev", "0 to 1"),
    ],
)  # fmt: skip
def test_options_that_an_integer_input_ignores_are_a_finding(
    options: dict[str, Any], model: dict[str, Any], name: str, numbers: str
) -> None:
    kind = "uint8" if "input_dtype" in model else "int8"
    for source in (n6post.Letterbox(RGB, **options), Normalization(**options)(RGB)):
        (finding,) = input_findings(source, **model)
        assert finding.startswith(f"input 0: {name}={options[name]!r} has no effect, because the input is {kind}: ")
        assert f"its pixels become {numbers} by" in finding


@pytest.mark.parametrize(
    ("options", "model"),
    [
        ({}, {}), ({}, SIGNED), ({}, UNSIGNED), ({"scale": (-1, 1)}, SIGNED), ({"scale": (0.0, 1.0)}, {}),
        ({"scale": (0, 255)}, {"input_scale": (1.0,)}), ({"scale": (-1, 1), "mean": (1, 2, 3)}, {"input_dtype": ("f",)}),
    ],
)  # fmt: skip
def test_options_that_agree_with_the_input_are_no_finding(options: dict[str, Any], model: dict[str, Any]) -> None:
    for source in (n6post.Stretch(RGB, **options), Normalization(**options)(RGB)):
        assert input_findings(source, **model) == []


def test_a_gray_picture_for_a_network_of_colors_is_a_finding() -> None:
    gray = image.Image(64, 48, image.GRAYSCALE)
    for source in (n6post.Letterbox(gray), Normalization()(gray)):
        (finding,) = input_findings(source)
        assert finding.startswith("input 0: the picture is GRAYSCALE and the network, whose input is (1, 64, 64, 3), was")
        assert input_findings(source, input_shape=((1, 64, 64, 1),)) == []
    assert input_findings(np.zeros((1, 64, 64, 3), np.uint8)) == input_findings(lambda *_: None) == []


def test_inputs_that_are_no_list_are_refused() -> None:
    with pytest.raises(ValueError, match="^inputs: expected a list, as `predict` takes it, got Letterbox$"):
        n6post.diagnose(detector(), inputs=n6post.Letterbox(RGB))


# --- outputs that never change ---


@pytest.mark.parametrize("value", [0, -128, 77])
@pytest.mark.parametrize("make", [detector, heatmaps, class_map, floats])
def test_constant_output_means_that_the_weights_were_not_loaded(make: Any, value: int) -> None:
    model = make()
    model.tensors[0].values[...] = value
    finding = the_only_finding(model, model.outputs())
    assert finding.startswith(f"output 0: every number of it is {value}")
    assert "weights" in finding and "write" in finding


@pytest.mark.parametrize("floating", [False, True])
def test_heatmaps_of_zeros_may_show_an_empty_scene(floating: bool) -> None:
    empty = Tensor(np.full((1, 16, 16, 13), -128, np.int8), 1 / 256, -128)
    model = FakeModel([empty.dequantized() if floating else empty], SIZE)
    assert "unless the scene is empty" in the_only_finding(model, model.outputs())
    model.tensors[0].values[...] = 77
    assert "scene" not in the_only_finding(model, model.outputs())


def test_second_output_is_checked_too() -> None:
    head = random_head(1, SIZE, 2, coefficients=32)
    assert head.prototypes is not None
    head.prototypes.values[...] = 0
    assert "output 1: every number" in the_only_finding(head.model(), head.model().outputs())


def test_one_different_value_at_the_end_is_not_a_constant_output() -> None:
    model = class_map()
    model.tensors[0].values[...] = 0
    model.tensors[0].values[0, -1, -1, -1] = 1
    assert n6post.diagnose(model, model.outputs()) == []


@pytest.mark.parametrize("shape", [(1, 64, 64), (1, 64, 64, 1)])
def test_class_map_of_one_class_is_no_finding(shape: tuple[int, ...]) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.uint8), 1.0, 0)], SIZE)
    assert n6post.diagnose(model, model.outputs()) == []


# --- scales ---


@pytest.mark.parametrize("scale", [2956686.0, 0.0, -0.01, float("nan"), float("inf"), 1e-12])
@pytest.mark.parametrize("make", [detector, class_map])
def test_absurd_scale_means_that_the_conversion_failed(make: Any, scale: float) -> None:
    finding = the_only_finding(changed(make(), {"output_scale": (scale,)}))
    assert "scale" in finding and "conversion" in finding and "convert" in finding


@pytest.mark.parametrize("shape", [(1, 64, 64), (1, 64, 64, 1), (1, 1, 64, 64)])
def test_class_ids_need_no_scale(shape: tuple[int, ...]) -> None:
    model = FakeModel([Tensor(np.zeros(shape, np.uint8), 0.0, 0)], SIZE)
    assert n6post.diagnose(model) == n6post.diagnose(model, model.outputs()) == []
    assert "conversion" in the_only_finding(changed(model, {"output_scale": (2956686.0,)}))


def test_scale_of_a_float_output_is_ignored() -> None:
    assert n6post.diagnose(changed(floats(), {"output_scale": (0.0,)})) == []


def test_int8_boxes_in_pixels_sharing_a_scale_with_scores_are_found() -> None:
    finding = the_only_finding(detector(output_scale=(64 / 255,), output_zero_point=(-128,)))
    assert "boxes in pixels" in finding and "boxes in 0..1" in finding


def test_scale_that_rounds_every_score_to_zero_is_found() -> None:
    finding = the_only_finding(detector(output_scale=(640 / 255,), output_zero_point=(-128,)))
    assert "nothing can pass" in finding and "float outputs" in finding


def test_int16_boxes_in_pixels_leave_scores_enough_steps() -> None:
    head = random_head(1, SIZE, 2).head
    wide = Tensor(head.values.astype(np.int16) * 100, 64 / 32767, 0)
    assert n6post.diagnose(FakeModel([wide], SIZE)) == []


@pytest.mark.parametrize("make", [detector, heatmaps])
def test_threshold_above_the_largest_possible_score_is_found(make: Any) -> None:
    model = changed(make(), {"output_scale": (0.002,), "output_zero_point": (0,)})
    finding = the_only_finding(model)
    assert "largest score" in finding and "0.25" in finding and "calibrated" in finding


def test_threshold_comes_from_the_attached_processor() -> None:
    model = detector(output_scale=(0.002,), output_zero_point=(0,), postprocess=n6post.YoloV8(threshold=0.1))
    assert n6post.diagnose(model) == []
    model = detector(output_scale=(0.006,), output_zero_point=(0,), postprocess=n6post.YoloV8(threshold=0.9))
    assert "threshold is 0.9" in the_only_finding(model)


def test_coarse_scale_of_class_logits_is_no_finding() -> None:
    assert n6post.diagnose(changed(class_map(), {"output_scale": (2.5,)})) == []


# --- arrays that differ from the model ---


def test_array_shape_that_differs_from_the_model_is_found() -> None:
    model = detector()
    (head,) = model.outputs()
    finding = the_only_finding(model, [head.reshape((1, head.shape[2], 6))])
    assert finding.startswith("output 0: its array is (1, 84, 6) and the model says (1, 6, 84): ")


@pytest.mark.parametrize("count", [0, 2])
def test_array_count_that_differs_from_the_model_is_found(count: int) -> None:
    model = detector()
    finding = the_only_finding(model, model.outputs() * count)
    assert finding.startswith(f"outputs: there are {count} and the model describes 1: ")


# --- float copies, NaN ---


def test_float_arrays_of_an_int8_model_are_found() -> None:
    model = detector()
    copies = FakeModel([model.tensors[0].dequantized()], SIZE).outputs()
    finding = the_only_finding(model, copies)
    assert "float" in finding and "'b'" in finding and "attach a post-processor" in finding


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_nan_and_infinity_are_found(value: float) -> None:
    model = floats()
    model.tensors[0].values[0, -1, -1] = value
    assert "NaN or infinity" in the_only_finding(model, model.outputs())


def test_output_of_only_nan_is_one_finding() -> None:
    model = floats()
    model.tensors[0].values[...] = np.nan
    assert "NaN or infinity" in the_only_finding(model, model.outputs())


# --- end-to-end heads ---


def end_to_end(classes: int, scale: float, boxes: float = 1.0, **changes: Any) -> FakeModel:
    """int8 rows x1, y1, x2, y2, score, class, as a converter quantizes them together."""
    random = np.random.default_rng(4)
    rows = np.zeros((1, 300, 6))
    rows[0, :, :2] = random.uniform(0, 0.5, (300, 2)) * boxes
    rows[0, :, 2:4] = rows[0, :, :2] + 0.3 * boxes
    rows[0, :, 4] = np.linspace(0.9, 0.01, 300)
    rows[0, :, 5] = random.integers(0, classes, 300)
    return changed(FakeModel([quantized(rows, scale, -128)], SIZE), changes)


@pytest.mark.parametrize(("classes", "scale"), [(80, 79 / 255), (40, 39 / 255)])
def test_int8_end_to_end_head_of_many_classes_is_found_by_its_scale(classes: int, scale: float) -> None:
    finding = the_only_finding(end_to_end(classes, scale))
    assert "class numbers" in finding and "raw head" in finding and "nms=None" in finding


def test_int8_end_to_end_head_without_scores_is_found() -> None:
    model = end_to_end(80, 79 / 255)
    model.tensors[0].values[..., :5] = -128
    findings = n6post.diagnose(model, model.outputs())
    assert len(findings) == 2 and "every score is 0" in findings[1] and "float outputs" in findings[1]
    model = FakeModel([model.tensors[0].reordered(0, 2, 1)], SIZE)
    assert "every score is 0" in n6post.diagnose(model, model.outputs())[1]
    # The same for as many rows as the input has anchors.
    rows = end_to_end(80, 79 / 255).tensors[0].values[:, :189].copy()
    rows[..., :5] = -128
    model = FakeModel([Tensor(rows, 79 / 255, -128)], (96, 96))
    assert "every score is 0" in n6post.diagnose(model, model.outputs())[1]


def test_end_to_end_head_that_cannot_express_the_last_class_is_found() -> None:
    model = end_to_end(5, 4 / 255, labels=[f"class {i}" for i in range(80)])
    finding = the_only_finding(model)
    assert "largest class number that it can express is 4" in finding and "80 labels" in finding


@pytest.mark.parametrize("given", [False, True])
def test_healthy_end_to_end_heads_are_no_finding(given: bool) -> None:
    for model in (
        end_to_end(3, 2 / 255, labels=["a", "b", "c"]),
        FakeModel([end_to_end(3, 2 / 255).tensors[0].dequantized()], SIZE, [f"class {i}" for i in range(80)]),
    ):
        assert n6post.diagnose(model, model.outputs() if given else None) == []


def test_end_to_end_head_of_zeros_may_be_an_empty_scene() -> None:
    model = FakeModel([Tensor(np.zeros((1, 300, 6), np.float32))], SIZE)
    assert "unless the scene is empty" in the_only_finding(model, model.outputs())


# --- labels ---


@pytest.mark.parametrize("count", [79, 81])
def test_labels_that_do_not_match_the_class_count_are_found(count: int) -> None:
    model = detector(80, labels=[f"class {i}" for i in range(count)])
    finding = the_only_finding(model)
    assert "80 classes" in finding and f"{count} labels" in finding and ".txt" in finding


def test_labels_of_segmenters_and_class_maps_are_counted_too() -> None:
    head = random_head(1, SIZE, 5, coefficients=32)
    assert "5 classes" in the_only_finding(changed(head.model(), {"labels": ["a", "b"]}))
    assert "3 classes" in the_only_finding(changed(class_map(), {"labels": ["a", "b"]}))


def test_labels_of_the_processor_are_checked_if_the_model_shows_none() -> None:
    model = detector(80, postprocess=n6post.YoloV8(labels=["class"] * 81))
    assert "81 labels" in the_only_finding(model)


@pytest.mark.parametrize("count", [80, 0])
def test_matching_or_missing_labels_are_no_finding(count: int) -> None:
    labels = [f"class {i}" for i in range(count)]
    assert n6post.diagnose(detector(80, labels=[*labels, ""])) == []
    assert n6post.diagnose(detector(80, labels=labels or None)) == []


def test_labels_of_keypoints_are_counted_too() -> None:
    assert findings_of(changed(heatmaps(), {"labels": [f"keypoint {i}" for i in range(13)] + ["shoulder"]})) == [
        "labels: expected one name or 13, one per keypoint, and there are 14: correct the .txt file beside the model"
    ]


def test_single_label_of_a_person_is_no_finding() -> None:
    assert n6post.diagnose(changed(heatmaps(), {"labels": ["person"]})) == []


# --- memory ---


def large_map() -> FakeModel:
    return FakeModel([Tensor(np.zeros((1, 512, 512, 5), np.int8), 0.1, 0)], (512, 512))


def test_map_too_large_as_floats_is_found_without_a_processor() -> None:
    finding = the_only_finding(large_map())
    assert "5.2 MB" in finding and "n6post.load" in finding
    assert n6post.diagnose(changed(large_map(), {"postprocess": n6post.DeepLab()})) == []


def test_small_heap_makes_smaller_maps_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    model = FakeModel([Tensor(noise((1, 320, 320, 2)), 0.1, 0)], (320, 320))
    assert n6post.diagnose(model) == []

    def allocated(size: int) -> bytearray:
        if size > 500_000:
            raise MemoryError
        return bytearray(size)

    monkeypatch.setattr(diagnostics, "bytearray", allocated, raising=False)
    assert "0.8 MB" in the_only_finding(model)


def test_more_ram_than_the_npu_has_is_found() -> None:
    finding = the_only_finding(detector(ram=3 << 20))
    assert "3.0 MiB" in finding and "1.75 MiB" in finding and "smaller input" in finding
    assert n6post.diagnose(detector(ram=1_800_000)) == []


def test_npu_limit_is_1_75_mebibytes() -> None:
    assert n6post.diagnose(detector(ram=7 << 18)) == []
    assert the_only_finding(detector(ram=(7 << 18) + 1)).startswith("RAM: ")


# --- families, processors and inputs ---


def segmenter() -> FakeModel:
    return random_head(1, SIZE, 2, coefficients=32).model()


def described(*outputs: tuple[int, ...], size: tuple[int, ...] = (1, 64, 64, 3), **more: Any) -> Any:
    return SimpleNamespace(output_shape=outputs, output_dtype=("f",) * len(outputs), input_shape=(size,), **more)


OURS = {"YoloV8": detector, "YoloV8Seg": segmenter, "MoveNet": heatmaps, "DeepLab": class_map}
OURS["YoloV8Pose"] = lambda: described((1, 56, anchor_count(SIZE)))


@pytest.mark.parametrize("right", OURS)
@pytest.mark.parametrize("attached", OURS)
def test_processor_of_another_family_is_found_and_the_right_one_named(attached: str, right: str) -> None:
    model = OURS[right]()
    model.postprocess = getattr(n6post, attached)()
    findings = findings_of(model)
    if attached == right:
        assert findings == []
    else:
        assert findings[0].startswith(f"processor: {attached} is attached and the outputs are those of ")
        assert findings[0].endswith(f": attach n6post.{right}()")


def test_processor_that_is_one_of_several_fitting_is_no_finding() -> None:
    model = described((1, 17, anchor_count(SIZE)))  # 13 classes, or four keypoints
    for name, fits in (("YoloV8", True), ("YoloV8Pose", True), ("DeepLab", False)):
        model.postprocess = getattr(n6post, name)()
        assert (n6post.diagnose(model) == []) == fits
    assert findings_of(model)[0].endswith("attach n6post.YoloV8() or n6post.YoloV8Pose()")


def test_custom_processor_is_no_finding() -> None:
    class Mine(n6post.YoloV8):
        pass

    for own in (Mine(), lambda model, inputs, outputs: None, n6post.YoloV8Pose(class_count=5)):
        assert n6post.diagnose(described((1, 84, anchor_count(SIZE)), postprocess=own)) == []


def test_processor_attached_by_load_is_no_finding() -> None:
    model = detector(80)
    model.postprocess = DeferredProcessor(n6post.processor_for(model))
    assert n6post.diagnose(model) == []


@pytest.mark.parametrize("name", OURS)
def test_class_in_place_of_a_processor_is_found(name: str) -> None:
    model = OURS[name]()
    model.postprocess = getattr(n6post, name)
    for labels in (None, ["a", "b"]):
        model.labels = labels if name == "YoloV8" else None
        finding = the_only_finding(model)
        assert finding.startswith("processor: ") and finding.endswith(f"write n6post.{name}(), with brackets")


def test_class_in_place_of_a_processor_raises_at_the_first_frame() -> None:
    """The firmware calls the class with model, inputs and outputs, which look like options."""
    for name, make in OURS.items():
        message = f"{name}: postprocess= needs brackets: postprocess=n6post.{name}()"
        with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
            getattr(n6post, name)(make(), [None], [])
    with pytest.raises(ValueError) as caught:
        n6post.YoloV8("0.5")
    assert "brackets" not in str(caught.value)


@pytest.mark.parametrize("shape", [(1, 3, 64, 64), (1, 3, 48, 64), (1, 1, 64, 64)])
def test_channels_first_input_is_found(shape: tuple[int, ...]) -> None:
    model = described((1, 84, anchor_count((shape[3], shape[2]))), size=shape)
    finding = the_only_finding(model)
    assert finding.startswith(f"input 0: its shape is {shape}, channels first") and "8.4.83" in finding


@pytest.mark.parametrize("shape", [(1, 64, 64, 3), (1, 64, 64, 1), (1, 48, 64, 3), (64, 64, 3), (1, 3, 64, 3)])
def test_channels_last_input_is_no_finding(shape: tuple[int, ...]) -> None:
    assert not [f for f in n6post.diagnose(described((1, 7), (1, 9), size=shape)) if f.startswith("input")]


NAMED = {
    "RT-DETR": [(1, 300, 25)],
    "D-FINE": [(1, 300, 4), (1, 300, 80)],
    "NanoDet": [(1, 64, 80), (1, 64, 32), (1, 16, 80), (1, 16, 32), (1, 4, 80), (1, 4, 32)],
    "MoveNet MultiPose": [(1, 6, 56)],
    "a regression": [(1, 1)],
    "SCRFD": [(1, n, columns) for columns in (1, 4, 10) for n in (512, 128, 32)],
    "RetinaFace": [(1, 4, 168), (1, 2, 168), (1, 10, 168)],
    "YOLOv5-seg": [(1, 252, 117), (1, 16, 16, 32)],
    "YOLOv5 without": [(1, 3, 8, 8, 85), (1, 3, 4, 4, 85), (1, 3, 2, 2, 85)],
    "YOLOv8-pose as Rockchip exports it": [(1, 65, 8, 8), (1, 65, 4, 4), (1, 65, 2, 2), (1, 17, 3, 84)],
    "CenterNet": [(1, 16, 16, 80), (1, 16, 16, 2), (1, 16, 16, 2)],
    "PoseNet": [(1, 9, 9, 17), (1, 9, 9, 34), (1, 9, 9, 32), (1, 9, 9, 32)],
    "OpenPose": [(1, 8, 8, 19), (1, 8, 8, 38)],
    "MediaPipe's pose landmarks": [(1, 195), (1, 64, 64, 1), (1, 16, 16, 39), (1, 117)],
    "MediaPipe's face landmarks with attention": [(1, n) for n in (1404, 160, 160, 142, 142, 10, 10, 1)],
    "9 keypoints of x, y": [(1, 9, 2)],
    "several vectors": [(1, 7), (1, 9)],
}


@pytest.mark.parametrize("name", NAMED)
def test_network_without_a_decoder_is_named_by_every_way_in(name: str) -> None:
    model = described(*NAMED[name])
    for attached in (None, n6post.YoloV8()):
        model.postprocess = attached
        findings = findings_of(model)
        assert len(findings) == 1 and findings[0].startswith("outputs: they are those of ") and name in findings[0]
    with pytest.raises(ValueError, match="^no family of n6post decodes .*" + re.escape(name)):
        n6post.processor_for(model)


@pytest.mark.parametrize("size", [(1, 1, 1, 3), (1, 3, 1, 1), (-1, 64, 64, 3), (1, -1, -1, 3)])
def test_input_of_open_size_is_found(size: tuple[int, ...]) -> None:
    finding = the_only_finding(described((1, 84, anchor_count(SIZE)), size=size, postprocess=n6post.YoloV8()))
    assert finding.startswith(f"input 0: its shape is {size}, so its size is not fixed") and "imgsz" in finding


@pytest.mark.parametrize("shape", [(1, 84, -1), (1, 0, 6), (-1, 1000)])
def test_output_of_open_size_is_found(shape: tuple[int, ...]) -> None:
    finding = the_only_finding(described(shape, postprocess=n6post.YoloV8()))
    assert finding.startswith(f"output 0: its shape is {shape}, so its size is not fixed")


def test_unusable_labels_are_a_finding_and_not_an_error() -> None:
    finding = the_only_finding(detector(3, labels=["a", "", "c"]))
    assert finding.startswith("labels: expected a name for every class, got a blank one for class 1: the .txt")


# --- other cases ---


def test_findings_add_up() -> None:
    model = detector(80, labels=["one"], ram=3 << 20, output_scale=(2956686.0,))
    assert len(n6post.diagnose(model)) == 3


NUMBERS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 16, 17, 18, 21, 30, 32, 56, 63, 64, 80, 84, 85, 100, 112, 128, 300, 1000, 1404)
SIDES = ((64, 64), (96, 96), (128, 128), (192, 96), (320, 320))


@st.composite
def described_models(draw: st.DrawFn) -> Any:
    """Models with any shapes, dtypes, scales and labels; mostly such as networks have."""
    width, height = draw(st.sampled_from(SIDES))
    anchors = anchor_count((width, height))
    number = st.sampled_from((*NUMBERS, anchors, 3 * anchors, width // 4, width // 8, height // 8, width, height))
    shapes = []
    for _ in range(draw(st.sampled_from((1, 1, 1, 2, 2, 3, 4, 6, 9, 12)))):
        shapes.append((1, *draw(st.lists(number, max_size=draw(st.sampled_from((1, 2, 2, 3, 3, 4)))))))
    count = len(shapes)
    dtype = draw(st.sampled_from("fbBh"))
    scale, zero_point = draw(st.sampled_from(((1 / 256, -128), (0.02, -128), (0.0204, 24), (0.1, 0), (1.0, 0))))
    return SimpleNamespace(
        input_shape=((1, height, width, 3),) if draw(st.integers(0, 9)) else draw(st.sampled_from((((1, 36),), ()))),
        output_shape=tuple(shapes),
        output_dtype=(dtype,) * count,
        output_scale=(scale,) * count,
        output_zero_point=(max(zero_point, 0) if dtype == "B" else zero_point,) * count,
        labels=[f"class {i}" for i in range(draw(st.sampled_from((0, 0, 0, 1, 2, 15, 17, 79, 80))))] or None,
    )


@settings(max_examples=400)
@given(described_models())
def test_diagnose_has_a_finding_wherever_processor_for_refuses(model: Any) -> None:
    try:
        processor = n6post.processor_for(model)
    except ValueError as error:
        findings = n6post.diagnose(model)
        assert findings, error
        names = re.findall("no family of n6post decodes (.*) of an input of", str(error))
        assert not names or any(names[0] in finding for finding in findings)
    else:
        assert type(processor).__name__ in recognition.family_names()
        n6post.diagnose(model)


def test_model_of_no_family_is_checked_too() -> None:
    model = FakeModel([Tensor(np.zeros((1, 1000, 7), np.int8), 1e9, 0)], SIZE)
    assert len(n6post.diagnose(model, model.outputs())) == 3


def test_model_with_only_shapes_is_checked_by_them() -> None:
    class Bare:
        output_shape = ((1, 6, anchor_count(SIZE)),)

    assert "no family of n6post decodes (1, 6, 84) ? of an input that is no picture" in the_only_finding(Bare())


@pytest.mark.parametrize("outputs", [3, [1.0, 2.0], [n6post.Detection((0, 0, 1, 1), 1, 0, "a", None, None)]])
def test_outputs_that_are_not_arrays_are_refused(outputs: Any) -> None:
    with pytest.raises(ValueError, match="expected a list of ndarrays"):
        n6post.diagnose(detector(), outputs)


@pytest.mark.parametrize("model", [None, 5, "model.tflite", [], FakeModel, SimpleNamespace(output_shape=7)])
def test_object_that_is_not_a_model_is_refused(model: Any) -> None:
    for asked in (n6post.diagnose, n6post.processor_for):
        with pytest.raises(ValueError, match=f"^model: expected an ml.Model, got {type(model).__name__}$"):
            asked(model)


# --- boxes in other units than the post-processor takes ---


def normalized_head(things: list[Thing], extra: int = 0) -> Tensor:
    return Tensor(float_head(SIZE, 2, things, extra, pixels=False))


THING = Thing(9, (8, 16, 40, 60), {1: 0.9})


@pytest.mark.parametrize("as_int8", [False, True])
def test_boxes_all_smaller_than_two_pixels_are_found_with_the_remedy(as_int8: bool) -> None:
    head = normalized_head([THING, Thing(20, (0, 0, 64, 64), {0: 0.7})])
    if as_int8:
        head = quantized(head.values, 1 / 120, 0)
    model = FakeModel([head], SIZE)
    model.postprocess = n6post.YoloV8(box_units="pixels")  # type: ignore[assignment]
    assert the_only_finding(model, model.outputs()) == (
        "output 0: all boxes above the threshold are smaller than 2 pixels of the input, because boxes in 0..1 were read"
        " as pixels: pass box_units='normalized'"
    )


def test_tiny_boxes_are_found_in_every_kind_of_yolo_head() -> None:
    prototypes = Tensor(np.random.default_rng(3).normal(size=(1, 16, 16, 8)).astype(np.float32))
    rows = np.zeros((1, 30, 6), np.float32)
    rows[0, 0] = 0.1, 0.2, 0.6, 0.9, 0.8, 1
    for tensors, processor in (
        ([normalized_head([THING._replace(extra=(0.5,) * 8)], 8), prototypes], n6post.YoloV8Seg(box_units="pixels")),
        ([normalized_head([THING], 51)], n6post.YoloV8Pose(box_units="pixels", class_count=2)),
        ([Tensor(rows)], n6post.YoloV8(box_units="pixels")),
    ):
        model = FakeModel(tensors, SIZE)
        model.postprocess = DeferredProcessor(processor)  # type: ignore[assignment]
        assert [f.partition(" are ")[2][:21] for f in findings_of(model, model.outputs())] == ["smaller than 2 pixels"]


@pytest.mark.parametrize(
    ("things", "units"),
    [
        ([THING], None),
        ([THING], "normalized"),
        ([], "pixels"),  # nothing above the threshold, so nothing is known
        ([THING._replace(scores={1: 0.3})], "pixels"),
        ([THING, Thing(20, (0, 0, 160, 160), {0: 0.7})], "pixels"),  # 2.5 wide, by mistake or not
    ],
)
def test_boxes_that_may_be_right_are_no_finding(things: list[Thing], units: Any) -> None:
    model = FakeModel([normalized_head(things)], SIZE)
    model.postprocess = n6post.YoloV8(box_units=units)  # type: ignore[assignment]
    assert findings_of(model, model.outputs()) == []


def test_boxes_are_checked_with_the_family_if_no_processor_is_attached(monkeypatch: pytest.MonkeyPatch) -> None:
    """A unit that was detected wrongly is found too."""
    model = FakeModel([normalized_head([THING])], SIZE)
    assert findings_of(model, model.outputs()) == []
    from n6post.families.yolo import yolov8

    monkeypatch.setattr(yolov8, "mean_center", lambda *_: 3.0)
    assert "box_units='normalized'" in the_only_finding(model, model.outputs())


# --- split heads ---


@pytest.mark.parametrize("family", ["YoloV8", "YoloV8Seg", "YoloV8Pose"])
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "float32"])
@pytest.mark.parametrize("parts", ["apart", "joined", "concatenated"])
@pytest.mark.parametrize("bins", [16, 1])
def test_healthy_split_heads_have_no_finding(family: str, dtype: str, parts: str, bins: int) -> None:
    """Their scores are logits, whose scale may be above .1."""
    if parts == "joined" and bins == 1:
        pytest.skip("joined maps have 64 box channels")
    for seed in range(3):
        head = random_split_head(
            seed,
            bins=bins,
            coefficients=16 if family == "YoloV8Seg" else 0,
            keypoints=17 if family == "YoloV8Pose" else 0,
            kinds=(dtype,),
            shared="strides" if parts == "joined" else "kinds",
        )
        for labels in (None, ["a", "b", "c"]):
            model = head.model(Form(parts=parts, order=seed), labels)
            assert findings_of(model) == findings_of(model, model.outputs()) == []
            model.postprocess = getattr(n6post, family)()
            assert findings_of(model, model.outputs()) == []


@pytest.mark.parametrize("pixels", [False, True])
@pytest.mark.parametrize("dtype", ["int8", "float32"])
def test_healthy_decoded_boxes_beside_scores_have_no_finding(pixels: bool, dtype: str) -> None:
    for seed in range(3):
        model = random_decoded_head(seed, pixels=pixels, kinds=(dtype,)).model(Form(parts="concatenated", order=seed))
        assert findings_of(model) == findings_of(model, model.outputs()) == []


def test_decoded_boxes_in_0_to_1_that_are_read_as_pixels_are_found() -> None:
    model = random_decoded_head(1, kinds=("float32",)).model(Form(parts="concatenated"))
    model.postprocess = n6post.YoloV8(box_units="pixels")  # type: ignore[assignment]
    assert the_only_finding(model, model.outputs()).endswith("pass box_units='normalized'")


def split_detector(**changes: Any) -> FakeModel:
    """Boxes of three strides (outputs 0 to 2), then scores (3 to 5) of three classes."""
    return changed(random_split_head(1, shared="own").model(), changes)


def test_logits_that_cannot_reach_the_threshold_are_found() -> None:
    """With a zero point of 127 the largest is 0: a score of .5."""
    scales = (*split_detector().output_scale[:3], 0.1, 0.1, 0.1)
    model = split_detector(output_scale=scales, output_zero_point=(0, 0, 0, 127, 0, 127))
    assert findings_of(model) == []
    model.postprocess = n6post.YoloV8(threshold=0.6)  # type: ignore[assignment]
    message = "the largest score that it can express is 0.5 and the threshold is 0.6, so nothing can pass"
    assert [f.partition(": convert")[0] for f in findings_of(model)] == [f"output 3: {message}", f"output 5: {message}"]


def test_logits_in_very_coarse_steps_are_found() -> None:
    scales = (*split_detector().output_scale[:3], 0.6, 0.5, 2.5)
    finding = the_only_finding(split_detector(output_scale=scales, output_zero_point=(0,) * 6))
    assert finding.startswith("output 5: its scale is 2.5, so a score is hardly more than 0, .5 or 1: ")


def test_probabilities_beside_boxes_need_fine_steps() -> None:
    model = random_decoded_head(1).model(Form(parts="concatenated"))
    scores = next(i for i, shape in enumerate(model.output_shape) if shape[2] == 3)
    scales, zero_points = list(model.output_scale), list(model.output_zero_point)
    scales[scores], zero_points[scores] = 0.2, -128
    finding = the_only_finding(changed(model, {"output_scale": scales, "output_zero_point": zero_points}))
    assert finding.startswith(f"output {scores}: its scale is 0.2") and "hardly more than 0 or 1" in finding
    scales[scores] = 0.001
    finding = the_only_finding(changed(model, {"output_scale": scales}))
    assert finding.startswith(f"output {scores}: the largest score that it can express is 0.26 ")


@pytest.mark.parametrize("output", [0, 3])
def test_one_constant_stride_of_a_split_head_is_no_finding(output: int) -> None:
    """A network for small objects may never use the stride of the large ones."""
    model = split_detector()
    outputs = model.outputs()
    outputs[output][:] = 5
    assert findings_of(model, outputs) == []
    for i in range(output, output + 3):
        outputs[i][:] = 5
    assert [finding[:40] for finding in findings_of(model, outputs)] == [
        f"output {i}: every number of it is 5, so the "[:40] for i in range(output, output + 3)
    ]


def test_constant_prototypes_of_a_split_head_are_found() -> None:
    model = random_split_head(1, coefficients=16).model()
    model.tensors[-1].values[:] = 3
    assert the_only_finding(model, model.outputs()).startswith("output 9: every number of it is 3, so the weights ")


def test_labels_of_a_split_head_are_counted() -> None:
    finding = the_only_finding(split_detector(labels=["a", "b"]))
    assert finding == "labels: expected 3, one per class, and there are 2: correct the .txt file beside the model"


def test_wrong_family_at_a_split_head_is_found() -> None:
    finding = the_only_finding(split_detector(postprocess=n6post.YoloV8Seg()))
    assert finding == (
        "processor: YoloV8Seg is attached and the outputs are those of a detector of 3 classes, with a split head: attach"
        " n6post.YoloV8()"
    )


def test_maps_of_another_family_are_found_by_their_numbers() -> None:
    """YOLOX: 4 box channels, the score of any object, COCO's 80 classes."""
    dice = np.random.default_rng(1)
    tensors = [Tensor(dice.normal(-6, 1, (1, 64 // s, 64 // s, 85)).astype(np.float32)) for s in (8, 16, 32)]
    model = FakeModel(tensors, SIZE)
    assert findings_of(model) == []
    finding = the_only_finding(model, model.outputs())
    assert finding.startswith("outputs: expected 64 channels for boxes") and "YOLOX" in finding


def test_boxes_that_cannot_be_told_from_classes_are_found() -> None:
    dice = np.random.default_rng(1)
    noise = [Tensor(dice.normal(0, 1, (1, 126, n)).astype(np.float32)) for n in (4, 64)]
    model = FakeModel(noise, (96, 64))
    assert the_only_finding(model, model.outputs()).endswith("give labels, one per class, 4 or 64")


# --- real models ---


def test_no_shared_model_file_raises_a_false_alarm(shared: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("onnxruntime")
    import image
    import ml

    picture = image.Image(str(shared / "pictures" / "bus.jpg"))
    for file in [shared / "models" / name for name in SHARED_FAMILIES]:
        for attach in (None, n6post.load):
            model = attach(str(file)) if attach else ml.Model(str(file))
            assert n6post.diagnose(model) == [], file.name
            seen = model.predict([picture], callback=lambda m, i, outputs: n6post.diagnose(m, outputs))
            assert seen == [], file.name


def test_no_shared_capture_raises_a_false_alarm(shared: Path) -> None:
    files = [f for f in sorted((shared / "captures").glob("*.npz")) if "oracle" not in f.name]
    assert files
    for file in files:
        model = FakeModel(*capture(file))
        assert n6post.diagnose(model, model.outputs()) == [], file.name


@pytest.mark.parametrize(("name", "picture"), recorded.names())
def test_no_recording_raises_a_false_alarm(name: str, picture: str) -> None:
    for raw in (False, True):
        model = recorded.load(name, picture).model(raw)
        assert n6post.diagnose(model, model.outputs()) == []
