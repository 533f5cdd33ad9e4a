"""The documentation as a site: built strictly, every link followed, and looked at in a real browser.

The checks of links read the built HTML and know nothing of MkDocs. What a page says is compared with markdown-it, which
reads Markdown as GitHub does. What the theme does by itself (menu, colors, search box) is not tested again.
"""

from __future__ import annotations

import http.server
import json
import re
import shutil
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from functools import partial
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

import browser
import pytest
from commands import script
from markdown_it import MarkdownIt
from n6post_pc.host import command
from test_docs import slugs

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "scripts" / "dev" / "site"
EXAMPLES = sorted((ROOT / "scripts" / "examples").glob("*.py"))
BASE = "https://somebody.github.io/n6post/"  # where a site of this account would be

pytest.importorskip("material")
sys.path.insert(0, str(SITE))
import build_site  # noqa: E402
import hooks  # noqa: E402

pytestmark = [
    pytest.mark.xdist_group("site"),  # one worker: the site is built once
    pytest.mark.proof("scripts/dev/site/**/*", "scripts/examples/*.py", "docs/**/*", "*.md"),
]

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
COUNTED = ("h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "img", "strong", "em", "blockquote")


class Html(HTMLParser):
    """What a page links to, loads and says."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.html = html
        self.ids: set[str] = set()
        self.links: list[str] = []  # of <a>
        self.loads: list[str] = []
        self.unnamed: list[str] = []  # pictures without a text
        self.said = ""  # the words of the article
        self.tags: Counter[str] = Counter()  # of the article
        self._open: list[tuple[str, str]] = []  # (tag, class)
        self.feed(html)
        self.text = re.sub(r"\s+", "", self.said)

    def _counts(self) -> bool:
        """Whether this is in the article and is not one of the theme's own buttons."""
        buttons = ("headerlink", "md-content__button")
        return "article" in dict(self._open) and not any(name in classes for _, classes in self._open for name in buttons)

    def handle_starttag(self, tag: str, found: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in found}
        self.ids |= {attributes[name] for name in ("id", "name") if name in attributes and tag != "meta"}
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
        if tag == "link" and attributes.get("rel") not in ("canonical", "prev", "next", "edit"):
            self.loads.append(attributes["href"])
        if tag in ("script", "img", "iframe", "source") and "src" in attributes:
            self.loads.append(attributes["src"])
        if tag == "img" and not attributes.get("alt", "").strip():
            self.unnamed.append(attributes["src"])
        if tag not in VOID:
            self._open.append((tag, attributes.get("class", "")))
        self.tags[tag] += tag in COUNTED and self._counts()

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag not in VOID and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        self.said += data * self._counts()


class Built:
    """The site in a folder."""

    def __init__(self, folder: Path, *words: object) -> None:
        run_site(folder, *words)
        self.folder = folder
        files = sorted(folder.rglob("*.html"))
        self.pages = {file.relative_to(folder).as_posix(): Html(file.read_text(encoding="utf-8")) for file in files}


def run_site(folder: Path, *words: object, cwd: Path | None = None) -> None:
    done = script("dev/site/build_site.py", "--out", folder, "--repository", "somebody/n6post", "--without-try", *words,
                  cwd=cwd)  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(tmp_path_factory.mktemp("site") / "n6post")


def test_a_folder_with_other_files_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").touch()
    for out in (tmp_path, tmp_path / "thesis.txt"):
        with pytest.raises(SystemExit, match="is something else than a folder with a site"):
            build_site.main(["--out", str(out)])
    assert (tmp_path / "thesis.txt").exists()


def test_without_an_owner_nothing_links_to_the_repository(tmp_path: Path) -> None:
    site = Built(tmp_path, "--repository", "OWNER/n6post")
    assert [link for page in site.pages.values() for link in page.links if "/n6post" in link] == []
    assert "Copy the file to the camera" in " ".join(site.pages["examples/parking/index.html"].said.split())


FAULTS = """
from mkdocs.structure.files import File

def on_files(files, *, config):
    files.append(File.generated(config, "docs/new.md", content="# New"))

def on_page_markdown(markdown, *, page, **others):
    if page.file.src_uri == "docs/tracking.md":
        return markdown + "\\n[a](nowhere.md) [b](results.md#no-heading) [c](../lib/no_file.py) ![d](no_picture.jpg)"
"""


def test_a_dead_link_and_a_page_outside_the_menu_are_errors(tmp_path: Path) -> None:
    (tmp_path / "faults.py").write_text(FAULTS, encoding="utf-8")
    settings = {
        "INHERIT": str(SITE / "mkdocs.yml"), "docs_dir": str(ROOT / "docs"), "site_dir": str(tmp_path / "site"),
        "theme": {"custom_dir": str(SITE / "overrides")}, "hooks": [str(SITE / "hooks.py"), str(tmp_path / "faults.py")],
        "watch": [],
    }  # fmt: skip
    (tmp_path / "mkdocs.yml").write_text(json.dumps(settings), encoding="utf-8")
    words = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(tmp_path / "mkdocs.yml")]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 1 and "Aborted with 5 warnings in strict mode" in done.stdout + done.stderr, done.stderr
    for fault in ("nowhere.md", "#no-heading", "no_file.py", "no_picture.jpg", "docs/new.md"):
        assert fault in done.stderr, fault


def leads_somewhere(site: Built, name: str, link: str) -> bool:
    """Whether a link on a page leads to an anchor or a file of the site, to a file of the repository, or elsewhere."""
    address = urlsplit(urljoin(BASE + name.removesuffix("index.html"), link))
    path, anchor = unquote(address.path), unquote(address.fragment)
    if address.geturl().startswith(BASE):
        file = path.removeprefix("/n6post/") + "index.html" * path.endswith("/")
        ids = site.pages[file].ids | {"__skip"} if file in site.pages else set()
        return (site.folder / file).is_file() and (not anchor or anchor in ids)
    if link.startswith("https://github.com/somebody/n6post/"):
        found = re.fullmatch(r"/somebody/n6post/(blob|tree|edit)/main/(.*)", path)
        return found is not None and (ROOT / found[2]).exists() and (ROOT / found[2]).is_dir() == (found[1] == "tree")
    return re.match(r"https://[a-z0-9-]+(\.[a-z0-9-]+)+(/[^ <]*)?$|mailto:|javascript:", link) is not None


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Built) -> None:
    for name, page in site.pages.items():
        assert [link for link in page.links if not leads_somewhere(site, name, link) or "OWNER" in link] == [], name
        assert [load for load in page.loads if "//" in load or not leads_somewhere(site, name, load)] == [], name
        assert page.unnamed == [], name
    for sheet in site.folder.rglob("*.css"):
        loaded = re.findall(r"url\(\s*[\"']?([^)\"']+)", sheet.read_text(encoding="utf-8"))
        assert [one for one in loaded if not one.startswith(("data:", "#")) and "//" in one] == [], sheet.name


def test_a_page_is_called_in_the_menu_as_its_heading_is(site: Built) -> None:
    menu = re.findall(r'<a href="([^"]+)" class="md-nav__link">\s*<span class="md-ellipsis">\s*(.*?)\s*</span>',
                      site.pages["examples/index.html"].html, re.DOTALL)  # fmt: skip
    pages = [(link, title) for link, title in menu if "#" not in link and link != "./"]
    named = dict(pages)
    assert len(pages) == len(named) == len(site.pages) - 2 and named.pop("..") == "Overview"  # without 404 and this page
    for link, title in named.items():
        html = (site.folder / "examples" / link / "index.html").read_text(encoding="utf-8")
        assert re.search(rf"<h1[^>]*>{re.escape(title)}<", html), link
    assert "<title>n6post for OpenMV cameras - n6post</title>" in site.pages["index.html"].html


def test_the_pencil_of_a_page_leads_to_what_can_be_edited(site: Built) -> None:
    edited = {"networks": "docs/networks.md", "contributing": "CONTRIBUTING.md", "api-results": "lib/n6post/__init__.pyi",
              "internals/packages": None, "examples/parking": "scripts/examples/parking.py"}  # fmt: skip
    for page, path in edited.items():
        links = re.findall(r'<a href="([^"]+)"[^>]*rel="edit"', site.pages[f"{page}/index.html"].html)
        assert links == ([f"https://github.com/somebody/n6post/edit/main/{path}"] if path else []), page


def test_anchors_words_and_parts_of_a_page_are_those_of_github(site: Built) -> None:
    """Every heading, and every list, table, code and picture."""
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    docs = [path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    for source, place in (hooks.ELSEWHERE | {f"docs/{name}.md": f"{name}/index.html" for name in docs}).items():
        text = re.sub("(<owner>|OWNER)/n6post", "somebody/n6post", (ROOT / source).read_text(encoding="utf-8"))
        page, expected = site.pages[place], Html(f"<article>{reader.render(text)}</article>")
        assert slugs(ROOT / source) <= page.ids, source
        assert page.text == expected.text, source
        assert page.tags == expected.tags, source


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_page_with_its_code_and_command(
    example: Path, site: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command has a file for each network, and more than one picture if the example compares frames."""
    page, code = site.pages[f"examples/{example.stem}/index.html"], example.read_text(encoding="utf-8")
    assert re.sub(r"\s+", "", code) in page.text
    assert f"https://github.com/somebody/n6post/blob/main/scripts/examples/{example.name}" in page.links
    opened = re.findall(r"^[A-Z]+ = \"/rom/(\S+)\"", code, re.MULTILINE)
    for name in (example.name, "photo.jpg", "video.mp4", "model.tflite", *opened):
        (tmp_path / name).touch()
    monkeypatch.chdir(tmp_path)
    words = next(line.split() for line in page.said.split("\n") if line.startswith(f"n6post host {example.name} "))
    options = command.parse(words[2:], "host")
    names = {Path(name).stem: tmp_path / name for name in opened}
    assert options.model == (names if len(opened) > 1 else dict.fromkeys([None] * len(opened), tmp_path / "model.tflite"))
    times = any(one in code for one in ("Tracker(", "Hold(", "Zone(", "HeatMap("))
    assert options.picture == [Path("video.mp4" if times else "photo.jpg")]


def test_an_example_shows_its_picture_of_the_gallery(site: Built) -> None:
    for example, picture in {"yolov8": "yolov8n_192.jpg", "face_mesh": "faces.jpg", "count_people": "yard.webp"}.items():
        assert f"../../{picture}" in site.pages[f"examples/{example}/index.html"].loads, example


def test_the_page_that_needs_npm_is_added_or_the_site_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """test_try_page.py tests the page itself; without it docs/try.md is in its place."""
    built = []
    module = type("Page", (), {"build": staticmethod(lambda folder: built.append(folder) or "needs node")})
    monkeypatch.setitem(sys.modules, "try_page", module)
    config = type("Config", (), {"site_dir": str(tmp_path)})
    with caplog.at_level("INFO"):
        for asked in ("", "yes"):
            monkeypatch.setenv("SITE_TRY", asked)
            hooks.on_post_build(config=config)
    assert built == [tmp_path / "try"]
    assert [record.message for record in caplog.records] == ['without the page "Try it in your browser": it needs node']


# ---- versions ----


def test_a_tag_becomes_a_version_and_the_newest_is_latest() -> None:
    assert build_site.deployed_as("main", ["0.9"]) == ("dev", [])
    assert build_site.deployed_as("v0.5.0", []) == ("0.5", ["latest"])
    assert build_site.deployed_as("v0.5.1", ["0.5", "0.4", "dev"]) == ("0.5", ["latest"])
    assert build_site.deployed_as("v0.4.3", ["0.5", "0.4"]) == ("0.4", [])
    assert build_site.deployed_as("v0.10.0", ["0.9", "dev"]) == ("0.10", ["latest"])
    for tag in ("0.5.0", "v0.5", "dev", "v1.0.0rc1"):
        with pytest.raises(SystemExit, match="expected main or a tag such as v1.2.3"):
            build_site.deployed_as(tag, [])


def git(folder: Path, *words: object) -> None:
    done = subprocess.run(["git", *map(str, words)], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The branch gh-pages after a push to main and two tags, each in a new clone, as the workflow does it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("versions")
    hosted = folder / "hosted.git"
    settings = {"user.name": "A", "user.email": "a@example.org", "commit.gpgsign": "false"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GIT_CONFIG_COUNT", str(len(settings)))
        for i, (key, value) in enumerate(settings.items()):
            patch.setenv(f"GIT_CONFIG_KEY_{i}", key)
            patch.setenv(f"GIT_CONFIG_VALUE_{i}", value)
        git(folder, "init", "--quiet", "--initial-branch=main", "start")
        git(folder / "start", "commit", "--quiet", "--allow-empty", "--message", "A commit")
        git(folder, "clone", "--quiet", "--bare", "start", hosted)
        for ref in ("main", "v0.4.1", "v0.5.0"):
            git(folder, "clone", "--quiet", hosted, ref)
            run_site(folder / "made", "--deploy", ref, "--bundle", f"{ref}.bundle", cwd=folder / ref)
            git(folder / ref, "clone", "--quiet", "--bare", "--branch", "gh-pages", f"{ref}.bundle", "pages")
            git(folder / ref / "pages", "push", "--quiet", hosted, "gh-pages")
        git(folder, "clone", "--quiet", "--branch", "gh-pages", hosted, "pages")
    return folder / "pages"


def test_versions_lie_side_by_side(versions: Path) -> None:
    listed = json.loads((versions / "versions.json").read_text(encoding="utf-8"))
    assert [(one["version"], one["aliases"]) for one in listed] == [("dev", []), ("0.5", ["latest"]), ("0.4", [])]
    assert "latest/" in (versions / "index.html").read_text(encoding="utf-8")
    for version, ref in (("dev", "main"), ("0.4", "v0.4.1"), ("0.5", "v0.5.0"), ("latest", "v0.5.0")):
        home = (versions / version / "index.html").read_text(encoding="utf-8")
        assert set(re.findall(r"https://github\.com/somebody/n6post/(?:blob|tree)/([^/]+)/", home)) == {ref}, version
        assert '"provider": "mike"' in home


def test_the_root_has_the_page_404_of_the_newest_version(versions: Path) -> None:
    shown = (versions / "404.html").read_text(encoding="utf-8")
    assert "There is no such page" in shown and shown == (versions / "latest" / "404.html").read_text(encoding="utf-8")
    # Its addresses begin at the root, since it is shown at any address.
    inside = [link for link in Html(shown).links + Html(shown).loads if not re.match("[a-z]+:|#", link)]
    assert len(inside) > 20 and [link for link in inside if not f"{link}/".startswith("/n6post/0.5/")] == []


# ---- in a browser ----


@pytest.fixture(scope="module")
def opened(site: Built) -> Iterator[tuple[Any, str]]:
    """A browser and the address of the site."""
    handler = partial(http.server.SimpleHTTPRequestHandler, directory=str(site.folder.parent))
    with browser.opened() as started, http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield started, f"http://127.0.0.1:{server.server_port}/n6post/"
        server.shutdown()


SHOWN = ["", "first-hour/", "examples/", "examples/faces/", "api/", "tracking/", "internals/performance/", "changelog/"]
# What is wider than the page and in no box that scrolls.
OUTSIDE = """() => [...document.querySelectorAll("article *")].filter(e => {
    if (e.getBoundingClientRect().right <= innerWidth + 1) return false;
    for (let p = e; p; p = p.parentElement)
        if (["auto", "scroll", "hidden"].includes(getComputedStyle(p).overflowX)) return false;
    return true;
}).map(e => e.outerHTML.slice(0, 80))"""
SCROLLED = """() => [...document.querySelectorAll(".md-typeset__scrollwrap")]
    .filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText.split("\\n")[0])"""


@browser.needs_browser
@pytest.mark.parametrize("size", [browser.WIDE, browser.NARROW], ids=["desktop", "phone"])
def test_pages_fit_and_have_no_errors(size: tuple[int, int], opened: tuple[Any, str]) -> None:
    errors: list[str] = []
    page = browser.page_of(opened[0], size, errors)
    for address in SHOWN:
        page.goto(opened[1] + address, wait_until="networkidle")
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0], address
        assert page.evaluate(OUTSIDE) == [], address
        if size == browser.WIDE:  # the columns of tables are seen on a desktop, but for the nine of the table of crowds
            assert len(page.evaluate(SCROLLED)) <= (address == "internals/performance/"), address
    page.close()
    assert errors == []


@browser.needs_browser
def test_the_search_shows_answers_for_users_first(opened: tuple[Any, str]) -> None:
    answers = {"install": "#install", "draw masks": "results/#draw", "out of memory": "troubleshooting/#memoryerror",
               "no detections": "troubleshooting/#nothing-is-found"}  # fmt: skip
    page = browser.page_of(opened[0], browser.WIDE, [])
    for words, answer in answers.items():
        page.goto(f"{opened[1]}examples/", wait_until="networkidle")
        page.locator(".md-search__input").press_sequentially(words)
        place, anchor = answer.split("#")  # between the two are the words that the page marks
        result = page.locator(".md-search-result__item").first.locator(f"a[href^='{opened[1]}{place}'][href$='#{anchor}']")
        result.wait_for(state="attached", timeout=10_000)
    page.close()
