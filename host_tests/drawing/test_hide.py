"""lib/n6post/drawing/hide.py: nothing of a hidden object is left but coarse means."""

from __future__ import annotations

import importlib
from typing import Any

import image
import kernel_reference
import n6post
import numpy as np
import pytest
from assertions import pixels, rgb565, says
from fakes import Array
from n6post.results.mask import Mask, MaskTransform
from n6post_pc.demo import recorded

pytestmark = [
    pytest.mark.both_firmwares,
    pytest.mark.proof(
        "lib/n6post/drawing/*.py", "lib/n6post/pixels/*.py", "lib/n6post/kernels/*/hide.py", "stubs/image/*.py",
    ),
]  # fmt: skip

FORMATS = [image.RGB565, image.GRAYSCALE]
on_both_formats = pytest.mark.parametrize("pixformat", FORMATS, ids=["RGB565", "GRAYSCALE"])
every_way = pytest.mark.parametrize("how", ["pixelate", "blur", "fill"])
SIZE = (160, 120)


def detection(rect: tuple[int, int, int, int], mask: Any = None) -> Any:
    return n6post.Detection(rect, 0.9, 0, "face", mask, None)


def scene(pixformat: int = image.RGB565, size: tuple[int, int] = SIZE, seed: int = 3) -> Any:
    img = image.Image(*size, pixformat)
    seen = pixels(img)
    noise = np.random.default_rng(seed).integers(0, 1 << 16 if pixformat == image.RGB565 else 256, seen.shape)
    img.bytearray()[:] = noise.astype(seen.dtype).tobytes()
    return img


def made_mask(plane: Array, scale: tuple[float, float], offset: tuple[float, float], clip: Any, size: Any = SIZE) -> Any:
    """A mask with soft edges; its logits are cut to bytes."""
    h, w = plane.shape
    transform = MaskTransform(scale[0], offset[0], scale[1], offset[1], (0, 0, *size), (0, 0), size)
    return Mask(plane.astype(np.uint8).tobytes(), (0, 0, w, h), (0, 0, w, h), clip, transform)


def mixed(img: Any, hidden: Array, size: int) -> Any:
    """The same picture with the hidden pixels of every block in another order: its means are the same."""
    other = img.copy()
    before = pixels(img).copy()
    random = np.random.default_rng(1)
    for y in range(0, before.shape[0], size):
        for x in range(0, before.shape[1], size):
            if hidden[y : y + size, x : x + size].any():
                block = before[y : y + size, x : x + size]
                before[y : y + size, x : x + size] = random.permutation(block.ravel()).reshape(block.shape)
    other.bytearray()[:] = before.tobytes()
    return other


def tinted(mask: Any, size: tuple[int, int]) -> Array:
    plane = image.Image(*size, image.GRAYSCALE)
    mask.draw(plane, color=(255, 255, 255), alpha=255, antialias=True)
    return np.asarray(pixels(plane) != 0)


RECTS = [(40, 30, 50, 40), (0, 0, 33, 21), (101, 77, 59, 43), (-20, 50, 45, 90), (7, 9, 1, 1), (159, 119, 1, 1)]
RECTS += [(0, 0, *SIZE)]


# --- privacy -----------------------------------------------------------------------------------------------------------
@on_both_formats
@every_way
@pytest.mark.parametrize("size", [None, 2, 7, 16, 64])
@pytest.mark.parametrize("rect", RECTS)
def test_what_is_left_of_a_box_depends_on_means_of_blocks_only(
    pixformat: int, how: Any, size: int | None, rect: Any
) -> None:
    """Two pictures whose blocks have the same pixels in another order look the same afterwards, inside the box."""
    x, y, w, h = rect
    block = size or min(max(min(w, h) // 6, 8), 64)
    inside = np.zeros(SIZE[::-1], bool)
    inside[max(y, 0) : y + h, max(x, 0) : x + w] = True
    img = scene(pixformat)
    other = mixed(img, inside, block)
    n6post.hide(img, [detection(rect)], how=how, size=size, grow=0.0)
    n6post.hide(other, [detection(rect)], how=how, size=size, grow=0.0)
    np.testing.assert_array_equal(pixels(img)[inside], pixels(other)[inside])


@on_both_formats
@every_way
@pytest.mark.parametrize("seed", range(12))
def test_what_is_left_of_a_mask_depends_on_means_of_blocks_only(pixformat: int, how: Any, seed: int) -> None:
    random = np.random.default_rng(seed)
    w, h = (int(v) for v in random.integers(1, 30, 2))
    scale = tuple(float(v) for v in random.choice([1.0, 2.5, 3.7, 4.0, 8.0], 2))
    offset = tuple(float(v) for v in random.uniform(-20, 60, 2))
    x0, x1 = np.sort(random.integers(0, 160, 2))
    y0, y1 = np.sort(random.integers(0, 120, 2))
    clip = (int(x0), int(y0), int(x1 - x0) + 1, int(y1 - y0) + 1)
    mask = made_mask(random.integers(0, 256, (h, w)) * (random.random((h, w)) < 0.4), scale, offset, clip)  # type: ignore[arg-type]
    inside = tinted(mask, SIZE)
    for size in (3, 8):
        img = scene(pixformat)
        other = mixed(img, inside, size)
        for picture in (img, other):
            n6post.hide(picture, [detection(clip, mask)], how=how, size=size, grow=0.0)
        np.testing.assert_array_equal(pixels(img)[inside], pixels(other)[inside])


@every_way
def test_people_of_a_recorded_frame_are_hidden_by_their_masks(how: Any) -> None:
    recording = recorded.load("yolov8n_seg_320", "astronaut")
    found = [d for d in recording.model().run(n6post.YoloV8Seg(0.4)) if d.label == "person"]
    img = scene(size=recording.size)
    before = pixels(img).copy()
    n6post.hide(img, found, how=how)
    changed = pixels(img) != before
    inside = tinted(found[0].mask, recording.size)
    # Of noise nearly every pixel changes; what is far from the person does not.
    assert changed[inside].mean() > 0.99 and inside.mean() < changed.mean() < 0.97
    assert not changed[:100, -30:].any()


# --- what is drawn -----------------------------------------------------------------------------------------------------
@on_both_formats
@every_way
def test_cells_have_their_means_and_other_pixels_stay(pixformat: int, how: Any) -> None:
    img = scene(pixformat)
    before = pixels(img).copy()
    n6post.hide(img, [detection((40, 30, 50, 40))], how=how, size=10, grow=0.0, color=(8, 200, 72))
    marked = np.zeros((6, 7), bool)
    marked[1:-1, 1:-1] = True
    number = {"pixelate": 0, "blur": 1, "fill": 2}[how]
    color = 8 >> 3 << 11 | 200 >> 2 << 5 | 72 >> 3
    wanted = kernel_reference.hide_cells(before, marked, (3, 2, 7, 6), 10, number, color)
    np.testing.assert_array_equal(pixels(img), wanted)


def test_a_filled_box_has_its_exact_edges() -> None:
    img = image.Image(*SIZE, image.RGB565)
    n6post.hide(img, [detection((41, 33, 50, 41))], how="fill", color=(255, 255, 255), grow=0.0)
    y, x = np.nonzero(rgb565(img))
    assert (x.min(), y.min(), x.max(), y.max(), len(x)) == (41, 33, 90, 73, 50 * 41)


@pytest.mark.parametrize(
    ("grow", "margins"), [(0.0, (0, 0)), (0.05, (5, 2)), (0.1, (10, 4)), (0.101, (11, 5)), (1, (100, 40))]
)
def test_grow_widens_each_side_by_a_part_of_the_box_rounded_up(grow: float, margins: tuple[int, int]) -> None:
    img = image.Image(400, 300, image.RGB565)
    n6post.hide(img, [detection((120, 110, 100, 40))], how="fill", color=(255, 255, 255), grow=grow)
    y, x = np.nonzero(rgb565(img))
    assert (120 - x.min(), 110 - y.min()) == margins
    assert (x.max() + 1 - 220, y.max() + 1 - 150) == margins


@pytest.mark.parametrize(("rect", "block"), [((32, 32, 64, 64), 10), ((16, 16, 20, 90), 8), ((0, 0, 160, 120), 20)])
def test_a_block_is_a_sixth_of_the_shorter_side_and_at_least_8(rect: Any, block: int) -> None:
    img, wanted = scene(), scene()
    n6post.hide(img, [detection(rect)])
    n6post.hide(wanted, [detection(rect)], size=block)
    np.testing.assert_array_equal(pixels(img), pixels(wanted))


def test_what_is_not_given_is_a_twentieth_and_at_most_64_pixels() -> None:
    size = 640, 480
    soft = made_mask(np.full((20, 25), 255), (4.0, 4.0), (130.0, 110.0), (130, 110, 100, 80), size)
    box = detection((130, 110, 400, 300)), detection((130, 110, 420, 301))
    for d, options, same in (
        (box[0], {}, {"size": 50, "grow": 0.05}),
        (detection((40, 30, 500, 430)), {}, {"size": 64, "grow": 0.05}),
        (box[1], {"how": "fill"}, {"how": "fill", "grow": 0.05}),
        (detection((130, 110, 100, 80), soft), {"how": "fill"}, {"how": "fill", "size": 4, "grow": 0.05}),
        (detection((130, 110, 100, 80), soft), {"how": "blur"}, {"how": "blur", "size": 13, "grow": 0.05}),
    ):
        img, wanted, bare = (scene(size=size) for _ in range(3))
        n6post.hide(img, [d], **options)
        n6post.hide(wanted, [d], **same)
        n6post.hide(bare, [d], **{**same, "grow": 0.0})
        np.testing.assert_array_equal(pixels(img), pixels(wanted))
        assert (pixels(img) != pixels(bare)).any() or "how" not in options


def test_detections_of_the_pictures_size_and_of_another_one_are_hidden_together() -> None:
    large = detection((100, 80, 60, 40)).replace(frame_size=(320, 240))
    small, unknown = detection((5, 5, 20, 30)).replace(frame_size=SIZE), detection((120, 90, 20, 20))
    wanted = scene()
    n6post.hide(wanted, [detection((50, 40, 30, 20)), small, unknown], size=8)
    for order in ([large, small, unknown], [unknown, large, small], [small, unknown, large]):
        img = scene()
        n6post.hide(img, order, size=8)
        np.testing.assert_array_equal(pixels(img), pixels(wanted))
    with pytest.raises(ValueError, match="^roi: expected"):
        n6post.hide(scene(), [], roi=(0, 0, 0, 5))


@every_way
def test_a_picture_of_another_size_or_a_crop_is_hidden_at_the_same_place(how: Any) -> None:
    d = detection((100, 80, 60, 40)).replace(frame_size=(320, 240))
    scaled, wanted = scene(), scene()
    n6post.hide(scaled, [d], how=how, size=8, grow=0.0)
    n6post.hide(wanted, [detection((50, 40, 30, 20))], how=how, size=8, grow=0.0)
    np.testing.assert_array_equal(pixels(scaled), pixels(wanted))
    crop, wanted = scene(), scene()
    n6post.hide(crop, [d], how=how, size=8, grow=0.0, roi=(90, 70, 160, 120))
    n6post.hide(wanted, [detection((10, 10, 60, 40))], how=how, size=8, grow=0.0)
    np.testing.assert_array_equal(pixels(crop), pixels(wanted))


def test_without_an_object_in_the_picture_nothing_changes() -> None:
    img = scene()
    before = pixels(img).copy()
    assert n6post.hide(img, []) is img
    n6post.hide(img, [detection((400, 10, 50, 50)), detection((10, 10, 0, 5)), detection((-90, -90, 20, 20))])
    np.testing.assert_array_equal(pixels(img), before)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"how": "mosaic"}, "how: expected 'pixelate', 'blur' or 'fill', got 'mosaic'"),
        ({"how": None}, "how: expected 'pixelate', 'blur' or 'fill', got None"),
        ({"color": 7}, "color: expected (r, g, b), got 7"),
        ({"grow": -0.1}, "grow: expected a number from 0.0 to 10.0, got -0.1"),
        ({"size": 1}, "size: expected an integer from 2 to 64, got 1"),
        ({"size": 65}, "size: expected an integer from 2 to 64, got 65"),
        ({"size": 8.0}, "size: expected an integer from 2 to 64, got 8.0"),
    ],
)
def test_a_wrong_option_of_hide_is_refused_before_drawing(options: Any, message: str) -> None:
    img = scene()
    before = pixels(img).copy()
    with pytest.raises(ValueError, match=says(message)):
        n6post.hide(img, [detection(RECTS[0])], **options)
    np.testing.assert_array_equal(pixels(img), before)


@pytest.mark.parametrize(("given", "kind"), [(None, "NoneType"), (detection(RECTS[0]), "Detection"), ("face", "str")])
def test_anything_but_a_list_of_detections_is_refused(given: Any, kind: str) -> None:
    with pytest.raises(ValueError, match=f"^detections: expected a list of Detection, got {kind}$"):
        n6post.hide(scene(), given)
    with pytest.raises(ValueError, match="^detections: expected a list of Detection, got a list with int$"):
        n6post.hide(scene(), [5])  # type: ignore[list-item]
    with pytest.raises(ValueError, match="^expected an RGB565 or GRAYSCALE image to draw on"):
        n6post.hide(image.Image(9, 9, image.BINARY), [])


def test_buffers_are_kept_from_frame_to_frame() -> None:
    kept = vars(importlib.import_module("n6post.drawing.hide"))["_kept"]
    n6post.hide(scene(), [detection((0, 0, 160, 120))], size=2)
    first = [id(buffer) for buffer in kept]
    n6post.hide(scene(), [detection((5, 5, 90, 90))], size=4)
    n6post.hide(scene(), [detection((0, 0, 160, 120))], how="blur", size=2)
    assert [id(buffer) for buffer in kept] == first
