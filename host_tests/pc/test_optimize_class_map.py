"""n6post optimize on networks whose class map is enlarged at the end: what is rewritten, and what proves it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from n6post_pc import cli
from n6post_pc.models import pictures
from n6post_pc.optimize import class_map, proof
from n6post_pc.optimize.proof import FailedProofError
from PIL import Image
from tiny_yolo import Builder

pytest.importorskip("ai_edge_litert")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Array = np.ndarray[Any, Any]

LABELS = ["ground", "road", "grass"]


def tflite(
    factor: int = 16, *, half_pixel: bool = True, corners: bool = False, channels: int = 3, ends: tuple[str, ...] = ()
) -> bytes:
    """A network with a map of 8 x 8 cells of three classes, enlarged by `factor`."""
    net = Builder("INT8")
    net.tensor("picture", (1, 128, 128, 3))
    name, side = net.convolution("picture", "small map", channels, 16), 8 * factor
    name = net.run("RESIZE_BILINEAR", (name, net.constant("size", [side, side])), "map", (1, side, side, channels),
                   halfPixelCenters=half_pixel, alignCorners=corners)  # fmt: skip
    if "SOFTMAX" in ends:
        name = net.run("SOFTMAX", (name,), "shares", (1, side, side, channels), quantized=(1 / 256, -128), beta=1.0)
    if "DEQUANTIZE" in ends:
        name = net.run("DEQUANTIZE", (name,), "floats", (1, side, side, channels), kind="FLOAT32")
    return net.data(["picture"], [name])


def onnx_file(mode: str = "half_pixel", by_sizes: bool = False, factor: int = 16) -> bytes:
    """The same as a QDQ .onnx."""
    onnx = pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    node = onnx.helper.make_node
    random = np.random.default_rng(2)
    weights, side = random.normal(0, 0.05, (3, 3, 16, 16)).astype(np.float32), 8 * factor
    constants = {
        "scale": np.float32(0.02), "zero": np.int8(3), "weights": weights, "roi": np.float32([]), "none": np.float32([]),
        "scales": np.float32([1, 1, factor, factor]), "sizes": np.int64([1, 3, side, side]),
    }  # fmt: skip
    enlarging = ["rounded", "roi", "none", "sizes"] if by_sizes else ["rounded", "roi", "scales"]
    nodes = [
        node("Conv", ["picture", "weights"], ["cells"], kernel_shape=[16, 16], strides=[16, 16]),
        node("QuantizeLinear", ["cells", "scale", "zero"], ["integers"]),
        node("DequantizeLinear", ["integers", "scale", "zero"], ["rounded"]),
        node("Resize", enlarging, ["large"], mode="linear", coordinate_transformation_mode=mode),
        node("QuantizeLinear", ["large", "scale", "zero"], ["large integers"]),
        node("DequantizeLinear", ["large integers", "scale", "zero"], ["map"]),
    ]
    graph = onnx.helper.make_graph(
        nodes, "classes", [onnx.helper.make_tensor_value_info("picture", 1, [1, 3, 128, 128])],
        [onnx.helper.make_tensor_value_info("map", 1, [1, 3, side, side])],
        [onnx.numpy_helper.from_array(values, name) for name, values in constants.items()],
    )  # fmt: skip
    opsets = [onnx.helper.make_opsetid("", 13)]
    return bytes(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8).SerializeToString())


def changed(folder: Path, data: bytes, suffix: str = ".tflite") -> bytes | None:
    path = folder / f"classes{suffix}"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text("\n".join(LABELS), encoding="utf-8")
    return class_map.changed(path, data)


def outputs(folder: Path, data: bytes, suffix: str, pixels: Array) -> Array:
    """The file's own output for a picture, [height, width, classes], by LiteRT or onnxruntime."""
    if suffix == ".onnx":
        import onnxruntime

        session = onnxruntime.InferenceSession(data, providers=["CPUExecutionProvider"])
        (values,) = session.run(None, {"picture": (pixels / 255).astype(np.float32).transpose(2, 0, 1)[None]})
        return np.asarray(values[0]).transpose(1, 2, 0)
    from ai_edge_litert.interpreter import Interpreter

    network = Interpreter(model_content=data)
    network.allocate_tensors()
    network.set_tensor(network.get_input_details()[0]["index"], (pixels.astype(np.int16) - 128).astype(np.int8)[None])
    network.invoke()
    return np.asarray(network.get_tensor(network.get_output_details()[0]["index"])[0])


@pytest.fixture
def photograph(tmp_path: Path) -> Path:
    """Large areas of a few colors."""
    random = np.random.default_rng(4)
    cells = random.integers(0, 256, (4, 4, 3), np.uint8)
    Image.fromarray(cells).resize((128, 128), Image.Resampling.BICUBIC).save(tmp_path / "photograph.png")
    return tmp_path / "photograph.png"


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)

    def call(data: bytes, *words: object, suffix: str = ".tflite") -> tuple[int, str, str]:
        Path(f"classes{suffix}").write_bytes(data)
        Path("classes.txt").write_text("\n".join(LABELS), encoding="utf-8")
        code = cli.call("optimize", [f"classes{suffix}", *map(str, words)], "n6post optimize")
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return call


# --- what is rewritten ---
@pytest.mark.parametrize("suffix", [".tflite", ".onnx"])
def test_each_value_is_one_of_the_small_map_enlarged_by_four(suffix: str, photograph: Path, tmp_path: Path) -> None:
    """A pixel of the small map stands for 16 of the large one, and is the mean of the four in their middle."""
    data = tflite(ends=("DEQUANTIZE",)) if suffix == ".tflite" else onnx_file()
    new = changed(tmp_path, data, suffix)
    assert new is not None
    with Image.open(photograph) as opened:
        pixels = np.asarray(opened)
    before, after = (outputs(tmp_path, one, suffix, pixels) for one in (data, new))
    assert before.shape == (128, 128, 3) and after.shape == (32, 32, 3)
    middle = before.reshape(32, 4, 32, 4, 3)[:, 1:3, :, 1:3].mean((1, 3))
    step = 0.05 if suffix == ".tflite" else 0.02
    assert np.ptp(before) > 20 * step
    assert np.abs(middle - after).max() <= 1.5 * step


def test_an_onnx_that_states_sizes_gets_the_same_map(photograph: Path, tmp_path: Path) -> None:
    with Image.open(photograph) as opened:
        pixels = np.asarray(opened)
    one, other = (changed(tmp_path, onnx_file(by_sizes=which), ".onnx") or b"" for which in (False, True))
    assert np.array_equal(*(outputs(tmp_path, data, ".onnx", pixels) for data in (one, other)))


@pytest.mark.parametrize("ends", [(), ("DEQUANTIZE",), ("SOFTMAX",), ("SOFTMAX", "DEQUANTIZE")])
def test_what_comes_behind_the_resize_stays(ends: tuple[str, ...], photograph: Path, tmp_path: Path) -> None:
    new = changed(tmp_path, tflite(ends=ends))
    assert new is not None
    with Image.open(photograph) as opened:
        assert outputs(tmp_path, new, ".tflite", np.asarray(opened)).shape == (32, 32, 3)
    file = class_map.TfliteFile(new)
    assert file.names == ["CONV_2D", "RESIZE_BILINEAR", *ends]
    assert file.shape(file.output_tensors[0]) == (1, 32, 32, 3)


@pytest.mark.parametrize(
    "data",
    [tflite(half_pixel=False), tflite(half_pixel=False, corners=True), tflite(4), tflite(2), tflite(channels=1)],
    ids=["another place of pixels", "corners", "four already", "twice", "perhaps distances"],
)
def test_another_resize_stays_as_it_is(data: bytes, tmp_path: Path) -> None:
    assert changed(tmp_path, data) is None


@pytest.mark.parametrize("mode", ["align_corners", "asymmetric"])
def test_another_resize_of_an_onnx_stays_as_it_is(mode: str, tmp_path: Path) -> None:
    assert changed(tmp_path, onnx_file(mode), ".onnx") is None


# --- what proves it ---
@pytest.mark.parametrize("suffix", [".tflite", ".onnx"])
def test_the_command_writes_a_smaller_map(suffix: str, run: Callable[..., Any], photograph: Path) -> None:
    data = tflite() if suffix == ".tflite" else onnx_file()
    code, out, err = run(data, "--pictures", photograph, suffix=suffix)
    assert (code, err) == (0, "")
    assert "class map 128 x 128 32 x 32" in out
    assert "equal in every bit before it is enlarged" in out and "have the same class; IoU of" in out
    assert f"written classes_optimized{suffix}, classes_optimized.txt" in out
    assert class_map.changed(Path(f"classes_optimized{suffix}"), Path(f"classes_optimized{suffix}").read_bytes()) is None


def test_the_proof_notices_another_small_map(photograph: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "old.tflite", tmp_path / "new.tflite"]
    file = class_map.TfliteFile(changed(tmp_path, tflite()) or b"")
    weights = file.constant(file.inputs(0)[1]).copy()
    weights[0] += 1
    file.replace_constant(0, 1, weights)
    for path, data in zip(paths, (tflite(), file.data()), strict=True):
        path.write_bytes(data)
    with pytest.raises(FailedProofError, match="the map before its enlargement differs in photograph.png"):
        class_map.Evidence(*paths).add(pictures.read(photograph))


def test_the_proof_notices_a_map_that_is_enlarged_otherwise(photograph: Path, tmp_path: Path) -> None:
    paths = [tmp_path / "old.tflite", tmp_path / "new.tflite"]
    file = class_map.TfliteFile(changed(tmp_path, tflite()) or b"")
    evidence_file = file.data()
    for path, data in zip(paths, (tflite(), evidence_file), strict=True):
        path.write_bytes(data)
    evidence = class_map.Evidence(*paths)
    file.options(1).halfPixelCenters = False
    evidence._runners[1] = proof.runner(file.data(), ".tflite", ["small map", "map"])
    with pytest.raises(FailedProofError, match="is not what plain numpy makes of it in photograph.png"):
        evidence.add(pictures.read(photograph))


def test_the_proof_notices_pixels_of_another_class(
    run: Callable[..., Any], photograph: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A few pixels at edges always have one: here none may."""
    monkeypatch.setattr(class_map, "ALIKE", 1.0)
    code, _, err = run(tflite(), "--pictures", photograph)
    assert code == 2 and "of the pixels have the same class, and 100% are needed" in err
    assert not Path("classes_optimized.tflite").exists()


def test_it_keeps_its_input_and_its_classes(run: Callable[..., Any], photograph: Path) -> None:
    code, _, err = run(tflite(), "--input", "96x96", "--pictures", photograph)
    assert code == 2 and "a DeepLab keeps its input: leave out --input, --camera and --classes" in err


def test_plain_numpy_enlarges_as_pillow_does() -> None:
    values = np.random.default_rng(3).normal(size=(5, 7, 2))
    planes = [Image.fromarray(plane.astype(np.float32)) for plane in values.transpose(2, 0, 1)]
    expected = np.stack([np.asarray(one.resize((28, 20), Image.Resampling.BILINEAR)) for one in planes], -1)
    assert np.allclose(class_map.enlarged(values, 4), expected, atol=1e-5)


def test_sts_network_keeps_the_class_of_nearly_all_pixels(shared: Path, tmp_path: Path) -> None:
    original = shared / "models" / "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx"
    new = tmp_path / "new.onnx"
    new.write_bytes(class_map.changed(original, original.read_bytes()) or b"")
    evidence = class_map.Evidence(original, new)
    evidence.add(pictures.read(shared / "pictures" / "person.bmp"))
    assert evidence.rows() == [("class map", "320 x 320", "80 x 80")]
    assert float(evidence.finish()[1][1].partition("%")[0]) > 98


def test_networks_without_a_class_map_are_left_alone(shared: Path) -> None:
    for name in ("blazeface_front_128", "movenet_singlepose_192", "st_yolo_x_nano_480_1.0_0.25_3_st_int8", "yolo_lc_192"):
        path = shared / "models" / f"{name}.tflite"
        assert class_map.changed(path, path.read_bytes()) is None
