"""The firmware's `protocol` module, new in 5.0: channels of one's own beside the frames and the text that go to the PC.

    labels = CBORChannel()
    labels.add("people", type="label")
    protocol.register(name="street", backend=labels)

Here a PC is attached that looks at every channel whenever the script takes a frame, as OpenMV IDE does, and what it reads
is printed. As on the camera it asks in this order: `poll()`, where that is true `size()`, then `read(offset, size)` for 512
bytes at a time. There an error in one of these is never seen, the channel just stays silent; here it ends the script.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
            print(f"channel {self._name}: " + ", ".join(map(_told, _cbor.loads(data))), flush=True)
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

# A channel is a list of fields, each a map. The keys from 0 on are those of SenML (RFC 8428, section 6), those below 0
# OpenMV's own.
_NAME, _UNIT, _VALUE, _DATA = 0, 1, 2, 8
_WIDTH, _HEIGHT, _DATA_MIN, _DATA_MAX = -20, -21, -23, -24
_TYPE, _MIN, _MAX, _STEP, _OPTIONS = -30, -31, -32, -33, -34

_Widget = Literal["label", "toggle", "slider", "select", "depth"]


class CBORChannel:
    """A backend of named fields that OpenMV IDE shows: labels, and with on_write controls as well.

    on_read     called with the channel whenever the PC wants to read it: the time to set the fields. Without it the PC reads
                after a field was set.
    on_write    called with the channel, a field's name and its new value, when somebody has moved a control

    `channel[name] = value` sets a field, and packs all of them each time.
    """

    def __init__(
        self, on_read: Callable[[CBORChannel], object] | None = None,
        on_write: Callable[[CBORChannel, str, Any], object] | None = None,
    ) -> None:  # fmt: skip
        self._on_read, self._on_write = on_read, on_write
        self._fields: dict[str, dict[int, Any]] = {}
        self._packed = b""
        self._changed = False

    def add(
        self, name: str, type: _Widget, value: Any = None, unit: str | None = None, min: float | None = None,
        max: float | None = None, step: float | None = None, options: Sequence[str] | None = None,
        width: int | None = None, height: int | None = None,
    ) -> None:  # fmt: skip
        """A field. unit: of a label or a slider, a name of SenML's such as "Cel"; options: of a select; width, height: of a
        depth map. Here a name that is there already and a type that is none are ValueErrors; the firmware takes them."""
        if name in self._fields:
            raise ValueError(f"a channel's names are unique, got {name} again")
        field: dict[int, Any] = {_NAME: name, _TYPE: type}
        if type == "label":
            field[_VALUE] = 0 if value is None else value
        elif type == "toggle":
            field[_VALUE] = False if value is None else value
        elif type == "slider":
            low = 0 if min is None else min
            field |= {_VALUE: low if value is None else value, _MIN: low, _MAX: 100 if max is None else max}
            field[_STEP] = 1 if step is None else step
        elif type == "select":
            field |= {_VALUE: "" if value is None else value, _OPTIONS: [] if options is None else options}
        elif type == "depth":
            field |= {_DATA: b"", _WIDTH: width, _HEIGHT: height}
            field |= {_DATA_MIN: 0 if min is None else min, _DATA_MAX: 1000 if max is None else max}
        else:
            raise ValueError(f"type: expected label, toggle, slider, select or depth, got {type!r}")
        if unit and type in ("label", "slider"):
            field[_UNIT] = unit
        self._fields[name] = field
        self._pack()

    def __getitem__(self, name: str) -> Any:
        field = self._fields[name]
        return field[_DATA] if _DATA in field else field[_VALUE]

    def __setitem__(self, name: str, value: Any) -> None:
        """A slider takes (min, max, value) too, a depth map its floats as bytes. KeyError for a name that was not added."""
        field = self._fields[name]
        if _DATA in field:
            field[_DATA] = value
        elif not isinstance(value, tuple):
            field[_VALUE] = value
        elif field[_TYPE] == "slider":
            field[_MIN], field[_MAX], field[_VALUE] = value[:3]
        else:
            field[_VALUE] = list(value)
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

    def write(self, offset: int, data: Any) -> int:
        """From the PC: a list of maps, each with a field's name and value. The fields are packed again when one is set."""
        for record in _cbor.loads(bytes(data)):
            name, value = record.get(_NAME), record.get(_VALUE)
            if name in self._fields and value is not None:
                self._fields[name][_VALUE] = value
                if self._on_write is not None:
                    self._on_write(self, name, value)
        return len(data)


def _told(field: dict[int, Any]) -> str:
    """A field for the eyes: `people 3`, `depth, 3072 bytes`."""
    if _DATA in field:
        return f"{field[_NAME]}, {len(field[_DATA])} bytes"
    unit = f" {field[_UNIT]}" if _UNIT in field else ""
    return f"{field[_NAME]} {field[_VALUE]}{unit}"


if not TYPE_CHECKING:
    __getattr__ = _host.missing("protocol")
