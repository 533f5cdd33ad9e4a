"""The firmware's `mqtt`: prints each message, and returns it to the script if it has subscribed to the topic.

There is a broker inside of this process: what the script publishes comes back at the next check_msg() or wait_msg(). Nothing
is sent. `n6post host` makes this module importable.
"""

from __future__ import annotations

import errno
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import _host

# The messages of the script so far: (topic, message, retain, qos).
_host_published: list[tuple[bytes, bytes, bool, int]] = []

if not TYPE_CHECKING:
    __getattr__ = _host.missing("mqtt")


class MQTTException(Exception):
    """A refusal by the broker. The broker inside of this process refuses nothing."""


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
        self._timeout = 5.0
        self._topics: list[bytes] = []
        self._waiting: list[tuple[bytes, bytes]] = []

    def set_callback(self, f: Callable[[bytes, bytes], object]) -> None:
        """Call f(topic, message), both bytes, for each message of a subscription."""
        self.cb = f

    def set_last_will(self, topic: Any, msg: Any, retain: bool = False, qos: int = 0) -> None:
        """The message that the broker publishes when this client is gone, which never happens here."""
        if not 0 <= qos <= 2 or not topic:
            raise AssertionError
        _bytes("topic", topic), _bytes("msg", msg)

    def connect(self, clean_session: bool = True, timeout: float = 5.0) -> int:
        self._timeout = timeout
        self.sock = self
        print(f"mqtt {self.server}:{self.port}: {self.client_id} is connected", flush=True)
        return 0

    def _connected(self) -> None:
        if self.sock is None:
            raise AttributeError("'NoneType' object has no attribute 'write': call connect() first")

    def disconnect(self) -> None:
        self._connected()
        self.sock = None

    def ping(self) -> None:
        self._connected()

    def publish(self, topic: Any, msg: Any, retain: bool = False, qos: int = 0) -> None:
        self._connected()
        if qos not in (0, 1):
            raise AssertionError("the camera's publish() takes qos 0 and 1")
        name, message = _bytes("topic", topic), _bytes("msg", msg)
        _host_published.append((name, message, bool(retain), qos))
        _host.show(f"mqtt {name.decode()}", message)
        if any(_matches(pattern, name) for pattern in self._topics):
            self._waiting.append((name, message))

    def subscribe(self, topic: Any, qos: int = 0) -> None:
        self._connected()
        if self.cb is None:
            raise AssertionError("Subscribe callback is not set")
        self._topics.append(_bytes("topic", topic))

    def wait_msg(self) -> None:
        """Wait for a message and pass it to the callback. OSError if none comes within the timeout of connect()."""
        self._connected()
        if not self._waiting:
            _host.sleep(self._timeout)
            raise OSError(errno.ETIMEDOUT, "no message came, since only this script publishes here")
        if self.cb is not None:
            self.cb(*self._waiting.pop(0))

    def check_msg(self) -> None:
        """Pass a message to the callback if one is there."""
        self._connected()
        if self._waiting:
            self.wait_msg()
