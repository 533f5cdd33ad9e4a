"""Runs the scripts as a user does, but in this Python: by themselves they would make .venv first."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]

_IN_THIS_PYTHON = (
    "import sys, runpy; sys.path.insert(0, sys.argv[1]); import _venv; _venv.enter = lambda: None;"
    " sys.argv = sys.argv[2:]; runpy.run_path(sys.argv[0], run_name='__main__')"
)


def script(name: str, *arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """scripts/NAME with these arguments."""
    command = [sys.executable, "-c", _IN_THIS_PYTHON, str(ROOT / "scripts"), str(ROOT / "scripts" / name)]
    command += [str(argument) for argument in arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=cwd, timeout=600)
