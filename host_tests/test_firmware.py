"""lib/n6post/firmware.py: what the firmware at hand does otherwise than another, told by trying and not by its number."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import omv
import pytest
from checks import rgb565, text_of
from fakes import FakeModel, Framed, Tensor
from ml import preprocessing
from n6post import firmware, geometry

LIB = Path(__file__).parents[1] / "lib" / "n6post"
SIZE, ROI = (32, 32), (0, 0, 64, 32)
STRETCHED, CROPPED = (2.0, 0.0), (1.0, 16.0)  # x scale and offset of the Fit


@pytest.fixture(autouse=True)
def default_firmware() -> Iterator[None]:
    omv._host_set_version()
    yield
    omv._host_set_version()


def across(source: Any = None) -> tuple[float, float]:
    fit = geometry.fit_of([source or Framed(ROI)], SIZE)
    return fit.sx, fit.ox


def labelled() -> Any:
    """A frame with one label on it."""
    img = image.Image(120, 60, image.RGB565)
    n6post.draw(img, [n6post.Detection((10, 20, 80, 30), 0.876, 0, "cat", None, None)], masks=False)
    return rgb565(img)


def legend() -> Any:
    img = image.Image(120, 60, image.RGB565)
    square = Framed((0, 0, 60, 60))  # fits the input in either way
    found = FakeModel([Tensor(np.uint8([[[1, 0], [0, 2]]]))], SIZE).run(n6post.DeepLab(), square)
    return rgb565(found.draw(img, legend=True))


# --- text ------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("picture", [labelled, legend])
def test_text_looks_the_same_on_both_firmwares(picture: Callable[[], Any]) -> None:
    new = picture()
    omv._host_set_version(4, 8, 1)
    np.testing.assert_array_equal(picture(), new)


@pytest.mark.parametrize("picture", [labelled, legend])
def test_a_development_build_with_the_new_number_and_the_old_draw_string_is_written_on(picture: Callable[[], Any]) -> None:
    """Builds of early 2026 were that: the version said 5, draw_string still took (x, y, text)."""
    new = picture()
    omv._host_set_version(5, 0, 0, old=["drawing"])
    np.testing.assert_array_equal(picture(), new)
    omv._host_set_version(4, 8, 1, old=["ulab"])  # and the other way round
    np.testing.assert_array_equal(picture(), new)


@pytest.mark.parametrize("version", [(5, 0, 0), (4, 8, 1)])
def test_draw_string_is_tried_once_and_not_on_the_frame(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    omv._host_set_version(*version)
    real = image.Image.draw_string
    written: list[tuple[int, str]] = []

    def noting(img: Any, *arguments: Any, **options: Any) -> Any:
        written.append((img.width(), text_of(arguments)[1]))
        return real(img, *arguments, **options)

    monkeypatch.setattr(image.Image, "draw_string", noting)
    labelled()
    labelled()
    tries = 1 if version >= (5, 0, 0) else 2  # (x, y), text; where that is refused (x, y, text)
    assert written == [(1, "")] * tries + [(120, "cat 88%"), (120, "cat 88%")]


def test_a_frame_without_text_tries_nothing() -> None:
    img = image.Image(32, 32, image.RGB565)
    n6post.draw(img, [n6post.Detection((1, 2, 9, 9), 0.5, 0, "cat", None, None)], labels=False)
    assert firmware._found == {}


# --- the fit ---------------------------------------------------------------------------------------------------------
def seen_column(column: int) -> int:
    """What a network of one row of 8 pixels sees in one of them of an image 64 wide: white, a black middle, white."""
    row = image.Image(64, 1, image.GRAYSCALE, buffer=bytearray(b"\xff" * 16 + bytes(32) + b"\xff" * 16))
    tensor = bytearray(8)
    preprocessing.Normalization()(row)(tensor, (1, 1, 8, 1), ord("B"))
    return tensor[column]


def test_a_plain_image_is_fitted_as_normalization_does_it_whatever_the_version_says() -> None:
    """Builds of early 2026 cropped as 4.8.1 does and said 5: only the fit is old in them, or the drawing too."""
    assert across() == STRETCHED and seen_column(0) == 255
    for old in (["fit"], ["fit", "drawing"]):
        omv._host_set_version(5, 0, 0, old=old)
        assert omv.version_major == 5 and not firmware.stretches()
        assert across() == CROPPED and seen_column(0) == 0
    omv._host_set_version(4, 8, 1)
    assert not firmware.stretches() and across() == CROPPED and seen_column(0) == 0
    omv._host_set_version(4, 8, 1, old=["drawing", "ulab"])
    assert omv.version_major == 4 and firmware.stretches() and across() == STRETCHED and seen_column(0) == 255


def test_the_fit_is_tried_once_and_for_plain_images_only(monkeypatch: pytest.MonkeyPatch) -> None:
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
    geometry.fit_of([Framed((0, 0, 48, 32))], SIZE)
    assert len(made) == once


@pytest.mark.parametrize("missing", [("ml", "ml.preprocessing"), ("ml.preprocessing",), ("image",)])
def test_without_a_module_to_try_the_version_tells(monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]) -> None:
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    assert across() == STRETCHED
    firmware._found.clear()
    monkeypatch.setattr(omv, "version_major", 4)
    assert across() == CROPPED


@pytest.mark.parametrize("error", [TypeError, ValueError, AttributeError, OSError])
def test_a_normalization_of_another_kind_is_no_error_and_the_version_tells(
    monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    def refusing(*arguments: Any) -> Any:
        raise error("expected something else")

    monkeypatch.setattr(preprocessing, "Normalization", refusing)
    assert across() == STRETCHED
    firmware._found.clear()
    monkeypatch.setattr(omv, "version_major", 4)
    assert across() == CROPPED


def test_without_ml_and_omv_a_plain_image_counts_as_stretched(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ml", "ml.preprocessing", "omv"):
        monkeypatch.setitem(sys.modules, name, None)
    assert across() == STRETCHED


@pytest.mark.parametrize("missing", [("omv",), ("omv", "ml", "ml.preprocessing")])
def test_without_omv_every_family_finds_and_draws_what_it_does_with_it(
    monkeypatch: pytest.MonkeyPatch, missing: tuple[str, ...]
) -> None:
    """Firmware of one's own, or another port: what the version would say is found out by trying, or taken for 5.0's."""
    wanted = [labelled(), legend()], across()
    firmware._found.clear()
    for name in missing:
        monkeypatch.setitem(sys.modules, name, None)
    assert across() == wanted[1] == STRETCHED
    for got, expected in zip([labelled(), legend()], wanted[0], strict=True):
        np.testing.assert_array_equal(got, expected)
    head = np.zeros((1, 5, 21), np.float32)
    head[0, :, 3] = 0.5, 0.5, 0.25, 0.5, 0.9
    (d,) = FakeModel([Tensor(head)], SIZE).run(n6post.YoloV8(), Framed(ROI))
    assert d.rect == (24, 8, 16, 16)


@pytest.mark.parametrize("attribute", ["version_major", None])
def test_an_omv_that_tells_no_version_counts_as_the_newer_firmware(
    monkeypatch: pytest.MonkeyPatch, attribute: str | None
) -> None:
    for name in ("ml", "ml.preprocessing"):
        monkeypatch.setitem(sys.modules, name, None)
    if attribute is None:
        monkeypatch.setitem(sys.modules, "omv", None)
    else:
        monkeypatch.delattr(omv, attribute)
    assert firmware.stretches() is True and across() == STRETCHED


def test_a_memoryerror_while_trying_is_raised_and_the_next_frame_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_room(*arguments: Any, **options: Any) -> Any:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(image, "Image", no_room)
        with pytest.raises(MemoryError):
            firmware.stretches()
        with pytest.raises(MemoryError):
            firmware.text_apart()
    omv._host_set_version(4, 8, 1)
    assert (firmware.stretches(), firmware.text_apart()) == (False, False)


@pytest.mark.parametrize("version", [(5, 0, 0), (4, 8, 1)])
def test_a_firmware_that_refuses_one_call_while_it_is_tried_is_tried_again(
    monkeypatch: pytest.MonkeyPatch, version: tuple[int, int, int]
) -> None:
    """Else every later label would be written the other firmware's way, and raise."""
    omv._host_set_version(*version, old=["drawing", "fit"])  # 4.8.1's ways, whatever the number says
    for name, ask in (("draw_string", firmware.text_apart), ("Image", firmware.stretches), ("Image", firmware.text_apart)):
        firmware._found.clear()

        def refusing(*arguments: Any, **options: Any) -> Any:
            raise ValueError("not now")

        with monkeypatch.context() as patched:
            patched.setattr(image if name == "Image" else image.Image, name, refusing)
            try:
                ask()
            except ValueError:
                pass
        assert firmware._found == {}, name
        assert ask() is False


# --- ulab ------------------------------------------------------------------------------------------------------------
def test_nothing_of_the_library_asks_ulab_for_what_the_older_firmware_lacks() -> None:
    """ulab 6.7.3 of 4.8.1: no bincount, meshgrid, .ndim, and a transpose() without axes. (% of arrays is for the tests.)"""
    found = []
    for path in sorted(LIB.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in ("bincount", "meshgrid", "ndim"):
                found.append(f"{path.name}: .{node.attr}")
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "transpose":
                assert not node.args and not node.keywords, f"{path.name}: transpose with axes"
    assert found == []
