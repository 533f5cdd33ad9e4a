"""lib/n6post/tracking/one_euro.py: the filter of keypoints, compared with the formulas of the paper."""

from __future__ import annotations

import math
from typing import Any

import n6post
import numpy as np
import pytest
from n6post.tracking.one_euro import _BETA, _MIN_CUTOFF, _SPEED_CUTOFF, filtered
from ulab import numpy as ulab

pytestmark = pytest.mark.usefixtures("steady_clock")


def alpha(cutoff: float, dt: float) -> float:
    return 1 / (1 + 1 / (2 * math.pi * cutoff) / dt)


class OneEuro:
    """The filter of Casiez et al., CHI 2012, for a single number."""

    def __init__(self) -> None:
        self.last: float | None = None
        self.speed = 0.0

    def __call__(self, x: float, dt: float) -> float:
        if self.last is None:
            self.last = x
            return x
        self.speed += alpha(_SPEED_CUTOFF, dt) * ((x - self.last) / dt - self.speed)
        self.last += alpha(_MIN_CUTOFF + _BETA * abs(self.speed), dt) * (x - self.last)
        return self.last


def keypoints_of(points: np.ndarray, scores: list[float]) -> ulab.ndarray:
    return ulab.array([[float(x), float(y), s] for (x, y), s in zip(points, scores)])


def person(rect: tuple[int, int, int, int], keypoints: ulab.ndarray) -> Any:
    return n6post.Detection(rect, 0.9, 0, "person", None, keypoints).replace(keypoint_threshold=0.5)


@pytest.mark.parametrize("dt", [1.0, 0.4, 3.0])
def test_every_coordinate_is_filtered_as_in_the_paper(dt: float) -> None:
    rng = np.random.default_rng(4)
    wanted = [[OneEuro(), OneEuro()] for _ in range(5)]
    state = None
    for k in range(40):
        points = np.array([[50 + 3 * k * i, 90 - k] for i in range(5)]) + rng.normal(0, 2, (5, 2))
        result, state = filtered(keypoints_of(points, [0.9] * 5), state, dt, 0.5)
        expected = [[one(v, dt) for one, v in zip(pair, point)] for pair, point in zip(wanted, points)]
        assert np.allclose(np.array(result.tolist())[:, :2], expected, rtol=1e-4, atol=1e-3)


def test_still_keypoints_jitter_less_and_moving_ones_hardly_lag() -> None:
    rng = np.random.default_rng(5)
    state, still, lag = None, [], []
    for k in range(80):
        points = np.array([[100, 100], [20 + 12 * k, 50]]) + rng.normal(0, 2, (2, 2))
        result, state = filtered(keypoints_of(points, [0.9, 0.9]), state, 1.0, 0.5)
        if k > 20:
            still.append(result.tolist()[0][0])
            lag.append(20 + 12 * k - result.tolist()[1][0])
    assert np.std(still) < 1.2 and np.mean(lag) < 12


def test_an_unseen_keypoint_is_unchanged_and_restarts_its_filter() -> None:
    state = None
    for _ in range(10):
        result, state = filtered(keypoints_of(np.array([[10, 10], [50, 50]]), [0.9, 0.9]), state, 1.0, 0.5)
    result, state = filtered(keypoints_of(np.array([[20, 10], [300, 7]]), [0.9, 0.1]), state, 1.0, 0.5)
    assert result.tolist()[1][:2] == [300, 7] and 10 < result.tolist()[0][0] < 20
    result, state = filtered(keypoints_of(np.array([[20, 10], [90, 50]]), [0.9, 0.9]), state, 1.0, 0.5)
    assert result.tolist()[1][:2] == [90, 50]


@pytest.mark.parametrize("wrong", [math.nan, math.inf])
@pytest.mark.parametrize("score", [0.9, 0.1, math.nan])
def test_a_keypoint_that_was_not_finite_is_filtered_again_later(wrong: float, score: float) -> None:
    state = None
    for k in range(8):
        odd = k in (0, 3)
        points = keypoints_of(np.array([[10 + k, 10], [wrong if odd else 50 + k, wrong]]), [0.9, score if odd else 0.9])
        points[1, 1] = wrong if odd else 20.0
        result, state = filtered(points, state, 1.0, 0.5)
        other = result.tolist()[1]
        if odd:
            assert not math.isfinite(other[0]) and not math.isfinite(other[1])
        elif k in (1, 4):
            assert other[:2] == [50 + k, 20]
        else:
            assert 50 < other[0] < 50 + k and abs(other[1] - 20) < 1e-3
        assert result.tolist()[0][1] == 10


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan])
def test_the_filter_restarts_if_no_time_has_passed(dt: float) -> None:
    _, state = filtered(keypoints_of(np.array([[10, 10]]), [0.9]), None, 1.0, 0.5)
    result, state = filtered(keypoints_of(np.array([[30, 50]]), [0.9]), state, dt, 0.5)
    assert result.tolist()[0][:2] == [30, 50]
    assert [part.tolist() for part in state] == [[[30, 50]], [[0, 0]], [[1, 1]]]


def test_the_filter_restarts_with_another_number_of_keypoints() -> None:
    _, state = filtered(keypoints_of(np.array([[10, 10], [50, 60]]), [0.9, 0.9]), None, 1.0, 0.5)
    result, state = filtered(keypoints_of(np.array([[30, 50], [60, 90], [1, 2]]), [0.9] * 3), state, 1.0, 0.5)
    assert [keypoint[:2] for keypoint in result.tolist()] == [[30, 50], [60, 90], [1, 2]]
    assert state[0].tolist() == [[30, 50], [60, 90], [1, 2]] and not any(sum(state[1].tolist(), []))


def test_the_filter_changes_neither_its_input_nor_the_scores() -> None:
    given = keypoints_of(np.array([[10, 10], [50, 50]]), [0.75, 0.5])
    _, state = filtered(given, None, 1.0, 0.5)
    moved = keypoints_of(np.array([[14, 10], [50, 54]]), [0.5, 0.75])
    result, _ = filtered(moved, state, 1.0, 0.5)
    assert moved.tolist() == [[14, 10, 0.5], [50, 54, 0.75]] and [row[2] for row in result.tolist()] == [0.5, 0.75]


def test_the_tracker_filters_each_track_if_the_option_is_set() -> None:
    plain, calm = n6post.Tracker(), n6post.Tracker(smooth_keypoints=True)
    for k in range(12):
        points = keypoints_of(np.array([[20 + 5 * (k % 2), 40], [30, 60]]), [0.9, 0.9])
        others = keypoints_of(np.array([[220, 40], [230, 60 + 5 * (k % 2)]]), [0.9, 0.9])
        detections = [
            person((x, 20, 40, 90), of) for x, of in ((10, points), (210, others))
        ]  # fmt: skip
        left = plain.update(detections, elapsed_ms=80)
        calmed = calm.update(detections[:: -1 if k % 3 else 1], elapsed_ms=80)
    assert left[0].keypoints is points and left[1].keypoints is others
    calmed.sort(key=lambda d: d.rect[0])
    assert [type(d) for d in calmed] == [n6post.Detection] * 2 and sorted(d.track_id for d in calmed) == [1, 2]
    assert 21 < calmed[0].keypoints.tolist()[0][0] < 24 and calmed[1].keypoints.tolist()[0][:2] == [220, 40]
    assert points.tolist()[0][0] == 25


def test_filters_of_dropped_tracks_are_dropped_too() -> None:
    tracker = n6post.Tracker(smooth_keypoints=True, max_gap=0.24)
    for k in range(60):
        points = keypoints_of(np.array([[20, 40], [30, 60]]), [0.9, 0.9])
        tracker.update([person((10 + 200 * (k // 6 % 3), 20, 40, 90), points)])
        assert len(tracker._kept[2]) <= 3
    assert tracker.tracks[-1].track_id > 5
    tracker.smooth_keypoints = False
    tracker.update([])
    assert tracker._kept[2] == {}


def test_a_filter_restarts_when_it_is_switched_on_again() -> None:
    tracker = n6post.Tracker(smooth_keypoints=True, max_gap=8)

    def update(x: float) -> float:
        points = keypoints_of(np.array([[x, 40]]), [0.9])
        return float(tracker.update([person((10, 20, 40, 90), points)])[0].keypoints.tolist()[0][0])

    tracker.update([person((10, 20, 40, 90), keypoints_of(np.array([[20, 40]]), [0.9]))])
    assert [update(20), update(20)] == [20, 20] and 20 < update(30) < 30
    tracker.smooth_keypoints = False
    assert [update(30), update(40)] == [30, 40]
    tracker.smooth_keypoints = True
    assert update(50) == 50
    assert 50 < update(60) < 60
