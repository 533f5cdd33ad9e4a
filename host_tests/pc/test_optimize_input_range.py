"""n6post optimize on a BlazeFace that was quantized for the wrong pixels: what is rewritten, and what proves it.

The network of these tests finds dark squares, or bright ones. Where dark squares are faces, its weights were made for pixels
in -1..1; where bright ones are, for 0..1.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from n6post_pc import cli
from n6post_pc.models import pictures
from n6post_pc.optimize import input_range
from n6post_pc.optimize.proof import FailedProofError
from n6post_pc.optimize.tflite_file import TfliteFile
from PIL import Image
from PIL.Image import Resampling
from tiny_yolo import Builder

pytest.importorskip("ai_edge_litert")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

Array = np.ndarray[Any, Any]

PIXEL, GRAY = (1 / 255, -128), (2 / 255, -1)  # the quantization of 0..1 and of -1..1


def _convolution(
    net: Builder, source: str, name: str, weights: Array, biases: Any, stride: int = 1, step: float = 0.05
) -> str:
    """A convolution with padding (SAME), of these real weights."""
    (scale,) = net.graph.tensors[net._numbers[source]].quantization.scale
    steps = np.float32(np.maximum(np.abs(weights).max((1, 2, 3)), 1e-3) / 127)
    numbers = np.round(weights / steps[:, None, None, None])
    counted = np.round(np.asarray(biases) / (scale * steps))
    read = (source, net.constant(f"{name} weights", numbers, "INT8", steps),
            net.constant(f"{name} biases", counted, "INT32", scale * steps))  # fmt: skip
    _, height, width, _ = net.shapes[source]
    shape = (1, height // stride, width // stride, len(weights))
    return net.run("CONV_2D", read, name, shape, quantized=(step,), strideH=stride, strideW=stride)


def blaze_face(slope: float = -4.0, quantization: tuple[float, int] = PIXEL, kind: str = "FLOAT32") -> bytes:
    """A network with the outputs of MediaPipe's: the logit of a cell is `slope` times the mean of its pixels, less .2."""
    net = Builder("INT8")
    given = net.tensor("picture", (1, 128, 128, 3), kind, *quantization)
    pixels = net.run("QUANTIZE", (given,), "pixels", (1, 128, 128, 3), quantized=quantization) if kind != "INT8" else given
    means = np.zeros((4, 10, 10, 3))
    means[0], means[1:] = slope / 300, np.random.default_rng(1).normal(0, 0.01, (3, 10, 10, 3))
    feature = _convolution(net, pixels, "feature", means, [-0.2, 0.5, -0.2, 0.1], 8)
    outputs = []
    for name, source, each in (("fine", feature, 2), ("coarse", "", 6)):
        if not source:
            source = _convolution(net, feature, "half", np.zeros((4, 1, 1, 4)), [0] * 4, 2)
        _, rows, columns, _ = net.shapes[source]
        boxes = _convolution(net, source, f"{name} boxes", np.zeros((each * 16, 1, 1, 4)),
                             [0, 0, 24, 24, *[0] * 12] * each, step=0.25)  # fmt: skip
        read = np.zeros((each, 1, 1, 4))
        read[0, 0, 0, 0] = name == "fine"
        logits = _convolution(net, source, f"{name} scores", read, [-6.0 * (name != "fine"), *[-6.0] * (each - 1)])
        for which, one, channels in (("boxes", boxes, 16), ("scores", logits, 1)):
            shape = (1, rows * columns * each, channels)
            flat = net.reshaped(one, f"flat {name} {which}", shape)
            net.graph.tensors[net._numbers[flat]].quantization = net.graph.tensors[net._numbers[one]].quantization
            outputs.append(net.run("DEQUANTIZE", (flat,), f"{name} {which} out", shape, kind="FLOAT32"))
    return net.data([given], outputs)


def picture(path: Path, color: int, ground: int, seed: int = 0) -> Path:
    """Four squares of about this color, each a cell of the network."""
    random = np.random.default_rng(seed)
    pixels = np.full((128, 128, 3), ground, np.uint8)
    for x, y in ((16, 16), (80, 24), (24, 80), (88, 88)):
        pixels[y : y + 8, x : x + 8] = color + random.integers(-5, 6)
    Image.fromarray(pixels).save(path)
    return path


@pytest.fixture
def dark(tmp_path: Path) -> Path:
    """A folder of pictures of dark squares."""
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number in range(4):
        picture(folder / f"{number}.png", 20, 240, number)
    return folder


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Any]:
    monkeypatch.chdir(tmp_path)

    def call(data: bytes, *words: object) -> tuple[int, str, str]:
        Path("face.tflite").write_bytes(data)
        code = cli.call("optimize", ["face.tflite", *map(str, words)], "n6post optimize")
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return call


def mended(folder: Path, data: bytes) -> bytes | None:
    path = folder / "network.tflite"
    path.write_bytes(data)
    return input_range.changed(path, data)


def opened(data: bytes) -> Any:
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    network = Interpreter(
        model_content=data, experimental_op_resolver_type=plain, experimental_preserve_all_tensors=True
    )
    network.allocate_tensors()
    return network


def tensor(network: Any, name: str) -> dict[str, Any]:
    (found,) = [one for one in network.get_tensor_details() if one["name"] == name]
    return dict(found)


# --- what is rewritten ---
def test_the_bytes_of_a_picture_mean_pixels_in_minus_1_to_1(tmp_path: Path) -> None:
    """The first convolution equals plain numpy's of the pixels in -1..1, with zeros around them."""
    data = blaze_face()
    new = mended(tmp_path, data)
    assert new is not None
    network = opened(new)
    (given,) = network.get_input_details()
    assert given["dtype"] == np.int8 and given["quantization"] == (np.float32(2 / 255), -1)
    pixels = np.random.default_rng(3).integers(0, 256, (128, 128, 3))
    network.set_tensor(given["index"], (pixels - 128).astype(np.int8)[None])
    network.invoke()
    before, feature = opened(data), tensor(network, "feature")
    weights, biases = (tensor(before, f"feature {name}") for name in ("weights", "biases"))
    steps = weights["quantization_parameters"]["scales"]
    kernel = before.get_tensor(weights["index"]) * steps[:, None, None, None]
    added = before.get_tensor(biases["index"]) * biases["quantization_parameters"]["scales"]
    around = np.pad((pixels - 127) * 2 / 255, ((1, 1), (1, 1), (0, 0)))
    written = tensor(network, "feature biases")["quantization_parameters"]["scales"]
    assert np.allclose(written, steps * np.float32(2 / 255), rtol=1e-6)
    patches = np.lib.stride_tricks.sliding_window_view(around, (10, 10, 3))[::8, ::8, 0]
    expected = np.tensordot(patches, kernel, ((2, 3, 4), (1, 2, 3))) + added
    scale, zero_point = feature["quantization"]
    found = (network.get_tensor(feature["index"])[0].astype(float) - zero_point) * scale
    inside = np.clip(expected, (-128 - zero_point) * scale, (127 - zero_point) * scale)
    assert np.abs(found - inside).max() <= 0.51 * scale


def test_nothing_else_of_the_file_changes(tmp_path: Path) -> None:
    old, new = TfliteFile(blaze_face()), TfliteFile(mended(tmp_path, blaze_face()) or b"")
    assert new.names == old.names[1:]  # without QUANTIZE
    assert [new.name(one) for one in new.output_tensors] == [old.name(one) for one in old.output_tensors]
    names = {new.name(at): at for at in range(len(new.graph.tensors))}
    same = 0
    for at in range(len(old.graph.tensors)):
        name = old.name(at)
        if name in ("picture", "pixels", "feature biases"):
            continue
        one, other = old.graph.tensors[at].quantization, new.graph.tensors[names[name]].quantization
        if one is not None:
            assert np.array_equal(one.scale, other.scale) and np.array_equal(one.zeroPoint, other.zeroPoint)
        if old.is_constant(at):
            assert np.array_equal(old.constant(at), new.constant(names[name]))
        same += 1
    assert same > 20


@pytest.mark.parametrize("kind", ["FLOAT32", "UINT8", "INT8"])
def test_floats_uint8_and_int8_become_the_same_int8(kind: str, tmp_path: Path) -> None:
    quantization = (1 / 255, 0) if kind == "UINT8" else PIXEL
    data = blaze_face(kind=kind, quantization=quantization)
    if kind == "UINT8":  # TensorFlow's converter puts the int8 of the network behind it
        file = TfliteFile(data)
        file.graph.tensors[file.outputs(0)[0]].quantization.zeroPoint = [-128]
        data = file.data()
    new = opened(mended(tmp_path, data) or b"")
    assert new.get_input_details()[0]["quantization"] == (np.float32(2 / 255), -1)


@pytest.mark.parametrize("quantization", [GRAY, (2 / 255, -128), (1 / 255, -100), (1 / 256 / 2, -128)])
def test_an_input_of_another_range_stays_as_it_is(quantization: tuple[float, int], tmp_path: Path) -> None:
    assert mended(tmp_path, blaze_face(quantization=quantization)) is None


def test_a_mended_file_is_not_mended_again(tmp_path: Path) -> None:
    assert mended(tmp_path, mended(tmp_path, blaze_face()) or b"") is None


OTHERS = ["palm_detection_full_192", "hand_landmarks_full_224", "face_landmarks_192", "yolov8n_192", "yolo_lc_192",
          "fomo_face_detection", "person_detect", "st_yolo_x_nano_480_1.0_0.25_3_st_int8"]  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_networks_of_other_families_are_left_alone(shared: Path, name: str) -> None:
    path = shared / "models" / f"{name}.tflite"
    assert input_range.changed(path, path.read_bytes()) is None


# --- what proves it ---
def test_the_command_writes_it_if_the_pictures_prove_it(run: Callable[..., Any], dark: Path) -> None:
    code, out, err = run(blaze_face(), "--pictures", dark)
    assert (code, err) == (0, "")
    assert "faces 0 at 0.5 and more 32 at 0.5 and more" in out  # four squares, four pictures, in two fits
    assert "4 pictures: the given pictures" in out and "faces 32 gain 0.05 of score or more, 0 lose it" in out
    assert "written face_optimized.tflite" in out
    assert Path("face_optimized.tflite").read_bytes() == mended(Path(), blaze_face())


def test_a_network_that_was_right_is_not_changed(run: Callable[..., Any], tmp_path: Path) -> None:
    """Its faces are gray squares on black, which pixels in -1..1 make fainter."""
    code, _, err = run(blaze_face(4.0), "--pictures", *(picture(tmp_path / f"{i}.png", 150, 0, i) for i in range(2)))
    assert code == 2 and "nothing was written" in err and "0 faces gain 0.05 of score or more, and 16 lose it" in err
    assert not Path("face_optimized.tflite").exists()


def test_few_faces_prove_nothing(run: Callable[..., Any], dark: Path) -> None:
    code, _, err = run(blaze_face(), "--pictures", dark / "0.png")
    assert code == 2 and "expected at least 10 faces whose score changes by 0.05 or more, got 8 of 8" in err
    assert not Path("face_optimized.tflite").exists()


CHANGES = [(8, 2, True), (10, 0, True), (9, 0, False), (7, 3, False), (40, 11, False)]


@pytest.mark.parametrize(("gain", "lose", "proven"), CHANGES)
def test_four_of_five_changes_must_be_gains(gain: int, lose: int, proven: bool, tmp_path: Path) -> None:
    path = tmp_path / "face.tflite"
    path.write_bytes(blaze_face())
    evidence = input_range.Evidence(path, path)
    evidence.faces = [(0.5, 0.55)] * gain + [(0.9, 0.85)] * lose + [(0.6, 0.64), (0.6, 0.56)] * 20
    if proven:
        assert evidence.finish() == [("faces", f"{gain} gain 0.05 of score or more, {lose} lose it")]
    else:
        with pytest.raises(FailedProofError):
            evidence.finish()


@pytest.mark.parametrize("word", [["--input", "96x96"], ["--input", "auto", "--camera", "VGA"], ["--classes", "0"]])
def test_it_keeps_its_input_size_and_its_class(word: list[str], run: Callable[..., Any], dark: Path) -> None:
    code, _, err = run(blaze_face(), *word, "--pictures", dark)
    assert code == 2 and "leave out --input, --camera and --classes" in err


def test_its_labels_are_written_beside_it(run: Callable[..., Any], dark: Path) -> None:
    Path("face.txt").write_text("visage\n", encoding="utf-8")
    code, out, _ = run(blaze_face(), "--pictures", dark)
    assert code == 0 and "face_optimized.txt" in out
    assert Path("face_optimized.txt").read_text(encoding="utf-8") == "visage\n"


def test_openmvs_file_finds_more_faces_with_its_range_mended(shared: Path, tmp_path: Path) -> None:
    """And with both files exchanged, the proof fails."""
    original, new = tmp_path / "blazeface.tflite", tmp_path / "new.tflite"
    shutil.copyfile(shared / "models" / "blazeface_front_128.tflite", original)
    new.write_bytes(input_range.changed(original, original.read_bytes()) or b"")
    forth, back = input_range.Evidence(original, new), input_range.Evidence(new, original)
    with Image.open(shared / "pictures" / "faces.bmp") as faces:
        for x in range(0, 200, 40):
            part = faces.crop((x, x // 4, x + 180, x // 4 + 180)).resize((360, 360), Resampling.BILINEAR)
            part.save(tmp_path / "part.png")
            for evidence in (forth, back):
                evidence.add(pictures.read(tmp_path / "part.png"))
    assert forth.finish()[0][1].endswith("gain 0.05 of score or more, 0 lose it")
    (_, before, after) = forth.rows()[1]
    assert int(after.split()[0]) > int(before.split()[0])
    with pytest.raises(FailedProofError, match="0 faces gain 0.05 of score or more, and [0-9]{2} lose it"):
        back.finish()
