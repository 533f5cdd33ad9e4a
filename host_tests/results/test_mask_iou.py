"""lib/n6post/results/mask_iou.py: intersection over union of two masks, against plain numpy."""

from __future__ import annotations

from typing import Any

import image
import n6post
import numpy as np
import pytest
from assertions import mask_plane
from fakes import Array, FakeModel, Tensor
from hypothesis import given
from hypothesis import strategies as st
from n6post.results.mask import MaskTransform
from synthetic_heads import random_head

pytestmark = pytest.mark.both_firmwares


def objects(seed: int, source: Any = None, size: tuple[int, int] = (64, 64)) -> list[Any]:
    return [d.mask for d in random_head(seed, size, 3, 8, -25, 1.2).model().run(n6post.YoloV8Seg(0.3), source)]


def of_plane(plane: Array, source: Any, size: tuple[int, int] = (64, 64)) -> Any:
    """A mask with these pixels, as of a class map over the frame."""
    return FakeModel([Tensor(plane[None].astype(np.uint8))], size).run(n6post.DeepLab(background=None), source).mask(1)


def stretch(size: tuple[int, int], roi: tuple[int, int, int, int] | None = None) -> Any:
    return n6post.Stretch(image.Image(*size, image.RGB565), roi=roi)


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1))
def test_iou_with_the_same_transform_counts_mask_pixels(seed: int, other: int) -> None:
    """Masks of one frame and of two frames."""
    first, second = objects(seed), objects(other)
    for one in first[:4]:
        for two in first[:4] + second[:4]:
            a, b = mask_plane(one, 16, 16), mask_plane(two, 16, 16)
            wanted = (a & b).sum() / max((a | b).sum(), 1)
            assert one.iou(two) == two.iou(one) == wanted


def test_the_iou_is_1_with_itself_and_0_with_an_empty_mask() -> None:
    plane = np.zeros((16, 16), bool)
    plane[3:9, 4:12] = True
    one, none = of_plane(plane, stretch((160, 120))), of_plane(plane & False, stretch((160, 120)))
    assert one.iou(one) == 1.0
    assert one.iou(none) == none.iou(one) == none.iou(none) == 0.0


@pytest.mark.parametrize(("w", "h", "empty"), [(1, 1, False), (1, 40, False), (40, 1, False), (0, 9, True), (9, 0, True)])
def test_a_mask_of_one_pixel_is_not_empty(w: int, h: int, empty: bool) -> None:
    bounds = (0, 0, 64, 64)
    mask = n6post.Mask(b"\xff" * 4, (0, 0, 2, 2), (0, 0, 2, 2), (3, 5, w, h), MaskTransform(32.0, 0.0, 32.0, 0.0, bounds))
    other = n6post.Mask(b"\xff", (0, 0, 1, 1), (0, 0, 1, 1), bounds, MaskTransform(64.0, 0.0, 64.0, 0.0, bounds))
    assert mask.iou(mask) == mask.iou(other) == other.iou(mask) == (0.0 if empty else 1.0)


FINE = 48, 64  # rows and columns of the finer one of two maps over the same frame


@given(st.integers(0, 2**32 - 1), st.sampled_from([2, 3, 5]))
def test_the_coarser_mask_is_sampled_at_the_finer_ones_pixel_centers(seed: int, parts: int) -> None:
    random = np.random.default_rng(seed)
    fine = random.random(FINE) < random.random()
    coarse = random.random((FINE[0] // parts, FINE[1] // parts)) < random.random()
    a = of_plane(fine, stretch((640, 480)), (64, 48))
    b = of_plane(coarse, stretch((640, 480)), (coarse.shape[1] * 4, coarse.shape[0] * 4))
    rows = ((np.arange(FINE[0]) + 0.5) * coarse.shape[0] / FINE[0]).astype(int)
    columns = ((np.arange(FINE[1]) + 0.5) * coarse.shape[1] / FINE[1]).astype(int)
    large = coarse[rows][:, columns]
    wanted = (fine & large).sum() / max((fine | large).sum(), 1)
    assert a.iou(b) == b.iou(a)
    if parts == 2:  # no center lies on an edge
        assert a.iou(b) == pytest.approx(wanted, rel=1e-6)
    else:
        assert a.iou(b) == pytest.approx(wanted, abs=0.05)


def test_masks_of_two_tiles_are_compared_where_the_tiles_overlap() -> None:
    """The left and the right tile share 160 columns, where both see the same part of a bar."""
    left, right = np.zeros((16, 16), bool), np.zeros((16, 16), bool)
    left[4:8, 2:] = True
    right[4:8, :12] = True
    one = of_plane(left, stretch((640, 480), (0, 0, 400, 480)))
    two = of_plane(right, stretch((640, 480), (240, 0, 400, 480)))
    assert one.iou(two) == two.iou(one) == 1.0
    right[4:8, 3:] = False  # 75 of the 160
    cut = of_plane(right, stretch((640, 480), (240, 0, 400, 480)))
    assert one.iou(cut) == pytest.approx(75 / 160, abs=0.08)
    apart = of_plane(left, stretch((640, 480), (400, 0, 240, 480)))
    assert one.iou(apart) == 0.0


Way = tuple[float, float, float, float]  # x scale and offset, y scale and offset


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((3.0, 7.3, 5.0, -4.2), (7.0, 1.1, 9.0, 3.4)),
        ((2.0, 40.1, 9.0, 3.3), (9.0, -5.2, 3.0, 11.7)),  # coarser across and finer down, the finer one by its area
        ((4.0, -9.7, 4.0, 21.4), (11.0, 13.3, 11.0, -6.1)),
        ((0.5, 7.3, 0.7, -4.2), (0.8, 1.1, 0.9, 3.4)),  # finer than the frame
    ],
)
@pytest.mark.parametrize("seed", range(4))
def test_masks_of_any_two_transforms_are_compared_at_the_finer_pixels(one: Way, other: Way, seed: int) -> None:
    """x and y have different scales and offsets, and the crops start anywhere."""
    random = np.random.default_rng(seed)
    bounds = (5, 3, 100, 90), (11, 7, 80, 95)
    masks, planes = [], []
    for (sx, ox, sy, oy), seen in zip((one, other), bounds, strict=True):
        columns, rows = int(110 / sx) + 1, int(100 / sy) + 1
        plane = np.zeros((rows, columns), bool)
        x, y = random.integers(0, columns // 3 + 1), random.integers(0, rows // 3 + 1)
        w, h = random.integers(columns // 2, columns - x), random.integers(rows // 2, rows - y)
        plane[y : y + h, x : x + w] = random.random((h, w)) < 0.6
        crop = (int(x), int(y), int(w), int(h))
        data = np.where(plane[y : y + h, x : x + w], 255, 0).astype(np.uint8).tobytes()
        masks.append(n6post.Mask(data, crop, crop, seen, MaskTransform(sx, ox, sy, oy, seen)))
        planes.append(plane)
    seen_x, seen_y = (11, 91), (7, 93)  # the part that both networks saw
    (sx, ox, sy, oy), (tx, px, ty, py) = one, other
    assert sx * sy < tx * ty
    both = either = 0
    for row in range(int((7 - oy) // sy), int((93 - oy) // sy) + 1):
        for column in range(int((11 - ox) // sx), int((91 - ox) // sx) + 1):
            x, y = (column + 0.5) * sx + ox, (row + 0.5) * sy + oy
            if seen_x[0] <= x < seen_x[1] and seen_y[0] <= y < seen_y[1]:
                held = []
                for plane, at in zip(planes, ((row, column), (int((y - py) // ty), int((x - px) // tx))), strict=True):
                    inside = 0 <= at[0] < plane.shape[0] and 0 <= at[1] < plane.shape[1]
                    held.append(inside and bool(plane[at]))
                both += held[0] and held[1]
                either += held[0] or held[1]
    assert masks[0].iou(masks[1]) == masks[1].iou(masks[0]) == pytest.approx(both / either, rel=1e-6)
    assert both


def test_the_iou_with_a_mask_of_another_roi_is_close_to_the_truth() -> None:
    """The same disc, seen through two rois of different scales."""

    def disc(roi: tuple[int, int, int, int]) -> Any:
        x = roi[0] + (np.arange(64) + 0.5) * roi[2] / 64
        y = roi[1] + (np.arange(64) + 0.5) * roi[3] / 64
        return of_plane(np.hypot(x - 300, y[:, None] - 220) < 90, stretch((640, 480), roi))

    one, two = disc((0, 0, 640, 480)), disc((150, 90, 300, 280))
    assert one.iou(two) == two.iou(one) > 0.93


@pytest.mark.parametrize("other", [None, (0, 0, 5, 5), "mask", 3, n6post.Mask])
def test_iou_refuses_anything_but_a_mask(other: Any) -> None:
    (mask, *_) = objects(8)
    with pytest.raises(ValueError, match=f"^iou: expected a Mask, got {type(other).__name__}$"):
        mask.iou(other)
