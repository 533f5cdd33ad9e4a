"""Control a camera on this PC's USB: n6post camera, scripts/camera.py.

`watch` uses the protocol of firmware 5.0, all others use mpremote, on 4.8.1 and 5.0.
"""

import argparse
import contextlib
import importlib
import json
import os
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from .. import files, terminal
from ..cli import spelled
from ..command import FINDINGS, FINE, WRONG, UserError, parser, quoted, shown
from ..paths import DEVICE, LIB, STUBS
from . import devices, repl

SELFTEST = DEVICE / "selftest.py"
BENCHMARK = DEVICE / "benchmark.py"

# ---- selftest ----


def command(arguments: argparse.Namespace) -> tuple[list[str], dict[str, str]]:
    """The command line of a self-test, and the environment variables that it needs."""
    if arguments.port:
        mount: list[str | Path] = [] if arguments.installed else ["mount", LIB]
        return repl.words(arguments.port, *mount, "run", SELFTEST), {}
    if arguments.micropython:
        return [str(arguments.micropython), "-X", "heapsize=64M", str(SELFTEST)], {"MICROPYPATH": str(LIB)}
    return [sys.executable, str(SELFTEST)], {"PYTHONPATH": os.pathsep.join((str(LIB), str(STUBS)))}


def selftest(arguments: argparse.Namespace) -> int:
    """Run the self-test and show its output. FINE if its last line reports that checks passed and none failed."""
    if arguments.micropython:
        files.regular(arguments.micropython)
    if arguments.port:
        arguments.port = devices.find(arguments.port)
        print(_running("The self-test", arguments), file=sys.stderr, flush=True)
        repl.wake(arguments.port)
    last = ""

    def line(text: str) -> None:
        nonlocal last
        print(text, flush=True)
        last = text.strip() or last

    try:
        words, environment = command(arguments)
        code, errors = repl.follow(words, line, environment)
    except KeyboardInterrupt:
        return _interrupted(arguments.port)
    result = re.fullmatch(r"(\d+) passed, (\d+) failed", last)
    if result is None:
        if code and arguments.port:
            raise UserError(repl.why(arguments.port, errors or last))
        print(errors, end="", file=sys.stderr)
        print("The self-test stopped before its end.", file=sys.stderr)
        return FINDINGS
    return FINE if int(result[1]) and not int(result[2]) else FINDINGS


def _running(what: str, arguments: argparse.Namespace) -> str:
    """`The self-test runs on /dev/ttyACM0, with this PC's n6post. Press Ctrl-C to stop it.`"""
    whose = "the camera's" if arguments.installed else "this PC's"
    return f"{what} runs on {arguments.port}, with {whose} n6post. Press Ctrl-C to stop it."


def _interrupted(port: str | None) -> int:
    if port is None:
        return 130
    stopped = repl.interrupt(port)
    text = "Stopped, also on the camera." if stopped else "Stopped on this PC. The camera does not answer."
    print(text, file=sys.stderr)
    return 130


# ---- run ----


def run(arguments: argparse.Namespace) -> int:
    file = _line_file(arguments)
    output = importlib.import_module("n6post_pc.camera.line_output")
    port = arguments.port = devices.find(arguments.port)
    lines = output.Lines(file)
    print(_running(arguments.script.name, arguments), file=sys.stderr, flush=True)
    repl.wake(port)
    mount: list[str | Path] = [] if arguments.installed else ["mount", LIB]
    complete = False
    try:
        code, errors = repl.follow(repl.words(port, *mount, "run", arguments.script), lines)
        complete = not code
    except KeyboardInterrupt:
        return _interrupted(port)
    except (UserError, BrokenPipeError):  # the output cannot be written
        repl.interrupt(port)
        raise
    finally:
        if file is not None:
            file.close(complete)
            if complete or lines.kept:  # otherwise the old file is still there
                print(f"{arguments.json_out}: {lines.kept} lines of JSON", file=sys.stderr)
    if code and lines.traceback:
        print(lines.remedy("The script ended with an error."), file=sys.stderr)
        return FINDINGS
    if code:
        why = re.sub("^the ", "The ", repl.why(port, errors))  # a port keeps its name
        print(f"{why}{'' if why.endswith('?') else '.'}", file=sys.stderr)
        return FINDINGS
    return FINE


def _line_file(arguments: argparse.Namespace) -> files.LineFile | None:
    """What --json-out names. UserError if it or the script cannot be used."""
    files.check([arguments.json_out], [files.regular(arguments.script)])
    return None if arguments.json_out is None else files.LineFile(arguments.json_out)


# ---- benchmark ----


@contextlib.contextmanager
def _library(installed: bool) -> Iterator[list[str | Path]]:
    """The words of mpremote that show the camera the n6post of this PC, or none if it has its own.

    It is compiled as `install` does: the camera would compile sources itself, which fills its heap.
    """
    with tempfile.TemporaryDirectory() as folder:
        if not installed:
            from ..build.command import build

            build(Path(folder), "armv7m")
        yield [] if installed else ["mount", folder]


def _measure(port: str, mount: list[str | Path], lines: list[str]) -> str:
    """Run the benchmark, add its lines to `lines` and show each row. Returns why it stopped before its end, or ""."""

    def line(text: str) -> None:
        lines.append(text)
        row = _cells(text)
        if row is not None and row[0] not in ("work", "---"):
            print(f"  {row[0]}: {row[1]}", file=sys.stderr, flush=True)

    code, errors = repl.follow(repl.words(port, *mount, "run", BENCHMARK), line)
    rows = [row for row in map(_cells, lines) if row is not None]
    whole = len(rows) >= 3 and lines[0].startswith("n6post ") and "the median of" in lines[-1]
    return "" if whole and not code else repl.why(port, errors or "\n".join(lines))


def benchmark(arguments: argparse.Namespace) -> int:
    """Run the benchmark and show each row as it arrives, then all of them as a table and as Markdown for an issue."""
    from rich import box
    from rich.table import Table

    files.check([arguments.out])
    port = arguments.port = devices.find(arguments.port)
    print(_running("The benchmark", arguments) + " It takes about half a minute.", file=sys.stderr, flush=True)
    repl.wake(port)
    lines: list[str] = []
    try:
        with _library(arguments.installed) as mount:
            stopped = _measure(port, mount, lines)
    except KeyboardInterrupt:
        return _interrupted(port)
    if stopped:
        print("\n".join(lines), file=sys.stderr)
        raise UserError(f"the benchmark stopped before its end; {stopped}")
    rows = [row for row in map(_cells, lines) if row is not None]
    head, rows = rows[0], rows[2:]
    if arguments.json:
        for row in rows:
            print(json.dumps({**dict(zip(head, row)), "machine": lines[0]}))
    else:
        sheet = Table(box=box.SIMPLE_HEAD, pad_edge=False, title=lines[0], title_justify="left", title_style="bold")
        for number, heading in enumerate(head):
            sheet.add_column(heading, justify="left" if number in (0, 2) else "right", overflow="fold")
        for row in rows:
            sheet.add_row(*row)
        terminal.console().print(sheet)
        print("Times are milliseconds, the median of 15 frames. Paste this into an issue:\n")
        print(block(lines))
    if arguments.out:
        files.write({arguments.out: f"{block(lines)}\n".encode()})
    return FINE


def _cells(line: str) -> list[str] | None:
    """The cells of a row of a Markdown table."""
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else None


def block(lines: list[str]) -> str:
    """The benchmark's Markdown table in a collapsed block, whose summary names the camera and the firmware."""
    table = [line for line in lines if line.startswith("|")]
    return "\n".join([f"<details><summary>{lines[0]}</summary>", "", *table, "", "</details>"])


# ---- report ----


def report(arguments: argparse.Namespace) -> int:
    """Run the self-test and the benchmark, and print both as Markdown. FINE if all checks passed and there is a table."""
    from . import report as reporting

    files.check([arguments.out])
    port = arguments.port = devices.find(arguments.port)
    print(_running("The self-test", arguments), file=sys.stderr, flush=True)
    repl.wake(port)
    tested: list[str] = []
    measured: list[str] = []

    def line(text: str) -> None:
        tested.append(text)
        print(f"  {text}", file=sys.stderr, flush=True)

    try:
        about = reporting.facts(port, arguments.installed)
        with _library(arguments.installed) as mount:
            code, errors = repl.follow(repl.words(port, *mount, "run", SELFTEST), line)
            why_not_tested = repl.why(port, errors or "\n".join(tested)) if code else ""
            print("Now the benchmark, which takes about half a minute.", file=sys.stderr, flush=True)
            why_not_measured = _measure(port, mount, measured)
    except KeyboardInterrupt:
        return _interrupted(port)
    table = "" if why_not_measured else f"{block(measured)}\n\n```json\n{reporting.figures(measured)}\n```"
    text = reporting.markdown(about, tested, why_not_tested, table, why_not_measured)
    print(text)  # first: if the file cannot be written, the report is not lost
    if arguments.out:
        files.write({arguments.out: f"{text}\n".encode()})
    result = reporting.result(tested)
    return FINE if result and result[0] and not result[1] and table else FINDINGS


# ---- install ----


def install(arguments: argparse.Namespace) -> int:
    from . import install as installing

    port = devices.find(arguments.port)
    what = "sources" if arguments.source else "compiled files"
    print(f"Copying the {what} of n6post to {arguments.to} of the camera on {port}.", file=sys.stderr, flush=True)
    done = installing.install(
        port, arguments.to, arguments.source, arguments.script, arguments.march, not arguments.no_reset
    )
    if arguments.json:
        print(json.dumps({**vars(done), "port": port}))
        return done.code
    print(f"n6post {done.version} is in {done.folder} of the {done.board}: {done.size:,} bytes, every file verified.")
    print(f"{len(done.copied)} files copied, {done.same} unchanged, {len(done.removed)} old files removed.")
    if done.kept:
        print(f"Kept files that do not belong to the library: {', '.join(done.kept)}.")
    if done.main:
        print(f"{done.main}.")
    for folder in done.others:
        if not done.wins.startswith(folder + "/"):
            print(f"There is another copy in {folder}/n6post; the camera does not import it.")
    if done.wins.startswith("frozen"):
        print(f"But `import n6post` imports version {done.wins_version}, which is frozen into the firmware and comes first: "
              "this folder is never used with this firmware.")  # fmt: skip
    elif done.wins:
        romfs = "remove it from the ROMFS (OpenMV IDE: Tools, ROM File System)"
        how = romfs if done.wins.startswith("/rom") else "remove it"
        print(f"But `import n6post` imports {done.wins}, version {done.wins_version}, which comes first: {how}.")
    if not arguments.no_reset:
        print("The camera was reset, so this PC sees the new files on its drive.")
    return done.code


# ---- backup ----


def backup(arguments: argparse.Namespace) -> int:
    from . import backup as reading

    port = devices.find(arguments.port)
    print(f"Reading the ROMFS of the camera on {port}.", file=sys.stderr, flush=True)
    try:
        partition, kept = reading.backup(port, arguments.file)
    except KeyboardInterrupt:
        return _interrupted(port)
    file = quoted(arguments.file)
    print(f"{arguments.file}: {len(kept)} files, {arguments.file.stat().st_size:,} of the partition's {partition:,} bytes.")
    print(f"A new image with these files: {spelled('build')} --romfs --keep {file}")
    print(f"To write the old one back: mpremote romfs deploy {file}")
    return FINE


# ---- watch ----


def watch(arguments: argparse.Namespace) -> int:
    from . import watch as watching
    from .stream_server import Page

    if arguments.frames is not None and arguments.frames < 1:
        raise UserError(f"--frames: expected 1 or more, got {arguments.frames}")
    watching.program(arguments.script)  # reports an error before anything is opened
    file = _line_file(arguments)
    port = devices.find(arguments.port)
    if arguments.save is not None:
        files.output_folder(arguments.save)
    page = None if arguments.no_page else Page(f"{arguments.script.name} on {port}", arguments.http)
    code = WRONG
    try:
        code = watching.watch(port, arguments.script, repl.firmware, page, file, arguments.save, arguments.frames)
        return code
    finally:
        if page is not None:
            page.close()
        if file is not None:
            file.close(complete=code == FINE)


# ---- the command ----

DESCRIPTION = """\
Control a camera on this PC's USB. A single OpenMV camera is found automatically; --port selects another serial port.
All commands but `watch` (5.0 only) work with firmware 4.8.1 and 5.0."""
EXAMPLES = (
    "selftest", "selftest --port auto", "benchmark", "report", "report -o report.md", "install", "install --script main.py",
    "backup rom.img", "run script.py", "run send_results_usb.py --json-out results.jsonl", "watch yolov8_seg.py",
    "watch script.py --no-page --save frames",
)  # fmt: skip


def main(argv: list[str], prog: str) -> int:
    commands = parser(prog, DESCRIPTION, EXAMPLES)
    kinds = commands.add_subparsers(required=True, metavar="COMMAND")

    def kind(
        name: str, call: Callable[[argparse.Namespace], int], short: str, description: str, port: bool = True
    ) -> argparse.ArgumentParser:
        examples = [example for example in EXAMPLES if example.split()[0] == name]
        sub = kinds.add_parser(name, help=short, **shown(prog, description, examples))
        sub.set_defaults(call=call)
        if port:
            sub.add_argument("--port", help="the camera's serial port (default: that of the only camera)")
        return sub

    sub = kind("selftest", selftest, "check the library on this PC, or with --port on a camera", (
        "Check the library. Without --port the check runs on this PC, with stand-ins for the firmware's modules. With "
        "--port it runs on a camera, which reads the n6post of this PC over the cable, or uses its own with --installed. "
        "The exit code is 0 if all checks pass."
    ), port=False)  # fmt: skip
    where = sub.add_mutually_exclusive_group()
    where.add_argument("--port", help="a camera's serial port, or `auto`")
    where.add_argument("--micropython", type=Path, metavar="PATH", help="a MicroPython binary with ulab")
    sub.add_argument("--installed", action="store_true", help="with --port: use the camera's own n6post")

    sub = kind("benchmark", benchmark, "measure the time of post-processing on the camera", (
        "Measure how many milliseconds post-processing takes on the camera. The result is a table, also as Markdown to "
        "paste into an issue. It takes about half a minute. The camera reads the n6post of this PC over the cable, which "
        "makes its start slower."
    ))  # fmt: skip
    sub.add_argument("--installed", action="store_true", help="use the camera's own n6post, to measure the real start")
    sub.add_argument("-o", "--out", "--output", type=Path, metavar="FILE",
                     help="also write the Markdown to this file")  # fmt: skip
    sub.add_argument("--json", action="store_true", help="print one JSON object per row")

    sub = kind("report", report, "run the self-test and the benchmark, and print both for an issue", (
        "Run the self-test and the benchmark on the camera, and print one text of Markdown to paste into an issue: the "
        "camera, its firmware, the checks that failed, and the table of times. It contains no serial number and no path of "
        "this PC. The exit code is 0 if all checks pass."
    ))  # fmt: skip
    sub.add_argument("--installed", action="store_true", help="use the camera's own n6post")
    sub.add_argument("-o", "--out", "--output", type=Path, metavar="FILE", help="also write the text to this file")

    sub = kind("run", run, "run a script on the camera and show what it prints", (
        "Run a script on the camera, with the n6post of this PC, and show what it prints. Works with firmware 4.8.1 and 5.0."
        " To see the frames too, use `watch`."
    ))  # fmt: skip
    sub.add_argument("script", type=Path)
    sub.add_argument("--installed", action="store_true", help="use the camera's own n6post")
    sub.add_argument("--json-out", type=Path, metavar="FILE", help="write lines of JSON to this file instead of stdout")

    sub = kind("watch", watch, "run a script on the camera and show its frames in a browser", (
        "Run a script on the camera, with the camera's own n6post, and show its frames on a page of this PC. Needs firmware "
        "5.0 or newer. The script's output goes to stdout. Ctrl-C stops the script and the command."
    ))  # fmt: skip
    sub.add_argument("script", type=Path)
    sub.add_argument("--no-page", action="store_true", help="do not show the frames")
    sub.add_argument("--http", type=int, default=0, metavar="PORT", help="the page's port (default: any free one)")
    sub.add_argument("--json-out", type=Path, metavar="FILE", help="write lines of JSON to this file instead of stdout")
    sub.add_argument("--save", type=Path, metavar="FOLDER", help="save every received frame as a picture")
    sub.add_argument("--frames", type=int, metavar="N", help="stop after N frames")

    sub = kind("install", install, "copy the library to the camera's drive", (
        "Compile the library, copy it to the camera's flash or SD card, verify every file, and remove the files of an older "
        "version."
    ))  # fmt: skip
    sub.add_argument("--to", default="/flash/lib", metavar="FOLDER", help="/flash/lib (default) or /sdcard/lib")
    sub.add_argument("--source", action="store_true", help="copy the .py files, which the camera compiles at every import")
    sub.add_argument("--script", type=Path, metavar="FILE", help="also copy this script to main.py, which runs at power-up")
    sub.add_argument("--march", default="armv7m", help="architecture of the machine code (default %(default)s)")
    sub.add_argument("--no-reset", action="store_true", help="do not reset the camera at the end")
    sub.add_argument("--json", action="store_true", help="print one JSON object with what was done")

    sub = kind("backup", backup, "read the camera's ROMFS into a file", (
        "Read the camera's ROMFS, with the models that came with the camera, into an image file. `build --romfs --keep` "
        "makes a new image with these files and the library. Works with the OpenMV N6 and AE3."
    ))  # fmt: skip
    sub.add_argument("file", type=Path, metavar="FILE", help="the image, a name that ends in .img or .romfs")

    arguments = commands.parse_args(argv)
    if arguments.call is not selftest or arguments.port:
        importlib.import_module("mpremote")  # if it is missing, the command names the extra to install
    code: int = arguments.call(arguments)
    return code
