"""scripts/n6post_pc/studio/page: the page in a real browser, as people use it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import browser
import fake_vela
import pytest
import tiny_yolo
from browser import NARROW, WIDE, needs_browser
from commands import running
from commands import script as run_script
from n6post_pc import paths
from n6post_pc.studio.frames import Camera
from n6post_pc.studio.server import Server
from n6post_pc.studio.workbench import Workbench
from playwright.sync_api import Browser, Page, expect
from test_camera import stand_in
from test_frames import film
from test_workbench import strange_model

pytestmark = [needs_browser, pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")]

PICTURE = paths.SAMPLE_PICTURES / "shapes_06.jpg"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with browser.opened() as opened:
        yield opened


class Studio:
    """The page of a studio in a browser."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        page.set_default_timeout(60_000)
        page.goto(address)

    def settle(self) -> None:
        """Wait until the page shows the results of its options."""
        self.page.wait_for_selector("body[aria-busy=false]")

    def rows(self, panel: int = 0) -> list[list[str]]:
        self.settle()
        return [row.split("\t") for row in self.page.locator(".rows").nth(panel).inner_text().splitlines()]

    def slide(self, option: str, value: float, panel: int = 0) -> None:
        """Move a slider with the keyboard, as a person without a mouse does."""
        slider = self.page.locator(f"#{option}{panel}")
        slider.focus()
        steps = round((value - float(slider.input_value())) / 0.01)
        for _ in range(abs(steps)):
            slider.press("ArrowRight" if steps > 0 else "ArrowLeft")
        assert abs(float(slider.input_value()) - value) < 1e-6

    def drop(self, *files: Path) -> None:
        """Drop files on the page, as from the system's file manager."""
        data = [{"name": path.name, "bytes": list(path.read_bytes())} for path in files]
        transfer = self.page.evaluate_handle(
            """files => { const data = new DataTransfer();
            for (const {name, bytes} of files) data.items.add(new File([new Uint8Array(bytes)], name)); return data; }""",
            data,
        )
        for event in ("dragenter", "dragover"):
            self.page.dispatch_event("body", event, {"dataTransfer": transfer})
        assert self.page.locator("#dropping").is_visible()
        self.page.dispatch_event("body", "drop", {"dataTransfer": transfer})

    def copied_script(self, panel: int = 0) -> str:
        """The clipboard after a click on the button."""
        self.page.locator(".script").nth(panel).click()
        expect(self.page.locator("#copied")).to_have_text("Copied to the clipboard.")
        text: str = self.page.evaluate("navigator.clipboard.readText()")
        return text

    def frame(self, panel: int = 0) -> str:
        self.settle()
        return self.page.locator(".frame").nth(panel).get_attribute("src") or ""


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setenv("N6POST_CACHE", str(tmp_path / "cache"))
    made = Workbench(tmp_path / "studio")
    made.add_siblings(made.add_model(paths.SAMPLE_MODEL))
    made.add_source(PICTURE)
    return made


def opened(chromium: Browser, address: str, size: tuple[int, int] = WIDE) -> tuple[Studio, list[str]]:
    errors: list[str] = []
    page = browser.page_of(chromium, size, errors)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    return Studio(page, address), errors


@pytest.fixture
def studio(bench: Workbench, chromium: Browser) -> Iterator[Studio]:
    """The page in a wide window. Nothing on it may fail in the background."""
    server = Server(bench)
    page, errors = opened(chromium, server.address)
    yield page
    page.page.close()
    server.close()
    assert errors == []


def test_a_dropped_model_and_a_moved_slider_give_a_script_with_the_same_result(chromium: Browser, tmp_path: Path) -> None:
    """The whole way of a user: the command, a model dropped, a slider, the script, run on this PC."""
    model, labels = tmp_path / "mine.tflite", tmp_path / "mine.txt"
    model.write_bytes(paths.SAMPLE_MODEL.read_bytes())
    labels.write_text("disc\ndelta\nblock\npentagram\n", encoding="utf-8")
    with running("studio.py", "--no-browser", PICTURE) as process:
        assert process.stdout is not None
        studio, errors = opened(chromium, process.stdout.readline().strip())
        assert [row[0] for row in studio.rows()] == ["triangle", "star", "triangle", "star", "square"]
        studio.drop(model, labels)
        expect(studio.page.locator(".rows td").first).to_have_text("delta")
        studio.slide("threshold", 0.7)
        expect(studio.page.locator(".rows tr")).to_have_count(3)
        studio.slide("threshold", 0.38)
        expect(studio.page.locator(".rows tr")).to_have_count(6)
        studio.page.get_by_label("block").check()
        expect(studio.page.locator(".rows tr")).to_have_count(2)
        rows = studio.rows()
        script = tmp_path / "script.py"
        script.write_text(studio.copied_script(), encoding="utf-8")
        assert 'n6post.load("/rom/mine.tflite", threshold=0.38, classes=["block"])' in script.read_text(encoding="utf-8")
        printed = studio.page.locator("#printed").inner_text().splitlines()
        words = shlex.split(studio.page.locator("#command").inner_text().replace("script.py", str(script)))
        assert words[0] == "python3" and Path(words[1]).samefile(paths.EXAMPLES.parent / "run_on_host.py")
        done = run_script("run_on_host.py", *words[2:], "--out", tmp_path / "out.png")
        studio.page.close()
    assert errors == []
    assert done.returncode == 0 and done.stdout.splitlines() == printed, done.stderr
    assert [f"{label} {score} at {rect}: {extent}" for label, score, rect, extent in rows] == printed


def test_the_picture_and_the_rows_follow_every_slider_and_switch(studio: Studio) -> None:
    seen = {studio.frame(): "start"}

    def changed(what: str) -> None:
        frame = studio.frame()
        assert frame not in seen, f"{what} shows the picture of {seen[frame]}"
        seen[frame] = what

    studio.page.get_by_role("radio", name="float").check()
    changed("float")
    studio.slide("threshold", 0.6)
    changed("threshold")
    studio.page.get_by_label("star", exact=True).check()
    changed("classes")
    studio.page.get_by_role("radio", name="stretch").check()
    changed("stretch")
    studio.page.get_by_role("radio", name="crop").check()
    changed("crop")
    studio.page.locator("#size").select_option("QVGA")
    changed("frame size")
    studio.page.get_by_text("Reset options").click()
    changed("reset")
    assert studio.page.locator("#threshold0").input_value() == "0.4"


def test_the_ticks_show_which_scores_the_threshold_keeps(studio: Studio) -> None:
    studio.settle()
    ticks, kept = studio.page.locator(".ticks i"), studio.page.locator(".ticks i.kept")
    assert (ticks.count(), kept.count()) == (7, 5)
    studio.slide("threshold", 0.7)
    assert (ticks.count(), kept.count()) == (7, 3) and len(studio.rows()) == 3


def test_the_optimized_model_is_a_switch_away(studio: Studio) -> None:
    before = studio.rows()
    studio.page.get_by_role("checkbox", name="Optimized").check()
    expect(studio.page.locator(".model")).to_have_value(re.compile("m"), timeout=60_000)
    expect(studio.page.locator("a", has_text="shapes_optimized.tflite")).to_be_visible(timeout=60_000)
    after = studio.rows()
    assert after != before and [row[0] for row in after][:2] == ["triangle", "star"]
    assert '"/rom/shapes_optimized.tflite"' in studio.copied_script()
    studio.page.get_by_text("Close").click()
    with studio.page.expect_download() as download:
        studio.page.locator("a", has_text="shapes_optimized.tflite").click()
    assert Path(download.value.path()).stat().st_size > 100_000
    studio.page.get_by_role("checkbox", name="Optimized").uncheck()
    expect(studio.page.locator(".rows td").nth(2)).to_have_text(before[0][2])


def test_the_finding_that_asks_for_it_has_a_button_to_optimize(
    bench: Workbench, chromium: Browser, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_vela.install(tmp_path / "installed", monkeypatch)
    server = Server(bench)
    studio, errors = opened(chromium, server.address)
    figures, button = studio.page.locator(".figures p"), studio.page.get_by_role("button", name="Optimize")
    expect(figures).to_contain_text(["N6 an estimate: activations need 0.23 to 0.46 MiB", "an estimated 13.0 ms on the NPU"])
    before = figures.first.inner_text()
    expect(button).to_have_count(1)
    button.click()
    expect(studio.page.locator("a", has_text="shapes_optimized.tflite")).to_be_visible(timeout=60_000)
    expect(studio.page.get_by_role("checkbox", name="Optimized")).to_be_checked()
    studio.settle()
    expect(button).to_have_count(0)
    expect(figures).to_contain_text(["N6 an estimate: activations need ", "an estimated 13.0 ms on the NPU"])
    assert figures.first.inner_text() != before
    with studio.page.expect_popup() as opening:
        figures.first.get_by_text("More").click()
    opening.value.wait_for_load_state()
    assert opening.value.url.endswith("docs/first-hour.html#what-fits") and opening.value.locator("#what-fits").is_visible()
    opening.value.close()
    studio.page.close()
    server.close()
    assert errors == []


def test_two_models_stand_side_by_side_with_options_of_their_own(studio: Studio) -> None:
    studio.settle()
    studio.page.get_by_label("Two models").check()
    expect(studio.page.locator("#agreement")).to_contain_text("5 found by both, 0 only left, 1 only right.")
    assert studio.page.locator(".model").nth(1).evaluate("one => one.selectedOptions[0].text") == "shapes_float.tflite"
    studio.slide("threshold", 0.7, panel=1)
    expect(studio.page.locator("#agreement")).to_contain_text("3 found by both, 2 only left, 0 only right.")
    assert (len(studio.rows(0)), len(studio.rows(1))) == (5, 3)
    assert "threshold=0.7" in studio.copied_script(1)
    studio.page.get_by_text("Close").click()
    assert "threshold" not in studio.copied_script(0)
    studio.page.get_by_text("Close").click()
    boxes = [studio.page.locator(".frame").nth(k).bounding_box() for k in (0, 1)]
    assert boxes[0] and boxes[1] and boxes[0]["y"] == boxes[1]["y"] and boxes[0]["x"] + boxes[0]["width"] <= boxes[1]["x"]
    studio.page.get_by_label("Two models").uncheck()
    expect(studio.page.locator(".panel")).to_have_count(1)


def test_options_of_one_model_are_not_given_to_another(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    studio.page.get_by_label("star", exact=True).check()
    studio.slide("threshold", 0.6)
    studio.page.get_by_role("radio", name="float").check()  # another file of the same network: the options stay
    assert "threshold=0.6, classes=[\"star\"]" in studio.copied_script()
    studio.page.get_by_text("Close").click()
    other = tmp_path / "other.tflite"
    other.write_bytes(paths.SAMPLE_MODEL.read_bytes())
    studio.drop(other)  # without labels, so it has no class "star"
    expect(studio.page.locator(".rows td").first).to_have_text("1")
    assert 'n6post.load("/rom/other.tflite")' in studio.copied_script()
    studio.page.get_by_text("Close").click()


def test_a_model_that_fails_leaves_nothing_of_the_last_one(bench: Workbench, chromium: Browser, tmp_path: Path) -> None:
    strange_model(tmp_path / "strange.onnx")
    bench.add_model(tmp_path / "strange.onnx")
    server = Server(bench)
    studio, _ = opened(chromium, server.address)
    studio.settle()
    studio.page.locator(".model").select_option(label="strange.onnx")
    expect(studio.page.locator(".error")).to_contain_text("expected the outputs of YoloV8")
    assert studio.page.locator(".rows tr, .findings li").count() == 0
    assert studio.page.locator(".frame").get_attribute("src") is None
    assert studio.page.locator(".family").is_visible()  # where a post-processor can be chosen
    assert studio.page.locator(".script").is_disabled()
    studio.page.locator(".model").select_option(label="shapes.tflite")
    expect(studio.page.locator(".rows tr")).to_have_count(5)
    studio.page.close()
    server.close()


def test_the_search_shows_only_the_classes_with_these_letters(chromium: Browser, bench: Workbench, tmp_path: Path) -> None:
    model = tmp_path / "net.tflite"
    model.write_bytes(tiny_yolo.Tiny(classes=80).data())
    bench.add_model(model)
    server = Server(bench)
    studio, errors = opened(chromium, server.address)
    studio.settle()
    studio.page.locator(".model").select_option(label="net.tflite")
    boxes = studio.page.locator(".list label")
    expect(boxes).to_have_count(80)
    studio.page.get_by_placeholder("Search for a class").fill("bir")
    expect(boxes.locator("visible=true")).to_have_text([" bird"])
    boxes.locator("visible=true").get_by_role("checkbox").check()
    assert 'classes=["bird"]' in studio.copied_script()
    studio.page.close()
    server.close()
    assert errors == []


def test_pictures_are_chosen_with_arrow_keys(studio: Studio, tmp_path: Path) -> None:
    first = studio.frame()
    for name in ("a.jpg", "b.jpg"):
        (tmp_path / name).write_bytes((paths.SAMPLE_PICTURES / "shapes_07.jpg").read_bytes())
    studio.drop(tmp_path / "a.jpg", tmp_path / "b.jpg")
    expect(studio.page.locator("#pictures button")).to_have_count(3)
    chosen = studio.page.locator("#pictures button[aria-checked=true]")
    expect(chosen).to_have_attribute("title", "b.jpg")
    chosen.focus()
    chosen.press("ArrowRight")  # from the last to the first
    expect(chosen).to_have_attribute("title", "shapes_06.jpg")
    assert studio.frame() == first
    assert studio.page.locator("#pictures button[tabindex='0']").count() == 1


def test_all_pictures_are_judged_by_the_true_boxes(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    page = studio.page
    expect(page.locator(".count")).to_have_text("5 found, 2 just below the threshold, the best 0.39")
    studio.drop(paths.SAMPLE_PICTURES / "shapes_11.jpg", paths.SAMPLE_PICTURES.parent / "truth.json")
    rows = page.locator("#list tr")
    expect(rows).to_have_count(2, timeout=30_000)
    assert rows.first.inner_text().split("\t") == [" shapes_06.jpg", "5", "0.39", "2", "0", "2 triangle, 2 star, 1 square"]
    expect(page.locator("#total")).to_contain_text("2 missed, 0 false alarms: precision 1.00, recall 0.71")
    rows.first.get_by_role("button").click()
    marks = page.locator(".marks text")
    expect(marks).to_have_text(["missed triangle", "missed square"], timeout=30_000)
    box = page.locator("#plot").bounding_box()
    assert box
    for _ in range(2):  # once the page has scrolled
        page.locator("#plot").scroll_into_view_if_needed()
        box = page.locator("#plot").bounding_box()
    assert box
    page.mouse.move(box["x"] + box["width"] * (22 + 306 * 0.4) / 340, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * (22 + 306 * 0.7) / 340, box["y"] + box["height"] / 2)
    page.mouse.up()
    expect(page.locator("#threshold0")).to_have_value("0.7")
    expect(marks).to_have_count(4, timeout=30_000)
    said = re.search(r"Best F1: (\S+) with a threshold of (\S+), now (\S+)\.$", page.locator("#best").inner_text())
    assert said and said[3] == "0.60"  # 2 * 3 / (3 + 7)
    page.get_by_role("button", name="Use it").click()
    expect(page.locator("#threshold0")).to_have_value(said[2].rstrip("0"))
    expect(page.locator("#best")).to_contain_text(f"now {said[1]}.")


def test_what_is_dropped_is_seen_and_the_invitation_lies_above_all(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    studio.page.get_by_label("Two models").check()
    studio.settle()
    above = """() => { const [it, frame] = [document.querySelector("#dropping"), document.querySelector(".frame")];
        it.hidden = false; it.style.pointerEvents = "auto"; const {x, y, width, height} = frame.getBoundingClientRect();
        const found = document.elementFromPoint(x + width / 2, y + height / 2); it.hidden = true; return found.id; }"""
    assert studio.page.evaluate(above) == "dropping"
    radios = [radio.bounding_box() for radio in studio.page.locator(".fit").first.get_by_role("radio").all()]
    assert len(radios) == 3 and len({box["y"] for box in radios if box}) == 1  # in one line
    copies = [tmp_path / f"{number}.jpg" for number in range(16)]
    for path in copies:
        path.write_bytes(PICTURE.read_bytes())
    studio.drop(*copies)
    chosen = studio.page.locator("#pictures button[aria-checked=true]")
    expect(chosen).to_have_attribute("title", "15.jpg", timeout=30_000)
    expect(chosen).to_be_in_viewport(ratio=1)


def test_options_survive_a_reload_and_come_back_with_their_model(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    other = tmp_path / "other.tflite"
    other.write_bytes(paths.SAMPLE_MODEL.read_bytes())
    studio.slide("threshold", 0.7)
    studio.page.get_by_role("radio", name="stretch").check()
    studio.page.locator("#size").select_option("QVGA")
    studio.page.get_by_label("Two models").check()
    studio.slide("threshold", 0.38, panel=1)
    before = studio.rows(0), studio.rows(1)
    studio.page.reload()
    assert (studio.rows(0), studio.rows(1)) == before and len(before[0]) < len(before[1])
    expect(studio.page.locator("#threshold0")).to_have_value("0.7")
    expect(studio.page.get_by_role("radio", name="stretch").first).to_be_checked()
    expect(studio.page.locator("figcaption").first).to_contain_text("320 x 240")
    studio.page.get_by_label("Two models").uncheck()
    studio.drop(other)
    expect(studio.page.locator("#threshold0")).to_have_value("0.4")
    studio.page.locator(".model").select_option(label="shapes.tflite")
    expect(studio.page.locator("#threshold0")).to_have_value("0.7")


def test_removed_pictures_and_models_leave_the_page(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    (tmp_path / "b.jpg").write_bytes((paths.SAMPLE_PICTURES / "shapes_07.jpg").read_bytes())
    studio.drop(tmp_path / "b.jpg")
    chosen = studio.page.locator("#pictures button[aria-checked=true]")
    expect(chosen).to_have_attribute("title", "b.jpg")
    studio.page.get_by_role("button", name="Remove picture").click()
    expect(chosen).to_have_attribute("title", "shapes_06.jpg")
    assert len(studio.rows()) == 5
    studio.page.get_by_role("button", name="Remove picture").click()
    expect(studio.page.locator("#notice")).to_have_text("Drop a picture on this page.")
    assert studio.page.locator(".rows tr").count() == 0 and studio.page.locator("#remove").is_disabled()
    studio.drop(PICTURE)
    expect(studio.page.locator(".rows tr")).to_have_count(5)
    for left in ("shapes_float.tflite", None):
        studio.page.get_by_role("button", name="Remove", exact=True).click()
        expect(studio.page.locator(".model option")).to_have_text([left] if left else [])
    expect(studio.page.locator("#notice")).to_contain_text("Drop a model")
    assert paths.SAMPLE_MODEL.is_file() and PICTURE.is_file()


def test_a_finding_leads_to_its_section(studio: Studio) -> None:
    studio.settle()
    expect(studio.page.locator(".findings li")).to_have_count(2)
    with studio.page.expect_popup() as opening:
        studio.page.locator(".findings li", has_text="box step").get_by_text("More").click()
    popup = opening.value
    popup.wait_for_load_state()
    assert popup.url.endswith("docs/troubleshooting.html#box-step")
    assert popup.locator("#box-step").bounding_box()["y"] < WIDE[1] / 2  # type: ignore[index]
    popup.close()


def test_a_dropped_video_plays_and_its_frames_can_be_chosen(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    studio.drop(film(tmp_path / "film.mp4"))
    expect(studio.page.locator("#shown")).to_have_text("frame 1 of 5")
    first = studio.frame()
    studio.page.locator("#number").fill("3")
    expect(studio.page.locator("#shown")).to_have_text("frame 4 of 5")
    assert studio.frame() != first
    studio.copied_script()
    assert studio.page.locator("#command").inner_text().endswith("--frames 4")
    assert studio.page.locator("#last").is_visible()
    studio.page.get_by_text("Close").click()
    assert studio.page.locator("#last").is_hidden()
    for _ in range(2):  # from frame 4, and from the last one, which begins again
        studio.page.get_by_role("button", name="Play").click()
        expect(studio.page.locator("#shown")).to_have_text("frame 5 of 5")
        expect(studio.page.locator("#play")).to_have_text("Play")  # it stops at the end
    studio.page.reload()  # with the thumbnails of a video
    studio.settle()


def test_a_file_that_cannot_be_used_gets_a_sentence_and_loses_nothing(
    bench: Workbench, chromium: Browser, tmp_path: Path
) -> None:
    server = Server(bench)
    studio, errors = opened(chromium, server.address)
    before = studio.rows()
    (tmp_path / "best.pt").write_bytes(b"PK")
    studio.drop(tmp_path / "best.pt")
    expect(studio.page.locator("#notice")).to_contain_text("best.pt: ")
    assert studio.rows() == before
    server.close()
    studio.page.get_by_role("radio", name="crop").check()
    expect(studio.page.locator(".error")).to_contain_text("is its command still running?")
    studio.page.close()
    # Chromium itself reports the refused file and the missing server, and nothing else.
    assert all("400" in error or "ERR_CONNECTION_REFUSED" in error for error in errors)


def test_labels_in_a_file_are_text_and_no_html(studio: Studio, tmp_path: Path) -> None:
    studio.settle()
    labels = tmp_path / "shapes.txt"
    labels.write_text("circle\n<img src=x onerror=alert(1)>\nsquare\nstar\n", encoding="utf-8")
    studio.drop(labels)
    expect(studio.page.locator(".rows td").first).to_have_text("<img src=x onerror=alert(1)>")
    assert studio.page.locator(".rows img, .list img").count() == 0


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=["wide", "narrow"])
def test_nothing_is_wider_than_the_window(bench: Workbench, chromium: Browser, size: tuple[int, int]) -> None:
    server = Server(bench)
    studio, errors = opened(chromium, server.address, size)
    studio.rows()
    studio.page.get_by_role("checkbox", name="Optimized").check()  # what it reports has long lines
    expect(studio.page.locator("a", has_text="shapes_optimized.tflite")).to_be_visible(timeout=60_000)
    for two in (False, True):
        studio.page.get_by_label("Two models").set_checked(two)
        studio.settle()
        for part in studio.page.locator("summary:visible").all():
            part.click()
        assert studio.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        slider, frame = studio.page.locator("#threshold0"), studio.page.locator(".frame").first
        slider.scroll_into_view_if_needed()
        box, shown = slider.bounding_box(), frame.bounding_box()
        assert box and shown and shown["y"] + shown["height"] > 0, "the slider and the picture are seen at once"
    studio.copied_script()
    assert studio.page.evaluate("document.documentElement.scrollWidth") <= size[0]
    studio.page.close()
    server.close()
    assert errors == []


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for a camera needs pseudo-terminals")
def test_frames_of_a_camera_follow_each_other_until_it_is_unplugged(
    bench: Workbench, chromium: Browser, tmp_path: Path
) -> None:
    from n6post_pc.camera import watch

    with stand_in() as (port, process):
        camera = Camera(port, watch, lambda port: None, tmp_path)
        key = bench.add_camera(camera)
        server = Server(bench)
        studio, _ = opened(chromium, server.address)
        studio.page.locator(f"[data-id={key}]").click()
        frame = studio.page.locator(".frame")
        expect(studio.page.locator("figcaption")).to_contain_text("Frame of 64 x 48")
        assert studio.page.locator("#size").is_disabled()
        for _ in range(3):  # each frame of the stand-in has another shade
            shown = frame.get_attribute("src") or ""
            expect(frame).not_to_have_attribute("src", shown)
        process.kill()
        expect(studio.page.locator("#notice")).to_contain_text(f"camera on {port}: the camera", timeout=60_000)
        studio.page.locator("[data-id]").first.click()  # the pictures still work
        expect(studio.page.locator("figcaption")).to_contain_text("Frame of 640 x 480")
        studio.page.close()
        server.close()
        camera.close()


def test_every_input_has_a_name_for_screen_readers(studio: Studio) -> None:
    studio.settle()
    studio.page.get_by_text("More options").click()
    unnamed: list[Any] = studio.page.evaluate(
        """() => [...document.querySelectorAll("input:not([hidden]), select, button")].filter(one =>
        !(one.labels?.length || one.ariaLabel || one.title || one.textContent.trim())).map(one => one.outerHTML)"""
    )
    assert unnamed == []
