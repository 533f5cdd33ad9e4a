"""Record SSD heads whose priors Ssd knows, and what their authors' code makes of them, for families/anchors/test_priors.py.

    python scripts/dev/recording/record_priors.py REPOSITORY

It needs numpy, pillow, scikit-image, onnx, onnxruntime, torch and torchvision. REPOSITORY is a checkout of
Linzaer/Ultra-Light-Fast-Generic-Face-Detector-1MB:

ultra_light     models/onnx/version-RFB-640.onnx on a collage of scikit-image's astronaut: its scores, and its offsets before
                the operators with which it decodes them. Beside them are the boxes that these operators make of the offsets
                of the priors that are kept, those of a score from .5 on, after the project's hard_nms
priors          what the project's define_img_size makes for each of its sizes: one prior in 37 or more
ssdlite         random logits and offsets for 40 priors of torchvision's ssdlite320_mobilenet_v3_large, and what its
                postprocess_detections makes of them with its own default boxes

Nothing of the network and the picture is stored.
"""

import importlib.util
import sys
import types
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import recorder
import torch
from PIL import Image
from recorder import Array
from torchvision.models.detection import ssdlite320_mobilenet_v3_large
from torchvision.models.detection.image_list import ImageList

STEP = 37  # of the priors that are stored


def collage() -> Image.Image:
    places = [(300, 10, 20, 0, False), (200, 330, 10, 0, True), (140, 480, 250, 0, False), (110, 350, 300, 0, True)]
    face = recorder.photograph("astronaut").crop((120, 20, 340, 240))
    return recorder.collage(face, places, 640, (90, 110, 100)).crop((0, 0, 640, 480))


def module(repository: Path, file: str) -> Any:
    spec = importlib.util.spec_from_file_location(Path(file).stem, repository / file)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    return loaded


def ultra_light(repository: Path, data: dict[str, Array]) -> None:
    model = onnx.load(repository / "models" / "onnx" / "version-RFB-640.onnx")
    (softmax,) = [node for node in model.graph.node if node.op_type == "Softmax"]
    sliced = [name for node in model.graph.node if node.op_type == "Slice" for name in node.input[:1]]
    (offsets,) = [node for node in model.graph.node if len(node.input) == 4 and node.output[0] in sliced]
    model.graph.output.append(onnx.helper.make_tensor_value_info(offsets.output[0], onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(model.SerializeToString(), options)
    pixels = (np.asarray(collage(), np.float32) - 127) / 128
    names = [softmax.output[0], "boxes", offsets.output[0]]
    scores, corners, raw = session.run(names, {"input": pixels.transpose(2, 0, 1)[None]})
    likely = np.flatnonzero(scores[0, :, 1] >= 0.5)
    hard_nms = module(repository, "vision/utils/box_utils_numpy.py").hard_nms
    sure = scores[0, :, 1] > 0.6
    found = hard_nms(np.concatenate([corners[0], scores[0, :, 1:]], axis=1)[sure], 0.3)
    print(len(likely), "priors;", found)
    data |= {"ultra_light/at": likely.astype(np.uint16), "ultra_light/scores": scores[0, likely]}
    data |= {"ultra_light/offsets": raw[0, likely], "ultra_light/hard_nms": np.float32(found)}


def priors(repository: Path, data: dict[str, Array]) -> None:
    box_utils = module(repository, "vision/utils/box_utils.py")
    for name in ("vision", "vision.utils"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["vision.utils.box_utils"] = box_utils
    for size in (128, 160, 480, 640, 1280):
        config = module(repository, "vision/ssd/config/fd_config.py")
        config.define_img_size(size)
        rows = config.priors.numpy()
        data[f"priors/{size}"] = rows[:: max(STEP, len(rows) // 500)]
        data[f"priors/{size}/count"] = np.array([len(rows)])


def ssdlite(data: dict[str, Array]) -> None:
    network = ssdlite320_mobilenet_v3_large(weights=None, weights_backbone=None).eval()
    network.score_thresh, network.nms_thresh = 0.3, 0.5
    random = np.random.default_rng(320)
    at = np.unique(np.concatenate([random.choice(3234, 34, replace=False), np.arange(3228, 3234)]))
    logits = np.full((1, 3234, 91), -2, np.float32)
    logits[0, :, 0] = 9
    offsets = np.zeros((1, 3234, 4), np.float32)
    logits[0, at] = random.normal(0, 1, (len(at), 91))
    logits[0, at, random.integers(1, 91, len(at))] = random.uniform(5, 9, len(at))
    offsets[0, at] = random.normal(0, 1.5, (len(at), 4))
    maps = [torch.zeros(1, 1, side, side) for side in (20, 10, 5, 3, 2, 1)]
    anchors = network.anchor_generator(ImageList(torch.zeros(1, 3, 320, 320), [(320, 320)]), maps)
    head = {"cls_logits": torch.from_numpy(logits), "bbox_regression": torch.from_numpy(offsets)}
    (found,) = network.postprocess_detections(head, anchors, [(320, 320)])
    rows = torch.cat([found["boxes"], found["scores"][:, None], found["labels"][:, None] - 1], dim=1)
    print(rows)
    data |= {"ssdlite/at": at.astype(np.uint16), "ssdlite/logits": logits[0, at], "ssdlite/offsets": offsets[0, at]}
    data["ssdlite/found"] = rows.numpy()


def record(repository: Path) -> None:
    data: dict[str, Array] = {}
    ultra_light(repository, data)
    priors(repository, data)
    ssdlite(data)
    recorder.write(recorder.DATA / "priors.npz.xz", data)


if __name__ == "__main__":
    recorder.main(record)
