"""lib/n6post/trail.py: the last places of every track."""

from collections import defaultdict
from typing import Any

import image
import n6post
import pytest
import recorded
from checks import rgb565
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.pixels import class_color


def seen(track_id: int | None, x: int, y: int, w: int = 20, h: int = 40) -> Any:
    """A detection whose bottom middle is at (x, y)."""
    d = n6post.Detection((x - w // 2, y - h, w, h), 0.9, 0, "", None, None)
    d.track_id = track_id
    return d


def test_the_places_of_a_track_are_the_last_ones_the_oldest_first() -> None:
    trail = n6post.Trail(4)
    for k in range(11):
        assert trail.positions(1) == [(10 * j, 5 * j) for j in range(max(0, k - 4), k)]
        found = [seen(1, 10 * k, 5 * k), seen(2, 7, 8)]
        assert trail.update(found) is found
    assert trail.positions(2) == [(7, 8)] * 4
    assert trail.positions(3) == []


def test_the_anchor_says_which_point_of_a_box_is_followed() -> None:
    for anchor, place in (("bottom", (100, 200)), ("center", (100, 180)), ("top_left", (90, 160)), ("right", (110, 180))):
        trail = n6post.Trail(4, anchor)
        trail.update([seen(1, 100, 200)])
        assert trail.positions(1) == [place]


def test_a_track_that_is_lost_loses_a_place_a_frame_and_goes_on_where_it_is_found() -> None:
    trail = n6post.Trail(5)
    for k in range(5):
        trail.update([seen(1, k, 9)])
    trail.update([])
    trail.update([])
    assert trail.positions(1) == [(2, 9), (3, 9), (4, 9)]
    trail.update([seen(1, 40, 9)])
    assert trail.positions(1) == [(2, 9), (3, 9), (4, 9), (40, 9)]
    for _ in range(4):
        trail.update([])
    assert trail.positions(1) == [] and not trail._tracks


@given(st.integers(2, 7), st.lists(st.lists(st.integers(1, 5), unique=True, max_size=5), max_size=40))
@example(2, [])
@example(7, [[]] * 12)
@example(2, [[1], [], [1], [], [], [1]])
@example(3, [[5, 4, 3, 2, 1]] * 5 + [[]] * 5)
def test_whoever_comes_and_goes_the_places_are_those_of_a_plain_list(length: int, frames: list[list[int]]) -> None:
    trail = n6post.Trail(length)
    plain: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for k, here in enumerate(frames):
        trail.update([seen(n, 3 * k + n, k) for n in here])
        for n in range(1, 6):
            if n in here:
                plain[n] = [*plain[n], (3 * k + n, k)][-length:]
            else:
                plain[n] = plain[n][1:]
            assert trail.positions(n) == plain[n]
    assert sorted(trail._tracks) == sorted(n for n in plain if plain[n])


def test_new_tracks_for_ever_take_a_bounded_table() -> None:
    trail = n6post.Trail(1000)
    for first in range(1, 3000, 30):
        trail.update([seen(n, 5, 5) for n in range(first, first + 30)])
        assert len(trail._tracks) <= 128
    crowd = [seen(n, 5, 5) for n in range(5000, 5300)]
    trail.update(crowd)
    assert len(trail._tracks) == 300  # those in the frame always
    trail.update([])
    assert not trail._tracks


@pytest.mark.parametrize(("crowd", "kept"), [(64, True), (65, False)])
def test_of_tracks_with_many_places_too_128_are_kept_and_beyond_those_in_the_frame(crowd: int, kept: bool) -> None:
    trail = n6post.Trail(10)
    last = 2 * crowd - (not kept)  # 128 together, or 129
    for k in range(10):
        trail.update([seen(n, k, 5) for n in range(1, crowd + 1)])
    trail.update([seen(n, 5, 5) for n in range(crowd + 1, last + 1)])
    assert [len(trail.positions(n)) for n in (1, crowd, crowd + 1, last)] == [9 * kept, 9 * kept, 1, 1]


def test_a_track_has_thirty_places_unless_told_otherwise() -> None:
    trail = n6post.Trail()
    for k in range(40):
        trail.update([seen(1, k, 9)])
    assert trail.length == 30 and trail.positions(1) == [(k, 9) for k in range(10, 40)]


def test_a_frame_takes_no_room_but_for_tracks_that_are_new() -> None:
    trail = n6post.Trail(30)
    trail.update([seen(1, 5, 5), seen(2, 6, 6)])
    rings = {n: known[0] for n, known in trail._tracks.items()}
    for k in range(100):
        trail.update([seen(1, k, 5), seen(2, 6, k)])
    assert all(known[0] is rings[n] and len(known[0]) == 60 for n, known in trail._tracks.items())


def test_reset_forgets_all_places() -> None:
    trail = n6post.Trail(5)
    trail.update([seen(1, 5, 5)])
    trail.reset()
    assert trail.positions(1) == []
    trail.update([seen(1, 6, 6)])
    assert trail.positions(1) == [(6, 6)]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: n6post.Trail(1), "length: expected an integer from 2 to 1000, got 1"),
        (lambda: n6post.Trail(2.5), "length: expected an integer from 2 to 1000, got 2.5"),
        (lambda: n6post.Trail(5, "feet"), "anchor: expected bottom, .* or centroid, got 'feet'"),
        (
            lambda: n6post.Trail().update([seen(1, 5, 5), seen(None, 5, 5)]),
            "expected detections with a track_id, as Tracker.update returns them, got one without",
        ),
        (
            lambda: n6post.Trail().update([seen(1, 40000, 5)]),
            r"found: expected rects within -32768..32767 pixels, got \(39990, -35, 20, 40\)",
        ),
    ],
)
def test_what_makes_no_trail_is_a_value_error(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        make()


@pytest.mark.parametrize("labels", ["yes", 5, None, ["#1"]])
def test_draw_takes_no_texts_for_a_trail_which_has_none(labels: Any) -> None:
    trail, img = n6post.Trail(5), image.Image(64, 48, image.GRAYSCALE)
    for x in (5, 40):
        trail.update([seen(1, x, 20)])
    with pytest.raises(ValueError, match="^labels: expected True or False, got "):
        n6post.draw(img, trail, labels=labels)
    assert not any(img.bytearray())
    n6post.draw(img, trail, labels=False)
    assert any(img.bytearray())


@pytest.mark.parametrize("axis", [0, 1])
def test_places_reach_as_far_as_16_bits_and_no_further(axis: int) -> None:
    def at(place: int, size: int = 0) -> Any:
        d = n6post.Detection((place, 5, size, 0) if axis == 0 else (5, place, 0, size), 0.9, 0, "", None, None)
        d.track_id = 1
        return d

    for place, size, kept in ((-32768, 0, -32768), (32767, 0, 32767), (32767, 1, 32767), (-32768, 1, -32768)):
        trail = n6post.Trail(3, "center")
        trail.update([at(place, size)])
        assert trail.positions(1) == [(kept, 5) if axis == 0 else (5, kept)]
    for place, size in ((-32769, 0), (-32769, 1), (32768, 0)):
        with pytest.raises(ValueError, match="^found: expected rects within -32768..32767 pixels, got "):
            n6post.Trail(3, "center").update([at(place, size)])


@pytest.mark.parametrize("color_by", ["class", "track", "instance"])
def test_a_trail_draws_itself_as_draw_does_in_the_colours_of_class_track_or_place(color_by: str) -> None:
    trail = n6post.Trail(5)
    for k in range(4):
        found = [seen(7, 20 + 20 * k, 90), seen(3, 20 + 20 * k, 50)]
        found[0] = found[0].replace(class_id=5)
        found[0].track_id = 7
        trail.update(found)
    one, other = [image.Image(160, 120, image.RGB565) for _ in range(2)]
    assert trail.draw(one, color_by=color_by) is one
    n6post.draw(other, trail, color_by=color_by)
    assert bytes(one.bytearray()) == bytes(other.bytearray())
    numbers = {"class": (5, 0), "track": (7, 3), "instance": (0, 1)}[color_by]
    for y, number in zip((90, 50), numbers, strict=True):
        r, g, b = class_color(number)
        assert rgb565(one)[y, 50] == (r >> 3) << 11 | (g >> 2) << 5 | b >> 3
    if color_by == "class":
        default, thin = [image.Image(160, 120, image.RGB565) for _ in range(2)]
        assert bytes(trail.draw(default).bytearray()) == bytes(one.bytearray())
        assert bytes(trail.draw(thin, thickness=3).bytearray()) != bytes(one.bytearray())
        n6post.draw(other, trail, thickness=3)
        assert bytes(other.bytearray()) == bytes(trail.draw(one, thickness=3).bytearray())
    with pytest.raises(ValueError, match="^color_by: expected 'class', 'track' or 'instance', got 'name'$"):
        trail.draw(one, color_by="name")


def test_a_frame_that_is_refused_leaves_all_as_it_was() -> None:
    trail = n6post.Trail(5)
    trail.update([seen(1, 5, 5)])
    with pytest.raises(ValueError):
        trail.update([seen(1, 6, 6), seen(None, 5, 5)])
    assert trail.positions(1) == [(5, 5)]


def test_on_a_street_the_trails_are_where_the_walkers_feet_have_been() -> None:
    tracker, trail = n6post.Tracker(), n6post.Trail(30)
    feet: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for found in recorded.street()[:120]:
        for d in trail.update(tracker.update(found)):
            x, y, w, h = d.rect
            feet[d.track_id].append((x + w // 2, y + h))
    assert len(trail._tracks) > 4
    for track_id in trail._tracks:
        places = trail.positions(track_id)
        assert [at for at in feet[track_id] if at in places][-len(places) :] == places
