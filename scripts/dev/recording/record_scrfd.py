"""Record outputs of SCRFD and what insightface's code makes of them, for host_tests/families/anchors/test_scrfd.py.

    python scripts/dev/recording/record_scrfd.py MODEL CODE

It needs numpy, pillow, scikit-image, opencv and onnxruntime. MODEL is scrfd_500m_kps.onnx of hpc203/scrfd-opencv, CODE
python-package/insightface/model_zoo/scrfd.py of deepinsight/insightface. The network runs on a collage of scikit-image's
astronaut, 640 x 640. Numbers are rounded to 11 significant bits; boxes and keypoints of anchors whose score is below .02 are
stored as zeros, and such scores, too. Exactly these numbers go through the code's forward and nms. That nms counts each box
as one pixel wider and higher than it is; it gets boxes that are one pixel smaller, so that their overlaps are exact. Nothing
of the model and the picture is stored.
"""

import re
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import onnxruntime
import recorder
from recorder import Array

SETTINGS = [(0.5, 0.4), (0.1, 0.6), (0.03, 0.2)]  # threshold, iou_threshold


class Constants:
    """Stands for a session of onnxruntime that puts out these numbers."""

    def __init__(self, outputs: list[Array]) -> None:
        self.outputs = outputs

    def get_inputs(self) -> list[Any]:
        return [SimpleNamespace(name="images", shape=[1, 3, 640, 640])]

    def get_outputs(self) -> list[Any]:
        return [SimpleNamespace(name=str(i), shape=one.shape) for i, one in enumerate(self.outputs)]

    def run(self, *_: Any) -> list[Array]:
        return self.outputs


def record(model: Path, code: Path) -> None:
    places = [(420, 10, 20, 0, False), (200, 430, 10, 0, True), (90, 450, 250, 10, False), (50, 540, 240, 0, True)]
    places += [(150, 440, 400, -15, False), (28, 60, 520, 0, False), (110, 200, 500, 0, True)]
    face = recorder.photograph("astronaut").crop((120, 20, 340, 240))
    pixels = np.asarray(recorder.collage(face, places, 640, (90, 110, 100)), np.float32)
    session = onnxruntime.InferenceSession(str(model))
    found = session.run(None, {"images": ((pixels - 127.5) / 128).transpose(2, 0, 1)[None].copy()})
    outputs = []
    for i, one in enumerate(found):
        likely = found[i % 3] >= 0.02
        outputs.append(np.where(likely, one, 0).astype(np.float16))
    data: dict[str, Array] = {str(i): one[0] for i, one in enumerate(outputs)}
    module = ModuleType("scrfd")
    module.__dict__["DEFAULT_DET_SIZES"] = ()
    exec(re.sub(r"(?m)^from \.+.*$", "", code.read_text(encoding="utf-8")), module.__dict__)
    detector = module.SCRFD(session=Constants([one.astype(np.float32) for one in outputs]))
    picture = np.zeros((640, 640, 3), np.uint8)
    for threshold, iou_threshold in SETTINGS:
        detector.nms_thresh = iou_threshold
        scores, boxes, points = (np.concatenate(one) for one in detector.forward(picture, threshold))
        rows = np.concatenate([boxes, scores, points.reshape(-1, 10)], axis=1)
        rows = rows[rows[:, 4].argsort(kind="stable")[::-1]]
        kept = detector.nms(rows[:, :5] - np.float32([0, 0, 1, 1, 0]))
        print(threshold, iou_threshold, len(kept), len(detector.nms(rows[:, :5])))
        data[f"insightface {threshold:g} {iou_threshold:g}"] = rows[kept].astype(np.float32)
    recorder.write(recorder.DATA / "scrfd.npz.xz", data)


if __name__ == "__main__":
    recorder.main(record)
