"""lib/n6post/edges.py: which frame pixels lie in which column of a map, counted one by one."""

from __future__ import annotations

from array import array
from types import SimpleNamespace

import pytest
from n6post import edges


def view(count: int, scale: float, offset: float, seen: int, window: tuple[int, int]) -> SimpleNamespace:
    """A map of so many columns and one row of 3 pixels."""
    return SimpleNamespace(
        edges=None, even=None, seen=(0, 0, seen, 3), width=count, height=1, sx=scale, ox=offset, sy=3.0, oy=0.0,
        window=(window[0], 0, window[1], 1),
    )  # fmt: skip


def widths_of(count: int, scale: float, offset: float, seen: int) -> list[int]:
    """How many frame pixels have their centres in each column."""
    inside = [[p for p in range(seen) if c * scale <= p + 0.5 - offset < (c + 1) * scale] for c in range(count)]
    return [len(pixels) for pixels in inside]


@pytest.mark.parametrize("count, scale, offset, seen", [(5, 4, 0, 20), (8, 4, -8, 20), (7, 4, -6, 20), (4, 2.5, 0, 10)])
def test_a_window_is_even_where_all_its_columns_are_as_wide_and_no_other_has_a_pixel(
    count: int, scale: float, offset: float, seen: int
) -> None:
    widths = widths_of(count, scale, offset, seen)
    for first in range(count):
        for last in range(first + 1, count + 1):
            same = set(widths[first:last]) == {widths[first]} and not any(widths[:first] + widths[last:])
            one = view(count, scale, offset, seen, (first, last))
            assert edges.even(one) == (3 * widths[first] if same else 0), (first, last)


def test_edges_of_a_wide_frame_are_no_negative_numbers() -> None:
    assert edges.begins(2, 20000.0, 0, 0, 40000).tolist() == [0, 20000, 40000]


def test_the_column_of_a_pixel_is_what_the_edges_say_whatever_its_scale_says() -> None:
    """A camera's floats may put it a column to either side."""
    for begins in ([0, 10, 20, 30], [0, 11, 21, 30], [0, 9, 19, 30], [0, 0, 0, 30], [0, 30, 30, 30]):
        for pixel in range(30):
            column = edges.column_at(array("H", begins), pixel, 10.0, 0.0)
            assert begins[column] <= pixel < begins[column + 1]
