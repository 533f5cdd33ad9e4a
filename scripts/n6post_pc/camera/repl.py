"""Talk to a camera's REPL with mpremote, on firmware 4.8.1 and 5.0.

5.0 speaks OpenMV's protocol at one baud rate only, and answers as a REPL at all others.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..command import UserError
from . import line_output

MARK = "N6POST "  # begins a line of output that is for the command, not for people

_UNPLUGGED = r"SerialException|OSError: \[Errno (5|6|19|22)\]|ClearCommError|device disconnected|PermissionError\(13"
_SAYS_AFTER, _ANSWERS_WITHIN = 3, 12  # seconds without a prompt
_SLOW = 30  # timeout in seconds for requests that a camera answers at once


def words(port: str, *commands: str | Path) -> list[str]:
    """The command line that runs commands of mpremote on a port."""
    return [sys.executable, "-m", "mpremote", "connect", port, *map(str, commands)]


def follow(
    command: Sequence[str], line: Callable[[str], None], environment: dict[str, str] | None = None
) -> tuple[int, str]:
    """Run a command and pass each line of its stdout, except mpremote's own, to `line` as it arrives.

    Returns (exit code, stderr).
    """
    process = subprocess.Popen(
        command, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
        # Ctrl-C must only reach this program, which then stops the script on the camera.
        start_new_session=True, creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    errors: list[str] = []
    listener = threading.Thread(target=lambda: errors.extend(process.stderr or ()), daemon=True)
    listener.start()
    try:
        with waiting("the first output") as timer:
            while text := process.stdout.readline(line_output.LONGEST):
                shown = text.rstrip("\n").rstrip("\r")
                if not re.fullmatch(r"Local directory .* is mounted at /remote", shown):
                    timer.cancel()
                    line(shown)
                if len(text) == line_output.LONGEST:
                    raise line_output.no_line()
            process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    listener.join(5)
    return process.returncode, "".join(errors)


def ask(port: str, code: str, seconds: float = _SLOW) -> str:
    """Run MicroPython code on the camera and return what it prints. UserError if this fails."""
    return chain(port, ["exec", code], seconds)


def report(port: str, code: str) -> Any:
    """Run code on the camera and parse the JSON that it prints after MARK."""
    with waiting(f"the camera on {port} to answer"):
        lines = ask(port, code, 120).splitlines()
    for line in lines:
        if line.startswith(MARK):
            with contextlib.suppress(ValueError, RecursionError):
                return json.loads(line[len(MARK) :])
    raise UserError(f"the answer of the camera on {port} cannot be read")


def chain(port: str, commands: Sequence[str], seconds: float = _SLOW) -> str:
    """Run commands of mpremote and return what they print. UserError if one fails."""
    try:
        done = subprocess.run(words(port, *commands), capture_output=True, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL, encoding="utf-8", errors="replace")  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UserError(f"the camera on {port} does not answer: unplug it and plug it in again") from None
    if done.returncode:
        raise UserError(why(port, done.stderr or done.stdout))
    return done.stdout


def why(port: str, output: str) -> str:
    """Turn mpremote's error output into a sentence."""
    if "failed to access" in output:
        return f"{port} cannot be opened: is OpenMV IDE, or another program, connected to it?"
    if "could not enter raw repl" in output or "could not exec" in output or "raw paste" in output:
        return f"the camera on {port} does not answer like MicroPython: unplug it and plug it in again"
    if re.search(_UNPLUGGED, output):
        return "the camera is disconnected: its cable was pulled, or it was reset"
    if "No module named mpremote" in output:
        raise ModuleNotFoundError(name="mpremote")
    last = [line.strip() for line in output.splitlines() if line.strip()]
    return f"the camera reported: {last[-1]}" if last else "the camera reported no reason"


def _prompts(port: str, keys: bytes, prompt: bytes, seconds: float) -> bool:
    """Send keys to the camera. True if it answers with this prompt. OSError if the port cannot be opened."""
    import serial

    with serial.serial_for_url(port, 115200, timeout=0.1, write_timeout=2) as line:
        received, end = b"", time.monotonic() + seconds
        while (sent := time.monotonic()) < end:
            with contextlib.suppress(serial.SerialTimeoutException):  # it takes no bytes, either
                line.write(keys)
            while time.monotonic() < min(sent + 3, end):
                received = (received + line.read(4096))[-4096:]
                if prompt in received:
                    return True
    return False


def interrupt(port: str) -> bool:
    """Send Ctrl-C to the camera. True if its prompt appears."""
    try:
        # Twice, then Ctrl-B: from the raw REPL back to the friendly one.
        return _prompts(port, b"\r\x03\x03\x02", b">>>", 3)
    except OSError:
        return False


@contextlib.contextmanager
def waiting(what: str) -> Iterator[threading.Timer]:
    """Say what the command waits for if that takes more than a few seconds, unless the timer is canceled before."""
    timer = threading.Timer(_SAYS_AFTER, lambda: print(f"Waiting for {what}.", file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield timer
    finally:
        timer.cancel()


def wake(port: str) -> None:
    """Stop what runs on the camera and wait for its prompt. UserError if none comes: mpremote would wait for minutes."""
    # mpremote says why a port cannot be opened.
    with waiting(f"the camera on {port} to answer"), contextlib.suppress(OSError):
        if not _prompts(port, b"\r\x03\x03\r\x01", b"raw REPL", _ANSWERS_WITHIN):  # Ctrl-A: as mpremote does
            raise UserError(f"the camera on {port} has not answered for {_ANSWERS_WITHIN} seconds: close OpenMV IDE, press "
                            "the camera's reset button, and try again")  # fmt: skip


def firmware(port: str) -> str | None:
    """The firmware version of the camera on a port, or None if no REPL answers."""
    try:
        return ask(port, "import omv; print(omv.version_string())", 8).strip() or None
    except UserError:
        return None
