"""A camera on this PC's USB: n6post camera, scripts/camera.py.

`selftest` runs scripts/camera/selftest.py: here on the stand-ins, on a camera through mpremote, or on a MicroPython binary.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

from .command import parser
from .places import CAMERA, LIB, STUBS

SELFTEST = CAMERA / "selftest.py"


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


DESCRIPTION = "A camera on this PC's USB."
EXAMPLES = ("selftest", "selftest --port /dev/ttyACM0", "selftest --port auto --installed", "selftest --micropython PATH")


def main(argv: list[str], prog: str) -> int:
    commands = parser(prog, DESCRIPTION, EXAMPLES)
    selftest = commands.add_subparsers(required=True, metavar="COMMAND").add_parser(
        "selftest",
        help="check the library: here on the stand-ins, with --port on a camera",
        description="Check the library. A camera runs the files of this PC, which mpremote shows it over the cable, or with "
        "--installed its own. The exit code is 0 if all checks passed.",
    )
    where = selftest.add_mutually_exclusive_group()
    where.add_argument("--port", help="a camera's serial port, or `auto`")
    where.add_argument("--micropython", type=Path, metavar="PATH", help="a MicroPython binary with ulab")
    selftest.add_argument("--installed", action="store_true", help="with --port: the camera's own n6post")
    arguments = commands.parse_args(argv)
    if arguments.micropython and not arguments.micropython.is_file():
        commands.error(f"no such file: {arguments.micropython}")
    return run(*command(arguments))
