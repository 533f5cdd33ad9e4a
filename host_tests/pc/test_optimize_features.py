"""n6post optimize --features: which layer is chosen, what is cut off, what proves it, and what is refused."""

from __future__ import annotations

import shutil
import zipfile
from collections.abc import Callable
from math import prod
from pathlib import Path
from typing import Any

import fake_vela
import model_files
import numpy as np
import pytest
from commands import script
from n6post_pc import cli, paths
from n6post_pc.models import graph
from n6post_pc.optimize import features, proof
from n6post_pc.optimize.tflite_file import TfliteFile
from PIL import Image
from tiny_yolo import Builder, Tiny

pytest.importorskip("ai_edge_litert")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Array = np.ndarray[Any, Any]
PICTURES = sorted(paths.SAMPLE_PICTURES.iterdir())[:2]
RELU, RELU6 = 1, 3
AFTER_RELU = (6 / 255, -128)  # scale and zero point of 0..6


# --- networks ---
def layer(net: Builder, source: str, name: str, channels: int, stride: int = 1, activation: int = 0,
          quantized: tuple[float, int] | None = None) -> str:  # fmt: skip
    """A convolution with a fused activation."""
    net.convolution(source, name, channels, stride)
    net.graph.operators[-1].builtinOptions.fusedActivationFunction = activation
    if quantized:
        kept = net.graph.tensors[net._numbers[name]].quantization
        kept.scale, kept.zeroPoint = np.float32([quantized[0]]), np.array([quantized[1]])
    return name


def silu(net: Builder, source: str) -> str:
    gate = net.sigmoid(source, f"{source}: gate")
    return net.run("MUL", (source, gate), f"{source}: silu", net.shapes[source])


def start(kind: str = "INT8", size: tuple[int, int] = (64, 96), channels: int = 3) -> tuple[Builder, str]:
    """A picture of (height, width), and a first layer of stride 4."""
    net = Builder(kind)
    net.tensor("picture", (1, *size, channels))
    return net, layer(net, "picture", "stem", 8, 4, RELU6, AFTER_RELU if kind == "INT8" else (6 / 255, 0))


def with_silu(kind: str = "INT8", size: tuple[int, int] = (64, 96), channels: int = 3) -> bytes:
    """A backbone with SiLU, a neck above it, and heads."""
    net, name = start(kind, size, channels)
    name = silu(net, layer(net, name, "eighth", 16, 2))
    name = silu(net, layer(net, name, "sixteenth", 24, 2))
    inner = silu(net, layer(net, name, "bottleneck", 12))
    kept = silu(net, layer(net, inner, "last of the backbone", 24))
    name = silu(net, layer(net, kept, "coarse", 32, 2))
    side = [2 * count for count in net.shapes[name][1:3]]
    name = net.run("RESIZE_NEAREST_NEIGHBOR", (name, net.constant("side", side)), "larger", (1, *side, 32))
    name = silu(net, layer(net, name, "neck", 48))
    layer(net, name, "boxes", 16)
    layer(net, kept, "scores", 60)
    net.sign(["picture"], ["boxes", "scores"])
    return net.data(["picture"], ["boxes", "scores"])


def with_relu6(bottlenecks: bool = True) -> bytes:
    """A MobileNet: with linear bottlenecks and their sum, or without."""
    net, name = start()
    name = layer(net, name, "eighth", 16, 2, RELU6, AFTER_RELU)
    name = layer(net, name, "expanded", 32, 2, RELU6, AFTER_RELU)
    if bottlenecks:
        first = layer(net, name, "first bottleneck", 12)
        name = layer(net, first, "wide", 32, 1, RELU6, AFTER_RELU)
        second = layer(net, name, "second bottleneck", 12)
        name = net.run("ADD", (first, second), "sum", net.shapes[first])
    name = layer(net, name, "wide again", 32, 1, RELU6, AFTER_RELU)
    name = layer(net, name, "coarse", 40, 2, RELU6, AFTER_RELU)
    name = layer(net, name, "classes", 9, 1)
    return net.data(["picture"], [name])


def with_signed_relu(activation: int = RELU) -> bytes:
    """A layer with a fused ReLU whose quantization reaches below zero."""
    net, name = start()
    name = layer(net, name, "features before", 16, 4, activation, (0.05, -3))
    layer(net, name, "classes", 9)
    return net.data(["picture"], ["classes"])


def chosen(data: bytes) -> features.Layer:
    return features.default(features.layers(data))


def changed(data: bytes, change: Callable[[Any], None]) -> bytes:
    file = TfliteFile(data)
    change(file)
    return file.data()


# --- LiteRT by itself ---
def interpreter(data: bytes, shape: tuple[int, ...] | None = None) -> Any:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    opened = Interpreter(model_content=data, experimental_op_resolver_type=plain, experimental_preserve_all_tensors=True)
    if shape is not None:
        opened.resize_tensor_input(opened.get_input_details()[0]["index"], shape)
    opened.allocate_tensors()
    return opened


def seen(data: bytes, tensor: str | None, seed: int, shape: tuple[int, ...] | None = None) -> Array:
    """A tensor, or the only output, of random numbers."""
    network = interpreter(data, shape)
    (given,), random = network.get_input_details(), np.random.default_rng(seed)
    kind = np.dtype(given["dtype"])
    values = (random.random(given["shape"]) if kind.kind == "f"
              else random.integers(np.iinfo(kind).min, np.iinfo(kind).max, given["shape"], endpoint=True))  # fmt: skip
    network.set_tensor(given["index"], values.astype(kind))
    network.invoke()
    (index,) = ([one["index"] for one in network.get_output_details()] if tensor is None else
                [one["index"] for one in network.get_tensor_details() if one["name"] == tensor])  # fmt: skip
    return np.asarray(network.get_tensor(index))


def same_map(original: bytes, new: bytes, tensor: str) -> None:
    for seed in range(3):
        ours = seen(new, None, seed)
        assert np.array_equal(seen(original, tensor, seed), ours) and ours.min() < ours.max()


# --- the command ---
@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)

    def call(data: bytes | None, *words: object, name: str = "net.tflite") -> tuple[int, str, str]:
        arguments = [str(word) for word in words]
        if data is not None:
            Path(name).write_bytes(data)
            arguments.insert(0, name)
        if "--pictures" not in arguments:
            arguments += ["--pictures", *map(str, PICTURES)]
        code = cli.call("optimize", arguments, "n6post optimize")
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return call


def written() -> list[str]:
    return sorted(path.name for path in Path().glob("*_features*"))


# --- which layer ---
@pytest.mark.parametrize(("data", "name", "linear"), [
    (with_silu(), "last of the backbone", True),
    (with_silu("UINT8"), "last of the backbone", True),
    (with_silu(size=(160, 64), channels=1), "last of the backbone", True),
    (with_relu6(), "sum", True),
    (with_relu6(bottlenecks=False), "wide again", False),
    (with_signed_relu(), "features before", True),
], ids=["SiLU", "uint8", "gray and narrow", "bottlenecks", "only ReLU6", "signed ReLU"])  # fmt: skip
def test_the_last_layer_of_the_backbone_before_its_activation_is_chosen(data: bytes, name: str, linear: bool) -> None:
    one = chosen(data)
    assert (one.name, one.linear, one.stride) == (name, linear, 16)


def test_of_layers_with_fewer_channels_and_a_later_one_the_wide_one_is_chosen() -> None:
    net, name = start()
    name = layer(net, name, "wide", 24, 4)
    name = layer(net, name, "narrow", 12)
    layer(net, name, "classes", 30)
    assert chosen(net.data(["picture"], ["classes"])).name == "wide"


@pytest.mark.parametrize(("counts", "name"), [((256, 400), "layer 0"), ((300, 400), "layer 0"), ((400, 300), "layer 1")])
def test_more_than_256_channels_are_chosen_only_if_there_is_no_other(counts: tuple[int, int], name: str) -> None:
    net, last = start()
    last = layer(net, last, "layer 0", counts[0], 4)
    last = layer(net, last, "layer 1", counts[1])
    layer(net, last, "classes", 9)
    assert chosen(net.data(["picture"], ["classes"])).name == name


def test_a_map_of_7_or_of_1025_channels_is_no_layer() -> None:
    net, name = start()
    for count in (7, 8, 1024, 1025):
        name = layer(net, name, f"of {count}", count, 4 if count == 7 else 1)
    layer(net, name, "classes", 9)
    found = features.layers(net.data(["picture"], ["classes"]))
    assert {one.name for one in found if one.stride == 16} == {"of 8", "of 1024", "classes"}


@pytest.mark.parametrize(("sides", "padding"), [((299, 149, 73, 35, 17), 1), ((100, 50, 25, 13, 7), 0)])
def test_an_input_that_the_stride_does_not_divide_is_no_problem(sides: tuple[int, ...], padding: int) -> None:
    """Without padding, a map of 17 cells has 299 pixels; with padding, one of 7 cells 100."""
    net, name = Builder("INT8"), "picture"
    net.tensor("picture", (1, sides[0], sides[0], 3))
    for side in sides[1:]:
        weights = net.weights(f"to {side}", (8, 3, 3, net.shapes[name][3]))
        name = net.run("CONV_2D", (name, *weights), f"to {side}", (1, side, side, 8), strideH=2, strideW=2, padding=padding)
    layer(net, name, "classes", 9)
    assert chosen(net.data(["picture"], ["classes"])).name == f"to {sides[-1]}"


def test_a_map_of_a_single_row_is_no_layer() -> None:
    found = features.layers(with_silu(size=(16, 96)))
    assert {one.shape[1:3] for one in found} == {(4, 24), (2, 12)}


def test_a_sum_of_maps_after_activations_is_not_before_one() -> None:
    net, name = start()
    first = silu(net, layer(net, name, "first", 12, 4))
    total = net.run("ADD", (first, silu(net, layer(net, first, "second", 12))), "total", net.shapes[first])
    layer(net, total, "classes", 9)
    found = features.layers(net.data(["picture"], ["classes"]))
    assert {one.name: one.linear for one in found if one.stride == 16} == {
        "first": True, "second": True, "first: silu": False, "second: silu": False, "total": False, "classes": True,
    }  # fmt: skip


# --- what is cut ---
@pytest.mark.parametrize("data", [with_silu(), with_silu("UINT8"), with_silu(size=(160, 64), channels=1), with_relu6(),
                                  with_relu6(bottlenecks=False)])  # fmt: skip
def test_the_map_equals_the_original_tensor_in_every_bit(data: bytes) -> None:
    one = chosen(data)
    same_map(data, features.cut(data, one), one.name)


def test_every_layer_that_is_listed_equals_the_original_tensor() -> None:
    data = with_silu()
    found = features.listed(features.layers(data))
    assert [one.name for one in found] == ["eighth", "sixteenth", "bottleneck", "last of the backbone", "coarse"]
    for one in found:
        same_map(data, features.cut(data, one), one.name)


def test_a_layer_after_its_activation_can_be_chosen_too() -> None:
    data = with_silu()
    one = features.chosen(features.layers(data), "sixteenth: silu")
    assert not one.linear
    same_map(data, features.cut(data, one), "sixteenth: silu")


@pytest.mark.parametrize(("activation", "highest"), [(RELU, 127), (RELU6, 117)])  # 6 / 0.05 - 3
def test_a_fused_relu_is_dropped_if_the_numbers_can_be_negative(activation: int, highest: int) -> None:
    data = with_signed_relu(activation)
    original, new = seen(data, "features before", 1), seen(features.cut(data, chosen(data)), None, 1)
    assert original.min() == -3 and new.min() < -60
    assert np.array_equal(np.clip(new, -3, highest), original)


def test_only_what_the_map_needs_is_left_in_the_file() -> None:
    data = with_silu()
    new = features.cut(data, chosen(data))
    known, before = graph.parse(new), graph.parse(data)
    assert [one.name for one in known.operators] == [one.name for one in before.operators[: len(known.operators)]]
    assert len(known.operators) == 11 and len(known.outputs) == 1
    assert (known.tensors[known.outputs[0]].name, known.tensors[known.outputs[0]].shape) == ("features", (1, 4, 6, 24))
    model = TfliteFile(new).model
    used = {tensor for one in known.operators for tensor in one.inputs + one.outputs}
    assert used == set(range(len(known.tensors)))
    assert {one.buffer for one in model.subgraphs[0].tensors} == set(range(len(model.buffers)))
    codes = {one.opcodeIndex for one in model.subgraphs[0].operators}
    assert codes == set(range(len(model.operatorCodes)))
    weights = sum(known.tensors[one.inputs[1]].nbytes for one in known.operators if one.name == "CONV_2D")
    assert weights < len(new) < len(data)


def test_the_signature_names_the_map_and_metadata_of_the_outputs_is_left_out(tmp_path: Path) -> None:
    def describe(file: TfliteFile) -> None:
        stale, kept = file._schema.MetadataT(), file._schema.MetadataT()
        stale.name, kept.name, stale.buffer, kept.buffer = b"TFLITE_METADATA", b"min_runtime_version", 1, 2
        file.model.metadata = [stale, kept]

    path = tmp_path / "net.tflite"
    path.write_bytes(changed(with_silu(), describe))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("metadata.json", '{"task": "detect", "names": {"0": "apple"}, "imgsz": [64, 96]}')
    data = path.read_bytes()
    new = features.cut(data, chosen(data))
    file = TfliteFile(new)
    (signature,) = file.model.signatureDefs
    assert [one.name for one in signature.outputs] == [b"features"]
    assert [one.tensorIndex for one in signature.outputs] == list(file.graph.outputs)
    assert b"TFLITE_METADATA" not in new and b"min_runtime_version" in new and b"apple" not in new
    runner = interpreter(new).get_signature_runner()
    assert set(runner.get_output_details()) == {"features"}


# --- another input ---
@pytest.mark.parametrize("size", [(160, 64), (48, 32), (96, 64)])
def test_another_input_gives_what_litert_computes_with_it(size: tuple[int, int]) -> None:
    data = with_silu()
    one = chosen(data)
    same, new = features.cut(data, one), features.cut(data, one, size)
    theirs, ours = seen(same, None, 4, (1, size[1], size[0], 3)), seen(new, None, 4)
    assert ours.shape == (1, size[1] // 16, size[0] // 16, 24) and np.array_equal(theirs, ours)


def test_the_command_proves_another_input_and_says_so(run: Callable[..., Any]) -> None:
    code, out, _ = run(with_silu(), "--features", "--input", "128x96")
    assert code == 0 and "input 96 x 64 128 x 96" in out and "1 x 6 x 8 x 24 int8" in out
    assert "sizes equals in every bit what LiteRT computes when it changes the input itself" in out


def test_an_input_that_litert_cannot_change_is_a_finding(run: Callable[..., Any]) -> None:
    """A RESHAPE states the size of its output in a constant, which LiteRT does not change."""
    net, name = start()
    name = layer(net, name, "coarse", 12, 4)
    name = net.reshaped(name, "rows", (1, 24, 12))
    name = net.reshaped(name, "map again", (1, 4, 6, 12))
    name = layer(net, name, "last", 12)
    layer(net, name, "classes", 9)
    code, out, _ = run(net.data(["picture"], ["classes"]), "--features", "--input", "128x96")
    assert code == 1 and "sizes not compared: LiteRT cannot change this network's input" in out
    assert written() == ["net_features.tflite"]


# --- what proves it: nothing is written if it fails ---
def test_the_proof_notices_another_weight(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = features.cut

    def spoil(file: TfliteFile) -> None:
        weights = file.constant(file.inputs(0)[1]).copy()
        weights[0, 0, 0, 0] += 9
        file.replace_constant(0, 1, weights)

    monkeypatch.setattr(features, "cut", lambda *a: changed(genuine(*a), spoil))
    code, out, err = run(with_silu(), "--features")
    assert code == 2 and not out and not written()
    assert "the map differs from the original's tensor in" in err and PICTURES[0].name in err


def test_the_proof_notices_another_layer(run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = features.cut
    other = features.chosen(features.layers(with_silu()), "sixteenth")
    monkeypatch.setattr(features, "cut", lambda data, _, *size: genuine(data, other, *size))
    code, _, err = run(with_silu(), "--features")
    assert code == 2 and "the map differs from the original's tensor" in err and not written()


@pytest.mark.parametrize("activation", [RELU, RELU6])
def test_the_proof_notices_a_dropped_relu_that_changes_what_passes(
    activation: int, run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    code, out, _ = run(with_signed_relu(activation), "--features")
    assert code == 0 and "its fused ReLU is dropped, and what it lets pass is compared" in out
    Path("net_features.tflite").unlink()
    genuine = features._fused
    monkeypatch.setattr(features, "_fused", lambda file, at: ends and (ends[0], 60) if (ends := genuine(file, at)) else ends)
    code, _, err = run(with_signed_relu(activation), "--features")
    assert code == 2 and "the map differs from the original's tensor" in err and not written()


def test_the_proof_notices_another_weight_at_another_input(
    run: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = features.cut

    def spoil(file: TfliteFile) -> None:
        weights = file.constant(file.inputs(0)[1]).copy()
        weights[0, 0, 0, 0] += 9
        file.replace_constant(0, 1, weights)

    monkeypatch.setattr(features, "cut", lambda *a: changed(genuine(*a), spoil) if len(a) > 2 else genuine(*a))
    code, _, err = run(with_silu(), "--features", "--input", "128x96")
    assert code == 2 and "the map of the new input size differs" in err and not written()


def test_a_map_that_is_the_same_everywhere_is_refused(run: Callable[..., Any]) -> None:
    def flatten(file: TfliteFile) -> None:
        at = chosen(with_silu()).operator
        file.replace_constant(at, 1, np.zeros_like(file.constant(file.inputs(at)[1])))
        file.replace_constant(at, 2, np.zeros_like(file.constant(file.inputs(at)[2])))

    code, _, err = run(changed(with_silu(), flatten), "--features")
    assert code == 2 and "all numbers of the map are the same on all pictures" in err and not written()


def test_numbers_over_the_whole_range_of_int8_are_not_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """127 minus -128 is -1 in int8."""
    data = with_silu()
    one = chosen(data)
    new = features.cut(data, one)
    evidence = features.Evidence(data, one, [one], new, new)
    values = np.int8([[-128, 127]])
    monkeypatch.setattr(features, "_seen", lambda *_: [values, values])
    evidence.add(proof.Picture(PICTURES[0], Image.open(PICTURES[0])))
    assert evidence.finish()[-1] == ("map", "equals the original's tensor in every bit")


# --- the command ---
def test_the_sample_network_has_features_without_arguments(tmp_path: Path) -> None:
    done = script("optimize_model.py", "--features", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr
    text = " ".join(done.stdout.split())
    assert "layer 20 (add_20), stride 16, after the activation" in text
    assert "no layer of the backbone with this stride has negative numbers" in text
    assert "1 x 10 x 10 x 64 int8" in text and "written shapes_features.tflite No model was given" in text
    assert [path.name for path in tmp_path.iterdir()] == ["shapes_features.tflite"]
    same_map(paths.SAMPLE_MODEL.read_bytes(), (tmp_path / "shapes_features.tflite").read_bytes(), "add_20")


def test_a_layer_is_chosen_by_number_or_name(run: Callable[..., Any]) -> None:
    data = with_silu()
    at = next(one.operator for one in features.layers(data) if one.name == "bottleneck")
    for text in (at, "bottleneck"):
        code, out, _ = run(data, "--features", text, "-o", f"{text}_features.tflite")
        assert code == 0 and f"layer {at} (bottleneck), stride 16, before the activation" in out
    assert Path(f"{at}_features.tflite").read_bytes() == Path("bottleneck_features.tflite").read_bytes()
    code, out, _ = run(data, "--features", "bottleneck: silu")
    assert code == 0 and "--features list shows layers with this stride before an activation" in out


def test_the_report_says_what_it_saves(run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    code, out, _ = run(with_silu(), "--features", "--npu", "u55")
    assert code == 0 and "outputs 1 x 4 x 6 x 16 int8 1 x 4 x 6 x 24 int8 1 x 4 x 6 x 60 int8" in out
    assert "operators 22 11" in out and "5.21 M cycles 5.21 M cycles (+0%)" in out


def test_what_vela_cannot_compile_is_said(run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    data = changed(with_silu(), lambda file: setattr(file.model, "description", b"refuse"))
    code, out, _ = run(data, "--features", "--npu", "u55")
    assert code == 0 and "AE3 Vela cannot compile it: Error: Invalid tensor" in out


def test_the_list_shows_the_costs_and_writes_nothing(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    data = with_silu()
    code, out, _ = run(data, "--features", "list", "--npu", "u55")
    one = chosen(data)
    new = features.cut(data, one)
    # Multiply-adds by hand: 8 channels of 4x4x3 and 16 of 2x2x8, 24 of 2x2x16, 12 of 24, 24 of 12.
    cells = 64 * 96
    macs = cells // 16 * 8 * 48 + cells // 64 * 16 * 32 + cells // 256 * (24 * 64 + 12 * 24 + 24 * 12)
    # Peak: the first layer, or a map of an eighth, its gate and their product.
    ram = max(cells * 3 + cells // 16 * 8, 3 * cells // 64 * 16)
    row = f"{one.operator} 16 4x6x24 before {macs / 1e6:.1f} {ram / 1024:,.0f} {len(new) / 1024:,.0f} 5.21"
    assert code == 0 and row in out and not written()
    assert out.count(" before ") == 5 and " after " not in out


def test_multiply_adds_are_counted_by_kind_of_layer() -> None:
    net, name = start(size=(64, 64))
    depth = net.weights("depth", (1, 3, 3, 8))
    name = net.run("DEPTHWISE_CONV_2D", (name, *depth), "depthwise", (1, 16, 16, 8), strideH=1, strideW=1, depthMultiplier=1)
    rows = net.reshaped(name, "rows", (16 * 16, 8))
    name = net.run("FULLY_CONNECTED", (rows, *net.weights("full", (5, 8))), "dense", (16 * 16, 5))
    counted = graph.parse(net.data(["picture"], ["dense"])).multiply_adds()
    assert counted == 16 * 16 * (8 * 4 * 4 * 3 + 8 * 9 + 5 * 8)


def test_each_number_of_a_transposed_convolution_meets_its_weights_once() -> None:
    net = Builder("INT8")
    net.tensor("picture", (1, 6, 4, 3))
    weights = net.weights("up", (7, 2, 2, 3))
    net.run("TRANSPOSE_CONV", (net.constant("size", [1, 12, 8, 7]), weights[0], "picture"), "up", (1, 12, 8, 7),
            strideH=2, strideW=2)  # fmt: skip
    assert graph.parse(net.data(["picture"], ["up"])).multiply_adds() == 6 * 4 * 3 * 2 * 2 * 7


def test_everything_fits_into_80_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    monkeypatch.chdir(tmp_path)
    for words in (["list"], []):
        cli.call("optimize", ["--features", *words, "--npu", "u55", "--pictures", str(PICTURES[0])], "n6post optimize")
        lines = capsys.readouterr().out.splitlines()
        assert "…" not in "".join(lines)
        assert all(len(line.rstrip()) <= 80 for line in lines if not line.startswith("No model"))


def test_inspect_describes_the_new_file(run: Callable[..., Any], capsys: pytest.CaptureFixture[str]) -> None:
    run(with_silu(), "--features")
    code = cli.call("inspect", ["net_features.tflite"], "n6post inspect")
    out = capsys.readouterr().out
    assert code in (0, 1) and "1 x 4 x 6 x 24 int8" in " ".join(out.split())


def test_the_labels_of_the_original_are_not_copied(run: Callable[..., Any]) -> None:
    Path("net.txt").write_text("a\nb\n", encoding="utf-8")
    assert run(with_silu(), "--features")[0] == 0 and written() == ["net_features.tflite"]


# --- what is refused ---
def two_inputs() -> bytes:
    net, name = start()
    net.tensor("other", (1, 4, 6, 12))
    name = net.run("ADD", (layer(net, name, "map", 12, 4), "other"), "both", (1, 4, 6, 12))
    return net.data(["picture", "other"], [name])


def dynamic(axes: tuple[int, ...]) -> bytes:
    def change(file: TfliteFile) -> None:
        shape = list(file.shape(file.input_tensors[0]))
        for axis in axes:
            shape[axis] = -1
        file.graph.tensors[file.input_tensors[0]].shapeSignature = shape

    return changed(with_silu(), change)


def refused_by_litert() -> bytes:
    """person_detect.tflite has such scales of biases, one for each channel of axis 3."""

    def change(file: TfliteFile) -> None:
        biases = file.graph.tensors[file.inputs(0)[2]]
        biases.quantization.quantizedDimension = 3

    return changed(with_silu(), change)


def without_height() -> bytes:
    def change(file: TfliteFile) -> None:
        file.graph.tensors[file.input_tensors[0]].shape = [1, 0, 96, 3]

    return changed(with_silu(), change)


def large_stride() -> bytes:
    net, name = start()
    layer(net, layer(net, name, "eighth", 12, 2), "classes", 9)
    return net.data(["picture"], ["classes"])


@pytest.mark.parametrize(("data", "words", "message"), [
    (lambda: paths.SAMPLE_MODEL.with_name("shapes_float.tflite").read_bytes(), [], "its layers are in float"),
    (lambda: Tiny("detect", kind="INT16").data(), [], "no map [1, height, width, 8 to 1024 channels] in int8 or uint8"),
    (lambda: Tiny("detect", planes=True).data(), [], "[1, height, width, 1 or 3], got [[1, 3, 64, 64]]"),
    (large_stride, [], "no suitable layer with a stride of 16: --features list shows those of 8"),
    (two_inputs, [], "expected an input of one picture, [1, height, width, 1 or 3], got [[1, 64, 96, 3], [1, 4, 6, 12]]"),
    (lambda: dynamic((1, 2)), [], "its input has no fixed width and height"),
    (without_height, [], "a damaged .tflite: its content is inconsistent"),
    (refused_by_litert, [], "the new file does not run: quantized_dimension"),
    (with_silu, ["--input", "100x96"], "multiples of 16, got 100x96"),
    (with_silu, ["--classes", "person"], "leave out --camera, --classes and --labels"),
    (with_silu, ["--camera", "VGA"], "leave out --camera, --classes and --labels"),
    (with_silu, ["-o", "net.tflite"], "net.tflite is the model itself"),
    (with_silu, ["-o", "net.onnx"], "expected a name that ends in .tflite"),
    (lambda: paths.SAMPLE_MODEL.read_bytes()[:100_000], [], "damaged"),
    (model_files.for_st, [], "compiled by ST for Neural-ART. Optimize the file that it was compiled from"),
    (model_files.for_ethos, [], "compiled by Vela for an Ethos-U. Optimize the file that it was compiled from"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")  # fmt: skip
def test_a_file_without_such_a_layer_is_refused_with_the_reason(
    data: Callable[[], bytes], words: list[str], message: str, run: Callable[..., Any]
) -> None:
    code, out, err = run(data(), "--features", *words)
    assert code == 2 and message in err and "Traceback" not in err and not out and not written()


@pytest.mark.parametrize("text", ["99", "no such layer", "0.5", "List"])
def test_a_layer_that_the_network_does_not_have_is_refused(text: str, run: Callable[..., Any]) -> None:
    code, _, err = run(with_silu(), "--features", text)
    assert code == 2 and f"expected list, or the number or name of a layer that --features list shows, got '{text}'" in err


def test_a_name_that_several_layers_have_is_refused(run: Callable[..., Any]) -> None:
    def rename(file: TfliteFile) -> None:
        for tensor in file.graph.tensors:
            if tensor.name in (b"sixteenth", b"bottleneck"):
                tensor.name = b"twin;" + tensor.name

    code, _, err = run(changed(with_silu(), rename), "--features", "twin")
    assert code == 2 and "got 'twin', the name of 2 layers" in err


def test_an_onnx_is_refused_with_what_is_needed(run: Callable[..., Any]) -> None:
    onnx = pytest.importorskip("onnx")
    node = onnx.helper.make_node("Relu", ["picture"], ["map"])
    ends = [onnx.helper.make_tensor_value_info(name, 1, [1, 3, 8, 8]) for name in ("picture", "map")]
    data = onnx.helper.make_model(onnx.helper.make_graph([node], "net", ends[:1], ends[1:])).SerializeToString()
    code, _, err = run(data, "--features", name="net.onnx")
    assert code == 2 and "--features needs a .tflite" in err


def test_a_batch_without_a_fixed_size_is_no_problem(run: Callable[..., Any]) -> None:
    """Keras writes such signatures."""
    assert run(dynamic((0,)), "--features")[0] == 0


def test_damaged_files_are_refused_or_work() -> None:
    """Any byte of the part that is no constant may be wrong."""
    data, random = with_silu(), np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        damaged = bytearray(data)
        for at in random.integers(8, len(data), 4):
            damaged[at] = random.integers(256)
        try:
            features.listed(features.layers(bytes(damaged)))
        except ValueError:
            refused += 1
    assert 0 < refused < 300


# --- published networks ---
PUBLISHED = {
    "yolov8n_192": (76, (1, 12, 12, 128), True),
    "yolov8n_320_quant_pc_ii_seg_coco-st": (75, (1, 20, 20, 128), True),
    "yolov8n_256_quant_pc_uf_pose_coco-st": (73, (1, 16, 16, 128), True),
    "st_movenet_lightning_heatmaps_192_int8_pc": (50, (1, 12, 12, 96), True),
    "movenet_singlepose_192": (51, (1, 12, 12, 96), True),
    "st_yolo_x_nano_480_1.0_0.25_3_st_int8": (104, (1, 30, 30, 128), False),
    "osnet_a025_256_128_tfs_int8": (284, (1, 16, 8, 128), True),
    "blazeface_front_128": (68, (1, 8, 8, 96), True),
    "palm_detection_full_192": (83, (1, 12, 12, 256), True),
    "face_landmarks_192": (84, (1, 12, 12, 128), True),
    "hand_landmarks_full_224": (39, (1, 14, 14, 112), True),
    "yolo_lc_192": (10, (1, 12, 12, 256), True),
}


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_network_is_cut_where_it_was_tried(name: str, shared: Path) -> None:
    path = shared / "models" / f"{name}.tflite"
    if not path.exists():
        pytest.skip(f"no {path.name} in ../shared/models")
    data = path.read_bytes()
    one = chosen(data)
    assert (one.operator, one.shape, one.linear) == PUBLISHED[name]
    known = graph.parse(data)
    same_map(data, features.cut(data, one), known.tensors[known.operators[one.operator].outputs[0]].name)


def test_the_figures_of_openmvs_yolo_are_those_of_the_page(shared: Path, run: Callable[..., Any]) -> None:
    shutil.copyfile(shared / "models" / "yolov8n_192.tflite", "yolov8n_192.tflite")
    code, out, _ = run(None, "yolov8n_192.tflite", "--features")
    assert code == 0 and "multiply-adds 364 M 109 M RAM 432 KiB 432 KiB file 3.23 MB 0.40 MB" in out
    known = graph.parse(Path("yolov8n_192_features.tflite").read_bytes())
    convolutions = [one for one in known.operators if one.name == "CONV_2D"]
    # Of each cell of a map, every output channel multiplies the window's numbers.
    expected = sum(prod(known.tensors[one.outputs[0]].shape[1:3]) * prod(known.tensors[one.inputs[1]].shape)
                   for one in convolutions)  # fmt: skip
    assert known.multiply_adds() == expected and round(expected / 1e6) == 109
