"""MjpegServer with real clients: what they receive, and that none of them holds up the loop."""

from __future__ import annotations

import contextlib
import errno
import http.client
import io
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import _host
import hypothesis
import image
import n6post
import numpy as np
import pytest
import vm
from hypothesis import strategies as st
from n6post.streams import mjpeg_server
from PIL import Image as PilImage

ROOT = Path(__file__).resolve().parents[2]

_host.install()


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
    return port


def frame(level: int = 0, width: int = 64, height: int = 48) -> Any:
    picture = image.Image(width, height, image.GRAYSCALE)
    picture.bytearray()[:] = bytes([level]) * (width * height)
    return picture


class Noise:
    """A frame whose JPEG has 100 KB and more. It counts how often it is compressed."""

    compressed = 0

    def __init__(self) -> None:
        picture = image.Image(640, 480, image.GRAYSCALE)
        picture.bytearray()[:] = np.random.default_rng(1).integers(0, 256, 640 * 480).astype(np.uint8).tobytes()
        self._jpeg = picture.to_jpeg(quality=90, copy=True)

    def to_jpeg(self, *, quality: int, copy: bool) -> Any:
        Noise.compressed += 1
        return self._jpeg


@pytest.fixture
def server() -> Iterator[n6post.MjpegServer]:
    Noise.compressed = 0
    one = n6post.MjpegServer(free_port(), timeout=0.5)
    yield one
    one.close()


class Watcher(threading.Thread):
    """A client that reads this many frames, with pauses in seconds between its reads."""

    def __init__(self, port: int, frames: int, pause: float = 0.0) -> None:
        super().__init__(daemon=True)
        self.port, self.frames, self.pause = port, frames, pause
        self.received: list[bytes] = []
        self.header: dict[str, str] = {}
        self.error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
            connection.request("GET", "/")
            answer = connection.getresponse()
            self.header = dict(answer.getheaders())
            assert answer.readline() == b"--frame\r\n"
            while len(self.received) < self.frames:
                time.sleep(self.pause)
                assert answer.readline() == b"Content-Type: image/jpeg\r\n"
                name, size = answer.readline().split()
                assert name == b"Content-Length:" and answer.readline() == b"\r\n"
                self.received.append(answer.read(int(size)))
                assert answer.readline() == b"\r\n" and answer.readline() == b"--frame\r\n"
            connection.close()
        except BaseException as error:
            self.error = error


def serve(server: n6post.MjpegServer, until: Callable[[], object], img: Any, seconds: float = 20) -> None:
    """Send frames until the condition is met."""
    end = time.monotonic() + seconds
    while not until():
        assert time.monotonic() < end, "the condition was never met"
        server.send(img() if callable(img) else img)
        time.sleep(0.001)


def serve_for(server: n6post.MjpegServer, seconds: float) -> None:
    end = time.monotonic() + seconds
    serve(server, lambda: time.monotonic() > end, frame())


def stalled(port: int) -> socket.socket:
    """A client that asks for the stream and reads nothing."""
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    client.connect(("127.0.0.1", port))
    client.sendall(b"GET / HTTP/1.1\r\n\r\n")
    return client


def asked(port: int, request: bytes) -> socket.socket:
    client = socket.create_connection(("127.0.0.1", port), timeout=20)
    client.sendall(request)
    return client


def whole_answer(client: socket.socket) -> bytes:
    got = b""
    while part := client.recv(65536):
        got += part
    client.close()
    return got


def test_a_client_receives_jpegs_of_the_frames_in_their_order(server: n6post.MjpegServer) -> None:
    levels = iter(range(0, 250, 2))
    watcher = Watcher(server.port, 5)
    serve(server, lambda: not watcher.is_alive(), lambda: frame(next(levels, 250)))
    assert watcher.error is None
    assert watcher.header["Content-Type"] == "multipart/x-mixed-replace; boundary=frame"
    shown = []
    for data in watcher.received:
        with PilImage.open(io.BytesIO(data)) as picture:
            assert picture.size == (64, 48) and picture.format == "JPEG"
            shown.append(int(np.asarray(picture).mean()))
    assert len(shown) == 5 and shown == sorted(set(shown))


def test_nothing_is_compressed_unless_somebody_watches(server: n6post.MjpegServer) -> None:
    noise = Noise()
    assert [server.send(noise) for _ in range(5)] == [0] * 5
    assert Noise.compressed == 0 and server.clients == 0


def test_a_frame_is_compressed_once_for_all_clients(server: n6post.MjpegServer) -> None:
    noise = Noise()
    jpeg = bytes(noise.to_jpeg(quality=90, copy=True).bytearray())
    clients = [asked(server.port, b"GET / HTTP/1.1\r\n\r\n") for _ in range(2)]
    serve(server, lambda: server.poll() == 2, frame())
    Noise.compressed = 0
    assert server.send(noise) == 2 and Noise.compressed == 1
    for client in clients:
        got = b""
        while jpeg not in got:
            server.poll()
            got += client.recv(1 << 20)
        client.close()


def test_the_script_keeps_its_picture(server: n6post.MjpegServer) -> None:
    watcher, img = Watcher(server.port, 2), frame(77)
    serve(server, lambda: not watcher.is_alive(), img)
    assert img.format() == image.GRAYSCALE and bytes(img.bytearray()) == bytes([77]) * (64 * 48)


def test_the_quality_may_change_between_frames(server: n6post.MjpegServer) -> None:
    picture = image.Image(64, 48, image.GRAYSCALE)
    picture.bytearray()[:] = np.random.default_rng(2).integers(0, 256, 64 * 48).astype(np.uint8).tobytes()
    watcher = Watcher(server.port, 40)
    serve(server, lambda: len(watcher.received) > 2, picture)
    server.quality = 5
    serve(server, lambda: not watcher.is_alive(), picture)
    assert len(watcher.received[-1]) < len(watcher.received[0]) / 2


def test_a_stalled_client_delays_neither_the_loop_nor_others(server: n6post.MjpegServer) -> None:
    server.timeout = 60.0
    noise = Noise()
    asleep = stalled(server.port)
    serve(server, lambda: server._connections and server._connections[0].sent, noise)  # type: ignore[attr-defined]
    watcher = Watcher(server.port, 30)
    sockets = [server._listener, *[one.socket for one in server._connections]]  # type: ignore[attr-defined]
    assert [one.gettimeout() for one in sockets] == [0.0] * len(sockets), "no call of a socket can wait"
    serve(server, lambda: not watcher.is_alive(), noise)
    assert watcher.error is None and len(watcher.received) == 30
    serve(server, lambda: server.clients == 1, noise)
    asleep.close()


def test_a_slow_client_gets_fewer_frames_and_no_broken_one(server: n6post.MjpegServer) -> None:
    noise = Noise()
    whole = bytes(noise._jpeg.bytearray())
    slow, quick = Watcher(server.port, 3, pause=0.3), Watcher(server.port, 100)
    serve(server, lambda: not quick.is_alive(), noise)
    serve(server, lambda: not slow.is_alive(), noise)
    assert slow.error is None and quick.error is None
    assert set(slow.received) == set(quick.received) == {whole}


def test_a_stalled_client_is_dropped_after_the_timeout(server: n6post.MjpegServer) -> None:
    client = stalled(server.port)
    noise = Noise()
    serve(server, lambda: server.clients == 1, noise)
    serve(server, lambda: server.clients == 0, noise)
    assert [one.socket for one in server._connections] == [None]  # type: ignore[attr-defined]
    client.close()


def test_the_place_of_a_stalled_client_is_free_after_ten_seconds(
    server: n6post.MjpegServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """lwIP holds what a closed connection has not delivered for that long."""
    server.max_clients = 1
    client = stalled(server.port)
    noise = Noise()
    serve(server, lambda: server.clients == 1, noise)
    serve(server, lambda: server.clients == 0, noise)
    other = asked(server.port, b"GET / HTTP/1.1\r\n\r\n")
    for _ in range(100):
        server.send(noise)
        time.sleep(0.001)
    assert whole_answer(other).startswith(b"HTTP/1.1 503 ")
    monkeypatch.setattr(mjpeg_server, "_ABORTED_AFTER", 0)
    time.sleep(0.01)
    server.poll()
    assert server._connections == []  # type: ignore[attr-defined]
    client.close()


def test_a_client_that_has_left_is_dropped(server: n6post.MjpegServer) -> None:
    watcher = Watcher(server.port, 2)
    serve(server, lambda: not watcher.is_alive(), frame())
    serve(server, lambda: server.clients == 0 and not server._connections, frame())  # type: ignore[attr-defined]


def test_a_client_that_resets_its_connection_is_dropped(server: n6post.MjpegServer) -> None:
    client = asked(server.port, b"GET / HTTP/1.1\r\n\r\n")
    noise = Noise()
    serve(server, lambda: server.clients == 1, noise)
    client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
    client.close()  # sends RST
    serve(server, lambda: not server._connections, noise)  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("request_line", "answer"),
    [
        (b"GET /favicon.ico HTTP/1.1", b"HTTP/1.1 404 Not Found\r\n"),
        (b"GET", b"HTTP/1.1 404 Not Found\r\n"),
        (b"POST / HTTP/1.1", b"HTTP/1.1 405 Method Not Allowed\r\n"),
        (b"\xff\xfe\x00", b"HTTP/1.1 405 Method Not Allowed\r\n"),
    ],
)
def test_other_requests_are_answered_and_closed(
    server: n6post.MjpegServer, request_line: bytes, answer: bytes
) -> None:
    client = asked(server.port, request_line + b"\r\nHost: camera\r\n\r\n")
    for _ in range(200):
        server.send(frame())
        time.sleep(0.001)
    got = whole_answer(client)
    head, _, body = got.partition(b"\r\n\r\n")
    assert head.startswith(answer) and f"Content-Length: {len(body)}".encode() in head
    assert server._connections == []  # type: ignore[attr-defined]


def test_a_query_after_the_path_is_ignored(server: n6post.MjpegServer) -> None:
    client = asked(server.port, b"GET /?again=3 HTTP/1.1\r\n\r\n")
    serve(server, lambda: server.clients == 1, frame())
    client.close()


def test_a_request_may_arrive_in_pieces(server: n6post.MjpegServer) -> None:
    client = asked(server.port, b"GET / HT")
    serve(server, lambda: server._connections, frame())  # type: ignore[attr-defined]
    assert server.clients == 0
    client.sendall(b"TP/1.1\r\nHost: camera\r\n")
    for _ in range(20):
        assert server.send(frame()) == 0
    client.sendall(b"\r\n")
    serve(server, lambda: server.clients == 1, frame())
    client.close()


@pytest.mark.parametrize("sent", [b"", b"GET / HTTP/1.1\r\n", b"x" * 5000])
def test_a_client_without_a_whole_request_is_dropped(server: n6post.MjpegServer, sent: bytes) -> None:
    client = asked(server.port, sent)
    serve(server, lambda: server._connections, frame())  # type: ignore[attr-defined]
    serve(server, lambda: not server._connections, frame())  # type: ignore[attr-defined]
    client.close()


def test_a_request_without_an_end_is_dropped_once_it_is_too_long(server: n6post.MjpegServer) -> None:
    server.timeout = 60
    client = asked(server.port, b"GET / HTTP/1.1\r\n")
    serve(server, lambda: server._connections, frame())  # type: ignore[attr-defined]
    for _ in range(6):
        client.sendall(b"x" * 300)
        serve_for(server, 0.02)
    assert server._connections  # type: ignore[attr-defined]
    client.sendall(b"x" * 300)
    serve(server, lambda: not server._connections, frame(), seconds=5)  # type: ignore[attr-defined]
    client.close()


def test_a_client_has_the_whole_timeout_for_its_request(server: n6post.MjpegServer) -> None:
    server.timeout = 2
    client = asked(server.port, b"GET / HTTP/1.1\r\n")
    serve_for(server, 0.6)
    client.sendall(b"\r\n")
    serve(server, lambda: server.clients == 1, frame())
    client.close()


def test_more_clients_than_allowed_are_told_so(server: n6post.MjpegServer) -> None:
    server.max_clients = 1
    first = asked(server.port, b"GET / HTTP/1.1\r\n\r\n")
    serve(server, lambda: server.clients == 1, frame())
    second = asked(server.port, b"GET / HTTP/1.1\r\n\r\n")
    for _ in range(100):
        server.send(frame())
        time.sleep(0.001)
    got = whole_answer(second)
    assert got.startswith(b"HTTP/1.1 503 Service Unavailable\r\n") and b"max_clients" in got
    assert server.clients == 1
    first.close()


def test_connections_that_only_knock_do_not_pile_up(server: n6post.MjpegServer) -> None:
    knocking = [asked(server.port, b"") for _ in range(3)]
    for _ in range(20):
        server.send(frame())
    assert len(server._connections) <= server.max_clients + 2  # type: ignore[attr-defined]
    for one in knocking:
        one.close()


def test_another_port_closes_the_old_one_and_opens_with_the_next_frame(server: n6post.MjpegServer) -> None:
    old = server.port
    server.port = free_port()
    server.send(frame())
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection(("127.0.0.1", old), timeout=5)
    watcher = Watcher(server.port, 1)
    serve(server, lambda: not watcher.is_alive(), frame())
    assert watcher.error is None


def test_after_close_the_next_frame_opens_the_port_again(server: n6post.MjpegServer) -> None:
    server.close()
    server.close()
    assert server.clients == 0
    server.send(frame())
    watcher = Watcher(server.port, 1)
    serve(server, lambda: not watcher.is_alive(), frame())
    assert watcher.error is None


def test_a_port_in_use_is_an_oserror_that_names_it(server: n6post.MjpegServer) -> None:
    message = f"port {server.port} cannot be opened: is the network up, and the port free"
    with pytest.raises(OSError, match=message) as caught:
        n6post.MjpegServer(server.port)
    assert caught.value.errno == errno.EADDRINUSE


@pytest.mark.parametrize("wrong", [None, 3, b"\xff\xd8", "frame"])
def test_anything_but_an_image_is_refused(server: n6post.MjpegServer, wrong: Any) -> None:
    with pytest.raises(ValueError, match=r"^MjpegServer\.send: expected an image, got "):
        server.send(wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"port": 0}, "port: expected an integer from 1 to 65535, got 0"),
        ({"port": 80.0}, r"port: expected an integer from 1 to 65535, got 80\.0"),
        ({"quality": 0}, "quality: expected an integer from 1 to 100, got 0"),
        ({"max_clients": 17}, "max_clients: expected an integer from 1 to 16, got 17"),
        ({"timeout": 0}, r"timeout: expected a number from 0\.1 to 3600\.0, got 0"),
    ],
)
def test_wrong_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        n6post.MjpegServer(**options)


def test_an_unknown_option_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(TypeError, match=r"MjpegServer has no option 'qualty': did you mean quality\?"):
        n6post.MjpegServer(qualty=3)  # type: ignore[call-arg]


# --- errors of the network ---


class FailingSocket:
    """A client's socket whose calls fail, one after the other, with these errors; then it works."""

    def __init__(self, *errors: BaseException) -> None:
        self.errors, self.sent, self.closed = list(errors), b"", False

    def _fail(self) -> None:
        if self.errors:
            raise self.errors.pop(0)

    def recv(self, size: int) -> bytes:
        raise BlockingIOError(errno.EAGAIN, "later")

    def send(self, data: Any) -> int:
        self._fail()
        part = bytes(data[:1000])
        self.sent += part
        return len(part)

    def fileno(self) -> int:
        return 1 << 20

    def close(self) -> None:
        self.closed = True


def with_client(server: n6post.MjpegServer, client: FailingSocket) -> Any:
    """The server's connection to this client, which watches."""
    one = mjpeg_server._Connection(client)
    one.request, one.watches = None, True
    server._connections.append(one)  # type: ignore[attr-defined]
    return one


@pytest.mark.parametrize("number", [errno.EAGAIN, errno.ENOMEM, errno.ETIMEDOUT])
def test_a_full_network_is_tried_again_with_the_next_call(server: n6post.MjpegServer, number: int) -> None:
    client = FailingSocket(OSError(number, "full"))
    with_client(server, client)
    noise = Noise()
    for _ in range(2000):
        server.send(noise)
    whole = b"Content-Type: image/jpeg\r\nContent-Length: "
    assert client.sent.startswith(whole) and client.sent.count(b"\r\n--frame\r\n") >= 2
    first = client.sent.split(b"\r\n\r\n", 1)[1].split(b"\r\n--frame\r\n")[0]
    assert first == bytes(noise._jpeg.bytearray())


@pytest.mark.parametrize("number", [errno.ECONNRESET, errno.ENOTCONN, errno.EPIPE, errno.ECONNABORTED, errno.EIO])
def test_a_failed_connection_is_dropped_without_an_error(server: n6post.MjpegServer, number: int) -> None:
    client = FailingSocket(OSError(number, "gone"))
    with_client(server, client)
    assert server.send(frame()) == 0
    assert client.closed and server._connections == []  # type: ignore[attr-defined]


def test_a_client_goes_on_after_a_memory_error(server: n6post.MjpegServer) -> None:
    client = FailingSocket(MemoryError())
    with_client(server, client)
    img = frame()
    with pytest.raises(MemoryError):
        server.send(img)
    for _ in range(20):
        server.send(img)
    assert client.sent.startswith(b"Content-Type: image/jpeg\r\n") and client.sent.count(b"\r\n--frame\r\n") >= 2


def test_a_memory_error_of_the_jpeg_leaves_the_clients(server: n6post.MjpegServer) -> None:
    client = FailingSocket()
    with_client(server, client)

    class Full:
        def to_jpeg(self, **options: Any) -> Any:
            raise MemoryError

    with pytest.raises(MemoryError):
        server.send(Full())  # type: ignore[arg-type]
    assert server.send(frame()) == 1 and client.sent


def test_a_network_that_was_switched_off_is_opened_again(server: n6post.MjpegServer) -> None:
    class Off:
        def poll(self, timeout: int) -> None:
            raise OSError(errno.ENODEV, "off")

        def unregister(self, client: Any) -> None:
            raise OSError(errno.ENODEV, "off")

    client = FailingSocket()
    with_client(server, client)
    server._poll = Off()  # type: ignore[attr-defined]
    assert server.send(frame()) == 0 and client.closed
    server.send(frame())
    watcher = Watcher(server.port, 1)
    serve(server, lambda: not watcher.is_alive(), frame())
    assert watcher.error is None


def test_without_select_poll_it_asks_its_sockets(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on Windows."""
    monkeypatch.delattr(mjpeg_server.select, "poll", raising=False)
    server = n6post.MjpegServer(free_port())
    assert server._poll is None  # type: ignore[attr-defined]
    watcher = Watcher(server.port, 3)
    serve(server, lambda: not watcher.is_alive(), frame())
    server.close()
    assert watcher.error is None


def test_a_client_whose_request_meets_a_memory_error_is_disconnected_at_once(
    server: n6post.MjpegServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Otherwise it would wait for an answer until the timeout."""

    def starve(*arguments: Any) -> None:
        raise MemoryError("memory allocation failed")

    monkeypatch.setattr(n6post.MjpegServer, "_read", starve)
    client = asked(server.port, b"GET / HTTP/1.1\r\n\r\n")
    client.settimeout(2)
    with pytest.raises(MemoryError):
        serve(server, lambda: False, frame())
    assert client.recv(17) == b"" and server.clients == 0
    client.close()


@pytest.mark.proof("lib/n6post/streams/*.py")
def test_a_memory_error_at_any_line_leaves_a_server_that_works() -> None:
    """The error comes before each line of send(), one after the other."""
    server = n6post.MjpegServer(free_port())
    img, failed, line = frame(), 0, 0
    code = mjpeg_server.__file__
    try:
        while True:
            client = asked(server.port, b"GET / HTTP/1.1\r\n\r\n")
            line += 1
            left = line

            def trace(place: Any, event: str, value: Any) -> Any:
                nonlocal left
                if place.f_code.co_filename != code:
                    return None
                if event == "line":
                    left -= 1
                    if left == 0:
                        raise MemoryError("memory allocation failed")
                return trace

            time.sleep(0.002)
            sys.settrace(trace)
            try:
                for _ in range(3):
                    server.send(img)
            except MemoryError:
                failed += 1
            finally:
                sys.settrace(None)
            for _ in range(3):
                server.send(img)
            client.setblocking(False)
            with contextlib.suppress(OSError):  # nothing was sent to a client whose request is lost
                assert client.recv(17) in (b"HTTP/1.1 200 OK\r\n", b"")
            client.close()
            for _ in range(50):
                server.send(img)
            serve(server, lambda: not server._connections, img)  # type: ignore[attr-defined]
            if left > 0:
                break
        assert failed == line - 1 > 60
        watcher = Watcher(server.port, 3)
        serve(server, lambda: not watcher.is_alive(), img)
        assert watcher.error is None and len(watcher.received) == 3
    finally:
        sys.settrace(None)
        server.close()


# --- hostile clients ---


@hypothesis.settings(max_examples=40)
@hypothesis.given(st.lists(st.one_of(st.binary(max_size=60), st.sampled_from(
    [b"GET / HTTP/1.1", b"\r\n", b"\r\n\r\n", b"GET ", b"/", b" ", b"\n\n", b"HEAD / HTTP/1.0", b"\0" * 3000]
)), max_size=8))  # fmt: skip
def test_no_request_ends_the_loop(parts: list[bytes]) -> None:
    server = n6post.MjpegServer(free_port(), timeout=0.1)
    client = socket.create_connection(("127.0.0.1", server.port), timeout=20)
    img = frame()
    try:
        for part in parts:
            with contextlib.suppress(ConnectionError):
                client.sendall(part)
            assert server.send(img) in (0, 1)
        client.close()
        serve(server, lambda: not server._connections, img)  # type: ignore[attr-defined]
    finally:
        client.close()
        server.close()


# --- on a real MicroPython ---

PROGRAM = """
import sys, time
from n6post.streams.mjpeg_server import MjpegServer

class Jpeg:
    def bytearray(self):
        return bytearray(b"jpeg" * 5000)

class Frame:
    compressed = 0

    def to_jpeg(self, quality, copy):
        Frame.compressed += 1
        return Jpeg()

server = MjpegServer(int(sys.argv[1]), timeout=0.5)
img = Frame()
print(server.send(img), img.compressed)
seen = 0
start = time.ticks_ms()
while time.ticks_diff(time.ticks_ms(), start) < 20000 and not (seen and not server._connections):
    seen = max(seen, server.send(img))
    time.sleep_ms(2)
print(seen, Frame.compressed > 20)
try:
    MjpegServer(server.port)
except OSError as error:
    print(error.errno, str(error)[-60:])
server.close()
"""


def test_a_real_micropython_serves_slow_and_stalled_clients(tmp_path: Path) -> None:
    binary = vm.with_ulab()
    (tmp_path / "program.py").write_text(PROGRAM, encoding="utf-8")
    port = free_port()
    command = [binary, str(tmp_path / "program.py"), str(port)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={"MICROPYPATH": str(ROOT / "lib")})
    assert running.stdout is not None
    try:
        time.sleep(0.3)
        asleep, watcher = stalled(port), Watcher(port, 20)
        watcher.join(20)
        assert watcher.error is None and set(watcher.received) == {b"jpeg" * 5000}
        refused = asked(port, b"GET /favicon.ico HTTP/1.1\r\n\r\n")
        assert whole_answer(refused).startswith(b"HTTP/1.1 404 Not Found")
        asleep.close()
        assert running.stdout.read().splitlines()[:2] == ["0 0", "2 True"]
    finally:
        running.kill()
        running.wait()
