"""lib/n6post/tracking/conditions.py: what stayed, what most frames read, how long something was true, what was repeated."""

from __future__ import annotations

import copy
import fractions
import math
import pickle
import re
import time
from collections.abc import Callable
from itertools import accumulate
from typing import Any

import n6post
import numpy as np
import pytest
from assertions import says
from fakes import seen
from hypothesis import given
from hypothesis import strategies as st

# Times as they come: the clock stands still, is set back, or a camera slept for a day or ten.
ELAPSED = st.one_of(
    st.integers(0, 400), st.sampled_from([0, -1, -(10**9), 10**9, 86_400_000]), st.integers(0, 999).map(lambda n: n / 4)
)
MAKERS: dict[str, Callable[[], Any]] = {
    "Steady": lambda: n6post.Steady(0.3),
    "Majority": lambda: n6post.Majority(0.5, min_frames=2),
    "Fraction": lambda: n6post.Fraction(1.6),
    "Repetitions": lambda: n6post.Repetitions(5, 2),
}


def reading(text: str, *scores: float) -> Any:
    """Its scores are .9, or those that are given."""
    given_ = list(scores) or [0.9] * len(text)
    return n6post.Reading(text, sum(given_) / max(len(given_), 1), given_)


VALUES = {
    "Steady": (1, 2, 2),
    "Majority": (reading("A1"), reading("B1", 0.5, 0.9), reading("A17"), None),
    "Fraction": (True, False, 3),
    "Repetitions": (8, 0, 4, None),
}
of_each = pytest.mark.parametrize("kind", MAKERS)


def times_of(elapsed: list[float]) -> list[int]:
    """Milliseconds of each call after the first one, exact and rounded down."""
    after = [0, *[max(fractions.Fraction(0), fractions.Fraction(ms)) for ms in elapsed[1:]]]
    return [int(t) for t in accumulate(after)]


# ---- models, each of the whole history ----


def steady_model(calls: list[tuple[int, Any]], seconds_ms: int) -> Any:
    """The newest value that had stayed, looking back from each call."""
    for last in range(len(calls) - 1, -1, -1):
        first = last
        while first and calls[first - 1][1] == calls[last][1]:
            first -= 1
        if calls[last][0] - calls[first][0] >= seconds_ms:
            return calls[last][1]
    return None


def fraction_model(calls: list[tuple[int, bool]], seconds_ms: int) -> fractions.Fraction:
    """The integral over the last seconds, where a half is true between a call that is and one that is not."""
    begin = calls[-1][0] - seconds_ms
    true = fractions.Fraction(0)
    for (start, a), (end, b) in zip(calls, calls[1:]):
        true += fractions.Fraction(a + b, 2) * max(0, end - max(start, begin))
    return true / seconds_ms


def repetitions_model(values: list[float | None], high: float, low: float) -> int:
    """How often lows lie between highs, as text."""
    text = "".join("H" if v > high else "L" if v < low else "" for v in values if v is not None)
    return len(re.findall("H(?=L+H)", text))


@pytest.mark.parametrize("seconds_ms", [0, 250, 1000])
@given(calls=st.lists(st.tuples(ELAPSED, st.sampled_from(["cat", "dog", None, ("cat", 1)])), min_size=1, max_size=40))
def test_steady_returns_the_newest_value_that_stayed(calls: Any, seconds_ms: int) -> None:
    steady = n6post.Steady(seconds_ms / 1000)
    times = times_of([ms for ms, _ in calls])
    for at, (ms, value) in enumerate(calls):
        history = list(zip(times, [v for _, v in calls]))[: at + 1]
        assert steady.update(value, elapsed_ms=ms) == steady_model(history, seconds_ms)


@pytest.mark.parametrize("seconds_ms", [100, 333, 1600, 60_000])
@given(calls=st.lists(st.tuples(ELAPSED, st.booleans()), min_size=1, max_size=60))
def test_a_fraction_is_that_of_the_whole_history_to_a_hundredth(calls: Any, seconds_ms: int) -> None:
    fraction = n6post.Fraction(seconds_ms / 1000)
    times = times_of([ms for ms, _ in calls])
    for at, (ms, value) in enumerate(calls):
        wanted = fraction_model(list(zip(times, [v for _, v in calls]))[: at + 1], seconds_ms)
        got = fraction.update(value, elapsed_ms=ms)
        assert type(got) is float and 0 <= got <= 1 and abs(got - wanted) <= 1 / 128 + 1e-9
        if times[at] * 32 % seconds_ms == 0 or times[at] <= seconds_ms:
            assert got == float(wanted)  # no part of the seconds is forgotten in between


@pytest.mark.parametrize("frames_a_second", [1, 7, 30, 200])
@pytest.mark.parametrize("part", [0.0, 0.2, 0.6, 1.0])
def test_a_fraction_does_not_depend_on_the_frame_rate(frames_a_second: int, part: float) -> None:
    # Within each 5 seconds, it is true in the first part of them. Half a frame may be wrong at each end of these.
    fraction, step = n6post.Fraction(60), 1000 / frames_a_second
    got = [fraction.update(n * step % 5000 < 5000 * part, elapsed_ms=step) for n in range(130 * frames_a_second)]
    assert abs(got[-1] - part) < 1 / 128 + step / 5000 and got[-1] == pytest.approx(part, abs=0.21)
    slots = fraction._tracks[None][3]
    assert len(slots) * slots.itemsize == 132


def test_a_fraction_of_frames_of_several_lengths_is_one_of_time() -> None:
    fraction = n6post.Fraction(10)
    for ms in (0, 3000, 3000):
        fraction.update(True, elapsed_ms=ms)
    for _ in range(40):
        got = fraction.update(False, elapsed_ms=100)
    assert got == 0.605  # six seconds of forty-three frames, and half of the first 100 ms after them


@pytest.mark.parametrize("limits", [(5, 2), (0.5, -0.5), (9, 0), (6.5, 6.25)])
@given(values=st.lists(st.one_of(st.none(), st.integers(0, 9), st.floats(allow_nan=True, allow_infinity=True)), max_size=60))
def test_repetitions_count_every_low_between_two_highs(values: Any, limits: Any) -> None:
    repetitions = n6post.Repetitions(*limits)
    for at, value in enumerate(values):
        count = repetitions.update(value, elapsed_ms=(at * 7919) % 1000)
        assert count == repetitions_model([v for v in values[: at + 1] if v is None or v == v], *limits)
        assert type(count) is int


@pytest.mark.parametrize(
    ("values", "count"),
    [
        ([160, 80, 170], 0),  # never above: 160 is not
        ([161, 90, 170], 0),  # never below
        ([80, 170], 0),  # begins in the middle
        ([170, 80, 170, 80], 1),
        ([170, 80, 170, 80, 161], 2),
        ([170, 91, 89, 95, 89, 120, 159, 161, 170], 1),  # jitter at the low end
        ([170, 155, 165, 100, 165, 80, 161, 159, 162], 1),  # ... and at the high one
        ([170, None, 80, None, None, math.nan, 170], 1),
    ],
)
def test_a_squat_is_from_high_to_low_and_back(values: Any, count: int) -> None:
    repetitions = n6post.Repetitions(160, 90)
    assert [repetitions.update(value, elapsed_ms=40) for value in values][-1] == count


# ---- the text that most frames agree on ----


def majority_model(calls: list[tuple[int, Any]], seconds_ms: int) -> Any:
    """The text and its scores, from all readings and their weights."""
    weighted = [(value, 0.5 ** ((calls[-1][0] - time) / seconds_ms)) for time, value in calls]
    total = sum(weight for _, weight in weighted)
    lengths = {len(value.text) for value, _ in weighted}
    length = max((sum(v.score * w for v, w in weighted if len(v.text) == n), n) for n in lengths)[1]
    text, scores = "", []
    for at in range(length):
        of_length = [(v.text[at], v.scores[at] * w) for v, w in weighted if len(v.text) == length]
        best = max((sum(w for other, w in of_length if other == one), one) for one in {one for one, _ in of_length})
        text, scores = text + best[1], [*scores, best[0] / total]
    return text, scores


READ = st.text("AB1?", min_size=0, max_size=3).flatmap(
    lambda text: st.builds(
        lambda scores: reading(text, *scores) if text else n6post.Reading("", 0.0, []),
        st.lists(st.sampled_from([0.1, 0.37, 0.5, 0.93, 1.0]), min_size=len(text), max_size=len(text)),
    )
)


@pytest.mark.parametrize("seconds_ms", [20, 500, 4000])
@given(calls=st.lists(st.tuples(st.integers(0, 400), st.one_of(READ, st.none())), min_size=1, max_size=30))
def test_a_majority_is_what_all_readings_together_say(calls: Any, seconds_ms: int) -> None:
    majority = n6post.Majority(seconds_ms / 1000)
    times, given_, last = times_of([ms for ms, _ in calls]), [], ("", [])  # type: tuple[list[int], list[Any], Any]
    for now, (ms, value) in zip(times, calls):
        got = majority.update(value, elapsed_ms=ms)
        if value:
            given_.append((now, value))
            if len(given_) >= 3:
                last = majority_model(given_, seconds_ms)
        assert (got.text, got.scores) == (last[0], pytest.approx(last[1], abs=1e-6))
        assert got.score == pytest.approx(sum(last[1]) / max(len(last[1]), 1), abs=1e-6)


def test_errors_of_single_frames_are_outvoted() -> None:
    majority = n6post.Majority(2.0)
    frames = ["B7?42", "87142", "B7142", "B714", "B71422", "8714Z", "B7142"]
    scores = [[0.9, 0.9, 0.0, 0.9, 0.9], [0.4, 0.9, 0.9, 0.9, 0.9], *[[0.9] * len(text) for text in frames[2:]]]
    got = [majority.update(reading(text, *one), elapsed_ms=66) for text, one in zip(frames, scores)]
    assert [one.text for one in got] == ["", ""] + ["B7142"] * 5
    assert 0.3 < got[-1].score < 0.7  # five of seven have this length, and not all of these have each character


def test_a_new_text_wins_once_the_old_one_counts_less() -> None:
    majority = n6post.Majority(1.0)
    texts = [majority.update(reading("1" if k < 50 else "2"), elapsed_ms=100).text for k in range(80)]
    assert texts[:2] == ["", ""] and texts[2:59] == ["1"] * 57
    assert texts.index("2") == 50 + 9  # 1 - 2 ** -x = 2 ** -x after a second


@pytest.mark.parametrize("text", ["", None])
def test_frames_without_a_text_change_nothing_but_time_passes(text: Any) -> None:
    majority, nothing = n6post.Majority(1.0, min_frames=1), None if text is None else n6post.Reading("", 0.0, [])
    for _ in range(3):
        assert majority.update(reading("1"), elapsed_ms=0).text == "1"
    assert majority.update(nothing, elapsed_ms=1000) == majority.update(nothing, elapsed_ms=1000) == reading("1")
    got = majority.update(reading("2"), elapsed_ms=0)  # the three count a quarter each
    assert (got.text, got.scores) == ("2", [pytest.approx(0.9 / 1.75)])


def test_a_majority_remembers_a_bounded_number_of_votes() -> None:
    majority, dice = n6post.Majority(1e6), np.random.default_rng(4)
    for _ in range(400):
        text = "".join(dice.choice(list("ABCDEFGHJKLMNPQRSTUVWXYZ0123456789"), int(dice.integers(1, 12))))
        majority.update(reading(text), elapsed_ms=33)
        assert len(majority._tracks[None][3]) <= 500
    for _ in range(300):
        got = majority.update(reading("AB123"), elapsed_ms=33)
    assert got.text == "AB123"


def test_a_text_longer_than_what_is_remembered_is_read_all_the_same() -> None:
    majority, text = n6post.Majority(1.0, min_frames=1), "0123456789" * 60
    assert [majority.update(reading(text), elapsed_ms=33).text for _ in range(3)] == [text] * 3


# ---- tracks ----


def same(got: Any, wanted: Any) -> None:
    """Equal answers. A fraction may end in another place of its oldest part, because the clock began earlier."""
    assert abs(got - wanted) <= 1 / 64 if type(wanted) is float else got == wanted


FRAMES = st.tuples(st.integers(0, 300), st.lists(st.integers(0, 3), unique=True), st.integers(0, 99))


@of_each
@given(frames=st.lists(FRAMES, max_size=16))
def test_each_track_is_as_one_of_its_own(kind: str, frames: Any) -> None:
    """Every frame has track 9. The others come, in any order, and go for shorter than the lifetime of a track."""
    together, alone = MAKERS[kind](), {n: MAKERS[kind]() for n in (0, 1, 2, 3, 9)}
    since = dict.fromkeys(alone, 0)
    for ms, others, number in frames:
        since = {n: before + ms for n, before in since.items()}
        for n in (9, *others):
            value = VALUES[kind][(number + n) % len(VALUES[kind])]
            wanted = alone[n].update(value, elapsed_ms=since[n])
            since[n] = 0
            same(together.update(value, track=n if number % 2 else seen(n, 50, 50), elapsed_ms=ms), wanted)


def test_a_track_and_the_value_without_one_are_separate() -> None:
    repetitions = n6post.Repetitions(5, 2)
    for value in (8, 0, 8):
        repetitions.update(value, elapsed_ms=40)
        count = repetitions.update(8, track=1, elapsed_ms=40)
    assert (count, repetitions.update(None, elapsed_ms=40), repetitions.update(None, track=2, elapsed_ms=40)) == (0, 1, 0)


@of_each
def test_measured_time_counts_for_every_track(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [2**30 - 700]  # ticks_ms wraps around there
    monkeypatch.setattr(time, "ticks_ms", lambda: now[0] % 2**30, raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: (a - b + 2**29) % 2**30 - 2**29, raising=False)
    measured, given_ = MAKERS[kind](), [MAKERS[kind]() for _ in range(3)]
    for k in range(30):
        for track_id in range(3):
            now[0] += (60, 2, 5)[track_id]  # the second and third are examined later
            value = VALUES[kind][k * (track_id + 1) // 4 % len(VALUES[kind])]
            same(measured.update(value, track=track_id), given_[track_id].update(value, elapsed_ms=67))


def counted(maker: Any, track: Callable[[int], Any], gap_ms: int) -> int:
    """A repetition, a gap, and another one: 2, or 1 if the track was forgotten."""
    repetitions = maker()
    for value in (8, 0, 8):
        repetitions.update(value, track=track(0), elapsed_ms=100)
    repetitions.update(8, track=track(gap_ms), elapsed_ms=gap_ms)
    repetitions.update(0, track=track(gap_ms), elapsed_ms=0)
    return int(repetitions.update(8, track=track(gap_ms), elapsed_ms=0))


def tracked(max_gap: float, age_ms: int) -> Any:
    """A detection of a Tracker, of this age."""
    tracker = n6post.Tracker(min_hits=1, max_gap=max_gap)
    for ms in (0, age_ms):
        (d,) = tracker.update([seen(None, 100, 100)], elapsed_ms=ms)
    assert d.age == age_ms / 1000
    return d


@pytest.mark.parametrize(("gap_ms", "count"), [(5000, 2), (5001, 1)])
def test_a_track_without_a_tracker_is_forgotten_after_five_seconds(gap_ms: int, count: int) -> None:
    assert counted(MAKERS["Repetitions"], lambda _: 7, gap_ms) == count
    assert counted(MAKERS["Repetitions"], lambda _: seen(7, 50, 50), gap_ms) == count
    assert counted(MAKERS["Repetitions"], lambda _: None, gap_ms) == 2


@pytest.mark.parametrize(("gap_ms", "count"), [(1500, 2), (1600, 2), (1601, 1), (5000, 1)])
def test_a_number_that_is_given_again_begins_after_two_max_gaps(gap_ms: int, count: int) -> None:
    # As Gallery.reidentify does: a new track, of 0.1 s, gets the number of an old one.
    d, longer = tracked(0.75, 100), tracked(3.0, 100)
    assert counted(MAKERS["Repetitions"], lambda _: d, gap_ms) == count
    assert counted(MAKERS["Repetitions"], lambda _: longer, gap_ms + 4500) == count


def test_a_track_that_its_tracker_has_kept_is_not_forgotten() -> None:
    # A frame in 20 seconds: the Tracker keeps what is in each of them, though max_gap is shorter.
    tracker, steady = n6post.Tracker(min_hits=1), n6post.Steady(60)
    got = []
    for _ in range(6):
        for d in tracker.update([seen(None, 100, 100), seen(None, 300, 100)], elapsed_ms=20_000):
            got.append(steady.update("parked", track=d, elapsed_ms=20_000))
    assert got == [None] * 6 + ["parked"] * 6


def test_no_more_than_128_tracks_are_remembered() -> None:
    repetitions = n6post.Repetitions(5, 2)
    repetitions.update(8)
    for value in (8, 0, 8):
        for track_id in range(127):
            repetitions.update(value, track=track_id, elapsed_ms=10)
    repetitions.update(8, track=0, elapsed_ms=10)
    for track_id in range(1000, 1028):
        repetitions.update(8, track=track_id, elapsed_ms=10)
        assert len(repetitions._tracks) <= 128
    # Forgotten are those that were given the longest ago, and never the value without a track.
    counts = [repetitions._tracks.get(track_id, (0, None))[1] for track_id in (0, 1, 28, 29, 126, 1027, None)]
    assert counts == [1, None, None, 1, 1, 0, 0]


# ---- values, options, copies ----


@pytest.mark.parametrize("values", [(np.int64(3), 3), (np.float32(0.5), 0.5), (np.array([1, 2]), [1, 2]), (True, 1)])
def test_values_are_compared_with_equality(values: Any) -> None:
    steady = n6post.Steady(0.1)
    got = [steady.update(value, elapsed_ms=60) for value in (*values, *values)]
    assert got[2:] == [values[1]] * 2 and not isinstance(got[2], (np.generic, np.ndarray))


@pytest.mark.parametrize(("true", "false"), [(1, 0), (1.0, 0.0), (np.True_, np.False_), (3, 0), (np.int64(2), np.int64(0))])
def test_a_pin_a_count_or_a_number_of_numpy_may_be_true(true: Any, false: Any) -> None:
    fraction, other = n6post.Fraction(1), n6post.Fraction(1)
    for value in (1, 0, 1, 1, 0, 0, 1):
        assert fraction.update(true if value else false, elapsed_ms=90) == other.update(bool(value), elapsed_ms=90)


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [("Fraction", value, "True, False or a count") for value in (None, 0.5, "yes", [1], math.nan)]
    + [("Repetitions", value, "a number or None") for value in (True, "90", [90], (1, 2), {})]
    + [("Majority", value, "a Reading or None") for value in (True, "90", [90], ("A", 0.5, [0.5]))]
    + [
        ("Majority", n6post.Reading(*value), "a Reading with a score of 0..1 for each character")
        for value in (("AB", 0.5, [0.5]), ("A", 1.1, [0.5]), ("A", 0.5, [-0.1]), ("AB", 0.5, [0.5, math.nan]))
    ],
)
def test_anything_but_a_value_is_refused_and_changes_nothing(kind: str, value: Any, expected: str) -> None:
    made, wanted = MAKERS[kind](), MAKERS[kind]()
    for k in range(6):
        with pytest.raises(ValueError, match=says(f"value: expected {expected}, got {value!r}")):
            made.update(value, elapsed_ms=100)
        given_ = VALUES[kind][k % 2]
        with pytest.raises(ValueError, match="^elapsed_ms: expected milliseconds"):
            made.update(given_, elapsed_ms="100")
        assert made.update(given_, elapsed_ms=100) == wanted.update(given_, elapsed_ms=100)


@of_each
@pytest.mark.parametrize("track", [[1], "x", "", (1,), 1.0, True, b"1"])
def test_anything_but_a_track_is_refused(kind: str, track: Any) -> None:
    made = MAKERS[kind]()
    with pytest.raises(ValueError, match=says(f"track: expected a track id or a Detection, got {track!r}")):
        made.update(1, track=track)
    with pytest.raises(ValueError, match="^expected a detection with a track_id"):
        made.update(1, track=seen(None, 50, 50))


@pytest.mark.parametrize("limits", [(90, 160), (90, 90), (90.0, 90.5)])
def test_the_low_limit_has_to_be_below_the_high_one(limits: Any) -> None:
    with pytest.raises(ValueError, match=says(f"low: expected a number below high, {limits[0]!r}, got {limits[1]!r}")):
        n6post.Repetitions(*limits)
    for name in ("high", "low"):
        with pytest.raises(ValueError, match=f"^{name}: expected a number from "):
            n6post.Repetitions(**({"high": 2, "low": 1} | {name: math.nan}))


@pytest.mark.parametrize("kind", [n6post.Steady, n6post.Majority, n6post.Fraction])
def test_the_seconds_have_to_be_given(kind: Any) -> None:
    with pytest.raises(TypeError, match=says(f"{kind.__name__}: expected the seconds, as in {kind.__name__}(2.0)")):
        kind()
    assert kind(seconds=3).seconds == kind(3).seconds == 3


def test_other_seconds_start_a_fraction_again() -> None:
    fraction = n6post.Fraction(1)
    for seconds, wanted in ((1, [0.0, 0.5]), (1, [1.0, 1.0]), (2, [0.0, 0.25])):
        fraction.seconds = seconds
        assert [fraction.update(True, elapsed_ms=500) for _ in range(2)] == wanted


def test_other_seconds_count_for_a_steady_value_at_once() -> None:
    steady = n6post.Steady(10)
    assert [steady.update("a", elapsed_ms=500) for _ in range(3)] == [None] * 3
    steady.seconds = 1.5
    assert [steady.update(v, elapsed_ms=500) for v in "abbbb"] == ["a", "a", "a", "a", "b"]


@of_each
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_goes_on_by_itself(kind: str, way: Any) -> None:
    one, wanted = MAKERS[kind](), MAKERS[kind]()
    values = [VALUES[kind][k // 3 % len(VALUES[kind])] for k in range(30)]
    expected = [[wanted.update(v, track=n, elapsed_ms=90) for n in (1, 2)] for v in values]
    for v in values[:15]:
        [one.update(v, track=n, elapsed_ms=90) for n in (1, 2)]
    other = way(one)
    for made in (other, one):
        assert [[made.update(v, track=n, elapsed_ms=90) for n in (1, 2)] for v in values[15:]] == expected[15:]


@of_each
def test_reset_starts_again(kind: str) -> None:
    made = MAKERS[kind]()
    values = [VALUES[kind][k // 2 % len(VALUES[kind])] for k in range(20)]
    first = [made.update(v, elapsed_ms=200) for v in values]
    made.reset()
    assert [made.update(v, elapsed_ms=200) for v in values] == first and len(set(map(str, first))) > 1
