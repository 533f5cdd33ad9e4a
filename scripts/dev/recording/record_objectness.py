"""Record outputs of real YOLO networks with an objectness, and what other software makes of them.

For host_tests/families/anchors/test_yolov2.py, test_yolov5.py and test_yolox.py. It writes objectness.npz.xz:

    python scripts/dev/recording/record_objectness.py FOLDER OTHER

FOLDER has the networks and pictures, none of which are in this project:

    yolo_lc_192.tflite                              ROM of the OpenMV N6
    st_yolo_x_nano_480_1.0_0.25_3_st_int8.tflite    STM32N6-GettingStarted-ObjectDetection
    yolox_nano.tflite                               Megvii's yolox_nano, decoded in inference, NHWC
    common_det.onnx                                 PyPI's ddddocr 1.6.1 (a YOLOX of one class)
    yolov5n-int8.tflite                             `export.py --include tflite --int8` of ultralytics/yolov5
    node_modules                                    `npm install @vladmandic/face-api @tensorflow/tfjs`: a tiny YOLOv2
    bus.jpg, faces.bmp, page.png                    photographs of persons, and a page of text

and the sources that judge them, which run here and are not copied: YOLOX (Megvii), yolov5 (Ultralytics), ml-core and
ml-darknet (OpenMV). It needs numpy, pillow, ai-edge-litert, onnxruntime, torch, opencv and node. Outputs are stored as the
network puts them out, or quantized here and with fewer classes; the judges get exactly the numbers that are stored.

OTHER is a .npz with what ST's C library lib_vision_models_pp (od_pp_yolov2.c, od_pp_st_yolox.c, od_pp_yolo_d.c), which is
not in this project, made of the same numbers: an array CASE/FUNCTION each, with rows x1, y1, x2, y2 in input pixels, score
and class.
"""

from __future__ import annotations

import ast
import json
import subprocess
import sys
import time
import types
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime
import recorder
import torch
from n6post_pc import paths
from PIL import Image
from recorder import Array, Tensor

# face-api's network on out.bin's pixels, or its decode and suppression of out.bin's tensor.
FACE_API = """
const Module = require('module'), resolve = Module._resolveFilename;
Module._resolveFilename = (name, ...rest) => resolve(name === '@tensorflow/tfjs-node' ? '@tensorflow/tfjs' : name, ...rest);
const fs = require('fs'), tf = require('@tensorflow/tfjs'), api = require('@vladmandic/face-api/dist/face-api.node.js');
const [folder, mode, side, threshold] = process.argv.slice(2), n = +side, file = folder + '/face_api.bin';
(async () => {
  await tf.setBackend('cpu');
  await tf.ready();
  const net = new api.TinyFaceDetector();
  await net.loadFromDisk(folder + '/node_modules/@vladmandic/face-api/model');
  const bytes = new Uint8Array(fs.readFileSync(file));
  if (mode === 'run') {
    const out = await net.forward(tf.tensor3d(bytes, [n, n, 3], 'int32'), n);
    fs.writeFileSync(file, Buffer.from((await out.data()).buffer));
  } else {
    const out = tf.tensor4d(new Float32Array(bytes.buffer), [1, n / 32, n / 32, 25]);
    const found = await net.extractBoxes(out, {width: n, height: n}, +threshold);
    const boxes = found.map(one => one.box.rescale(n));
    const kept = api.nonMaxSuppression(boxes, found.map(one => one.score), 0.4, true);
    const rows = kept.map(k => [boxes[k].left, boxes[k].top, boxes[k].right, boxes[k].bottom, found[k].score, 0]);
    fs.writeFileSync(file, JSON.stringify(rows));
  }
})();
"""

Rows = list[list[float]]  # x1, y1, x2, y2 in input pixels, score, class

FACE_ANCHORS = [1.603231, 2.094468, 6.041143, 7.080126, 2.882459, 3.518061, 4.266906, 5.178857, 9.041765, 10.66308]
V5_ANCHORS = [[10, 13, 16, 30, 33, 23], [30, 61, 62, 45, 59, 119], [116, 90, 156, 198, 373, 326]]
COCO = [0, 2, 5]  # the classes that are kept of 80: person, car, bus
LABELS = ["person", "car", "bus"]


# --- networks ---
def opened(picture: Path) -> Image.Image:
    return Image.open(picture).convert("RGB")


def corner(picture: Path, side: int) -> Array:
    """The picture in the upper left corner of a square of gray 114."""
    return recorder.letterboxed(opened(picture), (side, side), int, centered=False)


def run(model: Path, pixels: Array) -> recorder.Network:
    network = recorder.Network(model, plain=True)
    network.run(pixels.astype(network.input["dtype"]))
    return network


def tensors_of(network: recorder.Network, shape: tuple[int, ...], dtype: Any, name: str = "") -> list[Tensor]:
    """All tensors of this shape and dtype, in the order of the graph."""
    return [
        network.tensor(entry)
        for entry in network.interpreter.get_tensor_details()
        if tuple(entry["shape"]) == shape and entry["dtype"] == dtype and name in entry["name"]
    ]


# --- judges ---
def genuine(path: Path, names: list[str], scope: dict[str, Any]) -> types.SimpleNamespace:
    """These functions and classes of a source file, without the imports of the file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    wanted = [node for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name in names]
    exec(compile(ast.Module(wanted, []), str(path), "exec"), scope)
    return types.SimpleNamespace(**{name: scope[name] for name in names})


def opencv_nms(boxes: Any, scores: Any, threshold: float) -> Any:
    """As torchvision.ops.nms, by OpenCV."""
    corners = boxes.double().numpy()
    rects = np.concatenate([corners[:, :2], corners[:, 2:] - corners[:, :2]], axis=1).tolist()
    kept = cv2.dnn.NMSBoxes(rects, scores.double().tolist(), 0.0, threshold)
    return torch.tensor(np.array(kept).reshape(-1).astype(np.int64))


def megvii(sources: Path, rows: Array, side: int, cells: bool, threshold: float, iou_threshold: float) -> Rows:
    """yolox/utils: demo_postprocess for boxes that are relative to cells, and postprocess."""
    torchvision = types.SimpleNamespace(ops=types.SimpleNamespace(batched_nms=batched_nms))
    scope = {"np": np, "torch": torch, "torchvision": torchvision}
    code = genuine(sources / "YOLOX/yolox/utils/boxes.py", ["postprocess"], scope)
    demo = genuine(sources / "YOLOX/yolox/utils/demo_utils.py", ["demo_postprocess"], {"np": np})
    rows = rows.copy()
    if cells:
        rows = demo.demo_postprocess(rows, (side, side))
    found = code.postprocess(torch.tensor(rows), rows.shape[2] - 5, threshold, iou_threshold)[0]
    return [] if found is None else [[*row[:4], row[4] * row[5], row[6]] for row in found.double().tolist()]


def batched_nms(boxes: Any, scores: Any, classes: Any, threshold: float) -> Any:
    return opencv_nms(boxes + classes[:, None] * 7680.0, scores, threshold)


def ultralytics(sources: Path, rows: Any, threshold: float, iou_threshold: float) -> Rows:
    """non_max_suppression of ultralytics/yolov5."""
    torchvision = types.SimpleNamespace(ops=types.SimpleNamespace(nms=opencv_nms))
    scope = {"torch": torch, "np": np, "time": time, "torchvision": torchvision, "xywh2xyxy": corners_of}
    code = genuine(sources / "yolov5/utils/general.py", ["non_max_suppression"], scope)
    rows = torch.as_tensor(rows).clone()
    return code.non_max_suppression(rows, threshold, iou_threshold)[0].double().tolist()


def corners_of(boxes: Any) -> Any:
    """xywh2xyxy, which is in another package than yolov5."""
    return torch.cat([boxes[:, :2] - boxes[:, 2:] / 2, boxes[:, :2] + boxes[:, 2:] / 2], dim=1)


def ultralytics_maps(sources: Path, maps: list[Array], classes: int) -> Any:
    """The rows that Detect of ultralytics/yolov5 makes of NHWC maps, finest first."""
    scope = {"torch": torch, "nn": torch.nn, "check_version": lambda *_: True, "Segment": type(None)}
    code = genuine(sources / "yolov5/models/yolo.py", ["Detect"], scope)
    head = code.Detect(classes, V5_ANCHORS, [1, 1, 1])
    head.m = torch.nn.ModuleList([torch.nn.Identity()] * 3)
    head.stride = torch.tensor([8.0, 16.0, 32.0])
    head.anchors /= head.stride.view(-1, 1, 1)
    return head.eval()([torch.tensor(one.transpose(0, 3, 1, 2).copy()) for one in maps])[0]


def of_st(other: Any, case: str) -> dict[str, Rows]:
    """What ST's functions made of a case."""
    return {key.rpartition("/")[2]: other[key].tolist() for key in other.files if key.rpartition("/")[0] == case}


def openmv(sources: Path, tensor: Array, side: int, threshold: float) -> Rows:
    """OpenMV's YoloLC, with a suppression that drops nothing. It cuts boxes to whole pixels of the model's input."""
    paths.use_stand_ins()
    from ulab import _host

    utils = types.ModuleType("ml.utils")
    exec((sources / "ml-core/ml/utils.py").read_text(encoding="utf-8"), utils.__dict__)
    sys.modules["ml"], sys.modules["ml.utils"] = types.ModuleType("ml"), utils
    scope: dict[str, Any] = {}
    exec((sources / "ml-darknet/ml/postprocessing/darknet.py").read_text(encoding="utf-8"), scope)
    for name, value in vars(scope["YoloV2"]).items():
        if name.startswith("_YOLO"):
            scope[name] = value  # MicroPython's const() makes them visible in the methods
    model = types.SimpleNamespace(
        output_shape=(tensor.shape,), output_scale=(1.0,), output_zero_point=(0,), output_dtype=("f",),
        input_shape=((1, side, side, 3),),
    )  # fmt: skip
    source = types.SimpleNamespace(roi=(0, 0, side, side))
    found = scope["YoloLC"](threshold, nms_threshold=0.0, nms_sigma=0.0)(model, [source], [_host.wrap(tensor)])
    return [[x, y, x + w, y + h, score, k] for k, one in enumerate(found) for (x, y, w, h), score in one]


def face_api(folder: Path, data: Array, mode: str, side: int, threshold: float) -> bytes:
    (folder / "face_api.bin").write_bytes(data.tobytes())
    (folder / "face_api.js").write_text(FACE_API, encoding="utf-8")
    command = ["node", "face_api.js", ".", mode, str(side), str(threshold)]
    subprocess.run(command, check=True, cwd=folder, capture_output=True)
    return (folder / "face_api.bin").read_bytes()


# --- cases ---
def cropped(tensor: Tensor, stride: int, left: int, top: int, side: int) -> Tensor:
    """The part of a map that belongs to a square of the input, in pixels."""
    x, y, n = left // stride, top // stride, side // stride
    return tensor._replace(values=np.ascontiguousarray(tensor.values[:, y : y + n, x : x + n]))


def rounded(values: Array) -> Tensor:
    """Floats with seven significant bits."""
    return Tensor((values.astype(np.float32).view(np.int32) + 0x8000 & -0x10000).view(np.float32))


def with_classes(values: Array, anchors: int) -> Array:
    """A map or rows of 80 classes with those of COCO only."""
    shape = values.shape
    split = values.reshape(-1, anchors, 85)[:, :, [0, 1, 2, 3, 4] + [5 + k for k in COCO]]
    return split.reshape(*shape[:-1], anchors * (5 + len(COCO)))


def record(folder: Path, other: Path) -> None:
    cases: list[dict[str, Any]] = []
    arrays: dict[str, Array] = {}
    by_st = np.load(other)

    def store(
        name: str, family: str, side: int, labels: list[str], tensors: list[Tensor], results: dict[str, Any], **options: Any
    ) -> None:
        index = len(cases)
        for k, (values, _, _) in enumerate(tensors):
            arrays[f"{index}_{k}"] = np.moveaxis(values, -1, 0)  # channel by channel, which is packed better
        for judge, rows in results.items():
            arrays[f"{index}_{judge}"] = np.array(rows, np.float32).reshape(-1, 6)
            scores = arrays[f"{index}_{judge}"][:, 4]
            print(f"{name}: {judge} {len(rows)} detections, {np.round(scores, 3).tolist()[:8]}")
        cases.append({
            "name": name, "family": family, "side": side, "labels": labels,
            "quantization": [tensor[1:] for tensor in tensors], "options": options, "judges": list(results),
        })  # fmt: skip

    for picture, threshold in (("bus.jpg", 0.45), ("faces.bmp", 0.3)):
        network = run(folder / "yolo_lc_192.tflite", recorder.stretched(opened(folder / picture), (192, 192)))
        tensor = tensors_of(network, (1, 12, 12, 30), np.int8)[-1]
        results = of_st(by_st, f"yolo_lc {picture}")
        results["openmv"] = openmv(folder, recorder.real(tensor), 192, threshold)
        store(f"yolo_lc {picture}", "YoloV2", 192, ["person"], [tensor], results, threshold=threshold)

    pixels = recorder.stretched(opened(folder / "faces.bmp"), (416, 416))
    tensor = rounded(np.frombuffer(face_api(folder, pixels, "run", 416, 0), np.float32).reshape(1, 13, 13, 25))
    results = {"face-api": json.loads(face_api(folder, tensor.values, "decode", 416, 0.3))}
    options = {"threshold": 0.3, "iou_threshold": 0.4, "anchors": FACE_ANCHORS}
    store("tiny yolov2 faces.bmp", "YoloV2", 416, ["face"], [tensor], results, **options)

    network = run(folder / "st_yolo_x_nano_480_1.0_0.25_3_st_int8.tflite", corner(folder / "bus.jpg", 480))
    maps = [tensors_of(network, (1, n, n, 18), np.int8, "StatefulPartitionedCall")[-1] for n in (15, 60, 30)]
    store("st_yolo_x bus.jpg", "YoloX", 480, ["person"], maps, of_st(by_st, "st_yolo_x bus.jpg"), threshold=0.5)

    network = run(folder / "yolox_nano.tflite", corner(folder / "bus.jpg", 416)[..., ::-1])
    floats = [with_classes(one.values, 1) for one in tensors_of(network, (1, 3549, 85), np.float32)]
    (tensor,) = recorder.quantized([floats[0]], low=-2.6, high=3.4)
    results = {"megvii": megvii(folder, recorder.real(tensor), 416, True, 0.3, 0.5)}
    results |= of_st(by_st, "yolox_nano in cells")
    store("yolox_nano in cells", "YoloX", 416, LABELS, [tensor], results, threshold=0.3)
    tensor = rounded(floats[-1])
    results = {"megvii": megvii(folder, tensor.values, 416, False, 0.3, 0.5)}
    store("yolox_nano decoded", "YoloX", 416, LABELS, [tensor], results, threshold=0.3)

    session = onnxruntime.InferenceSession(str(folder / "common_det.onnx"))
    pixels = corner(folder / "page.png", 416)[..., ::-1].transpose(2, 0, 1)[None].astype(np.float32)
    (tensor,) = recorder.quantized([session.run(None, {"images": pixels})[0]], low=-2.6, high=3.4)
    results = {"megvii": megvii(folder, recorder.real(tensor), 416, True, 0.3, 0.45), **of_st(by_st, "ddddocr page")}
    store("ddddocr page", "YoloX", 416, ["text"], [tensor], results, threshold=0.3, iou_threshold=0.45)

    network = run(folder / "yolov5n-int8.tflite", recorder.letterboxed(opened(folder / "bus.jpg"), (640, 640), int))
    (*_, tensor) = tensors_of(network, (1, 25200, 85), np.uint8)
    tensor = tensor._replace(values=with_classes(tensor.values, 1))
    # Classes of anchors without any objectness.
    tensor.values[tensor.values[..., 4] <= tensor.zero_point, 5:] = tensor.zero_point
    rows = recorder.real(tensor)
    rows[..., :4] *= 640
    results = {"ultralytics": ultralytics(folder, rows, 0.3, 0.45)}
    store("yolov5n rows", "YoloV5", 640, LABELS, [tensor], results, threshold=0.3, iou_threshold=0.45)

    maps = []
    for stride in (8, 16, 32):
        tensor = tensors_of(network, (1, 640 // stride, 640 // stride, 255), np.int8, "BiasAdd")[0]
        maps.append(cropped(tensor._replace(values=with_classes(tensor.values, 3)), stride, 96, 256, 256))
    rows = ultralytics_maps(folder, [recorder.real(one) for one in maps], len(COCO))
    results = {"ultralytics": ultralytics(folder, rows, 0.3, 0.45)}
    store("yolov5n maps", "YoloV5", 256, LABELS, [maps[k] for k in (1, 2, 0)], results, threshold=0.3, iou_threshold=0.45)

    recorder.write(recorder.DATA / "objectness.npz.xz", {**arrays, "index": np.array(json.dumps(cases))})


if __name__ == "__main__":
    recorder.main(record)
