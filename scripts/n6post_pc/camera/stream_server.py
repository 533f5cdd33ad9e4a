"""Web page on localhost that shows a camera's frames. Only browsers on this PC can open it."""

import html
import io
import threading
from pathlib import PurePosixPath

from PIL import Image

from ..local_page import Handler as LocalHandler
from ..local_page import Server
from ..terminal import clean

LINES, LENGTH = 30, 2000  # how many of the script's last lines the page shows, and how many characters of each

_PAGE = """\
<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>{title}</title>
<style>body {{ font-family: sans-serif; margin: 1em; background: #181818; color: #ddd }}
img {{ max-width: 100%; min-width: 320px; image-rendering: auto; background: #000 }} pre {{ white-space: pre-wrap }}</style>
<h3>{title}</h3><img src="/stream" alt="no frame yet"><pre id="lines"></pre>
<script>setInterval(() => fetch("/lines").then(r => r.text()).then(t => {{
document.getElementById("lines").textContent = t }}).catch(() => {{}}), 500)</script></html>
"""


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
        self._server = Server(self._handler(), port)
        self.address = self._server.address

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
        self._server.close()

    def _next(self, after: int) -> tuple[bytes, int]:
        """Wait for a frame newer than number `after`. Returns its JPEG and number; b"" after the page is closed."""
        with self._new:
            while self._number == after and not self._closed:
                self._new.wait(1)
            return (b"", after) if self._number == after else (self._jpeg, self._number)

    def _handler(self) -> type[LocalHandler]:
        page = self

        class Handler(LocalHandler):
            def get(self) -> None:
                what = PurePosixPath(self.path.partition("?")[0]).name
                if what == "":
                    self.send("text/html; charset=utf-8", _PAGE.format(title=page._title).encode())
                elif what == "lines":
                    with page._new:
                        text = "\n".join(page._lines)
                    self.send("text/plain; charset=utf-8", text.encode())
                elif what == "frame.jpg" and page._jpeg:
                    self.send("image/jpeg", page._jpeg)
                elif what == "stream":
                    self._stream()
                else:
                    self.send_error(404)

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

        return Handler
