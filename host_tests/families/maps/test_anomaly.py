"""maps/anomaly.py, maps/patch_memory.py: what is learned, the threshold, verdicts, and what comes back from a State."""

from __future__ import annotations

import functools
import json
import re
from pathlib import Path
from typing import Any

import image
import n6post
import numpy as np
import pytest
from fakes import Array, FakeModel, Tensor, stretched
from family_cases import FamilyCases, FrameCase, OptionCase
from n6post.families.maps import patch_memory
from scipy.spatial.distance import cdist, pdist, squareform
from ulab import _host

SIZE = (96, 64)
ROWS, COLUMNS, CHANNELS = 4, 6, 24
SCALE = 0.05


def quick_nearest(features: Any, params: Any, memory: Any, out: Any) -> None:
    """The kernel `nearest` in numpy and scipy, a tenth of the time of the portable one."""
    vectors, channels, first, end, columns, step = params
    if not vectors or first >= end:
        return

    def rows(stored: Any, count: int) -> Array:
        whole = np.frombuffer(stored, np.uint8)[: count * (channels + 4)].reshape(count, channels + 4)
        places = np.ascontiguousarray(whole[:, channels:]).view("<i2") * bool(step)
        return np.concatenate([whole[:, :channels].view(np.int8), places], axis=1).astype(np.float64)

    if columns:
        values = np.frombuffer(features, np.int8)[: vectors * channels].reshape(1, -1, columns, channels)
        own = with_places(values, step)
    else:
        own = rows(features, vectors)
    apart = cdist(own, rows(memory, end)[first:], "sqeuclidean")
    for at, (row, distance) in enumerate(zip(apart.argmin(axis=1), apart.min(axis=1), strict=True)):
        if distance < out[at]:
            out[at], out[vectors + at] = round(distance), first + int(row)


@pytest.fixture(autouse=True)
def _quick(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    if "portable" not in request.node.name:
        monkeypatch.setattr(patch_memory.neighbors, "nearest", quick_nearest)


class Parts:
    """Frames of a made-up part: eight kinds of patches in any place, with noise; and defects that no patch is like."""

    def __init__(
        self, seed: int = 0, channels: int = CHANNELS, noise: float = 3.0, cells: tuple[int, int] = (ROWS, COLUMNS)
    ) -> None:
        self.cells = cells
        self.random = np.random.default_rng(seed)
        self.kinds = self.random.integers(-70, 70, (8, channels))
        self.noise = noise

    def features(self, defects: int = 0, shift: float = 0.0) -> Array:
        """int8 [1, rows, columns, channels], of which the first cells are defects."""
        chosen = self.kinds[self.random.integers(0, len(self.kinds), self.cells)]
        values = chosen + self.random.normal(0, self.noise, chosen.shape) + shift
        flat = values.reshape(-1, values.shape[-1])
        flat[:defects] += self.random.choice([-60, 60], (defects, values.shape[-1]))
        return np.clip(np.round(values), -128, 127).astype(np.int8)[None]


def model(features: Array, scale: float = SCALE, zero_point: int = 0, size: tuple[int, int] = SIZE) -> FakeModel:
    return FakeModel([Tensor(features, scale, zero_point)], size)


def judged(anomaly: Any, features: Array, source: Any = None, **options: Any) -> Any:
    return model(features, **options).run(anomaly, source)


def taught(parts: Parts, frames: int = 30, **options: Any) -> Any:
    """An Anomaly that has learned so many frames."""
    anomaly = n6post.Anomaly(**{"patches": 64, **options})
    anomaly.learn(frames)
    for _ in range(frames):
        judged(anomaly, parts.features())
    assert anomaly.learned == frames and not anomaly.learning
    return anomaly


def memory_of(anomaly: Any) -> tuple[Array, Array]:
    """What it has learned, as to_state returns it: the vectors, and the place (x, y) of each in steps."""
    state, data = anomaly.to_state()
    channels = state["form"][2]
    rows = np.frombuffer(bytes(data), np.uint8).reshape(-1, channels + 4)
    return rows[:, :channels].view(np.int8), np.ascontiguousarray(rows[:, channels:]).view("<i2")


def with_places(features: Array, step: float) -> Array:
    """float64 [cells, channels + 2]: the features of each cell, and its place."""
    _, rows, columns, channels = features.shape
    y, x = np.mgrid[:rows, :columns] * step
    return np.concatenate([features[0], x[..., None], y[..., None]], axis=-1).reshape(-1, channels + 2).astype(np.float64)


def distances(anomaly: Any, features: Array) -> Array:
    """[rows, columns]: the distance of each cell to the nearest vector that was learned, by scipy."""
    vectors, places = memory_of(anomaly)
    step = anomaly.to_state()[0]["form"][4]
    learned = np.concatenate([vectors, places * bool(step)], axis=1).astype(np.float64)
    each = cdist(with_places(features, step), learned).min(axis=1)
    return each.reshape(features.shape[1:3])


# --- distances ---
@pytest.mark.parametrize("positions", [True, False])
@pytest.mark.parametrize("channels", [2, 24, 150])
def test_values_by_portable_kernels_are_distances_to_the_nearest_patch(channels: int, positions: bool) -> None:
    parts = Parts(channels, channels)
    anomaly = taught(parts, 12, patches=40, positions=positions)
    frame = parts.features(defects=3)
    wanted = distances(anomaly, frame)
    result = judged(anomaly, frame)
    np.testing.assert_allclose(np.array(result.values.tolist()), wanted, atol=1 / 256 + 1e-3)
    assert result.score == np.array(result.values.tolist()).max()
    assert result.shape == (ROWS, COLUMNS)
    shifted = FakeModel([Tensor((frame.astype(np.int16) + 128).astype(np.uint8), SCALE, 128)], SIZE)
    assert shifted.run(anomaly).values.tolist() == result.values.tolist()
    for one in (model(frame), shifted):  # float copies, as without a post-processor
        copies = [_host.wrap(tensor.dequantized().values) for tensor in one.tensors]
        assert anomaly(one, [one.input()], copies).values.tolist() == result.values.tolist()


def test_nothing_is_said_before_anything_is_learned() -> None:
    for options in ({}, {"threshold": 5.0}, {"sensitive": True}):
        result = judged(n6post.Anomaly(**options), Parts().features())
        assert (result.score, result.threshold, result.verdict, result.objects()) == (0.0, None, None, [])
        assert np.array(result.values.tolist()).max() == 0


# --- learning ---
def test_memory_is_never_larger_than_asked_for_and_holds_patches_of_frames() -> None:
    parts = Parts(3, noise=8.0)
    frames = [parts.features() for _ in range(20)]
    anomaly = n6post.Anomaly(patches=16)
    anomaly.learn(20)
    for frame in frames:
        judged(anomaly, frame)
    step = anomaly.to_state()[0]["form"][4]
    learned = np.concatenate(memory_of(anomaly), axis=1)
    assert learned.shape == (16, CHANNELS + 2)
    seen = {tuple(one) for frame in frames for one in with_places(frame, step).tolist()}
    assert {tuple(one) for one in learned.tolist()} <= seen
    assert len({tuple(one) for one in learned.tolist()}) == 16


@pytest.mark.parametrize("positions", [True, False])
def test_vector_that_is_farther_replaces_one_of_the_closest_pair(positions: bool) -> None:
    """The same rule in plain numpy. Distances are those to what was there when the frame came, and to what it has added."""
    parts = Parts(12, 6, noise=12.0)
    frames = [parts.features() for _ in range(8)]
    anomaly = n6post.Anomaly(patches=32, positions=positions)
    anomaly.learn(8)
    for frame in frames:
        judged(anomaly, frame)
    step = anomaly.to_state()[0]["form"][4]
    assert bool(step) == positions
    kept = np.zeros((0, 8))
    for frame in frames:
        known = kept.copy()
        for one in with_places(frame, step):
            nearest = cdist(known, [one], "sqeuclidean").min() if len(known) else np.inf
            apart = squareform(pdist(kept, "sqeuclidean")) + np.diag([np.inf] * len(kept))
            if nearest <= (0.0 if len(kept) < 32 else apart.min()):
                continue
            if len(kept) < 32:
                kept = np.concatenate([kept, one[None]])
            else:
                kept[int(np.argmin(apart.min(axis=1)))] = one
            known = np.concatenate([known, one[None]])
    vectors, _ = memory_of(anomaly)
    np.testing.assert_array_equal(vectors, kept[:, :6])


def test_step_of_places_is_a_fifth_of_the_spread_of_the_first_frame() -> None:
    parts, anomaly = Parts(13), n6post.Anomaly()
    frame = parts.features()
    anomaly.learn(1)
    judged(anomaly, frame)
    flat = frame.reshape(-1, CHANNELS).astype(np.float64)
    assert anomaly.to_state()[0]["form"][4] == int(np.sqrt(((flat - flat.mean(axis=0)) ** 2).sum(axis=1).mean()) / 5)


def test_places_of_a_wide_map_stay_within_what_the_kernel_takes() -> None:
    anomaly = n6post.Anomaly(patches=256)
    anomaly.learn(1)
    judged(anomaly, Parts(channels=300, cells=(2, 60)).features(), size=(960, 32))
    assert anomaly.to_state()[0]["form"][4] == 2047 // 60
    assert memory_of(anomaly)[1].max() == 59 * (2047 // 60)


def test_missing_part_is_a_defect_though_its_background_is_known() -> None:
    random = np.random.default_rng(2)
    background, part = random.integers(-70, 70, (2, 8))

    def scene(missing: bool = False) -> Array:
        values = np.tile(background, (6, 9, 1)).astype(np.float64)
        if not missing:
            values[1:4, 2:6] = part
        return np.clip(values + random.normal(0, 3, values.shape), -128, 127).astype(np.int8)[None]

    for positions, verdict in ((True, "defect"), (False, "good")):
        anomaly = n6post.Anomaly(patches=48, positions=positions)
        anomaly.learn(12)
        for _ in range(12):
            judged(anomaly, scene(), size=(144, 96))
        assert judged(anomaly, scene(), size=(144, 96)).verdict == "good"
        result = judged(anomaly, scene(missing=True), size=(144, 96))
        assert result.verdict == verdict
        assert [d.label for d in result.objects()] == ["defect"] * positions


def test_learning_goes_on_where_it_ended_and_learns_what_is_new() -> None:
    morning, evening = Parts(1), Parts(2)
    anomaly = taught(morning, 20)
    frame = evening.features()
    before = judged(anomaly, frame)
    anomaly.learn(20)
    for _ in range(20):
        judged(anomaly, evening.features())
    assert anomaly.learned == 40
    assert judged(anomaly, frame).score < 0.5 * before.score
    assert judged(anomaly, morning.features()).verdict == "good"


def test_learn_counts_frames_and_zero_ends_it() -> None:
    parts, anomaly = Parts(), n6post.Anomaly()
    assert not anomaly.learning
    anomaly.learn(1)
    judged(anomaly, parts.features())
    judged(anomaly, parts.features())
    assert (anomaly.learned, anomaly.learning) == (1, False)
    anomaly.learn(5)
    judged(anomaly, parts.features())
    anomaly.learn(0)
    judged(anomaly, parts.features())
    assert (anomaly.learned, anomaly.learning) == (2, False)
    for wrong in (-1, 1001, 2.0, "5", True):
        with pytest.raises(ValueError, match="frames: expected an integer from 0 to 1000, got"):
            anomaly.learn(wrong)


def test_learn_without_a_number_ends_when_new_frames_add_nothing() -> None:
    parts, anomaly = Parts(noise=0.0), n6post.Anomaly(positions=False)
    anomaly.learn()
    for _ in range(60):
        judged(anomaly, parts.features())
        if not anomaly.learning:
            break
    assert 18 <= anomaly.learned < 40
    assert anomaly.known >= 0.9
    restless = Parts(channels=4, noise=30.0, cells=(2, 3))
    anomaly = n6post.Anomaly(patches=512)
    anomaly.learn()
    for _ in range(25):
        judged(anomaly, restless.features())
    assert anomaly.learning
    assert anomaly.known < 0.9


def test_reset_forgets_everything() -> None:
    anomaly = taught(Parts())
    anomaly.learn(3)
    anomaly.reset()
    assert (anomaly.learned, anomaly.learning, anomaly.known) == (0, False, 0.0)
    assert judged(anomaly, Parts().features()).verdict is None
    assert judged(anomaly, Parts(channels=8).features()).verdict is None


# --- the threshold and the verdict ---
def usual(weights: Any, scores: Any, deviations: float) -> float:
    """The weighted mean and so many standard deviations, by numpy."""
    mean = np.average(scores, weights=weights)
    return float(mean + deviations * np.sqrt(np.average((np.array(scores) - mean) ** 2, weights=weights)))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many patches each later frame adds."""
    new: list[int] = []
    learn = patch_memory.PatchMemory.learn

    def counting(*arguments: Any) -> int:
        new.append(learn(*arguments))
        return new[-1]

    monkeypatch.setattr(patch_memory.PatchMemory, "learn", counting)
    return new


def test_threshold_comes_from_the_scores_that_frames_had_before_they_were_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each weighs the fourth power of how well it was known."""
    parts, anomaly = Parts(4, 10, 2.0, (2, 3)), n6post.Anomaly(patches=32)
    new = counted(monkeypatch)
    scores, weights = [], []
    for frame in range(25):
        anomaly.learn(1)
        scores.append(judged(anomaly, parts.features(), size=(48, 32)).score)
        is_full = len(memory_of(anomaly)[0]) == 32
        weights.append((256 * (6 - new[-1]) // 6 if is_full else 256 * frame // (frame + 1)) ** 4)
    assert len({*weights}) > 6 and not weights[0]
    frame = parts.features()
    for options, threshold in (
        ({}, usual(weights, scores, 3)), ({"sensitive": True}, usual(weights, scores, 1.65)), ({"threshold": 12.5}, 12.5)
    ):  # fmt: skip
        for name, value in options.items():
            setattr(anomaly, name, value)
        assert judged(anomaly, frame, size=(48, 32)).threshold == pytest.approx(threshold, abs=1e-3)


@pytest.mark.parametrize("patches", [16, 512])
def test_known_is_a_running_mean_of_the_cells_that_added_nothing(patches: int, monkeypatch: pytest.MonkeyPatch) -> None:
    parts, anomaly = Parts(4, 10, 2.0, (2, 3)), n6post.Anomaly(patches=patches)
    new, wanted = counted(monkeypatch), 0.0
    for frame in range(20):
        anomaly.learn(1)
        judged(anomaly, parts.features(), size=(48, 32))
        is_full = len(memory_of(anomaly)[0]) == patches
        wanted += ((1 - new[-1] / 6 if is_full else frame / (frame + 1)) - wanted) / 8
        assert anomaly.known == pytest.approx(wanted, abs=0.02)


def test_there_is_no_threshold_before_frames_with_a_weight_of_three_but_that_of_the_script() -> None:
    parts = Parts()
    anomaly = n6post.Anomaly(patches=512)  # not full: the weights are (n / (n + 1)) ** 4
    weights = np.cumsum([(n / (n + 1)) ** 4 for n in range(12)])
    for weight in weights:
        anomaly.learn(1)
        judged(anomaly, parts.features())
        assert (judged(anomaly, parts.features(5)).verdict is None) == (weight < 2.99)
    anomaly = n6post.Anomaly(threshold=20.0)
    anomaly.learn(1)
    judged(anomaly, parts.features())
    assert judged(anomaly, parts.features(5)).verdict == "defect"


def test_defects_are_found_and_good_frames_are_good() -> None:
    parts = Parts(5)
    anomaly = taught(parts)
    for defects, verdict in ((0, "good"), (1, "defect"), (3, "defect")):
        for _ in range(5):
            result = judged(anomaly, parts.features(defects))
            assert result.verdict == verdict
            assert (result.score > result.threshold) == (verdict == "defect")


def test_frame_that_differs_as_a_whole_is_changed_and_has_no_defects() -> None:
    parts = Parts(6)
    anomaly = taught(parts)
    result = judged(anomaly, parts.features(shift=25.0))
    assert (result.verdict, result.objects()) == ("changed", [])
    assert result.score > result.threshold
    for defects, shift, verdict in ((0, 20.0, "changed"), (1, 15.0, "defect")):  # also the quartile of the second has risen
        assert judged(anomaly, parts.features(defects, shift)).verdict == verdict


def test_verdict_is_that_of_plain_numpy() -> None:
    """Changed is a frame whose first quartile is above three standard deviations, and has risen more than its score."""
    random, anomaly = np.random.default_rng(20), n6post.Anomaly()

    def said(values: Array) -> Any:
        return FakeModel([Tensor(values.astype(np.float32)[None])], (80, 64)).run(anomaly)

    anomaly.learn(12)
    good = [random.uniform(1, 2, (8, 10)) * random.uniform(0.9, 1.1) for _ in range(12)]
    for values in good:
        said(values)
    scores, quartiles = [values.max() for values in good], [np.sort(values.ravel())[20] for values in good]
    most, largest = usual(None, scores, 3), usual(None, quartiles, 3)
    seen = set()
    for _ in range(300):
        values = random.uniform(1, 2, (8, 10)) * random.uniform(0.9, 1.6)
        values[0, 0] *= random.choice([1, 1, 2])
        score, quartile = values.max(), np.sort(values.ravel())[20]
        rise = quartile / np.mean(quartiles) - score / most
        if min(abs(score - most), abs(quartile - largest), abs(rise)) < 2e-3:
            continue  # whole numbers decide
        verdict = "good" if score <= most else "changed" if quartile > largest and rise > 0 else "defect"
        assert said(values).verdict == verdict
        seen.add((verdict, quartile > largest, rise > 0))
    assert len(seen) >= 5


# --- defects as objects ---
def test_score_of_a_ring_is_its_own_and_not_that_of_what_is_inside() -> None:
    values = np.zeros((7, 7), np.float32)
    values[1:6, 1:6] = 20.0
    values[2:5, 2:5] = 0.0
    values[3, 3] = 40.0
    result = FakeModel([Tensor(values[None, ..., None])], (56, 56)).run(n6post.Anomaly(threshold=10.0))
    assert [(d.rect, d.score) for d in result.objects()] == [((24, 24, 8, 8), 0.875), ((8, 8, 40, 40), 0.75)]


def test_defects_that_touch_are_one_object_the_worst_one_first() -> None:
    values = np.zeros((6, 8), np.float32)
    values[0, 0], values[1, 1] = 12.0, 20.0  # touch at a corner
    values[4, 6:8] = 40.0
    anomaly = n6post.Anomaly(threshold=10.0)
    source = n6post.Stretch(image.Image(640, 480, image.GRAYSCALE))
    result = FakeModel([Tensor(values[None, ..., None])], (64, 48)).run(anomaly, source)
    found = result.objects()
    assert [(d.rect, d.score, d.class_id, d.label) for d in found] == [
        ((480, 320, 160, 80), 0.875, 0, "defect"),
        ((0, 0, 160, 160), 0.75, 0, "defect"),
    ]
    assert [d.mask.area for d in found] == [2 * 6400, 2 * 6400]
    assert found[0].frame_size == (640, 480)
    assert [d.rect for d in result.objects(min_area=20000)] == []
    with pytest.raises(ValueError, match="min_area: expected an integer from 0"):
        result.objects(min_area=-1)
    tracked = n6post.Tracker(min_hits=1).update(found)
    assert [d.track_id for d in tracked] == [1, 2]


def test_values_are_at_frame_pixels_and_bars_of_a_letterbox_count_for_nothing() -> None:
    values = np.arange(16, dtype=np.float32).reshape(4, 4)
    anomaly = n6post.Anomaly(threshold=1.0)
    tensor = FakeModel([Tensor(values[None])], (32, 32))
    result = tensor.run(anomaly, stretched((10, 20, 100, 80)))
    assert result.value_at(10, 20) == 0.0
    assert result.value_at((105, 95)) == 15.0
    assert result.value_at(110, 99) is None
    with pytest.raises(ValueError, match="value_at: expected a frame pixel x, y, two numbers, got 'a'"):
        result.value_at("a")
    result = tensor.run(anomaly, n6post.Letterbox(image.Image(64, 32, image.GRAYSCALE)))
    assert result.score == 11.0
    assert result.value_at(0, 0) == 4.0
    assert max(d.rect[3] for d in result.objects()) <= 32


# --- grids of scores: Edge Impulse's FOMO-AD ---
def grid(seed: int = 0, rows: int = 8, columns: int = 12) -> Array:
    return np.random.default_rng(seed).uniform(0.0, 3.0, (1, rows, columns, 1)).astype(np.float32)


@pytest.mark.parametrize("kind", ["float", "int8", "uint8", "int16"])
@pytest.mark.parametrize("dimensions", [3, 4])
def test_grid_of_scores_is_the_map_itself(kind: str, dimensions: int) -> None:
    scores = grid()
    raw = np.round(scores / 0.0125)
    stored = {
        "float": Tensor(scores),
        "int8": Tensor((raw - 128).astype(np.int8), 0.0125, -128),
        "uint8": Tensor(raw.astype(np.uint8), 0.0125, 0),
        "int16": Tensor(raw.astype(np.int16), 0.0125, 0),
    }[kind]
    values = stored.values if dimensions == 4 else stored.values[..., 0]
    anomaly = n6post.Anomaly(threshold=2.5)
    result = FakeModel([Tensor(values, stored.scale, stored.zero_point)], (96, 64)).run(anomaly)
    wanted = stored.dequantized().values[0, ..., 0]
    np.testing.assert_allclose(np.array(result.values.tolist()), wanted, atol=1 / 4096 + 1e-6)
    assert result.verdict == "defect"


def test_threshold_of_a_grid_comes_from_good_frames_too() -> None:
    anomaly = n6post.Anomaly()
    anomaly.learn(20)
    scores = [FakeModel([Tensor(grid(seed))], (96, 64)).run(anomaly).score for seed in range(20)]
    result = FakeModel([Tensor(2 * grid(5))], (96, 64)).run(anomaly)
    assert result.threshold == pytest.approx(np.mean(scores) + 3 * np.std(scores), abs=1e-3)
    assert result.verdict in ("defect", "changed")


def test_numbers_that_are_none_are_far_from_no_threshold() -> None:
    scores = grid()
    scores[0, 0, 0], scores[0, 1, 1], scores[0, 2, 2] = np.nan, -5.0, np.inf
    result = FakeModel([Tensor(scores)], (96, 64)).run(n6post.Anomaly(threshold=5.0))
    values = np.array(result.values.tolist())
    assert (values[0, 0], values[1, 1], values[2, 2]) == (0.0, 0.0, 1e6)
    assert [d.rect for d in result.objects()] == [(16, 16, 8, 8)]


# --- State ---
@pytest.mark.parametrize("patches", [64, 20, 256])
def test_restored_state_judges_as_before(patches: int, tmp_path: Path) -> None:
    parts = Parts(8)
    anomaly = taught(parts, 25)
    n6post.State(str(tmp_path), anomaly=anomaly).save(force=True)
    frame = parts.features(2)
    before = judged(anomaly, frame)
    restored = n6post.Anomaly(patches=patches)
    n6post.State(str(tmp_path), anomaly=restored)
    after = judged(restored, frame)
    assert restored.learned == 25
    assert after.threshold == before.threshold
    if patches >= 64:
        assert after.verdict == before.verdict
        assert after.values.tolist() == before.values.tolist()
        assert restored.to_state() == anomaly.to_state()
    # It learns on like the one that was not restarted.
    for one in (anomaly, restored):
        one.learn(1)
        judged(one, Parts(9).features())
    if patches == 64:
        assert restored.to_state() == anomaly.to_state()


def test_features_of_another_network_are_refused_until_reset() -> None:
    parts = Parts()
    anomaly = taught(parts)
    learned = r"expected the features that were learned, [1, 4, 6, 24], got output 0: int8 "
    for other, options, wanted in (
        (Parts(channels=16).features(), {}, learned + "(1, 4, 6, 16): reset() forgets what was learned"),
        (parts.features(), {"scale": 0.07}, learned + "(1, 4, 6, 24) with another scale: reset()"),
        (np.zeros((1, 8, 12, 24), np.int8), {}, learned + "(1, 8, 12, 24): reset()"),
    ):
        for _ in range(2):
            with pytest.raises(ValueError, match=f"^{re.escape(wanted)}"):
                judged(anomaly, other, **options)
    assert judged(anomaly, parts.features()).verdict == "good"
    anomaly.reset()
    assert judged(anomaly, Parts(channels=16).features()).verdict is None


def test_model_seen_before_another_was_learned_is_refused() -> None:
    parts, anomaly = Parts(), n6post.Anomaly()
    other, own = model(Parts(channels=300).features()), model(parts.features())
    for one in (own, other, own):
        one.run(anomaly)
    anomaly.learn(1)
    own.run(anomaly)
    with pytest.raises(ValueError, match="expected the features that were learned"):
        other.run(anomaly)
    assert own.run(anomaly).score == 0.0


def test_features_may_come_in_any_smaller_number_of_patches() -> None:
    parts = Parts()
    anomaly = taught(parts, 20, patches=64)
    anomaly.patches = 16
    anomaly.learn(1)
    judged(anomaly, parts.features())
    assert len(memory_of(anomaly)[0]) == 16


# --- errors, JSON ---
WANTED = "expected features [1, H, W, C] of 2 to 1024 channels, or scores [1, H, W, 1] or [1, H, W]"
BAD: list[tuple[Array, str]] = [
    (np.zeros((1, 4, 6, 1025), np.int8), WANTED),
    (np.zeros((2, 4, 6, 8), np.int8), WANTED),
    (np.zeros((1, 6, 6, 8), np.int8), WANTED + ", of at most 4096 cells and the aspect ratio of the input, (96, 64), got"),
    (np.zeros((4, 6), np.int8), WANTED),
    (np.zeros((1, 64, 96, 8), np.int8), WANTED),
    (np.zeros((1, 4, 6, 8), np.int16), "expected int8 or uint8 features, got output 0: int16 (1, 4, 6, 8)"),
]


@pytest.mark.parametrize(("values", "message"), BAD)
def test_output_of_another_family_is_refused(values: Array, message: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        judged(n6post.Anomaly(), values)


def test_json_has_the_score_the_verdict_and_the_defects() -> None:
    parts = Parts(5)
    anomaly = taught(parts)
    result = judged(anomaly, parts.features(1))
    said = json.loads(n6post.to_json(result))
    assert said["score"] == pytest.approx(result.score, abs=1e-3)
    assert said["threshold"] == pytest.approx(result.threshold, abs=1e-3)
    assert (said["verdict"], len(said["objects"]), said["objects"][0]["label"]) == ("defect", 1, "defect")
    nothing = judged(n6post.Anomaly(), parts.features())
    assert n6post.to_json(nothing) == '{"score": 0.0, "threshold": null, "verdict": null, "objects": []}'


# --- for the tests of all families: see family_cases.py ---
@functools.cache
def lessons() -> Any:
    return taught(Parts(7), 12).to_state()


def learned_parts() -> Any:
    anomaly = n6post.Anomaly(patches=64)
    anomaly.from_state(lessons())
    return anomaly


def defects(seed: int = 7) -> FakeModel:
    return model(Parts(seed).features(2))


class Lesson(FakeModel):
    """A model whose frame is judged by what its processor has just learned anew."""

    def run(self, process: Any, source: Any = None) -> Any:
        parts = Parts(7, 8, 9.0, (2, 3))
        process.reset()
        process.learn(10)
        for _ in range(10):
            self.tensors[0].values[:] = parts.features()
            super().run(process, source)
        self.tensors[0].values[:] = parts.features(1)
        return super().run(process, source)


def lesson() -> FakeModel:
    return Lesson([Tensor(Parts(7, 8, 9.0, (2, 3)).features(), SCALE, 0)], SIZE)


def scores_of_cells() -> FakeModel:
    return FakeModel([Tensor(grid())], (96, 64))


FAMILY_CASES = FamilyCases(
    options={
        "patches": OptionCase(256, 16, (15, 1025, 64.0), lesson),
        "positions": OptionCase(True, False, (1, None), lesson),
        "threshold": OptionCase(None, 0.5, (-0.1, 2e6, "0"), scores_of_cells),
        "sensitive": OptionCase(False, True, (0, None), lesson),
    },
    frames={
        "Anomaly scores": FrameCase(
            lambda: n6post.Anomaly(threshold=2.0), scores_of_cells, scores_of_cells, ("threshold", 2.0, 1.0)
        ),
        "Anomaly": FrameCase(learned_parts, defects, lambda: defects(8), ("threshold", None, 9.0)),
    },
)
