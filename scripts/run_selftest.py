"""Run scripts/camera/selftest.py: on this PC, on a camera, or on a MicroPython binary.

    python3 scripts/run_selftest.py                            here, on the stand-ins of stubs/
    python3 scripts/run_selftest.py --port /dev/ttyACM0        on the camera there, through mpremote
    python3 scripts/run_selftest.py --micropython PATH         on a MicroPython with ulab, e.g. its unix port

A camera runs the library of this checkout, which mpremote shows it over the cable; --installed takes what is
on the camera. The exit code is 0 if all checks passed.
"""

import _venv

_venv.enter()

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

SELFTEST = _venv.ROOT / "scripts" / "camera" / "selftest.py"
LIB = _venv.ROOT / "lib"
STUBS = _venv.ROOT / "stubs"


def command(arguments: argparse.Namespace) -> tuple[list[str], dict[str, str]]:
    """What to run, and the environment variables it needs."""
    if arguments.port:
        mount = [] if arguments.installed else ["mount", str(LIB)]
        return [sys.executable, "-m", "mpremote", "connect", arguments.port, *mount, "run", str(SELFTEST)], {}
    if arguments.micropython:
        return [str(arguments.micropython), "-X", "heapsize=64M", str(SELFTEST)], {"MICROPYPATH": str(LIB)}
    return [sys.executable, str(SELFTEST)], {"PYTHONPATH": os.pathsep.join((str(LIB), str(STUBS)))}


def run(what: list[str], environment: dict[str, str]) -> int:
    """Show what it prints as it comes; 0 if its last line says that something passed and nothing failed."""
    process = subprocess.Popen(
        what, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    last = ""
    assert process.stdout is not None
    for line in process.stdout:
        print(line, end="", flush=True)
        last = line.strip() or last
    process.wait()
    result = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    if result is None:
        print("The self-test did not come to its end.", file=sys.stderr)
        return 1
    return 0 if int(result[1]) and not int(result[2]) else 1


def main() -> None:
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--port", help="a camera's serial port, or `auto`")
    where.add_argument("--micropython", type=Path, metavar="PATH", help="a MicroPython binary")
    parser.add_argument("--installed", action="store_true", help="with --port: the camera's own n6post")
    arguments = parser.parse_args()
    if arguments.micropython and not arguments.micropython.is_file():
        parser.error(f"no such file: {arguments.micropython}")
    sys.exit(run(*command(arguments)))


if __name__ == "__main__":
    main()
