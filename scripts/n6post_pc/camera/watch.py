"""n6post camera watch: run a script on a camera with firmware 5.0, show its frames and save the lines that it prints.

PyPI's `openmv` package speaks OpenMV's protocol to the camera. The script's output, tracebacks included, arrives on a
separate channel. agent.py is the camera's end of it. Every byte arrives exactly once, even if packets are lost.
"""

import contextlib
import logging
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

import openmv.camera
from openmv import OMVException
from openmv.constants import ChannelIOCTL
from openmv.exceptions import ResyncException
from PIL import Image

from .. import files
from ..command import FINDINGS, FINE, UserError
from . import repl
from .line_output import Lines, Splitter

CHANNEL = "n6post_lines"
PATIENCE = 12.0  # seconds without a valid answer after which the camera counts as disconnected
_CONNECTS = 4
_TIMEOUT = 1.0  # seconds to wait for an answer; the camera resends after .5
_STARTS_WITHIN = 3.0  # seconds from the upload until the script must have started
_ENDS_WITHIN = 1.0  # seconds without a sign of the script after which it counts as ended

Say = Callable[[str], None]


class Screen(Protocol):
    """What shows the frames: stream_server.Page, or the page of n6post studio.

    address     where people can see them, or ""
    """

    address: str

    def show_picture(self, picture: Image.Image) -> None: ...

    def tell(self, line: str) -> None: ...


class GoneError(Exception):
    """The camera is disconnected: the cable was pulled, it was reset, or it has not answered for PATIENCE seconds."""


# The exceptions that the library raises if an answer is missing or damaged, or belongs to another request.
_NO_ANSWER = (
    OMVException, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, BufferError, struct.error,
)  # fmt: skip


class _Transport(openmv.camera.Transport):
    def __init__(self, serial: Any, **options: Any) -> None:
        serial.write_timeout = 2 * _TIMEOUT  # otherwise a write to a camera that hangs would never return
        super().__init__(serial, **options)

    def log(self, *arguments: object, **options: object) -> None:
        """Do nothing. openmv 1.0.7 tests a number with `in` an enum for every packet: a TypeError on Python 3.11."""


openmv.camera.Transport = _Transport


class _Camera(openmv.camera.Camera):
    def _handle_event(self, channel_id: int, event: int) -> None:
        """Do nothing: this program polls. The original also tests a number with `in` an enum."""

    def again(self) -> None:
        """Resynchronize the protocol. Pending requests and answers are discarded."""
        self._resync()

    def upload(self, script: str) -> None:
        """Upload a script without starting it."""
        stdin = self.get_channel(name="stdin")
        self._channel_ioctl(stdin, ChannelIOCTL.STDIN_RESET)
        self._channel_write(stdin, memoryview(script.encode()))

    def start(self) -> None:
        """Start the uploaded script. Not `exec`, which would start it twice if only the answer was lost."""
        self._channel_ioctl(self.get_channel(name="stdin"), ChannelIOCTL.STDIN_EXEC)


class Link:
    """Connection to a camera that repeats requests until they are answered.

    If the camera is silent, a call raises GoneError a little later than PATIENCE seconds.
    """

    def __init__(self, port: str) -> None:
        # The library logs to the root logger, which would print to stderr.
        logging.getLogger().addHandler(logging.NullHandler())
        self._camera = _Camera(port, events=False, timeout=_TIMEOUT)
        for left in range(_CONNECTS)[::-1]:
            try:
                return self._camera.connect()
            except SystemExit:  # the library exits if an answer is unexpected
                failed = OMVException("Failed to connect")
            except OMVException as error:
                failed = error
            self.close()
            if not left or "Resync failed" in str(failed) or "could not open port" in str(failed):
                raise failed

    def ask(self, what: str, *arguments: Any, **options: Any) -> Any:
        """Call a method of openmv.Camera until the camera answers.

        Use `attempt` for requests that the camera answers only while certain scripts run.
        """
        begun = heard = time.monotonic()
        while True:
            try:
                return self.once(what, *arguments, **options)
            except _NO_ANSWER as error:
                now = time.monotonic()
                if isinstance(error, ResyncException):  # the camera is there and has resynchronized
                    heard = now
                if now - heard > PATIENCE or now - begun > 5 * PATIENCE:
                    silent = f"the camera has not answered for {now - heard if now - heard > 1 else now - begun:.0f} seconds"
                    raise GoneError(silent + "; its reset button may help") from None

    def attempt(self, what: str, *arguments: Any) -> Any:
        """Call a method of openmv.Camera once. None if no valid answer comes."""
        try:
            return self.once(what, *arguments)
        except _NO_ANSWER:
            return None

    def once(self, what: str, *arguments: Any, **options: Any) -> Any:
        """Call a method of openmv.Camera once. Raises one of _NO_ANSWER if no answer to this request comes."""
        gone = "the camera is disconnected: its cable was pulled, or it was reset"
        try:
            return getattr(self._camera, what)(*arguments, **options)
        except OSError:
            raise GoneError(gone) from None
        except OMVException:  # the library has already resynchronized
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
        """Whether the camera has a channel with this name now."""
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
    """Assembles the script's output from reads of the channel. Reads may overlap; one that would leave a gap is ignored."""

    def __init__(self, line: Say) -> None:
        self._line = line
        self.count = 0  # bytes received
        self.state = 0  # as in agent.py: 0 while the script runs
        self._run = b""
        self._splitter = Splitter(b"\n")

    def take(self, data: Any) -> bool:
        """Process a read of the channel. False if it answers something else or would leave a gap."""
        if not isinstance(data, bytes) or len(data) < 12 or data[:3] != b"n6p" or data[3] > 2:
            return False
        if data[4:8] != self._run:  # the script was restarted
            self.end()
            self._run, self.count = data[4:8], 0
        known = (self.count - int.from_bytes(data[8:12], "little")) & 0xFFFFFFFF
        if known > len(data) - 12:
            return False
        self.state = data[3]
        new = data[12 + known :]
        self.count += len(new)
        for line in self._splitter.lines(new):
            self._line(line.decode(errors="replace").rstrip("\r"))
        return True

    def end(self) -> None:
        """Pass on the last line if it has no line end."""
        if rest := self._splitter.rest():
            self._line(rest.decode(errors="replace"))


class Frames:
    """Shows frames on the page and saves them to a folder."""

    LARGEST = 8192  # pixels per side; every sensor has fewer

    def __init__(self, page: Screen | None, folder: Path | None) -> None:
        self._page, self._folder = page, folder
        self.count = 0
        self.unknown = 0
        self.impossible = 0

    def take(self, frame: Any) -> None:
        if not all(0 < frame.get(side, 0) <= self.LARGEST for side in ("width", "height")):
            self.impossible += 1  # PIL creates images of any size and fails only when they are saved
            return
        try:
            image = Image.frombytes("RGB", (frame["width"], frame["height"]), frame["data"])
        except (KeyError, TypeError, ValueError):
            self.unknown += 1  # the library does not convert Bayer and YUV frames
            return
        self.count += 1
        if self._page is not None:
            self._page.show_picture(image)
        if self._folder is not None:
            with files.replacing(self._folder / f"frame_{self.count:05d}.png") as path:
                image.save(path)


def program(script: Path) -> str:
    """The code to run on the camera: agent.py with the script in it. UserError if the script cannot be compiled."""
    try:
        if other := files.kind(script):
            raise UserError(f"{script}: expected a script, got {other}")
        source = script.read_text(encoding="utf-8")
        compile(source, str(script), "exec")  # reports a syntax error with the script's own line number
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{script}: {error.strerror if isinstance(error, OSError) else 'is not UTF-8 text'}") from None
    except (SyntaxError, ValueError) as error:
        raise UserError(f"{script}: {error}") from None
    agent = Path(__file__).with_name("agent.py").read_text(encoding="utf-8")
    code = [line for line in agent.splitlines() if not line.lstrip().startswith("#")]
    return "\n".join([*code, f"_n6post_run({source!r}, {script.name!r})", ""])


def connect(port: str, older: Callable[[str], str | None]) -> Link:
    """Connect to the camera on a port. UserError if it does not speak the protocol.

    older   a function that reads the firmware version from the REPL on a port, for the error message
    """
    with repl.waiting(f"the camera on {port} to answer"):
        try:
            return Link(port)
        except OMVException as error:
            if "could not open port" in str(error) or "PermissionError" in str(error):
                raise UserError(f"{port} cannot be opened: is OpenMV IDE, or another program, connected to it?") from None
        version = older(port)
    if version is not None:
        raise UserError(
            f"the camera on {port} runs firmware {version}, and watch needs the protocol of 5.0 or newer: update the "
            "firmware with OpenMV IDE, or use `run SCRIPT --json-out FILE`, which works with older firmware"
        )
    raise UserError(
        f"the camera on {port} does not answer: close OpenMV IDE, press the camera's reset button, and try again. Firmware "
        "older than 5.0 does not speak this protocol"
    )


def watch(
    port: str, script: Path, older: Callable[[str], str | None], page: Screen | None, json_out: files.LineFile | None,
    folder: Path | None, frames: int | None, interrupted: list[bool] | None = None,
) -> int:  # fmt: skip
    """Run a script and return the exit code.

    Stops when the script ends, the camera is disconnected, `frames` frames have arrived, or on Ctrl-C. In another thread
    than the main one, set interrupted[0] instead of Ctrl-C.
    """
    text = program(script)
    link = connect(port, older)
    lines = Lines(json_out, page.tell if page is not None else None)
    received = Frames(page, folder)
    streaming = page is not None or folder is not None or frames is not None
    say: Say = lambda sentence: print(sentence, file=sys.stderr, flush=True)  # noqa: E731
    interrupted = [False] if interrupted is None else interrupted
    session = _Session(link, lines, received, frames, interrupted)
    code = FINE
    restore = _note_interrupts(interrupted)
    try:
        say(f"Firmware {'.'.join(map(str, link.firmware))} on {port} runs {script.name}. Press Ctrl-C to stop it.")
        if page is not None and page.address:
            say(f"Its frames: {page.address}")
        session.start(text, streaming)
        end = session.run()
        if end == "ended" and lines.traceback:
            end, code = lines.remedy("The script ended with an error."), FINDINGS
        elif end == "ended":
            end = "The script has ended."
        elif end == "cut":
            end, code = "The script was cut off: its last output may be missing.", FINDINGS
    except KeyboardInterrupt:
        end = session.stop()
    except GoneError as error:
        end, code = str(error)[:1].upper() + str(error)[1:] + ".", FINDINGS
    except Exception:  # the output cannot be written; and even a bug in this program must not leave the script running
        session.stop()
        raise
    finally:
        restore()
        link.close()
    session.end()
    say(end + session.summary())
    return code


def _note_interrupts(interrupted: list[bool]) -> Callable[[], object]:
    """Let Ctrl-C also set interrupted[0]. Returns a function that restores the old handler.

    The KeyboardInterrupt itself may be lost: on a busy machine, code that is called from here swallowed it twice, and the
    script kept running.
    """
    before = signal.getsignal(signal.SIGINT)
    if not callable(before) or threading.current_thread() is not threading.main_thread():
        return lambda: None

    def handler(number: int, frame: FrameType | None) -> None:
        interrupted[0] = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, handler)
    return lambda: signal.signal(signal.SIGINT, before)


class _Session:
    """One run of a script.

    enough          the number of frames after which to stop, or None
    interrupted     interrupted[0] is True after Ctrl-C, even if the KeyboardInterrupt was lost
    """

    def __init__(self, link: Link, lines: Lines, frames: Frames, enough: int | None, interrupted: list[bool]) -> None:
        self._link, self._lines, self._frames, self._enough, self._interrupted = link, lines, frames, enough, interrupted
        self.printed = Printed(lines)
        self._channels: set[str] = set()  # that the camera has had
        self._next_look = 0.0  # time of the next search for the channel
        self._streams = False  # whether frames are read
        self._text = Splitter("\n")  # of the firmware's own output

    def start(self, text: str, frames: bool) -> None:
        ask = self._link.ask
        ask("stop")  # a running script, such as main.py; the camera then resets its interpreter
        self._wait_until(lambda: not ask("read_status").get("stdin"), _STARTS_WITHIN)
        time.sleep(0.3)
        self._link.attempt("read_stdout")  # discards the output of the previous script
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
        """Run until something ends the script. Returns "ended", "cut" or a sentence with the reason."""
        started, quiet_since = False, time.monotonic()
        while True:
            if self._interrupted[0]:
                raise KeyboardInterrupt
            status = self._link.ask("read_status")
            self._channels.update(status)
            if status.get("stdin") or self.printed.count:
                started = True
            if self._read_lines(status):
                self._read_text(status)
                return "ended"
            self._read_text(status)
            if self._streams and self._read_frame():
                with contextlib.suppress(GoneError):
                    self._link.ask("stop")
                return f"The script was stopped after {self._frames.count} frames."
            if status.get("stdin") or status.get(CHANNEL):
                quiet_since = time.monotonic()
            elif time.monotonic() - quiet_since > (_ENDS_WITHIN if started else _STARTS_WITHIN):
                # agent.py reports the end of a script in the channel, and waits until the PC has read it.
                return "ended" if CHANNEL not in self._channels else "cut"
            time.sleep(0.002)

    def _read_lines(self, status: dict[str, bool]) -> bool:
        """Read what the channel has. True if the script has ended and all its output has been read."""
        if CHANNEL not in status:
            if time.monotonic() > self._next_look:
                self._link.channel(CHANNEL)
                self._next_look = time.monotonic() + 0.05
            return False
        if not status[CHANNEL]:
            return False
        data = self._link.attempt("channel_read", CHANNEL)
        if self.printed.take(data):
            # A duplicate write changes nothing, and the next write makes up for a lost one.
            self._link.attempt("channel_write", CHANNEL, (self.printed.count & 0xFFFFFFFF).to_bytes(4, "little"))
        return self.printed.state != 0

    def _read_text(self, status: dict[str, bool]) -> None:
        """Read the firmware's own output. Without channels, it contains the script's lines too."""
        if not status.get("stdout"):
            return
        text = self._link.attempt("read_stdout")
        if isinstance(text, str):
            for line in self._text.lines(text):
                if line.strip() and not line.startswith(("MPY: soft reboot", ">>>", "MicroPython v", 'Type "help()"')):
                    self._lines(line.rstrip("\r"))

    def _read_frame(self) -> bool:
        """Read a frame if there is one. True if enough frames have arrived."""
        frame = self._link.attempt("read_frame")
        if isinstance(frame, dict):
            self._frames.take(frame)
        return self._enough is not None and self._frames.count >= self._enough

    def stop(self) -> str:
        """Stop the script on the camera after Ctrl-C. Returns a sentence that says whether this worked."""
        try:
            with contextlib.suppress(KeyboardInterrupt):
                status = self._link.ask("read_status")
                self._read_lines(status)
            self._link.ask("stop")
        except GoneError as error:
            return f"Stopped on this PC, but {error}."
        return "Stopped, also on the camera."

    def end(self) -> None:
        """Pass on the last lines if they have no line end."""
        self.printed.end()
        if (rest := self._text.rest()).strip():
            self._lines(rest)

    def summary(self) -> str:
        """Sentences, each after a space, with the numbers of frames and lines received."""
        parts = []
        if self._frames.count:
            parts.append(f"{self._frames.count} frames")
        if self._lines.kept:
            parts.append(f"{self._lines.kept} lines of JSON")
        if self._frames.unknown:
            parts.append(f"{self._frames.unknown} frames in a format that cannot be shown (Bayer, YUV)")
        if self._frames.impossible:
            parts.append(f"{self._frames.impossible} frames with a side of 0 or more than {Frames.LARGEST} pixels, left out")
        text = f" {', '.join(parts)}." if parts else ""
        if CHANNEL not in self._channels and self._lines.count:
            text += " This camera has no module `protocol`: lines that were printed faster than they were read are missing."
        return text
