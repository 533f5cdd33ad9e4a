"""lib/n6post/one_euro.py: the filter of keypoints, against the paper's formulas for one joint at a time."""

from __future__ import annotations

import math

import n6post
import numpy as np
import pytest
from n6post.detection import with_keypoints
from n6post.one_euro import _BETA, _MIN_CUTOFF, _SPEED_CUTOFF, filtered
from ulab import numpy as ulab


def alpha(cutoff: float, dt: float) -> float:
    return 1 / (1 + 1 / (2 * math.pi * cutoff) / dt)


class OneEuro:
    """Casiez et al., CHI 2012, of a single number."""

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


def joints(points: np.ndarray, scores: list[float]) -> ulab.ndarray:
    return ulab.array([[float(x), float(y), s] for (x, y), s in zip(points, scores)])


@pytest.mark.parametrize("dt", [1.0, 0.4, 3.0])
def test_every_coordinate_of_every_joint_is_filtered_as_in_the_paper(dt: float) -> None:
    rng = np.random.default_rng(4)
    wanted = [[OneEuro(), OneEuro()] for _ in range(5)]
    state = None
    for k in range(40):
        points = np.array([[50 + 3 * k * i, 90 - k] for i in range(5)]) + rng.normal(0, 2, (5, 2))
        result, state = filtered(joints(points, [0.9] * 5), state, dt, 0.5)
        expected = [[one(v, dt) for one, v in zip(pair, point)] for pair, point in zip(wanted, points)]
        assert np.allclose(np.array(result.tolist())[:, :2], expected, rtol=1e-4, atol=1e-3)


def test_a_joint_that_stands_trembles_less_and_one_that_moves_is_hardly_behind() -> None:
    rng = np.random.default_rng(5)
    state, stands, lag = None, [], []
    for k in range(80):
        points = np.array([[100, 100], [20 + 12 * k, 50]]) + rng.normal(0, 2, (2, 2))
        result, state = filtered(joints(points, [0.9, 0.9]), state, 1.0, 0.5)
        if k > 20:
            stands.append(result.tolist()[0][0])
            lag.append(20 + 12 * k - result.tolist()[1][0])
    assert np.std(stands) < 1.2 and np.mean(lag) < 12


def test_a_joint_that_is_not_seen_stays_as_it_came_and_begins_anew() -> None:
    state = None
    for _ in range(10):
        found, state = filtered(joints(np.array([[10, 10], [50, 50]]), [0.9, 0.9]), state, 1.0, 0.5)
    found, state = filtered(joints(np.array([[20, 10], [300, 7]]), [0.9, 0.1]), state, 1.0, 0.5)
    assert found.tolist()[1][:2] == [300, 7] and 10 < found.tolist()[0][0] < 20
    found, state = filtered(joints(np.array([[20, 10], [90, 50]]), [0.9, 0.9]), state, 1.0, 0.5)
    assert found.tolist()[1][:2] == [90, 50]


@pytest.mark.parametrize("nowhere", [math.nan, math.inf])
@pytest.mark.parametrize("score", [0.9, 0.1, math.nan])
def test_a_joint_that_was_nowhere_for_a_frame_is_filtered_again(nowhere: float, score: float) -> None:
    state = None
    for k in range(8):
        odd = k in (0, 3)
        points = joints(np.array([[10 + k, 10], [nowhere if odd else 50 + k, nowhere]]), [0.9, score if odd else 0.9])
        points[1, 1] = nowhere if odd else 20.0
        found, state = filtered(points, state, 1.0, 0.5)
        other = found.tolist()[1]
        if odd:
            assert not math.isfinite(other[0]) and not math.isfinite(other[1])
        elif k in (1, 4):
            assert other[:2] == [50 + k, 20]
        else:
            assert 50 < other[0] < 50 + k and abs(other[1] - 20) < 1e-3
        assert found.tolist()[0][1] == 10


@pytest.mark.parametrize("dt", [0.0, -1.0, math.nan])
def test_where_no_time_has_passed_the_filter_begins_anew(dt: float) -> None:
    _, state = filtered(joints(np.array([[10, 10]]), [0.9]), None, 1.0, 0.5)
    found, state = filtered(joints(np.array([[30, 50]]), [0.9]), state, dt, 0.5)
    assert found.tolist()[0][:2] == [30, 50]
    assert [part.tolist() for part in state] == [[[30, 50]], [[0, 0]], [[1, 1]]]


def test_of_another_number_of_joints_the_filter_begins_anew() -> None:
    _, state = filtered(joints(np.array([[10, 10], [50, 60]]), [0.9, 0.9]), None, 1.0, 0.5)
    found, state = filtered(joints(np.array([[30, 50], [60, 90], [1, 2]]), [0.9] * 3), state, 1.0, 0.5)
    assert [joint[:2] for joint in found.tolist()] == [[30, 50], [60, 90], [1, 2]]
    assert state[0].tolist() == [[30, 50], [60, 90], [1, 2]] and not any(sum(state[1].tolist(), []))


def test_the_filter_leaves_its_input_and_the_scores_alone() -> None:
    given = joints(np.array([[10, 10], [50, 50]]), [0.75, 0.5])
    _, state = filtered(given, None, 1.0, 0.5)
    moved = joints(np.array([[14, 10], [50, 54]]), [0.5, 0.75])
    result, _ = filtered(moved, state, 1.0, 0.5)
    assert moved.tolist() == [[14, 10, 0.5], [50, 54, 0.75]] and [row[2] for row in result.tolist()] == [0.5, 0.75]


def test_the_tracker_filters_by_track_and_only_when_asked() -> None:
    plain, calm = n6post.Tracker(), n6post.Tracker(smooth_keypoints=True)
    kind = with_keypoints(0.5)
    for k in range(12):
        points = joints(np.array([[20 + 5 * (k % 2), 40], [30, 60]]), [0.9, 0.9])
        others = joints(np.array([[220, 40], [230, 60 + 5 * (k % 2)]]), [0.9, 0.9])
        found = [
            kind((x, 20, 40, 90), 0.9, 0, "person", None, of) for x, of in ((10, points), (210, others))
        ]  # fmt: skip
        left, calmed = plain.update(found), calm.update(found[:: -1 if k % 3 else 1])
    assert left[0].keypoints is points and left[1].keypoints is others
    calmed.sort(key=lambda d: d.rect[0])
    assert [type(d) for d in calmed] == [kind, kind] and sorted(d.track_id for d in calmed) == [1, 2]
    assert 21 < calmed[0].keypoints.tolist()[0][0] < 24 and calmed[1].keypoints.tolist()[0][:2] == [220, 40]
    assert points.tolist()[0][0] == 25


def test_filters_of_tracks_that_are_gone_are_forgotten() -> None:
    tracker = n6post.Tracker(smooth_keypoints=True, max_age=3)
    kind = with_keypoints(0.5)
    for k in range(60):
        points = joints(np.array([[20, 40], [30, 60]]), [0.9, 0.9])
        tracker.update([kind((10 + 200 * (k // 6 % 3), 20, 40, 90), 0.9, 0, "person", None, points)])
        assert len(tracker._kept[2]) <= 3
    assert tracker.tracks[-1].track_id > 5
    tracker.smooth_keypoints = False
    tracker.update([])
    assert tracker._kept[2] == {}


def test_a_filter_that_was_switched_off_begins_anew_when_it_is_switched_on() -> None:
    tracker = n6post.Tracker(smooth_keypoints=True, max_age=100)
    kind = with_keypoints(0.5)

    def update(x: float) -> float:
        points = joints(np.array([[x, 40]]), [0.9])
        return float(tracker.update([kind((10, 20, 40, 90), 0.9, 0, "person", None, points)])[0].keypoints.tolist()[0][0])

    tracker.update([kind((10, 20, 40, 90), 0.9, 0, "person", None, joints(np.array([[20, 40]]), [0.9]))])
    assert [update(20), update(20)] == [20, 20] and 20 < update(30) < 30
    tracker.smooth_keypoints = False
    assert [update(30), update(40)] == [30, 40]
    tracker.smooth_keypoints = True
    assert update(50) == 50
    assert 50 < update(60) < 60
