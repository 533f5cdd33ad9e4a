"""stubs/csi, sensor and the small modules: a camera that shows pictures, and MicroPython's own modules."""

import gc
import io
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _host
import csi
import image
import machine
import micropython
import numpy as np
import omv
import pytest
import sensor
import uctypes
from PIL import Image as PilImage


@pytest.fixture(autouse=True)
def pictures() -> Iterator[None]:
    """Two pictures of 8x6: one red, one blue with a white top left corner."""
    red = np.zeros((6, 8, 3), dtype=np.uint8)
    red[..., 0] = 255
    blue = np.zeros((6, 8, 3), dtype=np.uint8)
    blue[..., 2] = 255
    blue[0, 0] = 255
    csi._host_pictures = [red, blue]
    yield
    csi._host_pictures, csi._host_fit, csi._host_before_snapshot = [], "fit", None
    csi._host_last_frame = None


def _camera(pixformat: int = csi.RGB565, framesize: Any = (8, 6)) -> csi.CSI:
    camera = csi.CSI()
    camera.reset()
    camera.pixformat(pixformat)
    camera.framesize(framesize)
    return camera


def _frame(camera: csi.CSI) -> image.Image:
    frame = camera.snapshot()
    assert frame is not None
    return frame


def test_snapshots_cycle_through_the_pictures() -> None:
    camera = _camera()
    seen = [_frame(camera).get_pixel((4, 4)) for _ in range(3)]
    assert seen == [(255, 0, 0), (0, 0, 255), (255, 0, 0)]


def test_a_frame_has_the_requested_format_and_size() -> None:
    gray = _frame(_camera(csi.GRAYSCALE, csi.QQVGA))
    assert (gray.width(), gray.height(), gray.format()) == (160, 120, image.GRAYSCALE)
    assert gray.get_pixel((80, 60)) == 255 * 38 >> 7
    assert _frame(_camera(csi.BINARY)).format() == image.BINARY
    camera = _camera(csi.RGB565, csi.VGA)
    assert (camera.width(), camera.height(), camera.framesize()) == (640, 480, csi.VGA)


@pytest.mark.parametrize(
    ("name", "width", "height"),
    [("QQVGA", 160, 120), ("QVGA", 320, 240), ("VGA", 640, 480), ("HD", 1280, 720), ("FHD", 1920, 1080),
     ("SVGA", 800, 600), ("HVGA", 480, 320), ("CIF", 352, 288), ("WQXGA2", 2592, 1944)],
)
def test_frame_sizes_match_their_names(name: str, width: int, height: int) -> None:
    camera = _camera(framesize=getattr(csi, name))
    assert (camera.width(), camera.height()) == (width, height)


def test_a_snapshot_needs_a_format_and_a_size() -> None:
    camera = csi.CSI()
    with pytest.raises(RuntimeError, match="Frame size"):
        camera.snapshot()
    camera.framesize(csi.VGA)
    with pytest.raises(RuntimeError, match="Pixel format"):
        camera.snapshot()
    camera.pixformat(csi.RGB565)
    camera.snapshot()
    camera.reset()
    with pytest.raises(RuntimeError):
        camera.framesize()


def test_without_pictures_the_error_says_how_to_provide_them() -> None:
    csi._host_pictures = []
    with pytest.raises(RuntimeError, match="_host_pictures"):
        _camera().snapshot()


def test_a_window_crops_the_frame() -> None:
    csi._host_pictures = csi._host_pictures[1:]
    camera = _camera()
    assert camera.window() == (0, 0, 8, 6)
    camera.window((4, 2))
    assert camera.window() == (2, 2, 4, 2)
    camera.window((0, 0, 3, 2))
    frame = _frame(camera)
    assert (frame.width(), frame.height()) == (3, 2)
    assert frame.get_pixel((0, 0)) == (255, 255, 255)
    with pytest.raises(ValueError):
        camera.window((0, 0, 0, 2))
    with pytest.raises(ValueError):
        camera.window((9, 9, 2, 2))


def test_hmirror_and_vflip_mirror_the_picture() -> None:
    csi._host_pictures = csi._host_pictures[1:]
    camera = _camera()
    camera.hmirror(True)
    assert _frame(camera).get_pixel((7, 0)) == (255, 255, 255)
    camera.vflip(True)
    assert _frame(camera).get_pixel((7, 5)) == (255, 255, 255)


@pytest.mark.parametrize(
    ("fit", "corner", "middle"),
    [("fit", (0, 0, 0), (255, 0, 0)), ("fill", (255, 0, 0), (255, 0, 0)), ("stretch", (255, 0, 0), (255, 0, 0))],
)
def test_a_picture_of_another_shape_is_fitted_as_configured(fit: str, corner: Any, middle: Any) -> None:
    csi._host_fit = fit
    frame = _frame(_camera(framesize=(40, 10)))
    assert frame.get_pixel((0, 0)) == corner
    assert frame.get_pixel((20, 5)) == middle


def test_skip_frames_returns_immediately_and_uses_no_picture() -> None:
    camera = _camera()
    assert camera.snapshot(time=100_000) is None
    assert camera.snapshot(frames=30) is None
    assert _frame(camera).get_pixel((4, 4)) == (255, 0, 0)


def test_a_snapshot_can_be_written_to_the_scripts_own_image() -> None:
    target = image.Image(8, 6, image.GRAYSCALE)
    assert _camera().snapshot(image=target) is None
    assert target.get_pixel((4, 4)) == 255 * 38 >> 7
    assert csi._host_last_frame is target


def test_a_frame_may_grow_in_place() -> None:
    frame = _frame(_camera(csi.GRAYSCALE))
    assert frame.to_rgb565().format() == image.RGB565


def test_pictures_can_be_files(tmp_path: Path) -> None:
    PilImage.new("RGB", (8, 6), (0, 255, 0)).save(tmp_path / "green.png")
    csi._host_pictures = [tmp_path / "green.png", str(tmp_path / "absent.png"), __file__]
    camera = _camera()
    assert _frame(camera).get_pixel((0, 0)) == (0, 255, 0)
    with pytest.raises(FileNotFoundError):
        camera.snapshot()
    camera._taken = 2
    with pytest.raises(OSError, match="not a picture"):
        camera.snapshot()


def test_missing_settings_say_that_they_are_missing() -> None:
    for owner, name in ((csi.CSI(), "csi.CSI.ioctl"), (sensor, "sensor.ioctl")):
        with pytest.raises(AttributeError, match=f"the stand-in has no {name}"):
            owner.ioctl()  # type: ignore[attr-defined]


def test_old_scripts_see_the_same_camera() -> None:
    sensor.reset()
    sensor.set_pixformat(sensor.RGB565)
    sensor.set_framesize(sensor.QVGA)
    sensor.skip_frames(time=2000)
    frame = sensor.snapshot()
    assert (frame.width(), frame.height()) == (320, 240)


# ---- the small modules ----


def test_the_firmware_version_is_5_0_0_until_set_otherwise() -> None:
    assert (omv.version_major, omv.version_minor, omv.version_patch) == (5, 0, 0)
    omv._host_set_version(4, 8, 1)
    try:
        assert omv.version_string() == "4.8.1"
    finally:
        omv._host_set_version()
    assert omv.version_string() == "5.0.0"


def test_versions_before_5_have_the_old_defaults() -> None:
    try:
        for version, ways, expected in (
            ((4, 8, 1), None, {"drawing", "fit", "results", "timer", "ulab"}),
            ((5, 0, 0), None, set()),
            ((5, 0, 0), ["drawing"], {"drawing"}),
            ((5, 0, 0), ["fit"], {"fit"}),
            ((4, 8, 1), [], set()),
        ):
            omv._host_set_version(*version, old=ways)
            assert {way for way in _host.OLD_WAYS if _host.old(way)} == expected
        with pytest.raises(ValueError, match="expected some of"):
            omv._host_set_version(4, 8, 1, old=["drwaing"])
    finally:
        omv._host_set_version()


def test_a_pc_has_no_helium_and_no_inline_assembler() -> None:
    assert machine.mem32[0xE000EF44] >> 8 & 15 == 0
    with pytest.raises(ValueError, match="aligned"):
        machine.mem32[0xE000EF45]
    with pytest.raises(NotImplementedError):
        machine.mem8[0] = 1
    with pytest.raises(SyntaxError):
        micropython.asm_thumb(lambda r0: None)


def test_the_decorators_do_not_change_functions() -> None:
    def function(x: int) -> int:
        return x + 1

    assert micropython.native(function) is function
    assert micropython.viper(function) is function
    assert micropython.const(7) == 7


def test_heap_locks_nest() -> None:
    micropython.heap_lock()
    micropython.heap_lock()
    assert micropython.heap_unlock() == 1
    assert micropython.heap_locked() == 1
    assert micropython.heap_unlock() == 0


def test_time_gc_and_sys_have_micropythons_functions() -> None:
    _host.install()
    clock: Any = time
    heap: Any = gc
    start = clock.ticks_us()
    clock.sleep_ms(2)
    assert 1000 < clock.ticks_diff(clock.ticks_us(), start) < 10_000_000
    assert clock.ticks_diff(clock.ticks_add(start, -5), start) == -5
    assert clock.ticks_diff(3, clock.ticks_add(3, -(1 << 20))) == 1 << 20
    assert clock.ticks_diff(2, (1 << 30) - 3) == 5  # across the wraparound
    frames = clock.clock()
    frames.tick()
    clock.sleep_us(100)
    assert 0 < frames.fps() < 10_000
    assert heap.mem_free() > 0
    assert heap.mem_alloc() == 0
    text = io.StringIO()
    printer: Any = sys
    printer.print_exception(ValueError("reason"), text)
    assert text.getvalue() == "ValueError: reason\n"


def test_addresses_point_to_the_bytes() -> None:
    data = bytearray(b"abc")
    assert uctypes.bytes_at(uctypes.addressof(data), 3) == b"abc"
    uctypes.bytearray_at(uctypes.addressof(data), 3)[0] = ord("x")
    assert data == b"xbc"


def test_a_star_import_of_sensor_brings_its_functions_and_constants() -> None:
    names: dict[str, Any] = {}
    exec("from sensor import *", names)
    assert {"reset", "snapshot", "set_pixformat", "set_framesize", "skip_frames", "RGB565", "QVGA"} <= names.keys()
