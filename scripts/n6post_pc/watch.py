"""n6post camera watch: run a script on a camera of firmware 5.0, show its frames, keep the lines that it prints.

PyPI's `openmv` speaks OpenMV's protocol to the camera. What the script prints comes by a channel of its own, of which
camera_agent.py is the other end: each byte once, whatever is lost on the way. A traceback comes the same way.
"""

import contextlib
import io
import logging
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TextIO

import openmv.camera
from openmv import OMVException
from openmv.constants import ChannelIOCTL
from openmv.exceptions import ResyncException
from PIL import Image

from .command import FINDINGS, FINE, UserError
from .line_output import Lines
from .stream_server import Page

CHANNEL = "n6post_lines"
PATIENCE = 12.0  # seconds without one good answer until the camera counts as gone
_CONNECTS = 4
_TIMEOUT = 1.0  # of one answer; the camera sends again after .5
_STARTS_WITHIN = 3.0  # seconds from the upload to the script's first sign
_ENDS_WITHIN = 1.0  # a script that is no longer told to run is believed to have ended after this

Say = Callable[[str], None]


class GoneError(Exception):
    """The camera is not there any more: a cable, a reset, or no answer for PATIENCE seconds."""


# What the library makes of an answer that did not come, was damaged, or belongs to another question.
_NO_ANSWER = (
    OMVException, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, BufferError, struct.error,
)  # fmt: skip


class _Transport(openmv.camera.Transport):
    def log(self, *arguments: object, **options: object) -> None:
        """Nothing. openmv 1.0.7 asks for every packet whether a number is `in` an enum: Python 3.11 raises TypeError."""


openmv.camera.Transport = _Transport


class _Camera(openmv.camera.Camera):
    def _handle_event(self, channel_id: int, event: int) -> None:
        """Nothing: all is asked for. The same question to an enum here."""

    def connect(self) -> None:
        super().connect()
        self._serial.write_timeout = 2 * _TIMEOUT  # a camera that hangs may not make a write wait for ever

    def again(self) -> None:
        """From the start of a conversation: nothing that is under way counts any more."""
        self._resync()

    def upload(self, script: str) -> None:
        """Hand a script over without starting it."""
        stdin = self.get_channel(name="stdin")
        self._channel_ioctl(stdin, ChannelIOCTL.STDIN_RESET)
        self._channel_write(stdin, memoryview(script.encode()))

    def start(self) -> None:
        """Start what was handed over. Where no answer comes it may run all the same: `exec` would start it twice."""
        self._channel_ioctl(self.get_channel(name="stdin"), ChannelIOCTL.STDIN_EXEC)


class Link:
    """A camera's answers, asked for until they come. Any call ends in GoneError within PATIENCE seconds and a few."""

    def __init__(self, port: str) -> None:
        # The library logs to the root logger, which would print on stderr.
        logging.getLogger().addHandler(logging.NullHandler())
        self._camera = _Camera(port, events=False, timeout=_TIMEOUT)
        for left in range(_CONNECTS)[::-1]:
            try:
                return self._camera.connect()
            except SystemExit:  # the library's answer to what it does not expect
                failed = OMVException("Failed to connect")
            except OMVException as error:
                failed = error
            self.close()
            if not left or "Resync failed" in str(failed) or "could not open port" in str(failed):
                raise failed

    def ask(self, what: str, *arguments: Any, **options: Any) -> Any:
        """A method of openmv.Camera, until it answers: not for what only some scripts make the camera answer."""
        begun = heard = time.monotonic()
        while True:
            try:
                return self.once(what, *arguments, **options)
            except _NO_ANSWER as error:
                now = time.monotonic()
                if isinstance(error, ResyncException):  # it is there, and has begun anew
                    heard = now
                if now - heard > PATIENCE or now - begun > 5 * PATIENCE:
                    silent = f"the camera has not answered for {now - heard if now - heard > 1 else now - begun:.0f} seconds"
                    raise GoneError(silent + "; its reset button may help") from None

    def attempt(self, what: str, *arguments: Any) -> Any:
        """The same, once: None where no answer came."""
        try:
            return self.once(what, *arguments)
        except _NO_ANSWER:
            return None

    def once(self, what: str, *arguments: Any, **options: Any) -> Any:
        """A method of openmv.Camera. One of _NO_ANSWER where no answer came, or none to this question."""
        gone = "the camera is gone: its cable was pulled, or it was reset"
        try:
            return getattr(self._camera, what)(*arguments, **options)
        except OSError:
            raise GoneError(gone) from None
        except OMVException:  # it has begun anew by itself
            raise
        except SystemExit as leaving:
            if isinstance(leaving.__context__, OSError):
                raise GoneError(gone) from None
            error: Exception = OMVException(str(leaving.__context__))
        except _NO_ANSWER as damaged:
            error = damaged
        if what != "again":
            with contextlib.suppress(*_NO_ANSWER):
                self.once("again")
                error = ResyncException()
        raise error

    def channel(self, name: str) -> bool:
        """Whether the camera has a channel of this name by now."""
        if name not in self._camera.channels_by_name:
            self.ask("update_channels")
        return name in self._camera.channels_by_name

    @property
    def firmware(self) -> tuple[int, ...]:
        return tuple(self._camera.verinfo.get("firmware_version", ()))

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._camera.disconnect()


class Printed:
    """What the script printed, byte after byte, from reads of the channel that may overlap and never leave a gap."""

    def __init__(self, line: Say) -> None:
        self._line = line
        self.count = 0  # bytes so far
        self.state = 0
        self._run = b""
        self._rest = b""

    def take(self, data: Any) -> bool:
        """A read of the channel. False if it is none: an answer to something else, or one that leaves a gap."""
        if not isinstance(data, bytes) or len(data) < 12 or data[:3] != b"n6p" or data[3] > 2:
            return False
        if data[4:8] != self._run:  # the script was started again
            self.end()
            self._run, self.count = data[4:8], 0
        known = (self.count - int.from_bytes(data[8:12], "little")) & 0xFFFFFFFF
        if known > len(data) - 12:
            return False
        self.state = data[3]
        new = data[12 + known :]
        self.count += len(new)
        *lines, self._rest = (self._rest + new).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace").rstrip("\r"))
        return True

    def end(self) -> None:
        """What was printed without an end of line."""
        if self._rest:
            self._line(self._rest.decode(errors="replace"))
            self._rest = b""


class Frames:
    """Where frames go: to the page, into a folder."""

    def __init__(self, page: Page | None, folder: Path | None) -> None:
        self._page, self._folder = page, folder
        self.count = 0
        self.unknown = 0

    def take(self, frame: Any) -> None:
        try:
            image = Image.frombytes("RGB", (frame["width"], frame["height"]), frame["data"])
        except (KeyError, TypeError, ValueError):
            self.unknown += 1  # Bayer and YUV frames are handed out as they are
            return
        self.count += 1
        if self._page is not None:
            jpeg = io.BytesIO()
            image.save(jpeg, "JPEG", quality=90)
            self._page.show(jpeg.getvalue())
        if self._folder is not None:
            image.save(self._folder / f"frame_{self.count:05d}.png")


def program(script: Path) -> str:
    """The script with what carries its lines around it."""
    try:
        source = script.read_text(encoding="utf-8")
        compile(source, str(script), "exec")  # its own line numbers, before the camera is asked
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{script}: {error.strerror if isinstance(error, OSError) else 'is not UTF-8 text'}") from None
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{script}: {error}") from None
    around = Path(__file__).with_name("camera_agent.py").read_text(encoding="utf-8")
    code = [line for line in around.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join([*code, f"_n6post_run({source!r}, {script.name!r})", ""])


def connect(port: str, older: Callable[[str], str | None]) -> Link:
    """UserError where the camera does not speak the protocol; `older` asks its REPL for the firmware."""
    try:
        return Link(port)
    except OMVException as error:
        if "could not open port" in str(error) or "PermissionError" in str(error):
            raise UserError(f"{port} cannot be opened: is OpenMV IDE, or another program, connected to it?") from None
    version = older(port)
    if version is not None:
        raise UserError(
            f"the camera on {port} runs firmware {version}, and watch needs the protocol of 5.0 or later: update it with "
            "OpenMV IDE, or take `run SCRIPT --json-out FILE`, which needs neither"
        )
    raise UserError(
        f"the camera on {port} does not answer: close OpenMV IDE, press the camera's reset button, and try again. Firmware "
        "before 5.0 does not speak this protocol"
    )


def watch(
    port: str, script: Path, older: Callable[[str], str | None], page: Page | None, json_out: TextIO | None,
    folder: Path | None, frames: int | None,
) -> int:  # fmt: skip
    """Until the script ends, the camera goes, `frames` have come, or Ctrl-C; the exit code."""
    text = program(script)
    link = connect(port, older)
    lines = Lines(json_out, page.tell if page is not None else None)
    shown = Frames(page, folder)
    wanted = page is not None or folder is not None or frames is not None
    say: Say = lambda sentence: print(sentence, file=sys.stderr, flush=True)  # noqa: E731
    asked = [False]  # by Ctrl-C
    session = _Session(link, lines, shown, frames, asked)
    code = FINE
    restore = _note_interrupts(asked)
    try:
        say(f"Firmware {'.'.join(map(str, link.firmware))} on {port} runs {script.name}. Ctrl-C ends it.")
        if page is not None:
            say(f"Its frames: {page.address}")
        session.start(text, wanted)
        end = session.run()
        if end == "ended" and lines.traceback:
            end, code = lines.remedy("The script ended with an error."), FINDINGS
        elif end == "ended":
            end = "The script has ended."
        elif end == "cut":
            end, code = "The script was cut off: what it printed last may be missing.", FINDINGS
    except KeyboardInterrupt:
        end = session.stop()
    except GoneError as error:
        end, code = str(error)[:1].upper() + str(error)[1:] + ".", FINDINGS
    except (OSError, UserError) as error:  # nowhere to write to
        session.stop()
        if isinstance(error, (UserError, BrokenPipeError)):
            raise
        raise UserError(f"{error.filename or 'a file'} cannot be written: {error.strerror}") from None
    finally:
        restore()
        link.close()
    session.end()
    say(end + session.told())
    return code


def _note_interrupts(asked: list[bool]) -> Callable[[], object]:
    """Make Ctrl-C say in asked[0] that it came; returns what makes it as before.

    The KeyboardInterrupt itself may be lost: on a busy machine it vanished twice in what is called from here, and the script
    ran on.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        return lambda: None

    def interrupted(number: int, frame: FrameType | None) -> None:
        asked[0] = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)
    return lambda: signal.signal(signal.SIGINT, before)


class _Session:
    """One run of a script. asked[0]: whether it is to be stopped, also where the KeyboardInterrupt was lost."""

    def __init__(self, link: Link, lines: Lines, frames: Frames, enough: int | None, asked: list[bool]) -> None:
        self._link, self._lines, self._frames, self._enough, self._asked = link, lines, frames, enough, asked
        self.printed = Printed(lines)
        self._seen: set[str] = set()  # channels
        self._look_again = 0.0  # for the channel
        self._streams = False  # frames
        self._text = ""  # of the firmware's own, behind the last end of line

    def start(self, text: str, frames: bool) -> None:
        ask = self._link.ask
        ask("stop")  # what runs, main.py perhaps: the camera then resets its interpreter
        self._wait_until(lambda: not ask("read_status").get("stdin"), _STARTS_WITHIN)
        time.sleep(0.3)
        self._link.attempt("read_stdout")  # of the script before
        ask("update_channels")
        ask("upload", text)
        self._begin(text)
        self._streams = frames
        if frames:
            ask("streaming", True)

    def _begin(self, text: str) -> None:
        while True:
            try:
                return self._link.once("start")
            except _NO_ANSWER:
                if self._wait_until(self._begun, 1.5):
                    return
                self._link.ask("upload", text)

    def _begun(self) -> bool:
        return bool(self._link.ask("read_status").get("stdin")) or self._link.channel(CHANNEL)

    def _wait_until(self, there: Callable[[], bool], seconds: float) -> bool:
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if there():
                return True
            time.sleep(0.02)
        return False

    def run(self) -> str:
        """Why it ended: a sentence, or `ended`."""
        started, quiet_since = False, time.monotonic()
        while True:
            if self._asked[0]:
                raise KeyboardInterrupt
            status = self._link.ask("read_status")
            self._seen.update(status)
            if status.get("stdin") or self.printed.count:
                started = True
            if self._read_lines(status):
                self._read_text(status)
                return "ended"
            self._read_text(status)
            if self._streams and self._read_frame():
                with contextlib.suppress(GoneError):
                    self._link.ask("stop")
                return f"{self._frames.count} frames: the script is stopped."
            if status.get("stdin") or status.get(CHANNEL):
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since > (_ENDS_WITHIN if started else _STARTS_WITHIN):
                # A script that came to its end says so in its channel, and waits until that is heard.
                return "ended" if CHANNEL not in self._seen else "cut"
            time.sleep(0.002)

    def _read_lines(self, status: dict[str, bool]) -> bool:
        """All that the channel has; whether the script has ended and nothing is left."""
        if CHANNEL not in status:
            if time.monotonic() > self._look_again:
                self._link.channel(CHANNEL)
                self._look_again = time.monotonic() + 0.05
            return False
        if not status[CHANNEL]:
            return False
        data = self._link.attempt("channel_read", CHANNEL)
        if self.printed.take(data):
            # A write that comes twice changes nothing, and one that does not come is made up for by the next.
            self._link.attempt("channel_write", CHANNEL, (self.printed.count & 0xFFFFFFFF).to_bytes(4, "little"))
        return self.printed.state != 0

    def _read_text(self, status: dict[str, bool]) -> None:
        """What the firmware itself says: not the script's lines, where the camera has channels."""
        if not status.get("stdout"):
            return
        text = self._link.attempt("read_stdout")
        if isinstance(text, str):
            *whole, self._text = (self._text + text).split("\n")
            for line in whole:
                if line.strip() and not line.startswith(("MPY: soft reboot", ">>>", "MicroPython v", 'Type "help()"')):
                    self._lines(line.rstrip("\r"))

    def _read_frame(self) -> bool:
        """A frame, if there is one; whether these are enough."""
        frame = self._link.attempt("read_frame")
        if isinstance(frame, dict):
            self._frames.take(frame)
        return self._enough is not None and self._frames.count >= self._enough

    def stop(self) -> str:
        """After Ctrl-C: the script on the camera ends too."""
        try:
            with contextlib.suppress(KeyboardInterrupt):
                status = self._link.ask("read_status")
                self._read_lines(status)
            self._link.ask("stop")
        except GoneError as error:
            return f"Stopped here, but {error}."
        return "Stopped, the script on the camera too."

    def end(self) -> None:
        """What came without an end of line."""
        self.printed.end()
        if self._text.strip():
            self._lines(self._text)

    def told(self) -> str:
        """What came."""
        parts = []
        if self._frames.count:
            parts.append(f"{self._frames.count} frames")
        if self._lines.kept:
            parts.append(f"{self._lines.kept} lines of JSON")
        if self._frames.unknown:
            parts.append(f"{self._frames.unknown} frames in a format that cannot be shown (Bayer, YUV)")
        told = f" {', '.join(parts)}." if parts else ""
        if CHANNEL not in self._seen and self._lines.count:
            told += " This camera has no module `protocol`: lines that came faster than they were fetched are missing."
        return told
