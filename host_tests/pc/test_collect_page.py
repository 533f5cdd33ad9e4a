"""scripts/n6post_pc/collect/page: the page in a real browser, as people use it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import browser
import pytest
from browser import NARROW, WIDE, needs_browser
from n6post_pc.collect import server
from n6post_pc.collect.folder import Folder
from playwright.sync_api import Browser, Locator, Page, expect
from test_collect import LABELS, collected, jpeg

pytestmark = [needs_browser, pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/*/page/*")]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.opened() as opened:
        yield opened


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return collected(tmp_path / "photos")


@pytest.fixture(params=[WIDE])
def page(photos: Path, chromium: Browser, request: pytest.FixtureRequest) -> Iterator[Page]:
    """The page in a window. Nothing on it may fail in the background."""
    jpeg(photos / "00002_new.jpg", (640, 480))
    served, address = server.page(Folder(photos), ["cat", "dog", "fox", "owl"])
    errors: list[str] = []
    opened = browser.page_of(chromium, request.param, errors)
    opened.goto(address)
    expect(opened.locator("article")).to_have_count(len(LABELS))
    yield opened
    opened.close()
    served.close()
    assert [one for one in errors if "status of 400" not in one] == []  # what is refused is shown: a test looks at it


def card(page: Page, name: str) -> Locator:
    return page.locator("article", has=page.get_by_alt_text(f"Picture {name}"))


def shown(page: Page) -> list[str]:
    return [one.locator("b").inner_text() for one in page.locator("article:visible").all()]


def current(page: Page) -> str:
    return page.locator("article[aria-current=true] b").inner_text()


def states(folder: Path) -> dict[str, str]:
    return {one.path.stem: one.state for one in Folder(folder).pictures()}


def test_boxes_are_where_the_labels_say(page: Page) -> None:
    picture = card(page, "00002_new")
    image = picture.locator("img").bounding_box()
    assert image and abs(image["width"] / image["height"] - 4 / 3) < 0.01
    for rect, (x, y, w, h) in zip(picture.locator("rect").all(), [(0.375, 0.25, 0.25, 0.5), (0, 0, 0.2, 0.2)], strict=True):
        got = rect.bounding_box()
        assert got
        for axis, size, part, offset in (("x", "width", w, x), ("y", "height", h, y)):
            assert abs(got[axis] - image[axis] - offset * image[size]) < 2  # the line is 2 pixels wide
            assert abs(got[size] - part * image[size]) < 4
    assert picture.locator("text").all_text_contents() == ["cat", "owl"]
    assert float(picture.locator("text").nth(1).get_attribute("y") or 0) > 0  # below the upper edge of the picture
    assert picture.locator("p").inner_text().split() == ["00002", "new", "Keep", "Drop"]


def test_pictures_are_loaded_from_the_folder(page: Page) -> None:
    for name in LABELS:
        card(page, name).scroll_into_view_if_needed()
        expect(card(page, name).locator("img")).to_have_js_property("complete", True)
        width = 640 if name == "00002_new" else 64
        assert card(page, name).locator("img").evaluate("one => one.naturalWidth") == width


def test_keys_decide_and_go_on_without_waiting(page: Page, photos: Path) -> None:
    assert current(page) == "00002"
    for key in ("k", "D", "ArrowRight", "ArrowRight", "d"):
        page.keyboard.press(key)
    expect(page.locator("article.dropped")).to_have_count(2)
    expect(page.locator("article.kept")).to_have_count(1)
    wanted = {"00002_new": "kept", "00010_lost": "dropped", "00011_new": "to sort", "100000_unsure_120": "dropped"}
    assert states(photos) == wanted and current(page) == "100000"
    page.keyboard.press("ArrowLeft")
    assert current(page) == "00011"
    page.reload()
    expect(page.locator("article.dropped")).to_have_count(2)
    page.keyboard.press("Control+d")  # the browser's
    page.keyboard.press("ArrowRight")
    assert current(page) == "00010" and states(photos) == wanted


@pytest.mark.parametrize("page", [NARROW], indirect=True)
def test_arrows_up_and_down_move_by_a_row(page: Page) -> None:
    page.keyboard.press("ArrowDown")
    assert current(page) == "00010"  # one column
    page.set_viewport_size({"width": 800, "height": 800})
    page.keyboard.press("ArrowDown")
    assert current(page) == "100000"
    page.keyboard.press("ArrowUp")
    assert current(page) == "00010"


def test_buttons_decide_and_take_back(page: Page, photos: Path) -> None:
    drop = card(page, "00011_new").get_by_role("button", name="Drop")
    drop.click()
    expect(drop).to_have_attribute("aria-pressed", "true")
    assert states(photos)["00011_new"] == "dropped" and current(page) == "00011"
    drop.click()
    expect(drop).to_have_attribute("aria-pressed", "false")
    assert states(photos)["00011_new"] == "to sort"
    keep = card(page, "00011_new").get_by_role("button", name="Keep")
    keep.click()
    expect(keep).to_have_attribute("aria-pressed", "true")
    assert states(photos)["00011_new"] == "kept"


def test_filters_show_some_reasons_and_states(page: Page) -> None:
    options = page.locator("#reason option").all_inner_texts()
    assert options == ["all", "new", "lost", "unsure"]
    page.get_by_label("Reason").select_option("new")
    assert shown(page) == ["00002", "00011"] and current(page) == "00002"
    page.get_by_label("Reason").select_option("lost")
    assert shown(page) == ["00010"] and current(page) == "00010"
    page.get_by_label("Reason").select_option("all")
    page.get_by_label("Show").select_option("to sort")
    page.locator("h1").click()
    page.keyboard.press("d")
    expect(page.locator("article:visible")).to_have_count(3)
    assert shown(page) == ["00010", "00011", "100000"] and current(page) == "00010"
    page.get_by_label("Show").select_option("dropped")
    assert shown(page) == ["00002"]


def test_a_click_removes_a_box_and_z_brings_it_back(page: Page, photos: Path) -> None:
    labels, lines = photos / "00002_new.txt", LABELS["00002_new"].splitlines()
    card(page, "00002_new").locator("rect").nth(1).click(position={"x": 60, "y": 30})
    expect(card(page, "00002_new").locator("rect")).to_have_count(1)
    assert labels.read_text(encoding="utf-8") == lines[0] + "\n"
    card(page, "00002_new").locator("rect").first.click()
    expect(card(page, "00002_new").locator("rect")).to_have_count(0)
    assert labels.read_text(encoding="utf-8") == ""
    page.keyboard.press("z")
    expect(card(page, "00002_new").locator("rect")).to_have_count(1)
    page.keyboard.press("z")
    expect(card(page, "00002_new").locator("rect")).to_have_count(2)
    page.keyboard.press("z")
    assert labels.read_text(encoding="utf-8") == LABELS["00002_new"]


def test_a_select_changes_the_class_of_its_box(page: Page, photos: Path) -> None:
    select = page.get_by_label("Class of box 2")
    assert select.locator("option").all_inner_texts() == ["cat", "dog", "fox", "owl"]
    expect(select).to_have_value("3")
    select.focus()
    expect(card(page, "00002_new").locator("rect").nth(1)).to_have_class("marked")
    select.select_option("fox")
    expect(card(page, "00002_new").locator("text").nth(1)).to_have_text("fox")
    first, second = LABELS["00002_new"].splitlines()
    assert (photos / "00002_new.txt").read_text(encoding="utf-8") == f"{first}\n2{second[1:]}\n"
    assert page.locator("article select").count() == 2  # of the current picture only
    page.get_by_label("Class of box 1").focus()
    page.keyboard.press("d")  # chooses in the select
    expect(card(page, "00002_new").locator("text").first).to_have_text("dog")
    assert states(photos)["00002_new"] == "to sort"


def test_what_the_command_refuses_is_shown(page: Page, photos: Path) -> None:
    (photos / "00002_new.txt").write_text("", encoding="utf-8")
    card(page, "00002_new").locator("rect").first.click()
    expect(page.locator("#notice")).to_have_text("the labels of 00002_new have changed meanwhile: reload the page")
    expect(card(page, "00002_new").locator("rect")).to_have_count(2)
    page.keyboard.press("k")
    expect(page.locator("#notice")).to_have_text("")


@pytest.mark.parametrize("page", [WIDE, NARROW], ids=["wide", "narrow"], indirect=True)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_nothing_is_wider_than_the_window(page: Page, scheme: str) -> None:
    back = {"light": "rgb(244, 245, 246)", "dark": "rgb(22, 25, 28)"}
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    assert page.evaluate("document.documentElement.scrollWidth") <= (page.viewport_size or {})["width"]
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == back[scheme]
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll("select, button")].filter(one =>
        !(one.labels?.length || one.ariaLabel || one.textContent.trim())).map(one => one.outerHTML)"""
    )
    assert unnamed == []
