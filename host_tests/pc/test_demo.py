"""scripts/demo.py shows the results of every recording, in tables and on pictures."""

import base64
import io
import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skimage
from commands import script
from n6post_pc.demo import command as demo
from n6post_pc.demo import gallery, page, recorded, street_heads, yard
from PIL import Image

ROOT = Path(__file__).parents[2]
pytestmark = [
    pytest.mark.xdist_group("demo"),  # one worker, so that the demo runs once
    pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py", "scripts/demo.py"),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    out = tmp_path_factory.mktemp("out")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COLUMNS", "120")
        done = script("demo.py", "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, out


# Nothing is found in them. The first is shown, the others are not.
EMPTY = [("yolov8n_seg_320", "rocket"), ("yolov8n_192", "rocket"), ("movenet_13_192", "rocket"), ("deeplab_320", "coffee")]


def test_it_writes_each_picture_with_results_and_one_without(run: tuple[str, Path]) -> None:
    written = sorted(file.name for file in run[1].iterdir())
    shown = [f"{model}__{picture}.png" for model, picture in recorded.names() if (model, picture) not in EMPTY[1:]]
    strips = [f"{name}.png" for name in gallery.PICTURES]
    assert written == sorted([*shown, *strips, "yard.webp", "optimized.png", "index.html"])


class Shown(HTMLParser):
    """The pictures of the page and the sentences below them."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.pictures: list[tuple[str, bytes]] = []  # (type, bytes)
        self.sentences: list[str] = []
        self.elsewhere: list[str] = []  # what the page would load
        self._in_caption = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._in_caption = tag == "figcaption"
        for name, value in attrs:
            found = re.fullmatch(r"data:image/([a-z+]+);base64,(.*)", value or "")
            if name in ("src", "href") and found is None:
                self.elsewhere.append(value or "")
            elif name == "src" and found and dict(attrs)["alt"]:
                self.pictures.append((found[1], base64.b64decode(found[2])))

    def handle_data(self, data: str) -> None:
        if self._in_caption:
            self.sentences.append(data)
            self._in_caption = False


def test_the_page_has_every_picture_with_a_sentence_and_loads_nothing(run: tuple[str, Path]) -> None:
    html = (run[1] / "index.html").read_text(encoding="utf-8")
    shown = Shown(html)
    files = [file for file in run[1].iterdir() if file.suffix != ".html"]
    assert len(shown.pictures) == len(shown.sentences) == len(files) and shown.elsewhere == []
    sizes = [[Image.open(one).size for one in some] for some in (files, [io.BytesIO(data) for _, data in shown.pictures])]
    assert sorted(sizes[0]) == sorted(sizes[1])
    assert len(html) < 10_000_000
    assert "In chelsea it finds 1 x cat." in shown.sentences and "In rocket it finds nothing." in shown.sentences
    assert "YOLO-LC: 1 x person; FOMO: 8 x face." in shown.sentences
    assert "YOLO11-obb: 1 x truck, 3 x ship; YOLO11-obb: 4 x truck, 1 x tile, 1 x ship." in shown.sentences
    assert sum("nothing" in sentence for sentence in shown.sentences) == 1


def test_the_browser_opens_in_front_of_somebody_only(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CI", "DISPLAY", "WAYLAND_DISPLAY", "SSH_CONNECTION"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    for platform, variables, expected in (
        ("linux", {}, False), ("linux", {"DISPLAY": ":0"}, True), ("linux", {"WAYLAND_DISPLAY": "wayland-0"}, True),
        ("linux", {"DISPLAY": ":0", "CI": "true"}, False), ("darwin", {}, True), ("win32", {}, True),
        ("darwin", {"SSH_CONNECTION": "10.0.0.1 50000 10.0.0.2 22"}, False),
    ):  # fmt: skip
        with monkeypatch.context() as patch:
            patch.setattr(sys, "platform", platform)
            for name, value in variables.items():
                patch.setenv(name, value)
            assert page.has_display() is expected, (platform, variables)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    monkeypatch.setenv("DISPLAY", ":0")
    assert not page.has_display()


@pytest.mark.parametrize(("options", "opened"), [((), 1), (("--no-browser",), 0)])
def test_the_page_is_opened_unless_told_otherwise(
    options: tuple[str, ...], opened: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    addresses: list[str] = []
    monkeypatch.setattr(demo.page, "has_display", lambda: True)
    monkeypatch.setattr(demo.webbrowser, "open_new_tab", addresses.append)
    assert demo.main(["movenet_17_192", "--out", str(tmp_path), *options], "demo.py") == 0
    assert addresses == [(tmp_path / "index.html").as_uri()] * opened


def test_the_tables_fit_into_80_columns_and_cut_nothing_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    done = script("demo.py", "yolov8n_seg_320", "yolov8n_pose_256", *gallery.PICTURES, "--out", "out", cwd=tmp_path)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    assert max(map(len, lines)) <= 80 and "468 of 468 keypoints" in done.stdout
    names = {line.split("  ")[0].strip() for line in lines}
    assert {"motorcycle_left", *gallery.CALLED.values()} <= names


@pytest.mark.parametrize("label", ["person", "cat", "cup", "horse", "motorcycle", "nothing", "face", "truck"])
def test_the_tables_list_the_objects_in_the_pictures(run: tuple[str, Path], label: str) -> None:
    assert label in run[0]


@pytest.mark.parametrize(("model", "picture"), [one for one in recorded.names() if one not in EMPTY[1:]])
def test_results_are_drawn_on_every_picture_with_objects(run: tuple[str, Path], model: str, picture: str) -> None:
    photograph = Path(skimage.__file__).parent / "data" / recorded.load(model, picture).photograph
    before = np.asarray(Image.open(photograph).convert("RGB")).astype(int)
    after = np.asarray(Image.open(run[1] / f"{model}__{picture}.png").convert("RGB")).astype(int)
    # The conversion to RGB565 changes a channel by at most 7.
    changed = (np.abs(after - before).max(axis=2) > 8).mean()
    assert changed == 0 if (model, picture) in EMPTY else 0.01 < changed < 0.9


# (second, direction) of each way in yard_people.py that reaches the line, which is at z = 8.19 m.
CROSSINGS = [(3.6, "in"), (4.6, "out"), (7.5, "in")]


def test_the_yard_counts_those_who_walk_through_the_door_and_times_who_waits() -> None:
    counted, waited, last = [], 0.0, (0, 0)
    for number, (_, tracked, line, zone) in enumerate(yard.frames()):
        if (line.in_count, line.out_count) != last:
            counted.append((number / 10, "in" if line.in_count > last[0] else "out"))
            last = line.in_count, line.out_count
        waited = max(waited, *(zone.dwell_time(d.track_id) for d in tracked), 0.0)
    assert [way for _, way in counted] == [way for _, way in CROSSINGS]
    assert all(0 <= there - second < 1 for (there, _), (second, _) in zip(counted, CROSSINGS))
    assert 6 < waited < 9  # until 6.8 seconds, then on the way out of the zone


def test_the_yard_labels_each_person_in_the_color_of_the_track(run: tuple[str, Path]) -> None:
    from n6post.pixels.colors import class_color

    people = shown = 0
    with Image.open(run[1] / "yard.webp") as drawn:
        assert drawn.n_frames == 100 and drawn.size == recorded.YARD_SIZE  # type: ignore[attr-defined]
        for number, (_, tracked, *_) in enumerate(yard.frames()):
            if number % 10:
                continue
            drawn.seek(number)
            picture = np.asarray(drawn.convert("RGB")).astype(int)
            assert drawn.info["duration"] == 100
            for d in tracked:
                x, y, *_ = d.rect
                label = np.abs(picture[max(y - 19, 0) : max(y - 2, 1), x : x + 30] - class_color(d.track_id)).max(2)
                people += 1
                shown += bool((label < 48).mean() > 0.25)  # its background
    assert people > 30 and shown > 0.9 * people  # others are behind a label


def test_the_readmes_moving_picture_is_up_to_date_and_small(run: tuple[str, Path]) -> None:
    file = ROOT / "docs" / "yard.webp"
    assert file.stat().st_size < 2_500_000
    with Image.open(file) as shown, Image.open(run[1] / "yard.webp") as drawn:
        assert shown.n_frames == 100  # type: ignore[attr-defined]
        for number in (30, 60, 99):
            shown.seek(number)
            drawn.seek(number)
            pictures = [np.asarray(one.convert("RGB"), float) for one in (shown, drawn)]
            assert np.abs(pictures[0] - pictures[1]).mean() < 2  # another libwebp may compress otherwise


def test_the_argument_yard_writes_the_moving_picture_and_a_page(tmp_path: Path) -> None:
    done = script("demo.py", "yard", "--out", "drawn", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == f"The pictures are on one page: {Path('drawn', 'index.html')}".split()
    assert sorted(file.name for file in (tmp_path / "drawn").iterdir()) == ["index.html", "yard.webp"]


@pytest.mark.parametrize("model", ["yolov8n_192", "deeplab_320", *gallery.PICTURES])
def test_update_docs_writes_the_pictures_of_the_pages(
    model: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "docs").mkdir()
    monkeypatch.setattr(demo.paths, "CHECKOUT", tmp_path)
    assert demo.main([model, "--out", str(tmp_path / "out"), "--update-docs"], "demo.py") == 0
    written, shown = [np.asarray(Image.open(folder / "docs" / f"{model}.jpg"), float) for folder in (tmp_path, ROOT)]
    assert written.shape == shown.shape
    assert np.abs(written - shown).mean() < 1  # gray levels: another version of Pillow may write a different JPEG
    assert [file.name for file in (tmp_path / "docs").iterdir()] == [f"{model}.jpg"]


def found(name: str) -> Any:
    return gallery.result(name, gallery.picture(gallery.NETWORKS[name][1]))


@pytest.mark.parametrize("name", ["blazeface_front_128", "yunet_320", "face_landmarks_192"])
def test_the_face_detectors_find_the_same_face(name: str) -> None:
    (face,) = found(name)
    for eye, x in (("right eye", 208), ("left eye", 244)):
        if name == "face_landmarks_192":
            eye += " outer"
        assert np.hypot(face.keypoint(eye)[0] - x, face.keypoint(eye)[1] - 110) < 16, eye
    x, y, w, h = face.rect
    assert x < 208 and x + w > 244 and y < 110 and y + h > 140


def test_fomo_finds_eight_of_the_nine_faces() -> None:
    places = {(int(d.keypoint(0)[0] // 160), int(d.keypoint(0)[1] // 160)) for d in found("fomo_face_detection")}
    assert len(places) == 8


def test_the_cup_is_nearer_than_what_is_behind_it() -> None:
    depth = found("fast_depth_224")
    assert depth.median((200, 60, 200, 150)) < 0.6 * depth.median((0, 0, 60, 60))


def test_optimized_boxes_are_those_of_the_float_network() -> None:
    published, optimized, truth = recorded.street_heads()
    assert [len(published), len(optimized), len(truth)] == [13, 9, 9]
    assert street_heads.mean_iou(published, truth) < 0.75 and street_heads.mean_iou(optimized, truth) > 0.93


def test_the_picture_shows_the_boxes_of_both_files(run: tuple[str, Path]) -> None:
    with Image.open(run[1] / "optimized.png") as picture, Image.open(ROOT / "docs" / "optimized.png") as shown:
        drawn = np.asarray(picture.convert("RGB")).astype(int)
        assert shown.size == picture.size and (ROOT / "docs" / "optimized.png").stat().st_size < 60_000
    top, bottom = street_heads.SHOWN
    published, optimized, _ = recorded.street_heads()
    for number, (found, color) in enumerate(((published, street_heads.PUBLISHED), (optimized, street_heads.OPTIMIZED))):
        half = drawn[number * (street_heads.LINE + bottom - top) + street_heads.LINE :][: bottom - top]
        colored = (np.abs(half - color) < 12).all(2)
        for d in found:  # the left side of each box, halfway down
            x, y, _, h = (round(v * 4 / 3) for v in d.rect)
            assert colored[y + h // 2 - top, x - 2 : x + 3].any()
