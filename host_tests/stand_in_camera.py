"""A stand-in for a camera: OpenMV's protocol v2 on a pseudo-terminal, as specified in docs/protocol.md of openmv/openmv.

`python3 stand_in_camera.py PLAN` prints the name of the port, serves until it or its parent ends, and runs scripts in
CPython. It follows the specification and, for unspecified behavior, firmware 5.0; it does not follow any client.

As in the firmware, packets are processed one at a time. A response is resent after .5, 1 and 2 seconds until it is
acknowledged, and is then dropped. A script's output goes to a buffer of 1,023 bytes; output that does not fit replaces
the old contents. Reading the output removes it. The end of a script unregisters its channels.

PLAN is JSON; every key is optional:
  seed            seed of the random numbers below
  drop, flip, truncate, delay, twice
                  probability for each packet, in either direction: lost, with flipped bits, truncated,
                  delayed (20 to 900 ms, so that later packets overtake it), duplicated
  from            number of the first packet with faults (0)
  pull            number of packets after which the cable is unplugged
  mute            number of packets after which there are no more responses
  channels        false: a firmware without the module `protocol`
  old             true: a firmware without this protocol, which never responds
"""

import builtins
import ctypes
import io
import json
import os
import pty
import random
import select
import struct
import sys
import termios
import threading
import time
import traceback
import tty
import types
from collections.abc import Callable
from typing import Any

ACK, NAK, RTX, ACK_REQ, FRAGMENT, EVENT = 1, 2, 4, 8, 16, 32
OK, FAILED, INVALID, BUSY, CHECKSUM, SEQUENCE, OVERFLOW = 0, 1, 2, 4, 5, 6, 7
SYNC, GET_CAPS, SET_CAPS, STATS, VERSION = range(5)
RESET, BOOT, SYS_INFO, SYS_EVENT, SYS_MEMORY = range(0x10, 0x15)
LIST, POLL, LOCK, UNLOCK, SHAPE, SIZE, READ, WRITE, IOCTL, CHANNEL_EVENT = range(0x20, 0x2A)
MAX_PAYLOAD, MIN_PAYLOAD = 4082, 50
STDIN, STDOUT, STREAM = 1, 2, 3
RETRIES, FIRST_WAIT = 3, 0.5
JPEG = 0x06060000
IOCTLS = {(STDIN, 1): 0, (STDIN, 2): 0, (STDIN, 3): 0, (STREAM, 0): 4, (STREAM, 1): 4, (STREAM, 2): 8, (STREAM, 3): 4}


def crc(data: bytes, bits: int, polynomial: int) -> int:
    """Section 6.1: most significant bit first, all ones as the initial value."""
    value, top, mask = (1 << bits) - 1, 1 << (bits - 1), (1 << bits) - 1
    for byte in data:
        value ^= byte << (bits - 8)
        for _ in range(8):
            value = (value << 1 ^ (polynomial if value & top else 0)) & mask
    return value


_TABLES = {
    (bits, polynomial): [crc(bytes([i]), bits, polynomial) ^ crc(b"\0", bits, polynomial) for i in range(256)]
    for bits, polynomial in ((16, 0xF94F), (32, 0xFA567D89))
}


def quick_crc(data: bytes, bits: int, polynomial: int) -> int:
    """The same checksum, computed with a table."""
    table, value, mask = _TABLES[bits, polynomial], (1 << bits) - 1, (1 << bits) - 1
    for byte in data:
        value = (value << 8 & mask) ^ table[value >> (bits - 8) ^ byte]
    return value


def crc16(data: bytes) -> int:
    return quick_crc(data, 16, 0xF94F)


def crc32(data: bytes) -> int:
    return quick_crc(data, 32, 0xFA567D89)


def packet(sequence: int, channel: int, flags: int, opcode: int, data: bytes) -> bytes:
    header = struct.pack("<HBBBBH", 0xD5AA, sequence, channel, flags, opcode, len(data))
    return header + struct.pack("<H", crc16(header)) + (data + struct.pack("<I", crc32(data)) if data else b"")


class Gone(BaseException):
    """The cable was pulled."""


class Cable:
    """The cable: it transfers packets and adds the faults of the plan."""

    def __init__(self, master: int, plan: dict[str, Any]) -> None:
        self.master, self.plan = master, plan
        self.chance = random.Random(plan.get("seed", 0))
        self.packets = 0
        self.faults: dict[str, int] = {}
        self.late: list[tuple[float, Callable[[bytes], None], bytes]] = []
        self.partial = b""
        self.arrived = bytearray()

    def fault(self, data: bytes, there: Callable[[bytes], None]) -> None:
        """Pass a packet on to `there`, with the faults of the plan."""
        self.packets += 1
        if self.packets == self.plan.get("pull"):
            raise Gone
        if self.packets >= self.plan.get("mute", 1 << 60):
            return
        if self.packets >= self.plan.get("from", 0):
            for name in ("drop", "flip", "truncate", "delay", "twice"):
                if self.chance.random() < self.plan.get(name, 0):
                    self.faults[name] = self.faults.get(name, 0) + 1
                    if name == "drop":
                        return
                    if name == "flip":
                        flipped = bytearray(data)
                        for _ in range(self.chance.randint(1, 5)):
                            flipped[self.chance.randrange(len(data))] ^= 1 << self.chance.randrange(8)
                        data = bytes(flipped)
                    if name == "truncate":
                        data = data[: self.chance.randrange(len(data))]
                    if name == "delay":
                        self.late.append((time.monotonic() + self.chance.uniform(0.02, 0.9), there, data))
                        return
                    if name == "twice":
                        there(data)
        there(data)

    def send(self, data: bytes) -> None:
        self.fault(data, self._write)

    def _write(self, data: bytes) -> None:
        while data:
            # The PC does not read. The firmware gives up too.
            if not select.select([], [self.master], [], 1.5)[1]:
                return
            data = data[os.write(self.master, data) :]

    def receive(self, seconds: float) -> None:
        """Read from the cable and append to `arrived`, packet by packet."""
        now = time.monotonic()
        for late in [late for late in self.late if late[0] <= now]:
            self.late.remove(late)
            late[1](late[2])
        if not select.select([self.master], [], [], seconds)[0]:
            return
        try:
            self.partial += os.read(self.master, 65536)
        except OSError:  # no program has opened the port
            time.sleep(0.01)
            return
        while len(self.partial) >= 10:
            if self.partial[:2] != b"\xaa\xd5":
                self.arrived += self.partial[:1]
                self.partial = self.partial[1:]
                continue
            length = struct.unpack_from("<H", self.partial, 6)[0]
            whole = 10 + (length + 4 if length else 0)
            if len(self.partial) < whole:
                return
            self.fault(self.partial[:whole], self.arrived.extend)
            self.partial = self.partial[whole:]


class Channel:
    """Default methods of a channel."""

    def __init__(self, name: str, flags: int, backend: Any = None) -> None:
        self.name, self.flags, self.backend = name, flags, backend

    def call(self, what: str, *arguments: Any) -> Any:
        """Call a backend's method. None if it is missing or raises: the firmware ignores such errors too."""
        method = getattr(self.backend, what, None)
        try:
            return None if method is None else method(*arguments)
        except Exception:
            traceback.print_exc()
            return None


class Script:
    """A run of a script in a thread."""

    def __init__(self, camera: "Camera", source: str) -> None:
        self.camera = camera
        self.thread = threading.Thread(target=self.run, args=(source,), daemon=True)
        self.running = True
        self.thread.start()

    def run(self, source: str) -> None:
        plain = builtins.print
        builtins.print = self.camera.print  # type: ignore[assignment]
        try:
            exec(compile(source, "<stdin>", "exec"), {"__name__": "__main__"})
        except SystemExit:
            pass
        except Aborted:
            pass
        except BaseException:
            self.camera.put(traceback.format_exc().encode())
        finally:
            builtins.print = plain
            self.camera.ended()
            self.running = False

    def abort(self) -> None:
        """Like vm_abort: a camera does not run the script's own `except` and `finally` either."""
        ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread.ident or 0), ctypes.py_object(Aborted))


class Aborted(BaseException):
    pass


class Camera:
    def __init__(self, plan: dict[str, Any]) -> None:
        self.plan = plan
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        self.cable = Cable(self.master, plan)
        self.script: Script | None = None
        self.next_script: str | None = None
        self.text = bytearray()  # stdin's buffer
        self.out = bytearray()  # stdout's
        self.lock = threading.Lock()
        self.frame = b""
        self.frame_locked = False
        self.streaming = False
        self.frames = 0
        self.channels: dict[int, Channel] = {
            0: Channel("usb", 64), STDIN: Channel("stdin", 6), STDOUT: Channel("stdout", 1), STREAM: Channel("stream", 25),
        }  # fmt: skip
        self.forget()

    def forget(self) -> None:
        """Reset the session: after a SYNC or a response without an acknowledgment."""
        self.sequence = 0
        self.checks, self.sequences, self.acks, self.events = True, True, True, True
        self.max_payload = MAX_PAYLOAD
        self.cable.arrived.clear()
        self.frame_locked = False

    # ---- objects for the script ----

    def print(self, *values: Any, sep: str = " ", end: str = "\n", file: Any = None, flush: bool = False) -> None:
        if file is not None:
            file.write(sep.join(map(str, values)) + end)
            return
        for piece in (sep.join(map(str, values)), end):
            self.put(piece.replace("\n", "\r\n").encode())

    def put(self, data: bytes) -> None:
        with self.lock:
            if len(data) > 1023 - len(self.out):
                self.out[:] = data[-1023:]
            else:
                self.out += data

    def register(self, name: str, flags: int = 0, backend: Any = None) -> Any:
        number = next(n for n in range(1, 32) if n not in self.channels)
        has = lambda *names: all(getattr(backend, name, None) for name in names)  # noqa: E731
        flags |= 32 | (1 if has("read") else 0) | (2 if has("write") else 0)
        self.channels[number] = Channel(name[:13], flags, backend)
        self.event(0, 0)
        return None

    def snapshot(self) -> None:
        """Write a new frame to the stream's buffer: a gray picture whose shade is the frame's number."""
        self.frames += 1
        with self.lock:
            if not self.streaming or self.frame_locked:
                return
            from PIL import Image

            jpeg = io.BytesIO()
            Image.new("RGB", (64, 48), (self.frames % 256,) * 3).save(jpeg, "JPEG")
            data = jpeg.getvalue()
            self.frame = struct.pack("<IIIIIf8x", 64, 48, JPEG, len(data), 32, 25.0) + data
        self.event(STREAM, 0xFFFF)

    def modules(self) -> None:
        time.sleep_ms = lambda ms: time.sleep(ms / 1000)  # type: ignore[attr-defined]
        time.ticks_us = lambda: time.monotonic_ns() // 1000 & 0x3FFFFFFF  # type: ignore[attr-defined]
        sys.print_exception = lambda error, file: traceback.print_exception(error, file=file)  # type: ignore[attr-defined]
        if self.plan.get("channels", True):
            protocol = types.ModuleType("protocol")
            protocol.register = self.register  # type: ignore[attr-defined]
            protocol.is_active = lambda: True  # type: ignore[attr-defined]
            sys.modules["protocol"] = protocol
        else:
            sys.modules["protocol"] = None  # type: ignore[assignment]
        camera = types.ModuleType("csi")
        camera.snapshot = self.snapshot  # type: ignore[attr-defined]
        ignored = lambda *arguments: None  # noqa: E731
        sensor = types.SimpleNamespace(reset=ignored, pixformat=ignored, framesize=ignored, snapshot=self.snapshot)
        camera.CSI, camera.RGB565, camera.VGA = lambda: sensor, 0, 0  # type: ignore[attr-defined]
        sys.modules["csi"] = camera

    def ended(self) -> None:
        """Reset the interpreter."""
        for number in [number for number, channel in self.channels.items() if channel.flags & 32]:
            del self.channels[number]
        self.put(b"MPY: soft reboot\r\n")
        self.event(STDIN, 0)
        self.event(0, 2)

    # ---- packets ----

    def event(self, channel: int, event: int) -> None:
        """Send an event. Events may be sent at any time and are not acknowledged."""
        if self.events and not self.plan.get("old"):
            data = b"" if event == 0xFFFF else struct.pack("<H", event)
            opcode = SYS_EVENT if channel == 0 else CHANNEL_EVENT
            self.waiting_events.append(packet(self.sequence, channel, EVENT, opcode, data))

    waiting_events: list[bytes] = []

    def status(self, opcode: int, channel: int, status: int) -> None:
        if status == OK:
            self.answer(opcode, channel, b"", ACK)
        else:
            self.answer(opcode, channel, struct.pack("<H", status), NAK)

    def answer(self, opcode: int, channel: int, data: bytes, flags: int = 0) -> bool:
        """Send a response, in fragments if it is long. False if a fragment is never acknowledged."""
        if self.acks and not flags & (ACK | NAK):
            flags |= ACK_REQ
        while True:
            part, data = data[: self.max_payload], data[self.max_payload :]
            more = flags | (FRAGMENT if data else 0)
            if not self.deliver(packet(self.sequence, channel, more, opcode, part), opcode, channel, part, more):
                return False
            self.sequence = self.sequence + 1 & 0xFF
            if not data:
                return True

    def deliver(self, first: bytes, opcode: int, channel: int, part: bytes, flags: int) -> bool:
        if not flags & ACK_REQ:
            self.cable.send(first)
            return True
        wait, sequence = FIRST_WAIT, self.sequence
        for attempt in range(RETRIES + 1):
            self.cable.send(packet(sequence, channel, flags | (RTX if attempt else 0), opcode, part))
            until = time.monotonic() + wait
            while time.monotonic() < until:
                self.cable.receive(0.001)
                found = self.acknowledged(opcode, sequence)
                if found is None:
                    return False  # a SYNC arrived instead
                if found:
                    return True
            wait *= 2
        self.forget()
        return False

    def acknowledged(self, opcode: int, sequence: int) -> bool | None:
        """Search the received packets for the acknowledgment. The other packets stay for later."""
        arrived = self.cable.arrived
        for at in range(len(arrived) - 9):
            header = self.header(arrived, at)
            if header is None:
                continue
            number, channel, flags, code, length = header
            if code == SYNC and channel == 0 and length == 0 and not flags & (ACK | NAK):
                self.synchronize()
                return None
            if flags & ACK and code == opcode and number == sequence:
                del arrived[at : at + 10]
                return True
        return False

    def header(self, data: bytearray, at: int) -> tuple[int, int, int, int, int] | None:
        if data[at : at + 2] != b"\xaa\xd5" or len(data) < at + 10:
            return None
        _, number, channel, flags, code, length, check = struct.unpack_from("<HBBBBHH", data, at)
        if self.checks and check != crc16(bytes(data[at : at + 8])):
            return None
        return number, channel, flags, code, length

    def synchronize(self) -> None:
        self.forget()
        self.status(SYNC, 0, OK)
        self.sequence = 0

    def packet(self) -> bool:
        """Process the next complete packet, if there is one."""
        arrived = self.cable.arrived
        while len(arrived) >= 10:
            header = self.header(arrived, 0)
            if header is None:
                del arrived[0]
                continue
            number, channel, flags, code, length = header
            if length > self.max_payload:
                del arrived[0]
                self.status(code, channel, OVERFLOW)
                continue
            if self.sequences and number != self.sequence and not flags & (ACK | NAK) and code != SYNC:
                del arrived[0]
                self.status(code, channel, SEQUENCE)
                continue
            whole = 10 + (length + 4 if length else 0)
            if len(arrived) < whole:
                # A truncated packet must not block the packets after it.
                for at in range(1, len(arrived) - 9):
                    inner = self.header(arrived, at)
                    if inner is not None and inner[3] == SYNC and inner[1] == 0 and inner[4] == 0:
                        self.synchronize()
                        return True
                return False
            data = bytes(arrived[10 : 10 + length])
            check = bytes(arrived[10 + length : whole])
            del arrived[:whole]
            if length and self.checks and struct.pack("<I", crc32(data)) != check:
                self.status(code, channel, CHECKSUM)
            elif channel and code <= SYS_MEMORY:
                self.status(code, channel, INVALID)
            elif not flags & (ACK | NAK):
                self.work(code, channel, data)
            return True
        return False

    # ---- commands ----

    def work(self, code: int, number: int, data: bytes) -> None:
        channel = self.channels.get(number)
        if code == SYNC:
            self.synchronize()
        elif code == GET_CAPS:
            flags = self.checks | self.sequences << 1 | self.acks << 2 | self.events << 3
            self.answer(code, number, struct.pack("<IH10x", flags, self.max_payload))
        elif code == SET_CAPS:
            flags, most = struct.unpack_from("<IH", data) if len(data) == 16 else (0, 0)
            if not MIN_PAYLOAD <= most <= MAX_PAYLOAD:
                self.status(code, number, INVALID)
                return
            self.status(code, number, OK)
            self.checks, self.sequences, self.acks, self.events = (bool(flags & bit) for bit in (1, 2, 4, 8))
            self.max_payload = most
        elif code == STATS:
            self.answer(code, number, bytes(32))
        elif code == VERSION:
            self.answer(code, number, bytes((1, 0, 2, 0, 0, 0, 5, 0, 0)) + bytes(7))
        elif code == SYS_INFO:
            self.answer(code, number, struct.pack("<I12xI12x8xII4I12x", 0x411FD220, 0x37C51206, 0x3F, 0, 0, 0, 4096, 512))
        elif code == LIST:
            listed = sorted(self.channels.items())
            self.answer(code, number, b"".join(struct.pack("<BB14s", n, c.flags, c.name.encode()) for n, c in listed))
        elif code == POLL:
            self.answer(code, number, struct.pack("<I", sum(1 << n for n in list(self.channels) if self.ready(n))))
        elif code in (RESET, BOOT):
            raise Gone
        elif channel is None:
            self.status(code, number, INVALID)
        elif code in (LOCK, UNLOCK):
            self.status(code, number, OK if number == STREAM and self.lock_frame(code == LOCK) else BUSY)
        elif code == SIZE:
            if number == STDIN:
                self.status(code, number, INVALID)
            else:
                self.answer(code, number, struct.pack("<I", self.size(number)))
        elif code == READ:
            self.read(number, *struct.unpack_from("<II", data))
        elif code == WRITE:
            offset, length = struct.unpack_from("<II", data)
            self.status(code, number, self.write(number, offset, data[8 : 8 + length]))
        elif code == IOCTL:
            request = struct.unpack_from("<I", data)[0]
            if IOCTLS.get((number, request)) != len(data) - 4:
                self.status(code, number, INVALID)
            else:
                self.status(code, number, self.ioctl(number, request, data[4:]))
        else:
            self.status(code, number, INVALID)

    def ready(self, number: int) -> bool:
        if number == STDIN:
            return self.script is not None and self.script.running
        if number == STDOUT:
            return bool(self.out)
        if number == STREAM:
            return bool(self.frame)
        channel = self.channels.get(number)
        return bool(channel is not None and channel.call("poll"))

    def size(self, number: int) -> int:
        if number == STDOUT:
            return len(self.out)
        if number == STREAM:
            return len(self.frame)
        channel = self.channels.get(number)
        return (channel and channel.call("size")) or 0

    def lock_frame(self, locked: bool) -> bool:
        with self.lock:
            if locked and not self.frame:
                return False
            if not locked:
                self.frame = b""
            self.frame_locked = locked
        return True

    def read(self, number: int, offset: int, length: int) -> None:
        """Read a channel: the stream from memory, others through the script's methods, 512 bytes at a time."""
        if number == STREAM:
            if not length or offset + length > len(self.frame):
                self.status(READ, number, FAILED)
            else:
                self.answer(READ, number, self.frame[offset : offset + length])
            return
        if not length or number == STDIN:
            self.status(READ, number, INVALID)
            return
        channel = self.channels[number]
        while length > 0:
            some = min(length, 512)
            if number == STDOUT:
                with self.lock:
                    part = bytes(self.out[:some])
                    del self.out[:some]
            else:
                part = (channel.call("read", offset, some) or b"")[:some]
            if not part:
                self.status(READ, number, FAILED)
                return
            length, offset = length - len(part), offset + len(part)
            self.answer(READ, number, part, FRAGMENT if length else 0)

    def write(self, number: int, offset: int, data: bytes) -> int:
        if number == STDIN:
            if offset == 0:
                self.text.clear()
            self.text += data
            return OK if data else INVALID
        taken = self.channels[number].call("write", offset, bytearray(data))
        return OK if taken else FAILED

    def ioctl(self, number: int, request: int, data: bytes) -> int:
        if number == STREAM:
            if request == 0:
                self.streaming, self.frame = bool(struct.unpack("<I", data)[0]), b""
            return OK
        if request == 3:
            self.text.clear()
            return OK
        if request == 2:
            if not self.text:
                return FAILED
            self.next_script = self.text.decode()
        if self.script is not None and self.script.running:
            self.script.abort()
        return OK

    # ---- the loop ----

    def serve(self) -> None:
        parent = os.getppid()
        while os.getppid() == parent:
            self.cable.receive(0.002)
            if self.plan.get("old"):
                self.cable.arrived.clear()
                continue
            events, self.waiting_events[:] = self.waiting_events[:], []
            for event in events:
                self.cable.send(event)
            while self.packet():
                pass
            if self.next_script is not None and not (self.script is not None and self.script.running):
                source, self.next_script = self.next_script, None
                self.script = Script(self, source)
                self.event(STDIN, 1)


def main() -> None:
    plan = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}
    camera = Camera(plan)
    camera.modules()
    # By default a pseudo-terminal echoes its input and waits for complete lines.
    settings = termios.tcgetattr(camera.slave)
    settings[3] &= ~(termios.ECHO | termios.ICANON)
    termios.tcsetattr(camera.slave, termios.TCSANOW, settings)
    sys.stdout.write(os.ttyname(camera.slave) + "\n")
    sys.stdout.flush()
    try:
        camera.serve()
    except Gone:
        pass
    finally:
        sys.stderr.write(json.dumps(camera.cable.faults) + "\n")
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
