"""lib/n6post/events/collector.py: which frames are saved, and what is in their files."""

from __future__ import annotations

import builtins
import errno
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import pytest
from n6post.events import collector as collector_module
from PIL import Image

FRAME = 640, 480
TEXTURE = np.random.default_rng(1).integers(0, 256, (12, 480, 640), dtype=np.uint8)


def picture(number: int = 0, size: tuple[int, int] = FRAME) -> Any:
    """A frame of coarse noise, another one for each number up to 11."""
    width, height = size
    coarse = TEXTURE[number, ::20, ::20]
    pixels = np.kron(coarse, np.ones((20, 20), np.uint8))[:height, :width]
    return image.Image(width, height, image.GRAYSCALE, buffer=bytearray(pixels.tobytes()))


def thing(x: int, score: float = 0.9, class_id: int = 0, y: int = 200, w: int = 60, h: int = 80) -> Any:
    return n6post.Detection((x, y, w, h), score, class_id, "", None, None).replace(frame_size=FRAME)


class Camera:
    """A tracker and a collector; `saved` has the number of each frame and the name of its picture."""

    def __init__(self, folder: Path, coast: float = 0.0, **options: Any) -> None:
        self.collector = n6post.Collector(str(folder), **{"every": 0.0, **options})
        self.tracker = n6post.Tracker(min_hits=1, low_threshold=0.1, threshold=0.15, coast=coast)
        self.folder, self.number, self.saved = folder, -1, list[tuple[int, str]]()
        for _ in range(2):  # from a second on, tracks should no longer begin everywhere
            self.collector.update([], picture(), elapsed_ms=500)

    def see(self, *frames: list[Any], ms: int = 100, img: Any = None) -> list[tuple[int, str]]:
        for found in frames:
            self.number += 1
            tracked = self.tracker.update(found, elapsed_ms=ms)
            shown = picture(self.number % 12) if img is None else img
            if path := self.collector.update(tracked, shown, elapsed_ms=ms):
                assert Path(path).parent == self.folder
                self.saved.append((self.number, Path(path).stem))
        return self.saved

    def names(self) -> list[str]:
        return sorted(file.name for file in self.folder.iterdir())


@pytest.fixture
def camera(tmp_path: Path) -> Camera:
    made = Camera(tmp_path / "collected")
    made.see([thing(300)])  # its class is known from here on
    return made


def reasons(saved: list[tuple[int, str]]) -> list[tuple[int, str]]:
    return [(number, stem.split("_")[1]) for number, stem in saved]


def test_the_first_of_each_class_is_saved(tmp_path: Path) -> None:
    camera = Camera(tmp_path / "collected")
    camera.see([thing(100)], [thing(104)], [thing(108), thing(400, class_id=3)], [thing(112), thing(404, class_id=3)])
    assert camera.saved == [(0, "00001_new_300"), (2, "00002_new_250")]  # both begin in the middle, too


def test_a_track_is_saved_once_for_each_reason(camera: Camera) -> None:
    camera.see([thing(304)], [thing(308, 0.4)], [thing(312, 0.3)], [thing(316, class_id=0)])
    assert reasons(camera.saved) == [(0, "new"), (2, "unsure")]
    camera.see([], [thing(324)], [], [thing(330)])
    assert reasons(camera.saved) == [(0, "new"), (2, "unsure"), (5, "lost")]


def test_what_is_not_found_between_two_frames_is_lost(camera: Camera) -> None:
    camera.see([thing(304)], [thing(308)], [], [thing(316)])
    assert camera.saved[1:] == [(3, "00002_lost_100")]
    text = (camera.folder / "00002_lost_100.txt").read_text(encoding="utf-8")
    assert text == n6post.to_yolo([thing(308)])  # where it was last


def test_what_is_lost_counts_as_one_object_more(tmp_path: Path) -> None:
    camera = Camera(tmp_path / "collected")
    both = [thing(300), thing(500, y=100)]
    camera.see(both, both, both, [thing(300)])
    assert camera.saved[1:] == [(3, "00002_lost_050")]


def test_a_track_that_coasts_is_lost_too(tmp_path: Path) -> None:
    camera = Camera(tmp_path / "collected", coast=1.0)
    camera.see([thing(300)], [thing(304)], [thing(308)], [], [])
    assert reasons(camera.saved) == [(0, "new"), (3, "lost")]
    assert (camera.folder / "00002_lost_100.txt").read_text(encoding="utf-8") == n6post.to_yolo([thing(308)])


@pytest.mark.parametrize("x, y", [(14, 200), (640 - 60 - 14, 200), (300, 19), (300, 480 - 80 - 19)])
def test_what_leaves_at_the_border_is_not_lost(camera: Camera, x: int, y: int) -> None:
    camera.see(*[[thing(300), thing(x, y=y)]] * 4, [thing(300)])
    assert len(camera.saved) == 1


@pytest.mark.parametrize("x, y", [(15, 200), (640 - 60 - 15, 200), (300, 20), (300, 480 - 80 - 20)])
def test_a_quarter_of_its_size_away_from_it_it_is(tmp_path: Path, x: int, y: int) -> None:
    camera = Camera(tmp_path / "collected")
    camera.see(*[[thing(x, y=y)]] * 4, [])
    assert reasons(camera.saved) == [(0, "new"), (4, "lost")]


@pytest.mark.parametrize("x, hidden", [(320, True), (345, False)])
def test_what_another_object_hides_is_not_lost(tmp_path: Path, x: int, hidden: bool) -> None:
    camera = Camera(tmp_path / "collected")
    both = [thing(300), thing(x, y=210)]  # more than half of it lies behind the other, or less
    camera.see(both, both, both, both, [thing(300)])
    assert reasons(camera.saved) == [(0, "new")] + [(4, "lost")] * (not hidden)


def test_a_track_of_two_frames_is_not_lost(camera: Camera) -> None:
    camera.see([thing(304)], [])
    assert len(camera.saved) == 1


def test_a_track_that_begins_inside_has_appeared(camera: Camera) -> None:
    camera.see([thing(304), thing(14)], [thing(308), thing(18)], [thing(312), thing(22), thing(500, y=100)])
    assert camera.saved[1:] == [(3, "00002_appeared_033")]


def test_after_a_pause_tracks_may_begin_and_end_anywhere(camera: Camera) -> None:
    camera.see([thing(304)], [thing(308)], ms=1000)
    camera.see([thing(500, y=100)], ms=1001)
    camera.see([thing(500, y=100), thing(100, y=20)], ms=999)
    assert len(camera.saved) == 1
    camera.see([thing(500, y=100), thing(100, y=20), thing(200, y=300)], ms=1)
    assert reasons(camera.saved) == [(0, "new"), (5, "appeared")]
    camera.see([thing(500, y=100)], [thing(500, y=100), thing(390, y=340)], ms=1000)  # not longer than a pause
    assert reasons(camera.saved)[2:] == [(7, "appeared")]


def test_at_the_start_tracks_may_begin_anywhere(tmp_path: Path) -> None:
    collector = n6post.Collector(str(tmp_path), every=0)
    found = [thing(100 * k + 100).replace(track_id=k + 1) for k in range(5)]
    assert collector.update(found[:1], picture(0), elapsed_ms=100) == f"{tmp_path}/00001_new_200.jpg"
    for k in range(1, 9):
        assert collector.update(found[: 1 + k // 4], picture(k), elapsed_ms=100) is None
    assert collector.update(found[:4], picture(10), elapsed_ms=100) == f"{tmp_path}/00002_appeared_025.jpg"


def test_a_picture_shows_all_new_classes_once(tmp_path: Path) -> None:
    collector = n6post.Collector(str(tmp_path), every=0)
    found = [thing(100 * k + 100, class_id=k // 2) for k in range(5)]
    assert collector.update(found, picture(0)) == f"{tmp_path}/00001_new_600.jpg"
    assert collector.update(found, picture(1)) is None


def test_a_track_of_another_class_has_changed(tmp_path: Path) -> None:
    camera = Camera(tmp_path / "collected")
    camera.see([thing(300), thing(14, class_id=1)], [thing(304), thing(18, class_id=1)])
    found = [[thing(304).replace(class_id=k, track_id=1)] for k in (0, 1, 1)]
    for k, detections in enumerate(found):
        path = camera.collector.update(detections, picture(5 + k), elapsed_ms=100)
        assert (path is not None) == (k == 1)
    assert path is None and "00002_changed_100.jpg" in camera.names()


def test_a_new_class_is_saved_whatever_it_looks_like(camera: Camera) -> None:
    for class_id in (0, 4):
        path = camera.collector.update([thing(300, class_id=class_id)], picture(0), elapsed_ms=5000)
        assert (path is not None) == (class_id == 4)


def test_a_score_is_unsure_below_the_limit_only(camera: Camera) -> None:
    assert camera.collector.update([thing(300, 0.5)], picture(1), elapsed_ms=5000) is None
    assert camera.collector.update([thing(300, 0.496)], picture(1), elapsed_ms=5000) is not None


def test_the_worth_is_the_mean_of_all_signs(camera: Camera) -> None:
    """Two scores of .25 count one half each, a third track appears: the reason is the first in the list of reasons."""
    camera.see([thing(304, 0.25), thing(14, 0.25), thing(500, 0.5, y=100)])
    assert camera.saved[1:] == [(1, "00002_appeared_067")]


def test_the_lowest_score_is_the_reason(camera: Camera) -> None:
    camera.collector.update([thing(100, 0.4), thing(400, 0.3)], half_new(400), elapsed_ms=100)
    assert "00002_unsure_030.jpg" in camera.names()
    # What looks like the first one is saved, for it was not the reason; what looks like the second one is not.
    assert camera.collector.update([thing(400, 0.2)], half_new(400), elapsed_ms=5000) is None
    assert camera.collector.update([thing(100, 0.4)], half_new(400), elapsed_ms=5000) is not None


def half_new(x: int) -> Any:
    """A frame whose texture is another one from x - 60 on."""
    img = picture(1)
    pixels = np.frombuffer(img.bytearray(), np.uint8).reshape(480, 640)
    pixels[:, x - 60 :] = np.frombuffer(picture(2).bytearray(), np.uint8).reshape(480, 640)[:, x - 60 :]
    return img


@pytest.mark.parametrize("change, similar", [(0, True), (30, True), (-40, True), ("noise", True), ("other", False)])
def test_nothing_is_saved_that_looks_like_an_earlier_picture(camera: Camera, change: Any, similar: bool) -> None:
    """A detection without a track, at another place; brighter, darker, noisy, or another object."""
    camera.collector.update([thing(100, 0.4)], picture(1), elapsed_ms=100)
    pixels = np.frombuffer(picture(1).bytearray(), np.uint8).reshape(480, 640).astype(np.int16) // 2 + 60
    pixels = np.roll(pixels, 200, axis=1)
    if change == "noise":
        pixels = pixels + np.random.default_rng(3).normal(0, 8, pixels.shape)
    elif change == "other":
        pixels = np.frombuffer(picture(2).bytearray(), np.uint8).reshape(480, 640)
    else:
        pixels = pixels + change
    again = image.Image(*FRAME, image.GRAYSCALE, buffer=bytearray(np.clip(pixels, 0, 255).astype(np.uint8).tobytes()))
    assert (camera.collector.update([thing(300, 0.4)], again, elapsed_ms=5000) is None) == similar


def test_surfaces_without_contrast_look_alike(camera: Camera) -> None:
    flat = [image.Image(*FRAME, image.GRAYSCALE, buffer=bytearray([gray] * 640 * 480)) for gray in (20, 90, 200)]
    saved = [camera.collector.update([thing(300, 0.4)], img, elapsed_ms=5000) for img in flat]
    assert [path is not None for path in saved] == [True, False, False]


def test_the_hundred_pictures_of_before_are_compared(camera: Camera) -> None:
    shown = camera.collector._shown
    assert camera.collector.update([thing(300, 0.4)], picture(0), elapsed_ms=5000) is not None
    for k in range(99):
        shown.enroll(0, np.eye(65)[k % 60 + 1] + 0.1 * np.eye(65)[k % 7])
    assert camera.collector.update([thing(300, 0.4)], picture(0), elapsed_ms=5000) is None
    shown.enroll(0, np.ones(65))
    assert camera.collector.update([thing(300, 0.4)], picture(0), elapsed_ms=5000) is not None


def test_no_picture_comes_sooner_than_every_so_many_seconds(tmp_path: Path) -> None:
    camera = Camera(tmp_path / "collected", every=2.0)
    for k in range(60):
        camera.collector.update([thing(300, 0.4)], picture(k % 12), elapsed_ms=100)
    assert camera.collector.count == 3  # of 12 different ones


def test_the_next_look_at_what_is_known_is_a_second_later(
    camera: Camera, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = list[int]()
    appearance = collector_module._appearance
    monkeypatch.setattr(collector_module, "_appearance", lambda img, d: looks.append(1) or appearance(img, d))
    assert camera.collector.update([thing(300, 0.4)], picture(0), elapsed_ms=100) is not None
    camera.collector.every = 5.0
    for _ in range(31):
        assert camera.collector.update([thing(300, 0.4)], picture(0), elapsed_ms=100) is None
    assert len(looks) == 5


def test_a_full_folder_keeps_what_is_worth_most(tmp_path: Path) -> None:
    camera = Camera(tmp_path / "collected", max_files=3)
    for k, score in enumerate((0.4, 0.1, 0.3, 0.45, 0.25, 0.49, 0.2, 0.2)):
        camera.collector.update([thing(300, score)], picture(k), elapsed_ms=100)
    assert camera.collector.count == 3
    kept = ["00001_new_220", "00002_unsure_080", "00005_unsure_060"]
    assert [name for name in camera.names() if name.endswith(".jpg")] == [f"{stem}.jpg" for stem in kept]
    assert [name for name in camera.names() if name.endswith(".txt")] == [f"{stem}.txt" for stem in kept]


def test_the_picture_is_the_frame_and_the_text_its_boxes(camera: Camera) -> None:
    img = picture(3)
    found = [thing(100, 0.4), thing(400, 0.8)]
    path = camera.collector.update(found, img, elapsed_ms=100)
    assert path is not None
    shown = np.asarray(Image.open(path).convert("L"), np.int16)
    pixels = np.frombuffer(img.bytearray(), np.uint8).reshape(480, 640)
    assert np.abs(shown - pixels).mean() < 3 and bytes(img.bytearray()) == bytes(picture(3).bytearray())
    assert Path(path).with_suffix(".txt").read_text(encoding="utf-8") == n6post.to_yolo(found)


def test_after_a_restart_the_numbers_go_on(camera: Camera) -> None:
    (camera.folder / "00041_lost_200.txt").write_text("", encoding="utf-8")
    (camera.folder / "00050_lost_200.jpg").write_text("power failed before its text was written", encoding="utf-8")
    (camera.folder / "classes.txt").write_text("person", encoding="utf-8")
    again = Camera(camera.folder)
    assert again.collector.count == 2
    again.see([thing(300)])
    assert again.saved == [(0, "00042_new_300")] and again.collector.count == 3


def test_with_a_state_nothing_is_saved_twice_over_a_restart(camera: Camera, tmp_path: Path) -> None:
    camera.see([thing(300, 0.4)], img=picture(0))
    n6post.State(str(tmp_path / "state"), frames=camera.collector).save(force=True)
    again = Camera(camera.folder)
    n6post.State(str(tmp_path / "state"), frames=again.collector)
    again.see([thing(300, 0.4)], img=picture(0))  # of a known class, and known from the picture
    assert again.saved == []
    again.see([thing(300, 0.4)], img=picture(6), ms=2000)
    assert reasons(again.saved) == [(1, "unsure")]


def full(path: str, mode: str = "r", *more: Any, ends: str = ".txt", **options: Any) -> Any:
    file = builtins.open(path, mode, *more, **options)
    if path.endswith(ends) and "w" in mode:
        file.close()
        raise OSError(errno.ENOSPC, "no space")
    return file


def test_a_full_card_costs_no_picture_of_a_full_folder(camera: Camera, monkeypatch: pytest.MonkeyPatch) -> None:
    camera.collector.max_files = 2
    assert camera.collector.update([thing(300, 0.4)], picture(1), elapsed_ms=100) is not None
    before = camera.names()
    monkeypatch.setattr(collector_module, "open", full, raising=False)
    assert camera.collector.update([thing(300, 0.1)], picture(2), elapsed_ms=100) is None
    assert camera.names() == before and camera.collector.count == 2
    camera.collector.max_files = 1  # two have to leave: the least of three, and of two
    monkeypatch.setattr(collector_module, "open", builtins.open)
    assert camera.collector.update([thing(300, 0.1)], picture(2), elapsed_ms=100) is not None
    assert camera.names() == ["00001_new_300.jpg", "00001_new_300.txt"]


@pytest.mark.parametrize("ends", [".jpg", ".txt"])
def test_a_full_card_is_said_once_and_leaves_no_half_picture(
    camera: Camera, ends: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    before = camera.names()
    camera.collector.every = 1.0
    opening: Callable[..., Any] = lambda *a, **k: full(*a, ends=ends, **k)  # noqa: E731
    monkeypatch.setattr(collector_module, "open", opening, raising=False)
    for k in range(30):
        assert camera.collector.update([thing(300, 0.4)], picture(1 + k % 11), elapsed_ms=100) is None
    assert camera.names() == before
    said = capsys.readouterr().out
    assert said.count("could not be saved") == 1 and "00002_unsure_020.jpg" in said and "no space" in said
    monkeypatch.setattr(collector_module, "open", builtins.open)
    assert camera.collector.update([thing(300, 0.4)], picture(1), elapsed_ms=2000) is not None


def test_bad_arguments_are_refused(camera: Camera) -> None:
    for folder in (None, 5, b"/sdcard", ""):
        with pytest.raises(ValueError, match="^folder: expected a text, got "):
            n6post.Collector(folder)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="detections: expected a list of Detection"):
        camera.collector.update([1], picture())  # type: ignore[list-item]
    with pytest.raises(ValueError, match="img: expected an image, got NoneType"):
        camera.collector.update([], None)  # type: ignore[arg-type]
    jpeg = picture().to_jpeg(quality=50, copy=True)
    with pytest.raises(ValueError, match="expected an RGB565 or GRAYSCALE image, got"):
        camera.collector.update([], jpeg)


def test_a_color_frame_of_another_size_is_saved_as_it_is(camera: Camera) -> None:
    """The detections are of a frame of 640 x 480, the picture is half as large."""
    img = image.Image(320, 240, image.RGB565)
    img.draw_rectangle((0, 0, 320, 240), color=(200, 40, 90), fill=True)
    path = camera.collector.update([thing(300, 0.4)], img, elapsed_ms=100)
    assert path is not None
    shown = Image.open(io.BytesIO(Path(path).read_bytes()))
    assert shown.size == (320, 240) and np.abs(np.asarray(shown)[100, 100].astype(int) - (200, 40, 90)).max() < 12


def test_many_tracks_are_forgotten(camera: Camera) -> None:
    for k in range(20):
        found = [thing(300).replace(track_id=10 * k + i + 1) for i in range(10)]
        camera.collector.update(found, picture(0), elapsed_ms=1)
    assert len(camera.collector._tracks) <= 138
    camera.collector.update([], picture(0), elapsed_ms=6000)
    assert len(camera.collector._tracks) == 0
