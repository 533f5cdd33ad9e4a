"""lib/n6post/drawing/mask_image.py: `to_image` and `fill_outside` of a Mask."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import gray, pixels
from fakes import Array, Framed, noise
from hypothesis import given
from hypothesis import strategies as st
from synthetic_heads import random_head

pytestmark = pytest.mark.both_firmwares

FRAME = (160, 120)
FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])


def detections_of(source: Any, seed: int = 8, **options: Any) -> Any:
    return random_head(seed, (64, 64), 5, 8, -20).model().run(n6post.YoloV8Seg(0.3, **options), source)


def framed(size: tuple[int, int] = FRAME, roi: tuple[int, int, int, int] | None = None) -> Any:
    return n6post.Stretch(image.Image(*size, image.RGB565), roi=roi)


def tinted(mask: Any, size: tuple[int, int]) -> Array:
    img = image.Image(*size, image.GRAYSCALE)
    mask.draw(img, color=(255, 255, 255), alpha=255)
    return gray(img) != 0


# --- to_image --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("roi", [None, (20, 10, 100, 90)])
def test_the_image_has_the_frames_size_and_is_white_where_draw_tints(roi: tuple[int, int, int, int] | None) -> None:
    detections = detections_of(framed(roi=roi))
    assert len(detections) > 3
    for d in detections:
        made = d.mask.to_image()
        assert (made.width(), made.height(), made.format()) == (*FRAME, image.GRAYSCALE)
        np.testing.assert_array_equal(gray(made), np.where(tinted(d.mask, FRAME), 255, 0))


@pytest.mark.parametrize("size", [(64, 48), (320, 240), (100, 77)])
def test_an_image_of_another_size_is_white_where_draw_tints_it(size: tuple[int, int]) -> None:
    for d in detections_of(framed()):
        np.testing.assert_array_equal(gray(d.mask.to_image(*size)), np.where(tinted(d.mask, size), 255, 0))


def test_to_image_stretches_a_mask_to_any_size_that_is_asked_for() -> None:
    for d in detections_of(framed()):
        tall = gray(d.mask.to_image(FRAME[0], 3 * FRAME[1]))
        assert abs((tall > 0).mean() - (gray(d.mask.to_image()) > 0).mean()) < 0.01


def test_without_a_frame_size_width_and_height_are_required() -> None:
    (d, *_) = detections_of(Framed((0, 0, *FRAME)))
    with pytest.raises(ValueError, match="to_image: expected a width and a height"):
        d.mask.to_image()
    np.testing.assert_array_equal(gray(d.mask.to_image(*FRAME)), np.where(tinted(d.mask, FRAME), 255, 0))


@pytest.mark.parametrize("size", [(0, 5), (5, -1), (5, 1.5), (5, None), ("5", 5)])
def test_a_wrong_image_size_is_refused(size: tuple[Any, Any]) -> None:
    (d, *_) = detections_of(framed())
    with pytest.raises(ValueError, match="(width|height): expected an integer from 1 to 32767, got"):
        d.mask.to_image(*size)


@pytest.mark.parametrize("pixformat", FORMATS)
def test_functions_of_the_firmware_take_the_image_as_their_mask(pixformat: int) -> None:
    (d, *_) = detections_of(framed())
    inside = tinted(d.mask, FRAME)
    img = noise(FRAME, pixformat)
    before = pixels(img)
    img.clear(mask=d.mask.to_image())
    np.testing.assert_array_equal(pixels(img), np.where(inside, 0, before))
    other = noise(FRAME, pixformat, 2)
    img.draw_image(other, 0, 0, mask=d.mask.to_image())
    np.testing.assert_array_equal(pixels(img), np.where(inside, pixels(other), before))


# --- fill_outside ---------------------------------------------------------------------------------------------------------
@on_both_formats
@pytest.mark.parametrize("size", [FRAME, (64, 48), (320, 242)])
@pytest.mark.parametrize("color", [(0, 0, 0), (255, 255, 255), (0, 160, 60)])
def test_fill_outside_paints_everything_that_draw_does_not_tint(pixformat: int, size: tuple[int, int], color: Any) -> None:
    plain = image.Image(*size, pixformat)
    plain.draw_rectangle((0, 0, *size), color=color, fill=True)
    for d in detections_of(framed(roi=(20, 10, 100, 90))):
        img = noise(size, pixformat)
        before = pixels(img)
        assert d.mask.fill_outside(img, color=color) is img
        np.testing.assert_array_equal(pixels(img), np.where(tinted(d.mask, size), before, pixels(plain)))


def test_the_default_color_of_fill_outside_is_black() -> None:
    (d, *_) = detections_of(framed())
    one, other = noise(FRAME), noise(FRAME)
    d.mask.fill_outside(one), d.mask.fill_outside(other, color=(0, 0, 0))
    np.testing.assert_array_equal(pixels(one), pixels(other))


@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.integers(-1, 1), st.booleans())
def test_fill_outside_keeps_exactly_what_draw_tints_for_any_mask(
    seed: int, width: int, taller: int, known: bool
) -> None:
    size = width, max(1, width * 83 // 97 + taller)  # nearly the aspect ratio of the frame
    source = framed((97, 83)) if known else Framed((0, 0, 97, 83))
    model = random_head(seed, (64, 64), 2, 8, -30, 1.3).model()
    for d in model.run(n6post.YoloV8Seg(0.3, max_detections=4), source):
        img = noise(size, image.GRAYSCALE)
        before = pixels(img)
        inside = tinted(d.mask, size)
        d.mask.fill_outside(img, color=(255, 255, 255))
        np.testing.assert_array_equal(pixels(img), np.where(inside, before, 255))


def test_fill_outside_takes_the_mask_of_a_class_too() -> None:
    from fakes import FakeModel, Tensor

    plane = np.zeros((1, 12, 16), np.uint8)
    plane[0, 3:9, 4:12] = 1
    seen = FakeModel([Tensor(plane)], (64, 48)).run(n6post.DeepLab(), framed())
    mask = seen.mask(1)
    assert mask.rect == (40, 30, 80, 60)
    img = noise(FRAME)
    before = pixels(img)
    mask.fill_outside(img)
    np.testing.assert_array_equal(pixels(img), np.where(tinted(mask, FRAME), before, 0))
    assert tinted(mask, FRAME)[32:88, 42:118].all()


@on_both_formats
@pytest.mark.parametrize("size", [(16, 12), (32, 24), (16, 10), (2, 1), (3, 1), (1, 2)])
@pytest.mark.parametrize(("rows", "columns"), [([5], [3, 7, 8]), ([1, 2, 9], [15]), ([11], [2, 4]), ([3, 5], [0])])
def test_fill_outside_is_exact_for_objects_of_one_row_or_column(
    pixformat: int, size: tuple[int, int], rows: list[int], columns: list[int]
) -> None:
    from fakes import FakeModel, Tensor

    plane = np.zeros((1, 12, 16), np.uint8)
    plane[0, rows, columns] = 1  # several pixels of one row or of one column
    seen = FakeModel([Tensor(plane)], (64, 48)).run(n6post.DeepLab(), framed((16, 12)))
    mask = seen.mask(1)
    assert mask.rect == (columns[0], rows[0], columns[-1] - columns[0] + 1, rows[-1] - rows[0] + 1)
    img = noise(size, pixformat)
    before = pixels(img)
    inside = tinted(mask, size)
    if size == (16, 12):
        np.testing.assert_array_equal(inside, plane[0] == 1)
    mask.fill_outside(img, color=(255, 255, 255))
    white = 255 if pixformat == image.GRAYSCALE else 0xFFFF
    np.testing.assert_array_equal(pixels(img), np.where(inside, before, white))
    assert (before != white)[inside].all() or size != (16, 12)


def test_fill_outside_of_an_empty_mask_paints_everything() -> None:
    from fakes import FakeModel, Tensor

    seen = FakeModel([Tensor(np.zeros((1, 12, 16), np.uint8))], (64, 48)).run(n6post.DeepLab(), framed())
    img = noise(FRAME)
    seen.mask(1).fill_outside(img, color=(255, 255, 255))
    assert (pixels(img) == 0xFFFF).all()
    assert not gray(seen.mask(1).to_image()).any()


def test_a_wrong_color_or_image_is_refused_before_painting() -> None:
    (d, *_) = detections_of(framed())
    img = noise(FRAME)
    before = pixels(img)
    with pytest.raises(ValueError, match="color: expected"):
        d.mask.fill_outside(img, color=7)
    with pytest.raises(ValueError, match="expected an RGB565 or GRAYSCALE image"):
        d.mask.fill_outside(image.Image(*FRAME, image.BINARY))
    np.testing.assert_array_equal(pixels(img), before)
