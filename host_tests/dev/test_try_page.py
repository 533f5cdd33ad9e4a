"""scripts/dev/site/try_page.py: "Try it in your browser", in a real browser, which finds what `n6post run` finds.

The page is served from a sub-path. The browser reaches only this computer, and what it asks for is written down.
"""

from __future__ import annotations

import http.server
import json
import os
import runpy
import sys
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import browser
import ml
import n6post
import numpy as np
import pytest
import tiny_onnx_yolo
from browser import NARROW, WIDE, needs_browser
from commands import script as run_script
from n6post_pc import paths
from n6post_pc.demo import recorded
from n6post_pc.models import graph
from n6post_pc.optimize import optimizer
from PIL import Image
from playwright.sync_api import Browser, Page, expect

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "scripts" / "dev" / "site"
sys.path.append(str(SITE))
import try_page  # noqa: E402

pytestmark = pytest.mark.proof(
    "scripts/dev/site/try/**/*", "scripts/dev/site/try_page.py", "scripts/n6post_pc/studio/**/*", "lib/n6post/**/*.py",
    "host_tests/micropython/modules/**/*.py",
)  # fmt: skip

read_tflite, read_labels = (runpy.run_path(str(SITE / "try" / "modules" / name))["read"]
                            for name in ("tflite.py", "onnx_labels.py"))  # fmt: skip

# What the page finds, as JSON; `ask` is that of its server.js.
LOOK = """async ([model, picture, fit, options = {}]) =>
    (await (await import("./server.js")).ask("look", {model, picture, number: 0, frame_size: "VGA", fit, family: "",
    exact: false, options})).result"""
DROP = """async ([name, bytes]) => {
    const {ask} = await import("./server.js");
    const made = await ask("files/" + encodeURIComponent(name) + "?model=sample", new Blob([new Uint8Array(bytes)]));
    return made.picture ?? made.model }"""


# ---- how it is built ----


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page, in a folder of a site. Skipped without npm, but not in CI."""
    made = tmp_path_factory.mktemp("site")
    if reason := try_page.build(made / "n6post" / "try"):
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"the page {reason}")
    return made


def test_a_text_to_replace_has_to_be_there_exactly_once() -> None:
    assert try_page.replaced("a b", (("a", "c"), ("b", "d")), "x") == "c d"
    for text in ("b", "a a"):
        with pytest.raises(SystemExit, match="@litertjs/core: expected this text once, found it [02] times: 'a'"):
            try_page.replaced(text, (("a", "c"),), "@litertjs/core")


def test_without_npm_nothing_is_written_and_the_reason_is_returned(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(try_page, "PLACE", tmp_path / "npm")
    monkeypatch.setattr(try_page.npm, "node", lambda: None)
    assert try_page.build(tmp_path / "try") == "needs node"
    assert not (tmp_path / "try").exists()


def test_the_locked_packages_are_the_wanted_versions_with_hashes() -> None:
    wanted = json.loads((try_page.LOCK / "package.json").read_text(encoding="utf-8"))["dependencies"]
    lock = (try_page.LOCK / "package-lock.json").read_text(encoding="utf-8")
    packages = json.loads(lock)["packages"]
    assert {name: packages[f"node_modules/{name}"]["version"] for name in wanted} == wanted
    assert all(entry["integrity"].startswith("sha512-") for path, entry in packages.items() if path)
    assert "://" not in lock  # no registry


def test_the_licenses_of_what_is_inside_lie_beside_it(folder: Path) -> None:
    texts = {file.stem: file.read_text(encoding="utf-8") for file in (folder / "n6post" / "try" / "licenses").iterdir()}
    assert "Mozilla Public License Version 2.0" in texts["Pyodide"] and "Apache License" in texts["LiteRT"]
    assert "PYTHON SOFTWARE FOUNDATION LICENSE" in texts["Python"]
    assert "Copyright (c) Microsoft Corporation." in texts["ONNX-Runtime"] and "<" not in texts["ONNX-Runtime"]


def test_the_page_says_how_much_it_loads(folder: Path) -> None:
    page = folder / "n6post" / "try"
    loaded = [*page.glob("pyodide/*"), *page.glob("litert/*"), *page.glob("*.*")]
    loaded += [file for file in page.glob("data/*") if file.suffix != ".gz"]  # recorded outputs are loaded one by one
    text = (page / "index.html").read_text(encoding="utf-8")
    assert f"{sum(file.stat().st_size for file in loaded) / 1e6:.0f} MB once" in text
    assert f"{sum(file.stat().st_size for file in page.glob('onnx/*')) / 1e6:.0f} MB more for an .onnx" in text


# ---- a model file ----


def described(path: Path) -> dict[str, list[tuple[Any, ...]]]:
    network = graph.read(path)
    both = {"inputs": network.inputs, "outputs": network.outputs}
    return {kind: [(t.shape, t.code, t.scale, t.zero_point) for t in map(network.tensors.__getitem__, numbers)]
            for kind, numbers in both.items()}  # fmt: skip


@pytest.mark.parametrize("path", [paths.SAMPLE_MODEL, paths.SAMPLE_MODEL.with_name("shapes_float.tflite")],
                         ids=lambda path: path.name)  # fmt: skip
def test_a_tflite_file_is_read_as_with_tensorflows_schema(path: Path) -> None:
    data = path.read_bytes()
    found = read_tflite(data)
    assert described(path) == {
        kind: [(t["shape"], t["dtype"], t["scale"], t["zero_point"]) for t in found[kind]] for kind in ("inputs", "outputs")
    }
    for wrong, message in ((b"PK" * 50, "no .tflite model"), (data[:400], "damaged"), (data + b"ethos-u", "Vela")):
        with pytest.raises(ValueError, match=message):
            read_tflite(wrong)


def test_the_labels_in_an_onnx_file_are_those_that_a_pc_reads(tmp_path: Path) -> None:
    path = tmp_path / "net.onnx"
    many = str({number: f"class {number}" for number in range(80)})
    for names in ("{0: 'ball', 2: 'no'}", "['a']", "no dict", "{0: 1}", "{}", many, "{0: 'b\u00fcx', 1: 'tent'}"):
        network = tiny_onnx_yolo.float_network()
        network.metadata_props[0].value = names
        path.write_bytes(network.SerializeToString())
        assert read_labels(path.read_bytes()) == ml.Model(str(path)).labels, names
    data = path.read_bytes()
    assert read_labels(data) == ["b\u00fcx", "tent"]
    assert read_labels(data[: data.rfind(b"tent")]) is read_labels(data[: data.rfind(b"names")]) is read_labels(b"") is None


# ---- in a browser ----


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture(scope="module")
def site(folder: Path) -> Iterator[tuple[Browser, str]]:
    """A browser, and the page's address, below a sub-path."""
    with browser.opened() as chromium, http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), partial(Handler, directory=str(folder))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield chromium, f"http://127.0.0.1:{server.server_port}/n6post/try/"
        server.shutdown()


@pytest.fixture(scope="module", params=[WIDE, NARROW], ids=["desktop", "phone"])
def page(request: pytest.FixtureRequest, site: tuple[Browser, str]) -> Iterator[Page]:
    """The page with all models and pictures. Nothing on it may fail, and nothing may come from elsewhere."""
    errors: list[str] = []
    asked: list[str] = []
    made = browser.page_of(site[0], request.param, errors)
    made.context.grant_permissions(["clipboard-read", "clipboard-write"])
    made.context.on("request", lambda one: asked.append(one.url))
    made.set_default_timeout(180_000)
    made.goto(site[1])
    made.wait_for_selector(".rows tr")
    expect(made.locator(".model option")).to_have_count(1 + len(recorded.index()), timeout=180_000)
    assert not any("onnx/" in url for url in asked)  # only when an .onnx is dropped
    yield made
    assert made.evaluate("document.documentElement.scrollWidth") <= request.param[0]
    made.close()
    assert errors == []
    assert [url for url in asked if not url.startswith((site[1], "blob:", "data:"))] == []
    assert len(asked) > 20


def settled(page: Page) -> None:
    page.wait_for_selector("body[aria-busy=false]")


def drop(page: Page, path: Path) -> Any:
    return page.evaluate(DROP, [path.name, list(path.read_bytes())])


def pictures(folder: Path) -> list[Path]:
    """Shapes of one color on noise, in sizes that do not fit the network's input in several ways."""
    rng = np.random.default_rng(7)
    made = []
    for number in range(12):
        width, height = (int(v) for v in rng.integers(90, 640, 2))
        pixels = rng.normal(rng.integers(40, 200), 25, (height, width, 3)).clip(0, 255).astype(np.uint8)
        y, x = np.mgrid[:height, :width]
        for _ in range(4):
            cx, cy, r = (int(v) for v in rng.integers((0, 0, 20), (width, height, 90)))
            inside = (abs(x - cx) < r) & (abs(y - cy) < r) if rng.random() < 0.5 else (x - cx) ** 2 + (y - cy) ** 2 < r * r
            pixels[inside] = rng.integers(0, 256, 3)
        made.append(folder / f"made_{number:02}.png")
        Image.fromarray(pixels).save(made[-1])
    return made


@needs_browser
def test_the_sample_network_finds_what_n6post_run_finds(page: Page, tmp_path: Path) -> None:
    files = [*sorted(paths.SAMPLE_PICTURES.iterdir()), *pictures(tmp_path)]
    names = {file: file.stem if file.parent == paths.SAMPLE_PICTURES else drop(page, file) for file in files}
    assert len(files) == 20
    count = 0
    for fit, some in (("letterbox", files), ("crop", files[6:12]), ("stretch", files[6:12])):
        done = run_script("run_model.py", paths.SAMPLE_MODEL, *some, "--json", "--masks", "none", "--fit", fit)
        assert done.returncode == 0, done.stderr
        for line in map(json.loads, done.stdout.splitlines()):
            found = json.loads(page.evaluate(LOOK, ["sample", names[Path(line["file"])], fit]))
            assert found == line["detections"], (fit, line["file"])
            count += len(found)
    assert count > 60


@needs_browser
@pytest.mark.parametrize(("model", "picture"), recorded.names())
def test_recorded_outputs_give_the_same_json_as_on_a_pc(model: str, picture: str, page: Page) -> None:
    recording = recorded.load(model, picture)
    size = Image.open(Path(try_page.photographs()) / recording.photograph).size
    frame = type("Frame", (), {"width": lambda self: size[0], "height": lambda self: size[1]})()
    fake = recording.model(raw=True)
    processor = n6post.processor_for(fake)
    assert type(processor).__name__ == recording.processor
    wanted = n6post.to_json(fake.run(processor, getattr(n6post, recording.fit.capitalize())(frame)))
    assert page.evaluate(LOOK, [model, picture, "letterbox"]) == wanted


@needs_browser
def test_every_recorded_network_draws_on_its_own_photographs(page: Page) -> None:
    drawn: Callable[[], str] = lambda: page.evaluate("document.querySelector('.frame').toDataURL()")  # noqa: E731
    seen = {drawn()}
    for model, entry in recorded.index().items():
        page.locator(".model").select_option(model)
        shown = page.locator("#pictures button:visible")
        expect(shown).to_have_count(len(entry["pictures"]))
        settled(page)
        assert page.locator(".error").is_hidden() and page.locator(".rows tr").count() > 0, model
        seen.add(drawn())
    assert len(seen) == 1 + len(recorded.index())
    page.locator(".model").select_option("sample")
    settled(page)
    expect(page.locator("#pictures button:visible").first).to_be_visible()


@needs_browser
def test_a_slider_changes_the_results_and_the_copied_script(page: Page) -> None:
    page.locator("#pictures button").first.click()
    settled(page)
    rows = page.locator(".rows tr").count()
    slider = page.locator("#threshold0")
    slider.evaluate("one => { one.value = 0.8; one.dispatchEvent(new Event('input')); }")
    settled(page)
    assert 0 < page.locator(".rows tr").count() < rows
    page.locator(".script").click()
    expect(page.locator("#copied")).to_have_text("Copied to the clipboard.")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied == page.locator("#code").text_content()
    assert 'n6post.load("/rom/shapes.tflite", threshold=0.8)' in copied
    page.locator("#close").click()
    page.locator(".reset").click()
    settled(page)
    assert page.locator(".rows tr").count() == rows


@needs_browser
def test_a_dropped_model_with_labels_and_a_dropped_picture_are_shown(page: Page, tmp_path: Path) -> None:
    """A float network, whose input and output are other types than the sample's."""
    model, labels = tmp_path / "mine.tflite", tmp_path / "mine.txt"
    model.write_bytes(paths.SAMPLE_MODEL.with_name("shapes_float.tflite").read_bytes())
    labels.write_text("disc\ndelta\nblock\npentagram\n", encoding="utf-8")
    picture = tmp_path / "photo.jpg"
    picture.write_bytes((paths.SAMPLE_PICTURES / "shapes_07.jpg").read_bytes())
    page.locator("#files").set_input_files([model, labels, picture])
    expect(page.locator(".model option:checked")).to_have_text("mine.tflite")
    expect(page.locator("#pictures button[aria-checked=true] img")).to_have_attribute("alt", "photo.jpg")
    settled(page)
    done = run_script("run_model.py", model, picture, "--json", "--masks", "none")
    wanted = [d["label"] for d in json.loads(done.stdout)["detections"]]
    assert wanted and [row.split("\t")[0] for row in page.locator(".rows").inner_text().splitlines()] == wanted


@needs_browser
@pytest.mark.parametrize("numbers", ["float", "int8"])
def test_an_onnx_file_gives_the_same_json_as_n6post_run(numbers: str, page: Page, tmp_path: Path) -> None:
    model, picture = tmp_path / f"{numbers}.onnx", paths.SAMPLE_PICTURES / "shapes_06.jpg"
    size = 160, 128
    data = tiny_onnx_yolo.float_network("pose", size=size).SerializeToString()
    if numbers == "int8":
        data = optimizer(".onnx")(tiny_onnx_yolo.quantized(tmp_path, task="pose", size=size)).data
    model.write_bytes(data)
    done = run_script("run_model.py", model, picture, "--json", "--masks", "none", "--threshold", "0.02")
    wanted = json.loads(done.stdout)["detections"]
    found = json.loads(page.evaluate(LOOK, [drop(page, model), picture.stem, "letterbox", {"threshold": 0.02}]))
    assert len(found) > 5 and {one["label"] for one in found} <= set(tiny_onnx_yolo.NAMES)
    if numbers == "float":
        assert found == wanted
    for one, other in zip(found, wanted, strict=True):  # int8: what ONNX Runtime rounds depends on the machine
        assert one["label"] == other["label"] and one["score"] == pytest.approx(other["score"], abs=0.02)
        assert one["rect"] == pytest.approx(other["rect"], abs=2)
    assert page.locator("#loading").is_hidden()


@needs_browser
def test_an_int8_onnx_of_st_finds_the_classes_that_a_pc_finds(page: Page, shared: Path) -> None:
    """Not in the same pixels."""
    model, picture = shared / "models/deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx", shared / "pictures/bus.jpg"
    line = json.loads(run_script("run_model.py", model, picture, "--json", "--masks", "none").stdout)
    found = json.loads(page.evaluate(LOOK, [drop(page, model), drop(page, picture), "letterbox"]))["classes"]
    assert [one["class_id"] for one in found] == [one["class_id"] for one in line["classes"]] == [1]
    assert abs(found[0]["fraction"] - line["classes"][0]["fraction"]) < 0.001


@needs_browser
def test_files_that_cannot_be_used_are_refused_with_a_sentence(page: Page, tmp_path: Path) -> None:
    refused = {
        "model.onnx": (b"x", "model.onnx: ONNX Runtime cannot run it"),
        "text.tflite": (b"x" * 99, "text.tflite: this is no .tflite model"),
        "photo.jpg": (b"x", "photo.jpg: not a picture that this browser can read"),
        "mine.txt": (b"one\ntwo\n", "labels"),
    }
    for name, (content, message) in refused.items():
        (tmp_path / name).write_bytes(content)
        page.locator("#files").set_input_files(tmp_path / name)
        expect(page.locator("#notice.bad")).to_contain_text(message)
    page.locator(".model").select_option("sample")
    page.locator("#pictures button").first.click()
    settled(page)
    assert page.locator(".rows tr").count() > 0
