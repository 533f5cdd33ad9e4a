"""Compare Tracker with ByteTrack, SORT and OC-SORT of roboflow/trackers, on made-up motion and on real sequences.

    python3 -m venv ~/judge && ~/judge/bin/pip install numpy==2.4.6 motmetrics==1.4.0 trackers==2.6.1
    ~/judge/bin/python scripts/dev/tracking/compare_trackers.py [--seeds 2] [--cache FILE] [--real FOLDER] [--kitti FOLDER]

These packages need a separate environment. All trackers get the same detections: those of the kinds of motion in
host_tests/synthetic_motion.py and synthetic_motion_unseen.py and, with --real, those of the folders
SEQUENCE/det/det.txt and SEQUENCE/gt/gt.txt in MOTChallenge's format. The eleven training sequences of MOT15 are public:
detections of a Faster R-CNN in abewley/sort (data/train), truth in MOT15's own archive. Each real sequence is scaled to a
frame of at most 640 pixels and runs with every frame, every second and every third, raw and with boxes in steps. --kitti
does the same with eleven sequences of KITTI's tracking benchmark (a car that drives, 10 frames a second): truth and
PointRCNN's detections are in xinshuoweng/AB3DMOT.

Each reference runs twice: with its authors' defaults, the frame rate given (they keep a lost track for a second), and,
since those expect better detectors, with Tracker's thresholds and memory (30 frames). OC-SORT, which has no use for low
scores, runs a third time with all detections. Of each kind, the best mean of the seven counts. Tracker runs with its
defaults and the times of the scene.

IDF1 (Ristani et al., 2016), MOTA and switches (Bernardin and Stiefelhagen, 2008) need an IoU of .5. --check computes them
with motmetrics too.
"""

import argparse
import hashlib
import itertools
import json
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from scipy.optimize import linear_sum_assignment

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "host_tests"), str(ROOT / "stubs")]

import synthetic_motion
import synthetic_motion_unseen
import synthetic_street
from synthetic_motion import Found, Frame, Scene

warnings.filterwarnings("ignore")

# Frames a second and width of MOT15's sequences (their seqinfo.ini).
SEQUENCES = {
    "TUD-Campus": (25, 640), "TUD-Stadtmitte": (25, 640), "PETS09-S2L1": (7, 768), "ETH-Bahnhof": (14, 640),
    "ETH-Pedcross2": (14, 640), "ETH-Sunnyday": (14, 640), "KITTI-13": (10, 1242), "KITTI-17": (10, 1224),
    "ADL-Rundle-6": (30, 1920), "ADL-Rundle-8": (30, 1920), "Venice-2": (30, 1920),
}  # fmt: skip


# ---- entrants ----


def of_tracker(n6post, **options):
    """Run `Tracker`. Returns (ids, boxes) of each frame."""

    def run(scene):
        tracker = n6post.Tracker(**options)
        for frame in scene.frames:
            found = [n6post.Detection(f.rect, f.score, f.class_id, "", None, None) for f in frame.found]
            tracked = tracker.update(found, elapsed_ms=1000 * frame.dt / scene.fps)
            yield [d.track_id for d in tracked], [d.rect for d in tracked]

    return run


def of_reference(name, tracker_thresholds, lowest=0.5):
    def run(scene):
        import supervision
        import trackers

        kinds = {"ByteTrack": trackers.ByteTrackTracker, "SORT": trackers.SORTTracker, "OC-SORT": trackers.OCSORTTracker}
        options = {"frame_rate": float(scene.fps)}
        if tracker_thresholds:
            options = {"frame_rate": 30.0}  # 30 lost frames
            if name != "OC-SORT":
                options["track_activation_threshold"] = 0.5
            if name != "SORT":
                options["high_conf_det_threshold"] = lowest
                options["minimum_consecutive_frames"] = 2
        tracker = kinds[name](**options)
        uneven = any(frame.dt != 1 for frame in scene.frames)
        now = 0.0
        for frame in scene.frames:
            now += frame.dt / scene.fps
            boxes = np.array([f.rect for f in frame.found], dtype=float).reshape(-1, 4)
            boxes[:, 2:] += boxes[:, :2]
            found = supervision.Detections(
                xyxy=boxes,
                confidence=np.array([f.score for f in frame.found], dtype=float),
                class_id=np.array([f.class_id for f in frame.found], dtype=int),
            )
            tracked = tracker.update(found, timestamp=now if uneven else None)
            held = tracked.tracker_id >= 0
            boxes = np.array(tracked.xyxy[held], dtype=float).reshape(-1, 4)
            boxes[:, 2:] -= boxes[:, :2]
            yield tracked.tracker_id[held].tolist(), boxes.tolist()

    return run


REFERENCES = {
    name + suffix: of_reference(name, bool(suffix))
    for name in ("ByteTrack", "SORT", "OC-SORT")
    for suffix in ("", ", Tracker's thresholds")
}
REFERENCES["OC-SORT, threshold .1"] = of_reference("OC-SORT", True, 0.1)


# ---- judgement ----


def ious(true, boxes):
    a, b = [np.array(of, dtype=float).reshape(-1, 4) for of in (true, boxes)]
    a, b = a[:, None], b[None]
    sides = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    common = np.prod(np.maximum(sides, 0), axis=-1)
    return common / np.maximum(np.prod(a[..., 2:], axis=-1) + np.prod(b[..., 2:], axis=-1) - common, 1e-9)


def judged(scene, answers):
    """(IDF1, MOTA, switches) of a tracker's answers, as motmetrics computes them."""
    together, true_count, found_count = {}, {}, {}
    last = {}  # true object: its track at its last match
    misses = wrong = switches = total = 0
    for frame, (ids, boxes) in zip(scene.frames, answers):
        overlap = ious([box for _, box in frame.truth], boxes)
        fits = overlap >= 0.5
        for i, (number, _) in enumerate(frame.truth):
            true_count[number] = true_count.get(number, 0) + 1
            for j in np.flatnonzero(fits[i]):
                pair = number, ids[j]
                together[pair] = together.get(pair, 0) + 1
        for track in ids:
            found_count[track] = found_count.get(track, 0) + 1
        # CLEAR: pairs of the past stay, then the best assignment of the rest.
        column = {track: j for j, track in enumerate(ids)}
        free_rows, free_columns, pairs = [], set(range(len(ids))), []
        for i, (number, _) in enumerate(frame.truth):
            j = column.get(last.get(number))
            if j is not None and fits[i, j] and j in free_columns:
                free_columns.discard(j)
                pairs.append((i, j))
            else:
                free_rows.append(i)
        free = sorted(free_columns)
        if free_rows and free:
            cost = np.where(fits, 1 - overlap, 1e6)[np.ix_(free_rows, free)]
            for r, c in zip(*linear_sum_assignment(cost)):
                if cost[r, c] < 1e6:
                    pairs.append((free_rows[r], free[c]))
                    number = frame.truth[free_rows[r]][0]
                    switches += last.get(number, ids[free[c]]) != ids[free[c]]
        for i, j in pairs:
            last[frame.truth[i][0]] = ids[j]
        total += len(frame.truth)
        misses += len(frame.truth) - len(pairs)
        wrong += len(ids) - len(pairs)
    rows, columns = {n: i for i, n in enumerate(true_count)}, {n: i for i, n in enumerate(found_count)}
    counts = np.zeros((len(rows), len(columns)))
    for (number, track), count in together.items():
        counts[rows[number], columns[track]] = count
    matched = counts[linear_sum_assignment(counts, maximize=True)].sum()
    idf1 = 2 * matched / max(sum(true_count.values()) + sum(found_count.values()), 1)
    return float(idf1), 1 - (misses + wrong + switches) / max(total, 1), int(switches)


def by_motmetrics(scene, answers):
    import motmetrics

    events = motmetrics.MOTAccumulator(auto_id=True)
    for frame, (ids, boxes) in zip(scene.frames, answers):
        overlap = ious([box for _, box in frame.truth], boxes)
        events.update([n for n, _ in frame.truth], ids, np.where(overlap >= 0.5, 1 - overlap, np.nan))
    table = motmetrics.metrics.create().compute(events, metrics=["idf1", "mota", "num_switches"])
    return tuple(float(number) for number in table.to_numpy()[0])


# ---- scenes ----


def real_scenes(folder, only="", second=0.0):
    """(name, scene) of the sequences in the folder. second: the probability of a second box in those with steps."""
    for path in sorted(Path(folder).iterdir()):
        if path.name in SEQUENCES and only in path.name:
            fps, width = SEQUENCES[path.name]
            for every in (1, 2, 3):
                for step in (0.0, synthetic_motion.STEP):
                    name = f"{path.name}, {fps / every:.3g} a second" + (", steps" if step else "")
                    yield name, real_scene(path, every, step, fps / every, min(640 / width, 1), second if step else 0)


def real_scene(path, every, step, fps, scale, second=0.0):
    rng = np.random.default_rng(0)
    truth, found = {}, {}
    for row in np.loadtxt(path / "gt" / "gt.txt", delimiter=",", ndmin=2):
        if row[6] != 0:
            truth.setdefault(int(row[0]), []).append((int(row[1]), tuple(float(v) * scale for v in row[2:6])))
    for row in np.loadtxt(path / "det" / "det.txt", delimiter=",", ndmin=2):
        here = found.setdefault(int(row[0]), [])
        rect = in_steps(row[2:6] * scale, step)
        if rect[2] > 0 and rect[3] > 0:
            here.append(Found(rect, float(row[6])))
            if second and rng.random() < second:
                wrong, score = synthetic_motion.second_box(rng, tuple(row[2:6] * scale), float(row[6]))
                wrong = in_steps(wrong, step)
                if min(wrong[2:]) > 0 and synthetic_motion.iou(rect, wrong) < 0.5:
                    here.append(Found(wrong, score))
    frames = []
    for number in range(1, max(max(truth), max(found)) + 1, every):
        best = sorted(found.get(number, []), key=lambda f: -f.score)
        frames.append(Frame(truth.get(number, []), best))
    return Scene(frames, fps)


KITTI_VALIDATION = (1, 6, 8, 10, 12, 13, 14, 15, 16, 18, 19)  # sequences that the detector was not trained with


def kitti_scenes(folder, only=""):
    """(name, scene) of KITTI's tracking sequences, from a checkout of xinshuoweng/AB3DMOT: cars, people and bicycles."""
    for number in KITTI_VALIDATION:
        truth = Path(folder) / "scripts" / "KITTI" / "label" / f"{number:04}.txt"
        if only in f"KITTI {number:04}" and truth.exists():
            for every in (1, 2, 3):
                for step in (0.0, synthetic_motion.STEP):
                    name = f"KITTI {number:04}, {10 / every:.3g} a second" + (", steps" if step else "")
                    yield name, kitti_scene(Path(folder), number, every, step)


def kitti_scene(folder, number, every, step):
    # Truth in KITTI's format; detections of PointRCNN, with scores from -1 to 13. Half of those with 2.5 overlap
    # a true object by more than half, so that becomes .5. What lies in a region that nobody has labeled, or on an object of
    # another kind, is left out.
    scale = 640 / 1242
    truth, found, ignored = {}, {}, {}
    for line in (folder / "scripts" / "KITTI" / "label" / f"{number:04}.txt").read_text(encoding="utf-8").splitlines():
        words = line.split()
        x1, y1, x2, y2 = [float(word) * scale for word in words[6:10]]
        box = x1, y1, x2 - x1, y2 - y1
        if words[2] in ("Car", "Van", "Pedestrian", "Cyclist"):
            truth.setdefault(int(words[0]), []).append((int(words[1]), box))
        else:
            ignored.setdefault(int(words[0]), []).append(box)
    for class_id, name in enumerate(("Pedestrian", "Cyclist", "Car")):
        path = folder / "data" / "KITTI" / "detection" / f"pointrcnn_{name}_val" / f"{number:04}.txt"
        for row in np.loadtxt(path, delimiter=",", ndmin=2):
            x1, y1, x2, y2 = row[2:6] * scale
            cx, cy = (x1 + x2) / 2, (y1 + y2) / 2
            if any(0 <= cx - x <= w and 0 <= cy - y <= h for x, y, w, h in ignored.get(int(row[0]), [])):
                continue
            rect = in_steps((x1, y1, x2 - x1, y2 - y1), step)
            if rect[2] > 0 and rect[3] > 0:
                score = float(1 / (1 + np.exp(2.5 - row[6])))
                found.setdefault(int(row[0]), []).append(Found(rect, score, class_id))
    frames = []
    for frame in range(0, max(truth) + 1, every):
        frames.append(Frame(truth.get(frame, []), sorted(found.get(frame, []), key=lambda f: -f.score)))
    return Scene(frames, 10 / every)


def in_steps(box, step):
    """A box in whole pixels, not above or left of the frame; its center and size in steps, if there is one."""
    x, y, w, h = box
    if step:
        cx, cy, w, h = np.round(np.array([x + w / 2, y + h / 2, w, h]) / step) * step
        x, y = cx - w / 2, cy - h / 2
    left, top = max(int(np.floor(x + 0.5)), 0), max(int(np.floor(y + 0.5)), 0)
    return left, top, int(np.floor(x + w + 0.5)) - left, int(np.floor(y + h + 0.5)) - top


def made_up(kinds, seeds, first, only=""):
    for name, (group, _) in kinds.items():
        if only in name or only == group:
            for seed in range(first, first + seeds):
                yield name, synthetic_motion.scene(name, seed, kinds)


def streets(seeds, first):
    """The streets of host_tests/synthetic_street.py: 5 to 20 people, 10 or 15 frames a second, with steps or without."""
    for people, fps, steps in itertools.product((5, 10, 20), (10, 15), (False, True)):
        for seed in range(first, first + seeds):
            frames = synthetic_street.street(people, fps, steps, seed)
            frames = [Frame(f.truth, [Found(rect, score) for rect, score in f.found]) for f in frames]
            yield f"{people} people, {fps} a second{', steps' if steps else ''}", Scene(frames, fps)


def key_of(scene, entrant):
    return entrant + " " + hashlib.sha1(repr(scene).encode()).hexdigest()


def compare(scenes, entrants, cache, check=False, verbose=False):
    """{name: {entrant: mean (IDF1, MOTA, switches)}}; the references' figures come from the cache if they are there."""
    figures = {}
    for name, scene in scenes:
        rows = figures.setdefault(name, {})
        for entrant, run in entrants.items():
            key = key_of(scene, entrant)
            if entrant not in REFERENCES or key not in cache:
                answers = list(run(scene))
                cache[key] = judged(scene, answers)
                if check:
                    assert np.allclose(cache[key], by_motmetrics(scene, answers), atol=1e-9), (name, entrant)
            rows.setdefault(entrant, []).append(cache[key])
        if verbose:
            print(name, {entrant: round(rows[entrant][-1][0], 3) for entrant in entrants}, flush=True)
    return {name: {e: tuple(np.mean(v, axis=0)) for e, v in rows.items()} for name, rows in figures.items()}


def show(title, figures, ours):
    """A table of IDF1: each of our entrants, the best reference, and the margin of the first of ours over that."""
    print(f"\n| {title} | " + " | ".join(ours) + " | best reference | its name | margin | switches |")
    print("| --- | " + "---: | " * len(ours) + "---: | --- | ---: | ---: |")
    margins, sums = [], {entrant: [] for entrant in next(iter(figures.values()))}
    for name, rows in figures.items():
        best = max((e for e in rows if e in REFERENCES), key=lambda e: rows[e][0])
        margins.append(rows[ours[0]][0] - rows[best][0])
        for entrant in rows:
            sums[entrant].append(rows[entrant])
        cells = " | ".join(f"{rows[e][0]:.3f}" for e in ours)
        short = best.replace("Tracker's thresholds", "T")
        print(
            f"| {name} | {cells} | {rows[best][0]:.3f} | {short} | {margins[-1]:+.3f} | "
            f"{rows[ours[0]][2]:.1f} : {rows[best][2]:.1f} |"
        )
    behind = sum(margin < 0 for margin in margins)
    print(f"\n{title}: mean margin {np.mean(margins):+.4f}; least {min(margins):+.3f}; behind in {behind} of {len(margins)}")
    for entrant, rows in sums.items():
        idf1, mota, switches = np.mean(rows, axis=0)
        print(f"    {entrant:32} IDF1 {idf1:.4f}  MOTA {mota:.4f}  switches {switches:.1f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--only", default="", help="kinds or sequences with this in their name, or a group")
    parser.add_argument("--real", help="folder of sequences")
    parser.add_argument("--streets", action="store_true", help="also the streets of host_tests/synthetic_street.py")
    parser.add_argument("--kitti", help="checkout of xinshuoweng/AB3DMOT")
    parser.add_argument("--second", type=float, default=0.0, help="second boxes in the real sequences with steps, 0..1")
    parser.add_argument("--no-kinds", action="store_true", help="real sequences only")
    parser.add_argument("--cache", help="JSON file for the references' figures, which change with the scenes only")
    parser.add_argument("--lib", default=str(ROOT / "lib"), help="folder of the package n6post")
    parser.add_argument("--raw", action="store_true", help="also Tracker with smooth_boxes=False")
    parser.add_argument("--options", default="{}", help="JSON: options of Tracker")
    parser.add_argument("--check", action="store_true", help="compare with motmetrics")
    parser.add_argument("--every", action="store_true", help="print every scene too")
    parser.add_argument("--save", help="JSON file for all figures")
    arguments = parser.parse_args()
    sys.path.insert(0, arguments.lib)
    import n6post

    options = json.loads(arguments.options)
    ours = {"Tracker": of_tracker(n6post, **options)}
    if arguments.raw:
        ours["raw boxes"] = of_tracker(n6post, **{**options, "smooth_boxes": False})
    cache_path = Path(arguments.cache) if arguments.cache else None
    cache = json.loads(cache_path.read_text(encoding="utf-8")) if cache_path and cache_path.exists() else {}
    begun = time.time()
    results = {}
    groups = {}
    if arguments.real:
        groups["real sequences"] = real_scenes(arguments.real, arguments.only, arguments.second)
    if arguments.streets:
        groups["streets"] = streets(arguments.seeds, arguments.first_seed)
    if arguments.kitti:
        groups["KITTI"] = kitti_scenes(arguments.kitti, arguments.only)
    if not arguments.no_kinds:
        for title, kinds in (("kinds", synthetic_motion.KINDS), ("unseen kinds", synthetic_motion_unseen.KINDS)):
            groups[title] = made_up(kinds, arguments.seeds, arguments.first_seed, arguments.only)
    for title, scenes in groups.items():
        results[title] = compare(scenes, {**ours, **REFERENCES}, cache, arguments.check, arguments.every)
        if cache_path:
            kept = {key: row for key, row in cache.items() if key.split(" ")[0] not in {o.split(" ")[0] for o in ours}}
            cache_path.write_text(json.dumps(kept), encoding="utf-8")
        if results[title]:
            show(title, results[title], list(ours))
    if arguments.save:  # {title: {name: {entrant: (IDF1, MOTA, switches)}}}
        Path(arguments.save).write_text(json.dumps(results, indent=1), encoding="utf-8")
    print(f"{time.time() - begun:.0f} s")


if __name__ == "__main__":
    main()
