"""scripts/n6post_pc/studio/over_time.py: a frame of a video shows what a tracker says after all frames before it."""

from __future__ import annotations

import base64
import io
import shlex
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any

import _clock
import av
import csi
import ml
import n6post
import numpy as np
import pytest
from commands import script as run_script
from n6post_pc import paths
from n6post_pc.command import UserError
from n6post_pc.studio import over_time
from n6post_pc.studio.workbench import Request, Workbench
from PIL import Image

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

PICTURE = paths.SAMPLE_PICTURES / "shapes_06.jpg"
LINE, ZONE = [[330, 0], [330, 480]], [[60, 40], [300, 40], [300, 480], [60, 480]]
PLANE = {"plane": [[200, 100], [440, 100], [620, 470], [20, 470]], "meters": [6, 20.5]}
SCENE = {"size": [640, 480], "lines": [LINE], "zones": [ZONE], **PLANE}


def moving(path: Path, count: int = 14, rate: Fraction = Fraction(10), step: int = 20, of: Path = PICTURE) -> Path:
    """A video in which everything in a picture moves to the right."""
    picture = np.asarray(Image.open(of).convert("RGB").resize((640, 480)))
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=rate)
        stream.width, stream.height, stream.pix_fmt, stream.bit_rate = 640, 480, "yuv420p", 8_000_000
        for number in range(count):
            frame = av.VideoFrame.from_ndarray(np.roll(picture, step * number, axis=1), format="rgb24")
            for packet in stream.encode(frame):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


@pytest.fixture(scope="module")
def film(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return moving(tmp_path_factory.mktemp("film") / "film.mp4")


@pytest.fixture
def bench(tmp_path: Path, film: Path) -> Workbench:
    made = Workbench(tmp_path / "studio")
    made.add_model(paths.SAMPLE_MODEL)
    made.add_source(film)
    return made


def request(bench: Workbench, number: int, scene: Any = SCENE, **values: Any) -> Request:
    first = {"model": next(iter(bench.models)), "picture": list(bench.sources)[-1]}
    return Request(**{**first, "number": number, "scene": scene, **values})


def looked(bench: Workbench, asked: Request) -> dict[str, Any]:
    """The look once nothing is left to be tracked."""
    while "rows" not in (found := bench.look(asked)):
        pass
    return found


def tracked(film: Path, frames: int, threshold: float = 0.4, line: Any = LINE) -> tuple[Any, Any, Any, Any, Any]:
    """(frame, detections, line, zone, plane) by a Tracker of our own, without the page."""
    with av.open(str(film)) as container:
        csi._host_pictures = [one.to_ndarray(format="rgb24") for one in container.decode(video=0)][:frames]
    cam = csi.CSI()
    cam.reset()
    cam.pixformat(csi.RGB565)
    cam.framesize(csi.VGA)
    model, tracker = n6post.load(str(paths.SAMPLE_MODEL), threshold=0.1), n6post.Tracker(threshold=threshold)
    line, zone = n6post.LineZone(*line), n6post.PolygonZone(ZONE)
    plane = n6post.Plane(PLANE["plane"], [(0, 20.5), (6, 20.5), (6, 0), (0, 0)])
    for _ in range(frames):
        frame = cam.snapshot()
        detections = tracker.update(model.predict([n6post.Letterbox(frame)]), elapsed_ms=100)
        for one in (line.trigger, zone.trigger, plane.update):
            one(detections, elapsed_ms=100)
    csi._host_pictures, csi._host_last_frame = [], None
    return frame, detections, line, zone, plane


@pytest.mark.parametrize("number", [0, 1, 13])
def test_a_frame_shows_the_tracks_of_all_frames_before_it(bench: Workbench, film: Path, number: int) -> None:
    frame, detections, line, zone, plane = tracked(film, number + 1)
    found = looked(bench, request(bench, number))
    assert [row[:3] for row in found["rows"]] == [
        [f"#{d.track_id} {d.label}", f"{d.score:.2f}", str(d.rect)] for d in detections]  # fmt: skip
    assert [row[4] for row in found["rows"]] == [
        "" if plane.speed(d) is None else f"{plane.speed(d):.1f} km/h" for d in detections]  # fmt: skip
    assert found["count"] == (f"{len(detections)} found" if detections else "Nothing found")
    covered = 100 * zone.occupancy(detections)
    assert found["says"] == [f"line: in {line.in_count}, out {line.out_count}",
                             f"zone: {zone.current_count} inside, {covered:.0f} % covered"]  # fmt: skip
    for one in (line, zone, plane):
        n6post.draw(frame, one)
    n6post.draw(frame, detections, color_by="track")
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(found["picture"].partition(",")[2]))))
    assert np.array_equal(shown, np.asarray(frame.to_pil()))


def test_the_line_zone_and_plane_of_these_tests_count_something(film: Path) -> None:
    _, detections, line, zone, plane = tracked(film, 14)
    assert line.in_count + line.out_count >= 1 and zone.current_count >= 1
    assert len([d for d in detections if (plane.speed(d) or 0) > 1]) >= 2


def test_neither_going_back_nor_another_line_runs_the_network_again(
    bench: Workbench, film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked(bench, request(bench, 13))
    looked(bench, request(bench, 8))
    monkeypatch.setattr(ml.Model, "predict", None)  # frame 9 is kept now, too
    found = looked(bench, request(bench, 8, SCENE | {"lines": []}))
    assert [row[0] for row in found["rows"]] == [f"#{d.track_id} {d.label}" for d in tracked_ids(monkeypatch, film, 9)]
    assert len(found["says"]) == 1


def tracked_ids(monkeypatch: pytest.MonkeyPatch, film: Path, frames: int, threshold: float = 0.4) -> Any:
    monkeypatch.undo()
    return tracked(film, frames, threshold)[1]


def test_the_threshold_starts_tracks_and_lower_scores_continue_them(
    bench: Workbench, film: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked(bench, request(bench, 5))
    monkeypatch.setattr(ml.Model, "predict", None)
    found = looked(bench, request(bench, 5, options={"threshold": 0.8}))
    detections = tracked_ids(monkeypatch, film, 6, 0.8)
    assert [row[0] for row in found["rows"]] == [f"#{d.track_id} {d.label}" for d in detections] != []
    assert 'shapes.tflite", threshold=0.1)' in found["script"] and "n6post.Tracker(threshold=0.8)" in found["script"]


def test_a_long_way_says_how_far_it_is_and_another_frame_wins(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(over_time, "SECONDS", 0)
    answers = [bench.look(request(bench, 9)) for _ in range(3)]
    assert answers == [{"tracked": number, "frames": 10} for number in (1, 2, 3)]
    found = bench.look(request(bench, 2))
    assert found["command"].endswith("--frames 3")
    assert bench.look(request(bench, 9)) == {"tracked": 4, "frames": 10}  # and the work was not in vain
    both = bench.compare(request(bench, 4), request(bench, 9))
    assert (both["right"], both["agreement"]) == ({"tracked": 6, "frames": 10}, "")
    assert bench.look(request(bench, 10**9)) == {"tracked": 7, "frames": 14} and "rows" in bench.look(request(bench, -5))


def test_two_models_have_trackers_of_their_own(bench: Workbench) -> None:
    floats = bench.add_model(paths.SAMPLE_MODEL.with_name("shapes_float.tflite"))
    left, right = request(bench, 6), request(bench, 6, model=floats.id)
    expected = looked(bench, left), looked(bench, right)
    found = bench.compare(left, right)
    assert (found["left"], found["right"]) == expected and expected[0]["rows"] != expected[1]["rows"]
    assert "found by both" in found["agreement"]


# ---- the copied script ----


def ends_as_shown(bench: Workbench, found: dict[str, Any], folder: Path) -> None:
    """Run the command that the page shows: its last lines have to be those of the page."""
    file = folder / "copied.py"
    file.write_text(found["script"], encoding="utf-8")
    words = shlex.split(found["command"].replace("script.py", str(file)))[2:]
    done = run_script("run_on_host.py", *words, "--out", folder / "out.png")
    assert done.returncode == 0 and "not on a camera" not in done.stderr, done.stderr
    printed = found["printed"]
    assert done.stdout.splitlines()[-len(printed) :] == printed and printed
    shown = np.asarray(Image.open(io.BytesIO(base64.b64decode(found["picture"].partition(",")[2]))))
    assert np.array_equal(np.asarray(Image.open(folder / "out.png").convert("RGB")), shown)


@pytest.mark.parametrize("rate", [Fraction(10), Fraction(30000, 1001)], ids=str)
def test_the_command_prints_the_lines_of_the_page_last(bench: Workbench, tmp_path: Path, rate: Fraction) -> None:
    """Also where a frame takes no whole milliseconds, and several lines and zones read the clock."""
    bench.add_source(moving(tmp_path / "fast.mp4", 40, rate, 5))
    scene = SCENE | {"lines": [LINE, [[0, 300], [640, 200]]], "zones": [ZONE, [[400, 0], [640, 0], [640, 480]]]}
    found = looked(bench, request(bench, 38, scene))
    assert {"line 1", "line 2", "zone 1", "zone 2"} <= {line.partition(":")[0] for line in found["printed"]}
    assert any(line.endswith(" km/h") for line in found["printed"])
    ends_as_shown(bench, found, tmp_path)


@pytest.mark.parametrize("name", ["yolov8n_192.tflite", "yolov8n_256_quant_pc_uf_pose_coco-st.tflite"])
def test_a_detector_and_a_pose_network_print_so_too(shared: Path, tmp_path: Path, name: str) -> None:
    bench = Workbench(tmp_path / "studio")
    bench.add_model(shared / "models" / name)
    bench.add_source(moving(tmp_path / "bus.mp4", of=shared / "pictures" / "bus.jpg"))
    found = looked(bench, request(bench, 12))
    tracks = [line.partition(" ")[0] for line in found["printed"] if " at (" in line]
    assert tracks == [row[0].partition(" ")[0] for row in found["rows"]]
    assert len(found["rows"]) > 1 and ("keypoint" in found["printed"][0]) == ("pose" in name)
    ends_as_shown(bench, found, tmp_path)


def test_a_still_picture_is_seen_twice_as_on_the_host(bench: Workbench, tmp_path: Path) -> None:
    bench.add_source(PICTURE)
    found = looked(bench, request(bench, 0))
    assert found["rows"] and "--frames" not in found["command"]
    ends_as_shown(bench, found, tmp_path)


def test_the_clock_in_a_thread_is_that_of_the_hosts_script() -> None:
    def times(clock: _clock.VideoClock, read: list[int]) -> None:
        for _ in range(40):
            clock.next_frame(0)
            read += [clock.now_ns() for _ in range(5)]

    parts = [(40, Fraction(30000, 1001))]
    expected: list[int] = []
    read: list[int] = []
    times(_clock.VideoClock(parts), expected)
    thread = threading.Thread(target=times, args=(over_time._Clock(parts), read))
    thread.start()
    thread.join()
    assert read == expected


# ---- what was drawn ----


def test_what_was_drawn_stays_at_its_place_in_another_frame_size(bench: Workbench) -> None:
    """A picture of 4:3 is 960 pixels wide in a frame of 1280 x 720, between black bars."""
    scene = {"size": [640, 480], "lines": [[[0, 0], [320, 240]]], "meters": [2, 3]}
    shown = looked(bench, request(bench, 0, scene, frame_size="HD"))["scene"]
    assert (shown["size"], shown["lines"], shown["meters"]) == ((1280, 720), (((160, 0), (640, 360)),), (2, 3))
    scene = {"size": [1280, 720], "zones": [[[160, 0], [1120, 720], [640, 100]]]}
    assert looked(bench, request(bench, 0, scene, frame_size="QVGA"))["scene"]["zones"] == (((0, 0), (320, 240), (160, 33)),)


def test_a_camera_is_tracked_from_frame_to_frame(bench: Workbench) -> None:
    class Live:
        live, path, count, rate, name, picture_size = True, None, 1, None, "camera", (640, 480)

        def frame(self, number: int, size: str) -> Any:
            return bench.source("p2").frame(0, size)

    bench.sources["c1"] = Live()  # type: ignore[assignment]
    rows = [looked(bench, request(bench, 0, picture="c1"))["rows"] for _ in range(3)]
    assert rows[0] == [] and rows[1][0][0] == rows[2][0][0] == "#1 triangle"
    assert looked(bench, request(bench, 0, picture="c1", options={"threshold": 0.5}))["rows"] == []  # begins anew


def test_what_has_no_objects_is_shown_without_a_tracker(bench: Workbench, shared: Path) -> None:
    model = bench.add_model(shared / "models" / "deeplab_v3_mobilenetv2_05_16_320_fft_qdq_int8.onnx")
    found = bench.look(request(bench, 3, model=model.id))
    assert found == bench.look(request(bench, 3, None, model=model.id)) and not found["trackable"]
    assert "Tracker" not in found["script"] and "scene" not in found


def test_a_removed_video_leaves_nothing(bench: Workbench) -> None:
    looked(bench, request(bench, 1))
    bench.remove(list(bench.sources)[-1])
    assert not bench._history._found and not bench._history._runs


IN_FRAME = r"points \(x, y\) in the frame of 640 x 480, or 20 pixels beyond it, got "


@pytest.mark.parametrize(
    "scene, message",
    [({"lines": [[[0, 0], [661, 0]]]}, rf"line 1: expected 2 {IN_FRAME}\[661, 0\]"),
     ({"lines": [LINE, [[0, 0], [5, float("nan")]]]}, rf"line 2: expected 2 {IN_FRAME}\[5, nan\]"),
     ({"lines": [[[0, 0], [float("inf"), 0]]]}, "line 1"), ({"lines": [[[0, 0], [True, 0]]]}, "line 1"),
     ({"lines": [[[0, 0], ["5", 0]]]}, rf"line 1: expected 2 {IN_FRAME}\['5', 0\]"),
     ({"lines": [[[5, 5], [5, 5]]]}, "line: end: expected another point than start"),
     ({"lines": "abc"}, "lines: expected a list of at most 20, got 'abc'"),
     ({"lines": [LINE] * 21}, "lines: expected a list"),
     ({"zones": [[[0, 0], [9, 9]]]}, rf"zone 1: expected 3 to 100 {IN_FRAME}2 of them"),
     ({"zones": [[[0, 0]] * 10_000]}, rf"zone 1: expected 3 to 100 {IN_FRAME}10000 of them"),
     ({"zones": [[[0, 0], [9, 9], [18, 18]]]}, "zone: points: expected some that are not in a line"),
     ({"zones": [5]}, "zone 1: expected 3 to 100"), ({"plane": [[0, 0]] * 3}, "plane: expected 4 points .* got 3 of them"),
     ({"plane": PLANE["plane"], "meters": [0, 5]}, r"meters: expected two numbers from 0.01 to 10000, got \[0, 5\]"),
     ({"plane": [[0, 0], [100, 100], [100, 0], [0, 100]], "meters": [5, 5]}, "plane: "),
     ({"size": [640]}, r"size: expected two numbers from 1 to 10000, got \[640\]"),
     ({"size": [0, 10**400]}, "size: expected"),
     ({"color": 1}, "scene: expected an object with size, lines, zones, plane, meters, got"),
     ("all", "scene: expected an object"),
     ([], "scene: expected an object"), (7, "scene: expected an object")],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused_with_what_was_expected(bench: Workbench, scene: Any, message: str) -> None:
    given = {"size": [640, 480], **scene} if isinstance(scene, dict) else scene
    with pytest.raises(UserError, match=message) as raised:
        bench.look(request(bench, 0, given))
    assert len(str(raised.value)) < 250
    assert looked(bench, request(bench, 1))["rows"]


def test_a_threshold_that_is_none_is_refused_as_without_a_tracker(bench: Workbench) -> None:
    for value in ("x", float("nan"), 2):
        with pytest.raises(UserError, match="threshold: expected a number from 0.0 to 1.0"):
            bench.look(request(bench, 0, options={"threshold": value}))
