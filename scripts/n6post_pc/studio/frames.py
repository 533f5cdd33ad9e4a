"""The frames of the page: pictures and videos as a camera would take them, or those of a camera on USB."""

import io
import threading
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import csi
import image
from PIL import Image

from ..command import UserError
from ..models import pictures, sources

# Frame sizes to choose from: names of csi's constants
SIZES = ("QQVGA", "QVGA", "HVGA", "VGA", "SVGA", "XGA", "HD")
FRAME_SIZE = "VGA"

THUMBNAIL = (160, 120)  # pixels

# What the camera runs: its frames without anything drawn on them.
CAMERA_SCRIPT = """\
import csi

cam = csi.CSI()
cam.reset()
cam.pixformat(csi.RGB565)
cam.framesize(csi.VGA)
while True:
    cam.snapshot()
"""


class Source:
    """A picture or a video file. A still picture has one frame."""

    live = False

    def __init__(self, path: Path) -> None:
        self.path, self.name = path, path.name
        self.size: tuple[int, int] | None = None  # of a still picture
        self.rate: Fraction | None = None  # frames a second of a video
        self._video: Any = None
        if sources.is_video(path):
            import _video

            try:
                self._video = _video.Video(path)
                self.rate = self._video.rate
                height, width, _ = self._video[0].shape
                self.picture_size = width, height
            except ValueError as error:
                raise UserError(str(error)) from error
        else:
            try:
                self.size = self.picture_size = pictures.read(path).picture.size  # an error now, not at the first look
            except pictures.UnreadableError as error:
                raise UserError(f"{path}: {error}") from error

    @property
    def count(self) -> int:
        return 1 if self._video is None else len(self._video)

    def frame(self, number: int, size: str) -> image.Image:
        """The camera's frame of this size, exactly as `n6post host` gives it to a script."""
        picture = self.path if self._video is None else self._video[min(max(number, 0), self.count - 1)]
        csi._host_pictures = [picture]
        try:
            cam = csi.CSI()
            cam.reset()
            cam.pixformat(csi.RGB565)
            cam.framesize(getattr(csi, size))
            return cam.snapshot()
        finally:
            csi._host_pictures, csi._host_last_frame = [], None

    def thumbnail(self) -> bytes:
        """A small JPEG."""
        picture = pictures.read(self.path).picture if self._video is None else Image.fromarray(self._video[0])
        return _small(picture)

    def command(self, number: int) -> list[str]:
        """The options of `n6post host` with which a script ends at this frame, from 0."""
        return [] if self._video is None else ["--frames", str(number + 1)]


class Camera:
    """The newest frame of a camera on USB. A thread runs CAMERA_SCRIPT on it with the parts of `n6post camera watch`.

    watch   the module n6post_pc.camera.watch
    """

    live = True
    name = "camera"
    path = None
    count = 1
    rate = None
    picture_size = 640, 480  # VGA
    address = ""

    def __init__(self, port: str, watch: Any, older: Callable[[str], str | None], folder: Path) -> None:
        self.port, self.why_gone = port, ""
        self._picture: Image.Image | None = None
        self._number = 0
        self._new = threading.Condition()
        self._stopped = [False]
        script = folder / "studio_frames.py"
        script.write_text(CAMERA_SCRIPT, encoding="utf-8")

        def run() -> None:
            try:
                watch.watch(port, script, older, self, None, None, None, self._stopped)
                why = "the camera has stopped sending frames"
            except Exception as error:  # the page shows why there are no more frames
                why = str(error)
            with self._new:
                self.why_gone = why
                self._new.notify_all()

        self._thread = threading.Thread(target=run, daemon=True)
        self._thread.start()

    # What `watch` calls, as it calls stream_server.Page

    def show_picture(self, picture: Image.Image) -> None:
        with self._new:
            self._picture, self._number = picture, self._number + 1
            self._new.notify_all()

    def tell(self, line: str) -> None:
        """A line that the script printed: it prints none but errors."""

    # What the page calls

    def next_number(self, after: int, seconds: float = 2.0) -> int:
        """Wait for a frame newer than number `after`, and return the newest one's number."""
        with self._new:
            self._new.wait_for(lambda: self._number != after or self.why_gone, seconds)
            return self._number

    def frame(self, number: int, size: str) -> image.Image:
        with self._new:
            self._new.wait_for(lambda: self._picture is not None or self.why_gone, 15)
            picture = self._picture
        if picture is None:
            raise UserError(f"camera on {self.port}: {self.why_gone or 'no frame yet'}")
        if self.why_gone:
            raise UserError(f"camera on {self.port}: {self.why_gone}")
        return pictures.rgb565(picture)

    def thumbnail(self) -> bytes:
        with self._new:
            picture = self._picture
        return _small(picture or Image.new("RGB", THUMBNAIL))

    def command(self, number: int) -> list[str]:
        return []

    def close(self) -> None:
        self._stopped[0] = True
        self._thread.join(5)


def _small(picture: Image.Image) -> bytes:
    small = picture.convert("RGB")
    small.thumbnail(THUMBNAIL)
    data = io.BytesIO()
    small.save(data, "JPEG", quality=85)
    return data.getvalue()
