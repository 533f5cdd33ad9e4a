"""Record oriented boxes of Ultralytics' exports, for host_tests/families/yolo/test_yolov8_obb.py.

YOLO11-obb and YOLO26-obb networks of a quarter of yolo11n's size are trained here on drawn, turned rectangles, so nothing
but packages is downloaded. Ultralytics 8.4.82 (onnx2tf) and 8.4.190 need an environment each, as in record_exports.py:

    B/bin/python scripts/dev/recording/record_obb.py train FOLDER
    A/bin/python scripts/dev/recording/record_obb.py export FOLDER
    B/bin/python scripts/dev/recording/record_obb.py export FOLDER
    B/bin/python scripts/dev/recording/record_obb.py record FOLDER

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
from typing import Any

import numpy as np
from PIL import Image, ImageDraw
from record_exports import Output, background, grain, outputs_of
from record_split import Map, quantized

Array = np.ndarray[Any, Any]

DATA = Path(__file__).resolve().parents[3] / "host_tests" / "data" / "obb.npz.xz"

SIDE = 128  # of the networks' input
NAMES = ["ship", "truck", "tile"]
ASPECTS = [0.28, 0.5, 0.9]  # short side by long side, of each class
COLORS = [(205, 40, 40), (50, 90, 205), (225, 190, 40)]
NETWORKS = {"yolo11": "11/yolo11-obb.yaml", "yolo26": "26/yolo26-obb.yaml"}
EPOCHS = 30
# What each version writes: a folder, the network and the options of the export.
EXPORTS: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "8.4.82": [
        ("raw", "yolo11", {"format": "tflite", "int8": True}),
        ("raw", "yolo26", {"format": "tflite", "int8": True, "end2end": False}),
        ("end-to-end", "yolo26", {"format": "tflite", "int8": True}),
    ],
    "8.4.190": [
        ("raw", "yolo26", {"format": "onnx"}),
        ("end-to-end", "yolo26", {"format": "onnx", "nms": False}),
        ("with nms", "yolo11", {"format": "onnx", "nms": True}),
    ],
}


def rectangles(rng: random.Random, side: int) -> tuple[Image.Image, str]:
    """Turned rectangles with a bright bow, and their corners as labels."""
    picture = background(rng, side)
    draw, lines, chosen = ImageDraw.Draw(picture), [], []
    for _ in range(60):
        r = rng.uniform(0.1, 0.25)
        x, y = rng.uniform(r, 1 - r), rng.uniform(r, 1 - r)
        if len(chosen) < 6 and all(math.hypot(x - a, y - b) > 0.8 * (r + c) for a, b, c in chosen):
            chosen.append((x, y, r))
    for x, y, r in chosen[: rng.randint(1, 6)]:
        kind, turn = rng.randrange(3), rng.uniform(0, 2 * math.pi)
        flat = ASPECTS[kind] * rng.uniform(0.9, 1.1)
        along, across = r / math.hypot(1, flat), r * flat / math.hypot(1, flat)
        cos, sin = math.cos(turn), math.sin(turn)

        places = [(-1, -1), (1, -1), (1, 1), (-1, 1), (0.6, -1), (1, -1), (1, 1), (0.6, 1)]
        points = [(x + u * along * cos - v * across * sin, y + u * along * sin + v * across * cos) for u, v in places]
        corners, bow = points[:4], points[4:]
        tint = rng.uniform(0.7, 1.15)
        color = tuple(min(255, int(c * tint)) for c in COLORS[kind])
        draw.polygon([(px * side, py * side) for px, py in corners], fill=color)
        draw.polygon([(px * side, py * side) for px, py in bow], fill=(235, 235, 225))
        lines.append(" ".join([str(kind), *(f"{min(max(v, 0), 1):.5f}" for point in corners for v in point)]))
    return grain(rng, picture), "\n".join(lines)


def make_pictures(folder: Path) -> None:
    rng = random.Random(2)
    for part, count in (("train", 600), ("val", 40)):
        for kind in ("images", "labels"):
            (folder / "rectangles" / kind / part).mkdir(parents=True, exist_ok=True)
        for i in range(count):
            picture, labels = rectangles(rng, 2 * SIDE)
            picture.save(folder / "rectangles" / "images" / part / f"{i:03}.png")
            (folder / "rectangles" / "labels" / part / f"{i:03}.txt").write_text(labels, encoding="utf-8")
    data = {"path": str((folder / "rectangles").resolve()), "train": "images/train", "val": "images/val"}
    data["names"] = dict(enumerate(NAMES))
    (folder / "rectangles.yaml").write_text(json.dumps(data), encoding="utf-8")  # JSON is YAML


def train(folder: Path) -> None:
    import ultralytics
    from ultralytics import YOLO
    from ultralytics.utils import YAML

    if not (folder / "rectangles.yaml").exists():
        make_pictures(folder)
    source = Path(ultralytics.__file__).parent / "cfg" / "models"
    for name, architecture in NETWORKS.items():
        if (folder / f"{name}.pt").exists():  # of a training that was interrupted
            continue
        network = YAML.load(source / architecture)
        network["scales"] = {"n": [0.33, 0.125, 512]}  # half as wide as yolo11n
        network["nc"] = len(NAMES)
        file = folder / f"{name}n-obb.yaml"
        YAML.save(file, network)
        model = YOLO(str(file), task="obb")
        model.train(
            data=str(folder / "rectangles.yaml"), imgsz=SIDE, epochs=EPOCHS, batch=16, device="cpu", workers=0, mosaic=0.0,
            seed=1, project=str(folder / "runs"), name=name, exist_ok=True, plots=False, val=False, amp=False,
            optimizer="AdamW", lr0=0.002, warmup_epochs=1.0,
        )  # fmt: skip
        (folder / f"{name}.pt").write_bytes((folder / "runs" / name / "weights" / "last.pt").read_bytes())


def export(folder: Path) -> None:
    """Make the files of this version of Ultralytics."""
    os.environ["YOLO_AUTOINSTALL"] = "false"  # read by the import
    import ultralytics

    os.chdir(folder)
    # The export downloads this file of pictures if it is not there. With data= it does not use it.
    np.save("calibration_image_sample_data_20x128x128x3_float32.npy", np.zeros((20, 128, 128, 3), np.float32))
    version = ultralytics.__version__
    for group, network, options in EXPORTS[version]:
        target = folder / f"{version} {group}"
        target.mkdir(exist_ok=True)
        weights = target / f"{network}.pt"
        weights.write_bytes((folder / f"{network}.pt").read_bytes())
        ultralytics.YOLO(str(weights), task="obb").export(imgsz=SIDE, data=str(folder / "rectangles.yaml"), **options)


# --- what they put out ---
PICTURES = (19, 0)  # of those for validation
SETTINGS = [(0.25, 0.7), (0.05, 0.45)]  # threshold, iou_threshold
FILES = {
    "yolo11 float32": "8.4.82 raw/yolo11_saved_model/yolo11_float32.tflite",
    "yolo11 int8": "8.4.82 raw/yolo11_saved_model/yolo11_full_integer_quant.tflite",
    "yolo26 int8": "8.4.82 raw/yolo26_saved_model/yolo26_full_integer_quant.tflite",
    "yolo26 onnx": "8.4.190 raw/yolo26.onnx",
    "yolo26 end-to-end": "8.4.190 end-to-end/yolo26.onnx",
    "yolo11 with nms": "8.4.190 with nms/yolo11.onnx",
}
ROWS = 40  # that are kept of the 300 of an end-to-end head


def picture_of(folder: Path, number: int) -> Array:
    """A picture that the networks were not trained on, as [H, W, RGB]."""
    with Image.open(folder / "rectangles" / "images" / "val" / f"{number:03}.png") as picture:
        return np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX))


def output_of(file: Path, picture: Array) -> Output:
    """The head of an exported file; floats with 11 significant bits, and only the best rows of an end-to-end head."""
    if file.suffix == ".tflite":
        (output,), _ = outputs_of(file, picture)
        return output
    import onnxruntime

    session = onnxruntime.InferenceSession(file)
    planes = (picture / np.float32(255)).transpose(2, 0, 1)[None].copy()
    values = session.run(None, {session.get_inputs()[0].name: planes})[0]
    if values.shape[2] == 7:
        values = values[:, :ROWS]
    return Output(values.astype(np.float16), 0.0, 0)


def found_by_ultralytics(head: Array, threshold: float, iou_threshold: float) -> dict[str, Array]:
    """Boxes x, y, w, h, angle and corners in pixels of the input, scores and classes. The head is in pixels."""
    import torch
    from ultralytics.engine.results import OBB
    from ultralytics.utils.nms import non_max_suppression

    end2end = head.shape[2] == 7
    (rows,) = non_max_suppression(
        torch.from_numpy(head), threshold, iou_threshold, nc=len(NAMES), max_time_img=60, rotated=True, end2end=end2end
    )
    boxes = OBB(torch.cat([rows[:, :4], rows[:, -1:], rows[:, 4:6]], dim=-1), (SIDE, SIDE))  # as OBBPredictor
    return {
        "xywhr": boxes.xywhr.numpy(),
        "corners": boxes.xyxyxyxy.numpy(),
        "score": boxes.conf.numpy(),
        "class_id": boxes.cls.numpy().astype(np.uint8),
    }


# --- split heads ---
SPLIT = [("yolo11", "int8"), ("yolo11", "float32"), ("yolo26", "int8"), ("yolo26", "uint8")]


def network_of(folder: Path, name: str) -> Any:
    from ultralytics import YOLO

    network = YOLO(str(folder / f"{name}.pt"), task="obb").model.eval().float()
    network.end2end = False
    return network


def maps_of(network: Any, picture: Array) -> dict[str, list[Array]]:
    """What the last convolutions put out, [rows, columns, channels] for each stride; of YOLO11 the logits of the angles."""
    import torch

    planes = torch.from_numpy((picture / np.float32(255)).transpose(2, 0, 1)[None].copy())
    with torch.no_grad():
        _, raw = network(planes)
    raw = raw.get("one2many", raw)
    if type(network.model[-1]).__name__ == "OBB":
        raw["angle"] = torch.logit(raw["angle"] / math.pi + 0.25)
    shapes = [tuple(one.shape[2:]) for one in raw["feats"]]
    maps: dict[str, list[Array]] = {}
    for name in ("boxes", "scores", "angle"):
        parts = np.split(raw[name][0].numpy().T, np.cumsum([h * w for h, w in shapes])[:-1])
        maps[name] = [part.reshape(*shape, -1) for part, shape in zip(parts, shapes, strict=True)]
    return maps


def decoded(network: Any, maps: dict[str, list[Map]]) -> Array:
    """[1, 4 + classes + 1, anchors], as the network's own head decodes these numbers."""
    import torch

    head = network.model[-1]
    head.shape = None  # of the anchors of the last call
    raw = {name: torch.from_numpy(np.concatenate([m.planes() for m in several], axis=2)) for name, several in maps.items()}
    if type(head).__name__ == "OBB":
        raw["angle"] = (raw["angle"].sigmoid() - 0.25) * math.pi
    feats = [torch.zeros(1, 1, *one.values.shape[:2]) for one in maps["scores"]]
    with torch.no_grad():
        result: Array = head._inference({**raw, "feats": feats}).numpy()
    return result


def record(folder: Path) -> None:
    entries: dict[str, Any] = {}

    def add(name: str, outputs: dict[str, Any], head: Array) -> None:
        described = {
            kind: (out.values.shape, out.values.dtype.name, out.scale, out.zero_point) for kind, out in outputs.items()
        }
        entries[f"{name}/described"] = np.frombuffer(json.dumps(described).encode(), np.uint8)
        entries.update({f"{name}/{kind}": packed(out.values) for kind, out in outputs.items()})
        for threshold, iou_threshold in SETTINGS:
            found = found_by_ultralytics(head.copy(), threshold, iou_threshold)
            entries.update({f"{name}/{threshold} {iou_threshold}/{key}": values for key, values in found.items()})
            print(f"{name}, {threshold}: {len(found['score'])} found", flush=True)

    for kind, file in FILES.items():
        for number in PICTURES:
            output = output_of(folder / file, picture_of(folder, number))
            head = output.real()
            if file.endswith(".tflite"):
                head[:, :4] *= SIDE
            add(f"{kind} {number}", {"head": output}, head)
    for name, kind in SPLIT:
        network = network_of(folder, name)
        for number in PICTURES[:1]:
            maps = maps_of(network, picture_of(folder, number))
            stored = {key: [quantized([one], kind)[0] for one in several] for key, several in maps.items()}
            outputs = {f"{key}{i}": one for key, several in stored.items() for i, one in enumerate(several)}
            add(f"split {name} {kind} {number}", outputs, decoded(network, stored))
    archive = io.BytesIO()
    np.savez(archive, **entries)
    DATA.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{DATA}: {DATA.stat().st_size} bytes")


def packed(values: Array) -> Array:
    """The bytes of the numbers as [low and high, *shape], channels first: this compresses better."""
    values = np.ascontiguousarray(np.moveaxis(values, -1, 0) if values.shape[0] != 1 or values.shape[2] == 7 else values)
    return np.moveaxis(values.view(np.uint8).reshape(*values.shape, values.itemsize), -1, 0)


STEPS = {"train": train, "export": export, "record": record}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("folder", type=Path, help="where pictures, weights and exports are kept")
    arguments = parser.parse_args()
    STEPS[arguments.step](arguments.folder.resolve())


if __name__ == "__main__":
    main()
