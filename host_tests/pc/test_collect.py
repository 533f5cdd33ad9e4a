"""n6post collect: the pictures of a folder, what is decided about them, their table and their dataset."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import n6post
import pytest
from n6post_pc import cli, command, paths
from n6post_pc.collect import dataset
from n6post_pc.collect.folder import DROPPED, KEPT, TO_SORT, Folder, box
from PIL import Image as PilImage
from test_yolo_text import seen

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py")

LABELS = {
    "00002_new": "0 0.500000 0.500000 0.250000 0.500000\n3 0.100000 0.100000 0.200000 0.200000\n",
    "00010_lost": "",
    "00011_new": "3 0.250000 0.750000 0.100000 0.100000\n",
    "100000_unsure_120": "1 0.500000 0.500000 1.000000 1.000000\n",
}
Run = Callable[..., tuple[int, str, str]]


def jpeg(path: Path, size: tuple[int, int] = (64, 48)) -> Path:
    PilImage.linear_gradient("L").resize(size).save(path)
    return path


def collected(folder: Path) -> Path:
    """A folder of four pictures with their labels."""
    folder.mkdir()
    for name, text in LABELS.items():
        jpeg(folder / f"{name}.jpg").with_suffix(".txt").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def photos(tmp_path: Path) -> Path:
    return collected(tmp_path / "photos")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs the command in the folder of `photos`. Returns (exit code, stdout, stderr)."""
    monkeypatch.chdir(tmp_path)

    def called(*words: object, name: str = "collect") -> tuple[int, str, str]:
        try:
            code = cli.call(name, [str(word) for word in words], f"n6post {name}")
        except SystemExit as leaving:  # argparse
            code = int(leaving.code or 0)
        return code, *capsys.readouterr()

    return called


def content(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


# ---- the table ----


def test_the_table_counts_pictures_by_reason_and_boxes_by_class(photos: Path, run: Run) -> None:
    Folder(photos).decide("00011_new", DROPPED)
    Folder(photos).decide("00010_lost", KEPT)
    code, out, err = run("photos")
    assert (code, err) == (command.FINE, "")
    rows = [line.split() for line in out.splitlines() if line.strip() and line[1] != "─"]
    assert rows[0] == ["reason", "pictures", "to", "sort", "kept", "dropped"]
    assert rows[1:5] == [["lost", "1", "0", "1", "0"], ["new", "2", "1", "0", "1"], ["unsure", "1", "1", "0", "0"],
                         ["all", "4", "2", "1", "1"]]  # fmt: skip
    assert out.splitlines()[-2:] == ["boxes: 0 1, 1 1, 3 1", "Next: n6post collect photos --page"]


def test_with_json_the_counts_are_one_object(photos: Path, run: Run) -> None:
    (photos / "labels.txt").write_text("cat\ndog\n", encoding="utf-8")
    code, out, _ = run("photos", "--json")
    none = {TO_SORT: 0, KEPT: 0, DROPPED: 0}
    pictures = {"lost": {**none, TO_SORT: 1}, "new": {**none, TO_SORT: 2}, "unsure": {**none, TO_SORT: 1}}
    assert code == command.FINE
    assert json.loads(out) == {"pictures": pictures, "boxes": {"cat": 1, "dog": 1, "3": 2}, "damaged": {}}


def test_once_all_is_sorted_the_hint_is_the_dataset(photos: Path, run: Run) -> None:
    for name in LABELS:
        Folder(photos).decide(name, KEPT)
    photos.rename("my photos")
    assert run("my photos")[1].splitlines()[-1] == "Next: n6post collect 'my photos' --dataset dataset"


DAMAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "no end": (lambda path: path.write_bytes(path.read_bytes()[:-1]), "its end is missing"),
    "empty": (lambda path: path.write_bytes(b""), "its end is missing"),
    "no picture": (lambda path: path.write_bytes(b"none\xff\xd9"), "cannot identify image file"),
    "no labels": (lambda path: path.with_suffix(".txt").unlink(), "it has no labels"),
    "bytes as labels": (lambda path: path.with_suffix(".txt").write_bytes(b"\xff\xfe0"), "codec can't decode"),
    "cut labels": (lambda path: path.with_suffix(".txt").write_text("0 0.5 0.5 0.", encoding="utf-8"), "got '0 0.5 0.5 0.'"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_picture_is_named_and_left_out(damage: str, photos: Path, run: Run) -> None:
    make, why = DAMAGES[damage]
    make(photos / "00011_new.jpg")
    code, out, err = run("photos", "--json")
    counts = json.loads(out)
    assert code == command.FINDINGS and counts["damaged"]["00011_new.jpg"] and len(counts["damaged"]) == 1
    assert f"n6post collect: 00011_new.jpg is left out: {why}" in err or why in err
    assert counts["pictures"]["new"][TO_SORT] == 1 and counts["boxes"] == {"0": 1, "1": 1, "3": 1}
    assert run("photos", "--dataset", "out")[0] == command.FINDINGS
    written = content(Path("out"))
    assert not [name for name in written if "00011" in name] and b"00011" not in written["truth.json"]


@pytest.mark.parametrize("line", [
    "", "0 .5 .5 .5", "0 .5 .5 .5 .5 .5", "x .5 .5 .5 .5", "-1 .5 .5 .5 .5", "1.0 .5 .5 .5 .5", "123456 .5 .5 .5 .5",
    "0 1.1 .5 .5 .5", "0 .5 -.1 .5 .5", "0 .5 .5 0 .5", "0 .5 .5 .5 0", "0 .5 .5 1.01 .5", "0 nan .5 .5 .5",
    "0 .5 .5 nan .5", "0 .5 .5 .5 inf", "0 .5 .5 .5 x", "\u0661 .5 .5 .5 .5",
])  # fmt: skip
def test_a_line_that_is_no_box_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match="expected labels `class cx cy w h`"):
        box(line)
    assert box(" 65535 0 1 .25 1 ") == (65535, 0.0, 1.0, 0.25, 1.0)


def test_other_files_are_no_pictures_and_numbers_set_the_order(photos: Path) -> None:
    others = "1_new.jpg", "00001.jpg", "photo.jpg", "00001_new.png", "00003_NEW.jpg", "00003_new_.jpg", "00003_new_1_2.jpg"
    for name in others:
        shutil.copyfile(photos / "00002_new.jpg", photos / name)
    shutil.copyfile(photos / "00002_new.jpg", photos / "99999_new.jpg")
    *before, last = LABELS
    assert [one.path.stem for one in Folder(photos).pictures()] == [*before, "99999_new", last]


@pytest.mark.parametrize("words, message", [
    (["absent"], "no such folder: absent"), (["empty"], "no pictures in empty: expected pairs such as 00017_unsure_120.jpg"),
    (["photos", "--labels", "absent.txt"], "no such file of labels: absent.txt"),
    (["photos", "--labels", "blank.txt"], "blank.txt: expected one name per line, got none at all"),
    (["photos", "--dataset", "out", "--page"], "not allowed with argument"),
    (["photos", "--page", "--http", "70000"], "cannot serve a page on port 70000"),
])  # fmt: skip
def test_wrong_arguments_end_with_a_sentence(words: list[str], message: str, photos: Path, run: Run) -> None:
    Path("empty").mkdir()
    Path("blank.txt").write_text("\n", encoding="utf-8")
    code, out, err = run(*words)
    assert code == command.WRONG and message in err and not out


# ---- decisions ----


def test_a_picture_moves_with_its_labels_and_comes_back(photos: Path) -> None:
    before = content(photos)
    folder = Folder(photos)
    for state in (DROPPED, KEPT, DROPPED, DROPPED):
        folder.decide("00002_new", state)
        moved = {f"{state}/{name}" if "00002" in name else name: data for name, data in before.items()}
        assert content(photos) == moved and folder.picture("00002_new").state == state
    folder.decide("00002_new", TO_SORT)
    assert content(photos) == before


def test_a_picture_in_the_way_is_not_replaced(photos: Path) -> None:
    Folder(photos).decide("00002_new", DROPPED)
    jpeg(photos / "00002_new.jpg").with_suffix(".txt").write_text("", encoding="utf-8")  # copied from the card again
    before = content(photos)
    with pytest.raises(command.UserError, match=r"dropped.00002_new\.\w+ is there already: remove one of the two"):
        Folder(photos).decide("00002_new", DROPPED)
    assert content(photos) == before


@pytest.mark.parametrize("failing", [1, 2])
def test_a_move_that_was_interrupted_loses_nothing(failing: int, photos: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before, moved = content(photos), []
    replace = os.replace

    def interrupted(source: Path, target: Path) -> None:
        moved.append(source)
        if len(moved) == failing:
            raise OSError(28, "No space left on device")
        replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", interrupted)
        with pytest.raises(OSError, match="No space"):
            Folder(photos).decide("00002_new", DROPPED)
    assert len(moved) == failing
    assert not any(one.damage for one in Folder(photos).pictures()) and content(photos) == before


def test_labels_of_another_picture_are_not_taken(photos: Path) -> None:
    """The same name is in both folders, and one of them has no labels."""
    Folder(photos).decide("00002_new", DROPPED)
    jpeg(photos / "00002_new.jpg")
    assert Folder(photos).picture("00002_new").damage == "it has no labels"
    assert (photos / "dropped/00002_new.txt").read_text(encoding="utf-8") == LABELS["00002_new"]


def test_labels_are_written_unless_they_have_changed_meanwhile(photos: Path) -> None:
    folder, first, second = Folder(photos), *LABELS["00002_new"].splitlines()
    folder.label("00002_new", [first, second], [second])
    assert (photos / "00002_new.txt").read_text(encoding="utf-8") == second + "\n"
    before = content(photos)
    with pytest.raises(command.UserError, match="the labels of 00002_new have changed meanwhile: reload the page"):
        folder.label("00002_new", [first, second], [first])
    with pytest.raises(ValueError, match="expected labels"):
        folder.label("00002_new", [second], [first, "0 0 0 0 0"])
    assert content(photos) == before


@pytest.mark.parametrize("name", ["absent", "00003_new", "../00002_new", "00002_new.jpg", "", "00002_new/"])
def test_a_name_that_is_no_picture_is_refused(name: str, photos: Path) -> None:
    (photos / "deeper").mkdir()
    before = content(photos)
    for call in (lambda one: one.decide(name, DROPPED), lambda one: one.label(name, [], []), lambda one: one.picture(name)):
        for folder in (photos, photos / "deeper"):
            with pytest.raises(command.UserError, match="there is no picture"):
                call(Folder(folder))
    with pytest.raises(command.UserError, match="expected one of to sort, kept, dropped, got '..'"):
        Folder(photos).decide("00002_new", "..")
    assert content(photos) == before


# ---- the dataset ----


def test_the_dataset_has_the_layout_of_ultralytics(photos: Path, run: Run) -> None:
    Folder(photos).decide("00011_new", DROPPED)
    Folder(photos).decide("00002_new", KEPT)
    (photos / "labels.txt").write_text("cat\ndog\nfox\nowl\n", encoding="utf-8")
    code, out, _ = run("photos", "--dataset", "deep/out")
    names = ["00002_new", "00010_lost", "100000_unsure_120"]
    here = {f"images/train/{name}.jpg" for name in names} | {f"labels/train/{name}.txt" for name in names}
    written = content(Path("deep/out"))
    assert code == command.FINE and set(written) == here | {"data.yaml", "truth.json"}
    for name, source in zip(names, ("kept/00002_new", "00010_lost", "100000_unsure_120")):
        assert written[f"images/train/{name}.jpg"] == (photos / f"{source}.jpg").read_bytes()
        assert written[f"labels/train/{name}.txt"].decode() == LABELS[name]
    lines = [line for line in written["data.yaml"].decode().splitlines() if not line.startswith("#")]
    names = ["  0: \"cat\"", "  1: \"dog\"", "  2: \"fox\"", "  3: \"owl\""]
    assert lines == ["train: images/train", "val: images/train", "names:", *names]
    assert "3 pictures with 3 boxes are in deep/out." in out
    assert "An evaluation with them overrates that network." in out
    assert os.listdir("deep") == ["out"] and Path("deep/out").stat().st_mode == photos.stat().st_mode


def test_any_name_of_a_class_is_yaml(photos: Path, run: Run) -> None:
    yaml = pytest.importorskip("yaml")
    names = ["caf\u00e9", "yes", "3: x", "\"#'\\", "\U0001f600"]
    (photos / "labels.txt").write_text("\n".join(names), encoding="utf-8")
    run("photos", "--dataset", "out")
    assert yaml.safe_load(Path("out/data.yaml").read_bytes())["names"] == dict(enumerate(names))


def test_without_names_classes_are_called_by_their_numbers(photos: Path, run: Run) -> None:
    code, out, _ = run("photos", "--dataset", "out", "--json")
    assert code == command.FINE and json.loads(out)["dataset"] == "out"
    truth = json.loads(Path("out/truth.json").read_text(encoding="utf-8"))
    assert [entry["name"] for entry in truth["categories"]] == ["0", "1", "2", "3"]
    assert Path("out/data.yaml").read_text(encoding="utf-8").endswith('  2: "2"\n  3: "3"\n')


def test_the_truth_has_the_boxes_that_the_camera_has_found(photos: Path, tmp_path: Path, run: Run) -> None:
    """The rects go through `to_yolo` as on the camera, and come back to the hundredth of a pixel."""
    rects = {"00000_new": [(0, 0, 640, 480), (13, 7, 1, 1)], "00001_lost": [], "00002_new": [(3, 471, 637, 9), (1, 2, 3, 4)]}
    source = tmp_path / "camera"
    source.mkdir()
    for name, found in rects.items():
        detections = [seen(rect, number) for number, rect in enumerate(found)]
        labels = jpeg(source / f"{name}.jpg", (640, 480)).with_suffix(".txt")
        labels.write_text(n6post.to_yolo(detections), encoding="utf-8")
    assert run("camera", "--dataset", "out")[0] == command.FINE
    truth = json.loads(Path("out/truth.json").read_text(encoding="utf-8"))
    assert [(one["file_name"], one["width"], one["height"]) for one in truth["images"]] == [
        (f"{name}.jpg", 640, 480) for name in rects]  # fmt: skip
    ids = {one["id"]: one["file_name"][:-4] for one in truth["images"]}
    expected = [(name, number + 1, rect) for name, found in rects.items() for number, rect in enumerate(found)]
    assert [(ids[one["image_id"]], one["category_id"]) for one in truth["annotations"]] == [one[:2] for one in expected]
    for one, (_, _, (x, y, w, h)) in zip(truth["annotations"], expected):
        assert one["bbox"] == pytest.approx((x, y, w, h), abs=0.01) and one["area"] == pytest.approx(w * h, abs=0.5)
    assert [one["id"] for one in truth["annotations"]] == [1, 2, 3, 4]


def test_the_printed_command_compares_two_models(tmp_path: Path, run: Run) -> None:
    """With the sample pictures' truth as labels, the AP is that of the truth itself."""
    for module in ("ai_edge_litert", "pycocotools"):
        pytest.importorskip(module)
    photos, of_sample = tmp_path / "photos", paths.SAMPLE_MODEL.with_name("truth.json")
    photos.mkdir()
    truth = json.loads(of_sample.read_text(encoding="utf-8"))
    for image in truth["images"]:
        lines = []
        for one in truth["annotations"]:
            (x, y, w, h), width, height = one["bbox"], image["width"], image["height"]
            if one["image_id"] == image["id"]:
                box_of = (x + w / 2) / width, (y + h / 2) / height, w / width, h / height
                lines.append(" ".join(map(str, (one["category_id"] - 1, *box_of))) + "\n")
        name = f"{image['id']:05}_unsure"
        shutil.copyfile(paths.SAMPLE_PICTURES / image["file_name"], photos / f"{name}.jpg")
        (photos / f"{name}.txt").write_text("".join(lines), encoding="utf-8")
    _, out, _ = run("photos", "--dataset", "out", "--labels", paths.SAMPLE_MODEL.with_suffix(".txt"))
    (line,) = (line for line in out.splitlines() if line.startswith("To compare"))
    other = paths.SAMPLE_MODEL.with_name("shapes_float.tflite")
    models = {"new.tflite": paths.SAMPLE_MODEL, "old.tflite": other}
    words = [models.get(word, word) for word in shlex.split(line.partition(": ")[2])]
    assert words[:2] == ["n6post", "run"]
    code, out, err = run(*words[2:], "--json", name="run")
    assert code == command.FINDINGS, err  # the int8 network is less exact
    words = ["--compare", other, "--truth", of_sample, "--json"]
    _, expected, _ = run(paths.SAMPLE_MODEL, paths.SAMPLE_PICTURES, *words, name="run")
    got, wanted = (json.loads(text.splitlines()[-1])["average_precision"] for text in (out, expected))
    assert [one["boxes"] for one in got] == [one["boxes"] for one in wanted] and 0.4 < got[0]["boxes"]["AP"] < 0.5


@pytest.mark.parametrize("out", ["photos", "photos/", "photos/dropped", "photos/new", "linked", "full", "full/data.yaml"])
def test_a_dataset_never_replaces_anything(out: str, photos: Path, tmp_path: Path, run: Run) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/data.yaml").write_text("mine", encoding="utf-8")
    (tmp_path / "linked").symlink_to("photos")
    before = content(tmp_path)
    code, _, err = run("photos", "--dataset", out)
    assert code == command.WRONG and ("outside of photos, got" in err or "is not empty: choose a new folder" in err)
    assert content(tmp_path) == before


def test_an_empty_folder_is_taken_for_the_dataset(photos: Path, run: Run) -> None:
    Path("out").mkdir()
    assert run("photos", "--dataset", "out")[0] == command.FINE and Path("out/data.yaml").is_file()


def test_a_dataset_that_cannot_be_written_leaves_nothing(
    photos: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(tmp_path)
    Path("three.txt").write_text("a\nb\nc\n", encoding="utf-8")
    code, _, err = run("photos", "--dataset", "out", "--labels", "three.txt")
    assert code == command.WRONG and "00011_new.jpg: expected a class below 3, the number of names, got 3" in err

    def full(source: Path, target: Path) -> None:
        if source.suffix == ".txt":
            raise OSError(28, "No space left on device", str(target))
        target.write_bytes(source.read_bytes())

    monkeypatch.setattr(dataset.shutil, "copyfile", full)
    code, _, err = run("photos", "--dataset", "out")
    assert code == command.WRONG and "No space left on device" in err
    Path("three.txt").unlink()
    assert content(tmp_path) == before and not Path("out").exists()


def test_a_dataset_of_dropped_pictures_only_is_refused(photos: Path, run: Run) -> None:
    for name in LABELS:
        Folder(photos).decide(name, DROPPED)
    code, _, err = run("photos", "--dataset", "out")
    assert code == command.WRONG and "no pictures in photos" in err and not Path("out").exists()
    assert run("photos")[0] == command.FINE
