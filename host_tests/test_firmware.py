"""lib/n6post/firmware.py: differences between firmwares, found by probing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import image
import n6post
import numpy as np
import omv
import pytest
from assertions import rgb565, text_of
from fakes import FakeModel, Framed, Tensor
from ml import preprocessing
from n6post import firmware
from n6post.inputs import transform

SIZE, ROI = (32, 32), (0, 0, 64, 32)
STRETCHED, CROPPED = (2.0, 0.0), (1.0, 16.0)  # x scale and offset of the transform


@pytest.fixture(autouse=True)
def default_firmware() -> Iterator[None]:
    omv._host_set_version()
    yield
    omv._host_set_version()


def across(source: Any = None) -> tuple[float, float]:
    mapping = transform.transform_of([source or Framed(ROI)], SIZE)
    return mapping.sx, mapping.ox


def labeled() -> Any:
    """A frame with one label on it."""
    img = image.Image(120, 60, image.RGB565)
    n6post.draw(img, [n6post.Detection((10, 20, 80, 30), 0.876, 0, "cat", None, None)], masks=False)
    return rgb565(img)


def legend() -> Any:
    img = image.Image(120, 60, image.RGB565)
    square = Framed((0, 0, 60, 60))  # the same for both ways of scaling
    found = FakeModel([Tensor(np.uint8([[[1, 0], [0, 2]]]))], SIZE).run(n6post.DeepLab(), square)
    return rgb565(found.draw(img, legend=True))


# --- text ---
@pytest.mark.parametrize("picture", [labeled, legend])
def test_text_looks_the_same_on_both_firmwares(picture: Callable[[], Any]) -> None:
    new = picture()
    omv._host_set_version(4, 8, 1)
    np.testing.assert_array_equal(picture(), new)


@pytest.mark.parametrize("picture", [labeled, legend])
def test_text_is_drawn_on_builds_with_a_new_version_and_old_draw_string(picture: Callable[[], Any]) -> None:
    """In builds of early 2026 the version was 5 and draw_string still took (x, y, text)."""
    new = picture()
    omv._host_set_version(5, 0, 0, old=["drawing"])
    np.testing.assert_array_equal(picture(), new)
    omv._host_set_version(4, 8, 1, old=["ulab"])  # and vice versa
    np.testing.assert_array_equal(picture(), new)


@pytest.mark.parametrize("version", [(5, 0, 0), (4, 8, 1)])
def test_draw_string_is_probed_once_and_not_on_the_frame(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    omv._host_set_version(*version)
    labeled()  # the font has these glyphs now, whichever tests ran before
    firmware._results.clear()
    real = image.Image.draw_string
    written: list[tuple[int, str]] = []

    def noting(img: Any, *arguments: Any, **options: Any) -> Any:
        written.append((img.width(), text_of(arguments)[1]))
        return real(img, *arguments, **options)

    monkeypatch.setattr(image.Image, "draw_string", noting)
    labeled()
    labeled()
    tries = 1 if version >= (5, 0, 0) else 2  # first (x, y), text; if that is refused, (x, y, text)
    assert written == [(1, "")] * tries + [(120, "cat 88%"), (120, "cat 88%")]


def test_frame_without_text_does_not_try_draw_string() -> None:
    img = image.Image(32, 32, image.RGB565)
    n6post.draw(img, [n6post.Detection((1, 2, 9, 9), 0.5, 0, "cat", None, None)], labels=False)
    assert firmware._results == {}


# --- inputs and results ---
def test_the_picture_of_an_input_is_found() -> None:
    img = image.Image(8, 6, image.GRAYSCALE)
    assert firmware.picture_of(preprocessing.Normalization()(img)) is img
    assert firmware.picture_of(n6post.Letterbox(img)) is img
    assert firmware.picture_of(None) is firmware.picture_of(bytearray(8)) is None


# --- scaling of plain images ---
def seen_column(column: int) -> int:
    """One of 8 input pixels for an image of 64 x 1 pixels: white, black in the middle half, white."""
    row = image.Image(64, 1, image.GRAYSCALE, buffer=bytearray(b"\xff" * 16 + bytes(32) + b"\xff" * 16))
    tensor = bytearray(8)
    preprocessing.Normalization()(row)(tensor, (1, 1, 8, 1), ord("B"))
    return tensor[column]


def test_plain_image_transform_follows_normalization_not_the_version() -> None:
    """Builds of early 2026 had version 5 and cropped as 4.8.1 does; some had the old draw_string too."""
    assert across() == STRETCHED and seen_column(0) == 255
    for old in (["fit"], ["fit", "drawing"]):
        omv._host_set_version(5, 0, 0, old=old)
        assert omv.version_major == 5 and not firmware.stretches_plain_image()
        assert across() == CROPPED and seen_column(0) == 0
    omv._host_set_version(4, 8, 1)
    assert not firmware.stretches_plain_image() and across() == CROPPED and seen_column(0) == 0
    omv._host_set_version(4, 8, 1, old=["drawing", "ulab"])
    assert omv.version_major == 4 and firmware.stretches_plain_image() and across() == STRETCHED and seen_column(0) == 255


def test_scaling_is_probed_once_and_only_for_plain_images(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[int] = []

    class Counted(preprocessing.Normalization):
        def __init__(self, *arguments: Any) -> None:
            made.append(1)
            super().__init__(*arguments)

    monkeypatch.setattr(preprocessing, "Normalization", Counted)
    img = image.Image(64, 32, image.RGB565)
    for source in (n6post.Stretch(img), n6post.Crop(img), n6post.Letterbox(img), object()):
        across(source)
    assert not made
    assert across() == STRETCHED and made
    once = len(made)
    transform.transform_of([Framed((0, 0, 48, 32))], SIZE)
    assert len(made) == once


@pytest.mark.parametrize("missing", [("ml", "ml.preprocessing"), ("ml.preprocessing",), ("image",)])
def test_without_a_module_to_probe_the_version_decides(monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    assert across() == STRETCHED
    firmware._results.clear()
    monkeypatch.setattr(omv, "version_major", 4)
    assert across() == CROPPED


@pytest.mark.parametrize("error", [TypeError, ValueError, AttributeError, OSError])
def test_incompatible_normalization_falls_back_to_the_version(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refusing(*arguments: Any) -> Any:
        raise error("expected something else")

    monkeypatch.setattr(preprocessing, "Normalization", refusing)
    assert across() == STRETCHED
    firmware._results.clear()
    monkeypatch.setattr(omv, "version_major", 4)
    assert across() == CROPPED


def test_without_ml_and_omv_a_plain_image_counts_as_stretched(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ml", "ml.preprocessing", "omv"):
        monkeypatch.setitem(sys.modules, name, None)
    assert across() == STRETCHED


@pytest.mark.parametrize("missing", [("omv",), ("omv", "ml", "ml.preprocessing")])
def test_without_omv_results_and_drawings_are_the_same(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]
) -> None:
    """On custom firmware or another port, differences are probed, or 5.0 is assumed."""
    wanted = [labeled(), legend()], across()
    firmware._results.clear()
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    assert across() == wanted[1] == STRETCHED
    for got, expected in zip([labeled(), legend()], wanted[0], strict=True):
        np.testing.assert_array_equal(got, expected)
    head = np.zeros((1, 5, 21), np.float32)
    head[0, :, 3] = 0.5, 0.5, 0.25, 0.5, 0.9
    (d,) = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(), Framed(ROI))
    assert d.rect == (24, 8, 16, 16)


@pytest.mark.parametrize("attribute", ["version_major", None])
def test_omv_without_a_version_counts_as_the_newer_firmware(
    monkeypatch: pytest.MonkeyPatch, attribute: str | None
) -> None:
    for name in ("ml", "ml.preprocessing"):
        monkeypatch.setitem(sys.modules, name, None)
    if attribute is None:
        monkeypatch.setitem(sys.modules, "omv", None)
    else:
        monkeypatch.delattr(omv, attribute)
    assert firmware.stretches_plain_image() is True and across() == STRETCHED


def test_memoryerror_while_probing_is_raised_and_probed_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*arguments: Any, **options: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(image, "Image", no_room)
        with pytest.raises(MemoryError):
            firmware.stretches_plain_image()
        with pytest.raises(MemoryError):
            firmware.draw_string_takes_xy_tuple()
    omv._host_set_version(4, 8, 1)
    assert (firmware.stretches_plain_image(), firmware.draw_string_takes_xy_tuple()) == (False, False)


@pytest.mark.parametrize("version", [(5, 0, 0), (4, 8, 1)])
def test_failed_probe_is_repeated(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    """Otherwise every later label would use the wrong call and raise."""
    omv._host_set_version(*version, old=["drawing", "fit"])  # behaves as 4.8.1 whatever the version
    for name, ask in (
        ("draw_string", firmware.draw_string_takes_xy_tuple),
        ("Image", firmware.stretches_plain_image),
        ("Image", firmware.draw_string_takes_xy_tuple),
    ):
        firmware._results.clear()

        def refusing(*arguments: Any, **options: Any) -> Any:
            raise ValueError("not now")

        with monkeypatch.context() as patched:
            patched.setattr(image if name == "Image" else image.Image, name, refusing)
            try:
                ask()
            except ValueError:
                pass
        assert firmware._results == {}, name
        assert ask() is False
