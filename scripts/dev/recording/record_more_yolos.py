"""Record outputs of YOLOv6 and of poses with kpt_shape=[K, 2], and what their authors' code makes of them.

For host_tests/families/anchors/test_yolox.py and yolo/test_yolov8_pose.py. It writes more_yolos.npz.xz, whose cases are
like those of objectness.npz.xz:

    python scripts/dev/recording/record_more_yolos.py FOLDER

FOLDER has bus.jpg, a photograph of persons and a bus, and the sources that judge, which run here and are not copied: YOLOv6
of meituan/YOLOv6, with the networks in deploy/NCNN. It needs numpy, pillow, ncnn, torch, torchvision and ultralytics
8.4.190. The judges get exactly the numbers that are stored. The networks of poses have random weights.
"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import Any

import ncnn
import numpy as np
import recorder
import torch
from PIL import Image
from recorder import Array, Tensor

COCO = [0, 2, 5]  # the classes that are kept of 80
LABELS = ["person", "car", "bus"]


class Part(torch.nn.Module):
    """Some channels of a map, or their logits."""

    def __init__(self, first: int, last: int, logits: bool) -> None:
        super().__init__()
        self.first, self.last, self.logits = first, last, logits

    def forward(self, maps: Any) -> Any:
        part = maps[:, self.first : self.last].double()
        return (torch.logit(part) if self.logits else part).float()


def yolov6(folder: Path, pixels: Array) -> list[Array]:
    """The maps of yolov6-lite-s: scores and distances for each of four strides."""
    net = ncnn.Net()
    file = folder / "YOLOv6/deploy/NCNN/Android/app/src/main/assets/yolov6-lite-s"
    net.load_param(f"{file}.param")
    net.load_model(f"{file}.bin")
    extractor = net.create_extractor()
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1) / 255, np.float32)  # ncnn keeps no reference to it
    extractor.input("in0", ncnn.Mat(planes))
    return [np.array(extractor.extract(f"out{k}")[1]) for k in range(4)]


def yolov6_rows(maps: list[Array]) -> Array:
    """The rows that YOLOv6's Detect makes of its maps."""
    from yolov6.models.heads.effidehead_lite import Detect

    classes = maps[0].shape[0] - 4
    same = torch.nn.Identity()
    layers = [same, same, same, Part(0, classes, True), Part(classes, classes + 4, False)] * len(maps)
    head = Detect(classes, len(maps), head_layers=layers).eval()
    return head([torch.tensor(one)[None] for one in maps]).numpy()  # type: ignore[no-any-return]


def flat_pose(file: str, keypoints: int, side: int) -> Array:
    """What a pose network of Ultralytics with kpt_shape=[K, 2] and random weights, scaled so that boxes differ, puts out."""
    from ultralytics.nn.tasks import PoseModel
    from ultralytics.utils import ROOT, YAML

    torch.manual_seed(keypoints)
    settings = {**YAML.load(ROOT / "cfg/models" / file), "kpt_shape": [keypoints, 2], "scale": "n"}
    network = PoseModel(settings, ch=3, nc=1, verbose=False)
    for module in network.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = 1.0
    with torch.no_grad():
        network.train()(torch.rand(4, 3, side, side))
        head = network.eval().model[-1]
        head.end2end = "26" in file
        factors = {"cv2": 0.15, "cv3": 0.4, "cv4": 0.02, "one2one_cv2": 0.02, "one2one_cv3": 0.4, "one2one_cv4_kpts": 0.03}
        for name, factor in factors.items():
            for one in getattr(head, name, None) or ():
                last = [module for module in one.modules() if isinstance(module, torch.nn.Conv2d)][-1]
                last.weight *= factor
                if name.endswith("cv3") or name.startswith("one2one_cv2"):
                    last.bias[:] = -2.0 if name.endswith("cv3") else 2.0
        return network(torch.rand(1, 3, side, side))[0].numpy()  # type: ignore[no-any-return]


def record(folder: Path) -> None:
    version = types.ModuleType("pkg_resources")
    version.parse_version = lambda text: [int(n) for n in text.split("+")[0].split(".")]  # type: ignore[attr-defined]
    sys.modules["pkg_resources"] = version
    sys.path.insert(0, str(folder / "YOLOv6"))
    from yolov6.utils.nms import non_max_suppression

    cases: list[dict[str, Any]] = []
    arrays: dict[str, Array] = {}

    def store(
        name: str, family: str, side: int, labels: list[str], tensors: list[Tensor], results: dict[str, Any], **options: Any
    ) -> None:
        index = len(cases)
        for k, (values, _, _) in enumerate(tensors):
            arrays[f"{index}_{k}"] = np.moveaxis(values, -1, 0)
        for judge, rows in results.items():
            arrays[f"{index}_{judge}"] = np.array(rows, np.float32).reshape(-1, 6)
            print(f"{name}: {judge} {len(rows)} detections, {arrays[f'{index}_{judge}'][:8, 4].round(3).tolist()}")
        cases.append({
            "name": name, "family": family, "side": side, "labels": labels,
            "quantization": [tensor[1:] for tensor in tensors], "options": options, "judges": list(results),
        })  # fmt: skip

    pixels = recorder.letterboxed(Image.open(folder / "bus.jpg").convert("RGB"), (320, 320), int, centered=False)
    rows = yolov6_rows(yolov6(folder, pixels))[..., [0, 1, 2, 3, 4] + [5 + k for k in COCO]]
    (tensor,) = recorder.quantized([rows], "float16")
    found = non_max_suppression(torch.tensor(recorder.real(tensor)), 0.25, 0.45)[0].numpy()
    store("yolov6 bus.jpg", "YoloX", 320, LABELS, [tensor], {"meituan": found}, threshold=0.25, iou_threshold=0.45)

    from ultralytics.utils.nms import non_max_suppression as suppressed

    for file, keypoints in (("v8/yolov8-pose.yaml", 5), ("v8/yolov8-pose.yaml", 12), ("26/yolo26-pose.yaml", 12)):
        (tensor,) = recorder.quantized([flat_pose(file, keypoints, 128)], "float16")
        rows = torch.tensor(recorder.real(tensor))
        found = rows[0][rows[0, :, 4] > 0.25] if "26" in file else suppressed(rows, 0.25, 0.7, nc=1)[0]
        name = f"pose {Path(file).stem} {keypoints}"
        arrays[name], arrays[f"{name} found"] = tensor.values, found.numpy().astype(np.float32)
        print(f"{name}: {tensor.values.shape}, {len(found)} poses, {found[:8, 4].numpy().round(3).tolist()}")

    recorder.write(recorder.DATA / "more_yolos.npz.xz", {**arrays, "index": np.array(json.dumps(cases))})


if __name__ == "__main__":
    recorder.main(record)
