"""lib/n6post/positions.py: where a detection is, in half pixels, and what zones and trails share."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import n6post
import pytest
from n6post import overlays, positions

# Of a box at 10, 20, as wide as 5 and as high as 8.
PLACES = {
    "center": (12.5, 24), "top": (12.5, 20), "bottom": (12.5, 28), "left": (10, 24), "right": (15, 24),
    "top_left": (10, 20), "top_right": (15, 20), "bottom_left": (10, 28), "bottom_right": (15, 28),
}  # fmt: skip


def places(anchor: str, mask: Any = None) -> list[Any]:
    found = n6post.Detection((10, 20, 5, 8), 0.9, 0, "", mask, None)
    return [(x / 2, y / 2) for x, y in positions.Anchored(anchor, None)._places([found])]


@pytest.mark.parametrize("anchor", PLACES)
def test_an_anchor_is_that_point_of_the_box(anchor: str) -> None:
    assert places(anchor) == [PLACES[anchor]]
    assert positions.Anchored(anchor, None).anchor == anchor


def test_all_anchors_are_told() -> None:
    assert positions._ANCHORS.keys() == PLACES.keys()


def test_a_centroid_is_the_middle_of_its_pixel_and_without_pixels_or_a_mask_the_boxs() -> None:
    assert places("centroid", SimpleNamespace(centroid=(7, 11))) == [(7.5, 11.5)]
    assert places("centroid", SimpleNamespace(centroid=None)) == places("centroid") == [PLACES["center"]]


def test_a_frame_is_32767_pixels_wide_and_high_at_most() -> None:
    assert positions.Anchored("top", [32767, 1]).frame_size == (32767, 1)
    assert positions.Anchored("top", (1, 32767)).frame_size == (1, 32767)
    for size in ((32768, 1), (1, 32768), (0, 1), (1, 0)):
        with pytest.raises(ValueError, match=r"frame_size: expected .*32767"):
            positions.Anchored("top", size)


@pytest.mark.parametrize(
    "name, drawn", [("line", "draw_line_zone"), ("polygon", "draw_polygon_zone"), ("trail", "draw_trail")]
)
def test_each_overlay_is_loaded_whichever_is_asked_for_first(monkeypatch: pytest.MonkeyPatch, name: str, drawn: str) -> None:
    monkeypatch.setattr(positions, "_loaded", {})
    assert positions.overlay(name) is getattr(overlays, drawn)
