"""scripts/inspect_model.py, the command n6post inspect: it describes a model file and checks it for a camera."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import fake_vela
import model_files
import pytest
from commands import ROOT, script
from fake_networks import SIDE, Network
from fake_networks import picture as picture_file
from ml import model as ml_model
from n6post_pc import cli
from n6post_pc.build import inspect as inspect_model
from n6post_pc.models import vela
from PIL import Image as PilImage
from synthetic_heads import Thing, float_head

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    """Run the command. Returns (exit code, stdout, stderr)."""
    code = cli.call("inspect", [str(argument) for argument in arguments], "n6post inspect")
    return code, *capsys.readouterr()


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.runnable())
    return path


def facts(printed: str) -> dict[str, str]:
    """The first line of each fact by its name."""
    return {line[:10].strip(): line[10:].strip() for line in printed.splitlines()}


# --- the description ---


def test_integer_tensors_are_described_with_their_range() -> None:
    assert inspect_model.numbers("b", 0.02, 24) == "(q - 24) * 0.02, -3.04 to 2.06"
    assert inspect_model.numbers("b", 0.5, -128) == "(q + 128) * 0.5, 0 to 127.5"
    assert inspect_model.numbers("B", 0.5, 0) == "q * 0.5, 0 to 127.5"
    assert inspect_model.numbers("f", 1.0, 0) == ""


def test_a_model_is_described(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model.with_suffix(".txt").write_bytes(b"person\r\ntraffic light\r\n")
    code, printed, _ = run(capsys, model)
    assert code == 0 and printed.startswith("net.tflite\n")
    described = facts(printed)
    assert described["input 0"] == "1 x 64 x 64 x 3   int8    (q + 28) * 0.01, -1 to 1.55"
    assert described["output 0"] == "1 x 6 x 84        int8    (q + 28) * 0.01, -1 to 1.55"
    assert described["labels"] == "2: person, traffic light"
    assert described["fits"] == "n6post.YoloV8"
    assert described["heap"].startswith("0.00 MB for float32 copies")  # 6 x 84 x 4 bytes
    assert described["SLICE"] == "1" or " SLICE" in printed
    assert printed.endswith("findings  none\n")


@pytest.mark.parametrize(
    ("channels", "more", "expected"),
    [
        ((64, 1), [], "split: boxes in 0, 1, 2; scores of 1 class in 3, 4, 5"),
        ((144,), [], "split: boxes and scores of 80 classes in 0, 1, 2"),
        ((64, 64), [], "split, 64 classes: the first picture shows which output has what"),
        ((4, 64), [], "split, 4 or 64 classes: the first picture shows which output has what"),
        (
            (3, 64),
            [(1, 32, 2100), (1, 80, 80, 32)],
            "split: boxes in 3, 4, 5; scores of 3 classes in 0, 1, 2; coefficients in 6; prototypes in 7",
        ),
        ((64, 51, 1), [], "split: boxes in 0, 1, 2; scores of 1 class in 6, 7, 8; keypoints in 3, 4, 5"),
    ],
)
def test_outputs_of_a_split_head_are_named(
    channels: tuple[int, ...], more: list[tuple[int, ...]], expected: str
) -> None:
    maps: list[tuple[int, ...]] = [(1, side, side, n) for n in channels for side in (40, 20, 10)]
    model = SimpleNamespace(input_shape=((1, 320, 320, 3),), output_shape=(*maps, *more))
    assert inspect_model.split_outputs(model) == expected


def test_outputs_of_other_models_are_not_named(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, model)
    assert "head" not in facts(printed)


def test_an_optimized_model_is_described(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ai_edge_litert")
    from n6post_pc.optimize.tflite import optimized

    sample = ROOT / "scripts" / "n6post_pc" / "data" / "shapes" / "shapes.tflite"
    file = tmp_path / "shapes.tflite"
    file.write_bytes(optimized(sample.read_bytes()).data)
    file.with_suffix(".txt").write_bytes(sample.with_suffix(".txt").read_bytes())
    code, printed, _ = run(capsys, file, "--picture", picture_file(tmp_path / "plain.png"))
    assert code == 0 and "\nfindings  none\nnotes " in printed
    assert facts(printed)["fits"] == "n6post.YoloV8Seg"
    said = re.compile(r"split: boxes in [\d, ]+; scores of 4 classes in [\d, ]+; coefficients in [\d, ]+; prototypes in \d ")
    assert said.search(" ".join(printed.split()))


def test_only_the_line_to_paste_is_longer_than_80_columns(
    shared: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("ai_edge_litert")
    monkeypatch.setenv("COLUMNS", "80")
    _, printed, _ = run(capsys, *sorted((shared / "models").glob("*.tflite")))
    long = [line for line in printed.splitlines() if len(line) > 80]
    assert all(line.startswith("paste     model = n6post.load(") for line in long)


def test_the_line_to_paste_opens_the_model_with_its_post_processor(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, printed, _ = run(capsys, model)
    line = facts(printed)["paste"]
    assert line == 'model = n6post.load("/rom/net.tflite")'
    import n6post

    names = {"n6post": n6post}
    exec(line.replace("/rom/", f"{model.parent}/"), names)
    assert type(names["model"].postprocess.processor).__name__ == facts(printed)["fits"].removeprefix("n6post.")


def test_a_model_that_vela_compiled_is_described_but_not_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.for_ethos())
    PilImage.new("RGB", (64, 64)).save(tmp_path / "black.png")
    code, printed, _ = run(capsys, path, "--picture", tmp_path / "black.png")
    described = facts(printed)
    assert code == 0 and described["file"].endswith("compiled by Vela for an Ethos-U")
    assert described["fits"] == "n6post.YoloV8" and "N6" not in described


def test_a_model_that_st_compiled_is_recognized(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.for_st())
    code, printed, _ = run(capsys, path)
    described = facts(printed)
    assert code == 0 and described["file"].endswith("compiled by ST for Neural-ART")
    assert described["fits"].startswith("unknown: only an N6 can open this file") and "findings" not in described
    code, printed, _ = run(capsys, path, "--json")
    assert code == 0 and json.loads(printed)["inputs"] == []


def test_json_is_one_object_per_file(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    (tmp_path / "broken.tflite").write_bytes(b"TFL3TFL3")
    (tmp_path / "broken.txt").write_text("", encoding="utf-8")
    code, printed, errors = run(capsys, model, tmp_path / "broken.tflite", "--json", "--npu", "u55")
    assert code == 1 and "broken.tflite: a damaged .tflite" in errors
    described, broken = map(json.loads, printed.splitlines())
    assert broken.keys() == {"file", "error"}
    assert described["file"] == str(model) and described["bytes"] == model.stat().st_size
    (tensor,) = described["inputs"]
    assert tensor == {"shape": [1, 64, 64, 3], "dtype": "int8", "scale": pytest.approx(0.01), "zero_point": -28}
    assert described["outputs"][0]["shape"] == [1, 6, 84] and described["float_copies"] == 6 * 84 * 4
    assert described["operators"] == {"SLICE": 1, "RESHAPE": 1} and described["labels"] is None
    assert described["processor"] == "YoloV8" and described["code"].startswith("model = n6post.load(")
    alive = 64 * 64 * 3 + 6 * 84  # the input and the output
    assert described["n6"] == {"activations": [round(alive * 0.95), round(alive * 1.9)], "sram": 1835008, "on_cpu": []}
    assert described["ae3"]["on_cpu"] == {"Dequantize": 1} and described["ae3"]["sram"] == 835392
    assert described["findings"] == [] == described["notes"]


def test_the_ae3_is_reported_with_the_figures_of_vela(
    model: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(tmp_path / "cache", monkeypatch)
    (tmp_path / "net2.onnx").write_bytes(b"")
    code, printed, _ = run(capsys, model, "--npu", "u55")
    lines = " ".join(printed.split())
    assert code == 0 and "by Vela 5.2.0: 2 of 3 operators (66.7%) on the NPU, on the CPU 1 Dequantize; 0.80 MiB" in lines
    assert "5.21 M cycles, an estimated 13.0 ms" in lines
    model.write_bytes(model.read_bytes() + b"refuse")
    code, printed, _ = run(capsys, model, "--npu", "u55")
    assert code == 1 and "AE3: Vela cannot compile it: Error: Invalid tensor" in printed


def test_a_model_that_does_not_run_on_the_npu_has_no_milliseconds(model: Path) -> None:
    report = inspect_model.inspect(model)
    report.ae3 = vela.Verdict(0, {"Conv2D": 2, "Add": 1}, sram=0, flash=0, cycles=0, milliseconds=0, macs=0, missing=[])
    text = dict(inspect_model.cameras(report))["AE3"]
    assert text.startswith("by Vela 5.2.0: none of the 3 operators runs on the NPU") and " ms" not in text


def test_operators_missing_in_the_ae3s_firmware_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.with_topk())
    _, printed, _ = run(capsys, path)
    assert facts(printed)["AE3"].startswith("its firmware has no TOPK_V2")
    before = printed.partition("findings")[2]
    assert "TOPK_V2" not in before  # an N6 may support it
    path.write_bytes(model_files.with_topk("ethos-u"))  # this file is for an AE3
    code, printed, _ = run(capsys, path)
    assert code == 1 and "AE3: its firmware has no TOPK_V2" in printed.partition("findings")[2]


def test_the_estimate_says_whether_the_activations_fit_the_n6(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for side, sentence in ((64, "they fit"), (500, "they may not fit"), (900, "they do not fit")):
        tensors = [(name, (1, side, side, 3), "INT8", (0.01, -28)) for name in ("picture", "same")]
        (tmp_path / "net.tflite").write_bytes(model_files.tflite(tensors, [("RELU", ("picture",), ("same",))]))
        code, printed, _ = run(capsys, tmp_path / "net.tflite")
        fact, _, findings = " ".join(printed.split()).partition(" findings")
        assert f": {sentence}; 0 of 1 operators" in fact
        assert ("memory: its activations take" in findings) == (sentence == "they do not fit") and (code == 0 or findings)


# --- findings and errors ---


def test_findings_are_reported_and_give_exit_code_1(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.runnable())
    path.with_suffix(".txt").write_text("person\ncat\ndog\n", encoding="utf-8")  # three for two classes
    code, printed, _ = run(capsys, path)
    assert code == 1 and "\nfindings\n  - " in printed
    fine = tmp_path / "fine.tflite"
    fine.write_bytes(model_files.runnable())
    assert run(capsys, fine)[0] == 0 and run(capsys, fine, path)[0] == 1


def test_every_finding_ends_with_a_link_to_the_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    labels, large, topk = (tmp_path / f"{name}.tflite" for name in ("labels", "large", "topk"))
    labels.write_bytes(model_files.runnable())
    labels.with_suffix(".txt").write_text("person\ncat\ndog\n", encoding="utf-8")
    tensors = [(name, (1, 900, 900, 3), "INT8", (0.01, -28)) for name in ("picture", "same")]
    large.write_bytes(model_files.tflite(tensors, [("RELU", ("picture",), ("same",))]))
    topk.write_bytes(model_files.with_topk("ethos-u"))
    code, printed, _ = run(capsys, labels, large, topk, "--json")
    findings = [finding for line in printed.splitlines() for finding in json.loads(line)["findings"]]
    links = [re.search(r" \(docs/troubleshooting\.md#([a-z0-9-]+)\)$", finding) for finding in findings]
    assert code == 1 and None not in links, findings
    names = {link[1] for link in links if link}
    assert names >= {"labels", "memory", "ae3"} and all(f'<a id="{name}"></a>' in page for name in names)


def test_notes_follow_the_findings_and_do_not_change_the_exit_code(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "net.tflite"
    tensors = [(name, (1, 8, 8, 3), "INT8", (0.01, 0)) for name in ("picture", "same")]
    path.write_bytes(model_files.tflite(tensors, [("SUB", ("picture", "picture"), ("same",))]))
    code, printed, _ = run(capsys, path, "--json")
    (note,) = json.loads(printed)["notes"]
    assert code == 0 and json.loads(printed)["findings"] == []
    assert note.endswith("community.st.com 815190) (docs/troubleshooting.md#subtraction)")
    code, printed, _ = run(capsys, path)
    below = " ".join(printed.partition("\nfindings")[2].split())
    assert code == 0 and below == f"none notes nothing to do if the camera's results are right and fast enough - {note}"


def test_boxes_rounded_to_coarse_steps_are_a_finding(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.runnable(scale=0.04))  # of an input of 64 x 64: 2.56 pixels, ten times that of 640
    code, printed, _ = run(capsys, path)
    assert code == 1
    assert " ".join(printed.partition("\nfindings\n")[2].split()) == (
        "- box step: output 0 rounds the position and size of a box to steps of 2.6 pixels of the input, which are 26 pixels"
        " of a 640 x 480 frame: smooth them with a Tracker, or use a model with float outputs"
        " (docs/troubleshooting.md#box-step)"
    )
    path.write_bytes(model_files.runnable(scale=0.03))
    assert run(capsys, path)[0] == 0
    path.write_bytes(model_files.runnable("FLOAT32"))
    assert "box step" not in run(capsys, path)[1]


def test_the_outputs_for_a_picture_are_checked_too(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    white = model.with_name("white.png")
    PilImage.new("RGB", (64, 64), (255, 255, 255)).save(white)
    alone = run(capsys, model)
    code, printed, _ = run(capsys, model, "--picture", white)
    assert alone[0] == 0 and code == 1
    assert printed.startswith(alone[1].removesuffix("findings  none\n")) and "  - " in printed


def test_box_units_are_passed_to_the_processor_and_the_line_to_paste(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = float_head((SIDE, SIDE), 2, [Thing(3, (8, 8, 24, 40), {0: 0.875})], pixels=False)
    path, photo = tmp_path / "net.tflite", picture_file(tmp_path / "photo.png")
    path.write_bytes(model_files.runnable())
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (Network([head]), 1))
    assert "box_units" not in run(capsys, path, "--picture", photo)[1]
    code, printed, _ = run(capsys, path, "--picture", photo, "--box-units", "normalized")
    assert code == 0 and 'paste     model = n6post.load("/rom/net.tflite", box_units="normalized")\n' in printed
    code, printed, _ = run(capsys, path, "--picture", photo, "--box-units", "pixels", "--json")
    (finding,) = json.loads(printed)["findings"]
    assert code == 1 and finding.endswith("pass box_units='normalized' (docs/troubleshooting.md#tiny-boxes)")


def test_channels_first_is_a_finding_with_and_without_a_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    head = float_head((SIDE, SIDE), 2, [])
    path, photo = tmp_path / "net.tflite", picture_file(tmp_path / "photo.png")
    path.write_bytes(model_files.runnable())
    monkeypatch.setattr(ml_model, "open_backend", lambda path: (Network([head], shape=(1, 3, SIDE, SIDE)), 1))
    for arguments in ([path], [path, "--picture", photo]):
        code, printed, errors = run(capsys, *arguments, "--json")
        (finding,) = json.loads(printed)["findings"]
        assert code == 1 and not errors and finding.startswith("input 0: its shape is (1, 3, 64, 64), channels first")


def test_other_files_are_inspected_after_a_bad_file(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = model.parent
    (folder / "short.tflite").write_bytes(model_files.runnable()[:300])
    (folder / "short.onnx").write_bytes(b"\x3a\xff\x01")
    (folder / "wrong.onnx").write_bytes(model_files.onnx([("NoSuchOperator", ("x",), ("y",))], {}))
    (folder / "text.bin").write_text("compiled for the NPU", encoding="utf-8")
    bad = [folder / name for name in ("short.tflite", "short.onnx", "wrong.onnx", "text.bin", "absent.tflite")]
    code, printed, errors = run(capsys, *bad, folder, model)
    assert code == 1 and printed.startswith("net.tflite\n")
    assert [line.split(": ")[:2] for line in errors.splitlines() if line.startswith("n6post inspect: ")] == [
        ["n6post inspect", str(path)] for path in (*bad, folder)
    ]
    assert "Traceback" not in errors and "a folder" in errors and "No such file" in errors
    assert run(capsys, *bad)[0] == 2


def test_a_file_that_is_not_a_picture_is_an_error(model: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for picture in (model, model.with_name("absent.png"), model.parent):
        code, printed, errors = run(capsys, model, "--picture", picture)
        assert code == 2 and printed == "" and str(picture) in errors and "Errno" not in errors


# The models in the folder that the library supports.
OUR_MODELS = (
    "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx",
    "movenet_singlepose_192.tflite",
    "st_movenet_lightning_heatmaps_192_int8_pc.tflite",
    "yolov8n_192.tflite",
    "yolov8n_256_quant_pc_uf_pose_coco-st.tflite",
    "yolov8n_320_quant_pc_ii_seg_coco-st.tflite",
)


def test_findings_of_the_shared_models_are_box_steps_and_what_to_gain(shared: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("onnxruntime")
    models = [shared / "models" / name for name in OUR_MODELS]
    done = script("inspect_model.py", *models, "--picture", shared / "pictures" / "bus.jpg")
    assert done.returncode == 1 and not done.stderr, done.stdout + done.stderr
    reports = done.stdout.split(f"\n{'─' * 80}\n")
    assert len(reports) == len(models)
    for report, model in zip(reports, models, strict=True):
        assert report.startswith(model.name)
        # .0204021 of 320 pixels, and twice as many of 640.
        step = "steps of 6.5 pixels of the input, which are 13 pixels of a 640 x 480 frame: remove the step with python3"
        findings = " ".join(report.partition("\nfindings")[2].partition("\nnotes ")[0].split())
        assert (step in findings) == ("seg" in model.name) and ("- optimize: " in findings) == ("yolov8n" in model.name)
        assert findings.count("troubleshooting.md#") == ("seg" in model.name) + ("yolov8n" in model.name)
        assert "fits      n6post." in report


def test_the_examples_in_the_help_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if os.name == "nt":
        pytest.skip("the examples are written for a shell that expands *")
    fake_vela.install(tmp_path / "cache", monkeypatch)
    (tmp_path / "model.tflite").write_bytes(model_files.runnable())
    shutil.copyfile(tmp_path / "model.tflite", tmp_path / "other.tflite")
    noise = PilImage.effect_noise((64, 64), 80).convert("RGB")
    noise.save(tmp_path / "photo.jpg")
    with pytest.raises(SystemExit) as left:
        cli.call("inspect", ["--help"], "n6post inspect")
    assert left.value.code == 0
    text = capsys.readouterr().out
    examples = [line.strip() for line in text.partition("examples:\n")[2].splitlines()]
    assert len(examples) == len(inspect_model.EXAMPLES)
    for example in examples:
        words = example.removeprefix("n6post inspect")
        command = f"{sys.executable} -c 'import sys; from n6post_pc import cli; sys.exit(cli.main())' inspect{words}"
        environment = os.environ | {"PYTHONPATH": str(ROOT / "scripts")}
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert done.returncode in (0, 1) and done.stdout and "Traceback" not in done.stderr, done.stderr
