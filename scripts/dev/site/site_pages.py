"""The pages of the site from the same Markdown that GitHub shows. build_site.py calls this.

GitHub and MkDocs read Markdown in two ways. `page` rewrites what differs and nothing else: relative links, the anchors of
headings, the indentation of lists, and the tables of examples.md, which become cards with pictures.
"""

from __future__ import annotations

import ast
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, unquote

import yaml
from markdown_it import MarkdownIt

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = "scripts/examples"
PICTURES = (".jpg", ".png", ".gif", ".svg")

# Pages that are not in docs/, and their place on the site.
ELSEWHERE = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CODE_OF_CONDUCT.md": "code-of-conduct.md",
    "CONTRIBUTING.md": "contributing.md",
    "SECURITY.md": "security.md",
    "host_tests/data/README.md": "internals/test-data.md",
    "requirements/README.md": "internals/packages.md",
    "scripts/n6post_pc/data/README.md": "internals/recordings.md",
    "scripts/n6post_pc/data/shapes/README.md": "sample-network.md",
    "stubs/README.md": "internals/stubs.md",
}

# Pages that a script writes, and what to edit instead (None: no link for it).
API = [file.relative_to(ROOT).as_posix() for file in sorted((ROOT / "docs").glob("api*.md"))]
GENERATED = {**dict.fromkeys(API, "lib/n6post/__init__.pyi"), "requirements/README.md": None}

# How much a page counts in the search. Answers for users come before pages for those who work on n6post.
RANKS = {
    "README.md": 3.0,
    **dict.fromkeys(
        ("docs/first-hour.md", "docs/inputs-and-speed.md", "docs/networks.md", "docs/results.md", "docs/tracking.md",
         "docs/troubleshooting.md"), 2.0,
    ),
    **dict.fromkeys(API, 0.5),  # the guides come first
    **dict.fromkeys(
        ("CHANGELOG.md", "CODE_OF_CONDUCT.md", "CONTRIBUTING.md", "SECURITY.md", "docs/proven.md"), 0.3,
    ),
}  # fmt: skip


class Site(NamedTuple):
    """Where the links to files of the repository lead.

    repository  OWNER/NAME on GitHub
    ref         the branch or tag that the site is built from
    """

    repository: str
    ref: str

    @property
    def is_named(self) -> bool:
        """Whether the repository has an owner: pyproject.toml's has none until a release."""
        return not self.repository.startswith("OWNER/")

    def file(self, path: str) -> str:
        """The address of a file or folder."""
        kind = "tree" if (ROOT / path).is_dir() else "blob"
        return f"https://github.com/{self.repository}/{kind}/{self.ref}/{quote(path)}"


class Example(NamedTuple):
    """An example, as its page shows it. The values come from site_pictures.py, but for the docstring and the code."""

    name: str
    note: str
    alt: str
    printed: list[str]
    cut: bool
    changed: list[str]
    repeated: bool

    @property
    def picture(self) -> str:
        return f"examples/{self.name}.webp"

    @property
    def code(self) -> str:
        return (ROOT / EXAMPLES / f"{self.name}.py").read_text(encoding="utf-8")

    @property
    def doc(self) -> str:
        return ast.get_docstring(ast.parse(self.code)) or ""


def sources() -> dict[str, str]:
    """{path of a page in the repository: its place on the site}."""
    pages = {file.relative_to(ROOT).as_posix() for file in (ROOT / "docs").rglob("*.md")}
    return ELSEWHERE | {path: path.removeprefix("docs/") for path in sorted(pages)}


def examples() -> list[str]:
    return sorted(file.stem for file in (ROOT / EXAMPLES).glob("*.py"))


# ---- Markdown ----

_CODE = re.compile(r"(^ *```.*?^ *``` *$|(?<!`)(?P<ticks>`+)(?!`).+?(?<!`)(?P=ticks)(?!`))", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\(\s*<?([^)\s>]+)>?(\s+\"[^\"]*\")?\s*\)")


def outside_code(text: str, change: Callable[[str], str]) -> str:
    """The text with everything changed that is not code."""
    made, at = [], 0
    for code in _CODE.finditer(text):
        made += [change(text[at : code.start()]), code[0]]
        at = code.end()
    return "".join([*made, change(text[at:])])


def anchors(text: str) -> Iterator[tuple[int, str]]:
    """(line, anchor) of each heading, as GitHub makes them: the second of two equal ones ends with -1."""
    taken: set[str] = set()
    tokens = MarkdownIt().parse(text)
    for opening, inline in zip(tokens, tokens[1:]):
        if opening.type == "heading_open" and opening.map:
            shown = "".join(child.content for child in inline.children or [] if child.type in ("text", "code_inline"))
            slug = re.sub(r"[^\w\- ]", "", shown.strip().lower()).replace(" ", "-")
            unique, number = slug, 0
            while unique in taken:
                number += 1
                unique = f"{slug}-{number}"
            taken.add(unique)
            yield opening.map[0], unique


def with_anchors(text: str) -> str:
    lines = text.split("\n")
    for line, anchor in anchors(text):
        lines[line] += f" {{ #{anchor} }}"
    return "\n".join(lines)


def with_lists(text: str) -> str:
    """Lists with four spaces for each level and a blank line before them, as MkDocs needs them."""
    lines = text.split("\n")
    starts: set[int] = set()  # the lines that need a blank one before them
    previous: dict[int, int] = {}  # number of open items: the first line of the item before this one
    depth = [0] * len(lines)
    content = [0] * len(lines)  # the column where the innermost item of a line begins
    marker: dict[int, int] = {}  # line of a marker: its column
    open_items = quotes = 0
    item_starts: list[int] = []
    for token in MarkdownIt().enable("table").parse(text):
        quotes += (token.type == "blockquote_open") - (token.type == "blockquote_close")
        if quotes:
            continue  # the lists of quotations are as MkDocs needs them
        if token.type in ("bullet_list_open", "ordered_list_open") and token.map and not open_items:
            starts.add(token.map[0])
        elif token.type == "list_item_open" and token.map:
            first, last = token.map
            before = lines[previous.get(open_items, first) : first]
            if "" in before:  # an item of several paragraphs: the next one would be a part of its last paragraph
                starts.add(first)
            open_items += 1
            found = re.match(r"( *)([-*+]|\d+[.)])( {1,4}|$)", lines[first])
            if found is None or first in marker:
                raise ValueError(f"line {first + 1} begins a list in a way that the site cannot show")
            marker[first] = len(found[1])
            for n in range(first, last):
                depth[n], content[n] = open_items, len(found[0])
            item_starts.append(first)
        elif token.type == "list_item_close":
            open_items -= 1
            previous[open_items] = item_starts.pop()
        elif token.type.endswith("list_close"):
            previous.pop(open_items, None)
    made = []
    for n, line in enumerate(lines):
        if n in starts and n and lines[n - 1].strip():
            made.append("")
        if n in marker:
            line = "    " * (depth[n] - 1) + line[marker[n] :]
        elif depth[n] and line.strip():
            indented = len(line) - len(line.lstrip(" "))
            line = "    " * depth[n] + line[min(indented, content[n]) :]
        made.append(line)
    return "\n".join(made)


def with_links(text: str, source: str, place: str, site: Site) -> str:
    """The links of a page of the repository, for its place on the site."""
    known = sources()

    def target(link: str) -> str:
        if link.startswith("#") or re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), unquote(path)))
        if not (ROOT / path).exists():
            raise ValueError(f"a link leads to {link}, which does not exist")
        index = f"{path}/README.md"
        if path in known or index in known:
            to = known.get(path) or known[index]
        elif path == EXAMPLES and source != "docs/examples.md":
            to = known["docs/examples.md"]
        elif posixpath.dirname(path) == EXAMPLES:
            to = f"examples/{posixpath.basename(path).removesuffix('.py')}.md"
        elif path.startswith("docs/") and path.endswith(PICTURES):
            to = path.removeprefix("docs/")
        else:
            return site.file(path) + (f"#{anchor}" if anchor else "")
        return posixpath.relpath(to, posixpath.dirname(place) or ".") + (f"#{anchor}" if anchor else "")

    return outside_code(text, lambda part: _LINK.sub(lambda link: f"]({target(link[1])}{link[2] or ''})", part))


def without_owner(text: str, site: Site) -> str:
    """The text with the links to files of the repository as plain text if it has no owner: they would lead nowhere."""
    if site.is_named:
        return text
    return re.sub(r"\[((?:[^\[\]]|\[[^\]]*\])*)\]\(https://github\.com/OWNER/[^\s)]*\)", r"\1", text)


def page(text: str, source: str, place: str, site: Site, shown: list[Example]) -> str:
    """A page of the repository as MkDocs reads it."""
    if site.is_named:
        text = text.replace("<owner>/n6post", site.repository).replace("OWNER/n6post", site.repository)
    text = without_owner(with_links(text, source, place, site), site)
    text = with_lists(with_anchors(text))
    # Of Markdown's escapes, MkDocs does not know this one.
    text = outside_code(text, lambda part: part.replace("\\<", "&lt;"))
    if source == "docs/examples.md":
        text = with_cards(text, {example.name: example for example in shown})
    return f"---\n{yaml.safe_dump(properties(source, place), sort_keys=False)}---\n\n{text}"


def properties(source: str, place: str) -> dict[str, object]:
    """What MkDocs, its theme and hooks.py have to know of a page of the repository."""
    made: dict[str, object] = {}
    if source == "README.md":
        made["title"] = "n6post for OpenMV cameras"
    if edited := GENERATED.get(source, source):
        made["source"] = edited
    rank = 0.3 if place.startswith("internals/") else RANKS.get(source)
    if rank:
        made["search"] = {"boost": rank}
    return made


# ---- examples ----


def with_cards(text: str, shown: dict[str, Example]) -> str:
    """examples.md with a card for each example instead of the tables."""

    def cards(table: re.Match[str]) -> str:
        rows = [[cell.strip() for cell in row.strip("| ").split(" | ")] for row in table[0].strip().split("\n")[2:]]
        return '<div class="grid cards examples" markdown>\n\n' + "\n\n".join(map(card, rows)) + "\n\n</div>\n"

    def card(row: list[str]) -> str:
        made = []
        for link in re.findall(r"\]\(examples/(\w+)\.md\)", row[0]):
            several = row[0].count("](") > 1
            about = shown[link].doc.partition("\n\n")[0].replace("\n", " ").removesuffix(".")
            doc = about if several or len(row) < 3 else row[1]
            uses = "" if len(row) < 3 else f"\n\n    {row[2]}\n    {{ .uses }}"
            picture = f"[![{shown[link].alt}](examples/{link}.webp){{ loading=lazy }}](examples/{link}.md){{ tabindex=-1 }}"
            made.append(f"-   {picture}\n\n    **[{link}.py](examples/{link}.md)**\n\n    {doc}{uses}")
        return "\n\n".join(made)

    return re.sub(r"^\| Example \|.*\n\|[ -|]*\|\n(?:\|.*\n)+", cards, text, flags=re.MULTILINE)


def example_page(example: Example, site: Site) -> str:
    """The page of an example: its picture, how to run it, what it printed, and its code."""
    path = f"{EXAMPLES}/{example.name}.py"
    # Commands of docstrings are code already; pages of docs/ become links.
    doc = re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](../\1.md)", example.doc)
    parts = [f"---\nsource: {path}\nhide: [toc]\n---\n\n# {example.name}.py", doc]
    parts.append(f"![{example.alt}](../{example.picture})")
    parts.append(f"*{example.note}*" if "](" not in example.note else example.note)
    if example.changed:
        parts.append("For this picture, these lines were changed:\n\n" + fenced("python", "\n".join(example.changed)))
    if example.printed:
        end = (", at its end" if example.cut else "") + (" (equal lines once)" if example.repeated else "")
        parts.append(f"It printed{end}:\n\n" + fenced("text", "\n".join(example.printed)))
        if any("fps" in line for line in example.printed):
            parts.append("The frame rate is that of the simulation (10 pictures a second), not of a camera.")
    else:
        parts.append("It printed nothing.")
    parts.append("## Run it { #run-it }")
    parts.append(
        f"Copy [the file]({site.file(path)}) to the camera as main.py, or open it in OpenMV IDE and run it. "
        "[Adapting an example](../examples.md#adapting-an-example) says what to change. "
        f"[On a PC](../first-hour.md#run-a-camera-script-without-a-camera) the same file runs with {_needs(example)}:"
    )
    parts.append(fenced("sh", command(example)))
    parts.append("## The script { #the-script }")
    parts.append(fenced("python", example.code.rstrip(), f' title="{path}"'))
    parts.append("[All examples](../examples.md) · [API reference](../api.md) · [Networks](../networks.md)")
    return without_owner("\n\n".join(parts) + "\n", site)


def models(example: Example) -> list[str]:
    """The names of the networks that an example opens."""
    return re.findall(r'"/rom/(\w+)\.tflite"', example.code)


def follows(example: Example) -> bool:
    """Whether an example compares frames: with one picture it has nothing to report."""
    return re.search(r"\b(Tracker|Hold|LineZone|PolygonZone|HeatMap)\(", example.code) is not None


def command(example: Example) -> str:
    """The command that runs an example on a PC."""
    words = ["n6post host", f"{example.name}.py", "--picture", "video.mp4" if follows(example) else "photo.jpg"]
    names = models(example)
    words += ["--model model.tflite"] if len(names) == 1 else [f"--model {name}={name}.tflite" for name in names]
    return " ".join(words)


def _needs(example: Example) -> str:
    pictures = "your video" if follows(example) else "your picture"
    return pictures + ("", " and your model", " and your models")[len(models(example))]


def fenced(language: str, text: str, options: str = "") -> str:
    return f"```{language}{options}\n{text}\n```"
