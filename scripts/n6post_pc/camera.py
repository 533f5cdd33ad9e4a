"""A camera on this PC's USB: n6post camera, scripts/camera.py.

`selftest`, `benchmark`, `run` and `install` go through mpremote, on firmware 4.8.1 and 5.0; `watch` takes 5.0's protocol.
"""

import argparse
import importlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from . import devices, repl
from .command import FINDINGS, FINE, UserError, parser, shown
from .paths import DEVICE, LIB, STUBS

SELFTEST = DEVICE / "selftest.py"
BENCHMARK = DEVICE / "benchmark.py"

# ---- selftest ----


def command(arguments: argparse.Namespace) -> tuple[list[str], dict[str, str]]:
    """What to run for a self-test, and the environment variables it needs."""
    if arguments.port:
        mount: list[str | Path] = [] if arguments.installed else ["mount", LIB]
        return repl.words(arguments.port, *mount, "run", SELFTEST), {}
    if arguments.micropython:
        return [str(arguments.micropython), "-X", "heapsize=64M", str(SELFTEST)], {"MICROPYPATH": str(LIB)}
    return [sys.executable, str(SELFTEST)], {"PYTHONPATH": os.pathsep.join((str(LIB), str(STUBS)))}


def selftest(arguments: argparse.Namespace) -> int:
    """Show what it prints as it comes; FINE if its last line says that something passed and nothing failed."""
    if arguments.micropython and not arguments.micropython.is_file():
        raise UserError(f"no such file: {arguments.micropython}")
    if arguments.port:
        arguments.port = devices.find(arguments.port)
        print(_what("The self-test", arguments), file=sys.stderr, flush=True)
    last = ""

    def line(text: str) -> None:
        nonlocal last
        print(text, flush=True)
        last = text.strip() or last

    try:
        words, environment = command(arguments)
        code, said = repl.follow(words, line, environment)
    except KeyboardInterrupt:
        return _interrupted(arguments.port)
    except OSError as error:
        raise UserError(f"{arguments.micropython}: {error.strerror}") from None
    result = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    if result is None:
        if code and arguments.port:
            raise UserError(repl.why(arguments.port, said or last))
        print(said, end="", file=sys.stderr)
        print("The self-test did not come to its end.", file=sys.stderr)
        return FINDINGS
    return FINE if int(result[1]) and not int(result[2]) else FINDINGS


def _what(what: str, arguments: argparse.Namespace) -> str:
    """`The self-test runs on /dev/ttyACM0, with this PC's n6post. Ctrl-C ends it.`"""
    whose = "its own" if arguments.installed else "this PC's"
    return f"{what} runs on {arguments.port}, with {whose} n6post. Ctrl-C ends it."


def _interrupted(port: str | None) -> int:
    if port is None:
        return 130
    stopped = repl.interrupt(port)
    told = "Stopped, the script on the camera too." if stopped else "Stopped here; the camera does not answer."
    print(told, file=sys.stderr)
    return 130


# ---- run ----


def run(arguments: argparse.Namespace) -> int:
    if not arguments.script.is_file():
        raise UserError(f"no such file: {arguments.script}")
    watching = importlib.import_module("n6post_pc.line_output")
    port = arguments.port = devices.find(arguments.port)
    file = watching.open_lines(arguments.json_out)
    lines = watching.Lines(file)
    print(_what(arguments.script.name, arguments), file=sys.stderr, flush=True)
    mount: list[str | Path] = [] if arguments.installed else ["mount", LIB]
    try:
        code, said = repl.follow(repl.words(port, *mount, "run", arguments.script), _without_mount(lines))
    except KeyboardInterrupt:
        return _interrupted(port)
    except (UserError, BrokenPipeError):  # nowhere to write to
        repl.interrupt(port)
        raise
    finally:
        watching.close_lines(file)
        if file is not None:
            print(f"{arguments.json_out}: {lines.kept} lines of JSON", file=sys.stderr)
    if code and lines.traceback:
        print(lines.remedy("The script ended with an error."), file=sys.stderr)
        return FINDINGS
    if code:
        print(f"{repl.why(port, said)[:1].upper()}{repl.why(port, said)[1:]}.", file=sys.stderr)
        return FINDINGS
    return FINE


def _without_mount(line: Callable[[str], None]) -> Callable[[str], None]:
    """All lines but mpremote's own first one."""

    def told(text: str) -> None:
        if not re.fullmatch(r"Local directory .* is mounted at /remote", text):
            line(text)

    return told


# ---- benchmark ----


def benchmark(arguments: argparse.Namespace) -> int:
    """The script's Markdown as a table as its rows come, and at the end as a block for an issue."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    port = arguments.port = devices.find(arguments.port)
    print(_what("The benchmark", arguments) + " It takes half a minute or so.", file=sys.stderr, flush=True)
    lines: list[str] = []

    def line(text: str) -> None:
        lines.append(text)
        row = _cells(text)
        if row is not None and len(lines) > 2:
            print(f"  {row[0]}: {row[1]}", file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as folder:
        mount: list[str | Path] = []
        if not arguments.installed:
            # Compiled, as `install` would: sources would be compiled on the camera, and fill its heap.
            from .build import build

            build(Path(folder), "armv7m")
            mount = ["mount", folder]
        try:
            code, said = repl.follow(repl.words(port, *mount, "run", BENCHMARK), _without_mount(line))
        except KeyboardInterrupt:
            return _interrupted(port)
    rows = [row for row in map(_cells, lines) if row is not None]
    if code or len(rows) < 3 or not lines[-1].startswith("n6post "):
        print("\n".join(lines), file=sys.stderr)
        raise UserError(f"the benchmark did not come to its end; {repl.why(port, said or 'nothing')}")
    head, rows = rows[0], rows[2:]
    if arguments.json:
        for row in rows:
            print(json.dumps({**dict(zip(head, row)), "machine": lines[-1]}))
    else:
        sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=lines[-1], title_justify="left", title_style="bold")
        for number, heading in enumerate(head):
            sheet.add_column(heading, justify="right" if number in (1, 3) else "left", overflow="fold")
        for row in rows:
            sheet.add_row(*row)
        Console(highlight=False).print(sheet)
        print("Milliseconds, the median of 15 frames. To paste into an issue:\n")
        print(block(lines))
    if arguments.out:
        try:
            arguments.out.write_text(block(lines) + "\n", encoding="utf-8")
        except OSError as error:
            raise UserError(f"{arguments.out}: {error.strerror}") from None
    return FINE


def _cells(line: str) -> list[str] | None:
    """The cells of a row of a Markdown table."""
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None


def block(lines: list[str]) -> str:
    """The benchmark's Markdown, folded away under what it was measured on."""
    table = [line for line in lines if line.startswith("|")]
    return "\n".join([f"<details><summary>{lines[-1]}</summary>", "", *table, "", "</details>"])


# ---- install ----


def install(arguments: argparse.Namespace) -> int:
    from . import install as installing

    port = devices.find(arguments.port)
    what = "sources" if arguments.source else "compiled files"
    print(f"The {what} of n6post go to {arguments.to} of the camera on {port}.", file=sys.stderr, flush=True)
    done = installing.install(
        port, arguments.to, arguments.source, arguments.script, arguments.march, not arguments.no_reset
    )
    if arguments.json:
        print(json.dumps({**vars(done), "port": port}))
        return done.code
    print(f"n6post {done.version} is in {done.folder} of the {done.board}: {done.size:,} bytes, each file compared.")
    print(f"{len(done.copied)} files copied, {done.same} were there already, {len(done.removed)} of before removed.")
    if done.kept:
        print(f"Not the library's, left alone: {', '.join(done.kept)}.")
    if done.main:
        print(f"{done.main}.")
    for folder in done.others:
        if not done.wins.startswith(folder + "/"):
            print(f"Another copy lies in {folder}/n6post; it is not the one that is imported.")
    if done.wins.startswith("frozen"):
        print("But `import n6post` finds the one that is frozen into the firmware: it comes first.")
    elif done.wins:
        romfs = "take it out of the ROMFS (OpenMV IDE: Tools, ROM File System)"
        how = romfs if done.wins.startswith("/rom") else "remove it"
        print(f"But `import n6post` finds {done.wins}, which comes first: {how}.")
    if not arguments.no_reset:
        print("The camera was reset, so that this PC sees the new files on its drive.")
    return done.code


# ---- watch ----


def watch(arguments: argparse.Namespace) -> int:
    from . import watch as watching
    from .line_output import close_lines, folder_for, open_lines
    from .stream_server import Page

    if arguments.frames is not None and arguments.frames < 1:
        raise UserError(f"--frames: expected 1 or more, got {arguments.frames}")
    watching.program(arguments.script)  # told before anything is opened
    port = devices.find(arguments.port)
    folder, file = folder_for(arguments.save), open_lines(arguments.json_out)
    page = None if arguments.no_page else Page(f"{arguments.script.name} on {port}", arguments.http)
    try:
        return watching.watch(port, arguments.script, repl.firmware, page, file, folder, arguments.frames)
    finally:
        if page is not None:
            page.close()
        close_lines(file)


# ---- the command ----

DESCRIPTION = """\
Control a camera on this PC's USB. A single OpenMV camera is found automatically; --port selects another serial port.
All commands but `watch` (5.0 only) work with firmware 4.8.1 and 5.0."""
EXAMPLES = (
    "selftest", "selftest --port auto", "benchmark", "install", "install --script main.py", "run script.py",
    "run send_results_usb.py --json-out results.jsonl", "watch yolov8_seg.py", "watch script.py --no-page --save frames",
)  # fmt: skip


def main(argv: list[str], prog: str) -> int:
    commands = parser(prog, DESCRIPTION, EXAMPLES)
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")

    def kind(
        name: str, call: Callable[[argparse.Namespace], int], short: str, told: str, port: bool = True
    ) -> argparse.ArgumentParser:
        examples = [example for example in EXAMPLES if example.split()[0] == name]
        sub = kinds.add_parser(name, help=short, **shown(prog, told, examples))
        sub.set_defaults(call=call)
        if port:
            sub.add_argument("--port", help="the camera's serial port (default: that of the only camera)")
        return sub

    sub = kind("selftest", selftest, "check the library: here, or with --port on a camera", (
        "Check the library: on this PC, with the stubs, or with --port on a camera. The camera runs the files of this PC, "
        "which mpremote mounts over the cable, or with --installed its own. The exit code is 0 if all checks passed."
    ), port=False)  # fmt: skip
    where = sub.add_mutually_exclusive_group()
    where.add_argument("--port", help="a camera's serial port, or `auto`")
    where.add_argument("--micropython", type=Path, metavar="PATH", help="a MicroPython binary with ulab")
    sub.add_argument("--installed", action="store_true", help="with --port: the camera's own n6post")

    sub = kind("benchmark", benchmark, "the cost of post-processing on the camera, in milliseconds", (
        "What post-processing costs on the camera: the table of docs/internals/performance.md in milliseconds, and as "
        "Markdown to paste into an issue. The library is this PC's, compiled and mounted over the cable, which "
        "makes the start slower."
    ))  # fmt: skip
    sub.add_argument("--installed", action="store_true", help="use the camera's own n6post, to measure the real start")
    sub.add_argument("-o", "--out", "--output", type=Path, metavar="FILE",
                     help="write the block for an issue to this file too")  # fmt: skip
    sub.add_argument("--json", action="store_true", help="print one JSON object per row")

    sub = kind("run", run, "run a script on the camera and show what it prints", (
        "Run a script on the camera, with the n6post of this PC, and show what it prints. Firmware 4.8.1 and 5.0. Its "
        "frames are not shown: `watch` does that."
    ))  # fmt: skip
    sub.add_argument("script", type=Path)
    sub.add_argument("--installed", action="store_true", help="with the camera's own n6post")
    sub.add_argument("--json-out", type=Path, metavar="FILE", help="lines of JSON go to this file, all else to stdout")

    sub = kind("watch", watch, "like run, and show the frames in a browser (firmware 5.0)", (
        "Run a script on a camera of firmware 5.0 or later, with the camera's own n6post, and show its frames as a page on "
        "localhost. What it prints goes to stdout. Ctrl-C ends the script too."
    ))  # fmt: skip
    sub.add_argument("script", type=Path)
    sub.add_argument("--no-page", action="store_true", help="show no frames")
    sub.add_argument("--http", type=int, default=0, metavar="PORT", help="the page's port (default: any free one)")
    sub.add_argument("--json-out", type=Path, metavar="FILE", help="lines of JSON go to this file, all else to stdout")
    sub.add_argument("--save", type=Path, metavar="FOLDER", help="save every received frame as a picture")
    sub.add_argument("--frames", type=int, metavar="N", help="end after so many frames")

    sub = kind("install", install, "copy the library to the camera's drive", (
        "Copy the compiled library to the camera's flash or card, compare what arrived, and remove the files of an "
        "older version."
    ))  # fmt: skip
    sub.add_argument("--to", default="/flash/lib", metavar="FOLDER", help="/flash/lib (default), /sdcard/lib")
    sub.add_argument("--source", action="store_true", help="the .py files, which the camera compiles at every import")
    sub.add_argument("--script", type=Path, metavar="FILE", help="also make this the main.py that runs at power-up")
    sub.add_argument("--march", default="armv7m", help="architecture of the machine code (default %(default)s)")
    sub.add_argument("--no-reset", action="store_true", help="do not reset the camera at the end")
    sub.add_argument("--json", action="store_true", help="print one JSON object with what was done")

    arguments = commands.parse_args(argv)
    if arguments.call is not selftest or arguments.port:
        importlib.import_module("mpremote")  # told by its extra where it is not installed
    code: int = arguments.call(arguments)
    return code
