"""The stand-ins for `mqtt` and `requests`, which `n6post host` makes importable."""

from __future__ import annotations

import http.server
import importlib
import io
import json
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _clock
import image
import pytest

FROZEN = Path(__file__).resolve().parents[2] / "stubs" / "_frozen"


def frozen(name: str) -> Iterator[Any]:
    before = sys.modules.pop(name, None)
    sys.path.insert(0, str(FROZEN))
    module = importlib.import_module(name)
    assert str(module.__file__).startswith(str(FROZEN))
    yield module
    sys.path.remove(str(FROZEN))
    del sys.modules[name]
    if before is not None:
        sys.modules[name] = before


@pytest.fixture
def requests() -> Iterator[Any]:
    yield from frozen("requests")


@pytest.fixture
def mqtt() -> Iterator[Any]:
    yield from frozen("mqtt")


# --- requests ---


def test_a_request_is_printed_and_answered_without_a_network(requests: Any, capsys: pytest.CaptureFixture[str]) -> None:
    answer = requests.get("http://nowhere.invalid/weather?day=1")
    assert (answer.status_code, answer.reason, answer.content, answer.json()) == (200, "OK", "{}", {})
    requests.post("https://nowhere.invalid/alarm", data=b"x" * 300, headers={"X-Key": b"abc"}, auth=("me", "secret"))
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "requests GET http://nowhere.invalid/weather?day=1: b''"
    assert printed[1].startswith("requests POST https://nowhere.invalid/alarm: b'xxx")
    assert printed[1].endswith("x' and 200 bytes more") and "secret" not in printed[1]
    headers = {"X-Key": "abc", "Authorization": "Basic bWU6c2VjcmV0"}
    assert requests._host_sent[1] == ("POST", "https://nowhere.invalid/alarm", headers, b"x" * 300)


@pytest.mark.parametrize("name", ["head", "get", "post", "put", "patch", "delete"])
def test_every_method_has_its_function(requests: Any, name: str) -> None:
    assert getattr(requests, name)("http://a.invalid").status_code == 200
    assert requests._host_sent[-1][0] == name.upper()


def test_a_picture_is_sent_as_a_file(requests: Any) -> None:
    jpeg = image.Image(16, 16, image.GRAYSCALE).to_jpeg(copy=True)
    data = bytes(jpeg.bytearray())
    requests.post("http://a.invalid", files={"picture": ("a.jpg", io.BytesIO(data))})
    _, _, headers, body = requests._host_sent[-1]
    boundary = headers["Content-Type"].split("boundary=")[1].encode()
    head = b'Content-Disposition: form-data; name="picture"; filename="a.jpg"'
    assert body == b"--%s\r\n%s\r\n\r\n%s\r\n\r\n--%s--\r\n" % (boundary, head, data, boundary)
    requests.post("http://a.invalid", data=jpeg)
    assert requests._host_sent[-1][3] == data


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"json": {"a": 1}}, ValueError, r"json= sends the text <module 'json'> .* write data=json\.dumps\(value\)"),
        ({"data": "größer"}, ValueError, r"counts characters, not bytes, of a str: write data=text\.encode\(\)"),
        ({"data": 3}, TypeError, "object with buffer protocol required"),
        ({"timeout": 3}, TypeError, "unexpected keyword argument 'timeout'"),
    ],
)
def test_what_the_camera_would_send_damaged_is_refused(
    requests: Any, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        requests.post("http://a.invalid", **options)
    assert requests._host_sent == []


def test_other_protocols_and_names_are_refused(requests: Any) -> None:
    with pytest.raises(ValueError, match="Unsupported protocol: ftp:"):
        requests.get("ftp://a.invalid")
    with pytest.raises(AttributeError, match=r"the stand-in has no requests\.Response\.text"):
        requests.get("http://a.invalid").text  # noqa: B018
    with pytest.raises(AttributeError, match=r"the stand-in has no requests\.Session"):
        requests.Session  # noqa: B018


class Echo(http.server.BaseHTTPRequestHandler):
    """Answers with what it was asked; /moved is a redirect."""

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        text = json.dumps({"path": self.path, "body": body.decode(), "key": self.headers["X-Key"]}).encode()
        self.send_response(302 if self.path == "/moved" else 201)
        if self.path == "/moved":
            self.send_header("Location", "/elsewhere")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, format: str, *arguments: Any) -> None:
        pass


def test_with_the_network_a_request_is_sent(requests: Any) -> None:
    requests._host_network = True
    with http.server.HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            place = f"http://127.0.0.1:{server.server_port}"
            answer = requests.post(place + "/alarm?n=3", data="fall", headers={"X-Key": "k"})
            assert answer.status_code == 201 and answer.reason == "Created" and "Content-Length" in answer.headers
            assert answer.json() == {"path": "/alarm?n=3", "body": "fall", "key": "k"}
            with pytest.raises(NameError, match="fails on a redirect, here to /elsewhere"):
                requests.post(place + "/moved")
        finally:
            server.shutdown()
            thread.join()
    with pytest.raises(OSError):
        requests.post(place)


# --- mqtt ---


def test_messages_are_printed_and_come_back_to_who_has_subscribed(mqtt: Any, capsys: pytest.CaptureFixture[str]) -> None:
    got: list[tuple[bytes, bytes]] = []
    client = mqtt.MQTTClient("cam", "broker.invalid", 1883, callback=lambda topic, message: got.append((topic, message)))
    assert client.connect() == 0
    client.subscribe("cam/+/count")
    client.subscribe(b"alarm/#", qos=1)
    sent = [("cam/1/count", "3"), ("cam/1/2/count", "no"), (b"alarm", b"\xff"), ("alarm/a/b", ""), ("x", "no")]
    for topic, message in sent:
        client.publish(topic, message, retain=True, qos=1)
    assert got == []
    for _ in range(5):
        client.check_msg()
    assert got == [(b"cam/1/count", b"3"), (b"alarm", b"\xff"), (b"alarm/a/b", b"")]
    printed = capsys.readouterr().out.splitlines()
    assert printed[:2] == ["mqtt broker.invalid:1883: cam is connected", "mqtt cam/1/count: b'3'"]
    assert mqtt._host_published[2] == (b"alarm", b"\xff", True, 1)
    client.ping()
    client.disconnect()


def test_waiting_for_a_message_that_never_comes_times_out(mqtt: Any) -> None:
    from fractions import Fraction

    client = mqtt.MQTTClient("cam", "broker.invalid", 1883)
    clock = _clock.VideoClock([(1, Fraction(1))])
    _clock.use(clock)
    try:
        client.connect(timeout=30.0)
        with pytest.raises(OSError, match="no message came"):
            client.wait_msg()
        assert 30 * _clock.SECOND <= clock.passed_ns < 30.001 * _clock.SECOND
    finally:
        _clock.use(None)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda c: c.publish("a", "b"), AttributeError, r"call connect\(\) first"),
        (lambda c: c.check_msg(), AttributeError, r"call connect\(\) first"),
        (lambda c: (c.connect(), c.publish("a", 3)), TypeError, r"object of type 'int' has no len\(\)"),
        (lambda c: (c.connect(), c.publish("a", "größer")), ValueError, r"characters, not bytes, .* write msg\.encode"),
        (lambda c: (c.connect(), c.publish("a", "b", qos=2)), AssertionError, None),
        (lambda c: (c.connect(), c.subscribe("a")), AssertionError, "callback"),
        (lambda c: c.set_last_will("", "gone"), AssertionError, None),
        (lambda c: c.loop_forever(), AttributeError, r"the stand-in has no mqtt\.MQTTClient\.loop_forever"),
    ],
)
def test_wrong_use_of_a_client_fails_as_on_the_camera(
    mqtt: Any, call: Any, error: type[Exception], message: str | None
) -> None:
    with pytest.raises(error, match=message):
        call(mqtt.MQTTClient("cam", "broker.invalid", 1883))


def test_the_port_of_the_broker_is_required(mqtt: Any) -> None:
    with pytest.raises(TypeError, match="port"):
        mqtt.MQTTClient("cam", "broker.invalid")


class Broker(threading.Thread):
    """A broker for one client. It sends each message back, and logs the packets that it gets."""

    def __init__(self, refusal: int = 0) -> None:
        super().__init__(daemon=True)
        self.refusal = refusal
        self.log: list[tuple[int, bytes]] = []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.listener.getsockname()[1]
        self.start()

    def run(self) -> None:
        connection, _ = self.listener.accept()
        stream = connection.makefile("rb")
        with connection, stream:
            while kind := stream.read(1):
                length = shift = 0
                while True:
                    byte = stream.read(1)[0]
                    length |= (byte & 127) << shift
                    shift += 7
                    if byte < 128:
                        break
                body = stream.read(length)
                self.log.append((kind[0], body))
                self.answer(connection, kind[0], body)

    def answer(self, connection: socket.socket, kind: int, body: bytes) -> None:
        if kind == 0x10:
            connection.sendall(bytes((0x20, 2, 1, self.refusal)))
        elif kind == 0x82:
            connection.sendall(bytes((0x90, 3)) + body[:2] + (b"\x80" if b"secret" in body else b"\0"))
        elif kind & 0xF6 == 0x32:  # qos 1
            end = 2 + int.from_bytes(body[:2], "big")
            size = len(body)
            assert size < 128
            connection.sendall(bytes((0x32, size)) + body + b"\x40\x02" + body[end : end + 2])
        elif kind & 0xF0 == 0x30 and len(body) < 128:
            connection.sendall(bytes((0x30, len(body))) + body)
        elif kind == 0xC0:
            connection.sendall(b"\xd0\0")


def test_with_the_network_a_client_speaks_to_its_broker(mqtt: Any) -> None:
    mqtt._host_network = True
    broker = Broker()
    got: list[tuple[bytes, bytes]] = []
    client = mqtt.MQTTClient("cam", "127.0.0.1", broker.port, user="me", password="pass", keepalive=30)
    client.set_callback(lambda *message: got.append(message))
    client.set_last_will("gone", "cam", retain=True, qos=1)
    assert client.connect() == 1
    client.subscribe("people/#", qos=1)
    client.publish("people/1", "3", retain=True)
    client.wait_msg()
    client.publish("people/2", "4", qos=1)
    client.ping()
    client.wait_msg()
    client.publish("people/3", b"x" * 300)
    client.check_msg()
    client.disconnect()
    broker.join(10)
    assert got == [(b"people/1", b"3"), (b"people/2", b"4")]
    will = b"\0\4gone\0\3cam"
    assert broker.log == [
        (0x10, b"\0\4MQTT\4\xee\0\x1e\0\3cam" + will + b"\0\2me\0\4pass"),
        (0x82, b"\0\1\0\x08people/#\1"),
        (0x31, b"\0\x08people/13"),
        (0x32, b"\0\x08people/2\0\0024"),
        (0x40, b"\0\2"),
        (0xC0, b""),
        (0x30, b"\0\x08people/3" + b"x" * 300),
        (0xE0, b""),
    ]


def test_a_refusal_by_the_broker_is_an_mqttexception(mqtt: Any) -> None:
    mqtt._host_network = True
    with pytest.raises(mqtt.MQTTException, match="5"):
        mqtt.MQTTClient("cam", "127.0.0.1", Broker(refusal=5).port).connect()
    client = mqtt.MQTTClient("cam", "127.0.0.1", Broker().port, callback=print)
    client.connect(timeout=0.2)
    with pytest.raises(mqtt.MQTTException, match="128"):
        client.subscribe("secret")
    with pytest.raises(OSError):
        client.wait_msg()
