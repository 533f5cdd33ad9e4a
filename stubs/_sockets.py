"""CPython's sockets with MicroPython's additions: read(), readline(), write(), and sending of str and images.

Only the command `n6post host` installs and removes them.
"""

import socket
import sys
from typing import Any

import _clock
import _host

_original = socket.socket


class Socket(_original):
    """A MicroPython socket, which is a stream as well. A server is for this PC only: not for everybody in its network."""

    def bind(self, address: Any) -> None:
        if (self.family, self.type) == (socket.AF_INET, socket.SOCK_STREAM) and address[0] in ("", "0.0.0.0"):
            address = ("127.0.0.1", *address[1:])
        super().bind(address)

    def listen(self, *arguments: int) -> None:
        super().listen(*arguments)
        if self.family == socket.AF_INET:
            port = self.getsockname()[1]
            video = isinstance(_clock.clock, _clock.VideoClock)
            hint = " (the script's time is the video's; add --clock pc for real time)" if video else ""
            where = self.getsockname()[0].replace("127.0.0.1", "localhost")
            print(f"The script waits for a connection: http://{where}:{port}{hint}", file=sys.stderr, flush=True)

    def send(self, data: Any, *flags: int) -> int:
        return super().send(_host.to_bytes(data), *flags)

    def sendall(self, data: Any, *flags: int) -> None:
        super().sendall(_host.to_bytes(data), *flags)

    def sendto(self, data: Any, *target: Any) -> int:
        return super().sendto(_host.to_bytes(data), *target)

    def write(self, data: Any) -> int:
        sent = _host.to_bytes(data)
        super().sendall(sent)
        return len(sent)

    def read(self, size: int = -1) -> bytes:
        """This many bytes, or all until the other side closes the connection."""
        data = b""
        while len(data) != size:
            part = self.recv(4096 if size < 0 else size - len(data))
            if not part:
                break
            data += part
        return data

    def readline(self) -> bytes:
        line = b""
        while not line.endswith(b"\n"):
            part = self.recv(1)
            if not part:
                break
            line += part
        return line

    def readinto(self, buf: Any, nbytes: int = 0) -> int:
        return self.recv_into(buf, nbytes)


def install() -> None:
    socket.socket = Socket  # type: ignore[misc]


def remove() -> None:
    socket.socket = _original  # type: ignore[misc]
