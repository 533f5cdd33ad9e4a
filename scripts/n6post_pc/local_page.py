"""Web pages of http.server on this PC. Only browsers on it can open them."""

import re
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from .command import UserError

HOST = "127.0.0.1"

# Of a page that loads nothing from elsewhere and has a token in its address.
HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; base-uri 'none'; frame-ancestors 'none'; "
                               "form-action 'none'",
    "Referrer-Policy": "no-referrer",  # the address has the token in it
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}  # fmt: skip

_FRESH = {"Cache-Control": "no-store"}


def cannot_serve(port: int, error: Exception) -> str:
    return f"cannot serve a page on port {port}: {error}; choose another port with --http"


def is_ours(host: str) -> bool:
    """Whether a Host header names this PC. Browsers leave out port 80."""
    return re.fullmatch(rf"({re.escape(HOST)}|localhost)(:\d+)?", host, re.IGNORECASE) is not None


def is_own(origin: str | None, host: str | None) -> bool:
    """Whether an Origin header is that of the page at this host: browsers send another one with another page's requests."""
    return origin == f"http://{host}"


class Handler(BaseHTTPRequestHandler):
    """Refuses requests for another host name. `get` and `post` answer the others."""

    def do_GET(self) -> None:
        self._guarded(self.get)

    def do_POST(self) -> None:
        self._guarded(self.post)

    def get(self) -> None:
        self.send_error(404)

    def post(self) -> None:
        self.send_error(501)  # as without this method

    def _guarded(self, answer: Callable[[], None]) -> None:
        # DNS rebinding: another website's name may point to this PC, but its pages must not read these.
        if not is_ours(self.headers.get("Host", "")):
            self.send_error(403)
            return
        try:
            answer()
        except (BrokenPipeError, ConnectionResetError):
            pass  # the browser closed the connection

    def send(self, kind: str, body: bytes, status: int = 200, headers: Mapping[str, str] | None = None) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), **(headers or _FRESH)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *arguments: object) -> None:
        pass


class Server:
    """Answers requests, each in a thread of its own, until `close`. `address` ends in a slash."""

    def __init__(self, handler: type[Handler], port: int = 0) -> None:
        """`port`: 0 for any free one. UserError if the port cannot be used."""
        try:
            self._server = ThreadingHTTPServer((HOST, port), handler)
        except (OSError, OverflowError) as error:
            raise UserError(cannot_serve(port, error)) from None
        self._server.daemon_threads = True
        self.address = f"http://{HOST}:{self._server.server_address[1]}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Until Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)  # with a limit, as without one Windows does not deliver Ctrl-C

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
