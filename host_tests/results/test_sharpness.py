"""lib/n6post/results/sharpness.py: the variance of the Laplacian, compared with numpy in float64."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Array
from hypothesis import given
from hypothesis import strategies as st

FORMATS = [image.RGB565, image.GRAYSCALE]


def picture(values: Array, pixformat: int) -> Any:
    height, width = values.shape
    img = image.Image(width, height, pixformat)
    kind = np.uint8 if pixformat == image.GRAYSCALE else np.uint16
    np.frombuffer(img.bytearray(), kind).reshape(values.shape)[:] = values.astype(kind)
    return img


def laplacian(img: Any) -> Array:
    """The Laplacian of each inner pixel, of the gray values that the firmware makes."""
    gray = np.frombuffer(img.to_grayscale(copy=True).bytearray(), np.uint8).reshape(img.height(), img.width()).astype(float)
    middle = gray[1:-1, 1:-1]
    return np.asarray(gray[:-2, 1:-1] + gray[2:, 1:-1] + gray[1:-1, :-2] + gray[1:-1, 2:] - 4 * middle)


@pytest.mark.parametrize("pixformat", FORMATS)
@given(st.integers(3, 40), st.integers(3, 40), st.integers(0, 2**16 - 1), st.integers(1, 16))
def test_it_is_the_variance_of_the_laplacian(pixformat: int, width: int, height: int, seed: int, bits: int) -> None:
    img = picture(np.random.default_rng(seed).integers(0, 1 << bits, (height, width)), pixformat)
    assert n6post.sharpness(img) == pytest.approx(laplacian(img).var(), rel=1e-9)


@pytest.mark.parametrize("pixformat", FORMATS)
def test_a_rect_counts_as_the_picture_that_is_cut_out(pixformat: int) -> None:
    img = picture(np.random.default_rng(1).integers(0, 65536, (50, 60)), pixformat)
    for rect in ((0, 0, 60, 50), (3, 4, 20, 30), (57, 47, 3, 3), (0, 49, 60, 1)):
        cut = laplacian(img.copy(roi=rect))
        wanted = cut.var() if cut.size else 0.0
        assert n6post.sharpness(img, rect) == pytest.approx(wanted)
        d = n6post.Detection(rect, 0.5, 0, "", None, None)
        assert n6post.sharpness(img, d) == pytest.approx(wanted)
        if rect == (0, 0, 60, 50):
            assert n6post.sharpness(img, d.replace(frame_size=(60, 50))) == n6post.sharpness(img)
    twice = n6post.Detection((6, 8, 40, 60), 0.5, 0, "", None, None).replace(frame_size=(120, 100))
    assert n6post.sharpness(img, twice) == n6post.sharpness(img, (3, 4, 20, 30))


@pytest.mark.parametrize("pixformat", FORMATS)
@pytest.mark.parametrize(("size", "step"), [((640, 480), 9), ((66, 66), 1), ((67, 66), 2), ((5000, 3), 5), ((3, 5000), 2)])
def test_of_a_large_picture_every_few_columns_and_rows_count(pixformat: int, size: tuple[int, int], step: int) -> None:
    img = picture(np.random.default_rng(2).integers(0, 65536, size[::-1]), pixformat)
    assert n6post.sharpness(img) == pytest.approx(laplacian(img)[::step, ::step].var(), rel=1e-9)


def test_the_largest_sums_do_not_overflow() -> None:
    board = np.indices((66, 66)).sum(axis=0) % 2 * 255
    assert n6post.sharpness(picture(board, image.GRAYSCALE)) == 1020.0**2
    line = np.indices((3, 1026)).sum(axis=0) % 2 * 255
    assert n6post.sharpness(picture(line, image.GRAYSCALE)) == 1020.0**2


def test_a_blurred_picture_has_less_and_one_color_nothing() -> None:
    values = np.random.default_rng(3).integers(0, 256, (60, 60))
    blurred = sum(np.roll(values, shift, axis) for shift in (0, 1, 2) for axis in (0, 1)) // 6
    sharp, soft = [n6post.sharpness(picture(one, image.GRAYSCALE)) for one in (values, blurred)]
    assert sharp > 5 * soft > 0
    assert n6post.sharpness(picture(np.full((20, 20), 0x5A5A), image.RGB565)) == 0.0


def test_other_images_and_parts_outside_are_refused() -> None:
    img = image.Image(20, 10, image.GRAYSCALE)
    for rect in ((0, 0, 21, 10), (-1, 0, 5, 5), (0, 0, 0, 5), (0, 0, 5), (0.0, 0, 5, 5), "rect", 5):
        with pytest.raises(ValueError, match=r"rect: expected \(x, y, w, h\), a part inside of the frame, 20 x 10"):
            n6post.sharpness(img, rect)
    with pytest.raises(ValueError, match="expected an RGB565 or GRAYSCALE image"):
        n6post.sharpness(image.Image(20, 10, image.BINARY))
    with pytest.raises(ValueError, match="aspect ratio"):
        n6post.sharpness(img, n6post.Detection((0, 0, 5, 5), 0.5, 0, "", None, None).replace(frame_size=(99, 99)))
