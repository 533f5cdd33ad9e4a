"""How many defects of drawn parts n6post.Anomaly finds: `python3 scripts/dev/prove_anomaly.py MODEL...`.

Each MODEL is a network that `n6post optimize --features` wrote. An Anomaly learns 30 good frames of each part
(anomaly_kinds.py). Then it judges 60 good and 60 defective ones, and frames in another light, place and focus. The first
network also sees the frame in four tiles. The reference is a PatchCore in float with all patches of the 30 frames, whose
nearest ones scikit-learn finds, and a threshold from a five-fold cross-validation.

A line of JSON is printed for each kind and seed, and at the end tables of the means. This takes hours.
It needs the packages of requirements/test.txt, and scikit-learn.
"""

import argparse
import functools
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import anomaly_kinds as kinds
import numpy as np
from PIL import Image
from scipy.stats import rankdata

sys.path[:0] = [str(Path(__file__).parents[2] / folder) for folder in ("lib", "stubs", "scripts")]
import ml
import n6post
from n6post_pc.models import pictures
from ulab._host import wrap

CELLS = 120  # a side of the maps that are compared with the masks
FOLDS = 5
# Whose figures are compared. All maps are in parts of a threshold: "sensitive" has its own; "disturbed": a third of the
# features are one step too high or too low, as by the rounding of an NPU.
WAYS = ("n6post", "sensitive", "disturbed", "PatchCore")
MEASURES = ("AUROC of frames", "AUROC of pixels", "false alarms", "caught")
BEYOND: dict[str, dict[str, float]] = {
    "light x 0.7": {"gain": 0.7}, "light x 0.8": {"gain": 0.8}, "light x 1.2": {"gain": 1.2}, "light x 1.4": {"gain": 1.4},
    "moved 10 pixels": {"shift": 10}, "moved 20 pixels": {"shift": 20}, "out of focus": {"focus": 3},
}  # fmt: skip


def neighbors(vectors: Any) -> Any:
    """scikit-learn's search in these vectors."""
    try:
        from sklearn.neighbors import NearestNeighbors
    except ImportError:
        raise SystemExit("scikit-learn is missing: .venv/bin/python -m pip install scikit-learn") from None
    return NearestNeighbors(n_neighbors=1).fit(vectors)


class PatchCore:
    """The distance to the nearest of all patches (Roth et al., CVPR 2022, arXiv 2106.08265), in parts of a threshold.

    frames  features [frames, rows, columns, channels]
    """

    def __init__(self, frames: Any) -> None:
        self.channels = frames.shape[-1]
        self.threshold = 1.0
        fold, scores = np.arange(len(frames)) % FOLDS, np.zeros(len(frames))
        for k in range(FOLDS):
            self.known = neighbors(self._patches(frames[fold != k]))
            scores[fold == k] = [self.values(frame).max() for frame in frames[fold == k]]
        self.threshold = scores.mean() + 3 * scores.std()
        self.known = neighbors(self._patches(frames))

    def _patches(self, features: Any) -> Any:
        return features.reshape(-1, self.channels).astype(np.float32)

    def values(self, frame: Any) -> Any:
        return self.known.kneighbors(self._patches(frame))[0].reshape(frame.shape[:2]) / self.threshold


class Tile:
    """A part of the frame, and what is known of it."""

    def __init__(self, network: Any, roi: tuple[int, int, int, int], positions: bool) -> None:
        self.network, self.roi = network, roi
        self.anomaly = n6post.Anomaly(positions=positions)

    def features(self, img: Any) -> tuple[Any, Any, Any]:
        """What a post-processor is called with, its output as int8 [rows, columns, channels]."""
        source = n6post.Stretch(img, roi=self.roi)
        return self.network.predict([source], callback=lambda *given: (*given[:2], given[2][0]._np[0].copy()))

    def result(self, model: Any, inputs: Any, features: Any) -> Any:
        return self.anomaly(model, inputs, [wrap(features[None])])

    def learn(self, images: Sequence[Any]) -> None:
        seen = [self.features(img) for img in images]
        self.anomaly.learn(len(seen))
        for one in seen:
            self.result(*one)
        self.patch_core = PatchCore(np.stack([features for _, _, features in seen]))
        self.anomaly.sensitive = True
        self.sensitive = self.result(*seen[0]).threshold
        self.anomaly.sensitive = False

    def judge(self, img: Any, random: np.random.Generator) -> tuple[Any, dict[str, Any]]:
        """The result, and the map of each way."""
        model, inputs, features = self.features(img)
        noise = random.choice([-1, 0, 1], features.shape, p=[1 / 6, 2 / 3, 1 / 6])
        result = self.result(model, inputs, features)
        disturbed = self.result(model, inputs, np.clip(features + noise, -128, 127).astype(np.int8))
        maps = [result.values._np / result.threshold, result.values._np / self.sensitive,
                disturbed.values._np / result.threshold, self.patch_core.values(features)]  # fmt: skip
        return result, dict(zip(WAYS, maps))


class Watcher:
    """Looks at a frame in columns x columns tiles."""

    def __init__(self, network: Any, columns: int, positions: bool) -> None:
        rois = n6post.tiles((kinds.SIZE, kinds.SIZE), columns=columns, rows=columns, overlap=0.1)
        self.tiles = [Tile(network, roi, positions) for roi in rois]
        self.random = np.random.default_rng(0)

    def learn(self, frames: Iterable[Any]) -> None:
        images = [camera_image(frame) for frame in frames]
        for tile in self.tiles:
            tile.learn(images)

    def results(self, frame: Any) -> list[Any]:
        img = camera_image(frame)
        return [tile.result(*tile.features(img)) for tile in self.tiles]

    def judge(self, frame: Any) -> tuple[list[Any], dict[str, Any]]:
        """The results of the tiles, and for each way the largest value and a map [CELLS, CELLS]."""
        img = camera_image(frame)
        seen = [tile.judge(img, self.random) for tile in self.tiles]
        found = {}
        for way in WAYS:
            whole = np.zeros((CELLS, CELLS), np.float32)
            for tile, (_, maps) in zip(self.tiles, seen):
                x, y, w, h = (side * CELLS // kinds.SIZE for side in tile.roi)
                values = Image.fromarray(maps[way].astype(np.float32)).resize((w, h), Image.Resampling.BILINEAR)
                whole[y : y + h, x : x + w] = np.maximum(whole[y : y + h, x : x + w], values)
            found[way] = max(maps[way].max() for _, maps in seen), whole
        return [result for result, _ in seen], found


drawn_frame = functools.lru_cache(400)(kinds.frame)  # of one kind and seed, for several networks


def camera_image(frame: Any) -> Any:
    return pictures.rgb565(Image.fromarray(frame))


def auroc(negative: Any, positive: Any) -> float:
    """The area under the receiver operating characteristic: how often a positive value is above a negative one."""
    ranks = rankdata(np.concatenate([negative, positive]))[len(negative) :]
    return float((ranks.mean() - (len(positive) + 1) / 2) / len(negative))


def measure(network: Any, columns: int, kind: str, seed: int, counts: Sequence[int]) -> tuple[dict[str, Any], list[Any]]:
    """Figures of one kind and seed, and (defect, frame, results) of its defective frames."""
    learned, judged, beyond = counts
    names = kinds.GENERIC + kinds.KINDS[kind][1]
    watcher = Watcher(network, columns, kind not in kinds.TEXTURES)

    def good_frames(purpose: str, count: int, **options: float) -> Iterator[Any]:
        return (drawn_frame(kind, seed, i, purpose, **options)[0] for i in range(count))

    watcher.learn(good_frames("learn", learned))
    good = [watcher.judge(frame) for frame in good_frames("good", judged)]
    defects = [names[i % len(names)] for i in range(judged)]
    drawn = [drawn_frame(kind, seed, i, "bad", defect) for i, defect in enumerate(defects)]
    bad = [watcher.judge(frame) for frame, _ in drawn]
    step = kinds.SIZE // CELLS
    masks = np.stack([mask.reshape(CELLS, step, CELLS, step).any((1, 3)) for _, mask in drawn])
    figures: dict[str, Any] = {}
    for way in WAYS:
        low, high = (np.array([found[way][0] for _, found in some]) for some in (good, bad))
        maps = [np.stack([found[way][1] for _, found in some]) for some in (good, bad)]
        pixels = auroc(np.concatenate([maps[0].ravel(), maps[1][~masks]]), maps[1][masks])
        figures[way] = dict(zip(MEASURES, [auroc(low, high), pixels, float((low > 1).mean()), float((high > 1).mean())]))
        for i, name in enumerate(names[:judged]):
            figures[way][name] = float((high[i :: len(names)] > 1).mean())
    figures["alarms"], figures["changed"] = {}, {}
    judged_results = {"good": [results for results, _ in good], "defective": [results for results, _ in bad]}
    for name, options in BEYOND.items():
        judged_results[name] = [watcher.results(frame) for frame in good_frames("good", beyond, **options)]
    for name, some in judged_results.items():
        verdicts = [{result.verdict for result in results} for results in some]
        figures["alarms"][name] = float(np.mean([one != {"good"} for one in verdicts]))
        figures["changed"][name] = float(np.mean(["changed" in one for one in verdicts]))
    return figures, [(defect, frame, results) for defect, (frame, _), (results, _) in zip(defects, drawn, bad)]


def tables(rows: Sequence[tuple[str, str, dict[str, Any]]]) -> str:
    """Markdown of (setup, kind, figures)."""
    setups = list(dict.fromkeys(setup for setup, _, _ in rows))
    known = list(dict.fromkeys(kind for _, kind, _ in rows))
    groups = [some for held in (False, True) if (some := [kind for kind in known if (kind in kinds.HELD) is held])]

    def mean(setup: str, some: Sequence[str], way: str, name: str) -> str:
        values = [row[way][name] for one, kind, row in rows if one == setup and kind in some and name in row[way]]
        return f"{np.mean(values):.2f}" if values else "-"

    def table(first: str, heads: Sequence[str], lines: Sequence[tuple[str, Sequence[str]]]) -> list[str]:
        cells = [[first, *heads], ["---"] * (len(heads) + 1), *([name, *values] for name, values in lines)]
        return [f"| {' | '.join(one)} |" for one in cells] + [""]

    compared = [(f"{setup}, {way}", ["; ".join(mean(setup, some, way, name) for some in groups) for name in MEASURES])
                for setup in setups for way in WAYS]  # fmt: skip
    defects = [(name, known, name) for name in kinds.GENERIC]
    defects += [(f"{kind}: {name}", [kind], name) for kind in known for name in kinds.KINDS[kind][1]]
    caught = [(title, [mean(setup, some, "n6post", name) for setup in setups]) for title, some, name in defects]
    changed = [(name, [f"{mean(setup, known, 'alarms', name)}, {mean(setup, known, 'changed', name)}" for setup in setups])
               for name in ("good", "defective", *BEYOND)]  # fmt: skip
    lines = table("; ".join(", ".join(some) for some in groups), MEASURES, compared)
    return "\n".join(lines + table("caught", setups, caught) + table("alarms, changed", setups, changed))


def strip(seen: Sequence[tuple[str, Any, Any]], columns: int = 4) -> Any:
    """A row of frames as n6post draws them: different defects, the last one missed if there is such a one."""
    chosen: dict[str, Any] = {}
    for missed, most in ((False, columns - 1), (True, columns), (False, columns)):
        for defect, frame, (result, *_) in seen:
            if (result.verdict == "good") is missed and defect not in chosen and len(chosen) < most:
                chosen[defect] = n6post.draw(camera_image(frame), result)
                n6post.text(chosen[defect], (6, 6), defect + ": missed" * missed, background=(0, 0, 0), scale=3)
    return pictures.beside(*chosen.values()).to_pil()


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("models", type=Path, nargs="+", metavar="MODEL")
    command.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    command.add_argument("--kinds", nargs="+", choices=kinds.KINDS, default=list(kinds.KINDS))
    command.add_argument("--counts", type=int, nargs=3, default=[30, 60, 20], metavar=("LEARNED", "JUDGED", "BEYOND"),
                         help="frames of each kind: learned; good ones and defective ones; of each other light, place "
                              "and focus (default 30 60 20)")  # fmt: skip
    command.add_argument("--sheet", type=Path, metavar="JPG", help="defects that the first network found and missed")
    options = command.parse_args()
    neighbors(np.zeros((1, 1)))  # is it there?
    rows, strips = [], []
    setups: dict[str, tuple[Any, int]] = {}
    for model, columns in [*((model, 1) for model in options.models), (options.models[0], 2)]:
        network = ml.Model(str(model.resolve()))
        _, height, width, _ = network.input_shape[0]
        setups[f"{width}x{height}" + ", four tiles" * (columns > 1)] = network, columns
    for seed in options.seeds:
        for kind in options.kinds:
            for setup, (network, columns) in setups.items():
                figures, seen = measure(network, columns, kind, seed, options.counts)
                rows.append((setup, kind, figures))
                print(json.dumps([setup, kind, seed, figures]), flush=True)
                if seed == options.seeds[0] and setup == next(iter(setups)):
                    strips.append(strip(seen))
    print(tables(rows))
    if options.sheet:
        width, height = strips[0].size
        sheet = Image.new("RGB", (width, height * len(strips)))
        for i, one in enumerate(strips):
            sheet.paste(one, (0, height * i))
        sheet.resize((sheet.width // 2, sheet.height // 2), Image.Resampling.LANCZOS).save(options.sheet, quality=80)


if __name__ == "__main__":
    main()
