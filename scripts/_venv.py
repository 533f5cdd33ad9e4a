"""The project's own Python environment, shared by every script that runs on a PC.

`enter()` goes at the top of a script, before anything is imported that has to be installed. Called
by any Python 3.11 or newer, it makes `.venv` beside the README on the first run, brings it up to date
when requirements.txt has changed, and runs the same script again in there.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
REQUIREMENTS = ROOT / "requirements.txt"
# A copy of the requirements that are installed: what tells a finished environment from a broken one.
INSTALLED = VENV / "installed.txt"


def enter() -> None:
    """Return at once inside `.venv`; otherwise prepare it, run this script in it and leave with its exit code."""
    if Path(sys.prefix).resolve() == VENV.resolve():
        return
    if sys.version_info < (3, 11):  # noqa: UP036  (whoever has an older one gets a sentence, not a traceback)
        sys.exit(f"n6post's scripts need Python 3.11 or newer; this is {sys.version.split()[0]}.")
    if not INSTALLED.exists() or INSTALLED.read_text() != REQUIREMENTS.read_text():
        _make()
    done = subprocess.run([str(PYTHON), *sys.argv])
    sys.exit(done.returncode)


def _make() -> None:
    pins = [line for line in REQUIREMENTS.read_text().splitlines() if line and not line.startswith("#")]
    print(f"First run: making .venv with {len(pins)} pinned packages (1 to 3 minutes, 800 MB).", flush=True)
    started = time.monotonic()
    # Not --clear: an existing environment is brought up to date in place.
    made = subprocess.run([sys.executable, "-m", "venv", str(VENV)], capture_output=True, text=True)
    if made.returncode:
        sys.exit(f"{made.stdout}{made.stderr}\nCould not make .venv. On Debian: apt-get install python3-venv")

    command = [str(PYTHON), "-m", "pip", "install", "--disable-pip-version-check", "-r", str(REQUIREMENTS)]
    pip = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said, collected = [], 0
    assert pip.stdout is not None
    for line in pip.stdout:
        said.append(line)
        if line.startswith(("Collecting ", "Processing ")):  # from a registry, from a local folder
            collected += 1
            _progress(f"  {collected}/{len(pins)} {line.split()[1].rpartition('/')[2]}")
        elif line.startswith("Installing collected packages"):
            _progress("  unpacking")
    if pip.wait():
        sys.exit("".join(said[-30:]) + "\nInstalling the packages failed; what pip said last is above.")
    INSTALLED.write_text(REQUIREMENTS.read_text())
    _progress("")
    print(f".venv is ready after {time.monotonic() - started:.0f} seconds.", flush=True)


def _progress(text: str) -> None:
    """One line that overwrites itself on a terminal, and says nothing in a log."""
    if sys.stdout.isatty():
        print(f"\r{text:<60}\r", end="", flush=True)
