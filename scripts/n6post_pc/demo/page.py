"""The demo's page: all pictures, embedded, with a sentence each. It has the colors of the studio's page."""

from __future__ import annotations

import base64
import html
import io
import os
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from PIL import Image

from .. import files, paths
from ..models import results

TITLES = {"yard": "Tracking: who came in, and who waits", "optimized": "What optimizing a model gains"}
SENTENCES = {
    "yard": "People in a rendered yard, found by YOLOv8n-seg, are tracked, counted at the door and timed beside the bench.",
    "optimized": "An int8 network finds 13 boxes as published, and 9 once it is optimized: as the float network (white).",
}
_STYLE = """\

body { margin: 0; background: var(--back); color: var(--text); font: 15px/1.45 system-ui, sans-serif; }
header, figure { background: var(--card); border: 1px solid var(--line); padding: .6rem; }
header { border-width: 0 0 1px; }
h1 { display: flex; gap: .5rem; font-size: 1.15rem; margin: 0 auto; max-width: 73rem; }
h1 img { width: 1.6rem; }
main { max-width: 73rem; margin: auto; padding: 0 .8rem 2rem; }
h2 { font-size: 1.05rem; margin: 1.6rem 0 .5rem; }
section { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); gap: .8rem; }
section { align-items: start; }
figure { border-radius: .6rem; margin: 0; }
figcaption { color: var(--soft); font-size: .9em; }
figure:only-child { grid-column: 1 / -1; justify-self: start; }
figure:only-child figcaption { contain: inline-size; } /* the picture sets the width */
figure img { display: block; max-width: 100%; margin-bottom: .4rem; border-radius: .3rem; }
code { font-family: ui-monospace, monospace; }
"""
_PAGE = """\
<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>n6post demo</title>
<meta name="viewport" content="width=device-width"><link rel="icon" href="{icon}"><style>{style}</style></head>
<body><header><h1><img src="{icon}" alt="">n6post demo</h1></header><main>
<p>n6post made these results of recorded outputs of real networks, and drew them, as it does on a camera.</p>
{sections}
<h2>Go on</h2><p><code>{studio}</code> opens a page with sliders for the options of a model. <code>{run}</code> runs a model
file on your pictures. Both take a small sample network by default.</p></main></body></html>
"""


class Page:
    """Sections with pictures, in the order in which they are added."""

    def __init__(self) -> None:
        self._sections: dict[str, list[str]] = {}

    def add(self, title: str, picture: Path, said: str) -> None:
        """Add a picture (.png or .webp) with a sentence to the section with this title."""
        said = html.escape(said)
        figure = f'<figure><img src="{_embedded(picture)}" alt="{said}"><figcaption>{said}</figcaption></figure>'
        self._sections.setdefault(title, []).append(figure)

    def write(self, path: Path) -> str:
        """Write the page, and return its address."""
        css = (paths.HERE / "studio" / "page" / "studio.css").read_text(encoding="utf-8")
        style = css[: css.index("}") + 1] + _STYLE  # its colors
        icon = _address((paths.HERE / "studio" / "page" / "icon.svg").read_bytes(), "svg+xml")
        sections = "\n".join(f"<h2>{html.escape(title)}</h2><section>{''.join(figures)}</section>"
                             for title, figures in self._sections.items())  # fmt: skip
        run, studio = ("python3 scripts/run_model.py", "python3 scripts/studio.py") if paths.CHECKOUT else (
            "n6post run", "n6post studio")  # fmt: skip
        with files.replacing(path) as temporary:
            page = _PAGE.format(icon=icon, style=style, sections=sections, run=run, studio=studio)
            temporary.write_text(page, encoding="utf-8")
        return path.resolve().as_uri()


def _embedded(picture: Path) -> str:
    """A picture as an address. A photograph becomes a JPEG, a fifth of its .png."""
    if picture.suffix == ".webp":
        return _address(picture.read_bytes(), "webp")
    file = io.BytesIO()
    with Image.open(picture) as opened:
        opened.convert("RGB").save(file, "JPEG", quality=88)
    return _address(file.getvalue(), "jpeg")


def _address(data: bytes, kind: str) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def sentence(found: Iterable[tuple[str, Any]], start: str = "In {} it finds ") -> str:
    """What is in each of these results, (name, result): "In coffee it finds 1 x cup."."""
    return "; ".join(start.format(name) + _said(result) for name, result in found) + "."


def _said(result: Any) -> str:
    if results.kind_of(result) == "depth":
        return "a distance for every pixel"
    labels = [row[0] for row in results.rows(result)]
    if results.kind_of(result) == "map":
        return " and ".join(f"the pixels of {label}" for label in labels) or "nothing"
    return ", ".join(f"{labels.count(label)} x {label}" for label in dict.fromkeys(labels)) or "nothing"


def has_display() -> bool:
    """Whether a browser would open in front of somebody: not in CI, in a pipe, or over SSH without a display."""
    if not sys.stdout.isatty() or "CI" in os.environ:
        return False
    if sys.platform in ("win32", "darwin"):
        return "SSH_CONNECTION" not in os.environ
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))
