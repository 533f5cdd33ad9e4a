"""The web server of `n6post collect --page`, with a token in its address like that of the studio."""

import json
import secrets
from typing import Any

from .. import local_page
from ..command import UserError
from ..paths import HERE
from .folder import NAME, Folder, Picture, box

_OURS, _STUDIO = HERE / "collect/page", HERE / "studio/page"
STATIC = {
    "": (_OURS / "index.html", "text/html; charset=utf-8"), "collect.js": (_OURS / "collect.js", "text/javascript"),
    "collect.css": (_OURS / "collect.css", "text/css"), "studio.css": (_STUDIO / "studio.css", "text/css"),
    "icon.svg": (_STUDIO / "icon.svg", "image/svg+xml"),
}  # fmt: skip
_LARGEST = 1 << 20  # bytes of a request


def _shown(one: Picture) -> dict[str, Any]:
    return {"name": one.path.stem, "reason": one.reason, "state": one.state, "size": one.size, "lines": one.lines}


def page(folder: Folder, names: list[str], port: int = 0) -> tuple[local_page.Server, str]:
    """(server, address). UserError if the port cannot be used."""
    token = f"/{secrets.token_urlsafe(16)}/"

    def state() -> dict[str, Any]:
        whole = [one for one in folder.pictures() if not one.damage]
        classes = {*range(len(names)), *(box(line)[0] for one in whole for line in one.lines)}
        named = [(number, names[number] if number < len(names) else str(number)) for number in sorted(classes)]
        return {"classes": named, "pictures": list(map(_shown, whole))}

    class Handler(local_page.Handler):
        def get(self) -> None:
            below, _, name = self.path.removeprefix(token).rpartition("/")
            if not self.path.startswith(token):
                self._answer(404, {"error": "there is no such page"})
            elif not below and name in STATIC:
                path, kind = STATIC[name]
                self.send(kind, path.read_bytes(), headers=local_page.HEADERS)
            elif not below and name == "state":
                self._answer(200, state())
            elif below == "pictures" and NAME.fullmatch(name) and (path := folder.place(name)[1]).is_file():
                self.send("image/jpeg", path.read_bytes(), headers=local_page.HEADERS)
            else:
                self._answer(404, {"error": "there is no such page"})

        def post(self) -> None:
            below, _, name = self.path.rpartition("/")
            length = self.headers.get("Content-Length", "")
            if not local_page.is_own(self.headers.get("Origin"), self.headers.get("Host")):
                return self._answer(403, {"error": "another page may not use this one"})
            if below != f"{token}pictures":
                return self._answer(404, {"error": "there is no such page"})
            if not length.isdecimal() or int(length) > _LARGEST:
                return self._answer(413, {"error": f"expected at most {_LARGEST:,} bytes"})
            try:
                body = json.loads(self.rfile.read(int(length)))
                if "state" in body:
                    folder.decide(name, body["state"])
                else:
                    folder.label(name, body["before"], body["lines"])
                self._answer(200, _shown(folder.picture(name)))
            except (UserError, OSError) as error:
                self._answer(400, {"error": str(error)})
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
                self._answer(400, {"error": f"expected JSON with state, or with before and lines: {error}"})

        def _answer(self, status: int, body: dict[str, Any]) -> None:
            self.send("application/json", json.dumps(body).encode(), status, local_page.HEADERS)

    server = local_page.Server(Handler, port)
    return server, server.address.rstrip("/") + token
