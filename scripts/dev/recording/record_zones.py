"""Record the counts of roboflow's supervision on synthetic walks, for host_tests/tracking/test_zones.py.

    python -m venv FOLDER && FOLDER/bin/pip install supervision==0.31.2
    FOLDER/bin/python scripts/dev/recording/record_zones.py

Writes host_tests/data/zones.json.gz: lines, boxes by frame and track, and the crossings by frame. Cases in which our
zones intentionally differ are left out: the lines extend far beyond the frame (crossings near a line's ends), no anchor is
exactly on a line, and every track is in every frame (supervision drops it after two frames without it).
"""

import gzip
import json

import numpy as np
import recorder
import supervision as sv

LINES = (
    ((-5000, 240), (5000, 240)),
    ((5000, 250), (-5000, 211)),
    ((320, 4000), (311, -4000)),
    ((-3000, -2600), (3000, 3100)),
)
ANCHORS = {"bottom": sv.Position.BOTTOM_CENTER, "center": sv.Position.CENTER, "top_left": sv.Position.TOP_LEFT}
FRAMES, TRACKS = 120, 8


def walks(seed: int) -> list[list[list[int]]]:
    """[frame]: one row per track with its id, x, y, w, h and class."""
    random = np.random.default_rng(seed)
    place = random.uniform((0, 0), (640, 480), (TRACKS, 2))
    speed = random.normal(0, 14, (TRACKS, 2))
    size = random.integers(10, 120, (TRACKS, 2))
    frames = []
    for _ in range(FRAMES):
        speed += random.normal(0, 4, speed.shape)
        place += speed
        speed = np.where((place < 0) | (place > (640, 480)), -speed, speed)
        frames.append([[t + 1, *map(int, place[t]), *map(int, size[t]), t % 3] for t in range(TRACKS)])
    return frames


def anchor_of(box: list[int], anchor: str) -> tuple[float, float]:
    x, y, w, h = box
    return {"bottom": (x + w / 2, y + h), "center": (x + w / 2, y + h / 2), "top_left": (x, y)}[anchor]


def on_line(start: tuple[int, int], end: tuple[int, int], point: tuple[float, float]) -> bool:
    return bool(np.cross(np.subtract(end, start), np.subtract(point, start)) == 0)


def record() -> None:
    cases = []
    for seed, (start, end) in enumerate(LINES):
        frames = walks(seed)
        for anchor, position in ANCHORS.items():
            line = sv.LineZone(sv.Point(*start), sv.Point(*end), triggering_anchors=[position])
            crossed = []
            kept = []
            for frame in frames:
                frame = [row for row in frame if not on_line(start, end, anchor_of(row[1:5], anchor))]
                kept.append(frame)
                boxes = np.array([row[1:5] for row in frame], dtype=float).reshape(-1, 4)
                boxes[:, 2:] += boxes[:, :2]
                ids = np.array([row[0] for row in frame], dtype=int)
                classes = np.array([row[5] for row in frame], dtype=int)
                found = sv.Detections(xyxy=boxes, tracker_id=ids, class_id=classes)
                came, went = line.trigger(found)
                crossed.append([ids[came].tolist(), ids[went].tolist()])
            per_class = [
                {int(k): int(v) for k, v in counts.items()} for counts in (line.in_count_per_class, line.out_count_per_class)
            ]
            cases.append({"start": start, "end": end, "anchor": anchor, "frames": kept, "crossed": crossed,
                          "counts": [line.in_count, line.out_count], "per_class": per_class})
            print(start, end, anchor, cases[-1]["counts"])
    text = json.dumps({"supervision": sv.__version__, "cases": cases}, separators=(",", ":"))
    (recorder.DATA / "zones.json.gz").write_bytes(gzip.compress(text.encode(), 9, mtime=0))


if __name__ == "__main__":
    recorder.main(record)
