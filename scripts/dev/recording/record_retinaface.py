"""Record outputs of RetinaFace, and what its authors' code makes of them, for families/anchors/test_ssd_retinaface.py.

    python scripts/dev/recording/record_retinaface.py SMALL LARGE

It needs numpy, pillow, scikit-image and torch. SMALL is a checkout of biubug6/Face-Detector-1MB-with-landmark, with its
weights, LARGE one of biubug6/Pytorch_Retinaface, which has none:

RFB, slim, mobilenet    the networks of SMALL on a collage of scikit-image's astronaut: the rows whose score is .02 or more
large                   random numbers for 60 rows of LARGE

Beside them is what PriorBox, decode, decode_landm and py_cpu_nms of the same repository make of exactly these numbers, at
three settings: x1, y1, x2, y2, score, five keypoints x and y, in input pixels. py_cpu_nms counts each box as one pixel wider
and higher than it is. It gets boxes that are one pixel smaller, so that their overlaps are exact; "plus" says how many
it keeps otherwise. Nothing of the networks and the picture is stored.
"""

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import recorder
import torch
from recorder import Array

SETTINGS = [(0.5, 0.4), (0.2, 0.6), (0.05, 0.3)]  # threshold, iou_threshold
NETWORKS = {  # module, class, configuration, file, input
    "RFB": ("models.net_rfb", "RFB", "cfg_rfb", "RBF_Final.pth", (320, 240)),
    "slim": ("models.net_slim", "Slim", "cfg_slim", "slim_Final.pth", (300, 200)),
    "mobilenet": ("models.retinaface", "RetinaFace", "cfg_mnet", "mobilenet0.25_Final.pth", (320, 240)),
}


def outputs_of(folder: Path, name: str) -> tuple[Array, Array, Array]:
    """Boxes, scores and keypoints of a network, (N, 4), (N, 2) and (N, 10)."""
    module, kind, configuration, file, size = NETWORKS[name]
    config = getattr(importlib.import_module("data.config"), configuration)
    network = getattr(importlib.import_module(module), kind)(cfg=config, phase="test")
    state = torch.load(folder / "weights" / file, map_location="cpu")
    network.load_state_dict({key.removeprefix("module."): value for key, value in state.items()})
    places = [(130, 10, 20, 0, False), (90, 170, 10, 0, True), (60, 250, 130, 0, False), (45, 180, 150, 0, True)]
    face = recorder.photograph("astronaut").crop((120, 20, 340, 240))
    picture = recorder.collage(face, places, 320, (90, 110, 100)).crop((0, 0, 320, 240)).resize(size)
    pixels = np.asarray(picture, np.float32)[:, :, ::-1] - np.float32([104, 117, 123])
    with torch.no_grad():
        found = network.eval()(torch.from_numpy(pixels.transpose(2, 0, 1)[None].copy()))
    return tuple(one[0].numpy() for one in found)  # type: ignore[return-value]


def judged(config: Any, size: tuple[int, int], outputs: tuple[Array, Array, Array], settings: list[Any]) -> dict[str, Array]:
    """What the authors' code makes of the outputs. `settings` in the order of the results."""
    prior_box, box_utils, nms = [
        importlib.import_module(name) for name in ("layers.functions.prior_box", "utils.box_utils", "utils.nms.py_cpu_nms")
    ]
    priors = prior_box.PriorBox(config, image_size=size[::-1]).forward()
    boxes, scores, points = (torch.from_numpy(one) for one in outputs)
    corners = box_utils.decode(boxes, priors, config["variance"]) * torch.tensor([*size, *size])
    landmarks = box_utils.decode_landm(points, priors, config["variance"]) * torch.tensor([*size] * 5)
    results = {}
    for threshold, iou_threshold in settings:
        at = np.flatnonzero(scores[:, 1].numpy() > threshold)
        at = at[scores[at, 1].numpy().argsort()[::-1]]
        rows = np.concatenate([corners[at], scores[at, 1:], landmarks[at]], axis=1).astype(np.float32)
        kept = nms.py_cpu_nms(rows[:, :5] - np.float32([0, 0, 1, 1, 0]), iou_threshold)
        plus = len(nms.py_cpu_nms(rows[:, :5], iou_threshold))
        results[f"authors {threshold:g} {iou_threshold:g}"] = rows[kept]
        results[f"plus {threshold:g} {iou_threshold:g}"] = np.array([plus])
        print(size, threshold, iou_threshold, len(kept), plus)
    return results


def stored(case: str, size: tuple[int, int], outputs: tuple[Array, Array, Array], at: Array) -> dict[str, Array]:
    """The rows `at` of the outputs; all others are background."""
    data = {f"{case}/about": recorder.as_json({"size": size, "rows": len(outputs[0])}), f"{case}/at": at.astype(np.uint16)}
    return data | {f"{case}/{i}": one[at] for i, one in enumerate(outputs)}


def thinned(outputs: tuple[Array, Array, Array], at: Array) -> tuple[Array, Array, Array]:
    boxes, scores, points = (np.zeros_like(one) for one in outputs)
    scores[:, 0] = 1
    for one, whole in zip((boxes, scores, points), outputs, strict=True):
        one[at] = whole[at]
    return boxes, scores, points


def use(folder: Path) -> Any:
    """data.config of a checkout, whose modules are the ones that are imported from now on."""
    for name in [name for name in sys.modules if name.split(".")[0] in ("data", "layers", "models", "utils")]:
        del sys.modules[name]
    sys.path.insert(0, str(folder))
    return importlib.import_module("data.config")


def record(small: Path, large: Path) -> None:
    data: dict[str, Array] = {}
    config = use(small)
    for case, (_, _, configuration, _, size) in NETWORKS.items():
        outputs = outputs_of(small, case)
        at = np.flatnonzero(outputs[1][:, 1] >= 0.02)
        data |= stored(case, size, outputs, at)
        found = judged(getattr(config, configuration), size, thinned(outputs, at), SETTINGS)
        data |= {f"{case}/{setting}": rows for setting, rows in found.items()}
    config = use(large)
    random = np.random.default_rng(3)
    size, count = (200, 152), 2 * (25 * 19 + 13 * 10 + 7 * 5)
    at = np.sort(random.choice(count, 60, replace=False))
    scores = random.uniform(0.03, 1, count).astype(np.float32)
    outputs = random.normal(0, 2, (count, 4)), np.stack([1 - scores, scores], axis=1), random.normal(0, 4, (count, 10))
    outputs = tuple(one.astype(np.float32) for one in outputs)  # type: ignore[assignment]
    data |= stored("large", size, outputs, at)
    found = judged(config.cfg_mnet, size, thinned(outputs, at), SETTINGS)
    data |= {f"large/{setting}": rows for setting, rows in found.items()}
    recorder.write(recorder.DATA / "retinaface.npz.xz", data)


if __name__ == "__main__":
    recorder.main(record)
