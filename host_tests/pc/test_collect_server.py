"""scripts/n6post_pc/collect/server.py: who may use the page of n6post collect, and what it answers."""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from commands import answer_of, running
from n6post_pc.collect import server
from n6post_pc.collect.folder import DROPPED, Folder
from test_collect import LABELS, collected, content

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/*/page/*")


class Page:
    """A running page, and requests to it as it makes them."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder
        self.server, self.address = server.page(Folder(folder), names)
        self.parts = urlsplit(self.address)
        self.own = {"Origin": f"http://127.0.0.1:{self.parts.port}"}

    def ask(self, path: str, body: Any = None, **headers: str) -> tuple[int, Any, bytes]:
        return answer_of(self.parts, path, body, ({} if body is None else self.own) | headers)


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return collected(tmp_path / "photos")


@pytest.fixture
def page(photos: Path) -> Iterator[Page]:
    made = Page(photos, ["cat", "dog"])
    yield made
    made.server.close()


DROP = {"state": DROPPED}


def test_the_state_has_whole_pictures_and_all_classes(page: Page) -> None:
    (page.folder / "00010_lost.txt").unlink()
    state = json.loads(page.ask("state")[2])
    assert state["classes"] == [[0, "cat"], [1, "dog"], [3, "3"]]
    assert [one["name"] for one in state["pictures"]] == ["00002_new", "00011_new", "100000_unsure_120"]
    assert state["pictures"][0] == {"name": "00002_new", "reason": "new", "state": "to sort", "size": [64, 48],
                                    "lines": LABELS["00002_new"].splitlines()}  # fmt: skip
    assert page.ask("pictures/00002_new")[2] == (page.folder / "00002_new.jpg").read_bytes()


def test_a_decision_is_written_at_once(page: Page) -> None:
    status, _, answer = page.ask("pictures/00002_new", DROP)
    assert status == 200 and json.loads(answer)["state"] == DROPPED
    assert (page.folder / "dropped/00002_new.txt").read_text(encoding="utf-8") == LABELS["00002_new"]
    assert page.ask("pictures/00002_new")[2] == (page.folder / "dropped/00002_new.jpg").read_bytes()
    lines = LABELS["00002_new"].splitlines()
    status, _, answer = page.ask("pictures/00002_new", {"before": lines, "lines": lines[1:]})
    assert status == 200 and json.loads(answer)["lines"] == lines[1:]
    assert (page.folder / "dropped/00002_new.txt").read_text(encoding="utf-8") == lines[1] + "\n"


def test_without_its_token_nothing_answers(page: Page) -> None:
    assert page.parts.hostname == "127.0.0.1" and len(page.parts.path) >= 24  # 128 bits and two slashes
    before = content(page.folder)
    for path in ("/", "/state", "/collect.js", "/pictures/00002_new", f"{page.parts.path[:-2]}/state", "/x/state"):
        assert page.ask(path)[0] == 404, path
        assert page.ask(path, DROP)[0] == 404, path
    assert content(page.folder) == before and page.ask("state")[0] == 200


def test_another_page_or_host_name_is_refused(page: Page) -> None:
    before = content(page.folder)
    port = page.parts.port
    for origin in ("https://evil.example", "null", "http://127.0.0.1:1", f"https://127.0.0.1:{port}", ""):
        assert page.ask("pictures/00002_new", DROP, Origin=origin)[0] == 403, origin
    for host in ("evil.example", f"evil.example:{port}"):
        assert page.ask("pictures/00002_new", DROP, Host=host, Origin=f"http://{host}")[0] == 403
        assert page.ask("state", Host=host)[0] == page.ask("pictures/00002_new", Host=host)[0] == 403
    page.own.clear()
    assert page.ask("pictures/00002_new", DROP)[0] == 403 and content(page.folder) == before
    local = f"localhost:{port}"
    assert page.ask("pictures/00002_new", DROP, Host=local, Origin=f"http://{local}")[0] == 200


@pytest.mark.parametrize("path", [
    "pictures/../labels.txt", "pictures/labels", "pictures/..%2f00002_new", "pictures/deeper/00002_new", "00002_new",
    "pictures/00002_new.jpg", "pictures/00002_new/", "pictures/", "pictures//00002_new", "../00002_new", "server.py",
    "../server.py", "%2e%2e/server.py", "pictures/00009_new", "x/index.html", "studio.js", "pictures/collect.js",
])  # fmt: skip
def test_no_other_file_can_be_read_or_changed(path: str, page: Page) -> None:
    (page.folder / "labels.txt").write_text("cat\n", encoding="utf-8")
    (page.folder / "deeper").mkdir()
    (page.folder / "00002_new.jpg").rename(page.folder / "deeper/00002_new.jpg")
    before = content(page.folder.parent)
    assert page.ask(path)[0] == 404
    for body in (DROP, {"before": [], "lines": []}):
        assert page.ask(path, body)[0] in (400, 404)
    assert content(page.folder.parent) == before


@pytest.mark.parametrize("body, message", [
    (b"no json", "expected JSON"), (b"[" * 200_000, "expected JSON"), ([1], "expected JSON"), (3, "expected JSON"),
    ({}, "expected JSON with state, or with before and lines"), ({"state": "gone"}, "one of to sort, kept, dropped"),
    ({"state": []}, "expected JSON"), ({"before": [], "lines": []}, "have changed meanwhile"), (b"\xff", "expected JSON"),
    ({"before": LABELS["00002_new"].splitlines(), "lines": ["0 0 0 0 0"]}, "class cx cy w h"),
    ({"before": LABELS["00002_new"].splitlines(), "lines": [3]}, "expected JSON"),
    ({"before": LABELS["00002_new"].splitlines(), "lines": ["0 .5 .5 .5 .5\nx"]}, "class cx cy w h"),
])  # fmt: skip
def test_a_wrong_request_gets_a_sentence_and_changes_nothing(body: Any, message: str, page: Page) -> None:
    before = content(page.folder)
    status, headers, answer = page.ask("pictures/00002_new", body)
    assert status == 400 and message in json.loads(answer)["error"], answer
    assert content(page.folder) == before and headers["Content-Security-Policy"].startswith("default-src 'self';")


def test_a_request_that_is_too_large_is_not_read(page: Page) -> None:
    assert page.ask("pictures/00002_new", DROP, **{"Content-Length": str((1 << 20) + 1)})[0] == 413
    assert page.ask("pictures/00002_new", DROP, **{"Content-Length": "-1"})[0] == 413


def test_the_page_names_no_address_but_its_own(page: Page) -> None:
    for name, (path, kind) in server.STATIC.items():
        text = path.read_text(encoding="utf-8")
        own = re.sub(r'"http://www.w3.org/2000/svg"', "", text)
        assert not re.search(r"https?:|//[a-z]+\.[a-z]", own), path
        status, headers, body = page.ask(name)
        assert (status, headers["Content-Type"], body.decode()) == (200, kind, text)
        assert headers["Content-Security-Policy"].startswith("default-src 'self';")
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer" and headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals for one process")
def test_the_command_serves_the_page_until_ctrl_c(photos: Path) -> None:
    with running("collect.py", photos, "--page") as process:
        assert process.stdout is not None
        address = urlsplit(process.stdout.readline().strip())
        assert len(json.loads(answer_of(address, "state", None, {})[2])["pictures"]) == len(LABELS)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=30)
    assert (process.returncode, out, errors) == (0, "", "Ctrl-C ends it.\n")
