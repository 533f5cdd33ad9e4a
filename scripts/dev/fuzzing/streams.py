"""`MjpegServer` on a network of this file: clients that stall, fail, leave, and ask for anything, in a random order.

Checked: no error of the network reaches the script, and what a client has received is the beginning of a correct stream: the
header, then whole JPEGs of frames in their order.
"""

from __future__ import annotations

import errno
import re
from typing import Any

import _host
from n6post.streams import mjpeg_server

from .core import CONFIRMED, REFUSED, Dice, attempt, require

_host.install()  # time.ticks_ms

_LATER = (errno.EAGAIN, errno.ENOMEM, errno.ETIMEDOUT)
_BROKEN = (errno.ECONNRESET, errno.ENOTCONN, errno.EPIPE, errno.ECONNABORTED, errno.EIO)
_REQUESTS = (
    b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\n\r\n", b"GET /?1 HTTP/1.0\r\n\r\n", b"GET /a HTTP/1.1\r\n\r\n",
    b"POST / HTTP/1.1\r\n\r\n", b"\r\n\r\n", b"\xff" * 300, b"GET / HTTP/1.1\r\n", b"",
)  # fmt: skip
_STRANGE: tuple[Any, ...] = (None, 0, -1, 1.5, "8080", True, 65536, 1 << 40, [], float("nan"))


class _Client:
    """The server's side of a connection."""

    def __init__(self, dice: Dice, request: bytes) -> None:
        self.dice, self.request, self.got, self.open, self.left = dice, request, b"", True, False

    def setblocking(self, flag: bool) -> None:
        require(flag is False, "a socket that may wait")

    def setsockopt(self, *arguments: int) -> None:
        if self.dice.chance(0.2):
            raise OSError(errno.EOPNOTSUPP, "no such option")

    def recv(self, size: int) -> bytes:
        self._may_fail(0.02)
        if self.left and not self.request:
            return b""
        size = self.dice.whole(1, size)
        part, self.request = self.request[:size], self.request[size:]
        if not part:
            raise OSError(errno.EAGAIN, "nothing there")
        return part

    def send(self, data: Any) -> int:
        self._may_fail(0.2)
        part = bytes(data[: self.dice.whole(1, 400)])
        self.got += part
        return len(part)

    def _may_fail(self, part: float) -> None:
        require(self.open, "used after it was closed")
        if self.dice.chance(part):
            raise OSError(self.dice.pick(_LATER) if self.dice.chance(0.8) else self.dice.pick(_BROKEN), "failed")

    def close(self) -> None:
        self.open = False
        if self.dice.chance(0.1):
            raise OSError(errno.EIO, "failed")


class _Listener:
    def __init__(self) -> None:
        self.waiting: list[_Client] = []

    def accept(self) -> tuple[_Client, Any]:
        if not self.waiting:
            raise OSError(errno.EAGAIN, "nobody")
        return self.waiting.pop(0), ("10.0.0.1", 5)

    def close(self) -> None:
        self.waiting = []


class _Server(mjpeg_server.MjpegServer):  # type: ignore[misc]
    def _listen(self) -> None:
        self._poll = None
        self._listener = _Listener()
        self._open_port = self.port
        self._no_delay = 6, 1


class _Frame:
    """Its JPEG says its number."""

    def __init__(self, number: int, size: int) -> None:
        self.data = bytearray(b"<%d>" % number + b"x" * size)

    def to_jpeg(self, *, quality: int, copy: bool) -> _Frame:
        return self

    def bytearray(self) -> bytearray:
        return self.data


def streams(dice: Dice) -> str:
    if dice.chance(0.15):
        options = {name: dice.pick(_STRANGE) for name in ("port", "quality", "max_clients", "timeout") if dice.chance(0.4)}
        dice.tell(options=options)
        made, _ = attempt(_Server, **options)
        return REFUSED if made is None else CONFIRMED
    server = _Server(max_clients=dice.whole(1, 3))
    clients: list[_Client] = []
    for number in range(dice.whole(1, 40)):
        if dice.chance(0.2):
            clients.append(_Client(dice, dice.pick(_REQUESTS)))
            server._listener.waiting.append(clients[-1])
        if clients and dice.chance(0.1):
            dice.pick(clients).left = True
        if dice.chance(0.03):
            server.port = dice.whole(1, 65535)
        if dice.chance(0.02):
            server.close()
        call = server.poll if dice.chance(0.3) else server.send
        count, refused = attempt(call, *([] if call == server.poll else [_Frame(number, dice.pick((0, 50, 3000)))]))
        require(not refused, "refused a frame: %s", refused)
        require(count == server.clients and 0 <= count <= server.max_clients, "%r clients", count)
        require(len(server._connections) <= server.max_clients + 2, "%d connections", len(server._connections))
    server.close()
    for client in clients:
        _check(client.got)
    return CONFIRMED


def _check(got: bytes) -> None:
    """What a client has received begins like a correct answer."""
    head, complete, rest = got.partition(b"\r\n\r\n")
    if not complete or not head.startswith(b"HTTP/1.1 200 "):
        known = re.match(rb"HTTP/1.1 (200|404|405|503) |$", got)
        require(known or b"HTTP/1.1 200 ".startswith(got) or len(got) < 13, "answered %r", got[:60])
        return
    last = -1
    while len(rest) > 9:
        part = re.match(rb"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: (\d+)\r\n\r\n", rest)
        if part is None:
            require(b"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: ".startswith(rest[:53]) or len(rest) < 60,
                    "a part begins with %r", rest[:80])  # fmt: skip
            return
        size = int(part[1])
        data = rest[part.end() : part.end() + size]
        if len(data) < size:
            return
        number = int(data[1 : data.index(b">")])
        require(number > last and data.endswith(b"x" * (size - data.index(b">") - 1)), "frame %d after %d", number, last)
        last = number
        rest = rest[part.end() + size :]
        require(rest[:2] == b"\r\n"[: len(rest)], "a JPEG is followed by %r", rest[:9])
        rest = rest[2:]
