"""The web server of n6post studio. Only browsers on this PC that know its address can use it.

It listens on 127.0.0.1. The first part of every path is a token that is new in each run, so no website can call it. Requests
for another host name are refused (a website's name may point to this PC: DNS rebinding), and so are those that another page
makes. The page loads nothing from elsewhere, and its Content-Security-Policy forbids it.
"""

import dataclasses
import re
import secrets
import socket
import threading
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HttpRequest
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..command import UserError
from ..local_page import HEADERS, HOST, cannot_serve, is_own
from . import pages
from .workbench import Request, UnclearError, Workbench

PAGE = Path(__file__).with_name("page")
LARGEST = 1 << 29  # bytes of a dropped file


class _Guard:
    """Refuses requests that another page makes, and adds HEADERS to every answer, also to those of errors."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            await send(message)

        asked = Headers(scope=scope) if scope["type"] == "http" else Headers()
        origin = asked.get("origin")
        if origin is not None and not is_own(origin, asked.get("host")):
            await Response("Another page may not use this one.", 403)(scope, receive, send_with_headers)
            return
        await self.app(scope, receive, send_with_headers)


def application(workbench: Workbench, token: str) -> ASGIApp:
    """The web application, all of it below /TOKEN/."""

    async def asked(http: HttpRequest) -> dict[str, Any]:
        try:
            body = await http.json()
        except (ValueError, RecursionError):
            raise UserError("expected JSON") from None
        if not isinstance(body, dict):
            raise UserError("expected a JSON object")
        return body

    def request_of(body: Any) -> Request:
        names = {one.name for one in dataclasses.fields(Request)}
        if not isinstance(body, dict) or not {"model", "picture"} <= set(body) <= names:
            raise UserError(f"expected a JSON object with model, picture, and more of {', '.join(sorted(names))}")
        return Request(**body)

    async def state(http: HttpRequest) -> Response:
        return JSONResponse(await run_in_threadpool(workbench.state))

    async def look(http: HttpRequest) -> Response:
        request = request_of(await asked(http))
        return JSONResponse(await run_in_threadpool(workbench.look, request))

    async def ticks(http: HttpRequest) -> Response:
        request = request_of(await asked(http))
        return JSONResponse(await run_in_threadpool(workbench.ticks, request))

    async def both(http: HttpRequest) -> Response:
        body = await asked(http)
        left, right = request_of(body.get("left")), request_of(body.get("right"))
        return JSONResponse(await run_in_threadpool(workbench.compare, left, right))

    async def drop(http: HttpRequest) -> Response:
        data = bytearray()
        async for piece in http.stream():
            data += piece
            if len(data) > LARGEST:
                raise UserError(f"{http.path_params['name']}: larger than {LARGEST >> 20} MB")
        taken = await run_in_threadpool(
            workbench.drop, http.path_params["name"], bytes(data), http.query_params.get("model", "")
        )
        return JSONResponse({**taken, "state": await run_in_threadpool(workbench.state)})

    async def remove(http: HttpRequest) -> Response:
        await run_in_threadpool(workbench.remove, http.path_params["key"])
        return JSONResponse(await run_in_threadpool(workbench.state))

    async def optimize(http: HttpRequest) -> Response:
        made = await run_in_threadpool(workbench.optimize, http.path_params["model"])
        return JSONResponse({"model": made.id, "state": await run_in_threadpool(workbench.state)})

    async def ask_vela(http: HttpRequest) -> Response:
        await run_in_threadpool(workbench.ask_vela, http.path_params["model"])
        return JSONResponse({})

    async def model_file(http: HttpRequest) -> Response:
        model = workbench.models.get(http.path_params["model"])
        if model is None:
            return Response(status_code=404)
        path = model.path
        if http.path_params["name"].endswith(".txt"):
            path = model.labels_path or path.with_suffix(".txt")
        return FileResponse(path, filename=path.name) if path.is_file() else Response(status_code=404)

    async def thumbnail(http: HttpRequest) -> Response:
        small = await run_in_threadpool(workbench.thumbnail, http.path_params["picture"])
        return Response(small, media_type="image/jpeg")

    async def next_frame(http: HttpRequest) -> Response:
        source = workbench.source(http.path_params["picture"])
        if not source.live:
            raise UserError("this is no camera")
        after = re.fullmatch(r"\d{1,9}", http.query_params.get("after", "0"))
        number = await run_in_threadpool(source.next_number, int(after[0]) if after else 0)
        if source.why_gone:
            raise UserError(f"camera on {source.port}: {source.why_gone}")
        return JSONResponse({"number": number})

    async def documentation(http: HttpRequest) -> Response:
        page = pages.rendered(http.path_params["name"])
        return Response(page, media_type="text/html") if page else Response("There is no such page.", status_code=404)

    async def static(http: HttpRequest) -> Response:
        path = PAGE / (http.path_params.get("name") or "index.html")
        return FileResponse(path) if path.parent == PAGE and path.is_file() else Response(status_code=404)

    async def refused(http: HttpRequest, error: Exception) -> Response:
        body = {"error": str(error), "unclear": isinstance(error, UnclearError)}
        return JSONResponse(body, status_code=400)

    async def gone(http: HttpRequest, error: Exception) -> Response:
        return Response(status_code=400)

    below = [
        Route("/", static),
        Route("/state", state),
        Route("/look", look, methods=["POST"]),
        Route("/ticks", ticks, methods=["POST"]),
        Route("/compare", both, methods=["POST"]),
        Route("/files/{name:path}", drop, methods=["POST"]),
        Route("/remove/{key}", remove, methods=["POST"]),
        Route("/optimize/{model}", optimize, methods=["POST"]),
        Route("/vela/{model}", ask_vela, methods=["POST"]),
        Route("/models/{model}/{name}", model_file),
        Route("/thumbnails/{picture}", thumbnail),
        Route("/frames/{picture}", next_frame),
        Route("/docs/{name}.html", documentation),
        Route("/{name}", static),
    ]
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=[HOST, "localhost"], www_redirect=False)
    routed = Starlette(
        routes=[Mount(f"/{token}", routes=below)],
        middleware=[hosts],
        exception_handlers={UserError: refused, ClientDisconnect: gone},
    )
    return _Guard(routed)  # outside of what answers exceptions


class Server:
    """Serves the page until `close`.

    address     the page's address, with the token in it
    """

    def __init__(self, workbench: Workbench, port: int = 0) -> None:
        """`port`: 0 for any free one. UserError if the port cannot be used."""
        token = secrets.token_urlsafe(16)
        self._socket = socket.socket()
        try:
            self._socket.bind((HOST, port))
            self._socket.listen()  # from now on a browser waits instead of failing
        except (OSError, OverflowError) as error:
            self._socket.close()
            raise UserError(cannot_serve(port, error)) from None
        self.address = f"http://{HOST}:{self._socket.getsockname()[1]}/{token}/"
        config = uvicorn.Config(application(workbench, token), log_level="error", access_log=False, lifespan="off")
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]}, daemon=True)
        self._thread.start()

    def wait(self) -> None:
        """Until Ctrl-C."""
        while self._thread.is_alive():
            self._thread.join(0.5)  # with a limit, as without one Windows does not deliver Ctrl-C

    def close(self) -> None:
        self._server.should_exit = True
        self._thread.join(5)
