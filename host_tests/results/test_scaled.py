"""lib/n6post/results/scaled.py: results drawn on a picture of another size than their frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import gray, note_texts, pixels, rgb565, says
from fakes import FakeModel, Framed, Tensor
from hypothesis import given
from hypothesis import strategies as st
from ml.preprocessing import Normalization
from n6post.pixels.colors import class_color
from n6post.tensors import lazy
from n6post_pc.demo import recorded
from synthetic_heads import Thing, float_head, random_head

pytestmark = pytest.mark.both_firmwares

FRAME = (640, 480)
LCDS = [(320, 240), (800, 600), (240, 181)]  # the last one is not quite as 4 : 3
on_every_lcd = pytest.mark.parametrize("lcd", LCDS, ids=lambda size: f"{size[0]}x{size[1]}")


def picture(width: int, height: int, pixformat: int = image.RGB565) -> Any:
    return image.Image(width, height, pixformat)


def plain(size: tuple[int, int] = FRAME, roi: tuple[int, int, int, int] | None = None) -> Any:
    """An input as `predict([img])` makes it."""
    return Normalization(roi=roi)(picture(*size))


def detected(rects: list[tuple[int, int, int, int]], source: Any, size: tuple[int, int] = (64, 64)) -> Any:
    """Detections with these boxes, in pixels of the model input."""
    things = [Thing(7 * i, (x, y, x + w, y + h), {i: 0.9 - 0.1 * i}) for i, (x, y, w, h) in enumerate(rects)]
    return FakeModel([Tensor(float_head(size, len(rects), things))], size).run(n6post.YoloV8(0.1), source)


def segmented(source: Any, seed: int = 8) -> Any:
    """Objects of several classes that overlap, from an int8 head and prototypes."""
    return random_head(seed, (64, 64), 5, 8, -20).model().run(n6post.YoloV8Seg(0.3), source)


def posed(source: Any) -> Any:
    thing = Thing(3, (2, 3, 47, 60), {0: 0.9}, [k for j in range(17) for k in (4 + 2 * j, 60 - 3 * j, 0.9)])
    return FakeModel([Tensor(float_head((64, 64), 1, [thing], extra=51))], (64, 64)).run(n6post.YoloV8Pose(0.3), source)


def mapped(source: Any, seed: int = 3) -> Any:
    blocks = np.random.default_rng(seed).integers(0, 4, (1, 6, 8)).repeat(8, axis=1).repeat(8, axis=2)
    return FakeModel([Tensor(blocks.astype(np.uint8))], (64, 48)).run(n6post.DeepLab(), source)


# --- the size of the frame -------------------------------------------------------------------------------------------
@pytest.mark.parametrize("family", [lambda s: detected([(5, 6, 20, 30)], s), segmented, posed])
def test_a_detection_knows_the_size_of_its_frame(family: Callable[[Any], Any]) -> None:
    frame = picture(*FRAME)
    inputs = plain(), plain(roi=(10, 20, 300, 200)), n6post.Stretch(frame), n6post.Letterbox(frame, roi=(8, 8, 90, 70))
    for source in inputs:
        detections = family(source)
        assert detections and {d.frame_size for d in detections} == {FRAME}
        assert [d.frame_size for d in detections if d.score > 0.01] == [FRAME] * len(detections)
    assert {d.frame_size for d in family(None)} == {(64, 64)}  # an ndarray: the model's input is the frame
    assert {d.frame_size for d in family(Framed((0, 0, 64, 64)))} == {None}  # it does not have a picture
    assert n6post.Detection((0, 0, 9, 9), 0.5, 0, "a", None, None).frame_size is None


def test_a_new_frame_size_with_the_same_roi_is_noticed() -> None:
    roi = (0, 0, 64, 64)
    processor = n6post.YoloV8(0.1)
    model = FakeModel([Tensor(float_head((64, 64), 1, [Thing(3, (4, 4, 40, 40), {0: 0.9})]))], (64, 64))
    kept = Normalization(roi=roi)
    for made in (kept, lambda img: Normalization(roi=tuple([*roi]))(img), lambda img: n6post.Stretch(img, roi=roi)):
        for size in ((640, 480), (640, 480), (320, 240), (800, 600), (65, 64), (640, 480)):
            (d,) = model.run(processor, made(picture(*size)))
            assert d.rect == (4, 4, 36, 36)
            assert d.frame_size == size


def test_a_frame_size_that_becomes_known_later_is_noticed() -> None:
    processor = n6post.YoloV8(0.1)
    model = FakeModel([Tensor(float_head((64, 64), 1, [Thing(3, (4, 4, 40, 40), {0: 0.9})]))], (64, 64))
    source = Framed((0, 0, 480, 480))
    assert [d.frame_size for d in model.run(processor, source)] == [None]
    source._image = picture(480, 480)  # type: ignore[attr-defined]
    assert [(d.rect, d.frame_size) for d in model.run(processor, source)] == [((30, 30, 270, 270), (480, 480))]


# --- pictures that are not the frame ---
# Displays of 16 : 9 have 272 rows, which divide by 16, instead of 270.
@pytest.mark.parametrize("size", [(480, 272), (240, 135), (1920, 1080), (320, 180), (854, 480), (1366, 768), (48, 27)])
def test_a_picture_of_the_frames_aspect_ratio_shows_it_scaled(size: tuple[int, int]) -> None:
    from n6post.results.scaled import is_scaled

    assert is_scaled((1920, 1080), *size) == (size != (1920, 1080))
    assert is_scaled(None, *size) is False


CROPS = [(320, 200), (300, 240), (640, 470), (240, 320), (128, 160), (800, 480), (64, 64)]


@pytest.mark.parametrize("size", CROPS, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_picture_of_another_aspect_ratio_is_refused_and_unchanged(size: tuple[int, int]) -> None:
    source = plain()
    found, seen = segmented(source), mapped(source)
    zone, line = n6post.PolygonZone([(0, 0), (200, 0), (200, 200)], frame_size=FRAME), n6post.LineZone((0, 9), (99, 9))
    trail = n6post.Trail()
    for x in (10, 50):
        tracked = [found[0].replace(track_id=1, rect=(x, 20, 30, 40))]
        line.trigger(tracked), trail.update(tracked)
    message = (
        f"img: expected a picture of the frame's size, 640 x 480, or of its aspect ratio, got {size[0]} x {size[1]}:"
        " draw on the whole frame first, then crop or stretch it"
    )
    assert (found[0].frame_size, line.frame_size, trail.frame_size) == (FRAME, FRAME, FRAME)
    img = picture(*size)
    for draw in (
        lambda: n6post.draw(img, found), lambda: n6post.draw(img, found, masks=False), lambda: n6post.draw(img, seen),
        lambda: n6post.draw(img, zone), lambda: line.draw(img), lambda: n6post.draw(img, trail),
        lambda: seen.draw(img), lambda: found[0].mask.draw(img), lambda: found[0].mask.draw(img, antialias=False),
        lambda: found[0].mask.fill_outside(img), lambda: seen.mask(1).draw(img), lambda: seen.mask(1).fill_outside(img),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=says(message)):
            draw()
    assert not rgb565(img).any()


# --- positions ------------------------------------------------------------------------------------------------
def covered(start: int, size: int, of: int, to: int) -> list[int]:
    """The pixels of `to` whose centers lie in start..start + size of a frame of `of` pixels, in exact fractions."""
    return [k for k in range(to) if 2 * start * to <= (2 * k + 1) * of < 2 * (start + size) * to]


@given(
    st.tuples(st.integers(0, 630), st.integers(0, 470), st.integers(1, 640), st.integers(1, 480)),
    st.tuples(st.integers(2, 900), st.integers(-1, 1)).map(lambda v: (v[0], max(1, v[0] * 3 // 4 + v[1]))),
)
def test_a_scaled_box_surrounds_the_pixels_whose_centers_lie_in_it(
    rect: tuple[int, int, int, int], lcd: tuple[int, int]
) -> None:
    x, y = rect[:2]
    w, h = min(rect[2], 640 - x), min(rect[3], 480 - y)
    img = picture(*lcd, image.GRAYSCALE)
    d = n6post.Detection((x, y, w, h), 0.9, 0, "", None, None).replace(frame_size=FRAME)
    n6post.draw(img, [d], color=(255, 255, 255), labels=False, thickness=100)
    rows, columns = np.nonzero(gray(img))
    for seen, wanted, at, scale in (
        (columns, covered(x, w, 640, lcd[0]), x + w / 2, lcd[0] / 640),
        (rows, covered(y, h, 480, lcd[1]), y + h / 2, lcd[1] / 480),
    ):
        if wanted:
            assert sorted(set(seen)) == wanted
        else:  # thinner than a pixel: one pixel is drawn nevertheless
            (one,) = set(seen)
            assert abs(one + 0.5 - at * scale) <= 1


@on_every_lcd
def test_labels_are_drawn_at_their_scaled_boxes(monkeypatch: pytest.MonkeyPatch, lcd: tuple[int, int]) -> None:
    texts: dict[str, tuple[int, int]] = {}
    note_texts(monkeypatch, lambda text, at, _: texts.update({text: at}))
    detections = detected([(2, 20, 20, 30), (30, 40, 20, 20)], n6post.Stretch(picture(*FRAME)))
    assert [d.rect for d in detections] == [(20, 150, 200, 225), (300, 300, 200, 150)]
    n6post.draw(picture(*lcd), detections)
    line, span = (21, 82) if lcd[0] >= 480 else (11, 42)
    for d, (x, y) in zip(detections, (texts["0 90%"], texts["1 80%"]), strict=True):
        assert abs(x - 1 - min(d.rect[0] * lcd[0] / 640, lcd[0] - span)) <= 1
        assert abs(y + line - d.rect[1] * lcd[1] / 480) <= 1


@on_every_lcd
@pytest.mark.parametrize("smooth", [True, False])
@pytest.mark.parametrize("roi", [None, (100, 40, 400, 300)])
def test_a_scaled_mask_covers_the_scaled_area(
    lcd: tuple[int, int], smooth: bool, roi: tuple[int, int, int, int] | None
) -> None:
    """Compared with the mask drawn on its frame, sampled at the center of each pixel of the picture."""
    detections = segmented(plain(roi=roi))
    own = picture(*FRAME, image.GRAYSCALE)
    there = picture(*lcd, image.GRAYSCALE)
    n6post.draw(own, detections, color=(255, 255, 255), alpha=255, boxes=False, labels=False, antialias=smooth)
    n6post.draw(there, detections, color=(255, 255, 255), alpha=255, boxes=False, labels=False, antialias=smooth)
    columns = ((np.arange(lcd[0]) + 0.5) * FRAME[0] / lcd[0]).astype(int)
    rows = ((np.arange(lcd[1]) + 0.5) * FRAME[1] / lcd[1]).astype(int)
    wanted = gray(own)[rows][:, columns] > 0
    got = gray(there) > 0
    assert wanted.sum() > 200
    # draw_image (blocks) may shift an edge by up to a pixel of the picture
    assert (wanted & got).sum() / (wanted | got).sum() > (0.97 if smooth else 0.9)


def test_a_mask_on_a_double_sized_picture_equals_that_of_a_double_frame() -> None:
    """Transform and clip rectangles are equal, so every pixel is equal too."""
    small, large = segmented(plain((320, 240))), segmented(plain((640, 480)))
    for d, e in zip(small, large, strict=True):
        if tuple(2 * v for v in d.rect) == e.rect and d.mask._parts()[3] == tuple(v // 2 for v in e.mask._parts()[3]):
            one, two = picture(640, 480), picture(640, 480)
            d.mask.draw(one), e.mask.draw(two)
            np.testing.assert_array_equal(pixels(one), pixels(two))


@on_every_lcd
@pytest.mark.parametrize("smooth", [True, False])
def test_draw_of_a_mask_and_a_segmentation_scales_too(lcd: tuple[int, int], smooth: bool) -> None:
    detections = segmented(plain())
    one, other = picture(*lcd), picture(*lcd)
    n6post.draw(one, detections, alpha=200, boxes=False, labels=False, antialias=smooth)
    for d in detections[::-1]:
        assert d.mask.draw(other, color=class_color(d.class_id), alpha=200, antialias=smooth) is other
    np.testing.assert_array_equal(pixels(one), pixels(other))
    seen = mapped(plain())
    one, other = picture(*lcd), picture(*lcd)
    n6post.draw(one, seen, alpha=200)
    assert seen.draw(other, alpha=200, legend=True) is other
    np.testing.assert_array_equal(pixels(one), pixels(other))


@on_every_lcd
@pytest.mark.parametrize("roi", [None, (100, 40, 400, 300)])
def test_a_scaled_class_map_shows_the_class_at_each_pixels_center(
    lcd: tuple[int, int], roi: tuple[int, int, int, int] | None
) -> None:
    seen = mapped(n6post.Stretch(picture(*FRAME), roi=roi))
    img = picture(*lcd)
    palette = [None, (255, 0, 0), (0, 255, 0), (0, 0, 255)]
    seen.draw(img, palette=palette, alpha=255)
    colors = {0xF800: 1, 0x07E0: 2, 0x001F: 3, 0: 0}
    same = total = 0
    for y in range(0, lcd[1], 7):
        for x in range(0, lcd[0], 7):
            expected = seen.class_at(int((x + 0.5) * 640 / lcd[0]), int((y + 0.5) * 480 / lcd[1])) or 0
            total += 1
            same += colors[int(rgb565(img)[y, x])] == expected
    assert same / total > 0.93  # an edge may be shifted by a pixel of the picture


def test_the_legend_is_drawn_in_the_corner_of_the_picture() -> None:
    seen = mapped(plain())
    img = picture(320, 240, image.GRAYSCALE)
    seen.draw(img, alpha=0, legend=True)
    rows, columns = np.nonzero(gray(img))
    assert rows.min() >= 240 - 3 * 12 - 2 and rows.max() < 240 and columns.max() < 18 + 8 * 2


@on_every_lcd
def test_keypoints_are_drawn_at_their_scaled_positions(monkeypatch: pytest.MonkeyPatch, lcd: tuple[int, int]) -> None:
    circles: list[tuple[int, ...]] = []
    real = image.Image.draw_circle
    monkeypatch.setattr(
        image.Image, "draw_circle", lambda img, circle, **o: circles.append(circle) or real(img, circle, **o)
    )
    (person,) = posed(n6post.Stretch(picture(*FRAME)))
    n6post.draw(picture(*lcd), [person], boxes=False, labels=False)
    wanted = [(x * lcd[0] / 640, y * lcd[1] / 480) for x, y, _ in person.keypoints.tolist()]
    assert len(circles) == 17
    for (x, y, _), (wx, wy) in zip(circles, wanted, strict=True):
        assert abs(x - wx) <= 1 and abs(y - wy) <= 1
    assert person.keypoints.tolist()[0][0] == pytest.approx(40)  # the detection itself is unchanged


# --- without scaling ------------------------------------------------------------------------------------------
@pytest.mark.parametrize("smooth", [True, False])
def test_a_picture_of_the_frames_size_does_not_load_the_scaling(monkeypatch: pytest.MonkeyPatch, smooth: bool) -> None:
    import sys

    for result in (segmented(plain()), posed(plain()), mapped(plain()), segmented(Framed((0, 0, *FRAME)))):
        monkeypatch.setitem(sys.modules, "n6post.results.scaled", None)  # an import would fail
        vars(lazy.later).clear()
        n6post.draw(picture(*FRAME), result, antialias=smooth)


def test_results_of_several_frames_are_each_scaled_by_their_own_size() -> None:
    """Two tiles of a large frame, and a detection that a script has made itself."""
    detections = detected([(5, 6, 20, 30)], plain((320, 240))) + detected([(30, 6, 20, 30)], plain((640, 480)))
    detections += [n6post.Detection((100, 200, 30, 20), 0.5, 3, "mine", None, None)]
    got, wanted = picture(640, 480), picture(640, 480)
    n6post.draw(got, detections, labels=False)
    for d, k in zip(detections[::-1], (1, 1, 2), strict=True):
        rect = tuple(k * v for v in d.rect)
        n6post.draw(wanted, [n6post.Detection(rect, d.score, d.class_id, d.label, None, None)], labels=False)
    np.testing.assert_array_equal(pixels(got), pixels(wanted))


def test_a_photograph_drawn_on_an_lcd_is_a_small_copy_of_the_full_one() -> None:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    detections = recording.model().run(n6post.YoloV8Seg(0.4), plain())
    large, small = picture(640, 480), picture(320, 240)
    n6post.draw(large, detections, labels=False, thickness=0)
    n6post.draw(small, detections, labels=False, thickness=0)
    shrunk = rgb565(large)[1::2, 1::2]
    assert (shrunk != 0).sum() > 5000
    assert ((shrunk != 0) == (rgb565(small) != 0)).mean() > 0.99


def test_the_cache_of_scaled_transforms_stays_small() -> None:
    from n6post.results import scaled

    seen = mapped(plain())
    for _ in range(30):  # each mask has its own transform
        seen.mask(1).draw(picture(320, 240))
    assert len(scaled._kept) <= 8


# --- a part of the frame ---------------------------------------------------------------------------------------------
parts = st.tuples(st.integers(0, 639), st.integers(0, 479), st.integers(1, 640), st.integers(1, 480)).map(
    lambda r: (r[0], r[1], min(r[2], 640 - r[0]), min(r[3], 480 - r[1]))
)


@given(parts, parts, st.tuples(st.integers(1, 300), st.integers(1, 300)))
def test_a_box_in_a_part_of_the_frame_has_the_pixels_whose_centers_lie_in_it(
    rect: tuple[int, int, int, int], roi: tuple[int, int, int, int], size: tuple[int, int]
) -> None:
    from n6post.results.scaled import scaled

    d = n6post.Detection(rect, 0.9, 0, "", None, None).replace(frame_size=FRAME, track_id=3)
    (made,) = scaled([d], *size, roi)
    assert (made.track_id, made.frame_size) == (3, FRAME)
    for axis in (0, 1):
        first, length = made.rect[axis], made.rect[axis + 2]
        start, end = rect[axis] - roi[axis], rect[axis] - roi[axis] + rect[axis + 2]
        seen = [k for k in range(size[axis]) if 2 * start * size[axis] <= (2 * k + 1) * roi[axis + 2] < 2 * end * size[axis]]
        shown = [k for k in range(size[axis]) if first <= k < first + length]
        # A box thinner than a pixel has one if a part of it is in the picture.
        assert shown == seen or not seen and len(shown) == (start < roi[axis + 2] and end > 0)


def test_keypoints_beside_a_part_of_the_frame_are_not_seen() -> None:
    from n6post.results.scaled import scaled

    for d in posed(plain()):
        (made,) = scaled([d], 100, 60, (140, 100, 200, 240))
        x, y, score = np.array(d.keypoints.tolist()).T
        u, v = (x - 140) / 2, (y - 100) / 4
        inside = (u >= 0) & (u < 100) & (v >= 0) & (v < 60)
        assert inside.any() and not inside.all()
        expected = np.column_stack([u, v, np.where(inside, score, -1)])
        np.testing.assert_allclose(made.keypoints.tolist(), expected, rtol=1e-5, atol=1e-4)


def test_corners_in_a_part_of_the_frame_move_with_it() -> None:
    from n6post.results.scaled import scaled

    corners = [(100.0, 60.0), (200.0, 90.0), (180.0, 140.0), (80.0, 110.0)]
    d = n6post.Detection((80, 60, 120, 80), 0.9, 0, "", None, None).replace(frame_size=FRAME, corners=corners)
    (made,) = scaled([d], 100, 60, (60, 40, 200, 120))
    np.testing.assert_allclose(made.corners.tolist(), [((x - 60) / 2, (y - 40) / 2) for x, y in corners])
    assert made.rotation == d.rotation


@pytest.mark.parametrize("roi", [(0, 0, 640, 480), (100, 50, 300, 200), (639, 479, 1, 1), (3, 400, 637, 80)])
@pytest.mark.parametrize("source", [lambda: plain(), lambda: plain(roi=(40, 30, 200, 300))], ids=["frame", "part"])
def test_a_class_map_in_a_part_of_the_frame_is_the_part_of_its_drawing(source: Any, roi: tuple[int, int, int, int]) -> None:
    from n6post.drawing.masks import _map_block_of
    from n6post.kernels.portable.drawing import tint_map
    from n6post.results.scaled import scaled_map_transform

    seen = mapped(source())
    whole = rgb565(seen.draw(picture(*FRAME), alpha=255))
    x, y, w, h = roi
    img = picture(w, h)
    block = _map_block_of(scaled_map_transform(seen._transform, w, h, roi))
    block[0], block[1], block[2] = 2, w, h
    tint_map(img.bytearray(), seen.class_map, block, seen._transform.class_info.palette[1])
    np.testing.assert_array_equal(rgb565(img), whole[y : y + h, x : x + w])


def test_a_roi_is_refused_by_every_scaled_result() -> None:
    from n6post.results.scaled import scaled, scaled_map_transform, scaled_mask

    (d, *_), seen = segmented(plain()), mapped(plain())
    message = "roi: expected (x, y, w, h), a part inside of the frame, 640 x 480, got (600, 0, 50, 50)"
    roi = (600, 0, 50, 50)
    for call in (
        lambda: scaled([d], 50, 50, roi),
        lambda: scaled_mask(d.mask, 50, 50, roi),
        lambda: scaled_map_transform(seen._transform, 50, 50, roi),
    ):
        with pytest.raises(ValueError, match=says(message)):
            call()
    with pytest.raises(ValueError, match=says("roi: expected (x, y, w, h), a part of the frame, got (-1, 0, 5, 5)")):
        scaled([d.replace(frame_size=None)], 50, 50, (-1, 0, 5, 5))
