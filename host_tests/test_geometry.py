"""lib/n6post/geometry.py: from the frame into the model input and back, for every way to fit one into the other."""

from typing import Any

import image
import n6post
import numpy as np
import pytest
import reference
from fakes import FakeModel, Framed, Tensor
from hypothesis import given
from hypothesis import strategies as st
from ml.preprocessing import Normalization
from n6post import geometry
from numpy.testing import assert_allclose
from scenes import Thing, float_head, random_head

INPUTS = {"stretch": n6post.Stretch, "crop": n6post.Crop, "letterbox": n6post.Letterbox}
INT8 = ord("b")


def frame(width: int = 640, height: int = 480) -> Any:
    return image.Image(width, height, image.RGB565)


def to_frame(fit: Any, x: float, y: float) -> tuple[float, float]:
    """The formula of Fit's docstring."""
    return x * fit.sx + fit.ox, y * fit.sy + fit.oy


def mapped(fit: Any, points: Any) -> Any:
    return np.array([to_frame(fit, float(x), float(y)) for x, y in points])


# --- mappings --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize(
    ("size", "roi"),
    [
        ((320, 320), (0, 0, 640, 480)),
        ((320, 320), (0, 0, 240, 320)),
        ((192, 192), (0, 0, 192, 192)),
        ((64, 96), (16, 40, 128, 64)),
        ((320, 192), (8, 4, 320, 320)),
    ],
)
def test_every_input_maps_as_the_reference(
    kind: str, size: tuple[int, int], roi: tuple[int, int, int, int]
) -> None:
    points = np.array([[0, 0], [size[0], size[1]], [10, 20], [size[0] / 2, 0]])
    fit = geometry.fit_of([INPUTS[kind](frame(), roi)], size)
    # A crop begins at a whole pixel of the frame, so it may be up to half a pixel off the centre.
    limit = 0.51 if kind == "crop" else 1e-4
    assert_allclose(mapped(fit, points), reference.to_frame(points, kind, size, roi), atol=limit)


def test_without_a_roi_an_input_is_the_whole_image() -> None:
    for kind in INPUTS.values():
        fit = geometry.fit_of([kind(frame(640, 480))], (320, 320))
        assert tuple(fit.roi) == (0, 0, 640, 480)
        assert_allclose(to_frame(fit, 160, 160), (320, 240))


@given(
    st.sampled_from(list(INPUTS)),
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 700), st.integers(1, 700)),
)
def test_the_middle_of_the_input_is_the_middle_of_the_roi(
    kind: str, tiles: tuple[int, int], roi: tuple[int, int, int, int]
) -> None:
    size = (32 * tiles[0], 32 * tiles[1])
    fit = geometry.fit_of([INPUTS[kind](frame(800, 800), roi)], size)
    # One pixel of rounding on the shorter side is all that the true mapping and the whole pixels may differ by.
    loss = max(roi[2] / size[0], roi[3] / size[1]) + 1
    centre = to_frame(fit, size[0] / 2, size[1] / 2)
    assert_allclose(centre, (roi[0] + roi[2] / 2, roi[1] + roi[3] / 2), atol=loss)


@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (32, 16, 320, 240), (5, 0, 300, 333)])
def test_a_plain_image_maps_as_the_running_firmware_fits_it(
    as_firmware: tuple[int, int, int], roi: tuple[int, int, int, int]
) -> None:
    size = (320, 192)
    points = np.array([[0, 0], [320, 192], [100, 50]])
    kind = "stretch" if as_firmware[0] == 5 else "crop"
    fit = geometry.fit_of([Framed(roi)], size)
    assert_allclose(mapped(fit, points), reference.to_frame(points, kind, size, roi), rtol=1e-6)


def test_an_input_without_a_roi_is_its_own_frame() -> None:
    for source in (object(), lambda buffer, shape, dtype: None):
        fit = geometry.fit_of([source], (320, 192))
        assert to_frame(fit, 10, 20) == (10, 20) and tuple(fit.roi) == (0, 0, 320, 192)


def test_a_fit_that_still_holds_is_handed_back_itself_and_no_other() -> None:
    """It saves the setting up a frame; a changed roi or another kind of input makes a new one."""
    size = (64, 64)
    for source in (Framed((0, 0, 128, 96)), n6post.Letterbox(frame(128, 96)), n6post.Crop(frame(128, 96)), object()):
        fit = geometry.fit_of([source], size)
        assert geometry.fit_of([source], size, fit) is fit
        for other in (Framed((0, 0, 128, 97)), n6post.Stretch(frame(128, 96)), n6post.Letterbox(frame(90, 96))):
            changed = geometry.fit_of([other], size, fit)
            assert changed is not fit
            fresh = geometry.fit_of([other], size)
            assert_allclose(to_frame(changed, 3, 5), to_frame(fresh, 3, 5))


# --- what the network gets to see ------------------------------------------------------------------------------------
def seen(source: Any, size: tuple[int, int], channels: int = 3) -> Any:
    """What an input writes into an int8 tensor, as bytes 0..255."""
    buffer = bytearray(size[0] * size[1] * channels)
    source(buffer, (1, size[1], size[0], channels), INT8)
    values = np.frombuffer(buffer, np.int8).astype(int) + 128
    return values.reshape(size[1], size[0], channels)


MARK = (292, 188, 60, 44)  # in the middle, where a crop keeps it


def marked(width: int = 640, height: int = 480) -> Any:
    img = frame(width, height)
    img.draw_rectangle(MARK, color=(255, 0, 0), fill=True)
    return img


@pytest.mark.parametrize("kind", ["plain", *INPUTS])
@pytest.mark.parametrize("size", [(320, 320), (192, 96), (96, 224)])
@pytest.mark.parametrize("roi", [None, (120, 90, 400, 240)])
def test_what_is_seen_in_the_input_maps_back_to_where_it_is_in_the_frame(
    as_firmware: tuple[int, int, int], kind: str, size: tuple[int, int], roi: tuple[int, int, int, int] | None
) -> None:
    img = marked()
    source = Normalization(roi=roi)(img) if kind == "plain" else INPUTS[kind](img, roi)
    red = seen(source, size)[:, :, 0] > 127
    rows, columns = np.flatnonzero(red.any(axis=1)), np.flatnonzero(red.any(axis=0))
    fit = geometry.fit_of([source], size)
    corners = mapped(fit, [(columns[0], rows[0]), (columns[-1] + 1, rows[-1] + 1)])
    x, y, w, h = MARK
    # An edge is seen to half a pixel of the input; the firmware's BILINEAR shifts by another half, and its roi, which
    # begins at a whole pixel of what is drawn, by less than one.
    limit = 1.1 * max(fit.sx, fit.sy) if roi is None else 1.9 * max(fit.sx, fit.sy)
    assert_allclose(corners, [[x, y], [x + w, y + h]], atol=limit)


@pytest.mark.parametrize("size", [(320, 320), (96, 224)])
def test_a_letterbox_is_grey_beside_the_picture_and_keeps_its_aspect_ratio(
    as_firmware: tuple[int, int, int], size: tuple[int, int]
) -> None:
    img = frame(640, 480)
    img.draw_rectangle((0, 0, 640, 480), color=(255, 255, 255), fill=True)
    values = seen(n6post.Letterbox(img), size)
    height = size[0] * 3 // 4
    top = (size[1] - height) // 2
    assert (values[top : top + height] == 255).all()
    bars = np.concatenate([values[:top], values[top + height :]])
    assert bars.size and np.abs(bars - 114).max() <= 4  # 114 in the 5 and 6 bits of RGB565


def test_a_letterbox_of_an_upright_picture_has_its_bars_left_and_right() -> None:
    img = frame(120, 240)
    img.draw_rectangle((0, 0, 120, 240), color=(255, 255, 255), fill=True)
    values = seen(n6post.Letterbox(img), (64, 64))
    assert (values[:, 16:48] == 255).all()
    assert np.abs(values[:, [0, 15, 48, 63]] - 114).max() <= 4


def test_one_input_may_be_reused_and_shows_no_frame_before() -> None:
    first, second = frame(64, 64), frame(64, 32)
    first.draw_rectangle((0, 0, 64, 64), color=(255, 255, 255), fill=True)
    assert (seen(n6post.Letterbox(first), (64, 64)) == 255).all()
    values = seen(n6post.Letterbox(second), (64, 64))
    assert (values[16:48] == 0).all() and np.abs(values[:16] - 114).max() <= 4


@pytest.mark.parametrize(("width", "height", "side"), [(41, 47, 32), (55, 82, 32), (305, 266, 320)])
def test_the_picture_reaches_the_last_row_and_column_where_float32_makes_their_scale_too_small(
    width: int, height: int, side: int
) -> None:
    """The float32 next to 32 / 41, times 41, is less than 32; what was on the canvas before must not show."""
    for length in (width, height):
        assert np.float32(side / length) * np.float32(length) < side
    black, white = frame(width, height), frame(width, height)
    white.draw_rectangle((0, 0, width, height), color=(255, 255, 255), fill=True)
    seen(n6post.Stretch(black), (side, side))
    assert (seen(n6post.Stretch(white), (side, side)) == 255).all()


def test_a_grey_model_gets_a_grey_picture() -> None:
    img = frame(64, 64)
    img.draw_rectangle((0, 0, 64, 64), color=(255, 255, 255), fill=True)
    for kind in INPUTS.values():
        assert (seen(kind(img), (32, 32), channels=1) == 255).all()


def test_normalization_options_are_passed_on() -> None:
    img = frame(32, 32)
    img.draw_rectangle((0, 0, 32, 32), color=(255, 255, 255), fill=True)
    buffer = bytearray(32 * 32 * 3 * 4)
    n6post.Stretch(img, scale=(-1.0, 1.0))(buffer, (1, 32, 32, 3), ord("f"))
    assert_allclose(np.frombuffer(buffer, np.float32), 1.0, rtol=1e-6)


# --- processors ------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("roi", [None, (40, 20, 400, 300)])
def test_detections_come_in_frame_pixels(kind: str, roi: tuple[int, int, int, int] | None) -> None:
    size = (64, 64)
    source = INPUTS[kind](frame(), roi)
    inside = [Thing(5, (24, 22, 40, 36), {0: 0.9}), Thing(8, (-9, 28, 70, 30), {1: 0.8})]
    found = FakeModel([Tensor(float_head(size, 2, inside))], size).run(n6post.YoloV8(), source)
    fit = geometry.fit_of([source], size)
    left, top, width, height = roi or (0, 0, 640, 480)
    for d, thing in zip(found, inside, strict=True):
        corners = [*to_frame(fit, *thing.box[:2]), *to_frame(fit, *thing.box[2:])]
        low = [left, top, left, top]
        high = [left + width, top + height] * 2
        clipped = np.clip(corners, low, high)
        x, y, w, h = d.rect
        assert np.abs(np.array([x, y, x + w, y + h]) - clipped).max() <= 0.51


def test_a_letterboxed_mask_lies_where_its_box_lies() -> None:
    head = random_head(8, (64, 64), 2, 8, -20)
    found = head.model().run(n6post.YoloV8Seg(0.3, mask_padding=0), n6post.Letterbox(frame(320, 160)))
    assert len(found) > 1
    for d in found:
        canvas = image.Image(320, 160, image.RGB565)
        d.mask.draw(canvas, (255, 255, 255), 255)
        pixels = np.frombuffer(bytes(canvas.bytearray()), np.uint16).reshape(160, 320)
        rows, columns = np.nonzero(pixels)
        x, y, w, h = d.rect
        if len(rows):
            assert x <= columns.min() and columns.max() < x + w and y <= rows.min() and rows.max() < y + h


# --- refusals --------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("roi", "expected"),
    [
        ((0, 0, 0, 10), "at least one pixel"),
        ((0, 0, 10, 0), "at least one pixel"),
        ((0, 0, 10, -1), "at least one pixel"),
        ((0, 0, 10), "four integers"),
        ((), "four integers"),
        (5, "four integers"),
        ("abcd", "four integers"),
        ((0.0, 0, 10, 10), "four integers"),
        ((0, 0, 65536, 10), "at most 65535 x 65535"),
        ((0, 0, 10, 1 << 40), "at most 65535 x 65535"),
        ((-70000, 0, 10, 10), "at most 65535 x 65535"),
        ((0, 1 << 31, 10, 10), "at most 65535 x 65535"),
        ((-1, 0, 10, 10), "inside the image"),
        ((0, 0, 1000, 10), "inside the image"),
        ((0, 470, 10, 20), "inside the image"),
    ],
)
def test_a_roi_that_is_no_part_of_the_image_is_refused(roi: Any, expected: str) -> None:
    """What lies outside would be left of the frame before: the canvas is kept."""
    for kind in INPUTS.values():
        with pytest.raises(ValueError, match=rf"roi: expected .*{expected}.*, got"):
            kind(image.Image(640, 480, image.RGB565), roi)


@pytest.mark.parametrize("shape", [(1, 32, 32, 4), (1, 3, 32, 32), (32, 32, 3), (1, 32)])
def test_a_model_input_that_is_no_picture_is_refused(shape: tuple[int, ...]) -> None:
    for kind in INPUTS.values():
        with pytest.raises(ValueError, match=r"expected a model input.*, got"):
            kind(frame())(bytearray(4096), shape, INT8)
