"""The firmware's older camera module, for scripts that do not use `csi` yet: the same camera."""

from typing import Any

import csi
import image
from csi import (
    BINARY,
    CIF,
    FHD,
    GRAYSCALE,
    HD,
    HQVGA,
    HVGA,
    QCIF,
    QQQVGA,
    QQVGA,
    QVGA,
    RGB565,
    SIF,
    SVGA,
    SXGA,
    UXGA,
    VGA,
    WVGA,
    WXGA,
    XGA,
)

LCD = 24
QQVGA2 = 25
B64X64, B128X128, B160X160, B320X320 = 19, 21, 22, 23

_camera = csi.CSI()


def reset() -> None:
    _camera.reset()


def snapshot() -> image.Image:
    return _camera.snapshot()


def skip_frames(n: int = 0, *, time: int = 0) -> None:
    pass


def width() -> int:
    return _camera.width()


def height() -> int:
    return _camera.height()


def set_pixformat(pixformat: int) -> None:
    _camera.pixformat(pixformat)


def get_pixformat() -> int | None:
    return _camera.pixformat()


def set_framesize(framesize: int) -> None:
    _camera.framesize(framesize)


def get_framesize() -> int | None:
    return _camera.framesize()


def set_windowing(*roi: Any) -> None:
    """One tuple, or its numbers."""
    _camera.window(roi[0] if len(roi) == 1 else roi)


def get_windowing() -> tuple[int, int, int, int] | None:
    return _camera.window()


def set_framerate(rate: int) -> None:
    _camera.framerate(rate)


def set_hmirror(enable: bool) -> None:
    _camera.hmirror(enable)


def set_vflip(enable: bool) -> None:
    _camera.vflip(enable)


def set_transpose(enable: bool) -> None:
    _camera.transpose(enable)


def set_framebuffers(count: int) -> None:
    _camera.framebuffers(count)


def set_auto_gain(enable: bool, **options: Any) -> None:
    pass


def set_auto_exposure(enable: bool, **options: Any) -> None:
    pass


def set_auto_whitebal(enable: bool, **options: Any) -> None:
    pass


def set_brightness(value: int) -> None:
    pass


def set_contrast(value: int) -> None:
    pass


def set_saturation(value: int) -> None:
    pass


__all__ = [
    "B128X128",
    "B160X160",
    "B320X320",
    "B64X64",
    "BINARY",
    "CIF",
    "FHD",
    "GRAYSCALE",
    "HD",
    "HQVGA",
    "HVGA",
    "LCD",
    "QCIF",
    "QQQVGA",
    "QQVGA",
    "QQVGA2",
    "QVGA",
    "RGB565",
    "SIF",
    "SVGA",
    "SXGA",
    "UXGA",
    "VGA",
    "WVGA",
    "WXGA",
    "XGA",
]
