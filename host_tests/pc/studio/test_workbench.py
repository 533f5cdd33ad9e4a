"""scripts/n6post_pc/studio/workbench.py: what the page shows equals what n6post finds without the page."""

from __future__ import annotations

import base64
import io
import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import csi
import fake_vela
import ml
import model_files
import n6post
import numpy as np
import pytest
from commands import script as run_script
from n6post_pc import paths
from n6post_pc.command import UserError
from n6post_pc.models import vela
from n6post_pc.studio import looks, workbench
from n6post_pc.studio.workbench import Request, UnclearError, Workbench
from PIL import Image

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

PICTURE = paths.SAMPLE_PICTURES / "shapes_06.jpg"


@pytest.fixture
def bench(tmp_path: Path) -> Workbench:
    made = Workbench(tmp_path / "studio")
    made.add_model(paths.SAMPLE_MODEL)
    made.add_source(PICTURE)
    return made


def request(bench: Workbench, **values: Any) -> Request:
    return Request(**{"model": next(iter(bench.models)), "picture": next(iter(bench.sources)), **values})


def expected(options: dict[str, Any], fit: str = "Letterbox", size: int = csi.VGA, path: Path = paths.SAMPLE_MODEL) -> Any:
    """(frame, detections) of a camera script, without the page."""
    csi._host_pictures = [PICTURE]
    cam = csi.CSI()
    cam.reset()
    cam.pixformat(csi.RGB565)
    cam.framesize(size)
    frame = cam.snapshot()
    csi._host_pictures, csi._host_last_frame = [], None
    return frame, n6post.load(str(path), **options).predict([getattr(n6post, fit)(frame)])


def strange_model(path: Path) -> None:
    """A model whose output belongs to no family."""
    from onnx import TensorProto, helper, save

    shape = helper.make_tensor("shape", TensorProto.INT64, [5], [1, 2, 8, 8, 24])
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
            for name, dims in (("in", [1, 32, 32, 3]), ("out", [1, 2, 8, 8, 24]))]  # fmt: skip
    graph = helper.make_graph([helper.make_node("Reshape", ["in", "shape"], ["out"])], "net", ends[:1], ends[1:], [shape])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))


def save_float_onnx(path: Path) -> None:
    """A model with one convolution in float."""
    from onnx import TensorProto, helper, save

    weights = helper.make_tensor("weights", TensorProto.FLOAT, [1, 3, 1, 1], [1.0, 2.0, 3.0])
    ends = [helper.make_tensor_value_info(name, TensorProto.FLOAT, dims)
            for name, dims in (("in", [1, 3, 8, 8]), ("out", [1, 1, 8, 8]))]  # fmt: skip
    graph = helper.make_graph([helper.make_node("Conv", ["in", "weights"], ["out"])], "net", ends[:1], ends[1:], [weights])
    save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), str(path))


def rows_of(detections: Any) -> list[list[str]]:
    return [[d.label, f"{d.score:.2f}", str(d.rect), f"{d.mask.area} pixels"] for d in detections]


@pytest.mark.parametrize(
    "options, fit, size",
    [({}, "letterbox", "VGA"), ({"threshold": 0.2, "classes": ["square"]}, "letterbox", "VGA"), ({}, "crop", "QVGA"),
     ({"iou_threshold": 0.9, "mask_overlap": None, "refit_boxes": True}, "stretch", "HD")],
)  # fmt: skip
def test_a_look_finds_what_a_camera_script_finds(
    bench: Workbench, options: dict[str, Any], fit: str, size: str
) -> None:
    frame, detections = expected(options, fit.capitalize(), getattr(csi, size))
    found = bench.look(request(bench, options=options, fit=fit, frame_size=size))
    assert found["rows"] == rows_of(detections) and len(detections) > 0
    n6post.draw(frame, detections)
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(found["picture"].partition(",")[2]))))
    assert np.array_equal(shown, np.asarray(frame.to_pil())) and shown.shape == (found["height"], found["width"], 3)


def test_another_threshold_does_not_run_the_network_again(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    detections = expected({"threshold": 0.3})[1]
    bench.look(request(bench))
    monkeypatch.setattr(ml.Model, "predict", None)
    assert bench.look(request(bench, options={"threshold": 0.3}))["rows"] == rows_of(detections)
    with pytest.raises(TypeError):
        bench.look(request(bench, fit="crop"))  # another input


def test_the_ticks_are_the_scores_that_a_low_threshold_finds(bench: Workbench) -> None:
    everything = expected({"threshold": looks.LOWEST, "max_detections": 100, "classes": ["square", "star"]})[1]
    ticks = bench.look(request(bench, options={"threshold": 0.9, "classes": ["square", "star"]}))["ticks"]
    assert ticks == [(float(d.score), d.label, list(d.rect)) for d in everything] and len(ticks) > 3


def test_the_printed_lines_are_those_of_the_script(bench: Workbench, tmp_path: Path) -> None:
    found = bench.look(request(bench, options={"threshold": 0.35, "classes": ["triangle", "square"]}))
    file = tmp_path / "copied.py"
    file.write_text(found["script"], encoding="utf-8")
    words = found["command"].replace("script.py", str(file)).split()[1:]
    done = run_script(Path(words[0]).name, *words[1:], "--out", tmp_path / "out.png")
    assert done.returncode == 0 and done.stdout.splitlines() == found["printed"] and len(found["printed"]) == 5, done.stderr


def test_a_finding_of_the_file_stands_beside_those_of_the_frame(bench: Workbench) -> None:
    names = [finding["text"].partition(":")[0] for finding in bench.look(request(bench))["findings"]]
    assert names == ["box step", "optimize"]


def figures(bench: Workbench, model: str) -> tuple[dict[str, str], bool]:
    shown = bench.look(request(bench, model=model))["figures"]
    return dict(shown["rows"]), shown["ask"]


def test_the_figures_are_those_of_inspect_and_of_the_model_that_is_shown(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("N6POST_CACHE", str(tmp_path / "empty"))
    first = next(iter(bench.models))
    optimized, onnx = bench.optimize(first).id, tmp_path / "net.onnx"
    seen = set()
    for model in (first, optimized):
        described = json.loads(run_script("inspect_model.py", bench.models[model].path, "--json").stdout)["n6"]
        least, most = (size / 2**20 for size in described["activations"])
        on_cpu = sum(one["number"] for one in described["on_cpu"])
        rows, asks = figures(bench, model)
        assert rows["N6"].startswith(f"an estimate: activations need {least:.2f} to {most:.2f} MiB, the NPU has 1.75 MiB")
        assert f"; {on_cpu} of " in rows["N6"] and not asks
        assert rows["AE3"].startswith("n6post inspect FILE --npu u55 installs")
        seen.add(rows["N6"])
    assert len(seen) == 2
    save_float_onnx(onnx)
    unknown = bench.look(request(bench, model=bench.add_model(onnx).id, family="Depth"))["figures"]
    assert unknown == {"rows": [], "sources": "", "ask": False}


def test_arms_compiler_is_asked_once_and_only_if_it_is_installed(
    bench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("N6POST_CACHE", str(tmp_path / "empty"))
    (model,) = bench.models
    bench.ask_vela(model)
    assert "AE3" in figures(bench, model)[0] and not (tmp_path / "empty").exists()
    asked = fake_vela.install(tmp_path / "cache", monkeypatch)
    assert figures(bench, model) == ({"N6": figures(bench, model)[0]["N6"]}, True)
    bench.ask_vela(model)
    rows, asks = figures(bench, model)
    assert not asks and rows["AE3"].startswith("by Vela 5.2.0: 2 of 3 ") and rows["AE3"].endswith("13.0 ms on the NPU")
    asked.unlink()
    bench.ask_vela(model)
    assert not asked.exists()
    vela.compiler().unlink()
    other = bench.add_model(paths.SAMPLE_MODEL.with_name("shapes_float.tflite")).id
    bench.ask_vela(other)
    rows, asks = figures(bench, other)
    assert not asks and rows["AE3"].startswith("Vela does not run: ")


def test_the_float_original_beside_a_model_is_found_by_its_name(bench: Workbench) -> None:
    (model,) = bench.models.values()
    bench.add_siblings(model)
    int8, floats = bench.state()["models"]
    assert (int8["name"], floats["name"]) == ("shapes.tflite", "shapes_float.tflite")
    assert int8["variants"] == floats["variants"] == {"int8": int8["id"], "float": floats["id"]}
    assert (int8["numbers"], floats["numbers"]) == ("int8", "float")
    assert int8["optimizable"] and not floats["optimizable"]


@pytest.mark.parametrize(
    "name, base",
    [("best_float32.tflite", "best"), ("best_full_integer_quant.tflite", "best"), ("best_int8.tflite", "best"),
     ("net-fp16.onnx", "net"), ("fruit.tflite", "fruit"), ("quantum.tflite", "quantum"), ("Best.onnx", "best"),
     ("yolov8n_320_quant_pc.tflite", "yolov8n_320_pc")],
)  # fmt: skip
def test_files_of_one_network_have_the_same_base_name(name: str, base: str) -> None:
    assert workbench.base_name(Path(name)) == base


def test_int8_or_float_is_read_from_the_file_and_not_from_its_name(tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "studio")
    names = {"best.tflite": "shapes_float.tflite", "best_float.tflite": "shapes.tflite"}
    for name, source in names.items():
        shutil.copy(paths.SAMPLE_MODEL.with_name(source), tmp_path / name)
        bench.add_model(tmp_path / name)
    assert [model.numbers for model in bench.models.values()] == ["float", "int8"]
    save_float_onnx(tmp_path / "net.onnx")
    assert bench.add_model(tmp_path / "net.onnx").numbers == "float"


def test_a_switch_leads_back_to_the_file_that_it_came_from(tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "studio")
    for name in ("best.tflite", "best_int8.tflite", "best_float32.tflite"):
        source = "shapes_float.tflite" if "float" in name else "shapes.tflite"
        shutil.copy(paths.SAMPLE_MODEL.with_name(source), tmp_path / name)
    bench.add_siblings(bench.add_model(tmp_path / "best.tflite"))
    described = {model["name"]: model for model in bench.state()["models"]}
    first, second, floats = (described[name]["id"] for name in ("best.tflite", "best_int8.tflite", "best_float32.tflite"))
    assert described["best.tflite"]["variants"] == {"int8": first, "float": floats}
    assert described["best_int8.tflite"]["variants"] == {"int8": second, "float": floats}
    assert described["best_float32.tflite"]["variants"] == {"int8": first, "float": floats}


def test_a_float_file_without_labels_gets_those_of_its_network(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    for name in (".tflite", ".txt", "_float.tflite"):
        shutil.copy(paths.SAMPLE_MODEL.with_name(f"shapes{name}"), folder / f"net{name}")
    bench = Workbench(tmp_path / "studio")
    bench.add_siblings(bench.add_model(folder / "net.tflite"))
    bench.add_source(PICTURE)
    _, floats = bench.models.values()
    found = bench.look(request(bench, model=floats.id, options={"classes": ["star"]}))
    assert {row[0] for row in found["rows"]} == {"star"}
    assert not (folder / "net_float.txt").exists()


# ---- what is kept ----


def test_each_frame_of_a_video_has_its_own_results(bench: Workbench, tmp_path: Path) -> None:
    """Also after another one was looked at, and at another frame size."""
    import av

    pictures = sorted(paths.SAMPLE_PICTURES.glob("*.jpg"))[:3]
    with av.open(str(tmp_path / "film.mp4"), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 640, 480, "yuv420p"
        stream.bit_rate = 8_000_000
        for path in pictures:
            frame = Image.open(path).convert("RGB").resize((640, 480))
            for packet in stream.encode(av.VideoFrame.from_image(frame)):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    key = bench.add_source(tmp_path / "film.mp4")
    seen = {}
    for number in (0, 1, 2, 1, 0):
        for size in ("VGA", "QVGA"):
            found = bench.look(request(bench, picture=key, number=number, frame_size=size))
            shown = found["rows"], found["picture"]
            assert seen.setdefault((number, size), shown) == shown
    assert len({str(rows) for rows, _ in seen.values()}) == 6


def test_a_kept_output_is_not_changed_by_the_next_picture(bench: Workbench) -> None:
    other = bench.add_source(paths.SAMPLE_PICTURES / "shapes_07.jpg")
    first = bench.look(request(bench))
    assert bench.look(request(bench, picture=other))["rows"] != first["rows"]
    assert bench.look(request(bench, options={"threshold": 0.41}))["rows"] == first["rows"]


def test_a_model_that_was_exported_again_is_read_again(bench: Workbench, tmp_path: Path) -> None:
    path = tmp_path / "mine.tflite"
    path.write_bytes(paths.SAMPLE_MODEL.with_name("shapes_float.tflite").read_bytes())
    model = bench.add_model(path)
    before = bench.look(request(bench, model=model.id))
    path.write_bytes(paths.SAMPLE_MODEL.read_bytes())
    os.utime(path, ns=(1, model._written + 1_000_000))
    bench.models["old"] = workbench.ModelFile("old", paths.SAMPLE_MODEL, optimized_from=model.id)
    after = bench.look(request(bench, model=model.id))
    assert after["rows"] != before["rows"] and bench.models[model.id].numbers == "int8"
    assert "old" not in bench.models  # it was made of the old file
    path.unlink()
    with pytest.raises(UserError, match="mine.tflite: No such file"):
        bench.look(request(bench, model=model.id))
    assert len(bench.state()["models"]) == 2  # the page still works


def test_findings_are_those_of_the_chosen_options(bench: Workbench) -> None:
    def texts(**options: Any) -> str:
        return " ".join(finding["text"] for finding in bench.look(request(bench, options=options))["findings"])

    assert "all boxes above the threshold are smaller than 2" in texts(box_units="pixels")
    assert "smaller than 2" not in texts()


def test_exact_is_what_the_command_with_exact_prints(bench: Workbench, tmp_path: Path) -> None:
    plain, exact = bench.look(request(bench)), bench.look(request(bench, exact=True))
    assert [row[1] for row in plain["rows"]] == ["0.92", "0.86", "0.73", "0.66", "0.52"]
    assert [row[1] for row in exact["rows"]][:2] == ["0.94", "0.86"]  # as the emulated firmware prints
    assert bench.look(request(bench))["rows"] == plain["rows"]
    file = tmp_path / "copied.py"
    file.write_text(exact["script"], encoding="utf-8")
    words = shlex.split(exact["command"].replace("script.py", str(file)))[2:]
    assert words[-1] == "--exact"
    done = run_script("run_on_host.py", *words, "--out", tmp_path / "out.png")
    assert done.returncode == 0 and done.stdout.splitlines() == exact["printed"], done.stderr


def test_the_optimized_file_is_made_once_and_finds_the_same(bench: Workbench) -> None:
    first = next(iter(bench.models))
    new = bench.optimize(first)
    assert bench.optimize(first) is new and new.path.name == "shapes_optimized.tflite"
    assert "all 10 equal the original's tensors in every bit" in new.report and "the given picture" in new.report
    described = {model["id"]: model for model in bench.state()["models"]}
    assert described[first]["optimized"] == new.id and described[new.id]["optimized_from"] == first
    found = bench.look(request(bench, model=new.id))
    assert found["rows"] == rows_of(expected({}, path=new.path)[1])
    assert 'n6post.load("/rom/shapes_optimized.tflite")' in found["script"]
    assert not any("optimize" in finding["text"] for finding in found["findings"])


def test_removing_deletes_only_what_was_dropped_or_made(bench: Workbench, tmp_path: Path) -> None:
    first = next(iter(bench.models))
    made, dropped = bench.optimize(first), bench.drop("a.jpg", PICTURE.read_bytes())["picture"]
    bench.look(request(bench, picture=dropped))
    path = bench.source(dropped).path
    for key in (dropped, next(iter(bench.sources)), first):
        bench.remove(key)
    assert not (bench.models or bench.sources or bench._frames or bench._outputs) and path
    assert not path.exists() and not made.path.exists() and PICTURE.is_file() and paths.SAMPLE_MODEL.is_file()
    with pytest.raises(UserError, match="no longer on the page"):
        bench.remove(first)


def test_a_model_is_proven_on_the_newest_pictures(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that were dropped with it."""
    keys = [bench.drop(f"{number}.jpg", PICTURE.read_bytes())["picture"] for number in range(12)]
    asked: list[str] = []
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda command, **more: asked.extend(command) or run(command, **more))
    bench.optimize(next(iter(bench.models)))
    assert asked[asked.index("--pictures") + 1 :] == [str(bench.source(key).path) for key in keys]


@pytest.mark.parametrize("threshold, count", [(0.4, "5 found"), (0.9, "1 found"), (0.99, "Nothing found")])
def test_the_table_says_how_many_were_found(bench: Workbench, threshold: float, count: str) -> None:
    assert bench.look(request(bench, options={"threshold": threshold}))["count"] == count


def test_two_models_are_compared_in_a_sentence(bench: Workbench) -> None:
    floats = bench.add_model(paths.SAMPLE_MODEL.with_name("shapes_float.tflite"))
    left, right = request(bench), request(bench, model=floats.id)
    found = bench.compare(left, right)
    assert found["left"]["rows"] == bench.look(left)["rows"] and found["right"]["rows"] == bench.look(right)["rows"]
    # Five objects of the int8 file; the float file finds them and one more.
    assert (len(found["left"]["rows"]), len(found["right"]["rows"])) == (5, 6)
    assert found["agreement"].startswith("5 found by both, 0 only left, 1 only right. Mean IoU of their boxes: 0.8")
    nothing = {"options": {"threshold": 0.99}}
    assert bench.compare(request(bench, **nothing), request(bench, **nothing))["agreement"] == "Both find nothing."


# ---- dropped files ----


def test_dropped_labels_and_models_find_each_other_in_any_order(tmp_path: Path) -> None:
    data, labels = paths.SAMPLE_MODEL.read_bytes(), b"disc\ndelta\nblock\npentagram\n"
    for order in (("net.txt", "net.tflite"), ("net.tflite", "net.txt"), ("net.tflite", "other.txt")):
        bench = Workbench(tmp_path / "_".join(order))
        bench.add_source(PICTURE)
        for name in order:
            taken = bench.drop(name, labels if name.endswith(".txt") else data, model=next(iter(bench.models), ""))
        assert len(bench.models) == 1
        found = bench.look(request(bench))
        assert {row[0] for row in found["rows"]} == {"delta", "block", "pentagram"}, order
        assert taken.get("labels", taken.get("model")) == next(iter(bench.models))
        assert "net.tflite and net.txt" in found["script"]


def test_a_model_of_the_same_name_replaces_the_older_one(bench: Workbench) -> None:
    old = next(iter(bench.models))
    new = bench.drop("shapes.tflite", paths.SAMPLE_MODEL.read_bytes())["model"]
    assert list(bench.models) == [new] != [old]
    with pytest.raises(UserError, match="no longer on the page"):
        bench.look(request(bench, model=old))


def test_folders_in_a_dropped_name_are_ignored(bench: Workbench, tmp_path: Path) -> None:
    for name in ("../../evil.png", "..\\..\\evil.png", "/evil.png"):
        picture = bench.drop(name, PICTURE.read_bytes())["picture"]
        path = bench.source(picture).path
        assert path is not None and path.name == "evil.png" and path.is_relative_to(tmp_path / "studio")


@pytest.mark.parametrize(
    "name, data, message",
    [("photo.png", b"no picture", "photo.png: not a picture"), ("net.tflite", b"nothing", "net.tflite: "),
     ("best.pt", b"PK", "best.pt: .*export"), ("notes.md", b"", "notes.md: expected a model, its labels, a picture"),
     ("net.txt", b"\xff\xfe", "net.txt: expected labels as UTF-8"), ("clip.mp4", b"none", "clip.mp4: not a video"),
     ("x.tflite", model_files.for_st(), "x.tflite: .*compiled")],
)  # fmt: skip
def test_a_file_that_cannot_be_used_is_refused_by_name(
    bench: Workbench, name: str, data: bytes, message: str, tmp_path: Path
) -> None:
    before = bench.state()
    with pytest.raises(UserError, match=f"^{message}") as raised:
        bench.drop(name, data)
    assert str(tmp_path) not in str(raised.value)
    assert bench.state() == before and not list((tmp_path / "studio").glob("*/*"))


# ---- errors ----


@pytest.mark.parametrize(
    "values, message",
    [({"options": {"threshold": 2}}, "threshold: expected a number from 0.0 to 1.0, got 2"),
     ({"options": {"treshold": 0.5}}, "treshold"), ({"options": {"classes": ["dog"]}}, "dog"),
     ({"fit": "zoom"}, "fit: expected one of letterbox, crop, stretch, got 'zoom'"),
     ({"frame_size": "__init__"}, "frame size: expected one of QQVGA"), ({"family": "os"}, "post-processor: expected"),
     ({"options": [1]}, "options: expected"), ({"picture": "p99"}, "no longer"),
     ({"exact": 1}, "exact: expected true or false, got 1"),
     ({"number": "1"}, "number: expected the number of a frame, got '1'"),
     ({"model": "m99"}, "no longer on the page")],
)  # fmt: skip
def test_a_wrong_request_is_refused_with_what_was_expected(bench: Workbench, values: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        bench.look(request(bench, **values))
    assert bench.look(request(bench))["rows"]


def test_a_model_that_no_family_fits_asks_for_a_post_processor(bench: Workbench, tmp_path: Path) -> None:
    strange_model(tmp_path / "net.onnx")
    strange = bench.add_model(tmp_path / "net.onnx")
    with pytest.raises(UnclearError, match="expected the outputs of YoloV8 or"):
        bench.look(request(bench, model=strange.id))


def test_a_model_that_no_pc_can_run_is_refused_when_it_is_added(bench: Workbench, tmp_path: Path) -> None:
    for name, data in (("ethos.tflite", model_files.for_ethos()), ("st.tflite", model_files.for_st())):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(UserError, match="which a PC cannot run. Open the file that it was compiled from"):
            bench.add_model(tmp_path / name)


def test_labels_of_a_wrong_count_change_nothing(bench: Workbench, tmp_path: Path) -> None:
    before = bench.state()
    with pytest.raises(UserError, match="^shapes.txt: .*expected 4, one per class, got 2$") as raised:
        bench.drop("shapes.txt", b"one\ntwo\n", next(iter(bench.models)))
    assert str(tmp_path) not in str(raised.value) and bench.state() == before
    assert bench.look(request(bench))["rows"][0][0] == "triangle"


def test_labels_for_a_name_with_two_dots_are_found_as_on_a_camera(tmp_path: Path) -> None:
    bench = Workbench(tmp_path / "studio")
    bench.add_source(PICTURE)
    assert bench.drop("net.v2.txt", b"a\nb\nc\nd\n") == {"labels": ""}
    bench.drop("net.v2.tflite", paths.SAMPLE_MODEL.read_bytes())
    assert {row[0] for row in bench.look(request(bench))["rows"]} == {"b", "c", "d"}


def test_labels_of_a_network_go_to_the_file_of_it_that_is_shown(bench: Workbench) -> None:
    floats = bench.add_model(paths.SAMPLE_MODEL.with_name("shapes_float.tflite"))
    taken = bench.drop("shapes.txt", b"a\nb\nc\nd\n", floats.id)
    assert bench.models[taken["labels"]].path.name == "shapes_float.tflite"


def test_a_chosen_post_processor_is_in_the_script(bench: Workbench) -> None:
    found = bench.look(request(bench, family="YoloV8Seg", options={"threshold": 0.3}))
    assert 'n6post.load("/rom/shapes.tflite", processor=n6post.YoloV8Seg(threshold=0.3))' in found["script"]
    assert found["rows"] == rows_of(expected({"threshold": 0.3})[1])
    assert found["rows"][0][0] == "triangle"  # with the model's labels


def test_the_users_own_folder_stays_as_it_is(tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    shutil.copy(paths.SAMPLE_MODEL, folder / "net.tflite")
    bench = Workbench(tmp_path / "studio")
    model = bench.add_model(folder / "net.tflite")
    bench.add_source(PICTURE)
    bench.optimize(model.id)
    bench.drop("net.txt", b"a\nb\nc\nd\n", model.id)
    bench.look(request(bench))
    assert [path.name for path in folder.iterdir()] == ["net.tflite"]
