"""Train on what a Collector has saved, and on frames chosen at random: `python3 scripts/dev/prove_collector.py FOLDER`.

A network is trained on easy frames and watches a made-up video in which 3 % of the scenes are hard. It is then trained for a
few epochs more, with 100 frames of the video added: those that `n6post.Collector` has saved, or a random choice. Frames with
other backgrounds evaluate it. Each seed has a video of its own. FOLDER gets the collected pictures. This takes an hour.

It needs the environment of train_network.py.
"""

import argparse
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image
from shapes_network import evaluation, pictures, stream, training
from shapes_network.architecture import ShapesNetwork, anchors, corners, flat
from train_network import of_torch

sys.path[:0] = [str(Path(__file__).parents[2] / folder) for folder in ("lib", "stubs")]
import image
import n6post

EASY, REPEATED, ADDED, THRESHOLD = 3000, 1000, 100, 0.1
RATE = 33  # one scene of this many is hard
KINDS = [None, *stream.HARD]


def hard_of(scene: int) -> str | None:
    return stream.HARD[scene // RATE % len(stream.HARD)] if scene % RATE == RATE - 1 else None


def frame(part: str, scene: int, hard: str | None, number: int = stream.FRAMES // 2) -> stream.Frame:
    return stream.scene(part, scene, hard, [number])[0]


def example(seen: stream.Frame) -> tuple[np.ndarray, ...]:
    """A frame as an example of training.Batch."""
    picture, things = seen
    square, scale, left, top = training.letterboxed(picture, Image.Resampling.BILINEAR)
    owners = np.zeros(picture.shape[:2], np.uint8)
    boxes, classes = np.zeros((training.MOST, 4), np.float32), np.full(training.MOST, -1)
    for i, thing in enumerate(things[: training.MOST]):
        owners[thing.mask] = i + 1
        x, y, w, h = thing.box
        boxes[i] = np.array((x, y, x + w, y + h)) * scale + (left, top, left, top)
        classes[i] = thing.class_id
    return square, training.letterboxed(owners, Image.Resampling.NEAREST, 0)[0], boxes, classes


def batch(frames: list[stream.Frame]) -> training.Batch:
    arrays = [torch.from_numpy(np.stack(each)) for each in zip(*map(example, frames))]
    return training.Batch(arrays[0].permute(0, 3, 1, 2).contiguous(), *arrays[1:])


def found(network: ShapesNetwork, frames: list[stream.Frame]) -> list[list[Any]]:
    """What the network finds in each frame: a list of n6post.Detection."""
    centers, strides = anchors()
    squares, scale, left, top = zip(*(training.letterboxed(frame, Image.Resampling.BILINEAR) for frame, _ in frames))
    with torch.no_grad():
        heads, _ = network(torch.from_numpy(np.stack(squares)).permute(0, 3, 1, 2).float() / 255)
        logits, scores, _ = flat(heads)
        boxes, scores = corners(logits, centers, strides).numpy(), scores.sigmoid().numpy()
    results = []
    for rects, chances in zip(boxes, scores):
        best, rows = chances.max(1), []
        for i in np.argsort(-best)[: int((best >= THRESHOLD).sum())]:
            class_id = int(chances[i].argmax())
            if all(class_id != k or evaluation._iou(rects[i], rects[j]) <= 0.5 for j, k in rows):
                rows.append((i, class_id))
        shift = np.array((left[0], top[0]) * 2)
        places = [((rects[i] - shift) / scale[0]).tolist() for i, _ in rows]
        results.append(n6post.detections(
            [((x, y, x2 - x, y2 - y), float(best[i]), k) for (x, y, x2, y2), (i, k) in zip(places, rows)],
            frame=(stream.WIDTH, stream.HEIGHT), labels=pictures.CLASSES))  # fmt: skip
    return results


class Watcher:
    """A tracker, or none, and a collector that watch the video. `places` has (scene, frame) by the name of the picture."""

    def __init__(self, folder: Path, every: float, is_tracked: bool) -> None:
        shutil.rmtree(folder, ignore_errors=True)
        self.folder = folder
        self.tracker = n6post.Tracker(threshold=0.3) if is_tracked else None
        self.collector = n6post.Collector(str(folder), every=every, max_files=ADDED)
        self.places: dict[str, tuple[int, int]] = {}

    def watch(self, scene: int, detections: list[list[Any]], images: list[Any]) -> None:
        for at, (some, img) in enumerate(zip(detections, images)):
            ms = 100 if at else 2000  # between the last frame of a scene and the first of the next
            if self.tracker:
                some = self.tracker.update(some, elapsed_ms=ms)
            path = self.collector.update(some, img, elapsed_ms=ms)
            if path:
                self.places[Path(path).name] = scene, at

    def chosen(self) -> list[tuple[int, int]]:
        return [self.places[file.name] for file in sorted(self.folder.glob("*.jpg"))]


def rgb565(picture: np.ndarray) -> Any:
    red, green, blue = (picture[..., i].astype(np.uint16) for i in range(3))
    pixels = red >> 3 << 11 | green >> 2 << 5 | blue >> 3
    return image.Image(stream.WIDTH, stream.HEIGHT, image.RGB565, buffer=bytearray(pixels.tobytes()))


def precision(network: ShapesNetwork, frames: list[stream.Frame]) -> float:
    """COCO's average precision of boxes."""
    truth = evaluation.truth(range(len(frames)), frames.__getitem__)
    return evaluation.average_precision(of_torch(network), truth, lambda image: frames[image["id"]][0])["AP of boxes"]


def report(name: str, network: ShapesNetwork, tests: dict[str, list[stream.Frame]]) -> None:
    print(name, json.dumps({kind: precision(network, frames) for kind, frames in tests.items()}), flush=True)


def main() -> None:
    command = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    command.add_argument("folder", type=Path, metavar="FOLDER")
    command.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    command.add_argument("--scenes", type=int, default=495, help="of the video, 3 s each (default 495)")
    command.add_argument("--every", type=float, default=1.0, help="seconds between two pictures (default 1)")
    command.add_argument("--epochs", type=int, default=16, help="of the first training (default 16)")
    command.add_argument("--more", type=int, default=5, help="epochs with the added frames (default 5)")
    command.add_argument("--only-collect", action="store_true")
    options = command.parse_args()
    torch.set_num_threads(1)
    options.folder.mkdir(parents=True, exist_ok=True)

    tests = {kind or "easy": [frame("test", n, kind) for n in range(100)] for kind in KINDS}
    weights = options.folder / "first.pt"
    first = ShapesNetwork(len(pictures.CLASSES)).eval()
    if weights.exists():
        first.load_state_dict(torch.load(weights))
    else:
        first = training.train(batch([frame("train", 1_000_000 + n, None) for n in range(EASY)]), options.epochs, 0)
        torch.save(first.state_dict(), weights)
    report("first", first, tests)
    easy = [frame("train", 1_000_000 + n, None) for n in range(REPEATED)]
    for seed in options.seeds:
        scenes = [100_000 * seed + n for n in range(options.scenes)]
        kinds_of = {"collected": True, "collected without a tracker": False}
        watchers = {name: Watcher(options.folder / f"{name} {seed}", options.every, is_) for name, is_ in kinds_of.items()}
        for scene in scenes:
            frames = stream.scene("train", scene, hard_of(scene))
            detections, images = found(first, frames), [rgb565(picture) for picture, _ in frames]
            for watcher in watchers.values():
                watcher.watch(scene, detections, images)
        rng = np.random.default_rng(seed)
        places = rng.choice(len(scenes) * stream.FRAMES, ADDED, replace=False)
        choices = {name: watcher.chosen() for name, watcher in watchers.items()}
        choices["random"] = [(scenes[place // stream.FRAMES], int(place % stream.FRAMES)) for place in places]
        for name, some in choices.items():
            kinds = [hard_of(scene) for scene, _ in some]
            print(seed, name, len(some), {kind or "easy": kinds.count(kind) for kind in KINDS}, flush=True)
            if not options.only_collect:
                examples = batch(easy + [frame("train", scene, hard_of(scene), at) for scene, at in some])
                report(f"{seed} {name}", training.train(examples, options.more, seed, rate=1e-3, start=first), tests)


if __name__ == "__main__":
    main()
