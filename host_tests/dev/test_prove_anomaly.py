"""scripts/dev/prove_anomaly.py: a short run with the sample network, and the figures that it is made of."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import ROOT
from PIL import Image

pytest.importorskip("skimage")
pytest.importorskip("ai_edge_litert")
scipy_stats = pytest.importorskip("scipy.stats")
sys.path.append(str(ROOT / "scripts" / "dev"))

import anomaly_kinds as kinds  # noqa: E402
import ml  # noqa: E402
import prove_anomaly as prove  # noqa: E402
import test_anomaly  # noqa: E402
from n6post_pc import paths  # noqa: E402
from n6post_pc.optimize import features  # noqa: E402
from scipy.spatial import KDTree  # noqa: E402

pytestmark = pytest.mark.proof("scripts/dev/prove_anomaly.py", "scripts/dev/anomaly_kinds.py")
FRAMES = (20, 7, 1)


class Neighbors:
    """In the place of scikit-learn's."""

    def __init__(self, vectors: Any) -> None:
        self.tree = KDTree(vectors)

    def kneighbors(self, vectors: Any) -> tuple[Any, Any]:
        distances, rows = self.tree.query(vectors)
        return distances[:, None], rows[:, None]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "neighbors", Neighbors)
    monkeypatch.setattr(test_anomaly.patch_memory.neighbors, "nearest", test_anomaly.quick_nearest)


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = paths.SAMPLE_MODEL.read_bytes()
    file = tmp_path_factory.mktemp("network") / "features.tflite"
    file.write_bytes(features.cut(data, features.default(features.layers(data))))
    return file


def test_a_run_prints_tables_and_draws_defects(
    network: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sheet = tmp_path / "sheet.jpg"
    options = ["--seeds", 0, "--kinds", "connector", "--counts", *FRAMES, "--sheet", sheet]
    monkeypatch.setattr(sys, "argv", ["prove_anomaly.py", *map(str, [network, *options])])
    prove.main()
    text = capsys.readouterr().out
    size = "{2}x{1}".format(*ml.Model(str(network)).input_shape[0])
    assert text.count("\n[") == 1 and text.startswith(f'["{size}", "connector", 0, ')
    for name in (f"| {size}, four tiles, PatchCore |", "| connector: solder |", "| out of focus |"):
        assert name in text
    with Image.open(sheet) as picture:
        assert picture.size == (4 * kinds.SIZE // 2, kinds.SIZE // 2)


def test_more_defective_frames_than_good_ones_are_found(network: Path) -> None:
    figures, seen = prove.measure(ml.Model(str(network)), 1, "connector", 1, FRAMES)
    names = kinds.GENERIC + kinds.KINDS["connector"][1]
    assert [name for name, _, _ in seen] == list(names)
    for way in prove.WAYS:
        one = figures[way]
        assert one["AUROC of pixels"] > 0.7 and one["caught"] > one["false alarms"]
        assert one["caught"] == pytest.approx(np.mean([one[name] for name in names]))
    assert figures["sensitive"]["caught"] >= figures["n6post"]["caught"]
    assert figures["alarms"]["defective"] == figures["n6post"]["caught"]


def test_auroc_is_that_of_mann_and_whitney() -> None:
    random = np.random.default_rng(0)
    low, high = random.integers(0, 20, 50), random.integers(5, 30, 30)
    expected = scipy_stats.mannwhitneyu(high, low).statistic / (50 * 30)
    assert prove.auroc(low, high) == pytest.approx(expected)
    assert prove.auroc([0, 1], [2, 3]) == 1 and prove.auroc([1, 1], [1, 1]) == 0.5


def test_patch_core_is_the_distance_to_the_nearest_patch_of_all_frames() -> None:
    frames = np.random.default_rng(0).integers(-100, 100, (10, 3, 4, 6)).astype(np.int8)
    core = prove.PatchCore(frames[:9])

    def farthest(frame: Any, known: Any) -> float:
        apart = frame.reshape(-1, 1, 6).astype(float) - known.reshape(1, -1, 6)
        return float(np.sqrt((apart**2).sum(2)).min(1).max())

    scores = [farthest(frames[i], frames[:9][np.arange(9) % 5 != i % 5]) for i in range(9)]
    assert core.threshold == pytest.approx(np.mean(scores) + 3 * np.std(scores), rel=1e-5)
    values = core.values(frames[9])
    assert values.shape == (3, 4)
    assert values.max() * core.threshold == pytest.approx(farthest(frames[9], frames[:9]), rel=1e-5)


def test_a_table_has_means_of_seeds_and_a_dash_for_what_was_not_seen() -> None:
    def row(setup: str, kind: str, value: float) -> tuple[str, str, dict[str, Any]]:
        ways = {way: dict.fromkeys((*prove.MEASURES, "pit"), value) for way in prove.WAYS}
        return setup, kind, {**ways, "alarms": {"good": value}, "changed": {"good": value / 2}}

    text = prove.tables([row("small", "gear", 0.5), row("small", "gear", 0.7), row("small", "wood", 0.2)])
    assert text.splitlines()[0] == "| gear; wood | AUROC of frames | AUROC of pixels | false alarms | caught |"
    assert "| small, n6post | 0.60; 0.20 | 0.60; 0.20 | 0.60; 0.20 | 0.60; 0.20 |" in text
    assert "| pit | 0.47 |" in text and "| scratch | - |" in text and "| good | 0.47, 0.23 |" in text


def test_scikit_learn_is_asked_for_where_it_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "sklearn.neighbors", None)
    with pytest.raises(SystemExit, match="scikit-learn is missing"):
        prove.neighbors(np.zeros((1, 1)))


def test_the_sensitive_threshold_is_lower_and_is_not_left_on(network: Path) -> None:
    images = [prove.camera_image(kinds.frame("gear", 0, i, "learn")[0]) for i in range(16)]
    tile = prove.Tile(ml.Model(str(network)), (0, 0, kinds.SIZE, kinds.SIZE), True)
    tile.learn(images)
    result, maps = tile.judge(images[0], np.random.default_rng(0))
    assert tile.sensitive < result.threshold and not tile.anomaly.sensitive
    assert maps["sensitive"].max() * tile.sensitive == pytest.approx(result.score)
    assert 0 < np.abs(maps["disturbed"] - maps["n6post"]).max() < 0.2
