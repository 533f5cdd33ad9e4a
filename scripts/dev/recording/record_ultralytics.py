"""Record what Ultralytics 8.4.190 finds in outputs of its networks, as host_tests/data/{exports,split,obb,semantic}.npz.xz.

It needs the environment B of train_ultralytics.py, and that script's FOLDER after its steps:

    B/bin/python scripts/dev/recording/record_ultralytics.py exports FOLDER
    B/bin/python scripts/dev/recording/record_ultralytics.py split FOLDER
    B/bin/python scripts/dev/recording/record_ultralytics.py obb FOLDER
    B/bin/python scripts/dev/recording/record_ultralytics.py semantic

exports     every exported .tflite file of YOLOv8, for host_tests/families/test_exports.py
split       split heads, for host_tests/families/yolo/test_split_head.py: the last maps of the trained networks, quantized
            here, and those of the exported int8 files after `n6post optimize`. The network's own head decodes exactly these
            numbers (DFL, dist2bbox, sigmoid). YOLO26 is represented by its own head with the same boxes as distances
obb         oriented boxes of YOLO11 and YOLO26, for host_tests/families/yolo/test_yolov8_obb.py: exported files, and the
            last maps as split heads
semantic    YOLO26-sem, for host_tests/families/maps/test_deeplab_semantic.py: yolo26n-sem.yaml of five classes with random
            weights, whose logits are scaled so that every class occurs, on scikit-image's "coffee", 96 x 64. Its outputs as
            it is exported to LiteRT, quantized, and to ONNX, and the classes that torch finds in exactly these numbers. (A
            .tflite by onnx2tf has the same numbers in NHWC.)

Ultralytics gets the numbers as they are stored: floats are rounded to 11 significant bits before.
"""

import math
from pathlib import Path
from typing import Any

import numpy as np
import recorder
from recorder import Array, Tensor
from train_ultralytics import EXPORTS, NETWORKS, PICTURES, YOLOV8, picture_of

SETTINGS = [(0.25, 0.7), (0.05, 0.45)]  # threshold, iou_threshold; the first are those of predict
NUMBERS = {"shapes": 11, "figures": 29}  # the recorded one of the pictures for validation
STRIDES = (8, 16, 32)
EXTRA = {"detect": "", "segment": "mask_coefficient", "pose": "kpts", "obb": "angle"}
Maps = dict[str, list[Tensor]]  # boxes, scores, one of EXTRA: for each stride [rows, columns, channels]; proto


def classes_of(name: str) -> int:
    return len(PICTURES[NETWORKS[name][1]].names)


def network_of(folder: Path, name: str) -> Any:
    from ultralytics import YOLO

    return YOLO(str(folder / f"{name}.pt")).model.eval().float()


def halves(values: Array) -> Array:
    """Floats with 11 significant bits, so that they take less space."""
    return values.astype(np.float16) if values.dtype == np.float32 else values


def channels_first(values: Array) -> Array:
    """Prototypes as [1, M, H, W]."""
    return values.transpose(0, 3, 1, 2) if values.ndim == 4 and values.shape[1] == values.shape[2] else values


def outputs_of(file: Path | bytes, picture: Array) -> tuple[list[Tensor], dict[str, Any]]:
    """The outputs of a .tflite for a picture, and a description of its input."""
    network = recorder.Network(file)
    shape, (scale, zero_point) = network.input["shape"].tolist(), network.input["quantization"]
    values = picture / np.float32(255)
    if shape[1] == 3:
        values = values.transpose(2, 0, 1)
    network.run(np.round(values / np.float32(scale)) + zero_point if scale else values)
    tensors = [network.tensor(out) for out in network.outputs]
    described = {"input": shape, "input_dtype": np.dtype(network.input["dtype"]).name}
    return [one._replace(values=halves(one.values)) for one in tensors], described


def suppressed(rows: Any, setting: tuple[float, float], task: str, classes: int, planes: Any, size: Any) -> dict[str, Array]:
    """Anchors, boxes x1, y1, x2, y2, scores, classes, keypoints in pixels of the input of this size (height, width), and
    masks in pixels of the prototypes [M, H, W].
    """
    import torch
    from ultralytics.utils.nms import non_max_suppression
    from ultralytics.utils.ops import process_mask

    (rows,), (anchors,) = non_max_suppression(rows, *setting, nc=classes, max_time_img=60, return_idxs=True)
    found = {"anchor": anchors.numpy().astype(np.uint16).reshape(-1), "box": rows[:, :4].numpy(),
             "score": rows[:, 4].numpy(), "class_id": rows[:, 5].numpy().astype(np.uint8)}  # fmt: skip
    if task == "pose":
        found["keypoints"] = rows[:, 6:].numpy().reshape(-1, 17, 3)
    if task == "segment":
        masks = process_mask(torch.from_numpy(planes.copy()), rows[:, 6:], rows[:, :4], size)
        found["mask"] = np.packbits(masks.numpy().astype(bool), axis=-1)
    return found


# --- exported files of YOLOv8 ---
def exports(folder: Path) -> None:
    import torch

    arrays: dict[str, Array] = {}
    for version, group, options in [(version, one[0], one[2]) for version, groups in EXPORTS.items() for one in groups]:
        for file in sorted((folder / f"{version} {group}").rglob("*.tflite")):
            task = next((task for task in YOLOV8 if file.name.startswith(task)), None)
            kind = file.stem.removeprefix(str(task)).removeprefix("_") or "float32"
            if task is None or (group == "edgetpu" and kind != "full_integer_quant"):
                continue  # a network of obb, or by-products, the same as in 8.4.82
            name = f"{version} {options['format']} {kind} {task}"
            pictures = NETWORKS[task][1]
            side = PICTURES[pictures].side
            outputs, described = outputs_of(file, picture_of(folder, task, NUMBERS[pictures]))
            reals = {one.values.ndim: channels_first(recorder.real(one)) for one in outputs}
            if group != "saved_model":  # which is in pixels
                reals[3][:, :4] *= side
                if task == "pose":
                    reals[3][:, 5::3] *= side
                    reals[3][:, 6::3] *= side
            planes = reals[4][0] if task == "segment" else None
            rows = torch.from_numpy(reals[3])
            found = suppressed(rows, SETTINGS[0], task, classes_of(task), planes, (side, side))
            del found["anchor"]
            described["outputs"] = [
                {"shape": values.shape, "dtype": values.dtype.name, "scale": scale, "zero_point": zero_point}
                for values, scale, zero_point in outputs
            ]
            for i, out in enumerate(outputs):
                arrays[f"{name}/output{i}"] = recorder.byte_planes(channels_first(out.values))
            arrays |= {f"{name}/{key}": values for key, values in found.items()}
            arrays[f"{name}/described"] = recorder.as_json(described)
            print(f"{name}: {len(found['score'])} found", flush=True)
    recorder.write(recorder.DATA / "exports.npz.xz", arrays)


# --- the last maps of a network ---
def maps_of(network: Any, task: str, picture: Array, distances: bool = False) -> dict[str, list[Array]]:
    """What the last convolutions put out; of YOLO11-obb the logits of the angles. `distances`: boxes as YOLO26 has them."""
    import torch

    planes = torch.from_numpy((picture / np.float32(255)).transpose(2, 0, 1)[None].copy())
    with torch.no_grad():
        _, raw = network(planes)
        raw = raw.get("one2many", raw)
        if distances:
            raw["boxes"] = network.model[-1].dfl(raw["boxes"])
    if type(network.model[-1]).__name__ == "OBB":
        raw["angle"] = torch.logit(raw["angle"] / math.pi + 0.25)
    shapes = [tuple(one.shape[2:]) for one in raw["feats"]]
    maps: dict[str, list[Array]] = {}
    for name in ("boxes", "scores", EXTRA[task]):
        if name:
            parts = np.split(raw[name][0].numpy().T, np.cumsum([h * w for h, w in shapes])[:-1])
            maps[name] = [part.reshape(*shape, -1) for part, shape in zip(parts, shapes, strict=True)]
    if task == "segment":
        maps["proto"] = [raw["proto"][0].numpy().transpose(1, 2, 0)]
    if task == "pose" and distances:  # raw + cell + .5 is the same place as 2 * raw + cell
        for one in maps["kpts"]:
            one[..., 0::3] = 2 * one[..., 0::3] - 0.5
            one[..., 1::3] = 2 * one[..., 1::3] - 0.5
    return maps


def decoded(head: Any, maps: Maps) -> Any:
    """[1, 4 + classes + extra, anchors], as the head decodes these numbers."""
    import torch

    raw = {}
    for name, several in maps.items():
        if name != "proto":
            planes = [recorder.real(one).reshape(-1, one.values.shape[2]).T for one in several]
            raw[name] = torch.from_numpy(np.concatenate(planes, axis=1)[None].copy())
    if type(head).__name__ == "OBB":
        raw["angle"] = (raw["angle"].sigmoid() - 0.25) * math.pi
    feats = [torch.zeros(1, 1, *one.values.shape[:2]) for one in maps["scores"]]
    head.shape = None  # of the anchors of the last call
    with torch.no_grad():
        return head._inference({**raw, "feats": feats})


# --- split heads of YOLOv8 and YOLO26 ---
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
OPTIMIZED = [  # exported files
    "8.4.82 tflite/{task}_saved_model/{task}_full_integer_quant.tflite",
    "8.4.190 edgetpu/{task}_saved_model/{task}_full_integer_quant.tflite",
    "8.4.190 litert int8/{task}_int8.tflite",
]


def quantized_maps(maps: dict[str, list[Array]], kind: str, shared: str) -> Maps:
    if shared == "strides":
        pairs = [recorder.quantized([b, s], kind) for b, s in zip(maps["boxes"], maps["scores"], strict=True)]
        return {"boxes": [boxes for boxes, _ in pairs], "scores": [scores for _, scores in pairs]}
    if shared == "kinds":
        return {name: recorder.quantized(several, kind) for name, several in maps.items()}
    return {name: [recorder.quantized([one], kind)[0] for one in several] for name, several in maps.items()}


def head_of(network: Any, task: str, yolo26: bool, one_to_one: bool = False) -> Any:
    """The network's own head, or that of YOLO26."""
    from ultralytics.nn.modules import head

    own = network.model[-1]
    if not yolo26:
        return own
    channels = (8, 8, 8)  # of convolutions that are not called
    made = {
        "detect": lambda: head.Detect(own.nc, 1, one_to_one, channels),
        "segment": lambda: head.Segment26(own.nc, 32, 8, 1, one_to_one, channels),
        "pose": lambda: head.Pose26(own.nc, (17, 3), 1, one_to_one, channels),
    }[task]()
    made.stride = own.stride
    made.end2end = one_to_one
    return made.eval()


def found_one_to_one(network: Any, maps: Maps, threshold: float) -> dict[str, Array]:
    """Without suppression: what the one-to-one head of YOLO26 returns for these numbers, one class for each anchor."""
    head = head_of(network, "detect", True, one_to_one=True)
    head.agnostic_nms = True
    rows = head.postprocess(decoded(head, maps).permute(0, 2, 1))[0].numpy()
    rows = rows[rows[:, 4] > threshold]
    return {"box": rows[:, :4], "score": rows[:, 4], "class_id": rows[:, 5].astype(np.uint8)}


def split_case(name: str, network: Any, task: str, yolo26: bool, maps: Maps, shared: str) -> dict[str, Array]:
    """The numbers of a case, and what Ultralytics finds in them."""
    rows, columns, _ = maps["scores"][0].values.shape
    width, height = columns * STRIDES[0], rows * STRIDES[0]
    outputs = {"boxes": maps["boxes"], "scores": maps["scores"], "extras": maps.get(EXTRA[task], [])}
    described: dict[str, Any] = {"task": task, "yolo26": yolo26, "shared": shared, "size": (width, height)}
    arrays: dict[str, Array] = {}
    for kind, several in {**outputs, "prototypes": maps.get("proto", [])}.items():
        described[kind] = [(one.values.shape, one.values.dtype.name, one.scale, one.zero_point) for one in several]
        arrays |= {f"{name}/{kind}{i}": recorder.byte_planes(one.values.transpose(2, 0, 1)) for i, one in enumerate(several)}
    arrays[f"{name}/described"] = recorder.as_json(described)
    planes = recorder.real(maps["proto"][0]).transpose(2, 0, 1) if task == "segment" else None
    for setting in SETTINGS:
        head = head_of(network, task, yolo26)
        found = suppressed(decoded(head, maps), setting, task, head.nc, planes, (height, width))
        arrays |= {f"{name}/{setting[0]} {setting[1]}/{key}": values for key, values in found.items()}
        if yolo26 and task == "detect":
            alone = found_one_to_one(network, maps, setting[0])
            arrays |= {f"{name}/{setting[0]} one-to-one/{key}": values for key, values in alone.items()}
        print(f"{name}, {setting[0]}: {len(found['score'])} found", flush=True)
    return arrays


def optimized(file: Path, task: str, picture: Array) -> Maps:
    """What an exported file puts out after it was optimized."""
    from n6post_pc.optimize import tflite as optimize_tflite

    outputs: dict[int, list[Tensor]] = {}
    for one in outputs_of(optimize_tflite.optimized(file.read_bytes()).data, picture)[0]:
        outputs.setdefault(one.values.shape[3], []).append(one._replace(values=one.values[0]))
    for several in outputs.values():
        several.sort(key=lambda one: -one.values.size)
    maps = {"boxes": outputs[64], "scores": outputs[classes_of(task)]}
    if task == "segment":
        maps["proto"] = [outputs[32].pop(0)]
    return maps | ({EXTRA[task]: outputs[32 if task == "segment" else 51]} if EXTRA[task] else {})


def split(folder: Path) -> None:
    import torchvision  # noqa: F401  (then its nms is used, which takes the lower anchor of equal scores first)

    arrays: dict[str, Array] = {}
    networks = {task: network_of(folder, task) for task in ("detect", "segment", "pose")}
    for task, yolo26, kind, shared, numbers, rows in CASES:
        picture = np.concatenate([picture_of(folder, task, number) for number in numbers], axis=1)[rows]
        maps = quantized_maps(maps_of(networks[task], task, picture, yolo26), kind, shared)
        name = f"{task}{'26' if yolo26 else ''} {kind} {shared} {picture.shape[1]}x{picture.shape[0]}"
        arrays |= split_case(name, networks[task], task, yolo26, maps, shared)
    for pattern in OPTIMIZED:
        for task, network in networks.items():
            file = folder / pattern.format(task=task)
            maps = optimized(file, task, picture_of(folder, task, NUMBERS[NETWORKS[task][1]]))
            equal = all(len({one[1:] for one in maps[name]}) == 1 for name in ("boxes", "scores"))
            name = f"{file.relative_to(folder).parts[0]} {file.stem}"
            arrays |= split_case(name, network, task, False, maps, "kinds" if equal else "own")
    recorder.write(recorder.DATA / "split.npz.xz", arrays)


# --- oriented boxes ---
OBB_FILES = {
    "yolo11 float32": "8.4.82 raw/yolo11_saved_model/yolo11_float32.tflite",
    "yolo11 int8": "8.4.82 raw/yolo11_saved_model/yolo11_full_integer_quant.tflite",
    "yolo26 int8": "8.4.82 raw/yolo26_saved_model/yolo26_full_integer_quant.tflite",
    "yolo26 onnx": "8.4.190 raw/yolo26.onnx",
    "yolo26 end-to-end": "8.4.190 end-to-end/yolo26.onnx",
    "yolo11 with nms": "8.4.190 with nms/yolo11.onnx",
}
OBB_NUMBERS = (19, 0)  # of the pictures for validation; split heads have the first
OBB_SPLIT = [("yolo11", "int8"), ("yolo11", "float32"), ("yolo26", "int8"), ("yolo26", "uint8")]
ROWS = 40  # that are kept of the 300 of an end-to-end head


def obb_output(file: Path, picture: Array) -> Tensor:
    """The head of an exported file; only the best rows of an end-to-end head."""
    if file.suffix == ".tflite":
        (output,), _ = outputs_of(file, picture)
        return output
    import onnxruntime

    session = onnxruntime.InferenceSession(file)
    planes = (picture / np.float32(255)).transpose(2, 0, 1)[None].copy()
    values = session.run(None, {session.get_inputs()[0].name: planes})[0]
    return Tensor(halves(values[:, :ROWS] if values.shape[2] == 7 else values))


def oriented(head: Array, setting: tuple[float, float]) -> dict[str, Array]:
    """Boxes x, y, w, h, angle and corners in pixels of the input, scores and classes. The head is in pixels."""
    import torch
    from ultralytics.engine.results import OBB
    from ultralytics.utils.nms import non_max_suppression

    options = {"nc": classes_of("yolo11"), "max_time_img": 60, "rotated": True, "end2end": head.shape[2] == 7}
    (rows,) = non_max_suppression(torch.from_numpy(head), *setting, **options)
    size = (PICTURES["rectangles"].side,) * 2
    boxes = OBB(torch.cat([rows[:, :4], rows[:, -1:], rows[:, 4:6]], dim=-1), size)  # as OBBPredictor
    return {"xywhr": boxes.xywhr.numpy(), "corners": boxes.xyxyxyxy.numpy(), "score": boxes.conf.numpy(),
            "class_id": boxes.cls.numpy().astype(np.uint8)}  # fmt: skip


def obb(folder: Path) -> None:
    arrays: dict[str, Array] = {}

    def add(name: str, outputs: dict[str, Tensor], head: Array) -> None:
        arrays[f"{name}/described"] = recorder.as_json(
            {kind: (out.values.shape, out.values.dtype.name, out.scale, out.zero_point) for kind, out in outputs.items()}
        )
        for kind, (values, _, _) in outputs.items():
            flat = values.shape[0] == 1 and values.shape[2] != 7
            arrays[f"{name}/{kind}"] = recorder.byte_planes(values if flat else np.moveaxis(values, -1, 0))
        for setting in SETTINGS:
            found = oriented(head.copy(), setting)
            arrays.update({f"{name}/{setting[0]} {setting[1]}/{key}": values for key, values in found.items()})
            print(f"{name}, {setting[0]}: {len(found['score'])} found", flush=True)

    for kind, file in OBB_FILES.items():
        for number in OBB_NUMBERS:
            output = obb_output(folder / file, picture_of(folder, "yolo11", number))
            head = recorder.real(output)
            if file.endswith(".tflite"):
                head[:, :4] *= PICTURES["rectangles"].side
            add(f"{kind} {number}", {"head": output}, head)
    for name, kind in OBB_SPLIT:
        network = network_of(folder, name)
        network.end2end = False
        maps = quantized_maps(maps_of(network, "obb", picture_of(folder, name, OBB_NUMBERS[0])), kind, "own")
        outputs = {f"{key}{i}": one for key, several in maps.items() for i, one in enumerate(several)}
        add(f"split {name} {kind} {OBB_NUMBERS[0]}", outputs, decoded(network.model[-1], maps).numpy())
    recorder.write(recorder.DATA / "obb.npz.xz", arrays)


# --- semantic segmentation ---
STEP = 0.03  # of the quantized logits


def semantic() -> None:
    import torch
    from ultralytics.nn.tasks import SemanticSegmentationModel

    torch.manual_seed(1)
    network = SemanticSegmentationModel("yolo26n-sem.yaml", ch=3, nc=5, verbose=False).eval()
    head = network.model[-1]
    photograph = recorder.photograph("coffee").resize((96, 64))
    pixels = torch.tensor(np.asarray(photograph)).permute(2, 0, 1)[None].float() / 255
    arrays: dict[str, Array] = {}
    with torch.no_grad():
        logits = network(pixels)
        last = head.classifier[1]
        spread = logits.std(dim=(0, 2, 3))
        last.weight /= spread.view(-1, 1, 1, 1)
        last.bias.copy_((last.bias - logits.mean(dim=(0, 2, 3))) / spread)
        arrays["raw"] = np.round(network(pixels).numpy() / STEP).clip(-128, 127).astype(np.int8)  # before the upsampling
        head.export, head.format = True, "litert"
        steps = torch.round(network(pixels) / STEP).clip(-128, 127)
        arrays["litert/classes"] = steps.argmax(1).to(torch.uint8).numpy()
        arrays["litert"] = steps.contiguous().numpy().astype(np.int8)
        head.format = "onnx"
        arrays["onnx"] = network(pixels).numpy()
    print("classes", np.unique(arrays["onnx"]))
    recorder.write(recorder.DATA / "semantic.npz.xz", arrays)


if __name__ == "__main__":
    recorder.main(exports, split, obb, semantic)
