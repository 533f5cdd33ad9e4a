"""The firmware's `mqtt`: prints each message, and talks to the broker only after `n6post host --network`.

Without the network there is a broker inside of this process: what the script publishes comes back to it if it has subscribed
to the topic, at the next check_msg() or wait_msg(). With the network the client speaks MQTT 3.1.1 (OASIS standard), as the
camera's does. `n6post host` makes this module importable.
"""

from __future__ import annotations

import errno
import select
import socket
import ssl
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import _host

# Whether messages are sent.
_host_network = False

# The messages of the script so far: (topic, message, retain, qos).
_host_published: list[tuple[bytes, bytes, bool, int]] = []

if not TYPE_CHECKING:
    __getattr__ = _host.missing("mqtt")


class MQTTException(Exception):
    """A refusal by the broker, with its number. The broker inside of this process refuses nothing."""


def _bytes(what: str, value: Any) -> bytes:
    if isinstance(value, str) and not value.isascii():
        raise ValueError(f"mqtt: the camera counts characters, not bytes, of a str: write {what}.encode()")
    if not isinstance(value, (str, bytes, bytearray, memoryview)):
        raise TypeError(f"object of type '{type(value).__name__}' has no len()")
    return _host.to_bytes(value)


def _matches(pattern: bytes, topic: bytes) -> bool:
    """Whether a subscription covers a topic: + stands for one level, # for all that follow."""
    levels, given = pattern.split(b"/"), topic.split(b"/")
    for i, level in enumerate(levels):
        if level == b"#":
            return True
        if i >= len(given) or level not in (b"+", given[i]):
            return False
    return len(levels) == len(given)


class MQTTClient(_host.StandIn):
    """A client of a broker."""

    def __init__(
        self, client_id: Any, server: str, port: int, ssl_params: Any = None, user: Any = None, password: Any = None,
        keepalive: int = 0, callback: Callable[[bytes, bytes], object] | None = None,
    ) -> None:
        self.client_id, self.server, self.port, self.ssl_params = client_id, server, port, ssl_params
        self.user, self.pswd, self.keepalive, self.cb = user, password, keepalive, callback
        self.sock: Any = None
        self.pid = 0
        self._will: tuple[bytes, bytes, bool, int] | None = None
        self._timeout = 5.0
        self._topics: list[bytes] = []
        self._waiting: list[tuple[bytes, bytes]] = []

    def set_callback(self, f: Callable[[bytes, bytes], object]) -> None:
        """Call f(topic, message), both bytes, for each message of a subscription."""
        self.cb = f

    def set_last_will(self, topic: Any, msg: Any, retain: bool = False, qos: int = 0) -> None:
        """The message that the broker publishes when this client is gone."""
        if not 0 <= qos <= 2 or not topic:
            raise AssertionError
        self._will = _bytes("topic", topic), _bytes("msg", msg), retain, qos

    def connect(self, clean_session: bool = True, timeout: float = 5.0) -> int:
        self._timeout = timeout
        self.sock = _Wire(self, clean_session, timeout) if _host_network else self
        print(f"mqtt {self.server}:{self.port}: {self.client_id} is connected", flush=True)
        return self.sock.session if _host_network else 0

    def _connected(self) -> None:
        if self.sock is None:
            raise AttributeError("'NoneType' object has no attribute 'write': call connect() first")

    def disconnect(self) -> None:
        self._connected()
        if _host_network:
            self.sock.close()
        self.sock = None

    def ping(self) -> None:
        self._connected()
        if _host_network:
            self.sock.send(0xC0, b"")

    def publish(self, topic: Any, msg: Any, retain: bool = False, qos: int = 0) -> None:
        self._connected()
        if qos not in (0, 1):
            raise AssertionError("the camera's publish() takes qos 0 and 1")
        name, message = _bytes("topic", topic), _bytes("msg", msg)
        _host_published.append((name, message, bool(retain), qos))
        _host.show(f"mqtt {name.decode()}", message)
        if _host_network:
            self.sock.publish(name, message, retain, qos)
        elif any(_matches(pattern, name) for pattern in self._topics):
            self._waiting.append((name, message))

    def subscribe(self, topic: Any, qos: int = 0) -> None:
        self._connected()
        if self.cb is None:
            raise AssertionError("Subscribe callback is not set")
        self._topics.append(_bytes("topic", topic))
        if _host_network:
            self.sock.subscribe(self._topics[-1], qos)

    def wait_msg(self) -> None:
        """Wait for a message and pass it to the callback. OSError if none comes within the timeout of connect()."""
        self._connected()
        if _host_network:
            self.sock.receive()
            return
        if not self._waiting:
            _host.sleep(self._timeout)
            raise OSError(errno.ETIMEDOUT, "no message came, since only this script publishes here")
        if self.cb is not None:
            self.cb(*self._waiting.pop(0))

    def check_msg(self) -> None:
        """Pass a message to the callback if one is there."""
        self._connected()
        if self.sock.is_ready() if _host_network else self._waiting:
            self.wait_msg()


def _text(data: bytes) -> bytes:
    return len(data).to_bytes(2, "big") + data


class _Wire:
    """The connection of a client to a real broker."""

    def __init__(self, client: MQTTClient, clean_session: bool, timeout: float) -> None:
        self._client, self._pid = client, 0
        raw: Any = socket.socket()
        raw.settimeout(timeout)
        raw.connect((client.server, client.port))
        if client.ssl_params is not None:
            raw = ssl.create_default_context().wrap_socket(raw, server_hostname=client.server)
        self._socket = raw
        flags = clean_session << 1
        payload = _text(_bytes("client_id", client.client_id))
        if client._will is not None:
            topic, message, retain, qos = client._will
            flags |= 0x04 | qos << 3 | bool(retain) << 5
            payload += _text(topic) + _text(message)
        if client.user is not None:
            flags |= 0xC0
            payload += _text(_bytes("user", client.user)) + _text(_bytes("password", client.pswd))
        self.send(0x10, _text(b"MQTT") + bytes((4, flags)) + client.keepalive.to_bytes(2, "big") + payload)
        kind, answer = self._packet()
        if kind != 0x20 or len(answer) != 2:
            raise AssertionError("the answer is not that of a broker")
        if answer[1]:
            raise MQTTException(answer[1])
        self.session = answer[0] & 1

    def send(self, kind: int, body: bytes) -> None:
        size, length = b"", len(body)
        while length > 127:
            size += bytes((length & 127 | 128,))
            length >>= 7
        self._socket.sendall(bytes((kind,)) + size + bytes((length,)) + body)

    def _read(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            part = self._socket.recv(count - len(data))
            if not part:
                raise OSError(errno.ECONNRESET, "the broker has closed the connection")
            data += part
        return data

    def _packet(self) -> tuple[int, bytes]:
        kind = self._read(1)[0]
        length = shift = 0
        while True:
            byte = self._read(1)[0]
            length |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return kind, self._read(length)

    def is_ready(self) -> bool:
        pending = getattr(self._socket, "pending", lambda: 0)()
        return bool(pending or select.select([self._socket], [], [], 0.05)[0])

    def receive(self) -> int:
        """Handle the next packet, and return its kind."""
        kind, body = self._packet()
        if kind & 0xF0 == 0x30:
            end = 2 + int.from_bytes(body[:2], "big")
            qos = kind >> 1 & 3
            if self._client.cb is not None:
                self._client.cb(body[2:end], body[end + (2 if qos else 0) :])
            if qos == 1:
                self.send(0x40, body[end : end + 2])
        elif kind == 0x90 and body[2] == 0x80:
            raise MQTTException(body[2])
        return kind

    def publish(self, topic: bytes, message: bytes, retain: bool, qos: int) -> None:
        self.send(0x30 | qos << 1 | bool(retain), _text(topic) + (self._next() if qos else b"") + message)
        while qos and self.receive() != 0x40:
            pass

    def subscribe(self, topic: bytes, qos: int) -> None:
        self.send(0x82, self._next() + _text(topic) + bytes((qos,)))
        while self.receive() != 0x90:
            pass

    def _next(self) -> bytes:
        self._pid = self._pid % 65535 + 1
        return self._pid.to_bytes(2, "big")

    def close(self) -> None:
        self.send(0xE0, b"")
        self._socket.close()
