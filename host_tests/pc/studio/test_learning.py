"""scripts/n6post_pc/studio/learning.py: the page's Anomaly has learned what a script's would have, and keeps it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Any

import csi
import n6post
import numpy as np
import pytest
from browser import NARROW, WIDE, needs_browser
from commands import script as run_script
from n6post_pc.command import UserError
from n6post_pc.studio import learning
from n6post_pc.studio.server import Server
from n6post_pc.studio.workbench import Request, Workbench
from PIL import Image
from playwright.sync_api import Browser, expect
from test_page import chromium, opened
from tiny_yolo import Builder

__all__ = ["chromium"]  # a fixture

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

GOOD = 12


def network(path: Path) -> Path:
    """A network of one convolution, whose output is a map of 32 features with a stride of 16 pixels."""
    net = Builder("INT8")
    net.tensor("picture", (1, 64, 64, 3), scale=1 / 255, zero_point=-128)
    path.write_bytes(net.data(["picture"], [net.convolution("picture", "features", 32, 16)]))
    return path


def part(path: Path, seed: int, defect: bool = False) -> Path:
    pixels = np.random.default_rng(1).integers(100, 140, (4, 4, 3)) + np.random.default_rng(seed).integers(-9, 9, (4, 4, 3))
    if defect:
        pixels[1, 2] = 255, 0, 255
    Image.fromarray(pixels.astype(np.uint8).repeat(60, 0).repeat(80, 1)).save(path)
    return path


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    """Pictures p2 to p13 are good; then come a good and a bad one that are judged."""
    made = Workbench(tmp_path / "studio")
    made.add_model(network(tmp_path / "net.tflite"))
    for seed in range(GOOD):
        made.add_source(part(tmp_path / f"good{seed}.png", seed))
    made.add_source(part(tmp_path / "fine.png", 77))
    made.add_source(part(tmp_path / "bad.png", 78, defect=True))
    return made


def keys(bench: Workbench) -> list[str]:
    return list(bench.sources)


def look(bench: Workbench, picture: int = -1, good: int = GOOD, **values: Any) -> dict[str, Any]:
    """What the page shows of a picture, once so many good ones are learned."""
    names = keys(bench)
    values = {"good": [[one, 0] for one in names[:good]], **values}
    request = Request("m1", names[picture], **values)
    while "tracked" in (found := bench.look(request)):
        assert found["doing"] == "Learning" and found["frames"] == len(request.good)
    return found


def scripted(bench: Workbench, good: int = GOOD, **options: Any) -> tuple[Any, list[float], list[Any]]:
    """(the Anomaly of a camera script, the scores of what it has learned, the results for the last two pictures)"""
    anomaly = n6post.Anomaly(**options)
    model = n6post.load(str(bench.models["m1"].path), processor=anomaly)
    cam = csi.CSI()
    results = []
    for number, source in enumerate(list(bench.sources.values())):
        if good <= number < GOOD:
            continue
        csi._host_pictures = [source.path]
        cam.reset()
        cam.pixformat(csi.RGB565)
        cam.framesize(csi.VGA)
        anomaly.learn(1 if number < good else 0)
        results.append(model.predict([n6post.Letterbox(cam.snapshot())]))
    csi._host_pictures, csi._host_last_frame = [], None
    return anomaly, [one.score for one in results[:good]], results[good:]


def test_the_page_judges_as_a_script_that_has_learned_the_same(bench: Workbench) -> None:
    _, scores, (fine, bad) = scripted(bench)
    for picture, result, verdict in ((-2, fine, "good"), (-1, bad, "defect")):
        found = look(bench, picture)
        assert found["count"] == f"{verdict.capitalize()}: score {result.score:.1f}, threshold {result.threshold:.1f}"
        assert found["rows"][0][:2] == [verdict, f"{result.score:.1f}"] and result.verdict == verdict
        assert [row[2] for row in found["rows"][1:]] == [str(d.rect) for d in result.objects()]
        learned = found["learned"]
        assert learned["scores"] == scores and learned["score"] == result.score and learned["number"] == -1
        assert (learned["learned"], learned["missing"]) == (GOOD, "")
        assert learned["threshold"] == round(result.threshold, 3)


def test_a_frame_that_was_learned_is_named_with_its_score_before(bench: Workbench) -> None:
    _, scores, _ = scripted(bench)
    learned = look(bench, 3)["learned"]
    assert learned["number"] == 3 and learned["scores"][3] == scores[3] > learned["score"]


def test_nothing_and_too_little_learned_are_said(bench: Workbench) -> None:
    found = look(bench, good=0)
    assert found["count"] == "No verdict: score 0.0, no threshold yet"
    assert found["learned"]["missing"] == "nothing was learned, so every score is 0"
    assert "only 7 good pictures were learned" in look(bench, good=7)["learned"]["missing"]


def test_what_is_learned_is_kept(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    run = Workbench._run

    def counted(self: Workbench, network: Any, request: Request, *more: Any) -> Any:
        taken.append(request.picture)
        return run(self, network, request, *more)

    monkeypatch.setattr(Workbench, "_run", counted)
    look(bench)
    taken.clear()
    tried: tuple[dict[str, Any], ...] = {}, {"sensitive": True}, {"threshold": 9}
    limits = [look(bench, options=options)["learned"]["threshold"] for options in tried]
    assert set(taken) == {keys(bench)[-1]}  # no good picture
    assert limits[0] > limits[1] and limits[2] == 9
    assert look(bench)["learned"]["threshold"] == limits[0]
    taken.clear()
    look(bench, good=GOOD - 1)  # one is taken away: all others are learned anew
    assert set(taken) >= set(keys(bench)[: GOOD - 1])
    _, scores, (_, bad) = scripted(bench, GOOD - 1)
    assert look(bench, good=GOOD - 1)["learned"]["scores"] == scores
    taken.clear()
    found = look(bench, options={"positions": False})
    assert set(taken) >= set(keys(bench)[:GOOD])
    assert found["learned"]["score"] == scripted(bench, positions=False)[2][1].score


def test_learning_reports_its_progress(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "SECONDS", 0)
    good = [[one, 0] for one in keys(bench)[:3]]
    request = Request("m1", keys(bench)[-1], good=good)
    assert [bench.look(request) for _ in range(2)] == [
        {"doing": "Learning", "tracked": number, "frames": 3} for number in (1, 2)]  # fmt: skip
    assert bench.look(request)["learned"]["learned"] == 3
    both = bench.compare(Request("m1", keys(bench)[-1], good=good, fit="crop"), request)
    assert both["left"]["tracked"] == 1 and both["agreement"] == "" and "rows" in both["right"]


def test_a_removed_picture_cannot_be_learned(bench: Workbench) -> None:
    good = [[one, 0] for one in keys(bench)[:2]]
    bench.remove(keys(bench)[1])
    with pytest.raises(UserError, match="no longer on the page"):
        bench.look(Request("m1", keys(bench)[-1], good=good))
    assert bench.look(Request("m1", keys(bench)[-1], good=good[:1]))["learned"]["learned"] == 1


@pytest.mark.parametrize("given", [None, 5, "p2", [1], [["p2"]], [["p2", 0.5]], [[0, "p2"]], [["p2", 0]] * 501, {"p2": 0}])
def test_anything_but_good_frames_is_refused(given: Any) -> None:
    with pytest.raises(UserError, match="good: expected a list of at most 500 good frames"):
        Request("m1", "p2", good=given)


def test_the_script_learns_the_same_pictures_and_prints_the_same(bench: Workbench, tmp_path: Path) -> None:
    found = look(bench)
    file = tmp_path / "copied.py"
    file.write_text(found["script"], encoding="utf-8")
    assert f"anomaly.learn({GOOD})" in found["script"] and 'n6post.State("/flash/anomaly"' in found["script"]
    words = shlex.split(found["command"].replace("script.py", str(file)))
    (tmp_path / "flash").mkdir()
    for _ in range(2):  # the second time, it remembers
        more = ["--flash", tmp_path / "flash", "--out", tmp_path / "out.png"]
        done = run_script("run_on_host.py", *words[2:], *more)
        assert done.returncode == 0 and done.stdout.splitlines()[-1:] == found["printed"], done.stderr
    assert "learned" not in done.stdout and found["printed"][0].startswith("defect, score ")
    assert "anomaly.learn(30)" in look(bench, good=0)["script"]


@needs_browser
@pytest.mark.parametrize("size", [WIDE, NARROW])
def test_good_pictures_are_chosen_on_the_page(bench: Workbench, chromium: Browser, size: tuple[int, int]) -> None:
    _, _, (_, bad) = scripted(bench)
    last = [keys(bench)[-2], keys(bench)[-1]]
    hidden = {key: bench.sources.pop(key) for key in last}
    server = Server(bench)
    studio, errors = opened(chromium, server.address, size)
    page = studio.page
    studio.settle()
    hint, learn = page.locator(".good .hint"), page.get_by_role("button", name="Learn this")
    expect(hint).to_have_text("nothing was learned, so every score is 0.")
    learn.click()
    expect(hint).to_contain_text("only 1 good picture was learned")
    assert learn.get_attribute("aria-pressed") == "true"
    page.get_by_role("button", name="Learn all").click()
    expect(hint).to_contain_text("12 learned")
    expect(page.locator(".scores circle")).to_have_count(GOOD)
    bench.sources.update(hidden)
    page.reload()
    studio.settle()
    expect(hint).to_contain_text("12 learned")  # a reload keeps the choice
    page.locator("#pictures button").last.click()
    expect(page.locator(".count")).to_have_text(f"Defect: score {bad.score:.1f}, threshold {bad.threshold:.1f}")
    assert f"this one {bad.score:.1f}" in page.locator(".scores").inner_html()
    page.locator("#threshold0").fill("100000")
    page.locator("#threshold0").press("Enter")
    expect(page.locator(".count")).to_contain_text("threshold 100000.0")
    page.locator("#threshold0").fill("")
    page.locator("#threshold0").press("Enter")
    expect(page.locator(".count")).to_contain_text(f"threshold {bad.threshold:.1f}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_role("button", name="Forget all").click()
    expect(page.locator(".count")).to_have_text("No verdict: score 0.0, no threshold yet")
    page.close()
    server.close()
    assert errors == []
