"""lib/n6post/inputs: from the frame into the model input and back, for every input transform."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from unittest import mock

import image
import n6post
import numpy as np
import pytest
import reference
from assertions import assert_rect, says
from fakes import FakeModel, Framed, Tensor, noise
from hypothesis import given
from hypothesis import strategies as st
from ml.preprocessing import Normalization
from n6post.inputs import transform
from numpy.testing import assert_allclose
from synthetic_heads import Thing, float_head, random_head

pytestmark = pytest.mark.both_firmwares

INPUTS = {"stretch": n6post.Stretch, "crop": n6post.Crop, "letterbox": n6post.Letterbox}
INT8 = ord("b")


def frame(width: int = 640, height: int = 480) -> Any:
    return image.Image(width, height, image.RGB565)


def to_frame(mapping: Any, x: float, y: float) -> tuple[float, float]:
    """The formula of InputTransform's docstring."""
    return x * mapping.sx + mapping.ox, y * mapping.sy + mapping.oy


def mapped(mapping: Any, points: Any) -> Any:
    return np.array([to_frame(mapping, float(x), float(y)) for x, y in points])


# --- mappings ---
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
def test_every_input_maps_like_the_reference(
    kind: str, size: tuple[int, int], roi: tuple[int, int, int, int]
) -> None:
    points = np.array([[0, 0], [size[0], size[1]], [10, 20], [size[0] / 2, 0]])
    mapping = transform.transform_of([INPUTS[kind](frame(), roi)], size)
    # A crop begins at a whole pixel of the frame, so its center may be off by half a pixel.
    limit = 0.51 if kind == "crop" else 1e-4
    assert_allclose(mapped(mapping, points), reference.to_frame(points, kind, size, roi), atol=limit)


def test_without_a_roi_the_whole_image_is_the_input() -> None:
    for kind in INPUTS.values():
        mapping = transform.transform_of([kind(frame(640, 480))], (320, 320))
        assert tuple(mapping.roi) == (0, 0, 640, 480)
        assert_allclose(to_frame(mapping, 160, 160), (320, 240))


@given(
    st.sampled_from(list(INPUTS)),
    st.tuples(st.integers(1, 20), st.integers(1, 20)),
    st.tuples(st.integers(0, 50), st.integers(0, 50), st.integers(1, 700), st.integers(1, 700)),
)
def test_center_of_the_input_maps_to_the_center_of_the_roi(
    kind: str, tiles: tuple[int, int], roi: tuple[int, int, int, int]
) -> None:
    size = (32 * tiles[0], 32 * tiles[1])
    mapping = transform.transform_of([INPUTS[kind](frame(800, 800), roi)], size)
    # The exact mapping and whole pixels may differ by one pixel of rounding on the shorter side.
    loss = max(roi[2] / size[0], roi[3] / size[1]) + 1
    center = to_frame(mapping, size[0] / 2, size[1] / 2)
    assert_allclose(center, (roi[0] + roi[2] / 2, roi[1] + roi[3] / 2), atol=loss)


@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (32, 16, 320, 240), (5, 0, 300, 333)])
def test_plain_image_maps_as_the_running_firmware_scales_it(
    as_firmware: tuple[int, int, int], roi: tuple[int, int, int, int]
) -> None:
    size = (320, 192)
    points = np.array([[0, 0], [320, 192], [100, 50]])
    kind = "stretch" if as_firmware[0] == 5 else "expand"
    mapping = transform.transform_of([Framed(roi)], size)
    assert_allclose(mapped(mapping, points), reference.to_frame(points, kind, size, roi), rtol=1e-6)


def test_input_without_a_roi_is_its_own_frame() -> None:
    for source in (object(), lambda buffer, shape, dtype: None):
        mapping = transform.transform_of([source], (320, 192))
        assert to_frame(mapping, 10, 20) == (10, 20) and tuple(mapping.roi) == (0, 0, 320, 192)


@pytest.mark.parametrize("kind", ["plain", *INPUTS])
@pytest.mark.parametrize("roi", [None, (0, 0, 300, 200), (32, 16, 320, 240)])
def test_transform_has_the_roi_and_the_frame_size(kind: str, roi: tuple[int, int, int, int] | None) -> None:
    source = Normalization(roi=roi)(frame(640, 480)) if kind == "plain" else INPUTS[kind](frame(640, 480), roi)
    mapping = transform.transform_of([source], (320, 192))
    assert (tuple(mapping.roi), mapping.frame_size) == (roi or (0, 0, 640, 480), (640, 480))


def test_frame_size_is_none_if_the_input_shows_no_frame() -> None:
    assert transform.transform_of([Framed((0, 0, 64, 48))], (320, 192)).frame_size is None
    with_a_method = mock.Mock(roi=lambda: (0, 0, 64, 48))  # such as that of an image
    for inputs in ([], None, [object()], [with_a_method]):
        mapping = transform.transform_of(inputs, (320, 192))
        assert mapping.frame_size == (320, 192) and tuple(mapping.roi) == (0, 0, 320, 192)


def test_unchanged_input_returns_the_same_transform_object() -> None:
    """That saves time in every frame. A changed roi or another input type gives a new transform."""
    size = (64, 64)
    for source in (Framed((0, 0, 128, 96)), n6post.Letterbox(frame(128, 96)), n6post.Crop(frame(128, 96)), object()):
        mapping = transform.transform_of([source], size)
        assert transform.transform_of([source], size, mapping) is mapping
        for other in (Framed((0, 0, 128, 97)), n6post.Stretch(frame(128, 96)), n6post.Letterbox(frame(90, 96))):
            changed = transform.transform_of([other], size, mapping)
            assert changed is not mapping
            fresh = transform.transform_of([other], size)
            assert_allclose(to_frame(changed, 3, 5), to_frame(fresh, 3, 5))


# --- what the network sees ---
def seen(source: Any, size: tuple[int, int], channels: int = 3) -> Any:
    """What an input writes into an int8 tensor, as bytes 0..255."""
    buffer = bytearray(size[0] * size[1] * channels)
    source(buffer, (1, size[1], size[0], channels), INT8)
    values = np.frombuffer(buffer, np.int8).astype(int) + 128
    return values.reshape(size[1], size[0], channels)


def luma(r: int, g: int, b: int) -> int:
    """The gray level of a color as the firmware draws it: by RGB565 (imlib's COLOR_RGB565_TO_Y)."""
    r, g, b = (r >> 3) << 3 | r >> 5, (g >> 2) << 2 | g >> 6, (b >> 3) << 3 | b >> 5
    return (38 * r + 75 * g + 15 * b) >> 7


MARK = (292, 188, 60, 44)  # in the center, where a crop keeps it


def marked(width: int = 640, height: int = 480) -> Any:
    img = frame(width, height)
    img.draw_rectangle(MARK, color=(255, 0, 0), fill=True)
    return img


@pytest.mark.parametrize("kind", ["plain", *INPUTS])
@pytest.mark.parametrize("size", [(320, 320), (192, 96), (96, 224)])
@pytest.mark.parametrize("roi", [None, (120, 90, 400, 240)])
def test_objects_in_the_input_map_back_to_their_place_in_the_frame(
    as_firmware: tuple[int, int, int], kind: str, size: tuple[int, int], roi: tuple[int, int, int, int] | None
) -> None:
    img = marked()
    source = Normalization(roi=roi)(img) if kind == "plain" else INPUTS[kind](img, roi)
    red = seen(source, size)[:, :, 0] > 127
    rows, columns = np.flatnonzero(red.any(axis=1)), np.flatnonzero(red.any(axis=0))
    mapping = transform.transform_of([source], size)
    corners = mapped(mapping, [(columns[0], rows[0]), (columns[-1] + 1, rows[-1] + 1)])
    x, y, w, h = MARK
    # An edge is exact to half an input pixel. The firmware's BILINEAR shifts by another half, and its roi, which
    # begins at a whole pixel of the drawn picture, by less than one.
    limit = 1.1 * max(mapping.sx, mapping.sy) if roi is None else 1.9 * max(mapping.sx, mapping.sy)
    assert_allclose(corners, [[x, y], [x + w, y + h]], atol=limit)


@pytest.mark.parametrize("upright", [True, False])
@pytest.mark.parametrize("kind", INPUTS)
def test_roi_of_1_by_700_pixels_maps_to_a_square_input_and_back(kind: str, upright: bool) -> None:
    """With its aspect ratio it would be a twentieth of a pixel wide; it gets a whole pixel."""
    # For the long and the short side: (scale, offset), and where the picture lies in the input.
    long, short, box = {
        "stretch": ((700 / 32, 0), (1 / 32, 5), (0, 32)),
        "crop": ((1 / 32, 349), (1 / 32, 5), (0, 32)),
        "letterbox": ((700 / 32, 0), (1, 5 - 15), (15, 16)),
    }[kind]
    img = image.Image(*((9, 740) if upright else (740, 9)), image.GRAYSCALE)
    roi = (5, 0, 1, 700) if upright else (0, 5, 700, 1)
    img.draw_rectangle(roi, color=(200, 200, 200), fill=True)
    source = INPUTS[kind](img, roi)
    mapping = transform.transform_of([source], (32, 32))
    across, down = (short, long) if upright else (long, short)
    assert (mapping.sx, mapping.ox, mapping.sy, mapping.oy) == pytest.approx((*across, *down), abs=1e-4)
    values = seen(source, (32, 32), channels=1)[:, :, 0]
    values = values if upright else values.T
    assert (values[:, slice(*box)] == luma(200, 200, 200)).all()
    assert (np.delete(values, range(*box), axis=1) == luma(114, 114, 114)).all()
    head = float_head((32, 32), 1, [Thing(3, (0, 8, 32, 24), {0: 0.9}) if upright else Thing(3, (8, 0, 24, 32), {0: 0.9})])
    (d,) = FakeModel([Tensor(head)], (32, 32)).run(n6post.YoloV8(), source)
    first, count = (175, 350) if kind != "crop" else (349, 1)
    assert d.rect == ((5, first, 1, count) if upright else (first, 5, count, 1))


@pytest.mark.parametrize(("roi", "size"), [((0, 5, 700, 1), (32, 64)), ((5, 0, 1, 700), (64, 32))])
def test_one_pixel_line_is_cropped_to_its_center_for_the_other_aspect(
    roi: tuple[int, int, int, int], size: tuple[int, int]
) -> None:
    """Only half a pixel would have the aspect ratio of the input."""
    img = image.Image(roi[0] + roi[2] + 7, roi[1] + roi[3] + 7, image.GRAYSCALE)
    x, y = (349, 5) if roi[2] > 1 else (5, 349)
    img.draw_rectangle((x, y, 1, 1), color=(200, 200, 200), fill=True)
    source = n6post.Crop(img, roi=roi)
    mapping = transform.transform_of([source], size)
    assert (mapping.sx, mapping.ox, mapping.sy, mapping.oy) == pytest.approx((1 / size[0], x, 1 / size[1], y), abs=1e-4)
    assert (seen(source, size, channels=1) == luma(200, 200, 200)).all()


@pytest.mark.parametrize("size", [(320, 320), (96, 224)])
def test_letterbox_has_gray_bars_and_keeps_the_aspect_ratio(
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


def test_letterbox_of_an_upright_picture_has_bars_left_and_right() -> None:
    img = frame(120, 240)
    img.draw_rectangle((0, 0, 120, 240), color=(255, 255, 255), fill=True)
    values = seen(n6post.Letterbox(img), (64, 64))
    assert (values[:, 16:48] == 255).all()
    assert np.abs(values[:, [0, 15, 48, 63]] - 114).max() <= 4


def test_reused_input_shows_nothing_of_the_frame_before() -> None:
    first, second = frame(64, 64), frame(64, 32)
    first.draw_rectangle((0, 0, 64, 64), color=(255, 255, 255), fill=True)
    assert (seen(n6post.Letterbox(first), (64, 64)) == 255).all()
    values = seen(n6post.Letterbox(second), (64, 64))
    assert (values[16:48] == 0).all() and np.abs(values[:16] - 114).max() <= 4


@pytest.mark.parametrize(("width", "height", "side"), [(41, 47, 32), (55, 82, 32), (305, 266, 320)])
def test_picture_fills_the_last_row_and_column_despite_float32_scales(
    width: int, height: int, side: int
) -> None:
    """The float32 next to 32 / 41, times 41, is less than 32. The previous canvas must not show."""
    for length in (width, height):
        assert np.float32(side / length) * np.float32(length) < side
    black, white = frame(width, height), frame(width, height)
    white.draw_rectangle((0, 0, width, height), color=(255, 255, 255), fill=True)
    seen(n6post.Stretch(black), (side, side))
    assert (seen(n6post.Stretch(white), (side, side)) == 255).all()


# --- pictures of the input size ---
FORMATS = {"color": image.RGB565, "gray": image.GRAYSCALE}


def as_tensor(img: Any, channels: int) -> Any:
    """The values of an image, 0..255."""
    plain = image.Image(img.width(), img.height(), image.GRAYSCALE if channels == 1 else image.RGB565)
    plain.draw_image(img, 0, 0)
    buffer = bytearray(img.width() * img.height() * channels)
    plain.to_ndarray("B", buffer=buffer)
    return np.frombuffer(buffer, np.uint8).astype(int).reshape(img.height(), img.width(), channels)


@pytest.mark.parametrize("pixformat", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("channels", [1, 3])
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("size", [(64, 48), (65, 65), (33, 17), (96, 3)])
@pytest.mark.parametrize("corner", [None, (0, 0), (7, 0), (5, 9)])
def test_image_of_the_input_size_is_copied_unchanged(
    kind: str, size: tuple[int, int], corner: tuple[int, int] | None, channels: int, pixformat: int
) -> None:
    """At a scale of 1.00006 the firmware would blur it and shift it by half a pixel, which changes detections."""
    width, height = size if corner is None else (110, 80)
    img = noise((width, height), pixformat)
    source = INPUTS[kind](img, None if corner is None else corner + size)
    x, y = corner or (0, 0)
    wanted = as_tensor(img, channels)[y : y + size[1], x : x + size[0]]
    np.testing.assert_array_equal(seen(source, size, channels), wanted)
    mapping = transform.transform_of([source], size)
    assert to_frame(mapping, 0, 0) == (x, y) and (mapping.sx, mapping.sy) == (1, 1)


@pytest.mark.parametrize("kind", INPUTS)
def test_image_of_the_input_size_needs_no_canvas(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    from n6post.inputs import resize

    drawn: list[Any] = []
    real = image.Image.draw_image

    def noting(*args: Any, **options: Any) -> Any:
        drawn.append(args)
        return real(*args, **options)

    monkeypatch.setattr(image.Image, "draw_image", noting)
    resize._canvases.clear()
    seen(INPUTS[kind](noise((90, 70)), (10, 20, 64, 48)), (64, 48))
    assert len(drawn) == 1 and resize._canvases == {}


@pytest.mark.parametrize("roi", [None, (16, 8, 64, 40)])
def test_picture_that_fits_between_letterbox_bars_is_copied_unchanged(roi: tuple[int, int, int, int] | None) -> None:
    img = noise((64, 40) if roi is None else (100, 60))
    values = seen(n6post.Letterbox(img, roi=roi), (64, 64))
    x, y = roi[:2] if roi else (0, 0)
    np.testing.assert_array_equal(values[12:52], as_tensor(img, 3)[y : y + 40, x : x + 64])


# --- scales ---
def whole_and_all(scale: Any, length: Any, part: Any) -> tuple[Any, Any]:
    """Whether the firmware's float32 gives `part` pixels, and whether the graphics unit then reads all of `length`."""
    scale, length, part = np.float32(scale), np.float32(length), np.float32(part)
    return np.floor(scale * length) == part, np.floor(part / scale) == length


def test_scales_draw_every_length_completely_if_float32_allows() -> None:
    length, part = np.arange(1, 1001)[:, None], np.arange(1, 1001)[None]
    quotient = part.astype(np.float32) / length.astype(np.float32)
    whole, everything = whole_and_all(quotient, length, part)
    near = np.zeros_like(whole)
    for steps in range(-3, 4):
        one = (quotient.view(np.uint32) + np.uint32(steps % 2**32)).view(np.float32)
        near |= np.logical_and(*whole_and_all(one, length, part))
    # The plain quotient gives both in 89 % of all pairs; some float32 does in 91 %.
    assert (whole & everything)[near].mean() > 0.98 and 0.90 < near.mean() < 0.92
    assert (quotient[length == part] == 1).all()
    second = quotient * np.float32(1 + 2**-19)  # of `factor`
    assert (whole | whole_and_all(second, length, part)[0]).all()


def scales_of(lengths: tuple[int, int], box: tuple[int, int, int, int], size: tuple[int, int]) -> Any:
    from n6post.inputs.resize import _scales

    one, across, down = _scales(lengths, box, size)
    # As in draw_image: with SCALE_ASPECT_ the given scale is multiplied by the ratio of the sizes.
    firmware = [np.float32(size[i]) / np.float32(lengths[i]) for i in (0, 1)]
    if one:
        firmware = [min(firmware)] * 2
    return [np.float32(axis[0]) * base for axis, base in zip((across, down), firmware, strict=True)]


@given(st.integers(1, 1300), st.integers(1, 1000), st.integers(1, 700), st.integers(1, 700), st.sampled_from(list(INPUTS)))
def test_draw_image_arguments_fill_exactly_the_box(
    width: int, height: int, across: int, down: int, kind: str
) -> None:
    size = (across, down)
    source = INPUTS[kind](mock.Mock(width=lambda: width, height=lambda: height))
    (_, _, sw, sh), box = source._boxes(size)
    scales = scales_of((sw, sh), box, size)
    for scale, length, part in zip(scales, (sw, sh), box[2:], strict=True):
        assert whole_and_all(scale, length, part)[0]


@pytest.mark.parametrize("frame_size", [(160, 120), (320, 240), (640, 480), (800, 600), (1280, 720), (1920, 1080)])
@pytest.mark.parametrize("side", [96, 128, 160, 192, 224, 256, 320, 416, 480, 512, 640])
@pytest.mark.parametrize("kind", INPUTS)
def test_last_column_of_common_frames_is_drawn_if_float32_allows(
    kind: str, frame_size: tuple[int, int], side: int
) -> None:
    """At a scale slightly above the exact one the unit would read one column less."""
    (_, _, *lengths), box = INPUTS[kind](frame(*frame_size))._boxes((side, side))
    for scale, length, part in zip(scales_of((lengths[0], lengths[1]), box, (side, side)), lengths, box[2:], strict=True):
        quotient = np.float32(part) / np.float32(length)
        near = [np.nextafter(quotient, np.float32(way)) for way in (0, 2)]
        if any(all(whole_and_all(one, length, part)) for one in (quotient, *near)):
            # 1080 to 224: only the next float32 gives both, which the camera's 30-bit floats cannot express.
            assert all(whole_and_all(scale, length, part)) or (length, part) == (1080, 224)


# --- the position of a letterbox ---
def ultralytics_letterbox(width: int, height: int, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """LetterBox of Ultralytics (data/augment.py), auto=False, center=True: the picture's x, y, w, h in the input."""
    r = min(size[1] / height, size[0] / width)
    w, h = round(width * r), round(height * r)
    return round((size[0] - w) / 2 - 0.1), round((size[1] - h) / 2 - 0.1), w, h


@given(st.integers(1, 2000), st.integers(1, 1200), st.sampled_from([(320, 320), (192, 192), (96, 64), (33, 65), (640, 384)]))
def test_letterbox_position_equals_ultralytics(width: int, height: int, size: tuple[int, int]) -> None:
    source = n6post.Letterbox(mock.Mock(width=lambda: width, height=lambda: height))
    x, y, w, h = ultralytics_letterbox(width, height, size)
    if w and h:  # where Ultralytics' letterbox has no pixel, ours has one
        assert source._boxes(size)[1] == (x, y, w, h)


def test_letterbox_rounds_half_a_row_to_even() -> None:
    """Python's round() in Ultralytics' LetterBox: 22.5 rows are 22, and 23.5 are 24."""
    assert ultralytics_letterbox(128, 45, (64, 64))[3] == 22
    for height, rows in ((45, 22), (47, 24)):
        box = n6post.Letterbox(frame(128, height))._boxes((64, 64))[1]
        assert box[3] == rows == ultralytics_letterbox(128, height, (64, 64))[3]


def test_letterbox_bars_are_painted_once_for_equal_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    painted: list[Any] = []
    real = image.Image.draw_rectangle
    size = (64, 64)
    black, white = frame(120, 60), frame(120, 60)
    white.draw_rectangle((0, 0, 120, 60), color=(255, 255, 255), fill=True)
    wide = frame(64, 16)
    seen(n6post.Stretch(black), size)

    def noting(img: Any, *args: Any, **options: Any) -> Any:
        painted.append(1)
        return real(img, *args, **options)

    monkeypatch.setattr(image.Image, "draw_rectangle", noting)
    first = seen(n6post.Letterbox(white), size)
    for _ in range(3):
        np.testing.assert_array_equal(seen(n6post.Letterbox(white), size), first)
    assert len(painted) == 1
    bars = seen(n6post.Letterbox(wide), size)  # new bars, and nothing of the previous frame
    assert len(painted) == 2 and np.abs(bars[:24] - 114).max() <= 4 and np.abs(bars[40:] - 114).max() <= 4
    seen(n6post.Stretch(black), size)
    np.testing.assert_array_equal(seen(n6post.Letterbox(white), size), first)
    assert len(painted) == 3


# --- where the pixels are drawn ---
def ramps(width: int, height: int) -> tuple[Any, Any]:
    """Grayscale pictures whose values are x, and y."""
    pictures = []
    for plane in np.broadcast_arrays(np.arange(width, dtype=np.uint8)[None], np.arange(height, dtype=np.uint8)[:, None]):
        pictures.append(image.Image(width, height, image.GRAYSCALE))
        pictures[-1].bytearray()[:] = plane.tobytes()
    return pictures[0], pictures[1]


@contextmanager
def a_graphics_unit() -> Iterator[None]:
    """draw_image as imlib calls the graphics unit of an N6 or AE3 (draw.c of 4.8 and 5.0): whole source pixels, float32.

    The unit samples at pixel centers, as the AE3's driver does. Grayscale only.
    """
    real = image.Image.draw_image

    def sampled(pixels: Any, begin: int, taken: int, count: int, axis: int) -> Any:
        at = begin + (np.arange(count) + 0.5) * taken / count - 0.5
        last = pixels.shape[axis] - 1
        low = np.clip(np.floor(at), 0, last).astype(int)
        weight = np.expand_dims(np.clip(at - low, 0, 1), 1 - axis)
        return pixels.take(low, axis) * (1 - weight) + pixels.take(np.minimum(low + 1, last), axis) * weight

    def draw(target: Any, source: Any, x: int = 0, y: int = 0, **options: Any) -> Any:
        hint = options.get("hint", 0)
        if not hint & image.BILINEAR:
            return real(target, source, x, y, **options)
        roi = options.get("roi") or (0, 0, source.width(), source.height())
        sizes = target.width(), target.height()
        scales = [np.float32(options.get(name) or 1) for name in ("x_scale", "y_scale")]
        whole = [np.float32(sizes[i]) / np.float32(roi[2 + i]) for i in (0, 1)]
        if hint & image.SCALE_ASPECT_IGNORE:
            scales = [scales[i] * whole[i] for i in (0, 1)]
        elif hint & (image.SCALE_ASPECT_KEEP | image.SCALE_ASPECT_EXPAND):
            one = min(whole) if hint & image.SCALE_ASPECT_KEEP else max(whole)
            scales = [scale * one for scale in scales]
        pixels = np.frombuffer(source.bytearray(), np.uint8).reshape(source.height(), source.width())
        window = []
        for i, place in enumerate((x, y)):
            scaled = int(np.floor(scales[i] * np.float32(roi[2 + i])))
            if hint & image.CENTER:
                place += (sizes[i] - scaled) // 2
            skipped, place = max(-place, 0), max(place, 0)
            count = min(place + scaled - skipped, sizes[i]) - place
            first = np.float32(skipped + int(np.floor(np.float32(roi[i]) * scales[i])))
            begin = int(np.floor(first / scales[i] + np.float32(0.5)))
            pixels = sampled(pixels, begin, int(np.floor(np.float32(count) / scales[i])), count, 1 - i)
            window.append(slice(place, place + count))
        plane = np.frombuffer(target.bytearray(), np.uint8).reshape(sizes[1], sizes[0])
        plane[window[1], window[0]] = np.rint(pixels)
        return target

    with mock.patch.object(image.Image, "draw_image", draw):
        yield


def transform_error(source_of: Any, size: tuple[int, int], roi: tuple[int, int, int, int], late: float) -> float:
    """The error of a transform in frame pixels, if the picture is drawn `late` input pixels too far right and down."""
    worst = 0.0
    for axis, img in enumerate(ramps(240, 200)):
        source = source_of(img, roi)
        mapping = transform.transform_of([source], size)
        values = seen(source, size, channels=1)[:, :, 0]
        across = values[size[1] // 2] if axis == 0 else values[:, size[0] // 2]
        scale, offset = ((mapping.sx, mapping.ox), (mapping.sy, mapping.oy))[axis]
        centers = (np.arange(size[axis]) + 0.5 - late) * scale + offset  # the pixel centers in frame pixels
        first, count = (0, size[axis]) if not isinstance(source, n6post.Letterbox) else source._boxes(size)[1][axis::2]
        inside = (centers > roi[axis] + 2) & (centers < roi[axis] + roi[2 + axis] - 2)  # pixels at the border are clamped
        inside[:first] = inside[first + count :] = False
        if inside.any():
            worst = max(worst, np.abs(across - (centers - 0.5))[inside].max())
    return worst


# If the firmware's own scale of a plain image misses the last row or column, that one stays black.
SIZES = [(64, 64), (96, 32), (160, 112), (48, 144)]
REGIONS = [
    (0, 0, 240, 200), (3, 7, 200, 160), (41, 9, 128, 180), (100, 52, 97, 51), (1, 2, 236, 124), (13, 11, 160, 112),
]  # fmt: skip
PLAIN: dict[str, Any] = {"plain": lambda img, roi: Normalization(roi=roi)(img)}


@pytest.mark.parametrize("kind", ["plain", *INPUTS])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("roi", REGIONS)
def test_transform_matches_where_the_pixels_are_drawn(
    kind: str, size: tuple[int, int], roi: tuple[int, int, int, int]
) -> None:
    """Exact to one gray level. The CPU draws half an input pixel late and begins at a fraction of a pixel."""
    source_of = (INPUTS | PLAIN)[kind]
    x, y, w, h = roi
    for length, part in ((w, size[0]), (h, size[1])):
        if kind == "plain" and not whole_and_all(np.float32(part) / np.float32(length), length, part)[0]:
            pytest.skip("the firmware leaves the last row or column of a plain image black here")
    img = ramps(240, 200)[0]
    source = source_of(img, roi)
    lost = True  # a column or row that the unit does not read: up to a pixel at the end
    if kind != "plain":
        (_, _, *lengths), box = source._boxes(size)
        scales = scales_of((lengths[0], lengths[1]), box, size)
        lost = not all(all(whole_and_all(*one)) for one in zip(scales, lengths, box[2:], strict=True))
    with a_graphics_unit():
        assert transform_error(source_of, size, roi, 0) <= 0.51 + lost
    mapping = transform.transform_of([source], size)
    late = 0 if mapping.sx == mapping.sy == 1 else 0.5
    assert transform_error(source_of, size, roi, late) <= 1.51


def test_grayscale_model_gets_a_grayscale_picture() -> None:
    img = frame(64, 64)
    img.draw_rectangle((0, 0, 64, 64), color=(255, 255, 255), fill=True)
    for kind in INPUTS.values():
        assert (seen(kind(img), (32, 32), channels=1) == 255).all()


SHADES = [(255, 0, 0), (0, 255, 0), (0, 0, 255), (16, 132, 74)]


@pytest.mark.parametrize("pixformat", FORMATS.values(), ids=FORMATS)
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("side", [32, 64, 128])
def test_grayscale_model_gets_the_firmwares_luma_of_every_color(kind: str, side: int, pixformat: int) -> None:
    """Four colors in quarters, scaled by 1/2, 1 and 2. Grayscale frames keep their levels."""
    img = image.Image(64, 64, pixformat)
    for k, color in enumerate(SHADES):
        img.draw_rectangle((32 * (k % 2), 32 * (k // 2), 32, 32), color=color, fill=True)
    values = seen(INPUTS[kind](img), (side, side), channels=1)[:, :, 0]
    for k, color in enumerate(SHADES):
        y, x = (k // 2) * side // 2, (k % 2) * side // 2
        quarter = values[y : y + side // 2, x : x + side // 2][2:-2, 2:-2]  # BILINEAR mixes their edges
        assert (quarter == luma(*color)).all()
    bars = seen(n6post.Letterbox(img, roi=(0, 0, 64, 32)), (side, side), channels=1)[:, :, 0]
    assert (bars[: side // 4] == luma(114, 114, 114)).all() and (bars[-side // 4 :] == luma(114, 114, 114)).all()


@pytest.mark.parametrize("side", [16, 32])
@pytest.mark.parametrize("kind", INPUTS)
def test_normalization_options_are_passed_on(kind: str, side: int) -> None:
    img = image.Image(32, 32, image.RGB565)  # black
    options = {"scale": (-1.0, 1.0), "mean": (0.5, 0.25, 0.0), "stdev": (0.5, 1.0, 2.0)}
    buffer = bytearray(side * side * 3 * 4)
    INPUTS[kind](img, **options)(buffer, (1, side, side, 3), ord("f"))
    values = np.frombuffer(buffer, np.float32).reshape(-1, 3)
    assert_allclose(values, np.tile([-3.0, -1.25, -0.5], (side * side, 1)), rtol=1e-6)


# --- the size of a model's input ---
@pytest.mark.parametrize(
    ("shape", "size"),
    [
        ((1, 240, 320, 3), (320, 240)),
        ((1, 240, 320, 1), (320, 240)),
        ((1, 3, 240, 320), (320, 240)),
        ((240, 320, 3), (320, 240)),
    ],
)
def test_the_input_size_is_width_and_height_in_either_order_of_channels(
    shape: tuple[int, ...], size: tuple[int, int]
) -> None:
    model = FakeModel([], size)
    model.input_shape = (shape,)  # type: ignore[assignment]
    assert tuple(transform.input_size(model)) == size


@pytest.mark.parametrize("shape", [(1, 65535, 2, 3), (65535, 2, 1), (3, 65535, 2), (1, 1, 65535, 2)])
def test_input_of_65535_pixels_is_accepted(shape: tuple[int, ...]) -> None:
    model = FakeModel([], (64, 64))
    model.input_shape = (shape,)  # type: ignore[assignment]
    assert transform.input_size(model) == (2, 65535)


@pytest.mark.parametrize(
    "shapes",
    [None, (), ((1, 65536, 1, 3),), ((1, 0, 64, 3),), ((1, 64, 64, 4),), ((1, 1, 64, 64, 3),), ((64, 64),), ((2, 64, 64),)],
)
def test_input_that_is_not_a_picture_has_no_size(shapes: Any) -> None:
    model = FakeModel([], (64, 64))
    model.input_shape = shapes
    assert transform.input_size(model) is None
    assert transform.input_size(object()) is None


# --- processors ---
@pytest.mark.parametrize("kind", INPUTS)
@pytest.mark.parametrize("roi", [None, (40, 20, 400, 300)])
def test_detections_come_in_frame_pixels(kind: str, roi: tuple[int, int, int, int] | None) -> None:
    size = (64, 64)
    source = INPUTS[kind](frame(), roi)
    inside = [Thing(5, (24, 22, 40, 36), {0: 0.9}), Thing(8, (-9, 28, 70, 30), {1: 0.8})]
    found = FakeModel([Tensor(float_head(size, 2, inside))], size).run(n6post.YoloV8(), source)
    mapping = transform.transform_of([source], size)
    left, top, width, height = roi or (0, 0, 640, 480)
    for d, thing in zip(found, inside, strict=True):
        corners = [*to_frame(mapping, *thing.box[:2]), *to_frame(mapping, *thing.box[2:])]
        assert_rect(d.rect, corners, (left, top, width, height))


def test_letterboxed_mask_matches_its_box() -> None:
    head = random_head(8, (64, 64), 2, 8, -20)
    found = head.model().run(n6post.YoloV8Seg(0.3, mask_padding=0), n6post.Letterbox(frame(320, 160)))
    assert len(found) > 1
    for d in found:
        canvas = image.Image(320, 160, image.RGB565)
        d.mask.draw(canvas, color=(255, 255, 255), alpha=255)
        pixels = np.frombuffer(bytes(canvas.bytearray()), np.uint16).reshape(160, 320)
        rows, columns = np.nonzero(pixels)
        x, y, w, h = d.rect
        if len(rows):
            assert x <= columns.min() and columns.max() < x + w and y <= rows.min() and rows.max() < y + h


# --- errors ---
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
        ((65535, 0, 7, 10), "at most 65535 x 65535"),
        ((0, 65535, 7, 1), "at most 65535 x 65535"),
        ((0, 0, 10, 1 << 40), "at most 65535 x 65535"),
        ((-70000, 0, 10, 10), "at most 65535 x 65535"),
        ((0, 1 << 31, 10, 10), "at most 65535 x 65535"),
        ((-1, 0, 10, 10), "inside the image"),
        ((0, 0, 1000, 10), "inside the image"),
        ((0, 470, 10, 20), "inside the image"),
    ],
)
def test_roi_outside_the_image_is_refused(roi: Any, expected: str) -> None:
    """The canvas is reused, so parts outside of the image would show the previous frame."""
    for kind in INPUTS.values():
        with pytest.raises(ValueError, match=rf"roi: expected .*{expected}.*, got"):
            kind(image.Image(640, 480, image.RGB565), roi)


@pytest.mark.parametrize("img", [None, 5, "picture", [], image.Image, image])
def test_input_without_an_image_is_refused(img: Any) -> None:
    for kind in INPUTS.values():
        with pytest.raises(ValueError, match=f"^img: expected an image, got {type(img).__name__}$"):
            kind(img)


@pytest.mark.parametrize(
    ("furthest", "further"),
    [
        ((-65535, 0, 10, 10), (-65536, 0, 10, 10)),
        ((0, -65535, 10, 10), (0, -65536, 10, 10)),
        ((0, 0, 65535, 1), (0, 0, 65536, 1)),
        ((0, 0, 1, 65535), (0, 0, 1, 65536)),
        ((-1, 0, 65535, 1), (-1, 0, 65536, 1)),
        ((0, -1, 1, 65535), (0, -1, 1, 65536)),
        ((65534, 0, 1, 1), (65534, 0, 2, 1)),
        ((0, 65534, 1, 1), (0, 65535, 1, 1)),
    ],
)
def test_roi_may_reach_65535_pixels_and_not_further(furthest: Any, further: Any) -> None:
    assert transform.checked_roi(list(furthest)) == furthest
    message = f"roi: expected at least one pixel of a frame of at most 65535 x 65535, got {further!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        transform.checked_roi(further)


@pytest.mark.parametrize("roi", [None, 5, "abcd", (), (0, 0, 10), [0, 0, 10, 10, 10], (0, 0, 10, 10.0), (None, 0, 10, 10)])
def test_error_shows_the_invalid_roi(roi: Any) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(f'roi: expected four integers x, y, w, h, got {roi!r}')}$"):
        transform.checked_roi(roi)


@pytest.mark.parametrize("shape", [(1, 32, 32, 4), (1, 3, 32, 32), (32, 32, 3), (1, 32)])
def test_model_input_that_is_not_a_picture_is_refused(shape: tuple[int, ...]) -> None:
    for kind in INPUTS.values():
        with pytest.raises(ValueError, match=r"expected a model input.*, got"):
            kind(frame())(bytearray(4096), shape, INT8)


@pytest.mark.parametrize("kind", [n6post.Stretch, n6post.Crop, n6post.Letterbox])
def test_an_unknown_argument_of_an_input_is_refused_at_once(kind: Any) -> None:
    img = image.Image(64, 48, image.RGB565)
    for name, message in (
        ("rio", "did you mean roi?"), ("stddev", "did you mean stdev?"), ("zzz", "expected roi, scale, mean, stdev"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=says(f"{kind.__name__} has no option {name!r}: {message}")):
            kind(img, **{name: (0, 0, 5, 5)})


@pytest.mark.parametrize("numbers", [
    {"scale": "x"}, {"scale": 1}, {"scale": (0.0,)}, {"scale": (0.0, float("nan"))}, {"scale": (0, 10**400)},
    {"mean": 0.5}, {"mean": (0.5, 0.5)}, {"stdev": (1.0, 1.0, 0.0)}, {"stdev": (1.0, 1.0, -1.0)}, {"stdev": None},
])  # fmt: skip
@pytest.mark.parametrize("kind", [n6post.Letterbox, n6post.Crop, n6post.Stretch])
def test_numbers_that_no_normalization_takes_are_refused(kind: Any, numbers: Any) -> None:
    (name,) = numbers
    with pytest.raises(ValueError, match=f"^{name}: expected [23] numbers"):
        kind(image.Image(8, 8, image.RGB565), **numbers)
    kind(image.Image(8, 8, image.RGB565), scale=(-1, 1), mean=(0.5, 0.5, 0.5), stdev=[1, 1, 1])
