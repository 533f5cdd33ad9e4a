"""scripts/optimize_model.py, the command n6post optimize: what it writes, what it refuses, and how it proves its work.

The networks are the sample network and files that cannot be optimized. What the rewriting itself does is tested in
test_optimize_tflite.py and test_optimize_onnx.py.
"""

from __future__ import annotations

import argparse
import dataclasses
import itertools
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fake_vela
import model_files
import n6post
import numpy as np
import pytest
import recorded_oriented_boxes as recorded
import tiny_yolo
from commands import script
from n6post_pc import cli, paths
from n6post_pc import optimize as optimizers
from n6post_pc.build import command as build
from n6post_pc.optimize import command as optimize_model
from n6post_pc.optimize import proof as optimize_proof
from PIL import Image as PilImage

pytest.importorskip("ai_edge_litert")

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

LABELS = ["circle", "triangle", "square", "star"]
PICTURES = sorted(paths.SAMPLE_PICTURES.iterdir())[:2]

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the sample network in an empty current folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("shapes.tflite", "shapes.txt"):
        shutil.copyfile(paths.SAMPLE_MODEL.with_name(name), name)
    return Path("shapes.tflite")


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def call(*arguments: object) -> tuple[int, str, str]:
        """Run the command with two pictures. Returns (exit code, stdout, stderr)."""
        words = [str(argument) for argument in arguments]
        if "--pictures" not in words:
            words += ["--pictures", *map(str, PICTURES)]
        try:
            code = cli.call("optimize", words, "n6post optimize")
        except SystemExit as leaving:  # argparse
            code = int(leaving.code or 0)
        out, err = capsys.readouterr()
        return code, " ".join(out.split()), " ".join(err.split())

    return call


def interpreter(path: Path, picture: Path, size: tuple[int, int] = (160, 160)) -> Any:
    """LiteRT's own interpreter after it has seen a picture."""
    from ai_edge_litert.interpreter import Interpreter, OpResolverType

    plain = OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    opened = Interpreter(str(path), experimental_op_resolver_type=plain, experimental_preserve_all_tensors=True)
    opened.allocate_tensors()
    (given,) = opened.get_input_details()
    with PilImage.open(picture) as image:
        pixels = np.asarray(image.convert("RGB").resize(size)).astype(np.int16) - 128
    opened.set_tensor(given["index"], pixels[None].astype(np.int8))
    opened.invoke()
    return opened


def outputs(path: Path, picture: Path, size: tuple[int, int] = (160, 160)) -> list[np.ndarray[Any, Any]]:
    opened = interpreter(path, picture, size)
    return [opened.get_tensor(one["index"]) for one in opened.get_output_details()]


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


# --- the file ---


def test_the_sample_network_is_optimized_without_arguments(tmp_path: Path) -> None:
    done = script("optimize_model.py", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr
    text = " ".join(done.stdout.split())
    assert "outputs all 10 equal the original's tensors in every bit; 6 of them then got finer steps" in text
    assert "written shapes_optimized.tflite, shapes_optimized.txt" in text
    assert str(paths.SAMPLE_MODEL) in done.stdout.splitlines()[-1]
    assert (tmp_path / "shapes_optimized.txt").read_text(encoding="utf-8").split() == LABELS


def test_the_outputs_are_tensors_of_the_original(model: Path, run: Run) -> None:
    assert run(model)[0] == 0
    original, new = (interpreter(Path(name), PICTURES[0]) for name in ("shapes.tflite", "shapes_optimized.tflite"))
    theirs = [one for one in original.get_tensor_details() if one["shape"].size == 4]
    maps = {(side, side, channels) for side in (20, 10, 5) for channels in (64, 4, 32)} | {(40, 40, 32)}
    assert {tuple(one["shape"][1:]) for one in new.get_output_details()} == maps
    for made in new.get_output_details():
        values, (scale, zero_point) = new.get_tensor(made["index"]), made["quantization"]
        same = [one for one in theirs if tuple(one["shape"]) == tuple(made["shape"])]
        if made["shape"][3] == 32:  # coefficients and prototypes keep their steps
            assert any(np.array_equal(values, original.get_tensor(one["index"])) for one in same)
            continue
        lowest, highest = ((q - zero_point) * scale for q in (-128, 127))
        apart = []
        for one in same:  # the convolution's output is among them
            step, zero = one["quantization"]
            coarse = np.clip((original.get_tensor(one["index"]) - float(zero)) * step, lowest, highest)
            apart.append(np.abs((values - float(zero_point)) * scale - coarse).max() / (step / 2 + 1.5 * scale))
        assert min(apart) <= 1


def test_load_takes_the_file_and_finds_the_same_objects(model: Path, run: Run) -> None:
    run(model)
    found = []
    for name in ("shapes.tflite", "shapes_optimized.tflite"):
        network = n6post.load(name)
        with PilImage.open(PICTURES[0]) as picture:
            frame = n6post_image(picture)
        found.append(network.predict([n6post.Letterbox(frame)]))
    published, optimized = found
    assert len(published) == len(optimized) > 0
    assert [d.label for d in published] == [d.label for d in optimized]
    for one, other in zip(published, optimized):
        assert abs(one.score - other.score) < 0.03
        # The published center and size are rounded to 1/38 of the input.
        assert np.abs(np.array(one.rect) - other.rect).max() <= 1.5 * 0.02621 * max(frame.width(), frame.height()) + 1


def n6post_image(picture: PilImage.Image) -> Any:
    from n6post_pc.models.pictures import rgb565

    return rgb565(picture)


def test_only_the_classes_that_are_named_are_kept(model: Path, run: Run) -> None:
    code, out, _ = run(model, "--classes", "star, triangle")
    assert code == 0 and "classes 4 2: triangle, star" in out
    assert Path("shapes_optimized.txt").read_text(encoding="utf-8") == "triangle\nstar\n"
    run(model, "-o", "all.tflite")
    few, every = (outputs(Path(name), PICTURES[0]) for name in ("shapes_optimized.tflite", "all.tflite"))
    scores = [(one, other) for one, other in zip(few, every) if one.shape != other.shape]
    assert len(scores) == 3 and all(np.array_equal(one, other[..., [1, 3]]) for one, other in scores)


def test_classes_are_given_by_number_too(model: Path, run: Run) -> None:
    assert run(model, "--classes", "3,circle")[0] == 0
    assert Path("shapes_optimized.txt").read_text(encoding="utf-8").split() == ["circle", "star"]


def test_all_classes_in_another_order_change_nothing(model: Path, run: Run) -> None:
    run(model)
    before = Path("shapes_optimized.tflite").read_bytes()
    assert run(model, "--classes", "3,2,1,0")[0] == 0
    assert Path("shapes_optimized.tflite").read_bytes() == before


def test_classes_without_names_are_written_as_their_numbers(model: Path, run: Run) -> None:
    Path("shapes.txt").unlink()
    assert run(model, "--classes", "1,3")[0] == 0
    assert Path("shapes_optimized.txt").read_text(encoding="utf-8").split() == ["1", "3"]


def test_the_labels_of_an_earlier_file_do_not_stay(model: Path, run: Run) -> None:
    run(model, "--classes", "star")
    Path("shapes.txt").unlink()
    assert run(model)[0] == 0
    assert Path("shapes_optimized.txt").read_text(encoding="utf-8").split() == ["0", "1", "2", "3"]


def test_labels_are_read_from_another_file(model: Path, run: Run) -> None:
    Path("names.txt").write_text("a\nb\nc\nd\n", encoding="utf-8")
    assert run(model, "--labels", "names.txt", "--classes", "b")[0] == 0
    assert Path("shapes_optimized.txt").read_text(encoding="utf-8").split() == ["b"]


# --- the input size ---


def test_another_input_size_finds_the_same_objects(model: Path, run: Run) -> None:
    code, out, _ = run(model, "--input", "192x128", "--pictures", paths.SAMPLE_PICTURES)
    assert code == 0 and "input 160 x 160 192 x 128" in out
    assert "outputs at 160 x 160, all 10 equal the original's tensors in every bit" in out
    assert "are found at both input sizes" in out
    shapes = {one.shape[1:3] for one in outputs(Path("shapes_optimized.tflite"), PICTURES[0], (192, 128))}
    assert shapes == {(16, 24), (8, 12), (4, 6), (32, 48)}


def test_the_frame_size_of_the_camera_chooses_the_input(model: Path, run: Run) -> None:
    for words in (["--camera", "vga"], ["--input", "auto", "--camera", "640x480"]):
        code, out, _ = run(model, *words)
        assert code == 0 and "input 160 x 160 160 x 128" in out


@pytest.mark.parametrize(("frame", "size", "expected"), [
    ((640, 480), (320, 320), (320, 256)),
    ((640, 480), (256, 256), (256, 192)),
    ((1280, 720), (192, 192), (192, 128)),
    ((480, 640), (320, 320), (256, 320)),
    ((640, 480), (320, 256), (320, 256)),
    ((320, 320), (160, 160), (160, 160)),
])  # fmt: skip
def test_the_input_of_a_camera_has_no_bars_of_a_whole_cell(
    frame: tuple[int, int], size: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert optimize_model.without_bars(frame, size) == expected
    assert optimize_model.scale_of(frame, expected) >= optimize_model.scale_of(frame, size)


@pytest.mark.parametrize("frame", [(640, 480), (720, 480), (1280, 720), (480, 640)], ids=str)
@pytest.mark.parametrize("side", [160, 192, 320])
def test_the_largest_input_has_as_many_pixels_and_the_largest_frame(frame: tuple[int, int], side: int) -> None:
    width, height = optimize_model.largest(frame, (side, side))
    assert width % 32 == height % 32 == 0 and width * height <= side * side
    others = [(w, h) for w, h in itertools.product(range(32, side * side // 32 + 1, 32), repeat=2) if w * h <= side * side]
    assert min(width / frame[0], height / frame[1]) == max(min(w / frame[0], h / frame[1]) for w, h in others)


def test_frame_sizes_are_those_of_the_firmware() -> None:
    known = {"QVGA": (320, 240), "VGA": (640, 480), "SVGA": (800, 600), "HD": (1280, 720), "FHD": (1920, 1080)}
    assert {name: optimize_model.frame_of(name) for name in known} == known
    assert optimize_model.frame_of("640X400") == (640, 400)
    for wrong in ("VGAA", "640", "0x480", "x"):
        with pytest.raises(argparse.ArgumentTypeError, match="expected WIDTHxHEIGHT"):
            optimize_model.frame_of(wrong)


# --- the report ---


def test_the_report_compares_before_and_after(
    model: Path, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    code, out, _ = run(model, "--npu", "u55")
    assert code == 0
    assert "1 x 40 x 525 int8 1 x 20 x 20 x 64 int8" in out and "operators 112 75" in out
    assert "box step 4.2 pixels 0.1" in out  # .02621 of 160 pixels
    assert "5.21 M cycles 5.21 M cycles (+0%)" in out and "816 KiB of SRAM" in out
    assert "head 100 of 100 anchors agree" in out


def test_everything_fits_into_80_columns(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [str(model), "--camera", "VGA", "--pictures", *map(str, PICTURES)]
    cli.call("optimize", words, "n6post optimize")
    long = [line for line in capsys.readouterr().out.splitlines() if len(line.rstrip()) > 80]
    assert all(line.startswith("written") for line in long)


def test_pictures_that_show_nothing_prove_nothing_about_objects(model: Path, run: Run) -> None:
    PilImage.new("RGB", (160, 160), (90, 90, 90)).save("gray.png")
    code, out, _ = run(model, "--pictures", "gray.png")
    assert code == 1 and "on 1 picture" in out and "objects not compared: nothing is found" in out
    assert Path("shapes_optimized.tflite").exists()
    code, out, _ = run(model, "--input", "192x128", "--pictures", "gray.png")
    assert code == 1 and "sizes not compared" in out


# --- what is refused: nothing is written ---


@pytest.mark.parametrize(("words", "message"), [
    (["--classes", "stra"], "--classes: expected one of 'circle', 'triangle', 'square', 'star', got 'stra'"),
    (["--classes", "4"], "--classes: expected numbers below 4, got 4"),
    (["--classes", ","], "--classes: expected a list of class numbers and names"),
    (["--input", "200x160"], "multiples of 32, got 200x160"),
    (["--input", "big"], "expected WIDTHxHEIGHT, such as 320x256, got 'big'"),
    (["--input", "auto"], "--input auto needs --camera"),
    (["--input", "192x128", "--camera", "VGA"], "leave out --input"),
    (["--camera", "VGAA"], "HD (1280x720)"),
    (["--labels", "two.txt"], "expected 4 labels, one per class, got 2"),
    (["--pictures", "nothing.jpg"], "no such picture: nothing.jpg"),
    (["--pictures", "two.txt"], "two.txt: not a picture that can be read"),
    (["-o", "shapes.tflite"], "shapes.tflite is the model itself"),
    (["-o", "hard.tflite"], "hard.tflite is the model itself"),
    (["-o", "shapes.onnx"], "expected a name that ends in .tflite"),
    (["-o", "shapes.small.tflite", "--classes", "star"], "shapes.txt has the labels of shapes.tflite"),
], ids=lambda value: " ".join(value) if isinstance(value, list) else "")  # fmt: skip
def test_a_wrong_wish_is_refused_and_nothing_is_written(words: list[str], message: str, model: Path, run: Run) -> None:
    Path("two.txt").write_text("a\nb\n", encoding="utf-8")
    os.link(model, "hard.tflite")
    before, there = model.read_bytes(), files()
    code, out, err = run(model, *words)
    assert code == 2 and message in err and not out
    assert files() == there and model.read_bytes() == before
    assert Path("shapes.txt").read_text(encoding="utf-8").split() == LABELS


@pytest.mark.parametrize(("content", "message"), [
    (paths.SAMPLE_MODEL.with_name("shapes_float.tflite").read_bytes(), "in float"),
    (paths.SAMPLE_MODEL.read_bytes()[:100_000], "damaged"),
    (b"TFL3TFL3" + bytes(1000), "damaged"),
    (b"a text", "neither a .tflite nor an .onnx model"),
    (model_files.for_st(), "compiled by ST for Neural-ART. Optimize the file that it was compiled from"),
    (lambda: model_files.for_ethos(), "compiled by Vela for an Ethos-U. Optimize the file that it was compiled from"),
    (lambda: model_files.runnable(), "not a YOLO"),
], ids=["float", "cut off", "header", "text", "ST", "Vela", "another family"])  # fmt: skip
def test_a_file_that_cannot_be_optimized_is_refused_with_the_reason(
    content: Any, message: str, model: Path, run: Run
) -> None:
    model.write_bytes(content if isinstance(content, bytes) else content())
    there = files()
    code, out, err = run(model)
    assert code == 2 and message in err and "Traceback" not in err and not out
    assert files() == there


def test_an_optimized_file_is_not_optimized_again(model: Path, run: Run) -> None:
    run(model)
    there = files()
    code, _, err = run("shapes_optimized.tflite", "-o", "again.tflite")
    assert code == 2 and "already" in err and files() == there


def test_an_interrupted_command_leaves_the_old_file(model: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("shapes_optimized.tflite").write_bytes(b"old")
    there = files()

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "shapes_optimized.tflite")

    monkeypatch.setattr(os, "replace", full)
    code, _, err = run(model)
    assert code == 2 and "No space left on device" in err
    assert files() == there and Path("shapes_optimized.tflite").read_bytes() == b"old"


def test_the_output_may_be_a_folder_or_lie_in_a_new_one(model: Path, run: Run) -> None:
    Path("there").mkdir()
    assert run(model, "-o", "there")[0] == run(model, "-o", "new/small.tflite")[0] == 0
    assert {path.name for path in Path("there").iterdir()} == {"shapes_optimized.tflite", "shapes_optimized.txt"}
    assert {path.name for path in Path("new").iterdir()} == {"small.tflite", "small.txt"}


def test_a_dot_in_the_name_of_the_model_is_replaced() -> None:
    made = optimize_model.output_path(Path("fruit.v2.tflite"), None, ".tflite")
    assert made == Path("fruit_v2_optimized.tflite") and optimize_model.labels_path(made).name == "fruit_v2_optimized.txt"


@pytest.mark.parametrize("options", [
    {}, {"task": "segment"}, {"task": "pose", "classes": 1}, {"task": "obb"}, {"bins": 1}, {"activations": "QInt16"},
], ids=["detection", "segmentation", "pose", "oriented boxes", "without DFL", "int16"])  # fmt: skip
def test_an_onnx_file_is_optimized_and_keeps_the_names_inside(options: dict[str, Any], model: Path, run: Run) -> None:
    pytest.importorskip("onnxruntime")
    tiny = pytest.importorskip("tiny_onnx_yolo")
    Path("net.onnx").write_bytes(tiny.quantized(Path.cwd(), **options))
    code, out, err = run("net.onnx")
    assert code == 0 and "equal the original's tensors in every bit" in out and not err
    assert "found by n6post, each as plain numpy decodes it" in out
    names = Path("net_optimized.txt").read_text(encoding="utf-8").splitlines()
    assert names == list(tiny.NAMES[: options.get("classes", len(names))])
    assert n6post.load("net_optimized.onnx").input_shape == n6post.load("net.onnx").input_shape


# --- the proof's own decoding ---


@pytest.mark.parametrize("case", [one for one in recorded.cases(True) + recorded.cases() if "int8" in one or "float" in one])
def test_the_proof_decodes_oriented_boxes_as_ultralytics_does(case: str) -> None:
    tensors = recorded.outputs(case)
    outputs = [optimize_proof.Output(name, one.values.shape, one.values.dtype.name, one.scale or 1.0, one.zero_point)
               for name, one in tensors.items()]  # fmt: skip
    size, count = recorded.SIZE, recorded.CLASSES
    head = argparse.Namespace(task="obb", input_size=size, original_size=size, class_count=count,
                              original_class_count=count, before=outputs, after=outputs)  # fmt: skip
    values: Any = {name: one.values for name, one in tensors.items()}
    if case.startswith("split"):
        boxes = optimize_proof.split(head, values).boxes  # type: ignore[arg-type]
    else:
        anchors = argparse.Namespace(strides=np.zeros(336))
        boxes = optimize_proof.raw(head, values, anchors)[0].boxes  # type: ignore[arg-type, index]
    expected = recorded.result(case, recorded.SETTINGS[0], "corners")
    assert len(expected)
    for corners in expected:
        assert np.abs(boxes[..., None] - corners @ [1, 1j]).min(1).max(1).min() < 0.01


# --- the proof notices what is wrong ---


@pytest.fixture
def wrong(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Any], Any]], None]:
    """Replaces what the optimizer returns by a function of it."""

    def install(change: Callable[[Any], Any]) -> None:
        genuine = optimizers.optimizer(".tflite")
        monkeypatch.setattr(optimize_model, "optimizer", lambda _: lambda *a, **k: change(genuine(*a, **k)))

    return install


def failed(run: Run, *arguments: object) -> str:
    """The message of a command whose proof fails."""
    there = files()
    code, out, err = run(*arguments)
    assert code == 2 and not out and files() == there
    assert "nothing was written, because the new file failed its proof: " in err
    return err


def test_the_proof_notices_an_output_that_is_another_tensor(model: Path, run: Run, wrong: Any) -> None:
    def swapped(new: Any) -> Any:
        (a, b) = [one.name for one in new.after if one.shape == (1, 40, 40, 32)] + [
            one.name for one in new.after if one.shape == (1, 5, 5, 32)
        ]
        return dataclasses.replace(new, sources={**new.sources, a: new.sources[b], b: new.sources[a]})

    wrong(swapped)
    assert "differs from the original's tensor" in failed(run, model)


def test_the_proof_notices_that_another_class_was_kept(model: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    genuine = optimizers.optimizer(".tflite")

    def other(data: bytes, *, classes: Any = None, **options: Any) -> Any:
        return genuine(data, classes=classes and [(number + 1) % 4 for number in classes], **options)

    monkeypatch.setattr(optimize_model, "optimizer", lambda _: other)
    assert "differs from the original's tensor" in failed(run, model, "--classes", "star,circle")


def test_the_proof_notices_a_head_that_says_something_else(
    model: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    genuine = optimize_proof.raw

    def sideways(*arguments: Any) -> Any:
        decoded, *units = genuine(*arguments)  # type: ignore[misc]
        decoded.boxes = decoded.boxes[:, [1, 0, 3, 2]]
        return decoded, *units

    monkeypatch.setattr(optimize_proof, "raw", sideways)
    assert "anchors" in failed(run, model)


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[Any], dict[str, Any]]], None]:
    """Lets n6post's detections have the attributes that a function of each returns."""

    def install(change: Callable[[Any], dict[str, Any]]) -> None:
        names = ("score", "class_id", "label", "rect", "corners")

        class Other(optimize_proof.Network):
            def __init__(self, *arguments: Any) -> None:
                super().__init__(*arguments)
                genuine = self.processor
                self.processor = lambda *frame: [changed(one) for one in genuine(*frame)]

        def changed(one: Any) -> argparse.Namespace:
            return argparse.Namespace(**{name: getattr(one, name) for name in names} | change(one))

        monkeypatch.setattr(optimize_proof, "Network", Other)

    return install


def test_the_proof_notices_that_n6post_decodes_other_boxes(model: Path, run: Run, seen: Any) -> None:
    seen(lambda one: {"rect": (one.rect[0] + 3, *one.rect[1:])})
    assert "and plain numpy does not" in failed(run, model)


def test_the_proof_notices_that_n6post_turns_boxes_the_other_way(model: Path, run: Run, seen: Any) -> None:
    """The upright boxes around them stay as they are."""
    tiny = pytest.importorskip("tiny_onnx_yolo")
    Path("net.onnx").write_bytes(tiny.quantized(Path.cwd(), task="obb"))

    def mirrored(one: Any) -> dict[str, Any]:
        points = one.corners._np.copy()
        points[:, 0] = points[:, 0].min() + points[:, 0].max() - points[:, 0]
        return {"corners": argparse.Namespace(_np=points)}

    seen(mirrored)
    assert "and plain numpy does not" in failed(run, "net.onnx")


def test_the_proof_notices_that_objects_are_lost_at_the_new_size(
    model: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Blind(optimize_proof.Network):
        def see(self, picture: Any, fit: str) -> Any:
            return [] if self.size == (192, 128) else super().see(picture, fit)

    monkeypatch.setattr(optimize_proof, "Network", Blind)
    message = failed(run, model, "--input", "192x128", "--pictures", paths.SAMPLE_PICTURES)
    assert "clear objects are found at both input sizes" in message


# --- the other commands offer it ---


def test_inspect_offers_it_for_a_raw_head_in_int8_only(
    model: Path, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    run(model)
    for name, offered in (("shapes.tflite", True), ("shapes_optimized.tflite", False),
                          (str(paths.SAMPLE_MODEL.with_name("shapes_float.tflite")), False)):  # fmt: skip
        cli.call("inspect", [name], "n6post inspect")
        findings = " ".join(capsys.readouterr().out.partition("\nfindings")[2].split())
        assert ("- optimize: " in findings and "n6post optimize FILE" in findings) == offered, name
        assert ("box step" in findings) == offered


def test_inspect_offers_it_for_oriented_boxes(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("turned.tflite").write_bytes(tiny_yolo.Tiny("obb").data())
    Path("turned.txt").write_text("ship\ntruck\ntile\n", encoding="utf-8")
    cli.call("inspect", ["turned.tflite"], "n6post inspect")
    assert "- optimize: " in capsys.readouterr().out


def test_build_offers_it_for_a_model_in_the_image(model: Path, run: Run) -> None:
    run(model)
    line = "shapes.tflite can be made smaller, faster and more exact: n6post optimize shapes.tflite"
    for path, expected in ((model, [line]), (Path("shapes_optimized.tflite"), [])):
        _, _, advice = build.model_files(path, build.BOARDS["AE3"], None)
        assert advice == expected


def test_the_examples_in_the_help_are_accepted(model: Path) -> None:
    shutil.copyfile(model, "model.tflite")
    for example in optimize_model.EXAMPLES:
        assert optimize_model.parse(example.split(), "n6post optimize").model == Path("model.tflite")
