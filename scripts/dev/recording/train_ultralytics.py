"""Train and export the networks that record_ultralytics.py records, with Ultralytics 8.4.82 (onnx2tf) and 8.4.190.

Each version needs an environment of its own, with Python 3.11. The pictures are drawn and the networks trained here, so
nothing but packages is downloaded. On two cores a training takes about eight minutes, and all exports half an hour. The Edge
TPU's own compiler, the last step of that export, is not needed.

    python3.11 -m venv A && A/bin/pip install torch torchvision ultralytics==8.4.82
    python3.11 -m venv B && B/bin/pip install torch torchvision ultralytics==8.4.190 litert-torch ai-edge-quantizer
    in both: pip install tensorflow==2.19.1 tf_keras==2.19.0 "onnx<1.20" onnxruntime "protobuf>=5,<6" ai-edge-litert
             pip install --no-deps onnx2tf==1.28.8 sng4onnx onnx_graphsurgeon onnxslim
    B/bin/python scripts/dev/recording/train_ultralytics.py train FOLDER
    A/bin/python scripts/dev/recording/train_ultralytics.py export FOLDER
    B/bin/python scripts/dev/recording/train_ultralytics.py export FOLDER

The networks are half as wide as the "n" networks. FOLDER holds the pictures, weights and exports. Do not commit them:
Ultralytics is under AGPL-3.0.
"""

import json
import math
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import recorder
from PIL import Image, ImageDraw, ImageFilter

COLORS = [(205, 40, 40), (50, 90, 205), (225, 190, 40)]
# COCO's 17 keypoints of a figure that stands upright: x to its own left, y down, in heights of the figure.
FIGURE = [
    (0, -.42), (.03, -.45), (-.03, -.45), (.06, -.43), (-.06, -.43), (.11, -.3), (-.11, -.3), (.2, -.16), (-.2, -.16),
    (.24, 0), (-.24, 0), (.08, .02), (-.08, .02), (.1, .25), (-.1, .25), (.11, .47), (-.11, .47),
]  # fmt: skip
LIMBS = [(5, 6), (5, 7), (7, 9), (6, 8), (8, 10), (5, 11), (6, 12), (11, 12), (11, 13), (13, 15), (12, 14), (14, 16)]
FLIPPED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]
ASPECTS = [0.28, 0.5, 0.9]  # short side by long side of each class of rectangles


# --- pictures ---
def background(rng: random.Random, side: int) -> Image.Image:
    """Soft patches of muted colors."""
    noise = np.random.default_rng(rng.randrange(1 << 30)).normal(rng.uniform(90, 160), 25, (6, 6, 3))
    patches = Image.fromarray(np.clip(noise, 0, 255).astype(np.uint8))
    return patches.resize((side, side), Image.Resampling.BICUBIC)


def grain(rng: random.Random, picture: Image.Image) -> Image.Image:
    noise = np.random.default_rng(rng.randrange(1 << 30)).normal(0, rng.uniform(2, 8), (*picture.size[::-1], 3))
    soft = picture.filter(ImageFilter.GaussianBlur(rng.uniform(0.2, 1)))
    return Image.fromarray(np.clip(np.asarray(soft) + noise, 0, 255).astype(np.uint8))


def places(
    rng: random.Random, tries: int, count: int, low: float, high: float, apart: float
) -> list[tuple[float, float, float]]:
    """(x, y, radius) of at most `count` objects that hardly cover each other, in parts of the picture."""
    chosen: list[tuple[float, float, float]] = []
    for _ in range(tries):
        r = rng.uniform(low, high)
        x, y = rng.uniform(r, 1 - r), rng.uniform(r, 1 - r)
        if len(chosen) < count and all(math.hypot(x - a, y - b) > apart * (r + c) for a, b, c in chosen):
            chosen.append((x, y, r))
    return chosen


def label(kind: int, points: list[tuple[float, float]]) -> str:
    return " ".join([str(kind), *(f"{min(max(v, 0), 1):.5f}" for point in points for v in point)])


def shapes(rng: random.Random, draw: Any, side: int) -> list[str]:
    """Balls, boxes and tents, with their outlines as labels."""
    lines = []
    for x, y, r in places(rng, 50, rng.randint(1, 4), 0.1, 0.24, 0.9):
        kind = rng.randrange(3)
        corners, turn = (32, 4, 3)[kind], rng.uniform(-0.4, 0.4) - math.pi / (4 if kind == 1 else 2)
        angles = [turn + 2 * math.pi * i / corners for i in range(corners)]
        outline = [(x + r * math.cos(a), y + r * math.sin(a)) for a in angles]
        tint = rng.uniform(0.7, 1.15)
        color = tuple(min(255, int(c * tint)) for c in rng.choice(COLORS))
        draw.polygon([(px * side, py * side) for px, py in outline], fill=color)
        lines.append(label(kind, outline))
    return lines


def figures(rng: random.Random, draw: Any, side: int) -> list[str]:
    """People of lines, with their boxes and keypoints as labels."""
    lines = []
    for x, y, r in places(rng, 50, rng.randint(1, 2), 0.24, 0.42, 0.9):
        turn, size = rng.uniform(-0.3, 0.3), 2 * r
        points = []
        for px, py in FIGURE:
            px, py = px * 1.2 + rng.gauss(0, 0.012), py + rng.gauss(0, 0.012)
            points.append((x + size * (px * math.cos(turn) - py * math.sin(turn)),
                           y + size * (px * math.sin(turn) + py * math.cos(turn))))  # fmt: skip
        scaled = [(px * side, py * side) for px, py in points]
        width = max(3, int(size * side / 14))
        for a, b in LIMBS:
            color = (235, 90, 60) if a % 2 and b % 2 else (60, 110, 235) if not (a % 2 or b % 2) else (240, 230, 90)
            draw.line([scaled[a], scaled[b]], fill=color, width=width)
        cx, cy, head = *scaled[0], size * side * 0.075
        draw.ellipse((cx - head, cy - head, cx + head, cy + head), fill=(240, 200, 170))
        for eye in (1, 2):
            draw.ellipse((*(v - 2 for v in scaled[eye]), *(v + 2 for v in scaled[eye])), fill=(20, 20, 20))
        low = [max(0.0, min(p[i] for p in points) - 0.03 * size) for i in (0, 1)]
        high = [min(1.0, max(p[i] for p in points) + 0.03 * size) for i in (0, 1)]
        box = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[0] - low[0], high[1] - low[1]]
        keypoints = [v for px, py in points for v in (px, py, 2 if 0 <= px <= 1 and 0 <= py <= 1 else 0)]
        lines.append(" ".join(["0", *(f"{v:.5f}" for v in box), *(f"{v:.5f}" for v in keypoints)]))
    return lines


def rectangles(rng: random.Random, draw: Any, side: int) -> list[str]:
    """Turned rectangles with a bright bow, and their corners as labels."""
    lines = []
    for x, y, r in places(rng, 60, 6, 0.1, 0.25, 0.8)[: rng.randint(1, 6)]:
        kind, turn = rng.randrange(3), rng.uniform(0, 2 * math.pi)
        flat = ASPECTS[kind] * rng.uniform(0.9, 1.1)
        along, across = r / math.hypot(1, flat), r * flat / math.hypot(1, flat)
        cos, sin = math.cos(turn), math.sin(turn)
        corners = [(-1, -1), (1, -1), (1, 1), (-1, 1), (0.6, -1), (1, -1), (1, 1), (0.6, 1)]
        points = [(x + u * along * cos - v * across * sin, y + u * along * sin + v * across * cos) for u, v in corners]
        tint = rng.uniform(0.7, 1.15)
        color = tuple(min(255, int(c * tint)) for c in COLORS[kind])
        draw.polygon([(px * side, py * side) for px, py in points[:4]], fill=color)
        draw.polygon([(px * side, py * side) for px, py in points[4:]], fill=(235, 235, 225))
        lines.append(label(kind, points[:4]))
    return lines


class Pictures(NamedTuple):
    draw: Callable[[random.Random, Any, int], list[str]]
    seed: int
    side: int  # of the networks' input
    validation: int  # how many pictures the networks are not trained on
    names: list[str]
    more: dict[str, Any]  # of what Ultralytics wants to know


PICTURES = {
    "shapes": Pictures(shapes, 1, 96, 60, ["ball", "box", "tent"], {}),
    "figures": Pictures(figures, 1, 96, 60, ["person"], {"kpt_shape": [17, 3], "flip_idx": FLIPPED}),
    "rectangles": Pictures(rectangles, 2, 128, 40, ["ship", "truck", "tile"], {}),
}
# Of each network: its architecture, pictures, epochs, and the network whose weights it starts from.
NETWORKS = {
    "segment": ("v8/yolov8-seg.yaml", "shapes", 25, None),
    "detect": ("v8/yolov8.yaml", "shapes", 4, "segment"),
    "pose": ("v8/yolov8-pose.yaml", "figures", 25, "segment"),
    "yolo11": ("11/yolo11-obb.yaml", "rectangles", 30, None),
    "yolo26": ("26/yolo26-obb.yaml", "rectangles", 30, None),
}
YOLOV8, YOLO26 = ("segment", "detect", "pose"), ("yolo26",)
# What each version writes: a folder, the networks and the options of the export.
EXPORTS: dict[str, list[tuple[str, tuple[str, ...], dict[str, Any]]]] = {
    "8.4.82": [
        ("tflite", YOLOV8, {"format": "tflite", "quantize": 8}),
        ("raw", ("yolo11",), {"format": "tflite", "int8": True}),
        ("raw", YOLO26, {"format": "tflite", "int8": True, "end2end": False}),
        ("end-to-end", YOLO26, {"format": "tflite", "int8": True}),
    ],
    "8.4.190": [
        ("litert", YOLOV8, {"format": "litert"}),
        ("litert int8", YOLOV8, {"format": "litert", "quantize": 8}),
        ("litert w8a16", YOLOV8, {"format": "litert", "quantize": "w8a16"}),
        ("litert w8a32", YOLOV8, {"format": "litert", "quantize": "w8a32"}),
        ("saved_model", YOLOV8, {"format": "saved_model", "quantize": 8}),
        ("edgetpu", YOLOV8, {"format": "edgetpu", "quantize": 8}),
        ("raw", YOLO26, {"format": "onnx"}),
        ("end-to-end", YOLO26, {"format": "onnx", "nms": False}),
        ("with nms", ("yolo11",), {"format": "onnx", "nms": True}),
    ],
}


def make_pictures(folder: Path, name: str) -> None:
    pictures = PICTURES[name]
    rng = random.Random(pictures.seed)
    for part, count in (("train", 600), ("val", pictures.validation)):
        for kind in ("images", "labels"):
            (folder / name / kind / part).mkdir(parents=True, exist_ok=True)
        for i in range(count):
            picture = background(rng, 2 * pictures.side)
            labels = pictures.draw(rng, ImageDraw.Draw(picture), 2 * pictures.side)
            grain(rng, picture).save(folder / name / "images" / part / f"{i:03}.png")
            (folder / name / "labels" / part / f"{i:03}.txt").write_text("\n".join(labels), encoding="utf-8")
    data: dict[str, Any] = {"path": str(folder / name), "train": "images/train", "val": "images/val"}
    data |= {"names": dict(enumerate(pictures.names)), **pictures.more}
    (folder / f"{name}.yaml").write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML


def picture_of(folder: Path, network: str, number: int) -> recorder.Array:
    """A picture that the network was not trained on, as [H, W, RGB]."""
    name = NETWORKS[network][1]
    with Image.open(folder / name / "images" / "val" / f"{number:03}.png") as picture:
        return np.asarray(picture.resize((PICTURES[name].side,) * 2, Image.Resampling.BOX))


# --- networks ---
def train(folder: Path) -> None:
    import ultralytics
    from ultralytics import YOLO
    from ultralytics.utils import YAML

    source = Path(ultralytics.__file__).parent / "cfg" / "models"
    for name, (architecture, pictures, epochs, start) in NETWORKS.items():
        if not (folder / f"{pictures}.yaml").exists():
            make_pictures(folder, pictures)
        if (folder / f"{name}.pt").exists():  # of a training that was interrupted
            continue
        network = YAML.load(source / architecture)
        network["scales"] = {"n": [0.33, 0.125, 512]}  # half as wide as "n"
        network["nc"] = len(PICTURES[pictures].names)
        file = folder / re.sub(r"(yolov?\d+)", r"\1n", Path(architecture).name)
        YAML.save(file, network)
        model = YOLO(str(file))
        if start:
            model.load(folder / f"{start}.pt")
        model.train(
            data=str(folder / f"{pictures}.yaml"), imgsz=PICTURES[pictures].side, epochs=epochs, batch=16, device="cpu",
            workers=0, mosaic=0.0, seed=1, project=str(folder / "runs"), name=name, exist_ok=True, plots=False, val=False,
            amp=False, optimizer="AdamW", lr0=0.002, warmup_epochs=1.0,
        )  # fmt: skip
        (folder / f"{name}.pt").write_bytes((folder / "runs" / name / "weights" / "last.pt").read_bytes())


def export(folder: Path) -> None:
    """Make every file that this version of Ultralytics writes."""
    os.environ["YOLO_AUTOINSTALL"] = "false"  # read by the import
    import ultralytics

    os.chdir(folder)
    # The exports download this file of pictures if it is not there. With data= they do not use it.
    np.save("calibration_image_sample_data_20x128x128x3_float32.npy", np.zeros((20, 128, 128, 3), np.float32))
    for group, networks, options in EXPORTS[ultralytics.__version__]:
        for name in networks:
            target = folder / f"{ultralytics.__version__} {group}"
            target.mkdir(exist_ok=True)
            weights = target / f"{name}.pt"
            weights.write_bytes((folder / f"{name}.pt").read_bytes())
            pictures = NETWORKS[name][1]
            data = str(folder / f"{pictures}.yaml")
            try:
                ultralytics.YOLO(str(weights)).export(imgsz=PICTURES[pictures].side, data=data, **options)
            except Exception as error:  # of the Edge TPU's own compiler, which runs last
                if options["format"] != "edgetpu":
                    raise
                print(f"{target.name} {name}: {error}")


if __name__ == "__main__":
    recorder.main(train, export)
