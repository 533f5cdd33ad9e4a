"""scripts/n6post_pc/studio/script.py: the camera script, for each kind of result."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import model_files
import pytest
from commands import script as run_script
from n6post_pc import paths
from n6post_pc.host import camera_python
from n6post_pc.studio import script
from n6post_pc.studio.workbench import Request, Workbench

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

# A model of ../shared for each kind of result, and the options to set.
MODELS: dict[str, tuple[str, dict[str, Any]]] = {
    "objects": ("yolov8n_192.tflite", {"threshold": 0.3}),
    "masks": ("yolov8n_320_quant_pc_ii_seg_coco-st.tflite", {"classes": ["person"], "mask_overlap": None}),
    "poses": ("yolov8n_256_quant_pc_uf_pose_coco-st.tflite", {"keypoint_threshold": 0.25}),
    "map": ("deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx", {"background": None}),
    "vector": ("osnet_a025_256_128_tfs_int8.tflite", {"normalize": False}),
}


@pytest.mark.parametrize("kind", MODELS)
def test_the_script_prints_on_a_pc_what_the_page_shows(kind: str, shared: Path, tmp_path: Path) -> None:
    name, options = MODELS[kind]
    bench = Workbench(tmp_path / "studio")
    model = bench.add_model(shared / "models" / name)
    picture = bench.add_source(shared / "pictures" / "bus.jpg")
    found = bench.look(Request(model.id, picture, options=options))
    assert script.kind_of(found["family"], "objects" if kind in ("objects", "masks", "poses") else kind) == kind
    file = tmp_path / "copied.py"
    file.write_text(found["script"], encoding="utf-8")
    out = ["--out", tmp_path / "out.png"]
    done = run_script(
        "run_on_host.py", file, "--picture", shared / "pictures" / "bus.jpg", "--model", model.path, *out
    )
    assert done.returncode == 0 and done.stdout.splitlines() == found["printed"] != [], done.stderr
    assert "not on a camera" not in done.stderr


@pytest.mark.parametrize("kind", script.KINDS)
def test_every_script_is_python_that_a_camera_has(kind: str, tmp_path: Path) -> None:
    text = script.camera_script('my "net".tflite', {"threshold": 0.25, "classes": ["猫", 'a "dog"']}, "Crop", "QVGA", kind)
    file = tmp_path / "copied.py"
    file.write_text(text, encoding="utf-8")
    assert camera_python.findings(file, ()) == []
    calls = {ast.unparse(node.func): node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)}
    assert ast.literal_eval(calls["n6post.load"].args[0]) == '/rom/my "net".tflite'
    call = calls["n6post.Anomaly" if kind == "anomaly" else "n6post.load"]
    assert {word.arg: ast.literal_eval(word.value) for word in call.keywords} == {
        "threshold": 0.25, "classes": ["猫", 'a "dog"']}  # fmt: skip
    assert "n6post.Crop(img)" in text and "csi.QVGA" in text and max(map(len, text.splitlines())) < 110


def test_the_name_of_a_model_cannot_end_the_scripts_docstring() -> None:
    text = script.camera_script('x"""; import os; """.tflite', {}, "Letterbox", "VGA", "objects")
    imported = [alias.name for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import) for alias in node.names]
    assert imported == ["csi", "n6post"]


@pytest.mark.parametrize(
    "value, source",
    [(0.5, "0.5"), (None, "None"), (True, "True"), ("pixels", '"pixels"'), (("a", 2), '["a", 2]'), ('a"b\n', '"a\\"b\\n"')],
)
def test_a_value_becomes_its_python_source(value: Any, source: str) -> None:
    assert script.literal(value) == source


def test_a_classifier_of_a_pc_prints_its_best_classes(tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "studio")
    path = tmp_path / "net.tflite"
    path.write_bytes(model_files.runnable())
    assert paths.SAMPLE_PICTURES.is_dir() and bench.add_model(path)
    best = [type("Best", (), {"label": "cat", "score": 0.75})]
    assert script.printed("classes", best) == ["cat 0.75"]


def test_a_script_prints_what_its_family_has() -> None:
    families = {"YoloV8": "objects", "YoloV8Seg": "masks", "YoloV8Pose": "poses", "Fomo": "poses", "Ssd": "objects"}
    assert {family: script.kind_of(family, "objects") for family in families} == families
    for general in ("map", "classes", "depth", "anomaly", "vector"):
        assert script.kind_of("Classifier", general) == general


def test_a_script_names_the_files_that_a_camera_needs() -> None:
    def head(model: str, labels: bool) -> str:
        text = script.camera_script(model, {}, "Letterbox", "VGA", "objects", needs_labels=labels)
        return ast.get_docstring(ast.parse(text)) or ""

    assert "Put fruit.q8.tflite into the ROMFS" in head("fruit.q8.tflite", False)
    assert "Put fruit.q8.tflite and fruit.txt into the ROMFS" in head("fruit.q8.tflite", True)
    for model in ("a\\x41.tflite", 'a".tflite', "a\n.tflite"):
        assert head(model, True).startswith("Run the model and print")
        assert "Put the model and the .txt file with its labels into" in head(model, True)


def test_a_vector_is_not_drawn() -> None:
    for kind, (name, drawn, _) in script.KINDS.items():
        text = script.camera_script("a.tflite", {}, "Letterbox", "VGA", kind)
        assert (f"n6post.draw(img, {name})" in text) == drawn == (kind != "vector")
