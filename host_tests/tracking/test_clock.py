"""lib/n6post/tracking/clock.py: the time that zones, galleries, holds and planes measure."""

from __future__ import annotations

import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import n6post
import numpy as np
import pytest
from fakes import seen
from hypothesis import given
from hypothesis import strategies as st
from n6post.tracking.clock import START, next_clock


def after(*times: Any) -> Any:
    clock = START
    for elapsed_ms in times:
        clock = next_clock(clock, elapsed_ms)
    return clock


@given(st.lists(st.one_of(st.integers(-50, 1000), st.integers(0, 4000).map(lambda quarters: quarters / 4))))
def test_given_times_add_up_to_whole_milliseconds(times: list[float]) -> None:
    # Quarters are exact. Negative times count as 0.
    assert after(*times)[0] == int(sum(max(Fraction(0), Fraction(elapsed_ms)) for elapsed_ms in times))


def test_numbers_of_numpy_are_times_too() -> None:
    times: Any = np.int64(40), np.float32(2.5), np.float64(0.5)
    assert after(*times)[0] == 43
    trackers = [n6post.Tracker(), n6post.Tracker()]
    for tracker, elapsed_ms in zip(trackers, (40, np.int64(40))):
        for x in (100, 110, 120):
            tracker.update([seen(None, x, 100)], elapsed_ms=elapsed_ms)  # type: ignore[arg-type]
    assert trackers[0].tracks == trackers[1].tracks


def test_measured_time_starts_with_the_first_call(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = [5000]
    monkeypatch.setattr(time, "ticks_ms", lambda: ticks[0], raising=False)
    monkeypatch.setattr(time, "ticks_diff", lambda a, b: a - b, raising=False)
    clock = next_clock(START, None)
    assert clock[0] == 0
    ticks[0] += 250
    clock = next_clock(clock, None)
    assert clock[0] == 250
    ticks[0] += 100
    clock = next_clock(clock, 40)  # given: the 100 ms that were measured meanwhile are not counted
    ticks[0] += 7
    assert next_clock(clock, None)[0] == 250 + 40 + 7


def test_time_that_is_always_given_needs_no_ticks(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> int:
        raise AssertionError

    monkeypatch.setattr(time, "ticks_ms", refuse, raising=False)
    assert after(10, 2.5, 2.5, 0)[0] == 15


@pytest.mark.parametrize("elapsed_ms", ["1", True, float("nan"), float("inf"), 10**9 + 1, -(10**9) - 1, [1], Fraction(1)])
def test_anything_but_milliseconds_is_refused(elapsed_ms: Any) -> None:
    with pytest.raises(ValueError, match="^elapsed_ms: expected milliseconds since the last call or None, got "):
        next_clock(START, elapsed_ms)


def test_a_clock_is_not_changed_by_the_next_one() -> None:
    clock = after(5)
    next_clock(clock, 7)
    assert clock == after(5)


def test_plain_python_measures_the_time_of_all_that_need_it() -> None:
    # In a process of its own: CPython's `time` has no ticks_ms, and nothing has imported a camera's module before.
    script = """
import sys, time
sys.path += sys.argv[1:]
import n6post
rows = n6post.detections([((8, 8, 16, 16), 0.9, 0)], frame=(64, 64))
tracker = n6post.Tracker(min_hits=1)
square = [(0, 0), (64, 0), (64, 64), (0, 64)]
zone, hold, plane = n6post.PolygonZone(square), n6post.Hold(0.02), n6post.Plane(square, square)
heat_map, gallery = n6post.HeatMap(1, 1, half_life=0.1), n6post.Gallery()
for _ in range(4):
    tracks = tracker.update(rows)
    zone.trigger(tracks), plane.update(tracks), heat_map.update(tracks)
    held = hold.trigger(tracks)
    people = gallery.reidentify(tracks, [[1.0, 0.0]] * len(tracks))
    time.sleep(0.03)
print(len(held), len(people), zone.dwell_time(tracks[0]) >= 0.06, 1 < heat_map.value_at(9, 9) < 4, plane.speed(tracks[0]))
"""
    folders = [str(Path(__file__).parents[2] / name) for name in ("lib", "stubs")]
    done = subprocess.run([sys.executable, "-I", "-c", script, *folders], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1 1 True True None\n", "")
