"""The firmware's `requests`: prints each request, and sends it only after `n6post host --network`.

Without the network, every request is answered with status 200 and the content {}. A request that the camera's module would
send damaged raises an error that says so. `n6post host` makes this module importable; it hides PyPI's of the same name.
"""

from __future__ import annotations

import binascii
import http.client
import json as _json
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import _host

# Whether requests are sent, and those of the script so far: (method, url, headers, body).
_host_network = False
_host_sent: list[tuple[str, str, dict[str, str], bytes]] = []

_BOUNDARY = "37a4bcce91521f74142f1868e328a6b9"
_SECONDS = 5.0  # the camera's socket waits as long

if not TYPE_CHECKING:
    __getattr__ = _host.missing("requests")


class Response(_host.StandIn):
    """An answer. `content` and `headers` are texts, as on the camera."""

    def __init__(self, code: int, reason: str, headers: bytes | None = None, content: bytes | None = None) -> None:
        self.encoding = "utf-8"
        self._content, self._headers = content, headers
        self.reason = reason
        self.status_code = code

    @property
    def headers(self) -> str:
        return str(self._headers or b"", self.encoding)

    @property
    def content(self) -> str:
        return str(self._content or b"", self.encoding)

    def json(self) -> Any:
        return _json.loads(self._content or b"")


def request(
    method: str, url: str, data: Any = None, json: Any = None, files: Any = None, headers: dict[str, Any] | None = None,
    auth: tuple[str, str] | None = None, stream: Any = None,
) -> Response:
    """Send a request.

    data: bytes or str. headers: {name: text}. files: {name: (file name, open file)}. auth: (user, password).
    """
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"Unsupported protocol: {parts.scheme}:")
    if json is not None:
        raise ValueError(
            "requests: the camera's json= sends the text <module 'json'> in place of the value: write data=json.dumps(value)"
            ' and headers={"Content-Type": "application/json"}'
        )
    sent = {name: value.decode() if isinstance(value, bytes) else str(value) for name, value in (headers or {}).items()}
    if auth:
        sent["Authorization"] = "Basic " + binascii.b2a_base64(f"{auth[0]}:{auth[1]}".encode(), newline=False).decode()
    body = _multipart(files, sent) if files is not None else _bytes(data)
    _host_sent.append((method, url, sent, body))
    _host.show(f"requests {method} {url}", body)
    if not _host_network:
        return Response(200, "OK", b"Content-Type: application/json", b"{}")
    return _sent(method, parts, sent, body)


def _bytes(data: Any) -> bytes:
    if data is None:
        return b""
    if isinstance(data, str) and not data.isascii():
        raise ValueError("requests: the camera counts characters, not bytes, of a str: write data=text.encode()")
    return _host.to_bytes(data)


def _multipart(files: dict[str, tuple[str, Any]], headers: dict[str, str]) -> bytes:
    headers["Content-Type"] = f"multipart/form-data; boundary={_BOUNDARY}"
    body = b""
    for name, (file_name, file) in files.items():
        head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"; filename="{file_name}"\r\n\r\n'
        body += head.encode() + _host.to_bytes(file.read()) + b"\r\n"
    return body + f"\r\n--{_BOUNDARY}--\r\n".encode()


def _sent(method: str, parts: Any, headers: dict[str, str], body: bytes) -> Response:
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=_SECONDS)
    connection._http_vsn, connection._http_vsn_str = 10, "HTTP/1.0"  # type: ignore[attr-defined]  # as the camera
    try:
        connection.request(method, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""), body or None, headers)
        answer = connection.getresponse()
        if "Location" in answer.headers:
            place = answer.headers["Location"]
            raise NameError(f"name 'status' isn't defined: the camera's requests fails on a redirect, here to {place}")
        lines = "\r\n".join(f"{name}: {value}" for name, value in answer.getheaders())
        return Response(answer.status, answer.reason, lines.encode(), answer.read())
    except http.client.HTTPException as error:
        raise OSError(str(error)) from error
    finally:
        connection.close()


def head(url: str, **options: Any) -> Response:
    return request("HEAD", url, **options)


def get(url: str, **options: Any) -> Response:
    return request("GET", url, **options)


def post(url: str, **options: Any) -> Response:
    return request("POST", url, **options)


def put(url: str, **options: Any) -> Response:
    return request("PUT", url, **options)


def patch(url: str, **options: Any) -> Response:
    return request("PATCH", url, **options)


def delete(url: str, **options: Any) -> Response:
    return request("DELETE", url, **options)
