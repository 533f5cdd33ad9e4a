"""scripts/n6post_pc/studio/server.py: who may use the page, and what it answers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from commands import answer_of
from n6post_pc import paths
from n6post_pc.command import UserError
from n6post_pc.studio import server
from n6post_pc.studio.server import Server
from n6post_pc.studio.workbench import Workbench
from test_frames import film

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")


class Studio:
    """A running page, and requests to it."""

    def __init__(self, folder: Path) -> None:
        self.bench = Workbench(folder)
        self.bench.add_model(paths.SAMPLE_MODEL)
        self.bench.add_source(paths.SAMPLE_PICTURES / "shapes_06.jpg")
        self.server = Server(self.bench)
        self.parts = urlsplit(self.server.address)

    def ask(self, path: str, body: Any = None, host: str | None = None, origin: str | None = None) -> tuple[int, Any, bytes]:
        headers = {name: value for name, value in (("Host", host), ("Origin", origin)) if value}
        return answer_of(self.parts, path, body, headers)


@pytest.fixture
def studio(tmp_path: Path) -> Iterator[Studio]:
    made = Studio(tmp_path / "studio")
    yield made
    made.server.close()


LOOK = {"model": "m1", "picture": "p2"}


def test_without_its_token_nothing_answers(studio: Studio) -> None:
    assert studio.ask("")[0] == 200 and studio.ask("state")[0] == 200
    for path in ("/", "/state", "/look", "/wrong/state", "/studio.js", f"{studio.parts.path[:-2]}/state"):
        assert studio.ask(path)[0] == 404, path
        assert studio.ask(path, LOOK)[0] in (404, 405), path
    token = studio.parts.path.strip("/")
    assert len(token) >= 22  # 128 bits


def test_two_pages_have_different_tokens(studio: Studio, tmp_path: Path) -> None:
    other = Server(Workbench(tmp_path / "other"))
    try:
        assert urlsplit(other.address).path != studio.parts.path
    finally:
        other.close()


def test_only_this_pc_is_listened_to(studio: Studio) -> None:
    assert studio.parts.hostname == "127.0.0.1"
    assert studio.server._socket.getsockname()[0] == "127.0.0.1"


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80"])
def test_another_host_name_is_refused_even_with_the_token(studio: Studio, host: str) -> None:
    assert studio.ask("state", host=host)[0] == 400
    assert studio.ask("look", LOOK, host=host)[0] == 400
    assert studio.ask("state", host="localhost:1")[0] == 200


def test_a_page_from_elsewhere_cannot_use_this_one(studio: Studio) -> None:
    """Even if it knows the token. Browsers send the header Origin with each request of another page."""
    for origin, status in (("https://evil.example", 403), ("null", 403), ("http://127.0.0.1:1", 403)):
        assert studio.ask("files/x.txt", b"a\n", origin=origin)[0] == status
        assert studio.ask("state", origin=origin)[0] == status
    own = f"http://127.0.0.1:{studio.parts.port}"
    assert studio.ask("files/x.txt", b"a\n", origin=own)[0] == 200


def test_a_video_is_decoded_by_one_thread_at_a_time(studio: Studio, tmp_path: Path) -> None:
    picture = studio.bench.add_source(film(tmp_path / "film.mp4", 12))
    statuses: list[int] = []

    def ask(number: int) -> None:
        statuses.append(studio.ask("look", {**LOOK, "picture": picture, "number": number})[0])
        statuses.append(studio.ask(f"thumbnails/{picture}")[0])

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert statuses == [200] * 24


def test_every_answer_forbids_what_is_from_elsewhere(studio: Studio) -> None:
    for path in ("", "state", "studio.js", "docs/troubleshooting.html", "absent", "/"):
        headers = studio.ask(path)[1]
        assert headers["Content-Security-Policy"].startswith("default-src 'self';"), path
        assert headers["Referrer-Policy"] == "no-referrer" and headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"


def test_even_an_error_of_the_program_has_these_headers(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Workbench, "state", None)
    status, headers, _ = studio.ask("state")
    assert status == 500 and headers["Content-Security-Policy"].startswith("default-src 'self';")


def test_the_page_names_no_address_but_its_own(studio: Studio) -> None:
    for path in server.PAGE.iterdir():
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?:|//[a-z]+\.[a-z]", text), path
        assert studio.ask(path.name)[2] == path.read_bytes()


OUTSIDE = ["../server.py", "..%2fserver.py", "%2e%2e/server.py", "models/m1/../../x", "docs/..%2fapi.html"]


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_file_outside_of_the_page_can_be_read(studio: Studio, path: str) -> None:
    status, _, body = studio.ask(path)
    assert status == 404 and b"import" not in body


def test_a_wrong_request_gets_a_sentence(studio: Studio) -> None:
    shape = "with model, picture, and more of exact, family, fit"
    for path, body, message in (
        ("look", b"no json", "expected JSON"), ("look", b"[" * 200_000, "expected JSON"), ("look", [1], "a JSON object"),
        ("look", {}, shape), ("look", {**LOOK, "extra": 1}, shape), ("compare", {"left": LOOK}, shape),
        ("compare", {"left": None, "right": LOOK}, shape), ("look", {**LOOK, "fit": None}, "fit: expected a text, got None"),
        ("look", {**LOOK, "fit": "zoom"}, "fit: expected one of"), ("files/x.md", b"?", "x.md: expected a model"),
        ("files/%2E%2E", b"?", "the name of a file"), ("files/", b"?", "the name of a file"),
        ("files/a%00.png", b"?", "the name of a file"), ("files/" + 300 * "a" + ".png", b"?", "of at most 200"),
        ("optimize/m99", {}, "no longer on the page"), ("frames/p2", None, "no camera"),
        ("thumbnails/p99", None, "no longer on the page"),
    ):  # fmt: skip
        status, _, answer = studio.ask(path, body)
        assert status == 400 and message in json.loads(answer)["error"], (path, answer)


def test_a_file_that_is_too_large_is_refused(studio: Studio, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "LARGEST", 1 << 20)
    status, _, answer = studio.ask("files/x.tflite", bytes(3 << 20))
    assert status == 400 and json.loads(answer)["error"] == "x.tflite: larger than 1 MB"
    assert len(studio.bench.models) == 1


def test_a_dropped_name_with_a_slash_stays_a_name(studio: Studio, tmp_path: Path) -> None:
    status, _, answer = studio.ask("files/..%2f..%2fevil.txt", b"a\nb\n")
    assert status == 200 and not list(tmp_path.glob("evil*")) and not list(tmp_path.parent.glob("evil*"))


def test_the_optimized_file_can_be_saved_with_its_labels(studio: Studio) -> None:
    made = json.loads(studio.ask("optimize/m1", {})[2])["model"]
    status, headers, data = studio.ask(f"models/{made}/shapes_optimized.tflite")
    assert status == 200 and data == studio.bench.models[made].path.read_bytes()
    assert "shapes_optimized.tflite" in headers["Content-Disposition"]
    assert studio.ask(f"models/{made}/labels.txt")[2].decode().split() == ["circle", "triangle", "square", "star"]
    assert studio.ask("models/m99/x.tflite")[0] == 404


def test_a_port_that_is_taken_is_named(studio: Studio, tmp_path: Path) -> None:
    port = studio.parts.port or 0
    with pytest.raises(UserError, match=f"cannot serve a page on port {port}: .*--http"):
        Server(Workbench(tmp_path / "other"), port)
