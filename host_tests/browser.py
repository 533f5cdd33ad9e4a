"""A real Chromium for the tests of pages. Tests that use it are skipped where no browser is installed.

It is driven by Playwright, whose own browsers are not used: `apt-get install chromium` on Debian, or Chrome, which most
systems have.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page, Request

sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright, which scripts/test.py --all installs")

NAMES = ("chromium", "google-chrome", "google-chrome-stable", "chrome", "chromium-browser")
ELSEWHERE = (  # where Windows and macOS install Chrome
    Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),
    Path(os.environ.get("PROGRAMFILES", "/nowhere")) / "Google/Chrome/Application/chrome.exe",
)  # fmt: skip

WIDE, NARROW = (1280, 900), (390, 844)  # a desktop, a phone


def program() -> str | None:
    """The path of the installed browser, or None."""
    found = next(filter(None, map(shutil.which, NAMES)), None)
    return found or next((str(path) for path in ELSEWHERE if path.is_file()), None)


# CI may not leave them out.
needs_browser = pytest.mark.skipif(
    program() is None and not os.environ.get("CI"), reason="no Chromium and no Chrome is installed (Debian: chromium)"
)


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser without a window. It can reach this computer only: a page that loads anything else has an error."""
    arguments = ["--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    if sys.platform == "linux" and os.geteuid() == 0:
        arguments.append("--no-sandbox")  # Chromium has no sandbox for root, as in most containers
    assert program(), "CI has no browser: install Chromium or Chrome"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program(), args=arguments)
        yield browser
        browser.close()


def page_of(browser: Browser, size: tuple[int, int], errors: list[str]) -> Page:
    """A new page of this (width, height). What fails on it is added to `errors`: scripts, console errors, requests."""
    page = browser.new_page(viewport={"width": size[0], "height": size[1]})
    page.on("pageerror", lambda error: errors.append(f"script: {error}"))
    page.on("console", lambda message: errors.append(f"console: {message.text}") if message.type == "error" else None)

    def failed(request: Request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the page was left before it had loaded
            errors.append(f"request: {request.url} {request.failure}")

    page.on("requestfailed", failed)
    return page
