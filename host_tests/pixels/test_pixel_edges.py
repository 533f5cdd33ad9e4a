"""lib/n6post/pixels/pixel_edges.py: which frame pixels lie in which column of a map."""

from __future__ import annotations

from array import array
from types import SimpleNamespace

import pytest
from n6post.pixels import pixel_edges


def view(count: int, scale: float, offset: float, seen: int, window: tuple[int, int]) -> SimpleNamespace:
    """A map of `count` columns and one row of 3 frame pixels."""
    return SimpleNamespace(
        edges=None, uniform_pixel_area=None, seen=(0, 0, seen, 3), width=count, height=1, sx=scale, ox=offset, sy=3.0,
        oy=0.0, window=(window[0], 0, window[1], 1),
    )  # fmt: skip


def widths_of(count: int, scale: float, offset: float, seen: int) -> list[int]:
    """How many frame pixels have their centers in each column."""
    inside = [[p for p in range(seen) if c * scale <= p + 0.5 - offset < (c + 1) * scale] for c in range(count)]
    return [len(pixels) for pixels in inside]


@pytest.mark.parametrize("count, scale, offset, seen", [(5, 4, 0, 20), (8, 4, -8, 20), (7, 4, -6, 20), (4, 2.5, 0, 10)])
def test_pixel_area_is_uniform_if_all_visible_columns_have_one_width(
    count: int, scale: float, offset: float, seen: int
) -> None:
    widths = widths_of(count, scale, offset, seen)
    for first in range(count):
        for last in range(first + 1, count + 1):
            same = set(widths[first:last]) == {widths[first]} and not any(widths[:first] + widths[last:])
            one = view(count, scale, offset, seen, (first, last))
            assert pixel_edges.uniform_pixel_area(one) == (3 * widths[first] if same else 0), (first, last)


def test_edges_of_a_wide_frame_do_not_overflow() -> None:
    assert pixel_edges.column_edges(2, 20000.0, 0, 0, 40000).tolist() == [0, 20000, 40000]


def test_column_of_a_pixel_follows_the_edges_and_not_the_scale() -> None:
    """With a camera's floats the computed column may be off by one."""
    for column_edges in ([0, 10, 20, 30], [0, 11, 21, 30], [0, 9, 19, 30], [0, 0, 0, 30], [0, 30, 30, 30]):
        for pixel in range(30):
            column = pixel_edges.column_at(array("H", column_edges), pixel, 10.0, 0.0)
            assert column_edges[column] <= pixel < column_edges[column + 1]
