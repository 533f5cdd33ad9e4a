"""Record rows of YOLOv5-face and what its authors' code makes of them, for host_tests/families/anchors/test_yolov5_face.py.

    python scripts/dev/recording/record_yolov5_face.py REPOSITORY

It needs numpy, torch, torchvision and what models/yolo.py of REPOSITORY imports, a checkout of deepcam-cn/yolov5-face. No
trained file is in that repository. So the last layer of models/yolov5n-0.5.yaml, Detect, gets random numbers: small ones
for landmarks, and a high objectness in a few places. `rows` is what Detect makes of them for an input of 160 x 96, `authors`
what non_max_suppression_face of utils/general.py makes of the rows, at three settings: x1, y1, x2, y2, score, five
landmarks, class.
"""

import sys
from pathlib import Path

import recorder
import torch
from recorder import Array

SETTINGS = [(0.5, 0.5), (0.3, 0.4), (0.1, 0.7)]  # threshold, iou_threshold
SIZE = 160, 96


def record(repository: Path) -> None:
    sys.path.insert(0, str(repository))
    from models.yolo import Model
    from utils.general import non_max_suppression_face

    torch.manual_seed(5)
    detect = Model(str(repository / "models" / "yolov5n-0.5.yaml")).eval().model[-1]
    maps = []
    for stride in (8, 16, 32):
        numbers = torch.randn(1, 3, 16, SIZE[1] // stride, SIZE[0] // stride)
        numbers[:, :, 5:15] *= 0.4
        numbers[:, :, 4] = numbers[:, :, 4] * 2 - 4
        numbers[:, :, 15] += 3
        maps.append(numbers.flatten(1, 2))
    detect.m = torch.nn.ModuleList([torch.nn.Identity()] * 3)
    with torch.no_grad():
        rows = detect(maps)[0]
        data: dict[str, Array] = {"rows": rows.numpy()}
        for threshold, iou_threshold in SETTINGS:
            (found,) = non_max_suppression_face(rows.clone(), threshold, iou_threshold)
            data[f"authors {threshold:g} {iou_threshold:g}"] = found.numpy()
            print(threshold, iou_threshold, len(found))
    recorder.write(recorder.DATA / "yolov5_face.npz.xz", data)


if __name__ == "__main__":
    recorder.main(record)
