"""lib/n6post/results/places.py: regions of interest, crops, colors of masks and bands of class maps."""

from __future__ import annotations

import itertools
import re
from fractions import Fraction
from math import floor
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import pixels, says
from fakes import Array, FakeModel, Framed, Tensor, noise
from hypothesis import assume, given
from hypothesis import strategies as st
from image._formats import rgb565_to_rgb888
from n6post.results.mask import Mask, MaskTransform
from synthetic_heads import random_head

pytestmark = pytest.mark.both_firmwares

FRAME = (97, 83)
WHOLE = (0, 0, *FRAME)
FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])
PICTURES = [FRAME, (194, 166), (48, 41), (60, 51)]
on_pictures = pytest.mark.parametrize("size", PICTURES, ids=lambda size: f"{size[0]}x{size[1]}")


def framed(size: tuple[int, int] = FRAME, roi: tuple[int, int, int, int] | None = None) -> Any:
    return n6post.Stretch(image.Image(*size, image.RGB565), roi=roi)


def detections_of(source: Any = None, seed: int = 8, **options: Any) -> Any:
    found = random_head(seed, (64, 64), 5, 8, -20).model().run(n6post.YoloV8Seg(0.3, **options), source or framed())
    assert len(found) > 2
    return found


def box(x: int, y: int, w: int, h: int, frame_size: tuple[int, int] | None = FRAME) -> Any:
    return n6post.Detection((x, y, w, h), 0.9, 0, "", None, None).replace(frame_size=frame_size)


def colors(img: image.Image) -> Array:
    """Eight bits of r, g and b of every pixel."""
    values = pixels(img)
    channels = rgb565_to_rgb888(values) if img.format() == image.RGB565 else [values] * 3
    return np.stack(channels, axis=-1).astype(np.int64)


def contained(mask: Any, size: tuple[int, int] = FRAME) -> Array:
    return np.array([[mask.contains(x, y) for x in range(size[0])] for y in range(size[1])])


def part(values: Array, roi: tuple[int, int, int, int]) -> Array:
    x, y, w, h = roi
    return values[y : y + h, x : x + w]


def half_up(value: Fraction) -> int:
    return floor(value + Fraction(1, 2))


# --- roi -------------------------------------------------------------------------------------------------------------
boxes = st.tuples(st.integers(0, 96), st.integers(0, 82), st.integers(0, 97), st.integers(0, 83)).map(
    lambda r: (r[0], r[1], min(r[2], 97 - r[0]), min(r[3], 83 - r[1]))
)
thousandths = st.integers(-500, 2000) | st.sampled_from([0, 100, 250, 500, 10000, -250])


def grown(rect: tuple[int, int, int, int], grow: int) -> tuple[int, int, int, int]:
    """x1, y1, x2, y2 of the box with its margins rounded to whole pixels; a side has at least one."""
    x, y, w, h = rect
    edges = []
    for start, length in ((x, w), (y, h)):
        margin = half_up(Fraction(length * grow, 1000))
        size = max(length + 2 * margin, 1)
        first = floor(Fraction(2 * start + length - size, 2))
        edges.append((first, first + size))
    return edges[0][0], edges[1][0], edges[0][1], edges[1][1]


@given(boxes, thousandths)
def test_a_roi_is_the_box_grown_on_each_side_and_clipped(rect: tuple[int, int, int, int], grow: int) -> None:
    x1, y1, x2, y2 = grown(rect, grow)
    x, y, w, h = box(*rect).roi(grow=grow / 1000)
    assert (x, y) == (min(max(x1, 0), 96), min(max(y1, 0), 82))
    assert (x + w, y + h) == (max(min(x2, 97), x + 1), max(min(y2, 83), y + 1))
    assert {type(n) for n in (x, y, w, h)} == {int}


def test_the_default_roi_is_the_box() -> None:
    for d in detections_of():
        assert d.roi() == d.rect
    assert box(10, 20, 30, 40).roi(grow=0.1) == (7, 16, 36, 48)
    assert box(10, 20, 30, 40).roi(grow=-0.25) == (17, 30, 16, 20)
    assert box(10, 20, 30, 40).roi(square=True) == (5, 20, 40, 40)


@given(boxes, thousandths)
def test_a_square_roi_is_moved_into_the_frame_and_covers_the_box(rect: tuple[int, int, int, int], grow: int) -> None:
    x1, y1, x2, y2 = grown(rect, grow)
    side = max(x2 - x1, y2 - y1)
    x, y, w, h = box(*rect).roi(grow=grow / 1000, square=True)
    assert (w, h) == (min(side, 97), min(side, 83))
    assert 0 <= x <= 97 - w and 0 <= y <= 83 - h
    assert x <= max(x1, 0) and y <= max(y1, 0) and x + w >= min(x2, 97) and y + h >= min(y2, 83)
    # Moved no farther than the frame demands.
    for first, length, limit, low, size in ((x, w, 97, rect[0], rect[2]), (y, h, 83, rect[1], rect[3])):
        centered = floor(Fraction(2 * low + size - length, 2))
        assert first == min(max(centered, 0), limit - length)


@given(st.tuples(*[st.integers(-50, 200)] * 4), thousandths, st.booleans())
def test_a_roi_has_a_pixel_in_the_frame_whatever_the_box(rect: Any, grow: int, square: bool) -> None:
    x, y, w, h = box(*rect).roi(grow=grow / 1000, square=square)
    assert w >= 1 <= h and 0 <= x <= 97 - w and 0 <= y <= 83 - h


@given(boxes, thousandths, st.booleans())
def test_without_a_frame_size_a_roi_is_clipped_left_and_above(rect: Any, grow: int, square: bool) -> None:
    x1, y1, x2, y2 = grown(rect, grow)
    x, y, w, h = box(*rect, frame_size=None).roi(grow=grow / 1000, square=square)
    assert x >= 0 <= y and w >= 1 <= h
    if not square:
        assert (x, y, x + w, y + h) == (max(x1, 0), max(y1, 0), max(x2, max(x1, 0) + 1), max(y2, max(y1, 0) + 1))
    else:
        assert w == h == max(x2 - x1, y2 - y1)


@pytest.mark.parametrize("refilled", [False, True])
def test_every_thousandth_is_the_same_number_on_a_camera(refilled: bool) -> None:
    # A float of the camera is a float32 without its last two bits, which MicroPython 1.26 and later fill from the others.
    def stored(value: float) -> np.float32:
        bits = int(np.float32(value).view(np.uint32)) & ~3
        return np.uint32(bits | (bits >> 2 & 3 if refilled else 0)).view(np.float32)

    for n in range(-500, 10001):
        assert floor(stored(stored(stored(n / 1000) * np.float32(1000)) + np.float32(0.5))) == n
        assert floor(n / 1000 * 1000 + 0.5) == n


@pytest.mark.parametrize("grow", [-0.6, 10.5, float("nan"), "0.1", None, True])
def test_a_roi_refuses_a_wrong_growth(grow: Any) -> None:
    with pytest.raises(ValueError, match=r"grow: expected a number from -0\.5 to 10\.0, got"):
        box(1, 2, 3, 4).roi(grow=grow)
    with pytest.raises(ValueError, match="square: expected True or False, got 1"):
        box(1, 2, 3, 4).roi(square=1)


# --- crop ------------------------------------------------------------------------------------------------------------
@on_both_formats
def test_a_crop_is_a_picture_of_its_own_with_the_pixels_of_its_roi(pixformat: int) -> None:
    img = noise(FRAME, pixformat)
    before = pixels(img).copy()
    for d, grow, square in itertools.product(detections_of(), (0.0, 0.2, -0.3), (False, True)):
        crop = d.crop(img, grow=grow, square=square)
        roi = d.roi(grow=grow, square=square)
        assert (crop.width(), crop.height(), crop.format()) == (roi[2], roi[3], pixformat)
        np.testing.assert_array_equal(pixels(crop), part(before, roi))
        crop.draw_rectangle((0, 0, roi[2], roi[3]), color=(1, 2, 3), fill=True)
        np.testing.assert_array_equal(pixels(img), before)


@on_both_formats
@on_pictures
@pytest.mark.parametrize("color", [(0, 0, 0), (255, 128, 0)])
def test_a_masked_crop_is_the_crop_of_what_fill_outside_keeps(pixformat: int, size: Any, color: Any) -> None:
    for d, grow in itertools.product(detections_of(framed(roi=(9, 5, 80, 70))), (0.0, 0.5, -0.3)):
        img = noise(size, pixformat)
        crop = d.crop(img, grow=grow, masked=True, color=color)
        plain = d.crop(img, grow=grow)
        filled = d.crop(d.mask.fill_outside(img, color=color), grow=grow)
        np.testing.assert_array_equal(pixels(crop), pixels(filled))
        assert (crop.width(), crop.height()) == (plain.width(), plain.height())


@on_pictures
def test_a_crop_of_a_scaled_picture_has_the_pixels_with_centers_in_the_roi(size: tuple[int, int]) -> None:
    img = noise(size)
    for d in detections_of():
        x, y, w, h = d.roi(grow=0.1)
        columns = [k for k in range(size[0]) if x * size[0] * 2 <= (2 * k + 1) * FRAME[0] < (x + w) * size[0] * 2]
        rows = [k for k in range(size[1]) if y * size[1] * 2 <= (2 * k + 1) * FRAME[1] < (y + h) * size[1] * 2]
        np.testing.assert_array_equal(pixels(d.crop(img, grow=0.1)), pixels(img)[np.ix_(rows, columns)])


def test_a_box_thinner_than_a_pixel_of_the_picture_has_a_crop() -> None:
    img = noise((19, 17))
    for x, y in itertools.product((0, 40, 96), (0, 40, 82)):
        crop = box(x, y, 1, 1).crop(img)
        assert (crop.width(), crop.height()) == (1, 1)


def test_without_a_frame_size_a_crop_is_clipped_to_the_picture() -> None:
    img = noise((40, 30))
    crop = box(30, 20, 50, 50, frame_size=None).crop(img, grow=0.1)
    np.testing.assert_array_equal(pixels(crop), pixels(img)[15:, 25:])
    assert box(90, 70, 5, 5, frame_size=None).crop(img).width() == 1


def test_a_crop_of_what_is_no_frame_is_refused() -> None:
    (d, *_) = detections_of()
    for img, message in (
        (image.Image(97, 83, image.BINARY), r'expected an RGB565 or GRAYSCALE image, got {"w":97, "h":83, "type":"binary"'),
        (np.zeros((83, 97)), "img: expected an image, got ndarray"),
        (noise((80, 80)), "img: expected a picture of the frame's size, 97 x 83"),
    ):
        for call in (d.crop, d.mean_color, d.mask.mean_color, d.mask.statistics, box(1, 2, 3, 4).mean_color):
            with pytest.raises(ValueError, match=re.escape(message)):
                call(img)
    with pytest.raises(ValueError, match=says("masked: expected False for a detection without a mask, got True")):
        box(1, 2, 3, 4).crop(noise(FRAME), masked=True)
    with pytest.raises(ValueError, match="masked: expected True or False, got 'yes'"):
        d.crop(noise(FRAME), masked="yes")
    with pytest.raises(ValueError, match="color: expected"):
        d.crop(noise(FRAME), masked=True, color=(1, 2))


# --- fill_outside of a part of the frame -----------------------------------------------------------------------------
rois = st.tuples(st.integers(0, 96), st.integers(0, 82), st.integers(1, 97), st.integers(1, 83)).map(
    lambda r: (r[0], r[1], min(r[2], 97 - r[0]), min(r[3], 83 - r[1]))
)


@given(st.integers(0, 2**32 - 1), rois, st.booleans())
def test_fill_outside_of_a_crop_is_the_crop_of_fill_outside(seed: int, roi: Any, known: bool) -> None:
    source = framed() if known else Framed(WHOLE)
    model = random_head(seed, (64, 64), 2, 8, -30, 1.3).model()
    for d in model.run(n6post.YoloV8Seg(0.3, max_detections=3), source):
        img = noise(FRAME, image.GRAYSCALE)
        crop = img.copy(roi=roi)
        assert d.mask.fill_outside(crop, color=(255, 255, 255), roi=roi) is crop
        d.mask.fill_outside(img, color=(255, 255, 255))
        np.testing.assert_array_equal(pixels(crop), part(pixels(img), roi))


@on_both_formats
@on_pictures
def test_fill_outside_of_the_whole_frame_as_a_roi_is_that_without(pixformat: int, size: tuple[int, int]) -> None:
    for d in detections_of():
        one, other = noise(size, pixformat), noise(size, pixformat)
        d.mask.fill_outside(one, roi=WHOLE), d.mask.fill_outside(other)
        np.testing.assert_array_equal(pixels(one), pixels(other))


@pytest.mark.parametrize(("across", "down"), [(2, 2), (3, 1), (1, 2)])
def test_fill_outside_of_an_enlarged_crop_keeps_the_object(across: int, down: int) -> None:
    for d in detections_of():
        x, y, w, h = roi = d.roi(grow=0.3)
        img = image.Image(across * w, down * h, image.GRAYSCALE)
        img.draw_rectangle((0, 0, across * w, down * h), color=(255, 255, 255), fill=True)
        d.mask.fill_outside(img, roi=roi)
        kept = pixels(img) > 0
        # What draw tints in a frame of that size: the mask is stretched, not the pixels.
        whole = pixels(d.mask.to_image(across * FRAME[0], down * FRAME[1])) > 0
        expected = part(whole, (across * x, down * y, across * w, down * h))
        assert (kept != expected).mean() < 0.002


@pytest.mark.parametrize(
    "roi", [(0, 0, 98, 83), (1, 0, 97, 5), (-1, 0, 5, 5), (0, 0, 0, 5), (0, 0, 5), (0.0, 0, 5, 5), "roi", 5, (90, 80, 20, 2)]
)
def test_a_roi_that_is_no_part_of_the_frame_is_refused(roi: Any) -> None:
    (d, *_) = detections_of()
    img = noise((5, 5))
    before = pixels(img).copy()
    with pytest.raises(ValueError, match=re.escape("roi: expected (x, y, w, h), a part inside of the frame, 97 x 83, got ")):
        d.mask.fill_outside(img, roi=roi)
    np.testing.assert_array_equal(pixels(img), before)


# --- colors ----------------------------------------------------------------------------------------------------------
def expected_statistics(values: Array) -> Any:
    """Mean, deviation (of all pixels, not of a sample), least and largest of each channel, halves up."""
    means, deviations = [], []
    for channel in values.T.tolist():
        mean = Fraction(sum(channel), len(channel))
        variance = Fraction(sum(n * n for n in channel), len(channel)) - mean**2
        means.append(half_up(mean))
        deviations.append(next(n for n in itertools.count() if Fraction(2 * n + 1, 2) ** 2 > variance))
    return tuple(means), tuple(deviations), tuple(values.min(axis=0).tolist()), tuple(values.max(axis=0).tolist())


@on_both_formats
@pytest.mark.parametrize("roi", [None, (9, 5, 80, 70)])
def test_colors_are_those_of_the_pixels_that_the_mask_contains(pixformat: int, roi: Any) -> None:
    img = noise(FRAME, pixformat)
    for d in detections_of(framed(roi=roi)):
        found = d.mask.statistics(img)
        assert found == expected_statistics(colors(img)[contained(d.mask)])
        assert (found.mean, found.stdev, found.min, found.max) == tuple(found)
        assert d.mask.mean_color(img) == d.mean_color(img) == found.mean
        assert {type(n) for values in found for n in values} == {int}


@given(st.data())
def test_colors_of_any_mask_are_those_of_the_pixels_it_contains(data: st.DataObject) -> None:
    draw = data.draw
    width, height = draw(st.integers(1, 12)), draw(st.integers(1, 9))
    w, h = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    scale, offset = st.floats(0.3125, 5, width=32), st.floats(-9, 9, width=32)
    transform = MaskTransform(draw(scale), draw(offset), draw(scale), draw(offset), (0, 0, width, height))
    clip = draw(st.tuples(*[st.integers(0, 6)] * 2)) + draw(st.tuples(*[st.integers(0, 14)] * 2))
    clip = clip[0], clip[1], min(clip[2], width - clip[0]), min(clip[3], height - clip[1])
    assume(clip[2] >= 0 <= clip[3])
    bytes_of = draw(st.binary(min_size=(w + 2) * (h + 1), max_size=(w + 2) * (h + 1)))
    x, y = draw(st.integers(0, 5)), draw(st.integers(0, 5))
    mask = Mask(bytes_of, (x, y, w + 2, h + 1), (x + 1, y, w, h), clip, transform)
    img = noise((width, height), draw(st.sampled_from(FORMATS)), draw(st.integers(0, 9)))
    inside = contained(mask, (width, height))
    assert mask.area == inside.sum()
    expected = expected_statistics(colors(img)[inside]) if inside.any() else None
    assert mask.statistics(img) == expected
    assert mask.mean_color(img) == (expected and expected[0])


@pytest.mark.parametrize("size", [(128, 96), (32, 24), (192, 144)])
def test_colors_in_a_scaled_picture_are_those_under_the_scaled_mask(size: tuple[int, int]) -> None:
    # Mask pixels of 4 x 4 frame pixels, which begin at (8, 12); the picture is the frame, doubled, halved or tripled.
    frame = 64, 48
    data = np.random.default_rng(1).choice(np.uint8([10, 240]), (6, 9))
    transform = MaskTransform(4.0, 8.0, 4.0, 12.0, (0, 0, *frame), frame_size=frame)
    mask = Mask(data.tobytes(), (0, 0, 9, 6), (1, 0, 7, 6), (0, 0, *frame), transform)
    img = noise(size)
    inside = np.zeros(size[::-1], bool)
    for v, u in np.ndindex(*size[::-1]):
        x, y = (u + 0.5) * frame[0] / size[0], (v + 0.5) * frame[1] / size[1]
        i, j = floor((x - 8) / 4), floor((y - 12) / 4)
        inside[v, u] = 1 <= i < 8 and 0 <= j < 6 and data[j, i] >= 128
    assert mask.statistics(img) == expected_statistics(colors(img)[inside])


@on_both_formats
@on_pictures
def test_the_color_of_a_box_is_the_mean_of_its_crop(pixformat: int, size: tuple[int, int]) -> None:
    img = noise(size, pixformat)
    for rect in ((0, 0, 97, 83), (10, 20, 30, 40), (96, 82, 1, 1), (5, 5, 1, 60)):
        values = colors(box(*rect).crop(img)).reshape(-1, 3)
        assert box(*rect).mean_color(img) == expected_statistics(values)[0]


def test_an_empty_mask_has_no_color() -> None:
    seen = FakeModel([Tensor(np.zeros((1, 12, 16), np.uint8))], (64, 48)).run(n6post.DeepLab(), framed())
    assert seen.mask(1).mean_color(noise(FRAME)) is None
    assert seen.mask(1).statistics(noise(FRAME)) is None


def test_a_mask_of_an_unknown_frame_is_cut_to_the_picture() -> None:
    for d in detections_of(Framed(WHOLE)):
        img = noise((50, 40))
        inside = contained(d.mask)[:40, :50]
        expected = expected_statistics(colors(img)[inside])[0] if inside.any() else None
        assert d.mask.mean_color(img) == expected


def test_a_uniform_picture_has_no_deviation_and_one_color() -> None:
    for color in ((0, 0, 0), (255, 255, 255), (255, 0, 0), (0, 255, 0)):
        img = image.Image(*FRAME, image.RGB565)
        img.draw_rectangle(WHOLE, color=color, fill=True)
        for d in detections_of():
            assert d.mask.statistics(img) == (color, (0, 0, 0), color, color)


def test_sums_of_a_large_frame_are_exact() -> None:
    # 1280 x 960 white pixels: squares up to 8e10.
    transform = MaskTransform(320.0, 0.0, 320.0, 0.0, (0, 0, 1280, 960))
    mask = Mask(b"\xff" * 12, (0, 0, 4, 3), (0, 0, 4, 3), (0, 0, 1280, 960), transform)
    img = image.Image(1280, 960, image.GRAYSCALE)
    img.draw_rectangle((0, 0, 1280, 960), color=(255, 255, 255), fill=True)
    assert mask.statistics(img) == ((255,) * 3, (0,) * 3, (255,) * 3, (255,) * 3)
    img.draw_rectangle((0, 0, 640, 960), color=(0, 0, 0), fill=True)
    assert mask.statistics(img) == ((128,) * 3, (128,) * 3, (0,) * 3, (255,) * 3)


# --- profile ---------------------------------------------------------------------------------------------------------
SOURCES = {
    "stretch": lambda: framed(),
    "roi": lambda: framed(roi=(9, 5, 80, 70)),
    "letterbox": lambda: n6post.Letterbox(image.Image(*FRAME, image.RGB565)),
    "crop": lambda: n6post.Crop(image.Image(*FRAME, image.RGB565)),
    "wide letterbox": lambda: n6post.Letterbox(image.Image(*FRAME, image.RGB565), roi=(0, 10, 97, 30)),
}


def map_seen(source: Any, shape: tuple[int, int] = (12, 16), seed: int = 3) -> Any:
    classes = np.random.default_rng(seed).integers(0, 3, (1, *shape)).astype(np.uint8)
    names = ["background", "road", "grass"]
    return FakeModel([Tensor(classes)], (64, 48)).run(n6post.DeepLab(layout="NHWC", labels=names), source)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("shape", [(12, 16), (48, 64), (5, 7), (1, 1)])
@pytest.mark.parametrize("rows", [1, 3, 8, 20])
def test_a_profile_counts_what_class_at_returns_in_each_band(source: str, shape: tuple[int, int], rows: int) -> None:
    seen = map_seen(SOURCES[source](), shape)
    classes = np.array([[-1 if (c := seen.class_at(x, y)) is None else c for x in range(97)] for y in range(83)])
    ys, xs = np.nonzero(classes >= 0)
    top, bottom = int(ys.min()), int(ys.max()) + 1
    across = int(xs.max()) + 1 - int(xs.min())
    for class_id in (0, 1, 2):
        bands = seen.profile(class_id, rows=rows)
        assert len(bands) == rows
        for k, band in enumerate(reversed(bands)):
            first, end = top + k * (bottom - top) // rows, top + (k + 1) * (bottom - top) // rows
            hits = np.nonzero(classes[first:end] == class_id)[1]
            assert band.y == (first + end) // 2
            if not len(hits):
                assert band[1:] == (None, None, None, 0.0)
                continue
            assert (band.left, band.right) == (hits.min(), hits.max())
            assert band.center == floor(Fraction(int((2 * hits + 1).sum()), 2 * len(hits)))
            assert band.fraction == pytest.approx(len(hits) / (across * (end - first)))


def test_a_profile_takes_a_name_and_begins_at_the_bottom() -> None:
    seen = map_seen(framed())
    assert seen.profile("road") == seen.profile(1) == seen.profile(1, rows=8)
    assert [band.y for band in seen.profile(1, rows=4)] == [72, 51, 30, 10]
    assert seen.profile(7) == [(band.y, None, None, None, 0.0) for band in seen.profile(1)]


def test_the_centers_of_a_straight_road_lie_on_it() -> None:
    classes = np.zeros((1, 48, 64), np.uint8)
    for row in range(48):  # from the middle of the lower edge to the upper right corner
        classes[0, row, 56 - row // 2 : 62 - row // 2] = 1
    frame = n6post.Stretch(image.Image(640, 480, image.RGB565))
    seen = FakeModel([Tensor(classes)], (64, 48)).run(n6post.DeepLab(), frame)
    for band in seen.profile(1, rows=6):
        assert abs(band.center - (590 - band.y / 2)) < 8
        assert band.left < band.center < band.right and 60 <= band.right - band.left + 1 <= 100
        assert 0.09 < band.fraction < 0.1


@pytest.mark.parametrize("rows", [0, 84, -1, 2.0, True, None, "8"])
def test_a_profile_refuses_more_rows_than_the_frame_has(rows: Any) -> None:
    seen = map_seen(framed())
    for before in (1, 2):  # what is kept of the last call makes no difference
        seen.profile(1, rows=before)
        with pytest.raises(ValueError, match="rows: expected an integer from 1 to 83, got"):
            seen.profile(1, rows=rows)
    assert len(map_seen(framed()).profile(1, rows=83)) == 83


def test_a_profile_refuses_a_class_that_does_not_exist() -> None:
    with pytest.raises(ValueError, match="class_id"):
        map_seen(framed()).profile("sea")
    with pytest.raises(ValueError, match="class_id: expected an integer from 0 to 255, got 256"):
        map_seen(framed()).profile(256)
