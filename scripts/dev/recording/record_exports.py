"""Record what the exports of Ultralytics put out, for host_tests/families/test_exports.py.

Ultralytics 8.4.82 (onnx2tf) and 8.4.190 (onnx2tf and LiteRT) each need an environment of their own, with Python 3.11. The
pictures are drawn and the networks trained here, so nothing but packages is downloaded. On two cores a training takes about
eight minutes, and all exports half an hour. The Edge TPU's own compiler, the last step of that export, is not needed.

    python3.11 -m venv A && A/bin/pip install torch torchvision ultralytics==8.4.82
    python3.11 -m venv B && B/bin/pip install torch torchvision ultralytics==8.4.190 litert-torch ai-edge-quantizer
    in both: pip install tensorflow==2.19.1 tf_keras==2.19.0 "onnx<1.20" onnxruntime "protobuf>=5,<6" ai-edge-litert
             pip install --no-deps onnx2tf==1.28.8 sng4onnx onnx_graphsurgeon onnxslim
    A/bin/python scripts/dev/recording/record_exports.py train FOLDER
    A/bin/python scripts/dev/recording/record_exports.py export FOLDER
    B/bin/python scripts/dev/recording/record_exports.py export FOLDER
    B/bin/python scripts/dev/recording/record_exports.py record FOLDER

FOLDER holds the pictures, weights and exports. Do not commit them: Ultralytics is under AGPL-3.0.
"""

import argparse
import io
import json
import lzma
import math
import os
import random
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, ImageDraw, ImageFilter

Array = np.ndarray[Any, Any]

DATA = Path(__file__).resolve().parents[3] / "host_tests" / "data" / "exports.npz.xz"

SIDE = 96  # of the networks' input
# The architecture and epochs of each task. The second and third start from the first one's weights.
TASKS = {"segment": ("yolov8n-seg.yaml", 25), "detect": ("yolov8n.yaml", 4), "pose": ("yolov8n-pose.yaml", 25)}
# What each version can write, by folder.
EXPORTS: dict[str, dict[str, dict[str, Any]]] = {
    "8.4.82": {"tflite": {"format": "tflite", "quantize": 8}},
    "8.4.190": {
        "litert": {"format": "litert"},
        "litert int8": {"format": "litert", "quantize": 8},
        "litert w8a16": {"format": "litert", "quantize": "w8a16"},
        "litert w8a32": {"format": "litert", "quantize": "w8a32"},
        "saved_model": {"format": "saved_model", "quantize": 8},
        "edgetpu": {"format": "edgetpu", "quantize": 8},
    },
}
THRESHOLD, IOU_THRESHOLD = 0.25, 0.7  # of predict
PICTURES = {"shapes": 11, "figures": 29}  # the recorded one of the pictures for validation
SHAPES = ["ball", "box", "tent"]
COLORS = [(205, 40, 40), (50, 90, 205), (225, 190, 40)]
# COCO's 17 keypoints of a figure that stands upright: x to its own left, y down, in heights of the figure.
FIGURE = [
    (0, -.42), (.03, -.45), (-.03, -.45), (.06, -.43), (-.06, -.43), (.11, -.3), (-.11, -.3), (.2, -.16), (-.2, -.16),
    (.24, 0), (-.24, 0), (.08, .02), (-.08, .02), (.1, .25), (-.1, .25), (.11, .47), (-.11, .47),
]  # fmt: skip
LIMBS = [(5, 6), (5, 7), (7, 9), (6, 8), (8, 10), (5, 11), (6, 12), (11, 12), (11, 13), (13, 15), (12, 14), (14, 16)]
FLIPPED = [0, 2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 16, 15]


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


def places(rng: random.Random, count: int, low: float, high: float) -> list[tuple[float, float, float]]:
    """(x, y, radius) of at most `count` objects that hardly cover each other, in parts of the picture."""
    chosen: list[tuple[float, float, float]] = []
    for _ in range(50):
        r = rng.uniform(low, high)
        x, y = rng.uniform(r, 1 - r), rng.uniform(r, 1 - r)
        if len(chosen) < count and all(math.hypot(x - a, y - b) > 0.9 * (r + c) for a, b, c in chosen):
            chosen.append((x, y, r))
    return chosen


def shapes(rng: random.Random, side: int) -> tuple[Image.Image, str]:
    """Balls, boxes and tents, with their outlines as labels."""
    picture = background(rng, side)
    draw, lines = ImageDraw.Draw(picture), []
    for x, y, r in places(rng, rng.randint(1, 4), 0.1, 0.24):
        kind = rng.randrange(3)
        corners, turn = (32, 4, 3)[kind], rng.uniform(-0.4, 0.4) - math.pi / (4 if kind == 1 else 2)
        angles = [turn + 2 * math.pi * i / corners for i in range(corners)]
        outline = [(x + r * math.cos(a), y + r * math.sin(a)) for a in angles]
        tint = rng.uniform(0.7, 1.15)
        color = tuple(min(255, int(c * tint)) for c in rng.choice(COLORS))
        draw.polygon([(px * side, py * side) for px, py in outline], fill=color)
        lines.append(" ".join([str(kind), *(f"{min(max(v, 0), 1):.5f}" for point in outline for v in point)]))
    return grain(rng, picture), "\n".join(lines)


def figures(rng: random.Random, side: int) -> tuple[Image.Image, str]:
    """People of lines, with their boxes and keypoints as labels."""
    picture = background(rng, side)
    draw, lines = ImageDraw.Draw(picture), []
    for x, y, r in places(rng, rng.randint(1, 2), 0.24, 0.42):
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
    return grain(rng, picture), "\n".join(lines)


def make_pictures(folder: Path) -> None:
    for name, draw, names, more in (
        ("shapes", shapes, SHAPES, {}),
        ("figures", figures, ["person"], {"kpt_shape": [17, 3], "flip_idx": FLIPPED}),
    ):
        rng = random.Random(1)
        for part, count in (("train", 600), ("val", 60)):
            for kind in ("images", "labels"):
                (folder / name / kind / part).mkdir(parents=True, exist_ok=True)
            for i in range(count):
                picture, labels = draw(rng, 2 * SIDE)
                picture.save(folder / name / "images" / part / f"{i:03}.png")
                (folder / name / "labels" / part / f"{i:03}.txt").write_text(labels, encoding="utf-8")
        data = {"path": str((folder / name).resolve()), "train": "images/train", "val": "images/val"}
        data |= {"names": dict(enumerate(names)), **more}
        (folder / f"{name}.yaml").write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML


def data_of(folder: Path, task: str) -> str:
    return str(folder / ("figures.yaml" if task == "pose" else "shapes.yaml"))


# --- networks ---
def train(folder: Path) -> None:
    import ultralytics
    from ultralytics import YOLO
    from ultralytics.utils import YAML

    if not (folder / "shapes.yaml").exists():
        make_pictures(folder)
    source = Path(ultralytics.__file__).parent / "cfg" / "models" / "v8"
    for task, (architecture, epochs) in TASKS.items():
        if (folder / f"{task}.pt").exists():  # of a training that was interrupted
            continue
        network = YAML.load(source / architecture.replace("v8n", "v8"))
        network["scales"] = {"n": [0.33, 0.125, 512]}  # half as wide as yolov8n
        network["nc"] = 1 if task == "pose" else len(SHAPES)
        YAML.save(folder / architecture, network)
        model = YOLO(str(folder / architecture))
        if task != "segment":
            model.load(folder / "segment.pt")
        model.train(
            data=data_of(folder, task), imgsz=SIDE, epochs=epochs, batch=16, device="cpu", workers=0, mosaic=0.0, seed=1,
            project=str(folder / "runs"), name=task, exist_ok=True, plots=False, val=False, amp=False, optimizer="AdamW",
            lr0=0.002, warmup_epochs=1.0,
        )  # fmt: skip
        (folder / f"{task}.pt").write_bytes((folder / "runs" / task / "weights" / "last.pt").read_bytes())


# --- exports ---
def export(folder: Path) -> None:
    """Make every .tflite file that this version of Ultralytics writes, and record it."""
    os.environ["YOLO_AUTOINSTALL"] = "false"  # read by the import
    import ultralytics

    version = ultralytics.__version__
    os.chdir(folder)
    # The exports download this file of pictures if it is not there. With data= they do not use it.
    np.save("calibration_image_sample_data_20x128x128x3_float32.npy", np.zeros((20, 128, 128, 3), np.float32))
    for name, options in EXPORTS[version].items():
        for task in TASKS:
            target = folder / f"{version} {name}"
            target.mkdir(exist_ok=True)
            weights = target / f"{task}.pt"
            weights.write_bytes((folder / f"{task}.pt").read_bytes())
            try:
                ultralytics.YOLO(str(weights)).export(imgsz=SIDE, data=data_of(folder, task), **options)
            except Exception as error:  # of the Edge TPU's own compiler, which runs last
                if options["format"] != "edgetpu":
                    raise
                print(f"{target.name} {task}: {error}")


def record(folder: Path) -> None:
    """Run all exports on a picture; store what they put out, and what Ultralytics finds in these numbers."""
    stored: dict[str, Any] = {}
    for version, groups in EXPORTS.items():
        for group, options in groups.items():
            for file in sorted((folder / f"{version} {group}").rglob("*.tflite")):
                task = next(task for task in TASKS if file.name.startswith(task))
                kind = file.stem.removeprefix(task).removeprefix("_") or "float32"
                if group == "edgetpu" and kind != "full_integer_quant":
                    continue  # by-products, the same as in 8.4.82
                name = f"{version} {options['format']} {kind} {task}"
                outputs, described = outputs_of(file, picture_of(folder, task))
                found = found_by_ultralytics(outputs, task, in_pixels=group == "saved_model")
                described["outputs"] = [out.described() for out in outputs]
                stored |= {f"{name}/output{i}": packed(out.values) for i, out in enumerate(outputs)}
                stored |= {f"{name}/{key}": values for key, values in found.items()}
                stored[f"{name}/described"] = np.frombuffer(json.dumps(described).encode(), np.uint8)
                print(f"{name}: {len(found['score'])} found", flush=True)
    archive = io.BytesIO()
    np.savez(archive, **stored)
    DATA.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{DATA}: {DATA.stat().st_size} bytes")


class Output(NamedTuple):
    """A network's output; floats with 11 significant bits, so that they take less space."""

    values: Array
    scale: float  # 0: float
    zero_point: int

    def described(self) -> dict[str, Any]:
        shape, dtype = self.values.shape, self.values.dtype.name
        return {"shape": shape, "dtype": dtype, "scale": self.scale, "zero_point": self.zero_point}

    def real(self) -> Array:
        """The numbers that it stands for, as float32; prototypes as [1, M, H, W]."""
        values = self.values.astype(np.float32)
        values = (values - self.zero_point) * np.float32(self.scale) if self.scale else values
        return values.transpose(0, 3, 1, 2) if values.ndim == 4 and values.shape[1] == values.shape[2] else values


def packed(values: Array) -> Array:
    """The bytes of the numbers as [low and high, *shape], channels first: this compresses better."""
    if values.ndim == 4 and values.shape[1] == values.shape[2]:
        values = np.ascontiguousarray(values.transpose(0, 3, 1, 2))
    return np.moveaxis(values.view(np.uint8).reshape(*values.shape, values.itemsize), -1, 0)


def picture_of(folder: Path, task: str) -> Array:
    """A picture that the networks were not trained on, as [H, W, RGB]."""
    kind = "figures" if task == "pose" else "shapes"
    with Image.open(folder / kind / "images" / "val" / f"{PICTURES[kind]:03}.png") as picture:
        return np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX))


def run_on(interpreter: Any, picture: Array) -> dict[str, Any]:
    """Run a network on a picture (height, width, 3) of bytes. Returns the interpreter's description of the input."""
    interpreter.allocate_tensors()
    into: dict[str, Any] = interpreter.get_input_details()[0]
    values = (picture / np.float32(255))[None]
    if into["shape"][1] == 3:
        values = values.transpose(0, 3, 1, 2)
    scale, zero_point = into["quantization"]
    if scale:
        values = np.round(values / np.float32(scale)) + zero_point
    interpreter.set_tensor(into["index"], np.ascontiguousarray(values.astype(into["dtype"])))
    interpreter.invoke()
    return into


def outputs_of(file: Path, picture: Array) -> tuple[list[Output], dict[str, Any]]:
    """What the network puts out, and a description of its input."""
    from ai_edge_litert.interpreter import Interpreter

    interpreter = Interpreter(str(file))
    into = run_on(interpreter, picture)
    outputs = []
    for out in interpreter.get_output_details():
        values = interpreter.get_tensor(out["index"])
        values = values.astype(np.float16) if values.dtype == np.float32 else values
        outputs.append(Output(values, *(kind(number) for kind, number in zip((float, int), out["quantization"]))))
    return outputs, {"input": into["shape"].tolist(), "input_dtype": np.dtype(into["dtype"]).name}


def found_by_ultralytics(outputs: list[Output], task: str, in_pixels: bool) -> dict[str, Any]:
    """Boxes (x1, y1, x2, y2), scores, classes, keypoints in pixels of the input, and masks in those of the prototypes."""
    import torch
    from ultralytics.utils.nms import non_max_suppression
    from ultralytics.utils.ops import process_mask

    head = next(out for out in outputs if out.values.ndim == 3).real()
    if not in_pixels:
        head[:, :4] *= SIDE
        if task == "pose":
            head[:, 5::3] *= SIDE
            head[:, 6::3] *= SIDE
    classes = 1 if task == "pose" else len(SHAPES)
    (rows,) = non_max_suppression(torch.from_numpy(head), THRESHOLD, IOU_THRESHOLD, nc=classes, max_time_img=60)
    found = {"box": rows[:, :4].numpy(), "score": rows[:, 4].numpy(), "class_id": rows[:, 5].numpy().astype(np.uint8)}
    if task == "pose":
        found["keypoints"] = rows[:, 6:].numpy().reshape(-1, 17, 3)
    if task == "segment":
        prototypes = next(out for out in outputs if out.values.ndim == 4).real()[0]
        masks = process_mask(torch.from_numpy(prototypes), rows[:, 6:], rows[:, :4], (SIDE, SIDE))
        found["mask"] = np.packbits(masks.numpy().astype(bool), axis=-1)
    return found


STEPS = {"train": train, "export": export, "record": record}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("folder", type=Path, help="where pictures, weights and exports are kept")
    arguments = parser.parse_args()
    STEPS[arguments.step](arguments.folder.resolve())


if __name__ == "__main__":
    main()
