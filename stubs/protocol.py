"""The firmware's `protocol` module, new in 5.0: channels of one's own beside the frames and the text that go to the PC.

    labels = CBORChannel()
    labels.add("people", type="label")
    protocol.register(name="street", backend=labels)

Here a PC is attached that looks at every channel whenever the script takes a frame, as OpenMV IDE does, and what it reads
is printed. As on the camera it asks in this order: `poll()`, where that is true `size()`, then `read(offset, size)` for 512
bytes at a time. There an error in one of these is never seen, the channel just stays silent; here it ends the script.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, overload

import _cbor
import _host
import omv

if omv.version_major < 5:
    raise ModuleNotFoundError("no module named 'protocol': firmware 4.8.1 has none", name="protocol")

CHANNEL_FLAG_READ = 1
CHANNEL_FLAG_WRITE = 2
CHANNEL_FLAG_LOCK = 8
CHANNEL_FLAG_PHYSICAL = 64
CHANNEL_ID_TRANSPORT = 0
CHANNEL_ID_STDIN = 1
CHANNEL_ID_STDOUT = 2
CHANNEL_ID_STREAM = 3
CHANNEL_ID_PROFILE = 4

_LAST_ID = 31
_NAME_SIZE = 13  # bytes of a name that reach the PC
_READ_SIZE = 512
_DYNAMIC = 32

# ---- what only a PC has ----

# The channels that scripts have registered, by their numbers.
_host_channels: dict[int, ProtocolChannel] = {}

# Gets the name of a channel and what was read from it; None: it is printed.
_host_reader: Callable[[str, bytes], None] | None = None


def _host_forget() -> None:
    """As after a reset of the camera: no channel is registered."""
    _host_channels.clear()


def _look() -> None:
    if not _host.attached:
        return
    for channel in list(_host_channels.values()):
        data = channel._read()
        if data and _host_reader is not None:
            _host_reader(channel._name, data)
        elif data:
            channel._show(data)


_host.on_poll(_look)

# ---- the module ----


def init(
    crc: bool = True, seq: bool = True, ack: bool = True, events: bool = True, max_payload: int = 4082,
    rtx_retries: int = 3, rtx_timeout_ms: int = 500, lock_interval_ms: int = 10, poll_ms: int = 0,
) -> None:
    """Starts the protocol again with other settings, and forgets the channels. It runs already when a script begins."""
    if not 50 <= max_payload <= 4082 or lock_interval_ms < 10:
        raise RuntimeError("Failed to initialize protocol")
    _host_forget()


def is_active() -> bool:
    """Whether a PC is attached and speaks the protocol: OpenMV IDE, or PyPI's `openmv`."""
    return _host.attached


class ProtocolChannel(_host.StandIn):
    """A channel: `register` returns it."""

    def __init__(self, number: int, name: str, flags: int, backend: Any) -> None:
        self._id, self._name, self._flags, self._backend = number, name, flags, backend

    def send_event(self, event: int, wait_ack: bool = False) -> None:
        """Tells the PC that there is something new. RuntimeError where no PC is attached: ask is_active() first."""
        if isinstance(event, bool) or not isinstance(event, int):
            raise TypeError(f"can't convert {type(event).__name__} to int")
        if not _host.attached:
            raise RuntimeError("Failed to send channel event")

    def _read(self) -> bytes:
        """What a PC that looks at the channel gets."""
        backend = self._backend
        if not (self._flags & CHANNEL_FLAG_READ and _method(backend, "poll") and backend.poll()):
            return b""
        left = backend.size() if _method(backend, "size") else 0
        read = backend.readp if _method(backend, "readp") else backend.read
        data = b""
        while left > 0:
            part = _host.to_bytes(read(len(data), min(left, _READ_SIZE)))[: min(left, _READ_SIZE)]
            if not part:
                raise RuntimeError(f"channel {self._name}: its size() told of {left} bytes more than read() gives")
            data += part
            left -= len(part)
        return data

    def _show(self, data: bytes) -> None:
        if isinstance(self._backend, CBORChannel):
            print(f"channel {self._name}: " + ", ".join(map(_told, self._backend._fields.values())), flush=True)
        else:
            _host.show(f"channel {self._name}", data)

    def __repr__(self) -> str:
        return f"<ProtocolChannel: {self._name}>"


def _method(backend: Any, name: str) -> bool:
    return getattr(backend, name, None) is not None


@overload
def register(name: str, *, backend: object, flags: int = 0) -> ProtocolChannel: ...


@overload
def register(name: str, flags: int, backend: object) -> ProtocolChannel: ...


def register(name: str, flags: int = 0, backend: object = None) -> ProtocolChannel:
    """A new channel, of which the PC sees the first 13 bytes of the name.

    backend     an object with some of poll, size, read, readp, write, shape, lock, unlock, flush, ioctl, init. What it has
                when it is registered counts.

    RuntimeError where 31 channels are there already, those of the firmware among them (5.0.0 writes past its table).
    """
    if backend is None:
        raise TypeError("'backend' argument required")
    if not isinstance(name, str):
        raise TypeError(f"can't convert {type(name).__name__} to str")
    flags |= _DYNAMIC
    if _method(backend, "read") or _method(backend, "readp"):
        flags |= CHANNEL_FLAG_READ
    if _method(backend, "write"):
        flags |= CHANNEL_FLAG_WRITE
    if _method(backend, "lock") and _method(backend, "unlock"):
        flags |= CHANNEL_FLAG_LOCK
    number = CHANNEL_ID_STREAM + 1  # the profiler's is free where it is not built in
    while number in _host_channels:
        number += 1
    if number > _LAST_ID:
        raise RuntimeError("Failed to register protocol channel")
    if _method(backend, "init"):
        backend.init()  # type: ignore[attr-defined]
    seen = name.encode()[:_NAME_SIZE].decode(errors="ignore")
    channel = _host_channels[number] = ProtocolChannel(number, seen, flags, backend)
    return channel


# ---- frozen into the firmware of the N6, the AE3 and the RT1062, on top of the above ----

# A channel is a list of fields, each a map. The keys from 0 on are those of SenML (RFC 8428, section 6), and -30 is
# OpenMV's own.
_NAME, _UNIT, _VALUE, _TYPE = 0, 1, 2, -30


class CBORChannel:
    """A backend of named fields that OpenMV IDE shows. Of its kinds of fields the stand-in has labels.

    on_read     called with the channel whenever the PC wants to read it: the time to set the fields. Without it the PC reads
                after a field was set.

    `channel[name] = value` sets a field, and packs all of them each time.
    """

    def __init__(self, on_read: Callable[[CBORChannel], object] | None = None, on_write: None = None) -> None:
        if on_write is not None:
            raise NotImplementedError("the stand-in has no controls of a channel, so nothing would call on_write")
        self._on_read = on_read
        self._fields: dict[str, dict[int, Any]] = {}
        self._packed = b""
        self._changed = False

    def add(self, name: str, type: Literal["label"], value: Any = None, unit: str | None = None, **options: Any) -> None:
        """A label. unit: a name of SenML's such as "Cel". A name that is there already is a ValueError; the firmware takes
        it."""
        if name in self._fields:
            raise ValueError(f"a channel's names are unique, got {name} again")
        if type != "label" or options:
            raise NotImplementedError(f"the stand-in has only labels in a channel, got {type!r} {options or ''}")
        field: dict[int, Any] = {_NAME: name, _TYPE: type, _VALUE: 0 if value is None else value}
        if unit:
            field[_UNIT] = unit
        self._fields[name] = field
        self._pack()

    def __getitem__(self, name: str) -> Any:
        return self._fields[name][_VALUE]

    def __setitem__(self, name: str, value: Any) -> None:
        """KeyError for a name that was not added."""
        self._fields[name][_VALUE] = list(value) if isinstance(value, tuple) else value
        self._pack()

    def _pack(self) -> None:
        self._packed = _cbor.dumps(list(self._fields.values()))
        self._changed = True

    def poll(self) -> bool:
        return bool(self._fields) if self._on_read is not None else self._changed

    def size(self) -> int:
        if self._on_read is not None:
            self._on_read(self)
        self._changed = False
        return len(self._packed)

    def read(self, offset: int, size: int) -> bytes:
        return self._packed[offset : offset + size]


def _told(field: dict[int, Any]) -> str:
    """A field for the eyes: `people 3`."""
    unit = f" {field[_UNIT]}" if _UNIT in field else ""
    return f"{field[_NAME]} {field[_VALUE]}{unit}"


if not TYPE_CHECKING:
    __getattr__ = _host.missing("protocol")
