"""scripts/n6post_pc/optimize/tflite.py: .tflite files cut above their decoding, with other inputs and fewer classes.

tiny_yolo.py builds networks of every form, and states which tensors are their maps. LiteRT's interpreter runs both files.
"""

from __future__ import annotations

import dataclasses
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import model_files
import numpy as np
import pytest
from n6post_pc import paths
from n6post_pc.models import graph
from n6post_pc.optimize.network import CannotOptimize, Optimized, Output, finer_scales
from n6post_pc.optimize.tflite import optimized
from n6post_pc.optimize.yolo_head import Map, Role, _checked
from PIL import Image as PilImage
from tiny_yolo import Builder, Tiny

pytest.importorskip("ai_edge_litert")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Array = np.ndarray[Any, Any]

FORMS = {
    "detection": Tiny(),
    "masks": Tiny("segment"),
    "poses": Tiny("pose"),
    "oriented boxes": Tiny("obb"),
    "oriented boxes of YOLO26": Tiny("obb", bins=1),
    "oriented boxes of one class": Tiny("obb", classes=1),
    "one class": Tiny(classes=1),
    "boxes and scores joined, as by ST": Tiny("segment", joined=True),
    "without distributions, as YOLO26": Tiny(bins=1),
    "uint8": Tiny("segment", kind="UINT8"),
    "int16": Tiny("pose", kind="INT16"),
    "planes and float ends, as by LiteRT": Tiny("segment", kind="INT16", planes=True, float_ends=True),
    "attention inside, as YOLO11": Tiny(attention="batched", slicing="SLICE"),
    "attention of dense layers": Tiny(attention="dense"),
    "parts by SPLIT": Tiny("pose", bins=1, joined=True, slicing="SPLIT"),
    "parts by GATHER": Tiny("pose", slicing="GATHER"),
    "an input that is not square": Tiny(size=(96, 32)),
}
every_form = pytest.mark.parametrize("tiny", FORMS.values(), ids=FORMS)

# ST's and Ultralytics' own: task, size, classes, keypoints or not. In ../shared.
PUBLISHED = {
    "yolov8n_192": ("detect", 192, 1),
    "yolov8n_256_quant_pc_uf_pose_coco-st": ("pose", 256, 1),
    "yolov8n_320_quant_pc_ii_seg_coco-st": ("segment", 320, 80),
    "fruit/fruit": ("segment", 160, 3),
}


def run(data: bytes, picture: Array | None = None, tensors: bool = False) -> dict[str, Array]:
    """The outputs, or all tensors, by name. `picture` in 0..1, [height, width, 3]; random numbers if None."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    opened = Interpreter(
        model_content=data,
        experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
        experimental_preserve_all_tensors=True,
    )
    opened.allocate_tensors()
    (given,) = opened.get_input_details()
    shape, kind = given["shape"], given["dtype"]
    planes = shape[3] != 3
    if picture is None:
        picture = np.random.default_rng(3).random(shape[[2, 3, 1]] if planes else shape[1:])
    values = picture.transpose(2, 0, 1) if planes else picture
    if kind != np.float32:
        values = np.round(values * 255) + np.iinfo(kind).min if kind == np.int8 else np.round(values * 255)
    opened.set_tensor(given["index"], values[None].astype(kind))
    opened.invoke()
    wanted = opened.get_tensor_details() if tensors else opened.get_output_details()
    return {one["name"]: opened.get_tensor(one["index"]) for one in wanted if one["name"]}


def numbers(result: Optimized, picture: Array | None = None) -> dict[str, Array]:
    """The outputs, dequantized."""
    values = run(result.data, picture)
    return {one.name: (values[one.name].astype(float) - one.zero_point) * one.scale for one in result.after}


def assert_maps_equal(
    result: Optimized, data: bytes, picture: Array | None = None, classes: list[int] | None = None
) -> None:
    """The new file's outputs are the original's tensors, bit for bit, and show something."""
    new, old = run(result.data, picture), run(data, picture, tensors=True)
    assert list(new) == list(result.sources) == [one.name for one in result.after]
    for name, values in new.items():
        expected = old[result.sources[name]]
        if name.startswith("scores") and classes is not None:
            expected = expected[..., classes]
        assert values.dtype == expected.dtype
        assert np.array_equal(values, expected), name
    assert len(np.unique(new["boxes_8"])) > 10


def sample_picture(number: int, size: tuple[int, int]) -> Array:
    path = sorted(paths.SAMPLE_PICTURES.iterdir())[number]
    with PilImage.open(path) as image:
        return np.asarray(image.convert("RGB").resize(size), np.float64) / 255


def refused(data: bytes, **options: Any) -> str:
    with pytest.raises(CannotOptimize) as caught:
        optimized(data, **options)
    return str(caught.value)


# --- the cut ---


@every_form
def test_the_outputs_are_the_maps_of_the_heads_convolutions(tiny: Tiny) -> None:
    result = optimized(tiny.data())
    assert result.sources == tiny.sources
    assert (result.task, result.class_count, result.original_class_count) == (tiny.task, tiny.classes, tiny.classes)
    assert result.input_size == result.original_size == tiny.size
    assert_maps_equal(result, tiny.data())


def test_the_sample_network_is_cut_as_well() -> None:
    data = paths.SAMPLE_MODEL.read_bytes()
    result = optimized(data)
    assert [(one.name, one.shape) for one in result.after] == [
        ("boxes_8", (1, 20, 20, 64)), ("scores_8", (1, 20, 20, 4)), ("coefficients_8", (1, 20, 20, 32)),
        ("boxes_16", (1, 10, 10, 64)), ("scores_16", (1, 10, 10, 4)), ("coefficients_16", (1, 10, 10, 32)),
        ("boxes_32", (1, 5, 5, 64)), ("scores_32", (1, 5, 5, 4)), ("coefficients_32", (1, 5, 5, 32)),
        ("prototypes", (1, 40, 40, 32)),
    ]  # fmt: skip
    assert [(one.shape, one.dtype) for one in result.before] == [((1, 40, 525), "int8"), ((1, 40, 40, 32), "int8")]
    assert (result.operators_before, result.operators_after) == (112, 75)
    assert_maps_equal(result, data, sample_picture(0, (160, 160)))


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_networks_are_cut_bit_for_bit(shared: Path, name: str) -> None:
    data = (shared / "models" / f"{name}.tflite").read_bytes()
    task, side, count = PUBLISHED[name]
    classes = [0, 2][: max(1, count - 1)]
    result = optimized(data)
    assert (result.task, result.input_size, result.class_count) == (task, (side, side), count)
    picture = sample_picture(0, (side, side))
    assert_maps_equal(result, data, picture)
    assert_maps_equal(optimized(data, classes=classes), data, picture, classes)
    assert len(result.data) < len(data)


def test_shapes_scales_and_types_are_those_that_litert_reads() -> None:
    from ai_edge_litert.interpreter import Interpreter

    result = optimized(Tiny("segment", score_scale=0.25).data())
    opened = Interpreter(model_content=result.data)
    for one, read in zip(result.after, opened.get_output_details(), strict=True):
        scale, zero_point = read["quantization"]
        assert one == Output(read["name"], tuple(read["shape"].tolist()), read["dtype"].__name__, scale, zero_point)


@every_form
def test_nothing_is_left_that_the_new_outputs_do_not_need(tiny: Tiny) -> None:
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    data = tiny.data()
    result = optimized(data)
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(result.data, 0))
    main = model.subgraphs[0]
    used = {*main.inputs, *main.outputs, *(tensor for one in main.operators for tensor in (*one.inputs, *one.outputs))}
    assert used == set(range(len(main.tensors)))
    assert {one.buffer for one in main.tensors} == set(range(len(model.buffers)))
    assert {one.opcodeIndex for one in main.operators} == set(range(len(model.operatorCodes)))
    assert len(main.operators) == result.operators_after < result.operators_before == len(graph.parse(data).operators)
    assert len(result.data) < len(data)
    assert model.description == b"made by a test"


def test_the_signature_has_the_new_outputs() -> None:
    from ai_edge_litert.interpreter import Interpreter

    signatures = Interpreter(model_content=optimized(Tiny().data()).data).get_signature_list()
    outputs = sorted(Tiny().sources)
    assert signatures == {"serving_default": {"inputs": ["in picture"], "outputs": outputs}}


def test_constants_behind_the_flatbuffer_are_read() -> None:
    """LiteRT writes large constants there."""
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    import flatbuffers

    plain = Tiny().data()
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(plain, 0))
    large = [one for one in model.buffers if one.data is not None and len(one.data) > 100]
    contents = [bytes(one.data) for one in large]
    for _ in range(2):  # the numbers are as long as the right ones, so the size of the flatbuffer is known afterwards
        builder = flatbuffers.Builder(0)
        for one, content in zip(large, contents, strict=True):
            one.data, one.size, one.offset = None, len(content), one.offset or 1 << 20
        builder.Finish(model.Pack(builder), b"TFL3")
        start = len(builder.Output())
        for one, content in zip(large, contents, strict=True):
            one.offset, start = start, start + len(content)
    outside = bytes(builder.Output()) + b"".join(contents)
    assert len(large) > 3
    assert optimized(outside).data == optimized(plain).data


def test_the_same_file_gives_the_same_bytes() -> None:
    data = Tiny("segment").data()
    assert optimized(data, size=(96, 64), classes=[1]).data == optimized(data, size=(96, 64), classes=[1]).data


# --- fewer classes ---


@every_form
def test_the_scores_of_the_kept_classes_keep_their_bits(tiny: Tiny) -> None:
    classes = [0, 2][: tiny.classes]
    result = optimized(tiny.data(), classes=classes)
    assert (result.class_count, result.original_class_count) == (len(classes), tiny.classes)
    assert_maps_equal(result, tiny.data(), classes=classes)


def test_the_classes_keep_the_files_order() -> None:
    assert optimized(Tiny().data(), classes=[2, 0]).data == optimized(Tiny().data(), classes=[0, 2]).data


@pytest.mark.parametrize(
    ("classes", "why"),
    [
        ([], "at least one class must be kept"),
        ([0, 3], "the network has the classes 0 to 2, got 3"),
        ([-1], "the network has the classes 0 to 2, got -1"),
        ([1, 1], "a class was given twice"),
    ],
)
def test_classes_that_cannot_be_kept_are_refused(classes: list[int], why: str) -> None:
    assert why in refused(Tiny().data(), classes=classes)


def test_scores_that_the_network_uses_itself_stay_as_they_are() -> None:
    data = Tiny("pose", scores_used=True).data()
    assert_maps_equal(optimized(data), data)
    assert "cannot drop classes of the scores for stride 8: the network uses them itself" in refused(data, classes=[0])
    assert "cannot change the scale of the scores for stride 8" in refused(data, rescale={"scores_8": (0.1, 0)})


# --- another input ---


@every_form
@pytest.mark.parametrize("size", [(128, 64), (32, 96)], ids=str)
def test_another_size_gives_the_network_built_at_that_size(tiny: Tiny, size: tuple[int, int]) -> None:
    result = optimized(tiny.data(), size=size)
    built = optimized(dataclasses.replace(tiny, size=size).data())
    assert (result.input_size, result.original_size) == (size, tiny.size)
    assert result.after == built.after
    assert graph.parse(result.data).tensors[0] == graph.parse(built.data).tensors[0]
    ours, theirs = run(result.data), run(built.data)
    assert all(np.array_equal(ours[name], values) for name, values in theirs.items())


@every_form
def test_the_file_states_the_shapes_that_litert_infers(tiny: Tiny) -> None:
    result = optimized(tiny.data(), size=(96, 160))
    inferred = run(result.data, tensors=True)
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(result.data, 0))
    stated = {one.name.decode(): tuple(one.shape) for one in model.subgraphs[0].tensors}
    assert len(stated) > 30
    assert {name: inferred[name].shape for name in stated} == stated


def decoded(result: Optimized, picture: Array) -> tuple[Array, Array]:
    """Each anchor's center [N, 2], in pixels, and logits [N, classes], decoded as Ultralytics does."""
    maps, centers, logits = numbers(result, picture), [], []
    for stride in (8, 16, 32):
        boxes = np.exp(maps[f"boxes_{stride}"][0])
        rows, columns = np.indices(boxes.shape[:2])
        sides = boxes.reshape(*boxes.shape[:2], 4, 16)
        left, top, right, bottom = np.moveaxis(sides @ np.arange(16) / sides.sum(-1), 2, 0)
        middle = np.stack([columns + 0.5 + (right - left) / 2, rows + 0.5 + (bottom - top) / 2], -1)
        centers.append(stride * middle.reshape(-1, 2))
        logits.append(maps[f"scores_{stride}"][0].reshape(len(centers[-1]), -1))
    return np.concatenate(centers), np.concatenate(logits)


def test_another_size_finds_the_best_object_of_a_picture_again() -> None:
    data = paths.SAMPLE_MODEL.read_bytes()
    square, wide = optimized(data), optimized(data, size=(160, 128))
    for number in range(4):
        picture = np.full((160, 160, 3), 0.5)
        picture[20:140] = sample_picture(number, (160, 120))  # the gray bars of 4:3 in a square
        centers, logits = decoded(square, picture)
        anchor, label = np.unravel_index(logits.argmax(), logits.shape)
        assert logits[anchor, label] > 0
        others, other_logits = decoded(wide, picture[16:144])
        there = np.abs(others + [0, 16] - centers[anchor]).max(1) < 3
        assert other_logits[there, label].max() > logits[anchor, label] - 1.5


@pytest.mark.parametrize("size", [(100, 64), (64, 0), (-32, 64)])
def test_an_input_must_be_a_multiple_of_32(size: tuple[int, int]) -> None:
    assert "must be multiples of 32, got" in refused(Tiny().data(), size=size)


def test_an_operator_that_fixes_the_size_is_named() -> None:
    data = Tiny(reordered=True).data()
    assert_maps_equal(optimized(data), data)  # it can be cut
    assert "GATHER inside the network depends on the input size" in refused(data, size=(96, 96))


# --- other steps ---


def test_a_map_with_finer_steps_agrees_within_half_a_step_of_each() -> None:
    data = Tiny(score_scale=0.5).data()
    coarse, fine = optimized(data), optimized(data, rescale={"scores_8": (0.02, 10), "boxes_8": (0.03, -20)})
    for name, scale, before, zero_point in (("scores_8", 0.02, 0.5, 10), ("boxes_8", 0.03, 0.05, -20)):
        low, high = scale * (-128 - zero_point), scale * (127 - zero_point)
        expected, values = numbers(coarse)[name], numbers(fine)[name]
        inside = (expected > low + before) & (expected < high - before)
        assert np.abs(values - expected)[inside].max() <= (scale + before) / 2 + 1e-6
        assert len(np.unique(values)) > len(np.unique(expected[inside]))
    for name in ("scores_16", "boxes_16", "boxes_32"):
        assert np.array_equal(numbers(coarse)[name], numbers(fine)[name])


def test_only_maps_of_boxes_and_scores_get_other_steps() -> None:
    assert "only the scales of boxes, scores" in refused(Tiny("segment").data(), rescale={"coefficients_8": (0.1, 0)})
    assert "only the scales of boxes, scores" in refused(Tiny().data(), rescale={"scores_64": (0.1, 0)})


def output(name: str, scale: float, zero_point: int, dtype: str = "int8", channels: int = 64) -> Output:
    return Output(name, (1, 8, 8, channels), dtype, scale, zero_point)


def test_coarse_scores_get_steps_from_minus_8_to_8() -> None:
    for lowest, one in ((-128, output("scores_8", 0.487, 77)), (0, output("scores_8", 0.487, 205, "uint8"))):
        scale, zero_point = finer_scales([one])["scores_8"]
        assert (lowest - zero_point) * scale == pytest.approx(-8, abs=scale / 2)
        assert (lowest + 255 - zero_point) * scale == pytest.approx(8, abs=scale / 2)


def test_coarse_boxes_keep_their_highest_logit() -> None:
    scale, zero_point = finer_scales([output("boxes_8", 0.487, 77)])["boxes_8"]
    assert (-128 - zero_point) * scale == pytest.approx(-8, abs=scale / 2)
    assert (127 - zero_point) * scale == pytest.approx(0.487 * (127 - 77), abs=scale / 2)


def test_coarse_keypoints_get_steps_from_minus_8_to_8_beside_dfl() -> None:
    """Without DFL nothing limits how far a keypoint is from its anchor."""
    points = output("keypoints_8", 0.156, 10, channels=51)
    scale, zero_point = finer_scales([output("boxes_8", 0.09, -13), points])["keypoints_8"]
    assert (-128 - zero_point) * scale == pytest.approx(-8, abs=scale / 2)
    assert (127 - zero_point) * scale == pytest.approx(8, abs=scale / 2)
    assert finer_scales([output("boxes_8", 0.09, -13, channels=4), points]) == {}


@pytest.mark.parametrize(
    "one",
    [
        output("scores_8", 0.07, 70),  # fine already
        output("boxes_8", 0.09, -13),
        output("boxes_8", 0.4, 0, channels=4),  # distances, of which none can be left out
        output("scores_8", 0.4, 0, "int16"),
        output("coefficients_8", 0.4, 0),
        output("keypoints_8", 0.4, 0),
        output("prototypes", 0.4, 0),
    ],
    ids=lambda one: f"{one.name} {one.dtype} {one.scale}",
)
def test_other_maps_keep_their_steps(one: Output) -> None:
    assert finer_scales([one]) == {}


# --- what is attached ---


def with_archive(name: str, content: str) -> bytes:
    whole = io.BytesIO(Tiny().data())
    with zipfile.ZipFile(whole, "a") as archive:
        archive.writestr(name, content)
    return whole.getvalue()


def attached(data: bytes, name: str) -> str:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.namelist() == [name]
        return archive.read(name).decode()


METADATA = {"task": "detect", "imgsz": [64, 64], "names": {"0": "ball", "1": "box", "2": "tent"}}


def test_ultralytics_metadata_tells_the_new_input_and_classes() -> None:
    data = with_archive("metadata.json", json.dumps(METADATA))
    assert json.loads(attached(optimized(data).data, "metadata.json")) == METADATA
    changed = json.loads(attached(optimized(data, size=(96, 64), classes=[0, 2]).data, "metadata.json"))
    assert changed == {"task": "detect", "imgsz": [64, 96], "names": {"0": "ball", "1": "tent"}}


def test_the_older_metadata_of_ultralytics_stays_a_dictionary() -> None:
    known = METADATA | {"names": {0: "ball", 1: "box", 2: "tent"}}
    data = with_archive("temp_meta.txt", str(known))
    text = attached(optimized(data, classes=[1]).data, "temp_meta.txt")
    assert text == str(known | {"names": {0: "box"}})


def test_other_attached_files_stay_as_they_are() -> None:
    data = with_archive("labels.txt", "ball\nbox\ntent\n")
    assert attached(optimized(data, classes=[1]).data, "labels.txt") == "ball\nbox\ntent\n"


# --- what is refused ---


def maps_only(*channels: int) -> bytes:
    """A network that ends in maps of its own, for two strides."""
    net = Builder("INT8")
    net.tensor("picture", (1, 64, 64, 3))
    features = [net.convolution("picture", f"features {stride}", 4, stride) for stride in (8, 16)]
    outputs = [net.convolution(one, f"{one} {n}", n) for one in features for n in channels]
    return net.data(["picture"], outputs)


def two_subgraphs() -> bytes:
    schema = pytest.importorskip("ai_edge_litert.schema_py_generated")
    import flatbuffers

    model = schema.ModelT.InitFromObj(schema.Model.GetRootAsModel(Tiny().data(), 0))
    model.subgraphs *= 2
    builder = flatbuffers.Builder(0)
    builder.Finish(model.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def other_inputs(shape: tuple[int, ...], count: int = 1) -> bytes:
    """A network with inputs of a shape."""
    net = Builder("INT8")
    inputs = [net.tensor(f"input {at}", shape) for at in range(count)]
    return net.data(inputs, [net.transposed(inputs[0], "output", tuple(range(len(shape))))])


REFUSED = {
    "float": (lambda: Tiny(kind="FLOAT32").data(), "a network that computes in float"),
    "cut already": (lambda: optimized(Tiny().data()).data, "optimized already: boxes and scores are outputs of their own"),
    "end-to-end": (model_files.with_topk, "an end-to-end network (TOPK_V2 inside): export it without NMS"),
    "maps of another family": (lambda: maps_only(18), "not a YOLOv8, YOLO11 or YOLO26 network: its outputs are 2 maps"),
    "no head": (model_files.runnable, "not a YOLOv8, YOLO11 or YOLO26 network: it does not decode boxes and scores"),
    "an operator behind": (lambda: Tiny(behind="EXP").data(), "EXP stands behind its last convolutions"),
    "a cosine of everything": (lambda: Tiny(behind="COS").data(), "it does not decode boxes and scores"),
    "no prototypes": (lambda: Tiny("segment", prototypes=False).data(), "mask coefficients and prototypes do not fit"),
    "a batch": (lambda: other_inputs((2, 64, 64, 3)), "its input is [2, 64, 64, 3], not one picture"),
    "sound": (lambda: other_inputs((1, 16000)), "its input is [1, 16000], not one picture"),
    "two inputs": (lambda: other_inputs((1, 64, 64, 3), 2), "it has 2 inputs"),
    "12 bins": (lambda: Tiny(bins=12).data(), "its softmax does not run over 16 successive channels"),
    "channels interleaved": (lambda: Tiny(interleaved=True).data(), "its softmax does not run over 16 successive channels"),
    "compiled by Vela": (model_files.for_ethos, "compiled by Vela for an Ethos-U already"),
    "compiled by ST": (model_files.for_st, "compiled by ST for Neural-ART already"),
    "two subgraphs": (two_subgraphs, "the file has 2 subgraphs"),
    "text": (lambda: b"hello" * 100, "neither a .tflite nor an .onnx model"),
    "empty": (lambda: b"", "neither a .tflite nor an .onnx model"),
}


@pytest.mark.parametrize(("make", "why"), REFUSED.values(), ids=REFUSED)
def test_a_file_that_cannot_be_optimized_gets_a_reason(make: Any, why: str) -> None:
    assert why in refused(make())


def test_a_head_of_two_tasks_is_refused() -> None:
    roles: list[Role] = ["boxes", "scores", "keypoints", "angles"]
    maps = [Map(role, stride, 64, 0, 0) for stride in (8, 16, 32) for role in roles]
    with pytest.raises(CannotOptimize, match="it has both angles and keypoints"):
        _checked(None, maps, None, (64, 64))  # type: ignore[arg-type]


OTHERS = [
    "blazeface_front_128", "movenet_singlepose_192", "st_yolo_x_nano_480_1.0_0.25_3_st_int8", "yolo_lc_192",
    "fomo_face_detection", "person_detect", "osnet_a025_256_128_tfs_int8",
]  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_published_networks_of_other_families_are_refused(shared: Path, name: str) -> None:
    assert "not a YOLOv8, YOLO11 or YOLO26 network" in refused((shared / "models" / f"{name}.tflite").read_bytes())


def test_a_file_that_litert_cannot_run_is_refused() -> None:
    assert "the new file does not run" in refused(Tiny(kind="INT16").data(), rescale={"scores_8": (0.01, 5)})


def test_numbers_that_contradict_each_other_are_called_damaged() -> None:
    net = Builder("INT8")
    net.tensor("picture", (1, 64, 64, 3))
    net.run("CONV_2D", ("picture",), "no weights", (1, 8, 8, 64))
    assert "a damaged .tflite" in refused(net.data(["picture"], [net.reshaped("no weights", "output", (1, 64, 63))]))


def test_a_truncated_file_is_called_damaged() -> None:
    data = Tiny().data()
    for length in range(100, len(data) - 1, len(data) // 40):
        assert "damaged" in refused(data[:length])
