"""Write requirements/*.txt and requirements/README.md: `python3 scripts/dev/lock_requirements.py [--upgrade]`.

The .in files name the packages that we use. uv adds those that they depend on, pins all of them for every platform and for
Python 3.11 and newer, and adds the hash of each file in the registry. Versions stay as they are, unless an .in file asks for
another one or --upgrade for the newest. README.md lists every package with its license, as the package itself states it.

It downloads up to 1 GB, because some packages state their license only inside of their file.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import _venv

if __name__ == "__main__":
    _venv.enter("maintain")

import argparse
import importlib.metadata
import json
import re
import subprocess
import tempfile

FOLDER = _venv.ROOT / "requirements"
VELA = _venv.ROOT / "scripts" / "n6post_pc" / "data" / "vela.txt"  # in the wheel too
VELA_SIZE = 110  # MB, with the environment that it gets
MICROPYTHON = _venv.ROOT / "host_tests" / "micropython" / "npm" / "package-lock.json"

# What these packages need as far as n6post uses them. scikit-image: its photographs, and in the tests what test.in names.
# openmv: not pygame, which only its own viewer imports.
NEEDED = {"scikit-image": [], "openmv": ["numpy", "pyelftools", "pyserial"]}

PIN = re.compile(r"^([\w.-]+)==([^\s;\\]+)", re.MULTILINE)

README = """\
# What is installed

The library has no dependencies. The scripts for a PC install these packages into `.venv`, each script only the sets that it
needs. Every file of a package is checked against its hash (`pip install --require-hashes`).

| set | what for | packages | on disk |
| --- | --- | --- | --- |
{sets}

`test` includes all sets above it, and each set below it the one above. To install one into an environment of your own:

```text
python -m pip install --no-deps --require-hashes -r requirements/test.txt
```

`python3 scripts/dev/lock_requirements.py` writes this page and the .txt files from the .in files.

## Licenses

Nothing of these packages is part of n6post. The licenses are those that the packages state themselves.

| package | version | license | set |
| --- | --- | --- | --- |
{licenses}
"""


def pins(text: str) -> dict[str, list[str]]:
    """The versions of each package of a .txt file: more than one if they depend on the version of Python."""
    found: dict[str, list[str]] = {}
    for name, version in PIN.findall(text):
        found.setdefault(name, []).append(version)
    return found


def file_of(name: str) -> Path:
    return VELA if name == "vela" else FOLDER / f"{name}.txt"


def lock(name: str, upgrade: bool) -> str:
    """The text of a set's .txt file: what it adds to the sets that its .in file includes."""
    source = FOLDER / f"{name}.in"
    included = re.findall(r"^-r (\w+)\.in", source.read_text(encoding="utf-8"), re.MULTILINE)
    above = [file_of(other).read_text(encoding="utf-8") for other in closure(name)[:-1]]
    # Vela's environment is another one. The included sets come last, for they decide.
    beside = [file for other, file in files() if file.is_file() and (other == "vela") == (name == "vela")]
    known = [*([] if upgrade else [file.read_text(encoding="utf-8") for file in beside]), *above]
    with tempfile.TemporaryDirectory() as folder:
        settings, constraints = Path(folder) / "uv.toml", Path(folder) / "constraints.txt"
        settings.write_text(
            "".join(f"[[dependency-metadata]]\nname = {n!r}\nrequires-dist = {needs}\n" for n, needs in NEEDED.items()),
            encoding="utf-8",
        )
        kept = {package: versions for text in known for package, versions in pins(text).items()}
        fixed = "".join(f"{package}=={of[0]}\n" for package, of in kept.items() if len(of) == 1)
        constraints.write_text(fixed, encoding="utf-8")
        command = [sys.executable, "-m", "uv", "pip", "compile", "--config-file", str(settings), "-c", str(constraints)]
        # For every platform; one version for all of Python 3.11 and newer where there is one.
        command += ["--universal", "--python-version", "3.11", "--fork-strategy", "fewest"]
        command += ["--generate-hashes", "--no-header", "--no-annotate", "--quiet", str(source)]
        done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)
    there = {package for text in above for package in pins(text)}
    packages = re.findall(r"^\S+==.*\n(?: +--hash.*\n)*", done.stdout, re.MULTILINE)
    head = f"# Written by scripts/dev/lock_requirements.py from requirements/{name}.in. Do not edit it here.\n"
    head += "".join(f"-r {other}.txt\n" for other in included)
    return head + "\n" + "".join(package for package in packages if package.partition("==")[0] not in there)


def closure(name: str) -> list[str]:
    """The sets that a set includes, and itself as the last one."""
    included = re.findall(r"^-r (\w+)\.in", (FOLDER / f"{name}.in").read_text(encoding="utf-8"), re.MULTILINE)
    return list(dict.fromkeys([*(far for near in included for far in closure(near)), name]))


def files() -> list[tuple[str, Path]]:
    return [(name, file_of(name)) for name in (*_venv.SETS, "vela")]


def described() -> str:
    """README.md for the .txt files as they are."""
    sets, rows = [], []
    for name, file in files():
        found = pins(file.read_text(encoding="utf-8"))
        what = (FOLDER / f"{name}.in").read_text(encoding="utf-8").splitlines()[0].removeprefix("# ")
        sets.append(f"| {name} | {what} | {len(found)} | {(_venv.SETS | {'vela': VELA_SIZE})[name]} MB |")
        rows += [(package, version, name) for package, versions in found.items() for version in versions]
    stated = licenses([(package, version) for package, version, _ in rows])
    lines = [f"| {package} | {version} | {stated[package, version]} | {name} |" for package, version, name in sorted(rows)]
    lock = json.loads(MICROPYTHON.read_text(encoding="utf-8"))["packages"]
    for path, entry in lock.items():
        if path:
            lines.append(f"| {path.removeprefix('node_modules/')} (npm) | {entry['version']} | {entry['license']} | test |")
    return README.format(sets="\n".join(sets), licenses="\n".join(lines))


def licenses(packages: list[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """What each package states as its license: the expression, or the field, or the classifiers."""
    stated = {}
    for name, version in packages:
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-m", "uv", "pip", "install", "--quiet", "--no-deps", "--target", folder]
            command += [f"{name}=={version}", "--python-version"]
            for python in ("3.11", "3.13"):  # some packages are only for newer ones
                done = subprocess.run([*command, python], capture_output=True, text=True)
                if not done.returncode:
                    break
            else:
                sys.exit(done.stderr)
            (found,) = importlib.metadata.distributions(path=[folder])
            stated[name, version] = license_of(found.metadata)
    return stated


def license_of(metadata: importlib.metadata.PackageMetadata) -> str:
    classifiers = [one.rpartition(" :: ")[2] for one in metadata.get_all("Classifier", []) if one.startswith("License")]
    field = (metadata.get("License") or "").strip()
    if "\n" in field or len(field) > 40:  # the whole text
        field = ""
    return metadata.get("License-Expression") or field or " and ".join(classifiers) or "not stated"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions")
    upgrade = parser.parse_args().upgrade
    for name, file in files():
        text = lock(name, upgrade)
        file.write_text(text, encoding="utf-8")
        print(f"{file.relative_to(_venv.ROOT).as_posix()}: {len(pins(text))} packages", flush=True)
    (FOLDER / "README.md").write_text(described(), encoding="utf-8")


if __name__ == "__main__":
    main()
