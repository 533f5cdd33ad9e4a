"""The firmware's older camera module, for scripts that do not use `csi` yet: the same camera."""

from typing import TYPE_CHECKING, Any

import _clock
import _host
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

_camera = csi.CSI()


def reset() -> None:
    _camera.reset()


def snapshot() -> image.Image:
    return _camera.snapshot()


def skip_frames(n: int = 0, *, time: int = 0) -> None:
    _clock.clock.skip(time / 1000, n)


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
    """One tuple, or its numbers as separate arguments."""
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


def set_gainceiling(value: int) -> bool:
    return True


def get_gain_db() -> float:
    return _camera.gain_db()


def get_exposure_us() -> int:
    return _camera.exposure_us()


def alloc_extra_fb(width: int, height: int, pixformat: int) -> image.Image:
    """A buffer for another image of the script."""
    return image.Image(width, height, pixformat)


def dealloc_extra_fb() -> None:
    pass


__all__ = [
    "BINARY", "CIF", "FHD", "GRAYSCALE", "HD", "HQVGA", "HVGA", "QCIF", "QQQVGA", "QQVGA", "QVGA", "RGB565", "SIF", "SVGA",
    "SXGA", "UXGA", "VGA", "WVGA", "WXGA", "XGA", "alloc_extra_fb", "dealloc_extra_fb", "get_exposure_us", "get_framesize",
    "get_gain_db", "get_pixformat", "get_windowing", "height", "reset", "set_auto_exposure", "set_auto_gain",
    "set_auto_whitebal", "set_brightness", "set_contrast", "set_framebuffers", "set_framerate", "set_framesize",
    "set_gainceiling", "set_hmirror", "set_pixformat", "set_saturation", "set_transpose", "set_vflip", "set_windowing",
    "skip_frames", "snapshot", "width",
]  # fmt: skip

if not TYPE_CHECKING:
    __getattr__ = _host.missing("sensor")
