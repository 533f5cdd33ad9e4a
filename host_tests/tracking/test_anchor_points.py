"""lib/n6post/tracking/anchor_points.py: positions of detections, and the options that zones and trails share."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import n6post
import pytest
from n6post.tracking import anchor_points

# The anchor points of a box at (10, 20) with a width of 5 and a height of 8.
PLACES = {
    "center": (12.5, 24), "top": (12.5, 20), "bottom": (12.5, 28), "left": (10, 24), "right": (15, 24),
    "top_left": (10, 20), "top_right": (15, 20), "bottom_left": (10, 28), "bottom_right": (15, 28),
}  # fmt: skip


def positions(anchor: str, mask: Any = None) -> list[Any]:
    detection = n6post.Detection((10, 20, 5, 8), 0.9, 0, "", mask, None)
    return [(x / 2, y / 2) for x, y in anchor_points.AnchorTracked(anchor=anchor)._positions([detection])]


@pytest.mark.parametrize("anchor", PLACES)
def test_each_anchor_is_the_named_point_of_the_box(anchor: str) -> None:
    assert positions(anchor) == [PLACES[anchor]]
    assert anchor_points.AnchorTracked(anchor=anchor).anchor == anchor


def test_every_anchor_is_tested() -> None:
    assert anchor_points._ANCHORS.keys() == PLACES.keys()


def test_the_centroid_anchor_without_a_mask_is_the_center_of_the_box() -> None:
    assert positions("centroid", SimpleNamespace(centroid=(7, 11))) == [(7.5, 11.5)]
    assert positions("centroid", SimpleNamespace(centroid=None)) == positions("centroid") == [PLACES["center"]]


def test_a_frame_size_is_at_most_32767_pixels() -> None:
    assert anchor_points.AnchorTracked(frame_size=[32767, 1]).frame_size == (32767, 1)
    assert anchor_points.AnchorTracked(frame_size=(1, 32767)).frame_size == (1, 32767)
    for size in ((32768, 1), (1, 32768), (0, 1), (1, 0)):
        with pytest.raises(ValueError, match=r"frame_size: expected .*32767"):
            anchor_points.AnchorTracked(frame_size=size)
