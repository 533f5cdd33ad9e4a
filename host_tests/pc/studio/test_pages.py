"""scripts/n6post_pc/studio/pages.py: each finding leads to its section of the documentation."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from n6post_pc import paths
from n6post_pc.studio import pages


def test_a_finding_is_split_into_its_text_and_its_page() -> None:
    finding = "coarse scale: output 0 has steps of 0.3 (docs/troubleshooting.md#coarse-scale)"
    assert pages.linked(finding) == {
        "text": "coarse scale: output 0 has steps of 0.3", "page": "docs/troubleshooting.html#coarse-scale"}  # fmt: skip
    carried = finding.replace("(docs/", "(/usr/lib/n6post_pc/carried/docs/")
    assert pages.linked(carried) == pages.linked(finding)
    assert pages.linked("no page: this") == {"text": "no page: this", "page": ""}
    assert pages.linked("gone: this (docs/absent.md#gone)") == {"text": "gone: this", "page": ""}


def test_every_heading_has_the_anchor_that_github_gives_it() -> None:
    page = pages.rendered("troubleshooting")
    assert page is not None
    text = (paths.PAGES / "troubleshooting.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\((?:troubleshooting\.md)?#([\w-]+)\)", text))
    assert {"box-step", "optimize"} | linked <= set(re.findall(r'id="([^"]+)"', page)) and len(linked) > 3


@pytest.mark.parametrize("name", ["../README", "..%2FREADME", "absent", "", "internals/performance"])
def test_only_pages_of_the_documentation_are_shown(name: str) -> None:
    assert pages.rendered(name) is None


def test_links_between_pages_lead_to_headings_that_are_there() -> None:
    headed = {path.stem: pages.rendered(path.stem) or "" for path in paths.PAGES.glob("*.md")}
    count = 0
    for page in headed.values():
        for name, anchor in re.findall(r'<a href="([\w-]+)\.html#([\w-]+)"', page):
            assert f'id="{anchor}"' in headed[name], (name, anchor)
            count += 1
    assert count > 20


def test_words_in_code_belong_to_an_anchor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one.md").write_text("# The `load` call\n\n[two](two.md#a-b) [three](three.md)\n", encoding="utf-8")
    (tmp_path / "two.md").write_text("# A b\n", encoding="utf-8")
    monkeypatch.setattr(paths, "PAGES", tmp_path)
    page = pages.rendered("one") or ""
    assert 'id="the-load-call"' in page and 'href="two.html#a-b"' in page and 'href="#"' in page


def test_no_page_loads_anything_from_elsewhere() -> None:
    for path in paths.PAGES.glob("*.md"):
        page = pages.rendered(path.stem)
        assert page is not None and "<script" not in page and not re.search(r'src="[^"]', page), path
        assert set(re.findall(r'<link[^>]*href="([^"]*)"', page)) == {"../studio.css", "../icon.svg"}


def test_a_link_leads_to_a_page_of_the_studio_or_nowhere() -> None:
    for path in paths.PAGES.glob("*.md"):
        page = pages.rendered(path.stem)
        assert page is not None
        for target in re.findall(r'<a href="([^"]*)"', page):
            name = re.fullmatch(r"([\w-]+)\.html(#[\w-]+)?", target)
            assert target.startswith(("#", "https://", "http://")) or name and pages.rendered(name[1]), (path, target)
