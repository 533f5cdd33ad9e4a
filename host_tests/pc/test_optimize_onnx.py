"""Split heads out of quantized .onnx files. The tensors of the original, run by onnxruntime, and the float network are the
reference."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tiny_onnx_yolo as tiny
from n6post_pc.optimize.network import CannotOptimize, Optimized, finer_scales

onnx = pytest.importorskip("onnx")
onnxruntime = pytest.importorskip("onnxruntime")
from n6post_pc.optimize.onnx import optimized  # noqa: E402 - needs onnx

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Array = np.ndarray[Any, Any]

FORMS: dict[str, dict[str, Any]] = {
    "detection": {},
    "segmentation": {"task": "segment"},
    "pose": {"task": "pose", "classes": 1},
    "oriented boxes": {"task": "obb"},
    "boxes and scores joined (8.3)": {"task": "segment", "joined": True},
    "without DFL (YOLO26)": {"bins": 1},
    "four classes beside four distances": {"bins": 1, "classes": 4},
    "as many classes as coefficients": {"task": "segment", "classes": tiny.COEFFICIENTS},
    "as many classes as box channels": {"classes": 64},
    "uint8": {"activations": "QUInt8"},
    "int16": {"activations": "QInt16"},
    "open batch": {"batch": "batch"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("onnx")


def run(data: bytes, names: list[str], seed: int = 9) -> dict[str, Array]:
    """These tensors for a random picture, computed without fusions, which round in other ways."""
    model = onnx.load_from_string(data)
    known = {output.name for output in model.graph.output}
    model.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names if name not in known)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    _, _, height, width = session.get_inputs()[0].shape
    return dict(zip(names, session.run(names, {"images": tiny.picture(width, height, seed)}), strict=True))


def outputs(new: Optimized) -> dict[str, Array]:
    return run(new.data, [output.name for output in new.after])


def by_role(arrays: dict[str, Array], role: str) -> Array:
    """All anchors of a role: [channels, N]."""
    return np.concatenate([arrays[f"{role}_{s}"][0].reshape(arrays[f"{role}_{s}"].shape[1], -1) for s in tiny.STRIDES], 1)


def sigmoid(values: Array) -> Array:
    return np.asarray(1 / (1 + np.exp(-values)))


def decoded(arrays: dict[str, Array], size: tuple[int, int]) -> tuple[Array, Array]:
    """Boxes as center and size in pixels, [4, N], and scores, [classes, N], by Ultralytics' rule, oriented ones too."""
    boxes = by_role(arrays, "boxes").astype(np.float64)
    if len(boxes) == 64:
        shares = np.exp(boxes.reshape(4, 16, -1))
        boxes = (shares * np.arange(16)[None, :, None]).sum(1) / shares.sum(1)
    anchors, strides = tiny._anchors(*size)
    x, y = (boxes[2:] - boxes[:2]) / 2
    if "angles_8" in arrays:
        (angle,) = angles(arrays)
        x, y = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
    return np.concatenate([anchors + [x, y], boxes[:2] + boxes[2:]]) * strides, sigmoid(by_role(arrays, "scores"))


def angles(arrays: dict[str, Array]) -> Array:
    return (sigmoid(by_role(arrays, "angles")) - 0.25) * np.pi


# ---- the cut ----


@pytest.mark.parametrize("options", FORMS.values(), ids=FORMS)
def test_each_output_equals_the_originals_tensor_in_every_bit(options: dict[str, Any], folder: Path) -> None:
    data = tiny.quantized(folder, **options)
    new = optimized(data)
    theirs, ours = run(data, list(new.sources.values())), outputs(new)
    for output in new.after:
        array = ours[output.name]
        assert array.shape == output.shape and array.dtype == output.dtype == "float32"
        assert np.array_equal(array, theirs[new.sources[output.name]])
        assert len(np.unique(array)) > 3


@pytest.mark.parametrize("options", FORMS.values(), ids=FORMS)
def test_the_outputs_decode_to_the_float_networks_boxes_and_scores(options: dict[str, Any], folder: Path) -> None:
    new = optimized(tiny.quantized(folder, **options))
    boxes, scores = decoded(outputs(new), new.input_size)
    network = {name: value for name, value in options.items() if name != "activations"}
    (head,) = run(tiny.float_network(**network).SerializeToString(), ["output0"]).values()
    classes = len(scores)
    assert np.abs(scores - head[0, 4 : 4 + classes]).max() < 0.05
    assert np.abs(boxes - head[0, :4]).max() < 3
    if new.task == "segment":
        assert np.abs(by_role(outputs(new), "coefficients") - head[0, 4 + classes :]).max() < 0.2
    if new.task == "obb":
        assert np.abs(angles(outputs(new)) - head[0, 4 + classes :]).max() < 0.1
    if new.task == "pose":
        raw = by_role(outputs(new), "keypoints").reshape(tiny.KEYPOINTS, 3, -1)
        anchors, strides = tiny._anchors(*new.input_size)
        points = head[0, 4 + classes :].reshape(raw.shape)
        assert np.abs((raw[:, :2] * 2 + anchors - 0.5) * strides - points[:, :2]).max() < 5
        assert np.abs(sigmoid(raw[:, 2]) - points[:, 2]).max() < 0.05


def test_it_says_what_the_network_is_and_was(folder: Path) -> None:
    new = optimized(tiny.quantized(folder, task="segment"))
    assert (new.task, new.input_size, new.original_size) == ("segment", (96, 64), (96, 64))
    assert (new.class_count, new.original_class_count) == (3, 3)
    assert [output.shape for output in new.before] == [(1, 15, 126), (1, 8, 16, 24)]
    roles = [f"{role}_{stride}" for stride in tiny.STRIDES for role in ("boxes", "scores", "coefficients")]
    assert [output.name for output in new.after] == [*roles, "prototypes"]
    # As in Ultralytics' exports of 8.4.82 and 8.4.190: 28 operators decode a head with masks.
    assert new.operators_before - new.operators_after == 28


def test_an_output_tells_the_integers_that_it_was_dequantized_from(folder: Path) -> None:
    new = optimized(tiny.quantized(folder))
    for output in new.after:
        assert output.quantization is not None
        dtype, scale, zero_point = output.quantization
        integers = outputs(new)[output.name] / scale + zero_point
        assert dtype == "int8" and output.step == scale
        assert np.abs(integers - np.round(integers)).max() < 1e-3
        assert -128 <= integers.min() and integers.max() <= 127.01


def test_the_new_file_keeps_the_rules_and_has_nothing_unused(folder: Path) -> None:
    data = tiny.quantized(folder, task="pose", classes=2)
    new = optimized(data, classes=[1], size=(64, 64))
    model = onnx.load_from_string(new.data)
    onnx.checker.check_model(model, full_check=True)
    read = {name for node in model.graph.node for name in node.input}
    made = {name for node in model.graph.node for name in node.output} | {"images"}
    constants = {one.name for one in model.graph.initializer}
    assert constants <= read <= made | constants | {""}
    assert made - read <= {output.name for output in new.after}
    assert len(new.data) < len(data)


# ---- classes ----


@pytest.mark.parametrize("options", [FORMS["segmentation"], FORMS["boxes and scores joined (8.3)"], FORMS["uint8"]])
def test_the_scores_of_the_classes_that_are_kept_stay_as_they_are(options: dict[str, Any], folder: Path) -> None:
    data = tiny.quantized(folder, **options)
    new = optimized(data, classes=[2, 0])
    assert (new.class_count, new.original_class_count) == (2, 3)
    theirs, ours = run(data, list(new.sources.values())), outputs(new)
    for name, array in ours.items():
        expected = theirs[new.sources[name]]
        assert np.array_equal(array, expected[:, [0, 2]] if name.startswith("scores") else expected)


def test_the_file_names_the_classes_that_are_kept(folder: Path, tmp_path: Path) -> None:
    import ml

    path = tmp_path / "few.onnx"
    path.write_bytes(optimized(tiny.quantized(folder), classes=[2, 0]).data)
    assert ml.Model(str(path)).labels == ["ball", "tent"]


def test_weights_that_are_quantized_inside_the_file_lose_rows_too(folder: Path) -> None:
    model = onnx.load_from_string(tiny.quantized(folder))
    integers = {one.name: one for one in model.graph.initializer if one.data_type == onnx.TensorProto.INT8}
    constants = {one.name: onnx.numpy_helper.to_array(one) for one in model.graph.initializer}
    for node in [node for node in model.graph.node if node.input[0] in integers and len(integers[node.input[0]].dims) == 4]:
        scale, point = (constants[name].reshape(-1, 1, 1, 1).astype(np.float32) for name in node.input[1:3])
        name = f"{node.input[0]}_float"
        values = (constants[node.input[0]].astype(np.float32) - point) * scale
        model.graph.initializer.append(onnx.numpy_helper.from_array(values, name))
        quantize = onnx.helper.make_node("QuantizeLinear", [name, *node.input[1:3]], [f"{name}_quantized"], axis=0)
        model.graph.node.insert(0, quantize)
        node.input[0] = f"{name}_quantized"
    data = model.SerializeToString()
    new = optimized(data, classes=[1])
    theirs, ours = run(data, list(new.sources.values())), outputs(new)
    assert all(np.array_equal(ours[f"scores_{s}"], theirs[new.sources[f"scores_{s}"]][:, [1]]) for s in tiny.STRIDES)


# ---- input size ----


@pytest.mark.parametrize("size", [(64, 128), (160, 96), (96, 96)])
def test_another_size_computes_what_the_network_made_for_it_does(size: tuple[int, int], folder: Path) -> None:
    new = optimized(tiny.quantized(folder, task="segment"), size=size)
    assert (new.input_size, new.original_size) == (size, (96, 64))
    ours = outputs(new)
    assert ours["boxes_8"].shape == (1, 64, size[1] // 8, size[0] // 8)
    head, prototypes = run(tiny.float_network("segment", size=size).SerializeToString(), ["output0", "output1"]).values()
    boxes, scores = decoded(ours, size)
    assert np.abs(scores - head[0, 4:7]).max() < 0.05
    assert np.abs(boxes - head[0, :4]).max() < 3
    assert np.abs(ours["prototypes"] - prototypes).max() < 0.2
    metadata = {entry.key: entry.value for entry in onnx.load_from_string(new.data).metadata_props}
    assert metadata["imgsz"] == str([size[1], size[0]])


# ---- scales ----


def test_a_score_map_can_get_other_steps(folder: Path) -> None:
    data = tiny.quantized(folder)
    plain = optimized(data)
    coarse = optimized(data, rescale={"scores_16": (0.25, 3)})
    old, new = outputs(plain), outputs(coarse)
    assert {output.name: output.quantization for output in coarse.after}["scores_16"] == ("int8", 0.25, 3)
    assert len(np.unique(new["scores_16"])) > 3
    assert np.array_equal(np.round(new["scores_16"] * 4), new["scores_16"] * 4)
    assert np.abs(new["scores_16"] - old["scores_16"]).max() <= 0.125 + plain.after[3].step / 2 + 1e-6
    assert all(np.array_equal(old[name], new[name]) for name in old if name != "scores_16")


def test_steps_that_are_too_coarse_are_found_behind_float_outputs(folder: Path) -> None:
    data = tiny.quantized(folder)
    assert finer_scales(optimized(data).after) == {}
    coarse = optimized(data, rescale={"scores_16": (0.25, 3), "boxes_8": (0.5, 0)})
    finer = finer_scales(coarse.after)
    assert {name: scale for name, (scale, _) in finer.items()} == pytest.approx(
        {"scores_16": 16 / 255, "boxes_8": (8 + 127 * 0.5) / 255}
    )


# ---- files that cannot be optimized ----


def refusal(data: bytes, **options: Any) -> str:
    with pytest.raises(CannotOptimize) as caught:
        optimized(data, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_float_network_is_refused(folder: Path) -> None:
    assert "computes in float: quantize it" in refusal(tiny.float_network().SerializeToString())


def test_another_format_of_quantization_is_refused(folder: Path) -> None:
    assert "quantize it in the format QDQ" in refusal(tiny.quantized(folder, form="QOperator"))


def test_an_end_to_end_network_is_refused(folder: Path) -> None:
    assert refusal(tiny.quantized(folder, end_to_end=True)).startswith("an end-to-end network (TopK inside)")


def test_an_optimized_file_is_refused(folder: Path) -> None:
    assert refusal(optimized(tiny.quantized(folder)).data).startswith("optimized already")


def test_an_open_input_size_is_refused(folder: Path) -> None:
    model = onnx.load_from_string(tiny.quantized(folder))
    model.graph.input[0].type.tensor_type.shape.dim[2].dim_param = "height"
    assert "no fixed size" in refusal(model.SerializeToString())


def test_another_network_is_refused(folder: Path) -> None:
    model = onnx.load_from_string(tiny.quantized(folder, task="segment"))
    del model.graph.output[0]  # what is left is a class map
    assert refusal(model.SerializeToString()).startswith("not a YOLOv8, YOLO11 or YOLO26 network")


def test_a_head_that_computes_shapes_is_refused(folder: Path) -> None:
    model = onnx.load_from_string(tiny.quantized(folder))
    model.graph.node.append(onnx.helper.make_node("Shape", ["output0"], ["shape"]))
    model.graph.node.append(onnx.helper.make_node("Reshape", ["output0", "shape"], ["same"]))
    model.graph.output[0].name = "same"
    assert "simplify=True" in refusal(model.SerializeToString())


def test_weights_in_another_file_are_refused(folder: Path) -> None:
    model = onnx.load_from_string(tiny.quantized(folder))
    model.graph.initializer[0].data_location = onnx.TensorProto.EXTERNAL
    assert "in another file" in refusal(model.SerializeToString())


@pytest.mark.parametrize("share", [0, 0.1, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_refused(share: float, folder: Path) -> None:
    data = tiny.quantized(folder)
    assert "damaged" in refusal(data[: int(share * len(data))]) or not share


def test_a_file_in_which_a_tensor_is_missing_is_refused(folder: Path) -> None:
    model = onnx.load_from_string(tiny.quantized(folder))
    del model.graph.node[len(model.graph.node) // 2]
    assert "damaged" in refusal(model.SerializeToString())


@pytest.mark.parametrize("size", [(100, 64), (64, 0), (-32, 32)])
def test_a_size_that_the_strides_do_not_divide_is_refused(size: tuple[int, int], folder: Path) -> None:
    assert "multiples of 32" in refusal(tiny.quantized(folder), size=size)


@pytest.mark.parametrize("classes", [[], [3], [-1], [1, 1]])
def test_classes_that_the_network_does_not_have_are_refused(classes: list[int], folder: Path) -> None:
    assert "class" in refusal(tiny.quantized(folder), classes=classes)


def test_only_scales_of_boxes_and_scores_can_change(folder: Path) -> None:
    assert "'prototypes'" in refusal(tiny.quantized(folder, task="segment"), rescale={"prototypes": (1.0, 0)})
