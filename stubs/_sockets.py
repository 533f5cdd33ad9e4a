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
        own = {socket.AF_INET: "127.0.0.1", socket.AF_INET6: "::1"}.get(self.family)
        if own and self.type == socket.SOCK_STREAM:
            # "", "0" and "0x0" are all addresses of this PC, too.
            found = socket.getaddrinfo(address[0] or None, 0, self.family, flags=socket.AI_PASSIVE)[0][4][0]
            if found in ("0.0.0.0", "::"):
                address = (own, *address[1:])
        super().bind(address)

    def listen(self, *arguments: int) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not self.getsockname()[1]:
            self.bind(("", 0))  # a socket without an address would get all of them
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
