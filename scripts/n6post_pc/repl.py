"""A camera's REPL through mpremote: any rate but the protocol's reaches it, on firmware 4.8.1 and on 5.0."""

import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from .command import UserError

_UNPLUGGED = r"SerialException|OSError: \[Errno (5|6|19|22)\]|ClearCommError|device disconnected|PermissionError\(13"
_SLOW = 30  # seconds for a question that a camera answers at once


def words(port: str, *commands: str | Path) -> list[str]:
    """The command line of mpremote."""
    return [sys.executable, "-m", "mpremote", "connect", port, *map(str, commands)]


def follow(
    command: Sequence[str], line: Callable[[str], None], environment: dict[str, str] | None = None
) -> tuple[int, str]:
    """Hands out what it prints, line by line as it comes; its exit code and what it said on stderr."""
    process = subprocess.Popen(
        command, env=os.environ | (environment or {}), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, encoding="utf-8", errors="replace",
        # Ctrl-C is for this program, which then stops the script on the camera.
        start_new_session=True, creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
    )  # fmt: skip
    assert process.stdout is not None and process.stderr is not None
    said: list[str] = []
    listener = threading.Thread(target=lambda: said.extend(process.stderr or ()), daemon=True)
    listener.start()
    try:
        for text in process.stdout:
            line(text.rstrip("\n").rstrip("\r"))
        process.wait()
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    listener.join(5)
    return process.returncode, "".join(said)


def ask(port: str, code: str, seconds: float = _SLOW) -> str:
    """What a piece of MicroPython prints on the camera. UserError if that fails."""
    return chain(port, ["exec", code], seconds)


def chain(port: str, commands: Sequence[str], seconds: float = _SLOW) -> str:
    """What mpremote's commands print. UserError if one of them fails."""
    try:
        done = subprocess.run(words(port, *commands), capture_output=True, text=True, timeout=seconds,
                              stdin=subprocess.DEVNULL, errors="replace")  # fmt: skip
    except subprocess.TimeoutExpired:
        raise UserError(f"the camera on {port} does not answer: unplug it and plug it in again") from None
    if done.returncode:
        raise UserError(why(port, done.stderr or done.stdout))
    return done.stdout


def why(port: str, said: str) -> str:
    """What mpremote says of a failure, as a sentence."""
    if "failed to access" in said:
        return f"{port} cannot be opened: is OpenMV IDE, or another program, connected to it?"
    if "could not enter raw repl" in said or "could not exec" in said or "raw paste" in said:
        return f"the camera on {port} does not answer as MicroPython does: unplug it and plug it in again"
    if re.search(_UNPLUGGED, said):
        return "the camera is gone: its cable was pulled, or it was reset"
    if "No module named mpremote" in said:
        raise ModuleNotFoundError(name="mpremote")
    last = [line.strip() for line in said.splitlines() if line.strip()]
    return "the camera said: " + (last[-1] if last else "nothing")


def interrupt(port: str) -> bool:
    """Stops what runs on the camera, as Ctrl-C does; whether its prompt came."""
    import serial

    try:
        with serial.Serial(port, 115200, timeout=0.1, write_timeout=2) as line:
            line.write(b"\r\x03\x03\x02")  # and from the raw REPL back to the friendly one
            seen, until = b"", time.monotonic() + 3
            while time.monotonic() < until:
                seen += line.read(4096)
                if seen.rstrip().endswith(b">>>"):
                    return True
    except OSError:
        pass
    return False


def firmware(port: str) -> str | None:
    """Its version, or None where no REPL answers."""
    try:
        return ask(port, "import omv; print(omv.version_string())", 8).strip() or None
    except UserError:
        return None
