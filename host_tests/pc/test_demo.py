"""scripts/demo.py shows the results of every recording, in tables and on pictures."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import skimage
from commands import script
from n6post_pc.demo import command as demo
from n6post_pc.demo import gallery, recorded, street_gif, street_heads
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


def test_it_writes_a_picture_for_every_recording(run: tuple[str, Path]) -> None:
    written = sorted(file.name for file in run[1].iterdir())
    pictures = [f"{model}__{picture}.png" for model, picture in recorded.names()]
    strips = [f"{name}.png" for name in gallery.PICTURES]
    assert written == sorted([*pictures, *strips, "street.gif", "optimized.png"])


@pytest.mark.parametrize("label", ["person", "cat", "cup", "horse", "motorcycle", "nothing", "face", "truck"])
def test_the_tables_list_the_objects_in_the_pictures(run: tuple[str, Path], label: str) -> None:
    assert label in run[0]


@pytest.mark.parametrize(("model", "picture"), recorded.names())
def test_results_are_drawn_on_every_picture_with_objects(run: tuple[str, Path], model: str, picture: str) -> None:
    photograph = Path(skimage.__file__).parent / "data" / recorded.load(model, picture).photograph
    before = np.asarray(Image.open(photograph).convert("RGB")).astype(int)
    after = np.asarray(Image.open(run[1] / f"{model}__{picture}.png").convert("RGB")).astype(int)
    # The conversion to RGB565 changes a channel by at most 7.
    changed = (np.abs(after - before).max(axis=2) > 8).mean()
    empty = picture == "rocket" or (model, picture) == ("deeplab_320", "coffee")
    assert changed == 0 if empty else 0.01 < changed < 0.9


def test_the_sequence_shows_masks_in_the_color_of_the_track_id(run: tuple[str, Path]) -> None:
    from n6post.pixels.colors import class_color

    floor = np.asarray(street_gif.floor().to_pil().convert("RGB")).astype(int)[: street_gif.SHOWN]
    people = shown = 0
    with Image.open(run[1] / "street.gif") as gif:
        assert gif.n_frames == (street_gif.LAST - street_gif.FIRST) // street_gif.STEP == 90  # type: ignore[attr-defined]
        for number, (_, tracked, line) in enumerate(street_gif.frames()):  # noqa: B007  (the last line has counted all people)
            gif.seek(number)
            assert gif.info["duration"] == 200 and gif.size == (640, 336)
            picture = np.asarray(gif.convert("RGB")).astype(int)
            for d in tracked:
                x, y = [int((v + 0.5) * 4 / 3) for v in d.mask.centroid]  # 480 x 360 is scaled to 640 x 480
                expected = 0.75 * np.array(class_color(d.track_id)) + 0.25 * floor[y, x]
                shown += bool(np.abs(picture[y, x] - expected).max() < 40)
                people += 1
    assert people > 600 and shown > 0.75 * people  # the others are covered by a label or a box
    assert line.in_count >= 8 and line.out_count >= 4


def test_the_readmes_gif_is_up_to_date_and_small() -> None:
    file = ROOT / "docs" / "street.gif"
    assert file.stat().st_size < 700_000
    with Image.open(file) as gif:
        assert gif.n_frames == 90 and gif.size == (640, 336)  # type: ignore[attr-defined]


def test_the_argument_street_writes_the_gif_only(tmp_path: Path) -> None:
    done = script("demo.py", "street", "--out", "drawn", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "Written to drawn: a tracked sequence, street.gif"
    assert [file.name for file in (tmp_path / "drawn").iterdir()] == ["street.gif"]


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
