"""The pages: their commands and code work, the names in them exist, and their links lead somewhere.

Every command of a code block runs in a copy of the checkout, where model.tflite, photo.jpg and street.avi are real files of
../shared. SUBSTITUTES names a substitute for each command that cannot run here.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import importlib.util
import json
import re
import runpy
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import textwrap
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

import _venv
import n6post
import numpy as np
import pytest
from fakes import FAMILY_NAMES
from n6post_pc import cli
from PIL import Image as PilImage

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
PAGES = sorted([
    *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "host_tests" / "data").glob("*.md"),
    ROOT / "stubs" / "README.md", ROOT / "scripts" / "n6post_pc" / "data" / "README.md",
])  # fmt: skip


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


# ---- the parts of the pages ----


class Block(NamedTuple):
    page: Path
    line: int
    language: str
    text: str

    def __str__(self) -> str:
        return f"{name_of(self.page)}:{self.line}"


def blocks(page: Path) -> Iterator[Block]:
    """The code between fences, without the indentation of a list."""
    lines = page.read_text(encoding="utf-8").splitlines()
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines, 1):
        fence = re.match(r"\s*```(\w*)\s*$", line)
        if fence and opened is None:
            opened = number, fence[1]
        elif fence and opened is not None:
            yield Block(page, opened[0], opened[1], textwrap.dedent("\n".join(lines[opened[0] : number - 1])))
            opened = None
    assert opened is None, f"{name_of(page)}: the code of line {opened} does not end"


def prose(page: Path) -> str:
    """A page without its code blocks."""
    return re.sub(r"^\s*```.*?^\s*```\s*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


BLOCKS = [block for page in PAGES for block in blocks(page)]
PYTHON = [block for block in BLOCKS if block.language == "python"]
SIGNATURES = [block for block in PYTHON if block.page.name.startswith("api") and re.match(r"[A-Z]?\w+\(", block.text)]


class Command(NamedTuple):
    where: str
    text: str

    @property
    def words(self) -> list[str]:
        return shlex.split(self.text, comments=True)


# The programs with which a line for a shell begins, also in a block without a language.
PROGRAMS = (
    "python3", "python", "n6post", "mpremote", "pip", "yolo", "git", "cd", "cp", "sudo", "apt-get", ".venv/bin/python",
)  # fmt: skip


def commands() -> Iterator[Command]:
    for block in BLOCKS:
        text = re.sub(r"\\\n\s*", " ", block.text)
        for line in text.splitlines():
            if block.language in ("sh", "bash", "console") or (not block.language and line.split(" ")[0] in PROGRAMS):
                if line.strip() and not line.startswith("#"):
                    yield Command(str(block), line.strip().removeprefix("$ "))


def mentioned() -> Iterator[Command]:
    """Complete commands in the middle of a sentence: `python3 scripts/build.py`."""
    for page in PAGES:
        for number, line in enumerate(prose(page).splitlines(), 1):
            for span in re.findall(r"`([^`]+)`", line):
                if re.match(r"(python3 scripts/|n6post [a-z]|mpremote )", span):
                    yield Command(f"{name_of(page)}, about line {number}", span)


COMMANDS = list(commands())
MENTIONED = list(mentioned())


def test_the_pages_contain_commands_and_code() -> None:
    """The tests below run what is found here; without this test they could pass with nothing found."""
    assert len(COMMANDS) > 15 and len(MENTIONED) > 5 and len(PYTHON) > 20
    programs = {command.words[0] for command in COMMANDS}
    assert programs <= set(PROGRAMS), programs


# ---- commands ----


class ParsedError(Exception):
    """The command accepts the arguments. It ends here."""


SCRIPTS = {script: command for command, (_, script, _) in cli.COMMANDS.items()}


def takes(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Fails if a script of this checkout, or n6post, does not accept these arguments. It does not run the command."""
    if words[0] == "n6post":
        if words[1].startswith("-"):
            assert words[1] in ("--help", "-h", "--version")
            return
        assert words[1] in cli.COMMANDS, f"n6post has no command {words[1]}"
        name, arguments = words[1], words[2:]
    else:
        script = ROOT / words[1]
        assert script.is_file(), f"there is no {words[1]}"
        name, arguments = SCRIPTS.get(script.name, "") if script.parent.name == "scripts" else "", words[2:]
        if not name and "parse_args" not in script.read_text(encoding="utf-8"):
            assert words[1] == "scripts/test.py" or not arguments, f"{words[1]} takes no arguments"
            return
    with monkeypatch.context() as patch:
        for method in ("parse_args", "parse_intermixed_args"):
            patch.setattr(argparse.ArgumentParser, method, _only(getattr(argparse.ArgumentParser, method)))
        try:
            if name:
                cli.call(name, arguments, name)
            else:
                patch.setattr(sys, "argv", [str(script), *arguments])
                patch.syspath_prepend(script.parent)
                patch.setattr(_venv, "enter", lambda *sets: None)
                runpy.run_path(str(script), run_name="__main__")
        except ParsedError:
            return
        except SystemExit as leaving:
            assert not leaving.code, f"{' '.join(words)}: wrong arguments"
    if "--help" not in words and "-h" not in words:
        pytest.fail(f"{' '.join(words)} did not parse its arguments")


def _only(parse: Callable[..., object]) -> Callable[..., None]:
    """A parser method that parses, then ends the command."""

    def parsing(*arguments: object, **options: object) -> None:
        parse(*arguments, **options)
        raise ParsedError

    return parsing


def only_takes(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    takes(words, monkeypatch)


def installs(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """test_wheel.py installs the wheel and its extras; here only the names of packages are checked."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert words[1] == "install"
    packages = words[2:]
    if "--index-url" in packages:
        del packages[packages.index("--index-url") :]
    for package in packages:
        found = re.fullmatch(r"(\.|n6post|dist/n6post-.*\.whl|[a-z0-9_-]+)(?:\[([a-z,]+)\])?((,?[=<>]=?[\d.]+)*)", package)
        assert found, package
        for extra in (found[2] or "").split(","):
            assert not extra or extra in extras, f"there is no extra {extra}"


# The arguments of `yolo` in the pages. Ultralytics' own list is used where it is installed.
YOLO = {"model", "data", "format", "imgsz", "epochs", "int8", "quantize", "end2end", "nms", "dynamic"}


def is_ultralytics(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Only the syntax: a mode and argument=value. (The lines were run with the versions that the page names.)"""
    assert words[1] in ("train", "export", "val", "predict")
    pairs = [word.partition("=") for word in words[2:]]
    assert all(key in YOLO and separator and value for key, separator, value in pairs), words
    if importlib.util.find_spec("ultralytics"):
        from ultralytics.cfg import DEFAULT_CFG_DICT

        assert {key for key, _, _ in pairs} <= {*DEFAULT_CFG_DICT, "int8", "end2end"}


def is_mpremote(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Its command exists, and its files. (test_packaging.py installs package.json through mpremote's own code.)"""
    from mpremote.main import _COMMANDS

    assert words[1] in _COMMANDS, words
    for word in words[2:]:
        if re.fullmatch(r"[\w./]+\.(py|json)", word):
            assert (ROOT / word).is_file(), word


def collects(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The arguments of pytest select tests. Other tools exist; they are not run."""
    if "-m" in words and words[words.index("-m") + 1] != "pytest":
        assert importlib.util.find_spec(words[words.index("-m") + 1])
        return
    chosen = words[words.index("pytest") + 1 :] if "pytest" in words else [word for word in words[2:] if word != "--all"]
    if not chosen:
        return
    command = [sys.executable, "-m", "pytest", "--collect-only", "-p", "no:cacheprovider", "-q", *chosen]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout[-2000:]


def is_in_ci(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The Debian packages are those that CI installs for every change."""
    assert words[1:3] == ["apt-get", "install"] and words[3:]
    assert set(words[3:]) <= set(re.findall(r"[\w-]+", (ROOT / ".ci" / "run").read_text(encoding="utf-8")))


def is_known(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Not a command of this project."""


def makes_a_file(words: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """python -c: the code runs, and makes the file that it names."""
    option, code = words[1:]
    (named,) = re.findall(r"'([\w.]+\.npy)'", code)
    assert option == "-c" and named in (ROOT / "docs" / "first-hour.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder, monkeypatch.context() as patch:
        patch.chdir(folder)
        exec(code, {})
        assert np.load(named).shape == (20, 128, 128, 3) and np.load(named).dtype == np.float32


Proof = Callable[[list[str], pytest.MonkeyPatch], None]

# Commands that cannot run here, and their substitutes; the first pattern that matches counts. Without a camera, only the
# options are checked.
SUBSTITUTES: tuple[tuple[str, Proof], ...] = (
    (r"(python3 scripts/camera\.py|n6post (camera|collect)) .*", only_takes),
    (r"(python3 scripts/|n6post ).* (--npu|--vela)\b", only_takes),  # Arm's compiler is installed on first use
    (r"(python3 scripts/build\.py|n6post build) .*--board N6\b", only_takes),  # ST's compiler is in OpenMV IDE only
    (r"python3 scripts/studio\.py", only_takes),  # it runs until Ctrl-C
    (r"python3 scripts/dev/(fuzz|soak_test)\.py ", only_takes),  # minutes to hours; short runs are among the tests
    (r"python3 scripts/test\.py|(\.venv/bin/)?python3? -m (pytest|ruff|mypy)\b", collects),
    (r"pip install ", installs),
    (r"python -c ", makes_a_file),
    (r"yolo ", is_ultralytics),
    (r"mpremote ", is_mpremote),
    (r"sudo apt-get install ", is_in_ci),
    (r"git clone |cd |cp ", is_known),
)

_IN_THIS_PYTHON = (
    "import sys, runpy; sys.path.insert(0, sys.argv[1]); import _venv; _venv.enter = lambda *sets: None;"
    " sys.argv = sys.argv[2:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)
_N6POST = "import sys; sys.path.insert(0, sys.argv.pop(1)); from n6post_pc import cli; sys.exit(cli.main())"


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the checkout that commands may write to, with the files that the pages call model.tflite and so on."""
    folder = tmp_path_factory.mktemp("docs") / "n6post"
    ignored = shutil.ignore_patterns(".git", ".venv", "__pycache__", ".*_cache", ".hypothesis", "*.mpy")
    made = {"build", "out"}  # at the top only: scripts/n6post_pc has a folder build
    shutil.copytree(ROOT, folder, ignore=lambda at, names: ignored(at, names) | (made if Path(at) == ROOT else set()))
    if SHARED.is_dir():
        for name, source in STAND_INS.items():
            (folder / name).symlink_to(SHARED / source)
        (folder / "photos").mkdir()
        for number, picture in enumerate(sorted((SHARED / "models/fruit/test").glob("*.jpg"))[:2], 1):
            shutil.copyfile(picture, folder / "photos" / f"{number}.jpg")
        (folder / "annotations.json").write_text(json.dumps(ANNOTATIONS), encoding="utf-8")
    return folder


# Of the two pictures in photos, with the classes of fruit.tflite.
ANNOTATIONS = {
    "images": [{"id": number, "file_name": f"{number}.jpg", "width": 480, "height": 320} for number in (1, 2)],
    "annotations": [
        {"id": number, "image_id": number, "category_id": 1, "bbox": [0, 0, 99, 99], "area": 9801, "iscrowd": 0,
         "segmentation": [[0, 0, 99, 0, 99, 99, 0, 99]]}
        for number in (1, 2)
    ],
    "categories": [{"id": number, "name": name} for number, name in enumerate(("apple", "pear", "plum"), 1)],
}  # fmt: skip

# name on the pages: file of ../shared
STAND_INS = {
    "model.tflite": "models/yolov8n_320_quant_pc_ii_seg_coco-st.tflite",
    "fruit.tflite": "models/fruit/fruit.tflite",
    "fruit.txt": "models/fruit/fruit.txt",
    "fruit_float.tflite": "models/fruit/fruit_float.tflite",
    "photo.jpg": "pictures/bus.jpg",
    "street.avi": "video/street.avi",
}


def needs_a_model(command: Command) -> bool:
    """Whether the command runs here, on real files."""
    runs = not any(re.match(pattern, command.text) for pattern, _ in SUBSTITUTES)
    return runs and bool(set(command.words) & {*STAND_INS, "photos"})


def with_its_page(command: Command) -> pytest.MarkDecorator:
    page = next(name_of(page) for page in PAGES if command.where.startswith(f"{name_of(page)}:"))
    return pytest.mark.proof(page, "scripts/*.py", "scripts/n6post_pc/**/*.py")


@pytest.mark.xdist_group("docs")  # one worker: the copy of the checkout is made once
@pytest.mark.parametrize(
    "command",
    [pytest.param(c, marks=[with_its_page(c), *[pytest.mark.shared] * needs_a_model(c)]) for c in COMMANDS],
    ids=lambda c: f"{c.where} {c.text}",
)
def test_a_command_of_the_pages_works(command: Command, checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for pattern, proof in SUBSTITUTES:
        if re.match(pattern, command.text):
            proof(command.words, monkeypatch)
            return
    words = command.words
    if needs_a_model(command):
        pytest.importorskip("ai_edge_litert")
    if words[0] == "n6post":
        run = [sys.executable, "-c", _N6POST, str(checkout / "scripts"), *words[1:]]
    else:
        assert words[0] == "python3" and (checkout / words[1]).is_file(), command
        run = [sys.executable, "-c", _IN_THIS_PYTHON, str(checkout / "scripts"), str(checkout / words[1]), *words[2:]]
    done = subprocess.run(run, capture_output=True, text=True, cwd=checkout, timeout=600)
    # Exit code 1 of these commands means findings about the model.
    fine = (0, 1) if re.search("inspect|compare", command.text) else (0,)
    assert done.returncode in fine and "Traceback" not in done.stderr, done.stdout + done.stderr


@pytest.mark.parametrize("command", MENTIONED, ids=lambda c: f"{c.where} {c.text}")
def test_a_command_in_a_sentence_accepts_its_arguments(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    if command.words[0] == "mpremote":
        is_mpremote(command.words, monkeypatch)
    elif len(command.words) > 2 and "..." not in command.words:
        takes(command.words, monkeypatch)
    elif command.words[0] == "n6post":
        assert command.words[1] in cli.COMMANDS
    else:
        assert (ROOT / command.words[1]).is_file()


def test_wrong_arguments_of_a_command_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong in ("python3 scripts/run_model.py model.tflite photo.jpg --treshold 0.4", "n6post camera fly",
                  "python3 scripts/dev/generate.py --cheque"):  # fmt: skip
        with pytest.raises(AssertionError, match="wrong arguments"):
            takes(wrong.split(), monkeypatch)
    with pytest.raises(AssertionError, match="there is no"):
        takes(["python3", "scripts/build_mpy.py"], monkeypatch)


# ---- Python ----

# The names that a fragment of a script may use.
GIVEN = """\
import csi, image, ml, n6post, time
cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
path = "/rom/yolov8n_192.tflite"
model = n6post.load("/rom/seg.tflite")
img = cam.snapshot()
detections = found = model.predict([img])
labels = names = [str(number) for number in range(80)]
colors = [(255, 0, 0)] * 80
r, g, b = color = (255, 0, 0)
x, y, w, h = (0, 0, 320, 240)
tracker, gallery = n6post.Tracker(), n6post.Gallery()


class Fake:
    def __init__(self, result):
        self.result = result

    def predict(self, inputs):
        return self.result


osnet, classifier = Fake([1.0, 0.5]), Fake(n6post.Classification([1], [0.9], ["no person", "person"]))
reader = Fake(n6post.Reading("AB 123", 0.9, [0.9] * 6))
"""


def free_names(tree: ast.Module) -> set[str]:
    """The names that a block uses but does not define."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    made = {node.id for node in names if not isinstance(node.ctx, ast.Load)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            made |= {alias.asname or alias.name for alias in node.names}
    made |= {argument.arg for node in ast.walk(tree) if isinstance(node, ast.arguments) for argument in node.args}
    made |= {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
    return {node.id for node in names if isinstance(node.ctx, ast.Load)} - made - set(dir(builtins))


def imported(tree: ast.Module) -> set[str]:
    found = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return found | {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}


OTHERS = ("# OpenMV's own", "# supervision", "# Ultralytics")  # their scripts, in the pages about migrating


def source_of(block: Block) -> str | None:
    """A script for the camera; None for code for a PC, or with another library, which its first line names."""
    tree = ast.parse(block.text)
    on_a_pc = imported(tree) & {"serial", "openmv", "cbor2"}
    if block.text.startswith(OTHERS) or on_a_pc:
        return None
    if "csi" in imported(tree):
        return block.text
    given = free_names(ast.parse(GIVEN)) | {name.id for name in ast.walk(ast.parse(GIVEN)) if isinstance(name, ast.Name)}
    missing = free_names(tree) - given - {"n6post", "csi", "ml", "image", "time"}
    assert not missing, f"{block}: a fragment of a script may use only the names of GIVEN, not {', '.join(sorted(missing))}"
    return GIVEN + block.text


# Model name in the pages: its recording. Other names get the segmenter.
PLAYED = {"yolov8n_192": "yolov8n_192", "pose": "yolov8n_pose_256", "movenet": "movenet_17_192", None: "yolov8n_seg_320"}
PLAYED |= {name: name for name in ("blazeface_front_128", "face_landmarks_192", "yolo_lc_192", "fomo_face_detection")}
PLAYED |= {"yolov5n": "objectness: yolov5n rows", "yolov2_tiny": "objectness: tiny yolov2 faces.bmp"}
PLAYED |= {"palm_detection_full_192": "mediapipe: OpenMV's palm, int8", "hand_landmarks_full_224": "landmarks: hand"}
PLAYED |= {"movenet_singlepose_192": "movenet_17_192", "yolov8n_192_features": "features", "mobilefacenet": "embedding"}
PLAYED |= {"pose_detection": "mediapipe: pose, int8", "pose_landmark_lite": "pose: standing"}
PLAYED |= {"plates": "yolov8n_pose_256", "lprnet": "text", "digits": "yolov8n_192"}


@pytest.mark.parametrize("firmware", [
    "5.0.0", pytest.param("4.8.1", marks=pytest.mark.proof("*.md", "docs/**/*.md", "stubs/**/*.py")),
])  # fmt: skip
@pytest.mark.parametrize("block", [block for block in PYTHON if block not in SIGNATURES], ids=str)
def test_python_of_the_pages_runs(block: Block, firmware: str, tmp_path: Path) -> None:
    source = source_of(block)
    if source is None:
        return  # another test checks its names
    with socket.socket() as free:  # 8080 may be taken, by the same script in another worker
        free.bind(("", 0))
        source = source.replace("8080", str(free.getsockname()[1]))
    (tmp_path / "script.py").write_text(source, encoding="utf-8")
    PilImage.new("RGB", (640, 480), (90, 120, 150)).save(tmp_path / "photo.png")
    options = ["--picture", "photo.png", "--frames", "3", "--sdcard", "card", "--out", "last.png", "--firmware", firmware]
    (tmp_path / "card").mkdir()
    for name, recording in PLAYED.items():
        file = tmp_path / f"{name or 'any'}.tflite"
        file.write_text(recording, encoding="utf-8")
        options += ["--model", f"{name}={file}" if name else str(file)]
    play = [sys.executable, str(ROOT / "host_tests" / "recorded_models.py"), str(ROOT / "scripts"), "host", "script.py"]
    done = subprocess.run([*play, *options], capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr + source


def calls(tree: ast.AST) -> Iterator[tuple[str, list[str]]]:
    """(public name, its keywords) of every call n6post.NAME(...); without keywords, of every mention."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "n6post":
            yield node.attr, []
        elif isinstance(node, ast.Call):
            name = ast.unparse(node.func).removeprefix("n6post.")  # "seg.draw" is another one
            if name in n6post._EXPORTS:
                yield name, [keyword.arg for keyword in node.keywords if keyword.arg]


TYPES = {
    node.name: node
    for node in ast.parse((ROOT / "lib" / "n6post" / "__init__.pyi").read_text(encoding="utf-8")).body
    if isinstance(node, ast.ClassDef | ast.FunctionDef)
}


def parameters(name: str) -> dict[str, ast.expr | None]:
    """The parameters of a public name and their defaults, as lib/n6post/__init__.pyi declares them."""
    node = TYPES[name]
    if isinstance(node, ast.ClassDef):
        made = [one for one in node.body if isinstance(one, ast.FunctionDef) and one.name in ("__init__", "__new__")]
        if "NamedTuple" in [ast.unparse(base) for base in node.bases]:
            fields = [one for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)]
            return {one.target.id: one.value for one in fields}
        if not made:
            return parameters(next(base.id for base in node.bases if isinstance(base, ast.Name) and base.id in TYPES))
        node = made[0]
    arguments = node.args
    plain = [one.arg for one in [*arguments.posonlyargs, *arguments.args] if one.arg not in ("self", "cls")]
    defaults = [None] * (len(plain) - len(arguments.defaults)) + arguments.defaults
    named = zip([one.arg for one in arguments.kwonlyargs], arguments.kw_defaults)
    return {**dict(zip(plain, defaults)), **dict(named)}


def options_of(name: str) -> set[str]:
    """The options of a public name; of `load` and `processor_for` those of every family."""
    if name in ("load", "processor_for"):
        own = {"processor"} if name == "load" else set()
        return own.union(*(options_of(family) for family in FAMILY_NAMES))
    return set(parameters(name))


def misused(tree: ast.AST) -> list[str]:
    found = []
    for name, keywords in calls(tree):
        if name not in n6post._EXPORTS and name not in ("__version__", "__path__", "__file__"):
            found.append(f"there is no n6post.{name}")
        elif name != "State":  # its objects have any names
            found += [f"{name} has no option {keyword}" for keyword in keywords if keyword not in options_of(name)]
    return found


@pytest.mark.parametrize("block", [block for block in PYTHON if block not in SIGNATURES], ids=str)
def test_python_of_the_pages_uses_names_that_exist(block: Block) -> None:
    if not block.text.startswith(OTHERS):  # their classes may have the names of ours
        assert misused(ast.parse(block.text)) == []


@pytest.mark.parametrize("block", SIGNATURES, ids=str)
def test_the_signatures_of_the_pages_have_parameters_that_exist(block: Block) -> None:
    (function,) = ast.parse(f"def {block.text.rstrip()}: ...").body
    assert isinstance(function, ast.FunctionDef) and function.name in n6post._EXPORTS
    shown = {one.arg for one in [*function.args.args, *function.args.kwonlyargs]}
    assert shown <= options_of(function.name) | {*parameters(function.name)}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_code_in_a_sentence_uses_names_that_exist(page: Path) -> None:
    if page.name == "CHANGELOG.md":
        return  # it contains old names
    for span in re.findall(r"`([^`\n]+)`", prose(page)):
        try:
            tree = ast.parse(span)
        except SyntaxError:
            continue
        assert misused(tree) == [], span


def test_names_that_do_not_exist_are_found() -> None:
    assert misused(ast.parse("n6post.drow(img, n6post.YoloV8(treshold=0.4))")) == [
        "there is no n6post.drow", "YoloV8 has no option treshold"]  # fmt: skip
    assert misused(ast.parse('n6post.load("/rom/x.tflite", refine=False, mask_overlap=0.7)')) == []


# ---- links ----


def slugs(page: Path) -> set[str]:
    """The anchors of a page: of its headings, as GitHub makes them, and explicit ones."""
    text = prose(page)
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+)$", text, re.MULTILINE):
        bare = re.sub(r"\[([^\]]*)\]\([^)]*\)|[`*]", r"\1", heading).strip().lower()
        slug = re.sub(r"[^\w\- ]", "", bare).replace(" ", "-")
        number = 0
        while (unique := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(unique)
    return found | set(re.findall(r'<a (?:id|name)="([^"]+)"', text))


def links(page: Path) -> list[str]:
    text = re.sub(r"`[^`\n]*`", "", prose(page))
    return re.findall(r"\]\(\s*<?([^)>\s]+)>?(?:\s+\"[^\"]*\")?\s*\)", text) + re.findall(r'(?:src|href)="([^"]+)"', text)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_link_leads_somewhere(page: Path) -> None:
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            assert link.startswith("https://"), link
            continue
        path, _, anchor = unquote(link).partition("#")
        target = (page.parent / path).resolve() if path else page
        assert target.exists(), f"{name_of(page)}: {link}"
        assert target.is_relative_to(ROOT), link
        if anchor:
            assert anchor in slugs(target), f"{name_of(page)}: {link}"


def test_every_page_is_linked_from_the_readme() -> None:
    linked = {(ROOT / link.partition("#")[0]).resolve() for link in links(ROOT / "README.md")}
    assert {page for page in PAGES if page.parent == ROOT / "docs"} <= linked


# ---- api.md and its pages ----

API = runpy.run_path(str(ROOT / "scripts" / "dev" / "generating" / "write_api.py"))


def test_the_pages_of_the_api_are_up_to_date() -> None:
    made = API["pages"]()
    assert {page for page in PAGES if page.name.startswith("api")} == set(made)
    for page, text in made.items():
        assert page.read_text(encoding="utf-8") == text, "run python3 scripts/dev/generate.py"


@pytest.mark.parametrize("name", sorted(n6post._EXPORTS))
def test_the_api_has_every_name_with_its_options(name: str) -> None:
    contents = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")
    (page,) = re.findall(rf"\[`{name}`\]\((api-\w+\.md)#{name.lower()}\)", contents)
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    assert f"[`{name}`](#{name.lower()})" in text and name.lower() in slugs(ROOT / "docs" / page)
    section = text.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
    if name not in ("Mask", "Segmentation", "Classification", "DepthMap"):  # only the library creates them
        options = options_of(name) - {"first_state", "_source"}
        assert not [option for option in options if not re.search(rf"\b{option}\b", section)], name
    types = ast.parse((ROOT / "lib" / "n6post" / "__init__.pyi").read_text(encoding="utf-8"))
    node, *_ = [one for one in types.body if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.name == name]
    methods = [one.name for one in node.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]
    assert not [method for method in methods if not re.search(rf"[.`]{method}\b", section)], name


@pytest.mark.parametrize(
    ("doc", "expected"),
    [
        ("a   what it is\nb     another,\n      on two lines", "- `a=1`: what it is\n- `b`: another, on two lines"),
        ('a   one of\n    "x"   an\n          x\n    "yz"  a y', '- `a=1`: one of\n  - `"x"`: an x\n  - `"yz"`: a y'),
        ("Prose of\ntwo lines.\n\nMore.", "Prose of two lines.\n\nMore."),
        ("So:\n\n    x = 1\n\n    y = 2\n\nEnd.", "So:\n\n```python\nx = 1\n\ny = 2\n```\n\nEnd."),
        ("[1, H, W] and **bold** and `a[0]`", "\\[1, H, W\\] and **bold** and `a[0]`"),
    ],
)
def test_docstrings_become_markdown(doc: str, expected: str) -> None:
    assert API["markdown"](doc, {"a": "1", "b": None}) == expected


# ---- troubleshooting ----


def test_every_finding_of_diagnose_is_documented() -> None:
    from n6post.models import diagnostics

    page = ROOT / "docs" / "troubleshooting.md"
    findings = page.read_text(encoding="utf-8").partition("## What diagnose finds")[2].partition("\n## ")[0]
    lines = re.findall(r'<a id="([^"]+)"></a>\*\*([\w-]+)\*\*', findings)
    assert [name for name, shown in lines if name != shown] == []
    assert [name for name, _ in lines] == [check.__name__[1:].replace("_", "-") for check in diagnostics._CHECKS]


def test_page_references_in_code_exist() -> None:
    for folder in ("lib", "scripts", "stubs"):
        for file in (ROOT / folder).rglob("*.py"):
            # "its docs/...": another project's.
            text = file.read_text(encoding="utf-8")
            for page, anchor in re.findall(r"(?<!its )docs/((?:internals/)?[\w-]+\.md)(?:#([a-z0-9-]+))?", text):
                assert (ROOT / "docs" / page).is_file(), f"{file}: {page}"
                assert not anchor or anchor in slugs(ROOT / "docs" / page), f"{file}: {page}#{anchor}"


def test_the_documented_defaults_are_ours() -> None:
    page = (ROOT / "docs" / "coming-from.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| [^|]* \| ([\d.]+)", page, re.MULTILINE)
    assert {name for name, _ in rows} == {"threshold", "iou_threshold", "nms_sigma", "max_detections"}
    ours = parameters("YoloV8")
    assert {name: float(value) for name, value in rows} == {name: float(ast.unparse(ours[name])) for name, _ in rows}


# network of the table in docs/inputs-and-speed.md: the rows of its result and its drawing in the estimates of performance.md
FRAMES = {
    "YOLOv8n 192": ("`YoloV8`", "drawing of 3 boxes and labels"),
    "YOLOv8n-pose 256": ("`YoloV8Pose`", "drawing of 3 people"),
    "YOLOv8n-seg 320": ("`YoloV8Seg`, masks included", "drawing of 4 masks, boxes and labels"),
    "MoveNet 192": ("`MoveNet`", "drawing of a person"),
    "DeepLab v3 320": ("`DeepLab`, [1,320,320,2]", "drawing of that map with its legend"),
}


def milliseconds(what: str) -> tuple[float, float]:
    """The bold range of a row in "From instructions to milliseconds"."""
    text = (ROOT / "docs" / "internals" / "performance.md").read_text(encoding="utf-8")
    section = text.partition("## From instructions to milliseconds")[2].partition("\n### ")[0]
    found = re.search(rf"^\| {re.escape(what)} \|.*\*\*([\d.]+) to ([\d.]+)\*\*", section, re.MULTILINE)
    assert found, what
    return float(found[1]), float(found[2])


def test_the_frame_rates_follow_from_the_estimated_milliseconds() -> None:
    page = (ROOT / "docs" / "inputs-and-speed.md").read_text(encoding="utf-8")
    table = page.partition("## Frames per second")[2].partition("\n## ")[0]
    span = r"([\d.]+) to ([\d.]+)"
    rows = re.findall(rf"^\| ([^|]+?) \| ([\d.]+) ms \| {span} ms \| {span} ms \| {span} \|", table, re.MULTILINE)
    assert {row[0] for row in rows} == set(FRAMES)
    for network, npu, *numbers in rows:
        result, drawing = (milliseconds(what) for what in FRAMES[network])
        assert [float(number) for number in numbers[:4]] == [*result, *drawing], network
        slowest, fastest = (1000 / (float(npu) + result[end] + drawing[end]) for end in (1, 0))
        assert [int(number) for number in numbers[4:]] == [int(slowest), int(fastest)], network
