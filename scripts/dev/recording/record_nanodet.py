"""Record outputs of NanoDet-Plus and what its authors' code makes of them, for host_tests/families/anchors/test_nanodet.py.

It needs an environment of its own: pip install torch torchvision opencv-python-headless matplotlib pytorch-lightning
omegaconf yacs termcolor tabulate pycocotools imagesize tensorboard ncnn scikit-image. CHECKOUT is a checkout of
RangiLyu/nanodet (be9b4a9), MODEL the authors' nanodet-plus-m_416 (COCO), converted to ncnn: MODEL.param and MODEL.bin, input
"data", output "output":

    B/bin/python scripts/dev/recording/record_nanodet.py CHECKOUT MODEL

The network runs on photographs of scikit-image; one case is random numbers. Of COCO's 80 classes the five with the highest
scores are kept. Class scores below .1 are stored as 0, and so are the bins of cells without a higher one. The authors'
NanoDetPlusHead gets exactly what is stored, in float64:

    all     `get_bboxes`: (n, 6), x1, y1, x2, y2 in input pixels, score, class. A cell gives a box for each class above .05
    best    the same with all scores but a cell's best one set to 0
    frame   `post_process` of "best" for a frame of 640 x 480 that was fitted into the input (`keep_ratio`)

Nothing of the model and of the code is stored.
"""

import io
import json
import lzma
import sys
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image

ROOT = Path(__file__).resolve().parents[3]
DATA = ROOT / "host_tests" / "data" / "nanodet.npz.xz"
FRAME = 640, 480
LEAST = 0.1
STRIDES = [8, 16, 32, 64]

# Picture (None: random numbers), size of the input, dtype.
CASES = {
    "astronaut": ("astronaut.png", (416, 416), "float16"),
    "cat": ("chelsea.png", (320, 320), "int8"),
    "motorcycle": ("motorcycle_left.png", (352, 352), "uint8"),
    "coffee": ("coffee.png", (320, 224), "int16"),
    "random": (None, (100, 60), "float16"),
}

Array = np.ndarray[Any, Any]


def output_of(model: str, picture: str, size: tuple[int, int]) -> Array:
    """The output [cells, 112] of the network."""
    import ncnn
    import skimage

    net = ncnn.Net()
    net.opt.use_fp16_arithmetic = net.opt.use_fp16_storage = net.opt.use_fp16_packed = False
    net.opt.num_threads = 1
    net.load_param(model + ".param")
    net.load_model(model + ".bin")
    with Image.open(Path(skimage.__file__).parent / "data" / picture) as opened:
        pixels = np.asarray(opened.convert("RGB").resize(size, Image.Resampling.BILINEAR))[:, :, ::-1].astype(np.float32)
    pixels = (pixels - np.float32([103.53, 116.28, 123.675])) / np.float32([57.375, 57.12, 58.395])
    planes = np.ascontiguousarray(pixels.transpose(2, 0, 1))
    extractor = net.create_extractor()
    extractor.input("data", ncnn.Mat(planes).clone())
    return np.array(extractor.extract("output")[1]).copy()


def random_output(size: tuple[int, int]) -> Array:
    """Random numbers for three classes."""
    random = np.random.default_rng(7)
    cells = sum(-(-size[0] // stride) * -(-size[1] // stride) for stride in STRIDES)
    return np.concatenate([random.uniform(0, 1, (cells, 3)), random.normal(0, 3, (cells, 32))], axis=1)


def stored(output: Array, dtype: str) -> tuple[Array, float, int]:
    """(numbers, scale, zero point) as they are stored; scale 0: floats of 11 significant bits."""
    scores, bins = output[:, :-32], output[:, -32:]
    scores = scores[:, np.sort(np.argsort(-scores.max(axis=0))[:5])]
    scores = np.where(scores < LEAST, 0, scores)
    bins = np.where(scores.max(axis=1, keepdims=True) < LEAST, 0, bins)
    kept = np.concatenate([scores, bins], axis=1)
    if dtype == "float16":
        return kept.astype(np.float16), 0.0, 0
    info = np.iinfo(dtype)
    low, high = float(kept.min()), float(kept.max())
    scale = float(np.float32((high - low) / (info.max - info.min)))
    zero_point = round(info.min - low / scale)
    return np.clip(np.round(kept / scale) + zero_point, info.min, info.max).astype(dtype), scale, zero_point


def head_for(classes: int) -> Any:
    from nanodet.model.head.nanodet_plus_head import NanoDetPlusHead
    from nanodet.util.yacs import CfgNode

    loss = {"loss_qfl": {"beta": 2.0, "loss_weight": 1}, "loss_dfl": {"loss_weight": 1}, "loss_bbox": {"loss_weight": 1}}
    return NanoDetPlusHead(classes, CfgNode(loss), 96, strides=STRIDES, reg_max=7).eval()


def judged(real: Array, size: tuple[int, int]) -> dict[str, Array]:
    """What the authors' code makes of an output [cells, classes + 32]."""
    from nanodet.data.transform.warp import get_resize_matrix

    classes = real.shape[1] - 32
    head = head_for(classes)
    numbers = torch.from_numpy(real[None])
    scores, bins = numbers[..., :classes].clamp(0, 1), numbers[..., classes:]
    best = torch.zeros_like(scores).scatter_(2, scores.argmax(2, keepdim=True), 1)
    meta = {
        "img": torch.zeros(1, 3, size[1], size[0]),
        "warp_matrix": [get_resize_matrix(FRAME, size, True)],
        "img_info": {"height": [FRAME[1]], "width": [FRAME[0]], "id": [0]},
    }
    found = {}
    for name, given in (("all", scores), ("best", scores * best)):
        boxes, labels = head.get_bboxes(torch.logit(given), bins, meta)[0]
        found[name] = torch.cat([boxes, labels[:, None]], dim=1).numpy()
    by_class = head.post_process(torch.cat([torch.logit(scores * best), bins], dim=2), meta)[0]
    rows = [[*row, label] for label, rows in by_class.items() for row in rows]
    found["frame"] = np.array(sorted(rows, key=lambda row: -row[4]))
    return found


def main() -> None:
    sys.path.insert(0, sys.argv[1])
    data: dict[str, Array] = {}
    index = {}
    for name, (picture, size, dtype) in CASES.items():
        output = output_of(sys.argv[2], picture, size) if picture else random_output(size)
        values, scale, zero_point = stored(output, dtype)
        real = values.astype(np.float64) if not scale else (values.astype(np.float64) - zero_point) * scale
        data[name] = values
        for judge, rows in judged(real, size).items():
            data[f"{name}/{judge}"] = rows.astype(np.float32)
            print(name, judge, len(rows), rows[:2].round(2).tolist())
        index[name] = {"size": size, "scale": scale, "zero_point": zero_point}
    data["index"] = np.array(json.dumps(index))
    buffer = io.BytesIO()
    np.savez(buffer, **data)
    DATA.write_bytes(lzma.compress(buffer.getvalue(), preset=9 | lzma.PRESET_EXTREME))
    print(f"wrote {DATA.relative_to(ROOT)}: {DATA.stat().st_size} bytes")


if __name__ == "__main__":
    main()
