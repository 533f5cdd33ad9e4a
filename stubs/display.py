"""The `display` module: screens whose picture is kept, so that tests and commands can save it.

`display._host_last` is the picture of the screen that was written to last (None before that).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import _host
import image

# The constants of the frame sizes, in their order, and their pixels.
QVGA, TQVGA, FHVGA, FHVGA2, VGA, THVGA, FWVGA, FWVGA2, TFWVGA, TFWVGA2 = range(10)
SVGA, WSVGA, XGA, SXGA, SXGA2, UXGA, HD, FHD = range(10, 18)
_SIZES = [
    (320, 240), (240, 320), (480, 272), (480, 128), (640, 480), (320, 480), (800, 480), (864, 480), (480, 800), (480, 864),
    (800, 600), (1024, 600), (1024, 768), (1280, 1024), (1280, 400), (1600, 1200), (1280, 720), (1920, 1080),
]  # fmt: skip

# Only on a PC: the picture of the screen that was written to last.
_host_last: image.Image | None = None


class _Display(_host.StandIn):
    """Base of all screens."""

    def __init__(self, width: int, height: int, refresh: int, backlight: Any) -> None:
        if not 30 <= refresh <= 120:
            raise ValueError("Invalid Refresh Rate!")
        self._screen = image.Image(width, height, image.RGB565)
        self._refresh = refresh
        self._intensity = 100
        self._backlight = backlight

    def deinit(self) -> None:
        pass

    def width(self) -> int:
        return self._screen.width()

    def height(self) -> int:
        return self._screen.height()

    def refresh(self) -> int:
        return self._refresh

    def clear(self, display_off: bool = False, /) -> None:
        self._screen.clear()

    def backlight(self, value: int | None = None, /) -> int | None:
        if value is None:
            return self._intensity
        if not 0 <= value <= 100:
            raise ValueError("Intensity ranges between 0 (off) and 100 (full on)")
        if self._backlight is not None:
            self._backlight.backlight(value)
        self._intensity = value
        return None

    def write(
        self, image: image.Image | str, *, x: int = 0, y: int = 0, x_scale: float | None = None,
        y_scale: float | None = None,
        roi: tuple[int, int, int, int] | None = None, rgb_channel: int = -1, alpha: int = 255, color_palette: Any = None,
        alpha_palette: Any = None, hint: int = 0,
    ) -> None:
        """Show an image on black. The options are those of Image.draw_image()."""
        global _host_last
        self._screen.clear()
        self._screen.draw_image(
            image, x, y, x_scale=x_scale, y_scale=y_scale, roi=roi, rgb_channel=rgb_channel, alpha=alpha,
            color_palette=color_palette, alpha_palette=alpha_palette, hint=hint)
        _host_last = self._screen


class SPIDisplay(_Display):
    """A screen on the SPI bus, such as the LCD shield's."""

    def __init__(
        self, width: int = 128, height: int = 160, refresh: int = 60, bgr: bool = False, byte_swap: bool = False,
        triple_buffer: bool = True, *, controller: Any = None, backlight: Any = None,
    ) -> None:
        if not 0 < width <= 32767:
            raise ValueError("Invalid Width!")
        if not 0 < height <= 32767:
            raise ValueError("Invalid Height!")
        super().__init__(width, height, refresh, backlight)
        self._bgr, self._byte_swap, self._triple_buffer = bool(bgr), bool(byte_swap), bool(triple_buffer)

    def bgr(self) -> bool:
        return self._bgr

    def byte_swap(self) -> bool:
        return self._byte_swap

    def triple_buffer(self) -> bool:
        return self._triple_buffer


class _Panel(_Display):
    def __init__(self, framesize: int, refresh: int, portrait: bool, backlight: Any) -> None:
        if not 0 <= framesize < len(_SIZES):
            raise ValueError("Invalid frame size!")
        width, height = _SIZES[framesize]
        if portrait:
            width, height = height, width
        super().__init__(width, height, refresh, backlight)
        self._framesize = framesize

    def framesize(self) -> int:
        return self._framesize


class RGBDisplay(_Panel):
    """A screen on the parallel bus."""

    def __init__(
        self, framesize: int = FWVGA, refresh: int = 60, display_on: bool = True, triple_buffer: bool = True,
        portrait: bool = False, *, controller: Any = None, backlight: Any = None,
    ) -> None:
        super().__init__(framesize, refresh, portrait, backlight)


class DSIDisplay(_Panel):
    """A screen on the MIPI DSI bus."""

    def __init__(
        self, framesize: int = FWVGA, refresh: int = 60, portrait: bool = False, channel: int = 0, *, controller: Any = None,
        backlight: Any = None,
    ) -> None:
        super().__init__(framesize, refresh, portrait, backlight)


if not TYPE_CHECKING:
    __getattr__ = _host.missing("display")
