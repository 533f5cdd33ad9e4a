"""requirements/ and scripts/_venv.py: which packages a script installs, that they are pinned by hash, and their licenses."""

from __future__ import annotations

import ast
import hashlib
import os
import re
import shutil
import subprocess
import sys
import textwrap
import tomllib
import zipfile
from pathlib import Path

import _venv
import pytest
import vm
from n6post_pc.models import vela

pytestmark = pytest.mark.proof("requirements/*", "scripts/*.py", "scripts/dev/*.py")

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "requirements"
VELA = ROOT / "scripts" / "n6post_pc" / "data" / "vela.txt"
LOCKED = {name: FOLDER / f"{name}.txt" for name in _venv.SETS} | {"vela": VELA}
SCRIPTS = sorted([*(ROOT / "scripts").glob("*.py"), *(ROOT / "scripts" / "dev").rglob("*.py")])


def pins(name: str) -> dict[str, str]:
    """The packages of a set's .txt file and their versions."""
    return dict(re.findall(r"^([\w.-]+)==([^\s;\\]+)", LOCKED[name].read_text(encoding="utf-8"), re.MULTILINE))


def wanted(name: str) -> list[str]:
    """The packages that a set's .in file names."""
    return re.findall(r"^([\w.-]+)(?:[=~<>].*)?$", (FOLDER / f"{name}.in").read_text(encoding="utf-8"), re.MULTILINE)


# ---- the files ----


@pytest.mark.parametrize("name", LOCKED)
def test_every_package_is_pinned_with_hashes(name: str) -> None:
    text = LOCKED[name].read_text(encoding="utf-8")
    blocks = re.findall(r"^(?!#|-r )\S.*(?:\n +.*)*", text, re.MULTILINE)
    assert len(blocks) >= 3
    for block in blocks:
        assert re.fullmatch(r"[\w.-]+==[^\s;]+( ; [^\\\n]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+", block), block
    assert set(wanted(name)) <= {package for other in _closure(name) for package in pins(other)}


def _closure(name: str) -> list[str]:
    return ["vela"] if name == "vela" else _venv.closure(name)


def test_no_file_names_a_registry() -> None:
    for file in [*FOLDER.iterdir(), VELA, *vm.LOCK.iterdir()]:
        assert "://" not in file.read_text(encoding="utf-8"), file


def test_a_package_belongs_to_one_set() -> None:
    """Otherwise two sets could pin two versions."""
    packages = [package for name in _venv.SETS for package in pins(name)]
    assert len(packages) == len(set(packages)) > 50


def test_no_package_is_pinned_for_one_system_only() -> None:
    """A set leaves out what the sets that it includes have: MkDocs had no colorama, which others need on Windows only."""
    for name in _venv.SETS:
        assert "sys_platform" not in (FOLDER / f"{name}.txt").read_text(encoding="utf-8"), name


def test_no_script_for_users_and_no_test_installs_a_maintainers_tool() -> None:
    assert {"mutmut", "uv", "libcst", "textual"} <= pins("maintain").keys()
    asked = {path.name: re.findall(r'_venv\.enter\("(\w+)"', path.read_text(encoding="utf-8")) for path in SCRIPTS}
    assert asked["demo.py"] == ["demo"] and asked["test.py"] == ["all"] and asked["run_model.py"] == ["models"]
    assert [name for name, sets in asked.items() if "maintain" in sets] == ["lock_requirements.py"]
    assert "maintain" not in _venv.closure("test") and _venv.closure("demo") == ["demo"]


def test_the_wheels_extras_have_the_packages_of_the_sets() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    assert extras["studio"].pop(0) == "n6post[models,camera]"  # which requirements/studio.in includes
    for extra in ("models", "camera", "studio"):
        assert sorted(re.match(r"[\w-]+", one)[0] for one in extras[extra]) == sorted(wanted(extra))  # type: ignore[index]


def test_the_locked_vela_has_the_version_that_n6post_expects() -> None:
    assert pins("vela")["ethos-u-vela"] == vela.VERSION


def test_the_list_of_licenses_has_exactly_the_locked_packages() -> None:
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| (\S+)(?: \(npm\))? \| (\d[\w.]*) \| (.+) \| (\w+) \|$", page, re.MULTILINE)
    expected = {(package, version, name) for name in LOCKED for package, version in pins(name).items()}
    expected.add((vm.PACKAGE, vm.VERSION, "test"))
    assert {(package, version, name) for package, version, _, name in listed} == expected, (
        "run python3 scripts/dev/lock_requirements.py"
    )
    assert all(license != "not stated" for *_, license, _ in listed)
    counts = dict(re.findall(r"^\| (\w+) \| .* \| (\d+) \| \d+ MB \|$", page, re.MULTILINE))
    assert counts == {name: str(len(pins(name))) for name in LOCKED}


# ---- the scripts ----


def test_an_import_of_a_script_installs_nothing() -> None:
    """pytest imports some of these packages itself."""
    guarded = 0
    for path in SCRIPTS:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and ast.unparse(node.func) == "_venv.enter"]
        blocks = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "__name__ == '__main__'"]
        inside = [node for block in blocks for node in ast.walk(block)]
        assert all(call in inside for call in calls), path
        guarded += len(calls)
    assert guarded > 15


# Hide the packages of all other sets. argv: the folder scripts, the set, then the script and its arguments.
ONLY = """
import sys, importlib.metadata, re, runpy
sys.path.insert(0, sys.argv[1])
import _venv
_venv.enter = lambda *sets: None
files = [_venv._file(name).read_text(encoding="utf-8") for name in _venv.closure(sys.argv[2])]
allowed = {name for file in files for name in re.findall(r"^([\\w.-]+)==", file, re.M)}
homes = importlib.metadata.packages_distributions()
class Hidden:
    def find_spec(self, name, path=None, target=None):
        of = {re.sub(r"[-_.]+", "-", one).lower() for one in homes.get(name.partition(".")[0], ())}
        if of and not of & allowed:
            raise ModuleNotFoundError(f"not in the set: {name}", name=name)
sys.meta_path.insert(0, Hidden())
sys.argv = sys.argv[3:]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(("name", "script", "arguments"), [
    ("demo", "demo.py", ["yolov8n_192", "yard", "--no-browser", "--out", "out"]),
    ("models", "run_on_host.py", ["script.py", "--frames", "2"]),
    ("camera", "build.py", ["--out", "mpy", "--zip"]),
    ("camera", "camera.py", ["selftest", "--help"]),
    ("models", "run_model.py", ["--help"]),
    ("models", "inspect_model.py", ["--help"]),
    ("models", "optimize_model.py", ["--help"]),
])  # fmt: skip
def test_a_script_needs_no_package_of_another_set(name: str, script: str, arguments: list[str], tmp_path: Path) -> None:
    lines = "import csi, n6post", "cam = csi.CSI()", "cam.reset()", "cam.pixformat(csi.RGB565)", "cam.framesize(csi.QVGA)"
    (tmp_path / "script.py").write_text("\n".join([*lines, "print(cam.snapshot().width())"]), encoding="utf-8")
    words = [sys.executable, "-c", ONLY, str(ROOT / "scripts"), name, str(ROOT / "scripts" / script), *arguments]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr


# ---- .venv ----


def wheel(folder: Path, name: str) -> str:
    """Build an empty package. Returns the line that pins it."""
    info = f"{name}-1.0.dist-info"
    file = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{name}.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return f"{name}==1.0 \\\n    --hash=sha256:{hashlib.sha256(file.read_bytes()).hexdigest()}\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two sets, one package in each, and a script that activates the given set."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "requirements").mkdir()
    (tmp_path / "wheels").mkdir()
    shutil.copy(ROOT / "scripts" / "_venv.py", tmp_path / "scripts")
    (tmp_path / "scripts" / "script.py").write_text(textwrap.dedent("""\
        import sys
        import _venv
        _venv.enter(sys.argv[1])
        import importlib.util
        print("in", sys.prefix, [name for name in ("apple", "pear") if importlib.util.find_spec(name)])
    """), encoding="utf-8")
    (tmp_path / "requirements" / "demo.txt").write_text(wheel(tmp_path / "wheels", "apple"), encoding="utf-8")
    lines = "-r demo.txt\n" + wheel(tmp_path / "wheels", "pear")
    (tmp_path / "requirements" / "test.txt").write_text(lines, encoding="utf-8")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.delenv("N6POST_VENV", raising=False)
    return tmp_path


def run(project: Path, name: str, python: str = sys.executable, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [python, str(project / "scripts" / "script.py"), name]
    return subprocess.run(words, capture_output=True, text=True, env=os.environ | environment, timeout=120)


def test_each_script_adds_the_sets_that_it_needs_to_one_venv(project: Path) -> None:
    first = run(project, "demo")
    assert re.match(r"Installing 1 package of the set demo into .venv, once: \d+ MB, usually .*\n.venv is", first.stdout)
    inside = f"in {project / '.venv'} "
    assert first.stdout.endswith(f"{inside}['apple']\n"), first.stdout + first.stderr
    assert run(project, "demo").stdout == f"{inside}['apple']\n"
    # The same when the script already runs in .venv: the set is added there.
    python = project / ".venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    added = run(project, "test", str(python)).stdout
    assert "the set test into .venv" in added and added.endswith(f"{inside}['apple', 'pear']\n")
    assert run(project, "test").stdout == f"{inside}['apple', 'pear']\n"
    changed = project / "requirements" / "demo.txt"
    changed.write_text("# a comment\n" + changed.read_text(encoding="utf-8"), encoding="utf-8")
    again = run(project, "test").stdout
    assert again.startswith("Bringing 1 package of the set demo in .venv up to date.\n")
    assert again.endswith("['apple', 'pear']\n")


def test_a_package_with_another_hash_is_refused(project: Path) -> None:
    pinned = project / "requirements" / "demo.txt"
    right = pinned.read_text(encoding="utf-8")
    pinned.write_text(re.sub("[0-9a-f]{64}", "0" * 64, right), encoding="utf-8")
    done = run(project, "demo", N6POST_VENV="other")
    assert done.returncode == 1 and "THESE PACKAGES DO NOT MATCH THE HASHES" in done.stderr
    assert "Installing the packages failed" in done.stderr and not (project / ".venv").exists()
    pinned.write_text(right, encoding="utf-8")
    assert run(project, "demo", N6POST_VENV="other").stdout.endswith(f"in {project / 'other'} ['apple']\n")


def test_help_of_test_py_runs_nothing(project: Path) -> None:
    shutil.copy(ROOT / "scripts" / "test.py", project / "scripts")
    words = [sys.executable, str(project / "scripts" / "test.py"), "--help"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and not done.stderr
    assert "python3 scripts/test.py --all" in done.stdout and "host_tests/proofs.py" in done.stdout
    assert sorted(path.name for path in project.iterdir()) == ["requirements", "scripts", "wheels"]
