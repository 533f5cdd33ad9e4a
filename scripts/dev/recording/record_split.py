"""Record what Ultralytics' own code decodes from split heads, for host_tests/families/yolo/test_split_head.py.

It needs the environment B and the FOLDER of record_exports.py, after its steps `train` and `export`:

    B/bin/python scripts/dev/recording/record_split.py check FOLDER
    B/bin/python scripts/dev/recording/record_split.py record FOLDER

The maps of boxes, scores, coefficients and keypoints are those of the trained networks, quantized here, and those of the
exported int8 files after `n6post optimize`. `_inference` of the network's head (DFL, dist2bbox, sigmoid), its
`non_max_suppression` and `process_mask` decode exactly these numbers. YOLO26 is represented by its own head with the same
boxes as distances. `check` compares host_tests/reference.py with that code for many pictures and writes nothing.
"""

import argparse
import io
import json
import lzma
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image
from record_exports import SHAPES, SIDE, run_on

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "host_tests" / "data" / "split.npz.xz"
sys.path[:0] = [str(ROOT / "host_tests"), str(ROOT / "scripts")]

Array = np.ndarray[Any, Any]

STRIDES = (8, 16, 32)
SETTINGS = [(0.25, 0.7), (0.05, 0.45)]  # threshold, iou_threshold
RANGES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}
EXTRA = {"detect": "", "segment": "mask_coefficient", "pose": "kpts"}

# (task, YOLO26?, dtype, which outputs share a scale, pictures side by side, rows of the picture)
CASES = [
    ("detect", False, "int8", "strides", (11,), slice(None)),
    ("detect", False, "int16", "own", (11,), slice(16, 80)),
    ("detect", False, "float32", "own", (5,), slice(None)),
    ("detect", True, "int8", "own", (11, 5), slice(None)),
    ("detect", True, "uint8", "kinds", (11,), slice(None)),
    ("segment", False, "int8", "kinds", (11,), slice(None)),
    ("segment", False, "int8", "own", (11, 5), slice(16, 80)),
    ("segment", True, "int8", "own", (11,), slice(None)),
    ("pose", False, "int8", "own", (29,), slice(None)),
    ("pose", False, "int8", "kinds", (3,), slice(16, 80)),
    ("pose", True, "int8", "own", (29,), slice(None)),
]
# Exported files to optimize.
FILES = [
    "8.4.82 tflite/{task}_saved_model/{task}_full_integer_quant.tflite",
    "8.4.190 edgetpu/{task}_saved_model/{task}_full_integer_quant.tflite",
    "8.4.190 litert int8/{task}_int8.tflite",
]


class Map(NamedTuple):
    """The output of one stride: [rows, columns, channels]; scale 0: floats, rounded to 11 significant bits."""

    values: Array
    scale: float = 0.0
    zero_point: int = 0

    def real(self) -> Array:
        if not self.scale:
            return self.values.astype(np.float32)
        return ((self.values.astype(np.int64) - self.zero_point) * np.float32(self.scale)).astype(np.float32)

    def planes(self) -> Array:
        """[1, channels, cells]"""
        return self.real().reshape(-1, self.values.shape[2]).T[None].copy()


class Maps(NamedTuple):
    """A split head."""

    task: str
    yolo26: bool
    boxes: list[Map]
    scores: list[Map]
    extras: list[Map]
    prototypes: Map | None


# --- networks ---
def network_of(folder: Path, task: str) -> Any:
    from ultralytics import YOLO

    return YOLO(str(folder / f"{task}.pt")).model.eval().float()


def picture_of(folder: Path, task: str, numbers: tuple[int, ...], rows: slice) -> Array:
    """Pictures that the networks were not trained on, side by side, as [H, W, RGB]."""
    parts = []
    for number in numbers:
        kind = "figures" if task == "pose" else "shapes"
        with Image.open(folder / kind / "images" / "val" / f"{number:03}.png") as picture:
            parts.append(np.asarray(picture.resize((SIDE, SIDE), Image.Resampling.BOX)))
    return np.concatenate(parts, axis=1)[rows]


def maps_of(network: Any, task: str, picture: Array, yolo26: bool) -> dict[str, list[Array]]:
    """What the last convolutions of a network put out, [rows, columns, channels] for each stride."""
    import torch

    planes = torch.from_numpy((picture / np.float32(255)).transpose(2, 0, 1)[None].copy())
    with torch.no_grad():
        _, raw = network(planes)
        if yolo26:
            raw["boxes"] = network.model[-1].dfl(raw["boxes"])  # its boxes are distances
    shapes = [tuple(one.shape[2:]) for one in raw["feats"]]
    maps: dict[str, list[Array]] = {}
    for name in ("boxes", "scores", EXTRA[task]):
        if name:
            cells = raw[name][0].numpy().T
            parts = np.split(cells, np.cumsum([h * w for h, w in shapes])[:-1])
            maps[name] = [part.reshape(*shape, -1) for part, shape in zip(parts, shapes, strict=True)]
    if task == "segment":
        maps["proto"] = [raw["proto"][0].numpy().transpose(1, 2, 0)]
    if task == "pose" and yolo26:  # raw + cell + .5 is the same place as 2 * raw + cell
        for one in maps["kpts"]:
            one[..., 0::3] = 2 * one[..., 0::3] - 0.5
            one[..., 1::3] = 2 * one[..., 1::3] - 0.5
    return maps


def quantized(maps: list[Array], kind: str) -> list[Map]:
    """Maps of one scale."""
    if kind == "float32":
        return [Map(one.astype(np.float16)) for one in maps]
    least, most = RANGES[kind]
    low, high = min(0.0, *(float(m.min()) for m in maps)), max(0.0, *(float(m.max()) for m in maps))
    scale = float(np.float32((high - low) / (most - least)))
    zero_point = round(least - low / scale)
    return [Map(np.clip(np.round(m / scale) + zero_point, least, most).astype(kind), scale, zero_point) for m in maps]


def split_head(task: str, yolo26: bool, maps: dict[str, list[Array]], kind: str, shared: str) -> Maps:
    boxes, scores, extras = maps["boxes"], maps["scores"], maps.get(EXTRA[task], [])
    prototypes = quantized(maps["proto"], kind)[0] if task == "segment" else None
    if shared == "kinds":
        done = [quantized(several, kind) for several in (boxes, scores, extras) if several]
        return Maps(task, yolo26, done[0], done[1], done[2] if extras else [], prototypes)
    if shared == "strides":
        pairs = [quantized([b, s], kind) for b, s in zip(boxes, scores, strict=True)]
        done = [[pair[0] for pair in pairs], [pair[1] for pair in pairs]]
    else:
        done = [[quantized([one], kind)[0] for one in several] for several in (boxes, scores)]
    return Maps(task, yolo26, done[0], done[1], [quantized([one], kind)[0] for one in extras], prototypes)


# --- Ultralytics' decode ---
def head_of(network: Any, maps: Maps, one_to_one: bool = False) -> Any:
    """The network's own head, or that of YOLO26."""
    from ultralytics.nn.modules import head

    own = network.model[-1]
    if not maps.yolo26:
        own.shape = None  # of the anchors of the last call
        return own
    channels = (8, 8, 8)  # of convolutions that are not called
    made = {
        "detect": lambda: head.Detect(own.nc, 1, one_to_one, channels),
        "segment": lambda: head.Segment26(own.nc, 32, 8, 1, one_to_one, channels),
        "pose": lambda: head.Pose26(own.nc, (17, 3), 1, one_to_one, channels),
    }[maps.task]()
    made.stride = own.stride
    made.end2end = one_to_one
    return made.eval()


def decoded(head: Any, maps: Maps) -> Any:
    """[1, 4 + classes + extras, anchors], as the head decodes these numbers."""
    import torch

    def joined(several: list[Map]) -> Any:
        return torch.from_numpy(np.concatenate([one.planes() for one in several], axis=2))

    raw = {"boxes": joined(maps.boxes), "scores": joined(maps.scores)}
    raw["feats"] = [torch.zeros(1, 1, *one.values.shape[:2]) for one in maps.scores]
    if maps.extras:
        raw[EXTRA[maps.task]] = joined(maps.extras)
    with torch.no_grad():
        return head._inference(raw)


def found_by_ultralytics(head: Any, maps: Maps, threshold: float, iou_threshold: float) -> dict[str, Array]:
    """Anchors, boxes x1, y1, x2, y2, scores, classes, keypoints in input pixels, and masks in prototype pixels."""
    import torch
    import torchvision  # noqa: F401  (then its nms is used, which takes the lower anchor of equal scores first)
    from ultralytics.utils.nms import non_max_suppression
    from ultralytics.utils.ops import process_mask

    (rows,), (anchors,) = non_max_suppression(
        decoded(head, maps), threshold, iou_threshold, nc=head.nc, max_time_img=60, return_idxs=True
    )
    found = {"anchor": anchors.numpy().astype(np.uint16).reshape(-1), "box": rows[:, :4].numpy(),
             "score": rows[:, 4].numpy(), "class_id": rows[:, 5].numpy().astype(np.uint8)}  # fmt: skip
    if maps.task == "pose":
        found["keypoints"] = rows[:, 6:].numpy().reshape(-1, 17, 3)
    if maps.prototypes:
        planes = torch.from_numpy(maps.prototypes.real().transpose(2, 0, 1).copy())
        masks = process_mask(planes, rows[:, 6:], rows[:, :4], size_of(maps)[::-1])
        found["mask"] = np.packbits(masks.numpy().astype(bool), axis=-1)
    return found


def found_one_to_one(network: Any, maps: Maps, threshold: float) -> dict[str, Array]:
    """Without suppression: what the one-to-one head of YOLO26 returns for these numbers, one class for each anchor."""
    head = head_of(network, maps, one_to_one=True)
    head.agnostic_nms = True
    rows = head.postprocess(decoded(head, maps).permute(0, 2, 1))[0].numpy()
    rows = rows[rows[:, 4] > threshold]
    return {"box": rows[:, :4], "score": rows[:, 4], "class_id": rows[:, 5].astype(np.uint8)}


def size_of(maps: Maps) -> tuple[int, int]:
    """(width, height) of the input."""
    rows, columns, _ = maps.scores[0].values.shape
    return columns * STRIDES[0], rows * STRIDES[0]


# --- recording ---
def packed(values: Array) -> Array:
    """The bytes of the numbers as [low and high, channels, rows, columns]: this compresses better."""
    planes = np.ascontiguousarray(values.transpose(2, 0, 1))
    return np.moveaxis(planes.view(np.uint8).reshape(*planes.shape, planes.itemsize), -1, 0)


def stored(name: str, network: Any, maps: Maps, shared: str) -> dict[str, Array]:
    """The numbers of a case, and what Ultralytics finds in them."""
    outputs = {"boxes": maps.boxes, "scores": maps.scores, "extras": maps.extras}
    outputs["prototypes"] = [maps.prototypes] if maps.prototypes else []
    described: dict[str, Any] = {"task": maps.task, "yolo26": maps.yolo26, "shared": shared, "size": size_of(maps)}
    entries = {}
    for kind, several in outputs.items():
        described[kind] = [(m.values.shape, m.values.dtype.name, m.scale, m.zero_point) for m in several]
        entries |= {f"{name}/{kind}{i}": packed(m.values) for i, m in enumerate(several)}
    entries[f"{name}/described"] = np.frombuffer(json.dumps(described).encode(), np.uint8)
    for threshold, iou_threshold in SETTINGS:
        found = found_by_ultralytics(head_of(network, maps), maps, threshold, iou_threshold)
        entries |= {f"{name}/{threshold} {iou_threshold}/{key}": values for key, values in found.items()}
        if maps.yolo26 and maps.task == "detect":
            alone = found_one_to_one(network, maps, threshold)
            entries |= {f"{name}/{threshold} one-to-one/{key}": values for key, values in alone.items()}
        print(f"{name}, {threshold}: {len(found['score'])} found", flush=True)
    return entries


def optimized(file: Path, task: str, picture: Array) -> Maps:
    """What an exported file puts out after it was optimized."""
    from ai_edge_litert.interpreter import Interpreter
    from n6post_pc.optimize import tflite as optimize_tflite

    interpreter = Interpreter(model_content=optimize_tflite.optimized(file.read_bytes()).data)
    run_on(interpreter, picture)
    outputs: dict[int, list[Map]] = {}
    for out in interpreter.get_output_details():
        one = interpreter.get_tensor(out["index"])[0]
        one = one.astype(np.float16) if one.dtype == np.float32 else one
        outputs.setdefault(one.shape[2], []).append(Map(one, float(out["quantization"][0]), int(out["quantization"][1])))
    for several in outputs.values():
        several.sort(key=lambda one: -one.values.size)
    classes, extra = {"detect": (len(SHAPES), 0), "segment": (len(SHAPES), 32), "pose": (1, 51)}[task]
    extras = outputs.get(extra, [])
    prototypes = extras.pop(0) if task == "segment" else None
    return Maps(task, False, outputs[64], outputs[classes], extras, prototypes)


def record(folder: Path) -> None:
    entries: dict[str, Array] = {}
    networks = {task: network_of(folder, task) for task in EXTRA}
    for task, yolo26, kind, shared, numbers, rows in CASES:
        maps = maps_of(networks[task], task, picture_of(folder, task, numbers, rows), yolo26)
        split = split_head(task, yolo26, maps, kind, shared)
        width, height = size_of(split)
        name = f"{task}{'26' if yolo26 else ''} {kind} {shared} {width}x{height}"
        entries |= stored(name, networks[task], split, shared)
    for pattern in FILES:
        for task in EXTRA:
            file = folder / pattern.format(task=task)
            picture = picture_of(folder, task, (29 if task == "pose" else 11,), slice(None))
            name = f"{file.relative_to(folder).parts[0]} {file.stem}"
            maps = optimized(file, task, picture)
            equal = all(len({one[1:] for one in several}) == 1 for several in (maps.boxes, maps.scores))
            entries |= stored(name, networks[task], maps, "kinds" if equal else "own")
    archive = io.BytesIO()
    np.savez(archive, **entries)
    DATA.write_bytes(lzma.compress(archive.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{DATA}: {DATA.stat().st_size} bytes")


# --- the reference ---
def check(folder: Path) -> None:
    """Compare reference.decode_split and its suppression with Ultralytics for every picture, dtype and kind of head."""
    import reference

    worst: dict[str, float] = {}
    count = detections = 0
    for task in EXTRA:
        network = network_of(folder, task)
        for number in range(60):
            picture = picture_of(folder, task, (number,), slice(None) if number % 2 else slice(16, 80))
            for yolo26 in (False, True):
                real = maps_of(network, task, picture, yolo26)
                for i, kind in enumerate((*RANGES, "float32")):
                    maps = split_head(task, yolo26, real, kind, ("own", "kinds", "strides")[(number + i) % 3])
                    head = head_of(network, maps)
                    for threshold, iou_threshold in SETTINGS:
                        genuine = found_by_ultralytics(head, maps, threshold, iou_threshold)
                        candidates = reference.decode_split(levels_of(maps), threshold, keypoints=task == "pose")
                        ours = reference.suppress(candidates, iou_threshold)
                        where = f"{task}, YOLO26: {yolo26}, {kind}, picture {number}, {threshold}, {iou_threshold}"
                        np.testing.assert_array_equal(ours.anchor, genuine["anchor"], err_msg=where)
                        np.testing.assert_array_equal(ours.class_id, genuine["class_id"], err_msg=where)
                        pairs = {"box": (ours.box, genuine["box"]), "score": (ours.score, genuine["score"])}
                        if task == "pose":
                            pairs["keypoints"] = ours.extra.reshape(-1, 17, 3), genuine["keypoints"]
                        if task == "segment":
                            pairs["masks"] = masks_of(maps, ours), genuine["mask"]
                        for name, (a, b) in pairs.items():
                            worst[name] = max(worst.get(name, 0.0), float(np.abs(a - b).max(initial=0)))
                        count += 1
                        detections += len(ours.anchor)
    print(f"{count} results of {detections} detections agree; the largest differences: {worst}")


def masks_of(maps: Maps, found: Any) -> Array:
    """The masks by reference.py, packed."""
    import reference

    planes = maps.prototypes.real().astype(np.float64)
    masks = [reference.prototype_mask(planes @ c, b, size_of(maps)) for c, b in zip(found.extra, found.box, strict=True)]
    return np.packbits(np.reshape(masks, (-1, *planes.shape[:2])).astype(bool), axis=-1)


def levels_of(maps: Maps) -> list[Any]:
    import reference

    levels = []
    for i, stride in enumerate(STRIDES):
        boxes, scores = maps.boxes[i].real(), maps.scores[i]
        rows, columns, classes = scores.values.shape
        extra = maps.extras[i].real() if maps.extras else np.zeros((rows, columns, 0), np.float32)
        flat = [one.reshape(rows * columns, -1) for one in (boxes, scores.values, extra)]
        flat[1] = flat[1].astype(np.float32) if not scores.scale else flat[1]
        levels.append(reference.Level(stride, columns, *flat, scores.scale or None, scores.zero_point))
    return levels


STEPS = {"check": check, "record": record}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("step", choices=STEPS)
    parser.add_argument("folder", type=Path, help="the folder of record_exports.py")
    arguments = parser.parse_args()
    STEPS[arguments.step](arguments.folder.resolve())


if __name__ == "__main__":
    main()
