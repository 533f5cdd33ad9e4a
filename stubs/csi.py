"""The firmware's `csi` module: a camera whose frames are made of pictures.

On a PC, set what the camera sees first: `csi._host_pictures = ["photo.jpg"]`, or the frames of a video,
`_video.Video("street.mp4")`. The pictures are repeated in a loop, each scaled to the frame size that the script chose.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import _clock
import _host
import image
import numpy as np
from image import _files, _formats

if TYPE_CHECKING:
    from PIL import Image as PilImage

    Picture = str | Path | PilImage.Image | np.ndarray[Any, Any]

# ---- what only a PC has ----

# Files, Pillow pictures or (h, w, 3) uint8 arrays.
_host_pictures: "Sequence[Picture]" = []

# How a picture of another aspect ratio is fitted into the frame: "fit" adds black bars, "fill" crops it, "stretch"
# distorts it.
_host_fit = "fit"

# Called before each frame that the script gets.
_host_before_snapshot: Callable[[], None] | None = None

# The script's latest frame, with everything that it has drawn on it.
_host_last_frame: "image.Image | None" = None

# ---- the firmware's constants ----

BINARY = image.BINARY
GRAYSCALE = image.GRAYSCALE
RGB565 = image.RGB565
BAYER = 84148225
YUV422 = 335872002
JPEG = 101056512

_SIZES = [
    (0, 0), (0, 0),
    (88, 72), (176, 144), (352, 288), (88, 60), (176, 120), (352, 240),
    (40, 30), (80, 60), (160, 120), (320, 240), (640, 480),
    (30, 20), (60, 40), (120, 80), (240, 160), (480, 320),
    (64, 32), (64, 64), (128, 64), (128, 128), (160, 160), (320, 320),
    (128, 160), (128, 160), (720, 480), (752, 480), (800, 600), (1024, 768), (1280, 768), (1280, 1024),
    (1280, 960), (1600, 1200), (1280, 720), (1920, 1080), (2560, 1440), (2048, 1536), (2560, 1600),
    (2592, 1944),
]  # fmt: skip

_CUSTOM = 1
QCIF, CIF = 3, 4
QSIF, SIF = 6, 7
QQQVGA, QQVGA, QVGA, VGA = 9, 10, 11, 12
HQVGA, HVGA = 16, 17
WVGA, WVGA2, SVGA, XGA, WXGA, SXGA, SXGAM, UXGA = 26, 27, 28, 29, 30, 31, 32, 33
HD, FHD, QHD, QXGA, WQXGA, WQXGA2 = 34, 35, 36, 37, 38, 39

PAG7936 = 0x7936

_NO_FRAMESIZE = "Frame size is not supported or is not set."
_NO_PIXFORMAT = "Pixel format is not supported or is not set."


def devices() -> list[int]:
    """The sensors found: one."""
    return [PAG7936]


class CSI(_host.StandIn):
    """The camera. Settings that do not affect a still picture are accepted and ignored."""

    def __init__(self, *, cid: int = -1, delays: bool = True, fflush: bool = True, stream: Any = None) -> None:
        if cid not in (-1, PAG7936):
            raise RuntimeError("Failed to detect the image sensor or image sensor is detached.")
        self._taken = 0
        self._clear()

    def _clear(self) -> None:
        self._pixformat = 0
        self._framesize = 0
        self._custom = (0, 0)
        self._window: tuple[int, int, int, int] | None = None
        self._framerate = 0
        self._framebuffers = 3
        self._hmirror = self._vflip = self._transpose = False

    def reset(self, *, hard: bool = True) -> None:
        self._clear()

    def shutdown(self, enable: bool, /) -> None:
        pass

    def _resolution(self) -> tuple[int, int]:
        if self._framesize == 0:
            raise RuntimeError(_NO_FRAMESIZE)
        return self._custom if self._framesize == _CUSTOM else _SIZES[self._framesize]

    def pixformat(self, pixformat: int | None = None, /) -> int | None:
        if pixformat is None:
            if self._pixformat == 0:
                raise RuntimeError(_NO_PIXFORMAT)
            return self._pixformat
        if pixformat in (BAYER, YUV422, JPEG):
            raise NotImplementedError("csi: only RGB565, GRAYSCALE and BINARY frames on a PC")
        if pixformat not in (RGB565, GRAYSCALE, BINARY):
            raise RuntimeError(_NO_PIXFORMAT)
        self._pixformat = pixformat
        return None

    def framesize(self, framesize: int | tuple[int, int] | None = None, /) -> int | None:
        """A constant like csi.VGA, or (width, height)."""
        if framesize is None:
            self._resolution()
            return self._framesize
        if isinstance(framesize, tuple):
            width, height = framesize
            self._custom, self._framesize = (width, height), _CUSTOM
        elif isinstance(framesize, int) and 0 < framesize < len(_SIZES):
            self._framesize = framesize
        else:
            raise RuntimeError(_NO_FRAMESIZE)
        self._window = None  # a new frame size resets the window to the whole frame
        return None

    def window(self, roi: tuple[int, ...] | list[int] | None = None, /) -> tuple[int, int, int, int] | None:
        """Set a window: (width, height) around the center of the frame, or (x, y, width, height)."""
        width, height = self._resolution()
        if roi is None:
            return self._window or (0, 0, width, height)
        if len(roi) == 2:
            w, h = roi
            x, y = width // 2 - w // 2, height // 2 - h // 2
        elif len(roi) == 4:
            x, y, w, h = roi
        else:
            raise ValueError("Expected (w, h) or (x, y, w, h) tuple/list.")
        if w < 1 or h < 1:
            raise ValueError("Invalid ROI dimensions!")
        x1, y1 = min(x + w, width), min(y + h, height)
        x, y = max(x, 0), max(y, 0)
        if x >= x1 or y >= y1:
            raise ValueError("ROI does not overlap on the image!")
        self._window = (x, y, x1 - x, y1 - y)
        return None

    def width(self) -> int:
        return self._resolution()[0]

    def height(self) -> int:
        return self._resolution()[1]

    def cid(self) -> int:
        return PAG7936

    def readable(self) -> bool:
        return True

    @overload
    def snapshot(self, *, blocking: Literal[True] = True) -> "image.Image": ...

    @overload
    def snapshot(self, *, blocking: bool) -> "image.Image | None": ...

    @overload
    def snapshot(
        self, *, time: int = -1, frames: int = -1, blocking: bool = True, image: "image.Image | None" = None
    ) -> None: ...

    def snapshot(
        self, *, time: int = -1, frames: int = -1, blocking: bool = True, image: "image.Image | None" = None
    ) -> "image.Image | None":
        """The next frame. `time=` and `frames=` skip frames, which takes time only on a video's clock (_clock.py)."""
        self._resolution()
        if self._pixformat == 0:
            raise RuntimeError(_NO_PIXFORMAT)
        if time != -1 or frames != -1:
            _clock.clock.skip(max(time, 0) / 1000, max(frames, 0))
            return None
        if not blocking and not _clock.clock.frame_is_there():
            _host.poll()
            return None
        if _host_before_snapshot is not None:
            _host_before_snapshot()
        _host.sleep(_clock.clock.until_next_frame())
        index = _clock.clock.next_frame(self._taken)
        frame = self._frame(index)
        self._taken += 1
        if image is not None:
            image.draw_image(frame, hint=_formats.SCALE_ASPECT_IGNORE)
            frame = image
        global _host_last_frame
        _host_last_frame = frame
        return None if image is not None else frame

    def _frame(self, index: int) -> "image.Image":
        if not _host_pictures:
            raise RuntimeError('csi: no pictures to see; set csi._host_pictures = ["photo.jpg"] first')
        width, height = self._resolution()
        picture = _scaled(_open(_host_pictures[index % len(_host_pictures)]), width, height)
        rgb = np.asarray(picture)
        if self._hmirror:
            rgb = rgb[:, ::-1]
        if self._vflip:
            rgb = rgb[::-1]
        if self._window is not None:
            x, y, w, h = self._window
            rgb = rgb[y : y + h, x : x + w]
        if self._transpose:
            rgb = rgb.transpose(1, 0, 2)
        channels = (rgb[..., 0], rgb[..., 1], rgb[..., 2])
        frame = image.Image(rgb.shape[1], rgb.shape[0], self._pixformat)
        frame._in_frame_buffer = True
        if self._pixformat == RGB565:
            frame._store(_formats.rgb888_to_rgb565(*channels))
        elif self._pixformat == GRAYSCALE:
            frame._store(_formats.rgb888_to_gray(*channels))
        else:
            frame._store(_formats.rgb888_to_gray(*channels) > np.uint8(127))
        return frame

    def framerate(self, rate: int | None = None, /) -> int | None:
        if rate is None:
            if self._framerate == 0:
                raise RuntimeError("Frame rate is not supported or is not set.")
            return self._framerate
        self._framerate = rate
        return None

    def framebuffers(self, count: int | None = None, /) -> int | None:
        if count is None:
            return self._framebuffers
        if count < 1:
            raise RuntimeError("An invalid argument is used.")
        self._framebuffers = count
        return None

    def hmirror(self, enable: bool | None = None, /) -> bool | None:
        if enable is None:
            return self._hmirror
        self._hmirror = bool(enable)
        return None

    def vflip(self, enable: bool | None = None, /) -> bool | None:
        if enable is None:
            return self._vflip
        self._vflip = bool(enable)
        return None

    def transpose(self, enable: bool | None = None, /) -> bool | None:
        if enable is None:
            return self._transpose
        self._transpose = bool(enable)
        return None

    def auto_gain(self, enable: bool, *, gain_db: float | None = None,
                  gain_db_ceiling: float | None = None) -> None:
        pass

    def gain_db(self) -> float:
        return 0.0

    def auto_exposure(self, enable: bool, *, exposure_us: int = -1) -> None:
        pass

    def exposure_us(self) -> int:
        return 10_000

    def auto_whitebal(self, enable: bool, *, rgb_gain_db: Any = None) -> None:
        pass

    def rgb_gain_db(self) -> tuple[float, float, float]:
        return 0.0, 0.0, 0.0

    def gainceiling(self, value: int, /) -> bool:
        return True

    def brightness(self, value: int, /) -> bool:
        return True

    def contrast(self, value: int, /) -> bool:
        return True

    def saturation(self, value: int, /) -> bool:
        return True


def _open(picture: "Picture") -> "PilImage.Image":
    pillow = _files._pillow()
    if isinstance(picture, np.ndarray):
        rgb: PilImage.Image = pillow.fromarray(picture).convert("RGB")
        return rgb
    if not isinstance(picture, (str, Path)):
        return _files.as_seen(picture).convert("RGB")
    try:
        with pillow.open(_host.resolve(str(picture))) as opened:
            return _files.as_seen(opened).convert("RGB")
    except OSError as error:
        if error.errno is not None:
            raise
        raise OSError(f"not a picture that can be read: {picture}") from error


def _scaled(picture: "PilImage.Image", width: int, height: int) -> "PilImage.Image":
    """The picture in a frame of this size; unchanged if it has that size already."""
    if picture.size == (width, height):
        return picture
    from PIL import Image, ImageOps

    if _host_fit == "stretch":
        return picture.resize((width, height), Image.Resampling.LANCZOS)
    if _host_fit == "fill":
        return ImageOps.fit(picture, (width, height), Image.Resampling.LANCZOS)
    return ImageOps.pad(picture, (width, height), Image.Resampling.LANCZOS)
