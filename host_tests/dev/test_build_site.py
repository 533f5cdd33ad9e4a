"""The documentation as a site: built strictly, every link followed, no dead end, looked at in a real browser.

The checks of links read the built HTML and know nothing of MkDocs. What a page says is compared with markdown-it, which
reads Markdown as GitHub does.
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

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "scripts" / "examples").glob("*.py"))
BASE = "https://somebody.github.io/n6post/"  # where a site of this account would be

pytest.importorskip("material")
pytest.importorskip("ai_edge_litert")  # two examples run with the sample network
pytestmark = [
    pytest.mark.xdist_group("site"),  # one worker: the site is built once
    pytest.mark.proof(
        "scripts/dev/site/**/*", "scripts/examples/*.py", "docs/**/*",
        "*.md",
    ),
]  # fmt: skip

VOID = {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"}
COUNTED = ("h1", "h2", "h3", "h4", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "img", "strong", "em", "blockquote")


class Html(HTMLParser):
    """What a page links to, loads and says. `body` and `footer` are the addresses in the text and below it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []  # of <a>
        self.loads: list[str] = []
        self.body: list[str] = []
        self.footer: list[str] = []
        self.images: list[dict[str, str]] = []
        self.said: list[str] = []  # the words of the article
        self.tags: Counter[str] = Counter()  # of the article
        self._open: list[tuple[str, dict[str, str]]] = []
        self.feed(text)

    def _inside(self, *tags: str) -> bool:
        return any(tag in tags for tag, _ in self._open)

    def _counts(self) -> bool:
        """Whether this is in the article and is not one of the theme's own buttons."""
        ours = ("headerlink", "md-content__button", "md-source-file")
        return self._inside("article") and not any(
            set(attributes.get("class", "").split()) & set(ours) for _, attributes in self._open
        )

    def handle_starttag(self, tag: str, found: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in found}
        self.ids |= {attributes[name] for name in ("id", "name") if name in attributes and tag != "meta"}
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])
            if self._inside("article"):
                self.body.append(attributes["href"])
            elif self._inside("footer"):
                self.footer.append(attributes["href"])
        if tag == "link" and attributes.get("rel") not in ("canonical", "prev", "next", "edit"):
            self.loads.append(attributes["href"])
        if tag in ("script", "img", "iframe", "source") and "src" in attributes:
            self.loads.append(attributes["src"])
        if tag == "img":
            self.images.append(attributes)
        if tag not in VOID:
            self._open.append((tag, attributes))
        if tag in COUNTED and self._counts():
            self.tags[tag] += 1

    def handle_endtag(self, tag: str) -> None:
        while self._open and tag not in VOID:
            if self._open.pop()[0] == tag:
                return

    def handle_data(self, data: str) -> None:
        if self._counts():
            self.said.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", "", "".join(self.said))


class Built:
    """The site in a folder."""

    def __init__(self, folder: Path, output: str) -> None:
        self.folder, self.output = folder, output
        self.pages = {
            file.relative_to(folder).as_posix(): Html(file.read_text(encoding="utf-8")) for file in folder.rglob("*.html")
        }

    def resolve(self, page: str, link: str) -> tuple[str, str] | None:
        """(file, anchor) of a link on a page; None for an address elsewhere."""
        # Only the page 404 has addresses from the root, since it is shown anywhere.
        assert not link.startswith("/") or page == "404.html" and link.startswith("/n6post/"), f"{page}: {link}"
        address = urlsplit(urljoin(BASE + page.removesuffix("index.html"), link))
        if not address.geturl().startswith(BASE):
            return None
        path = unquote(address.path).removeprefix("/n6post/")
        return (f"{path}index.html" if path.endswith("/") or not path else path), unquote(address.fragment)

    def place(self, source: str) -> str:
        """The file of a page, by its place on the site: models.md."""
        return "index.html" if source == "index.md" else f"{source.removesuffix('.md')}/index.html"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Built:
    folder = tmp_path_factory.mktemp("site") / "made"
    done = script("dev/site/build_site.py", "--out", folder, "--repository", "somebody/n6post")
    assert done.returncode == 0, done.stdout + done.stderr
    return Built(folder / "html", done.stdout + done.stderr)


@pytest.fixture(scope="module")
def pages_module() -> Any:
    sys.path.insert(0, str(ROOT / "scripts" / "dev" / "site"))
    import site_pages

    return site_pages


@pytest.mark.parametrize("name", ["thesis.txt", "mkdocs.yml"])
def test_a_folder_with_other_files_is_not_overwritten(name: str, tmp_path: Path, build: Any) -> None:
    file = tmp_path / name
    file.write_text("site_name: mine", encoding="utf-8")
    for out, why in ((tmp_path, "contains something else than a site"), (file, "is a file: choose a folder")):
        with pytest.raises(SystemExit, match=why):
            build.main(["--out", str(out)])
    assert file.read_text(encoding="utf-8") == "site_name: mine"


def test_a_build_that_was_interrupted_can_be_repeated(tmp_path: Path, build: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def stops(folder: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(build, "pictures", stops)
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            build.main(["--out", str(tmp_path / "site")])


def test_scenes_need_no_packages_of_the_tests() -> None:
    modules = sorted(path.stem for path in (ROOT / "host_tests").glob("recorded_*.py"))
    code = (
        "import sys; sys.modules.update(dict.fromkeys(('pytest', 'hypothesis', 'scipy', 'skimage')));"
        "sys.path[:0] = ['scripts', 'scripts/dev/site', 'host_tests']; import site_scenes, site_pictures"
        + "".join(f", {module}" for module in modules)
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert modules and done.returncode == 0, done.stderr


def test_the_header_has_no_repository_until_it_has_an_owner(build: Any, pages_module: Any) -> None:
    made = build.settings(pages_module.Site("OWNER/n6post", "main"), versions=False)
    assert "OWNER" not in json.dumps(made) and not {"repo_url", "repo_name", "site_url"} & set(made)
    made = build.settings(pages_module.Site("somebody/n6post", "main"), versions=False)
    assert made["repo_name"] == "somebody/n6post" and made["repo_url"].endswith("github.com/somebody/n6post")


def test_a_new_page_without_a_place_in_the_menu_is_an_error(site: Built, tmp_path: Path) -> None:
    shutil.copytree(site.folder.parent, tmp_path / "made", ignore=shutil.ignore_patterns("html"))
    (tmp_path / "made" / "pages" / "new.md").write_text("# New\n\n[Home](index.md)\n", encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--config-file", str(tmp_path / "made" / "mkdocs.yml")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "new.md" in done.stdout + done.stderr


# ---- the HTML ----


def test_the_strict_build_has_no_warning(site: Built) -> None:
    assert "WARNING" not in site.output and "ERROR" not in site.output, site.output
    assert len(site.pages) > 50


def test_every_link_and_anchor_of_the_site_leads_somewhere(site: Built) -> None:
    wrong = []
    for name, page in site.pages.items():
        for link in page.links + page.loads:
            if link.startswith("mailto:") or (found := site.resolve(name, link)) is None:
                continue
            path, anchor = found
            if not (site.folder / path).is_file():
                wrong.append(f"{name}: {link}")
            elif anchor and anchor not in site.pages[path].ids and anchor != "__skip":
                wrong.append(f"{name}: {link} (no such anchor)")
    assert wrong == []


def test_addresses_elsewhere_are_well_formed(site: Built) -> None:
    for name, page in site.pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link) and not link.startswith((BASE, "javascript:void(0)")):  # a button of the theme
                address = urlsplit(link)
                assert address.scheme == "https", f"{name}: {link}"
                assert re.fullmatch(r"[a-z0-9-]+(\.[a-z0-9-]+)+", address.netloc), f"{name}: {link}"
                assert "<" not in link and " " not in link and "OWNER" not in link, f"{name}: {link}"


def test_links_to_the_repository_lead_to_its_files(site: Built) -> None:
    linked = {link for page in site.pages.values() for link in page.links if "github.com/somebody/n6post/" in link}
    assert len(linked) > 50
    for link in linked:
        found = re.fullmatch(r"https://github\.com/somebody/n6post/(blob|tree|edit)/main/([^#]*)(?:#.*)?", link)
        assert found, link
        kind, path = found.groups()
        assert (ROOT / unquote(path)).is_dir() == (kind == "tree") and (ROOT / unquote(path)).exists(), link


def test_nothing_is_loaded_from_elsewhere(site: Built) -> None:
    for name, page in site.pages.items():
        assert [load for load in page.loads if site.resolve(name, load) is None] == [], name
    for sheet in site.folder.rglob("*.css"):
        loaded = re.findall(r"url\(\s*[\"']?([^)\"']+)", sheet.read_text(encoding="utf-8"))
        assert [one for one in loaded if not one.startswith(("data:", "#")) and "//" in one] == [], sheet.name


def test_every_picture_has_a_text(site: Built) -> None:
    for name, page in site.pages.items():
        assert [image["src"] for image in page.images if not image.get("alt", "").strip()] == [], name


def test_no_page_is_a_dead_end(site: Built) -> None:
    """Every page is reached from the home page by links of texts and footers, and leads on to another page."""
    onward = {}
    for name, page in site.pages.items():
        found = [site.resolve(name, link) for link in page.body + page.footer]
        onward[name] = {path for path, _ in filter(None, found) if path.endswith(".html")} - {name}
        assert onward[name], f"{name} is a dead end"
    reached, new = {"index.html"}, {"index.html"}
    while new:
        new = set().union(*(onward[name] for name in new)) - reached
        reached |= new
    assert set(site.pages) - reached == {"404.html"}


def test_a_page_is_called_in_the_menu_as_its_heading_is(site: Built) -> None:
    html = (site.folder / "examples" / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<a href="([^"]+)" class="md-nav__link">\s*<span class="md-ellipsis">(.*?)</span>', html, re.DOTALL)
    named = {}
    for link, title in links:
        found = site.resolve("examples/index.html", link)
        if found and not found[1]:  # the page's own headings have anchors
            named[found[0]] = re.sub("<.*?>", "", title).strip()
    assert named.pop("examples/index.html", "All examples") == "All examples"
    assert len(named) > 50 and named.pop("index.html") == "Overview"
    for path, title in named.items():
        heading = re.search(r"<h1[^>]*>(.*?)<", (site.folder / path).read_text(encoding="utf-8"))
        assert heading and heading[1] == title, path


def test_the_title_of_the_home_page_says_what_the_site_is_about(site: Built) -> None:
    assert "<title>n6post for OpenMV cameras - n6post</title>" in (site.folder / "index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("page", "edited"),
    [
        ("networks", "docs/networks.md"),
        ("api", "lib/n6post/__init__.pyi"),
        ("api-results", "lib/n6post/__init__.pyi"),
        ("internals/packages", None),
        ("examples/parking", "scripts/examples/parking.py"),
    ],
)
def test_the_pencil_of_a_page_leads_to_what_can_be_edited(page: str, edited: str | None, site: Built) -> None:
    html = (site.folder / page / "index.html").read_text(encoding="utf-8")
    links = re.findall(r'<a href="([^"]+)"[^>]*rel="edit"', html)
    assert links == ([f"https://github.com/somebody/n6post/edit/main/{edited}"] if edited else [])


# ---- the same as on GitHub ----


def test_anchors_are_those_of_github(site: Built, pages_module: Any) -> None:
    from test_docs import slugs

    for source, place in pages_module.sources().items():
        expected = slugs(ROOT / source)
        assert expected and expected <= site.pages[site.place(place)].ids, source


def test_every_finding_leads_to_its_line_of_the_site(site: Built) -> None:
    from n6post.models import diagnostics

    ids = site.pages["troubleshooting/index.html"].ids
    findings = {check.__name__[1:].replace("_", "-") for check in diagnostics._CHECKS}
    assert len(findings) > 15 and findings <= ids
    pointers = set()
    for file in [*(ROOT / "lib").rglob("*.py"), *(ROOT / "scripts" / "n6post_pc").rglob("*.py")]:
        pointers |= set(re.findall(r"docs/([\w/-]+)\.md#([\w-]+)", file.read_text(encoding="utf-8")))
    assert pointers and all(anchor in site.pages[f"{page}/index.html"].ids for page, anchor in pointers)


def test_a_page_says_the_same_as_on_github(site: Built, pages_module: Any) -> None:
    """The words and the parts of every page: lists, tables, code, pictures."""
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    for source, place in pages_module.sources().items():
        text = (ROOT / source).read_text(encoding="utf-8")
        text = re.sub("(<owner>|OWNER)/n6post", "somebody/n6post", text)
        if source == "docs/examples.md":
            continue  # its tables are cards there
        expected = Html(f"<article>{reader.render(text)}</article>")
        page = site.pages[site.place(place)]
        assert page.text == expected.text, source
        assert page.tags == expected.tags, source


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\n- b\n  - c\n    d", "a\n\n- b\n    - c\n        d"),
        ("1. a\n\n   ```sh\n   b\n     c\n   ```\n2. d", "1. a\n\n    ```sh\n    b\n      c\n    ```\n\n2. d"),
        ("10. a\n    b\n\nc", "10. a\n    b\n\nc"),
        ("- a\nlazy\n\n      code", "- a\n    lazy\n\n        code"),
        ("1. a\n\n   b\n2. c", "1. a\n\n    b\n\n2. c"),
        ("- a\n  - b\n\n    c\n  - d\n- e", "- a\n    - b\n\n        c\n\n    - d\n\n- e"),
        ("> - a\n>   b", "> - a\n>   b"),
        ("```\n- a\n  - b\n```", "```\n- a\n  - b\n```"),
    ],
)
def test_lists_get_the_indentation_that_mkdocs_needs(text: str, expected: str, pages_module: Any) -> None:
    assert pages_module.with_lists(text) == expected


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("networks.md", "networks.md"),
        ("../README.md#install", "index.md#install"),
        ("internals/performance.md", "internals/performance.md"),
        ("../stubs", "internals/stubs.md"),
        ("../scripts/examples/parking.py", "examples/parking.md"),
        ("../scripts/examples", "examples.md"),
        ("faces.jpg", "faces.jpg"),
        ("../LICENSE", "https://github.com/a/b/blob/v1.2.3/LICENSE"),
        ("../lib/n6post", "https://github.com/a/b/tree/v1.2.3/lib/n6post"),
        ("#top", "#top"),
        ("https://openmv.io/a_b", "https://openmv.io/a_b"),
    ],
)
def test_a_link_leads_to_the_page_or_to_the_repository(link: str, expected: str, pages_module: Any) -> None:
    site = pages_module.Site("a/b", "v1.2.3")
    made = pages_module.with_links(f"`[x]({link})` [the\ntext]({link})", "docs/tracking.md", "tracking.md", site)
    assert made == f"`[x]({link})` [the\ntext]({expected})"


def test_links_to_a_repository_without_an_owner_are_plain_text(pages_module: Any) -> None:
    site = pages_module.Site("OWNER/n6post", "main")
    text = "See [`a[0]` and\n`lib`](../lib/n6post), [![x](faces.jpg)](../LICENSE) and [networks](networks.md)."
    made = pages_module.page(text, "docs/tracking.md", "tracking.md", site, [])
    assert made.endswith("\n\nSee `a[0]` and\n`lib`, ![x](faces.jpg) and [networks](networks.md).")
    example = pages_module.Example("parking", "", "", [], False, [], False)
    assert "Copy the file to the camera" in pages_module.example_page(example, site)


def test_a_link_to_a_file_that_is_not_there_is_an_error(pages_module: Any) -> None:
    with pytest.raises(ValueError, match="a link leads to nowhere.md, which does not exist"):
        pages_module.with_links("[x](nowhere.md)", "docs/tracking.md", "tracking.md", pages_module.Site("a/b", "main"))


# ---- examples ----


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_has_a_card_a_picture_and_its_code(example: Path, site: Built) -> None:
    address = f"examples/{example.stem}/index.html"
    page, cards = site.pages[address], site.pages["examples/index.html"]
    assert sum(site.resolve("examples/index.html", link) == (address, "") for link in cards.body) == 2
    picture = site.folder / "examples" / f"{example.stem}.webp"
    assert picture.stat().st_size > 1500
    assert any(image["src"].endswith(picture.name) for image in cards.images)
    assert any(image["src"].endswith(picture.name) for image in page.images)
    assert re.sub(r"\s+", "", example.read_text(encoding="utf-8")) in page.text
    assert f"https://github.com/somebody/n6post/blob/main/scripts/examples/{example.name}" in page.body


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_a_printed_frame_rate_is_said_to_be_simulated(example: Path, site: Built) -> None:
    staged = site.folder.parent / "pages" / "examples" / f"{example.stem}.md"
    before, _, _ = staged.read_text(encoding="utf-8").partition("## Run it")
    printed = before.partition("It printed")[2].partition("```text\n")[2].partition("```")[0]
    note = "The frame rate is that of the simulation (10 pictures a second), not of a camera."
    assert (note in before) == ("fps" in printed)


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_command_of_an_example_has_what_the_script_needs(
    example: Path, site: Built, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A file for each of its networks, and more than one picture if it compares frames."""
    import shlex

    from n6post_pc.host import command as run_script

    staged = (site.folder.parent / "pages" / "examples" / f"{example.stem}.md").read_text(encoding="utf-8")
    words = shlex.split(staged.partition("```sh\n")[2].partition("\n```")[0])
    assert words[:3] == ["n6post", "host", example.name]
    code = example.read_text(encoding="utf-8")
    opened = re.findall(r"^[A-Z]+ = \"/rom/(\S+)\"", code, re.MULTILINE)
    for name in ("photo.jpg", "video.mp4", "model.tflite", *opened):
        (tmp_path / name).touch()
    (tmp_path / example.name).write_text(code, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    options = run_script.parse(words[2:], "host")
    if len(opened) > 1:
        assert options.model == {Path(name).stem: tmp_path / name for name in opened}
    else:
        assert options.model == dict.fromkeys([None] * len(opened), tmp_path / "model.tflite")
    times = ("Tracker(", "Hold(", "Zone(", "HeatMap(")
    assert options.picture == [Path("video.mp4" if any(one in code for one in times) else "photo.jpg")]


def test_a_line_that_came_several_times_is_said_to_be_shown_once(site: Built) -> None:
    staged = site.folder.parent / "pages" / "examples"
    assert "It printed (equal lines once):" in (staged / "who_is_it.md").read_text(encoding="utf-8")
    assert "It printed:" in (staged / "yolov8.md").read_text(encoding="utf-8")


def test_every_example_has_a_scene_that_says_what_it_shows(build: Any) -> None:
    from site_scenes import scenes

    assert sorted(scenes()) == [example.stem for example in EXAMPLES]
    for name, scene in scenes().items():
        origin = r"recording|Recorded|[Dd]rawn|sample network"
        assert re.search(origin, scene.note) and scene.note.endswith("."), name
        assert len(scene.alt) > 15 and not scene.alt.endswith("."), name


def test_pictures_of_examples_differ_and_show_something(site: Built) -> None:
    from PIL import Image

    seen = set()
    for example in EXAMPLES:
        with Image.open(site.folder / "examples" / f"{example.stem}.webp") as opened:
            seen.add(opened.convert("RGB").tobytes())
            colors = {color for _, color in opened.convert("RGB").getcolors(1 << 20) or []}
        assert len(colors) >= 16 and opened.width >= 240, example.stem
    assert len(seen) == len(EXAMPLES) - 1  # two_models.py runs the networks of face_mesh.py


# ---- versions ----


@pytest.mark.parametrize(
    ("tag", "there", "expected"),
    [
        ("main", ["0.9"], ("dev", [])),
        ("v0.5.0", [], ("0.5", ["latest"])),
        ("v0.5.1", ["0.5", "0.4", "dev"], ("0.5", ["latest"])),
        ("v0.4.3", ["0.5", "0.4"], ("0.4", [])),
        ("v0.10.0", ["0.9", "dev"], ("0.10", ["latest"])),
    ],
)
def test_a_tag_becomes_a_version_and_the_newest_is_latest(tag: str, there: list[str], expected: Any, build: Any) -> None:
    assert build.deployed_as(tag, there) == expected


@pytest.mark.parametrize("tag", ["0.5.0", "v0.5", "dev", "v1.0.0rc1"])
def test_another_tag_is_refused(tag: str, build: Any) -> None:
    with pytest.raises(SystemExit, match="expected main or a tag such as v1.2.3"):
        build.deployed_as(tag, [])


@pytest.fixture(scope="module")
def build(pages_module: Any) -> Any:
    import build_site

    return build_site


NAMED = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(["git", *words], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The branch gh-pages after a push to main and two tags, each in a new clone, as the workflow does it."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("versions")
    start, hosted = folder / "start", folder / "hosted.git"
    git(folder, "init", "--quiet", "--initial-branch=main", str(start))
    git(start, *NAMED, "commit", "--quiet", "--allow-empty", "--message", "A commit")
    git(folder, "clone", "--quiet", "--bare", str(start), str(hosted))
    for ref in ("main", "v0.4.1", "v0.5.0"):
        checkout = folder / ref
        git(folder, "clone", "--quiet", str(hosted), str(checkout))
        for name, value in (("user.name", "A"), ("user.email", "a@example.org")):
            git(checkout, "config", name, value)
        words = ("--deploy", ref, "--out", folder / "made", "--repository", "somebody/n6post", "--bundle", f"{ref}.bundle")
        done = script("dev/site/build_site.py", *words, cwd=checkout)
        assert done.returncode == 0, done.stdout + done.stderr
        git(checkout, "clone", "--quiet", "--bare", "--branch", "gh-pages", f"{ref}.bundle", "pages")
        git(checkout / "pages", "push", "--quiet", str(hosted), "gh-pages")
    git(folder, "clone", "--quiet", "--branch", "gh-pages", str(hosted), "pages")
    return folder / "pages"


def test_versions_lie_side_by_side(versions: Path) -> None:
    listed = json.loads((versions / "versions.json").read_text(encoding="utf-8"))
    assert (versions / ".nojekyll").exists()
    assert [(one["version"], one["aliases"]) for one in listed] == [("dev", []), ("0.5", ["latest"]), ("0.4", [])]
    assert (versions / "index.html").read_text(encoding="utf-8").count("latest/") >= 1
    for version, ref in (("dev", "main"), ("0.4", "v0.4.1"), ("0.5", "v0.5.0"), ("latest", "v0.5.0")):
        home = Html((versions / version / "index.html").read_text(encoding="utf-8"))
        linked = re.findall(r"https://github\.com/somebody/n6post/(?:blob|tree)/([^/]+)/", " ".join(home.links))
        assert set(linked) == {ref}, version


def test_the_root_has_the_page_404_of_the_newest_version(versions: Path) -> None:
    shown = (versions / "404.html").read_text(encoding="utf-8")
    assert "There is no such page" in shown
    assert shown == (versions / "latest" / "404.html").read_text(encoding="utf-8")
    page = Html(shown)
    inside = [link for link in page.links + page.loads if link.startswith("/")]
    assert len(inside) > 20  # from the root, since it is shown at any address
    for link in inside:
        path = unquote(urlsplit(link).path).removeprefix("/n6post/")
        file = versions / path
        assert (file / "index.html" if file.is_dir() else file).is_file(), link


# ---- in a browser ----


@pytest.fixture(scope="module")
def opened() -> Iterator[Any]:
    with browser.opened() as started:
        yield started


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server that finds the site under /n6post/, as GitHub Pages has it."""

    def log_message(self, *arguments: object) -> None:
        pass

    def translate_path(self, path: str) -> str:
        return super().translate_path(path.replace("/n6post/", "/", 1))


@pytest.fixture(scope="module")
def served(site: Built) -> Iterator[str]:
    yield from served_from(site.folder)


def served_from(folder: Path) -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/n6post/"
        server.shutdown()


SIZES = pytest.mark.parametrize("size", [browser.WIDE, browser.NARROW], ids=["wide", "narrow"])
SHOWN = ["", "first-hour/", "examples/", "examples/parking/", "api/", "tracking/", "internals/performance/", "changelog/"]


@browser.needs_browser
@SIZES
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_and_have_no_errors(scheme: Any, size: tuple[int, int], opened: Any, served: str) -> None:
    errors: list[str] = []
    page = browser.page_of(opened, size, errors)
    page.emulate_media(color_scheme=scheme)
    for address in SHOWN:
        page.goto(served + address)
        page.mouse.wheel(0, 3000)  # pictures are loaded when they come into view
        page.wait_for_load_state("networkidle")
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= size[0], f"{address} is {width} wide"
        # What is wider than the page is in a box that scrolls.
        outside = page.evaluate("""() => [...document.querySelectorAll("article *")].filter(e => {
            if (e.getBoundingClientRect().right <= innerWidth + 1) return false;
            for (let p = e; p; p = p.parentElement)
                if (["auto", "scroll", "hidden"].includes(getComputedStyle(p).overflowX)) return false;
            return true;
        }).map(e => e.outerHTML.slice(0, 80))""")
        assert outside == [], f"{address}: {outside}"
        broken = "() => [...document.images].filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
        assert page.evaluate(broken) == [], address
        colors = page.evaluate("""() => [getComputedStyle(document.body).backgroundColor,
            getComputedStyle(document.querySelector("article a[href]:not(.md-content__button)")).color]""")
        light = [sum(int(n) for n in re.findall(r"\d+", color)[:3]) / 3 for color in colors]
        assert (light[0] > 200) == (scheme == "light") and abs(light[0] - light[1]) > 90, (address, colors)
    page.close()
    assert errors == []


@browser.needs_browser
@SIZES
def test_the_search_finds_a_page_and_opens_it(size: tuple[int, int], opened: Any, served: str) -> None:
    errors: list[str] = []
    page = browser.page_of(opened, size, errors)
    page.goto(served + "tracking/", wait_until="networkidle")
    if size == browser.NARROW:
        page.locator("label.md-header__button[for=__search]").click()
    page.locator(".md-search__input").press_sequentially("letterbox")
    results = page.locator(".md-search-result__link")
    results.first.wait_for()
    for place in ("inputs-and-speed", "api-inputs"):  # the list changes with each letter
        page.locator(f".md-search-result__link[href*='/{place}/']").first.wait_for(state="attached")
    results.first.click()
    page.wait_for_url(lambda address: "/tracking/" not in address)
    page.wait_for_load_state("networkidle")
    assert "etterbox" in page.locator("article").inner_text()
    page.close()
    assert errors == []


ANSWERS = {
    "install": ("", "#install"),
    "draw masks": ("results/", "#draw"),
    "no detections": ("troubleshooting/", "#nothing-is-found"),
    "out of memory": ("troubleshooting/", "#memoryerror"),
    "1 fps": ("troubleshooting/", "#one-frame-per-second-1-fps-too-slow"),
    "too slow": ("troubleshooting/", "#one-frame-per-second-1-fps-too-slow"),
}


@browser.needs_browser
def test_the_search_shows_answers_for_users_first(opened: Any, served: str) -> None:
    page = browser.page_of(opened, browser.WIDE, [])
    for words, (place, anchor) in ANSWERS.items():
        page.goto(served + "examples/", wait_until="networkidle")
        page.locator(".md-search__input").press_sequentially(words)
        result = page.locator(".md-search-result__item").first
        # Between the two are the words that the page marks.
        result.locator(f"a[href^='{served}{place}'][href$='{anchor}']").wait_for(state="attached", timeout=10_000)
    page.close()


@browser.needs_browser
def test_the_columns_of_tables_are_seen_on_a_desktop(opened: Any, served: str) -> None:
    page = browser.page_of(opened, browser.WIDE, [])
    for address in ("internals/performance/", "coming-from/", "tracking/", "networks/"):
        page.goto(served + address)
        wider = page.evaluate("""() => [...document.querySelectorAll(".md-typeset__scrollwrap")]
            .filter(e => e.scrollWidth > e.clientWidth).map(e => e.innerText.split("\\n")[0])""")
        assert len(wider) <= (address == "internals/performance/"), (address, wider)  # the table of crowds has nine columns
    page.close()


@browser.needs_browser
def test_the_menu_of_a_phone_opens_and_leads_to_a_page(opened: Any, served: str) -> None:
    errors: list[str] = []
    page = browser.page_of(opened, browser.NARROW, errors)
    page.goto(served, wait_until="networkidle")
    menu = page.locator(".md-sidebar--primary")
    assert menu.bounding_box()["x"] < 0
    page.locator("label.md-header__button[for=__drawer]").click()
    page.locator(".md-nav__title", has_text="Start").click()  # back to the sections
    page.locator(".md-nav--primary label.md-nav__link", has_text="Guides").click()
    page.locator(".md-nav--primary a.md-nav__link", has_text=re.compile(r"^\s*Tracking\s*$")).click()
    page.wait_for_url("**/tracking/")
    assert page.locator("h1").inner_text() == "Tracking"
    page.close()
    assert errors == []


@browser.needs_browser
def test_the_colors_can_be_switched(opened: Any, served: str) -> None:
    page = browser.page_of(opened, browser.WIDE, [])
    page.emulate_media(color_scheme="light")
    page.goto(served)
    assert page.locator("body").get_attribute("data-md-color-scheme") == "default"
    page.locator("label[title='Use dark colors']").click()
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    page.goto(served + "api/")
    assert page.locator("body").get_attribute("data-md-color-scheme") == "slate"
    page.close()


@browser.needs_browser
@SIZES
def test_another_version_can_be_chosen(size: tuple[int, int], opened: Any, versions: Path) -> None:
    errors: list[str] = []
    for address in served_from(versions):
        page = browser.page_of(opened, size, errors)
        page.goto(address)
        page.wait_for_url("**/latest/")  # the start of the site
        page.wait_for_load_state("networkidle")
        page.goto(address + "latest/tracking/", wait_until="networkidle")
        page.locator(".md-version__current").focus()
        names = page.locator(".md-version__link").all_inner_texts()
        assert [name.split() for name in names] == [["dev", "(main)"], ["0.5", "latest"], ["0.4"]] or names == [
            "dev (main)", "0.5latest", "0.4"]  # fmt: skip
        page.locator(".md-version__link", has_text="0.4").click()
        page.wait_for_url("**/0.4/**")
        page.wait_for_load_state("networkidle")
        assert page.locator(".md-version__current").inner_text().strip() == "0.4"
        page.close()
    assert errors == []
