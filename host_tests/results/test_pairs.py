"""lib/n6post/results/pairs.py: overlaps of boxes, and pairs of two lists, against fractions and samples."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import n6post
import numpy as np
import pytest
from fakes import Array
from hypothesis import given
from hypothesis import strategies as st
from test_oriented import rectangle, ship


def box(*rect: int, label: str = "") -> Any:
    return n6post.Detection(rect, 0.5, 0, label, None, None)


def shares(a: Any, b: Any) -> dict[str, Fraction]:
    """The three overlaps of two rects, by the set of their pixels' rows and columns."""
    (ax, ay, aw, ah), (bx, by, bw, bh) = a, b
    common = len({*range(ax, ax + aw)} & {*range(bx, bx + bw)}) * len({*range(ay, ay + ah)} & {*range(by, by + bh)})
    wholes = {"overlap": aw * ah, "iou": aw * ah + bw * bh - common, "ios": min(aw * ah, bw * bh)}
    return {name: Fraction(common, whole) if common else Fraction(0) for name, whole in wholes.items()}


RECT = st.tuples(st.integers(-9, 30), st.integers(-9, 30), st.integers(0, 25), st.integers(0, 25))


@given(RECT, RECT)
def test_iou_and_overlap_count_the_common_pixels(a: Any, b: Any) -> None:
    one, other, wanted = box(*a), box(*b), shares(a, b)
    assert one.iou(other) == other.iou(one) == pytest.approx(float(wanted["iou"]))
    assert one.overlap(other) == pytest.approx(float(wanted["overlap"]))


def inside(points: Array, corners: Array) -> Array:
    """Which points lie in a convex polygon, by the sides of all edges."""
    edges = np.roll(corners, -1, axis=0) - corners
    offsets = points[:, None] - corners
    sides = edges[:, 0] * offsets[..., 1] - edges[:, 1] * offsets[..., 0]
    return np.asarray((sides >= 0).all(axis=1) | (sides <= 0).all(axis=1))


@given(st.lists(st.tuples(st.floats(20, 60), st.floats(20, 60), st.floats(6, 50), st.floats(6, 50), st.floats(0, 180)),
                min_size=2, max_size=2), st.booleans())  # fmt: skip
def test_oriented_boxes_overlap_as_finely_sampled_ones_do(given_boxes: Any, plain: bool) -> None:
    corners = [rectangle(*one) for one in given_boxes]
    boxes = [ship(corners[0]), ship(corners[1][::-1])]
    if plain:
        x, y, w, h = boxes[1].rect
        boxes[1], corners[1] = box(x, y, w, h), np.array([(x, y), (x + w, y), (x + w, y + h), (x, y + h)])
    grid = np.stack(np.meshgrid(np.arange(-20, 100, 0.5) + 0.25, np.arange(-20, 100, 0.5) + 0.25), -1).reshape(-1, 2)
    a, b = inside(grid, corners[0]), inside(grid, corners[1])
    assert boxes[0].iou(boxes[1]) == pytest.approx((a & b).sum() / (a | b).sum(), abs=0.02)
    assert boxes[0].overlap(boxes[1]) == pytest.approx((a & b).sum() / a.sum(), abs=0.03)
    assert boxes[0].iou(boxes[0]) == 1.0


@given(
    st.lists(RECT, max_size=6), st.lists(RECT, max_size=6), st.sampled_from(["overlap", "iou", "ios"]),
    st.sampled_from([0.5, 0.25, 0.001, 1.0]),
)  # fmt: skip
def test_pairs_are_the_greedy_choice_of_the_largest_overlap(first: Any, second: Any, metric: str, least: float) -> None:
    every = [(-shares(a, b)[metric], i, j) for i, a in enumerate(first) for j, b in enumerate(second)]
    wanted, taken, given_away = [], set(), set()
    for share, i, j in sorted(every):
        if -share >= Fraction(least).limit_denominator(1000) and i not in taken and j not in given_away:
            wanted.append((i, j))
            taken.add(i)
            given_away.add(j)
    ones, others = [box(*rect) for rect in first], [box(*rect) for rect in second]
    found = n6post.pairs(ones, others, metric=metric, overlap_threshold=least)  # type: ignore[arg-type]
    places = [([one is a for one in ones].index(True), [one is b for one in others].index(True)) for a, b in found]
    assert places == wanted


def test_a_helmet_belongs_to_the_person_in_whose_box_it_is() -> None:
    people = [box(0, 0, 40, 100, label="left"), box(30, 0, 40, 100, label="right"), box(200, 0, 40, 100, label="alone")]
    helmets = [box(32, 2, 20, 10), box(8, 1, 20, 10)]
    assert [(a.rect[0], b.label) for a, b in n6post.pairs(helmets, people)] == [(32, "right"), (8, "left")]
    assert n6post.pairs(helmets, people, metric="iou") == []
    assert n6post.pairs([], people) == n6post.pairs(helmets, []) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"metric": "giou"}, "metric: expected 'overlap', 'iou', 'ios' or None, got 'giou'"),
        ({"metric": None}, "metric: expected 'overlap', 'iou' or 'ios', got None"),
        ({"overlap_threshold": 0.0}, "overlap_threshold: expected a number from 0.001 to 1.0, got 0.0"),
    ],
)
def test_wrong_options_are_refused(options: Any, message: str) -> None:
    with pytest.raises(ValueError) as raised:
        n6post.pairs([box(0, 0, 1, 1)], [], **options)
    assert str(raised.value) == message


def test_other_things_and_boxes_of_other_frames_are_refused() -> None:
    one = box(0, 0, 5, 5)
    small, large = one.replace(frame_size=(9, 9)), one.replace(frame_size=(99, 99))
    for wrong in (None, (0, 0, 5, 5), "box"):
        for call in (one.iou, one.overlap):
            with pytest.raises(ValueError, match="expected a list of Detection"):
                call(wrong)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="expected a list of Detection"):
            n6post.pairs([one], wrong)  # type: ignore[arg-type]
    for call in (small.iou, small.overlap, lambda other: n6post.pairs([small], [other])):
        with pytest.raises(ValueError, match="expected those of one frame"):
            call(large)
        assert call(one)
