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


def crossed(line: Any, d: Any, elapsed_ms: int) -> bool:
    """Whether the line knows from where this one comes, far below."""
    return bool(line.trigger([d], elapsed_ms=elapsed_ms)[1])


REMEMBER = {
    "LineZone": (lambda: n6post.LineZone((0, 100), (640, 100)), "trigger", crossed),
    "Trail": (n6post.Trail, "update", lambda trail, d, ms: bool(trail.update([], elapsed_ms=ms) or trail.positions(d))),
    "Plane": (
        lambda: n6post.Plane([(0, 0), (640, 0), (640, 480), (0, 480)], [(0, 0), (6, 0), (6, 4), (0, 4)]), "update",
        lambda plane, d, ms: plane.update([], elapsed_ms=ms) is None or d.track_id in plane._tracks,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REMEMBER)
@pytest.mark.parametrize("max_gap", [None, 1.0, 4.0])
def test_a_track_is_forgotten_two_max_gaps_after_it_was_seen(name: str, max_gap: float | None) -> None:
    """By the object's own clock; the Tracker tells its max_gap with each detection. Without a Tracker it is 2.5 seconds."""
    make, method, knows = REMEMBER[name]
    lifetime = int(2000 * (max_gap or 2.5))
    for ms, kept in ((0, True), (1, False)):
        one = make()
        above, below = [n6post.Detection((300, y, 20, 40), 0.9, 0, "", None, None) for y in (10, 200)]
        if max_gap:
            (above,) = n6post.Tracker(max_gap=max_gap, min_hits=1).update([above], elapsed_ms=0)
        above.track_id = below.track_id = 1
        getattr(one, method)([above], elapsed_ms=40)
        getattr(one, method)([], elapsed_ms=lifetime)
        getattr(one, method)([], elapsed_ms=ms)
        assert knows(one, below, 0) is kept
