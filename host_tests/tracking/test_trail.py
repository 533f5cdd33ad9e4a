"""lib/n6post/tracking/trail.py: the last positions of every track."""

from collections import defaultdict
from typing import Any

import image
import n6post
import pytest
from assertions import rgb565
from fakes import seen
from hypothesis import example, given
from hypothesis import strategies as st
from n6post.pixels.colors import class_color
from n6post_pc.demo import recorded


def test_positions_are_the_last_ones_oldest_first() -> None:
    trail = n6post.Trail(4)
    for k in range(11):
        assert trail.positions(1) == [(10 * j, 5 * j) for j in range(max(0, k - 4), k)]
        detections = [seen(1, 10 * k, 5 * k), seen(2, 7, 8)]
        assert trail.update(detections) is detections
    assert trail.positions(2) == [(7, 8)] * 4
    assert trail.positions(3) == []


def test_the_anchor_selects_the_point_of_the_box() -> None:
    for anchor, place in (("bottom", (100, 200)), ("center", (100, 180)), ("top_left", (90, 160)), ("right", (110, 180))):
        trail = n6post.Trail(4, anchor=anchor)
        trail.update([seen(1, 100, 200)])
        assert trail.positions(1) == [place]


def test_a_lost_track_keeps_its_positions() -> None:
    trail = n6post.Trail(5)
    for k in range(5):
        trail.update([seen(1, k, 9)], elapsed_ms=100)
    for _ in range(20):
        trail.update([], elapsed_ms=100)
    assert trail.positions(1) == [(k, 9) for k in range(5)]
    trail.update([seen(1, 40, 9)], elapsed_ms=100)
    assert trail.positions(1) == [(1, 9), (2, 9), (3, 9), (4, 9), (40, 9)]


@pytest.mark.parametrize("max_gap", [2.5, 1.0])
def test_a_lost_track_is_drawn_as_long_as_its_tracker_keeps_it(max_gap: float) -> None:
    tracker, trail = n6post.Tracker(max_gap=max_gap, min_hits=1), n6post.Trail()
    for x in (10, 20, 30, 40):
        trail.update(tracker.update([seen(None, x, 50)], elapsed_ms=100), elapsed_ms=100)
    for elapsed_ms, drawn in ((1000 * max_gap, True), (1, False)):
        trail.update(tracker.update([], elapsed_ms=elapsed_ms), elapsed_ms=elapsed_ms)
        img = image.Image(64, 64, image.GRAYSCALE)
        assert any(trail.draw(img).bytearray()) is drawn is bool(tracker.tracks)
    assert len(trail.positions(1)) == 4


@given(st.integers(2, 7), st.lists(st.lists(st.integers(1, 5), unique=True, max_size=5), max_size=40))
@example(2, [])
@example(7, [[]] * 12)
@example(2, [[1], [], [1], [], [], [1]])
@example(3, [[5, 4, 3, 2, 1]] * 5 + [[]] * 5)
def test_positions_equal_those_of_a_plain_list(length: int, frames: list[list[int]]) -> None:
    """In steps of 2 s. A track is forgotten after 5 s."""
    trail = n6post.Trail(length)
    plain: dict[int, list[tuple[int, int]]] = defaultdict(list)
    missed: dict[int, int] = defaultdict(int)
    for k, here in enumerate(frames):
        trail.update([seen(n, 3 * k + n, k) for n in here], elapsed_ms=2000)
        for n in range(1, 6):
            missed[n] = 0 if n in here else missed[n] + 2
            if n in here:
                plain[n] = [*plain[n], (3 * k + n, k)][-length:]
            elif missed[n] > 5:
                plain[n] = []
            assert trail.positions(n) == plain[n]
    assert sorted(trail._tracks) == sorted(n for n in plain if plain[n])


def test_a_trail_keeps_a_bounded_number_of_tracks() -> None:
    trail = n6post.Trail(1000)
    for first in range(1, 3000, 30):
        trail.update([seen(n, 5, 5) for n in range(first, first + 30)])
        assert len(trail._tracks) <= 128
    crowd = [seen(n, 5, 5) for n in range(5000, 5300)]
    trail.update(crowd)
    assert len(trail._tracks) == 300  # all tracks in the frame are kept
    trail.update([])
    assert not trail._tracks


@pytest.mark.parametrize(("crowd", "kept"), [(64, True), (65, False)])
def test_128_tracks_are_kept_and_all_that_are_in_the_frame(crowd: int, kept: bool) -> None:
    trail = n6post.Trail(10)
    last = 2 * crowd - (not kept)  # 128 tracks in all, or 129
    for k in range(10):
        trail.update([seen(n, k, 5) for n in range(1, crowd + 1)])
    trail.update([seen(n, 5, 5) for n in range(crowd + 1, last + 1)])
    assert [len(trail.positions(n)) for n in (1, crowd, crowd + 1, last)] == [10 * kept, 10 * kept, 1, 1]


def test_the_default_length_is_30_positions() -> None:
    trail = n6post.Trail()
    for k in range(40):
        trail.update([seen(1, k, 9)])
    assert trail.length == 30 and trail.positions(1) == [(k, 9) for k in range(10, 40)]


def test_an_update_allocates_memory_only_for_new_tracks() -> None:
    trail = n6post.Trail(30)
    trail.update([seen(1, 5, 5), seen(2, 6, 6)])
    rings = {n: known[0] for n, known in trail._tracks.items()}
    for k in range(100):
        trail.update([seen(1, k, 5), seen(2, 6, k)])
    assert all(known[0] is rings[n] and len(known[0]) == 60 for n, known in trail._tracks.items())


def test_reset_drops_all_positions() -> None:
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
        (lambda: n6post.Trail(5, anchor="feet"), "anchor: expected bottom, .* or centroid, got 'feet'"),
        (
            lambda: n6post.Trail().update([seen(1, 5, 5), seen(None, 5, 5)]),
            "expected detections with a track_id, as Tracker.update returns them, got one without",
        ),
        (
            lambda: n6post.Trail().update([seen(1, 40000, 5)]),
            r"detections: expected rects within -32768..32767 pixels, got \(39990, -35, 20, 40\)",
        ),
    ],
)
def test_wrong_arguments_of_a_trail_are_value_errors(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        make()


@pytest.mark.parametrize("labels", ["yes", 5, None, ["#1"]])
def test_draw_takes_no_label_texts_for_a_trail(labels: Any) -> None:
    trail, img = n6post.Trail(5), image.Image(64, 48, image.GRAYSCALE)
    for x in (5, 40):
        trail.update([seen(1, x, 20)])
    with pytest.raises(ValueError, match="^labels: expected True or False, got "):
        n6post.draw(img, trail, labels=labels)
    assert not any(img.bytearray())
    n6post.draw(img, trail, labels=False)
    assert any(img.bytearray())


@pytest.mark.parametrize("axis", [0, 1])
def test_positions_beyond_16_bits_are_refused(axis: int) -> None:
    def at(place: int, size: int = 0) -> Any:
        d = n6post.Detection((place, 5, size, 0) if axis == 0 else (5, place, 0, size), 0.9, 0, "", None, None)
        d.track_id = 1
        return d

    for place, size, kept in ((-32768, 0, -32768), (32767, 0, 32767), (32767, 1, 32767), (-32768, 1, -32768)):
        trail = n6post.Trail(3, anchor="center")
        trail.update([at(place, size)])
        assert trail.positions(1) == [(kept, 5) if axis == 0 else (5, kept)]
    for place, size in ((-32769, 0), (-32769, 1), (32768, 0)):
        with pytest.raises(ValueError, match="^detections: expected rects within -32768..32767 pixels, got "):
            n6post.Trail(3, anchor="center").update([at(place, size)])


@pytest.mark.parametrize("color_by", ["class", "track", "instance"])
def test_trail_draw_equals_n6post_draw_for_every_color_by(color_by: str) -> None:
    trail = n6post.Trail(5)
    for k in range(4):
        detections = [seen(7, 20 + 20 * k, 90), seen(3, 20 + 20 * k, 50)]
        detections[0] = detections[0].replace(class_id=5)
        detections[0].track_id = 7
        trail.update(detections)
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


def test_a_trail_refuses_a_new_way_of_coloring_detections(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("n6post.drawing.draw.COLOR_BY", ("class", "score"))
    with pytest.raises(ValueError, match="^color_by: expected 'class', 'track' or 'instance' for a Trail, got 'score'$"):
        n6post.Trail(5).draw(image.Image(160, 120, image.RGB565), color_by="score")


def test_a_refused_frame_leaves_the_trail_as_it_was() -> None:
    trail = n6post.Trail(5)
    trail.update([seen(1, 5, 5)])
    with pytest.raises(ValueError):
        trail.update([seen(1, 6, 6), seen(None, 5, 5)])
    assert trail.positions(1) == [(5, 5)]


def test_trails_on_the_recorded_street_follow_the_walkers_feet() -> None:
    tracker, trail = n6post.Tracker(), n6post.Trail(30)
    feet: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for detections in recorded.street()[:120]:
        for d in trail.update(tracker.update(detections, elapsed_ms=100), elapsed_ms=100):
            x, y, w, h = d.rect
            feet[d.track_id].append((x + w // 2, y + h))
    assert len(trail._tracks) > 4
    for track_id in trail._tracks:
        positions = trail.positions(track_id)
        assert [at for at in feet[track_id] if at in positions][-len(positions) :] == positions


# --- options ---


def test_a_longer_trail_keeps_its_positions_and_grows() -> None:
    trail = n6post.Trail(4)
    for k in range(7):
        trail.update([seen(1, k, 9), seen(2, k, 5)])
    trail.length = 6
    assert trail.positions(1) == [(k, 9) for k in range(3, 7)]  # before the next update too
    for k in range(7, 12):
        trail.update([seen(1, k, 9)])
        assert trail.positions(1) == [(j, 9) for j in range(max(3, k - 5), k + 1)]
    assert trail.positions(2) == [(k, 5) for k in range(3, 7)]


def test_a_shorter_trail_keeps_the_newest_positions() -> None:
    trail = n6post.Trail(6)
    for k in range(9):
        trail.update([seen(1, k, 9)])
    trail.length = 3
    assert trail.positions(1) == [(6, 9), (7, 9), (8, 9)]
    trail.update([seen(1, 9, 9), seen(2, 5, 5)])
    assert trail.positions(1) == [(7, 9), (8, 9), (9, 9)] and trail.positions(2) == [(5, 5)]
    assert all(len(known[0]) == 6 for known in trail._tracks.values())  # x and y of three positions


@given(st.lists(st.tuples(st.integers(2, 9), st.booleans()), max_size=25))
@example([(2, True), (9, True), (2, False), (9, True)])
@example([(9, True)] * 9 + [(2, False), (9, False)])
def test_any_changes_of_the_length_are_those_of_a_plain_list(steps: list[tuple[int, bool]]) -> None:
    trail, plain = n6post.Trail(5), []
    for k, (length, visible) in enumerate(steps):
        trail.length = length
        trail.update([seen(1, k, 2 * k)] * visible)
        plain = ([*plain, (k, 2 * k)] if visible else plain)[-length:]
        assert trail.positions(1) == plain


def test_the_anchor_and_frame_size_of_a_trail_can_be_assigned_later() -> None:
    trail = n6post.Trail(4)
    trail.update([seen(1, 100, 200)])
    trail.anchor = "top_left"
    trail.frame_size = [640, 480]
    trail.update([seen(1, 100, 200)])
    assert trail.positions(1) == [(100, 200), (90, 160)]
    assert (trail.anchor, trail.frame_size) == ("top_left", (640, 480))


@pytest.mark.parametrize(
    ("name", "value"), [("length", 1), ("length", 1001), ("length", 2.0), ("anchor", "feet"), ("frame_size", 5)]
)
def test_a_wrong_option_of_a_trail_is_refused_at_first_and_later(name: str, value: Any) -> None:
    trail = n6post.Trail(4)
    for refused in (lambda: n6post.Trail(**{name: value}), lambda: setattr(trail, name, value)):
        with pytest.raises(ValueError, match=f"^{name}: expected "):
            refused()
    assert (trail.length, trail.anchor, trail.frame_size) == (4, "bottom", None)


def test_a_misspelled_option_of_a_trail_names_the_nearest_one() -> None:
    with pytest.raises(TypeError, match="Trail has no option 'lenght': did you mean length"):
        n6post.Trail(lenght=5)
    with pytest.raises(AttributeError, match="Trail has no option 'lenght': did you mean length"):
        n6post.Trail().lenght = 5
    with pytest.raises(TypeError):
        n6post.Trail(5, "top")


def test_positions_are_found_by_the_track_id_or_the_detection() -> None:
    trail = n6post.Trail(4)
    trail.update([seen(3, 7, 8)])
    assert trail.positions(3) == trail.positions(seen(3, 50, 50)) == [(7, 8)]
    assert trail.positions(4) == trail.positions(seen(4, 7, 8)) == trail.positions(seen(None, 7, 8)) == []
