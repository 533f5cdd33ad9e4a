"""The documentation that findings link to, as web pages."""

import html
import re
from pathlib import Path

from markdown_it import MarkdownIt

from .. import paths
from .looks import parts

FRAME = """\
<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<meta name="viewport" content="width=device-width"><link rel="stylesheet" href="../studio.css">
<link rel="icon" href="../icon.svg"></head>
<body class="page">{body}</body></html>
"""


def linked(finding: str) -> dict[str, str]:
    """A finding of `diagnose` as {text, page}: page is the address of its section, below the studio's; "" if it has none."""
    text, name, anchor = parts(finding)
    return {"text": text, "page": f"docs/{name}.html#{anchor}" if (paths.PAGES / f"{name}.md").is_file() else ""}


def anchor_of(heading: str) -> str:
    """The anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def rendered(name: str) -> str | None:
    """The page of this name as HTML, or None if there is none."""
    path = paths.PAGES / f"{name}.md"
    if not re.fullmatch(r"[\w-]+", name) or not path.is_file():
        return None
    # The pages have anchors in HTML. They are files of this package, not input.
    reader = MarkdownIt("commonmark", {"html": True}).enable("table")
    tokens = reader.parse(path.read_text(encoding="utf-8"))
    for token, inline in zip(tokens, tokens[1:]):
        if token.type == "heading_open":
            words = "".join(child.content for child in inline.children or () if child.type in ("text", "code_inline"))
            token.attrSet("id", anchor_of(words))
    for token in tokens:
        for child in token.children or ():
            if child.type == "link_open":
                child.attrSet("href", _address(str(child.attrGet("href")), path.parent))
            elif child.type == "image":  # pictures are not part of the package: their alternative text is shown
                child.type, child.content = "text", f"[{child.content}]"
    body = reader.renderer.render(tokens, reader.options, {})
    return FRAME.format(title=html.escape(name), body=body)


def _address(target: str, folder: Path) -> str:
    """Where a link of a page leads here: to another page if it is in the package; others lead nowhere."""
    file, _, anchor = target.partition("#")
    if target.startswith(("#", "https:", "http:")):
        return target
    if file.endswith(".md") and "/" not in file and (folder / file).is_file():
        return f"{file[:-3]}.html{'#' if anchor else ''}{anchor}"
    return "#"
