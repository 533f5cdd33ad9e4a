"""lib/n6post/tracking/hold.py: how long something has been true."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says
from fakes import seen
from hypothesis import given
from hypothesis import strategies as st
from test_line_zone import coasting


def ids(detections: Any) -> list[int]:
    return [d.track_id for d in detections]


def people(*track_ids: int) -> list[Any]:
    return [seen(track_id, 100, 100) for track_id in track_ids]


def test_a_track_is_held_once_it_was_true_for_the_seconds() -> None:
    hold = n6post.Hold(1.0, release=1.0)
    given_ = [people(1, 2), people(1, 2), people(1), people(1, 2)]
    assert [ids(hold.trigger(detections, elapsed_ms=500)) for detections in given_] == [[], [], [1], [1, 2]]
    assert (hold.held_time(1), hold.held_time(given_[-1][1]), hold.held_time(3)) == (1.5, 1.5, 0.0)


def test_the_same_detections_are_returned_in_their_order() -> None:
    hold = n6post.Hold(0.0)
    detections = people(3, 1, 2)
    held = hold.trigger(tuple(detections), elapsed_ms=1)
    assert [id(d) for d in held] == [id(d) for d in detections]


@pytest.mark.parametrize("untrue_ms, held", [(400, True), (500, True), (501, False), (2000, False)])
def test_it_starts_again_after_it_was_untrue_for_release(untrue_ms: int, held: bool) -> None:
    hold = n6post.Hold(1.0, release=0.5)
    hold.trigger(people(1), elapsed_ms=0)
    hold.trigger(people(1), elapsed_ms=1000)
    hold.trigger([], elapsed_ms=untrue_ms // 2)
    assert bool(hold.trigger(people(1), elapsed_ms=untrue_ms - untrue_ms // 2)) is held
    assert hold.held_time(1) == ((1000 + untrue_ms) / 1000 if held else 0.0)


def test_what_is_true_in_two_slow_frames_was_true_in_between() -> None:
    hold = n6post.Hold(3.0, release=0.5)
    hold.trigger(people(1), elapsed_ms=0)
    assert ids(hold.trigger(people(1), elapsed_ms=3000)) == [1]


def test_a_bool_is_one_condition_without_a_track() -> None:
    hold = n6post.Hold(1.0, release=0.4)
    assert [hold.trigger(True, elapsed_ms=200) for _ in range(7)] == [False] * 5 + [True] * 2
    # It stays until it was untrue for longer than `release`, so that a lamp does not flicker.
    states = [False, True, False, False, False, True]
    assert [hold.trigger(state, elapsed_ms=200) for state in states] == [True] * 4 + [False] * 2
    assert hold.held_time() == 0.0 and type(hold.trigger(True, elapsed_ms=1)) is bool


def test_a_condition_that_was_not_held_is_not_held_in_a_gap() -> None:
    hold = n6post.Hold(1.0, release=0.4)
    assert [hold.trigger(state, elapsed_ms=200) for state in (True, True, False, True)] == [False] * 4


def test_held_time_is_0_after_it_was_untrue_for_release() -> None:
    hold = n6post.Hold(1.0, release=0.2)
    hold.trigger(True, elapsed_ms=0)
    hold.trigger(True, elapsed_ms=700)
    hold.trigger(False, elapsed_ms=200)
    assert hold.held_time() == 0.7
    hold.trigger(False, elapsed_ms=1)
    assert hold.held_time() == 0.0


@given(
    st.lists(st.tuples(st.integers(0, 900), st.sets(st.integers(1, 4))), max_size=30),
    st.sampled_from([0, 300, 1000]),
    st.sampled_from([0, 250, 700]),
)
def test_held_times_equal_those_of_a_list_of_all_frames(frames: Any, seconds_ms: int, release_ms: int) -> None:
    hold = n6post.Hold(seconds_ms / 1000, release=release_ms / 1000)
    times: list[tuple[int, set[int]]] = []
    for elapsed_ms, true in frames:
        times.append(((times[-1][0] if times else 0) + elapsed_ms, true))
        held = hold.trigger(people(*sorted(true)), elapsed_ms=elapsed_ms)
        expected = []
        for track_id in sorted(true):
            # Back from the last frame: gaps are from a frame with the track to the next one, if others lie between.
            start = times[-1][0]
            previous = len(times) - 1
            for at in range(len(times) - 2, -1, -1):
                if track_id not in times[at][1]:
                    continue
                if previous - at > 1 and times[previous][0] - times[at][0] > release_ms:
                    break
                start, previous = times[at][0], at
            assert hold.held_time(track_id) == (times[-1][0] - start) / 1000
            if times[-1][0] - start >= seconds_ms:
                expected.append(track_id)
        assert ids(held) == expected


def test_a_hold_keeps_a_bounded_number_of_tracks() -> None:
    hold = n6post.Hold(1.0, release=1e6)
    for first in range(1, 1001, 20):
        hold.trigger(people(*range(first, first + 20)), elapsed_ms=10)
        assert len(hold._tracks) <= 128
    hold.trigger(people(*range(1, 201)), elapsed_ms=10)
    assert len(hold._tracks) == 200


def test_a_detection_without_a_track_has_no_time_of_the_condition() -> None:
    hold = n6post.Hold(1.0)
    for _ in range(3):
        hold.trigger(True, elapsed_ms=100)
    assert (hold.held_time(), hold.held_time(None), hold.held_time(seen(None, 100, 100))) == (0.2, 0.2, 0.0)


@pytest.mark.parametrize("track", [[1], "x", "", (1,), 1.0, True, {}, b"1"])
def test_anything_but_a_track_is_refused(track: Any) -> None:
    corners = [(0, 0), (90, 0), (90, 90), (0, 90)]
    plane = n6post.Plane(corners, corners)
    zone, trail = n6post.PolygonZone(corners), n6post.Trail(3)
    for ask in (n6post.Hold(1.0).held_time, zone.dwell_time, trail.positions, plane.speed, plane.velocity):
        with pytest.raises(ValueError, match=says(f"track: expected a track id or a Detection, got {track!r}")):
            ask(track)
    assert (zone.dwell_time(None), trail.positions(None), plane.speed(None)) == (0.0, [], None)


def test_a_prediction_is_skipped() -> None:
    hold = n6post.Hold(0.2, release=0.5)
    assert ids(hold.trigger(people(1, 2), elapsed_ms=0)) == []
    held = hold.trigger([coasting(people(1)[0]), *people(2)], elapsed_ms=300)
    assert (ids(held), hold.held_time(1), hold.held_time(2)) == ([2], 0.0, 0.3)
    assert ids(hold.trigger([coasting(people(1)[0])], elapsed_ms=300)) == []
    assert (hold.held_time(1), hold.held_time(2)) == (0.0, 0.3)


def state_model(calls: list[tuple[int, bool]], held: list[bool], wait_ms: int) -> bool | None:
    """What trigger returned last, from the first call on in which it is sure: of the whole history."""
    for at, (now, _) in enumerate(calls):
        since = max([t for t, true in calls[: at + 1] if true], default=calls[0][0])
        if held[at] or now - since >= wait_ms:
            return held[-1]
    return None


@pytest.mark.parametrize("seconds_ms", [0, 300, 1000])
@pytest.mark.parametrize("release_ms", [0, 250, 1100])
@given(frames=st.lists(st.tuples(st.sampled_from([0, 100, 300, 1200, -5]), st.integers(0, 2)), min_size=1, max_size=25))
def test_the_state_is_none_until_it_is_sure(frames: Any, seconds_ms: int, release_ms: int) -> None:
    hold = n6post.Hold(seconds_ms / 1000, release=release_ms / 1000)
    assert (hold.state, hold.changed) == (None, False)
    calls: list[tuple[int, bool]] = []
    held: list[bool] = []
    before = None
    for elapsed_ms, count in frames:
        held.append(hold.trigger(count, elapsed_ms=elapsed_ms))
        calls.append((calls[-1][0] + max(0, elapsed_ms) if calls else 0, count > 0))
        state = state_model(calls, held, max(seconds_ms, release_ms))
        assert (hold.state, hold.changed) == (state, state is not before)
        before = state
    hold.trigger(people(1), elapsed_ms=5)
    assert (hold.state, hold.changed) == (before, False)
    hold.reset()
    assert (hold.state, hold.changed) == (None, False)


def test_a_lamp_is_off_only_when_nothing_was_there_for_a_while() -> None:
    hold = n6post.Hold(1.0, release=0.4)
    told = []
    for count in (0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 2, 1, 1, 1, 1, 0, 1, 0, 0, 0):
        hold.trigger(count, elapsed_ms=200)
        told.append((hold.state, hold.changed))
    # Sure a second after the last true call; on after a second; off after more than 0.4 seconds.
    assert [state for state, _ in told] == [None] * 7 + [False] * 7 + [True] * 5 + [False]
    assert [at for at, (_, changed) in enumerate(told) if changed] == [7, 14, 19]


def test_tracks_have_no_state() -> None:
    hold = n6post.Hold(0.1)
    assert len(hold.trigger(people(1), elapsed_ms=0) + hold.trigger(people(1), elapsed_ms=500)) == 1
    assert (hold.state, hold.changed) == (None, False)


def test_reset_starts_again() -> None:
    hold = n6post.Hold(0.5)
    hold.trigger(True, elapsed_ms=0)
    assert hold.trigger(True, elapsed_ms=500)
    hold.reset()
    assert hold.held_time() == 0.0 and not hold.trigger(True, elapsed_ms=500)


def test_options_are_checked_at_first_and_later() -> None:
    hold = n6post.Hold(2.0)
    assert (hold.seconds, hold.release) == (2.0, 0.5) == (n6post.Hold(seconds=2.0).seconds, 0.5)
    for name, value in (("seconds", -1), ("seconds", "2"), ("seconds", None), ("release", -0.5), ("release", True)):
        options = {"seconds": 2.0} | {name: value}
        for refused in (lambda: n6post.Hold(**options), lambda: setattr(hold, name, value)):  # noqa: B023
            with pytest.raises(ValueError, match=f"^{name}: expected a number from 0.0 to 1000000.0, got "):
                refused()
    hold.seconds, hold.release = 0.25, 0
    hold.trigger(True, elapsed_ms=0)
    assert hold.trigger(True, elapsed_ms=250)
    for values, message in (((), "expected the seconds"), ((1.0, 2.0), "only seconds may")):
        with pytest.raises(TypeError, match=message):
            n6post.Hold(*values)
    with pytest.raises(TypeError, match="has no option 'second': did you mean seconds"):
        n6post.Hold(1.0, second=2)


@pytest.mark.parametrize("true, false", [(1, 0), (1.0, 0.0), (np.True_, np.False_), (3, 0), (np.int64(2), np.int64(0))])
def test_a_pin_a_count_or_a_number_of_numpy_is_a_condition_too(true: Any, false: Any) -> None:
    hold, other = n6post.Hold(1.0, release=0.3), n6post.Hold(1.0, release=0.3)
    for condition in (1, 0, 1, 1, 1, 1, 0, 1, 0, 0, 0, 1):
        was = other.trigger(bool(condition), elapsed_ms=300)
        assert hold.trigger(true if condition else false, elapsed_ms=300) is was
    assert was is False and hold.held_time() == other.held_time() == 0.0


@pytest.mark.parametrize("detections", [None, 0.5, "person", [1], [None], {}])
def test_anything_but_detections_or_a_condition_is_refused(detections: Any) -> None:
    hold = n6post.Hold(1.0)
    hold.trigger(people(1), elapsed_ms=0)
    condition = "" if detections == [1] or detections == [None] else "True, False, a count or "
    expected = condition + "a list of Detection"
    with pytest.raises(ValueError, match=says(f"detections: expected {expected}, got {detections!r}")):
        hold.trigger(detections, elapsed_ms=10)
    with pytest.raises(ValueError, match=says("expected detections with a track_id, as Tracker.update returns them")[:-1]):
        hold.trigger([seen(None, 1, 1)], elapsed_ms=10)
    with pytest.raises(ValueError, match="^elapsed_ms: expected milliseconds"):
        hold.trigger(people(1), elapsed_ms="10")  # type: ignore[arg-type]
    hold.trigger(people(1), elapsed_ms=5)
    assert hold.held_time(1) == 0.005  # nothing of the refused frames was counted


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda hold: pickle.loads(pickle.dumps(hold))])
def test_a_copy_has_times_of_its_own(way: Any) -> None:
    hold = n6post.Hold(1.0)
    hold.trigger(people(1), elapsed_ms=0)
    hold.trigger(people(1), elapsed_ms=600)
    other = way(hold)
    other.trigger(people(1), elapsed_ms=400)
    assert (hold.held_time(1), other.held_time(1)) == (0.6, 1.0)


def test_a_gap_adds_nothing_to_a_condition_that_was_not_held() -> None:
    hold = n6post.Hold(1.0, release=0.5)
    assert [hold.trigger(state, elapsed_ms=300) for state in (True, True, True, True, False)] == [False] * 5
    assert hold.held_time() == 0.9 and hold.trigger(True, elapsed_ms=100) is True


def test_as_many_tracks_as_are_kept_are_all_kept() -> None:
    hold = n6post.Hold(1.0, release=10)
    hold.trigger(people(*range(1, 129)), elapsed_ms=0)
    hold.trigger(people(*range(1, 129)), elapsed_ms=500)
    hold.trigger(people(7), elapsed_ms=500)
    assert (hold.held_time(7), hold.held_time(8), hold.held_time(128)) == (1.0, 0.5, 0.5)
    hold.trigger(people(200), elapsed_ms=500)
    assert (hold.held_time(7), hold.held_time(200)) == (0.0, 0.0)


def test_a_slow_frame_without_a_track_ends_its_time() -> None:
    hold = n6post.Hold(1.0, release=0.5)
    for ms in (0, 400):
        hold.trigger(people(1), elapsed_ms=ms)
    assert hold.held_time(1) == 0.4
    hold.trigger([], elapsed_ms=2000)
    assert hold.held_time(1) == 0.0
