"""stubs/_video: the frames of a video file, and several sources in sequence."""

from pathlib import Path

import csi
import numpy as np
import pytest
from _video import Chain, Video

av = pytest.importorskip("av", reason="needs PyAV, which requirements/models.txt has")

COLORS = [(250, 0, 0), (0, 250, 0), (0, 0, 250), (250, 250, 0), (250, 250, 250)]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Five frames of 64x48, each of one color."""
    path = tmp_path_factory.mktemp("video") / "clip.avi"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mjpeg", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuvj444p"
        for color in COLORS:
            frame = np.full((48, 64, 3), color, dtype=np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(frame, format="rgb24")))
        container.mux(stream.encode())
    return path


def _color(frame: "np.ndarray[tuple[int, ...], np.dtype[np.uint8]]") -> int:
    """The index in COLORS of a frame's color."""
    return int(np.abs(np.array(COLORS) - frame[24, 32].astype(int)).sum(axis=1).argmin())


def test_frames_come_in_order_and_restart_at_the_end(clip: Path) -> None:
    video = Video(clip)
    assert len(video) == 5 and video[0].shape == (48, 64, 3) and video[0].dtype == np.uint8
    assert [_color(video[i]) for i in range(5)] == [0, 1, 2, 3, 4]
    assert [_color(video[i]) for i in (4, 1, 3, 0, -1)] == [4, 1, 3, 0, 4]
    assert [_color(frame) for frame in video[1:3]] == [1, 2]
    with pytest.raises(IndexError):
        video[5]


def test_a_camera_repeats_a_video(clip: Path) -> None:
    csi._host_pictures = Chain([Video(clip), [np.zeros((48, 64, 3), dtype=np.uint8)]])
    try:
        camera = csi.CSI()
        camera.pixformat(csi.RGB565)
        camera.framesize((64, 48))
        pixels = [camera.snapshot().get_pixel((32, 24)) for _ in range(7)]
    finally:
        csi._host_pictures, csi._host_last_frame = [], None
    assert pixels[5] == (0, 0, 0) and pixels[6] == pixels[0] and pixels[0][0] > 200 > 60 > pixels[0][1]


def test_a_phones_video_is_rotated_upright(tmp_path: Path) -> None:
    path = tmp_path / "phone.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height = 64, 48
        stream.set_display_rotation(-90)  # like a phone held upright: rotate it clockwise
        half = np.zeros((48, 64, 3), dtype=np.uint8)
        half[:, 32:] = 255
        container.mux(stream.encode(av.VideoFrame.from_ndarray(half, format="rgb24")))
        container.mux(stream.encode())
    frame = Video(path)[0]
    assert frame.shape == (64, 48, 3) and frame[8, 24].mean() < 30 and frame[56, 24].mean() > 225


def test_files_without_pictures_are_refused(tmp_path: Path) -> None:
    (tmp_path / "note.avi").write_text("no video", encoding="utf-8")
    with pytest.raises(ValueError, match="not a video"):
        Video(tmp_path / "note.avi")
    with pytest.raises(FileNotFoundError):
        Video(tmp_path / "absent.avi")


def test_the_shared_video_has_all_of_its_frames(shared: Path) -> None:
    video = Video(shared / "video" / "street.avi")
    assert len(video) == 795 and video[0].shape == (360, 480, 3)
    assert np.abs(video[0].astype(int) - video[40]).mean() > 1
