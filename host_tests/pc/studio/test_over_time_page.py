"""scripts/n6post_pc/studio/page/over_time.js: Track, and what is drawn with the mouse, in a real browser."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path

import browser
import numpy as np
import pytest
from browser import NARROW, WIDE, needs_browser
from n6post_pc import paths
from n6post_pc.studio import over_time
from n6post_pc.studio.server import Server
from n6post_pc.studio.workbench import Request, Workbench
from playwright.sync_api import Browser, expect
from test_over_time import PICTURE, looked, moving, tracked
from test_page import Studio, opened

pytestmark = [needs_browser, pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")]

LAST = 13


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.opened() as opened:
        yield opened


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    made = Workbench(tmp_path / "studio")
    made.add_siblings(made.add_model(paths.SAMPLE_MODEL))
    made.add_source(moving(tmp_path / "film.mp4"))
    return made


class Tracking(Studio):
    """The page with Track on, at the last frame of the video."""

    errors: list[str]

    @classmethod
    def at(cls, chromium: Browser, address: str, size: tuple[int, int] = WIDE) -> Tracking:
        errors: list[str] = []
        page = browser.page_of(chromium, size, errors)
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        made = cls(page, address)
        made.errors = errors
        made.settle()
        page.get_by_label("Track").check()
        page.locator("#number").fill(str(LAST))
        made.settle()
        return made

    def place(self, x: float, y: float, panel: int = 0) -> tuple[float, float]:
        """Where a pixel of the frame is on the screen."""
        frame = self.page.locator(".frame").nth(panel)
        frame.scroll_into_view_if_needed()
        box = frame.bounding_box()
        assert box
        scale = min(box["width"] / 640, box["height"] / 480)
        left, top = box["x"] + (box["width"] - 640 * scale) / 2, box["y"] + (box["height"] - 480 * scale) / 2
        return left + x * scale, top + y * scale

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        self.page.mouse.move(*self.place(*start))
        self.page.mouse.down()
        self.page.mouse.move(*self.place(*end), steps=3)
        self.page.mouse.up()
        self.settle()

    def click(self, *points: tuple[float, float]) -> None:
        for point in points:
            self.page.mouse.click(*self.place(*point))

    def tool(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).first.click()

    def numbers(self, start: str) -> list[float]:
        """The numbers in a line of the script."""
        (line,) = [line for line in self.copied_script().splitlines() if line.startswith(start)]
        self.page.locator("#close").click()
        return [float(one) for one in re.findall(r"-?\d+(?:\.\d+)?", line.partition("(")[2])]

    def said(self) -> list[str]:
        self.settle()
        return self.page.locator(".drawn span").all_inner_texts()


@pytest.fixture
def studio(bench: Workbench, chromium: Browser) -> Iterator[Tracking]:
    server = Server(bench)
    page = Tracking.at(chromium, server.address)
    yield page
    page.page.close()
    server.close()
    assert page.errors == []


def test_a_line_by_the_mouse_counts_is_copied_and_survives_a_reload(studio: Tracking, tmp_path: Path) -> None:
    studio.tool("Line")
    studio.drag((330, 2), (330, 490))
    numbers = studio.numbers("line = ")
    assert max(abs(a - b) for a, b in zip(numbers, (330, 2, 330, 490))) <= 2  # of the screen's pixels
    _, detections, line, _, _ = tracked(tmp_path / "film.mp4", LAST + 1, line=(numbers[:2], numbers[2:]))
    assert studio.said() == [f"line: in {line.in_count}, out {line.out_count}"] and line.in_count
    assert [row[0] for row in studio.rows()] == [f"#{d.track_id} {d.label}" for d in detections]
    before = studio.frame()
    studio.page.reload()
    assert studio.said()[0].startswith("line: in ") and studio.frame() == before
    assert studio.numbers("line = ") == numbers
    remove = studio.page.get_by_role("button", name="Remove line")
    remove.focus()
    remove.press("Enter")
    assert studio.said() == [] and studio.frame() != before and "LineZone" not in studio.copied_script()


def test_a_zone_is_closed_by_its_first_corner_or_a_double_click(studio: Tracking) -> None:
    studio.tool("Zone")
    studio.click((60, 40), (300, 40), (300, 400), (61, 41))
    assert len(studio.numbers("zone = ")) == 6
    assert re.fullmatch(r"zone: \d inside, \d+ % covered", studio.said()[0])
    studio.tool("Zone")
    studio.click((400, 40), (600, 40), (600, 300))
    studio.page.mouse.dblclick(*studio.place(420, 300))
    assert len(studio.numbers("zone_2 = ")) == 8
    studio.tool("Zone")
    studio.click((100, 100), (200, 100), (200, 200))
    studio.page.keyboard.press("Escape")
    assert len(studio.said()) == 2
    studio.drag((300, 400), (640, 520))  # a corner, beyond the frame's border
    assert studio.numbers("zone_1 = ")[-2:] == [640, 500]
    studio.tool("Clear")
    assert studio.said() == []


def test_four_corners_of_the_ground_give_speeds(studio: Tracking) -> None:
    studio.tool("Plane points")
    studio.click((620, 470), (200, 100), (20, 470), (440, 100))  # in any order
    studio.page.get_by_label("Length").fill("40")
    studio.page.get_by_label("Length").press("Enter")
    numbers = studio.numbers("plane = ")
    assert max(abs(a - b) for a, b in zip(numbers, (200, 100, 440, 100, 620, 470, 20, 470))) <= 2
    assert numbers[8:] == [0, 40, 6, 40, 6, 0, 0, 0]
    expect(studio.page.locator(".speed")).to_be_visible()
    speeds = [row[4] for row in studio.rows() if len(row) > 4 and row[4].strip()]
    assert speeds and all(speed.endswith(" km/h") for speed in speeds)


def test_what_cannot_be_is_undone_with_a_sentence(studio: Tracking) -> None:
    studio.tool("Zone")
    studio.click((60, 40), (300, 40), (300, 400), (60, 40))
    before = studio.frame()
    studio.tool("Plane points")
    studio.click((100, 100), (200, 100), (300, 100), (400, 100))
    expect(studio.page.locator(".tools .hint")).to_contain_text("plane: ")
    assert len(studio.errors) == 1 and "400" in studio.errors.pop()  # the request
    assert len(studio.said()) == 1 and studio.frame() == before
    studio.tool("Line")
    studio.click((100, 100))  # a click is no line
    assert len(studio.said()) == 1


def test_points_move_with_the_frame_size_and_belong_to_the_picture(studio: Tracking, tmp_path: Path) -> None:
    studio.tool("Line")
    studio.drag((320, 100), (320, 400))
    numbers = studio.numbers("line = ")
    studio.page.locator("#size").select_option("QVGA")
    half = studio.numbers("line = ")
    assert max(abs(2 * a - b) for a, b in zip(half, numbers)) <= 1
    studio.page.locator("#size").select_option("VGA")
    other = tmp_path / "other.jpg"
    other.write_bytes(PICTURE.read_bytes())
    studio.drop(other)
    expect(studio.page.locator("#pictures button")).to_have_count(2)
    assert studio.said() == [] and "LineZone" not in studio.copied_script()
    studio.page.locator("#close").click()
    studio.page.locator("#pictures button").first.click()
    assert len(studio.said()) == 1


def test_a_jump_shows_how_far_it_is_and_can_be_left(
    bench: Workbench, chromium: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(over_time, "SECONDS", 0)
    server = Server(bench)
    studio, errors = opened(chromium, server.address)
    studio.settle()
    studio.page.get_by_label("Track").check()
    studio.page.locator("#number").fill(str(LAST))
    expect(studio.page.locator(".progress")).to_have_text(re.compile(r"Tracking: frame \d+ of 14"))
    studio.page.locator("#number").fill("0")
    studio.settle()
    assert studio.page.locator(".progress").is_hidden()
    assert max(map(len, bench._history._found.values())) < LAST
    assert bench.look(Request("m1", "p3", scene={}))["picture"] == studio.frame()
    studio.page.close()
    server.close()
    assert errors == []


def test_save_picture_saves_the_frame_with_its_drawings(studio: Tracking) -> None:
    with studio.page.expect_download() as download:
        studio.page.get_by_role("button", name="Save picture").click()
    assert download.value.suggested_filename == "film_frame14_shapes.png"
    assert Path(download.value.path()).read_bytes() == base64.b64decode(studio.frame().partition(",")[2])


def test_two_models_track_by_themselves_over_the_same_lines(studio: Tracking, bench: Workbench) -> None:
    studio.tool("Line")
    studio.drag((330, 2), (330, 478))
    studio.page.get_by_label("Two models").check()
    studio.settle()
    for panel, model in enumerate(list(bench.models)[:2]):
        assert studio.rows(panel) == looked(bench, Request(model, "p3", LAST, scene={}))["rows"]
    assert len(studio.said()) == 2
    studio.page.get_by_label("Track").nth(1).uncheck()
    studio.settle()
    assert studio.rows(0)[0][0].startswith("#") and not studio.rows(1)[0][0].startswith("#")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_no_tool_overlaps_another_and_nothing_is_too_wide(
    bench: Workbench, chromium: Browser, size: tuple[int, int]
) -> None:
    server = Server(bench)
    page = Tracking.at(chromium, server.address, size)
    page.tool("Zone")
    page.click((60, 40), (300, 40), (300, 400), (60, 40))
    page.tool("Plane points")
    page.click((620, 470), (200, 100), (20, 470), (440, 100))
    page.settle()
    for two in (False, True):
        page.page.get_by_label("Two models").set_checked(two)
        page.settle()
        assert page.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        parts = page.page.locator(".tools button, .tools span, .tools input, .track, .row button").all()
        boxes = [box for one in parts if one.is_visible() and (box := one.bounding_box())]
        assert len(boxes) > 10
        for k, a in enumerate(boxes):
            for b in boxes[:k]:
                assert (a["x"] + a["width"] <= b["x"] + 0.5 or b["x"] + b["width"] <= a["x"] + 0.5
                        or a["y"] + a["height"] <= b["y"] + 0.5 or b["y"] + b["height"] <= a["y"] + 0.5), (a, b)  # fmt: skip
    page.page.close()
    server.close()
    assert page.errors == []


def test_a_finger_draws_and_moves_points_and_scrolls_elsewhere(bench: Workbench, chromium: Browser) -> None:
    server = Server(bench)
    context = chromium.new_context(viewport={"width": NARROW[0], "height": NARROW[1]}, has_touch=True, is_mobile=True)
    studio = Tracking(context.new_page(), server.address)
    studio.settle()
    studio.page.get_by_label("Track").tap()
    studio.settle()
    fingers = context.new_cdp_session(studio.page)

    def move(start: tuple[float, float], end: tuple[float, float]) -> None:
        (x, y), (to_x, to_y) = studio.place(*start), studio.place(*end)
        for kind, part in [("touchStart", 0.0), *(("touchMove", k / 5) for k in range(1, 6)), ("touchEnd", 1.0)]:
            at = {"x": x + (to_x - x) * part, "y": y + (to_y - y) * part}
            fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [] if kind == "touchEnd" else [at]})
        studio.settle()

    def line() -> list[list[float]]:
        (drawn,) = bench._history._runs.popitem()[1].scene.lines
        return [list(point) for point in drawn]

    studio.tool("Line")
    move((300, 50), (300, 400))
    assert np.abs(np.subtract(line(), [[300, 50], [300, 400]])).max() <= 2
    move((300, 400), (400, 300))
    assert np.abs(np.subtract(line(), [[300, 50], [400, 300]])).max() <= 2
    assert studio.page.evaluate("scrollY") == 0
    move((500, 400), (500, 50))  # no point is there
    studio.page.wait_for_function("scrollY > 50")
    context.close()
    server.close()
