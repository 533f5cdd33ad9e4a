"""Run the scripts as a user does, but with this Python; otherwise they would create .venv first."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult

ROOT = Path(__file__).parents[1]

# SIGINT is ignored, also in subprocesses, if a shell runs pytest in the background, and SIGHUP after nohup.
_IN_THIS_PYTHON = (
    "import os, signal, sys, runpy; signal.signal(signal.SIGINT, signal.default_int_handler);"
    " getattr(signal, 'SIGHUP', 0) and signal.signal(signal.SIGHUP, signal.SIG_DFL);"
    " sys.path.insert(0, sys.argv[1]); import _venv; _venv.enter = lambda *sets: None;"
    " sys.argv = sys.argv[2:]; sys.path.insert(0, os.path.dirname(sys.argv[0]));"
    " runpy.run_path(sys.argv[0], run_name='__main__')"
)


def _words(name: str, arguments: tuple[object, ...]) -> list[str]:
    command = [sys.executable, "-c", _IN_THIS_PYTHON, str(ROOT / "scripts"), str(ROOT / "scripts" / name)]
    return command + [str(argument) for argument in arguments]


def script(name: str, *arguments: object, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run scripts/NAME with these arguments. It prints UTF-8, whatever the terminal's encoding."""
    words, environment = _words(name, arguments), os.environ | {"PYTHONUTF8": "1"}
    return subprocess.run(words, env=environment, capture_output=True, encoding="utf-8", cwd=cwd, timeout=600)


@contextmanager
def running(name: str, *arguments: object) -> Iterator[subprocess.Popen[str]]:
    """Start scripts/NAME. It is killed if it is still running at the end."""
    process = subprocess.Popen(_words(name, arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        yield process
    finally:
        if process.poll() is None:
            process.kill()
        process.wait()


def answer_of(page: SplitResult, path: str, body: Any, headers: dict[str, str]) -> tuple[int, Any, bytes]:
    """(status, headers, body) of a path below a page's address, or of an absolute path. A body is bytes, or sent as JSON."""
    connection = http.client.HTTPConnection(page.hostname or "", page.port or 0, timeout=60)
    data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
    path = path if path.startswith("/") else page.path + path
    connection.request("GET" if data is None else "POST", path, data, headers)
    answered = connection.getresponse()
    try:
        return answered.status, answered.headers, answered.read()
    finally:
        connection.close()
