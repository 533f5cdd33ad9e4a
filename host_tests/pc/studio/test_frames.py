"""scripts/n6post_pc/studio/frames.py: pictures and videos as `n6post host` gives them to a script, and a camera's frames."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path

import _video
import csi
import numpy as np
import pytest
from n6post_pc import paths
from n6post_pc.command import UserError
from n6post_pc.studio.frames import SIZES, Camera, Source
from n6post_pc.studio.workbench import Request, Workbench
from PIL import Image
from test_camera import stand_in

pytestmark = pytest.mark.proof("scripts/n6post_pc/**/*.py", "scripts/n6post_pc/studio/**/*")

PICTURE = paths.SAMPLE_PICTURES / "shapes_06.jpg"


def film(path: Path, count: int = 5) -> Path:
    """A video whose frames are ever brighter."""
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        for number in range(count):
            picture = Image.new("RGB", (64, 48), (40 * number + 20,) * 3)
            for packet in stream.encode(av.VideoFrame.from_image(picture)):
                container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


@pytest.mark.parametrize("size", SIZES)
def test_every_frame_size_is_one_of_the_cameras(size: str) -> None:
    frame = Source(PICTURE).frame(0, size)
    assert (frame.width(), frame.height()) == csi._SIZES[getattr(csi, size)]


def test_a_video_shows_the_frame_that_is_asked_for(tmp_path: Path) -> None:
    source = Source(film(tmp_path / "film.mp4"))
    assert source.count == 5 and source.command(2) == ["--frames", "3"]
    video = _video.Video(tmp_path / "film.mp4")
    for number in (3, 0, 4, 99):
        shown = np.asarray(source.frame(number, "QQVGA").to_pil()).mean()
        assert abs(shown - video[min(number, 4)].mean()) < 4
    assert Image.open(io.BytesIO(source.thumbnail())).size == (64, 48)


def test_a_thumbnail_is_small_and_keeps_the_aspect_ratio() -> None:
    with Image.open(PICTURE) as picture, Image.open(io.BytesIO(Source(PICTURE).thumbnail())) as small:
        assert max(small.size) <= 160 and abs(small.width / small.height - picture.width / picture.height) < 0.02


def test_a_file_that_is_no_picture_is_refused_at_once(tmp_path: Path) -> None:
    for name in ("a.png", "b.mp4"):
        (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(UserError, match=name):
            Source(tmp_path / name)


@pytest.mark.skipif(os.name == "nt", reason="the stand-in for a camera needs pseudo-terminals")
def test_frames_of_a_camera_reach_the_page_until_it_is_unplugged(tmp_path: Path) -> None:
    from n6post_pc.camera import watch

    with stand_in() as (port, process):
        camera = Camera(port, watch, lambda port: None, tmp_path)
        bench = Workbench(tmp_path / "studio")
        model, picture = bench.add_model(paths.SAMPLE_MODEL), bench.add_camera(camera)
        first = camera.next_number(0, 20)
        found = bench.look(Request(model.id, picture))
        assert first > 0 and (found["width"], found["height"]) == (64, 48)  # the camera's own size
        assert found["command"].endswith(" run script.py") and "--picture" not in found["command"]
        assert camera.next_number(first, 20) > first
        shade = np.asarray(camera.frame(0, "VGA").to_pil())
        assert shade.std() < 4 and Image.open(io.BytesIO(camera.thumbnail())).size == (64, 48)
        process.kill()
        until = time.monotonic() + 60
        while not camera.why_gone and time.monotonic() < until:
            camera.next_number(camera.next_number(0, 0), 1)
        with pytest.raises(UserError, match=f"camera on {port}: the camera"):
            bench.look(Request(model.id, picture))
        camera.close()


def test_a_frame_leaves_nothing_in_the_stand_in_camera() -> None:
    for size in ("QQVGA", "VGA"):
        assert Source(PICTURE).frame(0, size) is not None
        assert csi._host_pictures == [] and csi._host_last_frame is None
