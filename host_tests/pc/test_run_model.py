"""scripts/run_model.py, n6post run: the results of a model on pictures and videos, as tables, JSON, drawings and AP."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import csi
import image
import ml
import n6post
import numpy as np
import pytest
from commands import script
from fake_networks import SIDE, Network, Run, picture, run
from n6post.tensors.label_sets import class_name
from n6post_pc import paths
from PIL import Image as PilImage
from synthetic_heads import Thing, float_head

__all__ = ["run"]  # a fixture

# pycocotools' arrays have an __array__ without the arguments of numpy 2.
pytestmark = [
    pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning"),
    pytest.mark.proof("scripts/n6post_pc/**/*.py", "stubs/**/*.py"),
]

SEG = "yolov8n_320_quant_pc_ii_seg_coco-st.tflite"
CLASSES = 80


def boxes(*things: Thing) -> list[Any]:
    return [float_head((SIDE, SIDE), CLASSES, things)]


PERSON = Thing(3, (8, 8, 24, 40), {0: 0.875})
CAR = Thing(9, (30, 16, 60, 40), {2: 0.75})


def detector() -> Network:
    """A network that finds nothing, a person, or a person and a car, depending on the scene."""
    return Network(boxes(), boxes(PERSON), boxes(PERSON, CAR))


def segmenter() -> Network:
    prototypes = np.full((1, 16, 16, 32), -2.0, dtype=np.float32)
    prototypes[0, 2:10, 2:6, 0] = 3.0
    head = float_head((SIDE, SIDE), CLASSES, [Thing(3, (8, 8, 24, 40), {0: 0.875}, [1.0] + [0.0] * 31)], extra=32)
    return Network([head, prototypes])


def classifier(shift: int = 0) -> Network:
    logits = np.zeros((1, 16, 16, 3), dtype=np.float32)
    logits[0, :, :8, 1] = 1.0
    logits[0, : 4 + shift, :, 2] = 2.0
    return Network([logits])


# --- on real models ---


def test_a_model_file_runs_on_pictures_with_a_table_and_annotated_pngs(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    pictures = [shared / "pictures" / name for name in ("bus.jpg", "person.bmp")]
    done = script("run_model.py", shared / "models" / SEG, shared / "pictures", "--out", tmp_path)
    assert done.returncode == 0 and not done.stderr  # no messages of XNNPACK either
    assert "bus.jpg" in done.stdout and "person" in done.stdout and "pixels" in done.stdout
    assert "fit: letterbox (whole picture between gray bars, as Ultralytics trains)" in done.stdout
    assert max(len(line) for line in done.stdout.splitlines() if not line.startswith(str(tmp_path))) <= 80
    for path in pictures:
        annotated = tmp_path / f"{Path(SEG).stem}__{path.stem}.png"
        with PilImage.open(path) as plain, PilImage.open(annotated) as png:
            before, drawn = (np.asarray(p.convert("RGB")).astype(int) for p in (plain, png))
        assert drawn.shape == before.shape and np.any(np.abs(drawn - before) > 60)


def test_by_default_it_finds_what_a_camera_finds_with_letterbox(shared: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    model, path = shared / "models" / SEG, shared / "pictures" / "bus.jpg"
    done = script("run_model.py", model, path, "--json", "--masks", "none")
    frame = image.Image(str(path)).to_rgb565(copy=True)
    expected = ml.Model(str(model), postprocess=n6post.YoloV8Seg()).predict([n6post.Letterbox(frame)])
    line = json.loads(done.stdout)
    assert line["fit"] == "letterbox" and len(expected) > 3
    assert line["detections"] == [json.loads(n6post.to_json(d)) for d in expected]


def test_a_video_is_processed_and_written_as_a_video(shared: Path, tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    av = pytest.importorskip("av")
    model, street = shared / "models" / "yolov8n_192.tflite", shared / "video" / "street.avi"
    done = script("run_model.py", model, street, "--frames", 6, "--every", 10, "--out", tmp_path)
    assert done.returncode == 0 and not done.stderr and "street.avi, 6 frames" in done.stdout
    assert "write one label per line to yolov8n_192.txt" in " ".join(done.stdout.split())
    with av.open(str(tmp_path / "yolov8n_192__street.mp4")) as container:
        shown = [frame.to_ndarray(format="rgb24") for frame in container.decode(video=0)]
    assert len(shown) == 6 and shown[0].shape == (360, 480, 3)


def test_a_real_model_agrees_with_itself_and_not_with_another(shared: Path) -> None:
    pytest.importorskip("ai_edge_litert")
    models = shared / "models"
    done = script("run_model.py", models / SEG, shared / "pictures", "--compare", models / SEG)
    assert done.returncode == 0, done.stderr
    assert "Verdict: they agree: 100% found by both, IoU of boxes 1.00, masks 1.00." in done.stdout
    pose = models / "yolov8n_256_quant_pc_uf_pose_coco-st.tflite"
    done = script("run_model.py", models / SEG, shared / "pictures" / "bus.jpg", "--compare", pose, "--json")
    picture, summary = (json.loads(line) for line in done.stdout.splitlines())
    assert [d["label"] for d in picture["only_model"]] == ["bus"] and summary["found_by_both"] == 3


# --- tables and pictures ---


def test_the_table_is_complete_and_drawings_have_unique_names(run: Run, tmp_path: Path) -> None:
    for name in ("a", "b", "deep"):
        (tmp_path / name).mkdir()
    picture(tmp_path / "a" / "x.png", 2)
    picture(tmp_path / "b" / "x.png", 1)
    markup = "[bold] car.png" if os.name == "nt" else "[bold] :car:.png"  # Windows allows no colon
    picture(tmp_path / "deep" / markup, 0, (4000, 3000))
    (tmp_path / "deep" / "notes.txt").write_text("no picture", encoding="utf-8")
    done = run("net.tflite", "a/x.png", "b/x.png", "deep", networks={"net.tflite": detector()})
    assert done.code == 0 and not done.err
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    assert rows[:3] == ["net.tflite", "YoloV8, input 64 x 64",
                        "fit: letterbox (whole picture between gray bars, as Ultralytics trains)"]  # fmt: skip
    # 128 x 96 pixels: two per pixel of the input, between bars of 8 rows.
    for row in ("x.png person 0.88 (16, 0, 32, 64)", "car 0.75 (60, 16, 60, 48)", f"{markup} nothing"):
        assert row in rows
    assert sorted(os.listdir("out")) == [f"net__{markup}", "net__a_x.png", "net__b_x.png"]
    with PilImage.open("out/net__a_x.png") as png, PilImage.open(f"out/net__{markup}") as large:
        assert png.getpixel((60, 40)) != png.getpixel((55, 80)) and png.size == (128, 96)
        assert large.size == (1600, 1200)


def test_results_are_in_pixels_of_the_whole_picture(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "large.png", 1, (4000, 3000))
    done = run("net.tflite", "large.png", "--json", networks={"net.tflite": detector()})
    (detection,) = done.lines[0]["detections"]
    assert detection["rect"] == [500, 0, 1000, 2000] and done.lines[0]["size"] == [4000, 3000]


@pytest.mark.parametrize("fit, kind", [("stretch", "Stretch"), ("crop", "Crop"), ("letterbox", "Letterbox")])
def test_a_picture_is_fitted_into_the_input_as_requested(run: Run, tmp_path: Path, fit: str, kind: str) -> None:
    ramp = np.zeros((48, 100, 3), dtype=np.uint8)
    ramp[..., 1], ramp[..., 2] = np.linspace(0, 255, 100), np.linspace(0, 255, 48)[:, None]
    PilImage.fromarray(ramp).save(tmp_path / "ramp.png")
    network = detector()
    done = run("net.tflite", "ramp.png", "--json", "--fit", fit, networks={"net.tflite": network})
    assert done.lines[0]["fit"] == fit
    buffer = bytearray(SIDE * SIDE * 3)
    getattr(n6post, kind)(image.Image("ramp.png"))(buffer, (1, SIDE, SIDE, 3), ord("B"))
    assert network.seen[0].tobytes() == bytes(buffer)


def test_the_processor_can_be_named_and_has_the_models_labels(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 2)
    (tmp_path / "net.txt").write_bytes("\r\n".join(f"thing {n}" for n in range(CLASSES)).encode())
    for options in ([], ["--processor", "YoloV8"]):
        done = run("net.tflite", "a.png", "--json", *options, networks={"net.tflite": detector()})
        assert [d["label"] for d in done.lines[0]["detections"]] == ["thing 0", "thing 2"]
    done = run("net.tflite", "a.png", "--json", "--threshold", 0.8, networks={"net.tflite": detector()})
    assert [d["label"] for d in done.lines[0]["detections"]] == ["thing 0"]
    done = run("net.tflite", "a.png", "--json", "--max-detections", 1, networks={"net.tflite": detector()})
    assert len(done.lines[0]["detections"]) == 1
    done = run("net.tflite", "a.png", "--processor", "MoveNet", networks={"net.tflite": detector()})
    assert done.code == 2 and done.err.startswith("n6post run: net.tflite: expected ") and not done.out


# --- JSON ---


def test_with_json_stdout_is_json_only_and_no_pictures_are_written(run: Run, tmp_path: Path) -> None:
    names = [str(picture(tmp_path / f"{n}.png", n)) for n in range(3)]
    done = run("net.tflite", *names, "--json", networks={"net.tflite": detector()})
    assert done.code == 0 and not (tmp_path / "out").exists()
    assert [line["file"] for line in done.lines] == names
    assert [[d["label"] for d in line["detections"]] for line in done.lines] == [[], ["person"], ["person", "car"]]
    assert done.lines[1] == {"file": names[1], "size": [128, 96], "fit": "letterbox", "detections": [
        {"rect": [16, 0, 32, 64], "score": 0.875, "class_id": 0, "label": "person"}]}  # fmt: skip
    run("net.tflite", *names, "--json", "--out", "drawn", networks={"net.tflite": detector()})
    assert sorted(os.listdir("drawn")) == ["net__0.png", "net__1.png", "net__2.png"]


def test_json_has_masks_as_run_lengths_or_polygons(run: Run, tmp_path: Path) -> None:
    coco_mask = pytest.importorskip("pycocotools.mask")
    picture(tmp_path / "a.png")
    done = run("net.tflite", "a.png", "--json", networks={"net.tflite": segmenter()})
    shape = done.lines[0]["detections"][0]["mask"]["rle"]
    assert shape["size"] == [96, 128]
    y, x = np.nonzero(coco_mask.decode(shape))
    # 4 x 8 prototype pixels from (2, 2), of 8 x 8 frame pixels each, below a bar of 2. Between logits of 3 and -2, the
    # interpolated logit crosses 0 at 3/5.
    assert x.min() in (15, 16) and x.max() in (47, 48) and y.min() == 0 and y.max() in (63, 64)
    done = run("net.tflite", "a.png", "--json", "--masks", "polygon", networks={"net.tflite": segmenter()})
    (points,) = done.lines[0]["detections"][0]["mask"]["polygons"]
    assert abs(min(points[::2]) - 16) <= 1 and abs(max(points[1::2]) - 64) <= 1
    done = run("net.tflite", "a.png", "--json", "--masks", "none", networks={"net.tflite": segmenter()})
    assert set(done.lines[0]["detections"][0]["mask"]) == {"rect", "area", "centroid"}


def test_a_class_map_is_reported_by_its_fractions(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    done = run("net.tflite", "a.png", "--json", "--masks", "none", networks={"net.tflite": classifier()})
    assert done.lines[0]["classes"] == [
        {"class_id": 1, "label": "1", "area": 64 * 80, "fraction": 0.4167},
        {"class_id": 2, "label": "2", "area": 128 * 16, "fraction": 0.1667},
    ]
    done = run("net.tflite", "a.png", networks={"net.tflite": classifier()})
    assert "41.7% of frame" in done.out


# --- COCO ---


def test_a_file_in_cocos_format_is_written_and_reported(run: Run, tmp_path: Path) -> None:
    names = [str(picture(tmp_path / f"img_{n:06d}.png", n)) for n in range(3)]
    done = run("net.tflite", *names, "--coco", "new/found.json", networks={"net.tflite": detector()})
    assert done.code == 0 and not (tmp_path / "out").exists()
    rules = "image_id: the last number in a picture's name; category_id: COCO's own, 1 to 90"
    assert f"new/found.json: 3 results in COCO's format ({rules})" in done.out
    entries = json.loads(Path("new/found.json").read_text(encoding="utf-8"))
    written = [(e["image_id"], e["category_id"], e["bbox"]) for e in entries]
    assert written == [(1, 1, [16, 0, 32, 64]), (2, 1, [16, 0, 32, 64]), (2, 3, [60, 16, 60, 48])]
    done = run("net.tflite", *names, "--coco", "found.json", "--json", networks={"net.tflite": detector()})
    assert [line["image_id"] for line in done.lines] == [0, 1, 2]


def test_pictures_or_labels_missing_in_annotations_are_reported(run: Run, tmp_path: Path) -> None:
    names = [str(picture(tmp_path / f"{name}.png", 2)) for name in ("one", "two")]
    annotations = {"images": [{"id": 70, "file_name": "two.png"}], "categories": [{"id": 5, "name": "car"}]}
    Path("gt.json").write_text(json.dumps(annotations), encoding="utf-8")
    done = run("net.tflite", *names, "--coco", "found.json", "--coco-images", "gt.json", networks={"net.tflite": detector()})
    assert done.code == 1
    assert "one.png: no image of this name in gt.json\n" in done.err
    assert "gt.json: no category is called person: not written to found.json\n" in done.err
    entries = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert [(e["image_id"], e["category_id"]) for e in entries] == [(70, 5)]


# --- videos ---


def test_frames_of_a_video_are_numbered_and_counted_together(run: Run) -> None:
    av = pytest.importorskip("av")
    with av.open("clip.mp4", "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height = 128, 96
        for scene in (0, 1, 2, 2):
            frame = np.full((96, 128, 3), (40 * scene, 90, 160), dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    done = run("net.tflite", "clip.mp4", networks={"net.tflite": detector()})
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    assert done.code == 0 and {"clip.mp4, 4 frames", "person 3 3 1 0.88", "car 2 2 1 0.75"} <= set(rows)
    with av.open("out/net__clip.mp4") as container:
        assert len(list(container.decode(video=0))) == 4
    done = run("net.tflite", "clip.mp4", "--every", 2, "--json", networks={"net.tflite": detector()})
    assert [(line["frame"], len(line["detections"])) for line in done.lines] == [(1, 0), (3, 2)]
    done = run("net.tflite", "clip.mp4", "--frames", 2, "--coco", "found.json", networks={"net.tflite": detector()})
    entries = json.loads(Path("found.json").read_text(encoding="utf-8"))
    assert "2 frames" in done.out and [e["image_id"] for e in entries] == [2]
    done = run("net.tflite", "clip.mp4", networks={"net.tflite": classifier()})
    assert " ".join(done.out.split()).count("1 4 41.7% 41.7%") == 1


# --- errors ---


def test_other_pictures_are_processed_after_a_bad_picture(run: Run, tmp_path: Path) -> None:
    folder = tmp_path / "photos"
    folder.mkdir()
    picture(folder / "a.png", 1)
    (folder / "b.jpg").write_bytes(b"")
    (folder / "c.jpg").write_text("no picture", encoding="utf-8")
    PilImage.effect_noise((300, 200), 50).save(folder / "d.jpg")
    (folder / "d.jpg").write_bytes((folder / "d.jpg").read_bytes()[:2000])
    picture(folder / "e.png", 2)
    (folder / "notes.txt").write_text("nothing", encoding="utf-8")
    done = run("net.tflite", "photos", "clip.mp4", networks={"net.tflite": detector()})
    assert done.code == 2 and done.err == "n6post run: no such picture: clip.mp4\n"
    (tmp_path / "clip.mp4").write_text("no video", encoding="utf-8")
    done = run("net.tflite", "photos", "clip.mp4", "--json", networks={"net.tflite": detector()})
    assert done.code == 1 and [len(line["detections"]) for line in done.lines] == [1, 2]
    assert done.err.splitlines()[:3] == [
        "n6post run: clip.mp4: not a video that can be read",
        "n6post run: photos/b.jpg: an empty file",
        "n6post run: photos/c.jpg: not a picture that can be read",
    ]
    assert done.err.splitlines()[3].startswith("n6post run: photos/d.jpg: cannot be read: ")


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["absent.tflite", "a.png"], "no such file: absent.tflite"),
        (["a.png", "a.png"], "a.png: neither a .tflite nor an .onnx model"),
        (["broken.tflite", "a.png"], "broken.tflite: LiteRT cannot run it"),
        (["net.tflite", "absent.png"], "no such picture: absent.png"),
        (["net.tflite", "empty"], "no pictures in empty: expected files that end in .bmp"),
        (["net.tflite"], "the following arguments are required"),
        (["net.tflite", "a.png", "--every", "0"], "--every: expected 1 or more"),
        (["net.tflite", "a.png", "--fit", "zoom"], "invalid choice: 'zoom'"),
        (["net.tflite", "a.png", "--coco-images", "a.png"], "--coco-images needs --coco"),
        (["net.tflite", "a.png", "--coco", "x.json", "--compare", "net.tflite"], "exclude each other"),
        (["net.tflite", "a.png", "--compare", "absent.tflite"], "no such file: absent.tflite"),
        (["net.tflite", "a.png", "--threshold", "7"], "net.tflite: threshold: expected"),
        (["net.tflite", "a.png", "--truth", "absent.json"], "absent.json cannot be read"),
        (["net.tflite", "a.png", "--truth", "broken.tflite"], "expected annotations in COCO's format"),
        (["net.tflite", "a.png", "--truth", "images.json"], "whose objects have image_id, category_id and bbox"),
        (["net.tflite", "a.png", "--truth", "words.json"], "whose objects have image_id, category_id and bbox"),
        (["net.tflite", "a.png", "--out", "a.png"], "a.png cannot be the folder of the pictures: a file"),
        (["net.tflite", "a.png", "--coco", "empty"], "empty cannot be written"),
        (["net.tflite", "a.png", "--coco", "x.json", "--coco-images", "broken.tflite"], "expected annotations in COCO's"),
    ],
)
def test_wrong_arguments_are_reported_in_one_line(run: Run, tmp_path: Path, arguments: list[str], message: str) -> None:
    if "broken.tflite" in arguments[0]:
        pytest.importorskip("ai_edge_litert")
    (tmp_path / "empty").mkdir()
    (tmp_path / "broken.tflite").write_bytes(b"\x20\0\0\0TFL3" + bytes(30))
    (tmp_path / "images.json").write_text('{"images": [{"id": 1, "file_name": "a.png"}]}', encoding="utf-8")
    box = {"image_id": 1, "category_id": 1, "bbox": ["a", 1, 2, 3]}
    words = {"images": [{"id": 1, "file_name": "a.png"}], "annotations": [box]}
    (tmp_path / "words.json").write_text(json.dumps(words), encoding="utf-8")
    picture(tmp_path / "a.png", 1)
    # Replace only net.tflite by a fake network; other files are really opened.
    networks = {"net.tflite": detector()} if arguments[0] == "net.tflite" else None
    done = run(*arguments, networks=networks)
    assert done.code == 2 and message in done.err and not done.out
    assert "Traceback" not in done.err and sum("n6post run: " in line for line in done.err.splitlines()) == 1


def test_the_error_names_an_option_that_the_family_lacks(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    done = run("net.tflite", "a.png", "--max-detections", 3, networks={"net.tflite": classifier()})
    assert done.code == 2
    assert done.err.startswith("n6post run: net.tflite: DeepLab has no option 'max_detections': expected background, ")


def test_an_input_that_is_not_a_picture_is_refused_with_its_shape(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    network = Network(boxes(), shape=(1, 64))
    done = run("net.tflite", "a.png", "--processor", "YoloV8", networks={"net.tflite": network})
    assert done.code == 2 and done.err == (
        "n6post run: net.tflite: expected an input [1, H, W, 3] or [1, H, W, 1], got [1, 64]\n")  # fmt: skip


def test_channels_first_is_refused_with_the_way_to_export(run: Run, tmp_path: Path) -> None:
    """Ultralytics' LiteRT exports have such an input."""
    picture(tmp_path / "a.png")
    done = run("net.tflite", "a.png", networks={"net.tflite": Network(boxes(), shape=(1, 3, 64, 64))})
    finding = "net.tflite: input 0: its shape is (1, 3, 64, 64), channels first, and the firmware fills [1, H, W, channels]"
    assert done.code == 2 and finding in done.err
    assert "format='edgetpu'" in done.err and "_float32.tflite beside it" in done.err
    assert done.err.count("\n") == 1 and "docs/troubleshooting.md#channels-first" in done.err


def test_box_units_override_the_detected_units(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png", size=(64, 64))
    normalized = [float_head((SIDE, SIDE), CLASSES, [PERSON, CAR], pixels=False)]
    rects = []
    for units in ([], ["--box-units", "normalized"], ["--box-units", "pixels"]):
        done = run("net.tflite", "a.png", "--json", *units, networks={"net.tflite": Network(normalized)})
        rects.append([tuple(d["rect"]) for d in done.lines[0]["detections"]])
    assert rects[0] == rects[1] == [(8, 8, 16, 32), (30, 16, 30, 24)]
    assert not [rect for rect in rects[2] if max(rect[2:]) > 1]
    finding = "n6post run: net.tflite: output 0: all boxes above the threshold are smaller than 2 pixels of the input"
    assert done.code == 1 and done.err.startswith(finding)
    assert "box_units='normalized' (docs/troubleshooting.md#tiny-boxes)" in done.err and done.err.count("\n") == 1


def test_box_units_do_not_apply_to_the_other_model_of_compare(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 2)
    normalized = [float_head((SIDE, SIDE), CLASSES, [PERSON, CAR], pixels=False)]
    networks = {"net.tflite": detector(), "float.tflite": Network(normalized)}
    done = run("net.tflite", "a.png", "--compare", "float.tflite", "--box-units", "pixels", networks=networks)
    assert done.code == 0 and not done.err
    done = run("float.tflite", "a.png", "--compare", "net.tflite", "--box-units", "pixels", networks=networks)
    assert done.code == 1 and "n6post run: float.tflite: output 0: all boxes" in done.err


def test_a_network_of_an_unknown_family_is_an_error(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    done = run("net.tflite", "a.png", networks={"net.tflite": Network([np.zeros((1, 300, 25), dtype=np.float32)])})
    assert done.code == 2 and done.err.startswith("n6post run: net.tflite: no family of n6post decodes DETR, RT-DETR")


def test_results_that_are_no_objects_are_shown_and_printed(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png")
    classes = {"net.tflite": Network([np.float32([[0.1, 0.7, 0.2]])])}
    assert re.search(r"a\.png +1 +0\.70", run("net.tflite", "a.png", networks=classes).out)
    line = json.loads(run("net.tflite", "a.png", "--json", networks=classes).out)
    assert [one["score"] for one in line["classes"]] == [0.7, 0.2, 0.1]
    vector = {"net.tflite": Network([np.eye(1, 128, dtype=np.float32)])}
    assert "128 numbers" in run("net.tflite", "a.png", networks=vector).out
    assert sum(json.loads(run("net.tflite", "a.png", "--json", networks=vector).out)["vector"]) == 1
    distances = {"net.tflite": Network([np.linspace(1, 4, 64 * 64, dtype=np.float32).reshape(1, 64, 64, 1)])}
    arguments = "net.tflite", "a.png", "--processor", "Depth", "--fit", "stretch"
    assert "1 to 4" in run(*arguments, networks=distances).out
    assert json.loads(run(*arguments, "--json", networks=distances).out)["maximum"] == 4
    for networks, extra in ((classes, "--coco"), (vector, "--coco"), (distances, "--truth")):
        (tmp_path / "truth.json").write_text('{"images": [], "annotations": []}', encoding="utf-8")
        family = ("--processor", "Depth") if networks is distances else ()
        assert run("net.tflite", "a.png", extra, "truth.json", *family, networks=networks).code == 2
    assert run("net.tflite", "a.png", "--compare", "net.tflite", networks=vector).code == 2


# --- comparing ---


def test_two_models_are_compared_in_a_table_in_json_and_in_pictures(run: Run, tmp_path: Path) -> None:
    names = [str(picture(tmp_path / f"{n}.png", n)) for n in range(3)]
    moved = Thing(9, (32, 16, 62, 40), {2: 0.65})
    networks = {"int8.tflite": detector(), "float.tflite": Network(boxes(CAR), boxes(PERSON), boxes(PERSON, moved))}
    done = run("int8.tflite", *names, "--compare", "float.tflite", "--out", "both", networks=networks)
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    assert {"MODEL int8.tflite", "OTHER float.tflite", "3 pictures", "found by both 3 of 3 and 4",
            "only by MODEL 0", "only by OTHER 1 car 0.75 in 0.png"} <= set(rows)  # fmt: skip
    # One of the cars, 60 pixels wide, is shifted by 4 pixels: 56 / 64.
    assert "IoU of their boxes 0.96 lowest 0.88: car in 2.png" in rows
    assert "scores, MODEL - OTHER +0.03 absolute: mean 0.03, maximum 0.10" in rows
    assert "Verdict: they are close: 75% found by both, IoU of boxes 0.96." in rows
    assert done.code == 0 and not done.err
    with PilImage.open("both/int8__float__0.png") as png:
        assert png.size == (256, 96)
    done = run("int8.tflite", *names, "--compare", "float.tflite", "--json", networks=networks)
    assert [len(line["both"]) for line in done.lines[:3]] == [0, 1, 2] and done.lines[0]["only_other"][0]["label"] == "car"
    summary = done.lines[3]
    assert (summary["model"], summary["other"]) == ("int8.tflite", "float.tflite") and summary["agree"] is True
    assert summary["box_iou"] == {"mean": round((1 + 1 + 56 / 64) / 3, 3), "least": 0.875}


def test_detections_below_the_threshold_of_one_model_are_reported(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 2)
    weak, weaker = CAR._replace(scores={2: 0.3125}), PERSON._replace(scores={0: 0.125})  # the threshold is .4
    networks = {"int8.tflite": Network(boxes(weaker, weak)), "float.tflite": detector()}
    done = run("int8.tflite", "a.png", "--compare", "float.tflite", "--json", networks=networks)
    person, car = done.lines[0]["only_other"]
    assert person["label"] == "person" and "score_by_other" not in person
    assert car["label"] == "car" and car["score"] == 0.75 and car["score_by_other"] == 0.312
    assert done.lines[1]["below_threshold"] == [0, 1]
    done = run("int8.tflite", "a.png", "--compare", "float.tflite", networks=networks)
    assert "only by OTHER 2 person 0.88 in a.png, car 0.75 in a.png 1 of these MODEL finds below its threshold" in (
        " ".join(done.out.split()))  # fmt: skip


def test_models_that_differ_are_a_finding(run: Run, tmp_path: Path) -> None:
    picture(tmp_path / "a.png", 2)
    networks = {"one.tflite": detector(), "other.tflite": Network(boxes())}
    done = run("one.tflite", "a.png", "--compare", "other.tflite", networks=networks)
    assert done.code == 1 and "Verdict: they differ: 0% found by both." in done.out
    networks = {"one.tflite": classifier(), "other.tflite": classifier(shift=4)}
    done = run("one.tflite", "a.png", "--compare", "other.tflite", networks=networks)
    assert done.code == 1 and "Verdict: they differ: 66.7% of the pixels have the same class." in done.out
    networks = {"one.tflite": classifier(), "other.tflite": detector()}
    done = run("one.tflite", "a.png", "--compare", "other.tflite", networks=networks)
    assert done.code == 2 and "nothing to compare" in done.err


# --- average precision ---


def truth(path: Path, *objects: tuple[int, str, list[int]], scenes: int = 3) -> str:
    """Write annotations of 0.png, 1.png, ... from the (picture, label, box) of each object. Returns the file's name."""
    names = {"person": 5, "car": 9}
    annotations = {
        "images": [{"id": 70 + n, "file_name": f"{n}.png"} for n in range(scenes)],
        "categories": [{"id": number, "name": name} for name, number in names.items()],
        "annotations": [{"image_id": 70 + n, "category_id": names[label], "bbox": box} for n, label, box in objects],
    }
    path.write_text(json.dumps(annotations), encoding="utf-8")
    return path.name


PERSON_AT, CAR_AT = [16, 0, 32, 64], [60, 16, 60, 48]  # in the pictures, between the bars of a letterbox


def test_ap_is_evaluated_against_cocos_annotations(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    names = [str(picture(tmp_path / f"{n}.png", n)) for n in range(3)]
    file = truth(tmp_path / "gt.json", (1, "person", PERSON_AT), (2, "person", PERSON_AT), (2, "car", CAR_AT))
    done = run("net.tflite", *names, "--truth", file, networks={"net.tflite": detector()})
    assert done.code == 0 and not done.err
    assert "AP of boxes 1.000; AP50 1.000, AP75 1.000" in done.out.splitlines()
    # One car is missed. The box of the person has an IoU of .5, which counts at one of the ten thresholds.
    file = truth(tmp_path / "gt.json", (1, "person", [16, 0, 32, 32]), (2, "car", CAR_AT), (1, "car", [0, 0, 9, 9]))
    done = run("net.tflite", *names[:2], "--truth", file, "--json", networks={"net.tflite": detector()})
    figures = done.lines[-1]["average_precision"]
    assert figures == {"boxes": {"AP": 0.05, "AP50": 0.5, "AP75": 0.0}}  # persons .1, cars 0; picture 2 is not evaluated


def test_ap_counts_scores_below_the_threshold(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    picture(tmp_path / "0.png", 0)
    file = truth(tmp_path / "gt.json", (0, "car", CAR_AT), scenes=1)
    networks = {"net.tflite": Network(boxes(CAR._replace(scores={2: 0.02})))}
    done = run("net.tflite", "0.png", "--truth", file, "--json", networks=networks)
    assert done.lines[0]["detections"] == [] and done.lines[1]["average_precision"]["boxes"]["AP"] == 1.0


def test_pictures_or_labels_missing_in_the_truth_are_findings(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    picture(tmp_path / "0.png", 2)
    picture(tmp_path / "other.png", 2)
    (tmp_path / "net.txt").write_text("\n".join(["who", *(f"thing {n}" for n in range(79))]), encoding="utf-8")
    file = truth(tmp_path / "gt.json", (0, "car", CAR_AT))
    done = run("net.tflite", "0.png", "other.png", "--truth", file, networks={"net.tflite": detector()})
    assert done.code == 1 and "AP of boxes 0.000" in done.out
    assert "other.png: no image of this name in gt.json\n" in done.err
    missing = "gt.json: no category is called thing 1, who: net.tflite's objects with this label are not evaluated\n"
    assert missing in done.err
    done = run("net.tflite", "other.png", "--truth", file, networks={"net.tflite": detector()})
    assert done.code == 1 and "AP" not in done.out
    (tmp_path / "net.txt").unlink()
    done = run("net.tflite", "0.png", "--truth", file, networks={"net.tflite": classifier()})
    assert done.code == 2 and "net.tflite returns a class for every pixel" in done.err


def test_a_comparison_with_truth_includes_the_ap_of_both_models(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("pycocotools")
    names = [str(picture(tmp_path / f"{n}.png", n)) for n in range(3)]
    file = truth(tmp_path / "gt.json", (1, "person", PERSON_AT), (2, "person", PERSON_AT), (2, "car", CAR_AT))
    # The car is shifted by 8 of 60 pixels: at an IoU of 52 / 68, it is the same object for the comparison, but not for AP80.
    moved = CAR._replace(box=(34, 16, 64, 40))
    networks = {"int8.tflite": Network(boxes(), boxes(PERSON), boxes(PERSON, moved)), "float.tflite": detector()}
    # The float model has no labels, so it gets those of the int8 model.
    labels = [class_name(n, CLASSES) for n in range(CLASSES)]
    labels[:3:2] = ["human", "auto"]
    (tmp_path / "int8.txt").write_text("\n".join(labels), encoding="utf-8")
    annotations = json.loads((tmp_path / file).read_text(encoding="utf-8"))
    annotations["categories"] = [{"id": 5, "name": "Human"}, {"id": 9, "name": "Auto"}]
    (tmp_path / file).write_text(json.dumps(annotations), encoding="utf-8")
    done = run("int8.tflite", *names, "--compare", "float.tflite", "--truth", file, networks=networks)
    rows = [" ".join(line.split()) for line in done.out.splitlines()]
    assert "AP of boxes 0.800 and 1.000 (-0.200); AP50 1.000 and 1.000" in rows  # cars .6, persons 1
    assert done.code == 1 and not done.err
    verdict = "Verdict: they differ: 100% found by both, IoU of boxes 0.92, AP of boxes 0.800 and 1.000."
    assert verdict in " ".join(rows)


def test_an_int8_model_that_lost_a_fifth_of_its_ap_differs(shared: Path) -> None:
    """By pycocotools, its AP of boxes on all hundred pictures is .540, and that of the float model is .670."""
    pytest.importorskip("ai_edge_litert")
    pytest.importorskip("pycocotools")
    fruit = shared / "models" / "fruit"
    pictures = sorted((fruit / "test").glob("*.jpg"))[:20]
    options = ["--compare", fruit / "fruit_float.tflite", "--truth", fruit / "gt_test.json"]
    done = script("run_model.py", fruit / "fruit.tflite", *pictures, *options)
    text = " ".join(done.stdout.split())
    assert done.returncode == 1 and not done.stderr
    assert "Verdict: they differ: 98% found by both, IoU of boxes 0.85, masks 0.91, AP of boxes 0.5" in text
    assert "box step of MODEL 3.4 pixels of its input, 10.2 pixels of the pictures" in text
    assert "/optimize_model.py` removes it; refit_boxes=True, here --refit-boxes, avoids most of it." in text
    refitted = script("run_model.py", fruit / "fruit.tflite", *pictures, *options, "--refit-boxes")
    text = " ".join(refitted.stdout.split())
    assert "AP of boxes 0.65" in text and "box step" not in text


def test_a_run_leaves_no_pictures_in_the_stand_in_camera(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csi, "_host_last_frame", None)  # an earlier test of this process may have left one
    picture(tmp_path / "a.png", 1)
    run("net.tflite", "a.png", "--fit", "crop", networks={"net.tflite": detector()})
    assert csi._host_pictures == [] and csi._host_last_frame is None


def test_exact_gives_the_scores_of_the_firmware() -> None:
    """Those of host_tests/data/firmware_shapes.npz.xz, which the emulated firmware printed: .944 instead of .917."""
    pytest.importorskip("ai_edge_litert")
    picture = paths.SAMPLE_PICTURES / "shapes_06.jpg"
    scores = []
    for options in ((), ("--exact",)):
        done = script("run_model.py", paths.SAMPLE_MODEL, picture, "--json", "--masks", "none", *options)
        assert done.returncode == 0, done.stderr
        scores.append(json.loads(done.stdout)["detections"][0]["score"])
    assert scores == [pytest.approx(0.917, abs=0.001), pytest.approx(0.944, abs=0.001)]
