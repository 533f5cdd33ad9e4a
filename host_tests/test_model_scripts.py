"""scripts/inspect_model.py: what a model file is."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import script
from ml import _backends
from ml import model as ml_model
from n6post_pc import inspect_model


def test_a_convolution_with_257_channels_is_found() -> None:
    layers = [("CONV_2D", 256), ("CONV_2D", 257), ("DEPTHWISE_CONV_2D", 257)]
    (finding,) = inspect_model.layer_findings(layers)
    assert "257 channels" in finding and "prime" in finding and "256 or 264" in finding


def test_other_layers_are_no_finding() -> None:
    for layers in ([], [("CONV_2D", n) for n in (1, 13, 17, 32, 255, 256, 258, 1280)], [("ADD", 257)]):
        assert inspect_model.layer_findings(layers) == []


def test_a_tensor_is_described_with_the_range_of_its_numbers() -> None:
    line = inspect_model.tensor_line("output 0", (1, 116, 2100), "b", 0.02, 24)
    assert line == "output 0  1 x 116 x 2100     int8     (q - 24) * 0.02, -3.04 to 2.06"
    assert inspect_model.tensor_line("input 0", (1, 2), "B", 0.5, 0).endswith("q * 0.5, 0 to 127.5")
    assert inspect_model.tensor_line("input 0", (1, 2), "f", 1.0, 0).endswith("float32")


def test_labels_are_shown_without_what_ends_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Network:
        ram = 1
        inputs = [_backends.Tensor((1, 64, 64, 3), "B", 1 / 255, 0)]
        outputs = [_backends.Tensor((1, 6, 84), "f", 0.0, 0)]

    monkeypatch.setattr(ml_model, "open_backend", lambda path: (Network(), 1))
    (tmp_path / "net.txt").write_bytes(b"person\r\ntraffic light\r\n")
    report = inspect_model.report(tmp_path / "net.onnx")
    assert "labels    2: person, traffic light" in report


def test_the_shared_models_are_inspected_without_a_finding(shared: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("onnxruntime")
    models = sorted(p for p in (shared / "models").iterdir() if p.suffix in (".tflite", ".onnx"))
    done = script("inspect_model.py", *models, "--picture", shared / "pictures" / "bus.jpg")
    assert done.returncode == 0, done.stderr
    reports = done.stdout.strip().split("\n\n")
    assert len(reports) == len(models)
    for report, model in zip(reports, models, strict=True):
        assert report.startswith(model.name) and report.endswith("findings  none")
        assert "fits      n6post." in report


def test_no_such_file_and_no_such_format_are_said(tmp_path: Path) -> None:
    assert "no such file" in script("inspect_model.py", tmp_path / "absent.tflite").stderr
    (tmp_path / "network.bin").write_bytes(b"compiled for the NPU")
    done = script("inspect_model.py", tmp_path / "network.bin")
    assert done.returncode == 2 and "neither a .tflite nor an .onnx" in done.stderr
    assert "Traceback" not in done.stderr
