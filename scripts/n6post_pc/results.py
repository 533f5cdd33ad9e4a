"""A table of what a post-processor found, shared by the scripts that show one."""

from typing import Any

from rich import box
from rich.table import Table

SEEN = 0.3  # a joint's score from which it counts as seen


def table(title: str) -> Table:
    """An empty table that fits 80 columns."""
    sheet = Table(title=title, title_justify="left", title_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    for heading, width in (("picture", 15), ("label", 11), ("score", 5), ("rect (x, y, w, h)", 20), ("extent", 15)):
        sheet.add_column(heading, no_wrap=True, min_width=width, justify="right" if heading == "score" else "left")
    return sheet


def add(sheet: Table, picture: str, result: Any) -> None:
    """A row for everything in the result of a picture, or one that says that there is nothing."""
    for number, row in enumerate(_rows(result) or [("nothing",)]):
        sheet.add_row("" if number else picture, *row)


def _rows(result: Any) -> list[tuple[str, ...]]:
    if isinstance(result, list):
        return [(d.label, f"{d.score:.2f}", str(d.rect), _extent(d)) for d in result]
    return [(result.label(c), "", "", f"{result.share(c):.1%} of frame") for c in result.present()]


def _extent(detection: Any) -> str:
    if detection.mask is not None:
        return f"{detection.mask.area} pixels"
    if detection.keypoints is not None:
        scores = [detection.keypoints[k, 2] for k in range(len(detection.keypoints))]
        return f"{sum(score >= SEEN for score in scores)} of {len(scores)} joints"
    return ""
