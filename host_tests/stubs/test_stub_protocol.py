"""stubs/protocol.py: data that the PC reads from a channel, decoded with cbor2, and calls that the firmware refuses."""

from __future__ import annotations

import importlib
import math
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _cbor
import _host
import cbor2
import omv
import protocol
import pytest
from hypothesis import given
from hypothesis import strategies as st
from protocol import CBORChannel

STUBS = Path(__file__).parents[2] / "stubs"


@pytest.fixture(autouse=True)
def fresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    protocol._host_forget()
    yield
    protocol._host_forget()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, bytes]]:
    """The messages that an attached PC has read, in order."""
    got: list[tuple[str, bytes]] = []
    monkeypatch.setattr(protocol, "_host_reader", lambda name, data: got.append((name, data)))
    return got


# ---- CBOR ----

scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(1 << 64), (1 << 64) - 1), st.floats(), st.text(), st.binary(max_size=300)
)
keys = st.integers(-40, 40) | st.text()
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=30) | st.dictionaries(keys, inner), max_leaves=30)


def same(a: Any, b: Any) -> bool:
    return repr(a) == repr(b)  # NaN is NaN, -0.0 is not 0.0, True is not 1


@given(values)
def test_cbor_agrees_with_the_package_cbor2(value: Any) -> None:
    assert same(cbor2.loads(_cbor.dumps(value)), value)


@pytest.mark.parametrize("value", [(1, 2), {1, 2}, 1j, [1, (2,)], object()])
def test_types_that_the_cameras_cbor_lacks_raise_key_error(value: Any) -> None:
    with pytest.raises(KeyError):
        _cbor.dumps(value)


# ---- channels ----


def test_a_label_reaches_the_pc_with_name_value_unit_and_kind(read: list[tuple[str, bytes]]) -> None:
    channel = CBORChannel()
    channel.add("people", type="label")
    channel.add("warmth", type="label", unit="Cel", value=20.5)
    protocol.register(name="street", backend=channel)
    channel["people"] = 3
    _host.poll()
    ((name, data),) = read
    assert name == "street"
    assert cbor2.loads(data) == [{0: "people", -30: "label", 2: 3}, {0: "warmth", -30: "label", 2: 20.5, 1: "Cel"}]


def test_with_on_read_every_read_is_sent_else_only_changes(read: list[tuple[str, bytes]]) -> None:
    plain, asked = CBORChannel(), CBORChannel(on_read=lambda channel: channel.__setitem__("n", channel["n"] + 1))
    for channel in (plain, asked):
        channel.add("n", "label")
    protocol.register("plain", 0, plain)
    protocol.register(backend=asked, name="asked")
    for _ in range(3):
        _host.poll()
    plain["n"] = 9
    _host.poll()
    values = [(name, cbor2.loads(data)[0][2]) for name, data in read]
    assert values == [("plain", 0), ("asked", 1), ("asked", 2), ("asked", 3), ("plain", 9), ("asked", 4)]


def test_a_long_channel_is_read_in_blocks_of_512_bytes(read: list[tuple[str, bytes]]) -> None:
    data = bytes(range(256)) * 5
    asked: list[tuple[int, int]] = []

    class Backend:
        def poll(self) -> bool:
            return True

        def size(self) -> int:
            return len(data)

        def read(self, offset: int, size: int) -> bytes:
            asked.append((offset, size))
            return data[offset : offset + size]

    protocol.register(name="long", backend=Backend())
    _host.poll()
    assert read == [("long", data)] and asked == [(0, 512), (512, 512), (1024, 256)]


def test_a_channel_with_too_few_bytes_raises_unlike_on_the_camera() -> None:
    class Backend:
        poll = staticmethod(lambda: True)
        size = staticmethod(lambda: 5)
        read = staticmethod(lambda offset, size: b"abc"[offset:])

    protocol.register(name="short", backend=Backend())
    with pytest.raises(RuntimeError, match="short: its size.. told of 2 bytes more"):
        _host.poll()


def test_a_channel_without_poll_or_without_data_is_not_read(read: list[tuple[str, bytes]]) -> None:
    class Silent:
        size = staticmethod(lambda: 1 / 0)
        read = staticmethod(lambda offset, size: b"")

    class Empty(Silent):
        poll = staticmethod(lambda: True)
        size = staticmethod(lambda: 0)

    protocol.register(name="silent", backend=Silent())
    protocol.register(name="empty", backend=Empty())
    protocol.register(name="without fields", backend=CBORChannel(on_read=print))
    _host.poll()
    assert read == []


def test_reads_are_printed_without_another_reader(capsys: pytest.CaptureFixture[str]) -> None:
    class Text:
        poll = staticmethod(lambda: True)
        size = staticmethod(lambda: 3)
        read = staticmethod(lambda offset, size: "abc")

    channel = CBORChannel()
    channel.add("in", "label", 3)
    channel.add("warmth", "label", 20.5, "Cel")
    protocol.register(name="a name of twenty byt", backend=channel)
    protocol.register(name="text", backend=Text())
    _host.poll()
    assert capsys.readouterr().out == "channel a name of twe: in 3, warmth 20.5 Cel\nchannel text: b'abc'\n"


def test_without_a_pc_nothing_is_read_and_events_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    channel = CBORChannel()
    channel.add("n", "label")
    handle = protocol.register(name="n", backend=channel)
    assert repr(handle) == "<ProtocolChannel: n>"
    handle.send_event(0xFFFF)
    assert protocol.is_active() and omv.debug_mode()
    monkeypatch.setattr(_host, "attached", False)
    assert not protocol.is_active() and not omv.debug_mode()
    with pytest.raises(RuntimeError, match="Failed to send channel event"):
        handle.send_event(1, wait_ack=True)
    _host.poll()
    assert channel.poll()  # not read yet


def test_28_channels_can_be_registered_and_init_removes_them() -> None:
    for k in range(28):
        protocol.register(name=f"c{k}", backend=CBORChannel())
    with pytest.raises(RuntimeError, match="Failed to register protocol channel"):
        protocol.register(name="one more", backend=CBORChannel())
    protocol.init(crc=False)
    protocol.register(name="one more", backend=CBORChannel())
    with pytest.raises(RuntimeError, match="Failed to initialize protocol"):
        protocol.init(max_payload=5000)


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda: protocol.register(name="a"), TypeError),  # type: ignore[call-overload]
        (lambda: protocol.register(name=7, backend=object()), TypeError),  # type: ignore[call-overload]
        (lambda: CBORChannel().add("a", type="slider"), NotImplementedError),  # type: ignore[arg-type]
        (lambda: CBORChannel(on_write=print), NotImplementedError),  # type: ignore[arg-type]
        (lambda: CBORChannel().__setitem__("a", 1), KeyError),
        (lambda: CBORChannel()["a"], KeyError),
        (lambda: CBORChannel().add("a", "label", value=(1, 2)), KeyError),
        (lambda: protocol.register(name="a", backend=CBORChannel()).send_event("now"), TypeError),  # type: ignore[arg-type]
        (lambda: protocol.unregister, AttributeError),
    ],
)
def test_invalid_channel_arguments_are_refused(wrong: Any, kind: type[Exception]) -> None:
    with pytest.raises(kind):
        wrong()


def test_channel_names_are_unique() -> None:
    channel = CBORChannel()
    channel.add("a", "label")
    with pytest.raises(ValueError, match="unique"):
        channel.add("a", "label")


def test_a_tuple_as_a_label_is_sent_as_a_list_and_nan_as_nan(read: list[tuple[str, bytes]]) -> None:
    channel = CBORChannel()
    channel.add("where", "label")
    channel.add("share", "label")
    channel["where"], channel["share"] = (3, 4), math.nan
    protocol.register(name="a", backend=channel)
    _host.poll()
    where, share = [field[2] for field in cbor2.loads(read[0][1])]
    assert where == [3, 4] and math.isnan(share)


def test_firmware_4_8_1_has_no_such_module() -> None:
    code = "import omv; omv._host_set_version(4, 8, 1)\ntry:\n import protocol\nexcept ImportError as e: print(e)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env={"PYTHONPATH": str(STUBS)})
    assert done.stdout == "no module named 'protocol': firmware 4.8.1 has none\n", done.stderr


def test_the_flags_and_numbers_are_the_firmwares() -> None:
    module = importlib.import_module("protocol")
    flags = [getattr(module, f"CHANNEL_FLAG_{name}") for name in ("READ", "WRITE", "LOCK", "PHYSICAL")]
    numbers = [getattr(module, f"CHANNEL_ID_{name}") for name in ("TRANSPORT", "STDIN", "STDOUT", "STREAM", "PROFILE")]
    assert flags == [1, 2, 8, 64] and numbers == list(range(5))
