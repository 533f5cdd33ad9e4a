"""Build everything that a release consists of: `python3 scripts/dev/make_release.py [--tag v1.2.3] [--out FOLDER]`.

The folder (default out/release) then contains:

    files/      the wheel and the sdist, the compiled library as a zip and as a package for mip, ROMFS images for N6 and
                AE3, and SHA256SUMS with the checksum of each
    pypi/       the wheel and the sdist alone, for PyPI
    mpy/        the content of the branch mpy: the package for mip, unpacked
    notes.md    the text of the release: this version's section of CHANGELOG.md, then what each file is for

The version has to be the same in every file that states it, and equal to the tag. Two builds of one commit with the same
packages give the same bytes: every time stamp is the date of the section in CHANGELOG.md.

.github/workflows/release.yml runs this for a tag. --check builds nothing: it only compares the versions and, with
--out, writes the text.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter("test")

import argparse
import contextlib
import datetime
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import tomllib

sys.path.append(str(_venv.ROOT / "scripts"))  # in the wheel's own environment n6post_pc is installed

from n6post_pc import cli
from n6post_pc.build import release

ROOT = _venv.ROOT
DEFAULT = ROOT / "out" / "release"
BOARDS = "N6", "AE3"

# What each file is for, by the end of its name.
FILES = {
    "-N6.img": "the library for the ROMFS of an OpenMV N6",
    "-AE3.img": "the library for the ROMFS of an OpenMV AE3",
    "-mip.zip": "the compiled library as a package for `mpremote mip install`",
    ".zip": "the compiled library and the examples, to copy to the camera's drive",
    ".whl": "the commands for a PC; also on PyPI",
    ".tar.gz": "their source",
    "SHA256SUMS": "the checksum of each file",
}

NOTES = """\
{changes}

## Files

| File | What it is |
|---|---|
{files}

- Without Python on your PC: unpack `n6post-{version}.zip` and follow its README.txt.
- mip: `mpremote mip install github:{repository}@mpy` installs the newest version. For this one, unpack
  `n6post-{version}-mip.zip`, then `mpremote mip install n6post-{version}-mip/package.json`.
- **A ROMFS image replaces everything in the camera's ROMFS, including the models that came with it.** *Reset* in OpenMV IDE
  (*Tools, ROM File System*) restores them. To keep them, or to add yours, build an image of your own: `n6post camera backup
  rom.img`, then `n6post build --romfs --keep rom.img --model`.
- Check a download: `sha256sum --check --ignore-missing SHA256SUMS`. Where it was built:
  `gh attestation verify FILE --repo {repository}`.
"""


def versions() -> dict[str, str]:
    """The version that each file states."""

    def found(file: str, pattern: str) -> str:
        match = re.search(pattern, (ROOT / file).read_text(encoding="utf-8"), re.MULTILINE)
        return match[1] if match else "none"

    return {
        "pyproject.toml": tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "lib/n6post/__init__.py": found("lib/n6post/__init__.py", r'^__version__ = "([^"]*)"'),
        "package.json": json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["version"],
        "manifest.py": found("manifest.py", r'version="([^"]*)"'),
        "CHANGELOG.md": found("CHANGELOG.md", r"^## (\d\S*)"),
        "CITATION.cff": found("CITATION.cff", r"^version: (\S+)"),
    }


def repository() -> str:
    """The name of the repository, OWNER/NAME on GitHub, as pyproject.toml states it."""
    tool = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    name: str = tool["hatch"]["metadata"]["hooks"]["custom"]["repository"]
    return name


def check(tag: str | None) -> str:
    """The version of this checkout. Exits with a list if the files or the tag do not agree."""
    stated = versions()
    if tag is not None:
        stated["the tag"] = tag.removeprefix("v") if tag.startswith("v") else f"{tag} (expected a v before the version)"
    if len(set(stated.values())) > 1:
        sys.exit("the versions do not agree:\n" + "".join(f"  {version:<8} {where}\n" for where, version in stated.items()))
    return stated["pyproject.toml"]


def changes(version: str) -> tuple[str, datetime.date]:
    """The text and the date of a version's section in CHANGELOG.md. Exits if there is none, or if it has no date."""
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {re.escape(version)}(.*)\n((?:(?!## ).*\n?)*)", text, re.MULTILINE)
    if section is None or not section[2].strip():
        sys.exit(f"CHANGELOG.md has no section of {version}, or an empty one")
    date = re.fullmatch(r" \((\d{4}-\d\d-\d\d)\)", section[1])
    if date is None:
        sys.exit(f"CHANGELOG.md: expected '## {version} (YYYY-MM-DD)', got '## {version}{section[1]}'")
    return section[2].strip(), datetime.date.fromisoformat(date[1])


def notes(version: str, repository: str, files: list[str]) -> str:
    """The text of the release. Links to files of the repository become addresses at the tag."""
    # A release is shown without the width of 125 characters, but with its line ends: join the lines of each item.
    text = re.sub(r"(?<=\S)\n(?: {2,})(?=[^\s-])", " ", changes(version)[0])
    text = re.sub(r"\]\((?!https?://|#)", f"](https://github.com/{repository}/blob/v{version}/", text)
    rows = [f"| `{name}` | {next(what for end, what in FILES.items() if name.endswith(end))} |" for name in files]
    return NOTES.format(changes=text, version=version, files="\n".join(rows), repository=repository)


def names(version: str) -> list[str]:
    """The names of the files of a release."""
    images = [f"n6post-{version}-{board}.img" for board in BOARDS]
    packages = [f"n6post-{version}-py3-none-any.whl", f"n6post-{version}.tar.gz"]
    return sorted([*images, f"n6post-{version}.zip", f"n6post-{version}-mip.zip", *packages]) + ["SHA256SUMS"]


def build(out: Path, version: str, repository: str) -> None:
    """Build every file of the release into `out`/files, copy those for PyPI to `out`/pypi, and write `out`/mpy."""
    files, pypi = out / "files", out / "pypi"
    for folder in (files, pypi):
        folder.mkdir(parents=True)
    day = datetime.datetime.combine(changes(version)[1], datetime.time(), datetime.UTC)
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(int(day.timestamp())), "N6POST_REPOSITORY": repository}
    # The sdist, and the wheel from the sdist.
    command = [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(pypi), str(ROOT)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          encoding="utf-8", errors="replace", cwd=out)  # fmt: skip
    if done.returncode:
        sys.exit(f"{done.stdout}\npython -m build failed")
    for file in pypi.iterdir():
        shutil.copyfile(file, files / file.name)
    with tempfile.TemporaryDirectory() as temporary:
        made = Path(temporary)
        for board in BOARDS:  # as a user does it
            words = ["-o", str(made / "mpy"), "--zip", "--romfs", "--board", board]
            with contextlib.redirect_stdout(io.StringIO()) as said:
                failed = cli.call("build", words, "make_release")
            if failed:
                sys.exit(f"{said.getvalue()}\nn6post build failed for the {board}")
            shutil.copyfile(made / "n6post.img", files / f"n6post-{version}-{board}.img")
        shutil.copyfile(made / f"n6post-{version}.zip", files / f"n6post-{version}.zip")
        compiled = {file.relative_to(made / "mpy").as_posix(): file.read_bytes() for file in (made / "mpy").rglob("*.mpy")}
    release.write_mip(out / "mpy", files / f"n6post-{version}-mip.zip", compiled, version, repository)
    sums = [f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in sorted(files.iterdir())]
    (files / "SHA256SUMS").write_text("".join(sums), encoding="utf-8", newline="\n")


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tag", help="the tag, which has to be v and the version")
    parser.add_argument("--out", type=Path, help="a folder that does not exist yet (default: out/release)")
    parser.add_argument("--repository", default=repository(),
                        help="OWNER/NAME on GitHub, for links in the text and in the wheel (default: pyproject.toml's)")
    parser.add_argument("--check", action="store_true", help="only compare the versions; with --out also write the text")
    options = parser.parse_args(arguments)
    version = check(options.tag)
    text = notes(version, options.repository, names(version))
    if options.check and not options.out:
        print(f"{version}: every file states this version, and CHANGELOG.md has its text")
        return
    out = (options.out or DEFAULT).resolve()
    if out.exists() and any(out.iterdir()):
        sys.exit(f"{out} is not empty: move it, or choose another folder with --out")
    out.mkdir(parents=True, exist_ok=True)
    if not options.check:
        build(out, version, options.repository)
        made = sorted(file.name for file in (out / "files").iterdir())
        if made != sorted(names(version)):
            sys.exit(f"expected {names(version)}, got {made}")
    (out / "notes.md").write_text(text, encoding="utf-8", newline="\n")
    for file in sorted(file for file in out.rglob("*") if file.is_file() and out / "mpy" not in file.parents):
        print(f"{file.stat().st_size:>10,}  {file.relative_to(out).as_posix()}")


if __name__ == "__main__":
    main()
