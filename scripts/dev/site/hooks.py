"""How MkDocs reads this repository in place: its pages are the Markdown that GitHub shows. mkdocs.yml names this file.

A page is known by its path in the repository, so that links between pages need no change. Other links to the repository lead
to GitHub. Each example becomes a page. build_site.py sets the variables SITE_REPOSITORY (OWNER/NAME), SITE_REF and SITE_TRY
(whether try_page.py writes its page in place of docs/try.md).
"""

from __future__ import annotations

import ast
import logging
import os
import posixpath
import re
import sys
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

from markdown import Extension, Markdown
from markdown.treeprocessors import Treeprocessor
from mkdocs.plugins import event_priority
from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[3]
EXAMPLES = "scripts/examples"
REPOSITORY = os.environ.get("SITE_REPOSITORY", "OWNER/n6post")
REF = os.environ.get("SITE_REF", "main")
NAMED = not REPOSITORY.startswith("OWNER/")  # pyproject.toml names no owner until a release

# Pages that are not in docs/, and their place on the site.
ELSEWHERE = {
    "README.md": "index.html",
    "CHANGELOG.md": "changelog/index.html",
    "CODE_OF_CONDUCT.md": "code-of-conduct/index.html",
    "CONTRIBUTING.md": "contributing/index.html",
    "SECURITY.md": "security/index.html",
    "host_tests/data/README.md": "internals/test-data/index.html",
    "requirements/README.md": "internals/packages/index.html",
    "scripts/n6post_pc/data/README.md": "internals/recordings/index.html",
    "scripts/n6post_pc/data/shapes/README.md": "sample-network/index.html",
    "stubs/README.md": "internals/stubs/index.html",
}
# How much a page counts in the search: answers for users come before the reference and pages for those who work on n6post.
RANKS = (
    (3.0, r"README\.md"),
    (2.0, r"docs/(try|first-hour|inputs-and-speed|networks|results|tracking|troubleshooting)\.md"),
    (0.5, r"docs/api.*"),
    (0.3, r"[A-Z_]+\.md|docs/(proven\.md|internals/.*)"),
    (0.3, r"(host_tests/data|requirements|scripts/n6post_pc/data|stubs)/README\.md"),
)


class ExampleFile(File):
    """A script, which MkDocs takes for a page; `on_page_read_source` writes its Markdown."""

    def is_documentation_page(self) -> bool:
        return True


class GitHubMarkdown(Extension):
    """Where Python-Markdown reads a page otherwise than GitHub: the indentation of lists, `\\<`, anchors, links to files."""

    page: Any = None  # the one that is read
    files: Files

    def extendMarkdown(self, md: Markdown) -> None:  # noqa: N802
        # Two spaces are a level of a list, as after "- "; three, as after "1. ", are one level and a space.
        md.tab_length = 2
        for name in ("indent", "code", "olist", "ulist"):
            md.parser.blockprocessors[name].__init__(md.parser)  # it reads tab_length
        md.ESCAPED_CHARS.append("<")
        taken: set[str] = set()

        def anchor(heading: str, separator: str) -> str:
            """The second of two equal headings ends with -1."""
            first = re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", separator)
            unique, number = first, 0
            while unique in taken:
                number += 1
                unique = f"{first}-{number}"
            taken.add(unique)
            return unique

        md.treeprocessors["toc"].slugify = anchor
        md.treeprocessors.register(RepositoryLinks(md), "repository", 10)  # before MkDocs reads the links


class RepositoryLinks(Treeprocessor):
    """Links to files of the repository that are no pages lead to GitHub. Without an owner, they are plain text."""

    def run(self, root: Any) -> None:
        for link in root.iter("a"):
            path, mark, anchor = link.get("href").partition("#")
            if path and not re.match(r"[a-z]+:|/", path):
                target = posixpath.normpath(posixpath.join(posixpath.dirname(GITHUB.page.file.src_uri), unquote(path)))
                if GITHUB.files.get_file_from_path(f"{target}/README.md"):
                    link.set("href", f"{path.rstrip('/')}/README.md{mark}{anchor}")
                elif not GITHUB.files.get_file_from_path(target) and (ROOT / target).exists():
                    link.set("href", address_of(target) + mark + anchor)
            if link.get("href").startswith("https://github.com/OWNER/"):
                link.tag = "span"
                link.attrib.clear()


GITHUB = GitHubMarkdown()


def address_of(path: str) -> str:
    """The address of a file or folder of the repository."""
    return f"https://github.com/{REPOSITORY}/{'tree' if (ROOT / path).is_dir() else 'blob'}/{REF}/{quote(path)}"


@event_priority(100)  # before mike, which adds the version to site_url
def on_config(config: Any) -> None:
    owner, _, name = REPOSITORY.partition("/")
    if NAMED:  # otherwise the header would link to nowhere
        config.repo_url, config.repo_name, config.edit_uri = f"https://github.com/{REPOSITORY}", REPOSITORY, "edit/main/"
        config.site_url = f"https://{owner.lower()}.github.io/{name}/"
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    config.copyright = f"n6post {version}, {REF}. MIT License"
    if "MIKE_DOCS_VERSION" in os.environ:
        config.extra["version"] = {"provider": "mike", "alias": True, "default": ["latest", "dev"]}
    for section in config.nav:
        if "Examples" in section:
            section["Examples"] = [*section["Examples"][:1], *nav_of_examples()]
    config.markdown_extensions.append(GITHUB)


def nav_of_examples() -> list[dict[str, list[str]]]:
    """The examples in the tables under each heading of their page, in its order."""
    found = []
    for section in (ROOT / "docs" / "examples.md").read_text(encoding="utf-8").split("\n## ")[1:]:
        title, *lines = section.split("\n")
        rows = "\n".join(line for line in lines if line.startswith("|"))
        if paths := re.findall(rf"\]\(\.\./({EXAMPLES}/\w+\.py)\)", rows):
            found.append({title: paths})
    return found


def on_files(files: Files, *, config: Any) -> Files:
    """Every file by its path in the repository, with the pages that are not in docs/."""
    for file in files:
        if file.src_dir == config.docs_dir:
            file.dest_uri = file.dest_uri  # computed once, of its path in docs/
            file.src_dir, file.src_uri = str(ROOT), f"docs/{file.src_uri}"
    places = [(File, source, place) for source, place in ELSEWHERE.items()]
    places += [(ExampleFile, f"{EXAMPLES}/{path.name}", f"examples/{path.stem}/index.html")
               for path in (ROOT / EXAMPLES).glob("*.py")]  # fmt: skip
    made = [kind(source, str(ROOT), config.site_dir, True, dest_uri=place) for kind, source, place in places]
    GITHUB.files = Files([*files, *made])
    for path in GITHUB.files.src_uris:  # pages that a script writes
        if path.startswith("docs/api"):
            GITHUB.files.src_uris[path].edit_uri = "lib/n6post/__init__.pyi"
    GITHUB.files.src_uris["requirements/README.md"].edit_uri = None
    return GITHUB.files


def on_page_read_source(*, page: Any, config: Any) -> str | None:
    return example_page(Path(page.file.src_uri)) if isinstance(page.file, ExampleFile) else None


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    GITHUB.page = page
    path = page.file.src_uri
    if path == "README.md":
        page.meta["title"] = "n6post for OpenMV cameras"
    page.meta["search"] = {"boost": next((rank for rank, pages in RANKS if re.fullmatch(pages, path)), 1.0)}
    return re.sub("(<owner>|OWNER)/n6post", REPOSITORY, markdown) if NAMED else markdown


def on_post_build(*, config: Any) -> None:
    if os.environ.get("SITE_TRY"):
        sys.path.append(str(Path(__file__).parent))
        import try_page

        if reason := try_page.build(Path(config.site_dir) / "try"):
            logging.getLogger("mkdocs.hooks").info('without the page "Try it in your browser": it %s', reason)


def gallery(path: Path) -> str:
    """The picture below the paragraph of the gallery that links to an example, as Markdown; for others nothing."""
    gallery = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8").partition("\n## Gallery\n")[2].split("\n\n")
    shown = [below for above, below in zip(gallery, gallery[1:]) if f"/{path.name})" in above and below.startswith("![")]
    return "".join(shown).replace("](", "](../../docs/")


def example_page(path: Path) -> str:
    """An example: what its docstring says, its picture, how to run it, and its code."""
    code = (ROOT / path).read_text(encoding="utf-8")
    doc = re.sub(r"\bdocs/([\w-]+)\.md", r"[\1](../../docs/\1.md)", ast.get_docstring(ast.parse(code)) or "")
    needs, command = how_to_run(path.name, code)
    return f"""\
---
hide: [toc]
---
# {path.name}

{doc}

{gallery(path)}

## Run it

Copy [the file]({address_of(path.as_posix())}) to the camera as main.py, or open it in OpenMV IDE and run it.
[Adapting an example](../../docs/examples.md#adapting-an-example) says what to change.
[On a PC](../../docs/first-hour.md#run-a-camera-script-without-a-camera) the same file runs with {needs}:

```sh
{command}
```

## The script

```python title="{path.as_posix()}"
{code.rstrip()}
```

[All examples](../../docs/examples.md) · [API reference](../../docs/api.md) · [Networks](../../docs/networks.md)
"""


def how_to_run(name: str, code: str) -> tuple[str, str]:
    """What an example needs on a PC, and the command that runs it: a video, if it compares frames."""
    models = re.findall(r'"/rom/(\w+)\.tflite"', code)
    times = re.search(r"\b(Tracker|Hold|LineZone|PolygonZone|HeatMap)\(", code)
    needs = ("your video" if times else "your picture") + ("", " and your model", " and your models")[len(models)]
    words = ["n6post host", name, "--picture", "video.mp4" if times else "photo.jpg"]
    words += ["--model model.tflite"] if len(models) == 1 else [f"--model {model}={model}.tflite" for model in models]
    return needs, " ".join(words)
