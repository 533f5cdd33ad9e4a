"""A real MicroPython for tests: the npm package, run by node.

`at_a_port` connects one to a pseudo-terminal, in place of a camera. A `Machine` runs scripts one after the other:

    machine = vm.with_lib(heap=1 << 20)
    print(machine.run("import n6post; print(n6post.__version__)"))

As a program it runs a script file with lib: `.venv/bin/python host_tests/vm.py script.py`.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import pytest

PACKAGE, VERSION = "@micropython/micropython-webassembly-pyscript", "1.27.0"
HERE = Path(__file__).parent
sys.path.append(str(HERE.parent / "scripts" / "dev"))
import npm  # noqa: E402

LOCK = HERE / "micropython" / "npm"  # package.json and package-lock.json, with the package's hash
PLACE = HERE.parent / "build" / "npm" / VERSION
LIB = HERE.parent / "lib"
VIPER = {"/stand-ins/_viper": HERE.parent / "stubs" / "_viper"}

# The folders, the path and the errors of a camera.
BOOT = """
import os, sys
_numbers = {44: 2, 20: 17, 55: 39, 54: 20, 31: 21}
def _as_on_a_camera(call):
    def called(*arguments):
        try:
            return call(*arguments)
        except OSError as error:
            raise OSError(_numbers.get(error.errno, error.errno))
    return called
if "_n6post_once" not in dir(os):
    os._n6post_once = True
    for _name in ("stat", "mkdir", "remove", "rmdir", "rename", "listdir", "ilistdir"):
        setattr(os, _name, _as_on_a_camera(getattr(os, _name)))
for _folder in ("/rom", "/rom/lib", "/flash", "/flash/lib", "/sdcard"):
    try:
        os.mkdir(_folder)
    except OSError:
        pass
sys.path[:] = ["", ".frozen", "/rom", "/rom/lib", "/flash", "/flash/lib", "/sdcard", "/sdcard/lib"]
os.chdir("/flash")
"""


def _missing(what: str) -> NoReturn:
    """Skip the test; fail it in CI (environment variable CI), where the tests on MicroPython have to run."""
    if os.environ.get("CI"):
        pytest.fail(f"CI has to run the tests on MicroPython. This one {what}")
    pytest.skip(f"running on MicroPython {what}")


def node() -> str:
    """The path of node. Skips the test if there is none."""
    return npm.node() or _missing("needs node")


def module() -> Path:
    """The package's micropython.mjs, installed on first use. Skips the test if no registry can be reached."""
    file = PLACE / "node_modules" / PACKAGE / "micropython.mjs"
    if not file.is_file() and (reason := _install()):
        _missing(reason)
    return file


@functools.cache  # also if it fails, since npm tries for a minute
def _install() -> str:
    """Install the package with npm. Returns what is missing if that fails."""
    return npm.install(LOCK, PLACE)


def with_ulab() -> str:
    """The path of a MicroPython with ulab, from the environment, or the test is skipped."""
    binary = os.environ.get("N6POST_MICROPYTHON")
    if not binary:
        pytest.skip("needs a MicroPython with ulab: its path in the environment variable N6POST_MICROPYTHON")
    return binary


@contextmanager
def at_a_port(boot: str = "", folder: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """(port, process): a MicroPython whose REPL is at the port. BOOT and then `boot` run first."""
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    tty = pytest.importorskip("tty")
    script = (folder or Path(tempfile.mkdtemp())) / "boot.py"
    script.write_text(BOOT + boot, encoding="utf-8")
    command = [node(), str(HERE / "micropython_vm.mjs"), str(module()), str(script)]
    master, slave = pty.openpty()
    tty.setraw(slave)
    process = subprocess.Popen(command, stdin=master, stdout=master)
    os.close(master)
    try:
        yield os.ttyname(slave), process
    finally:
        process.kill()
        process.wait()
        os.close(slave)


class Raised(Exception):  # noqa: N818
    """An uncaught exception of a script in the VM: its name is `kind`. str() returns the whole traceback."""

    def __init__(self, traceback: str, printed: str) -> None:
        super().__init__(traceback)
        self.kind, _, self.message = traceback.strip().splitlines()[-1].partition(": ")
        self.printed = printed


class Machine:
    """A MicroPython with its own heap and files. Call `close` at the end.

    heap        size in bytes. All allocations of a script have to fit: the VM collects garbage only between scripts
    seconds     time limit of a script
    folders     path in the VM -> folder on the PC whose .py and .mpy files are copied; `copy` copies single files
    """

    def __init__(self, heap: int = 1 << 20, folders: Mapping[str, Path] | None = None, seconds: float = 120) -> None:
        self._seconds = seconds
        words = [node(), str(HERE / "micropython_run.mjs"), str(module()), str(heap)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.taken = (0, 0)
        for there, folder in (folders or {}).items():
            files = [file for file in folder.rglob("*") if file.suffix in (".py", ".mpy")]
            self.copy({f"{there}/{file.relative_to(folder).as_posix()}": file for file in files})

    def _ask(self, **asked: Any) -> dict[str, Any]:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked).encode() + b"\n")
        self._process.stdin.flush()
        patience = threading.Timer(self._seconds, self._process.kill)
        patience.start()
        line = self._process.stdout.readline()
        patience.cancel()
        if not line:
            raise RuntimeError(f"the VM ended, with {self._process.wait()}, or took {self._seconds} seconds: a full heap?")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def copy(self, files: Mapping[str, Path]) -> None:
        self._ask(files=[[str(file.absolute()), there] for there, file in files.items()])

    def run(self, script: str) -> str:
        """Run a script and return its output. Names persist between scripts; `taken` is the heap in use before and after."""
        answer = self._ask(run=script)
        self.taken = (answer["taken"][0], answer["taken"][1])
        if answer["error"] is not None:
            raise Raised(answer["error"], answer["out"])
        printed: str = answer["out"]
        return printed

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def with_lib(heap: int = 1 << 20, lib: Path = LIB) -> Machine:
    """A Machine with lib, the ulab for tests and the scripts in host_tests/micropython. It cannot compile viper code."""
    here = HERE / "micropython"
    machine = Machine(heap, {"/lib": lib, "/test": here / "modules", "/scripts": here / "scripts", **VIPER})
    machine.run("import sys\nsys.path[:] = ['/test', '/lib', '/stand-ins', '/scripts', '.frozen']")
    return machine


if __name__ == "__main__":
    print(with_lib(64 << 20).run(Path(sys.argv[1]).read_text(encoding="utf-8")), end="")
