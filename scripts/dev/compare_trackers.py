"""Compare Tracker with ByteTrack and SORT of roboflow/trackers, on synthetic streets.

    python3 -m venv ~/judge && ~/judge/bin/pip install numpy==2.4.6 motmetrics==1.4.0 trackers==2.6.1
    ~/judge/bin/python scripts/dev/compare_trackers.py [--seeds 3] [--every]

These packages need a separate environment. All trackers get the same detections (host_tests/synthetic_street.py)
and keep a lost track for 30 frames. The references run with their authors' defaults and, since those expect better
detectors, also with Tracker's thresholds; on each street Tracker is compared with the better of the two. motmetrics
computes IDF1, MOTA and switches; a match needs an IoU of at least .5.
"""

import argparse
import itertools
import sys
import warnings
from pathlib import Path

import motmetrics
import numpy as np
import supervision
from trackers import ByteTrackTracker, SORTTracker

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "lib"), str(ROOT / "stubs"), str(ROOT / "host_tests")]

import n6post
import synthetic_street

warnings.filterwarnings("ignore")
METRICS = ["idf1", "mota", "num_switches"]


def of_tracker(**options):
    """Run `Tracker` on a street's frames. Returns a list of (ids, boxes), one per frame."""

    def run(frames):
        tracker = n6post.Tracker(**options)
        for frame in frames:
            found = [n6post.Detection(rect, score, 0, "person", None, None) for rect, score in frame.found]
            tracked = tracker.update(found)
            yield [d.track_id for d in tracked], [d.rect for d in tracked]

    return run


def of_reference(kind, **options):
    def run(frames):
        tracker = kind(**options)
        for frame in frames:
            boxes = np.array([rect for rect, _ in frame.found], dtype=float).reshape(-1, 4)
            boxes[:, 2:] += boxes[:, :2]
            scores = np.array([score for _, score in frame.found])
            found = supervision.Detections(xyxy=boxes, confidence=scores, class_id=np.zeros(len(boxes), int))
            tracked = tracker.update(found)
            held = tracked.tracker_id >= 0
            boxes = tracked.xyxy[held].copy()
            boxes[:, 2:] -= boxes[:, :2]
            yield tracked.tracker_id[held].tolist(), boxes.tolist()

    return run


REFERENCES = {
    "ByteTrack": of_reference(ByteTrackTracker),
    "ByteTrack, thresholds .5": of_reference(
        ByteTrackTracker, track_activation_threshold=0.5, high_conf_det_threshold=0.5
    ),
    "SORT": of_reference(SORTTracker),
    "SORT, threshold .5": of_reference(SORTTracker, track_activation_threshold=0.5),
}
STREETS = list(itertools.product((5, 10, 20), (10, 15), (False, True)))


def distances(true, boxes):
    """1 - IoU; NaN if that is above .5. (The function in motmetrics needs a numpy before 2.0.)"""
    a, b = [np.array(of, dtype=float).reshape(-1, 4) for of in (true, boxes)]
    a, b = a[:, None], b[None]
    sides = np.minimum(a[..., :2] + a[..., 2:], b[..., :2] + b[..., 2:]) - np.maximum(a[..., :2], b[..., :2])
    common = np.prod(np.maximum(sides, 0), axis=-1)
    distance = 1 - common / (np.prod(a[..., 2:], axis=-1) + np.prod(b[..., 2:], axis=-1) - common)
    return np.where(distance <= 0.5, distance, np.nan)


def judged(frames, run):
    """(IDF1, MOTA, switches) of a tracker on a street."""
    events = motmetrics.MOTAccumulator(auto_id=True)
    for frame, (ids, boxes) in zip(frames, run(frames)):
        true = [box for _, box in frame.truth]
        events.update([i for i, _ in frame.truth], ids, distances(true, boxes))
    return motmetrics.metrics.create().compute(events, metrics=METRICS).to_numpy()[0]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--every", action="store_true", help="print every street too")
    arguments = parser.parse_args()
    entrants = {"Tracker": of_tracker(), **REFERENCES}
    figures = {name: [] for name in entrants}
    margins = []
    for people, fps, quantized in STREETS:
        for seed in range(arguments.seeds):
            frames = synthetic_street.street(people, fps, quantized, seed)
            for name, run in entrants.items():
                figures[name].append(judged(frames, run))
            margins.append(figures["Tracker"][-1][0] - max(figures[name][-1][0] for name in REFERENCES))
            if arguments.every:
                row = "  ".join(f"{figures[name][-1][0]:.3f}" for name in entrants)
                print(f"{people:3} people {fps} fps {'steps' if quantized else '     '} {seed}: {row}")
    print("| | IDF1 | MOTA | switches |\n| --- | ---: | ---: | ---: |")
    for name, rows in figures.items():
        idf1, mota, switches = np.mean(rows, axis=0)
        print(f"| {name} | {idf1:.3f} | {mota:.3f} | {switches:.1f} |")
    print(f"Tracker's IDF1 less that of the best reference, street by street: {min(margins):.3f} to {max(margins):.3f}")


if __name__ == "__main__":
    main()
