"""The project's own Python environment, `.venv`. All scripts for a PC share it.

A script calls `enter("demo")` at its top, before it imports anything that has to be installed, and only if it runs as a
script: an import must not install anything. `enter` works with any Python from 3.11 on. It creates `.venv` beside the
README, installs the packages of the set that are missing or out of date, and runs the script again with the Python in
`.venv`. An environment of your own that has all packages of the set, in any version, is used as it is.
"""

import importlib
import importlib.metadata
import os
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# Set N6POST_VENV to use another folder, for example for another version of Python.
VENV = ROOT / os.environ.get("N6POST_VENV", ".venv")
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
REQUIREMENTS = ROOT / "requirements"
# A copy of the requirements file of each set that is installed completely. If it differs, the set is out of date.
INSTALLED = VENV / "installed"

# The sets of packages, with the disk space that each adds, MB. requirements/README.md describes them.
SETS = {"demo": 140, "models": 260, "camera": 5, "studio": 2, "test": 210, "site": 120, "all": 420, "maintain": 60}


def enter(*names: str) -> None:
    """Install these sets. Outside of `.venv`, run this script again inside of it and exit with its exit code.

    Nothing happens if the Python that runs the script has all packages.
    """
    if sys.version_info < (3, 11):  # noqa: UP036  (an older Python gets a sentence instead of a traceback)
        sys.exit(f"n6post's scripts need Python 3.11 or newer; this is {sys.version.split()[0]}.")
    inside = Path(sys.prefix).resolve() == VENV.resolve()
    if not inside and all(_is_here(name) for name in closure(*names)):
        return
    missing = [name for name in closure(*names) if not _is_installed(name)]
    if missing:
        _install(missing)
    if inside:
        importlib.invalidate_caches()
        return
    done = subprocess.run([str(PYTHON), *sys.argv])
    sys.exit(done.returncode)


def closure(*names: str) -> list[str]:
    """These sets and the sets that they include (`-r other.txt` in their files). Included sets come first."""
    found: list[str] = []
    for name in names:
        included = re.findall(r"^-r (\w+)\.txt$", _file(name).read_text(encoding="utf-8"), re.MULTILINE)
        found += [other for other in [*closure(*included), name] if other not in found]
    return found


def _file(name: str) -> Path:
    return REQUIREMENTS / f"{name}.txt"


def _is_installed(name: str) -> bool:
    copy = INSTALLED / f"{name}.txt"
    return copy.is_file() and copy.read_text(encoding="utf-8") == _file(name).read_text(encoding="utf-8")


def _is_here(name: str) -> bool:
    """Whether this Python has every package of the set."""
    try:
        for package in re.findall(r"^([\w.-]+)==", _file(name).read_text(encoding="utf-8"), re.MULTILINE):
            importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def _install(names: list[str]) -> None:
    new = [name for name in names if not (INSTALLED / f"{name}.txt").exists()]
    count = sum(len(re.findall(r"^[\w.-]+==", _file(name).read_text(encoding="utf-8"), re.MULTILINE)) for name in names)
    packages = "1 package" if count == 1 else f"{count} packages"
    what = f"{packages} of the {'set' if len(names) == 1 else 'sets'} {', '.join(names)}"
    size = sum(SETS[name] for name in new)
    if size:
        print(f"Installing {what} into {_shown(VENV)}, once: {size} MB, {_duration(size)}.", flush=True)
    else:
        print(f"Bringing {what} in {_shown(VENV)} up to date.", flush=True)
    started = time.monotonic()
    if not INSTALLED.is_dir():
        # Not --clear: an existing environment is completed in place.
        command = [sys.executable, "-m", "venv", str(VENV)]
        made = subprocess.run(command, capture_output=True, text=True, errors="replace")
        if made.returncode:
            sys.exit(f"{made.stdout}{made.stderr}\nCould not make {_shown(VENV)}. On Debian: apt-get install python3-venv")
        INSTALLED.mkdir()
    # --no-deps, because the files list every package. --no-compile, because compiling all files takes longer and 40 % more
    # disk space; Python compiles a file when it is first imported.
    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--no-deps", "--no-compile", "--require-hashes"]
    for name in names:
        command += ["-r", str(_file(name))]
    pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    said, collected = [], 0
    assert pip.stdout is not None
    for line in pip.stdout:
        said.append(line)
        if line.startswith(("Collecting ", "Processing ")):  # from a registry, from a local folder
            collected += 1
            _progress(f"  {collected}/{count} {line.split()[1].rpartition('/')[2]}")
        elif line.startswith("Installing collected packages"):
            _progress("  unpacking")
    if pip.wait():
        sys.exit("".join(said[-30:]) + "\nInstalling the packages failed; the last output of pip is above.")
    for name in names:
        (INSTALLED / f"{name}.txt").write_text(_file(name).read_text(encoding="utf-8"), encoding="utf-8")
    _progress("")
    print(f"{_shown(VENV)} is ready after {time.monotonic() - started:.0f} seconds.", flush=True)


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else str(path)


def _duration(megabytes: int) -> str:
    """How long an installation takes, from measurements with fast and slow connections."""
    return "usually less than a minute" if megabytes < 200 else "usually 1 to 3 minutes"


def _progress(text: str) -> None:
    """Show a line that the next one overwrites. Prints nothing if stdout is not a terminal."""
    if sys.stdout.isatty():
        print(f"\r{text:<60}\r", end="", flush=True)
