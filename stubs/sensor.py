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

LCD = 24
QQVGA2 = 25
B64X64, B128X128, B160X160, B320X320 = 19, 21, 22, 23

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


def set_quality(value: int) -> bool:
    return True


def set_colorbar(enable: bool) -> bool:
    return True


def set_color_palette(palette: int) -> None:
    pass


def set_auto_rotation(enable: bool) -> None:
    _camera.auto_rotation(enable)


def set_lens_correction(enable: bool, radi: int, coef: int) -> bool:
    return True


def set_vsync_callback(callback: Any) -> None:
    pass


def set_frame_callback(callback: Any) -> None:
    pass


def get_gain_db() -> float:
    return _camera.gain_db()


def get_exposure_us() -> int:
    return _camera.exposure_us()


def get_rgb_gain_db() -> tuple[float, float, float]:
    return _camera.rgb_gain_db()


def get_fb() -> image.Image | None:
    """The script's latest frame."""
    return csi._host_last_frame


def alloc_extra_fb(width: int, height: int, pixformat: int) -> image.Image:
    """A buffer for another image of the script."""
    return image.Image(width, height, pixformat)


def dealloc_extra_fb() -> None:
    pass


def disable_delays(disable: bool | None = None) -> bool:
    return False


def get_id() -> int:
    return _camera.cid()


def ioctl(*arguments: Any) -> None:
    pass


def shutdown(enable: bool) -> None:
    pass


def sleep(enable: bool) -> None:
    pass


def flush() -> None:
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
    "alloc_extra_fb",
    "dealloc_extra_fb",
    "disable_delays",
    "flush",
    "get_exposure_us",
    "get_fb",
    "get_framesize",
    "get_gain_db",
    "get_id",
    "get_pixformat",
    "get_rgb_gain_db",
    "get_windowing",
    "height",
    "ioctl",
    "reset",
    "set_auto_exposure",
    "set_auto_gain",
    "set_auto_rotation",
    "set_auto_whitebal",
    "set_brightness",
    "set_color_palette",
    "set_colorbar",
    "set_contrast",
    "set_frame_callback",
    "set_framebuffers",
    "set_framerate",
    "set_framesize",
    "set_gainceiling",
    "set_hmirror",
    "set_lens_correction",
    "set_pixformat",
    "set_quality",
    "set_saturation",
    "set_transpose",
    "set_vflip",
    "set_vsync_callback",
    "set_windowing",
    "shutdown",
    "skip_frames",
    "sleep",
    "snapshot",
    "width",
]

if not TYPE_CHECKING:
    __getattr__ = _host.missing("sensor")
