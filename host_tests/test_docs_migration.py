"""The page about migrating: docs/coming-from.md.

OpenMV: the scripts before and after are put together from the blocks of each class. Those before use OpenMV's
ml.postprocessing, which is not on a PC: the tests check what a PC can check of them. Those after run on recorded outputs of
the networks that they name. test_docs.py runs the scripts for n6post of both pages.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path

import n6post
import pytest
from fakes import seen
from n6post_pc.host import camera_python
from PIL import Image as PilImage
from test_docs import PLAYED, ROOT, Block, blocks, free_names

PAGE = ROOT / "docs" / "coming-from.md"
BEFORE = "# OpenMV's own\n"

# OpenMV 5.0.0: the classes of each module of ml.postprocessing, and the options of each class.
SOFT_NMS = ["nms_threshold", "nms_sigma"]
CLASSES = {
    "ultralytics": {"YoloV8": ["threshold", *SOFT_NMS], "YoloV5": ["threshold", *SOFT_NMS]},
    "darknet": {name: ["threshold", "anchors", *SOFT_NMS] for name in ("YoloV2", "YoloLC")},
    "edgeimpulse": {"Fomo": ["threshold", "w_scale", "h_scale", *SOFT_NMS]},
    "mediapipe": {
        "BlazeFace": ["threshold", "anchors", *SOFT_NMS],
        "BlazePalm": ["threshold", "anchors", *SOFT_NMS],
        "HandLandmarks": ["threshold", *SOFT_NMS],
        "FaceLandmarks": ["threshold", *SOFT_NMS],
        "MoveNet": ["threshold", *SOFT_NMS],
    },
}
NAMES = [name for classes in CLASSES.values() for name in classes]
OTHERS = {"ml.preprocessing": ["Normalization"], "ml.utils": ["draw_keypoints", "draw_predictions"]}


def pairs() -> dict[str, tuple[str, str]]:
    """The complete scripts of each class of OpenMV: before and after.

    The first pair of blocks is complete. A later block has the lines from the import or the model on. If it has no loop, it
    keeps that of the pair before it, with the functions that the loop uses.
    """
    section = PAGE.read_text(encoding="utf-8").partition("\n### Every class")[0]
    texts = [block.text + "\n" for block in blocks(PAGE) if block.language == "python" and block.text in section]
    heads, loops, imports = ["", ""], ["", ""], ["", ""]
    found: dict[str, tuple[str, str]] = {}
    for before, after in zip(texts[::2], texts[1::2], strict=True):
        assert before.startswith(BEFORE), before
        whole = []
        for number, text in enumerate((before.removeprefix(BEFORE), after)):
            own, loop, rest = text.partition("\nwhile True:\n")
            if loop:
                loops[number] = loop + rest
                imports[number] = "".join(re.findall(r"^from ml\.utils .*\n", own, re.MULTILINE))
            else:
                own = imports[number] + own
            if "import csi" in own:
                heads[number] = "".join(re.findall(r"^(?:import|cam).*\n", own, re.MULTILINE))
            else:
                own = heads[number] + own
            whole.append(own + loops[number])
        found[re.findall(r"postprocess=(\w+)", before)[-1]] = whole[0], whole[1]
    return found


@pytest.fixture(scope="module")
def scripts() -> dict[str, tuple[str, str]]:
    return pairs()


def test_every_class_of_openmv_has_its_scripts(scripts: dict[str, tuple[str, str]]) -> None:
    assert sorted(scripts) == sorted(NAMES)
    table = PAGE.read_text(encoding="utf-8").partition("\n### Every class")[2].partition("\n### ")[0]
    assert re.findall(r"^\| `(\w+)\.(\w+)` \|", table, re.MULTILINE) == [
        (module, name) for module, classes in CLASSES.items() for name in classes
    ]


@pytest.mark.parametrize("name", NAMES)
def test_a_script_before_uses_what_openmv_documents(
    name: str, scripts: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    before = scripts[name][0]
    tree = ast.parse(before)
    assert free_names(tree) == set()
    imported: dict[str, list[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("ml."):
            module, _, last = str(node.module).rpartition(".")
            known = [*CLASSES[last]] if module == "ml.postprocessing" else OTHERS[str(node.module)]
            for alias in node.names:
                assert alias.name in known, f"{node.module} has no {alias.name}"
                imported[alias.name] = CLASSES[last][alias.name] if module == "ml.postprocessing" else []
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and imported.get(node.func.id):
            assert {keyword.arg for keyword in node.keywords} <= {*imported[node.func.id]}, ast.unparse(node)
    assert name in imported
    (tmp_path / "script.py").write_text(before, encoding="utf-8")
    assert camera_python.findings(tmp_path / "script.py") == []


@pytest.mark.parametrize("firmware", ["5.0.0", "4.8.1"])
@pytest.mark.parametrize("name", NAMES)
def test_a_script_after_finds_objects(
    name: str, firmware: str, scripts: dict[str, tuple[str, str]], tmp_path: Path
) -> None:
    after = scripts[name][1]
    (tmp_path / "script.py").write_text(after, encoding="utf-8")
    PilImage.new("RGB", (640, 480), (90, 120, 150)).save(tmp_path / "photo.png")
    options = ["--picture", "photo.png", "--out", "last.png", "--firmware", firmware]
    for model in re.findall(r"/rom/(\w+)\.tflite", after):
        file = tmp_path / f"{model}.tflite"
        file.write_text(PLAYED[model], encoding="utf-8")
        options += ["--model", f"{model}={file}"]
    play = [sys.executable, str(ROOT / "host_tests" / "recorded_models.py"), str(ROOT / "scripts"), "host", "script.py"]
    done = subprocess.run([*play, *options], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr + after
    assert re.search(r"\b0\.\d+ \(\d+, \d+, \d+, \d+\)", done.stdout), done.stdout


# ---- supervision and Ultralytics ----

THEIRS = [block for block in blocks(PAGE) if block.text.startswith(("# supervision", "# Ultralytics"))]


@pytest.mark.parametrize("block", THEIRS, ids=str)
def test_a_script_of_another_library_defines_its_names(block: Block) -> None:
    assert free_names(ast.parse(block.text)) == set()


@pytest.mark.skipif(not importlib.util.find_spec("supervision"), reason="supervision is not installed")
def test_the_names_of_supervision_exist() -> None:
    import supervision

    found = set(re.findall(r"\bsv\.(\w+)", PAGE.read_text(encoding="utf-8")))
    assert {name for name in found if not hasattr(supervision, name)} == {"ByteTrack"}  # removed in 0.31


# The rows of the table: where the feet of a person of 40 x 80 pixels are in each frame.
WALKS = {
    "walks across it": list(range(400, 60, -10)),
    "is first seen with the feet before": list(range(300, 60, -10)),
    "stops with the feet 30 pixels beyond": [*range(300, 205, -10), *[210] * 10],
    "stands on it": [244, 236] * 10,
}


@pytest.mark.parametrize("row", WALKS)
def test_the_table_of_crossings_has_our_counts(row: str) -> None:
    page = PAGE.read_text(encoding="utf-8")
    printed = re.search(rf"^\| {row}.*\| (\d+) \|$", page, re.MULTILINE)
    assert printed
    line = n6post.LineZone((0, 240), (640, 240))
    for y in WALKS[row]:
        line.trigger([seen(1, 320, y, 40, 80, frame_size=(640, 480))])
    assert line.in_count + line.out_count == int(printed[1])


def test_results_of_the_camera_have_the_fields_that_supervision_gets() -> None:
    (block,) = [block for block in THEIRS if "json.loads" in block.text]
    line = n6post.to_json([seen(3, 100, 200)])
    assert set(re.findall(r"d\[\"(\w+)\"\]", block.text)) <= set(json.loads(line)[0])
