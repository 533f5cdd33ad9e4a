"""Web page on localhost that shows a camera's frames. Only browsers on this PC can open it."""

import html
import io
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import PurePosixPath

from PIL import Image

from ..command import UserError
from ..terminal import clean

HOST = "127.0.0.1"
LINES, LENGTH = 30, 2000  # how many of the script's last lines the page shows, and how many characters of each

_PAGE = """\
<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1em; background: #181818; color: #ddd }}
img {{ max-width: 100%; min-width: 320px; image-rendering: auto; background: #000 }} pre {{ white-space: pre-wrap }}</style>
<h3>{title}</h3><img src="/stream" alt="no frame yet"><pre id="lines"></pre>
<script>setInterval(() => fetch("/lines").then(r => r.text()).then(t => {{
document.getElementById("lines").textContent = t }}).catch(() => {{}}), 500)</script></html>
"""


def _is_ours(host: str) -> bool:
    """Whether a Host header names this PC. Browsers leave out port 80."""
    return re.fullmatch(rf"({re.escape(HOST)}|localhost)(:\d+)?", host, re.IGNORECASE) is not None


class Page:
    """Serves the page until it is closed.

    `show` takes a JPEG, `show_picture` a picture, `tell` a line of text. Call them from one thread; requests are answered in
    others.
    """

    def __init__(self, title: str, port: int = 0) -> None:
        self._title = html.escape(clean(title))
        self._new = threading.Condition()
        self._jpeg, self._number, self._closed = b"", 0, False
        self._lines: list[str] = []
        try:
            self._server = ThreadingHTTPServer((HOST, port), self._handler())
        except (OSError, OverflowError) as error:
            raise UserError(f"cannot serve a page on port {port}: {error}; choose another port with --http") from None
        self._server.daemon_threads = True
        self.address = f"http://{HOST}:{self._server.server_address[1]}/"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def show(self, jpeg: bytes) -> None:
        with self._new:
            self._jpeg, self._number = jpeg, self._number + 1
            self._new.notify_all()

    def show_picture(self, picture: Image.Image) -> None:
        jpeg = io.BytesIO()
        picture.save(jpeg, "JPEG", quality=90)
        self.show(jpeg.getvalue())

    def tell(self, line: str) -> None:
        with self._new:
            self._lines = [*self._lines[1 - LINES :], clean(line if len(line) <= LENGTH else line[:LENGTH] + " ...")]

    def close(self) -> None:
        with self._new:
            self._closed = True
            self._new.notify_all()
        self._server.shutdown()
        self._server.server_close()

    def _next(self, after: int) -> tuple[bytes, int]:
        """Wait for a frame newer than number `after`. Returns its JPEG and number; b"" after the page is closed."""
        with self._new:
            while self._number == after and not self._closed:
                self._new.wait(1)
            return (b"", after) if self._number == after else (self._jpeg, self._number)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                # DNS rebinding: another website's name may point to this PC, but its pages must not read these.
                if not _is_ours(self.headers.get("Host", "")):
                    self.send_error(403)
                    return
                what = PurePosixPath(self.path.partition("?")[0]).name
                try:
                    if what == "":
                        self._send("text/html; charset=utf-8", _PAGE.format(title=page._title).encode())
                    elif what == "lines":
                        with page._new:
                            text = "\n".join(page._lines)
                        self._send("text/plain; charset=utf-8", text.encode())
                    elif what == "frame.jpg" and page._jpeg:
                        self._send("image/jpeg", page._jpeg)
                    elif what == "stream":
                        self._stream()
                    else:
                        self.send_error(404)
                except (BrokenPipeError, ConnectionResetError):
                    pass  # the browser closed the connection

            def _send(self, kind: str, body: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.write(body)

            def _stream(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "multipart/x-mixed-replace; boundary=frame")
                self.end_headers()
                number = 0
                while True:
                    jpeg, number = page._next(number)
                    if not jpeg:
                        return
                    head = f"--frame\r\nContent-Type: image/jpeg\r\nContent-Length: {len(jpeg)}\r\n\r\n"
                    self.wfile.write(head.encode() + jpeg + b"\r\n")

            def log_message(self, format: str, *arguments: object) -> None:
                pass

        return Handler
