"""For MkDocs: the link of each page that edits its source. site_pages.py wrote the source's path into the page."""

from __future__ import annotations

from typing import Any


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> None:
    source = page.meta.get("source")
    page.edit_url = f"{config.repo_url}/edit/main/{source}" if source and config.repo_url else None
